/* SPDX-License-Identifier: MIT */
/* window - see the header. */
#include "config.h"

#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/browse.h"
#include "tilescope/report/lives.h"
#include "tilescope/report/tile_variables.h"
#include "tilescope/report/trace.h"
#include "tilescope/report/variables.h"
#include "tilescope/view/view.h"

#include "memory_internal.h"

enum { COLUMNS_MAX = 2000 }; /* of a table: SQLite's own limit */

/* Rows at most, bytes of one, and bytes of all their texts at most. */
static const struct {
	const char *name;
	int64_t rows;
	size_t row;
	int64_t text;
} kinds[TS_WINDOW_COUNT] = {
	/* the tile that is shown, and those on the shelf */
	[TS_WINDOW_MEMORY] = {"Memory: variables", TS_TILE_VARIABLES *(1 + MEMORY_SHELF),
		sizeof(struct ts_tile_variable),
		(1 + MEMORY_SHELF) *
			((int64_t)TS_TILE_VARIABLES_TEXT + TS_TILE_VARIABLE_NAME +
				(int64_t)TS_TILE_VARIABLES * (TS_TILE_VARIABLE_SHORT + 4))},
	[TS_WINDOW_LIVENESS] = {"Liveness: alive", TS_ALIVE_MAX, sizeof(struct ts_alive_row),
		TS_PILE_LARGE},
	[TS_WINDOW_TRACE] = {"Trace: steps", TS_TRACE_WINDOW, sizeof(struct ts_trace_row),
		TS_TRACE_TEXT},
	[TS_WINDOW_VARIABLES] = {"Variables", TS_VARIABLES_WINDOW, sizeof(struct ts_variable),
		TS_VARIABLES_TEXT},
	[TS_WINDOW_TABLES] = {"Tables: rows", TS_BROWSE_WINDOW,
		COLUMNS_MAX * sizeof(struct ts_row_cell), TS_ROW_TEXT},
};

const char *
ts_window_name(enum ts_window_id id)
{
	return kinds[id].name;
}

void
ts_windows_init(struct ts_window *windows)
{
	for (int i = 0; i < TS_WINDOW_COUNT; i++) {
		windows[i].most_rows = kinds[i].rows;
		windows[i].most_bytes = kinds[i].rows * (int64_t)kinds[i].row + kinds[i].text;
	}
}

/* The rows have come, or nobody looks any more. */
static void
end_wait(struct ts_window *w, int64_t now)
{
	if (w->since_us)
		w->wait_us += now - w->since_us;
	w->since_us = 0;
	w->wanted = false;
}

void
ts_window_want(struct ts_view *v, enum ts_window_id id, const struct ts_list *list, uint64_t of,
	int64_t have_from, int64_t have_to)
{
	struct ts_window *w = &v->env->window[id];
	int64_t from, to, here;

	ts_list_window(list, &from, &to);
	if (list->count == TS_LIST_UNKNOWN) /* there may be fewer than fit */
		to = ts_clamp_i64(have_to, from, to);
	here = ts_min_i64(to, have_to) - ts_max_i64(from, have_from);
	here = ts_clamp_i64(here, 0, to - from);
	if (w->view != v || w->from != from || w->to != to || w->of != of) {
		w->hits += here;
		w->misses += to - from - here;
		w->view = v;
		w->from = from;
		w->to = to;
		w->of = of;
	}
	if (here == to - from)
		end_wait(w, ts_clock_us());
	else
		w->wanted = true;
}

void
ts_window_hold(struct ts_view *v, enum ts_window_id id, int64_t rows, int64_t bytes)
{
	v->env->window[id].rows = rows;
	v->env->window[id].bytes = bytes;
}

void
ts_window_drawn(struct ts_window *windows, const struct ts_view *view, int64_t now)
{
	for (int i = 0; i < TS_WINDOW_COUNT; i++) {
		struct ts_window *w = &windows[i];

		if (w->view != view) {
			end_wait(w, now);
		} else if (w->wanted && !w->since_us) {
			w->since_us = now;
			w->waits++;
		}
	}
}
