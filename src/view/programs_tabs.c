/* SPDX-License-Identifier: MIT */
/*
 * programs_tabs - below the tree: the figures of the program under the cursor, alone and with all that it calls, and where it
 * comes from.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs_internal.h"

#include "tilescope/base/mem.h"

enum kind { KIND_NUMBER, KIND_COUNT, KIND_CYCLES, KIND_BYTES };

/* A line of Details: what it is, of the program alone, of all below. */
struct line {
	const char *what;
	enum kind kind;
	size_t own;   /* offset in ts_program_cost; SIZE_MAX: nothing */
	size_t below; /* offset in ts_program_sums; SIZE_MAX: nothing */
	const char *note;
};

#define OWN(member) offsetof(struct ts_program_cost, member)
#define BELOW(member) offsetof(struct ts_program_sums, member)
#define NOTHING SIZE_MAX

static const struct line lines[] = {
	{"programs", KIND_COUNT, NOTHING, BELOW(programs),
		"each once, however many ways lead to it"},
	{"compute set", KIND_NUMBER, OWN(compute_set), NOTHING, NULL},
	{"repeat count", KIND_COUNT, OWN(repeat_count), NOTHING, NULL},
	{"steps executed", KIND_COUNT, OWN(steps), BELOW(steps), "of all runs"},
	{"cycles executed", KIND_CYCLES, OWN(executed), BELOW(executed),
		"of these steps, on all IPUs of the trace"},
	{"measured, longest tile", KIND_CYCLES, OWN(measured.most), BELOW(measured),
		"one execution of each, the last one"},
	{"measured, all tiles", KIND_CYCLES, OWN(measured.sum), NOTHING, "work of one execution"},
	{"longest tile", KIND_NUMBER, OWN(measured.tile), NOTHING, "number of the tile"},
	{"estimated, longest tile", KIND_CYCLES, OWN(estimated.most), BELOW(estimated),
		"the compiler's model"},
	{"estimated, all tiles", KIND_CYCLES, OWN(estimated.sum), NOTHING, NULL},
	{"exchange code", KIND_BYTES, OWN(exchange_code), BELOW(exchange_code),
		"exchanges share code; more than the category"},
	{"control code", KIND_BYTES, OWN(control_code), BELOW(control_code),
		"with that of its children"},
	{"live, not always", KIND_BYTES, OWN(live), BELOW(live), "at the fullest of its steps"},
	{"first liveness step", KIND_COUNT, OWN(live_step), NOTHING, NULL},
	{"first step of the trace", KIND_COUNT, OWN(first_step), NOTHING, NULL},
};

enum { D_WHAT, D_OWN, D_BELOW, D_NOTE, D_COUNT };

static const struct ts_column columns[D_COUNT] = {
	{"figure", 23, 24, 0, 0, TS_FIELD_ELLIPSIS},
	{"alone", 10, 18, 1, 0, TS_FIELD_RIGHT},
	{"with all it calls", 19, 20, 1, 0, TS_FIELD_RIGHT},
	{"", 24, 0, 6, 1, TS_FIELD_CLAUSES},
};

static const struct ts_column_facts facts[D_COUNT] = {
	{"figure", NULL, TS_SUM_NONE, false},
	{"alone", NULL, TS_SUM_NONE, false},
	{"with_below", NULL, TS_SUM_NONE, false},
	{"", NULL, TS_SUM_NONE, false},
};

struct details {
	struct ts_list list;
};

static bool
details_open(struct ts_tab *t)
{
	struct details *d = ts_alloc(1, sizeof(*d));

	if (!d)
		return false;
	ts_list_init(&d->list);
	ts_list_set_count(&d->list, (int64_t)TS_COUNT(lines));
	t->own = d;
	return true;
}

static void
details_close(struct ts_tab *t)
{
	free(t->own);
}

/* Of the program under the cursor; TS_UNKNOWN. */
static int64_t
figure(const struct programs_view *s, const struct line *l, bool below)
{
	uint32_t at = programs_at(s);
	const struct ts_program_cost *p;
	const struct ts_program_sums *sums;
	int64_t v = TS_UNKNOWN;

	if (!s->data || at == UINT32_MAX)
		return v;
	p = programs_cost(s->data, at);
	sums = programs_below(s->data, at);
	if (below && l->below != NOTHING && sums->programs != TS_UNKNOWN)
		memcpy(&v, (const char *)sums + l->below, sizeof(v));
	else if (!below && l->own != NOTHING && p)
		memcpy(&v, (const char *)p + l->own, sizeof(v));
	return v;
}

static void
show(const struct programs_view *s, const struct line *l, bool below, struct ts_table_cell *out)
{
	int64_t v = figure(s, l, below);
	bool there = (below ? l->below : l->own) != NOTHING;

	if (!there)
		return;
	if (v == TS_UNKNOWN) {
		out->s = "-";
		out->role = TS_ROLE_DIM;
	} else if (l->kind == KIND_NUMBER) { /* of a thing: as it is typed */
		snprintf(out->buf, sizeof(out->buf), "%" PRId64, v);
		out->s = out->buf;
	} else if (l->kind == KIND_BYTES) {
		out->s = ts_fmt_bytes(out->buf, v, s->base.env->options->units);
	} else {
		out->s = ts_fmt_count(out->buf, v);
	}
}

static bool
cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct programs_view *s = ctx;

	if (i < 0 || i >= (int64_t)TS_COUNT(lines))
		return false;
	if (column == D_WHAT) {
		out->s = lines[i].what;
		out->role = TS_ROLE_LABEL;
	} else if (column == D_NOTE) {
		out->s = lines[i].note ? lines[i].note : "";
		if (i == 0 && s->data && programs_at(s) != UINT32_MAX &&
			programs_below(s->data, programs_at(s))->programs == TS_UNKNOWN)
			out->s = "not summed: all programs together have too many below";
		out->role = TS_ROLE_DIM;
	} else {
		show(s, &lines[i], column == D_BELOW, out);
	}
	return true;
}

static bool
value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	if (i < 0 || i >= (int64_t)TS_COUNT(lines))
		return false;
	if (column == D_WHAT)
		ts_table_value_text(out, lines[i].what);
	else if (column != D_NOTE)
		ts_table_value_known(out, figure(ctx, &lines[i], column == D_BELOW));
	return true;
}

static struct ts_table
details_table(struct ts_tab *t)
{
	struct programs_view *s = programs_host(t);

	return (struct ts_table){
		.column = columns,
		.columns = D_COUNT,
		.cell = cell,
		.ctx = s,
		.header = true,
		.focus = s->split.in_tabs && ts_tab_has_keys(t),
		.sorted = -1,
		.id = "programs.details",
		.facts = facts,
		.value = value,
		.looks = s->base.env->looks,
		.units = s->base.env->options->units,
	};
}

static void
details_resize(struct ts_tab *t)
{
	struct details *d = t->own;
	struct ts_table table = details_table(t);
	struct ts_rect r = t->r;

	ts_rect_cut_top(&r, 1);
	ts_list_resize(&d->list, ts_table_rows(&table, r));
}

/* Its name in the first line: whole, as far as there is room. */
static void
details_draw(struct ts_tab *t, struct ts_canvas *c, bool has_keys)
{
	struct programs_view *s = programs_host(t);
	struct details *d = t->own;
	struct ts_table table = details_table(t);
	struct ts_rect r = t->r, top = ts_rect_cut_top(&r, 1);
	uint32_t at = programs_at(s);
	struct ts_strbuf type, name;

	(void)has_keys;
	if (!s->data || at == UINT32_MAX)
		return;
	ts_strbuf_init(&type, 256);
	ts_strbuf_init(&name, 1 << 14);
	programs_title(s->data, at, &type, &name);
	ts_strbuf_printf(&type, "%s%s", name.len ? "  " : "", name.s);
	ts_canvas_field(c, top, 1, 0, top.w - 1, TS_ROLE_TITLE, type.s, type.len,
		TS_FIELD_ELLIPSIS);
	ts_strbuf_fini(&type);
	ts_strbuf_fini(&name);
	ts_table_draw(c, r, &table, &d->list);
}

void
programs_tab_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	struct programs_view *s = programs_host(t);
	uint32_t at = programs_at(s);

	if (s->data && at != UINT32_MAX)
		snprintf(out, TS_TAB_NOTE, "program %" PRId64, programs_node(s->data, at)->program);
}

static enum ts_effect
details_command(struct ts_tab *t, const struct ts_call *call)
{
	struct details *d = t->own;

	if (call->cmd == TS_CMD_LEFT || call->cmd == TS_CMD_RIGHT)
		return TS_EFFECT_BELL;
	return ts_list_command(&d->list, call->cmd);
}

static enum ts_effect
details_mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct details *d = t->own;
	struct ts_table table = details_table(t);
	struct ts_rect r = t->r;

	(void)x;
	ts_rect_cut_top(&r, 1);
	return ts_list_mouse(&d->list, ts_table_line(&table, r, y), wheel);
}

static bool
details_about(const struct ts_tab *t, struct ts_debug_about *out)
{
	struct programs_view *s = programs_host(t);
	uint32_t at = programs_at(s);

	if (!s->data || at == UINT32_MAX)
		return false;
	*out = (struct ts_debug_about){.relation = TS_PROGRAM,
		.key = programs_node(s->data, at)->program,
		.what = "program"};
	return true;
}

static bool
details_sheet(struct ts_tab *t, struct ts_sheet *out)
{
	struct programs_view *s = programs_host(t);
	struct details *d = t->own;
	uint32_t at = programs_at(s);

	if (!s->data || at == UINT32_MAX)
		return false;
	snprintf(out->title, sizeof(out->title), "Program %" PRId64,
		programs_node(s->data, at)->program);
	out->table = details_table(t);
	out->list = &d->list;
	out->rows = (int64_t)TS_COUNT(lines);
	return true;
}

static void
details_explain(struct ts_tab *t, struct ts_explain *out)
{
	programs_explain(t->view, out);
}

static struct ts_list *
details_list(struct ts_tab *t, bool *there)
{
	struct details *d = t->own;

	*there = programs_host(t)->data != NULL;
	return &d->list;
}

static const struct ts_hint hints[] = {
	{TS_CMD_DEBUG, "debug"},
	{TS_CMD_EDIT, "source"},
	{TS_CMD_COUNT, NULL},
};

static const struct ts_tab_ops tab_details = {
	.name = "details",
	.title = "Details",
	.hints = hints,
	.open = details_open,
	.close = details_close,
	.note = programs_tab_note,
	.resize = details_resize,
	.draw = details_draw,
	.command = details_command,
	.mouse = details_mouse,
	.about = details_about,
	.sheet = details_sheet,
	.explain = details_explain,
	.list = details_list,
};

const struct ts_tab_ops *const programs_tab_ops[PROGRAMS_TABS] = {&tab_details, &programs_tab_code,
	&programs_tab_vertices, &programs_tab_cycles, &programs_tab_path, &programs_tab_same,
	&ts_tab_debug};
