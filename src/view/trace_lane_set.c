/* SPDX-License-Identifier: MIT */
/*
 * trace_lane_set - which IPUs have a lane, how many rows each lane has, and which classes are drawn.
 *
 * Nothing of this changes a figure: lanes that are not chosen and classes that are hidden are left out of the
 * drawing only. A lane is one row when it is folded. Where steps of an IPU overlap an unfolded lane has a second
 * row for what runs beside the rest, as long as all lanes fit so, or when it is unfolded by hand.
 */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"

enum {
	LANE_HIDDEN = 1 << 0,
	LANE_FOLDED = 1 << 1,
	LANE_UNFOLDED = 1 << 2,
	LANE_OVERLAPS = 1 << 3,
	UNFOLDED_ROWS = 3, /* of a lane that is unfolded by hand, at least */
	ROOMY = 24, /* rows of the view from which on lanes are more than one row without that */
	AUTO_ROWS = 4,
	ALONE_ROWS = 8,
};

void
trace_lanes_fini(struct trace_view *t)
{
	free(t->lane.flag);
	free(t->lane.shown);
	t->lane.flag = NULL;
	t->lane.shown = NULL;
	t->lane.count = t->lane.ipus = 0;
}

/* The chosen ones, in the order of their numbers; the selected one is always among them. */
static void
list_lanes(struct trace_view *t)
{
	struct trace_lane_set *s = &t->lane;
	int near = -1;

	s->count = 0;
	for (int i = 0; i < s->ipus; i++) {
		if (s->flag[i] & LANE_HIDDEN)
			continue;
		s->shown[s->count++] = i;
		if (near < 0 || abs(i - t->ipu) < abs(near - t->ipu))
			near = i;
	}
	if (near >= 0 && near != t->ipu) {
		t->ipu = near;
		t->follow = FOLLOW_LIST;
	}
}

void
trace_lanes_begin(struct trace_view *t)
{
	struct trace_lane_set *s = &t->lane;
	int ipus = t->trace->ipus;

	if (s->flag && s->ipus == ipus)
		return;
	trace_lanes_fini(t);
	s->flag = ts_alloc((size_t)ipus + 1, sizeof(*s->flag));
	s->shown = ts_alloc((size_t)ipus + 1, sizeof(*s->shown));
	s->ipus = s->flag && s->shown ? ipus : 0;
	list_lanes(t);
}

int
trace_lane_at(const struct trace_view *t, int ipu)
{
	for (int i = 0; i < t->lane.count; i++)
		if (t->lane.shown[i] == ipu)
			return i;
	return -1;
}

bool
trace_lane_overlaps(const struct trace_view *t, int ipu)
{
	return ipu < t->lane.ipus && t->lane.flag[ipu] & LANE_OVERLAPS;
}

/* What a chart has found out stays known: another one may be of a range without overlap. */
void
trace_lanes_learn(struct trace_view *t, const struct ts_trace_chart *c)
{
	bool more = false;

	for (int l = 0; l < c->lanes; l++)
		for (int i = 0; i < t->lane.ipus; i++)
			if (c->overlap[l] && t->trace->ipu[i] == c->ipu[l] &&
				!(t->lane.flag[i] & LANE_OVERLAPS)) {
				t->lane.flag[i] |= LANE_OVERLAPS;
				more = true;
			}
	if (more)
		trace_arrange(t);
}

/* --- rows -------------------------------------------------------------------------------------- */

static bool
is_folded(const struct trace_view *t, int ipu)
{
	unsigned flag = t->lane.flag[ipu];

	return flag & LANE_FOLDED || (t->lane.all == TRACE_FOLDED && !(flag & LANE_UNFOLDED));
}

static bool
is_unfolded(const struct trace_view *t, int ipu)
{
	unsigned flag = t->lane.flag[ipu];

	return flag & LANE_UNFOLDED || (t->lane.all == TRACE_UNFOLDED && !(flag & LANE_FOLDED));
}

bool
trace_lane_is_two(const struct trace_view *t, int ipu)
{
	return trace_lane_overlaps(t, ipu) && !is_folded(t, ipu) &&
		(is_unfolded(t, ipu) || t->at.lane_two);
}

static int
lane_height(const struct trace_view *t, int ipu)
{
	int rows = t->at.lane_rows;

	if (is_folded(t, ipu))
		return 1;
	if (is_unfolded(t, ipu) && rows < UNFOLDED_ROWS)
		rows = UNFOLDED_ROWS;
	return rows + trace_lane_is_two(t, ipu);
}

static int
height_of(const struct trace_view *t, int from, int to)
{
	int h = 0;

	for (int i = from; i < to; i++)
		h += lane_height(t, t->lane.shown[i]);
	return h;
}

/* The first lane in sight: the selected one is, and no room is left while there are more above. */
static void
scroll(struct trace_view *t, int most)
{
	int at = ts_max_i64(trace_lane_at(t, t->ipu), 0);

	t->lane_top = (int)ts_clamp_i64(t->lane_top, 0, at);
	while (t->lane_top < at && height_of(t, t->lane_top, at + 1) > most)
		t->lane_top++;
	while (t->lane_top > 0 && height_of(t, t->lane_top - 1, t->lane.count) <= most)
		t->lane_top--;
}

int
trace_lanes_rows(struct trace_view *t, int room)
{
	struct trace_places *at = &t->at;
	bool alone = t->zoomed && t->focus == TRACE_LANES;
	int most = (int)ts_max_i64(alone ? room : room * 11 / 20, 1), n = t->lane.count, y = 0;

	at->lane_rows = 1;
	at->lane_count = 0;
	at->lane_two = true;
	if (n == 0)
		return 1;
	if (room >= ROOMY || alone)
		at->lane_rows = (int)ts_clamp_i64(most / n, 1, alone ? ALONE_ROWS : AUTO_ROWS);
	if (height_of(t, 0, n) > most && at->lane_rows > 1)
		at->lane_rows--;
	at->lane_two = height_of(t, 0, n) <= most;
	scroll(t, most);
	while (at->lane_count < TS_TRACE_LANES && t->lane_top + at->lane_count < n) {
		int h = lane_height(t, t->lane.shown[t->lane_top + at->lane_count]);

		if (y + h > most && at->lane_count > 0)
			break;
		at->lane_y[at->lane_count++] = y;
		y += h;
	}
	y = (int)ts_min_i64(y, most);
	at->lane_y[at->lane_count] = y;
	return y;
}

/* --- commands ------------------------------------------------------------------------------------ */

static enum ts_effect
rearranged(struct trace_view *t)
{
	trace_arrange(t);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC | TS_EFFECT_SELECT);
}

/* A number and what stands behind it; false: none. */
static bool
take_number(const char **s, long long *out)
{
	char *end;

	if (!isdigit((unsigned char)**s))
		return false;
	*out = strtoll(*s, &end, 10);
	*s = end;
	return true;
}

/* Choose the IPUs of "0,2-5": false when it is not such a list, or names none that is there. */
static bool
choose(struct trace_view *t, const char *s)
{
	struct trace_lane_set *set = &t->lane;
	unsigned char *wanted = ts_alloc((size_t)set->ipus + 1, 1);
	bool some = false, good = wanted != NULL;
	long long a, b;

	while (good && *s) {
		good = take_number(&s, &a);
		b = a;
		if (good && *s == '-') {
			s++;
			good = take_number(&s, &b);
		}
		for (int i = 0; good && i < set->ipus; i++)
			if (t->trace->ipu[i] >= a && t->trace->ipu[i] <= b)
				wanted[i] = 1, some = true;
		while (*s == ',' || *s == ' ')
			s++;
	}
	for (int i = 0; good && some && i < set->ipus; i++)
		set->flag[i] = (unsigned char)((set->flag[i] & ~LANE_HIDDEN) |
			(wanted[i] ? 0 : LANE_HIDDEN));
	free(wanted);
	if (good && some)
		list_lanes(t);
	return good && some;
}

bool
trace_choose_lanes(struct trace_view *t, const char *list)
{
	if (!list || strcmp(list, "all") == 0) {
		for (int i = 0; i < t->lane.ipus; i++)
			t->lane.flag[i] &= (unsigned char)~LANE_HIDDEN;
		list_lanes(t);
		return true;
	}
	return choose(t, list);
}

enum ts_effect
trace_lanes_command(struct trace_view *t, const struct ts_call *call)
{
	const char *list = ts_call_arg(call, 0);

	if (!trace_choose_lanes(t, list)) {
		ts_view_say_error(t->view.env,
			"lanes are IPUs: 0,2-5, or all; here from %lld to %lld",
			(long long)(t->trace->ipus > 0 ? t->trace->ipu[0] : 0),
			(long long)(t->trace->ipus > 0 ? t->trace->ipu[t->trace->ipus - 1] : 0));
		return TS_EFFECT_BELL;
	}
	ts_view_say(t->view.env, "%d of %d lanes", t->lane.count, t->trace->ipus);
	return rearranged(t);
}

enum ts_effect
trace_fold_lane(struct trace_view *t, const struct ts_call *call)
{
	unsigned char *flag = t->ipu < t->lane.ipus ? &t->lane.flag[t->ipu] : NULL;
	bool tall;

	(void)call;
	if (!flag)
		return TS_EFFECT_BELL;
	tall = lane_height(t, t->ipu) > 1;
	*flag &= (unsigned char)~(LANE_FOLDED | LANE_UNFOLDED);
	*flag |= tall ? LANE_FOLDED : LANE_UNFOLDED;
	return rearranged(t);
}

void
trace_fold_all(struct trace_view *t, enum trace_folding all)
{
	t->lane.all = all;
	for (int i = 0; i < t->lane.ipus; i++)
		t->lane.flag[i] &= (unsigned char)~(LANE_FOLDED | LANE_UNFOLDED);
	trace_arrange(t);
}

enum ts_effect
trace_fold_lanes(struct trace_view *t, const struct ts_call *call)
{
	enum trace_folding wanted = call->cmd == TS_CMD_FOLD ? TRACE_FOLDED : TRACE_UNFOLDED;

	trace_fold_all(t, t->lane.all == wanted ? TRACE_AUTO : wanted); /* again: as it was */
	return rearranged(t);
}

bool
trace_say_lanes(const struct trace_view *t, struct ts_strbuf *out)
{
	const struct trace_lane_set *s = &t->lane;
	const char *comma = "";

	if (!t->trace || s->count == s->ipus)
		return false;
	for (int i = 0, n; i < s->count; i += n) {
		for (n = 1; i + n < s->count && s->shown[i + n] == s->shown[i] + n;)
			n++;
		ts_strbuf_printf(out, "%s%lld", comma, (long long)t->trace->ipu[s->shown[i]]);
		if (n > 1)
			ts_strbuf_printf(out, "-%lld",
				(long long)t->trace->ipu[s->shown[i + n - 1]]);
		comma = ",";
	}
	return true;
}

/* --- classes ------------------------------------------------------------------------------------- */

/* By its key ("host_wait"), its name ("host wait"), its letter; -1: none. */
static int
class_named(const char *s, size_t n)
{
	for (int k = 0; k < TS_CLASS_COUNT; k++) {
		enum ts_step_class c = (enum ts_step_class)k;

		if ((n == 1 && *s == ts_step_class_letter(c)) ||
			(strlen(ts_step_class_key(c)) == n &&
				memcmp(s, ts_step_class_key(c), n) == 0) ||
			(strlen(ts_step_class_label(c)) == n &&
				memcmp(s, ts_step_class_label(c), n) == 0))
			return k;
	}
	return -1;
}

/* Classes of "sync,host_wait" as bits; false: one of them is none. */
static bool
classes_named(const char *s, unsigned *bits)
{
	*bits = 0;
	while (*s) {
		size_t n = strcspn(s, ",");
		int k = class_named(s, n);

		if (k < 0)
			return false;
		*bits |= 1u << k;
		s += n + (s[n] == ',');
	}
	return true;
}

bool
trace_hide_classes(struct trace_view *t, const char *names)
{
	unsigned bits;

	if (!classes_named(names, &bits))
		return false;
	t->hidden = bits;
	return true;
}

/* Hidden, or drawn again: the class of the step under the cursor, or those named; `all` draws everything. */
enum ts_effect
trace_series(struct trace_view *t, const struct ts_call *call)
{
	const struct ts_trace_row *row = trace_row(t, t->list.cursor);
	const char *names = ts_call_arg(call, 0);
	unsigned bits = 0;

	if (names && strcmp(names, "all") == 0) {
		t->hidden = 0;
	} else if (names && !classes_named(names, &bits)) {
		ts_view_say_error(t->view.env,
			"classes are compute, exchange, global_exchange, sync, external_sync, sync_ans, "
			"host_wait, host_copy, host_end, control; all");
		return TS_EFFECT_BELL;
	} else if (!names && row) {
		bits = 1u << row->class_of;
	}
	t->hidden ^= bits;
	if (t->hidden)
		ts_view_say(t->view.env,
			"hidden from the drawing only: figures are of all steps (:series all shows them)");
	else
		ts_view_say(t->view.env, "all classes are drawn");
	return TS_EFFECT_REPAINT;
}

bool
trace_say_hidden(const struct trace_view *t, struct ts_strbuf *out)
{
	const char *comma = "";

	for (int k = 0; k < TS_CLASS_COUNT; k++)
		if (t->hidden & 1u << k) {
			ts_strbuf_printf(out, "%s%s", comma,
				ts_step_class_key((enum ts_step_class)k));
			comma = ",";
		}
	return t->hidden != 0;
}
