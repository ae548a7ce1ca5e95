/* SPDX-License-Identifier: MIT */
/* explain_work - what the steps that begin in a range of cycles have done (report/proportions.h), explained for `=`. */
#ifndef TS_VIEW_EXPLAIN_WORK_H
#define TS_VIEW_EXPLAIN_WORK_H

#include "tilescope/report/proportions.h"
#include "tilescope/view/explain.h"

/* Bytes into, or out of, an IPU by streams of the host or by global exchange, in [from, to). */
void ts_explain_traffic(struct ts_explain *out, int64_t ipu, int64_t from, int64_t to,
	const struct ts_step_work *w, enum ts_traffic kind, bool in, enum ts_units units);

/* Balance of its tiles, where it is recorded. */
void ts_explain_tile_balance(struct ts_explain *out, int64_t ipu, int64_t from, int64_t to,
	const struct ts_step_work *w);

/* Utilisation: mean cycles of the compute steps in `span` cycles of the range [from, to). */
void ts_explain_utilisation(struct ts_explain *out, int64_t ipu, int64_t from, int64_t to,
	const struct ts_step_work *w, int64_t span);

#endif
