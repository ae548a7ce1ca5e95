/* SPDX-License-Identifier: MIT */
/*
 * index_labels - the section with the group of each variable before lowering, by the rules of groups.h.
 */
#ifndef TS_REPORT_INDEX_LABELS_H
#define TS_REPORT_INDEX_LABELS_H

#include "tilescope/report/groups.h"
#include "tilescope/report/index.h"
#include "tilescope/report/report.h"

/* By number of a variable, from 0. */
struct ts_kept_labels {
	size_t count;
	const unsigned char *group; /* + 1; 0: no row has this number */
	struct ts_index *index;	    /* held: what lends them */
};

/*
 * What was kept for these rules, in the reader's snapshot or (`cache` not NULL) made since then. False: nothing, or it was
 * made by other rules. Fini in every case.
 */
bool ts_labels_kept(struct ts_kept_labels *out, struct ts_reader *rd, const struct ts_cache *cache,
	const struct ts_groups *g);
void ts_kept_labels_fini(struct ts_kept_labels *l);

/* Keep them; as ts_section_commit(). */
enum ts_code ts_labels_keep(struct ts_reader *rd, const struct ts_cache *cache,
	const struct ts_groups *g, const unsigned char *group, size_t count,
	struct ts_err *err) TS_WARN_UNUSED;

/* -1: no row has this number. */
static inline int
ts_kept_label(const struct ts_kept_labels *l, int64_t variable)
{
	return variable >= 0 && (uint64_t)variable < l->count ? l->group[variable] - 1 : -1;
}

#endif
