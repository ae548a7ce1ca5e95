/* SPDX-License-Identifier: MIT */
/*
 * The idlest of all that are alive at a step, against steps that are counted one by one: few variables and so many that two
 * threads look at them, with uses of all, of some, of none.
 */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/lifetimes.h"

enum { STEPS = 40, PROGRAMS = 12, LIVES = 3, MANY = 20000, MOST = 50 };

struct world {
	uint64_t state;
	struct ts_lives lives;
	struct ts_live_variable *variable;
	struct ts_life *life;
	struct ts_uses uses;
	struct ts_use *named;
	struct ts_run_of run[STEPS];
};

static uint64_t
draw(struct world *w, uint64_t below)
{
	w->state ^= w->state << 13;
	w->state ^= w->state >> 7;
	w->state ^= w->state << 17;
	return w->state % below;
}

/* Up to so many intervals, apart from each other. */
static void
add_lives(struct world *w, uint32_t index)
{
	uint32_t at = (uint32_t)draw(w, STEPS);

	for (int i = 0; i < LIVES && at < STEPS; i++) {
		uint32_t end = at + 1 + (uint32_t)draw(w, STEPS / 2);

		w->life[w->lives.count++] = (struct ts_life){index, at, end < STEPS ? end : STEPS};
		at = end + 1 + (uint32_t)draw(w, STEPS / 4);
	}
}

/* Variables have other numbers than indexes: which is named by whom has another order than the sizes. */
static void
make(struct world *w, int test)
{
	size_t n = test % 4 == 3 ? MANY : 1 + draw(w, 200);
	uint64_t named = draw(w, 4); /* 0: none, else more or fewer */
	int64_t bytes = INT64_C(1) << 40;

	w->variable = ts_alloc(n, sizeof(*w->variable));
	w->life = ts_alloc(n * LIVES, sizeof(*w->life));
	w->named = ts_alloc(n * 2, sizeof(*w->named));
	for (uint32_t i = 0; i < n; i++) {
		bytes -= (int64_t)draw(w, 3) * (bytes >> 12);
		w->variable[i] = (struct ts_live_variable){(int64_t)n - i, bytes};
		if (draw(w, 9) > 0)
			add_lives(w, i);
	}
	for (size_t i = 0; i < n; i++)
		for (int64_t p = 0; p < 2 && draw(w, 4) < named; p++)
			w->named[w->uses.names++] = (struct ts_use){(int64_t)i + 1,
				p * PROGRAMS / 2 + (int64_t)draw(w, PROGRAMS / 2)};
	for (int64_t i = 0; i < STEPS; i++) /* each third step runs nothing; programs ascend */
		if (i % 3 > 0)
			w->run[w->uses.steps++] = (struct ts_run_of){i * PROGRAMS / STEPS,
				(i * 7) % STEPS};
	w->lives.variables = n;
	w->lives.variable = w->variable;
	w->lives.life = w->life;
	w->uses.named.memory = w->named;
	w->uses.runs.memory = w->run;
}

static void
fini(struct world *w)
{
	free(w->variable);
	free(w->life);
	free(w->named);
}

/* Bytes x idle steps; bytes where nothing is known. False: it is not alive at the step. */
static bool
slow_product(const struct world *w, uint32_t index, uint32_t step, bool *known, double *product)
{
	const struct ts_live_variable *v = &w->variable[index];
	bool alive[STEPS] = {false}, used[STEPS] = {false};
	int idle = 0;

	for (size_t i = 0; i < w->lives.count; i++)
		for (uint32_t s = w->life[i].start;
			w->life[i].variable == index && s < w->life[i].end; s++)
			alive[s] = true;
	if (!alive[step])
		return false;
	*known = false;
	for (size_t i = 0; i < w->uses.names; i++)
		for (size_t k = 0; w->named[i].variable == v->variable && k < w->uses.steps; k++) {
			*known = true;
			if (w->run[k].program == w->named[i].program)
				used[w->run[k].step] = true;
		}
	for (int s = 0; s < STEPS; s++)
		idle += alive[s] && !used[s];
	*product = (double)v->bytes * (*known ? idle : 1);
	return true;
}

struct slow {
	uint32_t index;
	bool known;
	double product;
};

static int
idlest_first(const void *a, const void *b)
{
	const struct slow *x = a, *y = b;

	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->product != y->product)
		return x->product > y->product ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

/* Of many only some are counted slowly: those that the answer has, and others that may not stand before its last. */
START_TEST(idlest_by_definition)
{
	struct world w = {.state = 0x9e3779b97f4a7c15u * (uint64_t)(_i + 1)};
	uint32_t index[MOST], step = (uint32_t)draw(&w, STEPS), stride;
	int n, most = 1 + (int)draw(&w, MOST), found = 0;
	int64_t alive, all = 0, last = -1;
	struct slow *slow, answer[MOST];

	make(&w, _i);
	slow = ts_alloc(w.lives.variables, sizeof(*slow));
	ck_assert_int_eq(ts_lifetimes_idlest(index, &n, &alive, &w.lives, &w.uses, step, most, NULL,
				 NULL),
		TS_OK);
	for (size_t i = 0; i < w.lives.count; i++)
		if (step >= w.life[i].start && step < w.life[i].end) {
			all += w.life[i].variable != last;
			last = w.life[i].variable;
		}
	ck_assert_int_eq(alive, all);
	ck_assert_int_eq(n, all < most ? all : most);
	stride = w.lives.variables == MANY ? 97 : 1;
	for (uint32_t i = 0; i < w.lives.variables; i += stride) {
		slow[found].index = i;
		if (slow_product(&w, i, step, &slow[found].known, &slow[found].product))
			found++;
	}
	qsort(slow, (size_t)found, sizeof(*slow), idlest_first);
	for (int i = 0; i < n; i++) {
		answer[i].index = index[i];
		ck_assert(slow_product(&w, index[i], step, &answer[i].known, &answer[i].product));
		ck_assert(i == 0 || idlest_first(&answer[i - 1], &answer[i]) < 0);
		ck_assert(stride > 1 || answer[i].index == slow[i].index);
	}
	for (int i = 0, k = 0; stride > 1 && i < found; i++) {
		while (k < n && answer[k].index != slow[i].index)
			k++;
		if (k < n)
			continue;
		ck_assert(n > 0 && idlest_first(&answer[n - 1], &slow[i]) < 0);
		break;
	}
	free(slow);
	fini(&w);
}
END_TEST

START_TEST(stopped)
{
	struct world w = {.state = 4711};
	struct ts_cancel cancel = {.rest = NULL};
	uint32_t index[MOST];
	int64_t alive;
	int n;

	make(&w, 3);
	ts_cancel_set(&cancel);
	ck_assert_int_eq(ts_lifetimes_idlest(index, &n, &alive, &w.lives, &w.uses, 0, MOST, &cancel,
				 NULL),
		TS_E_CANCELLED);
	fini(&w);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("lifetimes");
	TCase *t = tcase_create("lifetimes");
	SRunner *r;
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, idlest_by_definition, 0, 40);
	tcase_add_test(t, stopped);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
