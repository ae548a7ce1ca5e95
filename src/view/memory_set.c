/* SPDX-License-Identifier: MIT */
/* memory_set - see the header; report/set_variables.h sums them up. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_set.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/report/set_variables.h"
#include "tilescope/report/tile_rows.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/sheet.h"

struct set_tab {
	struct memory_asked ask;
	struct ts_set_variables v;
	uint64_t data;
	struct ts_fetch *looking; /* at some of the tiles, while all are being read */
	int64_t some;		  /* `v` is of so many tiles only; 0: of all */
	struct ts_list list;
	struct ts_table_order order;
};

static struct memory_view *
memory_of(const struct ts_tab *t)
{
	return t->host;
}

static struct set_tab *
set_of(const struct ts_tab *t)
{
	return t->own;
}

/* --- asking ----------------------------------------------------------------------------------- */

struct set_fetch {
	struct memory_scope_fetch of; /* first */
	size_t some;		      /* look at so many of the tiles; 0: all */
	struct ts_set_variables v;
};

static enum ts_code
read_set(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct set_fetch *a = (struct set_fetch *)f;
	size_t n = a->of.n;

	if (a->some > 0 && ts_set_variables_kept(rd, a->of.tile, n))
		return TS_OK;		     /* all are there as soon */
	for (size_t i = 0; i < a->some; i++) /* from all over the set */
		a->of.tile[i] = a->of.tile[i * n / a->some];
	return ts_set_variables_read(&a->v, rd, a->of.tile, a->some > 0 ? a->some : n,
		&f->job.progress, err);
}

static void
fini_set(struct ts_fetch *f)
{
	struct set_fetch *a = (struct set_fetch *)f;

	free(a->of.tile);
	ts_set_variables_fini(&a->v);
}

static struct ts_table set_table(const struct ts_tab *t);

static void
make_order(struct ts_tab *t)
{
	struct set_tab *s = set_of(t);
	struct ts_table table = set_table(t);

	ts_table_order_make(&s->order, &table, &s->list, s->ask.here ? (int64_t)s->v.count : 0,
		s->data);
}

/* The rows are gone. */
static void
forget(struct ts_tab *t)
{
	struct set_tab *s = set_of(t);

	ts_set_variables_fini(&s->v);
	s->ask.here = false;
	s->some = 0;
	s->data++;
	make_order(t);
}

enum {
	FEW = 16,    /* tiles that are read at once, where each is reached */
	MANY = 4096, /* the same where the index has their rows as numbers: five million rows, 25 ms */
	LOOK = 8,    /* the same of more, for a first look, */
	LOOK_NUMBERS = 32, /* ... with the index, ... */
	SOON = 192,	   /* ... which adds up so many soon enough */
};

static struct set_fetch *
new_fetch(struct ts_tab *t, const struct memory_scope *scope, size_t some)
{
	struct set_fetch *f = memory_scope_fetch_new(memory_of(t), scope, sizeof(*f));

	if (!f)
		return NULL;
	f->of.fetch.read = read_set;
	f->of.fetch.fini = fini_set;
	f->some = some;
	return f;
}

/* Names of a few of the tiles, while those of all are summed up. */
static void
look(struct ts_tab *t, const struct memory_scope *scope, size_t some)
{
	struct set_fetch *f = new_fetch(t, scope, some);

	if (!f)
		return;
	set_of(t)->looking = &f->of.fetch;
	ts_fetch_send(t->view, &f->of.fetch, t->kind + 1, TS_WORKER_SCREEN,
		"looking at some of the tiles");
}

static void
set_request(struct ts_tab *t)
{
	struct memory_view *m = memory_of(t);
	struct set_tab *s = set_of(t);
	struct memory_scope scope = memory_scope(m);
	struct ts_view_env *env = t->view->env;
	struct set_fetch *f;
	bool few, numbers;

	if (s->some > 0 && !memory_same_scope(&s->ask.of, &scope))
		forget(t); /* a first look at others is worth nothing */
	if (!memory_asked_needs(&s->ask, &scope))
		return;
	s->looking = NULL;
	f = new_fetch(t, &scope, 0);
	if (!f) {
		memory_asked_sent(&s->ask, NULL);
		return;
	}
	memory_asked_sent(&s->ask, &f->of.fetch);
	few = ts_set_variables_quick(env->report, env->index, f->of.tile, f->of.n);
	if (f->of.n > FEW) {
		ts_view_wants_tile_rows(env);
		numbers = ts_tile_rows_quick(env->index);
		if (few && (!numbers || f->of.n > SOON))
			look(t, &scope, numbers ? LOOK_NUMBERS : LOOK);
		few = numbers && f->of.n <= MANY;
	}
	ts_fetch_send(t->view, &f->of.fetch, t->kind, few ? TS_WORKER_SCREEN : TS_WORKER_BULK,
		"summing up variables of tiles");
}

static void
take(struct ts_tab *t, struct set_fetch *a)
{
	struct set_tab *s = set_of(t);

	ts_set_variables_fini(&s->v);
	s->v = a->v;
	a->v = (struct ts_set_variables){0};
	s->some = (int64_t)a->some;
	s->data++;
	make_order(t);
}

/* What was looked at stands there until all is, or for good where that was stopped. */
static enum ts_effect
take_look(struct ts_tab *t, struct set_fetch *a)
{
	struct set_tab *s = set_of(t);

	s->looking = NULL;
	if (!s->ask.sent || a->of.fetch.code || a->v.count == 0 ||
		ts_fetch_in_vain(&a->of.fetch, t->view->env->generation) ||
		!memory_same_scope(&a->of.scope, &s->ask.wanted))
		return TS_EFFECT_NONE;
	s->ask.here = true;
	s->ask.of = a->of.scope;
	s->ask.state.state = TS_PANE_STALE;
	take(t, a);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_SOON);
}

static enum ts_effect
set_deliver(struct ts_tab *t, struct ts_fetch *f)
{
	struct set_tab *s = set_of(t);
	struct set_fetch *a = (struct set_fetch *)f;

	if (f == s->looking)
		return take_look(t, a);
	if (f != s->ask.sent)
		return TS_EFFECT_NONE;
	s->looking = NULL;
	if (!memory_asked_take(&s->ask, t->view, f, &a->of.scope, TS_ABSENT_TILE_VARIABLES,
		    a->v.count > 0))
		return TS_EFFECT_REPAINT;
	take(t, a);
	return TS_EFFECT_REPAINT;
}

/* --- life ------------------------------------------------------------------------------------- */

static bool
set_open(struct ts_tab *t)
{
	struct set_tab *s = ts_alloc(1, sizeof(*s));

	if (!s)
		return false;
	ts_list_init(&s->list);
	ts_table_order_init(&s->order);
	t->own = s;
	return true;
}

static void
set_drop(struct ts_tab *t)
{
	struct set_tab *s = set_of(t);

	s->looking = NULL;
	memory_asked_drop(&s->ask);
	forget(t);
}

static void
set_close(struct ts_tab *t)
{
	if (!t->own)
		return;
	set_drop(t);
	ts_table_order_fini(&set_of(t)->order);
	free(t->own);
	t->own = NULL;
}

/* --- the table -------------------------------------------------------------------------------- */

enum { S_NAME, S_BYTES, S_SHARE, S_TILES, S_PIECES, S_FULLEST, S_FULLEST_TILE, S_COLUMNS };

static const struct ts_column set_columns[S_COLUMNS] = {
	[S_NAME] = {"variable", 16, 0, 6, 0, TS_FIELD_TAIL},
	[S_BYTES] = {"bytes", 10, 10, 0, 0, TS_FIELD_RIGHT},
	[S_SHARE] = {"share", 6, 6, 0, 2, TS_FIELD_RIGHT},
	[S_TILES] = {"tiles", 6, 7, 0, 1, TS_FIELD_RIGHT},
	[S_PIECES] = {"pieces", 9, 9, 0, 5, TS_FIELD_RIGHT},
	[S_FULLEST] = {"most", 9, 10, 0, 3, TS_FIELD_RIGHT},
	[S_FULLEST_TILE] = {"on tile", 7, 8, 0, 4, TS_FIELD_RIGHT},
};

static const struct ts_column_facts set_facts[S_COLUMNS] = {
	[S_NAME] = {.name = "variable"},
	[S_BYTES] = {.name = "bytes", .unit = "bytes", .sum = TS_SUM_BYTES},
	[S_SHARE] = {.name = "share", .unit = "%"},
	[S_TILES] = {.name = "tiles"},
	[S_PIECES] = {.name = "pieces", .sum = TS_SUM_COUNT},
	[S_FULLEST] = {.name = "most", .unit = "bytes"},
	[S_FULLEST_TILE] = {.name = "on_tile"},
};

/* What shares are of: the memory of the tiles where it is known, else the sum of their variables. */
static int64_t
whole_of(const struct ts_tab *t)
{
	int64_t bytes = set_of(t)->some > 0 ? TS_UNKNOWN
					    : memory_scope_bytes(memory_of(t), &set_of(t)->ask.of);

	return bytes >= 0 ? bytes : set_of(t)->v.bytes;
}

/* Totals are of all variables of the tiles, also where not all names are listed. */
static int64_t
total_of(const struct ts_tab *t, int column)
{
	return column == S_BYTES     ? whole_of(t)
		: column == S_PIECES ? set_of(t)->v.found
				     : TS_UNKNOWN;
}

static int64_t
figure_of(const struct ts_set_variable *r, int column)
{
	switch (column) {
	case S_BYTES:
		return r->bytes;
	case S_TILES:
		return r->tiles;
	case S_PIECES:
		return r->pieces;
	case S_FULLEST:
		return r->fullest;
	default:
		return column == S_FULLEST_TILE ? r->fullest_tile : TS_UNKNOWN;
	}
}

static const char *
name_of(const struct ts_set_variables *v, const struct ts_set_variable *r)
{
	const char *name = ts_set_variable_name(v, r);

	return *name ? name : v->has_names ? "(no name)" : "(names are not recorded)";
}

static void
total_name(const struct ts_tab *t, struct ts_table_cell *out)
{
	const struct set_tab *s = set_of(t);
	struct ts_table table = set_table(t);
	char n[TS_FMT_MAX], here[TS_FMT_MAX], names[96];
	const char *const count[] = {names};
	int width[TS_TABLE_COLUMNS];

	ts_table_layout(width, &table, t->r.w);
	if (s->v.names > s->v.count)
		snprintf(names, sizeof(names), "%s of %s%s names",
			ts_fmt_count(here, (int64_t)s->v.count), s->v.others > 0 ? "over " : "",
			ts_fmt_count(n, (int64_t)s->v.names));
	else
		snprintf(names, sizeof(names), "%s%s name%s", s->v.others > 0 ? "over " : "",
			ts_fmt_count(n, (int64_t)s->v.names), s->v.names == 1 ? "" : "s");
	if (s->some > 0) {
		snprintf(out->buf, sizeof(out->buf), "%.30s on %d of the tiles", names,
			(int)s->some);
		return;
	}
	memory_total_words(memory_of(t), out, width[S_NAME], count, 1, s->v.bytes,
		memory_scope_whole(memory_of(t), &s->ask.of));
}

static bool
set_cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	const struct ts_tab *t = ctx;
	const struct ts_set_variables *v = &set_of(t)->v;
	bool total = row == TS_TABLE_TOTAL;
	const struct ts_set_variable *r = total ? NULL : &v->row[row];
	int64_t x;

	if (!total && (row < 0 || row >= (int64_t)v->count))
		return false;
	x = total ? total_of(t, column) : figure_of(r, column);
	out->s = out->buf;
	out->buf[0] = '\0';
	if (column == S_NAME && total)
		total_name(t, out);
	else if (column == S_NAME)
		out->s = name_of(v, r);
	else if (column == S_SHARE && whole_of(t) > 0 && (total || r->bytes >= 0))
		ts_fmt_percent(out->buf, (double)(total ? whole_of(t) : r->bytes),
			(double)whole_of(t));
	else if (x != TS_UNKNOWN && (column == S_BYTES || column == S_FULLEST))
		ts_fmt_bytes(out->buf, x, memory_units(memory_of(t)));
	else if (x != TS_UNKNOWN)
		(column == S_FULLEST_TILE ? ts_fmt_number : ts_fmt_count)(out->buf, x);
	return true;
}

static bool
set_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct ts_set_variables *v = &set_of(ctx)->v;
	bool total = row == TS_TABLE_TOTAL;

	if (!total && (row < 0 || row >= (int64_t)v->count))
		return false;
	if (column == S_NAME)
		ts_table_value_text(out, total ? "total" : ts_set_variable_name(v, &v->row[row]));
	else if (column == S_SHARE && whole_of(ctx) > 0 && (total || v->row[row].bytes >= 0))
		ts_table_value_real(out,
			total ? 100 : 100 * (double)v->row[row].bytes / (double)whole_of(ctx));
	else
		ts_table_value_known(out,
			total ? total_of(ctx, column) : figure_of(&v->row[row], column));
	return true;
}

static bool
is_hit(const struct ts_tab *t, int64_t row, const char *needle)
{
	const struct ts_set_variables *v = &set_of(t)->v;

	return needle[0] && row >= 0 && row < (int64_t)v->count &&
		ts_contains_nocase(ts_set_variable_name(v, &v->row[row]), needle);
}

static enum ts_role
set_row_role(void *ctx, int64_t row)
{
	const struct ts_tab *t = ctx;

	return is_hit(t, row, memory_of(t)->search) ? TS_ROLE_MATCH : TS_ROLE_TEXT;
}

static struct ts_table
set_table(const struct ts_tab *t)
{
	return (struct ts_table){.column = set_columns,
		.columns = S_COLUMNS,
		.cell = set_cell,
		.row = set_row_role,
		.needle = memory_of(t)->search,
		.ctx = (void *)(uintptr_t)t,
		.header = true,
		.total = true,
		.focus = memory_tab_focus(memory_of(t), TAB_VARIABLES),
		.sorted = S_BYTES,
		.descending = true,
		.empty = "No variables on these tiles.",
		.smaller = (int64_t)(set_of(t)->v.names - set_of(t)->v.count),
		.id = "memory.set",
		.facts = set_facts,
		.value = set_value,
		.looks = t->view->env->looks,
		.order = &set_of(t)->order,
		.units = memory_units(memory_of(t))};
}

static void
set_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct set_tab *s = set_of(t);
	struct ts_table table = set_table(t);

	(void)focus;
	if (s->ask.here)
		ts_table_draw(c, t->r, &table, &s->list);
	else
		ts_pane_draw(c, t->r, t->view->env, &s->ask.state);
}

static void
set_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct set_tab *s = set_of(t);
	struct memory_scope scope = memory_scope(memory_of(t));
	char of[80], n[TS_FMT_MAX], largest[TS_FMT_MAX + 20] = "";

	if (s->v.names > s->v.count)
		snprintf(largest, sizeof(largest), ", the %s largest",
			ts_fmt_count(n, (int64_t)s->v.count));
	memory_scope_say(s->ask.here ? &s->ask.of : &scope, of, sizeof(of));
	if (s->some > 0)
		snprintf(out, TS_TAB_NOTE, "%lld of %.60s so far%s", (long long)s->some, of,
			s->ask.sent ? "" : ": stopped");
	else if (s->ask.state.state == TS_PANE_STALE)
		snprintf(out, TS_TAB_NOTE, "%.60s (others are being read)", of);
	else if (s->v.bad_rows > 0)
		snprintf(out, TS_TAB_NOTE, "%.60s, by name (rows without a size left out)", of);
	else if (s->order.filter[0])
		snprintf(out, TS_TAB_NOTE, "%.40s, with %.60s%s", of, s->order.filter, largest);
	else
		snprintf(out, TS_TAB_NOTE, "%.60s, by name%s", of, largest);
}

static bool
set_sheet(struct ts_tab *t, struct ts_sheet *out)
{
	struct set_tab *s = set_of(t);
	char of[80];

	if (!s->ask.here)
		return false;
	memory_scope_say(&s->ask.of, of, sizeof(of));
	snprintf(out->title, sizeof(out->title), "Variables of %s, by name", of);
	out->table = set_table(t);
	out->list = &s->list;
	out->rows = (int64_t)s->v.count;
	out->wait = s->some > 0 || s->ask.state.state == TS_PANE_STALE
		? "other tiles are being read"
		: NULL;
	return true;
}

static void
set_explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct set_tab *s = set_of(t);
	struct ts_table table = set_table(t);
	int64_t row = s->ask.here && s->list.count > 0 ? ts_table_row(&table, s->list.cursor) : -1;
	const struct ts_set_variable *r;
	const char *tiles = t->view->env->selection->tiles.text;
	char name[600], in[TS_TILE_SET_TEXT + 2];
	struct ts_explained *x;

	if (row < 0 || row >= (int64_t)s->v.count || s->some > 0)
		return;
	r = &s->v.row[row];
	x = ts_explain_add(out, "bytes of %.100s on %lld tiles", name_of(&s->v, r),
		(long long)s->ask.of.count);
	ts_explain_bytes(x, r->bytes, memory_units(memory_of(t)));
	ts_explain_from(x, TS_KNOWN_DERIVED, "lowered_variable.bytes, lowered_variable.name");
	ts_explain_formula(x, "sum of %lld piece%s on %lld tile%s", (long long)r->pieces,
		r->pieces == 1 ? "" : "s", (long long)r->tiles, r->tiles == 1 ? "" : "s");
	if (r->name && tiles[0] && ts_explain_quote(in, sizeof(in), tiles) &&
		ts_explain_quote(name, sizeof(name), ts_set_variable_name(&s->v, r)))
		ts_explain_query(x,
			"SELECT sum(bytes) FROM lowered_variable WHERE name = %s AND tile IN (SELECT tile "
			"FROM tiles(%s))",
			name, in);
	else
		ts_explain_note(x, "the tiles are not named by an expression, or it has no name");
}

/* --- commands --------------------------------------------------------------------------------- */

static enum ts_effect
set_command(struct ts_tab *t, const struct ts_call *call)
{
	struct set_tab *s = set_of(t);
	struct ts_table table = set_table(t);

	make_order(t);
	switch (call->cmd) {
	case TS_CMD_SEARCH:
	case TS_CMD_SEARCH_BACK:
	case TS_CMD_SEARCH_NEXT:
	case TS_CMD_SEARCH_PREVIOUS:
		return memory_search_rows(t, &s->list, &table, call, is_hit);
	case TS_CMD_TICK:
	case TS_CMD_MARK:
		ts_view_say_error(t->view->env, "a row is of several tiles here: %s",
			call->cmd == TS_CMD_TICK ? ":whatif remove PATTERN goes by name"
						 : "m in the graph marks a tile, in Variables (8) "
						   "a variable");
		return TS_EFFECT_BELL;
	default:
		return (enum ts_effect)(
			(int)ts_list_command(&set_of(t)->list, call->cmd) & ~TS_EFFECT_SELECT);
	}
}

static enum ts_effect
set_mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct ts_table table = set_table(t);

	(void)x;
	return ts_list_mouse(&set_of(t)->list, ts_table_line(&table, t->r, y), wheel);
}

static void
set_resize(struct ts_tab *t)
{
	struct ts_table table = set_table(t);

	ts_list_resize(&set_of(t)->list, ts_table_rows(&table, t->r));
	make_order(t);
}

static struct ts_list *
set_list(struct ts_tab *t, bool *there)
{
	struct memory_scope scope = memory_scope(memory_of(t));

	*there = set_of(t)->ask.here && memory_same_scope(&set_of(t)->ask.of, &scope);
	return &set_of(t)->list;
}

const struct ts_tab_ops memory_set_variables = {
	.open = set_open,
	.close = set_close,
	.drop = set_drop,
	.note = set_note,
	.resize = set_resize,
	.request = set_request,
	.deliver = set_deliver,
	.draw = set_draw,
	.command = set_command,
	.mouse = set_mouse,
	.explain = set_explain,
	.sheet = set_sheet,
	.list = set_list,
};
