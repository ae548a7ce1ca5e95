/* SPDX-License-Identifier: MIT */
/*
 * verb_summary - `tilescope summary PATH...`: the verdict and key figures, as text, JSON, CSV or
 * Markdown. The JSON is a contract: its keys are stable, unknown figures are null.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tilescope/app/index_now.h"
#include "tilescope/app/json_out.h"
#include "tilescope/app/open.h"
#include "tilescope/app/output.h"
#include "tilescope/app/verbs.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/io/block_store.h"
#include "tilescope/report/index.h"
#include "tilescope/report/proportions.h"
#include "tilescope/report/summary.h"

enum { FAR_BYTES = TS_STORE_BLOCK * TS_STORE_BLOCKS };

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *
json_target(const struct ts_target *t)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "type",
		ts_json_text(t->type, true), "architecture", ts_json_text(t->architecture, true),
		"ipus", ts_json_number(t->ipus), "replicas", ts_json_number(t->replicas),
		"tiles_per_ipu", ts_json_number(t->tiles_per_ipu), "bytes_per_tile",
		ts_json_number(t->bytes_per_tile), "clock_hz",
		t->clock_hz > 0 ? json_real(t->clock_hz) : json_null(), "assumed", t->assumed);
}

static json_t *
json_categories(const struct ts_summary *s)
{
	json_t *all;

	if (!s->has_categories)
		return json_null();
	all = json_object();
	for (int i = 0; i < s->categories.count; i++) {
		const struct ts_category *k = &s->categories.category[i];
		json_t *name = ts_json_text(k->name, false);

		json_object_set_new(all, json_string_value(name) ? json_string_value(name) : "",
			json_pack("{s:I, s:I, s:I}", "bytes", (json_int_t)k->bytes, "worst_tile",
				(json_int_t)k->worst_tile, "worst_tile_bytes",
				(json_int_t)k->worst_tile_bytes));
		json_decref(name);
	}
	return all;
}

static json_t *
json_gaps(int gaps)
{
	return gaps < 0 ? json_null() : json_boolean(gaps);
}

static json_t *
json_memory(const struct ts_summary *s)
{
	const struct ts_tiles *t = &s->tiles;
	const struct ts_tile *worst = t->count ? &t->tile[t->worst] : NULL;
	int64_t limit = s->target.bytes_per_tile;
	bool known, fits = ts_summary_fits(t, &s->target, &known);
	bool has = s->has_tiles;

	/* the contract: null where there is nothing to compare with */
	known &= limit != TS_UNKNOWN;
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"tiles", has ? json_integer((json_int_t)t->count) : json_null(), "total_bytes",
		has ? json_integer(t->total) : json_null(), "total_gaps_bytes",
		ts_json_number(has ? t->total_gaps : TS_UNKNOWN), "worst_tile",
		worst ? json_integer(worst->tile) : json_null(), "worst_tile_bytes",
		worst ? json_integer(ts_tile_used(worst)) : json_null(), "limit_bytes",
		ts_json_number(limit), "tiles_over",
		has && known ? json_integer((json_int_t)ts_tiles_over(t, limit)) : json_null(),
		"fits", has && known ? json_boolean(fits) : json_null(), "mean_tile_bytes",
		worst ? json_real((double)t->used / (double)t->count) : json_null(), "gaps",
		json_gaps(t->gaps), "always_live_bytes", ts_json_number(s->always_live),
		"peak_not_always_live_bytes", ts_json_number(s->peak.bytes), "peak_step",
		ts_json_number(s->peak.step), "categories", json_categories(s));
}

static json_t *
json_classes(const struct ts_ipu_cycles *k)
{
	json_t *all = json_object();

	for (int c = 0; c < TS_CLASS_COUNT; c++)
		json_object_set_new(all, ts_step_class_key((enum ts_step_class)c),
			json_integer(k->by_class[c]));
	return all;
}

/* Exclusive time of an IPU; *idle: the rest of its cycles. NULL: not known. */
static const struct ts_proportion *
times_of(const struct ts_summary *s, const struct ts_ipu_cycles *k, int64_t *idle)
{
	*idle = k->last_end - k->first_start;
	for (int i = 0; s->times && i < s->times->count; i++) {
		if (s->times->ipu[i].ipu != k->ipu)
			continue;
		*idle -= s->times->ipu[i].time.busy;
		return &s->times->ipu[i];
	}
	return NULL;
}

static json_t *
json_time(const struct ts_summary *s, const struct ts_ipu_cycles *k)
{
	int64_t idle;
	const struct ts_proportion *p = times_of(s, k, &idle);
	json_t *all;

	if (!p)
		return json_null();
	all = json_object();
	for (int c = 0; c < TS_CLASS_COUNT; c++)
		json_object_set_new(all, ts_step_class_key((enum ts_step_class)c),
			json_integer(p->part[c]));
	json_object_set_new(all, "idle", json_integer(idle));
	return all;
}

static json_t *
json_ipus(const struct ts_summary *s)
{
	json_t *all;

	if (!s->has_execution)
		return json_null();
	all = json_array();
	for (int i = 0; i < s->execution.count; i++) {
		const struct ts_ipu_cycles *k = &s->execution.ipu[i];

		json_array_append_new(all,
			json_pack("{s:I, s:I, s:I, s:o, s:o}", "ipu", (json_int_t)k->ipu, "cycles",
				(json_int_t)(k->last_end - k->first_start), "step_cycles",
				(json_int_t)k->step_cycles, "time", json_time(s, k), "classes",
				json_classes(k)));
	}
	return all;
}

/* The profile, and an archive beside it, have been looked at more closely than when the report was opened. */
static enum ts_part_state
part_state(const struct ts_report *r, const struct ts_summary *s, int part)
{
	if (part == TS_PART_PROFILE && s->damaged)
		return TS_PART_DAMAGED;
	return part == TS_PART_ARCHIVE ? s->archive : r->part[part].state;
}

static json_t *
json_parts(const struct ts_report *r, const struct ts_summary *s)
{
	json_t *all = json_object();

	for (int i = 0; i < TS_PART_COUNT; i++)
		json_object_set_new(all, ts_part_name((enum ts_part)i),
			json_string(ts_part_state_name(part_state(r, s, i))));
	return all;
}

static json_t *
json_warnings(const struct ts_notes *notes)
{
	json_t *all = json_array();

	for (int i = 0; i < notes->count; i++)
		json_array_append_new(all, ts_json_text(notes->note[i], false));
	return all;
}

static json_t *
json_summary(const struct ts_report *r, const struct ts_summary *s)
{
	const struct ts_graph *g = &s->graph;
	json_t *graph = json_pack("{s:o, s:o, s:o, s:o, s:o}", "compute_sets",
		ts_json_number(g->compute_sets), "programs", ts_json_number(g->programs),
		"variables", ts_json_number(g->variables), "edges", ts_json_number(g->edges),
		"vertices", ts_json_number(g->vertices));
	json_t *execution = json_pack("{s:o, s:o, s:o, s:o}", "runs", ts_json_number(s->runs),
		"steps", ts_json_number(s->steps), "measured",
		s->steps == TS_UNKNOWN ? json_null() : json_gaps(s->about.measured), "ipus",
		json_ipus(s));

	return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "path",
		ts_json_text(r->path, false), "host", ts_json_host(r->files), "source",
		ts_kind_name(r->kind), "poplar_version",
		ts_json_text(s->about.poplar_version, true), "package_hash",
		ts_json_text(s->about.package_hash, true), "target", json_target(&s->target),
		"memory", json_memory(s), "graph", graph, "execution", execution, "parts",
		json_parts(r, s), "warnings", json_warnings(&s->notes));
}

/* --- text ------------------------------------------------------------------------------------- */

struct text {
	struct ts_strbuf *out;
	enum ts_units units;
	bool color;
};

static void
put_safe(struct ts_strbuf *out, const char *s)
{
	ts_utf8_safe(out, s, strlen(s));
}

static void
put_bytes(const struct text *t, const char *label, int64_t bytes)
{
	char buf[TS_FMT_MAX];

	ts_strbuf_printf(t->out, "%s%s", label,
		bytes < 0 ? "not known" : ts_fmt_bytes(buf, bytes, t->units));
}

static void
put_percent(const struct text *t, double part, double whole)
{
	char buf[TS_FMT_MAX];

	ts_strbuf_printf(t->out, "  %s", ts_fmt_percent(buf, part, whole));
}

static void
text_head(const struct text *t, const struct ts_report *r, const struct ts_summary *s)
{
	const struct ts_target *g = &s->target;
	char a[TS_FMT_MAX], b[TS_FMT_MAX];

	ts_put_place(t->out, r, r->path);
	ts_strbuf_printf(t->out, "  (%s)", ts_kind_name(r->kind));
	if (s->about.poplar_version[0]) {
		ts_strbuf_puts(t->out, "  Poplar ");
		put_safe(t->out, s->about.poplar_version);
	}
	ts_strbuf_puts(t->out, "\nTARGET  ");
	put_safe(t->out, g->architecture[0] ? g->architecture : "architecture not known");
	if (g->ipus != TS_UNKNOWN)
		ts_strbuf_printf(t->out, "  %s IPU%s x %s tiles", ts_fmt_count(a, g->ipus),
			g->ipus == 1 ? "" : "s",
			g->tiles_per_ipu < 0 ? "?" : ts_fmt_count(b, g->tiles_per_ipu));
	if (g->replicas > 1)
		ts_strbuf_printf(t->out, "  %s replicas", ts_fmt_count(a, g->replicas));
	if (g->bytes_per_tile != TS_UNKNOWN)
		put_bytes(t, "  ", g->bytes_per_tile), ts_strbuf_puts(t->out, " a tile");
	ts_strbuf_puts(t->out, g->assumed ? "  (assumed: the report does not record it)\n" : "\n");
}

static void
text_verdict(const struct text *t, const struct ts_summary *s)
{
	bool known, fits = ts_summary_fits(&s->tiles, &s->target, &known);
	const char *word = ts_summary_verdict(&s->tiles, &s->target);
	const char *paint = !t->color || !known ? "" : fits ? "\033[32m" : "\033[1;31m";

	ts_strbuf_printf(t->out, "MEMORY  %s%s%s", paint, word, *paint ? "\033[0m" : "");
}

static void
text_memory(const struct text *t, const struct ts_summary *s)
{
	const struct ts_tiles *tiles = &s->tiles;
	static const char *const gaps[] = {"whether this includes gaps is not known",
		"without gaps", "gaps included"};
	int64_t limit = s->target.bytes_per_tile;
	const struct ts_tile *worst;
	char buf[TS_FMT_MAX];

	if (!s->has_tiles || tiles->count == 0) {
		ts_strbuf_puts(t->out, "MEMORY  not in this report\n");
		return;
	}
	worst = &tiles->tile[tiles->worst];
	text_verdict(t, s);
	ts_strbuf_printf(t->out, "  worst tile %lld", (long long)worst->tile);
	put_bytes(t, "  ", ts_tile_used(worst));
	if (limit != TS_UNKNOWN) {
		put_bytes(t, " of ", limit);
		put_percent(t, (double)ts_tile_used(worst), (double)limit);
	}
	ts_strbuf_printf(t->out, "  (%s)\n", gaps[tiles->gaps + 1]);
	if (ts_tiles_over(tiles, limit) > 0)
		ts_strbuf_printf(t->out, "        %s tiles over the limit\n",
			ts_fmt_count(buf, (int64_t)ts_tiles_over(tiles, limit)));
	put_bytes(t, "        total ", tiles->total);
	if (tiles->total_gaps != TS_UNKNOWN)
		put_bytes(t, "  with gaps ", tiles->total_gaps);
	ts_strbuf_printf(t->out, "  on %s tiles", ts_fmt_count(buf, (int64_t)tiles->count));
	put_bytes(t, "  mean ", tiles->used / (int64_t)tiles->count);
	ts_strbuf_putc(t->out, '\n');
}

static void
text_liveness(const struct text *t, const struct ts_summary *s)
{
	char a[TS_FMT_MAX], b[TS_FMT_MAX];

	if (s->always_live == TS_UNKNOWN && s->peak.bytes == TS_UNKNOWN)
		return;
	put_bytes(t, "        always live ", s->always_live);
	put_bytes(t, "  peak of not always live ", s->peak.bytes);
	if (s->peak.step != TS_UNKNOWN)
		ts_strbuf_printf(t->out, " at step %s of %s", ts_fmt_count(a, s->peak.step),
			ts_fmt_count(b, s->peak.steps));
	ts_strbuf_putc(t->out, '\n');
}

static void
text_categories(const struct text *t, const struct ts_summary *s)
{
	int64_t sum = 0;

	if (s->categories.count > 0)
		ts_strbuf_puts(t->out,
			"        category                           size  share of the categories\n");
	for (int i = 0; i < s->categories.count; i++)
		if (!ts_add_i64(&sum, s->categories.category[i].bytes))
			sum = INT64_MAX;
	for (int i = 0; i < s->categories.count; i++) {
		const struct ts_category *k = &s->categories.category[i];
		char a[TS_FMT_MAX], b[TS_FMT_MAX], c[TS_FMT_MAX];

		ts_strbuf_puts(t->out, "        ");
		ts_utf8_pad(t->out, k->name, strlen(k->name), 28);
		ts_strbuf_printf(t->out, " %10s %6s   worst tile %-7lld %10s\n",
			ts_fmt_bytes(a, k->bytes, t->units),
			ts_fmt_percent(b, (double)k->bytes, (double)sum), (long long)k->worst_tile,
			ts_fmt_bytes(c, k->worst_tile_bytes, t->units));
	}
}

static void
text_ipu(const struct text *t, const struct ts_summary *s, const struct ts_ipu_cycles *k)
{
	int64_t idle;
	const struct ts_proportion *p = times_of(s, k, &idle);
	double cycles = (double)(k->last_end - k->first_start);
	char buf[TS_FMT_MAX];

	ts_strbuf_printf(t->out, "        %4lld %16s", (long long)k->ipu,
		ts_fmt_count(buf, k->last_end - k->first_start));
	for (int c = 0; c < TS_CLASS_COUNT; c++)
		ts_strbuf_printf(t->out, " %7s",
			p ? ts_fmt_percent(buf, (double)p->part[c], cycles) : "-");
	ts_strbuf_printf(t->out, " %7s\n", p ? ts_fmt_percent(buf, (double)idle, cycles) : "-");
}

static void
text_execution(const struct text *t, const struct ts_summary *s)
{
	static const char *const measured[] = {"measured or estimated: not known", "estimated",
		"measured"};
	static const char *const heads[TS_CLASS_COUNT] = {"compute", "exch", "glob", "sync", "ext",
		"async", "wait", "copy", "end", "control"};
	char buf[TS_FMT_MAX];

	if (!s->has_execution || s->steps == TS_UNKNOWN) {
		ts_strbuf_puts(t->out, "CYCLES  not in this report (see tilescope help capture)\n");
		return;
	}
	ts_strbuf_printf(t->out,
		"CYCLES  %s  %s steps, shares of each IPU's cycles (overlaps count once)",
		measured[s->about.measured + 1], ts_fmt_count(buf, s->steps));
	if (s->runs != TS_UNKNOWN)
		ts_strbuf_printf(t->out, "  %s runs", ts_fmt_count(buf, s->runs));
	ts_strbuf_printf(t->out, "\n        %4s %16s", "ipu", "first to last");
	for (int c = 0; c < TS_CLASS_COUNT; c++)
		ts_strbuf_printf(t->out, " %7s", heads[c]);
	ts_strbuf_printf(t->out, " %7s\n", "idle");
	for (int i = 0; i < s->execution.count; i++)
		text_ipu(t, s, &s->execution.ipu[i]);
}

static void
text_graph(const struct text *t, const struct ts_report *r, const struct ts_summary *s)
{
	bool lowered = ts_report_has(r, TS_LOWERED_VARIABLE);
	const struct {
		const char *label;
		int64_t value;
		const char *instead; /* of "not known"; or NULL */
	} figures[] = {{"compute sets", s->graph.compute_sets, NULL},
		{"programs", s->graph.programs, NULL},
		{"variables", s->graph.variables, lowered ? "lowered ones only" : NULL},
		{"edges", s->graph.edges, NULL}, {"vertices", s->graph.vertices, NULL}};
	char buf[TS_FMT_MAX];

	ts_strbuf_puts(t->out, "GRAPH ");
	for (size_t i = 0; i < TS_COUNT(figures); i++)
		ts_strbuf_printf(t->out, "  %s %s", figures[i].label,
			figures[i].value >= 0	     ? ts_fmt_count(buf, figures[i].value)
				: figures[i].instead ? figures[i].instead
						     : "not known");
	ts_strbuf_putc(t->out, '\n');
}

/* What is there and how it is; then the names of the files that are not. */
static void
text_parts(const struct text *t, const struct ts_report *r, const struct ts_summary *s)
{
	const char *before = "  no files: ";

	ts_strbuf_puts(t->out, "PARTS ");
	for (int i = 0; i < TS_PART_COUNT; i++)
		if (part_state(r, s, i) != TS_PART_ABSENT)
			ts_strbuf_printf(t->out, "  %s %s", ts_part_name((enum ts_part)i),
				ts_part_state_name(part_state(r, s, i)));
	for (int i = 0; i < TS_PART_COUNT; i++)
		if (part_state(r, s, i) == TS_PART_ABSENT) {
			ts_strbuf_printf(t->out, "%s%s", before, ts_part_name((enum ts_part)i));
			before = ", ";
		}
	ts_strbuf_putc(t->out, '\n');
}

static void
text_summary(const struct text *t, const struct ts_report *r, const struct ts_summary *s)
{
	text_head(t, r, s);
	text_memory(t, s);
	text_liveness(t, s);
	text_categories(t, s);
	text_execution(t, s);
	text_graph(t, r, s);
	text_parts(t, r, s);
	for (int i = 0; i < s->notes.count; i++) {
		ts_strbuf_puts(t->out, "NOTE    ");
		put_safe(t->out, s->notes.note[i]);
		ts_strbuf_putc(t->out, '\n');
	}
}

/* --- tables: CSV and Markdown ----------------------------------------------------------------- */

/* The members of the JSON object that make a row; dots lead into nested objects. */
static const char *const table_columns[] = {"path", "source", "poplar_version", "package_hash",
	"target.type", "target.architecture", "target.ipus", "target.replicas",
	"target.tiles_per_ipu", "target.bytes_per_tile", "target.clock_hz", "target.assumed",
	"memory.tiles", "memory.total_bytes", "memory.total_gaps_bytes", "memory.worst_tile",
	"memory.worst_tile_bytes", "memory.limit_bytes", "memory.tiles_over", "memory.fits",
	"memory.mean_tile_bytes", "memory.gaps", "memory.always_live_bytes",
	"memory.peak_not_always_live_bytes", "memory.peak_step", "graph.compute_sets",
	"graph.programs", "graph.variables", "graph.edges", "graph.vertices", "execution.runs",
	"execution.steps", "execution.measured", "parts.profile", "parts.archive", "parts.debug",
	"parts.framework", "parts.app", "parts.vars"};

static const json_t *
member(const json_t *object, const char *path)
{
	char first[64];
	size_t n = strcspn(path, ".");

	memcpy(first, path, n);
	first[n] = '\0';
	object = json_object_get(object, first);
	return path[n] ? json_object_get(object, path + n + 1) : object;
}

/* The value as bare text: null is empty. */
static void
put_bare(struct ts_strbuf *out, const json_t *v)
{
	char *text;

	if (!v || json_is_null(v))
		return;
	if (json_is_string(v)) {
		ts_strbuf_puts(out, json_string_value(v));
		return;
	}
	text = json_dumps(v, JSON_ENCODE_ANY);
	if (text)
		ts_strbuf_puts(out, text);
	free(text);
}

static void
put_csv(struct ts_strbuf *out, const char *s)
{
	if (!strpbrk(s, ",\"\r\n")) {
		ts_strbuf_puts(out, s);
		return;
	}
	ts_strbuf_putc(out, '"');
	for (; *s; s++) {
		if (*s == '"')
			ts_strbuf_putc(out, '"');
		ts_strbuf_putc(out, *s);
	}
	ts_strbuf_putc(out, '"');
}

static void
put_md(struct ts_strbuf *out, const char *s)
{
	struct ts_strbuf safe;

	ts_strbuf_init(&safe, 1 << 20);
	put_safe(&safe, s);
	for (const char *p = safe.s; *p; p++) {
		if (*p == '|' || *p == '\\')
			ts_strbuf_putc(out, '\\');
		ts_strbuf_putc(out, *p);
	}
	ts_strbuf_fini(&safe);
}

static void
csv_row(struct ts_strbuf *out, const json_t *object)
{
	for (size_t i = 0; i < TS_COUNT(table_columns); i++) {
		struct ts_strbuf cell;

		ts_strbuf_init(&cell, 1 << 20);
		put_bare(&cell, member(object, table_columns[i]));
		ts_strbuf_puts(out, i ? "," : "");
		put_csv(out, cell.s);
		ts_strbuf_fini(&cell);
	}
	ts_strbuf_puts(out, "\n");
}

static void
csv_all(struct ts_strbuf *out, const json_t *all)
{
	size_t i;
	json_t *object;

	for (i = 0; i < TS_COUNT(table_columns); i++)
		ts_strbuf_printf(out, "%s%s", i ? "," : "", table_columns[i]);
	ts_strbuf_puts(out, "\n");
	json_array_foreach(all, i, object) csv_row(out, object);
}

/* A column a report: figures are compared side by side. */
static void
md_all(struct ts_strbuf *out, const json_t *all)
{
	size_t reports = json_array_size(all);

	for (size_t row = 0; row < TS_COUNT(table_columns); row++) {
		ts_strbuf_printf(out, "| %s |", row ? table_columns[row] : "figure");
		for (size_t i = 0; i < reports; i++) {
			struct ts_strbuf cell;

			ts_strbuf_init(&cell, 1 << 20);
			put_bare(&cell, member(json_array_get(all, i), table_columns[row]));
			ts_strbuf_putc(out, ' ');
			put_md(out, cell.s);
			ts_strbuf_puts(out, " |");
			ts_strbuf_fini(&cell);
		}
		ts_strbuf_puts(out, "\n");
		for (size_t i = 0; row == 0 && i <= reports; i++)
			ts_strbuf_puts(out, i == 0 ? "| --- |" : " --- |");
		if (row == 0)
			ts_strbuf_puts(out, "\n");
	}
}

/* --- the verb --------------------------------------------------------------------------------- */

struct summary_run {
	const struct ts_args *args;
	struct ts_watch *watch;
	json_t *all; /* of the reports that could be read */
	struct ts_strbuf text;
};

/*
 * What of an index is there. Of a report on another host that is larger than what is kept of its blocks the figures come over
 * the link in gigabytes: then what they need of an index is built, which reads as much, and the next time next to nothing.
 */
static enum ts_code
use_index(struct summary_run *run, struct ts_report *r, struct ts_reader *rd, struct ts_err *err)
{
	const uint64_t sections = ts_section_bit(TS_SECTION_CATEGORIES) |
		ts_section_bit(TS_SECTION_LIVENESS) | ts_section_bit(TS_SECTION_STEPS) |
		ts_section_bit(TS_SECTION_LANES);
	struct ts_cache cache;
	enum ts_code code;

	if (!r->files || r->sources == 0 || r->source[0]->size <= FAR_BYTES)
		return ts_use_index(rd, run->args, sections, run->watch, err);
	code = ts_index_now(&cache, r, rd, run->args, sections, run->watch, err);
	ts_cache_fini(&cache);
	return code;
}

static enum ts_exit
one_report(struct summary_run *run, const char *path)
{
	struct text t = {&run->text, run->args->units,
		run->args->color == TS_WHEN_ALWAYS ||
			(run->args->color == TS_WHEN_AUTO && !run->args->output &&
				isatty(STDOUT_FILENO) && !getenv("NO_COLOR"))};
	struct ts_report *r;
	struct ts_reader *rd;
	struct ts_summary *s;
	struct ts_err err = {0};
	enum ts_exit status = TS_EXIT_OK;
	enum ts_code code = ts_open_report(&r, &rd, run->args, path, false, run->watch);

	if (code)
		return ts_exit_of(code);
	s = ts_alloc(1, sizeof(*s));
	code = s ? use_index(run, r, rd, &err) : ts_err_nomem(&err);
	if (!code)
		code = ts_summary_read(s, rd, ts_watch_progress(run->watch), &err);
	if (code) {
		ts_watch_complain(run->watch, path, &err);
		status = ts_exit_of(code);
	} else if (run->args->format == TS_FORMAT_TEXT) {
		ts_strbuf_puts(&run->text, run->text.len ? "\n" : "");
		text_summary(&t, r, s);
	} else {
		json_array_append_new(run->all, json_summary(r, s));
	}
	if (!code && s->notes.partial) {
		status = TS_EXIT_PARTIAL;
		if (!run->args->quiet)
			ts_watch_warn(run->watch, path,
				"warning: something that is there could not be read (see the notes)");
	}
	if (s)
		ts_summary_fini(s);
	free(s);
	ts_close_report(run->args, r, rd);
	return status;
}

static enum ts_code
print_all(struct summary_run *run, struct ts_err *err)
{
	const json_t *one = json_array_get(run->all, 0);

	if (run->args->format == TS_FORMAT_JSON && run->args->path_count == 1 && !one)
		return TS_OK;
	if (run->args->format == TS_FORMAT_JSON &&
		!ts_json_print(&run->text, run->args->path_count == 1 ? one : run->all))
		return ts_err_nomem(err);
	if (run->args->format == TS_FORMAT_CSV)
		csv_all(&run->text, run->all);
	if (run->args->format == TS_FORMAT_MD)
		md_all(&run->text, run->all);
	return ts_output_write(run->args->output, &run->text, err);
}

enum ts_exit
ts_verb_summary(const struct ts_args *args)
{
	struct summary_run run = {.args = args};
	struct ts_err err = {0};
	enum ts_exit status = TS_EXIT_OK;
	enum ts_code code = ts_watch_start(&run.watch, "tilescope", &err);

	if (code) {
		ts_complain(NULL, &err);
		return TS_EXIT_UNREADABLE;
	}
	ts_strbuf_init(&run.text, TS_OUTPUT_MAX);
	run.all = json_array();
	for (int i = 0; i < args->path_count && status != TS_EXIT_INTERRUPTED; i++)
		status = ts_exit_worse(status, one_report(&run, args->paths[i]));
	ts_watch_stop(run.watch);
	if (status != TS_EXIT_INTERRUPTED && print_all(&run, &err)) {
		ts_complain(NULL, &err);
		status = ts_exit_worse(status, TS_EXIT_UNREADABLE);
	}
	json_decref(run.all);
	ts_strbuf_fini(&run.text);
	return status;
}
