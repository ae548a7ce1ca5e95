/* SPDX-License-Identifier: MIT */
/*
 * fuzz_blob - any bytes as packed numbers of profile.pop: what tests/unit/blob_check.h says holds.
 *
 * Built with libFuzzer by tests/fuzz/run.sh (make fuzz). What it finds goes to tests/fuzz/corpus/blob, which
 * tests/unit/test_blob replays.
 */
#include "config.h"

#include <stdint.h>

#include "../unit/blob_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct blob_check c;

	if (!blob_check(&c, bytes, n)) {
		fprintf(stderr, "%s\n", c.why);
		abort();
	}
	return 0;
}
