/* SPDX-License-Identifier: MIT */
/*
 * tab_line - see the header.
 *
 * Titles are whole words: long ones where they leave room for a note, else as few short ones as do, whichever tab is shown:
 * no title moves or changes when the cursor does, or another tab is shown. Where not even short ones fit the line
 * begins with a later tab, so that the one that is shown is in it, and `<` and `>` say that there are others. What the tab is
 * about has the rest of the line: it loses its last clauses, not its last letters.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tab_line.h"

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/ui/table_order.h"
#include "tilescope/view/sheet.h"

enum {
	BEGIN = 2,	 /* columns of the rule in front of the titles */
	PATH_LEAST = 16, /* columns for the end of a path */
	NOTE_MAX = TS_TAB_NOTE + TS_TABLE_FILTER + 8, /* bytes */
	NOTE_LEAST = 12, /* columns for a note that has to be cut, else it is left out */
	LINE_ENDS = 8,	 /* columns of the line without titles and note */
	NOTE_ROOM = 24,	 /* columns that are kept for a note at least, ... */
	NOTE_PART = 5,	 /* ... one in so many of the line */
	FILTER_ENDS =
		8, /* columns of the line around the words of a filter: its sign, blanks, the rule */
};

struct titles {
	struct ts_tabs *s;
	int from, to;	     /* of the tabs that are in the line */
	bool before, behind; /* there are others */
	uint32_t brief;	     /* a bit for each tab with its short title */
	bool focus;	     /* the pane has the keys */
};

static bool
is_absent(const struct ts_tab *t)
{
	return t->ops->absent && t->ops->absent(t);
}

static const char *
title_of(const struct titles *l, int i)
{
	const struct ts_tab_ops *ops = l->s->tab[i].ops;

	return l->brief & 1u << i && ops->brief ? ops->brief : ops->title;
}

/* Each stands between two columns: brackets where it is shown, blanks elsewhere. */
static int
title_width(const struct titles *l, int i)
{
	return tab_is_hidden(&l->s->tab[i]) ? 0 : (int)strlen(title_of(l, i)) + 2;
}

static int
titles_width(const struct titles *l, int from, int to)
{
	int w = 0;

	for (int i = from; i < to; i++)
		w += title_width(l, i);
	return w;
}

static int
shown_in(const struct ts_tabs *s, int which)
{
	return which == 0 ? 0 : s->both ? s->right : s->at;
}

/* Not all fit: as many as do, among them that which is shown. */
static void
choose_titles(struct titles *l, int shown, int room)
{
	int first = l->from, end = l->to;

	if (titles_width(l, l->from, l->to) <= room)
		return;
	room--; /* for the sign behind them */
	while (l->from < shown && titles_width(l, l->from, shown + 1) > room)
		l->from++;
	while (l->to > shown + 1 && titles_width(l, l->from, l->to) > room)
		l->to--;
	l->before = titles_width(l, first, l->from) > 0;
	l->behind = titles_width(l, l->to, end) > 0;
}

/* Columns that the short title of a tab leaves to the others. */
static int
saved_by(const struct titles *l, int i)
{
	const struct ts_tab_ops *ops = l->s->tab[i].ops;

	if (tab_is_hidden(&l->s->tab[i]) || !ops->brief || l->brief & 1u << i)
		return 0;
	return (int)strlen(ops->title) - (int)strlen(ops->brief);
}

/* Short titles, one more each time, until `over` columns are won, or there are no more: those that win most first. */
static void
make_brief(struct titles *l, int over)
{
	while (over > 0) {
		int best = l->from;

		for (int i = l->from; i < l->to; i++)
			if (saved_by(l, i) > saved_by(l, best))
				best = i;
		if (saved_by(l, best) <= 0)
			return;
		over -= saved_by(l, best);
		l->brief |= 1u << best;
	}
}

/* The filter in force of its table; "" = none. */
static void
filter_of(struct ts_tab *t, char out[TS_TABLE_FILTER])
{
	struct ts_sheet s = {.list = NULL};
	bool there = t->ops->sheet && t->ops->sheet(t, &s) && s.table.order;

	snprintf(out, TS_TABLE_FILTER, "%s", there ? s.table.order->filter : "");
}

/* Columns for the filter of a tab at the right end of its line, cut where it is long; 0: there is none. */
static int
filter_room(struct ts_tab *t)
{
	char filter[TS_TABLE_FILTER];

	filter_of(t, filter);
	if (!filter[0])
		return 0;
	return (int)ts_min_i64(FILTER_ENDS + ts_utf8_columns(filter, strlen(filter)), NOTE_ROOM);
}

/* The titles of a line. */
static struct titles
line_of(struct ts_tabs *s, int which, bool focus)
{
	struct titles l = {s, which == 1 && s->both, which == 0 ? 1 : s->count, false, false, 0,
		focus};
	int w = s->line[which].w, note = (int)ts_max_i64(w / NOTE_PART, NOTE_ROOM);
	int shown = shown_in(s, which);

	make_brief(&l, titles_width(&l, l.from, l.to) + LINE_ENDS + note - w);
	choose_titles(&l, shown, w - BEGIN - filter_room(&s->tab[shown]));
	return l;
}

static enum ts_role
title_role(const struct titles *l, const struct ts_tab *t)
{
	if (ts_tab_is_shown(t))
		return l->focus && ts_tab_has_keys(t) ? TS_ROLE_BORDER_ACTIVE : TS_ROLE_TITLE;
	return is_absent(t) ? TS_ROLE_DIM : TS_ROLE_TAB;
}

static int
draw_title(struct ts_canvas *c, struct ts_rect r, int x, const struct titles *l, int i)
{
	const struct ts_tab *t = &l->s->tab[i];
	char text[40];

	snprintf(text, sizeof(text), ts_tab_is_shown(t) ? "[%s]" : " %s ", title_of(l, i));
	return ts_canvas_text(c, r, x, 0, title_role(l, t), text);
}

/* The bytes before the path at the end of a note, which is known by its end; 0: there is none, or words of other languages. */
static size_t
before_path(const char *s)
{
	size_t slash = strcspn(s, "/"), blank = 0;

	if (!s[slash])
		return 0;
	for (size_t i = 0; i < slash; i++) {
		if (s[i] & 0x80)
			return 0;
		blank = s[i] == ' ' ? i + 1 : blank;
	}
	return blank;
}

/*
 * What the shown tab is about: first the filter, for without it the rows would be taken for all of them. Where there is
 * no room for both the filter stands alone.
 */
static void
say_note(struct ts_tab *t, char out[NOTE_MAX], int room)
{
	char note[TS_TAB_NOTE] = "", filter[TS_TABLE_FILTER];
	size_t begin, n;

	if (t->ops->note)
		t->ops->note(t, note);
	filter_of(t, filter);
	begin = (size_t)snprintf(out, NOTE_MAX, "%s%s%s", filter[0] ? "& " : "", filter,
		filter[0] && note[0] ? "; " : "");
	snprintf(out + begin, NOTE_MAX - begin, "%s", note);
	while (ts_utf8_columns(out, strlen(out)) + 2 > room &&
		(n = ts_text_shorten(out + begin, strlen(out + begin))) > 0)
		out[begin + n] = '\0';
	if (filter[0] && ts_utf8_columns(out, strlen(out)) + 2 > room)
		snprintf(out, NOTE_MAX, "& %s", filter);
}

/* At the right end of the line, where there is room for it. */
static void
draw_note(struct ts_canvas *c, struct ts_rect r, int x, struct ts_tab *t, enum ts_role role)
{
	char note[NOTE_MAX], text[NOTE_MAX + 2];
	int room = r.w - x - 4;
	size_t n;

	say_note(t, note, room);
	if (!note[0] || (room < NOTE_LEAST && ts_utf8_columns(note, strlen(note)) + 2 > room))
		return;
	snprintf(text, sizeof(text), " %s ", note);
	room = (int)ts_min_i64(room, ts_utf8_columns(text, strlen(text)));
	x = r.w - 2 - room;
	n = before_path(text);
	if (ts_utf8_columns(text, strlen(text)) > room && n > 0 && room - (int)n >= PATH_LEAST) {
		ts_canvas_field(c, r, x, 0, (int)n, role, text, n, TS_FIELD_LEFT);
		ts_canvas_field(c, r, x + (int)n, 0, room - (int)n, role, text + n,
			strlen(text) - n, TS_FIELD_TAIL);
		return;
	}
	ts_canvas_field(c, r, x, 0, room, role, text, strlen(text), TS_FIELD_ELLIPSIS);
}

void
tab_line_draw(struct ts_canvas *c, struct ts_tabs *s, int which, bool focus)
{
	struct titles l = line_of(s, which, focus);
	struct ts_rect r = s->line[which];
	struct ts_tab *shown = &s->tab[shown_in(s, which)];
	enum ts_role role = focus && ts_tab_has_keys(shown) ? TS_ROLE_BORDER_ACTIVE
							    : TS_ROLE_BORDER;
	int x = BEGIN;

	if (ts_rect_empty(r))
		return;
	ts_canvas_rule(c, r, role, NULL, NULL);
	if (l.before)
		ts_canvas_text(c, r, BEGIN - 1, 0, TS_ROLE_NOTE, "<");
	for (int i = l.from; i < l.to; i++)
		if (!tab_is_hidden(&s->tab[i]))
			x = draw_title(c, r, x, &l, i);
	if (l.behind)
		ts_canvas_text(c, r, (int)ts_min_i64(x, r.w - 1), 0, TS_ROLE_NOTE, ">");
	draw_note(c, r, x + l.behind, shown, role);
}

int
tab_line_at(struct ts_tabs *s, int which, int x)
{
	struct titles l = line_of(s, which, false);

	x -= s->line[which].x + BEGIN;
	for (int i = l.from; i < l.to && x >= 0; i++) {
		int w = title_width(&l, i);

		if (x < w)
			return i;
		x -= w;
	}
	return -1;
}
