/* SPDX-License-Identifier: MIT */
/*
 * programs_find - searching in the Programs view: a worker looks at all programs, folded or not; n and N go from one to the
 * next, in the order of their numbers, each by the way of its first use.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/program_find.h"

struct hits_fetch {
	struct ts_fetch f; /* first */
	struct ts_program_query query;
	struct programs_data *data; /* held */
	struct ts_pile hit;
};

static enum ts_code
read_hits(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct hits_fetch *q = (struct hits_fetch *)f;
	const struct ts_program_world w = {.tree = q->data->tree,
		.costs = q->data->costs,
		.names = &q->data->names,
		.below = q->data->below.memory};

	return ts_program_find(&q->hit, &q->query, &w, rd->cancel, err);
}

static void
fini_hits(struct ts_fetch *f)
{
	struct hits_fetch *q = (struct hits_fetch *)f;

	programs_release(q->data);
	ts_pile_fini(&q->hit);
}

void
programs_seek(struct programs_view *s, const char *text, int direction)
{
	struct hits_fetch *q;
	struct ts_err err = {0};

	s->hits = 0;
	s->hit.used = 0;
	s->asked[ASK_HITS] = NULL;
	snprintf(s->sought, sizeof(s->sought), "%s", text ? text : "");
	if (!s->sought[0] || !s->data)
		return;
	q = ts_alloc(1, sizeof(*q));
	if (!q)
		return;
	if (ts_program_query_parse(&q->query, s->sought, &err)) {
		ts_view_say_error(s->base.env, "%s", err.msg);
		s->sought[0] = '\0';
		free(q);
		return;
	}
	q->f.read = read_hits;
	q->f.fini = fini_hits;
	q->data = programs_hold(s->data);
	s->seek = direction;
	s->asked[ASK_HITS] = &q->f;
	ts_fetch_send(&s->base, &q->f, ASK_HITS, TS_WORKER_SCREEN, "searching programs");
}

static const uint32_t *
hit_at(const struct programs_view *s, size_t i)
{
	return (const uint32_t *)s->hit.memory + i;
}

/* Index of the first hit that is not below. */
static size_t
place_of(const struct programs_view *s, uint32_t node)
{
	size_t low = 0, high = s->hits;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*hit_at(s, middle) < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool
programs_is_hit(const struct programs_view *s, uint32_t node)
{
	size_t i = place_of(s, node);

	return i < s->hits && *hit_at(s, i) == node;
}

enum ts_effect
programs_next_hit(struct programs_view *s, int direction)
{
	uint32_t at = programs_at(s);
	char n[TS_FMT_MAX], m[TS_FMT_MAX];
	size_t i;

	if (s->hits == 0) {
		ts_view_say(s->base.env,
			s->asked[ASK_HITS]     ? "searching"
				: s->sought[0] ? "no program has it"
					       : "nothing was searched for");
		return TS_EFFECT_BELL;
	}
	i = at == UINT32_MAX ? 0 : place_of(s, at);
	if (direction > 0)
		i = (i < s->hits && *hit_at(s, i) == at ? i + 1 : i) % s->hits;
	else
		i = (i + s->hits - 1) % s->hits;
	if (!programs_go(s, *hit_at(s, i))) {
		ts_view_say_error(s->base.env,
			"program %lld is not below a root: nothing leads to it",
			(long long)programs_node(s->data, *hit_at(s, i))->program);
		return TS_EFFECT_BELL;
	}
	ts_view_say(s->base.env, "%s of %s programs with %.80s", ts_fmt_count(n, (int64_t)i + 1),
		ts_fmt_count(m, (int64_t)s->hits), s->sought);
	return TS_EFFECT_REPAINT | TS_EFFECT_SELECT | TS_EFFECT_RECALC;
}

bool
programs_take_hits(struct programs_view *s, struct ts_fetch *f)
{
	struct hits_fetch *q = (struct hits_fetch *)f;

	s->asked[ASK_HITS] = NULL;
	if (ts_fetch_in_vain(f, s->base.env->generation) || q->data->tree != s->data->tree)
		return false;
	if (f->code) {
		ts_view_say_error(s->base.env, "%s", f->err.msg);
		return false;
	}
	ts_pile_fini(&s->hit);
	s->hit = q->hit;
	q->hit = (struct ts_pile){0};
	s->hits = s->hit.used / sizeof(uint32_t);
	if (s->seek)
		programs_next_hit(s, s->seek);
	s->seek = 0;
	return true;
}
