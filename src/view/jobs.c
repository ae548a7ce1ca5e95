/* SPDX-License-Identifier: MIT */
/*
 * jobs - see the header.
 *
 * The screen is a short list of lines, written anew for each frame and scrolled as a whole; the loop
 * draws a frame when it ticks, and it ticks while something runs.
 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/fmt.h"
#include "tilescope/base/mem.h"
#include "tilescope/ui/list.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/host_status.h"
#include "tilescope/view/index_status.h"
#include "tilescope/view/jobs.h"

enum {
	LINES_MAX = 64 + TS_QUERIES,
	LINE_MAX = 160,
	NARROW = 80, /* columns at which names have what follows; beyond, they have more */
	WORKER_COLUMN = 10,
	WORKER_NAME = 26,
	HOST_NAME = 32,
	QUESTION_NAME = 30,
	NAME_MOST = 48,
};

struct line {
	enum { LINE_ROW, LINE_HEAD, LINE_RULE } kind;
	enum ts_role role;
	char text[LINE_MAX];
	const char *name; /* raw text to put into it, or NULL: at a column of it, so many wide */
	int name_at, name_w;
	const char *tail; /* raw text to put behind it, or NULL */
	int cut;	  /* enum ts_field: how that is cut */
};

struct page {
	struct line line[LINES_MAX];
	int lines, w; /* columns */
};

struct jobs_view {
	struct ts_view base;
	struct ts_list list;
	struct ts_rect area;
	struct ts_reader_stats stats; /* as of the last request */
	struct ts_query_counts query[TS_QUERIES];
};

static struct jobs_view *
self(struct ts_view *v)
{
	return (struct jobs_view *)v;
}

static struct ts_view *
jobs_open(struct ts_view_env *env)
{
	struct jobs_view *j = ts_alloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->base.ops = &ts_view_jobs;
	j->base.env = env;
	ts_list_init(&j->list);
	return &j->base;
}

static void
jobs_close(struct ts_view *v)
{
	free(v);
}

/* --- lines ------------------------------------------------------------------------------------ */

static struct line *add(struct page *p, int kind, enum ts_role role, const char *fmt, ...)
	TS_PRINTF(4, 5);

/* One more line; the last one over again when there is no room. */
static struct line *
add(struct page *p, int kind, enum ts_role role, const char *fmt, ...)
{
	struct line *l = &p->line[p->lines < LINES_MAX ? p->lines++ : LINES_MAX - 1];
	va_list ap;

	l->kind = kind;
	l->role = role;
	l->name = l->tail = NULL;
	l->cut = TS_FIELD_TAIL;
	va_start(ap, fmt);
	vsnprintf(l->text, sizeof(l->text), fmt, ap);
	va_end(ap);
	return l;
}

/* A line that ends with a text, as far as there is room for that. */
static void
add_tail(struct page *p, enum ts_role role, const char *text, const char *tail)
{
	struct line *l = add(p, LINE_ROW, role, "%s", text);

	l->tail = tail;
	l->cut = TS_FIELD_ELLIPSIS;
}

/* Columns for a name that has `least` where there is no more room. */
static int
name_room(const struct page *p, int least)
{
	return (int)ts_clamp_i64(p->w - NARROW + least, least, NAME_MOST);
}

static void
put_name(struct line *l, const char *name, int at, int w)
{
	l->name = name;
	l->name_at = at;
	l->name_w = w;
}

static void
worker_name(char out[16], int i)
{
	if (i <= TS_QUESTIONS)
		snprintf(out, 16, "%s", i == 0 ? "screen" : "question");
	else
		snprintf(out, 16, "pool %d", i - TS_QUESTIONS);
}

static void
add_worker(struct page *p, struct ts_jobs *jobs, int i)
{
	char name[16], done[TS_FMT_MAX] = "", rate[TS_FMT_MAX] = "", time[TS_FMT_MAX] = "";
	char share[TS_FMT_MAX] = "", finished[TS_FMT_MAX];
	int room = name_room(p, WORKER_NAME);
	struct ts_job_info info;
	struct line *l;

	ts_jobs_worker(jobs, i, &info);
	worker_name(name, i);
	if (info.what && info.done > 0)
		ts_fmt_cycles_short(done, info.done);
	if (info.what && info.total > 0)
		ts_fmt_percent(share, (double)info.done, (double)info.total);
	if (info.what && info.done > 0 && info.running_us > 0)
		ts_fmt_cycles_short(rate,
			(int64_t)((double)info.done / ((double)info.running_us / 1e6)));
	if (info.what)
		ts_fmt_time(time, (double)info.running_us);
	l = add(p, LINE_ROW, info.what ? TS_ROLE_TEXT : TS_ROLE_DIM, "%-9s %*s %7s %6s %7s %8s %7s",
		name, room, "", done, share, rate, time,
		ts_fmt_cycles_short(finished, info.finished));
	put_name(l, info.what ? info.what : "idle", WORKER_COLUMN, room);
}

static void
add_workers(struct page *p, struct ts_jobs *jobs)
{
	struct ts_job_info screen, bulk;

	add(p, LINE_RULE, TS_ROLE_BORDER, "Workers");
	add(p, LINE_HEAD, TS_ROLE_HEADER, "%-9s %-*s %7s %6s %7s %8s %7s", "worker",
		name_room(p, WORKER_NAME), "does", "rows", "", "rows/s", "for", "did");
	for (int i = 0; i < ts_jobs_workers(jobs); i++)
		add_worker(p, jobs, i);
	ts_jobs_info(jobs, TS_WORKER_SCREEN, &screen);
	ts_jobs_info(jobs, TS_WORKER_BULK, &bulk);
	add(p, LINE_ROW, TS_ROLE_DIM, "waiting: %d for the screen, %d for the others",
		screen.waiting, bulk.waiting);
}

/* --- other hosts ------------------------------------------------------------------------------ */

static void
say_host(char *out, size_t size, const struct ts_host_status *h)
{
	char time[TS_FMT_MAX];

	switch (h->stands) {
	case TS_HOST_IS_CONNECTING:
		snprintf(out, size, "connecting%s%s", h->doing && *h->doing ? ": " : "",
			h->doing ? h->doing : "");
		break;
	case TS_HOST_IS_RECONNECTING:
		snprintf(out, size, "reconnecting, attempt %d", h->attempt);
		break;
	case TS_HOST_IS_NOT_CONNECTED:
		snprintf(out, size, "not connected");
		break;
	case TS_HOST_IS_CONNECTED:
		if (h->rtt_us > 0)
			snprintf(out, size, "connected, round trip %s",
				ts_fmt_time(time, (double)h->rtt_us));
		else
			snprintf(out, size, "connected");
		break;
	}
}

static void
add_host(struct page *p, const struct ts_host_status *h, enum ts_units units)
{
	bool good = h->stands == TS_HOST_IS_CONNECTED;
	char state[LINE_MAX / 2], trips[TS_FMT_MAX], requests[TS_FMT_MAX], sent[TS_FMT_MAX];
	char received[TS_FMT_MAX];
	int room = name_room(p, HOST_NAME);
	struct line *l;

	say_host(state, sizeof(state), h);
	l = add(p, LINE_ROW, good ? TS_ROLE_TEXT : TS_ROLE_WARN, "%*s %-7s %s", room, "",
		h->transport ? h->transport : "", state);
	put_name(l, h->name, 0, room);
	add(p, LINE_ROW, TS_ROLE_DIM,
		"  %s round trips, %s requests, sent %s, received %s, %d channel%s, %lld connection%s",
		ts_fmt_count(trips, h->round_trips), ts_fmt_count(requests, h->requests),
		ts_fmt_bytes(sent, h->sent, units), ts_fmt_bytes(received, h->received, units),
		h->channels, h->channels == 1 ? "" : "s", (long long)h->connections,
		h->connections == 1 ? "" : "s");
	if (h->left_out[0])
		add_tail(p, TS_ROLE_WARN, "  left out of its configuration: ", h->left_out);
	if (!good && h->why[0])
		add_tail(p, TS_ROLE_DIM, "  ", h->why);
}

/* What was read of the report there, in blocks. */
static void
add_blocks(struct page *p, const struct ts_view_env *env)
{
	struct ts_source_counts all = {0}, one;
	char hits[TS_FMT_MAX], misses[TS_FMT_MAX], kept[TS_FMT_MAX], share[TS_FMT_MAX];

	if (!env->report || !env->report->files)
		return;
	for (int i = 0; i < env->report->sources; i++) {
		ts_source_counts(env->report->source[i], &one);
		ts_source_counts_add(&all, &one);
	}
	add(p, LINE_ROW, TS_ROLE_DIM,
		"  blocks of the report: %s hits, %s misses (%s), %s kept here",
		ts_fmt_count(hits, all.hits), ts_fmt_count(misses, all.misses),
		ts_fmt_percent(share, (double)all.hits, (double)all.hits + (double)all.misses),
		ts_fmt_count(kept, all.kept));
}

static void
add_hosts(struct page *p, const struct ts_view_env *env)
{
	if (env->host_count == 0)
		return;
	add(p, LINE_RULE, TS_ROLE_BORDER, "Other hosts");
	for (int i = 0; i < env->host_count; i++)
		add_host(p, &env->hosts[i], env->options->units);
	add_blocks(p, env);
}

/* --- the caches ------------------------------------------------------------------------------- */

static void
add_cache(struct page *p, const char *name, const char *capacity, int64_t hits, int64_t misses)
{
	char a[TS_FMT_MAX], b[TS_FMT_MAX], share[TS_FMT_MAX];

	add(p, LINE_ROW, TS_ROLE_TEXT, "%-20s %10s %14s %14s %8s", name, capacity,
		ts_fmt_count(a, hits), ts_fmt_count(b, misses),
		ts_fmt_percent(share, (double)hits, (double)hits + (double)misses));
}

static void
add_caches(struct page *p, const struct ts_reader_stats *s, enum ts_units units)
{
	char a[TS_FMT_MAX], b[TS_FMT_MAX];

	add(p, LINE_RULE, TS_ROLE_BORDER, "Caches");
	add(p, LINE_HEAD, TS_ROLE_HEADER, "%-20s %10s %14s %14s %8s", "cache", "at most", "hits",
		"misses", "");
	add_cache(p, "pages of tables", ts_fmt_bytes(a, s->page_capacity, units), s->page_hits,
		s->page_misses);
	add_cache(p, "statements", ts_fmt_count(a, s->statement_capacity), s->statement_hits,
		s->statement_misses);
	add(p, LINE_ROW, TS_ROLE_DIM, "waited for %s in %s reads of the report",
		ts_fmt_bytes(a, s->bytes, units), ts_fmt_count(b, s->reads));
}

/* --- rows of lists ---------------------------------------------------------------------------- */

static void
add_window(struct page *p, const struct ts_window *w, enum ts_window_id id, enum ts_units units)
{
	char most[TS_FMT_MAX], most_bytes[TS_FMT_MAX], rows[TS_FMT_MAX], bytes[TS_FMT_MAX];
	char hits[TS_FMT_MAX], misses[TS_FMT_MAX], waits[TS_FMT_MAX], time[TS_FMT_MAX] = "";

	if (w->waits > 0)
		ts_fmt_time(time, (double)w->wait_us);
	add(p, LINE_ROW, w->rows > 0 ? TS_ROLE_TEXT : TS_ROLE_DIM,
		"%-17s %6s %8s %6s %8s %7s %7s %6s %5s", ts_window_name(id),
		ts_fmt_count(most, w->most_rows), ts_fmt_bytes(most_bytes, w->most_bytes, units),
		ts_fmt_count(rows, w->rows), ts_fmt_bytes(bytes, w->bytes, units),
		ts_fmt_cycles_short(hits, w->hits), ts_fmt_cycles_short(misses, w->misses),
		ts_fmt_cycles_short(waits, w->waits), time);
}

static void
add_windows(struct page *p, const struct ts_view_env *env)
{
	add(p, LINE_RULE, TS_ROLE_BORDER, "Rows of lists");
	add(p, LINE_HEAD, TS_ROLE_HEADER, "%-17s %15s %15s %7s %7s %6s %-5s", "list", "at most",
		"has", "hits", "misses", "waits", "for");
	for (int i = 0; i < TS_WINDOW_COUNT; i++)
		add_window(p, &env->window[i], (enum ts_window_id)i, env->options->units);
}

/* --- the index -------------------------------------------------------------------------------- */

static const struct {
	const char *word;
	enum ts_role role;
} states[] = {
	[TS_SECTION_IS_UNPLANNED] = {"-", TS_ROLE_DIM},
	[TS_SECTION_IS_MISSING] = {"missing", TS_ROLE_TEXT},
	[TS_SECTION_IS_BUILDING] = {"building", TS_ROLE_TEXT},
	[TS_SECTION_IS_READY] = {"ready", TS_ROLE_GOOD},
	[TS_SECTION_IS_FAILED] = {"failed", TS_ROLE_BAD},
};

static void
add_section(struct page *p, const struct ts_view_env *env, enum ts_section s)
{
	const struct ts_section_status *st = &env->indexing->section[s];
	enum ts_section_state state = st->state;
	char bytes[TS_FMT_MAX] = "", percent[16] = "";
	struct line *l;
	size_t size;

	if (ts_index_section(env->index, s, &size)) {
		ts_fmt_bytes(bytes, (int64_t)size, env->options->units);
		state = TS_SECTION_IS_READY;
	}
	if (!ts_section_is_core(s) && state == TS_SECTION_IS_UNPLANNED)
		return; /* nobody asked for it */
	if (state == TS_SECTION_IS_BUILDING && st->percent >= 0)
		snprintf(percent, sizeof(percent), " %d %%", st->percent);
	l = add(p, LINE_ROW, states[state].role, "%-30s %10s  %s%s%s", ts_section_name(s), bytes,
		states[state].word, percent, state == TS_SECTION_IS_FAILED ? ": " : "");
	if (state == TS_SECTION_IS_FAILED)
		l->tail = st->reason;
	l->cut = TS_FIELD_ELLIPSIS;
}

static void
add_index(struct page *p, const struct ts_view_env *env)
{
	const struct ts_cache *cache = env->cache;
	char bytes[TS_FMT_MAX];
	struct line *l;

	add(p, LINE_RULE, TS_ROLE_BORDER, "Index");
	if (!env->indexing)
		return;
	add(p, LINE_HEAD, TS_ROLE_HEADER, "%-30s %10s  %s", "section", "mapped", "state");
	for (int s = 0; s < TS_SECTION_COUNT; s++)
		add_section(p, env, (enum ts_section)s);
	add(p, LINE_ROW, TS_ROLE_TEXT, "%-30s %10s  %s", "all of it",
		ts_fmt_bytes(bytes, ts_index_bytes(env->index), env->options->units),
		env->indexing->doing ? env->indexing->doing : "");
	if (cache && cache->dir)
		l = add(p, LINE_ROW, TS_ROLE_DIM, "at most %s of all reports in ",
			ts_fmt_bytes(bytes, cache->cap, env->options->units));
	else
		l = add(p, LINE_ROW, TS_ROLE_DIM, "%s",
			!cache		      ? "no folder looked at yet"
				: *cache->why ? "no folder: "
					      : "no folder (--cache none)");
	l->tail = cache ? cache->dir ? cache->dir : cache->why : NULL;
}

/* --- what questions to a report on another host take -------------------------------------------- */

static void
add_query(struct page *p, const struct ts_query_counts *q, enum ts_units units)
{
	char runs[TS_FMT_MAX], trips[TS_FMT_MAX], requests[TS_FMT_MAX], bytes[TS_FMT_MAX];
	char share[TS_FMT_MAX], kept[TS_FMT_MAX];
	int room = name_room(p, QUESTION_NAME);
	struct line *l;

	l = add(p, LINE_ROW, TS_ROLE_TEXT, "%*s %6s %7s %9s %9s %7s %7s", room, "",
		ts_fmt_cycles_short(runs, q->runs), ts_fmt_cycles_short(trips, q->far.trips),
		ts_fmt_cycles_short(requests, q->far.requests),
		ts_fmt_bytes(bytes, q->far.bytes, units),
		ts_fmt_percent(share, (double)q->far.hits, (double)(q->far.hits + q->far.misses)),
		ts_fmt_cycles_short(kept, q->far.kept));
	put_name(l, q->what, 0, room);
}

static void
add_queries(struct page *p, const struct ts_view_env *env, const struct ts_query_counts *query)
{
	if (!query[0].what)
		return;
	add(p, LINE_RULE, TS_ROLE_BORDER, "Questions to the host");
	add(p, LINE_HEAD, TS_ROLE_HEADER, "%-*s %6s %7s %9s %9s %7s %7s",
		name_room(p, QUESTION_NAME), "question", "times", "waits", "requests", "bytes",
		"here", "on disk");
	for (int i = 0; i < TS_QUERIES && query[i].what; i++)
		add_query(p, &query[i], env->options->units);
}

static void
write_page(struct page *p, const struct ts_view_env *env, const struct ts_reader_stats *stats,
	const struct ts_query_counts *query)
{
	char bytes[TS_FMT_MAX];

	p->lines = 0;
	add_workers(p, env->jobs);
	add_hosts(p, env);
	add_queries(p, env, query);
	add_index(p, env);
	add_caches(p, stats, env->options->units);
	add_windows(p, env);
	add(p, LINE_RULE, TS_ROLE_BORDER, "Memory");
	if (env->indexing && env->indexing->resident >= 0)
		add(p, LINE_ROW, TS_ROLE_TEXT,
			"%s resident, mapped files (the index, what is sorted) not counted",
			ts_fmt_bytes(bytes, env->indexing->resident, env->options->units));
	else
		add(p, LINE_ROW, TS_ROLE_DIM, "not known on this system");
}

/* --- the view --------------------------------------------------------------------------------- */

static void
jobs_resize(struct ts_view *v, struct ts_rect area)
{
	self(v)->area = area;
	ts_list_resize(&self(v)->list, area.h);
}

static void
draw_line(struct ts_canvas *c, struct ts_rect r, const struct line *l)
{
	int x;

	if (l->kind == LINE_RULE) {
		ts_canvas_rule(c, r, l->role, l->text, NULL);
		return;
	}
	if (l->kind == LINE_HEAD)
		ts_canvas_fill(c, r, l->role, ' ');
	x = ts_canvas_text(c, r, 1, 0, l->role, l->text);
	if (l->name)
		ts_canvas_field(c, r, 1 + l->name_at, 0, l->name_w, l->role, l->name,
			strlen(l->name), TS_FIELD_ELLIPSIS);
	if (l->tail)
		ts_canvas_field(c, r, x, 0, r.w - x - 1, l->role, l->tail, strlen(l->tail), l->cut);
}

static void
jobs_draw(struct ts_view *v, struct ts_canvas *c)
{
	struct jobs_view *j = self(v);
	struct page page = {.w = j->area.w};
	int64_t from, to;

	write_page(&page, v->env, &j->stats, j->query);
	ts_list_set_count(&j->list, page.lines);
	ts_list_window(&j->list, &from, &to);
	for (int64_t i = from; i < to; i++)
		draw_line(c, ts_rect_row(j->area, (int)(i - from)), &page.line[i]);
	ts_canvas_more(c, j->area, from > 0, to < page.lines);
}

static void
jobs_request(struct ts_view *v)
{
	ts_fetch_stats(&self(v)->stats, v->env->jobs);
	ts_fetch_queries(self(v)->query, v->env->jobs);
}

/* The page has no cursor: moving it scrolls. */
static enum ts_effect
jobs_command(struct ts_view *v, const struct ts_call *call)
{
	struct ts_list *l = &self(v)->list;

	if (call->cmd == TS_CMD_UP || call->cmd == TS_CMD_DOWN)
		return ts_list_scroll(l, call->cmd == TS_CMD_UP ? -1 : 1);
	return ts_list_command(l, call->cmd);
}

static enum ts_effect
jobs_mouse(struct ts_view *v, int x, int y, int wheel)
{
	(void)x;
	(void)y;
	return wheel ? ts_list_scroll(&self(v)->list, wheel * 3) : TS_EFFECT_NONE;
}

const struct ts_view_ops ts_view_jobs = {
	.name = "jobs",
	.title = "Jobs",
	.context = TS_CONTEXT_JOBS,
	.open = jobs_open,
	.close = jobs_close,
	.resize = jobs_resize,
	.draw = jobs_draw,
	.request = jobs_request,
	.command = jobs_command,
	.mouse = jobs_mouse,
};
