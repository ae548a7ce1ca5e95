/* SPDX-License-Identifier: MIT */
/* shown - see the header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/shown.h"

void
ts_shown_begin(struct ts_shown *s, int w, int h)
{
	if (s->w == w && s->h == h)
		return;
	ts_shown_fini(s);
	if (w <= 0 || h <= 0)
		return;
	s->cell = ts_alloc((size_t)h, sizeof(*s->cell) * (size_t)w);
	s->known = ts_alloc((size_t)h, sizeof(*s->known));
	if (!s->cell || !s->known) {
		ts_shown_fini(s);
		return;
	}
	s->w = w;
	s->h = h;
}

bool
ts_shown_is(struct ts_shown *s, int y, const struct ts_shown_cell *row)
{
	size_t size = sizeof(*row) * (size_t)s->w;
	struct ts_shown_cell *was;

	if (y < 0 || y >= s->h)
		return false;
	was = s->cell + (size_t)y * (size_t)s->w;
	if (s->known[y] && memcmp(was, row, size) == 0)
		return true;
	memcpy(was, row, size);
	s->known[y] = true;
	return false;
}

void
ts_shown_forget(struct ts_shown *s)
{
	for (int y = 0; y < s->h; y++)
		s->known[y] = false;
}

void
ts_shown_fini(struct ts_shown *s)
{
	free(s->cell);
	free(s->known);
	*s = (struct ts_shown){0};
}
