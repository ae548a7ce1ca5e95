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
# shellcheck disable=SC2046
said=$($tool --dry-run -Werror --style=file $(c_files src include tests) 2>&1) || :
check "all files" "$(echo "$said" | grep 'error:' | head -n 20)"
finish
