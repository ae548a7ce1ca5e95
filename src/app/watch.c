/* SPDX-License-Identifier: MIT */
/* watch - see the header. */
#include "config.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tilescope/app/args.h"
#include "tilescope/app/output.h"
#include "tilescope/app/watch.h"
#include "tilescope/base/clock.h"
#include "tilescope/base/fmt.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/io/files_host.h"

enum {
	TICK_NS = 250000000,
	BAR_W = 20,
	LINE_MAX = 200,
	FAR_BYTES = 4 << 20, /* from a host: fewer are not worth a word */
};

struct ts_watch {
	pthread_t thread;
	struct ts_cancel cancel, stop;
	struct ts_progress progress;
	const char *what;
	const char *_Atomic unit;
	const char *_Atomic doing; /* or NULL */
	bool live;		   /* standard error is a terminal */
	_Atomic int64_t phase;	   /* when what is counted began */

	pthread_mutex_t lock; /* of what follows, and of lines while the thread runs */
	bool show;	      /* progress is shown */
	bool shown;	      /* there is a line to be cleared */
	struct ts_files *files;
	int64_t since, before; /* when they were named (us), and what the host had sent till then */
	int64_t waits;	       /* since when (us) their host is not reached; 0 = it is */
};

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

static void
fill(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < TS_COUNT(ending_signals); i++)
		sigaddset(set, ending_signals[i]);
	sigaddset(set, SIGUSR2); /* wakes the thread to its end */
}

/* "[#####...............] " of a known total; nothing of an unknown one. */
static const char *
bar(char out[BAR_W + 4], int64_t done, int64_t total)
{
	int full = total > 0 ? (int)((double)done / (double)total * BAR_W) : 0;

	if (total <= 0)
		return "";
	out[0] = '[';
	for (int i = 0; i < BAR_W; i++)
		out[i + 1] = i < full ? '#' : '.';
	memcpy(out + BAR_W + 1, "] ", 3);
	return out;
}

static int64_t
received(struct ts_files *files)
{
	struct ts_host_state s;

	ts_host_state(ts_files_host(files), &s);
	return s.received;
}

/* "  connecting to gpu7, 12 s": of a host that is not reached yet, or not any more. */
static void
put_host(struct ts_strbuf *line, struct ts_watch *w, const struct ts_host_state *s)
{
	const char *host = w->files->host;
	int64_t now = ts_clock_us();

	if (s->is != TS_HOST_CONNECTING && s->is != TS_HOST_RECONNECTING) {
		w->waits = 0;
		return;
	}
	if (!w->waits)
		w->waits = now;
	ts_strbuf_printf(line, "  connecting to %.80s%s, %lld s (C-c stops)", host,
		s->is == TS_HOST_RECONNECTING ? " again" : "",
		(long long)((now - w->waits) / 1000000));
}

/* "  45.1% [...] 1.2M rows, 3M/s"; of another host the link's rate says it, and a bar has no room. */
static void
put_counted(struct ts_strbuf *line, struct ts_watch *w, bool far)
{
	int64_t done = w->progress.done, total = w->progress.total;
	double seconds = (double)ts_max_i64(ts_clock_us() - w->phase, 1) / 1e6;
	char a[TS_FMT_MAX], b[TS_FMT_MAX], drawn[BAR_W + 4];

	if (done == 0)
		return;
	ts_strbuf_printf(line, " %s%s  %s %s", far ? "" : bar(drawn, done, total),
		total > 0 ? ts_fmt_percent(b, (double)done, (double)total) : "",
		ts_fmt_cycles_short(a, done), w->unit);
	if (!far)
		ts_strbuf_printf(line, ", %s/s",
			ts_fmt_cycles_short(a, (int64_t)((double)done / seconds)));
}

/* "  1.2 GiB over the link, 88 MiB/s" */
static void
put_link(struct ts_strbuf *line, const struct ts_watch *w, int64_t bytes)
{
	double seconds = (double)ts_max_i64(ts_clock_us() - w->since, 1) / 1e6;
	char a[TS_FMT_MAX], b[TS_FMT_MAX];

	ts_strbuf_printf(line, "  %s over the link, %s/s", ts_fmt_bytes(a, bytes, TS_UNITS_KIB),
		ts_fmt_bytes(b, (int64_t)((double)bytes / seconds), TS_UNITS_KIB));
}

/* The line is another's. */
static void
clear_line(struct ts_watch *w)
{
	if (w->shown)
		fputs("\r\033[K", stderr);
	w->shown = false;
}

static void
show_progress(struct ts_watch *w)
{
	const char *doing = w->doing;
	struct ts_host_state host = {.is = TS_HOST_CONNECTED};
	struct ts_strbuf line, safe;

	pthread_mutex_lock(&w->lock);
	if (!w->show) {
		pthread_mutex_unlock(&w->lock);
		return;
	}
	ts_strbuf_init(&line, LINE_MAX);
	ts_strbuf_init(&safe, 4 * LINE_MAX);
	if (w->files) {
		ts_host_state(ts_files_host(w->files), &host);
		put_host(&line, w, &host);
	}
	if (!line.len)
		put_counted(&line, w, w->files != NULL);
	if (!w->waits && host.received - w->before >= FAR_BYTES)
		put_link(&line, w, host.received - w->before);
	if (line.len > 0) {
		ts_utf8_safe(&safe, line.s, line.len);
		fprintf(stderr, "\r%s%s%s%s\033[K", w->what, doing ? ", index: " : "",
			doing ? doing : "", safe.s);
		w->shown = true;
	} else {
		clear_line(w);
	}
	fflush(stderr);
	pthread_mutex_unlock(&w->lock);
	ts_strbuf_fini(&safe);
	ts_strbuf_fini(&line);
}

/* Why it ends has a line of its own. */
static void
end_line(struct ts_watch *w)
{
	pthread_mutex_lock(&w->lock);
	if (w->shown)
		fputc('\n', stderr);
	w->shown = false;
	pthread_mutex_unlock(&w->lock);
}

static void *
watch(void *ctx)
{
	struct ts_watch *w = ctx;
	struct timespec tick = {0, TICK_NS};
	sigset_t set;

	fill(&set);
	while (!ts_cancelled(&w->stop)) {
		int s = w->live ? sigtimedwait(&set, NULL, &tick) : sigwaitinfo(&set, NULL);

		if (s > 0 && s != SIGUSR2) {
			if (ts_cancelled(&w->cancel))
				_exit(TS_EXIT_INTERRUPTED);
			end_line(w);
			ts_cancel_set(&w->cancel);
		}
		if (!ts_cancelled(&w->cancel))
			show_progress(w);
	}
	return NULL;
}

enum ts_code
ts_watch_start(struct ts_watch **out, const char *what, struct ts_err *err)
{
	struct ts_watch *w = ts_alloc(1, sizeof(*w));
	sigset_t set;
	int rc;

	*out = NULL;
	if (!w)
		return ts_err_nomem(err);
	w->what = what;
	w->unit = "rows";
	w->show = w->live = isatty(STDERR_FILENO);
	w->phase = ts_clock_us();
	pthread_mutex_init(&w->lock, NULL);
	fill(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	rc = pthread_create(&w->thread, NULL, watch, w);
	if (rc) {
		pthread_mutex_destroy(&w->lock);
		free(w);
		return ts_err_sys(err, rc, "cannot start a thread");
	}
	*out = w;
	return TS_OK;
}

void
ts_watch_count(struct ts_watch *w, const char *unit)
{
	w->unit = unit;
}

void
ts_watch_doing(struct ts_watch *w, const char *doing)
{
	w->doing = doing;
	ts_progress_set(&w->progress, 0, 0);
	w->phase = ts_clock_us();
}

void
ts_watch_files(struct ts_watch *w, struct ts_files *files)
{
	struct ts_files *last;

	pthread_mutex_lock(&w->lock);
	last = w->files;
	w->files = ts_files_hold(files);
	w->before = files ? received(files) : 0;
	w->since = ts_clock_us();
	w->waits = 0;
	pthread_mutex_unlock(&w->lock);
	ts_files_release(last);
}

void
ts_watch_warn(struct ts_watch *w, const char *subject, const char *text)
{
	pthread_mutex_lock(&w->lock);
	clear_line(w);
	ts_warn(subject, text);
	pthread_mutex_unlock(&w->lock);
}

void
ts_watch_say(struct ts_watch *w, const char *subject, const char *text)
{
	if (w->live)
		ts_watch_warn(w, subject, text);
}

void
ts_watch_complain(struct ts_watch *w, const char *subject, const struct ts_err *err)
{
	ts_watch_warn(w, subject, err->msg);
}

void
ts_watch_hide(struct ts_watch *w)
{
	pthread_mutex_lock(&w->lock);
	clear_line(w);
	fflush(stderr);
	w->show = false;
	pthread_mutex_unlock(&w->lock);
}

void
ts_watch_stop(struct ts_watch *w)
{
	if (!w)
		return;
	ts_cancel_set(&w->stop);
	pthread_kill(w->thread, SIGUSR2);
	pthread_join(w->thread, NULL);
	clear_line(w);
	ts_files_release(w->files);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

struct ts_cancel *
ts_watch_cancel(struct ts_watch *w)
{
	return &w->cancel;
}

struct ts_progress *
ts_watch_progress(struct ts_watch *w)
{
	return &w->progress;
}
