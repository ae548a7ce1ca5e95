/* SPDX-License-Identifier: MIT */
/* marked - see the header. */
#include "config.h"

#include <string.h>

#include "tilescope/view/marked.h"

static bool
is_same(const struct ts_marked_variable *a, const struct ts_marked_variable *b)
{
	return a->lowered == b->lowered &&
		(a->lowered ? a->row == b->row : a->variable == b->variable);
}

int
ts_marked_find(const struct ts_marked_variables *m, const struct ts_marked_variable *v)
{
	for (int i = 0; i < m->count; i++)
		if (is_same(&m->item[i], v))
			return i;
	return -1;
}

bool
ts_marked_toggle(struct ts_marked_variables *m, const struct ts_marked_variable *v)
{
	int at = ts_marked_find(m, v);

	if (at < 0 && m->count == TS_MARKED_VARIABLES)
		return false;
	if (at < 0) {
		m->item[m->count++] = *v;
	} else {
		m->count--;
		memmove(&m->item[at], &m->item[at + 1],
			(size_t)(m->count - at) * sizeof(m->item[0]));
	}
	m->version++;
	return true;
}

void
ts_marked_clear(struct ts_marked_variables *m)
{
	if (m->count > 0)
		m->version++;
	m->count = 0;
}
