/* SPDX-License-Identifier: MIT */
/*
 * index_now - see the header. A thread for each part of a stage (job/crew.h); the thread that asked adds up how far they
 * have come, and does nothing else meanwhile.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tilescope/app/index_now.h"
#include "tilescope/app/open.h"
#include "tilescope/app/output.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/option.h"
#include "tilescope/io/files.h"
#include "tilescope/job/crew.h"
#include "tilescope/job/jobs.h"
#include "tilescope/report/index_build.h"

enum { TICK_NS = 100000000, PLACE_MAX = 1 << 14 };

struct part {
	struct ts_progress progress;
	enum ts_code code;
	struct ts_err err;
};

/* A stage under way. */
struct stage {
	struct ts_build *build;
	int number, parts;
	struct part *part;
	struct ts_report *report;
	struct ts_watch *watch;
};

static void
run_part(void *ctx, int i)
{
	struct stage *s = ctx;
	struct part *p = &s->part[i];
	struct ts_reader *rd = NULL;

	p->code = ts_reader_open(&rd, s->report, &p->err);
	if (!p->code) {
		ts_reader_set_cancel(rd, ts_watch_cancel(s->watch));
		ts_reader_set_index(rd, ts_build_index(s->build));
		p->code = ts_build_part(s->build, s->number, i, rd, &p->progress, &p->err);
	}
	ts_reader_close(rd);
}

static void
tell_progress(void *ctx)
{
	const struct stage *s = ctx;
	int64_t done = 0;

	for (int i = 0; i < s->parts; i++)
		done += atomic_load_explicit(&s->part[i].progress.done, memory_order_relaxed);
	ts_progress_set(ts_watch_progress(s->watch), done, ts_build_rows(s->build, s->number));
}

/* The parts of a stage, all at once; the first error of them. */
static enum ts_code
run_parts(struct stage *s, struct ts_err *err)
{
	ts_crew_run(s->parts, run_part, tell_progress, s);
	for (int i = 0; i < s->parts; i++)
		if (s->part[i].code) {
			*err = s->part[i].err;
			return s->part[i].code;
		}
	return TS_OK;
}

static enum ts_code
run_stage(struct ts_build *b, int number, struct ts_report *r, struct ts_reader *rd,
	struct ts_watch *w, struct ts_err *err)
{
	struct stage s = {.build = b,
		.number = number,
		.parts = (int)ts_clamp_i64(ts_build_parts(b, number), 1, TS_PASS_PARTS),
		.report = r,
		.watch = w};
	struct ts_index *with = NULL;
	enum ts_code code = TS_OK;

	s.part = ts_alloc((size_t)s.parts, sizeof(*s.part));
	code = s.part ? ts_build_begin(b, number, err) : ts_err_nomem(err);
	if (!code) {
		code = run_parts(&s, err);
		if (!code)
			code = ts_build_finish(&with, b, number, rd, NULL, err);
		else
			ts_build_drop(b, number);
	}
	ts_index_release(with);
	free(s.part);
	return code;
}

/* What ends the verb; all else costs a section, and the rows answer. */
static bool
is_fatal(enum ts_code code)
{
	return ts_ends_all(code);
}

static void
say_failed(const struct ts_args *args, const char *path, const char *what, const struct ts_err *why)
{
	char text[TS_ERR_MSG];

	if (!args->verbose)
		return;
	snprintf(text, sizeof(text), "index: %.60s%s%.400s", what, *what ? ": " : "", why->msg);
	ts_warn(path, text);
}

/* The build of what is missing; *out NULL: there is nothing to build. Waits for another program that builds. */
static enum ts_code
plan(struct ts_build **out, struct ts_index *have, const struct ts_cache *cache,
	struct ts_report *r, uint64_t sections, struct ts_watch *w, struct ts_err *err)
{
	const struct timespec tick = {0, TICK_NS};
	bool busy = false;
	enum ts_code code;

	for (;;) {
		code = ts_build_new(out, &busy, r, cache, have, sections, ts_jobs_cores(), err);
		if (code || !busy)
			return code;
		if (ts_cancelled(ts_watch_cancel(w)))
			return ts_err_set(err, TS_E_CANCELLED, "interrupted");
		nanosleep(&tick, NULL);
	}
}

/* Of a report on another host: that it takes long, once, and what ends it. */
static void
say_far(const struct ts_report *r, const struct ts_args *args, struct ts_watch *w)
{
	struct ts_strbuf place, text;
	char size[TS_FMT_MAX];

	if (!r->files || r->sources == 0 || args->quiet)
		return;
	ts_strbuf_init(&place, PLACE_MAX);
	ts_strbuf_init(&text, PLACE_MAX);
	ts_put_place(&place, r, r->path);
	ts_strbuf_printf(&text,
		"no index here yet: tables of its %s are read over the link, once (C-c stops)",
		ts_fmt_bytes(size, r->source[0]->size, args->units));
	ts_watch_say(w, place.s, text.s);
	ts_strbuf_fini(&text);
	ts_strbuf_fini(&place);
}

static enum ts_code
build(struct ts_index **index, const struct ts_cache *cache, struct ts_report *r,
	struct ts_reader *rd, const struct ts_args *args, uint64_t sections, struct ts_watch *w,
	struct ts_err *err)
{
	struct ts_build *b = NULL;
	struct ts_err why = {0};
	enum ts_code code = plan(&b, *index, cache, r, sections, w, &why);

	if (code)
		say_failed(args, r->path, "", &why);
	if (b && ts_build_stages(b) > 0)
		say_far(r, args, w);
	for (int i = 0; b && i < ts_build_stages(b) && !is_fatal(code) && code != TS_E_STALE; i++) {
		ts_watch_doing(w, ts_build_what(b, i));
		code = run_stage(b, i, r, rd, w, &why);
		if (code && !is_fatal(code))
			say_failed(args, r->path, ts_build_what(b, i), &why);
	}
	ts_watch_doing(w, NULL);
	if (b) {
		ts_index_release(*index);
		*index = ts_index_hold(ts_build_index(b));
	}
	ts_build_free(b);
	if (is_fatal(code))
		*err = why;
	return is_fatal(code) ? code : TS_OK;
}

enum ts_code
ts_index_now(struct ts_cache *cache, struct ts_report *r, struct ts_reader *rd,
	const struct ts_args *args, uint64_t sections, struct ts_watch *w, struct ts_err *err)
{
	struct ts_index *index = NULL;
	enum ts_code code = ts_cache_init(cache, args->cache, TS_OPTION_CACHE, err);

	if (code || !cache->dir)
		return code;
	code = ts_index_open_some(&index, cache, r, sections, NULL, ts_watch_cancel(w), err);
	if (!code && !r->being_written && sections & ~ts_index_sections(index))
		code = build(&index, cache, r, rd, args, sections, w, err);
	if (!code)
		ts_reader_set_index(rd, index);
	ts_index_release(index);
	return code;
}
