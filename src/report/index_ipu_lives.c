/* SPDX-License-Identifier: MIT */
/*
 * index_ipu_lives - a head, a line for each IPU, and for each the arrays of struct ts_lives.
 *
 * Each part joins the rows that it reads, for each IPU apart; at the end those of an IPU are put together. Left to the rows
 * where it would be large: 28 bytes a variable of each IPU, and 16 a step and IPU.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_build.h"
#include "tilescope/report/index_ipu_lives.h"
#include "tilescope/report/tile_ipus.h"

#include "index_by_ipu.h"
#include "lives_join.h"
#include "tile_live_internal.h"

struct entry {
	int64_t ipu;
	struct lives_head lives;
};

/* What all parts share. */
struct state {
	struct ts_live_axis axis;
	struct ts_tile_lives classes; /* the axis, as those who join see it: owns nothing */
	struct ts_tile_ipus ipus;
};

struct part {
	struct lives_join join[BY_IPU_MOST];
	bool begun[BY_IPU_MOST];
	size_t variables; /* of all IPUs */
	bool fits;
	int64_t rows;
};

/* --- gathering -------------------------------------------------------------------------------- */

static bool
can(const struct ts_report *r)
{
	return ts_tile_lives_can(r) && lives_can_join(r);
}

static enum ts_code
begin(struct ts_pass_run *run, struct ts_err *err)
{
	struct state *s = run->state;
	struct ts_reader *rd;
	enum ts_code code = ts_reader_open(&rd, run->report, err);

	if (code)
		return code;
	code = ts_live_axis_read(&s->axis, rd, run->cache, err);
	if (!code)
		code = ts_tile_ipus_read(&s->ipus, rd, err);
	if (!code && s->ipus.unread) /* perhaps they can be read the next time */
		code = ts_err_set(err, s->ipus.unread, "tiles of IPUs cannot be read");
	ts_reader_close(rd);
	s->classes.points = s->axis.points;
	s->classes.point = s->axis.point.memory;
	s->classes.classes = s->axis.classes;
	s->classes.class = s->axis.class.memory;
	s->classes.intervals = s->axis.intervals;
	s->classes.interval = s->axis.interval.memory;
	return code;
}

/* Where the rows of a tile go; NULL: nowhere, its IPU is not known or has too large a number. */
static enum ts_code
join_of(struct lives_join **out, struct ts_pass_part *p, struct ts_reader *rd, int64_t tile,
	struct ts_err *err)
{
	struct state *s = p->run->state;
	struct part *part = p->state;
	int64_t ipu = ts_tile_ipus_find(&s->ipus, tile);
	enum ts_code code = TS_OK;

	*out = NULL;
	part->fits = part->fits && ipu < BY_IPU_MOST;
	if (ipu < 0 || ipu >= BY_IPU_MOST)
		return TS_OK;
	if (!part->begun[ipu])
		code = lives_join_begin(&part->join[ipu], rd, &s->classes, true, p->run->cache,
			err);
	part->begun[ipu] = true;
	*out = &part->join[ipu];
	return code;
}

static enum ts_code
read_rows(struct ts_pass_part *p, struct ts_rows *rows, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	size_t most = by_ipu_bytes(p->run->report) / sizeof(struct ts_live_variable);
	struct lives_join *join = NULL;
	struct part *part = p->state;
	enum ts_code code = TS_OK;
	struct ts_rows_block b;
	int64_t tile = -1;

	while (part->fits && !(code = ts_rows_block(rows, &b, err)) && b.rows > 0) {
		for (int i = 0; i < b.rows && !code; i++, part->rows++) {
			if (b.is[LIVES_TILE] != TS_VALUE_OK)
				continue;
			if (b.v[LIVES_TILE][i] != tile) {
				tile = b.v[LIVES_TILE][i];
				code = join_of(&join, p, rd, tile, err);
			}
			if (!code && join)
				code = lives_join_row(join, &b, i, part->rows, err);
		}
		part->fits = part->fits && (!join || join->w.variables <= most);
		ts_progress_set(progress, part->rows, 0);
		if (code)
			break;
	}
	return code;
}

static enum ts_code
read_part(struct ts_pass_part *p, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_rows_query q = lives_join_query();
	struct ts_rows *rows;
	enum ts_code code;

	((struct part *)p->state)->fits = true;
	q.past_damage = false;
	q.range = p->range;
	q.from = p->from;
	q.to = p->to;
	code = ts_reader_rows(&rows, rd, TS_LOWERED_VARIABLE, &q, err);
	if (code)
		return code;
	code = read_rows(p, rows, rd, progress, err);
	ts_rows_close(rows);
	return code;
}

static void
part_fini(struct ts_pass_part *p)
{
	struct part *part = p->state;
	struct ts_lives *none;

	for (int i = 0; i < BY_IPU_MOST; i++)
		if (part->begun[i])
			(void)lives_join_finish(&none, &part->join[i], TS_E_CANCELLED);
}

static void
fini(struct ts_pass_run *run)
{
	struct state *s = run->state;

	ts_live_axis_fini(&s->axis);
	ts_tile_ipus_fini(&s->ipus);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* The IPUs that have rows, and what they have as lives. */
struct writing {
	struct ts_pass_run *run;
	struct entry entry[BY_IPU_MOST];
	struct ts_lives *lives[BY_IPU_MOST];
	size_t ipus, bytes;
	bool fits;
};

/* All that the parts have of an IPU. */
static enum ts_code
join_parts(struct writing *w, struct ts_pass_part *parts, int count, int ipu, struct ts_reader *rd,
	struct ts_err *err)
{
	struct state *s = w->run->state;
	struct lives_join j;
	struct ts_lives *l;
	enum ts_code code = lives_join_begin(&j, rd, &s->classes, true, w->run->cache, err);

	for (int k = 0; !code && k < count; k++) {
		const struct part *part = parts[k].state;

		if (ts_cancelled(rd->cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		else if (part->begun[ipu])
			code = lives_join_merge(&j, &part->join[ipu], err);
	}
	if (!code)
		code = lives_join_order(&j, err);
	code = lives_join_finish(&l, &j, code);
	if (code)
		return code;
	w->fits = w->fits && l->left_out == 0;
	w->bytes += l->count * sizeof(*l->life) + l->variables * sizeof(*l->variable) +
		l->totals * sizeof(*l->total);
	w->entry[w->ipus] = (struct entry){ipu, lives_head_of(l)};
	w->lives[w->ipus++] = l;
	return TS_OK;
}

static enum ts_code
put_lives(struct writing *w, size_t i, struct ts_err *err)
{
	struct ts_section_writer *to = w->run->writer[0];
	struct lives_head *h = &w->entry[i].lives;
	const struct ts_lives *l = w->lives[i];
	enum ts_code code = ts_section_append(to, &h->life_at, l->life, l->count * sizeof(*l->life),
		err);

	if (!code)
		code = ts_section_append(to, &h->variable_at, l->variable,
			l->variables * sizeof(*l->variable), err);
	if (!code)
		code = ts_section_append(to, &h->total_at, l->total, l->totals * sizeof(*l->total),
			err);
	return code;
}

static enum ts_code
write_all(struct writing *w, struct ts_err *err)
{
	struct ts_section_writer *to = w->run->writer[0];
	struct by_ipu_head h = {.ipus = w->ipus};
	enum ts_code code;

	if (!w->fits || w->bytes > by_ipu_bytes(w->run->report))
		h = (struct by_ipu_head){.flags = BY_IPU_LEFT_TO_THE_ROWS};
	code = ts_section_append(to, NULL, &h, sizeof(h), err);
	for (size_t i = 0; !code && i < h.ipus; i++)
		code = put_lives(w, i, err);
	if (!code)
		code = ts_section_append(to, &h.ipu_at, w->entry, h.ipus * sizeof(w->entry[0]),
			err);
	return code ? code : ts_section_put(to, 0, &h, sizeof(h), err);
}

static enum ts_code
finish(struct ts_pass_run *run, struct ts_pass_part *parts, int count, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	struct writing *w = ts_alloc(1, sizeof(*w));
	enum ts_code code = TS_OK;

	(void)progress;
	if (!w)
		return ts_err_nomem(err);
	w->run = run;
	w->fits = true;
	for (int k = 0; k < count; k++)
		w->fits = w->fits && ((const struct part *)parts[k].state)->fits;
	for (int ipu = 0; !code && w->fits && ipu < BY_IPU_MOST; ipu++) {
		bool some = false;

		for (int k = 0; k < count; k++)
			some |= ((const struct part *)parts[k].state)->begun[ipu];
		if (some)
			code = join_parts(w, parts, count, ipu, rd, err);
	}
	if (!code)
		code = write_all(w, err);
	for (size_t i = 0; i < w->ipus; i++)
		ts_lives_close(w->lives[i]);
	free(w);
	return code;
}

const struct ts_pass ts_pass_ipu_lives = {
	.what = "lives by IPU",
	.relation = TS_LOWERED_VARIABLE,
	.section = {TS_SECTION_IPU_LIVES, TS_SECTION_COUNT},
	.can = can,
	.state_size = sizeof(struct state),
	.part_size = sizeof(struct part),
	.begin = begin,
	.part = read_part,
	.finish = finish,
	.part_fini = part_fini,
	.fini = fini,
};

/* --- reading ---------------------------------------------------------------------------------- */

/* NULL: it is not there, or left to the rows. */
static const struct entry *
entries(size_t *count, const void **payload, size_t *size, const struct ts_index *x)
{
	return by_ipu_lines(count, payload, size, x, TS_SECTION_IPU_LIVES, sizeof(struct entry));
}

bool
ts_ipu_lives_quick(const struct ts_index *x)
{
	const void *payload;
	size_t n, size;

	return entries(&n, &payload, &size, x);
}

enum ts_code
ts_ipu_lives_indexed(struct ts_lives **out, struct ts_index *x, int64_t ipu, struct ts_err *err)
{
	const void *payload;
	size_t n = 0, size;
	const struct entry *e = entries(&n, &payload, &size, x);

	*out = NULL;
	for (size_t i = 0; e && i < n; i++)
		if (e[i].ipu == ipu)
			return lives_map(out, x, payload, size, &e[i].lives, err);
	return TS_OK;
}
