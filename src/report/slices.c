/* SPDX-License-Identifier: MIT */
/*
 * slices - two cursors side by side: a step is read once, whatever number of IPUs it has.
 *
 * As a rule both relations stand in the order of their steps, so the cursor over the steps only ever goes on. That is
 * not promised: a step that is not where it should be has all of them read into a pile, sorted, and searched from then
 * on; then it is either found or does not exist. Of a range of few rows it is looked for by its key instead: a step that is
 * nowhere must not have all of them read for each of many small ranges. Of equal steps the last one counts, as everywhere.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/dictionary.h"
#include "tilescope/report/slices.h"
#include "trace_internal.h"

enum {
	PROGRESS_ROWS = 8192,
	TEXT_MAX = 1 << 16,
	REST_STEPS = 1 << 18,
	SEEK_ROWS = 1 << 17, /* of a range: of more all steps are rather kept */
	SEEK_STEPS = 1 << 12 /* so many are passed over before one is looked for by its key */
};

/* What is asked of `step`: the columns of a name, then the run. */
enum { S_RUN = TS_STEP_Q_COUNT, S_COLUMNS };

/* A step with copies of its texts, in `text`: its type, then its name. */
struct step {
	bool there;
	int64_t step, run, program, compute_set;
	enum ts_step_class class_of;
	struct ts_strbuf text;
	size_t type_n, name_n;
	bool has_type, has_name;
};

/* The same in a pile: texts are entries of a dictionary, TS_DICTIONARY_NONE = not known. */
struct kept_step {
	int64_t step, run, program, compute_set;
	int64_t type, name;
	int64_t class_of;
};

struct ts_slices {
	struct ts_reader *rd;
	const struct ts_step_names *names;
	const struct ts_cache *cache;
	struct ts_progress *progress;
	struct ts_rows *parts, *steps; /* cursors of step_ipu and step; NULL: at its end */
	struct step now, next;
	bool kept_all; /* steps are looked up in `kept` */
	struct ts_pile kept;
	struct ts_dictionary texts;
	struct ts_slice slice;
	int64_t looked; /* steps that were put there, or looked for, since its pages were let go of */
	int64_t rows, span; /* that were read; of all, about */
	int64_t only;	    /* of this IPU, or TS_UNKNOWN */
	bool lenient;	    /* rows come that have a place in the lanes, whatever else is wrong */
	/* of a range: what began long before comes first, then the addresses [from, to) */
	const struct ts_trace *trace;
	const struct ts_trace *seek; /* steps are looked for by their keys; NULL: not */
	struct ts_pile before;	     /* struct trace_rows */
	size_t before_at; /* of those the next one; beyond the last: it is the range itself */
	int64_t from, to;
	bool unseen; /* what began long before is not known */
	struct ts_slices_left_out left_out;
	struct ts_err damage; /* of either relation, said at the end */
};

/* --- one step ------------------------------------------------------------------------------------- */

static void
get_step(struct step *s, struct ts_rows *rows, const struct ts_step_names *names)
{
	const char *text;
	size_t n;

	s->step = ts_rows_known(rows, TS_STEP_Q_STEP);
	s->there = s->step != TS_UNKNOWN;
	s->run = ts_rows_known(rows, S_RUN);
	s->program = ts_rows_known(rows, TS_STEP_Q_PROGRAM);
	s->compute_set = ts_rows_known(rows, TS_STEP_Q_COMPUTE_SET);
	s->class_of = ts_step_class_row(rows);
	ts_strbuf_reset(&s->text);
	s->has_type = ts_rows_text(rows, TS_STEP_Q_TYPE, &text, &n) == TS_VALUE_OK;
	if (s->has_type)
		ts_strbuf_add(&s->text, text, n);
	s->type_n = s->text.len;
	text = ts_step_name(rows, names, &n);
	s->has_name = text != NULL;
	if (text)
		ts_strbuf_add(&s->text, text, n);
	s->name_n = s->text.len - s->type_n;
}

static enum ts_code
open_steps(struct ts_rows **rows, struct ts_slices *s, struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = S_COLUMNS, .past_damage = true};

	memcpy(q.columns, ts_step_columns, sizeof(ts_step_columns));
	q.columns[S_RUN] = TS_STEP_RUN;
	return ts_reader_rows(rows, s->rd, TS_STEP, &q, err);
}

/* Damage of a relation is told at the end, once. */
static enum ts_code
note_damage(struct ts_slices *s, enum ts_code code, const struct ts_err *why, struct ts_err *err)
{
	if (code == TS_E_DAMAGED) {
		if (!s->damage.code)
			s->damage = *why;
		return TS_OK;
	}
	if (code && err)
		*err = *why;
	return code;
}

/* --- all steps, to be looked up --------------------------------------------------------------------- */

static enum ts_code
keep_text(int64_t *entry, struct ts_slices *s, bool has, const char *text, size_t n,
	struct ts_err *err)
{
	uint32_t at;
	enum ts_code code;

	*entry = TS_DICTIONARY_NONE;
	if (!has)
		return TS_OK;
	code = ts_dictionary_text(&s->texts, &at, text, n, err);
	if (!code)
		*entry = at;
	return code;
}

static enum ts_code
keep_step(struct ts_slices *s, const struct step *from, struct ts_err *err)
{
	struct kept_step k = {.step = from->step,
		.run = from->run,
		.program = from->program,
		.compute_set = from->compute_set,
		.class_of = from->class_of};
	enum ts_code code = keep_text(&k.type, s, from->has_type, from->text.s, from->type_n, err);

	if (!code)
		code = keep_text(&k.name, s, from->has_name, from->text.s + from->type_n,
			from->name_n, err);
	return code ? code : ts_pile_add(&s->kept, &k, sizeof(k), s->cache, err);
}

/* Steps that were looked at need not stay in memory, however many there are. */
static void
rest(struct ts_slices *s)
{
	if (++s->looked % REST_STEPS != 0)
		return;
	ts_pile_rest(&s->kept);
	ts_dictionary_rest(&s->texts);
}

static int
by_step(const void *a, const void *b)
{
	const struct kept_step *x = a, *y = b;

	return x->step < y->step ? -1 : x->step > y->step;
}

static enum ts_code
keep_all(struct ts_slices *s, struct ts_err *err)
{
	struct ts_err why = {0};
	struct ts_rows *rows;
	enum ts_code code = open_steps(&rows, s, err);
	bool there;

	s->kept_all = true;
	s->next.there = false;
	ts_rows_close(s->steps);
	s->steps = NULL;
	if (code)
		return code;
	while (!code && !(code = ts_rows_next(rows, &there, &why)) && there) {
		get_step(&s->next, rows, s->names);
		if (s->next.text.nomem)
			code = ts_err_nomem(&why);
		else if (s->next.there)
			code = keep_step(s, &s->next, &why);
		rest(s);
	}
	ts_rows_close(rows);
	s->next.there = false;
	code = note_damage(s, code, &why, err);
	return code ? code
		    : ts_pile_sort(&s->kept, s->kept.used / sizeof(struct kept_step),
			      sizeof(struct kept_step), by_step, s->cache, s->rd->cancel, err);
}

/* The last of the steps of that number, or NULL. */
static const struct kept_step *
kept_find(const struct ts_slices *s, int64_t step)
{
	const struct kept_step *k = s->kept.memory;
	size_t low = 0, high = s->kept.used / sizeof(*k);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (k[middle].step <= step)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && k[low - 1].step == step ? &k[low - 1] : NULL;
}

static void
put_text(struct step *to, bool *has, size_t *n, const struct ts_dictionary *texts, int64_t entry)
{
	const struct ts_dictionary_entry *e;

	*has = entry != TS_DICTIONARY_NONE;
	*n = 0;
	if (!*has)
		return;
	e = ts_dictionary_at(texts, (uint32_t)entry);
	ts_strbuf_add(&to->text, (const char *)texts->text.memory + e->at, e->n);
	*n = e->n;
}

static bool
take_kept(struct ts_slices *s, int64_t step)
{
	const struct kept_step *k = kept_find(s, step);
	struct step *to = &s->now;

	rest(s);
	to->there = k != NULL;
	if (!k)
		return false;
	to->step = k->step;
	to->run = k->run;
	to->program = k->program;
	to->compute_set = k->compute_set;
	to->class_of = (enum ts_step_class)k->class_of;
	ts_strbuf_reset(&to->text);
	put_text(to, &to->has_type, &to->type_n, &s->texts, k->type);
	put_text(to, &to->has_name, &to->name_n, &s->texts, k->name);
	return true;
}

/* --- side by side ----------------------------------------------------------------------------------- */

/* The next step that has a number, in `next`; none: the cursor is closed. */
static enum ts_code
read_next(struct ts_slices *s, struct ts_err *err)
{
	struct ts_err why = {0};
	enum ts_code code = TS_OK;
	bool there = true;

	while (s->steps && !s->next.there && !code) {
		code = ts_rows_next(s->steps, &there, &why);
		if (!code && there) {
			get_step(&s->next, s->steps, s->names);
			continue;
		}
		ts_rows_close(s->steps);
		s->steps = NULL;
	}
	return note_damage(s, code, &why, err);
}

/* Go on to a step: *found false when it is not on the way. */
static enum ts_code
go_on(bool *found, struct ts_slices *s, int64_t step, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	struct step kept;

	while (!(code = read_next(s, err)) && s->next.there && s->next.step <= step) {
		if (s->now.there && s->next.step < s->now.step)
			break;
		kept = s->now;
		s->now = s->next;
		s->next = kept;
		s->next.there = false;
	}
	*found = s->now.there && s->now.step == step;
	return code;
}

/* The steps from that one on. */
static enum ts_code
open_steps_from(struct ts_slices *s, const struct ts_trace *t, int64_t step, struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = S_COLUMNS, .past_damage = true};

	ts_rows_close(s->steps);
	s->steps = NULL;
	s->now.there = s->next.there = false;
	memcpy(q.columns, ts_step_columns, sizeof(ts_step_columns));
	q.columns[S_RUN] = TS_STEP_RUN;
	return trace_keys_open(&s->steps, s->rd, t, TS_STEP, &q, step, INT64_MAX, err);
}

static enum ts_code
seek_step(bool *found, struct ts_slices *s, int64_t step, struct ts_err *err)
{
	enum ts_code code = open_steps_from(s, s->seek, step, err);

	return code ? code : go_on(found, s, step, err);
}

/* Is the way to it so long that it is rather looked for? */
static bool
is_far(const struct ts_slices *s, int64_t step)
{
	int64_t at = s->next.there ? s->next.step : s->now.there ? s->now.step : step;

	return s->seek && step > at && step - at > SEEK_STEPS;
}

static enum ts_code
find_step(bool *found, struct ts_slices *s, int64_t step, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	*found = s->now.there && s->now.step == step;
	if (s->kept_all) {
		*found = *found || take_kept(s, step);
		return TS_OK;
	}
	if ((!*found || s->steps || s->next.there) && !is_far(s, step))
		code = go_on(found, s, step, err);
	if (code || *found)
		return code;
	if (s->seek)
		return seek_step(found, s, step, err);
	code = keep_all(s, err);
	if (!code)
		*found = take_kept(s, step);
	return code;
}

/* --- slices ----------------------------------------------------------------------------------------- */

enum {
	P_STEP,
	P_IPU,
	P_CYCLES,
	P_START,
	P_END,
	P_NUMBERS,
	P_TILES = P_NUMBERS,
	P_START_MAX,
	P_END_MIN,
	P_IN,
	P_OUT,
	P_BALANCE,
	P_ACTIVE_BALANCE,
	P_COLUMNS
};

static const int part_columns[P_COLUMNS] = {
	[P_STEP] = TS_STEP_IPU_STEP,
	[P_IPU] = TS_STEP_IPU_IPU,
	[P_CYCLES] = TS_STEP_IPU_CYCLES,
	[P_START] = TS_STEP_IPU_START,
	[P_END] = TS_STEP_IPU_END,
	[P_TILES] = TS_STEP_IPU_ACTIVE_TILES,
	[P_START_MAX] = TS_STEP_IPU_ACTIVE_START_MAX,
	[P_END_MIN] = TS_STEP_IPU_ACTIVE_END_MIN,
	[P_IN] = TS_STEP_IPU_DATA_IN,
	[P_OUT] = TS_STEP_IPU_DATA_OUT,
	[P_BALANCE] = TS_STEP_IPU_TILE_BALANCE,
	[P_ACTIVE_BALANCE] = TS_STEP_IPU_ACTIVE_TILE_BALANCE,
};

/* TS_E_ABSENT: one of the relations is not there. */
static enum ts_code
check(const struct ts_report *r, struct ts_err *err)
{
	static const enum ts_relation needed[] = {TS_STEP, TS_STEP_IPU};

	for (size_t i = 0; i < TS_COUNT(needed); i++)
		if (!ts_report_has(r, needed[i]))
			return ts_err_set(err, TS_E_ABSENT, "%s: %s",
				ts_relation_def(needed[i])->name, r->binding[needed[i]].reason);
	return TS_OK;
}

static struct ts_slices *
slices_new(struct ts_reader *rd, const struct ts_step_names *names, const struct ts_cache *cache,
	struct ts_progress *progress)
{
	struct ts_slices *s = ts_alloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->rd = rd;
	s->names = names;
	s->cache = cache;
	s->progress = progress;
	s->only = TS_UNKNOWN;
	s->texts.cache = cache;
	ts_strbuf_init(&s->now.text, TEXT_MAX);
	ts_strbuf_init(&s->next.text, TEXT_MAX);
	return s;
}

static enum ts_code
open_parts(struct ts_slices *s, struct ts_rows_query *q, struct ts_err *err)
{
	q->column_count = P_COLUMNS;
	q->past_damage = true;
	memcpy(q->columns, part_columns, sizeof(part_columns));
	return ts_reader_rows(&s->parts, s->rd, TS_STEP_IPU, q, err);
}

enum ts_code
ts_slices_open(struct ts_slices **out, struct ts_reader *rd, const struct ts_step_names *names,
	const struct ts_cache *cache, struct ts_progress *progress, struct ts_err *err)
{
	struct ts_rows_query q = {.range = TS_RANGE_ALL};
	enum ts_code code = check(rd->report, err);
	struct ts_slices *s;

	*out = NULL;
	if (code)
		return code;
	s = slices_new(rd, names, cache, progress);
	if (!s)
		return ts_err_nomem(err);
	s->span = ts_reach_span(&rd->report->binding[TS_STEP_IPU].reach);
	code = open_parts(s, &q, err);
	if (!code)
		code = open_steps(&s->steps, s, err);
	if (code) {
		ts_slices_close(s);
		return code;
	}
	*out = s;
	return TS_OK;
}

/* --- of a range ------------------------------------------------------------------------------------- */

/* The step of the first row of the range; 0: it is not known. */
static int64_t
first_step(struct ts_slices *s, const struct ts_rows_query *range)
{
	struct ts_rows_query q = *range;
	struct ts_rows *rows;
	int64_t step = 0;
	bool there;

	q.columns[0] = TS_STEP_IPU_STEP;
	q.column_count = 1;
	q.limit = 1;
	if (ts_reader_rows(&rows, s->rd, TS_STEP_IPU, &q, NULL))
		return 0;
	if (ts_rows_next(rows, &there, NULL) != TS_OK || !there ||
		ts_rows_number(rows, 0, &step) != TS_VALUE_OK)
		step = 0;
	ts_rows_close(rows);
	return step;
}

/* Rows of a range, and the steps from that of its first row on. */
static enum ts_code
open_rows(struct ts_slices *s, const struct ts_trace *t, struct ts_rows_query parts,
	struct ts_err *err)
{
	enum ts_code code;

	ts_rows_close(s->parts);
	s->parts = NULL;
	code = open_parts(s, &parts, err);
	if (code || s->kept_all)
		return code;
	return open_steps_from(s, t, first_step(s, &parts), err);
}

/* Rows of the addresses [from, to). */
static enum ts_code
open_addresses(struct ts_slices *s, const struct ts_trace *t, int64_t from, int64_t to,
	struct ts_err *err)
{
	struct ts_rows_query parts = {.range = t->part.range,
		.from = from,
		.to = ts_min_i64(to, trace_add(t->part.last, 1))};

	return open_rows(s, t, parts, err);
}

/* What is to be read next: rows from long before, then the range. */
static enum ts_code
open_next(struct ts_slices *s, struct ts_err *err)
{
	const struct trace_rows *r = (const struct trace_rows *)s->before.memory + s->before_at;
	size_t n = s->before.used / sizeof(*r);

	if (s->before_at++ < n)
		return open_rows(s, s->trace,
			(struct ts_rows_query){.range = TS_RANGE_ROWID,
				.from = r->from,
				.to = r->to},
			err);
	return open_addresses(s, s->trace, s->from, s->to, err);
}

static bool
is_before(const struct ts_slices *s)
{
	return s->trace && s->before_at <= s->before.used / sizeof(struct trace_rows);
}

/* Does a row from before come once more, with the range? */
static bool
comes_again(const struct ts_slices *s)
{
	return is_before(s) &&
		(s->trace->part.range == TS_RANGE_KEY ? s->slice.step : s->slice.rowid) >= s->from;
}

static enum ts_code
open_range(struct ts_slices *s, const struct ts_trace *t, int64_t from, int64_t to,
	struct ts_err *err)
{
	struct trace_stretch at;
	bool known = true;
	enum ts_code code = trace_stretch_find(&at, s->rd, t, NULL, t->ipu, t->ipus, from, to,
		INT64_MAX, err);

	s->span = at.rows;
	s->trace = t;
	s->seek = at.rows <= SEEK_ROWS ? t : NULL;
	s->from = at.begin;
	s->to = trace_add(at.high.at, at.settle);
	if (!code && at.begin > t->part.first)
		code = trace_reaching(&s->before, &known, s->rd, from,
			t->part.range == TS_RANGE_ROWID ? at.begin : INT64_MAX, s->cache, err);
	s->unseen = !known;
	if (!code && s->before.used > 0)
		code = trace_ahead_rows(s->rd, s->before.memory,
			s->before.used / sizeof(struct trace_rows), err);
	return code ? code : open_next(s, err);
}

bool
ts_slices_unseen(const struct ts_slices *s)
{
	return s->unseen;
}

enum ts_code
trace_slices_of_steps(struct ts_slices **out, struct ts_reader *rd, const struct ts_trace *t,
	struct ts_err *err)
{
	enum ts_code code = check(rd->report, err);

	*out = NULL;
	if (code)
		return code;
	*out = slices_new(rd, &t->names, NULL, NULL);
	if (!*out)
		return ts_err_nomem(err);
	(*out)->seek = trace_rises(t, rd, TS_STEP) ? t : NULL;
	return TS_OK;
}

enum ts_code
ts_slices_open_range(struct ts_slices **out, struct ts_reader *rd, const struct ts_trace *t,
	int64_t from, int64_t to, const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err)
{
	enum ts_code code = check(rd->report, err);
	struct ts_slices *s;

	*out = NULL;
	if (code)
		return code;
	if (t->part.range == TS_RANGE_ALL || t->part.first > t->part.last || t->ipus == 0 ||
		!trace_rises(t, rd, TS_STEP) || (from <= t->from && to >= t->to)) {
		code = ts_slices_open(out, rd, &t->names, cache, progress, err);
		if (!code)
			(*out)->lenient = true;
		return code;
	}
	s = slices_new(rd, &t->names, cache, progress);
	if (!s)
		return ts_err_nomem(err);
	s->lenient = true;
	code = open_range(s, t, from, to, err);
	if (code) {
		ts_slices_close(s);
		return code;
	}
	*out = s;
	return TS_OK;
}

void
ts_slices_close(struct ts_slices *s)
{
	if (!s)
		return;
	ts_rows_close(s->parts);
	ts_rows_close(s->steps);
	ts_strbuf_fini(&s->now.text);
	ts_strbuf_fini(&s->next.text);
	ts_pile_fini(&s->kept);
	ts_pile_fini(&s->before);
	ts_dictionary_fini(&s->texts);
	free(s);
}

void
ts_slices_only(struct ts_slices *s, int64_t ipu)
{
	s->only = ipu;
}

/* Is the row of another IPU than those are that are asked for? One whose IPU is no number is not. */
static bool
is_of_others(const struct ts_slices *s)
{
	int64_t ipu = s->only == TS_UNKNOWN ? TS_UNKNOWN : ts_rows_known(s->parts, P_IPU);

	return ipu != TS_UNKNOWN && ipu != s->only;
}

static double
share_of(struct ts_rows *rows, int i)
{
	double v;

	return ts_rows_real(rows, i, &v) == TS_VALUE_OK && v >= 0 && v <= 1 ? v : -1;
}

/* The row that the cursor is at; false: a number of it is none. */
static bool
get_part(struct ts_slice *to, struct ts_rows *rows, bool lenient)
{
	int64_t v[P_NUMBERS], rowid;

	for (int i = 0; i < P_NUMBERS; i++) {
		v[i] = ts_rows_known(rows, i);
		if (v[i] == TS_UNKNOWN && !(lenient && i == P_CYCLES))
			return false;
	}
	if (!ts_rows_rowid(rows, &rowid))
		rowid = INT64_MIN;
	*to = (struct ts_slice){.step = v[P_STEP],
		.rowid = rowid,
		.ipu = v[P_IPU],
		.cycles = v[P_CYCLES],
		.start = v[P_START],
		.end = v[P_END],
		.active_tiles = ts_rows_known(rows, P_TILES),
		.active_start_max = ts_rows_known(rows, P_START_MAX),
		.active_end_min = ts_rows_known(rows, P_END_MIN),
		.data_in = ts_rows_known(rows, P_IN),
		.data_out = ts_rows_known(rows, P_OUT),
		.tile_balance = share_of(rows, P_BALANCE),
		.active_tile_balance = share_of(rows, P_ACTIVE_BALANCE)};
	return true;
}

static void
join(struct ts_slice *to, const struct step *from)
{
	to->run = from->run;
	to->program = from->program;
	to->compute_set = from->compute_set;
	to->class_of = from->class_of;
	to->type = from->has_type ? from->text.s : NULL;
	to->type_n = from->type_n;
	to->name = from->has_name ? from->text.s + from->type_n : NULL;
	to->name_n = from->name_n;
}

static void
join_nothing(struct ts_slice *to)
{
	to->orphan = true;
	to->run = to->program = to->compute_set = TS_UNKNOWN;
	to->class_of = TS_CLASS_CONTROL;
}

/* Damage that was met is said once. */
static enum ts_code
say_damage(struct ts_slices *s, struct ts_err *err)
{
	enum ts_code code = s->damage.code;

	if (code && err)
		*err = s->damage;
	s->damage.code = TS_OK;
	return code;
}

enum ts_code
trace_slices_step(const struct ts_slice **slice, struct ts_slices *s, int64_t step,
	struct ts_err *err)
{
	bool found = s->now.there && s->now.step == step;
	enum ts_code code = TS_OK;

	*slice = NULL;
	if (!found)
		code = s->seek ? seek_step(&found, s, step, err) : find_step(&found, s, step, err);
	if (!code && s->now.text.nomem)
		code = ts_err_nomem(err);
	if (code)
		return code;
	if (found) {
		s->slice = (struct ts_slice){.step = step};
		join(&s->slice, &s->now);
		*slice = &s->slice;
	}
	return say_damage(s, err);
}

/* The next row of what there is to read; damage is kept for the end. */
static enum ts_code
next_row(bool *there, struct ts_slices *s, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	*there = false;
	while (!code && s->parts && !*there) {
		struct ts_err why = {0};
		enum ts_code got = ts_rows_next(s->parts, there, &why);

		if (!got && *there)
			break;
		*there = false;
		code = note_damage(s, got, &why, err);
		ts_rows_close(s->parts);
		s->parts = NULL;
		if (!code && is_before(s))
			code = open_next(s, err);
	}
	return code;
}

enum ts_code
ts_slices_next(const struct ts_slice **slice, struct ts_slices *s, struct ts_err *err)
{
	struct ts_err why = {0};
	enum ts_code code = TS_OK;
	bool there, found;

	*slice = NULL;
	while (!(code = next_row(&there, s, &why)) && there) {
		if (++s->rows % PROGRESS_ROWS == 0)
			ts_progress_set(s->progress, s->rows, s->span);
		if (is_of_others(s))
			continue;
		if (!get_part(&s->slice, s->parts, s->lenient)) {
			s->left_out.bad_rows += !is_before(s);
			continue;
		}
		if (comes_again(s))
			continue;
		code = find_step(&found, s, s->slice.step, &why);
		if (!code && s->now.text.nomem)
			code = ts_err_nomem(&why);
		if (code)
			break;
		s->left_out.orphans += !found && !is_before(s);
		if (!found && !s->lenient)
			continue;
		if (found)
			join(&s->slice, &s->now);
		else
			join_nothing(&s->slice);
		*slice = &s->slice;
		return TS_OK;
	}
	ts_rows_close(s->parts);
	s->parts = NULL;
	code = note_damage(s, code, &why, err);
	return code ? code : say_damage(s, err);
}

struct ts_slices_left_out
ts_slices_left_out(const struct ts_slices *s)
{
	return s->left_out;
}
