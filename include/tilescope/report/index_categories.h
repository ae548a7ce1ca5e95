/* SPDX-License-Identifier: MIT */
/*
 * index_categories - the section that holds what ts_categories_read() gives.
 *
 * A section is left empty ("left to the rows") where its figures could differ from a reading of all
 * rows, or where it would take more than its share of the cache: then the rows are read as if there were
 * no index, and not counted again at the next start.
 */
#ifndef TS_REPORT_INDEX_CATEGORIES_H
#define TS_REPORT_INDEX_CATEGORIES_H

#include "tilescope/report/categories.h"
#include "tilescope/report/index_build.h"

/* Fill in `c` (zeroed) from the index; false when it does not hold the figures. */
bool ts_categories_indexed(struct ts_categories *c, struct ts_index *x);

/* The same of any section that has this form (ts_categories_put()). */
bool ts_categories_of(struct ts_categories *c, struct ts_index *x, enum ts_section section);

/* Keep figures as such a section, where they are small enough and a cache is there. What goes wrong costs the next start time. */
void ts_categories_put(const struct ts_categories *c, const struct ts_cache *cache,
	const struct ts_report *r, enum ts_section section);

/* Write the figures of `s` (which is empty then) as a section. Errors: TS_E_NOMEM, TS_E_SYS. */
enum ts_code ts_categories_write(struct ts_section_writer *w, struct ts_category_sums *s,
	const struct ts_report *r, bool from_variables, struct ts_err *err) TS_WARN_UNUSED;

/* Bytes that a section of the memory and liveness figures may take: a share of the report's. */
size_t ts_section_share(const struct ts_report *r);

#endif
