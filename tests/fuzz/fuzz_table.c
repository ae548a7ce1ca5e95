/* SPDX-License-Identifier: MIT */
/*
 * fuzz_table - a file of any bytes: rows read from its pages are those that SQLite gives.
 *
 * Built with libFuzzer by tests/fuzz/run.sh (make fuzz). What it finds goes to tests/fuzz/corpus/table, which
 * tests/unit/test_table replays.
 */
#include "config.h"

#include <stdlib.h>

#include "../unit/table_compare.h"

enum { ROWS = 400, QUERIES = 3, BYTES_MAX = 1 << 15 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct dice d = {0x9e3779b97f4a7c15u};
	struct compare c;

	if (n < 512 || n > BYTES_MAX || !compare_open(&c, bytes, n))
		return 0;
	for (size_t i = 60; i < 64; i++) /* the user's version: SQLite has no use for it */
		d.x = d.x * 257 + bytes[i];
	c.rows_max = ROWS;
	c.tables_only = true; /* a view may take its time */
	if (!compare_all(&c, &d, QUERIES)) {
		fprintf(stderr, "%s\n", c.why);
		abort();
	}
	compare_close(&c);
	return 0;
}
