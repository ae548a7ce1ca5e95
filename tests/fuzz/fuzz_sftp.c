/* SPDX-License-Identifier: MIT */
/*
 * fuzz_sftp - what a server may send: what tests/unit/sftp_check.h says holds.
 *
 * Built with libFuzzer by tests/fuzz/run.sh (make fuzz). What it finds goes to tests/fuzz/corpus/sftp, which
 * tests/unit/test_sftp_wire replays.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>

#include "../unit/sftp_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const char *why = sftp_check(bytes, n);

	if (why) {
		fprintf(stderr, "%s\n", why);
		abort();
	}
	return 0;
}
