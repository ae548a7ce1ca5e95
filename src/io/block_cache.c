/* SPDX-License-Identifier: MIT */
/*
 * block_cache - see the header.
 *
 * A block that is here stands in one of two lists, the last used first: `once` what was read once or ahead, `again` what was
 * read again. A new block takes the place of the last one of `once`, unless that list has become short. A block that is on
 * its way stands in no list and belongs to its fetch.
 *
 * Who reads or names blocks counts what that takes apart (`struct use`): others read meanwhile.
 *
 * What the store has is read without the lock, too: by who asked for it, into a fetch that never went to the host.
 *
 * A fetch has bytes of its own, which are copied when all of it is there: its blocks need not lie together, and the cache may
 * have gone meanwhile. Who waits holds it, and learns from it how it ended.
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tilescope/base/mem.h"
#include "tilescope/io/block_cache.h"

enum {
	NOBODY = -1,
	STREAMS = 8,
	LOOK_MS = 20,  /* between two looks at a cancel token */
	SCAN_MIN = 16, /* blocks: more of them read together are a scan */
};

enum list_id { ONCE, AGAIN, LISTS };

struct fetch {
	struct ts_block_cache *cache;
	int holders; /* who waits, and the host until it is done */
	bool done;
	bool scan; /* kept in the store only where there is room */
	bool disk; /* from the store: a range for each block */
	enum ts_code code;
	struct ts_err err;
	struct ts_host_range *range;
	int *block; /* `count` of them, in the order of the bytes */
	size_t count;
	unsigned char *bytes;
};

struct block {
	int64_t unit; /* offset / TS_BLOCK */
	int bucket_next;
	int prev, next; /* in its list */
	enum list_id list;
	bool touched;
	struct fetch *fetch; /* on its way; NULL: it is here */
};

struct list {
	int first, last;
	size_t n;
};

/* Somebody who reads forwards. */
struct stream {
	int64_t next;	/* where it goes on */
	int64_t ahead;	/* so far was read ahead */
	int64_t extent; /* bytes; 0 = it has read once only */
	unsigned used;
};

struct ts_block_cache {
	struct ts_host_file *file;
	int64_t size;
	pthread_mutex_t lock;
	pthread_cond_t news;
	size_t blocks, buckets, used; /* used: blocks[0 .. used) were taken at some time */
	struct block *block;
	unsigned char *bytes;
	int *bucket;
	int spare; /* blocks that are free, by bucket_next */
	struct list list[LISTS];
	struct stream stream[STREAMS];
	unsigned clock;
	int out; /* fetches */
	bool left;
	struct ts_block_store *store; /* or NULL */
	int loading;		      /* who reads of it */
	bool stale; /* it is of another state of the file: closed when nobody reads of it. Set in the host's thread */
	struct ts_block_cache_stats stats;
	struct ts_source_counts n;
};

/* Somebody's call: for whom, and what it took. */
struct use {
	bool urgent;
	bool scan; /* what is fetched */
	const struct ts_cancel *cancel;
	struct ts_source_counts n;
};

/* --- lists and buckets ------------------------------------------------------------------------ */

static int *
bucket_of(const struct ts_block_cache *c, int64_t unit)
{
	return &c->bucket[(uint64_t)unit * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (c->buckets - 1)];
}

static int
find(const struct ts_block_cache *c, int64_t unit)
{
	int i = *bucket_of(c, unit);

	while (i != NOBODY && c->block[i].unit != unit)
		i = c->block[i].bucket_next;
	return i;
}

static void
unlist(struct ts_block_cache *c, int i)
{
	struct block *b = &c->block[i];
	struct list *l = &c->list[b->list];

	*(b->prev == NOBODY ? &l->first : &c->block[b->prev].next) = b->next;
	*(b->next == NOBODY ? &l->last : &c->block[b->next].prev) = b->prev;
	l->n--;
}

static void
enlist(struct ts_block_cache *c, int i, enum list_id list)
{
	struct block *b = &c->block[i];
	struct list *l = &c->list[list];

	b->list = list;
	b->prev = NOBODY;
	b->next = l->first;
	*(l->first == NOBODY ? &l->last : &c->block[l->first].prev) = i;
	l->first = i;
	l->n++;
}

/* The block is nothing's any more. */
static void
forget(struct ts_block_cache *c, int i)
{
	int *at = bucket_of(c, c->block[i].unit);

	while (*at != i)
		at = &c->block[*at].bucket_next;
	*at = c->block[i].bucket_next;
	c->block[i].bucket_next = c->spare;
	c->spare = i;
}

/* A block for this unit; NOBODY: all are on their way. */
static int
take_block(struct ts_block_cache *c, int64_t unit)
{
	int i = c->spare, *bucket;

	if (i == NOBODY && c->used < c->blocks) {
		i = (int)c->used++;
	} else {
		if (i == NOBODY) {
			i = c->list[ONCE].n > c->blocks / 4 || c->list[AGAIN].n == 0
				? c->list[ONCE].last
				: c->list[AGAIN].last;
			if (i == NOBODY)
				return NOBODY;
			unlist(c, i);
			forget(c, i);
		}
		c->spare = c->block[i].bucket_next;
	}
	bucket = bucket_of(c, unit);
	c->block[i] = (struct block){.unit = unit, .bucket_next = *bucket};
	*bucket = i;
	return i;
}

static void
touch(struct ts_block_cache *c, int i)
{
	struct block *b = &c->block[i];

	unlist(c, i);
	enlist(c, i, b->touched ? AGAIN : b->list);
	b->touched = true;
}

/* --- fetching --------------------------------------------------------------------------------- */

static void
free_cache(struct ts_block_cache *c)
{
	pthread_cond_destroy(&c->news);
	pthread_mutex_destroy(&c->lock);
	ts_block_store_close(c->store);
	free(c->block);
	free(c->bucket);
	free(c->bytes);
	free(c);
}

static void
let_go(struct fetch *f)
{
	if (!f || --f->holders > 0)
		return;
	free(f->range);
	free(f->block);
	free(f->bytes);
	free(f);
}

/* All of it is there, or will not be. A block of which less came than there is of it in the file counts as not there. */
static void
land(struct ts_block_cache *c, struct fetch *f)
{
	size_t range = 0, in_range = 0;

	for (size_t i = 0; i < f->count; i++) {
		const struct ts_host_range *r = &f->range[range];
		struct block *b = &c->block[f->block[i]];
		int64_t at = b->unit * TS_BLOCK;
		size_t n = (size_t)ts_min_i64(TS_BLOCK, c->size - at);

		b->fetch = NULL;
		if (!f->code && r->got >= in_range + n) {
			memcpy(c->bytes + (size_t)f->block[i] * TS_BLOCK, f->bytes + i * TS_BLOCK,
				n);
			enlist(c, f->block[i], ONCE);
		} else {
			forget(c, f->block[i]);
		}
		in_range += TS_BLOCK;
		if (in_range >= r->n) {
			range++;
			in_range = 0;
		}
	}
}

/* What has landed, to the disk. Without the lock: its blocks are anybody's now, so they are named by their ranges. */
static void
keep_fetched(struct ts_block_store *store, const struct ts_block_cache *c, const struct fetch *f)
{
	const unsigned char *bytes = f->bytes;
	size_t left = f->count;

	for (const struct ts_host_range *r = f->range; left > 0; r++)
		for (size_t at = 0; at < r->n; at += TS_BLOCK, bytes += TS_BLOCK, left--) {
			int64_t offset = r->offset + (int64_t)at;
			size_t n = (size_t)ts_min_i64(TS_BLOCK, c->size - offset);

			if (r->got >= at + n)
				ts_block_store_put(store, offset / TS_BLOCK, bytes, n, f->scan);
		}
}

/* The store that is of no use any more, once nobody reads of it. With the lock held. */
static void
leave_store(struct ts_block_cache *c)
{
	if (!c->stale || c->loading > 0)
		return;
	ts_block_store_close(c->store);
	c->store = NULL;
}

/* In the host's thread. */
static void
fetched(void *ctx, enum ts_code code, const struct ts_err *err)
{
	struct fetch *f = ctx;
	struct ts_block_cache *c = f->cache;
	bool gone;

	pthread_mutex_lock(&c->lock);
	f->code = code;
	if (code)
		f->err = *err;
	f->done = true;
	if (code == TS_E_STALE) { /* who opens the file that is there now writes it anew */
		c->stale = true;
		leave_store(c);
	}
	land(c, f);
	pthread_cond_broadcast(&c->news);
	pthread_mutex_unlock(&c->lock);
	if (!code && !c->stale && c->store) /* the cache stays while something of it is out */
		keep_fetched(c->store, c, f);
	pthread_mutex_lock(&c->lock);
	let_go(f);
	gone = --c->out == 0 && c->left;
	pthread_mutex_unlock(&c->lock);
	if (gone)
		free_cache(c);
}

static struct fetch *
make_fetch(struct ts_block_cache *c, size_t most)
{
	struct fetch *f = ts_alloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->cache = c;
	f->holders = 1;
	f->range = ts_alloc(most, sizeof(*f->range));
	f->block = ts_alloc(most, sizeof(*f->block));
	if (f->range && f->block)
		return f;
	let_go(f);
	return NULL;
}

/* The ranges of its blocks, neighbours together; returns how many. */
static size_t
make_ranges(const struct ts_block_cache *c, struct fetch *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->count; i++) {
		int64_t at = c->block[f->block[i]].unit * TS_BLOCK;

		if (n > 0 && !f->disk && f->range[n - 1].offset + (int64_t)f->range[n - 1].n == at)
			f->range[n - 1].n += TS_BLOCK;
		else
			f->range[n++] = (struct ts_host_range){at, TS_BLOCK, 0};
	}
	return n;
}

static void
undo_fetch(struct ts_block_cache *c, struct fetch *f)
{
	for (size_t i = 0; i < f->count; i++)
		forget(c, f->block[i]);
	let_go(f);
}

/* Send it, or undo it. With the lock held, which the host's thread takes afterwards. */
static enum ts_code
send_fetch(struct ts_block_cache *c, struct fetch *f, struct use *u, struct ts_err *err)
{
	struct ts_host_read r = {.file = c->file, .urgent = u->urgent, .done = fetched, .ctx = f};
	enum ts_code code;

	f->bytes = malloc(f->count * TS_BLOCK);
	f->scan = u->scan;
	r.range = f->range;
	r.count = make_ranges(c, f);
	r.bytes = f->bytes;
	code = f->bytes ? ts_host_read_send(&r, err) : ts_err_nomem(err);
	if (code) {
		undo_fetch(c, f);
		return code;
	}
	c->out++;
	c->stats.bursts++;
	c->stats.blocks += (int64_t)f->count;
	u->n.requests += (int64_t)r.count;
	u->n.bytes += (int64_t)(f->count * TS_BLOCK);
	return TS_OK;
}

/* What is read of the disk: its bytes, where they are sound. */
static void
read_store(struct ts_block_store *store, int64_t size, struct fetch *f)
{
	for (size_t i = 0; i < f->count; i++) {
		struct ts_host_range *r = &f->range[i];
		size_t n = (size_t)ts_min_i64(TS_BLOCK, size - r->offset);

		r->got = ts_block_store_get(store, r->offset / TS_BLOCK, f->bytes + i * TS_BLOCK, n)
			? n
			: 0;
	}
}

static void
put_into(struct ts_block_cache *c, struct fetch *f, int i)
{
	c->block[i].fetch = f;
	f->block[f->count++] = i;
}

/* What the disk did not have after all, or not as it should be, is asked of the host: all of it in one burst. With the lock held. */
static enum ts_code
fetch_lost(struct ts_block_cache *c, const struct fetch *disk, struct use *u, struct ts_err *err)
{
	struct fetch *f = make_fetch(c, disk->count);

	if (!f)
		return ts_err_nomem(err);
	for (size_t k = 0; k < disk->count; k++) {
		int64_t unit = disk->range[k].offset / TS_BLOCK;
		int i = disk->range[k].got == 0 && find(c, unit) == NOBODY ? take_block(c, unit)
									   : NOBODY;

		if (i != NOBODY)
			put_into(c, f, i);
	}
	if (f->count > 0)
		return send_fetch(c, f, u, err);
	let_go(f);
	return TS_OK;
}

/* From the store. With the lock held, which is given up meanwhile. */
static enum ts_code
load_fetch(struct ts_block_cache *c, struct fetch *f, struct use *u, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	size_t kept = 0;

	f->bytes = malloc(f->count * TS_BLOCK);
	if (!f->bytes) {
		undo_fetch(c, f);
		return ts_err_nomem(err);
	}
	(void)make_ranges(c, f);
	c->loading++;
	pthread_mutex_unlock(&c->lock);
	read_store(c->store, c->size, f);
	pthread_mutex_lock(&c->lock);
	c->loading--;
	leave_store(c);
	for (size_t i = 0; i < f->count; i++)
		kept += f->range[i].got > 0;
	u->n.kept += (int64_t)kept;
	f->done = true;
	land(c, f);
	if (kept < f->count)
		code = fetch_lost(c, f, u, err);
	pthread_cond_broadcast(&c->news);
	let_go(f);
	return code;
}

static bool
is_kept(const struct ts_block_cache *c, int64_t unit)
{
	return !c->stale && ts_block_store_has(c->store, unit);
}

/* Those blocks of [from, to) that are neither here nor on their way, as far as there are free ones: of the disk, else of the host. */
static void
collect(struct ts_block_cache *c, struct fetch *host, struct fetch *disk, size_t most, int64_t from,
	int64_t to)
{
	int64_t unit = from / TS_BLOCK, end = (ts_min_i64(to, c->size) + TS_BLOCK - 1) / TS_BLOCK;

	for (; unit < end && host->count + disk->count < most; unit++) {
		int i = find(c, unit) == NOBODY ? take_block(c, unit) : NOBODY;

		if (i != NOBODY)
			put_into(c, is_kept(c, unit) ? disk : host, i);
	}
}

/* Send what is of the host, then read what is of the disk. With the lock held. */
static enum ts_code
begin_both(struct ts_block_cache *c, struct fetch *host, struct fetch *disk, struct use *u,
	struct ts_err *err)
{
	enum ts_code code = TS_OK, loaded = TS_OK;

	if (host->count > 0)
		code = send_fetch(c, host, u, err);
	else
		let_go(host);
	if (disk->count > 0)
		loaded = load_fetch(c, disk, u, code ? NULL : err);
	else
		let_go(disk);
	return code ? code : loaded;
}

/*
 * Ask for spans; nothing is left to ask for: TS_OK. With the lock held, which is given up while the disk is read: what was
 * found before need not be there any more.
 */
static enum ts_code
fetch_spans(struct ts_block_cache *c, const struct ts_byte_range *span, size_t count, struct use *u,
	struct ts_err *err)
{
	struct fetch *host, *disk;
	size_t most = 0;

	for (size_t i = 0; i < count && most < c->blocks / 2; i++)
		most += span[i].n / TS_BLOCK + 2;
	most = most < c->blocks / 2 ? most : c->blocks / 2;
	host = make_fetch(c, most);
	disk = make_fetch(c, most);
	if (!host || !disk) {
		let_go(host);
		let_go(disk);
		return ts_err_nomem(err);
	}
	disk->disk = true;
	for (size_t i = 0; i < count; i++)
		if (span[i].offset >= 0 && span[i].offset < c->size && span[i].n > 0)
			collect(c, host, disk, most, span[i].offset,
				span[i].offset +
					ts_min_i64((int64_t)span[i].n, c->size - span[i].offset));
	return begin_both(c, host, disk, u, err);
}

/* What a call took, told to everybody. With the lock held. */
static void
count_use(struct ts_block_cache *c, const struct use *u, struct ts_source_meter *meter)
{
	ts_source_counts_add(&c->n, &u->n);
	ts_source_meter_add(meter, &u->n);
}

/* --- reading ahead ---------------------------------------------------------------------------- */

/* Whoever reads at [from, to): the stream that it goes on with, or a new one. */
static struct stream *
stream_of(struct ts_block_cache *c, int64_t from)
{
	struct stream *oldest = &c->stream[0];

	for (int i = 0; i < STREAMS; i++) {
		struct stream *s = &c->stream[i];

		if (s->used && from >= s->next && from <= s->next + TS_EXTENT_MIN)
			return s;
		if (s->used < oldest->used)
			oldest = s;
	}
	*oldest = (struct stream){0};
	return oldest;
}

/*
 * The next extent, when no more than the last one is left, so that one is on its way while another is read; the first one, when
 * what is read had to be asked for.
 */
static void
read_ahead(struct ts_block_cache *c, int64_t from, int64_t to, bool was_there, struct use *u)
{
	struct stream *s = stream_of(c, from);
	struct use behind = {.scan = true};
	struct ts_byte_range ahead;
	bool goes_on = s->used != 0;

	s->used = ++c->clock;
	s->next = to;
	s->ahead = ts_max_i64(s->ahead, to);
	if (!goes_on || (was_there && s->extent == 0) || s->ahead >= c->size ||
		s->ahead - to > s->extent)
		return;
	s->extent = ts_clamp_i64(s->extent * 2, TS_EXTENT_MIN,
		ts_min_i64(TS_EXTENT_MAX, (int64_t)(c->blocks / 4) * TS_BLOCK));
	ahead = (struct ts_byte_range){s->ahead, (size_t)s->extent};
	s->ahead += s->extent;
	(void)fetch_spans(c, &ahead, 1, &behind, NULL); /* who needs it asks again */
	ts_source_counts_add(&u->n, &behind.n);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Of this unit less came than there should be. */
static bool
came_short(const struct ts_block_cache *c, const struct fetch *f, int64_t unit)
{
	int64_t at = unit * TS_BLOCK, end = ts_min_i64(at + TS_BLOCK, c->size);

	/* what the disk did not have comes of the host, by another fetch */
	for (const struct ts_host_range *r = f->range; f->count > 0 && !f->disk; r++)
		if (at >= r->offset && at < r->offset + (int64_t)r->n)
			return r->offset + (int64_t)r->got < end;
	return false;
}

/* Wait for news, or for a moment. Gives the lock up meanwhile. */
static enum ts_code
wait_a_moment(struct ts_block_cache *c, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct timespec until;
	bool cancelled, left;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += LOOK_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	(void)pthread_cond_timedwait(&c->news, &c->lock, &until);
	pthread_mutex_unlock(&c->lock); /* it may rest there */
	cancelled = ts_cancelled(cancel);
	left = ts_host_has_ended(ts_host_file_host(c->file)); /* nobody answers any more */
	pthread_mutex_lock(&c->lock);
	if (left && !cancelled)
		return ts_err_set(err, TS_E_CONNECT, "the connection was left");
	return cancelled ? ts_err_set(err, TS_E_CANCELLED, "cancelled") : TS_OK;
}

/* Wait until a fetch has ended, or the token is set. */
static enum ts_code
wait_for(bool *is_short, struct ts_block_cache *c, int64_t unit, struct fetch *f, struct use *u,
	struct ts_err *err)
{
	enum ts_code code = TS_OK;

	f->holders++;
	u->n.trips += !f->disk;
	while (!f->done && !code)
		code = wait_a_moment(c, u->cancel, err);
	if (!code && f->code) {
		code = f->code;
		if (err)
			*err = f->err;
	}
	*is_short = !code && came_short(c, f, unit);
	let_go(f);
	return code;
}

/* The block of a unit, here; NOBODY in *i: less of it came than there should be, for the file has become shorter. */
static enum ts_code
have(struct ts_block_cache *c, int *i, int64_t unit, struct use *u, struct ts_err *err)
{
	const struct ts_byte_range one = {unit * TS_BLOCK, TS_BLOCK};
	bool is_short = false;

	for (;;) {
		enum ts_code code;

		*i = is_short ? NOBODY : find(c, unit);
		if (is_short || (*i != NOBODY && !c->block[*i].fetch))
			return TS_OK;
		if (*i != NOBODY) {
			code = wait_for(&is_short, c, unit, c->block[*i].fetch, u, err);
		} else {
			code = fetch_spans(c, &one, 1, u, err);
			if (!code && find(c, unit) == NOBODY) /* all blocks are on their way */
				code = wait_a_moment(c, u->cancel, err);
		}
		if (code)
			return code;
	}
}

static enum ts_code
read_blocks(struct ts_block_cache *c, unsigned char *to, int64_t from, int64_t end, size_t *got,
	struct use *u, struct ts_err *err)
{
	while (from < end) {
		int64_t unit = from / TS_BLOCK;
		size_t in = (size_t)(from % TS_BLOCK), n = TS_BLOCK - in;
		enum ts_code code;
		int i;

		if ((int64_t)n > end - from)
			n = (size_t)(end - from);
		code = have(c, &i, unit, u, err);
		if (code || i == NOBODY)
			return code;
		memcpy(to, c->bytes + (size_t)i * TS_BLOCK + in, n);
		touch(c, i);
		to += n;
		from += (int64_t)n;
		*got += n;
	}
	return TS_OK;
}

/* How many blocks of it are not here. */
static int64_t
missing(struct ts_block_cache *c, int64_t from, int64_t end, struct use *u)
{
	int64_t n = 0, all = 0;

	for (int64_t unit = from / TS_BLOCK; unit * TS_BLOCK < end; unit++, all++) {
		int i = find(c, unit);

		n += i == NOBODY || c->block[i].fetch;
	}
	u->n.misses += n;
	u->n.hits += all - n;
	return n;
}

enum ts_code
ts_block_cache_read(struct ts_block_cache *c, void *buf, size_t n, int64_t offset, size_t *got,
	struct ts_source_meter *meter, const struct ts_cancel *cancel, struct ts_err *err)
{
	const int64_t most = ts_min_i64(TS_EXTENT_MAX, (int64_t)(c->blocks / 4) * TS_BLOCK);
	struct use u = {.urgent = !cancel || !cancel->rest, .cancel = cancel};
	enum ts_code code = TS_OK;
	int64_t from = offset, end;

	*got = 0;
	if (offset < 0)
		return ts_err_set(err, TS_E_FORMAT, "read at a negative offset");
	end = offset >= c->size ? offset : offset + ts_min_i64((int64_t)n, c->size - offset);
	u.scan = end - offset > SCAN_MIN * TS_BLOCK;
	pthread_mutex_lock(&c->lock);
	while (!code && from < end) {
		int64_t to = ts_min_i64(end, from + most);
		const struct ts_byte_range piece = {from, (size_t)(to - from)};
		size_t came = 0;

		int64_t asked = u.n.requests;

		if (missing(c, from, to, &u) > 0)
			code = fetch_spans(c, &piece, 1, &u, err);
		read_ahead(c, from, to, u.n.requests == asked, &u);
		if (!code)
			code = read_blocks(c, (unsigned char *)buf + *got, from, to, &came, &u,
				err);
		*got += came;
		from += (int64_t)came;
		if (from < to)
			break;
	}
	count_use(c, &u, meter);
	pthread_mutex_unlock(&c->lock);
	return code;
}

void
ts_block_cache_want(struct ts_block_cache *c, const struct ts_byte_range *span, size_t n,
	bool urgent, struct ts_source_meter *meter)
{
	struct use u = {.urgent = urgent};

	pthread_mutex_lock(&c->lock);
	(void)fetch_spans(c, span, n, &u, NULL); /* who needs it asks again */
	count_use(c, &u, meter);
	pthread_mutex_unlock(&c->lock);
}

size_t
ts_block_cache_here(struct ts_block_cache *c, int64_t offset, size_t n)
{
	int64_t at = offset,
		end = offset >= c->size ? offset
					: offset + ts_min_i64((int64_t)n, c->size - offset);

	pthread_mutex_lock(&c->lock);
	while (at < end) {
		int i = find(c, at / TS_BLOCK);

		if (i == NOBODY ? !is_kept(c, at / TS_BLOCK) : c->block[i].fetch != NULL)
			break;
		at = (at / TS_BLOCK + 1) * TS_BLOCK;
	}
	pthread_mutex_unlock(&c->lock);
	return (size_t)(ts_min_i64(at, end) - offset);
}

void
ts_block_cache_counts(struct ts_block_cache *c, struct ts_source_counts *n)
{
	pthread_mutex_lock(&c->lock);
	*n = c->n;
	pthread_mutex_unlock(&c->lock);
}

void
ts_block_cache_stats(struct ts_block_cache *c, struct ts_block_cache_stats *s)
{
	pthread_mutex_lock(&c->lock);
	*s = c->stats;
	pthread_mutex_unlock(&c->lock);
}

/* --- its beginning and end -------------------------------------------------------------------- */

static bool
init_lock(struct ts_block_cache *c)
{
	pthread_condattr_t a;
	bool ok;

	if (pthread_mutex_init(&c->lock, NULL))
		return false;
	ok = pthread_condattr_init(&a) == 0;
	if (ok) {
		(void)pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
		ok = pthread_cond_init(&c->news, &a) == 0;
		pthread_condattr_destroy(&a);
	}
	if (!ok)
		pthread_mutex_destroy(&c->lock);
	return ok;
}

/* Whole blocks from `unit` on. */
static void
keep_blocks(struct ts_block_cache *c, int64_t unit, const unsigned char *bytes, size_t n)
{
	for (size_t at = 0; at < n; at += TS_BLOCK, unit++) {
		size_t part = (size_t)ts_min_i64(TS_BLOCK, c->size - unit * TS_BLOCK);
		int i;

		if (unit * TS_BLOCK >= c->size || part > n - at)
			return;
		i = take_block(c, unit);
		memcpy(c->bytes + (size_t)i * TS_BLOCK, bytes + at, part);
		enlist(c, i, ONCE);
		if (unit > 0) /* the first one comes with each opening */
			ts_block_store_put(c->store, unit, bytes + at, part, false);
	}
}

/* The first page came when the file was opened, and what is behind it with it. */
static void
keep_first(struct ts_block_cache *c)
{
	size_t n;
	const void *first = ts_host_file_first(c->file, &n);
	void *ahead;

	_Static_assert((int)TS_HOST_FIRST_PAGE == (int)TS_BLOCK, "the first page is a block");
	_Static_assert(TS_HOST_AHEAD / TS_BLOCK < TS_BLOCKS_MIN, "there is room for all of it");
	keep_blocks(c, 0, first, n);
	ahead = ts_host_file_take_ahead(c->file, &n);
	if (ahead)
		keep_blocks(c, 1, ahead, n);
	free(ahead);
}

enum ts_code
ts_block_cache_new(struct ts_block_cache **out, struct ts_host_file *file, size_t blocks,
	struct ts_block_store *store, struct ts_err *err)
{
	struct ts_block_cache *c = ts_alloc(1, sizeof(*c));

	*out = NULL;
	if (!c || !init_lock(c)) {
		ts_block_store_close(store);
		free(c);
		return ts_err_nomem(err);
	}
	c->store = store;
	c->file = file;
	c->size = ts_host_file_size(file);
	c->blocks = blocks < TS_BLOCKS_MIN ? TS_BLOCKS_MIN : blocks;
	for (c->buckets = 1; c->buckets < 2 * c->blocks;)
		c->buckets *= 2;
	c->block = ts_alloc(c->blocks, sizeof(*c->block));
	c->bucket = ts_alloc(c->buckets, sizeof(*c->bucket));
	c->bytes = malloc(c->blocks * TS_BLOCK); /* pages of it are there when they are written */
	if (!c->block || !c->bucket || !c->bytes) {
		free_cache(c);
		return ts_err_nomem(err);
	}
	for (size_t i = 0; i < c->buckets; i++)
		c->bucket[i] = NOBODY;
	for (int i = 0; i < LISTS; i++)
		c->list[i] = (struct list){NOBODY, NOBODY, 0};
	c->spare = NOBODY;
	keep_first(c);
	*out = c;
	return TS_OK;
}

void
ts_block_cache_free(struct ts_block_cache *c)
{
	bool gone;

	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->left = true;
	gone = c->out == 0;
	pthread_mutex_unlock(&c->lock);
	if (gone)
		free_cache(c);
}
