/* SPDX-License-Identifier: MIT */
/*
 * what_if_rows - which lowered variables a change names, and what they lose.
 *
 * Where lowered variables say what they were lowered from, names are asked about once for each variable before lowering
 * (hundreds of thousands) instead of once for each lowered one (millions): first a byte for each number says which change
 * decides, then one pass over lowered variables looks numbers up. Else each lowered variable's own name is asked about.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/pattern.h"
#include "tilescope/report/rows.h"

#include "tile_live_internal.h"
#include "what_if_internal.h"

enum {
	NEAR = 64 << 20, /* numbers of variables that have a byte */
	FAR = 1 << 20,	 /* others that are named by a change */
	PROGRESS_ROWS = 8192,
	NOBODY = -1,
	UNSURE = -2,
};

/* A variable whose number is too large for a byte of its own. */
struct far_variable {
	int64_t id;
	int change;
};

struct names {
	struct ts_matcher *matcher[TS_WHAT_IF_CHANGES];
	struct ts_pattern *pattern[TS_WHAT_IF_CHANGES];
	struct ts_grouper *grouper;
	int group[TS_WHAT_IF_CHANGES]; /* or NOBODY */
	bool any;		       /* is any change a matter of names */
};

struct what_if_share {
	struct what_if_work *w;
	const struct ts_what_if_changes *c;
	struct names names;
	bool by_number;	     /* of the variable before lowering */
	bool by_id;	     /* single lowered variables are named */
	struct ts_pile near; /* uint8_t: change + 1, by number */
	struct ts_pile far;  /* struct far_variable: as they come, then each once, by number */
	size_t fars;
	bool settled; /* they are in order */
	bool lent;    /* near and far are another share's */
	int64_t all;  /* bytes of the rows so far, as the table of all tiles counts them */
	struct ts_live_axis axis;
	struct ts_live_gather g;
	enum ts_code damage;
};

/* --- names ------------------------------------------------------------------------------------ */

static enum ts_code
open_change(struct what_if_share *h, int i, struct ts_err *err)
{
	const struct ts_what_if_change *x = &h->c->item[i];
	struct names *n = &h->names;
	enum ts_code code = TS_OK;

	n->group[i] = h->w->groups ? ts_groups_find(h->w->groups, x->text) : NOBODY;
	if (x->of == TS_WHAT_IF_PATTERN && n->group[i] < 0) {
		code = ts_pattern_compile(&n->pattern[i], x->text,
			TS_PATTERN_NOCASE | TS_PATTERN_SLASHES, NULL, err);
		if (!code)
			code = ts_matcher_new(&n->matcher[i], n->pattern[i], err);
	} else if (x->of == TS_WHAT_IF_GROUP || x->of == TS_WHAT_IF_PATTERN) {
		if (n->group[i] < 0)
			return ts_err_set(err, TS_E_USAGE, "no group of variables is called %s",
				x->text);
		if (!n->grouper)
			code = ts_grouper_new(&n->grouper, h->w->groups, err);
	} else {
		n->group[i] = NOBODY;
		h->by_id |= x->of == TS_WHAT_IF_LOWERED;
		return TS_OK;
	}
	n->any = true;
	return code;
}

static void
close_names(struct names *n)
{
	for (int i = 0; i < TS_WHAT_IF_CHANGES; i++) {
		ts_matcher_free(n->matcher[i]);
		ts_pattern_free(n->pattern[i]);
	}
	ts_grouper_free(n->grouper);
}

/*
 * The change that a name decides for, the last first, but not one at or before `least`; NOBODY. What has no name (NULL) is in
 * the group "other", and no pattern names it.
 */
static enum ts_code
ask_name(int *change, struct what_if_share *h, const char *name, size_t n, int least,
	struct ts_err *err)
{
	*change = NOBODY;
	for (int i = h->c->count - 1; i > least; i--) {
		struct ts_matcher *m = h->names.matcher[i];
		enum ts_match match = m && name ? ts_pattern_matches(m, name, n) : TS_MATCH_NO;

		if (m && ts_matcher_costly(m)) {
			h->w->blamed = i + 1;
			return ts_pattern_costly_err(h->names.pattern[i], err);
		}
		if (match == TS_MATCH_YES ||
			(h->names.group[i] >= 0 &&
				ts_grouper_is(h->names.grouper, h->names.group[i], name, n))) {
			*change = i;
			return TS_OK;
		}
	}
	return TS_OK;
}

/* --- variables before lowering ---------------------------------------------------------------- */

/* Of one variable the change that decides comes first. */
static int
by_number(const void *a, const void *b)
{
	const struct far_variable *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->change < y->change) - (x->change > y->change);
}

static int
find_far(const struct what_if_share *h, int64_t id)
{
	const struct far_variable *far = h->far.memory;
	size_t low = 0, high = h->settled ? h->fars : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (far[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < h->fars && h->settled && far[low].id == id ? far[low].change : NOBODY;
}

/* Large numbers in order, each once: sorted when all are there, so that hostile ones cost no more than others. */
static enum ts_code
settle_far(struct what_if_share *h, struct ts_err *err)
{
	struct far_variable *far;
	enum ts_code code = ts_pile_sort(&h->far, h->fars, sizeof(*far), by_number, h->w->cache,
		h->w->rd->cancel, err);
	size_t kept = 0;

	far = h->far.memory;
	for (size_t i = 0; !code && i < h->fars; i++)
		if (kept == 0 || far[kept - 1].id != far[i].id)
			far[kept++] = far[i];
	h->fars = kept;
	h->settled = !code;
	return code;
}

static int
change_of(const struct what_if_share *h, int64_t id)
{
	if (id < 0)
		return NOBODY;
	if (id < (int64_t)h->near.used)
		return (int)((const uint8_t *)h->near.memory)[id] - 1;
	return id < NEAR ? NOBODY : find_far(h, id);
}

/* Change i decides about a variable, unless a later one does. */
static enum ts_code
decide(struct what_if_share *h, int64_t id, int i, struct ts_err *err)
{
	struct far_variable far = {id, i};
	enum ts_code code = TS_OK;

	if (id < NEAR) {
		uint8_t *near;

		if (id >= (int64_t)h->near.used) {
			size_t room = (size_t)ts_min_i64(2 * (id + 4096), NEAR);

			code = ts_pile_room(&h->near, room, h->w->cache, err);
			h->near.used = code ? h->near.used : room;
		}
		near = h->near.memory;
		if (!code && near[id] < i + 1)
			near[id] = (uint8_t)(i + 1);
		return code;
	}
	if (h->fars == FAR)
		return ts_err_set(err, TS_E_LIMIT,
			"more than %d variables with large numbers are named", FAR);
	code = ts_pile_add(&h->far, &far, sizeof(far), h->w->cache, err);
	h->fars += !code;
	return code;
}

/* The name in column i; NULL: there is none. False: it cannot be read. */
static bool
name_of(struct ts_rows *rows, int i, const char **name, size_t *n)
{
	enum ts_value is = ts_rows_text(rows, i, name, n);

	if (is == TS_VALUE_NULL) {
		*name = NULL;
		*n = 0;
	}
	return is != TS_VALUE_BAD;
}

enum { V_ID, V_NAME, V_COLUMNS };

static enum ts_code
name_variable(struct what_if_share *h, struct ts_rows *rows, struct ts_err *err)
{
	const char *name;
	size_t n;
	int64_t id;
	int change;
	enum ts_code code;

	if (ts_rows_number(rows, V_ID, &id) != TS_VALUE_OK || !name_of(rows, V_NAME, &name, &n))
		return TS_OK;
	code = ask_name(&change, h, name, n, change_of(h, id), err);
	return code || change < 0 ? code : decide(h, id, change, err);
}

/* Which change decides about each variable before lowering whose name is asked for. */
static enum ts_code
choose_variables(struct what_if_share *h, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_VARIABLE_VARIABLE, TS_VARIABLE_NAME},
		.column_count = V_COLUMNS,
		.past_damage = true};
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, h->w->rd, TS_VARIABLE, &q, err);
	bool there;

	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there)
		if ((code = name_variable(h, rows, err)))
			break;
	ts_rows_close(rows);
	return code;
}

/* --- lowered variables ------------------------------------------------------------------------ */

enum { R_VARIABLE = TS_LIVE_COLUMNS, R_ID, R_NAME, R_COLUMNS };

/* The change that decides about row k of a block; NOBODY, UNSURE. */
static enum ts_code
change_of_row(int *change, struct what_if_share *h, struct ts_rows *rows,
	const struct ts_rows_block *b, int k, struct ts_err *err)
{
	const char *name = NULL;
	size_t n;
	int later;
	enum ts_code code = TS_OK;

	*change = NOBODY;
	if (b->is[R_VARIABLE] == TS_VALUE_OK)
		*change = change_of(h, b->v[R_VARIABLE][k]);
	else if (h->by_number)
		*change = UNSURE;
	if (h->by_id && b->is[R_ID] == TS_VALUE_OK)
		for (int i = h->c->count - 1; i >= 0 && i > *change; i--)
			if (h->c->item[i].of == TS_WHAT_IF_LOWERED &&
				h->c->item[i].id == b->v[R_ID][k])
				*change = i;
	if (h->by_number || !h->names.any)
		return TS_OK;
	later = UNSURE;
	if (name_of(rows, R_NAME, &name, &n))
		code = ask_name(&later, h, name, n, *change, err);
	later = later == NOBODY && !name ? UNSURE : later;
	*change = *change < 0 || later > *change ? later : *change; /* else what its number says */
	return code;
}

/* A row: what the table of all tiles counts of it, and what of that is lost. */
static enum ts_code
add_row(struct what_if_share *h, struct ts_live_row r, int change, struct ts_err *err)
{
	struct ts_what_if_sum *sum;
	int64_t bytes = r.bytes;

	if (!ts_add_i64(&h->all, bytes) || change < 0)
		return TS_OK;
	sum = &h->w->w->sum[change];
	if (r.always <= 0 && ts_live_axis_class(&h->axis, r.class) < 0) {
		sum->unplaced++;
		sum->unplaced_bytes += bytes;
		return TS_OK;
	}
	r.bytes -= ts_what_if_bytes(&h->c->item[change], bytes);
	sum->variables++;
	sum->bytes += bytes;
	sum->less += r.bytes;
	return ts_live_gather_add(&h->g, &r, err);
}

static enum ts_code
add_block(struct what_if_share *h, struct ts_rows *rows, const struct ts_rows_block *b,
	struct ts_err *err)
{
	enum ts_code code = TS_OK;
	struct ts_live_row r;

	for (int k = 0; !code && k < b->rows; k++) {
		int change;

		if (!ts_live_row_of(&r, b, k))
			return TS_OK;
		code = change_of_row(&change, h, rows, b, k, err);
		h->w->w->unknown += change == UNSURE;
		if (!code)
			code = add_row(h, r, change, err);
	}
	return code;
}

enum ts_code
what_if_share_read(struct what_if_share *h, enum ts_range range, int64_t from, int64_t to,
	_Atomic int64_t *seen, struct ts_err *err)
{
	struct what_if_work *w = h->w;
	struct ts_rows_query q = ts_live_query();
	int64_t total = ts_reach_span(&w->rd->report->binding[TS_LOWERED_VARIABLE].reach);
	int64_t untold = 0;
	struct ts_rows_block b;
	struct ts_rows *rows;
	enum ts_code code;

	q.range = range;
	q.from = from;
	q.to = to;
	q.columns[R_VARIABLE] = TS_LOWERED_VARIABLE_VARIABLE;
	q.columns[R_ID] = TS_LOWERED_VARIABLE_ID;
	q.columns[R_NAME] = TS_LOWERED_VARIABLE_NAME;
	q.column_count = !h->by_number && h->names.any ? R_COLUMNS : h->by_id ? R_NAME : R_ID;
	code = ts_reader_rows(&rows, w->rd, TS_LOWERED_VARIABLE, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_block(rows, &b, err)) && b.rows > 0) {
		untold += b.rows;
		if (untold >= PROGRESS_ROWS) {
			ts_progress_set(w->progress, atomic_fetch_add(seen, untold) + untold,
				total);
			untold = 0;
		}
		if ((code = add_block(h, rows, &b, err)))
			break;
	}
	ts_rows_close(rows);
	h->damage = code == TS_E_DAMAGED ? code : h->damage;
	return code == TS_E_DAMAGED ? TS_OK : code;
}

static enum ts_code
choose(struct what_if_share *h, struct ts_err *err)
{
	const struct ts_report *r = h->w->rd->report;
	enum ts_code code = TS_OK;

	h->by_number = ts_report_has(r, TS_VARIABLE) &&
		ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_VARIABLE);
	for (int i = 0; i < h->c->count; i++)
		if ((code = open_change(h, i, err))) {
			h->w->blamed = i + 1;
			return code;
		}
	if (h->names.any && !h->by_number &&
		!ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_NAME))
		return ts_err_set(err, TS_E_ABSENT, "names of lowered variables are not recorded");
	for (int i = 0; !code && i < h->c->count; i++)
		if (h->c->item[i].of == TS_WHAT_IF_VARIABLE)
			code = decide(h, h->c->item[i].id, i, err);
	if (!code && h->by_number && h->names.any)
		code = choose_variables(h, err);
	if (!code || code == TS_E_DAMAGED) {
		struct ts_err why;
		enum ts_code end = settle_far(h, &why);

		if (end && err)
			*err = why;
		code = end ? end : code;
	}
	return code;
}

bool
what_if_share_splits(const struct what_if_share *h)
{
	const struct ts_reader *rd = h->w->rd;
	const struct ts_reach *reach = &rd->report->binding[TS_LOWERED_VARIABLE].reach;

	/* a damaged relation has no section, and no sum of one that has a section overflows */
	return ts_tile_lives_quick(rd->index) && (h->by_number || !h->names.any) &&
		ts_reach_span(reach) > 0 && reach->last_rowid < INT64_MAX;
}

/* Names are not asked any more: numbers say all. */
static void
take_choice(struct what_if_share *h, const struct what_if_share *like)
{
	h->lent = true;
	h->by_number = like->by_number;
	h->by_id = like->by_id;
	h->near = like->near;
	h->far = like->far;
	h->fars = like->fars;
	h->settled = like->settled;
}

enum ts_code
what_if_share_open(struct what_if_share **out, struct what_if_work *w,
	const struct what_if_share *like, struct ts_err *err)
{
	struct what_if_share *h = ts_alloc(1, sizeof(*h));
	enum ts_code code;

	*out = h;
	if (!h)
		return ts_err_nomem(err);
	h->w = w;
	h->c = &w->w->changes;
	h->damage = ts_live_axis_read(&h->axis, w->rd, w->cache, err);
	code = h->damage == TS_E_DAMAGED ? TS_OK : h->damage;
	if (!code)
		code = ts_live_gather_begin(&h->g, &h->axis, w->cache, err);
	if (!code && like)
		take_choice(h, like);
	else if (!code)
		code = choose(h, err);
	h->damage = code == TS_E_DAMAGED ? code : h->damage;
	return code == TS_E_DAMAGED ? TS_OK : code;
}

enum ts_code
what_if_share_merge(struct what_if_share *to, struct what_if_share *from, struct ts_err *err)
{
	struct ts_what_if *a = to->w->w, *b = from->w->w;
	bool fits = true;
	enum ts_code code = ts_live_gather_end(&from->g, err);

	if (to->axis.points != from->axis.points || to->axis.classes != from->axis.classes)
		return ts_err_set(err, TS_E_STALE, "the report has changed");
	if (!code)
		code = ts_live_gather_merge(&fits, &to->g, &from->g, err);
	for (int i = 0; i < to->c->count; i++) {
		a->sum[i].variables += b->sum[i].variables;
		a->sum[i].bytes += b->sum[i].bytes;
		a->sum[i].less += b->sum[i].less;
		a->sum[i].unplaced += b->sum[i].unplaced;
		a->sum[i].unplaced_bytes += b->sum[i].unplaced_bytes;
	}
	a->unknown += b->unknown;
	to->damage = from->damage ? from->damage : to->damage;
	return code || fits ? code : ts_err_set(err, TS_E_STALE, "the report has changed");
}

enum ts_code
what_if_share_table(struct ts_tile_lives **out, struct what_if_share *h, struct ts_err *err)
{
	enum ts_code code = ts_live_table(out, &h->axis, &h->g, h->w->rd, false, err);

	return code ? code : h->damage;
}

void
what_if_share_close(struct what_if_share *h)
{
	if (!h)
		return;
	close_names(&h->names);
	if (!h->lent) {
		ts_pile_fini(&h->near);
		ts_pile_fini(&h->far);
	}
	ts_live_gather_fini(&h->g);
	ts_live_axis_fini(&h->axis);
	free(h);
}

enum ts_code
ts_what_if_pattern(const char *text, struct ts_err *err)
{
	struct ts_pattern *pattern;
	enum ts_code code = ts_pattern_compile(&pattern, text,
		TS_PATTERN_NOCASE | TS_PATTERN_SLASHES, NULL, err);

	if (!code)
		ts_pattern_free(pattern);
	return code;
}

/* --- does a change name anything -------------------------------------------------------------- */

enum { N_ID, N_NAME, N_COLUMNS };

/* Is one of the rows of a relation named? Its columns: a number, a name. */
static enum ts_code
find_named(bool *any, struct what_if_share *h, enum ts_relation relation,
	const int columns[N_COLUMNS], struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {columns[N_ID], columns[N_NAME]},
		.column_count = h->names.any ? N_COLUMNS : N_NAME,
		.past_damage = true};
	int64_t total = ts_reach_span(&h->w->rd->report->binding[relation].reach), row = 0, id;
	struct ts_rows *rows;
	const char *name;
	size_t n;
	enum ts_code code = ts_reader_rows(&rows, h->w->rd, relation, &q, err);
	bool there;
	int change;

	if (code)
		return code;
	while (!*any && !(code = ts_rows_next(rows, &there, err)) && there) {
		if (++row % PROGRESS_ROWS == 0)
			ts_progress_set(h->w->progress, row, total);
		if (!h->names.any) {
			*any = ts_rows_number(rows, N_ID, &id) == TS_VALUE_OK &&
				id == h->c->item[0].id;
		} else if (name_of(rows, N_NAME, &name, &n)) {
			code = ask_name(&change, h, name, n, NOBODY, err);
			*any = change >= 0;
			if (code)
				break;
		}
	}
	ts_rows_close(rows);
	return code;
}

enum ts_code
ts_what_if_names(bool *any, struct ts_reader *rd, const struct ts_what_if_change *x,
	struct ts_groups *groups, struct ts_progress *progress, struct ts_err *err)
{
	static const int unlowered[] = {TS_VARIABLE_VARIABLE, TS_VARIABLE_NAME};
	static const int from[] = {TS_LOWERED_VARIABLE_VARIABLE, TS_LOWERED_VARIABLE_NAME};
	static const int lowered[] = {TS_LOWERED_VARIABLE_ID, TS_LOWERED_VARIABLE_NAME};
	struct ts_what_if w = {.changes = {.count = 1, .item = {*x}}};
	struct what_if_work work = {&w, rd, groups, NULL, progress, NULL, 0, NULL};
	struct what_if_share h = {.w = &work, .c = &w.changes};
	enum ts_code code;

	*any = false;
	h.by_number = ts_report_has(rd->report, TS_VARIABLE) &&
		ts_report_has_column(rd->report, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_VARIABLE);
	code = open_change(&h, 0, err);
	if (!code)
		code = x->of == TS_WHAT_IF_LOWERED
			? find_named(any, &h, TS_LOWERED_VARIABLE, lowered, err)
			: h.by_number ? find_named(any, &h, TS_VARIABLE, unlowered, err)
				      : find_named(any, &h, TS_LOWERED_VARIABLE, from, err);
	*any |= code == TS_E_DAMAGED;
	close_names(&h.names);
	return code == TS_E_DAMAGED ? TS_OK : code;
}
