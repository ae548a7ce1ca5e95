/* SPDX-License-Identifier: MIT */
/*
 * fuzz_lines - filters, sets of tiles and regular expressions of any bytes: what tests/unit/line_check.h says holds.
 *
 * Built with libFuzzer by tests/fuzz/run.sh (make fuzz). What it finds goes to tests/fuzz/corpus/lines, which
 * tests/unit/test_filter replays.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>

#include "../unit/line_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct line_check c;

	if (!line_check(&c, bytes, n)) {
		fprintf(stderr, "%s\n", c.why);
		abort();
	}
	return 0;
}
