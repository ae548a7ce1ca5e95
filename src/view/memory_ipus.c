/* SPDX-License-Identifier: MIT */
/*
 * memory_ipus - the plot of the Memory view by IPU: what the tiles of each have together.
 *
 * The axis stays that of the tiles, all of them: the columns of an IPU's tiles show its sum. So the cursor, a click
 * and the marks mean what they always do; left and right go by IPUs.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/rows.h"
#include "tilescope/view/explain_common.h"

/* The IPU of tile i of the list in p->ipu, made if need be; -1: it is not known, or there are too many. */
static int
place_of(struct memory_ipus *p, const struct memory_tiles *t, int64_t i)
{
	int64_t ipu = t->ipu[i];

	if (ipu == TS_UNKNOWN)
		return -1;
	if (p->last >= 0 && p->ipu[p->last].ipu == ipu)
		return p->last;
	for (p->last = 0; p->last < p->count; p->last++)
		if (p->ipu[p->last].ipu == ipu)
			return p->last;
	if (p->count == MEMORY_IPUS) {
		p->last = -1;
		return -1;
	}
	p->ipu[p->count] = (struct memory_ipu){.ipu = ipu, .fullest = i};
	return p->last = p->count++;
}

bool
memory_can_sum_ipus(const struct memory_view *m)
{
	struct memory_ipus p = {.last = -1};

	for (int64_t i = 0; i < m->tiles->n; i++)
		if (place_of(&p, m->tiles, i) < 0)
			return false;
	return p.count > 0;
}

static void
add(int64_t *sum, int64_t bytes)
{
	if (bytes > 0 && !ts_add_i64(sum, bytes))
		*sum = TS_NUMBER_MAX;
}

void
memory_sum_ipus(struct memory_view *m)
{
	const struct memory_categories *k = memory_parts(m);
	const int64_t *value = memory_values(m);
	struct memory_ipus *p = &m->ipus;

	p->count = 0;
	p->last = -1;
	p->top = 0;
	for (int64_t i = 0; i < m->tiles->n; i++) {
		int at = place_of(p, m->tiles, i);
		struct memory_ipu *x = at < 0 ? NULL : &p->ipu[at];

		if (!x)
			continue;
		x->tiles++;
		x->known += value[i] >= 0;
		add(&x->bytes, value[i]);
		if (value[i] > value[x->fullest])
			x->fullest = i;
		for (int b = 0; b < m->plot.bands; b++)
			if (!m->plot.band[b].hidden)
				add(&x->part[b], memory_drawn_bytes(m, k, m->plot.band[b].part, i));
		p->top = ts_max_i64(p->top, x->bytes);
	}
}

const struct memory_ipu *
memory_ipu_of(const struct memory_view *m, int64_t i)
{
	for (int k = 0; k < m->ipus.count && i >= 0 && i < m->tiles->n; k++)
		if (m->ipus.ipu[k].ipu == m->tiles->ipu[i])
			return &m->ipus.ipu[k];
	return NULL;
}

int64_t
memory_ipu_limit(const struct memory_view *m, const struct memory_ipu *x)
{
	int64_t limit = m->tiles->target.bytes_per_tile;

	return limit <= 0 || x->tiles > TS_NUMBER_MAX / limit ? TS_UNKNOWN : limit * x->tiles;
}

double
memory_ipus_top(const struct memory_view *m)
{
	double top = (double)m->ipus.top;

	for (int i = 0; i < m->ipus.count && !m->plot.shown && !m->no_limit; i++) {
		double limit = (double)memory_ipu_limit(m, &m->ipus.ipu[i]);

		top = limit > top ? limit : top;
	}
	return top > 0 ? top * 1.04 : 1;
}

/* Nothing in the last column of an IPU that is wide enough: the next one begins behind a gap. */
static bool
is_gap(const struct memory_plot *p, int i)
{
	enum { WIDE = 4 };
	int from = i;

	if (i + 1 >= p->columns || !p->ipu[i + 1])
		return false;
	while (from > 0 && !p->ipu[from] && i - from < WIDE)
		from--;
	return i - from >= WIDE;
}

void
memory_plot_ipus(struct memory_view *m)
{
	struct memory_plot *p = &m->plot;

	for (int i = 0; i < p->columns; i++) {
		/* where an IPU begins the column is its, whatever else stands there */
		const struct memory_ipu *x = memory_ipu_of(m,
			p->ipu[i] ? p->bucket[i].to - 1 : p->bucket[i].from);
		int64_t limit = x ? memory_ipu_limit(m, x) : TS_UNKNOWN;
		bool none = !x || is_gap(p, i);

		p->bad[i] = !none && !p->shown && limit != TS_UNKNOWN && x->bytes > limit;
		p->outline[i] = p->over[i] = 0;
		p->fill[i] = none ? 0 : (double)x->bytes;
		for (int b = 0; b < p->bands; b++)
			p->layer[b][i] = none ? 0 : (double)x->part[b];
	}
}

enum ts_effect
memory_per_ipu(struct memory_view *m, const struct ts_call *call)
{
	(void)call;
	if (!m->per_ipu && !memory_can_sum_ipus(m)) {
		ts_view_say_error(m->view.env,
			"which IPU each tile is on is not known (or they are more than %d)",
			MEMORY_IPUS);
		return TS_EFFECT_BELL;
	}
	m->per_ipu = !m->per_ipu;
	m->hides++; /* the plot is made anew */
	if (m->per_ipu)
		ts_span_show(&m->span, 0, m->tiles->n);
	return TS_EFFECT_REPAINT;
}

void
memory_ipu_words(const struct memory_view *m, struct ts_strbuf *out)
{
	const struct memory_ipu *x = memory_ipu_of(m, memory_at(m));
	const struct memory_tiles *t = m->tiles;
	char a[TS_FMT_MAX], b[TS_FMT_MAX], percent[TS_FMT_MAX];
	int64_t limit;

	if (!x)
		return;
	limit = m->plot.shown ? TS_UNKNOWN : memory_ipu_limit(m, x);
	ts_strbuf_printf(out, "  %s", ts_fmt_bytes(a, x->bytes, memory_units(m)));
	if (limit != TS_UNKNOWN)
		ts_strbuf_printf(out, " of %s  %s", ts_fmt_bytes(b, limit, memory_units(m)),
			ts_fmt_percent(percent, (double)x->bytes, (double)limit));
	ts_strbuf_printf(out, "  %s tile%s", ts_fmt_count(a, x->tiles), x->tiles == 1 ? "" : "s");
	if (x->known > 0)
		ts_strbuf_printf(out, "  mean %s",
			ts_fmt_bytes_short(a, x->bytes / x->known, memory_units(m)));
	ts_strbuf_printf(out, "  fullest: tile %lld %s", (long long)t->tiles.tile[x->fullest].tile,
		ts_fmt_bytes_short(a, ts_max_i64(memory_values(m)[x->fullest], 0),
			memory_units(m)));
}

/* --- what its figures are ----------------------------------------------------------------------- */

static void
explain_fullest(const struct memory_view *m, const struct memory_ipu *x, const char *where,
	struct ts_explain *out)
{
	struct ts_explained *e = ts_explain_add(out, "fullest tile of ipu %lld", (long long)x->ipu);

	ts_explain_number(e, m->tiles->tiles.tile[x->fullest].tile);
	ts_explain_from(e, TS_KNOWN_DERIVED, "tile_memory.total_gaps, tile_memory.total");
	ts_explain_formula(e, "the tile with most, of equals the one with the lowest number");
	ts_explain_query(e, "SELECT tile FROM tile_memory WHERE %s ORDER BY %s DESC, tile LIMIT 1",
		where, m->gaps ? TS_EXPLAIN_USED : "total");
}

void
memory_ipu_explain(const struct memory_view *m, struct ts_explain *out)
{
	const struct memory_ipu *x = memory_ipu_of(m, memory_at(m));
	const char *used = m->gaps ? TS_EXPLAIN_USED : "total";
	const struct ts_target *target = &m->tiles->target;
	char where[80], query[400], limit[64];
	struct ts_explained *e;

	if (!memory_by_ipu(m) || !x)
		return;
	snprintf(where, sizeof(where), "tile IN (SELECT tile FROM tiles('ipu(%lld)'))",
		(long long)x->ipu);
	e = ts_explain_add(out, "memory of ipu %lld", (long long)x->ipu);
	ts_explain_bytes(e, x->bytes, memory_units(m));
	ts_explain_from(e, TS_KNOWN_DERIVED, "tile_memory.total_gaps, tile_memory.total");
	if (m->plot.shown) {
		ts_explain_formula(e, "sum over its tiles of the parts that are not hidden");
		ts_explain_note(e, "no query: parts are hidden");
		return;
	}
	ts_explain_formula(e, "sum over its %lld tiles", (long long)x->tiles);
	ts_explain_query(e, "SELECT sum(%s) FROM tile_memory WHERE %s", used, where);
	e = ts_explain_add(out, "tiles of ipu %lld", (long long)x->ipu);
	ts_explain_integer(e, x->tiles, NULL);
	ts_explain_from(e, TS_KNOWN_RECORDED, "tile_memory.tile");
	ts_explain_query(e, "SELECT count(*) FROM tile_memory WHERE %s", where);
	if (x->known > 0) {
		e = ts_explain_add(out, "mean of its tiles");
		ts_explain_bytes(e, x->bytes / x->known, memory_units(m));
		ts_explain_from(e, TS_KNOWN_DERIVED, "tile_memory.total_gaps, tile_memory.total");
		ts_explain_formula(e, "%lld / %lld, whole bytes", (long long)x->bytes,
			(long long)x->known);
		ts_explain_query(e, "SELECT sum(%s) / count(%s) FROM tile_memory WHERE %s", used,
			used, where);
	}
	snprintf(query, sizeof(query),
		"SELECT 100.0 * sum(%s) / (count(*) * %s) FROM tile_memory WHERE %s", used,
		ts_explain_limit_sql(target, limit), where);
	ts_explain_share(out, "share of the limit of its tiles that it uses", x->bytes,
		memory_ipu_limit(m, x), "tile_memory, target.bytes_per_tile",
		target->assumed ? NULL : query);
	explain_fullest(m, x, where, out);
}
