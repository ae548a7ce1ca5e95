/* SPDX-License-Identifier: MIT */
/*
 * program_tabs - tabs about a program, for every view that has one under its cursor: vertices, cycles and code by tile
 * (program_tabs.c), and its place among those that call it (program_path.c).
 *
 * A view says which program it is (struct program_tab_of) when it opens such a tab, and puts the functions into its own tables
 * of tabs.
 */
#ifndef TS_VIEW_PROGRAM_TABS_H
#define TS_VIEW_PROGRAM_TABS_H

#include "tilescope/report/program_costs.h"
#include "tilescope/report/program_details.h"
#include "tilescope/report/program_tree.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/held_list.h"
#include "tilescope/view/sheet.h"
#include "tilescope/view/tab.h"

enum program_tab { PROGRAM_VERTICES, PROGRAM_CYCLES, PROGRAM_CODE };

/*
 * Constant. A view that has sets of programs (operations) says how one is read: `program` then is its number, from 0, in what
 * is held for the question.
 */
struct program_tab_of {
	bool (*ready)(const struct ts_tab *t);	    /* it can be asked which program it is */
	int64_t (*program)(const struct ts_tab *t); /* below 0: none, or it is not recorded */
	void (*place)(const struct ts_tab *t,
		char out[TS_TAB_NOTE]); /* while nothing is known of it */
	/* Enter on a tile. */
	enum ts_effect (*open_tile)(struct ts_tab *t, int64_t tile);
	/* Enter on a program of the way; NULL: nothing. */
	enum ts_effect (*open_program)(struct ts_tab *t, int64_t program);
	/* The tree, held, where the view has it; NULL: it is read. */
	struct ts_program_tree *(*tree)(const struct ts_tab *t);
	const char *nothing; /* what is said where there is no program */
	const char *what;    /* whose context Debug tells of */
	/* Of a set of programs; NULL: of a program. In a worker: `read`, `release`. */
	void *(*hold)(const struct ts_tab *t);
	void (*release)(void *held);
	enum ts_code (*read)(struct ts_program_details *d, struct ts_reader *rd, void *held,
		int64_t number, struct ts_progress *progress, struct ts_err *err);
	bool (*about)(const struct ts_tab *t, struct ts_debug_about *out);
	/* "WITH of(p, c) AS (...) ": the programs of the set and their compute sets. False: no query says them. */
	bool (*query)(const struct ts_tab *t, char *out, size_t size);
};

/* `open` of a tab calls one of these. False: no memory. The list (held_list.h) is the first member of t->own. */
bool program_tab_open(struct ts_tab *t, const struct program_tab_of *of, enum program_tab is);
bool program_path_open(struct ts_tab *t, const struct program_tab_of *of);

/* Are they of use in this report? */
bool program_vertices_absent(const struct ts_tab *t);
bool program_cycles_absent(const struct ts_tab *t);
bool program_code_absent(const struct ts_tab *t);
bool program_path_absent(const struct ts_tab *t);

/* The rest of a table of functions, but for `sheet`. */
void program_tab_close(struct ts_tab *t);
void program_tab_drop(struct ts_tab *t);
void program_tab_note(const struct ts_tab *t, char out[TS_TAB_NOTE]);
void program_tab_resize(struct ts_tab *t);
void program_tab_request(struct ts_tab *t);
enum ts_effect program_tab_deliver(struct ts_tab *t, struct ts_fetch *f);
void program_tab_draw(struct ts_tab *t, struct ts_canvas *c, bool focus);
enum ts_effect program_tab_command(struct ts_tab *t, const struct ts_call *call);
enum ts_effect program_tab_mouse(struct ts_tab *t, int x, int y, int wheel);
bool program_tab_about(const struct ts_tab *t, struct ts_debug_about *out);
void program_tab_object(const struct ts_tab *t, struct ts_at_cursor *out);
void program_tab_explain(struct ts_tab *t, struct ts_explain *out);
struct ts_list *program_tab_list(struct ts_tab *t, bool *there);

void program_path_close(struct ts_tab *t);
void program_path_drop(struct ts_tab *t);
void program_path_note(const struct ts_tab *t, char out[TS_TAB_NOTE]);
void program_path_resize(struct ts_tab *t);
void program_path_request(struct ts_tab *t);
enum ts_effect program_path_deliver(struct ts_tab *t, struct ts_fetch *f);
void program_path_draw(struct ts_tab *t, struct ts_canvas *c, bool focus);
enum ts_effect program_path_command(struct ts_tab *t, const struct ts_call *call);
enum ts_effect program_path_mouse(struct ts_tab *t, int x, int y, int wheel);
bool program_path_about(const struct ts_tab *t, struct ts_debug_about *out);
void program_path_explain(struct ts_tab *t, struct ts_explain *out);
struct ts_list *program_path_list(struct ts_tab *t, bool *there);

/* What the figures of a program alone are, for `=` (program_explain.c). */
void program_explain(struct ts_explain *out, const struct ts_program_cost *p, enum ts_units units);

#define PROGRAM_TAB_OPS                                                                           \
	.close = program_tab_close, .drop = program_tab_drop, .note = program_tab_note,           \
	.resize = program_tab_resize, .request = program_tab_request,                             \
	.deliver = program_tab_deliver, .draw = program_tab_draw, .command = program_tab_command, \
	.mouse = program_tab_mouse, .about = program_tab_about, .explain = program_tab_explain,   \
	.object = program_tab_object, .list = program_tab_list

#define PROGRAM_PATH_OPS                                                                           \
	.close = program_path_close, .drop = program_path_drop, .note = program_path_note,         \
	.resize = program_path_resize, .request = program_path_request,                            \
	.deliver = program_path_deliver, .draw = program_path_draw,                                \
	.command = program_path_command, .mouse = program_path_mouse, .about = program_path_about, \
	.explain = program_path_explain, .list = program_path_list

#endif
