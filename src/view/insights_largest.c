/* SPDX-License-Identifier: MIT */
/*
 * insights_largest - the tab of the largest things: asked for when it is shown, since it goes through the programs, compute
 * sets and vertices of the report.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/largest.h"
#include "tilescope/view/absent.h"

#include "insights_internal.h"

enum { AHEAD_ROWS = 1 << 23 /* of lowered variables: half a second, once */ };

/* A fetch has facts of its own: those of the view may go while it reads. */
struct largest_fetch {
	struct ts_fetch fetch; /* first */
	struct ts_insight_facts facts;
	struct ts_largest found;
	const struct ts_cache *cache; /* may be NULL */
};

struct largest {
	struct insights_list rows; /* first: as other tabs with a table */
	struct ts_pane_data state;
	const struct ts_fetch *asked;
	struct ts_largest found;
	uint64_t data;
};

static struct largest *
own(const struct ts_tab *t)
{
	return t->own;
}

static struct insights_view *
view_of(const struct ts_tab *t)
{
	return t->host;
}

/* --- the question ----------------------------------------------------------------------------- */

static enum ts_code
read_largest(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct largest_fetch *q = (struct largest_fetch *)f;
	enum ts_code code = ts_insight_facts_read(&q->facts, rd, NULL, err);

	if (!code)
		code = ts_largest_read(&q->found, rd, &q->facts, q->cache, &f->job.progress, err);
	ts_insight_facts_fini(&q->facts);
	q->facts = (struct ts_insight_facts){0};
	return code;
}

static void
fini_largest(struct ts_fetch *f)
{
	ts_largest_fini(&((struct largest_fetch *)f)->found);
}

static void
ask(struct ts_tab *t)
{
	struct largest *l = own(t);
	struct largest_fetch *q;

	if (l->state.state != TS_PANE_EMPTY || !ts_pane_has(&view_of(t)->state))
		return;
	q = ts_alloc(1, sizeof(*q));
	if (!q)
		return;
	q->fetch.read = read_largest;
	q->cache = t->view->env->cache;
	q->fetch.fini = fini_largest;
	l->asked = &q->fetch;
	l->state.state = TS_PANE_LOADING;
	ts_fetch_send(t->view, &q->fetch, t->kind, TS_WORKER_BULK, "looking for the largest");
}

static void
request(struct ts_tab *t)
{
	insights_largest_fit(t);
	ask(t);
}

/* Where the index knows the largest variables, and where a pass over them is short. */
static void
ahead(struct ts_tab *t)
{
	const struct ts_view_env *env = t->view->env;
	const struct ts_binding *b = &env->report->binding[TS_LOWERED_VARIABLE];
	uint64_t has = ts_index_sections(env->index);

	if (has & ts_section_bit(TS_SECTION_VARIABLES) &&
		(has & ts_section_bit(TS_SECTION_LARGEST) ||
			ts_reach_span(&b->reach) <= AHEAD_ROWS))
		ask(t);
}

static enum ts_effect
deliver(struct ts_tab *t, struct ts_fetch *f)
{
	struct largest *l = own(t);
	struct largest_fetch *q = (struct largest_fetch *)f;

	if (l->asked != f)
		return TS_EFFECT_NONE;
	l->asked = NULL;
	if (ts_fetch_in_vain(f, t->view->env->generation)) {
		l->state.state = TS_PANE_FAILED;
		snprintf(l->state.reason, sizeof(l->state.reason), "cancelled (r reads it again)");
		return TS_EFFECT_REPAINT;
	}
	ts_pane_result(&l->state, f->code, &f->err, false);
	if (f->code == TS_OK) {
		ts_largest_fini(&l->found);
		l->found = q->found;
		q->found = (struct ts_largest){0};
		t->view->env->partial |= l->found.partial;
		l->data++;
	}
	insights_largest_fit(t);
	return TS_EFFECT_REPAINT;
}

static bool
open_tab(struct ts_tab *t)
{
	struct largest *l = ts_alloc(1, sizeof(*l));

	if (!l)
		return false;
	ts_list_init(&l->rows.list);
	ts_table_order_init(&l->rows.order);
	t->own = l;
	return true;
}

static void
drop(struct ts_tab *t)
{
	struct largest *l = own(t);

	ts_largest_fini(&l->found);
	l->found = (struct ts_largest){0};
	l->asked = NULL;
	l->state = (struct ts_pane_data){0};
	l->data++;
}

static void
close_tab(struct ts_tab *t)
{
	if (!t->own)
		return;
	drop(t);
	ts_table_order_fini(&own(t)->rows.order);
	free(t->own);
	t->own = NULL;
}

/* More is known now: largest variables of IPUs. */
static void
indexed(struct ts_tab *t)
{
	if (ts_pane_has(&own(t)->state) && !own(t)->asked && own(t)->found.ipus > 0 &&
		own(t)->found.one[TS_LARGE_IPU][TS_LARGE_VARIABLE].bytes == TS_UNKNOWN)
		own(t)->state.state = TS_PANE_EMPTY;
}

/* --- rows: a scope and a kind ----------------------------------------------------------------- */

enum { L_SCOPE, L_KIND, L_BYTES, L_NAME, L_COLUMNS };

static const struct ts_column columns[L_COLUMNS] = {
	[L_SCOPE] = {"Largest of", 10, 14, 0, 0, TS_FIELD_ELLIPSIS},
	[L_KIND] = {"", 13, 13, 0, 0, TS_FIELD_LEFT},
	[L_BYTES] = {"Bytes", 9, 12, 0, 0, TS_FIELD_RIGHT},
	[L_NAME] = {"Name", 16, 0, 1, 0, TS_FIELD_TAIL},
};

static const struct ts_column_facts facts[L_COLUMNS] = {
	[L_SCOPE] = {.name = "scope"},
	[L_KIND] = {.name = "kind"},
	[L_BYTES] = {.name = "bytes", .unit = "bytes"},
	[L_NAME] = {.name = "name"},
};

static int64_t
row_count(const struct largest *l)
{
	return ts_pane_has(&l->state) && l->found.one
		? (int64_t)(TS_LARGE_IPU + l->found.ipus) * TS_LARGE_KINDS
		: 0;
}

static const struct ts_large_one *
one_of(const struct largest *l, int64_t row)
{
	return &l->found.one[row / TS_LARGE_KINDS][row % TS_LARGE_KINDS];
}

/* Why there are no bytes: the report has such things, but none there, or does not say. */
static const char *
no_bytes(const struct largest *l, int64_t row)
{
	return one_of(l, row % TS_LARGE_KINDS)->bytes == TS_UNKNOWN || l->found.partial
		? "not known"
		: "none";
}

/* Its name, else its number; "" where there is no such thing. */
static const char *
name_of(const struct largest *l, int64_t row, char out[TS_FMT_MAX])
{
	static const char *const things[TS_LARGE_KINDS] = {"vertex type", "vertex type", "program",
		NULL};
	const struct ts_large_one *one = one_of(l, row);
	const char *thing = things[row % TS_LARGE_KINDS];

	if (one->name || one->bytes == TS_UNKNOWN)
		return one->name ? one->name : "";
	if (!thing)
		return "(no name)";
	snprintf(out, TS_FMT_MAX, "%s %" PRId64, thing, one->id);
	return out;
}

static void
name_scope(const struct largest *l, int64_t row, char *out, size_t size)
{
	int64_t scope = row / TS_LARGE_KINDS;

	if (scope == TS_LARGE_MODEL)
		snprintf(out, size, "the model");
	else if (scope == TS_LARGE_TILE && l->found.tile != TS_UNKNOWN)
		snprintf(out, size, "tile %" PRId64, l->found.tile);
	else if (scope == TS_LARGE_TILE)
		snprintf(out, size, "fullest tile");
	else
		snprintf(out, size, "IPU %" PRId64, scope - TS_LARGE_IPU);
}

static bool
value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct largest *l = ctx;

	if (row < 0 || row >= row_count(l))
		return false;
	if (column == L_BYTES) {
		ts_table_value_known(out, one_of(l, row)->bytes);
		return true;
	}
	if (column == L_SCOPE) {
		name_scope(l, row, out->buf, sizeof(out->buf));
		ts_table_value_text(out, out->buf);
		return true;
	}
	ts_table_value_text(out,
		column == L_KIND ? ts_large_kind_name((enum ts_large_kind)(row % TS_LARGE_KINDS))
				 : name_of(l, row, out->buf));
	return true;
}

static bool
cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	const struct ts_tab *t = ctx;
	const struct largest *l = own(t);
	const struct ts_large_one *one;

	if (row < 0 || row >= row_count(l))
		return false;
	one = one_of(l, row);
	out->role = one->bytes == TS_UNKNOWN ? TS_ROLE_DIM : TS_ROLE_TEXT;
	if (column == L_SCOPE) {
		name_scope(l, row, out->buf, sizeof(out->buf));
		out->s = out->buf;
	} else if (column == L_KIND) {
		out->s = ts_large_kind_name((enum ts_large_kind)(row % TS_LARGE_KINDS));
	} else if (column == L_BYTES) {
		out->s = one->bytes == TS_UNKNOWN
			? no_bytes(l, row)
			: ts_fmt_bytes(out->buf, one->bytes, t->view->env->options->units);
		out->role = one->bytes == TS_UNKNOWN ? TS_ROLE_DIM : TS_ROLE_VALUE;
	} else {
		out->s = name_of(l, row, out->buf);
	}
	return true;
}

static bool
tab_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	return value(own(ctx), row, column, out);
}

static struct ts_table
table(struct ts_tab *t, bool focus)
{
	struct largest *l = own(t);

	return (struct ts_table){.column = columns,
		.columns = L_COLUMNS,
		.cell = cell,
		.ctx = t,
		.header = true,
		.focus = focus,
		.sorted = l->rows.order.sorted,
		.descending = l->rows.order.descending,
		.id = "insights.largest",
		.facts = facts,
		.value = tab_value,
		.looks = t->view->env->looks,
		.order = &l->rows.order,
		.units = t->view->env->options->units};
}

void
insights_largest_fit(struct ts_tab *t)
{
	struct ts_table shown = table(t, false);
	struct largest *l = own(t);

	ts_table_order_make(&l->rows.order, &shown, &l->rows.list, row_count(l), l->data);
	ts_list_resize(&l->rows.list, ts_table_rows(&shown, t->r));
}

static void
draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct ts_table shown = table(t, focus);

	if (ts_pane_has(&own(t)->state))
		ts_table_draw(c, t->r, &shown, &own(t)->rows.list);
	else
		ts_pane_draw(c, t->r, t->view->env,
			ts_pane_has(&view_of(t)->state) ? &own(t)->state : &view_of(t)->state);
}

static bool
has_vertices(const struct largest *l)
{
	const struct ts_large_one *model = l->found.one ? l->found.one[TS_LARGE_MODEL] : NULL;

	return model &&
		(model[TS_LARGE_VERTEX_STATE].bytes != TS_UNKNOWN ||
			model[TS_LARGE_VERTEX_CODE].bytes != TS_UNKNOWN);
}

static void
note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct largest *l = own(t);
	const char *nameless = ts_absent_vertex_names(t->view->env->report);

	if (ts_pane_has(&l->state) && l->found.more)
		snprintf(out, TS_TAB_NOTE, "the first %d IPUs", l->found.ipus);
	else if (ts_pane_has(&l->state) && l->found.partial)
		snprintf(out, TS_TAB_NOTE, "damaged: of what could be read");
	else if (ts_pane_has(&l->state) && has_vertices(l) && nameless)
		snprintf(out, TS_TAB_NOTE, "%s", nameless);
}

static int64_t
row_of(struct ts_tab *t)
{
	struct ts_table shown = table(t, false);

	return row_count(own(t)) > 0 ? ts_table_row(&shown, own(t)->rows.list.cursor) : -1;
}

/* Words for searching and copying: the view does not know this tab's rows. */
static void
say_row(const struct insights_view *s, int64_t row, struct ts_strbuf *out)
{
	const struct ts_tab *t = &s->tabs.tab[INSIGHTS_LARGEST];
	const struct largest *l = own(t);
	char scope[40], bytes[TS_FMT_MAX], name[TS_FMT_MAX];
	const struct ts_large_one *one;

	if (row < 0 || row >= row_count(l))
		return;
	one = one_of(l, row);
	name_scope(l, row, scope, sizeof(scope));
	ts_strbuf_printf(out, "%s %s %s %s", scope,
		ts_large_kind_name((enum ts_large_kind)(row % TS_LARGE_KINDS)),
		one->bytes == TS_UNKNOWN
			? no_bytes(l, row)
			: ts_fmt_bytes(bytes, one->bytes, t->view->env->options->units),
		name_of(l, row, name));
}

/* Only the model's largest variable is known by its number. */
static enum ts_effect
tick(struct ts_tab *t, int64_t row)
{
	const struct ts_large_one *one = row < 0 ? NULL : one_of(own(t), row);
	struct ts_peak_variable v = {0};

	if (!one || row % TS_LARGE_KINDS != TS_LARGE_VARIABLE || one->bytes == TS_UNKNOWN)
		return insights_tick(view_of(t), NULL);
	if (row / TS_LARGE_KINDS != TS_LARGE_MODEL) {
		ts_view_say(t->view->env,
			"one piece on one tile: Enter goes to it, and x works there");
		return TS_EFFECT_BELL;
	}
	v.variable = one->id;
	v.name = one->name;
	return insights_tick(view_of(t), &v);
}

/* The tile that it is on, where that is known. */
static void
place_of(const struct largest *l, int64_t row, char out[TS_PLACE_TEXT])
{
	const struct ts_large_one *one = one_of(l, row);
	int64_t scope = row / TS_LARGE_KINDS;
	bool lowered = row % TS_LARGE_KINDS == TS_LARGE_VARIABLE && scope > TS_LARGE_MODEL;
	int64_t tile = lowered && one->id != TS_UNKNOWN ? one->id
		: scope == TS_LARGE_TILE		? l->found.tile
							: TS_UNKNOWN;

	if (tile == TS_UNKNOWN)
		snprintf(out, TS_PLACE_TEXT, "memory");
	else
		snprintf(out, TS_PLACE_TEXT, "memory?tile=%" PRId64, tile);
}

/* The model's largest variable is known by its number. */
static void
object(const struct ts_tab *t, struct ts_at_cursor *out)
{
	const struct largest *l = own(t);
	int64_t row = row_of(&t->tabs->tab[INSIGHTS_LARGEST]);
	const struct ts_large_one *one = row < 0 ? NULL : one_of(l, row);

	if (!one)
		return;
	place_of(l, row, out->place);
	if (row == TS_LARGE_MODEL * TS_LARGE_KINDS + TS_LARGE_VARIABLE && one->bytes != TS_UNKNOWN)
		out->variable = one->id;
}

static enum ts_effect
command(struct ts_tab *t, const struct ts_call *call)
{
	struct ts_table shown = table(t, true);
	const struct largest *l = own(t);
	int64_t row = row_of(t);
	char place[TS_PLACE_TEXT];

	if (row >= 0 && call->cmd == TS_CMD_OPEN) {
		place_of(l, row, place);
		return insights_go(view_of(t), place);
	}
	if (call->cmd == TS_CMD_TICK)
		return tick(t, row);
	return insights_list_command(view_of(t), &own(t)->rows, &shown, call, say_row);
}

static enum ts_effect
mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct ts_table shown = table(t, true);

	(void)x;
	return ts_list_mouse(&own(t)->rows.list, ts_table_line(&shown, t->r, y), wheel);
}

static struct ts_list *
list(struct ts_tab *t, bool *there)
{
	*there = ts_pane_has(&own(t)->state);
	return &own(t)->rows.list;
}

static bool
sheet(struct ts_tab *t, struct ts_sheet *out)
{
	if (!ts_pane_has(&own(t)->state))
		return false;
	snprintf(out->title, sizeof(out->title),
		"Largest of the model, of the fullest tile and of each IPU");
	out->table = table(t, true);
	out->list = &own(t)->rows.list;
	out->rows = row_count(own(t));
	return true;
}

/* --- what a figure is ------------------------------------------------------------------------- */

static void
explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct largest *l = own(t);
	int64_t row = row_of(t), scope = row / TS_LARGE_KINDS;
	const struct ts_large_one *one;
	struct ts_explained *x;
	char name[40];

	if (row < 0)
		return;
	one = one_of(l, row);
	name_scope(l, row, name, sizeof(name));
	x = ts_explain_add(out, "largest %s of %s",
		ts_large_kind_name((enum ts_large_kind)(row % TS_LARGE_KINDS)), name);
	ts_explain_bytes(x, one->bytes, t->view->env->options->units);
	insights_explain_large(x, view_of(t), &l->found, scope, (int)(row % TS_LARGE_KINDS));
}

const struct ts_tab_ops insights_tab_largest = {
	.name = "largest",
	.title = "Largest",
	.open = open_tab,
	.close = close_tab,
	.drop = drop,
	.indexed = indexed,
	.note = note,
	.resize = insights_largest_fit,
	.request = request,
	.ahead = ahead,
	.deliver = deliver,
	.draw = draw,
	.command = command,
	.mouse = mouse,
	.list = list,
	.sheet = sheet,
	.explain = explain,
	.object = object,
	.hints = insights_variable_hints,
};
