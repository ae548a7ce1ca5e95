/* SPDX-License-Identifier: MIT */
/*
 * The difference of two programs' trees against a slow one: on random pairs of reports every way from the roots is gone,
 * children are paired by looking at all of them, and a tree is written out as text to say whether it is the same.
 */
#include "config.h"

#include <check.h>

#include "depth.h"
#include "made_report.h"

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/report/program_diff.h"

enum { SEEDS = 60, PROGRAMS = 14, TEXT = 1 << 20, BUDGET = 1 << 20 };

/* A report's programs, and what the test knows of them. */
struct programs {
	struct fixture f;
	struct ts_program_world w;
	struct ts_program_tree *tree;
	struct ts_program_costs *costs;
	struct ts_names names;
	struct ts_pile below;
};

static void
read_programs(struct programs *p)
{
	struct ts_err err = {0};

	open_report(&p->f);
	ck_assert_msg(ts_program_costs_read(&p->costs, p->f.reader, NULL, true, NULL, &err) ==
			TS_OK,
		"%s", err.msg);
	ck_assert_int_eq(ts_program_tree_read(&p->tree, p->f.reader, NULL, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_names_read(&p->names, p->f.reader, TS_PROGRAM, TS_PROGRAM_PROGRAM,
				 TS_PROGRAM_NAME, &err),
		TS_OK);
	ck_assert_int_eq(ts_program_below_all(&p->below, p->tree, p->costs, BUDGET, NULL, NULL,
				 &err),
		TS_OK);
	p->w = (struct ts_program_world){p->tree, p->costs, &p->names, p->below.memory};
}

static void
drop_programs(struct programs *p)
{
	ts_program_tree_close(p->tree);
	ts_program_costs_close(p->costs);
	ts_names_fini(&p->names);
	ts_pile_fini(&p->below);
	end(&p->f);
}

/* Programs that call those with larger numbers only; what `changes` changes is another draw. */
static void
fill(struct fixture *f, unsigned seed, unsigned changes, bool circles)
{
	unsigned n;

	make_relations(f, seed);
	sql(f,
		"CREATE TABLE program(program INTEGER PRIMARY KEY, type TEXT, name TEXT, repeat_count "
		"INTEGER, code_by_tile BLOB);"
		"CREATE TABLE program_child(parent INTEGER, position INTEGER, child INTEGER);"
		"CREATE TABLE program_root(kind TEXT, position INTEGER, program INTEGER);"
		"INSERT INTO program_root VALUES('control', 0, 0), ('control', 1, 1), ('function', 0, 2)");
	n = PROGRAMS - rnd(f, 4);
	for (unsigned i = 0; i < n; i++) {
		sql(f, "INSERT INTO program VALUES(%u, %s, %s, %s, x'0%u000000')", i,
			(const char *[]){"'Sequence'", "'Repeat'", "NULL"}[rnd(f, 3)],
			(const char *[]){"'a'", "'b'", "''", "NULL"}[rnd(f, 4)],
			rnd(f, 4) ? "NULL" : "3", rnd(f, 3));
		for (unsigned k = rnd(f, 4); k > 0 && i + 1 < n; k--)
			sql(f, "INSERT INTO program_child VALUES(%u, %u, %u)", i, k,
				circles ? rnd(f, n) : i + 1 + rnd(f, n - i - 1));
	}
	f->seed = changes;
	for (unsigned i = changes ? rnd(f, 4) : 0; i > 0; i--)
		switch (rnd(f, 4)) {
		case 0:
			sql(f, "DELETE FROM program_child WHERE rowid = %u", rnd(f, 20));
			break;
		case 1:
			sql(f, "UPDATE program SET name = 'c' WHERE program = %u", rnd(f, n));
			break;
		case 2:
			sql(f, "UPDATE program SET code_by_tile = x'09000000' WHERE program = %u",
				rnd(f, n));
			break;
		default:
			sql(f, "UPDATE program SET repeat_count = 8 WHERE program = %u", rnd(f, n));
		}
}

/* --- the slow one --------------------------------------------------------------------------------- */

static const struct ts_program_node *
node_at(const struct programs *p, uint32_t node)
{
	return (const struct ts_program_node *)p->tree->node.memory + node;
}

static void
say_key(const struct programs *p, uint32_t node, struct ts_strbuf *out)
{
	const struct ts_program_cost *c = ts_program_costs_find(p->costs,
		node_at(p, node)->program);
	size_t n = 0, m = 0;
	const char *type = c ? ts_program_type(&n, p->costs, c) : NULL;
	const char *name = ts_names_find(&p->names, node_at(p, node)->program, &m);

	ts_strbuf_printf(out, "%s%.*s|%s%.*s", type ? "t" : "-", (int)n, type ? type : "",
		name ? "n" : "-", (int)m, name ? name : "");
}

/* All that is called, in full. */
static void
say_tree(const struct programs *p, uint32_t node, struct ts_strbuf *out)
{
	const struct ts_program_cost *c = ts_program_costs_find(p->costs,
		node_at(p, node)->program);
	const uint32_t *child = p->tree->child.memory;

	say_key(p, node, out);
	ts_strbuf_printf(out, "x%lld(", c ? (long long)c->repeat_count : 0);
	for (uint32_t i = 0; i < node_at(p, node)->edges; i++)
		say_tree(p, child[node_at(p, node)->first_edge + i], out);
	ts_strbuf_puts(out, ")");
}

static bool
same_text(const struct programs *a, uint32_t x, const struct programs *b, uint32_t y,
	void (*say)(const struct programs *, uint32_t, struct ts_strbuf *))
{
	struct ts_strbuf s, t;
	bool same;

	ts_strbuf_init(&s, TEXT);
	ts_strbuf_init(&t, TEXT);
	say(a, x, &s);
	say(b, y, &t);
	ck_assert(s.len < TEXT - 1 && t.len < TEXT - 1);
	same = strcmp(s.s, t.s) == 0;
	ts_strbuf_fini(&s);
	ts_strbuf_fini(&t);
	return same;
}

static int64_t
code_below(const struct programs *p, uint32_t node)
{
	return ((const struct ts_program_sums *)p->below.memory)[node].exchange_code;
}

static int64_t
code_of(const struct programs *p, uint32_t node)
{
	const struct ts_program_cost *c = ts_program_costs_find(p->costs,
		node_at(p, node)->program);

	return c ? c->exchange_code : -2;
}

/* The child of x that child i of y is paired with: the k-th of its key, where i is the k-th; UINT32_MAX: none. */
static uint32_t
partner(const struct programs *a, uint32_t x, const struct programs *b, uint32_t y, uint32_t i)
{
	const uint32_t *ca = a->tree->child.memory, *cb = b->tree->child.memory;
	uint32_t wanted = cb[node_at(b, y)->first_edge + i], k = 0;

	for (uint32_t j = 0; j < i; j++)
		k += same_text(b, cb[node_at(b, y)->first_edge + j], b, wanted, say_key);
	for (uint32_t j = 0; j < node_at(a, x)->edges; j++)
		if (same_text(a, ca[node_at(a, x)->first_edge + j], b, wanted, say_key) && k-- == 0)
			return ca[node_at(a, x)->first_edge + j];
	return UINT32_MAX;
}

static void
check_pair(struct ts_program_diff *d, uint32_t pair, const struct programs *a,
	const struct programs *b)
{
	struct ts_program_pair p = *ts_program_diff_pair(d, pair);
	struct ts_err err = {0};
	const uint32_t *child;
	uint32_t n, afters = 0, befores = 0, list[256];

	if (p.before == UINT32_MAX || p.after == UINT32_MAX) {
		ck_assert_int_eq(p.state, p.before == UINT32_MAX ? TS_DIFF_NEW : TS_DIFF_GONE);
	} else {
		bool same = same_text(a, p.before, b, p.after, say_tree) &&
			code_of(a, p.before) == code_of(b, p.after) &&
			code_below(a, p.before) == code_below(b, p.after);

		ck_assert_int_eq(p.state, same ? TS_DIFF_SAME : TS_DIFF_CHANGED);
	}
	ck_assert_int_eq(ts_program_diff_children(&child, &n, d, pair, &err), TS_OK);
	ck_assert_uint_lt(n, TS_COUNT(list));
	memcpy(list, child, n * sizeof(*list));
	for (uint32_t i = 0; i < n; i++) {
		struct ts_program_pair c = *ts_program_diff_pair(d, list[i]);

		if (c.after != UINT32_MAX) {
			const uint32_t *all = b->tree->child.memory;

			ck_assert_uint_eq(c.after, all[node_at(b, p.after)->first_edge + afters]);
			ck_assert_uint_eq(c.before,
				p.before == UINT32_MAX ? UINT32_MAX
						       : partner(a, p.before, b, p.after, afters));
			afters++;
		}
		befores += c.before != UINT32_MAX;
		check_pair(d, list[i], a, b);
	}
	ck_assert_uint_eq(afters, p.after == UINT32_MAX ? 0 : node_at(b, p.after)->edges);
	ck_assert_uint_eq(befores, p.before == UINT32_MAX ? 0 : node_at(a, p.before)->edges);
}

START_TEST(random_reports)
{
	struct programs a = {0}, b = {0};
	struct ts_program_diff *d;
	struct ts_err err = {0};
	const uint32_t *root;
	uint32_t n, list[3];

	fill(&a.f, (unsigned)_i + 1, 0, false);
	fill(&b.f, (unsigned)_i + 1 + (_i % 4 == 0), (unsigned)(_i % 5 ? _i + 7 : 0), false);
	read_programs(&a);
	read_programs(&b);
	ck_assert_int_eq(ts_program_diff_new(&d, &a.w, &b.w, NULL, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_program_diff_children(&root, &n, d, UINT32_MAX, &err), TS_OK);
	ck_assert_uint_eq(n, TS_COUNT(list));
	memcpy(list, root, sizeof(list));
	for (uint32_t i = 0; i < n; i++)
		check_pair(d, list[i], &a, &b);
	ts_program_diff_free(d);
	drop_programs(&a);
	drop_programs(&b);
}
END_TEST

/* Circles, and roots that one of them does not have. Every pair is looked at once. */
START_TEST(hostile)
{
	struct programs a = {0}, b = {0};
	struct ts_program_diff *d;
	struct ts_err err = {0};
	const uint32_t *pair;
	uint32_t n, seen = 0;

	fill(&a.f, (unsigned)_i + 1, 0, true);
	fill(&b.f, (unsigned)_i + 1, 9, true);
	sql(&a.f, "INSERT INTO program_root VALUES('function', 0, 1), ('control', 7, 99)");
	sql(&b.f, "DELETE FROM program_root WHERE position = 1");
	read_programs(&a);
	read_programs(&b);
	ck_assert_int_eq(ts_program_diff_new(&d, &a.w, &b.w, NULL, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_program_diff_children(&pair, &n, d, UINT32_MAX, &err), TS_OK);
	ck_assert_uint_eq(n,
		5); /* one pair, three that are gone, and function 0, once paired, once gone */
	for (uint32_t i = 0; i < n; i++)
		seen = pair[i] + 1 > seen ? pair[i] + 1 : seen;
	for (uint32_t i = 0; i < seen; i++) {
		ck_assert_int_eq(ts_program_diff_children(&pair, &n, d, i, &err), TS_OK);
		for (uint32_t k = 0; k < n; k++)
			seen = pair[k] + 1 > seen ? pair[k] + 1 : seen;
		ck_assert_uint_le(seen, (PROGRAMS + 2) * (PROGRAMS + 2));
	}
	ts_program_diff_free(d);
	drop_programs(&a);
	drop_programs(&b);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("program_diff");
	TCase *tc = tcase_create("diff");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, random_reports, 0, sample_of(SEEDS));
	tcase_add_loop_test(tc, hostile, 0, 10);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
