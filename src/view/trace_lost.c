/* SPDX-License-Identifier: MIT */
/*
 * trace_lost - the tab that ranks compute sets by the tile-cycles that are lost in them while tiles wait for the slowest
 * one, and says what of the runs an even spread of the cycles would save (report/tile_loss.h).
 *
 * Read when the tab is shown, once for a report. Enter looks for the compute set's steps.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/tile_loss.h"
#include "tilescope/view/explain_common.h"
#include "tilescope/view/held_list.h"
#include "tilescope/view/sheet.h"

struct lost_fetch {
	struct ts_fetch f;	/* first */
	struct ts_trace *trace; /* held */
	const struct ts_cache *cache;
	struct ts_tile_loss loss;
};

struct lost_tab {
	struct ts_held_list l; /* first */
	struct ts_pane_data pane;
	struct ts_fetch *sent;
	bool asked, has;
	struct ts_tile_loss loss;
	struct ts_rect body, total;
};

enum {
	L_NAME,
	L_LOST,
	L_SAVES,
	L_RUNS,
	L_CYCLES,
	L_BALANCE,
	L_ACTIVE,
	L_IPU,
	L_SLOWEST,
	L_ONCE,
	L_KNOWN,
	L_ID,
	L_COUNT
};

static const struct ts_column columns[L_COUNT] = {
	{"compute set", 16, 110, 1, 0, TS_FIELD_TAIL},
	{"lost", 9, 0, 0, 0, TS_FIELD_RIGHT},
	{"saves", 6, 0, 0, 0, TS_FIELD_RIGHT},
	{"runs", 7, 0, 0, 1, TS_FIELD_RIGHT},
	{"cycles", 9, 0, 0, 3, TS_FIELD_RIGHT},
	{"bal.", 6, 0, 0, 2, TS_FIELD_RIGHT},
	{"tiles", 7, 0, 0, 4, TS_FIELD_RIGHT},
	{"ipu", 4, 0, 0, 6, TS_FIELD_RIGHT},
	{"slowest", 8, 0, 0, 5, TS_FIELD_RIGHT},
	{"once", 8, 0, 0, 8, TS_FIELD_RIGHT},
	{"known", 9, 0, 0, 7, TS_FIELD_ELLIPSIS},
	{"id", 6, 0, 0, 9, TS_FIELD_RIGHT},
};

static const struct ts_column_facts facts[L_COUNT] = {
	{"compute_set", NULL, TS_SUM_COUNT, false},
	{"lost", "tile-cycles", TS_SUM_COUNT, false},
	{"saves", "%", TS_SUM_NONE, false},
	{"executions", NULL, TS_SUM_COUNT, false},
	{"cycles", "cycles", TS_SUM_NONE, false},
	{"balance", "%", TS_SUM_NONE, false},
	{"tiles", "tiles", TS_SUM_NONE, false},
	{"ipu", NULL, TS_SUM_NONE, false},
	{"slowest", NULL, TS_SUM_NONE, false},
	{"once", "tile-cycles", TS_SUM_NONE, false},
	{"known", NULL, TS_SUM_NONE, false},
	{"id", NULL, TS_SUM_NONE, true},
};

static const struct ts_loss_row *
row_at(const struct lost_tab *t, int64_t i)
{
	return t->has && i >= 0 && (size_t)i < t->loss.count ? &t->loss.row[i] : NULL;
}

static const char *
name_of(const struct lost_tab *t, const struct ts_loss_row *row, char *buf, size_t size)
{
	if (row->name)
		return t->loss.text.s + row->name;
	snprintf(buf, size, "compute set %lld", (long long)row->compute_set);
	return buf;
}

static enum ts_mark
mark_of(const struct ts_loss_row *row)
{
	return row->estimated ? TS_MARK_ESTIMATED : TS_MARK_REPEATED;
}

/* A figure as it is, and as it stands in the table. */
static int64_t
number_of(const struct ts_loss_row *row, int column)
{
	switch (column) {
	case L_LOST:
		return row->lost;
	case L_RUNS:
		return row->executions;
	case L_CYCLES:
		return row->most;
	case L_ACTIVE:
		return row->active;
	case L_IPU:
		return row->ipu;
	case L_SLOWEST:
		return row->slowest;
	case L_ONCE:
		return row->lost_once;
	default:
		return row->compute_set;
	}
}

static double
balance_of(const struct ts_loss_row *row)
{
	return (double)row->sum / ((double)row->most * (double)row->tiles);
}

static bool
lost_cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct lost_tab *t = ctx;
	const struct ts_loss_row *row = row_at(t, i);
	int64_t v;

	if (!row)
		return false;
	out->role = column == L_LOST || column == L_SAVES ? TS_ROLE_VALUE : TS_ROLE_TEXT;
	out->s = out->buf;
	v = number_of(row, column);
	switch (column) {
	case L_NAME:
		out->s = name_of(t, row, out->buf, sizeof(out->buf));
		break;
	case L_SAVES:
		if (ts_loss_share(&t->loss, row) >= 0)
			ts_fmt_percent(out->buf, (double)row->saves, (double)t->loss.span);
		break;
	case L_BALANCE:
		ts_fmt_percent(out->buf, balance_of(row), 1);
		break;
	case L_KNOWN:
		out->s = ts_mark_word(mark_of(row));
		break;
	case L_LOST:
	case L_CYCLES:
	case L_ONCE:
		if (v >= 0)
			ts_fmt_cycles_short(out->buf, v);
		break;
	case L_SLOWEST:
		if (v >= 0)
			ts_fmt_number(out->buf, v);
		break;
	default:
		if (v >= 0)
			ts_fmt_count(out->buf, v);
	}
	return true;
}

static bool
lost_value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct lost_tab *t = ctx;
	const struct ts_loss_row *row = row_at(t, i);

	if (!row)
		return false;
	switch (column) {
	case L_NAME:
		ts_table_value_text(out, name_of(t, row, out->buf, sizeof(out->buf)));
		break;
	case L_SAVES:
		if (ts_loss_share(&t->loss, row) >= 0)
			ts_table_value_real(out, 100 * ts_loss_share(&t->loss, row));
		break;
	case L_BALANCE:
		ts_table_value_real(out, 100 * balance_of(row));
		break;
	case L_KNOWN:
		ts_table_value_text(out, ts_mark_word(mark_of(row)));
		break;
	default:
		ts_table_value_known(out, number_of(row, column));
	}
	return true;
}

static const struct ts_held_table lost_table = {.id = "trace.lost",
	.column = columns,
	.facts = facts,
	.columns = L_COUNT,
	.cell = lost_cell,
	.value = lost_value,
	.empty = "no compute set records cycles by tile"};

/* --- asking ------------------------------------------------------------------------------------- */

static enum ts_code
read_lost(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct lost_fetch *l = (struct lost_fetch *)f;

	return ts_tile_loss_read(&l->loss, rd, l->trace, l->cache, &f->job.progress, err);
}

static void
fini_lost(struct ts_fetch *f)
{
	struct lost_fetch *l = (struct lost_fetch *)f;

	ts_trace_release(l->trace);
	ts_tile_loss_fini(&l->loss);
}

static void
lost_request(struct ts_tab *tab)
{
	struct lost_tab *t = tab->own;
	struct trace_view *v = tab->host;
	struct lost_fetch *f;

	if (t->asked || !v->trace)
		return;
	f = ts_alloc(1, sizeof(*f));
	if (!f)
		return;
	f->f.read = read_lost;
	f->f.fini = fini_lost;
	f->trace = ts_trace_hold(v->trace);
	f->cache = tab->view->env->cache;
	tab->view->env->wanted |= ts_section_bit(TS_SECTION_RUNS);
	t->asked = true;
	t->sent = &f->f;
	t->pane.state = TS_PANE_LOADING;
	ts_fetch_send(tab->view, &f->f, tab->kind, TS_WORKER_BULK, "adding up lost tile-cycles");
}

static enum ts_effect
lost_deliver(struct ts_tab *tab, struct ts_fetch *f)
{
	struct lost_tab *t = tab->own;
	struct lost_fetch *answer = (struct lost_fetch *)f;

	if (t->sent != f)
		return TS_EFFECT_NONE;
	t->sent = NULL;
	if (ts_fetch_in_vain(f, tab->view->env->generation)) {
		t->pane.state = TS_PANE_FAILED;
		snprintf(t->pane.reason, sizeof(t->pane.reason),
			"it was stopped; reload to try again");
		return TS_EFFECT_REPAINT;
	}
	t->loss = answer->loss;
	memset(&answer->loss, 0, sizeof(answer->loss));
	t->has = !f->code || f->code == TS_E_DAMAGED;
	t->l.of++;
	ts_pane_result(&t->pane, f->code, &f->err, t->has);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* --- as a tab ------------------------------------------------------------------------------------ */

static bool
lost_open(struct ts_tab *tab)
{
	struct lost_tab *t = ts_alloc(1, sizeof(*t));

	if (!t)
		return false;
	t->pane.absent = TS_ABSENT_TILE_CYCLES;
	ts_held_list_init(&t->l, L_LOST);
	tab->own = t;
	return true;
}

static void
lost_drop(struct ts_tab *tab)
{
	struct lost_tab *t = tab->own;

	ts_tile_loss_fini(&t->loss);
	t->has = t->asked = false;
	t->sent = NULL;
	t->l.of++;
	t->pane.state = TS_PANE_EMPTY;
}

static void
lost_close(struct ts_tab *tab)
{
	lost_drop(tab);
	ts_held_list_fini(&((struct lost_tab *)tab->own)->l);
	free(tab->own);
}

static bool
lost_absent(const struct ts_tab *tab)
{
	return ((const struct lost_tab *)tab->own)->pane.state == TS_PANE_ABSENT;
}

static bool
lost_hidden(const struct ts_tab *tab)
{
	const struct ts_report *r = tab->view->env->report;

	return r && !ts_tile_loss_recorded(r);
}

static void
begin(struct lost_tab *t, const struct ts_tab *tab)
{
	t->body = tab->r;
	t->total = ts_rect_cut_bottom(&t->body, tab->r.h >= 3);
	ts_held_list_begin(&t->l, tab, &lost_table, t->body, t->has ? (int64_t)t->loss.count : 0);
}

static void
lost_resize(struct ts_tab *tab)
{
	begin(tab->own, tab);
}

static void
lost_note(const struct ts_tab *tab, char out[TS_TAB_NOTE])
{
	const struct lost_tab *t = tab->own;
	char n[TS_FMT_MAX], saves[TS_FMT_MAX];
	const struct ts_loss_row *row = row_at(t, 0);

	if (row && ts_loss_share(&t->loss, row) >= 0)
		snprintf(out, TS_TAB_NOTE, "the first saves %s",
			ts_fmt_percent(saves, (double)row->saves, (double)t->loss.span));
	else if (t->has)
		snprintf(out, TS_TAB_NOTE, "%s compute sets",
			ts_fmt_count(n, (int64_t)t->loss.count));
}

static void
draw_total(struct ts_canvas *c, const struct lost_tab *t)
{
	const struct ts_tile_loss *l = &t->loss;
	char n[TS_FMT_MAX], m[TS_FMT_MAX];
	struct ts_strbuf text;

	ts_strbuf_init(&text, 400);
	if (l->lost == TS_UNKNOWN)
		ts_strbuf_printf(&text, "%s compute set%s", ts_fmt_count(n, (int64_t)l->count),
			l->count == 1 ? "" : "s");
	else
		ts_strbuf_printf(&text, "%s tile-cycles lost in %s compute set%s",
			ts_fmt_cycles_short(n, l->lost), ts_fmt_count(m, (int64_t)l->count),
			l->count == 1 ? "" : "s");
	if (l->partial || l->cut || l->bad_rows > 0)
		ts_strbuf_puts(&text, "; not all could be read");
	if (t->l.order.filtered)
		ts_strbuf_printf(&text, "; %s of %s match",
			ts_fmt_cycles_short(n, (int64_t)t->l.order.sum[L_LOST]),
			ts_fmt_count(m, t->l.list.count));
	ts_strbuf_printf(&text, ", %s", ts_mark_note(l->mark));
	if (l->lacking > 0)
		ts_strbuf_printf(&text, "; %s more not by tile", ts_fmt_count(n, l->lacking));
	if (l->one_tile)
		ts_strbuf_puts(&text, "; measured on one tile of an IPU only");
	ts_canvas_fill(c, t->total, TS_ROLE_TOTAL, ' ');
	ts_canvas_field(c, t->total, 0, 0, t->total.w, TS_ROLE_TOTAL, text.s, text.len,
		TS_FIELD_CLAUSES);
	ts_strbuf_fini(&text);
}

static void
lost_draw(struct ts_tab *tab, struct ts_canvas *c, bool focus)
{
	struct lost_tab *t = tab->own;

	(void)focus;
	if (!t->has) {
		ts_pane_draw(c, tab->r, tab->view->env, &t->pane);
		return;
	}
	begin(t, tab);
	ts_held_list_draw(&t->l, c, t->body);
	draw_total(c, t);
}

/* Enter: look for steps of that name. */
static enum ts_effect
go_to_steps(struct ts_tab *tab, const struct ts_loss_row *row)
{
	const struct lost_tab *t = tab->own;

	if (!row || !row->name || strlen(t->loss.text.s + row->name) >= TS_TRACE_NEEDLE) {
		ts_view_say(tab->view->env, "this compute set has no name to look for");
		return TS_EFFECT_BELL;
	}
	trace_search_begin(tab->host, t->loss.text.s + row->name, 1);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static enum ts_effect
lost_command(struct ts_tab *tab, const struct ts_call *call)
{
	struct lost_tab *t = tab->own;

	begin(t, tab);
	if (call->cmd == TS_CMD_OPEN && !ts_call_arg(call, 0) && t->has)
		return go_to_steps(tab, row_at(t, ts_held_list_row(&t->l)));
	return ts_held_list_command(&t->l, tab, call);
}

static enum ts_effect
lost_mouse(struct ts_tab *tab, int x, int y, int wheel)
{
	struct lost_tab *t = tab->own;

	(void)x;
	begin(t, tab);
	return ts_held_list_mouse(&t->l, t->body, y, wheel);
}

static bool
lost_about(const struct ts_tab *tab, struct ts_debug_about *out)
{
	const struct lost_tab *t = tab->own;
	const struct ts_loss_row *row = row_at(t, t->has ? ts_held_list_row(&t->l) : -1);

	if (!row)
		return false;
	*out = (struct ts_debug_about){.relation = TS_COMPUTE_SET,
		.key = row->compute_set,
		.what = "compute set"};
	return true;
}

static void
lost_object(const struct ts_tab *tab, struct ts_at_cursor *out)
{
	const struct lost_tab *t = tab->own;
	const struct ts_loss_row *row = row_at(t, t->has ? ts_held_list_row(&t->l) : -1);

	if (!row)
		return;
	out->compute_set = row->compute_set;
	out->ipu = row->ipu;
	out->tile = row->slowest;
}

static struct ts_list *
lost_list(struct ts_tab *tab, bool *there)
{
	struct lost_tab *t = tab->own;

	*there = t->has;
	return &t->l.list;
}

static bool
lost_sheet(struct ts_tab *tab, struct ts_sheet *out)
{
	struct lost_tab *t = tab->own;

	if (!t->has)
		return false;
	begin(t, tab);
	snprintf(out->title, sizeof(out->title), "Lost tile-cycles by compute set");
	out->table = t->l.table;
	out->list = &t->l.list;
	out->rows = t->l.order.rows;
	return true;
}

/* --- what the figures are -------------------------------------------------------------------------- */

/* How often it is executed, in SQL. */
static void
executions_sql(char *out, size_t size, const struct ts_tab *tab, int64_t set)
{
	bool by_program = ts_report_has_column(tab->view->env->report, TS_PROGRAM,
		TS_PROGRAM_COMPUTE_SET);

	snprintf(out, size,
		by_program
			? "(SELECT count(*) FROM step s LEFT JOIN program p USING (program) WHERE "
			  "coalesce(s.compute_set, p.compute_set) = %lld)"
			: "(SELECT count(*) FROM step WHERE compute_set = %lld)",
		(long long)set);
}

static void
explain_row(const struct ts_tab *tab, struct ts_explain *out, const struct ts_loss_row *row)
{
	const struct lost_tab *t = tab->own;
	const char *column = row->estimated ? "estimated_cycles_by_tile" : "cycles_by_tile";
	char name[TS_EXPLAIN_TITLE / 2], times[300], n[TS_FMT_MAX];
	struct ts_explained *x;

	executions_sql(times, sizeof(times), tab, row->compute_set);
	x = ts_explain_add(out, "tile-cycles lost in %s", name_of(t, row, name, sizeof(name)));
	ts_explain_integer(x, row->lost, "tile-cycles");
	ts_explain_shown(x, "%s", ts_fmt_cycles_short(n, ts_max_i64(row->lost, 0)));
	ts_explain_from(x, ts_known_of_mark(mark_of(row)), "compute_set.%s, step", column);
	ts_explain_formula(x,
		"executions x (tiles x cycles of the slowest - cycles of all), of each IPU that runs it: "
		"%lld x (%lld x %lld - %lld) on IPU %lld%s",
		(long long)row->executions, (long long)row->tiles, (long long)row->most,
		(long long)row->sum, (long long)row->ipu, row->single ? "" : ", and others");
	ts_explain_note(x, "%s", ts_mark_sentence(mark_of(row)));
	if (row->single && row->lost != TS_UNKNOWN)
		ts_explain_query(x,
			"SELECT %s * (%lld * tile_max(%s) - tile_sum(%s)) FROM compute_set WHERE "
			"compute_set = %lld",
			times, (long long)row->tiles, column, column, (long long)row->compute_set);
	x = ts_explain_add(out, "cycles that perfect balance of it saves");
	ts_explain_integer(x, row->saves, "cycles");
	ts_explain_from(x, ts_known_of_mark(mark_of(row)), "compute_set.%s, step", column);
	ts_explain_formula(x,
		"executions x (slowest - mean of the tiles), on IPU %lld: %lld x (%lld - %lld / %lld)",
		(long long)row->ipu, (long long)row->executions, (long long)row->most,
		(long long)row->sum, (long long)row->tiles);
	if (row->single && row->saves != TS_UNKNOWN)
		ts_explain_query(x,
			"SELECT %s * (%lld * tile_max(%s) - tile_sum(%s)) / %lld FROM compute_set WHERE "
			"compute_set = %lld",
			times, (long long)row->tiles, column, column, (long long)row->tiles,
			(long long)row->compute_set);
	x = ts_explain_add(out, "what of the %s that is", t->loss.runs > 0 ? "runs" : "trace");
	ts_explain_real(x, 100 * ts_loss_share(&t->loss, row), "%");
	ts_explain_from(x, ts_known_of_mark(mark_of(row)), "the same; run, step_ipu");
	ts_explain_formula(x, "100 x %lld / %lld cycles of %s", (long long)row->saves,
		(long long)t->loss.span, t->loss.runs > 0 ? "all runs" : "the trace");
	ts_explain_note(x, "When a run begins and ends is looked up step by step: no query.");
}

static void
lost_explain(struct ts_tab *tab, struct ts_explain *out)
{
	const struct lost_tab *t = tab->own;
	const struct ts_loss_row *row = row_at(t, t->has ? ts_held_list_row(&t->l) : -1);

	if (row)
		explain_row(tab, out, row);
}

static const struct ts_hint hints[] = {
	{TS_CMD_OPEN, "its steps"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_COLUMNS, "columns"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops trace_tab_lost = {
	.name = "lost",
	.title = "Lost",
	.hints = hints,
	.explain = lost_explain,
	.open = lost_open,
	.close = lost_close,
	.drop = lost_drop,
	.hidden = lost_hidden,
	.absent = lost_absent,
	.note = lost_note,
	.resize = lost_resize,
	.request = lost_request,
	.deliver = lost_deliver,
	.draw = lost_draw,
	.command = lost_command,
	.mouse = lost_mouse,
	.about = lost_about,
	.object = lost_object,
	.list = lost_list,
	.sheet = lost_sheet,
};
