/* SPDX-License-Identifier: MIT */
/*
 * filter - one language by which rows are chosen, over a table of fields that whoever has the rows gives.
 *
 *	partials "layer 3"              the name contains it, ASCII letters of either case
 *	size>1M and category=stack      comparisons: < <= = != >= >; units K KiB kB M MiB MB G GiB GB
 *	tile:1,40-45  bytes=1K-64K      one of these numbers or ranges (both ends belong to it)
 *	category:stack,message          contains one of these; with = it is one of these
 *	type:FP32                       an element type by any of its names is one of these
 *	name~layer\d+  name!~"a b$"    a regular expression matches (base/pattern.h), also between slashes;
 *					small letters: either case
 *	tile in over(90%)  tile in (1 - 3)   an expression of tiles (calc/tile_set.h)
 *	always_live  always_live=no     yes or no
 *	a b  a and b  a or b  not (a)   and binds closer than or; nothing between two means and
 *
 * What is not known of a row is neither so nor not so: `x`, `not x` and `x or not x` leave such a row out.
 * A row is asked through callbacks, so that it reads, or looks up, what a filter needs and nothing else.
 */
#ifndef TS_BASE_FILTER_H
#define TS_BASE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/base/err.h"
#include "tilescope/base/finder.h"
#include "tilescope/base/pattern.h"
#include "tilescope/base/signature.h"

enum {
	TS_FILTER_TEXT = 512,  /* bytes of a line, NUL included */
	TS_FILTER_NODES = 64,  /* comparisons, and, or, not */
	TS_FILTER_RANGES = 64, /* of all of them together */
	TS_FILTER_TEXTS = 15,  /* comparisons with a text, and sets of tiles */
	TS_FILTER_DEPTH = 16,  /* parentheses, not */
};

enum ts_filter_type {
	TS_FILTER_NUMBER,  /* of things: K is a thousand */
	TS_FILTER_BYTES,   /* K is 1024 */
	TS_FILTER_PERCENT, /* asked for in thousandths of a percent */
	TS_FILTER_REAL,	   /* asked for in thousandths; K is a thousand */
	TS_FILTER_TILES,   /* numbers of tiles, which `in` may name, too */
	TS_FILTER_SPANS,   /* numbers; a row has spans of them: see `spans` */
	TS_FILTER_YES,	   /* 0 or 1 */
	TS_FILTER_NAME,	   /* text that may have commas in it */
	TS_FILTER_WORD,	   /* text that has none */
	TS_FILTER_ELEMENT, /* the same: an element type, by any of its names (base/element_type.h) */
};

struct ts_filter_field {
	const char *name, *also; /* small letters; `also`: another name for it, or NULL */
	enum ts_filter_type type;
	const char *example;
};

/* Fields end with one without a name. Field 0 is the text that plain words are looked for in. */

enum ts_filter_op {
	TS_FILTER_AND, /* of nodes `a` and `b` */
	TS_FILTER_OR,
	TS_FILTER_NOT,	 /* of node `a` */
	TS_FILTER_RANGE, /* one of ranges [a, a + b) */
	TS_FILTER_HAS, /* contains one of the `b` words that begin at text[a], each with its NUL */
	TS_FILTER_IS,  /* is one of these words */
	TS_FILTER_MATCHES, /* the regular expression at text[a] */
	TS_FILTER_IN,	   /* the expression of tiles at text[a] */
};

struct ts_filter_node {
	uint8_t op, field;
	uint8_t text; /* HAS, IS, MATCHES, IN: which of the comparisons with a text it is, from 0 */
	uint8_t dear; /* it asks for a text: asked last */
	uint16_t a, b;
};

struct ts_filter {
	char line[TS_FILTER_TEXT]; /* as it was typed; "" when it lets everything through */
	const struct ts_filter_field *fields;
	int count; /* nodes; the last is the root; 0: everything passes */
	int texts, ranges;
	size_t used; /* of `text` */
	struct ts_filter_node node[TS_FILTER_NODES];
	struct {
		int64_t from, to; /* inclusive */
	} range[TS_FILTER_RANGES];
	char text[2 * TS_FILTER_TEXT]; /* words of HAS and IS in small letters */
};

/*
 * A line of blanks lets everything through. `fields` must outlive it. *at (NULL allowed): the byte of the line
 * at which an error was noticed. Errors: TS_E_USAGE: what is wrong, where, and an example; a field that
 * there is not, with those that there are (text that looks so is put in quotes). TS_E_NOMEM.
 */
enum ts_code ts_filter_parse(struct ts_filter *f, const char *line,
	const struct ts_filter_field *fields, size_t *at, struct ts_err *err) TS_WARN_UNUSED;

/* The field of a name, or -1. */
int ts_filter_field_of(const struct ts_filter_field *fields, const char *name, size_t n);

/* Does it ask for this field? And the first comparison of it with this operator, or -1. */
bool ts_filter_uses(const struct ts_filter *f, int field);
int ts_filter_find(const struct ts_filter *f, int field, enum ts_filter_op op);

/* --- asking it ---------------------------------------------------------------------------------- */

enum ts_truth { TS_NO, TS_YES, TS_UNSURE };

/*
 * What one thread asks with: the regular expressions, compiled. Errors: TS_E_USAGE, TS_E_NOMEM. Free with
 * ts_filter_use_fini() in every case.
 */
struct ts_filter_use {
	const struct ts_filter *filter;
	struct ts_pattern *pattern[TS_FILTER_TEXTS];
	struct ts_matcher *matcher[TS_FILTER_TEXTS];
	struct ts_signature needs[TS_FILTER_TEXTS]; /* of a word without which it does not hold */
};

enum ts_code ts_filter_use_init(struct ts_filter_use *u, const struct ts_filter *f,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_filter_use_fini(struct ts_filter_use *u);

/* Texts for which a regular expression took too long so far. */
int64_t ts_filter_use_costly(const struct ts_filter_use *u);

/* TS_E_LIMIT when a regular expression took too long too often: the answers mean nothing then. */
enum ts_code ts_filter_use_check(const struct ts_filter_use *u, struct ts_err *err) TS_WARN_UNUSED;

/* A row. Only those are needed that the fields call for. */
struct ts_filter_row {
	void *ctx;
	/* false: not known */
	bool (*number)(void *ctx, int field, int64_t *v);
	/* Does a comparison with a text (HAS, IS, MATCHES) hold? See ts_filter_text(). */
	enum ts_truth (*text)(void *ctx, const struct ts_filter_node *n);
	/* Is a number of TS_FILTER_TILES in the set of a node? */
	enum ts_truth (*in)(void *ctx, const struct ts_filter_node *n, int64_t v);
	/* Has a field of TS_FILTER_SPANS one of the numbers of a node's ranges? */
	enum ts_truth (*spans)(void *ctx, const struct ts_filter_node *n);
};

/* Does a comparison with a text hold for these bytes? One that takes too long: TS_UNSURE. */
enum ts_truth ts_filter_text(const struct ts_filter_use *u, const struct ts_filter_node *n,
	const char *s, size_t bytes);

/*
 * The same for texts that follow each other, `same` bytes at the begin being those of the one before (0: it is another one).
 * Begins with zeros.
 */
struct ts_filter_texts {
	struct ts_finder finder[TS_FILTER_TEXTS];
};

enum ts_truth ts_filter_text_next(struct ts_filter_texts *t, const struct ts_filter_use *u,
	const struct ts_filter_node *n, const char *s, size_t bytes, size_t same);

/* False: a comparison with a text holds for none of the texts. */
bool ts_filter_text_may(const struct ts_filter_use *u, const struct ts_filter_node *n,
	const struct ts_signature *texts);

/* Does the row pass (TS_YES)? */
enum ts_truth ts_filter_ask(const struct ts_filter *f, const struct ts_filter_row *row);

#endif
