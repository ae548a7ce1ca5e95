/* SPDX-License-Identifier: MIT */
/*
 * fuzz_map - a schema map of any bytes over a small file: what tests/unit/map_check.h says holds.
 *
 * Built with libFuzzer by tests/fuzz/run.sh (make fuzz). What it finds goes to tests/fuzz/corpus/map, which
 * tests/unit/test_binding replays.
 */
#include "config.h"

#include <stdint.h>

#include "../unit/map_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct map_check c;

	if (!c.schema && !map_check_open(&c)) {
		fprintf(stderr, "the file cannot be made\n");
		abort();
	}
	if (!map_check(&c, bytes, n)) {
		fprintf(stderr, "%s\n", c.why);
		abort();
	}
	return 0;
}
