/* SPDX-License-Identifier: MIT */
/*
 * liveness_readout - the lines below the graph of the Liveness view: figures of the step under the cursor, what runs there,
 * and what was born and what died.
 *
 * A line that is too long says less; where even that is too long it ends with an ellipsis.
 */
#include "config.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"

#include "liveness_internal.h"

enum {
	NARROW = 66, /* columns below which the read-out is short */
	WIDE = 100,  /* columns from which it says all in full */
	CHANGE_TEXT = 100,
	NAME_LEAST = 20, /* columns that the name of what was born needs */
};

const char *
live_memory_owner(const struct liveness *s)
{
	static const char *const owners[] = {[TS_LIVE_ALL] = "all tiles",
		[TS_LIVE_IPU] = "the IPU",
		[TS_LIVE_TILE] = "the tile",
		[TS_LIVE_SET] = "these tiles"};

	return s->shown.where == TS_LIVE_ALL && s->one_replica ? "the replica"
							       : owners[s->shown.where];
}

enum ts_what_if_known
live_what_if(const struct liveness *s, struct ts_what_if_peak *out, struct ts_tab **tab)
{
	enum ts_what_if_known known = TS_WHAT_IF_NONE;

	for (int i = 0; i < s->tabs.count && !s->no_base; i++) {
		if (s->tabs.tab[i].ops != &ts_tab_what_if)
			continue;
		known = ts_what_if_after(&s->tabs.tab[i], &s->shown, out);
		if (known == TS_WHAT_IF_PEAK && s->shown.where == TS_LIVE_ALL && s->one_replica)
			known = TS_WHAT_IF_OTHERS;
		if (tab)
			*tab = (struct ts_tab *)&s->tabs.tab[i];
	}
	return known;
}

const char *
live_what_if_text(char out[LIVE_WHAT_IF], const struct liveness *s,
	const struct ts_what_if_peak *after)
{
	char bytes[TS_FMT_MAX], step[TS_FMT_MAX];

	ts_fmt_bytes(bytes, after->bytes, live_units(s));
	if (after->step == TS_UNKNOWN)
		snprintf(out, LIVE_WHAT_IF, "what if: %s, always live", bytes);
	else
		snprintf(out, LIVE_WHAT_IF, "what if: %s at step %s", bytes,
			ts_fmt_count(step, after->step));
	return out;
}

/* What the line of figures says; the first that fits: the share of the memory is worth more than words. */
static const struct figures_form {
	bool words; /* "not always live" */
	bool peaks; /* "peak 2 of 5"; else "peak 2/5" */
	enum { NO_SHARE, SHARE, SHARE_OF_BYTES, SHARE_OF_OWNER } share;
	bool brief; /* "826M" */
} figures_forms[] = {
	{true, true, SHARE_OF_OWNER, false},
	{true, true, SHARE_OF_BYTES, false},
	{true, true, SHARE, false},
	{true, false, SHARE, false},
	{false, true, SHARE, false},
	{false, false, SHARE, false},
	{false, true, NO_SHARE, false},
	{false, false, SHARE, true},
	{false, false, NO_SHARE, true},
};

enum { FIGURES_PARTS = 8, FIGURES_TEXT = 80 };

struct figures {
	int parts, wide;
	struct {
		enum ts_role role;
		char text[FIGURES_TEXT];
	} part[FIGURES_PARTS];
};

static void add_part(struct figures *f, enum ts_role role, const char *fmt, ...) TS_PRINTF(3, 4);

static void
add_part(struct figures *f, enum ts_role role, const char *fmt, ...)
{
	char *to = f->part[f->parts].text;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(to, FIGURES_TEXT, fmt, ap);
	va_end(ap);
	f->part[f->parts++].role = role;
	f->wide += (int)strlen(to);
}

static void
add_share(struct figures *f, const struct liveness *s, const struct figures_form *form, int64_t sum)
{
	bool plural = s->shown.where == TS_LIVE_SET ||
		(s->shown.where == TS_LIVE_ALL && !s->one_replica);
	int64_t memory = live_memory(s);
	char share[TS_FMT_MAX], bytes[TS_FMT_MAX], of[TS_FMT_MAX + 24] = "";

	if (form->share == NO_SHARE || memory == TS_UNKNOWN)
		return;
	ts_fmt_bytes(bytes, memory, live_units(s));
	if (form->share == SHARE_OF_OWNER)
		snprintf(of, sizeof(of), " of %s%s %s", live_memory_owner(s), plural ? "'" : "'s",
			bytes);
	else if (form->share == SHARE_OF_BYTES)
		snprintf(of, sizeof(of), " of %s", bytes);
	add_part(f, sum > memory ? TS_ROLE_BAD : TS_ROLE_LABEL, "  %s%s%s",
		ts_fmt_percent(share, (double)sum, (double)memory), of,
		s->src.line.memory_assumed ? " (assumed)" : "");
}

static const char *
figure(char out[TS_FMT_MAX], int64_t bytes, const struct liveness *s, bool brief)
{
	return brief ? ts_fmt_bytes_short(out, bytes, live_units(s))
		     : ts_fmt_bytes(out, bytes, live_units(s));
}

static void
make_figures(struct figures *f, const struct liveness *s, const struct figures_form *form,
	bool narrow)
{
	const struct ts_liveness *l = &s->src.line;
	int64_t point = s->span.cursor, not_always = live_scaled(s, l->bytes[point]);
	int64_t sum = not_always, base = live_base(s);
	ptrdiff_t rank = ts_peaks_rank(&l->peaks, (size_t)point);
	char a[TS_FMT_MAX];

	*f = (struct figures){.parts = 0};
	add_part(f, TS_ROLE_STATUS, "step %s", ts_fmt_count(a, l->step[point]));
	if (l->per > 1)
		add_part(f, TS_ROLE_NOTE, " (highest of %s)", ts_fmt_count(a, l->per));
	add_part(f, TS_ROLE_STATUS, "%s%s",
		narrow		      ? " "
			: form->words ? "  not always live "
				      : "  ",
		figure(a, not_always, s, form->brief));
	if (base == TS_UNKNOWN)
		add_part(f, TS_ROLE_NOTE, " (always live: not recorded)");
	else if (!ts_add_i64(&sum, base))
		sum = INT64_MAX;
	if (base != TS_UNKNOWN)
		add_part(f, TS_ROLE_STATUS, " + always %s%s", figure(a, base, s, form->brief),
			s->one_replica && s->src.always_divided ? " (assumed)" : "");
	if (base != TS_UNKNOWN)
		add_part(f, TS_ROLE_ACCENT, " = %s", figure(a, sum, s, form->brief));
	if (rank >= 0)
		add_part(f, TS_ROLE_MARK, "  peak %d%s%s", (int)rank + 1,
			form->peaks ? " of " : "/", ts_fmt_count(a, (int64_t)l->peaks.found));
	if (base != TS_UNKNOWN)
		add_share(f, s, form, sum);
}

void
live_draw_figures(struct ts_canvas *c, struct ts_rect r, const struct liveness *s)
{
	struct figures f = {.wide = INT_MAX};
	int x = 0;

	for (size_t i = 0; i < TS_COUNT(figures_forms) && f.wide > r.w; i++)
		make_figures(&f, s, &figures_forms[i], r.w < NARROW);
	for (int i = 0; i < f.parts; i++) {
		if (x > 0 && x + (int)strlen(f.part[i].text) > r.w) {
			ts_canvas_cut(c, r, x, 0, TS_ROLE_LABEL);
			return;
		}
		x = ts_canvas_piece(c, r, x, 0, f.part[i].role, "%s", f.part[i].text);
	}
}

void
live_draw_program(struct ts_canvas *c, struct ts_rect r, const struct liveness *s)
{
	int column = ts_span_column(&s->span, s->span.cursor), x = 0;
	bool known = s->alive && s->alive->step == live_step(s);
	struct ts_what_if_peak after;
	struct ts_live_range range;
	char n[TS_FMT_MAX], bytes[TS_FMT_MAX];
	int64_t from, to;

	if (live_what_if(s, &after, NULL) == TS_WHAT_IF_OTHERS)
		x = ts_canvas_piece(c, r, 0, 0, TS_ROLE_NOTE,
			"what if: peak of %s not worked out  ", live_memory_owner(s));
	if (column >= 0) {
		ts_span_bucket(&s->span, column, &from, &to);
		ts_liveness_range(&range, &s->src.line, (size_t)from, (size_t)to);
		if (range.steps > 1)
			x = ts_canvas_piece(c, r, x, 0, TS_ROLE_LABEL,
				"column of %s steps, mean %s  ", ts_fmt_count(n, range.steps),
				ts_fmt_bytes(bytes, live_scaled(s, (int64_t)range.mean),
					live_units(s)));
	}
	if (!known && live_awaits_alive(s))
		ts_canvas_pending(c, r, x, 0);
	else if (known)
		ts_canvas_field(c, r, x, 0, r.w - x, TS_ROLE_TEXT, s->alive->program.s,
			s->alive->program.len, TS_FIELD_TAIL);
}

/* Which two moments are compared. */
static int
draw_compared(struct ts_canvas *c, struct ts_rect r, const struct liveness *s)
{
	const struct ts_alive_query *q = &s->alive->asked;
	char n[TS_FMT_MAX], m[TS_FMT_MAX];

	if (q->marks == 0)
		return ts_canvas_piece(c, r, 0, 0, TS_ROLE_LABEL,
			r.w < WIDE ? "since the valley at %s: "
				   : "since the last valley, step %s: ",
			ts_fmt_count(n, q->against));
	if (q->to == 0)
		return ts_canvas_piece(c, r, 0, 0, TS_ROLE_LABEL,
			"mark A, step %s, to here: ", ts_fmt_count(n, q->against));
	return ts_canvas_piece(c, r, 0, 0, TS_ROLE_LABEL,
		"marks A to %c, step %s to %s: ", 'A' + q->to - 1, ts_fmt_count(n, q->against),
		ts_fmt_count(m, q->mark[q->to - 1]));
}

/* "born 8.65 MiB in 65 variables"; brief: without how many they are. */
static void
change_text(char out[CHANGE_TEXT], const struct liveness *s, const char *word,
	const struct ts_live_total *t, bool brief)
{
	char n[TS_FMT_MAX], m[TS_FMT_MAX];

	if (ts_live_total_bytes(t) == TS_UNKNOWN)
		snprintf(n, sizeof(n), "?");
	else
		ts_fmt_bytes(n, live_scaled(s, t->bytes), live_units(s));
	if (t->count == 0)
		snprintf(out, CHANGE_TEXT, "%s 0", word);
	else if (brief)
		snprintf(out, CHANGE_TEXT, "%s %s", word, n);
	else
		snprintf(out, CHANGE_TEXT, "%s %s in %s variable%s", word, n,
			ts_fmt_count(m, t->count), t->count == 1 ? "" : "s");
}

/* Both changes, as long as there is room for. */
static int
draw_both(struct ts_canvas *c, struct ts_rect r, int x, const struct liveness *s)
{
	const char *whose = !live_has_replicas(s) ? ""
		: s->one_replica		  ? ", one replica"
						  : ", all replicas";
	char born[CHANGE_TEXT], died[CHANGE_TEXT];

	for (int brief = 0; brief < 2; brief++) {
		change_text(born, s, "born", &s->alive->change.born, brief);
		change_text(died, s, ", died", &s->alive->change.died, brief);
		if (x + (int)(strlen(born) + strlen(died) + strlen(whose)) <= r.w)
			break;
	}
	x = ts_canvas_piece(c, r, x, 0, TS_ROLE_STATUS, "%s%s", born, died);
	return ts_canvas_piece(c, r, x, 0, TS_ROLE_LABEL, "%s", whose);
}

void
live_draw_changes(struct ts_canvas *c, struct ts_rect r, const struct liveness *s)
{
	const struct ts_alive *a = s->alive;
	char n[TS_FMT_MAX], name[LIVE_NAME];
	const char *born;
	int x;

	if (ts_rect_empty(r) || !a || a->step != live_step(s) || !a->listed)
		return;
	if (a->asked.against == TS_UNKNOWN) {
		if (ts_peaks_rank(&s->src.line.peaks, (size_t)s->span.cursor) >= 0 &&
			s->src.line.count > 1)
			ts_canvas_piece(c, r, 0, 0, TS_ROLE_LABEL,
				"the first step: alive from the beginning");
		return;
	}
	x = draw_compared(c, r, s);
	x = draw_both(c, r, x, s);
	if (a->born < 0 || r.w - x < NAME_LEAST)
		return;
	x = ts_canvas_text(c, r, x, 0, TS_ROLE_LABEL, "; largest ");
	if (r.w - x > WIDE / 2)
		x = ts_canvas_piece(c, r, x, 0, TS_ROLE_LABEL, "%s ",
			ts_fmt_bytes(n, a->row[a->born].bytes, live_units(s)));
	born = live_name(s, a->born, name);
	ts_canvas_field(c, r, x, 0, r.w - x, TS_ROLE_ACCENT, born, strlen(born), TS_FIELD_TAIL);
}
