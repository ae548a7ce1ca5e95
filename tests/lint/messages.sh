#!/bin/sh
# SPDX-License-Identifier: MIT
#
# messages.sh - what README's table of troubles calls messages of the program are messages of the program.
. "${srcdir:-$(dirname "$0")/../..}/tests/lint/lib.sh"

# the texts of all sources, those that go on in the next line put together; a message may stand in several pieces
texts=$(mktemp)
trap 'rm -f "$texts"' EXIT
find src -name '*.c' -exec cat {} + | tr '\n\t' '  ' | sed 's/"  *"//g' >"$texts"
messages=$(sed -n '/^| message | cause | remedy |/,/^$/p' README | sed -n '3,$p' | cut -d'|' -f2 | grep -o '`[^`]*`' | tr -d '`')

[ "$(echo "$messages" | wc -l)" -gt 15 ] || check "README" "no table of messages"
while IFS= read -r message; do
	check "message '$message'" "$(grep -qF -- "$message" "$texts" || echo "not in src/")"
done <<END
$messages
END
finish
