/* SPDX-License-Identifier: MIT */
/* liveness_lifetimes_rows - rows of the tab of lifetimes: made, named, arranged and written by workers. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/view/sheet.h"

#include "liveness_lifetimes.h"

enum { NAME = 14 };

/* --- made ------------------------------------------------------------------------------------- */

struct lifetimes_rows *
live_lifetimes_hold(struct lifetimes_rows *r)
{
	atomic_fetch_add(&r->uses, 1);
	return r;
}

void
live_lifetimes_close(struct lifetimes_rows *r)
{
	if (!r || atomic_fetch_sub(&r->uses, 1) > 1)
		return;
	ts_lifetimes_fini(&r->made);
	ts_alive_close(r->names);
	free(r);
}

void
live_lifetimes_question_fini(struct lifetimes_question *q)
{
	ts_lives_close(q->lives);
	ts_uses_close(q->uses);
	q->lives = NULL;
	q->uses = NULL;
}

/* Those of the marks that have a life here. Where none has, those that are alive are shown. */
static bool
find_marks(uint32_t *index, const struct lifetimes_question *q)
{
	bool some = false;

	if (!q->by_number)
		return false;
	ts_lives_find(index, q->lives, q->number, q->count);
	for (int i = 0; i < q->count; i++)
		some |= index[i] != UINT32_MAX;
	return some;
}

enum ts_code
live_lifetimes_read(struct lifetimes_rows **out, const struct lifetimes_question *q,
	struct ts_reader *rd, struct ts_err *err)
{
	struct lifetimes_rows *r = ts_alloc(1, sizeof(*r));
	uint32_t *index = ts_alloc((size_t)ts_max_i64(q->most, TS_MARKED_VARIABLES),
		sizeof(*index));
	int n = q->count;
	enum ts_code code = r && index ? TS_OK : ts_err_nomem(err);

	*out = NULL;
	if (!code) {
		atomic_init(&r->uses, 1);
		r->lowered = q->lives->lowered;
		r->of_marked = find_marks(index, q);
	}
	if (!code && !r->of_marked)
		code = ts_lifetimes_idlest(index, &n, &r->count, q->lives, q->uses, q->step,
			q->most, rd->cancel, err);
	if (!code)
		code = ts_lifetimes_make(&r->made, q->lives, q->uses, index, n, q->cache,
			rd->cancel, err);
	if (!code && !r->of_marked)
		code = ts_alive_pick(&r->names, rd, q->lives, index, n, err);
	free(index);
	if (code)
		live_lifetimes_close(r);
	else
		*out = r;
	return code;
}

int64_t
live_lifetimes_count(const struct lifetimes_tab *d)
{
	return d->rows ? d->rows->made.rows : 0;
}

bool
live_lifetimes_some(const struct lifetimes_rows *r)
{
	return r && !r->of_marked && r->made.rows < r->count;
}

/* --- the table -------------------------------------------------------------------------------- */

static const struct ts_column columns[L_COUNT] = {
	[L_NAME] = {"lifetime of", NAME, 60, 1, 0, TS_FIELD_TAIL},
	[L_BYTES] = {"bytes", 9, 0, 0, 0, TS_FIELD_RIGHT},
	[L_STEPS] = {"steps", 7, 0, 0, 4, TS_FIELD_RIGHT},
	[L_IDLE] = {"idle", 7, 0, 0, 3, TS_FIELD_RIGHT},
	[L_PRODUCT] = {"bytes x idle", 14, 0, 0, 1, TS_FIELD_RIGHT},
	[L_LONGEST] = {"longest", 7, 0, 0, 5, TS_FIELD_RIGHT},
	[L_USED] = {"used", 6, 0, 0, 6, TS_FIELD_RIGHT},
	[L_FROM] = {"from", 7, 0, 0, 7, TS_FIELD_RIGHT},
	[L_TO] = {"to", 7, 0, 0, 7, TS_FIELD_RIGHT},
};

static const struct ts_column_facts facts[L_COUNT] = {
	[L_NAME] = {"variable", NULL, TS_SUM_COUNT, false},
	[L_BYTES] = {"bytes", "bytes", TS_SUM_BYTES, false},
	[L_STEPS] = {"steps", "steps", TS_SUM_NONE, false},
	[L_IDLE] = {"idle", "steps", TS_SUM_NONE, false},
	[L_PRODUCT] = {"bytes_x_idle", "bytes x steps", TS_SUM_NONE, false},
	[L_LONGEST] = {"longest_idle", "steps", TS_SUM_NONE, false},
	[L_USED] = {"used", "steps", TS_SUM_NONE, true},
	[L_FROM] = {"from", NULL, TS_SUM_NONE, true},
	[L_TO] = {"to", NULL, TS_SUM_NONE, true},
};

const char *
live_lifetime_name(const struct lifetimes_rows *r, int64_t i, char buf[LIFETIME_NAME])
{
	int64_t variable = r->made.row[i].variable;

	for (int k = 0; r->of_marked && k < r->names_count; k++)
		if (r->number[k] == variable && r->name[k][0])
			return r->name[k];
	/* those that are listed were asked for in the order of the list */
	if (r->names && i < r->names->rows && r->names->row[i].variable == variable &&
		*ts_alive_name(r->names, (int)i))
		return ts_alive_name(r->names, (int)i);
	snprintf(buf, LIFETIME_NAME, "%s %lld", variable < 0 || r->lowered ? "row" : "variable",
		(long long)(variable < 0 ? -1 - variable : variable));
	return buf;
}

int64_t
live_lifetime_from(const struct ts_lifetimes *made, int64_t i)
{
	const struct ts_lifetime *row = &made->row[i];

	return row->lives > 0 ? made->piece[row->life].start : TS_UNKNOWN;
}

int64_t
live_lifetime_to(const struct ts_lifetimes *made, int64_t i)
{
	const struct ts_lifetime *row = &made->row[i];

	return row->lives > 0 ? (int64_t)made->piece[row->life + row->lives - 1].end - 1
			      : TS_UNKNOWN;
}

static int64_t
figure(const struct ts_lifetimes *made, int64_t i, int column)
{
	const struct ts_lifetime *row = &made->row[i];
	int64_t idle = row->idle;

	switch (column) {
	case L_BYTES:
		return row->bytes;
	case L_STEPS:
		return row->steps;
	case L_IDLE:
		return idle;
	case L_PRODUCT:
		if (idle > 0 && row->bytes > TS_NUMBER_MAX / idle)
			return TS_NUMBER_MAX;
		return idle == TS_UNKNOWN ? TS_UNKNOWN : idle * row->bytes;
	case L_FROM:
		return live_lifetime_from(made, i);
	case L_TO:
		return live_lifetime_to(made, i);
	case L_LONGEST:
		return row->longest;
	default:
		return row->used;
	}
}

static bool
cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct lifetimes_tab *d = ctx;
	int64_t v;

	if (i < 0 || i >= live_lifetimes_count(d))
		return false;
	out->s = out->buf;
	out->role = column == L_BYTES ? TS_ROLE_VALUE : TS_ROLE_TEXT;
	if (column == L_NAME) {
		out->s = live_lifetime_name(d->rows, i, out->buf);
		return true;
	}
	v = figure(&d->rows->made, i, column);
	if (v == TS_UNKNOWN)
		snprintf(out->buf, sizeof(out->buf), "?");
	else if (column == L_BYTES)
		ts_fmt_bytes(out->buf, v, live_units(d->s));
	else
		ts_fmt_count(out->buf, v);
	return true;
}

/* Of the rows, whoever holds them. */
static bool
rows_value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct lifetimes_rows *r = ctx;

	if (!r || i < 0 || i >= r->made.rows)
		return false;
	if (column == L_NAME)
		ts_table_value_text(out, live_lifetime_name(r, i, out->buf));
	else
		ts_table_value_known(out, figure(&r->made, i, column));
	return true;
}

static bool
value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	return rows_value(((const struct lifetimes_tab *)ctx)->rows, i, column, out);
}

const struct ts_held_table live_lifetimes_table = {.id = "liveness.lifetimes",
	.column = columns,
	.facts = facts,
	.columns = L_COUNT,
	.cell = cell,
	.value = value,
	.empty = "no variable to show: mark some (m) in the list of variables"};

/* --- in a worker ------------------------------------------------------------------------------ */

bool
live_lifetimes_as_they_come(const struct ts_table_wish *o)
{
	return ts_table_wish_is_plain(o, L_PRODUCT);
}

static void
close_rows(void *ctx)
{
	live_lifetimes_close(ctx);
}

struct ts_arrangeable
live_lifetimes_arrangeable(struct lifetimes_rows *r)
{
	return (struct ts_arrangeable){.rows = r->made.rows,
		.table = {.column = columns,
			.columns = L_COUNT,
			.facts = facts,
			.value = rows_value,
			.shared = true,
			.ctx = live_lifetimes_hold(r)},
		.free = close_rows};
}

/* --- a file ----------------------------------------------------------------------------------- */

/* Rows, and what is to be asked where not all of them are here. */
struct file_rows {
	struct lifetimes_rows *rows; /* held */
	struct lifetimes_question q;
};

static bool
file_value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	return rows_value(((const struct file_rows *)ctx)->rows, i, column, out);
}

static void
free_file_rows(void *ctx)
{
	struct file_rows *f = ctx;

	live_lifetimes_close(f->rows);
	live_lifetimes_question_fini(&f->q);
	free(f);
}

static enum ts_code
read_all(struct ts_arrangeable *what, struct ts_reader *rd, struct ts_err *err)
{
	struct file_rows *f = what->table.ctx;
	struct lifetimes_rows *all;
	enum ts_code code;

	if (!live_lifetimes_some(f->rows))
		return TS_OK;
	code = live_lifetimes_read(&all, &f->q, rd, err);
	if (code)
		return code;
	live_lifetimes_close(f->rows);
	f->rows = all;
	what->rows = all->made.rows;
	return TS_OK;
}

struct ts_row_source *
live_lifetimes_source(struct lifetimes_rows *r, struct lifetimes_question *q,
	const struct ts_table_order *o)
{
	struct ts_table_wish wish = ts_table_wish(o);
	struct ts_arrangeable what = live_lifetimes_arrangeable(r);
	struct file_rows *f = ts_alloc(1, sizeof(*f));

	if (!f) {
		what.free(what.table.ctx);
		live_lifetimes_question_fini(q);
		return NULL;
	}
	*f = (struct file_rows){what.table.ctx, *q};
	what.table.ctx = f;
	what.table.value = file_value;
	what.free = free_file_rows;
	return ts_arranged_source_read(&what, read_all, &wish, L_PRODUCT, r->count);
}
