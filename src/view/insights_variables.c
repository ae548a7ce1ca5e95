/* SPDX-License-Identifier: MIT */
/* insights_variables - the tabs of what makes up the peak, and of what of it is FP32; insights_peak.c has their rows. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"

#include "insights_peak.h"

enum { P_BYTES, P_SHARE, P_SUM, P_LIVE, P_TYPE, P_NAME, P_TICK, P_COLUMNS };

static const struct ts_column peak_columns[P_COLUMNS] = {
	[P_BYTES] = {"Bytes", 9, 12, 0, 0, TS_FIELD_RIGHT},
	[P_SHARE] = {"%", 6, 6, 0, 1, TS_FIELD_RIGHT},
	[P_SUM] = {"% so far", 8, 8, 0, 2, TS_FIELD_RIGHT},
	[P_LIVE] = {"Live", 8, 8, 0, 3, TS_FIELD_LEFT},
	[P_TYPE] = {"Type", 6, 6, 0, 4, TS_FIELD_LEFT},
	[P_NAME] = {"Variable", 16, 0, 1, 0, TS_FIELD_TAIL},
	[P_TICK] = {"What if", 7, 7, 0, 0, TS_FIELD_LEFT},
};

static const struct ts_column_facts peak_facts[P_COLUMNS] = {
	[P_BYTES] = {.name = "bytes", .unit = "bytes", .sum = TS_SUM_BYTES},
	[P_SHARE] = {.name = "share", .unit = "%"},
	[P_SUM] = {.name = "so_far", .unit = "%"},
	[P_LIVE] = {.name = "live"},
	[P_TYPE] = {.name = "type"},
	[P_NAME] = {.name = "variable"},
	[P_TICK] = {.name = "what_if"},
};

/* The column of what is ticked stands there while there is something to say in it. */
static bool
has_ticks(const struct insights_view *s)
{
	return s->base.env->selection->what_if.count > 0;
}

/* "93 variables", or how many of them are in the list. */
static void
listed(struct ts_table_value *out, int64_t rows, int64_t all)
{
	char n[TS_FMT_MAX], m[TS_FMT_MAX];

	if (rows < all)
		snprintf(out->buf, sizeof(out->buf), "largest %s of %s", ts_fmt_count(n, rows),
			ts_fmt_count(m, all));
	else
		snprintf(out->buf, sizeof(out->buf), "%s variable%s", ts_fmt_count(n, rows),
			rows == 1 ? "" : "s");
	ts_table_value_text(out, out->buf);
}

static bool
peak_row_value(const struct peak_look *k, int64_t row, int column, struct ts_table_value *out)
{
	struct ts_peak_variable v;

	if (!peak_look_row(k, row, &v))
		return false;
	switch (column) {
	case P_BYTES:
		ts_table_value_known(out, v.bytes);
		break;
	case P_SHARE:
		if (k->whole > 0)
			ts_table_value_real(out, 100 * (double)v.bytes / k->whole);
		break;
	case P_SUM:
		if (k->whole > 0)
			ts_table_value_real(out, 100 * peak_look_so_far(k, row) / k->whole);
		break;
	case P_LIVE:
		ts_table_value_text(out, v.always ? "always" : "at peak");
		break;
	case P_TYPE:
		ts_table_value_text(out,
			ts_peak_type_name(k->all ? &k->all->types : &k->found->types, v.type));
		break;
	case P_TICK:
		ts_table_value_text(out,
			ts_what_if_sign_in(k->what_if, TS_WHAT_IF_VARIABLE, v.variable, out->buf));
		break;
	default:
		ts_table_value_text(out, v.name);
	}
	return true;
}

static bool peak_value(void *ctx, int64_t row, int column, struct ts_table_value *out);

static void
peak_total(void *ctx, int column, struct ts_table_value *out)
{
	const struct insights_view *s = ctx;
	const struct ts_peak_variables *p = &insights_facts(s)->peak;
	const struct peak_look k = peak_look(s, false);
	int64_t rows = peak_look_rows(&k);
	double bytes = rows > 0 ? peak_look_so_far(&k, rows - 1) : 0;

	if (column == P_BYTES && k.whole < 0)
		return; /* it goes beyond what can be added up */
	if (column == P_BYTES && rows > 0 && k.all)
		ts_table_value_integer(out, k.all->row[rows - 1].so_far);
	else if (column == P_BYTES)
		insights_sum(out, ctx, peak_value, rows, peak_facts, column);
	else if (column == P_SHARE && k.whole > 0 && rows > 0)
		ts_table_value_real(out, 100 * bytes / k.whole);
	else if (column == P_NAME)
		listed(out, rows, p->always.count + p->alive.count);
}

static bool
peak_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct peak_look k = peak_look(ctx, false);

	if (row != TS_TABLE_TOTAL)
		return peak_row_value(&k, row, column, out);
	peak_total(ctx, column, out);
	return true;
}

static bool
peak_cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	struct ts_table_value v = {.type = TS_VALUE_NONE};

	if (!peak_value(ctx, row, column, &v))
		return false;
	insights_show_value(ctx, &v, peak_facts[column].unit, out);
	if (row == TS_TABLE_TOTAL)
		out->role = TS_ROLE_TOTAL;
	return true;
}

static struct ts_table
peak_table(struct insights_view *s, struct insights_list *l)
{
	peak_set_order(s, l, false);
	return (struct ts_table){.column = peak_columns,
		.columns = P_COLUMNS - !has_ticks(s),
		.cell = peak_cell,
		.ctx = s,
		.header = true,
		.total = insights_facts(s)->peak.largest.count > 0,
		.focus = s->in_tabs,
		.sorted = l->order.sorted,
		.descending = l->order.descending,
		.empty = "nothing is alive at the peak",
		.id = "insights.peak",
		.facts = peak_facts,
		.value = peak_value,
		.looks = s->base.env->looks,
		.order = &l->order,
		.units = s->found.units};
}

static int64_t
peak_rows(const struct insights_view *s)
{
	const struct peak_look k = peak_look(s, false);

	return peak_look_rows(&k);
}

static bool
peak_variable(const struct insights_view *s, int64_t row, struct ts_peak_variable *out)
{
	const struct peak_look k = peak_look(s, false);

	return peak_look_row(&k, row, out);
}

static bool
half_variable(const struct insights_view *s, int64_t row, struct ts_peak_variable *out)
{
	const struct peak_look k = peak_look(s, true);

	return peak_look_row(&k, row, out);
}

static void
variable_text(const struct insights_view *s, const struct ts_peak_variable *v,
	struct ts_strbuf *out)
{
	char bytes[TS_FMT_MAX];

	ts_strbuf_printf(out, "%s %s%s%s", insights_bytes(s, bytes, v->bytes),
		v->always ? "always live " : "", v->fp32 ? "FP32 " : "",
		v->name ? v->name : "(no name)");
}

static void
peak_text(const struct insights_view *s, int64_t row, struct ts_strbuf *out)
{
	struct ts_peak_variable v;

	if (peak_variable(s, row, &v))
		variable_text(s, &v, out);
}

static void
place_of(const struct insights_view *s, bool halves, int64_t row, char out[TS_PLACE_TEXT])
{
	const struct peak_look k = peak_look(s, halves);
	struct ts_peak_variable v;

	/* the list that it stands in */
	if (insights_facts(s)->peak.step != TS_UNKNOWN && peak_look_row(&k, row, &v))
		snprintf(out, TS_PLACE_TEXT, "liveness?step=%" PRId64 "&tab=%s",
			insights_facts(s)->peak.step, v.always ? "always" : "alive");
}

static void
peak_place(const struct insights_view *s, int64_t row, char out[TS_PLACE_TEXT])
{
	place_of(s, false, row, out);
}

static void
half_place(const struct insights_view *s, int64_t row, char out[TS_PLACE_TEXT])
{
	place_of(s, true, row, out);
}

static bool
say_share(const struct insights_view *s, int percent, const char *word, struct ts_strbuf *out)
{
	int64_t k = peak_share(s, percent);
	char buf[TS_FMT_MAX];

	if (k == TS_UNKNOWN)
		ts_strbuf_printf(out, ", more than %s %s", ts_fmt_count(buf, peak_rows(s)), word);
	else
		ts_strbuf_printf(out, ", %s %s", ts_fmt_count(buf, k), word);
	return k != TS_UNKNOWN;
}

/* Of how many replicas figures of the device are, where there is more than one. */
static const char *
insights_replicas(const struct insights_view *s, char out[TS_FMT_MAX + 24])
{
	int64_t replicas = insights_facts(s)->peak.replicas;

	out[0] = '\0';
	if (replicas > 1)
		snprintf(out, TS_FMT_MAX + 24, " (all %" PRId64 " replicas)", replicas);
	return out;
}

static void
draw_peak_head(const struct insights_view *s, struct ts_canvas *c, const struct ts_tab *t)
{
	const struct ts_peak_variables *p = &insights_facts(s)->peak;
	char all[TS_FMT_MAX], always[TS_FMT_MAX], alive[TS_FMT_MAX], n[TS_FMT_MAX];
	char rest[TS_FMT_MAX], replicas[TS_FMT_MAX + 24];
	int64_t listed = p->always.count + p->alive.count;
	struct ts_strbuf line;

	if (!p->has_lives) {
		insights_head_line(c, t, 0, TS_ROLE_NOTE,
			"who is alive at which step is not recorded: always-live variables only (%s)",
			insights_bytes(s, always, ts_peak_sum_bytes(&p->always)));
		return;
	}
	insights_head_line(c, t, 0, TS_ROLE_TEXT,
		"variables %s: %s always live, %s at peak%s; not variables %s",
		insights_bytes(s, all, ts_peak_bytes(p)),
		insights_bytes(s, always, ts_peak_sum_bytes(&p->always)),
		insights_bytes(s, alive, ts_peak_sum_bytes(&p->alive)),
		insights_replicas(s, replicas), insights_bytes(s, rest, p->code.bytes));
	ts_strbuf_init(&line, 300);
	ts_strbuf_printf(&line, "%s variable%s", ts_fmt_count(n, listed), listed == 1 ? "" : "s");
	if (ts_peak_bytes(p) != TS_UNKNOWN && say_share(s, 50, "are half", &line) &&
		say_share(s, 75, "are 75%", &line))
		say_share(s, 90, "are 90%", &line);
	insights_head_line(c, t, 1, TS_ROLE_ACCENT, "%s", line.s);
	ts_strbuf_fini(&line);
}

/* What is missing, why, and where something of it can be seen. False: nothing is. */
static bool
draw_absent(const struct ts_tab *t, struct ts_canvas *c)
{
	struct ts_pane_data d = {.state = TS_PANE_ABSENT, .absent = TS_ABSENT_PEAK_VARIABLES};
	const struct ts_report *r = t->view->env->report;
	bool there = ts_report_has(r, TS_VARIABLE);

	if (insights_facts(insights_host(t))->has_peak)
		return false;
	if (there)
		d.state = TS_PANE_FAILED;
	snprintf(d.reason, sizeof(d.reason), "%.199s",
		there ? "the variables before lowering" : r->binding[TS_VARIABLE].reason);
	ts_pane_draw(c, t->r, t->view->env, &d);
	return true;
}

static void
peak_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct insights_view *s = insights_host(t);
	struct ts_table table = peak_table(s, insights_rows_of(t));

	if (insights_draw_state(t, c) || draw_absent(t, c))
		return;
	table.focus = focus;
	draw_peak_head(s, c, t);
	ts_table_draw(c, insights_table_rect(t), &table, &insights_rows_of(t)->list);
}

static bool
peak_absent(const struct ts_tab *t)
{
	return insights_ready(insights_host(t)) && !insights_facts(insights_host(t))->has_peak;
}

/* Of more bytes of names than are kept those of the largest are there. */
static void
add_named(const struct insights_view *s, char out[TS_TAB_NOTE])
{
	size_t n = strlen(out);
	char buf[TS_FMT_MAX];

	if (s->peak && s->peak->named < s->peak->count)
		snprintf(out + n, TS_TAB_NOTE - n, ", names of the largest %s alone",
			ts_fmt_count(buf, (int64_t)s->peak->named));
}

static void
step_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct insights_view *s = insights_host(t);
	char buf[TS_FMT_MAX];

	if (insights_ready(s) && insights_facts(s)->has_peak &&
		insights_facts(s)->peak.step != TS_UNKNOWN)
		snprintf(out, TS_TAB_NOTE, "liveness step %s",
			ts_fmt_count(buf, insights_facts(s)->peak.step));
	add_named(s, out);
}

static void
halves_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct insights_view *s = insights_host(t);
	const struct ts_peak_variables *p = &insights_facts(s)->peak;
	char n[TS_FMT_MAX], step[TS_FMT_MAX];

	if (!insights_ready(s) || !insights_facts(s)->has_peak || !p->has_types)
		return;
	snprintf(out, TS_TAB_NOTE, "%s candidates%s%s", ts_fmt_count(n, p->fp32.count),
		p->step == TS_UNKNOWN ? "" : ", step ",
		p->step == TS_UNKNOWN ? "" : ts_fmt_count(step, p->step));
	add_named(s, out);
}

/* --- FP32 ------------------------------------------------------------------------------------- */

enum { H_BYTES, H_SAVES, H_LIVE, H_NAME, H_TICK, H_COLUMNS };

static const struct ts_column half_columns[H_COLUMNS] = {
	[H_BYTES] = {"FP32", 9, 12, 0, 0, TS_FIELD_RIGHT},
	[H_SAVES] = {"Saves", 9, 12, 0, 0, TS_FIELD_RIGHT},
	[H_LIVE] = {"Live", 8, 8, 0, 1, TS_FIELD_LEFT},
	[H_NAME] = {"Variable", 16, 0, 1, 0, TS_FIELD_TAIL},
	[H_TICK] = {"What if", 7, 7, 0, 0, TS_FIELD_LEFT},
};

static const struct ts_column_facts half_facts[H_COLUMNS] = {
	[H_BYTES] = {.name = "bytes", .unit = "bytes", .sum = TS_SUM_BYTES},
	[H_SAVES] = {.name = "saving", .unit = "bytes", .sum = TS_SUM_BYTES},
	[H_LIVE] = {.name = "live"},
	[H_NAME] = {.name = "variable"},
	[H_TICK] = {.name = "what_if"},
};

static bool
half_row_value(const struct peak_look *k, int64_t row, int column, struct ts_table_value *out)
{
	struct ts_peak_variable v;

	if (!peak_look_row(k, row, &v))
		return false;
	if (column == H_BYTES || column == H_SAVES)
		ts_table_value_known(out, v.bytes / (column == H_SAVES ? 2 : 1));
	else if (column == H_TICK)
		ts_table_value_text(out,
			ts_what_if_sign_in(k->what_if, TS_WHAT_IF_VARIABLE, v.variable, out->buf));
	else
		ts_table_value_text(out,
			column == H_NAME   ? v.name
				: v.always ? "always"
					   : "at peak");
	return true;
}

static bool
half_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct insights_view *s = ctx;
	const struct peak_look k = peak_look(s, true);

	if (row != TS_TABLE_TOTAL)
		return half_row_value(&k, row, column, out);
	if (column == H_NAME)
		listed(out, peak_look_rows(&k), insights_facts(s)->peak.fp32.count);
	else if (!k.all)
		insights_sum(out, ctx, half_value, peak_look_rows(&k), half_facts, column);
	else if (column == H_BYTES || column == H_SAVES)
		ts_table_value_known(out,
			column == H_BYTES ? k.all->half_bytes : k.all->half_saves);
	return true;
}

static bool
half_cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	struct ts_table_value v = {.type = TS_VALUE_NONE};

	if (!half_value(ctx, row, column, &v))
		return false;
	insights_show_value(ctx, &v, half_facts[column].unit, out);
	if (row == TS_TABLE_TOTAL)
		out->role = TS_ROLE_TOTAL;
	return true;
}

static struct ts_table
half_table(struct insights_view *s, struct insights_list *l)
{
	const struct ts_peak_variables *p = &insights_facts(s)->peak;

	peak_set_order(s, l, true);
	return (struct ts_table){.column = half_columns,
		.columns = H_COLUMNS - !has_ticks(s),
		.cell = half_cell,
		.ctx = s,
		.header = true,
		.total = p->halves.count > 0,
		.focus = s->in_tabs,
		.sorted = l->order.sorted,
		.descending = l->order.descending,
		.empty = !p->has_types ? "the element type of variables is not recorded"
				       : "nothing of FP32 is alive at the peak",
		.id = "insights.fp32",
		.facts = half_facts,
		.value = half_value,
		.looks = s->base.env->looks,
		.order = &l->order,
		.units = s->found.units};
}

static int64_t
half_rows(const struct insights_view *s)
{
	const struct peak_look k = peak_look(s, true);

	return peak_look_rows(&k);
}

static void
half_text(const struct insights_view *s, int64_t row, struct ts_strbuf *out)
{
	struct ts_peak_variable v;

	if (half_variable(s, row, &v))
		variable_text(s, &v, out);
}

/* Where there is room, a line for each of the fullest tiles. */
static int
halves_head(const struct ts_tab *t)
{
	const struct ts_fullest *f = &insights_facts(insights_host(t))->fullest;
	enum { SUMS = 2, TABLE = 6 };

	return f->typed && t->r.h >= SUMS + f->count + TABLE ? SUMS + f->count : SUMS;
}

static void
draw_tile_halves(const struct insights_view *s, struct ts_canvas *c, const struct ts_tab *t)
{
	const struct ts_fullest *f = &insights_facts(s)->fullest;
	char bytes[TS_FMT_MAX], saves[TS_FMT_MAX], step[TS_FMT_MAX];

	for (int i = 0; i < f->count; i++) {
		const struct ts_full_tile *one = &f->tile[i];

		insights_head_line(c, t, 2 + i, TS_ROLE_TEXT,
			"tile %" PRId64 " at its own peak%s%s: %s of FP32, saves %s", one->tile,
			one->peak_step == TS_UNKNOWN ? "" : ", step ",
			one->peak_step == TS_UNKNOWN ? "" : ts_fmt_count(step, one->peak_step),
			insights_bytes(s, bytes, one->fp32_bytes),
			insights_bytes(s, saves, one->fp32_bytes / 2));
	}
}

static void
draw_halves_head(const struct insights_view *s, struct ts_canvas *c, const struct ts_tab *t)
{
	const struct ts_peak_variables *p = &insights_facts(s)->peak;
	char n[TS_FMT_MAX], all[TS_FMT_MAX], bytes[TS_FMT_MAX], share[TS_FMT_MAX],
		saves[TS_FMT_MAX];
	char replicas[TS_FMT_MAX + 24];

	if (!p->has_types)
		return;
	insights_head_line(c, t, 0, TS_ROLE_TEXT,
		"%s of the variables alive at the peak are FP32: %s of %s, %s variable%s",
		ts_fmt_percent(share, (double)p->fp32.bytes, (double)ts_peak_bytes(p)),
		insights_bytes(s, bytes, p->fp32.bytes), insights_bytes(s, all, ts_peak_bytes(p)),
		ts_fmt_count(n, p->fp32.count), p->fp32.count == 1 ? "" : "s");
	insights_head_line(c, t, 1, TS_ROLE_GOOD,
		"all of them in 16 bits would save %s of the device%s%s",
		insights_bytes(s, saves, p->fp32.bytes / 2), insights_replicas(s, replicas),
		p->has_lives ? "" : " (always-live ones only)");
	if (insights_facts(s)->fullest.typed)
		draw_tile_halves(s, c, t);
}

static void
halves_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct insights_view *s = insights_host(t);
	struct ts_table table = half_table(s, insights_rows_of(t));

	if (insights_draw_state(t, c) || draw_absent(t, c))
		return;
	table.focus = focus;
	draw_halves_head(s, c, t);
	ts_table_draw(c, insights_table_rect(t), &table, &insights_rows_of(t)->list);
}

static bool
halves_absent(const struct ts_tab *t)
{
	return peak_absent(t) ||
		(insights_ready(insights_host(t)) &&
			!insights_facts(insights_host(t))->peak.has_types);
}

const struct insights_tab_table insights_peak_table = {peak_table, peak_rows, peak_text, peak_place,
	insights_explain_peak, insights_two_lines, peak_variable, "Variables at the peak"};

static bool
peak_open(struct ts_tab *t)
{
	static const struct peak_table_of of = {&insights_peak_table, peak_columns, peak_facts,
		P_COLUMNS, P_NAME, false, peak_row_value};

	return peak_tab_open(t, &of);
}

const struct ts_tab_ops insights_tab_peak = {
	.name = "peak",
	.title = "Peak",
	.open = peak_open,
	.absent = peak_absent,
	.note = step_note,
	.draw = peak_draw,
	.hints = insights_variable_hints,
	INSIGHTS_PEAK_TAB,
};

const struct insights_tab_table insights_fp32_table = {half_table, half_rows, half_text, half_place,
	insights_explain_half, halves_head, half_variable, "FP32 variables at the peak"};

static bool
half_open(struct ts_tab *t)
{
	static const struct peak_table_of of = {&insights_fp32_table, half_columns, half_facts,
		H_COLUMNS, H_NAME, true, half_row_value};

	return peak_tab_open(t, &of);
}

const struct ts_tab_ops insights_tab_fp32 = {
	.name = "fp32",
	.title = "FP32",
	.open = half_open,
	.absent = halves_absent,
	.note = halves_note,
	.draw = halves_draw,
	.hints = insights_variable_hints,
	INSIGHTS_PEAK_TAB,
};
