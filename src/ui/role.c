/* SPDX-License-Identifier: MIT */
/* role - the table of roles, see the header. */
#include "config.h"

#include <string.h>

#include "tilescope/ui/role.h"

const struct ts_role_info ts_roles[TS_ROLE_COUNT] = {
#define X(id, name, letter, sentence) [TS_ROLE_##id] = {name, letter, sentence},
	TS_ROLES(X)
#undef X
};

int
ts_role_find(const char *name)
{
	for (int i = 0; i < TS_ROLE_COUNT; i++)
		if (strcmp(ts_roles[i].name, name) == 0)
			return i;
	return -1;
}
