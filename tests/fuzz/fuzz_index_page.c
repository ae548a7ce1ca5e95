/* SPDX-License-Identifier: MIT */
/*
 * fuzz_index_page - the page of an index: what tests/unit/index_page_check.h says holds.
 *
 * Built with libFuzzer by tests/fuzz/run.sh (make fuzz). What it finds goes to tests/fuzz/corpus/index_page, which
 * tests/unit/test_index_page replays.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>

#include "../unit/index_page_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const char *why = index_page_check(bytes, n);

	if (why) {
		fprintf(stderr, "%s\n", why);
		abort();
	}
	return 0;
}
