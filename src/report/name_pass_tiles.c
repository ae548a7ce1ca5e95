/* SPDX-License-Identifier: MIT */
/*
 * name_pass_tiles - see the header.
 *
 * Names are asked in pieces, by two threads where they are many, and the tiles of those that are in the group are put
 * together as they come. Pieces are taken from all over the names: neighbours stand on the same tiles, and who has found
 * all the tiles that there are need not ask the others.
 */
#include "config.h"

#include <stdatomic.h>

#include "tilescope/base/beside.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/memory.h"

#include "name_pass_tiles.h"

enum {
	PIECE = 32,	    /* groups of names that are taken at once */
	BOTH_GROUPS = 1024, /* so many take longer to ask than to begin a thread */
	FAR_APART = 7919,   /* pieces from one to the next; a prime */
};

/* What one thread has. */
struct asking {
	struct ts_tile_set tiles;
	void *ctx; /* of the asker */
	bool sound;
};

struct asking_both {
	struct asking of[TS_BESIDE];
	const struct ts_columns *c;
	const struct ts_name_tiles *t;
	const struct ts_name_asker *a;
	const struct ts_cancel *cancel;
	int64_t groups;
	_Atomic int64_t next; /* piece */
	atomic_bool ended;    /* nobody need go on */
};

struct one {
	struct asking_both *x;
	struct asking *of;
};

static void
take_name(void *ctx, int64_t name, const char *s, size_t n, size_t same)
{
	const struct one *o = ctx;

	if (s && o->x->a->group(o->of->ctx, s, n, same) >= 0)
		o->of->sound &= ts_name_tiles_add(&o->of->tiles, o->x->t, name);
}

static bool
asks(const struct asking_both *x, void *ctx, int64_t group)
{
	return !x->a->may || x->a->may(ctx, &x->c->signature[group]);
}

static void
ask_piece(struct one *o, int64_t piece)
{
	int64_t g = piece * PIECE, end = ts_min_i64(g + PIECE, o->x->groups);

	for (; g < end && o->of->sound; g++)
		if (asks(o->x, o->of->ctx, g))
			o->of->sound &= ts_columns_names(o->x->c, g, take_name, o);
}

static void
ask_pieces(void *ctx, int who)
{
	struct asking_both *x = ctx;
	struct one o = {x, &x->of[who]};
	int64_t pieces = (x->groups + PIECE - 1) / PIECE, i;
	int64_t step = pieces % FAR_APART ? FAR_APART : 1;

	while (!atomic_load(&x->ended) && (i = atomic_fetch_add(&x->next, 1)) < pieces) {
		ask_piece(&o, i * step % pieces);
		if (!o.of->sound || ts_cancelled(x->cancel) ||
			ts_tile_set_count(&o.of->tiles) >= x->t->covered)
			atomic_store(&x->ended, true);
	}
}

static bool
are_many(const struct asking_both *x)
{
	int64_t many = 0;

	for (int64_t g = 0; g < x->groups && many < BOTH_GROUPS; g++)
		many += asks(x, x->of[0].ctx, g);
	return many >= BOTH_GROUPS;
}

static bool
give_rows(struct asking_both *x)
{
	struct ts_tile_set *tiles = &x->of[0].tiles;

	for (int64_t t = 0; (t = ts_tile_set_next(&x->of[1].tiles, t)) >= 0; t++)
		ts_tile_set_add(tiles, t, t + 1);
	for (int64_t t = 0; (t = ts_tile_set_next(tiles, t)) >= 0; t++)
		if (!x->a->row(x->a->ctx, t, TS_UNKNOWN, 0))
			return false;
	return true;
}

enum ts_code
name_pass_tiles(bool *sound, const struct ts_columns *c, const struct ts_name_tiles *t,
	const struct ts_name_asker *a, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct asking_both x = {.of = {{.ctx = a->ctx, .sound = true},
					{.ctx = a->other, .sound = true}},
		.c = c,
		.t = t,
		.a = a,
		.cancel = cancel,
		.groups = (c->names + TS_COLUMN_NAMES - 1) / TS_COLUMN_NAMES};
	bool room = ts_tile_set_init(&x.of[0].tiles, t->tiles) &&
		ts_tile_set_init(&x.of[1].tiles, t->tiles);
	enum ts_code code = TS_OK;

	if (room && a->other && are_many(&x))
		ts_beside(ask_pieces, &x);
	else if (room)
		ask_pieces(&x, 0);
	*sound = x.of[0].sound && x.of[1].sound;
	if (ts_cancelled(cancel))
		code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
	else if (!room || (*sound && !give_rows(&x)))
		code = ts_err_nomem(err);
	for (int i = 0; i < TS_BESIDE; i++)
		ts_tile_set_fini(&x.of[i].tiles);
	return code;
}
