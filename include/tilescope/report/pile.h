/* SPDX-License-Identifier: MIT */
/*
 * pile - an array that grows with the report and is not kept in anonymous memory when it is large.
 *
 * Up to TS_PILE_SMALL bytes (or `small`, at most TS_PILE_SHOWN) it is ordinary memory, beyond that a mapped, unlinked file (ts_spill_new()):
 * the kernel may write it out. It moves when it grows; offsets stay.
 */
#ifndef TS_REPORT_PILE_H
#define TS_REPORT_PILE_H

#include <stddef.h>
#include <stdint.h>

#include "tilescope/report/index.h"

enum {
	TS_PILE_SMALL = 64 << 10,
	TS_PILE_LARGE = 2 << 20,
	/* rows of a list that is made anew with each key: a page of a file takes three times as long */
	TS_PILE_SHOWN = 8 << 20,
};

struct ts_pile {
	void *memory;
	size_t used, room; /* bytes */
	size_t small; /* set while it is empty, by who has few piles for a short time; 0: TS_PILE_SMALL */
};

/* Room for `bytes` bytes in all, at once; `used` stays. Errors: TS_E_NOMEM, TS_E_SYS. */
enum ts_code ts_pile_room(struct ts_pile *p, size_t bytes, const struct ts_cache *cache,
	struct ts_err *err) TS_WARN_UNUSED;

/* Append; grows by doubling. */
enum ts_code ts_pile_add(struct ts_pile *p, const void *bytes, size_t n,
	const struct ts_cache *cache, struct ts_err *err) TS_WARN_UNUSED;

/*
 * Sort its first n elements of `size` bytes by merging: stable, and it looks at the token between merges. It may have
 * other memory then. Errors: those of ts_pile_room(), TS_E_CANCELLED.
 */
enum ts_code ts_pile_sort(struct ts_pile *p, size_t n, size_t size,
	int (*order)(const void *, const void *), const struct ts_cache *cache,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/* What was touched of it may leave memory: it is read again from its file. Nothing for those without one. */
void ts_pile_rest(const struct ts_pile *p);

void ts_pile_fini(struct ts_pile *p);

#endif
