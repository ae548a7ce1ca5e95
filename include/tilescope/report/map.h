/* SPDX-License-Identifier: MIT */
/*
 * map - a schema map: where a kind of file keeps the relations of the model.
 *
 * A data file in the project's line grammar (src/schemas/poplar3.schema explains it). Errors in it
 * are told one by one, and the rest is used.
 */
#ifndef TS_REPORT_MAP_H
#define TS_REPORT_MAP_H

#include "tilescope/base/err.h"
#include "tilescope/report/relation.h"

enum { TS_MAP_CANDIDATES = 16, TS_MAP_OBJECTS = 8 };

enum ts_op {
	TS_OP_NONE,
	TS_OP_COLUMN,	  /* a */
	TS_OP_SUM,	  /* a + b */
	TS_OP_DIFFERENCE, /* a - b */
	TS_OP_CONSTANT,	  /* the text a */
	TS_OP_DICT, /* the text of another object's row: a = object, b = key, c = text, d = reference */
	TS_OP_BY_VALUES, /* a column found by its values within equal a; never in a binding */
	TS_OP_ORDER_IN,	 /* row order within equal a */
	TS_OP_POSITION,	 /* row order */
	TS_OP_BIT,	 /* bit `bit` of a */
	TS_OP_LOOKUP,	 /* a number of another object's row, whose row id is a */
	TS_OP_PLACE,	 /* a + b; where c is 0: a + d, or a itself without d */
	TS_OP_MOVED,	 /* bytes that the program of step a moves to IPU b; `bit` 1: from it */
	TS_OP_NAME, /* a lowered variable's name: as TS_OP_DICT, with what stands before and behind it */
};

struct ts_candidate {
	enum ts_op op;
	char *a, *b, *c, *d;
};

struct ts_map_relation {
	bool listed;
	int object_count;
	char *object[TS_MAP_OBJECTS];
	int candidate_count[TS_RELATION_COLUMNS];
	struct ts_candidate *candidate[TS_RELATION_COLUMNS]; /* TS_MAP_CANDIDATES each, or NULL */
};

struct ts_map {
	char *name, *title, *file;
	int recognise_count;
	char *recognise[TS_MAP_CANDIDATES];
	char *identity_object, *identity_key; /* relations under their own names; or NULL */
	struct ts_map_relation relation[TS_RELATION_COUNT];
};

/* Told of every line that is wrong: "file:line: reason". */
typedef void ts_map_problem_fn(void *ctx, const char *file, int line, const char *reason);

/* Parse `text` (changed in place). *map is NULL when it has no `map` line. Errors: TS_E_NOMEM. */
enum ts_code ts_map_parse(struct ts_map **map, const char *file, char *text,
	ts_map_problem_fn *problem, void *ctx, struct ts_err *err) TS_WARN_UNUSED;
void ts_map_free(struct ts_map *m);

#endif
