#!/bin/sh
# SPDX-License-Identifier: MIT
#
# bench.sh - how long `tilescope demo` and `tilescope summary` take; what `make bench` calls.
#
# For each scale (SCALES, default "small bert") and layout, a demo report is written once and summarised
# RUNS times (default 5) with a warm page cache: least, median and greatest wall-clock time. Nothing is
# asserted: the figures are for comparison on one machine.
#
# Environment: TILESCOPE (default ./tilescope), SCALES, RUNS, TMPDIR (bert takes some hundred MB there).
set -eu
TILESCOPE=${TILESCOPE:-./tilescope}
LC_ALL=C.UTF-8
export LC_ALL
runs=${RUNS:-5}
work=$(mktemp -d "${TMPDIR:-/tmp}/tilescope-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM

# Milliseconds that a command takes.
ms()
{
	from=$(date +%s%N)
	"$@" >/dev/null 2>&1
	echo $((($(date +%s%N) - from) / 1000000))
}

printf '%-6s %-6s %12s %12s   %s\n' scale layout 'size, MiB' 'write, ms' 'summary, ms: least median greatest'
for scale in ${SCALES:-small bert}; do
	for layout in store sdk; do
		dir=$work/$scale-$layout
		write=$(ms "$TILESCOPE" demo "$dir" --scale "$scale" --layout "$layout")
		size=$(du -sm "$dir" | cut -f1)
		"$TILESCOPE" summary "$dir" >/dev/null
		times=$(for _ in $(seq "$runs"); do
			ms "$TILESCOPE" summary --cache none -f json "$dir"
		done | sort -n)
		printf '%-6s %-6s %12s %12s   %s %s %s\n' "$scale" "$layout" "$size" "$write" \
			"$(echo "$times" | head -n 1)" "$(echo "$times" | sed -n "$(((runs + 1) / 2))p")" \
			"$(echo "$times" | tail -n 1)"
		rm -rf "$dir"
	done
done
