/* SPDX-License-Identifier: MIT */
/* memory_set - the tab Variables of the Memory view while several tiles are selected: their variables by name. */
#ifndef TS_VIEW_MEMORY_SET_H
#define TS_VIEW_MEMORY_SET_H

#include "memory_internal.h"

/* Functions of the tab Variables for that case; its `own` is theirs. */
extern const struct ts_tab_ops memory_set_variables;

/* Are several tiles selected? */
static inline bool
memory_has_set(const struct memory_view *m)
{
	return m->selected.tiles > 0;
}

#endif
