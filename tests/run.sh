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
# As many suites run at once as there are processors (TS_JOBS says otherwise), long ones first; what is
# said is in the order of the arguments all the same. So no suite may depend on how fast it is.
#
# Environment of a suite (paths are absolute): srcdir, builddir, TILESCOPE (the program), TS_SANITIZE
# (1 in a sanitizer build: sample less), LC_ALL=C.UTF-8, TZ=UTC; HOME, XDG_* and TMPDIR are private and
# empty; standard input is /dev/null. TS_TIMEOUT: seconds a suite may take (default 900: for what hangs).
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
unset LANG LANGUAGE COLUMNS LINES NO_COLOR COLORFGBG TMUX TMUX_PANE MAKEFLAGS MFLAGS MAKELEVEL \
	POPLAR_ENGINE_OPTIONS TILESCOPE_OPTS 2>/dev/null
# a sanitizer slows down, and so does a loaded machine
CK_DEFAULT_TIMEOUT=${CK_DEFAULT_TIMEOUT:-60}
CK_TIMEOUT_MULTIPLIER=${CK_TIMEOUT_MULTIPLIER:-10}
export CK_DEFAULT_TIMEOUT CK_TIMEOUT_MULTIPLIER
limit=${TS_TIMEOUT:-900}
jobs=${TS_JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)}
shown=200
python3=${PYTHON3:-python3}

work=$(mktemp -d "${TMPDIR:-/tmp}/tilescope-check.XXXXXX") || exit 2
workers=
trap 'chmod -R u+rwX "$work" 2>/dev/null; rm -rf "$work"' EXIT
# shellcheck disable=SC2086
trap 'kill $workers 2>/dev/null; wait; exit 130' HUP INT TERM

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
	tests/remote/*) have sshd || have /usr/sbin/sshd || echo "no sshd" ;;
	esac
}

# Run suite $1; output to file $2, all that is its own below $3.
run()
{
	mkdir -p "$3/config" "$3/cache" "$3/tmp"
	home=$3
	case $1 in
	*.sh) set -- "$2" sh "$srcdir/$1" ;;
	*.py) set -- "$2" "$python3" "$srcdir/$1" ;;
	*) set -- "$2" "$builddir/$1${EXEEXT:-}" ;;
	esac
	out=$1
	shift
	HOME=$home XDG_CONFIG_HOME=$home/config XDG_CACHE_HOME=$home/cache \
		XDG_STATE_HOME=$home/state XDG_DATA_HOME=$home/data TMPDIR=$home/tmp \
		timeout -k 10 "$limit" "$@" >"$out" 2>&1 </dev/null &
	running=$!
	wait $running
}

# Take suites of the list $work/queue (number and name a line) until all are taken. What came of one is in
# $work/NUMBER: exit status and seconds.
take()
{
	running=
	trap 'kill $running 2>/dev/null; wait; exit 130' TERM
	while read -r number suite; do
		mkdir "$work/taken.$number" 2>/dev/null || continue
		start=$(date +%s)
		run "$suite" "$logs/$(log "$suite")" "$work/taken.$number/home"
		echo "$? $(($(date +%s) - start))" >"$work/taken.$number/result"
		chmod -R u+rwX "$work/taken.$number/home"
		rm -rf "$work/taken.$number/home"
		mv "$work/taken.$number/result" "$work/$number"
	done <"$work/queue"
}

log()
{
	echo "${1#tests/}.log" | tr / -
}

# What suite $1 said, and that it ended with status $2 after $3 s: one line, and its output when it failed.
tell()
{
	suite=$1 status=$2 took=$3 log=$logs/$(log "$1")
	# shellcheck disable=SC2046
	set -- $(tally "$log")
	p=${1:-0} f=${2:-0} s=${3:-0}
	note=
	if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
		f=$((f + 1)) note=", stopped after $limit s"
	elif [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
		f=$((f + 1)) note=", exit status $status"
	elif [ $# -eq 0 ]; then
		f=$((f + 1)) note=", no closing line"
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	word=ok
	[ "$f" -eq 0 ] || word=FAIL
	printf '%-5s %-32s %d passed, %d failed, %d skipped%s, %d s\n' \
		"$word" "$suite" "$p" "$f" "$s" "$note" "$took"
	[ "$f" -gt 0 ] || return 0
	head -n $shown "$log" | sed 's/^/    | /'
	lines=$(wc -l <"$log")
	[ "$lines" -le $shown ] || echo "    | ... $((lines - shown)) more lines in $log"
}

# those with the most cases first, then in the order given
number=0
for suite; do
	number=$((number + 1))
	case $suite in
	tests/tty/*) weight=0 ;;
	tests/cli/* | tests/remote/*) weight=1 ;;
	*) weight=2 ;;
	esac
	[ -n "$(obstacle "$suite")" ] || echo "$weight $number $suite"
done | sort -n -k 1,1 -k 2,2 | cut -d ' ' -f 2- >"$work/queue"

while [ "$jobs" -gt 0 ]; do
	take &
	workers="$workers $!"
	jobs=$((jobs - 1))
done

number=0
for suite; do
	number=$((number + 1))
	why=$(obstacle "$suite" | head -n 1)
	if [ -n "$why" ]; then
		skipped=$((skipped + 1))
		printf 'SKIP  %-32s %s\n' "$suite" "$why"
		continue
	fi
	until [ -e "$work/$number" ]; do
		sleep 0.1 &
		wait $!
	done
	read -r status took <"$work/$number"
	tell "$suite" "$status" "$took"
done

if [ $skipped -gt 0 ]; then
	echo "$passed passed, $failed failed, $skipped skipped"
else
	echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ]
