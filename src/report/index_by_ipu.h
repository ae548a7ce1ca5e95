/* SPDX-License-Identifier: MIT */
/* index_by_ipu - sections with something for each IPU: a head, arrays, and lines that say where those of each IPU stand. */
#ifndef TS_REPORT_INDEX_BY_IPU_H
#define TS_REPORT_INDEX_BY_IPU_H

#include "tilescope/base/mem.h"
#include "tilescope/report/index.h"

enum {
	BY_IPU_LEFT_TO_THE_ROWS =
		1, /* flag: it would be large, or an IPU has a number that we do not expect */
	BY_IPU_MOST = 64,  /* IPUs, numbers from 0 */
	BY_IPU_SHARE = 32, /* of the report, at most; at least */
	BY_IPU_SHARE_LEAST = 64 << 10,
};

struct by_ipu_head {
	uint64_t flags, ipus, ipu_at;
};

/* Bytes that such a section may have. */
static inline size_t
by_ipu_bytes(const struct ts_report *r)
{
	return (size_t)ts_max_i64(r->identity.bytes / BY_IPU_SHARE, BY_IPU_SHARE_LEAST);
}

/* Its lines, `each` bytes long; NULL: the section is not there, or left to the rows. */
static inline const void *
by_ipu_lines(size_t *count, const void **payload, size_t *size, const struct ts_index *x,
	enum ts_section section, size_t each)
{
	const struct by_ipu_head *h;

	*payload = ts_index_section(x, section, size);
	h = *payload ? ts_section_at(*payload, *size, 0, 1, sizeof(*h)) : NULL;
	if (!h || h->flags & BY_IPU_LEFT_TO_THE_ROWS || h->ipus > BY_IPU_MOST)
		return NULL;
	*count = (size_t)h->ipus;
	return ts_section_at(*payload, *size, h->ipu_at, h->ipus, each);
}

#endif
