/* SPDX-License-Identifier: MIT */
/*
 * live_labels - what each of the variables of some lives is for (groups.h).
 *
 * Names are not kept with the lives: one pass over the rows that have them, in the order of their numbers, beside a
 * list of the variables in that order. What stays is a byte a variable; with a cache the groups of all variables before
 * lowering are kept in the index (index_labels.h), which spares the pass the next time.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_labels.h"
#include "tilescope/report/names.h"
#include "tilescope/report/rows.h"

#include "lives_internal.h"

enum { PROGRESS_ROWS = 8192, KEPT_MOST = 1 << 24 /* numbers of variables */ };

struct place {
	int64_t number; /* of a variable, or a row id of a lowered one */
	uint32_t index;
	uint32_t lowered;
};

struct labels_work {
	struct ts_live_labels *out;
	struct ts_reader *rd;
	struct ts_grouper *grouper;
	struct ts_names categories;
	struct ts_pile place;
	size_t places, first_lowered; /* those of `variable` come first */
	const struct ts_cache *cache;
	struct ts_pile all; /* group + 1 by number of a variable */
	bool kept, keep;    /* they are in the index, are to be put there */
	struct ts_progress *progress;
};

static int
by_number(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->lowered != y->lowered)
		return x->lowered < y->lowered ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Is it a row of lowered_variable? *number: its row id, else the number of a variable. */
static bool
is_lowered(int64_t *number, const struct ts_lives *l, size_t i)
{
	int64_t of = l->variable[i].variable;

	*number = of < 0 ? -1 - of : of;
	return l->lowered || of < 0;
}

/* What the index has of them. */
static void
take_kept(struct labels_work *w, const struct ts_lives *l)
{
	unsigned char *group = w->out->pile.memory;
	struct ts_kept_labels kept;
	int64_t number;

	w->kept = ts_labels_kept(&kept, w->rd, w->cache, w->out->groups);
	for (size_t i = 0; w->kept && i < l->variables; i++) {
		bool lowered = is_lowered(&number, l, i);
		int is = lowered || l->variable[i].bytes < 0 ? -1 : ts_kept_label(&kept, number);

		if (is >= 0)
			group[i] = (unsigned char)is;
	}
	ts_kept_labels_fini(&kept);
}

/* Those whose rows have to be asked. */
static enum ts_code
list_places(struct labels_work *w, const struct ts_lives *l, const struct ts_cache *cache,
	struct ts_err *err)
{
	enum ts_code code = TS_OK;
	struct place p;

	for (size_t i = 0; !code && i < l->variables; i++) {
		p = (struct place){.index = (uint32_t)i};
		p.lowered = is_lowered(&p.number, l, i);
		if (l->variable[i].bytes < 0 || (w->kept && !p.lowered))
			continue;
		code = ts_pile_add(&w->place, &p, sizeof(p), cache, err);
		w->places += !code;
	}
	if (!code)
		code = ts_pile_sort(&w->place, w->places, sizeof(struct place), by_number, cache,
			w->rd->cancel, err);
	while (!code && w->first_lowered < w->places &&
		!((struct place *)w->place.memory)[w->first_lowered].lowered)
		w->first_lowered++;
	return code;
}

/* The first place in [low, high) with a number that is not below `number`. */
static size_t
find_place(const struct labels_work *w, size_t low, size_t high, int64_t number)
{
	const struct place *p = w->place.memory;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const char *
category_of(const struct labels_work *w, struct ts_rows *rows, int column, size_t *n)
{
	int64_t category;
	const char *s;

	if (ts_rows_number(rows, column, &category) == TS_VALUE_OK)
		return ts_names_find(&w->categories, category, n);
	return ts_rows_text(rows, column, &s, n) == TS_VALUE_OK ? s : NULL;
}

/* To be kept; numbers that are too large end that. */
static enum ts_code
keep_group(struct labels_work *w, int64_t number, int group, struct ts_err *err)
{
	size_t room = w->all.room;
	enum ts_code code = TS_OK;

	w->keep = number >= 0 && number < KEPT_MOST;
	if (!w->keep)
		return TS_OK;
	if ((size_t)number >= room)
		code = ts_pile_room(&w->all, ((size_t)number + 1) * 2, w->cache, err);
	if (code)
		return code;
	if ((size_t)number >= w->all.used)
		w->all.used = (size_t)number + 1;
	((unsigned char *)w->all.memory)[number] = (unsigned char)(group + 1);
	return TS_OK;
}

enum { N_NUMBER, N_NAME, N_CATEGORY };

/* Rows of `variable`, or of lowered_variable, whose numbers are among the places [from, to). */
static enum ts_code
label_rows(struct labels_work *w, bool lowered, size_t from, size_t to, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_VARIABLE_VARIABLE, TS_VARIABLE_NAME},
		.column_count = 2,
		.past_damage = true};
	enum ts_relation relation = lowered ? TS_LOWERED_VARIABLE : TS_VARIABLE;
	const struct place *p = w->place.memory;
	unsigned char *group = w->out->pile.memory;
	struct ts_rows *rows;
	enum ts_code code;
	int64_t seen = 0;
	size_t at = from;
	bool there, keep;
	int is;

	if (lowered)
		q = (struct ts_rows_query){.columns = {TS_LOWERED_VARIABLE_TILE,
						   TS_LOWERED_VARIABLE_NAME,
						   TS_LOWERED_VARIABLE_CATEGORY},
			.column_count = 3,
			.range = TS_RANGE_ROWID,
			.from = p[from].number,
			.to = p[to - 1].number + 1,
			.past_damage = true};
	code = ts_reader_rows(&rows, w->rd, relation, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		const char *s = NULL, *category = NULL;
		size_t n = 0, category_n = 0;
		int64_t number;

		if (++seen % PROGRESS_ROWS == 0)
			ts_progress_set(w->progress, seen, lives_rows_of(w->rd, relation));
		if (lowered ? !ts_rows_rowid(rows, &number)
			    : ts_rows_number(rows, N_NUMBER, &number) != TS_VALUE_OK)
			continue;
		if (at >= to || p[at].number != number) /* mostly they come in this order */
			at = find_place(w, from, to, number);
		keep = w->keep && !lowered;
		if (!keep && (at == to || p[at].number != number))
			continue;
		if (ts_rows_text(rows, N_NAME, &s, &n) != TS_VALUE_OK)
			s = NULL;
		if (lowered)
			category = category_of(w, rows, N_CATEGORY, &category_n);
		is = ts_grouper_of(w->grouper, s, n, category, category_n);
		for (; at < to && p[at].number == number; at++)
			group[p[at].index] = (unsigned char)is;
		if (keep && (code = keep_group(w, number, is, err)))
			break;
	}
	ts_rows_close(rows);
	return code;
}

/* Variables before lowering whose groups are not in the index: they are put there. */
static enum ts_code
label_unlowered(struct labels_work *w, struct ts_err *err)
{
	enum ts_code code;

	w->keep = w->cache && w->cache->dir;
	code = label_rows(w, false, 0, w->first_lowered, err);
	if (!code && w->keep && w->all.used > 0) /* a full disk is no error of this question */
		(void)!ts_labels_keep(w->rd, w->cache, w->out->groups, w->all.memory, w->all.used,
			NULL);
	return code;
}

static enum ts_code
label_all(struct labels_work *w, struct ts_err *err)
{
	enum ts_code code = TS_OK, damage = TS_OK;

	if (w->first_lowered > 0)
		code = damage = label_unlowered(w, err);
	if (code == TS_E_DAMAGED)
		code = TS_OK;
	if (!code && w->first_lowered < w->places)
		code = ts_names_read(&w->categories, w->rd, TS_MEMORY_CATEGORY,
			TS_MEMORY_CATEGORY_CATEGORY, TS_MEMORY_CATEGORY_NAME, err);
	if (code == TS_E_DAMAGED)
		code = TS_OK;
	if (!code && w->first_lowered < w->places)
		code = label_rows(w, true, w->first_lowered, w->places, err);
	return code ? code : damage;
}

enum ts_code
ts_live_labels_read(struct ts_live_labels **out, struct ts_reader *rd, const struct ts_lives *lives,
	struct ts_groups *groups, const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_live_labels *l = ts_alloc(1, sizeof(*l));
	struct labels_work w = {.out = l, .rd = rd, .cache = cache, .progress = progress};
	enum ts_code code;

	*out = NULL;
	if (!l)
		return ts_err_nomem(err);
	atomic_init(&l->uses, 1);
	l->groups = ts_groups_hold(groups);
	l->count = lives->variables;
	code = ts_grouper_new(&w.grouper, groups, err);
	if (!code)
		code = ts_pile_room(&l->pile, l->count + 1, cache, err);
	if (!code) {
		memset(l->pile.memory, ts_groups_find(groups, TS_GROUP_OTHER), l->count);
		take_kept(&w, lives);
		code = list_places(&w, lives, cache, err);
	}
	if (!code)
		code = label_all(&w, err);
	ts_names_fini(&w.categories);
	ts_pile_fini(&w.place);
	ts_pile_fini(&w.all);
	ts_grouper_free(w.grouper);
	if (code && code != TS_E_DAMAGED) {
		ts_live_labels_close(l);
		return code;
	}
	l->group = l->pile.memory;
	*out = l;
	return code;
}

struct ts_live_labels *
ts_live_labels_hold(struct ts_live_labels *l)
{
	atomic_fetch_add(&l->uses, 1);
	return l;
}

void
ts_live_labels_close(struct ts_live_labels *l)
{
	if (!l || atomic_fetch_sub(&l->uses, 1) > 1)
		return;
	ts_pile_fini(&l->pile);
	ts_groups_close(l->groups);
	free(l);
}
