/* SPDX-License-Identifier: MIT */
/*
 * index_operations - operations kept as a section of the index: which there are, what each comes to.
 *
 * Only what is whole is kept, and only beside the costs of programs (index_programs.h), which it refers to. Contexts may be
 * of debug.cbor, which changes by itself: the section says which file that was.
 */
#ifndef TS_REPORT_INDEX_OPERATIONS_H
#define TS_REPORT_INDEX_OPERATIONS_H

#include "tilescope/report/operations.h"

/* Those that were kept, in `o`, whose costs are there. False: there are none, or they do not agree with themselves. */
bool ts_operations_kept(struct ts_operations *o, struct ts_reader *rd,
	const struct ts_cache *cache);

/* Keep them. Errors: those of ts_section_commit(). */
enum ts_code ts_operations_keep(struct ts_reader *rd, const struct ts_cache *cache,
	const struct ts_operations *o, struct ts_err *err) TS_WARN_UNUSED;

/* Is a section's payload made of the debug.cbor that the report has now? */
enum ts_code ts_operations_section_current(bool *yes, const void *payload, size_t size,
	const struct ts_report *r, struct ts_err *err) TS_WARN_UNUSED;

#endif
