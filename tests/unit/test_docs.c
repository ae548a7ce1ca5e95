/* SPDX-License-Identifier: MIT */
/*
 * test_docs - docs/keys is what the default keymap says. With TS_WRITE_DOCS=1 in the environment the file is
 * written instead of compared.
 */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/embedded.h"
#include "tilescope/base/lex.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/ui/keymap.h"
#include "tilescope/view/help.h"

static void
keys_path(char *out, size_t size)
{
	const char *srcdir = getenv("srcdir");

	snprintf(out, size, "%s/docs/keys", srcdir ? srcdir : ".");
}

START_TEST(keys_are_current)
{
	const struct ts_embedded *e = ts_embedded_find("keymaps/default.keys");
	struct ts_strbuf complaints, text;
	struct ts_keymap map;
	struct ts_err err = {0};
	char path[4096], *kept = NULL;

	ck_assert_ptr_nonnull(e);
	ts_strbuf_init(&complaints, 1 << 16);
	ts_strbuf_init(&text, 1 << 18);
	ts_keymap_init(&map);
	ts_keymap_read(&map, e->name, e->text, NULL, NULL, &complaints);
	ck_assert_str_eq(complaints.s, "");
	ts_help_keys(&text, &map, TS_CONTEXT_GLOBAL);
	ck_assert(!text.cut);
	keys_path(path, sizeof(path));
	if (getenv("TS_WRITE_DOCS")) {
		FILE *f = fopen(path, "w");

		ck_assert_ptr_nonnull(f);
		fputs(text.s, f);
		fclose(f);
	}
	ck_assert_msg(ts_lex_read(&kept, path, &err) == TS_OK, "%s", err.msg);
	ck_assert_msg(strcmp(kept, text.s) == 0,
		"docs/keys is not current (write it: TS_WRITE_DOCS=1 make check ONLY=unit/test_docs)");
	free(kept);
	ts_keymap_fini(&map);
	ts_strbuf_fini(&text);
	ts_strbuf_fini(&complaints);
}
END_TEST

/* Every engine option that is known, what the messages of a full tile mean, in 80 columns. */
static const char *const captured[] = {
	"autoReport.all",
	"autoReport.directory",
	"autoReport.outputGraphProfile",
	"autoReport.outputExecutionProfile",
	"autoReport.outputLoweredVars",
	"autoReport.outputDebugInfo",
	"autoReport.enable",
	"autoReport.outputArchive",
	"autoReport.executionProfileProgramRunCount",
	"debug.instrument ",
	"debug.instrumentCompute",
	"debug.instrumentExternalExchange",
	"debug.instrumentControlFlow",
	"debug.computeInstrumentationLevel",
	"debug.profilingTile",
	"debug.branchRecordTile",
	"profiler.replicaToProfile",
	"profiler.blocks.filter",
	"profiler.programs.filter",
	"profiler.blocks.tile",
	"debug.allowOutOfMemory",
	"POPLAR_PROFILER_LOG_LEVEL",
	"POPLAR_ENGINE_OPTIONS",
	"Out of memory on tile 0",
	"Cannot fit all variable data onto one or more tiles",
	"receives more data than it has total memory",
	"profile_<random>.pop",
	"tf_report__",
	"modelName()",
	"enableProfiling",
};

START_TEST(capture_names_all)
{
	const struct ts_embedded *e = ts_embedded_find("help/capture.txt");

	ck_assert_ptr_nonnull(e);
	for (size_t i = 0; i < TS_COUNT(captured); i++)
		ck_assert_msg(strstr(e->text, captured[i]) != NULL, "no word of %s", captured[i]);
	for (const char *s = e->text; *s; s += strcspn(s, "\n") + 1)
		ck_assert_msg(strcspn(s, "\n") <= 80, "too wide: %.100s", s);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("docs");
	TCase *t = tcase_create("keys");
	SRunner *r;
	int failed;

	tcase_add_test(t, keys_are_current);
	tcase_add_test(t, capture_names_all);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
