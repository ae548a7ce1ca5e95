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
	"no query: debug contexts, cut ranges and long names are in no column; tilescope export PATH --format folded "
	"writes the cycles of all stacks";

/* "a/b" of a frame, without what its steps do; false: it is too long, or a name has what a text of SQL cannot have. */
static bool
name_of(const struct ts_frames *f, uint32_t frame, char *out, size_t size)
{
	size_t at = 0, n;

	out[0] = '\0';
	if (ts_frame_at(f, frame)->steps)
		frame = ts_frame_at(f, frame)->parent;
	for (int d = 1; d <= ts_frame_at(f, frame)->depth; d++) {
		const char *name = ts_frame_name(f, ts_frame_up(f, frame, d), &n);

		if (at + n + 2 > size || memchr(name, '\0', n) || n >= TS_FRAME_BYTES ||
			(n == sizeof(TS_FRAMES_MORE) - 1 && memcmp(name, TS_FRAMES_MORE, n) == 0))
			return false;
		at += (size_t)snprintf(out + at, size - at, "%s%.*s", d > 1 ? "/" : "", (int)n,
			name);
	}
	return true;
}

/* What a step is called, over the relations that the report has. */
static void
name_expression(const struct ts_report *r, char *out, size_t size)
{
	snprintf(out, size, "coalesce(s.name, %s%s'')",
		ts_report_has(r, TS_COMPUTE_SET) ? "(SELECT c.name FROM compute_set c WHERE "
						   "c.compute_set = s.compute_set), "
						 : "",
		ts_report_has(r, TS_PROGRAM)
			? "(SELECT p.name FROM program p WHERE p.program = s.program), "
			: "");
}

/* The rows of a frame: its name is that of the steps, or what theirs begin with. */
static bool
frame_condition(const struct ts_frames *f, uint32_t frame, char *out, size_t size)
{
	const struct ts_frame *at = ts_frame_at(f, frame);
	char name[400], quoted[820], type[200], inside[820];
	size_t n;
	const char *what = ts_frame_name(f, frame, &n);

	if (!name_of(f, frame, name, sizeof(name) - 1) ||
		!ts_explain_quote(quoted, sizeof(quoted), name))
		return false;
	if (at->steps) {
		char text[TS_FRAME_BYTES];

		snprintf(text, sizeof(text), "%.*s",
			(int)ts_min_i64((int64_t)n, TS_FRAME_BYTES - 1), what);
		if (!ts_explain_quote(type, sizeof(type), text))
			return false;
		return (size_t)snprintf(out, size, "name = %s AND type = %s", quoted, type) < size;
	}
	if (at->depth == 0)
		return (size_t)snprintf(out, size, "1") < size;
	n = strlen(name);
	name[n] = '/';
	name[n + 1] = '\0';
	return ts_explain_quote(inside, sizeof(inside), name) &&
		(size_t)snprintf(out, size, "(name = %s OR substr(name, 1, length(%s)) = %s)",
			quoted, inside, inside) < size;
}

bool
trace_merged_query(const struct trace_view *t, const struct merged *k, uint32_t node,
	const char *what, char out[TS_EXPLAIN_QUERY])
{
	const struct ts_flame *flame = k->tree.flame;
	const struct ts_flame_range *r = &flame->range;
	char name[300], where[1000], rows[160] = "1";
	int n = 0;

	if (flame->frames.contexts || flame->frames.left_out > 0 || r->from != INT64_MIN ||
		r->to != INT64_MAX ||
		!frame_condition(&flame->frames, k->tree.node[node].frame, where, sizeof(where)))
		return false;
	name_expression(t->view.env->report, name, sizeof(name));
	if (k->tree.ipu != TS_UNKNOWN)
		n = snprintf(rows, sizeof(rows), "x.ipu = %lld", (long long)k->tree.ipu);
	if (r->steps > 0)
		snprintf(rows + n, sizeof(rows) - (size_t)n, "%sx.step >= %lld AND x.step < %lld",
			n ? " AND " : "", (long long)r->first_step,
			(long long)(r->first_step + r->steps));
	return snprintf(out, TS_EXPLAIN_QUERY,
		       "SELECT %s FROM (SELECT x.cycles, s.type, %s AS name FROM step_ipu x JOIN "
		       "step s ON s.step = x.step WHERE %s) WHERE %s",
		       what, name, rows, where) < TS_EXPLAIN_QUERY;
}

/* A figure of a frame; `what` of its rows it is in SQL, NULL: nothing. */
static struct ts_explained *
add(const struct trace_view *t, const struct merged *k, uint32_t node, struct ts_explain *out,
	const char *title, enum ts_known known, const char *what)
{
	const struct ts_flame_node *n = &k->tree.node[node];
	enum ts_mark mark = trace_frame_mark(t, n->classes);
	struct ts_explained *x;
	char of[80], query[TS_EXPLAIN_QUERY];
	size_t length;
	bool asked = what && trace_merged_query(t, k, node, what, query);
	const char *name = ts_frame_name(&k->tree.flame->frames, n->frame, &length);

	trace_merged_about(t, k, of, sizeof(of));
	x = ts_explain_add(out, "%s of %.*s: %s", title, (int)ts_min_i64((int64_t)length, 60), name,
		of);
	ts_explain_from(x, known,
		"step_ipu.cycles, step_ipu.start, step_ipu.\"end\", step.name, context.name");
	ts_explain_note(x, "%s%s%s", mark == TS_MARK_COUNT ? "" : ts_mark_sentence(mark),
		mark == TS_MARK_COUNT || asked ? "" : "; ",
		asked	       ? ""
			: what ? no_query
			       : "no query: intervals that overlap count once");
	if (asked)
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
	char text[TS_FMT_MAX];

	x = add(t, k, node, out, "cycles",
		mark == TS_MARK_COUNT ? TS_KNOWN_DERIVED : ts_known_of_mark(mark), "sum(cycles)");
	ts_explain_integer(x, n->sum.cycles, "cycles");
	ts_explain_shown(x, "%s", trace_fmt_length(t, text, n->sum.cycles));
	ts_explain_formula(x, "sum of the cycles of %lld steps in whose stack it is",
		(long long)n->sum.steps);
	if (n->sum.covered != TS_UNKNOWN && trace_merged_length(t, k) > 0) {
		x = add(t, k, node, out, "share of the time", TS_KNOWN_DERIVED, NULL);
		ts_explain_real(x,
			100.0 * (double)n->sum.covered / (double)trace_merged_length(t, k), "%");
		ts_explain_shown(x, "%s",
			ts_fmt_percent(text, (double)n->sum.covered,
				(double)trace_merged_length(t, k)));
		ts_explain_formula(x,
			"100 x %lld cycles in which a step of it runs (those that overlap once) / %lld",
			(long long)n->sum.covered, (long long)trace_merged_length(t, k));
	}
	x = add(t, k, node, out, "steps", TS_KNOWN_DERIVED, "count(cycles)");
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
