#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh SUITE... - run test suites and sum them up; what `make check` calls.
#
# A suite is a path below the top of the tree: a script (.sh, .py: taken from the source directory) or a
# Check program (from the build directory). It says how it went with its closing line,
#     N passed, N failed[, N skipped]            or Check's own
#     100%: Checks: N, Failures: N, Errors: N
# and with its exit status. One that says nothing and fails, or runs out of time, counts as one failed.
# The output of a suite goes to check-logs/ in the build directory; its first 200 lines are shown when it
# fails. The last line is the sum of all.
#
# Environment of a suite (paths are absolute): srcdir, builddir, TILESCOPE (the program), TS_SANITIZE
# (1 in a sanitizer build: sample less), LC_ALL=C.UTF-8, TZ=UTC; HOME, XDG_* and TMPDIR are private and
# empty; standard input is /dev/null. TS_TIMEOUT: seconds a suite may take (default 300).
set -u

srcdir=$(cd "${srcdir:-$(dirname "$0")/..}" && pwd) || exit 2
builddir=$(cd "${builddir:-.}" && pwd) || exit 2
TILESCOPE=$builddir/tilescope${EXEEXT:-}
TS_SANITIZE=${TS_SANITIZE:-}
LC_ALL=C.UTF-8
TZ=UTC
PYTHONDONTWRITEBYTECODE=1
UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export srcdir builddir TILESCOPE TS_SANITIZE LC_ALL TZ PYTHONDONTWRITEBYTECODE UBSAN_OPTIONS
unset LANG LANGUAGE COLUMNS LINES NO_COLOR TMUX TMUX_PANE MAKEFLAGS MFLAGS MAKELEVEL \
	POPLAR_ENGINE_OPTIONS TILESCOPE_OPTS 2>/dev/null
# a sanitizer slows down, and so does a loaded machine
CK_TIMEOUT_MULTIPLIER=${CK_TIMEOUT_MULTIPLIER:-5}
export CK_TIMEOUT_MULTIPLIER
limit=${TS_TIMEOUT:-300}
shown=200
python3=${PYTHON3:-python3}

work=$(mktemp -d "${TMPDIR:-/tmp}/tilescope-check.XXXXXX") || exit 2
trap 'chmod -R u+rwX "$work" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM

logs=$builddir/check-logs
rm -rf "$logs"
mkdir -p "$logs" || exit 2

passed=0 failed=0 skipped=0

# Sum what the suite's output (file $1) says: "passed failed skipped", nothing when it says nothing.
tally()
{
	awk '
	/^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/ { p = $1; f = $3; s = $5 + 0; said = 1 }
	/^[0-9]+%: Checks: [0-9]+, Failures: [0-9]+, Errors: [0-9]+$/ {
		n = split($0, w, /[^0-9]+/)
		cp += w[2] - w[3] - w[4]; cf += w[3] + w[4]; checked = 1
	}
	END { if (said || checked) print p + cp, f + cf, s + 0 }' "$1"
}

have()
{
	command -v "$1" >/dev/null 2>&1
}

# Why suite $1 cannot run here; nothing when it can.
obstacle()
{
	case $1 in
	*.py) have "$python3" || echo "no python3" ;;
	esac
	case $1 in
	tests/tty/*) have tmux || echo "no tmux" ;;
	esac
}

# Run suite $1; output to file $2.
run()
{
	rm -rf "${work:?}/home"
	mkdir -p "$work/home/config" "$work/home/cache" "$work/home/tmp"
	case $1 in
	*.sh) set -- "$2" sh "$srcdir/$1" ;;
	*.py) set -- "$2" "$python3" "$srcdir/$1" ;;
	*) set -- "$2" "$builddir/$1${EXEEXT:-}" ;;
	esac
	out=$1
	shift
	HOME=$work/home XDG_CONFIG_HOME=$work/home/config XDG_CACHE_HOME=$work/home/cache \
		XDG_STATE_HOME=$work/home/state XDG_DATA_HOME=$work/home/data TMPDIR=$work/home/tmp \
		timeout -k 10 "$limit" "$@" >"$out" 2>&1 </dev/null
}

for suite; do
	why=$(obstacle "$suite" | head -n 1)
	if [ -n "$why" ]; then
		skipped=$((skipped + 1))
		printf 'SKIP  %-32s %s\n' "$suite" "$why"
		continue
	fi
	start=$(date +%s)
	log=$logs/$(echo "${suite#tests/}" | tr / -).log
	run "$suite" "$log"
	status=$?
	took=$(($(date +%s) - start))
	# shellcheck disable=SC2046
	set -- $(tally "$log")
	p=${1:-0} f=${2:-0} s=${3:-0}
	note=
	if [ $status -eq 124 ] || [ $status -eq 137 ]; then
		f=$((f + 1)) note=", stopped after $limit s"
	elif [ $status -ne 0 ] && [ "$f" -eq 0 ]; then
		f=$((f + 1)) note=", exit status $status"
	elif [ $# -eq 0 ]; then
		f=$((f + 1)) note=", no closing line"
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	word=ok
	[ "$f" -eq 0 ] || word=FAIL
	printf '%-5s %-32s %d passed, %d failed, %d skipped%s, %d s\n' \
		"$word" "$suite" "$p" "$f" "$s" "$note" "$took"
	if [ "$f" -gt 0 ]; then
		head -n $shown "$log" | sed 's/^/    | /'
		lines=$(wc -l <"$log")
		[ "$lines" -le $shown ] || echo "    | ... $((lines - shown)) more lines in $log"
	fi
done

if [ $skipped -gt 0 ]; then
	echo "$passed passed, $failed failed, $skipped skipped"
else
	echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ]
