/* SPDX-License-Identifier: MIT */
/* class_time - see the header. */
#include "config.h"

#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/class_time.h"

void
ts_class_sweep_init(struct ts_class_sweep *s, struct ts_class_time *time, int64_t from, int64_t to)
{
	*s = (struct ts_class_sweep){.time = time, .from = from, .to = to, .now = from};
	for (int k = 0; k < TS_CLASS_COUNT; k++)
		s->end[k] = from;
}

/* What runs now, and until when that stays so: `until` at most. */
static unsigned
running(const struct ts_class_sweep *s, int64_t *until)
{
	unsigned set = 0;

	for (int k = 0; k < TS_CLASS_COUNT; k++)
		if (s->end[k] > s->now) {
			set |= 1u << k;
			*until = ts_min_i64(*until, s->end[k]);
		}
	return set;
}

static void
go_to(struct ts_class_sweep *s, int64_t cycles)
{
	while (s->now < cycles) {
		int64_t until = cycles;
		unsigned set = running(s, &until);

		s->time->of[set] += until - s->now;
		s->now = until;
	}
}

void
ts_class_sweep_add(struct ts_class_sweep *s, int64_t start, int64_t end, enum ts_step_class k)
{
	int64_t from = ts_max_i64(start, s->from), to = ts_min_i64(end, s->to);

	if (from >= to)
		return;
	s->falls |= from < s->now;
	go_to(s, from);
	s->end[k] = ts_max_i64(s->end[k], to);
}

/* May [start, end) be taken as a whole? What runs beside it from begin to end is *beside. */
static bool
can_take(const struct ts_class_sweep *s, int64_t start, int64_t end, unsigned *beside)
{
	int64_t until = INT64_MAX;

	*beside = 0;
	if (start < s->now || end > s->to || start >= end)
		return false;
	for (int k = 0; k < TS_CLASS_COUNT; k++)
		if (s->end[k] > start) {
			*beside |= 1u << k;
			until = ts_min_i64(until, s->end[k]);
		}
	return until >= end;
}

bool
ts_class_sweep_add_all(struct ts_class_sweep *s, int64_t start, int64_t end,
	const int64_t length[TS_CLASS_COUNT])
{
	int64_t left = end - start;
	unsigned beside;

	if (!can_take(s, start, end, &beside))
		return false;
	for (int k = 0; k < TS_CLASS_COUNT; k++) {
		if (length[k] < 0 || length[k] > left)
			return false;
		left -= length[k];
	}
	go_to(s, start);
	for (int k = 0; k < TS_CLASS_COUNT; k++)
		s->time->of[beside | 1u << k] += length[k];
	s->time->of[beside] += left;
	s->now = end;
	return true;
}

bool
ts_class_sweep_add_sets(struct ts_class_sweep *s, int64_t start, int64_t end,
	const struct ts_class_set *set, size_t n)
{
	int64_t left = end - start;
	unsigned beside;

	if (!can_take(s, start, end, &beside))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (set[i].cycles < 0 || set[i].cycles > left ||
			set[i].set >= TS_COUNT(s->time->of))
			return false;
		left -= set[i].cycles;
	}
	if (left != 0)
		return false;
	go_to(s, start);
	for (size_t i = 0; i < n; i++)
		s->time->of[beside | set[i].set] += set[i].cycles;
	s->now = end;
	return true;
}

void
ts_class_sweep_finish(struct ts_class_sweep *s)
{
	go_to(s, s->to);
}

void
ts_class_figures_of(struct ts_class_figures *f, const struct ts_class_time *time)
{
	const unsigned io = 1u << TS_CLASS_HOST_WAIT | 1u << TS_CLASS_HOST_COPY |
		1u << TS_CLASS_HOST_END;

	memset(f, 0, sizeof(*f));
	for (unsigned set = 0; set < TS_COUNT(time->of); set++) {
		int64_t cycles = time->of[set];

		f->span += cycles;
		f->busy += set ? cycles : 0;
		f->overlap += set & (set - 1) ? cycles : 0;
		f->io += set & io ? cycles : 0;
		f->io_covered += set & io && set & 1u << TS_CLASS_COMPUTE ? cycles : 0;
		for (int k = 0; k < TS_CLASS_COUNT; k++) {
			f->all[k] += set & 1u << k ? cycles : 0;
			f->alone[k] += set == 1u << k ? cycles : 0;
			f->covered[k] += set & 1u << k && set & 1u << TS_CLASS_COMPUTE ? cycles : 0;
		}
	}
}

const enum ts_step_class ts_class_order[TS_CLASS_COUNT] = {TS_CLASS_COMPUTE, TS_CLASS_EXCHANGE,
	TS_CLASS_GLOBAL_EXCHANGE, TS_CLASS_HOST_COPY, TS_CLASS_HOST_END, TS_CLASS_HOST_WAIT,
	TS_CLASS_EXTERNAL_SYNC, TS_CLASS_SYNC, TS_CLASS_CONTROL, TS_CLASS_ASYNC_SYNC};

int64_t
ts_class_partition(int64_t out[TS_CLASS_COUNT], const struct ts_class_time *time)
{
	for (int k = 0; k < TS_CLASS_COUNT; k++)
		out[k] = 0;
	for (unsigned set = 1; set < TS_COUNT(time->of); set++) {
		int i = 0;

		while (!(set & 1u << ts_class_order[i]))
			i++;
		out[ts_class_order[i]] += time->of[set];
	}
	return time->of[0];
}
