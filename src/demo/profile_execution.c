/* SPDX-License-Identifier: MIT */
/*
 * profile_execution - runs, steps, and cycles of tiles.
 *
 * A run is input, micro-batches, a part of the update, output. Steps come in the order of the program; every IPU has a
 * clock of its own, so that stages, whose programs stand one after the other, run at the same time and starts go back.
 * A SyncAns begins where the Sans before it was, and ends when all before it is done. Input of the next micro-batch
 * comes in while the first stage works. What a device step takes is the same in every execution.
 */
#include "config.h"

#include "profile.h"

#include <stdlib.h>
#include <string.h>

enum { CLOCK_FROM = 4096, LEAD = 24 }; /* cycles; from a step's base to its first tile */

/* ---- planning ---- */

static void
entry_new(struct pf_model *m, int segment, uint32_t prog)
{
	if (pf_room(m, (void *)&m->segment[segment], &m->segment_cap[segment],
		    m->segment_n[segment], sizeof(**m->segment)))
		m->segment[segment][m->segment_n[segment]++] = prog;
}

static void
leaves(struct pf_model *m, int segment, uint32_t prog)
{
	const struct pf_prog *p = &m->progs[prog];

	if (pf_types[p->type].step)
		entry_new(m, segment, prog);
	for (int32_t c = p->first; c >= 0; c = m->progs[c].next)
		leaves(m, segment, (uint32_t)c);
	if (p->type == PF_CALL)
		leaves(m, segment, m->functions[m->calls[p->index]]);
}

/* Cycles of a segment's programs on the IPU that is busiest. */
static int64_t
length_of(const struct pf_model *m, int segment, int64_t *busy)
{
	int64_t most = 0;

	memset(busy, 0, (size_t)m->ipus * sizeof(*busy));
	for (size_t i = 0; i < m->segment_n[segment]; i++) {
		uint32_t e = m->segment[segment][i];

		for (int k = 0; e != PF_IMPLICIT && k < m->ipus; k++)
			if (m->progs[e].ipu == PF_ALL || m->progs[e].ipu == k)
				busy[k] += m->progs[e].cycles;
	}
	for (int k = 0; k < m->ipus; k++)
		most = ts_max_i64(most, busy[k]);
	return most;
}

static void
run_plan(struct pf_model *m, struct pf_run *r, int64_t first, int64_t count, int64_t *busy)
{
	int64_t fixed = (int64_t)(m->segment_n[PF_PRE] + m->segment_n[PF_POST] +
		m->segment_n[PF_CHUNK]);
	int64_t phase = (int64_t)m->segment_n[PF_PHASE], work;

	r->first = first;
	r->count = count;
	r->phases = ts_max_i64((count - fixed) / phase, 1);
	r->chunk_steps = (int64_t)m->segment_n[PF_CHUNK] +
		ts_max_i64(count - fixed - r->phases * phase, 0);
	work = r->phases * length_of(m, PF_PHASE, busy) +
		r->chunk_steps / (int64_t)m->segment_n[PF_CHUNK] * length_of(m, PF_CHUNK, busy);
	r->wait = work * (first ? 15 : 8) / 100;
}

enum ts_code
pf_plan(struct pf_model *m, struct ts_err *err)
{
	int64_t *busy = ts_alloc((size_t)m->ipus, sizeof(*busy));
	uint32_t root = m->live[0];
	const struct pf_prog *p = &m->progs[root];

	if (!busy)
		return ts_err_nomem(err);
	leaves(m, PF_PRE, (uint32_t)p->first);
	entry_new(m, PF_PRE, PF_IMPLICIT);
	leaves(m, PF_PRE, m->pre);
	leaves(m, PF_PHASE, m->phase);
	leaves(m, PF_CHUNK, m->chunk);
	leaves(m, PF_POST, m->post);
	for (int32_t c = m->nomem ? -1 : m->progs[m->progs[p->first].next].next; c >= 0;
		c = m->progs[c].next)
		leaves(m, PF_POST, (uint32_t)c);
	if (!m->nomem) {
		run_plan(m, &m->run[0], 0, m->steps_wanted / 2, busy);
		run_plan(m, &m->run[1], m->steps_wanted / 2, m->steps_wanted - m->steps_wanted / 2,
			busy);
	}
	free(busy);
	return m->nomem ? ts_err_nomem(err) : TS_OK;
}

/* ---- cycles of tiles ---- */

struct figures {
	int64_t sum;
	uint32_t least;
};

struct player {
	struct demo_out *out;
	struct pf_model *m;
	struct figures *of; /* by program */
	struct ts_strbuf b;
	int64_t *numbers;
	/* playing */
	int run, segment;
	size_t index;
	int64_t step, phase, chunk, until, rows;
	int64_t *clock, *beside, *sans; /* of each IPU; of input that comes in beside */
	struct part *parts;
	int64_t start[PF_RUNS + 1]; /* of the runs, and the end */
	int64_t totals[PF_RUNS][PF_TYPES];
};

/* What a step is on one IPU. */
struct part {
	bool here, active, vector;
	uint32_t tiles; /* active ones */
	int64_t start, end;
};

/* Does it always last the same, so that its tiles' cycles are told? */
static bool
has_vector(const struct pf_prog *p)
{
	switch (p->type) {
	case PF_EXECUTE:
	case PF_DO_EXCHANGE:
	case PF_GLOBAL_EXCHANGE:
	case PF_STREAM_MID:
		return true;
	case PF_SYNC:
	case PF_SANS:
		return p->ipu != PF_ALL;
	default:
		return false;
	}
}

static void
vectors(struct player *y)
{
	struct pf_model *m = y->m;
	int64_t id = 0;

	pf_begin(y->out, "cycles_by_tile");
	memset(y->numbers, 0, (size_t)m->tiles * sizeof(*y->numbers));
	demo_int(y->out, 0, id++);
	pf_put(y->out, 1, &y->b, TS_BLOB_RUNS, y->numbers, (size_t)m->tiles);
	demo_row(y->out);
	for (size_t i = 0; i < m->progs_n && y->out->code == TS_OK; i++) {
		struct pf_prog *p = &m->progs[i];
		struct figures *f = &y->of[i];

		if (!p->cycles || !has_vector(p))
			continue;
		f->least = p->cycles;
		for (uint32_t t = 0; t < (uint32_t)m->tiles; t++) {
			uint32_t c = pf_cycles(m, p, t);

			y->numbers[t] = c;
			f->sum += c;
			f->least = c && c < f->least ? c : f->least;
		}
		p->vector[0] = (int32_t)id;
		demo_int(y->out, 0, id++);
		pf_put(y->out, 1, &y->b, TS_BLOB_RUNS, y->numbers, (size_t)m->tiles);
		demo_row(y->out);
	}
	demo_end(y->out);
	pf_begin(y->out, "compute_set_cycles_by_tile");
	for (size_t i = 0; i < m->sets_n && y->out->code == TS_OK; i++) {
		ts_strbuf_reset(&y->b);
		for (int k = 0; k < m->ipus; k++)
			ts_blob_put_number(&y->b,
				k == m->sets[i].ipu ? m->progs[m->sets[i].prog].vector[0] : 0);
		demo_int(y->out, 0, (int64_t)i);
		demo_blob(y->out, 1, y->b.s, y->b.len);
		demo_row(y->out);
	}
	demo_end(y->out);
}

/* ---- playing ---- */

static void
player_begin(struct player *y)
{
	y->run = -1;
	y->step = y->until = y->rows = 0;
	for (int i = 0; i < y->m->ipus; i++)
		y->clock[i] = y->beside[i] = y->sans[i] = CLOCK_FROM;
	y->start[0] = CLOCK_FROM;
	memset(y->totals, 0, sizeof(y->totals));
}

static int64_t
latest(const struct player *y)
{
	int64_t t = 0;

	for (int i = 0; i < y->m->ipus; i++)
		t = ts_max_i64(t, y->clock[i]);
	return t;
}

/* The run after this begins where this ends, on all IPUs. */
static void
run_begin(struct player *y)
{
	int64_t t = latest(y);

	y->run++;
	y->segment = PF_PRE;
	y->index = 0;
	y->phase = y->chunk = 0;
	y->until = y->m->run[y->run].first + y->m->run[y->run].count;
	y->start[y->run] = t;
	for (int i = 0; i < y->m->ipus; i++)
		y->clock[i] = y->beside[i] = y->sans[i] = t;
}

/* The next program that runs; false: none. */
static bool
next(uint32_t *prog, struct player *y)
{
	const struct pf_model *m = y->m;

	while (y->step == y->until) {
		if (y->run + 1 == PF_RUNS) {
			y->start[PF_RUNS] = latest(y);
			return false;
		}
		run_begin(y);
	}
	while (y->index == m->segment_n[y->segment] ||
		(y->segment == PF_CHUNK && y->chunk == m->run[y->run].chunk_steps)) {
		y->index = 0;
		if (y->segment == PF_PHASE && ++y->phase < m->run[y->run].phases)
			continue;
		if (y->segment == PF_CHUNK && y->chunk < m->run[y->run].chunk_steps)
			continue;
		y->segment++;
	}
	if (y->segment == PF_CHUNK)
		y->chunk++;
	*prog = m->segment[y->segment][y->index++];
	y->step++;
	return true;
}

static struct part *
part_at(struct player *y, int ipu, int64_t start, int64_t end)
{
	struct part *p = &y->parts[ipu];

	*p = (struct part){true, true, false, (uint32_t)y->m->tiles, start, end};
	y->clock[ipu] = end;
	return p;
}

/* All IPUs wait for each other. */
static void
together(struct player *y, int64_t cycles)
{
	int64_t end = latest(y) + cycles;

	for (int i = 0; i < y->m->ipus; i++)
		part_at(y, i, y->clock[i], end);
}

/* A copy that runs beside what the IPUs do, on tiles of its own. */
static void
beside(struct player *y, const struct pf_prog *p)
{
	for (int i = 0; i < y->m->ipus; i++) {
		int64_t start = ts_max_i64(y->beside[i], y->clock[i]), now = y->clock[i];

		if (p->ipu != PF_ALL && p->ipu != i)
			continue;
		part_at(y, i, start, start + p->cycles);
		y->parts[i].tiles = p->tiles;
		y->parts[i].vector = p->vector[0] >= 0;
		y->beside[i] = start + p->cycles;
		y->clock[i] = now;
	}
}

static void
global(struct player *y, const struct pf_prog *p)
{
	const struct pf_model *m = y->m;
	const struct pf_exchange *x = &m->exchanges[p->index];
	int from = (int)(m->parts[x->source].tile / (uint32_t)m->tiles);
	int to = (int)(m->parts[x->target].tile / (uint32_t)m->tiles);
	int64_t start = ts_max_i64(y->clock[from], y->clock[to]);

	part_at(y, from, start, start + p->cycles)->tiles = m->parts[x->source].tiles;
	part_at(y, to, start, start + p->cycles)->tiles = p->tiles;
	y->parts[to].vector = true;
}

/* Begin and End are on all IPUs; on those that copy nothing no tile is active. */
static void
host(struct player *y, uint32_t prog, const struct pf_prog *p)
{
	const struct pf_model *m = y->m;
	bool input = p->type == PF_STREAM_BEGIN && y->segment == PF_PRE && prog > m->pre;
	int copies = m->progs[p->type == PF_STREAM_BEGIN ? prog + 1 : prog - 1].ipu;

	together(y, input ? m->run[y->run].wait : p->cycles);
	for (int i = 0; i < m->ipus; i++)
		y->parts[i].active = i == copies;
}

static void
answer(struct player *y, const struct pf_prog *p)
{
	for (int i = 0; i < y->m->ipus; i++) {
		if (p->ipu != PF_ALL && p->ipu != i)
			continue;
		part_at(y, i, y->sans[i], y->clock[i] + p->cycles);
	}
}

/* One IPU's own step. */
static void
alone(struct player *y, const struct pf_prog *p)
{
	struct part *q;

	if (p->ipu == PF_ALL) { /* recorded on no IPU */
		for (int i = 0; i < y->m->ipus; i++)
			y->sans[i] = y->clock[i];
		return;
	}
	if (p->type == PF_SANS)
		y->sans[p->ipu] = y->clock[p->ipu];
	q = part_at(y, p->ipu, y->clock[p->ipu], y->clock[p->ipu] + p->cycles);
	q->tiles = p->tiles;
	q->vector = p->vector[0] >= 0;
}

static void
play(struct player *y, uint32_t prog)
{
	const struct pf_model *m = y->m;
	const struct pf_prog *p = prog == PF_IMPLICIT ? NULL : &m->progs[prog];

	for (int i = 0; i < m->ipus; i++)
		y->parts[i].here = false;
	if (!p)
		together(y, 200);
	else if (prog > m->io && prog <= m->io + 3)
		beside(y, p);
	else if (p->type == PF_STREAM_BEGIN || p->type == PF_STREAM_END)
		host(y, prog, p);
	else if (p->type == PF_SYNC && p->ipu == PF_ALL)
		together(y, p->cycles);
	else if (p->type == PF_SYNC_ANS)
		answer(y, p);
	else if (p->type == PF_GLOBAL_EXCHANGE)
		global(y, p);
	else
		alone(y, p);
	for (int i = 0; i < m->ipus; i++)
		y->rows += y->parts[i].here;
}

/* ---- rows ---- */

static void
step_row(struct player *y, uint32_t prog)
{
	const struct pf_prog *p = prog == PF_IMPLICIT ? NULL : &y->m->progs[prog];
	struct demo_out *out = y->out;

	demo_int(out, 0, y->step - 1);
	demo_text(out, 1, p ? pf_types[p->type].name : "Sync");
	demo_null(out, 2);
	if (p)
		demo_int(out, 2, prog);
	demo_text(out, 3,
		!p || (p->type == PF_SYNC && p->ipu == PF_ALL) ? "External"
			: p->type == PF_SYNC		       ? "Internal"
							       : NULL);
	for (int c = 4; c < 8; c++)
		demo_null(out, c);
	if (p && p->type == PF_EXECUTE)
		demo_int(out, 7, p->index);
	else if (p && p->type == PF_DO_EXCHANGE)
		demo_int(out, 6, p->index);
	else if (p && p->type == PF_GLOBAL_EXCHANGE)
		demo_int(out, 5, p->index);
	else if (p && p->type == PF_STREAM_MID)
		demo_int(out, 4, p->index);
	demo_row(out);
}

static void
part_row(struct player *y, int ipu, const struct part *q, const struct pf_prog *p,
	const struct figures *f)
{
	struct demo_out *out = y->out;
	int64_t cycles = q->end - q->start, lead = q->active ? LEAD : 0;
	double mean = q->vector ? (double)f->sum / y->m->tiles : (double)cycles;
	double active_mean = q->vector ? (double)f->sum / q->tiles : (double)cycles;
	int64_t spread = q->vector ? cycles - f->least : 0, first_end = lead + cycles - spread;
	int c = 0;

	demo_int(out, c++, y->step - 1);
	demo_int(out, c++, ipu);
	demo_int(out, c++, q->start - lead);
	demo_int(out, c++, q->active ? lead + spread / 8 : 0);
	demo_int(out, c++, q->active ? lead + spread / 16 : 0);
	demo_int(out, c++, lead);
	demo_int(out, c++, q->active ? lead + cycles : 0);
	demo_int(out, c++, q->active ? (first_end + lead + cycles) / 2 : 0);
	demo_int(out, c++, q->active ? first_end : 0);
	demo_int(out, c++, lead + cycles);
	demo_int(out, c++, (first_end + lead + cycles) / 2);
	demo_int(out, c++, q->active && q->tiles < (uint32_t)y->m->tiles ? 0 : first_end);
	demo_int(out, c++, cycles);
	demo_int(out, c++, q->active ? q->tiles : 0);
	demo_real(out, c++, cycles && q->active ? active_mean / (double)cycles : 0);
	if (p && p->type == PF_EXECUTE && q->vector)
		demo_real(out, c, 0.5 + mean / (double)cycles / 2);
	else
		demo_null(out, c);
	c++;
	demo_real(out, c++, cycles && q->active ? mean / (double)cycles : 0);
	if (q->vector)
		demo_int(out, c, p->vector[0]);
	else
		demo_null(out, c);
	demo_row(out);
}

static void
part_rows(struct player *y, uint32_t prog)
{
	static const struct figures none = {0, 0};
	const struct pf_prog *p = prog == PF_IMPLICIT ? NULL : &y->m->progs[prog];

	for (int i = 0; i < y->m->ipus && y->out->code == TS_OK; i++) {
		const struct part *q = &y->parts[i];

		if (!q->here)
			continue;
		part_row(y, i, q, p, p ? &y->of[prog] : &none);
		y->totals[y->run][p ? p->type : PF_SYNC] += q->vector
			? y->of[prog].sum
			: (q->end - q->start) * q->tiles * q->active;
	}
}

static void
steps(struct player *y)
{
	uint32_t prog;
	int64_t rows;

	player_begin(y);
	pf_begin_many(y->out, "steps", y->m->steps_wanted);
	while (y->out->code == TS_OK && next(&prog, y)) {
		play(y, prog);
		step_row(y, prog);
	}
	demo_end(y->out);
	rows = y->rows;
	player_begin(y);
	pf_begin_many(y->out, "steps_by_ipu", rows);
	while (y->out->code == TS_OK && next(&prog, y)) {
		play(y, prog);
		part_rows(y, prog);
	}
	demo_end(y->out);
}

static void
same_on_ipus(struct player *y, int column, int64_t v)
{
	for (int i = 0; i < y->m->ipus; i++)
		y->numbers[i] = v;
	pf_put(y->out, column, &y->b, TS_BLOB_LIST, y->numbers, (size_t)y->m->ipus);
}

static void
runs(struct player *y)
{
	/* columns of execution_cycle_totals by type of program, and those that are told as overhead: none */
	static const struct {
		uint8_t type, column;
	} totals[] = {{PF_EXECUTE, 2}, {PF_EXECUTE, 3}, {PF_DO_EXCHANGE, 4},
		{PF_GLOBAL_EXCHANGE, 5}, {PF_STREAM_MID, 6}, {PF_STREAM_BEGIN, 7},
		{PF_STREAM_END, 8}, {PF_SYNC, 9}};
	static const char *const names[PF_RUNS] = {"training_step", "training_step"};
	const struct pf_model *m = y->m;
	double mhz = (double)m->clock / 1e6;

	pf_begin(y->out, "runs");
	for (int i = 0; i < PF_RUNS; i++) {
		demo_int(y->out, 0, i);
		demo_int(y->out, 1, 1704110400000000 + (int64_t)((double)y->start[i] / mhz));
		demo_int(y->out, 2, (int64_t)((double)(y->start[i + 1] - y->start[i]) / mhz) + 1);
		demo_text(y->out, 3, names[i]);
		demo_int(y->out, 4, 1);
		demo_int(y->out, 5, m->run[i].count);
		same_on_ipus(y, 6, m->clock);
		same_on_ipus(y, 7, y->start[i]);
		same_on_ipus(y, 8, y->start[i + 1]);
		demo_row(y->out);
	}
	demo_end(y->out);
	pf_begin(y->out, "execution_cycle_totals");
	for (int i = 0; i < PF_RUNS; i++) {
		demo_int(y->out, 0, i);
		demo_int(y->out, 1, y->start[i + 1] - y->start[i]);
		for (int c = 2; c < 18; c++)
			demo_int(y->out, c, 0);
		for (size_t k = 0; k < TS_COUNT(totals); k++)
			demo_int(y->out, totals[k].column, y->totals[i][totals[k].type]);
		demo_row(y->out);
	}
	demo_end(y->out);
	pf_begin(y->out, "program_trace");
	for (int i = 0; i < PF_RUNS; i++) {
		demo_int(y->out, 0, i);
		demo_int(y->out, 1, m->step);
		demo_row(y->out);
	}
	demo_end(y->out);
}

/* Blocks of the first tile of each IPU, whose clocks begin at different times; their names are in string_table. */
static void
blocks(struct player *y)
{
	enum { COMMON, STREAM_COPY, OVERFLOW, ANONYMOUS, FLUSH, SKEW = 103177 };
	static const struct {
		const char *name;
		int type, from, to; /* 1/1,000 of the run */
	} blocks[] = {
		{"anchors/input_ids", STREAM_COPY, 5, 95},
		{"forward", COMMON, 100, 420},
		{"backward", COMMON, 420, 880},
		{"update", COMMON, 880, 970},
		{NULL, ANONYMOUS, 970, 972},
		{"anchors/loss", STREAM_COPY, 972, 990},
		{NULL, FLUSH, 990, 999},
	};
	const struct pf_model *m = y->m;

	pf_begin(y->out, "string_table");
	for (size_t k = 0; k < TS_COUNT(blocks); k++) {
		demo_int(y->out, 0, (int64_t)k);
		demo_text(y->out, 1, blocks[k].name);
		demo_row(y->out);
	}
	demo_end(y->out);
	pf_begin(y->out, "blocks");
	for (int i = 0; i < m->ipus; i++)
		for (size_t k = 0; k < TS_COUNT(blocks) * PF_RUNS && y->out->code == TS_OK; k++) {
			size_t run = k / TS_COUNT(blocks), b = k % TS_COUNT(blocks);
			int64_t length = y->start[run + 1] - y->start[run];
			int64_t from = y->start[run] + (int64_t)i * SKEW;

			demo_int(y->out, 0, (int64_t)i * m->tiles);
			demo_int(y->out, 1, from + length / 1000 * blocks[b].from);
			demo_int(y->out, 2, from + length / 1000 * blocks[b].to);
			demo_null(y->out, 3);
			if (blocks[b].name)
				demo_int(y->out, 3, (int64_t)b);
			demo_int(y->out, 4,
				run && b + 1 == TS_COUNT(blocks) ? OVERFLOW : blocks[b].type);
			demo_row(y->out);
		}
	demo_end(y->out);
}

void
pf_write_execution(struct demo_out *out, struct pf_model *m)
{
	size_t ipus = (size_t)m->ipus;
	struct player y = {.out = out, .m = m};

	if (!m->steps_wanted || out->code != TS_OK)
		return;
	ts_strbuf_init(&y.b, (size_t)1 << 28);
	y.of = ts_alloc(m->progs_n, sizeof(*y.of));
	y.numbers = ts_alloc((size_t)m->tiles + ipus, sizeof(*y.numbers));
	y.clock = ts_alloc(ipus, sizeof(*y.clock));
	y.beside = ts_alloc(ipus, sizeof(*y.beside));
	y.sans = ts_alloc(ipus, sizeof(*y.sans));
	y.parts = ts_alloc(ipus, sizeof(*y.parts));
	if (!y.of || !y.numbers || !y.clock || !y.beside || !y.sans || !y.parts)
		demo_nomem(out);
	if (out->code == TS_OK) {
		vectors(&y);
		steps(&y);
		runs(&y);
		blocks(&y);
	}
	free(y.of);
	free(y.numbers);
	free(y.clock);
	free(y.beside);
	free(y.sans);
	free(y.parts);
	ts_strbuf_fini(&y.b);
}
