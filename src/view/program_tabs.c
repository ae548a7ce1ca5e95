/* SPDX-License-Identifier: MIT */
/*
 * program_tabs - tabs about a program: the vertices of its compute set, its cycles and its code by tile. All are one question,
 * which each of them asks for. Which program it is says the view (program_tabs.h).
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/fmt.h"
#include "tilescope/base/utf8.h"
#include "tilescope/report/program_details.h"
#include "tilescope/view/absent.h"

#include "program_tabs_internal.h"

enum { NOTE_TYPE = 24, NOTE_NAME = 180 }; /* bytes of a note */

/* --- what a program runs ---------------------------------------------------------------------- */

struct details_fetch {
	struct ts_fetch f;
	const struct program_tab_of *of;
	void *held; /* of a set of programs */
	int64_t program;
	struct ts_program_details details;
};

enum { V_NAME, V_INSTANCES, V_SHARE, V_TILES, V_STATE, V_MANGLED, V_COUNT };

enum { Y_TILE, Y_FIRST, Y_SECOND, Y_SHARE, Y_COUNT };

static enum ts_code
read_details(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct details_fetch *d = (struct details_fetch *)f;

	if (d->of->read)
		return d->of->read(&d->details, rd, d->held, d->program, &f->job.progress, err);
	return ts_program_details_read(&d->details, rd, d->program, err);
}

static void
fini_details(struct ts_fetch *f)
{
	struct details_fetch *d = (struct details_fetch *)f;

	ts_program_details_fini(&d->details);
	if (d->held)
		d->of->release(d->held);
}

enum { NO_PROGRAM = -2 };

void
program_tab_drop(struct ts_tab *t)
{
	struct details_tab *d = t->own;

	ts_program_details_fini(&d->details);
	d->known = false;
	d->sent = NULL;
	d->asked = NO_PROGRAM;
	d->l.of++;
}

bool
program_tab_open(struct ts_tab *t, const struct program_tab_of *of, enum program_tab is)
{
	struct details_tab *d = ts_alloc(1, sizeof(*d));

	if (!d)
		return false;
	d->of = of;
	d->t = t;
	d->is = is;
	d->asked = NO_PROGRAM;
	ts_held_list_init(&d->l, is == PROGRAM_VERTICES ? V_INSTANCES : Y_FIRST);
	t->own = d;
	return true;
}

void
program_tab_close(struct ts_tab *t)
{
	program_tab_drop(t);
	ts_held_list_fini(&((struct details_tab *)t->own)->l);
	free(t->own);
}

void
program_tab_request(struct ts_tab *t)
{
	struct details_tab *d = t->own;
	int64_t program = d->of->program(t);
	struct details_fetch *f;

	if (program == d->asked || !d->of->ready(t))
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
	f->of = d->of;
	f->held = d->of->hold ? d->of->hold(t) : NULL;
	f->program = program;
	d->sent = &f->f;
	ts_fetch_send(t->view, &f->f, t->kind, TS_WORKER_SCREEN,
		d->of->read ? "adding up programs" : "reading a program");
}

enum ts_effect
program_tab_deliver(struct ts_tab *t, struct ts_fetch *f)
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
	d->here = answer->program;
	d->known = true;
	d->l.of++;
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static const char *
text_at(const struct details_tab *d, uint32_t at, uint32_t length)
{
	return length > 0 ? d->details.text.s + at : "";
}

/* Type and name of the program, without one that of its compute set. Of a long path it is the end. */
void
program_tab_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct details_tab *d = t->own;
	const struct ts_program_details *p = &d->details;
	const char *name, *type, *end = NULL;
	size_t n, left;

	if (!d->known || d->of->read) {
		d->of->place(t, out);
		return;
	}
	name = p->name_length > 0 ? text_at(d, p->name_at, p->name_length)
				  : text_at(d, p->set_at, p->set_length);
	n = strlen(name);
	if (n > NOTE_NAME)
		end = strchr(name + n - NOTE_NAME, '/');
	left = end ? strlen(end) : ts_utf8_cut(name, n, NOTE_NAME);
	type = text_at(d, p->type_at, p->type_length);
	snprintf(out, TS_TAB_NOTE, "program %lld: %.*s%s%s%.*s%s", (long long)p->program,
		(int)ts_utf8_cut(type, strlen(type), NOTE_TYPE), type, *type ? " " : "",
		end ? "..." : "", (int)left, end ? end : name, !end && left < n ? "..." : "");
}

struct ts_list *
program_tab_list(struct ts_tab *t, bool *there)
{
	struct details_tab *d = t->own;

	*there = d->known && d->here == d->of->program(t);
	return &d->l.list;
}

/* --- Vertices --------------------------------------------------------------------------------- */

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
			ts_fmt_bytes(out->buf, v->state_bytes, d->t->view->env->options->units);
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

bool
program_vertices_absent(const struct ts_tab *t)
{
	const struct ts_report *r = t->view->env->report;

	return r && !ts_report_has(r, TS_COMPUTE_SET_VERTEX);
}

/* --- Cycles, Code ------------------------------------------------------------------------------ */

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

static const struct ts_column code_columns[Y_COUNT] = {
	{"tile", 10, 20, 1, 0, TS_FIELD_RIGHT},
	{"exchange code", 14, 20, 1, 0, TS_FIELD_RIGHT},
	{"control code", 14, 20, 1, 0, TS_FIELD_RIGHT},
	{"of the most", 14, 20, 1, 1, TS_FIELD_RIGHT},
};

static const struct ts_column_facts code_facts[Y_COUNT] = {
	{"tile", NULL, TS_SUM_COUNT, false},
	{"exchange_code", "bytes", TS_SUM_COUNT, false},
	{"control_code", "bytes", TS_SUM_COUNT, false},
	{"of_most", "%", TS_SUM_NONE, false},
};

static bool
cycle_value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct details_tab *d = ctx;
	const struct ts_cycle_row *row;
	int64_t most;

	if (i < 0 || i >= rows_of(d)->count)
		return false;
	row = &rows_of(d)->row[i];
	most = kinds_of(d)[main_kind(d)].most;
	if (column == Y_TILE)
		ts_table_value_integer(out, row->tile);
	else if (column != Y_SHARE)
		ts_table_value_known(out, row->cycles[column - Y_FIRST]);
	else if (most > 0)
		ts_table_value_real(out, 100.0 * (double)row->cycles[main_kind(d)] / (double)most);
	return true;
}

static bool
cycle_cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct details_tab *d = ctx;
	struct ts_table_value v = {0};
	bool bytes = d->is == PROGRAM_CODE && column != Y_TILE;

	if (!cycle_value(ctx, i, column, &v))
		return false;
	out->role = column - Y_FIRST == main_kind(d) ? TS_ROLE_VALUE : TS_ROLE_TEXT;
	out->s = out->buf;
	if (v.type == TS_VALUE_INTEGER && bytes)
		ts_fmt_bytes(out->buf, v.integer, d->t->view->env->options->units);
	else if (v.type == TS_VALUE_INTEGER && column == Y_TILE)
		ts_fmt_number(out->buf, v.integer);
	else if (v.type == TS_VALUE_INTEGER)
		ts_fmt_count(out->buf, v.integer);
	else if (v.type == TS_VALUE_REAL)
		ts_fmt_percent(out->buf, v.real, 100.0);
	else
		snprintf(out->buf, sizeof(out->buf), "?");
	return true;
}

static const struct ts_held_table tables[] = {
	[PROGRAM_VERTICES] = {.id = "program.vertices",
		.column = vertex_columns,
		.facts = vertex_facts,
		.columns = V_COUNT,
		.cell = vertex_cell,
		.value = vertex_value,
		.empty = "no vertex is recorded for its compute set"},
	[PROGRAM_CYCLES] = {.id = "program.cycles",
		.column = cycle_columns,
		.facts = cycle_facts,
		.columns = Y_COUNT,
		.cell = cycle_cell,
		.value = cycle_value,
		.empty = "no tile has cycles in this program"},
	[PROGRAM_CODE] = {.id = "program.code",
		.column = code_columns,
		.facts = code_facts,
		.columns = Y_COUNT,
		.cell = cycle_cell,
		.value = cycle_value,
		.empty = "no tile has code of this program"},
};

struct column_of {
	enum ts_relation relation;
	int column;
};

static bool
none_of(const struct ts_tab *t, const struct column_of *column, size_t n)
{
	const struct ts_report *r = t->view->env->report;

	for (size_t i = 0; r && i < n; i++)
		if (ts_report_has_column(r, column[i].relation, column[i].column))
			return false;
	return r != NULL;
}

bool
program_cycles_absent(const struct ts_tab *t)
{
	static const struct column_of columns[] = {{TS_PROGRAM, TS_PROGRAM_CYCLES_BY_TILE},
		{TS_PROGRAM, TS_PROGRAM_ESTIMATED_CYCLES_BY_TILE},
		{TS_COMPUTE_SET, TS_COMPUTE_SET_CYCLES_BY_TILE},
		{TS_COMPUTE_SET, TS_COMPUTE_SET_ESTIMATED_CYCLES_BY_TILE}};

	return none_of(t, columns, TS_COUNT(columns));
}

bool
program_code_absent(const struct ts_tab *t)
{
	static const struct column_of columns[] = {{TS_PROGRAM, TS_PROGRAM_CODE_BY_TILE},
		{TS_PROGRAM, TS_PROGRAM_CONTROL_CODE_BY_TILE}};

	return none_of(t, columns, TS_COUNT(columns));
}

/* --- drawing ---------------------------------------------------------------------------------- */

static void
details_begin(struct details_tab *d, const struct ts_tab *t)
{
	d->body = t->r;
	d->total = ts_rect_cut_bottom(&d->body, t->r.h >= 3);
	if (d->is != PROGRAM_VERTICES && d->known && main_kind(d) == 1 &&
		d->l.order.sorted == Y_FIRST)
		d->l.order.sorted = Y_SECOND;
	ts_held_list_begin(&d->l, t, &tables[d->is], d->body,
		!d->known			    ? 0
			: d->is == PROGRAM_VERTICES ? d->details.vertices
						    : rows_of(d)->count);
}

void
program_tab_resize(struct ts_tab *t)
{
	details_begin(t->own, t);
}

/* One kind of cycles in a sentence: where it comes from and how even it is. */
static int
draw_kind(struct ts_canvas *c, struct ts_rect r, int x, const struct details_tab *d, int kind)
{
	static const char *const names[] = {"measured (last execution)", "estimated"};
	enum { NEXT_LEAST = 44 }; /* columns of what can be said of the other kind behind it */
	const struct ts_tile_cycles *k = &d->details.cycles[kind];
	char n[TS_FMT_MAX], m[TS_FMT_MAX], p[TS_FMT_MAX], text[3 * TS_FMT_MAX + 64];

	if (!k->known || (x > 0 && r.w - x < NEXT_LEAST))
		return x;
	x = ts_canvas_printf(c, r, x, 0, TS_ROLE_NOTE, "%s%s: ", x > 0 ? "; " : "", names[kind]);
	if (k->active == 0)
		return ts_canvas_text(c, r, x, 0, TS_ROLE_TOTAL, "0 on all tiles");
	snprintf(text, sizeof(text), "slowest %s on tile %lld, %s tile%s active, balance %s",
		ts_fmt_count(n, k->most), (long long)k->tile, ts_fmt_count(m, k->active),
		k->active == 1 ? "" : "s",
		ts_fmt_percent(p, (double)k->sum / (double)k->active, (double)k->most));
	return x +
		ts_canvas_field(c, r, x, 0, r.w - x, TS_ROLE_TOTAL, text, strlen(text),
			TS_FIELD_CLAUSES);
}

/* The same of code. */
static int
draw_code(struct ts_canvas *c, struct ts_rect r, int x, const struct details_tab *d, int kind)
{
	static const char *const names[] = {"exchange", "control"};
	const struct ts_tile_cycles *k = &d->details.code[kind];
	enum ts_units units = d->t->view->env->options->units;
	char n[TS_FMT_MAX], m[TS_FMT_MAX], p[TS_FMT_MAX];

	if (!k->known)
		return x;
	x = ts_canvas_printf(c, r, x, 0, TS_ROLE_NOTE, "%s%s: ", x > 0 ? "; " : "", names[kind]);
	if (k->active == 0)
		return ts_canvas_text(c, r, x, 0, TS_ROLE_TOTAL, "none");
	return ts_canvas_printf(c, r, x, 0, TS_ROLE_TOTAL, "%s on %s tile%s, most %s on tile %lld",
		ts_fmt_bytes(n, k->sum, units), ts_fmt_count(m, k->active),
		k->active == 1 ? "" : "s", ts_fmt_bytes(p, k->most, units), (long long)k->tile);
}

static void
draw_total(struct ts_canvas *c, const struct ts_tab *t, const struct details_tab *d)
{
	const char *nameless = ts_absent_vertex_names(t->view->env->report);
	struct ts_rect at = ts_held_list_below(&d->l, d->body, d->total);
	const struct ts_program_details *p = &d->details;
	char n[TS_FMT_MAX], m[TS_FMT_MAX];
	int x = 0;

	ts_canvas_fill(c, at, TS_ROLE_TOTAL, ' ');
	for (int i = 0; d->is != PROGRAM_VERTICES && i < TS_CYCLES_KINDS; i++)
		x = (d->is == PROGRAM_CODE ? draw_code : draw_kind)(c, at, x, d, i);
	if (d->is != PROGRAM_VERTICES)
		return;
	x = ts_canvas_printf(c, at, 0, 0, TS_ROLE_TOTAL, "%s instances of %s vertex type%s",
		ts_fmt_count(n, p->instances), ts_fmt_count(m, p->kinds), p->kinds == 1 ? "" : "s");
	if (p->vertices < p->kinds)
		x = ts_canvas_printf(c, at, x, 0, TS_ROLE_TOTAL, ", the %s most used are listed",
			ts_fmt_count(n, p->vertices));
	if (nameless)
		ts_canvas_printf(c, at, x, 0, TS_ROLE_TOTAL, "; %s", nameless);
}

#define MEASURED "measured (autoReport.outputExecutionProfile with debug.instrument)"

/* Why there is no table of this tab at all, or NULL. */
static const char *
not_recorded(const struct details_tab *d, const struct ts_tab *t)
{
	if (d->is == PROGRAM_CYCLES && program_cycles_absent(t))
		return "Cycles by tile are not in this report: neither " MEASURED " nor estimated.";
	if (d->is == PROGRAM_CODE && program_code_absent(t))
		return "The code of programs by tile is not in this report.";
	if (d->is == PROGRAM_VERTICES && program_vertices_absent(t))
		return "The vertices of compute sets are not in this report.";
	return NULL;
}

/* What there is to say instead of a table, or NULL. */
static const char *
nothing(const struct details_tab *d, const struct ts_tab *t)
{
	const char *why = not_recorded(d, t);

	if (d->of->program(t) < 0)
		return d->of->nothing;
	if (why || !d->known)
		return why;
	if (d->is == PROGRAM_VERTICES && d->of->read)
		return d->details.has_vertices ? NULL : "None of its programs has vertices.";
	if (d->is == PROGRAM_VERTICES && d->details.compute_set != TS_UNKNOWN)
		return NULL;
	if (d->is == PROGRAM_VERTICES)
		return ts_report_has_column(t->view->env->report, TS_PROGRAM,
			       TS_PROGRAM_COMPUTE_SET)
			? "This program runs no compute set: it has no vertices."
			: "Which compute set a program runs is not in this report.";
	if (kinds_of(d)[0].known || kinds_of(d)[1].known)
		return NULL;
	return d->is == PROGRAM_CODE
		? "No code is recorded for it, neither of exchanges nor of control."
		: "No cycles by tile are recorded for it, neither " MEASURED
		  " nor estimated: compute sets and exchanges alone have them.";
}

void
program_tab_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
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
		draw_total(c, t, d);
	}
}

enum ts_effect
program_tab_command(struct ts_tab *t, const struct ts_call *call)
{
	struct details_tab *d = t->own;
	int64_t row;

	details_begin(d, t);
	row = ts_held_list_row(&d->l);
	if (d->is != PROGRAM_VERTICES && call->cmd == TS_CMD_OPEN && !ts_call_arg(call, 0) &&
		row >= 0)
		return d->of->open_tile(t, rows_of(d)->row[row].tile);
	return ts_held_list_command(&d->l, t, call);
}

enum ts_effect
program_tab_mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct details_tab *d = t->own;

	(void)x;
	details_begin(d, t);
	return ts_held_list_mouse(&d->l, d->body, y, wheel);
}

bool
program_tab_about(const struct ts_tab *t, struct ts_debug_about *out)
{
	const struct details_tab *d = t->own;

	if (d->of->about)
		return d->of->about(t, out);
	*out = (struct ts_debug_about){.relation = TS_PROGRAM,
		.key = d->of->program(t),
		.what = d->of->what};
	return out->key >= 0;
}

void
program_tab_object(const struct ts_tab *t, struct ts_at_cursor *out)
{
	struct details_tab *d = t->own;
	int64_t row = d->known ? ts_held_list_row(&d->l) : -1;

	out->program = d->of->program(t);
	if (row >= 0 && d->is != PROGRAM_VERTICES && row < rows_of(d)->count)
		out->tile = rows_of(d)->row[row].tile;
}
