/* SPDX-License-Identifier: MIT */
/*
 * The Memory view with an archive.a: sections and functions of the tile under the cursor, alone and
 * beside a profile. This program is also the helper that reads the archive.
 */
#include "config.h"

#include <locale.h>

#include "../unit/archive_bytes.h"
#include "view_harness.h"

#include "tilescope/view/explain.h"
#include "tilescope/view/memory.h"
#include "tilescope/view/sheet.h"
#include "tilescope/format/elf_helper.h"
#include "tilescope/report/archive.h"

enum { TILES = 24, BROKEN = 5 };

static struct bytes b;
static char archive[REPORT_DIR + 16];

/* The second function is a vertex's: "fn1" is written "a__F". */
static void
name_vertex(unsigned char *elf, size_t n)
{
	unsigned char *at = memmem(elf, n, "fn1", 4);

	ck_assert_ptr_nonnull(at);
	memcpy(at, "a__F", 5);
}

/* Tile 5 cannot be read; the fullest is tile 17. */
static void
make_archive(const struct harness *h)
{
	unsigned char elf[ELF_MAX];
	FILE *f;

	b.n = 0;
	add_text(&b, "!<arch>\n");
	for (int i = 0; i < TILES; i++) {
		struct elf of = {1, 1, 248, 200000 + (uint32_t)i * 3000, 1, 3 + i % 5, NULL};
		char name[24];
		size_t n;

		if (i == 17)
			of.text = 600000;
		n = make_elf(elf, &of);
		name_vertex(elf, n);
		snprintf(name, sizeof(name), "tile%d.elf/", i);
		add_member(&b, name, elf, i == BROKEN ? 100 : n);
	}
	snprintf(archive, sizeof(archive), "%s/archive.a", h->dir);
	f = fopen(archive, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(b.at, 1, b.n, f), b.n);
	ck_assert_int_eq(fclose(f), 0);
}

/* What the program does when a report is opened, and behind its first frame. */
static void
lend_archive(struct harness *h)
{
	struct ts_err err = {0};

	h->env.archive = ts_archive_hold(h->env.report->archive);
	if (!h->env.archive)
		ck_assert_int_eq(ts_archive_read(&h->env.archive, NULL, archive, NULL, NULL, &err),
			TS_OK);
	h->env.archive_state = h->env.archive->state;
	ts_view_memory.resize(h->view, ts_canvas_rect(h->canvas));
	ts_view_memory.request(h->view);
	harness_settle(h);
}

static void
alone(struct harness *h, int w, int height)
{
	harness_dir(h);
	make_archive(h);
	h->path = strdup(archive);
	harness_start(h, &ts_view_memory, w, height, TS_GLYPHS_FULL);
	lend_archive(h);
}

static void
beside(struct harness *h, int w, int height)
{
	harness_dir(h);
	make_archive(h);
	harness_rows(h,
		"CREATE TABLE report(key TEXT, value TEXT);"
		"CREATE TABLE tile_memory(tile INTEGER PRIMARY KEY, total INTEGER);"
		"WITH RECURSIVE t(t) AS (SELECT 0 UNION ALL SELECT t + 1 FROM t WHERE t < 23)"
		" INSERT INTO tile_memory SELECT t, 200000 + t * 3000 FROM t;"
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, name TEXT,"
		" bytes INTEGER, category INTEGER);"
		"INSERT INTO lowered_variable SELECT NULL, tile, 'v', total, 0 FROM tile_memory;");
	harness_start(h, &ts_view_memory, w, height, TS_GLYPHS_FULL);
	harness_settle(h);
}

static void
end(struct harness *h)
{
	ts_archive_release(h->env.archive);
	unlink(archive);
	harness_end(h);
}

START_TEST(alone_it_is_drawn)
{
	struct harness h;

	alone(&h, 80, 22);
	harness_draw(&h);
	golden_check("code-alone-80x22", h.canvas);
	harness_resize(&h, 160, 44);
	harness_settle(&h);
	harness_draw(&h);
	golden_check("code-alone-160x44", h.canvas);
	harness_resize(&h, 40, 8);
	harness_settle(&h);
	harness_draw(&h);
	end(&h);
}
END_TEST

START_TEST(the_pane_follows_the_cursor)
{
	struct harness h;

	alone(&h, 80, 22);
	harness_says(&h, "tile 17: tile17.elf of archive.a");
	harness_type(&h, "goto 4");
	harness_settle(&h);
	harness_says(&h, "tile 4: tile4.elf");
	harness_says(&h, "7 functions");
	harness_says(&h, ".text");
	harness_says(&h, "fn6");
	harness_type(&h, "goto 6");
	harness_settle(&h);
	harness_says(&h, "tile 6: tile6.elf");
	end(&h);
}
END_TEST

START_TEST(only_what_is_there_takes_keys)
{
	struct harness h;

	alone(&h, 80, 22);
	harness_type(&h, "pane-next");
	ck_assert_int_eq(ts_view_memory.pane_context(h.view), TS_CONTEXT_LIST);
	harness_says(&h, "[Code]");
	harness_type(&h, "down");
	harness_type(&h, "copy");
	ck_assert_str_eq(h.env.copy, "fn4\tfunction\t40\t0.00666667\t311552");
	harness_type(&h, "pane-next");
	ck_assert_int_eq(ts_view_memory.pane_context(h.view), TS_CONTEXT_CHART);
	end(&h);
}
END_TEST

START_TEST(functions_are_searched)
{
	struct harness h;

	alone(&h, 80, 22);
	harness_type(&h, "search fn2");
	harness_type(&h, "pane-next");
	harness_type(&h, "copy");
	ck_assert_str_eq(h.env.copy, "fn2\tfunction\t24\t0.004\t311424");
	harness_type(&h, "search nothing");
	ck_assert(h.env.message_is_error);
	end(&h);
}
END_TEST

/* Names are those that people write; the symbol is a column of its own, and said by `=`. */
START_TEST(vertices_are_called_by_their_name)
{
	struct ts_explain *x = calloc(1, sizeof(*x));
	struct ts_sheet sheet = {.rows = 0};
	struct ts_table_value v = {0};
	struct harness h;

	ck_assert_ptr_nonnull(x);
	alone(&h, 80, 22);
	harness_says(&h, "a::F");
	ck_assert(!harness_has(&h, "a__F"));
	harness_type(&h, "search a::F");
	harness_type(&h, "pane-next");
	ts_explain_init(x);
	ts_view_memory.explain(h.view, x);
	ck_assert_int_ge(x->count, 4);
	ck_assert_str_eq(x->figure[0].title, "bytes of a::F on tile 17");
	ck_assert_ptr_nonnull(strstr(x->figure[0].formula, "symbol a__F"));
	ck_assert_str_eq(x->figure[2].shown, "0x4c040");
	ck_assert(ts_view_memory.sheet(h.view, &sheet));
	ck_assert(sheet.table.value(sheet.table.ctx, sheet.rows - 1, 0, &v));
	ck_assert_int_eq(v.type, TS_VALUE_TEXT);
	for (int i = 0; i < sheet.table.columns; i++)
		if (strcmp(ts_table_column_name(&sheet.table, i), "symbol") == 0)
			ck_assert(!ts_table_column_wanted(&sheet.table, i));
	free(x);
	end(&h);
}
END_TEST

START_TEST(beside_a_profile_it_is_one_more_pane)
{
	struct harness h;

	beside(&h, 80, 22);
	ck_assert(!harness_has(&h, " Code "));
	h.env.archive_state = TS_PART_OK;
	harness_type(&h, "pane-next");
	harness_says(&h, " Code ");
	harness_type(&h, "tab code");
	harness_says(&h, "archive.a is being read");
	lend_archive(&h);
	ck_assert_int_eq(h.env.archive_state, TS_PART_DAMAGED);
	harness_says(&h, "tile 23: tile23.elf");
	harness_draw(&h);
	golden_check("code-beside-80x22", h.canvas);
	harness_type(&h, "goto 5");
	harness_settle(&h);
	harness_says(&h, "─ tile 5 ─");
	ck_assert(!harness_has(&h, "fn0"));
	harness_type(&h, "goto 6");
	harness_settle(&h);
	harness_says(&h, "fn0");
	harness_resize(&h, 160, 44);
	harness_settle(&h);
	harness_draw(&h);
	golden_check("code-beside-160x44", h.canvas);
	harness_type(&h, "tab variables");
	harness_settle(&h);
	harness_says(&h, "tile 6, largest first");
	end(&h);
}
END_TEST

int
main(int argc, char **argv)
{
	Suite *s;
	TCase *c;
	SRunner *r;
	int failed;

	if (argc == 2 && strcmp(argv[1], TS_ELF_HELPER_WORD) == 0)
		return ts_elf_helper();
	setlocale(LC_ALL, "C.UTF-8");
	s = suite_create("view code");
	c = tcase_create("code");
	tcase_set_timeout(c, 60);
	tcase_add_test(c, alone_it_is_drawn);
	tcase_add_test(c, the_pane_follows_the_cursor);
	tcase_add_test(c, only_what_is_there_takes_keys);
	tcase_add_test(c, functions_are_searched);
	tcase_add_test(c, vertices_are_called_by_their_name);
	tcase_add_test(c, beside_a_profile_it_is_one_more_pane);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
