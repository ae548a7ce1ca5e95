/* SPDX-License-Identifier: MIT */
/* trace_merged_sheet - what a merged frame's figures are, and the frames as a file. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "trace_merged.h"

#include "tilescope/base/mem.h"
#include "tilescope/view/explain_common.h"
#include "tilescope/view/sheet.h"

/* --- explain ---------------------------------------------------------------------------------------- */

static const char no_query[] =
	"stacks are no column: tilescope export PATH --format folded writes the cycles of all of them";

/* A figure of the frame under the cursor. */
static struct ts_explained *
add(const struct trace_view *t, const struct merged *k, struct ts_explain *out, const char *title,
	enum ts_known known)
{
	const struct ts_flame_node *n = &k->tree.node[k->cursor];
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
		mark == TS_MARK_COUNT ? "" : "; ", no_query);
	return x;
}

void
trace_merged_explain(struct trace_drawing *d, struct ts_explain *out)
{
	const struct trace_view *t = d->trace;
	const struct merged *k = d->own;
	const struct ts_flame_node *n;
	enum ts_mark mark;
	struct ts_explained *x;
	char text[TS_FMT_MAX];

	if (k->tree.count == 0) {
		trace_explain_step(d->trace, out);
		return;
	}
	n = &k->tree.node[k->cursor];
	mark = trace_frame_mark(t, n->classes);
	x = add(t, k, out, "cycles",
		mark == TS_MARK_COUNT ? TS_KNOWN_DERIVED : ts_known_of_mark(mark));
	ts_explain_integer(x, n->sum.cycles, "cycles");
	ts_explain_shown(x, "%s", trace_fmt_length(t, text, n->sum.cycles));
	ts_explain_formula(x, "sum of the cycles of %lld steps in whose stack it is",
		(long long)n->sum.steps);
	if (n->sum.covered != TS_UNKNOWN && trace_merged_length(t, k) > 0) {
		x = add(t, k, out, "share of the time", TS_KNOWN_DERIVED);
		ts_explain_real(x,
			100.0 * (double)n->sum.covered / (double)trace_merged_length(t, k), "%");
		ts_explain_shown(x, "%s",
			ts_fmt_percent(text, (double)n->sum.covered,
				(double)trace_merged_length(t, k)));
		ts_explain_formula(x,
			"100 x %lld cycles in which a step of it runs (those that overlap once) / %lld",
			(long long)n->sum.covered, (long long)trace_merged_length(t, k));
	}
	x = add(t, k, out, "steps", TS_KNOWN_DERIVED);
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
