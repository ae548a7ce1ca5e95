/* SPDX-License-Identifier: MIT */
/*
 * insights - the Insights view: what the rules find, each finding with its place, and the figures behind them: the
 * fullest tiles and why they are, how memory is spread, what makes up the peak, what is FP32, the largest things.
 */
#ifndef TS_VIEW_INSIGHTS_H
#define TS_VIEW_INSIGHTS_H

#include "tilescope/view/view.h"

extern const struct ts_view_ops ts_view_insights;

#endif
