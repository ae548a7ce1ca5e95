/* SPDX-License-Identifier: MIT */
/* source - what all sources share, and the one over memory. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/io/source.h"

/* --- what reading took ------------------------------------------------------------------------ */

enum { COUNTS = 6 };

static void
counts_of(int64_t *to[COUNTS], struct ts_source_counts *n)
{
	int64_t *const all[COUNTS] = {&n->trips, &n->requests, &n->bytes, &n->hits, &n->misses,
		&n->kept};

	memcpy(to, all, sizeof(all));
}

static void
meter_of(_Atomic int64_t *to[COUNTS], struct ts_source_meter *m)
{
	_Atomic int64_t *const all[COUNTS] = {&m->trips, &m->requests, &m->bytes, &m->hits,
		&m->misses, &m->kept};

	memcpy(to, all, sizeof(all));
}

void
ts_source_counts_add(struct ts_source_counts *to, const struct ts_source_counts *n)
{
	struct ts_source_counts more = *n;
	int64_t *a[COUNTS], *b[COUNTS];

	counts_of(a, to);
	counts_of(b, &more);
	for (int i = 0; i < COUNTS; i++)
		*a[i] += *b[i];
}

/* One thread adds: no need to lock the bus. */
void
ts_source_meter_add(struct ts_source_meter *m, const struct ts_source_counts *n)
{
	struct ts_source_counts more = *n;
	_Atomic int64_t *a[COUNTS];
	int64_t *b[COUNTS];

	if (!m)
		return;
	meter_of(a, m);
	counts_of(b, &more);
	for (int i = 0; i < COUNTS; i++)
		atomic_store_explicit(a[i],
			atomic_load_explicit(a[i], memory_order_relaxed) + *b[i],
			memory_order_relaxed);
}

void
ts_source_meter_read(struct ts_source_counts *n, const struct ts_source_meter *m)
{
	*n = (struct ts_source_counts){
		.trips = atomic_load_explicit(&m->trips, memory_order_relaxed),
		.requests = atomic_load_explicit(&m->requests, memory_order_relaxed),
		.bytes = atomic_load_explicit(&m->bytes, memory_order_relaxed),
		.hits = atomic_load_explicit(&m->hits, memory_order_relaxed),
		.misses = atomic_load_explicit(&m->misses, memory_order_relaxed),
		.kept = atomic_load_explicit(&m->kept, memory_order_relaxed),
	};
}

void
ts_source_counts(struct ts_source *s, struct ts_source_counts *n)
{
	*n = (struct ts_source_counts){0};
	if (s->ops->counts)
		s->ops->counts(s, n);
}

/* --- all sources ------------------------------------------------------------------------------ */

enum ts_code
ts_source_read_counted(struct ts_source *s, void *buf, size_t n, int64_t offset, size_t *got,
	struct ts_source_meter *meter, const struct ts_cancel *cancel, struct ts_err *err)
{
	*got = 0;
	if (offset < 0)
		return ts_err_set(err, TS_E_FORMAT, "read at a negative offset");
	if (ts_cancelled(cancel))
		return ts_err_set(err, TS_E_CANCELLED, "cancelled");
	return s->ops->read_counted
		? s->ops->read_counted(s, buf, n, offset, got, meter, cancel, err)
		: s->ops->read_at(s, buf, n, offset, got, cancel, err);
}

enum ts_code
ts_source_read(struct ts_source *s, void *buf, size_t n, int64_t offset, size_t *got,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	return ts_source_read_counted(s, buf, n, offset, got, NULL, cancel, err);
}

bool
ts_source_has_failed(struct ts_source *s)
{
	return s->ops->has_failed && s->ops->has_failed(s);
}

bool
ts_source_is_far(const struct ts_source *s)
{
	return s->ops->want != NULL;
}

int
ts_source_fd(struct ts_source *s)
{
	return s->ops->fd ? s->ops->fd(s) : -1;
}

size_t
ts_source_here(struct ts_source *s, int64_t offset, size_t n)
{
	return s->ops->here ? s->ops->here(s, offset, n) : n;
}

void
ts_source_want(struct ts_source *s, const struct ts_byte_range *span, size_t count, bool urgent,
	struct ts_source_meter *meter)
{
	if (s->ops->want && count > 0)
		s->ops->want(s, span, count, urgent, meter);
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

static const struct ts_source_ops mem_ops = {.read_at = mem_read_at, .close = mem_close};

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
