/* SPDX-License-Identifier: MIT */
/*
 * Lifetimes and spread of variables against a slow computation of their own: random reports with rows that stand by
 * tile or anyhow, intervals that overlap, are empty, reversed or behind the last step, numbers that are none,
 * relations that are missing. Then lists of both levels, filtered and sorted by what was found.
 */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "damage.h"
#include "index_dir.h"
#include "sqlite_bytes.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/index_pieces.h"
#include "tilescope/report/variable_list.h"
#include "tilescope/report/variable_pieces.h"

enum { ROWS = 900, IDS = 40, CLASSES = 12, STEPS = 30, TILES = 25, INTERVALS = 90 };

enum { BY_TILE, ANYHOW, NO_CLASSES, NO_STEPS, KINDS };

struct piece {
	int64_t tile, bytes, variable, class_of;
	int always;
};

struct interval {
	int64_t id, start, end;
};

static struct index_dir d;
static struct ts_report *r;
static struct ts_reader *rd;
static struct ts_variables *lowered, *unlowered;
static struct piece piece[ROWS];
static struct interval of_class[INTERVALS], of_variable[INTERVALS];
static int always[IDS];
static uint64_t seed;
static int kind;
static const char *spoilt; /* a table that is damaged; or NULL */

static uint32_t
roll(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % n;
}

/* --- a report ------------------------------------------------------------------------------------ */

static void
make_intervals(struct interval *x, int ids)
{
	for (int i = 0; i < INTERVALS; i++) {
		int64_t start = roll(STEPS + 4);

		x[i] = (struct interval){roll((uint32_t)ids), start, start + (int64_t)roll(9) - 2};
		if (x[i].end < 0)
			x[i].end = 0;
	}
}

static void
make_truth(void)
{
	for (int i = 0; i < ROWS; i++) {
		struct piece *p = &piece[i];

		p->tile = kind == ANYHOW ? (int64_t)roll(TILES) : i * TILES / ROWS;
		if (roll(30) == 0)
			p->tile = -1;
		p->bytes = roll(25) == 0 ? -1 : (int64_t)roll(roll(4) ? 50 : 5000);
		p->variable = roll(20) == 0 ? -1 : (int64_t)roll(IDS);
		p->class_of = roll(6) == 0 ? -1 : (int64_t)roll(CLASSES);
		p->always = (int)roll(8) == 0;
	}
	make_intervals(of_class, CLASSES - 2); /* of two nothing is known */
	make_intervals(of_variable, IDS / 2);
	for (int i = 0; i < IDS; i++)
		always[i] = roll(5) == 0;
}

static void
insert(sqlite3 *db, const char *table, const int64_t *v, int n)
{
	char sql[300];
	size_t at = (size_t)snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES(", table);

	for (int i = 0; i < n; i++)
		at += (size_t)snprintf(sql + at, sizeof(sql) - at, v[i] < 0 ? "%sNULL" : "%s%lld",
			i > 0 ? "," : "", (long long)v[i]);
	snprintf(sql + at, sizeof(sql) - at, ")");
	sqlite_run(db, sql);
}

static void
write_report(const char *path)
{
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	sqlite_run(db,
		"PRAGMA page_size=512; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;"
		"CREATE TABLE target(type TEXT, ipus INTEGER, replicas INTEGER,"
		" tiles_per_ipu INTEGER, bytes_per_tile INTEGER);"
		"INSERT INTO target VALUES('IPU', 1, 1, 25, 100000);"
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, bytes INTEGER,"
		" variable INTEGER, class INTEGER, always_live INTEGER);"
		"CREATE TABLE variable(variable INTEGER PRIMARY KEY, name TEXT, bytes INTEGER,"
		" always_live INTEGER);"
		"CREATE TABLE liveness_variable(variable INTEGER, start INTEGER, \"end\" INTEGER)");
	if (kind != NO_CLASSES)
		sqlite_run(db,
			"CREATE TABLE class_interval(class INTEGER, start INTEGER,"
			" \"end\" INTEGER)");
	if (kind != NO_STEPS)
		sqlite_run(db,
			"CREATE TABLE liveness_step(live_step INTEGER PRIMARY KEY,"
			" not_always_live INTEGER);"
			"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<29)"
			" INSERT INTO liveness_step SELECT i, 5 FROM n");
	for (int i = 0; i < ROWS; i++)
		insert(db, "lowered_variable",
			(const int64_t[]){i, piece[i].tile, piece[i].bytes, piece[i].variable,
				piece[i].class_of, piece[i].always},
			6);
	for (int i = 0; i < IDS; i++)
		insert(db, "variable", (const int64_t[]){i, -1, 100 + i, always[i]}, 4);
	for (int i = 0; i < INTERVALS; i++) {
		insert(db, "liveness_variable",
			(const int64_t[]){of_variable[i].id, of_variable[i].start,
				of_variable[i].end},
			3);
		if (kind != NO_CLASSES)
			insert(db, "class_interval",
				(const int64_t[]){of_class[i].id, of_class[i].start,
					of_class[i].end},
				3);
	}
	sqlite_run(db, "COMMIT");
	sqlite3_close(db);
}

/* One piece of variable 3 is as large as `large`, if that is not 0. */
static void
begin_with(int k, int round, int64_t large)
{
	struct ts_report_options o = {0};
	struct ts_err err = {0};
	char relations[INDEX_PATH], path[INDEX_PATH];

	kind = k;
	seed = (uint64_t)k * 31 + (uint64_t)round + 7;
	index_dir_begin(&d);
	make_truth();
	if (large > 0)
		piece[ROWS / 2] = (struct piece){.tile = 4, .bytes = large, .variable = 3};
	snprintf(relations, sizeof(relations), "%s/relations.db", d.dir);
	snprintf(path, sizeof(path), "%s/profile.pop", d.dir);
	write_report(relations);
	relations_profile(relations, path);
	if (spoilt)
		damage_table(path, spoilt);
	ck_assert_msg(ts_report_open(&r, path, &o, &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(ts_reader_open(&rd, r, &err), TS_OK);
	ck_assert_msg(ts_variables_open(&lowered, rd, &d.c, &err) == TS_OK, "%s", err.msg);
	ck_assert_msg(ts_variables_open_unlowered(&unlowered, rd, &d.c, &err) == TS_OK, "%s",
		err.msg);
	if (!ts_variables_placed(unlowered)) {
		struct ts_variables *counted;

		ck_assert_int_eq(ts_variables_count(&counted, unlowered, rd, NULL, &err), TS_OK);
		ts_variables_release(unlowered);
		unlowered = counted;
	}
	ts_variable_facts_release(unlowered->facts);
	unlowered->facts = ts_variable_facts_hold(lowered->facts);
}

static void
begin(int k, int round)
{
	begin_with(k, round, 0);
}

static void
end(void)
{
	ts_variables_release(lowered);
	ts_variables_release(unlowered);
	ts_reader_close(rd);
	ts_report_close(r);
	index_dir_end(&d);
}

/* --- slowly ----------------------------------------------------------------------------------------- */

/* The steps that there are: recorded, else as far as any interval that is one goes. */
static int64_t
all_steps(void)
{
	int64_t most = 0;

	if (kind != NO_STEPS)
		return STEPS;
	for (int i = 0; i < INTERVALS; i++) {
		if (of_class[i].end > of_class[i].start)
			most = ts_max_i64(most, of_class[i].end);
		if (of_variable[i].end > of_variable[i].start)
			most = ts_max_i64(most, of_variable[i].end);
	}
	return most;
}

/* Is it alive at a step? -1: nothing is known of its life. */
static bool
marks(bool alive[64], const struct interval *x, int64_t id)
{
	bool any = false;

	memset(alive, 0, 64 * sizeof(*alive));
	for (int i = 0; id >= 0 && i < INTERVALS; i++)
		for (int64_t s = x[i].start; x[i].id == id && s < x[i].end; s++)
			if (s < all_steps())
				any = alive[s] = true;
	return any;
}

static bool
life(bool alive[64], int64_t class_of, int64_t variable, int live)
{
	if (live == 1) {
		for (int s = 0; s < all_steps(); s++)
			alive[s] = true;
		return true;
	}
	return (kind != NO_CLASSES && marks(alive, of_class, class_of)) ||
		marks(alive, of_variable, variable);
}

static void
check_life(const struct ts_variable_facts *f, int64_t class_of, int64_t variable, int live)
{
	struct ts_variable_life x;
	bool alive[64];
	bool known = life(alive, class_of, variable, live);
	int64_t from = -1, to = -1, steps = 0;

	ck_assert_int_eq(ts_variable_life(&x, f, class_of, variable, live), known);
	if (!known) {
		ck_assert_int_eq(ts_variable_is_alive(f, class_of, variable, live, 0, 100), -1);
		return;
	}
	ck_assert(all_steps() < 64);
	for (int s = 0; s < 64; s++) {
		bool is = s < all_steps() && alive[s];

		ck_assert_int_eq(ts_variable_is_alive(f, class_of, variable, live, s, s), is);
		if (is) {
			from = from < 0 ? s : from;
			to = s;
			steps++;
		}
	}
	ck_assert_int_eq(x.from, from);
	ck_assert_int_eq(x.to, to);
	ck_assert_int_eq(x.steps, steps);
	for (int s = 0; s < 30; s++) {
		int64_t a = roll(STEPS), b = a + roll(6);
		bool any = false;

		for (int64_t k = a; k <= b; k++)
			any |= k < all_steps() && alive[k];
		ck_assert_int_eq(ts_variable_is_alive(f, class_of, variable, live, a, b), any);
	}
}

struct spread {
	int64_t on[TILES], pieces, tiles, bytes, fullest, fullest_tile;
};

static struct spread
spread_of(int64_t variable)
{
	struct spread s = {.fullest_tile = -1};
	bool has[TILES] = {false};

	for (int i = 0; variable >= 0 && i < ROWS; i++) {
		const struct piece *p = &piece[i];

		if (p->variable != variable || p->tile < 0 || p->bytes < 0)
			continue;
		s.pieces++;
		s.bytes += p->bytes;
		s.on[p->tile] += p->bytes;
		has[p->tile] = true;
	}
	for (int i = 0; i < TILES; i++) {
		s.tiles += has[i];
		if (has[i] && (s.fullest_tile < 0 || s.on[i] > s.fullest)) {
			s.fullest = s.on[i];
			s.fullest_tile = i;
		}
	}
	return s;
}

/* What a variable was lowered to, from the rows or from the index. */
static void
check_pieces(int64_t variable)
{
	struct spread want = spread_of(variable);
	struct ts_variable_pieces p;
	struct ts_err err = {0};
	int bad = 0;

	for (int i = 0; i < ROWS; i++)
		bad += piece[i].variable == variable && (piece[i].tile < 0 || piece[i].bytes < 0);
	ck_assert_int_eq(ts_variable_pieces_read(&p, rd, lowered, variable, NULL, &err), TS_OK);
	ck_assert_int_eq(p.pieces, want.pieces);
	ck_assert_int_eq(p.bad_rows, bad);
	ck_assert_int_eq(p.bytes, want.bytes);
	ck_assert_int_eq(p.on, want.tiles);
	ck_assert_int_eq(p.fullest_tile, want.fullest_tile);
	for (int t = 0; t < TILES; t++)
		ck_assert_int_eq(ts_variable_pieces_most(&p, t, t + 1), want.on[t]);
	ck_assert_int_eq(ts_variable_pieces_most(&p, 0, 1000), want.fullest);
	ts_variable_pieces_fini(&p);
}

static int64_t
balance_of(const struct spread *s)
{
	return s->bytes == 0
		? -1
		: (int64_t)((double)s->bytes / (double)s->tiles / (double)s->fullest * 100000 +
			  0.5);
}

/* --- tests ---------------------------------------------------------------------------------------------- */

START_TEST(lives)
{
	struct ts_err err = {0};

	begin(_i % KINDS, _i);
	ck_assert(!atomic_load(&lowered->facts->alive));
	ck_assert_msg(ts_variable_facts_lives(lowered->facts, rd, NULL, &err) == TS_OK, "%s",
		err.msg);
	ck_assert_int_eq(ts_variable_facts_lives(lowered->facts, rd, NULL, &err), TS_OK);
	ck_assert_int_eq(atomic_load(&lowered->facts->steps), all_steps());
	for (int c = -1; c <= CLASSES; c++)
		for (int v = -1; v <= IDS; v += 3)
			for (int live = -1; live < 2; live++)
				check_life(lowered->facts, c, v, live);
	end();
}
END_TEST

/* The index says the same, also when it was built in parts; what it cannot hold it leaves to the rows. */
START_TEST(pieces)
{
	bool large = _i % 5 == 4;
	struct ts_index *x;

	begin_with(_i % KINDS, _i, large ? INT64_C(5000000000) : 0);
	x = index_dir_build(&d, r, rd, ts_section_bit(TS_SECTION_PIECES), 1 + _i % 4);
	ts_reader_set_index(rd, x);
	ck_assert(ts_index_pieces(&(struct ts_piece_list){0}, x, 1) == !large);
	for (int64_t v = 0; v < IDS + 3; v++)
		check_pieces(v);
	ts_reader_set_index(rd, NULL);
	ts_index_release(x);
	end();
}
END_TEST

static void
check_spread(struct ts_variable_facts *f)
{
	struct ts_variable_spread x;
	struct ts_err err = {0};

	ck_assert(!ts_variable_spread(&x, f, 1));
	ck_assert_msg(ts_variable_facts_spread(f, rd, NULL, &err) == TS_OK, "%s", err.msg);
	for (int64_t v = 0; v < IDS + 3; v++) {
		struct spread want = spread_of(v);

		check_pieces(v);
		ck_assert_int_eq(ts_variable_spread(&x, f, v), want.pieces > 0);
		if (want.pieces == 0)
			continue;
		ck_assert_int_eq(x.id, v);
		ck_assert_int_eq(x.pieces, want.pieces);
		ck_assert_int_eq(x.tiles, want.tiles);
		ck_assert_int_eq(x.bytes, want.bytes);
		ck_assert_int_eq(x.fullest, want.fullest);
		ck_assert_int_eq(x.fullest_tile, want.fullest_tile);
		ck_assert_int_eq(ts_variable_balance(&x), balance_of(&want));
	}
}

/* By a pass over the rows, and from the index, which may leave it to the rows (_i % 5 == 4). */
START_TEST(spread)
{
	struct ts_variable_facts *f;
	struct ts_index *x;

	begin_with(_i % KINDS, _i, _i % 5 == 4 ? INT64_C(5000000000) : 0);
	check_spread(lowered->facts);
	x = index_dir_build(&d, r, rd, ts_section_bit(TS_SECTION_PIECES), 1 + _i % 4);
	ts_reader_set_index(rd, x);
	f = ts_variable_facts_new(&d.c);
	ck_assert_ptr_nonnull(f);
	check_spread(f);
	ck_assert((atomic_load(&f->spreads)->index != NULL) == (_i % 5 != 4));
	ts_variable_facts_release(f);
	ts_reader_set_index(rd, NULL);
	ts_index_release(x);
	end();
}
END_TEST

/* What a row of either level is, for filters and orders: -1 = not known. */
struct fact {
	int64_t steps, from, to, tiles, fullest, balance, variable, bytes;
	bool alive[64];
};

static struct fact
fact_of(const struct ts_variables *v, int64_t i)
{
	const struct piece *p = &piece[i];
	int64_t variable = v->lowered ? p->variable : i;
	struct spread s = spread_of(variable);
	struct fact f = {.steps = -1, .from = -1, .to = -1, .variable = variable};
	bool known = life(f.alive, v->lowered ? p->class_of : -1, variable,
		v->lowered ? p->always : always[i]);

	f.bytes = v->lowered ? p->bytes : 100 + i;
	f.tiles = s.pieces > 0 ? s.tiles : -1;
	f.fullest = s.pieces > 0 ? s.fullest : -1;
	f.balance = s.pieces > 0 ? balance_of(&s) : -1;
	for (int k = 0; known && k < all_steps(); k++)
		if (f.alive[k]) {
			f.from = f.steps < 0 ? k : f.from;
			f.to = k;
			f.steps = f.steps < 0 ? 1 : f.steps + 1;
		}
	if (!known)
		memset(f.alive, 0, sizeof(f.alive));
	return f;
}

static bool
short_lives(const struct fact *f)
{
	return f->steps >= 0 && f->steps < 8;
}

static bool
at_seven(const struct fact *f)
{
	return f->steps >= 0 && (f->alive[7] || f->alive[8] || f->alive[9] || f->alive[20]);
}

static bool
uneven_and_many(const struct fact *f)
{
	return f->balance >= 0 && f->balance < 40000 && f->tiles > 10;
}

static bool
not_late_or_large(const struct fact *f)
{
	return f->from >= 0 && f->fullest >= 0 && !(f->from > 5 || f->fullest > 1024);
}

static bool
ends(const struct fact *f)
{
	return f->to == 12 || (f->to >= 20 && f->to <= 25);
}

static bool
some_variable(const struct fact *f)
{
	return f->variable == 3 || f->variable == 4 || f->variable == 17;
}

static const struct {
	const char *line;
	bool (*is)(const struct fact *f);
} filters[] = {
	{"steps<8", short_lives},
	{"alive:7-9,20", at_seven},
	{"tiles>10 and balance<40%", uneven_and_many},
	{"not (from>5 or fullest>1K)", not_late_or_large},
	{"to=12,20-25", ends},
	{"variable:3-4,17", some_variable},
};

static void
check_filter(struct ts_variables *v, const char *line, bool (*is)(const struct fact *f))
{
	struct ts_variable_list *l;
	struct ts_filter f;
	struct ts_err err = {0};
	int64_t n = 0;
	bool gap;

	ck_assert_int_eq(ts_filter_parse(&f, line, ts_variable_fields, NULL, &err), TS_OK);
	l = ts_variable_list_new(v, TS_SORT_ROW, false, &f);
	ck_assert_ptr_nonnull(l);
	ck_assert_msg(ts_variable_list_make(l, rd, &gap, NULL, NULL, &err) == TS_OK, "%s: %s", line,
		err.msg);
	for (int64_t i = 0; i < v->rows; i++) {
		struct fact x = fact_of(v, i);

		ck_assert_msg(ts_variable_list_has(l, i) == is(&x),
			"%s: row %lld is %d (steps %lld, tiles %lld, fullest %lld, balance %lld)",
			line, (long long)i, is(&x), (long long)x.steps, (long long)x.tiles,
			(long long)x.fullest, (long long)x.balance);
		n += is(&x);
	}
	ck_assert_int_eq(ts_variable_list_count(l), n);
	ts_variable_list_release(l);
}

static int64_t
key_of(const struct fact *f, enum ts_variable_sort sort)
{
	switch (sort) {
	case TS_SORT_STEPS:
		return f->steps;
	case TS_SORT_FROM:
		return f->from;
	case TS_SORT_TO:
		return f->to;
	case TS_SORT_FULLEST:
		return f->fullest;
	case TS_SORT_TILES:
		return f->tiles;
	default:
		return f->balance;
	}
}

/* Kept, the order is there the next time without a pass, and is the same; who does not believe it makes it again. */
static void
check_kept(struct ts_variable_list *made)
{
	struct ts_variables *v = made->v;
	struct ts_err err = {0};

	ck_assert_msg(ts_variable_list_keep(made, rd, NULL, &err) == TS_OK, "%s", err.msg);
	for (int anew = 0; anew < 2; anew++) {
		struct ts_variable_list *l = ts_variable_list_new(v, made->sort, false, NULL);
		bool gap;

		ck_assert_ptr_nonnull(l);
		l->anew = anew;
		ck_assert_int_eq(ts_variable_list_make(l, rd, &gap, NULL, NULL, &err), TS_OK);
		ck_assert((l->index == NULL) == anew);
		ck_assert(ts_variable_list_is_kept(l, false) == !anew);
		ck_assert_int_eq(l->known, made->known);
		ck_assert_int_eq(atomic_load(&l->all_bytes), atomic_load(&made->all_bytes));
		for (int64_t i = -1; i <= v->rows; i++)
			ck_assert_int_eq(ts_variable_list_place(l, i),
				ts_variable_list_place(made, i));
		ts_variable_list_release(l);
	}
}

static void
check_order(struct ts_variables *v, enum ts_variable_sort sort)
{
	struct ts_variable_list *l = ts_variable_list_new(v, sort, false, NULL);
	struct ts_err err = {0};
	int64_t before = -1, place_before = -1;
	bool gap, unknown = false;

	ck_assert_ptr_nonnull(l);
	ck_assert_msg(ts_variable_list_make(l, rd, &gap, NULL, NULL, &err) == TS_OK, "%s", err.msg);
	ck_assert(ts_variable_list_is_kept(l, false) ==
		!v->lowered); /* of variables before lowering there are few */
	ck_assert_int_eq(ts_variable_list_count(l), v->rows);
	for (int64_t i = 0; i < v->rows; i++) {
		int64_t place = ts_variable_list_place(l, i);
		struct fact x = fact_of(v, place);
		int64_t key = key_of(&x, sort);

		ck_assert(!unknown || key < 0);
		unknown |= key < 0;
		if (i > 0 && key >= 0)
			ck_assert(ts_variable_sort_falls(sort) ? key <= before : key >= before);
		if (i > 0 && key == before)
			ck_assert_int_gt(place, place_before);
		before = key;
		place_before = place;
	}
	if (v->lowered)
		check_kept(l);
	ts_variable_list_release(l);
}

static const enum ts_variable_sort orders[] = {TS_SORT_STEPS, TS_SORT_FROM, TS_SORT_TO,
	TS_SORT_TILES, TS_SORT_FULLEST, TS_SORT_BALANCE};

START_TEST(lists)
{
	struct ts_variables *levels[2];

	begin(_i % KINDS, _i);
	levels[0] = lowered;
	levels[1] = unlowered;
	for (int k = 0; k < 2; k++) {
		for (size_t i = 0; i < TS_COUNT(filters); i++)
			check_filter(levels[k], filters[i].line, filters[i].is);
		for (size_t i = 0; i < TS_COUNT(orders); i++)
			check_order(levels[k], orders[i]);
	}
	end();
}
END_TEST

/* What is damaged of intervals and of pieces is said, not passed over. */
START_TEST(damage)
{
	static const char *const tables[] = {"eq_class_step", "vars_info", NULL};
	const struct ts_variable_facts *f;
	struct ts_err err = {0};

	spoilt = tables[_i];
	begin(BY_TILE, _i);
	f = lowered->facts;
	ck_assert(!ts_variable_facts_partial(f));
	ck_assert_int_eq(ts_variable_facts_lives(lowered->facts, rd, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_variable_facts_partial(f), _i == 0);
	ck_assert_int_eq(ts_variable_facts_spread(lowered->facts, rd, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_variable_facts_partial(f), spoilt != NULL);
	if (!spoilt || _i == 0) {
		struct ts_variable_list *l = ts_variable_list_new(lowered, TS_SORT_STEPS, false,
			NULL);
		bool gap;

		ck_assert_ptr_nonnull(l);
		ck_assert_int_eq(ts_variable_list_make(l, rd, &gap, NULL, NULL, &err), TS_OK);
		ck_assert(
			ts_variable_list_is_kept(l, false) == (spoilt != NULL)); /* not for ever */
		ts_variable_list_release(l);
	}
	end();
	spoilt = NULL;
}
END_TEST

START_TEST(windows)
{
	static const int64_t asked[] = {0, 1, 2, 3, 39, 38, 5};
	struct ts_variable_window w;
	struct ts_err err = {0};

	begin(BY_TILE, 1);
	ck_assert_int_eq(ts_variable_facts_lives(lowered->facts, rd, NULL, &err), TS_OK);
	for (int k = 0; k < 2; k++) {
		struct ts_variables *v = k ? unlowered : lowered;

		ck_assert_int_eq(ts_variables_read(&w, rd, v, asked, TS_COUNT(asked), NULL, &err),
			TS_OK);
		for (int i = 0; i < w.count; i++) {
			struct fact f = fact_of(v, asked[i]);

			ck_assert_int_eq(w.row[i].state, TS_VARIABLE_OK);
			ck_assert_int_eq(w.row[i].bytes, f.bytes);
			ck_assert_int_eq(w.row[i].variable, f.variable);
			ck_assert_int_eq(w.row[i].steps, f.steps);
			ck_assert_int_eq(w.row[i].from, f.from);
			ck_assert_int_eq(w.row[i].to, f.to);
			ck_assert_int_eq(w.row[i].tiles, TS_UNKNOWN); /* not read yet */
			if (k)
				ck_assert_int_eq(w.row[i].tile, TS_UNKNOWN);
		}
		ts_variable_window_fini(&w);
	}
	end();
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("variable facts");
	TCase *t = tcase_create("facts");
	SRunner *run;
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, lives, 0, 8);
	tcase_add_loop_test(t, spread, 0, 6);
	tcase_add_loop_test(t, pieces, 0, 10);
	tcase_add_loop_test(t, lists, 0, 4);
	tcase_add_loop_test(t, damage, 0, 3);
	tcase_add_test(t, windows);
	suite_add_tcase(s, t);
	run = srunner_create(s);
	srunner_run_all(run, CK_NORMAL);
	failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed ? 1 : 0;
}
