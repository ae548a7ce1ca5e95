/* SPDX-License-Identifier: MIT */
/* selection - see the header. */
#include "config.h"

#include <stdio.h>

#include "tilescope/view/selection.h"

void
ts_select_tiles(struct ts_selection *s, struct ts_tile_set *set, const char *text)
{
	struct ts_selected_tiles *t = &s->tiles;

	ts_tile_set_fini(&t->set);
	t->set = *set;
	*set = (struct ts_tile_set){0};
	t->count = ts_tile_set_count(&t->set);
	t->version++;
	if (text)
		snprintf(t->text, sizeof(t->text), "%s", text);
	else if (!ts_tile_set_print(t->text, sizeof(t->text), &t->set))
		t->text[0] = '\0';
}

void
ts_select_no_tiles(struct ts_selection *s)
{
	struct ts_tile_set none = {0};

	ts_select_tiles(s, &none, NULL);
}
