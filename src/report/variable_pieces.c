/* SPDX-License-Identifier: MIT */
/* variable_pieces - see the header. From the index (index_pieces.h), else by one pass. */
#include "config.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/index_pieces.h"
#include "tilescope/report/tile_slots.h"
#include "tilescope/report/variable_pieces.h"

enum { P_VARIABLE, P_TILE, P_BYTES, P_COLUMNS };

void
ts_variable_pieces_fini(struct ts_variable_pieces *p)
{
	ts_pile_fini(&p->by_tile);
	*p = (struct ts_variable_pieces){0};
}

/* At most TS_NUMBER_MAX; both are no more than that. */
static int64_t
sum_of(int64_t a, int64_t b)
{
	return a > TS_NUMBER_MAX - b ? TS_NUMBER_MAX : a + b;
}

static enum ts_code
add_piece(struct ts_variable_pieces *p, int64_t tile, int64_t bytes, const struct ts_cache *cache,
	struct ts_err *err)
{
	size_t need = (size_t)(tile + 1) * sizeof(int64_t);
	enum ts_code code = TS_OK;
	int64_t *on;

	if (need > p->by_tile.room)
		code = ts_pile_room(&p->by_tile, need * 2, cache, err);
	if (code)
		return code;
	p->tiles = ts_max_i64(p->tiles, tile + 1);
	on = (int64_t *)p->by_tile.memory + tile;
	*on = sum_of(ts_max_i64(*on, 1), bytes);
	p->bytes = sum_of(p->bytes, bytes);
	p->pieces++;
	return TS_OK;
}

static enum ts_code
take_block(struct ts_variable_pieces *p, const struct ts_rows_block *b,
	const struct ts_cache *cache, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	if (b->is[P_VARIABLE])
		return TS_OK;
	for (int i = 0; i < b->rows && !code; i++) {
		if (b->v[P_VARIABLE][i] != p->variable)
			continue;
		if (b->is[P_TILE] || b->is[P_BYTES] || b->v[P_TILE][i] >= TS_TILES_MAX)
			p->bad_rows++;
		else
			code = add_piece(p, b->v[P_TILE][i], b->v[P_BYTES][i], cache, err);
	}
	return code;
}

static void
sum_up(struct ts_variable_pieces *p)
{
	const int64_t *on = p->by_tile.memory;

	p->fullest_tile = TS_UNKNOWN;
	for (int64_t i = 0; i < p->tiles; i++) {
		p->on += on[i] > 0;
		if (on[i] > 0 && (p->fullest_tile == TS_UNKNOWN || on[i] - 1 > p->fullest)) {
			p->fullest = on[i] - 1;
			p->fullest_tile = i;
		}
	}
}

/* Rows of all variables. */
static enum ts_code
read_rows(struct ts_variable_pieces *p, struct ts_reader *rd, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_rows_query q = {.columns = {TS_LOWERED_VARIABLE_VARIABLE,
						TS_LOWERED_VARIABLE_TILE,
						TS_LOWERED_VARIABLE_BYTES},
		.column_count = P_COLUMNS,
		.past_damage = true};
	int64_t of = ts_reach_span(&rd->report->binding[TS_LOWERED_VARIABLE].reach), done = 0;
	struct ts_rows_block b;
	struct ts_rows *cursor;
	enum ts_code code = ts_reader_rows(&cursor, rd, TS_LOWERED_VARIABLE, &q, err);

	while (!code && !(code = ts_rows_block(cursor, &b, err)) && b.rows > 0) {
		code = take_block(p, &b, cache, err);
		done += b.rows;
		ts_progress_set(progress, done, of);
	}
	ts_rows_close(cursor);
	return code;
}

/* What the index has of it; *true_one false: it is not what it should be. */
static enum ts_code
take_list(struct ts_variable_pieces *p, bool *true_one, struct ts_piece_list *l,
	const struct ts_cache *cache, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	int64_t tile, bytes;

	while (!code && ts_piece_list_next(l, &tile, &bytes))
		code = add_piece(p, tile, bytes, cache, err);
	*true_one = l->taken == l->tiles && p->pieces == l->tiles;
	p->pieces = l->pieces;
	p->bad_rows = l->bad_rows;
	return code;
}

enum ts_code
ts_variable_pieces_read(struct ts_variable_pieces *p, struct ts_reader *rd,
	const struct ts_variables *v, int64_t variable, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_piece_list list;
	bool true_one = false;
	enum ts_code code = TS_OK;

	*p = (struct ts_variable_pieces){.variable = variable};
	if (!ts_variable_spread_can(rd->report))
		return ts_err_set(err, TS_E_ABSENT,
			"what variables were lowered from is not recorded");
	if (ts_index_pieces(&list, rd->index, variable)) {
		code = take_list(p, &true_one, &list, v->cache, err);
		if (!code && !true_one) {
			ts_variable_pieces_fini(p);
			*p = (struct ts_variable_pieces){.variable = variable};
		}
	}
	if (!code && !true_one)
		code = read_rows(p, rd, v->cache, progress, err);
	p->partial = code == TS_E_DAMAGED;
	sum_up(p);
	return p->partial ? TS_OK : code;
}

int64_t
ts_variable_pieces_most(const struct ts_variable_pieces *p, int64_t from, int64_t to)
{
	const int64_t *on = p->by_tile.memory;
	int64_t most = 0;

	for (int64_t i = from; i < to && i < p->tiles; i++)
		most = ts_max_i64(most, on[i] - 1);
	return most;
}
