/* SPDX-License-Identifier: MIT */
/*
 * chart_signed - signed values on both sides of a line: what grew above it, what shrank below.
 *
 * A column may have both: of the values that it stands for the one that grew most, and the one that shrank most.
 * Without colours the side says the sign.
 */
#ifndef TS_UI_CHART_SIGNED_H
#define TS_UI_CHART_SIGNED_H

#include "tilescope/ui/chart.h"

struct ts_signed {
	int columns;	    /* elements of both arrays */
	const double *more; /* what grew, 0 or above */
	const double *less; /* what shrank, without its sign */
	double top;	    /* value at the upper and at the lower edge */
};

/* The row of the line in a plot of h rows; as many rows are above it as below, or one more is below. */
int ts_chart_signed_line(int h);

void ts_chart_signed(struct ts_canvas *c, struct ts_rect plot, const struct ts_signed *a);

/* The y axis of it: +top, 0, -top, without ticks between. The plot's gutter has to have the room. */
void ts_chart_signed_axis(struct ts_canvas *c, const struct ts_chart_frame *f, double top,
	ts_tick_fn *tick, void *ctx);

#endif
