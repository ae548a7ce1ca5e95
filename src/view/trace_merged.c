/* SPDX-License-Identifier: MIT */
/*
 * trace_merged - the drawing of all steps of a range by their stacks: a frame is as wide as its cycles, the heaviest is
 * the leftmost (left-heavy).
 *
 * The x axis is cycles of the outermost frame that is shown, not time. The sums are those of all IPUs (report/flame.h); another IPU is
 * another tree of the same sums. They come at once when the index has the section of the stacks, which is asked for when this is
 * shown; else they take a pass over the rows, a job that says how far it is and that can be stopped. What was drawn stays meanwhile. Frames that are narrower than half a column are not drawn, but the cursor
 * goes to them, too.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_merged.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/index_stacks.h"

enum { NOTE_WIDE = 100 /* columns from which on the note is a sentence */ };

static const char *const merge_words[MERGES] = {"all", "view", "run", "marks"};
static const char *const merge_said[MERGES] = {"all steps", "what was in sight",
	"the run of the step", "the marked range"};

struct merged_fetch {
	struct trace_frames_fetch of; /* first */
	struct ts_flame_range range;
	int64_t ipu;
	struct ts_flame *flame;
	struct ts_flame_tree tree;
};

/* --- asking ----------------------------------------------------------------------------------------- */

static enum ts_code
read_sums(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct merged_fetch *f = (struct merged_fetch *)fetch;
	enum ts_code code = trace_frames_contexts(&f->of, rd, err), tree;

	if (!code)
		code = ts_flame_read(&f->flame, rd, f->of.trace, f->of.contexts, f->range,
			f->of.cache, &fetch->job.progress, err);
	if (!f->flame)
		return code;
	tree = ts_flame_tree_make(&f->tree, f->flame, f->ipu, err);
	return tree ? tree : code;
}

static enum ts_code
read_tree(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct merged_fetch *f = (struct merged_fetch *)fetch;

	(void)rd;
	return ts_flame_tree_make(&f->tree, f->flame, f->ipu, err);
}

static void
fini(struct ts_fetch *fetch)
{
	struct merged_fetch *f = (struct merged_fetch *)fetch;

	ts_flame_tree_fini(&f->tree);
	ts_flame_release(f->flame);
	trace_frames_fini(&f->of);
}

static bool
same(const struct ts_flame_range *a, const struct ts_flame_range *b)
{
	return a->from == b->from && a->to == b->to && a->first_step == b->first_step &&
		a->steps == b->steps;
}

static struct ts_flame_range
range_of(const struct trace_view *t, const struct merged *k)
{
	struct ts_flame_range r = TS_FLAME_ALL;

	if (k->merge == MERGE_VIEW)
		return k->view;
	if (k->merge == MERGE_MARKS && t->marks.range) {
		r.from = t->marks.from;
		r.to = t->marks.to;
	}
	if (k->merge == MERGE_RUN && k->run >= 0 && k->run < t->trace->runs) {
		r.first_step = t->trace->run[k->run].first_step;
		r.steps = t->trace->run[k->run].steps;
	}
	return r;
}

static void
ask_sums(struct trace_drawing *d, const struct ts_flame_range *range, int64_t ipu)
{
	struct merged *k = d->own;
	struct merged_fetch *f = trace_frames_fetch(d, sizeof(*f), read_sums, fini);

	if (!f)
		return;
	f->range = k->asked = *range;
	f->ipu = k->asked_ipu = ipu;
	k->has_asked = true;
	k->fetch[MERGED_SUMS] = &f->of.fetch;
	k->fetch[MERGED_TREE] = NULL;
	k->data.state = k->tree.count > 0 ? TS_PANE_STALE : TS_PANE_LOADING;
	trace_drawing_send(d, k->fetch[MERGED_SUMS], MERGED_SUMS,
		ts_stacks_kept(d->trace->view.env->index) ? TS_WORKER_SCREEN : TS_WORKER_BULK,
		"merging frames");
}

static void
ask_tree(struct trace_drawing *d, int64_t ipu)
{
	struct merged *k = d->own;
	struct merged_fetch *f = trace_frames_fetch(d, sizeof(*f), read_tree, fini);

	if (!f)
		return;
	f->flame = ts_flame_hold(k->flame);
	f->ipu = k->asked_ipu = ipu;
	k->fetch[MERGED_TREE] = &f->of.fetch;
	trace_drawing_send(d, k->fetch[MERGED_TREE], MERGED_TREE, TS_WORKER_SCREEN,
		"sorting frames");
}

static void
ask(struct trace_drawing *d)
{
	struct trace_view *t = d->trace;
	struct merged *k = d->own;
	struct ts_flame_range range = range_of(t, k);
	int64_t ipu = k->all_ipus ? TS_UNKNOWN : trace_ipu(t);

	if (!t->trace->has_parts)
		return;
	t->view.env->wanted |= ts_section_bit(TS_SECTION_STACKS);
	if (!k->has_asked || !same(&range, &k->asked))
		ask_sums(d, &range, ipu);
	else if (ipu != k->asked_ipu && k->flame)
		ask_tree(d, ipu);
}

static void
merged_request(struct trace_drawing *d)
{
	if (d->plot.h > 0)
		ask(d);
}

/* The section is there: who waits for a pass over the rows need not. */
static void
merged_indexed(struct trace_drawing *d)
{
	struct merged *k = d->own;

	if (k->fetch[MERGED_SUMS] && ts_stacks_kept(d->trace->view.env->index))
		k->has_asked = false;
}

/* --- answers ---------------------------------------------------------------------------------------- */

/* The node of a stack's frame in this tree, or the nearest above that it has. */
uint32_t
trace_merged_find(const struct merged *k, const struct ts_frames *frames, uint32_t frame)
{
	const struct ts_flame_tree *tree = &k->tree;
	uint32_t at = 0;
	size_t n, m;

	for (int depth = 1; depth <= ts_frame_at(frames, frame)->depth; depth++) {
		const char *name = ts_frame_name(frames, ts_frame_up(frames, frame, depth), &n);
		uint32_t i = at + 1, end = at + tree->node[at].inside;
		const char *other;

		for (; i <= end; i += tree->node[i].inside + 1) {
			other = ts_frame_name(&tree->flame->frames, tree->node[i].frame, &m);
			if (m == n && memcmp(other, name, n) == 0)
				break;
		}
		if (i > end)
			break;
		at = i;
	}
	return at;
}

/* Another tree in the place of the one that is shown; the cursor stays on its frame. */
static void
take_tree(struct merged *k, struct ts_flame_tree *tree)
{
	struct ts_flame_tree old = k->tree;

	k->tree = *tree;
	k->version++;
	*tree = (struct ts_flame_tree){0};
	k->needle[0] = '\0';
	if (k->tree.count == 0 || old.count == 0) {
		k->root = k->cursor = 0;
	} else {
		k->root = trace_merged_find(k, &old.flame->frames, old.node[k->root].frame);
		k->cursor = trace_merged_find(k, &old.flame->frames, old.node[k->cursor].frame);
		if (k->cursor < k->root || k->cursor > k->root + k->tree.node[k->root].inside)
			k->cursor = k->root;
	}
	ts_flame_tree_fini(&old);
}

static enum ts_effect
merged_deliver(struct trace_drawing *d, struct ts_fetch *fetch)
{
	struct merged_fetch *f = (struct merged_fetch *)fetch;
	struct merged *k = d->own;
	int kind = fetch->job.kind - d->kind;
	bool some = f->tree.flame != NULL;

	trace_frames_take(d->trace, &f->of);
	if (kind > MERGED_TREE || k->fetch[kind] != fetch)
		return TS_EFFECT_NONE;
	k->fetch[kind] = NULL;
	if (kind == MERGED_SUMS || !some)
		ts_pane_result(&k->data, fetch->code, &fetch->err, some);
	if (fetch->code == TS_E_CANCELLED)
		snprintf(k->data.reason, sizeof(k->data.reason),
			"it was stopped (:merge begins again)");
	if (!some)
		return TS_EFFECT_REPAINT;
	if (kind == MERGED_SUMS) {
		ts_flame_release(k->flame);
		k->flame = ts_flame_hold(f->flame);
	}
	take_tree(k, &f->tree);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static void
merged_drop(struct trace_drawing *d)
{
	struct merged *k = d->own;

	ts_flame_tree_fini(&k->tree);
	ts_flame_release(k->flame);
	k->flame = NULL;
	k->fetch[MERGED_SUMS] = k->fetch[MERGED_TREE] = NULL;
	k->has_asked = false;
	k->data.state = TS_PANE_EMPTY;
	k->root = k->cursor = 0;
}

static bool
merged_open(struct trace_drawing *d)
{
	d->own = ts_alloc(1, sizeof(struct merged));
	return d->own != NULL;
}

static void
merged_close(struct trace_drawing *d)
{
	if (d->own)
		merged_drop(d);
	free(d->own);
	d->own = NULL;
}

/* --- hits ------------------------------------------------------------------------------------------- */

/* Frames that are found, and their cycles: of those within one another the outermost. Once for each search and tree. */
static void
find_hits(const struct trace_view *t, struct merged *k)
{
	uint32_t behind = 0;

	if (k->tree.count == 0 || strcmp(k->needle, t->needle) == 0)
		return;
	snprintf(k->needle, sizeof(k->needle), "%s", t->needle);
	k->hits = k->hit_cycles = 0;
	for (uint32_t i = 0; i < k->tree.count && k->needle[0]; i++) {
		const struct ts_flame_node *n = &k->tree.node[i];
		size_t length;
		const char *name = ts_frame_name(&k->tree.flame->frames, n->frame, &length);

		if (!trace_frame_hit(t, name, length))
			continue;
		k->hits++;
		if (i < behind)
			continue;
		k->hit_cycles += n->sum.cycles;
		behind = i + n->inside + 1;
	}
}

static void
merged_note(struct trace_drawing *d, char note[TRACE_NOTE])
{
	struct merged *k = d->own;
	char hits[TS_FMT_MAX], share[TS_FMT_MAX];
	int n = 0;

	find_hits(d->trace, k);
	if (k->tree.count > 0 && k->needle[0])
		n = snprintf(note, TRACE_NOTE, "%s %s, %s of the cycles  ",
			ts_fmt_count(hits, k->hits), k->hits == 1 ? "frame" : "frames",
			ts_fmt_percent(share, (double)k->hit_cycles,
				(double)k->tree.node[0].sum.cycles));
	snprintf(note + n, TRACE_NOTE - (size_t)n, "%s%s%s%s",
		d->plot.w < NOTE_WIDE ? "· narrower" : "left-heavy, · narrower frames",
		k->data.state == TS_PANE_PARTIAL ? ", damaged" : "",
		k->tree.flame && k->tree.flame->unseen ? ", without what began long before" : "",
		k->tree.flame && k->tree.flame->frames.left_out > 0 ? ", more names than fit" : "");
}

/* The next frame that is found, in the order of the tree, round its end. */
static enum ts_effect
next_hit(struct trace_drawing *d, int by)
{
	struct merged *k = d->own;
	size_t n, count = k->tree.count;

	for (size_t i = 1; i <= count && d->trace->needle[0]; i++) {
		uint32_t at = (uint32_t)((k->cursor + (by > 0 ? i : count - i)) % count);
		const char *name = ts_frame_name(&k->tree.flame->frames, k->tree.node[at].frame,
			&n);

		if (!trace_frame_hit(d->trace, name, n))
			continue;
		k->cursor = at;
		if (at < k->root || at > k->root + k->tree.node[k->root].inside)
			k->root = 0;
		return TS_EFFECT_REPAINT;
	}
	return TS_EFFECT_UNKNOWN;
}

/* --- commands --------------------------------------------------------------------------------------- */

static enum ts_effect
move_depth(struct merged *k, int by)
{
	if (by > 0 && k->tree.node[k->cursor].inside > 0)
		k->cursor++;
	else if (by < 0 && k->cursor != k->root)
		k->cursor = k->tree.node[k->cursor].parent;
	else
		return TS_EFFECT_BELL;
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
move_sibling(struct merged *k, int by)
{
	const struct ts_flame_node *node = k->tree.node;
	uint32_t parent = node[k->cursor].parent, last = parent + node[parent].inside;
	uint32_t next = k->cursor + node[k->cursor].inside + 1, before = parent + 1;

	if (k->cursor == k->root || (by > 0 && next > last) || (by < 0 && before == k->cursor))
		return TS_EFFECT_BELL;
	while (by < 0 && before + node[before].inside + 1 < k->cursor)
		before += node[before].inside + 1;
	k->cursor = by > 0 ? next : before;
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
zoom_in(struct merged *k)
{
	if (k->cursor == k->root)
		return TS_EFFECT_BELL;
	k->root = k->cursor;
	k->top = 0;
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
zoom_out(struct merged *k)
{
	if (k->root == 0)
		return TS_EFFECT_UNKNOWN;
	k->root = k->tree.node[k->root].parent;
	return TS_EFFECT_REPAINT;
}

/* Keys of a tree; those that move the time of the other drawings do nothing here. */
static enum ts_effect
walk(struct trace_drawing *d, enum ts_cmd cmd)
{
	struct merged *k = d->own;

	switch (cmd) {
	case TS_CMD_UP:
	case TS_CMD_DOWN:
		return move_depth(k, cmd == TS_CMD_DOWN ? 1 : -1);
	case TS_CMD_LEFT:
	case TS_CMD_RIGHT:
		return move_sibling(k, cmd == TS_CMD_RIGHT ? 1 : -1);
	case TS_CMD_OPEN:
	case TS_CMD_ZOOM_IN:
		return zoom_in(k);
	case TS_CMD_BACK:
		return zoom_out(k);
	case TS_CMD_ZOOM_OUT:
		return k->root == 0 ? TS_EFFECT_BELL : zoom_out(k);
	case TS_CMD_FIRST:
	case TS_CMD_ZOOM_FIT:
		k->root = cmd == TS_CMD_ZOOM_FIT ? 0 : k->root;
		k->cursor = cmd == TS_CMD_FIRST ? k->root : k->cursor;
		return TS_EFFECT_REPAINT;
	case TS_CMD_SEARCH_NEXT:
	case TS_CMD_SEARCH_PREVIOUS:
		return next_hit(d, cmd == TS_CMD_SEARCH_NEXT ? 1 : -1);
	default:
		return TS_EFFECT_UNKNOWN;
	}
}

static bool
moves_time(enum ts_cmd cmd)
{
	return cmd == TS_CMD_LAST || cmd == TS_CMD_PAGE_LEFT || cmd == TS_CMD_PAGE_RIGHT ||
		cmd == TS_CMD_PAGE_UP || cmd == TS_CMD_PAGE_DOWN || cmd == TS_CMD_HALF_UP ||
		cmd == TS_CMD_HALF_DOWN;
}

static enum ts_effect
merged_command(struct trace_drawing *d, const struct ts_call *call)
{
	const struct merged *k = d->own;

	if (moves_time(call->cmd))
		return TS_EFFECT_BELL;
	return k->tree.count > 0 ? walk(d, call->cmd) : TS_EFFECT_UNKNOWN;
}

void
trace_merged_go(struct merged *k, uint32_t node)
{
	k->cursor = node;
	if (node < k->root || node > k->root + k->tree.node[k->root].inside)
		k->root = 0;
}

static enum ts_effect
merged_mouse(struct trace_drawing *d, int x, int y, int wheel)
{
	struct merged *k = d->own;
	int64_t node;

	if (k->tree.count == 0 ||
		y - d->plot.y >= d->plot.h - 1) /* the last row says what is under the cursor */
		return TS_EFFECT_NONE;
	if (wheel)
		return wheel < 0 ? zoom_in(k) : walk(d, TS_CMD_ZOOM_OUT);
	node = trace_merged_at(k, d->plot.w, x - d->plot.x, k->top + y - d->plot.y);
	if (node < 0)
		return TS_EFFECT_NONE;
	k->cursor = (uint32_t)node;
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* What is merged from now on. */
static void
set_merge(struct trace_drawing *d, enum merge merge)
{
	struct trace_view *t = d->trace;
	struct merged *k = d->own;
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);

	k->merge = merge;
	k->run = row || trace_goes_to_step(t)
		? ts_trace_run_of(t->trace, trace_goes_to_step(t) ? t->goal : row->step)
		: -1;
	k->view = (struct ts_flame_range){t->trace->from + t->span.from,
		t->trace->from + t->span.to, 0, 0};
	if (merge == MERGE_MARKS && !t->marks.range)
		ts_view_say(t->view.env, "no range is marked (v): all of it");
	if (merge == MERGE_RUN && k->run < 0)
		ts_view_say(t->view.env, "the run of this step is not known: all of them");
	k->has_asked = false; /* also after it was stopped */
}

static struct trace_drawing *
merged_of(struct trace_view *t)
{
	for (int i = 0; i < t->drawings; i++)
		if (t->drawing[i].ops == &trace_drawing_merged)
			return &t->drawing[i];
	return NULL;
}

struct merged *
trace_merged_of(struct trace_view *t)
{
	return merged_of(t)->own;
}

void
trace_merged_ask(struct trace_view *t)
{
	ask(merged_of(t));
}

/* "Engine::run;a;b" of a node; false: it is the run, or another drawing is shown. */
static bool
say_node(struct trace_view *t, const struct merged *k, uint32_t node, struct ts_strbuf *out)
{
	if (trace_drawn(t)->ops != &trace_drawing_merged || k->tree.count == 0 || node == 0)
		return false;
	ts_frame_folded(out, &k->tree.flame->frames, k->tree.node[node].frame);
	return true;
}

bool
trace_say_frame(struct trace_view *t, struct ts_strbuf *out)
{
	const struct merged *k = trace_merged_of(t);

	return say_node(t, k, k->cursor, out);
}

bool
trace_say_inside(struct trace_view *t, struct ts_strbuf *out)
{
	const struct merged *k = trace_merged_of(t);

	return say_node(t, k, k->root, out);
}

/* The node of a stack in *at, or the nearest above that is there (then false). */
static bool
find_stack(const struct merged *k, const char *stack, uint32_t *at)
{
	const struct ts_frames *frames = &k->tree.flame->frames;
	uint32_t end = 0;
	struct ts_strbuf text;
	bool found;

	*at = 0;
	ts_strbuf_init(&text, 1 << 17);
	for (uint32_t i = 0; i <= end && i < k->tree.count;) {
		size_t n;

		ts_strbuf_reset(&text);
		ts_frame_folded(&text, frames, k->tree.node[i].frame);
		n = text.s && strncmp(stack, text.s, text.len) == 0 ? text.len : 0;
		if (n > 0 &&
			(stack[n] == ';' || stack[n] == '\0')) { /* it is this one, or inside */
			*at = i;
			end = stack[n] ? i + k->tree.node[i].inside : i;
			i++;
		} else {
			i += k->tree.node[i].inside + 1;
		}
	}
	ts_strbuf_reset(&text);
	ts_frame_folded(&text, frames, k->tree.node[*at].frame);
	found = text.s && strcmp(text.s, stack) == 0;
	ts_strbuf_fini(&text);
	return found;
}

/* Go to the node of a stack; `inside`: it is the outermost that is shown. */
static enum ts_arg_state
set_stack(struct trace_view *t, const char *stack, bool inside)
{
	struct merged *k = trace_merged_of(t);
	uint32_t at;
	bool found;

	if (trace_drawn(t)->ops != &trace_drawing_merged) {
		ts_view_say_error(t->view.env, "a frame is one of the drawing merged");
		return TS_ARG_NO;
	}
	if (k->tree.count == 0 || k->fetch[MERGED_SUMS] || k->fetch[MERGED_TREE] || !k->has_asked)
		return k->data.state == TS_PANE_FAILED || k->data.state == TS_PANE_ABSENT
			? TS_ARG_NO
			: TS_ARG_LATER;
	found = find_stack(k, stack, &at);
	trace_merged_go(k, at);
	if (inside && found)
		zoom_in(k);
	if (!found)
		ts_view_say_error(t->view.env, "there is no frame %.100s", stack);
	return found ? TS_ARG_DONE : TS_ARG_NO;
}

enum ts_arg_state
trace_set_frame(struct trace_view *t, const char *stack)
{
	return set_stack(t, stack, false);
}

enum ts_arg_state
trace_set_inside(struct trace_view *t, const char *stack)
{
	return set_stack(t, stack, true);
}

bool
trace_merge(struct trace_view *t, const char *word)
{
	struct trace_drawing *d = merged_of(t);

	for (int i = 0; d && i < MERGES; i++)
		if (strcmp(word, merge_words[i]) == 0) {
			set_merge(d, (enum merge)i);
			return true;
		}
	return false;
}

bool
trace_merge_ipus(struct trace_view *t, bool all)
{
	struct trace_drawing *d = merged_of(t);

	if (d)
		((struct merged *)d->own)->all_ipus = all;
	return d != NULL;
}

const char *
trace_merge_said(struct trace_view *t, bool *all_ipus)
{
	const struct trace_drawing *d = merged_of(t);
	const struct merged *k = d ? d->own : NULL;

	*all_ipus = k && k->all_ipus;
	return k && k->merge != MERGE_ALL ? merge_words[k->merge] : NULL;
}

/* The one after; marks only where a range is marked. */
static enum merge
next_merge(const struct trace_view *t, enum merge merge)
{
	merge = (enum merge)((merge + 1) % MERGES);
	return merge == MERGE_MARKS && !t->marks.range ? MERGE_ALL : merge;
}

/* `merge [all|view|run|marks]`: without a word the next of them, when it is shown. */
enum ts_effect
trace_merge_command(struct trace_view *t, const struct ts_call *call)
{
	struct trace_drawing *d = merged_of(t);
	const char *word = ts_call_arg(call, 0);
	struct merged *k;

	if (!d)
		return TS_EFFECT_UNKNOWN;
	k = d->own;
	if (call->cmd == TS_CMD_MERGE_IPUS) {
		k->all_ipus = !k->all_ipus;
		ts_view_say(t->view.env, "merged: %s",
			k->all_ipus ? "all ipus together" : "the selected ipu");
	} else if (word && !trace_merge(t, word)) {
		ts_view_say_error(t->view.env, "merge is one of all, view, run, marks");
		return TS_EFFECT_BELL;
	} else if (!word) {
		set_merge(d,
			trace_drawn(t) == d && k->data.state != TS_PANE_FAILED
				? next_merge(t, k->merge)
				: k->merge); /* not shown yet, or stopped: once more */
	}
	if (call->cmd == TS_CMD_MERGE)
		ts_view_say(t->view.env, "merged: %s", merge_said[k->merge]);
	trace_draw_named(t, trace_drawing_merged.name);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static const struct ts_hint hints[] = {
	{TS_CMD_DOWN, "frames"},
	{TS_CMD_OPEN, "zoom into"},
	{TS_CMD_BACK, "out"},
	{TS_CMD_MERGE, "range"},
	{TS_CMD_MERGE_IPUS, "ipus"},
	{TS_CMD_DRAWING, "drawing"},
	{TS_CMD_COUNT, NULL},
};

const struct trace_drawing_ops trace_drawing_merged = {
	.name = "merged",
	.title = "frames by their cycles, the heaviest on the left",
	.own_axis = true,
	.open = merged_open,
	.close = merged_close,
	.drop = merged_drop,
	.rows = trace_merged_rows,
	.request = merged_request,
	.indexed = merged_indexed,
	.deliver = merged_deliver,
	.draw = trace_merged_draw,
	.note = merged_note,
	.command = merged_command,
	.mouse = merged_mouse,
	.explain = trace_merged_explain,
	.sheet = trace_merged_sheet,
	.hints = hints,
};
