/* SPDX-License-Identifier: MIT */
/*
 * operation_links - see the header. The users of each variable are looked at together, and links put down one by one, then put
 * together.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"

#include "operation_links_internal.h"
#include "operations_internal.h"

enum { LOOK = 1024 };

/* An operation that uses the variable under way, and its first liveness step there. */
struct user {
	uint32_t node, spare;
	int64_t step;
};

struct linking {
	const struct ts_operation_uses *v;
	const struct ts_cache *cache;
	const struct ts_cancel *cancel;
	int layer;
	struct ts_operation_links *to;
	struct ts_pile wanted; /* uint32_t: variables to look at, ascending */
	struct ts_pile link;   /* struct ts_operation_link */
	struct ts_pile user;   /* struct user */
};

const char *
ts_link_way_word(enum ts_link_way way)
{
	static const char *const word[TS_LINK_WAYS] = {"from", "to", "shared"};

	return word[way];
}

const char *
ts_link_how_word(enum ts_link_how how)
{
	static const char *const word[TS_LINK_HOWS] = {"context", "order of steps", "not recorded"};

	return word[how];
}

/* --- which variables -------------------------------------------------------------------------------- */

/* The first of those that belong to `key` or what follows it. */
static size_t
first_of(const struct ts_pile *p, uint32_t key)
{
	const struct op_belongs *b = p->memory;
	size_t low = 0, high = p->used / sizeof(*b);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (b[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int
by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Sorted, each once. */
static enum ts_code
settle(struct ts_pile *p, const struct linking *w, struct ts_err *err)
{
	size_t n = p->used / sizeof(uint32_t), kept = 0;
	enum ts_code code = ts_pile_sort(p, n, sizeof(uint32_t), by_value, w->cache, w->cancel,
		err);
	uint32_t *x = p->memory;

	for (size_t i = 0; !code && i < n; i++)
		if (kept == 0 || x[kept - 1] != x[i])
			x[kept++] = x[i];
	p->used = kept * sizeof(*x);
	return code;
}

/* What belongs to the keys [from, to) of a list. */
static enum ts_code
add_items(struct ts_pile *out, const struct ts_pile *list, uint32_t from, uint32_t to,
	const struct linking *w, struct ts_err *err)
{
	const struct op_belongs *b = list->memory;
	size_t end = first_of(list, to);
	enum ts_code code = TS_OK;

	for (size_t i = first_of(list, from); !code && i < end; i++) {
		if (i % LOOK == 0 && ts_cancelled(w->cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		code = ts_pile_add(out, &b[i].item, sizeof(b[i].item), w->cache, err);
	}
	return code;
}

/*
 * Variables that can link operation i: which programs at or below it name, or that were made there. Some of those belong to an
 * operation of its layer further down: whose they are is asked of each.
 */
static enum ts_code
list_wanted(struct linking *w, uint32_t i, struct ts_err *err)
{
	const struct ts_operation_uses *v = w->v;
	uint32_t end = v->ops->node[i].end;
	struct ts_pile programs = {0};
	enum ts_code code = add_items(&programs, &v->programs, i, end, w, err);

	if (!code)
		code = settle(&programs, w, err);
	for (size_t k = 0; !code && k < programs.used / sizeof(uint32_t); k++) {
		uint32_t program = ((const uint32_t *)programs.memory)[k];

		code = add_items(&w->wanted, &v->of_program, program, program + 1, w, err);
	}
	ts_pile_fini(&programs);
	if (!code)
		code = add_items(&w->wanted, &v->of_door, i, end, w, err);
	return code ? code : settle(&w->wanted, w, err);
}

/* --- links ------------------------------------------------------------------------------------------ */

static enum ts_code
add_link(struct linking *w, uint32_t node, enum ts_link_way way, enum ts_link_how how,
	const struct op_variable *v, struct ts_err *err)
{
	struct ts_operation_link l = {.node = node,
		.way = (uint8_t)way,
		.how = (uint8_t)how,
		.variables = 1,
		.bytes = v->bytes,
		.first = v->variable,
		.most = v->bytes};

	return ts_pile_add(&w->link, &l, sizeof(l), w->cache, err);
}

static int
by_node(const void *a, const void *b)
{
	const struct user *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

/* The operations that name a variable, each with its first known step. */
static enum ts_code
list_users(size_t *n, struct linking *w, size_t variable, struct ts_err *err)
{
	const struct op_variable *v = ts_op_variable(w->v, variable);
	const struct ts_use *use = w->v->uses->named.memory;
	struct user *u;
	enum ts_code code = TS_OK;
	size_t all = 0;

	*n = 0;
	w->user.used = 0;
	for (uint64_t i = v->first; !code && i < v[1].first; i++) {
		const struct ts_program_cost *c = ts_program_costs_find(w->v->ops->costs,
			use[i].program);
		struct user new = {ts_operation_of_program(w->v->ops, use[i].program, w->layer), 0,
			c && c->live_step != TS_UNKNOWN ? c->live_step : INT64_MAX};

		if (new.node != TS_NO_OPERATION) {
			code = ts_pile_add(&w->user, &new, sizeof(new), w->cache, err);
			all += !code;
		}
	}
	if (!code)
		code = ts_pile_sort(&w->user, all, sizeof(*u), by_node, w->cache, w->cancel, err);
	u = w->user.memory;
	for (size_t i = 0; !code && i < all; i++)
		if (*n == 0 || u[*n - 1].node != u[i].node)
			u[(*n)++] = u[i];
	return code;
}

/* What a variable links operation i with. */
static enum ts_code
link_variable(struct linking *w, uint32_t i, const struct op_variable *v, size_t users,
	struct ts_err *err)
{
	const struct user *u = w->user.memory, *mine = NULL;
	uint32_t maker = ts_op_up_to(w->v->ops, v->door, w->layer);
	bool made = maker == i;
	enum ts_code code = TS_OK;

	for (size_t k = 0; k < users; k++)
		if (u[k].node == i)
			mine = &u[k];
	if (!mine && !made)
		return TS_OK;
	w->to->variables++;
	if (maker != TS_NO_OPERATION && !made)
		return add_link(w, maker, TS_LINK_FROM, TS_LINK_BY_CONTEXT, v, err);
	for (size_t k = 0; !code && k < users; k++) {
		if (u[k].node == i)
			continue;
		if (made)
			code = add_link(w, u[k].node, TS_LINK_TO, TS_LINK_BY_CONTEXT, v, err);
		else if (u[k].step == INT64_MAX || mine->step == INT64_MAX ||
			u[k].step == mine->step)
			code = add_link(w, u[k].node, TS_LINK_SHARED, TS_LINK_UNSAID, v, err);
		else
			code = add_link(w, u[k].node,
				u[k].step < mine->step ? TS_LINK_FROM : TS_LINK_TO, TS_LINK_BY_STEP,
				v, err);
	}
	return code;
}

static enum ts_code
link_all(struct linking *w, uint32_t i, struct ts_err *err)
{
	const uint32_t *wanted;
	size_t users;
	enum ts_code code = list_wanted(w, i, err);

	wanted = w->wanted.memory;
	for (size_t k = 0; !code && k < w->wanted.used / sizeof(*wanted); k++) {
		if (k % LOOK == 0 && ts_cancelled(w->cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		code = list_users(&users, w, wanted[k], err);
		if (!code)
			code = link_variable(w, i, ts_op_variable(w->v, wanted[k]), users, err);
	}
	return code;
}

static int
by_link(const void *a, const void *b)
{
	const struct ts_operation_link *x = a, *y = b;

	if (x->way != y->way)
		return x->way < y->way ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->how > y->how) - (x->how < y->how);
}

static int
most_bytes(const void *a, const void *b)
{
	const struct ts_operation_link *x = a, *y = b;

	if (x->way != y->way)
		return x->way < y->way ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return by_link(a, b);
}

static void
join(struct ts_operation_link *a, const struct ts_operation_link *b)
{
	a->variables += b->variables;
	if (b->bytes != TS_UNKNOWN && (a->bytes == TS_UNKNOWN || !ts_add_i64(&a->bytes, b->bytes)))
		a->bytes = a->bytes == TS_UNKNOWN ? b->bytes : TS_NUMBER_MAX;
	if (b->most > a->most) {
		a->most = b->most;
		a->first = b->first;
	}
}

/* Each other operation once for each way and reason; the most bytes first. */
static enum ts_code
put_together(struct linking *w, struct ts_err *err)
{
	size_t n = w->link.used / sizeof(struct ts_operation_link), kept = 0;
	struct ts_operation_links *to = w->to;
	struct ts_operation_link *l;
	enum ts_code code = ts_pile_sort(&w->link, n, sizeof(*l), by_link, w->cache, w->cancel,
		err);

	l = w->link.memory;
	for (size_t i = 0; !code && i < n; i++) {
		if (kept > 0 && by_link(&l[kept - 1], &l[i]) == 0)
			join(&l[kept - 1], &l[i]);
		else
			l[kept++] = l[i];
	}
	if (!code)
		code = ts_pile_sort(&w->link, kept, sizeof(*l), most_bytes, w->cache, w->cancel,
			err);
	if (code)
		return code;
	to->cut = kept > TS_OPERATION_LINKS;
	to->count = to->cut ? TS_OPERATION_LINKS : kept;
	to->link = ts_alloc(to->count + 1, sizeof(*l));
	if (!to->link)
		return ts_err_nomem(err);
	if (to->count > 0)
		memcpy(to->link, w->link.memory, to->count * sizeof(*l));
	return TS_OK;
}

static void
say_why(struct ts_operation_links *to)
{
	if (to->count > 0)
		return;
	snprintf(to->why, sizeof(to->why), "%s",
		to->variables == 0
			? "no program of it names a variable, and none names one of its own"
			: "no other operation of this layer has a variable of it");
}

static void
fini(struct linking *w)
{
	ts_pile_fini(&w->wanted);
	ts_pile_fini(&w->link);
	ts_pile_fini(&w->user);
}

enum ts_code
ts_operation_links_read(struct ts_operation_links *out, const struct ts_operation_uses *v,
	uint32_t i, const struct ts_cache *cache, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct linking w = {.v = v,
		.cache = cache,
		.cancel = cancel,
		.to = out,
		.layer = v->ops->node[i].layer};
	enum ts_code code = TS_OK;

	*out = (struct ts_operation_links){.partial = v->partial};
	snprintf(out->why, sizeof(out->why), "%s", v->why);
	if (v->uses)
		code = link_all(&w, i, err);
	if (!code)
		code = put_together(&w, err);
	if (!code && !out->why[0])
		say_why(out);
	fini(&w);
	return code;
}

/* What the rows are worth that were put down. */
static enum ts_code
worth(const struct ts_operation_uses *v, struct ts_err *err)
{
	if (v->why[0])
		return ts_err_set(err, TS_E_ABSENT, "%s", v->why);
	if (v->partial)
		return ts_err_set(err, TS_E_DAMAGED, "not all could be read");
	return TS_OK;
}

enum ts_code
ts_operation_link_rows_read(struct ts_pile *out, const struct ts_operation_uses *v, uint32_t i,
	const struct ts_cache *cache, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_operation_links to = {0};
	struct linking w = {.v = v,
		.cache = cache,
		.cancel = cancel,
		.to = &to,
		.layer = v->ops->node[i].layer};
	enum ts_code code = v->uses ? link_all(&w, i, err) : TS_OK;

	if (!code) {
		*out = w.link;
		w.link = (struct ts_pile){0};
		code = worth(v, err);
	}
	fini(&w);
	return code;
}

void
ts_operation_links_fini(struct ts_operation_links *l)
{
	free(l->link);
	*l = (struct ts_operation_links){0};
}

/* --- all of a layer --------------------------------------------------------------------------------- */

/* From its maker, else from who comes first, to the others. */
static enum ts_code
flow_variable(struct ts_pile *out, struct linking *w, const struct op_variable *v, size_t users,
	struct ts_err *err)
{
	const struct user *u = w->user.memory, *first = NULL;
	struct ts_operation_flow f = {.from = ts_op_up_to(w->v->ops, v->door, w->layer),
		.how = TS_LINK_BY_CONTEXT,
		.variables = 1,
		.bytes = v->bytes};
	enum ts_code code = TS_OK;

	for (size_t i = 0; i < users; i++)
		if (u[i].step != INT64_MAX && (!first || u[i].step < first->step))
			first = &u[i];
	if (f.from == TS_NO_OPERATION && first) {
		f.from = first->node;
		f.how = TS_LINK_BY_STEP;
	}
	for (size_t i = 0; !code && f.from != TS_NO_OPERATION && i < users; i++) {
		f.to = u[i].node;
		if (f.to != f.from &&
			(f.how == TS_LINK_BY_CONTEXT ||
				(u[i].step != INT64_MAX && u[i].step > first->step)))
			code = ts_pile_add(out, &f, sizeof(f), w->cache, err);
	}
	return code;
}

static int
by_flow(const void *a, const void *b)
{
	const struct ts_operation_flow *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return (x->how > y->how) - (x->how < y->how);
}

static void
join_flows(struct ts_operation_flow *a, const struct ts_operation_flow *b)
{
	a->variables += b->variables;
	a->bytes = a->bytes == TS_UNKNOWN || b->bytes == TS_UNKNOWN ||
			b->bytes > TS_NUMBER_MAX - a->bytes
		? TS_UNKNOWN
		: a->bytes + b->bytes;
}

enum ts_code
ts_operation_flows_read(struct ts_pile *out, const struct ts_operation_uses *v, uint32_t layer,
	const struct ts_cache *cache, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct linking w = {.v = v, .cache = cache, .cancel = cancel, .layer = (int)layer};
	struct ts_operation_flow *f;
	size_t users, n, kept = 0;
	enum ts_code code = TS_OK;

	for (size_t k = 0; !code && k < v->variables; k++) {
		if (k % LOOK == 0 && ts_cancelled(cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		if (!code)
			code = list_users(&users, &w, k, err);
		if (!code)
			code = flow_variable(out, &w, ts_op_variable(v, k), users, err);
	}
	n = out->used / sizeof(*f);
	if (!code)
		code = ts_pile_sort(out, n, sizeof(*f), by_flow, cache, cancel, err);
	f = out->memory;
	for (size_t i = 0; !code && i < n; i++) {
		if (kept > 0 && by_flow(&f[kept - 1], &f[i]) == 0)
			join_flows(&f[kept - 1], &f[i]);
		else
			f[kept++] = f[i];
	}
	out->used = kept * sizeof(*f);
	fini(&w);
	return code ? code : worth(v, err);
}
