/* SPDX-License-Identifier: MIT */
/*
 * indexing_title - how far the index is, in words: for the title row, and for the Jobs view.
 *
 * Percent and time left are those of the whole build: rows of all its stages, weighed by what a row of
 * each costs, for a stage that has begun does not tell how long the others take. What is shown never goes
 * backwards; but a time left that has become far too short (the machine is busy by now) is given up.
 *
 * Rates and times come from the monotonic clock. Texts are kept between ticks, so that a frame that a
 * key causes does not change them. Each is as wide whatever it says: tabs do not move.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tilescope/app/app.h"
#include "tilescope/base/mem.h"

enum { RATE_US = 500000 }; /* no rate from less than that */

static const char *const state_names[] = {
	[TS_INDEXING_OFF] = "not kept",
	[TS_INDEXING_LOOKING] = "looking what there is",
	[TS_INDEXING_WAITING] = "about to begin",
	[TS_INDEXING_BUSY] = "another program builds it",
	[TS_INDEXING_BEGINNING] = "building",
	[TS_INDEXING_PARTS] = "building",
	[TS_INDEXING_FINISHING] = "writing",
	[TS_INDEXING_DROPPING] = "building",
	[TS_INDEXING_ENDING] = "ending",
	[TS_INDEXING_DONE] = "complete",
	[TS_INDEXING_STOPPED] = "stopped (:index goes on)",
};

/* Row ids may lie any distance apart: so many rows do not fit into a file of this size. */
enum { ROW_BYTES_LEAST = 4 };

/* What a row of a section's relation costs, about: nanoseconds. */
static const int row_costs[TS_SECTION_COUNT] = {
	[TS_SECTION_CATEGORIES] = 45,
	[TS_SECTION_VARIABLES] = 45,
	[TS_SECTION_LIVENESS] = 90,
	[TS_SECTION_STEPS] = 90,
	[TS_SECTION_LANES] = 70,
	[TS_SECTION_LIVES] = 90,
	[TS_SECTION_TILE_LIVES] = 60,
	[TS_SECTION_PIECES] = 45,
	[TS_SECTION_IPU_LIVES] = 120,
	[TS_SECTION_IPU_STEPS] = 90,
	[TS_SECTION_RUNS] = 60,
	[TS_SECTION_WORK] = 500,
	[TS_SECTION_COLUMNS] = 200,
	[TS_SECTION_TILE_ROWS] = 150,
	[TS_SECTION_NAME_TILES] = 20,
	[TS_SECTION_STACKS] = 600,
	[TS_SECTION_NAMES] = 1000,
};

/* How far a stage, or several, are. */
struct extent {
	int64_t done, total; /* rows; total 0 = not known */
};

static int64_t
stage_rows(const struct ts_indexing *ix, int stage)
{
	int64_t rows = ts_build_rows(ix->build, stage);

	return rows <= ix->report->identity.bytes / ROW_BYTES_LEAST ? rows : 0;
}

/* The stage under way. */
static struct extent
measure(const struct ts_indexing *ix)
{
	struct extent e = {ix->ended_rows, stage_rows(ix, ix->stage)};

	for (int i = 0; i < TS_PASS_PARTS && ix->state == TS_INDEXING_PARTS; i++)
		if (ix->part[i])
			e.done += ix->part[i]->progress.done;
	return e;
}

static double
share_of(const struct extent *e)
{
	return e->total > 0 ? (double)ts_min_i64(e->done, e->total) / (double)e->total : 0;
}

static int
cost_of(const struct ts_build *b, int stage)
{
	uint64_t sections = ts_build_sections(b, stage);

	for (int s = TS_SECTION_COUNT; s-- > 0;)
		if (sections & ts_section_bit(s))
			return row_costs[s];
	return 0;
}

/* The whole build: rows of all stages, and what share of the work is done; negative = not known. */
static double
measure_all(struct extent *all, const struct ts_indexing *ix)
{
	double done = 0, total = 0;
	bool known = true;

	*all = (struct extent){0};
	for (int i = 0; i < ts_build_stages(ix->build); i++) {
		int64_t rows = stage_rows(ix, i);
		struct extent e = {i < ix->stage ? rows : 0, rows};
		double cost = (double)rows * cost_of(ix->build, i);

		if (i == ix->stage)
			e = measure(ix);
		all->done += e.done;
		all->total += e.total;
		done += cost * share_of(&e);
		total += cost;
		known &= rows > 0;
	}
	if (!known)
		all->total = 0;
	return known && total > 0 ? done / total : -1;
}

int64_t
ts_indexing_left(const struct ts_indexing *ix, int64_t now)
{
	struct extent e;
	double left;

	if (!ix->build || ix->state != TS_INDEXING_PARTS || now - ix->stage_us < RATE_US)
		return 0;
	e = measure(ix);
	if (e.total <= e.done)
		return 0;
	left = (double)(now - ix->stage_us) * (double)(e.total - e.done) /
		(double)(e.done > 0 ? e.done : 1);
	return left < 9e18 ? (int64_t)left : INT64_MAX; /* row ids may lie any distance apart */
}

/* --- the title row ---------------------------------------------------------------------------- */

/* 12345678 -> "12.3 M" of 3 figures, "12M" of 2 and without a blank. */
static void
print_count(char out[TS_FMT_MAX], double v, int figures, const char *blank)
{
	static const char *const units[] = {"", "k", "M", "G", "T"};
	double limit = figures > 2
		? 9.995
		: 9.95; /* that is written with one figure more before the point */
	int before = 1;
	size_t u = 0;

	for (; v >= 999.5 && u + 1 < TS_COUNT(units); u++)
		v /= 1000;
	for (; v >= limit && before < 3; limit *= 10)
		before++;
	snprintf(out, TS_FMT_MAX, "%.*f%s%s", u == 0 || before > figures ? 0 : figures - before, v,
		u ? blank : "", units[u]);
}

/* 12.3 -> "12 s left", and as brief: "12s". */
static void
print_left(char out[TS_FMT_MAX], char brief[TS_FMT_MAX], double seconds)
{
	static const struct {
		const char *unit, *brief;
		double seconds;
	} units[] = {{"s", "s", 1}, {"min", "m", 60}, {"h", "h", 3600}};
	size_t u = 0;

	while (u + 1 < TS_COUNT(units) && seconds >= 99.5 * units[u].seconds)
		u++;
	seconds /= units[u].seconds;
	if (seconds < 1)
		seconds = 1;
	else if (seconds > 99)
		seconds = 99;
	snprintf(out, TS_FMT_MAX, "%.0f %s left", seconds, units[u].unit);
	snprintf(brief, TS_FMT_MAX, "%.0f%s", seconds, units[u].brief);
}

/* What is shown of share and time: neither goes backwards. */
static void
move_on(struct ts_indexing *ix, double share, int64_t took)
{
	double left = share > 0 ? (double)took / 1e6 * (1 - share) / share : -1;
	int percent = share > 0 ? (int)(share * 100) : 0;

	if (percent > ix->percent)
		ix->percent = percent < 99 ? percent : 99; /* writing the last section is to come */
	if (took < RATE_US || left < 0)
		return;
	if (ix->left_s < 0 || left < ix->left_s || left > ix->left_s * 1.5 + 2)
		ix->left_s = left;
}

static void
write_titles(struct ts_indexing *ix, const struct extent *e, double share, int64_t took)
{
	char percent[8] = "", done[TS_FMT_MAX], total[TS_FMT_MAX] = "", left[TS_FMT_MAX] = "";
	char rate[TS_FMT_MAX] = "", tight[TS_FMT_MAX] = "", brief[TS_FMT_MAX] = "";
	double per_second = took > 0 ? (double)e->done / ((double)took / 1e6) : 0;

	if (share >= 0)
		snprintf(percent, sizeof(percent), "%d %%", ix->percent);
	print_count(done, (double)e->done, 3, " ");
	if (e->total > 0)
		print_count(total, (double)e->total, 3, " ");
	if (took >= RATE_US && e->done > 0) {
		print_count(rate, per_second, 3, " ");
		print_count(tight, per_second, 2, "");
	}
	if (share >= 0 && ix->left_s >= 0)
		print_left(left, brief, ix->left_s);
	snprintf(ix->title[0], TS_INDEXING_TITLE, "index %4s  %6.6s%s%6.6s rows  %6.6s%s  %11.11s",
		percent, done, *total ? " of " : "    ", total, rate, *rate ? " rows/s" : "       ",
		left);
	snprintf(ix->title[1], TS_INDEXING_TITLE, "index %4s  %6.6s%s  %11.11s", percent, rate,
		*rate ? " rows/s" : "       ", left);
	snprintf(ix->title[2], TS_INDEXING_TITLE, "index %4s %4.4s%s %11.11s", percent, tight,
		*tight ? "/s" : "  ", left);
	if (share >= 0)
		snprintf(percent, sizeof(percent), "%d%%", ix->percent);
	snprintf(ix->title[3], TS_INDEXING_TITLE, "index %3s %4.4s%s %3.3s", percent, tight,
		*tight ? "/s" : "  ", brief);
	snprintf(ix->title[4], TS_INDEXING_TITLE, "index %3s", percent);
}

static void
write_title(struct ts_indexing *ix, int64_t now)
{
	struct extent e;
	double share;

	for (int i = 0; i < TS_INDEXING_TITLES; i++)
		ix->title[i][0] = '\0';
	if (!ix->build || ix->state < TS_INDEXING_BEGINNING || ix->state > TS_INDEXING_DROPPING)
		return;
	share = measure_all(&e, ix);
	move_on(ix, share, now - ix->build_us);
	write_titles(ix, &e, share, now - ix->build_us);
}

const char *
ts_indexing_title(const struct ts_indexing *ix, int columns)
{
	for (int i = 0; i < TS_INDEXING_TITLES; i++)
		if ((int)strlen(ix->title[i]) <= columns)
			return ix->title[i];
	return "";
}

/* --- for the Jobs view ------------------------------------------------------------------------ */

/* -1: cannot be told. */
static int
stage_percent(const struct ts_indexing *ix)
{
	struct extent e = measure(ix);

	return e.total > 0 ? (int)(share_of(&e) * 100) : -1;
}

static void
write_status(struct ts_app *app)
{
	struct ts_indexing *ix = &app->indexing;
	bool building = ix->build && ix->state >= TS_INDEXING_BEGINNING &&
		ix->state <= TS_INDEXING_DROPPING;
	uint64_t now = building ? ts_build_sections(ix->build, ix->stage) : 0, later = 0;
	size_t size;

	for (int i = ix->stage + 1; building && i < ts_build_stages(ix->build); i++)
		later |= ts_build_sections(ix->build, i);
	ix->status.doing = state_names[ix->elsewhere ? TS_INDEXING_BUSY : ix->state];
	if (ix->state == TS_INDEXING_DONE && ts_indexing_is_offered(app))
		ix->status.doing = "not built of another host's: :index does it";
	for (int s = 0; s < TS_SECTION_COUNT; s++) {
		struct ts_section_status *out = &ix->status.section[s];
		uint64_t bit = ts_section_bit(s);

		out->percent = -1;
		if (ts_index_section(app->env.index, (enum ts_section)s, &size))
			out->state = TS_SECTION_IS_READY;
		else if (now & bit)
			out->state = TS_SECTION_IS_BUILDING;
		else if (ix->failed & bit)
			out->state = TS_SECTION_IS_FAILED;
		else if (later & bit)
			out->state = TS_SECTION_IS_MISSING;
		else if (ix->state == TS_INDEXING_DONE || !ts_section_is_core((enum ts_section)s))
			out->state = TS_SECTION_IS_UNPLANNED;
		else
			out->state = TS_SECTION_IS_MISSING;
		if (out->state == TS_SECTION_IS_BUILDING)
			out->percent = stage_percent(ix);
	}
}

/* Pages that are resident and belong to no file. */
static int64_t
resident(void)
{
	int64_t all, shared;
	char text[128], *end;
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	strtoll(text, &end, 10); /* the size of everything that is mapped */
	all = strtoll(end, &end, 10);
	shared = strtoll(end, &end, 10);
	return all > shared ? (all - shared) * sysconf(_SC_PAGESIZE) : -1;
}

void
ts_indexing_tick(struct ts_app *app, int64_t now)
{
	write_title(&app->indexing, now);
	if (app->current != TS_VIEW_JOBS)
		return;
	write_status(app);
	app->indexing.status.resident = resident();
}
