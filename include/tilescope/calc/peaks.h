/* SPDX-License-Identifier: MIT */
/*
 * peaks - the local maxima of a series that stand out from what is around them.
 *
 * Prominence, as of mountains: how far one has to go down from a maximum before one can go up to
 * higher ground; the highest has no higher ground, its prominence is its height above the lowest value
 * of all. Of equal heights the first counts as the higher one, so that a plateau, or noise on top of
 * one, is one peak. Before the first value and behind the last there is nothing: a series may have
 * its peak at an end.
 */
#ifndef TS_CALC_PEAKS_H
#define TS_CALC_PEAKS_H

#include <stddef.h>
#include <stdint.h>

#include "tilescope/base/err.h"

/* The share of the range (largest less smallest value) from which a maximum is a peak for walking. */
#define TS_PEAK_SHARE 0.05

struct ts_found_peak {
	size_t at;	    /* index; of a plateau the first */
	int64_t height;	    /* the value there */
	int64_t prominence; /* > 0; 0 only where all values are equal */
};

struct ts_peaks {
	size_t count;
	struct ts_found_peak *peak; /* the highest first, of equals the first in the series */
	size_t found;		    /* before `max` cut them: count <= found */
};

/*
 * The peaks of v[0..n), values 0 or more, whose prominence is at least `share` (0..1) of the range; at
 * most `max` of them. A series of equal values has one peak, at 0; an empty one none. O(n), and
 * O(k log k) for k peaks. Free with ts_peaks_fini() in every case. Errors: TS_E_NOMEM.
 */
enum ts_code ts_peaks_find(struct ts_peaks *peaks, const int64_t *v, size_t n, double share,
	size_t max, struct ts_err *err) TS_WARN_UNUSED;
void ts_peaks_fini(struct ts_peaks *peaks);

/* Rank (0 = the highest) of the peak at an index, or -1. */
ptrdiff_t ts_peaks_rank(const struct ts_peaks *peaks, size_t at);

#endif
