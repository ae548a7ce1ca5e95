#!/bin/sh
# SPDX-License-Identifier: MIT
#
# layers.sh - who includes whom.
#
# A file may include headers of its own layer and of those below it; a library's header is at home in one
# place; config.h comes first in every .c file and in no header.
. "${srcdir:-$(dirname "$0")/../..}/tests/lint/lib.sh"

# The layers that a layer may include, itself left out.
below()
{
	case $1 in
	base) ;;
	io | calc | job | ui) echo base ;;
	format) echo io base ;;
	db) echo io base ;;
	demo) echo format io base ;;
	report) echo db format io calc base ;;
	view) echo ui calc report db job base ;;
	app) echo view ui calc report db demo job format io base ;;
	esac
}

# Where the header of a library may be included; a regular expression over paths.
home()
{
	case $1 in
	*curses*.h | term.h | panel.h | menu.h | form.h) echo '^src/ui/tty\.c$' ;;
	sqlite3*.h) echo '^(src|include/tilescope)/(db|demo|report)/' ;;
	libssh/*) echo '^src/io/sftp\.c$' ;;
	pcre2.h) echo '^src/base/pattern\.c$' ;;
	xxhash.h) echo '^src/(db|io|report)/' ;;
	jansson*.h) echo '^(src|include/tilescope)/(format|app)/' ;;
	cbor.h | cbor/* | libelf.h | gelf.h | elf.h | yajl/*) echo '^src/format/' ;;
	check.h) echo '^tests/' ;;
	*) echo . ;;
	esac
}

# "path:line:kind:name" of every include; kind q for "..." and s for <...>
includes()
{
	sed -n -e 's/^[ 	]*#[ 	]*include[ 	]*"\([^"]*\)".*/q \1/p' \
		-e 's/^[ 	]*#[ 	]*include[ 	]*<\([^>]*\)>.*/s \1/p' "$1"
}

problems()
{
	file=$1
	layer=${file#include/tilescope/}
	layer=${layer#src/}
	layer=${layer%%/*}
	may=" $layer $(below "$layer") "
	first=1
	includes "$file" | while read -r kind name; do
		case $file:$name in
		*.c:config.h) [ $first = 1 ] || echo "config.h is not the first include" ;;
		*.h:config.h) echo "a header includes config.h" ;;
		*.c:*) [ $first = 0 ] || echo "the first include is $name, not config.h" ;;
		esac
		first=0
		case $kind:$name in
		q:tilescope/*/*)
			to=${name#tilescope/}
			to=${to%%/*}
			case $may in
			*" $to "*) ;;
			*) echo "layer $layer may not include $name" ;;
			esac
			;;
		s:tilescope/*) echo "own header in angle brackets: $name" ;;
		q:config.h) ;;
		q:*) [ -e "$(dirname "$file")/$name" ] || echo "library header in quotes: $name" ;;
		esac
		echo "$file" | grep -Eq "$(home "$name")" || echo "$name may not be included here"
	done
	case $file in
	*.h)
		guard=TS_$(echo "${file#include/tilescope/}" | tr 'a-z/.' 'A-Z__')
		[ "${file#src}" != "$file" ] || grep -q "^#ifndef $guard\$" "$file" ||
			echo "the include guard is not $guard"
		;;
	esac
}

for file in $(c_files src include); do
	check "$file" "$(problems "$file")"
done
finish
