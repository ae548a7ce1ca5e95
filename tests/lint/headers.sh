#!/bin/sh
# SPDX-License-Identifier: MIT
#
# headers.sh - each header compiles alone, and has one for every source.
. "${srcdir:-$(dirname "$0")/../..}/tests/lint/lib.sh"

src=$(pwd)
for file in $(c_files include); do
	# shellcheck disable=SC2086
	check "$file" "$(cd "$builddir" && echo "#include \"${file#include/}\"" |
		${CC:-cc} ${TS_CPPFLAGS:-} -I"$src/include" -D_GNU_SOURCE -std=gnu11 -Wall -Wextra \
			-Wpedantic -Werror -fsyntax-only -x c - 2>&1)"
done
finish
