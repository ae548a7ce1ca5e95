/* SPDX-License-Identifier: MIT */
/* insights_internal - what the files of the Insights view share. */
#ifndef TS_VIEW_INSIGHTS_INTERNAL_H
#define TS_VIEW_INSIGHTS_INTERNAL_H

#include "tilescope/ui/table.h"
#include "tilescope/ui/table_order.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/findings.h"
#include "tilescope/view/insights.h"
#include "tilescope/view/sheet.h"
#include "tilescope/view/tab.h"

enum { INSIGHTS_SOUGHT = 256 };

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
	uint64_t data;		     /* another number for other findings */
	bool whole;		     /* the index had what the fullest tiles are explained with */
	int off[TS_RULES_MAX], offs; /* rules that are switched off */
	struct insights_list list;   /* findings, then what is off */
	struct ts_tabs tabs;
	bool in_tabs, zoomed;
	struct ts_rect area, rule, at, below;
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
void insights_row_text(const struct insights_view *s, int64_t row, struct ts_strbuf *out);

/* The row under the cursor; -1 = none. */
int64_t insights_row(struct insights_view *s);

/* Count rows, sort and filter them; after anything that may have changed them. */
void insights_order(struct insights_view *s);

/* A command of a table: cursor, search, copy (app/ sorts and filters what is a sheet). `text` says a row. */
enum ts_effect insights_list_command(struct insights_view *s, struct insights_list *l,
	const struct ts_table *t, const struct ts_call *call,
	void (*text)(const struct insights_view *s, int64_t row, struct ts_strbuf *out));

/* insights_tabs.c */
enum { INSIGHTS_LARGEST = 4, INSIGHTS_TABS = 5 };
extern const struct ts_tab_ops *const insights_tab_ops[INSIGHTS_TABS];

/* Go to an address. */
enum ts_effect insights_go(struct insights_view *s, const char *place);

/* insights_largest.c */
extern const struct ts_tab_ops insights_tab_largest;
void insights_largest_fit(struct ts_tab *t);

/* insights_explain.c */
void insights_explain(struct ts_view *v, struct ts_explain *out);
void insights_explain_finding(struct insights_view *s, int64_t row, struct ts_explain *out);
void insights_explain_tile(struct insights_view *s, int64_t row, struct ts_explain *out);
void insights_explain_peak(struct insights_view *s, int64_t row, struct ts_explain *out);
void insights_explain_half(struct insights_view *s, int64_t row, struct ts_explain *out);

#endif
