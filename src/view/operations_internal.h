/* SPDX-License-Identifier: MIT */
/* operations_internal - what the files of the Operations view share. */
#ifndef TS_VIEW_OPERATIONS_INTERNAL_H
#define TS_VIEW_OPERATIONS_INTERNAL_H

#include "tilescope/report/operation_graph.h"
#include "tilescope/report/program_tree.h"
#include "tilescope/ui/outline.h"
#include "tilescope/ui/table.h"
#include "tilescope/ui/table_order.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/operations.h"
#include "tilescope/view/sheet.h"
#include "tilescope/view/split.h"

enum operations_kind {
	ASK_OPERATIONS,
	ASK_TRACE,
	ASK_SHAPE,
	ASK_HITS,
	ASK_MARKED,
	ASK_VARIABLE,
	ASK_KINDS
};

enum { OPERATIONS_SOUGHT = 256, OPERATIONS_REGEX = 256, OPERATIONS_MARKS = 256 };

/* What tabs that are about one operation say of other rows. */
#define OPERATIONS_NOTHING \
	"This is of single operations: groups and what is in no operation have figures in the table only."

/*
 * Rows are told apart by one number: nodes of the forest, then groups, then what is in no operation, then programs (by their
 * place in the costs).
 */
struct operations_ids {
	uint32_t nodes, groups, programs;
};

enum operations_row_kind { ROW_NODE, ROW_GROUP, ROW_OUTSIDE, ROW_PROGRAM };

/* What is to be shown. */
struct operations_wish {
	bool tree;	/* all layers, else ... */
	uint32_t layer; /* the operations of this one, ... */
	bool group;	/* by what `rollup` finds */
	char rollup[OPERATIONS_REGEX];
	char filter[TS_TABLE_FILTER];
	int sorted; /* column, or -1 */
	bool descending;
};

/*
 * What is shown: which rows there are, and in which order. Made by a worker, not changed afterwards: searches hold it, too.
 */
struct operations_shape {
	atomic_int uses;
	struct operations_wish wish;
	struct ts_operations *ops;	    /* held */
	struct ts_operation_groups *groups; /* held; NULL: no roll-up */
	struct operations_ids ids;
	struct ts_pile root; /* uint32_t: rows on top */
	struct ts_pile
		first; /* uint32_t by row, and one more: where its children begin in `child` */
	struct ts_pile child;  /* uint32_t */
	struct ts_pile parent; /* uint32_t by row: what it stands in; UINT32_MAX: on top */
	struct ts_pile
		place; /* uint32_t by row: in which order rows stand when all is open; UINT32_MAX: not shown */
	struct ts_pile list; /* uint32_t: rows by place */
	struct ts_pile paths,
		path_at; /* texts and uint64_t by node, and one more: of a layer of names */
	size_t roots, shown;
	size_t matches; /* operations that pass the filter */
	struct ts_operation_figures total, outside;
	int64_t sum; /* of the cycles of operations that pass, one by one; TS_UNKNOWN: of the tree */
};

struct operations_view {
	struct ts_view base; /* first */
	struct ts_pane_data state;
	struct ts_operations *ops; /* held; NULL unless `state` has it */
	unsigned version;	   /* grows with each `ops` */
	bool traced;
	const struct ts_fetch *asked[ASK_KINDS];
	struct operations_wish wish;
	struct operations_shape
		*shape;		     /* held; of `wish`, but for the time that another one takes */
	struct ts_table_order order; /* what `sort` and `filter` were asked: no rows are in it */
	struct ts_outline outline;
	bool began; /* the layer that is shown first was chosen */
	char sought[OPERATIONS_SOUGHT];
	struct ts_pile hit; /* uint32_t: rows, by place */
	size_t hits;
	int seek; /* the cursor is yet to go to the next one (1), the one before (-1) */
	uint32_t mark[OPERATIONS_MARKS]; /* nodes */
	int marks;
	struct ts_operation_figures marked; /* of them together */
	bool marked_known;
	uint32_t go_to; /* node that the cursor goes to with the next shape; TS_NO_OPERATION */
	int64_t kept_number,
		kept_context; /* of the operation under the cursor before a reload; -1 */
	struct ts_split split;
};

static inline struct operations_view *
operations_of(struct ts_view *v)
{
	return (struct operations_view *)v;
}

static inline struct operations_view *
operations_host(const struct ts_tab *t)
{
	return t->host;
}

/* The debug context of a node, or TS_UNKNOWN (also above 2^63). */
static inline int64_t
operations_context(const struct ts_operation *o)
{
	return o->has_context && o->context >= 0 ? o->context : TS_UNKNOWN;
}

/* --- rows ------------------------------------------------------------------------------------------- */

static inline struct operations_ids
operations_ids(const struct ts_operations *o, const struct ts_operation_groups *g)
{
	return (struct operations_ids){o->count, g ? (uint32_t)g->count : 0,
		o->costs ? (uint32_t)o->costs->count : 0};
}

static inline uint32_t
operations_outside_row(const struct operations_ids *ids)
{
	return ids->nodes + ids->groups;
}

static inline uint32_t
operations_program_row(const struct operations_ids *ids, uint32_t program)
{
	return ids->nodes + ids->groups + 1 + program;
}

/* All rows that there could be. */
static inline uint32_t
operations_rows(const struct operations_ids *ids)
{
	return ids->nodes + ids->groups + 1 + ids->programs;
}

/* What a row is, and its number among those. */
enum operations_row_kind operations_row(const struct operations_ids *ids, uint32_t row,
	uint32_t *i);

/* Figures of a row; of a program in *room. `below`: with all that stands below it. */
const struct ts_operation_figures *operations_figures(const struct operations_shape *s,
	uint32_t row, struct ts_operation_figures *room);

/* What is added up for a program alone: as ts_operation_figures. */
void operations_of_program(struct ts_operation_figures *out, const struct ts_program_cost *p);

/* --- what decides the share: cycles executed, else measured ones, else estimates -------------------- */

enum operations_measure { OPERATIONS_EXECUTED, OPERATIONS_MEASURED, OPERATIONS_ESTIMATED };
enum operations_measure operations_measure(const struct ts_operations *o);
int64_t operations_cycles(const struct ts_operations *o, const struct ts_operation_figures *f);

/* --- operations_shape.c: in a worker ---------------------------------------------------------------- */

enum ts_code operations_shape_make(struct operations_shape **out, struct ts_operations *o,
	const struct operations_wish *wish, const struct ts_cache *cache,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;
struct operations_shape *operations_shape_hold(struct operations_shape *s);
void operations_shape_close(struct operations_shape *s); /* NULL allowed */

/* --- operations_table.c ------------------------------------------------------------------------------ */

/* Columns of any rows: `ctx` of cells is the view, of values the shape (in a worker) or the view. */
struct ts_table operations_table(struct operations_view *s);

/* The table that a worker sorts and filters: values of row row[i] of a shape. */
struct operations_values {
	const struct operations_shape *shape;
	const uint32_t *row;
};
void operations_values_table(struct ts_table *t, struct operations_values *v);

/* Name of a row, safe for nothing; of a node without what its parent's name says, where `in_tree`. */
void operations_title(struct ts_strbuf *out, const struct operations_shape *s, uint32_t row,
	bool in_tree);

/* The same as one text that lives as long as the shape; NULL: it has none. */
const char *operations_name(size_t *n, const struct operations_shape *s, uint32_t row);

/*
 * What a row shares: an operation with others of its layer, in the tree with others that stand elsewhere; a group with other groups.
 * UINT32_MAX: of all rows together. NULL: nobody says.
 */
const struct ts_operation_shared *operations_shared(const struct operations_shape *s, uint32_t row);

/* --- operations_data.c: asking and answers ------------------------------------------------------------ */

void operations_request(struct ts_view *v);
void operations_ahead(struct ts_view *v);
enum ts_effect operations_deliver(struct ts_view *v, struct ts_fetch *f);
void operations_drop(struct operations_view *s);
bool operations_is_shown(const struct operations_view *s); /* what is wished for */

/* --- operations_rows.c: what has the cursor ------------------------------------------------------------- */

/* The row under the cursor, or UINT32_MAX; the node that it is, or is of; the program. */
uint32_t operations_at(const struct operations_view *s);
uint32_t operations_node_at(const struct operations_view *s); /* TS_NO_OPERATION: none */
int64_t operations_program_at(const struct operations_view *s);

/* The operation under the cursor has it again with the next shape, as far as it can be told: by its number, or its context. */
void operations_keep_cursor(struct operations_view *s);

/* Show the shape that has come. */
void operations_take_shape(struct operations_view *s, struct operations_shape *shape);

/* Put the cursor on a row that is shown, opening what is folded. */
bool operations_go_row(struct operations_view *s, uint32_t row);

/* Put the cursor on a node, in another layer if need be; a bell and a word where it is not shown. */
enum ts_effect operations_go_node(struct operations_view *s, uint32_t node);

/* --- operations_find.c: search and marks ------------------------------------------------------------------ */

void operations_seek(struct operations_view *s, const char *text, int direction);
enum ts_effect operations_next_hit(struct operations_view *s, int direction);
enum ts_effect operations_take_hits(struct operations_view *s, struct ts_fetch *f);
bool operations_is_hit(const struct operations_view *s, uint32_t row);

enum ts_effect operations_mark(struct operations_view *s);
enum ts_effect operations_marks_clear(struct operations_view *s);
bool operations_is_marked(const struct operations_view *s, uint32_t row);
void operations_ask_marked(struct operations_view *s);
enum ts_effect operations_take_marked(struct operations_view *s, struct ts_fetch *f);

/* --- operations.c -------------------------------------------------------------------------------------------- */

void operations_layout(struct operations_view *s);
enum ts_effect operations_layer(struct operations_view *s, const char *name); /* NULL: the next */
enum ts_effect operations_tree(struct operations_view *s, bool on);
enum ts_effect operations_rollup(struct operations_view *s, const char *regex); /* NULL: on, off */

/*
 * Of programs that are shared: "12 of 12, with 11 other operations; cycles count in each"; false: a row that shares none,
 * or no operation.
 */
bool operations_shares_words(char *out, size_t size, const struct operations_view *s, uint32_t row);

/* operations_address.c, operations_explain.c */
extern const struct ts_view_arg operations_args[];
enum ts_effect operations_take_variable(struct operations_view *s, struct ts_fetch *f);
void operations_explain(struct ts_view *v, struct ts_explain *out);

/* "WITH of(p, c) AS (...) ": programs of a row, and their compute sets. False, and "": no query says them. */
enum { OPERATIONS_QUERY = 1400 };
bool operations_query(char out[OPERATIONS_QUERY], const struct operations_shape *s, uint32_t row);

/* operations_graph.c */
bool operations_graph(struct ts_view *v, struct ts_operation_graph *g);

/* Is the tab of producers and consumers the one with the keys? *links is NULL until they are known, of operation *of. */
bool operations_links_shown(const struct operations_view *s,
	const struct ts_operation_links **links, uint32_t *of);

/* --- tabs, in their order ---------------------------------------------------------------------------------- */

enum { OPERATIONS_TABS = 7 };
extern const struct ts_tab_ops *const operations_tab_ops[OPERATIONS_TABS];
extern const struct ts_tab_ops operations_tab_programs, operations_tab_links, operations_tab_code,
	operations_tab_vertices, operations_tab_cycles;

/* "matMul, popart" */
void operations_tab_note(const struct ts_tab *t, char out[TS_TAB_NOTE]);

/* Sheet of a tab whose list is a struct ts_held_list. */
bool operations_tab_sheet(struct ts_tab *t, struct ts_sheet *out);

/* The object of a tab without one of its own: the context of the operation under the cursor. */
bool operations_tab_about(const struct ts_tab *t, struct ts_debug_about *out);

#endif
