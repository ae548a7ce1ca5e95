/* SPDX-License-Identifier: MIT */
/*
 * variables_details - all that is known of the row under the cursor: its columns, over which tiles its
 * unlowered variable lies, and at which steps it is alive.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "variables_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/ui/chart.h"

enum {
	LONG_BYTES = 1000, /* are told in units, too */
	GRAPHS_FROM = 5,   /* rows of the pane from which on there are graphs */
	LABEL = 8,
	GRAPH_MOST = 256, /* columns */
	GRAPH_LEAST = 12,
	WIDE = 100, /* from which on graphs have two fifths of the columns */
};

static enum ts_units
units(const struct variables_view *t)
{
	return t->view.env->options->units;
}

/* --- fields ----------------------------------------------------------------------------------- */

struct flow {
	struct ts_canvas *c;
	struct ts_rect r;
	int x, y;
};

/* A label and its figure, on this line or the next. */
static void
put(struct flow *f, const char *label, const char *value)
{
	int w = (int)strlen(label) + 1 + (int)strlen(value);

	if (f->x > 1 && f->x + w > f->r.w) {
		f->x = 1;
		f->y++;
	}
	if (f->y >= f->r.h)
		return;
	f->x = ts_canvas_text(f->c, f->r, f->x, f->y, TS_ROLE_LABEL, label);
	f->x = ts_canvas_text(f->c, f->r, f->x + 1, f->y, TS_ROLE_VALUE, value) + 3;
}

static void
put_number(struct flow *f, const char *label, int64_t v)
{
	char text[TS_FMT_MAX];

	if (v != TS_UNKNOWN)
		put(f, label, ts_fmt_number(text, v));
}

/* Text of the report in a figure's place. */
static void
put_text(struct flow *f, const struct variables_view *t, const char *label, uint32_t at, uint32_t n)
{
	struct ts_strbuf safe;

	if (n == 0)
		return;
	ts_strbuf_init(&safe, 200);
	ts_utf8_safe(&safe, t->window.text.s + at, n);
	put(f, label, safe.s);
	ts_strbuf_fini(&safe);
}

static void
put_bytes(struct flow *f, const struct variables_view *t, const struct ts_variable *x)
{
	char exact[TS_FMT_MAX], text[TS_FMT_MAX], percent[TS_FMT_MAX], all[120];
	bool said;

	if (x->bytes == TS_UNKNOWN)
		return;
	ts_fmt_percent(percent, (double)x->bytes, (double)t->v->bytes_per_tile);
	ts_fmt_count(exact, x->bytes);
	ts_fmt_bytes(text, x->bytes, units(t));
	said = x->bytes < LONG_BYTES || units(t) == TS_UNITS_BYTES; /* the same number */
	if (t->v->bytes_per_tile <= 0 || !t->v->lowered)
		snprintf(all, sizeof(all), said ? "%s" : "%s (%s)", exact, text);
	else if (said)
		snprintf(all, sizeof(all), "%s (%s of a tile)", exact, percent);
	else
		snprintf(all, sizeof(all), "%s (%s, %s of a tile)", exact, text, percent);
	put(f, "bytes", all);
}

static void
put_place(struct flow *f, const struct ts_variable *x)
{
	char text[80];

	if (x->offset == TS_UNKNOWN)
		return;
	if (x->bytes == TS_UNKNOWN)
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)x->offset);
	else
		snprintf(text, sizeof(text), "0x%llx-0x%llx", (unsigned long long)x->offset,
			(unsigned long long)x->offset + (unsigned long long)x->bytes);
	put(f, "offset", text);
}

/* The name, broken where the line ends; how many lines it takes. */
static int
draw_name(struct ts_canvas *c, struct ts_rect r, const struct variables_view *t,
	const struct ts_variable *x)
{
	struct ts_strbuf name;
	int lines;

	ts_strbuf_init(&name, TS_VARIABLE_NAME_MAX * 3);
	ts_utf8_safe(&name, t->window.text.s + x->name, x->name_n);
	lines = ts_canvas_wrap(c, r, 0, TS_ROLE_TITLE, name.s);
	ts_strbuf_fini(&name);
	return lines < r.h ? lines : r.h;
}

/* "live at 1,200 of 20,406 steps, 5 to 13,874" */
static void
put_life(struct flow *f, const struct variables_view *t, const struct ts_variable *x)
{
	char steps[TS_FMT_MAX], all[TS_FMT_MAX], from[TS_FMT_MAX], to[TS_FMT_MAX], text[160];
	int64_t run = atomic_load(&t->v->facts->steps);

	if (x->steps == TS_UNKNOWN)
		return;
	ts_fmt_count(steps, x->steps);
	ts_fmt_count(all, run);
	ts_fmt_count(from, x->from);
	ts_fmt_count(to, x->to);
	if (run > 0 && x->steps < run && run - x->steps < run / 100)
		snprintf(text, sizeof(text), "all but %s of %s steps",
			ts_fmt_count(to, run - x->steps), all);
	else if (run > 0 && x->steps >= run)
		snprintf(text, sizeof(text), "all %s step%s", all, run == 1 ? "" : "s");
	else
		snprintf(text, sizeof(text), "%s%s%s steps, %s to %s", steps, run > 0 ? " of " : "",
			run > 0 ? all : "", from, to);
	put(f, "live in", text);
}

static void
draw_fields(struct ts_canvas *c, struct ts_rect r, const struct variables_view *t,
	const struct ts_variable *x)
{
	struct flow f = {c, r, 1, 0};

	put_number(&f, "tile", x->tile);
	put_number(&f, "ipu", x->ipu);
	put_bytes(&f, t, x);
	put_place(&f, x);
	put_text(&f, t, "category", x->category_name, x->category_name_n);
	put_text(&f, t, "type", x->type, x->type_n);
	put_number(&f, "alignment", x->alignment);
	if (x->always_live >= 0)
		put(&f, "always live", x->always_live ? "yes" : "no");
	put_life(&f, t, x);
	if (t->v->lowered)
		put_number(&f, "id", x->id);
	put_number(&f, t->v->lowered ? "unlowered variable" : "variable", x->variable);
	put_number(&f, "equivalence class", x->class_of);
	put_number(&f, "debug context", x->context);
}

/* --- graphs ----------------------------------------------------------------------------------- */

/* A label, a graph of n values, and what it says; the text goes first where it is narrow. */
static void
draw_graph(struct ts_canvas *c, struct ts_rect r, const char *label, const double *v, int n,
	double top, const char *text)
{
	struct ts_rect graph = r;

	ts_canvas_text(c, r, 1, 0, TS_ROLE_LABEL, label);
	ts_rect_cut_left(&graph, LABEL);
	ts_chart_strip(c, ts_rect_cut_left(&graph, n), v, n, top, 0, 0, NULL);
	ts_canvas_field(c, graph, 1, 0, graph.w - 1, TS_ROLE_VALUE, text, strlen(text),
		TS_FIELD_ELLIPSIS);
}

/* Where part i of n begins, without overflow. */
static int64_t
part_at(int64_t all, int64_t n, int64_t i)
{
	return all / n * i + all % n * i / n;
}

static int
graph_width(struct ts_rect r, int64_t values)
{
	int w = (int)ts_clamp_i64((r.w - LABEL) * (r.w < WIDE ? 1 : 2) / 5, GRAPH_LEAST,
		GRAPH_MOST);

	return (int)ts_min_i64(w, ts_max_i64(values, 1));
}

/* "all 1,472 tiles, ..." or "12 of 1,472 tiles in 88 pieces, balance 80%, most 3.2 KiB on 7" */
static void
pieces_text(const struct variables_view *t, char *out, size_t size)
{
	const struct ts_variable_pieces *p = &t->pieces;
	const struct ts_variable_spread s = {.tiles = p->on,
		.bytes = p->bytes,
		.fullest = p->fullest};
	char a[TS_FMT_MAX], b[TS_FMT_MAX];
	int64_t even = ts_variable_balance(&s);
	struct ts_strbuf text;

	ts_strbuf_init(&text, size - 1);
	if (p->on == t->v->tiles && p->on > 1)
		ts_strbuf_puts(&text, "all ");
	ts_strbuf_puts(&text, ts_fmt_count(a, p->on));
	if (t->v->tiles > 0 && (p->on != t->v->tiles || p->on == 1))
		ts_strbuf_printf(&text, " of %s", ts_fmt_count(a, t->v->tiles));
	ts_strbuf_puts(&text, p->on == 1 && t->v->tiles <= 0 ? " tile" : " tiles");
	if (p->pieces != p->on)
		ts_strbuf_printf(&text, " in %s pieces", ts_fmt_count(a, p->pieces));
	if (even != TS_UNKNOWN)
		ts_strbuf_printf(&text, ", balance %s", ts_fmt_percent(a, (double)even, 100000));
	ts_strbuf_printf(&text, ", most %s on %s", ts_fmt_bytes(a, p->fullest, units(t)),
		ts_fmt_number(b, p->fullest_tile));
	if (p->partial)
		ts_strbuf_puts(&text, " (partial: the report is damaged)");
	snprintf(out, size, "%s", text.s);
	ts_strbuf_fini(&text);
}

static void
draw_tiles(struct ts_canvas *c, struct ts_rect r, const struct variables_view *t,
	const struct ts_variable *x)
{
	int64_t tiles = ts_max_i64(t->v->tiles, t->pieces.tiles);
	int n = graph_width(r, tiles);
	double v[GRAPH_MOST] = {0};
	char text[200];

	if (!t->v->has_spread || x->variable == TS_UNKNOWN)
		return;
	if (!t->has_pieces || t->pieces.variable != x->variable) {
		ts_canvas_text(c, r, 1, 0, TS_ROLE_LABEL, "tiles");
		ts_canvas_pending(c, r, LABEL, 0);
		return;
	}
	if (t->pieces.pieces == 0) {
		draw_graph(c, r, "tiles", v, 0, 1, "no lowered variable belongs to it");
		return;
	}
	for (int i = 0; i < n; i++)
		v[i] = (double)ts_variable_pieces_most(&t->pieces, part_at(tiles, n, i),
			part_at(tiles, n, i + 1));
	pieces_text(t, text, sizeof(text));
	draw_graph(c, r, "tiles", v, n, (double)ts_max_i64(t->pieces.fullest, 1), text);
}

/* "3 intervals: 5-13, 20-40, 100-20,405" */
static void
intervals_text(const struct ts_variable_interval *x, uint32_t count, char *out, size_t size)
{
	char n[TS_FMT_MAX], from[TS_FMT_MAX], to[TS_FMT_MAX];
	size_t at = (size_t)snprintf(out, size, "%s interval%s: ", ts_fmt_count(n, count),
		count == 1 ? "" : "s");

	for (uint32_t i = 0; i < count && at + 60 < size; i++)
		at += (size_t)snprintf(out + at, size - at, "%s%s-%s", i > 0 ? ", " : "",
			ts_fmt_count(from, x[i].start), ts_fmt_count(to, x[i].end - 1));
}

static void
draw_steps(struct ts_canvas *c, struct ts_rect r, const struct variables_view *t,
	const struct ts_variable *x)
{
	const struct ts_variable_facts *f = t->v->facts;
	const struct ts_variable_interval *i;
	int64_t steps = atomic_load(&f->steps);
	int n = graph_width(r, steps);
	double v[GRAPH_MOST] = {0};
	char text[300];
	uint32_t count;

	if (!atomic_load(&f->alive) || steps <= 0 || x->steps == TS_UNKNOWN)
		return;
	i = ts_variable_intervals(f, x->class_of, x->variable, &count);
	for (int k = 0; k < n; k++) {
		int64_t from = part_at(steps, n, k), to = part_at(steps, n, k + 1);

		v[k] = ts_variable_is_alive(f, x->class_of, x->variable, x->always_live, from,
			       ts_max_i64(to - 1, from)) == 1;
	}
	if (i && x->always_live != 1)
		intervals_text(i, count, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "always live");
	draw_graph(c, r, "steps", v, n, 2, text);
}

/* --- the pane ----------------------------------------------------------------------------------- */

static void
draw_rule(struct ts_canvas *c, const struct variables_view *t)
{
	char row[TS_FMT_MAX], rows[TS_FMT_MAX], right[80];

	snprintf(right, sizeof(right), "row %s of %s",
		ts_fmt_count(row, t->rows.count > 0 ? t->rows.cursor + 1 : 0),
		ts_fmt_count(rows, t->rows.count));
	ts_canvas_rule(c, t->at.rule, TS_ROLE_BORDER, "Variable", t->rows.count > 0 ? right : NULL);
}

void
variables_details(struct ts_canvas *c, const struct variables_view *t)
{
	const struct ts_variable *x = variables_row(t, t->rows.cursor);
	struct ts_rect r = t->at.details, name;

	if (ts_rect_empty(r))
		return;
	draw_rule(c, t);
	if (!x) {
		if (t->rows.count > 0)
			ts_canvas_pending(c, r, 1, 0);
		return;
	}
	if (x->state == TS_VARIABLE_DAMAGED) {
		ts_canvas_text(c, r, 1, 0, TS_ROLE_BAD, "this row is damaged");
		return;
	}
	if (r.h >= GRAPHS_FROM && t->v->has_lives)
		draw_steps(c, ts_rect_cut_bottom(&r, 1), t, x);
	if (r.h >= GRAPHS_FROM - 1 && t->v->has_spread)
		draw_tiles(c, ts_rect_cut_bottom(&r, 1), t, x);
	name = r;
	name.x += 1;
	name.w -= 2;
	name.h = r.h > 4 ? r.h - 3 : 1;
	if (x->has_name)
		ts_rect_cut_top(&r, draw_name(c, name, t, x));
	draw_fields(c, r, t, x);
}
