/* SPDX-License-Identifier: MIT */
/*
 * tables_data - what the Tables view asks of the report, and what it does with the answers.
 *
 * The order of a filter or a sort of a large table is asked for twice: first the rows that fill a few
 * screens, then all. What can be found at once is so shown at once.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables_internal.h"

#include "tilescope/base/mem.h"

enum { FIRST_ROWS = 1000, SMALL_ROWS = 200000 };

/* --- in a worker ---------------------------------------------------------------------------------- */

static enum ts_code
read_tables(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	return ts_browse_tables(&((struct tables_fetch *)fetch)->tables, rd, err);
}

static enum ts_code
read_order(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct tables_fetch *f = (struct tables_fetch *)fetch;

	return ts_browse_order_make(&f->order, rd, &f->table, &f->wish, f->limit,
		&fetch->job.progress, err);
}

static enum ts_code
read_window(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct tables_fetch *f = (struct tables_fetch *)fetch;

	return ts_browse_read(&f->window, rd, &f->table, &f->wish, f->order, f->from, f->to,
		&fetch->job.progress, err);
}

static void
fini(struct ts_fetch *fetch)
{
	struct tables_fetch *f = (struct tables_fetch *)fetch;

	ts_browse_list_fini(&f->tables);
	ts_browse_order_release(f->order);
	ts_browse_window_fini(&f->window);
}

/* --- asking --------------------------------------------------------------------------------------- */

static const struct {
	enum ts_code (*read)(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err);
	enum ts_worker_id worker;
	const char *what;
} kinds[ASK_KINDS] = {
	[ASK_TABLES] = {read_tables, TS_WORKER_SCREEN, "looking at the tables"},
	[ASK_ORDER] = {read_order, TS_WORKER_BULK, "going through the table"},
	[ASK_WINDOW] = {read_window, TS_WORKER_SCREEN, "reading rows"},
};

const struct ts_browse_table *
tables_shown(const struct tables_view *t)
{
	return t->chosen >= 0 && t->chosen < t->tables.count ? &t->tables.table[t->chosen] : NULL;
}

static struct tables_fetch *
begin(struct tables_view *t, enum tables_kind kind)
{
	struct tables_fetch *f = ts_alloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->fetch.read = kinds[kind].read;
	f->fetch.fini = fini;
	f->serial = t->serial;
	f->wish = t->wish;
	if (tables_shown(t))
		f->table = *tables_shown(t);
	return f;
}

/* Its name in the title. */
static const char *
what_order(const struct tables_view *t)
{
	if (t->wish.filter[0])
		return t->wish.sort >= 0 ? "filtering and sorting rows" : "filtering rows";
	return t->wish.sort >= 0 ? "sorting rows" : "counting rows";
}

static void
send(struct tables_view *t, enum tables_kind kind, struct tables_fetch *f)
{
	enum ts_worker_id worker = kinds[kind].worker;

	if (kind == ASK_WINDOW && !f->table.has_rowid)
		worker = TS_WORKER_BULK; /* read from the begin */
	t->fetch[kind] = &f->fetch;
	ts_fetch_send(&t->view, &f->fetch, (int)kind, worker,
		kind == ASK_ORDER ? what_order(t) : kinds[kind].what);
}

static void
leave(struct tables_view *t, enum tables_kind kind)
{
	if (t->fetch[kind])
		ts_cancel_set(&t->fetch[kind]->job.cancel);
	t->fetch[kind] = NULL;
}

static void
drop_window(struct tables_view *t)
{
	leave(t, ASK_WINDOW);
	ts_browse_window_fini(&t->window);
	t->window_there = false;
	t->asked_from = t->asked_to = -1;
}

static void
drop_order(struct tables_view *t)
{
	leave(t, ASK_ORDER);
	ts_browse_order_release(t->order);
	t->order = NULL;
	t->whole = t->order_failed = false;
}

/* What is shown is another thing now. */
static void
begin_anew(struct tables_view *t)
{
	t->serial++;
	drop_window(t);
	drop_order(t);
	t->rows = (struct ts_pane_data){0};
	t->rows.state = TS_PANE_LOADING;
}

/* The names that are shown are the report's. */
static void
hold(struct tables_view *t, struct ts_report *r)
{
	if (r)
		ts_report_hold(r);
	ts_report_close(t->report);
	t->report = r;
}

void
tables_drop(struct tables_view *t)
{
	begin_anew(t);
	leave(t, ASK_TABLES);
	ts_browse_list_fini(&t->tables);
	free(t->columns);
	t->columns = NULL;
	t->chosen = -1;
	t->data.state = TS_PANE_EMPTY;
	ts_grid_set(&t->grid, NULL, 0);
	ts_list_set_count(&t->list, 0);
	hold(t, NULL);
}

void
tables_wish(struct tables_view *t, const struct ts_browse_wish *wish)
{
	const struct ts_browse_table *table = tables_shown(t);
	bool plain = !wish->filter[0] && wish->sort < 0;

	if (!table)
		return;
	t->wish = *wish;
	begin_anew(t);
	t->by_order = table->has_rowid && !plain;
	t->grid.sorted = wish->sort;
	t->grid.descending = wish->descending;
	ts_list_set_count(&t->grid.list,
		!table->has_rowid ? TS_LIST_UNKNOWN
			: plain	  ? ts_min_i64(table->estimate, TS_LIST_MAX)
				  : 0);
	ts_list_go(&t->grid.list, 0);
	t->grid.skip = 0;
	if (t->grid.list.count == 0 && !t->by_order)
		t->rows.state = TS_PANE_READY;
}

void
tables_choose(struct tables_view *t, int table)
{
	static const struct ts_browse_wish plain = {.sort = -1};
	const struct ts_object *o;

	if (table == t->chosen || table < 0 || table >= t->tables.count)
		return;
	t->chosen = table;
	o = t->tables.table[table].object;
	free(t->columns);
	t->columns = ts_alloc((size_t)o->column_count, sizeof(*t->columns));
	for (int i = 0; t->columns && i < o->column_count; i++) {
		t->columns[i].name = o->column[i].name;
		t->columns[i].type = o->column[i].type;
	}
	ts_grid_set(&t->grid, t->columns, t->columns ? o->column_count : 0);
	tables_wish(t, &plain);
}

bool
tables_row(void *ctx, int64_t position, const struct ts_row_block **block, int *row)
{
	const struct tables_view *t = ctx;

	if (!t->window_there || position < t->window_from ||
		position - t->window_from >= t->window.block.rows)
		return false;
	*block = &t->window.block;
	*row = (int)(position - t->window_from);
	return true;
}

static void
ask_order(struct tables_view *t)
{
	struct tables_fetch *f;

	if (!t->by_order || t->whole || t->order_failed || t->fetch[ASK_ORDER])
		return;
	f = begin(t, ASK_ORDER);
	if (!f)
		return;
	f->limit = t->order || f->table.estimate < SMALL_ROWS ? 0 : FIRST_ROWS;
	send(t, ASK_ORDER, f);
}

/* Rows of a window: fewer where there are many columns. */
static int64_t
most_rows(const struct tables_view *t)
{
	int columns = tables_shown(t)->object->column_count;

	return ts_min_i64(TS_BROWSE_WINDOW, TS_BROWSE_VALUES / (columns > 0 ? columns : 1));
}

static void
ask_window(struct tables_view *t)
{
	const struct tables_fetch *under_way = (struct tables_fetch *)t->fetch[ASK_WINDOW];
	struct tables_fetch *f;
	int64_t from, to, have_from = t->window_there ? t->window_from : 0;
	int64_t have_to = t->window_there ? have_from + t->window.block.rows : 0, ignore;

	if (t->grid.list.rows > 0)
		ts_window_want(&t->view, TS_WINDOW_TABLES, &t->grid.list, (uint64_t)t->serial,
			have_from, have_to);
	if (t->grid.list.rows <= 0 || t->grid.list.count == 0 || (t->by_order && !t->order) ||
		t->rows.state == TS_PANE_FAILED ||
		ts_list_enough(&t->grid.list, have_from, have_to, &from, &to))
		return;
	if (to - from >
		most_rows(t)) { /* what is in sight, and as much around it as there is room for */
		int64_t room = ts_max_i64(most_rows(t) - t->grid.list.rows, 0);

		from = ts_max_i64(from, t->grid.list.top - room / 2);
		to = ts_min_i64(to, from + ts_max_i64(most_rows(t), t->grid.list.rows));
	}
	to = ts_min_i64(to, from + TS_BROWSE_WINDOW);
	if (from >= to || (from == t->asked_from && to == t->asked_to))
		return;
	if (under_way && under_way->serial == t->serial &&
		((under_way->from == from && under_way->to == to) ||
			ts_list_enough(&t->grid.list, under_way->from, under_way->to, &ignore,
				&ignore)))
		return;
	f = begin(t, ASK_WINDOW);
	if (!f)
		return;
	f->order = ts_browse_order_hold(t->order);
	f->from = from;
	f->to = to;
	send(t, ASK_WINDOW, f);
}

void
tables_request(struct ts_view *v)
{
	struct tables_view *t = (struct tables_view *)v;
	struct tables_fetch *f;

	if (t->data.state == TS_PANE_EMPTY) {
		f = begin(t, ASK_TABLES);
		if (!f)
			return;
		t->data.state = TS_PANE_LOADING;
		send(t, ASK_TABLES, f);
		return;
	}
	if (!ts_pane_has(&t->data))
		return;
	if (t->tables.count > 0)
		tables_choose(t, (int)t->list.cursor);
	if (!tables_shown(t))
		return;
	ask_order(t);
	ask_window(t);
}

/* --- answers -------------------------------------------------------------------------------------- */

/* The table that was shown before a reload, else the first that something is bound to. */
static int
first_choice(const struct tables_view *t)
{
	int bound = 0;

	for (int i = t->tables.count - 1; i >= 0; i--) {
		if (t->tables.table[i].relation)
			bound = i;
		if (t->kept_name && strcmp(t->tables.table[i].object->name, t->kept_name) == 0)
			return i;
	}
	return bound;
}

static enum ts_effect
take_tables(struct tables_view *t, struct tables_fetch *f)
{
	ts_pane_result(&t->data, f->fetch.code, &f->fetch.err, false);
	if (f->fetch.code)
		return TS_EFFECT_REPAINT;
	hold(t, f->fetch.report);
	t->tables = f->tables;
	f->tables = (struct ts_browse_list){0};
	t->name_width = 0;
	for (int i = 0; i < t->tables.count; i++)
		t->name_width = (int)ts_max_i64(t->name_width,
			(int64_t)strlen(t->tables.table[i].object->name));
	ts_list_set_count(&t->list, t->tables.count);
	ts_list_jump(&t->list, first_choice(t));
	tables_choose(t, (int)t->list.cursor);
	if (t->kept_name && tables_shown(t) &&
		strcmp(tables_shown(t)->object->name, t->kept_name) == 0)
		ts_list_jump(&t->grid.list, t->kept_row);
	free(t->kept_name);
	t->kept_name = NULL;
	tables_layout(t);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

static void
stopped(struct tables_view *t)
{
	snprintf(t->rows.reason, sizeof(t->rows.reason), "stopped");
	if (t->rows.state == TS_PANE_LOADING)
		t->rows.state = TS_PANE_PARTIAL;
}

static enum ts_effect
take_order(struct tables_view *t, struct tables_fetch *f)
{
	bool first = t->order == NULL;

	if (!f->order) {
		t->order_failed = true;
		if (f->fetch.code == TS_E_CANCELLED)
			stopped(t);
		else
			ts_pane_result(&t->rows, f->fetch.code, &f->fetch.err, t->order != NULL);
		return TS_EFFECT_REPAINT;
	}
	ts_browse_order_release(t->order);
	t->order = f->order;
	f->order = NULL;
	t->whole = !t->order->cut || f->limit == 0;
	if (f->fetch.code)
		ts_pane_result(&t->rows, f->fetch.code, &f->fetch.err, true);
	else
		t->rows.state = TS_PANE_READY;
	if (t->order->stride > 1 && !f->fetch.code)
		t->tables.table[t->chosen].counted = t->order->count;
	if (first)
		drop_window(t);
	ts_list_set_count(&t->grid.list, t->order->count);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

/* Row ids have gaps: rows are counted before they are shown. */
static void
count_rows(struct tables_view *t)
{
	drop_window(t);
	drop_order(t);
	t->by_order = true;
	t->rows.state = TS_PANE_LOADING;
}

static enum ts_effect
take_window(struct tables_view *t, struct tables_fetch *f)
{
	int64_t behind = f->from + f->window.block.rows;

	t->asked_from = f->from;
	t->asked_to = f->to;
	if (f->fetch.code == TS_E_CANCELLED) {
		stopped(t);
		return TS_EFFECT_REPAINT;
	}
	if (f->window.gap && !t->by_order) {
		count_rows(t);
		return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
	}
	ts_browse_window_fini(&t->window);
	t->window = f->window;
	f->window = (struct ts_browse_window){0};
	t->window_from = f->from;
	t->window_there = true;
	ts_window_hold(&t->view, TS_WINDOW_TABLES, t->window.block.rows,
		(int64_t)t->window.block.rows * t->window.block.columns *
				(int64_t)sizeof(*t->window.block.cell) +
			(int64_t)t->window.block.text.len);
	if (f->fetch.code || t->rows.state != TS_PANE_PARTIAL)
		ts_pane_result(&t->rows, f->fetch.code, &f->fetch.err, t->window.block.rows > 0);
	if (t->grid.list.count == TS_LIST_UNKNOWN &&
		(t->window.ended || (f->fetch.code && behind > f->from)))
		ts_list_set_count(&t->grid.list, behind);
	ts_grid_measure(&t->grid, &t->window.block);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

static enum ts_effect (*const take[ASK_KINDS])(struct tables_view *t, struct tables_fetch *f) = {
	[ASK_TABLES] = take_tables,
	[ASK_ORDER] = take_order,
	[ASK_WINDOW] = take_window,
};

enum ts_effect
tables_deliver(struct ts_view *v, struct ts_fetch *fetch)
{
	struct tables_view *t = (struct tables_view *)v;
	struct tables_fetch *f = (struct tables_fetch *)fetch;
	int kind = fetch->job.kind;

	if (kind < 0 || kind >= ASK_KINDS || t->fetch[kind] != fetch)
		return TS_EFFECT_NONE;
	t->fetch[kind] = NULL;
	if (fetch->job.generation != v->env->generation ||
		(kind != ASK_TABLES && f->serial != t->serial))
		return TS_EFFECT_NONE;
	if (fetch->job.dropped) { /* C-c before it began */
		fetch->code = TS_E_CANCELLED;
		ts_err_set(&fetch->err, TS_E_CANCELLED, "cancelled");
	}
	return take[kind](t, f);
}
