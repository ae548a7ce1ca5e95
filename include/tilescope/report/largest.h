/* SPDX-License-Identifier: MIT */
/*
 * largest - the largest vertex state, vertex code, exchange code and variable: of the model, of each IPU, of the
 * fullest tile.
 *
 * Code and state are sums over the tiles of the scope: one pass over each relation, whatever the number of IPUs. Of equals the
 * lower number. A variable of the model is one of `variable`,
 * over all tiles; those of an IPU and of a tile are lowered variables, each on one tile. Code and state that stand among
 * them under the name of their category are not meant.
 */
#ifndef TS_REPORT_LARGEST_H
#define TS_REPORT_LARGEST_H

#include "tilescope/report/insights.h"

enum ts_large_kind {
	TS_LARGE_VERTEX_STATE,
	TS_LARGE_VERTEX_CODE,
	TS_LARGE_EXCHANGE_CODE,
	TS_LARGE_VARIABLE,
	TS_LARGE_KINDS
};

enum {
	TS_LARGE_IPUS = 4096, /* the first of them */
	TS_LARGE_MODEL = 0,
	TS_LARGE_TILE = 1,
	TS_LARGE_IPU = 2, /* + IPU */
};

struct ts_large_one {
	int64_t bytes; /* TS_UNKNOWN: not recorded, or nothing */
	int64_t id; /* vertex type, program, variable (model); tile of a lowered variable; or TS_UNKNOWN */
	char *name; /* raw, or NULL */
};

struct ts_largest {
	int64_t tile;				    /* the fullest; TS_UNKNOWN */
	int ipus;				    /* that are in it */
	bool more;				    /* there are more */
	struct ts_large_one (*one)[TS_LARGE_KINDS]; /* TS_LARGE_IPU + ipus of them */
	bool partial;				    /* damage */
};

/*
 * `facts` as read before. What passes over all lowered variables have found is kept (section `largest`, below `cache`,
 * which may be NULL). Errors: TS_E_CANCELLED, TS_E_NOMEM; what is not recorded is unknown. progress may be NULL. Free
 * with ts_largest_fini() in every case.
 */
enum ts_code ts_largest_read(struct ts_largest *l, struct ts_reader *rd,
	const struct ts_insight_facts *facts, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;
void ts_largest_fini(struct ts_largest *l);

/* "vertex state", ... */
const char *ts_large_kind_name(enum ts_large_kind kind);

#endif
