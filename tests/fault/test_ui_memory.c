/* SPDX-License-Identifier: MIT */
/*
 * The ui layer when memory runs out: the Nth allocation fails, for every N that is reached, and the one
 * after it succeeds. Nothing crashes, nothing is lost, what was there stays.
 *
 * malloc and its kin are replaced in this program, which a sanitizer does not allow.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/ui/keymap.h"
#include "tilescope/ui/prompt.h"
#include "tilescope/ui/theme.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TS_REPLACE_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TS_REPLACE_MALLOC 0
#endif
#endif
#ifndef TS_REPLACE_MALLOC
#define TS_REPLACE_MALLOC 1
#endif

static long countdown;	/* allocations until one fails; 0 = none does */
static bool one_failed; /* one did */
static long held;	/* blocks between arm() and disarm() */

#if TS_REPLACE_MALLOC
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void __libc_free(void *p);

static bool
fails(void)
{
	if (countdown <= 0 || --countdown > 0)
		return false;
	one_failed = true;
	errno = ENOMEM;
	return true;
}

void *
malloc(size_t n)
{
	void *p = fails() ? NULL : __libc_malloc(n);

	held += p != NULL;
	return p;
}

void *
calloc(size_t n, size_t size)
{
	void *p = fails() ? NULL : __libc_calloc(n, size);

	held += p != NULL;
	return p;
}

void *
realloc(void *old, size_t n)
{
	void *p = fails() ? NULL : __libc_realloc(old, n);

	held += p != NULL && old == NULL;
	return p;
}

void
free(void *p)
{
	held -= p != NULL;
	__libc_free(p);
}
#endif

/* Run `work` with the 1st, 2nd, ... allocation failing, until none does. Returns how many there were. */
static int
sweep(void (*work)(void))
{
	for (int n = 1; n < 100000; n++) {
		long before = held;

		one_failed = false;
		countdown = n;
		work();
		countdown = 0;
		ck_assert_msg(held == before, "allocation %d: %ld blocks lost", n, held - before);
		if (!one_failed)
			return n - 1;
	}
	ck_abort_msg("no end");
	return 0;
}

static void
use_canvas(void)
{
	struct ts_canvas *c = ts_canvas_new(10, 3, TS_GLYPHS_FULL);
	struct ts_strbuf out;

	if (!c)
		return;
	ts_canvas_text(c, ts_canvas_rect(c), 0, 0, TS_ROLE_TEXT, "text");
	if (ts_canvas_resize(c, 20, 5, NULL) != TS_OK && c->w != 10)
		abort(); /* the old one stays */
	ts_strbuf_init(&out, 1000);
	ts_canvas_dump(c, &out);
	ts_strbuf_fini(&out);
	ts_canvas_free(c);
}

static void
use_keymap(void)
{
	struct ts_keymap map;
	struct ts_strbuf complaints;

	ts_keymap_init(&map);
	ts_strbuf_init(&complaints, 10000);
	ts_keymap_read(&map, "x",
		"inherit base\nbind global x view memory -- a note\nbind list gg first\n"
		"bind list gg last\nbind memory M reload\nbind trace r reload\n",
		NULL, NULL, &complaints);
	/* what is missing is said, unless it was the complaint itself that there was no memory for */
	if (map.count != 4 && !complaints.cut && !strstr(complaints.s, "out of memory"))
		abort();
	ts_strbuf_fini(&complaints);
	ts_keymap_fini(&map);
}

static void
use_theme(void)
{
	struct ts_theme theme;
	struct ts_strbuf complaints;

	ts_theme_init(&theme);
	ts_strbuf_init(&complaints, 10000);
	ts_theme_read(&theme, "x", "role text red\nrole nothing blue\n", NULL, NULL, &complaints);
	ts_strbuf_fini(&complaints);
}

static void
use_history(void)
{
	static struct ts_prompt p;
	struct ts_history h;

	ts_history_init(&h);
	ts_history_add(&h, "one");
	ts_history_add(&h, "two");
	ts_prompt_open(&p, ":", "three", &h, NULL, NULL);
	ts_prompt_command(&p, TS_CMD_OLDER);
	ts_prompt_command(&p, TS_CMD_ACCEPT);
	ts_history_fini(&h);
}

START_TEST(memory_runs_out)
{
	static void (*const works[])(void) = {use_canvas, use_keymap, use_theme, use_history};

	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
		int n = sweep(works[i]);

		ck_assert(TS_REPLACE_MALLOC == 0 || n > 0);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ui_memory");
	TCase *c = tcase_create("all");
	setlocale(LC_CTYPE, "C.UTF-8");
	tcase_add_test(c, memory_runs_out);
	tcase_set_timeout(c, 60);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
