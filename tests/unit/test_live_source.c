/* SPDX-License-Identifier: MIT */
/*
 * Liveness of an IPU, a tile, a set of tiles; who is alive at several steps; lifetimes and the place of programs: random
 * small reports against what is worked out step by step and row by row.
 */
#include "config.h"

#include "tilescope/report/always.h"
#include "tilescope/report/index_ipu_steps.h"
#include "tilescope/report/index_names.h"
#include "tilescope/report/lifetimes.h"
#include "tilescope/report/live_source.h"
#include "tilescope/report/program_tree.h"

#include "depth.h"
#include "damage.h"
#include "tile_live_report.h"

enum { ROUNDS = 30, FEW = 8 };

/* --- sources ---------------------------------------------------------------------------------- */

static bool
is_in(const struct ts_live_source *s, const struct truth *t, int tile)
{
	switch (s->where) {
	case TS_LIVE_IPU:
		return t->ipu[tile] == (int)s->number;
	case TS_LIVE_TILE:
		return number_of(tile) == s->number;
	default:
		return ts_tile_set_has(&s->set, number_of(tile));
	}
}

static int64_t
alive_at(const struct ts_live_source *s, const struct truth *t, int64_t step)
{
	int64_t sum = 0;

	for (int i = 0; i <= TILES; i++)
		sum += step < FAR && is_in(s, t, i) ? t->alive[i][step] : 0;
	return sum;
}

static void
check_line(const struct ts_source_line *l, const struct ts_live_source *s, const struct truth *t)
{
	int64_t base = 0, most = 0;

	ck_assert(l->derived);
	ck_assert_uint_gt(l->line.count, 0);
	for (size_t i = 0; i < l->line.count; i++) {
		ck_assert_int_eq(l->line.bytes[i], alive_at(s, t, l->line.step[i]));
		most = ts_max_i64(most, l->line.bytes[i]);
	}
	ck_assert_int_eq(l->line.peaks.peak[0].height, most);
	ck_assert_int_eq(l->line.replicas, 1);
	for (int i = 0; i <= TILES; i++)
		base += is_in(s, t, i) && t->there[i] ? t->base[i] : 0;
	if (l->line.always_live != TS_UNKNOWN)
		ck_assert_int_eq(l->line.always_live, base);
}

/* Variables of a source, one after the other: on a tile rows, else those of one variable and class together. */
struct naive {
	int class;
	int64_t bytes;
	int variable;
};

static int
naive_variables(struct naive *out, const struct ts_live_source *s, const struct truth *t)
{
	bool joined = s->where != TS_LIVE_TILE && t->lowered_from;
	int n = 0;

	for (int i = 0; i < t->count; i++) {
		const struct row *r = &t->row[i];
		int k = 0;

		if (r->always || r->class < 0 || !t->known[r->class] || !is_in(s, t, r->tile))
			continue;
		while (joined && r->variable != NONE && k < n &&
			(out[k].variable != r->variable || out[k].class != r->class))
			k++;
		if (!joined || r->variable == NONE || k == n) {
			out[n++] = (struct naive){r->class, r->bytes, joined ? r->variable : NONE};
			continue;
		}
		out[k].bytes += r->bytes;
	}
	return n;
}

static bool
is_alive(const struct truth *t, const struct naive *v, int64_t step)
{
	return step < FAR && t->in[v->class][step];
}

/* Sums of the list at each step, what was born and what died, and that the rows are the largest. */
static void
check_alive(const struct ts_alive *a, const struct naive *v, int n, const struct truth *t)
{
	int64_t later = a->asked.to > 0 ? a->asked.mark[a->asked.to - 1] : a->step;
	struct ts_alive_sums change;
	int listed = 0;

	memset(&change, 0, sizeof(change));
	for (int k = 0; k <= a->asked.marks; k++) {
		struct ts_live_total sum = {0};

		for (int i = 0; i < n; i++)
			if (is_alive(t, &v[i], k == 0 ? a->step : a->asked.mark[k - 1])) {
				sum.bytes += v[i].bytes;
				sum.count++;
			}
		ck_assert_int_eq(a->at[k].bytes, sum.bytes);
		ck_assert_int_eq(a->at[k].count, sum.count);
	}
	for (int i = 0; i < n; i++) {
		bool now = is_alive(t, &v[i], later), then = is_alive(t, &v[i], a->asked.against);
		struct ts_live_total *to = now ? &change.born : &change.died;
		bool any_step = is_alive(t, &v[i], a->step);

		for (int k = 0; k < a->asked.marks; k++)
			any_step |= is_alive(t, &v[i], a->asked.mark[k]);
		if (now != then) {
			to->bytes += v[i].bytes;
			to->count++;
		}
		listed += a->asked.only == TS_ALIVE_EVERY ? any_step
			: a->asked.only == TS_ALIVE_BORN  ? now && !then
			: a->asked.only == TS_ALIVE_DIED  ? then && !now
							  : now != then;
	}
	ck_assert_int_eq(a->change.born.bytes, change.born.bytes);
	ck_assert_int_eq(a->change.born.count, change.born.count);
	ck_assert_int_eq(a->change.died.bytes, change.died.bytes);
	ck_assert_int_eq(a->change.died.count, change.died.count);
	ck_assert_int_eq(a->rows, listed);
	for (int i = 1; i < a->rows; i++)
		ck_assert_int_ge(a->row[i - 1].bytes, a->row[i].bytes);
	if (a->born >= 0)
		ck_assert_int_eq((int)a->row[a->born].against, 1);
}

/* The largest of them, of sums alone: the same rows, and what is beyond them. */
static void
check_summed(struct ts_reader *rd, const struct ts_kind_sums *sums,
	const struct ts_tile_lives *tiles, const struct ts_alive_query *asked,
	const struct ts_alive *all)
{
	struct ts_alive_query q = *asked;
	struct ts_alive *a;
	struct ts_err err = {0};
	int64_t left = 0;

	q.most = 1 + (int)any(2 * (uint64_t)all->rows + 1);
	ck_assert_int_eq(ts_alive_read_set(&a, rd, sums, tiles, &q, &err), TS_OK);
	ck_assert_int_eq(a->rows, ts_min_i64(q.most, all->rows));
	ck_assert_int_eq(a->left_rows, all->rows - a->rows);
	ck_assert_int_eq(a->found, all->found);
	for (int i = 0; i < a->rows; i++) {
		const struct ts_alive_row *x = &a->row[i], *y = &all->row[i];

		ck_assert_int_eq(x->variable, y->variable);
		ck_assert_int_eq(x->bytes, y->bytes);
		ck_assert_int_eq(x->start, y->start);
		ck_assert_int_eq(x->end, y->end);
		ck_assert_int_eq(x->total, y->total);
		ck_assert_int_eq(x->cumulative, y->cumulative);
		ck_assert_uint_eq(x->alive, y->alive);
		ck_assert_uint_eq(x->against, y->against);
	}
	for (int i = a->rows; i < all->rows; i++)
		left += all->row[i].alive & 1u ? all->row[i].bytes : 0;
	ck_assert_int_eq(a->left[0].bytes, left);
	ck_assert_int_eq(a->born, all->born < a->rows ? all->born : -1);
	ck_assert_int_eq(memcmp(a->at, all->at, sizeof(a->at)), 0);
	ck_assert_int_eq(memcmp(&a->change, &all->change, sizeof(a->change)), 0);
	ck_assert_int_eq(memcmp(&a->chosen, &all->chosen, sizeof(a->chosen)), 0);
	ts_alive_close(a);
}

static void
check_lives(struct ts_reader *rd, const struct ts_live_source *s, const struct ts_source_line *l,
	const struct truth *t)
{
	struct naive v[ROWS];
	int n = naive_variables(v, s, t);
	struct ts_kind_sums *sums;
	struct ts_lives *lives;
	struct ts_err err = {0};

	ck_assert_int_eq(ts_source_sums_read(&sums, rd, s, l->tiles, &err), TS_OK);
	ck_assert_msg(ts_lives_read_source(&lives, rd, s, l->tiles, sums, NULL, NULL, &err) ==
			TS_OK,
		"%s", err.msg);
	ck_assert_int_eq((int64_t)lives->variables, n);
	for (int i = 0; i < FEW; i++) {
		struct ts_alive_query q = {.step = (int64_t)any(FAR + 5),
			.program = -1,
			.marks = (int)any(TS_ALIVE_MARKS + 1),
			.against = (int64_t)any(FAR),
			.only = (enum ts_alive_only)any(TS_ALIVE_ONLY_COUNT),
			.group = -1};
		struct ts_alive *a;

		for (int k = 0; k < q.marks; k++)
			q.mark[k] = (int64_t)any(FAR);
		q.to = (int)any((uint64_t)q.marks + 1);
		ck_assert_int_eq(ts_alive_read(&a, rd, lives, &q, NULL, &err), TS_OK);
		check_alive(a, v, n, t);
		if (sums)
			check_summed(rd, sums, l->tiles, &q, a);
		ts_alive_close(a);
	}
	ts_lives_close(lives);
	ts_kind_sums_close(sums);
}

static void
check_source(struct fixture *f, const struct ts_live_source *s, const struct truth *t)
{
	struct ts_reader *readers[] = {f->plain, f->indexed};

	for (size_t i = 0; i < TS_COUNT(readers); i++) {
		struct ts_source_line l;
		struct ts_err err = {0};
		enum ts_code code = ts_source_line_read(&l, readers[i], s, NULL, &err);

		ck_assert_msg(code == TS_OK, "%s", err.msg);
		if (l.line.count > 0) {
			check_line(&l, s, t);
			check_lives(readers[i], s, &l, t);
		}
		ts_source_line_fini(&l);
	}
}

START_TEST(sources)
{
	struct truth *t = ts_alloc(1, sizeof(*t));
	struct fixture f;
	struct ts_live_source set = {.where = TS_LIVE_SET}, copy;

	ck_assert_ptr_nonnull(t);
	begin(&f);
	make(&f, t, _i);
	open_report(&f);
	for (int i = 0; i < 3; i++) {
		struct ts_live_source tile = {TS_LIVE_TILE, number_of((int)any(TILES + 1)), {0}};
		struct ts_live_source ipu = {TS_LIVE_IPU, i, {0}};

		check_source(&f, &tile, t);
		check_source(&f, &ipu, t);
	}
	for (int i = -1; i < 3; i++) { /* any tiles, or just those of an IPU */
		ts_live_source_fini(&set);
		set.where = TS_LIVE_SET;
		ck_assert(ts_tile_set_init(&set.set, TILES));
		for (int k = 0; k < TILES; k++)
			if (i < 0 ? any(2) : t->ipu[k] == i)
				ts_tile_set_add(&set.set, k, k + 1);
		check_source(&f, &set, t);
	}
	ck_assert(ts_live_source_copy(&copy, &set));
	ck_assert(ts_live_source_same(&copy, &set));
	ts_live_source_fini(&copy);
	ck_assert(!ts_live_source_same(&copy, &set));
	ts_live_source_fini(&set);
	end(&f);
	free(t);
}
END_TEST

/* --- recorded timelines: of the device, of each IPU, of replicas ------------------------------- */

enum { DEVICE_IPUS = 6, DEVICE_TILES = 30, DEVICE_STEPS = 25, UNSEEN = -1 };

struct device {
	int ipus, replicas, tiles;
	int ipu[DEVICE_TILES], replica[DEVICE_IPUS];
	int64_t always[DEVICE_TILES]; /* UNSEEN: its row does not say it */
	int64_t step[DEVICE_STEPS];   /* of one replica; UNSEEN: below 0 */
	int64_t of_ipu[DEVICE_IPUS][DEVICE_STEPS];
};

static int64_t
recorded_bytes(void)
{
	return any(9) == 0 ? UNSEEN : any(30) == 0 ? TS_NUMBER_MAX / 8 : (int64_t)any(5000);
}

/* IPUs of any size, one after the other; a replica's follow each other. */
static void
make_device(struct fixture *f, struct device *d)
{
	int tiles;

	memset(d, 0, sizeof(*d));
	tiles = 1 + (int)any(DEVICE_TILES / DEVICE_IPUS);
	d->replicas = any(2) ? 1 : 1 + (int)any(DEVICE_IPUS);
	d->ipus = d->replicas * (1 + (int)any((uint64_t)(DEVICE_IPUS / d->replicas)));
	sql(f, "CREATE TABLE tile_memory(tile INTEGER PRIMARY KEY, total, always_live)");
	sql(f,
		"CREATE TABLE target(type TEXT, ipus, replicas, tiles_per_ipu, bytes_per_tile); "
		"INSERT INTO target VALUES('IPU', %d, %d, %d, 1000)",
		d->ipus, d->replicas, tiles);
	for (int u = 0; u < d->ipus; u++) {
		d->replica[u] = u / (d->ipus / d->replicas);
		for (int t = d->tiles; t < d->tiles + tiles; t++) {
			d->ipu[t] = u;
			d->always[t] = any(40) == 0 ? UNSEEN : (int64_t)any(900);
			sql(f, "INSERT INTO tile_memory VALUES(%d, 1000, nullif(%" PRId64 ", -1))",
				t, d->always[t]);
		}
		d->tiles += tiles;
	}
	sql(f,
		"CREATE TABLE liveness_step(live_step, not_always_live); "
		"CREATE TABLE liveness_step_ipu(live_step, ipu, not_always_live)");
	for (int s = 0; s < DEVICE_STEPS; s++) {
		d->step[s] = recorded_bytes();
		sql(f, "INSERT INTO liveness_step VALUES(%d, %" PRId64 ")", s, d->step[s]);
		for (int u = 0; u < d->ipus; u++) {
			d->of_ipu[u][s] = recorded_bytes();
			sql(f, "INSERT INTO liveness_step_ipu VALUES(%d, %d, %" PRId64 ")", s, u,
				d->of_ipu[u][s]);
		}
	}
}

/* What is always live on the tiles of an IPU (UNSEEN: of all), of a replica (the same). */
static int64_t
always_of(const struct device *d, int ipu, int replica)
{
	int64_t sum = 0;

	for (int t = 0; t < d->tiles; t++)
		if ((ipu == UNSEEN || d->ipu[t] == ipu) &&
			(replica == UNSEEN || d->replica[d->ipu[t]] == replica))
			sum = sum == UNSEEN || d->always[t] == UNSEEN ? UNSEEN : sum + d->always[t];
	return sum;
}

static void
check_recorded(const struct ts_source_line *l, const int64_t *step)
{
	int64_t most = UNSEEN, at = UNSEEN;
	size_t n = 0;

	for (int s = 0; s < DEVICE_STEPS; s++) {
		if (step[s] == UNSEEN)
			continue;
		ck_assert_uint_lt(n, l->line.count);
		ck_assert_int_eq(l->line.step[n], s);
		ck_assert_int_eq(l->line.bytes[n++], step[s]);
		at = step[s] > most ? s : at;
		most = ts_max_i64(most, step[s]);
	}
	ck_assert_uint_eq(l->line.count, n);
	ck_assert_int_eq(l->line.peak.bytes, most);
	ck_assert_int_eq(l->line.peak.step, at);
	ck_assert(!l->derived);
}

static void
check_ipu(struct ts_reader *rd, const struct device *d, int ipu)
{
	struct ts_live_source s = {TS_LIVE_IPU, ipu, {0}};
	struct ts_source_line l;
	struct ts_err err = {0};
	int64_t bad = 0;

	for (int i = 0; i < DEVICE_STEPS; i++)
		bad += d->of_ipu[ipu][i] == UNSEEN;
	ck_assert_msg(ts_source_line_read(&l, rd, &s, NULL, &err) == TS_OK, "%s", err.msg);
	check_recorded(&l, d->of_ipu[ipu]);
	ck_assert_int_eq(l.line.bad_rows, bad);
	ck_assert_int_eq(l.line.replicas, 1);
	ck_assert_int_eq(l.line.always_live, always_of(d, ipu, UNSEEN));
	ts_source_line_fini(&l);
}

/* Device = always live + replicas x not always live; an IPU belongs to one replica. */
START_TEST(recorded)
{
	struct ts_live_source s = {.where = TS_LIVE_ALL};
	struct ts_source_line l;
	struct ts_err err = {0};
	struct fixture f;
	struct device d;
	int64_t all, scaled;

	seed = (uint64_t)_i * UINT64_C(0x9e3779b97f4a7c15) + 5;
	begin(&f);
	make_device(&f, &d);
	sql(&f, "CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile, bytes)");
	open_report(&f);
	ck_assert_msg(ts_source_line_read(&l, f.plain, &s, NULL, &err) == TS_OK, "%s", err.msg);
	check_recorded(&l, d.step);
	all = always_of(&d, UNSEEN, UNSEEN);
	ck_assert_int_eq(l.line.replicas, d.replicas);
	ck_assert_int_eq(l.line.always_live, all);
	ck_assert_int_eq(l.ipus, d.ipus);
	scaled = l.line.peak.bytes > TS_NUMBER_MAX / d.replicas ? TS_NUMBER_MAX
								: d.replicas * l.line.peak.bytes;
	ck_assert_int_eq(ts_liveness_device(&l.line, l.line.peak.bytes), scaled);
	if (d.replicas > 1) {
		ck_assert_int_eq(l.always_replica, always_of(&d, UNSEEN, 0));
		ck_assert(!l.always_divided);
	}
	ts_source_line_fini(&l);
	ck_assert(ts_ipu_lines_quick(f.index) && !ts_ipu_lines_quick(NULL));
	for (int u = 0; u < d.ipus; u++) {
		check_ipu(f.plain, &d, u);
		check_ipu(f.indexed, &d, u);
	}
	s = (struct ts_live_source){TS_LIVE_IPU, d.ipus, {0}}; /* no row is of it */
	ck_assert_msg(ts_source_line_read(&l, f.indexed, &s, NULL, &err) == TS_OK, "%s", err.msg);
	ck_assert_uint_eq(l.line.count, 0);
	ts_source_line_fini(&l);
	end(&f);
}
END_TEST

/* Many IPUs, or numbers that no machine has, are left to the rows: the lines are the same. */
START_TEST(lines_left_to_the_rows)
{
	struct ts_live_source s = {TS_LIVE_IPU, 64, {0}};
	struct fixture f;

	begin(&f);
	sql(&f,
		"CREATE TABLE liveness_step(live_step INTEGER PRIMARY KEY, not_always_live); "
		"INSERT INTO liveness_step VALUES(0, 3), (1, 4); "
		"CREATE TABLE liveness_step_ipu(live_step, ipu, not_always_live); "
		"INSERT INTO liveness_step_ipu VALUES(0, 0, 1), (0, 64, 2), (1, 0, 2), (1, 64, 2); "
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile, bytes)");
	open_report(&f);
	ck_assert(ts_index_sections(f.index) & ts_section_bit(TS_SECTION_IPU_STEPS));
	ck_assert(!ts_ipu_lines_quick(f.index));
	for (int i = 0; i < 2; i++) {
		struct ts_source_line l;
		struct ts_err err = {0};

		ck_assert_msg(ts_source_line_read(&l, i ? f.indexed : f.plain, &s, NULL, &err) ==
				TS_OK,
			"%s", err.msg);
		ck_assert_uint_eq(l.line.count, 2);
		ck_assert_int_eq(l.line.bytes[0] + l.line.bytes[1], 4);
		ts_source_line_fini(&l);
	}
	end(&f);
}
END_TEST

/* tile_always_live: a row that cannot be read leaves the sum unknown where it may be of the source. */
START_TEST(listed_bases)
{
	static const struct {
		const char *rows;
		int64_t ipu[2];
	} cases[] = {
		{"(0, 'a', 5), (1, 'a', 6), (2, 'b', 7), (3, 'c', 8)", {11, 15}},
		{"(0, 'a', 5), (1, 'a', NULL), (2, 'b', 7), (3, 'c', 8)", {TS_UNKNOWN, 15}},
		{"(0, 'a', 5), (1, 'a', 'x'), (2, 'b', 7), (3, 'c', -1)", {TS_UNKNOWN, TS_UNKNOWN}},
		{"(0, 'a', 5), (NULL, 'a', 6), (2, 'b', 7), (3, 'c', 8)", {TS_UNKNOWN, TS_UNKNOWN}},
	};
	struct fixture f;

	begin(&f);
	sql(&f,
		"CREATE TABLE ipu(ipu, replica, first_tile, tile_count); "
		"INSERT INTO ipu VALUES(0, 0, 0, 2), (1, 0, 2, 2)");
	sql(&f,
		"CREATE TABLE liveness_step(live_step INTEGER PRIMARY KEY, not_always_live); "
		"INSERT INTO liveness_step VALUES(0, 3), (1, 4); "
		"CREATE TABLE liveness_step_ipu(live_step, ipu, not_always_live); "
		"INSERT INTO liveness_step_ipu VALUES(0, 0, 1), (0, 1, 2), (1, 0, 2), (1, 1, 2)");
	sql(&f, "CREATE TABLE tile_always_live(tile, name, bytes)");
	sql(&f, "INSERT INTO tile_always_live VALUES%s", cases[_i].rows);
	sql(&f, "CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile, bytes)");
	open_report(&f);
	for (int i = 0; i < 2; i++) {
		struct ts_live_source s = {TS_LIVE_IPU, i, {0}};
		struct ts_source_line l;
		struct ts_err err = {0};

		ck_assert_msg(ts_source_line_read(&l, f.plain, &s, NULL, &err) == TS_OK, "%s",
			err.msg);
		ck_assert_int_eq(l.line.always_live, cases[_i].ipu[i]);
		ts_source_line_fini(&l);
	}
	end(&f);
}
END_TEST

/* Rows are found by their row ids for their names, also by one below 0. */
START_TEST(names_of_rows)
{
	struct ts_live_source s = {TS_LIVE_TILE, 0, {0}};
	struct ts_alive_query q = {.step = 1, .program = -1, .against = TS_UNKNOWN, .group = -1};
	struct ts_source_line l;
	struct ts_err err = {0};
	struct ts_lives *lives;
	struct ts_alive *a;
	struct fixture f;

	begin(&f);
	sql(&f,
		"CREATE TABLE class_interval(class, start, end); INSERT INTO class_interval VALUES(1, 0, 3); "
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile, bytes, class, always_live, name); "
		"INSERT INTO lowered_variable VALUES(-5, 0, 20, 1, 0, 'minus'), (4, 0, 10, 1, 0, 'four')");
	open_report(&f);
	ck_assert_msg(ts_source_line_read(&l, f.plain, &s, NULL, &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(ts_lives_read_source(&lives, f.plain, &s, l.tiles, NULL, NULL, NULL, &err),
		TS_OK);
	ck_assert_int_eq(ts_alive_read(&a, f.plain, lives, &q, NULL, &err), TS_OK);
	ck_assert_int_eq(a->rows, 2);
	ck_assert_str_eq(ts_alive_name(a, 0), "minus");
	ck_assert_str_eq(ts_alive_name(a, 1), "four");
	ts_alive_close(a);
	ts_lives_close(lives);
	ts_source_line_fini(&l);
	end(&f);
}
END_TEST

/* --- lifetimes -------------------------------------------------------------------------------- */

enum { VARIABLES = 6, PROGRAMS = 7 };

struct life_truth {
	bool alive[VARIABLES][STEPS], names[PROGRAMS][VARIABLES], named[VARIABLES];
	int program[STEPS];
};

static void
make_lives(struct fixture *f, struct life_truth *t)
{
	sql(f,
		"CREATE TABLE liveness_step(live_step INTEGER PRIMARY KEY, program, not_always_live);"
		"CREATE TABLE program_variable(program, lowered_variable);");
	sql(f,
		"CREATE TABLE variable(variable INTEGER PRIMARY KEY, name, bytes, always_live);"
		"CREATE TABLE liveness_variable(variable, start, \"end\");"
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile, bytes, variable)");
	for (int s = 0; s < STEPS; s++) {
		t->program[s] = (int)any(PROGRAMS);
		sql(f, "INSERT INTO liveness_step VALUES(%d, %d, 0)", s, t->program[s]);
	}
	for (int v = 0; v < VARIABLES; v++) {
		sql(f, "INSERT INTO variable VALUES(%d, 'v', %d, 0)", v, 1 + (int)any(100));
		for (int i = (int)any(4); i >= 0; i--) {
			int from = (int)any(STEPS), to = from + 1 + (int)any(9);

			to = to > STEPS ? STEPS : to;
			for (int s = from; s < to; s++)
				t->alive[v][s] = true;
		}
		for (int from = 0, to; from < STEPS; from = to + 1) {
			for (to = from; to < STEPS && t->alive[v][to];)
				to++;
			if (to > from)
				sql(f, "INSERT INTO liveness_variable VALUES(%d, %d, %d)", v, from,
					to);
		}
	}
	for (int i = 0; i < 3 * VARIABLES; i++) {
		int v = (int)any(VARIABLES);

		sql(f, "INSERT INTO lowered_variable VALUES(%d, 0, 4, %d)", i, v);
		for (int p = (int)any(3); p > 0 && v > 0; p--) { /* variable 0 is never named */
			int program = (int)any(PROGRAMS);

			sql(f, "INSERT INTO program_variable VALUES(%d, %d)", program, i);
			t->names[program][v] = t->named[v] = true;
		}
	}
}

static void
check_lifetime(const struct ts_lifetime *row, const struct life_truth *t, int v,
	const struct ts_lifetimes *l)
{
	int64_t steps = 0, used = 0, run = 0, longest = 0;

	for (int s = 0; s < STEPS; s++) {
		bool use = t->alive[v][s] && t->names[t->program[s]][v], in = false, at = false;

		steps += t->alive[v][s];
		used += use;
		run = t->alive[v][s] && !use ? run + 1 : 0;
		longest = ts_max_i64(longest, run);
		for (uint32_t i = 0; i < row->lives; i++)
			in |= s >= (int)l->piece[row->life + i].start &&
				s < (int)l->piece[row->life + i].end;
		for (uint32_t i = 0; i < row->uses; i++)
			at |= s >= (int)l->piece[row->use + i].start &&
				s < (int)l->piece[row->use + i].end;
		ck_assert_int_eq(in, t->alive[v][s]);
		ck_assert_int_eq(at, use);
	}
	ck_assert_int_eq(row->steps, steps);
	ck_assert_int_eq(row->idle, t->named[v] ? steps - used : TS_UNKNOWN);
	ck_assert_int_eq(row->used, t->named[v] ? used : TS_UNKNOWN);
	ck_assert_int_eq(row->longest, t->named[v] ? longest : TS_UNKNOWN);
}

/* Which section of the index holds the uses; an altered one is not believed. */
static void
alter_uses(const struct fixture *f)
{
	const int64_t head[4] = {2, 0, 32, 64}, named[4] = {5, 1, 3, 1}; /* not in order */
	struct ts_section_writer *w;
	struct ts_err err = {0};

	ck_assert_int_eq(ts_section_create(&w, &f->d.c, f->report, TS_SECTION_USES, &err), TS_OK);
	ck_assert_int_eq(ts_section_append(w, NULL, head, sizeof(head), &err), TS_OK);
	ck_assert_int_eq(ts_section_append(w, NULL, named, sizeof(named), &err), TS_OK);
	ck_assert_int_eq(ts_section_commit(w, &err), TS_OK);
}

/* At first by passes; then kept, taken from there, altered, and made anew: always the same. */
static struct ts_uses *
read_uses(const struct fixture *f, int time)
{
	const struct ts_cache *cache = time == 0 ? NULL : &f->d.c;
	struct ts_uses *uses;
	char path[INDEX_PATH];

	if (time == 3)
		alter_uses(f);
	index_dir_path(path, &f->d, f->report, "uses.idx");
	ck_assert_int_eq(access(path, F_OK) == 0, time > 1);
	ck_assert_int_eq(ts_uses_read(&uses, f->plain, cache, NULL, NULL), TS_OK);
	return uses;
}

START_TEST(lifetimes)
{
	struct life_truth t;
	struct fixture f;
	struct ts_uses *uses;
	struct ts_lives *lives;
	struct ts_lifetimes l;
	uint32_t index[VARIABLES];
	int64_t number[VARIABLES];

	seed = (uint64_t)_i * UINT64_C(0x9e3779b97f4a7c15) + 7;
	memset(&t, 0, sizeof(t));
	begin(&f);
	make_lives(&f, &t);
	open_report(&f);
	for (int v = 0; v < VARIABLES; v++)
		number[v] = v;
	ck_assert_int_eq(ts_lives_read(&lives, f.plain, NULL, NULL), TS_OK);
	ts_lives_find(index, lives, number, VARIABLES);
	for (int time = 0; time < 5; time++) {
		uses = read_uses(&f, time);
		ck_assert_int_eq(ts_lifetimes_make(&l, lives, uses, index, VARIABLES, NULL, NULL,
					 NULL),
			TS_OK);
		ck_assert_int_eq(l.rows, VARIABLES);
		for (int v = 0; v < VARIABLES; v++) {
			ck_assert_int_eq(l.row[v].variable, v);
			check_lifetime(&l.row[v], &t, v, &l);
		}
		ts_lifetimes_fini(&l);
		ts_uses_close(uses);
	}
	ts_lives_close(lives);
	end(&f);
}
END_TEST

/* --- the place of programs -------------------------------------------------------------------- */

enum { NODES = 12, EDGES = 3 };

struct dag {
	int child[NODES][EDGES], children[NODES], roots[3], root_count;
	int parent[NODES], uses[NODES];
	bool reached[NODES];
};

static void
visit(struct dag *d, int node, int parent)
{
	if (d->reached[node])
		return;
	d->reached[node] = true;
	d->parent[node] = parent;
	for (int i = 0; i < d->children[node]; i++)
		visit(d, d->child[node][i], node);
}

/* Bodies are shared, and there may be circles. */
static void
make_dag(struct fixture *f, struct dag *d)
{
	sql(f,
		"CREATE TABLE program(program INTEGER PRIMARY KEY, type, name);"
		"CREATE TABLE program_child(parent, position, child);"
		"CREATE TABLE program_root(kind, position, program)");
	for (int n = 0; n < NODES; n++) {
		sql(f, "INSERT INTO program VALUES(%d, 'Sequence', 'p%d')", n, n);
		d->children[n] = (int)any(EDGES + 1);
		for (int i = 0; i < d->children[n]; i++)
			d->child[n][i] = (int)any(NODES);
		for (int i = d->children[n] - 1; i >= 0; i--) { /* rows in any order */
			sql(f, "INSERT INTO program_child VALUES(%d, %d, %d)", n, i,
				d->child[n][i]);
			d->uses[d->child[n][i]]++;
		}
	}
	d->root_count = 1 + (int)any(3);
	for (int i = 0; i < d->root_count; i++) {
		d->roots[i] = (int)any(NODES);
		d->uses[d->roots[i]]++;
		sql(f, "INSERT INTO program_root VALUES('%s', %d, %d)",
			i < 2 ? "control" : "function", i, d->roots[i]);
	}
	for (int i = 0; i < d->root_count; i++)
		visit(d, d->roots[i], -1);
}

START_TEST(programs)
{
	struct dag d;
	struct fixture f;
	struct ts_program_tree *tree;
	struct ts_err err = {0};

	seed = (uint64_t)_i * UINT64_C(0x9e3779b97f4a7c15) + 3;
	memset(&d, 0, sizeof(d));
	begin(&f);
	make_dag(&f, &d);
	open_report(&f);
	ck_assert_msg(ts_program_tree_read(&tree, f.plain, NULL, NULL, &err) ==
			(ts_report_has(f.report, TS_PROGRAM_CHILD) ? TS_OK : TS_E_ABSENT),
		"%s", err.msg);
	for (int n = 0; n < NODES && tree; n++) {
		struct ts_program_path p;
		int at = n, level;

		ck_assert_int_eq(ts_program_path_read(&p, f.plain, tree, n, &err), TS_OK);
		ck_assert_int_eq(p.rooted, d.reached[n]);
		for (level = p.levels - 1; level >= 0; level--) {
			char name[16];

			snprintf(name, sizeof(name), "p%d", at);
			ck_assert_int_eq(p.level[level].program, at);
			ck_assert_str_eq(p.text.s + p.level[level].name_at, name);
			if (ts_program_tree_find(tree, at) != UINT32_MAX)
				ck_assert_int_eq(p.level[level].uses, d.uses[at]);
			at = d.reached[at] ? d.parent[at] : -1;
		}
		ck_assert_int_eq(at, -1);
		ts_program_path_fini(&p);
	}
	ts_program_tree_close(tree);
	end(&f);
}
END_TEST

/* --- always live ------------------------------------------------------------------------------ */

START_TEST(always)
{
	static const char *const tags[] = {"stack", "code", "w/weights", ""};
	int64_t truth[TILES][4] = {{0}};
	struct fixture f;

	seed = (uint64_t)_i * UINT64_C(0x9e3779b97f4a7c15) + 11;
	begin(&f);
	sql(&f, "CREATE TABLE tile_always_live(tile, name, bytes)");
	for (int i = 0; i < 60; i++) {
		int tile = i * TILES / 60, tag = (int)any(4);
		int64_t bytes = (int64_t)any(999);

		sql(&f, "INSERT INTO tile_always_live VALUES(%d, '%s', %" PRId64 ")", tile,
			tags[tag], bytes);
		truth[tile][tag] += bytes;
	}
	open_report(&f);
	for (int tile = 0; tile < TILES; tile++) {
		struct ts_live_source s = {TS_LIVE_TILE, tile, {0}};
		struct ts_always *a;
		struct ts_err err = {0};
		int64_t sum = 0;

		ck_assert_msg(ts_always_read(&a, f.plain, &s, NULL, NULL, NULL, NULL, &err) ==
				TS_OK,
			"%s", err.msg);
		for (int i = 0; i < a->rows; i++)
			for (int tag = 0; tag < 4; tag++)
				if (strcmp(ts_always_name(a, i), tags[tag]) == 0)
					ck_assert_int_eq(a->row[i].bytes, truth[tile][tag]);
		for (int tag = 0; tag < 4; tag++)
			sum += truth[tile][tag];
		ck_assert_int_eq(a->bytes, sum);
		ts_always_close(a);
	}
	end(&f);
}
END_TEST

static void
some_variables(struct fixture *f, int rows)
{
	static const char *const name[] = {"'w/weights'", "'stack'", "''", "NULL",
		"'a' || char(0) || 'b'", "x'6162'", "7"};

	sql(f, "CREATE TABLE variable(variable, name, bytes, always_live)");
	for (int i = 0; i < rows; i++) {
		static const char *const number[] = {"NULL", "'no'", "-3", "0", "1 << 50"};
		char bytes[24];

		snprintf(bytes, sizeof(bytes), "%d", (int)any(9) * 100);
		sql(f, "INSERT INTO variable VALUES(%d, %s, %s, %d)", i, name[any(TS_COUNT(name))],
			any(12) == 0 ? number[any(5)] : bytes, any(3) > 0);
	}
}

static int64_t
figure_of(struct fixture *f, const char *query)
{
	struct sqlite3_stmt *s;
	struct sqlite3 *db;
	int64_t is;

	ck_assert_int_eq(sqlite3_open_v2(f->path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	ck_assert_int_eq(sqlite3_prepare_v2(db, query, -1, &s, NULL), SQLITE_OK);
	ck_assert_int_eq(sqlite3_step(s), SQLITE_ROW);
	is = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	sqlite3_close(db);
	return is;
}

/* The index lists what is always live on the device as the rows do: also those that are no good. */
START_TEST(always_on_device)
{
	static const char *const good = "typeof(bytes) = 'integer' AND bytes > 0";
	const struct ts_live_source s = {.where = TS_LIVE_ALL};
	struct ts_always *plain, *kept;
	struct ts_variable_names of;
	struct ts_err err = {0};
	struct fixture f;
	char query[400];

	seed = (uint64_t)_i * UINT64_C(0x9e3779b97f4a7c15) + 3;
	begin(&f);
	some_variables(&f, 1 + (int)any(400));
	open_report(&f);
	ts_index_release(f.index);
	f.index = index_dir_build(&f.d, f.report, f.plain, ts_section_bit(TS_SECTION_NAMES), 1);
	ck_assert(ts_variable_names_of(&of, f.index));
	ck_assert_int_ge(of.always_bad, 0);
	ts_reader_set_index(f.indexed, f.index);
	ck_assert_int_eq(ts_always_read(&plain, f.plain, &s, NULL, NULL, NULL, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_always_read(&kept, f.indexed, &s, NULL, NULL, NULL, NULL, &err), TS_OK);
	ck_assert_int_eq(plain->rows, of.always_count);
	ck_assert_int_eq(plain->rows, kept->rows);
	ck_assert_int_eq(plain->bytes, kept->bytes);
	ck_assert_int_eq(plain->count, kept->count);
	ck_assert_int_eq(plain->bad_rows, kept->bad_rows);
	for (int i = 0; i < plain->rows; i++) {
		ck_assert_int_eq(plain->row[i].variable, kept->row[i].variable);
		ck_assert_int_eq(plain->row[i].bytes, kept->row[i].bytes);
		ck_assert_int_eq(plain->row[i].tiles, kept->row[i].tiles);
		ck_assert_int_eq(plain->row[i].cumulative, kept->row[i].cumulative);
		ck_assert_str_eq(ts_always_name(plain, i), ts_always_name(kept, i));
	}
	snprintf(query, sizeof(query), "SELECT count(*) FROM variable WHERE always_live AND %s",
		good);
	ck_assert_int_eq(plain->count, figure_of(&f, query));
	snprintf(query, sizeof(query),
		"SELECT ifnull(sum(bytes), 0) FROM variable WHERE always_live AND %s", good);
	ck_assert_int_eq(plain->bytes, figure_of(&f, query));
	ts_always_close(plain);
	ts_always_close(kept);
	end(&f);
}
END_TEST

/* --- sections ----------------------------------------------------------------------------------- */

/* Which tiles an IPU has cannot be read: what would be kept is of wrong tiles, and stays so when they can be read again. */
START_TEST(unread_ipus)
{
	struct ts_err err = {0};
	struct fixture f;
	struct truth *t = ts_alloc(1, sizeof(*t));
	struct ts_build *b;
	char path[INDEX_PATH];
	bool busy;

	begin(&f);
	make(&f, t, 2);
	sql(&f,
		"DROP TABLE IF EXISTS ipu;"
		"CREATE TABLE ipu(ipu INTEGER, replica INTEGER, first_tile INTEGER, tile_count INTEGER);"
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999) "
		"INSERT INTO ipu SELECT i %% 64, 0, i * 8, 8 FROM n; COMMIT");
	damage_table(f.path, "ipu");
	snprintf(path, sizeof(path), "%s/profile.pop", f.d.dir);
	relations_as_they_are(f.path, path);
	f.report = index_dir_open(&f.d, "profile.pop");
	ck_assert_int_eq(ts_reader_open(&f.plain, f.report, &err), TS_OK);
	ck_assert_int_eq(ts_build_new(&b, &busy, f.report, &f.d.c, NULL,
				 ts_section_bit(TS_SECTION_IPU_LIVES), 1, &err),
		TS_OK);
	ck_assert_int_eq(ts_build_stages(b), 1);
	ck_assert_int_eq(ts_build_begin(b, 0, &err), TS_E_DAMAGED);
	ck_assert_ptr_nonnull(strstr(err.msg, "IPU"));
	ts_build_free(b);
	ck_assert_uint_eq(index_dir_sections(&f.d, f.report, NULL), 0);
	free(t);
	end(&f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("live source");
	TCase *tc = tcase_create("live source");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, sources, 0, sample_of(ROUNDS));
	tcase_add_loop_test(tc, recorded, 0, ROUNDS);
	tcase_add_test(tc, lines_left_to_the_rows);
	tcase_add_loop_test(tc, listed_bases, 0, 4);
	tcase_add_test(tc, names_of_rows);
	tcase_add_loop_test(tc, lifetimes, 0, sample_of(ROUNDS));
	tcase_add_loop_test(tc, programs, 0, ROUNDS);
	tcase_add_loop_test(tc, always, 0, 5);
	tcase_add_loop_test(tc, always_on_device, 0, ROUNDS);
	tcase_add_test(tc, unread_ipus);
	tcase_set_timeout(tc, 120);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_set_fork_status(sr,
		CK_FORK); /* with sanitizers too: each begins with an empty report */
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? 0 : 1;
}
