/* SPDX-License-Identifier: MIT */
/*
 * liveness_explain - what the figures at the cursor of the Liveness graph are, its steps as a table for files, and the
 * graph as a chart on paper.
 *
 * The queries follow the source: recorded steps of the device or of an IPU, else lowered variables of its tiles and
 * the intervals of their classes.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/rows.h"
#include "tilescope/ui/chart_page.h"
#include "tilescope/view/explain_common.h"
#include "tilescope/view/sheet.h"
#include "tilescope/view/what_if.h"

#include "liveness_internal.h"

enum { PEAKS_NAMED = 9 };

bool
live_tiles_sql(const struct liveness *s, char out[LIVE_TILES_SQL])
{
	out[0] = '\0';
	if (s->shown.where == TS_LIVE_TILE)
		snprintf(out, LIVE_TILES_SQL, "tile = %lld", (long long)s->shown.number);
	else if (s->shown.where == TS_LIVE_IPU)
		snprintf(out, LIVE_TILES_SQL,
			"tile IN (SELECT tile FROM tile_memory WHERE ipu = %lld)",
			(long long)s->shown.number);
	return s->shown.where != TS_LIVE_SET ||
		ts_explain_tiles_sql(out, LIVE_TILES_SQL, &s->shown.set);
}

bool
live_lowered_sql(const struct liveness *s, int64_t at, int64_t not, char out[LIVE_SQL])
{
	bool flags = ts_report_has_column(s->v.env->report, TS_LOWERED_VARIABLE,
		TS_LOWERED_VARIABLE_ALWAYS_LIVE);
	char where[LIVE_TILES_SQL], never[160] = "";

	if (!live_tiles_sql(s, where))
		return false;
	if (not != TS_UNKNOWN)
		snprintf(never, sizeof(never),
			" AND class NOT IN (SELECT class FROM class_interval WHERE class IS NOT NULL AND "
			"start <= %lld AND \"end\" > %lld)",
			(long long)not, (long long)not );
	snprintf(out, LIVE_SQL,
		"(SELECT coalesce(sum(bytes), 0) FROM lowered_variable WHERE %s%s%sclass IN (SELECT "
		"class FROM class_interval WHERE start <= %lld AND \"end\" > %lld)%s)",
		where, where[0] ? " AND " : "", flags ? "NOT ifnull(always_live, 0) AND " : "",
		(long long)at, (long long)at, never);
	return true;
}

/* The same of what the timeline is of; the replicas are no part of it. */
static bool
not_always_sql(const struct liveness *s, int64_t step, char out[LIVE_SQL])
{
	if (s->src.derived)
		return live_lowered_sql(s, step, TS_UNKNOWN, out);
	if (s->shown.where == TS_LIVE_ALL)
		snprintf(out, LIVE_SQL,
			"(SELECT not_always_live FROM liveness_step WHERE live_step = %lld)",
			(long long)step);
	else
		snprintf(out, LIVE_SQL,
			"(SELECT not_always_live FROM liveness_step_ipu WHERE ipu = %lld AND "
			"live_step = %lld)",
			(long long)s->shown.number, (long long)step);
	return true;
}

/* Bytes that are always live. */
static bool
base_sql(const struct liveness *s, char out[LIVE_SQL])
{
	const struct ts_report *r = s->v.env->report;
	char where[LIVE_TILES_SQL];
	const char *column = "bytes", *table = "tile_always_live", *also = "";

	if (!live_tiles_sql(s, where))
		return false;
	if (ts_report_has_column(r, TS_TILE_MEMORY, TS_TILE_MEMORY_ALWAYS_LIVE)) {
		column = "always_live";
		table = "tile_memory";
	} else if (s->src.derived) {
		table = "lowered_variable";
		also = "ifnull(always_live, 0)";
	}
	snprintf(out, LIVE_SQL, "(SELECT coalesce(sum(%s), 0) FROM %s%s%s%s%s)", column, table,
		where[0] || *also ? " WHERE " : "", where, where[0] && *also ? " AND " : "", also);
	return true;
}

const char live_too_many_tiles[] = "so many tiles that they do not fit into a query";

static void
explain_not_always(const struct liveness *s, struct ts_explain *out, int64_t point)
{
	const struct ts_liveness *l = &s->src.line;
	int64_t step = l->step[point], bytes = live_scaled(s, l->bytes[point]);
	int64_t times = s->one_replica ? 1 : l->replicas;
	char name[LIVE_SOURCE], sql[LIVE_SQL];
	struct ts_explained *x = ts_explain_add(out, "not always live at step %lld, %s",
		(long long)step, live_source_name(name, sizeof(name), s, &s->shown));

	ts_explain_bytes(x, bytes, live_units(s));
	ts_explain_from(x, s->src.derived ? TS_KNOWN_DERIVED : TS_KNOWN_RECORDED, "%s",
		s->src.derived
			? "lowered_variable (tile, bytes, class, always_live), class_interval"
			: s->shown.where == TS_LIVE_IPU ? "liveness_step_ipu.not_always_live"
							: "liveness_step.not_always_live");
	if (times > 1)
		ts_explain_formula(x, "%lld replicas x %lld", (long long)times,
			(long long)l->bytes[point]);
	if (not_always_sql(s, step, sql))
		ts_explain_query(x, "SELECT %lld * %s", (long long)times, sql);
	else
		ts_explain_note(x, "%s", live_too_many_tiles);
}

static void
explain_base(const struct liveness *s, struct ts_explain *out)
{
	int64_t base = live_base(s);
	bool divided = s->one_replica && s->shown.where == TS_LIVE_ALL && s->src.always_divided;
	char sql[LIVE_SQL], name[LIVE_SOURCE];
	struct ts_explained *x = ts_explain_add(out, "always live, %s",
		live_source_name(name, sizeof(name), s, &s->shown));

	ts_explain_bytes(x, base, live_units(s));
	ts_explain_from(x, divided ? TS_KNOWN_ASSUMED : TS_KNOWN_RECORDED,
		"tile_memory.always_live, else lowered_variable.always_live, else "
		"tile_always_live.bytes");
	if (base == TS_UNKNOWN)
		return;
	if (s->one_replica && s->shown.where == TS_LIVE_ALL && s->src.line.replicas > 1) {
		ts_explain_formula(x,
			divided ? "that of the device, divided by %lld replicas"
				: "that of the tiles of the first of %lld replicas",
			(long long)s->src.line.replicas);
		ts_explain_note(x,
			"no query: which tiles are of one replica is not in one relation");
	} else if (base_sql(s, sql)) {
		ts_explain_query(x, "SELECT %s", sql);
	} else {
		ts_explain_note(x, "%s", live_too_many_tiles);
	}
}

static void
explain_sum(const struct liveness *s, struct ts_explain *out, int64_t point)
{
	const struct ts_liveness *l = &s->src.line;
	int64_t base = live_base(s), part = live_scaled(s, l->bytes[point]), sum = part;
	int64_t memory = live_memory(s);
	int64_t times = s->one_replica ? 1 : l->replicas;
	bool replica = s->one_replica && s->shown.where == TS_LIVE_ALL && l->replicas > 1;
	char not_always[LIVE_SQL], always[LIVE_SQL], where[LIVE_TILES_SQL];
	struct ts_explained *x;

	if (base == TS_UNKNOWN || !ts_add_i64(&sum, base))
		return;
	x = ts_explain_add(out, "live bytes at step %lld", (long long)l->step[point]);
	ts_explain_bytes(x, sum, live_units(s));
	ts_explain_from(x, TS_KNOWN_DERIVED, "the two figures before");
	ts_explain_formula(x, "always live %lld + not always live %lld", (long long)base,
		(long long)part);
	if (!replica && not_always_sql(s, l->step[point], not_always) && base_sql(s, always))
		ts_explain_query(x, "SELECT %s + %lld * %s", always, (long long)times, not_always);
	else
		ts_explain_note(x, "%s",
			replica ? "no query: see what is always live" : live_too_many_tiles);
	x = ts_explain_add(out, "share of the memory that there is");
	ts_explain_from(x, TS_KNOWN_DERIVED, "the live bytes, target.bytes_per_tile x tiles");
	x->unit = "%";
	if (memory <= 0)
		return;
	ts_explain_real(x, 100 * (double)sum / (double)memory, "%");
	ts_explain_formula(x, "%lld / %lld bytes%s", (long long)sum, (long long)memory,
		l->memory_assumed ? " (assumed)" : "");
	ts_explain_note(x,
		"live bytes leave gaps and overlaps out: they do not say whether it fits");
	if (!replica && !l->memory_assumed && live_tiles_sql(s, where) &&
		not_always_sql(s, l->step[point], not_always) && base_sql(s, always))
		ts_explain_query(x,
			"SELECT 100.0 * (%s + %lld * %s) / ((SELECT bytes_per_tile FROM target) * (SELECT "
			"count(*) FROM tile_memory%s%s))",
			always, (long long)times, not_always, where[0] ? " WHERE " : "", where);
}

/* What is derived has the steps of the device; where there are too many for that, all numbers from its first to its last. */
static void
explain_steps(const struct liveness *s, struct ts_explain *out)
{
	const struct ts_liveness *whole = live_whole(s);
	struct ts_explained *x = ts_explain_add(out, "liveness steps");

	ts_explain_integer(x, whole->steps, "steps");
	ts_explain_from(x, TS_KNOWN_RECORDED, "%s",
		!s->src.derived && s->shown.where == TS_LIVE_IPU ? "liveness_step_ipu"
								 : "liveness_step");
	if (!s->src.derived && s->shown.where == TS_LIVE_IPU)
		ts_explain_query(x, "SELECT count(*) FROM liveness_step_ipu WHERE ipu = %lld",
			(long long)s->shown.number);
	else if (!s->src.derived)
		ts_explain_query(x, "SELECT count(*) FROM liveness_step");
	else if (!ts_report_has(s->v.env->report, TS_LIVENESS_STEP))
		ts_explain_note(x, "no query: up to the last step that a class of the source has");
	else if (whole->steps == whole->last_step - whole->first_step + 1)
		ts_explain_query(x,
			"SELECT coalesce(max(live_step) - min(live_step) + 1, (SELECT max(\"end\") FROM "
			"class_interval)) FROM liveness_step");
	else
		ts_explain_query(x, "SELECT count(*) FROM liveness_step");
}

/*
 * Intervals of a class may overlap: of each counts what lies behind the ends of those before it. Then bytes come where one
 * begins and go where it ends. Of steps that are recorded one is the highest.
 */
static void
ask_highest_derived(const struct liveness *s, struct ts_explained *x)
{
	bool flags = ts_report_has_column(s->v.env->report, TS_LOWERED_VARIABLE,
		TS_LOWERED_VARIABLE_ALWAYS_LIVE);
	bool steps = ts_report_has(s->v.env->report, TS_LIVENESS_STEP);
	char where[LIVE_TILES_SQL];

	if (!live_tiles_sql(s, where)) {
		ts_explain_note(x, "%s", live_too_many_tiles);
		return;
	}
	ts_explain_query(x,
		"WITH b AS (SELECT class, sum(bytes) s FROM lowered_variable WHERE %s%s%sclass IS NOT "
		"NULL GROUP BY class), i AS (SELECT s, start, \"end\", max(\"end\") OVER (PARTITION BY "
		"class ORDER BY start, \"end\" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) m FROM "
		"class_interval JOIN b USING (class) WHERE \"end\" > start), e AS (SELECT max(start, "
		"ifnull(m, start)) p, s FROM i WHERE \"end\" > ifnull(m, start) UNION ALL SELECT \"end\", "
		"-s FROM i WHERE \"end\" > ifnull(m, start)%s) SELECT p FROM (SELECT p, sum(sum(s)) OVER "
		"(ORDER BY p) v FROM e GROUP BY p)%s ORDER BY v DESC, p LIMIT 1",
		where, where[0] ? " AND " : "", flags ? "NOT ifnull(always_live, 0) AND " : "",
		steps ? " UNION ALL SELECT live_step, 0 FROM liveness_step" : "",
		steps ? " WHERE p IN (SELECT live_step FROM liveness_step)" : "");
}

static void
ask_highest(const struct liveness *s, struct ts_explained *x)
{
	if (s->src.derived && live_whole(s)->peak.bytes == 0)
		ts_explain_note(x, "nothing is alive at any step: the first one");
	else if (s->src.derived)
		ask_highest_derived(s, x);
	else if (s->shown.where == TS_LIVE_IPU)
		ts_explain_query(x,
			"SELECT live_step FROM liveness_step_ipu WHERE ipu = %lld ORDER BY "
			"not_always_live DESC, live_step LIMIT 1",
			(long long)s->shown.number);
	else
		ts_explain_query(x,
			"SELECT live_step FROM liveness_step ORDER BY not_always_live "
			"DESC, live_step LIMIT 1");
}

static void
explain_peaks(const struct liveness *s, struct ts_explain *out, int64_t point)
{
	const struct ts_liveness *l = &s->src.line;
	const struct ts_liveness *whole = live_whole(s);
	ptrdiff_t rank = ts_peaks_rank(&l->peaks, (size_t)point);
	struct ts_explained *x;

	if (rank >= 0) {
		x = ts_explain_add(out, "place of this peak");
		ts_explain_integer(x, rank + 1, NULL);
		ts_explain_from(x, TS_KNOWN_DERIVED, "liveness_step.not_always_live");
		ts_explain_formula(x, "of %lld peaks%s, highest first", (long long)l->peaks.found,
			s->steps.filtered ? " of the steps that the filter leaves" : "");
		ts_explain_note(x,
			"a peak stands out from its surroundings by at least 5 %% of the "
			"range; no query finds them");
	}
	x = ts_explain_add(out, "highest step of %s",
		s->shown.where == TS_LIVE_ALL ? "all" : "the source");
	ts_explain_integer(x, whole->peak.step, NULL);
	ts_explain_from(x, s->src.derived ? TS_KNOWN_DERIVED : TS_KNOWN_RECORDED,
		"where not_always_live is largest, of equals the first");
	if (whole->peak.step != TS_UNKNOWN)
		ask_highest(s, x);
	explain_steps(s, out);
}

/*
 * On several tiles a row is the pieces of a variable that have one class. Which class is not kept, but of those that are
 * alive at the step it is the one behind all that are larger, and these are all in the list.
 */
static void
ask_pieces(const struct liveness *s, struct ts_explained *x, const struct ts_alive_row *a)
{
	const struct ts_alive *alive = s->alive;
	char where[LIVE_TILES_SQL];
	int larger = 0;

	ts_explain_from(x, TS_KNOWN_DERIVED,
		"lowered_variable (bytes, variable, tile, class, always_live), class_interval");
	ts_explain_formula(x, "the sum of its pieces on the tiles of the source, of one class");
	if (a->variable < 0 || !(a->alive & 1) || alive->asked.only != TS_ALIVE_EVERY) {
		ts_explain_note(x, "no query: it goes by class, and which one is not kept");
		return;
	}
	if (!live_tiles_sql(s, where)) {
		ts_explain_note(x, "%s", live_too_many_tiles);
		return;
	}
	for (int i = 0; i < alive->rows; i++)
		larger += alive->row[i].variable == a->variable && alive->row[i].alive & 1 &&
			alive->row[i].bytes > a->bytes;
	ts_explain_query(x,
		"SELECT sum(bytes) FROM lowered_variable WHERE %s%svariable = %lld AND "
		"NOT ifnull(always_live, 0) AND class IN (SELECT class FROM class_interval WHERE start "
		"<= %lld AND \"end\" > %lld) GROUP BY class ORDER BY sum(bytes) DESC LIMIT 1 OFFSET %d",
		where, where[0] ? " AND " : "", (long long)a->variable, (long long)alive->step,
		(long long)alive->step, larger);
}

/* The variable under the cursor of the list of what is alive. */
static void
explain_alive(const struct liveness *s, struct ts_explain *out)
{
	int64_t row = s->alive && live_alive_there(s) ? live_alive_cursor(s) : -1;
	bool of_device = s->alive && s->shown.where == TS_LIVE_ALL && !s->alive->lowered;
	char sql[LIVE_SQL];
	const struct ts_alive_row *a;
	struct ts_explained *x;
	char name[LIVE_NAME];

	if (row < 0 || row >= s->alive->rows)
		return;
	a = &s->alive->row[row];
	x = ts_explain_add(out, "bytes of %s", live_name(s, (int)row, name));
	ts_explain_bytes(x, a->bytes, live_units(s));
	ts_explain_from(x, TS_KNOWN_RECORDED, "%s.bytes",
		s->alive->lowered || s->shown.where != TS_LIVE_ALL ? "lowered_variable"
								   : "variable");
	if (!s->alive->lowered && s->shown.where != TS_LIVE_ALL)
		ask_pieces(s, x, a);
	else if (!s->alive->lowered && a->variable >= 0)
		ts_explain_query(x, "SELECT bytes FROM variable WHERE variable = %lld",
			(long long)a->variable);
	else if (a->id != TS_UNKNOWN)
		ts_explain_query(x, "SELECT bytes FROM lowered_variable WHERE id = %lld",
			(long long)a->id);
	else
		ts_explain_note(x, "no query: this variable has no number of its own");
	x = ts_explain_add(out, "bytes that are alive at the step");
	ts_explain_bytes(x, s->alive->bytes, live_units(s));
	ts_explain_from(x, TS_KNOWN_DERIVED, "%s",
		of_device ? "variable.bytes, liveness_variable.start, .\"end\""
			  : "lowered_variable (tile, bytes, class, always_live), class_interval");
	ts_explain_formula(x, "the sum of %lld variable%s", (long long)s->alive->count,
		s->alive->count == 1 ? "" : "s");
	if (of_device)
		ts_explain_query(x,
			ts_report_has_column(s->v.env->report, TS_LIVENESS_VARIABLE,
				TS_LIVENESS_VARIABLE_BYTES)
				? "SELECT sum(bytes) FROM liveness_variable WHERE start <= %lld AND \"end\" > "
				  "%lld AND NOT ifnull(always_live, 0)"
				: "SELECT sum(bytes) FROM variable WHERE variable IN (SELECT variable FROM "
				  "liveness_variable WHERE start <= %lld AND \"end\" > %lld)",
			(long long)s->alive->step, (long long)s->alive->step);
	else if (live_lowered_sql(s, s->alive->step, TS_UNKNOWN, sql))
		ts_explain_query(x, "SELECT %s", sql);
	else
		ts_explain_note(x, "%s", live_too_many_tiles);
}

void
live_explain(struct ts_view *v, struct ts_explain *out)
{
	struct liveness *s = (struct liveness *)v;
	int64_t point = s->span.cursor;
	struct ts_what_if_peak after;
	struct ts_tab *what_if;

	if (!ts_pane_has(&s->graph) || point < 0 || point >= (int64_t)s->src.line.count)
		return;
	if (s->focus == LIVE_TABS) {
		if (ts_tabs_at(&s->tabs)->ops == &live_tab_alive)
			explain_alive(s, out); /* the row that was asked about comes first */
		ts_tabs_explain(&s->tabs, out);
	}
	explain_not_always(s, out, point);
	explain_base(s, out);
	explain_sum(s, out, point);
	explain_peaks(s, out, point);
	if (live_what_if(s, &after, &what_if) == TS_WHAT_IF_PEAK)
		ts_what_if_explain_after(what_if, &s->shown, out);
}

/* --- steps as a table --------------------------------------------------------------------------- */

enum { S_STEP, S_NOT_ALWAYS, S_ALWAYS, S_SUM, S_PROGRAM, S_COUNT };

static const struct ts_column_facts facts[S_COUNT] = {
	[S_STEP] = {"live_step", NULL, TS_SUM_NONE, false},
	[S_NOT_ALWAYS] = {"not_always_live", "bytes", TS_SUM_NONE, false},
	[S_ALWAYS] = {"always_live", "bytes", TS_SUM_NONE, false},
	[S_SUM] = {"live", "bytes", TS_SUM_NONE, false},
	[S_PROGRAM] = {"program", NULL, TS_SUM_NONE, false},
};

static bool
step_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct liveness *s = ctx;
	const struct ts_liveness *l = &s->src.line;
	int64_t base = live_base(s), sum;

	if (row < 0 || row >= (int64_t)l->count)
		return false;
	sum = live_scaled(s, l->bytes[row]);
	if (column == S_STEP)
		ts_table_value_known(out, l->step[row]);
	else if (column == S_NOT_ALWAYS)
		ts_table_value_known(out, sum);
	else if (column == S_ALWAYS)
		ts_table_value_known(out, base);
	else if (column == S_SUM && base != TS_UNKNOWN && ts_add_i64(&sum, base))
		ts_table_value_known(out, sum);
	else if (column == S_PROGRAM && l->program)
		ts_table_value_known(out, l->program[row]);
	return true;
}

bool
live_sheet(struct ts_view *v, struct ts_sheet *out)
{
	struct liveness *s = (struct liveness *)v;
	char name[LIVE_SOURCE];

	if (s->focus == LIVE_TABS)
		return ts_tabs_sheet(&s->tabs, out);
	if (!ts_pane_has(&s->graph) || s->src.line.count == 0)
		return false;
	snprintf(out->title, sizeof(out->title), "Live bytes of %s%s%s%.100s%s",
		live_source_name(name, sizeof(name), s, &s->shown),
		s->src.line.per > 1 ? ", the highest of each group of steps" : "",
		s->steps.filtered ? ", steps with " : "",
		s->steps.filtered ? s->steps.line.line : "",
		s->steps.filtered && s->steps.partial ? " (partial)" : "");
	out->table = (struct ts_table){.columns = S_COUNT,
		.ctx = s,
		.sorted = S_STEP,
		.id = "liveness.steps",
		.facts = facts,
		.value = step_value,
		.looks = s->v.env->looks};
	out->rows = (int64_t)s->src.line.count;
	return true;
}

bool
live_tab_sheet(struct ts_tab *t, struct ts_sheet *out)
{
	const struct liveness *s = (const struct liveness *)t->view;
	struct ts_held_list *l = t->own;
	char name[LIVE_SOURCE];

	if (!l->table.column || !l->table.value)
		return false;
	snprintf(out->title, sizeof(out->title), "%s, %s, step %lld", t->ops->title,
		live_source_name(name, sizeof(name), s, &s->shown), (long long)live_step(s));
	out->table = l->table;
	out->list = &l->list;
	out->rows = l->order.rows;
	return true;
}

/* --- the chart -------------------------------------------------------------------------------- */

static void
fill_bands(const struct liveness *s, struct ts_chart_page *page, double base)
{
	double *always = base > 0 ? ts_chart_page_band(page, "always live", TS_ROLE_BASE) : NULL;
	double *mean = ts_chart_page_band(page, "not always live, mean of the column",
		TS_ROLE_FILL);
	double *high = ts_chart_page_outline(page, "highest step of the column");
	double times = s->one_replica ? 1 : (double)s->src.line.replicas;
	struct ts_span span = s->span;

	ts_span_resize(&span, page->columns);
	for (int x = 0; x < page->columns; x++) {
		struct ts_live_range range;
		int64_t a, b;

		ts_span_bucket(&span, x, &a, &b);
		ts_liveness_range(&range, &s->src.line, (size_t)a, (size_t)b);
		if (always)
			always[x] = base;
		if (mean)
			mean[x] = range.mean * times;
		if (high)
			high[x] = base + (double)range.bytes * times;
	}
}

/* Of peak i, as high as it stands on the axis. */
static int64_t
height_of(const struct liveness *s, size_t i)
{
	int64_t height = live_scaled(s, s->src.line.peaks.peak[i].height);

	if (!s->no_base && live_base(s) != TS_UNKNOWN && !ts_add_i64(&height, live_base(s)))
		return TS_NUMBER_MAX;
	return height;
}

static void
mark_places(const struct liveness *s, struct ts_chart_page *page)
{
	const struct ts_liveness *l = &s->src.line;
	char bytes[TS_FMT_MAX];

	for (int i = 0; i < s->marks; i++)
		ts_chart_page_label(page, (double)ts_liveness_find(l, s->mark[i]), TS_ROLE_MARK,
			true, "%c", 'A' + i);
	for (size_t i = 0; i < l->peaks.count && i < PEAKS_NAMED; i++)
		ts_chart_page_label(page, (double)l->peaks.peak[i].at, TS_ROLE_MARK, false,
			"%d: %s", (int)i + 1, ts_fmt_bytes(bytes, height_of(s, i), live_units(s)));
}

bool
live_chart(struct ts_view *v, struct ts_chart_page *page)
{
	struct liveness *s = (struct liveness *)v;
	bool limit, base_known = !s->no_base && live_base(s) != TS_UNKNOWN;
	char name[LIVE_SOURCE], text[TS_FMT_MAX], label[LIVE_WHAT_IF];
	struct ts_what_if_peak after;

	if (s->focus == LIVE_TABS)
		return ts_tabs_chart(&s->tabs, page);
	if (!ts_pane_has(&s->graph) || s->src.line.count == 0)
		return false;
	snprintf(page->title, sizeof(page->title), "Live bytes of %s",
		live_source_name(name, sizeof(name), s, &s->shown));
	snprintf(page->subtitle, sizeof(page->subtitle), "%s liveness step%s%s%.60s%s%s%s",
		ts_fmt_count(text, s->src.line.steps), s->src.line.steps == 1 ? "" : "s",
		s->steps.filtered ? " with " : "", s->steps.filtered ? s->steps.line.line : "",
		s->steps.filtered && s->steps.partial ? " (partial)" : "",
		s->src.derived ? ", derived from lowered variables" : "",
		base_known || s->no_base ? "" : "; what is always live is not recorded");
	page->x = (struct ts_page_axis){.from = (double)s->span.from,
		.to = (double)s->span.to,
		.base = 10,
		.tick = live_step_tick,
		.ctx = s};
	snprintf(page->x.title, sizeof(page->x.title), "liveness step");
	page->y = (struct ts_page_axis){.from = 0,
		.to = live_top(s, &limit),
		.base = live_units(s) == TS_UNITS_KIB ? 2 : 10,
		.tick = live_bytes_tick,
		.ctx = s};
	snprintf(page->y.title, sizeof(page->y.title), "live bytes%s",
		live_units(s) == TS_UNITS_KIB ? " (K = 1,024)" : "");
	fill_bands(s, page, base_known ? (double)live_base(s) : 0);
	mark_places(s, page);
	if (limit)
		ts_chart_page_level(page, (double)live_memory(s), TS_ROLE_LIMIT, "memory %s%s",
			ts_fmt_bytes(text, live_memory(s), live_units(s)),
			s->src.line.memory_assumed ? " (assumed)" : "");
	if (live_what_if(s, &after, NULL) == TS_WHAT_IF_PEAK)
		ts_chart_page_level(page, (double)after.bytes, TS_ROLE_MARK, "%s",
			live_what_if_text(label, s, &after));
	return true;
}
