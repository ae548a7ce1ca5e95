#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sources.sh - what lies in the tree is listed in Makefile.am, once, sorted; what is listed lies there.
. "${srcdir:-$(dirname "$0")/../..}/tests/lint/lib.sh"

# The words of a list in Makefile.am.
listed()
{
	awk -v name="$1" '
	$0 ~ "^" name " = *\\\\$" { on = 1; next }
	on { for (i = 1; i <= NF; i++) if ($i != "\\" && $i != "$(end)") print $i }
	on && !/\\$/ { on = 0 }' Makefile.am
}

# compare LIST FILES: the two are equal.
compare()
{
	list=$(listed "$1")
	sorted=$(echo "$list" | sort)
	there=$(echo "$2" | sort)
	# shellcheck disable=SC2086
	flat=" $(echo $list) "
	check "$1" "$(
		for f in $sorted; do [ -e "$f" ] || [ -e "$f.c" ] || echo "$f is listed and not there"; done
		for f in $there; do
			case $flat in
			*" $f "*) ;;
			*) echo "$f is there and not listed" ;;
			esac
		done
		echo "$list" | sort | uniq -d | sed 's/$/ is listed twice/'
		[ "$list" = "$sorted" ] || echo "the list is not sorted"
	)"
}

for layer in base io format profile calc report job ui view app; do
	compare "${layer}_headers" "$(find "include/tilescope/$layer" -name '*.h')"
	compare "${layer}_sources" "$(find "src/$layer" -name '*.[ch]' ! -path src/app/main.c)"
done
compare keymaps "$(find keymaps -name '*.keys')"
compare themes "$(find themes -name '*.theme')"
compare schemas "$(find src/schemas -type f)"
compare rules "$(find src/rules -type f)"
compare help "$(find src/help -type f)"
for kind in unit screen fault; do
	compare "${kind}_tests" "$(find "tests/$kind" -name 'test_*.c' | sed 's/\.c$//')"
done
compare lint_suites "$(find tests/lint -name '*.sh' ! -name lib.sh -o -name '*.py')"
finish
