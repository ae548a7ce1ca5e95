/* SPDX-License-Identifier: MIT */
/* variables_explain - figures of the row under the cursor, each with its query. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "variables_internal.h"

#include "tilescope/base/mem.h"

/*
 * Which row: by its number, else by how many stand before it, for relations give their rows as they stand in the report
 * (those of damaged pages are missing then); "" where neither is known.
 */
static void
where(const struct variables_view *t, const struct ts_variable *x, char *out, size_t size)
{
	out[0] = '\0';
	if (t->v->lowered && x->id != TS_UNKNOWN)
		snprintf(out, size, "WHERE id = %lld", (long long)x->id);
	else if (!t->v->lowered && x->variable != TS_UNKNOWN)
		snprintf(out, size, "WHERE variable = %lld", (long long)x->variable);
	else if (x->place >= 0 && !t->v->partial && !(t->list && t->list->partial))
		snprintf(out, size, "ORDER BY rowid LIMIT 1 OFFSET %lld", (long long)x->place);
}

/* Figures of a row that stand in it. */
static const struct {
	enum ts_variable_field field;
	bool lowered; /* of those only */
} recorded[] = {
	{TS_VARIABLE_FIELD_BYTES, false},
	{TS_VARIABLE_FIELD_TILE, true},
	{TS_VARIABLE_FIELD_OFFSET, true},
	{TS_VARIABLE_FIELD_ALIGNMENT, true},
	{TS_VARIABLE_FIELD_VARIABLE, true},
	{TS_VARIABLE_FIELD_CLASS, true},
};

static void
explain_column(struct ts_explain *e, const struct variables_view *t, const struct ts_variable *x,
	enum ts_variable_field field)
{
	const char *relation = t->v->lowered ? "lowered_variable" : "variable";
	const char *column = ts_variable_fields[field].name;
	struct ts_explained *f;
	char row[60];
	int64_t v;

	if (!ts_variable_field_can(t->v, field) || !ts_variable_field_number(x, field, &v))
		return;
	f = ts_explain_add(e, "%s of the %s", column,
		t->v->lowered ? "lowered variable" : "variable");
	if (field == TS_VARIABLE_FIELD_BYTES)
		ts_explain_bytes(f, v, t->view.env->options->units);
	else
		ts_explain_number(f, v);
	if (field == TS_VARIABLE_FIELD_OFFSET) /* as the table has it */
		ts_explain_shown(f, "0x%llx", (long long)v);
	ts_explain_from(f, TS_KNOWN_RECORDED, "%s.%s", relation, column);
	where(t, x, row, sizeof(row));
	if (row[0])
		ts_explain_query(f, "SELECT \"%s\" FROM %s %s", column, relation, row);
	else
		ts_explain_note(f, "rows have no number by which a query could find this one");
}

/* The steps of all intervals, what overlaps counted once, what lies behind the last step not at all. */
static void
explain_life(struct ts_explain *e, const struct variables_view *t, const struct ts_variable *x)
{
	uint32_t count, by_class;
	bool class_has = ts_variable_intervals(t->v->facts, x->class_of, TS_UNKNOWN, &by_class) !=
		NULL;
	const struct ts_variable_interval *i = ts_variable_intervals(t->v->facts, x->class_of,
		x->variable, &count);
	long long last = (long long)atomic_load(&t->v->facts->steps);
	struct ts_explained *f;

	if (x->steps == TS_UNKNOWN)
		return;
	f = ts_explain_add(e, "liveness steps at which it is alive");
	ts_explain_integer(f, x->steps, "steps");
	if (!i || x->always_live == 1) {
		ts_explain_from(f, TS_KNOWN_DERIVED, "%s.always_live, liveness_step.live_step",
			t->v->lowered ? "lowered_variable" : "variable");
		ts_explain_formula(f, "always live: all steps, last step + 1 = %lld", last);
		if (ts_report_has(t->view.env->report, TS_LIVENESS_STEP))
			ts_explain_query(f, "SELECT max(live_step) + 1 FROM liveness_step");
		return;
	}
	ts_explain_from(f, TS_KNOWN_DERIVED,
		class_has ? "class_interval.start, class_interval.end"
			  : "liveness_variable.start, liveness_variable.end");
	ts_explain_formula(f, "steps of the union of %u interval%s of %s %lld", count,
		count == 1 ? "" : "s", class_has ? "class" : "variable",
		(long long)(class_has ? x->class_of : x->variable));
	ts_explain_query(f,
		"SELECT sum(max(0, e - max(s, coalesce(p, s)))) FROM (SELECT s, e, max(e) OVER (ORDER BY s, e"
		" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS p FROM (SELECT \"start\" AS s,"
		" min(\"end\", %lld) AS e FROM %s WHERE \"%s\" = %lld) WHERE e > s)",
		last, class_has ? "class_interval" : "liveness_variable",
		class_has ? "class" : "variable",
		(long long)(class_has ? x->class_of : x->variable));
}

/* Of the graph below the table, where the columns are not shown. */
static struct ts_variable
with_pieces(const struct variables_view *t, const struct ts_variable *x)
{
	const struct ts_variable_pieces *p = &t->pieces;
	const struct ts_variable_spread s = {.tiles = p->on,
		.bytes = p->bytes,
		.fullest = p->fullest};
	struct ts_variable y = *x;

	if (x->tiles != TS_UNKNOWN || !t->has_pieces || p->variable != x->variable ||
		p->pieces == 0 || p->partial)
		return y;
	y.tiles = p->on;
	y.fullest = p->fullest;
	y.fullest_tile = p->fullest_tile;
	y.balance = ts_variable_balance(&s);
	return y;
}

static void
explain_spread(struct ts_explain *e, const struct variables_view *t, const struct ts_variable *x)
{
	long long id = (long long)x->variable;
	struct ts_explained *f;

	if (x->tiles == TS_UNKNOWN)
		return;
	f = ts_explain_add(e, "tiles that the unlowered variable is on");
	ts_explain_integer(f, x->tiles, NULL);
	ts_explain_from(f, TS_KNOWN_DERIVED, "lowered_variable.variable, lowered_variable.tile");
	ts_explain_query(f,
		"SELECT count(DISTINCT tile) FROM lowered_variable WHERE variable = %lld"
		" AND bytes IS NOT NULL",
		id);
	f = ts_explain_add(e, "bytes on the tile that has most of it");
	ts_explain_bytes(f, x->fullest, t->view.env->options->units);
	ts_explain_from(f, TS_KNOWN_DERIVED, "lowered_variable.bytes, by tile");
	ts_explain_formula(f, "tile %lld has the most", (long long)x->fullest_tile);
	ts_explain_query(f,
		"SELECT max(b) FROM (SELECT sum(bytes) AS b FROM lowered_variable"
		" WHERE variable = %lld AND tile IS NOT NULL GROUP BY tile)",
		id);
	if (x->balance == TS_UNKNOWN)
		return;
	f = ts_explain_add(e, "balance of its bytes over these tiles");
	ts_explain_real(f, (double)x->balance / 1000, "%");
	ts_explain_shown(f, "%.1f%%", (double)x->balance / 1000);
	ts_explain_from(f, TS_KNOWN_DERIVED, "lowered_variable.bytes, by tile");
	ts_explain_formula(f, "mean of the tiles / most on one tile (%lld)", (long long)x->fullest);
	ts_explain_query(f,
		"SELECT CAST(sum(b) * 1.0 / count(*) / max(b) * 100000 + 0.5 AS INTEGER) / 1000.0"
		" FROM (SELECT sum(bytes) AS b FROM lowered_variable WHERE variable = %lld"
		" AND tile IS NOT NULL AND bytes IS NOT NULL GROUP BY tile)",
		id);
}

void
variables_explain(struct ts_view *v, struct ts_explain *out)
{
	struct variables_view *t = (struct variables_view *)v;
	const struct ts_variable *x = t->v ? variables_row(t, t->rows.cursor) : NULL;
	struct ts_explained *f;

	if (!t->v)
		return;
	if (x && x->state == TS_VARIABLE_OK) {
		struct ts_variable y = with_pieces(t, x);

		for (size_t i = 0; i < TS_COUNT(recorded); i++)
			if (t->v->lowered || !recorded[i].lowered)
				explain_column(out, t, x, recorded[i].field);
		explain_life(out, t, x);
		explain_spread(out, t, &y);
	}
	if (!t->list || !atomic_load(&t->list->ready) || t->list->filter.count > 0 ||
		t->bytes == TS_UNKNOWN)
		return;
	f = ts_explain_add(out, "bytes of all %s",
		t->v->lowered ? "lowered variables" : "variables");
	ts_explain_bytes(f, t->bytes, t->view.env->options->units);
	ts_explain_from(f, TS_KNOWN_DERIVED,
		t->v->lowered ? "lowered_variable.bytes" : "variable.bytes");
	ts_explain_query(f, "SELECT sum(bytes) FROM %s",
		t->v->lowered ? "lowered_variable" : "variable");
}
