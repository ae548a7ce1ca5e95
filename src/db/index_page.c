/* SPDX-License-Identifier: MIT */
/* index_page - see the header. */
#include "config.h"

#include "index_page.h"

#include "cell.h"

enum {
	INDEX_INTERIOR = 0x02,
	INDEX_LEAF = 0x0a,
	CHILD_BYTES = 4,
	TYPE_INT64 = 6,
	TYPE_REAL = 7,
	TYPE_ZERO = 8,
	TYPE_ONE = 9,
	TYPE_BLOB = 12,
};

bool
index_page_open(struct index_page *p, const struct ts_geometry *g, const unsigned char *bytes)
{
	unsigned header, end;

	*p = (struct index_page){g, bytes, ts_be16(bytes + 3), bytes[0] == INDEX_LEAF};
	if (bytes[0] != INDEX_LEAF && bytes[0] != INDEX_INTERIOR)
		return false;
	header = p->leaf ? TS_LEAF_HEADER : TS_INTERIOR_HEADER;
	end = header + 2 * p->cells;
	if (p->cells > g->max_cells || end > g->usable)
		return false;
	for (unsigned i = 0; i < p->cells; i++) {
		unsigned at = ts_cell_at(bytes, header, i);

		if (at < end || at + CHILD_BYTES > g->usable)
			return false;
	}
	return true;
}

uint32_t
index_page_child(const struct index_page *p, unsigned i)
{
	return ts_child_at(p->bytes, p->cells, i);
}

/* Bytes of a value of a type. */
static uint64_t
size_of(uint64_t type)
{
	static const unsigned char sizes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};

	return type < TYPE_BLOB ? sizes[type] : (type - TYPE_BLOB) / 2;
}

static bool
is_integer(uint64_t type)
{
	return (type >= 1 && type <= TYPE_INT64) || type == TYPE_ZERO || type == TYPE_ONE;
}

static int64_t
integer_at(const unsigned char *p, uint64_t type)
{
	uint64_t n = size_of(type), v = n > 0 && p[0] & 0x80 ? UINT64_MAX : 0;

	if (type == TYPE_ZERO || type == TYPE_ONE)
		return type == TYPE_ONE;
	for (uint64_t i = 0; i < n; i++)
		v = v << 8 | p[i];
	return (int64_t)v;
}

void
index_page_entry(struct index_entry *e, const struct index_page *p, unsigned i)
{
	const unsigned char *end = p->bytes + p->g->usable, *type, *types_end, *record, *value;
	uint64_t size, header, t = 0, before = 0;
	bool first = true;

	*e = (struct index_entry){.is = INDEX_UNKNOWN};
	record = p->bytes + ts_cell_at(p->bytes, p->leaf ? TS_LEAF_HEADER : TS_INTERIOR_HEADER, i);
	record = ts_varint(record + (p->leaf ? 0 : CHILD_BYTES), &size);
	if (record >= end)
		return;
	type = ts_varint(record, &header);
	if (header > size || header > (uint64_t)(end - record))
		return;
	types_end = value = record + header;
	while (type < types_end) {
		type = ts_varint(type, &t);
		value += before;
		before = size_of(t);
		if (before > (uint64_t)(end - value))
			return;
		if (first && is_integer(t)) {
			e->is = INDEX_NUMBER;
			e->key = integer_at(value, t);
		} else if (first) {
			e->is = t == 0		 ? INDEX_BEFORE
				: t >= TYPE_BLOB ? INDEX_BEHIND
						 : INDEX_UNKNOWN;
		}
		first = false;
	}
	/* a longer record ends in overflow pages */
	e->has_rowid = !first && is_integer(t) && size <= (p->g->usable - 12) * 64 / 255 - 23;
	if (e->has_rowid)
		e->rowid = integer_at(value, t);
}

void
index_page_children(unsigned *first, unsigned *last, const struct index_page *p, int64_t from,
	int64_t to)
{
	*first = 0;
	*last = p->cells;
	for (unsigned i = 0; i < p->cells; i++) {
		struct index_entry e;

		index_page_entry(&e, p, i);
		if (e.is == INDEX_BEFORE || (e.is == INDEX_NUMBER && e.key < from))
			*first = i + 1;
		if (e.is == INDEX_BEHIND || (e.is == INDEX_NUMBER && e.key > to)) {
			*last = i;
			return;
		}
	}
}
