/* SPDX-License-Identifier: MIT */
/*
 * Debug contexts from the file to a path: with the index and without, in any order of ids, with parents that
 * lead nowhere or in a circle, with ids that come twice, when the file is damaged, changes, or lies elsewhere.
 */
#include "config.h"

#include <check.h>
#include <sys/time.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/contexts.h"
#include "tilescope/demo/demo.h"
#include "tilescope/report/memory.h"

#include "../fault/index_build.h"
#include "cbor_bytes.h"
#include "index_dir.h"

static struct index_dir d;
static struct ts_report *r;
static struct ts_reader *rd;

static void
path_in(char out[INDEX_PATH], const char *name)
{
	snprintf(out, INDEX_PATH, "%s/%s", d.dir, name);
}

static void
open_report(const char *name)
{
	const struct ts_report_options options = {.any = true};
	struct ts_err err = {0};
	char path[INDEX_PATH];

	path_in(path, name);
	ck_assert_msg(ts_report_open(&r, path, &options, &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(ts_reader_open(&rd, r, &err), TS_OK);
}

static void
close_report(void)
{
	ts_reader_close(rd);
	ts_report_close(r);
}

static void
write_file(const char *name, const struct ts_strbuf *b)
{
	char path[INDEX_PATH];

	path_in(path, name);
	index_dir_put(path, b->s, b->len);
}

static struct ts_index *
build(void)
{
	struct ts_err err = {0};
	struct ts_index *x;
	int failed;

	ck_assert_msg(build_index(&x, &failed, r, &d.c, ts_section_bit(TS_SECTION_CONTEXTS), 2,
			      NULL, &err) == TS_OK,
		"%s", err.msg);
	ck_assert_int_eq(failed, 0);
	return x;
}

static struct ts_contexts *
contexts(struct ts_index *x)
{
	struct ts_contexts *c;
	struct ts_err err = {0};

	ck_assert_msg(ts_contexts_open(&c, r, x, &d.c, NULL, NULL, &err) == TS_OK, "%s", err.msg);
	ck_assert((c->index != NULL) == (x != NULL));
	return c;
}

/* --- files by hand ------------------------------------------------------------------------------ */

struct one {
	uint64_t id;
	int64_t parent; /* -1 = none */
	uint64_t name;
};

/* {"contexts": [...], "stringTable": ["s0", ...]}; line number = id % 1000. */
static void
put_file(struct ts_strbuf *b, const struct one *one, size_t n, int strings)
{
	char text[32];

	ts_strbuf_init(b, 64 << 20);
	cbor_head(b, CBOR_MAP, 2);
	cbor_text(b, "contexts");
	cbor_head(b, CBOR_ARRAY, n);
	for (size_t i = 0; i < n; i++) {
		cbor_head(b, CBOR_MAP, one[i].parent < 0 ? 4 : 5);
		cbor_key_number(b, "id", one[i].id);
		if (one[i].parent >= 0)
			cbor_key_number(b, "parentId", (uint64_t)one[i].parent);
		cbor_key_number(b, "name", one[i].name);
		cbor_text(b, "layer");
		cbor_text(b, i % 2 ? "popart" : "poplibs");
		cbor_text(b, "location");
		cbor_head(b, CBOR_MAP, 2);
		cbor_key_number(b, "fileName", 1);
		cbor_key_number(b, "lineNumber", one[i].id % 1000);
	}
	cbor_text(b, "stringTable");
	cbor_head(b, CBOR_ARRAY, (uint64_t)strings);
	for (int i = 0; i < strings; i++) {
		snprintf(text, sizeof(text), "s%d", i);
		cbor_text(b, text);
	}
}

static void
begin_with(const struct one *one, size_t n)
{
	struct ts_strbuf b;

	index_dir_begin(&d);
	index_dir_write(&d, "profile.pop", "x");
	put_file(&b, one, n, 4);
	write_file("debug.cbor", &b);
	ts_strbuf_fini(&b);
	open_report("profile.pop");
}

static void
end(void)
{
	close_report();
	index_dir_end(&d);
}

/* The path of an id has this many levels and this note. */
static void
check_path(struct ts_contexts *c, uint64_t id, int levels, const char *note)
{
	struct ts_context_path p;
	struct ts_err err = {0};

	ck_assert_msg(ts_context_path_read(&p, rd, c, id, &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(p.count, levels);
	ck_assert_msg(*note ? strstr(p.note, note) != NULL : !*p.note, "\"%s\"", p.note);
	ts_context_path_fini(&p);
}

START_TEST(odd_parents)
{
	static const struct one one[] = {
		{10, 11, 0}, {11, 12, 1}, {12, -1, 2}, /* a chain */
		{20, 21, 0}, {21, 22, 1}, {22, 20, 2}, /* a circle */
		{30, 30, 0},			       /* its own parent */
		{40, 4040, 0},			       /* a parent that is not there */
		{12, 10, 3},			       /* comes twice: the first one counts */
		{50, -1, 99},			       /* a name that is not there */
	};

	begin_with(one, TS_COUNT(one));
	for (int i = 0; i < 2; i++) {
		struct ts_index *x = i ? build() : NULL;
		struct ts_contexts *c = contexts(x);
		struct ts_context_path p;
		struct ts_err err = {0};

		ck_assert_uint_eq(c->count, TS_COUNT(one));
		ck_assert_uint_eq(c->repeated, 1);
		check_path(c, 10, 3, "context 12 comes more than once");
		check_path(c, 20, 3, "circle");
		check_path(c, 30, 1, "circle");
		check_path(c, 40, 1, "context 4040 is not in debug.cbor");
		check_path(c, 50, 1, "string 99 is not in debug.cbor");
		ck_assert_int_eq(ts_context_path_read(&p, rd, c, 77, &err), TS_E_ABSENT);
		ck_assert_msg(strstr(err.msg, "context 77 is not in"), "%s", err.msg);
		ck_assert_int_eq(ts_context_path_read(&p, rd, c, 10, &err), TS_OK);
		ck_assert_str_eq(p.level[0].name, "s0");
		ck_assert_str_eq(p.level[0].file, "s1");
		ck_assert_str_eq(p.level[1].layer, "popart");
		ck_assert_int_eq(p.level[2].line, 12);
		ts_context_path_fini(&p);
		ts_contexts_close(c);
		ts_index_release(x);
	}
	end();
}
END_TEST

/* Chains longer than a path may be. */
START_TEST(endless)
{
	static struct one one[3 * TS_CONTEXT_LEVELS];
	struct ts_contexts *c;

	for (size_t i = 0; i < TS_COUNT(one); i++)
		one[i] = (struct one){i, (int64_t)i + 1, 0};
	begin_with(one, TS_COUNT(one));
	c = contexts(NULL);
	check_path(c, 0, TS_CONTEXT_LEVELS, "more than 64 levels");
	ts_contexts_close(c);
	end();
}
END_TEST

static uint64_t
dice(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Ids in any order, near each other or over all 64 bits: each is found, and is the right one. */
START_TEST(any_order)
{
	enum { MANY = 5000 };
	static struct one one[MANY];
	uint64_t x = 88172645463325252u + (uint64_t)_i;

	for (size_t i = 0; i < MANY; i++) {
		static const int shift[] = {0, 0, 20, 45};

		one[i] = (struct one){.id = _i == 0 ? MANY - i : dice(&x) >> shift[_i],
			.parent = -1,
			.name = i % 4};
	}
	begin_with(one, MANY);
	for (int with = 0; with < 2; with++) {
		struct ts_index *index = with ? build() : NULL;
		struct ts_contexts *c = contexts(index);

		ck_assert_uint_eq(c->count, MANY);
		for (uint64_t i = 1; i < c->count; i++)
			ck_assert_uint_le(c->entry[i - 1].id, c->entry[i].id);
		for (size_t i = 0; i < MANY; i++) {
			const struct ts_context_entry *e = ts_contexts_find(c, one[i].id);

			ck_assert(e && e->id == one[i].id);
			ck_assert(c->repeated > 0 || e->name == one[i].name);
		}

		ts_contexts_close(c);
		ts_index_release(index);
	}
	end();
}
END_TEST

/* What is whole before the damage is known, and where it is said. */
START_TEST(damaged)
{
	static const struct one one[] = {{1, 2, 0}, {2, 3, 1}, {3, -1, 2}};
	struct ts_strbuf b;
	struct ts_index *x;
	struct ts_contexts *c;

	begin_with(one, TS_COUNT(one));
	put_file(&b, one, TS_COUNT(one), 4);
	b.len -= 9; /* of the strings "s0" is left, and a part of the second */
	write_file("debug.cbor", &b);
	x = build();
	c = contexts(x);
	ck_assert_uint_eq(c->count, 3);
	ck_assert_msg(strstr(c->wrong, "offset ") != NULL, "%s", c->wrong);
	check_path(c, 2, 2, "which is damaged: offset ");
	ts_contexts_close(c);
	ts_index_release(x);
	end();
	ts_strbuf_fini(&b);
}
END_TEST

/* Another debug.cbor: the section is not taken, an open one says so. */
START_TEST(changed)
{
	static const struct one one[] = {{1, -1, 0}}, two[] = {{1, -1, 1}, {2, 1, 0}};
	struct ts_context_path p;
	struct ts_err err = {0};
	struct ts_strbuf b;
	struct ts_index *x;
	struct ts_contexts *c;

	begin_with(one, TS_COUNT(one));
	x = build();
	c = contexts(x);
	put_file(&b, two, TS_COUNT(two), 4);
	write_file("debug.cbor", &b);
	ck_assert_int_eq(ts_context_path_read(&p, rd, c, 1, &err), TS_E_STALE);
	ts_contexts_close(c);
	ck_assert_uint_eq(index_dir_sections(&d, r, NULL) & ts_section_bit(TS_SECTION_CONTEXTS), 0);
	ck_assert_int_eq(ts_contexts_open(&c, r, x, &d.c, NULL, NULL, &err), TS_OK);
	ck_assert_ptr_null(c->index); /* of the old file: read anew */
	ck_assert_uint_eq(c->count, 2);
	check_path(c, 2, 2, "");
	ts_contexts_close(c);
	ts_index_release(x);
	x = build();
	c = contexts(x);
	ck_assert_uint_eq(c->count, 2);
	ts_contexts_close(c);
	ts_index_release(x);
	end();
	ts_strbuf_fini(&b);
}
END_TEST

/* One directory up, through links; a link that leads nowhere. */
START_TEST(elsewhere)
{
	static const struct one one[] = {{1, -1, 0}};
	struct ts_contexts *c;
	struct ts_err err = {0};
	char from[INDEX_PATH], to[INDEX_PATH];

	begin_with(one, TS_COUNT(one));
	close_report();
	path_in(to, "training");
	ck_assert_int_eq(mkdir(to, 0700), 0);
	index_dir_write(&d, "training/profile.pop", "y");
	open_report("training"); /* up */
	c = contexts(NULL);
	check_path(c, 1, 1, "");
	ts_contexts_close(c);
	close_report();
	path_in(from, "debug.cbor");
	path_in(to, "elsewhere.bin");
	ck_assert_int_eq(rename(from, to), 0);
	path_in(to, "training/debug.cbor");
	ck_assert_int_eq(symlink("../elsewhere.bin", to), 0);
	open_report("training"); /* a link */
	c = contexts(NULL);
	check_path(c, 1, 1, "");
	ts_contexts_close(c);
	close_report();
	path_in(to, "elsewhere.bin");
	ck_assert_int_eq(unlink(to), 0);
	open_report("training"); /* to nowhere */
	ck_assert_int_eq(r->part[TS_PART_DEBUG].state, TS_PART_ABSENT);
	ck_assert_int_eq(r->notes.count, 1);
	ck_assert_ptr_nonnull(strstr(r->notes.note[0], "debug.cbor is a symbolic link that leads"));
	ck_assert_int_eq(ts_contexts_open(&c, r, NULL, &d.c, NULL, NULL, &err), TS_E_ABSENT);
	end();
}
END_TEST

/* Programs, compute sets, variables and steps of the demo have the contexts that its debug.cbor tells of. */
START_TEST(demo)
{
	const struct ts_demo_options o = {.layout = TS_DEMO_PROFILE,
		.ipus = 2,
		.tiles = 8,
		.steps = 200,
		.variables = 300,
		.debug = true};
	static const enum ts_relation of[] = {TS_PROGRAM, TS_COMPUTE_SET, TS_STEP};
	int found_of[TS_COUNT(of)] = {0}, deepest = 0;
	struct ts_err err = {0};
	struct ts_contexts *c;
	char *path;

	index_dir_begin(&d);
	ck_assert_msg(ts_demo_write(&path, d.dir, &o, NULL, NULL, &err) == TS_OK, "%s", err.msg);
	open_report(strrchr(path, '/') + 1);
	free(path);
	ck_assert_int_eq(r->part[TS_PART_DEBUG].state, TS_PART_OK);
	c = contexts(NULL);
	ck_assert_str_eq(c->wrong, "");
	for (size_t k = 0; k < TS_COUNT(of); k++) {
		for (int64_t key = 0; key < 200; key++) {
			struct ts_context_path p;
			uint64_t id;
			bool found;

			ck_assert_int_eq(ts_context_of(&id, &found, rd, of[k], key, &err), TS_OK);
			if (!found)
				continue;
			found_of[k]++;
			ck_assert_ptr_nonnull(ts_contexts_find(c, id));
			ck_assert_int_eq(ts_context_path_read(&p, rd, c, id, &err), TS_OK);
			ck_assert_str_eq(p.note, "");
			ck_assert_str_eq(p.level[p.count - 1].name, "BertForPreTraining");
			if (p.count > deepest)
				deepest = p.count;
			ts_context_path_fini(&p);
		}
		ck_assert_int_gt(found_of[k], 20);
	}
	ck_assert_int_eq(deepest, 5);
	ts_contexts_close(c);
	end();
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("contexts");
	TCase *t = tcase_create("contexts");
	SRunner *runner;
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_test(t, odd_parents);
	tcase_add_test(t, endless);
	tcase_add_loop_test(t, any_order, 0, 4);
	tcase_add_test(t, damaged);
	tcase_add_test(t, changed);
	tcase_add_test(t, elsewhere);
	tcase_add_test(t, demo);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
