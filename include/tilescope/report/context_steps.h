/* SPDX-License-Identifier: MIT */
/*
 * context_steps - single debug contexts on the way up: who is above, what the name and the layer are. For who follows the
 * contexts of many objects, each context once; the details of one: contexts.h.
 */
#ifndef TS_REPORT_CONTEXT_STEPS_H
#define TS_REPORT_CONTEXT_STEPS_H

#include "tilescope/base/strbuf.h"
#include "tilescope/report/index_contexts.h"

struct ts_context_steps {
	struct ts_reader *rd;
	struct ts_contexts *debug; /* held; NULL: the relation */
	bool any;		   /* contexts can be had by number */
};

struct ts_context_step {
	uint64_t id, parent;
	bool found, has_parent;
	bool damaged;		      /* what is said of it could not be read, or not all of it */
	struct ts_strbuf name, layer; /* raw; empty: not known */
};

/*
 * The relation `context` where it has a key, else debug.cbor. Neither is no error (`any`). Close in every case. Errors:
 * TS_E_STALE: debug.cbor is another one now; TS_E_NOMEM, TS_E_SYS, TS_E_CANCELLED.
 */
enum ts_code ts_context_steps_open(struct ts_context_steps *s, struct ts_reader *rd,
	const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_context_steps_close(struct ts_context_steps *s);

/* For names of at most `bytes` bytes. */
void ts_context_step_init(struct ts_context_step *l, size_t bytes);
void ts_context_step_fini(struct ts_context_step *l);

/* The context `id`; what is damaged is not found. Errors: TS_E_NOMEM, TS_E_SYS, TS_E_CANCELLED. */
enum ts_code ts_context_step_read(struct ts_context_step *l, struct ts_context_steps *s,
	uint64_t id, struct ts_err *err) TS_WARN_UNUSED;

#endif
