/* SPDX-License-Identifier: MIT */
/*
 * lives - which variables are alive at which liveness steps.
 *
 * The lives of all variables that are not always live (an interval or two each) are read once; who is
 * alive at one step is worked out of them, and names are looked up for the largest only.
 */
#ifndef TS_REPORT_LIVES_H
#define TS_REPORT_LIVES_H

#include <stdatomic.h>

#include "tilescope/base/progress.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/report/groups.h"
#include "tilescope/report/index_names.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/pile.h"

enum {
	TS_LIVES_MAX = 16 << 20,   /* variables; lives */
	TS_LIVES_TOTALS = 1 << 20, /* steps whose totals are kept */
};

struct ts_live_variable {
	int64_t variable; /* its number; below 0: row id -1 - variable of lowered_variable */
	int64_t bytes;
};

struct ts_life {
	uint32_t variable;   /* index into `variable` */
	uint32_t start, end; /* liveness steps, half-open; what does not fit is cut to 2^32 - 1 */
};

/* What is alive at a step. */
struct ts_live_total {
	int64_t bytes; /* at most TS_NUMBER_MAX */
	int64_t count;
};

/* TS_UNKNOWN: they come to more than a number of the model. */
int64_t ts_live_total_bytes(const struct ts_live_total *t);

/*
 * Read-only once it is read: any thread may look at it. What is large lies in a mapped file: of the
 * index, or one without a name (ts_spill_new()).
 */
struct ts_lives {
	atomic_int uses; /* ts_lives_hold(), ts_lives_close() */
	bool lowered; /* numbers of variables are row ids of lowered_variable, not of `variable` */
	size_t count;
	const struct ts_life *life; /* by variable, then start; those of a variable do not overlap
				       or touch */
	size_t variables;
	const struct ts_live_variable *variable; /* most bytes first, equals by number; always-live
						    ones have -1 bytes */
	size_t totals; /* of steps 0, 1, ...; the last holds for all behind it; 0 = not known */
	const struct ts_live_total *total;
	int64_t bad_rows; /* left out: a number is missing, negative or too large */
	int64_t reversed; /* left out: intervals that end before they start, or are empty */
	int64_t orphans; /* left out: intervals of variables that are not there; variables without a life */
	int64_t always;	  /* left out: intervals of always-live variables, which count elsewhere */
	int64_t beyond;	  /* intervals that were cut at the last recorded step, or lie behind it */
	int64_t left_out; /* rows beyond TS_LIVES_MAX */
	struct ts_pile pile[3]; /* life, variable, total; or they belong to */
	struct ts_index *index; /* held */
};

/*
 * Read `variable` and `liveness_variable`, once each; with the index nothing is read. *out may be set on TS_E_DAMAGED too: then it holds
 * what was read before. Errors: TS_E_ABSENT when either is not there, and those of ts_rows_next().
 */
enum ts_code ts_lives_read(struct ts_lives **out, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

/* The same without the index, and with a place for what is large (NULL: the usual one). */
enum ts_code ts_lives_read_rows(struct ts_lives **out, struct ts_reader *rd,
	const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;

/* Hold it once more: returns l. Give it back; the last holder frees it; NULL allowed. Any thread. */
struct ts_lives *ts_lives_hold(struct ts_lives *l);
void ts_lives_close(struct ts_lives *l);

/* --- alive at a step -------------------------------------------------------------------------- */

enum {
	TS_ALIVE_MAX = 1000, /* rows that are listed */
	TS_ALIVE_NAME = 1 << 13,
	TS_ALIVE_TEXT = 1 << 30, /* bytes of all names: those behind it stay unknown */
	TS_ALIVE_MARKS = 6,
	TS_ALIVE_COLUMNS = 1 + TS_ALIVE_MARKS, /* the step, then the marks */
};

/* Which variables are listed. */
enum ts_alive_only {
	TS_ALIVE_EVERY,	  /* alive at the step or at a mark */
	TS_ALIVE_BORN,	  /* alive later (`to`), not at `against` */
	TS_ALIVE_DIED,	  /* alive at `against`, not later */
	TS_ALIVE_CHANGED, /* one of the two */
	TS_ALIVE_ONLY_COUNT
};

struct ts_live_labels;

struct ts_alive_query {
	int64_t step;
	int64_t program; /* that runs there; -1 = not known */
	int marks;
	int64_t mark[TS_ALIVE_MARKS];
	/*
	 * Born and died compare `against` with a later moment: the step (to = 0), or mark `to` - 1. TS_UNKNOWN:
	 * nothing is compared, and `only` has to be EVERY.
	 */
	int64_t against;
	int to;
	enum ts_alive_only only;
	const struct ts_live_labels
		*labels; /* groups of the variables of `lives`; NULL: not known */
	int group;	 /* only variables of this group; -1 = of any */
	int most;	 /* rows to list; 0 = TS_ALIVE_MAX, at most TS_LIVES_MAX */
};

struct ts_alive_row {
	int64_t variable; /* as struct ts_live_variable; with ts_alive.lowered a row id */
	int64_t bytes;
	int64_t start, end;  /* the interval that holds the step (else the first mark), half-open */
	int64_t total;	     /* steps of all its intervals */
	int64_t cumulative;  /* bytes of this and the rows above */
	unsigned alive;	     /* a bit for the step and for each mark, in this order */
	unsigned against;    /* bit 0: alive at `to`, bit 1: at `against` */
	uint32_t index;	     /* of ts_lives.variable */
	int group;	     /* -1 = not known */
	uint32_t at, length; /* its name in pile[1]; length 0 = not there */
	uint32_t name;	     /* the number of its name in `names`; 0 = not there */
	/* of a lowered one, as far as it was looked up with its name; else TS_UNKNOWN: */
	int64_t id, unlowered; /* lowered_variable.id, .variable */
};

/* Bytes and variables; of `against`: what is alive at one of both steps, not at the other. */
struct ts_alive_sums {
	struct ts_live_total born, died;
};

/* Read-only once it is read: any thread may look at it. */
struct ts_alive {
	atomic_int uses;	     /* ts_alive_hold(), ts_alive_close() */
	struct ts_alive_query asked; /* labels: NULL */
	int64_t step;
	bool listed;   /* lives were given: the figures below mean something */
	bool lowered;  /* as ts_lives.lowered */
	int64_t count; /* variables that are alive at the step */
	int64_t bytes; /* of all of them, at most TS_NUMBER_MAX */
	struct ts_live_total at[TS_ALIVE_COLUMNS]; /* alive at the step and at each mark */
	struct ts_alive_sums change; /* between `against` and the step; where there is one */
	int64_t found;		     /* variables that `only` and `group` leave */
	int rows; /* the largest of them, at most asked.most; of equals the lowest number first */
	struct ts_alive_row *row; /* in pile[0] */
	/*
	 * Of those that `only` and `group` leave: alive at the step and at each mark, in the rows, and beyond them. Of those
	 * beyond, `left_rows` is how many there are; TS_UNKNOWN bytes: so large that they cannot be told.
	 */
	struct ts_live_total shown[TS_ALIVE_COLUMNS], left[TS_ALIVE_COLUMNS];
	int64_t left_rows;
	struct ts_alive_sums chosen; /* of `change`, those that `only` and `group` leave */
	int born;     /* row of the largest one that `against` did not have; -1 = none */
	bool grouped; /* labels were given: */
	struct ts_live_total group[TS_GROUPS_MAX][TS_ALIVE_COLUMNS]; /* alive, by group */
	struct ts_pile pile
		[2]; /* rows; names, each with a NUL behind it, raw: files when they are large */
	/* with the index: names of variables before lowering are numbers, and not copied */
	struct ts_variable_names names;
	struct ts_index *index; /* held; NULL: it has none */
	bool ranked; /* each row has one: the order of these numbers is that of the names */
	struct ts_strbuf program; /* of the step: its type and name; "" = not known */
};

/*
 * Who is alive at a step and at the marks, and what the program is called that runs at the step. `lives`
 * NULL: only the program. `before` (may be NULL): an answer from the same lives, whose names are
 * taken over where it has them: from one step to the next few variables are new. Names that cannot be
 * read stay unknown: that is no error. Errors: TS_E_NOMEM, TS_E_CANCELLED, TS_E_SYS (no room for what is large).
 */
enum ts_code ts_alive_read(struct ts_alive **out, struct ts_reader *rd,
	const struct ts_lives *lives, const struct ts_alive_query *q, const struct ts_alive *before,
	struct ts_err *err) TS_WARN_UNUSED;

/* Rows of these variables alone, in this order, with their names; asked.step -1. Errors as above. */
enum ts_code ts_alive_pick(struct ts_alive **out, struct ts_reader *rd,
	const struct ts_lives *lives, const uint32_t *index, int n,
	struct ts_err *err) TS_WARN_UNUSED;

/* As ts_lives_hold() and ts_lives_close(). */
struct ts_alive *ts_alive_hold(struct ts_alive *a);
void ts_alive_close(struct ts_alive *a);

/* Name of a row (NUL-terminated), or "". */
const char *ts_alive_name(const struct ts_alive *a, int row);

/* --- what variables are for --------------------------------------------------------------------- */

/* The group of each variable of some lives, by rules. Read-only once it is read. */
struct ts_live_labels {
	atomic_int uses;	    /* ts_live_labels_hold(), ts_live_labels_close() */
	struct ts_groups *groups;   /* held */
	size_t count;		    /* as ts_lives.variables */
	const unsigned char *group; /* of each */
	struct ts_pile pile;
};

/*
 * One pass over the names of the variables of `lives`; with a cache (else NULL) groups are kept in the index, and taken from
 * there (index_labels.h). Errors: TS_E_ABSENT: names are not recorded; those of
 * ts_rows_next(). *out may be set on TS_E_DAMAGED too: what has no name is in TS_GROUP_OTHER.
 */
enum ts_code ts_live_labels_read(struct ts_live_labels **out, struct ts_reader *rd,
	const struct ts_lives *lives, struct ts_groups *groups, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;
struct ts_live_labels *ts_live_labels_hold(struct ts_live_labels *l);
void ts_live_labels_close(struct ts_live_labels *l); /* NULL allowed */

#endif
