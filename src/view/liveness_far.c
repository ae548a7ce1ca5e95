/* SPDX-License-Identifier: MIT */
/*
 * liveness_far - the list of who is alive, where it is long: sorted, filtered, searched and written by a worker.
 *
 * The values are those of the table (live_alive_value()), the order is that of any table (arranged.h). A worker
 * has a share in the rows, and a copy of what else they are worked out of. A file is written from rows of its own
 * where only the largest are held.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/view/sheet.h"

#include "liveness_alive.h"

enum {
	ASK_ARRANGED, /* kinds of the tab's fetches */
	ASK_HIT,
	AHEAD = 8, /* rows */
};

/* --- arranging -------------------------------------------------------------------------------- */

/* What a worker has to know to arrange rows. */
struct question {
	struct alive_look look;
	struct ts_alive *alive;	  /* held */
	struct ts_groups *groups; /* held, or NULL */
	struct ts_lives *lives;	  /* held, or NULL: of all rows, where only the largest are held */
	struct ts_live_labels *labels; /* held, or NULL */
	struct ts_what_if_changes what_if;
	int columns;
	struct ts_column column[C_MARK + TS_ALIVE_MARKS];
	struct ts_column_facts facts[C_MARK + TS_ALIVE_MARKS];
};

static void
free_question(void *ctx)
{
	struct question *q = ctx;

	ts_alive_close(q->alive);
	ts_groups_close(q->groups);
	ts_lives_close(q->lives);
	ts_live_labels_close(q->labels);
	free(q);
}

/* Of the rows as they are shown; titles, which change, are left out. NULL: no memory. */
static struct question *
new_question(const struct alive_tab *a)
{
	const struct liveness *s = a->s;
	struct question *q = ts_alloc(1, sizeof(*q));

	if (!q)
		return NULL;
	live_alive_look(&q->look, s);
	q->alive = ts_alive_hold(s->alive);
	q->groups = s->groups ? ts_groups_hold(s->groups) : NULL;
	q->what_if = *q->look.what_if;
	q->look.groups = q->groups;
	q->look.what_if = &q->what_if;
	q->columns = a->columns;
	memcpy(q->column, a->column, sizeof(q->column));
	memcpy(q->facts, a->facts, sizeof(q->facts));
	for (int i = 0; i < a->columns; i++)
		q->column[i].title = "";
	return q;
}

/* Names of the index lie anywhere in it: those of the rows behind are under way while this one is looked at. */
static void
fetch_ahead(const struct ts_alive *a, int64_t row)
{
	uint32_t name;

	if (!a->index || row >= a->rows - 2 * AHEAD)
		return;
	name = a->row[row + 2 * AHEAD].name;
	if (name > 0 && name <= a->names.names)
		__builtin_prefetch(&a->names.at[name - 1]);
	__builtin_prefetch(ts_variable_names_text(&a->names, a->row[row + AHEAD].name));
}

static bool
far_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct question *q = ctx;

	if (column == C_NAME)
		fetch_ahead(q->alive, row);
	return live_alive_value(&q->look, row, column, out);
}

static bool
far_rank(void *ctx, int64_t row, int column, int64_t *rank)
{
	return live_alive_rank(((const struct question *)ctx)->alive, row, column, rank);
}

/* Rows of the question, which goes with them. */
static struct ts_arrangeable
arrangeable(struct question *q)
{
	q->look.alive = q->alive;
	return (struct ts_arrangeable){.rows = q->alive->rows,
		.table = {.column = q->column,
			.columns = q->columns,
			.facts = q->facts,
			.value = far_value,
			.rank = far_rank,
			.shared = true,
			.ctx = q},
		.free = free_question};
}

/* --- questions -------------------------------------------------------------------------------- */

/* Rows come by size, unless steps are compared. */
static int
come_by(const struct ts_alive *a)
{
	return a->asked.marks == 0 ? C_BYTES : -1;
}

static bool
is_asked(const struct alive_tab *a)
{
	return ts_arranging_is_asked(&a->arranging, &a->l.order, a->l.of);
}

static void
ask_arranged(struct alive_tab *a, struct ts_tab *t)
{
	const struct ts_table_wish wish = ts_table_wish(&a->l.order);
	struct ts_arrangeable what;
	struct question *q;

	if (ts_table_wish_is_plain(&wish, come_by(a->s->alive))) {
		ts_arranging_set(&a->arranging, &a->l.table, &a->l.list, a->l.of, NULL);
		return;
	}
	q = new_question(a);
	if (q)
		what = arrangeable(q);
	ts_arranging_send(&a->arranging, t, t->kind + ASK_ARRANGED, &a->l.table, a->l.of,
		q ? &what : NULL);
}

static void
ask_hit(struct alive_tab *a, struct ts_tab *t)
{
	struct question *q = new_question(a);
	struct ts_arrangeable what;

	if (q)
		what = arrangeable(q);
	(void)ts_row_search_send(&a->search, t, t->kind + ASK_HIT, &a->l.list, a->l.of, a->l.needle,
		q ? &what : NULL, a->l.order.row ? a->arranging.shown : NULL);
}

/* Are all rows of the newest question here? */
static bool
is_whole(const struct liveness *s)
{
	return s->alive && s->alive->listed && s->alive->left_rows == 0 &&
		!s->under_way[LIVE_FETCH_ALIVE];
}

void
live_far_request(struct alive_tab *a, struct ts_tab *t)
{
	struct liveness *s = a->s;

	if (!s->alive || !s->alive->listed)
		return;
	live_alive_begin(a, t);
	if (a->l.order.elsewhere && !is_asked(a))
		ask_arranged(a, t);
	if (!a->search.wanted || !is_whole(s) || a->arranging.sent)
		return;
	if (a->l.order.elsewhere) {
		ask_hit(a, t);
		return;
	}
	a->search.wanted = false;
	ts_held_list_find(&a->l, s->v.env, a->search.step, a->search.here);
}

enum ts_effect
live_far_deliver(struct ts_tab *t, struct ts_fetch *f)
{
	struct alive_tab *a = t->own;
	bool rows = f == a->arranging.sent, hit = f == a->search.sent;
	struct ts_row_hit found;

	if (!rows && !hit)
		return TS_EFFECT_NONE;
	if (a->s->alive)
		live_alive_begin(a, t);
	if (rows && a->s->alive && a->l.order.elsewhere)
		ts_arranging_take(&a->arranging, f, t->view->env, &a->l.table, &a->l.list, a->l.of);
	else if (rows)
		ts_arranging_drop(&a->arranging);
	else if (ts_row_search_take(&a->search, f, t->view->env, a->l.of, &found) && a->s->alive)
		ts_held_list_found(&a->l, t->view->env, found.at, found.before, found.hits);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

void
live_far_drop(struct alive_tab *a)
{
	ts_arranging_drop(&a->arranging);
	a->search = (struct ts_row_search){.wanted = false};
}

void
live_far_fini(struct alive_tab *a)
{
	ts_arranging_fini(&a->arranging);
}

bool
live_far_busy(const struct alive_tab *a)
{
	return a->search.wanted || a->arranging.sent || a->search.sent;
}

enum ts_effect
live_far_search(struct alive_tab *a, const struct ts_call *call)
{
	const struct ts_alive *alive = a->s->alive;

	if (!alive || !alive->listed || (alive->left_rows == 0 && !a->l.order.elsewhere))
		return TS_EFFECT_UNKNOWN;
	return ts_row_search_command(&a->search, a->l.needle, call);
}

/* --- files ------------------------------------------------------------------------------------ */

/* All rows, where only the largest are held. */
static enum ts_code
read_all(struct ts_arrangeable *what, struct ts_reader *rd, struct ts_err *err)
{
	struct question *q = what->table.ctx;
	struct ts_alive_query query = q->alive->asked;
	struct ts_alive *all;
	enum ts_code code;

	if (q->alive->left_rows == 0 || !q->lives)
		return TS_OK;
	query.labels = q->labels;
	query.most = TS_LIVES_MAX;
	code = ts_alive_read(&all, rd, q->lives, &query, q->alive, err);
	if (code)
		return code;
	ts_alive_close(q->alive);
	q->alive = all;
	q->look.alive = all;
	what->rows = all->rows;
	return TS_OK;
}

static struct ts_row_source *
make_source(struct ts_view *v)
{
	struct liveness *l = (struct liveness *)v;
	const struct alive_tab *a = l->tabs.tab[0].own;
	struct ts_table_wish wish = ts_table_wish(&a->l.order);
	struct question *q = new_question(a);
	struct ts_arrangeable what;

	if (!q)
		return NULL;
	q->lives = l->lives ? ts_lives_hold(l->lives) : NULL;
	q->labels = l->labels && l->alive->grouped ? ts_live_labels_hold(l->labels) : NULL;
	what = arrangeable(q);
	return ts_arranged_source_read(&what, read_all, &wish, come_by(l->alive), l->alive->found);
}

bool
live_alive_sheet(struct ts_tab *t, struct ts_sheet *out)
{
	const struct alive_tab *a = t->own;
	const struct ts_alive *alive = a->s->alive;

	if (!live_tab_sheet(t, out))
		return false;
	if (alive && alive->listed && (alive->left_rows > 0 || a->l.order.elsewhere))
		out->source = make_source;
	if (alive && alive->left_rows > 0 && !a->s->lives)
		out->wait = "the smaller ones are being read";
	return true;
}
