/* SPDX-License-Identifier: MIT */
/*
 * index_stacks - see the header: making it.
 *
 * One part goes through all rows as the pass of a merged flame graph does, so that frames, and what overlaps, are known as they
 * come. Sums are added up in an array by frame and IPU, of which only what was touched is kept of a stretch. When all
 * stretches together have become too large, each two are put together, and those that come have as many pages. The tree, and which
 * stack mostly follows on which, is worked out at the end.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "stacks_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/contexts.h"
#include "tilescope/report/memory.h"

enum {
	LIMIT_LEAST = 1 << 20, /* bytes */
	PACKED = 5,	       /* of a sum, about */
	WORD = 64,
};

/* A sum of a stretch. */
struct entry {
	uint32_t cell, spare;
	struct ts_stack_sum sum;
};

struct stretch {
	uint64_t entries, pages;
};

/* Sums by frame and IPU while rows are added up. */
struct sums {
	struct ts_stack_sum *sum;
	bool *has;
	uint32_t *touched;
	size_t room, n; /* cells; touched ones */
};

struct part {
	const struct ts_cache *cache;
	struct ts_trace *trace;
	struct ts_frames frames;
	struct ts_debug_identity debug;
	bool left, in_debug, steps_fall;
	int64_t limit; /* bytes */
	int64_t bad_rows, orphans, bad_cycles, total;

	uint64_t ipus;
	struct stacks_lane *lane;
	size_t hint;
	int64_t page_rows, in_page; /* rows */
	int64_t step;		    /* of the last row of this page, and its stack */
	uint32_t leaf;

	int together; /* pages of a stretch: 2 to the power of that */
	struct stretch now;
	struct sums sums;
	struct ts_pile frame, page, edge, open, number, stretch, entry;
};

static size_t
count_of(const struct ts_pile *p, size_t size)
{
	return p->used / size;
}

/* --- sums ------------------------------------------------------------------------------------------- */

/* Room for all frames that there are; *fits false: there are too many of them. */
static enum ts_code
sums_room(bool *fits, struct sums *s, uint64_t cells, struct ts_err *err)
{
	size_t room = s->room ? s->room : WORD;
	void *sum, *has, *touched;

	*fits = cells <= TS_STACKS_CELLS;
	if (!*fits || cells <= s->room)
		return TS_OK;
	while (room < cells)
		room *= 2;
	sum = ts_resize(s->sum, room, sizeof(*s->sum));
	s->sum = sum ? sum : s->sum;
	has = ts_resize(s->has, room, sizeof(*s->has));
	s->has = has ? has : s->has;
	touched = ts_resize(s->touched, room, sizeof(*s->touched));
	s->touched = touched ? touched : s->touched;
	if (!sum || !has || !touched)
		return ts_err_nomem(err);
	memset(s->sum + s->room, 0, (room - s->room) * sizeof(*s->sum));
	memset(s->has + s->room, 0, (room - s->room) * sizeof(*s->has));
	s->room = room;
	return TS_OK;
}

static struct ts_stack_sum *
touch(struct sums *s, uint32_t cell)
{
	if (!s->has[cell]) {
		s->has[cell] = true;
		s->touched[s->n++] = cell;
	}
	return &s->sum[cell];
}

static int
by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void
sums_sort(struct sums *s)
{
	if (s->n > 1)
		qsort(s->touched, s->n, sizeof(*s->touched), by_number);
}

static void
sums_clear(struct sums *s)
{
	for (size_t i = 0; i < s->n; i++) {
		s->sum[s->touched[i]] = (struct ts_stack_sum){0};
		s->has[s->touched[i]] = false;
	}
	s->n = 0;
}

static void
sums_add(struct sums *s, const struct entry *e, size_t n)
{
	for (; n-- > 0; e++) {
		struct ts_stack_sum *sum = touch(s, e->cell);

		sum->steps += e->sum.steps;
		sum->cycles += e->sum.cycles;
		sum->extra += e->sum.extra;
	}
}

static void
sums_fini(struct sums *s)
{
	free(s->sum);
	free(s->has);
	free(s->touched);
}

/* --- stretches -------------------------------------------------------------------------------------- */

/* Keep the stretch that is open, and begin another one. */
static enum ts_code
keep_stretch(struct part *p, struct ts_err *err)
{
	struct sums *s = &p->sums;
	enum ts_code code = TS_OK;

	p->now.entries = s->n;
	sums_sort(s);
	for (size_t i = 0; i < s->n && !code; i++) {
		struct entry e = {.cell = s->touched[i], .sum = s->sum[s->touched[i]]};

		code = ts_pile_add(&p->entry, &e, sizeof(e), p->cache, err);
	}
	sums_clear(s);
	if (!code)
		code = ts_pile_add(&p->stretch, &p->now, sizeof(p->now), p->cache, err);
	p->now = (struct stretch){0};
	return code;
}

static bool
is_full(const struct part *p)
{
	return p->now.pages == UINT64_C(1) << p->together;
}

/* Each two stretches become one; an odd one is open again. */
static enum ts_code
put_together(struct part *p, struct ts_err *err)
{
	struct ts_pile stretch = p->stretch, entry = p->entry;
	const struct stretch *s = stretch.memory;
	const struct entry *e = entry.memory;
	size_t n = count_of(&stretch, sizeof(*s));
	enum ts_code code = TS_OK;

	p->stretch = p->entry = (struct ts_pile){0};
	p->together++;
	for (size_t i = 0; i < n && !code; i++) {
		sums_add(&p->sums, e, s[i].entries);
		e += s[i].entries;
		p->now.pages += s[i].pages;
		if (is_full(p))
			code = keep_stretch(p, err);
	}
	ts_pile_fini(&stretch);
	ts_pile_fini(&entry);
	return code;
}

static bool
is_large(const struct part *p)
{
	/* two thirds of the limit are for these, the rest for the tree and all else */
	return (int64_t)count_of(&p->entry, sizeof(struct entry)) > p->limit / 3 * 2 / PACKED;
}

static enum ts_code
end_page(struct part *p, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	p->in_page = 0;
	p->now.pages++;
	if (is_full(p))
		code = keep_stretch(p, err);
	while (!code && is_large(p) && !p->left) {
		p->left = p->together == TS_STACKS_TOGETHER;
		if (!p->left)
			code = put_together(p, err);
	}
	return code;
}

/* --- pages ------------------------------------------------------------------------------------------ */

static enum ts_code
begin_page(struct part *p, int64_t rowid, struct ts_err *err)
{
	struct ts_stacks_page page = {.rowid = rowid,
		.to = rowid,
		.open = count_of(&p->open, sizeof(struct ts_stacks_open))};
	enum ts_code code = ts_pile_add(&p->page, &page, sizeof(page), p->cache, err);

	p->step = TS_UNKNOWN;
	for (uint64_t i = 0; i < p->ipus && !code; i++) {
		const struct stacks_lane *l = &p->lane[i];
		struct ts_stacks_edge edge = {l->start, l->step};

		code = ts_pile_add(&p->edge, &edge, sizeof(edge), p->cache, err);
		if (!code)
			code = ts_pile_add(&p->open, l->open, (size_t)l->opens * sizeof(*l->open),
				p->cache, err);
	}
	return code;
}

static struct ts_stacks_page *
last_page(const struct part *p)
{
	return (struct ts_stacks_page *)((char *)p->page.memory + p->page.used) - 1;
}

/* Frames that have come since; those of the dictionary are named at the end. */
static enum ts_code
take_frames(struct part *p, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	bool fits;

	for (uint32_t i = (uint32_t)count_of(&p->frame, sizeof(struct ts_stacks_frame));
		i < p->frames.count && !code; i++) {
		const struct ts_frame *from = ts_frame_at(&p->frames, i);
		struct ts_stacks_frame frame = {.parent = from->parent, .depth = from->depth};

		code = ts_pile_add(&p->frame, &frame, sizeof(frame), p->cache, err);
	}
	if (code || p->frames.count >= TS_STACKS_FRAMES) {
		p->left = true;
		return code;
	}
	code = sums_room(&fits, &p->sums, p->frames.count * p->ipus, err);
	p->left |= !fits;
	return code;
}

/* Another step: its stack. 0: there is no such step. */
static enum ts_code
take_step(struct part *p, const struct ts_slice *s, struct ts_err *err)
{
	uint16_t number;
	enum ts_code code = TS_OK;

	p->step = s->step;
	p->leaf = TS_FRAME_RUN;
	if (!s->orphan) {
		code = ts_frames_leaf(&p->leaf, &p->frames, s, err);
		if (!code)
			code = take_frames(p, err);
		p->left |= p->leaf == TS_FRAME_RUN || p->frames.mixed || p->frames.left_out > 0;
	}
	number = (uint16_t)p->leaf;
	last_page(p)->numbers++;
	return code ? code : ts_pile_add(&p->number, &number, sizeof(number), p->cache, err);
}

/* --- rows ------------------------------------------------------------------------------------------- */

/* The index of an IPU; p->ipus when the trace has it not. They take turns. */
static size_t
find_ipu(struct part *p, int64_t ipu)
{
	for (size_t i = 0; i < p->ipus; i++) {
		size_t at = (p->hint + i) % p->ipus;

		if (p->trace->ipu[at] == ipu) {
			p->hint = at + 1;
			return at;
		}
	}
	return p->ipus;
}

static void
add_row(struct part *p, const struct ts_slice *s, uint32_t ipu)
{
	struct ts_stacks_open row = {s->start, s->end, s->cycles, ipu, p->leaf};
	const struct ts_stacks_frame *frame = p->frame.memory;
	struct stacks_lane *l = &p->lane[ipu];
	struct ts_stack_sum *sum = touch(&p->sums, (uint32_t)(p->leaf * p->ipus + ipu));

	p->left |= s->start < l->start || !ts_add_i64(&p->total, s->cycles);
	p->steps_fall |= s->step < l->step;
	sum->steps++;
	sum->cycles += (uint64_t)s->cycles;
	stacks_close(l, s->start);
	if (s->end > s->start) {
		for (uint32_t k = p->leaf; l->opens > 0 && k != TS_FRAME_RUN; k = frame[k].parent)
			(void)touch(&p->sums, (uint32_t)(frame[k].parent * p->ipus + ipu));
		stacks_cover(p->sums.sum, p->ipus, frame, l, ipu, p->leaf, s->start, s->end, false);
		p->left |= !stacks_push(l, &row);
	}
	l->start = s->start;
	l->step = s->step;
}

static enum ts_code
take_row(struct part *p, const struct ts_slice *s, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	size_t ipu;

	p->left |= s->rowid == INT64_MIN || s->rowid == INT64_MAX;
	if (p->in_page == p->page_rows)
		code = end_page(p, err);
	if (!code && p->in_page == 0)
		code = begin_page(p, s->rowid, err);
	if (code || p->left)
		return code;
	p->in_page++;
	p->left |= s->rowid < last_page(p)->to; /* they do not rise */
	last_page(p)->to = s->rowid + 1;
	if (s->step != p->step)
		code = take_step(p, s, err);
	if (code || s->orphan || p->left)
		return code;
	ipu = find_ipu(p, s->ipu);
	p->left |= ipu == p->ipus;
	p->bad_cycles += s->cycles == TS_UNKNOWN;
	if (!p->left && s->cycles != TS_UNKNOWN)
		add_row(p, s, (uint32_t)ipu);
	return TS_OK;
}

/* All rows; then one more page, where they end. */
static enum ts_code
take_rows(struct part *p, struct ts_reader *rd, struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_slice *s;
	struct ts_slices *slices;
	enum ts_code code = ts_slices_open_range(&slices, rd, p->trace, INT64_MIN, INT64_MAX,
		p->cache, progress, err);

	if (code)
		return code;
	while (!code && !p->left && !(code = ts_slices_next(&s, slices, err)) && s)
		code = take_row(p, s, err);
	p->bad_rows = ts_slices_left_out(slices).bad_rows;
	p->orphans = ts_slices_left_out(slices).orphans;
	ts_slices_close(slices);
	if (code || p->left)
		return code;
	if (p->page.used == 0) {
		p->left = true;
		return TS_OK;
	}
	if (p->in_page > 0)
		code = end_page(p, err);
	if (!code && p->now.pages > 0)
		code = keep_stretch(p, err);
	return code ? code : begin_page(p, last_page(p)->to, err);
}

/* Debug contexts, and which file they are of. */
static enum ts_code
read_contexts(struct part *p, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_frame_contexts *contexts = NULL;
	struct ts_contexts *debug = NULL;
	enum ts_code code = ts_frame_contexts_read(&contexts, rd, p->cache, NULL, err);

	if (!code)
		code = ts_frames_init(&p->frames, contexts, p->cache, err);
	ts_frame_contexts_release(contexts);
	if (!code && p->frames.contexts && p->frames.contexts->damaged)
		code = ts_err_set(err, TS_E_DAMAGED, "debug contexts cannot all be read");
	p->in_debug = ts_context_in_debug(rd->report);
	if (code || !p->in_debug)
		return code;
	code = ts_contexts_open(&debug, rd->report, rd->index, p->cache, NULL, rd->cancel, err);
	if (!code)
		p->debug = debug->identity;
	p->left |= code == TS_E_ABSENT;
	ts_contexts_close(debug);
	return code == TS_E_ABSENT ? TS_OK : code;
}

static enum ts_code
read_all(struct ts_pass_part *part, int together, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	struct part *p = part->state;
	enum ts_code code = ts_trace_open(&p->trace, rd, NULL, err);

	p->cache = part->run->cache;
	p->together = together;
	p->limit = ts_max_i64(rd->report->identity.bytes / TS_STACKS_SHARE, LIMIT_LEAST);
	p->left = code == TS_E_ABSENT; /* no rows: there is nothing to keep */
	if (code)
		return p->left ? TS_OK : code;
	p->ipus = (uint64_t)p->trace->ipus;
	p->left = p->ipus == 0 || p->ipus > TS_TRACE_LANES || !p->trace->has_parts ||
		!ts_binding_is_plain(&rd->report->binding[TS_STEP_IPU], ts_execution_columns,
			TS_X_COUNT);
	p->lane = ts_alloc((size_t)p->ipus, sizeof(*p->lane));
	if (!p->lane)
		return ts_err_nomem(err);
	for (uint64_t i = 0; i < p->ipus; i++)
		p->lane[i] = (struct stacks_lane){.start = INT64_MIN, .step = -1};
	p->page_rows = ts_min_i64(TS_STACKS_PAGE * (int64_t)ts_max_i64((int64_t)p->ipus, 1),
		TS_STACKS_PAGE_MOST);
	code = read_contexts(p, rd, err);
	if (!code)
		code = take_frames(p, err);
	return code || p->left ? code : take_rows(p, rd, progress, err);
}

static enum ts_code
pass_part(struct ts_pass_part *part, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	return read_all(part, 0, rd, progress, err);
}

static enum ts_code
pass_part_tight(struct ts_pass_part *part, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	return read_all(part, 1, rd, progress, err);
}

static void
part_fini(struct ts_pass_part *part)
{
	struct part *p = part->state;
	struct ts_pile *pile[] = {&p->frame, &p->page, &p->edge, &p->open, &p->number, &p->stretch,
		&p->entry};

	if (p->trace)
		ts_trace_release(p->trace);
	ts_frames_fini(&p->frames);
	free(p->lane);
	sums_fini(&p->sums);
	for (size_t i = 0; i < TS_COUNT(pile); i++)
		ts_pile_fini(pile[i]);
}

/* --- the whole -------------------------------------------------------------------------------------- */

/* What is written besides what the part has. */
struct whole {
	struct part *p;
	struct ts_stacks_head head;
	struct ts_pile text, follow, bit, other, node, sum;
};

/* Names, and what frames stand for. */
static enum ts_code
name_frames(struct whole *w, struct ts_err *err)
{
	struct part *p = w->p;
	struct ts_stacks_frame *frame = p->frame.memory;
	enum ts_code code = TS_OK;

	for (uint32_t i = 0; i < p->frames.count && !code; i++) {
		const struct ts_frame *from = ts_frame_at(&p->frames, i);
		size_t n;
		const char *name = ts_frame_name(&p->frames, i, &n);

		frame[i].at = (uint32_t)w->text.used; /* at most 32 MiB */
		frame[i].n = (uint32_t)n;
		frame[i].class_of = from->class_of;
		frame[i].steps = from->steps;
		code = ts_pile_add(&w->text, name, n, p->cache, err);
	}
	return code;
}

/* The stack that mostly follows on each: the one that holds out against all others, if one does. */
static enum ts_code
vote(struct whole *w, struct ts_err *err)
{
	const struct part *p = w->p;
	const struct ts_stacks_page *page = p->page.memory;
	const uint16_t *number = p->number.memory;
	size_t pages = count_of(&p->page, sizeof(*page));
	uint32_t *follow, *votes = ts_alloc(p->frames.count, sizeof(*votes));
	enum ts_code code = votes ? TS_OK : ts_err_nomem(err);

	if (!code)
		code = ts_pile_room(&w->follow, p->frames.count * sizeof(*follow), p->cache, err);
	w->follow.used = code ? 0 : p->frames.count * sizeof(*follow);
	follow = w->follow.memory;
	for (size_t i = 0; i < pages && !code; i++) {
		uint32_t before = 0;

		for (uint64_t k = 0; k < page[i].numbers; k++, number++) {
			if (votes[before] == 0)
				follow[before] = *number;
			votes[before] += follow[before] == *number ? 1 : UINT32_MAX;
			before = *number;
		}
	}
	free(votes);
	return code;
}

static enum ts_code
put_numbers(struct whole *w, struct ts_err *err)
{
	const struct part *p = w->p;
	struct ts_stacks_page *page = p->page.memory;
	const uint16_t *number = p->number.memory;
	const uint32_t *follow = w->follow.memory;
	size_t pages = count_of(&p->page, sizeof(*page));
	enum ts_code code = TS_OK;

	for (size_t i = 0; i < pages && !code; i++) {
		uint64_t word = 0;
		uint32_t before = 0;

		page[i].bit = count_of(&w->bit, sizeof(word));
		page[i].other = count_of(&w->other, sizeof(*number));
		for (uint64_t k = 0; k < page[i].numbers && !code; k++, number++) {
			bool follows = follow[before] == *number;

			word |= (uint64_t)follows << k % WORD;
			if (!follows)
				code = ts_pile_add(&w->other, number, sizeof(*number), p->cache,
					err);
			if (!code && (k % WORD == WORD - 1 || k + 1 == page[i].numbers)) {
				code = ts_pile_add(&w->bit, &word, sizeof(word), p->cache, err);
				word = 0;
			}
			before = *number;
		}
	}
	return code;
}

/* Pack what is added up: a node. */
static enum ts_code
put_node(struct whole *w, uint64_t page, uint64_t pages, struct ts_err *err)
{
	struct sums *s = &w->p->sums;
	struct ts_stacks_node node = {.at = w->sum.used, .page = page, .pages = pages};
	unsigned char packed[STACKS_PACKED];
	int64_t last = -1;
	enum ts_code code = TS_OK;

	sums_sort(s);
	for (size_t i = 0; i < s->n && !code; i++) {
		size_t n = stacks_pack(packed, &last, s->touched[i], &s->sum[s->touched[i]]);

		code = ts_pile_add(&w->sum, packed, n, w->p->cache, err);
	}
	sums_clear(s);
	node.bytes = w->sum.used - node.at;
	return code ? code : ts_pile_add(&w->node, &node, sizeof(node), w->p->cache, err);
}

/* A level: nodes of `each` stretches. */
static enum ts_code
put_level(struct whole *w, size_t each, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct part *p = w->p;
	const struct stretch *s = p->stretch.memory;
	const struct entry *e = p->entry.memory;
	size_t n = count_of(&p->stretch, sizeof(*s));
	uint64_t page = 0, pages = 0;
	enum ts_code code = TS_OK;

	for (size_t i = 0; i < n && !code; i++) {
		sums_add(&p->sums, e, s[i].entries);
		e += s[i].entries;
		pages += s[i].pages;
		if ((i + 1) % each != 0 && i + 1 < n)
			continue;
		code = put_node(w, page, pages, err);
		page += pages;
		pages = 0;
		if (!code && ts_cancelled(cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
	}
	w->head.level[w->head.levels++] = (n + each - 1) / each;
	return code;
}

static enum ts_code
put_levels(struct whole *w, const struct ts_cancel *cancel, struct ts_err *err)
{
	size_t n = count_of(&w->p->stretch, sizeof(struct stretch)), each = 1;
	enum ts_code code = put_level(w, each, cancel, err);

	while (!code && each < n) {
		each *= TS_STACKS_FAN;
		code = put_level(w, each, cancel, err);
	}
	return code;
}

static enum ts_code
write_all(struct whole *w, struct ts_section_writer *to, struct ts_err *err)
{
	struct ts_stacks_head *h = &w->head;
	struct part *p = w->p;
	struct {
		uint64_t *at, *count;
		const struct ts_pile *pile;
		size_t size;
	} of[] = {{&h->frames_at, &h->frames, &p->frame, sizeof(struct ts_stacks_frame)},
		{&h->texts_at, &h->texts, &w->text, 1},
		{&h->follows_at, NULL, &w->follow, sizeof(uint32_t)},
		{&h->pages_at, &h->pages, &p->page, sizeof(struct ts_stacks_page)},
		{&h->edges_at, NULL, &p->edge, sizeof(struct ts_stacks_edge)},
		{&h->opens_at, &h->opens, &p->open, sizeof(struct ts_stacks_open)},
		{&h->bits_at, &h->bits, &w->bit, sizeof(uint64_t)},
		{&h->others_at, &h->others, &w->other, sizeof(uint16_t)},
		{&h->nodes_at, &h->nodes, &w->node, sizeof(struct ts_stacks_node)},
		{&h->sums_at, &h->sums, &w->sum, 1}};
	struct ts_section_array array[TS_COUNT(of) + 1] = {0};
	int64_t bytes = 0;

	for (size_t i = 0; i < TS_COUNT(of); i++)
		bytes += (int64_t)of[i].pile->used;
	h->left = p->left || bytes > p->limit;
	if (h->left)
		return ts_section_put_arrays(to, h, sizeof(*h), NULL, 0, err);
	for (size_t i = 0; i < TS_COUNT(of); i++) {
		array[i] = (struct ts_section_array){of[i].at, of[i].pile->memory,
			of[i].pile->used};
		if (of[i].count)
			*of[i].count = of[i].pile->used / of[i].size;
	}
	h->pages--; /* the last one is where they end */
	h->ipus = p->ipus;
	array[TS_COUNT(of)] = (struct ts_section_array){&h->ipus_at, p->trace->ipu,
		(size_t)p->ipus * sizeof(*p->trace->ipu)};
	return ts_section_put_arrays(to, h, sizeof(*h), array, TS_COUNT(array), err);
}

static enum ts_code
pass_finish(struct ts_pass_run *run, struct ts_pass_part *parts, int count, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	struct part *p = parts[0].state;
	struct whole w = {.p = p,
		.head = {.contexts = p->frames.contexts != NULL,
			.in_debug = p->in_debug,
			.debug = p->debug,
			.steps_fall = p->steps_fall,
			.bad_rows = p->bad_rows,
			.orphans = p->orphans,
			.bad_cycles = p->bad_cycles}};
	struct ts_pile *pile[] = {&w.text, &w.follow, &w.bit, &w.other, &w.node, &w.sum};
	enum ts_code code = TS_OK;

	(void)progress;
	(void)count;
	if (!p->left)
		code = name_frames(&w, err);
	if (!p->left && !code)
		code = vote(&w, err);
	if (!p->left && !code)
		code = put_numbers(&w, err);
	if (!p->left && !code)
		code = put_levels(&w, rd->cancel, err);
	if (!code)
		code = write_all(&w, run->writer[0], err);
	for (size_t i = 0; i < TS_COUNT(pile); i++)
		ts_pile_fini(pile[i]);
	return code;
}

static bool
can(const struct ts_report *r)
{
	return ts_report_has(r, TS_STEP) && ts_report_has(r, TS_STEP_IPU);
}

#define STACKS_PASS(read)                                                                \
	{                                                                                \
		.what = "cycles by stack", .relation = TS_STEP_IPU, .whole = true,       \
		.section = {TS_SECTION_STACKS, TS_SECTION_COUNT}, .can = can,            \
		.part_size = sizeof(struct part), .part = (read), .finish = pass_finish, \
		.part_fini = part_fini                                                   \
	}

const struct ts_pass ts_pass_stacks = STACKS_PASS(pass_part);
const struct ts_pass ts_pass_stacks_tight = STACKS_PASS(pass_part_tight);
