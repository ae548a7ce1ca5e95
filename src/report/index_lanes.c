/* SPDX-License-Identifier: MIT */
/*
 * index_lanes - the pass over step_ipu that writes the lanes.
 *
 * A part gathers rows of each IPU until a leaf is full, packs it, gathers leaves until a block is full,
 * and appends that: what it holds is some leaves of each IPU and a node for each block, whatever the
 * size of the report. A leaf ends early where a figure of it would not fit 32 bits, so that all its
 * figures are exact; a single row that is too long is a leaf of a kind of its own. When all parts
 * are done the nodes of each IPU are put one behind the other and the tree is built upon them. Blocks stand
 * in the file in the order in which parts had them full, and the last room goes to who comes first: the same
 * report gives the same figures, but with several threads not the same bytes.
 *
 * Rows without a step stand in the lanes as control and count in no sum, as everywhere. Sums that
 * reach their limit depend on the order of the rows: such a report gets no section.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "index_lanes_sets.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/execution.h"

enum {
	PROGRESS_ROWS = 8192,
	SHARE = 40,	      /* of the report's size for the sections of the steps */
	LEAST = 1 << 20,      /* and as much in any case */
	BLOCKS_MAX = 1 << 17, /* of a part, held in memory */
	BLOCK_LEAVES = 8,     /* at least, and as many leaves of all IPUs in memory: */
	HELD_LEAVES = 16384,
	LOOK_BACK = 2 * TS_IPUS_MAX, /* row ids before a part, at first; */
	LOOK_MORE = 16,		     /* and so many times as many the next time */
};

/* --- a part ----------------------------------------------------------------------------------- */

struct run {
	struct ts_steps steps;
	/* bytes that leaves with their nodes may still take, and packed rows: of leaves in which they overlap, of others */
	atomic_int_fast64_t room, overlap_room, rows_room;
};

struct lane {
	int64_t ipu, rows;
	/* the open leaf */
	struct ts_lane_row *row;
	int n;
	int64_t start, end, first_rowid, last_rowid;
	uint64_t length[TS_CLASS_COUNT];
	bool ordered;
	/* the open block */
	struct ts_lane_leaf *leaf;
	size_t leaves, leaf_cap;
	unsigned char *bytes;
	size_t used, bytes_cap;
	struct ts_lane_node block;
	struct lane_sets sets; /* of it */
	/* those that are written */
	struct ts_lane_node *node;
	size_t nodes, cap;
};

struct part {
	struct ts_execution x;
	struct lane *lane; /* sorted */
	int lanes, hint;
	size_t blocks;
	int64_t from, to, first_step, last_step;
	int64_t passed_over; /* rows without a length that have not been given room for */
	bool falls, has_rowid;
	bool classed; /* of classed_step the class is known */
	int class_of;
	int64_t classed_step;
};

/* a + b, or INT64_MAX (both >= 0) */
static int64_t
plus(int64_t a, int64_t b)
{
	return __builtin_add_overflow(a, b, &a) ? INT64_MAX : a;
}

static void
node_clear(struct ts_lane_node *n)
{
	*n = (struct ts_lane_node){.start = INT64_MAX, .end = INT64_MIN, .flags = TS_LANE_ORDERED};
}

/* n comes behind what `to` has. */
static void
node_add(struct ts_lane_node *to, const struct ts_lane_node *n)
{
	if (!(n->flags & TS_LANE_ORDERED) || n->start < to->end)
		to->flags = 0;
	to->start = ts_min_i64(to->start, n->start);
	to->end = ts_max_i64(to->end, n->end);
	to->longest = ts_max_i64(to->longest, n->longest);
	for (int k = 0; k < TS_CLASS_COUNT; k++)
		to->length[k] = plus(to->length[k], n->length[k]);
}

/* Take bytes off a budget; false when they are not there. */
static bool
take_room(atomic_int_fast64_t *room, size_t n)
{
	if (atomic_fetch_sub(room, (int_fast64_t)n) >= (int_fast64_t)n)
		return true;
	atomic_fetch_add(room, (int_fast64_t)n);
	return false;
}

/* A row without a length is in no leaf: what was set aside for it (pass_begin()) is for packed rows. */
static void
give_room(struct run *run, struct part *part)
{
	int64_t leaves = part->passed_over / TS_LANE_LEAF;

	atomic_fetch_add(&run->rows_room, leaves * (int64_t)sizeof(struct ts_lane_leaf));
	part->passed_over -= leaves * TS_LANE_LEAF;
}

/* An ordered block needs none. */
static enum ts_code
sets_write(struct ts_pass_part *p, struct lane *l, struct ts_err *err)
{
	struct lane_sets *s = &l->sets;
	struct run *run = p->run->state;

	if (l->block.flags & TS_LANE_ORDERED)
		return TS_OK;
	if (!lane_sets_finish(s) || !take_room(&run->room, s->n * sizeof(s->set[0])))
		return TS_OK;
	l->block.sets = s->n;
	return ts_section_append(p->run->writer[0], &l->block.sets_at, s->set,
		s->n * sizeof(s->set[0]), err);
}

static enum ts_code
flush_block(struct ts_pass_part *p, struct lane *l, struct ts_err *err)
{
	size_t head = l->leaves * sizeof(*l->leaf), n = head + l->used;
	struct part *part = p->state;
	struct run *run = p->run->state;
	unsigned char *whole;
	void *nodes = l->node;
	enum ts_code code;

	if (l->leaves == 0)
		return TS_OK;
	if (part->blocks++ == BLOCKS_MAX || !take_room(&run->room, head + sizeof(l->block)))
		return ts_err_set(err, TS_E_LIMIT, "the lanes take more room than they are worth");
	if (!ts_room(&nodes, &l->cap, l->nodes, sizeof(*l->node)))
		return ts_err_nomem(err);
	l->node = nodes;
	give_room(run, part);
	whole = ts_alloc(n, 1);
	if (!whole)
		return ts_err_nomem(err);
	memcpy(whole, l->leaf, head);
	if (l->used > 0)
		memcpy(whole + head, l->bytes, l->used);
	l->block.leaves = (uint16_t)l->leaves;
	l->block.bytes = (uint32_t)l->used;
	code = ts_section_append(p->run->writer[0], &l->block.at, whole, n, err);
	free(whole);
	if (!code)
		code = sets_write(p, l, err);
	l->node[l->nodes++] = l->block;
	l->leaves = l->used = 0;
	return code;
}

/* The rows of the open leaf, packed behind those of the block, as long as there is room for them. */
static enum ts_code
pack_leaf(struct run *run, struct lane *l, struct ts_lane_leaf *leaf, struct ts_err *err)
{
	size_t most = l->used + TS_LANE_LEAF * TS_LANE_ROW_BYTES, n;

	if (most > l->bytes_cap) {
		size_t cap = most + l->bytes_cap;
		unsigned char *bigger = ts_resize(l->bytes, cap, 1);

		if (!bigger)
			return ts_err_nomem(err);
		l->bytes = bigger;
		l->bytes_cap = cap;
	}
	n = ts_lane_pack(l->bytes + l->used, l->row, l->n, leaf->start);
	if (!take_room(&run->rows_room, n) && (l->ordered || !take_room(&run->overlap_room, n)))
		return TS_OK;
	leaf->at = (uint32_t)l->used;
	leaf->flags |= TS_LEAF_PACKED;
	l->used += n;
	return TS_OK;
}

static void
fill_leaf(struct ts_lane_leaf *leaf, const struct lane *l)
{
	uint64_t extent = (uint64_t)(l->end - l->start);

	leaf->start = l->start;
	leaf->rowid = (uint32_t)((uint64_t)l->first_rowid - (uint64_t)l->block.rowid);
	leaf->rowids = (uint32_t)((uint64_t)l->last_rowid - (uint64_t)l->first_rowid + 1);
	leaf->rows = (uint16_t)l->n;
	if (extent > UINT32_MAX) {
		leaf->flags = TS_LEAF_WIDE | TS_LANE_ORDERED;
		leaf->length[0] = (uint32_t)extent;
		leaf->length[1] = (uint32_t)(extent >> 32);
		leaf->length[2] = (uint32_t)l->row[0].class_of;
		return;
	}
	leaf->extent = (uint32_t)extent;
	leaf->flags = l->ordered ? TS_LANE_ORDERED : 0;
	for (int k = 0; k < TS_CLASS_COUNT; k++)
		leaf->length[k] = (uint32_t)l->length[k];
}

static enum ts_code
close_leaf(struct ts_pass_part *p, struct lane *l, struct ts_err *err)
{
	struct part *part = p->state;
	size_t most = (size_t)ts_clamp_i64(HELD_LEAVES / part->lanes, BLOCK_LEAVES, TS_LANE_FAN);
	struct ts_lane_node whole = {.start = l->start,
		.end = l->end,
		.flags = l->ordered ? TS_LANE_ORDERED : 0};
	struct ts_lane_leaf leaf = {0};
	void *leaves;
	enum ts_code code = TS_OK;

	if (l->n == 0)
		return TS_OK;
	if (l->leaves >= most || (uint64_t)l->first_rowid - (uint64_t)l->block.rowid > UINT32_MAX)
		code = flush_block(p, l, err);
	leaves = l->leaf;
	if (!code && !ts_room(&leaves, &l->leaf_cap, l->leaves, sizeof(*l->leaf)))
		code = ts_err_nomem(err);
	if (code)
		return code;
	l->leaf = leaves;
	if (l->leaves == 0) {
		node_clear(&l->block);
		l->block.rowid = l->first_rowid;
		lane_sets_begin(&l->sets, l->start);
	}
	lane_sets_add(&l->sets, l->row, l->n, l->ordered);
	fill_leaf(&leaf, l);
	if (leaf.rows > 1)
		code = pack_leaf(p->run->state, l, &leaf, err);
	for (int k = 0; k < TS_CLASS_COUNT; k++)
		whole.length[k] = (int64_t)l->length[k];
	for (int i = 0; i < l->n; i++)
		whole.longest = ts_max_i64(whole.longest, l->row[i].end - l->row[i].start);
	node_add(&l->block, &whole);
	l->leaf[l->leaves++] = leaf;
	l->n = 0;
	return code;
}

/* May the row not join the open leaf? */
static bool
is_too_much(const struct lane *l, const struct ts_lane_row *r, int64_t rowid)
{
	int64_t start = ts_min_i64(l->start, r->start), end = ts_max_i64(l->end, r->end);
	uint64_t length = (uint64_t)(r->end - r->start);

	return l->n == TS_LANE_LEAF || end - start > UINT32_MAX ||
		length + l->length[r->class_of] > UINT32_MAX ||
		(uint64_t)rowid - (uint64_t)l->first_rowid >= UINT32_MAX;
}

static enum ts_code
add_row(struct ts_pass_part *p, struct lane *l, const struct ts_lane_row *r, int64_t rowid,
	struct ts_err *err)
{
	enum ts_code code;

	if (!l->row) {
		l->row = ts_alloc(TS_LANE_LEAF, sizeof(*l->row));
		if (!l->row)
			return ts_err_nomem(err);
	}
	if (l->n > 0 && is_too_much(l, r, rowid)) {
		code = close_leaf(p, l, err);
		if (code)
			return code;
	}
	if (l->n == 0) {
		l->start = r->start;
		l->end = r->end;
		l->first_rowid = rowid;
		l->ordered = true;
		memset(l->length, 0, sizeof(l->length));
	}
	l->ordered &= l->n == 0 || r->start >= l->row[l->n - 1].end;
	l->row[l->n++] = *r;
	l->start = ts_min_i64(l->start, r->start);
	l->end = ts_max_i64(l->end, r->end);
	l->last_rowid = rowid;
	l->length[r->class_of] += (uint64_t)(r->end - r->start);
	return TS_OK;
}

static int
lane_place(const struct part *p, int64_t ipu)
{
	int low = 0, high = p->lanes;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (p->lane[middle].ipu < ipu)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct lane *
lane_of(struct part *p, int64_t ipu)
{
	int i = p->hint < p->lanes ? p->hint : 0;
	struct lane *bigger;

	if (p->lanes == 0 || p->lane[i].ipu != ipu)
		i = lane_place(p, ipu);
	p->hint = i + 1;
	if (i < p->lanes && p->lane[i].ipu == ipu)
		return &p->lane[i];
	bigger = ts_resize(p->lane, (size_t)p->lanes + 1, sizeof(*bigger));
	if (!bigger)
		return NULL;
	p->lane = bigger;
	memmove(&p->lane[i + 1], &p->lane[i], (size_t)(p->lanes - i) * sizeof(*p->lane));
	p->lane[i] = (struct lane){.ipu = ipu};
	p->lanes++;
	return &p->lane[i];
}

static void
note_row(struct part *p, const struct ts_execution_row *row)
{
	int64_t step = row->v[TS_X_STEP], start = row->v[TS_X_START];

	p->from = ts_min_i64(p->from, start);
	p->to = ts_max_i64(p->to, ts_max_i64(start, row->v[TS_X_END]));
	p->falls |= step < p->last_step;
	if (p->first_step < 0)
		p->first_step = step;
	p->last_step = step;
}

/* The class of a step: the rows of a step mostly stand together. */
static int
class_of_step(struct part *part, const struct run *run, int64_t step)
{
	if (!part->classed || part->classed_step != step) {
		part->class_of = ts_steps_class(&run->steps, step);
		part->classed_step = step;
		part->classed = true;
	}
	return part->class_of;
}

static enum ts_code
take_row(struct ts_pass_part *p, const struct ts_execution_row *row, int64_t rowid,
	struct ts_err *err)
{
	struct part *part = p->state;
	struct ts_lane_row r;
	struct lane *l;
	int class_of = -1;
	enum ts_code code;

	if (row->ok[TS_X_STEP])
		class_of = class_of_step(part, p->run->state, row->v[TS_X_STEP]);
	code = ts_execution_add_quickly(&part->x, row, class_of)
		? TS_OK
		: ts_execution_add(&part->x, row, class_of, err);
	if (!code && part->x.limited)
		code = ts_err_set(err, TS_E_LIMIT, "sums of the steps by IPU are at their limit");
	if (code || !row->ok[TS_X_STEP] || !row->ok[TS_X_IPU] || !row->ok[TS_X_START] ||
		!row->ok[TS_X_END])
		return code;
	note_row(part, row);
	l = lane_of(part, row->v[TS_X_IPU]);
	if (!l)
		return ts_err_nomem(err);
	l->rows++;
	if (row->v[TS_X_END] <= row->v[TS_X_START]) {
		part->passed_over++;
		return TS_OK;
	}
	r = (struct ts_lane_row){row->v[TS_X_START], row->v[TS_X_END],
		class_of < 0 ? TS_CLASS_CONTROL : (enum ts_step_class)class_of};
	return add_row(p, l, &r, rowid, err);
}

/* Is the IPU known by the order of its rows within a step? */
static bool
is_by_order(const struct ts_binding *b)
{
	for (int i = 0; i < TS_X_COUNT; i++)
		if (b->column[ts_execution_columns[i]].op == TS_OP_ORDER_IN)
			return true;
	return false;
}

/* Open the rows of a part, and `back` row ids before it. */
static enum ts_code
open_rows(struct ts_rows **rows, const struct ts_pass_part *p, struct ts_reader *rd, uint64_t back,
	struct ts_err *err)
{
	const struct ts_binding *b = &rd->report->binding[TS_STEP_IPU];
	struct ts_rows_query q = {.column_count = TS_X_COUNT,
		.range = p->range,
		.from = (int64_t)((uint64_t)p->from - back),
		.to = p->to};
	bool whole = p->range == TS_RANGE_ALL || p->from <= b->reach.first_rowid;

	memcpy(q.columns, ts_execution_columns, sizeof(ts_execution_columns));
	for (int i = 0; i < TS_X_COUNT && !whole; i++)
		if (b->column[q.columns[i]].op == TS_OP_POSITION)
			return ts_err_set(err, TS_E_LIMIT, "rows are known by their position only");
	return ts_reader_rows(rows, rd, TS_STEP_IPU, &q, err);
}

/*
 * Open the rows of a part and come to its first one. An IPU that is known by the order of its rows is
 * known from the begin of a step on: then rows before the part are read as well, and more of them where
 * row ids have gaps.
 */
static enum ts_code
begin_rows(struct ts_rows **rows, bool *there, const struct ts_pass_part *p, struct ts_reader *rd,
	struct ts_err *err)
{
	const struct ts_binding *b = &rd->report->binding[TS_STEP_IPU];
	bool by_order = p->range == TS_RANGE_ROWID && is_by_order(b);
	uint64_t most = by_order ? (uint64_t)p->from - (uint64_t)b->reach.first_rowid : 0;
	uint64_t back = most < LOOK_BACK ? most : LOOK_BACK;

	for (;;) {
		enum ts_code code = open_rows(rows, p, rd, back, err);
		int64_t rowid, ipu;

		if (code)
			return code;
		while (!(code = ts_rows_next(*rows, there, err)) && *there)
			if (!by_order || !ts_rows_rowid(*rows, &rowid) || rowid >= p->from)
				break;
		if (code || !*there || back == most ||
			ts_rows_number(*rows, TS_X_IPU, &ipu) == TS_VALUE_OK) {
			if (code)
				ts_rows_close(*rows);
			return code;
		}
		ts_rows_close(*rows);
		back = back > most / LOOK_MORE ? most : back * LOOK_MORE;
	}
}

/* All rows of a part. */
static enum ts_code
take_rows(struct ts_pass_part *p, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct part *part = p->state;
	int64_t total = ts_pass_part_span(p), rowid = 0, told = 0;
	struct ts_execution_row row;
	struct ts_rows_block b;
	struct ts_rows *rows;
	bool there;
	enum ts_code code = begin_rows(&rows, &there, p, rd, err);

	if (code)
		return code;
	if (there) {
		part->has_rowid = ts_rows_rowid(rows, &rowid);
		ts_execution_row_get(&row, rows);
		code = take_row(p, &row, rowid, err);
	}
	while (!code && there && !(code = ts_rows_block(rows, &b, err)) && b.rows > 0) {
		ts_execution_row_of(&row, &b);
		for (int k = 0; k < b.rows && !code; k++) {
			ts_execution_row_at(&row, &b, k);
			code = take_row(p, &row, b.rowid ? b.rowid[k] : part->x.rows, err);
		}
		if (part->x.rows - told >= PROGRESS_ROWS)
			ts_progress_set(progress, told = part->x.rows, total);
	}
	ts_rows_close(rows);
	ts_progress_set(progress, part->x.rows, total);
	return code;
}

static enum ts_code
pass_part(struct ts_pass_part *p, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct part *part = p->state;
	enum ts_code code;

	part->from = INT64_MAX;
	part->to = part->first_step = part->last_step = -1;
	code = take_rows(p, rd, progress, err);
	for (int i = 0; i < part->lanes && !code; i++) {
		struct lane *l = &part->lane[i];

		code = close_leaf(p, l, err);
		if (!code)
			code = flush_block(p, l, err);
		free(l->row);
		free(l->leaf);
		free(l->bytes);
		l->row = NULL;
		l->leaf = NULL;
		l->bytes = NULL;
	}
	return code;
}

static void
part_fini(struct ts_pass_part *p)
{
	struct part *part = p->state;

	for (int i = 0; i < part->lanes; i++) {
		free(part->lane[i].row);
		free(part->lane[i].leaf);
		free(part->lane[i].bytes);
		free(part->lane[i].node);
	}
	free(part->lane);
	ts_execution_fini(&part->x);
}

/* --- together --------------------------------------------------------------------------------- */

/* Append the levels of a lane; `node` (n of them) is used up. */
static enum ts_code
write_levels(struct ts_lane *lane, struct ts_lane_node *node, size_t n, struct ts_section_writer *w,
	struct ts_err *err)
{
	enum ts_code code = TS_OK;

	while (n > 0 && !code) {
		struct ts_lane_level *level = &lane->level[lane->levels++];
		size_t up = (n + TS_LANE_FAN - 1) / TS_LANE_FAN;

		level->nodes = n;
		code = ts_section_append(w, &level->at, node, n * sizeof(*node), err);
		if (n <= TS_LANE_FAN || lane->levels == TS_LANE_LEVELS)
			break;
		for (size_t i = 0; i < up; i++) {
			struct ts_lane_node sum;

			node_clear(&sum);
			for (size_t k = i * TS_LANE_FAN; k < n && k < (i + 1) * TS_LANE_FAN; k++)
				node_add(&sum, &node[k]);
			node[i] = sum; /* i <= k: it is read already */
		}
		n = up;
	}
	return code;
}

static enum ts_code
write_lane(struct ts_lane *lane, struct ts_pass_part *parts, int count, struct ts_section_writer *w,
	struct ts_err *err)
{
	const struct lane *of[TS_PASS_PARTS];
	struct ts_lane_node *node;
	size_t n = 0, used = 0;
	enum ts_code code;

	for (int i = 0; i < count; i++) {
		const struct part *p = parts[i].state;
		int k = lane_place(p, lane->ipu);

		of[i] = k < p->lanes && p->lane[k].ipu == lane->ipu ? &p->lane[k] : NULL;
		n += of[i] ? of[i]->nodes : 0;
		lane->rows += of[i] ? of[i]->rows : 0;
	}
	node = ts_alloc(n, sizeof(*node));
	if (!node)
		return ts_err_nomem(err);
	for (int i = 0; i < count; i++)
		if (of[i] && of[i]->nodes > 0) {
			memcpy(node + used, of[i]->node, of[i]->nodes * sizeof(*node));
			used += of[i]->nodes;
		}
	code = write_levels(lane, node, n, w, err);
	free(node);
	return code;
}

static int
by_ipu(const void *a, const void *b)
{
	const struct ts_lane *x = a, *y = b;

	return x->ipu < y->ipu ? -1 : x->ipu > y->ipu;
}

/* The IPUs of all parts, each once, sorted; only their numbers. */
static enum ts_code
collect_lanes(struct ts_lane **lanes, size_t *count, struct ts_pass_part *parts, int n,
	struct ts_err *err)
{
	size_t most = 0, kept = 0;

	for (int i = 0; i < n; i++)
		most += (size_t)((struct part *)parts[i].state)->lanes;
	*count = 0;
	*lanes = ts_alloc(most, sizeof(**lanes));
	if (!*lanes)
		return ts_err_nomem(err);
	for (int i = 0; i < n; i++) {
		const struct part *p = parts[i].state;

		for (int k = 0; k < p->lanes; k++)
			(*lanes)[(*count)++].ipu = p->lane[k].ipu;
	}
	qsort(*lanes, *count, sizeof(**lanes), by_ipu);
	for (size_t i = 0; i < *count; i++)
		if (kept == 0 || (*lanes)[kept - 1].ipu != (*lanes)[i].ipu)
			(*lanes)[kept++].ipu = (*lanes)[i].ipu;
	*count = kept;
	return TS_OK;
}

static enum ts_code
write_lanes(struct ts_lanes_head *h, struct ts_pass_part *parts, int count,
	struct ts_section_writer *w, struct ts_err *err)
{
	struct ts_lane *lane;
	size_t n;
	enum ts_code code = collect_lanes(&lane, &n, parts, count, err);

	for (size_t i = 0; i < n && !code; i++)
		code = write_lane(&lane[i], parts, count, w, err);
	h->lanes = n;
	if (!code)
		code = ts_section_append(w, &h->lanes_at, lane, n * sizeof(*lane), err);
	free(lane);
	return code;
}

/* The figures of all parts, which stand in the order of their rows. */
static enum ts_code
join_parts(struct ts_lanes_head *h, struct ts_execution *x, struct ts_pass_part *parts, int count,
	struct ts_err *err)
{
	int64_t last_step = -1;
	enum ts_code code = TS_OK;

	for (int i = 0; i < count && !code; i++) {
		const struct part *p = parts[i].state;

		code = ts_execution_merge(x, &p->x, err);
		if (p->has_rowid)
			h->flags |= TS_LANES_ROWID;
		if (p->first_step < 0)
			continue;
		h->from = ts_min_i64(h->from, p->from);
		h->to = ts_max_i64(h->to, p->to);
		if (p->falls || p->first_step < last_step)
			h->flags |= TS_LANES_FALL;
		last_step = p->last_step;
	}
	ts_execution_finish(x);
	h->rows = x->rows;
	h->bad_rows = x->bad_rows;
	h->orphans = x->orphans;
	h->reversed = x->reversed;
	h->step_ipus = x->step_ipus;
	h->ipus = (uint64_t)x->count;
	return code;
}

static enum ts_code
pass_finish(struct ts_pass_run *run, struct ts_pass_part *parts, int count, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	struct ts_lanes_head h = {.from = INT64_MAX, .to = -1};
	struct ts_section_writer *w = run->writer[0];
	struct ts_execution x = {0};
	enum ts_code code = join_parts(&h, &x, parts, count, err);

	(void)rd;
	(void)progress;
	if (!code)
		code = write_lanes(&h, parts, count, w, err);
	if (!code)
		code = ts_section_append(w, &h.ipus_at, x.ipu, h.ipus * sizeof(*x.ipu), err);
	if (!code) /* pass_begin() made room for it */
		code = ts_section_put(w, 0, &h, sizeof(h), err);
	ts_execution_fini(&x);
	return code;
}

/* --- the whole -------------------------------------------------------------------------------- */

static bool
can(const struct ts_report *r)
{
	return ts_report_has(r, TS_STEP) && ts_report_has(r, TS_STEP_IPU);
}

static enum ts_code
pass_begin(struct ts_pass_run *run, struct ts_err *err)
{
	const struct ts_report *r = run->report;
	const struct ts_binding *b = &r->binding[TS_STEP_IPU];
	int64_t room = ts_max_i64(r->source[b->source]->size / SHARE, LEAST);
	int64_t rows = ts_reach_span(&b->reach);
	struct ts_lanes_head h = {0};
	struct run *state = run->state;

	if (!ts_steps_open(&state->steps, run->index))
		return ts_err_set(err, TS_E_ABSENT, "the steps are not in the index");
	room = ts_max_i64(room - (int64_t)state->steps.size, LEAST);
	/* leaves come first, and there may be as many as the rows fill */
	rows = rows / TS_LANE_LEAF < room / (int64_t)sizeof(struct ts_lane_leaf)
		? rows / TS_LANE_LEAF * (int64_t)sizeof(struct ts_lane_leaf)
		: room;
	atomic_init(&state->room, room);
	rows = ts_max_i64(room - rows, room / 8);
	atomic_init(&state->overlap_room, rows / 4);
	atomic_init(&state->rows_room, rows - rows / 4);
	return ts_section_append(run->writer[0], NULL, &h, sizeof(h), err);
}

static void
pass_fini(struct ts_pass_run *run)
{
	ts_steps_close(&((struct run *)run->state)->steps);
}

const struct ts_pass ts_pass_lanes = {
	.what = "steps by IPU",
	.relation = TS_STEP_IPU,
	.section = {TS_SECTION_LANES, TS_SECTION_COUNT},
	.can = can,
	.state_size = sizeof(struct run),
	.part_size = sizeof(struct part),
	.begin = pass_begin,
	.part = pass_part,
	.finish = pass_finish,
	.part_fini = part_fini,
	.fini = pass_fini,
};
