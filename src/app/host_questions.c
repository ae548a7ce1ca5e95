/* SPDX-License-Identifier: MIT */
/*
 * host_questions - what a host asks, in a box over the view.
 *
 * The box has the keys as a prompt has them. A question comes when nothing is being typed: what was meant for a command must
 * not become a password. The text of a question may be the host's; the canvas makes it safe.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "tilescope/app/app.h"
#include "tilescope/io/files_host.h"
#include "tilescope/ui/box.h"

#include "hosts_internal.h"

enum { BOX_WIDE = 76, AROUND = 4, ANSWER_ROWS = 2 };

static const struct {
	const char *title, *label, *hint;
	bool secret;
} kinds[] = {
	[TS_ASK_PASSPHRASE] = {"Passphrase", "passphrase: ", "Enter: use it  Esc: do not connect",
		true},
	[TS_ASK_PASSWORD] = {"Password", "password: ", "Enter: log in  Esc: do not connect", true},
	[TS_ASK_TEXT] = {"The host asks", "answer: ", "Enter: answer  Esc: do not connect", true},
	[TS_ASK_HOST_KEY] = {"Unknown host", "yes or no [no]: ",
		"yes, Enter: connect and keep the key  Esc: do not connect", false},
	[TS_ASK_NOTICE] = {"Waiting", NULL, "Esc: do not connect", false},
};

void
hosts_forget_answer(struct ts_app_hosts *h)
{
	explicit_bzero(&h->answer, sizeof(h->answer));
	h->asks = -1;
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
asking_host(const struct ts_app_hosts *h)
{
	return ts_files_host(h->host[h->asks].files);
}

static void
show(struct ts_app *app, int host)
{
	struct ts_app_hosts *h = &app->hosts;
	const char *label = kinds[h->question.kind].label;

	if (kinds[h->question.kind].secret)
		keep_no_core();
	h->asks = host;
	ts_prompt_open(&h->answer, label ? label : "", NULL, NULL, NULL, NULL);
	h->answer.hidden = !h->question.echo;
	app->keys.n = 0;
	app->dirty = true;
}

/* It may stand for a moment longer. Each connection counts its own. */
static bool
is_answered(const struct ts_app_hosts *h, int host, const struct ts_question *q)
{
	return h->host[host].answered == q->number &&
		h->host[host].connection == h->host[host].state.connections;
}

void
hosts_look_at_questions(struct ts_app *app)
{
	struct ts_app_hosts *h = &app->hosts;
	struct ts_question q;

	if (h->asks >= 0 &&
		(!ts_host_question(asking_host(h), &q) || q.number != h->question.number)) {
		hosts_forget_answer(h);
		app->dirty = true;
	}
	for (int i = 0; h->asks < 0 && app->asking == TS_ASK_NOTHING && i < h->count; i++)
		if (h->host[i].state.asking &&
			ts_host_question(ts_files_host(h->host[i].files), &q) &&
			!is_answered(h, i, &q)) {
			h->question = q;
			show(app, i);
		}
}

bool
ts_hosts_ask(const struct ts_app *app)
{
	return app->hosts.asks >= 0;
}

/* --- answers ---------------------------------------------------------------------------------- */

static void
answer(struct ts_app_hosts *h)
{
	const struct ts_prompt *p = &h->answer;
	bool refused = h->question.kind == TS_ASK_HOST_KEY && strcmp(p->text, "yes") != 0;

	h->typed |= kinds[h->question.kind].secret;
	ts_host_answer(asking_host(h), h->question.number, refused ? NULL : p->text, p->len);
	h->host[h->asks].answered = h->question.number;
	h->host[h->asks].connection = h->host[h->asks].state.connections;
	hosts_forget_answer(h);
}

/* Whoever waits for the host is told so. */
static void
give_up(struct ts_app *app)
{
	struct ts_app_hosts *h = &app->hosts;
	struct ts_host *host = asking_host(h);

	hosts_forget_answer(h);
	ts_app_stop(app);
	ts_host_stop(host);
}

void
ts_hosts_command(struct ts_app *app, enum ts_cmd cmd)
{
	struct ts_app_hosts *h = &app->hosts;
	enum ts_prompt_result result = cmd == TS_CMD_DISMISS ? TS_PROMPT_DISMISSED
		: h->question.kind == TS_ASK_NOTICE	     ? TS_PROMPT_IGNORED
							     : ts_prompt_command(&h->answer, cmd);

	if (result == TS_PROMPT_ACCEPTED)
		answer(h);
	else if (result == TS_PROMPT_DISMISSED && cmd == TS_CMD_DISMISS)
		give_up(app);
	app->dirty = true;
}

void
ts_hosts_type(struct ts_app *app, ts_key key)
{
	if (app->hosts.question.kind != TS_ASK_NOTICE)
		(void)ts_prompt_type(&app->hosts.answer, key);
	app->dirty = true;
}

/* --- drawing ---------------------------------------------------------------------------------- */

void
ts_hosts_draw(struct ts_app *app, struct ts_canvas *c, struct ts_rect r)
{
	const struct ts_app_hosts *h = &app->hosts;
	const struct ts_question *q = &h->question;
	int w = r.w - AROUND < BOX_WIDE ? r.w - AROUND : BOX_WIDE, lines;
	const struct ts_rect nowhere = {0, 0, w - 2 * TS_BOX_MARGIN, 0};
	bool typed = kinds[q->kind].label != NULL;
	struct ts_rect inner;

	if (h->asks < 0)
		return;
	lines = ts_canvas_wrap(c, nowhere, 0, TS_ROLE_TEXT, q->text);
	inner = ts_box_draw(c, r, w, lines + (typed ? ANSWER_ROWS : 0), kinds[q->kind].title,
		h->status[h->asks].name, kinds[q->kind].hint);
	if (typed)
		ts_prompt_draw(c, ts_rect_cut_bottom(&inner, 1), &h->answer);
	ts_canvas_wrap(c, inner, 0, TS_ROLE_TEXT, q->text);
}
