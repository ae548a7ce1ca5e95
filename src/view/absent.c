/* SPDX-License-Identifier: MIT */
/* absent - see the header. */
#include "config.h"

#include "tilescope/view/absent.h"

#include "tilescope/base/mem.h"
#include "tilescope/ui/keymap.h"
#include "tilescope/view/view.h"

#define ALL "on with autoReport.all"
#define GRAPH "autoReport.outputGraphProfile"
#define GRAPH_COST "compile time and file size, no memory of the IPU"
#define LOWERED "autoReport.outputLoweredVars"
#define LOWERED_COST "file size, no memory of the IPU; leaving it out does not make viewing faster"
#define EXECUTION "autoReport.outputExecutionProfile"
#define EXECUTION_COST \
	"the dearest part: IPU memory for cycles and branch records, host time after every run"
#define DEBUG "autoReport.outputDebugInfo"
#define DEBUG_COST "file size, no memory of the IPU"

const struct ts_absent_text ts_absent_texts[TS_ABSENT_COUNT] = {
	[TS_ABSENT_TILES] = {TS_TILE_MEMORY, "memory of the tiles", GRAPH, ALL, GRAPH_COST,
		.instead = {TS_INSTEAD_VARIABLES, TS_INSTEAD_LIVENESS, TS_INSTEAD_TRACE,
			TS_INSTEAD_TABLES}},
	[TS_ABSENT_CATEGORIES] = {TS_TILE_CATEGORY, "the categories of memory", GRAPH, ALL,
		GRAPH_COST,
		.instead = {TS_INSTEAD_TILE_VARIABLES, TS_INSTEAD_VARIABLES, TS_INSTEAD_TABLES}},
	[TS_ABSENT_LOWERED_CATEGORIES] = {TS_LOWERED_VARIABLE, "the categories of memory", LOWERED,
		ALL, LOWERED_COST,
		.instead = {TS_INSTEAD_TILE_VARIABLES, TS_INSTEAD_VARIABLES, TS_INSTEAD_TABLES}},
	[TS_ABSENT_TILE_VARIABLES] = {TS_LOWERED_VARIABLE,
		"lowered variables, the variables of each tile", LOWERED, ALL, LOWERED_COST,
		.instead = {TS_INSTEAD_CATEGORIES, TS_INSTEAD_LIVENESS, TS_INSTEAD_TABLES}},
	[TS_ABSENT_TILE_CODE] = {TS_RELATION_COUNT, "the code of this tile",
		"autoReport.outputArchive", ALL,
		"file size: archive.a holds the executable of every tile",
		.instead = {TS_INSTEAD_CATEGORIES, TS_INSTEAD_TILE_VARIABLES}},
	[TS_ABSENT_TILE_WORK] = {TS_RELATION_COUNT,
		"what runs on each tile: compute sets, vertices and exchanges by tile", GRAPH, ALL,
		GRAPH_COST,
		.instead = {TS_INSTEAD_CATEGORIES, TS_INSTEAD_TILE_VARIABLES, TS_INSTEAD_TABLES}},
	[TS_ABSENT_OFFSETS] = {TS_LOWERED_VARIABLE, "where variables stand in the memory of a tile",
		LOWERED, ALL "; vars.json has it for some tiles", LOWERED_COST,
		.instead = {TS_INSTEAD_TILE_VARIABLES, TS_INSTEAD_CATEGORIES, TS_INSTEAD_TABLES}},
	[TS_ABSENT_PROGRAMS] = {TS_PROGRAM, "the programs that the engine was loaded with", GRAPH,
		ALL, GRAPH_COST,
		.instead = {TS_INSTEAD_MEMORY, TS_INSTEAD_LIVENESS, TS_INSTEAD_TRACE,
			TS_INSTEAD_TABLES}},
	[TS_ABSENT_LIVENESS] = {TS_LIVENESS_STEP, "how much memory is live at each step", GRAPH,
		ALL, GRAPH_COST,
		.instead = {TS_INSTEAD_MEMORY, TS_INSTEAD_VARIABLES, TS_INSTEAD_TRACE,
			TS_INSTEAD_TABLES}},
	[TS_ABSENT_LIVE_VARIABLES] = {TS_LIVENESS_VARIABLE, "which variables are live at each step",
		GRAPH, ALL, GRAPH_COST,
		.instead = {TS_INSTEAD_VARIABLES, TS_INSTEAD_MEMORY, TS_INSTEAD_TABLES}},
	[TS_ABSENT_PEAK_VARIABLES] = {TS_VARIABLE,
		"the variables before lowering, and which of them are live at the peak", GRAPH, ALL,
		GRAPH_COST,
		.instead = {TS_INSTEAD_VARIABLES, TS_INSTEAD_LIVENESS, TS_INSTEAD_MEMORY,
			TS_INSTEAD_TABLES}},
	[TS_ABSENT_TILE_LIVES] = {TS_CLASS_INTERVAL,
		"when the lowered variables of each tile are live", LOWERED, ALL, LOWERED_COST,
		.instead = {TS_INSTEAD_LIVENESS, TS_INSTEAD_VARIABLES, TS_INSTEAD_MEMORY,
			TS_INSTEAD_TABLES}},
	[TS_ABSENT_OPERATIONS] = {TS_RELATION_COUNT,
		"operations of the software's layers, and debug contexts to find them by", DEBUG,
		"on with autoReport.enable", DEBUG_COST,
		.instead = {TS_INSTEAD_PROGRAMS, TS_INSTEAD_TRACE, TS_INSTEAD_VARIABLES,
			TS_INSTEAD_MEMORY, TS_INSTEAD_TABLES}},
	[TS_ABSENT_STEPS] = {TS_STEP, "the steps of the execution", EXECUTION,
		ALL "; a program that does not fit is never run", EXECUTION_COST,
		.instead = {TS_INSTEAD_BLOCKS, TS_INSTEAD_MEMORY, TS_INSTEAD_LIVENESS,
			TS_INSTEAD_VARIABLES, TS_INSTEAD_TABLES}},
	[TS_ABSENT_LANES] = {TS_STEP_IPU, "what each IPU did in a step", EXECUTION, ALL,
		EXECUTION_COST,
		.instead = {TS_INSTEAD_STEPS, TS_INSTEAD_MEMORY, TS_INSTEAD_TABLES}},
	[TS_ABSENT_BLOCKS] = {TS_BLOCK, "blocks of lightweight profiling", "profiler.blocks.filter",
		"a regular expression for the names of blocks", "little; one tile per IPU",
		.instead = {TS_INSTEAD_STEPS, TS_INSTEAD_TABLES}},
	[TS_ABSENT_TILE_CYCLES] = {TS_RELATION_COUNT,
		"cycles of each tile: what compute sets and exchanges take", EXECUTION, ALL,
		EXECUTION_COST,
		.instead = {TS_INSTEAD_STEPS, TS_INSTEAD_MEMORY, TS_INSTEAD_TABLES}},
	[TS_ABSENT_VARIABLES] = {TS_LOWERED_VARIABLE, "the lowered variables of the tiles", LOWERED,
		ALL, LOWERED_COST,
		.instead = {TS_INSTEAD_UNLOWERED, TS_INSTEAD_MEMORY, TS_INSTEAD_LIVENESS,
			TS_INSTEAD_TRACE, TS_INSTEAD_TABLES}},
	[TS_ABSENT_CONTEXTS] = {TS_RELATION_COUNT, "debug contexts", DEBUG,
		"on with autoReport.enable", DEBUG_COST, .instead = {TS_INSTEAD_NONE}},
	[TS_ABSENT_CONTEXT_COLUMN] = {TS_RELATION_COUNT, "which debug context this has", DEBUG,
		"on with autoReport.enable", DEBUG_COST, .instead = {TS_INSTEAD_TABLES}},
};

/*
 * A view of the report (`view`); a tab of the panel's own view (`title` alone), which may stand beside it; or the pane
 * after the panel's.
 */
static const struct {
	const char *view, *title, *shows;
	enum ts_relation relation; /* that it needs; TS_RELATION_COUNT: a database */
} places[TS_INSTEAD_COUNT] = {
	[TS_INSTEAD_MEMORY] = {"memory", "Memory", "how full each tile is", TS_TILE_MEMORY},
	[TS_INSTEAD_CATEGORIES] = {NULL, "tab Details", "the categories of the tile",
		TS_TILE_CATEGORY},
	[TS_INSTEAD_TILE_VARIABLES] = {NULL, "tab Variables", "the variables of the tile",
		TS_LOWERED_VARIABLE},
	[TS_INSTEAD_LIVENESS] = {"liveness", "Liveness", "what is live at each step",
		TS_LIVENESS_STEP},
	[TS_INSTEAD_PROGRAMS] = {"programs", "Programs", "what each program costs", TS_PROGRAM},
	[TS_INSTEAD_TRACE] = {"trace", "Trace", "the steps of the execution", TS_STEP},
	[TS_INSTEAD_STEPS] = {NULL, NULL, "the steps, by number and name", TS_STEP},
	[TS_INSTEAD_BLOCKS] = {NULL, NULL, "the blocks of lightweight profiling", TS_BLOCK},
	[TS_INSTEAD_VARIABLES] = {"variables", "Variables", "the variables of the tiles",
		TS_LOWERED_VARIABLE},
	[TS_INSTEAD_UNLOWERED] = {NULL, NULL, "the variables before lowering", TS_VARIABLE},
	[TS_INSTEAD_TABLES] = {"tables", "Tables", "any table of the file", TS_RELATION_COUNT},
};

static bool
is_there(const struct ts_report *r, enum ts_instead place)
{
	if (place == TS_INSTEAD_NONE || !r)
		return false;
	if (places[place].relation == TS_RELATION_COUNT)
		return r->kind != TS_KIND_ARCHIVE;
	return ts_report_has(r, places[place].relation);
}

/* The keys that lead to it: those of the view, of the other level of Variables, or of the next pane. */
static void
print_keys(char out[TS_KEYS_TEXT], const struct ts_view_env *env, enum ts_instead place)
{
	static const enum ts_context contexts[] = {TS_CONTEXT_VARIABLES, TS_CONTEXT_GLOBAL};
	const char *view = places[place].view;
	bool level = place == TS_INSTEAD_UNLOWERED;
	enum ts_cmd cmd = level ? TS_CMD_LEVEL : view ? TS_CMD_VIEW : TS_CMD_PANE_NEXT;
	const struct ts_key_binding *b = env->keymap
		? ts_keymap_of(env->keymap, level ? contexts : contexts + 1, level ? 2 : 1, cmd,
			  view)
		: NULL;

	out[0] = '\0';
	if (b)
		ts_keys_print(out, &b->keys);
}

static bool
is_tab(enum ts_instead place)
{
	return places[place].title && !places[place].view;
}

static void
add_instead(struct ts_strbuf *out, const struct ts_view_env *env, const struct ts_absent_text *a)
{
	const char *before = "Instead: ";

	for (int i = 0; i < TS_INSTEADS; i++) {
		enum ts_instead place = a->instead[i];
		char keys[TS_KEYS_TEXT];

		if (!is_there(env->report, place))
			continue;
		print_keys(keys, env, place);
		if (is_tab(place)) /* the line of hints has the key, where there is need for one */
			keys[0] = '\0';
		ts_strbuf_puts(out, before);
		if (places[place].title)
			ts_strbuf_printf(out, "%s%s%s%s, ", places[place].title,
				keys[0] ? " (" : "", keys, keys[0] ? ")" : "");
		ts_strbuf_puts(out, places[place].shows);
		if (!places[place].title && keys[0])
			ts_strbuf_printf(out, " (%s)", keys);
		before = "; ";
	}
	ts_strbuf_puts(out, before[0] == ';' ? ".\n" : "");
}

/* The table is there, but not the columns that are looked for: an SDK that names them in another way. */
static bool
is_named_otherwise(const struct ts_report *r, const struct ts_absent_text *a)
{
	return r && a->relation != TS_RELATION_COUNT && !ts_report_has(r, a->relation) &&
		r->binding[a->relation].object;
}

const char *
ts_absent_vertex_names(const struct ts_report *r)
{
	return r && ts_report_has_column(r, TS_VERTEX_TYPE, TS_VERTEX_TYPE_NAME)
		? NULL
		: "vertex names not recorded";
}

void
ts_absent_describe(struct ts_strbuf *out, const struct ts_view_env *env, enum ts_absent which,
	const char *why, bool brief)
{
	const struct ts_absent_text *a = &ts_absent_texts[which];
	const char *remark = brief ? NULL : a->remark;
	bool is_archive = env->report && env->report->kind == TS_KIND_ARCHIVE;

	ts_strbuf_printf(out, "Not in this report: %s.\n", a->what ? a->what : "this");
	if (is_archive && a->relation != TS_RELATION_COUNT)
		why = "there is no profile.pop, only archive.a";
	if (why[0])
		ts_strbuf_printf(out, "Why: %s.\n", why);
	if (a->option)
		ts_strbuf_printf(out, "Recorded by: %s%s%s%s.\n", a->option, remark ? " (" : "",
			remark ? remark : "", remark ? ")" : "");
	if (a->cost && !brief)
		ts_strbuf_printf(out, "Costs: %s.\n", a->cost);
	add_instead(out, env, a);
	if (is_named_otherwise(env->report, a))
		ts_strbuf_puts(out,
			"Or: it is there under a name that is not known yet; tilescope schema lists "
			"what there is.\n");
}
