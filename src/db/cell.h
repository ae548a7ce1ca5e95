/* SPDX-License-Identifier: MIT */
/*
 * cell - numbers and cells as SQLite's file format has them, for pages.c and table.c.
 *
 * https://www.sqlite.org/fileformat2.html, "B-tree Pages". All of it may look up to TS_PAGE_SLACK bytes
 * behind the page; what it finds there is refused by the bounds that are checked afterwards.
 */
#ifndef TS_DB_CELL_H
#define TS_DB_CELL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	TS_PAGE_LEAF = 0x0d,
	TS_PAGE_INTERIOR = 0x05,
	TS_LEAF_HEADER = 8,
	TS_INTERIOR_HEADER = 12,
	TS_SIZE_BYTES = 5, /* of a payload's size, at most; SQLite takes more and cuts the value */
};

static inline unsigned
ts_be16(const unsigned char *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static inline uint32_t
ts_be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint64_t
ts_be64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

/* A number of 1 to 9 bytes; what follows it. */
static inline const unsigned char *
ts_varint(const unsigned char *p, uint64_t *v)
{
	uint64_t x = *p++;

	if (x >= 0x80) {
		x &= 0x7f;
		for (int i = 1; i < 8; i++) {
			x = x << 7 | (*p & 0x7f);
			if (*p++ < 0x80) {
				*v = x;
				return p;
			}
		}
		x = x << 8 | *p++;
	}
	*v = x;
	return p;
}

/* The cell of a leaf: a row. */
struct ts_cell {
	const unsigned char *payload;
	uint64_t size; /* of the payload, here and in overflow pages */
	int64_t rowid;
	unsigned bytes; /* of its two numbers */
};

static inline void
ts_cell_read(struct ts_cell *c, const unsigned char *p)
{
	uint64_t rowid;
	const unsigned char *q = ts_varint(p, &c->size);

	q = ts_varint(q, &rowid);
	c->rowid = (int64_t)rowid;
	c->payload = q;
	c->bytes = (unsigned)(q - p);
}

/* Where cell i of a page stands. */
static inline unsigned
ts_cell_at(const unsigned char *page, unsigned header, unsigned i)
{
	return ts_be16(page + header + (size_t)2 * i);
}

/* Of an interior page: the largest row id below child i, and that child (i = cells: the last one, which has no key). */
static inline int64_t
ts_key_at(const unsigned char *page, unsigned i)
{
	uint64_t key;

	ts_varint(page + ts_cell_at(page, TS_INTERIOR_HEADER, i) + 4, &key);
	return (int64_t)key;
}

static inline uint32_t
ts_child_at(const unsigned char *page, unsigned cells, unsigned i)
{
	return ts_be32(i < cells ? page + ts_cell_at(page, TS_INTERIOR_HEADER, i) : page + 8);
}

#endif
