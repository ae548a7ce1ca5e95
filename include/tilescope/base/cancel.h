/* SPDX-License-Identifier: MIT */
/*
 * cancel - a token that long work looks at, often: is it to end, and are others to go first? Setting it
 * is safe from any thread and from a signal handler.
 */
#ifndef TS_BASE_CANCEL_H
#define TS_BASE_CANCEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_cancel {
	atomic_bool set;
	const _Atomic int64_t *rest; /* until then (ts_clock_us()) others go first; NULL: never */
};

static inline void
ts_cancel_set(struct ts_cancel *c)
{
	atomic_store_explicit(&c->set, true, memory_order_relaxed);
}

/* For what begins: as if it had been made anew. */
static inline void
ts_cancel_clear(struct ts_cancel *c)
{
	atomic_store_explicit(&c->set, false, memory_order_relaxed);
	c->rest = NULL;
}

/* Sleep until then (ts_clock_us(); it may be moved meanwhile), at the latest until `latest_us`, or until it is set. */
void ts_cancel_rest(const struct ts_cancel *c, const _Atomic int64_t *until, int64_t latest_us);

/* NULL = never cancelled. May sleep where others go first: not to be asked with a lock held. */
static inline bool
ts_cancelled(const struct ts_cancel *c)
{
	if (!c)
		return false;
	if (c->rest && atomic_load_explicit(c->rest, memory_order_relaxed) != 0)
		ts_cancel_rest(c, c->rest, INT64_MAX);
	return atomic_load_explicit(&c->set, memory_order_relaxed);
}

#endif
