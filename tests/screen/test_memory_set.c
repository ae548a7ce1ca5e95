/* SPDX-License-Identifier: MIT */
/*
 * Variables of several selected tiles by name, all of them, against SQL: sorted, filtered, searched, and row by row as
 * files have it; few names, and more than the thread that draws sorts; from the rows, and from the index, which has
 * the largest first.
 */
#include "config.h"

#include "../unit/depth.h"
#include "table_rows.h"

#include "../unit/index_dir.h"

#include "tilescope/report/tile_rows.h"
#include "tilescope/ui/table_order.h"
#include "tilescope/view/memory.h"

enum { TILES = 12, FROM = 2, TO = 10, TRIES = 12, WAYS = 4 };

/* Loops: how many names there are, and whether there is an index. */
static const int names_of[] = {1600, 26000};

static bool
has_index(int way)
{
	return way >= 2;
}

static int
names(int way)
{
	return names_of[way % 2];
}

struct fixture {
	struct harness h;
	struct index_dir d;
};

/* Rows stand by tile; a name is on one tile or more, one row has none; many sizes are equal. */
static void
begin(struct fixture *f, int way)
{
	struct harness *h = &f->h;
	int n = names(way), rows = n + n / 3 * 2;
	struct ts_reader *rd;
	char sql[1500];

	harness_dir(h);
	snprintf(sql, sizeof(sql),
		"CREATE TABLE report(key TEXT, value TEXT);"
		"CREATE TABLE tile_memory(tile INTEGER PRIMARY KEY, ipu INTEGER, total INTEGER);"
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, bytes INTEGER, "
		"name TEXT, category TEXT);"
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
		"INSERT INTO lowered_variable SELECT i, i * %d / %d, 4 + i * 48271 %% 211 * 4, "
		"CASE i WHEN %d THEN NULL WHEN %d THEN 'conv.out[0]' ELSE 'layer' || (i * 104729 %% %d %% 97) || '/weights_' || "
		"(i * 104729 %% %d) END, CASE WHEN i %% 13 THEN 'cat' || (i * 104729 %% %d %% 3) ELSE "
		"'stack' END FROM n;"
		"INSERT INTO tile_memory SELECT tile, 0, sum(bytes) FROM lowered_variable GROUP BY tile",
		rows - 1, TILES, rows, rows / 2, rows / 2 + 1, n, n, n);
	harness_rows(h, sql);
	harness_start(h, &ts_view_memory, 240, 44, TS_GLYPHS_FULL);
	h->options.units = TS_UNITS_BYTES;
	index_dir_begin(&f->d);
	if (has_index(way)) {
		ck_assert_int_eq(ts_reader_open(&rd, h->env.report, NULL), TS_OK);
		h->env.index = index_dir_build(&f->d, h->env.report, rd,
			ts_section_bit(TS_SECTION_COLUMNS) | ts_section_bit(TS_SECTION_TILE_ROWS),
			1);
		ts_reader_close(rd);
		ck_assert(ts_tile_rows_quick(h->env.index));
	}
	harness_settle(h);
	harness_command(h, "tab variables");
	while (ts_view_memory.pane_context(h->view) == TS_CONTEXT_CHART)
		harness_command(h, "pane-next");
	harness_command(h, "tab variables");
}

/* Tiles from `from` on, below `to`; what is there of them comes. */
static void
choose(struct fixture *f, int from, int to)
{
	struct ts_selected_tiles *tiles = &f->h.selection.tiles;

	ts_tile_set_fini(&tiles->set);
	ck_assert(ts_tile_set_init(&tiles->set, 64));
	ts_tile_set_add(&tiles->set, from, to);
	tiles->count = to - from;
	tiles->version++;
	f->h.view->ops->request(f->h.view);
}

static void
end(struct fixture *f)
{
	ts_select_no_tiles(&f->h.selection);
	harness_settle(&f->h);
	ts_index_release(f->h.env.index);
	f->h.env.index = NULL;
	harness_end(&f->h);
	index_dir_end(&f->d);
}

#define NAMES                                                                                        \
	"WITH s AS (SELECT coalesce(name, '') n, sum(bytes) b, count(DISTINCT tile) t, count(*) p, " \
	"min(id) i, CASE WHEN count(DISTINCT category) > 1 THEN 'several' ELSE max(category) END c " \
	"FROM lowered_variable WHERE tile >= %d AND tile < %d GROUP BY name) SELECT n, b, t, p, c "  \
	"FROM s WHERE %s ORDER BY %s%s, b DESC, i"

static int64_t
check_rows(struct fixture *f, const char *query)
{
	static const char *const columns[] = {"variable", "bytes", "tiles", "pieces", "category"};

	return table_rows_check(&f->h, &ts_view_memory, columns, TS_COUNT(columns), query);
}

static struct ts_sheet
sheet(struct fixture *f)
{
	struct ts_sheet s = {.list = NULL};

	ck_assert(ts_view_memory.sheet(f->h.view, &s));
	return s;
}

/* SORT, SORT_REVERSE, FILTER, as the program does them for all tables. */
static void
arrange(struct fixture *f, const char *line)
{
	struct ts_sheet s = sheet(f);
	struct ts_err err = {0};
	struct ts_call call;
	char say[200];

	ck_assert_msg(ts_call_parse(&call, line, &err) == TS_OK, "%s: %s", line, err.msg);
	ck_assert_msg(!(ts_table_order_command(&s.table, &call, say, sizeof(say)) & TS_EFFECT_BELL),
		"%s: %s", line, say);
}

/* "" = all rows. */
static void
set_filter(struct fixture *f, const char *text)
{
	struct ts_sheet s = sheet(f);
	char line[200];

	snprintf(line, sizeof(line), "filter %s", text);
	if (*text)
		arrange(f, line);
	s.table.order->filter[0] = *text ? s.table.order->filter[0] : '\0';
	s.table.order->made = false;
}

static void
settle(struct fixture *f)
{
	do {
		harness_draw(&f->h);
		harness_settle(&f->h);
	} while (ts_view_order_turn(f->h.view));
	harness_draw(&f->h);
}

/* The name at a place of the list. */
static const char *
name_at(struct fixture *f, int64_t place)
{
	struct ts_table_value v = {.type = TS_VALUE_NONE};
	struct ts_sheet s = sheet(f);

	ck_assert(s.table.value(s.table.ctx, ts_table_row(&s.table, place),
		table_rows_column(&s, "variable"), &v));
	return v.s;
}

/* Sorted by anything and filtered by anything; other tiles come in the order that is there. */
START_TEST(arranged)
{
	static const struct {
		const char *sort, *key;
		bool falls;
	} sorts[] = {{"variable", "n", false}, {"bytes", "b", true}, {"tiles", "t", true},
		{"pieces", "p", true}, {"share", "b", true}, {"category", "c", false}};
	static const struct {
		const char *filter, *where;
	} filters[] = {{"", "1"}, {"bytes<70", "b < 70"}, {"weights_12", "instr(n, 'weights_12')"},
		{"bytes>100 and not variable:layer1", "b > 100 AND NOT instr(n, 'layer1')"},
		{"tiles=2 or bytes=100", "t = 2 OR b = 100"},
		{"variable~_7[0-9]$", "n GLOB '*_7[0-9]'"}, {"nobody", "0"},
		{"category=several or category:stack", "c IN ('several', 'stack')"},
		{"name:weights_12 category=cat1", "instr(n, 'weights_12') AND c = 'cat1'"}};
	uint32_t random = 7 + (uint32_t)_i;
	struct fixture f;

	begin(&f, _i);
	choose(&f, FROM, TO);
	settle(&f);
	for (int i = 0; i < TRIES; i++) {
		int sort, filter, from = FROM + i % 3;
		char line[200], query[1000];
		struct ts_sheet s;
		int64_t rows;
		bool back;

		random = random * 1664525u + 1013904223u;
		sort = (int)(random >> 8) % (int)TS_COUNT(sorts);
		filter = i < 9 ? i : (int)(random >> 12) % 9;
		back = random >> 24 & 1;
		if (i % 2 == 0)
			choose(&f, from, TO);
		if (i % 4 == 0) /* what is here is there before */
			settle(&f);
		set_filter(&f, filters[filter].filter);
		snprintf(line, sizeof(line), "sort %s", sorts[sort].sort);
		arrange(&f, line);
		if (back)
			arrange(&f, "sort-reverse");
		if (i % 2)
			choose(&f, from, TO);
		settle(&f);
		snprintf(query, sizeof(query), NAMES, from, TO, filters[filter].where,
			sorts[sort].key, back != sorts[sort].falls ? " DESC" : "");
		rows = check_rows(&f, query);
		s = sheet(&f);
		ck_assert_ptr_null(s.wait);
		ck_assert_int_eq(s.list->count, rows);
	}
	end(&f);
}
END_TEST

/* With the index the largest come first; nothing is written until all are there, which is when they are wanted or not. */
START_TEST(the_largest_come_first)
{
	bool largest = false;
	char query[1000];
	struct fixture f;
	struct ts_sheet s;
	int64_t rows;

	begin(&f, _i);
	choose(&f, FROM, TO);
	do {
		f.h.view->ops->request(f.h.view);
		(void)harness_take_one(&f.h, 1);
		if (harness_has(&f.h, ", the 1,000 largest of ")) {
			largest = true;
			s = sheet(&f);
			ck_assert_int_eq(s.list->count, 1000);
			ck_assert_int_gt(s.table.missing, 0);
			ck_assert_str_eq(s.wait, "the smaller names are being read");
		}
	} while (!ts_view_memory.sheet(f.h.view, &s) || s.wait || s.list->count <= 1000);
	ck_assert_int_eq(largest, has_index(_i));
	settle(&f);
	snprintf(query, sizeof(query), NAMES, FROM, TO, "1", "b", " DESC");
	rows = check_rows(&f, query);
	s = sheet(&f);
	ck_assert_int_eq(s.list->count, rows);
	ck_assert_int_eq(s.table.missing, 0);
	end(&f);
}
END_TEST

/* A search that begins before the smaller names are there is of all of them. */
START_TEST(a_search_waits_for_all_names)
{
	char smallest[100], line[200];
	struct fixture f;
	struct ts_sheet s;
	int tries = 0;
	bool waited = false;

	begin(&f, _i);
	choose(&f, FROM, TO);
	settle(&f);
	s = sheet(&f);
	snprintf(smallest, sizeof(smallest), "%s", name_at(&f, s.list->count - 1));
	snprintf(line, sizeof(line), "search %s", smallest);
	for (; tries < 20 && !waited; tries++) {
		choose(&f, FROM + 1 + tries % 2, TO + 1);
		choose(&f, FROM, TO);
		do {
			f.h.view->ops->request(f.h.view);
			(void)harness_take_one(&f.h, 1);
		} while (!ts_view_memory.sheet(f.h.view, &s) || s.list->count == 0);
		waited = s.wait != NULL;
		harness_type(&f.h, line);
		settle(&f);
		ck_assert_msg(!f.h.env.message_is_error, "%s", f.h.env.message);
		s = sheet(&f);
		ck_assert_str_eq(name_at(&f, s.list->cursor), smallest);
	}
	ck_assert(waited);
	end(&f);
}
END_TEST

/* While the smaller ones are to come the list is wanted in an order that needs them. */
START_TEST(all_names_are_needed_at_once)
{
	char query[1000];
	struct fixture f;
	struct ts_sheet s;

	begin(&f, _i);
	choose(&f, FROM, TO);
	do {
		f.h.view->ops->request(f.h.view);
		(void)harness_take_one(&f.h, 1);
	} while (!ts_view_memory.sheet(f.h.view, &s) || s.list->count < 1000);
	arrange(&f, "sort variable");
	f.h.view->ops->request(f.h.view);
	s = sheet(&f);
	ck_assert(!has_index(_i) || strcmp(s.wait, "the smaller names are being read") == 0);
	settle(&f);
	snprintf(query, sizeof(query), NAMES, FROM, TO, "1", "n", "");
	check_rows(&f, query);
	end(&f);
}
END_TEST

/* What is stopped is not said to be in force; it can be asked for again. */
START_TEST(an_order_that_is_stopped)
{
	char query[1000];
	struct fixture f;
	int stopped = 0;

	begin(&f, _i);
	choose(&f, FROM, TO);
	settle(&f);
	for (int i = 0; i < 20 && !stopped; i++) {
		const struct ts_table_order *o = sheet(&f).table.order;
		bool were;

		arrange(&f, "filter weights_12");
		f.h.view->ops->request(f.h.view);
		ts_jobs_cancel(f.h.env.jobs, -1);
		settle(&f);
		were = o->filter[0] != '\0';
		ck_assert_int_eq(o->filtered, were);
		ck_assert_ptr_null(sheet(&f).wait);
		snprintf(query, sizeof(query), NAMES, FROM, TO,
			were ? "instr(n, 'weights_12')" : "1", "b", " DESC");
		ck_assert_int_eq(check_rows(&f, query), o->count);
		stopped += !were;
		set_filter(&f, "");
		settle(&f);
	}
	ck_assert_int_eq(stopped > 0, names(_i) > 20000);
	arrange(&f, "filter weights_12");
	settle(&f);
	snprintf(query, sizeof(query), NAMES, FROM, TO, "instr(n, 'weights_12')", "b", " DESC");
	ck_assert_int_eq(check_rows(&f, query), sheet(&f).table.order->count);
	end(&f);
}
END_TEST

/* An expression that takes too long is said to, and taken back. */
START_TEST(a_filter_that_takes_too_long)
{
	char query[1000];
	struct fixture f;
	struct ts_sheet s;

	begin(&f, _i);
	choose(&f, FROM, TO);
	settle(&f);
	f.h.env.message[0] = '\0';
	arrange(&f, "filter variable~(.*)*(.*)*(.*)*(.*)*s$");
	settle(&f);
	ck_assert_msg(strstr(f.h.env.message, "takes too long") != NULL, "%s", f.h.env.message);
	s = sheet(&f);
	ck_assert_str_eq(s.table.order->filter, "");
	ck_assert(!s.table.order->filtered);
	snprintf(query, sizeof(query), NAMES, FROM, TO, "1", "b", " DESC");
	ck_assert_int_eq(check_rows(&f, query), s.list->count);
	end(&f);
}
END_TEST

/* The smaller names are stopped: said where it matters, and asked for again by another order. */
START_TEST(the_smaller_names_are_stopped)
{
	bool stopped = false;
	char query[1000];
	struct fixture f;
	struct ts_sheet s;

	begin(&f, _i);
	for (int i = 0; i < 20 && !stopped; i++) {
		choose(&f, FROM + i % 2, TO);
		do {
			f.h.view->ops->request(f.h.view);
			(void)harness_take_one(&f.h, 1);
		} while (!ts_view_memory.sheet(f.h.view, &s) || s.wait == NULL ||
			strcmp(s.wait, "other tiles are being read") == 0);
		ts_jobs_cancel(f.h.env.jobs, -1);
		settle(&f);
		s = sheet(&f);
		ck_assert_ptr_null(s.wait);
		stopped = s.table.missing > 0;
		if (!stopped)
			continue;
		ck_assert_int_eq(s.list->count, 1000);
		harness_type(&f.h, "search nobody");
		ck_assert_ptr_nonnull(strstr(f.h.env.message, "which are not all"));
		arrange(&f, "sort variable");
		settle(&f);
		s = sheet(&f);
		ck_assert_int_eq(s.table.missing, 0);
		snprintf(query, sizeof(query), NAMES, FROM + i % 2, TO, "1", "n", "");
		ck_assert_int_eq(check_rows(&f, query), s.list->count);
	}
	ck_assert(stopped);
	end(&f);
}
END_TEST

/* Totals of files: of all, and of what a filter leaves. */
START_TEST(files_have_totals)
{
	enum { MANY_NAMES = 3 };
	struct ts_table_value v[TS_TABLE_COLUMNS];
	struct ts_row_source *file;
	struct fixture f;
	struct ts_sheet s;
	char words[60];

	begin(&f, MANY_NAMES);
	choose(&f, FROM, TO);
	settle(&f);
	arrange(&f, "filter weights_12");
	settle(&f);
	s = sheet(&f);
	ck_assert(s.source != NULL);
	file = s.source(f.h.view);
	ck_assert(file && file->total(file, v));
	snprintf(words, sizeof(words), "%lld of %lld rows", (long long)s.list->count,
		(long long)s.rows);
	ck_assert_str_eq(v[table_rows_column(&s, "variable")].s, words);
	ck_assert_int_eq(v[table_rows_column(&s, "bytes")].integer,
		harness_number(&f.h,
			"SELECT sum(bytes) FROM lowered_variable WHERE tile >= 2 AND tile < 10 AND "
			"instr(name, 'weights_12')"));
	file->free(file);
	set_filter(&f, "");
	settle(&f);
	file = sheet(&f).source(f.h.view);
	ck_assert(file && file->total(file, v));
	ck_assert_int_eq(v[table_rows_column(&s, "pieces")].integer,
		harness_number(&f.h,
			"SELECT count(*) FROM lowered_variable WHERE tile >= 2 AND tile < 10"));
	file->free(file);
	end(&f);
}
END_TEST

/* Bytes of the row that is shown first. */
static int64_t
first_bytes(struct fixture *f)
{
	struct ts_table_value v = {.type = TS_VALUE_NONE};
	struct ts_sheet s = sheet(f);

	ck_assert(s.table.value(s.table.ctx, ts_table_row(&s.table, 0),
		table_rows_column(&s, "bytes"), &v));
	return v.integer;
}

/* The smallest of all is found, and is the first from below. */
START_TEST(the_smallest_is_listed)
{
	char last[100], line[200];
	struct harness *h;
	struct fixture f;
	struct ts_query *q;
	struct ts_err err = {0};
	struct ts_sql_value v;
	bool row;

	begin(&f, _i);
	h = &f.h;
	ck_assert(ts_query_open(&q, h->env.report, &err) == TS_OK &&
		ts_query_prepare(q,
			"SELECT name FROM lowered_variable WHERE tile >= 2 AND tile < 10 AND name IS NOT "
			"NULL GROUP BY name ORDER BY sum(bytes), max(id) DESC LIMIT 1",
			60, &err) == TS_OK &&
		ts_query_step(q, &row, &err) == TS_OK && row);
	ts_query_value(&v, q, 0);
	snprintf(last, sizeof(last), "%.*s", (int)v.n, v.bytes);
	ts_query_close(q);
	choose(&f, FROM, TO);
	settle(&f);
	snprintf(line, sizeof(line), "search %s", last);
	harness_command(h, line);
	ck_assert_msg(!h->env.message_is_error, "%s", h->env.message);
	harness_says(h, last);
	harness_command(h, "search nobody-is-called-so");
	ck_assert_ptr_nonnull(strstr(h->env.message, "nothing here has"));
	arrange(&f, "sort bytes");
	arrange(&f, "sort-reverse");
	settle(&f);
	harness_type(h, "first");
	ck_assert_int_eq(first_bytes(&f),
		harness_number(h,
			"SELECT min(b) FROM (SELECT sum(bytes) b FROM lowered_variable WHERE tile >= 2 AND "
			"tile < 10 GROUP BY name)"));
	end(&f);
}
END_TEST

/* Keys of a row go to its largest piece on the tile that has most of it, which a worker looks for. */
START_TEST(a_name_is_gone_to)
{
	static const char *const first =
		"FROM lowered_variable WHERE name = (SELECT name FROM lowered_variable WHERE tile "
		">= 2 AND tile < 10 GROUP BY name ORDER BY sum(bytes) DESC, min(id) LIMIT 1) AND "
		"tile >= 2 AND tile < 10";
	const struct ts_marked_variables *marked;
	struct ts_at_cursor object;
	struct fixture f;
	int64_t tile, id;

	begin(&f, _i);
	marked = &f.h.selection.marked;
	choose(&f, FROM, TO);
	settle(&f);
	tile = harness_number(&f.h, "SELECT tile %s GROUP BY tile ORDER BY sum(bytes) DESC, tile",
		first);
	id = harness_number(&f.h, "SELECT id %s AND tile = %lld ORDER BY bytes DESC, id", first,
		(long long)tile);
	ts_at_cursor_none(&object);
	ts_view_memory.object(f.h.view, &object);
	ck_assert_int_eq(object.tile, tile);
	f.h.env.go = -1;
	harness_command(&f.h, "goto-programs");
	ck_assert_int_eq(f.h.env.go, TS_CMD_GOTO_PROGRAMS); /* only now is it known of what */
	ts_at_cursor_none(&object);
	ts_view_memory.object(f.h.view, &object);
	ck_assert_int_eq(object.lowered, id);
	harness_command(&f.h, "mark");
	ck_assert_int_eq(marked->count, 1);
	ck_assert_int_eq(marked->item[0].tile, tile);
	ck_assert_int_eq(marked->item[0].id, id);
	harness_command(&f.h, "mark");
	ck_assert_int_eq(marked->count, 0);
	f.h.env.go = -1;
	harness_command(&f.h, "down");
	harness_type(&f.h, "goto-operations"); /* the cursor goes on before it is there */
	harness_command(&f.h, "up");
	ck_assert_int_eq(f.h.env.go, -1);
	harness_command(&f.h, "open");
	ck_assert_int_eq(f.h.selection.tile, tile);
	ck_assert_int_eq(f.h.selection.tiles.count, TO - FROM);
	ck_assert_ptr_nonnull(strstr(f.h.env.message, "which has most of it"));
	end(&f);
}
END_TEST

/* A key whose look is stopped does it again; one that is left behind leads nowhere, and marks nothing. */
START_TEST(a_name_is_not_gone_to)
{
	struct fixture f;
	int64_t tile;

	begin(&f, _i);
	choose(&f, FROM, TO);
	settle(&f);
	tile = f.h.selection.tile;
	harness_type(&f.h, "mark");
	ts_jobs_cancel(f.h.env.jobs, -1);
	settle(&f);
	if (f.h.selection.marked.count == 0) /* else the look was done before it was stopped */
		harness_command(&f.h, "mark");
	ck_assert_int_eq(f.h.selection.marked.count, 1);
	harness_command(&f.h, "mark");
	ck_assert_int_eq(f.h.selection.marked.count, 0);
	harness_command(&f.h, "down");
	harness_type(&f.h, "mark");
	harness_type(&f.h, "tab details");
	settle(&f);
	ck_assert_int_eq(f.h.selection.marked.count, 0);
	harness_command(&f.h, "tab variables");
	harness_command(&f.h, "down");
	harness_type(&f.h, "open");
	harness_type(&f.h, "pane-next"); /* to the graph */
	ck_assert_int_eq(ts_view_memory.pane_context(f.h.view), TS_CONTEXT_CHART);
	settle(&f);
	ck_assert_int_eq(f.h.selection.tile, tile);
	ck_assert_str_eq(f.h.env.message, "");
	harness_command(&f.h, "pane-next");
	harness_command(&f.h, "tab variables");
	ck_assert_int_ne(ts_view_memory.pane_context(f.h.view), TS_CONTEXT_CHART);
	harness_command(&f.h, "down");
	for (int i = 0; i < 2; i++) {
		harness_type(&f.h, "mark");
		f.h.env.behind = i == 0; /* another view is shown */
		settle(&f);
		ck_assert_int_eq(f.h.selection.marked.count, i);
		f.h.env.behind = false;
	}
	end(&f);
}
END_TEST

/* The figures of the row under the cursor and of all; how many have a query, which is asked. */
static int
explained(struct fixture *f, bool asked)
{
	struct ts_explain *e = malloc(sizeof(*e));
	int n = 0;

	ck_assert_ptr_nonnull(e);
	ts_explain_init(e);
	ts_view_memory.explain(f->h.view, e);
	for (int i = 0; i < e->count; i++) {
		const struct ts_explained *x = &e->figure[i];

		if (strncmp(x->title, "memory of tile ", 15) == 0)
			e->count = i; /* those behind it are of the graph */
		ck_assert(x->query[0] || x->note[0] || x->kind == TS_EXPLAIN_UNKNOWN);
		n += i < e->count && x->query[0];
	}
	if (asked)
		ck_assert_int_eq(harness_ask(&f->h, e), n);
	free(e);
	return n;
}

/* Queries are of the tiles that the rows are of, also while others are selected and are being read. */
START_TEST(figures_are_explained)
{
	struct fixture f;

	begin(&f, _i);
	choose(&f, FROM, TO);
	snprintf(f.h.selection.tiles.text, sizeof(f.h.selection.tiles.text), "%d-%d", FROM, TO - 1);
	settle(&f);
	ck_assert_int_ge(explained(&f, true), 9);
	harness_command(&f.h, "search conv.out");
	ck_assert_int_ge(explained(&f, true), 9);
	arrange(&f, "filter variable~^$");
	settle(&f);
	ck_assert_int_ge(explained(&f, true), 9); /* the row without a name */
	choose(&f, FROM + 1, TO - 3);
	snprintf(f.h.selection.tiles.text, sizeof(f.h.selection.tiles.text), "%d-%d", FROM + 1,
		TO - 4);
	ck_assert_int_eq(explained(&f, false), 0);
	end(&f);
}
END_TEST

/* What-if goes by the name there, whatever signs it has. */
START_TEST(a_name_is_ticked)
{
	const struct ts_what_if_changes *changes;
	struct fixture f;

	begin(&f, _i);
	changes = &f.h.selection.what_if;
	choose(&f, FROM, TO);
	settle(&f);
	harness_command(&f.h, "search conv.out");
	ck_assert(!harness_has(&f.h, "what if"));
	harness_type(&f.h, "tick");
	ck_assert(!f.h.env.message_is_error);
	harness_says(&f.h, "what if");
	harness_says(&f.h, "removed");
	harness_type(&f.h, "tick");
	harness_says(&f.h, "halved");
	ck_assert_int_eq(changes->count, 1);
	ck_assert_int_eq(changes->item[0].of, TS_WHAT_IF_PATTERN);
	ck_assert_int_eq(changes->item[0].how, TS_WHAT_IF_HALVE);
	ck_assert_str_eq(changes->item[0].text, "^conv\\.out\\[0\\]$");
	harness_type(&f.h, "tick");
	harness_type(&f.h, "tick");
	ck_assert_int_eq(changes->count, 0);
	arrange(&f, "filter variable~^$");
	settle(&f);
	harness_type(&f.h, "tick"); /* of a row without a name */
	ck_assert(f.h.env.message_is_error);
	ck_assert_int_eq(changes->count, 0);
	end(&f);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("memory_set");
	TCase *c = tcase_create("all");

	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, arranged, 0, sample_of(WAYS));
	tcase_add_loop_test(c, the_largest_come_first, 0, sample_of(WAYS));
	tcase_add_loop_test(c, the_smallest_is_listed, 0, sample_of(WAYS));
	tcase_add_loop_test(c, a_search_waits_for_all_names, 2, WAYS);
	tcase_add_loop_test(c, all_names_are_needed_at_once, 0, sample_of(WAYS));
	tcase_add_loop_test(c, an_order_that_is_stopped, 0, sample_of(WAYS));
	tcase_add_loop_test(c, a_filter_that_takes_too_long, 0, sample_of(WAYS));
	tcase_add_loop_test(c, the_smaller_names_are_stopped, 2, WAYS);
	tcase_add_test(c, files_have_totals);
	tcase_add_loop_test(c, a_name_is_gone_to, 0, sample_of(WAYS));
	tcase_add_loop_test(c, a_name_is_ticked, 0, sample_of(WAYS));
	tcase_add_loop_test(c, a_name_is_not_gone_to, 0, sample_of(WAYS));
	tcase_add_loop_test(c, figures_are_explained, 0, sample_of(WAYS));
	suite_add_tcase(s, c);
	return s;
}

int
main(void)
{
	SRunner *r = srunner_create(suite());
	int failed;

	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
