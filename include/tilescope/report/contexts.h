/* SPDX-License-Identifier: MIT */
/*
 * contexts - the debug context of an object, and its parents through the layers of software.
 *
 * A path goes from the leaf (what made the object: poplar, poplibs) to the root (what the user wrote: popart,
 * poptorch). It comes from the report's own relation `context` where it has one that knows the id, else from
 * debug.cbor. Names of layers are not known beforehand; whatever the file says is passed on.
 */
#ifndef TS_REPORT_CONTEXTS_H
#define TS_REPORT_CONTEXTS_H

#include "tilescope/format/debug_info.h"
#include "tilescope/report/index_contexts.h"

enum { TS_CONTEXT_LEVELS = 64, TS_CONTEXT_PATH_BYTES = 1 << 20 }; /* bytes of details of a path */

/* Texts are raw; NULL = not said. */
struct ts_context_level {
	uint64_t id;
	char *layer, *name, *file, *function;
	int64_t line;		      /* or TS_UNKNOWN */
	struct ts_debug_tree details; /* all that its map says, its known keys too; may be empty */
};

struct ts_context_path {
	int count; /* the leaf is the first */
	struct ts_context_level *level;
	char note[300]; /* why it ends where it does, or what is missing; "" = nothing */
};

/*
 * The path of a context. `c`: of debug.cbor, NULL = there is none. No level at all: TS_E_ABSENT, and the message
 * says why. Errors besides: TS_E_STALE: debug.cbor is another one now; TS_E_SYS, TS_E_NOMEM, TS_E_CANCELLED.
 */
enum ts_code ts_context_path_read(struct ts_context_path *p, struct ts_reader *rd,
	struct ts_contexts *c, uint64_t id, struct ts_err *err) TS_WARN_UNUSED;
void ts_context_path_fini(struct ts_context_path *p);

/* One context of debug.cbor alone: a path of one level. Errors: TS_E_SYS, TS_E_NOMEM, TS_E_CANCELLED. */
enum ts_code ts_context_read(struct ts_context_path *p, struct ts_reader *rd, struct ts_contexts *c,
	const struct ts_context_entry *e, struct ts_err *err) TS_WARN_UNUSED;

/* Is the relation `context` that of debug.cbor? What a column of it then is, in words. */
bool ts_context_in_debug(const struct ts_report *r);
const char *ts_context_described(int column);

/*
 * The context of the object of `relation` whose key is `key`: a program, a compute set, a variable; of a step
 * that of its program, else of its compute set. *found false: it has none, or the report does not record it.
 */
enum ts_code ts_context_of(uint64_t *id, bool *found, struct ts_reader *rd,
	enum ts_relation relation, int64_t key, struct ts_err *err) TS_WARN_UNUSED;

/* Could the objects of this relation have contexts in this report? */
bool ts_context_recorded(const struct ts_report *r, enum ts_relation relation);

#endif
