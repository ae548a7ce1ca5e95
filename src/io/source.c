/* SPDX-License-Identifier: MIT */
/* source - what all sources share, and the one over memory. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/io/source.h"

enum ts_code
ts_source_read(struct ts_source *s, void *buf, size_t n, int64_t offset, size_t *got,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	*got = 0;
	if (offset < 0)
		return ts_err_set(err, TS_E_FORMAT, "read at a negative offset");
	if (ts_cancelled(cancel))
		return ts_err_set(err, TS_E_CANCELLED, "cancelled");
	return s->ops->read_at(s, buf, n, offset, got, cancel, err);
}

int
ts_source_fd(struct ts_source *s)
{
	return s->ops->fd ? s->ops->fd(s) : -1;
}

void
ts_source_want(struct ts_source *s, const struct ts_byte_range *span, size_t count, bool urgent)
{
	if (s->ops->want && count > 0)
		s->ops->want(s, span, count, urgent);
}

void
ts_source_close(struct ts_source *s)
{
	if (s)
		s->ops->close(s);
}

struct source_mem {
	struct ts_source base;
	const unsigned char *bytes;
};

static enum ts_code
mem_read_at(struct ts_source *s, void *buf, size_t n, int64_t offset, size_t *got,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	const struct source_mem *m = (const struct source_mem *)s;

	(void)cancel;
	(void)err;
	if (offset >= s->size)
		return TS_OK;
	if ((int64_t)n > s->size - offset)
		n = (size_t)(s->size - offset);
	memcpy(buf, m->bytes + offset, n);
	*got = n;
	return TS_OK;
}

static void
mem_close(struct ts_source *s)
{
	free(s);
}

static const struct ts_source_ops mem_ops = {mem_read_at, mem_close, NULL, NULL};

enum ts_code
ts_source_open_mem(struct ts_source **s, const void *bytes, size_t n, struct ts_err *err)
{
	struct source_mem *m = ts_alloc(1, sizeof(*m));

	*s = NULL;
	if (!m)
		return ts_err_nomem(err);
	m->base.ops = &mem_ops;
	m->base.size = (int64_t)n;
	m->bytes = bytes;
	*s = &m->base;
	return TS_OK;
}
