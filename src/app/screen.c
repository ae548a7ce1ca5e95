/* SPDX-License-Identifier: MIT */
/*
 * screen - the rows that belong to the program: title and tabs, a banner when there is something to
 * know, the view, the bottom line (prompt, message, or keys).
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "tilescope/app/app.h"
#include "tilescope/base/fmt.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

enum {
	BUSY_US = 300000,
	TITLE_WORD = 12,
	/* of the program's name and some of the report's, or of what is selected; and of work that is under way */
	TITLE_ROOM = 21,
	TITLE_ROOM_LONG = 36,
	TITLE_PATH = 48,
	TITLE_PATH_LEAST = 8,
	PATH_LEAST = 10,
	WIDE = 120,
	SELECTED_LEAST = 6, /* columns of the words that selected tiles */
	SELECTED_MOST = 32,
};

static const enum ts_view_id tabs[] = {TS_VIEW_SUMMARY, TS_VIEW_INSIGHTS, TS_VIEW_MEMORY,
	TS_VIEW_LIVENESS, TS_VIEW_PROGRAMS, TS_VIEW_OPERATIONS, TS_VIEW_TRACE, TS_VIEW_VARIABLES,
	TS_VIEW_TABLES};

static const struct {
	int number;
	const char *title, *brief;
} tab_texts[] = {{1, "Summary", "Sum"}, {2, "Insights", "Ins"}, {3, "Memory", "Mem"},
	{4, "Liveness", "Live"}, {5, "Programs", "Prog"}, {6, "Operations", "Ops"},
	{7, "Trace", "Trace"}, {8, "Variables", "Vars"}, {9, "Tables", "Tab"}};

/* What the user should know as long as it is so; "" = nothing. */
static const char *
banner(const struct ts_app *app)
{
	if (app->hosts.text[0])
		return app->hosts.text;
	if (app->waiting)
		return "The report is being written, not readable yet; looking again every 2 s";
	if (app->watch.text[0] && !(app->env.report && app->env.report->being_written))
		return app->watch.text;
	if (app->env.report && app->env.report->being_written)
		return "The profile is being written: figures so far; looking again every 2 s";
	if (app->env.report && app->env.report->header.truncated)
		return "The profile is truncated: what can be read is shown";
	return "";
}

static struct ts_rect
view_area(const struct ts_app *app)
{
	struct ts_rect r = ts_canvas_rect(app->canvas);

	ts_rect_cut_top(&r, *banner(app) ? 2 : 1);
	ts_rect_cut_bottom(&r, app->headless ? 0 : 1); /* nobody has a key there */
	return r;
}

static bool
too_small(const struct ts_app *app)
{
	return app->canvas->w < TS_MIN_COLUMNS || app->canvas->h < TS_MIN_ROWS;
}

void
ts_app_layout(struct ts_app *app)
{
	struct ts_view *v = app->view[app->current];
	int w = app->canvas->w, h = app->canvas->h;

	if (!app->headless)
		ts_tty_size(app->tty, &w, &h);
	if (w != app->canvas->w || h != app->canvas->h)
		ts_canvas_resize(app->canvas, w, h, NULL);
	if (v && !too_small(app)) {
		v->ops->resize(v, view_area(app));
		if (v->ops->request && app->env.report)
			v->ops->request(v);
	}
	app->dirty = true;
}

/* How far a job is that has no known end: rows, and how many a second where there is room. */
static void
describe_rows(const struct ts_job_info *info, int columns, char *out, size_t size)
{
	char rows[TS_FMT_MAX], rate[TS_FMT_MAX];
	int64_t per_s = (int64_t)((double)info->done / (double)info->running_us * 1e6);
	int n = snprintf(out, size, "%s %s rows, %s/s", info->what, ts_fmt_count(rows, info->done),
		ts_fmt_count(rate, per_s));

	if (n > columns)
		n = snprintf(out, size, "%s %s rows", info->what, rows);
	if (n > columns)
		snprintf(out, size, "%s rows", rows);
}

/* The same of one that has an end: its first word alone, or one that is shorter, where there is no more room. */
static void
describe_part(const struct ts_job_info *info, int columns, char *out, size_t size)
{
	char percent[TS_FMT_MAX] = "";
	int n;

	if (info->total > 0)
		ts_fmt_percent(percent, (double)info->done, (double)info->total);
	n = snprintf(out, size, "%s %s", info->what, percent);
	if (n > columns)
		n = snprintf(out, size, "%.*s %s", (int)strcspn(info->what, " "), info->what,
			percent);
	if (n > columns && *percent)
		n = snprintf(out, size, "busy %s", percent);
	if (n > columns)
		snprintf(out, size, "%s", "");
}

/* What the workers are doing, when it takes a while: what somebody waits for, else the index. */
static void
describe_work(const struct ts_app *app, int columns, char *out, size_t size)
{
	snprintf(out, size, "%s", ts_indexing_title(&app->indexing, columns));
	if (!out[0])
		ts_hosts_title(app, columns, out, size);
	for (int i = 0; i < ts_jobs_workers(app->jobs); i++) {
		struct ts_job_info info;

		ts_jobs_worker(app->jobs, i, &info);
		if (!info.what || info.running_us < BUSY_US || info.owner == TS_OWNER_INDEX)
			continue;
		if (info.total == 0 && info.done > 0) {
			describe_rows(&info, columns, out, size);
			continue;
		}
		describe_part(&info, columns, out, size);
	}
}

/* Titles of the views: "3:Memory", "3:Mem", that with one blank between, or "3" of all but the one that is shown. */
enum tab_form { TABS_LONG, TABS_BRIEF, TABS_TIGHT, TABS_NUMBERS };

static bool
is_active(const struct ts_app *app, size_t i)
{
	return app->current == tabs[i] ||
		(app->current >= TS_VIEW_OPEN && app->env.report && app->under == tabs[i]);
}

static int
tab_text(const struct ts_app *app, char out[24], size_t i, enum tab_form form)
{
	if (form == TABS_NUMBERS && !is_active(app, i))
		return snprintf(out, 24, " %d", tab_texts[i].number);
	return snprintf(out, 24, form == TABS_TIGHT ? "%d:%s " : " %d:%s ", tab_texts[i].number,
		form == TABS_LONG ? tab_texts[i].title : tab_texts[i].brief);
}

static int
tabs_width(const struct ts_app *app, enum tab_form form)
{
	char text[24];
	int width = 0;

	for (size_t i = 0; i < TS_COUNT(tabs); i++)
		width += tab_text(app, text, i, form);
	return width;
}

static int
draw_tabs(struct ts_app *app, struct ts_canvas *c, struct ts_rect r, int x, enum tab_form form)
{
	for (size_t i = 0; i < TS_COUNT(tabs); i++) {
		char text[24];

		tab_text(app, text, i, form);
		app->tab_at[tabs[i]] = x;
		x = ts_canvas_text(c, r, x, 0, is_active(app, i) ? TS_ROLE_TAB_ACTIVE : TS_ROLE_TAB,
			text);
		app->tab_end[tabs[i]] = x;
	}
	return x;
}

bool
ts_app_tab_at(enum ts_view_id *id, const struct ts_app *app, int x)
{
	for (size_t i = 0; i < TS_COUNT(tabs); i++)
		if (x >= app->tab_at[tabs[i]] && x < app->tab_end[tabs[i]]) {
			*id = tabs[i];
			return true;
		}
	return false;
}

/* How much of a path tells one report from another: the files of all are called alike, their directories are not. */
static size_t
telling(const char *path)
{
	static const char *const alike[] = {"/profile.pop", "/report.tilescope"};
	size_t n = strlen(path);

	for (size_t i = 0; i < TS_COUNT(alike); i++) {
		size_t tail = strlen(alike[i]);

		if (n > tail && strcmp(path + n - tail, alike[i]) == 0)
			return n - tail;
	}
	while (n > 1 && path[n - 1] == '/')
		n--;
	return n;
}

/* As many of the last names of a path as fit, of which `*n` bytes are shown; the last one may be cut. */
static const char *
short_path(size_t *n, const char *path, int room)
{
	const char *end = path + (*n = telling(path)), *last = end;

	while (last > path && *--last != '/')
		;
	while (path < last && ts_utf8_columns(path, *n) > room) {
		path = strchr(path, '/') + 1;
		*n = (size_t)(end - path);
	}
	return path;
}

/*
 * What tiles are selected, from column x on, in at most so many: "tiles worst(5): 5", "worst(5): 5", else "5 tiles".
 * The column behind it.
 */
static int
draw_selected(const struct ts_app *app, struct ts_canvas *c, struct ts_rect r, int x, int columns)
{
	const struct ts_selected_tiles *t = &app->selection.tiles;
	char n[TS_FMT_MAX], end[TS_FMT_MAX + 2];
	int all = (int)strlen(t->text), room, least = (int)ts_min_i64(all, SELECTED_LEAST);
	int word = (int)strlen("tiles ");

	snprintf(end, sizeof(end), ": %s", ts_fmt_count(n, t->count));
	room = columns - (int)strlen(end);
	if (room < least || least == 0)
		return ts_canvas_printf(c, r, x, 0, TS_ROLE_SELECTION, "%s tile%s", n,
			t->count == 1 ? "" : "s");
	if (room >= word + ts_min_i64(all, SELECTED_MOST / 2)) {
		x = ts_canvas_text(c, r, x, 0, TS_ROLE_SELECTION, "tiles ");
		room -= word;
	}
	x += ts_canvas_field(c, r, x, 0, room < SELECTED_MOST ? room : SELECTED_MOST,
		TS_ROLE_SELECTION, t->text, strlen(t->text), TS_FIELD_ELLIPSIS);
	return ts_canvas_text(c, r, x, 0, TS_ROLE_SELECTION, end);
}

/* How the user calls the host of the report; NULL: it lies on this machine. */
static const char *
host_of(const struct ts_app *app)
{
	return app->env.report && app->env.report->files ? app->env.report->files->host : NULL;
}

/* What stands behind the host in a word: HOST:PATH, sftp://HOST:PORT/PATH. */
static const char *
path_behind(const char *host, const char *word)
{
	static const char url[] = "sftp://";
	size_t n = strlen(host), scheme = sizeof(url) - 1;
	const char *slash = strncasecmp(word, url, scheme) == 0 ? strchr(word + scheme, '/') : NULL;

	if (slash)
		return slash;
	return strncmp(word, host, n) == 0 && word[n] == ':' ? word + n + 1 : word;
}

/*
 * "host:path" of a far report in so many columns: "host:…/name" where not all fits, for "host:name" would be another report;
 * the host alone where not all of the last name fits. The column behind it.
 */
static int
draw_far_name(const struct ts_app *app, struct ts_canvas *c, struct ts_rect r, int x, int room)
{
	const char *host = host_of(app), *path, *shown;
	const int mark = 2;
	size_t n;
	int end = x + room;

	if (room < 2)
		return x;
	path = path_behind(host, app->env.word ? app->env.word : "");
	x += ts_canvas_field(c, r, x, 0, room - 1, TS_ROLE_TITLE, host, strlen(host),
		TS_FIELD_ELLIPSIS);
	x = ts_canvas_text(c, r, x, 0, TS_ROLE_TITLE, ":");
	shown = short_path(&n, path, end - x);
	if (shown != path) {
		shown = short_path(&n, path, end - x - mark);
		if (ts_utf8_columns(shown, n) > end - x - mark)
			return x;
		x = ts_canvas_text(c, r, x, 0, TS_ROLE_TAB, "…/");
	}
	path = shown;
	if (x >= end || ts_utf8_columns(path, n) > end - x)
		return x;
	return x + ts_canvas_field(c, r, x, 0, end - x, TS_ROLE_TAB, path, n, TS_FIELD_TAIL);
}

/* The program's name and that of the report, in so many columns. The column behind them: 0 where there is no room. */
static int
draw_name(const struct ts_app *app, struct ts_canvas *c, struct ts_rect r, int columns)
{
	const char *path = app->env.word ? app->env.word : app->path ? app->path : "";
	int x, room, wide = ts_utf8_columns(path, telling(path));
	size_t n;

	if (columns < TITLE_WORD - 1)
		return 0; /* the tabs need them */
	if (host_of(app) && (columns < TITLE_WORD + 2 + wide || wide > TITLE_PATH))
		return draw_far_name(app, c, r, 1,
			(int)ts_min_i64(columns - 2, TITLE_WORD + TITLE_PATH));
	x = ts_canvas_text(c, r, 1, 0, TS_ROLE_TITLE, "tilescope");
	room = columns - x - 3 < TITLE_PATH ? columns - x - 3 : TITLE_PATH;
	path = short_path(&n, path, room);
	if (room < TITLE_PATH_LEAST && (room < 1 || ts_utf8_columns(path, n) > room))
		return x;
	return x + 2 + ts_canvas_field(c, r, x + 2, 0, room, TS_ROLE_TAB, path, n, TS_FIELD_TAIL);
}

/*
 * The selected tiles, which what the views show depends on: behind the tabs, where there is room, else in the place
 * of the name. So the tabs stay where they are.
 */
static void
draw_selected_beside(struct ts_app *app, struct ts_canvas *c, struct ts_rect r, int from, int to,
	int end, enum tab_form form)
{
	char n[TS_FMT_MAX];
	int text = (int)ts_min_i64((int64_t)strlen(app->selection.tiles.text), SELECTED_MOST);

	if (app->selection.tiles.count == 0)
		return;
	ts_fmt_count(n, app->selection.tiles.count);
	if (r.w - end - to >= text + (int)strlen("  tiles : ") + (int)strlen(n)) {
		draw_selected(app, c, r, to + 2, r.w - end - to - 2);
		return;
	}
	ts_canvas_fill(c, (struct ts_rect){0, 0, from, 1}, TS_ROLE_TAB, ' ');
	to = draw_selected(app, c, r, 1, from - 2);
	if (to < from)
		return;
	/* there never was a name: the tabs make room, and where that is not enough the words at the end */
	ts_canvas_fill(c, (struct ts_rect){0, 0, 1, 1}, TS_ROLE_TAB, ' ');
	ts_canvas_fill(c, (struct ts_rect){to, 0, r.w - end - to, 1}, TS_ROLE_TAB, ' ');
	to = draw_tabs(app, c, r, to + 1, form);
	if (to > r.w - end)
		ts_canvas_fill(c, (struct ts_rect){to, 0, r.w - to, 1}, TS_ROLE_TAB, ' ');
}

/* The longest titles that leave room for the rest of the line, whatever stands there: they do not move when work begins. */
static enum tab_form
tab_form(const struct ts_app *app, int columns)
{
	if (columns >= tabs_width(app, TABS_LONG) + TITLE_ROOM_LONG)
		return TABS_LONG;
	if (columns >= tabs_width(app, TABS_BRIEF) + TITLE_ROOM)
		return TABS_BRIEF;
	return columns >= tabs_width(app, TABS_TIGHT) + TITLE_WORD ? TABS_TIGHT : TABS_NUMBERS;
}

static void
draw_title(struct ts_app *app, struct ts_canvas *c)
{
	struct ts_rect r = ts_rect_row(ts_canvas_rect(c), 0);
	enum tab_form form = tab_form(app, r.w);
	int tabs_w = tabs_width(app, form), margin = form == TABS_LONG, from, to, end;
	char work[TS_INDEXING_TITLE];

	ts_canvas_fill(c, r, TS_ROLE_TAB, ' ');
	describe_work(app, r.w - TITLE_WORD + 1 - margin - tabs_w - (r.w < WIDE ? 0 : PATH_LEAST),
		work, sizeof(work));
	end = work[0] ? (int)strlen(work) + 1 : 0;
	from = draw_name(app, c, r, r.w - tabs_w - end);
	from += from > 0;
	to = draw_tabs(app, c, r, from, form);
	if (work[0] && to + (int)strlen(work) + margin <= r.w)
		ts_canvas_right(c, r, margin, 0, TS_ROLE_NOTE, work);
	draw_selected_beside(app, c, r, from, to, end + margin, form);
}

/* Above a picture, in place of the tabs: what it shows. */
static void
draw_caption(const struct ts_app *app, struct ts_canvas *c)
{
	struct ts_rect r = ts_rect_row(ts_canvas_rect(c), 0);
	const char *path = app->env.word;
	const struct ts_view_ops *ops = ts_views[app->current];
	int x, room = r.w - (int)strlen(ops->title) - 1;

	ts_canvas_fill(c, r, TS_ROLE_TAB, ' ');
	x = ts_canvas_text(c, r, 1, 0, TS_ROLE_TITLE, "tilescope") + 2;
	if (app->selection.tiles.count > 0)
		x = draw_selected(app, c, r, x, (room - x) / 2) + 2;
	if (host_of(app))
		draw_far_name(app, c, r, x, room - x - 1);
	else
		ts_canvas_field(c, r, x, 0, room - x - 1, TS_ROLE_TAB, path, strlen(path),
			TS_FIELD_TAIL);
	ts_canvas_text(c, r, room, 0, TS_ROLE_TITLE, ops->title);
}

enum { HINTS_MAX = 24 };

/* What fits into the bottom line, in the order in which it is written. */
struct hint_line {
	struct {
		char keys[TS_KEYS_TEXT];
		const char *word;
	} hint[HINTS_MAX];
	int count, room;
};

/* A hint that no key leads to, that does not fit, or that stands there already is passed over. */
static void
add_hint(struct ts_app *app, struct hint_line *line, const struct ts_hint *h)
{
	enum ts_context contexts[4];
	int n = ts_app_contexts(app, contexts), width;
	const struct ts_key_binding *b = ts_keymap_of(&app->keymap, contexts, n, h->cmd, NULL);
	char keys[TS_KEYS_TEXT];

	if (!b || line->count == HINTS_MAX)
		return;
	ts_keys_print(keys, &b->keys);
	for (int i = 0; i < line->count; i++)
		if (strcmp(line->hint[i].keys, keys) == 0)
			return;
	width = (int)(strlen(keys) + strlen(h->word)) + 3;
	if (width > line->room)
		return;
	line->room -= width;
	memcpy(line->hint[line->count].keys, keys, sizeof(keys));
	line->hint[line->count++].word = h->word;
}

static void
add_hints(struct ts_app *app, struct hint_line *line, const struct ts_hint *list)
{
	for (; list && list->word; list++)
		add_hint(app, line, list);
}

static void
draw_hint_line(struct ts_canvas *c, struct ts_rect r, int x, const struct hint_line *line)
{
	for (int i = 0; i < line->count; i++) {
		x = ts_canvas_text(c, r, x, 0, TS_ROLE_HINT_KEY, line->hint[i].keys);
		x = ts_canvas_text(c, r, x + 1, 0, TS_ROLE_HINT_TEXT, line->hint[i].word) + 2;
	}
}

/*
 * First room for what always helps, then the pane's, the view's; these stand before it. While tiles are selected, and the
 * view's figures are not of them, that stands before all.
 */
static void
draw_hints(struct ts_app *app, struct ts_canvas *c, struct ts_rect r)
{
	static const struct ts_hint leave[] = {
		{TS_CMD_HELP, "help"},
		{TS_CMD_CLOSE, "quit"},
		{TS_CMD_COUNT, NULL},
	};
	static const struct ts_hint close[] = {
		{TS_CMD_HELP, "help"},
		{TS_CMD_CLOSE, "close"},
		{TS_CMD_COUNT, NULL},
	};
	static const struct ts_hint prompt = {TS_CMD_PROMPT, "command"};
	static const struct ts_hint all = {TS_CMD_MARKS_CLEAR, "clear"};
	static const struct ts_hint all_rows = {TS_CMD_MARKS_CLEAR, "all rows"};
	struct ts_view *v = app->view[app->current];
	bool selected = v && v->ops->not_selected && app->selection.tiles.count > 0;
	bool filtered = ts_app_is_filtered(app);
	struct hint_line last = {.room = r.w - 1}, first;
	int used, x = 1;

	if (selected)
		x = ts_canvas_printf(c, r, x, 0, TS_ROLE_NOTE, "%s", v->ops->not_selected) + 2;
	last.room -= x - 1;
	add_hints(app, &last, app->current >= TS_VIEW_OPEN ? close : leave);
	first = (struct hint_line){.room = last.room};
	if (selected || filtered)
		add_hint(app, &first, filtered ? &all_rows : &all);
	if (v && v->ops->pane_hints)
		add_hints(app, &first, v->ops->pane_hints(v));
	if (v)
		add_hints(app, &first, v->ops->hints);
	add_hint(app, &first, &prompt);
	used = last.room - first.room;
	draw_hint_line(c, r, x, &first);
	draw_hint_line(c, r, x + used, &last);
}

/* Keys typed so far of a sequence, and how it may go on. */
static void
draw_pending(struct ts_app *app, struct ts_canvas *c, struct ts_rect r)
{
	const struct ts_key_binding *next[8];
	enum ts_context contexts[4];
	int n = ts_app_contexts(app, contexts);
	int found = ts_keymap_following(next, 8, &app->keymap, contexts, n, &app->keys);
	char keys[TS_KEYS_TEXT];
	int x = ts_canvas_text(c, r, 1, 0, TS_ROLE_PROMPT, ts_keys_print(keys, &app->keys)) + 2;

	for (int i = 0; i < found && i < 8; i++) {
		x = ts_canvas_text(c, r, x, 0, TS_ROLE_HINT_KEY,
			ts_keys_print(keys, &next[i]->keys));
		x = ts_canvas_text(c, r, x + 1, 0, TS_ROLE_HINT_TEXT, next[i]->note) + 2;
	}
}

static void
draw_bottom(struct ts_app *app, struct ts_canvas *c)
{
	struct ts_rect all = ts_canvas_rect(c), r = ts_rect_row(all, all.h - 1);

	if (ts_hosts_ask(app))
		return; /* so does this one */
	if (app->popup.kind != TS_POPUP_NONE && app->asking == TS_ASK_NOTHING &&
		!app->env.message[0])
		return; /* the box says its keys */
	if (app->asking != TS_ASK_NOTHING)
		ts_prompt_draw(c, (struct ts_rect){0, all.h - 2, all.w, 2}, &app->prompt);
	else if (app->keys.n > 0)
		draw_pending(app, c, r);
	else if (app->env.message[0])
		ts_canvas_field(c, r, 1, 0, r.w - 2,
			app->env.message_is_error ? TS_ROLE_ERROR : TS_ROLE_STATUS,
			app->env.message, strlen(app->env.message), TS_FIELD_ELLIPSIS);
	else
		draw_hints(app, c, r);
}

void
ts_app_draw_picture(struct ts_app *app, struct ts_canvas *c)
{
	struct ts_view *v = app->view[app->current];

	draw_caption(app, c);
	v->ops->draw(v, c);
}

void
ts_app_draw(struct ts_app *app)
{
	struct ts_canvas *c = app->canvas;
	struct ts_view *v = app->view[app->current];
	const char *text = banner(app);

	if (!app->headless)
		c->mono = ts_tty_info(app->tty)->depth == TS_DEPTH_MONO ||
			!ts_theme_coloured(&app->theme);
	ts_canvas_erase(c);
	if (too_small(app)) {
		ts_canvas_printf(c, ts_canvas_rect(c), 0, 0, TS_ROLE_ERROR, "too small: %d x %d",
			c->w, c->h);
		ts_canvas_printf(c, ts_canvas_rect(c), 0, 1, TS_ROLE_TEXT, "at least %d x %d",
			TS_MIN_COLUMNS, TS_MIN_ROWS);
	} else {
		if (app->headless)
			draw_caption(app, c);
		else
			draw_title(app, c);
		if (*text) {
			ts_canvas_fill(c, ts_rect_row(ts_canvas_rect(c), 1), TS_ROLE_WARN, ' ');
			ts_canvas_field(c, ts_rect_row(ts_canvas_rect(c), 1), 1, 0, c->w - 2,
				TS_ROLE_WARN, text, strlen(text), TS_FIELD_ELLIPSIS);
		}
		if (v)
			v->ops->draw(v, c);
		if (!app->headless) {
			ts_app_popup_draw(app, c, view_area(app));
			ts_hosts_draw(app, c, view_area(app));
			draw_bottom(app, c);
		}
	}
	if (!app->headless)
		ts_tty_show(app->tty, c, &app->theme);
	app->dirty = false;
}
