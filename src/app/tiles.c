/* SPDX-License-Identifier: MIT */
/*
 * tiles - expressions of tiles, for all views: `:tiles`, `:goto worst(3)`, the argument `tiles` of addresses.
 *
 * Whoever wants one worked out leaves it in `env->tiles_asked`. A worker does that (using() is a pass over all
 * variables); the answer becomes the selection, or the place to go to. A newer question replaces an older
 * one. What went wrong is said once, on the bottom line.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/app/app.h"
#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/tile_world.h"
#include "tilescope/view/arg.h"
#include "tilescope/view/fetch.h"

enum { LONG_US = 3000 /* from the key: what tiles they are is shown before what they have */ };

struct tiles_fetch {
	struct ts_fetch fetch;
	char text[TS_TILE_SET_TEXT];
	struct ts_tile_set selected; /* a copy */
	const struct ts_cache *cache;
	struct ts_tiles_named named;
};

static enum ts_code
read_tiles(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct tiles_fetch *tf = (struct tiles_fetch *)f;

	return ts_tiles_named(&tf->named, tf->text, &tf->selected, rd, tf->cache, &f->job.progress,
		err);
}

static void
fini_tiles(struct ts_fetch *f)
{
	struct tiles_fetch *tf = (struct tiles_fetch *)f;

	ts_tile_set_fini(&tf->selected);
	ts_tiles_named_fini(&tf->named);
}

/* Are the names of all variables in the index? Then it takes some milliseconds to ask them. */
static bool
has_columns(const struct ts_app *app)
{
	return ts_index_sections(app->env.index) & ts_section_bit(TS_SECTION_COLUMNS);
}

/* What looks into names goes through all variables. */
static bool
asks_names(const char *text)
{
	return strpbrk(text, "\"/") != NULL;
}

void
ts_app_tiles_turn(struct ts_app *app)
{
	struct ts_tiles_asked *q = &app->env.tiles_asked;
	struct ts_view sender = {.env = &app->env, .id = TS_OWNER_TILES};
	struct tiles_fetch *f;

	if (q->state != TS_TILES_ASKED || !app->env.report)
		return;
	f = ts_alloc(1, sizeof(*f));
	if (!f ||
		!ts_tile_set_copy(&f->selected, &app->selection.tiles.set,
			app->selection.tiles.set.tiles)) {
		free(f);
		q->state = TS_TILES_WRONG;
		ts_view_say_error(&app->env, "out of memory");
		return;
	}
	memcpy(f->text, q->text, sizeof(f->text));
	f->cache = app->env.cache;
	f->fetch.read = read_tiles;
	f->fetch.fini = fini_tiles;
	q->state = TS_TILES_SENT;
	ts_jobs_cancel(app->jobs, TS_OWNER_TILES);
	if (asks_names(q->text))
		ts_view_wants_name_tiles(&app->env);
	ts_fetch_send(&sender, &f->fetch, 0,
		asks_names(q->text) && !has_columns(app) ? TS_WORKER_BULK : TS_WORKER_SCREEN,
		"looking for tiles");
}

static void
say_selected(struct ts_app *app, const struct ts_tiles_named *n)
{
	char count[TS_FMT_MAX], bytes[TS_FMT_MAX];

	if (n->count == 0 && app->selection.tiles.count == 0 &&
		ts_tile_set_asks_selected(app->env.tiles_asked.text))
		ts_view_say(&app->env, "no tiles are selected");
	else if (n->count == 0)
		ts_view_say(&app->env, "no tile is like that: none is selected now");
	else if (n->bytes == TS_UNKNOWN)
		ts_view_say(&app->env, "selected %s tile%s", ts_fmt_count(count, n->count),
			n->count == 1 ? "" : "s");
	else
		ts_view_say(&app->env, "selected %s tile%s, %s", ts_fmt_count(count, n->count),
			n->count == 1 ? "" : "s",
			ts_fmt_bytes(bytes, n->bytes, app->options.units));
}

static enum ts_effect
go_to(struct ts_app *app, int64_t tile)
{
	struct ts_view *v = app->view[app->current];
	char number[TS_FMT_MAX];

	if (tile < 0) {
		ts_view_say_error(&app->env, "no tile is like that");
		return TS_EFFECT_BELL;
	}
	snprintf(number, sizeof(number), "%lld", (long long)tile);
	return v && ts_arg_command(v, TS_CMD_GOTO, number) == TS_ARG_DONE ? TS_EFFECT_REPAINT
									  : TS_EFFECT_BELL;
}

void
ts_app_tiles_take(struct ts_app *app, struct ts_job *job)
{
	struct tiles_fetch *f = (struct tiles_fetch *)job;
	struct ts_tiles_asked *q = &app->env.tiles_asked;
	enum ts_effect effect = TS_EFFECT_REPAINT;

	if (q->state != TS_TILES_SENT || strcmp(q->text, f->text) != 0 || job->dropped ||
		job->generation != app->env.generation) {
		if (q->state == TS_TILES_SENT && job->generation != app->env.generation)
			q->state = TS_TILES_ASKED; /* of the report that is there now */
	} else if (f->fetch.code) {
		q->state = TS_TILES_WRONG;
		ts_view_say_error(&app->env, "%s",
			f->fetch.code == TS_E_CANCELLED ? "cancelled: looking for tiles"
							: f->fetch.err.msg);
		effect = TS_EFFECT_BELL;
	} else {
		q->state = TS_TILES_DONE;
		if (q->go) {
			effect = go_to(app, f->named.fullest);
		} else {
			say_selected(app, &f->named);
			ts_select_tiles(&app->selection, &f->named.set,
				ts_tile_set_asks_selected(f->text) ? NULL : f->text);
			if (ts_clock_us() - app->key_us > LONG_US)
				app->soon_us = ts_clock_us();
		}
	}
	ts_fetch_free(&f->fetch);
	ts_app_effect(app, effect);
}

enum ts_effect
ts_app_tiles_command(struct ts_app *app, const struct ts_call *call)
{
	const char *text = ts_call_arg(call, 0);

	if (ts_app_has_to_choose(app)) {
		ts_view_say_error(&app->env, "choose a report first");
		return TS_EFFECT_BELL;
	}
	if (text && *text) {
		ts_view_ask_tiles(&app->env, text, false);
		return TS_EFFECT_REPAINT;
	}
	ts_view_say(&app->env,
		app->selection.tiles.count > 0 ? "no tiles are selected any more"
					       : "no tiles are selected");
	ts_select_no_tiles(&app->selection);
	return TS_EFFECT_REPAINT;
}

enum ts_effect
ts_app_tiles_clear(struct ts_app *app, const struct ts_call *call)
{
	(void)call;
	if (app->selection.tiles.count == 0)
		return TS_EFFECT_NONE;
	ts_select_no_tiles(&app->selection);
	ts_view_say(&app->env, "no tiles are selected any more");
	return TS_EFFECT_REPAINT;
}
