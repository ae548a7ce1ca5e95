/* SPDX-License-Identifier: MIT */
/*
 * what_if_tab - the tab "what-if": the peaks of the device, of the worst tile and of each IPU, before and after, and
 * what each change came to.
 *
 * One table: peaks of the device, of the worst tile and of the IPUs, then, under a line of their own, the changes. `tick` on
 * a change goes on to the next of removed, halved, in 4, nothing; `open` on a peak goes to where it is afterwards.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/report/target.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/live_heat.h"
#include "tilescope/view/sheet.h"
#include "tilescope/view/what_if.h"

enum { KIND_ANSWER };
enum {
	DEVICE_ROW,
	WORST_ROW,
	PEAK_ROWS,
	LABEL = TS_WHAT_IF_TEXT + 48,
	BYTES_WIDE = 15,
	PATH_LIMIT = 1 << 14
};

enum { C_HOW, C_WHAT, C_BEFORE, C_BEFORE_AT, C_AFTER, C_AFTER_AT, C_LESS, C_SHARE, COLUMNS };

struct tab {
	struct ts_pane_data pane;
	struct ts_fetch *asking;
	uint64_t asked, answered; /* versions of the changes */
	bool any;		  /* something was asked for */
	struct ts_what_if *w;	  /* the newest answer; or NULL */
	int64_t limit;		  /* bytes of a tile, or TS_UNKNOWN */
	struct ts_list list;
	char label[TS_WHAT_IF_CHANGES][LABEL]; /* of the changes */
	struct ts_column column[COLUMNS];      /* as wide as the units need it */
};

struct answer {
	struct ts_fetch f;
	struct ts_what_if_changes changes;
	uint64_t version;
	const struct ts_cache *cache;
	char *rules; /* file of the user's groups; or NULL */
	struct ts_what_if *w;
	int64_t limit;
};

static struct tab *
tab_of(const struct ts_tab *t)
{
	return t->own;
}

static const struct ts_what_if_changes *
changes_of(const struct ts_tab *t)
{
	return &t->view->env->selection->what_if;
}

/* --- asking ----------------------------------------------------------------------------------- */

static enum ts_code
read_answer(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct answer *a = (struct answer *)f;
	struct ts_groups *groups = NULL;
	struct ts_target target;
	enum ts_code code = ts_target_of(&target, rd, err);

	a->limit = code ? TS_UNKNOWN : target.bytes_per_tile;
	if (!code)
		code = ts_groups_open(&groups, a->rules, err);
	if (!code)
		code = ts_what_if_read(&a->w, rd, NULL, &a->changes, groups, a->cache,
			&f->job.progress, err);
	ts_groups_close(groups);
	return code;
}

static void
fini_answer(struct ts_fetch *f)
{
	struct answer *a = (struct answer *)f;

	ts_what_if_free(a->w);
	free(a->rules);
}

/* The caller's; NULL: the rules that are part of the program. */
static char *
rules_file(const struct ts_view_env *env)
{
	struct ts_strbuf path;

	if (!env->rules)
		return NULL;
	ts_strbuf_init(&path, PATH_LIMIT);
	ts_strbuf_printf(&path, "%s/groups.rules", env->rules);
	return ts_strbuf_take(&path);
}

static void
request(struct ts_tab *t)
{
	struct tab *s = tab_of(t);
	struct ts_view_env *env = t->view->env;
	struct answer *a;

	env->wanted |= 1u << TS_SECTION_TILE_LIVES;
	if ((s->any && s->asked == changes_of(t)->version) || env->looking ||
		s->pane.state == TS_PANE_ABSENT ||
		ts_view_waits(env, TS_SECTION_TILE_LIVES, TS_LOWERED_VARIABLE))
		return;
	a = ts_alloc(1, sizeof(*a));
	if (!a)
		return;
	a->f.read = read_answer;
	a->f.fini = fini_answer;
	a->changes = *changes_of(t);
	a->version = a->changes.version;
	a->cache = env->cache;
	a->rules = rules_file(env);
	s->any = true;
	s->asked = a->version;
	s->asking = &a->f;
	s->pane.state = s->w ? TS_PANE_STALE : TS_PANE_LOADING;
	ts_fetch_send(t->view, &a->f, t->kind + KIND_ANSWER, TS_WORKER_BULK, "working out what if");
}

/* What the changes are called, once for each answer. */
static void
make_labels(struct tab *s)
{
	for (int i = 0; s->w && i < s->w->changes.count; i++) {
		const struct ts_what_if_change *x = &s->w->changes.item[i];

		snprintf(s->label[i], sizeof(s->label[i]), "%s%s",
			x->of == TS_WHAT_IF_LOWERED ? "piece " : "", x->text);
	}
}

/* Rows of peaks; behind them are a line and the changes, if there are any. */
static int
peak_rows(const struct tab *s)
{
	return PEAK_ROWS + (s->w->ipus > 1 ? s->w->ipus : 0);
}

static int
row_count(const struct tab *s)
{
	if (!s->w)
		return 0;
	return peak_rows(s) + (s->w->changes.count > 0 ? 1 + s->w->changes.count : 0);
}

static enum ts_effect
deliver(struct ts_tab *t, struct ts_fetch *f)
{
	struct tab *s = tab_of(t);
	struct answer *a = (struct answer *)f;

	if (f != s->asking)
		return TS_EFFECT_NONE;
	s->asking = NULL;
	if (ts_fetch_in_vain(f, t->view->env->generation)) {
		s->pane.state = s->w ? TS_PANE_STALE : TS_PANE_FAILED;
		snprintf(s->pane.reason, sizeof(s->pane.reason), "stopped");
		return TS_EFFECT_REPAINT;
	}
	ts_pane_result(&s->pane, f->code, &f->err, a->w != NULL);
	if (f->code == TS_E_USAGE || f->code == TS_E_LIMIT)
		ts_view_say_error(t->view->env, "what if: %.150s", f->err.msg);
	ts_what_if_free(s->w);
	s->w = a->w;
	s->limit = a->limit;
	s->answered = a->version;
	a->w = NULL;
	make_labels(s);
	ts_list_set_count(&s->list, row_count(s));
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* --- the table -------------------------------------------------------------------------------- */

static const struct ts_column columns[COLUMNS] = {
	[C_HOW] = {"", 7, 8, 0, 0, TS_FIELD_LEFT},
	[C_WHAT] = {"peak live bytes", 16, 60, 3, 0, TS_FIELD_TAIL},
	[C_BEFORE] = {"before", 8, 11, 0, 0, TS_FIELD_RIGHT},
	[C_BEFORE_AT] = {"where", 21, 24, 1, 3, TS_FIELD_ELLIPSIS},
	[C_AFTER] = {"after", 8, 11, 0, 0, TS_FIELD_RIGHT},
	[C_AFTER_AT] = {"where then", 21, 24, 1, 1, TS_FIELD_ELLIPSIS},
	[C_LESS] = {"less", 8, 11, 0, 2, TS_FIELD_RIGHT},
	[C_SHARE] = {"", 6, 6, 0, 2, TS_FIELD_RIGHT},
};

static const struct ts_column_facts facts[COLUMNS] = {
	[C_HOW] = {.name = "change"},
	[C_WHAT] = {.name = "what"},
	[C_BEFORE] = {.name = "before", .unit = "bytes"},
	[C_BEFORE_AT] = {.name = "where"},
	[C_AFTER] = {.name = "after", .unit = "bytes"},
	[C_AFTER_AT] = {.name = "where then"},
	[C_LESS] = {.name = "less", .unit = "bytes"},
	[C_SHARE] = {.name = "share", .unit = "%"},
};

/* The change of a row, or -1. */
static int
change_at(const struct tab *s, int64_t row)
{
	int first = s->w ? peak_rows(s) + 1 : 0;

	return s->w && row >= first && row < first + s->w->changes.count ? (int)row - first : -1;
}

/* The peaks of a row; NULL: it is a change, or the line above the changes. */
static const struct ts_what_if_pair *
pair_at(const struct tab *s, int64_t row)
{
	if (row == DEVICE_ROW)
		return &s->w->device;
	if (row == WORST_ROW)
		return &s->w->worst;
	return row >= PEAK_ROWS && row < peak_rows(s) ? &s->w->ipu[row - PEAK_ROWS] : NULL;
}

static bool
is_line(const struct tab *s, int64_t row)
{
	return row == peak_rows(s);
}

/* Texts are of the tab, or in `buf`. */
static const char *
what_text(const struct tab *s, int64_t row, char *buf, size_t size)
{
	const struct ts_what_if_pair *pair = pair_at(s, row);
	int change = change_at(s, row);

	if (change >= 0)
		return s->label[change];
	if (row == DEVICE_ROW)
		return s->w->times > 1 ? "device, all replicas" : "device";
	if (row == WORST_ROW)
		return "worst tile";
	if (pair->ipu == TS_UNKNOWN)
		return "tiles of no known ipu";
	snprintf(buf, size, "ipu %lld", (long long)pair->ipu);
	return buf;
}

static void
where_text(const struct ts_what_if_peak *p, char *out, size_t size)
{
	char tile[32] = "", step[40] = "never";

	if (p->tile != TS_UNKNOWN)
		snprintf(tile, sizeof(tile), "tile %lld ", (long long)p->tile);
	if (p->step != TS_UNKNOWN)
		snprintf(step, sizeof(step), "step %lld", (long long)p->step);
	snprintf(out, size, "%s%s", tile, step);
}

/* Bytes of a row before and after, and whole bytes for its share. */
static void
bytes_at(const struct tab *s, int64_t row, int64_t *before, int64_t *after)
{
	const struct ts_what_if_pair *pair = pair_at(s, row);
	int change = change_at(s, row);

	*before = pair ? pair->before.bytes : s->w->sum[change].bytes;
	*after = pair ? pair->after.bytes : *before - s->w->sum[change].less;
}

static void
pieces_text(const struct tab *s, int change, char *out, size_t size)
{
	char count[TS_FMT_MAX];
	int64_t n = s->w->sum[change].variables;

	snprintf(out, size, "%s piece%s", ts_fmt_count(count, n), n == 1 ? "" : "s");
}

/* Titles of the columns, for the changes. */
static const char *
line_text(int column)
{
	static const char *const titles[COLUMNS] = {[C_HOW] = "change",
		[C_WHAT] = "of",
		[C_BEFORE] = "bytes",
		[C_BEFORE_AT] = "pieces",
		[C_AFTER] = "left",
		[C_LESS] = "less"};

	return titles[column] ? titles[column] : "";
}

static bool
cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	const struct ts_tab *t = ctx;
	const struct tab *s = tab_of(t);
	enum ts_units units = t->view->env->options->units;
	const struct ts_what_if_pair *pair;
	int64_t before, after;
	char how[32];

	if (!s->w || row >= row_count(s))
		return false;
	if (is_line(s, row)) {
		out->s = line_text(column);
		out->role = TS_ROLE_HEADER;
		return true;
	}
	pair = pair_at(s, row);
	bytes_at(s, row, &before, &after);
	out->s = out->buf;
	out->buf[0] = '\0';
	switch (column) {
	case C_HOW:
		if (!pair)
			ts_what_if_how_text(how, &s->w->changes.item[change_at(s, row)], false);
		snprintf(out->buf, sizeof(out->buf), "%s", pair ? "" : how);
		break;
	case C_WHAT:
		out->s = what_text(s, row, out->buf, sizeof(out->buf));
		out->role = pair ? TS_ROLE_LABEL : TS_ROLE_TEXT;
		break;
	case C_BEFORE:
		ts_fmt_bytes(out->buf, before, units);
		break;
	case C_BEFORE_AT:
		if (pair)
			where_text(&pair->before, out->buf, sizeof(out->buf));
		else
			pieces_text(s, change_at(s, row), out->buf, sizeof(out->buf));
		out->role = TS_ROLE_DIM;
		break;
	case C_AFTER:
		ts_fmt_bytes(out->buf, after, units);
		out->role = after < before ? TS_ROLE_GOOD : TS_ROLE_TEXT;
		break;
	case C_AFTER_AT:
		if (pair)
			where_text(&pair->after, out->buf, sizeof(out->buf));
		else if (s->w->sum[change_at(s, row)].variables == 0)
			snprintf(out->buf, sizeof(out->buf), "nothing is called so");
		out->role = TS_ROLE_DIM;
		break;
	case C_LESS:
		if (after < before)
			ts_fmt_bytes(out->buf, before - after, units);
		break;
	default:
		if (after < before)
			ts_fmt_percent(out->buf, (double)(before - after), (double)before);
		break;
	}
	return true;
}

static bool
value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct ts_tab *t = ctx;
	const struct tab *s = tab_of(t);
	struct ts_table_cell text = {.n = (size_t)-1};
	int64_t before, after;

	if (!s->w || row < 0 || row >= row_count(s))
		return false;
	if (is_line(s, row)) {
		ts_table_value_text(out, line_text(column));
		return true;
	}
	bytes_at(s, row, &before, &after);
	if (column == C_BEFORE || column == C_AFTER || column == C_LESS) {
		ts_table_value_integer(out,
			column == C_BEFORE	    ? before
				: column == C_AFTER ? after
						    : before - after);
	} else if (column == C_SHARE) {
		if (before > 0)
			ts_table_value_real(out, 100. * (double)(before - after) / (double)before);
	} else if (cell(ctx, row, column, &text)) {
		if (text.s == text.buf)
			memcpy(out->buf, text.buf, sizeof(out->buf));
		ts_table_value_text(out,
			text.s == text.buf ? out->buf : text.s + strspn(text.s, " "));
	}
	return true;
}

static struct ts_table
table_of(struct ts_tab *t, bool focus)
{
	struct tab *s = tab_of(t);
	enum ts_units units = t->view->env->options->units;

	memcpy(s->column, columns, sizeof(columns));
	if (units == TS_UNITS_BYTES)
		s->column[C_BEFORE].min = s->column[C_AFTER].min = s->column[C_LESS].min =
			BYTES_WIDE;
	return (struct ts_table){.column = s->column,
		.columns = COLUMNS,
		.cell = cell,
		.ctx = t,
		.header = true,
		.focus = focus,
		.sorted = -1,
		.id = "what-if",
		.facts = facts,
		.value = value,
		.looks = t->view->env->looks,
		.units = units};
}

/* Rows of its rectangle that are not the table's: what the figures are, what is left of the fullest tile. */
static struct ts_rect
table_rect(const struct ts_tab *t, struct ts_rect *said)
{
	struct ts_rect r = t->r;

	*said = ts_rect_cut_bottom(&r, r.h > PEAK_ROWS + 2 ? 1 : 0);
	return r;
}

static void
resize(struct ts_tab *t)
{
	struct ts_table table = table_of(t, false);
	struct ts_rect said;

	ts_list_resize(&tab_of(t)->list, ts_table_rows(&table, table_rect(t, &said)));
}

/* --- drawing ---------------------------------------------------------------------------------- */

static void
draw_said(struct ts_tab *t, struct ts_canvas *c, struct ts_rect r)
{
	const struct tab *s = tab_of(t);
	char a[TS_FMT_MAX], b[TS_FMT_MAX];
	enum ts_units units = t->view->env->options->units;

	if (s->w->changes.count == 0)
		ts_canvas_text(c, r, 1, 0, TS_ROLE_NOTE,
			"nothing is changed yet: x on a variable, or :whatif halve NAMES");
	else if (s->w->recorded != TS_UNKNOWN && s->w->recorded != s->w->derived)
		ts_canvas_printf(c, r, 1, 0, TS_ROLE_NOTE,
			"from intervals: not always live at the peak %s, recorded %s",
			ts_fmt_bytes(a, s->w->derived, units),
			ts_fmt_bytes(b, s->w->recorded, units));
	else
		ts_canvas_text(c, r, 1, 0, TS_ROLE_NOTE,
			"exact for live bytes; gaps and overlaps of the allocator are not "
			"predicted");
}

static void
draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct tab *s = tab_of(t);
	struct ts_table table = table_of(t, focus);
	struct ts_rect said, r = table_rect(t, &said);

	if (!s->w) {
		ts_pane_draw(c, t->r, t->view->env, &s->pane);
		return;
	}
	ts_table_draw(c, r, &table, &s->list);
	draw_said(t, c, said);
}

static void
note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct tab *s = tab_of(t);
	int64_t done, total;

	if (s->asking) {
		done = atomic_load(&s->asking->job.progress.done);
		total = atomic_load(&s->asking->job.progress.total);
		if (total > 0)
			snprintf(out, TS_TAB_NOTE, "being worked out, %d%%",
				(int)(100. * (double)done / (double)total));
		else
			snprintf(out, TS_TAB_NOTE, "being worked out");
	} else if (s->w && s->limit > 0) {
		char a[TS_FMT_MAX];

		snprintf(out, TS_TAB_NOTE, "fullest tile then: %s of its memory live",
			ts_fmt_percent(a, (double)s->w->worst.after.bytes, (double)s->limit));
	}
}

/* --- commands --------------------------------------------------------------------------------- */

static enum ts_effect
go_there(struct ts_tab *t)
{
	struct tab *s = tab_of(t);
	const struct ts_what_if_pair *pair = s->w ? pair_at(s, s->list.cursor) : NULL;
	struct ts_selection *selection = t->view->env->selection;

	if (!pair || pair->after.step == TS_UNKNOWN)
		return TS_EFFECT_BELL;
	selection->live_step = pair->after.step;
	if (pair->after.tile != TS_UNKNOWN)
		selection->tile = pair->after.tile;
	if (t->view->ops->shown)
		t->view->ops->shown(t->view);
	ts_view_say(t->view->env, "liveness step %lld%s", (long long)pair->after.step,
		pair->after.tile != TS_UNKNOWN ? " and the tile are selected" : "");
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC | TS_EFFECT_SELECT);
}

static enum ts_effect
tick(struct ts_tab *t)
{
	struct tab *s = tab_of(t);
	int i = change_at(s, s->list.cursor);
	struct ts_what_if_change x;

	if (i < 0) {
		ts_view_say(t->view->env,
			"on a change: the next of removed, halved, in 4, as it is");
		return TS_EFFECT_BELL;
	}
	x = s->w->changes.item[i];
	return ts_what_if_tick(t->view, &x);
}

static enum ts_effect
command(struct ts_tab *t, const struct ts_call *call)
{
	if (call->cmd == TS_CMD_OPEN)
		return go_there(t);
	if (call->cmd == TS_CMD_TICK)
		return tick(t);
	if (call->cmd == TS_CMD_MARKS_CLEAR && changes_of(t)->count > 0) {
		ts_what_if_clear(&t->view->env->selection->what_if);
		return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
	}
	return ts_list_command(&tab_of(t)->list, call->cmd);
}

static enum ts_effect
mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct ts_table table = table_of(t, false);
	struct ts_rect said, r = table_rect(t, &said);

	(void)x;
	return ts_list_mouse(&tab_of(t)->list, ts_table_line(&table, r, y), wheel);
}

static bool
sheet(struct ts_tab *t, struct ts_sheet *out)
{
	struct tab *s = tab_of(t);

	snprintf(out->title, sizeof(out->title), "What if");
	out->table = table_of(t, false);
	out->list = &s->list;
	out->rows = row_count(s);
	out->wait = s->asking ? "it is being worked out" : NULL;
	return s->w != NULL;
}

static void
explain_peak(struct ts_explain *out, const struct ts_tab *t, const struct ts_what_if_pair *pair,
	const char *of)
{
	enum ts_units units = t->view->env->options->units;
	struct ts_explained *x = ts_explain_add(out, "peak of %s, as it is", of);

	ts_explain_bytes(x, pair->before.bytes, units);
	if (pair->before.tile != TS_UNKNOWN && pair->before.step != TS_UNKNOWN) {
		ts_live_explain(x, t->view->env->report, pair->before.tile, pair->before.step);
	} else {
		ts_explain_from(x, TS_KNOWN_DERIVED,
			"tile_memory, lowered_variable, class_interval");
		ts_explain_note(x,
			"the most over all steps of what is alive on its tiles, with what is always "
			"live: no query goes over all steps");
	}
	x = ts_explain_add(out, "peak of %s, with the changes", of);
	ts_explain_bytes(x, pair->after.bytes, units);
	ts_explain_from(x, TS_KNOWN_DERIVED, "tile_memory, lowered_variable, class_interval");
	ts_explain_formula(x, "%lld - %lld = %lld bytes", (long long)pair->before.bytes,
		(long long)(pair->before.bytes - pair->after.bytes), (long long)pair->after.bytes);
	ts_explain_note(x,
		"worked out over all tiles and steps with the changed sizes, which no query knows; exact "
		"for live bytes, gaps and overlaps of the allocator are not predicted");
}

static void
explain_change(struct ts_explain *out, const struct ts_tab *t, int i)
{
	const struct tab *s = tab_of(t);
	const struct ts_what_if_sum *sum = &s->w->sum[i];
	struct ts_explained *x;
	char how[32];

	ts_what_if_how_text(how, &s->w->changes.item[i], false);
	x = ts_explain_add(out, "%s %s: less", how, s->label[i]);

	ts_explain_bytes(x, sum->less, t->view->env->options->units);
	ts_explain_from(x, TS_KNOWN_DERIVED, "lowered_variable.bytes");
	ts_explain_formula(x, "%lld pieces with %lld bytes would have %lld",
		(long long)sum->variables, (long long)sum->bytes,
		(long long)(sum->bytes - sum->less));
	ts_explain_note(x,
		"sizes are divided piece by piece and rounded up; where several changes "
		"name a variable the last one counts");
}

static void
explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct tab *s = tab_of(t);
	int i = change_at(s, s->list.cursor);
	char name[64];

	if (!s->w)
		return;
	if (i >= 0)
		explain_change(out, t, i);
	else if (!is_line(s, s->list.cursor))
		explain_peak(out, t, pair_at(s, s->list.cursor),
			what_text(s, s->list.cursor, name, sizeof(name)));
}

/* --- life ------------------------------------------------------------------------------------- */

static void
drop(struct ts_tab *t)
{
	struct tab *s = tab_of(t);

	ts_what_if_free(s->w);
	s->w = NULL;
	s->asking = NULL;
	s->any = false;
	s->pane.state = TS_PANE_EMPTY;
	ts_list_set_count(&s->list, 0);
}

static bool
open_tab(struct ts_tab *t)
{
	struct tab *s = ts_alloc(1, sizeof(*s));

	if (!s)
		return false;
	t->own = s;
	s->limit = TS_UNKNOWN;
	s->pane.absent = TS_ABSENT_TILE_LIVES;
	ts_list_init(&s->list);
	return true;
}

static void
close_tab(struct ts_tab *t)
{
	if (!t->own)
		return;
	drop(t);
	free(t->own);
	t->own = NULL;
}

static bool
absent(const struct ts_tab *t)
{
	const struct ts_report *r = t->view->env->report;

	return r && !ts_tile_lives_can(r);
}

static struct ts_list *
list(struct ts_tab *t, bool *there)
{
	struct tab *s = tab_of(t);

	*there = s->w != NULL;
	return &s->list;
}

static const struct ts_hint hints[] = {
	{TS_CMD_TICK, "other change"},
	{TS_CMD_MARKS_CLEAR, "clear"},
	{TS_CMD_OPEN, "go there"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops ts_tab_what_if = {
	.name = "what-if",
	.title = "What-if",
	.open = open_tab,
	.close = close_tab,
	.drop = drop,
	.absent = absent,
	.note = note,
	.resize = resize,
	.request = request,
	.deliver = deliver,
	.draw = draw,
	.command = command,
	.mouse = mouse,
	.list = list,
	.sheet = sheet,
	.explain = explain,
	.hints = hints,
};
