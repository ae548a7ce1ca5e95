/* SPDX-License-Identifier: MIT */
/*
 * operations_tabs - below the table: Summary, the figures of the operation under the cursor, alone and with all that stands
 * below it; and what tabs of this view have in common.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operations_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/view/held_list.h"

/* --- what tabs have in common ------------------------------------------------------------------------ */

void
operations_tab_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct operations_view *s = operations_host(t);
	uint32_t node = operations_node_at(s);
	const char *name, *layer;
	size_t n, m;

	if (node == TS_NO_OPERATION)
		return;
	name = ts_operation_name(&n, s->ops, node);
	layer = ts_operation_layer_name(&m, s->ops, ts_operation_at(s->ops, node)->layer);
	n = name ? ts_utf8_cut(name, n, 60) : 0;
	m = ts_utf8_cut(layer, m, 24);
	snprintf(out, TS_TAB_NOTE, "%.*s, %.*s", (int)n, name ? name : "", (int)m, layer);
}

bool
operations_tab_sheet(struct ts_tab *t, struct ts_sheet *out)
{
	struct ts_held_list *l = t->own;
	char note[TS_TAB_NOTE] = "";

	if (!l->table.column || !l->table.value)
		return false;
	operations_tab_note(t, note);
	snprintf(out->title, sizeof(out->title), "%s of %.*s", t->ops->title,
		(int)ts_utf8_cut(note, strlen(note), TS_SHEET_ABOUT), note);
	out->table = l->table;
	out->list = &l->list;
	out->rows = l->order.rows;
	return true;
}

bool
operations_tab_about(const struct ts_tab *t, struct ts_debug_about *out)
{
	const struct operations_view *s = operations_host(t);
	uint32_t node = operations_node_at(s);
	int64_t program = operations_program_at(s);

	if (program != TS_UNKNOWN) {
		*out = (struct ts_debug_about){.relation = TS_PROGRAM,
			.key = program,
			.what = "program"};
		return true;
	}
	if (node == TS_NO_OPERATION ||
		operations_context(ts_operation_at(s->ops, node)) == TS_UNKNOWN)
		return false;
	*out = (struct ts_debug_about){.relation = TS_CONTEXT,
		.context = (uint64_t)operations_context(ts_operation_at(s->ops, node)),
		.what = "operation"};
	return true;
}

/* --- Summary ----------------------------------------------------------------------------------------- */

enum kind { IS_COUNT, IS_CYCLES, IS_BYTES };

#define NO_MEMBER SIZE_MAX
#define SHARED (SIZE_MAX - 1) /* programs that other operations have, too */

static const struct line {
	const char *what;
	enum kind kind;
	size_t member;
	bool share;	  /* of all programs */
	const char *note; /* its first clause fits at 80 columns: 16 of them */
} lines[] = {
	{"cycles executed", IS_CYCLES, offsetof(struct ts_operation_figures, executed), true,
		"of its steps, on all IPUs of the trace"},
	{"shared programs", IS_COUNT, SHARED, false, "that others have, too"},
	{"steps executed", IS_COUNT, offsetof(struct ts_operation_figures, steps), true,
		"of all runs"},
	{"measured, longest tiles", IS_CYCLES, offsetof(struct ts_operation_figures, measured),
		true, "once each, the last execution, on its longest tile"},
	{"measured, all tiles", IS_CYCLES, offsetof(struct ts_operation_figures, measured_tiles),
		true, "tile-cycles, the same on all tiles"},
	{"estimated, longest tiles", IS_CYCLES, offsetof(struct ts_operation_figures, estimated),
		true, "the compiler's, by its model"},
	{"estimated, all tiles", IS_CYCLES, offsetof(struct ts_operation_figures, estimated_tiles),
		true, NULL},
	{"code", IS_BYTES, offsetof(struct ts_operation_figures, code), true,
		"control, exchange, and vertices that nothing else runs"},
	{"control code", IS_BYTES, offsetof(struct ts_operation_figures, control_code), true,
		"of leaves, programs without children"},
	{"exchange code", IS_BYTES, offsetof(struct ts_operation_figures, exchange_code), true,
		"partly shared, so sums are more than there is"},
	{"vertex code", IS_BYTES, offsetof(struct ts_operation_figures, vertex_code), true,
		"of all it runs, which others run, too"},
	{"vertex code, its own", IS_BYTES, offsetof(struct ts_operation_figures, vertex_alone),
		true, "run by it alone"},
	{"memory", IS_BYTES, offsetof(struct ts_operation_figures, bytes), true,
		"of its variables"},
	{"variables", IS_COUNT, offsetof(struct ts_operation_figures, variables), true, NULL},
	{"live, not always", IS_BYTES, offsetof(struct ts_operation_figures, live), false,
		"at its fullest, of its liveness steps, on the device's replica"},
	{"first liveness step", IS_COUNT, offsetof(struct ts_operation_figures, live_first), false,
		NULL},
	{"last liveness step", IS_COUNT, offsetof(struct ts_operation_figures, live_last), false,
		NULL},
	{"first step of the trace", IS_COUNT, offsetof(struct ts_operation_figures, first_step),
		false, NULL},
	{"programs", IS_COUNT, offsetof(struct ts_operation_figures, programs), true,
		"each once, however many ways lead to it"},
	{"compute sets", IS_COUNT, offsetof(struct ts_operation_figures, compute_sets), true, NULL},
	{"vertices", IS_COUNT, offsetof(struct ts_operation_figures, vertices), true,
		"instances on all tiles"},
	{"FLOPs", IS_COUNT, NO_MEMBER, false,
		"no file of a report has them, nor the stages of the compiler"},
};

enum { D_WHAT, D_OF, D_BELOW, D_SHARE, D_NOTE, D_COUNT };

static const struct ts_column columns[D_COUNT] = {
	[D_WHAT] = {"figure", 24, 26, 0, 0, TS_FIELD_ELLIPSIS},
	[D_OF] = {"operation", 14, 18, 0, 0, TS_FIELD_RIGHT},
	[D_BELOW] = {"with all below", 15, 18, 0, 0, TS_FIELD_RIGHT},
	[D_SHARE] = {"of all", 7, 8, 0, 1, TS_FIELD_RIGHT},
	[D_NOTE] = {"", 1, 0, 1, 2, TS_FIELD_CLAUSES},
};

static const struct ts_column_facts facts[D_COUNT] = {
	[D_WHAT] = {"figure", NULL, TS_SUM_NONE, false},
	[D_OF] = {"operation", NULL, TS_SUM_NONE, false},
	[D_BELOW] = {"with_below", NULL, TS_SUM_NONE, false},
	[D_SHARE] = {"share", "%", TS_SUM_NONE, false},
	[D_NOTE] = {"", NULL, TS_SUM_NONE, false},
};

struct summary_tab {
	struct ts_held_list l; /* first */
	struct operations_view *s;
	uint64_t seen; /* of what its rows were made */
	struct ts_rect top, body;
};

static bool
summary_open(struct ts_tab *t)
{
	struct summary_tab *d = ts_alloc(1, sizeof(*d));

	if (!d)
		return false;
	d->s = operations_host(t);
	ts_held_list_init(&d->l, -1);
	t->own = d;
	return true;
}

static void
summary_close(struct ts_tab *t)
{
	ts_held_list_fini(&((struct summary_tab *)t->own)->l);
	free(t->own);
}

static int64_t
figure(const struct ts_operation_figures *f, const struct line *l)
{
	int64_t v = TS_UNKNOWN;

	if (l->member < SHARED)
		memcpy(&v, (const char *)f + l->member, sizeof(v));
	return v;
}

/* Figures of the row under the cursor: of an operation alone and with all below; of any other row in the first column. */
static const struct ts_operation_figures *
figures_of(const struct operations_view *s, bool below, struct ts_operation_figures *room)
{
	uint32_t row = operations_at(s);

	if (row == UINT32_MAX)
		return NULL;
	if (row < s->shape->ids.nodes)
		return below ? &ts_operation_at(s->ops, row)->below
			     : &ts_operation_at(s->ops, row)->of;
	return below ? NULL : operations_figures(s->shape, row, room);
}

/* What the row under the cursor shares: an operation in its layer, or with all below it in the tree; NULL: nobody says. */
static const struct ts_operation_shared *
shares_of(const struct operations_view *s, bool below)
{
	uint32_t row = operations_at(s);

	if (row == UINT32_MAX)
		return NULL;
	if (row >= s->shape->ids.nodes)
		return below ? NULL : operations_shared(s->shape, row);
	return below ? ts_operation_shares_below(s->shape->ops, row)
		     : ts_operation_shares(s->shape->ops, row);
}

static bool
value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct summary_tab *d = ctx;
	const struct line *l = &lines[i];
	struct ts_operation_figures room;
	const struct ts_operation_figures *f;
	const struct ts_operation_shared *x;
	int64_t v, all;

	if (i < 0 || i >= (int64_t)TS_COUNT(lines) || !d->s->shape)
		return false;
	f = figures_of(d->s, column == D_BELOW, &room);
	x = l->member == SHARED ? shares_of(d->s, column == D_BELOW) : NULL;
	v = x ? x->programs : f ? figure(f, l) : TS_UNKNOWN;
	all = figure(&d->s->ops->all, l);
	if (column == D_WHAT)
		ts_table_value_text(out, l->what);
	else if (column == D_OF || column == D_BELOW)
		ts_table_value_known(out, v);
	else if (column == D_SHARE && l->share && v != TS_UNKNOWN && all > 0)
		ts_table_value_real(out, 100.0 * (double)v / (double)all);
	return true;
}

/*
 * What stands behind a figure. Cycles executed: how far they can be believed. Programs that are shared: with how many,
 * in the cell.
 */
static const char *
note_of(const struct summary_tab *d, const struct line *l, struct ts_table_cell *out)
{
	struct ts_operation_figures room;
	const struct ts_operation_figures *f = figures_of(d->s, false, &room);

	if (l->member == offsetof(struct ts_operation_figures, executed) && f &&
		f->executed != TS_UNKNOWN && f->mark > 0 && f->mark < TS_MARK_COUNT)
		return ts_mark_note((enum ts_mark)f->mark);
	if (l->member == SHARED &&
		operations_shares_words(out->buf, sizeof(out->buf), d->s, operations_at(d->s)))
		return out->buf;
	return l->note ? l->note : "";
}

static bool
cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct summary_tab *d = ctx;
	struct ts_table_value v = {.type = TS_VALUE_NONE};

	if (!value(ctx, i, column, &v))
		return false;
	out->s = out->buf;
	if (column == D_WHAT) {
		out->s = lines[i].what;
		out->role = TS_ROLE_LABEL;
	} else if (column == D_NOTE) {
		out->s = note_of(d, &lines[i], out);
		out->role = TS_ROLE_DIM;
	} else if (v.type == TS_VALUE_REAL) {
		ts_fmt_percent(out->buf, v.real, 100.0);
	} else if (v.type == TS_VALUE_NONE) {
		out->s = column == D_SHARE ? "" : "-";
		out->role = TS_ROLE_DIM;
	} else if (lines[i].kind == IS_BYTES) {
		ts_fmt_bytes(out->buf, v.integer, d->s->base.env->options->units);
	} else {
		ts_fmt_count(out->buf, v.integer);
	}
	return true;
}

static const struct ts_held_table table = {.id = "operations.summary",
	.column = columns,
	.facts = facts,
	.columns = D_COUNT,
	.cell = cell,
	.value = value,
	.empty = "nothing has the cursor"};

static void
summary_begin(struct summary_tab *d, const struct ts_tab *t)
{
	d->body = t->r;
	d->top = ts_rect_cut_top(&d->body, t->r.h >= 3);
	d->l.of++; /* figures are those of the row under the cursor */
	ts_held_list_begin(&d->l, t, &table, d->body,
		operations_at(d->s) == UINT32_MAX ? 0 : (int64_t)TS_COUNT(lines));
}

static void
summary_resize(struct ts_tab *t)
{
	summary_begin(t->own, t);
}

/* Its whole name in the first line, from the outermost layer on, and where its programs come from. */
static void
draw_path(struct ts_canvas *c, const struct summary_tab *d)
{
	uint32_t row = operations_at(d->s), node = operations_node_at(d->s);
	struct ts_strbuf path;

	if (row == UINT32_MAX || ts_rect_empty(d->top))
		return;
	ts_strbuf_init(&path, 1 << 14);
	if (node != TS_NO_OPERATION)
		ts_operation_path(&path, d->s->ops, node);
	if (row != node) {
		ts_strbuf_puts(&path, path.len ? "  " : "");
		operations_title(&path, d->s->shape, row, false);
	} else {
		const struct ts_operation *o = ts_operation_at(d->s->ops, node);

		ts_strbuf_printf(&path, "  (%s%s)",
			ts_operation_from_word((enum ts_operation_from)o->from),
			o->cut ? "; what is above was cut" : "");
	}
	ts_canvas_field(c, d->top, 1, 0, d->top.w - 1, TS_ROLE_TITLE, path.s, path.len,
		TS_FIELD_TAIL);
	ts_strbuf_fini(&path);
}

static void
summary_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct summary_tab *d = t->own;

	(void)focus;
	if (!d->s->shape)
		return;
	summary_begin(d, t);
	draw_path(c, d);
	ts_held_list_draw(&d->l, c, d->body);
}

static enum ts_effect
summary_command(struct ts_tab *t, const struct ts_call *call)
{
	struct summary_tab *d = t->own;

	summary_begin(d, t);
	return ts_held_list_command(&d->l, t, call);
}

static enum ts_effect
summary_mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct summary_tab *d = t->own;

	(void)x;
	summary_begin(d, t);
	return ts_held_list_mouse(&d->l, d->body, y, wheel);
}

static void
summary_explain(struct ts_tab *t, struct ts_explain *out)
{
	operations_explain(t->view, out);
}

static struct ts_list *
summary_list(struct ts_tab *t, bool *there)
{
	struct summary_tab *d = t->own;

	*there = d->s->shape != NULL;
	return &d->l.list;
}

static const struct ts_hint hints[] = {
	{TS_CMD_EXPLAIN, "explain"},
	{TS_CMD_DEBUG, "debug"},
	{TS_CMD_EDIT, "source"},
	{TS_CMD_COUNT, NULL},
};

static const struct ts_tab_ops tab_summary = {
	.name = "summary",
	.title = "Summary",
	.hints = hints,
	.open = summary_open,
	.close = summary_close,
	.note = operations_tab_note,
	.resize = summary_resize,
	.draw = summary_draw,
	.command = summary_command,
	.mouse = summary_mouse,
	.about = operations_tab_about,
	.sheet = operations_tab_sheet,
	.explain = summary_explain,
	.list = summary_list,
};

const struct ts_tab_ops *const operations_tab_ops[OPERATIONS_TABS] = {&tab_summary,
	&operations_tab_programs, &operations_tab_links, &operations_tab_code,
	&operations_tab_vertices, &operations_tab_cycles, &ts_tab_debug};
