/* SPDX-License-Identifier: MIT */
/*
 * liveness_always - the tab of what is always live, by name. Its list is read when this tab or that of the groups is
 * shown.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/always.h"

#include "tilescope/view/what_if.h"

#include "liveness_tabs.h"

enum { BYTES_WIDE = 16 };

struct always_fetch {
	struct ts_fetch f;
	struct ts_live_source source;
	struct ts_tile_lives *tiles; /* held, or NULL */
	struct ts_groups *groups;    /* held, or NULL */
	const struct ts_cache *cache;
	struct ts_always *always;
};

static enum ts_code
read_always(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct always_fetch *a = (struct always_fetch *)f;

	return ts_always_read(&a->always, rd, &a->source, a->tiles, a->groups, a->cache,
		&f->job.progress, err);
}

static void
fini_always(struct ts_fetch *f)
{
	struct always_fetch *a = (struct always_fetch *)f;

	ts_always_close(a->always);
	ts_tile_lives_close(a->tiles);
	ts_groups_close(a->groups);
	ts_live_source_fini(&a->source);
}

struct always_tab {
	struct ts_held_list l; /* first */
	struct liveness *s;
	struct ts_pane_data pane;
	struct ts_fetch *sent;
	uint64_t data; /* timeline that it was asked for */
	bool grouped;  /* it was asked for with groups, */
	struct ts_always *always;
	uint64_t listed; /* timeline that it is of */
	bool has_groups; /* and `always` has them */
	struct ts_always
		*device; /* of the device, for when it is the source again; may be `always` */
	bool device_grouped;
	struct ts_rect body, total;
};

enum { C_NAME, C_BYTES, C_SHARE, C_CUMULATIVE, C_GROUP, C_TILES, C_COUNT };

static const struct ts_column columns[C_COUNT] = {
	{"variable, always live", 16, 110, 1, 0, TS_FIELD_TAIL},
	{"bytes", BYTES_WIDE, 0, 0, 0, TS_FIELD_RIGHT},
	{"share", 6, 0, 0, 2, TS_FIELD_RIGHT},
	{"cumul.", 6, 0, 0, 1, TS_FIELD_RIGHT},
	{"group", 15, 0, 0, 4, TS_FIELD_ELLIPSIS},
	{"tiles", 7, 0, 0, 3, TS_FIELD_RIGHT},
};

/* Only tile_always_live knows how many tiles have a variable: without it that column is asked for, or not there. */
#define FACTS(by_tile)                                                                            \
	{                                                                                         \
		{"variable", NULL, TS_SUM_COUNT, false}, {"bytes", "bytes", TS_SUM_BYTES, false}, \
			{"share", "%", TS_SUM_NONE, false},                                       \
			{"cumulative", "%", TS_SUM_NONE, false},                                  \
			{"group", NULL, TS_SUM_NONE, false},                                      \
			{"tiles", "tiles", TS_SUM_NONE, !(by_tile)},                              \
	}

static const struct ts_column_facts facts[2][C_COUNT] = {FACTS(false), FACTS(true)};

static const char *
always_name(const struct always_tab *a, int row, char *buf, size_t size)
{
	const char *name = ts_always_name(a->always, row);

	if (*name)
		return name;
	if (a->always->row[row].variable >= 0)
		snprintf(buf, size, "variable %lld", (long long)a->always->row[row].variable);
	else
		snprintf(buf, size, "(no name)");
	return buf;
}

static bool
always_cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct always_tab *a = ctx;
	const struct ts_always_row *row;

	if (!a->always || i < 0 || i >= a->always->rows)
		return false;
	row = &a->always->row[i];
	out->role = column == C_BYTES ? TS_ROLE_VALUE : TS_ROLE_TEXT;
	out->s = out->buf;
	switch (column) {
	case C_NAME:
		out->s = always_name(a, (int)i, out->buf, sizeof(out->buf));
		break;
	case C_BYTES:
		ts_fmt_bytes(out->buf, row->bytes, live_units(a->s));
		break;
	case C_SHARE:
		ts_fmt_percent(out->buf, (double)row->bytes, (double)a->always->bytes);
		break;
	case C_CUMULATIVE:
		ts_fmt_percent(out->buf, (double)row->cumulative, (double)a->always->bytes);
		break;
	case C_GROUP:
		out->s = live_group_name(a->s, row->group);
		break;
	default:
		if (row->tiles >= 0)
			ts_fmt_count(out->buf, row->tiles);
	}
	return true;
}

static bool
always_value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct always_tab *a = ctx;
	const struct ts_always_row *row;

	if (!a->always || i < 0 || i >= a->always->rows)
		return false;
	row = &a->always->row[i];
	switch (column) {
	case C_NAME:
		ts_table_value_text(out, always_name(a, (int)i, out->buf, sizeof(out->buf)));
		break;
	case C_BYTES:
		ts_table_value_integer(out, row->bytes);
		break;
	case C_SHARE:
	case C_CUMULATIVE:
		if (a->always->bytes > 0)
			ts_table_value_real(out,
				100.0 * (double)(column == C_SHARE ? row->bytes : row->cumulative) /
					(double)a->always->bytes);
		break;
	case C_GROUP:
		ts_table_value_text(out, live_group_name(a->s, row->group));
		break;
	default:
		ts_table_value_known(out, row->tiles);
	}
	return true;
}

#define TABLE(by_tile)                                                               \
	{                                                                            \
		.id = "liveness.always", .column = columns, .facts = facts[by_tile], \
		.columns = C_COUNT, .cell = always_cell, .value = always_value,      \
		.empty = "nothing is always live"                                    \
	}

static const struct ts_held_table always_table[2] = {TABLE(false), TABLE(true)};

static bool
always_open(struct ts_tab *t)
{
	struct always_tab *a = ts_alloc(1, sizeof(*a));

	if (!a)
		return false;
	a->s = t->host;
	a->pane.absent = TS_ABSENT_LIVE_VARIABLES;
	ts_held_list_init(&a->l, C_BYTES);
	t->own = a;
	return true;
}

/* Another list; that of the device stays. */
static void
show_always(struct always_tab *a, struct ts_always *always, bool grouped)
{
	if (a->always != a->device)
		ts_always_close(a->always);
	a->always = always;
	a->listed = a->data;
	a->has_groups = grouped;
	a->l.of++;
}

static void
keep_device(struct always_tab *a, struct ts_always *always, bool grouped)
{
	if (a->device != a->always)
		ts_always_close(a->device);
	a->device = always;
	a->device_grouped = grouped;
}

static void
always_drop(struct ts_tab *t)
{
	struct always_tab *a = t->own;

	show_always(a, NULL, false);
	keep_device(a, NULL, false);
	a->sent = NULL;
	a->data = 0;
	a->pane.state = TS_PANE_EMPTY;
}

static void
always_close(struct ts_tab *t)
{
	always_drop(t);
	ts_held_list_fini(&((struct always_tab *)t->own)->l);
	free(t->own);
}

static bool
always_absent(const struct ts_tab *t)
{
	return ((const struct always_tab *)t->own)->pane.state == TS_PANE_ABSENT;
}

/* Are groups kept in the index? Else all names are asked for theirs. */
static bool
keeps_groups(const struct ts_view_env *env)
{
	size_t size;

	return ts_index_section(env->index, TS_SECTION_LABELS, &size);
}

/* Are the groups about to come? With the index in moments: then all is read once, instead of twice. */
static bool
groups_are_near(const struct liveness *s)
{
	return (s->labels_pane.state == TS_PANE_LOADING || s->lives_wanted ||
		       s->under_way[LIVE_FETCH_LIVES] || (s->labels_wanted && s->lives)) &&
		keeps_groups(s->v.env);
}

/* Who is alive comes first, and takes all processors; what is a moment's work goes beside it. */
static bool
waits_for_alive(const struct liveness *s, bool grouped)
{
	const struct ts_view_env *env = s->v.env;

	return live_awaits_alive(s) &&
		!(ts_always_quick(env->report, env->index, &s->shown) &&
			(!grouped || keeps_groups(env)));
}

/* Once for a source, and once more when there are groups. */
void
live_ask_always(struct ts_tab *t)
{
	struct always_tab *a = t->own;
	struct liveness *s = a->s;
	bool grouped = s->groups != NULL;
	struct always_fetch *f;

	if (!ts_pane_has(&s->graph) || (a->data == s->data && a->grouped == grouped))
		return;
	if (waits_for_alive(s, grouped) || (!grouped && groups_are_near(s))) {
		if (a->data != s->data)
			a->pane.state = TS_PANE_LOADING;
		return;
	}
	if (s->shown.where == TS_LIVE_ALL && a->device && a->device_grouped == grouped) {
		a->data = s->data;
		a->grouped = grouped;
		show_always(a, a->device, grouped);
		a->sent = NULL;
		a->pane.state = TS_PANE_READY;
		return;
	}
	f = ts_alloc(1, sizeof(*f));
	if (!f || !ts_live_source_copy(&f->source, &s->shown)) {
		free(f);
		return;
	}
	f->f.read = read_always;
	f->f.fini = fini_always;
	f->tiles = s->src.tiles ? ts_tile_lives_hold(s->src.tiles) : NULL;
	f->groups = grouped ? ts_groups_hold(s->groups) : NULL;
	f->cache = t->view->env->cache;
	if (a->data != s->data)
		a->pane.state = TS_PANE_LOADING;
	a->data = s->data;
	a->grouped = grouped;
	a->sent = &f->f;
	f->f.job.behind = s->sums && !s->lives; /* the list of who is alive has just come */
	live_send(t, &f->f, 0, s->shown.where == TS_LIVE_TILE ? 0 : INT64_MAX,
		"reading what is always live");
}

/* With the index: of the device, and once, when who is alive and the groups are there. */
static void
always_ahead(struct ts_tab *t)
{
	const struct liveness *s = ((struct always_tab *)t->own)->s;
	size_t size;

	if (s->shown.where == TS_LIVE_ALL && s->alive && s->alive->grouped &&
		ts_index_section(t->view->env->index, TS_SECTION_LIVES, &size))
		live_ask_always(t);
}

static void
say_stopped(struct always_tab *a)
{
	if (a->pane.state != TS_PANE_LOADING)
		return;
	a->pane.state = TS_PANE_FAILED;
	snprintf(a->pane.reason, sizeof(a->pane.reason), "it was stopped; reload to try again");
}

void
live_stop_always(struct ts_tab *t)
{
	struct always_tab *a = t->own;

	if (a->sent || a->data == a->s->data)
		return;
	a->data = a->s->data;
	a->grouped = a->s->groups != NULL;
	say_stopped(a);
}

static enum ts_effect
always_deliver(struct ts_tab *t, struct ts_fetch *f)
{
	struct always_tab *a = t->own;
	struct always_fetch *answer = (struct always_fetch *)f;

	if (a->sent != f)
		return TS_EFFECT_NONE;
	a->sent = NULL;
	if (ts_fetch_in_vain(f, t->view->env->generation)) {
		say_stopped(a);
		return TS_EFFECT_REPAINT;
	}
	show_always(a, answer->always, answer->groups != NULL);
	answer->always = NULL;
	if (answer->source.where == TS_LIVE_ALL && f->code == TS_OK)
		keep_device(a, a->always, a->has_groups);
	ts_pane_result(&a->pane, f->code, &f->err, a->always != NULL);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

const struct ts_always *
live_always(const struct ts_tab *t, uint64_t *version)
{
	const struct always_tab *a = t->own;

	*version = a->l.of;
	return a->always && a->has_groups && a->data == a->s->data ? a->always : NULL;
}

/* The list of another source is not shown, whatever becomes of that of this one. */
static void
forget_other_source(struct always_tab *a)
{
	if (a->always && a->listed != a->s->data)
		show_always(a, NULL, false);
}

static void
always_begin(struct always_tab *a, const struct ts_tab *t)
{
	forget_other_source(a);
	a->body = t->r;
	a->total = ts_rect_cut_bottom(&a->body, t->r.h >= 3);
	ts_held_list_begin(&a->l, t, &always_table[a->always && a->always->by_tile], a->body,
		a->always ? a->always->rows : 0);
}

static void
always_resize(struct ts_tab *t)
{
	always_begin(t->own, t);
}

/* Of several replicas the list is that of all or of one, whichever of them the graph shows. */
static const char *
whose(const struct always_tab *a, char *out, size_t size)
{
	const struct liveness *s = a->s;
	char n[TS_FMT_MAX];

	if (!live_has_replicas(s))
		return live_source_name(out, size, s, &s->shown);
	snprintf(out, size,
		live_always_of_device(s, a->always->bytes) ? "device of %s replicas"
							   : "one replica of %s",
		ts_fmt_count(n, s->src.line.replicas));
	return out;
}

static void
always_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct always_tab *a = t->own;
	const struct liveness *s = a->s;
	char n[TS_FMT_MAX], m[TS_FMT_MAX], name[LIVE_SOURCE];
	int64_t says = s->src.line.always_live;

	if (!a->always || a->listed != s->data)
		snprintf(out, TS_TAB_NOTE, "always live");
	else if (says != TS_UNKNOWN && says != a->always->bytes && s->src.line.replicas < 2)
		snprintf(out, TS_TAB_NOTE, "%s; the tiles say %s",
			ts_fmt_bytes(n, a->always->bytes, live_units(s)),
			ts_fmt_bytes(m, says, live_units(s)));
	else
		snprintf(out, TS_TAB_NOTE, "%s, from %s%s", whose(a, name, sizeof(name)),
			a->always->by_tile ? "tile_always_live" : "variable",
			live_has_replicas(s) ? ", as recorded" : "");
}

static void
draw_total(struct ts_canvas *c, const struct always_tab *a)
{
	struct ts_rect at = ts_held_list_below(&a->l, a->body, a->total);
	char n[TS_FMT_MAX], m[TS_FMT_MAX], name[LIVE_SOURCE];
	int x;

	ts_canvas_fill(c, at, TS_ROLE_TOTAL, ' ');
	x = ts_canvas_printf(c, at, 0, 0, TS_ROLE_TOTAL, "%s in %s variable%s",
		ts_fmt_bytes(n, a->always->bytes, live_units(a->s)),
		ts_fmt_count(m, a->always->count), a->always->count == 1 ? "" : "s");
	if (live_has_replicas(a->s))
		x = ts_canvas_printf(c, at, x, 0, TS_ROLE_TOTAL, ", %s",
			whose(a, name, sizeof(name)));
	if (a->l.order.filtered)
		ts_canvas_printf(c, at, x, 0, TS_ROLE_TOTAL, "; %s of %s match",
			ts_fmt_bytes(n, (int64_t)a->l.order.sum[C_BYTES], live_units(a->s)),
			ts_fmt_count(m, a->l.list.count));
	else if (a->always->rows < a->always->count)
		ts_canvas_printf(c, at, x, 0, TS_ROLE_TOTAL, ", largest %s listed",
			ts_fmt_count(n, a->always->rows));
}

static void
always_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct always_tab *a = t->own;

	(void)focus;
	forget_other_source(a);
	if (!ts_pane_has(&a->pane) || !a->always) {
		ts_pane_draw(c, t->r, t->view->env, &a->pane);
		return;
	}
	always_begin(a, t);
	ts_held_list_draw(&a->l, c, a->body);
	draw_total(c, a);
}

static enum ts_effect
always_command(struct ts_tab *t, const struct ts_call *call)
{
	struct always_tab *a = t->own;
	int64_t row;

	always_begin(a, t);
	row = a->always ? ts_held_list_row(&a->l) : -1;
	if (call->cmd == TS_CMD_TICK && row >= 0 && a->always->row[row].variable >= 0) {
		struct ts_what_if_change x = {.of = TS_WHAT_IF_VARIABLE,
			.id = a->always->row[row].variable};
		const char *name = ts_always_name(a->always, (int)row);

		ts_what_if_name(&x, name, strlen(name));
		return ts_what_if_tick(t->view, &x);
	}
	return ts_held_list_command(&a->l, t, call);
}

static enum ts_effect
always_mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct always_tab *a = t->own;

	(void)x;
	always_begin(a, t);
	return ts_held_list_mouse(&a->l, a->body, y, wheel);
}

static bool
always_about(const struct ts_tab *t, struct ts_debug_about *out)
{
	const struct always_tab *a = t->own;
	int64_t row = a->always ? ts_held_list_row(&a->l) : -1;

	if (row < 0 || a->always->row[row].variable < 0)
		return false;
	*out = (struct ts_debug_about){.relation = TS_VARIABLE,
		.key = a->always->row[row].variable,
		.what = "variable"};
	return true;
}

static struct ts_list *
always_list(struct ts_tab *t, bool *there)
{
	struct always_tab *a = t->own;

	*there = ts_pane_has(&a->pane) && !a->sent;
	return &a->l.list;
}

/* Those of the source stay while groups are added. */
static bool
always_some(const struct ts_tab *t)
{
	const struct always_tab *a = t->own;

	return ts_pane_has(&a->pane) && a->data == a->s->data;
}

static void
always_explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct always_tab *a = t->own;

	if (a->always)
		live_explain_always(a->s, out, a->always, ts_held_list_row(&a->l));
}

static const struct ts_hint hints[] = {
	{TS_CMD_TICK, "what if"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_COLUMNS, "columns"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops live_tab_always = {
	.name = "always",
	.title = "Always live",
	.brief = "Always",
	.hints = hints,
	.explain = always_explain,
	.open = always_open,
	.close = always_close,
	.drop = always_drop,
	.absent = always_absent,
	.note = always_note,
	.resize = always_resize,
	.request = live_ask_always,
	.ahead = always_ahead,
	.deliver = always_deliver,
	.draw = always_draw,
	.command = always_command,
	.mouse = always_mouse,
	.about = always_about,
	.list = always_list,
	.some = always_some,
	.sheet = live_tab_sheet,
};
