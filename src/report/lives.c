/* SPDX-License-Identifier: MIT */
/*
 * lives - the lives of variables.
 *
 * No join is left to SQL: both relations are read once, forwards, into compact arrays (16 bytes a
 * variable, 12 an interval). Then the variables are put in the order of their size, their lives with
 * them, and what is alive at each step is summed up: who is alive at a step is a look at the begin of
 * the list.
 *
 * Arrays that are large lie in files without a name, so that three million variables do not count as
 * memory.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_lives.h"
#include "tilescope/report/liveness.h"
#include "tilescope/report/rows.h"

#include "lives_internal.h"

__extension__ typedef __int128 i128;

enum { PROGRESS_ROWS = 8192 };

/* While they are read: always-live variables are kept too, with this mark. */
enum { ALWAYS_LIVE = -1 };

enum { SIZES_LOOKED_AT = 64 };
#define CLASS_BYTES_MAX (INT64_C(1) << 36) /* no machine has more; their sums do not overflow */

/* --- reading ---------------------------------------------------------------------------------- */

int64_t
lives_rows_of(const struct ts_reader *rd, enum ts_relation relation)
{
	return ts_reach_work(&rd->report->binding[relation].reach);
}

enum { V_ID, V_BYTES, V_ALWAYS, V_COLUMNS };

static enum ts_code
add_variable(struct lives_work *w, struct ts_rows *rows, struct ts_err *err)
{
	struct ts_live_variable v;
	enum ts_code code;
	int64_t always;

	if (ts_rows_number(rows, V_ID, &v.variable) != TS_VALUE_OK ||
		ts_rows_number(rows, V_BYTES, &v.bytes) != TS_VALUE_OK ||
		ts_rows_number(rows, V_ALWAYS, &always) == TS_VALUE_BAD) {
		w->l->bad_rows++;
		return TS_OK;
	}
	if (w->variables == TS_LIVES_MAX) {
		w->l->left_out++;
		return TS_OK;
	}
	v.bytes = always ? ALWAYS_LIVE : v.bytes;
	code = ts_pile_add(&w->variable, &v, sizeof(v), w->cache, err);
	w->variables += !code;
	return code;
}

static int
by_number(const void *a, const void *b)
{
	const struct ts_live_variable *x = a, *y = b;

	return (x->variable > y->variable) - (x->variable < y->variable);
}

/* By number, the first row of each. */
static enum ts_code
sort_variables(struct lives_work *w, struct ts_err *err)
{
	enum ts_code code = ts_pile_sort(&w->variable, w->variables,
		sizeof(struct ts_live_variable), by_number, w->cache, w->rd->cancel, err);
	size_t kept = 0;

	for (size_t i = 0; !code && i < w->variables; i++)
		if (kept == 0 ||
			lives_variable(w, kept - 1)->variable != lives_variable(w, i)->variable)
			*lives_variable(w, kept++) = *lives_variable(w, i);
	w->variables = kept;
	return code;
}

/* Index of a variable, tried at the hint first; -1 when there is none. */
static ptrdiff_t
find_variable(struct lives_work *w, int64_t id)
{
	struct ts_live_variable key = {id, 0}, *found;

	for (int i = 0;
		i < 2 && w->hint < w->variables && lives_variable(w, w->hint)->variable <= id;
		i++) {
		if (lives_variable(w, w->hint)->variable == id)
			return (ptrdiff_t)w->hint;
		w->hint++;
	}
	if (w->variables == 0)
		return -1;
	found = bsearch(&key, w->variable.memory, w->variables, sizeof(key), by_number);
	if (!found)
		return -1;
	w->hint = (size_t)(found - lives_variable(w, 0));
	return (ptrdiff_t)w->hint;
}

enum { I_VARIABLE, I_START, I_END, I_COLUMNS, I_BYTES = I_COLUMNS, I_ALWAYS, I_ALL };

/* Variable `place` is alive at steps start .. end - 1. */
static enum ts_code
put_life(struct lives_work *w, size_t place, int64_t start, int64_t end, struct ts_err *err)
{
	struct ts_life life = {(uint32_t)place, lives_cut_step(start), lives_cut_step(end)};
	enum ts_code code;

	if (w->lives == TS_LIVES_MAX) {
		w->l->left_out++;
		return TS_OK;
	}
	code = ts_pile_add(&w->life, &life, sizeof(life), w->cache, err);
	w->lives += !code;
	return code;
}

/* Does an interval say something? *end is cut to the steps that there are. */
static bool
is_sound(struct lives_work *w, int64_t start, int64_t *end)
{
	if (*end <= start) {
		w->l->reversed++;
		return false;
	}
	if (w->steps == TS_UNKNOWN || *end <= w->steps)
		return true;
	w->l->beyond++;
	*end = w->steps;
	return start < *end;
}

static enum ts_code
add_life(struct lives_work *w, struct ts_rows *rows, struct ts_err *err)
{
	struct ts_lives *l = w->l;
	int64_t id, start, end;
	ptrdiff_t variable;

	if (ts_rows_number(rows, I_VARIABLE, &id) != TS_VALUE_OK ||
		ts_rows_number(rows, I_START, &start) != TS_VALUE_OK ||
		ts_rows_number(rows, I_END, &end) != TS_VALUE_OK) {
		l->bad_rows++;
		return TS_OK;
	}
	variable = find_variable(w, id);
	if (end > start &&
		(variable < 0 || lives_variable(w, (size_t)variable)->bytes == ALWAYS_LIVE)) {
		++*(variable < 0 ? &l->orphans : &l->always);
		return TS_OK;
	}
	return is_sound(w, start, &end) ? put_life(w, (size_t)variable, start, end, err) : TS_OK;
}

/* --- bytes by class --------------------------------------------------------------------------- */

/*
 * A variable may be in several classes, each with bytes and steps of its own. It becomes one variable for each number
 * of bytes that it has at some steps, alive at these: at any step at most one of them is.
 */

/* From this step on a variable has so many bytes more, in so many classes more. */
struct class_change {
	int64_t step, bytes, classes;
};

static int
by_step(const void *a, const void *b)
{
	const struct class_change *x = a, *y = b;

	return (x->step > y->step) - (x->step < y->step);
}

/* The variable `id` with so many bytes, among those made of it since `first`. */
static enum ts_code
find_sized(size_t *place, struct lives_work *w, size_t first, int64_t id, int64_t bytes,
	struct ts_err *err)
{
	struct ts_live_variable v = {id, bytes};
	enum ts_code code;

	for (size_t i = w->variables; i > first && w->variables - i < SIZES_LOOKED_AT; i--)
		if (lives_variable(w, i - 1)->bytes == bytes) {
			*place = i - 1;
			return TS_OK;
		}
	code = ts_pile_add(&w->variable, &v, sizeof(v), w->cache, err);
	*place = w->variables;
	w->variables += !code;
	return code;
}

/* All rows of a variable have been read. */
static enum ts_code
end_variable(struct lives_work *w, struct ts_err *err)
{
	size_t n = w->change.used / sizeof(struct class_change), first = w->variables, place;
	enum ts_code code = ts_pile_sort(&w->change, n, sizeof(struct class_change), by_step,
		w->cache, w->rd->cancel, err);
	struct class_change *c = w->change.memory, now = {0};

	for (size_t i = 0; !code && i < n; i++) {
		int64_t from = c[i].step;

		now.bytes += c[i].bytes;
		now.classes += c[i].classes;
		if (i + 1 == n || c[i + 1].step == from || now.classes == 0)
			continue;
		if (w->variables >= TS_LIVES_MAX) {
			w->l->left_out++;
			break;
		}
		code = find_sized(&place, w, first, w->id, now.bytes, err);
		if (!code)
			code = put_life(w, place, from, c[i + 1].step, err);
	}
	w->change.used = 0;
	return code;
}

/* Rows of a variable stand together. */
static enum ts_code
add_class(struct lives_work *w, struct ts_rows *rows, struct ts_err *err)
{
	int64_t id, start, end, bytes;
	struct class_change c[2];
	enum ts_code code = TS_OK;

	if (ts_rows_number(rows, I_VARIABLE, &id) != TS_VALUE_OK ||
		ts_rows_number(rows, I_START, &start) != TS_VALUE_OK ||
		ts_rows_number(rows, I_END, &end) != TS_VALUE_OK ||
		ts_rows_number(rows, I_BYTES, &bytes) != TS_VALUE_OK || bytes > CLASS_BYTES_MAX) {
		w->l->bad_rows++;
		return TS_OK;
	}
	if (ts_rows_known(rows, I_ALWAYS) > 0) {
		w->l->always++;
		return TS_OK;
	}
	if (!is_sound(w, start, &end))
		return TS_OK;
	if (id != w->id)
		code = end_variable(w, err);
	w->id = id;
	c[0] = (struct class_change){start, bytes, 1};
	c[1] = (struct class_change){end, -bytes, -1};
	return code ? code : ts_pile_add(&w->change, c, sizeof(c), w->cache, err);
}

/* --- order ------------------------------------------------------------------------------------ */

static int
by_life(const void *a, const void *b)
{
	const struct ts_life *x = a, *y = b;

	if (x->variable != y->variable)
		return x->variable < y->variable ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

/* By variable and start, and what overlaps or touches put together. */
static enum ts_code
sort_lives(struct lives_work *w, struct ts_err *err)
{
	enum ts_code code = ts_pile_sort(&w->life, w->lives, sizeof(struct ts_life), by_life,
		w->cache, w->rd->cancel, err);
	size_t kept = 0;

	for (size_t i = 0; !code && i < w->lives; i++) {
		struct ts_life *before = kept > 0 ? lives_life(w, kept - 1) : NULL;
		struct ts_life *life = lives_life(w, i);

		if (!before || before->variable != life->variable || before->end < life->start)
			*lives_life(w, kept++) = *life;
		else if (life->end > before->end)
			before->end = life->end;
	}
	w->lives = kept;
	return code;
}

/* One pass over `variable` (intervals false) or `liveness_variable`. */
static enum ts_code
read_relation(struct lives_work *w, bool intervals, struct ts_progress *progress,
	struct ts_err *err)
{
	static const struct ts_rows_query of_variables = {.columns = {TS_VARIABLE_VARIABLE,
								  TS_VARIABLE_BYTES,
								  TS_VARIABLE_ALWAYS_LIVE},
		.column_count = V_COLUMNS,
		.past_damage = true};
	static const struct ts_rows_query of_lives = {.columns = {TS_LIVENESS_VARIABLE_VARIABLE,
							      TS_LIVENESS_VARIABLE_START,
							      TS_LIVENESS_VARIABLE_END},
		.column_count = I_COLUMNS,
		.past_damage = true};
	static const struct ts_rows_query of_classes = {.columns = {TS_LIVENESS_VARIABLE_VARIABLE,
								TS_LIVENESS_VARIABLE_START,
								TS_LIVENESS_VARIABLE_END,
								TS_LIVENESS_VARIABLE_BYTES,
								TS_LIVENESS_VARIABLE_ALWAYS_LIVE},
		.column_count = I_ALL,
		.past_damage = true};
	enum ts_code (*const add)(struct lives_work *, struct ts_rows *,
		struct ts_err *) = !intervals ? add_variable
		: w->by_class		      ? add_class
					      : add_life;
	int64_t seen = intervals ? lives_rows_of(w->rd, TS_VARIABLE) : 0;
	int64_t total = lives_rows_of(w->rd, TS_VARIABLE) +
		lives_rows_of(w->rd, TS_LIVENESS_VARIABLE);
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, w->rd,
		intervals ? TS_LIVENESS_VARIABLE : TS_VARIABLE,
		!intervals	      ? &of_variables
			: w->by_class ? &of_classes
				      : &of_lives,
		err);
	bool there;

	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		if (++seen % PROGRESS_ROWS == 0)
			ts_progress_set(progress, seen, total);
		code = add(w, rows, err);
		if (code)
			break;
	}
	ts_rows_close(rows);
	return code;
}

/* --- by size ---------------------------------------------------------------------------------- */

/* A variable with its index in the order of the numbers. */
struct sized {
	struct ts_live_variable v;
	size_t index;
};

static int
by_size(const void *a, const void *b)
{
	const struct sized *x = a, *y = b;

	if (x->v.bytes != y->v.bytes)
		return x->v.bytes < y->v.bytes ? 1 : -1;
	return (x->v.variable > y->v.variable) - (x->v.variable < y->v.variable);
}

static enum ts_code
rank_variables(struct lives_work *w, struct ts_pile *ranks, struct ts_err *err)
{
	enum ts_code code = ts_pile_room(ranks, w->variables * sizeof(struct sized), w->cache, err);

	if (code)
		return code;
	for (size_t i = 0; i < w->variables; i++)
		((struct sized *)ranks->memory)[i] = (struct sized){*lives_variable(w, i), i};
	ranks->used = w->variables * sizeof(struct sized);
	return ts_pile_sort(ranks, w->variables, sizeof(struct sized), by_size, w->cache,
		w->rd->cancel, err);
}

/* The variables by size into `variable`, and their lives in that order into `life`. */
static enum ts_code
put_by_size(struct lives_work *w, const struct ts_pile *ranks, struct ts_pile *life,
	struct ts_err *err)
{
	struct ts_pile first = {
		.small = w->variable.small}; /* the first life of each variable, by number */
	enum ts_code code = ts_pile_room(&first, (w->variables + 1) * sizeof(size_t), w->cache,
		err);
	size_t *at = first.memory, n = 0;

	if (!code)
		code = ts_pile_room(life, w->lives * sizeof(struct ts_life), w->cache, err);
	for (size_t v = 0, i = 0; !code && v <= w->variables; v++) {
		while (i < w->lives && lives_life(w, i)->variable < v)
			i++;
		at[v] = i;
	}
	for (size_t r = 0; !code && r < w->variables; r++) {
		const struct sized *s = (const struct sized *)ranks->memory + r;

		*lives_variable(w, r) = s->v;
		for (size_t i = at[s->index]; i < at[s->index + 1]; i++) {
			struct ts_life *to = (struct ts_life *)life->memory + n++;

			*to = *lives_life(w, i);
			to->variable = (uint32_t)r;
		}
	}
	ts_pile_fini(&first);
	return code;
}

static enum ts_code
order_by_size(struct lives_work *w, struct ts_err *err)
{
	struct ts_pile ranks = {.small = w->variable.small}, life = ranks;
	enum ts_code code = rank_variables(w, &ranks, err);

	if (!code)
		code = put_by_size(w, &ranks, &life, err);
	if (!code) {
		struct ts_pile t = w->life;

		w->life = life;
		life = t;
	}
	ts_pile_fini(&ranks);
	ts_pile_fini(&life);
	return code;
}

/* --- what is alive at each step --------------------------------------------------------------- */

struct change {
	i128 bytes;
	int64_t count;
};

/* Steps up to the last at which something changes; more than are kept: 0. */
static size_t
steps_with_totals(const struct lives_work *w)
{
	size_t steps = 0;

	for (size_t i = 0; i < w->lives; i++) {
		const struct ts_life *life = lives_life(w, i);
		uint32_t last = life->end == UINT32_MAX ? life->start : life->end;

		if (last >= TS_LIVES_TOTALS)
			return 0;
		steps = last >= steps ? (size_t)last + 1 : steps;
	}
	return steps;
}

static enum ts_code
sum_up(struct lives_work *w, struct ts_pile *totals, size_t steps, struct ts_err *err)
{
	struct ts_pile changes = {.small = w->variable.small};
	enum ts_code code = ts_pile_room(&changes, (steps + 1) * sizeof(struct change), w->cache,
		err);
	struct change *c = changes.memory, now = {0};
	struct ts_live_total *t;

	if (!code)
		code = ts_pile_room(totals, steps * sizeof(*t), w->cache, err);
	for (size_t i = 0; !code && i < w->lives; i++) {
		const struct ts_life *life = lives_life(w, i);
		int64_t bytes = lives_variable(w, life->variable)->bytes;

		c[life->start].bytes += bytes;
		c[life->start].count++;
		if (life->end != UINT32_MAX) {
			c[life->end].bytes -= bytes;
			c[life->end].count--;
		}
	}
	t = totals->memory;
	for (size_t i = 0; !code && i < steps; i++) {
		now.bytes += c[i].bytes;
		now.count += c[i].count;
		t[i].count = now.count;
		t[i].bytes = now.bytes > TS_NUMBER_MAX ? TS_NUMBER_MAX : (int64_t)now.bytes;
	}
	ts_pile_fini(&changes);
	return code;
}

enum ts_code
lives_order(struct lives_work *w, struct ts_err *err)
{
	enum ts_code code = sort_lives(w, err);
	size_t steps;

	if (!code)
		code = order_by_size(w, err);
	steps = code ? 0 : steps_with_totals(w);
	if (!code && steps > 0)
		code = sum_up(w, &w->l->pile[2], steps, err);
	w->l->totals = steps;
	return code;
}

/* --- all of it -------------------------------------------------------------------------------- */

enum ts_code
lives_begin(struct lives_work *w, struct ts_reader *rd, const struct ts_cache *cache,
	struct ts_err *err)
{
	*w = (struct lives_work){.rd = rd,
		.cache = cache,
		.steps = TS_UNKNOWN,
		.l = ts_alloc(1, sizeof(*w->l))};
	if (!w->l)
		return ts_err_nomem(err);
	atomic_init(&w->l->uses, 1);
	return TS_OK;
}

enum ts_code
lives_finish(struct ts_lives **out, struct lives_work *w, enum ts_code code)
{
	struct ts_lives *l = w->l;

	ts_pile_fini(&w->change);
	l->pile[0] = w->life;
	l->pile[1] = w->variable;
	if (code && code != TS_E_DAMAGED) {
		ts_lives_close(l);
		return code;
	}
	l->count = w->lives;
	l->life = w->life.memory;
	l->variables = w->variables;
	l->variable = w->variable.memory;
	l->total = l->pile[2].memory;
	*out = l;
	return code;
}

static enum ts_code
read_all(struct lives_work *w, struct ts_progress *progress, struct ts_err *err)
{
	struct ts_err second;
	enum ts_code damage, code;

	w->by_class = ts_report_has_column(w->rd->report, TS_LIVENESS_VARIABLE,
		TS_LIVENESS_VARIABLE_BYTES);
	damage = w->by_class ? TS_OK : read_relation(w, false, progress, err);

	if (damage && damage != TS_E_DAMAGED)
		return damage;
	code = ts_live_steps_read(&w->steps, w->rd, &second);
	if (code == TS_E_DAMAGED) { /* the timeline says so; there may be more steps */
		w->steps = TS_UNKNOWN;
		code = TS_OK;
	}
	if (!code && !w->by_class)
		code = sort_variables(w, &second);
	if (!code) {
		code = read_relation(w, true, progress, &second);
		if ((!code || code == TS_E_DAMAGED) && w->by_class) {
			enum ts_code ended = end_variable(w, &second);

			code = ended ? ended : code;
		}
		if (code == TS_E_DAMAGED && !damage) {
			damage = code;
			if (err)
				*err = second;
		}
		code = code == TS_E_DAMAGED ? TS_OK : code;
	}
	if (!code)
		code = lives_order(w, &second);
	if (code && err)
		*err = second;
	return code ? code : damage;
}

enum ts_code
ts_lives_read_rows(struct ts_lives **out, struct ts_reader *rd, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err)
{
	struct lives_work w;
	enum ts_code code = lives_begin(&w, rd, cache, err);

	*out = NULL;
	return code ? code : lives_finish(out, &w, read_all(&w, progress, err));
}

enum ts_code
ts_lives_read(struct ts_lives **out, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	enum ts_code code = ts_lives_indexed(out, rd->index, err);

	if (code || *out)
		return code;
	return ts_lives_read_rows(out, rd, NULL, progress, err);
}

struct ts_lives *
ts_lives_hold(struct ts_lives *l)
{
	atomic_fetch_add(&l->uses, 1);
	return l;
}

void
ts_lives_close(struct ts_lives *l)
{
	if (!l || atomic_fetch_sub(&l->uses, 1) > 1)
		return;
	for (size_t i = 0; i < TS_COUNT(l->pile); i++)
		ts_pile_fini(&l->pile[i]);
	ts_index_release(l->index);
	free(l);
}
