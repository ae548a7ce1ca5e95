/* SPDX-License-Identifier: MIT */
/*
 * what_if_explain - what the figures of the tab "what-if" are.
 *
 * A peak is the most over all steps, which no query goes over; but what is alive at its step, before and with the changes, is
 * one pass over lowered variables, each with the size that the last change that names it leaves (report/what_if_rows.c).
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/pattern.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/explain_common.h"

#include "what_if_tab_internal.h"

static struct what_if_tab *
tab_of(const struct ts_tab *t)
{
	return t->own;
}

/* --- the queries ------------------------------------------------------------------------------ */

/* "v.variable IN (...)": variables whose names pass `test`; where rows do not say what they were lowered from, their own. */
static void
add_named(struct ts_strbuf *out, const struct ts_report *r, const char *before, const char *quoted,
	const char *after)
{
	if (ts_report_has(r, TS_VARIABLE) &&
		ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_VARIABLE))
		ts_strbuf_printf(out,
			"v.variable IN (SELECT v.variable FROM variable v WHERE %s%s%s)", before,
			quoted, after);
	else
		ts_strbuf_printf(out, "%s%s%s", before, quoted, after);
}

/* Does change i name row `v`? False: that cannot be said in SQL. */
static bool
add_condition(struct ts_strbuf *out, const struct what_if_tab *s, int i)
{
	const struct ts_what_if_change *x = &s->w->changes.item[i];
	const struct ts_report *r = s->t->view->env->report;
	size_t n = strlen(x->text), between = ts_pattern_between_slashes(x->text, n);
	char text[TS_WHAT_IF_TEXT + 8], quoted[2 * TS_WHAT_IF_TEXT + 20];

	if (x->of == TS_WHAT_IF_VARIABLE || x->of == TS_WHAT_IF_LOWERED) {
		ts_strbuf_printf(out, "v.%s = %lld",
			x->of == TS_WHAT_IF_VARIABLE ? "variable" : "id", (long long)x->id);
		return true;
	}
	if (s->group[i] || x->of == TS_WHAT_IF_GROUP) {
		if (!ts_explain_quote(quoted, sizeof(quoted), x->text))
			return false;
		add_named(out, r, "variable_group(v.name, NULL) = ", quoted, "");
		return true;
	}
	if (x->text[0] == '(' && x->text[1] == '*') /* has to stand at the begin */
		return false;
	snprintf(text, sizeof(text), "(?i)%.*s", (int)(between ? between : n),
		x->text + (between > 0));
	if (!ts_explain_quote(quoted, sizeof(quoted), text))
		return false;
	add_named(out, r, "v.name REGEXP ", quoted, "");
	return true;
}

/* "CASE WHEN ... THEN ... END": of the last change that names row `v`, from `first` on, its bytes or (`which`) its number. */
static bool
add_case(struct ts_strbuf *out, const struct what_if_tab *s, int first, bool which)
{
	bool fits = true;

	if (s->w->changes.count == 0) {
		ts_strbuf_puts(out, "v.bytes");
		return true;
	}
	ts_strbuf_puts(out, "CASE");
	for (int i = s->w->changes.count - 1; i >= first && fits; i--) {
		const struct ts_what_if_change *x = &s->w->changes.item[i];
		long long n = x->how == TS_WHAT_IF_HALVE ? 2 : (long long)x->n;

		ts_strbuf_puts(out, " WHEN ");
		fits = add_condition(out, s, i);
		if (which)
			ts_strbuf_printf(out, " THEN %d", i);
		else if (x->how == TS_WHAT_IF_REMOVE)
			ts_strbuf_puts(out, " THEN 0");
		else
			ts_strbuf_printf(out, " THEN (v.bytes + %lld) / %lld", n - 1, n);
	}
	ts_strbuf_puts(out, which ? " END" : " ELSE v.bytes END");
	return fits;
}

/* Which tiles a pair is about, in SQL; "": all. */
static void
tiles_sql(char out[80], const struct ts_what_if_pair *pair, const struct ts_what_if_peak *peak)
{
	out[0] = '\0';
	if (peak->tile != TS_UNKNOWN)
		snprintf(out, 80, " WHERE tile = %lld", (long long)peak->tile);
	else if (pair->ipu != TS_UNKNOWN)
		snprintf(out, 80, " WHERE tile IN (SELECT tile FROM tile_memory WHERE ipu = %lld)",
			(long long)pair->ipu);
}

/* What is alive at the step of a peak, with the changes or without, as a query; or why there is none. */
static void
query_peak(struct ts_explained *x, const struct what_if_tab *s, const struct ts_what_if_pair *pair,
	bool after)
{
	const struct ts_report *r = s->t->view->env->report;
	const struct ts_what_if_peak *peak = after ? &pair->after : &pair->before;
	bool device = pair == &s->w->device || pair == &s->w->next_peak;
	bool recorded = ts_report_has_column(r, TS_TILE_MEMORY, TS_TILE_MEMORY_ALWAYS_LIVE);
	char where[80];
	struct ts_strbuf q;
	bool fits;

	if (!device && peak->tile == TS_UNKNOWN && pair->ipu == TS_UNKNOWN) {
		ts_explain_note(x, "no query: the ipu of these tiles is not known");
		return;
	}
	tiles_sql(where, pair, peak);
	ts_strbuf_init(&q, TS_EXPLAIN_QUERY);
	ts_strbuf_puts(&q, "SELECT ");
	if (recorded) /* else the lowered variables say it */
		ts_strbuf_printf(&q, "(SELECT coalesce(sum(always_live), 0) FROM tile_memory%s) + ",
			where);
	ts_strbuf_printf(&q,
		"coalesce(sum(CASE WHEN always THEN %s WHEN class IN (SELECT class FROM "
		"class_interval WHERE start <= %lld AND \"end\" > %lld) THEN ",
		recorded ? "kept - bytes" : "kept", (long long)peak->step, (long long)peak->step);
	if (device && s->w->times > 1)
		ts_strbuf_printf(&q, "%lld * ", (long long)s->w->times);
	ts_strbuf_puts(&q,
		"kept ELSE 0 END), 0) FROM (SELECT v.bytes, v.class, ifnull(v.always_live, 0) "
		"AS always, ");
	fits = !after || add_case(&q, s, 0, false);
	if (!after)
		ts_strbuf_puts(&q, "v.bytes");
	ts_strbuf_printf(&q, " AS kept FROM lowered_variable v%s)", where);
	if (!fits || q.cut || q.nomem)
		ts_explain_note(x, "no query: these changes do not fit into one");
	else
		ts_explain_query(x, "%s", q.s);
	ts_strbuf_fini(&q);
}

/* A figure of the pieces that change i decides about and of which it is known when they are alive. */
static void
query_change(struct ts_explained *x, const struct what_if_tab *s, int i, const char *figure)
{
	const struct ts_what_if_change *c = &s->w->changes.item[i];
	long long n = c->how == TS_WHAT_IF_HALVE ? 2 : (long long)c->n;
	char kept[64] = "0";
	struct ts_strbuf q;
	bool fits;

	if (c->how != TS_WHAT_IF_REMOVE)
		snprintf(kept, sizeof(kept), "(v.bytes + %lld) / %lld", n - 1, n);
	ts_strbuf_init(&q, TS_EXPLAIN_QUERY);
	ts_strbuf_printf(&q,
		"SELECT %s FROM (SELECT v.bytes, %s AS kept FROM lowered_variable v WHERE "
		"(ifnull(v.always_live, 0) OR v.class IN (SELECT class FROM class_interval WHERE "
		"\"end\" > start)) AND ",
		figure, kept);
	fits = add_case(&q, s, i, true);
	ts_strbuf_printf(&q, " = %d)", i);
	if (!fits || q.cut || q.nomem)
		ts_explain_note(x, "no query: these changes do not fit into one");
	else
		ts_explain_query(x, "%s", q.s);
	ts_strbuf_fini(&q);
}

/* --- the figures ------------------------------------------------------------------------------ */

static const char peak_from[] =
	"tile_memory.always_live, lowered_variable (tile, bytes, class, always_live), class_interval";

/* `compared`: with the peak before, which is of the same tiles. */
static void
explain_after(struct ts_explain *out, const struct ts_tab *t, const struct ts_what_if_pair *pair,
	const char *of, bool compared)
{
	const struct what_if_tab *s = tab_of(t);
	struct ts_explained *x = ts_explain_add(out, "%s, with the changes", of);

	ts_explain_bytes(x, pair->after.bytes, t->view->env->options->units);
	ts_explain_from(x, TS_KNOWN_DERIVED, peak_from);
	if (compared && pair->before.bytes != TS_UNKNOWN && pair->after.bytes != TS_UNKNOWN)
		ts_explain_formula(x, "%lld - %lld = %lld bytes", (long long)pair->before.bytes,
			(long long)(pair->before.bytes - pair->after.bytes),
			(long long)pair->after.bytes);
	ts_explain_note(x,
		"worked out over all tiles and steps with the changed sizes (the query: at its step); exact "
		"for live bytes, gaps and overlaps of the allocator are not predicted");
	if (pair->after.bytes != TS_UNKNOWN)
		query_peak(x, s, pair, true);
}

static void
explain_peak(struct ts_explain *out, const struct ts_tab *t, const struct ts_what_if_pair *pair,
	const char *of)
{
	struct ts_explained *x = ts_explain_add(out, "%s, as it is", of);

	ts_explain_bytes(x, pair->before.bytes, t->view->env->options->units);
	ts_explain_from(x, TS_KNOWN_DERIVED, peak_from);
	ts_explain_note(x,
		"the most over all steps of what is alive on its tiles, with what is always live; the query is of its step");
	if (pair->before.bytes != TS_UNKNOWN)
		query_peak(x, tab_of(t), pair, false);
	explain_after(out, t, pair, of, true);
}

static void
explain_less(struct ts_explain *out, const struct ts_tab *t, const struct ts_what_if_pair *pair,
	const char *of)
{
	int64_t less = pair->before.bytes == TS_UNKNOWN || pair->after.bytes == TS_UNKNOWN
		? TS_UNKNOWN
		: pair->before.bytes - pair->after.bytes;
	char share[TS_FMT_MAX], bytes[TS_FMT_MAX];
	const struct ts_explained *is, *then;
	struct ts_explained *x;

	if (less <= 0 || out->count < 2) /* its cell is empty */
		return;
	is = &out->figure[out->count - 2]; /* explain_peak() made them */
	then = &out->figure[out->count - 1];
	x = ts_explain_add(out, "%s, less", of);
	ts_explain_bytes(x, less, t->view->env->options->units);
	ts_explain_shown(x, "%s, %s", ts_fmt_bytes(bytes, less, t->view->env->options->units),
		ts_fmt_percent(share, (double)less, (double)pair->before.bytes));
	ts_explain_from(x, TS_KNOWN_DERIVED, "the two figures before");
	ts_explain_formula(x, "%lld - %lld bytes; %lld / %lld", (long long)pair->before.bytes,
		(long long)pair->after.bytes, (long long)less, (long long)pair->before.bytes);
	ts_explain_note(x, "the difference of two peaks, each at its own step");
	if (is->query[0] && then->query[0])
		ts_explain_query(x, "SELECT (%s) - (%s)", is->query, then->query);
}

/* What is left to go, of the row that says it. */
static void
explain_above(struct ts_explain *out, const struct ts_tab *t, int64_t row, const char *of)
{
	const struct what_if_tab *s = tab_of(t);
	int64_t above = what_if_above(s, row);
	struct ts_explained *x;
	const char *memory = "a tile has";
	int i;

	if (above == 0)
		return;
	if (what_if_is_of_device(s, row))
		memory = "all tiles have";
	else if (what_if_kind(s, row, &i) == WHAT_IF_IPU)
		memory = "the tiles of an ipu have";
	x = ts_explain_add(out, "%s, still above what %s", of, memory);
	ts_explain_bytes(x, above, t->view->env->options->units);
	ts_explain_from(x, TS_KNOWN_DERIVED, "the figure with the changes; target");
	ts_explain_formula(x, "%lld - %lld bytes", (long long)what_if_pair_at(s, row)->after.bytes,
		(long long)what_if_limit(s, row));
	ts_explain_note(x,
		"so much more has to go in live bytes alone; gaps and overlaps of the allocator are not predicted");
}

/* The row under the cursor, or another one that the tab is about. */
static void
explain_row(struct ts_explain *out, const struct ts_tab *t, int64_t row)
{
	const struct what_if_tab *s = tab_of(t);
	const struct ts_what_if_pair *pair = what_if_pair_at(s, row);
	char how[32], what[64], name[120];
	const char *words;
	int64_t before, after;

	what_if_row_bytes(s, row, &before, &after);
	if (before == TS_UNKNOWN && after == TS_UNKNOWN)
		return;
	what_if_row_name(s, row, how, sizeof(how));
	words = what_if_row_of(s, row, t->view->env->options->units, what, sizeof(what));
	snprintf(name, sizeof(name), "%s%s%s%s", pair == &s->w->next_peak ? "" : "peak of ", how,
		words[0] ? " " : "", words);
	explain_peak(out, t, pair, name);
	explain_less(out, t, pair, name);
	explain_above(out, t, row, name);
}

/* "tile 1921 is fullest: 604 KiB of 624 KiB allocated" */
static void
explain_fullest(struct ts_explain *out, const struct ts_tab *t)
{
	const struct ts_what_if *w = tab_of(t)->w;
	struct ts_explained *x;

	if (w->fullest.before.tile == TS_UNKNOWN)
		return;
	x = ts_explain_add(out, "allocated on tile %lld, the fullest",
		(long long)w->fullest.before.tile);
	ts_explain_bytes(x, w->fullest_used, t->view->env->options->units);
	ts_explain_from(x, TS_KNOWN_RECORDED, "tile_memory");
	ts_explain_note(x, "with gaps, where they are recorded; changes do not predict it");
	ts_explain_query(x, "SELECT " TS_EXPLAIN_USED " FROM tile_memory WHERE tile = %lld",
		(long long)w->fullest.before.tile);
}

static void
explain_change(struct ts_explain *out, const struct ts_tab *t, int i)
{
	const struct what_if_tab *s = tab_of(t);
	const struct ts_what_if_sum *sum = &s->w->sum[i];
	struct ts_explained *x;
	static const char note[] =
		"sizes are divided piece by piece and rounded up; where several changes name a variable the last one counts; "
		"pieces of which it is not known when they are alive are not among them";
	char how[32];

	ts_what_if_how_text(how, &s->w->changes.item[i], false);
	x = ts_explain_add(out, "%s %s: less", how, s->label[i]);
	ts_explain_bytes(x, sum->less, t->view->env->options->units);
	ts_explain_from(x, TS_KNOWN_DERIVED, "lowered_variable.bytes");
	ts_explain_formula(x, "%lld piece%s with %lld bytes would have %lld",
		(long long)sum->variables, sum->variables == 1 ? "" : "s", (long long)sum->bytes,
		(long long)(sum->bytes - sum->less));
	ts_explain_note(x, "%s", note);
	query_change(x, s, i, "coalesce(sum(bytes - kept), 0)");
	x = ts_explain_add(out, "%s %s: bytes before", how, s->label[i]);
	ts_explain_bytes(x, sum->bytes, t->view->env->options->units);
	ts_explain_from(x, TS_KNOWN_DERIVED, "lowered_variable.bytes");
	ts_explain_note(x, "%s", note);
	query_change(x, s, i, "coalesce(sum(bytes), 0)");
	x = ts_explain_add(out, "%s %s: bytes left", how, s->label[i]);
	ts_explain_bytes(x, sum->bytes - sum->less, t->view->env->options->units);
	ts_explain_from(x, TS_KNOWN_DERIVED, "lowered_variable.bytes");
	ts_explain_formula(x, "%lld - %lld bytes", (long long)sum->bytes, (long long)sum->less);
	ts_explain_note(x, "%s", note);
	query_change(x, s, i, "coalesce(sum(kept), 0)");
	x = ts_explain_add(out, "%s %s: pieces", how, s->label[i]);
	ts_explain_integer(x, sum->variables, "pieces");
	ts_explain_from(x, TS_KNOWN_DERIVED, "lowered_variable, names of variables");
	ts_explain_note(x, "%s", note);
	query_change(x, s, i, "count(*)");
}

/* The row under the cursor; then what the tab is there for: the device, its next peak, the worst tile. */
void
what_if_explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct what_if_tab *s = tab_of(t);
	int64_t row = s->w ? ts_held_list_row(&s->l) : -1;

	if (row < 0 || row >= what_if_rows(s))
		return;
	if (what_if_change_at(s, row) >= 0)
		explain_change(out, t, what_if_change_at(s, row));
	else
		explain_row(out, t, row);
	for (int64_t i = 0; i < what_if_peak_rows(s); i++) {
		int of;
		enum what_if_row kind = what_if_kind(s, i, &of);

		if (i != row &&
			(kind == WHAT_IF_DEVICE || kind == WHAT_IF_NEXT_PEAK ||
				kind == WHAT_IF_WORST))
			explain_row(out, t, i);
	}
	explain_fullest(out, t);
}

void
ts_what_if_explain_after(struct ts_tab *t, const struct ts_live_source *of, struct ts_explain *out)
{
	struct ts_what_if_peak after;
	char name[64];

	if (ts_what_if_after(t, of, &after) != TS_WHAT_IF_PEAK)
		return;
	snprintf(name, sizeof(name), "highest peak");
	if (after.step != TS_UNKNOWN)
		snprintf(name, sizeof(name), "highest peak, at step %lld", (long long)after.step);
	explain_after(out, t, what_if_pair_of(tab_of(t), of), name, false);
}
