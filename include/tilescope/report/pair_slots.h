/* SPDX-License-Identifier: MIT */
/*
 * pair_slots - finds the elements of a pile, which grows, by two numbers that each of them has.
 *
 * A hash table of numbers of elements; the pairs stay where the elements are. No two elements have the same pair.
 */
#ifndef TS_REPORT_PAIR_SLOTS_H
#define TS_REPORT_PAIR_SLOTS_H

#include "tilescope/report/pile.h"

#define TS_PAIR_NONE UINT32_MAX

/* The pair of element i of what `of` points to. */
typedef void ts_pair_of(uint32_t pair[2], const void *of, uint32_t i);

/* The element of a pair, or TS_PAIR_NONE. `slot`: all zero at first, freed by ts_pile_fini(). */
uint32_t ts_pair_find(const struct ts_pile *slot, ts_pair_of *pair_of, const void *of, uint32_t a,
	uint32_t b);

/* The last of `count` elements is new. Errors: those of ts_pile_room(). */
enum ts_code ts_pair_add(struct ts_pile *slot, ts_pair_of *pair_of, const void *of, uint32_t count,
	const struct ts_cache *cache, struct ts_err *err) TS_WARN_UNUSED;

#endif
