/* SPDX-License-Identifier: MIT */
/* hosts - see the header. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/app/app.h"
#include "tilescope/app/open.h"
#include "tilescope/app/output.h"
#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/thread.h"
#include "tilescope/io/files_host.h"

#include "hosts_internal.h"

enum {
	LEAVE_MS = 200,
	SILENT_US = 3000000, /* a host that was asked and says nothing for so long is named */
};

/* --- which there are -------------------------------------------------------------------------- */

static struct ts_host *
host_at(const struct ts_app *app, int i)
{
	return ts_files_host(app->hosts.host[i].files);
}

/* Of the report that is shown; -1: it is here, or there is none. */
static int
of_report(const struct ts_app *app)
{
	for (int i = 0; i < app->hosts.count; i++)
		if (app->env.report && app->env.report->files == app->hosts.host[i].files)
			return i;
	return -1;
}

static int
find(const struct ts_app_hosts *h, const struct ts_uri *u, enum ts_way way)
{
	for (int i = 0; i < h->count; i++)
		if (ts_uri_same_host(&h->host[i].at, u) && h->host[i].way == way)
			return i;
	return -1;
}

static void *
release(void *files)
{
	ts_files_release(files);
	return NULL;
}

/* Its thread may hang (an agent), and is waited for when it is freed: then aside. false: it keeps its place, and is dead. */
static bool
let_go(struct ts_app_hosts *h, struct ts_app_host *host)
{
	if (ts_host_leave(ts_files_host(host->files), 0)) {
		ts_files_release(host->files);
		return true;
	}
	host->at.host[0] = '\0'; /* nobody finds it again */
	if (!ts_host_aside(release, host->files))
		return false;
	h->aside = true;
	return true;
}

/* A place for another one: that of the one that nobody else holds and that was asked for longest ago. */
static int
make_room(struct ts_app_hosts *h)
{
	int oldest = -1;

	if (h->count < TS_HOSTS)
		return h->count++;
	for (int i = 0; i < h->count; i++)
		if (atomic_load(&h->host[i].files->uses) == 1 && i != h->asks &&
			(oldest < 0 || h->host[i].used < h->host[oldest].used))
			oldest = i;
	return oldest >= 0 && let_go(h, &h->host[oldest]) ? oldest : -1;
}

static void
name_host(char *out, size_t size, const struct ts_uri *u)
{
	bool bracket = strchr(u->host, ':') != NULL;
	int n = snprintf(out, size, "%s%s%s%s%s", u->user, u->user[0] ? "@" : "",
		bracket ? "[" : "", u->host, bracket ? "]" : "");

	if (u->port && n > 0 && (size_t)n < size)
		snprintf(out + n, size - (size_t)n, ":%d", u->port);
}

static enum ts_code
begin_host(struct ts_app *app, int *at, const struct ts_uri *u, struct ts_err *err)
{
	struct ts_app_hosts *h = &app->hosts;
	struct ts_host_spec spec = {.to.ask = !app->headless};
	struct ts_host_status status = {.name = ""};
	struct ts_files *files;
	enum ts_code code;
	char *cache;

	ts_host_spec_to(&spec, u, app->options.transport, app->args->ssh_config);
	name_host(status.name, sizeof(status.name), u);
	code = ts_files_host_new(&files, status.name, &spec, err);
	if (code)
		return code;
	cache = ts_cache_dir(app->args->cache);
	code = cache ? ts_keep_blocks(files, cache, err) : TS_OK;
	free(cache);
	if (code) {
		ts_files_release(files);
		return code;
	}
	*at = make_room(h);
	if (*at < 0) {
		ts_files_release(files);
		return ts_err_set(err, TS_E_LIMIT, "reports of %d other hosts are open", TS_HOSTS);
	}
	h->host[*at] =
		(struct ts_app_host){.at = *u, .way = app->options.transport, .files = files};
	h->host[*at].at.path[0] = '\0';
	h->status[*at] = status;
	return TS_OK;
}

enum ts_code
ts_hosts_place(struct ts_app *app, struct ts_files **files, char **path, const char *word,
	struct ts_err *err)
{
	struct ts_app_hosts *h = &app->hosts;
	struct ts_uri u;
	enum ts_code code = ts_uri_parse(&u, word, err);
	int at;

	*files = NULL;
	*path = NULL;
	if (code)
		return code;
	*path = ts_strdup(u.path);
	if (!*path)
		return ts_err_nomem(err);
	if (!u.remote)
		return TS_OK;
	at = find(h, &u, app->options.transport);
	if (at < 0)
		code = begin_host(app, &at, &u, err);
	else if (h->host[at].state.is != TS_HOST_CONNECTED)
		ts_host_retry(host_at(app, at)); /* it may just be about to stop */
	if (code) {
		free(*path);
		*path = NULL;
		return code;
	}
	h->host[at].used = ++h->uses;
	h->wanted = at;
	*files = ts_files_hold(h->host[at].files);
	ts_hosts_event(app);
	return TS_OK;
}

/* --- how they are ----------------------------------------------------------------------------- */

static const char *
key_of(struct ts_app *app, enum ts_cmd cmd, char keys[TS_KEYS_TEXT])
{
	static const enum ts_context global = TS_CONTEXT_GLOBAL;
	const struct ts_key_binding *b = ts_keymap_of(&app->keymap, &global, 1, cmd, NULL);

	return b ? ts_keys_print(keys, &b->keys) : ts_commands[cmd].name;
}

static void
say_connecting(struct ts_app *app, const struct ts_app_host *s, const char *name,
	struct ts_strbuf *out)
{
	char key[TS_KEYS_TEXT];

	ts_strbuf_printf(out, "Connecting to %s", name);
	if (s->state.transport)
		ts_strbuf_printf(out, " (%s)", s->state.transport);
	if (s->state.doing && *s->state.doing)
		ts_strbuf_printf(out, ": %s", s->state.doing);
	ts_strbuf_printf(out, "  %s: stop", key_of(app, TS_CMD_CANCEL, key));
}

/* "45 s", "60 min", "9 h": as exactly as somebody wants to know who comes back. */
static const char *
span(char out[TS_FMT_MAX], int64_t us)
{
	static const struct {
		int64_t s, from;
		const char *name;
	} units[] = {{3600, 7200, "h"}, {60, 120, "min"}, {1, 0, "s"}};
	int64_t s = (us + 500000) / 1000000;
	size_t i = 0;

	while (s < units[i].from)
		i++;
	snprintf(out, TS_FMT_MAX, "%lld %s", (long long)(s / units[i].s), units[i].name);
	return out;
}

static void
say_reconnecting(struct ts_app *app, const struct ts_app_host *s, const char *name,
	struct ts_strbuf *out)
{
	int64_t left = s->state.next_us ? s->state.next_us - ts_clock_us() : 0;
	char key[TS_KEYS_TEXT], slept[TS_FMT_MAX];

	ts_strbuf_printf(out, "Reconnecting to %s, attempt %d", name, s->state.attempt);
	if (left > 0)
		ts_strbuf_printf(out, " in %lld s", (long long)(left / 1000000 + 1));
	ts_strbuf_printf(out, "  %s: stop", key_of(app, TS_CMD_CANCEL, key));
	if (s->state.slept_us > 0) /* why it is not reached yet follows from that, mostly */
		ts_strbuf_printf(out, "  (this machine slept %s)", span(slept, s->state.slept_us));
	if (s->state.err.code && !(s->state.slept_us > 0 && s->state.attempt == 1))
		ts_strbuf_printf(out, "  (%s)", ts_uri_without_host(&s->at, s->state.err.msg));
}

static void
say_connected(struct ts_app *app, const struct ts_app_host *s, const char *name,
	struct ts_strbuf *out)
{
	if (s->state.silent_us >= SILENT_US)
		ts_strbuf_printf(out, "%s has not answered for %lld s", name,
			(long long)(s->state.silent_us / 1000000));
	else if (of_report(app) >= 0 && s == &app->hosts.host[of_report(app)])
		ts_strbuf_puts(out, app->hosts.trouble);
}

static void
say_failed(struct ts_app *app, const struct ts_app_host *s, const char *name, struct ts_strbuf *out)
{
	char key[TS_KEYS_TEXT];
	int at = of_report(app);

	(void)name; /* it stands in the reason */

	if (at < 0 || s != &app->hosts.host[at])
		return; /* who wanted it was told */
	ts_strbuf_printf(out, "No connection, %s: connect again  (%s)",
		key_of(app, TS_CMD_RELOAD, key), s->state.err.msg);
}

static void (*const sayings[])(struct ts_app *app, const struct ts_app_host *s, const char *name,
	struct ts_strbuf *out) = {
	[TS_HOST_CONNECTING] = say_connecting,
	[TS_HOST_CONNECTED] = say_connected,
	[TS_HOST_RECONNECTING] = say_reconnecting,
	[TS_HOST_FAILED] = say_failed,
};

/* It asks, and no box has opened by itself. */
static void
say_wants(struct ts_app *app, const char *wants, const char *name, struct ts_strbuf *out)
{
	char answer[TS_KEYS_TEXT], stop[TS_KEYS_TEXT];

	ts_strbuf_printf(out, "%s %s  %s: answer  %s: stop", name, wants,
		key_of(app, TS_CMD_RELOAD, answer), key_of(app, TS_CMD_CANCEL, stop));
}

static void
say(struct ts_app *app, int i, struct ts_strbuf *out)
{
	const struct ts_app_host *s = &app->hosts.host[i];
	const char *wants = hosts_wants(&app->hosts, i), *name = app->hosts.status[i].name;

	if (wants)
		say_wants(app, wants, name, out);
	else
		sayings[s->state.is](app, s, name, out);
}

/* The line below the tabs: of the first host that has something to say. */
static void
write_text(struct ts_app *app)
{
	struct ts_app_hosts *h = &app->hosts;
	struct ts_strbuf text;
	bool was = h->text[0] != '\0';

	ts_strbuf_init(&text, sizeof(h->text) - 1);
	for (int i = 0; i < h->count && text.len == 0; i++)
		say(app, i, &text);
	if (strcmp(text.s, h->text) != 0) {
		snprintf(h->text, sizeof(h->text), "%s", text.s);
		app->dirty = true;
	}
	ts_strbuf_fini(&text);
	if (was != (h->text[0] != '\0') && app->canvas)
		ts_app_layout(app);
}

static void
log_change(struct ts_app *app, const struct ts_app_host *host, const char *name,
	const struct ts_host_state *now)
{
	char slept[TS_FMT_MAX];

	if (host->state.is == now->is)
		return;
	if (now->is == TS_HOST_CONNECTED)
		ts_log_add(app->log, "%s: connected by %s%s%s", name, now->transport,
			now->left_out[0] ? ", which leaves out of its configuration: " : "",
			now->left_out);
	else if (now->is == TS_HOST_RECONNECTING && now->slept_us > 0)
		ts_log_add(app->log, "%s: the connection was lost: this machine slept %s", name,
			span(slept, now->slept_us));
	else if (now->is == TS_HOST_RECONNECTING || now->is == TS_HOST_FAILED)
		ts_log_add(app->log, "%s: %s: %s", name,
			now->is == TS_HOST_FAILED ? "no connection" : "the connection was lost",
			ts_uri_without_host(&host->at, now->err.msg));
}

static void
write_status(struct ts_host_status *out, const struct ts_host_state *s)
{
	static const enum ts_host_stands stands[] = {
		[TS_HOST_CONNECTING] = TS_HOST_IS_CONNECTING,
		[TS_HOST_CONNECTED] = TS_HOST_IS_CONNECTED,
		[TS_HOST_RECONNECTING] = TS_HOST_IS_RECONNECTING,
		[TS_HOST_FAILED] = TS_HOST_IS_NOT_CONNECTED,
	};

	out->stands = stands[s->is];
	out->transport = s->transport;
	out->doing = s->doing;
	out->attempt = s->attempt;
	snprintf(out->left_out, sizeof(out->left_out), "%s", s->left_out);
	snprintf(out->why, sizeof(out->why), "%s", s->err.code ? s->err.msg : "");
	out->channels = s->channels;
	out->rtt_us = s->rtt_us;
	out->round_trips = s->round_trips;
	out->requests = s->requests;
	out->sent = s->sent;
	out->received = s->received;
	out->connections = s->connections;
	out->silent_us = s->silent_us;
}

/* A lost connection is there again, perhaps before anybody saw that it was lost. */
static bool
is_again(const struct ts_host_state *was, const struct ts_host_state *now)
{
	return now->is == TS_HOST_CONNECTED &&
		(was->is == TS_HOST_RECONNECTING ||
			(was->is == TS_HOST_CONNECTED && was->connections != now->connections));
}

static void
connected_again(struct ts_app *app, const char *name, const struct ts_host_state *now)
{
	char slept[TS_FMT_MAX];

	ts_app_watch_soon(app); /* what has happened to the files meanwhile? */
	if (now->slept_us <= 0)
		return;
	ts_view_say(&app->env, "this machine slept %s: connected to %s again",
		span(slept, now->slept_us), name);
	ts_log_add(app->log, "%s", app->env.message);
}

void
ts_hosts_event(struct ts_app *app)
{
	struct ts_app_hosts *h = &app->hosts;
	struct ts_host_state now;

	for (int i = 0; i < h->count; i++) {
		ts_host_state(host_at(app, i), &now);
		log_change(app, &h->host[i], h->status[i].name, &now);
		if (is_again(&h->host[i].state, &now))
			connected_again(app, h->status[i].name, &now);
		app->dirty |= now.is != h->host[i].state.is ||
			(now.rtt_us > 0) != (h->host[i].state.rtt_us > 0);
		h->host[i].state = now;
		write_status(&h->status[i], &now);
	}
	hosts_look_at_questions(app);
	write_text(app);
	app->env.host_count = h->count;
}

void
ts_hosts_tick(struct ts_app *app)
{
	if (app->hosts.count > 0)
		ts_hosts_event(app);
}

/* What is last in a message is why; what comes before is a path, of any length, and stands in the log. */
static const char *
reason_of(const struct ts_err *err)
{
	const char *why = err->msg;

	for (const char *p = why; (p = strstr(p, ": ")); why = p)
		p += 2;
	return why;
}

void
ts_hosts_trouble(struct ts_app *app, const struct ts_err *err)
{
	static const struct {
		enum ts_code code;
		int sys; /* 0: any */
		const char *words;
	} lines[] = {
		{TS_E_STALE, 0, "The report was replaced on its host"},
		{TS_E_NOT_FOUND, 0, "The report is not on its host any more"},
		{TS_E_SYS, EACCES, "Permission for the report was withdrawn"},
		{TS_E_SYS, 0, "The report cannot be read any more"},
	};
	char key[TS_KEYS_TEXT];

	for (size_t i = 0; i < TS_COUNT(lines) && !app->hosts.trouble[0]; i++)
		if (lines[i].code == err->code && (!lines[i].sys || lines[i].sys == err->sys)) {
			snprintf(app->hosts.trouble, sizeof(app->hosts.trouble),
				"%s, %s: read it again  (%.200s)", lines[i].words,
				key_of(app, TS_CMD_RELOAD, key), reason_of(err));
			ts_log_add(app->log, "%s: %s", lines[i].words, err->msg);
		}
	write_text(app);
}

void
ts_hosts_well(struct ts_app *app)
{
	app->hosts.trouble[0] = '\0';
	write_text(app);
}

bool
ts_hosts_ticks(const struct ts_app *app)
{
	for (int i = 0; i < app->hosts.count; i++)
		if (app->hosts.host[i].state.is == TS_HOST_RECONNECTING)
			return true;
	return false;
}

void
ts_hosts_title(const struct ts_app *app, int columns, char *out, size_t size)
{
	const struct ts_host_state *s;
	char time[TS_FMT_MAX];
	int at = of_report(app);

	out[0] = '\0';
	if (at < 0)
		return;
	s = &app->hosts.host[at].state;
	if (s->is == TS_HOST_CONNECTED && s->rtt_us > 0)
		snprintf(out, size, "%s %s", s->transport, ts_fmt_time(time, (double)s->rtt_us));
	else
		snprintf(out, size, "%s", s->is == TS_HOST_FAILED ? "not connected" : "connecting");
	if ((int)strlen(out) > columns)
		out[0] = '\0';
}

int
ts_hosts_fds(const struct ts_app *app, struct pollfd p[TS_HOSTS])
{
	for (int i = 0; i < app->hosts.count; i++)
		p[i] = (struct pollfd){.fd = ts_host_fd(host_at(app, i)), .events = POLLIN};
	return app->hosts.count;
}

/* --- begin, stop, end ------------------------------------------------------------------------- */

static enum ts_code
find_place(void *ctx, struct ts_files **files, char **path, const char *word, struct ts_err *err)
{
	return ts_hosts_place(ctx, files, path, word, err);
}

void
ts_hosts_begin(struct ts_app *app)
{
	app->hosts.asks = app->hosts.wanted = -1;
	app->env.hosts = app->hosts.status;
	app->env.find_place = find_place;
	app->env.find_place_ctx = app;
}

bool
ts_hosts_stop(struct ts_app *app)
{
	bool any = false;

	for (int i = 0; i < app->hosts.count; i++)
		if (app->hosts.host[i].state.is == TS_HOST_CONNECTING ||
			app->hosts.host[i].state.is == TS_HOST_RECONNECTING) {
			ts_host_stop(host_at(app, i));
			any = true;
		}
	return any;
}

void
ts_hosts_leave(struct ts_app *app)
{
	for (int i = 0; i < app->hosts.count; i++)
		(void)ts_host_leave(host_at(app, i), 0);
}

bool
ts_hosts_end(struct ts_app *app)
{
	bool all = true;

	for (int i = 0; i < app->hosts.count; i++)
		all &= ts_host_leave(host_at(app, i), LEAVE_MS);
	for (int i = 0; all && i < app->hosts.count; i++)
		ts_files_release(app->hosts.host[i].files);
	if (all)
		app->hosts.count = 0;
	hosts_close_box(&app->hosts);
	return all && !app->hosts.aside;
}
