#!/bin/sh
# SPDX-License-Identifier: MIT
#
# embed.sh SRCDIR FILE... - write a C file with the contents of the files (named below SRCDIR) to
# standard output: the table that tilescope/base/embedded.h declares.
#
# Each file becomes an array of character constants: a string literal may not be longer than 4,095
# bytes in C11, and a number above 127 does not fit a char everywhere.
set -eu
LC_ALL=C
export LC_ALL

srcdir=$1
shift

echo '/* Written by src/embed.sh; do not edit. */'
echo '#include "config.h"'
echo
echo '#include "tilescope/base/embedded.h"'
i=0
for file in "$@"; do
	echo
	echo "static const char text_${i}[] = {"
	od -An -v -to1 "$srcdir/$file" | sed -e "s/ *\\([0-7][0-7][0-7]\\)/'\\\\\\1',/g"
	printf '%s\n' "'\\000' };"
	i=$((i + 1))
done

echo
echo 'const struct ts_embedded ts_embedded[] = {'
i=0
for file in "$@"; do
	echo "	{ \"${file#src/}\", text_$i, sizeof(text_$i) - 1 },"
	i=$((i + 1))
done
echo '	{ NULL, NULL, 0 },'
echo '};'
