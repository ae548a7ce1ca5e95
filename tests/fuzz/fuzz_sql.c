/* SPDX-License-Identifier: MIT */
/*
 * fuzz_sql - any bytes as a blob by tile, as the text of a filter, as a statement: see unit/sql_check.h.
 *
 * Built with libFuzzer by tests/fuzz/run.sh (make fuzz). What it finds goes to tests/fuzz/corpus/sql, which
 * tests/unit/test_query replays.
 */
#include "config.h"

#include <stdlib.h>

#include "../unit/sql_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct sql_check c;

	if (!c.query && !sql_check_open(&c)) {
		fprintf(stderr, "the report cannot be made\n");
		abort();
	}
	if (!sql_check(&c, bytes, n)) {
		fprintf(stderr, "%s\n", c.why);
		abort();
	}
	return 0;
}
