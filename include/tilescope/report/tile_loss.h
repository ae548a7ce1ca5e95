/* SPDX-License-Identifier: MIT */
/*
 * tile_loss - tile-cycles that are lost while tiles wait for the slowest one, by compute set.
 *
 * One execution of a compute set takes as long on an IPU as its slowest tile. What the other tiles of that IPU could
 * have done meanwhile is lost: (max - cycles of the tile), summed over all tiles of the IPU = tiles x max - sum. IPUs
 * on which it does nothing lose nothing. Times its executions (steps of the trace, of all runs): one measured duration
 * stands for every execution (MODEL.md, honesty rules), so all of it is "repeated" at best.
 *
 * Were the cycles spread evenly, an execution would take the mean: the IPU saves (max - mean) = loss / tiles cycles each
 * time. IPUs work side by side, so of a compute set on several the one that saves most counts; its share is of the
 * cycles of all runs. Cycles are measured, else estimated, never both in one row.
 */
#ifndef TS_REPORT_TILE_LOSS_H
#define TS_REPORT_TILE_LOSS_H

#include "tilescope/base/strbuf.h"
#include "tilescope/report/honesty.h"
#include "tilescope/report/trace.h"

enum { TS_LOSS_ROWS = 1 << 17, TS_LOSS_TEXT = 8 << 20, TS_LOSS_NAME = 8192 };

struct ts_loss_row {
	int64_t compute_set;
	uint32_t name; /* in `text`, NUL-terminated, raw; "" = none */
	bool estimated;
	bool single;	    /* it does something on one IPU only */
	int64_t executions; /* TS_UNKNOWN: there is no trace */
	int64_t ipu;	    /* on which an execution would save most */
	/* of one execution on that IPU */
	int64_t tiles, active; /* of the IPU; with cycles above 0 */
	int64_t most, sum;     /* of the slowest tile, of all */
	int64_t slowest;       /* the first tile that takes `most` */
	int64_t lost_once;     /* of one execution, on all IPUs */
	/* of all executions; TS_UNKNOWN: no trace, or it does not fit */
	int64_t lost;
	int64_t saves; /* cycles on that IPU, rounded down */
};

struct ts_tile_loss {
	struct ts_loss_row *
		row; /* that with the most lost first; of equals (and without a trace) by one execution */
	size_t count, cap;
	struct ts_strbuf text;
	int64_t span;	   /* cycles of all runs, else of the trace; TS_UNKNOWN */
	int runs;	   /* that `span` is of; 0: of the whole trace */
	int64_t lost;	   /* of all rows; TS_UNKNOWN */
	int64_t lacking;   /* compute sets that record no cycles by tile */
	int64_t bad_rows;  /* left out: no number, a blob that is none */
	int64_t beyond;	   /* of those that count: with cycles on tiles that no IPU has */
	enum ts_mark mark; /* of all rows together */
	bool has_steps,
		one_tile; /* one_tile: measured cycles are of one tile of an IPU, and not used */
	bool cut, partial;
};

/* Does the report say anything of it? */
bool ts_tile_loss_recorded(const struct ts_report *r);

/*
 * Read it. `t` may be NULL: no trace. Errors: TS_E_ABSENT with the reason (nothing by tile, or it is not known which tiles
 * an IPU has); TS_E_CANCELLED, TS_E_NOMEM; with TS_E_DAMAGED it has what could be read. Free with ts_tile_loss_fini() in
 * every case. progress may be NULL.
 */
enum ts_code ts_tile_loss_read(struct ts_tile_loss *l, struct ts_reader *rd,
	const struct ts_trace *t, const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_tile_loss_fini(struct ts_tile_loss *l);

/* What of the runs balance would save, 0 .. 1; below 0: not known. */
double ts_loss_share(const struct ts_tile_loss *l, const struct ts_loss_row *row);

#endif
