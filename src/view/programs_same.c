/* SPDX-License-Identifier: MIT */
/*
 * programs_same - the tab of the programs that have to do with the one under the cursor: with its compute set, its debug context
 * or a vertex of its compute set. The tree marks the same ones.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "program_tabs.h"
#include "programs_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/program_same.h"
#include "tilescope/view/held_list.h"

enum { NO_PROGRAM = -2 };

struct same_fetch {
	struct ts_fetch f;	    /* first */
	struct programs_data *data; /* held */
	const struct ts_cache *cache;
	struct ts_program_same same;
};

struct same_tab {
	struct ts_held_list l; /* first */
	struct programs_view *s;
	struct ts_fetch *sent;
	int64_t asked; /* program */
	bool known;
	struct programs_data *data; /* held: rows are of its costs */
	struct ts_program_same same;
	struct ts_rect body, total;
};

static enum ts_code
read_same(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct same_fetch *q = (struct same_fetch *)f;

	return ts_program_same_read(&q->same, rd, q->data->costs, q->same.program, q->cache, err);
}

static void
fini_same(struct ts_fetch *f)
{
	struct same_fetch *q = (struct same_fetch *)f;

	ts_program_same_fini(&q->same);
	programs_release(q->data);
}

static bool
same_open(struct ts_tab *t)
{
	struct same_tab *d = ts_alloc(1, sizeof(*d));

	if (!d)
		return false;
	d->s = programs_host(t);
	d->asked = NO_PROGRAM;
	ts_held_list_init(&d->l, -1);
	t->own = d;
	return true;
}

static void
same_drop(struct ts_tab *t)
{
	struct same_tab *d = t->own;

	ts_program_same_fini(&d->same);
	programs_release(d->data);
	d->data = NULL;
	d->known = false;
	d->sent = NULL;
	d->asked = NO_PROGRAM;
	d->l.of++;
}

static void
same_close(struct ts_tab *t)
{
	same_drop(t);
	ts_held_list_fini(&((struct same_tab *)t->own)->l);
	free(t->own);
}

static void
same_request(struct ts_tab *t)
{
	struct same_tab *d = t->own;
	uint32_t at = programs_at(d->s);
	int64_t program = d->s->data && at != UINT32_MAX ? programs_node(d->s->data, at)->program
							 : TS_UNKNOWN;
	struct same_fetch *q;

	if (program == TS_UNKNOWN || (program == d->asked && d->data == d->s->data))
		return;
	if (program == d->asked && d->sent)
		return;
	q = ts_alloc(1, sizeof(*q));
	if (!q)
		return;
	d->asked = program;
	q->f.read = read_same;
	q->f.fini = fini_same;
	q->cache = t->view->env->cache;
	q->data = programs_hold(d->s->data);
	q->same.program = program;
	d->sent = &q->f;
	ts_fetch_send(t->view, &q->f, t->kind, TS_WORKER_SCREEN, "looking for the same programs");
}

static enum ts_effect
same_deliver(struct ts_tab *t, struct ts_fetch *f)
{
	struct same_tab *d = t->own;
	struct same_fetch *q = (struct same_fetch *)f;

	if (d->sent != f)
		return TS_EFFECT_NONE;
	d->sent = NULL;
	if (ts_fetch_in_vain(f, t->view->env->generation))
		return TS_EFFECT_REPAINT;
	if (f->code)
		ts_view_say_error(t->view->env, "%s", f->err.msg);
	ts_program_same_fini(&d->same);
	programs_release(d->data);
	d->same = q->same;
	d->data = q->data;
	q->same = (struct ts_program_same){0};
	q->data = NULL;
	d->known = true;
	d->l.of++;
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* Is the answer of the program under the cursor? */
static bool
is_current(const struct same_tab *d)
{
	uint32_t at = programs_at(d->s);

	return d->known && d->s->data && at != UINT32_MAX &&
		d->same.program == programs_node(d->s->data, at)->program;
}

static const struct ts_program_same_row *
row_at(const struct same_tab *d, int64_t i)
{
	return i < 0 || i >= d->same.count
		? NULL
		: (const struct ts_program_same_row *)d->same.row.memory + i;
}

unsigned
programs_same(const struct programs_view *s, uint32_t node)
{
	const struct same_tab *d = s->split.tabs.tab[PROGRAMS_TAB_SAME].own;
	const struct ts_program_cost *p = programs_cost(s->data, programs_at(s)),
				     *q = programs_cost(s->data, node);
	unsigned same = 0;

	if (!p || !q || p == q)
		return 0;
	if (p->compute_set != TS_UNKNOWN && p->compute_set == q->compute_set)
		same |= TS_SAME_SET;
	if (p->context != TS_UNKNOWN && p->context == q->context)
		same |= TS_SAME_CONTEXT;
	if (same || !is_current(d))
		return same;
	for (int64_t i = 0; i < d->same.count && i < PROGRAMS_MARKED; i++)
		if (row_at(d, i)->cost->program == q->program)
			return row_at(d, i)->same;
	return 0;
}

/* --- the table ------------------------------------------------------------------------------------ */

enum { S_NAME, S_TYPE, S_SAME, S_STEPS, S_CYCLES, S_ONCE, S_PROGRAM, S_COUNT };

static const struct ts_column columns[S_COUNT] = {
	{"name", 12, 0, 4, 0, TS_FIELD_TAIL},
	{"program", 14, 24, 1, 0, TS_FIELD_ELLIPSIS},
	{"the same", 12, 20, 0, 0, TS_FIELD_ELLIPSIS},
	{"steps", 9, 11, 0, 2, TS_FIELD_RIGHT},
	{"cycles", 8, 10, 0, 1, TS_FIELD_RIGHT},
	{"each", 8, 10, 0, 3, TS_FIELD_RIGHT},
	{"number", 7, 8, 0, 1, TS_FIELD_RIGHT},
};

static const struct ts_column_facts facts[S_COUNT] = {
	{"name", NULL, TS_SUM_NONE, false},
	{"type", NULL, TS_SUM_NONE, false},
	{"same", NULL, TS_SUM_NONE, false},
	{"steps", "steps", TS_SUM_COUNT, false},
	{"cycles", "cycles", TS_SUM_COUNT, false},
	{"cycles_once", "cycles", TS_SUM_NONE, false},
	{"program", NULL, TS_SUM_NONE, false},
};

const char *
programs_same_words(unsigned same)
{
	static const char *const words[] = {"", "set", "context", "set, context", "vertex",
		"set, vertex", "context, vertex", "set, context, vertex"};

	return words[same % TS_COUNT(words)];
}

static void
text_value(struct ts_table_value *out, const char *s, size_t n)
{
	if (s)
		*out = (struct ts_table_value){.type = TS_VALUE_TEXT, .s = s, .n = n};
}

static bool
value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct same_tab *d = ctx;
	const struct ts_program_same_row *row = row_at(d, i);
	const char *s;
	size_t n = 0;

	if (!row)
		return false;
	switch (column) {
	case S_NAME:
		s = ts_names_find(&d->data->names, row->cost->program, &n);
		text_value(out, s, n);
		break;
	case S_TYPE:
		s = ts_program_type(&n, d->data->costs, row->cost);
		text_value(out, s, n);
		break;
	case S_SAME:
		ts_table_value_text(out, programs_same_words(row->same));
		break;
	case S_STEPS:
		ts_table_value_known(out, row->cost->steps);
		break;
	case S_CYCLES:
		ts_table_value_known(out, row->cost->executed);
		break;
	case S_ONCE:
		ts_table_value_known(out,
			row->cost->measured.most == TS_UNKNOWN ? row->cost->estimated.most
							       : row->cost->measured.most);
		break;
	default:
		ts_table_value_integer(out, row->cost->program);
	}
	return true;
}

static bool
cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct same_tab *d = ctx;
	const struct ts_program_same_row *row = row_at(d, i);
	struct ts_table_value v = {0};
	bool estimated = column == S_ONCE && row && row->cost->measured.most == TS_UNKNOWN;
	char n[TS_FMT_MAX];

	if (!value(ctx, i, column, &v))
		return false;
	out->s = out->buf;
	if (v.type == TS_VALUE_TEXT) {
		out->s = v.s;
		out->n = v.n;
		if (column == S_TYPE)
			out->role = (enum ts_role)(TS_ROLE_COMPUTE + row->cost->class_of);
	} else if (v.type == TS_VALUE_INTEGER && column == S_PROGRAM)
		snprintf(out->buf, sizeof(out->buf), "%" PRId64, v.integer);
	else if (v.type == TS_VALUE_INTEGER && column == S_STEPS)
		ts_fmt_count(out->buf, v.integer);
	else if (v.type == TS_VALUE_INTEGER)
		snprintf(out->buf, sizeof(out->buf), "%s%s", estimated ? "~" : "",
			ts_fmt_cycles_short(n, v.integer));
	else
		out->s = "";
	return true;
}

static const struct ts_held_table table = {.id = "programs.same",
	.column = columns,
	.facts = facts,
	.columns = S_COUNT,
	.cell = cell,
	.value = value,
	.empty = "no other program has its compute set, its debug context or a vertex of it"};

static void
same_begin(struct same_tab *d, const struct ts_tab *t)
{
	d->body = t->r;
	d->total = ts_rect_cut_bottom(&d->body, t->r.h >= 3);
	ts_held_list_begin(&d->l, t, &table, d->body, is_current(d) ? d->same.count : 0);
}

static void
same_resize(struct ts_tab *t)
{
	same_begin(t->own, t);
}

static void
draw_total(struct ts_canvas *c, const struct same_tab *d)
{
	struct ts_rect at = ts_held_list_below(&d->l, d->body, d->total);
	const struct ts_program_same *s = &d->same;
	char n[TS_FMT_MAX], m[TS_FMT_MAX], k[TS_FMT_MAX], v[TS_FMT_MAX];

	ts_canvas_fill(c, at, TS_ROLE_TOTAL, ' ');
	ts_canvas_printf(c, at, 0, 0, TS_ROLE_TOTAL,
		"%s program%s%s: %s with its compute set, %s with its context, %s with a vertex of it",
		ts_fmt_count(n, s->count), s->count == 1 ? "" : "s", s->partial ? ", partial" : "",
		ts_fmt_count(m, s->with_set), ts_fmt_count(k, s->with_context),
		ts_fmt_count(v, s->with_vertex));
}

static void
same_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct same_tab *d = t->own;

	(void)focus;
	if (!d->s->data)
		return;
	if (!is_current(d)) {
		ts_canvas_pending(c, t->r, 2, 0);
		return;
	}
	same_begin(d, t);
	ts_held_list_draw(&d->l, c, d->body);
	draw_total(c, d);
}

static enum ts_effect
same_command(struct ts_tab *t, const struct ts_call *call)
{
	struct same_tab *d = t->own;
	const struct ts_program_same_row *row;

	same_begin(d, t);
	row = is_current(d) ? row_at(d, ts_held_list_row(&d->l)) : NULL;
	if (call->cmd == TS_CMD_OPEN && !ts_call_arg(call, 0) && row)
		return programs_go_to(d->s, row->cost->program);
	return ts_held_list_command(&d->l, t, call);
}

static enum ts_effect
same_mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct same_tab *d = t->own;

	(void)x;
	same_begin(d, t);
	return ts_held_list_mouse(&d->l, d->body, y, wheel);
}

static bool
same_about(const struct ts_tab *t, struct ts_debug_about *out)
{
	const struct same_tab *d = t->own;
	const struct ts_program_same_row *row = is_current(d) ? row_at(d, ts_held_list_row(&d->l))
							      : NULL;

	if (!row)
		return false;
	*out = (struct ts_debug_about){.relation = TS_PROGRAM,
		.key = row->cost->program,
		.what = "program"};
	return true;
}

static void
same_explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct same_tab *d = t->own;
	const struct ts_program_same_row *row = is_current(d) ? row_at(d, ts_held_list_row(&d->l))
							      : NULL;

	if (row)
		program_explain(out, row->cost, t->view->env->options->units);
}

static struct ts_list *
same_list(struct ts_tab *t, bool *there)
{
	struct same_tab *d = t->own;

	*there = is_current(d);
	return &d->l.list;
}

static const struct ts_hint hints[] = {
	{TS_CMD_OPEN, "go there"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops programs_tab_same = {
	.name = "steps",
	.title = "Steps",
	.hints = hints,
	.open = same_open,
	.close = same_close,
	.drop = same_drop,
	.note = programs_tab_note,
	.resize = same_resize,
	.request = same_request,
	.deliver = same_deliver,
	.draw = same_draw,
	.command = same_command,
	.mouse = same_mouse,
	.about = same_about,
	.explain = same_explain,
	.sheet = programs_tab_sheet,
	.list = same_list,
};
