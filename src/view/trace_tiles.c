/* SPDX-License-Identifier: MIT */
/* trace_tiles - see the header. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "trace_tiles.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/target.h"
#include "tilescope/view/explain.h"

/* --- in the worker ------------------------------------------------------------------------------------ */

static void
count_bands(struct trace_tiles *x, const struct ts_tile_cycles *c)
{
	for (size_t i = 0; i < c->tiles; i++) /* 32 bits each: nothing overflows */
		if (c->cycles[i] > 0)
			x->band[((int64_t)c->cycles[i] * TRACE_BANDS - 1) / c->most]++;
}

/* Tiles without cycles, of those IPUs that have tiles with some. */
static int64_t
idle_tiles(const struct ts_tile_cycles *c, int64_t per_ipu)
{
	int64_t idle = 0;

	for (size_t from = 0; per_ipu > 0 && from < c->tiles; from += (size_t)per_ipu) {
		int64_t active = 0;

		for (size_t i = from; i < c->tiles && i - from < (size_t)per_ipu; i++)
			active += c->cycles[i] > 0;
		idle += active > 0 ? per_ipu - active : 0;
	}
	return per_ipu > 0 ? idle : TS_UNKNOWN;
}

static void
take_cycles(struct trace_tiles *x, const struct ts_program_details *d, int64_t per_ipu)
{
	const struct ts_tile_cycles *c = &d->cycles[TS_CYCLES_MEASURED];

	x->kind = TS_CYCLES_MEASURED;
	if (!c->known) {
		c = &d->cycles[TS_CYCLES_ESTIMATED];
		x->kind = TS_CYCLES_ESTIMATED;
	}
	x->known = c->known;
	x->from = c->from;
	if (!c->known)
		return;
	x->active = c->active;
	x->most = c->most;
	x->sum = c->sum;
	x->idle = idle_tiles(c, per_ipu);
	if (c->most > 0)
		count_bands(x, c);
	for (; x->slow < d->rows.count && x->slow < TRACE_SLOWEST; x->slow++) {
		const struct ts_cycle_row *row = &d->rows.row[x->slow];

		if (row->cycles[x->kind] <= 0)
			break;
		x->tile[x->slow] = row->tile;
		x->cycles[x->slow] = row->cycles[x->kind];
	}
}

static void
take_vertices(struct trace_tiles *x, const struct ts_program_details *d)
{
	x->has_vertices = d->has_vertices;
	x->kinds = d->kinds;
	x->instances = d->instances;
	if (d->vertices == 0)
		return;
	x->vertex_instances = d->vertex[0].instances;
	snprintf(x->vertex, sizeof(x->vertex), "%.*s",
		(int)ts_min_i64(d->vertex[0].said_length, (int64_t)sizeof(x->vertex) - 1),
		d->text.s ? d->text.s + d->vertex[0].said_at : "");
}

enum ts_code
trace_tiles_read(struct trace_tiles *out, struct ts_reader *rd, int64_t program,
	int64_t compute_set, struct ts_err *err)
{
	struct ts_program_details d;
	struct ts_target target;
	enum ts_code code = ts_step_details_read(&d, rd, program, compute_set, err);

	*out = (struct trace_tiles){.program = d.program, .compute_set = d.compute_set};
	if (!code) {
		bool known = ts_target_read(&target, rd, 0, 0, NULL) == TS_OK;

		take_cycles(out, &d, known ? target.tiles_per_ipu : 0);
		take_vertices(out, &d);
	}
	ts_program_details_fini(&d);
	return code;
}

/* --- on the screen -------------------------------------------------------------------------------------- */

/* "compute set 12: 4,416 vertices of 3 kinds, most of them poplin::ConvPartial (2,944)". */
static void
draw_vertices(const struct trace_tiles *x, struct ts_canvas *c, struct ts_rect r)
{
	char n[TS_FMT_MAX], kinds[TS_FMT_MAX];
	int at;

	if (x->compute_set == TS_UNKNOWN)
		return;
	at = ts_canvas_printf(c, r, 0, 0, TS_ROLE_LABEL,
		"compute set %lld: ", (long long)x->compute_set);
	if (!x->has_vertices) {
		ts_canvas_text(c, r, at, 0, TS_ROLE_DIM, "its vertices are not recorded");
		return;
	}
	at = ts_canvas_printf(c, r, at, 0, TS_ROLE_TEXT, "%s %s", ts_fmt_count(n, x->instances),
		x->instances == 1 ? "vertex" : "vertices");
	if (x->kinds != 1)
		at = ts_canvas_printf(c, r, at, 0, TS_ROLE_TEXT, " of %s kinds",
			ts_fmt_count(kinds, x->kinds));
	if (x->vertex[0] && x->kinds == 1)
		ts_canvas_printf(c, r, at, 0, TS_ROLE_DIM, ", %s", x->vertex);
	else if (x->vertex[0])
		ts_canvas_printf(c, r, at, 0, TS_ROLE_DIM, ", %s of %s",
			ts_fmt_count(n, x->vertex_instances), x->vertex);
}

/* "cycles of 1,442 tiles, measured: mean 6,941 of 7,710, 30 idle; slowest 104 107 312". */
static void
draw_cycles(const struct trace_tiles *x, const struct trace_view *t, struct ts_canvas *c,
	struct ts_rect r)
{
	char n[TS_FMT_MAX], mean[TS_FMT_MAX], most[TS_FMT_MAX];
	int at;

	if (!x->known) {
		ts_canvas_text(c, r, 0, 0, TS_ROLE_DIM,
			"cycles by tile are not recorded for this step");
		return;
	}
	at = ts_canvas_printf(c, r, 0, 0, TS_ROLE_LABEL, "%s %s, %s: ", ts_fmt_count(n, x->active),
		x->active == 1 ? "tile" : "tiles",
		x->kind == TS_CYCLES_MEASURED ? "measured" : "estimated");
	if (x->active == 0)
		return;
	at = ts_canvas_printf(c, r, at, 0, TS_ROLE_TEXT, "mean %s, slowest %s",
		trace_fmt_length(t, mean, x->sum / x->active), trace_fmt_length(t, most, x->most));
	if (x->idle > 0)
		at = ts_canvas_printf(c, r, at, 0, TS_ROLE_TEXT, ", %s idle",
			ts_fmt_count(n, x->idle));
	at = ts_canvas_text(c, r, at, 0, TS_ROLE_DIM, "; slowest tiles");
	for (int i = 0; i < x->slow; i++) {
		char tile[24];
		int w = snprintf(tile, sizeof(tile), " %lld", (long long)x->tile[i]);

		if (at + w > r.w)
			break;
		at = ts_canvas_text(c, r, at, 0, TS_ROLE_DIM, tile);
	}
}

/* Bands that are put together so that all of them have a row: 2, 4, 5 or 10 of the finest. 0: no room. */
static int
bands_each(int rows)
{
	static const int each[] = {2, 4, 5, 10};

	for (size_t i = 0; i < TS_COUNT(each); i++)
		if (TRACE_BANDS / each[i] <= rows)
			return each[i];
	return 0;
}

/* The least cycles of a band; those of the band above less 1 are its most. */
static int64_t
band_from(const struct trace_tiles *x, int band)
{
	return x->most * band / TRACE_BANDS + 1;
}

enum { RANGE_WIDTH = 28, COUNT_WIDTH = 9, BAR_WIDTH = 32 /* all of it changes with each step */ };

static void
draw_band(const struct trace_tiles *x, const struct trace_view *t, struct ts_canvas *c,
	struct ts_rect r, int first, int each, int64_t highest)
{
	char from[TS_FMT_MAX], to[TS_FMT_MAX], n[TS_FMT_MAX], range[2 * TS_FMT_MAX];
	int64_t count = 0, least = band_from(x, first), most = band_from(x, first + each) - 1;
	struct ts_rect bar = r;
	struct ts_segment segment = {
		.role = first + each == TRACE_BANDS ? TS_ROLE_WARN : TS_ROLE_FILL};

	for (int i = first; i < first + each; i++)
		count += x->band[i];
	if (least >= most)
		snprintf(range, sizeof(range), "%s",
			least > most ? "" : trace_fmt_length(t, from, least));
	else
		snprintf(range, sizeof(range), "%s..%s", trace_fmt_length(t, from, least),
			trace_fmt_length(t, to, most));
	ts_canvas_right(c, (struct ts_rect){r.x, r.y, RANGE_WIDTH, 1}, 0, 0, TS_ROLE_LABEL, range);
	ts_canvas_right(c, (struct ts_rect){r.x + RANGE_WIDTH, r.y, COUNT_WIDTH, 1}, 0, 0,
		count ? TS_ROLE_VALUE : TS_ROLE_DIM, ts_fmt_count(n, count));
	ts_rect_cut_left(&bar, RANGE_WIDTH + COUNT_WIDTH + 1);
	bar.w = bar.w < BAR_WIDTH ? bar.w : BAR_WIDTH;
	segment.v = (double)count;
	ts_chart_bar(c, bar, &segment, 1, (double)highest);
}

static int
bands_rows(const struct trace_tiles *x, int room)
{
	int each = x->known && x->most > 0 ? bands_each(room - 1) : 0;

	return each > 0 ? 1 + TRACE_BANDS / each : 0;
}

int
trace_tiles_rows(const struct trace_tiles *x, int room)
{
	int lines = 1 + (x->compute_set != TS_UNKNOWN);

	return lines + bands_rows(x, room - lines);
}

void
trace_tiles_draw(const struct trace_tiles *x, const struct trace_view *t, struct ts_canvas *c,
	struct ts_rect r)
{
	int64_t highest = 1;
	int each;

	if (x->compute_set != TS_UNKNOWN && r.h > 0)
		draw_vertices(x, c, ts_rect_cut_top(&r, 1));
	if (r.h > 0)
		draw_cycles(x, t, c, ts_rect_cut_top(&r, 1));
	each = bands_each(r.h - 1);
	if (!x->known || x->most <= 0 || each == 0 || r.w <= RANGE_WIDTH + COUNT_WIDTH)
		return;
	ts_canvas_right(c, (struct ts_rect){r.x, r.y, RANGE_WIDTH, 1}, 0, 0, TS_ROLE_DIM,
		trace_in_time(t) ? "time" : "cycles");
	ts_canvas_right(c, (struct ts_rect){r.x + RANGE_WIDTH, r.y, COUNT_WIDTH, 1}, 0, 0,
		TS_ROLE_DIM, "tiles");
	for (int i = 0; i < TRACE_BANDS; i += each) {
		int64_t count = 0;

		for (int k = i; k < i + each; k++)
			count += x->band[k];
		highest = ts_max_i64(highest, count);
	}
	for (int i = TRACE_BANDS - each, y = 1; i >= 0; i -= each, y++)
		draw_band(x, t, c, ts_rect_row(r, y), i, each, highest);
}

/* --- `=` ---------------------------------------------------------------------------------------------------- */

static void
query_of(struct ts_explained *e, const struct trace_tiles *x, const char *what, const char *where)
{
	bool program = x->from && x->from[0] == 'p';

	ts_explain_query(e, "SELECT %s FROM %s, tiles(%s) WHERE %s = %lld%s", what,
		program ? "program" : "compute_set", strchr(x->from, '.') + 1,
		program ? "program" : "compute_set",
		(long long)(program ? x->program : x->compute_set), where);
}

void
trace_tiles_explain(const struct trace_tiles *x, struct ts_explain *out)
{
	enum ts_known known = x->kind == TS_CYCLES_MEASURED ? TS_KNOWN_REPEATED
							    : TS_KNOWN_ESTIMATED;
	int64_t least = band_from(x, TRACE_BANDS - 1);
	struct ts_explained *e;
	char where[60];

	if (x->has_vertices) {
		e = ts_explain_add(out, "vertices of compute set %lld", (long long)x->compute_set);
		ts_explain_integer(e, x->instances, "vertices");
		ts_explain_from(e, TS_KNOWN_RECORDED, "compute_set_vertex.instances");
		ts_explain_query(e,
			"SELECT sum(instances) FROM compute_set_vertex WHERE compute_set = %lld",
			(long long)x->compute_set);
	}
	if (!x->known || x->most <= 0)
		return;
	e = ts_explain_add(out, "cycles of the slowest tile, %lld", (long long)x->tile[0]);
	ts_explain_integer(e, x->most, "cycles");
	ts_explain_from(e, known, "%s", x->from);
	query_of(e, x, "max(value)", "");
	e = ts_explain_add(out, "tiles in the slowest of %d bands", TRACE_BANDS);
	ts_explain_integer(e, x->band[TRACE_BANDS - 1], "tiles");
	ts_explain_from(e, known, "%s", x->from);
	ts_explain_formula(e, "tiles with %lld cycles or more: above %d/%d of the slowest one's",
		(long long)least, TRACE_BANDS - 1, TRACE_BANDS);
	snprintf(where, sizeof(where), " AND value >= %lld", (long long)least);
	query_of(e, x, "count(*)", where);
}
