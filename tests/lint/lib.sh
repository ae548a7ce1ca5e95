# shellcheck shell=sh
# SPDX-License-Identifier: MIT
#
# lib.sh - what the scripts of tests/lint share: read at their start, they end with `finish`.
#
# Environment: srcdir, builddir, CC, TS_CPPFLAGS (see tests/run.py).

LC_ALL=C
export LC_ALL
builddir=$(cd "${builddir:-.}" && pwd)
cd "${srcdir:-$(dirname "$0")/../..}" || exit 2
passed=0 failed=0 skipped=0

# check WHAT PROBLEMS: passed when there are no problems.
check()
{
	if [ -z "$2" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $1"
		echo "$2" | sed 's/^/     /'
	fi
}

skip()
{
	skipped=$((skipped + 1))
	echo "SKIP $*"
}

finish()
{
	if [ $skipped -gt 0 ]; then
		echo "$passed passed, $failed failed, $skipped skipped"
	else
		echo "$passed passed, $failed failed"
	fi
	[ $failed -eq 0 ]
	exit
}

# Our C files; c_files DIR... for those below some directories.
c_files()
{
	find "${@:-src}" -type f -name '*.[ch]' | sort
}

# The text of C files ("path:line:text") without comments and without what strings contain.
code()
{
	awk '
	FNR == 1 { comment = 0 }
	{
		out = ""; s = $0
		while (s != "") {
			if (comment) {
				i = index(s, "*/")
				if (!i) { s = ""; break }
				s = substr(s, i + 2); comment = 0
				continue
			}
			if (!match(s, /\/\*|\/\/|["\047]/)) { out = out s; s = ""; break }
			out = out substr(s, 1, RSTART - 1)
			c = substr(s, RSTART, 1); two = substr(s, RSTART, 2); s = substr(s, RSTART + 1)
			if (two == "//") { s = ""; break }
			if (two == "/*") { comment = 1; s = substr(s, 2); continue }
			for (i = 1; i <= length(s); i++) {
				d = substr(s, i, 1)
				if (d == "\\") i++
				else if (d == c) break
			}
			out = out c c; s = substr(s, i + 1)
		}
		print FILENAME ":" FNR ":" out
	}' "$@"
}
