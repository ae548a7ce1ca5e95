/* SPDX-License-Identifier: MIT */
/*
 * index - what was worked out of a report once, kept beside the caches and mapped when it is needed.
 *
 * A report has a folder of its own under the cache directory, named by a hash of its path, with one
 * file for each section. A section is written to a temporary name, synced and renamed: it is whole or it
 * is not there; each carries the identity of the report, the version of its layout and a checksum. What
 * does not agree with the report, or with itself, is not used and built again.
 *
 * `struct ts_index` is a snapshot: the sections that were there when it was made. It does not change
 * and any thread may read it; a new section makes a new snapshot that shares the old ones.
 * Rows stay in the report. A figure comes out the same with the index and without.
 */
#ifndef TS_REPORT_INDEX_H
#define TS_REPORT_INDEX_H

#include <stdatomic.h>

#include "tilescope/base/log.h"
#include "tilescope/report/report.h"

/* In the order in which they are built. */
enum ts_section {
	TS_SECTION_CATEGORIES, /* bytes by tile and category */
	TS_SECTION_VARIABLES,  /* where the lowered variables of each tile stand; the largest */
	TS_SECTION_LIVENESS,   /* liveness steps, and their pyramid */
	TS_SECTION_STEPS,      /* the class of each step; a row anchor every 64 rows */
	TS_SECTION_LANES,      /* pyramid of step_ipu by IPU; sums by IPU and class */
	TS_SECTION_CONTEXTS,   /* where each debug context stands in debug.cbor */
	/* only when asked for, and the first to be evicted */
	TS_SECTION_LIVES,
	TS_SECTION_TILE_LIVES, /* bytes by tile and class, and when each class is alive */
	TS_SECTION_PIECES,     /* on which tiles the pieces of each variable stand */
	TS_SECTION_LABELS,     /* what each variable is for */
	TS_SECTION_IPU_LIVES,  /* when the variables of each IPU are alive */
	TS_SECTION_IPU_STEPS,  /* liveness steps of each IPU */
	TS_SECTION_RUNS,       /* how many steps name which program and compute set */
	TS_SECTION_PROGRAMS,   /* what each program costs */
	TS_SECTION_OPERATIONS, /* operations of all layers, and what they come to */
	TS_SECTION_WORK,       /* bytes and balance of steps, over stretches of rows */
	TS_SECTION_USES,       /* which programs name which variables */
	TS_SECTION_COLUMNS,    /* lowered variables by column, and their distinct names */
	TS_SECTION_TILE_ROWS, /* lowered variables of each tile as numbers; behind the columns, whose names it has */
	TS_SECTION_LARGEST, /* which row is the largest variable of each IPU */
	TS_SECTION_LAYERS,  /* bytes by tile and layer, as our own expression finds layers */
	TS_SECTION_STACKS,  /* what steps come to by stack, over stretches of rows */
	TS_SECTION_NAME_TILES, /* on which tiles each name of lowered variables stands; behind the columns */
	TS_SECTION_NAMES, /* names of variables before lowering, as numbers in their order */
	/*
	 * orders of lowered variables, as enum ts_variable_sort has them; no snapshot has them before it is asked
	 * for one (ts_index_with): they are large, and few are looked at
	 */
	TS_SECTION_ORDER_BYTES,
	TS_SECTION_ORDER_NAME,
	TS_SECTION_ORDER_TILE,
	TS_SECTION_ORDER_CATEGORY,
	TS_SECTION_ORDER_TYPE,
	TS_SECTION_ORDER_OFFSET,
	TS_SECTION_ORDER_ALIGNMENT,
	TS_SECTION_ORDER_ALWAYS,
	TS_SECTION_ORDER_FROM,
	TS_SECTION_ORDER_TO,
	TS_SECTION_ORDER_STEPS,
	TS_SECTION_ORDER_TILES,
	TS_SECTION_ORDER_FULLEST,
	TS_SECTION_ORDER_BALANCE,
	TS_SECTION_ORDER_ID,
	TS_SECTION_ORDER_VARIABLE,
	TS_SECTION_ORDER_CLASS,
	TS_SECTION_COUNT
};

/* A set of sections has a bit for each. */
static inline uint64_t
ts_section_bit(int s)
{
	return UINT64_C(1) << s;
}

static inline bool
ts_section_is_order(int s)
{
	return s >= TS_SECTION_ORDER_BYTES;
}

/* Built without being asked for? */
static inline bool
ts_section_is_core(enum ts_section s)
{
	return s < TS_SECTION_LIVES;
}

const char *ts_section_name(enum ts_section s);

/* --- the cache directory ---------------------------------------------------------------------- */

/* Where, and how much. dir NULL = no index is kept, `why` says why (for the user, said once; "" = as asked). */
struct ts_cache {
	char *dir;
	int64_t cap; /* bytes of all reports together; at least what the current one needs is kept */
	char why[TS_ERR_MSG];
};

/*
 * `dir`: what --cache says: a directory, "none", or NULL: $XDG_CACHE_HOME/tilescope, else
 * ~/.cache/tilescope. Made (mode 0700) when it is not there. One that cannot be written, or that lies
 * on a network file system, leaves c->dir NULL: that is no error.
 */
enum ts_code ts_cache_init(struct ts_cache *c, const char *dir, int64_t cap,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_cache_fini(struct ts_cache *c);

/* The same for who only reads: nothing is made; dir NULL and no reason where nothing at all is kept yet. */
enum ts_code ts_cache_look(struct ts_cache *c, const char *dir, struct ts_err *err) TS_WARN_UNUSED;

/* The directory that `dir` (as above) means; the caller's. NULL: none (or no memory). */
char *ts_cache_where(const char *dir);

/* --- reading ---------------------------------------------------------------------------------- */

struct ts_index {
	atomic_int uses;
	struct ts_section_map *map[TS_SECTION_COUNT]; /* NULL = not there */
};

/*
 * Map what is there, orders apart, and agrees with the report; what does not is removed and told to `log` (may be NULL).
 * Checksums are looked at by reading, so that the pages need not stay resident. *out is never NULL
 * with TS_OK, even where there is no cache. Errors: TS_E_NOMEM, TS_E_CANCELLED.
 */
enum ts_code ts_index_open(struct ts_index **out, const struct ts_cache *cache,
	const struct ts_report *r, struct ts_log *log, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/* Only the sections of `wanted` (bits): who needs two figures need not have all checksums looked at. */
enum ts_code ts_index_open_some(struct ts_index **out, const struct ts_cache *cache,
	const struct ts_report *r, uint64_t wanted, struct ts_log *log,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;
struct ts_index *ts_index_hold(struct ts_index *x); /* NULL allowed */
void ts_index_release(struct ts_index *x);	    /* NULL allowed */

/* The payload of a section and its size; NULL when it is not there (or x is NULL). 8-byte aligned. */
const void *ts_index_section(const struct ts_index *x, enum ts_section s, size_t *size);

/* The sections that are there, a bit for each; 0 when x is NULL. */
uint64_t ts_index_sections(const struct ts_index *x);

/*
 * What `sound` says of a section, which looks through all of its content: asked until it says yes, and not again as long
 * as the section is mapped. `of`: the content, for `sound`.
 */
bool ts_index_is_sound(const struct ts_index *x, enum ts_section s, bool (*sound)(const void *of),
	const void *of);

/*
 * `count` elements of `size` bytes at `offset` of a payload, or NULL when they do not lie in it (whole,
 * aligned to 8): every offset and count that is read out of a section goes through here.
 */
const void *ts_section_at(const void *payload, size_t payload_size, uint64_t offset, uint64_t count,
	size_t size);

/* Bytes mapped by a snapshot, for the jobs view. */
int64_t ts_index_bytes(const struct ts_index *x);

/* --- writing ---------------------------------------------------------------------------------- */

struct ts_section_writer;

/*
 * Begin a section; any thread or program may, also while another one builds (then the last one to commit is
 * seen). Errors: TS_E_SYS (the reason: full, read-only, ...), TS_E_NOMEM, TS_E_ABSENT: no cache.
 */
enum ts_code ts_section_create(struct ts_section_writer **out, const struct ts_cache *cache,
	const struct ts_report *r, enum ts_section s, struct ts_err *err) TS_WARN_UNUSED;

/*
 * Append n bytes; *offset (may be NULL) is where they stand in the payload, always a multiple of 8.
 * Any thread, at the same time.
 */
enum ts_code ts_section_append(struct ts_section_writer *w, uint64_t *offset, const void *bytes,
	size_t n, struct ts_err *err) TS_WARN_UNUSED;

/* One of the arrays of a payload, and where its offset is kept: in the payload's own header. */
struct ts_section_array {
	uint64_t *at;
	const void *bytes; /* may be NULL when n is 0 */
	size_t n;
};

/* Append the payload's header, then the arrays, then the header once more, with their offsets in it. */
enum ts_code ts_section_put_arrays(struct ts_section_writer *w, const void *head, size_t size,
	const struct ts_section_array *array, size_t arrays, struct ts_err *err) TS_WARN_UNUSED;

/* Write over bytes that were appended (a payload's own header, for instance, when all is known). */
enum ts_code ts_section_put(struct ts_section_writer *w, uint64_t offset, const void *bytes,
	size_t n, struct ts_err *err) TS_WARN_UNUSED;

/*
 * Memory that may be large: `size` bytes of zeros at the end of the payload, mapped for writing until
 * the writer is committed or freed. For sort orders. Not together with concurrent appends.
 */
enum ts_code ts_section_room(struct ts_section_writer *w, uint64_t *offset, void **memory,
	size_t size, struct ts_err *err) TS_WARN_UNUSED;

/* What ends the checksum of ts_section_commit() early; must outlive the writer. NULL: nothing. */
void ts_section_set_cancel(struct ts_section_writer *w, const struct ts_cancel *cancel);

/*
 * Checksum, sync, rename. TS_E_CANCELLED: nothing is kept. TS_E_STALE when the report has changed meanwhile: nothing is kept. Evicts
 * what exceeds the cap. The writer is freed in every case.
 */
enum ts_code ts_section_commit(struct ts_section_writer *w, struct ts_err *err) TS_WARN_UNUSED;
void ts_section_abandon(struct ts_section_writer *w); /* NULL allowed */

/* A snapshot with what `x` has and section `s`, read anew. */
enum ts_code ts_index_with(struct ts_index **out, const struct ts_index *x, enum ts_section s,
	const struct ts_cache *cache, const struct ts_report *r, struct ts_err *err) TS_WARN_UNUSED;

/*
 * One builder a report: the lock of its folder. *got false: another program has it. Freed with the
 * process, however it ends.
 */
struct ts_index_lock;
enum ts_code ts_index_lock_take(struct ts_index_lock **lock, bool *got,
	const struct ts_cache *cache, const struct ts_report *r, struct ts_err *err) TS_WARN_UNUSED;
void ts_index_lock_give(struct ts_index_lock *lock); /* NULL allowed */

/* --- memory that is not memory ---------------------------------------------------------------- */

/*
 * Zeroed room in an unlinked file (of the cache directory, else of $TMPDIR or /tmp), mapped: for work
 * that grows with the report; a few MiB come from memory where both are full. NULL with TS_E_SYS when it
 * cannot be had.
 */
enum ts_code ts_spill_new(void **memory, const struct ts_cache *cache, size_t size,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_spill_free(void *memory, size_t size);

/* Its pages are no longer counted as this program's, until they are touched again; what they hold stays. */
void ts_spill_rest(void *memory, size_t size);

/* --- `tilescope cache` ------------------------------------------------------------------------ */

struct ts_cache_entry {
	char *path;	       /* of the report; raw; "" when it cannot be told */
	int64_t bytes, used_s; /* on disk; when it was used last, seconds since the epoch */
	uint64_t sections;     /* a bit for each enum ts_section */
	bool gone;	       /* the report is not there any more, or is another one */
};

/* All reports that have a folder, the one used last first. */
enum ts_code ts_cache_list(struct ts_cache_entry **entries, size_t *count,
	const struct ts_cache *cache, struct ts_err *err) TS_WARN_UNUSED;
void ts_cache_list_free(struct ts_cache_entry *entries, size_t count);

/* Files of other hosts of which blocks are kept below it (block_store.h): ts_block_stores_free(). */
struct ts_block_store_kept;
enum ts_code ts_cache_files_list(struct ts_block_store_kept **all, size_t *count,
	const struct ts_cache *cache, struct ts_err *err) TS_WARN_UNUSED;

/* What was removed. */
struct ts_cache_cleared {
	int64_t bytes;
	size_t reports, files;
};

/* Remove every folder that is not being built in, and blocks of files of hosts that nobody has open. */
enum ts_code ts_cache_clear(struct ts_cache_cleared *c, const struct ts_cache *cache,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
