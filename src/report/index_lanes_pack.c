/* SPDX-License-Identifier: MIT */
/*
 * index_lanes_pack - the rows of a leaf in few bytes.
 *
 * A row is a byte of class (low half), size of the distance from the end of the row before (two bits: 0,
 * 1, 2, 8 bytes) and size of the length (two bits: 1, 2, 4, 8 bytes), then these two, the lowest byte
 * first. The first row's distance is from the leaf's start. As a rule a row begins as the one before
 * ends and is shorter than 65,536 cycles: three bytes.
 */
#include "config.h"

#include <endian.h>
#include <string.h>

#include "tilescope/report/index_lanes.h"

static const unsigned char sizes[2][4] = {{0, 1, 2, 8}, {1, 2, 4, 8}};

static int
size_of(const unsigned char size[4], uint64_t v)
{
	for (int i = 0; i < 3; i++)
		if (v >> 8 * size[i] == 0)
			return i;
	return 3;
}

static unsigned char *
put(unsigned char *to, uint64_t v, int n)
{
	for (int i = 0; i < n; i++)
		*to++ = (unsigned char)(v >> 8 * i);
	return to;
}

size_t
ts_lane_pack(unsigned char *to, const struct ts_lane_row *row, int n, int64_t start)
{
	unsigned char *begin = to;
	uint64_t before = (uint64_t)start;

	for (int i = 0; i < n; i++) {
		uint64_t distance = (uint64_t)row[i].start - before;
		uint64_t length = (uint64_t)(row[i].end - row[i].start);
		int a = size_of(sizes[0], distance), b = size_of(sizes[1], length);

		*to++ = (unsigned char)((int)row[i].class_of | a << 4 | b << 6);
		to = put(to, distance, sizes[0][a]);
		to = put(to, length, sizes[1][b]);
		before = (uint64_t)row[i].end;
	}
	return (size_t)(to - begin);
}

/* Eight bytes, the first one lowest; those from `end` on are 0. */
static uint64_t
load(const unsigned char *from, const unsigned char *end)
{
	uint64_t v = 0;

	if (end - from >= 8) {
		memcpy(&v, from, sizeof(v));
		return le64toh(v);
	}
	for (int i = 0; from + i < end; i++)
		v |= (uint64_t)from[i] << 8 * i;
	return v;
}

/* How many rows there are up to one that starts at `until`; -1: they do not hold together. */
static int
unpack_rows(struct ts_lane_row *row, int n, const unsigned char *from, size_t bytes, int64_t start,
	int64_t until)
{
	static const uint64_t masks[9] = {0, 0xff, 0xffff, 0, 0xffffffff, 0, 0, 0, UINT64_MAX};
	const unsigned char *end = from + bytes;
	uint64_t before = (uint64_t)start;

	for (int i = 0; i < n; i++) {
		int a, b, k;

		if (from == end)
			return -1;
		k = *from & 0xf;
		a = sizes[0][*from >> 4 & 3];
		b = sizes[1][*from >> 6];
		from++;
		if (k >= TS_CLASS_COUNT || end - from < a + b)
			return -1;
		row[i].class_of = (enum ts_step_class)k;
		if (a > 0)
			before += load(from, end) & masks[a];
		row[i].start = (int64_t)before;
		before += load(from + a, end) & masks[b];
		row[i].end = (int64_t)before;
		from += a + b;
		if (row[i].start < 0 || row[i].end <= row[i].start)
			return -1;
		if (row[i].start >= until)
			return i > 0 ? i : 1;
	}
	return n;
}

/* A leaf of one row says all about it. */
static int
unpack_one(struct ts_lane_row *row, const struct ts_lane_leaf *leaf)
{
	int k = 0;

	while (k < TS_CLASS_COUNT - 1 && leaf->length[k] == 0)
		k++;
	*row = (struct ts_lane_row){leaf->start, ts_leaf_end(leaf), (enum ts_step_class)k};
	return row->end > row->start ? 1 : -1;
}

int
ts_lane_unpack(struct ts_lane_row row[TS_LANE_LEAF], const struct ts_lanes *l,
	const struct ts_lane_node *n, const struct ts_lane_leaf *leaf, int64_t until)
{
	const unsigned char *bytes;

	if (leaf->flags & TS_LEAF_WIDE) {
		row[0] = (struct ts_lane_row){leaf->start, ts_leaf_end(leaf),
			(enum ts_step_class)leaf->length[2]};
		return leaf->length[2] < TS_CLASS_COUNT && row[0].end > row[0].start ? 1 : -1;
	}
	if (!(leaf->flags & TS_LEAF_PACKED))
		return leaf->rows == 1 ? unpack_one(row, leaf) : 0;
	if (leaf->rows > TS_LANE_LEAF || leaf->at > n->bytes)
		return -1;
	bytes = (const unsigned char *)l->payload + n->at + n->leaves * sizeof(*leaf);
	return unpack_rows(row, leaf->rows, bytes + leaf->at, n->bytes - leaf->at, leaf->start,
		until);
}
