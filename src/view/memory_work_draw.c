/* SPDX-License-Identifier: MIT */
/* memory_work_draw - the tables of Compute sets, Vertices and Exchanges, and what their figures are. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "memory_work.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/view/absent.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/sheet.h"

enum { COLUMNS = 8 };

/* What a column shows. */
enum what {
	W_NONE,
	W_NAME,
	W_TYPE,
	W_CYCLES,
	W_KNOWN,
	W_SHARE, /* of the cycles of all; of exchange code: of the bytes of the tiles */
	W_CODE,
	W_STATE,
	W_VERTICES,
	W_SETS,
	W_TILES,
};

static const struct kind {
	const char *id, *empty, *one, *many;
	enum what what[COLUMNS];
	int columns;
	struct ts_column column[COLUMNS];
	struct ts_column_facts facts[COLUMNS];
} kinds[TS_WORK_KINDS] = {
	[TS_WORK_COMPUTE_SETS] = {"memory.sets", "No compute set runs here.", "compute set",
		"compute sets", {W_NAME, W_CYCLES, W_KNOWN, W_SHARE, W_VERTICES, W_TILES}, 6,
		{{"compute set", 16, 0, 6, 0, TS_FIELD_TAIL},
			{"cycles", 9, 12, 0, 0, TS_FIELD_RIGHT}, {"", 9, 9, 0, 3, TS_FIELD_LEFT},
			{"share", 6, 6, 0, 2, TS_FIELD_RIGHT},
			{"vertices", 8, 9, 0, 1, TS_FIELD_RIGHT},
			{"tiles", 6, 7, 0, 1, TS_FIELD_RIGHT}},
		{{.name = "name"}, {.name = "cycles", .unit = "cycles", .sum = TS_SUM_COUNT},
			{.name = "known"}, {.name = "share", .unit = "%"},
			{.name = "vertices", .sum = TS_SUM_COUNT}, {.name = "tiles"}}},
	[TS_WORK_VERTICES] = {"memory.vertices", "No vertices here.", "vertex type", "vertex types",
		{W_NAME, W_CODE, W_STATE, W_VERTICES, W_SETS, W_TILES}, 6,
		{{"vertex type", 20, 0, 6, 0, TS_FIELD_ELLIPSIS},
			{"code", 9, 10, 0, 0, TS_FIELD_RIGHT},
			{"state", 9, 10, 0, 1, TS_FIELD_RIGHT},
			{"vertices", 8, 9, 0, 2, TS_FIELD_RIGHT},
			{"sets", 5, 6, 0, 3, TS_FIELD_RIGHT},
			{"tiles", 6, 7, 0, 2, TS_FIELD_RIGHT}},
		{{.name = "type"}, {.name = "code", .unit = "bytes", .sum = TS_SUM_BYTES},
			{.name = "state", .unit = "bytes", .sum = TS_SUM_BYTES},
			{.name = "vertices", .sum = TS_SUM_COUNT},
			{.name = "compute_sets", .sum = TS_SUM_COUNT}, {.name = "tiles"}}},
	[TS_WORK_EXCHANGES] = {"memory.exchanges", "No exchange has code here.", "exchange",
		"exchanges", {W_NAME, W_TYPE, W_CODE, W_SHARE, W_CYCLES, W_KNOWN, W_TILES}, 7,
		{{"exchange", 16, 0, 6, 0, TS_FIELD_TAIL}, {"", 10, 14, 1, 3, TS_FIELD_LEFT},
			{"code", 9, 10, 0, 0, TS_FIELD_RIGHT},
			{"share", 6, 6, 0, 1, TS_FIELD_RIGHT},
			{"cycles", 9, 12, 0, 2, TS_FIELD_RIGHT}, {"", 9, 9, 0, 4, TS_FIELD_LEFT},
			{"tiles", 6, 7, 0, 2, TS_FIELD_RIGHT}},
		{{.name = "name"}, {.name = "type"},
			{.name = "code", .unit = "bytes", .sum = TS_SUM_BYTES},
			{.name = "share", .unit = "%"},
			{.name = "cycles", .unit = "cycles", .sum = TS_SUM_COUNT},
			{.name = "known"}, {.name = "tiles"}}},
};

static struct memory_view *
memory_of(const struct ts_tab *t)
{
	return t->host;
}

static const struct work_tab *
work_of(const struct ts_tab *t)
{
	return t->own;
}

/* --- values ----------------------------------------------------------------------------------- */

static int64_t
figure(const struct ts_work_row *r, enum what what)
{
	switch (what) {
	case W_CYCLES:
		return r->cycles;
	case W_CODE:
		return r->code;
	case W_STATE:
		return r->state;
	case W_VERTICES:
		return r->vertices;
	case W_SETS:
		return r->sets;
	case W_TILES:
		return r->tiles;
	default:
		return TS_UNKNOWN;
	}
}

/* What a share is of; <= 0: not known. */
static int64_t
whole(const struct ts_tab *t)
{
	const struct work_tab *w = work_of(t);

	return w->kind == TS_WORK_EXCHANGES ? memory_scope_bytes(memory_of(t), &w->ask.of)
					    : w->work.sum.cycles;
}

static int64_t
part(const struct work_tab *w, const struct ts_work_row *r)
{
	return w->kind == TS_WORK_EXCHANGES ? r->code : r->cycles;
}

static const char *
known_word(const struct ts_work_row *r)
{
	static const char *const words[] = {"", "measured", "estimated", "partly"};

	return words[r->known];
}

static void
total_name(const struct ts_tab *t, char *out, size_t size)
{
	const struct work_tab *w = work_of(t);
	const struct kind *k = &kinds[w->kind];
	char n[TS_FMT_MAX], f[TS_FMT_MAX];

	ts_fmt_count(n, (int64_t)w->work.count);
	if (w->kind == TS_WORK_VERTICES && ts_absent_vertex_names(t->view->env->report))
		snprintf(out, size, "%s %s, names not recorded", n,
			w->work.count == 1 ? k->one : k->many);
	else if (memory_work_rolled(w))
		snprintf(out, size, "%s %s in %s famil%s", n, w->work.count == 1 ? k->one : k->many,
			ts_fmt_count(f, (int64_t)w->work.families),
			w->work.families == 1 ? "y" : "ies");
	else
		snprintf(out, size, "%s %s", n, w->work.count == 1 ? k->one : k->many);
}

static void
name_cell(const struct ts_tab *t, int64_t line, const struct ts_work_row *r,
	struct ts_table_cell *out)
{
	const struct work_tab *w = work_of(t);
	const char *said = ts_work_said(&w->work, r);

	if (line == TS_TABLE_TOTAL) {
		total_name(t, out->buf, sizeof(out->buf));
		return;
	}
	out->s = *said ? said : "(no name)";
	if (memory_work_rolled(w))
		out->role = memory_work_is_family(w, line) ? TS_ROLE_TEXT : TS_ROLE_DIM;
}

static const struct ts_work_row *
row_of(const struct work_tab *w, int64_t line)
{
	return line == TS_TABLE_TOTAL ? &w->work.sum : memory_work_row(w, line);
}

static bool
work_cell(void *ctx, int64_t line, int column, struct ts_table_cell *out)
{
	const struct ts_tab *t = ctx;
	const struct work_tab *w = work_of(t);
	const struct ts_work_row *r = row_of(w, line);
	enum what what = kinds[w->kind].what[column];
	int64_t v;

	if (!r)
		return false;
	v = figure(r, what);
	out->s = out->buf;
	out->buf[0] = '\0';
	switch (what) {
	case W_NAME:
		name_cell(t, line, r, out);
		break;
	case W_TYPE:
		out->s = w->work.text.s + r->type;
		break;
	case W_KNOWN:
		out->s = known_word(r);
		out->role = TS_ROLE_NOTE;
		break;
	case W_CODE:
	case W_STATE:
		if (v != TS_UNKNOWN)
			ts_fmt_bytes(out->buf, v, memory_units(memory_of(t)));
		else
			out->s = "-";
		break;
	case W_SHARE:
		if (part(w, r) != TS_UNKNOWN && whole(t) > 0)
			ts_fmt_percent(out->buf, (double)part(w, r), (double)whole(t));
		break;
	default:
		if (line == TS_TABLE_TOTAL && (what == W_TILES || what == W_SETS))
			break;
		if (v != TS_UNKNOWN)
			ts_fmt_count(out->buf, v);
		else
			out->s = "-";
		break;
	}
	return true;
}

static bool
work_value(void *ctx, int64_t line, int column, struct ts_table_value *out)
{
	const struct ts_tab *t = ctx;
	const struct work_tab *w = work_of(t);
	const struct ts_work_row *r = row_of(w, line);
	enum what what = kinds[w->kind].what[column];

	if (!r)
		return false;
	if (what == W_NAME)
		ts_table_value_text(out,
			line == TS_TABLE_TOTAL ? "total" : ts_work_said(&w->work, r));
	else if (what == W_TYPE)
		ts_table_value_text(out, w->work.text.s + r->type);
	else if (what == W_KNOWN)
		ts_table_value_text(out, *known_word(r) ? known_word(r) : NULL);
	else if (what == W_SHARE && part(w, r) != TS_UNKNOWN && whole(t) > 0)
		ts_table_value_real(out, 100 * (double)part(w, r) / (double)whole(t));
	else if (what != W_SHARE &&
		!(line == TS_TABLE_TOTAL && (what == W_TILES || what == W_SETS)))
		ts_table_value_known(out, figure(r, what));
	return true;
}

static enum ts_role
work_row_role(void *ctx, int64_t line)
{
	const struct ts_tab *t = ctx;
	const struct work_tab *w = work_of(t);
	const char *needle = memory_of(t)->search;
	const struct ts_work_row *r = memory_work_row(w, line);

	return needle[0] && r && ts_contains_nocase(ts_work_said(&w->work, r), needle)
		? TS_ROLE_MATCH
		: TS_ROLE_TEXT;
}

struct ts_table
memory_work_table(const struct ts_tab *t)
{
	const struct work_tab *w = work_of(t);
	const struct kind *k = &kinds[w->kind];
	bool one = w->ask.of.count == 0; /* the number of tiles says nothing then */

	return (struct ts_table){.column = k->column,
		.columns = k->columns - (one ? 1 : 0),
		.cell = work_cell,
		.row = work_row_role,
		.needle = memory_of(t)->search,
		.ctx = (void *)(uintptr_t)t,
		.header = true,
		.total = true,
		.focus = memory_of(t)->focus == PANE_TABS && ts_tab_has_keys(t),
		.sorted = w->kind == TS_WORK_EXCHANGES ? 2 : 1,
		.descending = true,
		.empty = k->empty,
		.id = k->id,
		.facts = k->facts,
		.value = work_value,
		.looks = t->view->env->looks,
		.order = memory_work_rolled(w) ? NULL
					       : (struct ts_table_order *)(uintptr_t)&w->order,
		.units = memory_units(memory_of(t))};
}

/* --- drawing ---------------------------------------------------------------------------------- */

void
memory_work_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct work_tab *w = work_of(t);
	char of[80], wanted[80];

	if (!w->ask.here) {
		struct memory_scope scope = memory_scope(memory_of(t));

		memory_scope_say(&scope, out, TS_TAB_NOTE);
		return;
	}
	memory_scope_say(&w->ask.of, of, sizeof(of));
	memory_scope_say(&w->ask.wanted, wanted, sizeof(wanted));
	if (w->ask.state.state == TS_PANE_STALE)
		snprintf(out, TS_TAB_NOTE, "%.50s (reading %.50s)", of, wanted);
	else
		snprintf(out, TS_TAB_NOTE, "%.60s%s%s%s%s", of,
			w->kind == TS_WORK_EXCHANGES && w->work.count > 1 ? ", code is shared" : "",
			w->ask.state.state == TS_PANE_PARTIAL ? ", partial" : "",
			w->work.bad_rows > 0 ? ", bad rows left out" : "",
			w->work.cut ? ", not all" : "");
}

/* A sign in front of a family that it can be unfolded, a line in front of its types. */
static void
draw_signs(struct ts_canvas *c, struct ts_rect r, const struct work_tab *w)
{
	int64_t from, to;

	ts_list_window(&w->list, &from, &to);
	for (int64_t i = from; i < to && i < w->lines; i++)
		ts_canvas_glyph(c, r, 0, (int)(i - from) + 1, TS_ROLE_BORDER,
			!memory_work_is_family(w, i)			  ? 0x2502
				: w->unfolded == WORK_FAMILY - w->line[i] ? 0x25be
									  : 0x25b8);
}

void
memory_work_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	const struct work_tab *w = work_of(t);
	struct ts_table table = memory_work_table(t);
	struct ts_rect r = t->r;

	(void)focus;
	if (!w->ask.here) {
		ts_pane_draw(c, r, t->view->env, &w->ask.state);
		return;
	}
	if (memory_work_rolled(w)) {
		struct ts_rect signs = ts_rect_cut_left(&r, 2);
		int rows = ts_table_rows(&table, t->r);

		ts_table_draw(c, r, &table, &w->list);
		signs.h = rows + 1 < signs.h ? rows + 1 : signs.h;
		draw_signs(c, signs, w);
		return;
	}
	ts_table_draw(c, r, &table, &w->list);
}

bool
memory_work_sheet(struct ts_tab *t, struct ts_sheet *out)
{
	struct work_tab *w = t->own;
	char of[80];

	if (!w->ask.here)
		return false;
	memory_scope_say(&w->ask.of, of, sizeof(of));
	snprintf(out->title, sizeof(out->title), "%s of %s", t->ops->title, of);
	out->table = memory_work_table(t);
	out->table.order =
		&w->order; /* who sorts or filters families gets all types: it can be done */
	out->list = &w->list;
	out->rows = w->lines;
	out->wait = w->ask.state.state == TS_PANE_STALE ? "another tile is being read" : NULL;
	return true;
}

/* --- what the figures are --------------------------------------------------------------------- */

/* Only figures of one tile have a query. */
static void
explain_blob(struct ts_explained *x, const struct work_tab *w, int64_t id, const char *relation,
	const char *key, const char *blob)
{
	if (w->ask.of.count == 0)
		ts_explain_query(x, "SELECT tile_at(%s, %lld) FROM %s WHERE %s = %lld", blob,
			(long long)w->ask.of.tile, relation, key, (long long)id);
}

static void
explain_cycles(struct ts_explain *out, const struct ts_tab *t, const struct ts_work_row *r)
{
	const struct work_tab *w = work_of(t);
	bool exchange = w->kind == TS_WORK_EXCHANGES, measured = r->known == TS_WORK_MEASURED;
	struct ts_explained *x = ts_explain_add(out, "cycles of %.100s", ts_work_said(&w->work, r));
	const char *relation = exchange ? "program" : "compute_set";
	const char *blob = measured ? "cycles_by_tile" : "estimated_cycles_by_tile";

	ts_explain_integer(x, r->cycles, "cycles");
	ts_explain_from(x, measured ? TS_KNOWN_MEASURED : TS_KNOWN_ESTIMATED, "%s.%s", relation,
		blob);
	ts_explain_formula(x,
		w->ask.of.count == 0 ? "number of the tile in the blob"
				     : "the largest number of the %lld tiles in the blob",
		(long long)w->ask.of.count);
	explain_blob(x, w, r->id, relation, relation, blob);
}

static void
explain_code(struct ts_explain *out, const struct ts_tab *t, const struct ts_work_row *r)
{
	const struct work_tab *w = work_of(t);
	bool exchange = w->kind == TS_WORK_EXCHANGES;
	struct ts_explained *x = ts_explain_add(out, "code of %.100s", ts_work_said(&w->work, r));

	ts_explain_bytes(x, r->code, memory_units(memory_of(t)));
	ts_explain_from(x, TS_KNOWN_RECORDED,
		exchange ? "program.code_by_tile" : "tile_vertex.code_bytes");
	ts_explain_formula(x,
		w->ask.of.count == 0 ? "bytes on the tile" : "sum of the bytes on %lld tiles",
		(long long)w->ask.of.count);
	if (exchange) {
		ts_explain_note(x,
			"exchanges share code: together they have more than the category");
		explain_blob(x, w, r->id, "program", "program", "code_by_tile");
	} else if (w->ask.of.count == 0) {
		ts_explain_query(x,
			"SELECT sum(code_bytes) FROM tile_vertex WHERE tile = %lld AND vertex_type = %lld",
			(long long)w->ask.of.tile, (long long)r->id);
	}
}

static void
explain_vertices(struct ts_explain *out, const struct ts_tab *t, const struct ts_work_row *r)
{
	const struct work_tab *w = work_of(t);
	bool type = w->kind == TS_WORK_VERTICES;
	struct ts_explained *x = ts_explain_add(out, "vertices of %.100s",
		ts_work_said(&w->work, r));

	ts_explain_integer(x, r->vertices, "vertices");
	ts_explain_from(x, TS_KNOWN_RECORDED, "compute_set_vertex.count_by_tile");
	ts_explain_formula(x, "sum over %s", type ? "compute sets" : "vertex types");
	if (w->ask.of.count == 0)
		ts_explain_query(x,
			"SELECT sum(tile_at(count_by_tile, %lld)) FROM compute_set_vertex WHERE %s = %lld",
			(long long)w->ask.of.tile, type ? "vertex_type" : "compute_set",
			(long long)r->id);
}

static void
explain_state(struct ts_explain *out, const struct ts_tab *t, const struct ts_work_row *r)
{
	const struct work_tab *w = work_of(t);
	struct ts_explained *x = ts_explain_add(out, "state of %.100s", ts_work_said(&w->work, r));

	ts_explain_bytes(x, r->state, memory_units(memory_of(t)));
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"compute_set_vertex.count_by_tile, vertex_type.state_bytes");
	if (r->state != TS_UNKNOWN && r->vertices > 0)
		ts_explain_formula(x, "%lld vertices x %lld bytes", (long long)r->vertices,
			(long long)(r->state / r->vertices));
	else
		ts_explain_note(x, "what a vertex of this type takes is not recorded");
	if (w->ask.of.count == 0)
		ts_explain_query(x,
			"SELECT sum(tile_at(v.count_by_tile, %lld)) * t.state_bytes FROM "
			"compute_set_vertex v, vertex_type t WHERE v.vertex_type = %lld AND "
			"t.vertex_type = %lld",
			(long long)w->ask.of.tile, (long long)r->id, (long long)r->id);
}

void
memory_work_explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct work_tab *w = work_of(t);
	struct ts_table table = memory_work_table(t);
	int64_t line = w->list.count > 0 ? ts_table_row(&table, w->list.cursor) : -1;
	const struct ts_work_row *r = w->ask.here ? memory_work_row(w, line) : NULL;

	if (!r || memory_work_is_family(w, line))
		return;
	if (r->cycles != TS_UNKNOWN)
		explain_cycles(out, t, r);
	if (r->code != TS_UNKNOWN)
		explain_code(out, t, r);
	if (r->state != TS_UNKNOWN)
		explain_state(out, t, r);
	if (r->vertices != TS_UNKNOWN)
		explain_vertices(out, t, r);
}
