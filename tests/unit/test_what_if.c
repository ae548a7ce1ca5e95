/* SPDX-License-Identifier: MIT */
/*
 * What if: on random small reports, changes by number, by lowered variable, by pattern and by group; peaks of the device, of
 * each IPU and of the worst tile before and after are those of tables that are filled in here one cell after the other.
 */
#include "config.h"

#include <pthread.h>

#include "tilescope/report/what_if.h"

#include "tile_live_report.h"

enum { ROUNDS = 60, KINDS = 4, IPUS = 4, DEVICE = 3 };

/* Bytes of tiles by step, before and after. */
struct table {
	int64_t alive[2][TILES + 1][FAR], base[2][TILES + 1];
};

static const char *const patterns[] = {"conv1", "^fwd/", "WEIGHTS$", "nothing", "."};
static const char *const groups[] = {"weights", "other", "code"};

static struct ts_what_if_change
change(const struct truth *t)
{
	struct ts_what_if_change x = {.of = (enum ts_what_if_of)any(KINDS),
		.how = (enum ts_what_if_how)any(3),
		.n = 2 + (int64_t)any(5)};

	if (x.of == TS_WHAT_IF_VARIABLE)
		x.id = any(8) ? (int64_t)any(NAMES) : INT64_C(1) << 50;
	else if (x.of == TS_WHAT_IF_LOWERED)
		x.id = t->count > 0 ? t->row[any((uint64_t)t->count)].id : 7;
	else
		snprintf(x.text, sizeof(x.text), "%s",
			x.of == TS_WHAT_IF_PATTERN ? patterns[any(TS_COUNT(patterns))]
						   : groups[any(TS_COUNT(groups))]);
	return x;
}

/* --- which change decides: one name, one question --------------------------------------------- */

static bool
name_matches(const struct ts_what_if_change *x, int name, struct ts_groups *g)
{
	struct ts_grouper *grouper;
	int group;

	if (x->of == TS_WHAT_IF_PATTERN && name == NONE)
		return false;
	if (x->of == TS_WHAT_IF_PATTERN) {
		const char *s = names[name];
		size_t n = strlen(s);

		if (strcmp(x->text, "^fwd/") == 0)
			return strncmp(s, "fwd/", 4) == 0;
		if (strcmp(x->text, "WEIGHTS$") == 0)
			return n >= 7 && strcmp(s + n - 7, "weights") == 0;
		return strcmp(x->text, ".") == 0 ? n > 0 : strstr(s, x->text) != NULL;
	}
	ck_assert_int_eq(ts_grouper_new(&grouper, g, NULL), TS_OK);
	group = ts_grouper_of(grouper, name == NONE ? NULL : names[name],
		name == NONE ? 0 : strlen(names[name]), NULL, 0);
	ts_grouper_free(grouper);
	return strcmp(ts_groups_name(g, group), x->text) == 0;
}

static bool
decides(const struct ts_what_if_change *x, const struct row *r, const struct truth *t,
	struct ts_groups *g)
{
	if (x->of == TS_WHAT_IF_VARIABLE)
		return r->variable != NONE && r->variable == x->id;
	if (x->of == TS_WHAT_IF_LOWERED)
		return r->id == x->id;
	if (t->lowered_from && r->variable == NONE)
		return false;
	return name_matches(x, t->lowered_from ? r->variable : r->name, g);
}

static int64_t
left_of(const struct ts_what_if_changes *c, const struct row *r, const struct truth *t,
	struct ts_groups *g, struct ts_what_if_sum *sum)
{
	for (int i = c->count - 1; i >= 0; i--) {
		const struct ts_what_if_change *x = &c->item[i];
		int64_t n = x->how == TS_WHAT_IF_HALVE ? 2 : x->n, left;

		if (!decides(x, r, t, g))
			continue;
		left = x->how == TS_WHAT_IF_REMOVE ? 0 : (r->bytes + n - 1) / n;
		if (!r->always && (r->class < 0 || !t->known[r->class])) {
			sum[i].unplaced++;
			sum[i].unplaced_bytes += r->bytes;
			return r->bytes;
		}
		sum[i].variables++;
		sum[i].bytes += r->bytes;
		sum[i].less += r->bytes - left;
		return left;
	}
	return r->bytes;
}

static void
fill(struct table *a, const struct ts_what_if_changes *c, const struct truth *t,
	struct ts_groups *g, struct ts_what_if_sum *sum, int64_t lost[TILES + 1])
{
	memset(a, 0, sizeof(*a));
	memcpy(a->alive[0], t->alive, sizeof(t->alive));
	memcpy(a->alive[1], t->alive, sizeof(t->alive));
	memcpy(a->base[0], t->base, sizeof(t->base));
	memcpy(a->base[1], t->base, sizeof(t->base));
	for (int i = 0; i < t->count; i++) {
		const struct row *r = &t->row[i];
		int64_t less = r->bytes - left_of(c, r, t, g, sum);

		lost[r->tile] += less;
		if (r->always)
			a->base[1][r->tile] -= less;
		for (int s = 0; !r->always && r->class >= 0 && s < FAR; s++)
			a->alive[1][r->tile][s] -= t->in[r->class][s] ? less : 0;
	}
	for (int i = 0; i <= TILES; i++)
		a->base[1][i] = ts_max_i64(a->base[1][i], 0);
}

/* --- peaks ------------------------------------------------------------------------------------ */

/* Of the tiles of an IPU (DEVICE: of all). */
static struct ts_what_if_peak
peak_of(const struct table *a, int after, const struct truth *t, int ipu)
{
	struct ts_what_if_peak p = {0, NONE, NONE};
	int64_t base = 0;

	for (int i = 0; i <= TILES; i++)
		base += ipu == DEVICE || t->ipu[i] == ipu ? a->base[after][i] : 0;
	for (int s = 0; s < FAR; s++) {
		int64_t all = 0;

		for (int i = 0; i <= TILES; i++)
			all += ipu == DEVICE || t->ipu[i] == ipu ? a->alive[after][i][s] : 0;
		if (all > p.bytes) {
			p.bytes = all;
			p.step = s;
		}
	}
	p.bytes += base;
	return p;
}

static struct ts_what_if_peak
tile_peak(const struct table *a, int after, int i)
{
	struct ts_what_if_peak p = {a->base[after][i], NONE, number_of(i)};

	for (int s = 0; s < FAR; s++)
		if (a->base[after][i] + a->alive[after][i][s] > p.bytes) {
			p.bytes = a->base[after][i] + a->alive[after][i][s];
			p.step = s;
		}
	return p;
}

/* The tile with most, or, of the others but tile `but`, the one with most. */
static struct ts_what_if_peak
worst_of(const struct table *a, int after, const struct truth *t, int64_t but)
{
	struct ts_what_if_peak best = {0, NONE, NONE};

	for (int i = 0; i <= TILES; i++) {
		struct ts_what_if_peak p = tile_peak(a, after, i);

		if (t->there[i] && p.tile != but && (best.tile == NONE || p.bytes > best.bytes))
			best = p;
	}
	return best;
}

/* Two replicas, whose variables are listed once (times: 2) or both: the timeline says it. */
static int
make_replicas(struct fixture *f, struct truth *t)
{
	int64_t most = 0;
	int times = 1 + (int)any(2);

	if (t->steps == NONE)
		return 1;
	for (int s = 0; s < FAR; s++) {
		int64_t all = 0;

		for (int i = 0; i <= TILES; i++)
			all += t->alive[i][s];
		most = ts_max_i64(most, all);
	}
	sql(f,
		"CREATE TABLE target(type TEXT, ipus, replicas, tiles_per_ipu, bytes_per_tile); "
		"INSERT INTO target VALUES('IPU', 2, 2, %d, NULL); "
		"UPDATE liveness_step SET not_always_live = %" PRId64 " WHERE live_step = 3",
		TILES / 2, times == 2 ? most : most / 2);
	for (int i = 0; i < TILES; i++)
		t->ipu[i] = i / (TILES / 2);
	return most > 1 ? times : 1;
}

static void
same(const struct ts_what_if_peak *have, struct ts_what_if_peak want)
{
	ck_assert_int_eq(have->bytes, want.bytes);
	ck_assert_int_eq(have->step, want.step);
	ck_assert_int_eq(have->tile, want.tile);
}

static void
check_fullest(const struct ts_what_if *w, const struct table *a, const struct truth *t)
{
	int most = 0;

	if (!t->recorded) {
		ck_assert_int_eq(w->fullest.before.tile, NONE);
		return;
	}
	for (int i = 1; i < TILES; i++)
		most = used_of(i) > used_of(most) ? i : most;
	ck_assert_int_eq(w->fullest.before.tile, number_of(most));
	ck_assert_int_eq(w->fullest_used, used_of(most));
	if (!t->there[most]) {
		ck_assert_int_eq(w->fullest.after.tile, NONE);
		return;
	}
	same(&w->fullest.before, tile_peak(a, 0, most));
	same(&w->fullest.after, tile_peak(a, 1, most));
}

/* The tiles that lose most: picked out one after the other. */
static void
check_touched(const struct ts_what_if *w, const struct table *a, const struct truth *t,
	int64_t lost[TILES + 1])
{
	int count = 0;

	for (int i = 0; i <= TILES; i++)
		count += t->there[i] && lost[i] > 0;
	ck_assert_int_eq(w->tiles_touched, count);
	ck_assert_int_eq(w->touches, count < TS_WHAT_IF_TOUCHED ? count : TS_WHAT_IF_TOUCHED);
	for (int k = 0; k < w->touches; k++) {
		int most = 0;

		for (int i = 1; i <= TILES; i++)
			most = lost[i] > lost[most] ? i : most;
		ck_assert_int_eq(w->lost[k], lost[most]);
		same(&w->touched[k].before, tile_peak(a, 0, most));
		same(&w->touched[k].after, tile_peak(a, 1, most));
		lost[most] = 0;
	}
}

static void
check_unplaced(const struct ts_what_if *w, const struct truth *t)
{
	int64_t bytes = 0;

	for (int i = 0; i <= TILES; i++)
		bytes += t->unplaced[i];
	ck_assert_int_eq(w->unplaced_bytes, bytes);
	ck_assert(bytes == 0 || w->unplaced > 0);
}

static void
check(struct ts_reader *rd, const struct truth *t, int times, const struct ts_what_if_changes *c,
	struct ts_groups *g)
{
	struct ts_what_if_sum sum[TS_WHAT_IF_CHANGES] = {{0, 0, 0, 0, 0}};
	int64_t lost[TILES + 1] = {0};
	struct table *a = malloc(sizeof(*a));
	struct ts_what_if_peak device[2];
	struct ts_err err = {0};
	struct ts_what_if *w;

	fill(a, c, t, g, sum, lost);
	ck_assert_msg(ts_what_if_read(&w, rd, NULL, c, g, NULL, NULL, &err) == TS_OK, "%s",
		err.msg);
	for (int i = 0; i < c->count; i++) {
		ck_assert_int_eq(w->sum[i].variables, sum[i].variables);
		ck_assert_int_eq(w->sum[i].bytes, sum[i].bytes);
		ck_assert_int_eq(w->sum[i].less, sum[i].less);
		ck_assert_int_eq(w->sum[i].unplaced, sum[i].unplaced);
		ck_assert_int_eq(w->sum[i].unplaced_bytes, sum[i].unplaced_bytes);
	}
	ck_assert_int_eq(w->times, times);
	for (int after = 0; after < 2; after++) {
		int64_t base = 0;

		for (int i = 0; i <= TILES; i++)
			base += a->base[after][i];
		device[after] = peak_of(a, after, t, DEVICE);
		device[after].bytes = base + times * (device[after].bytes - base);
	}
	same(&w->device.before, device[0]);
	same(&w->device.after, device[1]);
	same(&w->worst.before, worst_of(a, 0, t, NONE));
	same(&w->worst.after, worst_of(a, 1, t, NONE));
	same(&w->next_tile.before, worst_of(a, 0, t, w->worst.before.tile));
	same(&w->next_tile.after, worst_of(a, 1, t, w->worst.after.tile));
	check_fullest(w, a, t);
	check_touched(w, a, t, lost);
	check_unplaced(w, t);
	for (int i = 0; i < w->ipus; i++) {
		same(&w->ipu[i].before, peak_of(a, 0, t, (int)w->ipu[i].ipu));
		same(&w->ipu[i].after, peak_of(a, 1, t, (int)w->ipu[i].ipu));
	}
	ts_what_if_free(w);
	free(a);
}

START_TEST(random_changes)
{
	struct truth *t = malloc(sizeof(*t));
	struct ts_what_if_changes c = {0};
	struct ts_groups *g;
	struct fixture f;
	int times;

	begin(&f);
	make(&f, t, _i);
	times = _i % 2 ? make_replicas(&f, t) : 1;
	open_report(&f);
	ck_assert_int_eq(ts_groups_open(&g, NULL, NULL), TS_OK);
	for (int round = 0; round < 6; round++) {
		struct ts_what_if_change x = change(t);

		ck_assert(ts_what_if_put(&c, &x));
		check(f.plain, t, times, &c, g);
		check(f.indexed, t, times, &c, g);
	}
	ts_what_if_clear(&c);
	check(f.indexed, t, times, &c, g);
	ts_groups_close(g);
	end(&f);
	free(t);
}
END_TEST

/* Is anything named? As the sums say; the two layouts of names, with the index and without. */
START_TEST(names_something)
{
	struct truth *t = malloc(sizeof(*t));
	struct ts_groups *g;
	struct fixture f;

	begin(&f);
	make(&f, t, _i);
	open_report(&f);
	ck_assert_int_eq(ts_groups_open(&g, NULL, NULL), TS_OK);
	for (int round = 0; round < 12; round++) {
		struct ts_what_if_changes c = {.count = 1, .item = {change(t)}};
		struct ts_err err = {0};
		struct ts_what_if *w;
		bool any;

		ck_assert_msg(ts_what_if_names(&any, f.plain, &c.item[0], g, NULL, &err) == TS_OK,
			"%s", err.msg);
		ck_assert_int_eq(ts_what_if_read(&w, f.plain, NULL, &c, g, NULL, NULL, &err),
			TS_OK);
		ck_assert_msg(any || w->sum[0].variables == 0, "%d %s", c.item[0].of,
			c.item[0].text);
		if (c.item[0].of == TS_WHAT_IF_PATTERN && !strcmp(c.item[0].text, "nothing"))
			ck_assert(!any);
		ts_what_if_free(w);
	}
	ts_groups_close(g);
	end(&f);
	free(t);
}
END_TEST

/* --- by several threads ------------------------------------------------------------------------ */

struct helping {
	struct fixture *f;
	struct ts_what_if_run *run;
	pthread_t thread;
	bool cancelled;
};

static void *
help(void *ctx)
{
	struct helping *h = ctx;
	struct ts_reader *rd;
	struct ts_err err;
	struct ts_cancel cancel = {0};

	if (h->cancelled)
		ts_cancel_set(&cancel);
	ck_assert_int_eq(ts_reader_open(&rd, h->f->report, &err), TS_OK);
	ts_reader_set_index(rd, h->f->index);
	ts_reader_set_cancel(rd, &cancel);
	if (ts_what_if_help(h->run, rd, NULL, &err)) /* the leader does it then */
		ck_assert(h->cancelled);
	ts_reader_set_cancel(rd, NULL);
	ts_reader_close(rd);
	return NULL;
}

static void
same_pair(const struct ts_what_if_pair *a, const struct ts_what_if_pair *b)
{
	same(&a->before, b->before);
	same(&a->after, b->after);
}

/* Helpers that come early, late, too many, or are cancelled: the answer is that of one thread. */
START_TEST(with_help)
{
	enum { HELPERS = 5 };
	struct truth *t = malloc(sizeof(*t));
	struct ts_what_if_changes c = {0};
	struct helping h[HELPERS];
	struct ts_what_if *alone, *led;
	struct ts_err err = {0};
	struct ts_groups *g;
	struct fixture f;

	begin(&f);
	make(&f, t, _i);
	open_report(&f);
	ck_assert_int_eq(ts_groups_open(&g, NULL, NULL), TS_OK);
	for (int i = 0; i < 3; i++) {
		struct ts_what_if_change x = change(t);

		ck_assert(ts_what_if_put(&c, &x));
	}
	ck_assert_int_eq(ts_what_if_read(&alone, f.indexed, NULL, &c, g, NULL, NULL, &err), TS_OK);
	for (int i = 0; i < HELPERS; i++)
		h[i] = (struct helping){.f = &f,
			.run = i ? ts_what_if_run_hold(h[0].run) : ts_what_if_run_new(&c, NULL),
			.cancelled = any(9) == 0};
	for (int i = 0; i < HELPERS - 1; i++)
		ck_assert_int_eq(pthread_create(&h[i].thread, NULL, help, &h[i]), 0);
	ck_assert_msg(ts_what_if_lead(&led, h[0].run, f.indexed, &c, g, NULL, NULL, &err) == TS_OK,
		"%s", err.msg);
	for (int i = 0; i < HELPERS - 1; i++)
		pthread_join(h[i].thread, NULL);
	help(&h[HELPERS - 1]);
	same_pair(&led->device, &alone->device);
	same_pair(&led->worst, &alone->worst);
	ck_assert_int_eq(led->ipus, alone->ipus);
	ck_assert_int_eq(led->unknown, alone->unknown);
	for (int i = 0; i < led->ipus; i++)
		same_pair(&led->ipu[i], &alone->ipu[i]);
	for (int i = 0; i < c.count; i++)
		ck_assert(memcmp(&led->sum[i], &alone->sum[i], sizeof(led->sum[i])) == 0);
	ts_what_if_free(led);
	ts_what_if_free(alone);
	for (int i = 0; i < HELPERS; i++)
		ts_what_if_run_close(h[i].run);
	ts_groups_close(g);
	end(&f);
	free(t);
}
END_TEST

START_TEST(a_list_of_changes)
{
	struct ts_what_if_changes c = {0};
	struct ts_what_if_change x = {.of = TS_WHAT_IF_VARIABLE, .id = 3}, y = x;
	char text[32];

	ck_assert_int_eq(ts_what_if_find(&c, &x), -1);
	ck_assert(ts_what_if_cycle(&c, &x));
	ts_what_if_how_text(text, &x, true);
	ck_assert_str_eq(text, "removed");
	y.id = 4;
	ck_assert(ts_what_if_cycle(&c, &y));
	ck_assert(ts_what_if_cycle(&c, &x));
	ts_what_if_how_text(text, &x, false);
	ck_assert_str_eq(text, "halve");
	ck_assert_int_eq(c.count, 2);
	ck_assert(ts_what_if_cycle(&c, &x));
	ts_what_if_how_text(text, &x, true);
	ck_assert_str_eq(text, "in 4");
	ck_assert_int_eq(ts_what_if_bytes(&x, 9), 3);
	ck_assert(ts_what_if_cycle(&c, &x));
	ck_assert_int_eq(x.n, 0);
	ck_assert_int_eq(c.count, 1);
	ck_assert_int_eq(c.item[0].id, 4);
	for (int i = 0; i < TS_WHAT_IF_CHANGES - 1; i++) {
		x = (struct ts_what_if_change){.of = TS_WHAT_IF_LOWERED, .id = i};
		ck_assert(ts_what_if_put(&c, &x));
	}
	x.id = 1000;
	ck_assert(!ts_what_if_cycle(&c, &x));
	x.id = 5;
	ck_assert(ts_what_if_cycle(&c, &x));
}
END_TEST

START_TEST(what_cannot_be)
{
	static const char *const texts[] = {"(", "no such group"};
	struct truth *t = malloc(sizeof(*t));
	struct ts_what_if_changes c = {.count = 1};
	struct ts_err err = {0};
	struct ts_what_if *w;
	struct fixture f;
	bool any;

	begin(&f);
	make(&f, t, 1);
	open_report(&f);
	for (int i = 0; i < 2; i++) {
		c.item[0].of = i ? TS_WHAT_IF_GROUP : TS_WHAT_IF_PATTERN;
		snprintf(c.item[0].text, sizeof(c.item[0].text), "%s", texts[i]);
		ck_assert_int_eq(ts_what_if_read(&w, f.plain, NULL, &c, NULL, NULL, NULL, &err),
			TS_E_USAGE);
		ck_assert_ptr_null(w);
		ck_assert_int_eq(ts_what_if_names(&any, f.plain, &c.item[0], NULL, NULL, &err),
			TS_E_USAGE);
	}
	end(&f);
	free(t);
}
END_TEST

/* Numbers of variables that are large and fall, each twice: all are found, in time that does not grow with their square. */
START_TEST(large_numbers)
{
	struct ts_what_if_changes c = {.count = 1};
	struct ts_err err = {0};
	struct ts_what_if *w;
	struct fixture f;

	c.item[0] = (struct ts_what_if_change){.of = TS_WHAT_IF_PATTERN,
		.how = TS_WHAT_IF_HALVE,
		.n = 1};
	snprintf(c.item[0].text, sizeof(c.item[0].text), "^odd");
	begin(&f);
	sql(&f,
		"CREATE TABLE variable(variable, name, bytes, always_live); "
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile, bytes, class, always_live, variable); "
		"CREATE TABLE class_interval(class, start, end);");
	sql(&f,
		"INSERT INTO class_interval VALUES(0, 0, 9); WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL "
		"SELECT i + 1 FROM n WHERE i < 149999) INSERT INTO variable SELECT (1 << 40) - i %% 75000, "
		"CASE i %% 2 WHEN 0 THEN 'even' ELSE 'odd' END, 8, 0 FROM n;"
		"INSERT INTO lowered_variable SELECT rowid, 0, 8, 0, 0, variable FROM variable WHERE rowid <= 1000");
	open_report(&f);
	ck_assert_msg(ts_what_if_read(&w, f.plain, NULL, &c, NULL, NULL, NULL, &err) == TS_OK, "%s",
		err.msg);
	ck_assert_int_eq(w->sum[0].variables, 500);
	ck_assert_int_eq(w->sum[0].less, 500 * 4);
	ck_assert_int_eq(w->worst.after.bytes, 1000 * 8 - 500 * 4);
	ts_what_if_free(w);
	end(&f);
}
END_TEST

/* What has no name is in the group "other", as in the tab of groups, and no pattern names it; by variables and by rows. */
START_TEST(without_a_name)
{
	static const struct {
		enum ts_what_if_of of;
		const char *text;
		int variables;
	} asked[] = {{TS_WHAT_IF_GROUP, "other", 2}, {TS_WHAT_IF_GROUP, "weights", 1},
		{TS_WHAT_IF_PATTERN, ".*", 2}, {TS_WHAT_IF_PATTERN, "other", 2}};
	struct ts_groups *g;
	struct fixture f;

	begin(&f);
	sql(&f,
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile, bytes, class, always_live, "
		"name, variable); CREATE TABLE class_interval(class, start, end); "
		"INSERT INTO class_interval VALUES(0, 0, 9); INSERT INTO lowered_variable VALUES"
		"(1, 0, 8, 0, 0, NULL, 1), (2, 0, 8, 0, 0, 'weights', 2), (3, 0, 8, 0, 0, 'x', 3)");
	if (_i)
		sql(&f,
			"CREATE TABLE variable(variable INTEGER PRIMARY KEY, name, bytes, always_live); "
			"INSERT INTO variable SELECT variable, name, 8, 0 FROM lowered_variable");
	open_report(&f);
	ck_assert_int_eq(ts_groups_open(&g, NULL, NULL), TS_OK);
	for (size_t i = 0; i < TS_COUNT(asked); i++) {
		struct ts_what_if_changes c = {.count = 1,
			.item = {{.of = asked[i].of, .how = TS_WHAT_IF_REMOVE, .n = 1}}};
		struct ts_err err = {0};
		struct ts_what_if *w;

		snprintf(c.item[0].text, sizeof(c.item[0].text), "%s", asked[i].text);
		ck_assert_msg(ts_what_if_read(&w, f.plain, NULL, &c, g, NULL, NULL, &err) == TS_OK,
			"%s", err.msg);
		ck_assert_int_eq(w->sum[0].variables, asked[i].variables);
		ts_what_if_free(w);
	}
	ts_groups_close(g);
	end(&f);
}
END_TEST

/* Device peak = always live + replicas x highest not always live, though intervals say a byte less than is recorded. */
START_TEST(replicas_that_are_listed_once)
{
	static const char making[] =
		"CREATE TABLE target(type TEXT, ipus INTEGER, replicas INTEGER, tiles_per_ipu INTEGER,"
		" bytes_per_tile INTEGER); INSERT INTO target VALUES('IPU', 2, 2, 2, 638976);"
		"CREATE TABLE tile_memory(tile INTEGER PRIMARY KEY, total INTEGER,"
		" always_live INTEGER);"
		"INSERT INTO tile_memory VALUES(0, 9, 100), (1, 9, 100), (2, 9, 100),"
		" (3, 9, 100);"
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, bytes INTEGER,"
		" class INTEGER, always_live INTEGER);"
		"INSERT INTO lowered_variable VALUES(1, 0, 1000, 1, 0), (2, 1, 1000, 1, 0);"
		"CREATE TABLE class_interval(class INTEGER, start INTEGER, \"end\" INTEGER);"
		"INSERT INTO class_interval VALUES(1, 0, 2);"
		"CREATE TABLE liveness_step(live_step INTEGER PRIMARY KEY, not_always_live INTEGER)";
	static const char *const step[] = {"INSERT INTO liveness_step VALUES(0, 2001), (2, 0)",
		"INSERT INTO liveness_step VALUES(0, 1000), (2, 0)"};
	static const int64_t wanted[] = {400 + 2 * 2000, 400 + 2000};
	struct ts_what_if_changes c = {0};

	for (int i = 0; i < 2; i++) {
		struct ts_err err = {0};
		struct ts_what_if *w;
		struct fixture f;

		begin(&f);
		sql(&f, "%s", making);
		sql(&f, "%s", step[i]);
		open_report(&f);
		ck_assert_msg(ts_what_if_read(&w, f.plain, NULL, &c, NULL, NULL, NULL, &err) ==
				TS_OK,
			"%s", err.msg);
		ck_assert_int_eq(w->device.before.bytes, wanted[i]);
		ts_what_if_free(w);
		end(&f);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("what_if");
	TCase *c = tcase_create("what_if");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, random_changes, 0, ROUNDS);
	tcase_add_loop_test(c, names_something, 0, ROUNDS / 2);
	tcase_add_loop_test(c, with_help, 0, ROUNDS / 2);
	tcase_add_test(c, a_list_of_changes);
	tcase_add_test(c, what_cannot_be);
	tcase_add_test(c, large_numbers);
	tcase_add_loop_test(c, without_a_name, 0, 2);
	tcase_add_test(c, replicas_that_are_listed_once);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_set_fork_status(r,
		CK_FORK); /* with sanitizers too: each begins with an empty report */
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
