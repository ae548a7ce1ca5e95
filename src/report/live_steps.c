/* SPDX-License-Identifier: MIT */
/*
 * live_steps - names of the programs of a timeline, and asking them.
 *
 * One pass over the programs keeps the names of those that run at a point; then each point is asked. The same
 * program runs at many points: what a search says of it is kept, what a filter says of its texts is asked again, for
 * it may ask for the step, too.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/base/utf8.h"
#include "tilescope/report/live_steps.h"
#include "tilescope/report/names.h"
#include "tilescope/report/rows.h"

#include "liveness_internal.h"

enum { LONGEST = 8192, LOOK_EVERY = 4096 };

const struct ts_filter_field ts_live_step_fields[TS_LIVE_STEP_FIELDS + 1] = {
	[TS_LIVE_STEP_NAME] = {"name", NULL, TS_FILTER_NAME, "name~\"layer_1.*matMul\""},
	[TS_LIVE_STEP_TYPE] = {"type", NULL, TS_FILTER_WORD, "type=DoExchange"},
	[TS_LIVE_STEP_STEP] = {"step", NULL, TS_FILTER_NUMBER, "step:100-200"},
	[TS_LIVE_STEP_BYTES] = {"bytes", "size", TS_FILTER_BYTES, "bytes>1M"},
	[TS_LIVE_STEP_PROGRAM] = {"program", NULL, TS_FILTER_NUMBER, "program:506"},
	[TS_LIVE_STEP_FIELDS] = {0},
};

/* A program that runs somewhere in the timeline. */
struct called {
	int32_t program;
	uint32_t at, type,
		length; /* in `text`, with a NUL behind it; bytes of its type; length 0 = not known */
};

struct names {
	struct called *called; /* by program, each once */
	size_t count;
	struct ts_strbuf text;
	bool full; /* there was no room for some of them */
};

static int
by_program(const void *a, const void *b)
{
	const struct called *x = a, *y = b;

	return (x->program > y->program) - (x->program < y->program);
}

static struct called *
called_of(const struct names *n, int64_t program)
{
	struct called key = {.program = (int32_t)program};

	if (program < 0 || program > INT32_MAX)
		return NULL;
	return bsearch(&key, n->called, n->count, sizeof(key), by_program);
}

/* The programs of the points, without their names. */
static bool
begin_names(struct names *n, const struct ts_liveness *l)
{
	size_t kept = 0;

	*n = (struct names){0};
	ts_strbuf_init(&n->text, TS_LIVE_NAMES);
	n->called = ts_alloc(l->count ? l->count : 1, sizeof(*n->called));
	if (!n->called)
		return false;
	for (size_t i = 0; i < l->count; i++)
		if (l->program[i] >= 0)
			n->called[n->count++].program = l->program[i];
	qsort(n->called, n->count, sizeof(*n->called), by_program);
	for (size_t i = 0; i < n->count; i++)
		if (kept == 0 || n->called[kept - 1].program != n->called[i].program)
			n->called[kept++] = n->called[i];
	n->count = kept;
	return true;
}

static void
fini_names(struct names *n)
{
	free(n->called);
	ts_strbuf_fini(&n->text);
}

/* Type, blank, name; of both what is known. The first row of a program counts. */
static void
call(struct names *n, struct called *c, struct ts_rows *rows, const struct ts_names *compute_sets)
{
	const char *type = "", *name = "";
	size_t types, names;
	int64_t compute_set;

	if (c->length > 0)
		return;
	if (ts_rows_text(rows, 1, &type, &types) != TS_VALUE_OK)
		types = 0;
	if (ts_rows_text(rows, 2, &name, &names) != TS_VALUE_OK || names == 0) {
		names = 0;
		if (ts_rows_number(rows, 3, &compute_set) == TS_VALUE_OK)
			name = ts_names_find(compute_sets, compute_set, &names);
		name = name ? name : "";
	}
	types = types < LONGEST ? types : LONGEST;
	names = names < LONGEST ? names : LONGEST;
	if (n->text.len + types + names + 2 > n->text.max) {
		n->full = true;
		return;
	}
	c->at = (uint32_t)n->text.len;
	c->type = (uint32_t)types;
	ts_strbuf_add(&n->text, type, types);
	if (types > 0 && names > 0)
		ts_strbuf_putc(&n->text, ' ');
	ts_strbuf_add(&n->text, name, names);
	c->length = (uint32_t)n->text.len - c->at;
	ts_strbuf_putc(&n->text, '\0');
}

/* What is read past damage is kept. */
static enum ts_code
read_names(struct names *n, struct ts_reader *rd, struct ts_progress *progress, struct ts_err *err)
{
	static const struct ts_rows_query q = {.columns = {TS_PROGRAM_PROGRAM, TS_PROGRAM_TYPE,
						       TS_PROGRAM_NAME, TS_PROGRAM_COMPUTE_SET},
		.column_count = 4,
		.past_damage = true};
	struct ts_names compute_sets;
	struct ts_rows *rows;
	enum ts_code code, sets;
	int64_t done = 0;
	bool there;

	if (!ts_report_has(rd->report, TS_PROGRAM))
		return TS_OK;
	code = sets = ts_names_read(&compute_sets, rd, TS_COMPUTE_SET, TS_COMPUTE_SET_COMPUTE_SET,
		TS_COMPUTE_SET_NAME, err);
	if (!liveness_ends_all(code))
		code = ts_reader_rows(&rows, rd, TS_PROGRAM, &q, err);
	if (code) {
		ts_names_fini(&compute_sets);
		return code;
	}
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		struct called *c = NULL;
		int64_t program;

		if (ts_rows_number(rows, 0, &program) == TS_VALUE_OK)
			c = called_of(n, program);
		if (c)
			call(n, c, rows, &compute_sets);
		if (++done % LOOK_EVERY == 0 && progress)
			ts_progress_set(progress, done,
				ts_reach_span(&rd->report->binding[TS_PROGRAM].reach));
	}
	ts_rows_close(rows);
	ts_names_fini(&compute_sets);
	if (n->text.nomem)
		return ts_err_nomem(err);
	return code ? code : sets;
}

static bool
asks_names(const char *needle, const struct ts_filter *filter)
{
	return needle || ts_filter_uses(filter, TS_LIVE_STEP_NAME) ||
		ts_filter_uses(filter, TS_LIVE_STEP_TYPE);
}

/* --- a point ---------------------------------------------------------------------------------- */

struct asked {
	const struct names *names;
	const struct ts_filter_use *use;
	const struct called *called; /* NULL: not known */
	int64_t step, bytes, program;
};

static bool
number_of(void *ctx, int field, int64_t *v)
{
	const struct asked *a = ctx;

	*v = field == TS_LIVE_STEP_STEP	      ? a->step
		: field == TS_LIVE_STEP_BYTES ? a->bytes
					      : a->program;
	return *v >= 0;
}

static enum ts_truth
text_of(void *ctx, const struct ts_filter_node *n)
{
	const struct asked *a = ctx;

	if (!a->called)
		return TS_UNSURE;
	return ts_filter_text(a->use, n, a->names->text.s + a->called->at,
		n->field == TS_LIVE_STEP_TYPE ? a->called->type : a->called->length);
}

static enum ts_code
ask_points(struct ts_live_hits *h, const struct names *names, const struct ts_liveness *l,
	const char *needle, const struct ts_filter_use *use, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct asked a = {.names = names, .use = use};
	const struct ts_filter_row row = {&a, number_of, text_of, NULL, NULL};
	const struct called *before = NULL;
	bool said = false;

	for (size_t i = 0; i < l->count; i++) {
		if (i % LOOK_EVERY == 0 && ts_cancelled(cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		a.called = called_of(names, l->program[i]);
		if (a.called && a.called->length == 0)
			a.called = NULL;
		h->nameless += !a.called;
		if (!needle) {
			a.step = l->step[i];
			a.bytes = l->bytes[i];
			a.program = l->program[i];
			said = ts_filter_ask(use->filter, &row) == TS_YES;
		} else if (!a.called || a.called != before) {
			said = a.called && ts_contains_nocase(names->text.s + a.called->at, needle);
			before = a.called;
		}
		h->hit[i] = said;
		h->hits += said;
	}
	return TS_OK;
}

enum ts_code
ts_live_hits_find(struct ts_live_hits *h, struct ts_reader *rd, const struct ts_liveness *points,
	const char *needle, const struct ts_filter *filter, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_filter_use use = {0};
	struct names names;
	enum ts_code code = TS_OK;
	bool asked = asks_names(needle, filter);

	*h = (struct ts_live_hits){.points = points->count};
	h->hit = ts_alloc(points->count ? points->count : 1, 1);
	if (!begin_names(&names, points) || !h->hit)
		code = ts_err_nomem(err);
	if (!code && !needle)
		code = ts_filter_use_init(&use, filter, err);
	if (!code && asked) {
		struct ts_err why = {0};

		code = read_names(&names, rd, progress, &why);
		h->partial = code != TS_OK || names.full;
		if (!liveness_ends_all(code))
			code = TS_OK; /* what cannot be read has no name */
		else if (err)
			*err = why;
	}
	if (!code)
		code = ask_points(h, &names, points, needle, &use, rd->cancel, err);
	if (!asked)
		h->nameless = 0;
	h->absent = asked && !h->partial && h->nameless == (int64_t)points->count;
	if (!code && !needle)
		code = ts_filter_use_check(&use, err);
	if (!needle)
		ts_filter_use_fini(&use);
	fini_names(&names);
	return code;
}

void
ts_live_hits_fini(struct ts_live_hits *h)
{
	free(h->hit);
	*h = (struct ts_live_hits){0};
}

/* --- timelines -------------------------------------------------------------------------------- */

/* Room for n points as those of l are. */
static bool
points_room(struct ts_liveness *to, const struct ts_liveness *l, size_t n)
{
	size_t cap = n ? n : 1;

	to->cap = cap;
	to->step = ts_alloc(cap, sizeof(*to->step));
	to->bytes = ts_alloc(cap, sizeof(*to->bytes));
	to->program = ts_alloc(cap, sizeof(*to->program));
	if (l->sum)
		to->sum = ts_alloc(cap, sizeof(*to->sum));
	if (l->least)
		to->least = ts_alloc(cap, sizeof(*to->least));
	return to->step && to->bytes && to->program && (!l->sum || to->sum) &&
		(!l->least || to->least);
}

/* What is known of all, whichever points there are. */
static void
copy_head(struct ts_liveness *to, const struct ts_liveness *l)
{
	liveness_begin(to);
	to->per = l->per;
	to->last = l->last;
	to->steps = l->steps;
	to->first_step = l->first_step;
	to->last_step = l->last_step;
	to->always_live = l->always_live;
	to->memory = l->memory;
	to->memory_assumed = l->memory_assumed;
	to->replicas = l->replicas;
	to->bad_rows = l->bad_rows;
	to->repeated = l->repeated;
	to->unsorted = l->unsorted;
}

static void
add_copy(struct ts_liveness *to, const struct ts_liveness *l, size_t i)
{
	size_t n = to->count++;

	to->step[n] = l->step[i];
	to->bytes[n] = l->bytes[i];
	to->program[n] = l->program[i];
	if (to->sum)
		to->sum[n] = l->sum[i];
	if (to->least)
		to->least[n] = l->least[i];
}

bool
ts_live_points_copy(struct ts_liveness *to, const struct ts_liveness *l)
{
	copy_head(to, l);
	if (!points_room(to, l, l->count))
		return false;
	for (size_t i = 0; i < l->count; i++)
		add_copy(to, l, i);
	return true;
}

enum ts_code
ts_live_hits_keep(struct ts_liveness *out, const struct ts_liveness *points,
	const struct ts_live_hits *h, struct ts_err *err)
{
	enum ts_code code;

	copy_head(out, points);
	if (!points_room(out, points, (size_t)h->hits))
		return ts_err_nomem(err);
	for (size_t i = 0; i < points->count; i++)
		if (h->hit[i])
			add_copy(out, points, i);
	if (out->count == 0) {
		out->steps = 0;
		out->first_step = out->last_step = TS_UNKNOWN;
	} else if (out->per > 1) {
		if (!h->hit[points->count - 1])
			out->last = out->per;
		out->steps = (int64_t)(out->count - 1) * out->per + out->last;
		out->first_step = out->step[0];
		out->last_step = out->step[out->count - 1];
	}
	code = liveness_finish(out, err);
	if (!code && out->peaks.count > 0)
		out->peak = (struct ts_peak){out->peaks.peak[0].height,
			out->step[out->peaks.peak[0].at], out->steps, 0};
	return code;
}
