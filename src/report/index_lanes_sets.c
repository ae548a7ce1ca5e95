/* SPDX-License-Identifier: MIT */
/* index_lanes_sets - see the header. */
#include "config.h"

#include "index_lanes_sets.h"

#include "tilescope/base/mem.h"

void
lane_sets_begin(struct lane_sets *s, int64_t start)
{
	s->n = 0;
	s->cut = false;
	ts_class_sweep_init(&s->sweep, NULL, start, INT64_MAX);
}

static void
add_set(struct lane_sets *s, unsigned set, int64_t cycles)
{
	size_t i = 0;

	while (i < s->n && s->set[i].set != set)
		i++;
	s->cut |= i == TS_LANE_SETS;
	if (s->cut)
		return;
	if (i == s->n)
		s->set[s->n++] = (struct ts_class_set){.set = set};
	s->set[i].cycles += cycles; /* all of them are no more than the block is long */
}

/* What a sweep has found since it was last asked. */
static void
take(struct lane_sets *s, const struct ts_class_time *time)
{
	for (unsigned set = 0; set < TS_COUNT(time->of); set++)
		if (time->of[set] > 0)
			add_set(s, set, time->of[set]);
}

/* n rows that follow on each other, as a whole; false: something runs beside a part of them. */
static bool
add_ordered(struct lane_sets *s, const struct ts_lane_row *row, int n)
{
	int64_t length[TS_CLASS_COUNT] = {0};

	for (int i = 0; i < n; i++)
		length[row[i].class_of] += row[i].end - row[i].start;
	return n > 0 && ts_class_sweep_add_all(&s->sweep, row[0].start, row[n - 1].end, length);
}

void
lane_sets_add(struct lane_sets *s, const struct ts_lane_row *row, int n, bool ordered)
{
	struct ts_class_time time = {{0}};

	s->sweep.time = &time;
	/* the next leaf may begin before the last row has ended */
	for (int i = ordered && add_ordered(s, row, n - 1) ? n - 1 : 0; i < n; i++) {
		s->sweep.falls |= row[i].start < s->sweep.from;
		ts_class_sweep_add(&s->sweep, row[i].start, row[i].end, row[i].class_of);
	}
	take(s, &time);
}

bool
lane_sets_finish(struct lane_sets *s)
{
	struct ts_class_time time = {{0}};

	s->sweep.time = &time;
	s->sweep.to = s->sweep.now;
	for (int k = 0; k < TS_CLASS_COUNT; k++)
		s->sweep.to = ts_max_i64(s->sweep.to, s->sweep.end[k]);
	ts_class_sweep_finish(&s->sweep);
	take(s, &time);
	return !s->cut && !s->sweep.falls;
}
