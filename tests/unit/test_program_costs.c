/* SPDX-License-Identifier: MIT */
/* test_program_costs - what programs cost, against sums worked out row by row on random small reports. */
#include "config.h"

#include <check.h>
#include <inttypes.h>
#include <stdarg.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/program_find.h"
#include "tilescope/report/program_same.h"

#include "depth.h"
#include "index_dir.h"

enum {
	PROGRAMS = 24,
	SETS = 8,
	VERTICES = 6,
	CONTEXTS = 5,
	TILES = 6,
	STEPS = 60,
	SEEDS = 40,
	NONE = -1
};

struct cycles {
	bool known;
	int64_t sum, most;
};

/* What a program is meant to cost. */
struct truth {
	bool there, leaf, in_tree;
	int64_t set, context, control, code, steps, executed, live_step, live_steps, live;
	struct cycles measured, estimated;
	bool below[PROGRAMS];
};

struct fixture {
	struct index_dir d;
	char path[INDEX_PATH];
	sqlite3 *db;
	struct ts_report *report;
	struct ts_reader *rd;
	struct truth t[PROGRAMS];
	struct cycles set[SETS][2];
	bool vertex[SETS][VERTICES]; /* a compute set has some of a type */
	bool child[PROGRAMS][PROGRAMS];
	bool executed;
	int64_t bad_parts;
	size_t type[PROGRAMS];
};

static uint64_t seed;

static uint64_t
any(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

static void sql(struct fixture *f, const char *fmt, ...) TS_PRINTF(2, 3);

static void
sql(struct fixture *f, const char *fmt, ...)
{
	char text[800], *message = NULL;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ck_assert_msg(sqlite3_exec(f->db, text, NULL, NULL, &message) == SQLITE_OK, "%s: %s",
		message, text);
}

/* A blob as SQL, and what it means; NULL now and then. */
static struct cycles
blob(char out[120])
{
	struct cycles c = {.known = any(4) != 0};
	size_t n = any(TILES + 1);
	char *at = out;

	if (!c.known) {
		strcpy(out, "NULL"); /* NOLINT: constant text */
		return c;
	}
	at += sprintf(at, "x'");
	for (size_t i = 0; i < n; i++) {
		uint32_t v = (uint32_t)any(any(5) ? 1000 : UINT32_MAX);

		at += sprintf(at, "%02x%02x%02x%02x", v & 0xff, v >> 8 & 0xff, v >> 16 & 0xff,
			v >> 24);
		c.sum += v;
		c.most = v > c.most ? v : c.most;
	}
	sprintf(at, "'");
	return c;
}

static void
compute_sets(struct fixture *f)
{
	char a[120], b[120];

	sql(f,
		"CREATE TABLE compute_set(compute_set INTEGER PRIMARY KEY, name TEXT, "
		"cycles_by_tile BLOB, estimated_cycles_by_tile BLOB)");
	for (int i = 0; i < SETS; i++) {
		f->set[i][0] = blob(a);
		f->set[i][1] = blob(b);
		sql(f, "INSERT INTO compute_set VALUES(%d, 'set', %s, %s)", i, a, b);
	}
	sql(f,
		"CREATE TABLE compute_set_vertex(compute_set INTEGER, vertex_type INTEGER, instances "
		"INTEGER)");
	for (int i = 0; i < SETS; i++)
		for (int k = 0; k < VERTICES; k++) {
			f->vertex[i][k] = any(4) == 0;
			if (f->vertex[i][k])
				sql(f, "INSERT INTO compute_set_vertex VALUES(%d, %d, 1)", i, k);
		}
}

static void
programs(struct fixture *f)
{
	static const char *const types[] = {"Sequence", "OnTileExecute", "DoExchange", "Brand new"};
	char a[3][120];

	sql(f,
		"CREATE TABLE program(program INTEGER, type TEXT, name TEXT, compute_set INTEGER, "
		"repeat_count INTEGER, context INTEGER, control_code_by_tile BLOB, code_by_tile BLOB, "
		"estimated_cycles_by_tile BLOB)");
	for (int i = 0; i < PROGRAMS; i++) {
		struct truth *t = &f->t[i];
		struct cycles control, code;

		*t = (struct truth){.there = any(8) != 0,
			.set = NONE,
			.context = any(2) ? 1 + (int64_t)any(CONTEXTS) : NONE,
			.live_step = NONE,
			.live = NONE};
		if (!t->there)
			continue;
		if (any(3) == 0)
			t->set = (int64_t)any(SETS);
		control = blob(a[0]);
		code = blob(a[1]);
		t->estimated = blob(a[2]);
		if (t->set != NONE) { /* its own are those of exchanges */
			code.known = t->estimated.known = false;
			strcpy(a[1], "NULL"); /* NOLINT: constant text */
			strcpy(a[2], "NULL"); /* NOLINT: constant text */
		}
		f->type[i] = any(TS_COUNT(types));
		t->control = control.known ? control.sum : NONE;
		t->code = code.known ? code.sum : NONE;
		sql(f,
			"INSERT INTO program(rowid, program, type, name, compute_set, context, "
			"control_code_by_tile, code_by_tile, estimated_cycles_by_tile) "
			"VALUES(%d, %d, '%s', 'n', nullif(%" PRId64 ", -1), nullif(%" PRId64
			", -1), %s, %s, %s)",
			(i * 7) % PROGRAMS + 1, i, types[f->type[i]], t->set, t->context, a[0],
			a[1], a[2]);
	}
	sql(f, "INSERT INTO program(program, type) VALUES(NULL, 'Sequence')");
}

static void
tree(struct fixture *f)
{
	sql(f,
		"CREATE TABLE program_child(parent INTEGER, position INTEGER, child INTEGER); "
		"CREATE TABLE program_root(kind TEXT, position INTEGER, program INTEGER); "
		"INSERT INTO program_root VALUES('control', 0, 0)");
	f->t[0].in_tree = true;
	for (int i = 0; i < 30; i++) {
		int parent = (int)any(PROGRAMS), child = (int)any(PROGRAMS);

		while (!f->t[parent].there) /* a program's row has its children */
			parent = (parent + 1) % PROGRAMS;
		sql(f, "INSERT INTO program_child VALUES(%d, %d, %d)", parent, i, child);
		f->child[parent][child] = true;
		f->t[parent].in_tree = f->t[child].in_tree = true;
	}
	for (int i = 0; i < PROGRAMS; i++) {
		f->t[i].leaf = true;
		f->t[i].below[i] = true;
		for (int k = 0; k < PROGRAMS; k++) {
			f->t[i].leaf &= !f->child[i][k];
			f->t[i].below[k] |= f->child[i][k];
		}
	}
	for (int turn = 0; turn < PROGRAMS; turn++)
		for (int i = 0; i < PROGRAMS; i++)
			for (int k = 0; k < PROGRAMS; k++)
				for (int j = 0; f->t[i].below[k] && j < PROGRAMS; j++)
					f->t[i].below[j] |= f->child[k][j];
}

static void
liveness(struct fixture *f)
{
	sql(f,
		"CREATE TABLE liveness_step(live_step INTEGER PRIMARY KEY, program INTEGER, "
		"not_always_live INTEGER)");
	for (int i = 0; i < STEPS; i++) {
		int program = (int)any(PROGRAMS + 2);
		int64_t bytes = (int64_t)any(1 << 20);
		struct truth *t = program < PROGRAMS ? &f->t[program] : NULL;

		sql(f, "INSERT INTO liveness_step VALUES(%d, %d, %" PRId64 ")", i, program, bytes);
		if (!t)
			continue;
		t->live_steps++;
		if (t->live_step == NONE)
			t->live_step = i;
		t->live = bytes > t->live ? bytes : t->live;
	}
}

/* Rows of steps by IPU: in the order of the steps, from the last to the first, or with some that count for nothing. */
static void
parts(struct fixture *f, const int program[STEPS], int order)
{
	for (int k = 0; k < 2 * STEPS; k++) {
		int i = order == 1 ? STEPS - 1 - k / 2 : k / 2;
		int64_t cycles = (int64_t)any(1000);

		sql(f, "INSERT INTO step_ipu VALUES(%d, %d, %" PRId64 ", %d, %d)", i, k % 2, cycles,
			i * 10, i * 10 + 5);
		if (program[i] < PROGRAMS)
			f->t[program[i]].executed += cycles;
		if (order != 2 || any(4))
			continue;
		sql(f, "INSERT INTO step_ipu VALUES(%d, 0, %s, 10, %s)", i, any(2) ? "-1" : "5",
			any(2) ? "NULL" : "'x'");
		f->bad_parts++;
		if (any(8) == 0) { /* no such step */
			sql(f, "INSERT INTO step_ipu VALUES(%d, 0, 5, 10, 15)", i + STEPS);
			f->bad_parts++;
		}
	}
}

static void
execution(struct fixture *f)
{
	int of[STEPS];

	f->executed = any(3) != 0;
	sql(f,
		"CREATE TABLE step(step INTEGER PRIMARY KEY, type TEXT, program INTEGER, compute_set "
		"INTEGER)");
	if (f->executed)
		sql(f,
			"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER, "
			"end INTEGER)");
	for (int i = 0; i < STEPS; i++) {
		int program = (int)any(PROGRAMS + 1), set = any(4) ? NONE : (int)any(SETS);
		struct truth *t = program < PROGRAMS ? &f->t[program] : NULL;

		sql(f, "INSERT INTO step VALUES(%d, 'OnTileExecute', %d, nullif(%d, -1))", i,
			program, set);
		if (t) {
			t->steps++;
			if (t->set == NONE)
				t->set = set;
		}
		of[i] = program;
	}
	if (f->executed)
		parts(f, of, (int)any(3));
}

static void
begin(struct fixture *f, uint64_t number)
{
	struct ts_err err = {0};

	memset(f, 0, sizeof(*f));
	seed = number * 2654435761U + 7;
	index_dir_begin(&f->d);
	snprintf(f->path, sizeof(f->path), "%s/relations.db", f->d.dir);
	ck_assert_int_eq(sqlite3_open(f->path, &f->db), SQLITE_OK);
	sql(f, "PRAGMA journal_mode=OFF; BEGIN");
	compute_sets(f);
	programs(f);
	tree(f);
	liveness(f);
	execution(f);
	sql(f, "COMMIT");
	f->report = index_dir_relations(&f->d);
	ck_assert_int_eq(ts_reader_open(&f->rd, f->report, &err), TS_OK);
}

static void
end(struct fixture *f)
{
	ts_reader_close(f->rd);
	ts_report_close(f->report);
	sqlite3_close(f->db);
	index_dir_end(&f->d);
}

static void
same_costs(const struct ts_program_costs *a, const struct ts_program_costs *b)
{
	ck_assert_uint_eq(a->count, b->count);
	ck_assert_mem_eq(a->cost.memory, b->cost.memory, a->count * sizeof(struct ts_program_cost));
	ck_assert_uint_eq(a->types.count, b->types.count);
	ck_assert_uint_eq(a->types.text.used, b->types.text.used);
	ck_assert_mem_eq(a->types.text.memory, b->types.text.memory, a->types.text.used);
	ck_assert_int_eq(a->bad_rows, b->bad_rows);
	ck_assert_int_eq(a->orphans, b->orphans);
	ck_assert_int_eq(a->unnamed, b->unnamed);
	ck_assert_int_eq(a->bad_parts, b->bad_parts);
	ck_assert_int_eq(a->has_steps, b->has_steps);
	ck_assert_int_eq(a->has_executed, b->has_executed);
}

static struct ts_program_costs *
read_costs(struct fixture *f)
{
	struct ts_program_costs *c;
	struct ts_err err = {0};

	ck_assert_msg(ts_program_costs_read(&c, f->rd, NULL, true, NULL, &err) == TS_OK, "%s",
		err.msg);
	ck_assert(!c->partial);
	/* made for the index, and out of it, in whichever way it is asked for */
	for (int i = 0; i < 3; i++) {
		struct ts_program_costs *kept;

		ck_assert_int_eq(ts_program_costs_read(&kept, f->rd, &f->d.c, i != 2, NULL, &err),
			TS_OK);
		ck_assert(kept->traced);
		same_costs(kept, c);
		ts_program_costs_close(kept);
	}
	return c;
}

/* Its own cycles, else those of its compute set. */
static struct cycles
cycles_of(const struct fixture *f, const struct truth *t, int kind)
{
	struct cycles own = kind ? t->estimated : t->measured;

	return own.known || t->set == NONE ? own : f->set[t->set][kind];
}

static void
same_cycles(const struct ts_program_cycles *got, struct cycles want)
{
	ck_assert_int_eq(got->sum, want.known ? want.sum : TS_UNKNOWN);
	ck_assert_int_eq(got->most, want.known ? want.most : TS_UNKNOWN);
}

START_TEST(figures)
{
	struct fixture f;
	struct ts_program_costs *c;

	begin(&f, (uint64_t)_i + 1);
	c = read_costs(&f);
	for (int i = 0; i < PROGRAMS; i++) {
		const struct ts_program_cost *p = ts_program_costs_find(c, i);
		const struct truth *t = &f.t[i];

		ck_assert_int_eq(p != NULL, t->there);
		if (!p)
			continue;
		ck_assert_int_eq(p->compute_set, t->set);
		ck_assert_int_eq(p->control_code, t->control);
		ck_assert_int_eq(p->exchange_code, t->code);
		same_cycles(&p->measured, cycles_of(&f, t, 0));
		same_cycles(&p->estimated, cycles_of(&f, t, 1));
		ck_assert_int_eq(p->steps, t->steps);
		ck_assert_int_eq(p->executed, f.executed ? t->executed : TS_UNKNOWN);
		ck_assert_int_eq(p->live_step, t->live_step);
		ck_assert_int_eq(p->live_steps, t->live_steps);
		ck_assert_int_eq(p->live, t->live);
	}
	ck_assert_int_eq(c->bad_rows, 1);
	ck_assert_int_eq(c->bad_parts, f.bad_parts);
	ts_program_costs_close(c);
	end(&f);
}
END_TEST

static void
add(int64_t *sum, int64_t v)
{
	if (v != NONE)
		*sum = (*sum == TS_UNKNOWN ? 0 : *sum) + v;
}

START_TEST(below)
{
	struct fixture f;
	struct ts_program_costs *c;
	struct ts_program_tree *t;
	struct ts_err err = {0};
	unsigned char seen[PROGRAMS] = {0};
	static const unsigned char nothing[PROGRAMS] = {0};

	begin(&f, (uint64_t)_i + 1);
	c = read_costs(&f);
	ck_assert_int_eq(ts_program_tree_read(&t, f.rd, &f.d.c, NULL, &err), TS_OK);
	for (int i = 0; i < PROGRAMS; i++) {
		struct ts_program_sums s;
		int64_t control = TS_UNKNOWN, measured = TS_UNKNOWN, steps = TS_UNKNOWN,
			executed = TS_UNKNOWN, live = TS_UNKNOWN, programs = 0;

		ck_assert_int_eq(ts_program_below(&s, t, c, i, 1000, seen, NULL, &err), TS_OK);
		for (int k = 0; k < PROGRAMS; k++) {
			const struct truth *x = &f.t[k];
			struct cycles m = cycles_of(&f, x, 0);

			if (!f.t[i].below[k])
				continue;
			programs++;
			if (!x->there)
				continue;
			add(&control, x->leaf ? x->control : NONE);
			add(&measured, m.known ? m.most : NONE);
			add(&steps, x->steps);
			add(&executed, f.executed ? x->executed : NONE);
			live = x->live > live ? x->live : live;
		}
		ck_assert_int_eq(s.programs, programs);
		ck_assert_int_eq(s.control_code, control);
		ck_assert_int_eq(s.measured, measured);
		ck_assert_int_eq(s.steps, steps);
		ck_assert_int_eq(s.executed, executed);
		ck_assert_int_eq(s.live, live);
		ck_assert(!s.cut);
		ck_assert_mem_eq(seen, nothing, sizeof(seen));
		ck_assert_int_eq(ts_program_below(&s, t, c, i, 1, seen, NULL, &err), TS_OK);
		ck_assert_int_eq(s.cut, programs > 1);
		ck_assert_mem_eq(seen, nothing, sizeof(seen));
	}
	ts_program_tree_close(t);
	ts_program_costs_close(c);
	end(&f);
}
END_TEST

/* Lines and what they mean, program by program: `above` is what something above has to be; NULL: nothing. */
static bool
is_exchange(const struct fixture *f, int i)
{
	return f->t[i].there && f->type[i] == 2;
}

static bool
is_sequence(const struct fixture *f, int i)
{
	return f->t[i].there && f->type[i] == 0;
}

static bool
has_code(const struct fixture *f, int i)
{
	return f->t[i].there && f->t[i].code > 500;
}

static const struct {
	const char *line;
	bool (*is[2])(const struct fixture *f, int i);
	bool (*above)(const struct fixture *f, int i);
} lines[] = {
	{"DoExchange", {is_exchange, NULL}, NULL},
	{"type=sequence", {is_sequence, NULL}, NULL},
	{"DoExchange under Sequence", {is_exchange, NULL}, is_sequence},
	{"type:exchange  under  type=Sequence", {is_exchange, NULL}, is_sequence},
	{"Sequence under DoExchange", {is_sequence, NULL}, is_exchange},
};

static bool
stands_under(const struct fixture *f, int i, bool (*above)(const struct fixture *f, int i))
{
	for (int k = 0; k < PROGRAMS; k++) {
		bool leads = false; /* a child of k is i, or has it below */

		for (int j = 0; j < PROGRAMS; j++)
			leads |= f->child[k][j] && f->t[j].below[i];
		if (leads && above(f, k))
			return true;
	}
	return false;
}

/* What a filter leaves, and what is found costs alone. */
static void
above(const struct fixture *f, const struct ts_program_tree *t, const struct ts_program_costs *c,
	const uint32_t *hit, size_t hits)
{
	const struct ts_program_node *node = t->node.memory;
	struct ts_program_sums sums;
	struct ts_pile keep = {0};
	struct ts_err err = {0};
	const unsigned char *bits;
	int64_t executed = NONE, live = NONE;

	ck_assert_int_eq(ts_program_above(&keep, t, hit, hits, &f->d.c, NULL, &err), TS_OK);
	bits = keep.memory;
	for (size_t i = 0; i < t->nodes; i++) {
		bool leads = false;

		for (size_t k = 0; k < hits; k++)
			leads |= f->t[node[i].program].below[node[hit[k]].program];
		ck_assert_int_eq(bits[i / 8] >> i % 8 & 1, leads);
	}
	ts_pile_fini(&keep);
	ts_program_sums_of(&sums, t, c, hit, hits);
	ck_assert_int_eq(sums.programs, (int64_t)hits);
	for (size_t k = 0; k < hits; k++) {
		const struct truth *p = &f->t[node[hit[k]].program];

		if (p->there && f->executed)
			executed = (executed == NONE ? 0 : executed) + p->executed;
		if (p->there && p->live > live)
			live = p->live;
	}
	ck_assert_int_eq(sums.executed, executed);
	ck_assert_int_eq(sums.live, live);
}

static unsigned
meant_same(const struct fixture *f, const struct truth *a, const struct truth *b)
{
	unsigned same = 0;

	if (a->set != NONE && a->set == b->set)
		same |= TS_SAME_SET;
	if (a->context != NONE && a->context == b->context)
		same |= TS_SAME_CONTEXT;
	for (int k = 0; a->set != NONE && b->set != NONE && k < VERTICES; k++)
		if (f->vertex[a->set][k] && f->vertex[b->set][k])
			same |= TS_SAME_VERTEX;
	return same;
}

START_TEST(same)
{
	struct fixture f;
	struct ts_program_costs *c;

	begin(&f, (uint64_t)_i + 1);
	c = read_costs(&f);
	for (int i = 0; i < PROGRAMS; i++) {
		unsigned said[PROGRAMS] = {0}, last = 0;
		struct ts_program_same s;
		struct ts_err err = {0};
		const struct ts_program_same_row *row;

		ck_assert_int_eq(ts_program_same_read(&s, f.rd, c, i, &f.d.c, &err), TS_OK);
		row = s.row.memory;
		for (int64_t k = 0; k < s.count; k++) {
			unsigned first = row[k].same & -row[k].same;

			said[row[k].cost->program] = row[k].same;
			ck_assert_uint_ge(first, last);
			last = first;
		}
		for (int k = 0; k < PROGRAMS; k++)
			ck_assert_uint_eq(said[k],
				k != i && f.t[i].there && f.t[k].there
					? meant_same(&f, &f.t[i], &f.t[k])
					: 0);
		ts_program_same_fini(&s);
	}
	ts_program_costs_close(c);
	end(&f);
}
END_TEST

START_TEST(find)
{
	struct fixture f;
	struct ts_err err = {0};
	struct ts_program_world w;
	struct ts_pile sums = {0};
	struct ts_program_tree *t;
	struct ts_program_costs *c;
	struct ts_names names;

	begin(&f, (uint64_t)_i + 1);
	c = read_costs(&f);
	ck_assert_int_eq(ts_program_tree_read(&t, f.rd, &f.d.c, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_names_read(&names, f.rd, TS_PROGRAM, TS_PROGRAM_PROGRAM,
				 TS_PROGRAM_NAME, &err),
		TS_OK);
	ck_assert_int_eq(ts_program_below_all(&sums, t, c, 1 << 20, &f.d.c, NULL, &err), TS_OK);
	w = (struct ts_program_world){t, c, &names, sums.memory};
	for (size_t n = 0; n < TS_COUNT(lines) * 2; n++) {
		struct ts_program_query q;
		struct ts_pile hits = {0};
		char line[160];
		bool coded = n % 2;
		size_t at = 0;

		snprintf(line, sizeof(line), "%s%s", lines[n / 2].line,
			coded ? " where own_code>500" : "");
		ck_assert_msg(ts_program_query_parse(&q, line, &err) == TS_OK, "%s", err.msg);
		ck_assert_int_eq(ts_program_find(&hits, &q, &w, NULL, &err), TS_OK);
		for (int i = 0; i < PROGRAMS; i++) {
			uint32_t node = ts_program_tree_find(t, i);
			bool meant = f.t[i].in_tree && lines[n / 2].is[0](&f, i) &&
				(!coded || has_code(&f, i)) &&
				(!lines[n / 2].above || stands_under(&f, i, lines[n / 2].above));
			const uint32_t *hit = hits.memory;

			if (meant) {
				ck_assert_uint_lt(at * sizeof(*hit), hits.used);
				ck_assert_uint_eq(hit[at++], node);
			}
		}
		ck_assert_uint_eq(at * sizeof(uint32_t), hits.used);
		above(&f, t, c, hits.memory, at);
		ts_pile_fini(&hits);
	}
	ts_pile_fini(&sums);
	ts_names_fini(&names);
	ts_program_tree_close(t);
	ts_program_costs_close(c);
	end(&f);
}
END_TEST

START_TEST(wrong_lines)
{
	static const char *const wrong[] = {"", "under Repeat", "a under", "a where", "where",
		"a where colour>3", "a under b under c under d under e under f", "name~( under b"};
	struct ts_program_query q;

	for (size_t i = 0; i < TS_COUNT(wrong); i++) {
		struct ts_err err = {0};

		ck_assert_msg(ts_program_query_parse(&q, wrong[i], &err) == TS_E_USAGE, "%s",
			wrong[i]);
		ck_assert_msg(err.msg[0], "%s", wrong[i]);
	}
	ck_assert_int_eq(ts_program_query_parse(&q, "where code>3", NULL), TS_OK);
	ck_assert_int_eq(ts_program_query_parse(&q, "\"a under b\"", NULL), TS_OK);
	ck_assert_int_eq(q.parts, 1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("program_costs");
	TCase *tc = tcase_create("random");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, figures, 0, sample_of(SEEDS));
	tcase_add_loop_test(tc, below, 0, sample_of(SEEDS));
	tcase_add_loop_test(tc, find, 0, sample_of(SEEDS));
	tcase_add_loop_test(tc, same, 0, SEEDS);
	tcase_add_test(tc, wrong_lines);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
