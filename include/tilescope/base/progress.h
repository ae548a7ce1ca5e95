/* SPDX-License-Identifier: MIT */
/* progress - how far long work has come; written by one thread, read by any. */
#ifndef TS_BASE_PROGRESS_H
#define TS_BASE_PROGRESS_H

#include <stdatomic.h>
#include <stdint.h>

struct ts_progress {
	_Atomic int64_t done;  /* rows, bytes, ... */
	_Atomic int64_t total; /* 0 = not known */
};

static inline void
ts_progress_set(struct ts_progress *p, int64_t done, int64_t total)
{
	if (!p)
		return;
	atomic_store_explicit(&p->done, done, memory_order_relaxed);
	atomic_store_explicit(&p->total, total, memory_order_relaxed);
}

#endif
