/* SPDX-License-Identifier: MIT */
/*
 * loop - one turn: keys, answers, timers, one frame, wait.
 *
 * The UI thread blocks in ppoll() and nowhere else. Signals are blocked; SIGWINCH is opened only while
 * it waits (curses' own handler then makes a resize event), those that end the program, and the one that
 * continues it after a stop, are read from a descriptor. A frame is drawn only when the terminal has taken the last one. After a key that needs
 * rows the answer is waited for a few milliseconds before a frame shows "loading".
 */
#include "config.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "tilescope/app/app.h"
#include "tilescope/app/output.h"
#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/archive.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/sheet.h"

enum {
	KEYS_US = 8000,	   /* keys are drained at most so long before a frame */
	ANSWER_US = 13500, /* and an answer is waited for so long after a key, */
	BEHIND_US = 2000,  /* what comes behind it so long */
	EARLY_MS = 20,	   /* and the report before there is a screen */
	TICK_US = 250000,  /* between frames that only show progress */
	REST_US = 30000,   /* patient work rests at most so long after a key, */
	SENT_US = 2000,	   /* and so long after its frame, which is on its way to the terminal */
};

enum {
	FD_KEYS,
	FD_JOBS,
	FD_SIGNALS,
	FD_STDERR,
	FD_OUT,
	FD_WATCH,
	FD_HOSTS,
	FD_COUNT = FD_HOSTS + TS_HOSTS
};

struct loop {
	struct ts_app app;
	int signals; /* descriptor */
	sigset_t while_waiting;
	int64_t asked; /* ts_jobs_sent() before the keys of this turn */
	bool ordering; /* a table is put in order, piece by piece */
};

static const int endings[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};

static bool
open_signals(struct loop *l)
{
	sigset_t read, all;

	sigemptyset(&read);
	for (size_t i = 0; i < TS_COUNT(endings); i++)
		sigaddset(&read, endings[i]);
	sigaddset(&read, SIGCONT);
	all = read;
	sigaddset(&all, SIGWINCH);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &l->while_waiting);
	sigdelset(&l->while_waiting, SIGWINCH);
	l->signals = signalfd(-1, &read, SFD_CLOEXEC | SFD_NONBLOCK);
	return l->signals >= 0;
}

/* --- one turn --------------------------------------------------------------------------------- */

void
ts_app_take_answers(struct ts_app *app)
{
	struct ts_job *job;

	while (!app->quit && (job = ts_jobs_receive(app->jobs)))
		ts_app_answer(app, job);
	ts_address_turn(app);
	ts_app_typed_turn(app);
}

/* Is a worker busy with what this screen waits for? */
static bool
is_busy(struct ts_app *app, enum ts_worker_id worker)
{
	struct ts_job_info info;

	ts_jobs_info(app->jobs, worker, &info);
	return info.what || info.waiting > 0;
}

/* Until when the answer to the last key is waited for. What is to be seen soon is not held up by what comes behind it. */
static int64_t
answer_at(const struct ts_app *app)
{
	int64_t until = app->key_us + ANSWER_US;

	return app->soon_us >= app->key_us ? ts_min_i64(until, app->soon_us + BEHIND_US) : until;
}

/* A key may have asked for rows: they mostly come at once. */
static void
wait_for_answer(struct ts_app *app)
{
	int64_t left;

	while (is_busy(app, TS_WORKER_SCREEN) && (left = answer_at(app) - ts_clock_us()) > 0) {
		struct pollfd p = {.fd = ts_jobs_fd(app->jobs), .events = POLLIN};
		const struct timespec timeout = {0, left * 1000};

		if (ppoll(&p, 1, &timeout, NULL) <= 0)
			break;
		ts_app_take_answers(app);
	}
}

/* Keys typed ahead are for the view that they lead to: what it begins with is mostly there at once. */
static void
drain_keys(struct loop *l)
{
	int64_t until = ts_clock_us() + KEYS_US;
	enum ts_view_id shown = l->app.current;
	struct ts_event event;

	while (!l->app.quit && ts_tty_read(l->app.tty, &event)) {
		l->app.key_us = ts_clock_us();
		ts_jobs_rest(l->app.jobs, l->app.key_us + REST_US);
		ts_app_event(&l->app, &event);
		if (l->app.current != shown)
			wait_for_answer(&l->app);
		shown = l->app.current;
		if (ts_clock_us() > until)
			break;
	}
}

/* What a key has asked for is on the screen: patient work may go on. */
static void
end_rest(struct ts_app *app)
{
	int64_t now = ts_clock_us();

	if (now < app->key_us + REST_US && !app->dirty && !is_busy(app, TS_WORKER_SCREEN))
		ts_jobs_rest(app->jobs, now + SENT_US);
}

/* Nobody waits for anything, and it is known what the index has. */
static void
look_ahead(struct ts_app *app)
{
	if (app->env.report && !app->env.report->files && app->ahead != app->env.generation &&
		!app->env.looking && !app->dirty && !is_busy(app, TS_WORKER_SCREEN))
		ts_app_ahead(app);
}

static bool
any_busy(struct ts_app *app)
{
	for (int i = 0; i < TS_WORKER_COUNT; i++)
		if (is_busy(app, (enum ts_worker_id)i))
			return true;
	return false;
}

/* Progress: at most four times a second, and not while somebody types. */
static void
tick(struct ts_app *app, int64_t now)
{
	if (app->tick_us && now >= app->tick_us && now < app->key_us + TS_CALM_US)
		app->tick_us = app->key_us + TS_CALM_US;
	if (app->tick_us && now >= app->tick_us) {
		struct ts_view *v = app->view[app->current];

		app->tick_us = 0;
		ts_indexing_tick(app, now);
		ts_hosts_tick(app);
		if (v && v->ops->request && app->env.report) /* what is being made has grown */
			v->ops->request(v);
		app->dirty = true;
	}
	if (!app->tick_us && (any_busy(app) || ts_hosts_ticks(app)))
		app->tick_us = now + TICK_US;
}

/* Timers: progress, another look at the file, the index. */
static void
run_timers(struct ts_app *app)
{
	int64_t now = ts_clock_us();

	ts_indexing_turn(app, now);
	ts_app_recents_turn(app);
	if (app->look_at_us && now >= app->look_at_us)
		ts_app_watch_look(app);
	tick(app, now); /* last: what is sent here may be drawn under way, and so its end, too */
}

static int64_t
sooner(int64_t a, int64_t b)
{
	return a == 0 ? b : b == 0 ? a : a < b ? a : b;
}

/*
 * Signals that came. A stop that was none of ours (kill -STOP) has left the terminal to a shell: it is
 * taken anew.
 */
static void
take_signals(struct loop *l)
{
	struct ts_app *app = &l->app;
	struct signalfd_siginfo s;

	while (read(l->signals, &s, sizeof(s)) == (ssize_t)sizeof(s)) {
		if (s.ssi_signo == SIGCONT) {
			ts_tty_leave(app->tty);
			ts_tty_resume(app->tty);
			ts_app_layout(app);
		} else {
			app->quit = true;
			app->status = TS_EXIT_INTERRUPTED;
		}
	}
}

/* Sleep until something happens. */
static void
wait_for_events(struct loop *l)
{
	struct ts_app *app = &l->app;
	int64_t until = sooner(sooner(app->look_at_us, app->tick_us), ts_indexing_next(app));
	int64_t left;
	struct timespec timeout, *wait = NULL;
	struct pollfd p[FD_COUNT] = {
		[FD_KEYS] = {.fd = ts_tty_fd(app->tty), .events = POLLIN},
		[FD_JOBS] = {.fd = ts_jobs_fd(app->jobs), .events = POLLIN},
		[FD_SIGNALS] = {.fd = l->signals, .events = POLLIN},
		[FD_STDERR] = {.fd = ts_tty_stderr_fd(app->tty), .events = POLLIN},
		[FD_OUT] = {.fd = app->dirty ? ts_tty_out_fd(app->tty) : -1, .events = POLLOUT},
		[FD_WATCH] = {.fd = ts_app_watch_fd(app), .events = POLLIN},
	};
	const int hosts = ts_hosts_fds(app, p + FD_HOSTS);

	if (until || l->ordering) {
		left = l->ordering ? 0 : ts_max_i64(until - ts_clock_us(), 0);
		timeout = (struct timespec){left / 1000000, left % 1000000 * 1000};
		wait = &timeout;
	}
	if (ppoll(p, (nfds_t)(FD_HOSTS + hosts), wait, &l->while_waiting) < 0)
		return; /* EINTR: a resize */
	if (p[FD_KEYS].revents & (POLLHUP | POLLERR | POLLNVAL)) {
		app->quit = true;
		app->status = TS_EXIT_OK;
	}
	if (p[FD_SIGNALS].revents)
		take_signals(l);
	if (p[FD_STDERR].revents)
		ts_tty_drain_stderr(app->tty);
	if (p[FD_WATCH].revents)
		ts_app_watch_event(app);
	for (int i = 0; i < hosts; i++)
		if (p[FD_HOSTS + i].revents) {
			ts_hosts_event(app);
			break;
		}
}

static void
turn(struct loop *l)
{
	struct ts_app *app = &l->app;

	l->asked = ts_jobs_sent(app->jobs, TS_WORKER_SCREEN);
	drain_keys(l);
	if (!app->quit && l->asked != ts_jobs_sent(app->jobs, TS_WORKER_SCREEN))
		wait_for_answer(app);
	ts_app_take_answers(app);
	run_timers(app);
	if (app->quit)
		return;
	if (app->dirty && ts_tty_ready(app->tty)) {
		ts_app_draw(app);
		ts_window_drawn(app->env.window, app->view[app->current], ts_clock_us());
		ts_indexing_drawn(app);
		ts_app_archive_drawn(app);
		ts_app_far_drawn(app);
		ts_hosts_drawn(app);
	}
	end_rest(app);
	look_ahead(app);
	l->ordering = app->env.report && app->view[app->current] &&
		ts_view_order_turn(app->view[app->current]);
	app->dirty |= l->ordering;
	wait_for_events(l);
}

/* --- begin and end ---------------------------------------------------------------------------- */

static void
tell_terminal(struct ts_app *app)
{
	const struct ts_tty_info *info = ts_tty_info(app->tty);

	if (info->replaced) {
		ts_view_say(&app->env, "the terminal type %.40s is not known here: %s is used",
			getenv("TERM") ? getenv("TERM") : "(none)", info->term);
		ts_log_add(app->log, "%s", app->env.message);
	}
}

/* Opening mostly takes a few milliseconds: what cannot be opened never gets a screen. */
static struct ts_job *
early_answer(struct ts_app *app)
{
	struct pollfd p = {.fd = ts_jobs_fd(app->jobs), .events = POLLIN};
	struct ts_job *job;

	if (poll(&p, 1, EARLY_MS) <= 0)
		return NULL;
	job = ts_jobs_receive(app->jobs);
	return job && ts_app_hopeless(app, job) ? NULL : job;
}

static enum ts_code
open_screen(struct ts_app *app, const struct ts_args *args, struct ts_err *err)
{
	struct ts_tty_options options = {.ascii = args->ascii,
		.depth = -1,
		.esc_delay = -1,
		.mouse = app->options.mouse};
	enum ts_code code;
	int w, h;

	options.log = app->log;
	if (args->color == TS_WHEN_NEVER)
		options.depth = TS_DEPTH_MONO;
	code = ts_tty_open(&app->tty, &options, err);
	if (code)
		return code;
	ts_crash_watch(app->tty);
	ts_tty_size(app->tty, &w, &h);
	app->canvas = ts_canvas_new(w, h, ts_tty_info(app->tty)->glyphs);
	if (!app->canvas)
		return ts_err_nomem(err);
	tell_terminal(app);
	return TS_OK;
}

enum ts_code
ts_app_init(struct ts_app *app, const struct ts_args *args, struct ts_err *err)
{
	enum ts_code code = ts_address_parse(&app->at, args->at, err);

	if (code)
		return code;
	ts_history_init(&app->commands);
	ts_history_init(&app->searches);
	app->args = args;
	app->path = args->path_count ? args->paths[0] : NULL;
	app->selection = (struct ts_selection)TS_SELECTION_NONE;
	app->log = ts_log_new();
	if (!app->log)
		return ts_err_nomem(err);
	app->env = (struct ts_view_env){.options = &app->options,
		.selection = &app->selection,
		.go = -1,
		.log = app->log,
		.keymap = &app->keymap};
	code = ts_jobs_new(&app->jobs, sizeof(struct ts_fetch_local), ts_fetch_local_fini, err);
	app->env.jobs = app->jobs;
	ts_windows_init(app->env.window);
	app->env.rules_dir = ts_config_path("rules");
	ts_hosts_begin(app);
	return code;
}

static enum ts_code
begin(struct loop *l, const struct ts_args *args, struct ts_err *err)
{
	struct ts_app *app = &l->app;
	struct ts_job *early;
	enum ts_code code;
	bool far;

	if (!open_signals(l)) /* before there are threads: they inherit the mask */
		return ts_err_nomem(err);
	code = ts_app_init(app, args, err);
	if (code)
		return code;
	ts_indexing_begin(app);
	ts_app_recents_begin(app);
	ts_app_settings_begin(app);
	app->env.rules = app->rules = ts_config_path("rules");
	far = app->path && ts_uri_is_far(app->path);
	if (app->path && !far)
		ts_app_load(app); /* the file is read while the terminal is set up */
	ts_app_configure(app);
	if (far)
		ts_app_load(app); /* the way to a host is an option */
	early = app->path ? early_answer(app) : NULL;
	if (app->quit)
		return TS_OK;
	code = open_screen(app, args, err);
	if (!code)
		ts_app_show(app, app->path ? (enum ts_view_id)app->at.view : TS_VIEW_OPEN);
	if (early && code)
		ts_app_give_back(early);
	else if (early)
		ts_app_take(app, early);
	return code;
}

bool
ts_app_fini(struct ts_app *app)
{
	ts_hosts_leave(app); /* workers that wait for one come back at once */
	if (!ts_jobs_free(app->jobs, ts_app_give_back))
		return false;
	for (int i = 0; i < TS_VIEW_COUNT; i++)
		if (app->view[i])
			app->view[i]->ops->close(app->view[i]);
	ts_indexing_end(app);
	ts_app_watch_end(app);
	ts_app_recents_end(app);
	ts_app_popup_end(app);
	ts_app_settings_end(app);
	free(app->rules);
	ts_archive_release(app->env.archive);
	ts_report_close(app->env.report);
	if (!ts_hosts_end(app))
		return false;
	ts_canvas_free(app->canvas);
	ts_keymap_fini(&app->keymap);
	ts_select_no_tiles(&app->selection);
	ts_history_fini(&app->commands);
	ts_history_fini(&app->searches);
	ts_log_free(app->log);
	free(app->env.open);
	free(app->env.edit);
	free(app->env.rules_dir);
	free(app->opened);
	free(app->word);
	return true;
}

enum ts_exit
ts_app_run(const struct ts_args *args)
{
	struct loop *l = ts_alloc(1, sizeof(*l));
	struct ts_err err = {0};
	enum ts_exit status;
	enum ts_code code;

	if (!l)
		return TS_EXIT_UNREADABLE;
	l->signals = -1;
	code = begin(l, args, &err);
	while (!code && !l->app.quit)
		turn(l);
	status = code ? ts_exit_of(code) : l->app.status;
	if (!code && l->app.failed.code && !l->app.env.report && l->app.status != TS_EXIT_OK &&
		l->app.status != TS_EXIT_INTERRUPTED)
		err = l->app.failed;
	ts_crash_watch(NULL);
	ts_tty_close(l->app.tty);
	if (err.code)
		ts_complain(l->app.path, &err);
	if (!ts_app_fini(&l->app))
		_exit((int)status);
	if (l->signals >= 0)
		close(l->signals);
	free(l);
	return status;
}
