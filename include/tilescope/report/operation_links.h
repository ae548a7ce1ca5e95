/* SPDX-License-Identifier: MIT */
/*
 * operation_links - who made what an operation uses, and who uses what it made: through the variables that programs name.
 *
 * No relation says whether a program reads or writes a variable. Who made one is taken from its debug context, which is that
 * of the operation that declared it; where it has none, from whose liveness steps come first, which is derived. Of several
 * operations of a layer that a program belongs to the first counts.
 */
#ifndef TS_REPORT_OPERATION_LINKS_H
#define TS_REPORT_OPERATION_LINKS_H

#include "tilescope/report/operations.h"

enum { TS_OPERATION_LINKS = 10000 };

enum ts_link_way {
	TS_LINK_FROM,	/* the other operation made what this one uses, */
	TS_LINK_TO,	/* or uses what this one made */
	TS_LINK_SHARED, /* nobody says which */
	TS_LINK_WAYS
};

enum ts_link_how {
	TS_LINK_BY_CONTEXT, /* the variable's debug context says who made it */
	TS_LINK_BY_STEP,    /* whose liveness steps come first: derived */
	TS_LINK_UNSAID,
	TS_LINK_HOWS
};

/* Variables that two operations of a layer have in common. */
struct ts_operation_link {
	uint32_t node;
	uint8_t way, how;
	int64_t variables; /* how many */
	int64_t bytes;	   /* of them, before lowering; TS_UNKNOWN */
	int64_t first; /* the variable (before lowering) with the most bytes; of equal ones the lowest number */
	int64_t most; /* its bytes; TS_UNKNOWN */
};

struct ts_operation_links {
	size_t count;
	struct ts_operation_link *link; /* from, to, shared; each with the most bytes first */
	bool cut;			/* there are more than TS_OPERATION_LINKS */
	bool partial;			/* damage: what could be read */
	int64_t variables; /* that programs of this operation name, or that it made and others name */
	char why[300];	   /* why there are none; "" */
};

/* "from", "to", "shared"; "context", "order of steps", "not recorded" */
const char *ts_link_way_word(enum ts_link_way way);
const char *ts_link_how_word(enum ts_link_how how);

/*
 * Which variables the programs name, and in which operations they were made: what all links are made of, of any layer. Read-only
 * once it is read: any thread may look at it. 40 bytes a variable that programs name, 8 for
 * each program that does, and what ts_uses keeps of both.
 */
struct ts_operation_uses;

/*
 * Relations: program_variable, lowered_variable, variable, contexts (report/lifetimes.h: what programs name; below `cache`, which may
 * be NULL, kept). `o` is held. Not recorded: no links, and why. Give back with ts_operation_uses_close(). Errors:
 * TS_E_NOMEM, TS_E_SYS, TS_E_STALE, TS_E_CANCELLED.
 */
enum ts_code ts_operation_uses_read(struct ts_operation_uses **out, struct ts_reader *rd,
	struct ts_operations *o, const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
struct ts_operation_uses *ts_operation_uses_hold(struct ts_operation_uses *v);
void ts_operation_uses_close(struct ts_operation_uses *v); /* NULL allowed */

/*
 * Of node i, in its layer: looks at the variables of what is at or below it, and at who else names them. Not recorded: no links, and
 * `why`. Free with ts_operation_links_fini() in every case. Errors: TS_E_NOMEM, TS_E_SYS, TS_E_CANCELLED.
 */
enum ts_code ts_operation_links_read(struct ts_operation_links *out,
	const struct ts_operation_uses *v, uint32_t i, const struct ts_cache *cache,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;
void ts_operation_links_fini(struct ts_operation_links *l);

/*
 * The same, a variable each (`first`), in the order of variables, put into *out, which is empty. Errors: as above; TS_E_ABSENT: not
 * recorded; TS_E_DAMAGED: what could be read is there.
 */
enum ts_code ts_operation_link_rows_read(struct ts_pile *out, const struct ts_operation_uses *v,
	uint32_t i, const struct ts_cache *cache, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/* From who made variables to who uses them, in one layer. */
struct ts_operation_flow {
	uint32_t from, to;
	uint8_t how;
	int64_t variables, bytes; /* TS_UNKNOWN */
};

/*
 * All of a layer, by from, to and how, put into *out, which is empty. Where nobody says who made a variable it comes from the
 * operation whose liveness steps come first of those that name it. Errors: as above; TS_E_ABSENT: not recorded; TS_E_DAMAGED:
 * what could be read is there.
 */
enum ts_code ts_operation_flows_read(struct ts_pile *out, const struct ts_operation_uses *v,
	uint32_t layer, const struct ts_cache *cache, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * The operation of a variable in a layer (-1: the innermost): before lowering, by its number, as its debug context says; lowered, by
 * its id, as operation_variable says, else its own context, else that of what it was lowered from. Of a lowered one rows are looked
 * through: for a worker. *node is TS_NO_OPERATION where nobody says. Errors: as above.
 */
enum ts_code ts_operation_of_variable(uint32_t *node, struct ts_reader *rd,
	const struct ts_operations *o, int64_t variable, bool lowered, int layer,
	const struct ts_cache *cache, struct ts_err *err) TS_WARN_UNUSED;

#endif
