/* SPDX-License-Identifier: MIT */
/* open_internal - the state of the Open view, shared by its three files. */
#ifndef TS_VIEW_OPEN_INTERNAL_H
#define TS_VIEW_OPEN_INTERNAL_H

#include "tilescope/report/find.h"
#include "tilescope/report/recent.h"
#include "tilescope/ui/table.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/open.h"

enum open_pane { PANE_RECENT, PANE_FOUND, PANES };

enum {
	OPEN_ROWS = 1024,
	OPEN_TEXT = 200,
	OPEN_LOOKS = 32, /* directories of a host that are looked into at once */
};

/* Kinds of questions: a pane's rows, and beside them what directories of a host are. */
enum { OPEN_ASK_LOOKS = PANES };

/* What the workers are asked: one kind for each pane. */
struct open_recent {
	struct ts_fetch fetch;
	char *file;
	struct ts_recents list;
};

struct open_found {
	struct ts_fetch fetch;
	char *word; /* how the directory is called, without links once it is known: a path, or HOST:PATH */
	char *dir;		/* its path in `files` */
	struct ts_files *files; /* held; NULL: this machine's */
	struct ts_found_list list;
};

struct open_looks {
	struct ts_fetch fetch;
	struct ts_files *files; /* held */
	int row[OPEN_LOOKS];	/* of the list: `n` of them */
	struct ts_found item[OPEN_LOOKS];
	int n;
};

struct open_list {
	struct ts_list list;
	struct ts_rect area, rows;
	int row[OPEN_ROWS]; /* of the answer, in the order shown */
	int count;
	int order;		/* column by which it is sorted; -1 = as it came */
	bool reverse;		/* which way */
	char filter[OPEN_TEXT]; /* words that the path must have */
	struct ts_pane_data state;
	const struct ts_fetch *asked;
};

struct open_view {
	struct ts_view base;
	struct ts_rect area;
	enum open_pane pane;
	bool zoomed;
	bool placed; /* the keys were given to a pane that has something */
	struct open_list at[PANES];
	struct open_recent *recent; /* answers; NULL = not here yet */
	struct open_found *found;
	const struct ts_fetch *looks; /* that was asked for and is not here yet */
	char *dir;		      /* that is looked below, as its `word` */
	char *from; /* the directory that was left upwards: the cursor goes there; or NULL */
	char sought[OPEN_TEXT];
};

/* The path of row i as shown, in its file system; never NULL. */
const char *open_row_path(const struct open_view *o, enum open_pane pane, int64_t row);
const struct ts_found *open_row_found(const struct open_view *o, int64_t row);

/* How a row is called: a path, or HOST:PATH. The caller's; NULL: no memory. */
char *open_row_word(const struct open_view *o, enum open_pane pane, int64_t row);

/* open_data.c: ask for a pane anew, take answers, put the rows in order. */
void open_ask(struct open_view *o, enum open_pane pane);
void open_look(struct open_view *o); /* into directories of a host that nobody has looked into */
enum ts_effect open_deliver(struct ts_view *v, struct ts_fetch *f);
void open_arrange(struct open_view *o, enum open_pane pane);
void open_drop(struct open_view *o, enum open_pane pane);
bool open_passes(const char *path, const char *filter);

/* open_draw.c */
extern const struct ts_column *const open_columns[PANES];
extern const int open_column_count[PANES];
void open_draw(struct ts_view *v, struct ts_canvas *c);
void open_layout(struct open_view *o);
void open_table(struct ts_table *t, struct open_view *o, enum open_pane pane);

#endif
