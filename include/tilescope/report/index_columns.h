/* SPDX-License-Identifier: MIT */
/*
 * index_columns - the lowered variables column by column, and their distinct names, in the index.
 *
 * A row of the report takes a tenth of a microsecond to be read, with its name more; a value here takes a
 * nanosecond, and a name is looked at once for all rows that have it. Rows stand in the order in which they are read, so a
 * row's number is its place (variables.h), in blocks of at most TS_COLUMN_ROWS; names are numbers from 0 in
 * the order of their texts, a number for each text; one more, the last, stands for all names of which the text is not known.
 *
 * What a section says is checked as it is read: false means that it is not to be believed, and the rows answer.
 */
#ifndef TS_REPORT_INDEX_COLUMNS_H
#define TS_REPORT_INDEX_COLUMNS_H

#include "tilescope/base/signature.h"
#include "tilescope/report/pile.h"

/* Those behind TS_COLUMN_CATEGORY are left out when the section becomes too large. */
enum ts_column {
	TS_COLUMN_NAME, /* number of its name */
	TS_COLUMN_TILE,
	TS_COLUMN_BYTES,
	TS_COLUMN_CATEGORY, /* not where it stands there as a text */
	TS_COLUMN_ALWAYS,
	TS_COLUMN_ALIGNMENT,
	TS_COLUMN_COUNT
};

enum { TS_COLUMN_GATHER = 64 };
enum { TS_COLUMN_ROWS = 512, TS_COLUMN_NAMES = 16 /* of a group */ };

struct ts_column_block;

/* A view of the section, as long as the index is held. */
struct ts_columns {
	int64_t rows, blocks, names;
	int64_t texts; /* names below have one */
	int64_t first; /* row id of the first row; -1: they have none */
	bool gapless;  /* row ids follow each other */
	int64_t bytes,
		unsized; /* of all rows: sum (TS_UNKNOWN: does not fit); rows whose size is not known */
	const int64_t *start; /* of each block, and one more: the number of its first row */
	const struct ts_column_block *block[TS_COLUMN_COUNT]; /* NULL: not kept */
	const int64_t *before; /* of each name, and one more: rows with names before it */
	const uint64_t *group; /* of names: where each begins in `text`, and one more */
	const struct ts_signature *signature; /* of each group, of names with a text and without */
	const unsigned char *bits, *text;
	size_t bits_size, text_size;
};

/* Does the report say of lowered variables where they stand and how large they are? */
bool ts_columns_can(const struct ts_report *r);

/* False: there is none, or it was left empty. */
bool ts_columns_of(struct ts_columns *c, const struct ts_index *x);

/* The column of lowered_variable that a column is, and back; -1: none. */
int ts_column_relation(enum ts_column column);
int ts_column_find(int relation_column);

/* Rows of a block; 0: it is not to be believed. */
int ts_columns_rows(const struct ts_columns *c, int64_t block);

/* Its values, TS_UNKNOWN where it is not known. `v`: TS_COLUMN_ROWS. False: it is not to be believed. */
bool ts_columns_read(const struct ts_columns *c, enum ts_column column, int64_t block, int64_t *v);

/*
 * All values of a block that are known lie in [*least, *most]; *unknown: some may not be known. Without reading it.
 */
void ts_columns_bounds(const struct ts_columns *c, enum ts_column column, int64_t block,
	int64_t *least, int64_t *most, bool *unknown);

/*
 * Where all values of a block are known and below 64: a bit for each of its rows whose value has a bit in `wanted`. False: it is not
 * so, or not packed so that it can be said without reading them. Bits behind the last row are 0.
 */
bool ts_columns_few(const struct ts_columns *c, enum ts_column column, int64_t block,
	uint64_t wanted, uint64_t out[TS_COLUMN_ROWS / 64]);

/* The value of one row. False: it is not to be believed, or there is no such row. */
bool ts_columns_at(const struct ts_columns *c, enum ts_column column, int64_t place, int64_t *v);

/* The values of n rows anywhere, at most TS_COLUMN_GATHER. */
bool ts_columns_gather(const struct ts_columns *c, enum ts_column column, const int64_t *place,
	int n, int64_t *v);

/*
 * Rows of a block with one of the names that have a bit in `wanted` (c->names of them, and a bit more, which is 0): the numbers in the block of
 * the first `most` of them. How many; -1: it is not to be believed.
 */
int ts_columns_pick(const struct ts_columns *c, int64_t block, const uint64_t *wanted, int most,
	uint16_t out[TS_COLUMN_ROWS]);

/*
 * The names of group `group` (name / TS_COLUMN_NAMES). s NULL: a number that stands for no text. `same`: so many bytes at
 * the begin are those of the name that was given before.
 */
typedef void ts_columns_name_fn(void *ctx, int64_t name, const char *s, size_t n, size_t same);
bool ts_columns_names(const struct ts_columns *c, int64_t group, ts_columns_name_fn *each,
	void *ctx);

/*
 * What is to be known of each name, worked out when a row with it is met first: any number but 0.
 * `ask` is given s NULL for rows without a name; `same` as above.
 */
typedef uint32_t ts_name_ask_fn(void *ctx, const char *s, size_t n, size_t same);
/* False: what ask(ctx, "", 0, 0) says holds for each text of these. */
typedef bool ts_name_may_fn(void *ctx, const struct ts_signature *texts);

struct ts_name_answers {
	const struct ts_columns *columns;
	ts_name_ask_fn *ask;
	ts_name_may_fn *may; /* NULL: always */
	void *ctx;
	struct ts_pile
		answer;	 /* uint32_t by name; 0: not asked yet, or of a group that need not be */
	uint64_t *group; /* a bit for each: its names are to be asked; NULL: all are */
	int64_t groups;	 /* with a bit */
	uint32_t nameless, none;
};

/* Errors: TS_E_NOMEM, TS_E_SYS. Free with ts_name_answers_fini() in every case. */
enum ts_code ts_name_answers_init(struct ts_name_answers *a, const struct ts_columns *c,
	const struct ts_cache *cache, ts_name_ask_fn *ask, ts_name_may_fn *may, void *ctx,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_name_answers_fini(struct ts_name_answers *a);

/* Are the names of a group to be asked? All others have the answer a->none. */
static inline bool
ts_name_answers_asks(const struct ts_name_answers *a, int64_t group)
{
	return !a->group || a->group[group / 64] >> group % 64 & 1;
}

/* Ask about the group of a name. False: the section is not to be believed. */
bool ts_name_answers_ask(struct ts_name_answers *a, int64_t name);

/*
 * Ask about all names, by two threads where there are two processors: the second one asks with `other` in the place of
 * ctx, and nothing of what it leads to is shared but what nobody writes. Each calls late(late_ctx, who) now and then, who 0 or 1:
 * true: both stop. *stopped: one did. False: the section is not to be believed.
 */
bool ts_name_answers_all(struct ts_name_answers *a, void *other,
	bool (*late)(void *late_ctx, int who), void *late_ctx, bool *stopped);

/* The answer about a name (TS_UNKNOWN: none). False as above. */
static inline bool
ts_name_answers_one(struct ts_name_answers *a, int64_t name, uint32_t *out)
{
	const uint32_t *answer = a->answer.memory;

	*out = name < 0 ? a->nameless : a->none;
	if (name < 0)
		return true;
	if (name >= a->columns->names)
		return false;
	if (!ts_name_answers_asks(a, name / TS_COLUMN_NAMES))
		return true;
	if (!answer[name] && !ts_name_answers_ask(a, name))
		return false;
	*out = answer[name];
	return true;
}

/* The answers about rows with these names (TS_UNKNOWN: none). False as above. */
static inline bool
ts_name_answers_of(struct ts_name_answers *a, const int64_t *name, int rows, uint32_t *out)
{
	for (int k = 0; k < rows; k++)
		if (!ts_name_answers_one(a, name[k], &out[k]))
			return false;
	return true;
}

#endif
