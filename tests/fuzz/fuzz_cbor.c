/* SPDX-License-Identifier: MIT */
/*
 * fuzz_cbor - a debug.cbor of any bytes: what tests/unit/cbor_check.h says holds.
 *
 * Built with libFuzzer by tests/fuzz/run.sh (make fuzz). What it finds goes to tests/fuzz/corpus/cbor, which
 * tests/unit/test_debug_info replays.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>

#include "../unit/cbor_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	enum ts_code code;
	struct ts_err err;
	const char *why = cbor_check(bytes, n, &code, &err);

	if (why) {
		fprintf(stderr, "%s: %s\n", why, err.msg);
		abort();
	}
	return 0;
}
