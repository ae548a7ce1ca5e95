/* SPDX-License-Identifier: MIT */
/*
 * test_shown - a terminal that is given only the rows that have changed shows the same as one that is given all of
 * them, also when it is resized, or somebody else has written on it.
 */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/ui/shown.h"

enum { SEEDS = 20, FRAMES = 400, MOST_W = 12, MOST_H = 9 };

struct screen {
	struct ts_shown_cell cell[MOST_H][MOST_W];
};

static uint64_t seed;

static uint32_t
roll(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

/* A few cells of a frame change, each in one of what it is made of. */
static void
change(struct screen *s)
{
	for (uint32_t n = roll(4); n > 0; n--) {
		struct ts_shown_cell *c = &s->cell[roll(MOST_H)][roll(MOST_W)];

		switch (roll(4)) {
		case 0:
			c->cp = 'a' + roll(3);
			break;
		case 1:
			c->attr = roll(2);
			break;
		case 2:
			c->pair = (int32_t)roll(2);
			break;
		default:
			c->cp = TS_SHOWN_COVERED;
		}
	}
}

START_TEST(the_same_screen)
{
	static struct screen wanted, has;
	struct ts_shown s = {0};
	int w = MOST_W, h = MOST_H, left = 0;

	seed = (uint64_t)_i + 1;
	memset(&wanted, 0, sizeof(wanted));
	memset(&has, 0xff, sizeof(has));
	for (int f = 0; f < FRAMES; f++) {
		change(&wanted);
		if (roll(20) == 0) { /* what is there then is another's */
			memset(&has, 0xff, sizeof(has));
			ts_shown_forget(&s);
		}
		if (roll(20) == 0) {
			w = 1 + (int)roll(MOST_W);
			h = 1 + (int)roll(MOST_H);
			memset(&has, 0xff, sizeof(has));
			ts_shown_forget(&s);
		}
		ts_shown_begin(&s, w, h);
		for (int y = 0; y < h; y++) {
			size_t size = sizeof(has.cell[0][0]) * (size_t)w;

			if (ts_shown_is(&s, y, wanted.cell[y]))
				left++;
			else
				memcpy(has.cell[y], wanted.cell[y], size);
			ck_assert(memcmp(has.cell[y], wanted.cell[y], size) == 0);
		}
	}
	ck_assert_int_gt(left, FRAMES);
	ck_assert(!ts_shown_is(&s, h, wanted.cell[0]));
	ck_assert(!ts_shown_is(&s, -1, wanted.cell[0]));
	ts_shown_fini(&s);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("shown");
	TCase *t = tcase_create("rows");
	SRunner *runner = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, the_same_screen, 0, SEEDS);
	suite_add_tcase(s, t);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
