/* SPDX-License-Identifier: MIT */
/*
 * sources - what a report is composed of: the databases that it reads its relations from.
 *
 * The first is what was opened. Behind it comes what the archive knows and vars.json as rows, each a database of
 * tables that are named like the relations. Each relation is bound to the first source that has it.
 * What the sources were made of is part of what the report is (`composition`). One that cannot be read is worth
 * a note, no more: the profile is what was asked for.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "tilescope/base/mem.h"
#include "tilescope/profile/relations.h"
#include "tilescope/profile/tables.h"
#include "tilescope/report/archive.h"
#include "tilescope/report/vars_rows.h"

#include "report_internal.h"

enum { TABLES_OF_A_PROFILE = 20 }; /* older files of ours have fewer tables of these names */

/* Is it the layout of profile/tables.h? */
static bool
is_profile(const struct ts_report *r, int i)
{
	int known = 0;

	for (int k = 0; k < r->schema[i]->count; k++)
		known += ts_profile_table_find(r->schema[i]->object[k].name) != NULL;
	return i == 0 && r->kind == TS_KIND_SDK && known >= TABLES_OF_A_PROFILE;
}

enum ts_code
ts_report_bind(struct ts_report *r, int i, struct ts_db *db, struct ts_err *err)
{
	bool profile = is_profile(r, i), known = i > 0 || ts_report_is_known(r);
	enum ts_code code = TS_OK;

	for (int k = 0; !known && k < TS_RELATION_COUNT; k++)
		snprintf(r->binding[k].reason, TS_REASON_MAX,
			"this file is no report: it has no known table");
	for (int k = 0; !code && known && k < TS_RELATION_COUNT; k++) {
		struct ts_binding b = {.bound = false};
		const struct ts_profile_relation *made = profile
			? ts_profile_relation_find(ts_relation_def((enum ts_relation)k)->name)
			: NULL;

		if (r->binding[k].bound)
			continue;
		if (made)
			code = ts_binding_of_profile(&b, &r->made[k], (enum ts_relation)k, made,
				r->schema[i], db, err);
		else
			code = ts_binding_make(&b, (enum ts_relation)k, i == 0 ? r->map : NULL,
				r->schema[i], db, err);
		b.source = i;
		if (b.bound || i == 0)
			r->binding[k] = b;
	}
	return code;
}

/* What was tried as a source and could not be read is none. */
static void
drop_source(struct ts_report *r, int i)
{
	for (int k = 0; k < TS_RELATION_COUNT; k++)
		if (r->binding[k].bound && r->binding[k].source == i)
			r->binding[k] = (struct ts_binding){.relation = (enum ts_relation)k,
				.reason = "the part that has it cannot be read"};
	ts_schema_free(r->schema[i]);
	ts_source_close(r->source[i]);
	r->schema[i] = NULL;
	r->source[i] = NULL;
	r->sources--;
}

/* Take tables with the names of relations, made of `part`, as the next source: `source` is given up. */
static enum ts_code
add_source(struct ts_report *r, enum ts_part part, struct ts_source *source,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	int i = r->sources++;
	struct ts_db *db = NULL;
	enum ts_code code;

	r->source[i] = source;
	r->part_of[i] = part;
	code = ts_db_open(&db, source, err);
	if (!code)
		ts_db_set_cancel(db, cancel);
	if (!code)
		code = ts_schema_read(&r->schema[i], db, err);
	if (!code)
		code = ts_report_bind(r, i, db, err);
	ts_db_close(db);
	if (code)
		drop_source(r, i);
	return code;
}

enum ts_code
ts_report_add_archive(struct ts_report *r, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_part_info *part = &r->part[TS_PART_ARCHIVE];
	struct ts_source *rows;
	enum ts_code code = ts_archive_read(&r->archive, r->files, part->path, NULL, cancel, err);

	if (code)
		return code;
	part->state = r->archive->state;
	ts_notes_copy(&r->notes, &r->archive->notes);
	if (r->archive->tiles == 0)
		return TS_OK;
	code = ts_archive_rows(&rows, r->archive, err);
	return code ? code : add_source(r, TS_PART_ARCHIVE, rows, cancel, err);
}

/* How it went with a part that the report can do without. */
static enum ts_code
lesser_part(struct ts_report *r, struct ts_part_info *part, enum ts_code code,
	const struct ts_err *why, struct ts_err *err)
{
	if (ts_ends_all(code)) {
		if (err)
			*err = *why;
		return code;
	}
	if (code) {
		part->state = code == TS_E_DAMAGED ? TS_PART_DAMAGED : TS_PART_UNREADABLE;
		ts_notes_add(&r->notes, "%s: %s", part->path, why->msg);
		r->notes.partial = true;
	}
	return TS_OK;
}

enum ts_code
ts_report_stand_in(struct ts_report *r, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_part_info *part = &r->part[TS_PART_ARCHIVE];
	struct ts_err why = {0};
	enum ts_code code;

	if (part->state != TS_PART_OK || ts_report_has(r, TS_TILE_MEMORY) || !ts_report_is_known(r))
		return TS_OK;
	code = ts_report_add_archive(r, cancel, &why);
	return lesser_part(r, part, code, &why, err);
}

static enum ts_code
make_vars(struct ts_report *r, const struct ts_report_options *options, struct ts_err *err)
{
	struct ts_part_info *part = &r->part[TS_PART_VARS];
	struct ts_notes notes = {0};
	struct ts_source *json, *rows;
	enum ts_code code = ts_files_open(r->files, &json, part->path, options->cancel, err);

	if (code)
		return code;
	r->composition = XXH3_64bits((const int64_t[]){json->size, json->mtime, json->mtime_ns},
		3 * sizeof(int64_t));
	code = ts_vars_rows_make(&rows, &notes, json, part->path, options->progress,
		options->cancel, err);
	ts_source_close(json);
	ts_notes_copy(&r->notes, &notes);
	r->notes.partial |= notes.partial;
	if (notes.partial)
		part->state = TS_PART_DAMAGED;
	ts_notes_fini(&notes);
	return code ? code : add_source(r, TS_PART_VARS, rows, options->cancel, err);
}

enum ts_code
ts_report_add_vars(struct ts_report *r, const struct ts_report_options *options, struct ts_err *err)
{
	struct ts_part_info *part = &r->part[TS_PART_VARS];
	struct ts_err why = {0};

	if (part->state != TS_PART_OK || ts_report_has(r, TS_LOWERED_VARIABLE) ||
		!ts_report_is_known(r))
		return TS_OK;
	r->vars_wait = !options->convert;
	return r->vars_wait ? TS_OK : lesser_part(r, part, make_vars(r, options, &why), &why, err);
}
