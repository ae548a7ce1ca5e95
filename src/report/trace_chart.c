/* SPDX-License-Identifier: MIT */
/*
 * trace_chart - what the lanes do in each column, exactly or from samples.
 *
 * With the lanes of the index: see trace_lanes.c.
 *
 * Else, exact: all rows that may lie in the range are read, from a little before the place where the
 * first lane reaches its begin (steps that overlap others may have begun earlier: up to
 * TS_TRACE_LOOK_BACK rows are looked at) to where every lane has passed its end, and as many rows further: starts
 * of a real trace go back now and then.
 *
 * Sampled: times are spread evenly over the range, a few in every column of a narrow chart, one in
 * every second or third of a wide one, so that it takes some milliseconds. At each the rows that
 * stand there are read, one piece for all lanes, since rows of one time lie together. Of each
 * lane the stretch that the piece covers without a hole stands for its part of the column. Places
 * are found from the middle outwards, so that each search is confined by its neighbours. A lane
 * that is elsewhere in the table at that time is searched for by itself, a bounded number of times; a
 * column of it about which nothing was found out then looks like the nearest one.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"

__extension__ typedef __int128 i128;

#define OVER 1e-9 /* what sums of shares may be above 1 by rounding */

enum {
	PLACES = 150,	  /* of a chart: every so many columns has one where there are more */
	PIECE_STEPS = 48, /* steps of a sample, as far as there are rows for them */
	PIECE_ROWS = 64,
	PIECE_ROWS_MAX = 512,
	SAMPLE_ROWS = 20000, /* of all samples, about */
	SAMPLES = 4,	     /* of a column, at most */
	ALONE_STEPS = 3,     /* the same of a lane that is searched for by itself, */
	ALONE_ROWS = 10000,  /* and rows of all of those */
	FILL = 8,	     /* columns from a sampled one to one that looks like it */
};

struct drawing {
	struct ts_trace_chart *c;
	struct ts_reader *rd;
	const struct ts_trace *t;
	struct ts_err *err;
	struct trace_parts parts;
	int64_t alone; /* rows read for single lanes */
	bool damaged;  /* some samples could not be read */
	int every;     /* columns that have one place */
	int stride; /* places from one where lanes may be searched for by themselves to the next */
	int *samples; /* of each lane and column: how many told something */
	struct trace_anchors anchors;
	struct ts_progress *progress;
};

/* --- columns ---------------------------------------------------------------------------------- */

static int64_t
edge(int64_t from, int64_t to, int columns, int i)
{
	return from + (int64_t)((i128)(to - from) * i / columns);
}

void
ts_trace_column(int64_t from, int64_t to, int columns, int i, int64_t *a, int64_t *b)
{
	*a = edge(from, to, columns, i);
	*b = ts_max_i64(edge(from, to, columns, i + 1), *a + 1);
}

static double *
share_at(struct ts_trace_chart *c, int lane, enum ts_step_class k, int column)
{
	return c->share + ((size_t)lane * TS_CLASS_COUNT + (size_t)k) * (size_t)c->columns + column;
}

int
trace_lane_of(const struct ts_trace_chart *c, int64_t ipu)
{
	for (int l = 0; l < c->lanes; l++)
		if (c->ipu[l] == ipu)
			return l;
	return -1;
}

/* Only an index that somebody made by hand tells of a negative share. */
static double *
at_least_0(double *share)
{
	if (!(*share > 0))
		*share = 0;
	return share;
}

/* Of all classes together never more than the whole column. */
static void
limit_shares(struct ts_trace_chart *c)
{
	size_t cells = (size_t)c->columns * (size_t)c->lanes * TS_CLASS_COUNT;

	for (size_t i = 0; i < cells; i++)
		c->own[i] = *at_least_0(&c->share[i]);
	for (int l = 0; l < c->lanes; l++)
		for (int x = 0; x < c->columns; x++) {
			double left = 1, sum = 0;

			for (int i = 0; i < TS_CLASS_COUNT; i++) {
				double *share = share_at(c, l, ts_class_order[i], x);

				sum += *share;
				*share = *share < left ? *share : left;
				left -= *share;
			}
			c->overlap[l] |= sum > 1 + OVER;
		}
}

/* --- exact ------------------------------------------------------------------------------------ */

static void
add_part(struct trace_sums *s, const struct ts_trace_chart *c, const struct trace_part *p)
{
	int lane = p->start < c->to && p->end > c->from ? trace_lane_of(c, p->ipu) : -1;

	if (lane >= 0)
		trace_sums_row(s, lane, p->start, p->end, p->class_of);
}

/* Have all lanes passed the end of the range? */
static bool
all_passed(const struct drawing *d, bool *passed, int *left, size_t from)
{
	for (size_t i = from; i<d->parts.n && * left> 0; i++) {
		int lane = d->parts.p[i].start >= d->c->to ? trace_lane_of(d->c, d->parts.p[i].ipu)
							   : -1;

		if (lane >= 0 && !passed[lane]) {
			passed[lane] = true;
			--*left;
		}
	}
	return *left == 0;
}

/* How many consecutive rows begin behind the range, up to the last row read. */
static int64_t
rows_behind(const struct drawing *d, size_t from, int64_t behind)
{
	for (size_t i = from; i < d->parts.n; i++)
		behind = d->parts.p[i].start < d->c->to ? 0 : behind + 1;
	return behind;
}

/* Read rows until every lane has passed the range, and TS_TRACE_LOOK_BACK more: a later row may begin earlier. */
static enum ts_code
read_through(struct drawing *d, const struct trace_stretch *s)
{
	bool passed[TS_TRACE_LANES] = {false};
	int left = d->c->lanes;
	int64_t to = s->high.at, end = trace_add(to, s->settle), step = 512 / d->t->part.per;
	int64_t behind = 0;
	enum ts_code code = trace_parts_read(&d->parts, d->rd, d->t, s->begin, to, 0, &d->c->rows,
		d->err);
	enum ts_code damaged;
	size_t seen = 0;

	damaged = code;
	if (code == TS_E_DAMAGED)
		code = TS_OK;
	while (!code && to < end && to <= d->t->part.last) {
		bool all = all_passed(d, passed, &left, seen);

		behind = rows_behind(d, seen, behind);
		if (all && behind > TS_TRACE_LOOK_BACK)
			break;
		int64_t next = ts_min_i64(end, trace_add(to, step + 1));

		seen = d->parts.n;
		code = trace_parts_read(&d->parts, d->rd, d->t, to, next, 0, &d->c->rows, d->err);
		to = next;
		if (code == TS_E_DAMAGED) {
			damaged = code;
			code = TS_OK;
		}
	}
	return code ? code : damaged;
}

/* Do rows of a lane, in the order in which they stand, begin before those before them have ended? */
struct ends {
	int64_t of[TS_TRACE_LANES];
};

static void
ends_init(struct ends *e)
{
	for (int l = 0; l < TS_TRACE_LANES; l++)
		e->of[l] = INT64_MIN;
}

static void
note_part(struct ts_trace_chart *c, struct ends *e, const struct trace_part *p)
{
	int lane = p->end > p->start ? trace_lane_of(c, p->ipu) : -1;

	if (lane < 0)
		return;
	c->overlap[lane] |= p->start < e->of[lane];
	e->of[lane] = ts_max_i64(e->of[lane], p->end);
}

static void
note_overlap(struct drawing *d)
{
	struct ends ends;

	ends_init(&ends);
	for (size_t i = 0; i < d->parts.n; i++)
		note_part(d->c, &ends, &d->parts.p[i]);
}

static enum ts_code
draw_exact(struct drawing *d, const struct trace_stretch *stretch)
{
	enum ts_code code = trace_ahead_parts(d->rd, d->t, stretch->begin,
		trace_add(stretch->high.at, PIECE_ROWS_MAX), d->err);
	enum ts_code bad;
	struct trace_sums sums;

	if (!code)
		code = read_through(d, stretch);
	if (code && code != TS_E_DAMAGED)
		return code;
	d->damaged = code == TS_E_DAMAGED;
	note_overlap(d);
	bad = trace_parts_classes(&d->parts, d->rd, d->t, code ? NULL : d->err);
	if (trace_sums_init(&sums, d->c, d->err))
		return TS_E_NOMEM;
	for (size_t i = 0; i < d->parts.n; i++)
		add_part(&sums, d->c, &d->parts.p[i]);
	trace_sums_put(d->c, &sums);
	trace_sums_fini(&sums);
	return code ? code : bad;
}

/* --- forwards: everything, whatever the range -------------------------------------------------- */

static enum ts_code
read_forwards(struct drawing *d, struct trace_sums *sums)
{
	struct ts_step_classes classes = d->t->classes;
	struct ends ends;
	struct trace_part part;
	struct ts_rows *rows;
	enum ts_code code = trace_parts_open(&rows, d->rd, d->t, 0, 0, d->err);
	bool there;

	if (code)
		return code;
	ends_init(&ends);
	while (!(code = ts_rows_next(rows, &there, d->err)) && there) {
		int k;

		if (++d->c->rows % 8192 == 0)
			ts_progress_set(d->progress, d->c->rows, 0);
		if (!trace_part_get(&part, rows, d->t))
			continue;
		note_part(d->c, &ends, &part); /* of all rows, as the index has it */
		if (part.end <= d->c->from || part.start >= d->c->to)
			continue;
		k = ts_step_classes_find(&classes, part.step);
		part.class_of = k < 0 ? TS_CLASS_CONTROL : (enum ts_step_class)k;
		add_part(sums, d->c, &part);
	}
	ts_rows_close(rows);
	return code;
}

static enum ts_code
draw_forwards(struct drawing *d)
{
	struct trace_sums sums;
	enum ts_code code = trace_sums_init(&sums, d->c, d->err);

	if (code)
		return code;
	code = read_forwards(d, &sums);
	trace_sums_put(d->c, &sums);
	trace_sums_fini(&sums);
	return code;
}

/* --- sampled ---------------------------------------------------------------------------------- */

/* What of one lane's stretch lies in the column, added to its shares. */
static void
add_stretch(struct drawing *d, int lane, int column, int64_t from, int64_t to)
{
	struct ts_trace_chart *c = d->c;

	for (size_t i = 0; i < d->parts.n; i++) {
		const struct trace_part *p = &d->parts.p[i];
		int64_t a = ts_max_i64(p->start, from), b = ts_min_i64(p->end, to);

		if (p->ipu != c->ipu[lane] || a >= b)
			continue;
		*share_at(c, lane, p->class_of, column) += (double)(b - a) / (double)(to - from);
		if (p->start == a)
			c->start[(size_t)lane * (size_t)c->columns + (size_t)column] = true;
	}
	d->samples[(size_t)lane * (size_t)c->columns + (size_t)column]++;
}

/*
 * The stretch [*from, *to) around a time that the piece says everything about for a lane; false: the
 * lane is not there at that time.
 */
static bool
stretch_of(const struct drawing *d, int lane, int64_t cycles, bool first, bool last, int64_t *from,
	int64_t *to)
{
	int64_t begin = INT64_MAX, end = -1, reach = -1;

	for (size_t i = 0; i < d->parts.n; i++) {
		const struct trace_part *p = &d->parts.p[i];

		if (p->ipu != d->c->ipu[lane])
			continue;
		begin = ts_min_i64(begin, p->start);
		end = ts_max_i64(end, p->start);
		reach = ts_max_i64(reach, p->end);
	}
	if (first || begin == INT64_MAX)
		begin = first ? ts_min_i64(begin, d->c->from) : begin;
	if (end <= cycles)
		end = last ? INT64_MAX : reach;
	*from = begin;
	*to = end;
	return begin <= cycles && cycles < end;
}

/* Rows of a sample of so many steps. */
static int64_t
piece_rows(const struct drawing *d, int steps)
{
	return ts_clamp_i64((int64_t)steps * d->t->group, PIECE_ROWS, PIECE_ROWS_MAX);
}

/* A sample of the lanes that `todo` names; those that it tells something about are taken off. */
static enum ts_code
sample_piece(struct drawing *d, int column, int64_t cycles, int64_t at, int64_t rows, bool *todo)
{
	const struct ts_trace_axis *axis = &d->t->part;
	int64_t a, b, before = d->c->rows;
	int64_t back = (rows / 2 + axis->per - 1) / axis->per, from, to;
	enum ts_code code;
	bool first, last;

	from = at - axis->first > back ? at - back : axis->first;
	d->parts.n = 0;
	code = trace_parts_read(&d->parts, d->rd, d->t, from, INT64_MAX, rows, &d->c->rows, d->err);
	if (code == TS_E_DAMAGED) {
		d->damaged = true; /* a hole would look like an idle lane: no sample */
		return TS_OK;
	}
	note_overlap(d);
	if (!code)
		code = trace_parts_classes(&d->parts, d->rd, d->t, d->err);
	d->damaged |= code == TS_E_DAMAGED;
	if (code && code != TS_E_DAMAGED)
		return code;
	first = from == axis->first;
	last = d->c->rows - before < rows;
	ts_trace_column(d->c->from, d->c->to, d->c->columns, column, &a, &b);
	for (int l = 0; l < d->c->lanes; l++) {
		if (!todo[l] || !stretch_of(d, l, cycles, first, last, &from, &to))
			continue;
		todo[l] = false;
		add_stretch(d, l, column, ts_max_i64(from, a), ts_min_i64(to, b));
	}
	return TS_OK;
}

/* Address width at which a search by time may stop: the piece that is read then has it. */
static int64_t
piece_width(const struct drawing *d, int64_t rows)
{
	return ts_max_i64(rows / 4 / d->t->part.per, 1);
}

static enum ts_code
sample_alone(struct drawing *d, int column, int64_t cycles, bool *todo)
{
	int64_t rows = piece_rows(d, ALONE_STEPS);

	for (int l = 0; l < d->c->lanes && d->alone < ALONE_ROWS; l++) {
		struct trace_place low = trace_place_first(d->t), high = trace_place_end(d->t);
		enum ts_code code;

		if (!todo[l])
			continue;
		d->alone += rows;
		code = trace_locate(&low, &high, d->rd, d->t, d->c->ipu[l], cycles,
			piece_width(d, rows), d->err);
		if (!code)
			code = sample_piece(d, column, cycles, low.at, rows, todo);
		if (code)
			return code;
	}
	return TS_OK;
}

/* Samples [first, first + n), `per` at each place, between two addresses; the middle one first. */
struct samples {
	int first, n, per;
	struct trace_place low, high;
};

static int64_t
sample_time(const struct drawing *d, int i, int per)
{
	int64_t a, b, c, e;

	ts_trace_column(d->c->from, d->c->to, d->c->columns, i / per * d->every, &a, &b);
	c = edge(a, b, per, i % per);
	e = edge(a, b, per, i % per + 1);
	return c + (e - c) / 2;
}

static enum ts_code
sample(struct drawing *d, struct samples s)
{
	int middle = s.first + s.n / 2, column = middle / s.per * d->every;
	int64_t rows = piece_rows(d, PIECE_STEPS);
	bool todo[TS_TRACE_LANES];
	struct trace_place low = s.low, high = s.high;
	int64_t cycles;
	enum ts_code code;

	if (s.n <= 0)
		return TS_OK;
	cycles = sample_time(d, middle, s.per);
	for (int l = 0; l < d->c->lanes; l++)
		todo[l] = true;
	trace_anchors_tighten(&d->anchors, d->c->ipu[0], cycles, &low, &high);
	code = trace_locate(&low, &high, d->rd, d->t, d->c->ipu[0], cycles, piece_width(d, rows),
		d->err);
	if (!code)
		code = sample_piece(d, column, cycles, low.at, rows, todo);
	/* of a report on another host each lane would cost its round trips: what is not known is shown so */
	if (!code && middle / s.per % d->stride == 0 && d->anchors.n == 0)
		code = sample_alone(d, column, cycles, todo);
	if (!code) /* as deep as there are binary digits in the number of samples */
		code = sample(d, (struct samples){s.first, middle - s.first, s.per, s.low, high});
	if (!code)
		code = sample(d,
			(struct samples){middle + 1, s.first + s.n - middle - 1, s.per, low,
				s.high});
	return code;
}

static void
scale_samples(struct drawing *d)
{
	struct ts_trace_chart *c = d->c;

	for (int l = 0; l < c->lanes; l++)
		for (int x = 0; x < c->columns; x++) {
			int n = d->samples[(size_t)l * (size_t)c->columns + (size_t)x];

			for (int k = 0; k < TS_CLASS_COUNT && n > 1; k++)
				*share_at(c, l, (enum ts_step_class)k, x) /= n;
		}
}

/* The nearest column of a lane that samples told something about, at most `most` away; -1: none. */
static int
nearest(const int *samples, int columns, int x, int most)
{
	for (int by = 0; by <= most; by++) {
		if (x >= by && samples[x - by])
			return x - by;
		if (x + by < columns && samples[x + by])
			return x + by;
	}
	return -1;
}

/* A column that no sample told anything about looks like one nearby, or is not known. */
static void
fill_columns(struct drawing *d)
{
	struct ts_trace_chart *c = d->c;
	int most = ts_clamp_i64((int64_t)d->stride * d->every, 1, FILL);

	for (int l = 0; l < c->lanes; l++) {
		const int *samples = d->samples + (size_t)l * (size_t)c->columns;

		for (int x = 0; x < c->columns; x++) {
			int from = nearest(samples, c->columns, x, most);

			c->unknown[(size_t)l * (size_t)c->columns + (size_t)x] = from < 0;
			for (int k = 0; k < TS_CLASS_COUNT && from >= 0 && from != x; k++)
				*share_at(c, l, (enum ts_step_class)k, x) = *share_at(c, l,
					(enum ts_step_class)k, from);
		}
	}
}

/* At every so many places lanes may be searched for by themselves, if half of them have to. */
static int
alone_stride(const struct drawing *d)
{
	int64_t places = (d->c->columns + d->every - 1) / d->every;
	int64_t rows = d->c->lanes * places * piece_rows(d, ALONE_STEPS);

	return (int)ts_max_i64(rows / ALONE_ROWS / 2 + 1, 1);
}

/* How many places samples have, and how many samples each; returns how many samples that are. */
static int
spread_samples(struct drawing *d, int *per)
{
	int places;

	d->every = (d->c->columns + PLACES - 1) / PLACES;
	places = (d->c->columns + d->every - 1) / d->every;
	*per = (int)ts_clamp_i64(SAMPLE_ROWS / (piece_rows(d, PIECE_STEPS) * places), 1, SAMPLES);
	return places * *per;
}

static enum ts_code
draw_sampled(struct drawing *d, struct trace_place low, struct trace_place high)
{
	int per, n = spread_samples(d, &per);
	enum ts_code code;

	d->c->sampled = true;
	d->stride = alone_stride(d);
	d->samples = ts_alloc((size_t)d->c->lanes * (size_t)d->c->columns, sizeof(*d->samples));
	if (!d->samples)
		return ts_err_nomem(d->err);
	code = sample(d, (struct samples){0, n, per, low, high});
	scale_samples(d);
	fill_columns(d);
	free(d->samples);
	return !code && d->damaged ? TS_E_DAMAGED : code;
}

/*
 * Of a report on another host: have the rows here that the range, and where it is a long one its samples, are about. Its ends
 * come first among the times.
 */
static enum ts_code
find_anchors(struct drawing *d)
{
	const struct ts_trace_axis *a = &d->t->part;
	double share = (double)(d->c->to - d->c->from) / (double)(d->t->to - d->t->from);
	double rows = share * ((double)a->last - (double)a->first) * (double)a->per;
	int per, n = rows > TS_TRACE_EXACT ? spread_samples(d, &per) : 0;
	int64_t *times;
	enum ts_code code;

	if (!trace_ahead_helps(d->rd))
		return TS_OK;
	times = ts_alloc((size_t)n + 2, sizeof(*times));
	if (!times)
		return ts_err_nomem(d->err);
	times[0] = d->c->from;
	times[1] = d->c->to;
	for (int i = 0; i < n; i++)
		times[i + 2] = sample_time(d, i, per);
	code = trace_anchors_find(&d->anchors, d->rd, d->t, d->c->ipu[0], times, n + 2,
		piece_rows(d, PIECE_STEPS), d->err);
	free(times);
	return code;
}

/* --- together --------------------------------------------------------------------------------- */

static enum ts_code
draw(struct drawing *d)
{
	const struct ts_trace_axis *a = &d->t->part;
	struct trace_stretch s;
	bool done;
	enum ts_code code = trace_draw_indexed(&done, d->c, d->rd, d->err);

	if (code || done)
		return code;
	if (a->range == TS_RANGE_ALL)
		return draw_forwards(d);
	if (a->first > a->last)
		return TS_OK;
	code = find_anchors(d);
	if (code)
		return code;
	code = trace_stretch_find(&s, d->rd, d->t, &d->anchors, d->c->ipu, d->c->lanes, d->c->from,
		d->c->to, TS_TRACE_EXACT, d->err);
	if (code)
		return code;
	if (s.rows <= TS_TRACE_EXACT)
		return draw_exact(d, &s);
	return draw_sampled(d, s.low, s.high);
}

static enum ts_code
allocate(struct ts_trace_chart *c, struct ts_err *err)
{
	size_t cells = (size_t)c->columns * (size_t)c->lanes;

	c->ipu = ts_alloc((size_t)c->lanes, sizeof(*c->ipu));
	c->share = ts_alloc(cells * TS_CLASS_COUNT, sizeof(*c->share));
	c->start = ts_alloc(cells, sizeof(*c->start));
	c->unknown = ts_alloc(cells, sizeof(*c->unknown));
	c->own = ts_alloc(cells * TS_CLASS_COUNT, sizeof(*c->own));
	c->overlap = ts_alloc((size_t)c->lanes, sizeof(*c->overlap));
	if (c->ipu && c->share && c->start && c->unknown && c->own && c->overlap)
		return TS_OK;
	ts_trace_chart_fini(c);
	return ts_err_nomem(err);
}

enum ts_code
ts_trace_chart_read(struct ts_trace_chart *c, struct ts_reader *rd, const struct ts_trace *t,
	int64_t from, int64_t to, int columns, const int64_t *ipu, int lanes,
	struct ts_progress *progress, struct ts_err *err)
{
	struct drawing d = {.c = c, .rd = rd, .t = t, .err = err, .progress = progress};
	enum ts_code code;

	*c = (struct ts_trace_chart){.from = from, .to = ts_max_i64(to, trace_add(from, 1))};
	c->columns = (int)ts_clamp_i64(columns, 1, TS_TRACE_COLUMNS);
	c->lanes = (int)ts_clamp_i64(lanes, 0, TS_TRACE_LANES);
	code = allocate(c, err);
	if (code)
		return code;
	if (c->lanes > 0)
		memcpy(c->ipu, ipu, (size_t)c->lanes * sizeof(*ipu));
	if (c->lanes > 0 && t->has_parts)
		code = draw(&d);
	limit_shares(c);
	trace_anchors_fini(&d.anchors);
	trace_parts_fini(&d.parts);
	return code;
}

enum ts_code
ts_trace_chart_copy(struct ts_trace_chart *c, const struct ts_trace_chart *from, struct ts_err *err)
{
	size_t cells = (size_t)from->columns * (size_t)from->lanes;
	enum ts_code code;

	*c = *from;
	code = allocate(c, err);
	if (code || cells == 0)
		return code;
	memcpy(c->ipu, from->ipu, (size_t)from->lanes * sizeof(*c->ipu));
	memcpy(c->share, from->share, cells * TS_CLASS_COUNT * sizeof(*c->share));
	memcpy(c->start, from->start, cells * sizeof(*c->start));
	memcpy(c->unknown, from->unknown, cells * sizeof(*c->unknown));
	memcpy(c->own, from->own, cells * TS_CLASS_COUNT * sizeof(*c->own));
	memcpy(c->overlap, from->overlap, (size_t)from->lanes * sizeof(*c->overlap));
	return TS_OK;
}

void
ts_trace_chart_fini(struct ts_trace_chart *c)
{
	free(c->ipu);
	free(c->share);
	free(c->start);
	free(c->unknown);
	free(c->own);
	free(c->overlap);
	*c = (struct ts_trace_chart){0};
}
