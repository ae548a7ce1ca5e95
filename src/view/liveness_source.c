/* SPDX-License-Identifier: MIT */
/*
 * liveness_source - whose figures the Liveness view shows, and the steps that are marked.
 *
 * The source is one of: the device, an IPU, a tile, the tiles that are selected. Bytes of one replica, of the device and of a
 * part of it are never mixed: live_scaled(), live_base() and live_memory() are the only way from
 * the timeline to what is shown.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/target.h"
#include "tilescope/view/help.h"

#include "liveness_internal.h"

/* --- figures ---------------------------------------------------------------------------------- */

int64_t
live_scaled(const struct liveness *s, int64_t bytes)
{
	return s->one_replica ? bytes : ts_liveness_device(&s->src.line, bytes);
}

bool
live_has_replicas(const struct liveness *s)
{
	return s->shown.where == TS_LIVE_ALL && s->src.line.replicas > 1;
}

static bool
by_replica(const struct liveness *s)
{
	return s->one_replica && live_has_replicas(s);
}

bool
live_always_of_device(const struct liveness *s, int64_t bytes)
{
	int64_t device = s->src.line.always_live, replica = s->src.always_replica;

	if (device == TS_UNKNOWN)
		return true;
	if (replica == TS_UNKNOWN)
		replica = device / s->src.line.replicas;
	return llabs(bytes - device) <= llabs(bytes - replica);
}

int64_t
live_always_scaled(const struct liveness *s, int64_t sum, int64_t bytes)
{
	bool of_device = live_always_of_device(s, sum);

	if (!live_has_replicas(s) || of_device == !s->one_replica)
		return bytes;
	return of_device ? bytes / s->src.line.replicas : ts_liveness_device(&s->src.line, bytes);
}

int64_t
live_base(const struct liveness *s)
{
	return by_replica(s) ? s->src.always_replica : s->src.line.always_live;
}

int64_t
live_memory(const struct liveness *s)
{
	return by_replica(s) ? s->src.memory_replica : s->src.line.memory;
}

const char *
live_source_name(char *out, size_t size, const struct liveness *s,
	const struct ts_live_source *source)
{
	const char *text = source == &s->shown ? s->shown_text : s->source_text;
	char n[TS_FMT_MAX];
	int64_t tiles;

	switch (source->where) {
	case TS_LIVE_IPU:
		snprintf(out, size, "ipu %lld", (long long)source->number);
		break;
	case TS_LIVE_TILE:
		if (source->number == LIVE_FULLEST)
			snprintf(out, size, "the fullest tile");
		else
			snprintf(out, size, "tile %s", ts_fmt_number(n, source->number));
		break;
	case TS_LIVE_SET:
		tiles = ts_tile_set_count(&source->set);
		snprintf(out, size, "%s tile%s%s%.60s", ts_fmt_count(n, tiles),
			tiles == 1 ? "" : "s", text[0] ? ": " : "", text);
		break;
	default:
		if (s->src.line.replicas > 1)
			snprintf(out, size,
				s->one_replica ? "one replica of %s" : "device of %s replicas",
				ts_fmt_count(n, s->src.line.replicas));
		else
			snprintf(out, size, "all tiles");
	}
	return out;
}

/* --- the source ------------------------------------------------------------------------------- */

void
live_set_source(struct liveness *s, struct ts_live_source *source, const char *text)
{
	snprintf(s->source_text, sizeof(s->source_text), "%s", text ? text : "");
	if (ts_live_source_same(&s->source, source)) {
		if (ts_live_source_same(&s->shown, source))
			memcpy(s->shown_text, s->source_text, sizeof(s->shown_text));
		ts_live_source_fini(source);
		return;
	}
	ts_live_source_fini(&s->source);
	s->source = *source;
	*source = (struct ts_live_source){.where = TS_LIVE_ALL};
	s->line_wanted = true;
	s->lives_wanted = s->labels_wanted = s->checks_wanted = false;
	if (ts_pane_has(&s->graph))
		s->graph.state = TS_PANE_STALE;
	else
		s->graph.state = TS_PANE_LOADING;
}

static void
set_number(struct liveness *s, enum ts_live_where where, int64_t number)
{
	struct ts_live_source source = {.where = where, .number = number};

	s->follow = s->asked_tiles = false;
	live_set_source(s, &source, NULL);
}

/* The tiles that all views have selected; false: none are. */
static bool
set_selected(struct liveness *s)
{
	const struct ts_selected_tiles *t = &s->v.env->selection->tiles;
	struct ts_live_source from = {.where = TS_LIVE_SET, .set = t->set}, source;

	s->tiles_version = t->version;
	if (t->count == 0 || !ts_live_source_copy(&source, &from))
		return false;
	s->follow = true;
	live_set_source(s, &source, t->text);
	return true;
}

/* An expression as a source selects its tiles for all views, which is said. */
void
live_follow_selection(struct liveness *s)
{
	const struct ts_selected_tiles *t = &s->v.env->selection->tiles;
	char name[LIVE_SOURCE];

	if (s->asked_tiles && s->v.env->tiles_asked.state == TS_TILES_WRONG)
		s->follow = s->asked_tiles = false;
	if (!s->follow || t->version == s->tiles_version)
		return;
	if (!set_selected(s))
		set_number(s, TS_LIVE_ALL, 0);
	else if (s->asked_tiles)
		ts_view_say(s->v.env, "source: %s, selected in all views",
			live_source_name(name, sizeof(name), s, &s->source));
	s->asked_tiles = false;
}

/* A number, and behind it perhaps that its highest step is wanted. */
static bool
number_of(const char *text, int64_t *out, bool *peak)
{
	char *end;

	*out = strtoll(text, &end, 10);
	*peak = strcmp(end, " peak") == 0;
	return end != text && (*end == '\0' || *peak) && *out >= 0 && *out <= TS_NUMBER_MAX;
}

/* false: the report, or what is selected, has none of that kind. */
static bool
set_kind(struct liveness *s, enum ts_live_where where)
{
	const struct ts_selection *sel = s->v.env->selection;
	bool tile = ts_tile_lives_can(s->v.env->report);

	if (where == TS_LIVE_SET)
		return tile && set_selected(s);
	if (where == TS_LIVE_TILE && !tile)
		return false;
	if (where == TS_LIVE_IPU && !tile && !ts_report_has(s->v.env->report, TS_LIVENESS_STEP_IPU))
		return false;
	set_number(s, where,
		where == TS_LIVE_TILE	       ? ts_max_i64(LIVE_FULLEST, sel->tile)
			: where == TS_LIVE_IPU ? ts_max_i64(0, sel->ipu)
					       : 0);
	return true;
}

/* What key and command do next: what was selected comes before an IPU and a tile that nobody may have chosen. */
static void
next_source(struct liveness *s)
{
	static const enum ts_live_where order[] = {TS_LIVE_ALL, TS_LIVE_SET, TS_LIVE_IPU,
		TS_LIVE_TILE};
	size_t at = 0;

	while (order[at] != s->source.where)
		at++;
	do
		at = (at + 1) % TS_COUNT(order);
	while (!set_kind(s, order[at]));
}

static enum ts_effect
say_source(struct liveness *s)
{
	char name[LIVE_SOURCE];

	ts_view_say(s->v.env, "source: %s", live_source_name(name, sizeof(name), s, &s->source));
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* Of the step under the cursor what its source is of, and what the tab with the keys says. */
void
live_object(struct ts_view *v, struct ts_at_cursor *out)
{
	struct liveness *s = (struct liveness *)v;
	struct ts_at_cursor of_tab;

	out->live_step = live_step(s);
	out->program = live_program(s);
	out->tile = s->shown.where == TS_LIVE_TILE ? s->shown.number : v->env->selection->tile;
	if (s->shown.where == TS_LIVE_IPU)
		out->ipu = s->shown.number;
	if (s->focus != LIVE_TABS)
		return;
	ts_tabs_object(&s->tabs, &of_tab);
	ts_at_cursor_add(out, &of_tab);
}

/* `source [all | ipu N [peak] | [tile] N [peak] | selected | EXPRESSION]` */
enum ts_effect
live_source_command(struct liveness *s, const struct ts_call *call)
{
	static const struct {
		const char *word;
		enum ts_live_where where;
	} kinds[] = {{"ipu ", TS_LIVE_IPU}, {"tile ", TS_LIVE_TILE}, {"", TS_LIVE_TILE}};
	const char *text = ts_call_arg(call, 0);
	int64_t number;

	if (!text) {
		next_source(s);
		return say_source(s);
	}
	for (size_t i = 0; i < TS_COUNT(kinds); i++) {
		size_t n = strlen(kinds[i].word);

		if (strncmp(text, kinds[i].word, n) == 0 &&
			number_of(text + n, &number, &s->to_peak)) {
			set_number(s, kinds[i].where, number);
			if (kinds[i].where == TS_LIVE_TILE)
				s->v.env->selection->tile = number;
			if (s->to_peak && !s->line_wanted) { /* it is here already */
				s->to_peak = false;
				live_go_peak(s);
			}
			return say_source(s);
		}
	}
	if (strcmp(text, "all") == 0) {
		set_number(s, TS_LIVE_ALL, 0);
		return say_source(s);
	}
	if (strcmp(text, "selected") == 0) {
		if (set_selected(s))
			return say_source(s);
		ts_view_say_error(s->v.env,
			"no tiles are selected: :tiles EXPRESSION, or m and v in Memory");
		return TS_EFFECT_BELL;
	}
	s->follow = s->asked_tiles =
		true; /* as soon as a worker has found out which tiles these are */
	s->tiles_version = s->v.env->selection->tiles.version;
	ts_view_ask_tiles(s->v.env, text, false);
	return TS_EFFECT_REPAINT;
}

/* The next IPU, or the one before; from elsewhere the one of the selection. */
enum ts_effect
live_source_ipu(struct liveness *s, const struct ts_call *call)
{
	int64_t ipu = s->source.where == TS_LIVE_IPU
		? s->source.number + (call->cmd == TS_CMD_IPU_NEXT ? 1 : -1)
		: s->v.env->selection->ipu;
	int64_t most = s->src.ipus == TS_UNKNOWN ? TS_NUMBER_MAX : s->src.ipus - 1;

	if (s->source.where == TS_LIVE_IPU && (ipu < 0 || ipu > most)) {
		set_number(s, TS_LIVE_ALL, 0);
		return say_source(s);
	}
	set_number(s, TS_LIVE_IPU, ipu < 0 || ipu > most ? 0 : ipu);
	s->v.env->selection->ipu = s->source.number;
	return say_source(s);
}

enum ts_effect
live_replica_command(struct liveness *s, const struct ts_call *call)
{
	(void)call;
	if (s->shown.where != TS_LIVE_ALL) {
		ts_view_say(s->v.env,
			"an IPU or a tile belongs to one replica: there is nothing "
			"to switch");
		return TS_EFFECT_BELL;
	}
	if (s->src.line.replicas < 2) {
		ts_view_say(s->v.env, "there is one replica, or it is not recorded how many");
		return TS_EFFECT_BELL;
	}
	s->one_replica = !s->one_replica;
	live_lay_out(s);
	ts_view_say(s->v.env,
		s->one_replica ? "figures of one replica" : "figures of the device: all replicas");
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* --- marks ------------------------------------------------------------------------------------ */

bool
live_add_mark(struct liveness *s, int64_t step)
{
	int at = 0;

	while (at < s->marks && s->mark[at] < step)
		at++;
	if (at < s->marks && s->mark[at] == step)
		return true;
	if (s->marks == TS_ALIVE_MARKS)
		return false;
	memmove(s->mark + at + 1, s->mark + at, (size_t)(s->marks - at) * sizeof(*s->mark));
	s->mark[at] = step;
	s->marks++;
	return true;
}

enum ts_effect
live_mark(struct liveness *s, const struct ts_call *call)
{
	int64_t step = live_step(s);

	(void)call;
	if (s->src.line.count == 0)
		return TS_EFFECT_BELL;
	for (int i = 0; i < s->marks; i++) {
		if (s->mark[i] != step)
			continue;
		memmove(s->mark + i, s->mark + i + 1,
			(size_t)(s->marks - i - 1) * sizeof(*s->mark));
		s->marks--;
		if (s->marks == 0)
			s->only = TS_ALIVE_EVERY;
		return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
	}
	if (!live_add_mark(s, step)) {
		ts_view_say_error(s->v.env, "%d steps are marked: there is room for no more",
			TS_ALIVE_MARKS);
		return TS_EFFECT_BELL;
	}
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/*
 * The begin of a range, then its end: of steps in the graph, whichever pane has the keys (rows have none). What is marked is
 * said, for in the pane below the graph one looks elsewhere.
 */
enum ts_effect
live_mark_range(struct liveness *s, const struct ts_call *call)
{
	enum ts_effect effect = live_mark(s, call);
	char keys[TS_KEYS_TEXT], zoom[TS_KEYS_TEXT + 24] = "", n[TS_FMT_MAX], m[TS_FMT_MAX];

	if (effect & TS_EFFECT_BELL)
		return effect;
	if (*ts_help_key(keys, s->v.env, TS_CONTEXT_CHART, TS_CMD_ZOOM_SELECTION))
		snprintf(zoom, sizeof(zoom), " (%s: zoom there)", keys);
	if (s->marks > 1)
		ts_view_say(s->v.env, "steps %s to %s are marked in the graph%s",
			ts_fmt_count(n, s->mark[0]), ts_fmt_count(m, s->mark[s->marks - 1]), zoom);
	else if (s->marks == 1)
		ts_view_say(s->v.env,
			"step %s is marked in the graph: the same key at another step marks the end",
			ts_fmt_count(n, s->mark[0]));
	else
		ts_view_say(s->v.env, "no step is marked any more");
	return effect;
}

enum ts_effect
live_clear_marks(struct liveness *s, const struct ts_call *call)
{
	bool hits = live_forget_hits(s);

	(void)call;
	if (s->marks == 0 && s->group < 0)
		return hits
			? TS_EFFECT_REPAINT
			: TS_EFFECT_UNKNOWN; /* selected tiles, marked variables: the program's */
	s->marks = 0;
	s->group = -1;
	s->only = TS_ALIVE_EVERY;
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

int64_t
live_valley(const struct liveness *s, size_t point)
{
	const struct ts_liveness *l = &s->src.line;
	size_t lowest = point;
	int64_t rise; /* by which it has to go up again behind a valley */

	if (l->peaks.count == 0)
		return TS_UNKNOWN;
	rise = (int64_t)(TS_PEAK_SHARE * (double)l->peaks.peak[0].height);
	for (size_t i = point; i-- > 0 && l->bytes[i] <= l->bytes[point];) {
		if (l->bytes[i] < l->bytes[lowest])
			lowest = i;
		else if (l->bytes[i] - l->bytes[lowest] > rise)
			break;
	}
	return lowest == point ? TS_UNKNOWN : l->step[lowest];
}
