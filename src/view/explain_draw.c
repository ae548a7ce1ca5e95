/* SPDX-License-Identifier: MIT */
/*
 * explain_draw - the box of `=`.
 *
 * Above, when there are several, the figures of the pane with their values; below a rule all about the one
 * under the cursor: value, how it is known, where from, formula, note, query. The box is as high as that
 * needs, and no higher than the view.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/box.h"
#include "tilescope/view/explain.h"

enum {
	BOX_WIDEST = 112,
	LABEL = 9, /* columns of what a line is */
	VALUE_LEAST = 12,
	LIST_LEAST = 3,
	LIST_MOST = 10,
};

void
ts_explain_command(struct ts_strbuf *out, const struct ts_explained *x, const char *path)
{
	ts_strbuf_puts(out, "tilescope query ");
	ts_strbuf_shell(out, path);
	ts_strbuf_putc(out, ' ');
	ts_strbuf_shell(out, x->query);
}

struct pen {
	struct ts_canvas *c;
	struct ts_rect r;
	int line; /* of the text; those before `skip` are scrolled away */
	int skip;
};

/* A label and a text of as many lines as it needs. */
static void
put(struct pen *p, enum ts_role role, const char *label, const char *text)
{
	int y = p->line - p->skip, above = y < 0 ? -y : 0;
	struct ts_rect r = {p->r.x + LABEL, p->r.y + y + above, p->r.w - LABEL, p->r.h - y - above};

	if (!text[0])
		return;
	if (y >= 0 && y < p->r.h)
		ts_canvas_text(p->c, p->r, 0, y, TS_ROLE_LABEL, label);
	p->line += ts_canvas_wrap(p->c, r, above, role, text);
}

/* Everything about a figure; returns the lines that it takes. */
static int
put_figure(struct ts_canvas *c, struct ts_rect r, const struct ts_explained *x, const char *path,
	int skip)
{
	struct pen p = {c, r, 0, skip};
	char exact[TS_EXPLAIN_SHOWN], value[2 * TS_EXPLAIN_SHOWN + 16];
	struct ts_strbuf command;

	ts_explain_exact(x, exact);
	if (strcmp(exact, x->shown) == 0)
		snprintf(value, sizeof(value), "%s", exact);
	else
		snprintf(value, sizeof(value), "%s, exactly %s", x->shown, exact);
	ts_strbuf_init(&command, (size_t)TS_EXPLAIN_QUERY * 4);
	if (x->query[0])
		ts_explain_command(&command, x, path);
	put(&p, TS_ROLE_TITLE, "figure", x->title);
	put(&p, TS_ROLE_VALUE, "value", x->kind == TS_EXPLAIN_UNKNOWN ? "not known" : value);
	put(&p,
		x->known == TS_KNOWN_RECORDED || x->known == TS_KNOWN_MEASURED ? TS_ROLE_GOOD
									       : TS_ROLE_NOTE,
		"known", ts_known_name(x->known));
	put(&p, TS_ROLE_TEXT, "from", x->from);
	put(&p, TS_ROLE_TEXT, "formula", x->formula);
	put(&p, TS_ROLE_NOTE, "note", x->note);
	put(&p, TS_ROLE_ACCENT, "query", command.s);
	ts_strbuf_fini(&command);
	return p.line;
}

static void
put_list(struct ts_canvas *c, struct ts_rect r, const struct ts_explain *e)
{
	int first = e->at - r.h / 2;

	first = first > e->count - r.h ? e->count - r.h : first;
	first = first < 0 ? 0 : first;
	for (int y = 0; y < r.h && first + y < e->count; y++) {
		const struct ts_explained *x = &e->figure[first + y];
		struct ts_rect row = ts_rect_row(r, y);
		int value = (int)ts_max_i64((int64_t)strlen(x->shown), VALUE_LEAST);

		value = value < row.w / 2 ? value : row.w / 2;
		ts_canvas_field(c, row, 0, 0, row.w - value - 1, TS_ROLE_TEXT, x->title,
			strlen(x->title), TS_FIELD_ELLIPSIS);
		ts_canvas_field(c, row, row.w - value, 0, value, TS_ROLE_VALUE, x->shown,
			strlen(x->shown), TS_FIELD_RIGHT | TS_FIELD_ELLIPSIS);
		if (first + y == e->at)
			ts_canvas_overlay(c, row, TS_ROLE_CURSOR);
	}
}

void
ts_explain_draw(struct ts_canvas *c, struct ts_rect r, const struct ts_explain *e, const char *path,
	const char *hint, int *skip)
{
	int w = r.w < BOX_WIDEST ? r.w : BOX_WIDEST, list = 0, lines, most = 0;
	struct ts_rect nowhere = {r.x, r.y, w - 2 * TS_BOX_MARGIN, 0}, inner, top;
	char right[40] = "";

	if (ts_rect_empty(r) || e->count == 0)
		return;
	lines = put_figure(c, nowhere, &e->figure[e->at], path, 0);
	for (int i = 0; i < e->count; i++) /* the box keeps its size */
		most = (int)ts_max_i64(most, put_figure(c, nowhere, &e->figure[i], path, 0));
	if (e->count > 1) {
		int room = r.h - 3 - most;

		list = room < LIST_LEAST ? LIST_LEAST : room;
		list = list < LIST_MOST ? list : LIST_MOST;
		list = list < e->count ? list : e->count;
		snprintf(right, sizeof(right), "%d of %d", e->at + 1, e->count);
	}
	inner = ts_box_draw(c, r, w, most + list + (list > 0), "What this figure is", right, hint);
	top = ts_rect_cut_top(&inner, list);
	put_list(c, top, e);
	if (list > 0) {
		ts_canvas_hline(c, inner, 0, 0, inner.w, TS_ROLE_BORDER);
		ts_rect_cut_top(&inner, 1);
	}
	*skip = (int)ts_clamp_i64(*skip, 0, lines > inner.h ? lines - inner.h : 0);
	put_figure(c, inner, &e->figure[e->at], path, *skip);
}
