#!/bin/sh
# SPDX-License-Identifier: MIT
#
# format.sh - clang-format has nothing to say. Other versions than 14 lay out differently: skipped.
. "${srcdir:-$(dirname "$0")/../..}/tests/lint/lib.sh"

tool=
for t in clang-format-14 clang-format; do
	[ -n "$tool" ] || ! $t --version 2>/dev/null | grep -q 'version 14\.' || tool=$t
done
if [ -z "$tool" ]; then
	skip "no clang-format 14"
	finish
fi
# all at once is much quicker; one by one to tell them apart
# shellcheck disable=SC2046
if $tool --dry-run -Werror --style=file $(c_files src include tests) 2>/dev/null; then
	check "all files" ""
	finish
fi
for file in $(c_files src include tests); do
	check "$file" "$($tool --dry-run -Werror --style=file "$file" 2>&1 | grep 'error:' | head -n 3)"
done
finish
