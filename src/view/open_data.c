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

/* Is there such a directory? This waits for the host, too. */
static enum ts_code
look_at(struct open_found *x, const struct ts_cancel *cancel)
{
	struct ts_file_state state;
	enum ts_code code = ts_files_look(x->files, &state, x->dir, cancel, &x->fetch.err);

	if (!code && state.kind != TS_FILE_DIRECTORY)
		code = ts_err_set(&x->fetch.err, TS_E_NOT_FOUND, "%s",
			state.kind == TS_FILE_NONE ? "no such directory" : "not a directory");
	return code;
}

static void
run_found(struct ts_job *job, void *local)
{
	struct open_found *x = (struct open_found *)job;
	char *real, *word = NULL;

	(void)local;
	x->fetch.code = x->files ? look_at(x, &job->cancel) : TS_OK;
	if (x->fetch.code)
		return;
	real = ts_files_real(x->files, x->dir);
	if (real)
		word = ts_find_word(x->word, real);
	if (word) {
		free(x->dir);
		free(x->word);
		x->dir = real;
		x->word = word;
	} else {
		free(real);
	}
	x->fetch.code = x->files
		? ts_find_listing(&x->list, x->files, x->dir, &job->cancel, &x->fetch.err)
		: ts_find_openable(&x->list, x->dir, &job->progress, &job->cancel, &x->fetch.err);
}

static void
fini_found(struct ts_fetch *f)
{
	struct open_found *x = (struct open_found *)f;

	ts_found_list_fini(&x->list);
	ts_files_release(x->files);
	free(x->dir);
	free(x->word);
}

static void
run_looks(struct ts_job *job, void *local)
{
	struct open_looks *x = (struct open_looks *)job;

	(void)local;
	x->fetch.code = ts_find_look_into(x->item, x->n, x->files, &job->cancel, &x->fetch.err);
}

static void
fini_looks(struct ts_fetch *f)
{
	struct open_looks *x = (struct open_looks *)f;

	for (int i = 0; i < x->n; i++)
		free(x->item[i].path);
	ts_files_release(x->files);
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

/* A host is begun, not waited for: the worker does that. */
static enum ts_code
find_place(struct open_found *x, const struct ts_view_env *env, struct ts_err *err)
{
	if (env->find_place)
		return env->find_place(env->find_place_ctx, &x->files, &x->dir, x->word, err);
	x->dir = ts_strdup(x->word);
	return x->dir ? TS_OK : ts_err_nomem(err);
}

void
open_ask(struct open_view *o, enum open_pane pane)
{
	struct ts_view_env *env = o->base.env;
	struct ts_fetch *f = ts_alloc(1, questions[pane].size);
	const char *text = pane == PANE_RECENT ? env->recents : o->dir;
	char *copy = text ? ts_strdup(text) : NULL;
	struct ts_err err = {0};
	enum ts_code code = TS_OK;

	if (!f || (text && !copy)) {
		free(f);
		free(copy);
		ts_view_say_error(env, "out of memory");
		return;
	}
	if (pane == PANE_RECENT) {
		((struct open_recent *)f)->file = copy;
	} else {
		((struct open_found *)f)->word = copy;
		code = find_place((struct open_found *)f, env, &err);
	}
	if (code) {
		ts_pane_result(&o->at[pane].state, code, &err, false);
		questions[pane].fini(f);
		free(f);
		return;
	}
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
	if (pane == PANE_FOUND)
		o->looks = NULL; /* they are of rows that are gone */
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

/* --- directories of a host -------------------------------------------------------------------- */

/* Some that nobody has looked into, those first that are on the screen. */
static int
choose_looks(struct open_looks *x, const struct open_view *o)
{
	const struct open_list *l = &o->at[PANE_FOUND];
	const struct ts_found_list *list = &o->found->list;

	for (int64_t i = l->list.top; i < l->count && x->n < OPEN_LOOKS; i++)
		if (list->item[l->row[i]].pending)
			x->row[x->n++] = l->row[i];
	for (int i = 0; x->n == 0 && i < list->count; i++)
		if (list->item[i].pending)
			x->row[x->n++] = i;
	return x->n;
}

void
open_look(struct open_view *o)
{
	struct ts_view_env *env = o->base.env;
	struct open_looks *x;
	bool nomem = false;

	if (o->looks || !o->found || !o->found->files || !(x = ts_alloc(1, sizeof(*x))))
		return;
	for (int i = 0, n = choose_looks(x, o); i < n; i++) {
		x->item[i] = o->found->list.item[x->row[i]];
		x->item[i].path = ts_strdup(x->item[i].path);
		nomem |= !x->item[i].path;
	}
	if (x->n == 0 || nomem) {
		fini_looks(&x->fetch);
		free(x);
		return;
	}
	x->files = ts_files_hold(o->found->files);
	x->fetch.fini = fini_looks;
	x->fetch.job.run = run_looks;
	x->fetch.job.what = "looking into directories";
	x->fetch.job.worker = TS_WORKER_BULK;
	x->fetch.job.owner = o->base.id;
	x->fetch.job.kind = OPEN_ASK_LOOKS;
	x->fetch.job.generation = env->generation;
	o->looks = &x->fetch;
	ts_jobs_send(env->jobs, &x->fetch.job);
}

/* The list may be another one by now: then nobody waits for it. */
static enum ts_effect
take_looks(struct open_view *o, struct ts_fetch *f)
{
	struct open_looks *x = (struct open_looks *)f;

	if (o->looks != f)
		return TS_EFFECT_NONE;
	o->looks = NULL;
	if (f->job.dropped || f->code == TS_E_CANCELLED)
		return TS_EFFECT_NONE; /* r looks once more */
	if (f->code) {
		ts_view_say_error(o->base.env, "%s", f->err.msg);
		return TS_EFFECT_REPAINT;
	}
	for (int i = 0; i < x->n; i++) {
		struct ts_found *to = &o->found->list.item[x->row[i]], *from = &x->item[i];
		int64_t mtime = from->parts ? from->mtime : to->mtime;

		free(from->path);
		from->path = to->path;
		*to = *from;
		to->mtime = mtime;
		from->path = NULL;
	}
	open_arrange(o, PANE_FOUND);
	open_layout(o);
	open_look(o);
	return TS_EFFECT_REPAINT;
}

/* The cursor on the directory that was left upwards. */
static void
place_cursor(struct open_view *o)
{
	struct open_list *l = &o->at[PANE_FOUND];

	for (int i = 0; o->from && i < l->count; i++) {
		char *word = open_row_word(o, PANE_FOUND, i);

		if (word && strcmp(word, o->from) == 0)
			ts_list_jump(&l->list, i);
		free(word);
	}
	free(o->from);
	o->from = NULL;
}

enum ts_effect
open_deliver(struct ts_view *v, struct ts_fetch *f)
{
	struct open_view *o = (struct open_view *)v;
	enum open_pane pane = (enum open_pane)f->job.kind;
	struct open_list *l;

	if (f->job.kind == OPEN_ASK_LOOKS)
		return take_looks(o, f);
	l = &o->at[pane];
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
		char *dir = ts_strdup(o->found->word);

		if (dir) {
			free(o->dir);
			o->dir = dir;
		}
	}
	open_arrange(o, pane);
	if (pane == PANE_FOUND)
		place_cursor(o);
	if (pane == PANE_FOUND)
		open_look(o);
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

char *
open_row_word(const struct open_view *o, enum open_pane pane, int64_t row)
{
	const char *path = open_row_path(o, pane, row);

	return pane == PANE_FOUND && o->found->files ? ts_find_word(o->found->word, path)
						     : ts_strdup(path);
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
		l->count += !(pane == PANE_FOUND && open_row_found(o, l->count)->hidden) &&
			open_passes(open_row_path(o, pane, l->count), l->filter);
	}
	sort(o, pane);
	ts_list_set_count(&l->list, l->count);
	for (int i = 0; i < l->count; i++)
		if (l->row[i] == was)
			ts_list_jump(&l->list, i);
}
