/* SPDX-License-Identifier: MIT */
/*
 * host_questions - what a host asks, in a box over the view.
 *
 * The box has all keys, as a prompt has them. What is typed for a view must not become a password, nor what is left of a password
 * commands:
 *
 * - It opens by itself only where asking for the host was the last thing that the user did: a start, :open, r. Otherwise, as when
 *   a lost link comes back while somebody works, a line says that the host asks, and a key opens the box.
 * - Keys that came before it was drawn are dropped, as ssh drops what was typed before its prompts.
 * - Behind an answer it stays until it is known what became of that: the next question, the connection, or that it was in vain.
 *   Keys are dropped meanwhile. That it was in vain stands until Esc, which no password has; where there is nothing to show
 *   the program then ends as with any other host that is not reached.
 *
 * The text of a question may be the host's; the canvas makes it safe.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "tilescope/app/app.h"
#include "tilescope/io/files_host.h"
#include "tilescope/ui/box.h"

#include "hosts_internal.h"

enum { BOX_WIDE = 76, AROUND = 4, ANSWER_ROWS = 2 };

static const struct {
	const char *title, *label, *hint;
	const char *wants; /* in the line, behind the host's name */
	bool secret;
} kinds[] = {
	[TS_ASK_PASSPHRASE] = {"Passphrase", "passphrase: ", "Enter: use it  Esc: do not connect",
		"wants the passphrase of a key", true},
	[TS_ASK_PASSWORD] = {"Password", "password: ", "Enter: log in  Esc: do not connect",
		"wants a password", true},
	[TS_ASK_TEXT] = {"The host asks", "answer: ", "Enter: answer  Esc: do not connect",
		"asks something", true},
	[TS_ASK_HOST_KEY] = {"Unknown host", "yes or no [no]: ",
		"Enter: that is the answer  Esc: do not connect", "shows an unknown key", false},
	[TS_ASK_NOTICE] = {"Waiting", NULL, "Esc: do not connect", "waits for you", false},
};

/* --- the box ---------------------------------------------------------------------------------- */

static void
forget_answer(struct ts_app_hosts *h)
{
	explicit_bzero(&h->answer, sizeof(h->answer));
}

void
hosts_close_box(struct ts_app_hosts *h)
{
	forget_answer(h);
	h->asks = -1;
}

static void
close_box(struct ts_app *app)
{
	hosts_close_box(&app->hosts);
	app->quit |= app->leaves;
	app->dirty = true;
}

/* From now on secrets are in memory, here and in a library: no file is to get them. */
static void
keep_no_core(void)
{
	const struct rlimit none = {0, 0};

	(void)setrlimit(RLIMIT_CORE, &none);
	(void)prctl(PR_SET_DUMPABLE, 0);
}

static struct ts_host *
host_of(const struct ts_app_hosts *h, int i)
{
	return ts_files_host(h->host[i].files);
}

/* The question of a host that waits for an answer. One that was answered may stand for a moment longer; each connection counts its own. */
static bool
question_of(const struct ts_app_hosts *h, int i, struct ts_question *q)
{
	const struct ts_app_host *host = &h->host[i];

	return host->state.asking && ts_host_question(host_of(h, i), q) &&
		(host->answered != q->number || host->connection != host->state.connections);
}

static void
be_answered(struct ts_app_hosts *h)
{
	struct ts_app_host *host = &h->host[h->asks];

	host->answered = h->question.number;
	host->connection = h->connection;
}

static void
begin_answer(struct ts_app_hosts *h, const char *hint)
{
	const char *label = kinds[h->question.kind].label;

	ts_prompt_open(&h->answer, label ? label : "", NULL, NULL, NULL, NULL);
	ts_prompt_hint(&h->answer, hint);
	h->answer.hidden = !h->question.echo;
}

static void
show(struct ts_app *app, int host, const struct ts_question *q)
{
	struct ts_app_hosts *h = &app->hosts;

	if (kinds[q->kind].secret)
		keep_no_core();
	h->question = *q;
	h->connection = h->host[host].state.connections;
	h->asks = host;
	h->box = TS_HOST_BOX_ASKS;
	h->seen = false;
	forget_answer(h);
	begin_answer(h, NULL);
	app->keys.n = 0;
	app->dirty = true;
}

static void
turn_box(struct ts_app *app, enum ts_host_box to)
{
	app->hosts.box = to;
	app->hosts.seen = false;
	forget_answer(&app->hosts);
	app->dirty = true;
}

/* What has become of the question? */
static void
look_at_box(struct ts_app *app)
{
	struct ts_app_hosts *h = &app->hosts;
	const struct ts_host_state *s = &h->host[h->asks].state;
	struct ts_question q;

	if (h->box == TS_HOST_BOX_VAIN)
		return;
	if (question_of(h, h->asks, &q)) {
		if (h->box != TS_HOST_BOX_ASKS || q.number != h->question.number ||
			h->connection != s->connections)
			show(app, h->asks, &q);
		return;
	}
	if (h->box == TS_HOST_BOX_ASKS) /* it is of no use any more; somebody may be typing */
		turn_box(app, TS_HOST_BOX_WAITS);
	if (s->is == TS_HOST_CONNECTED) {
		close_box(app);
	} else if (s->is == TS_HOST_FAILED || s->next_us > 0) {
		if (kinds[h->question.kind].label)
			turn_box(app, TS_HOST_BOX_VAIN);
		else
			close_box(app);
	}
}

void
hosts_look_at_questions(struct ts_app *app)
{
	struct ts_app_hosts *h = &app->hosts;
	struct ts_question q;

	if (h->wanted >= 0 && h->host[h->wanted].state.is == TS_HOST_CONNECTED)
		h->wanted = -1;
	if (h->asks >= 0)
		look_at_box(app);
	if (h->asks < 0 && h->wanted >= 0 && app->asking == TS_ASK_NOTHING &&
		question_of(h, h->wanted, &q))
		show(app, h->wanted, &q);
}

const char *
hosts_wants(const struct ts_app_hosts *h, int i)
{
	struct ts_question q;

	return i != h->asks && question_of(h, i, &q) ? kinds[q.kind].wants : NULL;
}

bool
ts_hosts_answer(struct ts_app *app)
{
	struct ts_app_hosts *h = &app->hosts;
	struct ts_question q;

	for (int i = 0; i < h->count; i++)
		if (question_of(h, i, &q)) {
			show(app, i, &q);
			return true;
		}
	return false;
}

/* --- its keys --------------------------------------------------------------------------------- */

bool
ts_hosts_ask(const struct ts_app *app)
{
	return app->hosts.asks >= 0;
}

bool
ts_hosts_take_key(struct ts_app *app)
{
	if (ts_hosts_ask(app))
		return app->hosts.seen;
	app->hosts.wanted = -1;
	return true;
}

void
ts_hosts_drawn(struct ts_app *app)
{
	app->hosts.seen = true;
}

/* What was typed about an unknown key, read as ssh reads it: 1 = it is the host's, 0 = it is not, -1 = neither was said. */
static int
verdict(const struct ts_question *q, const char *text)
{
	size_t n;

	text += strspn(text, " \t");
	n = strcspn(text, " \t");
	if (text[n + strspn(text + n, " \t")]) /* more than a word */
		return -1;
	if (n == 0 || (n == 2 && strncasecmp(text, "no", n) == 0))
		return 0;
	if (n == 3 && strncasecmp(text, "yes", n) == 0)
		return 1;
	return n == strlen(q->fingerprint) && strncmp(text, q->fingerprint, n) == 0 ? 1 : -1;
}

static void
answer(struct ts_app *app)
{
	struct ts_app_hosts *h = &app->hosts;
	const char *text = h->answer.text;

	if (h->question.kind == TS_ASK_HOST_KEY) {
		int is = verdict(&h->question, text);

		if (is < 0) {
			begin_answer(h, "Please type 'yes', 'no' or the fingerprint");
			return;
		}
		text = is ? "yes" : NULL;
	}
	ts_host_answer(host_of(h, h->asks), h->question.number, text, text ? strlen(text) : 0);
	be_answered(h);
	if (text)
		turn_box(app, TS_HOST_BOX_WAITS);
	else
		close_box(app);
}

/* Whoever waits for the host is told so. */
static void
give_up(struct ts_app *app)
{
	struct ts_app_hosts *h = &app->hosts;
	struct ts_host *host = host_of(h, h->asks);

	be_answered(h);
	close_box(app);
	h->wanted = -1;
	ts_app_stop(app);
	ts_host_stop(host);
}

void
ts_hosts_command(struct ts_app *app, enum ts_cmd cmd)
{
	struct ts_app_hosts *h = &app->hosts;

	app->dirty = true;
	if (cmd == TS_CMD_DISMISS && h->box == TS_HOST_BOX_VAIN)
		close_box(app);
	else if (cmd == TS_CMD_DISMISS)
		give_up(app);
	else if (h->box == TS_HOST_BOX_ASKS && kinds[h->question.kind].label &&
		ts_prompt_command(&h->answer, cmd) == TS_PROMPT_ACCEPTED)
		answer(app);
}

void
ts_hosts_type(struct ts_app *app, ts_key key)
{
	struct ts_app_hosts *h = &app->hosts;

	if (h->box == TS_HOST_BOX_ASKS && kinds[h->question.kind].label)
		(void)ts_prompt_type(&h->answer, key);
	app->dirty = true;
}

/* --- drawing ---------------------------------------------------------------------------------- */

/* What stands in the box. */
static const char *
text_of(const struct ts_app_hosts *h)
{
	const struct ts_host_state *s = &h->host[h->asks].state;

	if (h->box == TS_HOST_BOX_ASKS)
		return h->question.text;
	if (h->box == TS_HOST_BOX_VAIN)
		return s->err.code ? s->err.msg : "the host was not reached";
	return s->doing && *s->doing ? s->doing : "waiting for the host";
}

void
ts_hosts_draw(struct ts_app *app, struct ts_canvas *c, struct ts_rect r)
{
	static const char *const titles[] =
		{[TS_HOST_BOX_WAITS] = "Connecting", [TS_HOST_BOX_VAIN] = "No connection"};
	const char *const hints[] = {[TS_HOST_BOX_WAITS] = "Esc: do not connect",
		[TS_HOST_BOX_VAIN] = app->leaves
			? "Esc: leave  (other keys do nothing here)"
			: "Esc: go on without  (other keys do nothing here)"};
	const struct ts_app_hosts *h = &app->hosts;
	int w = r.w - AROUND < BOX_WIDE ? r.w - AROUND : BOX_WIDE, lines;
	const struct ts_rect nowhere = {0, 0, w - 2 * TS_BOX_MARGIN, 0};
	struct ts_rect inner;
	const char *text;
	bool asks, typed;

	if (h->asks < 0)
		return;
	asks = h->box == TS_HOST_BOX_ASKS;
	typed = asks && kinds[h->question.kind].label;
	text = text_of(h);
	lines = ts_canvas_wrap(c, nowhere, 0, TS_ROLE_TEXT, text);
	inner = ts_box_draw(c, r, w, lines + (typed ? ANSWER_ROWS : 0),
		asks ? kinds[h->question.kind].title : titles[h->box], h->status[h->asks].name,
		asks ? kinds[h->question.kind].hint : hints[h->box]);
	if (typed)
		ts_prompt_draw(c, ts_rect_cut_bottom(&inner, ANSWER_ROWS), &h->answer);
	ts_canvas_wrap(c, inner, 0, TS_ROLE_TEXT, text);
}
