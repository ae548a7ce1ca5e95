/* SPDX-License-Identifier: MIT */
/*
 * stage_costs - the passes of a stage as stretches of cycles, end to end on one line, and the rows that lie on it.
 *
 * Each place on the line stands for a cycle of one IPU in a pass. So what of a row counts is the difference of the places of
 * its end and its start, whatever passes it runs through; a sample is some parts of the line.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/report/slices.h"
#include "tilescope/report/stage_costs.h"

#include "trace_internal.h"

__extension__ typedef __int128 i128;

/* Fractions of multiples of the golden ratio lie evenly, and come round with nothing. */
static const uint32_t golden = 0x9E3779B9;

/* Cycles [from, to) of an IPU; `before`: where on the line they begin. */
struct stretch {
	int64_t ipu, from, to, before;
};

struct costing {
	struct ts_stage_costs *c;
	struct ts_reader *rd;
	const struct ts_trace *t;
	const struct ts_cache *cache;
	struct stretch *stretch; /* by IPU and start; none touches the next */
	size_t stretches;
	int64_t length;	  /* of the line */
	int64_t from, to; /* of the line: what is read now */
	struct ts_dictionary
		seen; /* numbers of compute sets and programs, in the order of `cost` */
};

struct ts_stage_sample
ts_stage_sample_of(const struct ts_report *r)
{
	struct ts_stage_sample near = {1 << 22, 1 << 20, 1 << 23, 1024};
	struct ts_stage_sample far = {1 << 20, 1 << 20, 1 << 22, 256};

	return r->files ? far : near;
}

/* --- the line --------------------------------------------------------------------------------------- */

static int
by_place(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	if (x->ipu != y->ipu)
		return x->ipu < y->ipu ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

static void
add_stretch(struct costing *w, int64_t ipu, int64_t from, int64_t to)
{
	if (to > from)
		w->stretch[w->stretches++] = (struct stretch){.ipu = ipu, .from = from, .to = to};
}

/* A pass, without the profiler's own work in it. */
static void
add_pass(struct costing *w, const struct ts_pipeline_pass *pass)
{
	const struct ts_trace *t = w->t;

	if (pass->left_out == 0) {
		add_stretch(w, pass->ipu, pass->from, pass->to);
		return;
	}
	add_stretch(w, pass->ipu, pass->from, ts_min_i64(pass->to, t->artefact_start));
	add_stretch(w, pass->ipu, ts_max_i64(pass->from, t->artefact_end), pass->to);
}

/* Those that touch become one, and each gets its place. */
static enum ts_code
lay_out(struct costing *w, struct ts_err *err)
{
	size_t n = 0;

	qsort(w->stretch, w->stretches, sizeof(*w->stretch), by_place);
	for (size_t i = 0; i < w->stretches; i++) {
		struct stretch *last = n > 0 ? &w->stretch[n - 1] : NULL;

		if (last && last->ipu == w->stretch[i].ipu && w->stretch[i].from <= last->to)
			last->to = ts_max_i64(last->to, w->stretch[i].to);
		else
			w->stretch[n++] = w->stretch[i];
	}
	w->stretches = n;
	for (size_t i = 0; i < n; i++) {
		w->stretch[i].before = w->length;
		if (!ts_add_i64(&w->length, w->stretch[i].to - w->stretch[i].from))
			return ts_err_set(err, TS_E_LIMIT, "a stage takes more than 2^63 cycles");
	}
	return TS_OK;
}

static enum ts_code
make_line(struct costing *w, const struct ts_pipeline *p, int stage, struct ts_err *err)
{
	const struct ts_pipeline_stage *s = &p->stage[stage];

	w->stretch = ts_alloc(2 * (size_t)s->count, sizeof(*w->stretch));
	if (!w->stretch)
		return ts_err_nomem(err);
	for (int64_t i = s->first; i < s->first + s->count; i++)
		add_pass(w, ts_pipeline_pass_at(p, (size_t)i));
	return lay_out(w, err);
}

/* How many stretches begin at or before a cycle of an IPU, or on an IPU before it. */
static size_t
begun(const struct costing *w, int64_t ipu, int64_t cycle)
{
	struct stretch at = {.ipu = ipu, .from = cycle};
	size_t low = 0, high = w->stretches;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_place(&w->stretch[middle], &at) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The place on the line of a cycle; of one in no stretch that of the next one on the line. */
static int64_t
place_of(const struct costing *w, int64_t ipu, int64_t cycle)
{
	size_t n = begun(w, ipu, cycle);
	const struct stretch *s = n > 0 ? &w->stretch[n - 1] : NULL;

	if (!s)
		return 0;
	return s->before + ((s->ipu == ipu ? ts_min_i64(cycle, s->to) : s->to) - s->from);
}

/* --- rows ------------------------------------------------------------------------------------------- */

static bool
is_work(enum ts_step_class k)
{
	return k == TS_CLASS_COMPUTE || k == TS_CLASS_EXCHANGE || k == TS_CLASS_GLOBAL_EXCHANGE;
}

static enum ts_code
name_of(uint32_t *name, struct costing *w, const struct ts_slice *s, struct ts_err *err)
{
	const char *text = s->name ? s->name : s->type ? s->type : "";

	return ts_dictionary_text(&w->c->names, name, text,
		s->name		  ? s->name_n
			: s->type ? s->type_n
				  : 0,
		err);
}

/* What a step executes, as a number: its compute set's, else its program's, else (below 0) that of its name, else its type. */
static enum ts_code
key_of(int64_t *key, struct costing *w, const struct ts_slice *s, struct ts_err *err)
{
	bool set = s->compute_set >= 0;
	int64_t number = set ? s->compute_set : s->program;
	uint32_t name;
	enum ts_code code = TS_OK;

	if (number >= 0 && number < INT64_MAX / 2) {
		*key = number * 2 + set;
		return TS_OK;
	}
	code = name_of(&name, w, s, err);
	*key = -1 - (int64_t)name;
	return code;
}

static enum ts_code
new_cost(uint32_t *entry, struct costing *w, const struct ts_slice *s, int64_t key,
	struct ts_err *err)
{
	struct ts_stage_cost cost = {.compute_set = key >= 0 && key % 2 == 1 ? key / 2 : TS_UNKNOWN,
		.program = key >= 0 && key % 2 == 0 ? key / 2 : TS_UNKNOWN,
		.members = 1,
		.named = s->name != NULL,
		.class_of = s->class_of,
		.first_step = s->step};
	enum ts_code code = name_of(&cost.name, w, s, err);

	if (!code)
		code = ts_dictionary_number(&w->seen, entry, key, NULL, 0, err);
	if (!code)
		code = ts_pile_add(&w->c->cost, &cost, sizeof(cost), w->cache, err);
	w->c->count += !code;
	return code;
}

static enum ts_code
take(struct costing *w, const struct ts_slice *s, struct ts_err *err)
{
	int64_t from = ts_clamp_i64(place_of(w, s->ipu, s->start), w->from, w->to);
	int64_t cycles = ts_clamp_i64(place_of(w, s->ipu, s->end), w->from, w->to) - from;
	int64_t key, at;
	struct ts_stage_cost *cost;
	uint32_t entry;
	enum ts_code code;

	if (cycles <= 0 || !is_work(s->class_of))
		return TS_OK;
	code = key_of(&key, w, s, err);
	if (code)
		return code;
	at = ts_dictionary_find(&w->seen, key);
	entry = (uint32_t)at;
	if (at == TS_DICTIONARY_NONE)
		code = new_cost(&entry, w, s, key, err);
	if (code || !ts_add_i64(&w->c->cycles, cycles))
		return code;
	cost = (struct ts_stage_cost *)w->c->cost.memory + entry;
	cost->steps++;
	cost->first_step = ts_min_i64(cost->first_step, s->step);
	cost->cycles += cycles;
	if (s->tile_balance >= 0) {
		int64_t mean = ts_min_i64(ts_cycles_of(s->tile_balance * (double)cycles + 0.5),
			cycles);

		cost->balanced += cycles;
		cost->mean += mean;
		w->c->balanced += cycles;
		w->c->mean += mean;
	}
	return TS_OK;
}

/* Rows that may lie in [from, to) of cycles, of one IPU; TS_UNKNOWN: of all. `rises`: the starts of that IPU rise. */
static enum ts_code
read_rows(struct costing *w, int64_t one, bool rises, int64_t from, int64_t to, int64_t most,
	struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_slice *s = NULL;
	struct ts_slices *slices = NULL;
	enum ts_code code = ts_slices_open_range(&slices, w->rd, w->t, from, to, w->cache, progress,
		err);

	if (!code)
		ts_slices_only(slices, one);
	while (!code && w->c->rows < most && !(code = ts_slices_next(&s, slices, err)) && s) {
		w->c->rows++;
		if (rises && s->start >= to)
			break;
		code = take(w, s, err);
	}
	if (slices) {
		struct ts_slices_left_out left = ts_slices_left_out(slices);

		w->c->bad_rows += left.bad_rows + left.orphans;
		w->c->unseen |= ts_slices_unseen(slices);
	}
	ts_slices_close(slices);
	w->c->partial |= code == TS_E_DAMAGED;
	return code == TS_E_DAMAGED ? TS_OK : code;
}

static enum ts_code
read_all(struct costing *w, int64_t one, struct ts_progress *progress, struct ts_err *err)
{
	int64_t from = INT64_MAX, to = INT64_MIN;

	for (size_t i = 0; i < w->stretches; i++) {
		from = ts_min_i64(from, w->stretch[i].from);
		to = ts_max_i64(to, w->stretch[i].to);
	}
	w->from = 0;
	w->to = w->length;
	return w->length > 0 ? read_rows(w, one, false, from, to, INT64_MAX, progress, err) : TS_OK;
}

/* The stretch that a place of the line is in. */
static const struct stretch *
stretch_at(const struct costing *w, int64_t place)
{
	size_t low = 0, high = w->stretches;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (w->stretch[middle].before <= place)
			low = middle;
		else
			high = middle;
	}
	return &w->stretch[low];
}

/*
 * One place of a sample: so many cycles from somewhere in [from, to) of the line on, through as many stretches as that takes; the
 * line goes on at its beginning. A place that stopped at `to` would see less of what stretches begin and end with.
 */
static enum ts_code
read_place(struct costing *w, int64_t from, int64_t to, int64_t cycles, uint32_t fraction,
	int64_t most, struct ts_err *err)
{
	const struct stretch *s;
	enum ts_code code = TS_OK;

	cycles = ts_clamp_i64(cycles, 1, to - from);
	if (cycles < to - from)
		from += (int64_t)((i128)(to - from) * fraction >> 32);
	s = stretch_at(w, from);
	while (!code && cycles > 0 && w->c->rows < most) {
		int64_t end = s->before + (s->to - s->from);

		w->from = from;
		w->to = from + ts_min_i64(cycles, end - from);
		code = read_rows(w, s->ipu, true, s->from + (w->from - s->before),
			s->from + (w->to - s->before), most, NULL, err);
		cycles -= w->to - w->from;
		from = end < w->length ? end : 0;
		s = end < w->length ? s + 1 : w->stretch;
	}
	return code;
}

/* Each place has its part of the rows that may be read: the last ones count as much as the first. */
static enum ts_code
read_sample(struct costing *w, struct ts_stage_sample sample, int64_t rows,
	struct ts_progress *progress, struct ts_err *err)
{
	double span = (double)w->t->to - (double)w->t->from;
	double each = span / (double)rows * (double)sample.rows / sample.places;
	int64_t cycles = each < (double)w->length ? ts_cycles_of(each) : w->length;
	int64_t places = ts_min_i64(sample.places, w->length);
	enum ts_code code = TS_OK;

	w->c->sampled = true;
	for (int64_t i = 0; !code && i < places; i++) {
		int64_t from = (int64_t)((i128)w->length * i / places);
		int64_t to = (int64_t)((i128)w->length * (i + 1) / places);
		int64_t most = w->c->rows + (sample.most - w->c->rows) / (places - i);

		code = read_place(w, from, to, cycles, (uint32_t)(i + 1) * golden, most, err);
		w->c->places++;
		ts_progress_set(progress, w->c->rows, sample.rows);
	}
	return code;
}

static int
by_cycles(const void *a, const void *b)
{
	const struct ts_stage_cost *x = a, *y = b;

	return (x->cycles < y->cycles) - (x->cycles > y->cycles);
}

enum ts_code
ts_stage_costs_read(struct ts_stage_costs *c, struct ts_reader *rd, const struct ts_trace *t,
	const struct ts_pipeline *p, int stage, struct ts_stage_sample sample,
	const struct ts_cache *cache, struct ts_progress *progress, struct ts_err *err)
{
	struct costing w = {.c = c, .rd = rd, .t = t, .cache = cache};
	int64_t rows = ts_reach_span(&rd->report->binding[TS_STEP_IPU].reach);
	enum ts_code code;

	*c = (struct ts_stage_costs){.work = ts_pipeline_work(p->stage[stage].by_class),
		.passes = p->stage[stage].passes};
	c->names.cache = w.seen.cache = cache;
	w.seen.numbers = true;
	code = make_line(&w, p, stage, err);
	if (!code && (rows <= sample.all || t->forwards || !trace_rises(t, rd, TS_STEP)))
		code = read_all(&w, p->stage[stage].ipu, progress, err);
	else if (!code)
		code = read_sample(&w, sample, rows, progress, err);
	if (!code)
		code = ts_pile_sort(&c->cost, c->count, sizeof(struct ts_stage_cost), by_cycles,
			cache, rd->cancel, err);
	ts_dictionary_fini(&w.seen);
	free(w.stretch);
	return code;
}

void
ts_stage_costs_fini(struct ts_stage_costs *c)
{
	ts_pile_fini(&c->cost);
	ts_dictionary_fini(&c->names);
	*c = (struct ts_stage_costs){.count = 0};
}

/* --- groups ------------------------------------------------------------------------------------------- */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* What is left of a name without its last part; all of one that has none. */
static size_t
without_last(const char *name, size_t n)
{
	const char *last = n > 0 ? memrchr(name, '/', n) : NULL;

	return last && last > name ? (size_t)(last - name) : n;
}

/* The name of the group of a name. One without parts is an operation by itself. */
static void
group_name(struct ts_strbuf *out, const char *name, size_t n, enum ts_stage_by by)
{
	static const char before[] = "/ExchangePre";

	ts_strbuf_reset(out);
	if (by != TS_STAGE_BY_EXECUTED && n >= sizeof(before) &&
		memcmp(name + n - strlen(before), before, strlen(before)) == 0)
		n -= strlen(before);
	n = by == TS_STAGE_BY_EXECUTED ? n : without_last(name, n);
	if (by != TS_STAGE_BY_KIND) {
		ts_strbuf_add(out, name, n);
		return;
	}
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; is_digit(name[i]) && end < n && is_digit(name[end]);)
			end++;
		if (is_digit(name[i]) && (end == n || name[end] == '/'))
			ts_strbuf_putc(out, '*');
		else
			ts_strbuf_add(out, name + i, end - i);
	}
}

static enum ts_code
add_to_group(struct ts_stage_costs *out, const struct ts_stage_cost *from, const char *name,
	size_t n, const struct ts_cache *cache, struct ts_err *err)
{
	struct ts_stage_cost *to,
		none = {.compute_set = TS_UNKNOWN,
			.program = TS_UNKNOWN,
			.class_of = from->class_of,
			.first_step = from->first_step};
	uint32_t entry;
	enum ts_code code = ts_dictionary_text(&out->names, &entry, name, n, err);

	if (!code && entry == out->count) {
		none.name = entry;
		code = ts_pile_add(&out->cost, &none, sizeof(none), cache, err);
		out->count += !code;
	}
	if (code)
		return code;
	to = (struct ts_stage_cost *)out->cost.memory + entry;
	to->members += from->members;
	to->steps += from->steps;
	to->first_step = ts_min_i64(to->first_step, from->first_step);
	to->cycles += from->cycles;
	to->balanced += from->balanced;
	to->mean += from->mean;
	return TS_OK;
}

enum ts_code
ts_stage_costs_group(struct ts_stage_costs *out, const struct ts_stage_costs *c,
	enum ts_stage_by by, const struct ts_cache *cache, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct ts_strbuf text;
	enum ts_code code = TS_OK;

	*out = *c;
	out->cost = (struct ts_pile){.used = 0};
	out->names = (struct ts_dictionary){.cache = cache};
	out->count = 0;
	ts_strbuf_init(&text, TS_DICTIONARY_TEXT);
	for (size_t i = 0; !code && i < c->count; i++) {
		size_t n;
		const char *name = ts_stage_cost_name(&n, c, i);

		group_name(&text, name ? name : "", n, by);
		code = text.nomem
			? ts_err_nomem(err)
			: add_to_group(out, ts_stage_cost_at(c, i), text.s, text.len, cache, err);
	}
	ts_strbuf_fini(&text);
	if (!code)
		code = ts_pile_sort(&out->cost, out->count, sizeof(struct ts_stage_cost), by_cycles,
			cache, cancel, err);
	return code;
}

/* --- figures ---------------------------------------------------------------------------------------- */

const char *
ts_stage_cost_name(size_t *n, const struct ts_stage_costs *c, size_t i)
{
	const struct ts_dictionary_entry *e = ts_dictionary_at(&c->names,
		ts_stage_cost_at(c, i)->name);

	*n = e->n;
	return e->n > 0 ? (const char *)c->names.text.memory + e->at : NULL;
}

double
ts_stage_cost_share(const struct ts_stage_costs *c, size_t i)
{
	return c->cycles > 0 ? (double)ts_stage_cost_at(c, i)->cycles / (double)c->cycles : -1;
}

/* Cycles that were read, of a mean pass: of a sample what they are of the stage's work. */
static double
a_pass(const struct ts_stage_costs *c, double cycles)
{
	if (c->passes <= 0 || c->cycles <= 0)
		return -1;
	if (c->sampled)
		cycles *= (double)c->work / (double)c->cycles;
	return cycles / (double)c->passes;
}

double
ts_stage_cost_a_pass(const struct ts_stage_costs *c, size_t i)
{
	return a_pass(c, (double)ts_stage_cost_at(c, i)->cycles);
}

double
ts_stage_cost_lost(const struct ts_stage_costs *c, size_t i)
{
	const struct ts_stage_cost *cost = ts_stage_cost_at(c, i);

	return cost->balanced > 0 ? a_pass(c, (double)(cost->balanced - cost->mean)) : -1;
}

double
ts_stage_costs_lost(const struct ts_stage_costs *c)
{
	return c->balanced > 0 ? a_pass(c, (double)(c->balanced - c->mean)) : -1;
}

double
ts_stage_costs_waits(const struct ts_stage_costs *c)
{
	return c->balanced > 0 ? (double)(c->balanced - c->mean) / (double)c->cycles : -1;
}
