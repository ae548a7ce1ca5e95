#!/bin/sh
# SPDX-License-Identifier: MIT
#
# words.sh - no file of the tree speaks of the place it was written at.
. "${srcdir:-$(dirname "$0")/../..}/tests/lint/lib.sh"

if [ -e .git ] && git ls-files >/dev/null 2>&1; then
	files=$(git ls-files)
else
	# a distribution, maybe built in: what the distribution holds
	files="README NEWS configure.ac Makefile.am bootstrap .ci/run $(find src include keymaps themes \
		tests docs -type f -name '*.*' ! -name '*.[oad]' ! -name '*.Po' | sort)"
fi
# A pair of brackets keeps each pattern from finding itself.
for word in '/wor[k]/' 'helper sessio[n]' 'tui-sho[t]' 'tui-la[t]' '[.]librar[y]' 'TEA[M][.]md' \
	'shared/desig[n]'; do
	# shellcheck disable=SC2086
	check "$word" "$(grep -nIe "$word" $files /dev/null 2>/dev/null)"
done
finish
