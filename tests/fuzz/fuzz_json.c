/* SPDX-License-Identifier: MIT */
/*
 * fuzz_json - a framework.json, app.json or vars.json of any bytes: what tests/unit/json_check.h says holds.
 *
 * Built with libFuzzer by tests/fuzz/run.sh (make fuzz). What it finds goes to tests/fuzz/corpus/json, which
 * tests/unit/test_vars_json replays.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>

#include "../unit/json_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const char *why = json_check(bytes, n);

	if (why) {
		fprintf(stderr, "%s\n", why);
		abort();
	}
	return 0;
}
