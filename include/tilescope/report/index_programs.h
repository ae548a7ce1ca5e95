/* SPDX-License-Identifier: MIT */
/*
 * index_programs - what programs cost, kept as a section of the index: the pass over all steps is made once.
 *
 * Only what is whole is kept: costs with what was executed, where there is a trace, and of relations without damage.
 */
#ifndef TS_REPORT_INDEX_PROGRAMS_H
#define TS_REPORT_INDEX_PROGRAMS_H

#include "tilescope/report/program_costs.h"

/*
 * The costs that were kept, in `c` (blank but for `types.cache`). False: there are none, or they do not agree with
 * themselves: `c` is blank then.
 */
bool ts_program_costs_kept(struct ts_program_costs *c, struct ts_reader *rd,
	const struct ts_cache *cache);

/* Keep them. Errors: those of ts_section_commit(). */
enum ts_code ts_program_costs_keep(struct ts_reader *rd, const struct ts_cache *cache,
	const struct ts_program_costs *c, struct ts_err *err) TS_WARN_UNUSED;

#endif
