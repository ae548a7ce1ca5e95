/* SPDX-License-Identifier: MIT */
/*
 * tile_live_axis - the classes, when each is alive, and the points at which something changes.
 *
 * class_interval is read once, whole (a few thousand rows as a rule), sorted by class and start, and what overlaps or
 * touches is put together. Then the ends of all intervals are sorted: those are the points, and intervals are
 * kept as places among them.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/liveness.h"
#include "tilescope/report/rows.h"

#include "tile_live_internal.h"

enum { NEAR_MOST = 1 << 20, LOOK = 1 << 16 };

struct raw {
	int64_t class, start, end;
};

struct axis_work {
	struct ts_live_axis *a;
	struct ts_reader *rd;
	const struct ts_cache *cache;
	struct ts_pile raw;
	size_t count;
};

static struct raw *
raw_at(const struct axis_work *w, size_t i)
{
	return (struct raw *)w->raw.memory + i;
}

/* --- reading ---------------------------------------------------------------------------------- */

enum { I_CLASS, I_START, I_END, I_COLUMNS };

static enum ts_code
add_interval(struct axis_work *w, struct ts_rows *rows, struct ts_err *err)
{
	struct ts_live_axis *a = w->a;
	struct raw r;
	enum ts_code code;

	if (ts_rows_number(rows, I_CLASS, &r.class) != TS_VALUE_OK ||
		ts_rows_number(rows, I_START, &r.start) != TS_VALUE_OK ||
		ts_rows_number(rows, I_END, &r.end) != TS_VALUE_OK) {
		a->bad_intervals++;
		return TS_OK;
	}
	if (r.end <= r.start) {
		a->reversed++;
		return TS_OK;
	}
	if (a->steps != TS_UNKNOWN && r.end > a->steps) {
		a->beyond++;
		r.end = a->steps;
		if (r.start >= r.end)
			return TS_OK;
	}
	if (w->count == TS_TILE_LIVES_INTERVALS)
		return ts_err_set(err, TS_E_LIMIT, "class_interval has more than %d intervals",
			TS_TILE_LIVES_INTERVALS);
	code = ts_pile_add(&w->raw, &r, sizeof(r), w->cache, err);
	w->count += !code;
	return code;
}

static enum ts_code
read_intervals(struct axis_work *w, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_CLASS_INTERVAL_CLASS, TS_CLASS_INTERVAL_START,
					  TS_CLASS_INTERVAL_END},
		.column_count = I_COLUMNS,
		.past_damage = true};
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, w->rd, TS_CLASS_INTERVAL, &q, err);
	bool there;

	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there)
		if ((code = add_interval(w, rows, err)))
			break;
	ts_rows_close(rows);
	return code;
}

/* --- putting in order ------------------------------------------------------------------------- */

static int
by_class_and_start(const void *a, const void *b)
{
	const struct raw *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

static int
by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* By class and start; what overlaps or touches is one. */
static enum ts_code
unite(struct axis_work *w, struct ts_err *err)
{
	enum ts_code code = ts_pile_sort(&w->raw, w->count, sizeof(struct raw), by_class_and_start,
		w->cache, w->rd->cancel, err);
	size_t kept = 0;

	for (size_t i = 0; !code && i < w->count; i++) {
		struct raw *before = kept > 0 ? raw_at(w, kept - 1) : NULL, *r = raw_at(w, i);

		if (!before || before->class != r->class || before->end < r->start)
			*raw_at(w, kept++) = *r;
		else
			before->end = ts_max_i64(before->end, r->end);
	}
	w->count = kept;
	return code;
}

static enum ts_code
make_points(struct axis_work *w, struct ts_err *err)
{
	struct ts_live_axis *a = w->a;
	size_t n = 2 * w->count;
	enum ts_code code = ts_pile_room(&a->point, n * sizeof(int64_t), w->cache, err);
	int64_t *point = a->point.memory;

	if (code)
		return code;
	for (size_t i = 0; i < w->count; i++) {
		point[2 * i] = raw_at(w, i)->start;
		point[2 * i + 1] = raw_at(w, i)->end;
	}
	a->point.used = n * sizeof(*point);
	code = ts_pile_sort(&a->point, n, sizeof(*point), by_value, w->cache, w->rd->cancel, err);
	point = a->point.memory;
	for (size_t i = 0; !code && i < n; i++)
		if (a->points == 0 || point[a->points - 1] != point[i])
			point[a->points++] = point[i];
	if (!code && a->points > TS_TILE_LIVES_POINTS)
		code = ts_err_set(err, TS_E_LIMIT,
			"class_interval begins and ends at more than %d different steps",
			TS_TILE_LIVES_POINTS);
	return code;
}

static uint32_t
point_of(const struct ts_live_axis *a, int64_t step)
{
	const int64_t *point = a->point.memory;
	const int64_t *found = bsearch(&step, point, a->points, sizeof(*point), by_value);

	return (uint32_t)(found - point);
}

static enum ts_code
make_classes(struct axis_work *w, struct ts_err *err)
{
	struct ts_live_axis *a = w->a;
	enum ts_code code = TS_OK;

	for (size_t i = 0; !code && i < w->count; i++) {
		const struct raw *r = raw_at(w, i);
		struct ts_live_interval in = {point_of(a, r->start), point_of(a, r->end)};
		struct ts_live_class *last = (struct ts_live_class *)a->class.memory;

		if (i % LOOK == 0 && ts_cancelled(w->rd->cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		code = ts_pile_add(&a->interval, &in, sizeof(in), w->cache, err);
		if (!code && (a->classes == 0 || last[a->classes - 1].number != r->class)) {
			struct ts_live_class c = {r->class, (uint32_t)i, 0};

			code = ts_pile_add(&a->class, &c, sizeof(c), w->cache, err);
			last = a->class.memory;
			a->classes += !code;
		}
		if (!code)
			last[a->classes - 1].count++;
		a->intervals += !code;
	}
	return code;
}

/* A table of small class numbers: rows ask millions of times. */
static enum ts_code
make_near(struct axis_work *w, struct ts_err *err)
{
	struct ts_live_axis *a = w->a;
	const struct ts_live_class *class = a->class.memory;
	int64_t highest = a->classes > 0 ? class[a->classes - 1].number : 0;
	size_t n = (size_t)ts_min_i64(highest, NEAR_MOST - 1) + 1;
	enum ts_code code = ts_pile_room(&a->near, n * sizeof(uint32_t), w->cache, err);
	uint32_t *near = a->near.memory;

	if (code)
		return code;
	a->near.used = n * sizeof(*near);
	for (size_t i = 0; i < a->classes && class[i].number < (int64_t)n; i++)
		near[class[i].number] = (uint32_t)i + 1;
	return TS_OK;
}

enum ts_code
ts_live_axis_read(struct ts_live_axis *a, struct ts_reader *rd, const struct ts_cache *cache,
	struct ts_err *err)
{
	struct axis_work w = {.a = a, .rd = rd, .cache = cache};
	struct ts_err why;
	enum ts_code damage, code;

	*a = (struct ts_live_axis){.steps = TS_UNKNOWN};
	damage = ts_live_steps_read(&a->steps, rd, err);
	if (damage && damage != TS_E_DAMAGED)
		return damage;
	code = read_intervals(&w, &why);
	if (code && err && !(damage && code == TS_E_DAMAGED))
		*err = why;
	damage = code == TS_E_DAMAGED ? code : damage;
	if (code == TS_E_DAMAGED)
		code = TS_OK;
	if (!code)
		code = unite(&w, err);
	if (!code)
		code = make_points(&w, err);
	if (!code)
		code = make_classes(&w, err);
	if (!code)
		code = make_near(&w, err);
	ts_pile_fini(&w.raw);
	return code ? code : damage;
}

void
ts_live_axis_fini(struct ts_live_axis *a)
{
	ts_pile_fini(&a->point);
	ts_pile_fini(&a->class);
	ts_pile_fini(&a->interval);
	ts_pile_fini(&a->near);
	*a = (struct ts_live_axis){0};
}

static int
by_number(const void *a, const void *b)
{
	const struct ts_live_class *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

ptrdiff_t
ts_live_axis_class(const struct ts_live_axis *a, int64_t number)
{
	struct ts_live_class key = {.number = number};
	const struct ts_live_class *class = a->class.memory, *found;

	if (number < 0)
		return -1;
	if ((uint64_t)number < a->near.used / sizeof(uint32_t))
		return (ptrdiff_t)((const uint32_t *)a->near.memory)[number] - 1;
	if (number < NEAR_MOST || a->classes == 0)
		return -1;
	found = bsearch(&key, class, a->classes, sizeof(key), by_number);
	return found ? found - class : -1;
}
