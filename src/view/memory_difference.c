/* SPDX-License-Identifier: MIT */
/*
 * memory_difference - the Memory view's graph and map as the difference to another report.
 *
 * Who compares gives the other report's values of the tiles of this one (ts_memory_compare()); they are of the metric
 * that is shown, and forgotten when that changes. A column of the graph has the tile that grew most above the line, and
 * the one that shrank most below. Values that are not known on both sides have no difference.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/ui/chart_signed.h"
#include "tilescope/view/memory.h"

const int64_t *
memory_other(const struct memory_view *m)
{
	return m->other && m->other_data == m->data && memory_has_tiles(m) &&
			memory_metric_values(m)
		? m->other
		: NULL;
}

bool
ts_memory_compare(struct ts_view *v, const int64_t *other, int64_t n)
{
	struct memory_view *m = (struct memory_view *)v;
	int64_t *copy = NULL;

	if (other) {
		copy = memory_has_tiles(m) && n == m->tiles->n ? ts_alloc((size_t)n, sizeof(*copy))
							       : NULL;
		if (!copy)
			return false;
		memcpy(copy, other, (size_t)n * sizeof(*copy));
	}
	free(m->other);
	m->other = copy;
	m->other_data = ++m->data;
	m->most_different = 0;
	if (memory_other(m)) {
		double more, less; /* of all tiles, so that it stays when the graph is zoomed */

		ts_buckets_differences(&more, &less, 1, memory_metric_values(m), copy, n, 0, n);
		m->most_different = more > less ? more : less;
	}
	memory_update(m);
	return true;
}

void
memory_make_difference(struct memory_view *m)
{
	struct memory_plot *p = &m->plot;
	const int64_t *other = memory_other(m);
	int64_t *moved = NULL;

	if (!other)
		return;
	if (m->axis.place) {
		moved = ts_alloc((size_t)m->tiles->n, sizeof(*moved));
		if (!moved)
			return;
		memcpy(moved, memory_on_axis(m, other), (size_t)m->tiles->n * sizeof(*moved));
	}
	ts_buckets_differences(p->more, p->less, p->columns,
		memory_on_axis(m, memory_metric_values(m)), moved ? moved : other, m->tiles->n,
		p->from, p->to);
	free(moved);
}

void
memory_draw_difference(struct ts_canvas *c, const struct memory_view *m,
	const struct ts_chart_frame *f)
{
	const struct memory_plot *p = &m->plot;
	struct ts_signed s = {p->columns, p->more, p->less, m->most_different};

	if (m->gutter > 0)
		ts_chart_signed_axis(c, f, m->most_different, memory_bytes_tick,
			(void *)(uintptr_t)m);
	ts_chart_signed(c, f->plot, &s);
}

/* "before 100K  +20K +20.0%", two blanks before it; nothing where nothing is compared. */
void
memory_difference_words(const struct memory_view *m, struct ts_strbuf *out)
{
	const int64_t *other = memory_other(m);
	int64_t i = memory_at(m), now, before, d;
	char a[TS_FMT_MAX], b[TS_FMT_MAX], share[TS_FMT_MAX];

	if (!other)
		return;
	now = memory_metric_values(m)[i];
	before = other[i];
	if (now < 0 || before < 0) {
		ts_strbuf_puts(out, "  difference not known");
		return;
	}
	d = now > before ? now - before : before - now;
	ts_strbuf_printf(out, "  before %s  %s%s", memory_value(m, a, before, false),
		now > before	       ? "+"
			: now < before ? "-"
				       : "",
		memory_value(m, b, d, false));
	if (before > 0)
		ts_strbuf_printf(out, "  %s%s",
			now < before	       ? "-"
				: now > before ? "+"
					       : "",
			ts_fmt_percent(share, (double)d, (double)before));
}
