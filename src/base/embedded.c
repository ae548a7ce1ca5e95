/* SPDX-License-Identifier: MIT */
/*
 * embedded - look up a data file that was compiled in.
 *
 * The table itself is embedded_data.c, written by src/embed.sh in the build directory. It has a dozen
 * entries and is asked at the start only: a linear search will do.
 */
#include "config.h"

#include "tilescope/base/embedded.h"

#include <string.h>

const struct ts_embedded *
ts_embedded_find(const char *name)
{
	for (const struct ts_embedded *e = ts_embedded; e->name; e++) {
		if (strcmp(e->name, name) == 0)
			return e;
	}
	return NULL;
}
