/* SPDX-License-Identifier: MIT */
/* Tables: widths of columns, and what is drawn. */
#include "config.h"

#include <check.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/table.h"
#include "tilescope/ui/table_looks.h"
#include "tilescope/ui/table_order.h"

#include "depth.h"

static const struct ts_column columns[] = {
	{"id", 4, 0, 0, 2, TS_FIELD_RIGHT},
	{"name", 6, 0, 1, 0, TS_FIELD_TAIL},
	{"bytes", 7, 0, 0, 1, TS_FIELD_RIGHT},
	{"note", 4, 10, 1, 3, TS_FIELD_ELLIPSIS},
};

/* Row 3 is not there; `ctx` counts how many rows were asked for. */
static bool
cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	static const char *const name[] = {"a/long/path/of/names", "x", "m\033[1m"};

	++*(int *)ctx;
	ck_assert_int_lt(row, 6);
	if (row == 3)
		return false;
	if (column == 1) {
		out->s = row == TS_TABLE_TOTAL ? "total" : name[row % 3];
		return true;
	}
	snprintf(out->buf, sizeof(out->buf), "%d", column == 0 ? (int)row : 1000);
	out->s = column == 3 || (column == 0 && row < 0) ? NULL : out->buf;
	return true;
}

static void
draws(int w, int h, struct ts_list *l, const char *expected, const char *roles)
{
	struct ts_canvas *c = ts_canvas_new(w, h, TS_GLYPHS_ASCII);
	struct ts_strbuf out;
	int asked = 0;
	struct ts_table t = {.column = columns,
		.columns = 4,
		.cell = cell,
		.ctx = &asked,
		.header = true,
		.total = true,
		.focus = true,
		.sorted = 1};

	ts_list_resize(l, ts_table_rows(&t, ts_canvas_rect(c)));
	ts_table_draw(c, ts_canvas_rect(c), &t, l);
	ts_strbuf_init(&out, 10000);
	ts_canvas_dump(c, &out);
	ck_assert_str_eq(out.s, expected);
	ts_strbuf_reset(&out);
	ts_canvas_dump_roles(c, &out);
	if (roles)
		ck_assert_str_eq(out.s, roles);
	ck_assert_int_le(asked, 4 * h);
	ts_strbuf_fini(&out);
	ts_canvas_free(c);
}

START_TEST(rows_header_and_total)
{
	struct ts_list l;

	ts_list_init(&l);
	ts_list_set_count(&l, 6);
	draws(20, 6, &l,
		"  id name  ^   bytes\n"
		"   0 a/~ames    1000\n"
		"   1 x          1000\n"
		"   2 m?[1m      1000\n"
		"...\n"
		"     total      1000\n",
		"hhhhhhhhhhhhhhhhhhhh\n"
		"cccccccccccccccccccc\n"
		"   . .          ....\n"
		"   . .....      ....\n"
		"ddd\n"
		"TTTTTTTTTTTTTTTTTTTT\n");
	ts_list_command(&l, TS_CMD_LAST);
	ts_list_command(&l, TS_CMD_RIGHT); /* long names move to the left */
	draws(20, 5, &l,
		"  id name  ^   bytes\n"
		"...\n"
		"   4            1000\n"
		"   5            1000\n"
		"     total      1000\n",
		NULL);
}
END_TEST

static bool
big_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const int64_t *v = ctx;

	ts_table_value_integer(out, v[column] / (row == TS_TABLE_TOTAL ? 1 : 1000));
	return true;
}

static bool
big_cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	struct ts_table_value v = {0};

	big_value(ctx, row, column, &v);
	if (column == 0)
		ts_fmt_bytes(out->buf, v.integer, TS_UNITS_BYTES);
	else
		ts_fmt_count(out->buf, v.integer);
	out->s = out->buf;
	return true;
}

/* "1,363,870,0" would be another number. */
START_TEST(a_figure_is_short_rather_than_cut)
{
	static const struct ts_column two[] = {{"bytes", 11, 11, 0, 0, TS_FIELD_RIGHT},
		{"rows", 9, 9, 0, 0, TS_FIELD_RIGHT}};
	static const struct ts_column_facts facts[] = {{"bytes", "bytes", TS_SUM_BYTES, false},
		{"rows", NULL, TS_SUM_COUNT, false}};
	int64_t v[] = {1363870072, 12345678};
	struct ts_table t = {.column = two,
		.columns = 2,
		.cell = big_cell,
		.value = big_value,
		.facts = facts,
		.ctx = v,
		.total = true,
		.sorted = -1,
		.units = TS_UNITS_BYTES};
	struct ts_canvas *c = ts_canvas_new(21, 2, TS_GLYPHS_ASCII);
	struct ts_strbuf out;
	struct ts_list l;

	ts_list_init(&l);
	ts_list_set_count(&l, 1);
	ts_list_resize(&l, 1);
	ts_table_draw(c, ts_canvas_rect(c), &t, &l);
	ts_strbuf_init(&out, 10000);
	ts_canvas_dump(c, &out);
	ck_assert_str_eq(out.s, "1,363,870 B    12,345\n    1.36 GB     12.3M\n");
	ts_strbuf_fini(&out);
	ts_canvas_free(c);
}
END_TEST

START_TEST(small_tables)
{
	struct ts_list l;

	ts_list_init(&l);
	ts_list_set_count(&l, 6);
	draws(20, 2, &l, "  id name  ^   bytes\n   0 a/~ames    1000\n", NULL);
	draws(20, 1, &l, "   0 a/~ames    1000\n", NULL);
	draws(6, 2, &l, "name ^\na/~mes\n", NULL);
	draws(3, 2, &l, "n~^\n~es\n", NULL);
	ts_list_set_count(&l, 0);
	draws(20, 3, &l, "  id name  ^   bytes\nnothing here\n     total      1000\n", NULL);
}
END_TEST

START_TEST(the_least_important_columns_go_first)
{
	int w[TS_TABLE_COLUMNS];

	ck_assert_int_eq(ts_table_widths(w, columns, 4, 24), 4); /* 4 + 6 + 7 + 4 and three gaps */
	ck_assert_int_eq(w[1], 6);
	ck_assert_int_eq(ts_table_widths(w, columns, 4, 60), 4);
	ck_assert_int_eq(w[3], 10); /* its maximum; the name has the rest */
	ck_assert_int_eq(w[1], 36);
	ck_assert_int_eq(ts_table_widths(w, columns, 4, 23), 3);
	ck_assert_int_eq(w[3], 0);
	ck_assert_int_eq(ts_table_widths(w, columns, 4, 18), 2);
	ck_assert_int_eq(w[0], 0);
	ck_assert_int_eq(ts_table_widths(w, columns, 4, 5), 1);
	ck_assert_int_eq(w[1], 6);
	ck_assert_int_eq(ts_table_widths(w, columns, 0, 5), 0);
}
END_TEST

START_TEST(widths_fit_for_any_columns)
{
	unsigned seed = 4;

	for (int round = 0; round < 20000; round++) {
		struct ts_column c[8];
		int w[TS_TABLE_COLUMNS], n, width, sum = -1, shown;

		seed = seed * 1664525u + 1013904223u;
		n = (int)(seed >> 10) % 8;
		width = (int)(seed >> 14) % 300;
		for (int i = 0; i < n; i++) {
			seed = seed * 1664525u + 1013904223u;
			c[i] = (struct ts_column){"t", (int)(seed >> 8) % 30,
				(int)(seed >> 12) % 50, (int)(seed >> 16) % 4,
				1 + (int)(seed >> 20) % 3, 0};
		}
		shown = ts_table_widths(w, c, n, width);
		for (int i = 0; i < n; i++) {
			sum += w[i] > 0 ? w[i] + 1 : 0;
			shown -= w[i] > 0;
			if (w[i] > 0 && c[i].max > c[i].min)
				ck_assert_int_le(w[i], c[i].max);
		}
		ck_assert_int_eq(shown, 0);
		ck_assert_int_le(sum, width);
	}
}
END_TEST

START_TEST(lines_of_the_mouse)
{
	struct ts_table t = {.column = columns,
		.columns = 4,
		.cell = cell,
		.header = true,
		.total = true,
		.focus = true,
		.sorted = -1};
	struct ts_rect r = {5, 10, 30, 6};

	ck_assert_int_eq(ts_table_rows(&t, r), 4);
	ck_assert_int_eq(ts_table_line(&t, r, 10), -1);
	ck_assert_int_eq(ts_table_line(&t, r, 11), 0);
	ck_assert_int_eq(ts_table_line(&t, r, 14), 3);
	ck_assert_int_eq(ts_table_line(&t, r, 15), -1);
}
END_TEST

/* --- order, filter, columns --------------------------------------------------------------------- */

enum { ROWS = 300, FACTS = 3 };

struct thing {
	int64_t tile, bytes; /* -1: not known */
	const char *name;
};

static const struct ts_column thing_columns[] = {
	{"tile", 4, 0, 0, 2, TS_FIELD_RIGHT},
	{"size", 7, 0, 0, 1, TS_FIELD_RIGHT},
	{"name", 6, 0, 1, 0, TS_FIELD_TAIL},
};

static const struct ts_column_facts thing_facts[] = {
	{NULL, NULL, TS_SUM_NONE, false},
	{"bytes", "bytes", TS_SUM_BYTES, false},
	{NULL, NULL, TS_SUM_NONE, true},
};

static bool
thing_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct thing *x = (const struct thing *)ctx + row;

	if (column == 2)
		ts_table_value_text(out, x->name);
	else
		ts_table_value_known(out, column ? x->bytes : x->tile);
	return true;
}

static bool
thing_cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	(void)ctx;
	(void)row;
	(void)column;
	out->s = "x";
	return true;
}

static void
make_things(struct thing *x, unsigned seed)
{
	static const char *const names[] = {"Conv/weights", "conv_1", "a|b", "", NULL, "12"};

	for (int i = 0; i < ROWS; i++) {
		seed = seed * 1103515245u + 12345u;
		x[i].tile = seed >> 16 & 15;
		x[i].bytes = (seed >> 8 & 7) == 0 ? -1 : (int64_t)(seed >> 4 & 0xfff);
		x[i].name = names[(seed >> 24) % TS_COUNT(names)];
	}
}

static struct ts_table
thing_table(struct thing *x, struct ts_table_order *o)
{
	return (struct ts_table){.column = thing_columns,
		.columns = FACTS,
		.cell = thing_cell,
		.ctx = x,
		.header = true,
		.total = true,
		.sorted = -1,
		.id = "test.things",
		.facts = thing_facts,
		.value = thing_value,
		.order = o};
}

static bool
asked(const struct ts_table *t, enum ts_cmd cmd, const char *word)
{
	char say[200], *words[] = {(char *)(uintptr_t)word};
	struct ts_call call;

	ck_assert_int_eq(ts_call_make(&call, cmd, words, word ? 1 : 0, NULL), TS_OK);
	return ts_table_order_command(t, &call, say, sizeof(say)) != TS_EFFECT_BELL;
}

/* Rows in order: the keys never fall, equals keep the view's order, unknown ones come last. */
START_TEST(rows_are_sorted)
{
	struct thing x[ROWS];
	struct ts_table_order o;
	struct ts_table t = thing_table(x, &o);
	struct ts_list l;

	make_things(x, (unsigned)_i);
	ts_table_order_init(&o);
	ts_list_init(&l);
	ts_table_order_make(&o, &t, &l, ROWS, 1);
	ck_assert_int_eq(l.count, ROWS);
	ck_assert_int_eq(ts_table_row(&t, 7), 7);
	ts_list_go(&l, 7);
	ck_assert(asked(&t, TS_CMD_SORT, "bytes"));
	ck_assert(o.descending);
	ts_table_order_make(&o, &t, &l, ROWS, 1);
	ck_assert_int_eq(ts_table_row(&t, l.cursor), 7); /* the cursor stays on its row */
	for (int i = 1; i < ROWS; i++) {
		int64_t a = ts_table_row(&t, i - 1), b = ts_table_row(&t, i);

		ck_assert_int_ge(x[a].bytes, x[b].bytes); /* -1 is the smallest here */
		if (x[a].bytes == x[b].bytes)
			ck_assert_int_lt(a, b);
		ck_assert_int_eq(ts_table_place(&t, b), i);
	}
	ck_assert(asked(&t, TS_CMD_SORT_REVERSE, NULL));
	ts_table_order_make(&o, &t, &l, ROWS, 1);
	for (int i = 1; i < ROWS; i++) {
		int64_t a = ts_table_row(&t, i - 1), b = ts_table_row(&t, i);

		ck_assert(x[b].bytes < 0 || (x[a].bytes >= 0 && x[a].bytes <= x[b].bytes));
	}
	ck_assert(asked(&t, TS_CMD_SORT, "row"));
	ts_table_order_make(&o, &t, &l, ROWS, 1);
	ck_assert_int_eq(ts_table_row(&t, 5), 5);
	ck_assert(!asked(&t, TS_CMD_SORT, "nonsense"));
	ts_table_order_fini(&o);
}
END_TEST

/* Against the order of before, that asks for each value anew: any column, with texts that begin alike. */
static int
slow_compare(const struct thing *x, const struct thing *y, int column)
{
	int64_t a = column ? x->bytes : x->tile, b = column ? y->bytes : y->tile;

	if (column == 2)
		return !x->name || !y->name ? !x->name - !y->name : strcmp(x->name, y->name);
	return a < 0 || b < 0 ? (a < 0) - (b < 0) : (a > b) - (a < b);
}

/* A table of many rows: as it was until it is done, piece by piece; the cursor on its row, also when it moves meanwhile. */
START_TEST(many_rows_are_sorted_in_pieces)
{
	enum { MANY = 150000 };
	static const char *const keys[] = {"tile", "bytes", "name"};
	struct thing *x = calloc(MANY, sizeof(*x));
	struct ts_table_order o;
	struct ts_table t = thing_table(x, &o);
	struct ts_list l;
	unsigned seed = 7;
	int pieces = 0;

	ck_assert_ptr_nonnull(x);
	for (int i = 0; i < MANY; i++) {
		static const char *const names[] = {"encoder/layer_1/weights", "encoder/layer_10",
			"encoder/layer_1", "encode", "", NULL, "encoder/layer_1/bias"};

		seed = seed * 1103515245u + 12345u;
		x[i] = (struct thing){seed >> 16 & 1023, (int64_t)(seed >> 4 & 0xffff) - 100,
			names[(seed >> 20) % TS_COUNT(names)]};
		x[i].bytes = ts_max_i64(x[i].bytes, -1);
	}
	ts_table_order_init(&o);
	ts_list_init(&l);
	ts_table_order_make(&o, &t, &l, MANY, 1);
	ck_assert(!ts_table_order_step(&t, &l));
	ts_list_go(&l, 7);
	ck_assert(asked(&t, TS_CMD_SORT, keys[_i]));
	if (o.descending)
		ck_assert(asked(&t, TS_CMD_SORT_REVERSE, NULL));
	ts_table_order_make(&o, &t, &l, MANY, 1);
	ck_assert_ptr_nonnull(o.work);
	ck_assert_int_eq(ts_table_row(&t, 100), 100);
	ts_list_go(&l, 9);
	while (ts_table_order_step(&t, &l))
		pieces++;
	ck_assert_int_gt(pieces, 2);
	ck_assert_ptr_null(o.work);
	ck_assert_int_eq(ts_table_row(&t, l.cursor), 9);
	for (int i = 1; i < MANY; i++) {
		int64_t a = ts_table_row(&t, i - 1), b = ts_table_row(&t, i);
		int c = slow_compare(&x[a], &x[b], _i);

		ck_assert(c < 0 || (c == 0 && a < b));
	}
	/* a filter: all rows until it is done; then a sum and the order, too */
	ck_assert(asked(&t, TS_CMD_FILTER, "tile<512"));
	ts_table_order_make(&o, &t, &l, MANY, 1);
	ck_assert_int_eq(l.count, MANY);
	while (ts_table_order_step(&t, &l))
		;
	ck_assert_int_lt(l.count, MANY * 6 / 10);
	ck_assert(o.filtered);
	for (int64_t i = 0; i < l.count; i++)
		ck_assert_int_lt(x[ts_table_row(&t, i)].tile, 512);
	/* other rows while it is made: nothing of the old ones is left, and the place is kept */
	ck_assert(asked(&t, TS_CMD_FILTER, ""));
	ts_table_order_make(&o, &t, &l, MANY, 1);
	ck_assert_ptr_nonnull(o.work);
	ts_list_go(&l, 0);
	ts_table_order_make(&o, &t, &l, MANY - 5, 2);
	ck_assert_int_eq(l.count, MANY - 5);
	ck_assert_int_eq(ts_table_row(&t, 100), 100);
	while (ts_table_order_step(&t, &l))
		;
	ck_assert_int_eq(l.cursor, 0);
	for (int i = 1; i < MANY - 5; i++)
		ck_assert_int_le(slow_compare(&x[ts_table_row(&t, i - 1)], &x[ts_table_row(&t, i)],
					 _i),
			0);
	/* and a table that is left while it is made */
	ck_assert(asked(&t, TS_CMD_SORT_REVERSE, NULL));
	ts_table_order_make(&o, &t, &l, MANY - 5, 2);
	ck_assert_ptr_nonnull(o.work);
	ts_table_order_fini(&o);
	free(x);
}
END_TEST

/* --- whole numbers by their digits, texts by their ranks ----------------------------------------- */

enum { WIDE = 4000, WIDE_NONE = 9 };

struct wide {
	int64_t v[WIDE]; /* rows whose number is divided by WIDE_NONE have none */
	char name[WIDE][24];
	int64_t rank[WIDE];
};

static bool
wide_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct wide *x = ctx;

	if (column == 2)
		ts_table_value_text(out, x->name[row]);
	else if (row % WIDE_NONE)
		ts_table_value_integer(out, x->v[row]);
	return true;
}

static bool
wide_rank(void *ctx, int64_t row, int column, int64_t *rank)
{
	if (column == 2)
		*rank = ((const struct wide *)ctx)->rank[row];
	return column == 2;
}

/* Numbers that are near each other, far apart, at both ends of what there is. */
static void
make_wide(struct wide *x, int kind)
{
	uint64_t seed = (uint64_t)kind + 1;

	for (int i = 0; i < WIDE; i++) {
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		x->v[i] = kind % 4 == 0 ? (int64_t)(seed >> 57)
			: kind % 4 == 1 ? (int64_t)(seed >> 30) - (1 << 20)
			: kind % 4 == 2 ? (int64_t)seed / 3
					: (int64_t)seed;
		snprintf(x->name[i], sizeof(x->name[i]), "layer_%u/w%u", (unsigned)(seed >> 60),
			(unsigned)(seed >> 40) % 700);
	}
	if (kind % 4 == 3) {
		x->v[1] = INT64_MIN;
		x->v[2] = INT64_MAX;
	}
	for (int i = 0; i < WIDE; i++) /* so many are before it: equals have the same */
		for (int k = 0; k < WIDE; k++)
			x->rank[i] += strcmp(x->name[k], x->name[i]) < 0;
}

static void
check_wide(const struct wide *x, const struct ts_table *t, int64_t a, int64_t b)
{
	bool text = t->order->sorted == 2;
	bool no_a = !text && a % WIDE_NONE == 0, no_b = !text && b % WIDE_NONE == 0;
	int c = (x->v[a] > x->v[b]) - (x->v[a] < x->v[b]);

	if (text)
		c = strcmp(x->name[a], x->name[b]);
	if (t->order->descending)
		c = -c;
	if (no_a || no_b)
		c = no_a - no_b;
	ck_assert(c < 0 || (c == 0 && a < b));
}

START_TEST(digits_and_ranks)
{
	static const char *const keys[] = {"bytes", "name"};
	struct wide *x = calloc(1, sizeof(*x));
	struct ts_table_order o;
	struct ts_table t = thing_table(NULL, &o);
	struct ts_list l;

	ck_assert_ptr_nonnull(x);
	make_wide(x, _i);
	t.ctx = x;
	t.value = wide_value;
	t.rank = _i & 4 ? wide_rank : NULL;
	ts_list_init(&l);
	for (int k = 0; k < 4; k++) {
		ts_table_order_init(&o);
		ck_assert(asked(&t, TS_CMD_SORT, keys[k / 2]));
		o.descending = k & 1;
		ts_table_order_make(&o, &t, &l, WIDE, 1);
		while (ts_table_order_step(&t, &l))
			;
		ck_assert_int_eq(l.count, WIDE);
		for (int i = 1; i < WIDE; i++)
			check_wide(x, &t, ts_table_row(&t, i - 1), ts_table_row(&t, i));
		ts_table_order_fini(&o);
	}
	free(x);
}
END_TEST

/* --- by two threads ------------------------------------------------------------------------------ */

enum { LONG = 5 * WIDE + 77 };

static bool
long_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	return wide_value(ctx, row % WIDE, column, out);
}

static bool
long_rank(void *ctx, int64_t row, int column, int64_t *rank)
{
	return wide_rank(ctx, row % WIDE, column, rank);
}

static bool
long_passes(const struct wide *x, int filter, int64_t row)
{
	const char *name = x->name[row % WIDE];
	bool known = row % WIDE % WIDE_NONE != 0;

	if (filter == 1)
		return strstr(name, "layer_3/") != NULL;
	return filter == 0 || (known && x->v[row % WIDE] >= 64 && name[strlen(name) - 1] == '7');
}

/* Rows in order, the same whether one thread asks them or two; those that pass, and their sum. */
START_TEST(two_threads_ask)
{
	static const char *const filters[] = {"", "Layer_3/", "size>=64 and name~7$"};
	struct wide *x = calloc(1, sizeof(*x));
	struct ts_table_order o;
	struct ts_table t = thing_table(NULL, &o);
	int filter = _i % 3, sorted = _i / 3 % 4 - 1;
	struct ts_table_arranged one, two;
	int64_t n = 0, sum = 0;

	ck_assert_ptr_nonnull(x);
	make_wide(x, 0);
	ts_table_order_init(&o);
	o.rows = LONG;
	o.sorted = sorted;
	o.descending = _i & 1;
	snprintf(o.filter, sizeof(o.filter), "%s", filters[filter]);
	t.ctx = x;
	t.value = long_value;
	t.rank = _i % 5 ? long_rank : NULL;
	ck_assert_int_eq(ts_table_arrange(&one, &t, LONG, NULL, NULL, NULL), TS_OK);
	t.shared = true;
	ck_assert_int_eq(ts_table_arrange(&two, &t, LONG, NULL, NULL, NULL), TS_OK);
	for (int64_t i = 0; i < LONG; i++)
		if (long_passes(x, filter, i)) {
			n++;
			sum += i % WIDE % WIDE_NONE ? x->v[i % WIDE] : 0;
		}
	ck_assert_int_eq(two.count, n);
	ck_assert_int_eq(two.filtered, filter > 0);
	if (filter > 0)
		ck_assert_int_eq((int64_t)two.sum[1], sum);
	ck_assert_int_eq(one.count, two.count);
	ck_assert_mem_eq(one.row, two.row, (size_t)n * sizeof(*two.row));
	ck_assert_mem_eq(one.sum, two.sum, sizeof(two.sum));
	for (int64_t i = 0; i < n; i++)
		ck_assert(long_passes(x, filter, two.row[i]));
	free(one.row);
	free(two.row);
	free(x);
}
END_TEST

START_TEST(two_threads_are_stopped)
{
	struct wide *x = calloc(1, sizeof(*x));
	struct ts_table_order o;
	struct ts_table t = thing_table(NULL, &o);
	struct ts_cancel cancel = {.rest = NULL};
	struct ts_table_arranged a;

	ck_assert_ptr_nonnull(x);
	ts_table_order_init(&o);
	t.ctx = x;
	t.value = long_value;
	t.shared = true;
	ts_cancel_set(&cancel);
	ck_assert_int_eq(ts_table_arrange(&a, &t, LONG, NULL, &cancel, NULL), TS_E_CANCELLED);
	ck_assert_ptr_null(a.row);
	free(x);
}
END_TEST

static bool
is_conv(const struct thing *x)
{
	return x->name && (strcmp(x->name, "Conv/weights") == 0 || strcmp(x->name, "conv_1") == 0);
}

START_TEST(rows_are_filtered)
{
	struct thing x[ROWS];
	struct ts_table_order o;
	struct ts_table t = thing_table(x, &o);
	struct ts_list l;
	int64_t n = 0, bytes = 0;

	make_things(x, (unsigned)_i);
	ts_table_order_init(&o);
	ts_list_init(&l);
	ck_assert(asked(&t, TS_CMD_FILTER, "CONV bytes>=1K tile<12"));
	ts_table_order_make(&o, &t, &l, ROWS, 1);
	for (int i = 0; i < ROWS; i++) {
		bool passes = is_conv(&x[i]) && x[i].bytes >= 1024 && x[i].tile < 12;

		ck_assert_int_eq(passes, ts_table_place(&t, i) >= 0);
		n += passes;
		bytes += passes ? x[i].bytes : 0;
	}
	ck_assert_int_eq(l.count, n);
	ck_assert_int_eq((int64_t)o.sum[1], bytes);
	ck_assert(asked(&t, TS_CMD_FILTER, "name:12"));
	ts_table_order_make(&o, &t, &l, ROWS, 1);
	for (int i = 0; i < l.count; i++)
		ck_assert_str_eq(x[ts_table_row(&t, i)].name, "12");
	ck_assert(asked(&t, TS_CMD_FILTER, "not (name~^conv or bytes=1-2K) and tile:2,4-9"));
	ts_table_order_make(&o, &t, &l, ROWS, 1);
	for (int i = 0; i < ROWS; i++) {
		bool large = x[i].bytes == 0 || x[i].bytes > 2048;
		bool tile = x[i].tile == 2 || (x[i].tile >= 4 && x[i].tile <= 9);

		ck_assert_int_eq(ts_table_place(&t, i) >= 0,
			x[i].name && !is_conv(&x[i]) && large && tile);
	}
	ck_assert(asked(&t, TS_CMD_FILTER, "nothing_has_this"));
	ts_table_order_make(&o, &t, &l, ROWS, 1);
	ck_assert_int_eq(l.count, 0);
	ck_assert_int_eq(ts_table_row(&t, 0), -1);
	ck_assert(!asked(&t, TS_CMD_FILTER, "bytes>many"));
	ck_assert(!asked(&t, TS_CMD_FILTER, "nonsense>4"));
	ck_assert(!asked(&t, TS_CMD_FILTER, "a b c d e f g h i j k l m n o p"));
	ck_assert(asked(&t, TS_CMD_FILTER, ""));
	ts_table_order_make(&o, &t, &l, ROWS, 1);
	ck_assert_int_eq(l.count, ROWS);
	ts_table_order_fini(&o);
}
END_TEST

/* What is called a variable may be asked for by name, unless something else is called so. */
START_TEST(columns_have_other_names)
{
	static const struct ts_column_facts variables[] = {
		{NULL, NULL, TS_SUM_NONE, false},
		{"bytes", "bytes", TS_SUM_BYTES, false},
		{"variable", NULL, TS_SUM_NONE, false},
	};
	static const struct ts_column_facts both[] = {
		{"variable", NULL, TS_SUM_NONE, false},
		{"bytes", "bytes", TS_SUM_BYTES, false},
		{"name", NULL, TS_SUM_NONE, false},
	};
	struct thing x[ROWS];
	struct ts_table_order o;
	struct ts_table t = thing_table(x, &o);
	struct ts_list l;

	make_things(x, 5);
	ts_table_order_init(&o);
	ts_list_init(&l);
	ts_table_order_make(&o, &t, &l, ROWS, 1);
	t.facts = variables;
	ck_assert(asked(&t, TS_CMD_FILTER, "name:conv size>=0"));
	ck_assert(asked(&t, TS_CMD_SORT, "name"));
	ck_assert_int_eq(o.sorted, 2);
	ts_table_order_make(&o, &t, &l, ROWS, 1);
	ck_assert_int_gt(l.count, 0);
	for (int i = 0; i < l.count; i++)
		ck_assert(is_conv(&x[ts_table_row(&t, i)]));
	t.facts = both;
	ck_assert(asked(&t, TS_CMD_SORT, "name"));
	ck_assert_int_eq(o.sorted, 2);
	ck_assert(!asked(&t, TS_CMD_FILTER, "variable:conv"));
	ts_table_order_fini(&o);
}
END_TEST

/* An order by what there is no room for is told of: nothing else shows it. */
START_TEST(an_order_that_is_not_seen)
{
	struct ts_canvas *c = ts_canvas_new(12, 5, TS_GLYPHS_FULL);
	struct ts_call next = {.cmd = TS_CMD_SORT};
	struct thing x[ROWS];
	struct ts_table_order o;
	struct ts_table t = thing_table(x, &o);
	struct ts_list l;
	char say[200];

	make_things(x, 5);
	ts_table_order_init(&o);
	ts_list_init(&l);
	t.facts = NULL;
	ts_table_order_make(&o, &t, &l, ROWS, 1);
	ts_table_order_command(&t, &next, say, sizeof(say));
	ck_assert_str_eq(say, "sorted by tile"); /* it was not drawn yet */
	o.sorted = -1;
	ts_table_draw(c, (struct ts_rect){0, 0, 8, 5}, &t, &l);
	ts_table_order_command(&t, &next, say, sizeof(say));
	ck_assert_str_eq(say, "sorted by tile, for which there is no room");
	o.sorted = 1;
	ts_table_order_command(&t, &next, say, sizeof(say));
	ck_assert_str_eq(say, "sorted by name");
	ts_table_order_fini(&o);
	ts_canvas_free(c);
}
END_TEST

START_TEST(columns_are_chosen)
{
	struct ts_table_looks *looks = ts_table_looks_new(), *again = ts_table_looks_new();
	struct ts_table t = thing_table(NULL, NULL);
	struct ts_strbuf text;
	struct ts_err err = {0};
	int w[TS_TABLE_COLUMNS];

	t.looks = looks;
	ck_assert_int_eq(ts_table_layout(w, &t, 40), 2);
	ck_assert_int_eq(w[2], 0); /* an extra one */
	ck_assert_int_eq(ts_table_looks_set(looks, &t, "+name,-tile", &err), TS_OK);
	ck_assert_int_eq(ts_table_layout(w, &t, 40), 2);
	ck_assert_int_eq(w[0], 0);
	ck_assert_int_eq(ts_table_looks_set(looks, &t, "bytes", &err), TS_OK);
	ck_assert_int_eq(ts_table_layout(w, &t, 40), 1);
	ck_assert_int_eq(ts_table_looks_set(looks, &t, "-bytes", &err), TS_E_USAGE);
	ck_assert_int_eq(ts_table_looks_set(looks, &t, "color", &err), TS_E_USAGE);
	ck_assert_str_eq(err.msg, "columns: no \"color\" here, but tile, bytes, name");
	ck_assert_int_eq(ts_table_looks_set(looks, &t, "all", &err), TS_OK);
	ck_assert_int_eq(ts_table_layout(w, &t, 40), 3);
	ck_assert_int_eq(ts_table_looks_set(looks, &t, "-tile", &err), TS_OK);
	ts_strbuf_init(&text, 1000);
	ts_table_looks_get(looks, "test.things", &text);
	ck_assert_str_eq(text.s, "-tile,+name");
	ck_assert(ts_table_looks_put(again, "test.things", text.s));
	ck_assert(ts_table_looks_put(again, "", ",,+,-"));
	t.looks = again;
	ck_assert_int_eq(ts_table_layout(w, &t, 40), 2);
	ck_assert_int_eq(ts_table_looks_set(again, &t, "", &err), TS_OK);
	ts_strbuf_reset(&text);
	ts_table_looks_get(again, "test.things", &text);
	ck_assert_str_eq(text.s, "");
	ts_strbuf_fini(&text);
	ts_table_looks_free(looks);
	ts_table_looks_free(again);
}
END_TEST

static bool
twelve(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	(void)ctx;
	(void)row;
	out->s = column == 0 ? "a12" : "12";
	return true;
}

/* What is searched for is no figure: it is told apart in texts only. */
START_TEST(a_word_is_marked_in_texts)
{
	static const struct ts_column two[] = {{"name", 4, 0, 1, 0, TS_FIELD_LEFT},
		{"n", 4, 4, 0, 0, TS_FIELD_RIGHT}};
	struct ts_table t = {.column = two,
		.columns = 2,
		.cell = twelve,
		.needle = "12",
		.plain = true};
	struct ts_canvas *c = ts_canvas_new(12, 1, TS_GLYPHS_ASCII);
	struct ts_list l = {.count = 0};

	ck_assert_ptr_nonnull(c);
	ts_list_resize(&l, 1);
	ts_list_set_count(&l, 1);
	ts_table_draw(c, ts_canvas_rect(c), &t, &l);
	ck_assert_int_eq((int)ts_canvas_at(c, 10, 0)->cp, '1');
	for (int x = 0; x < 12; x++)
		ck_assert_int_eq(ts_canvas_at(c, x, 0)->over == TS_ROLE_MATCH, x == 1 || x == 2);
	ts_canvas_free(c);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ui_table");
	TCase *c = tcase_create("all");
	setlocale(LC_CTYPE, "C.UTF-8");
	tcase_add_test(c, rows_header_and_total);
	tcase_add_test(c, a_word_is_marked_in_texts);
	tcase_add_test(c, a_figure_is_short_rather_than_cut);
	tcase_add_test(c, small_tables);
	tcase_add_test(c, the_least_important_columns_go_first);
	tcase_add_test(c, widths_fit_for_any_columns);
	tcase_add_test(c, lines_of_the_mouse);
	tcase_add_loop_test(c, rows_are_sorted, 0, 20);
	tcase_add_loop_test(c, many_rows_are_sorted_in_pieces, 0, sample_of(FACTS));
	tcase_add_loop_test(c, digits_and_ranks, 0, 8);
	tcase_add_loop_test(c, two_threads_ask, 0, sample_of(24));
	tcase_add_test(c, two_threads_are_stopped);
	tcase_add_loop_test(c, rows_are_filtered, 0, 20);
	tcase_add_test(c, columns_have_other_names);
	tcase_add_test(c, an_order_that_is_not_seen);
	tcase_add_test(c, columns_are_chosen);
	tcase_set_timeout(c, 60);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
