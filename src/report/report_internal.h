/* SPDX-License-Identifier: MIT */
/* report_internal - opening a report: what report.c has of parts.c and sources.c. */
#ifndef TS_REPORT_REPORT_INTERNAL_H
#define TS_REPORT_REPORT_INTERNAL_H

#include "tilescope/report/report.h"

/* DIR/NAME, the caller's; NULL without memory. */
char *ts_report_join(const char *dir, const char *name);

/* ts_find_reports() on a host: in no order. */
struct ts_found_list;
enum ts_code ts_find_far(struct ts_found_list *list, struct ts_files *files, const char *dir,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/* Which files lie beside the profile, and their states. Errors: TS_E_NOMEM. */
enum ts_code ts_report_probe_parts(struct ts_report *r, struct ts_err *err) TS_WARN_UNUSED;

/* Bind to source i, whose schema is there, what no source before it has. */
enum ts_code ts_report_bind(struct ts_report *r, int i, struct ts_db *db,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * Bind `relation` to the tables in `schema`: *o is what *b refers to where SQL makes it, the caller's. An absent
 * relation is no error. Errors: as ts_binding_make().
 */
struct ts_profile_relation;
enum ts_code ts_binding_of_profile(struct ts_binding *b, struct ts_object **o,
	enum ts_relation relation, const struct ts_profile_relation *made,
	const struct ts_schema *schema, struct ts_db *db, struct ts_err *err) TS_WARN_UNUSED;

/*
 * Of a report on another host: have here what binding its tables by `map` (or NULL) looks at. What cannot be read is left to
 * who looks at it. Errors: those of ts_plan_fetch().
 */
enum ts_code ts_report_ahead(const struct ts_schema *s, const struct ts_map *map, struct ts_db *db,
	struct ts_err *err) TS_WARN_UNUSED;

/* Read archive.a and take what it knows as a source. */
enum ts_code ts_report_add_archive(struct ts_report *r, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * The sources behind the first, in this order. Errors only where nothing can go on: TS_E_NOMEM,
 * TS_E_CANCELLED; what cannot be read is a note.
 */

/* Beside a profile without memory of tiles the archive stands in. */
enum ts_code ts_report_stand_in(struct ts_report *r, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/* vars.json has the lowered variables when nothing else has: read now (`convert`), or vars_wait says so. */
enum ts_code ts_report_add_vars(struct ts_report *r, const struct ts_report_options *options,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
