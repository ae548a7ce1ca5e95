/* SPDX-License-Identifier: MIT */
/*
 * insights_memory - measures of the memory: tiles, gaps, code, the peak and what is alive then.
 *
 * Shares of a category are of the bytes in use without gaps, for categories have none; where those are not recorded, of
 * the bytes of all categories.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"

#include "insights_internal.h"

enum { REPLICAS = 48, NAME = 100 };

static const struct ts_tile *
worst_tile(const struct measure *m)
{
	const struct ts_tiles *t = &m->facts->tiles;

	return m->facts->has_tiles ? &t->tile[t->worst] : NULL;
}

static void
name_place(struct ts_finding *f, const char *view, int64_t tile, const char *more)
{
	snprintf(f->place, sizeof(f->place), "%s?tile=%" PRId64 "%s", view, tile, more);
}

/* Of a tile above its limit: how much of what is allocated is ever alive at once, code and all, against the limit. */
static void
say_live(struct ts_finding *f, const struct measure *m, const struct ts_tile *t, int64_t limit)
{
	const struct ts_full_tile *full = &m->facts->fullest.tile[0];
	char live[TS_FMT_MAX], by[TS_FMT_MAX];
	size_t at = strlen(f->evidence);

	if (ts_tile_used(t) <= limit || m->facts->fullest.count == 0 || full->tile != t->tile ||
		full->live == TS_UNKNOWN)
		return;
	snprintf(f->evidence + at, sizeof(f->evidence) - at,
		"; at most %s of it alive at once, %s %s the limit",
		ts_fmt_bytes(live, full->live, m->units),
		ts_fmt_bytes(by, full->live > limit ? full->live - limit : limit - full->live,
			m->units),
		full->live > limit ? "above" : "below");
}

bool
measure_worst_tile_share(struct ts_finding *f, const struct measure *m)
{
	int64_t limit = m->facts->target.bytes_per_tile;
	const struct ts_tile *t = worst_tile(m);
	char used[TS_FMT_MAX], of[TS_FMT_MAX], share[TS_FMT_MAX], more[TS_FMT_MAX + 20] = "";

	if (!t)
		return measure_missing(f, "the memory of tiles is");
	if (limit <= 0)
		return measure_missing(f, "how much memory a tile has is");
	f->value = (double)ts_tile_used(t) / (double)limit;
	if (ts_tile_used(t) > limit)
		snprintf(more, sizeof(more), "%s too much on ",
			ts_fmt_bytes(used, ts_tile_used(t) - limit, m->units));
	snprintf(f->evidence, sizeof(f->evidence), "%s: %stile %" PRId64 ", %s of %s%s%s",
		ts_fmt_percent(share, (double)ts_tile_used(t), (double)limit), more, t->tile,
		ts_fmt_bytes(used, ts_tile_used(t), m->units), ts_fmt_bytes(of, limit, m->units),
		m->facts->target.assumed ? " (assumed)" : "",
		t->total_gaps == TS_UNKNOWN ? "; whether with gaps is not known" : ", with gaps");
	say_live(f, m, t, limit);
	name_place(f, "memory", t->tile, "");
	return true;
}

bool
measure_overflowed_bytes(struct ts_finding *f, const struct measure *m)
{
	const struct ts_tiles *t = &m->facts->tiles;
	int64_t limit = m->facts->target.bytes_per_tile, sum = 0, over = 0, most = 0, worst = -1;
	char bytes[TS_FMT_MAX], tiles[TS_FMT_MAX];
	bool recorded = false;

	for (size_t i = 0; i < t->count; i++) {
		int64_t more = limit > 0 ? ts_max_i64(ts_tile_used(&t->tile[i]) - limit, 0) : 0;

		recorded |= t->tile[i].overflowed != TS_UNKNOWN;
		more = ts_max_i64(more, t->tile[i].overflowed);
		if (more > most)
			worst = t->tile[i].tile;
		most = ts_max_i64(most, more);
		over += more > 0;
		if (!ts_add_i64(&sum, more))
			sum = INT64_MAX;
	}
	if (!m->facts->has_tiles)
		return measure_missing(f, "the memory of tiles is");
	if (limit <= 0 && !recorded)
		return measure_missing(f, "how much memory a tile has, and what overflows, is");
	f->value = (double)sum;
	if (over == 0)
		snprintf(f->evidence, sizeof(f->evidence), "no tile has more than it can hold");
	else
		snprintf(f->evidence, sizeof(f->evidence), "%s on %s tile%s, most on %" PRId64,
			ts_fmt_bytes(bytes, sum, m->units), ts_fmt_count(tiles, over),
			over == 1 ? "" : "s", worst);
	if (over > 0)
		name_place(f, "memory", worst, "");
	return true;
}

bool
measure_tile_imbalance(struct ts_finding *f, const struct measure *m)
{
	const struct ts_tiles *t = &m->facts->tiles;
	const struct ts_tile *w = worst_tile(m);
	char most[TS_FMT_MAX], mean[TS_FMT_MAX];
	double average;

	if (!w || t->used <= 0)
		return measure_missing(f, "the memory of tiles is");
	average = (double)t->used / (double)t->count;
	f->value = (double)ts_tile_used(w) / average;
	f->saving = ts_tile_used(w) - (int64_t)average;
	snprintf(f->evidence, sizeof(f->evidence),
		"%.2f times the mean: tile %" PRId64 ", %s; mean of all tiles %s", f->value,
		w->tile, ts_fmt_bytes(most, ts_tile_used(w), m->units),
		ts_fmt_bytes(mean, (int64_t)average, m->units));
	name_place(f, "memory", w->tile, "");
	return true;
}

bool
measure_gaps_share(struct ts_finding *f, const struct measure *m)
{
	const struct ts_tiles *t = &m->facts->tiles;
	int64_t gaps = t->total_gaps - t->total;
	char bytes[TS_FMT_MAX], share[TS_FMT_MAX];

	if (!m->facts->has_tiles || t->total_gaps == TS_UNKNOWN || t->total == TS_UNKNOWN)
		return measure_missing(f, "memory with and without gaps is");
	if (t->total_gaps <= 0 || gaps < 0)
		return measure_missing(f, "memory with gaps that is not less than without is");
	f->value = (double)gaps / (double)t->total_gaps;
	f->saving = gaps;
	f->saving_of = TS_SAVING_DEVICE;
	snprintf(f->evidence, sizeof(f->evidence), "%s of the memory in use: %s of gaps",
		ts_fmt_percent(share, (double)gaps, (double)t->total_gaps),
		ts_fmt_bytes(bytes, gaps, m->units));
	snprintf(f->place, sizeof(f->place), "memory");
	return true;
}

static int64_t
category_bytes(const struct ts_categories *c, const char *name)
{
	for (int i = 0; i < c->count; i++)
		if (strcmp(c->category[i].name, name) == 0)
			return c->category[i].bytes;
	return 0;
}

/* The share of some categories in all of them, and the largest of them. */
static bool
share_of(struct ts_finding *f, const struct measure *m, const char *const *names, int n,
	const char *what)
{
	const struct ts_categories *c = &m->facts->categories;
	const struct ts_category *largest = NULL;
	bool used = m->facts->has_tiles && m->facts->tiles.total > 0;
	int64_t all = 0, sum = 0;
	char bytes[TS_FMT_MAX], share[TS_FMT_MAX], worst[TS_FMT_MAX];

	if (!m->facts->has_categories)
		return measure_missing(f, "the categories of memory are");
	for (int i = 0; i < c->count; i++) {
		const struct ts_category *k = &c->category[i];

		if (k->bytes > 0 && !ts_category_is_named(k))
			return measure_missing(f, "the name of each category is");
		if (!ts_add_i64(&all, k->bytes))
			all = INT64_MAX;
		for (int j = 0; j < n; j++)
			if (strcmp(k->name, names[j]) == 0) {
				if (!ts_add_i64(&sum, k->bytes))
					sum = INT64_MAX;
				if (!largest || k->worst_tile_bytes > largest->worst_tile_bytes)
					largest = k;
			}
	}
	if (used)
		all = m->facts->tiles.total;
	if (all <= 0)
		return measure_missing(f, "the bytes of categories are");
	f->value = (double)sum / (double)all;
	snprintf(f->evidence, sizeof(f->evidence), "%s of %s: %s of %s",
		ts_fmt_percent(share, (double)sum, (double)all),
		used ? "the memory in use" : "all categories", ts_fmt_bytes(bytes, sum, m->units),
		what);
	if (largest && largest->worst_tile >= 0) {
		size_t at = strlen(f->evidence);

		snprintf(f->evidence + at, sizeof(f->evidence) - at,
			"; most of one kind on a tile: %s of %s on tile %" PRId64,
			ts_fmt_bytes(worst, largest->worst_tile_bytes, m->units), largest->name,
			largest->worst_tile);
		name_place(f, "memory", largest->worst_tile, "&by=category");
	}
	return true;
}

bool
measure_code_share(struct ts_finding *f, const struct measure *m)
{
	static const char *const code[] = {"vertexCode", "controlCode", "internalExchangeCode",
		"globalExchangeCode", "hostExchangeCode", "sharedCodeStorage"};

	return share_of(f, m, code, TS_COUNT(code), "code");
}

bool
measure_exchange_code_share(struct ts_finding *f, const struct measure *m)
{
	static const char *const code[] = {"internalExchangeCode"};

	return share_of(f, m, code, TS_COUNT(code), "internal exchange code");
}

bool
measure_profiling_share(struct ts_finding *f, const struct measure *m)
{
	static const char *const results[] = {"instrumentationResults"};

	if (!share_of(f, m, results, TS_COUNT(results), "instrumentation results"))
		return false;
	f->saving = category_bytes(&m->facts->categories, results[0]);
	f->saving_of = TS_SAVING_DEVICE;
	return true;
}

/* What figures of the device count, where there is more than one replica. */
static const char *
of_replicas(char out[REPLICAS], const struct ts_liveness *l)
{
	out[0] = '\0';
	if (l->replicas > 1)
		snprintf(out, REPLICAS, ", all %" PRId64 " replicas", l->replicas);
	return out;
}

/* Steady: the mean over all steps. */
bool
measure_peak_over_steady(struct ts_finding *f, const struct measure *m)
{
	const struct ts_liveness *l = &m->facts->liveness;
	struct ts_live_range all;
	char peak[TS_FMT_MAX], mean[TS_FMT_MAX], step[TS_FMT_MAX], replicas[REPLICAS];

	if (!m->facts->has_liveness)
		return measure_missing(f, "what is alive at each step is");
	ts_liveness_range(&all, l, 0, l->count);
	if (all.mean <= 0)
		return measure_missing(f, "memory that is not always live is");
	f->value = (double)all.bytes / all.mean;
	f->saving = ts_liveness_device(l, all.bytes - (int64_t)all.mean);
	f->saving_of = TS_SAVING_DEVICE;
	snprintf(f->evidence, sizeof(f->evidence),
		"%.2f times the mean at step %s: %s not always live, mean of all steps %s%s",
		f->value, ts_fmt_count(step, l->step[all.highest]),
		ts_fmt_bytes(peak, ts_liveness_device(l, all.bytes), m->units),
		ts_fmt_bytes(mean, ts_liveness_device(l, (int64_t)all.mean), m->units),
		of_replicas(replicas, l));
	snprintf(f->place, sizeof(f->place), "liveness?step=%" PRId64, l->step[all.highest]);
	return true;
}

/* Of the variables that are alive at the peak; false: not known. */
static bool
has_alive(struct ts_finding *f, const struct measure *m)
{
	if (!m->facts->has_peak)
		return measure_missing(f, "variables before lowering are");
	if (!m->facts->peak.has_lives)
		return measure_missing(f, "which variables are alive at which step is");
	snprintf(f->place, sizeof(f->place), "liveness?step=%" PRId64, m->facts->peak.step);
	return true;
}

/* A name, or the end of a long one, which tells it from others. */
static const char *
shown_name(char out[NAME], const char *name)
{
	size_t n = name ? strlen(name) : 0, most = NAME - sizeof("\u2026");

	if (!name)
		return "a variable without a name";
	if (n <= most)
		return name;
	name += n - most;
	while (((unsigned char)*name & 0xc0) == 0x80) /* in a character */
		name++;
	snprintf(out, NAME, "\u2026%s", name);
	return out;
}

/* What is alive then and no variable: with it Liveness comes to more. "": nothing is. */
static const char *
beside(const struct measure *m, char out[TS_FMT_MAX + 40])
{
	char bytes[TS_FMT_MAX];

	out[0] = '\0';
	if (m->facts->peak.code.bytes > 0)
		snprintf(out, TS_FMT_MAX + 40, ", %s of code and state not counted",
			ts_fmt_bytes(bytes, m->facts->peak.code.bytes, m->units));
	return out;
}

bool
measure_fp32_share(struct ts_finding *f, const struct measure *m)
{
	const struct ts_peak_variables *p = &m->facts->peak;
	int64_t whole = ts_peak_bytes(p);
	char bytes[TS_FMT_MAX], share[TS_FMT_MAX], step[TS_FMT_MAX], most[TS_FMT_MAX];
	char replicas[REPLICAS], code[TS_FMT_MAX + 40], name[NAME];
	size_t at;

	if (!has_alive(f, m))
		return false;
	if (!p->has_types)
		return measure_missing(f, "the element type of variables is");
	if (whole <= 0)
		return measure_missing(f, "memory that is alive at the peak is");
	f->value = (double)p->fp32.bytes / (double)whole;
	f->saving = p->fp32.bytes / 2;
	f->saving_of = TS_SAVING_DEVICE;
	snprintf(f->evidence, sizeof(f->evidence),
		"%s of the variables alive at step %s: %s of FP32 of %s%s%s",
		ts_fmt_percent(share, (double)p->fp32.bytes, (double)whole),
		ts_fmt_count(step, p->step), ts_fmt_bytes(bytes, p->fp32.bytes, m->units),
		ts_fmt_bytes(most, whole, m->units), of_replicas(replicas, &m->facts->liveness),
		beside(m, code));
	at = strlen(f->evidence);
	if (p->halves.count > 0)
		snprintf(f->evidence + at, sizeof(f->evidence) - at, "; the largest is %s (%s)",
			shown_name(name, p->halves.row[0].name),
			ts_fmt_bytes(most, p->halves.row[0].bytes, m->units));
	return true;
}

/* On the fullest tile, at its own peak. */
bool
measure_fp32_of_tile(struct ts_finding *f, const struct measure *m)
{
	const struct ts_full_tile *t = &m->facts->fullest.tile[0];
	char bytes[TS_FMT_MAX], share[TS_FMT_MAX], n[TS_FMT_MAX], step[TS_FMT_MAX];
	char most[TS_FMT_MAX + 4];
	char name[NAME];
	size_t at;

	if (!m->facts->has_tiles)
		return measure_missing(f, "the memory of tiles is");
	if (!t->has_fp32)
		return measure_missing(f, "what is FP32 on a tile, and when it is alive, is");
	if (t->used <= 0)
		return measure_missing(f, "memory in use on a tile is");
	f->value = (double)t->fp32_bytes / (double)t->used;
	f->saving = t->fp32_bytes / 2;
	snprintf(f->evidence, sizeof(f->evidence),
		"%s of what tile %" PRId64 " uses: %s in %s FP32 variable%s alive at its peak%s%s",
		ts_fmt_percent(share, (double)t->fp32_bytes, (double)t->used), t->tile,
		ts_fmt_bytes(bytes, t->fp32_bytes, m->units), ts_fmt_count(n, t->fp32),
		t->fp32 == 1 ? "" : "s", t->peak_step == TS_UNKNOWN ? "" : ", step ",
		t->peak_step == TS_UNKNOWN ? "" : ts_fmt_count(step, t->peak_step));
	at = strlen(f->evidence);
	snprintf(most, sizeof(most), " (%s)", ts_fmt_bytes(bytes, t->fp32_most, m->units));
	if (t->fp32 > 0)
		snprintf(f->evidence + at, sizeof(f->evidence) - at, "%s%s%s",
			t->fp32 > 1 ? "; the largest is " : ": ", shown_name(name, t->fp32_name),
			t->fp32 > 1 ? most : "");
	if (t->peak_step == TS_UNKNOWN)
		name_place(f, "memory", t->tile, "&tab=variables");
	else
		snprintf(f->place, sizeof(f->place),
			"liveness?source=tile%%20%" PRId64 "&step=%" PRId64 "&tab=variables",
			t->tile, t->peak_step);
	return true;
}

/* How few variables are half of what is alive at the peak. */
bool
measure_half_of_peak(struct ts_finding *f, const struct measure *m)
{
	const struct ts_peak_variables *p = &m->facts->peak;
	int64_t k;
	char bytes[TS_FMT_MAX], step[TS_FMT_MAX], replicas[REPLICAS], code[TS_FMT_MAX + 40];
	char name[NAME];
	size_t at;

	if (!has_alive(f, m))
		return false;
	if (ts_peak_bytes(p) <= 0)
		return measure_missing(f, "memory that is alive at the peak is");
	k = ts_peak_share(p, 50);
	f->value = k == TS_UNKNOWN ? TS_PEAK_ROWS + 1 : (double)k;
	snprintf(f->evidence, sizeof(f->evidence),
		"%s%lld variable%s half of it: of %s of variables alive at step %s%s%s",
		k == TS_UNKNOWN ? "more than " : "",
		(long long)(k == TS_UNKNOWN ? TS_PEAK_ROWS : k), k == 1 ? " is" : "s are",
		ts_fmt_bytes(bytes, ts_peak_bytes(p), m->units), ts_fmt_count(step, p->step),
		of_replicas(replicas, &m->facts->liveness), beside(m, code));
	at = strlen(f->evidence);
	if (p->largest.count > 0)
		snprintf(f->evidence + at, sizeof(f->evidence) - at, "; the largest is %s",
			shown_name(name, p->largest.row[0].name));
	return true;
}
