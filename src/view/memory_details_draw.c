/* SPDX-License-Identifier: MIT */
/* memory_details_draw - the tab Details on the canvas and as a table, and what its figures are. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "memory_details.h"
#include "tilescope/base/mem.h"
#include "tilescope/ui/chart.h"
#include "tilescope/view/explain_common.h"
#include "tilescope/view/sheet.h"

static struct memory_view *
memory_of(const struct ts_tab *t)
{
	return t->host;
}

static struct details_tab *
details_of(const struct ts_tab *t)
{
	return t->own;
}

/* --- the table -------------------------------------------------------------------------------- */

enum { K_LETTER, K_NAME, K_BYTES, K_SHARE, K_BAR, K_COLUMNS };

static const struct ts_column details_columns[K_COLUMNS] = {
	[K_LETTER] = {"", 1, 1, 0, 3, TS_FIELD_LEFT},
	[K_NAME] = {"category", 24, 34, 3, 0, TS_FIELD_ELLIPSIS},
	[K_BYTES] = {"bytes", 10, 10, 0, 0, TS_FIELD_RIGHT},
	[K_SHARE] = {"share", 6, 6, 0, 1, TS_FIELD_RIGHT},
	[K_BAR] = {"", 8, 0, 2, 4, TS_FIELD_LEFT},
};

static const struct ts_column_facts details_facts[K_COLUMNS] = {
	[K_LETTER] = {.name = ""},
	[K_NAME] = {.name = "name"},
	[K_BYTES] = {.name = "bytes", .unit = "bytes"},
	[K_SHARE] = {.name = "share", .unit = "%"},
	[K_BAR] = {.name = ""},
};

/* The band of the graph that a category belongs to, or -1. */
static int
band_of(const struct memory_view *m, const struct ts_detail_node *n)
{
	const struct memory_categories *k = m->categories;

	for (int i = 0; k && n && n->kind == TS_DETAIL_CATEGORY && i < k->c.count; i++)
		if (strcmp(k->c.category[i].name, n->name) == 0)
			return i < k->bands - (k->other ? 1 : 0) ? i : k->bands - 1;
	return -1;
}

static enum ts_role
band_role(int band)
{
	return band < 0 ? TS_ROLE_BAR : TS_ROLE_SERIES_0 + (unsigned)band % TS_ROLE_SERIES;
}

static void
name_cell(const struct details_tab *s, const struct ts_detail_node *n, const struct ts_canvas *c,
	struct ts_table_cell *out)
{
	bool ascii = c && c->glyphs == TS_GLYPHS_ASCII;
	const char *sign = n->inside == 0   ? ""
		: memory_details_open(s, n) ? (ascii ? "- " : "▾ ")
					    : (ascii ? "+ " : "▸ ");

	if (n->depth == 0 && n->inside == 0) {
		out->s = n->name;
		return;
	}
	snprintf(out->buf, sizeof(out->buf), "%*s%s%.40s", 2 * n->depth, "", sign, n->name);
	out->role = n->kind == TS_DETAIL_TWICE ? TS_ROLE_NOTE : TS_ROLE_TEXT;
}

static void
bytes_cell(const struct memory_view *m, int64_t bytes, struct ts_table_cell *out)
{
	char text[TS_FMT_MAX];

	snprintf(out->buf, sizeof(out->buf), "%s%s", bytes < 0 && bytes != TS_UNKNOWN ? "-" : "",
		bytes == TS_UNKNOWN
			? ""
			: ts_fmt_bytes(text, bytes < 0 ? -bytes : bytes, memory_units(m)));
}

static bool
details_cell(void *ctx, int64_t line, int column, struct ts_table_cell *out)
{
	const struct ts_tab *t = ctx;
	const struct memory_view *m = memory_of(t);
	const struct details_tab *s = details_of(t);
	bool total = line == TS_TABLE_TOTAL;
	const struct ts_detail_node *n = total ? NULL : memory_details_node(s, line);
	int64_t bytes = n ? n->bytes : s->used;
	int band = band_of(m, n);

	if (!n && !total)
		return false;
	out->s = out->buf;
	out->buf[0] = '\0';
	if (column == K_LETTER && band >= 0) {
		snprintf(out->buf, sizeof(out->buf), "%c", m->categories->letter[band]);
		out->role = band_role(band);
	} else if (column == K_NAME && total) {
		out->s = "total";
	} else if (column == K_NAME) {
		name_cell(s, n, NULL, out);
	} else if (column == K_BYTES) {
		bytes_cell(m, bytes, out);
	} else if (column == K_SHARE && s->used > 0 && bytes >= 0) {
		ts_fmt_percent(out->buf, (double)bytes, (double)s->used);
	}
	return true;
}

/* Of a node; NULL: of the total. */
static void
node_value(const struct details_tab *s, const struct ts_detail_node *n, int column,
	struct ts_table_value *out)
{
	int64_t bytes = n ? n->bytes : s->used;

	if (column == K_NAME)
		ts_table_value_text(out, n ? n->name : "total");
	else if (column == K_BYTES && bytes != TS_UNKNOWN)
		ts_table_value_integer(out, bytes);
	else if (column == K_SHARE && s->used > 0)
		ts_table_value_real(out, 100 * (double)bytes / (double)s->used);
}

static bool
details_value(void *ctx, int64_t line, int column, struct ts_table_value *out)
{
	const struct details_tab *s = details_of(ctx);
	const struct ts_detail_node *n = line == TS_TABLE_TOTAL ? NULL
								: memory_details_node(s, line);

	if (!n && line != TS_TABLE_TOTAL)
		return false;
	node_value(s, n, column, out);
	return true;
}

static bool
all_value(void *ctx, int64_t node, int column, struct ts_table_value *out)
{
	const struct details_tab *s = details_of(ctx);

	if (node < 0 || node >= (int64_t)s->nodes)
		return false;
	node_value(s, &s->node[node], column, out);
	return true;
}

struct ts_table
memory_details_all(const struct ts_tab *t)
{
	struct ts_table all = memory_details_table(t);

	all.value = all_value;
	all.order = NULL;
	return all;
}

struct ts_table
memory_details_table(const struct ts_tab *t)
{
	return (struct ts_table){.column = details_columns,
		.columns = K_COLUMNS,
		.cell = details_cell,
		.ctx = (void *)(uintptr_t)t,
		.header = true,
		.total = true,
		.focus = memory_tab_focus(memory_of(t), TAB_DETAILS),
		.sorted = K_BYTES,
		.descending = true,
		.empty = details_of(t)->kept ? "No row matches the filter (& and Enter: all rows)."
					     : "Nothing is counted for this tile.",
		.order = (struct ts_table_order *)(uintptr_t)&details_of(t)->order,
		.id = "memory.details",
		.facts = details_facts,
		.value = details_value,
		.looks = t->view->env->looks,
		.units = memory_units(memory_of(t))};
}

bool
memory_details_sheet(struct ts_tab *t, struct ts_sheet *out)
{
	const struct details_tab *s = details_of(t);
	char of[80];

	if (!s->node)
		return false;
	memory_scope_say(&s->shown, of, sizeof(of));
	snprintf(out->title, sizeof(out->title), "Memory of %s", of);
	out->table = memory_details_table(t);
	out->list = &memory_of(t)->category_list;
	out->rows = (int64_t)s->lines;
	return true;
}

/* --- drawing ---------------------------------------------------------------------------------- */

/* Bars in the last column, drawn over the table. */
static void
draw_bars(struct ts_canvas *c, const struct ts_tab *t, const struct ts_table *table)
{
	const struct memory_view *m = memory_of(t);
	const struct details_tab *s = details_of(t);
	int width[TS_TABLE_COLUMNS], x = 0, rows = ts_table_rows(table, t->r);
	int64_t from, to;

	ts_table_layout(width, table, t->r.w);
	for (int i = 0; i < K_BAR; i++)
		x += width[i] > 0 ? width[i] + 1 : 0;
	if (width[K_BAR] == 0 || s->used <= 0)
		return;
	ts_list_window(&m->category_list, &from, &to);
	for (int64_t i = from; i < to && i - from < rows && i < (int64_t)s->lines; i++) {
		const struct ts_detail_node *n = memory_details_node(s, i);
		struct ts_rect bar = {t->r.x + x, t->r.y + (t->r.h > 1) + (int)(i - from),
			width[K_BAR], 1};
		struct ts_segment segment = {(double)ts_max_i64(n->bytes, 0),
			n->kind == TS_DETAIL_CATEGORY && n->depth == 0 ? band_role(band_of(m, n))
								       : TS_ROLE_DIM,
			0};

		ts_chart_bar(c, bar, &segment, 1, (double)s->used);
		if (i == m->category_list.cursor)
			ts_canvas_overlay(c, bar,
				table->focus ? TS_ROLE_CURSOR : TS_ROLE_CURSOR_OTHER);
	}
}

void
memory_details_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct details_tab *s = details_of(t);
	struct memory_view *m = memory_of(t);
	struct ts_table table;

	(void)focus;
	memory_details_update(t);
	table = memory_details_table(t);
	if (s->node && s->d.has_categories + m->rows_counted > 0)
		ts_table_draw(c, t->r, &table, &m->category_list);
	else if (s->ask.state.state <= TS_PANE_LOADING ||
		m->categories_state.state <= TS_PANE_LOADING)
		ts_canvas_text(c, t->r, 2, 1, TS_ROLE_DIM, "being counted");
	else
		ts_pane_draw(c, t->r, t->view->env,
			s->ask.here ? &m->categories_state : &s->ask.state);
	if (s->node && s->d.has_categories + m->rows_counted > 0)
		draw_bars(c, t, &table);
}

/* Lines under the last one in sight: trees stand there that nobody looks for. */
static const char *
below_text(const struct memory_view *m, const struct details_tab *s, char out[40])
{
	const struct ts_list *l = &m->category_list;
	int64_t below = s->node ? l->count - l->top - l->rows : 0;
	char n[TS_FMT_MAX];

	out[0] = '\0';
	if (below > 0 && l->rows > 0)
		snprintf(out, 40, ", %.20s below", ts_fmt_count(n, below));
	return out;
}

void
memory_details_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct memory_view *m = memory_of(t);
	const struct details_tab *s = details_of(t);
	const struct ts_categories *c = m->categories ? &m->categories->c : NULL;
	struct memory_scope scope = memory_scope(m);
	char of[80], below[40];

	memory_scope_say(s->node ? &s->shown : &scope, of, sizeof(of));
	if (s->node && !memory_same_scope(&s->shown, &scope))
		snprintf(out, TS_TAB_NOTE, "%.60s (reading)", of);
	else if (m->categories_state.state == TS_PANE_PARTIAL || s->d.partial)
		snprintf(out, TS_TAB_NOTE, "%.60s, partial: the report is damaged", of);
	else if ((c && c->cut) || s->d.cut)
		snprintf(out, TS_TAB_NOTE, "%.60s (too many: not all counted)", of);
	else if (s->d.bad_rows > 0 || (c && c->bad_rows > 0))
		snprintf(out, TS_TAB_NOTE, "%.60s (%lld bad rows left out)", of,
			(long long)ts_max_i64(s->d.bad_rows, c ? c->bad_rows : 0));
	else
		snprintf(out, TS_TAB_NOTE, "%.60s%s%s", of,
			s->d.from_variables ? ", by lowered variables" : "",
			below_text(m, s, below));
}

/* --- what the figures are --------------------------------------------------------------------- */

/* What rows of tile_category (or lowered_variable) a node is of, in SQL. */
static void
cells_of(const struct details_tab *s, const struct ts_detail_node *n, const char *where,
	struct ts_strbuf *out)
{
	static const char *const regions[] = {"non_interleaved", "interleaved", "overflowed"};
	static const char *const groups[] =
		{"'vertexCode', 'vertexInstanceState', 'vertexFieldData', 'copyDescriptor', "
		 "'vectorListDescriptor'",
			"'instrumentationResults'"};
	const char *bytes = s->d.from_variables	      ? "bytes"
		: n->kind == TS_DETAIL_OVERLAPPED     ? "coalesce(overlapped, 0)"
		: n->kind == TS_DETAIL_NOT_OVERLAPPED ? "not_overlapped"
						      : "not_overlapped + coalesce(overlapped, 0)";
	char name[600];

	ts_strbuf_printf(out, "SELECT coalesce(sum(%s), 0) FROM %s WHERE %s", bytes,
		s->d.from_variables ? "lowered_variable" : "tile_category", where);
	if (n->category >= 0 && ts_explain_quote(name, sizeof(name), s->d.names.name[n->category]))
		ts_strbuf_printf(out, " AND category_name(category) = %s", name);
	if (n->kind >= TS_DETAIL_VERTEX_DATA)
		ts_strbuf_printf(out, " AND category_name(category) IN (%s)",
			groups[n->kind - TS_DETAIL_VERTEX_DATA]);
	if (n->region < TS_DETAIL_OTHER)
		ts_strbuf_printf(out, " AND region = '%s'", regions[n->region]);
	else if (n->region == TS_DETAIL_OTHER && !s->d.from_variables) /* these have no regions */
		ts_strbuf_puts(out,
			" AND coalesce(region, '') NOT IN ('non_interleaved', 'interleaved', "
			"'overflowed')");
}

/* A column of tile_memory that says the node's bytes; NULL: none does. */
static const char *
column_of(const struct details_tab *s, const struct ts_detail_node *n)
{
	static const char *const regions[] = {"non_interleaved", "interleaved", "overflowed"};

	switch (n->kind) {
	case TS_DETAIL_GAPS:
		return "total_gaps - total";
	case TS_DETAIL_ALWAYS_LIVE:
		return "always_live";
	case TS_DETAIL_NOT_ALWAYS_LIVE:
		return "not_always_live_peak";
	case TS_DETAIL_BY_LIVENESS:
		return "always_live + not_always_live_peak";
	case TS_DETAIL_BY_REGION:
		return s->d.totals.total != TS_UNKNOWN ? "total" : NULL;
	case TS_DETAIL_REGION:
		return n->region < TS_DETAIL_OTHER && s->d.totals.region[n->region] != TS_UNKNOWN
			? regions[n->region]
			: NULL;
	case TS_DETAIL_NO_CATEGORY:
		return !s->d.has_categories ? "total" : NULL;
	default:
		return NULL;
	}
}

/* What gives the node's bytes; false: nothing does, and `why` says why. */
static bool
node_sql(const struct ts_tab *t, const struct ts_detail_node *n, struct ts_strbuf *out,
	const char **why)
{
	const struct details_tab *s = details_of(t);
	bool rest = n->kind == TS_DETAIL_NO_CATEGORY || n->kind == TS_DETAIL_TWICE;
	struct ts_detail_node region = {.kind = TS_DETAIL_REGION, .region = n->region};
	const char *column = column_of(s, n);
	struct memory_scope_sql of;

	*why = "its parts are being read";
	if (!memory_details_current(s, &s->shown) ||
		!memory_scope_sql(memory_of(t), &s->shown, &of, why))
		return false;
	if (!column && rest)
		column = n->region < TS_DETAIL_REGIONS ? column_of(s, &region) : "total";
	*why = "total less all regions";
	if (n->depth == 1 && rest) /* in no region */
		return false;
	if (!column || (rest && s->d.has_categories)) {
		ts_strbuf_puts(out, column ? "SELECT (" : "");
		if (column)
			ts_strbuf_printf(out, "SELECT sum(%s) FROM tile_memory WHERE %s) - (",
				column, of.where);
		cells_of(s, n, of.where, out);
		ts_strbuf_puts(out, column ? ")" : "");
	} else
		ts_strbuf_printf(out, "SELECT sum(%s) FROM tile_memory WHERE %s", column, of.where);
	return true;
}

static void
explain_share(struct ts_tab *t, const struct ts_detail_node *n, const char *bytes,
	struct ts_explain *out)
{
	const struct memory_view *m = memory_of(t);
	const struct details_tab *s = details_of(t);
	struct memory_scope_sql of;
	struct ts_strbuf sql;
	const char *why;

	if (s->used <= 0 || n->bytes < 0)
		return;
	ts_strbuf_init(&sql, TS_EXPLAIN_QUERY);
	if (*bytes && s->d.totals.total != TS_UNKNOWN && memory_scope_sql(m, &s->shown, &of, &why))
		ts_strbuf_printf(&sql,
			"SELECT 100.0 * (%s) / (SELECT sum(%s) FROM tile_memory WHERE %s)", bytes,
			m->gaps ? TS_EXPLAIN_USED : "total", of.where);
	ts_explain_share(out, "its share of the total", n->bytes, s->used,
		"tile_memory, tile_category", sql.s);
	if (!sql.s[0])
		ts_explain_note(&out->figure[out->count - 1],
			"no query: there is none for a part of it");
	ts_strbuf_fini(&sql);
}

static const char *
source_of(const struct details_tab *s, const struct ts_detail_node *n)
{
	switch (n->kind) {
	case TS_DETAIL_GAPS:
		return "tile_memory.total_gaps, tile_memory.total";
	case TS_DETAIL_ALWAYS_LIVE:
		return "tile_memory.always_live";
	case TS_DETAIL_NOT_ALWAYS_LIVE:
		return "tile_memory.not_always_live_peak";
	case TS_DETAIL_BY_LIVENESS:
		return "tile_memory.always_live, tile_memory.not_always_live_peak";
	case TS_DETAIL_BY_REGION:
	case TS_DETAIL_REGION:
		return "tile_memory, tile_category.region";
	default:
		return s->d.from_variables
			? "lowered_variable.bytes by category"
			: "tile_category.not_overlapped, tile_category.overlapped";
	}
}

void
memory_details_explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct details_tab *s = details_of(t);
	const struct ts_detail_node *n = memory_details_node(s, memory_of(t)->category_list.cursor);
	struct ts_explained *x;
	struct ts_strbuf sql;
	const char *why;
	char of[80];

	if (!n)
		return;
	memory_scope_say(&s->shown, of, sizeof(of));
	x = ts_explain_add(out, "%s of %s", n->name, of);
	if (n->bytes >= 0)
		ts_explain_bytes(x, n->bytes, memory_units(memory_of(t)));
	else
		ts_explain_integer(x, n->bytes, "bytes");
	ts_explain_from(x,
		n->kind == TS_DETAIL_ALWAYS_LIVE || n->kind == TS_DETAIL_NOT_ALWAYS_LIVE
			? TS_KNOWN_RECORDED
			: TS_KNOWN_DERIVED,
		"%s", source_of(s, n));
	if (n->inside > 0)
		ts_explain_formula(x, "sum of what is in it");
	else if (n->kind == TS_DETAIL_TWICE)
		ts_explain_formula(x,
			"total less all categories: variables that overlap are in theirs each");
	else if (n->kind == TS_DETAIL_GAPS)
		ts_explain_formula(x, "bytes with gaps - bytes without");
	ts_strbuf_init(&sql, TS_EXPLAIN_QUERY);
	if (node_sql(t, n, &sql, &why))
		ts_explain_query(x, "%s", sql.s);
	else
		ts_explain_note(x, "no query: %s", why);
	explain_share(t, n, sql.s, out);
	ts_strbuf_fini(&sql);
}
