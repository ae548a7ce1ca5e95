#!/bin/sh
# SPDX-License-Identifier: MIT
#
# docs.sh - the manual page and the tables of the program name the same verbs and options.
. "${srcdir:-$(dirname "$0")/../..}/tests/lint/lib.sh"

page=docs/tilescope.1

verbs=$(sed -n 's/^	{"\([a-z]\{1,\}\)", TS_FOR_.*/\1/p' src/app/args.c)
options=$(sed -n "/NULL, 0},\$/d; s/^	{\"\\([a-z-]\\{1,\\}\\)\", \\('.'\\|0\\), [A-Z].*/\\1/p" src/app/args.c | sort -u)
described=$(sed 's/\\-/-/g' $page | grep -o -e '--[a-z][a-z-]*' | sed 's/^--//' | sort -u)

[ -n "$verbs" ] && [ -n "$options" ] || check "src/app/args.c" "no verbs or no options found in its tables"
for verb in $verbs; do
	check "verb $verb in $page" "$(grep -q "^\\.BI* \"*$verb" $page || echo "not described")"
	check "verb $verb in README" "$(grep -q "tilescope $verb" README || echo "not mentioned")"
done
for option in $options; do
	check "option --$option" "$(echo "$described" | grep -qxe "$option" || echo "not in $page")"
done
for option in $described; do
	check "option --$option" "$(echo "$options" | grep -qxe "$option" || echo "in $page, and not an option")"
done
# what the program remembers of its options
settings=$(sed -n '/tilescope\/settings$/,/^\.SH/p' $page | sed 's/\\-/-/g')
kept=$(sed -n 's/^	\[[A-Z]*\] = {"\([a-z-]*\)",.*/\1/p' src/base/option.c)
[ -n "$kept" ] || check "src/base/option.c" "no options found in its table"
for option in $kept; do
	check "option $option of settings" "$(echo "$settings" | grep -qw -e "$option" || echo "not in $page")"
done
for option in theme keymap; do
	check "--$option" "$(sed -n "/^\.BR .*-$option = /,/^\.TP/p" $page | grep -q remembered ||
		echo "$page does not say what is remembered")"
done
if command -v groff >/dev/null; then
	check "$page" "$(groff -man -t -Tutf8 -ww $page 2>&1 >/dev/null)"
else
	skip "no groff"
fi
finish
