/* SPDX-License-Identifier: MIT */
/*
 * real - files that the Poplar SDK wrote, where there are some: not part of the tree.
 *
 * TILESCOPE_REAL names their folder, else it is shared/real beside the checkout. A test without them ends, having
 * said so.
 */
#ifndef TS_TESTS_UNIT_REAL_H
#define TS_TESTS_UNIT_REAL_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { REAL_PATH = 4096 };

/* Is the file there? Its path. */
static inline bool
real_file(char path[REAL_PATH], const char *name)
{
	const char *dir = getenv("TILESCOPE_REAL"), *top = getenv("srcdir");

	if (dir)
		snprintf(path, REAL_PATH, "%s/%s", dir, name);
	else
		snprintf(path, REAL_PATH, "%s/../shared/real/%s", top ? top : ".", name);
	if (access(path, R_OK) == 0)
		return true;
	printf("no %s: TILESCOPE_REAL names the folder of real files\n", path);
	return false;
}

#endif
