/* SPDX-License-Identifier: MIT */
/*
 * execution - two passes: the class of every step, then the cycles of every (step, IPU).
 *
 * Joined through one byte a step rather than by SQL: a join without an index builds one per query,
 * and rows need not stand in any order.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/hash.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/execution.h"
#include "tilescope/report/rows.h"

enum { PROGRESS_ROWS = 8192, NO_STEP = 0xff };

const int ts_step_columns[TS_STEP_Q_COUNT] = {TS_STEP_STEP, TS_STEP_TYPE, TS_STEP_PROGRAM,
	TS_STEP_COMPUTE_SET, TS_STEP_NAME};

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

const char *
ts_step_name(struct ts_rows *rows, const struct ts_step_names *names, size_t *n)
{
	const char *s = NULL;
	int64_t id;

	if (ts_rows_text(rows, TS_STEP_Q_NAME, &s, n) == TS_VALUE_OK)
		return s;
	s = NULL;
	if (ts_rows_number(rows, TS_STEP_Q_COMPUTE_SET, &id) == TS_VALUE_OK)
		s = ts_names_find(&names->compute_sets, id, n);
	if (!s && ts_rows_number(rows, TS_STEP_Q_PROGRAM, &id) == TS_VALUE_OK)
		s = ts_names_find(&names->programs, id, n);
	return s;
}

enum ts_step_class
ts_step_class_row(struct ts_rows *rows, const struct ts_step_names *names)
{
	const char *type, *name;
	size_t n, name_n;
	bool external = false;

	if (ts_rows_text(rows, TS_STEP_Q_TYPE, &type, &n) != TS_VALUE_OK)
		return TS_CLASS_CONTROL;
	if (ts_step_class_needs_name(type, n)) {
		name = ts_step_name(rows, names, &name_n);
		external = name && ts_step_name_is_external(name, name_n);
	}
	return ts_step_class_of(type, n, external);
}

/* --- the class of every step ------------------------------------------------------------------ */

struct ts_step_page {
	int64_t number; /* step / TS_STEP_PAGE */
	UT_hash_handle hh;
	unsigned char class_of[TS_STEP_PAGE];
};

static struct ts_step_page *
find_page(struct ts_step_classes *c, int64_t number)
{
	if (!c->last || c->last->number != number)
		HASH_FIND(hh, c->pages, &number, sizeof(number), c->last);
	return c->last;
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
	memset(page->class_of, NO_STEP, sizeof(page->class_of));
	HASH_ADD(hh, c->pages, number, sizeof(page->number), page);
	if (!page->hh.tbl) {
		free(page);
		return ts_err_nomem(err);
	}
	*out = c->last = page;
	return TS_OK;
}

enum ts_code
ts_step_classes_read(struct ts_step_classes *c, struct ts_reader *rd,
	const struct ts_step_names *names, struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_reach *reach = &rd->report->binding[TS_STEP].reach;
	struct ts_rows_query q = {.column_count = TS_STEP_Q_COUNT};
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	*c = (struct ts_step_classes){0};
	memcpy(q.columns, ts_step_columns, sizeof(ts_step_columns));
	code = ts_reader_rows(&rows, rd, TS_STEP, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		struct ts_step_page *page;
		int64_t step;

		if (ts_rows_number(rows, TS_STEP_Q_STEP, &step) != TS_VALUE_OK) {
			c->bad_rows++;
			continue;
		}
		if (++c->steps % PROGRESS_ROWS == 0)
			ts_progress_set(progress, c->steps, ts_reach_span(reach));
		code = page_of(&page, c, step, err);
		if (code)
			break;
		if (page)
			page->class_of[step % TS_STEP_PAGE] = (unsigned char)ts_step_class_row(rows,
				names);
		else
			c->left_out++;
	}
	ts_rows_close(rows);
	return code;
}

void
ts_step_classes_fini(struct ts_step_classes *c)
{
	struct ts_step_page *page, *next;

	HASH_ITER(hh, c->pages, page, next) {
		HASH_DEL(c->pages, page);
		free(page);
	}
	*c = (struct ts_step_classes){0};
}

int
ts_step_classes_find(struct ts_step_classes *c, int64_t step)
{
	struct ts_step_page *page = find_page(c, step / TS_STEP_PAGE);
	int found = page ? page->class_of[step % TS_STEP_PAGE] : NO_STEP;

	return found == NO_STEP ? -1 : found;
}

/* --- sums by IPU ------------------------------------------------------------------------------ */

enum { X_STEP, X_IPU, X_CYCLES, X_START, X_END, X_COLUMNS };

static const int columns[X_COLUMNS] = {TS_STEP_IPU_STEP, TS_STEP_IPU_IPU, TS_STEP_IPU_CYCLES,
	TS_STEP_IPU_START, TS_STEP_IPU_END};

struct row {
	int64_t value[X_COLUMNS];
};

static bool
read_row(struct row *row, struct ts_rows *rows)
{
	for (int i = 0; i < X_COLUMNS; i++)
		if (ts_rows_number(rows, i, &row->value[i]) != TS_VALUE_OK)
			return false;
	return true;
}

/* The sums of an IPU, kept sorted; *out is NULL when there are too many. */
static enum ts_code
ipu_of(struct ts_ipu_cycles **out, struct ts_execution *x, int64_t ipu, struct ts_err *err)
{
	int i = 0;
	struct ts_ipu_cycles *bigger;

	*out = NULL;
	while (i < x->count && x->ipu[i].ipu < ipu)
		i++;
	if (i < x->count && x->ipu[i].ipu == ipu)
		*out = &x->ipu[i];
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
add_row(struct ts_execution *x, struct ts_ipu_cycles *k, const struct row *row, int class_of)
{
	if (!k || !ts_add_i64(&k->step_cycles, row->value[X_CYCLES])) {
		x->bad_rows++;
		return;
	}
	k->by_class[class_of] += row->value[X_CYCLES]; /* at most step_cycles */
	k->first_start = ts_min_i64(k->first_start, row->value[X_START]);
	k->last_end = ts_max_i64(k->last_end, row->value[X_END]);
	x->reversed += row->value[X_END] < row->value[X_START];
}

/* IPUs that have no row that counts are known to exist, and that is all. */
static void
drop_empty(struct ts_execution *x)
{
	int kept = 0;

	x->step_ipus = x->count;
	for (int i = 0; i < x->count; i++)
		if (x->ipu[i].last_end != INT64_MIN)
			x->ipu[kept++] = x->ipu[i];
	x->count = kept;
}

static enum ts_code
take_row(struct ts_execution *x, struct ts_rows *rows, struct ts_step_classes *classes,
	struct ts_err *err)
{
	struct ts_ipu_cycles *k = NULL;
	enum ts_code code = TS_OK;
	struct row row;
	int64_t ipu;
	int class_of;

	if (ts_rows_number(rows, X_IPU, &ipu) == TS_VALUE_OK)
		code = ipu_of(&k, x, ipu, err);
	if (code)
		return code;
	if (!read_row(&row, rows)) {
		x->bad_rows++;
		return TS_OK;
	}
	class_of = classes ? ts_step_classes_find(classes, row.value[X_STEP]) : -1;
	if (class_of < 0)
		x->orphans++;
	else
		add_row(x, k, &row, class_of);
	return TS_OK;
}

enum ts_code
ts_execution_read(struct ts_execution *x, struct ts_reader *rd, struct ts_step_classes *classes,
	struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_reach *reach = &rd->report->binding[TS_STEP_IPU].reach;
	struct ts_rows_query q = {.column_count = X_COLUMNS};
	bool there, has_steps = ts_report_has(rd->report, TS_STEP);
	struct ts_rows *rows;
	enum ts_code code;

	*x = (struct ts_execution){0};
	memcpy(q.columns, columns, sizeof(columns));
	code = ts_reader_rows(&rows, rd, TS_STEP_IPU, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		if (++x->rows % PROGRESS_ROWS == 0)
			ts_progress_set(progress, x->rows, ts_reach_span(reach));
		code = take_row(x, rows, has_steps ? classes : NULL, err);
		if (code)
			break;
	}
	ts_rows_close(rows);
	drop_empty(x);
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
