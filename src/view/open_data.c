/* SPDX-License-Identifier: MIT */
/*
 * open_data - what the Open view asks the workers, and the order of its rows.
 *
 * Nothing here needs a report: the questions are jobs of the view that have none. Both go to the bulk workers, so that
 * a directory that is slow to look at does not keep a report from being opened.
 */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

#include "open_internal.h"

/* --- questions -------------------------------------------------------------------------------- */

static void
run_recent(struct ts_job *job, void *local)
{
	struct open_recent *r = (struct open_recent *)job;

	(void)local;
	if (!r->file)
		return;
	r->fetch.code = ts_recents_read(&r->list, r->file, &r->fetch.err);
	ts_recents_look(&r->list, &job->cancel);
}

static void
fini_recent(struct ts_fetch *f)
{
	struct open_recent *r = (struct open_recent *)f;

	ts_recents_fini(&r->list);
	free(r->file);
}

static void
run_found(struct ts_job *job, void *local)
{
	struct open_found *x = (struct open_found *)job;
	char *real = realpath(x->dir, NULL);

	(void)local;
	if (real) {
		free(x->dir);
		x->dir = real;
	}
	x->fetch.code = ts_find_openable(&x->list, NULL, x->dir, &job->progress, &job->cancel,
		&x->fetch.err);
}

static void
fini_found(struct ts_fetch *f)
{
	struct open_found *x = (struct open_found *)f;

	ts_found_list_fini(&x->list);
	free(x->dir);
}

static const struct {
	size_t size;
	void (*run)(struct ts_job *job, void *local);
	void (*fini)(struct ts_fetch *f);
	const char *what;
} questions[PANES] = {
	[PANE_RECENT] = {sizeof(struct open_recent), run_recent, fini_recent,
		"reading the recent reports"},
	[PANE_FOUND] = {sizeof(struct open_found), run_found, fini_found, "looking for reports"},
};

void
open_ask(struct open_view *o, enum open_pane pane)
{
	struct ts_view_env *env = o->base.env;
	struct ts_fetch *f = ts_alloc(1, questions[pane].size);
	const char *text = pane == PANE_RECENT ? env->recents : o->dir;
	char *copy = text ? ts_strdup(text) : NULL;

	if (!f || (text && !copy)) {
		free(f);
		free(copy);
		ts_view_say_error(env, "out of memory");
		return;
	}
	if (pane == PANE_RECENT)
		((struct open_recent *)f)->file = copy;
	else
		((struct open_found *)f)->dir = copy;
	f->fini = questions[pane].fini;
	f->job.run = questions[pane].run;
	f->job.what = questions[pane].what;
	f->job.worker = TS_WORKER_BULK;
	f->job.owner = o->base.id;
	f->job.kind = pane;
	f->job.generation = env->generation;
	o->at[pane].asked = f;
	o->at[pane].state.state = ts_pane_has(&o->at[pane].state) ? TS_PANE_STALE : TS_PANE_LOADING;
	ts_jobs_send(env->jobs, &f->job);
}

/* The answers live in copies of their fetches, which are left with nothing to free. */
static void **
slot(struct open_view *o, enum open_pane pane)
{
	return pane == PANE_RECENT ? (void **)&o->recent : (void **)&o->found;
}

void
open_drop(struct open_view *o, enum open_pane pane)
{
	void **to = slot(o, pane);

	if (*to)
		ts_fetch_free(*to);
	*to = NULL;
	o->at[pane].count = 0;
}

static void
keep(struct open_view *o, struct ts_fetch *f)
{
	enum open_pane pane = (enum open_pane)f->job.kind;
	void *copy = ts_alloc(1, questions[pane].size);

	if (!copy)
		return;
	memcpy(copy, f, questions[pane].size);
	f->fini = NULL;
	open_drop(o, pane);
	*slot(o, pane) = copy;
}

/* The cursor on the directory that was left upwards. */
static void
place_cursor(struct open_view *o)
{
	struct open_list *l = &o->at[PANE_FOUND];

	for (int i = 0; o->from && i < l->count; i++)
		if (strcmp(open_row_path(o, PANE_FOUND, i), o->from) == 0)
			ts_list_jump(&l->list, i);
	free(o->from);
	o->from = NULL;
}

enum ts_effect
open_deliver(struct ts_view *v, struct ts_fetch *f)
{
	struct open_view *o = (struct open_view *)v;
	enum open_pane pane = (enum open_pane)f->job.kind;
	struct open_list *l = &o->at[pane];

	if (l->asked != f)
		return TS_EFFECT_NONE;
	l->asked = NULL;
	if (f->job.dropped || f->code == TS_E_CANCELLED) {
		l->state.state = TS_PANE_FAILED;
		snprintf(l->state.reason, sizeof(l->state.reason), "cancelled (r looks once more)");
		return TS_EFFECT_REPAINT;
	}
	ts_pane_result(&l->state, f->code, &f->err, false);
	keep(o, f);
	if (pane == PANE_FOUND && o->found) { /* links are gone from it */
		char *dir = ts_strdup(o->found->dir);

		if (dir) {
			free(o->dir);
			o->dir = dir;
		}
	}
	open_arrange(o, pane);
	if (pane == PANE_FOUND)
		place_cursor(o);
	else if (!o->placed && l->count > 0)
		o->pane = PANE_RECENT;
	if (pane == PANE_RECENT)
		o->placed = true;
	open_layout(o);
	return TS_EFFECT_REPAINT;
}

/* --- rows ------------------------------------------------------------------------------------- */

const struct ts_found *
open_row_found(const struct open_view *o, int64_t row)
{
	return &o->found->list.item[o->at[PANE_FOUND].row[row]];
}

const char *
open_row_path(const struct open_view *o, enum open_pane pane, int64_t row)
{
	return pane == PANE_RECENT ? o->recent->list.item[o->at[pane].row[row]].path
				   : open_row_found(o, row)->path;
}

/* Every word, in any case. */
bool
open_passes(const char *path, const char *filter)
{
	char words[OPEN_TEXT], *rest = words, *word;

	snprintf(words, sizeof(words), "%s", filter);
	while ((word = strsep(&rest, " ")))
		if (*word && !ts_contains_nocase(path, word))
			return false;
	return true;
}

/* What a row is sorted by: a number, else its path. */
struct key {
	int row;
	int64_t number;
	const char *text;
};

static int
by_key(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int order;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	order = strcmp(x->text, y->text);
	return order ? order : x->row - y->row;
}

static int64_t
share(const struct ts_figures *f)
{
	return f->limit_bytes > 0 && f->worst_tile_bytes >= 0
		? (int64_t)((double)f->worst_tile_bytes / (double)f->limit_bytes * 1e9)
		: -1;
}

static struct key
key_of(const struct open_view *o, enum open_pane pane, int row, int column)
{
	if (pane == PANE_RECENT) {
		const struct ts_recent *x = &o->recent->list.item[row];
		const int64_t numbers[] = {0, x->opened, x->figures.fits, share(&x->figures),
			x->figures.cycles, 0};
		bool known = column < (int)TS_COUNT(numbers);

		return (struct key){row, known ? numbers[column] : x->state,
			column == 5 ? x->figures.poplar_version : x->path};
	}
	const struct ts_found *f = &o->found->list.item[row];
	const int64_t numbers[] = {0, f->parts, f->bytes, f->mtime};

	return (struct key){row, column < (int)TS_COUNT(numbers) ? numbers[column] : 0, f->path};
}

static void
sort(struct open_view *o, enum open_pane pane)
{
	struct open_list *l = &o->at[pane];
	struct key keys[OPEN_ROWS];

	if (l->order >= 0) {
		for (int i = 0; i < l->count; i++)
			keys[i] = key_of(o, pane, l->row[i], l->order);
		qsort(keys, (size_t)l->count, sizeof(keys[0]), by_key);
		for (int i = 0; i < l->count; i++)
			l->row[i] = keys[i].row;
	}
	for (int i = 0; l->reverse && i < l->count / 2; i++) {
		int other = l->row[i];

		l->row[i] = l->row[l->count - 1 - i];
		l->row[l->count - 1 - i] = other;
	}
}

/* The cursor stays on its row where that is still shown. */
void
open_arrange(struct open_view *o, enum open_pane pane)
{
	struct open_list *l = &o->at[pane];
	int all = pane == PANE_RECENT ? (o->recent ? o->recent->list.count : 0)
				      : (o->found ? o->found->list.count : 0);
	int was = l->list.cursor < l->count ? l->row[l->list.cursor] : -1;

	l->count = 0;
	for (int i = 0; i < all && l->count < OPEN_ROWS; i++) {
		l->row[l->count] = i;
		l->count += open_passes(open_row_path(o, pane, l->count), l->filter);
	}
	sort(o, pane);
	ts_list_set_count(&l->list, l->count);
	for (int i = 0; i < l->count; i++)
		if (l->row[i] == was)
			ts_list_jump(&l->list, i);
}
