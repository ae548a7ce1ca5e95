/* SPDX-License-Identifier: MIT */
/*
 * insights_tabs - the lower pane of the Insights view: what its tabs have in common, and the one that says all of a
 * finding.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"

#include "insights_internal.h"

/* --- what tabs with a table have in common ---------------------------------------------------- */

static const struct insights_tab_table *table_of(const struct ts_tab *t);

bool
insights_table_open(struct ts_tab *t)
{
	struct insights_list *l = ts_alloc(1, sizeof(*l));

	if (!l)
		return false;
	ts_list_init(&l->list);
	ts_table_order_init(&l->order);
	t->own = l;
	return true;
}

void
insights_table_close(struct ts_tab *t)
{
	if (t->own)
		ts_table_order_fini(&insights_rows_of(t)->order);
	free(t->own);
	t->own = NULL;
}

/* Where the table stands, below the lines above it. */
struct ts_rect
insights_table_rect(const struct ts_tab *t)
{
	struct ts_rect r = t->r;
	int head = table_of(t)->head(t);

	ts_rect_cut_top(&r, r.h > head + 3 ? head : r.h > 4 ? 1 : 0);
	return r;
}

void
insights_table_fit(struct ts_tab *t)
{
	struct insights_view *s = insights_host(t);
	struct ts_table table = table_of(t)->table(s, insights_rows_of(t));

	ts_table_order_make(&insights_rows_of(t)->order, &table, &insights_rows_of(t)->list,
		insights_ready(s) ? table_of(t)->rows(s) : 0, s->data);
	ts_list_resize(&insights_rows_of(t)->list, ts_table_rows(&table, insights_table_rect(t)));
}

static int64_t
insights_table_row(const struct ts_tab *t)
{
	struct ts_table table = table_of(t)->table(insights_host(t), insights_rows_of(t));

	return insights_rows_of(t)->list.count > 0
		? ts_table_row(&table, insights_rows_of(t)->list.cursor)
		: -1;
}

void
insights_table_object(const struct ts_tab *t, struct ts_at_cursor *out)
{
	struct insights_view *s = insights_host(t);
	int64_t row = insights_ready(s) ? insights_table_row(t) : -1;
	struct ts_peak_variable v;

	if (row < 0)
		return;
	table_of(t)->place(s, row, out->place);
	if (table_of(t)->variable && table_of(t)->variable(s, row, &v))
		out->variable = v.variable;
}

enum ts_effect
insights_table_command(struct ts_tab *t, const struct ts_call *call)
{
	struct insights_view *s = insights_host(t);
	struct ts_table table = table_of(t)->table(s, insights_rows_of(t));
	char place[TS_PLACE_TEXT] = "";
	int64_t row = insights_table_row(t);
	struct ts_peak_variable v;
	enum ts_effect effect;

	if (row >= 0)
		table_of(t)->place(s, row, place);
	if (call->cmd == TS_CMD_OPEN)
		return insights_go(s, place);
	if (call->cmd == TS_CMD_TICK)
		return insights_tick(s,
			row >= 0 && table_of(t)->variable && table_of(t)->variable(s, row, &v)
				? &v
				: NULL);
	effect = insights_list_command(s, insights_rows_of(t), &table, call, table_of(t)->text);
	insights_table_fit(t);
	return effect;
}

enum ts_effect
insights_table_find(struct ts_tab *t, int step, bool here)
{
	struct insights_view *s = insights_host(t);
	struct ts_table table = table_of(t)->table(s, insights_rows_of(t));

	return insights_list_find(s, insights_rows_of(t), &table, step, here, table_of(t)->text);
}

enum ts_effect
insights_tick(struct insights_view *s, const struct ts_peak_variable *v)
{
	struct ts_what_if_change x = {.of = TS_WHAT_IF_VARIABLE};

	if (!v) {
		ts_view_say(s->base.env,
			"no variable here: x works in the tabs Peak, FP32, Largest");
		return TS_EFFECT_BELL;
	}
	x.id = v->variable;
	ts_what_if_name(&x, v->name, v->name ? strlen(v->name) : 0);
	return ts_what_if_tick(&s->base, &x);
}

const struct ts_hint insights_variable_hints[] = {
	{TS_CMD_TICK, "what if"},
	{TS_CMD_OPEN, "go there"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_COLUMNS, "columns"},
	{TS_CMD_TAB_NEXT, "tab"},
	{TS_CMD_PANE_NEXT, "pane"},
	{TS_CMD_EXPLAIN, "explain"},
	{TS_CMD_COUNT, NULL},
};

enum ts_effect
insights_table_mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct ts_table table = table_of(t)->table(insights_host(t), insights_rows_of(t));

	(void)x;
	return ts_list_mouse(&insights_rows_of(t)->list,
		ts_table_line(&table, insights_table_rect(t), y), wheel);
}

struct ts_list *
insights_table_list(struct ts_tab *t, bool *there)
{
	*there = insights_ready(insights_host(t));
	return &insights_rows_of(t)->list;
}

bool
insights_table_sheet(struct ts_tab *t, struct ts_sheet *out)
{
	struct insights_view *s = insights_host(t);

	if (!insights_ready(s))
		return false;
	snprintf(out->title, sizeof(out->title), "%s", table_of(t)->title);
	out->table = table_of(t)->table(s, insights_rows_of(t));
	out->list = &insights_rows_of(t)->list;
	out->rows = table_of(t)->rows(s);
	return true;
}

int
insights_one_line(const struct ts_tab *t)
{
	(void)t;
	return 1;
}

int
insights_two_lines(const struct ts_tab *t)
{
	(void)t;
	return 2;
}

/* Nothing to show yet, or ever: the panel of the view. False: there is something. */
bool
insights_draw_state(struct ts_tab *t, struct ts_canvas *c)
{
	struct insights_view *s = insights_host(t);

	if (insights_ready(s))
		return false;
	ts_pane_draw(c, t->r, t->view->env, &s->state);
	return true;
}

/* One line of the head; false: there is no room for it. */
bool
insights_head_line(struct ts_canvas *c, const struct ts_tab *t, int line, enum ts_role role,
	const char *fmt, ...)
{
	char text[400];
	va_list ap;

	if (line >= insights_table_rect(t).y - t->r.y)
		return false;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ts_canvas_field(c, t->r, 1, line, t->r.w - 2, role, text, strlen(text), TS_FIELD_CLAUSES);
	return true;
}

const char *
insights_bytes(const struct insights_view *s, char out[TS_FMT_MAX], int64_t bytes)
{
	return bytes < 0 ? "not known" : ts_fmt_bytes(out, bytes, s->found.units);
}

/* A cell from its exact value: bytes, shares and counts as they are shown. */
void
insights_show_value(const struct insights_view *s, const struct ts_table_value *v, const char *unit,
	struct ts_table_cell *out)
{
	if (v->type == TS_VALUE_TEXT) {
		out->s = v->s;
		out->n = v->n;
		if (v->s == v->buf) { /* which the caller has no longer than this call */
			snprintf(out->buf, sizeof(out->buf), "%.*s", (int)v->n, v->buf);
			out->s = out->buf;
		}
	} else if (v->type == TS_VALUE_REAL) {
		out->s = ts_fmt_percent(out->buf, v->real, 100);
	} else if (v->type == TS_VALUE_INTEGER) {
		out->s = unit ? ts_fmt_bytes(out->buf, v->integer, s->found.units)
			      : ts_fmt_count(out->buf, v->integer);
	}
	out->role = v->type == TS_VALUE_TEXT ? TS_ROLE_TEXT : TS_ROLE_VALUE;
}

void
insights_sum(struct ts_table_value *out, void *ctx, ts_table_value_fn *value, int64_t rows,
	const struct ts_column_facts *facts, int column)
{
	int64_t sum = 0;
	bool known = rows == 0;

	if (facts[column].sum == TS_SUM_NONE)
		return;
	for (int64_t i = 0; i < rows; i++) {
		struct ts_table_value v = {.type = TS_VALUE_NONE};

		if (!value(ctx, i, column, &v) || v.type != TS_VALUE_INTEGER)
			continue;
		known = true;
		if (!ts_add_i64(&sum, v.integer))
			return; /* not known */
	}
	if (known)
		ts_table_value_integer(out, sum);
}

/* --- Finding ---------------------------------------------------------------------------------- */

struct page {
	struct ts_canvas *c;
	struct ts_rect r;
	int skip, lines; /* lines above the screen; of the text so far */
};

/* A paragraph, and where the next one begins. */
static void
put(struct page *p, enum ts_role role, const char *text)
{
	struct ts_rect r = p->r;
	int at = p->lines - p->skip;

	ts_rect_cut_top(&r, at > 0 ? at : 0);
	p->lines += ts_canvas_wrap(p->c, r, at < 0 ? -at : 0, role, text);
}

static void
put_rule(struct page *p, const struct insights_view *s, const struct ts_rule *rule,
	const struct ts_finding *f)
{
	struct ts_strbuf line;
	const char *name, *what = "no such measure";

	ts_strbuf_init(&line, 1000);
	for (int i = 0; (name = ts_measure_name(i, &what)); i++)
		if (strcmp(name, rule->measure) == 0)
			break;
	ts_strbuf_printf(&line, "%s: %s", rule->measure, name ? what : "no such measure");
	if (f && f->known && rule->limits > 0 && rule->limit[0].share)
		ts_strbuf_printf(&line, " = %.5g%%", f->value * 100);
	else if (f && f->known)
		ts_strbuf_printf(&line, " = %.7g", f->value);
	for (int i = 0; i < rule->limits; i++) {
		ts_strbuf_printf(&line, ", %s ", ts_severity_name(rule->limit[i].severity));
		ts_limit_text(&line, &rule->limit[i]);
	}
	put(p, TS_ROLE_DIM, line.s);
	ts_strbuf_reset(&line);
	ts_strbuf_printf(&line, "`off %s` or `limit %s SEVERITY LIMIT` in %s/insights.rules",
		rule->id, rule->id,
		s->base.env->rules_dir ? s->base.env->rules_dir : "~/.config/tilescope/rules");
	put(p, TS_ROLE_DIM, line.s);
	ts_strbuf_fini(&line);
}

static void
put_finding(struct page *p, const struct insights_view *s, const struct ts_finding *f)
{
	char line[200], bytes[TS_FMT_MAX];

	if (!f) {
		put(p, TS_ROLE_DIM, "switched off");
		return;
	}
	if (!f->known)
		put(p, TS_ROLE_NOTE, "not known:");
	put(p, TS_ROLE_VALUE, f->evidence);
	if (f->known && f->saving > 0) {
		snprintf(line, sizeof(line), "saves at most %s %s",
			f->saving_of == TS_SAVING_CYCLES ? ts_fmt_count(bytes, f->saving)
							 : insights_bytes(s, bytes, f->saving),
			ts_saving_of(f->saving_of));
		put(p, TS_ROLE_GOOD, line);
	}
	if (f->place[0]) {
		snprintf(line, sizeof(line), "Enter shows it: %s", f->place);
		put(p, TS_ROLE_ACCENT, line);
	}
}

/* Of rules that share a row, being not known for one reason: what each looks at. */
static void
put_others(struct page *p, const struct ts_finding *f, int n)
{
	char line[200];

	put(p, TS_ROLE_TEXT, " ");
	for (int i = 0; i < n; i++) {
		snprintf(line, sizeof(line), "%s  %.100s", f[i].rule->id, f[i].rule->title);
		put(p, TS_ROLE_TEXT, line);
	}
}

static void
finding_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct insights_view *s = insights_host(t);
	struct ts_list *l = &insights_rows_of(t)->list;
	int64_t row = insights_row(s);
	const struct ts_rule *rule = insights_rule(s, row);
	const struct ts_finding *f = insights_finding(s, row);
	struct page p = {.c = c, .r = t->r, .skip = (int)l->top};
	int together = insights_together(s, row);
	char title[40];

	(void)focus;
	if (insights_draw_state(t, c) || !rule)
		return;
	p.r.x += 1;
	p.r.w -= 2;
	if (together > 1) {
		snprintf(title, sizeof(title), "%d rules", together);
		put(&p, TS_ROLE_TITLE, title);
		put_finding(&p, s, f);
		put_others(&p, f, together);
		return;
	}
	put(&p, f && f->known && f->severity ? ts_severity_role(f->severity) : TS_ROLE_TITLE,
		rule->title);
	put_finding(&p, s, f);
	put(&p, TS_ROLE_TEXT, " ");
	if (f && f->known && !f->severity)
		put(&p, TS_ROLE_DIM, "Nothing is to be done. If it were not so:");
	put(&p, TS_ROLE_TEXT, rule->advice);
	put(&p, TS_ROLE_TEXT, " ");
	put_rule(&p, s, rule, f);
}

static void
finding_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	struct insights_view *s = insights_host(t);
	int64_t row = insights_row(s);
	char ids[INSIGHTS_IDS];

	snprintf(out, TS_TAB_NOTE, "%s", insights_rule(s, row) ? insights_ids(s, row, ids) : "");
}

/* Its lines scroll; how many there are follows from the width, so that any number may be gone to. */
static enum ts_effect
finding_command(struct ts_tab *t, const struct ts_call *call)
{
	struct insights_view *s = insights_host(t);
	const struct ts_finding *f = insights_finding(s, insights_row(s));
	enum { LINES = 60 };

	if (call->cmd == TS_CMD_OPEN)
		return insights_go(s, f ? f->place : NULL);
	if (call->cmd == TS_CMD_DOWN)
		insights_rows_of(t)->list.top = ts_min_i64(insights_rows_of(t)->list.top + 1,
			LINES);
	else if (call->cmd == TS_CMD_UP)
		insights_rows_of(t)->list.top = ts_max_i64(insights_rows_of(t)->list.top - 1, 0);
	else if (call->cmd == TS_CMD_FIRST)
		insights_rows_of(t)->list.top = 0;
	else
		return TS_EFFECT_UNKNOWN;
	return TS_EFFECT_REPAINT;
}

void
insights_table_explain(struct ts_tab *t, struct ts_explain *out)
{
	if (insights_ready(insights_host(t)))
		table_of(t)->explain(insights_host(t), insights_table_row(t), out);
}

static void
finding_explain(struct ts_tab *t, struct ts_explain *out)
{
	insights_explain_finding(insights_host(t), insights_row(insights_host(t)), out);
}

/* --- the tables of functions ------------------------------------------------------------------ */

static const struct ts_tab_ops tab_finding = {
	.name = "finding",
	.title = "Finding",
	.open = insights_table_open,
	.close = insights_table_close,
	.note = finding_note,
	.draw = finding_draw,
	.command = finding_command,
	.explain = finding_explain,
};

const struct ts_tab_ops *const insights_tab_ops[INSIGHTS_TABS] = {&tab_finding, &insights_tab_tiles,
	&insights_tab_peak, &insights_tab_fp32, &insights_tab_largest};

static const struct insights_tab_table *
table_of(const struct ts_tab *t)
{
	return t->ops == &insights_tab_peak    ? &insights_peak_table
		: t->ops == &insights_tab_fp32 ? &insights_fp32_table
					       : &insights_tiles_table;
}
