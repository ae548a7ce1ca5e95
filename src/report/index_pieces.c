/* SPDX-License-Identifier: MIT */
/*
 * index_pieces - what each variable was lowered to, in the index: its tiles, and its bytes on each of them.
 *
 * Who asks what one variable was lowered to would have to go through all lowered variables. So each has a list: how
 * many pieces and tiles there are, the bytes by tile as differences from the fewest, in units that divide all of
 * them, packed, and the distances from one tile to the next, mostly a byte each. That is about two bytes a piece.
 *
 * The parts note what their rows say. That is put in order by counting, so numbers of variables have to lie about
 * as close as there are rows; where they do not, where a piece has 4 GiB, or where there are more rows than a work file
 * should hold, the section is left empty and the rows answer.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/varint.h"
#include "tilescope/report/index_build.h"
#include "tilescope/report/index_pieces.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/pile.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/variable_facts.h"

enum {
	LEFT_TO_THE_ROWS = 1,
	ROWS_MOST = 1 << 25,
	SPARE_NUMBERS = 1 << 16, /* numbers without pieces, beside as many as there are pieces */
	SHARE = 32,		 /* the section is at most so much of the report */
	SHARE_LEAST = 64 << 10,
	NUMBER_BYTES = 5, /* of a number of 32 bits, at most */
	HEAD_NUMBERS = 5, /* of a list; behind them a byte: bits of a tile's bytes */
	LOOK = 1
		<< 17, /* pieces between looks at the token, and until what is done may leave memory */
};

struct head {
	uint64_t flags;
	int64_t low; /* number of the first variable */
	uint64_t variables, bytes;
	uint64_t start_at, bytes_at, spread_at;
};

/* What a list comes to, so that who sorts by it need not read the list. */
struct spread {
	int64_t bytes;
	uint32_t fullest, fullest_tile;
};

/* The tile of a row whose tile or bytes are no number: behind all others. */
#define BAD_PIECE UINT32_MAX

struct piece {
	uint32_t variable, tile, bytes;
};

/* The same without its variable; or all pieces of a variable on a tile. */
struct on_tile {
	uint32_t tile, bytes;
};

/* What a part has seen. */
struct part {
	struct ts_pile piece;
	size_t pieces;
	int64_t low, high; /* of variables; high < low: none */
	bool fits;
};

enum { P_VARIABLE, P_TILE, P_BYTES, P_COLUMNS };

/* --- gathering -------------------------------------------------------------------------------- */

static enum ts_code
take_block(struct part *part, const struct ts_rows_block *b, const struct ts_cache *cache,
	struct ts_err *err)
{
	struct piece p[TS_BLOCK_ROWS];

	if (b->is[P_VARIABLE])
		return TS_OK;
	for (int i = 0; i < b->rows; i++) {
		int64_t variable = b->v[P_VARIABLE][i];

		bool bad = b->is[P_TILE] || b->is[P_BYTES] || b->v[P_TILE][i] >= TS_TILES_MAX;

		if (variable > UINT32_MAX || (!bad && b->v[P_BYTES][i] > UINT32_MAX)) {
			part->fits = false;
			return TS_OK;
		}
		part->low = ts_min_i64(part->low, variable);
		part->high = ts_max_i64(part->high, variable);
		p[i] = (struct piece){(uint32_t)variable, BAD_PIECE, 0};
		if (!bad) {
			p[i].tile = (uint32_t)b->v[P_TILE][i];
			p[i].bytes = (uint32_t)b->v[P_BYTES][i];
		}
	}
	part->pieces += (size_t)b->rows;
	part->fits = part->pieces <= ROWS_MOST;
	return ts_pile_add(&part->piece, p, (size_t)b->rows * sizeof(*p), cache, err);
}

static enum ts_code
read_part(struct ts_pass_part *p, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	const struct ts_rows_query q = {.columns = {TS_LOWERED_VARIABLE_VARIABLE,
						TS_LOWERED_VARIABLE_TILE,
						TS_LOWERED_VARIABLE_BYTES},
		.column_count = P_COLUMNS,
		.range = p->range,
		.from = p->from,
		.to = p->to};
	struct part *part = p->state;
	struct ts_rows_block b;
	struct ts_rows *rows;
	int64_t done = 0, rested = 0;
	enum ts_code code = ts_reader_rows(&rows, rd, TS_LOWERED_VARIABLE, &q, err);

	*part = (struct part){.low = INT64_MAX, .high = -1, .fits = true};
	while (!code && part->fits && !(code = ts_rows_block(rows, &b, err)) && b.rows > 0) {
		code = take_block(part, &b, p->run->cache, err);
		ts_progress_set(progress, done += b.rows, 0);
		if (done - rested >= LOOK) {
			rested = done;
			ts_pile_rest(&part->piece);
		}
	}
	ts_rows_close(rows);
	return code;
}

static void
part_fini(struct ts_pass_part *p)
{
	ts_pile_fini(&((struct part *)p->state)->piece);
}

/* --- writing ---------------------------------------------------------------------------------- */

struct sorting {
	int64_t low;
	size_t variables, pieces;
	struct ts_pile start; /* uint32_t a variable: its first piece; then its first byte */
	struct ts_pile piece; /* struct on_tile a piece, by variable */
	struct ts_pile bytes;
	struct ts_pile spread; /* struct spread a variable */
	bool fits;
	const struct ts_cache *cache;
	const struct ts_cancel *cancel;
};

static bool
is_cancelled(const struct sorting *s, size_t i)
{
	return i % LOOK == 0 && ts_cancelled(s->cancel);
}

/* Where each variable begins among all pieces. start[v + 1] is moved on while they are put there. */
static enum ts_code
count_pieces(struct sorting *s, struct ts_pass_part *parts, int count, struct ts_err *err)
{
	enum ts_code code = ts_pile_room(&s->start, (s->variables + 2) * sizeof(uint32_t), s->cache,
		err);
	uint32_t *start = s->start.memory;

	for (int k = 0; !code && k < count; k++) {
		const struct part *part = parts[k].state;
		const struct piece *p = part->piece.memory;

		for (size_t i = 0; i < part->pieces; i++) {
			start[p[i].variable - s->low + 2]++;
			if (i % LOOK == LOOK - 1)
				ts_pile_rest(&part->piece);
		}
		ts_pile_rest(&part->piece);
	}
	for (size_t v = 1; !code && v < s->variables; v++)
		start[v + 1] += start[v];
	return code;
}

static enum ts_code
put_pieces(struct sorting *s, struct ts_pass_part *parts, int count, struct ts_err *err)
{
	enum ts_code code = ts_pile_room(&s->piece, (s->pieces + 1) * sizeof(struct on_tile),
		s->cache, err);
	uint32_t *start = s->start.memory;
	struct on_tile *to = s->piece.memory;

	for (int k = 0; !code && k < count; k++) {
		const struct part *part = parts[k].state;
		const struct piece *p = part->piece.memory;

		for (size_t i = 0; i < part->pieces; i++) {
			if (is_cancelled(s, i))
				return ts_err_set(err, TS_E_CANCELLED, "cancelled");
			to[start[p[i].variable - s->low + 1]++] = (struct on_tile){p[i].tile,
				p[i].bytes};
			if (i % LOOK == LOOK - 1) {
				ts_pile_rest(&part->piece);
				ts_pile_rest(&s->piece);
			}
		}
		ts_pile_rest(&part->piece);
	}
	return code;
}

static int
by_tile(const void *a, const void *b)
{
	uint32_t x = ((const struct on_tile *)a)->tile, y = ((const struct on_tile *)b)->tile;

	return (x > y) - (x < y);
}

/* What a list says. */
struct list {
	uint32_t pieces, bad, tiles, least, unit;
	int width; /* bits of a tile's bytes */
};

/* Pieces by tile, those of a tile together. False: the bytes of a tile are too many. */
static bool
join_tiles(struct list *l, struct on_tile *p, size_t n)
{
	bool sorted = true;

	*l = (struct list){0};
	for (size_t i = 1; i < n; i++)
		sorted &= p[i - 1].tile <= p[i].tile;
	if (!sorted) /* they mostly come in order */
		qsort(p, n, sizeof(*p), by_tile);
	for (size_t i = 0; i < n && p[i].tile != BAD_PIECE; i++) {
		l->pieces++;
		if (l->tiles == 0 || p[l->tiles - 1].tile != p[i].tile) {
			p[l->tiles++] = p[i];
			continue;
		}
		if (p[l->tiles - 1].bytes > UINT32_MAX - p[i].bytes)
			return false;
		p[l->tiles - 1].bytes += p[i].bytes;
	}
	l->bad = (uint32_t)n - l->pieces;
	return true;
}

static uint32_t
common_unit(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t t = a % b;

		a = b;
		b = t;
	}
	return a;
}

static int
bits_of(uint32_t v)
{
	int n = 0;

	for (; v; v >>= 1)
		n++;
	return n;
}

static void
find_unit(struct list *l, const struct on_tile *p)
{
	uint32_t most = 0;

	l->least = l->tiles > 0 ? UINT32_MAX : 0;
	for (uint32_t i = 0; i < l->tiles; i++) {
		l->least = p[i].bytes < l->least ? p[i].bytes : l->least;
		most = p[i].bytes > most ? p[i].bytes : most;
	}
	for (uint32_t i = 0; i < l->tiles; i++)
		l->unit = common_unit(l->unit, p[i].bytes - l->least);
	l->width = l->unit > 0 ? bits_of((most - l->least) / l->unit) : 0;
}

static enum ts_code
put_head(struct sorting *s, const struct list *l, struct ts_err *err)
{
	const uint32_t number[HEAD_NUMBERS] = {l->pieces, l->bad, l->tiles, l->least, l->unit};
	unsigned char head[HEAD_NUMBERS * NUMBER_BYTES + 1];
	size_t n = 0;

	for (int i = 0; i < HEAD_NUMBERS; i++)
		n += ts_varint_put(head + n, number[i]);
	head[n++] = (unsigned char)l->width;
	return ts_pile_add(&s->bytes, head, n, s->cache, err);
}

/* Bytes by tile, without what all of them have. */
static enum ts_code
put_packed(struct sorting *s, const struct list *l, const struct on_tile *p, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	uint64_t left = 0;
	int have = 0;

	for (uint32_t i = 0; !code && l->width > 0 && i < l->tiles; i++) {
		left |= (uint64_t)((p[i].bytes - l->least) / l->unit) << have;
		for (have += l->width; !code && have >= 8; have -= 8) {
			unsigned char byte = (unsigned char)left;

			left >>= 8;
			code = ts_pile_add(&s->bytes, &byte, 1, s->cache, err);
		}
	}
	if (!code && have > 0)
		code = ts_pile_add(&s->bytes, &(unsigned char){(unsigned char)left}, 1, s->cache,
			err);
	return code;
}

/* Without tiles all zeros. */
static struct spread
spread_of(const struct list *l, const struct on_tile *p)
{
	struct spread s = {.fullest_tile = l->tiles > 0 ? p[0].tile : 0};

	for (uint32_t i = 0; i < l->tiles; i++) {
		s.bytes += p[i].bytes;
		if (p[i].bytes > s.fullest) {
			s.fullest = p[i].bytes;
			s.fullest_tile = p[i].tile;
		}
	}
	return s;
}

/* The list of a variable: its pieces are joined in place. */
static enum ts_code
put_list(struct sorting *s, struct spread *spread, struct on_tile *p, size_t pieces,
	struct ts_err *err)
{
	int64_t before = -1;
	struct list l;
	enum ts_code code;

	s->fits = s->fits && join_tiles(&l, p, pieces) && s->bytes.used < UINT32_MAX / 2;
	if (pieces == 0 || !s->fits)
		return TS_OK;
	*spread = spread_of(&l, p);
	find_unit(&l, p);
	code = put_head(s, &l, err);
	if (!code)
		code = put_packed(s, &l, p, err);
	for (uint32_t i = 0; !code && i < l.tiles; i++) {
		unsigned char gap[NUMBER_BYTES];

		code = ts_pile_add(&s->bytes, gap,
			ts_varint_put(gap, (uint32_t)(p[i].tile - before)), s->cache, err);
		before = p[i].tile;
	}
	return code;
}

static enum ts_code
put_lists(struct sorting *s, struct ts_err *err)
{
	uint32_t *start = s->start.memory, first = 0;
	enum ts_code code = ts_pile_room(&s->spread, s->variables * sizeof(struct spread), s->cache,
		err);
	struct spread *spread = s->spread.memory;

	for (size_t v = 0; !code && v < s->variables; v++) {
		uint32_t end = start[v + 1];

		if (is_cancelled(s, v))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		start[v] = (uint32_t)s->bytes.used;
		code = put_list(s, &spread[v], (struct on_tile *)s->piece.memory + first,
			end - first, err);
		first = end;
		if (v % (LOOK / 32) == 0) {
			ts_pile_rest(&s->piece);
			ts_pile_rest(&s->bytes);
			ts_pile_rest(&s->spread);
		}
	}
	start[s->variables] = (uint32_t)s->bytes.used;
	return code;
}

static enum ts_code
leave(struct ts_section_writer *w, struct ts_err *err)
{
	struct head h = {.flags = LEFT_TO_THE_ROWS};

	return ts_section_append(w, NULL, &h, sizeof(h), err);
}

static enum ts_code
write_lists(struct ts_pass_run *run, const struct sorting *s, struct ts_err *err)
{
	struct head h = {.low = s->low, .variables = s->variables, .bytes = s->bytes.used};
	const struct ts_section_array array[] = {
		{&h.start_at, s->start.memory, (s->variables + 1) * sizeof(uint32_t)},
		{&h.bytes_at, s->bytes.memory, s->bytes.used},
		{&h.spread_at, s->spread.memory, s->variables * sizeof(struct spread)},
	};

	if (!s->fits ||
		(int64_t)(sizeof(h) + array[0].n + array[1].n + array[2].n) >
			ts_max_i64(run->report->identity.bytes / SHARE, SHARE_LEAST))
		return leave(run->writer[0], err);
	return ts_section_put_arrays(run->writer[0], &h, sizeof(h), array, TS_COUNT(array), err);
}

/* Do numbers of variables lie as close as counting needs them? Sets what is to be sorted. */
static bool
can_count(struct sorting *s, struct ts_pass_part *parts, int count)
{
	int64_t low = INT64_MAX, high = -1;
	bool fits = true;

	for (int k = 0; k < count; k++) {
		const struct part *part = parts[k].state;

		fits &= part->fits;
		s->pieces += part->pieces;
		low = ts_min_i64(low, part->low);
		high = ts_max_i64(high, part->high);
	}
	if (!fits || high < low || s->pieces > ROWS_MOST ||
		(uint64_t)(high - low) > s->pieces + SPARE_NUMBERS)
		return false;
	s->low = low;
	s->variables = (size_t)(high - low) + 1;
	return true;
}

static enum ts_code
finish(struct ts_pass_run *run, struct ts_pass_part *parts, int count, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	struct sorting s = {.cache = run->cache, .cancel = rd->cancel, .fits = true};
	enum ts_code code;

	(void)progress;
	if (!can_count(&s, parts, count))
		return leave(run->writer[0], err);
	code = count_pieces(&s, parts, count, err);
	if (!code)
		code = put_pieces(&s, parts, count, err);
	if (!code)
		code = put_lists(&s, err);
	if (!code)
		code = write_lists(run, &s, err);
	ts_pile_fini(&s.start);
	ts_pile_fini(&s.piece);
	ts_pile_fini(&s.bytes);
	ts_pile_fini(&s.spread);
	return code;
}

const struct ts_pass ts_pass_pieces = {
	.what = "pieces of variables",
	.relation = TS_LOWERED_VARIABLE,
	.section = {TS_SECTION_PIECES, TS_SECTION_COUNT},
	.can = ts_variable_spread_can,
	.part_size = sizeof(struct part),
	.part = read_part,
	.finish = finish,
	.part_fini = part_fini,
};

/* --- reading ---------------------------------------------------------------------------------- */

/* A number of 32 bits; false: there is none. */
static bool
take_number(struct ts_piece_list *l, int64_t *v)
{
	*v = 0;
	for (int shift = 0; l->at < l->end && shift < NUMBER_BYTES * 7; shift += 7) {
		unsigned char byte = *l->at++;

		*v |= (int64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return *v <= UINT32_MAX;
	}
	return false;
}

static bool
take_head(struct ts_piece_list *l)
{
	size_t packed;

	if (!take_number(l, &l->pieces) || !take_number(l, &l->bad_rows) ||
		!take_number(l, &l->tiles) || !take_number(l, &l->least) ||
		!take_number(l, &l->unit) || l->at == l->end)
		return false;
	l->width = *l->at++;
	if (l->width > 32 || l->tiles > TS_TILES_MAX)
		return false;
	packed = ((size_t)l->tiles * (size_t)l->width + 7) / 8;
	if (packed > (size_t)(l->end - l->at))
		return false;
	l->packed = l->at;
	l->at += packed;
	return true;
}

/* What the section says, once its offsets were looked at. */
struct pieces {
	const struct head *h;
	const uint32_t *start;
	const unsigned char *bytes;
	const struct spread *spread;
};

static bool
open_pieces(struct pieces *p, const struct ts_index *x)
{
	size_t size;
	const void *payload = ts_index_section(x, TS_SECTION_PIECES, &size);
	const struct head *h = payload ? ts_section_at(payload, size, 0, 1, sizeof(*h)) : NULL;

	if (!h || h->flags & LEFT_TO_THE_ROWS || h->low < 0 || h->variables > UINT32_MAX)
		return false;
	p->h = h;
	p->start = ts_section_at(payload, size, h->start_at, h->variables + 1, sizeof(*p->start));
	p->bytes = ts_section_at(payload, size, h->bytes_at, h->bytes, 1);
	p->spread = ts_section_at(payload, size, h->spread_at, h->variables, sizeof(*p->spread));
	return p->start && p->bytes && p->spread;
}

/* False: what the index has is altered. */
static bool
list_at(struct ts_piece_list *out, const struct pieces *p, size_t v)
{
	if (p->start[v] > p->start[v + 1] || p->start[v + 1] > p->h->bytes)
		return false;
	out->at = p->bytes + p->start[v];
	out->end = p->bytes + p->start[v + 1];
	return out->at == out->end || take_head(out);
}

bool
ts_index_pieces(struct ts_piece_list *out, const struct ts_index *x, int64_t variable)
{
	struct pieces p;

	*out = (struct ts_piece_list){.tile = -1};
	if (!open_pieces(&p, x))
		return false;
	if (variable < p.h->low || (uint64_t)(variable - p.h->low) >= p.h->variables)
		return true;
	return list_at(out, &p, (size_t)(variable - p.h->low));
}

bool
ts_index_has_pieces(const struct ts_index *x)
{
	struct pieces p;

	return open_pieces(&p, x);
}

bool
ts_index_spread(struct ts_variable_spread *out, const struct ts_index *x, int64_t variable)
{
	struct ts_piece_list list = {.tile = -1};
	const struct spread *s;
	struct pieces p;

	if (!open_pieces(&p, x) || variable < p.h->low ||
		(uint64_t)(variable - p.h->low) >= p.h->variables ||
		!list_at(&list, &p, (size_t)(variable - p.h->low)) || list.tiles == 0)
		return false;
	s = &p.spread[variable - p.h->low];
	*out = (struct ts_variable_spread){.id = variable,
		.tiles = list.tiles,
		.pieces = list.pieces,
		.bytes = s->bytes >= 0 && s->bytes <= TS_NUMBER_MAX ? s->bytes : TS_UNKNOWN,
		.fullest = s->fullest,
		.fullest_tile = s->fullest_tile};
	return true;
}

/* Value i of the packed ones. */
static int64_t
packed_at(const struct ts_piece_list *l, int64_t i)
{
	size_t bit = (size_t)i * (size_t)l->width;
	uint64_t v = 0;

	for (int k = 0; k < (l->width + 7 + (int)(bit % 8)) / 8; k++)
		if (bit / 8 + (size_t)k < (size_t)(l->end - l->packed))
			v |= (uint64_t)l->packed[bit / 8 + (size_t)k] << (8 * k);
	return (int64_t)(v >> bit % 8 & ((1ull << l->width) - 1));
}

bool
ts_piece_list_next(struct ts_piece_list *l, int64_t *tile, int64_t *bytes)
{
	int64_t gap;

	if (l->taken >= l->tiles || !take_number(l, &gap) || gap == 0)
		return false;
	*tile = l->tile += gap;
	*bytes = l->least + l->unit * packed_at(l, l->taken++);
	return l->tile < TS_TILES_MAX && *bytes <= UINT32_MAX;
}
