/* SPDX-License-Identifier: MIT */
/*
 * indexing_title - how far the index is, in words: for the title row, and for the Jobs view.
 *
 * Rates and times come from the monotonic clock. Texts are kept between ticks, so that a frame that a
 * key causes does not change them.
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
	[TS_INDEXING_WAITING] = "about to begin",
	[TS_INDEXING_OPENING] = "looking what there is",
	[TS_INDEXING_PLANNING] = "looking what there is",
	[TS_INDEXING_BUSY] = "another program builds it",
	[TS_INDEXING_BEGIN] = "building",
	[TS_INDEXING_PARTS] = "building",
	[TS_INDEXING_FINISH] = "writing",
	[TS_INDEXING_DROP] = "building",
	[TS_INDEXING_ENDING] = "ending",
	[TS_INDEXING_DONE] = "complete",
	[TS_INDEXING_STOPPED] = "stopped (:index goes on)",
};

/* How far the stage under way is. */
struct extent {
	int64_t done, total; /* rows; total 0 = not known */
	int percent;	     /* -1 = cannot be told */
};

static struct extent
measure(const struct ts_indexing *ix)
{
	struct extent e = {ix->ended_rows, 0, -1};

	e.total = ts_build_rows(ix->build, ix->stage);
	for (int i = 0; i < TS_PASS_PARTS && ix->state == TS_INDEXING_PARTS; i++)
		if (ix->part[i])
			e.done += ix->part[i]->progress.done;
	if (e.total > 0)
		e.percent = (int)(ts_min_i64(e.done, e.total) / ((double)e.total / 100));
	return e;
}

/* 12345678 -> "12.3 M". */
static void
print_rate(char out[TS_FMT_MAX], double v)
{
	static const char *const units[] = {"", " k", " M", " G"};
	size_t u = 0;

	for (; v >= 1000 && u + 1 < TS_COUNT(units); u++)
		v /= 1000;
	snprintf(out, TS_FMT_MAX, "%.*f%s", v < 10 ? 2 : v < 100 ? 1 : 0, v, units[u]);
}

static void
print_left(char out[TS_FMT_MAX], double seconds)
{
	if (seconds < 100)
		snprintf(out, TS_FMT_MAX, "%.0f s left", seconds < 1 ? 1 : seconds);
	else if (seconds < 5940)
		snprintf(out, TS_FMT_MAX, "%.0f min left", seconds / 60);
	else
		snprintf(out, TS_FMT_MAX, "%.0f h left",
			seconds / 3600 < 1e6 ? seconds / 3600 : 1e6);
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

/* Rate and time left, when both can be told. */
static void
print_speed(char *out, size_t size, const struct ts_indexing *ix, const struct extent *e,
	int64_t now)
{
	int64_t took = now - ix->stage_us;
	char rate[TS_FMT_MAX], left[TS_FMT_MAX];
	double per_second;

	out[0] = '\0';
	if (took < RATE_US || e->done <= 0)
		return;
	per_second = (double)e->done / ((double)took / 1e6);
	print_rate(rate, per_second);
	left[0] = '\0';
	if (e->total > e->done)
		print_left(left, (double)(e->total - e->done) / per_second);
	snprintf(out, size, "  %s rows/s%s%s", rate, *left ? "  " : "", left);
}

static void
write_title(struct ts_indexing *ix, int64_t now)
{
	struct extent e;
	char speed[80], percent[16] = "";

	ix->title[0] = ix->brief[0] = '\0';
	if (!ix->build || ix->state < TS_INDEXING_BEGIN || ix->state > TS_INDEXING_DROP)
		return;
	e = measure(ix);
	print_speed(speed, sizeof(speed), ix, &e, now);
	if (ix->state == TS_INDEXING_FINISH)
		snprintf(percent, sizeof(percent), " writing");
	else if (e.percent >= 0)
		snprintf(percent, sizeof(percent), " %d %%", e.percent);
	snprintf(ix->title, sizeof(ix->title), "index %.30s%.15s%.40s",
		ts_build_what(ix->build, ix->stage), percent,
		ix->state == TS_INDEXING_PARTS ? speed : "");
	snprintf(ix->brief, sizeof(ix->brief), "index%s", percent);
}

/* --- for the Jobs view ------------------------------------------------------------------------ */

static void
write_status(struct ts_app *app)
{
	struct ts_indexing *ix = &app->indexing;
	bool building = ix->build && ix->state >= TS_INDEXING_BEGIN &&
		ix->state <= TS_INDEXING_DROP;
	unsigned now = building ? ts_build_sections(ix->build, ix->stage) : 0, later = 0;
	size_t size;

	for (int i = ix->stage + 1; building && i < ts_build_stages(ix->build); i++)
		later |= ts_build_sections(ix->build, i);
	ix->status.doing = state_names[ix->state];
	for (int s = 0; s < TS_SECTION_COUNT; s++) {
		struct ts_section_status *out = &ix->status.section[s];
		unsigned bit = 1u << s;

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
			out->percent = measure(ix).percent;
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
