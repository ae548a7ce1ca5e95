/* SPDX-License-Identifier: MIT */
/*
 * operations_find - searching in the Operations view, and what is marked there: a worker looks at all rows, folded or not, and
 * adds up the marked operations, each program once.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operations_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

enum { LOOK = 1 << 12, NAME = 1 << 13 };

struct hits_fetch {
	struct ts_fetch f;		/* first */
	struct operations_shape *shape; /* held */
	char needle[OPERATIONS_SOUGHT];
	struct ts_pile hit;
	const struct ts_cache *cache;
};

struct marked_fetch {
	struct ts_fetch f;	   /* first */
	struct ts_operations *ops; /* held */
	uint32_t mark[OPERATIONS_MARKS];
	int marks;
	bool tree;
	const struct ts_cache *cache;
	struct ts_operation_figures sum;
};

/* --- searching ---------------------------------------------------------------------------------------- */

static enum ts_code
read_hits(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct hits_fetch *q = (struct hits_fetch *)f;
	const uint32_t *list = q->shape->list.memory;
	enum ts_code code = TS_OK;
	char *name = ts_alloc(NAME, 1);

	if (!name)
		return ts_err_nomem(err);
	for (size_t i = 0; !code && i < q->shape->shown; i++) {
		size_t n = 0;
		const char *s = operations_name(&n, q->shape, list[i]);

		if (i % LOOK == 0 && ts_cancelled(rd->cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		snprintf(name, NAME, "%.*s", s ? (int)(n < NAME ? n : NAME - 1) : 0, s ? s : "");
		if (!code && ts_contains_nocase(name, q->needle))
			code = ts_pile_add(&q->hit, &list[i], sizeof(*list), q->cache, err);
	}
	free(name);
	return code;
}

static void
fini_hits(struct ts_fetch *f)
{
	struct hits_fetch *q = (struct hits_fetch *)f;

	operations_shape_close(q->shape);
	ts_pile_fini(&q->hit);
}

void
operations_seek(struct operations_view *s, const char *text, int direction)
{
	struct hits_fetch *q;

	s->hits = 0;
	s->hit.used = 0;
	s->asked[ASK_HITS] = NULL;
	s->seek = direction;
	if (text)
		snprintf(s->sought, sizeof(s->sought), "%s", text);
	q = s->sought[0] && s->shape ? ts_alloc(1, sizeof(*q)) : NULL;
	if (!q)
		return;
	q->f.read = read_hits;
	q->f.fini = fini_hits;
	q->cache = s->base.env->cache;
	q->shape = operations_shape_hold(s->shape);
	snprintf(q->needle, sizeof(q->needle), "%s", s->sought);
	s->asked[ASK_HITS] = &q->f;
	ts_fetch_send(&s->base, &q->f, ASK_HITS, TS_WORKER_SCREEN, "searching operations");
}

static uint32_t
hit_at(const struct operations_view *s, size_t i)
{
	return ((const uint32_t *)s->hit.memory)[i];
}

static uint32_t
place_of(const struct operations_view *s, uint32_t row)
{
	return ((const uint32_t *)s->shape->place.memory)[row];
}

/* Index of the first hit that does not stand before this place. */
static size_t
hit_from(const struct operations_view *s, uint32_t place)
{
	size_t low = 0, high = s->hits;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (place_of(s, hit_at(s, middle)) < place)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool
operations_is_hit(const struct operations_view *s, uint32_t row)
{
	size_t i = s->hits > 0 ? hit_from(s, place_of(s, row)) : 0;

	return i < s->hits && hit_at(s, i) == row;
}

static enum ts_effect
go_to_hit(struct operations_view *s, size_t i)
{
	if (!operations_go_row(s, hit_at(s, i)))
		return TS_EFFECT_BELL;
	ts_view_say_hit(s->base.env, (int64_t)i + 1, (int64_t)s->hits, NULL);
	return TS_EFFECT_REPAINT | TS_EFFECT_SELECT | TS_EFFECT_RECALC;
}

/* `here`: the row under the cursor is one, too. */
static enum ts_effect
to_hit(struct operations_view *s, int direction, bool here)
{
	uint32_t at = operations_at(s), place = at == UINT32_MAX ? 0 : place_of(s, at);
	size_t i = hit_from(s, place);
	bool is = i < s->hits && hit_at(s, i) == at;

	if (is && here)
		return go_to_hit(s, i);
	if (direction > 0)
		i = (is ? i + 1 : i) % s->hits;
	else
		i = (i + s->hits - 1) % s->hits;
	return go_to_hit(s, i);
}

enum ts_effect
operations_next_hit(struct operations_view *s, int direction)
{
	if (s->hits > 0)
		return to_hit(s, direction, false);
	if (s->asked[ASK_HITS])
		ts_view_say(s->base.env, "searching");
	else
		ts_view_say_error(s->base.env,
			s->sought[0] ? "no operation has this in its name: %s"
				     : "nothing was searched for%s",
			s->sought);
	return TS_EFFECT_BELL;
}

enum ts_effect
operations_take_hits(struct operations_view *s, struct ts_fetch *f)
{
	struct hits_fetch *q = (struct hits_fetch *)f;
	int seek = s->seek;

	s->asked[ASK_HITS] = NULL;
	s->seek = 0;
	if (ts_fetch_in_vain(f, s->base.env->generation) || q->shape != s->shape)
		return TS_EFFECT_NONE;
	if (f->code) {
		ts_view_say_error(s->base.env, "%s", f->err.msg);
		return TS_EFFECT_REPAINT;
	}
	ts_pile_fini(&s->hit);
	s->hit = q->hit;
	q->hit = (struct ts_pile){0};
	s->hits = s->hit.used / sizeof(uint32_t);
	if (!seek)
		return TS_EFFECT_REPAINT;
	return TS_EFFECT_REPAINT |
		(s->hits > 0 ? to_hit(s, seek, true) : operations_next_hit(s, seek));
}

/* --- marks ---------------------------------------------------------------------------------------------- */

static int
mark_of(const struct operations_view *s, uint32_t node)
{
	for (int i = 0; i < s->marks; i++)
		if (s->mark[i] == node)
			return i;
	return -1;
}

bool
operations_is_marked(const struct operations_view *s, uint32_t row)
{
	return s->marks > 0 && row < s->shape->ids.nodes && mark_of(s, row) >= 0;
}

enum ts_effect
operations_mark(struct operations_view *s)
{
	uint32_t row = operations_at(s);
	int at;

	if (row == UINT32_MAX || row >= s->shape->ids.nodes) {
		ts_view_say_error(s->base.env, "only an operation can be marked");
		return TS_EFFECT_BELL;
	}
	at = mark_of(s, row);
	if (at < 0 && s->marks == OPERATIONS_MARKS) {
		ts_view_say_error(s->base.env, "%d operations are marked: no more fit",
			OPERATIONS_MARKS);
		return TS_EFFECT_BELL;
	}
	if (at >= 0)
		s->mark[at] = s->mark[--s->marks];
	else
		s->mark[s->marks++] = row;
	s->marked_known = false;
	s->asked[ASK_MARKED] = NULL;
	ts_list_command(&s->outline.list, TS_CMD_DOWN);
	return TS_EFFECT_REPAINT;
}

enum ts_effect
operations_marks_clear(struct operations_view *s)
{
	if (s->marks == 0)
		return TS_EFFECT_UNKNOWN; /* then it is the selected tiles' */
	s->marks = 0;
	s->marked_known = false;
	return TS_EFFECT_REPAINT;
}

static enum ts_code
read_marked(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct marked_fetch *q = (struct marked_fetch *)f;

	return ts_operations_sum(&q->sum, q->ops, q->mark, (size_t)q->marks, q->tree, q->cache,
		rd->cancel, err);
}

static void
fini_marked(struct ts_fetch *f)
{
	ts_operations_close(((struct marked_fetch *)f)->ops);
}

void
operations_ask_marked(struct operations_view *s)
{
	struct marked_fetch *q;

	if (s->marks == 0 || s->marked_known || s->asked[ASK_MARKED] || !s->ops)
		return;
	q = ts_alloc(1, sizeof(*q));
	if (!q)
		return;
	q->f.read = read_marked;
	q->f.fini = fini_marked;
	q->cache = s->base.env->cache;
	q->ops = ts_operations_hold(s->ops);
	memcpy(q->mark, s->mark, sizeof(q->mark));
	q->marks = s->marks;
	q->tree = s->wish.tree;
	s->asked[ASK_MARKED] = &q->f;
	ts_fetch_send(&s->base, &q->f, ASK_MARKED, TS_WORKER_SCREEN, "adding up what is marked");
}

enum ts_effect
operations_take_marked(struct operations_view *s, struct ts_fetch *f)
{
	struct marked_fetch *q = (struct marked_fetch *)f;

	s->asked[ASK_MARKED] = NULL;
	if (ts_fetch_in_vain(f, s->base.env->generation) || q->ops != s->ops)
		return TS_EFFECT_NONE;
	s->marked_known = true; /* asked once; */
	if (f->code) {
		ts_view_say_error(s->base.env, "%s", f->err.msg);
		s->marks = 0;
		return TS_EFFECT_REPAINT;
	}
	s->marked = q->sum;
	s->marked_known = q->marks == s->marks && q->tree == s->wish.tree &&
		memcmp(q->mark, s->mark, sizeof(s->mark[0]) * (size_t)s->marks) == 0;
	return TS_EFFECT_REPAINT;
}
