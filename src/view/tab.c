/* SPDX-License-Identifier: MIT */
/*
 * tab - see the header.
 *
 * What is shown follows from `at`, `right`, `split` and the rectangle alone, anew at every resize. A tab that is not
 * shown has an empty rectangle and asks for nothing.
 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tab_line.h"

#include "tilescope/base/mem.h"
#include "tilescope/ui/chart_page.h"
#include "tilescope/view/arg.h"
#include "tilescope/view/typed.h"

enum {
	PAIR_WIDE = 100, /* columns from which on two are side by side ... */
	LEFT_PARTS = 2,	 /* ... so wide, ... */
	ALL_PARTS = 5,	 /* ... of these */
	SPLIT_LEAST = 7, /* rows of a tab and Debug together */
};

/* --- life ------------------------------------------------------------------------------------- */

bool
ts_tabs_init(struct ts_tabs *s, struct ts_view *v, void *host, const struct ts_tab_ops *const ops[],
	int n)
{
	*s = (struct ts_tabs){.right = n > 1};
	ts_debug_init(&s->debug);
	for (int i = 0; i < n && i < TS_TABS_MAX; i++) {
		struct ts_tab *t = &s->tab[i];

		*t = (struct ts_tab){.ops = ops[i],
			.tabs = s,
			.view = v,
			.host = host,
			.kind = TS_TAB_KIND + i * TS_TAB_KINDS};
		s->count = i + 1;
		if (t->ops->open && !t->ops->open(t))
			return false;
	}
	return true;
}

void
ts_tabs_fini(struct ts_tabs *s)
{
	for (int i = 0; i < s->count; i++)
		if (s->tab[i].ops->close)
			s->tab[i].ops->close(&s->tab[i]);
	ts_debug_drop(&s->debug);
	s->count = 0;
}

void
ts_tabs_drop(struct ts_tabs *s)
{
	for (int i = 0; i < s->count; i++)
		if (s->tab[i].ops->drop)
			s->tab[i].ops->drop(&s->tab[i]);
	ts_debug_drop(&s->debug);
}

void
ts_tabs_indexed(struct ts_tabs *s)
{
	for (int i = 0; i < s->count; i++)
		if (s->tab[i].ops->indexed)
			s->tab[i].ops->indexed(&s->tab[i]);
}

/* --- which are shown -------------------------------------------------------------------------- */

/* The next one that is not hidden, going round; `at` itself when there is no other. */
static int
next_tab(const struct ts_tabs *s, int at, int step)
{
	for (int i = 1; i <= s->count; i++) {
		int next = ((at + i * step) % s->count + s->count) % s->count;

		if (!tab_is_hidden(&s->tab[next]))
			return next;
	}
	return at;
}

/* What is shown has to be there. */
static void
choose(struct ts_tabs *s)
{
	if (tab_is_hidden(&s->tab[s->at]))
		s->at = next_tab(s, s->at, 1);
	if (s->at > 0)
		s->right = s->at;
	else if (tab_is_hidden(&s->tab[s->right]))
		s->right = next_tab(s, s->right, 1);
}

static void
put(struct ts_tabs *s, int i, struct ts_rect r)
{
	s->tab[i].r = r;
}

/* The tab that Debug tells of: the one with the keys, else that beside it, else the one that was it before, else the first. */
static void
choose_source(struct ts_tabs *s)
{
	if (s->tab[s->at].ops->about)
		s->source = s->at;
	else if (s->both && s->tab[s->right].ops->about)
		s->source = s->right;
}

static struct ts_tab *
source_of_debug(struct ts_tabs *s)
{
	struct ts_tab *t = &s->tab[s->source];

	for (int i = 0; !t->ops->about && i < s->count; i++)
		if (s->tab[i].ops->about && !tab_is_hidden(&s->tab[i]))
			t = &s->tab[i];
	return t->ops->about ? t : NULL;
}

static bool
shows_debug_tab(const struct ts_tabs *s)
{
	return s->tab[s->at].ops == &ts_tab_debug ||
		(s->both && s->tab[s->right].ops == &ts_tab_debug);
}

static void
cut_debug(struct ts_tabs *s)
{
	struct ts_tab *t;

	choose_source(s);
	t = source_of_debug(s);
	s->debug_at = (struct ts_rect){0};
	if (s->split && t && t->r.h >= SPLIT_LEAST - 1 && !shows_debug_tab(s))
		s->debug_at = ts_rect_cut_bottom(&t->r, (t->r.h + 1) / 2);
	s->debug.shown = !ts_rect_empty(s->debug_at) || shows_debug_tab(s);
	if (ts_rect_empty(s->debug_at))
		s->debug_focus = false;
	else
		ts_debug_resize(&s->debug, s->debug_at);
}

void
ts_tabs_resize(struct ts_tabs *s, struct ts_rect r, bool alone)
{
	if (s->count == 0)
		return;
	choose(s);
	for (int i = 0; i < s->count; i++)
		s->tab[i].r = (struct ts_rect){0};
	s->line[0] = s->line[1] = (struct ts_rect){0};
	s->both = s->pair && !alone && r.w >= (s->least > 0 ? s->least : PAIR_WIDE) &&
		s->right > 0 && !s->tab[s->right].ops->wide && !tab_is_hidden(&s->tab[0]);
	if (s->both) {
		struct ts_rect left = ts_rect_cut_left(&r, (r.w - 1) * LEFT_PARTS / ALL_PARTS);

		ts_rect_cut_left(&r, 1);
		s->line[0] = ts_rect_cut_top(&left, 1);
		put(s, 0, left);
	}
	s->line[1] = ts_rect_cut_top(&r, 1);
	put(s, s->both ? s->right : s->at, r);
	cut_debug(s);
	for (int i = 0; i < s->count; i++)
		if (s->tab[i].ops->resize)
			s->tab[i].ops->resize(&s->tab[i]);
}

void
ts_tabs_show(struct ts_tabs *s, int i)
{
	if (i < 0 || i >= s->count || tab_is_hidden(&s->tab[i]))
		return;
	s->at = i;
	s->debug_focus = false;
	choose(s);
}

bool
ts_tabs_step(struct ts_tabs *s, int step)
{
	bool below = !ts_rect_empty(s->debug_at);
	struct ts_tab *source = source_of_debug(s);

	if (s->debug_focus) { /* it is left for what comes next; backwards, for its list */
		s->debug_focus = false;
		if (step < 0)
			return true;
	} else if (step > 0 && below && source == &s->tab[s->at]) {
		s->debug_focus = true;
		return true;
	}
	if (!s->both)
		return false;
	if (s->at == (step > 0 ? 0 : s->right)) {
		s->at = step > 0 ? s->right : 0;
		return true;
	}
	s->at = 0; /* the next round begins with it */
	return false;
}

void
ts_tabs_enter(struct ts_tabs *s, int step)
{
	s->debug_focus = false;
	if (s->both && step < 0)
		s->at = s->right;
}

const struct ts_hint *
ts_tabs_hints(const struct ts_tabs *s)
{
	const struct ts_tab *t = &s->tab[s->at];

	if (s->debug_focus)
		return ts_tab_debug.hints;
	if (t->ops->absent && t->ops->absent(t))
		return NULL;
	return t->ops->hints_now ? t->ops->hints_now(t) : t->ops->hints;
}

/* --- asking and answers ----------------------------------------------------------------------- */

void
ts_tabs_request(struct ts_tabs *s)
{
	struct ts_debug_about about = {.relation = TS_RELATION_COUNT};
	struct ts_tab *source;

	for (int i = 0; i < s->count; i++)
		if (ts_tab_is_shown(&s->tab[i]) && s->tab[i].ops->request)
			s->tab[i].ops->request(&s->tab[i]);
	for (int i = 0; i < s->count; i++)
		if (!ts_tab_is_shown(&s->tab[i]) && s->tab[i].ops->ahead)
			s->tab[i].ops->ahead(&s->tab[i]);
	source = source_of_debug(s);
	if (!s->debug.shown || !source)
		return;
	source->ops->about(source, &about);
	ts_debug_request(&s->debug, source->view, &about);
}

enum ts_effect
ts_tabs_deliver(struct ts_tabs *s, struct ts_fetch *f)
{
	int i = (f->job.kind - TS_TAB_KIND) / TS_TAB_KINDS;

	if (f->job.kind == TS_DEBUG_KIND) {
		enum ts_effect effect = ts_debug_deliver(&s->debug, s->tab[0].view, f);

		if (!ts_rect_empty(s->debug_at)) /* it may say a line more; its place stays */
			ts_debug_resize(&s->debug, s->debug_at);
		return effect;
	}
	if (f->job.kind < TS_TAB_KIND || i >= s->count || !s->tab[i].ops->deliver)
		return TS_EFFECT_UNKNOWN;
	return s->tab[i].ops->deliver(&s->tab[i], f);
}

/* --- drawing ---------------------------------------------------------------------------------- */

void
ts_tabs_draw(struct ts_tabs *s, struct ts_canvas *c, bool focus)
{
	struct ts_rect left = s->tab[0].r;

	s->focus = focus;
	tab_line_draw(c, s, 0, focus);
	tab_line_draw(c, s, 1, focus);
	for (int i = 0; i < s->count; i++)
		if (ts_tab_is_shown(&s->tab[i]))
			s->tab[i].ops->draw(&s->tab[i], c, focus && ts_tab_has_keys(&s->tab[i]));
	ts_debug_draw(c, s->debug_at, &s->debug, focus && s->debug_focus);
	if (s->both)
		ts_canvas_vline(c, ts_canvas_rect(c), left.x + left.w, s->line[0].y, left.h + 1,
			TS_ROLE_BORDER);
}

/* --- commands --------------------------------------------------------------------------------- */

static const enum ts_effect rearranged = (enum ts_effect)(
	TS_EFFECT_REPAINT | TS_EFFECT_RECALC | TS_EFFECT_REFLOW);

static int
find_tab(const struct ts_tabs *s, const char *name)
{
	for (int i = 0; i < s->count; i++)
		if (strcmp(s->tab[i].ops->name, name) == 0 && !tab_is_hidden(&s->tab[i]))
			return i;
	return -1;
}

static void
say_names(const struct ts_tabs *s)
{
	char text[160] = "";

	for (int i = 0; i < s->count; i++)
		if (!tab_is_hidden(&s->tab[i]))
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
				text[0] ? ", " : "", s->tab[i].ops->name);
	ts_view_say_error(s->tab[0].view->env, "tab is one of %s", text);
}

static enum ts_effect
show_named(struct ts_tabs *s, const char *name)
{
	int i = name ? find_tab(s, name) : -1;

	if (i < 0) {
		say_names(s);
		return TS_EFFECT_BELL;
	}
	ts_tabs_show(s, i);
	return rearranged;
}

static enum ts_effect
show_next(struct ts_tabs *s, int step)
{
	int next = next_tab(s, s->at, step);

	if (next == s->at)
		return TS_EFFECT_BELL;
	ts_tabs_show(s, next);
	return rearranged;
}

/* Show or hide where the object under the cursor comes from. */
static enum ts_effect
switch_split(struct ts_tabs *s)
{
	s->split = !s->split;
	s->debug_focus = false;
	choose_source(s);
	if (s->split && (!source_of_debug(s) || !ts_tab_is_shown(&s->tab[s->source])))
		ts_tabs_show(s, s->home);
	return rearranged;
}

enum ts_effect
ts_tabs_switch(struct ts_tabs *s, const struct ts_call *call)
{
	switch (call->cmd) {
	case TS_CMD_TAB:
		return show_named(s, ts_call_arg(call, 0));
	case TS_CMD_TAB_NEXT:
		return show_next(s, 1);
	case TS_CMD_TAB_PREVIOUS:
		return show_next(s, -1);
	case TS_CMD_DEBUG:
		return switch_split(s);
	case TS_CMD_EDIT:
		return ts_debug_edit(&s->debug, s->tab[0].view);
	default:
		return TS_EFFECT_UNKNOWN;
	}
}

enum ts_effect
ts_tabs_command(struct ts_tabs *s, const struct ts_call *call)
{
	enum ts_effect effect = ts_tabs_switch(s, call);
	struct ts_tab *t = ts_tabs_at(s);

	if (!(effect & TS_EFFECT_UNKNOWN))
		return effect;
	if (s->debug_focus)
		return ts_debug_command(&s->debug, t->view, call);
	return t->ops->command ? t->ops->command(t, call) : TS_EFFECT_UNKNOWN;
}

bool
ts_tabs_waits(const struct ts_tabs *s, enum ts_cmd cmd)
{
	const struct ts_tab *t = &s->tab[s->at];
	bool there;

	if (!ts_typed_is_of_rows(cmd) || s->debug_focus || !t->ops->list ||
		(t->ops->absent && t->ops->absent(t)))
		return false;
	t->ops->list((struct ts_tab *)t, &there);
	return !there && !(t->ops->some && t->ops->some(t));
}

void
ts_tab_tell_view(struct ts_tab *t, enum ts_cmd cmd, const char *fmt, ...)
{
	struct ts_call call = {.cmd = cmd, .argc = 1};
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(call.text, sizeof(call.text), fmt, ap);
	va_end(ap);
	t->view->ops->command(t->view, &call);
}

void
ts_tabs_explain(struct ts_tabs *s, struct ts_explain *out)
{
	struct ts_tab *t = ts_tabs_at(s);

	if (t->ops->explain)
		t->ops->explain(t, out);
}

bool
ts_tabs_sheet(struct ts_tabs *s, struct ts_sheet *out)
{
	struct ts_tab *t = ts_tabs_at(s);

	return t->ops->sheet && t->ops->sheet(t, out);
}

void
ts_at_cursor_add(struct ts_at_cursor *o, const struct ts_at_cursor *with)
{
	int64_t *to[] = {&o->tile, &o->ipu, &o->address, &o->step, &o->live_step, &o->program,
		&o->compute_set, &o->lowered, &o->variable, &o->operation};
	const int64_t from[] = {with->tile, with->ipu, with->address, with->step, with->live_step,
		with->program, with->compute_set, with->lowered, with->variable, with->operation};

	for (size_t i = 0; i < TS_COUNT(to); i++)
		if (from[i] >= 0)
			*to[i] = from[i];
	if (with->live_step >= 0)
		o->live_step_is = with->live_step_is;
	if (with->place[0])
		memcpy(o->place, with->place, sizeof(o->place));
}

void
ts_tabs_object(const struct ts_tabs *s, struct ts_at_cursor *out)
{
	const struct ts_tab *t = &s->tab[s->tab[s->at].ops == &ts_tab_debug ? s->source : s->at];
	struct ts_debug_about about;

	ts_at_cursor_none(out);
	if (t->ops->object) {
		t->ops->object(t, out);
		return;
	}
	if (!t->ops->about || !t->ops->about(t, &about))
		return;
	if (about.relation == TS_PROGRAM)
		out->program = about.key;
	else if (about.relation == TS_COMPUTE_SET)
		out->compute_set = about.key;
	else if (about.relation == TS_VARIABLE)
		out->variable = about.key;
	else if (about.relation == TS_STEP)
		out->step = about.key;
	else if (about.relation == TS_LOWERED_VARIABLE)
		out->tile = about.key;
}

bool
ts_tabs_chart(struct ts_tabs *s, struct ts_chart_page *out)
{
	struct ts_tab *t = ts_tabs_at(s);

	if (!t->ops->chart)
		snprintf(out->without, sizeof(out->without), "%s", t->ops->title);
	return t->ops->chart && t->ops->chart(t, out);
}

enum ts_context
ts_tabs_context(const struct ts_tabs *s)
{
	const struct ts_tab *t = &s->tab[s->at];

	return !s->debug_focus && t->ops->pane_context ? t->ops->pane_context(t) : TS_CONTEXT_LIST;
}

enum ts_effect
ts_tabs_mouse(struct ts_tabs *s, int x, int y, int wheel)
{
	for (int which = 0; which < 2; which++) {
		int i = ts_rect_has(s->line[which], x, y) ? tab_line_at(s, which, x) : -1;

		if (i < 0)
			continue;
		if (wheel)
			return TS_EFFECT_NONE;
		ts_tabs_show(s, i);
		return rearranged;
	}
	if (ts_rect_has(s->debug_at, x, y)) {
		s->debug_focus |= wheel == 0;
		return ts_debug_mouse(&s->debug, y - s->debug_at.y, wheel);
	}
	for (int i = 0; i < s->count; i++) {
		struct ts_tab *t = &s->tab[i];

		if (!ts_rect_has(t->r, x, y))
			continue;
		if (wheel == 0)
			ts_tabs_show(s, i);
		return (enum ts_effect)(TS_EFFECT_REPAINT |
			(t->ops->mouse ? (int)t->ops->mouse(t, x, y, wheel) : 0));
	}
	return TS_EFFECT_NONE;
}

/* --- addresses -------------------------------------------------------------------------------- */

bool
ts_tabs_say(const struct ts_tabs *s, struct ts_strbuf *out)
{
	if (s->at > 0)
		ts_strbuf_puts(out, s->tab[s->at].ops->name);
	return s->at > 0;
}

enum ts_arg_state
ts_tabs_set(struct ts_tabs *s, const char *value)
{
	return ts_arg_command(s->tab[0].view, TS_CMD_TAB, value);
}

bool
ts_tabs_say_row(struct ts_tabs *s, struct ts_strbuf *out)
{
	struct ts_tab *t = ts_tabs_at(s);
	bool there;

	return t->ops->list && ts_arg_say_row(out, t->ops->list(t, &there));
}

enum ts_arg_state
ts_tabs_set_row(struct ts_tabs *s, const char *value)
{
	struct ts_tab *t = ts_tabs_at(s);
	bool there = false;
	struct ts_list *l = t->ops->list ? t->ops->list(t, &there) : NULL;

	if (l)
		return ts_arg_go_row(t->view, l, there, value);
	ts_view_say_error(t->view->env, "the tab %s has no rows", t->ops->name);
	return TS_ARG_NO;
}

/* --- the Debug tab ---------------------------------------------------------------------------- */

static bool
debug_hidden(const struct ts_tab *t)
{
	const struct ts_tabs *s = t->tabs;

	for (int i = 0; i < s->count; i++)
		if (s->tab[i].ops->about && !tab_is_hidden(&s->tab[i]))
			return false;
	return true;
}

static struct ts_debug *
debug_of(const struct ts_tab *t)
{
	return &t->tabs->debug;
}

static void
debug_resize(struct ts_tab *t)
{
	if (ts_tab_is_shown(t))
		ts_debug_resize(debug_of(t), t->r);
}

static void
debug_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	ts_debug_draw(c, t->r, debug_of(t), focus);
}

static enum ts_effect
debug_command(struct ts_tab *t, const struct ts_call *call)
{
	return ts_debug_command(debug_of(t), t->view, call);
}

static enum ts_effect
debug_mouse(struct ts_tab *t, int x, int y, int wheel)
{
	(void)x;
	return ts_debug_mouse(debug_of(t), y - t->r.y, wheel);
}

static const struct ts_hint hints[] = {
	{TS_CMD_UNFOLD, "unfold"},
	{TS_CMD_EDIT, "edit source"},
	{TS_CMD_COPY, "copy"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops ts_tab_debug = {
	.name = "debug",
	.title = "Debug",
	.hidden = debug_hidden,
	.resize = debug_resize,
	.draw = debug_draw,
	.command = debug_command,
	.mouse = debug_mouse,
	.hints = hints,
};
