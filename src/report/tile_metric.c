/* SPDX-License-Identifier: MIT */
/* tile_metric - the table, and what is read at a row for each tile; metric_sums.c has the blobs. See the header. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metric_internal.h"
#include "tilescope/base/fmt.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_live.h"

#define CATEGORY_PREFIX "category:"

const struct ts_metric_def ts_metric_defs[TS_METRIC_COUNT] = {
	[TS_METRIC_USED] = {"used", "memory", TS_UNIT_BYTES, TS_METRIC_RECORDED, true,
		"tile_memory.total_gaps, else tile_memory.total",
		"bytes including gaps, where they are recorded; else without"},
	[TS_METRIC_TOTAL] = {"total", "memory without gaps", TS_UNIT_BYTES, TS_METRIC_RECORDED,
		true, "tile_memory.total", "bytes excluding gaps"},
	[TS_METRIC_TOTAL_GAPS] = {"total-gaps", "memory with gaps", TS_UNIT_BYTES,
		TS_METRIC_RECORDED, true, "tile_memory.total_gaps", "bytes including gaps"},
	[TS_METRIC_GAPS] = {"gaps", "gaps", TS_UNIT_BYTES, TS_METRIC_DERIVED, true,
		"tile_memory.total_gaps, tile_memory.total", "total_gaps - total"},
	[TS_METRIC_CATEGORY] = {CATEGORY_PREFIX, "category", TS_UNIT_BYTES, TS_METRIC_RECORDED,
		true,
		"tile_category.not_overlapped + overlapped, else the sum of lowered_variable.bytes",
		"bytes of the category on the tile"},
	[TS_METRIC_NON_INTERLEAVED] = {"non-interleaved", "non-interleaved memory", TS_UNIT_BYTES,
		TS_METRIC_RECORDED, true, "tile_memory.non_interleaved", "bytes in that region"},
	[TS_METRIC_INTERLEAVED] = {"interleaved", "interleaved memory", TS_UNIT_BYTES,
		TS_METRIC_RECORDED, true, "tile_memory.interleaved", "bytes in that region"},
	[TS_METRIC_OVERFLOWED] = {"overflowed", "overflowed memory", TS_UNIT_BYTES,
		TS_METRIC_RECORDED, true, "tile_memory.overflowed",
		"bytes beyond the end of the tile's memory"},
	[TS_METRIC_ALWAYS_LIVE] = {"always-live", "always-live memory", TS_UNIT_BYTES,
		TS_METRIC_RECORDED, true,
		"tile_memory.always_live, else the sum of tile_always_live.bytes",
		"bytes that are live at every step"},
	[TS_METRIC_NOT_ALWAYS_LIVE] = {"not-always-live", "most not-always-live memory",
		TS_UNIT_BYTES, TS_METRIC_RECORDED, true,
		"tile_memory.not_always_live_peak, else lowered_variable and class_interval",
		"most bytes at any step of what is not always live"},
	[TS_METRIC_PEAK] = {"peak", "peak of live memory", TS_UNIT_BYTES, TS_METRIC_DERIVED, true,
		"tile_memory.always_live, tile_memory.not_always_live_peak, else lowered_variable "
		"and class_interval",
		"always_live + not_always_live_peak"},
	[TS_METRIC_CYCLES] = {"cycles", "cycles", TS_UNIT_CYCLES, TS_METRIC_REPEATED, false,
		"compute_set.cycles_by_tile, else estimated_cycles_by_tile; program likewise; step",
		"sum over compute sets and exchanges of cycles on the tile x steps that execute it"},
	[TS_METRIC_CYCLES_ONCE] = {"cycles-once", "cycles, each compute set once", TS_UNIT_CYCLES,
		TS_METRIC_MEASURED, false,
		"compute_set.cycles_by_tile, else estimated_cycles_by_tile; program likewise",
		"sum over compute sets and exchanges of cycles on the tile, each once"},
	[TS_METRIC_ACTIVE_CYCLES] = {"active-cycles", "active cycles", TS_UNIT_CYCLES,
		TS_METRIC_REPEATED, false,
		"compute_set.cycles_by_tile, else estimated_cycles_by_tile; step",
		"sum over compute sets of cycles on the tile x steps that execute it"},
	[TS_METRIC_ACTIVE_CYCLES_ONCE] = {"active-cycles-once",
		"active cycles, each compute set once", TS_UNIT_CYCLES, TS_METRIC_MEASURED, false,
		"compute_set.cycles_by_tile, else estimated_cycles_by_tile",
		"sum over compute sets of cycles on the tile, each once"},
	[TS_METRIC_EXCHANGE_CODE] = {"exchange-code", "exchange code", TS_UNIT_BYTES,
		TS_METRIC_RECORDED, false, "program.code_by_tile",
		"sum over exchanges: they share code, so this exceeds the category"},
	[TS_METRIC_CONTROL_CODE] = {"control-code", "control code", TS_UNIT_BYTES,
		TS_METRIC_RECORDED, true, "program.control_code_by_tile, program_child.parent",
		"sum over programs without children: those with include their children's"},
	[TS_METRIC_BYTES_IN] = {"bytes-in", "bytes received in exchanges", TS_UNIT_BYTES,
		TS_METRIC_RECORDED, false, "program.bytes_in_by_tile",
		"sum over exchanges, each once"},
	[TS_METRIC_BYTES_OUT] = {"bytes-out", "bytes sent in exchanges", TS_UNIT_BYTES,
		TS_METRIC_RECORDED, false, "program.bytes_out_by_tile",
		"sum over exchanges, each once"},
	[TS_METRIC_VERTEX_COUNT] = {"vertices", "vertices", TS_UNIT_VERTICES, TS_METRIC_RECORDED,
		false, "compute_set_vertex.count_by_tile",
		"sum over compute sets and vertex types"},
	[TS_METRIC_VERTEX_STATE] = {"vertex-state", "vertex state", TS_UNIT_BYTES,
		TS_METRIC_DERIVED, true,
		"compute_set_vertex.count_by_tile, vertex_type.state_bytes",
		"sum over compute sets and vertex types of count x state_bytes"},
	[TS_METRIC_VERTEX_CODE] = {"vertex-code", "vertex code", TS_UNIT_BYTES, TS_METRIC_RECORDED,
		true, "tile_vertex.code_bytes", "sum over vertex types"},
};

const char *
ts_metric_known_name(enum ts_metric_known known)
{
	static const char *const names[TS_METRIC_KNOWN_COUNT] = {"recorded", "measured",
		"measured, repeated", "partly estimated", "estimated", "derived"};

	return names[known];
}

/* --- names ------------------------------------------------------------------------------------ */

enum ts_code
ts_metric_parse(struct ts_metric *m, const char *text, struct ts_err *err)
{
	size_t prefix = strlen(CATEGORY_PREFIX);

	*m = (struct ts_metric){0};
	if (strncmp(text, CATEGORY_PREFIX, prefix) == 0 && text[prefix]) {
		if (strlen(text + prefix) >= sizeof(m->category))
			return ts_err_set(err, TS_E_USAGE, "the name of a category is too long");
		m->id = TS_METRIC_CATEGORY;
		snprintf(m->category, sizeof(m->category), "%s", text + prefix);
		return TS_OK;
	}
	for (int i = 0; i < TS_METRIC_COUNT; i++)
		if (i != TS_METRIC_CATEGORY && strcmp(text, ts_metric_defs[i].name) == 0) {
			m->id = (enum ts_metric_id)i;
			return TS_OK;
		}
	return ts_err_set(err, TS_E_USAGE,
		"there is no metric \"%.60s\" (category:NAME is one, too)", text);
}

void
ts_metric_say(struct ts_strbuf *out, const struct ts_metric *m)
{
	ts_strbuf_printf(out, "%s%s", ts_metric_defs[m->id].name,
		m->id == TS_METRIC_CATEGORY ? m->category : "");
}

void
ts_metric_title(struct ts_strbuf *out, const struct ts_metric *m)
{
	if (m->id == TS_METRIC_CATEGORY)
		ts_strbuf_printf(out, "memory of category %s", m->category);
	else
		ts_strbuf_puts(out, ts_metric_defs[m->id].title);
}

/* --- tiles ------------------------------------------------------------------------------------ */

ptrdiff_t
metric_place(struct metric_read *m, int64_t tile)
{
	size_t low = 0, high = m->n;

	if (m->hint < m->n && m->tile[m->hint] == tile)
		return (ptrdiff_t)m->hint++;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->tile[middle] < tile)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == m->n || m->tile[low] != tile)
		return -1;
	m->hint = low + 1;
	return (ptrdiff_t)low;
}

void
metric_add(struct ts_tile_values *v, size_t place, int64_t bytes)
{
	if (v->value[place] != TS_UNKNOWN && !ts_add_i64(&v->value[place], bytes))
		v->value[place] = TS_UNKNOWN;
}

/* A row for each tile: of columns a and b. */
enum combine { A_ALONE, A_ELSE_B, A_MINUS_B, A_PLUS_B };

static const struct plain {
	enum ts_metric_id id;
	enum combine how;
	int a, b;
} plain[] = {
	{TS_METRIC_USED, A_ELSE_B, TS_TILE_MEMORY_TOTAL_GAPS, TS_TILE_MEMORY_TOTAL},
	{TS_METRIC_TOTAL, A_ALONE, TS_TILE_MEMORY_TOTAL, -1},
	{TS_METRIC_TOTAL_GAPS, A_ALONE, TS_TILE_MEMORY_TOTAL_GAPS, -1},
	{TS_METRIC_GAPS, A_MINUS_B, TS_TILE_MEMORY_TOTAL_GAPS, TS_TILE_MEMORY_TOTAL},
	{TS_METRIC_NON_INTERLEAVED, A_ALONE, TS_TILE_MEMORY_NON_INTERLEAVED, -1},
	{TS_METRIC_INTERLEAVED, A_ALONE, TS_TILE_MEMORY_INTERLEAVED, -1},
	{TS_METRIC_OVERFLOWED, A_ALONE, TS_TILE_MEMORY_OVERFLOWED, -1},
	{TS_METRIC_ALWAYS_LIVE, A_ALONE, TS_TILE_MEMORY_ALWAYS_LIVE, -1},
	{TS_METRIC_NOT_ALWAYS_LIVE, A_ALONE, TS_TILE_MEMORY_NOT_ALWAYS_LIVE_PEAK, -1},
	{TS_METRIC_PEAK, A_PLUS_B, TS_TILE_MEMORY_ALWAYS_LIVE, TS_TILE_MEMORY_NOT_ALWAYS_LIVE_PEAK},
};

/* Rows of (tile, bytes) that are added up by tile. */
static const struct listed {
	enum ts_metric_id id;
	enum ts_relation relation;
	int tile, bytes;
} listed[] = {
	{TS_METRIC_ALWAYS_LIVE, TS_TILE_ALWAYS_LIVE, TS_TILE_ALWAYS_LIVE_TILE,
		TS_TILE_ALWAYS_LIVE_BYTES},
	{TS_METRIC_VERTEX_CODE, TS_TILE_VERTEX, TS_TILE_VERTEX_TILE, TS_TILE_VERTEX_CODE_BYTES},
};

static bool
plain_recorded(const struct ts_report *r, const struct plain *p)
{
	bool a = ts_report_has_column(r, TS_TILE_MEMORY, p->a);
	bool b = p->b >= 0 && ts_report_has_column(r, TS_TILE_MEMORY, p->b);

	return ts_report_has(r, TS_TILE_MEMORY) &&
		(p->how == A_ALONE		     ? a
				: p->how == A_ELSE_B ? a || b
						     : a && b);
}

static const struct plain *
plain_of(const struct ts_report *r, enum ts_metric_id id)
{
	for (size_t i = 0; i < TS_COUNT(plain); i++)
		if (plain[i].id == id && plain_recorded(r, &plain[i]))
			return &plain[i];
	return NULL;
}

static const struct listed *
listed_of(const struct ts_report *r, enum ts_metric_id id)
{
	for (size_t i = 0; i < TS_COUNT(listed); i++)
		if (listed[i].id == id && ts_report_has(r, listed[i].relation))
			return &listed[i];
	return NULL;
}

static bool
has_categories(const struct ts_report *r)
{
	return ts_report_has(r, TS_TILE_CATEGORY) ||
		(ts_report_has(r, TS_LOWERED_VARIABLE) &&
			ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_CATEGORY));
}

/* What lowered variables and their intervals say of a tile, where no column does. */
static bool
is_of_lives(const struct ts_report *r, enum ts_metric_id id)
{
	return (id == TS_METRIC_ALWAYS_LIVE || id == TS_METRIC_NOT_ALWAYS_LIVE ||
		       id == TS_METRIC_PEAK) &&
		ts_tile_lives_can(r);
}

bool
ts_metric_recorded(const struct ts_report *r, enum ts_metric_id id)
{
	if (id == TS_METRIC_CATEGORY)
		return has_categories(r);
	return metric_is_sum(id) ? metric_sum_recorded(r, id)
				 : plain_of(r, id) || listed_of(r, id) || is_of_lives(r, id);
}

static int64_t
combined(enum combine how, int64_t a, int64_t b)
{
	if (how == A_ALONE || (how == A_ELSE_B && a != TS_UNKNOWN))
		return a;
	if (how == A_ELSE_B)
		return b;
	if (a == TS_UNKNOWN || b == TS_UNKNOWN)
		return TS_UNKNOWN;
	if (how == A_MINUS_B)
		return a >= b ? a - b : TS_UNKNOWN;
	return ts_add_i64(&a, b) ? a : TS_UNKNOWN;
}

static int64_t
number(struct ts_rows *rows, int i, bool *bad)
{
	int64_t v;
	enum ts_value is = ts_rows_number(rows, i, &v);

	*bad |= is == TS_VALUE_BAD;
	return is == TS_VALUE_OK ? v : TS_UNKNOWN;
}

static void
set_all(struct ts_tile_values *v, int64_t to)
{
	for (size_t i = 0; i < v->n; i++)
		v->value[i] = to;
}

static enum ts_code
read_plain(struct metric_read *m, const struct plain *p, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_TILE_MEMORY_TILE, p->a, p->b},
		.column_count = p->b >= 0 ? 3 : 2,
		.past_damage = true};
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, m->rd, TS_TILE_MEMORY, &q, err);
	bool there;

	if (code)
		return code;
	set_all(m->v, TS_UNKNOWN);
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		bool bad = false;
		int64_t tile = number(rows, 0, &bad), a = number(rows, 1, &bad);
		int64_t b = p->b >= 0 ? number(rows, 2, &bad) : TS_UNKNOWN;
		ptrdiff_t place = tile == TS_UNKNOWN ? -1 : metric_place(m, tile);

		m->v->bad_rows += bad || tile == TS_UNKNOWN;
		if (place >= 0 && !bad)
			m->v->value[place] = combined(p->how, a, b);
	}
	ts_rows_close(rows);
	return code;
}

static enum ts_code
read_listed(struct metric_read *m, const struct listed *l, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {l->tile, l->bytes},
		.column_count = 2,
		.past_damage = true};
	const struct ts_reach *reach = &m->rd->report->binding[l->relation].reach;
	struct ts_rows_block b;
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, m->rd, l->relation, &q, err);
	int64_t seen = 0;

	if (code)
		return code;
	while (!(code = ts_rows_block(rows, &b, err)) && b.rows > 0) {
		bool tiles = b.is[0] == TS_VALUE_OK, sound = tiles && b.is[1] == TS_VALUE_OK;

		m->v->bad_rows += sound ? 0 : b.rows;
		for (int i = 0; tiles && i < b.rows; i++) {
			ptrdiff_t place = metric_place(m, b.v[0][i]);

			if (place >= 0 && sound)
				metric_add(m->v, (size_t)place, b.v[1][i]);
			else if (place >= 0) /* so many bytes more than are known */
				m->v->value[place] = TS_UNKNOWN;
		}
		ts_progress_set(m->progress, seen += b.rows, ts_reach_span(reach));
	}
	ts_rows_close(rows);
	return code;
}

static int64_t
live_value(enum ts_metric_id id, const struct ts_tile_live *t)
{
	int64_t sum = t->base;

	if (id != TS_METRIC_PEAK)
		return id == TS_METRIC_ALWAYS_LIVE ? t->base : t->peak;
	return ts_add_i64(&sum, t->peak) ? sum : TS_UNKNOWN;
}

/* A tile without lowered variables has none that is alive, where all could be read. */
static enum ts_code
read_lives(struct metric_read *m, enum ts_metric_id id, struct ts_err *err)
{
	struct ts_tile_lives *l = NULL;
	enum ts_code code = ts_tile_lives_read(&l, m->rd, m->progress, err);

	for (size_t i = 0; l && i < m->n; i++) {
		ptrdiff_t at = ts_tile_lives_find(l, m->tile[i]);

		m->v->value[i] = at >= 0 ? live_value(id, &l->tile[at]) : code ? TS_UNKNOWN : 0;
	}
	if (l)
		m->v->bad_rows = l->bad_rows + l->too_large;
	ts_tile_lives_close(l);
	return code;
}

static enum ts_code
read_category(struct metric_read *m, const char *name, struct ts_err *err)
{
	struct ts_categories *c = ts_alloc(1, sizeof(*c));
	enum ts_code code;
	int which = 0;

	if (!c)
		return ts_err_nomem(err);
	code = ts_categories_read(c, m->rd, m->progress, err);
	while (which < c->count && strcmp(c->category[which].name, name) != 0)
		which++;
	if (!code && which == c->count)
		code = ts_err_set(err, TS_E_ABSENT, "no tile has memory of a category \"%.60s\"",
			name);
	for (size_t i = 0; which < c->count && i < m->n; i++) {
		ptrdiff_t place = ts_categories_find(c, m->tile[i]);

		m->v->value[i] = place >= 0 ? ts_categories_at(c, which, (size_t)place)
			: code		    ? TS_UNKNOWN
					    : 0;
	}
	m->v->bad_rows = c->bad_rows;
	m->v->cut = c->cut;
	if (c->from_variables)
		m->v->known = TS_METRIC_DERIVED;
	ts_categories_fini(c);
	free(c);
	return code;
}

/* --- all of them ------------------------------------------------------------------------------ */

void
ts_tile_values_sum(struct ts_tile_values *v)
{
	v->unknown = 0;
	v->sum = 0;
	v->most = v->least = TS_UNKNOWN;
	for (size_t i = 0; i < v->n; i++) {
		int64_t x = v->value[i];

		if (x == TS_UNKNOWN) {
			v->unknown++;
			continue;
		}
		v->most = ts_max_i64(v->most, x);
		v->least = v->least == TS_UNKNOWN ? x : ts_min_i64(v->least, x);
		if (v->sum != TS_UNKNOWN && !ts_add_i64(&v->sum, x))
			v->sum = TS_UNKNOWN;
	}
	if (v->unknown == v->n)
		v->sum = TS_UNKNOWN;
}

static enum ts_code
absent(const struct ts_report *r, const struct ts_metric *metric, struct ts_err *err)
{
	bool trace = metric->id == TS_METRIC_CYCLES || metric->id == TS_METRIC_ACTIVE_CYCLES;

	if (trace && !ts_report_has(r, TS_STEP))
		return ts_err_set(err, TS_E_ABSENT,
			"no execution is recorded: how often compute sets run is not known (%s-once counts each once)",
			ts_metric_defs[metric->id].name);
	return ts_err_set(err, TS_E_ABSENT, "not in this report: %s",
		ts_metric_defs[metric->id].columns);
}

static enum ts_code
read_values(struct metric_read *m, const struct ts_metric *metric, struct ts_err *err)
{
	const struct plain *p = plain_of(m->rd->report, metric->id);
	const struct listed *l = listed_of(m->rd->report, metric->id);

	if (!ts_metric_recorded(m->rd->report, metric->id))
		return absent(m->rd->report, metric, err);
	if (metric->id == TS_METRIC_CATEGORY)
		return read_category(m, metric->category, err);
	if (metric_is_sum(metric->id))
		return metric_sum_read(m, metric->id, err);
	if (!p)
		m->v->known = TS_METRIC_DERIVED;
	if (p)
		return read_plain(m, p, err);
	return l ? read_listed(m, l, err) : read_lives(m, metric->id, err);
}

enum ts_code
ts_tile_values_read(struct ts_tile_values *v, struct ts_reader *rd, const struct ts_metric *metric,
	const int64_t *tile, size_t n, struct ts_progress *progress, struct ts_err *err)
{
	struct metric_read m = {.v = v, .rd = rd, .progress = progress, .tile = tile, .n = n};
	enum ts_code code;

	*v = (struct ts_tile_values){.metric = *metric,
		.known = ts_metric_defs[metric->id].known,
		.alone = "",
		.without = "",
		.n = n};
	v->value = ts_alloc(n, sizeof(*v->value));
	if (!v->value)
		return ts_err_nomem(err);
	code = read_values(&m, metric, err);
	v->partial = code == TS_E_DAMAGED;
	if (code && !v->partial)
		set_all(v, TS_UNKNOWN);
	ts_tile_values_sum(v);
	return code;
}

void
ts_tile_values_fini(struct ts_tile_values *v)
{
	free(v->value);
	*v = (struct ts_tile_values){0};
}

void
ts_tile_values_differ(int64_t *out, const int64_t *a, const int64_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = a[i] == TS_UNKNOWN || b[i] == TS_UNKNOWN ? TS_DIFFERENCE_UNKNOWN
								  : b[i] - a[i];
}

void
ts_tile_values_title(struct ts_strbuf *out, const struct ts_tile_values *v)
{
	if (v->alone[0])
		ts_strbuf_printf(out, "cycles of %s alone%s", v->alone,
			v->metric.id == TS_METRIC_CYCLES_ONCE ? ", each once" : "");
	else
		ts_metric_title(out, &v->metric);
}

void
ts_tile_values_note(struct ts_strbuf *out, const struct ts_tile_values *v)
{
	size_t begin = out->len;
	char a[TS_FMT_MAX], b[TS_FMT_MAX];

#define NEXT (out->len > begin ? "; " : "")
	if (v->known != TS_METRIC_RECORDED)
		ts_strbuf_puts(out, ts_metric_known_name(v->known));
	if (v->known == TS_METRIC_PARTLY)
		ts_strbuf_printf(out, " (%s of %s)", ts_fmt_count(a, v->estimated),
			ts_fmt_count(b, v->parts));
	if (v->level[0])
		ts_strbuf_printf(out, "%sinstrumented by %s: one tile stands for it", NEXT,
			v->level);
	if (v->lacking > 0)
		ts_strbuf_printf(out, "%ssummed over the %s of %s that record it by tile", NEXT,
			ts_fmt_count(a, v->parts), ts_fmt_count(b, v->parts + v->lacking));
	if (v->bad_rows > 0)
		ts_strbuf_printf(out, "%s%s row%s left out: bad numbers", NEXT,
			ts_fmt_count(a, v->bad_rows), v->bad_rows == 1 ? "" : "s");
	if (v->partial)
		ts_strbuf_printf(out, "%spartial: damaged", NEXT);
	if (v->cut)
		ts_strbuf_printf(out, "%smore than are kept: some are left out", NEXT);
#undef NEXT
}
