/* SPDX-License-Identifier: MIT */
/*
 * name_pass - the lowered variables, each put into a group by its name, in one reading of their rows.
 *
 * Who asks says by name what group a variable is in; a name that is a number of another table is asked about
 * once. What the groups of so many names are lies in a pile, so memory does not grow with the report.
 * The reading may stop and go on: what comes of the rows so far can be looked at in between.
 */
#ifndef TS_REPORT_NAME_PASS_H
#define TS_REPORT_NAME_PASS_H

#include "tilescope/base/progress.h"
#include "tilescope/base/signature.h"
#include "tilescope/report/index.h"
#include "tilescope/report/report.h"

enum { TS_NAME_GROUP_NONE = -1, TS_NAME_GROUPS = 1 << 14 };

struct ts_name_asker {
	/*
	 * The group of a name: 0 .. TS_NAME_GROUPS-1, or TS_NAME_GROUP_NONE. Not NUL-terminated. `same`: so many bytes at the
	 * begin are those of the name that was asked about before.
	 */
	int (*group)(void *ctx, const char *name, size_t n, size_t same);
	/* NULL, or: false: no name of these is in a group. */
	bool (*may)(void *ctx, const struct ts_signature *names);
	/* A row; `tile` and `bytes`: TS_UNKNOWN = no number. False: no memory. */
	bool (*row)(void *ctx, int64_t tile, int64_t bytes, int group);
	/*
	 * NULL, or: so many rows of a tile and group at once, with so many bytes in all, where these are known and no sum of
	 * so many can be too large. In any order among the rows of their tile.
	 */
	bool (*rows)(void *ctx, int64_t tile, int64_t bytes, int group, int64_t rows);
	bool named_alone; /* rows of TS_NAME_GROUP_NONE need not be given: most of the rows are then not looked at */
	/* And of the others one of each tile is enough, without its bytes (TS_UNKNOWN), where 0 is the only group. */
	bool tiles_alone;
	void *ctx;
	/*
	 * NULL, or what stands for ctx in a second thread, where it is quicker so: rows are given to either then. Only with
	 * tiles_alone, and nothing that both lead to may be written.
	 */
	void *other;
};

struct ts_name_pass;

/*
 * Begin. `cache` (may be NULL) must outlive it. Errors: TS_E_ABSENT: variables or their names are not
 * recorded; TS_E_NOMEM.
 */
enum ts_code ts_name_pass_new(struct ts_name_pass **out, const struct ts_report *r,
	const struct ts_cache *cache, struct ts_err *err) TS_WARN_UNUSED;
void ts_name_pass_free(struct ts_name_pass *p); /* NULL allowed */

/*
 * Read about `rows` rows more (0: all): *end when there are no more. Rows without row ids are read at
 * once. Damage: rows that can be read come all the same, and TS_E_DAMAGED comes with the end. Other errors
 * end the pass: TS_E_CANCELLED, TS_E_NOMEM, TS_E_SYS.
 */
enum ts_code ts_name_pass_read(struct ts_name_pass *p, bool *end, struct ts_reader *rd,
	const struct ts_name_asker *asker, int64_t rows, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;

/* Rows read so far, and how many there are about in all (0 = not known). */
int64_t ts_name_pass_rows(const struct ts_name_pass *p, int64_t *of);

#endif
