/* SPDX-License-Identifier: MIT */
/* insights_internal - what the files of the Insights view share. */
#ifndef TS_VIEW_INSIGHTS_INTERNAL_H
#define TS_VIEW_INSIGHTS_INTERNAL_H

#include "tilescope/base/fmt.h"
#include "tilescope/ui/table.h"
#include "tilescope/ui/table_order.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/findings.h"
#include "tilescope/view/insights.h"
#include "tilescope/view/sheet.h"
#include "tilescope/view/tab.h"
#include "tilescope/view/what_if.h"

enum { INSIGHTS_SOUGHT = 256, INSIGHTS_COLUMNS = 6 };

/* Kinds of the view's own fetches. */
enum { INSIGHTS_FETCH_FINDINGS, INSIGHTS_FETCH_EXECUTION, INSIGHTS_FETCH_PEAK };

/* A table whose rows are all held. */
struct insights_list {
	struct ts_list list;
	struct ts_table_order order;
};

struct insights_view {
	struct ts_view base;
	struct ts_findings found; /* when `state` has it */
	struct ts_pane_data state;
	const struct ts_fetch *asked;
	const struct ts_fetch *execution; /* asked for */
	bool no_execution;		  /* it was asked for in vain */
	uint64_t data;			  /* another number for other findings */
	bool whole;		     /* the index had what the fullest tiles are explained with */
	int off[TS_RULES_MAX], offs; /* rules that are switched off */
	/* findings of a row: from first[row] to first[row + 1]; what is not known for one reason is one row */
	int first[TS_RULES_MAX + 1], groups;
	struct insights_list list; /* rows of findings, then what is off */
	struct ts_column column[INSIGHTS_COLUMNS];
	struct ts_tabs tabs;
	bool in_tabs, zoomed;
	struct ts_rect area, rule, at, below;
	int bars;		   /* of the histogram of tiles, as it was drawn; 0: it was not */
	struct ts_peak_rows *peak; /* all that is alive at the peak, when it was read */
	const struct ts_fetch *peak_sent; /* it is asked for */
	bool peak_failed;		  /* in vain */
	/* the rule that the cursor is on when its rows come anew; "": none */
	char kept[TS_RULE_ID];
	char sought[INSIGHTS_SOUGHT];
};

static inline struct insights_view *
insights_of(struct ts_view *v)
{
	return (struct insights_view *)v;
}

/* insights_list.c: rows of the upper pane. */
struct ts_table insights_table(struct insights_view *s);
int64_t insights_rows(const struct insights_view *s);
const struct ts_finding *insights_finding(const struct insights_view *s, int64_t row); /* or NULL */
const struct ts_rule *insights_rule(const struct insights_view *s, int64_t row);

/* Findings of a row, of which insights_finding() is the first; 1 of a rule that is switched off. */
int insights_together(const struct insights_view *s, int64_t row);

/* ts_sheet.written: a row for each rule. */
int64_t insights_written(void *ctx, int64_t row, int64_t k);

/* Of how many rules a row is, in words: "M03", "X01-X11", "M03, M05". */
enum { INSIGHTS_IDS = 64 };
const char *insights_ids(const struct insights_view *s, int64_t row, char out[INSIGHTS_IDS]);

/* Is it a row of that rule? */
bool insights_is_of(const struct insights_view *s, int64_t row, const char *id);

/* Which findings share a row; after anything that may have changed them. */
void insights_group(struct insights_view *s);
void insights_row_text(const struct insights_view *s, int64_t row, struct ts_strbuf *out);

/* The row under the cursor; -1 = none. */
int64_t insights_row(struct insights_view *s);

/* Count rows, sort and filter them; after anything that may have changed them. */
void insights_order(struct insights_view *s);

/* A command of a table: cursor, search, copy (app/ sorts and filters what is a sheet). `text` says a row. */
enum ts_effect insights_list_command(struct insights_view *s, struct insights_list *l,
	const struct ts_table *t, const struct ts_call *call,
	void (*text)(const struct insights_view *s, int64_t row, struct ts_strbuf *out));

/* The next row of it with s->sought; `here`: the one under the cursor comes first. */
enum ts_effect insights_list_find(struct insights_view *s, struct insights_list *l,
	const struct ts_table *t, int step, bool here,
	void (*text)(const struct insights_view *s, int64_t row, struct ts_strbuf *out));

/* insights_tabs.c */
enum { INSIGHTS_TILES = 1, INSIGHTS_LARGEST = 4, INSIGHTS_TABS = 5 };
extern const struct ts_tab_ops *const insights_tab_ops[INSIGHTS_TABS];

/* Go to an address. */
enum ts_effect insights_go(struct insights_view *s, const char *place);

static inline struct insights_view *
insights_host(const struct ts_tab *t)
{
	return t->host;
}

static inline bool
insights_ready(const struct insights_view *s)
{
	return ts_pane_has(&s->state);
}

static inline const struct ts_insight_facts *
insights_facts(const struct insights_view *s)
{
	return &s->found.facts;
}

static inline struct insights_list *
insights_rows_of(const struct ts_tab *t)
{
	return t->own;
}

/* A tab whose rows are a table: its own state is an insights_list. */
struct insights_tab_table {
	struct ts_table (*table)(struct insights_view *s, struct insights_list *l);
	int64_t (*rows)(const struct insights_view *s);
	void (*text)(const struct insights_view *s, int64_t row, struct ts_strbuf *out);
	void (*place)(const struct insights_view *s, int64_t row, char out[TS_PLACE_TEXT]);
	void (*explain)(struct insights_view *s, int64_t row, struct ts_explain *out);
	int (*head)(const struct ts_tab *t); /* lines above the table */
	/* the variable of a row, for `tick`; false: there is none; NULL: rows are none */
	bool (*variable)(const struct insights_view *s, int64_t row, struct ts_peak_variable *out);
	const char *title;
};

bool insights_table_open(struct ts_tab *t);
void insights_table_close(struct ts_tab *t);
struct ts_rect insights_table_rect(const struct ts_tab *t); /* below the lines above it */
void insights_table_fit(struct ts_tab *t);
enum ts_effect insights_table_command(struct ts_tab *t, const struct ts_call *call);
enum ts_effect insights_table_find(struct ts_tab *t, int step, bool here);
enum ts_effect insights_table_mouse(struct ts_tab *t, int x, int y, int wheel);
struct ts_list *insights_table_list(struct ts_tab *t, bool *there);
bool insights_table_sheet(struct ts_tab *t, struct ts_sheet *out);
void insights_table_object(const struct ts_tab *t, struct ts_at_cursor *out);
void insights_table_explain(struct ts_tab *t, struct ts_explain *out);
int insights_one_line(const struct ts_tab *t);
int insights_two_lines(const struct ts_tab *t);

/* What if a variable were not there: the next change of it. NULL: what has the cursor is no variable. */
enum ts_effect insights_tick(struct insights_view *s, const struct ts_peak_variable *v);
extern const struct ts_hint insights_variable_hints[];

/* Nothing to show yet, or ever: the panel of the view. False: there is something. */
bool insights_draw_state(struct ts_tab *t, struct ts_canvas *c);

/* One line of the head; false: there is no room for it. */
bool insights_head_line(struct ts_canvas *c, const struct ts_tab *t, int line, enum ts_role role,
	const char *fmt, ...) TS_PRINTF(5, 6);
const char *insights_bytes(const struct insights_view *s, char out[TS_FMT_MAX], int64_t bytes);

/* A cell from its exact value: bytes (`unit`), shares and counts as they are shown. */
void insights_show_value(const struct insights_view *s, const struct ts_table_value *v,
	const char *unit, struct ts_table_cell *out);

/* Total of a column that may be added up over `rows` rows; nothing where it may not, the sum is too
 * large, or no row has a value. */
void insights_sum(struct ts_table_value *out, void *ctx, ts_table_value_fn *value, int64_t rows,
	const struct ts_column_facts *facts, int column);

/* Of the functions of such a tab. */
#define INSIGHTS_TABLE_TAB                                                                         \
	.open = insights_table_open, .close = insights_table_close, .resize = insights_table_fit,  \
	.request = insights_table_fit, .command = insights_table_command,                          \
	.mouse = insights_table_mouse, .list = insights_table_list, .sheet = insights_table_sheet, \
	.explain = insights_table_explain, .object = insights_table_object

/* insights_tiles.c, insights_variables.c */
enum { INSIGHTS_PERCENTILES = 8 };

extern const struct insights_percentile {
	int p;
	const char *name;
} insights_percentiles[INSIGHTS_PERCENTILES];

extern const struct ts_tab_ops insights_tab_tiles, insights_tab_peak, insights_tab_fp32;
extern const struct insights_tab_table insights_tiles_table, insights_peak_table,
	insights_fp32_table;

/* What the histogram of tiles goes up to: the limit, or the fullest where that is more; there are tiles. */
int64_t insights_histogram_top(const struct insights_view *s);

/* insights_peak.c: are there variables of the peak beyond the largest that are not here yet? And s->peak_sent comes back. */
bool insights_peak_lacks(const struct insights_view *s);
void insights_peak_take(struct insights_view *s, struct ts_fetch *f);
void insights_peak_drop(struct insights_view *s);

/* insights_largest.c */
extern const struct ts_tab_ops insights_tab_largest;
void insights_largest_fit(struct ts_tab *t);

/* insights_largest_explain.c: the largest of a kind (TS_LARGE_*) of a scope of these. */
struct ts_largest;
void insights_explain_large(struct ts_explained *x, const struct insights_view *s,
	const struct ts_largest *l, int64_t scope, int kind);

/* insights_explain.c */
void insights_explain(struct ts_view *v, struct ts_explain *out);
void insights_explain_finding(struct insights_view *s, int64_t row, struct ts_explain *out);
void insights_explain_tile(struct insights_view *s, int64_t row, struct ts_explain *out);
void insights_explain_peak(struct insights_view *s, int64_t row, struct ts_explain *out);
void insights_explain_half(struct insights_view *s, int64_t row, struct ts_explain *out);

/* insights_execution_explain.c: of a measure of the execution, and what mending it saves. */
typedef void insights_explain_fn(const struct insights_view *s, struct ts_explained *x,
	const struct ts_finding *f);
insights_explain_fn insights_explain_time, insights_explain_time_saved, insights_explain_artefact,
	insights_explain_tiles, insights_explain_tiles_saved, insights_explain_stages,
	insights_explain_stage_saved, insights_explain_rearranged;

#endif
