/* SPDX-License-Identifier: MIT */
/* typed - see the header. */
#include "config.h"

#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/view/typed.h"

static const enum ts_cmd moves[] = {TS_CMD_UP, TS_CMD_DOWN, TS_CMD_PAGE_UP, TS_CMD_PAGE_DOWN,
	TS_CMD_HALF_UP, TS_CMD_HALF_DOWN, TS_CMD_FIRST, TS_CMD_LAST};

static const enum ts_cmd searches[] = {TS_CMD_SEARCH, TS_CMD_SEARCH_BACK, TS_CMD_SEARCH_NEXT,
	TS_CMD_SEARCH_PREVIOUS};

static const enum ts_cmd acts[] = {TS_CMD_OPEN, TS_CMD_MARK, TS_CMD_TICK, TS_CMD_COPY,
	TS_CMD_EXPLAIN, TS_CMD_UNFOLD, TS_CMD_FOLD, TS_CMD_GOTO_MEMORY, TS_CMD_GOTO_LIVENESS,
	TS_CMD_GOTO_PROGRAMS, TS_CMD_GOTO_OPERATIONS, TS_CMD_GOTO_TRACE};

/* Where what was done to rows is seen: not before it is done. */
static const enum ts_cmd behind[] = {TS_CMD_GOTO_WHAT_IF};

/* What is shown is written: of the tiles that are selected. */
static const enum ts_cmd writes[] = {TS_CMD_WRITE, TS_CMD_WRITE_OVER};

static bool
is_one_of(const enum ts_cmd *cmds, size_t n, enum ts_cmd cmd)
{
	for (size_t i = 0; i < n; i++)
		if (cmds[i] == cmd)
			return true;
	return false;
}

bool
ts_typed_is_search(enum ts_cmd cmd)
{
	return is_one_of(searches, TS_COUNT(searches), cmd);
}

bool
ts_typed_is_of_row(enum ts_cmd cmd)
{
	return is_one_of(acts, TS_COUNT(acts), cmd) || ts_typed_is_search(cmd);
}

bool
ts_typed_is_of_rows(enum ts_cmd cmd)
{
	return is_one_of(moves, TS_COUNT(moves), cmd) || ts_typed_is_of_row(cmd);
}

bool
ts_typed_reads(const struct ts_view *v)
{
	return ts_jobs_awaited(v->env->jobs, v->id);
}

/* Its rows are not there, and somebody reads them. */
static bool
waits(const struct ts_view *v, enum ts_cmd cmd, bool going)
{
	if (going && ts_typed_is_of_rows(cmd))
		return true;
	if (ts_view_looks_for_tiles(v->env) && is_one_of(writes, TS_COUNT(writes), cmd))
		return true;
	return v->ops->waits && v->ops->waits((struct ts_view *)v, cmd) && ts_typed_reads(v);
}

static bool
keep(struct ts_typed *q, struct ts_view *v, const struct ts_call *call)
{
	if (q->count == TS_TYPED_MAX) {
		ts_view_say_error(v->env, "%d keys wait for what is being read: no more",
			TS_TYPED_MAX);
		return true;
	}
	q->call[q->count++] = *call;
	ts_view_say(v->env, "%d key%s wait%s for what is being read (Escape drops %s)", q->count,
		q->count == 1 ? "" : "s", q->count == 1 ? "s" : "", q->count == 1 ? "it" : "them");
	return true;
}

bool
ts_typed_keep(struct ts_typed *q, struct ts_view *v, const struct ts_call *call, bool going)
{
	bool had = q->count > 0;

	if (waits(v, call->cmd, going) || (had && is_one_of(behind, TS_COUNT(behind), call->cmd)))
		return keep(q, v, call);
	if (call->cmd == TS_CMD_MARKS_CLEAR)
		ts_typed_drop(q);
	if (had && call->cmd == TS_CMD_MARKS_CLEAR) /* this Escape was for them */
		ts_view_say(v->env, "the keys that waited are dropped");
	return had && call->cmd == TS_CMD_MARKS_CLEAR;
}

bool
ts_typed_later(struct ts_typed *q, struct ts_view *v, const struct ts_call *call, bool going)
{
	return (going || ts_typed_reads(v)) && keep(q, v, call);
}

bool
ts_typed_next(const struct ts_typed *q, const struct ts_view *v, bool going, struct ts_call *out)
{
	if (q->count == 0 || waits(v, q->call[0].cmd, going))
		return false;
	*out = q->call[0];
	return true;
}

void
ts_typed_done(struct ts_typed *q)
{
	if (q->count > 0)
		memmove(q->call, q->call + 1, (size_t)--q->count * sizeof(q->call[0]));
}

void
ts_typed_drop(struct ts_typed *q)
{
	q->count = 0;
}
