/* SPDX-License-Identifier: MIT */
/*
 * export_trace - the execution as rows, as a Perfetto trace, and as folded stacks.
 *
 * All three are one pass over report/slices.h; the stacks are those of report/flame.h, which the view shows. In the
 * Perfetto trace an IPU is a process; its steps are slices of the track "steps", those that overlap with steps that
 * began before on further tracks below it, because slices of one track nest; counters say bytes and balance of the
 * step that began last.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export_internal.h"
#include "tilescope/base/hash.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/format/perfetto.h"
#include "tilescope/report/flame.h"

enum { FLUSH_BYTES = 1 << 18, BUFFER_MAX = 1 << 24, NAME_BYTES = 4096 };

/* A pass: the trace (runs, clock, how cycles are known) and its slices. */
struct pass {
	struct ts_export *x;
	struct ts_trace *trace;
	struct ts_slices *slices;
};

static void
note_left_out(struct ts_export *x, struct ts_slices_left_out left)
{
	ts_notes_left_out(&x->notes, "trace", left.bad_rows,
		"a number is missing, negative or too large");
	ts_notes_left_out(&x->notes, "trace", left.orphans, "no such step");
}

static void
pass_close(struct pass *p)
{
	if (p->slices)
		note_left_out(p->x, ts_slices_left_out(p->slices));
	ts_slices_close(p->slices);
	ts_trace_release(p->trace);
}

static enum ts_code
open_trace(struct ts_trace **out, struct ts_export *x, struct ts_err *err)
{
	struct ts_err why = {0};
	enum ts_code code = ts_trace_open(out, x->rd, NULL, &why);

	if (code == TS_E_DAMAGED && *out)
		return ts_notes_soften(&x->notes, code, "names and runs of the trace", &why, err);
	if (code && err)
		*err = why;
	return code;
}

static enum ts_code
pass_open(struct pass *p, struct ts_export *x, struct ts_err *err)
{
	enum ts_code code;

	*p = (struct pass){.x = x};
	code = open_trace(&p->trace, x, err);
	if (!code && x->ranged)
		code = ts_slices_open_range(&p->slices, x->rd, p->trace, x->from, x->to, NULL,
			ts_export_progress(x), err);
	else if (!code)
		code = ts_slices_open(&p->slices, x->rd, &p->trace->names, NULL,
			ts_export_progress(x), err);
	if (!code && ts_slices_unseen(p->slices))
		ts_notes_add(&x->notes,
			"steps that began more than %d rows before the range, and still run in it, may be "
			"missing: no index says where they are",
			TS_TRACE_LOOK_BACK);
	return code;
}

/* The next slice that is wanted. In a range rows that are no step's, or without cycles, are left out as elsewhere. */
static enum ts_code
pass_next(const struct ts_slice **s, struct pass *p, struct ts_err *err)
{
	enum ts_code code;

	while (!(code = ts_slices_next(s, p->slices, err)) && *s && p->x->ranged &&
		((*s)->orphan || (*s)->cycles == TS_UNKNOWN || (*s)->start >= p->x->to ||
			(*s)->end < p->x->from ||
			((*s)->end == p->x->from && (*s)->start < (*s)->end)))
		;
	return code;
}

static int64_t
run_of(const struct ts_trace *t, const struct ts_slice *s)
{
	int i;

	if (s->run != TS_UNKNOWN)
		return s->run;
	i = ts_trace_run_of(t, s->step);
	return i < 0 ? TS_UNKNOWN : t->run[i].run;
}

/* What a slice is called: its name, else what it does. As UTF-8, made once for all IPUs of a step. */
struct title {
	int64_t step;
	struct ts_strbuf text;
};

static const char *
raw_title(const struct ts_slice *s, size_t *n)
{
	const char *text = s->name ? s->name : s->type;

	*n = s->name ? s->name_n : s->type_n;
	if (!text) {
		text = ts_step_class_key(s->class_of);
		*n = strlen(text);
	}
	return text;
}

static void
title_of(struct title *t, const struct ts_slice *s)
{
	const char *text;
	size_t n;

	if (t->step == s->step && t->text.len > 0)
		return;
	text = raw_title(s, &n);
	t->step = s->step;
	ts_strbuf_reset(&t->text);
	ts_utf8_mend(&t->text, text, n < NAME_BYTES ? n : NAME_BYTES);
}

/* --- rows ------------------------------------------------------------------------------------------- */

enum {
	R_STEP,
	R_RUN,
	R_IPU,
	R_TYPE,
	R_CLASS,
	R_NAME,
	R_PROGRAM,
	R_COMPUTE_SET,
	R_CYCLES,
	R_START,
	R_END,
	R_TILES,
	R_START_MAX,
	R_END_MIN,
	R_IN,
	R_OUT,
	R_BALANCE,
	R_ACTIVE_BALANCE,
	R_COLUMNS
};

static const char *const row_names[R_COLUMNS] = {
	[R_STEP] = "step",
	[R_RUN] = "run",
	[R_IPU] = "ipu",
	[R_TYPE] = "type",
	[R_CLASS] = "class",
	[R_NAME] = "name",
	[R_PROGRAM] = "program",
	[R_COMPUTE_SET] = "compute_set",
	[R_CYCLES] = "cycles",
	[R_START] = "start",
	[R_END] = "end",
	[R_TILES] = "active_tiles",
	[R_START_MAX] = "active_start_max",
	[R_END_MIN] = "active_end_min",
	[R_IN] = "data_in",
	[R_OUT] = "data_out",
	[R_BALANCE] = "tile_balance",
	[R_ACTIVE_BALANCE] = "active_tile_balance",
};

static void
fill_row(struct ts_sql_value v[R_COLUMNS], const struct ts_trace *t, const struct ts_slice *s)
{
	const char *key = ts_step_class_key(s->class_of);

	v[R_STEP] = ts_export_integer(s->step);
	v[R_RUN] = ts_export_integer(run_of(t, s));
	v[R_IPU] = ts_export_integer(s->ipu);
	v[R_TYPE] = ts_export_text(s->type, s->type_n);
	v[R_CLASS] = ts_export_text(key, strlen(key));
	v[R_NAME] = ts_export_text(s->name, s->name_n);
	v[R_PROGRAM] = ts_export_integer(s->program);
	v[R_COMPUTE_SET] = ts_export_integer(s->compute_set);
	v[R_CYCLES] = ts_export_integer(s->cycles);
	v[R_START] = ts_export_integer(s->start);
	v[R_END] = ts_export_integer(s->end);
	v[R_TILES] = ts_export_integer(s->active_tiles);
	v[R_START_MAX] = ts_export_integer(s->active_start_max);
	v[R_END_MIN] = ts_export_integer(s->active_end_min);
	v[R_IN] = ts_export_integer(s->data_in);
	v[R_OUT] = ts_export_integer(s->data_out);
	v[R_BALANCE] = ts_export_share(s->tile_balance);
	v[R_ACTIVE_BALANCE] = ts_export_share(s->active_tile_balance);
}

enum ts_code
ts_export_trace_rows(struct ts_export *x, struct ts_err *err)
{
	struct ts_sql_value v[R_COLUMNS];
	const struct ts_slice *s;
	struct ts_rows_out *rows = NULL;
	struct ts_err end = {0};
	struct pass p;
	enum ts_code code = pass_open(&p, x, err), closed;
	bool more = true;

	if (!code) {
		rows = ts_rows_out_new(x->out, x->rows, R_COLUMNS, row_names);
		code = rows ? TS_OK : ts_err_nomem(err);
	}
	while (!code && more && !(code = pass_next(&s, &p, err)) && s) {
		fill_row(v, p.trace, s);
		more = ts_rows_out_row(rows, v);
	}
	closed = ts_rows_out_end(rows, &end);
	if (closed && !code && err)
		*err = end;
	pass_close(&p);
	return code ? code : closed;
}

/* --- Perfetto --------------------------------------------------------------------------------------- */

enum {
	LANES = 32,	    /* tracks of an IPU for steps that overlap */
	TRACKS = LANES + 8, /* numbers of an IPU's tracks */
	ENGINE_TRACK = 1,   /* process of the runs, and its track */
	RUNS_TRACK = 2,
	FIRST_TRACK = 16,
};

/* Arguments of a slice; the counters are the last ones. */
enum {
	A_STEP,
	A_RUN,
	A_TYPE,
	A_PROGRAM,
	A_COMPUTE_SET,
	A_CYCLES,
	A_TILES,
	A_IN,
	A_OUT,
	A_BALANCE,
	A_ACTIVE_BALANCE,
	A_COUNT
};

static const char *const arg_names[] = {"step", "run", "type", "program", "compute_set", "cycles",
	"active_tiles", "data_in", "data_out", "tile_balance", "active_tile_balance", NULL};

/* Categories: the classes, then that of the runs. */
enum { CATEGORY_RUN = TS_CLASS_COUNT };

static const struct {
	const char *name;
	int unit;
} counters[] = {
	{"data in (bytes of a step)", TS_PERFETTO_UNITS_BYTES},
	{"data out (bytes of a step)", TS_PERFETTO_UNITS_BYTES},
	{"tile balance (of a step)", TS_PERFETTO_UNITS_COUNT},
};

enum { COUNTERS = TS_COUNT(counters) };

struct ipu {
	int64_t ipu;
	uint64_t uuid;
	int lanes;
	uint64_t end[LANES];	  /* of the last slice of each track, ns */
	double counter[COUNTERS]; /* as it was said last; below 0: not yet */
	UT_hash_handle hh;
};

struct drawing {
	struct pass p;
	struct ts_perfetto *to;
	struct ts_strbuf out;
	struct ipu *ipus;
	double ns_per_cycle;
	int64_t left_out; /* slices that overlap with too many others */
};

/* Cycles to nanoseconds; one that is too large stays at the end of time. */
static uint64_t
ns_of(const struct drawing *d, int64_t cycles)
{
	long double ns = (long double)cycles * (long double)d->ns_per_cycle;

	return ns >= (long double)INT64_MAX ? (uint64_t)INT64_MAX : (uint64_t)ns;
}

static const char *
known_as(const struct ts_trace *t)
{
	return t->honest.compute > 0	 ? "measured"
		: t->honest.compute == 0 ? "estimated"
					 : "measured or estimated: not recorded";
}

static struct ipu *
find_ipu(struct drawing *d, int64_t number)
{
	struct ipu *k;
	char name[96];

	HASH_FIND(hh, d->ipus, &number, sizeof(number), k);
	if (k || HASH_COUNT(d->ipus) >= TS_IPUS_MAX)
		return k;
	k = ts_alloc(1, sizeof(*k));
	if (!k)
		return NULL;
	k->ipu = number;
	k->uuid = FIRST_TRACK + HASH_COUNT(d->ipus) * (uint64_t)TRACKS;
	for (int i = 0; i < COUNTERS; i++)
		k->counter[i] = -1;
	HASH_ADD(hh, d->ipus, ipu, sizeof(k->ipu), k);
	if (!k->hh.tbl) {
		free(k);
		return NULL;
	}
	snprintf(name, sizeof(name), "IPU %" PRId64 " (cycles: %s%s)", number, known_as(d->p.trace),
		d->p.trace->clock_hz > 0 ? "" : ", 1 cycle = 1 ns");
	ts_perfetto_process(d->to, k->uuid, (int32_t)HASH_COUNT(d->ipus) + 1, name);
	return k;
}

/* The first track that is free from then on; -1: none. */
static int
lane_for(struct drawing *d, struct ipu *k, uint64_t from)
{
	char name[48] = "steps";

	for (int i = 0; i < k->lanes; i++)
		if (k->end[i] <= from)
			return i;
	if (k->lanes == LANES)
		return -1;
	if (k->lanes > 0)
		snprintf(name, sizeof(name), "steps that overlap (%d)", k->lanes);
	ts_perfetto_track(d->to, k->uuid + 1 + (uint64_t)k->lanes, k->uuid, name);
	return k->lanes++;
}

static void
say_counter(struct drawing *d, struct ipu *k, int i, uint64_t at, double value)
{
	uint64_t uuid = k->uuid + 1 + LANES + (uint64_t)i;

	if (value < 0 ||
		(k->counter[i] >= 0 && !(value < k->counter[i]) && !(value > k->counter[i])))
		return;
	if (k->counter[i] < 0)
		ts_perfetto_counter(d->to, uuid, k->uuid, counters[i].name, counters[i].unit);
	k->counter[i] = value;
	ts_perfetto_count(d->to, uuid, at, value);
}

struct args {
	int n;
	struct ts_perfetto_arg arg[A_COUNT];
};

static void
add_integer(struct args *a, int name, int64_t v)
{
	if (v >= 0)
		a->arg[a->n++] = (struct ts_perfetto_arg){name, TS_PERFETTO_INTEGER, v, 0, NULL, 0};
}

static void
add_share(struct args *a, int name, double v)
{
	if (v >= 0)
		a->arg[a->n++] = (struct ts_perfetto_arg){name, TS_PERFETTO_REAL, 0, v, NULL, 0};
}

static void
fill_args(struct args *a, const struct ts_trace *t, const struct ts_slice *s)
{
	a->n = 0;
	add_integer(a, A_STEP, s->step);
	add_integer(a, A_RUN, run_of(t, s));
	if (s->type)
		a->arg[a->n++] = (struct ts_perfetto_arg){A_TYPE, TS_PERFETTO_TEXTUAL, 0, 0,
			s->type, s->type_n};
	add_integer(a, A_PROGRAM, s->program);
	add_integer(a, A_COMPUTE_SET, s->compute_set);
	add_integer(a, A_CYCLES, s->cycles);
	add_integer(a, A_TILES, s->active_tiles);
	add_integer(a, A_IN, s->data_in);
	add_integer(a, A_OUT, s->data_out);
	add_share(a, A_BALANCE, s->tile_balance);
	add_share(a, A_ACTIVE_BALANCE, s->active_tile_balance);
}

/* False: no memory. */
static bool
draw_slice(struct drawing *d, const struct ts_slice *s, struct title *title)
{
	uint64_t from = ns_of(d, s->start), to = ns_of(d, ts_max_i64(s->end, s->start));
	struct ipu *k = find_ipu(d, s->ipu);
	struct args args;
	int lane;

	if (!k)
		return HASH_COUNT(d->ipus) >= TS_IPUS_MAX && ++d->left_out;
	lane = lane_for(d, k, from);
	if (lane < 0) {
		d->left_out++;
		return true;
	}
	k->end[lane] = to;
	title_of(title, s);
	fill_args(&args, d->p.trace, s);
	ts_perfetto_slice(d->to, k->uuid + 1 + (uint64_t)lane, from, to, (int)s->class_of,
		title->text.s, title->text.len, args.arg, args.n);
	say_counter(d, k, 0, from, s->data_in < 0 ? -1 : (double)s->data_in);
	say_counter(d, k, 1, from, s->data_out < 0 ? -1 : (double)s->data_out);
	say_counter(d, k, 2, from, s->tile_balance);
	return true;
}

static void
draw_runs(struct drawing *d)
{
	const struct ts_trace *t = d->p.trace;
	uint64_t last = 0;
	bool any = false;

	for (int i = 0; i < t->runs; i++) {
		const struct ts_trace_run *run = &t->run[i];
		struct ts_perfetto_arg arg = {A_RUN, TS_PERFETTO_INTEGER, run->run, 0, NULL, 0};
		char name[TS_TRACE_RUN_NAME + 24];

		if (run->start == TS_UNKNOWN || run->end < run->start ||
			ns_of(d, run->start) < last)
			continue;
		if (!any) {
			ts_perfetto_process(d->to, ENGINE_TRACK, 1, "Engine");
			ts_perfetto_track(d->to, RUNS_TRACK, ENGINE_TRACK, "runs");
			any = true;
		}
		snprintf(name, sizeof(name), "Engine::run %" PRId64 "%s%s", run->run,
			*run->name ? ": " : "", run->name);
		last = ns_of(d, run->end);
		ts_perfetto_slice(d->to, RUNS_TRACK, ns_of(d, run->start), last, CATEGORY_RUN, name,
			strlen(name), &arg, 1);
	}
}

static bool
flush(struct ts_strbuf *out, struct ts_output *to)
{
	bool more = ts_output_add(to, out->s, out->len);

	ts_strbuf_reset(out);
	return more;
}

static enum ts_code
draw(struct drawing *d, struct ts_err *err)
{
	const struct ts_slice *s;
	struct title title = {.step = TS_UNKNOWN};
	enum ts_code code;
	bool more = true;

	ts_strbuf_init(&title.text, NAME_BYTES * 4);
	draw_runs(d);
	while (more && !(code = pass_next(&s, &d->p, err)) && s) {
		if (!draw_slice(d, s, &title) || d->out.cut) {
			code = ts_err_nomem(err);
			break;
		}
		if (d->out.len >= FLUSH_BYTES)
			more = flush(&d->out, d->p.x->out);
	}
	if (more)
		flush(&d->out, d->p.x->out);
	ts_strbuf_fini(&title.text);
	return more ? code : TS_OK;
}

static void
drawing_fini(struct drawing *d)
{
	struct ipu *k, *next;

	HASH_ITER(hh, d->ipus, k, next) {
		HASH_DEL(d->ipus, k);
		free(k);
	}
	ts_perfetto_free(d->to);
	ts_strbuf_fini(&d->out);
}

enum ts_code
ts_export_trace_perfetto(struct ts_export *x, struct ts_err *err)
{
	const char *category[TS_CLASS_COUNT + 2] = {[CATEGORY_RUN] = "run"};
	struct drawing d = {0};
	enum ts_code code = pass_open(&d.p, x, err);

	ts_strbuf_init(&d.out, BUFFER_MAX);
	for (int i = 0; i < TS_CLASS_COUNT; i++)
		category[i] = ts_step_class_key((enum ts_step_class)i);
	if (!code) {
		double hz = d.p.trace->clock_hz;

		d.ns_per_cycle = hz > 0 ? 1e9 / hz : 1;
		if (!(hz > 0))
			ts_notes_add(&x->notes,
				"the clock is not recorded: a cycle stands as one nanosecond");
		d.to = ts_perfetto_new(&d.out, category, arg_names);
		code = d.to ? draw(&d, err) : ts_err_nomem(err);
	}
	ts_notes_left_out(&x->notes, "trace", d.left_out,
		"too many steps overlap, or too many IPUs");
	pass_close(&d.p);
	drawing_fini(&d);
	return code;
}

/* --- folded stacks ---------------------------------------------------------------------------------- */

static enum ts_code
write_stacks(struct ts_export *x, const struct ts_flame *f, struct ts_err *err)
{
	struct ts_strbuf out;
	bool more = true, cut;

	ts_strbuf_init(&out, BUFFER_MAX);
	for (uint32_t i = 0; more && i < f->cells; i++) {
		const struct ts_flame_cell *k = ts_flame_cell_at(f, i);

		if (k->sum.own == 0)
			continue;
		ts_strbuf_printf(&out, "IPU %" PRId64 ";", f->ipu[k->ipu]);
		ts_frame_folded(&out, &f->frames, k->frame);
		ts_strbuf_printf(&out, " %" PRId64 "\n", k->sum.own);
		if (out.len >= FLUSH_BYTES)
			more = flush(&out, x->out);
	}
	if (more)
		flush(&out, x->out);
	cut = out.cut;
	ts_strbuf_fini(&out);
	return cut ? ts_err_nomem(err) : TS_OK;
}

static void
note_flame(struct ts_export *x, const struct ts_flame *f)
{
	struct ts_slices_left_out left = f->left_out;

	left.bad_rows += f->bad_cycles;
	note_left_out(x, left);
	ts_notes_left_out(&x->notes, "trace", f->overflowed, "a sum of cycles would be too large");
	ts_notes_left_out(&x->notes, "trace", f->frames.left_out,
		"too many different names: their cycles stand at a frame above them");
	if (f->frames.contexts && f->frames.contexts->missing > 0)
		ts_notes_add(&x->notes, "debug contexts that are not there: %" PRId64,
			f->frames.contexts->missing);
}

enum ts_code
ts_export_trace_folded(struct ts_export *x, struct ts_err *err)
{
	struct ts_frame_contexts *contexts = NULL;
	struct ts_flame *flame = NULL;
	struct ts_trace *trace = NULL;
	struct ts_err end = {0};
	enum ts_code code = open_trace(&trace, x, err), written = TS_OK;

	if (!code)
		code = ts_frame_contexts_read(&contexts, x->rd, NULL, NULL, err);
	if (!code)
		code = ts_flame_read(&flame, x->rd, trace, contexts,
			x->ranged ? (struct ts_flame_range){x->from, x->to, 0, 0} : TS_FLAME_ALL,
			NULL, ts_export_progress(x), err);
	if (flame) {
		written = write_stacks(x, flame, &end);
		note_flame(x, flame);
	}
	ts_flame_release(flame);
	ts_frame_contexts_release(contexts);
	ts_trace_release(trace);
	if (written && err)
		*err = end;
	return written ? written : code;
}
