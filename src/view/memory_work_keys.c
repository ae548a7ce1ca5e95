/* SPDX-License-Identifier: MIT */
/*
 * memory_work_keys - the lines of the tabs Compute sets, Vertices and Exchanges, and what keys do with them.
 *
 * Vertices are rolled up by family: a line for each, with its types below it where it is unfolded. An order, a filter
 * and a search are of all types.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "memory_work.h"

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

static struct memory_view *
memory_of(const struct ts_tab *t)
{
	return t->host;
}

static struct work_tab *
work_of(const struct ts_tab *t)
{
	return t->own;
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Families with the types of those that are unfolded; or all rows as they are. */
void
memory_work_lines(struct work_tab *w)
{
	const struct ts_tile_work *k = &w->work;
	size_t most = k->count + k->families;

	free(w->line);
	w->line = w->ask.here && most > 0 ? ts_alloc(most, sizeof(*w->line)) : NULL;
	w->lines = 0;
	if (!w->line)
		return;
	if (!memory_work_rolled(w)) {
		for (size_t i = 0; i < k->count; i++)
			w->line[w->lines++] = (int64_t)i;
		return;
	}
	for (size_t f = 0; f < k->families; f++) {
		size_t end = f + 1 < k->families ? k->family[f + 1].family : k->count;

		w->line[w->lines++] = WORK_FAMILY - (int64_t)f;
		for (size_t i = k->family[f].family; i < end && w->unfolded == (int64_t)f; i++)
			w->line[w->lines++] = (int64_t)i;
	}
}

/* The rows have changed: those that pass the filter, in the order that was asked for. */
void
memory_work_order(struct ts_tab *t)
{
	struct work_tab *w = work_of(t);
	struct ts_table table = memory_work_table(t);

	if (table.order)
		ts_table_order_make(&w->order, &table, &w->list, w->lines, w->data);
	else
		ts_list_set_count(&w->list, w->lines);
}

const struct ts_work_row *
memory_work_row(const struct work_tab *w, int64_t line)
{
	int64_t i;

	if (line < 0 || line >= w->lines)
		return NULL;
	i = w->line[line];
	return i <= WORK_FAMILY ? &w->work.family[WORK_FAMILY - i] : &w->work.row[i];
}

bool
memory_work_is_family(const struct work_tab *w, int64_t line)
{
	return line >= 0 && line < w->lines && w->line[line] <= WORK_FAMILY;
}

const struct ts_work_row *
memory_work_at_cursor(struct ts_tab *t)
{
	struct work_tab *w = work_of(t);
	struct ts_table table = memory_work_table(t);

	return w->lines > 0 && w->list.count > 0
		? memory_work_row(w, ts_table_row(&table, w->list.cursor))
		: NULL;
}

/* --- commands --------------------------------------------------------------------------------- */

static enum ts_effect
refold(struct ts_tab *t, bool flat, int64_t unfolded)
{
	struct work_tab *w = work_of(t);

	if (w->kind != TS_WORK_VERTICES)
		return TS_EFFECT_UNKNOWN;
	if (!flat && w->flat) { /* families have one order, and all of them are shown */
		ts_table_order_fini(&w->order);
		ts_table_order_init(&w->order);
	}
	w->flat = flat;
	w->unfolded = unfolded;
	w->data++;
	memory_work_lines(w);
	memory_work_order(t);
	return TS_EFFECT_REPAINT;
}

/* Enter on a family: its types below it, or away again; on a type: back to its family. */
static enum ts_effect
unfold(struct ts_tab *t, enum ts_cmd cmd)
{
	struct work_tab *w = work_of(t);
	int64_t line = w->list.cursor, family;
	enum ts_effect effect;

	if (!memory_work_rolled(w) || line >= w->lines)
		return TS_EFFECT_UNKNOWN;
	family = memory_work_is_family(w, line) ? WORK_FAMILY - w->line[line]
						: (int64_t)memory_work_row(w, line)->family;
	if (cmd == TS_CMD_RIGHT && w->unfolded == family)
		return TS_EFFECT_UNKNOWN;
	if (cmd == TS_CMD_LEFT && w->unfolded != family)
		return TS_EFFECT_UNKNOWN;
	effect = refold(t, false, w->unfolded == family ? -1 : family);
	for (line = 0; line < w->lines; line++)
		if (w->line[line] == WORK_FAMILY - family)
			ts_list_go(&w->list, line);
	return effect;
}

static bool
is_hit(const struct ts_tab *t, int64_t line, const char *needle)
{
	const struct work_tab *w = work_of(t);
	const struct ts_work_row *r = memory_work_row(w, line);

	return r &&
		(ts_contains_nocase(ts_work_said(&w->work, r), needle) ||
			ts_contains_nocase(ts_work_name(&w->work, r), needle));
}

/* Folded types are searched, too. */
static enum ts_effect
search(struct ts_tab *t, const struct ts_call *call)
{
	struct work_tab *w = work_of(t);
	struct ts_table table;

	if (memory_work_rolled(w) && (ts_call_arg(call, 0) || memory_of(t)->search[0]))
		refold(t, true, -1);
	table = memory_work_table(t);
	return memory_search_rows(t, &w->list, &table, call, is_hit);
}

enum ts_effect
memory_work_command(struct ts_tab *t, const struct ts_call *call)
{
	struct work_tab *w = work_of(t);
	enum ts_effect effect = TS_EFFECT_UNKNOWN;

	memory_work_order(t);
	switch (call->cmd) {
	case TS_CMD_SEARCH:
	case TS_CMD_SEARCH_BACK:
	case TS_CMD_SEARCH_NEXT:
	case TS_CMD_SEARCH_PREVIOUS:
		return search(t, call);
	case TS_CMD_UNFOLD:
	case TS_CMD_FOLD:
		return refold(t, call->cmd == TS_CMD_UNFOLD, -1);
	case TS_CMD_SORT:
	case TS_CMD_SORT_REVERSE:
	case TS_CMD_FILTER:
		refold(t, true, -1); /* a roll-up has one order */
		return TS_EFFECT_UNKNOWN;
	case TS_CMD_OPEN:
	case TS_CMD_RIGHT:
	case TS_CMD_LEFT:
		effect = unfold(t, call->cmd);
		break;
	default:
		break;
	}
	if (effect & TS_EFFECT_UNKNOWN) {
		effect = ts_list_command(&w->list, call->cmd);
		effect = (enum ts_effect)((int)effect & ~TS_EFFECT_SELECT);
	}
	return effect;
}
