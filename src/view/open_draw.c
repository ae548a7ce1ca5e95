/* SPDX-License-Identifier: MIT */
/* open_draw - the panes of the Open view: where they are, and what stands in their cells. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tilescope/base/mem.h"

#include "open_internal.h"

enum { LEAST = 4, RECENT_SHARE = 2, RULE_ENDS = 10 }; /* what a rule has around its two texts */

enum { R_PATH, R_OPENED, R_FITS, R_WORST, R_CYCLES, R_POPLAR, R_STATE, R_COUNT };
enum { F_PATH, F_PARTS, F_SIZE, F_CHANGED, F_REMARK, F_COUNT };

static const struct ts_column recent_columns[R_COUNT] = {
	[R_PATH] = {.title = "report", .min = 18, .max = 64, .weight = 1, .field = TS_FIELD_TAIL},
	[R_OPENED] = {.title = "opened", .min = 16, .priority = 3},
	[R_FITS] = {.title = "memory", .min = 6},
	[R_WORST] = {.title = "worst", .min = 6, .field = TS_FIELD_RIGHT},
	[R_CYCLES] = {.title = "cycles", .min = 13, .priority = 1, .field = TS_FIELD_RIGHT},
	[R_POPLAR] = {.title = "Poplar", .min = 8, .priority = 2},
	[R_STATE] = {.title = "", .min = 7},
};

static const struct ts_column found_columns[F_COUNT] = {
	[F_PATH] = {.title = "name", .min = 18, .max = 64, .weight = 1, .field = TS_FIELD_TAIL},
	[F_PARTS] = {.title = "parts", .min = 7},
	[F_SIZE] = {.title = "size", .min = 9, .field = TS_FIELD_RIGHT},
	[F_CHANGED] = {.title = "changed", .min = 16, .priority = 1},
	[F_REMARK] = {.title = "", .min = 15},
};

const struct ts_column *const open_columns[PANES] = {recent_columns, found_columns};
const int open_column_count[PANES] = {R_COUNT, F_COUNT};

static void
put_time(char out[64], int64_t seconds)
{
	time_t when = (time_t)seconds;
	struct tm tm;

	out[0] = '\0';
	if (localtime_r(&when, &tm))
		strftime(out, 64, "%Y-%m-%d %H:%M", &tm);
}

/* --- recent ----------------------------------------------------------------------------------- */

static const struct {
	const char *word;
	enum ts_role role;
} states[] = {
	[TS_RECENT_UNKNOWN] = {"", TS_ROLE_TEXT},
	[TS_RECENT_SAME] = {"", TS_ROLE_TEXT},
	[TS_RECENT_CHANGED] = {"changed", TS_ROLE_WARN},
	[TS_RECENT_GONE] = {"gone", TS_ROLE_DIM},
};

static void
put_fits(const struct ts_figures *f, struct ts_table_cell *out)
{
	out->s = f->fits < 0 ? "" : f->fits ? "fits" : "over";
	out->role = f->fits ? TS_ROLE_GOOD : TS_ROLE_BAD;
}

static bool
recent_cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	const struct open_view *o = ctx;
	const struct ts_recent *x = &o->recent->list.item[o->at[PANE_RECENT].row[row]];
	const struct ts_figures *f = &x->figures;

	out->s = out->buf;
	out->buf[0] = '\0';
	switch (column) {
	case R_PATH:
		out->s = x->path;
		out->role = x->state == TS_RECENT_GONE ? TS_ROLE_DIM : TS_ROLE_TEXT;
		break;
	case R_OPENED:
		put_time(out->buf, x->opened);
		break;
	case R_FITS:
		put_fits(f, out);
		break;
	case R_WORST:
		if (f->limit_bytes > 0 && f->worst_tile_bytes >= 0)
			ts_fmt_percent(out->buf, (double)f->worst_tile_bytes,
				(double)f->limit_bytes);
		break;
	case R_CYCLES:
		if (f->cycles >= 0)
			ts_fmt_count(out->buf, f->cycles);
		break;
	case R_POPLAR:
		out->s = f->poplar_version;
		break;
	default:
		out->s = states[x->state].word;
		out->role = states[x->state].role;
	}
	return true;
}

/* --- found ------------------------------------------------------------------------------------ */

/* The path from the directory that is shown, with a slash behind directories. */
static const char *
below(const struct open_view *o, const struct ts_found *f, char *out, size_t size)
{
	size_t n = strlen(o->found->dir);
	const char *path = f->path;

	if (strncmp(path, o->found->dir, n) == 0 && (path[n] == '/' || path[n] == '\0' || n == 1))
		path += n == 1 && path[n] ? 1 : path[n] ? n + 1 : n;
	if (!*path)
		return ".";
	if (f->parts || f->maybe || strlen(path) + 2 > size)
		return path;
	snprintf(out, size, "%s/", path);
	return out;
}

/* What the letters of parts stand for. */
static const char parts_legend[] =
	"P profile  A archive  D debug  F framework  a app  V vars  S store";

static void
put_parts(char out[64], unsigned parts)
{
	static const char letters[] = TS_FOUND_LETTERS;

	for (size_t i = 0; i + 1 < sizeof(letters); i++)
		out[i] = parts & 1u << i ? letters[i] : '.';
	out[sizeof(letters) - 1] = '\0';
}

static void
put_remark(const struct ts_found *f, struct ts_table_cell *out)
{
	if (f->half_written || f->incomplete) {
		out->s = f->half_written ? "half-written" : "incomplete";
		out->role = TS_ROLE_WARN;
	} else if (!f->parts && f->below > 0) {
		snprintf(out->buf, sizeof(out->buf), "%d report%s below", f->below,
			f->below == 1 ? "" : "s");
		out->role = TS_ROLE_NOTE;
	}
}

static bool
found_cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	const struct open_view *o = ctx;
	const struct ts_found *f = open_row_found(o, row);

	out->s = out->buf;
	out->buf[0] = '\0';
	if (column == F_PATH) {
		out->s = below(o, f, out->buf, sizeof(out->buf));
		out->role = f->parts ? TS_ROLE_TEXT : TS_ROLE_LABEL;
	} else if (column == F_REMARK) {
		put_remark(f, out);
	} else if (f->parts && column == F_PARTS) {
		put_parts(out->buf, f->parts);
		out->role = TS_ROLE_ACCENT;
	} else if (f->pending && column == F_PARTS) {
		out->s = "…";
		out->role = TS_ROLE_DIM;
	} else if (f->parts && column == F_SIZE) {
		ts_fmt_bytes(out->buf, f->bytes, o->base.env->options->units);
	} else if ((f->parts || f->mtime > 0) && column == F_CHANGED) {
		put_time(out->buf, f->mtime);
	}
	return true;
}

/* --- panes ------------------------------------------------------------------------------------ */

void
open_table(struct ts_table *t, struct open_view *o, enum open_pane pane)
{
	const struct open_list *l = &o->at[pane];

	*t = (struct ts_table){.column = open_columns[pane],
		.columns = open_column_count[pane],
		.cell = pane == PANE_RECENT ? recent_cell : found_cell,
		.ctx = o,
		.header = true,
		.needle = o->pane == pane ? o->sought : NULL,
		.focus = o->pane == pane,
		.sorted = l->order,
		.descending = l->reverse,
		.empty = *l->filter	      ? "none that the filter lets through"
			: pane == PANE_RECENT ? "none yet: reports that are opened are kept here"
					      : "no report here or below (Backspace goes up)"};
}

void
open_layout(struct open_view *o)
{
	struct ts_rect rest = o->area;
	int want = (int)ts_max_i64(o->at[PANE_RECENT].count, 1) + 2;
	int most = (int)ts_max_i64(o->area.h / RECENT_SHARE, LEAST);
	int top = o->zoomed ? (o->pane == PANE_RECENT ? o->area.h : 0)
			    : (int)ts_clamp_i64(want, LEAST - 1, most);

	o->at[PANE_RECENT].area = ts_rect_cut_top(&rest, top);
	o->at[PANE_FOUND].area = rest;
	for (int i = 0; i < PANES; i++) {
		struct open_list *l = &o->at[i];
		struct ts_table t;

		l->rows = l->area;
		ts_rect_cut_top(&l->rows, 1);
		ts_rect_cut_left(&l->rows, 1); /* as the titles stand */
		open_table(&t, o, (enum open_pane)i);
		ts_list_resize(&l->list, ts_table_rows(&t, l->rows));
	}
}

/* Not everything that there is. */
static void
put_cut(char *out, size_t size, const struct open_found *found, bool cut)
{
	char n[TS_FMT_MAX];

	if (cut && found->list.left_out > 0)
		snprintf(out, size, "%s more are not shown", ts_fmt_count(n, found->list.left_out));
	else
		snprintf(out, size, "%s", cut ? "not all are shown" : "");
}

/* What stands at the right of a pane's rule. */
static void
put_right(const struct open_view *o, enum open_pane pane, char *out, size_t size)
{
	const struct open_list *l = &o->at[pane];
	bool cut = pane == PANE_FOUND && o->found && o->found->list.cut;

	if (l->state.state == TS_PANE_LOADING || l->state.state == TS_PANE_STALE)
		snprintf(out, size, "%s",
			pane == PANE_FOUND ? "searching (C-c stops)" : "being read");
	else if (pane == PANE_FOUND && o->looks)
		snprintf(out, size, "looking into them (C-c stops)");
	else if (*l->filter)
		snprintf(out, size, "filter: %.60s", l->filter);
	else
		put_cut(out, size, o->found, cut);
}

static void
draw_pane(struct open_view *o, struct ts_canvas *c, enum open_pane pane)
{
	struct open_list *l = &o->at[pane];
	char title[600], right[100];
	struct ts_table t;

	if (l->area.h == 0)
		return;
	snprintf(title, sizeof(title), "%s%.500s",
		pane == PANE_RECENT		      ? "Recent reports"
			: o->found && o->found->files ? "Reports and directories in "
						      : "Reports below ",
		pane == PANE_RECENT ? ""
			: o->dir    ? o->dir
				    : "");
	put_right(o, pane, right, sizeof(right));
	if (!*right && pane == PANE_FOUND &&
		(int)(strlen(title) + strlen(parts_legend)) + RULE_ENDS <= l->area.w)
		snprintf(right, sizeof(right), "%s", parts_legend);
	ts_canvas_rule(c, l->area, o->pane == pane ? TS_ROLE_TITLE : TS_ROLE_BORDER, title,
		*right ? right : NULL);
	if (pane == PANE_RECENT ? o->recent != NULL : o->found != NULL) {
		open_table(&t, o, pane);
		ts_table_draw(c, l->rows, &t, &l->list);
	} else if (l->state.state == TS_PANE_FAILED) {
		ts_canvas_field(c, l->rows, 1, 0, l->rows.w - 2, TS_ROLE_ERROR, l->state.reason,
			strlen(l->state.reason), TS_FIELD_ELLIPSIS);
	}
}

void
open_draw(struct ts_view *v, struct ts_canvas *c)
{
	for (int i = 0; i < PANES; i++)
		draw_pane((struct open_view *)v, c, (enum open_pane)i);
}
