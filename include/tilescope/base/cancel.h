/* SPDX-License-Identifier: MIT */
/* cancel - a token that long work looks at. Setting it is safe from any thread and from a signal handler. */
#ifndef TS_BASE_CANCEL_H
#define TS_BASE_CANCEL_H

#include <stdatomic.h>
#include <stdbool.h>

struct ts_cancel {
	atomic_bool set;
};

static inline void
ts_cancel_set(struct ts_cancel *c)
{
	atomic_store_explicit(&c->set, true, memory_order_relaxed);
}

static inline void
ts_cancel_clear(struct ts_cancel *c)
{
	atomic_store_explicit(&c->set, false, memory_order_relaxed);
}

/* NULL = never cancelled. */
static inline bool
ts_cancelled(const struct ts_cancel *c)
{
	return c && atomic_load_explicit(&c->set, memory_order_relaxed);
}

#endif
