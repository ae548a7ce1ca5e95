/* SPDX-License-Identifier: MIT */
/* source_host - a file on another host, through a cache of its blocks. */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/io/block_cache.h"
#include "tilescope/io/source.h"

struct source_host {
	struct ts_source base;
	struct ts_host_file *file;
	struct ts_block_cache *cache;
};

static struct source_host *
self(struct ts_source *s)
{
	return (struct source_host *)(void *)s;
}

static enum ts_code
host_read_counted(struct ts_source *s, void *buf, size_t n, int64_t offset, size_t *got,
	struct ts_source_meter *meter, const struct ts_cancel *cancel, struct ts_err *err)
{
	return ts_block_cache_read(self(s)->cache, buf, n, offset, got, meter, cancel, err);
}

static enum ts_code
host_read_at(struct ts_source *s, void *buf, size_t n, int64_t offset, size_t *got,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	return host_read_counted(s, buf, n, offset, got, NULL, cancel, err);
}

static void
host_close(struct ts_source *s)
{
	ts_block_cache_free(self(s)->cache);
	ts_host_close(self(s)->file);
	free(s);
}

static void
host_want(struct ts_source *s, const struct ts_byte_range *span, size_t count, bool urgent,
	struct ts_source_meter *meter)
{
	ts_block_cache_want(self(s)->cache, span, count, urgent, meter);
}

static void
host_counts(struct ts_source *s, struct ts_source_counts *n)
{
	ts_block_cache_counts(self(s)->cache, n);
}

static size_t
host_here(struct ts_source *s, int64_t offset, size_t n)
{
	return ts_block_cache_here(self(s)->cache, offset, n);
}

static bool
host_has_failed(struct ts_source *s)
{
	return ts_host_file_has_failed(self(s)->file);
}

static const struct ts_source_ops host_ops = {.read_at = host_read_at,
	.close = host_close,
	.want = host_want,
	.read_counted = host_read_counted,
	.counts = host_counts,
	.here = host_here,
	.has_failed = host_has_failed};

/* A cache without a store keeps nothing. */
static struct ts_block_store *
store_of(struct ts_host_file *file, const char *keep, const char *name, const char *path)
{
	struct ts_block_store_of of = {.host = name,
		.path = path,
		.size = ts_host_file_size(file),
		.mtime = ts_host_file_mtime(file)};

	of.first = ts_host_file_first(file, &of.first_n);
	return keep ? ts_block_store_open(keep, &of) : NULL;
}

enum ts_code
ts_source_open_host(struct ts_source **s, struct ts_host *host, const char *path, bool regular,
	const char *keep, const char *name, const struct ts_cancel *cancel, struct ts_err *err)
{
	/* what describes the tables stands at the beginning, as a rule */
	const struct ts_host_opening as = {.regular = regular,
		.ahead = keep && ts_block_store_is_there(keep, name, path) ? 0 : TS_HOST_AHEAD};
	struct source_host *h = ts_alloc(1, sizeof(*h));
	enum ts_code code;

	*s = NULL;
	if (!h)
		return ts_err_nomem(err);
	code = ts_host_open_as(host, &h->file, path, &as, true, cancel, err);
	if (!code)
		code = ts_block_cache_new(&h->cache, h->file, TS_BLOCKS_USUAL,
			store_of(h->file, keep, name, path), err);
	if (code) {
		ts_host_close(h->file);
		free(h);
		return code;
	}
	h->base.ops = &host_ops;
	h->base.size = ts_host_file_size(h->file);
	h->base.mtime = ts_host_file_mtime(h->file);
	*s = &h->base;
	return TS_OK;
}
