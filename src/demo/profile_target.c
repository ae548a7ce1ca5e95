/* SPDX-License-Identifier: MIT */
/* profile_target - who wrote the profile, for what machine, with which options; passes of the compiler. */
#include "config.h"

#include "profile.h"

#include <stdio.h>

static const char compilation[] = "tilescopeDemoCompilation00000001";

/* A table of one row: texts, or numbers where the text is NULL. */
struct cell {
	const char *text;
	int64_t number;
};

static void
row(struct demo_out *out, const char *table, const struct cell *cells, int n)
{
	pf_begin(out, table);
	for (int i = 0; i < n; i++) {
		if (cells[i].text)
			demo_text(out, i, cells[i].text);
		else
			demo_int(out, i, cells[i].number);
	}
	demo_row(out);
	demo_end(out);
}

#define ROW(out, table, ...)                                \
	row(out, table, (const struct cell[]){__VA_ARGS__}, \
		(int)(sizeof((const struct cell[]){__VA_ARGS__}) / sizeof(struct cell)))

static void
who(struct demo_out *out, const struct pf_model *m)
{
	ROW(out, "poplar_version", {"3.3.0 (demo)", 0}, {"demo000000", 0}, {NULL, 3}, {NULL, 3},
		{NULL, 0});
	ROW(out, "version_info", {NULL, 3}, {NULL, 8}, {NULL, 0}, {NULL, 0}, {"graph_profile", 0});
	ROW(out, "date_time", {"2024-01-01 12:00:00", 0});
	ROW(out, "compilation_info", {compilation, 0});
	if (m->steps_wanted)
		ROW(out, "execution_info", {compilation, 0});
	ROW(out, "instrumentation_settings", {NULL, 1}, {"Tile", 0}, {NULL, 1}, {NULL, 1});
	ROW(out, "graph_info", {NULL, (int64_t)m->sets_n}, {NULL, m->edges}, {NULL, m->rows},
		{NULL, m->vertices});
}

static void
elements(struct demo_out *out, int column, const struct pf_model *m, struct ts_strbuf *b)
{
	int64_t v[64];
	size_t n = 0;

	for (int64_t at = 0; at < m->tile_bytes && n < TS_COUNT(v);) {
		v[n++] = at;
		at += at < m->interleaved ? DEMO_ELEMENT_BYTES : 2 * DEMO_ELEMENT_BYTES;
	}
	pf_put(out, column, b, TS_BLOB_LIST, v, n);
}

/* Columns of target_info that only the kind of machine decides, from the column "supervisorInstrFetchDelay" on. */
static const struct {
	int column;
	int64_t value;
} machine[] = {
	{14, 64},
	{19, 2},
	{20, 6},
	{21, 4},
	{22, 8},
	{23, 4},
	{24, 1},
	{25, 600},
	{26, 256},
	{27, 5},
	{28, 5},
	{29, 10},
	{30, 64},
	{31, 4},
	{32, 4},
	{33, 4},
	{34, 8},
	{35, 4},
	{36, 2},
	{37, 16},
	{38, 8},
	{39, 16},
	{40, 0},
	{41, 16},
	{42, 64},
	{43, 262144},
	{44, 65535},
	{45, 4},
};

static void
target(struct demo_out *out, const struct pf_model *m)
{
	const int64_t first[] = {m->tile_bytes * m->tiles, m->tile_bytes, m->clock, 10, m->ipus,
		m->all_tiles, m->tiles, m->tile_bytes * m->all_tiles, 1, m->ipus, m->all_tiles,
		m->tile_bytes * m->all_tiles};
	const int64_t regions[] = {m->interleaved, 0};
	struct ts_strbuf b;

	ts_strbuf_init(&b, 4096);
	pf_begin(out, "target_info");
	for (size_t i = 0; i < TS_COUNT(first); i++)
		demo_int(out, (int)i, first[i]);
	for (size_t i = 0; i < TS_COUNT(machine); i++)
		demo_int(out, machine[i].column, machine[i].value);
	demo_text(out, 12, m->architecture);
	demo_text(out, 13, "IPU");
	elements(out, 15, m, &b);
	demo_int(out, 16, m->interleaved);
	pf_put(out, 17, &b, TS_BLOB_LIST, regions, TS_COUNT(regions));
	demo_int(out, 18, 0x4c000);
	demo_row(out);
	demo_end(out);
	pf_begin(out, "relative_sync_delay");
	for (int64_t t = 0; t < m->all_tiles && out->code == TS_OK; t++) {
		demo_int(out, 0, t);
		demo_int(out, 1, t % m->tiles / 184);
		demo_row(out);
	}
	demo_end(out);
	ts_strbuf_fini(&b);
}

struct option {
	const char *name, *value;
	bool is_default;
};

static const struct option compile_options[] = {
	{"autoReport.directory", "./report", false},
	{"autoReport.executionProfileProgramRunCount", "2", true},
	{"autoReport.outputArchive", "true", false},
	{"autoReport.outputDebugInfo", "true", false},
	{"autoReport.outputExecutionProfile", "true", false},
	{"autoReport.outputGraphProfile", "true", false},
	{"autoReport.outputLoweredVars", "true", false},
	{"autoReport.outputSerializedGraph", "false", true},
	{"autoReport.streamAtEachRun", "true", true},
	{"debug.allowOutOfMemory", "true", false},
	{"debug.branchRecordFlush", "true", true},
	{"debug.cpuMultiThreadExecution", "true", true},
	{"debug.instrument", "true", false},
	{"debug.instrumentCompute", "true", false},
	{"debug.instrumentControlFlow", "true", false},
	{"debug.instrumentExternalExchange", "true", false},
	{"debug.retainDebugInformation", "true", true},
	{"opt.enableInlining", "true", true},
	{"opt.enableSwSyncs", "false", true},
	{"opt.internalExchangeOptimisationTarget", "cycles", true},
	{"profiler.includeCycleEstimates", "true", false},
	{"profiler.includeFlopEstimates", "true", false},
	{"profiler.programRunCount", "2", true},
	{"target.deterministicWorkers", "true", true},
	{"target.hostSyncTimeout", "300", true},
	{"target.saveArchive", "", true},
	{"target.syncReplicasIndependently", "false", true},
};

static const struct option target_options[] = {
	{"GatewayMode", "1", true},
	{"IpuLinkDomainSize", "64", true},
	{"LinksTopology", "0", true},
	{"SyncConfiguration", "0", true},
};

static const struct option execution_options[] = {
	{"profiler.perExecutionStreamCopyCycles", "false", true},
	{"streamCallbacks.maxLookahead", "unlimited", false},
	{"target.extendedMemory", "true", true},
};

static void
options(struct demo_out *out, const char *table, const struct option *o, size_t n)
{
	pf_begin(out, table);
	for (size_t i = 0; i < n; i++) {
		demo_text(out, 0, o[i].name);
		demo_text(out, 1, o[i].value);
		demo_int(out, 2, o[i].is_default);
		demo_row(out);
	}
	demo_end(out);
}

/* Passes: permille of the whole, from and length; children lie within their parents. */
static const struct {
	const char *name;
	int from, length;
} passes[] = {
	{"initTarget", 2, 26},
	{"lowerCopies", 30, 90},
	{"buildExchangeSequences", 34, 40},
	{"optimiseProgram", 125, 60},
	{"computePerfEstimates", 190, 20},
	{"lowerTileIntervalIPU", 215, 620},
	{"lowerCode", 220, 330},
	{"lowerHostExchangeCode", 230, 90},
	{"lowerControlProgram", 330, 60},
	{"lowerInstrumentationCode", 400, 110},
	{"allocateVarStorage", 560, 250},
	{"livenessAnalysisAndEquivalenceClassInterference", 562, 60},
	{"livenessAnalysis", 563, 44},
	{"allocateVariables", 630, 120},
	{"allocateAllVariables", 634, 90},
	{"dumpLoweredVars", 760, 45},
	{"linkObjs", 850, 90},
	{"getGraphMetadata", 950, 4},
	{"createExecutable", 960, 10},
	{"createCompiledGraphBinary", 0, 1000},
};

static void
trace(struct demo_out *out, const struct pf_model *m)
{
	int64_t whole = 2000000 + (int64_t)m->progs_n * 800;

	pf_begin(out, "compilation_trace");
	for (size_t i = 0; i < TS_COUNT(passes); i++) {
		demo_int(out, 0, whole / 1000 * passes[i].length);
		demo_text(out, 1, passes[i].name);
		demo_int(out, 2, 4035000000000 + whole / 1000 * passes[i].from);
		demo_row(out);
	}
	demo_end(out);
	pf_begin(out, "optimization_info");
	demo_text(out, 0, "Constant replication count");
	demo_real(out, 1, 0);
	demo_row(out);
	demo_text(out, 0, "Merged exact constants count");
	demo_real(out, 1, 12);
	demo_row(out);
	demo_end(out);
}

void
pf_write_target(struct demo_out *out, const struct pf_model *m)
{
	who(out, m);
	target(out, m);
	options(out, "compilation_parameters", compile_options, TS_COUNT(compile_options));
	options(out, "target_parameters", target_options, TS_COUNT(target_options));
	if (m->steps_wanted)
		options(out, "execution_parameters", execution_options,
			TS_COUNT(execution_options));
	trace(out, m);
}
