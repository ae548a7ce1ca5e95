/* SPDX-License-Identifier: MIT */
/*
 * execution - two passes: the class of every step, then the cycles of every (step, IPU).
 *
 * Joined through half a byte a step rather than by SQL: a join without an index builds one per query,
 * and rows need not stand in any order. The passes of the index add rows with the same functions, so
 * that its sums are these.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/hash.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/execution.h"
#include "tilescope/report/index_lanes.h"

enum { PROGRESS_ROWS = 8192 };

const int ts_step_columns[TS_STEP_Q_COUNT] = {TS_STEP_STEP, TS_STEP_TYPE, TS_STEP_SYNC_TYPE,
	TS_STEP_PROGRAM, TS_STEP_COMPUTE_SET, TS_STEP_NAME};

enum ts_code
ts_step_names_read(struct ts_step_names *n, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_err second = {0};
	enum ts_code code, more;

	memset(n, 0, sizeof(*n));
	code = ts_names_read(&n->programs, rd, TS_PROGRAM, TS_PROGRAM_PROGRAM, TS_PROGRAM_NAME,
		err);
	more = ts_names_read(&n->compute_sets, rd, TS_COMPUTE_SET, TS_COMPUTE_SET_COMPUTE_SET,
		TS_COMPUTE_SET_NAME, &second);
	if (!code && more && err)
		*err = second;
	return code ? code : more;
}

void
ts_step_names_fini(struct ts_step_names *n)
{
	ts_names_fini(&n->programs);
	ts_names_fini(&n->compute_sets);
}

bool
ts_step_names_share(struct ts_step_names *to, const struct ts_step_names *from)
{
	if (from->programs.rows >= 0 && from->compute_sets.rows >= 0 &&
		ts_names_share(&to->programs, &from->programs) &&
		ts_names_share(&to->compute_sets, &from->compute_sets))
		return true;
	ts_names_fini(&to->programs);
	return false;
}

static bool
number_at(struct ts_rows *rows, int place, int64_t *v)
{
	return place >= 0 && ts_rows_number(rows, place, v) == TS_VALUE_OK;
}

const char *
ts_step_name_of(struct ts_rows *rows, const int place[TS_STEP_Q_COUNT],
	const struct ts_step_names *names, size_t *n)
{
	const char *s = NULL;
	int64_t id;

	if (place[TS_STEP_Q_NAME] >= 0 &&
		ts_rows_text(rows, place[TS_STEP_Q_NAME], &s, n) == TS_VALUE_OK)
		return s;
	s = NULL;
	if (number_at(rows, place[TS_STEP_Q_COMPUTE_SET], &id))
		s = ts_names_find(&names->compute_sets, id, n);
	if (!s && number_at(rows, place[TS_STEP_Q_PROGRAM], &id))
		s = ts_names_find(&names->programs, id, n);
	return s;
}

const char *
ts_step_name(struct ts_rows *rows, const struct ts_step_names *names, size_t *n)
{
	static const int place[TS_STEP_Q_COUNT] = {TS_STEP_Q_STEP, TS_STEP_Q_TYPE,
		TS_STEP_Q_SYNC_TYPE, TS_STEP_Q_PROGRAM, TS_STEP_Q_COMPUTE_SET, TS_STEP_Q_NAME};

	return ts_step_name_of(rows, place, names, n);
}

enum ts_step_class
ts_step_class_row(struct ts_rows *rows)
{
	const char *type, *sync;
	size_t n, sync_n;

	if (ts_rows_text(rows, TS_STEP_Q_TYPE, &type, &n) != TS_VALUE_OK)
		return TS_CLASS_CONTROL;
	if (ts_rows_text(rows, TS_STEP_Q_SYNC_TYPE, &sync, &sync_n) != TS_VALUE_OK)
		sync = NULL;
	return ts_step_class_of(type, n, sync, sync_n);
}

/* --- the class of every step ------------------------------------------------------------------ */

struct ts_step_page {
	int64_t number; /* step / TS_STEP_PAGE */
	UT_hash_handle hh;
	unsigned char nibbles[TS_STEP_PAGE / 2];
};

static struct ts_step_page *
find_page(struct ts_step_classes *c, int64_t number)
{
	if (!c->last || c->last->number != number)
		HASH_FIND(hh, c->pages, &number, sizeof(number), c->last);
	return c->last;
}

static bool
add_page(struct ts_step_classes *c, struct ts_step_page *page)
{
	HASH_ADD(hh, c->pages, number, sizeof(page->number), page);
	c->last = page->hh.tbl ? page : NULL;
	return c->last != NULL;
}

/* The page of a step, made if need be; *out is NULL when there are too many. */
static enum ts_code
page_of(struct ts_step_page **out, struct ts_step_classes *c, int64_t step, struct ts_err *err)
{
	struct ts_step_page *page = *out = find_page(c, step / TS_STEP_PAGE);

	if (page || HASH_COUNT(c->pages) >= TS_STEP_PAGES)
		return TS_OK;
	page = ts_alloc(1, sizeof(*page));
	if (!page)
		return ts_err_nomem(err);
	page->number = step / TS_STEP_PAGE;
	memset(page->nibbles, TS_NO_STEP << 4 | TS_NO_STEP, sizeof(page->nibbles));
	if (!add_page(c, page)) {
		free(page);
		return ts_err_nomem(err);
	}
	*out = page;
	return TS_OK;
}

enum ts_code
ts_step_classes_add(struct ts_step_classes *c, int64_t step, enum ts_step_class k,
	struct ts_err *err)
{
	int shift = (int)(step % 2) * 4;
	struct ts_step_page *page;
	unsigned char *two;
	enum ts_code code = page_of(&page, c, step, err);

	if (code)
		return code;
	c->steps++;
	if (!page) {
		c->left_out++;
		return TS_OK;
	}
	two = &page->nibbles[step % TS_STEP_PAGE / 2];
	*two = (unsigned char)((*two & ~(0xf << shift)) | (int)k << shift);
	return TS_OK;
}

/* Steps of `from` stand over those of `to`. */
static void
overlay(struct ts_step_page *to, const struct ts_step_page *from)
{
	for (size_t i = 0; i < sizeof(to->nibbles); i++)
		for (int mask = 0xf; mask <= 0xf0; mask <<= 4)
			if ((from->nibbles[i] & mask) != mask)
				to->nibbles[i] = (unsigned char)((to->nibbles[i] & ~mask) |
					(from->nibbles[i] & mask));
}

enum ts_code
ts_step_classes_merge(struct ts_step_classes *to, struct ts_step_classes *from, struct ts_err *err)
{
	struct ts_step_page *page, *next;
	enum ts_code code = TS_OK;

	HASH_ITER(hh, from->pages, page, next) {
		struct ts_step_page *have = find_page(to, page->number);

		HASH_DEL(from->pages, page);
		if (have)
			overlay(have, page);
		else if (HASH_COUNT(to->pages) >= TS_STEP_PAGES)
			to->left_out++;
		else if (add_page(to, page))
			continue;
		else
			code = ts_err_nomem(err);
		free(page);
	}
	from->last = NULL;
	to->steps += from->steps;
	to->bad_rows += from->bad_rows;
	to->left_out += from->left_out;
	return code;
}

static int
by_number(const struct ts_step_page *a, const struct ts_step_page *b)
{
	return a->number < b->number ? -1 : a->number > b->number;
}

bool
ts_step_classes_next(struct ts_step_classes *c, struct ts_step_page **page, int64_t *number,
	const unsigned char **nibbles)
{
	if (!*page)
		HASH_SORT(c->pages, by_number);
	*page = *page ? (*page)->hh.next : c->pages;
	if (!*page)
		return false;
	*number = (*page)->number;
	*nibbles = (*page)->nibbles;
	return true;
}

static enum ts_code
read_classes(struct ts_step_classes *c, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	const struct ts_reach *reach = &rd->report->binding[TS_STEP].reach;
	struct ts_rows_query q = {.column_count = TS_STEP_Q_COUNT, .past_damage = true};
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	memcpy(q.columns, ts_step_columns, sizeof(ts_step_columns));
	code = ts_reader_rows(&rows, rd, TS_STEP, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		int64_t step;

		if (ts_rows_number(rows, TS_STEP_Q_STEP, &step) != TS_VALUE_OK) {
			c->bad_rows++;
			continue;
		}
		code = ts_step_classes_add(c, step, ts_step_class_row(rows), err);
		if (code)
			break;
		if (c->steps % PROGRESS_ROWS == 0)
			ts_progress_set(progress, c->steps, ts_reach_span(reach));
	}
	ts_rows_close(rows);
	return code;
}

enum ts_code
ts_step_classes_read(struct ts_step_classes *c, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	*c = (struct ts_step_classes){0};
	if (!ts_steps_open(&c->indexed, rd->index))
		return read_classes(c, rd, progress, err);
	c->steps = c->indexed.head->steps;
	c->bad_rows = c->indexed.head->bad_rows;
	return TS_OK;
}

void
ts_step_classes_fini(struct ts_step_classes *c)
{
	struct ts_step_page *page, *next;

	HASH_ITER(hh, c->pages, page, next) {
		HASH_DEL(c->pages, page);
		free(page);
	}
	ts_steps_close(&c->indexed);
	*c = (struct ts_step_classes){0};
}

int
ts_step_classes_find(struct ts_step_classes *c, int64_t step)
{
	struct ts_step_page *page;
	int found;

	if (c->indexed.head)
		return ts_steps_class(&c->indexed, step);
	page = find_page(c, step / TS_STEP_PAGE);
	found = page ? page->nibbles[step % TS_STEP_PAGE / 2] >> step % 2 * 4 & 0xf : TS_NO_STEP;
	return found >= TS_CLASS_COUNT ? -1 : found;
}

/* --- sums by IPU ------------------------------------------------------------------------------ */

const int ts_execution_columns[TS_X_COUNT] = {TS_STEP_IPU_STEP, TS_STEP_IPU_IPU, TS_STEP_IPU_CYCLES,
	TS_STEP_IPU_START, TS_STEP_IPU_END};

void
ts_execution_row_get(struct ts_execution_row *row, struct ts_rows *rows)
{
	row->all = true;
	for (int i = 0; i < TS_X_COUNT; i++) {
		row->ok[i] = ts_rows_number(rows, i, &row->v[i]) == TS_VALUE_OK;
		row->all &= row->ok[i];
	}
}

void
ts_execution_row_of(struct ts_execution_row *row, const struct ts_rows_block *b)
{
	row->all = true;
	for (int i = 0; i < TS_X_COUNT; i++) {
		row->ok[i] = b->is[i] == TS_VALUE_OK;
		row->all &= row->ok[i];
	}
}

/* Index of the first IPU that is not below. */
static int
find_ipu(const struct ts_execution *x, int64_t ipu)
{
	int low = 0, high = x->count;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (x->ipu[middle].ipu < ipu)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The sums of an IPU, kept sorted; *out is NULL when there are too many. */
static enum ts_code
ipu_of(struct ts_ipu_cycles **out, struct ts_execution *x, int64_t ipu, struct ts_err *err)
{
	struct ts_ipu_cycles *bigger;
	int i = x->hint < x->count ? x->hint : 0; /* rows of the IPUs take turns */

	*out = NULL;
	if (x->count == 0 || x->ipu[i].ipu != ipu)
		i = find_ipu(x, ipu);
	x->hint = i + 1;
	if (i < x->count && x->ipu[i].ipu == ipu)
		*out = &x->ipu[i];
	else if (x->count == TS_IPUS_MAX)
		x->limited = true;
	if (*out || x->count == TS_IPUS_MAX)
		return TS_OK;
	bigger = ts_resize(x->ipu, (size_t)x->count + 1, sizeof(*bigger));
	if (!bigger)
		return ts_err_nomem(err);
	x->ipu = bigger;
	memmove(&x->ipu[i + 1], &x->ipu[i], (size_t)(x->count - i) * sizeof(*x->ipu));
	x->count++;
	x->ipu[i] =
		(struct ts_ipu_cycles){.ipu = ipu, .first_start = INT64_MAX, .last_end = INT64_MIN};
	*out = &x->ipu[i];
	return TS_OK;
}

static void
add_cycles(struct ts_execution *x, struct ts_ipu_cycles *k, const int64_t *v, int class_of)
{
	if (!k || !ts_add_i64(&k->step_cycles, v[TS_X_CYCLES])) {
		x->limited = true;
		x->bad_rows++;
		return;
	}
	k->by_class[class_of] += v[TS_X_CYCLES]; /* at most step_cycles */
	k->first_start = ts_min_i64(k->first_start, v[TS_X_START]);
	k->last_end = ts_max_i64(k->last_end, v[TS_X_END]);
	x->reversed += v[TS_X_END] < v[TS_X_START];
}

enum ts_code
ts_execution_add(struct ts_execution *x, const struct ts_execution_row *row, int class_of,
	struct ts_err *err)
{
	struct ts_ipu_cycles *k = NULL;
	enum ts_code code = TS_OK;

	if (ts_execution_add_quickly(x, row, class_of))
		return TS_OK;
	x->rows++;
	if (row->ok[TS_X_IPU])
		code = ipu_of(&k, x, row->v[TS_X_IPU], err);
	if (code)
		return code;
	if (!row->all) {
		x->bad_rows++;
		return TS_OK;
	}
	if (class_of < 0)
		x->orphans++;
	else
		add_cycles(x, k, row->v, class_of);
	return TS_OK;
}

enum ts_code
ts_execution_merge(struct ts_execution *x, const struct ts_execution *from, struct ts_err *err)
{
	x->limited |= from->limited;
	for (int i = 0; i < from->count; i++) {
		const struct ts_ipu_cycles *more = &from->ipu[i];
		struct ts_ipu_cycles *k;
		enum ts_code code = ipu_of(&k, x, more->ipu, err);

		if (code)
			return code;
		if (!k || !ts_add_i64(&k->step_cycles, more->step_cycles)) {
			x->limited = true;
			break;
		}
		for (int c = 0; c < TS_CLASS_COUNT; c++)
			k->by_class[c] += more->by_class[c];
		k->first_start = ts_min_i64(k->first_start, more->first_start);
		k->last_end = ts_max_i64(k->last_end, more->last_end);
	}
	if (x->limited)
		return ts_err_set(err, TS_E_LIMIT,
			"sums of the steps by IPU are beyond their limit");
	x->rows += from->rows;
	x->bad_rows += from->bad_rows;
	x->orphans += from->orphans;
	x->reversed += from->reversed;
	return TS_OK;
}

/* IPUs that have no row that counts are known to exist, and that is all. */
void
ts_execution_finish(struct ts_execution *x)
{
	int kept = 0;

	x->step_ipus = x->count;
	for (int i = 0; i < x->count; i++)
		if (x->ipu[i].last_end != INT64_MIN)
			x->ipu[kept++] = x->ipu[i];
	x->count = kept;
}

static enum ts_code
read_execution(struct ts_execution *x, struct ts_reader *rd, struct ts_step_classes *classes,
	struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_reach *reach = &rd->report->binding[TS_STEP_IPU].reach;
	struct ts_rows_query q = {.column_count = TS_X_COUNT, .past_damage = true};
	struct ts_execution_row row;
	struct ts_rows_block b;
	struct ts_rows *rows;
	enum ts_code code;
	int64_t told = 0;

	memcpy(q.columns, ts_execution_columns, sizeof(ts_execution_columns));
	code = ts_reader_rows(&rows, rd, TS_STEP_IPU, &q, err);
	if (code)
		return code;
	while (!code && !(code = ts_rows_block(rows, &b, err)) && b.rows > 0) {
		ts_execution_row_of(&row, &b);
		for (int k = 0; k < b.rows && !code; k++) {
			ts_execution_row_at(&row, &b, k);
			code = ts_execution_add(x, &row,
				classes && row.ok[TS_X_STEP]
					? ts_step_classes_find(classes, row.v[TS_X_STEP])
					: -1,
				err);
		}
		if (x->rows - told >= PROGRESS_ROWS)
			ts_progress_set(progress, told = x->rows, ts_reach_span(reach));
	}
	ts_rows_close(rows);
	ts_execution_finish(x);
	return code;
}

enum ts_code
ts_execution_read(struct ts_execution *x, struct ts_reader *rd, struct ts_step_classes *classes,
	struct ts_progress *progress, struct ts_err *err)
{
	bool has_steps = ts_report_has(rd->report, TS_STEP);
	enum ts_code code;

	*x = (struct ts_execution){0};
	if (ts_lanes_execution(x, rd->index, &code, err))
		return code;
	code = read_execution(x, rd, has_steps ? classes : NULL, progress, err);
	if (!code && !has_steps)
		code = ts_err_set(err, TS_E_ABSENT, "step: %s",
			rd->report->binding[TS_STEP].reason);
	return code;
}

void
ts_execution_fini(struct ts_execution *x)
{
	free(x->ipu);
	*x = (struct ts_execution){0};
}
