/* SPDX-License-Identifier: MIT */
/*
 * asleep - the program on a machine that sleeps when a test wants it to.
 *
 * The linker hands clock_gettime() to this file (--wrap, see Makefile.am). The clocks that go on while a machine sleeps are
 * ahead by as many seconds as stand in the file that TILESCOPE_TEST_SLEPT names; CLOCK_MONOTONIC stood still meanwhile.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);

static long
slept_s(void)
{
	const char *path = getenv("TILESCOPE_TEST_SLEPT");
	FILE *f = path ? fopen(path, "re") : NULL;
	char text[32];
	long s = f && fgets(text, sizeof(text), f) ? strtol(text, NULL, 10) : 0;

	if (f)
		fclose(f);
	return s;
}

int
__wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	int rc = __real_clock_gettime(clock, t);

	if (!rc && (clock == CLOCK_BOOTTIME || clock == CLOCK_REALTIME))
		t->tv_sec += slept_s();
	return rc;
}
