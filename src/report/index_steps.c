/* SPDX-License-Identifier: MIT */
/*
 * index_steps - the pass over the steps, and what it leaves behind.
 *
 * Parts hold their classes in memory (half a byte a step, TS_STEP_PAGES pages at most) and the anchors,
 * these only from the first missing row id on. The payload is written when all parts are merged:
 * pages, anchors, directories, and the head last of all. A table that cannot be read to its end, or
 * that has more steps than are kept, gets no section: the figures then come from its rows.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/execution.h"
#include "tilescope/report/index_steps.h"

enum { PROGRESS_ROWS = 8192 };

/* --- a part ----------------------------------------------------------------------------------- */

struct part {
	struct ts_step_classes classes;
	int64_t rows;
	int64_t first_rowid, last_rowid;
	int64_t first_step, last_step, least_step, most_step; /* -1 = none */
	int64_t *anchor;
	size_t anchors, cap;
	bool has_rowid, gap, falls, uneven;
	int64_t names[TS_STEPS_NAMES], bad_names[TS_STEPS_NAMES];
};

static bool
add_anchor(struct part *p, int64_t rowid)
{
	void *a = p->anchor;

	if (!ts_room(&a, &p->cap, p->anchors, sizeof(*p->anchor)))
		return false;
	p->anchor = a;
	p->anchor[p->anchors++] = rowid;
	return true;
}

/* Up to here no row id was missing. */
static bool
add_even_anchors(struct part *p)
{
	for (int64_t row = 0; row < p->rows; row += TS_STEP_ANCHOR)
		if (!add_anchor(p, p->first_rowid + row))
			return false;
	return true;
}

/* Note the row id of the next row. */
static bool
note_rowid(struct part *p, int64_t rowid)
{
	if (p->rows == 0)
		p->first_rowid = rowid;
	else if (!p->gap && rowid - 1 != p->last_rowid) {
		if (!add_even_anchors(p))
			return false;
		p->gap = true;
	}
	p->last_rowid = rowid;
	return !p->gap || p->rows % TS_STEP_ANCHOR != 0 || add_anchor(p, rowid);
}

static void
note_step(struct part *p, int64_t step)
{
	if (p->first_step < 0) {
		p->first_step = p->least_step = p->most_step = step;
		p->uneven |= p->rows > 0;
	} else {
		p->falls |= step < p->last_step;
		p->uneven |= step - 1 != p->last_step;
	}
	p->last_step = step;
	p->least_step = ts_min_i64(p->least_step, step);
	p->most_step = ts_max_i64(p->most_step, step);
}

static enum ts_code
take_row(struct part *p, struct ts_rows *rows, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	int64_t step, rowid;

	p->has_rowid = ts_rows_rowid(rows, &rowid);
	if (p->has_rowid && !note_rowid(p, rowid))
		return ts_err_nomem(err);
	if (ts_rows_number(rows, TS_STEP_Q_STEP, &step) == TS_VALUE_OK) {
		note_step(p, step);
		code = ts_step_classes_add(&p->classes, step, ts_step_class_row(rows), err);
	} else {
		p->uneven = true;
		p->classes.bad_rows++;
	}
	p->rows++;
	return code;
}

static enum ts_code
read_rows(struct ts_pass_part *part, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = TS_STEP_Q_COUNT,
		.range = part->range,
		.from = part->from,
		.to = part->to};
	struct part *p = part->state;
	int64_t total = ts_pass_part_span(part);
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	memcpy(q.columns, ts_step_columns, sizeof(ts_step_columns));
	code = ts_reader_rows(&rows, rd, TS_STEP, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		code = take_row(p, rows, err);
		if (code)
			break;
		if (p->rows % PROGRESS_ROWS == 0)
			ts_progress_set(progress, p->rows, total);
	}
	ts_rows_close(rows);
	ts_progress_set(progress, p->rows, total);
	return code;
}

static enum ts_code
pass_part(struct ts_pass_part *part, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct part *p = part->state;
	struct ts_step_names names;
	enum ts_code code;

	p->first_step = p->last_step = p->least_step = p->most_step = -1;
	code = ts_step_names_read(&names, rd, err);
	p->names[TS_STEPS_PROGRAMS] = names.programs.rows;
	p->names[TS_STEPS_COMPUTE_SETS] = names.compute_sets.rows;
	p->bad_names[TS_STEPS_PROGRAMS] = names.programs.bad_rows;
	p->bad_names[TS_STEPS_COMPUTE_SETS] = names.compute_sets.bad_rows;
	if (!code)
		code = read_rows(part, rd, progress, err);
	ts_step_names_fini(&names);
	if (!code && p->classes.left_out)
		code = ts_err_set(err, TS_E_LIMIT, "more steps than are kept");
	return code;
}

static void
part_fini(struct ts_pass_part *part)
{
	struct part *p = part->state;

	ts_step_classes_fini(&p->classes);
	free(p->anchor);
}

/* --- together --------------------------------------------------------------------------------- */

/* Part p comes behind what h has. */
static void
join_part(struct ts_steps_head *h, const struct part *p)
{
	bool falls = p->falls, uneven = p->uneven;

	if (h->rows == 0)
		h->first_rowid = p->first_rowid;
	else if (p->has_rowid && p->first_rowid - 1 != h->last_rowid)
		h->flags |= TS_STEPS_GAPS;
	h->last_rowid = p->last_rowid;
	if (p->has_rowid)
		h->flags |= TS_STEPS_HAVE_ROWID;
	if (p->gap)
		h->flags |= TS_STEPS_GAPS;
	if (h->first_step < 0) {
		h->first_step = p->first_step;
		h->least_step = p->least_step;
		h->most_step = p->most_step;
	} else if (p->first_step >= 0) {
		falls |= p->first_step < h->last_step;
		uneven |= p->first_step - 1 != h->last_step;
		h->least_step = ts_min_i64(h->least_step, p->least_step);
		h->most_step = ts_max_i64(h->most_step, p->most_step);
	}
	if (p->last_step >= 0)
		h->last_step = p->last_step;
	if (falls)
		h->flags |= TS_STEPS_FALL;
	if (uneven)
		h->flags &= ~(int64_t)TS_STEPS_DENSE;
	h->rows += p->rows;
}

static enum ts_code
write_pages(struct ts_steps_head *h, struct ts_step_classes *c, struct ts_section_writer *w,
	struct ts_err *err)
{
	struct ts_steps_page *dir = ts_alloc(TS_STEP_PAGES, sizeof(*dir));
	struct ts_step_page *page = NULL;
	const unsigned char *nibbles;
	enum ts_code code = dir ? TS_OK : ts_err_nomem(err);

	while (!code && h->pages < TS_STEP_PAGES &&
		ts_step_classes_next(c, &page, &dir[h->pages].number, &nibbles)) {
		code = ts_section_append(w, &dir[h->pages].at, nibbles, TS_STEP_PAGE / 2, err);
		h->pages++;
	}
	if (!code)
		code = ts_section_append(w, &h->pages_at, dir, h->pages * sizeof(*dir), err);
	free(dir);
	return code;
}

static enum ts_code
write_anchors(struct ts_steps_head *h, struct ts_pass_part *parts, int count,
	struct ts_section_writer *w, struct ts_err *err)
{
	struct ts_steps_stretch dir[TS_PASS_PARTS];
	int64_t row = 0;
	enum ts_code code = TS_OK;

	for (int i = 0; i < count && !code; i++) {
		struct part *p = parts[i].state;
		struct ts_steps_stretch *s = &dir[h->stretches];

		if (p->rows == 0)
			continue;
		if (!p->gap && !add_even_anchors(p))
			return ts_err_nomem(err);
		*s = (struct ts_steps_stretch){.row = row,
			.rows = p->rows,
			.rowid = p->first_rowid};
		code = ts_section_append(w, &s->anchors_at, p->anchor,
			p->anchors * sizeof(*p->anchor), err);
		row += p->rows;
		h->stretches++;
	}
	if (!code)
		code = ts_section_append(w, &h->stretches_at, dir, h->stretches * sizeof(*dir),
			err);
	return code;
}

static enum ts_code
pass_finish(struct ts_pass_run *run, struct ts_pass_part *parts, int count, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	struct ts_steps_head h = {.flags = TS_STEPS_DENSE,
		.first_step = -1,
		.last_step = -1,
		.least_step = -1,
		.most_step = -1};
	struct ts_section_writer *w = run->writer[0];
	struct ts_step_classes all = {0};
	uint64_t head_at;
	enum ts_code code = ts_section_append(w, &head_at, &h, sizeof(h), err);

	(void)rd;
	(void)progress;
	for (int i = 0; i < count && !code; i++) {
		struct part *p = parts[i].state;

		if (p->rows > 0)
			join_part(&h, p);
		memcpy(h.names, p->names, sizeof(h.names)); /* all parts have read all of them */
		memcpy(h.bad_names, p->bad_names, sizeof(h.bad_names));
		code = ts_step_classes_merge(&all, &p->classes, err);
	}
	if (!code && all.left_out)
		code = ts_err_set(err, TS_E_LIMIT, "more steps than are kept");
	h.steps = all.steps;
	h.bad_rows = all.bad_rows;
	if (!code)
		code = write_pages(&h, &all, w, err);
	if (!code && h.flags & TS_STEPS_GAPS)
		code = write_anchors(&h, parts, count, w, err);
	if (!code)
		code = ts_section_put(w, head_at, &h, sizeof(h), err);
	ts_step_classes_fini(&all);
	return code;
}

static bool
can(const struct ts_report *r)
{
	return ts_report_has(r, TS_STEP);
}

const struct ts_pass ts_pass_steps = {
	.what = "steps",
	.relation = TS_STEP,
	.section = {TS_SECTION_STEPS, TS_SECTION_COUNT},
	.can = can,
	.part_size = sizeof(struct part),
	.part = pass_part,
	.finish = pass_finish,
	.part_fini = part_fini,
};

/* --- reading ---------------------------------------------------------------------------------- */

static bool
sound(const struct ts_steps *s)
{
	const struct ts_steps_head *h = s->head;
	int64_t row = 0;

	if (!s->page || !s->stretch || h->rows < 0 || h->steps < 0 || h->bad_rows < 0 ||
		h->names[TS_STEPS_PROGRAMS] < 0 || h->names[TS_STEPS_COMPUTE_SETS] < 0 ||
		h->bad_names[TS_STEPS_PROGRAMS] < 0 || h->bad_names[TS_STEPS_COMPUTE_SETS] < 0 ||
		h->pages > TS_STEP_PAGES || h->stretches > TS_PASS_PARTS)
		return false;
	for (uint64_t i = 0; i < h->pages; i++)
		if (s->page[i].number < (i > 0 ? s->page[i - 1].number + 1 : 0) ||
			s->page[i].number > TS_NUMBER_MAX ||
			!ts_section_at(s->payload, s->size, s->page[i].at, TS_STEP_PAGE / 2, 1))
			return false;
	for (uint64_t i = 0; i < h->stretches; i++) {
		const struct ts_steps_stretch *k = &s->stretch[i];

		if (k->row != row || k->rows <= 0 || k->rows > h->rows - row ||
			!ts_section_at(s->payload, s->size, k->anchors_at,
				(uint64_t)((k->rows - 1) / TS_STEP_ANCHOR + 1), sizeof(int64_t)))
			return false;
		row += k->rows;
	}
	return !(h->flags & TS_STEPS_GAPS) || row == h->rows;
}

bool
ts_steps_open(struct ts_steps *s, struct ts_index *x)
{
	*s = (struct ts_steps){0};
	s->payload = ts_index_section(x, TS_SECTION_STEPS, &s->size);
	if (!s->payload)
		return false;
	s->head = ts_section_at(s->payload, s->size, 0, 1, sizeof(*s->head));
	if (s->head) {
		s->page = ts_section_at(s->payload, s->size, s->head->pages_at, s->head->pages,
			sizeof(*s->page));
		s->stretch = ts_section_at(s->payload, s->size, s->head->stretches_at,
			s->head->stretches, sizeof(*s->stretch));
	}
	if (!s->head || !sound(s)) {
		*s = (struct ts_steps){0};
		return false;
	}
	s->index = ts_index_hold(x);
	return true;
}

void
ts_steps_counts(struct ts_step_names *n, const struct ts_steps *s)
{
	*n = (struct ts_step_names){.programs = {.rows = s->head->names[TS_STEPS_PROGRAMS],
					    .bad_rows = s->head->bad_names[TS_STEPS_PROGRAMS]},
		.compute_sets = {.rows = s->head->names[TS_STEPS_COMPUTE_SETS],
			.bad_rows = s->head->bad_names[TS_STEPS_COMPUTE_SETS]}};
}

void
ts_steps_close(struct ts_steps *s)
{
	ts_index_release(s->index);
	*s = (struct ts_steps){0};
}

int
ts_steps_class(const struct ts_steps *s, int64_t step)
{
	int64_t number = step / TS_STEP_PAGE, n = (int64_t)s->head->pages, low, high = n;
	const unsigned char *nibbles;
	int k;

	if (step < 0 || n == 0)
		return -1;
	low = number - s->page[0].number; /* there it is where none is missing */
	if (low < 0 || low >= n || s->page[low].number != number) {
		for (low = 0; low < high;) {
			int64_t middle = low + (high - low) / 2;

			if (s->page[middle].number < number)
				low = middle + 1;
			else
				high = middle;
		}
		if (low == n || s->page[low].number != number)
			return -1;
	}
	nibbles = (const unsigned char *)s->payload + s->page[low].at;
	k = nibbles[step % TS_STEP_PAGE / 2] >> step % 2 * 4 & 0xf;
	return k >= TS_CLASS_COUNT ? -1 : k;
}

/* --- rows and row ids ------------------------------------------------------------------------- */

/* Of the rows at or behind row id `from`: the row id of row `skip`, and how many are below `to`. */
static enum ts_code
walk(int64_t *rowid, int64_t *below, struct ts_reader *rd, int64_t from, int64_t to, int64_t skip,
	struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_STEP_STEP},
		.column_count = 1,
		.range = TS_RANGE_ROWID,
		.from = from,
		.to = to,
		.limit = skip + 1};
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, rd, TS_STEP, &q, err);
	bool there;

	*below = 0;
	if (code)
		return code;
	for (int64_t i = 0; i <= skip; i++) {
		code = ts_rows_next(rows, &there, err);
		if (code || !there || !ts_rows_rowid(rows, rowid))
			break;
		++*below;
	}
	ts_rows_close(rows);
	return code;
}

static const int64_t *
anchors_of(const struct ts_steps *s, const struct ts_steps_stretch *k)
{
	return (const int64_t *)((const char *)s->payload + k->anchors_at);
}

enum ts_code
ts_steps_rowid(int64_t *rowid, const struct ts_steps *s, struct ts_reader *rd, int64_t row,
	struct ts_err *err)
{
	const struct ts_steps_stretch *k = s->stretch;
	int64_t below;

	row = ts_clamp_i64(row, 0, ts_max_i64(s->head->rows - 1, 0));
	*rowid = s->head->first_rowid;
	if (!(s->head->flags & TS_STEPS_GAPS)) {
		*rowid = (int64_t)((uint64_t)*rowid + (uint64_t)row);
		return TS_OK;
	}
	while (row - k->row >= k->rows) /* the stretches have all rows */
		k++;
	row -= k->row;
	*rowid = anchors_of(s, k)[row / TS_STEP_ANCHOR];
	if (row % TS_STEP_ANCHOR == 0)
		return TS_OK;
	return walk(rowid, &below, rd, *rowid, INT64_MAX, row % TS_STEP_ANCHOR, err);
}

enum ts_code
ts_steps_row(int64_t *row, const struct ts_steps *s, struct ts_reader *rd, int64_t rowid,
	struct ts_err *err)
{
	const struct ts_steps_stretch *k = s->stretch;
	int64_t low = 0, high, ignored, below;
	uint64_t i = 0;
	enum ts_code code;

	if (s->head->rows == 0 || rowid <= s->head->first_rowid) {
		*row = 0;
		return TS_OK;
	}
	if (rowid > s->head->last_rowid) {
		*row = s->head->rows;
		return TS_OK;
	}
	if (!(s->head->flags & TS_STEPS_GAPS)) {
		*row = (int64_t)((uint64_t)rowid - (uint64_t)s->head->first_rowid);
		return TS_OK;
	}
	while (i + 1 < s->head->stretches && s->stretch[i + 1].rowid <= rowid)
		i++;
	k += i;
	high = (k->rows - 1) / TS_STEP_ANCHOR;
	while (low < high) { /* the last anchor that is not behind it */
		int64_t middle = low + (high - low + 1) / 2;

		if (anchors_of(s, k)[middle] <= rowid)
			low = middle;
		else
			high = middle - 1;
	}
	code = walk(&ignored, &below, rd, anchors_of(s, k)[low], rowid, TS_STEP_ANCHOR, err);
	*row = k->row + low * TS_STEP_ANCHOR + below;
	return code;
}
