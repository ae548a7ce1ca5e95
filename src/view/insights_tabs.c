/* SPDX-License-Identifier: MIT */
/*
 * insights_tabs - the lower pane of the Insights view: all of a finding, the fullest tiles and how memory is spread, what
 * makes up the peak, what of it is FP32.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/spread.h"
#include "tilescope/ui/chart.h"

#include "insights_internal.h"

static struct insights_view *
view_of(const struct ts_tab *t)
{
	return t->host;
}

static bool
is_ready(const struct insights_view *s)
{
	return ts_pane_has(&s->state);
}

static const struct ts_insight_facts *
facts_of(const struct insights_view *s)
{
	return &s->found.facts;
}

/* --- what tabs with a table have in common ---------------------------------------------------- */

/* A tab whose rows are a table: its own state is an insights_list. */
struct table_tab {
	struct ts_table (*table)(struct insights_view *s, struct insights_list *l);
	int64_t (*rows)(const struct insights_view *s);
	void (*text)(const struct insights_view *s, int64_t row, struct ts_strbuf *out);
	void (*place)(const struct insights_view *s, int64_t row, char out[TS_PLACE_TEXT]);
	void (*explain)(struct insights_view *s, int64_t row, struct ts_explain *out);
	int (*head)(const struct ts_tab *t); /* lines above the table */
	const char *title;
};

static const struct table_tab *table_of(const struct ts_tab *t);

static struct insights_list *
list_of(const struct ts_tab *t)
{
	return t->own;
}

static bool
table_open(struct ts_tab *t)
{
	struct insights_list *l = ts_alloc(1, sizeof(*l));

	if (!l)
		return false;
	ts_list_init(&l->list);
	ts_table_order_init(&l->order);
	t->own = l;
	return true;
}

static void
table_close(struct ts_tab *t)
{
	if (t->own)
		ts_table_order_fini(&list_of(t)->order);
	free(t->own);
	t->own = NULL;
}

/* Where the table stands, below the lines above it. */
static struct ts_rect
table_rect(const struct ts_tab *t)
{
	struct ts_rect r = t->r;
	int head = table_of(t)->head(t);

	ts_rect_cut_top(&r, r.h > head + 3 ? head : r.h > 4 ? 1 : 0);
	return r;
}

static void
table_fit(struct ts_tab *t)
{
	struct insights_view *s = view_of(t);
	struct ts_table table = table_of(t)->table(s, list_of(t));

	ts_table_order_make(&list_of(t)->order, &table, &list_of(t)->list,
		is_ready(s) ? table_of(t)->rows(s) : 0, s->data);
	ts_list_resize(&list_of(t)->list, ts_table_rows(&table, table_rect(t)));
}

static int64_t
table_row(struct ts_tab *t)
{
	struct ts_table table = table_of(t)->table(view_of(t), list_of(t));

	return list_of(t)->list.count > 0 ? ts_table_row(&table, list_of(t)->list.cursor) : -1;
}

static enum ts_effect
table_command(struct ts_tab *t, const struct ts_call *call)
{
	struct insights_view *s = view_of(t);
	struct ts_table table = table_of(t)->table(s, list_of(t));
	char place[TS_PLACE_TEXT] = "";
	int64_t row = table_row(t);
	enum ts_effect effect;

	if (row >= 0)
		table_of(t)->place(s, row, place);
	if (call->cmd == TS_CMD_OPEN)
		return insights_go(s, place);
	if ((call->cmd == TS_CMD_GOTO_MEMORY && strncmp(place, "memory", 6) == 0) ||
		(call->cmd == TS_CMD_GOTO_LIVENESS && strncmp(place, "liveness", 8) == 0))
		return insights_go(s, place);
	effect = insights_list_command(s, list_of(t), &table, call, table_of(t)->text);
	table_fit(t);
	return effect;
}

static enum ts_effect
table_mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct ts_table table = table_of(t)->table(view_of(t), list_of(t));

	(void)x;
	return ts_list_mouse(&list_of(t)->list, ts_table_line(&table, table_rect(t), y), wheel);
}

static struct ts_list *
table_list(struct ts_tab *t, bool *there)
{
	*there = is_ready(view_of(t));
	return &list_of(t)->list;
}

static bool
table_sheet(struct ts_tab *t, struct ts_sheet *out)
{
	struct insights_view *s = view_of(t);

	if (!is_ready(s))
		return false;
	snprintf(out->title, sizeof(out->title), "%s", table_of(t)->title);
	out->table = table_of(t)->table(s, list_of(t));
	out->list = &list_of(t)->list;
	out->rows = table_of(t)->rows(s);
	return true;
}

static int
one_line(const struct ts_tab *t)
{
	(void)t;
	return 1;
}

static int
two_lines(const struct ts_tab *t)
{
	(void)t;
	return 2;
}

/* Nothing to show yet, or ever: the panel of the view. False: there is something. */
static bool
draw_state(struct ts_tab *t, struct ts_canvas *c)
{
	struct insights_view *s = view_of(t);

	if (is_ready(s))
		return false;
	ts_pane_draw(c, t->r, t->view->env, &s->state);
	return true;
}

/* One line of the head; false: there is no room for it. */
static bool TS_PRINTF(5, 6) head_line(struct ts_canvas *c, const struct ts_tab *t, int line,
	enum ts_role role, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	if (line >= table_rect(t).y - t->r.y)
		return false;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ts_canvas_field(c, t->r, 1, line, t->r.w - 2, role, text, strlen(text), TS_FIELD_ELLIPSIS);
	return true;
}

static const char *
bytes_text(const struct insights_view *s, char out[TS_FMT_MAX], int64_t bytes)
{
	return bytes < 0 ? "not known" : ts_fmt_bytes(out, bytes, s->found.units);
}

/* --- Finding ---------------------------------------------------------------------------------- */

struct page {
	struct ts_canvas *c;
	struct ts_rect r;
	int skip, lines; /* lines above the screen; of the text so far */
};

/* A paragraph, and where the next one begins. */
static void
put(struct page *p, enum ts_role role, const char *text)
{
	struct ts_rect r = p->r;
	int at = p->lines - p->skip;

	ts_rect_cut_top(&r, at > 0 ? at : 0);
	p->lines += ts_canvas_wrap(p->c, r, at < 0 ? -at : 0, role, text);
}

static void
put_rule(struct page *p, const struct insights_view *s, const struct ts_rule *rule,
	const struct ts_finding *f)
{
	struct ts_strbuf line;
	const char *name, *what = "no such measure";

	ts_strbuf_init(&line, 1000);
	for (int i = 0; (name = ts_measure_name(i, &what)); i++)
		if (strcmp(name, rule->measure) == 0)
			break;
	ts_strbuf_printf(&line, "%s: %s", rule->measure, name ? what : "no such measure");
	if (f && f->known)
		ts_strbuf_printf(&line, " = %.7g", f->value);
	for (int i = 0; i < rule->limits; i++) {
		ts_strbuf_printf(&line, ", %s ", ts_severity_name(rule->limit[i].severity));
		ts_limit_text(&line, &rule->limit[i]);
	}
	put(p, TS_ROLE_DIM, line.s);
	ts_strbuf_reset(&line);
	ts_strbuf_printf(&line, "`off %s` or `limit %s SEVERITY LIMIT` in %s/insights.rules",
		rule->id, rule->id,
		s->base.env->rules_dir ? s->base.env->rules_dir : "~/.config/tilescope/rules");
	put(p, TS_ROLE_DIM, line.s);
	ts_strbuf_fini(&line);
}

static void
put_finding(struct page *p, const struct insights_view *s, const struct ts_finding *f)
{
	char line[200], bytes[TS_FMT_MAX];

	if (!f) {
		put(p, TS_ROLE_DIM, "switched off");
		return;
	}
	if (!f->known)
		put(p, TS_ROLE_NOTE, "not known:");
	put(p, TS_ROLE_VALUE, f->evidence);
	if (f->known && f->saving > 0) {
		snprintf(line, sizeof(line), "saves at most %s of %s",
			bytes_text(s, bytes, f->saving),
			f->saving_of == TS_SAVING_TILE ? "that tile" : "the device");
		put(p, TS_ROLE_GOOD, line);
	}
	if (f->place[0]) {
		snprintf(line, sizeof(line), "Enter shows it: %s", f->place);
		put(p, TS_ROLE_ACCENT, line);
	}
}

static void
finding_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct insights_view *s = view_of(t);
	struct ts_list *l = &list_of(t)->list;
	int64_t row = insights_row(s);
	const struct ts_rule *rule = insights_rule(s, row);
	const struct ts_finding *f = insights_finding(s, row);
	struct page p = {.c = c, .r = t->r, .skip = (int)l->top};

	(void)focus;
	if (draw_state(t, c) || !rule)
		return;
	p.r.x += 1;
	p.r.w -= 2;
	put(&p, f && f->known && f->severity ? ts_severity_role(f->severity) : TS_ROLE_TITLE,
		rule->title);
	put_finding(&p, s, f);
	put(&p, TS_ROLE_TEXT, " ");
	put(&p, TS_ROLE_TEXT, rule->advice);
	put(&p, TS_ROLE_TEXT, " ");
	put_rule(&p, s, rule, f);
}

static void
finding_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct ts_rule *rule = insights_rule(view_of(t), insights_row(view_of(t)));

	snprintf(out, TS_TAB_NOTE, "%s", rule ? rule->id : "");
}

/* Its lines scroll; how many there are follows from the width, so that any number may be gone to. */
static enum ts_effect
finding_command(struct ts_tab *t, const struct ts_call *call)
{
	struct insights_view *s = view_of(t);
	const struct ts_finding *f = insights_finding(s, insights_row(s));
	enum { LINES = 60 };

	if (call->cmd == TS_CMD_OPEN)
		return insights_go(s, f ? f->place : NULL);
	if (call->cmd == TS_CMD_DOWN)
		list_of(t)->list.top = ts_min_i64(list_of(t)->list.top + 1, LINES);
	else if (call->cmd == TS_CMD_UP)
		list_of(t)->list.top = ts_max_i64(list_of(t)->list.top - 1, 0);
	else if (call->cmd == TS_CMD_FIRST)
		list_of(t)->list.top = 0;
	else
		return TS_EFFECT_UNKNOWN;
	return TS_EFFECT_REPAINT;
}

/* --- Tiles ------------------------------------------------------------------------------------ */

enum { T_TILE, T_IPU, T_USED, T_SHARE, T_CATEGORY, T_MORE, T_VARIABLE, T_VARIABLE_MORE, T_COLUMNS };

static const struct ts_column tile_columns[T_COLUMNS] = {
	[T_TILE] = {"Tile", 7, 9, 0, 0, TS_FIELD_RIGHT},
	[T_IPU] = {"IPU", 3, 5, 0, 5, TS_FIELD_RIGHT},
	[T_USED] = {"Used", 9, 12, 0, 0, TS_FIELD_RIGHT},
	[T_SHARE] = {"%", 6, 6, 0, 0, TS_FIELD_RIGHT},
	[T_CATEGORY] = {"Set apart by", 12, 24, 1, 0, TS_FIELD_ELLIPSIS},
	[T_MORE] = {"+", 9, 12, 0, 0, TS_FIELD_RIGHT},
	[T_VARIABLE] = {"by the variable", 12, 0, 2, 2, TS_FIELD_TAIL},
	[T_VARIABLE_MORE] = {"+", 9, 12, 0, 3, TS_FIELD_RIGHT},
};

static const struct ts_column_facts tile_facts[T_COLUMNS] = {
	[T_TILE] = {.name = "tile"},
	[T_IPU] = {.name = "ipu"},
	[T_USED] = {.name = "used", .unit = "bytes"},
	[T_SHARE] = {.name = "share", .unit = "%"},
	[T_CATEGORY] = {.name = "category"},
	[T_MORE] = {.name = "category_more", .unit = "bytes"},
	[T_VARIABLE] = {.name = "variable"},
	[T_VARIABLE_MORE] = {.name = "variable_more", .unit = "bytes"},
};

static int64_t
ipu_of(const struct insights_view *s, const struct ts_full_tile *f)
{
	const struct ts_tile *t = &facts_of(s)->tiles.tile[f->place];
	int64_t per_ipu = facts_of(s)->target.tiles_per_ipu;

	return t->ipu != TS_UNKNOWN ? t->ipu : per_ipu > 0 ? t->tile / per_ipu : TS_UNKNOWN;
}

static bool
tile_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct insights_view *s = ctx;
	const struct ts_fullest *all = &facts_of(s)->fullest;
	const struct ts_full_tile *f;
	int64_t limit = facts_of(s)->target.bytes_per_tile;

	if (row < 0 || row >= all->count)
		return false;
	f = &all->tile[row];
	if (column == T_TILE || column == T_USED || column == T_IPU)
		ts_table_value_known(out,
			column == T_TILE	   ? f->tile
				: column == T_USED ? f->used
						   : ipu_of(s, f));
	else if (column == T_SHARE && limit > 0)
		ts_table_value_real(out, 100.0 * (double)f->used / (double)limit);
	else if (column == T_CATEGORY || column == T_VARIABLE)
		ts_table_value_text(out, column == T_CATEGORY ? f->category : f->variable);
	else if (column == T_MORE && f->category)
		ts_table_value_known(out, f->category_bytes - f->category_median);
	else if (column == T_VARIABLE_MORE && f->variable)
		ts_table_value_known(out, f->variable_bytes - f->variable_median);
	return true;
}

/* A cell from its exact value: bytes, shares and counts as they are shown. */
static void
show_value(const struct insights_view *s, const struct ts_table_value *v, const char *unit,
	struct ts_table_cell *out)
{
	if (v->type == TS_VALUE_TEXT) {
		out->s = v->s;
		out->n = v->n;
	} else if (v->type == TS_VALUE_REAL) {
		out->s = ts_fmt_percent(out->buf, v->real, 100);
	} else if (v->type == TS_VALUE_INTEGER) {
		out->s = unit ? ts_fmt_bytes(out->buf, v->integer, s->found.units)
			      : ts_fmt_count(out->buf, v->integer);
	}
	out->role = v->type == TS_VALUE_TEXT ? TS_ROLE_TEXT : TS_ROLE_VALUE;
}

static bool
tile_cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	const struct insights_view *s = ctx;
	struct ts_table_value v = {.type = TS_VALUE_NONE};

	if (!tile_value(ctx, row, column, &v))
		return false;
	show_value(s, &v, tile_facts[column].unit, out);
	if (column == T_TILE && v.type == TS_VALUE_INTEGER)
		snprintf(out->buf, sizeof(out->buf), "%" PRId64, v.integer);
	else if (column == T_SHARE && v.type == TS_VALUE_REAL)
		out->role = v.real > 100 ? TS_ROLE_BAD
			: v.real >= 90	 ? TS_ROLE_WARN
					 : TS_ROLE_VALUE;
	else if (column == T_CATEGORY && v.type == TS_VALUE_NONE)
		out->s = facts_of(s)->has_categories ? "nothing" : "not known";
	return true;
}

static struct ts_table
tile_table(struct insights_view *s, struct insights_list *l)
{
	return (struct ts_table){.column = tile_columns,
		.columns = T_COLUMNS,
		.cell = tile_cell,
		.ctx = s,
		.header = true,
		.focus = s->in_tabs,
		.sorted = l->order.sorted,
		.descending = l->order.descending,
		.empty = "the memory of tiles is not recorded",
		.id = "insights.tiles",
		.facts = tile_facts,
		.value = tile_value,
		.looks = s->base.env->looks,
		.order = &l->order,
		.units = s->found.units};
}

static int64_t
tile_rows(const struct insights_view *s)
{
	return facts_of(s)->fullest.count;
}

static void
tile_text(const struct insights_view *s, int64_t row, struct ts_strbuf *out)
{
	const struct ts_fullest *all = &facts_of(s)->fullest;
	const struct ts_full_tile *f;
	char used[TS_FMT_MAX], more[TS_FMT_MAX];

	if (row < 0 || row >= all->count)
		return;
	f = &all->tile[row];
	ts_strbuf_printf(out, "tile %" PRId64 " uses %s", f->tile, bytes_text(s, used, f->used));
	if (f->category)
		ts_strbuf_printf(out, ", %s more %s than tile %" PRId64,
			bytes_text(s, more, f->category_bytes - f->category_median), f->category,
			all->median_tile);
	if (f->variable)
		ts_strbuf_printf(out, ": %s", f->variable);
}

static void
tile_place(const struct insights_view *s, int64_t row, char out[TS_PLACE_TEXT])
{
	if (row < facts_of(s)->fullest.count)
		snprintf(out, TS_PLACE_TEXT, "memory?tile=%" PRId64 "&by=category",
			facts_of(s)->fullest.tile[row].tile);
}

/* "5%", "median", ... with their figures, as many as fit. */
static void
draw_percentiles(const struct insights_view *s, struct ts_canvas *c, const struct ts_tab *t, int y)
{
	static const struct {
		int p;
		const char *name;
	} wanted[] = {{50, "median"}, {0, "least"}, {100, "most"}, {95, "95%"}, {5, "5%"},
		{25, "25%"}, {75, "75%"}, {99, "99%"}};
	static const int order[] = {1, 4, 5, 0, 6, 3, 7, 2}; /* ascending */
	enum { ONE = 13 };
	int fit = t->r.w / ONE, x = 1;
	char buf[TS_FMT_MAX];

	for (size_t k = 0; k < TS_COUNT(order); k++) {
		int i = order[k];

		if (i >= fit)
			continue;
		x = ts_canvas_printf(c, t->r, x, y, TS_ROLE_LABEL, "%s ", wanted[i].name);
		x = ts_canvas_text(c, t->r, x, y, TS_ROLE_VALUE,
			ts_fmt_bytes_short(buf,
				ts_percentile(s->found.used, facts_of(s)->tiles.count, wanted[i].p),
				s->found.units));
		x += 2;
	}
}

static void
draw_balance(const struct insights_view *s, struct ts_canvas *c, const struct ts_tab *t)
{
	const struct ts_insight_facts *x = facts_of(s);
	const struct ts_tiles *tiles = &x->tiles;
	double mean = (double)tiles->used / (double)tiles->count;
	char balance[40] = "not known", median[TS_FMT_MAX], average[TS_FMT_MAX];

	if (s->found.has_balance)
		snprintf(balance, sizeof(balance), "%.3f", s->found.balance);
	head_line(c, t, 0, TS_ROLE_TEXT,
		"balance %s  mean %s  fullest/mean %.2f  median tile %" PRId64 " (%s)", balance,
		bytes_text(s, average, (int64_t)mean),
		mean > 0 ? (double)x->fullest.tile[0].used / mean : 1, x->fullest.median_tile,
		bytes_text(s, median, x->fullest.median_used));
}

static const char *
bytes_tick(void *ctx, double v, char out[TS_FMT_MAX])
{
	const struct insights_view *s = ctx;

	return ts_fmt_bytes_short(out, (int64_t)v, s->found.units);
}

static const char *
count_tick(void *ctx, double v, char out[TS_FMT_MAX])
{
	(void)ctx;
	return ts_fmt_count(out, (int64_t)v);
}

enum { BINS_MAX = 400 };

/* How many tiles use how much: from nothing to the limit, or to the fullest where that is more. */
static void
draw_histogram(struct insights_view *s, struct ts_canvas *c, struct ts_rect r)
{
	const struct ts_insight_facts *x = facts_of(s);
	int64_t count[BINS_MAX + 1], limit = x->target.bytes_per_tile;
	int64_t most = s->found.used[x->tiles.count - 1], top = most > limit ? most : limit;
	double height[BINS_MAX], highest = 1;
	struct ts_chart_frame f;
	struct ts_band band = {height, TS_ROLE_FILL, '#'};
	int bins;

	if (r.h < 4 || top <= 0)
		return;
	f = ts_chart_frame(r, 0, 1);
	bins = (int)ts_min_i64(f.plot.w, BINS_MAX);
	ts_histogram(count, bins, s->found.used, x->tiles.count, top);
	for (int i = 0; i < bins; i++)
		highest = (double)count[i] > highest ? (double)count[i] : highest;
	f = ts_chart_frame(r, ts_chart_y_width(r.h - 1, highest, 10, count_tick, s), 1);
	bins = (int)ts_min_i64(f.plot.w, BINS_MAX);
	if (bins < 8)
		return;
	ts_histogram(count, bins, s->found.used, x->tiles.count, top);
	for (int i = 0; i < bins; i++) { /* no tile is lost: an eighth of a row at least */
		double least = highest / (8.0 * f.plot.h);

		height[i] = count[i] > 0 && (double)count[i] < least ? least : (double)count[i];
	}
	ts_chart_area(c, f.plot,
		&(struct ts_area){.columns = bins, .bands = 1, .band = &band, .top = highest});
	ts_chart_y_axis(c, &f, highest, 10, count_tick, s);
	ts_chart_x_axis(c, &f, 0, (double)top, s->found.units == TS_UNITS_KIB ? 2 : 10, bytes_tick,
		s);
	if (limit > 0 && limit < top)
		ts_chart_divider(c, f.plot, (int)((double)limit / (double)top * bins),
			TS_ROLE_LIMIT);
}

static void
tiles_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct insights_view *s = view_of(t);
	struct ts_table table = tile_table(s, list_of(t));
	struct ts_rect r = table_rect(t);

	if (draw_state(t, c))
		return;
	table.focus = focus;
	if (facts_of(s)->has_tiles)
		draw_balance(s, c, t);
	ts_table_draw(c, ts_rect_cut_top(&r, TS_FULLEST + 1), &table, &list_of(t)->list);
	if (!facts_of(s)->has_tiles || r.h < 1)
		return;
	draw_percentiles(s, c, t, r.y - t->r.y);
	ts_rect_cut_top(&r, 1);
	draw_histogram(s, c, r);
}

static void
tiles_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct insights_view *s = view_of(t);
	char buf[TS_FMT_MAX];

	if (is_ready(s) && facts_of(s)->has_tiles)
		snprintf(out, TS_TAB_NOTE, "the %d fullest of %s", facts_of(s)->fullest.count,
			ts_fmt_count(buf, (int64_t)facts_of(s)->tiles.count));
}

/* --- Peak, FP32: lists of variables ----------------------------------------------------------- */

enum { P_BYTES, P_SHARE, P_SUM, P_LIVE, P_TYPE, P_NAME, P_COLUMNS };

static const struct ts_column peak_columns[P_COLUMNS] = {
	[P_BYTES] = {"Bytes", 9, 12, 0, 0, TS_FIELD_RIGHT},
	[P_SHARE] = {"%", 6, 6, 0, 1, TS_FIELD_RIGHT},
	[P_SUM] = {"% so far", 8, 8, 0, 2, TS_FIELD_RIGHT},
	[P_LIVE] = {"Live", 8, 8, 0, 3, TS_FIELD_LEFT},
	[P_TYPE] = {"Type", 5, 5, 0, 4, TS_FIELD_LEFT},
	[P_NAME] = {"Variable", 16, 0, 1, 0, TS_FIELD_TAIL},
};

static const struct ts_column_facts peak_facts[P_COLUMNS] = {
	[P_BYTES] = {.name = "bytes", .unit = "bytes", .sum = TS_SUM_BYTES},
	[P_SHARE] = {.name = "share", .unit = "%"},
	[P_SUM] = {.name = "so_far", .unit = "%"},
	[P_LIVE] = {.name = "live"},
	[P_TYPE] = {.name = "type"},
	[P_NAME] = {.name = "variable"},
};

static double
sum_so_far(const struct ts_peak_list *l, int64_t row)
{
	double sum = 0;

	for (int64_t i = 0; i <= row; i++)
		sum += (double)l->row[i].bytes;
	return sum;
}

static bool
peak_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct insights_view *s = ctx;
	const struct ts_peak_variables *p = &facts_of(s)->peak;
	double whole = (double)ts_peak_bytes(p);

	if (row < 0 || row >= p->largest.count)
		return false;
	switch (column) {
	case P_BYTES:
		ts_table_value_known(out, p->largest.row[row].bytes);
		break;
	case P_SHARE:
		ts_table_value_real(out,
			whole > 0 ? 100 * (double)p->largest.row[row].bytes / whole : 0);
		break;
	case P_SUM:
		ts_table_value_real(out,
			whole > 0 ? 100 * sum_so_far(&p->largest, row) / whole : 0);
		break;
	case P_LIVE:
		ts_table_value_text(out, p->largest.row[row].always ? "always" : "at peak");
		break;
	case P_TYPE:
		ts_table_value_text(out, p->largest.row[row].fp32 ? "FP32" : NULL);
		break;
	default:
		ts_table_value_text(out, p->largest.row[row].name);
	}
	return true;
}

static bool
peak_cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	struct ts_table_value v = {.type = TS_VALUE_NONE};

	if (!peak_value(ctx, row, column, &v))
		return false;
	show_value(ctx, &v, peak_facts[column].unit, out);
	return true;
}

static struct ts_table
peak_table(struct insights_view *s, struct insights_list *l)
{
	return (struct ts_table){.column = peak_columns,
		.columns = P_COLUMNS,
		.cell = peak_cell,
		.ctx = s,
		.header = true,
		.focus = s->in_tabs,
		.sorted = l->order.sorted,
		.descending = l->order.descending,
		.empty = facts_of(s)->has_peak ? "nothing is alive at the peak"
					       : "variables are not recorded",
		.id = "insights.peak",
		.facts = peak_facts,
		.value = peak_value,
		.looks = s->base.env->looks,
		.order = &l->order,
		.units = s->found.units};
}

static int64_t
peak_rows(const struct insights_view *s)
{
	return facts_of(s)->peak.largest.count;
}

static void
variable_text(const struct insights_view *s, const struct ts_peak_variable *v,
	struct ts_strbuf *out)
{
	char bytes[TS_FMT_MAX];

	ts_strbuf_printf(out, "%s %s%s%s", bytes_text(s, bytes, v->bytes),
		v->always ? "always live " : "", v->fp32 ? "FP32 " : "",
		v->name ? v->name : "(no name)");
}

static void
peak_text(const struct insights_view *s, int64_t row, struct ts_strbuf *out)
{
	if (row >= 0 && row < facts_of(s)->peak.largest.count)
		variable_text(s, &facts_of(s)->peak.largest.row[row], out);
}

static void
peak_place(const struct insights_view *s, int64_t row, char out[TS_PLACE_TEXT])
{
	(void)row;
	if (facts_of(s)->peak.step != TS_UNKNOWN)
		snprintf(out, TS_PLACE_TEXT, "liveness?step=%" PRId64, facts_of(s)->peak.step);
}

static bool
say_share(const struct ts_peak_variables *p, int percent, const char *word, struct ts_strbuf *out)
{
	int64_t k = ts_peak_share(p, percent);
	char buf[TS_FMT_MAX];

	if (k == TS_UNKNOWN)
		ts_strbuf_printf(out, ", more than %d %s", TS_PEAK_ROWS, word);
	else
		ts_strbuf_printf(out, ", %s %s", ts_fmt_count(buf, k), word);
	return k != TS_UNKNOWN;
}

static void
draw_peak_head(const struct insights_view *s, struct ts_canvas *c, const struct ts_tab *t)
{
	const struct ts_peak_variables *p = &facts_of(s)->peak;
	char all[TS_FMT_MAX], always[TS_FMT_MAX], alive[TS_FMT_MAX], n[TS_FMT_MAX];
	char code[TS_FMT_MAX];
	struct ts_strbuf line;

	if (!p->has_lives) {
		head_line(c, t, 0, TS_ROLE_NOTE,
			"who is alive at which step is not recorded: always-live variables only (%s)",
			bytes_text(s, always, p->always.bytes));
		return;
	}
	head_line(c, t, 0, TS_ROLE_TEXT,
		"%s of variables: %s always live, %s at peak%s; %s of code and state",
		bytes_text(s, all, ts_peak_bytes(p)), bytes_text(s, always, p->always.bytes),
		bytes_text(s, alive, p->alive.bytes),
		facts_of(s)->liveness.replicas > 1 ? " (one replica)" : "",
		bytes_text(s, code, p->code.bytes));
	ts_strbuf_init(&line, 300);
	ts_strbuf_printf(&line, "%s variables", ts_fmt_count(n, p->always.count + p->alive.count));
	if (say_share(p, 50, "are half", &line) && say_share(p, 75, "are 75%", &line))
		say_share(p, 90, "are 90%", &line);
	head_line(c, t, 1, TS_ROLE_ACCENT, "%s", line.s);
	ts_strbuf_fini(&line);
}

static void
peak_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct insights_view *s = view_of(t);
	struct ts_table table = peak_table(s, list_of(t));

	if (draw_state(t, c))
		return;
	table.focus = focus;
	if (facts_of(s)->has_peak)
		draw_peak_head(s, c, t);
	ts_table_draw(c, table_rect(t), &table, &list_of(t)->list);
}

static bool
peak_absent(const struct ts_tab *t)
{
	return is_ready(view_of(t)) && !facts_of(view_of(t))->has_peak;
}

static void
step_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct insights_view *s = view_of(t);
	char buf[TS_FMT_MAX];

	if (is_ready(s) && facts_of(s)->has_peak && facts_of(s)->peak.step != TS_UNKNOWN)
		snprintf(out, TS_TAB_NOTE, "liveness step %s",
			ts_fmt_count(buf, facts_of(s)->peak.step));
}

static void
halves_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct insights_view *s = view_of(t);
	const struct ts_peak_variables *p = &facts_of(s)->peak;
	char n[TS_FMT_MAX], step[TS_FMT_MAX];

	if (!is_ready(s) || !facts_of(s)->has_peak || !p->has_types)
		return;
	snprintf(out, TS_TAB_NOTE, "%s candidates%s%s", ts_fmt_count(n, p->fp32.count),
		p->step == TS_UNKNOWN ? "" : ", step ",
		p->step == TS_UNKNOWN ? "" : ts_fmt_count(step, p->step));
}

/* --- FP32 ------------------------------------------------------------------------------------- */

enum { H_BYTES, H_SAVES, H_LIVE, H_NAME, H_COLUMNS };

static const struct ts_column half_columns[H_COLUMNS] = {
	[H_BYTES] = {"FP32", 9, 12, 0, 0, TS_FIELD_RIGHT},
	[H_SAVES] = {"Saves", 9, 12, 0, 0, TS_FIELD_RIGHT},
	[H_LIVE] = {"Live", 8, 8, 0, 1, TS_FIELD_LEFT},
	[H_NAME] = {"Variable", 16, 0, 1, 0, TS_FIELD_TAIL},
};

static const struct ts_column_facts half_facts[H_COLUMNS] = {
	[H_BYTES] = {.name = "bytes", .unit = "bytes", .sum = TS_SUM_BYTES},
	[H_SAVES] = {.name = "saving", .unit = "bytes", .sum = TS_SUM_BYTES},
	[H_LIVE] = {.name = "live"},
	[H_NAME] = {.name = "variable"},
};

static bool
half_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct insights_view *s = ctx;
	const struct ts_peak_list *l = &facts_of(s)->peak.halves;

	if (row < 0 || row >= l->count)
		return false;
	if (column == H_BYTES || column == H_SAVES)
		ts_table_value_known(out, l->row[row].bytes / (column == H_SAVES ? 2 : 1));
	else
		ts_table_value_text(out,
			column == H_NAME	     ? l->row[row].name
				: l->row[row].always ? "always"
						     : "at peak");
	return true;
}

static bool
half_cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	struct ts_table_value v = {.type = TS_VALUE_NONE};

	if (!half_value(ctx, row, column, &v))
		return false;
	show_value(ctx, &v, half_facts[column].unit, out);
	return true;
}

static struct ts_table
half_table(struct insights_view *s, struct insights_list *l)
{
	const struct ts_peak_variables *p = &facts_of(s)->peak;

	return (struct ts_table){.column = half_columns,
		.columns = H_COLUMNS,
		.cell = half_cell,
		.ctx = s,
		.header = true,
		.focus = s->in_tabs,
		.sorted = l->order.sorted,
		.descending = l->order.descending,
		.empty = !facts_of(s)->has_peak ? "variables are not recorded"
			: !p->has_types		? "the element type of variables is not recorded"
						: "nothing of FP32 is alive at the peak",
		.id = "insights.fp32",
		.facts = half_facts,
		.value = half_value,
		.looks = s->base.env->looks,
		.order = &l->order,
		.units = s->found.units};
}

static int64_t
half_rows(const struct insights_view *s)
{
	return facts_of(s)->peak.halves.count;
}

static void
half_text(const struct insights_view *s, int64_t row, struct ts_strbuf *out)
{
	if (row >= 0 && row < facts_of(s)->peak.halves.count)
		variable_text(s, &facts_of(s)->peak.halves.row[row], out);
}

/* Where there is room, a line for each of the fullest tiles. */
static int
halves_head(const struct ts_tab *t)
{
	const struct ts_fullest *f = &facts_of(view_of(t))->fullest;
	enum { SUMS = 2, TABLE = 6 };

	return f->typed && t->r.h >= SUMS + f->count + TABLE ? SUMS + f->count : SUMS;
}

static void
draw_tile_halves(const struct insights_view *s, struct ts_canvas *c, const struct ts_tab *t)
{
	const struct ts_fullest *f = &facts_of(s)->fullest;
	char bytes[TS_FMT_MAX], saves[TS_FMT_MAX], step[TS_FMT_MAX];

	for (int i = 0; i < f->count; i++) {
		const struct ts_full_tile *one = &f->tile[i];

		head_line(c, t, 2 + i, TS_ROLE_TEXT,
			"tile %" PRId64 " at its own peak%s%s: %s of FP32, saves %s", one->tile,
			one->peak_step == TS_UNKNOWN ? "" : ", step ",
			one->peak_step == TS_UNKNOWN ? "" : ts_fmt_count(step, one->peak_step),
			bytes_text(s, bytes, one->fp32_bytes),
			bytes_text(s, saves, one->fp32_bytes / 2));
	}
}

static void
draw_halves_head(const struct insights_view *s, struct ts_canvas *c, const struct ts_tab *t)
{
	const struct ts_peak_variables *p = &facts_of(s)->peak;
	const struct ts_liveness *l = &facts_of(s)->liveness;
	char n[TS_FMT_MAX], bytes[TS_FMT_MAX], share[TS_FMT_MAX], saves[TS_FMT_MAX];

	if (!p->has_types)
		return;
	head_line(c, t, 0, TS_ROLE_TEXT, "%s FP32 variables alive at the peak: %s, %s of it",
		ts_fmt_count(n, p->fp32.count), bytes_text(s, bytes, p->fp32.bytes),
		ts_fmt_percent(share, (double)p->fp32.bytes, (double)ts_peak_bytes(p)));
	head_line(c, t, 1, TS_ROLE_GOOD, "all of them in 16 bits would save %s of the device%s",
		bytes_text(s, saves,
			facts_of(s)->has_liveness ? ts_liveness_device(l, p->fp32.bytes / 2)
						  : p->fp32.bytes / 2),
		p->has_lives ? "" : " (always-live ones only)");
	if (facts_of(s)->fullest.typed)
		draw_tile_halves(s, c, t);
}

static void
halves_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct insights_view *s = view_of(t);
	struct ts_table table = half_table(s, list_of(t));

	if (draw_state(t, c))
		return;
	table.focus = focus;
	if (facts_of(s)->has_peak)
		draw_halves_head(s, c, t);
	ts_table_draw(c, table_rect(t), &table, &list_of(t)->list);
}

static bool
halves_absent(const struct ts_tab *t)
{
	return peak_absent(t) || (is_ready(view_of(t)) && !facts_of(view_of(t))->peak.has_types);
}

static void
table_explain(struct ts_tab *t, struct ts_explain *out)
{
	if (is_ready(view_of(t)))
		table_of(t)->explain(view_of(t), table_row(t), out);
}

static void
finding_explain(struct ts_tab *t, struct ts_explain *out)
{
	insights_explain_finding(view_of(t), insights_row(view_of(t)), out);
}

/* --- the tables of functions ------------------------------------------------------------------ */

static const struct ts_tab_ops tab_finding = {
	.name = "finding",
	.title = "Finding",
	.open = table_open,
	.close = table_close,
	.note = finding_note,
	.draw = finding_draw,
	.command = finding_command,
	.explain = finding_explain,
};

#define TABLE_TAB                                                                                 \
	.open = table_open, .close = table_close, .resize = table_fit, .request = table_fit,      \
	.command = table_command, .mouse = table_mouse, .list = table_list, .sheet = table_sheet, \
	.explain = table_explain

static const struct ts_tab_ops tab_tiles = {
	.name = "tiles",
	.title = "Fullest tiles",
	.brief = "Tiles",
	.note = tiles_note,
	.draw = tiles_draw,
	TABLE_TAB,
};

static const struct ts_tab_ops tab_peak = {
	.name = "peak",
	.title = "Peak",
	.absent = peak_absent,
	.note = step_note,
	.draw = peak_draw,
	TABLE_TAB,
};

static const struct ts_tab_ops tab_fp32 = {
	.name = "fp32",
	.title = "FP32",
	.absent = halves_absent,
	.note = halves_note,
	.draw = halves_draw,
	TABLE_TAB,
};

const struct ts_tab_ops *const insights_tab_ops[INSIGHTS_TABS] = {&tab_finding, &tab_tiles,
	&tab_peak, &tab_fp32, &insights_tab_largest};

static const struct {
	const struct ts_tab_ops *ops;
	struct table_tab table;
} tables[] = {
	{&tab_tiles,
		{tile_table, tile_rows, tile_text, tile_place, insights_explain_tile, one_line,
			"Fullest tiles"}},
	{&tab_peak,
		{peak_table, peak_rows, peak_text, peak_place, insights_explain_peak, two_lines,
			"Variables at the peak"}},
	{&tab_fp32,
		{half_table, half_rows, half_text, peak_place, insights_explain_half, halves_head,
			"FP32 variables at the peak"}},
};

static const struct table_tab *
table_of(const struct ts_tab *t)
{
	for (size_t i = 0; i < TS_COUNT(tables); i++)
		if (tables[i].ops == t->ops)
			return &tables[i].table;
	return &tables[0].table; /* nobody asks */
}
