/* SPDX-License-Identifier: MIT */
/* programs_internal - what the files of the Programs view share. */
#ifndef TS_VIEW_PROGRAMS_INTERNAL_H
#define TS_VIEW_PROGRAMS_INTERNAL_H

#include "tilescope/report/names.h"
#include "tilescope/report/program_diff.h"
#include "tilescope/ui/outline.h"
#include "tilescope/ui/table_order.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/programs.h"
#include "tilescope/view/sheet.h"
#include "tilescope/view/split.h"

enum programs_kind {
	ASK_PROGRAMS,
	ASK_TRACE,
	ASK_HITS,
	ASK_FILTER,
	ASK_USERS,
	ASK_DIFF,
	ASK_KINDS
};

enum { PROGRAMS_SOUGHT = 256 };

struct programs_root {
	uint32_t node, root; /* index in tree->root */
};

/* What was read. Not changed once it is delivered: workers that search hold it, too. */
struct programs_data {
	atomic_int uses;
	struct ts_program_tree *tree; /* one without edges where it is not known who calls whom */
	struct ts_program_costs *costs;
	struct ts_names names;
	struct ts_pile root;	    /* struct programs_root, by node: the first of each */
	struct ts_pile below;	    /* struct ts_program_sums by node */
	bool flat;		    /* there is no tree */
	bool whole;		    /* all of it is there */
	size_t not_summed;	    /* nodes with so many below that they have no sums */
	struct ts_program_sums all; /* of all programs, each once */
};

struct programs_view {
	struct ts_view base; /* first */
	struct ts_pane_data state;
	struct programs_data *data; /* held; NULL unless `state` has it */
	bool traced;		    /* figures of the trace are in it, or were asked for in vain: */
	bool in_vain;
	const struct ts_fetch *asked[ASK_KINDS];
	struct ts_outline outline;
	struct ts_pile root; /* uint32_t: nodes on top */
	struct ts_table_order
		sort; /* of children: a column, or as they run; rows are put in order by themselves */
	struct ts_pile order; /* uint32_t: children of `order_of`, sorted */
	uint32_t order_of;
	int64_t fold; /* children below so many thousandths of a percent of all are left out; 0: none are */
	struct ts_pile hit; /* uint32_t: nodes that were found, ascending */
	size_t hits;
	char sought[PROGRAMS_SOUGHT];
	bool users; /* what was sought is a variable that programs name */
	int seek;   /* the cursor is yet to go to the next one (1), the one before (-1) */
	char filter[PROGRAMS_SOUGHT];
	struct ts_pile keep; /* bits by node: what the filter leaves; without memory: all */
	size_t matches;	     /* programs that answer the filter, and what they cost alone */
	struct ts_program_sums kept_sums;
	const struct ts_program_world *before; /* borrowed: what is compared with; or NULL */
	struct ts_program_diff *diff;	       /* rows are its pairs; NULL: they are nodes */
	int64_t kept; /* program that was under the cursor before a reload; -1 */
	struct ts_split split;
};

static inline struct programs_view *
programs_of(struct ts_view *v)
{
	return (struct programs_view *)v;
}

struct programs_data *programs_hold(struct programs_data *d);
void programs_release(struct programs_data *d); /* NULL allowed */

static inline struct programs_view *
programs_host(const struct ts_tab *t)
{
	return t->host;
}

static inline const struct ts_program_node *
programs_node(const struct programs_data *d, uint32_t node)
{
	return (const struct ts_program_node *)d->tree->node.memory + node;
}

/* Sums of a node; `programs` is TS_UNKNOWN where they were not worked out. */
static inline const struct ts_program_sums *
programs_below(const struct programs_data *d, uint32_t node)
{
	return (const struct ts_program_sums *)d->below.memory + node;
}

/* The root that calls a node on top, or UINT32_MAX. */
uint32_t programs_root(const struct programs_data *d, uint32_t node);

/* Its own figures, or NULL: it is named, but not described. */
static inline const struct ts_program_cost *
programs_cost(const struct programs_data *d, uint32_t node)
{
	return ts_program_costs_find(d->costs, programs_node(d, node)->program);
}

/* What decides the share of a program: cycles executed, else measured ones, else estimates. */
enum programs_measure { PROGRAMS_EXECUTED, PROGRAMS_MEASURED, PROGRAMS_ESTIMATED };
enum programs_measure programs_measure(const struct programs_view *s);
int64_t programs_figure(const struct programs_view *s, const struct ts_program_sums *sums);

enum { PROGRAMS_PERCENT = 1000 };		 /* of `fold` */
extern const struct ts_view_arg programs_args[]; /* programs_address.c */

/* programs.c: what commands and addresses do */
void programs_layout(struct programs_view *s);
enum ts_effect programs_threshold(struct programs_view *s, const char *word);
enum ts_effect programs_go_to_word(struct programs_view *s, const char *word);

/* programs_data.c: asking and answers; programs_rows.c: what is shown */
void programs_request(struct ts_view *v);
void programs_ahead(struct ts_view *v);
enum ts_effect programs_deliver(struct ts_view *v, struct ts_fetch *f);
void programs_drop(struct programs_view *s);

/* The node of a program under the cursor; UINT32_MAX: none. */
uint32_t programs_at(const struct programs_view *s);

/* Of a row of the outline: of what is gone UINT32_MAX. */
uint32_t programs_row_node(const struct programs_view *s, int64_t row);

/* The column of what decides: costs, or their difference. It is the first that `sort` goes to. */
enum { PROGRAMS_BY_COST = 4, PROGRAMS_BY_DIFFERENCE = 5 };

static inline int
programs_by_cost(const struct programs_view *s)
{
	return s->diff ? PROGRAMS_BY_DIFFERENCE : PROGRAMS_BY_COST;
}

/*
 * Put siblings (uint32_t) in the order that is wished; `value` is of the one at a place of struct programs_siblings. False: no
 * memory.
 */
struct programs_siblings {
	struct programs_view *s;
	const uint32_t *node;
};
bool programs_sort(struct programs_view *s, struct ts_pile *siblings, ts_table_value_fn *value);

/* Exact value of a program in the tree; UINT32_MAX: of the total. */
bool programs_value(const struct programs_view *s, uint32_t node, int column,
	struct ts_table_value *out);

/* programs_diff.c */
void programs_ask_diff(struct programs_view *s); /* as soon as it can be made */
bool programs_take_diff(struct programs_view *s, struct ts_fetch *f);
void programs_drop_diff(struct programs_view *s);
bool programs_diff_rows(struct programs_view *s); /* in the place of those of the tree */
bool programs_diff_go(struct programs_view *s, const uint32_t *way,
	size_t n); /* nodes, a root first */
struct ts_table programs_diff_table(struct programs_view *s);
enum ts_role programs_row_role(void *ctx, int64_t row);

/* Put the cursor on a program, by the way of its first use. False: there is no such program. */
bool programs_go(struct programs_view *s, uint32_t node);

/* Are all children shown, as they run? */
bool programs_is_plain(const struct programs_view *s);

/* Rows anew: after new data, another order, threshold or filter. The cursor and what is open stay. */
void programs_rows(struct programs_view *s);

/* programs_find.c */
void programs_seek(struct programs_view *s, const char *text, int direction);
enum ts_effect programs_next_hit(struct programs_view *s, int direction);
bool programs_take_hits(struct programs_view *s, struct ts_fetch *f);
void programs_filter(struct programs_view *s, const char *text); /* NULL, "": none */
/* Programs that name a variable are found as by a search. */
void programs_seek_users(struct programs_view *s, bool lowered, int64_t variable);
bool programs_take_filter(struct programs_view *s, struct ts_fetch *f);
bool programs_is_kept(const struct programs_view *s, uint32_t node); /* it is shown */
bool programs_is_hit(const struct programs_view *s, uint32_t node);

/* programs_table.c */
struct ts_table programs_table(struct programs_view *s);
void programs_row_text(const struct programs_view *s, int64_t row, struct ts_strbuf *out);
void programs_explain(struct ts_view *v, struct ts_explain *out);

/* Type (or "program") and name of a node, safe for nothing: for the canvas. */
void programs_title(const struct programs_data *d, uint32_t node, struct ts_strbuf *type,
	struct ts_strbuf *name);

/* Put the cursor on a program by its number; a bell and a word where it is not below a root. */
enum ts_effect programs_go_to(struct programs_view *s, int64_t program);

/* Tabs, in their order: programs_tabs.c (details), programs_program.c, programs_same.c */
enum { PROGRAMS_TAB_SAME = 5, PROGRAMS_TABS = 7, PROGRAMS_MARKED = 1000 };
extern const struct ts_tab_ops *const programs_tab_ops[PROGRAMS_TABS];
extern const struct ts_tab_ops programs_tab_code, programs_tab_vertices, programs_tab_cycles,
	programs_tab_path, programs_tab_same;

/* "program 17" */
void programs_tab_note(const struct ts_tab *t, char out[TS_TAB_NOTE]);
bool programs_tab_sheet(struct ts_tab *t, struct ts_sheet *out);

/*
 * What a program shares with the one under the cursor (bits of report/program_same.h); vertices as far as the Steps tab knows
 * them: it lists at least the first PROGRAMS_MARKED.
 */
unsigned programs_same(const struct programs_view *s, uint32_t node);
const char *programs_same_words(unsigned same); /* "set, context" */

#endif
