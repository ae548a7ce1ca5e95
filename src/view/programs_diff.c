/* SPDX-License-Identifier: MIT */
/*
 * programs_diff - the tree of the Programs view as the difference to earlier programs: a row is a pair of programs, with what
 * both cost. What is gone has a row, too, but nothing else in the view is about it.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "programs_internal.h"

#include "tilescope/base/mem.h"

struct diff_fetch {
	struct ts_fetch f; /* first */
	const struct ts_cache *cache;
	const struct ts_program_world *before;
	struct programs_data *data; /* held */
	struct ts_program_diff *diff;
};

/* --- made in a worker ------------------------------------------------------------------------------- */

static enum ts_code
read_diff(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct diff_fetch *q = (struct diff_fetch *)f;
	const struct ts_program_world after = {.tree = q->data->tree,
		.costs = q->data->costs,
		.names = &q->data->names,
		.below = q->data->below.memory};

	return ts_program_diff_new(&q->diff, q->before, &after, q->cache, rd->cancel, err);
}

static void
fini_diff(struct ts_fetch *f)
{
	struct diff_fetch *q = (struct diff_fetch *)f;

	ts_program_diff_free(q->diff);
	programs_release(q->data);
}

void
programs_ask_diff(struct programs_view *s)
{
	struct diff_fetch *q;

	if (!s->before || s->diff || !s->data || s->asked[ASK_DIFF] || s->asked[ASK_TRACE])
		return;
	q = ts_alloc(1, sizeof(*q));
	if (!q)
		return;
	q->f.read = read_diff;
	q->f.fini = fini_diff;
	q->cache = s->base.env->cache;
	q->before = s->before;
	q->data = programs_hold(s->data);
	s->asked[ASK_DIFF] = &q->f;
	ts_fetch_send(&s->base, &q->f, ASK_DIFF, TS_WORKER_SCREEN, "comparing programs");
}

/* Rows are of another kind from now on: none stays open, the program under the cursor does. */
static void
begin_rows(struct programs_view *s, struct ts_program_diff *diff)
{
	uint32_t at = s->data ? programs_at(s) : UINT32_MAX;
	bool by_cost;

	if (at != UINT32_MAX)
		s->kept = programs_node(s->data, at)->program;
	ts_outline_clear(&s->outline);
	by_cost = s->sort.sorted == programs_by_cost(s);
	ts_program_diff_free(s->diff);
	s->diff = diff;
	s->sort.descending &= by_cost; /* other columns are those of another table */
	s->sort.sorted = by_cost ? programs_by_cost(s) : -1;
}

bool
programs_take_diff(struct programs_view *s, struct ts_fetch *f)
{
	struct diff_fetch *q = (struct diff_fetch *)f;

	s->asked[ASK_DIFF] = NULL;
	if (ts_fetch_in_vain(f, s->base.env->generation) || q->data != s->data ||
		q->before != s->before)
		return false;
	if (f->code) {
		ts_view_say_error(s->base.env, "%s", f->err.msg);
		s->before = NULL; /* not again and again */
		return false;
	}
	begin_rows(s, q->diff);
	q->diff = NULL;
	programs_rows(s);
	return true;
}

void
programs_drop_diff(struct programs_view *s)
{
	s->asked[ASK_DIFF] = NULL;
	if (s->diff)
		begin_rows(s, NULL);
}

void
ts_programs_compare(struct ts_view *v, const struct ts_program_world *before)
{
	struct programs_view *s = programs_of(v);
	bool was = s->diff != NULL;

	programs_drop_diff(s);
	s->before = before;
	if (was && s->data)
		programs_rows(s);
	programs_ask_diff(s);
}

/* --- figures ---------------------------------------------------------------------------------------- */

struct figures {
	const struct ts_program_sums
		*side[2]; /* before, after; NULL: it is not there, or has no sums */
};

static struct figures
figures_of(const struct programs_view *s, const struct ts_program_pair *p)
{
	struct figures f = {{NULL, NULL}};

	if (p->before != UINT32_MAX && s->before->below[p->before].programs != TS_UNKNOWN)
		f.side[0] = s->before->below + p->before;
	if (p->after != UINT32_MAX && programs_below(s->data, p->after)->programs != TS_UNKNOWN)
		f.side[1] = programs_below(s->data, p->after);
	return f;
}

enum { D_WHAT, D_NAME, D_STATE, D_BEFORE, D_AFTER, D_MORE, D_SHARE, D_CODE, D_LIVE, DIFF_COLUMNS };

/* What a column is of; D_CODE and D_LIVE are differences of it. */
static int64_t
figure(const struct programs_view *s, const struct ts_program_sums *sums, int column)
{
	if (!sums)
		return TS_UNKNOWN;
	return column == D_CODE	   ? sums->exchange_code
		: column == D_LIVE ? sums->live
				   : programs_figure(s, sums);
}

/* After less before, where both are known; of what is new or gone all of it. False: not known. */
static bool
difference(int64_t *out, const struct programs_view *s, const struct ts_program_pair *p, int column)
{
	struct figures f = figures_of(s, p);
	int64_t before = p->before == UINT32_MAX ? 0 : figure(s, f.side[0], column);
	int64_t after = p->after == UINT32_MAX ? 0 : figure(s, f.side[1], column);

	*out = before != TS_UNKNOWN && after != TS_UNKNOWN ? after - before : 0;
	return before != TS_UNKNOWN && after != TS_UNKNOWN;
}

/* --- rows ------------------------------------------------------------------------------------------- */

static ts_table_value_fn sibling_value;

/* Those that the filter leaves; what is gone as long as there is none. */
static bool
is_shown(const struct programs_view *s, const struct ts_program_pair *p)
{
	return p->after == UINT32_MAX ? !s->keep.memory : programs_is_kept(s, p->after);
}

/* Children of a pair (UINT32_MAX: roots) in `out`, as they are wished. */
static bool
arrange(struct ts_pile *out, struct programs_view *s, uint32_t of)
{
	struct ts_err err;
	const uint32_t *pair;
	uint32_t n = 0;
	bool fits = true;

	out->used = 0;
	if (ts_program_diff_children(&pair, &n, s->diff, of, &err))
		return false;
	for (uint32_t i = 0; fits && i < n; i++)
		if (is_shown(s, ts_program_diff_pair(s->diff, pair[i])))
			fits = ts_pile_add(out, &pair[i], sizeof(pair[i]), NULL, &err) == TS_OK;
	return fits && programs_sort(s, out, sibling_value);
}

static uint32_t
children(void *ctx, uint32_t pair)
{
	struct programs_view *s = ctx;

	if (s->order_of != pair) {
		s->order_of = UINT32_MAX;
		if (!arrange(&s->order, s, pair))
			return 0;
		s->order_of = pair;
	}
	return (uint32_t)(s->order.used / sizeof(uint32_t));
}

static uint32_t
child(void *ctx, uint32_t pair, uint32_t i)
{
	struct programs_view *s = ctx;

	return i < children(s, pair) ? ((const uint32_t *)s->order.memory)[i] : 0;
}

static const struct ts_outline_graph graph = {children, child};

bool
programs_diff_rows(struct programs_view *s)
{
	s->order_of = UINT32_MAX;
	if (!arrange(&s->root, s, UINT32_MAX))
		s->root.used = 0;
	return ts_outline_set(&s->outline, &graph, s, s->root.memory,
		s->root.used / sizeof(uint32_t));
}

/* Of these pairs the first that is of this node. */
static uint32_t
pair_of(const struct programs_view *s, const uint32_t *pair, uint32_t n, uint32_t node)
{
	for (uint32_t i = 0; i < n; i++)
		if (ts_program_diff_pair(s->diff, pair[i])->after == node)
			return pair[i];
	return UINT32_MAX;
}

bool
programs_diff_go(struct programs_view *s, const uint32_t *way, size_t n)
{
	uint32_t *pairs = ts_alloc(n + 1, sizeof(*pairs)), at = UINT32_MAX;
	bool there = pairs && n > 0;
	struct ts_err err;

	for (size_t i = 0; there && i < n; i++) {
		const uint32_t *pair;
		uint32_t count;

		there = ts_program_diff_children(&pair, &count, s->diff, at, &err) == TS_OK;
		at = there ? pair_of(s, pair, count, way[i]) : UINT32_MAX;
		there &= at != UINT32_MAX;
		pairs[i] = at;
	}
	there = there && ts_outline_go(&s->outline, pairs, n);
	free(pairs);
	return there;
}

/* --- the table -------------------------------------------------------------------------------------- */

static const struct ts_column columns[DIFF_COLUMNS] = {
	[D_WHAT] = {"program", 22, 40, 3, 0, TS_FIELD_ELLIPSIS},
	[D_NAME] = {"name", 12, 0, 6, 0, TS_FIELD_TAIL},
	[D_STATE] = {"", 7, 7, 0, 0, 0},
	[D_BEFORE] = {"before", 8, 8, 0, 0, TS_FIELD_RIGHT},
	[D_AFTER] = {"after", 8, 8, 0, 0, TS_FIELD_RIGHT},
	[D_MORE] = {"difference", 11, 11, 0, 0, TS_FIELD_RIGHT},
	[D_SHARE] = {"of before", 9, 9, 0, 1, TS_FIELD_RIGHT},
	[D_CODE] = {"code diff", 9, 9, 0, 2, TS_FIELD_RIGHT},
	[D_LIVE] = {"live diff", 9, 9, 0, 3, TS_FIELD_RIGHT},
};

static const struct ts_column_facts facts[DIFF_COLUMNS] = {
	[D_WHAT] = {"type", NULL, TS_SUM_NONE, false},
	[D_NAME] = {"name", NULL, TS_SUM_NONE, false},
	[D_STATE] = {"state", NULL, TS_SUM_NONE, false},
	[D_BEFORE] = {"before", "cycles", TS_SUM_NONE, false},
	[D_AFTER] = {"after", "cycles", TS_SUM_NONE, false},
	[D_MORE] = {"difference", "cycles", TS_SUM_NONE, false},
	[D_SHARE] = {"of_before", "%", TS_SUM_NONE, false},
	[D_CODE] = {"exchange_code_difference", "bytes", TS_SUM_NONE, false},
	[D_LIVE] = {"live_difference", "bytes", TS_SUM_NONE, false},
};

static const char *const states[] = {"", "changed", "new", "gone"};

/* Type and name come from the side that has it: afterwards, if it can be. */
static const char *
text_of(const struct programs_view *s, const struct ts_program_pair *p, int column, size_t *n)
{
	bool gone = p->after == UINT32_MAX;
	const struct ts_program_tree *t = gone ? s->before->tree : s->data->tree;
	const struct ts_program_costs *c = gone ? s->before->costs : s->data->costs;
	const struct ts_names *names = gone ? s->before->names : &s->data->names;
	int64_t program = ((
		const struct ts_program_node *)t->node.memory)[gone ? p->before : p->after]
				  .program;
	const struct ts_program_cost *cost = ts_program_costs_find(c, program);

	if (column == D_NAME)
		return ts_names_find(names, program, n);
	return cost ? ts_program_type(n, c, cost) : NULL;
}

static bool
is_leaf(const struct programs_view *s, const struct ts_program_pair *p)
{
	const struct ts_program_node *before = s->before->tree->node.memory;

	return (p->before == UINT32_MAX || before[p->before].edges == 0) &&
		(p->after == UINT32_MAX || programs_node(s->data, p->after)->edges == 0);
}

static void
what_cell(const struct programs_view *s, const struct ts_outline_row *row,
	const struct ts_program_pair *p, struct ts_table_cell *out)
{
	enum { INDENT_MOST = 12 };
	size_t n = 0;
	const char *type = text_of(s, p, D_WHAT, &n);

	snprintf(out->buf, sizeof(out->buf), "%*s%s%.*s%s",
		(int)ts_min_i64(row->depth, INDENT_MOST), "",
		is_leaf(s, p)	      ? "  "
			: row->circle ? "\xe2\x86\xba " /* ↺ */
			: row->open   ? "\xe2\x96\xbe " /* ▾ */
				      : "\xe2\x96\xb8 " /* ▸ */,
		type ? (int)ts_min_i64((int64_t)n, 60) : 7, type ? type : "program",
		row->circle ? " (again)" : "");
	out->s = out->buf;
}

/* "+1.2M" grows, "-340" shrinks. */
static void
signed_cell(const struct programs_view *s, const struct ts_program_pair *p, int column,
	struct ts_table_cell *out)
{
	char n[TS_FMT_MAX];
	int64_t more, size;

	if (!difference(&more, s, p, column) || more == 0)
		return;
	size = more < 0 ? -more : more;
	snprintf(out->buf, sizeof(out->buf), "%c%s", more < 0 ? '-' : '+',
		column == D_MORE ? ts_fmt_cycles_short(n, size)
				 : ts_fmt_bytes_short(n, size, s->base.env->options->units));
	out->s = out->buf;
	out->role = more < 0 ? TS_ROLE_GOOD : TS_ROLE_BAD;
}

static void
share_cell(const struct programs_view *s, const struct ts_program_pair *p,
	struct ts_table_cell *out)
{
	struct figures f = figures_of(s, p);
	int64_t before = figure(s, f.side[0], D_BEFORE), more;
	char n[TS_FMT_MAX];

	if (p->after == UINT32_MAX || before <= 0 || !difference(&more, s, p, D_MORE) || more == 0)
		return;
	snprintf(out->buf, sizeof(out->buf), "%c%s", more < 0 ? '-' : '+',
		ts_fmt_percent(n, (double)(more < 0 ? -more : more), (double)before));
	out->s = out->buf;
	out->role = more < 0 ? TS_ROLE_GOOD : TS_ROLE_BAD;
}

static bool
cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	struct programs_view *s = ctx;
	const struct ts_program_pair *p;
	struct figures f;
	int64_t v;

	if (i < 0 || i >= (int64_t)s->outline.count)
		return false;
	p = ts_program_diff_pair(s->diff, s->outline.row[i].node);
	f = figures_of(s, p);
	if (column == D_WHAT) {
		what_cell(s, &s->outline.row[i], p, out);
	} else if (column == D_NAME) {
		out->s = text_of(s, p, column, &out->n);
		if (!out->s)
			out->s = "";
	} else if (column == D_STATE) {
		out->s = states[p->state];
		out->role = TS_ROLE_NOTE;
	} else if (column == D_BEFORE || column == D_AFTER) {
		v = figure(s, f.side[column == D_AFTER], column);
		if (v != TS_UNKNOWN)
			out->s = ts_fmt_cycles_short(out->buf, v);
	} else if (column == D_SHARE) {
		share_cell(s, p, out);
	} else {
		signed_cell(s, p, column, out);
	}
	return true;
}

static bool
pair_value(const struct programs_view *s, const struct ts_program_pair *p, int column,
	struct ts_table_value *out)
{
	struct figures f = figures_of(s, p);
	const char *text;
	int64_t v;
	size_t n = 0;

	if (column == D_WHAT || column == D_NAME) {
		text = text_of(s, p, column, &n);
		if (text)
			*out = (struct ts_table_value){.type = TS_VALUE_TEXT, .s = text, .n = n};
	} else if (column == D_STATE) {
		ts_table_value_text(out, p->state == TS_DIFF_SAME ? "same" : states[p->state]);
	} else if (column == D_BEFORE || column == D_AFTER) {
		ts_table_value_known(out, figure(s, f.side[column == D_AFTER], column));
	} else if (difference(&v, s, p, column == D_SHARE ? D_MORE : column)) {
		int64_t before = figure(s, f.side[0], D_BEFORE);

		if (column != D_SHARE)
			ts_table_value_integer(out, v);
		else if (before > 0)
			ts_table_value_real(out, 100.0 * (double)v / (double)before);
	}
	return true;
}

static bool
value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	struct programs_view *s = ctx;

	return i >= 0 && i < (int64_t)s->outline.count &&
		pair_value(s, ts_program_diff_pair(s->diff, s->outline.row[i].node), column, out);
}

_Static_assert(D_MORE == (int)PROGRAMS_BY_DIFFERENCE, "what decides in the difference");

/* Differences are sorted by their size, whichever way they go. */
static bool
sibling_value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct programs_siblings *of = ctx;
	bool there = pair_value(of->s, ts_program_diff_pair(of->s->diff, of->node[i]), column, out);

	if (column >= D_MORE) {
		out->integer = out->integer < 0 ? -out->integer : out->integer;
		out->real = out->real < 0 ? -out->real : out->real;
	}
	return there;
}

struct ts_table
programs_diff_table(struct programs_view *s)
{
	return (struct ts_table){
		.column = columns,
		.columns = DIFF_COLUMNS,
		.cell = cell,
		.row = programs_row_role,
		.ctx = s,
		.header = true,
		.focus = !s->split.in_tabs,
		.sorted = s->sort.sorted,
		.descending = s->sort.descending,
		.empty = "no programs",
		.id = "programs.difference",
		.facts = facts,
		.value = value,
		.looks = s->base.env->looks,
		.units = s->base.env->options->units,
	};
}
