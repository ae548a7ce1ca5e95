/* SPDX-License-Identifier: MIT */
/*
 * flame_chart - one path of frames for each column of an IPU's time.
 *
 * Exact: the rows of the range, each put down in the columns that it reaches into; of each column the sums of all frames
 * in it, and the way down the heaviest. Sampled: at the middle of each column the step that runs there, found by bisecting;
 * the middle column first, so that each search is confined by its neighbours.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/flame.h"

__extension__ typedef __int128 i128;

enum {
	PIECES = 1 << 18,  /* steps in columns, at most; more only where many overlap */
	SAMPLE_ROWS = 32,  /* rows near which a search by time stops */
	SAMPLE_GROUPS = 8, /* steps before it that may still run */
	AHEAD_ROWS = 64,   /* on either side that are fetched with it, of another host */
};

/* A step in a column. */
struct piece {
	int column;
	uint32_t leaf;
	int64_t from, cycles, step;
	bool begins; /* there, not before */
};

struct drawing {
	struct ts_flame_chart *c;
	struct ts_reader *rd;
	const struct ts_trace *t;
	struct ts_err *err;
	struct piece *piece;
	size_t pieces, cap;
	struct trace_anchors anchors; /* of all columns, of a report on another host */
	struct ts_slices *steps;      /* sampled: steps are looked up */
	bool damaged;
};

/* --- exact ------------------------------------------------------------------------------------------ */

static enum ts_code
add_piece(struct drawing *d, struct piece p)
{
	void *array = d->piece;

	if (d->pieces == PIECES) {
		d->c->sampled = true;
		return TS_OK;
	}
	if (!ts_room(&array, &d->cap, d->pieces, sizeof(p)))
		return ts_err_nomem(d->err);
	d->piece = array;
	d->piece[d->pieces++] = p;
	return TS_OK;
}

static enum ts_code
add_slice(struct drawing *d, const struct ts_slice *s)
{
	struct ts_flame_chart *c = d->c;
	int64_t from = ts_max_i64(s->start, c->from), to = ts_min_i64(s->end, c->to), a, b;
	struct piece p = {.step = s->step};
	enum ts_code code;
	int x;

	if (s->orphan || s->ipu != c->ipu || from >= to)
		return TS_OK;
	code = ts_frames_leaf(&p.leaf, &c->frames, s, d->err);
	x = (int)ts_min_i64((int64_t)((i128)(from - c->from) * c->columns / (c->to - c->from)),
		c->columns - 1);
	for (; x > 0; x--) {
		ts_trace_column(c->from, c->to, c->columns, x - 1, &a, &b);
		if (b <= from)
			break;
	}
	for (; x < c->columns && !code; x++) {
		ts_trace_column(c->from, c->to, c->columns, x, &a, &b);
		if (a >= to)
			break;
		p.column = x;
		p.from = ts_max_i64(a, from);
		p.begins = s->start >= a;
		p.cycles = ts_min_i64(b, to) - p.from;
		if (p.cycles > 0)
			code = add_piece(d, p);
	}
	return code;
}

static enum ts_code
read_rows(struct drawing *d)
{
	struct ts_flame_chart *c = d->c;
	struct ts_slices *slices;
	const struct ts_slice *s;
	enum ts_code code = ts_slices_open_range(&slices, d->rd, d->t, c->from, c->to,
		c->frames.cache, NULL, d->err);
	bool forwards = d->t->part.range == TS_RANGE_ALL;

	if (code)
		return code;
	ts_slices_only(slices, c->ipu);
	while (!(code = ts_slices_next(&s, slices, d->err)) && s) {
		c->rows++;
		if (!forwards && s->start >= c->to)
			break; /* its starts rise */
		code = add_slice(d, s);
		if (code)
			break;
	}
	ts_slices_close(slices);
	d->damaged |= code == TS_E_DAMAGED;
	return code == TS_E_DAMAGED ? TS_OK : code;
}

/* What is known of a frame while a column is worked out. */
struct weight {
	int64_t cycles;
	uint32_t best; /* the heaviest in it; 0: none yet */
};

/* What the frames of the column's path cover: the union of their pieces, which come by their begins. */
static void
measure_path(struct ts_flame_chart *c, int x, const struct piece *const *piece, size_t n)
{
	struct ts_flame_place *place = &c->place[(size_t)x * TS_FRAMES_DEPTH];
	uint32_t path[TS_FRAMES_DEPTH], k = c->leaf[x];
	int64_t reach[TS_FRAMES_DEPTH];
	int depth = ts_frame_at(&c->frames, k)->depth;

	for (int d = depth; d >= 0; d--) {
		path[d] = k;
		reach[d] = INT64_MIN;
		k = ts_frame_at(&c->frames, k)->parent;
	}
	for (size_t i = 0; i < n; i++) {
		int64_t to = piece[i]->from + piece[i]->cycles;
		uint32_t at = piece[i]->leaf;

		for (int d = ts_frame_at(&c->frames, at)->depth; d >= 0; d--) {
			if (d <= depth && path[d] == at) {
				if (to > reach[d])
					place[d].covered += to -
						ts_max_i64(piece[i]->from, reach[d]);
				reach[d] = ts_max_i64(reach[d], to);
				place[d].runs++;
				place[d].begins += piece[i]->begins;
			}
			at = ts_frame_at(&c->frames, at)->parent;
		}
	}
}

/* Pieces [0, n) are those of column x, in the order in which they began. */
static void
choose_path(struct ts_flame_chart *c, int x, const struct piece *const *piece, size_t n,
	struct weight *w)
{
	int64_t most = 0;
	uint32_t leaf = TS_FRAME_RUN;

	for (size_t i = 0; i < n; i++)
		for (uint32_t k = piece[i]->leaf; k != TS_FRAME_RUN;
			k = ts_frame_at(&c->frames, k)->parent)
			trace_add_to(&w[k].cycles, piece[i]->cycles);
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = piece[i]->leaf, up; k != TS_FRAME_RUN; k = up) {
			up = ts_frame_at(&c->frames, k)->parent;
			if (w[up].best == 0 || w[k].cycles > w[w[up].best].cycles)
				w[up].best = k;
		}
	while (w[leaf].best)
		leaf = w[leaf].best;
	c->leaf[x] = leaf;
	measure_path(c, x, piece, n);
	for (size_t i = 0; i < n; i++) {
		if (piece[i]->leaf == leaf && piece[i]->cycles > most) {
			most = piece[i]->cycles;
			c->step[x] = piece[i]->step;
		}
		for (uint32_t k = piece[i]->leaf; k != TS_FRAME_RUN;
			k = ts_frame_at(&c->frames, k)->parent)
			w[k] = (struct weight){0};
	}
	w[TS_FRAME_RUN] = (struct weight){0};
}

/* Pieces by column, as they came; begin[x] is where those of column x begin. */
static void
sort_pieces(const struct drawing *d, const struct piece **sorted, size_t *begin)
{
	int columns = d->c->columns;

	for (size_t i = 0; i < d->pieces; i++)
		begin[d->piece[i].column + 1]++;
	for (int x = 0; x < columns; x++)
		begin[x + 1] += begin[x];
	for (size_t i = 0; i < d->pieces; i++)
		sorted[begin[d->piece[i].column]++] = &d->piece[i];
	memmove(begin + 1, begin, (size_t)columns * sizeof(*begin));
	begin[0] = 0;
}

static enum ts_code
choose_paths(struct drawing *d)
{
	struct ts_flame_chart *c = d->c;
	const struct piece **sorted = ts_alloc(d->pieces, sizeof(*sorted));
	size_t *begin = ts_alloc((size_t)c->columns + 1, sizeof(*begin));
	struct weight *w = ts_alloc(c->frames.count, sizeof(*w));
	bool ok = sorted && begin && w;

	if (ok)
		sort_pieces(d, sorted, begin);
	for (int x = 0; ok && x < c->columns; x++)
		if (begin[x + 1] > begin[x])
			choose_path(c, x, sorted + begin[x], begin[x + 1] - begin[x], w);
	free(sorted);
	free(begin);
	free(w);
	return ok ? TS_OK : ts_err_nomem(d->err);
}

/* --- sampled ---------------------------------------------------------------------------------------- */

/*
 * What runs at a time, of the rows of the addresses [from, to): the one that began last, of those before `than`. *found false:
 * nothing does.
 */
static enum ts_code
running_at(struct trace_part *best, bool *found, struct drawing *d, int64_t from, int64_t to,
	int64_t cycles, const struct trace_part *than)
{
	struct trace_part p;
	struct ts_rows *rows;
	enum ts_code code = trace_parts_open(&rows, d->rd, d->t, from, to, d->err);
	bool there;

	*found = false;
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, d->err)) && there) {
		d->c->rows++;
		if (!trace_part_get(&p, rows, d->t) || p.ipu != d->c->ipu)
			continue;
		if (p.start > cycles)
			break; /* its starts rise */
		if (p.end <= cycles || (*found && p.start < best->start) ||
			(than &&
				(p.start > than->start ||
					(p.start == than->start && p.at >= than->at))))
			continue;
		*best = p;
		*found = true;
	}
	ts_rows_close(rows);
	d->damaged |= code == TS_E_DAMAGED;
	return code == TS_E_DAMAGED ? TS_OK : code;
}

/* The same between two places; what began some steps before them, and still runs, counts where nothing else does. */
static enum ts_code
running_between(struct trace_part *best, bool *found, struct drawing *d, int64_t cycles,
	const struct trace_place *low, const struct trace_place *high,
	const struct trace_part *than)
{
	const struct ts_trace_axis *axis = &d->t->part;
	int64_t back = (int64_t)SAMPLE_GROUPS * d->t->group / axis->per + 1;
	int64_t from = low->at - axis->first > back ? low->at - back : axis->first;
	enum ts_code code = running_at(best, found, d, low->at, high->at, cycles, than);

	return code || *found ? code : running_at(best, found, d, from, high->at, cycles, than);
}

/* The step that runs at a time, of the rows around an address; of rows whose step is nowhere the one before counts. */
static enum ts_code
sample_at(struct drawing *d, int x, int64_t cycles, const struct trace_place *low,
	const struct trace_place *high)
{
	struct trace_part than, best;
	const struct ts_slice *s = NULL;
	enum ts_code code = TS_OK;
	bool found, again = false;

	while (!s && !code) {
		code = running_between(&best, &found, d, cycles, low, high, again ? &than : NULL);
		if (code || !found)
			return code;
		code = trace_slices_step(&s, d->steps, best.step, d->err);
		d->damaged |= code == TS_E_DAMAGED;
		code = code == TS_E_DAMAGED ? TS_OK : code;
		than = best;
		again = true;
	}
	if (code)
		return code;
	d->c->step[x] = best.step;
	return ts_frames_leaf(&d->c->leaf[x], &d->c->frames, s, d->err);
}

static int64_t
middle_of(const struct ts_flame_chart *c, int column)
{
	int64_t a, b;

	ts_trace_column(c->from, c->to, c->columns, column, &a, &b);
	return a + (b - a) / 2;
}

/* Columns [first, first + n), between two addresses. */
static enum ts_code
sample(struct drawing *d, int first, int n, struct trace_place low, struct trace_place high)
{
	int64_t width = ts_max_i64(SAMPLE_ROWS / d->t->part.per, 1), at;
	struct trace_place left = low, right = high;
	int middle = first + n / 2;
	enum ts_code code;

	if (n <= 0)
		return TS_OK;
	at = middle_of(d->c, middle);
	trace_anchors_tighten(&d->anchors, d->c->ipu, at, &left, &right);
	code = trace_locate(&left, &right, d->rd, d->t, d->c->ipu, at, width, d->err);
	if (!code)
		code = sample_at(d, middle, at, &left, &right);
	if (!code) /* as deep as there are binary digits in the number of columns */
		code = sample(d, first, middle - first, low, right);
	return code ? code : sample(d, middle + 1, first + n - middle - 1, left, high);
}

static enum ts_code
find_columns(struct drawing *d)
{
	const struct ts_flame_chart *c = d->c;
	int64_t times[TS_TRACE_COLUMNS + 2] = {c->from, c->to};

	for (int x = 0; x < c->columns; x++)
		times[x + 2] = middle_of(c, x);
	return trace_anchors_find(&d->anchors, d->rd, d->t, c->ipu, times, c->columns + 2,
		AHEAD_ROWS, d->err);
}

static enum ts_code
draw_sampled(struct drawing *d)
{
	enum ts_code code = find_columns(d);

	d->c->sampled = true;
	if (!code)
		code = trace_slices_of_steps(&d->steps, d->rd, d->t, d->err);
	if (code)
		return code;
	return sample(d, 0, d->c->columns, trace_place_first(d->t), trace_place_end(d->t));
}

/* --- together --------------------------------------------------------------------------------------- */

static enum ts_code
draw(struct drawing *d)
{
	struct trace_stretch at;
	enum ts_code code;

	if (d->t->part.first > d->t->part.last)
		return TS_OK;
	if (d->t->part.range != TS_RANGE_ALL) {
		code = trace_stretch_find(&at, d->rd, d->t, NULL, &d->c->ipu, 1, d->c->from,
			d->c->to, TS_TRACE_EXACT, d->err);
		if (code || at.rows > TS_TRACE_EXACT)
			return code ? code : draw_sampled(d);
	}
	code = read_rows(d);
	return code ? code : choose_paths(d);
}

static enum ts_code
allocate(struct ts_flame_chart *c, struct ts_err *err)
{
	c->leaf = ts_alloc((size_t)c->columns, sizeof(*c->leaf));
	c->step = ts_alloc((size_t)c->columns, sizeof(*c->step));
	c->place = ts_alloc((size_t)c->columns * TS_FRAMES_DEPTH, sizeof(*c->place));
	if (!c->leaf || !c->step || !c->place)
		return ts_err_nomem(err);
	for (int x = 0; x < c->columns; x++) {
		c->leaf[x] = TS_FLAME_NONE;
		c->step[x] = TS_UNKNOWN;
	}
	return TS_OK;
}

enum ts_code
ts_flame_chart_read(struct ts_flame_chart *c, struct ts_reader *rd, const struct ts_trace *t,
	struct ts_frame_contexts *contexts, int64_t from, int64_t to, int columns, int64_t ipu,
	struct ts_err *err)
{
	struct drawing d = {.c = c, .rd = rd, .t = t, .err = err};
	enum ts_code code;

	*c = (struct ts_flame_chart){.from = from,
		.to = ts_max_i64(to, trace_add(from, 1)),
		.ipu = ipu};
	c->columns = (int)ts_clamp_i64(columns, 1, TS_TRACE_COLUMNS);
	code = allocate(c, err);
	if (!code)
		code = ts_frames_init(&c->frames, contexts, NULL, err);
	if (!code && t->has_parts)
		code = draw(&d);
	free(d.piece);
	trace_anchors_fini(&d.anchors);
	ts_slices_close(d.steps);
	if (!code && d.damaged)
		code = ts_err_set(err, TS_E_DAMAGED, "rows of step_ipu are damaged");
	if (code && code != TS_E_DAMAGED)
		ts_flame_chart_fini(c);
	return code;
}

void
ts_flame_chart_fini(struct ts_flame_chart *c)
{
	ts_frames_fini(&c->frames);
	free(c->leaf);
	free(c->step);
	free(c->place);
	*c = (struct ts_flame_chart){0};
}
