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
host_read_at(struct ts_source *s, void *buf, size_t n, int64_t offset, size_t *got,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	return ts_block_cache_read(self(s)->cache, buf, n, offset, got, cancel, err);
}

static void
host_close(struct ts_source *s)
{
	ts_block_cache_free(self(s)->cache);
	ts_host_close(self(s)->file);
	free(s);
}

static void
host_want(struct ts_source *s, const struct ts_byte_range *span, size_t count, bool urgent)
{
	ts_block_cache_want(self(s)->cache, span, count, urgent);
}

static const struct ts_source_ops host_ops = {host_read_at, host_close, NULL, host_want};

enum ts_code
ts_source_open_host(struct ts_source **s, struct ts_host *host, const char *path,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct source_host *h = ts_alloc(1, sizeof(*h));
	enum ts_code code;

	*s = NULL;
	if (!h)
		return ts_err_nomem(err);
	code = ts_host_open(host, &h->file, path, true, cancel, err);
	if (!code)
		code = ts_block_cache_new(&h->cache, h->file, TS_BLOCKS_USUAL, err);
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
