/* SPDX-License-Identifier: MIT */
/*
 * what_if_run - a what-if that several threads work out: one leads, others may help.
 *
 * Nobody starts a thread here: who has some gives them the run. Rows are divided into parts, each taken by
 * whoever comes next; so a helper that begins late, or never, does no harm. A helper is counted while it may have a part, and
 * leaves what it gathered with the run. The leader takes parts until there are none, closes the run, waits for those that are
 * under way (a part is some ten milliseconds), and adds up what they left. If one of them failed
 * the leader does all of it again, alone.
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "tilescope/base/mem.h"

#include "what_if_internal.h"

enum { PARTS = 16, HELPERS = 3, LOOK_NS = 20000000 /* at the token, while nobody wakes it */ };

/* What a helper leaves. */
struct helped {
	struct ts_what_if w; /* its sums */
	struct what_if_work work;
	struct what_if_share *share;
};

struct ts_what_if_run {
	pthread_mutex_t lock; /* of who waits: */
	pthread_cond_t news;  /* there is a lead, it is closed, nobody is active, somebody let go */
	atomic_int uses, next, active, helpers;
	int blamed; /* written by the leader at its end: 1 + a change */
	atomic_bool closed, failed;
	_Atomic int64_t seen;
	_Atomic(struct what_if_share *) lead; /* it knows what is named: parts can be taken */
	struct ts_what_if_changes changes;
	const struct ts_cache *cache;
	struct ts_tile_set selected;	/* of no tiles: nothing is */
	struct helped *helped[HELPERS]; /* each written by its helper, read when nobody is active */
};

struct ts_what_if_run *
ts_what_if_run_new(const struct ts_what_if_changes *changes, const struct ts_cache *cache)
{
	struct ts_what_if_run *r = ts_alloc(1, sizeof(*r));
	pthread_condattr_t clock;

	if (!r)
		return NULL;
	atomic_init(&r->uses, 1);
	pthread_mutex_init(&r->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&r->news, &clock);
	pthread_condattr_destroy(&clock);
	r->changes = *changes;
	r->cache = cache;
	return r;
}

bool
ts_what_if_run_select(struct ts_what_if_run *r, const struct ts_tile_set *set)
{
	return ts_tile_set_copy(&r->selected, set, set->tiles);
}

const struct ts_tile_set *
what_if_run_selected(const struct ts_what_if_run *r)
{
	return r && r->selected.tiles > 0 ? &r->selected : NULL;
}

/* What others wait for has changed. */
static void
tell(struct ts_what_if_run *r)
{
	pthread_mutex_lock(&r->lock);
	pthread_cond_broadcast(&r->news);
	pthread_mutex_unlock(&r->lock);
}

struct ts_what_if_run *
ts_what_if_run_hold(struct ts_what_if_run *r)
{
	atomic_fetch_add(&r->uses, 1);
	return r;
}

void
what_if_run_end(struct ts_what_if_run *r)
{
	if (!r)
		return;
	atomic_store(&r->closed, true);
	tell(r);
}

void
what_if_run_blame(struct ts_what_if_run *r, int change)
{
	if (r)
		r->blamed = change + 1;
}

int
ts_what_if_run_blamed(const struct ts_what_if_run *r)
{
	return r ? r->blamed - 1 : -1;
}

static void
forget(struct ts_what_if_run *r)
{
	for (int i = 0; i < HELPERS; i++) {
		if (r->helped[i])
			what_if_share_close(r->helped[i]->share);
		free(r->helped[i]);
		r->helped[i] = NULL;
	}
}

void
ts_what_if_run_close(struct ts_what_if_run *r)
{
	bool last;

	if (!r)
		return;
	/* under the lock: nobody frees it while another one tells or waits */
	pthread_mutex_lock(&r->lock);
	last = atomic_fetch_sub(&r->uses, 1) == 1;
	pthread_cond_broadcast(&r->news);
	pthread_mutex_unlock(&r->lock);
	if (!last)
		return;
	forget(r);
	ts_tile_set_fini(&r->selected);
	pthread_cond_destroy(&r->news);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

/* Part i of all rows. */
static enum ts_code
read_part(struct what_if_share *h, const struct ts_report *report, int i, _Atomic int64_t *seen,
	struct ts_err *err)
{
	const struct ts_reach *reach = &report->binding[TS_LOWERED_VARIABLE].reach;
	int64_t span = ts_reach_span(reach), each = span / PARTS, more = span % PARTS;
	int64_t from = reach->first_rowid + each * i + ts_min_i64(i, more);
	int64_t to = from + each + (i < more);

	return from == to ? TS_OK : what_if_share_read(h, TS_RANGE_ROWID, from, to, seen, err);
}

static enum ts_code
take_parts(struct what_if_share *h, struct ts_what_if_run *r, const struct ts_report *report,
	struct ts_err *err)
{
	enum ts_code code = TS_OK;

	while (!code && !atomic_load(&r->failed)) {
		int i = atomic_fetch_add(&r->next, 1);

		if (i >= PARTS)
			break;
		code = read_part(h, report, i, &r->seen, err);
	}
	return code;
}

/* --- those who help --------------------------------------------------------------------------- */

/* Until somebody tells something; now and then in vain: nobody tells that a token was set. The lock is held. */
static void
wait_for_news(struct ts_what_if_run *r)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += LOOK_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&r->news, &r->lock, &until);
}

/* The leader's share, when it has one to lend; NULL: it is alone, or ends. */
static const struct what_if_share *
wait_for_lead(struct ts_what_if_run *r, const struct ts_reader *rd)
{
	struct what_if_share *lead;

	pthread_mutex_lock(&r->lock);
	/* who is the last to hold it waits for nobody */
	while (!(lead = atomic_load(&r->lead)) && !atomic_load(&r->closed) &&
		atomic_load(&r->uses) > 1 && !ts_cancelled(rd->cancel))
		wait_for_news(r);
	pthread_mutex_unlock(&r->lock);
	return lead;
}

static void
wait_for_helpers(struct ts_what_if_run *r)
{
	pthread_mutex_lock(&r->lock);
	while (atomic_load(&r->active) > 0)
		wait_for_news(r);
	pthread_mutex_unlock(&r->lock);
}

static enum ts_code
help(struct ts_what_if_run *r, int place, const struct what_if_share *lead, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	struct helped *p = ts_alloc(1, sizeof(*p));
	enum ts_code code;

	if (!p)
		return ts_err_nomem(err);
	r->helped[place] = p;
	p->w.changes = r->changes;
	p->work = (struct what_if_work){&p->w, rd, NULL, r->cache, progress, NULL, 0, NULL};
	code = what_if_share_open(&p->share, &p->work, lead, err);
	return code ? code : take_parts(p->share, r, rd->report, err);
}

enum ts_code
ts_what_if_help(struct ts_what_if_run *r, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	const struct what_if_share *lead = wait_for_lead(r, rd);
	enum ts_code code = TS_OK;
	int place = HELPERS;

	atomic_fetch_add(&r->active, 1);
	if (lead && !atomic_load(&r->closed)) /* from here on the leader waits */
		place = atomic_fetch_add(&r->helpers, 1);
	if (place < HELPERS)
		code = help(r, place, lead, rd, progress, err);
	if (code)
		atomic_store(&r->failed, true);
	atomic_fetch_sub(&r->active, 1);
	tell(r);
	return code;
}

/* --- who leads -------------------------------------------------------------------------------- */

static enum ts_code
read_together(struct what_if_share *h, struct ts_what_if_run *r, const struct ts_report *report,
	struct ts_err *err)
{
	enum ts_code code;

	atomic_store(&r->lead, h);
	tell(r);
	code = take_parts(h, r, report, err);
	if (code) /* nor need the others go on */
		atomic_store(&r->failed, true);
	atomic_store(&r->closed, true);
	wait_for_helpers(r); /* nobody has a part any more then */
	for (int i = 0; i < HELPERS && !code && !atomic_load(&r->failed); i++)
		if (r->helped[i])
			code = what_if_share_merge(h, r->helped[i]->share, err);
	forget(r);
	return code;
}

static enum ts_code
read_alone(struct what_if_share *h, struct ts_err *err)
{
	_Atomic int64_t seen = 0;

	return what_if_share_read(h, TS_RANGE_ALL, 0, 0, &seen, err);
}

/* *again: a helper failed, all has to be done once more. */
static enum ts_code
less_of(struct ts_tile_lives **out, bool *again, struct what_if_work *w, struct ts_err *err)
{
	struct what_if_share *h;
	enum ts_code code = what_if_share_open(&h, w, NULL, err);
	bool together = !code && w->run && what_if_share_splits(h);

	*again = false;
	if (!together) /* nobody need wait to help */
		what_if_run_end(w->run);
	if (!code && w->w->changes.count > 0) {
		code = together ? read_together(h, w->run, w->rd->report, err) : read_alone(h, err);
		*again = !code && together && atomic_load(&w->run->failed);
	}
	what_if_run_end(w->run);
	if (!code && !*again)
		code = what_if_share_table(out, h, err);
	what_if_share_close(h);
	return code;
}

enum ts_code
what_if_less(struct ts_tile_lives **out, struct what_if_work *w, struct ts_err *err)
{
	bool again;
	enum ts_code code;

	*out = NULL;
	code = less_of(out, &again, w, err);
	if (!again)
		return code;
	w->run = NULL;
	w->w->unknown = 0;
	for (int i = 0; i < w->w->changes.count; i++)
		w->w->sum[i] = (struct ts_what_if_sum){0};
	return less_of(out, &again, w, err);
}
