/* SPDX-License-Identifier: MIT */
/* stacks_sums - see stacks_internal.h. */
#include "config.h"

#include "stacks_internal.h"

#include "tilescope/base/mem.h"

enum { SEVEN = 7, MORE = 0x80, LAST_SHIFT = 63 };

/* --- rows that run ---------------------------------------------------------------------------------- */

static bool
is_in(const struct ts_stacks_frame *frame, uint32_t leaf, uint32_t k)
{
	while (frame[leaf].depth > frame[k].depth)
		leaf = frame[leaf].parent;
	return leaf == k;
}

void
stacks_cover(struct ts_stack_sum *sum, uint64_t ipus, const struct ts_stacks_frame *frame,
	const struct stacks_lane *l, uint32_t ipu, uint32_t leaf, int64_t from, int64_t to,
	bool off)
{
	uint64_t below = 0;

	for (uint32_t k = leaf;; k = frame[k].parent) {
		int64_t reach = from;
		uint64_t more;

		for (int i = 0; i < l->opens; i++)
			if (l->open[i].end > reach && is_in(frame, l->open[i].leaf, k))
				reach = l->open[i].end;
		more = to > reach ? (uint64_t)(to - reach) : 0;
		sum[k * ipus + ipu].extra += off ? below - more : more - below;
		below = more;
		if (k == TS_FRAME_RUN || l->opens == 0)
			break;
	}
}

void
stacks_close(struct stacks_lane *l, int64_t at)
{
	int n = 0;

	for (int i = 0; i < l->opens; i++)
		if (l->open[i].end > at)
			l->open[n++] = l->open[i];
	l->opens = n;
}

bool
stacks_push(struct stacks_lane *l, const struct ts_stacks_open *row)
{
	if (l->opens == TS_STACKS_OPEN)
		return false;
	l->open[l->opens++] = *row;
	return true;
}

/* --- packed sums ------------------------------------------------------------------------------------ */

static size_t
put(unsigned char *to, uint64_t v)
{
	size_t n = 0;

	for (; v >= MORE; v >>= SEVEN)
		to[n++] = (unsigned char)(v | MORE);
	to[n++] = (unsigned char)v;
	return n;
}

static bool
get(uint64_t *v, const unsigned char **at, const unsigned char *end)
{
	*v = 0;
	for (int shift = 0; shift <= LAST_SHIFT && *at < end; shift += SEVEN) {
		unsigned char byte = *(*at)++;

		*v |= (uint64_t)(byte & (MORE - 1)) << shift;
		if (byte < MORE)
			return true;
	}
	return false;
}

size_t
stacks_pack(unsigned char to[STACKS_PACKED], int64_t *last, uint32_t cell,
	const struct ts_stack_sum *sum)
{
	uint64_t other = sum->extra - sum->cycles;
	size_t n = put(to, (uint64_t)((int64_t)cell - *last));

	*last = cell;
	n += put(to + n, sum->steps);
	n += put(to + n, sum->cycles);
	return n + put(to + n, other << 1 ^ (0 - (other >> LAST_SHIFT)));
}

bool
stacks_unpack(struct ts_stack_sum *sum, int64_t *last, uint64_t cells, const unsigned char **at,
	const unsigned char *end)
{
	uint64_t by, other;

	if (!get(&by, at, end) || !get(&sum->steps, at, end) || !get(&sum->cycles, at, end) ||
		!get(&other, at, end) || by == 0 || by > cells ||
		*last + (int64_t)by >= (int64_t)cells)
		return false;
	*last += (int64_t)by;
	sum->extra = sum->cycles + (other >> 1 ^ (0 - (other & 1)));
	return true;
}
