/* SPDX-License-Identifier: MIT */
/*
 * liveness_program - two tabs about the program that runs at the step: the vertices of its compute set, and its cycles
 * by tile. Both are one question, which either of them asks for.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/program_details.h"

#include "liveness_tabs.h"

/* --- what a program runs ---------------------------------------------------------------------- */

struct details_fetch {
	struct ts_fetch f;
	int64_t program;
	struct ts_program_details details;
};

/* What both tabs keep: each asks for itself when it is shown. */
struct details_tab {
	struct ts_held_list l; /* first */
	struct liveness *s;
	bool cycles; /* else vertices */
	struct ts_fetch *sent;
	int64_t asked;			   /* program; -2 = none */
	bool known;			   /* details are here ... */
	struct ts_program_details details; /* ... of that program */
	struct ts_rect body, total;
};

static enum ts_code
read_details(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct details_fetch *d = (struct details_fetch *)f;

	return ts_program_details_read(&d->details, rd, d->program, err);
}

static void
fini_details(struct ts_fetch *f)
{
	ts_program_details_fini(&((struct details_fetch *)f)->details);
}

enum { NO_PROGRAM = -2 };

static void
details_drop(struct ts_tab *t)
{
	struct details_tab *d = t->own;

	ts_program_details_fini(&d->details);
	d->known = false;
	d->sent = NULL;
	d->asked = NO_PROGRAM;
	d->l.of++;
}

static bool
open_details(struct ts_tab *t, bool cycles, int sorted)
{
	struct details_tab *d = ts_alloc(1, sizeof(*d));

	if (!d)
		return false;
	d->s = t->host;
	d->cycles = cycles;
	d->asked = NO_PROGRAM;
	ts_held_list_init(&d->l, sorted);
	t->own = d;
	return true;
}

static void
details_close(struct ts_tab *t)
{
	details_drop(t);
	ts_held_list_fini(&((struct details_tab *)t->own)->l);
	free(t->own);
}

static void
details_request(struct ts_tab *t)
{
	struct details_tab *d = t->own;
	int64_t program = live_program(d->s);
	struct details_fetch *f;

	if (program == d->asked || d->s->src.line.count == 0)
		return;
	d->asked = program;
	if (program < 0) {
		ts_program_details_fini(&d->details);
		d->known = false;
		d->l.of++;
		return;
	}
	f = ts_alloc(1, sizeof(*f));
	if (!f)
		return;
	f->f.read = read_details;
	f->f.fini = fini_details;
	f->program = program;
	d->sent = &f->f;
	live_send(t, &f->f, 0, 0, "reading a program");
}

static enum ts_effect
details_deliver(struct ts_tab *t, struct ts_fetch *f)
{
	struct details_tab *d = t->own;
	struct details_fetch *answer = (struct details_fetch *)f;

	if (d->sent != f)
		return TS_EFFECT_NONE;
	d->sent = NULL;
	if (ts_fetch_in_vain(f, t->view->env->generation) || f->code)
		return TS_EFFECT_REPAINT;
	ts_program_details_fini(&d->details);
	d->details = answer->details;
	answer->details = (struct ts_program_details){0};
	d->known = true;
	d->l.of++;
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static const char *
text_at(const struct details_tab *d, uint32_t at, uint32_t length)
{
	return length > 0 ? d->details.text.s + at : "";
}

/* Of the step: its program's type and name, without one that of its compute set. */
static void
details_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct details_tab *d = t->own;
	const struct ts_program_details *p = &d->details;
	char n[TS_FMT_MAX];

	if (!d->known)
		snprintf(out, TS_TAB_NOTE, "step %s", ts_fmt_count(n, live_step(d->s)));
	else
		snprintf(out, TS_TAB_NOTE, "program %lld: %.24s %.60s", (long long)p->program,
			text_at(d, p->type_at, p->type_length),
			p->name_length > 0 ? text_at(d, p->name_at, p->name_length)
					   : text_at(d, p->set_at, p->set_length));
}

static struct ts_list *
details_list(struct ts_tab *t, bool *there)
{
	struct details_tab *d = t->own;

	*there = d->known && d->details.program == live_program(d->s);
	return &d->l.list;
}

/* --- Vertices --------------------------------------------------------------------------------- */

enum { V_NAME, V_INSTANCES, V_SHARE, V_TILES, V_STATE, V_MANGLED, V_COUNT };

static const struct ts_column vertex_columns[V_COUNT] = {
	{"vertex", 16, 110, 1, 0, TS_FIELD_ELLIPSIS},
	{"instances", 11, 0, 0, 0, TS_FIELD_RIGHT},
	{"share", 6, 0, 0, 2, TS_FIELD_RIGHT},
	{"tiles", 7, 0, 0, 3, TS_FIELD_RIGHT},
	{"state", 10, 0, 0, 1, TS_FIELD_RIGHT},
	{"mangled", 16, 80, 1, 4, TS_FIELD_ELLIPSIS},
};

static const struct ts_column_facts vertex_facts[V_COUNT] = {
	{"vertex", NULL, TS_SUM_COUNT, false},
	{"instances", "instances", TS_SUM_COUNT, false},
	{"share", "%", TS_SUM_NONE, false},
	{"tiles", "tiles", TS_SUM_NONE, false},
	{"state", "bytes", TS_SUM_NONE, false},
	{"mangled", NULL, TS_SUM_NONE, true},
};

static const char *
vertex_name(const struct details_tab *d, int64_t row, char *buf, size_t size)
{
	const struct ts_vertex_row *v = &d->details.vertex[row];

	if (v->said_length > 0)
		return text_at(d, v->said_at, v->said_length);
	snprintf(buf, size, "vertex type %lld", (long long)v->vertex_type);
	return buf;
}

static bool
vertex_cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct details_tab *d = ctx;
	const struct ts_vertex_row *v;

	if (i < 0 || i >= d->details.vertices)
		return false;
	v = &d->details.vertex[i];
	out->role = column == V_INSTANCES ? TS_ROLE_VALUE : TS_ROLE_TEXT;
	out->s = out->buf;
	switch (column) {
	case V_NAME:
		out->s = vertex_name(d, i, out->buf, sizeof(out->buf));
		break;
	case V_INSTANCES:
		ts_fmt_count(out->buf, v->instances);
		break;
	case V_SHARE:
		ts_fmt_percent(out->buf, (double)v->instances, (double)d->details.instances);
		break;
	case V_MANGLED:
		out->s = text_at(d, v->at, v->length);
		break;
	case V_TILES:
		if (v->tiles != TS_UNKNOWN)
			ts_fmt_count(out->buf, v->tiles);
		else
			snprintf(out->buf, sizeof(out->buf), "?");
		break;
	default:
		if (v->state_bytes != TS_UNKNOWN)
			ts_fmt_bytes(out->buf, v->state_bytes, live_units(d->s));
		else
			snprintf(out->buf, sizeof(out->buf), "?");
	}
	return true;
}

static bool
vertex_value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct details_tab *d = ctx;
	const struct ts_vertex_row *v;

	if (i < 0 || i >= d->details.vertices)
		return false;
	v = &d->details.vertex[i];
	switch (column) {
	case V_NAME:
		ts_table_value_text(out, vertex_name(d, i, out->buf, sizeof(out->buf)));
		break;
	case V_INSTANCES:
		ts_table_value_integer(out, v->instances);
		break;
	case V_SHARE:
		if (d->details.instances > 0)
			ts_table_value_real(out,
				100.0 * (double)v->instances / (double)d->details.instances);
		break;
	case V_MANGLED:
		ts_table_value_text(out, text_at(d, v->at, v->length));
		break;
	default:
		ts_table_value_known(out, column == V_TILES ? v->tiles : v->state_bytes);
	}
	return true;
}

static const struct ts_held_table vertex_table = {.id = "liveness.vertices",
	.column = vertex_columns,
	.facts = vertex_facts,
	.columns = V_COUNT,
	.cell = vertex_cell,
	.value = vertex_value,
	.empty = "no vertex is recorded for its compute set"};

static bool
vertices_open(struct ts_tab *t)
{
	return open_details(t, false, V_INSTANCES);
}

static bool
vertices_absent(const struct ts_tab *t)
{
	const struct ts_report *r = t->view->env->report;

	return r && !ts_report_has(r, TS_COMPUTE_SET_VERTEX);
}

/* --- Cycles ----------------------------------------------------------------------------------- */

enum { Y_TILE, Y_MEASURED, Y_ESTIMATED, Y_SHARE, Y_COUNT };

static const struct ts_column cycle_columns[Y_COUNT] = {
	{"tile", 10, 20, 1, 0, TS_FIELD_RIGHT},
	{"measured", 14, 20, 1, 0, TS_FIELD_RIGHT},
	{"estimated", 14, 20, 1, 0, TS_FIELD_RIGHT},
	{"of the slowest", 14, 20, 1, 1, TS_FIELD_RIGHT},
};

static const struct ts_column_facts cycle_facts[Y_COUNT] = {
	{"tile", NULL, TS_SUM_COUNT, false},
	{"measured", "cycles", TS_SUM_COUNT, false},
	{"estimated", "cycles", TS_SUM_COUNT, false},
	{"of_slowest", "%", TS_SUM_NONE, false},
};

/* The kind that shares are of: measured where that is known. */
static int
main_kind(const struct details_tab *d)
{
	return d->details.cycles[TS_CYCLES_MEASURED].known ? TS_CYCLES_MEASURED
							   : TS_CYCLES_ESTIMATED;
}

static bool
cycle_value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct details_tab *d = ctx;
	const struct ts_cycle_row *row;
	int64_t most;

	if (i < 0 || i >= d->details.rows)
		return false;
	row = &d->details.row[i];
	most = d->details.cycles[main_kind(d)].most;
	if (column == Y_TILE)
		ts_table_value_integer(out, row->tile);
	else if (column != Y_SHARE)
		ts_table_value_known(out, row->cycles[column - Y_MEASURED]);
	else if (most > 0)
		ts_table_value_real(out, 100.0 * (double)row->cycles[main_kind(d)] / (double)most);
	return true;
}

static bool
cycle_cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct details_tab *d = ctx;
	struct ts_table_value v = {0};

	if (!cycle_value(ctx, i, column, &v))
		return false;
	out->role = column - Y_MEASURED == main_kind(d) ? TS_ROLE_VALUE : TS_ROLE_TEXT;
	out->s = out->buf;
	if (v.type == TS_VALUE_INTEGER)
		ts_fmt_count(out->buf, v.integer);
	else if (v.type == TS_VALUE_REAL)
		ts_fmt_percent(out->buf, v.real, 100.0);
	else
		snprintf(out->buf, sizeof(out->buf), "?");
	return true;
}

static const struct ts_held_table cycle_table = {.id = "liveness.cycles",
	.column = cycle_columns,
	.facts = cycle_facts,
	.columns = Y_COUNT,
	.cell = cycle_cell,
	.value = cycle_value,
	.empty = "no tile has cycles in this program"};

static bool
cycles_open(struct ts_tab *t)
{
	return open_details(t, true, Y_MEASURED);
}

static bool
cycles_absent(const struct ts_tab *t)
{
	static const struct {
		enum ts_relation relation;
		int column;
	} columns[] = {{TS_PROGRAM, TS_PROGRAM_CYCLES_BY_TILE},
		{TS_PROGRAM, TS_PROGRAM_ESTIMATED_CYCLES_BY_TILE},
		{TS_COMPUTE_SET, TS_COMPUTE_SET_CYCLES_BY_TILE},
		{TS_COMPUTE_SET, TS_COMPUTE_SET_ESTIMATED_CYCLES_BY_TILE}};
	const struct ts_report *r = t->view->env->report;

	for (size_t i = 0; r && i < TS_COUNT(columns); i++)
		if (ts_report_has_column(r, columns[i].relation, columns[i].column))
			return false;
	return r != NULL;
}

/* --- drawing ---------------------------------------------------------------------------------- */

static void
details_begin(struct details_tab *d, const struct ts_tab *t)
{
	d->body = t->r;
	d->total = ts_rect_cut_bottom(&d->body, t->r.h >= 3);
	if (d->cycles && d->known && main_kind(d) == TS_CYCLES_ESTIMATED &&
		d->l.order.sorted == Y_MEASURED)
		d->l.order.sorted = Y_ESTIMATED;
	ts_held_list_begin(&d->l, t, d->cycles ? &cycle_table : &vertex_table, d->body,
		!d->known	    ? 0
			: d->cycles ? d->details.rows
				    : d->details.vertices);
}

static void
details_resize(struct ts_tab *t)
{
	details_begin(t->own, t);
}

/* One kind of cycles in a sentence: where it comes from and how even it is. */
static int
draw_kind(struct ts_canvas *c, struct ts_rect r, int x, const struct details_tab *d, int kind)
{
	static const char *const names[] = {"measured (last execution)", "estimated"};
	const struct ts_tile_cycles *k = &d->details.cycles[kind];
	char n[TS_FMT_MAX], m[TS_FMT_MAX], p[TS_FMT_MAX];

	if (!k->known)
		return x;
	x = ts_canvas_printf(c, r, x, 0, TS_ROLE_NOTE, "%s%s: ", x > 0 ? "; " : "", names[kind]);
	if (k->active == 0)
		return ts_canvas_text(c, r, x, 0, TS_ROLE_TOTAL, "0 on all tiles");
	return ts_canvas_printf(c, r, x, 0, TS_ROLE_TOTAL,
		"slowest %s on tile %lld, %s tile%s active, balance %s", ts_fmt_count(n, k->most),
		(long long)k->tile, ts_fmt_count(m, k->active), k->active == 1 ? "" : "s",
		ts_fmt_percent(p, (double)k->sum / (double)k->active, (double)k->most));
}

static void
draw_total(struct ts_canvas *c, const struct details_tab *d)
{
	const struct ts_program_details *p = &d->details;
	char n[TS_FMT_MAX], m[TS_FMT_MAX];
	int x = 0;

	ts_canvas_fill(c, d->total, TS_ROLE_TOTAL, ' ');
	for (int i = 0; d->cycles && i < TS_CYCLES_KINDS; i++)
		x = draw_kind(c, d->total, x, d, i);
	if (!d->cycles)
		ts_canvas_printf(c, d->total, 0, 0, TS_ROLE_TOTAL,
			"%s instances of %s vertex type%s%s", ts_fmt_count(n, p->instances),
			ts_fmt_count(m, p->kinds), p->kinds == 1 ? "" : "s",
			p->vertices < p->kinds ? ", the most used are listed" : "");
}

/* What there is to say instead of a table, or NULL. */
static const char *
nothing(const struct details_tab *d, const struct ts_tab *t)
{
	if (live_program(d->s) < 0)
		return "Which program runs at this step is not recorded.";
	if (d->cycles && cycles_absent(t))
		return "Cycles by tile are not in this report: neither measured (autoReport."
		       "outputExecutionProfile with debug.instrument) nor estimated.";
	if (!d->cycles && vertices_absent(t))
		return "The vertices of compute sets are not in this report.";
	if (!d->known)
		return NULL;
	if (!d->cycles && d->details.compute_set == TS_UNKNOWN)
		return "This program runs no compute set: it has no vertices.";
	if (d->cycles && !d->details.cycles[TS_CYCLES_MEASURED].known &&
		!d->details.cycles[TS_CYCLES_ESTIMATED].known)
		return "No cycles are recorded for this program, neither measured nor estimated.";
	return NULL;
}

static void
details_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct details_tab *d = t->own;
	const char *why = nothing(d, t);

	(void)focus;
	if (why) {
		ts_canvas_wrap(c, t->r, 0, TS_ROLE_DIM, why);
	} else if (!d->known) {
		ts_canvas_pending(c, t->r, 2, 0);
	} else {
		details_begin(d, t);
		ts_held_list_draw(&d->l, c, d->body);
		draw_total(c, d);
	}
}

static enum ts_effect
details_command(struct ts_tab *t, const struct ts_call *call)
{
	struct details_tab *d = t->own;
	int64_t row;

	details_begin(d, t);
	row = ts_held_list_row(&d->l);
	if (d->cycles && call->cmd == TS_CMD_OPEN && !ts_call_arg(call, 0) && row >= 0) {
		struct ts_live_source source = {.where = TS_LIVE_TILE,
			.number = d->details.row[row].tile};

		if (!ts_tile_lives_can(t->view->env->report))
			return TS_EFFECT_BELL;
		t->view->env->selection->tile = source.number;
		live_set_source(d->s, &source, NULL);
		return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
	}
	return ts_held_list_command(&d->l, t, call);
}

static enum ts_effect
details_mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct details_tab *d = t->own;

	(void)x;
	details_begin(d, t);
	return ts_held_list_mouse(&d->l, d->body, y, wheel);
}

static bool
details_about(const struct ts_tab *t, struct ts_debug_about *out)
{
	*out = (struct ts_debug_about){.relation = TS_PROGRAM,
		.key = live_program(t->host),
		.what = "step"};
	return out->key >= 0;
}

static void
details_explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct details_tab *d = t->own;

	if (d->known)
		(d->cycles ? live_explain_cycles : live_explain_vertex)(out, &d->details,
			ts_held_list_row(&d->l));
}

/* What both tabs do alike. */
#define DETAILS_OPS                                                                   \
	.explain = details_explain, .close = details_close, .drop = details_drop,     \
	.note = details_note, .resize = details_resize, .request = details_request,   \
	.deliver = details_deliver, .draw = details_draw, .command = details_command, \
	.mouse = details_mouse, .about = details_about, .list = details_list,         \
	.sheet = live_tab_sheet

static const struct ts_hint vertices_hints[] = {
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_DEBUG, "debug"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops live_tab_vertices = {
	.name = "vertices",
	.title = "Vertices",
	.hints = vertices_hints,
	.open = vertices_open,
	.absent = vertices_absent,
	DETAILS_OPS,
};

static const struct ts_hint cycles_hints[] = {
	{TS_CMD_OPEN, "tile"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_DEBUG, "debug"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops live_tab_cycles = {
	.name = "cycles",
	.title = "Cycles",
	.hints = cycles_hints,
	.open = cycles_open,
	.absent = cycles_absent,
	DETAILS_OPS,
};
