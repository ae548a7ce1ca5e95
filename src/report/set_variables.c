/* SPDX-License-Identifier: MIT */
/*
 * set_variables - see the header.
 *
 * Rows of a tile come together as a rule, so a tile is counted when a name meets it first. Where the tile falls from one
 * row to the next that is not so: then a second pass puts (name, tile, bytes) into a pile, which is sorted.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/report/index_columns.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/pile.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/set_variables.h"
#include "tilescope/report/tile_slots.h"
#include "tilescope/report/tile_variables.h"

#include "set_rows.h"

enum { V_TILE, V_BYTES, V_NAME, V_CATEGORY, V_COLUMNS };

enum {
	PROGRESS_TILES = 4,
	PROGRESS_BLOCKS = 256,
	FIRST_TABLE = 1024,
	NAME_TEXT = 1 << 20,
	LOOK = 1 << 10, /* names from one look at the token to the next */
};

/* In the place of a name for which there was no room. */
#define LEFT_OUT UINT32_MAX

/* What is known of a name while rows are read. */
struct group {
	struct ts_set_variable v;
	size_t order;	   /* in which it came */
	size_t length;	   /* of its text */
	int64_t last_tile; /* that it was counted for */
	int64_t on_tile;   /* bytes there so far */
};

struct slot {
	uint32_t group; /* + 1; 0: none */
	uint32_t hash;
};

struct set_read {
	struct ts_set_variables *v;
	struct ts_reader *rd;
	const int64_t *tile;
	size_t n;
	bool looked_up;	      /* a name is a number of another table's row */
	struct ts_pile group; /* struct group */
	size_t groups;
	struct slot *table; /* by the hash of a text */
	size_t slots;
	struct ts_tile_slots keys; /* of numbers */
	int64_t last_tile;	   /* of the row before */
	bool mixed;		   /* rows do not stand by tile */
	bool again;		   /* the second pass: only pieces */
	struct ts_pile piece;	   /* struct piece */
	const struct ts_columns
		*columns; /* a key is the number of a name there; NULL: of another table's row */
};

/* What a name has on a tile, in one row. */
struct piece {
	size_t group;
	int64_t tile, bytes;
};

/* --- names ------------------------------------------------------------------------------------ */

/* A further group; -1: no memory. */
static ptrdiff_t
new_group(struct set_read *r)
{
	struct group g = {.order = r->groups, .last_tile = -1, .v.fullest_tile = TS_UNKNOWN};

	if (ts_pile_add(&r->group, &g, sizeof(g), NULL, NULL) != TS_OK)
		return -1;
	return (ptrdiff_t)r->groups++;
}

static struct group *
group_at(const struct set_read *r, size_t i)
{
	return (struct group *)r->group.memory + i;
}

static bool
has_text(const struct set_read *r, size_t group, const char *name, size_t n)
{
	const struct group *g = group_at(r, group);

	return g->length == n && memcmp(ts_set_variable_name(r->v, &g->v), name, n) == 0;
}

/* *at: where it stands; LEFT_OUT: there is no room. */
static enum ts_code
add_text(uint32_t *at, struct ts_set_variables *v, const char *s, size_t n, struct ts_err *err)
{
	enum ts_code code;

	*at = LEFT_OUT;
	if (v->text.used + n + 1 > TS_SET_TEXT)
		return TS_OK;
	*at = (uint32_t)v->text.used;
	code = ts_pile_add(&v->text, s, n, NULL, err);
	return code ? code : ts_pile_add(&v->text, "", 1, NULL, err);
}

static bool
grow(struct set_read *r)
{
	size_t slots = r->slots ? 2 * r->slots : FIRST_TABLE;
	struct slot *table = ts_alloc(slots, sizeof(*table));

	if (!table)
		return false;
	for (size_t i = 0; i < r->slots; i++) {
		size_t at = r->table[i].hash;

		if (r->table[i].group == 0)
			continue;
		while (table[at & (slots - 1)].group)
			at++;
		table[at & (slots - 1)] = r->table[i];
	}
	free(r->table);
	r->table = table;
	r->slots = slots;
	return true;
}

enum { GROUP_NOMEM = -2, GROUP_FULL = -1 };

/* The same without NULs. */
static const char *
clean(char name[TS_SET_NAME], const char *s, size_t n)
{
	if (!memchr(s, '\0', n))
		return s;
	for (size_t i = 0; i < n; i++)
		name[i] = s[i] ? s[i] : '?';
	return name;
}

/* The group of a text; a NUL in it becomes '?'. */
static ptrdiff_t
group_of_text(struct set_read *r, const char *s, size_t n)
{
	char room[TS_SET_NAME];
	const char *name;
	uint32_t hash, text;
	size_t at;
	ptrdiff_t g;

	n = n < sizeof(room) ? n : sizeof(room);
	name = clean(room, s, n);
	hash = (uint32_t)XXH3_64bits(name, n);
	if (2 * (r->groups + 1) > r->slots && !grow(r))
		return GROUP_NOMEM;
	for (at = hash; r->table[at & (r->slots - 1)].group; at++) {
		const struct slot *slot = &r->table[at & (r->slots - 1)];
		size_t i = slot->group - 1;

		if (slot->hash == hash && has_text(r, i, name, n))
			return (ptrdiff_t)i;
	}
	if (r->groups >= TS_SET_NAMES)
		return GROUP_FULL;
	if (add_text(&text, r->v, name, n, NULL) != TS_OK)
		return GROUP_NOMEM;
	if (text == LEFT_OUT)
		return GROUP_FULL;
	g = new_group(r);
	if (g < 0)
		return GROUP_NOMEM;
	group_at(r, (size_t)g)->v.name = text;
	group_at(r, (size_t)g)->length = n;
	r->table[at & (r->slots - 1)] = (struct slot){(uint32_t)g + 1, hash};
	return g;
}

static ptrdiff_t
group_of_key(struct set_read *r, int64_t key)
{
	ptrdiff_t slot = ts_tile_slot(&r->keys, key), g = slot;

	if (slot == TS_SLOT_NOMEM)
		return GROUP_NOMEM;
	if (slot == TS_SLOT_FULL)
		return GROUP_FULL;
	while (g >= 0 && (size_t)slot >= r->groups) {
		g = new_group(r);
		if (g >= 0)
			group_at(r, (size_t)g)->v.key = -1;
	}
	if (g < 0)
		return GROUP_NOMEM;
	group_at(r, (size_t)slot)->v.key = key;
	return slot;
}

/* Rows without a name are one group; by keys it is that of a number that no row has. */
static ptrdiff_t
group_of(struct set_read *r, struct ts_rows *rows)
{
	const char *s;
	int64_t key;
	size_t n;

	if (r->looked_up)
		return group_of_key(r,
			ts_rows_number(rows, V_NAME, &key) == TS_VALUE_OK ? key : TS_SET_NAMELESS);
	return ts_rows_text(rows, V_NAME, &s, &n) == TS_VALUE_OK ? group_of_text(r, s, n)
								 : group_of_text(r, "", 0);
}

/* --- rows ------------------------------------------------------------------------------------- */

static void
add_to(int64_t *sum, int64_t v)
{
	if (*sum != TS_UNKNOWN && !ts_add_i64(sum, v))
		*sum = TS_UNKNOWN;
}

/* What names call it; none of these, where it has none. */
static int32_t
category_of(int index)
{
	return index < 0 ? TS_SET_NO_CATEGORY : index;
}

/* A row of a name: is its tile a further one, and is it the one that has most so far? */
static void
count_tile(struct group *g, int64_t tile, int64_t bytes)
{
	if (g->last_tile != tile) {
		g->v.tiles++;
		g->last_tile = tile;
		g->on_tile = 0;
	}
	if (bytes > TS_NUMBER_MAX - g->on_tile)
		g->on_tile = TS_NUMBER_MAX;
	else
		g->on_tile += bytes;
	if (g->on_tile > g->v.fullest || g->v.fullest_tile == TS_UNKNOWN) {
		g->v.fullest = g->on_tile;
		g->v.fullest_tile = tile;
	}
}

static void
count_row(struct set_read *r, ptrdiff_t group, int64_t tile, int64_t bytes, int32_t category)
{
	struct group *g;

	r->v->found++;
	add_to(&r->v->bytes, bytes);
	if (group == GROUP_FULL) {
		r->v->others++;
		return;
	}
	g = group_at(r, (size_t)group);
	g->v.category = g->v.pieces == 0 ? category : ts_set_category_with(g->v.category, category);
	g->v.pieces++;
	add_to(&g->v.bytes, bytes);
	count_tile(g, tile, bytes);
}

/* In the second pass names are those of the first: what was not told apart then is not now. */
static enum ts_code
add_piece(struct set_read *r, struct ts_rows *rows, int64_t tile, struct ts_err *err)
{
	struct piece p = {.tile = tile};
	ptrdiff_t at;

	if (ts_rows_number(rows, V_BYTES, &p.bytes) != TS_VALUE_OK)
		return TS_OK;
	at = group_of(r, rows);
	if (at == GROUP_NOMEM)
		return ts_err_nomem(err);
	p.group = (size_t)at;
	return at < 0 ? TS_OK : ts_pile_add(&r->piece, &p, sizeof(p), NULL, err);
}

static enum ts_code
add_row(struct set_read *r, struct ts_rows *rows, int64_t tile, struct ts_err *err)
{
	int64_t bytes;
	ptrdiff_t at;

	if (r->again)
		return add_piece(r, rows, tile, err);
	r->mixed |= tile < r->last_tile;
	r->last_tile = tile;
	if (ts_rows_number(rows, V_BYTES, &bytes) != TS_VALUE_OK) {
		r->v->bad_rows++;
		return TS_OK;
	}
	at = group_of(r, rows);
	if (at == GROUP_NOMEM)
		return ts_err_nomem(err);
	count_row(r, at, tile, bytes,
		category_of(ts_category_of(r->v->categories, rows, V_CATEGORY)));
	return TS_OK;
}

static enum ts_code
read_rows(struct set_read *r, struct ts_rows_query *q, int64_t one, struct ts_progress *progress,
	struct ts_err *err)
{
	static const int columns[V_COLUMNS] = {TS_LOWERED_VARIABLE_TILE, TS_LOWERED_VARIABLE_BYTES,
		TS_LOWERED_VARIABLE_NAME, TS_LOWERED_VARIABLE_CATEGORY};
	int64_t seen = 0, tile,
		span = ts_reach_span(&r->rd->report->binding[TS_LOWERED_VARIABLE].reach);
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	memcpy(q->columns, columns, sizeof(columns));
	q->column_count = V_COLUMNS;
	q->past_damage = true;
	code = ts_reader_rows(&rows, r->rd, TS_LOWERED_VARIABLE, q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		if (one < 0)
			ts_progress_set(progress, ++seen, span);
		if (ts_rows_number(rows, V_TILE, &tile) == TS_VALUE_OK &&
			(one >= 0 ? tile == one : ts_has_i64(r->tile, r->n, tile)) &&
			(code = add_row(r, rows, tile, err)))
			break;
	}
	ts_rows_close(rows);
	return code;
}

bool
ts_set_variables_quick(const struct ts_report *r, const struct ts_index *x, const int64_t *tiles,
	size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!ts_tile_variables_quick(r, x, tiles[i]))
			return false;
	return true;
}

bool
ts_set_variables_kept(struct ts_reader *rd, const int64_t *tiles, size_t n)
{
	return set_rows_kept(rd, tiles, n);
}

/* --- rows by column, where the index has them ------------------------------------------------- */

struct column_read {
	struct set_read *r;
	struct ts_columns columns;
	struct ts_pile group; /* uint32_t by name, and for none: + 1; 0: none yet */
};

static ptrdiff_t
group_of_number(struct column_read *c, int64_t name)
{
	int64_t at = name == TS_UNKNOWN ? c->columns.names : name;
	uint32_t *group = (uint32_t *)c->group.memory + at;
	ptrdiff_t g;

	if (*group > 0)
		return (ptrdiff_t)*group - 1;
	if (c->r->groups >= TS_SET_NAMES)
		return GROUP_FULL;
	g = new_group(c->r);
	if (g < 0)
		return GROUP_NOMEM;
	group_at(c->r, (size_t)g)->v.key = name == TS_UNKNOWN ? TS_SET_NAMELESS : name;
	*group = (uint32_t)g + 1;
	return g;
}

/* Is one of the tiles among those of the block? */
static bool
has_some(const struct column_read *c, int64_t block)
{
	int64_t least, most;
	size_t low = 0, high = c->r->n;
	bool unknown;

	ts_columns_bounds(&c->columns, TS_COLUMN_TILE, block, &least, &most, &unknown);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->r->tile[middle] < least)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->r->n && c->r->tile[low] <= most;
}

static int32_t
category_of_number(struct set_read *r, int64_t number)
{
	return number < 0 ? TS_SET_NO_CATEGORY
			  : category_of(ts_category_make(r->v->categories, NULL, V_CATEGORY,
				    TS_VALUE_OK, number));
}

/* *sound false: the section is not to be believed. */
static enum ts_code
add_block(bool *sound, struct column_read *c, int64_t block, struct ts_err *err)
{
	int64_t name[TS_COLUMN_ROWS], tile[TS_COLUMN_ROWS], bytes[TS_COLUMN_ROWS];
	int64_t category[TS_COLUMN_ROWS];
	int rows = ts_columns_rows(&c->columns, block);
	struct set_read *r = c->r;
	bool in = false;

	*sound = rows > 0 && ts_columns_read(&c->columns, TS_COLUMN_TILE, block, tile) &&
		ts_columns_read(&c->columns, TS_COLUMN_BYTES, block, bytes) &&
		ts_columns_read(&c->columns, TS_COLUMN_NAME, block, name) &&
		(!r->v->has_categories ||
			ts_columns_read(&c->columns, TS_COLUMN_CATEGORY, block, category));
	for (int i = 0; *sound && i < rows; i++) {
		ptrdiff_t group;

		if (i == 0 || tile[i] != tile[i - 1])
			in = tile[i] >= 0 && ts_has_i64(r->tile, r->n, tile[i]);
		if (!in)
			continue;
		r->mixed |= tile[i] < r->last_tile;
		r->last_tile = tile[i];
		*sound = name[i] >= TS_UNKNOWN && name[i] < c->columns.names;
		if (bytes[i] < 0)
			r->v->bad_rows++;
		if (bytes[i] < 0 || !*sound)
			continue;
		group = group_of_number(c, name[i]);
		if (group == GROUP_NOMEM)
			return ts_err_nomem(err);
		count_row(r, group, tile[i], bytes[i],
			r->v->has_categories ? category_of_number(r, category[i])
					     : TS_SET_NO_CATEGORY);
	}
	return TS_OK;
}

/* *done false: there are none, they lack categories, or rows do not stand by tile; then nothing is counted. */
static enum ts_code
read_columns(bool *done, struct column_read *c, struct ts_progress *progress, struct ts_err *err)
{
	struct set_read *r = c->r;
	enum ts_code code;

	*done = ts_columns_of(&c->columns, r->rd->index) && c->columns.block[TS_COLUMN_NAME] &&
		c->columns.block[TS_COLUMN_TILE] && c->columns.block[TS_COLUMN_BYTES] &&
		(c->columns.block[TS_COLUMN_CATEGORY] || !r->v->has_categories);
	if (!*done)
		return TS_OK;
	code = ts_pile_room(&c->group, ((size_t)c->columns.names + 1) * sizeof(uint32_t), NULL,
		err);
	for (int64_t b = 0; !code && *done && !r->mixed && b < c->columns.blocks; b++) {
		if (b % PROGRESS_BLOCKS == 0)
			ts_progress_set(progress, b, c->columns.blocks);
		if (b % PROGRESS_BLOCKS == 0 && ts_cancelled(r->rd->cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		else if (has_some(c, b))
			code = add_block(done, c, b, err);
	}
	*done = *done && !r->mixed;
	if (*done)
		r->columns = &c->columns;
	if (*done || code)
		return code;
	r->groups = r->group.used = 0;
	r->mixed = false;
	r->last_tile = -1;
	r->v->found = r->v->bytes = r->v->others = r->v->bad_rows = 0;
	return TS_OK;
}

static int
by_group_and_tile(const void *x, const void *y)
{
	const struct piece *a = x, *b = y;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return (a->tile > b->tile) - (a->tile < b->tile);
}

/* Tiles of rows that stand anyhow: counted anew. */
static enum ts_code
count_mixed(struct set_read *r, struct ts_progress *progress, struct ts_err *err)
{
	struct ts_rows_query all = {.range = TS_RANGE_ALL};
	enum ts_code damage, code;
	const struct piece *p;
	size_t n;

	r->again = true;
	damage = read_rows(r, &all, -1, progress, err);
	code = damage == TS_E_DAMAGED ? TS_OK : damage;
	n = r->piece.used / sizeof(*p);
	if (!code)
		code = ts_pile_sort(&r->piece, n, sizeof(*p), by_group_and_tile, NULL,
			r->rd->cancel, err);
	p = r->piece.memory;
	for (size_t i = 0; !code && i < n; i++) {
		struct group *g = group_at(r, p[i].group);

		if (i == 0 || p[i - 1].group != p[i].group) {
			g->v.tiles = g->v.fullest = 0;
			g->v.fullest_tile = TS_UNKNOWN;
			g->last_tile = -1;
		}
		count_tile(g, p[i].tile, p[i].bytes);
	}
	return code ? code : damage;
}

/* Tile by tile, or all rows once; twice where they do not stand by tile. */
static enum ts_code
read_tiles(struct set_read *r, struct ts_progress *progress, struct ts_err *err)
{
	enum ts_code code = TS_OK, damage = TS_OK;
	struct ts_rows_query all = {.range = TS_RANGE_ALL};
	int64_t total;

	if (!ts_set_variables_quick(r->rd->report, r->rd->index, r->tile, r->n)) {
		damage = read_rows(r, &all, -1, progress, err);
		if ((!damage || damage == TS_E_DAMAGED) && r->mixed)
			code = count_mixed(r, progress, err);
		return code ? code : damage;
	}
	for (size_t i = 0; !code && i < r->n; i++) {
		struct ts_rows_query q = {.range = TS_RANGE_ALL};

		if (i % PROGRESS_TILES == 0)
			ts_progress_set(progress, (int64_t)i, (int64_t)r->n);
		if (!ts_tile_variables_plan(&q, &total, r->rd, r->tile[i]))
			continue;
		code = read_rows(r, &q, r->tile[i], progress, err);
		if (code == TS_E_DAMAGED) {
			damage = code;
			code = TS_OK;
		}
	}
	return code ? code : damage;
}

/* --- names of what is kept -------------------------------------------------------------------- */

/* A row whose name is wanted. */
struct wanted {
	int64_t key;
	uint32_t row;
	uint32_t room; /* of its text, NUL included; 0: it has none */
};

static int
by_key(const void *x, const void *y)
{
	const struct wanted *a = x, *b = y;

	return (a->key > b->key) - (a->key < b->key);
}

/* Rows from `from` on, below `to`, by their keys; `w` has room for them. How many have one. */
static size_t
want_names(struct wanted *w, const struct ts_set_variables *v, size_t from, size_t to)
{
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		if (v->row[i].key != TS_SET_NAMELESS)
			w[n++] = (struct wanted){.key = v->row[i].key, .row = (uint32_t)i};
	if (n > 0)
		qsort(w, n, sizeof(*w), by_key);
	return n;
}

/* --- in another table --- */

static enum ts_code
look_up_one(struct set_read *r, struct ts_set_variable *row, struct ts_strbuf *text,
	struct ts_err *err)
{
	const struct ts_binding *b = &r->rd->report->binding[TS_LOWERED_VARIABLE];
	const struct ts_column_binding *cb = &b->column[TS_LOWERED_VARIABLE_NAME];
	char room[TS_SET_NAME];
	enum ts_code code;
	bool found;
	size_t n;

	ts_strbuf_reset(text);
	code = ts_reach_text(text, &found, &cb->dict, r->rd->db[b->source], row->key, cb->dict_text,
		err);
	if (code || !found)
		return code == TS_E_DAMAGED ? TS_OK : code;
	n = text->len < sizeof(room) ? text->len : sizeof(room);
	return add_text(&row->name, r->v, clean(room, text->s, n), n, err);
}

/*
 * By their keys, which is how they stand there, but the largest before the others: where there is no room for all at least
 * half of those that there is room for stay. Rows behind the first one without room go.
 */
static enum ts_code
look_up(struct set_read *r, struct ts_err *err)
{
	struct ts_set_variables *v = r->v;
	struct wanted *wanted = ts_alloc(v->count, sizeof(*wanted));
	struct ts_strbuf text;
	enum ts_code code = wanted ? TS_OK : ts_err_nomem(err);

	ts_strbuf_init(&text, NAME_TEXT);
	for (size_t from = 0, to; !code && from < v->count; from = to) {
		size_t n;

		to = from > 0 ? 2 * from : TS_SET_FIRST;
		to = to < v->count ? to : v->count;
		n = want_names(wanted, v, from, to);
		for (size_t i = 0; !code && i < n; i++) {
			if (i % LOOK == 0 && ts_cancelled(r->rd->cancel))
				code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
			else
				code = look_up_one(r, &v->row[wanted[i].row], &text, err);
		}
	}
	for (size_t i = 0; i < v->count; i++)
		if (v->row[i].name == LEFT_OUT)
			v->count = i;
	ts_strbuf_fini(&text);
	free(wanted);
	return code;
}

/* --- in the index --- */

struct naming {
	struct ts_set_variables *v;
	struct wanted *wanted;
	size_t n, at;
	bool placed; /* texts are put where their rows say; before, room for them is asked for */
};

/* What the index says may be something else the second time: somebody wrote into its file. */
static void
take_name(void *ctx, int64_t name, const char *s, size_t n, size_t same)
{
	struct naming *w = ctx;

	(void)same;
	n = n < TS_SET_NAME ? n : TS_SET_NAME;
	for (; w->at < w->n && w->wanted[w->at].key <= name; w->at++) {
		struct wanted *x = &w->wanted[w->at];
		char *to = (char *)w->v->text.memory + w->v->row[x->row].name;

		if (x->key != name || !s)
			continue;
		if (!w->placed)
			x->room = (uint32_t)n + 1;
		else if (x->row < w->v->count)
			for (size_t i = 0; i < n && i + 1 < x->room; i++)
				to[i] = s[i] ? s[i] : '?';
	}
}

/* All of them, in their order. What is not to be believed has none. */
static enum ts_code
take_names(struct naming *w, const struct set_read *r, struct ts_err *err)
{
	w->at = 0;
	for (size_t k = 0; w->at < w->n; k++) {
		size_t at = w->at;

		if (k % LOOK == 0 && ts_cancelled(r->rd->cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		if (!ts_columns_names(r->columns, w->wanted[at].key / TS_COLUMN_NAMES, take_name,
			    w) ||
			w->at == at)
			w->at++;
	}
	return TS_OK;
}

/* Texts stand as the rows do: who looks at all goes through memory once. Rows behind one without room go. */
static enum ts_code
place_names(struct naming *w, struct ts_err *err)
{
	struct ts_set_variables *v = w->v;
	size_t used = v->text.used;
	enum ts_code code;

	for (size_t i = 0; i < w->n; i++)
		v->row[w->wanted[i].row].name = w->wanted[i].room;
	for (size_t i = 0; i < v->count; i++) {
		size_t n = v->row[i].name;

		if (used + n > TS_SET_TEXT) {
			v->count = i;
			break;
		}
		v->row[i].name = n > 0 ? (uint32_t)used : 0;
		used += n;
	}
	code = ts_pile_room(&v->text, used, NULL, err);
	v->text.used = code ? v->text.used : used;
	return code;
}

static enum ts_code
find_names(struct set_read *r, struct ts_err *err)
{
	struct naming w = {.v = r->v, .wanted = ts_alloc(r->v->count, sizeof(*w.wanted))};
	enum ts_code code;

	if (!w.wanted)
		return ts_err_nomem(err);
	w.n = want_names(w.wanted, r->v, 0, r->v->count);
	code = take_names(&w, r, err);
	if (!code)
		code = place_names(&w, err);
	w.placed = true;
	if (!code)
		code = take_names(&w, r, err);
	free(w.wanted);
	return code;
}

/* --- the largest ------------------------------------------------------------------------------ */

static struct ts_set_variable
name_of_group(const void *ctx, size_t i, size_t *order)
{
	const struct group *g = group_at(ctx, i);

	*order = g->order;
	return g->v;
}

static enum ts_code
keep_largest(struct set_read *r, size_t most, struct ts_err *err)
{
	enum ts_code code = set_rows_keep(r->v, r->groups, most, name_of_group, r, err);

	r->v->names = r->groups;
	if (!code && r->columns)
		code = find_names(r, err);
	else if (!code && r->looked_up)
		code = look_up(r, err);
	return code;
}

/* From the rows by tile of the index, where it has them and names of them. */
static enum ts_code
read_by_tile(bool *done, struct set_read *r, struct ts_columns *columns, size_t most,
	struct ts_progress *progress, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	*done = ts_columns_of(columns, r->rd->index);
	if (*done)
		code = set_rows_read(done, r->v, r->rd, columns->names, r->tile, r->n, most,
			progress, err);
	if (code || !*done)
		return code;
	for (size_t i = 0; i < r->v->count; i++)
		if (r->v->row[i].key == TS_UNKNOWN)
			r->v->row[i].key = TS_SET_NAMELESS;
	r->columns = columns;
	return find_names(r, err);
}

/* Anew: those that are numbered otherwise are of no use. Names that cannot be read are not worth losing the rest for. */
static enum ts_code
begin_categories(struct ts_set_variables *v, struct ts_reader *rd, struct ts_err *err)
{
	enum ts_code code;

	ts_category_names_fini(v->categories);
	*v->categories = (struct ts_category_names){.count = 0};
	code = ts_category_names_read(v->categories, rd, err);
	return code == TS_E_DAMAGED ? TS_OK : code;
}

enum ts_code
ts_set_variables_read(struct ts_set_variables *v, struct ts_reader *rd, const int64_t *tiles,
	size_t n, size_t most, struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_binding *b = &rd->report->binding[TS_LOWERED_VARIABLE];
	struct set_read r = {.v = v,
		.rd = rd,
		.tile = tiles,
		.n = n,
		.looked_up = b->column[TS_LOWERED_VARIABLE_NAME].op == TS_OP_DICT};
	struct column_read columns = {.r = &r};
	enum ts_code code, more;
	bool done = false, by_tile = false;

	*v = (struct ts_set_variables){0};
	v->rows.small = v->text.small = r.group.small = TS_PILE_SHOWN;
	if (!ts_report_has(rd->report, TS_LOWERED_VARIABLE))
		return ts_err_set(err, TS_E_ABSENT, "%s", b->reason);
	v->has_names = ts_report_has_column(rd->report, TS_LOWERED_VARIABLE,
		TS_LOWERED_VARIABLE_NAME);
	v->has_categories = ts_report_has_column(rd->report, TS_LOWERED_VARIABLE,
		TS_LOWERED_VARIABLE_CATEGORY);
	v->categories = ts_alloc(1, sizeof(*v->categories));
	if (!v->categories)
		return ts_err_nomem(err);
	r.keys.most = TS_SET_NAMES;
	r.last_tile = -1;
	code = ts_pile_add(&v->text, "", 1, NULL, err); /* place 0: no name */
	if (!code)
		code = read_by_tile(&by_tile, &r, &columns.columns, most, progress, err);
	done = by_tile;
	if (!code && !done)
		code = begin_categories(v, rd, err);
	if (!code && !done)
		code = read_columns(&done, &columns, progress, err);
	if (!code && !done)
		code = read_tiles(&r, progress, err);
	if (!code && v->categories->nomem)
		code = ts_err_nomem(err);
	v->partial = code == TS_E_DAMAGED;
	v->ranked = r.columns != NULL;
	ts_names_fini(&v->categories->read);
	more = by_tile || (code && code != TS_E_DAMAGED)
		? code
		: keep_largest(&r, most, code ? NULL : err);
	ts_pile_fini(&r.group);
	free(r.table);
	ts_tile_slots_fini(&r.keys);
	ts_pile_fini(&r.piece);
	ts_pile_fini(&columns.group);
	return more ? more : code;
}

void
ts_set_variables_fini(struct ts_set_variables *v)
{
	ts_pile_fini(&v->rows);
	ts_pile_fini(&v->text);
	if (v->categories)
		ts_category_names_fini(v->categories);
	free(v->categories);
	*v = (struct ts_set_variables){0};
}
