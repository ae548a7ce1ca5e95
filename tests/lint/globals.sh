#!/bin/sh
# SPDX-License-Identifier: MIT
#
# globals.sh - no object of the library has data that can be written to: no globals but constant tables.
#
# One is known: a handler of a fatal signal gets no context (src/app/crash.c).
# Constants that hold addresses lie in .data.rel.ro, which is read-only once the program runs.
. "${srcdir:-$(dirname "$0")/../..}/tests/lint/lib.sh"

if [ "${TS_SANITIZE:-}" = 1 ]; then
	skip "a sanitizer keeps data of its own"
	finish
fi
table=$(objdump -t "$builddir/libtilescope.a") || {
	check "objdump" "cannot read libtilescope.a"
	finish
}
# objdump -t: VALUE FLAGS SECTION<tab>SIZE NAME; the flags (7 columns) have d for a section's own entry
found=$(echo "$table" | awk '
	/^[^ ]+: +file format/ { object = $1; sub(/:$/, "", object); objects++; next }
	/\t/ {
		split($0, half, "\t"); n = split(half[1], w, " "); section = w[n]
		split(half[2], t, " "); name = t[2]
		if (half[1] ~ / d? *df? / && name ~ /^\./) next
		if (section ~ /^\.data\.rel\.ro/) next
		if (name ~ /^(__gcov|\.L|__llvm|__prof|\.data|\.bss)/) next
		if (object ~ /crash/ && name == "terminal") next
		if (section ~ /^\.(data|bss|tdata|tbss)/ || section == "*COM*")
			print object, name
	}')
objects=$(echo "$table" | grep -c 'file format')
bad=$(echo "$found" | cut -d' ' -f1 | sort -u | grep -c .)
passed=$((objects - bad))
for object in $(echo "$found" | cut -d' ' -f1 | sort -u); do
	check "$object can change:" "$(echo "$found" | sed -n "s/^$object //p")"
done
finish
