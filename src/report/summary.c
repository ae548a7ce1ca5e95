/* SPDX-License-Identifier: MIT */
/* summary - see the header. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/fmt.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/archive.h"
#include "tilescope/report/consistency.h"
#include "tilescope/report/memory_identity.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/proportions.h"
#include "tilescope/report/summary.h"

/* --- small facts ------------------------------------------------------------------------------ */

static const struct {
	const char *key;
	size_t offset;
} facts[] = {
	{"poplar_version", offsetof(struct ts_about, poplar_version)},
	{"package_hash", offsetof(struct ts_about, package_hash)},
	{"compute_instrumentation", offsetof(struct ts_about, compute_instrumentation)},
	{"exchange_instrumentation", offsetof(struct ts_about, exchange_instrumentation)},
};

static bool
text_is(const char *s, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(s, word, n) == 0;
}

static void
keep_fact(struct ts_about *a, struct ts_rows *rows)
{
	const char *key, *value;
	size_t key_n, n;

	if (ts_rows_text(rows, 0, &key, &key_n) != TS_VALUE_OK ||
		ts_rows_text(rows, 1, &value, &n) != TS_VALUE_OK)
		return;
	for (size_t i = 0; i < TS_COUNT(facts); i++)
		if (text_is(key, key_n, facts[i].key))
			snprintf((char *)a + facts[i].offset, TS_VERSION_MAX, "%.*s",
				(int)ts_min_i64((int64_t)n, TS_VERSION_MAX), value);
}

enum ts_code
ts_about_read(struct ts_about *a, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_REPORT_KEY, TS_REPORT_VALUE},
		.column_count = 2,
		.past_damage = true};
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	*a = (struct ts_about){.measured = -1};
	if (!ts_report_has(rd->report, TS_REPORT))
		return TS_OK;
	code = ts_reader_rows(&rows, rd, TS_REPORT, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there)
		keep_fact(a, rows);
	ts_rows_close(rows);
	if (strcmp(a->compute_instrumentation, "off") == 0)
		a->measured = 0;
	else if (a->compute_instrumentation[0] &&
		strcmp(a->compute_instrumentation, "unknown") != 0)
		a->measured = 1;
	return code;
}

/* Rows that have a number in each of the columns of q; *bad: those that have not. */
static enum ts_code
count_rows(int64_t *count, int64_t *bad, struct ts_reader *rd, enum ts_relation relation,
	const struct ts_rows_query *q, struct ts_err *err)
{
	struct ts_rows *rows;
	enum ts_code code;
	bool there;
	int64_t v;

	*count = TS_UNKNOWN;
	*bad = 0;
	if (!ts_report_has(rd->report, relation))
		return TS_OK;
	code = ts_reader_rows(&rows, rd, relation, q, err);
	if (code)
		return code;
	*count = 0;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		bool whole = true;

		for (int i = 0; i < q->column_count; i++)
			whole &= ts_rows_number(rows, i, &v) == TS_VALUE_OK;
		*count += whole;
		*bad += !whole;
	}
	ts_rows_close(rows);
	return code;
}

enum ts_code
ts_count_rows(int64_t *count, struct ts_reader *rd, enum ts_relation relation, int column,
	struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {column}, .column_count = 1, .past_damage = true};
	int64_t bad;

	return count_rows(count, &bad, rd, relation, &q, err);
}

enum ts_code
ts_count_runs(int64_t *count, int64_t *bad_rows, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_RUN_RUN, TS_RUN_FIRST_STEP, TS_RUN_STEP_COUNT},
		.column_count = 3,
		.past_damage = true};

	return count_rows(count, bad_rows, rd, TS_RUN, &q, err);
}

static const struct {
	const char *name;
	size_t offset;
} counts[] = {
	{"compute_sets", offsetof(struct ts_graph, compute_sets)},
	{"programs", offsetof(struct ts_graph, programs)},
	{"variables", offsetof(struct ts_graph, variables)},
	{"edges", offsetof(struct ts_graph, edges)},
	{"vertices", offsetof(struct ts_graph, vertices)},
};

static enum ts_code
read_counts(struct ts_graph *g, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_GRAPH_COUNT_NAME, TS_GRAPH_COUNT_VALUE},
		.column_count = 2,
		.past_damage = true};
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	if (!ts_report_has(rd->report, TS_GRAPH_COUNT))
		return TS_OK;
	code = ts_reader_rows(&rows, rd, TS_GRAPH_COUNT, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		const char *name;
		size_t n;
		int64_t v;

		if (ts_rows_text(rows, 0, &name, &n) != TS_VALUE_OK ||
			ts_rows_number(rows, 1, &v) != TS_VALUE_OK)
			continue;
		for (size_t i = 0; i < TS_COUNT(counts); i++)
			if (text_is(name, n, counts[i].name))
				*(int64_t *)((char *)g + counts[i].offset) = v;
	}
	ts_rows_close(rows);
	return code;
}

/* Rows that have a number; unknown when not all could be read. */
static enum ts_code
count_whole(int64_t *count, struct ts_reader *rd, enum ts_relation relation, int column,
	struct ts_err *err)
{
	enum ts_code code = ts_count_rows(count, rd, relation, column, err);

	if (code)
		*count = TS_UNKNOWN;
	return code;
}

static enum ts_code
count_steps_rows(struct ts_graph *g, struct ts_reader *rd, struct ts_err *err)
{
	enum ts_code code = TS_OK, more = TS_OK;

	if (g->programs == TS_UNKNOWN)
		code = count_whole(&g->programs, rd, TS_PROGRAM, TS_PROGRAM_PROGRAM, err);
	if (g->compute_sets == TS_UNKNOWN)
		more = count_whole(&g->compute_sets, rd, TS_COMPUTE_SET, TS_COMPUTE_SET_COMPUTE_SET,
			code ? NULL : err);
	return code ? code : more;
}

enum ts_code
ts_graph_read(struct ts_graph *g, struct ts_reader *rd, const struct ts_step_names *names,
	struct ts_err *err)
{
	enum ts_code code;

	*g = (struct ts_graph){TS_UNKNOWN, TS_UNKNOWN, TS_UNKNOWN, TS_UNKNOWN, TS_UNKNOWN};
	code = read_counts(g, rd, err);
	if (names && g->programs == TS_UNKNOWN && ts_report_has(rd->report, TS_PROGRAM))
		g->programs = names->programs.rows;
	if (names && g->compute_sets == TS_UNKNOWN && ts_report_has(rd->report, TS_COMPUTE_SET))
		g->compute_sets = names->compute_sets.rows;
	if (!names && !code)
		code = count_steps_rows(g, rd, err);
	if (!code && g->variables == TS_UNKNOWN)
		code = ts_count_rows(&g->variables, rd, TS_VARIABLE, TS_VARIABLE_VARIABLE, err);
	return code;
}

enum ts_code
ts_always_live_read(int64_t *bytes, int64_t *bad_rows, const struct ts_tiles *tiles,
	struct ts_reader *rd, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_TILE_ALWAYS_LIVE_BYTES, TS_TILE_ALWAYS_LIVE_TILE},
		.column_count = 2,
		.past_damage = true};
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	*bytes = tiles->always_live;
	*bad_rows = 0;
	if (*bytes != TS_UNKNOWN || !ts_report_has(rd->report, TS_TILE_ALWAYS_LIVE))
		return TS_OK;
	code = ts_reader_rows(&rows, rd, TS_TILE_ALWAYS_LIVE, &q, err);
	if (code)
		return code;
	*bytes = 0;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		int64_t v, tile;

		*bad_rows += ts_rows_number(rows, 0, &v) != TS_VALUE_OK ||
			ts_rows_number(rows, 1, &tile) != TS_VALUE_OK || !ts_add_i64(bytes, v);
	}
	ts_rows_close(rows);
	return code;
}

static const char bad_number[] = "a number is missing, negative or too large";

/* How many tiles the recorded target has that have no row. */
static int64_t
count_missing(const struct ts_tiles *tiles, const struct ts_target *target)
{
	int64_t all = 0;

	if (target->assumed || target->ipus == TS_UNKNOWN || target->tiles_per_ipu == TS_UNKNOWN ||
		__builtin_mul_overflow(target->ipus, target->tiles_per_ipu, &all))
		return 0;
	return ts_max_i64(all - (int64_t)tiles->count, 0);
}

bool
ts_summary_all_tiles(const struct ts_tiles *tiles, const struct ts_target *target)
{
	return tiles->count > 0 && !tiles->partial && tiles->bad_rows == 0 &&
		count_missing(tiles, target) == 0;
}

bool
ts_summary_fits(const struct ts_tiles *tiles, const struct ts_target *target, bool *known)
{
	size_t over = ts_tiles_over(tiles, target->bytes_per_tile);

	/* tiles that are not known may not fit */
	*known = over > 0 ||
		(target->bytes_per_tile != TS_UNKNOWN && ts_summary_all_tiles(tiles, target));
	return over == 0;
}

const char *
ts_summary_verdict(const struct ts_tiles *tiles, const struct ts_target *target)
{
	bool known, fits = ts_summary_fits(tiles, target, &known);

	if (!known)
		return target->bytes_per_tile == TS_UNKNOWN ? "limit not known"
							    : "not all tiles known";
	return fits ? "fits" : "DOES NOT FIT";
}

void
ts_summary_tile_notes(struct ts_notes *notes, const struct ts_tiles *tiles,
	const struct ts_target *target)
{
	int64_t missing = count_missing(tiles, target) - tiles->bad_rows;
	char n[TS_FMT_MAX];

	ts_notes_left_out(notes, "tile memory", tiles->bad_rows, bad_number);
	if (tiles->repeated > 0)
		ts_notes_add(notes,
			"tile memory: %s row%s of a tile that has a fuller one: each tile counts once",
			ts_fmt_count(n, tiles->repeated), tiles->repeated == 1 ? "" : "s");
	if (missing > 0 && tiles->count > 0)
		ts_notes_add(notes, "tile memory: %s of the target's tiles %s not recorded",
			ts_fmt_count(n, missing), missing == 1 ? "is" : "are");
	notes->partial |= tiles->bad_rows > 0 || (missing > 0 && tiles->count > 0);
}

/* --- all of it -------------------------------------------------------------------------------- */

static enum ts_code
soften(struct ts_summary *s, enum ts_code code, const char *what, const struct ts_err *why,
	struct ts_err *err)
{
	s->damaged |= code == TS_E_DAMAGED;
	return ts_notes_soften(&s->notes, code, what, why, err);
}

static enum ts_code
read_memory(struct ts_summary *s, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_err why = {0};
	enum ts_code code, end;

	code = ts_tiles_read(&s->tiles, rd, &why);
	s->has_tiles = code != TS_E_ABSENT;
	end = soften(s, code, "tile memory", &why, err);
	if (end)
		return end;
	code = ts_categories_read(&s->categories, rd, progress, &why);
	s->has_categories = code != TS_E_ABSENT;
	end = soften(s, code, "memory categories", &why, err);
	ts_notes_left_out(&s->notes, "memory categories", s->categories.bad_rows, bad_number);
	if (s->categories.cut) {
		s->notes.partial = true;
		ts_notes_add(&s->notes,
			"memory categories: more categories or tiles than are kept");
	}
	return end;
}

/* One machine is meant; of several rows the first counts, and that is said. */
static enum ts_code
read_target(struct ts_summary *s, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_err why = {0};
	int64_t rows = 0;
	enum ts_code code = ts_target_read(&s->target, rd, s->tiles.partial ? 0 : s->tiles.rows,
		s->execution.step_ipus, &why);

	if (!code && ts_report_has(rd->report, TS_TARGET))
		code = ts_count_rows(&rows, rd, TS_TARGET, TS_TARGET_TILES_PER_IPU, &why);
	if (rows > 1)
		ts_notes_add(&s->notes,
			"target: %lld rows where one is meant: the first one counts",
			(long long)rows);
	return soften(s, code, "target", &why, err);
}

static enum ts_code
read_liveness(struct ts_summary *s, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_err why = {0};
	int64_t bad_rows = 0;
	enum ts_code code = ts_always_live_read(&s->always_live, &bad_rows, &s->tiles, rd, &why);
	enum ts_code end = soften(s, code, "always-live memory", &why, err);

	ts_notes_left_out(&s->notes, "always-live memory", bad_rows, bad_number);
	if (end)
		return end;
	end = soften(s, ts_peak_read(&s->peak, rd, &why), "liveness", &why, err);
	ts_notes_left_out(&s->notes, "liveness", s->peak.bad_rows, bad_number);
	return end;
}

static enum ts_code
read_execution(struct ts_summary *s, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_step_classes classes;
	struct ts_err why = {0};
	enum ts_code code, end;
	bool unread; /* some steps */

	s->steps = TS_UNKNOWN;
	code = ts_step_classes_read(&classes, rd, progress, &why);
	unread = code == TS_E_DAMAGED;
	end = soften(s, code, "steps", &why, err);
	if (code != TS_E_ABSENT)
		s->steps = classes.steps;
	ts_notes_left_out(&s->notes, "steps", classes.bad_rows, bad_number);
	ts_notes_left_out(&s->notes, "steps", classes.left_out, "more steps than are kept");
	s->notes.partial |= classes.left_out > 0;
	if (!end) {
		code = ts_execution_read(&s->execution, rd, &classes, progress, &why);
		s->has_execution = code != TS_E_ABSENT;
		if (code && code != TS_E_ABSENT)
			s->execution.step_ipus = 0; /* those of a part are not all */
		end = soften(s, code, "steps by IPU", &why, err);
		ts_notes_left_out(&s->notes, "steps by IPU", s->execution.bad_rows, bad_number);
		if (ts_report_has(rd->report, TS_STEP)) /* else none is missing among them */
			ts_notes_left_out(&s->notes, "steps by IPU", s->execution.orphans,
				unread ? "their steps cannot be read" : "there is no such step");
		if (s->execution.reversed)
			ts_notes_add(&s->notes,
				"steps by IPU: %lld interval%s end%s before the start",
				(long long)s->execution.reversed,
				s->execution.reversed == 1 ? "" : "s",
				s->execution.reversed == 1 ? "s" : "");
	}
	ts_step_classes_fini(&classes);
	return end;
}

/* The exclusive time of each IPU by class, from the first start of all steps to the last end. Damage is noted once. */
static enum ts_code
read_times(struct ts_summary *s, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	int64_t from = INT64_MAX, to = 0;
	bool said = s->damaged;
	struct ts_trace *trace = NULL;
	struct ts_err why = {0};
	enum ts_code code;

	for (int i = 0; i < s->execution.count; i++) {
		from = ts_min_i64(from, s->execution.ipu[i].first_start);
		to = ts_max_i64(to, s->execution.ipu[i].last_end);
	}
	if (!s->has_execution || from >= to)
		return TS_OK;
	code = ts_trace_open(&trace, rd, progress, &why);
	s->times = ts_alloc(1, sizeof(*s->times));
	if (!s->times)
		code = ts_err_nomem(&why);
	else if (trace && (!code || code == TS_E_DAMAGED))
		code = ts_proportions_read(s->times, rd, trace, from, to,
			TS_PROPORTIONS_TIME | TS_PROPORTIONS_ALL_ROWS, NULL, progress, &why);
	ts_trace_release(trace);
	return code == TS_E_DAMAGED && said ? TS_OK : soften(s, code, "time by class", &why, err);
}

/* With the classes of the steps in the index only their numbers are needed. */
static enum ts_code
read_step_names(struct ts_step_names *names, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_steps steps;

	if (!ts_steps_open(&steps, rd->index))
		return ts_step_names_read(names, rd, err);
	ts_steps_counts(names, &steps);
	ts_steps_close(&steps);
	return TS_OK;
}

static enum ts_code
read_names(struct ts_summary *s, struct ts_reader *rd, struct ts_step_names *names,
	struct ts_err *err)
{
	struct ts_err why = {0};
	int64_t bad_runs = 0;
	enum ts_code end;

	end = soften(s, read_step_names(names, rd, &why), "names", &why, err);
	ts_notes_left_out(&s->notes, "programs", names->programs.bad_rows, bad_number);
	ts_notes_left_out(&s->notes, "compute sets", names->compute_sets.bad_rows, bad_number);
	if (!end)
		end = soften(s, ts_graph_read(&s->graph, rd, names, &why), "graph", &why, err);
	if (!end)
		end = soften(s, ts_about_read(&s->about, rd, &why), "report", &why, err);
	if (end)
		return end;
	end = soften(s, ts_count_runs(&s->runs, &bad_runs, rd, &why), "runs", &why, err);
	ts_notes_left_out(&s->notes, "runs", bad_runs, bad_number);
	return end;
}

/* Beside a profile the archive is read to be compared with it. */
static enum ts_code
read_archive(struct ts_summary *s, const struct ts_reader *rd, struct ts_err *err)
{
	const struct ts_part_info *part = &rd->report->part[TS_PART_ARCHIVE];
	struct ts_archive_check check;
	struct ts_archive *a;
	struct ts_err why = {0};
	enum ts_code code;

	s->archive = part->state;
	if (part->state != TS_PART_OK || rd->report->archive)
		return TS_OK;
	code = ts_archive_read_places(&a, rd->report->files, part->path, false, NULL, rd->cancel,
		&why);
	if (code) {
		if (code == TS_E_CONNECT) { /* it hides what there is */
			if (err)
				*err = why;
			return code;
		}
		s->archive = code == TS_E_FORMAT ? TS_PART_DAMAGED : TS_PART_UNREADABLE;
		return soften(s, code, "archive.a", &why, err);
	}
	s->archive = a->state;
	if (s->has_tiles)
		ts_archive_compare(&check, a, &s->tiles);
	ts_archive_note(&s->notes, a, s->has_tiles && a->tiles ? &check : NULL);
	ts_archive_release(a);
	return TS_OK;
}

/* What has to hold of the tiles' memory. */
static enum ts_code
check_memory(struct ts_summary *s, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_memory_identities identities;
	enum ts_code code;

	if (!s->has_tiles)
		return TS_OK;
	code = ts_memory_identities_read(&identities, rd, &s->tiles, &s->target, progress, err);
	if (!code)
		(void)ts_memory_identities_note(&s->notes, &identities);
	return code;
}

enum ts_code
ts_summary_read(struct ts_summary *s, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_step_names names;
	enum ts_code end;

	memset(s, 0, sizeof(*s));
	ts_notes_copy(&s->notes, &rd->report->notes);
	end = read_names(s, rd, &names, err);
	if (!end)
		end = read_memory(s, rd, progress, err);
	if (!end)
		end = read_liveness(s, rd, err);
	if (!end)
		end = read_execution(s, rd, progress, err);
	ts_step_names_fini(&names);
	if (!end)
		end = read_times(s, rd, progress, err);
	if (!end)
		end = read_target(s, rd, err);
	if (!end && s->has_tiles)
		ts_summary_tile_notes(&s->notes, &s->tiles, &s->target);
	if (!end)
		end = check_memory(s, rd, progress, err);
	return end ? end : read_archive(s, rd, err);
}

void
ts_summary_fini(struct ts_summary *s)
{
	ts_tiles_fini(&s->tiles);
	ts_categories_fini(&s->categories);
	ts_execution_fini(&s->execution);
	if (s->times)
		ts_proportions_fini(s->times);
	free(s->times);
	ts_notes_fini(&s->notes);
}
