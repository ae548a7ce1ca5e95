/* SPDX-License-Identifier: MIT */
/* chart_signed - see the header. */
#include "config.h"

#include <stdio.h>

#include "tilescope/ui/chart_signed.h"

enum {
	FULL_BLOCK = 0x2588,
	UPPER_HALF = 0x2580,
	UPPER_EIGHTH = 0x2594,
	LINE_H = 0x2500,
	LINE_V = 0x2502,
	TEE_LEFT = 0x2524,
};

int
ts_chart_signed_line(int h)
{
	return h > 0 ? (h - 1) / 2 : 0;
}

/* There are no lower blocks that hang from above but these. */
static void
hang(struct ts_canvas *c, struct ts_rect r, int x, double rows)
{
	for (int y = 0; y < r.h && y < rows; y++) {
		double left = rows - y;

		ts_canvas_glyph(c, r, x, y, TS_ROLE_LESS_2,
			left >= 0.75	      ? FULL_BLOCK
				: left >= 0.3 ? UPPER_HALF
					      : UPPER_EIGHTH);
	}
}

void
ts_chart_signed(struct ts_canvas *c, struct ts_rect plot, const struct ts_signed *a)
{
	struct ts_rect below = plot, above = ts_rect_cut_top(&below, ts_chart_signed_line(plot.h));
	struct ts_rect line = ts_rect_cut_top(&below, 1);
	struct ts_band band = {a->more, TS_ROLE_MORE_2, 0};
	struct ts_area area = {.columns = a->columns, .bands = 1, .band = &band, .top = a->top};

	ts_canvas_hline(c, line, 0, 0, line.w, TS_ROLE_AXIS);
	if (!(a->top > 0))
		return;
	ts_chart_area(c, above, &area);
	for (int x = 0; x < a->columns && x < plot.w; x++)
		if (a->less[x] > 0)
			hang(c, below, x,
				(a->less[x] < a->top ? a->less[x] / a->top : 1) * above.h);
}

void
ts_chart_signed_axis(struct ts_canvas *c, const struct ts_chart_frame *f, double top,
	ts_tick_fn *tick, void *ctx)
{
	struct ts_rect labels = f->y, line = ts_rect_cut_right(&labels, 1);
	int zero = ts_chart_signed_line(f->plot.h);
	const struct {
		int row;
		char sign;
		double v;
	} marks[] = {{0, '+', top}, {zero, ' ', 0}, {2 * zero, '-', top}};

	ts_canvas_fill(c, line, TS_ROLE_AXIS, LINE_V);
	for (int i = 0; i < 3 && f->plot.h > 0; i++) {
		char text[TS_FMT_MAX], out[TS_FMT_MAX + 1];

		if (i != 1 && (zero == 0 || !(top > 0)))
			continue;
		snprintf(out, sizeof(out), "%c%s", marks[i].sign, tick(ctx, marks[i].v, text));
		ts_canvas_glyph(c, line, 0, marks[i].row, TS_ROLE_AXIS, TEE_LEFT);
		ts_canvas_right(c, labels, 0, marks[i].row, TS_ROLE_AXIS, out);
	}
}
