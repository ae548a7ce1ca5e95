/* SPDX-License-Identifier: MIT */
/* memory_work_draw - the tables of Compute sets, Vertices and Exchanges, and what their figures are. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "memory_work.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/view/absent.h"
#include "tilescope/view/sheet.h"

enum { COLUMNS = 9 };

/* What a column shows. */
enum what {
	W_NONE,
	W_NAME,
	W_TYPE,
	W_CYCLES,  /* of all tiles together, as the other figures are */
	W_SLOWEST, /* of the slowest of them */
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
	int columns, of_tiles; /* of_tiles: the last so many say nothing of one tile */
	struct ts_column column[COLUMNS];
	struct ts_column_facts facts[COLUMNS];
} kinds[TS_WORK_KINDS] = {
	[TS_WORK_COMPUTE_SETS] = {"memory.sets", "No compute set runs here.", "compute set",
		"compute sets",
		{W_NAME, W_CYCLES, W_KNOWN, W_SHARE, W_VERTICES, W_TILES, W_SLOWEST}, 7, 2,
		{{"compute set", 16, 0, 6, 0, TS_FIELD_TAIL},
			{"cycles", 9, 12, 0, 0, TS_FIELD_RIGHT}, {"", 9, 9, 0, 3, TS_FIELD_LEFT},
			{"share", 6, 6, 0, 2, TS_FIELD_RIGHT},
			{"vertices", 8, 9, 0, 1, TS_FIELD_RIGHT},
			{"tiles", 6, 7, 0, 1, TS_FIELD_RIGHT},
			{"slowest", 9, 12, 0, 2, TS_FIELD_RIGHT}},
		{{.name = "name"}, {.name = "cycles", .unit = "cycles", .sum = TS_SUM_COUNT},
			{.name = "known"}, {.name = "share", .unit = "%"},
			{.name = "vertices", .sum = TS_SUM_COUNT}, {.name = "tiles"},
			{.name = "slowest", .unit = "cycles", .sum = TS_SUM_COUNT}}},
	[TS_WORK_VERTICES] = {"memory.vertices", "No vertices here.", "vertex type", "vertex types",
		{W_NAME, W_CODE, W_STATE, W_VERTICES, W_SETS, W_TILES}, 6, 1,
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
		"exchanges",
		{W_NAME, W_TYPE, W_CODE, W_SHARE, W_CYCLES, W_KNOWN, W_TILES, W_SLOWEST}, 8, 2,
		{{"exchange", 16, 0, 6, 0, TS_FIELD_TAIL}, {"", 10, 14, 1, 3, TS_FIELD_LEFT},
			{"code", 9, 10, 0, 0, TS_FIELD_RIGHT},
			{"share", 6, 6, 0, 1, TS_FIELD_RIGHT},
			{"cycles", 9, 12, 0, 2, TS_FIELD_RIGHT}, {"", 9, 9, 0, 4, TS_FIELD_LEFT},
			{"tiles", 6, 7, 0, 2, TS_FIELD_RIGHT},
			{"slowest", 9, 12, 0, 3, TS_FIELD_RIGHT}},
		{{.name = "name"}, {.name = "type"},
			{.name = "code", .unit = "bytes", .sum = TS_SUM_BYTES},
			{.name = "share", .unit = "%"},
			{.name = "cycles", .unit = "cycles", .sum = TS_SUM_COUNT},
			{.name = "known"}, {.name = "tiles"},
			{.name = "slowest", .unit = "cycles", .sum = TS_SUM_COUNT}}},
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
		return r->cycles_sum;
	case W_SLOWEST:
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

int64_t
memory_work_whole(const struct ts_tab *t)
{
	const struct work_tab *w = work_of(t);

	return w->kind == TS_WORK_EXCHANGES ? memory_scope_bytes(memory_of(t), &w->ask.of)
					    : w->work.sum.cycles_sum;
}

int64_t
memory_work_part(const struct work_tab *w, const struct ts_work_row *r)
{
	return w->kind == TS_WORK_EXCHANGES ? r->code : r->cycles_sum;
}

/* Which categories have a name that ends so: *n of them, their places in which[]. */
static int
categories_named(const struct ts_categories *c, const char *end, int which[TS_CATEGORIES_MAX])
{
	int n = 0;

	for (int i = 0; i < c->count; i++) {
		size_t has = strlen(c->category[i].name), k = strlen(end);

		if (has >= k && strcmp(c->category[i].name + has - k, end) == 0)
			which[n++] = i;
	}
	return n;
}

/* More than a number holds stays there. */
static void
add_tile(int64_t *sum, const struct ts_categories *c, const int *which, int n, int64_t tile)
{
	for (int k = 0; k < n; k++) {
		int64_t bytes = ts_max_i64(0, ts_categories_on_tile(c, which[k], tile));

		*sum = bytes > TS_NUMBER_MAX - *sum ? TS_NUMBER_MAX : *sum + bytes;
	}
}

int64_t
memory_work_category(const struct ts_tab *t, const char **name, const char **end)
{
	const struct work_tab *w = work_of(t);
	const struct memory_view *m = memory_of(t);
	const struct ts_tile_set *set = &m->view.env->selection->tiles.set;
	struct memory_scope now = memory_scope(m);
	int which[TS_CATEGORIES_MAX], n;
	int64_t sum = 0;

	*name = w->kind == TS_WORK_EXCHANGES ? "code" : "state";
	*end = w->kind == TS_WORK_EXCHANGES ? "ExchangeCode" : "vertexInstanceState";
	if ((w->kind != TS_WORK_EXCHANGES && w->kind != TS_WORK_VERTICES) || !m->categories ||
		m->categories->c.cut || m->categories_state.state != TS_PANE_READY ||
		!ts_report_has(m->view.env->report, TS_TILE_CATEGORY) ||
		!memory_same_scope(&now, &w->ask.of))
		return TS_UNKNOWN;
	n = categories_named(&m->categories->c, *end, which);
	if (n > 0 && now.count == 0)
		add_tile(&sum, &m->categories->c, which, n, now.tile);
	for (int64_t i = 0; n > 0 && now.count > 0 && i < m->tiles->n; i++)
		if (ts_tile_set_has(set, m->tiles->tiles.tile[i].tile))
			add_tile(&sum, &m->categories->c, which, n, m->tiles->tiles.tile[i].tile);
	return n > 0 ? sum : TS_UNKNOWN;
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
	const char *name, *end;
	int64_t bytes;
	size_t at;

	ts_fmt_count(n, (int64_t)w->work.count);
	bytes = memory_work_category(t, &name, &end);
	at = (size_t)snprintf(out, size, "%s %s", n, w->work.count == 1 ? k->one : k->many);
	if (w->kind == TS_WORK_VERTICES && ts_absent_vertex_names(t->view->env->report))
		at += (size_t)snprintf(out + at, size - at, ", names not recorded");
	else if (memory_work_rolled(w))
		at += (size_t)snprintf(out + at, size - at, " in %s famil%s",
			ts_fmt_count(f, (int64_t)w->work.families),
			w->work.families == 1 ? "y" : "ies");
	if (bytes != TS_UNKNOWN) /* the category beside it has more */
		snprintf(out + at, size - at, ", of %s %s",
			ts_fmt_bytes(f, bytes, memory_units(memory_of(t))), name);
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

/* A sum over many tiles may be wider than its column: then short, rather than without its last digits. */
static void
count_cell(const struct ts_tab *t, int column, int64_t v, struct ts_table_cell *out)
{
	struct ts_table table = memory_work_table(t);
	int width[TS_TABLE_COLUMNS];

	ts_fmt_count(out->buf, v);
	if ((int)strlen(out->buf) <= table.column[column].min)
		return;
	ts_table_layout(width, &table, t->r.w);
	if ((int)strlen(out->buf) > width[column])
		ts_fmt_cycles_short(out->buf, v);
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
		if (memory_work_part(w, r) != TS_UNKNOWN && memory_work_whole(t) > 0)
			ts_fmt_percent(out->buf, (double)memory_work_part(w, r),
				(double)memory_work_whole(t));
		break;
	default:
		if (line == TS_TABLE_TOTAL && (what == W_TILES || what == W_SETS))
			break;
		if (v != TS_UNKNOWN)
			count_cell(t, column, v, out);
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
	else if (what == W_SHARE && memory_work_part(w, r) != TS_UNKNOWN &&
		memory_work_whole(t) > 0)
		ts_table_value_real(out,
			100 * (double)memory_work_part(w, r) / (double)memory_work_whole(t));
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
	bool one = w->ask.of.count ==
		0; /* how many tiles, and which is the slowest, says nothing then */

	return (struct ts_table){.column = k->column,
		.columns = k->columns - (one ? k->of_tiles : 0),
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
