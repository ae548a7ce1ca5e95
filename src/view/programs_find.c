/* SPDX-License-Identifier: MIT */
/*
 * programs_find - searching and filtering in the Programs view: a worker looks at all programs, folded or not. n and N go from
 * one to the next, in the order of their numbers, each by the way of its first use; a filter leaves those that answer and what
 * leads to them.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/program_find.h"
#include "tilescope/report/program_users.h"

struct hits_fetch {
	struct ts_fetch f; /* first */
	struct ts_program_query query;
	struct programs_data *data; /* held */
	struct ts_pile hit;
	const struct ts_cache *cache;
	bool filter;
	bool lowered; /* of ASK_USERS: */
	int64_t variable;
	struct ts_pile keep; /* bits by node */
	struct ts_program_sums sums;
};

static enum ts_code
read_hits(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct hits_fetch *q = (struct hits_fetch *)f;
	const struct ts_program_world w = {.tree = q->data->tree,
		.costs = q->data->costs,
		.names = &q->data->names,
		.below = q->data->below.memory};
	enum ts_code code = ts_program_find(&q->hit, &q->query, &w, rd->cancel, err);
	const uint32_t *hit = q->hit.memory;
	size_t hits = q->hit.used / sizeof(*hit);

	if (code || !q->filter)
		return code;
	ts_program_sums_of(&q->sums, w.tree, w.costs, hit, hits);
	return ts_program_above(&q->keep, w.tree, hit, hits, q->cache, rd->cancel, err);
}

/* Nodes of the programs that name it: both are in the order of their numbers. */
static enum ts_code
read_users(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct hits_fetch *q = (struct hits_fetch *)f;
	struct ts_pile program = {0};
	enum ts_code code = ts_program_users_read(&program, rd, q->lowered, q->variable, q->cache,
		&f->job.progress, err);
	const int64_t *number = program.memory;
	size_t n = program.used / sizeof(*number);
	enum ts_code added = TS_OK;

	for (size_t i = 0; !added && (!code || code == TS_E_DAMAGED) && i < n; i++) {
		uint32_t node = ts_program_tree_find(q->data->tree, number[i]);

		if (node != UINT32_MAX)
			added = ts_pile_add(&q->hit, &node, sizeof(node), q->cache, err);
	}
	ts_pile_fini(&program);
	return added ? added : code;
}

static void
fini_hits(struct ts_fetch *f)
{
	struct hits_fetch *q = (struct hits_fetch *)f;

	programs_release(q->data);
	ts_pile_fini(&q->hit);
	ts_pile_fini(&q->keep);
}

/* A question of either kind; false: the line is wrong, which is said. */
static bool
send_line(struct programs_view *s, const char *line, enum programs_kind kind)
{
	struct hits_fetch *q = ts_alloc(1, sizeof(*q));
	struct ts_err err = {0};

	if (!q)
		return false;
	if (ts_program_query_parse(&q->query, line, &err)) {
		ts_view_say_error(s->base.env, "%s", err.msg);
		free(q);
		return false;
	}
	q->f.read = read_hits;
	q->f.fini = fini_hits;
	q->cache = s->base.env->cache;
	q->filter = kind == ASK_FILTER;
	q->data = programs_hold(s->data);
	s->asked[kind] = &q->f;
	ts_fetch_send(&s->base, &q->f, (int)kind, TS_WORKER_SCREEN,
		q->filter ? "filtering programs" : "searching programs");
	return true;
}

static void
forget_hits(struct programs_view *s)
{
	s->hits = 0;
	s->hit.used = 0;
	s->users = false;
	s->asked[ASK_HITS] = s->asked[ASK_USERS] = NULL;
}

void
programs_seek_users(struct programs_view *s, bool lowered, int64_t variable)
{
	struct hits_fetch *q = ts_alloc(1, sizeof(*q));

	forget_hits(s);
	if (!q)
		return;
	snprintf(s->sought, sizeof(s->sought), "%svariable %" PRId64, lowered ? "lowered " : "",
		variable);
	q->f.read = read_users;
	q->f.fini = fini_hits;
	q->cache = s->base.env->cache;
	q->lowered = lowered;
	q->variable = variable;
	q->data = programs_hold(s->data);
	s->asked[ASK_USERS] = &q->f;
	s->seek = 1;
	s->users = true;
	ts_fetch_send(&s->base, &q->f, ASK_USERS, TS_WORKER_BULK, "looking who names the variable");
}

void
programs_seek(struct programs_view *s, const char *text, int direction)
{
	forget_hits(s);
	snprintf(s->sought, sizeof(s->sought), "%s", text ? text : "");
	if (!s->sought[0] || !s->data)
		return;
	if (send_line(s, s->sought, ASK_HITS))
		s->seek = direction;
	else
		s->sought[0] = '\0';
}

void
programs_filter(struct programs_view *s, const char *text)
{
	s->asked[ASK_FILTER] = NULL;
	if (text && *text && s->data) {
		if (send_line(s, text, ASK_FILTER))
			snprintf(s->filter, sizeof(s->filter), "%s", text);
		return;
	}
	snprintf(s->filter, sizeof(s->filter), "%s", text ? text : "");
	ts_pile_fini(&s->keep);
	if (s->data)
		programs_rows(s);
}

bool
programs_is_kept(const struct programs_view *s, uint32_t node)
{
	const unsigned char *bits = s->keep.memory;

	return !bits || (node < s->data->tree->nodes && (bits[node / 8] >> node % 8 & 1));
}

bool
programs_take_filter(struct programs_view *s, struct ts_fetch *f)
{
	struct hits_fetch *q = (struct hits_fetch *)f;
	char n[TS_FMT_MAX];

	s->asked[ASK_FILTER] = NULL;
	if (ts_fetch_in_vain(f, s->base.env->generation) || q->data->tree != s->data->tree)
		return false;
	if (f->code) {
		ts_view_say_error(s->base.env, "%s", f->err.msg);
		return false;
	}
	ts_pile_fini(&s->keep);
	s->keep = q->keep;
	s->kept_sums = q->sums;
	q->keep = (struct ts_pile){0};
	s->matches = q->hit.used / sizeof(uint32_t);
	programs_rows(s);
	if (s->matches > 0 && !programs_is_kept(s, programs_at(s)))
		programs_go(s, *(const uint32_t *)q->hit.memory);
	ts_view_say(s->base.env, "%s program%s", ts_fmt_count(n, (int64_t)s->matches),
		s->matches == 1 ? "" : "s");
	return true;
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
	enum ts_effect effect;
	size_t i;

	if (s->hits == 0) {
		if (s->users && !s->asked[ASK_USERS])
			ts_view_say(s->base.env, "no program names %s", s->sought);
		else
			ts_view_say(s->base.env,
				s->asked[ASK_HITS] || s->asked[ASK_USERS] ? "searching"
					: s->sought[0]			  ? "no program has it"
						       : "nothing was searched for");
		return TS_EFFECT_BELL;
	}
	i = at == UINT32_MAX ? 0 : place_of(s, at);
	if (direction > 0)
		i = (i < s->hits && *hit_at(s, i) == at ? i + 1 : i) % s->hits;
	else
		i = (i + s->hits - 1) % s->hits;
	effect = programs_go_to(s, programs_node(s->data, *hit_at(s, i))->program);
	if (effect & TS_EFFECT_BELL)
		return effect;
	ts_view_say(s->base.env, "%s of %s program%s %s %.80s", ts_fmt_count(n, (int64_t)i + 1),
		ts_fmt_count(m, (int64_t)s->hits), s->hits == 1 ? "" : "s",
		!s->users	       ? "with"
			: s->hits == 1 ? "that names"
				       : "that name",
		s->sought);
	return effect;
}

bool
programs_take_hits(struct programs_view *s, struct ts_fetch *f)
{
	struct hits_fetch *q = (struct hits_fetch *)f;

	s->asked[f == s->asked[ASK_USERS] ? ASK_USERS : ASK_HITS] = NULL;
	if (ts_fetch_in_vain(f, s->base.env->generation) || q->data->tree != s->data->tree)
		return false;
	if (f->code && f->code != TS_E_DAMAGED) {
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
