/* SPDX-License-Identifier: MIT */
/* lives_internal - how lives are made: shared by lives.c (of variables) and lives_source.c (on some tiles). */
#ifndef TS_REPORT_LIVES_INTERNAL_H
#define TS_REPORT_LIVES_INTERNAL_H

#include "tilescope/report/index.h"
#include "tilescope/report/lives.h"

/* What is made while lives are read. */
struct lives_work {
	struct ts_lives *l;
	struct ts_reader *rd;
	const struct ts_cache *cache;
	struct ts_pile variable, life; /* struct ts_live_variable and struct ts_life, by number */
	size_t variables, lives;
	size_t hint;	       /* index of the variable that was found last */
	bool by_class;	       /* bytes are told by class of equivalence */
	int64_t id;	       /* then: the variable whose rows are read, ... */
	struct ts_pile change; /* ... and how its bytes change */
	int64_t steps;	       /* that are recorded: lives end there; TS_UNKNOWN */
};

static inline struct ts_live_variable *
lives_variable(const struct lives_work *w, size_t i)
{
	return (struct ts_live_variable *)w->variable.memory + i;
}

static inline struct ts_life *
lives_life(const struct lives_work *w, size_t i)
{
	return (struct ts_life *)w->life.memory + i;
}

/* A step that does not fit into a life counts as the last one that does. */
static inline uint32_t
lives_cut_step(int64_t step)
{
	return step > UINT32_MAX ? UINT32_MAX : (uint32_t)step;
}

/* Lives in a section: where its arrays stand in the payload. */
struct lives_head {
	uint64_t count, variables, totals, life_at, variable_at, total_at;
	int64_t bad_rows, reversed, orphans, always, beyond, left_out;
};

struct lives_head lives_head_of(const struct ts_lives *l);

/* Borrow them from a payload of the index, which is held: *out NULL when they do not lie in it. TS_E_NOMEM. */
enum ts_code lives_map(struct ts_lives **out, struct ts_index *x, const void *payload, size_t size,
	const struct lives_head *h, struct ts_err *err) TS_WARN_UNUSED;

/* Rows that a relation may have, for progress; 0 = not known. */
int64_t lives_rows_of(const struct ts_reader *rd, enum ts_relation relation);

/* Begin: w->l is made. */
enum ts_code lives_begin(struct lives_work *w, struct ts_reader *rd, const struct ts_cache *cache,
	struct ts_err *err) TS_WARN_UNUSED;

/* All rows were read: put variables and lives in order, sum up. */
enum ts_code lives_order(struct lives_work *w, struct ts_err *err) TS_WARN_UNUSED;

/* Give out what was made, also with TS_E_DAMAGED; otherwise free it. Returns `code`. */
enum ts_code lives_finish(struct ts_lives **out, struct lives_work *w, enum ts_code code);

#endif
