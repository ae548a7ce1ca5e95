/* SPDX-License-Identifier: MIT */
/*
 * trace_frame_tab - the tab about the frame under the cursor of a flame graph: the stack that it stands in, and the frames in
 * it, with what each costs of all that is merged.
 *
 * It shows the sums of the drawing merged, whichever of the two drawings is on the screen, and asks for them. Rows from the
 * outside: the run, the frames on the way, the frame itself, those directly in it (the heaviest first). Enter goes there.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_merged.h"

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/view/held_list.h"
#include "tilescope/view/sheet.h"

enum { INSIDE_MOST = 1000, ROWS_MOST = TS_FRAMES_DEPTH + INSIDE_MOST };

enum { F_NAME, F_CYCLES, F_SHARE, F_SELF, F_TIME, F_STEPS, F_MARK, F_COUNT };

static const struct ts_column columns[F_COUNT] = {
	[F_NAME] = {"frame", 16, 0, 8, 0, TS_FIELD_ELLIPSIS},
	[F_CYCLES] = {"cycles", 13, 18, 1, 0, TS_FIELD_RIGHT},
	[F_SHARE] = {"of all", 7, 7, 0, 0, TS_FIELD_RIGHT},
	[F_SELF] = {"self", 13, 18, 1, 2, TS_FIELD_RIGHT},
	[F_TIME] = {"of time", 7, 7, 0, 1, TS_FIELD_RIGHT},
	[F_STEPS] = {"steps", 9, 12, 1, 1, TS_FIELD_RIGHT},
	[F_MARK] = {"", 1, 1, 0, 3, TS_FIELD_LEFT},
};

static const struct ts_column_facts facts[F_COUNT] = {
	[F_CYCLES] = {"cycles", "cycles", TS_SUM_NONE, false},
	[F_SHARE] = {"percent_of_all", "%", TS_SUM_NONE, false},
	[F_SELF] = {"own", "cycles", TS_SUM_NONE, false},
	[F_TIME] = {"percent_of_time", "%", TS_SUM_NONE, false},
	[F_STEPS] = {NULL, "steps", TS_SUM_NONE, false},
	[F_MARK] = {"known", NULL, TS_SUM_NONE, false},
};

struct frame_tab {
	struct ts_held_list l; /* first */
	struct trace_view *view;
	struct trace_heads heads;
	const struct ts_flame_node *of; /* the tree that rows are of, and its frame */
	uint32_t frame;
	unsigned version; /* of the tree: another one may stand where that one stood */
	int rows, here;	  /* here: the row of the frame itself */
	bool cut;	  /* there are more in it */
	uint32_t node[ROWS_MOST];
};

static bool
merged_is_drawn(const struct trace_view *t)
{
	return t->drawing[t->drawn].ops == &trace_drawing_merged;
}

/* The node that it is about; false: nothing is known yet. */
static bool
node_of(struct trace_view *t, uint32_t *node)
{
	const struct merged *k = trace_merged_of(t);
	const struct ts_frames *frames;
	uint32_t frame;

	if (k->tree.count == 0)
		return false;
	*node = k->cursor;
	if (!merged_is_drawn(t))
		*node = trace_flame_cursor(t, &frames, &frame) ? trace_merged_find(k, frames, frame)
							       : 0;
	return true;
}

static void
list_nodes(struct frame_tab *d, const struct ts_flame_node *node, uint32_t at)
{
	uint32_t way[TS_FRAMES_DEPTH + 1], end = at + node[at].inside, i = at;
	int n = 0;

	d->rows = 0;
	for (; i != 0 && n < TS_FRAMES_DEPTH; i = node[i].parent)
		way[n++] = i;
	way[n++] = 0;
	while (n > 0)
		d->node[d->rows++] = way[--n];
	d->here = d->rows - 1;
	for (i = at + 1; i <= end && d->rows < ROWS_MOST; i += node[i].inside + 1)
		d->node[d->rows++] = i;
	d->cut = i <= end;
}

static bool
follow_cursor(struct frame_tab *d)
{
	const struct merged *k = trace_merged_of(d->view);
	uint32_t node = 0;
	bool there = d->view->trace && node_of(d->view, &node);

	if (!there) {
		d->of = NULL;
		d->rows = 0;
		return false;
	}
	if (d->of == k->tree.node && d->version == k->version && d->frame == node)
		return true;
	d->of = k->tree.node;
	d->version = k->version;
	d->frame = node;
	list_nodes(d, k->tree.node, node);
	d->l.of++;
	ts_list_go(&d->l.list, d->here);
	return true;
}

/* --- the table ---------------------------------------------------------------------------------------- */

static const struct ts_flame_node *
node_at(const struct frame_tab *d, int64_t i)
{
	return i >= 0 && i < d->rows ? &d->of[d->node[i]] : NULL;
}

static bool
value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct frame_tab *d = ctx;
	const struct merged *k = trace_merged_of(d->view);
	const struct ts_flame_node *n = node_at(d, i);
	int64_t length = n ? trace_merged_length(d->view, k) : 0;
	size_t bytes;

	if (!n)
		return false;
	switch (column) {
	case F_NAME:
		out->type = TS_VALUE_TEXT;
		out->s = ts_frame_name(&k->tree.flame->frames, n->frame, &bytes);
		out->n = bytes;
		break;
	case F_SHARE:
		if (d->of[0].sum.cycles > 0)
			ts_table_value_real(out,
				100.0 * (double)n->sum.cycles / (double)d->of[0].sum.cycles);
		break;
	case F_TIME:
		if (n->sum.covered != TS_UNKNOWN && length > 0)
			ts_table_value_real(out, 100.0 * (double)n->sum.covered / (double)length);
		break;
	case F_MARK:
		if (trace_frame_mark(d->view, n->classes) != TS_MARK_COUNT)
			ts_table_value_text(out,
				ts_mark_word(trace_frame_mark(d->view, n->classes)));
		break;
	default:
		ts_table_value_known(out,
			column == F_CYCLES	   ? n->sum.cycles
				: column == F_SELF ? n->sum.own
						   : n->sum.steps);
	}
	return true;
}

static bool
cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct frame_tab *d = ctx;
	struct ts_table_value v = {0};
	int indent = (int)ts_min_i64(i, d->here + 1);
	enum ts_mark mark;

	if (!value(ctx, i, column, &v))
		return false;
	out->s = out->buf;
	out->buf[0] = '\0';
	if (i == d->here)
		out->role = TS_ROLE_ACCENT;
	switch (column) {
	case F_NAME:
		snprintf(out->buf, sizeof(out->buf), "%*s%.*s", indent, "",
			(int)ts_min_i64((int64_t)v.n, (int64_t)sizeof(out->buf) - indent - 1), v.s);
		break;
	case F_SHARE:
	case F_TIME:
		if (v.type != TS_VALUE_NONE)
			ts_fmt_percent(out->buf, v.real, 100);
		else
			out->s = "?";
		break;
	case F_MARK:
		mark = trace_frame_mark(d->view, node_at(d, i)->classes);
		out->role = TS_ROLE_NOTE;
		out->buf[0] = mark == TS_MARK_COUNT ? ' ' : ts_mark_sign(mark);
		out->buf[1] = '\0';
		break;
	case F_STEPS:
		ts_fmt_count(out->buf, v.integer);
		break;
	default:
		if (i != d->here)
			out->role = TS_ROLE_VALUE;
		trace_fmt_length(d->view, out->buf, v.integer);
	}
	return true;
}

static const struct ts_held_table table = {.id = "trace.frame",
	.column = columns,
	.facts = facts,
	.columns = F_COUNT,
	.cell = cell,
	.value = value,
	.empty = "no step has a part in it"};

static void
begin(struct frame_tab *d, const struct ts_tab *tab)
{
	follow_cursor(d);
	ts_held_list_begin(&d->l, tab, &table, tab->r, d->rows);
	trace_name_columns(&d->l.table, &d->heads, d->view);
}

/* --- the tab -------------------------------------------------------------------------------------------- */

static bool
frame_open(struct ts_tab *tab)
{
	struct frame_tab *d = ts_alloc(1, sizeof(*d));

	if (!d)
		return false;
	d->view = tab->host;
	ts_held_list_init(&d->l, -1);
	tab->own = d;
	return true;
}

static void
frame_close(struct ts_tab *tab)
{
	ts_held_list_fini(&((struct frame_tab *)tab->own)->l);
	free(tab->own);
}

static void
frame_drop(struct ts_tab *tab)
{
	struct frame_tab *d = tab->own;

	d->of = NULL;
	d->rows = 0;
	d->l.of++;
}

/* Frames are those of a flame graph. */
static bool
frame_hidden(const struct ts_tab *tab)
{
	const struct trace_view *t = tab->host;
	const struct trace_drawing_ops *ops = t->drawing[t->drawn].ops;

	return (t->trace && !t->trace->has_parts) ||
		(ops != &trace_drawing_flame && ops != &trace_drawing_merged);
}

static void
frame_resize(struct ts_tab *tab)
{
	begin(tab->own, tab);
}

static void
frame_request(struct ts_tab *tab)
{
	struct frame_tab *d = tab->own;

	if (d->view->trace)
		trace_merged_ask(d->view);
}

static void
frame_draw(struct ts_tab *tab, struct ts_canvas *c, bool focus)
{
	struct frame_tab *d = tab->own;
	const struct merged *k = trace_merged_of(d->view);

	(void)focus;
	if (!d->view->trace)
		return;
	if (!follow_cursor(d)) {
		if (k->tree.flame)
			ts_canvas_text(c, tab->r, 0, 0, TS_ROLE_DIM, table.empty);
		else
			ts_pane_draw(c, tab->r, tab->view->env,
				d->view->trace->has_parts ? &k->data : &d->view->lanes);
		return;
	}
	begin(d, tab);
	ts_held_list_draw(&d->l, c, tab->r);
}

static void
frame_note(const struct ts_tab *tab, char out[TS_TAB_NOTE])
{
	const struct frame_tab *d = tab->own;
	const struct merged *k = trace_merged_of(d->view);
	char of[80], n[TS_FMT_MAX];

	if (!d->view->trace || k->tree.count == 0 || d->rows == 0)
		return;
	trace_merged_about(d->view, k, of, sizeof(of));
	snprintf(out, TS_TAB_NOTE, "%s%s, of %s", ts_fmt_count(n, d->rows - d->here - 1),
		d->cut ? " or more in it" : " in it", of);
}

/* Enter goes to the frame of the row; in the graph along the time, to what is merged. */
static enum ts_effect
frame_command(struct ts_tab *tab, const struct ts_call *call)
{
	struct frame_tab *d = tab->own;
	int64_t row;

	begin(d, tab);
	row = ts_held_list_row(&d->l);
	if (call->cmd == TS_CMD_OPEN && node_at(d, row)) {
		trace_merged_go(trace_merged_of(d->view), d->node[row]);
		trace_draw_named(d->view, trace_drawing_merged.name);
		follow_cursor(d);
		return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
	}
	return ts_held_list_command(&d->l, tab, call);
}

static enum ts_effect
frame_mouse(struct ts_tab *tab, int x, int y, int wheel)
{
	struct frame_tab *d = tab->own;

	(void)x;
	begin(d, tab);
	return ts_held_list_mouse(&d->l, tab->r, y, wheel);
}

static void
frame_explain(struct ts_tab *tab, struct ts_explain *out)
{
	struct frame_tab *d = tab->own;
	struct merged *k = trace_merged_of(d->view);
	int64_t row = ts_held_list_row(&d->l);

	if (follow_cursor(d) && node_at(d, row))
		trace_merged_explain_node(d->view, k, d->node[row], out);
}

static bool
frame_sheet(struct ts_tab *tab, struct ts_sheet *out)
{
	struct frame_tab *d = tab->own;

	if (!d->l.table.column)
		return false;
	snprintf(out->title, sizeof(out->title), "Frames around the one under the cursor");
	out->table = d->l.table;
	out->list = &d->l.list;
	out->rows = d->l.order.rows;
	return true;
}

static struct ts_list *
frame_list(struct ts_tab *tab, bool *there)
{
	struct frame_tab *d = tab->own;

	*there = d->rows > 0;
	return &d->l.list;
}

static const struct ts_hint hints[] = {
	{TS_CMD_OPEN, "go there"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_EXPLAIN, "explain"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops trace_tab_frame = {
	.name = "frame",
	.title = "Frame",
	.open = frame_open,
	.close = frame_close,
	.drop = frame_drop,
	.hidden = frame_hidden,
	.note = frame_note,
	.resize = frame_resize,
	.request = frame_request,
	.draw = frame_draw,
	.command = frame_command,
	.mouse = frame_mouse,
	.hints = hints,
	.explain = frame_explain,
	.sheet = frame_sheet,
	.list = frame_list,
};
