/* SPDX-License-Identifier: MIT */
/* summary_internal - the state of the Summary view, shared by its three files. */
#ifndef TS_VIEW_SUMMARY_INTERNAL_H
#define TS_VIEW_SUMMARY_INTERNAL_H

#include "tilescope/report/documents.h"
#include "tilescope/report/figures.h"
#include "tilescope/report/proportions.h"
#include "tilescope/report/summary.h"
#include "tilescope/ui/list.h"
#include "tilescope/ui/tree.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/findings.h"

enum { SUMMARY_PAIRS = 300, SUMMARY_PAIR_TEXT = 300, SUMMARY_LINES = 1200, SUMMARY_CHANGES = 4 };

/* --- what has to be fetched ------------------------------------------------------------------- */

enum {
	ASK_VERDICT,
	ASK_SMALL,
	ASK_CATEGORIES,
	ASK_EXECUTION,
	ASK_TIMES, /* steps that overlap intersected */
	ASK_WORK,  /* bytes, and balance of tiles */
	ASK_PARTS,
	ASK_COUNT
};

/* What the pane of files asks. */
enum { ASK_FILES = ASK_COUNT, ASK_HITS, ASK_FINDINGS, ASK_FOUND_RUNNING, ASK_OPERATIONS };

enum { SUMMARY_OPERATIONS = 3 };

enum { SUMMARY_SOUGHT = 200, SUMMARY_FILE_TEXT = 4096 };

struct summary_pair {
	char key[64];
	char value[SUMMARY_PAIR_TEXT];
};

struct summary_verdict {
	struct ts_fetch fetch;
	struct ts_tiles tiles;
	struct ts_about about;
	struct ts_target target;
};

struct summary_small {
	struct ts_fetch fetch;
	struct ts_graph graph;
	struct ts_peak peak;
	int64_t always_live, runs;
	struct summary_pair *option, *host; /* SUMMARY_PAIRS each */
	int options, hosts;
};

struct summary_categories {
	struct ts_fetch fetch;
	struct ts_categories sums;
};

struct summary_execution {
	struct ts_fetch fetch;
	struct ts_execution sums;
	int64_t steps;
};

/* Of the whole trace; p.has 0: not now, for without the index it would be a pass over a large relation. */
struct summary_cycles {
	struct ts_fetch fetch;
	struct ts_proportions p;
};

/* Whether the parts belong to the same run, in sentences. */
struct summary_parts {
	struct ts_fetch fetch;
	struct ts_archive *archive; /* that was compared, held; or NULL */
	struct ts_notes notes;
};

/* --- lines ------------------------------------------------------------------------------------ */

struct summary_view;

/* Where Enter on a line leads. */
enum summary_goal { GO_NOWHERE, GO_TILE, GO_PEAK, GO_IPU, GO_ABSENT, GO_FINDING, GO_OPERATION };

/* What a line says, for `=`. */
enum summary_figure {
	FIGURE_NONE,
	FIGURE_FITS,
	FIGURE_TOTAL,
	FIGURE_OVER,
	FIGURE_GAPS,
	FIGURE_LIVE,
	FIGURE_CATEGORY,
	FIGURE_RUNS,
	FIGURE_IPU,
	FIGURE_TARGET,
	FIGURE_TILE,
	FIGURE_GRAPH,
	FIGURE_ABOUT,
};

struct summary_line {
	void (*draw)(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg);
	int arg;
	enum summary_goal goal;
	int64_t object; /* tile, step or IPU; of GO_ABSENT the question */
	enum summary_figure figure;
};

/* The lower pane: framework.json, app.json. */
struct summary_files {
	struct ts_documents *files; /* held; NULL = not here yet */
	struct ts_tree tree;
	struct ts_pane_data state;
	const struct ts_fetch *asked, *searching; /* the newest of each */
	char sought[SUMMARY_SOUGHT], hits_of[SUMMARY_SOUGHT];
	bool back; /* the direction of the search */
	struct ts_document_hits hits;
	char key[32], value[SUMMARY_FILE_TEXT]; /* what the node says that was asked last */
};

struct summary_findings {
	struct ts_findings found;	/* without facts */
	const struct ts_fetch *running; /* what is found in the execution is asked for */
	bool not_running;		/* in vain */
	bool there, failed;
	const struct ts_fetch *asked;
};

/* The operations with the most cycles, of the layer that Operations begins with. */
struct summary_operation {
	char name[200], place[64];
	int64_t cycles;
};

struct summary_operations {
	struct summary_operation op[SUMMARY_OPERATIONS];
	int count;
	int64_t all; /* cycles of all programs */
	bool there, failed;
	const struct ts_fetch *asked;
};

struct summary_view {
	struct ts_view base;
	struct summary_verdict *verdict; /* answers; NULL = not here yet */
	struct summary_small *small;
	struct summary_categories *categories;
	struct summary_execution *execution;
	struct summary_cycles *times, *work;
	struct summary_parts *parts;
	const struct ts_archive *compared; /* what `parts` was asked for; not held */
	const struct ts_fetch *asked[ASK_COUNT];
	struct ts_pane_data state[ASK_COUNT];
	bool later[ASK_COUNT]; /* FAILED: it was not begun, for the report is far away */
	struct summary_line line[SUMMARY_LINES];
	int lines;
	struct ts_list list;
	int64_t kept; /* where the cursor stood before a reload, until there are so many lines; -1 = nowhere */
	struct ts_figures figures, before; /* of this load, as far as known; of the last one */
	bool changed;			   /* there is a change since the last load to be shown */
	bool placed; /* the cursor has been put on the first line that says something */
	struct summary_files files;
	struct summary_findings findings;
	struct summary_operations operations;
	bool files_focus, zoomed;
	struct ts_rect area, list_at, files_at;
	char sought[SUMMARY_SOUGHT];
	char filter[SUMMARY_SOUGHT]; /* of the engine options; "" = none */
};

/* summary.c: where the panes are, after anything that changes how many rows they want. */
void summary_arrange(struct summary_view *s);

/* summary_draw.c: which lines there are, from what has arrived; the text of one, for searching. */
void summary_make_lines(struct summary_view *s);
bool summary_option_passes(const struct summary_view *s, int i);
void summary_line_text(struct summary_view *s, int i, struct ts_strbuf *out);

enum {
	HEAD_MEMORY,
	HEAD_CYCLES,
	HEAD_TARGET,
	HEAD_REPORT,
	HEAD_HOST,
	HEAD_NOTES,
	HEAD_OPTIONS,
	HEAD_CHANGE
};

enum { SUMMARY_LABEL = 15 }; /* columns of a label in the left margin */

/* summary_draw.c: a line, one that says a figure, one that leads somewhere; lines in front of a part, and in place of one. */
struct summary_line *summary_add(struct summary_view *s,
	void (*draw)(struct summary_view *, struct ts_canvas *, struct ts_rect, int), int arg);
struct summary_line *summary_figure(struct summary_view *s,
	void (*draw)(struct summary_view *, struct ts_canvas *, struct ts_rect, int), int arg,
	enum summary_figure figure);
void summary_lead(struct summary_line *l, enum summary_goal goal, int64_t object);
void summary_heading(struct summary_view *s, int which);
void summary_draw_state(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg);

/* Pieces of a line; each returns the column behind it. Words that have no room end in an ellipsis. */
int summary_label(struct ts_canvas *c, struct ts_rect r, const char *text);
int summary_say(struct ts_canvas *c, struct ts_rect r, int x, enum ts_role role, const char *text);
int summary_put_bytes(const struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int x,
	const char *before, int64_t bytes);
int summary_put_count(struct ts_canvas *c, struct ts_rect r, int x, const char *before, int64_t n);

/* summary_facts.c */
void summary_fact_lines(struct summary_view *s);

/* summary_explain.c */
void summary_explain(struct ts_view *v, struct ts_explain *out);

/* summary_cycles.c: the lines of CYCLES but for the first; `=` of an IPU's; what is read for them, and when it is worth it. */
bool summary_has_work(const struct ts_report *r);
void summary_cycle_lines(struct summary_view *s);
void summary_explain_ipu(struct summary_view *s, struct ts_explain *out, int arg);
enum ts_code summary_read_cycles(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err);
void summary_fini_cycles(struct ts_fetch *f);
enum ts_known summary_cycles_known(const struct summary_view *s); /* summary_explain.c */

/* summary_change.c: the report's figures from what has arrived; keep them at a reload; line i of the change. */
void summary_figures(struct summary_view *s);
void summary_keep_figures(struct summary_view *s);
void summary_draw_change(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int i);

/* summary_data.c: ask the workers, take their answers, forget them. */
void summary_request(struct ts_view *v);
void summary_indexed(struct ts_view *v);
enum ts_effect summary_deliver(struct ts_view *v, struct ts_fetch *f);
void summary_drop(struct summary_view *s);

/* summary_findings.c: lines of them; `out`: the address that a line leads to. */
void summary_findings_request(struct summary_view *s);
void summary_findings_deliver(struct summary_view *s, struct ts_fetch *f);
void summary_findings_drop(struct summary_findings *f);
const struct ts_rule *summary_findings_rule(const struct summary_view *s, int line); /* or NULL */
int summary_findings_lines(const struct summary_view *s);
void summary_findings_place(const struct summary_view *s, int line, char *out, size_t size);
void summary_findings_draw(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int line);

/* summary_operations.c: one line each */
void summary_operations_request(struct summary_view *s);
bool summary_operations_deliver(struct summary_view *s, struct ts_fetch *f);
void summary_operations_draw(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int i);

/* summary_files.c */
void summary_files_init(struct summary_files *p);
void summary_files_fini(struct summary_files *p);
void summary_files_drop(struct summary_files *p); /* another report, or the same again: ask anew */
void summary_files_request(struct summary_files *p, struct ts_view *v);
enum ts_effect summary_files_deliver(struct summary_files *p, struct ts_view *v,
	struct ts_fetch *f);
enum ts_effect summary_files_command(struct summary_files *p, struct ts_view *v,
	const struct ts_call *call);
enum ts_effect summary_files_mouse(struct summary_files *p, int y, int wheel);

/* Rows that it has something for, its rule included. */
int summary_files_rows(const struct summary_files *p, bool focus);
void summary_files_resize(struct summary_files *p, struct ts_rect r);
void summary_files_draw(struct ts_canvas *c, struct ts_rect r, const struct summary_files *p,
	bool focus);

#endif
