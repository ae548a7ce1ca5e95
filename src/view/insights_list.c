/* SPDX-License-Identifier: MIT */
/* insights_list - the upper pane: a row for each rule, the worst first, and what tables of this view have in common. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

#include "insights_internal.h"

enum { COL_SEVERITY, COL_ID, COL_TITLE, COL_EVIDENCE, COL_SAVES, COL_CYCLES, COLUMNS };
enum {
	RANGE = 7,
	RANGE_FROM = 100
}; /* columns of "X01-X11", and of a pane that has room for them */

enum { SINGLE = 1 << 20 }; /* + a finding: its row where each has one */

_Static_assert((int)COLUMNS == (int)INSIGHTS_COLUMNS, "columns of the list");

static const struct ts_column columns[COLUMNS] = {
	[COL_SEVERITY] = {"", 4, 4, 0, 0, TS_FIELD_LEFT},
	[COL_ID] = {"Rule", 4, 8, 0, 2, TS_FIELD_ELLIPSIS},
	[COL_TITLE] = {"Finding", 14, 22, 1, 1, TS_FIELD_ELLIPSIS},
	[COL_EVIDENCE] = {"Evidence", 15, 0, 2, 0, TS_FIELD_CLAUSES},
	[COL_SAVES] = {"Saves", 9, 12, 0, 3, TS_FIELD_RIGHT},
	[COL_CYCLES] = {"Cycles", 7, 9, 0, 4, TS_FIELD_RIGHT},
};

/* What nothing saves of is not shown unless it is asked for: bit 0 bytes, bit 1 cycles. */
#define FACTS(saves)                                                                               \
	{                                                                                          \
		[COL_SEVERITY] = {.name = "severity"}, [COL_ID] = {.name = "rule"},                \
		[COL_TITLE] = {.name = "finding"}, [COL_EVIDENCE] = {.name = "evidence"},          \
		[COL_SAVES] = {.name = "saving", .unit = "bytes", .extra = !((saves)&1)},          \
		[COL_CYCLES] = {.name = "saving_cycles", .unit = "cycles", .extra = !((saves)&2)}, \
	}

static const struct ts_column_facts facts[4][COLUMNS] = {FACTS(0), FACTS(1), FACTS(2), FACTS(3)};

void
insights_group(struct insights_view *s)
{
	const struct ts_insights *in = &s->found.insights;

	s->groups = 0;
	for (int i = 0; i < in->count; i += ts_insights_together(in, i))
		s->first[s->groups++] = i;
	s->first[s->groups] = in->count;
}

int64_t
insights_rows(const struct insights_view *s)
{
	return s->groups + s->offs;
}

const struct ts_finding *
insights_finding(const struct insights_view *s, int64_t row)
{
	if (row >= SINGLE && row - SINGLE < s->found.insights.count)
		return &s->found.insights.finding[row - SINGLE];
	return row >= 0 && row < s->groups ? &s->found.insights.finding[s->first[row]] : NULL;
}

int
insights_together(const struct insights_view *s, int64_t row)
{
	return row >= 0 && row < s->groups ? s->first[row + 1] - s->first[row] : 1;
}

const struct ts_rule *
insights_rule(const struct insights_view *s, int64_t row)
{
	const struct ts_finding *f = insights_finding(s, row);
	int64_t off = row - s->groups;

	if (f)
		return f->rule;
	return off >= 0 && off < s->offs ? &s->found.rules.rule[s->off[off]] : NULL;
}

int64_t
insights_written(void *ctx, int64_t row, int64_t k)
{
	const struct insights_view *s = ctx;
	int n = insights_together(s, row);

	if (k >= n)
		return -1;
	return n == 1 ? row : SINGLE + s->first[row] + k;
}

/* Of rules that stand one behind the other the first and the last; "..." where there are more than fit. */
const char *
insights_ids(const struct insights_view *s, int64_t row, char out[INSIGHTS_IDS])
{
	const struct ts_finding *f = insights_finding(s, row);
	int n = insights_together(s, row);

	snprintf(out, INSIGHTS_IDS, "%s", insights_rule(s, row)->id);
	if (n > 2 && f[n - 1].rule - f->rule == n - 1) {
		snprintf(out, INSIGHTS_IDS, "%s-%s", f->rule->id, f[n - 1].rule->id);
		return out;
	}
	for (int i = 1; i < n; i++) {
		size_t at = strlen(out), more = i + 1 < n ? sizeof(", ...") : 1;

		if (at + 2 + strlen(f[i].rule->id) + more > INSIGHTS_IDS) {
			snprintf(out + at, INSIGHTS_IDS - at, ", ...");
			break;
		}
		snprintf(out + at, INSIGHTS_IDS - at, ", %s", f[i].rule->id);
	}
	return out;
}

bool
insights_is_of(const struct insights_view *s, int64_t row, const char *id)
{
	const struct ts_finding *f = insights_finding(s, row);

	for (int i = 0; f && i < insights_together(s, row); i++)
		if (strcmp(f[i].rule->id, id) == 0)
			return true;
	return !f && strcmp(insights_rule(s, row)->id, id) == 0;
}

/* What a row is about: of several rules how many they are. */
static const char *
title_of(const struct insights_view *s, int64_t row, char out[TS_FMT_MAX])
{
	int n = insights_together(s, row);

	if (n == 1)
		return insights_rule(s, row)->title;
	snprintf(out, TS_FMT_MAX, "%d rules", n);
	return out;
}

int64_t
insights_row(struct insights_view *s)
{
	struct ts_table t = insights_table(s);

	return insights_rows(s) > 0 ? ts_table_row(&t, s->list.list.cursor) : -1;
}

static const char *
severity_word(const struct ts_finding *f)
{
	return !f ? "off" : f->known ? ts_severity_word(f->severity) : "?";
}

static enum ts_role
severity_role(const struct ts_finding *f)
{
	return f && f->known ? ts_severity_role(f->severity) : TS_ROLE_DIM;
}

static void
fill_cell(const struct insights_view *s, int64_t row, int column, struct ts_table_cell *out)
{
	const struct ts_finding *f = insights_finding(s, row);
	bool said = f && f->known && f->severity;
	char ids[INSIGHTS_IDS];

	switch (column) {
	case COL_SEVERITY:
		out->s = severity_word(f);
		out->role = severity_role(f);
		break;
	case COL_ID:
		snprintf(out->buf, sizeof(out->buf), "%s", insights_ids(s, row, ids));
		out->s = out->buf;
		out->role = said ? TS_ROLE_VALUE : TS_ROLE_DIM;
		break;
	case COL_TITLE:
		out->s = title_of(s, row, out->buf);
		out->role = said ? TS_ROLE_TEXT : TS_ROLE_DIM;
		break;
	case COL_EVIDENCE:
		out->s = f ? f->evidence : "switched off";
		out->role = said ? TS_ROLE_VALUE : TS_ROLE_DIM;
		break;
	case COL_SAVES:
		if (said && ts_finding_bytes(f) > 0)
			out->s = ts_fmt_bytes(out->buf, f->saving, s->found.units);
		out->role = TS_ROLE_VALUE;
		break;
	default:
		if (said && ts_finding_cycles(f) > 0)
			out->s = ts_fmt_cycles_short(out->buf, f->saving);
		out->role = TS_ROLE_VALUE;
	}
}

/* What one rule saves is no more to be saved by the next, and it may be of one tile: there is no sum. */
static void
total_text(const struct insights_view *s, int column, char *out, size_t size)
{
	char n[TS_FMT_MAX];

	out[0] = '\0';
	if (column == COL_TITLE)
		snprintf(out, size, "%s rules", ts_fmt_count(n, s->found.insights.count + s->offs));
	else if (column == COL_EVIDENCE)
		snprintf(out, size, "savings overlap: no sum");
}

static bool
cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	const struct insights_view *s = ctx;

	if (row == TS_TABLE_TOTAL) {
		total_text(s, column, out->buf, sizeof(out->buf));
		out->s = out->buf;
		return true;
	}
	if (!insights_rule(s, row))
		return false;
	fill_cell(s, row, column, out);
	return true;
}

static bool
value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct insights_view *s = ctx;
	const struct ts_finding *f = insights_finding(s, row);
	char ids[INSIGHTS_IDS];

	if (row == TS_TABLE_TOTAL) {
		total_text(s, column, out->buf, sizeof(out->buf));
		ts_table_value_text(out, out->buf[0] ? out->buf : NULL);
		return true;
	}
	if (!insights_rule(s, row))
		return false;
	if (column == COL_SAVES)
		ts_table_value_known(out, f && f->known ? ts_finding_bytes(f) : TS_UNKNOWN);
	else if (column == COL_CYCLES)
		ts_table_value_known(out, f && f->known ? ts_finding_cycles(f) : TS_UNKNOWN);
	else if (column == COL_ID) {
		snprintf(out->buf, sizeof(out->buf), "%s", insights_ids(s, row, ids));
		ts_table_value_text(out, out->buf);
	} else if (column == COL_TITLE)
		ts_table_value_text(out, title_of(s, row, out->buf));
	else
		ts_table_value_text(out,
			column == COL_SEVERITY ? (f && !f->known ? "not known" : severity_word(f))
				: f	       ? f->evidence
					       : "switched off");
	return true;
}

/* The worst first; behind what was looked at what is not known, and what is switched off. */
static bool
rank(void *ctx, int64_t row, int column, int64_t *out)
{
	const struct ts_finding *f = insights_finding(ctx, row);

	if (column != COL_SEVERITY)
		return false;
	*out = !f	    ? TS_SEVERITY_BAD + 2
		: !f->known ? TS_SEVERITY_BAD + 1
			    : TS_SEVERITY_BAD - f->severity;
	return true;
}

static int
saves(const struct insights_view *s)
{
	int any = 0;

	for (int i = 0; i < s->found.insights.count; i++) {
		const struct ts_finding *f = &s->found.insights.finding[i];

		if (f->known && f->severity)
			any |= (ts_finding_bytes(f) > 0) | (ts_finding_cycles(f) > 0) << 1;
	}
	return any;
}

struct ts_table
insights_table(struct insights_view *s)
{
	memcpy(s->column, columns, sizeof(columns));
	if (s->groups < s->found.insights.count && s->at.w >= RANGE_FROM)
		s->column[COL_ID].min = RANGE;
	return (struct ts_table){.column = s->column,
		.columns = COLUMNS,
		.cell = cell,
		.ctx = s,
		.header = s->at.h > 8,
		.total = s->at.h > 8,
		.focus = !s->in_tabs,
		.sorted = s->list.order.sorted,
		.descending = s->list.order.descending,
		.empty = "no rules: all are switched off",
		.id = "insights.findings",
		.facts = facts[saves(s)],
		.value = value,
		.rank = rank,
		.looks = s->base.env->looks,
		.order = &s->list.order,
		.needle = s->sought,
		.units = s->found.units};
}

void
insights_row_text(const struct insights_view *s, int64_t row, struct ts_strbuf *out)
{
	const struct ts_finding *f = insights_finding(s, row);
	char ids[INSIGHTS_IDS];

	if (!insights_rule(s, row))
		return;
	ts_strbuf_printf(out, "%s %s %s: %s", severity_word(f), insights_ids(s, row, ids),
		f ? f->rule->title : insights_rule(s, row)->title,
		f ? f->evidence : "switched off");
	for (int i = 1; f && i < insights_together(s, row); i++)
		ts_strbuf_printf(out, "; %s %s", f[i].rule->id, f[i].rule->title);
}

void
insights_order(struct insights_view *s)
{
	struct ts_table t;

	insights_group(s);
	t = insights_table(s);
	ts_table_order_make(&s->list.order, &t, &s->list.list, insights_rows(s), s->data);
	ts_list_resize(&s->list.list, ts_table_rows(&t, s->at));
}

/* --- tables of this view ---------------------------------------------------------------------- */

typedef void text_fn(const struct insights_view *s, int64_t row, struct ts_strbuf *out);

/* Rows of a table and their text, while they are searched. */
struct searching {
	const struct insights_view *s;
	const struct ts_table *t;
	text_fn *text;
	struct ts_strbuf line;
};

static bool
is_hit(void *ctx, int64_t place)
{
	struct searching *x = ctx;

	ts_strbuf_reset(&x->line);
	x->text(x->s, ts_table_row(x->t, place), &x->line);
	return ts_contains_nocase(x->line.s, x->s->sought);
}

enum ts_effect
insights_list_find(struct insights_view *s, struct insights_list *l, const struct ts_table *t,
	int step, bool here, text_fn *text)
{
	struct searching x = {.s = s, .t = t, .text = text};
	struct ts_list_hit hit;

	if (!s->sought[0] || l->list.count <= 0)
		return TS_EFFECT_BELL;
	ts_strbuf_init(&x.line, 1 << 14);
	hit = ts_list_find(&l->list, step, here, is_hit, &x);
	ts_strbuf_fini(&x.line);
	if (hit.at < 0) {
		ts_view_say_error(s->base.env, "not found: %s", s->sought);
		return TS_EFFECT_BELL;
	}
	ts_view_say_hit(s->base.env, hit.number, hit.count, NULL);
	return ts_list_jump(&l->list, hit.at) | TS_EFFECT_REPAINT;
}

static enum ts_effect
copy(struct insights_view *s, const struct insights_list *l, const struct ts_table *t,
	text_fn *text)
{
	struct ts_strbuf line;

	if (l->list.count <= 0)
		return TS_EFFECT_BELL;
	ts_strbuf_init(&line, sizeof(s->base.env->copy) - 1);
	text(s, ts_table_row(t, l->list.cursor), &line);
	snprintf(s->base.env->copy, sizeof(s->base.env->copy), "%s", line.s);
	ts_strbuf_fini(&line);
	return TS_EFFECT_REPAINT;
}

enum ts_effect
insights_list_command(struct insights_view *s, struct insights_list *l, const struct ts_table *t,
	const struct ts_call *call, text_fn *text)
{
	const char *sought = ts_call_arg(call, 0);

	switch (call->cmd) {
	case TS_CMD_SEARCH:
	case TS_CMD_SEARCH_BACK:
		if (!sought || !*sought)
			return TS_EFFECT_UNKNOWN; /* the program asks for it first */
		snprintf(s->sought, sizeof(s->sought), "%s", sought);
		return insights_list_find(s, l, t, call->cmd == TS_CMD_SEARCH ? 1 : -1, true, text);
	case TS_CMD_SEARCH_NEXT:
		return insights_list_find(s, l, t, 1, false, text);
	case TS_CMD_SEARCH_PREVIOUS:
		return insights_list_find(s, l, t, -1, false, text);
	case TS_CMD_COPY:
		return copy(s, l, t, text);
	default:
		return (enum ts_effect)(
			(int)ts_list_command(&l->list, call->cmd) & ~TS_EFFECT_SELECT);
	}
}
