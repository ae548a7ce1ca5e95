/* SPDX-License-Identifier: MIT */
/*
 * fuzz_profile - a small profile with values and bytes changed: all relations are read, identities looked at, and the
 * summary is made. Nothing crashes, hangs or overflows, whatever is in it.
 *
 * The input is a list of changes (change() below). Built with libFuzzer by tests/fuzz/run.sh; what it finds goes to
 * tests/fuzz/corpus/profile, which tests/unit/test_profile_relations replays.
 */
#include "config.h"

#include <stdint.h>

#include "../unit/profile_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct profile_check c;

	if (!c.whole)
		profile_check_begin(&c);
	profile_check(&c, bytes, n);
	return 0;
}
