/* SPDX-License-Identifier: MIT */
/*
 * index_liveness - the timeline in the index.
 *
 * The payload is struct ts_liveness laid out flat: a head, and its arrays as they are. Steps are put
 * in order, and into groups, by those that come before them: one part reads all of them (a quarter of a
 * million at most on the largest machines), the others have nothing to do.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_build.h"
#include "tilescope/report/index_categories.h"
#include "tilescope/report/index_liveness.h"

#include "liveness_internal.h"

enum { LEFT_TO_THE_ROWS = 1, ASSUMED = 2, GROUPS = 4 };

/* --- writing ---------------------------------------------------------------------------------- */

static bool
can(const struct ts_report *r)
{
	return ts_report_has(r, TS_LIVENESS_STEP);
}

static enum ts_code
read_part(struct ts_pass_part *p, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	return p->number == 0 ? ts_liveness_read_rows(p->state, rd, progress, err) : TS_OK;
}

static struct liveness_head
head_of(const struct ts_liveness *l)
{
	return (struct liveness_head){.flags = (l->memory_assumed ? ASSUMED : 0u) |
			(l->sum ? GROUPS : 0u),
		.count = l->count,
		.nodes = l->nodes,
		.peaks = l->peaks.count,
		.peaks_found = l->peaks.found,
		.per = l->per,
		.last = l->last,
		.steps = l->steps,
		.first_step = l->first_step,
		.last_step = l->last_step,
		.bad_rows = l->bad_rows,
		.repeated = l->repeated,
		.unsorted = l->unsorted,
		.peak = l->peak,
		.always_live = l->always_live,
		.memory = l->memory,
		.replicas = l->replicas};
}

size_t
liveness_bytes(const struct ts_liveness *l)
{
	size_t point = sizeof(*l->step) + sizeof(*l->bytes) + sizeof(*l->program) +
		(l->sum ? sizeof(*l->sum) + sizeof(*l->least) : 0);

	return l->count * point + l->nodes * sizeof(*l->node) +
		l->peaks.count * sizeof(*l->peaks.peak);
}

enum ts_code
liveness_put(struct ts_section_writer *w, struct liveness_head *h, const struct ts_liveness *l,
	struct ts_err *err)
{
	const struct ts_section_array array[] = {
		{&h->step_at, l->step, l->count * sizeof(*l->step)},
		{&h->bytes_at, l->bytes, l->count * sizeof(*l->bytes)},
		{&h->program_at, l->program, l->count * sizeof(*l->program)},
		{&h->sum_at, l->sum, l->sum ? l->count * sizeof(*l->sum) : 0},
		{&h->least_at, l->least, l->sum ? l->count * sizeof(*l->least) : 0},
		{&h->node_at, l->node, l->nodes * sizeof(*l->node)},
		{&h->peak_at, l->peaks.peak, l->peaks.count * sizeof(*l->peaks.peak)},
	};
	enum ts_code code = TS_OK;

	*h = head_of(l);
	for (size_t i = 0; !code && i < TS_COUNT(array); i++)
		code = ts_section_append(w, array[i].at, array[i].n ? array[i].bytes : "",
			array[i].n, err);
	return code;
}

static enum ts_code
write_timeline(struct ts_section_writer *w, const struct ts_liveness *l, size_t most,
	struct ts_err *err)
{
	struct liveness_head h = {.flags = LEFT_TO_THE_ROWS};
	enum ts_code code = ts_section_append(w, NULL, &h, sizeof(h), err);

	if (code || sizeof(h) + liveness_bytes(l) > most)
		return code;
	code = liveness_put(w, &h, l, err);
	return code ? code : ts_section_put(w, 0, &h, sizeof(h), err);
}

static enum ts_code
finish(struct ts_pass_run *run, struct ts_pass_part *parts, int count, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	(void)count;
	(void)rd;
	(void)progress;
	return write_timeline(run->writer[0], parts[0].state, ts_section_share(run->report), err);
}

static void
part_fini(struct ts_pass_part *p)
{
	ts_liveness_fini(p->state);
}

const struct ts_pass ts_pass_liveness = {
	.what = "liveness steps",
	.relation = TS_LIVENESS_STEP,
	.section = {TS_SECTION_LIVENESS, TS_SECTION_COUNT},
	.can = can,
	.part_size = sizeof(struct ts_liveness),
	.part = read_part,
	.finish = finish,
	.part_fini = part_fini,
};

/* --- reading ---------------------------------------------------------------------------------- */

/* An array of the payload, to be read only; NULL and *ok false when it does not lie in it. */
static void *
array_at(const void *payload, size_t size, uint64_t at, uint64_t count, size_t each, bool *ok)
{
	const void *p = ts_section_at(payload, size, at, count, each);

	*ok = *ok && p;
	return (void *)(uintptr_t)p;
}

/* Do indices point where something is? */
static bool
is_sound(const struct ts_liveness *l)
{
	bool ok = l->per >= 1 && l->last >= 1 && l->last <= l->per && l->replicas >= 1 &&
		l->nodes == ts_liveness_nodes(l->count) && l->peaks.count <= TS_LIVENESS_PEAKS &&
		(l->count > 0) == (l->peaks.count > 0);

	for (size_t i = 0; ok && i < l->nodes; i++)
		ok = l->node[i].highest < l->count && l->node[i].bytes >= 0;
	for (size_t i = 0; ok && i < l->peaks.count; i++)
		ok = l->peaks.peak[i].at < l->count;
	return ok;
}

bool
liveness_map(struct ts_liveness *l, struct ts_index *x, const void *payload, size_t size,
	const struct liveness_head *h)
{
	struct ts_liveness in;
	bool ok = true;
	uint64_t groups;

	if (h->flags & LEFT_TO_THE_ROWS || h->count > TS_LIVENESS_POINTS)
		return false;
	groups = h->flags & GROUPS ? h->count : 0;
	in = (struct ts_liveness){.count = h->count,
		.nodes = h->nodes,
		.per = h->per,
		.last = h->last,
		.steps = h->steps,
		.first_step = h->first_step,
		.last_step = h->last_step,
		.bad_rows = h->bad_rows,
		.repeated = h->repeated,
		.unsorted = h->unsorted,
		.peak = h->peak,
		.always_live = h->always_live,
		.memory = h->memory,
		.replicas = h->replicas,
		.memory_assumed = h->flags & ASSUMED};
	in.peaks.count = h->peaks;
	in.peaks.found = h->peaks_found;
	in.step = array_at(payload, size, h->step_at, h->count, sizeof(*in.step), &ok);
	in.bytes = array_at(payload, size, h->bytes_at, h->count, sizeof(*in.bytes), &ok);
	in.program = array_at(payload, size, h->program_at, h->count, sizeof(*in.program), &ok);
	in.node = array_at(payload, size, h->node_at, h->nodes, sizeof(*in.node), &ok);
	in.peaks.peak = array_at(payload, size, h->peak_at, h->peaks, sizeof(*in.peaks.peak), &ok);
	if (groups) {
		in.sum = array_at(payload, size, h->sum_at, groups, sizeof(*in.sum), &ok);
		in.least = array_at(payload, size, h->least_at, groups, sizeof(*in.least), &ok);
	}
	if (!ok || !is_sound(&in))
		return false;
	in.index = ts_index_hold(x);
	*l = in;
	return true;
}

bool
ts_liveness_indexed(struct ts_liveness *l, struct ts_index *x)
{
	size_t size;
	const void *payload = ts_index_section(x, TS_SECTION_LIVENESS, &size);
	const struct liveness_head *h = payload ? ts_section_at(payload, size, 0, 1, sizeof(*h))
						: NULL;

	return h && liveness_map(l, x, payload, size, h);
}
