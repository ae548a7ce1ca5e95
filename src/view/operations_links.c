/* SPDX-License-Identifier: MIT */
/*
 * operations_links - the tab of producers and consumers: which operations of the layer made what this one uses, and which use
 * what it made, by the variables that both name. Enter goes there, Backspace comes back: a walk.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/operation_links.h"
#include "tilescope/view/held_list.h"

#include "operations_internal.h"

struct links_fetch {
	struct ts_fetch f; /* first */
	const struct ts_cache *cache;
	struct ts_operations *ops;	/* held */
	struct ts_operation_uses *uses; /* held; NULL: to be read first */
	uint32_t of;
	struct ts_operation_links links;
};

struct links_tab {
	struct ts_held_list l; /* first */
	struct operations_view *s;
	struct ts_fetch *sent;
	uint32_t asked, here;	   /* nodes; TS_NO_OPERATION */
	unsigned of;		   /* version of the operations that were asked */
	struct ts_operations *ops; /* held: of the links, and of */
	struct ts_operation_uses *uses;
	struct ts_operation_links links;
	struct ts_rect body, total;
};

static enum ts_code
read_links(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct links_fetch *q = (struct links_fetch *)f;
	enum ts_code code = q->uses
		? TS_OK
		: ts_operation_uses_read(&q->uses, rd, q->ops, q->cache, &f->job.progress, err);

	return code ? code
		    : ts_operation_links_read(&q->links, q->uses, q->of, q->cache, rd->cancel, err);
}

static void
fini_links(struct ts_fetch *f)
{
	struct links_fetch *q = (struct links_fetch *)f;

	ts_operation_links_fini(&q->links);
	ts_operation_uses_close(q->uses);
	ts_operations_close(q->ops);
}

static bool
links_open(struct ts_tab *t)
{
	struct links_tab *d = ts_alloc(1, sizeof(*d));

	if (!d)
		return false;
	d->s = operations_host(t);
	d->asked = d->here = TS_NO_OPERATION;
	ts_held_list_init(&d->l, -1);
	t->own = d;
	return true;
}

static void
links_drop(struct ts_tab *t)
{
	struct links_tab *d = t->own;

	ts_operation_links_fini(&d->links);
	ts_operation_uses_close(d->uses);
	ts_operations_close(d->ops);
	d->uses = NULL;
	d->ops = NULL;
	d->links = (struct ts_operation_links){0};
	d->sent = NULL;
	d->asked = d->here = TS_NO_OPERATION;
	d->l.of++;
}

static void
links_close(struct ts_tab *t)
{
	links_drop(t);
	ts_held_list_fini(&((struct links_tab *)t->own)->l);
	free(t->own);
}

static void
links_request(struct ts_tab *t)
{
	struct links_tab *d = t->own;
	uint32_t of = operations_node_at(d->s);
	struct links_fetch *q;

	if (of == TS_NO_OPERATION || (of == d->asked && d->of == d->s->version))
		return;
	q = ts_alloc(1, sizeof(*q));
	if (!q)
		return;
	d->asked = of;
	d->of = d->s->version;
	q->f.read = read_links;
	q->f.fini = fini_links;
	q->cache = t->view->env->cache;
	q->ops = ts_operations_hold(d->s->ops);
	if (d->ops == d->s->ops)
		q->uses = ts_operation_uses_hold(d->uses);
	q->of = of;
	d->sent = &q->f;
	ts_fetch_send(t->view, &q->f, t->kind, TS_WORKER_BULK,
		"looking for producers and consumers");
}

static enum ts_effect
links_deliver(struct ts_tab *t, struct ts_fetch *f)
{
	struct links_tab *d = t->own;
	struct links_fetch *q = (struct links_fetch *)f;

	if (d->sent != f)
		return TS_EFFECT_NONE;
	d->sent = NULL;
	if (ts_fetch_in_vain(f, t->view->env->generation))
		return TS_EFFECT_REPAINT;
	if (f->code)
		ts_view_say_error(t->view->env, "%s", f->err.msg);
	ts_operation_links_fini(&d->links);
	ts_operation_uses_close(d->uses);
	ts_operations_close(d->ops);
	d->links = q->links;
	d->uses = q->uses;
	d->ops = q->ops;
	d->here = q->of;
	q->links = (struct ts_operation_links){0};
	q->uses = NULL;
	q->ops = NULL;
	d->l.of++;
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static bool
is_current(const struct links_tab *d)
{
	return d->ops && d->here != TS_NO_OPERATION && d->here == operations_node_at(d->s);
}

bool
operations_links_shown(const struct operations_view *s, const struct ts_operation_links **links,
	uint32_t *of)
{
	const struct ts_tab *t = &s->split.tabs.tab[s->split.tabs.at];
	const struct links_tab *d = t->own;

	if (t->ops != &operations_tab_links)
		return false;
	*links = is_current(d) ? &d->links : NULL;
	*of = d->here;
	return true;
}

static const struct ts_operation_link *
link_at(const struct links_tab *d, int64_t i)
{
	return i >= 0 && i < (int64_t)d->links.count ? &d->links.link[i] : NULL;
}

/* --- the table ---------------------------------------------------------------------------------------- */

enum { L_NAME, L_WAY, L_VARIABLES, L_BYTES, L_HOW, L_FIRST, L_COUNT };

static const struct ts_column columns[L_COUNT] = {
	[L_NAME] = {"operation", 20, 0, 4, 0, TS_FIELD_TAIL},
	[L_WAY] = {"is", 8, 10, 0, 0, TS_FIELD_LEFT},
	[L_VARIABLES] = {"variables", 9, 10, 0, 2, TS_FIELD_RIGHT},
	[L_BYTES] = {"bytes", 9, 10, 0, 0, TS_FIELD_RIGHT},
	[L_HOW] = {"known by", 10, 24, 0, 3, TS_FIELD_ELLIPSIS},
	[L_FIRST] = {"largest", 9, 10, 0, 4, TS_FIELD_RIGHT},
};

static const struct ts_column_facts facts[L_COUNT] = {
	[L_NAME] = {"operation", NULL, TS_SUM_NONE, false},
	[L_WAY] = {"way", NULL, TS_SUM_NONE, false},
	[L_VARIABLES] = {"variables", NULL, TS_SUM_NONE, false},
	[L_BYTES] = {"bytes", "bytes", TS_SUM_NONE, false},
	[L_HOW] = {"known_by", NULL, TS_SUM_NONE, false},
	[L_FIRST] = {"largest_variable", NULL, TS_SUM_NONE, false},
};

static const char *const ways[TS_LINK_WAYS] =
	{[TS_LINK_FROM] = "producer", [TS_LINK_TO] = "consumer", [TS_LINK_SHARED] = "shares"};

static bool
value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct links_tab *d = ctx;
	const struct ts_operation_link *l = link_at(d, i);
	const char *s;
	size_t n;

	if (!l)
		return false;
	switch (column) {
	case L_NAME:
		s = ts_operation_debug_name(&n, d->ops, l->node);
		if (!s)
			s = ts_operation_name(&n, d->ops, l->node);
		if (s)
			*out = (struct ts_table_value){.type = TS_VALUE_TEXT, .s = s, .n = n};
		break;
	case L_WAY:
		ts_table_value_text(out, ways[l->way % TS_COUNT(ways)]);
		break;
	case L_HOW:
		ts_table_value_text(out, ts_link_how_word((enum ts_link_how)l->how));
		break;
	default:
		ts_table_value_known(out,
			column == L_VARIABLES	    ? l->variables
				: column == L_BYTES ? l->bytes
						    : l->first);
	}
	return true;
}

static bool
cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct links_tab *d = ctx;
	struct ts_table_value v = {.type = TS_VALUE_NONE};

	if (!value(ctx, i, column, &v))
		return false;
	out->s = out->buf;
	if (v.type == TS_VALUE_TEXT) {
		out->s = v.s;
		out->n = v.n;
		out->role = column == L_HOW ? TS_ROLE_DIM
			: column == L_WAY   ? TS_ROLE_LABEL
					    : TS_ROLE_TEXT;
	} else if (v.type == TS_VALUE_NONE) {
		out->s = "?";
		out->role = TS_ROLE_DIM;
	} else if (column == L_BYTES) {
		ts_fmt_bytes_short(out->buf, v.integer, d->s->base.env->options->units);
	} else if (column == L_FIRST) {
		snprintf(out->buf, sizeof(out->buf), "%" PRId64, v.integer);
	} else {
		ts_fmt_count(out->buf, v.integer);
	}
	return true;
}

static const struct ts_held_table table = {.id = "operations.links",
	.column = columns,
	.facts = facts,
	.columns = L_COUNT,
	.cell = cell,
	.value = value,
	.empty = "no other operation of the layer names a variable of it"};

static void
links_begin(struct links_tab *d, const struct ts_tab *t)
{
	d->body = t->r;
	d->total = ts_rect_cut_bottom(&d->body, t->r.h >= 3);
	ts_held_list_begin(&d->l, t, &table, d->body, is_current(d) ? (int64_t)d->links.count : 0);
}

static void
links_resize(struct ts_tab *t)
{
	links_begin(t->own, t);
}

static void
draw_total(struct ts_canvas *c, const struct links_tab *d)
{
	struct ts_rect at = ts_held_list_below(&d->l, d->body, d->total);
	int64_t from = 0, to = 0, shared = 0;
	char n[TS_FMT_MAX], m[TS_FMT_MAX], k[TS_FMT_MAX], v[TS_FMT_MAX];

	for (size_t i = 0; i < d->links.count; i++) {
		from += d->links.link[i].way == TS_LINK_FROM;
		to += d->links.link[i].way == TS_LINK_TO;
		shared += d->links.link[i].way == TS_LINK_SHARED;
	}
	ts_canvas_fill(c, at, TS_ROLE_TOTAL, ' ');
	ts_canvas_printf(c, at, 0, 0, TS_ROLE_TOTAL,
		"%s producer%s, %s consumer%s, %s that share%s; %s variable%s named%s%s",
		ts_fmt_count(n, from), from == 1 ? "" : "s", ts_fmt_count(m, to),
		to == 1 ? "" : "s", ts_fmt_count(k, shared), shared == 1 ? "s" : "",
		ts_fmt_count(v, d->links.variables), d->links.variables == 1 ? "" : "s",
		d->links.cut ? "; more are left out" : "", d->links.partial ? "; partial" : "");
}

static void
links_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct links_tab *d = t->own;

	(void)focus;
	if (!d->s->shape)
		return;
	if (operations_node_at(d->s) == TS_NO_OPERATION) {
		ts_canvas_wrap(c, t->r, 0, TS_ROLE_DIM, OPERATIONS_NOTHING);
		return;
	}
	if (!is_current(d)) {
		ts_canvas_pending(c, t->r, 2, 0);
		return;
	}
	if (d->links.count == 0 && d->links.why[0]) {
		ts_canvas_wrap(c, t->r, 0, TS_ROLE_DIM, d->links.why);
		return;
	}
	links_begin(d, t);
	ts_held_list_draw(&d->l, c, d->body);
	draw_total(c, d);
}

static const struct ts_operation_link *
link_at_cursor(const struct links_tab *d)
{
	return is_current(d) ? link_at(d, ts_held_list_row(&d->l)) : NULL;
}

static enum ts_effect
links_command(struct ts_tab *t, const struct ts_call *call)
{
	struct links_tab *d = t->own;
	const struct ts_operation_link *l;
	char *place = t->view->env->place;

	links_begin(d, t);
	l = link_at_cursor(d);
	if (call->cmd == TS_CMD_OPEN && !ts_call_arg(call, 0) && l) {
		snprintf(place, sizeof(t->view->env->place),
			"operations?node=%" PRIu32 "&tab=links&pane=tabs", l->node);
		return TS_EFFECT_REPAINT;
	}
	return ts_held_list_command(&d->l, t, call);
}

static enum ts_effect
links_mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct links_tab *d = t->own;

	(void)x;
	links_begin(d, t);
	return ts_held_list_mouse(&d->l, d->body, y, wheel);
}

static bool
links_about(const struct ts_tab *t, struct ts_debug_about *out)
{
	const struct links_tab *d = t->own;
	const struct ts_operation_link *l = link_at_cursor(d);

	if (!l || operations_context(ts_operation_at(d->ops, l->node)) == TS_UNKNOWN)
		return false;
	*out = (struct ts_debug_about){.relation = TS_CONTEXT,
		.context = (uint64_t)operations_context(ts_operation_at(d->ops, l->node)),
		.what = "operation"};
	return true;
}

static void
links_explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct links_tab *d = t->own;
	const struct ts_operation_link *l = link_at_cursor(d);
	struct ts_explained *x;
	char where[200];

	if (!l)
		return;
	snprintf(where, sizeof(where),
		"FROM operation_link WHERE node = %" PRIu32 " AND other = %" PRIu32
		" AND way = '%s' AND known_by = '%s'",
		d->here, l->node, ts_link_way_word((enum ts_link_way)l->way),
		ts_link_how_word((enum ts_link_how)l->how));
	x = ts_explain_add(out, "variables that both operations name");
	ts_explain_integer(x, l->variables, "variables");
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"program_variable, lowered_variable.variable, operation_program, variable.context");
	ts_explain_formula(x, "variables of programs of the one and of the other, each once");
	ts_explain_note(x, "%s",
		l->how == TS_LINK_BY_CONTEXT ? "who made a variable says its debug context"
			: l->how == TS_LINK_BY_STEP
			? "no relation says who made a variable: whose liveness steps come first"
			: "no relation says who made a variable");
	ts_explain_query(x, "SELECT count(*) %s", where);
	x = ts_explain_add(out, "their bytes");
	ts_explain_bytes(x, l->bytes, t->view->env->options->units);
	ts_explain_from(x, TS_KNOWN_DERIVED, "variable.bytes");
	ts_explain_formula(x, "sum over these variables");
	ts_explain_query(x, "SELECT sum(bytes) %s", where);
	x = ts_explain_add(out, "the largest of them");
	ts_explain_number(x, l->first);
	ts_explain_from(x, TS_KNOWN_DERIVED, "variable.bytes");
	ts_explain_formula(x, "of equal ones the lowest number");
	ts_explain_query(x,
		"SELECT variable %s ORDER BY coalesce(bytes, -1) DESC, variable LIMIT 1", where);
}

static struct ts_list *
links_list(struct ts_tab *t, bool *there)
{
	struct links_tab *d = t->own;

	*there = is_current(d);
	return &d->l.list;
}

static const struct ts_hint hints[] = {
	{TS_CMD_OPEN, "go there"},
	{TS_CMD_BACK, "back"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops operations_tab_links = {
	.name = "links",
	.title = "Producers, consumers",
	.brief = "Links",
	.hints = hints,
	.open = links_open,
	.close = links_close,
	.drop = links_drop,
	.note = operations_tab_note,
	.resize = links_resize,
	.request = links_request,
	.deliver = links_deliver,
	.draw = links_draw,
	.command = links_command,
	.mouse = links_mouse,
	.about = links_about,
	.explain = links_explain,
	.sheet = operations_tab_sheet,
	.list = links_list,
};
