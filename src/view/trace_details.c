/* SPDX-License-Identifier: MIT */
/*
 * trace_details - the tab with what each IPU did in the step under the cursor: cycles, begin and end, balance, active
 * tiles, bytes in and out; below that how its cycles are spread over tiles and what its compute set runs (trace_tiles.c);
 * what the step is, and what the marks of figures mean.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"
#include "trace_tiles.h"

#include "tilescope/base/mem.h"
#include "tilescope/view/explain_common.h"
#include "tilescope/view/held_list.h"
#include "tilescope/view/sheet.h"

enum {
	HEAD_FROM = 6, /* rows of the tab from which on lines stand above the table */
	TILES_FROM =
		16, /* rows below them from which on tiles have some, however many IPUs there are */
	TILES_ROWS = 8,
	MARK_LINE = 200,
};

enum {
	D_IPU,
	D_CYCLES,
	D_MARK,
	D_START,
	D_END,
	D_BALANCE,
	D_ACTIVE_BALANCE,
	D_TILES,
	D_IN,
	D_IN_RATE,
	D_OUT,
	D_OUT_RATE,
	D_COUNT
};

static const struct ts_column columns[D_COUNT] = {
	{"ipu", 4, 5, 0, 0, TS_FIELD_RIGHT},
	{"cycles", 11, 16, 1, 0, TS_FIELD_RIGHT},
	{"", 1, 1, 0, 0, TS_FIELD_LEFT},
	{"start", 13, 18, 1, 4, TS_FIELD_RIGHT},
	{"end", 13, 18, 1, 5, TS_FIELD_RIGHT},
	{"bal.", 5, 8, 0, 1, TS_FIELD_RIGHT},
	{"of active", 10, 10, 0, 6, TS_FIELD_RIGHT},
	{"tiles", 6, 8, 1, 2, TS_FIELD_RIGHT},
	{"in", 9, 12, 1, 3, TS_FIELD_RIGHT},
	{"B/cycle", 8, 10, 0, 4, TS_FIELD_RIGHT},
	{"out", 9, 12, 1, 3, TS_FIELD_RIGHT},
	{"B/cycle", 8, 10, 0, 4, TS_FIELD_RIGHT},
};

static const struct ts_column_facts facts[D_COUNT] = {
	{NULL, NULL, TS_SUM_COUNT, false},
	{"cycles", "cycles", TS_SUM_NONE, false},
	{"known", NULL, TS_SUM_NONE, false},
	{"start", "cycles", TS_SUM_NONE, false},
	{"end", "cycles", TS_SUM_NONE, false},
	{"tile_balance", NULL, TS_SUM_NONE, false},
	{"active_tile_balance", NULL, TS_SUM_NONE, false},
	{"active_tiles", NULL, TS_SUM_NONE, false},
	{"data_in", "bytes", TS_SUM_BYTES, false},
	{"in_bytes_per_cycle", NULL, TS_SUM_NONE, false},
	{"data_out", "bytes", TS_SUM_BYTES, false},
	{"out_bytes_per_cycle", NULL, TS_SUM_NONE, false},
};

struct details {
	struct ts_held_list l; /* first */
	struct trace_view *view;
	struct trace_heads heads;
	struct ts_rect body, head, below;
	struct ts_fetch *sent;
	int64_t asked; /* a step; or TS_UNKNOWN */
	bool known;
	int64_t step;
	int parts;
	struct ts_trace_part *part;
	bool has_tiles;
	struct trace_tiles tiles;
	char why[200]; /* it could not be read */
};

struct details_fetch {
	struct ts_fetch f;
	struct ts_trace *trace; /* held */
	int64_t step, program, compute_set;
	int parts;
	struct ts_trace_part *part;
	bool has_tiles;
	struct trace_tiles tiles;
};

/* --- asking ---------------------------------------------------------------------------------------- */

static enum ts_code
read_details(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct details_fetch *d = (struct details_fetch *)f;
	enum ts_code code = ts_trace_step_read(&d->part, &d->parts, rd, d->trace, d->step, err);

	if (code && code != TS_E_DAMAGED)
		return code;
	d->has_tiles = trace_tiles_read(&d->tiles, rd, d->program, d->compute_set, NULL) == TS_OK;
	return code;
}

static void
fini_details(struct ts_fetch *f)
{
	struct details_fetch *d = (struct details_fetch *)f;

	ts_trace_release(d->trace);
	free(d->part);
}

static void
details_request(struct ts_tab *tab)
{
	struct details *d = tab->own;
	const struct trace_view *t = d->view;
	const struct ts_trace_row *row = t->trace ? trace_row(t, t->list.cursor) : NULL;
	struct details_fetch *f;

	if (!row || row->step == TS_UNKNOWN || row->step == d->asked)
		return;
	f = ts_alloc(1, sizeof(*f));
	if (!f)
		return;
	d->asked = f->step = row->step;
	f->program = row->program;
	f->compute_set = row->compute_set;
	f->f.read = read_details;
	f->f.fini = fini_details;
	f->trace = ts_trace_hold(t->trace);
	d->sent = &f->f;
	ts_fetch_send(tab->view, &f->f, tab->kind,
		t->trace->forwards ? TS_WORKER_BULK : TS_WORKER_SCREEN,
		"reading what the IPUs did in a step");
}

static enum ts_effect
details_deliver(struct ts_tab *tab, struct ts_fetch *f)
{
	struct details *d = tab->own;
	struct details_fetch *answer = (struct details_fetch *)f;

	if (d->sent != f)
		return TS_EFFECT_NONE;
	d->sent = NULL;
	if (ts_fetch_in_vain(f, tab->view->env->generation))
		return TS_EFFECT_REPAINT;
	snprintf(d->why, sizeof(d->why), "%.190s", f->code ? f->err.msg : "");
	free(d->part);
	d->part = answer->part;
	d->parts = answer->parts;
	answer->part = NULL;
	d->step = answer->step;
	d->has_tiles = answer->has_tiles;
	d->tiles = answer->tiles;
	d->known = true;
	d->l.of++;
	return TS_EFFECT_REPAINT;
}

/* --- the table -------------------------------------------------------------------------------------- */

static enum ts_mark
mark_of(const struct details *d)
{
	const struct ts_trace_row *row = trace_row(d->view, d->view->list.cursor);

	return ts_honesty_step(&d->view->trace->honest, d->step,
		row && row->step == d->step ? row->class_of : TS_CLASS_CONTROL);
}

static void
bytes_cell(const struct details *d, const struct ts_trace_row *r, int column,
	struct ts_table_cell *out)
{
	int64_t bytes = column == D_IN || column == D_IN_RATE ? r->data_in : r->data_out;

	out->s = "?";
	if (bytes == TS_UNKNOWN)
		return;
	out->s = out->buf;
	if (column == D_IN || column == D_OUT)
		ts_fmt_bytes(out->buf, bytes, d->view->view.env->options->units);
	else if (r->cycles > 0)
		snprintf(out->buf, sizeof(out->buf), "%.1f", (double)bytes / (double)r->cycles);
	else
		out->s = "-";
}

/* An IPU that does nothing has none. */
static void
share_cell(double share, const struct ts_trace_row *r, struct ts_table_cell *out)
{
	out->s = r->cycles > 0 ? "?" : "-";
	if (share >= 0 && r->cycles > 0)
		snprintf(out->buf, sizeof(out->buf), "%.0f%%", 100 * share), out->s = out->buf;
}

static bool
cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct details *d = ctx;
	const struct ts_trace_row *r;

	if (i < 0 || i >= d->parts)
		return false;
	r = &d->part[i].of;
	out->role = r->cycles > 0 ? TS_ROLE_TEXT : TS_ROLE_DIM;
	switch (column) {
	case D_IPU:
		snprintf(out->buf, sizeof(out->buf), "%lld", (long long)d->part[i].ipu);
		out->s = out->buf;
		break;
	case D_CYCLES:
		out->role = r->cycles > 0 ? TS_ROLE_VALUE : TS_ROLE_DIM;
		out->s = trace_fmt_length(d->view, out->buf, r->cycles);
		break;
	case D_MARK:
		out->role = TS_ROLE_NOTE;
		out->buf[0] = ts_mark_sign(mark_of(d));
		out->buf[1] = '\0';
		out->s = out->buf;
		break;
	case D_START:
	case D_END:
		out->s = trace_fmt_place(d->view, out->buf, column == D_START ? r->start : r->end);
		break;
	case D_BALANCE:
	case D_ACTIVE_BALANCE:
		share_cell(column == D_BALANCE ? r->balance : r->active_balance, r, out);
		break;
	case D_TILES:
		out->s = r->active_tiles == TS_UNKNOWN ? "?"
						       : ts_fmt_count(out->buf, r->active_tiles);
		break;
	default:
		bytes_cell(d, r, column, out);
	}
	return true;
}

static bool
value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct details *d = ctx;
	const struct ts_trace_row *r;
	int64_t bytes;

	if (i < 0 || i >= d->parts)
		return false;
	r = &d->part[i].of;
	bytes = column == D_IN || column == D_IN_RATE ? r->data_in : r->data_out;
	switch (column) {
	case D_IPU:
		ts_table_value_integer(out, d->part[i].ipu);
		break;
	case D_CYCLES:
		ts_table_value_integer(out, r->cycles);
		break;
	case D_MARK:
		ts_table_value_text(out, ts_mark_word(mark_of(d)));
		break;
	case D_START:
	case D_END:
		ts_table_value_integer(out, column == D_START ? r->start : r->end);
		break;
	case D_BALANCE:
	case D_ACTIVE_BALANCE:
		if ((column == D_BALANCE ? r->balance : r->active_balance) >= 0)
			ts_table_value_real(out,
				column == D_BALANCE ? r->balance : r->active_balance);
		break;
	case D_TILES:
		ts_table_value_known(out, r->active_tiles);
		break;
	case D_IN:
	case D_OUT:
		ts_table_value_known(out, bytes);
		break;
	default:
		if (bytes != TS_UNKNOWN && r->cycles > 0)
			ts_table_value_real(out, (double)bytes / (double)r->cycles);
	}
	return true;
}

static const struct ts_held_table table = {.id = "trace.details",
	.column = columns,
	.facts = facts,
	.columns = D_COUNT,
	.cell = cell,
	.value = value,
	.empty = "no IPU has a part in this step"};

static void
begin(struct details *d, const struct ts_tab *tab)
{
	int rows, below;

	d->body = tab->r;
	d->head = (struct ts_rect){0};
	if (tab->r.h >= HEAD_FROM)
		d->head = ts_rect_cut_top(&d->body, 2);
	rows = d->parts + 2; /* with the names of columns, and a blank one */
	below = d->body.h - rows;
	if (below < TILES_ROWS && d->body.h >= TILES_FROM)
		below = TILES_ROWS;
	d->below = ts_rect_cut_bottom(&d->body, d->known && below > 0 ? below : 0);
	ts_held_list_begin(&d->l, tab, &table, d->body, d->known ? d->parts : 0);
	trace_name_columns(&d->l.table, &d->heads, d->view);
}

/* --- what the step is, and what the marks mean ------------------------------------------------------- */

/* Does a line above the table say how far these figures can be believed? */
static bool
mark_is_said(const struct details *d)
{
	const struct ts_trace_row *row = trace_row(d->view, d->view->list.cursor);

	return !ts_rect_empty(d->head) && row && d->known && d->step == row->step;
}

static void
draw_head(struct details *d, struct ts_canvas *c)
{
	const struct trace_view *t = d->view;
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);
	char n[TS_FMT_MAX];
	int x = 0;

	if (ts_rect_empty(d->head) || !row)
		return;
	x = ts_canvas_printf(c, d->head, 0, 0, TS_ROLE_LABEL, "step %s  ",
		ts_fmt_count(n, row->step));
	x = ts_canvas_text(c, d->head, x, 0, (enum ts_role)(TS_ROLE_COMPUTE + (int)row->class_of),
		ts_step_class_label(row->class_of));
	if (row->compute_set != TS_UNKNOWN)
		x = ts_canvas_printf(c, d->head, x, 0, TS_ROLE_TEXT, "  compute set %lld",
			(long long)row->compute_set);
	if (row->program != TS_UNKNOWN)
		x = ts_canvas_printf(c, d->head, x, 0, TS_ROLE_TEXT, "  program %lld",
			(long long)row->program);
	ts_canvas_field(c, d->head, x + 2, 0, d->head.w - x - 2, TS_ROLE_TEXT,
		t->window.text + row->name, row->name_n, TS_FIELD_TAIL);
	if (mark_is_said(d)) {
		enum ts_mark m = mark_of(d);

		const char *sentence = ts_mark_sentence(m);

		ts_canvas_printf(c, d->head, 0, 1, TS_ROLE_NOTE, "%c", ts_mark_sign(m));
		ts_canvas_field(c, d->head, 2, 1, d->head.w - 2, TS_ROLE_NOTE, sentence,
			strlen(sentence), TS_FIELD_CLAUSES);
	}
}

/* "~ estimated: the compiler's estimate"; a sentence that begins with the word needs it once. */
static void
mark_line(char out[MARK_LINE], enum ts_mark m)
{
	const char *word = ts_mark_word(m), *sentence = ts_mark_sentence(m);
	bool twice = strncmp(word, sentence, strlen(word)) == 0;

	snprintf(out, MARK_LINE, "%c %s%s%s", ts_mark_sign(m), twice ? "" : word, twice ? "" : ": ",
		sentence);
}

/* The tiles, and a line for each other mark that figures of this report have, where there is room for them. */
static void
draw_below(struct details *d, struct ts_canvas *c)
{
	const struct ts_honesty *h = &d->view->trace->honest;
	bool seen[TS_MARK_COUNT] = {false};
	struct ts_rect r = d->below, tiles;
	int rows = 0, marks = 0;

	for (int k = 0; k < TS_CLASS_COUNT; k++)
		seen[ts_honesty_step(h, TS_UNKNOWN, (enum ts_step_class)k)] = true;
	seen[TS_MARK_ARTEFACT] = h->artefact != TS_UNKNOWN;
	seen[TS_MARK_REPLICA] = h->replicas > 1;
	seen[mark_of(d)] &= !mark_is_said(d);
	for (int m = 0; m < TS_MARK_COUNT; m++)
		marks += seen[m];
	if (d->has_tiles) {
		rows = trace_tiles_rows(&d->tiles,
			r.h - marks >= TILES_ROWS ? r.h - marks - 1 : r.h);
		tiles = ts_rect_cut_top(&r, rows);
		ts_rect_cut_top(&r, r.h > 0);
		trace_tiles_draw(&d->tiles, d->view, c, tiles);
	}
	rows = 0;
	for (int m = 0; m < TS_MARK_COUNT; m++)
		if (seen[m] && rows < r.h) {
			char line[MARK_LINE];

			mark_line(line, (enum ts_mark)m);
			rows += ts_canvas_wrap(c,
				(struct ts_rect){r.x, r.y + rows, r.w, r.h - rows}, 0, TS_ROLE_DIM,
				line);
		}
}

static void
details_draw(struct ts_tab *tab, struct ts_canvas *c, bool focus)
{
	struct details *d = tab->own;

	(void)focus;
	if (!d->view->trace)
		return;
	if (!d->view->trace->has_parts) {
		ts_pane_draw(c, tab->r, tab->view->env, &d->view->lanes);
		return;
	}
	if (!d->known) {
		ts_canvas_pending(c, tab->r, 2, 0);
		return;
	}
	begin(d, tab);
	draw_head(d, c);
	if (d->why[0] && d->parts == 0) {
		ts_canvas_wrap(c, d->body, 0, TS_ROLE_DIM, d->why);
		return;
	}
	ts_held_list_draw(&d->l, c, d->body);
	draw_below(d, c);
}

/* --- the tab ----------------------------------------------------------------------------------------- */

static bool
details_open(struct ts_tab *tab)
{
	struct details *d = ts_alloc(1, sizeof(*d));

	if (!d)
		return false;
	d->view = tab->host;
	d->asked = TS_UNKNOWN;
	ts_held_list_init(&d->l, -1);
	tab->own = d;
	return true;
}

static void
details_drop(struct ts_tab *tab)
{
	struct details *d = tab->own;

	free(d->part);
	d->part = NULL;
	d->parts = 0;
	d->has_tiles = d->known = false;
	d->sent = NULL;
	d->asked = TS_UNKNOWN;
	d->l.of++;
}

static void
details_close(struct ts_tab *tab)
{
	details_drop(tab);
	ts_held_list_fini(&((struct details *)tab->own)->l);
	free(tab->own);
}

static void
details_resize(struct ts_tab *tab)
{
	begin(tab->own, tab);
}

/* `open` on an IPU selects its lane. */
static enum ts_effect
details_command(struct ts_tab *tab, const struct ts_call *call)
{
	struct details *d = tab->own;
	int64_t row;

	begin(d, tab);
	row = ts_held_list_row(&d->l);
	if (call->cmd == TS_CMD_OPEN && row >= 0)
		for (int i = 0; i < d->view->trace->ipus; i++)
			if (d->view->trace->ipu[i] == d->part[row].ipu)
				return trace_go_ipu(d->view, i);
	return ts_held_list_command(&d->l, tab, call);
}

static enum ts_effect
details_mouse(struct ts_tab *tab, int x, int y, int wheel)
{
	struct details *d = tab->own;

	(void)x;
	begin(d, tab);
	return ts_held_list_mouse(&d->l, d->body, y, wheel);
}

static bool
details_about(const struct ts_tab *tab, struct ts_debug_about *out)
{
	return trace_tab_steps.about(&tab->tabs->tab[0], out);
}

static void
details_explain(struct ts_tab *tab, struct ts_explain *out)
{
	static const struct {
		int column;
		const char *name, *unit;
	} figure[] = {{D_CYCLES, "cycles", "cycles"}, {D_START, "start", "cycles"},
		{D_END, "end", "cycles"}, {D_IN, "data_in", "bytes"}, {D_OUT, "data_out", "bytes"},
		{D_TILES, "active_tiles", "tiles"}};
	struct details *d = tab->own;
	int64_t row = ts_held_list_row(&d->l);
	enum ts_mark m;

	if (!d->known || row < 0 || row >= d->parts)
		return;
	m = mark_of(d);
	for (size_t i = 0; i < TS_COUNT(figure); i++) {
		struct ts_table_value v = {.type = TS_VALUE_NONE};
		struct ts_explained *x;

		value(d, row, figure[i].column, &v);
		if (v.type == TS_VALUE_NONE)
			continue;
		x = ts_explain_add(out, "%s of step %lld on ipu %lld", figure[i].name,
			(long long)d->step, (long long)d->part[row].ipu);
		ts_explain_integer(x, v.integer, figure[i].unit);
		ts_explain_from(x, ts_known_of_mark(m), "step_ipu.%s", figure[i].name);
		ts_explain_note(x, "%s", ts_mark_sentence(m));
		ts_explain_query(x, "SELECT \"%s\" FROM step_ipu WHERE step = %lld AND ipu = %lld",
			figure[i].name, (long long)d->step, (long long)d->part[row].ipu);
	}
	if (d->has_tiles)
		trace_tiles_explain(&d->tiles, out);
}

static bool
details_sheet(struct ts_tab *tab, struct ts_sheet *out)
{
	struct details *d = tab->own;

	if (!d->l.table.column)
		return false;
	snprintf(out->title, sizeof(out->title), "What the IPUs did in step %lld",
		(long long)d->step);
	out->table = d->l.table;
	out->list = &d->l.list;
	out->rows = d->l.order.rows;
	return true;
}

static struct ts_list *
details_list(struct ts_tab *tab, bool *there)
{
	struct details *d = tab->own;

	*there = d->known;
	return &d->l.list;
}

static const struct ts_hint hints[] = {
	{TS_CMD_OPEN, "lane"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_EXPLAIN, "explain"},
	{TS_CMD_DEBUG, "debug"},
	{TS_CMD_COUNT, NULL},
};

static bool
details_hidden(const struct ts_tab *tab)
{
	const struct details *d = tab->own;

	return d->view->trace && !d->view->trace->has_parts;
}

const struct ts_tab_ops trace_tab_details = {
	.name = "details",
	.title = "Details",
	.brief = "Det",
	.open = details_open,
	.hidden = details_hidden,
	.close = details_close,
	.drop = details_drop,
	.resize = details_resize,
	.request = details_request,
	.deliver = details_deliver,
	.draw = details_draw,
	.command = details_command,
	.mouse = details_mouse,
	.hints = hints,
	.about = details_about,
	.explain = details_explain,
	.sheet = details_sheet,
	.list = details_list,
};
