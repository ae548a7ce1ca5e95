/* SPDX-License-Identifier: MIT */
/* tile_world - see the header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/pattern.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/name_pass.h"
#include "tilescope/report/tile_ipus.h"
#include "tilescope/report/tile_world.h"

struct world {
	struct ts_reader *rd;
	const struct ts_cache *cache;
	struct ts_progress *progress;
	struct ts_tiles tiles;
	struct ts_target target;
	struct ts_tile_ipus ipus;
	struct ts_tile_set there;
	int64_t *used;
	struct ts_tile_world w;
};

/* --- using("...") ----------------------------------------------------------------------------- */

struct users {
	struct ts_tile_set *out;
	struct ts_matcher *matcher;
	struct ts_signature needs;
};

static int
is_named(void *ctx, const char *name, size_t n, size_t same)
{
	return ts_pattern_matches_next(((const struct users *)ctx)->matcher, name, n, same) ==
			TS_MATCH_YES
		? 0
		: TS_NAME_GROUP_NONE;
}

static bool
may_be_named(void *ctx, const struct ts_signature *names)
{
	return ts_signature_may_have(names, &((const struct users *)ctx)->needs);
}

static bool
take_row(void *ctx, int64_t tile, int64_t bytes, int group)
{
	(void)bytes;
	if (group == 0 && tile != TS_UNKNOWN)
		ts_tile_set_add(((const struct users *)ctx)->out, tile, tile + 1);
	return true;
}

static enum ts_code
mark_users(struct world *w, struct users *u, struct users *other, struct ts_err *err)
{
	const struct ts_name_asker asker = {.group = is_named,
		.may = may_be_named,
		.row = take_row,
		.named_alone = true,
		.tiles_alone = true,
		.ctx = u,
		.other = other};
	struct ts_name_pass *pass;
	bool end;
	enum ts_code code = ts_name_pass_new(&pass, w->rd->report, w->cache, err);

	if (!code)
		code = ts_name_pass_read(pass, &end, w->rd, &asker, 0, w->progress, err);
	ts_name_pass_free(pass);
	return code;
}

/* A text is the pattern of nothing but itself. */
static void
quote(struct ts_strbuf *out, const char *name, bool pattern)
{
	for (; *name; name++) {
		if (!pattern && strchr("\\^$.[]|()?*+{}#", *name))
			ts_strbuf_putc(out, '\\');
		ts_strbuf_putc(out, *name);
	}
}

/* Two ask, where that is quicker: each with a matcher and a set of its own. */
static enum ts_code
match_users(struct world *w, struct ts_tile_set *out, const struct ts_pattern *pattern,
	struct ts_err *err)
{
	struct ts_tile_set more = {0};
	struct users u = {.out = out}, other = {.out = &more};
	enum ts_code code = ts_matcher_new(&u.matcher, pattern, err);
	size_t size;
	const char *word = ts_pattern_needs(pattern, &size);

	ts_signature_add(&u.needs, word, size, 0);
	if (!code)
		code = ts_matcher_new(&other.matcher, pattern, err);
	if (!code && !ts_tile_set_init(&more, out->tiles))
		code = ts_err_nomem(err);
	if (!code)
		code = mark_users(w, &u, &other, err);
	if (!code &&
		ts_matcher_given_up(u.matcher) + ts_matcher_given_up(other.matcher) >=
			TS_PATTERN_PATIENCE)
		code = ts_pattern_costly_err(pattern, err);
	for (int64_t t = 0; !code && (t = ts_tile_set_next(&more, t)) >= 0; t++)
		ts_tile_set_add(out, t, t + 1);
	ts_tile_set_fini(&more);
	ts_matcher_free(u.matcher);
	ts_matcher_free(other.matcher);
	return code;
}

static enum ts_code
add_users(void *ctx, struct ts_tile_set *out, const char *name, bool is_pattern, struct ts_err *err)
{
	struct ts_pattern *pattern = NULL;
	struct ts_strbuf text;
	enum ts_code code;

	ts_strbuf_init(&text, 2 * TS_TILE_SET_TEXT);
	quote(&text, name, is_pattern);
	code = text.nomem ? ts_err_nomem(err)
			  : ts_pattern_compile(&pattern, text.s,
				    is_pattern ? TS_PATTERN_SMART : TS_PATTERN_NOCASE, NULL, err);
	ts_strbuf_fini(&text);
	if (!code)
		code = match_users(ctx, out, pattern, err);
	ts_pattern_free(pattern);
	return code;
}

/* --- the report's tiles ----------------------------------------------------------------------- */

/* Tiles have numbers below this. */
static int64_t
tiles_of(const struct world *w)
{
	int64_t n = 0, per = w->target.tiles_per_ipu, ipus = w->target.ipus;

	for (size_t i = 0; i < w->tiles.count; i++)
		if (w->tiles.tile[i].tile < TS_TILES_MAX)
			n = w->tiles.tile[i].tile + 1; /* they are in order */
	if (w->tiles.count == 0 && per > 0 && ipus > 0 && per <= TS_TILES_MAX / ipus)
		n = per * ipus;
	return n;
}

static enum ts_code
take_tiles(struct world *w, struct ts_err *err)
{
	int64_t n = tiles_of(w);

	if (n == 0)
		return ts_err_set(err, TS_E_USAGE,
			"what tiles there are is not recorded: neither their memory nor the target is");
	w->used = ts_alloc((size_t)n + 1, sizeof(*w->used));
	if (!w->used || !ts_tile_set_init(&w->there, n))
		return ts_err_nomem(err);
	for (int64_t i = 0; i < n; i++)
		w->used[i] = TS_UNKNOWN;
	for (size_t i = 0; i < w->tiles.count; i++) {
		const struct ts_tile *t = &w->tiles.tile[i];

		if (t->tile >= n)
			break;
		w->used[t->tile] = ts_tile_used(t);
		ts_tile_set_add(&w->there, t->tile, t->tile + 1);
	}
	w->w.tiles = n;
	w->w.there = w->tiles.count > 0 ? &w->there : NULL;
	w->w.used = w->tiles.count > 0 ? w->used : NULL;
	return TS_OK;
}

static int64_t
ipu_of(void *ctx, int64_t tile)
{
	return ts_tile_ipus_find(&((struct world *)ctx)->ipus, tile);
}

static enum ts_code
open_world(struct world *w, struct ts_err *err)
{
	enum ts_code code = ts_tiles_read(&w->tiles, w->rd, err);

	if (code && code != TS_E_ABSENT && code != TS_E_DAMAGED)
		return code;
	code = ts_target_of(&w->target, w->rd, err);
	if (!code)
		code = take_tiles(w, err);
	if (!code)
		code = ts_tile_ipus_of(&w->ipus, &w->tiles, &w->target, w->rd, err);
	w->w.ipu_of = ipu_of;
	w->w.limit = w->target.bytes_per_tile > 0 ? w->target.bytes_per_tile : TS_UNKNOWN;
	if (ts_report_has(w->rd->report, TS_LOWERED_VARIABLE))
		w->w.using = add_users;
	w->w.ctx = w;
	return code;
}

/* What the screen says of the set. */
static void
sum_up(struct ts_tiles_named *out, const struct world *w)
{
	int64_t best = TS_UNKNOWN;

	out->count = ts_tile_set_count(&out->set);
	out->fullest = ts_tile_set_next(&out->set, 0);
	for (int64_t t = out->fullest; t >= 0; t = ts_tile_set_next(&out->set, t + 1)) {
		int64_t used = w->w.used ? w->w.used[t] : TS_UNKNOWN,
			sum = ts_max_i64(out->bytes, 0);

		if (used > best) {
			best = used;
			out->fullest = t;
		}
		if (used != TS_UNKNOWN && ts_add_i64(&sum, used))
			out->bytes = sum;
	}
}

enum ts_code
ts_tiles_named(struct ts_tiles_named *out, const char *text, const struct ts_tile_set *selected,
	struct ts_reader *rd, const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err)
{
	struct world w = {.rd = rd, .cache = cache, .progress = progress};
	enum ts_code code;

	*out = (struct ts_tiles_named){.bytes = TS_UNKNOWN, .fullest = -1};
	code = open_world(&w, err);
	w.w.selected = selected;
	if (!code)
		code = ts_tile_set_parse(&out->set, text, &w.w, err);
	if (!code)
		sum_up(out, &w);
	if (!code && w.w.used) {
		out->used = w.used;
		w.used = NULL;
	}
	ts_tile_set_fini(&w.there);
	free(w.used);
	ts_tiles_fini(&w.tiles);
	ts_tile_ipus_fini(&w.ipus);
	return code;
}

void
ts_tiles_named_fini(struct ts_tiles_named *n)
{
	ts_tile_set_fini(&n->set);
	free(n->used);
	n->used = NULL;
}
