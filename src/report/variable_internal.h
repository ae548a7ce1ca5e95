/* SPDX-License-Identifier: MIT */
/*
 * What the files that make lists of variables share: variable_pass.c (reads the rows), variable_names.c
 * (names and categories as numbers), variable_order.c (sorts, and keeps orders).
 */
#ifndef TS_REPORT_VARIABLE_INTERNAL_H
#define TS_REPORT_VARIABLE_INTERNAL_H

#include "tilescope/report/dictionary.h"
#include "tilescope/report/variable_list.h"

/* What a row is sorted by when that is not known. */
#define VARIABLE_UNKNOWN UINT64_MAX

/* So many rows are read, sorted, or numbered until what was touched of piles is let go of (ts_pile_rest). */
enum { VARIABLE_REST = 1 << 20 };

enum variable_query {
	V_BYTES,
	V_TILE,
	V_CATEGORY,
	V_NAME,
	V_TYPE,
	V_OFFSET,
	V_ALIGNMENT,
	V_ALWAYS,
	V_ID,
	V_VARIABLE,
	V_CLASS,
	V_CONTEXT,
	V_QUERIES
};

/* Names, categories or types: what a row's text is sorted by, and what the filter thinks of it. */
struct variable_texts {
	enum ts_variable_field field;
	bool ranked;	/* codes are ranks already, not entries of `text` */
	bool by_number; /* rows have numbers that `number` knows */
	struct ts_dictionary text, number;
	struct ts_pile
		passes; /* uint32_t an entry of `number`: what is so (VARIABLE_IS), and what is sure */
	struct ts_pile direct; /* uint32_t a number: entry + 1, where numbers are small */
	uint32_t ranks;
};

/* The first rows of an order while rows are being read: a heap, the last of them on top. */
struct variable_heap {
	bool used;
	const struct ts_dictionary *text; /* keys are entries of it; NULL: numbers */
	int count;
	int64_t next; /* rows after which it is shown again */
	struct variable_first {
		uint64_t key; /* of numbers the larger comes first */
		int64_t place;
	} first[TS_VARIABLE_TOP];
};

struct variable_pass {
	struct ts_variable_list *l;
	struct ts_reader *rd;
	const struct ts_cancel *cancel;
	struct ts_progress *progress;
	struct ts_rows *rows;
	int slot[V_QUERIES]; /* of the query, or -1 */
	bool reverse;

	int64_t scanned, found, bytes, all_bytes, unsized;
	bool overflow, all_overflow; /* sums that do not fit */
	struct variable_texts names, categories, types;
	struct ts_variable_asking asking;
	struct ts_filter_texts texts;
	struct ts_variable x; /* numbers of the row that the filter asked for */
	enum ts_code failed;  /* while a row was asked */
	struct ts_err *err;
	bool needs_life, needs_spread;

	/* for an order: a code a row that is in it, and its place where that is not its number */
	struct ts_pile code, place;
	int code_width;	 /* 4 or 8 */
	int place_width; /* 4 or 8 */
	int64_t codes;
	uint64_t max, last; /* of codes that are known */
	int64_t unknown;
	bool falls; /* a code is smaller than the one before */
	struct variable_heap heap;
};

static inline uint64_t
variable_get(const void *array, int width, int64_t i)
{
	return width == 4 ? ((const uint32_t *)array)[i] : ((const uint64_t *)array)[i];
}

static inline void
variable_put(void *array, int width, int64_t i, uint64_t v)
{
	if (width == 4)
		((uint32_t *)array)[i] = (uint32_t)v;
	else
		((uint64_t *)array)[i] = v;
}

static inline uint64_t
variable_code(const struct variable_pass *p, int64_t i)
{
	uint64_t v = variable_get(p->code.memory, p->code_width, i);

	return p->code_width == 4 && v == UINT32_MAX ? VARIABLE_UNKNOWN : v;
}

/* --- variable_names.c --- */

/*
 * The rows of the table where names of lowered variables stand by number (the column's op is TS_OP_DICT); s NULL:
 * no text. Damage ends it without an error (*damaged, NULL allowed); an error of `each` is returned.
 */
typedef enum ts_code variable_name_fn(void *ctx, int64_t number, const char *s, size_t n,
	struct ts_err *err);
enum ts_code variable_name_table(struct ts_reader *rd, enum ts_relation relation, int column,
	variable_name_fn *each, void *ctx, bool *damaged, struct ts_err *err);

/*
 * What the filter's comparisons with a name say: a bit each by n->text, and VARIABLE_SURE above it whether that is
 * sure; VARIABLE_HAS_TEXT is always among them. `same`: as in ts_columns_name_fn.
 */
enum { VARIABLE_SURE = 16, VARIABLE_HAS_TEXT = 1 << 15, VARIABLE_NO_TEXT = 1 << 15 };
enum ts_truth variable_truth_of(uint32_t bits, const struct ts_filter_node *n);
uint32_t variable_name_bits(struct variable_pass *p, const char *s, size_t n, size_t same);

/* Before rows are read: what names are looked up in. */
enum ts_code variable_names_open(struct variable_pass *p, struct ts_err *err);
/* Does a comparison with a text hold for the row? */
enum ts_code variable_text_asks(struct variable_pass *p, struct variable_texts *t,
	enum variable_query column, const struct ts_filter_node *n, enum ts_truth *truth,
	struct ts_err *err);
/* What the row is sorted by. */
enum ts_code variable_text_code(struct variable_pass *p, struct variable_texts *t,
	enum variable_query column, uint64_t *code, struct ts_err *err);
/* Behind the last row: entries become ranks. */
enum ts_code variable_texts_rank(struct variable_pass *p, struct variable_texts *t,
	struct ts_err *err);
void variable_texts_rest(const struct variable_texts *t); /* as ts_pile_rest() */
void variable_texts_fini(struct variable_texts *t);

/* --- variable_pass.c --- */
/* What the list has so far. */
void variable_pass_publish(struct variable_pass *p);
/* Room for what has its size from the begin. Errors: TS_E_NOMEM, TS_E_SYS. */
enum ts_code variable_pass_room(struct variable_pass *p, struct ts_err *err);
/* It is made. */
void variable_list_ready(struct ts_variable_list *l);
/* Before the first row: the first rows of an order are kept from now on. */
void variable_heap_begin(struct variable_pass *p);

/* --- variable_columns.c --- */

/*
 * The bits of a filter, and what its rows are sorted by, as far as the index can say: *done. Else nothing is read yet (what was published is taken
 * back). Errors: TS_E_CANCELLED, TS_E_NOMEM, TS_E_SYS, TS_E_LIMIT.
 */
enum ts_code variable_columns_read(struct variable_pass *p, bool *done, struct ts_err *err);

/* --- variable_order.c --- */
enum ts_code variable_code_add(struct variable_pass *p, uint64_t code, int64_t place,
	struct ts_err *err);
/* First rows that others may look at; taken. */
void variable_top_publish(struct ts_variable_list *l, struct ts_variable_top *top);
void variable_heap_add(struct variable_pass *p, uint64_t code, int64_t place);
void variable_heap_show(struct variable_pass *p);
/* The largest as the index has them, before any row is read. */
void variable_heap_know(struct variable_pass *p);
enum ts_code variable_order_make(struct variable_pass *p, struct ts_err *err);
/* Where the first row with a name stands in an order that says so, read in this direction; -1: there is none. */
static inline int64_t
variable_name_at(const struct ts_variable_list *order, int64_t name, bool reverse)
{
	int64_t at = reverse && order->last[name] > 0 ? order->known - (int64_t)order->last[name]
						      : (int64_t)order->first[name] - 1;

	return at >= 0 && at < order->count ? at : -1;
}
/* What v->orders is. NULL: no memory; free allows NULL. */
struct variable_orders *variable_orders_new(void);
void variable_orders_free(struct variable_orders *o);
/* The order as it was kept; false: there is none that fits. */
bool variable_order_load(struct ts_variable_list *l, struct ts_reader *rd);

#endif
