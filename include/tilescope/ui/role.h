/* SPDX-License-Identifier: MIT */
/*
 * role - what a cell of the screen means. Views say roles, themes say colours.
 *
 * The number of a role is its place in the list and may change; its name may not (themes of users
 * name it). The letter stands for it in role dumps (ts_canvas_dump_roles), one letter per role.
 */
#ifndef TS_UI_ROLE_H
#define TS_UI_ROLE_H

/* X(ID, name, letter, sentence) */
#define TS_ROLES(X)                                                                              \
	X(TEXT, "text", '.', "ordinary text and blank cells")                                    \
	X(DIM, "dim", 'd', "text of less weight, rows that are still loading")                   \
	X(TITLE, "title", 't', "name of the program, the report, a panel")                       \
	X(TAB, "tab", 'u', "a view in the tab line")                                             \
	X(TAB_ACTIVE, "tab_active", 'U', "the view that is shown, in the tab line")              \
	X(BORDER, "border", 'b', "lines between panes")                                          \
	X(BORDER_ACTIVE, "border_active", 'B', "line or title of the pane that has the keys")    \
	X(LABEL, "label", 'l', "what a figure is")                                               \
	X(VALUE, "value", 'v', "a figure")                                                       \
	X(ACCENT, "accent", 'a', "the figure that matters most")                                 \
	X(NOTE, "note", 'n', "honesty marks: assumed, estimated, repeated, partial")             \
	X(GOOD, "good", 'g', "within the limits, shrinking")                                     \
	X(WARN, "warn", 'w', "close to a limit, a warning")                                      \
	X(BAD, "bad", 'r', "over the limit, growing, failed")                                    \
	X(CURSOR, "cursor", 'c', "row or column under the cursor of the pane that has the keys") \
	X(CURSOR_OTHER, "cursor_other", 'k', "row or column under the cursor of another pane")   \
	X(COLUMN, "column", 'q', "column of a chart under the cursor")                           \
	X(COLUMN_OTHER, "column_other", 'Q', "the same, of a pane that does not have the keys")  \
	X(SELECTION, "selection", 's', "marked rows and columns")                                \
	X(MATCH, "match", 'm', "what a search found")                                            \
	X(HEADER, "header", 'h', "titles of the columns of a table")                             \
	X(TOTAL, "total", 'T', "the pinned total of a table")                                    \
	X(AXIS, "axis", 'x', "axes, ticks and their labels")                                     \
	X(LIMIT, "limit", 'L', "the line that must not be crossed (memory of a tile)")           \
	X(BOUNDARY, "boundary", 'I', "where an IPU or a run ends in a chart")                    \
	X(FILL, "fill", 'f', "area of a chart: the mean of each column")                         \
	X(OUTLINE, "outline", 'o', "outline of a chart: the maximum of each column")             \
	X(BASE, "base", 'A', "area of a chart that is always there: always-live memory")         \
	X(MARK, "mark", 'M', "marked places in charts and strips")                               \
	X(STRIP, "strip", 'p', "overview strip above a chart")                                   \
	X(STRIP_VISIBLE, "strip_visible", 'P', "the visible part of an overview strip")          \
	X(BAR, "bar", '#', "filled part of a bar")                                               \
	X(BAR_EMPTY, "bar_empty", '-', "empty part of a bar")                                    \
	X(HINT_KEY, "hint_key", 'K', "keys in the hint line and the help")                       \
	X(HINT_TEXT, "hint_text", 'H', "words in the hint line")                                 \
	X(STATUS, "status", 'S', "read-out line")                                                \
	X(PROMPT, "prompt", ':', "what the user types")                                          \
	X(ERROR, "error", '!', "error messages")                                                 \
	X(INK, "ink", 'i', "letters that stand on a coloured area")                              \
	X(COMPUTE, "compute", 'C', "step class: compute")                                        \
	X(EXCHANGE, "exchange", 'X', "step class: exchange between tiles")                       \
	X(GLOBAL_EXCHANGE, "global_exchange", 'G', "step class: exchange between IPUs")          \
	X(SYNC, "sync", 'Y', "step class: sync of tiles")                                        \
	X(EXTERNAL_SYNC, "external_sync", 'W', "step class: sync with other IPUs and the host")  \
	X(ASYNC_SYNC, "async_sync", '&', "step class: sync that is answered later (SyncAns)")    \
	X(HOST_WAIT, "host_wait", 'j', "step class: waiting for the host (StreamCopyBegin)")     \
	X(HOST_COPY, "host_copy", 'y', "step class: copying from and to the host")               \
	X(HOST_END, "host_end", 'e', "step class: end of a copy (StreamCopyEnd)")                \
	X(CONTROL, "control", 'z', "step class: control and everything else")                    \
	X(SERIES_0, "series_0", '0', "first of the colours for categories")                      \
	X(SERIES_1, "series_1", '1', "colour for categories")                                    \
	X(SERIES_2, "series_2", '2', "colour for categories")                                    \
	X(SERIES_3, "series_3", '3', "colour for categories")                                    \
	X(SERIES_4, "series_4", '4', "colour for categories")                                    \
	X(SERIES_5, "series_5", '5', "colour for categories")                                    \
	X(SERIES_6, "series_6", '6', "colour for categories")                                    \
	X(SERIES_7, "series_7", '7', "colour for categories")                                    \
	X(SERIES_8, "series_8", '8', "colour for categories")                                    \
	X(SERIES_9, "series_9", '9', "colour for categories")                                    \
	X(SERIES_10, "series_10", 'D', "colour for categories")                                  \
	X(SERIES_11, "series_11", 'E', "colour for categories")                                  \
	X(SERIES_12, "series_12", 'F', "colour for categories")                                  \
	X(SERIES_13, "series_13", 'J', "colour for categories")                                  \
	X(SERIES_14, "series_14", 'N', "colour for categories")                                  \
	X(SERIES_15, "series_15", 'O', "last of the colours for categories")                     \
	X(HEAT_0, "heat_0", '\'', "first level of a heat map: least")                            \
	X(HEAT_1, "heat_1", '(', "level of a heat map")                                          \
	X(HEAT_2, "heat_2", ')', "level of a heat map")                                          \
	X(HEAT_3, "heat_3", '*', "level of a heat map")                                          \
	X(HEAT_4, "heat_4", '+', "level of a heat map")                                          \
	X(HEAT_5, "heat_5", ',', "level of a heat map")                                          \
	X(HEAT_6, "heat_6", '/', "level of a heat map")                                          \
	X(HEAT_7, "heat_7", ';', "level of a heat map")                                          \
	X(HEAT_8, "heat_8", '<', "level of a heat map")                                          \
	X(HEAT_9, "heat_9", '=', "level of a heat map")                                          \
	X(HEAT_10, "heat_10", '>', "level of a heat map")                                        \
	X(HEAT_11, "heat_11", '?', "last level of a heat map: most")                             \
	X(HEAT_UNKNOWN, "heat_unknown", '_', "heat map: not known")                              \
	X(HEAT_SELECTED_0, "heat_selected_0", '[', "heat map: selected, four levels")            \
	X(HEAT_SELECTED_1, "heat_selected_1", '\\', "heat map: selected, four levels")           \
	X(HEAT_SELECTED_2, "heat_selected_2", ']', "heat map: selected, four levels")            \
	X(HEAT_SELECTED_3, "heat_selected_3", '^', "heat map: selected, four levels")            \
	X(HEAT_SELECTED_OVER, "heat_selected_over", '@', "heat map: selected, over a limit")     \
	X(LESS_3, "less_3", '{', "difference: much less")                                        \
	X(LESS_2, "less_2", '|', "difference: less")                                             \
	X(LESS_1, "less_1", '}', "difference: a little less")                                    \
	X(SAME, "same", '~', "difference: none")                                                 \
	X(MORE_1, "more_1", 'R', "difference: a little more")                                    \
	X(MORE_2, "more_2", 'V', "difference: more")                                             \
	X(MORE_3, "more_3", 'Z', "difference: much more")                                        \
	X(GAPS, "gaps", '%', "part of a plot: gaps that the allocator left")                     \
	X(REST, "rest", '$', "part of a plot: what is in none of its other parts")

enum ts_role {
#define X(id, name, letter, sentence) TS_ROLE_##id,
	TS_ROLES(X)
#undef X
		TS_ROLE_COUNT
};

/* The step classes in the order of VIEWS.md: role = TS_ROLE_COMPUTE + class. */
enum { TS_ROLE_CLASSES = TS_ROLE_CONTROL - TS_ROLE_COMPUTE + 1 };

/* Colours for categories: role = TS_ROLE_SERIES_0 + i % TS_ROLE_SERIES. */
enum { TS_ROLE_SERIES = TS_ROLE_SERIES_15 - TS_ROLE_SERIES_0 + 1 };

/* Levels of a heat map (ui/heat.h), and of its selected cells. */
enum { TS_ROLE_HEAT = TS_ROLE_HEAT_11 - TS_ROLE_HEAT_0 + 1 };
enum { TS_ROLE_HEAT_SELECTED = TS_ROLE_HEAT_SELECTED_3 - TS_ROLE_HEAT_SELECTED_0 + 1 };

struct ts_role_info {
	const char *name;
	char letter;
	const char *sentence;
};

extern const struct ts_role_info ts_roles[TS_ROLE_COUNT];

/* The role with that name, or -1. */
int ts_role_find(const char *name);

#endif
