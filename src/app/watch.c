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
#include "tilescope/app/watch.h"
#include "tilescope/base/clock.h"
#include "tilescope/base/fmt.h"
#include "tilescope/base/mem.h"

enum { TICK_NS = 250000000, BAR_W = 20 };

struct ts_watch {
	pthread_t thread;
	struct ts_cancel cancel, stop;
	struct ts_progress progress;
	const char *what;
	const char *_Atomic unit;
	const char *_Atomic doing; /* or NULL */
	bool show;		   /* standard error is a terminal */
	_Atomic int64_t phase;	   /* when what is counted began */
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

static void
show_progress(struct ts_watch *w)
{
	int64_t done = w->progress.done, total = w->progress.total;
	double seconds = (double)(ts_clock_us() - w->phase) / 1e6;
	char a[TS_FMT_MAX], b[TS_FMT_MAX], rate[TS_FMT_MAX], drawn[BAR_W + 4];
	const char *doing = w->doing;

	if (!w->show || done == 0)
		return;
	fprintf(stderr, "\r%s%s%s %s%s  %s %s, %s/s\033[K", w->what, doing ? ", index: " : "",
		doing ? doing : "", bar(drawn, done, total),
		total > 0 ? ts_fmt_percent(b, (double)done, (double)total) : "",
		ts_fmt_cycles_short(a, done), w->unit,
		ts_fmt_cycles_short(rate, (int64_t)((double)done / (seconds > 0 ? seconds : 1))));
	fflush(stderr);
}

static void *
watch(void *ctx)
{
	struct ts_watch *w = ctx;
	struct timespec tick = {0, TICK_NS};
	sigset_t set;

	fill(&set);
	while (!ts_cancelled(&w->stop)) {
		int s = w->show ? sigtimedwait(&set, NULL, &tick) : sigwaitinfo(&set, NULL);

		if (s > 0 && s != SIGUSR2) {
			if (ts_cancelled(&w->cancel))
				_exit(TS_EXIT_INTERRUPTED);
			ts_cancel_set(&w->cancel);
		}
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
	w->show = isatty(STDERR_FILENO);
	w->phase = ts_clock_us();
	fill(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	rc = pthread_create(&w->thread, NULL, watch, w);
	if (rc) {
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
ts_watch_stop(struct ts_watch *w)
{
	if (!w)
		return;
	ts_cancel_set(&w->stop);
	pthread_kill(w->thread, SIGUSR2);
	pthread_join(w->thread, NULL);
	if (w->show && w->progress.done > 0)
		fputs("\r\033[K", stderr);
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
