/* SPDX-License-Identifier: MIT */
/*
 * what_if_tab - the tab "what-if": the peaks of the device, of the worst tile and of each IPU, before and after, and
 * what each change came to.
 *
 * One table: peaks of the device, of the worst of the selected tiles, of the tile with most live bytes, of the fullest one, of
 * those that come next and of those that lose most, of the IPUs; then the changes. `tick` on
 * a change goes on to the next of removed, halved, in 4, nothing; `open` on a peak goes to where it is afterwards.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/report/target.h"
#include "tilescope/view/sheet.h"

#include "what_if_tab_internal.h"

enum { KIND_ANSWER, KIND_HELP };

struct answer {
	struct ts_fetch f;
	struct ts_what_if_changes changes;
	uint64_t version, tiles; /* of the changes, of the selected tiles */
	const struct ts_cache *cache;
	char *rules;		    /* file of the user's groups; or NULL */
	struct ts_what_if_run *run; /* held; or NULL */
	struct ts_what_if *w;
	bool group[TS_WHAT_IF_CHANGES];
	int64_t limit, ipu_limit, device_limit; /* of struct what_if_tab */
};

/* To be worked out by two workers, where the other one has nothing else to do. */
struct helper {
	struct ts_fetch f;
	struct ts_what_if_run *run; /* held */
};

static struct what_if_tab *
tab_of(const struct ts_tab *t)
{
	return t->own;
}

static const struct ts_what_if_changes *
changes_of(const struct ts_tab *t)
{
	return &t->view->env->selection->what_if;
}

/* The row of the tab that is under the cursor; -1 = none. */
static int64_t
row_of(const struct what_if_tab *s)
{
	return s->w ? ts_held_list_row(&s->l) : -1;
}

/* --- asking ----------------------------------------------------------------------------------- */

/* TS_UNKNOWN where one of them is, or where it is more than a number holds. */
static int64_t
times(int64_t each, int64_t count)
{
	int64_t all;

	if (each < 0 || count < 0 || __builtin_mul_overflow(each, count, &all))
		return TS_UNKNOWN;
	return all;
}

static enum ts_code
read_answer(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct answer *a = (struct answer *)f;
	struct ts_groups *groups = NULL;
	struct ts_target target;
	enum ts_code code = ts_target_of(&target, rd, err);

	a->limit = code ? TS_UNKNOWN : target.bytes_per_tile;
	a->ipu_limit = code ? TS_UNKNOWN : times(a->limit, target.tiles_per_ipu);
	a->device_limit = code ? TS_UNKNOWN : times(a->ipu_limit, target.ipus);
	if (!code)
		code = ts_groups_open(&groups, a->rules, err);
	if (!code)
		code = ts_what_if_lead(&a->w, a->run, rd, &a->changes, groups, a->cache,
			&f->job.progress, err);
	for (int i = 0; groups && i < a->changes.count; i++)
		a->group[i] = ts_groups_find(groups, a->changes.item[i].text) >= 0;
	ts_groups_close(groups);
	return code;
}

static enum ts_code
read_help(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	return ts_what_if_help(((struct helper *)f)->run, rd, &f->job.progress, err);
}

static void
fini_help(struct ts_fetch *f)
{
	ts_what_if_run_close(((struct helper *)f)->run);
}

/* Nothing depends on it: without memory there is no help. */
static void
ask_help(struct ts_tab *t, struct ts_what_if_run *run)
{
	struct helper *h = run ? ts_alloc(1, sizeof(*h)) : NULL;

	if (!h)
		return;
	h->f.read = read_help;
	h->f.fini = fini_help;
	h->run = ts_what_if_run_hold(run);
	ts_fetch_send(t->view, &h->f, t->kind + KIND_HELP, TS_WORKER_BULK, "working out what if");
}

static void
fini_answer(struct ts_fetch *f)
{
	struct answer *a = (struct answer *)f;

	ts_what_if_free(a->w);
	ts_what_if_run_close(a->run);
	free(a->rules);
}

static void
request(struct ts_tab *t)
{
	struct what_if_tab *s = tab_of(t);
	struct ts_view_env *env = t->view->env;
	const struct ts_selected_tiles *tiles = &env->selection->tiles;
	struct answer *a;

	env->wanted |= ts_section_bit(TS_SECTION_TILE_LIVES);
	if ((s->any && s->asked == changes_of(t)->version && s->asked_tiles == tiles->version) ||
		env->looking || s->pane.state == TS_PANE_ABSENT ||
		ts_view_waits(env, TS_SECTION_TILE_LIVES, TS_LOWERED_VARIABLE))
		return;
	a = ts_alloc(1, sizeof(*a));
	if (!a)
		return;
	a->f.read = read_answer;
	a->f.fini = fini_answer;
	a->changes = *changes_of(t);
	a->version = a->changes.version;
	a->tiles = tiles->version;
	a->cache = env->cache;
	a->rules = ts_what_if_rules(env);
	a->run = ts_what_if_run_new(&a->changes, env->cache);
	if (tiles->count > 0 && a->run && !ts_what_if_run_select(a->run, &tiles->set)) {
		ts_fetch_free(&a->f);
		return;
	}
	s->any = true;
	s->asked = a->version;
	s->asked_tiles = tiles->version;
	s->asking = &a->f;
	s->pane.state = s->w ? TS_PANE_STALE : TS_PANE_LOADING;
	ts_fetch_send(t->view, &a->f, t->kind + KIND_ANSWER, TS_WORKER_BULK, "working out what if");
	if (a->changes.count > 0 &&
		ts_tile_lives_quick(env->index)) /* else one works it out alone */
		ask_help(t, a->run);
}

/* Of a tile: it may be any of those that the answer tells. */
static const struct ts_what_if_pair *
pair_of_tile(const struct ts_what_if *w, int64_t tile)
{
	const struct ts_what_if_pair *const told[] = {&w->fullest, &w->worst, &w->next_tile,
		&w->selected};

	for (size_t i = 0; i < TS_COUNT(told); i++)
		if (told[i]->after.tile == tile)
			return told[i];
	for (int i = 0; i < w->touches; i++)
		if (w->touched[i].after.tile == tile)
			return &w->touched[i];
	return NULL;
}

const struct ts_what_if_pair *
what_if_pair_of(const struct what_if_tab *s, const struct ts_live_source *of)
{
	const struct ts_what_if *w = s->w;

	if (of->where == TS_LIVE_ALL)
		return &w->device;
	if (of->where == TS_LIVE_TILE)
		return pair_of_tile(w, of->number);
	for (int i = 0; of->where == TS_LIVE_IPU && i < w->ipus; i++)
		if (w->ipu[i].ipu == of->number)
			return &w->ipu[i];
	return NULL;
}

enum ts_what_if_known
ts_what_if_after(const struct ts_tab *t, const struct ts_live_source *of,
	struct ts_what_if_peak *out)
{
	const struct what_if_tab *s = tab_of(t);
	const struct ts_what_if_pair *pair;

	if (!s->w || s->w->changes.count == 0 || s->w->changes.version != changes_of(t)->version)
		return TS_WHAT_IF_NONE;
	pair = what_if_pair_of(s, of);
	if (!pair || pair->after.bytes == TS_UNKNOWN)
		return TS_WHAT_IF_OTHERS;
	*out = pair->after;
	return TS_WHAT_IF_PEAK;
}

static void resize(struct ts_tab *t);

/* A pattern that is none, or takes too long: that change is taken back, what is shown stays. */
static bool
refused(struct ts_tab *t, const struct answer *a)
{
	struct ts_what_if_changes *c = &t->view->env->selection->what_if;
	struct what_if_tab *s = tab_of(t);
	int blamed = ts_what_if_run_blamed(a->run);

	if (a->f.code != TS_E_USAGE && a->f.code != TS_E_LIMIT)
		return false;
	if (blamed < 0 || blamed >= c->count || c->version != a->version)
		return false;
	ts_view_say_error(t->view->env, "what if: %.150s", a->f.err.msg);
	ts_what_if_take(c, blamed);
	s->pane.state = s->w ? TS_PANE_STALE : TS_PANE_LOADING;
	return true;
}

static enum ts_effect
deliver(struct ts_tab *t, struct ts_fetch *f)
{
	struct what_if_tab *s = tab_of(t);
	struct answer *a = (struct answer *)f;

	if (f != s->asking)
		return TS_EFFECT_NONE;
	s->asking = NULL;
	if (ts_fetch_in_vain(f, t->view->env->generation)) {
		s->pane.state = s->w ? TS_PANE_STALE : TS_PANE_FAILED;
		snprintf(s->pane.reason, sizeof(s->pane.reason), "stopped");
		return TS_EFFECT_REPAINT;
	}
	if (refused(t, a))
		return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
	ts_pane_result(&s->pane, f->code, &f->err, a->w != NULL);
	ts_what_if_free(s->w);
	s->w = a->w;
	s->answered_tiles = a->tiles;
	s->limit = a->limit;
	s->ipu_limit = a->ipu_limit;
	s->device_limit = a->device_limit;
	memcpy(s->group, a->group, sizeof(s->group));
	a->w = NULL;
	s->l.of++;
	what_if_labels(s);
	resize(t);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* --- drawing ---------------------------------------------------------------------------------- */

enum { TALL = 14, LOW = 8, FLAT = 5, NARROW = 60 }; /* heights of the pane, and a width */

/*
 * Lines above the table: how the fullest tile and the one with most live bytes relate; the last of them says what is
 * changed where the rows do not all fit.
 */
static int
head_lines(const struct ts_tab *t)
{
	const struct what_if_tab *s = tab_of(t);

	if (!s->w || t->r.h < LOW)
		return 0;
	if (s->w->fullest.before.tile == TS_UNKNOWN)
		return s->w->changes.count > 0 && t->r.h < TALL;
	return t->r.h >= TALL ? 2 : 1;
}

/* Lines below it: what the figures are, and what is in none of them. */
static int
foot_lines(const struct ts_tab *t)
{
	const struct what_if_tab *s = tab_of(t);
	int lacking = s->w ? (s->w->unplaced > 0) + (s->w->unknown > 0) : 0;

	return t->r.h <= FLAT ? 0 : t->r.h < LOW ? 1 : 1 + lacking;
}

static struct ts_rect
table_rect(const struct ts_tab *t)
{
	struct ts_rect r = t->r;

	ts_rect_cut_top(&r, head_lines(t));
	ts_rect_cut_bottom(&r, foot_lines(t));
	return r;
}

static void
resize(struct ts_tab *t)
{
	what_if_begin(tab_of(t), t, table_rect(t));
}

/* "halved …/matMul/partials_2: 52 KiB less", "3 changes, the last: halved …". */
static void
draw_change(const struct ts_tab *t, struct ts_canvas *c, struct ts_rect r, int line)
{
	const struct what_if_tab *s = tab_of(t);
	int last = s->w->changes.count - 1, x = 1;
	char how[32], n[TS_FMT_MAX], less[TS_FMT_MAX + 16] = ": nothing is called so";

	if (r.w < NARROW) /* the name is what matters */
		less[0] = '\0';
	else if (s->w->sum[last].variables > 0)
		snprintf(less, sizeof(less), ": %s less",
			ts_fmt_bytes(n, s->w->sum[last].less, t->view->env->options->units));
	ts_what_if_how_text(how, &s->w->changes.item[last], true);
	if (last > 0)
		x = ts_canvas_printf(c, r, x, line, TS_ROLE_TEXT,
			"%d changes, the last: ", last + 1);
	x = ts_canvas_printf(c, r, x, line, TS_ROLE_TEXT, "%s ", how);
	x += ts_canvas_field(c, r, x, line, r.w - x - (int)strlen(less), TS_ROLE_VALUE,
		s->label[last], strlen(s->label[last]), TS_FIELD_TAIL);
	ts_canvas_text(c, r, x, line, TS_ROLE_TEXT, less);
}

/* Of what is allocated, and of what lives: one line, or two. `told`: the last line is of the changes. */
static void
draw_head(const struct ts_tab *t, struct ts_canvas *c, struct ts_rect r, int lines, bool told)
{
	const struct what_if_tab *s = tab_of(t);
	const struct ts_what_if *w = s->w;
	enum ts_units units = t->view->env->options->units;
	long long full = (long long)w->fullest.before.tile, most = (long long)w->worst.before.tile;
	char used[TS_FMT_MAX], limit[TS_FMT_MAX], live[TS_FMT_MAX], of[40] = "", alive[40] = "";
	char over[40] = "", when[40] = "always";

	if (told)
		draw_change(t, c, r, lines - 1);
	if (told && lines == 1)
		return;
	ts_fmt_bytes(used, w->fullest_used, units);
	ts_fmt_bytes(live, w->worst.before.bytes, units);
	if (s->limit > 0)
		snprintf(of, sizeof(of), " of %s", ts_fmt_bytes(limit, s->limit, units));
	if (lines == 1) {
		ts_canvas_printf(c, r, 1, 0, TS_ROLE_TEXT,
			"fullest: tile %lld, %s%s; most live: %s%lld, %s", full, used, of,
			full == most ? "the same " : "tile ", most, live);
		return;
	}
	if (w->fullest.after.tile != TS_UNKNOWN)
		snprintf(alive, sizeof(alive), ", %s live at its peak",
			ts_fmt_bytes(limit, w->fullest.before.bytes, units));
	if (s->limit > 0 && w->fullest_used > s->limit)
		snprintf(over, sizeof(over), ", %s over",
			ts_fmt_bytes(limit, w->fullest_used - s->limit, units));
	ts_canvas_printf(c, r, 1, 0, TS_ROLE_TEXT, "tile %lld is fullest: %s%s allocated%s%s", full,
		used, of, over, alive);
	if (told)
		return;
	if (full == most) {
		ts_canvas_text(c, r, 1, 1, TS_ROLE_TEXT, "it has most live bytes, too");
		return;
	}
	of[0] = '\0';
	if (w->worst_used != TS_UNKNOWN)
		snprintf(of, sizeof(of), "; %s allocated",
			ts_fmt_bytes(used, w->worst_used, units));
	if (w->worst.before.step != TS_UNKNOWN)
		snprintf(when, sizeof(when), "at step %lld", (long long)w->worst.before.step);
	ts_canvas_printf(c, r, 1, 1, TS_ROLE_TEXT, "tile %lld has most live bytes: %s %s%s", most,
		live, when, of);
}

static const char exact[] = "exact for live bytes; gaps and overlaps are not predicted";

static void
draw_foot(const struct ts_tab *t, struct ts_canvas *c, struct ts_rect r)
{
	const struct what_if_tab *s = tab_of(t);
	enum ts_units units = t->view->env->options->units;
	char a[TS_FMT_MAX], b[TS_FMT_MAX];
	int line = 0;

	if (s->w->changes.count == 0)
		ts_canvas_text(c, r, 1, line, TS_ROLE_NOTE,
			"nothing is changed yet: x on a variable, or :whatif halve NAMES");
	else if (s->w->recorded != TS_UNKNOWN && s->w->recorded != s->w->derived)
		ts_canvas_printf(c, r, 1, line, TS_ROLE_NOTE,
			"%s%s: not always live %s, recorded %s",
			r.w > 100 ? exact : "exact for live bytes",
			r.w > 100 ? "; peak of intervals" : " of intervals",
			ts_fmt_bytes(a, s->w->derived, units),
			ts_fmt_bytes(b, s->w->recorded, units));
	else
		ts_canvas_text(c, r, 1, line, TS_ROLE_NOTE, exact);
	if (s->w->unplaced > 0)
		ts_canvas_printf(c, r, 1, ++line, TS_ROLE_WARN,
			"not placed: %s of %s piece%s, alive at no known step (in no peak)",
			ts_fmt_bytes(a, s->w->unplaced_bytes, units),
			ts_fmt_count(b, s->w->unplaced), s->w->unplaced == 1 ? "" : "s");
	if (s->w->unknown > 0)
		ts_canvas_printf(c, r, 1, ++line, TS_ROLE_WARN,
			"not known of %s piece%s: whether a change names them",
			ts_fmt_count(b, s->w->unknown), s->w->unknown == 1 ? "" : "s");
}

static void
draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct what_if_tab *s = tab_of(t);
	struct ts_rect r = t->r, part;
	int head = head_lines(t), foot = foot_lines(t), room;
	bool told;

	(void)focus;
	if (!s->w) {
		ts_pane_draw(c, t->r, t->view->env, &s->pane);
		return;
	}
	resize(t);
	room = ts_table_rows(&s->l.table, table_rect(t));
	told = s->w->changes.count > 0 &&
		(s->w->fullest.before.tile == TS_UNKNOWN || what_if_rows(s) > room);
	part = ts_rect_cut_top(&r, head);
	if (head > 0)
		draw_head(t, c, part, head, told);
	part = ts_rect_cut_bottom(&r, foot);
	if (foot > 0) {
		int64_t rows = room - s->l.list.count;

		part.y -= rows > 1 ? (int)rows - 1 : 0; /* below the last row, and a blank one */
		draw_foot(t, c, part);
	}
	ts_held_list_draw(&s->l, c, r);
}

static void
note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct what_if_tab *s = tab_of(t);
	int64_t done, total;

	if (s->asking) {
		done = atomic_load(&s->asking->job.progress.done);
		total = atomic_load(&s->asking->job.progress.total);
		if (total > 0)
			snprintf(out, TS_TAB_NOTE, "being worked out, %d%%",
				(int)(100. * (double)done / (double)total));
		else
			snprintf(out, TS_TAB_NOTE, "being worked out");
	} else if (s->w && s->w->changes.version != changes_of(t)->version) {
		snprintf(out, TS_TAB_NOTE, "stopped: not of the newest change");
	} else if (s->w && s->answered_tiles != t->view->env->selection->tiles.version) {
		snprintf(out, TS_TAB_NOTE, "stopped: not of the selected tiles");
	} else if (s->w && s->limit > 0) {
		char a[TS_FMT_MAX];

		snprintf(out, TS_TAB_NOTE, "live then: %s of a tile",
			ts_fmt_percent(a, (double)s->w->worst.after.bytes, (double)s->limit));
	}
}

/* --- commands --------------------------------------------------------------------------------- */

/* That step becomes the selection, and the source whose peak it is what is shown. */
static enum ts_effect
go_there(struct ts_tab *t)
{
	struct what_if_tab *s = tab_of(t);
	int64_t row = row_of(s);
	const struct ts_what_if_pair *pair = row >= 0 ? what_if_pair_at(s, row) : NULL;
	struct ts_selection *selection = t->view->env->selection;

	if (!pair || pair->after.step == TS_UNKNOWN)
		return TS_EFFECT_BELL;
	selection->live_step = pair->after.step;
	if (pair->after.tile != TS_UNKNOWN)
		selection->tile = pair->after.tile;
	if (t->view->ops->shown)
		t->view->ops->shown(t->view);
	if (pair->after.tile != TS_UNKNOWN)
		ts_tab_tell_view(t, TS_CMD_SOURCE, "tile %lld", (long long)pair->after.tile);
	else if (what_if_is_of_device(s, row))
		ts_tab_tell_view(t, TS_CMD_SOURCE, "all");
	else if (pair->ipu != TS_UNKNOWN)
		ts_tab_tell_view(t, TS_CMD_SOURCE, "ipu %lld", (long long)pair->ipu);
	ts_view_say(t->view->env, "liveness step %lld%s", (long long)pair->after.step,
		pair->after.tile != TS_UNKNOWN ? " and the tile are selected" : "");
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC | TS_EFFECT_SELECT);
}

/* The cursor to a row, where the list has it. */
static enum ts_effect
go_to_row(struct what_if_tab *s, int64_t row)
{
	for (int64_t place = 0; place < s->l.list.count; place++)
		if (ts_table_row(&s->l.table, place) == row)
			return ts_list_go(&s->l.list, place);
	return TS_EFFECT_NONE;
}

/* The change under the cursor; where there is none the last one, to which the cursor goes then. */
static enum ts_effect
tick(struct ts_tab *t)
{
	struct what_if_tab *s = tab_of(t);
	int i = what_if_change_at(s, row_of(s)), changes = s->w ? s->w->changes.count : 0;
	struct ts_what_if_change x;
	enum ts_effect moved = TS_EFFECT_NONE;

	if (changes == 0) {
		ts_view_say(t->view->env, "nothing is changed yet: x on a variable, or :whatif");
		return TS_EFFECT_BELL;
	}
	if (i < 0) {
		i = changes - 1;
		moved = go_to_row(s, what_if_rows(s) - 1);
	}
	x = s->w->changes.item[i];
	return (enum ts_effect)(moved | ts_what_if_tick(t->view, &x));
}

/* Were the changes taken away by `marks-clear`, and is that the last that was done to them? */
static bool
can_undo(const struct ts_tab *t)
{
	const struct ts_what_if_changes *taken = &tab_of(t)->taken;

	return taken->count > 0 && taken->version == changes_of(t)->version;
}

static enum ts_effect
clear_or_undo(struct ts_tab *t)
{
	struct ts_what_if_changes *c = &t->view->env->selection->what_if;
	struct ts_what_if_changes *taken = &tab_of(t)->taken;
	uint64_t version = c->version + 1;
	bool undo = can_undo(t);
	int count;

	if (undo) {
		*c = *taken;
		c->version = version;
		taken->count = 0;
	} else {
		*taken = *c;
		ts_what_if_clear(c);
		taken->version = c->version;
	}
	count = undo ? c->count : taken->count;
	ts_view_say(t->view->env,
		undo ? "%d change%s again" : "%d change%s taken away; the same key undoes that",
		count, count == 1 ? "" : "s");
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static enum ts_effect
command(struct ts_tab *t, const struct ts_call *call)
{
	if (tab_of(t)->w)
		resize(t);
	if (call->cmd == TS_CMD_OPEN && !ts_call_arg(call, 0))
		return go_there(t);
	if (call->cmd == TS_CMD_TICK)
		return tick(t);
	if (call->cmd == TS_CMD_MARKS_CLEAR && (changes_of(t)->count > 0 || can_undo(t)))
		return clear_or_undo(t);
	return ts_held_list_command(&tab_of(t)->l, t, call);
}

static enum ts_effect
mouse(struct ts_tab *t, int x, int y, int wheel)
{
	(void)x;
	if (!tab_of(t)->w)
		return TS_EFFECT_NONE;
	resize(t);
	return ts_held_list_mouse(&tab_of(t)->l, table_rect(t), y, wheel);
}

static bool
sheet(struct ts_tab *t, struct ts_sheet *out)
{
	struct what_if_tab *s = tab_of(t);

	if (!s->w)
		return false;
	resize(t);
	snprintf(out->title, sizeof(out->title), "What if");
	out->table = s->l.table;
	out->list = &s->l.list;
	out->rows = s->l.order.rows;
	out->in_file = what_if_in_file;
	out->wait = s->asking ? "it is being worked out" : NULL;
	return true;
}

/* --- life ------------------------------------------------------------------------------------- */

static void
drop(struct ts_tab *t)
{
	struct what_if_tab *s = tab_of(t);

	ts_what_if_free(s->w);
	s->w = NULL;
	s->asking = NULL;
	s->any = false;
	s->taken.count = 0;
	s->pane.state = TS_PANE_EMPTY;
	ts_list_set_count(&s->l.list, 0);
	s->l.of++;
}

static bool
open_tab(struct ts_tab *t)
{
	struct what_if_tab *s = ts_alloc(1, sizeof(*s));

	if (!s)
		return false;
	t->own = s;
	s->t = t;
	ts_held_list_init(&s->l, -1);
	s->limit = s->ipu_limit = s->device_limit = TS_UNKNOWN;
	s->pane.absent = TS_ABSENT_TILE_LIVES;
	return true;
}

static void
close_tab(struct ts_tab *t)
{
	if (!t->own)
		return;
	drop(t);
	ts_held_list_fini(&tab_of(t)->l);
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
	struct what_if_tab *s = tab_of(t);

	*there = s->w != NULL;
	return &s->l.list;
}

static const struct ts_hint hints[] = {
	{TS_CMD_TICK, "other change"},
	{TS_CMD_MARKS_CLEAR, "clear"},
	{TS_CMD_OPEN, "go there"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
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
	.explain = what_if_explain,
	.hints = hints,
};
