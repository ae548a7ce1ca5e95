/* SPDX-License-Identifier: MIT */
/*
 * figures - a made-up screen with every kind of figure of the ui layer, for golden screens and for
 * looking at (ui_demo). Deterministic.
 */
#ifndef TS_TESTS_SCREEN_FIGURES_H
#define TS_TESTS_SCREEN_FIGURES_H

#include <stdio.h>
#include <string.h>

#include "tilescope/base/fmt.h"
#include "tilescope/base/mem.h"
#include "tilescope/ui/canvas.h"
#include "tilescope/ui/chart.h"
#include "tilescope/ui/layout.h"
#include "tilescope/ui/list.h"
#include "tilescope/ui/prompt.h"
#include "tilescope/ui/table.h"

enum { FIGURE_COLUMNS = 400, FIGURE_BANDS = 9, FIGURE_ROWS = 1000 };

struct figures {
	double mean[FIGURE_COLUMNS], max[FIGURE_COLUMNS], base[FIGURE_COLUMNS];
	double share[FIGURE_BANDS][FIGURE_COLUMNS];
	bool start[FIGURE_COLUMNS];
	struct ts_band shares[FIGURE_BANDS], classes[FIGURE_BANDS], live[2];
};

static const char figure_letters[] = "CxgsWbme.";

static inline void
figures_init(struct figures *f)
{
	unsigned seed = 1;

	memset(f, 0, sizeof(*f));
	for (int x = 0; x < FIGURE_COLUMNS; x++) {
		double hill = x % 120 < 60 ? x % 120 : 120 - x % 120;
		double sum = 0;

		seed = seed * 1103515245u + 12345u;
		f->base[x] = 180;
		f->mean[x] = 150 + 3 * hill + (double)(seed >> 16 & 15);
		f->max[x] = f->mean[x] + 20 + (x % 37 == 5 ? 220 : 0);
		if (x % 16 == 15)
			f->mean[x] -= 90;
		for (int b = 0; b < FIGURE_BANDS; b++) {
			unsigned v = x / 7 % FIGURE_BANDS == b ? 70 : (seed >> (8 + b)) % 8;

			f->share[b][x] = v;
			sum += v;
		}
		for (int b = 0; b < FIGURE_BANDS; b++)
			f->share[b][x] /= sum;
		f->start[x] = x % 7 == 0;
	}
	for (int b = 0; b < FIGURE_BANDS; b++) {
		f->shares[b] = (struct ts_band){f->share[b], TS_ROLE_SERIES_0 + (unsigned)b,
			(char)('a' + b)};
		f->classes[b] = (struct ts_band){f->share[b], TS_ROLE_COMPUTE + (unsigned)b,
			figure_letters[b]};
	}
	f->live[0] = (struct ts_band){f->base, TS_ROLE_BASE, 'a'};
	f->live[1] = (struct ts_band){f->mean, TS_ROLE_FILL, 'n'};
}

static inline const char *
figure_kib(void *ctx, double v, char out[TS_FMT_MAX])
{
	(void)ctx;
	snprintf(out, TS_FMT_MAX, "%.0fK", v);
	return out;
}

static inline const char *
figure_number(void *ctx, double v, char out[TS_FMT_MAX])
{
	(void)ctx;
	return ts_fmt_count(out, (int64_t)v);
}

static inline void
figure_histogram(struct ts_canvas *c, struct ts_rect r, const struct figures *f)
{
	struct ts_band mean = {f->mean, TS_ROLE_FILL, 0};
	struct ts_chart_frame frame = ts_chart_frame(r,
		ts_chart_y_width(r.h - 1, 640, 2, figure_kib, NULL), 1);
	struct ts_area a = {FIGURE_COLUMNS, 1, &mean, 640, f->max, TS_ROLE_TEXT, 0};
	struct ts_chart_label label[] = {{0, "ipu 0", TS_ROLE_AXIS},
		{frame.plot.w / 2, "ipu 1", TS_ROLE_AXIS}};

	ts_chart_y_axis(c, &frame, 640, 2, figure_kib, NULL);
	ts_chart_area(c, frame.plot, &a);
	ts_chart_divider(c, frame.plot, frame.plot.w / 2, TS_ROLE_BOUNDARY);
	ts_chart_level(c, frame.plot, 624, 640, TS_ROLE_LIMIT, "limit 624 KiB");
	ts_chart_labels(c, &frame, 0, label, 2);
	ts_chart_cursor(c, frame.plot, 42, true);
}

static inline void
figure_area(struct ts_canvas *c, struct ts_rect r, const struct ts_band *band, int n, double top)
{
	struct ts_chart_frame frame = ts_chart_frame(r, 6, 2);
	struct ts_area a = {FIGURE_COLUMNS, n, band, top, NULL, TS_ROLE_TEXT, 0};

	ts_chart_y_axis(c, &frame, top == 1 ? 100 : top, 10, figure_number, NULL);
	ts_chart_area(c, frame.plot, &a);
	ts_chart_x_axis(c, &frame, 1000000, 1031412, 10, figure_number, NULL);
	ts_chart_cursor(c, frame.plot, 20, false);
}

static inline void
figure_lanes(struct ts_canvas *c, struct ts_rect r, const struct figures *f)
{
	struct ts_area a = {FIGURE_COLUMNS, FIGURE_BANDS, f->classes, 1, NULL, TS_ROLE_TEXT, 0};
	static const char *const name[] = {"compute", "exchange", "global exchange", "sync",
		"external sync", "host wait", "host copy", "host end", "control"};
	struct ts_rect row = ts_rect_cut_top(&r, 1);

	ts_chart_legend(c, row, f->classes, name, FIGURE_BANDS);
	for (int i = 0; i < 4 && !ts_rect_empty(r); i++) {
		struct ts_rect lane = ts_rect_cut_top(&r, i == 3 ? 3 : 1);
		struct ts_rect label = ts_rect_cut_left(&lane, 7);

		ts_canvas_printf(c, label, 1, 0, TS_ROLE_LABEL, "ipu %d", i);
		ts_chart_lane(c, lane, &a, i == 1 ? NULL : f->start);
	}
}

static inline bool
figure_cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	static const char *const names[] =
		{"bert/encoder/layer_3/attention/self/matMul/Conv_1/Convolve",
			"vocab\033[31m/gather\t\xe2\x80\xae", "\xe5\x8f\x98\xe9\x87\x8f_12",
			"Copy_layer4_to_out"};

	(void)ctx;
	if (row >= 17 && row != TS_TABLE_TOTAL)
		return false;
	switch (column) {
	case 0:
		snprintf(out->buf, sizeof(out->buf), "%lld", (long long)row);
		out->s = row == TS_TABLE_TOTAL ? "" : out->buf;
		break;
	case 1:
		out->s = row == TS_TABLE_TOTAL ? "total" : names[row % 4];
		break;
	case 2:
		out->s = ts_fmt_bytes(out->buf,
			row == TS_TABLE_TOTAL ? 123456789 : 7000000 / (row + 1), TS_UNITS_KIB);
		out->role = TS_ROLE_VALUE;
		break;
	default:
		out->s = ts_fmt_percent(out->buf, 1.0,
			(double)(row == TS_TABLE_TOTAL ? 1 : row + 2));
	}
	return true;
}

static inline enum ts_role
figure_row(void *ctx, int64_t row)
{
	(void)ctx;
	return row == 5 ? TS_ROLE_MATCH : row == 7 ? TS_ROLE_SELECTION : TS_ROLE_TEXT;
}

static inline void
figure_table(struct ts_canvas *c, struct ts_rect r, struct ts_list *l, bool focus)
{
	static const struct ts_column column[] = {
		{"step", 6, 0, 0, 2, TS_FIELD_RIGHT},
		{"name", 12, 0, 1, 0, TS_FIELD_TAIL},
		{"bytes", 10, 0, 0, 1, TS_FIELD_RIGHT},
		{"share", 6, 0, 0, 3, TS_FIELD_RIGHT},
	};
	struct ts_table t = {.column = column,
		.columns = 4,
		.cell = figure_cell,
		.row = figure_row,
		.header = true,
		.total = true,
		.focus = focus,
		.sorted = 2,
		.descending = true};

	ts_list_resize(l, ts_table_rows(&t, r));
	ts_table_draw(c, r, &t, l);
}

static inline void
figure_bars(struct ts_canvas *c, struct ts_rect r)
{
	struct ts_segment s[] = {{60, TS_ROLE_COMPUTE, 'C'}, {13.7, TS_ROLE_EXCHANGE, 'x'},
		{3.2, TS_ROLE_SYNC, 's'}};
	struct ts_segment one = {59, TS_ROLE_BAR, 0};

	ts_canvas_text(c, r, 0, 0, TS_ROLE_LABEL, "worst tile");
	ts_chart_bar(c, (struct ts_rect){r.x + 12, r.y, r.w - 12, 1}, &one, 1, 100);
	if (r.h > 1)
		ts_chart_bar(c, (struct ts_rect){r.x + 12, r.y + 1, r.w - 12, 1}, s, 3, 100);
}

enum { FIG_STRIP, FIG_HIST, FIG_SHARES, FIG_LIVE, FIG_LANES, FIG_BARS, FIG_TABLE, FIG_PROMPT };

static const struct ts_layout_item figure_layout[] = {
	{.depth = 0, .kind = TS_SPLIT_ROWS},
	{.depth = 1, .kind = TS_PANE, .id = FIG_STRIP, .fixed = 2, .keep = 3},
	{.depth = 1, .kind = TS_PANE, .id = FIG_HIST, .weight = 3, .min = 5, .keep = 5},
	{.depth = 1, .kind = TS_SPLIT_COLUMNS, .weight = 2, .min = 5, .keep = 2, .gap = 1},
	{.depth = 2, .kind = TS_PANE, .id = FIG_SHARES, .weight = 1, .min = 20},
	{.depth = 2, .kind = TS_PANE, .id = FIG_LIVE, .weight = 1, .min = 30},
	{.depth = 1, .kind = TS_PANE, .id = FIG_LANES, .fixed = 7, .keep = 1},
	{.depth = 1, .kind = TS_PANE, .id = FIG_BARS, .fixed = 2, .keep = 1},
	{.depth = 1, .kind = TS_PANE, .id = FIG_TABLE, .weight = 3, .min = 4, .keep = 4},
	{.depth = 1, .kind = TS_PANE, .id = FIG_PROMPT, .fixed = 1, .keep = 9},
};

static inline void
figures_draw(struct ts_canvas *c, const struct figures *f, struct ts_list *l, const char *note)
{
	struct ts_rect pane[TS_LAYOUT_PANES], r;
	bool hit[FIGURE_COLUMNS] = {[30] = true, [31] = true};

	ts_layout(pane, figure_layout, (int)TS_COUNT(figure_layout), ts_canvas_rect(c),
		TS_LAYOUT_NONE);
	r = pane[FIG_STRIP];
	ts_canvas_rule(c, ts_rect_cut_top(&r, 1), TS_ROLE_BORDER_ACTIVE, "Tiles", "tile 1806");
	ts_chart_strip(c, r, f->max, FIGURE_COLUMNS, 640, 10, 60, hit);
	figure_histogram(c, pane[FIG_HIST], f);
	figure_area(c, pane[FIG_SHARES], f->shares, FIGURE_BANDS, 1);
	figure_area(c, pane[FIG_LIVE], f->live, 2, 640);
	figure_lanes(c, pane[FIG_LANES], f);
	figure_bars(c, pane[FIG_BARS]);
	figure_table(c, pane[FIG_TABLE], l, true);
	ts_canvas_field(c, pane[FIG_PROMPT], 0, 0, pane[FIG_PROMPT].w, TS_ROLE_STATUS, note,
		strlen(note), TS_FIELD_ELLIPSIS);
}

#endif
