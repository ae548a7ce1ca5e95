/* SPDX-License-Identifier: MIT */
/*
 * index_stacks_read - what the steps of a range come to, from the section of the stacks.
 *
 * From the top of the tree down: a node in which all IPUs are inside or outside of the range is added up (of those inside), one
 * that the range cuts on any IPU is looked into, and the rows of the pages that are left are read. A row is told from the one before by
 * its step, and each has the next stack of the page.
 *
 * Of cycles: on each IPU one page at most has the begin, one the end. Rows that run on over the begin are those that were open
 * when the page began, or stand in it; so are those that run on over the end, whatever node they were counted in: the part of them
 * behind the end is taken off once all is added up. Of steps: rows of an earlier step may cover what rows of the range cover, too.
 * The rows of the first page are added up without them; where they have not ended by the next page, the section cannot tell.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "stacks_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/contexts.h"
#include "tilescope/report/memory.h"

enum { WORD = 64 };

/* --- is it sound ------------------------------------------------------------------------------------ */

static const struct ts_stacks_head *
head_at(const void *payload, size_t size)
{
	return payload ? ts_section_at(payload, size, 0, 1, sizeof(struct ts_stacks_head)) : NULL;
}

enum ts_code
ts_stacks_section_current(bool *yes, const void *payload, size_t size, const struct ts_report *r,
	struct ts_err *err)
{
	const struct ts_stacks_head *h = head_at(payload, size);

	*yes = h && !h->in_debug && !ts_context_in_debug(r);
	return h && h->in_debug && ts_context_in_debug(r) ? ts_debug_still(yes, r, &h->debug, err)
							  : TS_OK;
}

bool
ts_stacks_kept(const struct ts_index *x)
{
	size_t size;
	const void *payload = ts_index_section(x, TS_SECTION_STACKS, &size);
	const struct ts_stacks_head *h = head_at(payload, size);

	return h && !h->left;
}

static bool
frames_sound(const struct ts_stacks *s)
{
	const struct ts_stacks_head *h = s->head;

	for (uint64_t i = 0; i < h->frames; i++) {
		const struct ts_stacks_frame *f = &s->frame[i];
		bool placed = i == 0 ? f->parent == 0 && f->depth == 0
				     : f->parent < i && f->depth == s->frame[f->parent].depth + 1;

		if (!placed || f->depth >= TS_FRAMES_DEPTH || f->class_of >= TS_CLASS_COUNT ||
			f->steps > 1 || f->n > TS_FRAME_BYTES || f->n > h->texts ||
			f->at > h->texts - f->n || s->follow[i] >= h->frames)
			return false;
	}
	for (uint64_t i = 1; i < h->ipus; i++)
		if (s->ipu[i] <= s->ipu[i - 1])
			return false;
	return true;
}

static bool
pages_sound(const struct ts_stacks *s)
{
	const struct ts_stacks_head *h = s->head;
	const struct ts_stacks_page *end = &s->page[h->pages];

	for (const struct ts_stacks_page *p = s->page; p < end; p++)
		if (p->rowid >= p->to || p->to > p[1].rowid || p->open > p[1].open ||
			p->other > p[1].other || p->numbers > h->bits * WORD || p[1].bit < p->bit ||
			p[1].bit - p->bit != (p->numbers + WORD - 1) / WORD)
			return false;
	for (uint64_t i = h->ipus; i < (h->pages + 1) * h->ipus; i++)
		if (s->edge[i].start < s->edge[i - h->ipus].start)
			return false;
	for (uint64_t i = 0; i < h->opens; i++)
		if (s->open[i].ipu >= h->ipus || s->open[i].leaf >= h->frames ||
			s->open[i].start < 0 || s->open[i].end <= s->open[i].start ||
			s->open[i].cycles < 0)
			return false;
	return s->page->open == 0 && end->open <= h->opens && end->other == h->others &&
		s->page->bit == 0 && end->bit == h->bits && s->page->other == 0;
}

/* Each level stands for all pages, a node of it for those below it. */
static bool
nodes_sound(const struct ts_stacks *s)
{
	const struct ts_stacks_head *h = s->head;
	const struct ts_stacks_node *below = NULL, *n = s->node;
	uint64_t nodes = 0;

	if (h->levels == 0 || h->levels > TS_STACKS_LEVELS || h->level[h->levels - 1] != 1)
		return false;
	for (uint64_t l = 0; l < h->levels; l++) {
		uint64_t page = 0;

		if (h->level[l] == 0 || h->level[l] > h->nodes - nodes ||
			(l > 0 &&
				h->level[l] !=
					(h->level[l - 1] + TS_STACKS_FAN - 1) / TS_STACKS_FAN))
			return false;
		for (uint64_t i = 0; i < h->level[l]; page += n[i].pages, i++)
			if (n[i].page != page || n[i].pages == 0 || n[i].pages > h->pages - page ||
				n[i].bytes > h->sums || n[i].at > h->sums - n[i].bytes ||
				(below && below[i * TS_STACKS_FAN].page != page))
				return false;
		if (page != h->pages)
			return false;
		nodes += h->level[l];
		below = n;
		n += h->level[l];
	}
	return nodes == h->nodes;
}

bool
ts_stacks_open(struct ts_stacks *s, struct ts_index *x)
{
	size_t size;
	const void *p = ts_index_section(x, TS_SECTION_STACKS, &size);
	const struct ts_stacks_head *h = head_at(p, size);

	*s = (struct ts_stacks){.head = h};
	if (!h || h->left || h->ipus == 0 || h->ipus > TS_TRACE_LANES || h->frames == 0 ||
		h->frames > TS_STACKS_FRAMES || h->frames * h->ipus > TS_STACKS_CELLS ||
		h->pages == 0 || h->pages > INT32_MAX)
		return false;
	s->ipu = ts_section_at(p, size, h->ipus_at, h->ipus, sizeof(*s->ipu));
	s->frame = ts_section_at(p, size, h->frames_at, h->frames, sizeof(*s->frame));
	s->text = ts_section_at(p, size, h->texts_at, h->texts, 1);
	s->follow = ts_section_at(p, size, h->follows_at, h->frames, sizeof(*s->follow));
	s->page = ts_section_at(p, size, h->pages_at, h->pages + 1, sizeof(*s->page));
	s->edge = ts_section_at(p, size, h->edges_at, (h->pages + 1) * h->ipus, sizeof(*s->edge));
	s->open = ts_section_at(p, size, h->opens_at, h->opens, sizeof(*s->open));
	s->bit = ts_section_at(p, size, h->bits_at, h->bits, sizeof(*s->bit));
	s->other = ts_section_at(p, size, h->others_at, h->others, sizeof(*s->other));
	s->node = ts_section_at(p, size, h->nodes_at, h->nodes, sizeof(*s->node));
	s->sum = ts_section_at(p, size, h->sums_at, h->sums, 1);
	if (!s->ipu || !s->frame || !s->text || !s->follow || !s->page || !s->edge || !s->open ||
		!s->bit || !s->other || !s->node || !s->sum || !frames_sound(s) ||
		!pages_sound(s) || !nodes_sound(s))
		return false;
	s->index = ts_index_hold(x);
	return true;
}

void
ts_stacks_close(struct ts_stacks *s)
{
	ts_index_release(s->index);
	*s = (struct ts_stacks){0};
}

/* --- a range ---------------------------------------------------------------------------------------- */

enum place { OUT, IN, CUT };

struct walk {
	const struct ts_stacks *s;
	struct ts_reader *rd;
	bool of_steps;
	int64_t from, to; /* of starts, or of steps */
	int64_t cut_at;	  /* cycles: what begins before is cut there; INT64_MIN: nothing is */
	struct ts_stack_sum *sum;
	struct stacks_lane *lane;
	int64_t *before; /* of steps: the last end of rows before the range, of each IPU */
	bool cannot;	 /* the rows have to say it */
};

static int64_t
edge_of(const struct walk *w, uint64_t page, uint64_t ipu)
{
	const struct ts_stacks_edge *e = &w->s->edge[page * w->s->head->ipus + ipu];

	return w->of_steps ? e->step : e->start;
}

/* Where the rows of an IPU in some pages are. */
static enum place
place_of(const struct walk *w, uint64_t page, uint64_t end, uint64_t ipu)
{
	int64_t low = edge_of(w, page, ipu), high = edge_of(w, end, ipu);

	if (low >= w->to || high < w->from)
		return OUT;
	return low >= w->from && high < w->to ? IN : CUT;
}

/* --- rows ------------------------------------------------------------------------------------------- */

/* What of a row's cycles lies behind the begin of the range. */
static int64_t
cycles_of(const struct walk *w, const struct ts_stacks_open *row)
{
	return row->start < w->cut_at && row->end > row->start
		? ts_min_i64(row->cycles, row->end - w->cut_at)
		: row->cycles;
}

/* Add a row that begins before the end of the range, all of what lies behind the begin. */
static void
add_row(struct walk *w, const struct ts_stacks_open *row)
{
	const struct ts_stacks_head *h = w->s->head;
	struct ts_stack_sum *sum = &w->sum[row->leaf * h->ipus + row->ipu];
	struct stacks_lane *l = &w->lane[row->ipu];
	int64_t from = ts_max_i64(row->start, w->cut_at);

	sum->steps++;
	sum->cycles += (uint64_t)cycles_of(w, row);
	stacks_close(l, from);
	if (row->end <= row->start)
		return;
	stacks_cover(w->sum, h->ipus, w->s->frame, l, row->ipu, row->leaf, from, row->end, false);
	w->cannot |= !stacks_push(l, row);
}

/* Take off what the open rows of an IPU have behind the end of the range. */
static void
cut_end(struct walk *w, uint32_t ipu)
{
	const struct ts_stacks_head *h = w->s->head;
	struct stacks_lane *open = &w->lane[ipu], *taken;

	if (w->of_steps)
		return;
	stacks_close(open, w->to);
	taken = &w->lane[h->ipus];
	taken->opens = 0;
	for (int i = 0; i < open->opens; i++) {
		const struct ts_stacks_open *row = &open->open[i];
		int64_t inside = w->to - ts_max_i64(row->start, w->cut_at);
		uint64_t before = (uint64_t)cycles_of(w, row);
		struct ts_stack_sum *sum = &w->sum[row->leaf * h->ipus + ipu];

		sum->cycles -= before - (uint64_t)ts_min_i64(row->cycles, inside);
		stacks_cover(w->sum, h->ipus, w->s->frame, taken, ipu, row->leaf, w->to, row->end,
			true);
		(void)stacks_push(taken, row);
	}
}

/* The rows of an IPU that are open where a page begins; `counted`: they are in a sum already, unless they are before the range. */
static void
begin_ipu(struct walk *w, uint64_t page, uint32_t ipu)
{
	const struct ts_stacks_page *p = &w->s->page[page];
	uint64_t end = page < w->s->head->pages ? p[1].open : w->s->head->opens;
	bool first = edge_of(w, page, ipu) < w->from;
	struct stacks_lane *l = &w->lane[ipu];

	l->opens = 0;
	for (uint64_t i = p->open; i < end; i++) {
		const struct ts_stacks_open *row = &w->s->open[i];

		if (row->ipu != ipu)
			continue;
		if (!first)
			w->cannot |= !stacks_push(l, row);
		else if (w->of_steps)
			w->before[ipu] = ts_max_i64(w->before[ipu], row->end);
		else if (row->end > w->from)
			add_row(w, row);
	}
}

static void
end_ipu(struct walk *w, uint64_t page, uint32_t ipu)
{
	const struct ts_stacks_edge *next = &w->s->edge[(page + 1) * w->s->head->ipus + ipu];
	int64_t low = edge_of(w, page, ipu), high = edge_of(w, page + 1, ipu);

	if (high >= w->to)
		cut_end(w, ipu);
	else if (w->of_steps && low < w->from)
		w->cannot |= w->before[ipu] > next->start;
}

/* --- pages ------------------------------------------------------------------------------------------ */

/* The stacks of a page, one by one. */
struct numbers {
	const struct ts_stacks *s;
	const struct ts_stacks_page *page;
	uint64_t at, other;
	int64_t step;
	uint32_t leaf;
};

/* The stack of the next row; false: it has none, or there are no more. */
static bool
next_leaf(struct numbers *n, bool *cannot, int64_t step)
{
	const struct ts_stacks *s = n->s;
	bool follows;

	if (step == n->step)
		return n->leaf != TS_FRAME_RUN;
	n->step = step;
	*cannot |= n->at == n->page->numbers;
	if (*cannot)
		return false;
	follows = s->bit[n->page->bit + n->at / WORD] >> n->at % WORD & 1;
	*cannot |= !follows && n->other == n->page[1].other;
	if (*cannot)
		return false;
	n->leaf = follows ? s->follow[n->leaf] : s->other[n->other++];
	n->at++;
	*cannot |= n->leaf >= s->head->frames;
	return !*cannot && n->leaf != TS_FRAME_RUN;
}

static size_t
find_ipu(const struct ts_stacks *s, int64_t ipu, size_t hint)
{
	for (uint64_t i = 0; i < s->head->ipus; i++) {
		size_t at = (hint + i) % s->head->ipus;

		if (s->ipu[at] == ipu)
			return at;
	}
	return s->head->ipus;
}

static void
take_row(struct walk *w, const enum place *place, const struct ts_stacks_open *row, int64_t step)
{
	int64_t key = w->of_steps ? step : row->start;

	if (place[row->ipu] == OUT || key >= w->to)
		return;
	if (key >= w->from || (!w->of_steps && row->end > w->from && row->end > row->start))
		add_row(w, row);
	else if (w->of_steps)
		w->before[row->ipu] = ts_max_i64(w->before[row->ipu], row->end);
}

static void
take_block(struct walk *w, struct numbers *n, const enum place *place, size_t *hint,
	const struct ts_rows_block *b)
{
	const int64_t *const *v = b->v;

	for (int i = 0; i < b->rows && !w->cannot; i++) {
		struct ts_stacks_open row = {.start = v[TS_X_START][i],
			.end = v[TS_X_END][i],
			.cycles = v[TS_X_CYCLES][i]};
		bool has;

		if (v[TS_X_STEP][i] == TS_UNKNOWN || v[TS_X_IPU][i] == TS_UNKNOWN ||
			row.start == TS_UNKNOWN || row.end == TS_UNKNOWN)
			continue;
		has = next_leaf(n, &w->cannot, v[TS_X_STEP][i]);
		if (!has || row.cycles == TS_UNKNOWN)
			continue;
		row.ipu = (uint32_t)find_ipu(w->s, v[TS_X_IPU][i], *hint);
		row.leaf = n->leaf;
		*hint = row.ipu + 1;
		w->cannot |= row.ipu == w->s->head->ipus;
		if (!w->cannot)
			take_row(w, place, &row, v[TS_X_STEP][i]);
	}
}

static enum ts_code
take_page(struct walk *w, uint64_t page, struct ts_err *err)
{
	const struct ts_stacks_page *p = &w->s->page[page];
	struct ts_rows_query q = {.column_count = TS_X_COUNT,
		.range = TS_RANGE_ROWID,
		.from = p->rowid,
		.to = p->to,
		.unknowns = true};
	struct numbers n = {.s = w->s, .page = p, .other = p->other, .step = TS_UNKNOWN};
	enum place place[TS_TRACE_LANES];
	struct ts_rows_block b;
	struct ts_rows *rows;
	enum ts_code code;
	bool any = false;
	size_t hint = 0;

	for (uint32_t i = 0; i < w->s->head->ipus; i++) {
		place[i] = place_of(w, page, page + 1, i);
		any |= place[i] != OUT;
		if (place[i] != OUT)
			begin_ipu(w, page, i);
	}
	if (!any || w->cannot)
		return TS_OK;
	memcpy(q.columns, ts_execution_columns, sizeof(ts_execution_columns));
	code = ts_reader_rows(&rows, w->rd, TS_STEP_IPU, &q, err);
	if (code)
		return code;
	while (!w->cannot && !(code = ts_rows_block(rows, &b, err)) && b.rows > 0)
		take_block(w, &n, place, &hint, &b);
	ts_rows_close(rows);
	for (uint32_t i = 0; i < w->s->head->ipus && !code; i++)
		if (place[i] != OUT)
			end_ipu(w, page, i);
	return code;
}

/* --- the tree --------------------------------------------------------------------------------------- */

static void
add_node(struct walk *w, const struct ts_stacks_node *n, const enum place *place)
{
	const struct ts_stacks_head *h = w->s->head;
	const unsigned char *at = w->s->sum + n->at, *end = at + n->bytes;
	int64_t cell = -1;

	while (at < end && !w->cannot) {
		struct ts_stack_sum one, *sum;

		w->cannot |= !stacks_unpack(&one, &cell, h->frames * h->ipus, &at, end);
		if (w->cannot || place[(uint64_t)cell % h->ipus] != IN)
			continue;
		sum = &w->sum[cell];
		sum->steps += one.steps;
		sum->cycles += one.cycles;
		sum->extra += one.extra;
	}
}

static enum ts_code
take_node(struct walk *w, uint64_t level, uint64_t first, uint64_t i, struct ts_err *err)
{
	const struct ts_stacks_head *h = w->s->head;
	const struct ts_stacks_node *n = &w->s->node[first + i];
	enum place place[TS_TRACE_LANES], most = OUT;
	uint64_t end = (i + 1) * TS_STACKS_FAN;
	enum ts_code code = TS_OK;

	for (uint64_t k = 0; k < h->ipus; k++) {
		place[k] = place_of(w, n->page, n->page + n->pages, k);
		most = place[k] > most ? place[k] : most;
	}
	if (most == IN)
		add_node(w, n, place);
	for (uint64_t k = 0; most == CUT && level == 0 && k < n->pages && !code && !w->cannot; k++)
		code = take_page(w, n->page + k, err);
	for (uint64_t k = i * TS_STACKS_FAN; most == CUT && level > 0 && k < end && !code &&
		k < h->level[level - 1] && !w->cannot;
		k++)
		code = take_node(w, level - 1, first - h->level[level - 1], k, err);
	return code;
}

/* IPUs all of whose rows begin before the end of the range: some may run on over it. */
static void
take_ends(struct walk *w)
{
	uint64_t pages = w->s->head->pages;

	for (uint32_t i = 0; i < w->s->head->ipus && !w->of_steps; i++)
		if (edge_of(w, pages, i) < w->to) {
			begin_ipu(w, pages, i);
			cut_end(w, i);
		}
}

/* May this be asked of the section? */
static bool
begin(struct walk *w, const struct ts_flame_range *r)
{
	w->of_steps = r->steps > 0;
	w->from = w->of_steps ? r->first_step : r->from;
	w->to = w->of_steps ? r->first_step : r->to;
	if (w->of_steps &&
		(w->s->head->steps_fall || r->from != INT64_MIN || r->to != INT64_MAX ||
			r->first_step < 0 || !ts_add_i64(&w->to, r->steps)))
		return false;
	w->cut_at = w->of_steps ? INT64_MIN : w->from;
	return w->from < w->to;
}

enum ts_code
ts_stacks_read(struct ts_stack_sum **sum, const struct ts_stacks *s, struct ts_reader *rd,
	const struct ts_flame_range *range, struct ts_err *err)
{
	const struct ts_stacks_head *h = s->head;
	struct walk w = {.s = s, .rd = rd};
	enum ts_code code;

	*sum = NULL;
	if (!begin(&w, range))
		return TS_OK;
	w.sum = ts_alloc((size_t)(h->frames * h->ipus), sizeof(*w.sum));
	w.lane = ts_alloc((size_t)h->ipus + 1, sizeof(*w.lane));
	w.before = ts_alloc((size_t)h->ipus, sizeof(*w.before));
	code = w.sum && w.lane && w.before ? take_node(&w, h->levels - 1, h->nodes - 1, 0, err)
					   : ts_err_nomem(err);
	if (!code && !w.cannot)
		take_ends(&w);
	if (!code && !w.cannot)
		*sum = w.sum;
	else
		free(w.sum);
	free(w.lane);
	free(w.before);
	return code;
}
