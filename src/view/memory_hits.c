/* SPDX-License-Identifier: MIT */
/*
 * memory_hits - a search in the graph or the map of Memory: tiles with a variable that has a word in its name.
 *
 * The tiles are those of using() (report/tile_world.h), found by a worker once for a word. The overview strip marks
 * them, the next hit is the next tile along the axis. They are not selected: what is selected stays what it is.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/tile_world.h"

struct hits_fetch {
	struct ts_fetch fetch;
	char text[TS_TILE_SET_TEXT];
	const struct ts_cache *cache;
	struct ts_tiles_named named;
};

static enum ts_code
read_hits(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct hits_fetch *h = (struct hits_fetch *)f;

	return ts_tiles_named(&h->named, h->text, NULL, rd, h->cache, &f->job.progress, err);
}

static void
fini_hits(struct ts_fetch *f)
{
	ts_tiles_named_fini(&((struct hits_fetch *)f)->named);
}

/* --- which tiles ------------------------------------------------------------------------------ */

/* using("word"), with a backslash before what would end it. */
static void
using_text(const char *word, char out[TS_TILE_SET_TEXT])
{
	struct ts_strbuf b;

	ts_strbuf_init(&b, TS_TILE_SET_TEXT - 1);
	ts_strbuf_puts(&b, "using(\"");
	for (const char *c = word; *c; c++)
		ts_strbuf_printf(&b, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
	ts_strbuf_puts(&b, "\")");
	snprintf(out, TS_TILE_SET_TEXT, "%s", b.s);
	ts_strbuf_fini(&b);
}

static enum ts_effect
ask(struct memory_view *m, int step, bool from_here)
{
	struct ts_view_env *env = m->view.env;
	struct hits_fetch *f = ts_alloc(1, sizeof(*f));
	bool quick = ts_index_sections(env->index) & ts_section_bit(TS_SECTION_COLUMNS);

	memory_hits_drop(m);
	if (!f) {
		ts_view_say_error(env, "out of memory");
		return TS_EFFECT_BELL;
	}
	using_text(m->search, f->text);
	f->cache = env->cache;
	f->fetch.read = read_hits;
	f->fetch.fini = fini_hits;
	ts_view_wants_name_tiles(env);
	snprintf(m->hits.word, sizeof(m->hits.word), "%s", m->search);
	m->hits.sent = &f->fetch;
	m->hits.step = step;
	m->hits.from_here = from_here;
	m->hits.cursor = m->span.cursor;
	ts_view_say(env, "looking for tiles with a variable \"%.60s\"", m->search);
	ts_fetch_send(&m->view, &f->fetch, FETCH_HITS, quick ? TS_WORKER_SCREEN : TS_WORKER_BULK,
		"looking for tiles");
	return TS_EFFECT_REPAINT;
}

bool
memory_is_hit_at(const struct memory_view *m, int64_t position)
{
	int64_t place = memory_place_at(m, position);

	return m->hits.count > 0 && ts_tile_set_has(&m->hits.set, m->tiles->tiles.tile[place].tile);
}

bool
memory_hits_are_of(const struct memory_view *m)
{
	return m->hits.count > 0 && strcmp(m->hits.word, m->search) == 0;
}

/* --- from one to the next --------------------------------------------------------------------- */

static enum ts_effect
go(struct memory_view *m, int step, bool from_here)
{
	int64_t n = m->tiles->n, at = -1, before = 0;
	char number[TS_FMT_MAX], count[TS_FMT_MAX];

	for (int64_t i = from_here ? 0 : 1; i <= n && at < 0; i++) {
		int64_t position = ((m->span.cursor + step * i) % n + n) % n;

		at = memory_is_hit_at(m, position) ? position : -1;
	}
	if (at < 0) {
		ts_view_say_error(m->view.env, "no variable of any tile has \"%.60s\" in its name",
			m->hits.word);
		return TS_EFFECT_BELL;
	}
	for (int64_t i = 0; i < at; i++)
		before += memory_is_hit_at(m, i);
	ts_view_say(m->view.env, "hit %s of %s tile%s with a variable \"%.60s\"",
		ts_fmt_count(number, before + 1), ts_fmt_count(count, m->hits.count),
		m->hits.count == 1 ? "" : "s", m->hits.word);
	if (at == m->span.cursor)
		memory_show_hit(m); /* its variables are there; of another tile: when they come */
	return memory_go(m, memory_place_at(m, at));
}

enum ts_effect
memory_find_tile(struct memory_view *m, int step, bool from_here)
{
	struct memory_hits *h = &m->hits;

	if (!m->search[0]) {
		ts_view_say_error(m->view.env, "nothing was searched for");
		return TS_EFFECT_BELL;
	}
	if (strcmp(h->word, m->search) != 0 || (!h->made && !h->sent))
		return ask(m, step, from_here);
	if (h->made)
		return go(m, step, from_here);
	h->step = step;
	h->from_here = from_here;
	h->cursor = m->span.cursor;
	return TS_EFFECT_REPAINT;
}

/* Is the user still where the word was searched for? */
static bool
is_waited_for(const struct memory_view *m)
{
	return !m->view.env->behind && m->focus == PANE_GRAPH && m->span.cursor == m->hits.cursor &&
		strcmp(m->hits.word, m->search) == 0;
}

enum ts_effect
memory_take_hits(struct memory_view *m, struct ts_fetch *fetch)
{
	struct hits_fetch *f = (struct hits_fetch *)fetch;
	struct memory_hits *h = &m->hits;

	if (fetch != h->sent)
		return TS_EFFECT_NONE;
	h->sent = NULL;
	if (ts_fetch_in_vain(fetch, m->view.env->generation))
		return TS_EFFECT_NONE;
	if (fetch->code) {
		ts_view_say_error(m->view.env, "%s", fetch->err.msg);
		return TS_EFFECT_BELL;
	}
	if (!m->tiles)
		return TS_EFFECT_NONE;
	h->set = f->named.set;
	f->named.set = (struct ts_tile_set){0};
	h->made = true;
	h->version++;
	for (int64_t i = 0; i < m->tiles->n; i++)
		h->count += ts_tile_set_has(&h->set, m->tiles->tiles.tile[i].tile);
	if (!is_waited_for(m))
		return TS_EFFECT_REPAINT; /* the strip marks them all the same */
	return (enum ts_effect)(go(m, h->step, h->from_here) | TS_EFFECT_REPAINT);
}

void
memory_hits_drop(struct memory_view *m)
{
	uint64_t version = m->hits.version + 1;

	if (m->hits.sent)
		ts_cancel_set(&m->hits.sent->job.cancel);
	ts_tile_set_fini(&m->hits.set);
	m->hits = (struct memory_hits){.version = version};
}
