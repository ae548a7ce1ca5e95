/* SPDX-License-Identifier: MIT */
/*
 * breakdown - the bytes of each tile divided by something else than the category.
 *
 *	region    where in the memory they lie: columns of tile_memory, else tile_category by its region
 *	liveness  always live, and not always live at the tile's own peak: columns of tile_memory, else worked out
 *	          of lowered variables and their intervals (tile_live.h)
 *	layer     of the model: what a regular expression finds in the names of lowered variables
 *	family    code of vertices, by the family of templates that they are of (tile_vertex)
 *	names     some variables, by their names
 *
 * The answer has the shape of the categories' (struct ts_categories). Parts of a tile may come to less than the
 * tile uses, where not everything is in a part, and to more, where variables overlap.
 *
 * Layers and names are a pass over all lowered variables, which may stop and go on (name_pass.h): what is known so
 * far can be looked at in between. Bounded: TS_CATEGORIES_MAX parts, of layers the rest is one part.
 */
#ifndef TS_REPORT_BREAKDOWN_H
#define TS_REPORT_BREAKDOWN_H

#include "tilescope/base/option.h"
#include "tilescope/report/index.h"
#include "tilescope/report/memory.h"

enum ts_breakdown_by {
	TS_BREAKDOWN_REGION,
	TS_BREAKDOWN_LIVENESS,
	TS_BREAKDOWN_LAYER,
	TS_BREAKDOWN_FAMILY,
	TS_BREAKDOWN_NAMES,
	TS_BREAKDOWN_COUNT
};

/* Parts with names of their own. */
#define TS_NO_LAYER "no layer"
#define TS_FURTHER_LAYERS "further layers"
#define TS_ALWAYS_LIVE "always live"
#define TS_NOT_ALWAYS_LIVE "not always live, at its peak"

enum { TS_BREAKDOWN_NAMES_MAX = 32, TS_BREAKDOWN_NAME = 160 };

struct ts_breakdown_query {
	enum ts_breakdown_by by;
	const char *
		pattern; /* layer: group 1, else all of what matches, is the layer; NULL = TS_LAYER_PATTERN */
	bool keep; /* layers by our own expression: as a section of the index, for the next time */
	/* names: each with its NUL; one of TS_BREAKDOWN_NAME - 1 bytes also stands for those that begin so */
	int count;
	char name[TS_BREAKDOWN_NAMES_MAX][TS_BREAKDOWN_NAME];
};

struct ts_breakdown;

/* Does the report have what it takes? TS_E_ABSENT says what is missing. */
enum ts_code ts_breakdown_can(const struct ts_report *r, enum ts_breakdown_by by,
	struct ts_err *err);

/*
 * Begin. `cache` (may be NULL) must outlive it. Errors: TS_E_ABSENT, TS_E_NOMEM, of the pattern TS_E_USAGE with
 * the offset.
 */
enum ts_code ts_breakdown_new(struct ts_breakdown **out, const struct ts_report *r,
	const struct ts_breakdown_query *q, const struct ts_cache *cache,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_breakdown_free(struct ts_breakdown *b); /* NULL allowed */

/*
 * Go on, by about `rows` rows of a pass (0: to the end): *end when there is no more. TS_E_DAMAGED with the
 * end: what could be read. Other errors end it: TS_E_LIMIT (a pattern that takes too long), TS_E_CANCELLED, ...
 */
enum ts_code ts_breakdown_read(struct ts_breakdown *b, bool *end, struct ts_reader *rd,
	int64_t rows, struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

/*
 * The parts so far, a copy; behind the end they are taken out of `b`, which is then empty. The caller's
 * ts_categories_fini() in every case. Errors: TS_E_NOMEM.
 */
enum ts_code ts_breakdown_look(struct ts_categories *out, struct ts_breakdown *b,
	struct ts_err *err) TS_WARN_UNUSED;

/* Are they so many that a copy while the pass goes on is more than should be spent? */
bool ts_breakdown_is_large(const struct ts_breakdown *b);

/* Rows read so far, and about how many there are (0 = not known). */
int64_t ts_breakdown_rows(const struct ts_breakdown *b, int64_t *of);

#endif
