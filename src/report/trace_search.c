/* SPDX-License-Identifier: MIT */
/*
 * trace_search - steps by name, and what they cost.
 *
 * Two passes, each cancellable and with progress: over `step` for the hits (a bit per step), then over
 * `step_ipu` for the cycles of one IPU. Names are compared once each, not once a step.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"

enum {
	PROGRESS_ROWS = 8192,
	SPARSE = 16, /* ids for each name, and ids in all, up to which there is an array by id */
	IDS_MAX = 4 << 20,
};

static const char type_prefix[] = "type:", set_prefix[] = "set:", program_prefix[] = "program:";

/* --- hits ------------------------------------------------------------------------------------- */

static bool
contains(const char *s, size_t n, const char *needle)
{
	size_t length = strlen(needle);

	for (size_t i = 0; i + length <= n; i++)
		if (strncasecmp(s + i, needle, length) == 0)
			return true;
	return false;
}

struct searching {
	const struct ts_trace *t;
	const char *needle;
	enum ts_range range;
	int64_t from, to;
	bool type_only;
	int only; /* TS_STEP_Q_COMPUTE_SET, TS_STEP_Q_PROGRAM: steps whose number there is `id`; 0 = by name */
	int64_t id;
	const struct ts_program_called *called; /* of that program; NULL: itself alone */
	struct matches {
		bool *of; /* by place in the dictionary */
		signed char *
			id; /* by id, below `ids`: -1 where there is no such name; NULL: ask the dictionary */
		int64_t ids;
	} programs, compute_sets;
};

/* A dictionary's names that match. False: no memory. */
static bool
match_names(struct matches *m, const struct ts_names *names, const char *needle)
{
	m->ids = names->count ? trace_add(names->name[names->count - 1].id, 1) : 0;
	m->of = ts_alloc(names->count, sizeof(*m->of));
	if (m->ids > 0 && m->ids <= IDS_MAX && m->ids / SPARSE <= (int64_t)names->count)
		m->id = ts_alloc((size_t)m->ids, sizeof(*m->id));
	if (m->id)
		memset(m->id, -1, (size_t)m->ids);
	for (size_t i = 0; m->of && i < names->count; i++) {
		int64_t id = names->name[i].id;

		m->of[i] = contains(names->text + names->name[i].at, names->name[i].length, needle);
		if (m->id && id >= 0 && (i == 0 || names->name[i - 1].id < id))
			m->id[id] =
				(signed char)
					m->of[i]; /* the first one of an id, as ts_names_place() */
	}
	return m->of != NULL;
}

static void
matches_fini(struct matches *m)
{
	free(m->of);
	free(m->id);
}

/* Does the name with that id match; -1: there is none. */
static int
known(const struct ts_names *names, const struct matches *m, int64_t id)
{
	size_t i;

	if (id < 0 || id >= m->ids)
		return -1;
	if (m->id)
		return m->id[id];
	i = ts_names_place(names, id);
	return i < names->count ? m->of[i] : -1;
}

/* Does a step with that number match, where numbers decide? */
static bool
number_matches(const struct searching *s, int64_t id)
{
	return id == s->id || (s->called && ts_program_called_has(s->called, id));
}

static bool
row_matches(const struct searching *s, struct ts_rows *rows)
{
	const struct ts_step_names *names = &s->t->names;
	const char *text;
	int64_t id;
	int match;
	size_t n;

	if (s->only)
		return ts_rows_number(rows, s->only, &id) == TS_VALUE_OK && number_matches(s, id);
	if (!s->type_only) {
		if (ts_rows_text(rows, TS_STEP_Q_NAME, &text, &n) == TS_VALUE_OK)
			return contains(text, n, s->needle);
		if (ts_rows_number(rows, TS_STEP_Q_COMPUTE_SET, &id) == TS_VALUE_OK &&
			(match = known(&names->compute_sets, &s->compute_sets, id)) >= 0)
			return match;
		if (ts_rows_number(rows, TS_STEP_Q_PROGRAM, &id) == TS_VALUE_OK &&
			(match = known(&names->programs, &s->programs, id)) >= 0)
			return match;
	}
	return ts_rows_text(rows, TS_STEP_Q_TYPE, &text, &n) == TS_VALUE_OK &&
		contains(text, n, s->needle);
}

bool
ts_trace_hit(const struct ts_trace_hits *h, int64_t step)
{
	int64_t i = step - h->first;

	return h->bit && step >= h->first && i < h->steps && h->bit[i / 8] >> (i % 8) & 1;
}

static void
mark(struct ts_trace_hits *h, int64_t step)
{
	int64_t i = step - h->first;

	h->count++;
	if (step < h->first || i >= h->steps) {
		h->left_out++;
		return;
	}
	h->bit[i / 8] |= (uint8_t)(1 << i % 8);
	h->least = h->most > 0 ? ts_min_i64(h->least, i) : i;
	h->most = ts_max_i64(h->most, i + 1);
}

int64_t
ts_trace_hit_next(const struct ts_trace_hits *h, int64_t step, int by)
{
	int64_t i;

	if (!h->bit)
		return TS_UNKNOWN;
	i = ts_clamp_i64(step - h->first, -1, h->steps) + by;
	while (i >= 0 && i < h->steps) {
		if (h->bit[i / 8] == 0) { /* eight at a time */
			i = by > 0 ? i / 8 * 8 + 8 : i / 8 * 8 - 1;
			continue;
		}
		if (h->bit[i / 8] >> (i % 8) & 1)
			return h->first + i;
		i += by;
	}
	return TS_UNKNOWN;
}

int64_t
ts_trace_hit_number(const struct ts_trace_hits *h, int64_t step)
{
	int64_t end = h->bit ? ts_clamp_i64(step - h->first, -1, h->steps - 1) + 1 : 0, n = 0;

	for (int64_t i = 0; i < end / 8; i++)
		n += __builtin_popcount(h->bit[i]);
	if (end % 8 > 0)
		n += __builtin_popcount(h->bit[end / 8] & ((1u << (end % 8)) - 1));
	return n;
}

/* --- by column ---------------------------------------------------------------------------------- */

enum { B_STEP, B_COMPUTE_SET, B_PROGRAM, B_COLUMNS };
enum { FEW_BLOCKS = 64, FEW_OF = 4 /* one block of so many may need its types */ };

/* Names stand by number in other tables: then three numbers say what a step is called, but for those without a name. */
static bool
by_column(const struct ts_reader *rd, const struct searching *s)
{
	const struct ts_binding *b = &rd->report->binding[TS_STEP];

	return b->reach.has_rowid && !s->type_only && s->range != TS_RANGE_KEY &&
		b->column[TS_STEP_NAME].op == TS_OP_NONE;
}

/* Does it match; -1: its type has to be looked at. */
static int
block_matches(const struct searching *s, const struct ts_rows_block *b, int i)
{
	const struct ts_step_names *names = &s->t->names;
	int64_t set = b->v[B_COMPUTE_SET][i], program = b->v[B_PROGRAM][i];
	int match;

	if (s->only)
		return number_matches(s, s->only == TS_STEP_Q_PROGRAM ? program : set);
	match = known(&names->compute_sets, &s->compute_sets, set);
	return match >= 0 ? match : known(&names->programs, &s->programs, program);
}

/* Mark the hits of a block. [*from, *to): the row ids whose types have to be looked at, none of which is marked. */
static void
search_block(struct ts_trace_hits *h, const struct searching *s, const struct ts_rows_block *b,
	int64_t *from, int64_t *to)
{
	int first = b->rows, end = 0;
	signed char match[TS_BLOCK_ROWS];

	for (int i = 0; i < b->rows; i++) {
		match[i] = (signed char)block_matches(s, b, i);
		if (match[i] < 0) {
			first = (int)ts_min_i64(first, i);
			end = i + 1;
		}
	}
	for (int i = 0; i < b->rows; i++)
		if (match[i] > 0 && (i < first || i >= end) && b->v[B_STEP][i] != TS_UNKNOWN) {
			mark(h, b->v[B_STEP][i]);
			h->called += s->called && b->v[B_PROGRAM][i] != s->id;
		}
	h->looked_at += b->rows - ts_max_i64(end - first, 0);
	*from = first < end ? b->rowid[first] : 0;
	*to = first < end ? trace_add(b->rowid[end - 1], 1) : 0;
}

static enum ts_code search_rows(struct ts_trace_hits *h, struct ts_reader *rd,
	const struct searching *s, struct ts_progress *progress, struct ts_err *err);

static enum ts_code
search_types(struct ts_trace_hits *h, struct ts_reader *rd, const struct searching *s, int64_t from,
	int64_t to, struct ts_err *err)
{
	struct searching part = *s;

	part.range = TS_RANGE_ROWID;
	part.from = from;
	part.to = to;
	return search_rows(h, rd, &part, NULL, err);
}

/* All rows; where many have no name, from there on one by one. */
static enum ts_code
search_columns(struct ts_trace_hits *h, struct ts_reader *rd, const struct searching *s,
	struct ts_progress *progress, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_STEP_STEP, TS_STEP_COMPUTE_SET, TS_STEP_PROGRAM},
		.column_count = B_COLUMNS,
		.range = s->range,
		.from = s->from,
		.to = s->to,
		.past_damage = true,
		.unknowns = true};
	int64_t blocks = 0, nameless = 0, from, to,
		end = s->range == TS_RANGE_ROWID ? s->to : INT64_MAX;
	enum ts_code code, bad = TS_OK;
	struct ts_rows_block b;
	struct ts_rows *rows;

	code = ts_reader_rows(&rows, rd, TS_STEP, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_block(rows, &b, err)) && b.rows > 0) {
		blocks++;
		search_block(h, s, &b, &from, &to);
		if (from < to && (!bad || bad == TS_E_DAMAGED)) {
			code = search_types(h, rd, s, from, to, err);
			bad = bad ? bad : code;
			nameless++;
		}
		code = bad == TS_E_DAMAGED ? TS_OK : bad;
		if (!code && nameless > FEW_BLOCKS && nameless > blocks / FEW_OF) {
			from = trace_add(b.rowid[b.rows - 1], 1);
			code = from < end ? search_types(h, rd, s, from, end, err) : TS_OK;
			break;
		}
		if (code)
			break;
		ts_progress_set(progress, h->looked_at,
			s->range == TS_RANGE_ALL ? s->t->rows : s->to - s->from);
	}
	ts_rows_close(rows);
	return code ? code : bad;
}

/* --- row by row ----------------------------------------------------------------------------------- */

static enum ts_code
search_rows(struct ts_trace_hits *h, struct ts_reader *rd, const struct searching *s,
	struct ts_progress *progress, struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = TS_STEP_Q_COUNT,
		.range = s->range,
		.from = s->from,
		.to = s->to,
		.past_damage = true};
	struct ts_rows *rows;
	enum ts_code code;
	int64_t step;
	bool there;

	memcpy(q.columns, ts_step_columns, sizeof(ts_step_columns));
	code = ts_reader_rows(&rows, rd, TS_STEP, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		if (++h->looked_at % PROGRESS_ROWS == 0)
			ts_progress_set(progress, h->looked_at,
				s->range == TS_RANGE_ALL ? s->t->rows : s->to - s->from);
		if (ts_rows_number(rows, TS_STEP_Q_STEP, &step) == TS_VALUE_OK &&
			row_matches(s, rows)) {
			mark(h, step);
			h->called += s->called && ts_rows_known(rows, TS_STEP_Q_PROGRAM) != s->id;
		}
	}
	ts_rows_close(rows);
	return code;
}

/* "set:12": a number behind the prefix, and nothing else. */
static bool
numbered(const char *needle, const char *prefix, int64_t *id)
{
	char *end;

	if (strncasecmp(needle, prefix, strlen(prefix)) != 0)
		return false;
	needle += strlen(prefix);
	if (*needle < '0' || *needle > '9')
		return false;
	errno = 0;
	*id = strtoll(needle, &end, 10);
	return *end == '\0' && errno == 0 && *id <= TS_NUMBER_MAX;
}

int64_t
ts_trace_needle_program(const char *needle)
{
	int64_t id;

	return numbered(needle, program_prefix, &id) ? id : TS_UNKNOWN;
}

static enum ts_code
search(struct ts_trace_hits *h, struct ts_reader *rd, struct searching s,
	struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_trace *t = s.t;
	const char *needle = s.needle;
	int64_t steps = trace_add(t->last_step - t->first_step, 1);
	enum ts_code code;
	bool memory;

	*h = (struct ts_trace_hits){.first = t->first_step,
		.calls = s.called && s.called->count > 1};
	snprintf(h->needle, sizeof(h->needle), "%s", needle);
	h->steps = ts_clamp_i64(steps, 0, (int64_t)TS_TRACE_HITS_BYTES * 8);
	h->bit = ts_alloc((size_t)h->steps / 8 + 1, 1);
	if (strncasecmp(needle, type_prefix, strlen(type_prefix)) == 0) {
		s.type_only = true;
		s.needle += strlen(type_prefix);
	}
	if (numbered(needle, set_prefix, &s.id))
		s.only = TS_STEP_Q_COMPUTE_SET;
	else if (numbered(needle, program_prefix, &s.id))
		s.only = TS_STEP_Q_PROGRAM;
	memory = match_names(&s.programs, &t->names.programs, s.needle);
	memory &= match_names(&s.compute_sets, &t->names.compute_sets, s.needle);
	code = !h->bit || !memory   ? ts_err_nomem(err)
		: by_column(rd, &s) ? search_columns(h, rd, &s, progress, err)
				    : search_rows(h, rd, &s, progress, err);
	matches_fini(&s.programs);
	matches_fini(&s.compute_sets);
	return code;
}

enum ts_code
ts_trace_search(struct ts_trace_hits *h, struct ts_reader *rd, const struct ts_trace *t,
	const char *needle, struct ts_progress *progress, struct ts_err *err)
{
	struct searching s = {.t = t, .needle = needle};
	int64_t program = ts_trace_needle_program(needle);
	struct ts_program_called *called = NULL;
	enum ts_code code = TS_OK;

	*h = (struct ts_trace_hits){.first = t->first_step};
	if (program != TS_UNKNOWN)
		code = ts_program_called_read(&called, rd, program, NULL, progress, err);
	s.called = called;
	if (!code)
		code = search(h, rd, s, progress, err);
	ts_program_called_close(called);
	return code;
}

enum ts_code
ts_trace_search_part(struct ts_trace_hits *h, struct ts_reader *rd, const struct ts_trace *t,
	const char *needle, const struct ts_program_called *called, int64_t from, int64_t to,
	struct ts_progress *progress, struct ts_err *err)
{
	struct searching s = {.t = t,
		.needle = needle,
		.called = called,
		.range = TS_RANGE_ROWID,
		.from = from,
		.to = to};

	return search(h, rd, s, progress, err);
}

void
ts_trace_hits_add(struct ts_trace_hits *h, const struct ts_trace_hits *more)
{
	int64_t end = ts_min_i64(h->steps, more->most);

	for (int64_t i = more->least / 8; h->bit && more->bit && i < (end + 7) / 8; i++)
		h->bit[i] |= more->bit[i];
	if (more->most > 0) {
		h->least = h->most > 0 ? ts_min_i64(h->least, more->least) : more->least;
		h->most = ts_max_i64(h->most, end);
	}
	h->count += more->count;
	h->left_out += more->left_out;
	h->looked_at += more->looked_at;
	h->called += more->called;
}

void
ts_trace_hits_fini(struct ts_trace_hits *h)
{
	free(h->bit);
	*h = (struct ts_trace_hits){0};
}

/* --- cost ------------------------------------------------------------------------------------- */

enum { C_STEP, C_IPU, C_CYCLES, C_START, C_COLUMNS };

static const int cost_columns[C_COLUMNS] = {TS_STEP_IPU_STEP, TS_STEP_IPU_IPU, TS_STEP_IPU_CYCLES,
	TS_STEP_IPU_START};

static void
mark_column(struct ts_trace_cost *c, const struct ts_trace *t, int64_t start)
{
	double share;

	if (start < t->from || start >= t->to || c->columns <= 0)
		return;
	share = (double)(start - t->from) / (double)(t->to - t->from);
	c->mark[(int)ts_min_i64((int64_t)(share * c->columns), c->columns - 1)] = true;
}

static void
take_row(struct ts_trace_cost *c, int64_t step, int64_t cycles, int64_t start,
	const struct ts_trace *t, const struct ts_trace_hits *h)
{
	int run;
	bool hit;

	if (step == TS_UNKNOWN || cycles == TS_UNKNOWN || !ts_add_i64(&c->all, cycles)) {
		c->left_out++;
		return;
	}
	hit = ts_trace_hit(h, step);
	run = ts_trace_run_of(t, step);
	if (run >= 0)
		c->run[run].all += cycles; /* at most c->all */
	if (!hit)
		return;
	c->hits += cycles;
	if (run >= 0)
		c->run[run].hits += cycles;
	if (start != TS_UNKNOWN)
		mark_column(c, t, start);
}

enum ts_code
ts_trace_cost_read(struct ts_trace_cost *cost, struct ts_reader *rd, const struct ts_trace *t,
	const struct ts_trace_hits *h, int64_t ipu, int columns, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = C_COLUMNS, .past_damage = true, .unknowns = true};
	bool counted = t->part.range == TS_RANGE_ROWID;
	int64_t total = counted ? t->part.last - t->part.first + 1 : 0, n = 0;
	struct ts_rows_block b;
	struct ts_rows *rows;
	enum ts_code code;

	memset(cost, 0, sizeof(*cost));
	cost->ipu = ipu;
	cost->runs = t->runs;
	cost->columns = (int)ts_clamp_i64(columns, 0, TS_TRACE_COLUMNS);
	memcpy(q.columns, cost_columns, sizeof(cost_columns));
	code = ts_reader_rows(&rows, rd, TS_STEP_IPU, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_block(rows, &b, err)) && b.rows > 0) {
		for (int i = 0; i < b.rows; i++)
			if (b.v[C_IPU][i] == ipu)
				take_row(cost, b.v[C_STEP][i], b.v[C_CYCLES][i], b.v[C_START][i], t,
					h);
		ts_progress_set(progress, n += b.rows, total);
	}
	ts_rows_close(rows);
	return code;
}
