/* SPDX-License-Identifier: MIT */
/*
 * Sections with sound checksums and false contents: somebody made them so. Figures may be false then;
 * nothing crashes, hangs or grows.
 *
 * A number in a payload becomes 0, large, negative or another one, bits flip, the end is cut off. TS_FORGED
 * in the environment: how many times for each section, instead of a few.
 */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "../unit/depth.h"
#include "../unit/index_dir.h"
#include "figures.h"
#include "index_build.h"

#include "tilescope/report/operation_groups.h"
#include "tilescope/report/step_runs.h"
#include "tilescope/report/variable_pieces.h"

static uint64_t seed;

static uint64_t
any(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

static void
put(unsigned char *at, uint64_t v, size_t width)
{
	memcpy(at, &v, width);
}

/* Change a payload of n bytes; its new size. Most of what leads elsewhere stands at its beginning. */
static size_t
forge(unsigned char *payload, size_t n)
{
	static const uint64_t words[] = {0, 1, 7, 8, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN,
		UINT32_MAX, INT32_MAX, 1 << 20, (uint64_t)1 << 40, (uint64_t)1 << 62,
		UINT64_MAX - 7, UINT64_MAX / 8 + 1};
	int changes = 1 + (int)any(3);

	if (any(12) == 0)
		return (size_t)any(n);
	for (int i = 0; i < changes && n >= 8; i++) {
		size_t reach = any(3) && n > 512 ? 512 : n;
		size_t at = (size_t)any(reach / 4) * 4;

		switch (any(4)) {
		case 0:
			payload[at + any(4)] ^= (unsigned char)(1 << any(8));
			break;
		case 1:
			put(payload + at, any(n * 2), 4);
			break;
		case 2:
			put(payload + at, words[any(TS_COUNT(words))], 4);
			break;
		default:
			at = at / 8 * 8;
			if (at + 8 <= n)
				put(payload + at, words[any(TS_COUNT(words))], 8);
		}
	}
	return n;
}

/* Write it as a section that is sound. */
static void
publish(const char *path, const unsigned char *file, const unsigned char *payload, size_t n)
{
	struct ts_section_head h;
	unsigned char *copy;

	memcpy(&h, file, sizeof(h));
	copy = malloc(h.head_bytes + n + 1);
	ck_assert_ptr_nonnull(copy);
	memcpy(copy, file, h.head_bytes);
	memcpy(copy + h.head_bytes, payload, n);
	h.payload_bytes = n;
	h.payload_hash = XXH3_64bits(payload, n);
	h.head_hash = 0;
	memcpy(copy, &h, sizeof(h));
	h.head_hash = XXH3_64bits(copy, h.head_bytes);
	memcpy(copy, &h, sizeof(h));
	index_dir_put(path, copy, h.head_bytes + n);
	free(copy);
}

/* Zooms, windows and tiles that chance picks. */
static void
look_around(struct ts_reader *rd)
{
	struct ts_err err = {0};
	struct ts_trace *t = NULL;
	struct ts_tile_variables v;
	struct ts_variable_pieces p = {0};
	struct ts_variables *all = NULL;
	struct ts_step_runs runs;
	enum ts_code code = ts_trace_open(&t, rd, NULL, &err);

	for (int i = 0; !code && t && t->ipus > 0 && i < 4; i++) {
		int64_t length;
		int64_t from = t->from, to = t->to;
		struct ts_trace_chart c = {0};
		struct ts_trace_window w = {0};
		int64_t row = (int64_t)any((uint64_t)(t->rows > 0 ? t->rows : 1)), step;
		bool found;

		if (!__builtin_sub_overflow(to, from, &length) && length > 1) {
			from += (int64_t)any((uint64_t)length - 1);
			to = from + 1 + (int64_t)any((uint64_t)(to - from));
		}
		(void)!ts_trace_chart_read(&c, rd, t, from, to, 50, t->ipu, t->ipus, NULL, &err);
		(void)!ts_trace_window_read(&w, rd, t, t->ipu[0], row, ts_trace_row_at(t, row), 5,
			10, &err);
		(void)!ts_trace_step_at(&step, &found, rd, t, t->ipu[0], from, &err);
		ts_trace_chart_fini(&c);
		ts_trace_window_fini(&w);
	}
	ts_trace_release(t);
	(void)!ts_step_runs_read(&runs, rd, NULL, NULL, &err);
	ts_step_runs_fini(&runs);
	if (!ts_variables_open(&all, rd, NULL, &err)) {
		(void)!ts_variable_pieces_read(&p, rd, all, (int64_t)any(3000), NULL, &err);
		(void)!ts_variable_facts_spread(all->facts, rd, NULL, &err);
		for (int i = 0; i < 20; i++) {
			struct ts_variable_spread spread;

			if (ts_variable_spread(&spread, all->facts, (int64_t)any(3000)))
				(void)ts_variable_balance(&spread);
		}
	}
	ts_variable_pieces_fini(&p);
	ts_variables_release(all);
	(void)!ts_tile_variables_read(&v, rd, (int64_t)any(20), NULL, &err);
	ts_tile_variables_fini(&v);
}

/* What is kept of programs and operations. */
static void
look_at_operations(struct ts_reader *rd)
{
	struct ts_operations *o;
	struct ts_operation_figures sum;
	struct ts_strbuf path;
	struct ts_err err = {0};

	if (ts_operations_read(&o, rd, NULL, true, NULL, &err))
		return;
	ts_strbuf_init(&path, 1000);
	for (uint32_t i = 0; i < o->count; i++) {
		size_t n;

		ts_operation_path(&path, o, i);
		(void)ts_operation_debug_name(&n, o, i);
		(void)ts_operation_layer_name(&n, o, o->node[i].layer);
		if (i < 5)
			(void)!ts_operations_sum(&sum, o, &i, 1, true, NULL, NULL, &err);
	}
	for (int i = 0; i < 20; i++)
		(void)ts_operation_of_program(o, (int64_t)any(2000), (int)any(5) - 1);
	ts_strbuf_fini(&path);
	ts_operations_close(o);
}

static void
ask(const struct ts_report *r, struct ts_index *x, enum ts_section s)
{
	struct ts_reader *rd;
	struct ts_err err = {0};
	uint64_t d = 0;
	bool partial;

	ck_assert_int_eq(ts_reader_open(&rd, r, &err), TS_OK);
	ts_reader_set_index(rd, x);
	for (size_t i = 0; i < TS_COUNT(figures); i++) {
		enum ts_code code = figures[i].read(&d, rd, &err);

		ck_assert_msg(code != TS_E_NOMEM, "%s: out of memory", figures[i].name);
	}
	ck_assert_int_eq(read_summary(&d, &partial, rd, &err), TS_OK);
	look_around(rd);
	if (s == TS_SECTION_PROGRAMS || s == TS_SECTION_OPERATIONS)
		look_at_operations(rd);
	ts_reader_close(rd);
}

static struct ts_report *
make(struct index_dir *d)
{
	const struct ts_demo_options o = {.layout = TS_DEMO_PROFILE,
		.ipus = 2,
		.tiles = 8,
		.steps = 6000,
		.variables = 20000,
		.debug = true};
	const struct ts_report_options options = {0};
	struct ts_index *x;
	struct ts_err err = {0};
	struct ts_report *r;
	int failed;
	char *path;

	index_dir_begin(d);
	ck_assert_msg(ts_demo_write(&path, d->dir, &o, NULL, NULL, &err) == TS_OK, "%s", err.msg);
	ck_assert_msg(ts_report_open(&r, path, &options, &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(build_index(&x, &failed, r, &d->c, INDEX_ALL, 1, NULL, &err), TS_OK);
	ck_assert_int_eq(failed, 0);
	for (int s = 0; s < TS_SECTION_COUNT; s++)
		failed += x->map[s] != NULL;
	ck_assert_int_ge(failed, 6);
	ts_index_release(x);
	free(path);
	return r;
}

/* Costs of programs and operations are kept when they were asked for. */
static void
keep_operations(const struct index_dir *d, const struct ts_report *r)
{
	struct ts_operations *o;
	struct ts_reader *rd;
	struct ts_err err = {0};

	ck_assert_int_eq(ts_reader_open(&rd, r, &err), TS_OK);
	ck_assert_int_eq(ts_operations_read(&o, rd, &d->c, true, NULL, &err), TS_OK);
	ts_operations_close(o);
	ts_reader_close(rd);
}

/* _i: section */
START_TEST(forged)
{
	enum ts_section s = (enum ts_section)_i;
	const char *said = getenv("TS_FORGED");
	int times = said ? (int)strtol(said, NULL, 10) : 24 / stride_of(8, 24);
	char path[INDEX_PATH], name[TS_FILE_NAME];
	unsigned char *file, *payload;
	struct ts_section_head h;
	struct ts_err err = {0};
	struct ts_report *r;
	struct index_dir d;
	size_t n;

	if (!said && !in_sample(_i))
		return;
	r = make(&d);
	if (s == TS_SECTION_PROGRAMS || s == TS_SECTION_OPERATIONS)
		keep_operations(&d, r);
	ts_section_file(name, s);
	index_dir_path(path, &d, r, name);
	if (access(path, F_OK) < 0)
		times = 0; /* not made of this report */
	file = times ? index_dir_read(path, &n) : NULL;
	if (file)
		memcpy(&h, file, sizeof(h));
	payload = file ? malloc(h.payload_bytes + 8) : NULL;
	seed = UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)_i;
	for (int i = 0; i < times; i++) {
		struct ts_index *x;

		memcpy(payload, file + h.head_bytes, h.payload_bytes);
		n = forge(payload, h.payload_bytes);
		publish(path, file, payload, n);
		ck_assert_int_eq(ts_index_open(&x, &d.c, r, NULL, NULL, &err), TS_OK);
		/* one that says that it is of another debug.cbor is not taken */
		ck_assert(s == TS_SECTION_CONTEXTS || s == TS_SECTION_OPERATIONS ||
			s == TS_SECTION_STACKS || ts_index_section(x, s, &n));
		ask(r, x, s);
		ts_index_release(x);
	}
	free(payload);
	free(file);
	ts_report_close(r);
	index_dir_end(&d);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("forged sections");
	TCase *c = tcase_create("forged");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, getenv("TS_FORGED") ? 3600 : 60);
	tcase_add_loop_test(c, forged, 0, TS_SECTION_ORDER_BYTES);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
