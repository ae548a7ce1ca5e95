/* SPDX-License-Identifier: MIT */
/* floor_plan - see the header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/floor_plan.h"

enum {
	GAP = 2,	      /* columns between blocks */
	LABEL = 2,	      /* half rows above a block */
	SLOTS_MOST = 1 << 23, /* of all blocks */
};

/* --- the floor -------------------------------------------------------------------------------- */

/* Runs of one IPU; too many, or together too large (`one`): everything is one block. */
static bool
find_blocks(struct ts_floor *f, const int64_t *ipu, bool one)
{
	int64_t runs = one ? TS_FLOOR_BLOCKS + 1 : f->tiles > 0;

	for (int64_t i = 1; i < f->tiles && !one; i++)
		runs += ipu[i] != ipu[i - 1];
	f->blocks = runs > TS_FLOOR_BLOCKS ? 1 : (int)runs;
	f->block = ts_alloc((size_t)f->blocks, sizeof(*f->block));
	if (!f->block)
		return false;
	for (int64_t i = 0, b = -1; i < f->tiles; i++) {
		bool begins = i == 0 || (f->blocks > 1 && ipu[i] != ipu[i - 1]);

		b += begins;
		if (begins)
			f->block[b] = (struct ts_floor_block){.first = i,
				.ipu = runs > TS_FLOOR_BLOCKS ? -1 : ipu[i]};
		f->block[b].count++;
		f->block_of[i] = (int32_t)b;
	}
	return true;
}

/* What is taken off the numbers of a block so that they are its slots: they begin anew in each IPU, or go on. */
static int64_t
base_of(const struct ts_floor *f, int64_t per_ipu, bool anew, int b)
{
	const struct ts_floor_block *k = &f->block[b];

	if (anew || per_ipu <= 0 || k->ipu < 0 || k->ipu > INT64_MAX / per_ipu)
		return 0;
	return k->ipu * per_ipu;
}

/* Are all numbers slots, each of one tile? `seen` has per_ipu bits of a byte for each block in turn. */
static bool
are_slots(const struct ts_floor *f, const int64_t *number, int64_t per_ipu, bool anew, char *seen)
{
	for (int b = 0; b < f->blocks; b++) {
		const struct ts_floor_block *k = &f->block[b];
		int64_t base = base_of(f, per_ipu, anew, b);

		memset(seen, 0, (size_t)per_ipu);
		for (int64_t i = k->first; i < k->first + k->count; i++) {
			if (number[i] < base || number[i] - base >= per_ipu ||
				seen[number[i] - base])
				return false;
			seen[number[i] - base] = 1;
		}
	}
	return true;
}

struct ranked {
	int64_t number, tile;
};

static int
by_number(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->tile < y->tile ? -1 : x->tile > y->tile;
}

/* Slots in the order of the numbers. */
static bool
rank(struct ts_floor *f, const int64_t *number)
{
	struct ranked *r = ts_alloc((size_t)f->tiles, sizeof(*r));

	if (!r)
		return false;
	for (int64_t i = 0; i < f->tiles; i++)
		r[i] = (struct ranked){number[i], i};
	for (int b = 0; b < f->blocks; b++) {
		const struct ts_floor_block *k = &f->block[b];

		qsort(r + k->first, (size_t)k->count, sizeof(*r), by_number);
		for (int64_t i = 0; i < k->count; i++)
			f->slot_of[r[k->first + i].tile] = (int32_t)i;
		f->slots = ts_max_i64(f->slots, k->count);
	}
	f->ranked = true;
	free(r);
	return true;
}

static bool
find_slots(struct ts_floor *f, const int64_t *number, int64_t per_ipu)
{
	bool sane = per_ipu > 0 && per_ipu <= SLOTS_MOST / f->blocks;
	char *seen = ts_alloc(sane ? (size_t)per_ipu : 1, 1);
	bool anew = sane && seen && f->blocks > 1 && are_slots(f, number, per_ipu, true, seen);

	if (!seen)
		return false;
	if (!sane || (!anew && !are_slots(f, number, per_ipu, false, seen))) {
		free(seen);
		return rank(f, number);
	}
	free(seen);
	f->slots = per_ipu;
	for (int64_t i = 0; i < f->tiles; i++)
		f->slot_of[i] = (int32_t)(number[i] - base_of(f, per_ipu, anew, f->block_of[i]));
	return true;
}

static bool
fill(struct ts_floor *f)
{
	f->at = ts_alloc((size_t)(f->slots * f->blocks), sizeof(*f->at));
	if (!f->at)
		return false;
	for (int64_t i = 0; i < f->slots * f->blocks; i++)
		f->at[i] = -1;
	for (int b = 0; b < f->blocks; b++)
		f->block[b].at = f->at + f->slots * b;
	for (int64_t i = 0; i < f->tiles; i++)
		f->block[f->block_of[i]].at[f->slot_of[i]] = (int32_t)i;
	f->columns = (int)ts_min_i64(f->slots, TS_FLOOR_COLUMNS);
	f->rows = (int)((f->slots + f->columns - 1) / f->columns);
	return true;
}

/* Blocks and slots of them; IPUs of very different sizes would have more slots than there can be. */
static bool
lay_out(struct ts_floor *f, const int64_t *number, const int64_t *ipu, int64_t per_ipu)
{
	if (!find_blocks(f, ipu, false) || !find_slots(f, number, per_ipu))
		return false;
	if (f->slots * f->blocks <= SLOTS_MOST + f->tiles)
		return true;
	free(f->block);
	f->slots = 0;
	f->ranked = false;
	return find_blocks(f, ipu, true) && find_slots(f, number, per_ipu);
}

bool
ts_floor_init(struct ts_floor *f, const int64_t *tile, const int64_t *ipu, const int64_t *order,
	int64_t n, int64_t per_ipu)
{
	*f = (struct ts_floor){.tiles = n};
	if (n <= 0)
		return true;
	f->block_of = ts_alloc((size_t)n, sizeof(*f->block_of));
	f->slot_of = ts_alloc((size_t)n, sizeof(*f->slot_of));
	if (f->block_of && f->slot_of && lay_out(f, order ? order : tile, ipu, per_ipu) && fill(f))
		return true;
	ts_floor_fini(f);
	return false;
}

void
ts_floor_fini(struct ts_floor *f)
{
	free(f->block);
	free(f->block_of);
	free(f->slot_of);
	free(f->at);
	*f = (struct ts_floor){0};
}

/* --- the view --------------------------------------------------------------------------------- */

/* Units of a tile by zoom; without halves of rows. */
static const struct {
	int w, h;
} sizes[2][TS_FLOOR_ZOOMS] = {
	{{0, 0}, {1, 1}, {2, 1}, {2, 2}, {3, 2}, {3, 3}, {4, 4}, {6, 6}, {8, 8}},
	{{0, 0}, {1, 1}, {1, 2}, {2, 2}, {3, 2}, {4, 4}, {6, 4}, {6, 6}, {8, 8}},
};

static int
units_high(const struct ts_floor_view *v, int rows)
{
	return v->label + (rows * v->h + 1) / 2 * 2;
}

/* Blocks side by side and one above the other; 0: not one. */
static int
fit_across(const struct ts_floor_view *v, const struct ts_floor *f)
{
	return (v->width + GAP) / (f->columns * v->w + GAP);
}

static int
fit_down(const struct ts_floor_view *v, const struct ts_floor *f)
{
	return v->height / units_high(v, f->rows);
}

/* Put the window so that the cursor's tile is in it. */
static void
keep_in(int *from, int seen, int all, int at)
{
	int most = all - seen;

	if (at < *from)
		*from = at;
	if (at >= *from + seen)
		*from = at - seen + 1;
	*from = *from > most ? most : *from;
	*from = *from < 0 ? 0 : *from;
}

static int
choose(struct ts_floor_view *v, const struct ts_floor *f, int zoom, bool whole)
{
	for (int z = zoom > 0 ? zoom : TS_FLOOR_ZOOMS - 1; z > 0; z--) {
		v->w = sizes[whole][z].w;
		v->h = sizes[whole][z].h;
		if (zoom > 0 || fit_across(v, f) * fit_down(v, f) >= f->blocks)
			return z;
	}
	return 1;
}

int
ts_floor_fit(struct ts_floor_view *v, const struct ts_floor *f, int width, int height, int zoom,
	bool whole, int64_t cursor)
{
	int block, slot, a, d;

	v->width = width > 0 ? width : 0;
	v->height = height > 0 ? height : 0;
	v->label = f->blocks > 1 ? LABEL : 0;
	zoom = choose(v, f, zoom < TS_FLOOR_ZOOMS ? zoom : TS_FLOOR_ZOOMS - 1, whole);
	a = fit_across(v, f);
	d = fit_down(v, f);
	if (v->nameless && a <= 1 && d <= 1)
		v->label = 0;
	v->across = a > 0 ? (int)ts_min_i64(a, f->blocks) : 1;
	if ((int64_t)a * d >= f->blocks) { /* all of them: 2 + 2 rather than 3 + 1 */
		int lines = (f->blocks + v->across - 1) / v->across;

		v->across = (f->blocks + lines - 1) / lines;
	}
	v->down = d > 0 ? (int)ts_min_i64(d, (f->blocks + v->across - 1) / v->across) : 1;
	v->columns = (int)ts_min_i64(f->columns, ts_max_i64(v->width / v->w, 1));
	v->rows = (int)ts_min_i64(f->rows, ts_max_i64((v->height - v->label) / v->h, 1));
	block = cursor >= 0 && cursor < f->tiles ? f->block_of[cursor] : 0;
	slot = cursor >= 0 && cursor < f->tiles ? f->slot_of[cursor] : 0;
	v->first = block / (v->across * v->down) * (v->across * v->down);
	keep_in(&v->left, v->columns, f->columns, slot % f->columns);
	keep_in(&v->top, v->rows, f->rows, slot / f->columns);
	return zoom;
}

int
ts_floor_width(const struct ts_floor_view *v)
{
	return v->across * (v->columns * v->w + GAP) - GAP;
}

bool
ts_floor_label(const struct ts_floor_view *v, const struct ts_floor *f, int block, int *x, int *y)
{
	int i = block - v->first;

	if (i < 0 || i >= v->across * v->down || block >= f->blocks)
		return false;
	*x = i % v->across * (v->columns * v->w + GAP);
	*y = i / v->across * units_high(v, v->rows);
	return true;
}

bool
ts_floor_place(const struct ts_floor_view *v, const struct ts_floor *f, int64_t tile, int *x,
	int *y)
{
	int column, row;

	if (tile < 0 || tile >= f->tiles || !ts_floor_label(v, f, f->block_of[tile], x, y))
		return false;
	column = f->slot_of[tile] % f->columns - v->left;
	row = f->slot_of[tile] / f->columns - v->top;
	*x += column * v->w;
	*y += v->label + row * v->h;
	return column >= 0 && column < v->columns && row >= 0 && row < v->rows;
}

int64_t
ts_floor_at(const struct ts_floor_view *v, const struct ts_floor *f, int x, int y)
{
	int wide = v->columns * v->w + GAP, high = units_high(v, v->rows);
	int64_t slot;
	int block;

	if (x < 0 || y < 0 || f->blocks == 0 || x / wide >= v->across || y / high >= v->down)
		return -1;
	block = v->first + y / high * v->across + x / wide;
	x %= wide;
	y = y % high - v->label;
	if (block >= f->blocks || y < 0 || x / v->w >= v->columns || y / v->h >= v->rows)
		return -1;
	slot = (int64_t)(v->top + y / v->h) * f->columns + v->left + x / v->w;
	return slot < f->slots ? f->block[block].at[slot] : -1;
}

/* The tile of a block at a column and row, or the nearest one before it in that direction. */
static int64_t
tile_near(const struct ts_floor *f, int block, int column, int row, int dx, int dy)
{
	while (column >= 0 && column < f->columns && row >= 0 && row < f->rows) {
		int64_t slot = (int64_t)row * f->columns + column;

		if (slot < f->slots && f->block[block].at[slot] >= 0)
			return f->block[block].at[slot];
		column += dx;
		row += dy;
	}
	return -1;
}

int64_t
ts_floor_step(const struct ts_floor_view *v, const struct ts_floor *f, int64_t tile, int dx, int dy)
{
	int block, column, row;
	int64_t found;

	if (tile < 0 || tile >= f->tiles)
		return -1;
	block = f->block_of[tile];
	column = f->slot_of[tile] % f->columns;
	row = f->slot_of[tile] / f->columns;
	found = tile_near(f, block, column + dx, row + dy, dx, dy);
	if (found >= 0)
		return found;
	block += dx + dy * v->across;
	/* not over the end of a row of blocks */
	if (block < 0 || block >= f->blocks ||
		(dx && v->across > 1 && block / v->across != f->block_of[tile] / v->across))
		return -1;
	return tile_near(f, block,
		dx > 0		 ? 0
			: dx < 0 ? f->columns - 1
				 : column,
		dy > 0		 ? 0
			: dy < 0 ? f->rows - 1
				 : row,
		dx, dy);
}

bool
ts_floor_between(const struct ts_floor *f, int64_t a, int64_t b, int64_t tile)
{
	int ca, cb, ra, rb, c, r;

	if (f->block_of[a] != f->block_of[b])
		return tile >= ts_min_i64(a, b) && tile <= ts_max_i64(a, b);
	if (f->block_of[tile] != f->block_of[a])
		return false;
	ca = f->slot_of[a] % f->columns;
	cb = f->slot_of[b] % f->columns;
	ra = f->slot_of[a] / f->columns;
	rb = f->slot_of[b] / f->columns;
	c = f->slot_of[tile] % f->columns;
	r = f->slot_of[tile] / f->columns;
	return c >= ts_min_i64(ca, cb) && c <= ts_max_i64(ca, cb) && r >= ts_min_i64(ra, rb) &&
		r <= ts_max_i64(ra, rb);
}
