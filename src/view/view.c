/* SPDX-License-Identifier: MIT */
/* view - what views share: states of panes, the message line. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>

#include "tilescope/base/fmt.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/view/view.h"

void
ts_pane_result(struct ts_pane_data *d, enum ts_code code, const struct ts_err *err, bool some)
{
	if (code == TS_OK)
		d->state = TS_PANE_READY;
	else if (code == TS_E_ABSENT)
		d->state = TS_PANE_ABSENT;
	else
		d->state = some ? TS_PANE_PARTIAL : TS_PANE_FAILED;
	snprintf(d->reason, sizeof(d->reason), "%.199s", code ? err->msg : "");
}

/* With what the workers for large work have under way, which may be what it waits for, and how far that is. */
static void
draw_reading(struct ts_canvas *c, struct ts_rect r, const struct ts_view_env *env)
{
	struct ts_job_info info = {0};
	char n[TS_FMT_MAX], far[TS_FMT_MAX + 16] = "";

	if (env->jobs)
		ts_jobs_info(env->jobs, TS_WORKER_BULK, &info);
	if (info.total > 0)
		snprintf(far, sizeof(far), ", %d%%",
			(int)(100. * (double)ts_min_i64(info.done, info.total) /
				(double)info.total));
	else if (info.done > 0)
		snprintf(far, sizeof(far), ", %s so far", ts_fmt_count(n, info.done));
	ts_canvas_printf(c, r, 0, 0, TS_ROLE_DIM, "being read%s%s%s",
		info.what ? "; under way: " : "", info.what ? info.what : "", info.what ? far : "");
}

/* What is absent; where there is no room for all of it, less of what it costs rather than of what there is instead. */
static void
draw_absent(struct ts_canvas *c, struct ts_rect whole, struct ts_rect inner,
	const struct ts_view_env *env, const struct ts_pane_data *d)
{
	struct ts_rect nothing = {inner.x, inner.y, inner.w, 0};
	struct ts_strbuf text;

	ts_strbuf_init(&text, 4096);
	ts_absent_describe(&text, env, d->absent, d->reason, false);
	if (ts_canvas_wrap(c, nothing, 0, TS_ROLE_TEXT, text.s) > inner.h) {
		ts_strbuf_reset(&text);
		ts_absent_describe(&text, env, d->absent, d->reason, true);
		if (ts_canvas_wrap(c, nothing, 0, TS_ROLE_TEXT, text.s) > inner.h) {
			inner.y = whole.y;
			inner.h = whole.h;
		}
	}
	ts_canvas_wrap(c, inner, 0, TS_ROLE_TEXT, text.s);
	ts_strbuf_fini(&text);
}

void
ts_pane_draw(struct ts_canvas *c, struct ts_rect r, const struct ts_view_env *env,
	const struct ts_pane_data *d)
{
	struct ts_rect inner = {r.x + 2, r.y, r.w - 4, r.h};
	struct ts_strbuf text;

	if (r.h > 2)
		ts_rect_cut_top(&inner, 1);
	ts_strbuf_init(&text, 4096);
	switch (d->state) {
	case TS_PANE_EMPTY:
	case TS_PANE_LOADING:
		draw_reading(c, inner, env);
		break;
	case TS_PANE_FAILED:
		ts_strbuf_printf(&text, "This could not be read: %s.", d->reason);
		ts_canvas_wrap(c, inner, 0, TS_ROLE_ERROR, text.s);
		break;
	case TS_PANE_ABSENT:
		draw_absent(c, r, inner, env, d);
		break;
	default:
		break;
	}
	ts_strbuf_fini(&text);
}

void
ts_view_ask_tiles(struct ts_view_env *env, const char *text, bool go)
{
	struct ts_tiles_asked *q = &env->tiles_asked;

	q->state = TS_TILES_ASKED;
	q->go = go;
	snprintf(q->text, sizeof(q->text), "%s", text);
}

enum ts_effect
ts_view_mark(struct ts_view *v, const struct ts_marked_variable *x)
{
	struct ts_marked_variables *marked = &v->env->selection->marked;

	if (x->lowered && x->row < 0) {
		ts_view_say_error(v->env, "this variable cannot be marked: its row has no number");
		return TS_EFFECT_BELL;
	}
	if (!ts_marked_toggle(marked, x)) {
		ts_view_say_error(v->env, "%d variables are marked: there is room for no more",
			TS_MARKED_VARIABLES);
		return TS_EFFECT_BELL;
	}
	ts_view_say(v->env, "%d variable%s marked", marked->count,
		marked->count == 1 ? " is" : "s are");
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static void say(struct ts_view_env *env, bool error, const char *fmt, va_list ap) TS_PRINTF(3, 0);

static void
say(struct ts_view_env *env, bool error, const char *fmt, va_list ap)
{
	vsnprintf(env->message, sizeof(env->message), fmt, ap);
	env->message_is_error = error;
}

void
ts_view_say(struct ts_view_env *env, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(env, false, fmt, ap);
	va_end(ap);
}

void
ts_view_say_error(struct ts_view_env *env, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(env, true, fmt, ap);
	va_end(ap);
}

void
ts_view_say_rules(struct ts_view_env *env, int wrong, const char *problem)
{
	if (wrong == 0)
		return;
	ts_view_say_error(env, "%s", problem);
	ts_log_add(env->log, "%s (%d line%s passed over)", problem, wrong,
		wrong == 1 ? " is" : "s are");
}

void
ts_view_say_hit(struct ts_view_env *env, int64_t number, int64_t count, const char *more)
{
	char n[TS_FMT_MAX], of[TS_FMT_MAX];

	ts_view_say(env, "hit %s of %s%s", ts_fmt_count(n, number), ts_fmt_count(of, count),
		more ? more : "");
}

/* Wide rows, of names that are read before anybody asks: some MiB. */
enum { FEW_WIDE = 1000 };

bool
ts_view_names_are_cheap(const struct ts_view_env *env)
{
	const struct ts_report *r = env->report;
	int64_t wide = 0;

	if (ts_report_has_column(r, TS_PROGRAM, TS_PROGRAM_CYCLES_BY_TILE) ||
		ts_report_has_column(r, TS_PROGRAM, TS_PROGRAM_ESTIMATED_CYCLES_BY_TILE))
		wide += ts_reach_work(&r->binding[TS_PROGRAM].reach);
	if (ts_report_has_column(r, TS_COMPUTE_SET, TS_COMPUTE_SET_CYCLES_BY_TILE) ||
		ts_report_has_column(r, TS_COMPUTE_SET, TS_COMPUTE_SET_ESTIMATED_CYCLES_BY_TILE))
		wide += ts_reach_work(&r->binding[TS_COMPUTE_SET].reach);
	return wide <= FEW_WIDE;
}
