/* SPDX-License-Identifier: MIT */
/*
 * what_if - see the header.
 *
 * What tiles lose is a table like that of what they have (what_if_rows.c). Tiles are gone over by IPU: sums of an IPU
 * need two arrays over the points, and are added to those of the device; the tiles with most, and those that lose most,
 * are found on the way, from the runs of what a tile has and of what is left.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/peaks.h"
#include "tilescope/report/liveness.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/target.h"

#include "what_if_internal.h"

enum { IPUS_MOST = 4096, SPLIT = 4 };

/* --- changes ---------------------------------------------------------------------------------- */

static bool
names_the_same(const struct ts_what_if_change *x, const struct ts_what_if_change *y)
{
	if (x->of != y->of)
		return false;
	if (x->of == TS_WHAT_IF_VARIABLE || x->of == TS_WHAT_IF_LOWERED)
		return x->id == y->id;
	return strcmp(x->text, y->text) == 0;
}

int
ts_what_if_find(const struct ts_what_if_changes *c, const struct ts_what_if_change *x)
{
	for (int i = 0; i < c->count; i++)
		if (names_the_same(&c->item[i], x))
			return i;
	return -1;
}

void
ts_what_if_take(struct ts_what_if_changes *c, int i)
{
	memmove(&c->item[i], &c->item[i + 1], (size_t)(c->count - i - 1) * sizeof(c->item[0]));
	c->count--;
	c->version++;
}

bool
ts_what_if_put(struct ts_what_if_changes *c, const struct ts_what_if_change *x)
{
	int i = ts_what_if_find(c, x);

	if (i < 0 && c->count == TS_WHAT_IF_CHANGES)
		return false;
	if (i >= 0)
		ts_what_if_take(c, i);
	c->item[c->count++] = *x;
	c->version++;
	return true;
}

void
ts_what_if_clear(struct ts_what_if_changes *c)
{
	c->count = 0;
	c->version++;
}

bool
ts_what_if_cycle(struct ts_what_if_changes *c, struct ts_what_if_change *x)
{
	int i = ts_what_if_find(c, x);

	x->n = 1;
	if (i < 0) {
		x->how = TS_WHAT_IF_REMOVE;
	} else if (c->item[i].how == TS_WHAT_IF_REMOVE) {
		x->how = TS_WHAT_IF_HALVE;
	} else if (c->item[i].how == TS_WHAT_IF_HALVE) {
		x->how = TS_WHAT_IF_SPLIT;
		x->n = SPLIT;
	} else {
		ts_what_if_take(c, i);
		x->n = 0;
		return true;
	}
	return ts_what_if_put(c, x);
}

void
ts_what_if_how_text(char out[32], const struct ts_what_if_change *x, bool done)
{
	static const char *const words[][2] = {[TS_WHAT_IF_REMOVE] = {"remove", "removed"},
		[TS_WHAT_IF_HALVE] = {"halve", "halved"},
		[TS_WHAT_IF_SPLIT] = {"split", "in"}};

	if (x->how == TS_WHAT_IF_SPLIT)
		snprintf(out, 32, "%s %lld", words[x->how][done], (long long)x->n);
	else
		snprintf(out, 32, "%s", words[x->how][done]);
}

int64_t
ts_what_if_bytes(const struct ts_what_if_change *x, int64_t bytes)
{
	int64_t n = x->how == TS_WHAT_IF_HALVE ? 2 : x->n;

	if (x->how == TS_WHAT_IF_REMOVE)
		return 0;
	return bytes / n + (bytes % n > 0);
}

/* --- peaks ------------------------------------------------------------------------------------ */

struct peaks_work {
	struct ts_what_if *w;
	const struct ts_tile_lives *l, *less;
	struct ts_live_walk *walk;
	int64_t *sum[2], *all[2]; /* by point: of an IPU, of the device; before and after */
	int64_t base[2], all_base[2];
	const struct ts_tile_set *selected; /* or NULL */
	const struct ts_cancel *cancel;
};

/* What is always live on a tile when it loses what it loses. */
static int64_t
base_left(const struct ts_tile_live *t, const struct ts_tile_live *less)
{
	return less ? ts_max_i64(t->base - less->always, 0) : t->base;
}

static struct ts_what_if_peak
peak_of(int64_t base, const struct ts_live_run *run, size_t n, const struct ts_tile_lives *l,
	int64_t tile)
{
	struct ts_what_if_peak p = {base, TS_UNKNOWN, tile};

	for (size_t i = 0; i < n; i++)
		if (base + run[i].bytes > p.bytes) {
			p.bytes = base + run[i].bytes;
			p.step = l->point[run[i].point];
		}
	return p;
}

static bool
is_more(const struct ts_what_if_peak *p, const struct ts_what_if_peak *than)
{
	return than->tile == TS_UNKNOWN || p->bytes > than->bytes ||
		(p->bytes == than->bytes && p->tile < than->tile);
}

/* The two tiles with most. */
static void
offer(struct ts_what_if_peak *best, struct ts_what_if_peak *next, const struct ts_what_if_peak *p)
{
	if (is_more(p, best)) {
		*next = *best;
		*best = *p;
	} else if (is_more(p, next)) {
		*next = *p;
	}
}

/* The tiles that lose most. */
static void
touch(struct ts_what_if *w, const struct ts_what_if_pair *pair, int64_t lost)
{
	int i = w->touches < TS_WHAT_IF_TOUCHED ? w->touches++ : TS_WHAT_IF_TOUCHED;

	w->tiles_touched++;
	for (; i > 0 &&
		(lost > w->lost[i - 1] ||
			(lost == w->lost[i - 1] &&
				pair->before.tile < w->touched[i - 1].before.tile));
		i--)
		if (i < TS_WHAT_IF_TOUCHED) {
			w->touched[i] = w->touched[i - 1];
			w->lost[i] = w->lost[i - 1];
		}
	if (i < TS_WHAT_IF_TOUCHED) {
		w->touched[i] = *pair;
		w->lost[i] = lost;
	}
}

/* What a tile loses, out of the sums of its IPU and of the walk. Returns the bytes. */
static int64_t
take_less(struct peaks_work *p, size_t at)
{
	const struct ts_tile_live *less = &p->less->tile[at];
	struct ts_live_pairs pairs = ts_tile_lives_pairs(p->less, at);
	int64_t bytes, lost = less->always;
	uint32_t class;

	if (!ts_add_i64(&lost, less->unplaced))
		lost = INT64_MAX;
	while (ts_live_pairs_next(&pairs, &class, &bytes) && class < p->l->classes) {
		const struct ts_live_class *c = &p->l->class[class];

		ts_live_walk_pair(p->walk, class, -bytes);
		if (!ts_add_i64(&lost, bytes))
			lost = INT64_MAX;
		for (uint32_t k = c->first; k < c->first + c->count; k++) {
			p->sum[1][p->l->interval[k].from] -= bytes;
			p->sum[1][p->l->interval[k].to] += bytes;
		}
	}
	return lost;
}

static void
add_tile(struct peaks_work *p, size_t i)
{
	const struct ts_tile_live *t = &p->l->tile[i];
	ptrdiff_t at = ts_tile_lives_find(p->less, t->tile);
	const struct ts_tile_live *less = at < 0 ? NULL : &p->less->tile[at];
	struct ts_what_if_pair pair = {.ipu = TS_UNKNOWN};
	const struct ts_live_run *run;
	struct ts_what_if *w = p->w;
	int64_t lost = 0;
	size_t n;

	p->base[0] += t->base;
	p->base[1] += base_left(t, less);
	ts_live_walk_tile(p->walk, i);
	n = ts_live_walk_runs(p->walk, &run);
	for (size_t k = 0; k < n; k++) {
		int64_t change = run[k].bytes - (k > 0 ? run[k - 1].bytes : 0);

		p->sum[0][run[k].point] += change;
		p->sum[1][run[k].point] += change;
	}
	pair.before = pair.after = peak_of(t->base, run, n, p->l, t->tile);
	if (less) {
		ts_live_walk_tile(p->walk, i);
		lost = take_less(p, (size_t)at);
		n = ts_live_walk_runs(p->walk, &run);
		pair.after = peak_of(base_left(t, less), run, n, p->l, t->tile);
	}
	offer(&w->worst.before, &w->next_tile.before, &pair.before);
	offer(&w->worst.after, &w->next_tile.after, &pair.after);
	if (lost > 0)
		touch(w, &pair, lost);
	if (t->tile == w->fullest.before.tile)
		w->fullest = pair;
	if (p->selected && ts_tile_set_has(p->selected, t->tile)) {
		w->selected_tiles++;
		if (is_more(&pair.before, &w->selected.before))
			w->selected.before = pair.before;
		if (is_more(&pair.after, &w->selected.after))
			w->selected.after = pair.after;
	}
}

/* The sums of an IPU are complete: its peaks; into those of the device; begin anew. */
static void
end_ipu(struct peaks_work *p, struct ts_what_if_pair *ipu)
{
	struct ts_what_if_peak *peak[2] = {&ipu->before, &ipu->after};

	for (int k = 0; k < 2; k++) {
		ts_live_sum_up(p->sum[k], p->l->points);
		ts_tile_lives_peak(&peak[k]->bytes, &peak[k]->step, p->l, p->sum[k]);
		peak[k]->bytes += p->base[k];
		peak[k]->tile = TS_UNKNOWN;
		for (size_t i = 0; i < p->l->points; i++)
			p->all[k][i] += p->sum[k][i];
		memset(p->sum[k], 0, p->l->points * sizeof(*p->sum[k]));
		p->all_base[k] += p->base[k];
		p->base[k] = 0;
	}
}

/*
 * Of several replicas, are the lowered variables those of one? What is derived is near what is recorded of one replica
 * then (seldom the same to the byte), else near that many times as much.
 */
static bool
lists_one_replica(const struct ts_what_if *w, int64_t replicas)
{
	return replicas > 1 && w->recorded > 0 &&
		(double)w->derived < (double)w->recorded * ((double)replicas + 1) / 2;
}

/* One replica's bytes on the device, with what is always live. */
static int64_t
of_device(const struct ts_what_if *w, int64_t bytes, int64_t base)
{
	bytes = bytes > TS_NUMBER_MAX / w->times ? TS_NUMBER_MAX : bytes * w->times;
	return bytes + ts_min_i64(base, INT64_MAX - bytes);
}

/* The second highest of the peaks that stand out. */
static enum ts_code
find_next(struct ts_what_if_peak *out, const struct peaks_work *p, int k, struct ts_err *err)
{
	struct ts_peaks peaks;
	enum ts_code code = ts_peaks_find(&peaks, p->all[k], p->l->points, TS_PEAK_SHARE, 2, err);

	*out = (struct ts_what_if_peak){TS_UNKNOWN, TS_UNKNOWN, TS_UNKNOWN};
	if (!code && peaks.count > 1) {
		out->bytes = of_device(p->w, peaks.peak[1].height, p->all_base[k]);
		out->step = p->l->point[peaks.peak[1].at];
	}
	ts_peaks_fini(&peaks);
	return code;
}

static enum ts_code
end_device(struct peaks_work *p, const struct ts_liveness *line, struct ts_err *err)
{
	struct ts_what_if *w = p->w;
	struct ts_what_if_peak *peak[2] = {&w->device.before, &w->device.after};
	struct ts_what_if_peak *next[2] = {&w->next_peak.before, &w->next_peak.after};
	enum ts_code code = TS_OK;
	int64_t step;

	w->recorded = line->peak.bytes;
	ts_tile_lives_peak(&w->derived, &step, p->l, p->all[0]);
	w->times = lists_one_replica(w, line->replicas) ? line->replicas : 1;
	for (int k = 0; k < 2 && !code; k++) {
		ts_tile_lives_peak(&peak[k]->bytes, &peak[k]->step, p->l, p->all[k]);
		peak[k]->bytes = of_device(w, peak[k]->bytes, p->all_base[k]);
		peak[k]->tile = TS_UNKNOWN;
		code = find_next(next[k], p, k, err);
	}
	return code;
}

/* A tile's place and its IPU, to go over them by IPU. */
struct place {
	uint32_t ipu, at;
};

static int
by_ipu(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->ipu != y->ipu)
		return x->ipu < y->ipu ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static struct place *
order_places(const struct ts_tile_lives *l)
{
	struct place *place = ts_alloc(l->tiles, sizeof(*place));
	bool sorted = true;

	for (size_t i = 0; place && i < l->tiles; i++) {
		place[i] = (struct place){l->tile[i].ipu, (uint32_t)i};
		sorted = sorted && (i == 0 || place[i - 1].ipu <= place[i].ipu);
	}
	if (place && !sorted)
		qsort(place, l->tiles, sizeof(*place), by_ipu);
	return place;
}

static enum ts_code
add_ipus(struct peaks_work *p, const struct place *place, struct ts_err *err)
{
	struct ts_what_if *w = p->w;
	size_t cap = 0;

	for (size_t i = 0; i < p->l->tiles; i++) {
		void *room = w->ipu;

		if (ts_cancelled(p->cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		add_tile(p, place[i].at);
		if (i + 1 < p->l->tiles && place[i + 1].ipu == place[i].ipu)
			continue;
		if (w->ipus == IPUS_MOST)
			return ts_err_set(err, TS_E_LIMIT, "more than %d IPUs", IPUS_MOST);
		if (!ts_room(&room, &cap, (size_t)w->ipus, sizeof(*w->ipu)))
			return ts_err_nomem(err);
		w->ipu = room;
		w->ipu[w->ipus].ipu = place[i].ipu == TS_LIVE_NO_IPU ? TS_UNKNOWN : place[i].ipu;
		end_ipu(p, &w->ipu[w->ipus++]);
	}
	return TS_OK;
}

static enum ts_code
find_peaks(struct what_if_work *work, const struct ts_tile_lives *l,
	const struct ts_tile_lives *less, const struct ts_liveness *line, struct ts_err *err)
{
	struct ts_what_if *w = work->w;
	struct peaks_work p = {.w = w,
		.l = l,
		.less = less,
		.selected = work->selected,
		.cancel = work->rd->cancel};
	static const struct ts_what_if_pair nothing = {.ipu = TS_UNKNOWN,
		.before = {0, TS_UNKNOWN, TS_UNKNOWN},
		.after = {0, TS_UNKNOWN, TS_UNKNOWN}};
	struct place *place = order_places(l);
	bool room = place != NULL;
	enum ts_code code;

	w->device = w->next_peak = w->worst = w->next_tile = w->selected = nothing;
	w->fullest.after = nothing.after;
	w->fullest.ipu = TS_UNKNOWN;
	p.walk = ts_live_walk_new(l);
	for (int k = 0; k < 2; k++) {
		p.sum[k] = ts_alloc(l->points, sizeof(*p.sum[k]));
		p.all[k] = ts_alloc(l->points, sizeof(*p.all[k]));
		room = room && p.sum[k] && p.all[k];
	}
	code = room && p.walk ? add_ipus(&p, place, err) : ts_err_nomem(err);
	if (!code)
		code = end_device(&p, line, err);
	for (int k = 0; k < 2; k++) {
		free(p.sum[k]);
		free(p.all[k]);
	}
	ts_live_walk_free(p.walk);
	free(place);
	return code;
}

/* --- all of it -------------------------------------------------------------------------------- */

static bool
ends_all(enum ts_code code)
{
	return code == TS_E_CANCELLED || code == TS_E_NOMEM;
}

/* Which tile is the fullest; where that cannot be said to be so none is. */
static enum ts_code
find_fullest(struct ts_what_if *w, struct ts_tiles *t, struct ts_reader *rd, struct ts_err *err)
{
	enum ts_code code = ts_tiles_read(t, rd, err);

	w->fullest.before = (struct ts_what_if_peak){0, TS_UNKNOWN, TS_UNKNOWN};
	w->fullest_used = w->worst_used = TS_UNKNOWN;
	if (ends_all(code))
		return code;
	if (!code && t->count > 0 && !t->partial && t->bad_rows == 0) {
		w->fullest.before.tile = t->tile[t->worst].tile;
		w->fullest_used = ts_tile_used(&t->tile[t->worst]);
	}
	return TS_OK;
}

static void
count_unplaced(struct ts_what_if *w, const struct ts_tile_lives *l)
{
	w->unplaced = l->unplaced;
	for (size_t i = 0; i < l->tiles; i++)
		w->unplaced_bytes += l->tile[i].unplaced; /* all bytes of the table fit 63 bits */
}

/* Peaks from both tables; the timeline only says what is recorded. */
static enum ts_code
work_out(struct what_if_work *w, struct ts_tile_lives *l, struct ts_err *err)
{
	struct ts_tile_lives *less = NULL;
	struct ts_liveness line;
	struct ts_tiles tiles;
	struct ts_err why;
	enum ts_code damage = what_if_less(&less, w, err), code;
	ptrdiff_t at;

	if (!less)
		return damage;
	count_unplaced(w->w, l);
	code = ts_liveness_read(&line, w->rd, NULL, &why);
	if (!ends_all(code)) {
		code = find_fullest(w->w, &tiles, w->rd, &why);
		if (!code)
			code = l->points == less->points && l->classes == less->classes
				? find_peaks(w, l, less, &line, &why)
				: ts_err_set(&why, TS_E_STALE, "the report has changed");
		at = code ? -1 : ts_tiles_find(&tiles, w->w->worst.before.tile);
		if (at >= 0)
			w->w->worst_used = ts_tile_used(&tiles.tile[at]);
		ts_tiles_fini(&tiles);
	}
	if (code && err)
		*err = why;
	ts_liveness_fini(&line);
	ts_tile_lives_close(less);
	return code ? code : damage;
}

static enum ts_code
read_what_if(struct ts_what_if **out, struct what_if_work *work, struct ts_tile_lives *l,
	const struct ts_what_if_changes *changes, struct ts_err *err)
{
	struct ts_what_if *w = ts_alloc(1, sizeof(*w));
	enum ts_code damage = TS_OK, code;

	*out = NULL;
	if (!w)
		return ts_err_nomem(err);
	work->w = w;
	w->changes = *changes;
	if (l)
		ts_tile_lives_hold(l);
	else
		damage = ts_tile_lives_read(&l, work->rd, work->progress, err);
	code = l ? work_out(work, l, err) : damage;
	ts_tile_lives_close(l);
	if (code && code != TS_E_DAMAGED) {
		ts_what_if_free(w);
		return code;
	}
	*out = w;
	return code ? code : damage;
}

enum ts_code
ts_what_if_read(struct ts_what_if **out, struct ts_reader *rd, struct ts_tile_lives *l,
	const struct ts_what_if_changes *changes, struct ts_groups *groups,
	const struct ts_cache *cache, struct ts_progress *progress, struct ts_err *err)
{
	struct what_if_work work = {NULL, rd, groups, cache, progress, NULL, 0, NULL};

	return read_what_if(out, &work, l, changes, err);
}

enum ts_code
ts_what_if_lead(struct ts_what_if **out, struct ts_what_if_run *run, struct ts_reader *rd,
	const struct ts_what_if_changes *changes, struct ts_groups *groups,
	const struct ts_cache *cache, struct ts_progress *progress, struct ts_err *err)
{
	struct what_if_work work = {NULL, rd, groups, cache, progress, run, 0,
		what_if_run_selected(run)};
	enum ts_code code;

	if (!ts_tile_lives_quick(rd->index)) /* a pass comes first, and it is alone then */
		what_if_run_end(run);
	code = read_what_if(out, &work, NULL, changes, err);
	if (code)
		what_if_run_blame(run, work.blamed - 1);
	what_if_run_end(run);
	return code;
}

void
ts_what_if_free(struct ts_what_if *w)
{
	if (!w)
		return;
	free(w->ipu);
	free(w);
}
