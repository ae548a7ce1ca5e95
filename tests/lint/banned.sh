#!/bin/sh
# SPDX-License-Identifier: MIT
#
# banned.sh - functions that we do not call, and where the others are at home.
. "${srcdir:-$(dirname "$0")/../..}/tests/lint/lib.sh"

all=$(mktemp)
trap 'rm -f "$all"' EXIT
# shellcheck disable=SC2046
code $(c_files src include) >"$all"

# ban WHERE WHY NAME...: a call of NAME is an error outside the paths that match WHERE.
ban()
{
	where=$1 why=$2
	shift 2
	for name; do
		check "$name" "$(grep -E "^[^:]*:[0-9]+:(.*[^A-Za-z0-9_.>])?${name}[ 	]*\(" "$all" |
			grep -Ev "^($where):" | sed "s|\$|   <- $why|")"
	done
}

nowhere='-'
ban "$nowhere" 'no bound on what it writes' strcpy strcat sprintf vsprintf gets stpcpy
ban "$nowhere" 'may leave no NUL; snprintf, ts_strbuf' strncpy
ban "$nowhere" 'cannot say that it failed; strtoll' atoi atol atoll atof
ban "$nowhere" 'overflows in silence' scanf sscanf fscanf
ban "$nowhere" 'hidden state' strtok rand srand random srandom drand48
ban "$nowhere" 'not safe with threads' localtime gmtime ctime asctime strerror strsignal ttyname readdir_r
ban "$nowhere" 'a shell' system popen
ban "$nowhere" 'a race' tmpnam tempnam mktemp
ban "$nowhere" 'the stack is small' alloca
ban "$nowhere" 'threads; posix_spawn' fork vfork
ban 'src/app/main\.c' 'process-wide, at the start only' setlocale setenv putenv unsetenv chdir umask
ban 'src/app/[^:]*' 'only app/ ends the program' exit _exit quick_exit
ban 'src/app/[^:]*' 'only app/ writes to standard output' printf vprintf puts putchar
ban 'src/(base/thread\.c|app/watch\.c)' 'ts_thread_start() keeps signals away from a thread' pthread_create thrd_create
ban '(src/(job/[^:]*|base/(beside|thread)\.c|io/(dial|host)\.c)|include/tilescope/base/thread\.h)' 'threads belong to job/, base/beside.c, io/dial.c and io/host.c' ts_thread_start
finish
