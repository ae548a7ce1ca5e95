/* SPDX-License-Identifier: MIT */
/* trace_merged_sheet - what a merged frame's figures are, and the frames as a file. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_merged.h"

#include "tilescope/base/mem.h"
#include "tilescope/view/explain_common.h"
#include "tilescope/view/sheet.h"

/* --- explain ---------------------------------------------------------------------------------------- */

static const char no_query[] =
	"no query: too many names, or names that are too long or look the same; tilescope export PATH --format folded "
	"writes the cycles of all stacks";

/* Is a frame's name, as stacks have it, that of a frame beside it, too? */
static bool
is_shared(const struct merged *k, uint32_t node)
{
	const struct ts_flame_node *tree = k->tree.node;
	const struct ts_frames *frames = &k->tree.flame->frames;
	uint32_t parent = tree[node].parent, end = parent + tree[parent].inside;
	struct ts_strbuf own, other;
	bool shared = false;
	size_t n;
	const char *name = ts_frame_name(frames, tree[node].frame, &n);

	ts_strbuf_init(&own, TS_FRAME_FOLDED);
	ts_strbuf_init(&other, TS_FRAME_FOLDED);
	ts_frame_folded_name(&own, name, n);
	for (uint32_t i = parent + 1; i <= end && node != 0 && !shared; i += tree[i].inside + 1) {
		name = ts_frame_name(frames, tree[i].frame, &n);
		ts_strbuf_reset(&other);
		if (i != node)
			ts_frame_folded_name(&other, name, n);
		shared = other.len == own.len && memcmp(other.s, own.s, own.len) == 0;
	}
	ts_strbuf_fini(&own);
	ts_strbuf_fini(&other);
	return shared;
}

/* The steps of a frame: their stack is its, or goes on from there. */
static bool
frame_condition(const struct merged *k, uint32_t node, char *out, size_t size)
{
	const struct ts_frames *frames = &k->tree.flame->frames;
	struct ts_strbuf stack;
	char own[700], inside[700];
	bool ok = frames->left_out == 0;

	for (uint32_t i = node; i != 0 && ok; i = k->tree.node[i].parent)
		ok = !is_shared(k, i);
	ts_strbuf_init(&stack, TS_FRAME_FOLDED * TS_FRAMES_DEPTH);
	ts_frame_folded(&stack, frames, k->tree.node[node].frame);
	ok = ok && !stack.nomem && ts_explain_quote(own, sizeof(own), stack.s);
	ts_strbuf_putc(&stack, ';');
	ok = ok && !stack.nomem && ts_explain_quote(inside, sizeof(inside), stack.s);
	ts_strbuf_fini(&stack);
	if (ok && node == 0)
		return snprintf(out, size, "1") > 0;
	return ok &&
		(size_t)snprintf(out, size, "(stack = %s OR substr(stack, 1, length(%s)) = %s)",
			own, inside, inside) < size;
}

/* The rows of step_ipu that are merged, each with what of it is in the range. */
static bool
rows_merged(const struct merged *k, char *out, size_t size)
{
	const struct ts_flame_range *r = &k->tree.flame->range;
	long long from = (long long)r->from, to = (long long)r->to;
	char cycles[200] = "x.cycles", where[240] = "", ipu[40] = "x.ipu IS NOT NULL",
	     steps[80] = "";

	if (r->from != INT64_MIN || r->to != INT64_MAX) {
		snprintf(cycles, sizeof(cycles),
			"CASE WHEN x.start < x.\"end\" AND (x.start < %lld OR x.\"end\" > %lld) THEN "
			"min(x.cycles, min(x.\"end\", %lld) - max(x.start, %lld)) ELSE x.cycles END",
			from, to, to, from);
		snprintf(where, sizeof(where),
			" AND x.start < %lld AND (x.\"end\" > %lld OR x.start >= %lld) AND "
			"(x.start >= %lld OR x.\"end\" > x.start)",
			to, from, from, from);
	}
	if (k->tree.ipu != TS_UNKNOWN)
		snprintf(ipu, sizeof(ipu), "x.ipu = %lld", (long long)k->tree.ipu);
	if (r->steps > 0)
		snprintf(steps, sizeof(steps), " AND x.step >= %lld AND x.step < %lld",
			(long long)r->first_step, (long long)(r->first_step + r->steps));
	return (size_t)snprintf(out, size,
		       "SELECT x.ipu, max(x.start, %lld) AS a, min(x.\"end\", %lld) AS b, %s AS cycles, "
		       "step_stack(s.type, s.sync_type, s.name, s.program, s.compute_set) AS stack FROM step_ipu x "
		       "JOIN step s ON s.step = x.step WHERE %s AND x.start + x.\"end\" IS NOT NULL%s%s",
		       from, to, cycles, ipu, where, steps) < size;
}

bool
trace_merged_query(const struct trace_view *t, const struct merged *k, uint32_t node,
	const char *what, char out[TS_EXPLAIN_QUERY])
{
	char rows[1000], where[1500];

	(void)t;
	return rows_merged(k, rows, sizeof(rows)) &&
		frame_condition(k, node, where, sizeof(where)) &&
		snprintf(out, TS_EXPLAIN_QUERY, "SELECT %s FROM (%s) WHERE %s", what, rows, where) <
		TS_EXPLAIN_QUERY;
}

/* What the steps of a frame cover: of each what lies behind the ends of all that began before, of its IPU. */
static bool
covered_query(const struct trace_view *t, const struct merged *k, uint32_t node,
	char out[TS_EXPLAIN_QUERY])
{
	char inner[TS_EXPLAIN_QUERY];

	return trace_merged_query(t, k, node,
		       "a, b, max(b) OVER (PARTITION BY ipu ORDER BY a, b ROWS BETWEEN UNBOUNDED "
		       "PRECEDING AND 1 PRECEDING) AS r",
		       inner) &&
		snprintf(out, TS_EXPLAIN_QUERY,
			"SELECT 100.0 * total(max(0, b - max(a, coalesce(r, a)))) / %lld FROM (%s AND a < b AND "
			"cycles IS NOT NULL)",
			(long long)trace_merged_length(t, k), inner) < TS_EXPLAIN_QUERY;
}

/* A figure of a frame, with its query, or without one ("" where there is none). */
static struct ts_explained *
add(const struct trace_view *t, const struct merged *k, uint32_t node, struct ts_explain *out,
	const char *title, enum ts_known known, const char *query)
{
	const struct ts_flame_node *n = &k->tree.node[node];
	enum ts_mark mark = trace_frame_mark(t, n->classes);
	struct ts_explained *x;
	char of[80];
	size_t length;
	const char *name = ts_frame_name(&k->tree.flame->frames, n->frame, &length);

	trace_merged_about(t, k, of, sizeof(of));
	x = ts_explain_add(out, "%s of %.*s: %s", title, (int)ts_min_i64((int64_t)length, 60), name,
		of);
	ts_explain_from(x, known,
		"step_ipu.cycles, step_ipu.start, step_ipu.\"end\", step.name, context.name");
	ts_explain_note(x, "%s%s%s", mark == TS_MARK_COUNT ? "" : ts_mark_sentence(mark),
		mark == TS_MARK_COUNT || *query ? "" : "; ", *query ? "" : no_query);
	if (*query)
		ts_explain_query(x, "%s", query);
	return x;
}

void
trace_merged_explain(struct trace_drawing *d, struct ts_explain *out)
{
	const struct merged *k = d->own;

	if (k->tree.count == 0)
		trace_explain_step(d->trace, out);
	else
		trace_merged_explain_node(d->trace, k, k->cursor, out);
}

void
trace_merged_explain_node(const struct trace_view *t, const struct merged *k, uint32_t node,
	struct ts_explain *out)
{
	const struct ts_flame_node *n = &k->tree.node[node];
	enum ts_mark mark = trace_frame_mark(t, n->classes);
	struct ts_explained *x;
	char text[TS_FMT_MAX], query[TS_EXPLAIN_QUERY];

	if (!trace_merged_query(t, k, node, "sum(cycles)", query))
		query[0] = '\0';
	x = add(t, k, node, out, "cycles",
		mark == TS_MARK_COUNT ? TS_KNOWN_DERIVED : ts_known_of_mark(mark), query);
	ts_explain_integer(x, n->sum.cycles, "cycles");
	ts_explain_shown(x, "%s", trace_fmt_length(t, text, n->sum.cycles));
	ts_explain_formula(x, "sum of the cycles of %lld steps in whose stack it is",
		(long long)n->sum.steps);
	if (n->sum.covered != TS_UNKNOWN && trace_merged_length(t, k) > 0) {
		if (!covered_query(t, k, node, query))
			query[0] = '\0';
		x = add(t, k, node, out, "share of the time", TS_KNOWN_DERIVED, query);
		ts_explain_real(x,
			100.0 * (double)n->sum.covered / (double)trace_merged_length(t, k), "%");
		ts_explain_shown(x, "%s",
			ts_fmt_percent(text, (double)n->sum.covered,
				(double)trace_merged_length(t, k)));
		ts_explain_formula(x,
			"100 x %lld cycles in which a step of it runs (those that overlap once) / %lld",
			(long long)n->sum.covered, (long long)trace_merged_length(t, k));
	}
	if (!trace_merged_query(t, k, node, "count(cycles)", query))
		query[0] = '\0';
	x = add(t, k, node, out, "steps", TS_KNOWN_DERIVED, query);
	ts_explain_integer(x, n->sum.steps, "steps");
	ts_explain_formula(x, "rows of step_ipu in whose step's stack it is");
}

/* --- the frames as a file --------------------------------------------------------------------------- */

enum { F_STACK, F_OWN, F_DEPTH, F_CYCLES, F_COVERED, F_STEPS, F_COLUMNS };

static const struct ts_column columns[F_COLUMNS] = {
	[F_STACK] = {"stack", 20, 0, 1, 0, TS_FIELD_TAIL},
	[F_OWN] = {"own", 10, 20, 0, 1, TS_FIELD_RIGHT},
	[F_DEPTH] = {"depth", 5, 5, 0, 2, TS_FIELD_RIGHT},
	[F_CYCLES] = {"cycles", 10, 20, 0, 1, TS_FIELD_RIGHT},
	[F_COVERED] = {"covered", 10, 20, 0, 2, TS_FIELD_RIGHT},
	[F_STEPS] = {"steps", 8, 16, 0, 2, TS_FIELD_RIGHT},
};

static const struct ts_column_facts facts[F_COLUMNS] = {
	[F_STACK] = {NULL, NULL, TS_SUM_NONE, false},
	[F_OWN] = {NULL, "cycles", TS_SUM_NONE, false},
	[F_DEPTH] = {NULL, NULL, TS_SUM_NONE, false},
	[F_CYCLES] = {NULL, "cycles", TS_SUM_NONE, false},
	[F_COVERED] = {NULL, "cycles", TS_SUM_NONE, false},
	[F_STEPS] = {NULL, "steps", TS_SUM_NONE, false},
};

struct frame_source {
	struct ts_row_source source; /* first */
	struct ts_flame *flame;	     /* held */
	int64_t ipu;
	struct ts_flame_tree tree; /* made anew: that of the screen may be replaced meanwhile */
	size_t at;
	struct ts_strbuf text;
};

static enum ts_code
frame_next(struct ts_row_source *source, struct ts_reader *rd, struct ts_table_value *values,
	bool *more, struct ts_err *err)
{
	struct frame_source *s = (struct frame_source *)source;
	const struct ts_flame_node *n;

	(void)rd;
	if (!s->tree.node) {
		enum ts_code code = ts_flame_tree_make(&s->tree, s->flame, s->ipu, err);

		if (code)
			return code;
	}
	*more = s->at < s->tree.count;
	if (!*more)
		return TS_OK;
	n = &s->tree.node[s->at++];
	ts_strbuf_reset(&s->text);
	ts_frame_folded(&s->text, &s->flame->frames, n->frame);
	ts_table_value_text(&values[F_STACK], s->text.s);
	ts_table_value_known(&values[F_OWN], n->sum.own);
	ts_table_value_known(&values[F_DEPTH], ts_frame_at(&s->flame->frames, n->frame)->depth);
	ts_table_value_known(&values[F_CYCLES], n->sum.cycles);
	ts_table_value_known(&values[F_COVERED], n->sum.covered);
	ts_table_value_known(&values[F_STEPS], n->sum.steps);
	return s->text.nomem ? ts_err_nomem(err) : TS_OK;
}

static void
frame_free(struct ts_row_source *source)
{
	struct frame_source *s = (struct frame_source *)source;

	ts_flame_tree_fini(&s->tree);
	ts_flame_release(s->flame);
	ts_strbuf_fini(&s->text);
	free(s);
}

static struct ts_row_source *
frame_source(struct ts_view *v)
{
	const struct merged *k = trace_drawn((struct trace_view *)v)->own;
	struct frame_source *s = ts_alloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->source = (struct ts_row_source){.next = frame_next,
		.free = frame_free,
		.expected = (int64_t)k->tree.count};
	s->flame = ts_flame_hold(k->tree.flame);
	s->ipu = k->tree.ipu;
	ts_strbuf_init(&s->text, 1 << 17);
	return &s->source;
}

bool
trace_merged_sheet(struct trace_drawing *d, struct ts_sheet *out)
{
	const struct merged *k = d->own;
	char of[80];

	if (k->tree.count == 0)
		return false;
	trace_merged_about(d->trace, k, of, sizeof(of));
	snprintf(out->title, sizeof(out->title), "Frames of %s", of);
	out->table = (struct ts_table){.column = columns,
		.columns = F_COLUMNS,
		.sorted = -1,
		.id = "trace.frames",
		.facts = facts,
		.looks = d->trace->view.env->looks};
	out->rows = (int64_t)k->tree.count;
	out->source = frame_source;
	out->stacks = true;
	out->wait = k->fetch[MERGED_SUMS] ? "cycles are still being added up" : NULL;
	return true;
}
