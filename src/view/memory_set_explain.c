/* SPDX-License-Identifier: MIT */
/* memory_set_explain - what the figures of the variables of several tiles are: of the name under the cursor, and in all. */
#include "config.h"

#include <stdio.h>

#include "memory_set_internal.h"
#include "tilescope/view/explain_common.h"

/* What queries of a tab have in common. */
struct explained_set {
	struct ts_tab *t;
	struct ts_explain *out;
	const struct ts_set_variable *row; /* under the cursor; NULL: none */
	struct memory_scope_sql tiles;
	char of[80];	     /* "4 selected tiles" */
	const char *why;     /* the tiles cannot be named; or NULL */
	const char *why_not; /* the rows of the name cannot be; or NULL */
	char name[600];	     /* of those rows, as a condition */
};

static const struct memory_view *
memory_of(const struct explained_set *o)
{
	return o->t->host;
}

/* The rows of the name in SQL. */
static void
name_sql(struct explained_set *o)
{
	const char *name = ts_set_variable_name(memory_set_variables_of(o->t), o->row);
	char quoted[sizeof(o->name) - 10];

	o->why_not = o->why;
	if (o->row->key == TS_SET_NAMELESS)
		snprintf(o->name, sizeof(o->name), "name IS NULL");
	else if (!*name)
		snprintf(o->name, sizeof(o->name), "coalesce(name, '') = ''");
	else if (ts_explain_quote(quoted, sizeof(quoted), name))
		snprintf(o->name, sizeof(o->name), "name = %s", quoted);
	else if (!o->why)
		o->why_not = "the name is too long for one";
}

/* Rows with a size count, as in the table: `what` of those of the name. */
static void
ask_name(const struct explained_set *o, struct ts_explained *x, const char *what,
	const char *behind)
{
	ts_explain_from(x, TS_KNOWN_DERIVED, "lowered_variable.bytes, .name, .tile");
	if (o->why_not)
		ts_explain_note(x, "no query: %s", o->why_not);
	else
		ts_explain_query(x,
			"SELECT %s FROM lowered_variable WHERE bytes >= 0 AND %s AND %s%s", what,
			o->name, o->tiles.where, behind);
}

static void
ask_all(const struct explained_set *o, struct ts_explained *x, const char *what,
	const char *relation)
{
	if (o->why)
		ts_explain_note(x, "no query: %s", o->why);
	else
		ts_explain_query(x, "SELECT %s FROM %s WHERE %s", what, relation, o->tiles.where);
}

/* What gives the memory of the tiles, which shares are of; their variables where it is not known. */
static const char *
memory_sql(const struct explained_set *o)
{
	return memory_of(o)->gaps ? "sum(" TS_EXPLAIN_USED ")" : "sum(total)";
}

static void
explain_share(const struct explained_set *o)
{
	struct memory_whole whole = memory_scope_whole(memory_of(o), &memory_set_of(o->t)->ask.of);
	struct ts_strbuf sql;

	ts_strbuf_init(&sql, TS_EXPLAIN_QUERY);
	if (!o->why_not)
		ts_strbuf_printf(&sql,
			"SELECT 100.0 * sum(bytes) / (SELECT %s FROM %s WHERE %s) FROM lowered_variable "
			"WHERE bytes >= 0 AND %s AND %s",
			whole.bytes >= 0 ? memory_sql(o) : "sum(bytes)",
			whole.bytes >= 0 ? "tile_memory" : "lowered_variable", o->tiles.where,
			o->name, o->tiles.where);
	ts_explain_share(o->out, "its share of the memory of the tiles", o->row->bytes,
		memory_set_whole(o->t), "lowered_variable.bytes, tile_memory", sql.s);
	if (o->why_not)
		ts_explain_note(&o->out->figure[o->out->count - 1], "no query: %s", o->why_not);
	ts_strbuf_fini(&sql);
}

static void
explain_category(const struct explained_set *o)
{
	const struct ts_set_variables *v = memory_set_variables_of(o->t);
	const char *category = ts_set_variable_category(v, o->row);
	struct ts_explained *x = ts_explain_add(o->out, "its category");

	if (category)
		ts_explain_text(x, category);
	ask_name(o, x,
		"CASE WHEN count(DISTINCT coalesce(category_name(category), '')) > 1 THEN 'several' "
		"ELSE max(category_name(category)) END",
		"");
	ts_explain_from(x, TS_KNOWN_RECORDED, "lowered_variable.category, memory_category.name");
	ts_explain_formula(x, "of its pieces on these tiles; several: not all have the same");
}

static void
explain_row(const struct explained_set *o)
{
	const struct memory_view *m = memory_of(o);
	const struct ts_set_variable *r = o->row;
	struct ts_explained *x = ts_explain_add(o->out, "bytes of %s on %s",
		memory_set_name(memory_set_variables_of(o->t), r), o->of);

	ts_explain_bytes(x, r->bytes, memory_units(m));
	ts_explain_formula(x, "sum of %lld piece%s on %lld tile%s", (long long)r->pieces,
		r->pieces == 1 ? "" : "s", (long long)r->tiles, r->tiles == 1 ? "" : "s");
	ask_name(o, x, "sum(bytes)", "");
	explain_share(o);
	x = ts_explain_add(o->out, "of these tiles, those that have some of it");
	ts_explain_integer(x, r->tiles, NULL);
	ask_name(o, x, "count(DISTINCT tile)", "");
	x = ts_explain_add(o->out, "its pieces on these tiles");
	ts_explain_integer(x, r->pieces, NULL);
	ts_explain_formula(x, "lowered variables of that name, each on one tile");
	ask_name(o, x, "count(*)", "");
	x = ts_explain_add(o->out, "most of it on one tile");
	ts_explain_bytes(x, r->fullest, memory_units(m));
	ask_name(o, x, "sum(bytes)", " GROUP BY tile ORDER BY sum(bytes) DESC LIMIT 1");
	x = ts_explain_add(o->out, "tile that has most of it");
	ts_explain_number(x, r->fullest_tile);
	ts_explain_formula(x, "of equals the one with the lowest number");
	ask_name(o, x, "tile", " GROUP BY tile ORDER BY sum(bytes) DESC, tile LIMIT 1");
	explain_category(o);
}

/* The pinned total: what the variables come to, and what that is not of the memory of their tiles. */
static void
explain_total(const struct explained_set *o)
{
	const struct set_tab *s = memory_set_of(o->t);
	const struct ts_set_variables *v = memory_set_variables_of(o->t);
	const struct memory_view *m = memory_of(o);
	struct memory_whole whole = memory_scope_whole(m, &s->ask.of);
	struct ts_explained *x = ts_explain_add(o->out, "bytes of all variables of %s", o->of);

	ts_explain_bytes(x, v->bytes, memory_units(m));
	ts_explain_from(x, TS_KNOWN_DERIVED, "lowered_variable.bytes");
	ts_explain_formula(x, "the sum; variables that share memory count each");
	ask_all(o, x, "sum(bytes)", "lowered_variable");
	if (whole.bytes >= 0 && whole.gaps > 0) {
		x = ts_explain_add(o->out, "gaps of %s", o->of);
		ts_explain_bytes(x, whole.gaps, memory_units(m));
		ts_explain_from(x, TS_KNOWN_DERIVED, "tile_memory.total_gaps, tile_memory.total");
		ask_all(o, x, "sum(" TS_EXPLAIN_USED " - total)", "tile_memory");
	}
	if (whole.bytes >= 0 && v->bytes >= 0) {
		x = ts_explain_add(o->out, "memory of %s", o->of);
		ts_explain_bytes(x, whole.bytes, memory_units(m));
		ts_explain_from(x, TS_KNOWN_DERIVED, "tile_memory.total%s",
			whole.gaps > 0 ? ", tile_memory.total_gaps" : "");
		ts_explain_formula(x,
			"%lld of variables + %lld of gaps + %lld (below 0: variables share memory and "
			"count each; above: memory of no variable)",
			(long long)v->bytes, (long long)whole.gaps,
			(long long)(whole.bytes - whole.gaps - v->bytes));
		ask_all(o, x, memory_sql(o), "tile_memory");
	}
	x = ts_explain_add(o->out, "pieces of variables of %s", o->of);
	ts_explain_integer(x, v->found, NULL);
	ts_explain_from(x, TS_KNOWN_RECORDED, "lowered_variable");
	ask_all(o, x, "count(CASE WHEN bytes >= 0 THEN 1 END)", "lowered_variable");
	x = ts_explain_add(o->out, "names of variables of %s", o->of);
	ts_explain_from(x, TS_KNOWN_DERIVED, "lowered_variable.name");
	if (v->others > 0) { /* how many names those have is not known */
		ts_explain_note(x, "more than %lld: so many are told apart", (long long)v->names);
		return;
	}
	ts_explain_integer(x, (int64_t)v->names, NULL);
	ts_explain_formula(x, "all that have no name count as one");
	ask_all(o, x, "count(DISTINCT CASE WHEN bytes >= 0 THEN coalesce(name, '') END)",
		"lowered_variable");
}

void
memory_set_explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct set_tab *s = memory_set_of(t);
	const struct ts_set_variables *v = memory_set_variables_of(t);
	struct explained_set o = {.t = t, .out = out};
	int64_t row = memory_set_row(t);

	if (!s->ask.here)
		return;
	if (!memory_scope_sql(t->host, &s->ask.of, &o.tiles, &o.why) && !o.why)
		return;
	memory_scope_say(&s->ask.of, o.of, sizeof(o.of));
	if (s->some > 0)
		o.why = "these are of a first look at some of the tiles";
	if (row >= 0 && row < (int64_t)v->count) {
		o.row = &v->row[row];
		name_sql(&o);
		explain_row(&o);
	}
	if (s->some == 0)
		explain_total(&o);
}
