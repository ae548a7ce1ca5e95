/* SPDX-License-Identifier: MIT */
/*
 * ui_demo - look at the ui layer by hand: `make tests/screen/ui_demo && tests/screen/ui_demo [THEME]`.
 *
 * Shows every figure, the name of each key and event, a prompt on `:`. q leaves, m switches the mouse,
 * e writes to stderr, y copies, C-z suspends, C-l redraws, A crashes (emergency).
 */
#include "config.h"

#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "tilescope/base/embedded.h"
#include "tilescope/ui/keymap.h"
#include "tilescope/ui/tty.h"

struct demo {
	struct ts_tty *tty;
	struct ts_canvas *canvas;
	struct ts_theme theme;
	struct ts_keymap keymap;
	struct ts_prompt prompt;
	struct ts_history history;
	struct ts_list list;
	struct figures figures;
	struct ts_keys typed;
	bool prompting, quit;
	char note[256];
};

static const char *
find_file(const char *directory, const char *name, const char *suffix)
{
	char path[64];
	const struct ts_embedded *e;

	snprintf(path, sizeof(path), "%s/%s%s", directory, name, suffix);
	e = ts_embedded_find(path);
	return e ? e->text : "";
}

static const char *
find_theme(void *ctx, const char *name)
{
	(void)ctx;
	return find_file("themes", name, ".theme");
}

static void
complete(void *ctx, const char *line, struct ts_candidates *out)
{
	const struct ts_command *found[TS_CMD_COUNT];
	int n = ts_command_complete(line, strlen(line), found, TS_CMD_COUNT);

	(void)ctx;
	out->start = 0;
	for (int i = 0; i < n; i++)
		ts_candidates_add(out, found[i]->name);
}

static void
run(struct demo *d, enum ts_cmd cmd)
{
	ts_list_command(&d->list, cmd);
	if (cmd == TS_CMD_PROMPT) {
		ts_prompt_open(&d->prompt, ":", NULL, &d->history, complete, NULL);
		d->prompting = true;
	} else if (cmd == TS_CMD_SUSPEND) {
		ts_tty_suspend(d->tty);
	} else if (cmd == TS_CMD_REDRAW) {
		ts_tty_redraw(d->tty);
	} else if (cmd == TS_CMD_COPY) {
		snprintf(d->note, sizeof(d->note), "copy: %d",
			ts_tty_copy(d->tty, "copied by ui_demo"));
	} else if (cmd == TS_CMD_CLOSE || cmd == TS_CMD_QUIT) {
		d->quit = true;
	}
}

static void
key(struct demo *d, const struct ts_event *e)
{
	static const enum ts_context global[] = {TS_CONTEXT_GLOBAL}, prompt[] = {TS_CONTEXT_PROMPT};
	const struct ts_key_binding *b;
	char text[TS_KEY_TEXT];
	enum ts_match match;

	snprintf(d->note, sizeof(d->note), "%s %s", e->type == TS_EVENT_PASTE ? "paste" : "key",
		ts_key_print(text, e->key));
	if (d->typed.n == TS_KEYS_MAX)
		d->typed.n = 0;
	d->typed.key[d->typed.n++] = e->key;
	match = ts_keymap_find(&b, &d->keymap, d->prompting ? prompt : global, 1, &d->typed);
	if (match == TS_MATCH_PREFIX)
		return;
	d->typed.n = 0;
	if (d->prompting) {
		enum ts_prompt_result r = match == TS_MATCH_FOUND && e->type == TS_EVENT_KEY
			? ts_prompt_command(&d->prompt, b->cmd)
			: ts_prompt_type(&d->prompt, e->key);

		d->prompting = r != TS_PROMPT_ACCEPTED && r != TS_PROMPT_DISMISSED;
	} else if (e->type == TS_EVENT_PASTE) {
		return;
	} else if (match == TS_MATCH_FOUND) {
		snprintf(d->note + strlen(d->note), sizeof(d->note) - strlen(d->note), " -> %s",
			ts_commands[b->cmd].name);
		run(d, b->cmd);
	} else if (e->key == 'm') {
		snprintf(d->note, sizeof(d->note), "mouse %d", ts_tty_mouse(d->tty, true));
	} else if (e->key == 'e') {
		fprintf(stderr, "a library speaks\n");
	} else if (e->key == 'A') {
		ts_tty_emergency(d->tty);
		fprintf(stderr, "emergency\n");
		_Exit(3);
	}
}

static void
turn(struct demo *d)
{
	struct ts_event e;
	int w, h;

	while (!d->quit && ts_tty_read(d->tty, &e)) {
		if (e.type == TS_EVENT_MOUSE)
			snprintf(d->note, sizeof(d->note), "mouse %d at %d,%d", e.mouse, e.x, e.y);
		else if (e.type != TS_EVENT_RESIZE)
			key(d, &e);
	}
	ts_tty_size(d->tty, &w, &h);
	if (w != d->canvas->w || h != d->canvas->h)
		(void)ts_canvas_resize(d->canvas, w, h, NULL);
	ts_canvas_erase(d->canvas);
	figures_draw(d->canvas, &d->figures, &d->list, d->note);
	if (d->prompting)
		ts_prompt_draw(d->canvas, ts_canvas_rect(d->canvas), &d->prompt);
	if (ts_tty_ready(d->tty))
		ts_tty_show(d->tty, d->canvas, &d->theme);
}

static int
demo_open(struct demo *d, const char *theme)
{
	struct ts_tty_options options = {.depth = -1, .esc_delay = -1};
	const struct ts_tty_info *info;
	struct ts_err err;

	options.log = ts_log_new();
	if (ts_tty_open(&d->tty, &options, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	info = ts_tty_info(d->tty);
	d->canvas = ts_canvas_new(0, 0, info->glyphs);
	ts_theme_init(&d->theme);
	ts_theme_read(&d->theme, theme, find_theme(NULL, theme), find_theme, NULL, NULL);
	d->canvas->mono = info->depth == TS_DEPTH_MONO || !ts_theme_coloured(&d->theme);
	ts_keymap_init(&d->keymap);
	ts_keymap_read(&d->keymap, "default", find_file("keymaps", "default", ".keys"), NULL, NULL,
		NULL);
	ts_list_init(&d->list);
	ts_list_set_count(&d->list, FIGURE_ROWS);
	figures_init(&d->figures);
	snprintf(d->note, sizeof(d->note), "term %s%s depth %d colours %d pairs %d glyphs %d",
		info->term, info->replaced ? " (replaced)" : "", info->depth, info->colours,
		info->pairs, info->glyphs);
	return 0;
}

int
main(int argc, char **argv)
{
	static struct demo d;
	sigset_t block, none;

	setlocale(LC_CTYPE, "");
	sigemptyset(&none);
	sigemptyset(&block);
	sigaddset(&block, SIGWINCH);
	sigaddset(&block, SIGTSTP);
	sigprocmask(SIG_BLOCK, &block, &none);
	if (demo_open(&d, argc > 1 ? argv[1] : "default"))
		return 1;
	while (!d.quit) {
		struct pollfd p[2];

		turn(&d);
		p[0] = (struct pollfd){ts_tty_fd(d.tty), POLLIN, 0};
		p[1] = (struct pollfd){ts_tty_stderr_fd(d.tty), POLLIN, 0};
		ppoll(p, 2, NULL, &none);
		ts_tty_drain_stderr(d.tty);
		if (p[0].revents & POLLHUP)
			break;
	}
	ts_tty_close(d.tty);
	return 0;
}
