/* SPDX-License-Identifier: MIT */
/*
 * block_cache - keep what was read of a remote file in memory.
 *
 * The unit is a block of TS_BLOCK bytes, a page of most databases. Who knows what it is going to need names it
 * (ts_block_cache_want()): what is neither here nor on its way is asked for together, exactly those blocks. Who reads on
 * behind what it has read gets extents ahead, of 64 KiB at first, then twice as much each time up to 4 MiB, one on its way while another is read. Nothing is
 * asked for twice at the same time: who needs what is on its way waits for that.
 *
 * Blocks that are used again stay longer than those that were read once, so that a scan does not drive out what leads to
 * the rows. Memory is fixed when it is made; a read that is larger is served in pieces.
 *
 * With a store (block_store.h) blocks are looked for there before the host is asked, and what was read is kept there; of scans
 * as much as there is room for. It is read and written without the lock.
 *
 * Threads: any. One lock guards the table and is never held while the host is waited for.
 */
#ifndef TS_IO_BLOCK_CACHE_H
#define TS_IO_BLOCK_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/base/cancel.h"
#include "tilescope/base/err.h"
#include "tilescope/io/block_store.h"
#include "tilescope/io/host.h"
#include "tilescope/io/source.h"

enum {
	TS_BLOCK = 4096,
	TS_BLOCKS_MIN = 64,	  /* of a cache */
	TS_BLOCKS_USUAL = 8192,	  /* 32 MiB */
	TS_EXTENT_MIN = 64 << 10, /* bytes that are read ahead */
	TS_EXTENT_MAX = 4 << 20,
};

struct ts_block_cache;

/*
 * Of at least TS_BLOCKS_MIN blocks. The file stays the caller's and outlives the cache; the store (or NULL), where blocks
 * are looked for and kept, is the cache's from now on.
 */
enum ts_code ts_block_cache_new(struct ts_block_cache **out, struct ts_host_file *file,
	size_t blocks, struct ts_block_store *store, struct ts_err *err) TS_WARN_UNUSED;

/* Nobody may be in a call. What is on its way is let go when it comes. NULL allowed. */
void ts_block_cache_free(struct ts_block_cache *c);

/*
 * As ts_source_read_counted(). Goes over the channel of what the screen waits for, unless the token is one that lets others go
 * first. Errors: those of ts_host_read(), TS_E_CANCELLED.
 */
enum ts_code ts_block_cache_read(struct ts_block_cache *c, void *buf, size_t n, int64_t offset,
	size_t *got, struct ts_source_meter *meter, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/* These bytes are going to be read: ask for them now, in one burst. Never waits; what is too much is left out. */
void ts_block_cache_want(struct ts_block_cache *c, const struct ts_byte_range *span, size_t count,
	bool urgent, struct ts_source_meter *meter);

/* How many of n bytes from an offset on (>= 0) are here, or on this machine's disk. */
size_t ts_block_cache_here(struct ts_block_cache *c, int64_t offset, size_t n);

/* What all who read have taken so far. */
void ts_block_cache_counts(struct ts_block_cache *c, struct ts_source_counts *n);

/* How many bursts were sent, and how many blocks asked for in all of them. */
struct ts_block_cache_stats {
	int64_t bursts, blocks;
};

void ts_block_cache_stats(struct ts_block_cache *c, struct ts_block_cache_stats *s);

#endif
