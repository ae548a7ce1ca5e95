/* SPDX-License-Identifier: MIT */
/*
 * binding - where one relation of the model is found in one file, as a value.
 *
 * SQL is only one of its consumers: the row cursor, the scanner, `tilescope schema` and the views'
 * "not in this report" panels all work from it. Bindings are made when a report is opened and not
 * changed afterwards.
 */
#ifndef TS_REPORT_BINDING_H
#define TS_REPORT_BINDING_H

#include "tilescope/base/strbuf.h"
#include "tilescope/report/map.h"
#include "tilescope/db/schema.h"

enum { TS_REASON_MAX = 200 };

/* How rows are reached by the relation's key column. */
enum ts_reach_kind {
	TS_REACH_NONE,	   /* only by reading forwards */
	TS_REACH_ROWID,	   /* the key column is the row id */
	TS_REACH_INDEX,	   /* an index begins with the key column */
	TS_REACH_MONOTONE, /* the key never falls along the row id (looked at, see binding.c) */
};

/* How the rows of an object are reached by one of its integer columns. */
struct ts_reach {
	const struct ts_object *rows; /* a table, or a view that has to be read forwards */
	int column;		      /* the key; -1 = none, or the row id itself */
	enum ts_reach_kind key;
	bool few;	/* of a dictionary: so few rows that all of them are looked at for one */
	bool has_rowid; /* rows can be reached by row id */
	bool gather;	/* they are read sorted by column `gather_by`, for rows of an */
	int gather_by;	/* equal value have an order, but do not stand together */
	int64_t first_rowid, last_rowid; /* inclusive; first > last = no rows */
	bool cut; /* a page at an end is damaged: there may be rows before the first or behind the last */
};

/* Row ids between the first and the last: as many rows or more. 0 when there are none, or no row ids. */
static inline int64_t
ts_reach_span(const struct ts_reach *r)
{
	uint64_t span = (uint64_t)r->last_rowid - (uint64_t)r->first_rowid;

	if (!r->has_rowid || r->first_rowid > r->last_rowid)
		return 0;
	return span < INT64_MAX ? (int64_t)span + 1 : INT64_MAX;
}

/* The same for how far work has got: at most 2^56, so that what several relations have can be added. */
static inline int64_t
ts_reach_work(const struct ts_reach *r)
{
	int64_t span = ts_reach_span(r), most = INT64_C(1) << 56;

	return span < most ? span : most;
}

struct ts_column_binding {
	enum ts_op op; /* TS_OP_NONE: not in this file, always NULL */
	int a, b;      /* columns of `rows`; for TS_OP_DICT a = reference; else -1 */
	int c, d;      /* TS_OP_NAME: b is what stands before, c what stands behind; TS_OP_PLACE */
	int bit;       /* TS_OP_BIT, _MOVED */
	const char *text;	    /* TS_OP_CONSTANT */
	const struct ts_object *by; /* TS_OP_MOVED: what programs move */
	struct ts_reach
		dict;  /* TS_OP_DICT, _NAME, _LOOKUP, _MOVED: the rows that are looked up ... */
	int dict_text; /* ... and the column that they give */
	bool guessed;  /* found by looking at values */
};

struct ts_profile_relation;

struct ts_binding {
	enum ts_relation relation;
	bool bound;
	bool empty; /* bound to a table of executed things without a row: for views and figures it is absent */
	int source;				/* index of the report's source */
	const struct ts_profile_relation *made; /* how it is made of a profile's tables; or NULL */
	const struct ts_object *object;		/* what the map names */
	struct ts_reach reach; /* reach.rows: `object`, or the base table of a view */
	struct ts_column_binding column[TS_RELATION_COLUMNS];
	/* Rows of the object that are none of the relation: where this column of it is NULL, or lacks the bit. */
	bool some;		    /* there are such */
	int only, only_bit;	    /* -1: any number will do */
	int group;		    /* rows with equal key that were seen (step_ipu), or 0 */
	int ipus;		    /* step_ipu: IPUs that were seen, or 0 */
	char reason[TS_REASON_MAX]; /* why not bound, or that it is empty */
};

/*
 * Bind `relation` by `map` (NULL: under its own name) to the objects of `schema`; *b says the outcome: a relation that is absent
 * is no error, a damaged page neither. Errors: TS_E_CANCELLED, TS_E_NOMEM, TS_E_SYS (what cannot be read
 * now may be read later: it must not be taken for absent).
 */
enum ts_code ts_binding_make(struct ts_binding *b, enum ts_relation relation,
	const struct ts_map *map, const struct ts_schema *schema, struct ts_db *db,
	struct ts_err *err) TS_WARN_UNUSED;

/* Is the file of the kind that the map describes? Errors: as ts_binding_make(). */
enum ts_code ts_map_recognises(bool *yes, const struct ts_map *map, const struct ts_schema *schema,
	struct ts_db *db, struct ts_err *err) TS_WARN_UNUSED;

/* Is anything of the relation read from this object? */
bool ts_binding_uses(const struct ts_binding *b, const struct ts_object *o);

/* Is the column there? */
bool ts_binding_has(const struct ts_binding *b, int column);

/* Can rows be read from anywhere on: is no value of these columns known by where it stands among others? */
bool ts_binding_is_plain(const struct ts_binding *b, const int *columns, int count);

/*
 * The row id of the first row whose key is at least `value`, for TS_REACH_MONOTONE (or one before it,
 * where many rows in a row have no key); last_rowid + 1 when there is none, or INT64_MAX.
 */
enum ts_code ts_reach_bisect(int64_t *rowid, const struct ts_reach *r, struct ts_db *db,
	int64_t value, struct ts_err *err) TS_WARN_UNUSED;

/*
 * The text in column `text` of the row whose key is `value`, appended to out; *found false when there
 * is none, or when it could not be found without reading the whole table.
 */
enum ts_code ts_reach_text(struct ts_strbuf *out, bool *found, const struct ts_reach *r,
	struct ts_db *db, int64_t value, int text, struct ts_err *err) TS_WARN_UNUSED;

/* Append where a column comes from, in the words of a schema map; nothing when it is not in the file. */
void ts_binding_describe(struct ts_strbuf *out, const struct ts_binding *b, int column);

/* Words for the screen and for `tilescope schema`. */
const char *ts_reach_name(enum ts_reach_kind key);

#endif
