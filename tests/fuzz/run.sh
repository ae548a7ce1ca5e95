#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh TARGET [SECONDS] - build tests/fuzz/fuzz_TARGET.c with libFuzzer and the sanitizers, and run it.
#
# Needs clang. Starts from tests/fuzz/corpus/TARGET; what is new goes to fuzz-TARGET/ in the build
# directory, and so does the input that fails, which belongs into the corpus once its cause is gone.
# Environment: srcdir, builddir, CLANG (default clang), TS_CPPFLAGS (as make check sets them).
set -eu

srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
target=${1:?a target: archive, blob, cbor, index_page, json, lines, profile, sftp, sql, table}
seconds=${2:-60}
out=$builddir/fuzz-$target
mkdir -p "$out/new"

cd "$srcdir"
# shellcheck disable=SC2046,SC2086
${CLANG:-clang} -g -O2 -std=gnu11 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	-D_FILE_OFFSET_BITS=64 -I"$builddir" -Iinclude ${TS_CPPFLAGS:-} -DTS_PKGDATADIR='""' \
	"tests/fuzz/fuzz_$target.c" src/base/*.c src/io/*.c src/format/*.c \
	src/calc/*.c src/profile/*.c src/db/*.c src/report/*.c "$builddir/embedded_data.c" \
	$(pkg-config --cflags --libs sqlite3 jansson yajl libxxhash libelf libcbor libpcre2-8 libssh check) -lm -lpthread -o "$out/fuzz_$target"
cd "$out"
exec "./fuzz_$target" -max_total_time="$seconds" -max_len=32768 -timeout=30 -print_final_stats=1 \
	new "$srcdir/tests/fuzz/corpus/$target"
