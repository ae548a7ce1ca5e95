/* SPDX-License-Identifier: MIT */
/*
 * frames - the stack of names that a step stands in: what flame graphs and folded stacks are made of.
 *
 * From the outside: Engine::run, the names of the debug context's parents from the root on, the parts of the step's
 * own name (split at '/'), what the step does (its type). Names of contexts and steps repeat what is around them, some
 * whole and some not at all: what a name begins with and the stack so far ends with stands once.
 *
 * Stacks form a tree in which a frame is known by its number; it only grows. Names are raw and untrusted. Deeper ones than
 * TS_FRAMES_DEPTH have "…" in place of what is left out; behind TS_FRAMES_MAX frames a stack ends at the last frame
 * that is there.
 */
#ifndef TS_REPORT_FRAMES_H
#define TS_REPORT_FRAMES_H

#include <stdatomic.h>

#include "tilescope/report/dictionary.h"
#include "tilescope/report/slices.h"

enum {
	TS_FRAMES_DEPTH = 64, /* frames of a stack, the run and the type counted */
	TS_FRAMES_MAX = 1 << 18,
	TS_FRAME_BYTES = 512, /* of a frame's name; longer ones are cut */
	TS_FRAME_RUN = 0,     /* the frame of Engine::run, which is always there */
};

/* The frame that stands for what is left out: … */
#define TS_FRAMES_MORE "\xe2\x80\xa6"

/* --- names in parts --------------------------------------------------------------------------------- */

/* A path of names; the texts are the caller's. */
struct ts_frame_parts {
	int n;
	bool cut; /* there were more than fit */
	struct ts_frame_part {
		const char *s;
		size_t n;
	} part[TS_FRAMES_DEPTH - 3]; /* besides them: the run, "…", the type */
};

/* Go on with the parts of a name; those that the path ends with already do not come again. */
void ts_frame_parts_add(struct ts_frame_parts *p, const char *name, size_t n);

/* --- debug contexts --------------------------------------------------------------------------------- */

/*
 * The paths of the debug contexts of programs and compute sets, read once. Not changed afterwards; any thread may look
 * something up.
 */
struct ts_frame_contexts {
	atomic_int uses;
	struct ts_dictionary paths; /* by context; parts joined with '/' */
	struct ts_frame_context_of {
		size_t count;
		struct ts_frame_context {
			int64_t id;
			uint32_t path;
		} * of; /* sorted by id */
	} programs, compute_sets;
	int64_t missing; /* contexts that nobody knows, or that cannot be read */
	bool damaged;	 /* some could not be read, or not all that is said of them */
};

/*
 * *out NULL, and no error: the report has none, or none that can be found by their numbers. At most 1 M programs and
 * compute sets. Errors: TS_E_NOMEM, TS_E_SYS, TS_E_STALE: debug.cbor is another one now; TS_E_CANCELLED. What is damaged
 * is counted as missing. Progress: programs and compute sets.
 */
enum ts_code ts_frame_contexts_read(struct ts_frame_contexts **out, struct ts_reader *rd,
	const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
struct ts_frame_contexts *ts_frame_contexts_hold(struct ts_frame_contexts *c); /* NULL allowed */
void ts_frame_contexts_release(struct ts_frame_contexts *c);		       /* NULL allowed */

/* The path of a step: its program's, else its compute set's (TS_UNKNOWN: none); NULL = there is none. */
const char *ts_frame_context_path(const struct ts_frame_contexts *c, int64_t program,
	int64_t compute_set, size_t *n);

/* --- the tree --------------------------------------------------------------------------------------- */

struct ts_frame {
	uint32_t parent;  /* of the run: itself */
	uint32_t name;	  /* of ts_frames.names */
	uint16_t depth;	  /* of the run 0 */
	uint8_t class_of; /* enum ts_step_class, of a frame that stands for steps */
	bool steps;	  /* the last frame of a stack: what its steps do */
};

struct ts_frames {
	struct ts_frame_contexts *contexts; /* held; NULL: names alone */
	const struct ts_cache *cache;
	struct ts_dictionary names;
	struct ts_pile frame; /* struct ts_frame */
	struct ts_pile slot;  /* by parent and name: ts_pair_find() */
	uint32_t count;
	struct ts_dictionary stacks; /* what was asked before, and */
	struct ts_pile leaf;	     /* uint32_t: what the answer was */
	struct ts_strbuf key;
	int64_t left_out; /* steps whose stack ends early: there are too many frames */
	bool mixed; /* a frame stands for steps of several classes: that of the last is kept */
};

/* `contexts` (NULL allowed) is held; `cache` (NULL allowed) must outlive it. Errors: TS_E_NOMEM, TS_E_SYS. */
enum ts_code ts_frames_init(struct ts_frames *f, struct ts_frame_contexts *contexts,
	const struct ts_cache *cache, struct ts_err *err) TS_WARN_UNUSED;
void ts_frames_fini(struct ts_frames *f); /* all zero allowed */

/* The last frame of a step's stack, made if need be. Errors: TS_E_NOMEM, TS_E_SYS. */
enum ts_code ts_frames_leaf(uint32_t *leaf, struct ts_frames *f, const struct ts_slice *s,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * The frame of a name in `parent`, made if need be; TS_FRAMES_MAX: there are too many. `class_of`: of the steps that it
 * stands for, -1: for none. Errors: TS_E_NOMEM, TS_E_SYS.
 */
enum ts_code ts_frames_add(uint32_t *frame, struct ts_frames *f, uint32_t parent, const char *name,
	size_t n, int class_of, struct ts_err *err) TS_WARN_UNUSED;

static inline const struct ts_frame *
ts_frame_at(const struct ts_frames *f, uint32_t i)
{
	return (const struct ts_frame *)f->frame.memory + i;
}

/* Not NUL-terminated. */
static inline const char *
ts_frame_name(const struct ts_frames *f, uint32_t i, size_t *n)
{
	const struct ts_dictionary_entry *e = ts_dictionary_at(&f->names, ts_frame_at(f, i)->name);

	*n = e->n;
	return (const char *)f->names.text.memory + e->at;
}

/* The frame of a stack at a depth that it has. */
static inline uint32_t
ts_frame_up(const struct ts_frames *f, uint32_t i, int depth)
{
	while (ts_frame_at(f, i)->depth > depth)
		i = ts_frame_at(f, i)->parent;
	return i;
}

/* A name as it stands there; at most TS_FRAME_FOLDED bytes. */
enum { TS_FRAME_FOLDED = 4 * TS_FRAME_BYTES };
void ts_frame_folded_name(struct ts_strbuf *out, const char *name, size_t n);

/* "Engine::run;a;b;DoExchange" appended: safe UTF-8, ';' within names as ':'. */
void ts_frame_folded(struct ts_strbuf *out, const struct ts_frames *f, uint32_t i);

#endif
