/* SPDX-License-Identifier: MIT */
/*
 * variable_filter - which variables a line means: the fields of filter.h that variables have.
 *
 *	size>1M and category=stack        tile:12 alive:1200-1300        tiles>=1000 and balance<50%
 *	name~layer_(1|2)/ and not always  tile in worst(5)               steps<10 "layer 3"
 */
#ifndef TS_REPORT_VARIABLE_FILTER_H
#define TS_REPORT_VARIABLE_FILTER_H

#include "tilescope/calc/tile_set.h"
#include "tilescope/base/filter.h"
#include "tilescope/report/variables.h"

enum ts_variable_field {
	TS_VARIABLE_FIELD_NAME,
	TS_VARIABLE_FIELD_BYTES,
	TS_VARIABLE_FIELD_TILE,
	TS_VARIABLE_FIELD_IPU,
	TS_VARIABLE_FIELD_CATEGORY,
	TS_VARIABLE_FIELD_TYPE,
	TS_VARIABLE_FIELD_OFFSET,
	TS_VARIABLE_FIELD_ALIGNMENT,
	TS_VARIABLE_FIELD_ALWAYS,
	TS_VARIABLE_FIELD_FROM,	    /* the first liveness step */
	TS_VARIABLE_FIELD_TO,	    /* the last */
	TS_VARIABLE_FIELD_STEPS,    /* how many */
	TS_VARIABLE_FIELD_ALIVE,    /* at one of these steps */
	TS_VARIABLE_FIELD_TILES,    /* of the unlowered variable: on how many it is, */
	TS_VARIABLE_FIELD_PIECES,   /* in how many lowered ones, */
	TS_VARIABLE_FIELD_FULLEST,  /* bytes on the tile that has most of it, */
	TS_VARIABLE_FIELD_BALANCE,  /* mean / most over its tiles */
	TS_VARIABLE_FIELD_ID,	    /* of the row's own */
	TS_VARIABLE_FIELD_VARIABLE, /* of the unlowered variable */
	TS_VARIABLE_FIELD_CLASS,
	TS_VARIABLE_FIELD_CONTEXT,
	TS_VARIABLE_FIELD_COUNT
};

extern const struct ts_filter_field ts_variable_fields[TS_VARIABLE_FIELD_COUNT + 1];

/* A column of lowered_variable that a field's value is, or is worked out of; -1: it has none of its own. */
int ts_variable_field_column(enum ts_variable_field field);

/* What else it needs: lifetimes, or the spread. */
bool ts_variable_field_needs_life(enum ts_variable_field field);
bool ts_variable_field_needs_spread(enum ts_variable_field field);
bool ts_variable_filter_needs_life(const struct ts_filter *f);
bool ts_variable_filter_needs_spread(const struct ts_filter *f);

/* Its number in a row; false: not known, or it is a text. */
bool ts_variable_field_number(const struct ts_variable *x, enum ts_variable_field field,
	int64_t *v);

/* Is the field recorded? */
bool ts_variable_field_can(const struct ts_variables *v, enum ts_variable_field field);

/* Can it be answered? TS_E_ABSENT: a field is not recorded (which, in the message). */
enum ts_code ts_variable_filter_check(const struct ts_filter *f, const struct ts_variables *v,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * What it may have been meant otherwise: a category of which no name is recorded. Into out[]; false: nothing.
 */
bool ts_variable_filter_doubt(char *out, size_t size, const struct ts_filter *f,
	const struct ts_variables *v);

/*
 * A filter that is about to be asked of rows, by one thread: expressions of tiles are worked out (`selected` may
 * be NULL; see ts_tiles_named()), facts are read where it needs them. Errors: those of these, and of
 * ts_filter_use_init(). Free with ts_variable_asking_fini() in every case.
 */
struct ts_variable_asking {
	struct ts_filter_use use;
	const struct ts_variables *v;
	struct ts_tile_set tiles[TS_FILTER_TEXTS];
};

enum ts_code ts_variable_asking_init(struct ts_variable_asking *a, const struct ts_filter *f,
	const struct ts_variables *v, const struct ts_tile_set *selected, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;
void ts_variable_asking_fini(struct ts_variable_asking *a);

/* Is a tile in the set of a node? */
enum ts_truth ts_variable_asking_in(const struct ts_variable_asking *a,
	const struct ts_filter_node *n, int64_t tile);

/* Is a variable alive at one of the steps that a node names? */
enum ts_truth ts_variable_asking_alive(const struct ts_variable_asking *a,
	const struct ts_filter_node *n, const struct ts_variable *x);

/* Does a row of a window match? */
bool ts_variable_filter_row(const struct ts_variable_asking *a, const struct ts_variable_window *w,
	const struct ts_variable *x);

#endif
