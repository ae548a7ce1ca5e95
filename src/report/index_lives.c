/* SPDX-License-Identifier: MIT */
/*
 * index_lives - the lives of variables in the index: a head and the arrays of struct ts_lives.
 *
 * Variables have to be known before their lives mean something, and lives are put in order: one part
 * does it all. It pays where there are millions; then it is a copy of two columns and a half.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_build.h"
#include "tilescope/report/index_lives.h"

#include "lives_internal.h"

struct part {
	struct ts_lives *lives;
};

static bool
can(const struct ts_report *r)
{
	return ts_report_has(r, TS_VARIABLE) && ts_report_has(r, TS_LIVENESS_VARIABLE);
}

static enum ts_code
read_part(struct ts_pass_part *p, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct part *part = p->state;

	return p->number == 0 ? ts_lives_read_rows(&part->lives, rd, p->run->cache, progress, err)
			      : TS_OK;
}

static enum ts_code
finish(struct ts_pass_run *run, struct ts_pass_part *parts, int count, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_lives *l = ((struct part *)parts[0].state)->lives;
	struct ts_section_writer *w = run->writer[0];
	struct lives_head h = lives_head_of(l);
	const struct ts_section_array array[] = {
		{&h.life_at, l->life, l->count * sizeof(*l->life)},
		{&h.variable_at, l->variable, l->variables * sizeof(*l->variable)},
		{&h.total_at, l->total, l->totals * sizeof(*l->total)},
	};

	(void)count;
	(void)rd;
	(void)progress;
	return ts_section_put_arrays(w, &h, sizeof(h), array, TS_COUNT(array), err);
}

static void
part_fini(struct ts_pass_part *p)
{
	ts_lives_close(((struct part *)p->state)->lives);
}

const struct ts_pass ts_pass_lives = {
	.what = "lives of variables",
	.relation = TS_LIVENESS_VARIABLE,
	.section = {TS_SECTION_LIVES, TS_SECTION_COUNT},
	.can = can,
	.part_size = sizeof(struct part),
	.part = read_part,
	.finish = finish,
	.part_fini = part_fini,
};

struct lives_head
lives_head_of(const struct ts_lives *l)
{
	return (struct lives_head){.count = l->count,
		.variables = l->variables,
		.totals = l->totals,
		.bad_rows = l->bad_rows,
		.reversed = l->reversed,
		.orphans = l->orphans,
		.always = l->always,
		.beyond = l->beyond,
		.left_out = l->left_out};
}

enum ts_code
lives_map(struct ts_lives **out, struct ts_index *x, const void *payload, size_t size,
	const struct lives_head *h, struct ts_err *err)
{
	struct ts_lives *l;

	*out = NULL;
	if (h->count > TS_LIVES_MAX || h->variables > TS_LIVES_MAX || h->totals > TS_LIVES_TOTALS)
		return TS_OK;
	l = ts_alloc(1, sizeof(*l));
	if (!l)
		return ts_err_nomem(err);
	atomic_init(&l->uses, 1);
	l->count = h->count;
	l->life = ts_section_at(payload, size, h->life_at, h->count, sizeof(*l->life));
	l->variables = h->variables;
	l->variable = ts_section_at(payload, size, h->variable_at, h->variables,
		sizeof(*l->variable));
	l->totals = h->totals;
	l->total = ts_section_at(payload, size, h->total_at, h->totals, sizeof(*l->total));
	l->bad_rows = h->bad_rows;
	l->reversed = h->reversed;
	l->orphans = h->orphans;
	l->always = h->always;
	l->beyond = h->beyond;
	l->left_out = h->left_out;
	l->index = ts_index_hold(x);
	if (!l->life || !l->variable || !l->total) {
		ts_lives_close(l);
		return TS_OK;
	}
	*out = l;
	return TS_OK;
}

enum ts_code
ts_lives_indexed(struct ts_lives **out, struct ts_index *x, struct ts_err *err)
{
	size_t size;
	const void *payload = ts_index_section(x, TS_SECTION_LIVES, &size);
	const struct lives_head *h = payload ? ts_section_at(payload, size, 0, 1, sizeof(*h))
					     : NULL;

	*out = NULL;
	return h ? lives_map(out, x, payload, size, h, err) : TS_OK;
}
