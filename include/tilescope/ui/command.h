/* SPDX-License-Identifier: MIT */
/*
 * command - everything that a key or a line at the prompt can ask for, in one table.
 *
 * From it come the enum, completion at the prompt, the check of keymaps, the help view and the
 * generated list of keys. Handlers live in app/ and view/: a command goes to the view, then to
 * the pane that has the keys, then to the program; the first that knows it answers with effects.
 *
 * Arguments are described by words: NAME is needed, [NAME] may be left out, NAME... takes the rest
 * of the line as it was typed, with its quotes; small letters stand for themselves ([on|off]) and are
 * completed; of a NUMBER the commas between thousands are taken away. A command is BOUND (the default keymap has a key for it) or TYPED (only at the
 * prompt); a test holds the keymaps to that.
 */
#ifndef TS_UI_COMMAND_H
#define TS_UI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/base/err.h"

/* Where keys are bound and commands work. X(ID, name, sentence) */
#define TS_CONTEXTS(X)                                                                 \
	X(GLOBAL, "global", "everywhere, unless a nearer context says otherwise")      \
	X(LIST, "list", "a list or table of rows has the keys")                        \
	X(CHART, "chart", "a chart has the keys")                                      \
	X(SUMMARY, "summary", "the Summary view")                                      \
	X(INSIGHTS, "insights", "the Insights view")                                   \
	X(MEMORY, "memory", "the Memory view")                                         \
	X(LIVENESS, "liveness", "the Liveness view")                                   \
	X(PROGRAMS, "programs", "the Programs view")                                   \
	X(OPERATIONS, "operations", "the Operations view")                             \
	X(TRACE, "trace", "the Trace view")                                            \
	X(VARIABLES, "variables", "the Variables view")                                \
	X(TABLES, "tables", "the Tables view, and the answers of SQL")                 \
	X(HELP, "help", "the Help view")                                               \
	X(LOG, "log", "the Log view")                                                  \
	X(JOBS, "jobs", "the Jobs view")                                               \
	X(OPEN, "open", "recent reports and the picker")                               \
	X(POPUP, "popup", "a box over the view: what a figure is, columns of a table") \
	X(PROMPT, "prompt", "the line at the bottom, while something is typed")

enum ts_context {
#define X(id, name, sentence) TS_CONTEXT_##id,
	TS_CONTEXTS(X)
#undef X
		TS_CONTEXT_COUNT
};

/* X(ID, name, CONTEXT, arguments, BOUND or TYPED, sentence) */
#define TS_COMMANDS(X)                                                                             \
	X(QUIT, "quit", GLOBAL, "", BOUND, "leave the program")                                    \
	X(CLOSE, "close", GLOBAL, "", BOUND, "close what is on top; the last view: leave")         \
	X(VIEW, "view", GLOBAL, "VIEW", BOUND, "show a view")                                      \
	X(HELP, "help", GLOBAL, "[COMMAND|TOPIC]", BOUND,                                          \
		"keys, commands, one of them; tiles, filter, whatif, operations, capture")         \
	X(LOG, "log", GLOBAL, "", BOUND, "show messages and running work")                         \
	X(REPORTS, "reports", GLOBAL, "", BOUND, "show recent reports and directories to open")    \
	X(JOBS, "jobs", GLOBAL, "", BOUND, "show workers, caches and the index")                   \
	X(PROMPT, "prompt", GLOBAL, "[TEXT...]", BOUND, "type a command")                          \
	X(SET, "set", GLOBAL, "OPTION [VALUE...]", TYPED, "set an option, or show its value")      \
	X(THEME, "theme", GLOBAL, "THEME", TYPED, "use other colours")                             \
	X(KEYMAP, "keymap", GLOBAL, "KEYMAP", TYPED, "use other keys")                             \
	X(MOUSE, "mouse", GLOBAL, "[on|off]", TYPED, "switch the mouse on or off")                 \
	X(RELOAD, "reload", GLOBAL, "", BOUND, "read the report again")                            \
	X(REDRAW, "redraw", GLOBAL, "", BOUND, "draw the screen from scratch")                     \
	X(SUSPEND, "suspend", GLOBAL, "", BOUND, "go back to the shell for a while")               \
	X(CANCEL, "cancel", GLOBAL, "", BOUND, "stop the work that is running; last, the index")   \
	X(INDEX, "index", GLOBAL, "[stop]", TYPED, "build the report's index, or stop building")   \
	X(SQL, "sql", GLOBAL, "[SELECT...]", TYPED, "ask by SQL; none: the last one again")        \
	X(PANE_NEXT, "pane-next", GLOBAL, "", BOUND, "give the keys to the next pane")             \
	X(PANE_PREVIOUS, "pane-previous", GLOBAL, "", BOUND, "give the keys to the pane before")   \
	X(TAB, "tab", GLOBAL, "NAME", BOUND, "show a tab of the lower pane")                       \
	X(TAB_NEXT, "tab-next", GLOBAL, "", BOUND, "the next tab of the lower pane")               \
	X(TAB_PREVIOUS, "tab-previous", GLOBAL, "", BOUND, "the tab before")                       \
	X(PANE_ZOOM, "pane-zoom", GLOBAL, "", BOUND, "this pane alone, or all of them again")      \
	X(BACK, "back", GLOBAL, "", BOUND, "back to the place before")                             \
	X(FORWARD, "forward", GLOBAL, "", BOUND, "forward again after back")                       \
	X(OPEN, "open", GLOBAL, "[PATH...]", BOUND,                                                \
		"open or unfold what has the cursor; PATH: a report")                              \
	X(GOTO, "goto", GLOBAL, "NUMBER|TILES...", TYPED,                                          \
		"put the cursor on a row, a step, a tile, the fullest of tiles")                   \
	X(TILES, "tiles", GLOBAL, "[TILES...]", TYPED,                                             \
		"select tiles for all views: 12,40-45 ipu(1) over(90%) worst(5); none: no more")   \
	X(MARK, "mark", GLOBAL, "", BOUND, "mark what has the cursor, or take its mark away")      \
	X(RANGE, "range", GLOBAL, "", BOUND, "begin a range at the cursor; again: mark it")        \
	X(MARKS_CLEAR, "marks-clear", GLOBAL, "", BOUND,                                           \
		"take back the filter of what has the keys, else marks and selected tiles")        \
	X(TICK, "tick", GLOBAL, "", BOUND,                                                         \
		"what if it were removed, halved, in 4: variable or group under the cursor")       \
	X(WHAT_IF, "whatif", GLOBAL, "[TEXT...]", TYPED,                                           \
		"what the peaks were if variables were removed or smaller")                        \
	X(GOTO_MEMORY, "goto-memory", GLOBAL, "", BOUND, "the same object in Memory")              \
	X(GOTO_LIVENESS, "goto-liveness", GLOBAL, "", BOUND, "the same object in Liveness")        \
	X(GOTO_PROGRAMS, "goto-programs", GLOBAL, "", BOUND, "the same object in Programs")        \
	X(GOTO_OPERATIONS, "goto-operations", GLOBAL, "", BOUND, "the same object in Operations")  \
	X(GOTO_TRACE, "goto-trace", GLOBAL, "", BOUND, "the same object in Trace")                 \
	X(GOTO_WHAT_IF, "goto-what-if", GLOBAL, "", BOUND,                                         \
		"the What-if tab of Liveness: peaks with the changes")                             \
	X(SEARCH, "search", GLOBAL, "[TEXT...]", BOUND, "find a name, forwards")                   \
	X(SEARCH_BACK, "search-back", GLOBAL, "[TEXT...]", BOUND, "find a name, backwards")        \
	X(SEARCH_NEXT, "search-next", GLOBAL, "", BOUND, "the next hit")                           \
	X(SEARCH_PREVIOUS, "search-previous", GLOBAL, "", BOUND, "the hit before")                 \
	X(SORT, "sort", GLOBAL, "[row|bytes|name|tile|category|COLUMN]", BOUND,                    \
		"sort by the next column, or by this one")                                         \
	X(SORT_REVERSE, "sort-reverse", GLOBAL, "", BOUND, "the same order backwards")             \
	X(FILTER, "filter", GLOBAL, "[TEXT...]", BOUND, "show only rows that match; none: all")    \
	X(DEBUG, "debug", GLOBAL, "", BOUND,                                                       \
		"show or hide where it comes from: its debug context")                             \
	X(EDIT, "edit", GLOBAL, "", BOUND, "open the source file in $VISUAL or $EDITOR")           \
	X(COPY, "copy", GLOBAL, "", BOUND, "copy the row to the terminal's clipboard (OSC 52)")    \
	X(EXPLAIN, "explain", GLOBAL, "", BOUND,                                                   \
		"what this figure is, how it was worked out, its query")                           \
	X(COLUMNS, "columns", GLOBAL, "[NAMES...]", BOUND,                                         \
		"choose a table's columns: a,b only these; +a,-b; all")                            \
	X(WRITE, "write", GLOBAL, "FILE...", TYPED,                                                \
		"write the table (.csv .json .md) or the chart (.txt .ansi .svg)")                 \
	X(WRITE_OVER, "write!", GLOBAL, "FILE...", TYPED, "the same over a file that is there")    \
	X(EXPORT, "export", GLOBAL, "FILE...", TYPED,                                              \
		"write all the view is about (steps: in sight): .csv .dot .perfetto")              \
	X(EXPORT_OVER, "export!", GLOBAL, "FILE...", TYPED, "the same over a file that is there")  \
	X(COPY_ADDRESS, "copy-address", GLOBAL, "", BOUND,                                         \
		"copy the words that open this place again")                                       \
	X(UNFOLD, "unfold", GLOBAL, "", BOUND, "unfold all of a tree")                             \
	X(FOLD, "fold", GLOBAL, "", BOUND, "fold all of a tree")                                   \
	X(UP, "up", GLOBAL, "", BOUND, "one row up")                                               \
	X(DOWN, "down", GLOBAL, "", BOUND, "one row down")                                         \
	X(LEFT, "left", GLOBAL, "", BOUND, "left: one column of a chart, part of a long name")     \
	X(RIGHT, "right", GLOBAL, "", BOUND, "right: one column of a chart, of a long name")       \
	X(PAGE_UP, "page-up", GLOBAL, "", BOUND, "one page up")                                    \
	X(PAGE_DOWN, "page-down", GLOBAL, "", BOUND, "one page down")                              \
	X(HALF_UP, "half-page-up", GLOBAL, "", BOUND, "half a page up")                            \
	X(HALF_DOWN, "half-page-down", GLOBAL, "", BOUND, "half a page down")                      \
	X(FIRST, "first", GLOBAL, "", BOUND, "the first row or column of all")                     \
	X(LAST, "last", GLOBAL, "", BOUND, "the last row or column of all")                        \
	X(ZOOM_IN, "zoom-in", CHART, "", BOUND, "zoom the chart in about the cursor")              \
	X(ZOOM_OUT, "zoom-out", CHART, "", BOUND, "zoom the chart out about the cursor")           \
	X(ZOOM_FIT, "zoom-fit", CHART, "", BOUND, "show the whole chart")                          \
	X(ZOOM_SELECTION, "zoom-selection", CHART, "", BOUND,                                      \
		"show what is marked, as large as it fits")                                        \
	X(PAGE_LEFT, "page-left", CHART, "", BOUND, "move the chart a page to the left")           \
	X(PAGE_RIGHT, "page-right", CHART, "", BOUND, "move the chart a page to the right")        \
	X(BREAKDOWN, "breakdown", CHART, "[NAME]", BOUND, "divide the chart by something else")    \
	X(SERIES, "series", CHART, "[NAME...]", BOUND, "hide or show parts of the chart")          \
	X(LIMIT_LINE, "limit-line", CHART, "", BOUND, "show or hide how much memory there is")     \
	X(TIME_UNIT, "time-unit", GLOBAL, "", BOUND, "switch between cycles and time")             \
	X(PER_IPU, "per-ipu", MEMORY, "", BOUND,                                                   \
		"the plot by IPU: sums of their tiles; or by tile")                                \
	X(FULLEST, "fullest", MEMORY, "", BOUND, "the next tile, from the fullest downwards")      \
	X(FULLEST_BACK, "fullest-back", MEMORY, "", BOUND, "the tile before, back to the fullest") \
	X(LARGEST, "largest", MEMORY, "", BOUND,                                                   \
		"the next variable of the address map, from the largest down")                     \
	X(LARGEST_BACK, "largest-back", MEMORY, "", BOUND,                                         \
		"the variable before, back to the largest")                                        \
	X(MAP, "map", MEMORY, "", BOUND,                                                           \
		"show the tiles as a map of the IPUs, or as a graph again")                        \
	X(METRIC, "metric", MEMORY, "[NAME...]", BOUND,                                            \
		"show another metric of the tiles: the next, or this one")                         \
	X(METRIC_BACK, "metric-back", MEMORY, "", BOUND, "the metric before")                      \
	X(SCALE, "scale", MEMORY, "[linear|log|limit]", BOUND,                                     \
		"another scale of the map's colours")                                              \
	X(TILE_ORDER, "order", MEMORY, "[software|physical]", BOUND,                               \
		"order of the tiles: by number, or physical in each IPU")                          \
	X(BOTTLENECK, "bottleneck", LIVENESS, "", BOUND,                                           \
		"show the tile with most live bytes, at that step, in the heat map")               \
	X(AXES, "axes", LIVENESS, "", BOUND, "what + and - zoom in the heat map")                  \
	X(PEAK_NEXT, "peak-next", LIVENESS, "", BOUND, "the next peak, from the highest down")     \
	X(PEAK_PREVIOUS, "peak-previous", LIVENESS, "", BOUND, "the peak before, back up")         \
	X(LEVEL, "level", VARIABLES, "[lowered|unlowered]", BOUND,                                 \
		"variables before lowering, or their pieces on the tiles")                         \
	X(THRESHOLD, "threshold", PROGRAMS, "[PERCENT]", TYPED,                                    \
		"leave out programs below this share of all cycles")                               \
	X(SOFTWARE_LAYER, "layer", OPERATIONS, "[NAME...]", BOUND,                                 \
		"operations of the next layer of software, or of this one")                        \
	X(LAYER_TREE, "layer-tree", OPERATIONS, "[on|off]", BOUND,                                 \
		"all layers of software as a tree, or one as a table")                             \
	X(ROLLUP, "rollup", OPERATIONS, "[REGEX...]", BOUND,                                       \
		"group operations by what this finds in their names; none: on, off")               \
	X(SOURCE, "source", LIVENESS, "[TEXT...]", BOUND,                                          \
		"whose liveness: the next, all, selected, ipu N, tile N, TILES")                   \
	X(REPLICA, "replica", LIVENESS, "", BOUND, "figures of the device, or of one replica")     \
	X(ONLY, "only", LIVENESS, "[all|born|died|changed]", BOUND,                                \
		"list all variables, or only those that were born or died")                        \
	X(DRAWING, "drawing", TRACE, "[NAME]", BOUND,                                              \
		"draw the time in another way: the next, or this")                                 \
	X(DRAWING_BACK, "drawing-back", TRACE, "", BOUND, "the drawing before")                    \
	X(SCOPE, "scope", TRACE, "[view|range|run|all]", BOUND,                                    \
		"balance: of what is in view, is marked, of the run, of all")                      \
	X(TILES_IN, "tiles-in", TRACE, "", BOUND, "by tile: fewer tiles, around the cursor")       \
	X(TILES_OUT, "tiles-out", TRACE, "", BOUND, "by tile: more tiles, around the cursor")      \
	X(EXECUTIONS, "executions", TRACE, "", BOUND,                                              \
		"find all executions of the step's compute set")                                   \
	X(JUMP, "jump", TRACE, "WHAT", BOUND,                                                      \
		"the next step, run, class, gap, or longest in sight")                             \
	X(JUMP_BACK, "jump-back", TRACE, "WHAT", BOUND, "the one before")                          \
	X(MERGE, "merge", TRACE, "[all|view|run|marks]", BOUND,                                    \
		"merge frames of all, the view, the run, or the marks")                            \
	X(MERGE_IPUS, "merge-ipus", TRACE, "", BOUND, "merge all IPUs, or the selected one")       \
	X(LANES, "lanes", TRACE, "[LIST...]", TYPED,                                               \
		"lanes of these IPUs only: 0,2-5; none or all: of all")                            \
	X(LANE_FOLD, "lane-fold", TRACE, "", BOUND,                                                \
		"make the IPU's lane one row, or more of them")                                    \
	X(STAGES, "stages", TRACE, "[REGEX|BYTES]", TYPED,                                         \
		"stages of the pipeline: by name, or by exchanges of more than this")              \
	X(IPU_NEXT, "ipu-next", GLOBAL, "", BOUND, "the next IPU, or its lane")                    \
	X(IPU_PREVIOUS, "ipu-previous", GLOBAL, "", BOUND, "the IPU before, or its lane")          \
	X(ACCEPT, "accept", PROMPT, "", BOUND, "take the line as it is")                           \
	X(DISMISS, "dismiss", PROMPT, "", BOUND, "leave the line without doing anything")          \
	X(SEARCH_ON, "search-on", PROMPT, "", BOUND,                                               \
		"search, or the next hit; the line stays; empty: as before")                       \
	X(SEARCH_ON_BACK, "search-on-back", PROMPT, "", BOUND, "the same backwards")               \
	X(COMPLETE, "complete", PROMPT, "", BOUND, "complete the word, then the next candidate")   \
	X(COMPLETE_BACK, "complete-back", PROMPT, "", BOUND, "the candidate before")               \
	X(OLDER, "older", PROMPT, "", BOUND, "the line typed before")                              \
	X(NEWER, "newer", PROMPT, "", BOUND, "the line typed after")                               \
	X(CHAR_LEFT, "char-left", PROMPT, "", BOUND, "one character to the left")                  \
	X(CHAR_RIGHT, "char-right", PROMPT, "", BOUND, "one character to the right")               \
	X(WORD_LEFT, "word-left", PROMPT, "", BOUND, "one word to the left")                       \
	X(WORD_RIGHT, "word-right", PROMPT, "", BOUND, "one word to the right")                    \
	X(LINE_BEGIN, "line-begin", PROMPT, "", BOUND, "to the begin of the line")                 \
	X(LINE_END, "line-end", PROMPT, "", BOUND, "to the end of the line")                       \
	X(ERASE, "erase", PROMPT, "", BOUND, "erase the character before the cursor")              \
	X(ERASE_RIGHT, "erase-right", PROMPT, "", BOUND, "erase the character at the cursor")      \
	X(ERASE_WORD, "erase-word", PROMPT, "", BOUND, "erase the word before the cursor")         \
	X(ERASE_BEGIN, "erase-begin", PROMPT, "", BOUND, "erase from the begin to the cursor")     \
	X(ERASE_END, "erase-end", PROMPT, "", BOUND, "erase from the cursor to the end")

enum ts_cmd {
#define X(id, name, context, args, bound, sentence) TS_CMD_##id,
	TS_COMMANDS(X)
#undef X
		TS_CMD_COUNT
};

struct ts_command {
	const char *name;
	const char *args; /* "" = none */
	const char *help; /* a sentence without capital and period */
	enum ts_context context;
	bool typed; /* needs no key */
};

struct ts_context_info {
	const char *name;
	const char *help;
};

extern const struct ts_command ts_commands[TS_CMD_COUNT];
extern const struct ts_context_info ts_contexts[TS_CONTEXT_COUNT];

/* By whole name; -1 when there is none. */
int ts_command_find(const char *name);
int ts_context_find(const char *name);

/*
 * Complete names of commands that are not of the prompt: the commands that begin with the n bytes
 * at `prefix`, in the table's order, into out[0..max). Returns how many there are (may exceed max).
 */
int ts_command_complete(const char *prefix, size_t n, const struct ts_command *out[], int max);

/*
 * The same for argument i: words that stand for themselves in the command's arguments and begin with
 * `prefix`.
 */
enum { TS_COMMAND_WORD = 16 };
int ts_command_complete_arg(enum ts_cmd cmd, int i, const char *prefix, char out[][TS_COMMAND_WORD],
	int max);

/* What may be typed as its text, by examples ("tile:1,4-9 bytes>64KiB"); NULL: any text. */
const char *ts_command_words(enum ts_cmd cmd);

/* A command with its arguments, as a binding or a typed line gives it. May be copied. */
enum { TS_CALL_ARGS = 8, TS_CALL_TEXT = 1024 };

struct ts_call {
	enum ts_cmd cmd;
	bool absolute; /* the next hit is forwards, the one before backwards, whatever way the search went */
	int argc;
	uint16_t at[TS_CALL_ARGS]; /* where argument i begins in `text` */
	char text[TS_CALL_TEXT];   /* the arguments, each with its NUL */
};

/* Argument i, or NULL when there are fewer. */
static inline const char *
ts_call_arg(const struct ts_call *call, int i)
{
	return i >= 0 && i < call->argc ? call->text + call->at[i] : NULL;
}

/* Which way search-next or search-previous goes where the search went that way (+1, -1). */
int ts_search_step(const struct ts_call *call, int direction);

/*
 * Split a typed line (`view memory`, "..." quotes a word) and look the command up: by name, or
 * by a beginning that only one command has; a number alone is `goto NUMBER`; `q!`, `qa`, `wq` and
 * the like are `quit`. The number of arguments is checked; for NAME... the rest is one argument. Errors: TS_E_USAGE.
 */
enum ts_code ts_call_parse(struct ts_call *call, const char *line,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * Fill *call from words that are already split (a binding). The words are copied. Arguments are
 * checked as above.
 */
enum ts_code ts_call_make(struct ts_call *call, enum ts_cmd cmd, char *const words[], int n,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
