/* SPDX-License-Identifier: MIT */
/*
 * step_runs - see the header.
 *
 * Pairs are counted in a table of fixed size, each in the one slot that it hashes to. A pair that finds another one
 * there puts it out, into a pile; so a pair may stand in the pile several times, and is put together when the pile is
 * sorted: at the end, or before that when the pile has become large.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_build.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/step_runs.h"

enum {
	SLOTS = 1 << 14,
	PILE_FIRST = 1 << 20, /* runs in the pile when it is put together for the first time */
	PAIRS_MAX = 1 << 24,
	LEFT_TO_THE_ROWS = 1,
};

struct counting {
	struct ts_step_run *slot; /* steps 0: empty */
	struct ts_pile pile;	  /* struct ts_step_run */
	size_t count, full; /* runs in it; how many there may be until they are put together */
	int64_t rows;
	bool cut;
	const struct ts_cache *cache;
	const struct ts_cancel *cancel;
};

static int
by_pair(const void *a, const void *b)
{
	const struct ts_step_run *x = a, *y = b;

	if (x->program != y->program)
		return x->program < y->program ? -1 : 1;
	return (x->compute_set > y->compute_set) - (x->compute_set < y->compute_set);
}

/* Each pair once, in order. */
static enum ts_code
put_together(struct counting *k, struct ts_err *err)
{
	enum ts_code code = ts_pile_sort(&k->pile, k->count, sizeof(struct ts_step_run), by_pair,
		k->cache, k->cancel, err);
	struct ts_step_run *run = k->pile.memory;
	size_t n = 0;

	if (code)
		return code;
	for (size_t i = 0; i < k->count; i++) {
		if (n == 0 || by_pair(&run[n - 1], &run[i]) != 0) {
			run[n++] = run[i];
			continue;
		}
		run[n - 1].first = ts_min_i64(run[n - 1].first, run[i].first);
		run[n - 1].steps += run[i].steps; /* no more than there are rows */
	}
	k->cut |= n > PAIRS_MAX;
	k->count = n > PAIRS_MAX ? PAIRS_MAX : n;
	k->pile.used = k->count * sizeof(*run);
	k->full = k->count * 2 > PILE_FIRST ? k->count * 2 : PILE_FIRST;
	return TS_OK;
}

static enum ts_code
put_out(struct counting *k, const struct ts_step_run *run, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	if (k->count >= k->full)
		code = put_together(k, err);
	if (!code)
		code = ts_pile_add(&k->pile, run, sizeof(*run), k->cache, err);
	k->count += !code;
	return code;
}

static size_t
slot_of(int64_t program, int64_t set)
{
	uint64_t h = (uint64_t)program * UINT64_C(0x9e3779b97f4a7c15) ^
		(uint64_t)set * UINT64_C(0xc2b2ae3d27d4eb4f);

	return (size_t)(h >> 40) % SLOTS;
}

static enum ts_code
count_block(struct counting *k, const struct ts_rows_block *b, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (int i = 0; i < b->rows && !code; i++, k->rows++) {
		int64_t program = b->is[0] == TS_VALUE_OK ? b->v[0][i] : TS_UNKNOWN;
		int64_t set = b->is[1] == TS_VALUE_OK ? b->v[1][i] : TS_UNKNOWN;
		struct ts_step_run *slot = &k->slot[slot_of(program, set)];

		if (slot->steps > 0 && (slot->program != program || slot->compute_set != set)) {
			code = put_out(k, slot, err);
			slot->steps = 0;
		}
		if (slot->steps == 0)
			*slot = (struct ts_step_run){program, set, 0, k->rows};
		slot->steps++;
	}
	return code;
}

/* The steps of a range, each pair once. Damage ends it behind the last row that can be read. */
static enum ts_code
count_rows(struct counting *k, struct ts_reader *rd, struct ts_rows_query q,
	struct ts_progress *progress, int64_t of, struct ts_err *err)
{
	struct ts_rows_block b;
	struct ts_rows *rows;
	enum ts_code code, damage = TS_OK;

	q.columns[0] = TS_STEP_PROGRAM;
	q.columns[1] = TS_STEP_COMPUTE_SET;
	q.column_count = 2;
	k->cancel = rd->cancel;
	k->full = PILE_FIRST;
	k->slot = ts_alloc(SLOTS, sizeof(*k->slot));
	if (!k->slot)
		return ts_err_nomem(err);
	code = ts_reader_rows(&rows, rd, TS_STEP, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_block(rows, &b, err)) && b.rows > 0) {
		code = count_block(k, &b, err);
		if (code)
			break;
		ts_progress_set(progress, k->rows, of);
	}
	ts_rows_close(rows);
	if (code == TS_E_DAMAGED) {
		damage = code;
		code = TS_OK;
	}
	for (size_t i = 0; i < SLOTS && !code; i++)
		if (k->slot[i].steps > 0)
			code = put_out(k, &k->slot[i], err);
	if (!code)
		code = put_together(k, err);
	return code ? code : damage;
}

static void
counting_fini(struct counting *k)
{
	free(k->slot);
	k->slot = NULL;
	ts_pile_fini(&k->pile);
}

/* --- the section ------------------------------------------------------------------------------ */

struct head {
	uint64_t flags, count, run_at;
};

static enum ts_code
read_part(struct ts_pass_part *p, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	const struct ts_rows_query q = {.range = p->range, .from = p->from, .to = p->to};
	struct counting *k = p->state;

	k->cache = p->run->cache;
	return count_rows(k, rd, q, progress, 0, err);
}

static void
part_fini(struct ts_pass_part *p)
{
	counting_fini(p->state);
}

/* What all parts have, behind one another: rows are numbered on. */
static enum ts_code
join(struct counting *all, struct ts_pass_part *parts, int count, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (int p = 0; p < count && !code; p++) {
		struct counting *k = parts[p].state;
		struct ts_step_run *run = k->pile.memory;

		for (size_t i = 0; i < k->count && !code; i++) {
			run[i].first += all->rows;
			code = put_out(all, &run[i], err);
		}
		all->rows += k->rows;
		all->cut |= k->cut;
	}
	return code ? code : put_together(all, err);
}

static enum ts_code
finish(struct ts_pass_run *run, struct ts_pass_part *parts, int count, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	struct counting all = {.full = PILE_FIRST, .cache = run->cache, .cancel = rd->cancel};
	struct head h = {0};
	struct ts_section_array array = {.at = &h.run_at};
	enum ts_code code = join(&all, parts, count, err);

	(void)progress;
	h.flags = all.cut ? LEFT_TO_THE_ROWS : 0;
	h.count = all.cut ? 0 : all.count;
	array.bytes = all.pile.memory;
	array.n = (size_t)h.count * sizeof(struct ts_step_run);
	if (!code)
		code = ts_section_put_arrays(run->writer[0], &h, sizeof(h), &array, 1, err);
	counting_fini(&all);
	return code;
}

static bool
can(const struct ts_report *r)
{
	return ts_report_has(r, TS_STEP);
}

const struct ts_pass ts_pass_runs = {
	.what = "what steps execute",
	.relation = TS_STEP,
	.section = {TS_SECTION_RUNS, TS_SECTION_COUNT},
	.can = can,
	.part_size = sizeof(struct counting),
	.part = read_part,
	.finish = finish,
	.part_fini = part_fini,
};

/* --- reading ---------------------------------------------------------------------------------- */

/* Numbers are believed when they are some: who added them up could not do with others. */
static bool
is_sound(const struct ts_step_run *run, size_t count)
{
	int64_t steps = 0;

	for (size_t i = 0; i < count; i++)
		if (run[i].program < TS_UNKNOWN || run[i].compute_set < TS_UNKNOWN ||
			run[i].steps <= 0 || run[i].first < 0 ||
			!ts_add_i64(&steps, run[i].steps) ||
			(i > 0 && by_pair(&run[i - 1], &run[i]) >= 0))
			return false;
	return true;
}

static bool
take_section(struct ts_step_runs *out, struct ts_index *x)
{
	size_t size;
	const void *payload = ts_index_section(x, TS_SECTION_RUNS, &size);
	const struct head *h = payload ? ts_section_at(payload, size, 0, 1, sizeof(*h)) : NULL;
	const struct ts_step_run *run;

	if (!h || h->flags & LEFT_TO_THE_ROWS)
		return false;
	run = ts_section_at(payload, size, h->run_at, h->count, sizeof(*run));
	if (!run || !is_sound(run, (size_t)h->count))
		return false;
	out->count = (size_t)h->count;
	out->run = run;
	out->index = ts_index_hold(x);
	return true;
}

enum ts_code
ts_step_runs_read(struct ts_step_runs *out, struct ts_reader *rd, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_binding *b = &rd->report->binding[TS_STEP];
	struct counting k = {.cache = cache};
	enum ts_code code;

	*out = (struct ts_step_runs){0};
	if (!b->bound)
		return ts_err_set(err, TS_E_ABSENT, "%s", b->reason);
	if (take_section(out, rd->index))
		return TS_OK;
	code = count_rows(&k, rd, (struct ts_rows_query){.past_damage = true}, progress,
		ts_reach_span(&b->reach), err);
	if (!code || code == TS_E_DAMAGED) {
		out->count = k.count;
		out->cut = k.cut;
		out->made = k.pile;
		out->run = out->made.memory;
		k.pile = (struct ts_pile){0};
	}
	counting_fini(&k);
	return code;
}

void
ts_step_runs_fini(struct ts_step_runs *r)
{
	ts_pile_fini(&r->made);
	ts_index_release(r->index);
	*r = (struct ts_step_runs){0};
}
