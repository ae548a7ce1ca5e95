/* SPDX-License-Identifier: MIT */
/*
 * operation_links - see the header. What programs name is one list, by variable (report/lifetimes.h); the users of each are
 * looked at together, and links put down one by one, then put together.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/lifetimes.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/operation_links.h"
#include "tilescope/report/rows.h"

#include "operations_internal.h"

enum { LOOK = 4096, CLIMB = 4096 };

/* A variable that programs name. */
struct variable {
	int64_t variable, bytes;
	uint32_t maker; /* node, in the layer */
};

/* An operation that uses the variable under way, and its first liveness step there. */
struct user {
	uint32_t node, spare;
	int64_t step;
};

struct linking {
	const struct ts_operations *o;
	struct ts_reader *rd;
	const struct ts_cache *cache;
	struct ts_operation_links *to;
	int layer;
	struct ts_context_steps steps;
	struct ts_context_step one;
	struct ts_dictionary met; /* contexts that were asked for, and */
	struct ts_pile door;	  /* uint32_t: the node of each, of any layer */
	struct ts_pile variable;  /* struct variable, by number */
	size_t variables;
	struct ts_pile link; /* struct ts_operation_link */
	struct ts_pile user; /* struct user */
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

/* --- contexts --------------------------------------------------------------------------------------- */

static enum ts_code
open_contexts(struct linking *w, struct ts_progress *progress, struct ts_err *err)
{
	enum ts_code code = ts_context_steps_open(&w->steps, w->rd, w->cache, progress, err);

	ts_context_step_init(&w->one, TS_OPERATION_TEXT);
	w->met.numbers = true;
	w->met.cache = w->cache;
	for (uint32_t i = 0; !code && i < w->o->count; i++) {
		uint32_t entry;
		int64_t known;

		if (!w->o->node[i].has_context)
			continue;
		/* a recorded operation below the node of its context stands for it */
		known = ts_dictionary_find(&w->met, w->o->node[i].context);
		if (known != TS_DICTIONARY_NONE) {
			uint32_t *door = (uint32_t *)w->door.memory + known;

			if (w->o->node[i].parent == *door &&
				w->o->node[*door].from == TS_OPERATION_BY_CONTEXT)
				*door = i;
			continue;
		}
		code = ts_dictionary_number(&w->met, &entry, w->o->node[i].context, "", 0, err);
		if (!code)
			code = ts_pile_add(&w->door, &i, sizeof(i), w->cache, err);
	}
	return code;
}

/* The node of a context, or of the nearest above it. What is climbed is remembered. */
static enum ts_code
door_of(uint32_t *node, struct linking *w, uint64_t id, struct ts_err *err)
{
	int64_t known = ts_dictionary_find(&w->met, (int64_t)id);
	uint64_t first = id;
	uint32_t entry;
	enum ts_code code = TS_OK;

	*node = TS_NO_OPERATION;
	for (int n = 0; known == TS_DICTIONARY_NONE && w->steps.any && n < CLIMB; n++) {
		code = ts_context_step_read(&w->one, &w->steps, id, err);
		if (code)
			return code;
		if (!w->one.found || !w->one.has_parent)
			break;
		id = w->one.parent;
		known = ts_dictionary_find(&w->met, (int64_t)id);
	}
	if (known != TS_DICTIONARY_NONE)
		*node = ((const uint32_t *)w->door.memory)[known];
	if (first == id && known != TS_DICTIONARY_NONE)
		return TS_OK;
	code = ts_dictionary_number(&w->met, &entry, (int64_t)first, "", 0, err);
	return code ? code : ts_pile_add(&w->door, node, sizeof(*node), w->cache, err);
}

static uint32_t
up_to(const struct linking *w, uint32_t at)
{
	while (at != TS_NO_OPERATION && w->layer >= 0 && w->o->node[at].layer != w->layer)
		at = w->o->node[at].parent;
	return at;
}

static void
fini(struct linking *w)
{
	ts_context_steps_close(&w->steps);
	ts_context_step_fini(&w->one);
	ts_dictionary_fini(&w->met);
	ts_pile_fini(&w->door);
	ts_pile_fini(&w->variable);
	ts_pile_fini(&w->link);
	ts_pile_fini(&w->user);
}

/* --- variables -------------------------------------------------------------------------------------- */

/* Those that programs name, once each. */
static enum ts_code
list_variables(struct linking *w, const struct ts_uses *u, struct ts_err *err)
{
	const struct ts_use *use = u->named.memory;
	enum ts_code code = TS_OK;

	for (size_t i = 0; !code && i < u->names; i++) {
		struct variable v = {use[i].variable, TS_UNKNOWN, TS_NO_OPERATION};

		if (i > 0 && use[i - 1].variable == v.variable)
			continue;
		code = ts_pile_add(&w->variable, &v, sizeof(v), w->cache, err);
		w->variables += !code;
	}
	return code;
}

static int
by_number(const void *a, const void *b)
{
	const struct variable *x = a, *y = b;

	return (x->variable > y->variable) - (x->variable < y->variable);
}

static struct variable *
find_variable(const struct linking *w, int64_t number)
{
	struct variable wanted = {.variable = number};

	return number == TS_UNKNOWN || w->variables == 0
		? NULL
		: bsearch(&wanted, w->variable.memory, w->variables, sizeof(wanted), by_number);
}

/* Bytes and maker of each. */
static enum ts_code
read_variables(struct linking *w, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_VARIABLE_VARIABLE, TS_VARIABLE_BYTES,
					  TS_VARIABLE_CONTEXT},
		.column_count = 3,
		.past_damage = true};
	struct ts_rows *rows;
	enum ts_code code;
	uint64_t id;
	bool there;

	if (!ts_report_has(w->rd->report, TS_VARIABLE))
		return TS_OK;
	code = ts_reader_rows(&rows, w->rd, TS_VARIABLE, &q, err);
	while (!code && !(code = ts_rows_next(rows, &there, err)) && there) {
		struct variable *v = find_variable(w, ts_rows_known(rows, 0));

		if (!v)
			continue;
		v->bytes = ts_rows_known(rows, 1);
		if (ts_rows_bits(rows, 2, &id) == TS_VALUE_OK) {
			code = door_of(&v->maker, w, id, err);
			v->maker = up_to(w, v->maker);
		}
	}
	ts_rows_close(rows);
	w->to->partial |= code == TS_E_DAMAGED;
	return code == TS_E_DAMAGED ? TS_OK : code;
}

/* --- links ------------------------------------------------------------------------------------------ */

static enum ts_code
add_link(struct linking *w, uint32_t node, enum ts_link_way way, enum ts_link_how how,
	const struct variable *v, struct ts_err *err)
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
list_users(size_t *n, struct linking *w, const struct ts_use *use, size_t uses, struct ts_err *err)
{
	struct user *u;
	enum ts_code code = TS_OK;
	size_t all = 0;

	*n = 0;
	w->user.used = 0;
	for (size_t i = 0; !code && i < uses; i++) {
		const struct ts_program_cost *c = ts_program_costs_find(w->o->costs,
			use[i].program);
		struct user new = {ts_operation_of_program(w->o, use[i].program, w->layer), 0,
			c && c->live_step != TS_UNKNOWN ? c->live_step : INT64_MAX};

		if (new.node != TS_NO_OPERATION) {
			code = ts_pile_add(&w->user, &new, sizeof(new), w->cache, err);
			all += !code;
		}
	}
	if (!code)
		code = ts_pile_sort(&w->user, all, sizeof(*u), by_node, w->cache, w->rd->cancel,
			err);
	u = w->user.memory;
	for (size_t i = 0; !code && i < all; i++)
		if (*n == 0 || u[*n - 1].node != u[i].node)
			u[(*n)++] = u[i];
	return code;
}

/* What a variable links operation i with. */
static enum ts_code
link_variable(struct linking *w, uint32_t i, const struct variable *v, size_t users,
	struct ts_err *err)
{
	const struct user *u = w->user.memory, *mine = NULL;
	bool made = v->maker == i;
	enum ts_code code = TS_OK;

	for (size_t k = 0; k < users; k++)
		if (u[k].node == i)
			mine = &u[k];
	if (!mine && !made)
		return TS_OK;
	w->to->variables++;
	if (v->maker != TS_NO_OPERATION && !made)
		return add_link(w, v->maker, TS_LINK_FROM, TS_LINK_BY_CONTEXT, v, err);
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
link_all(struct linking *w, const struct ts_uses *uses, uint32_t i, struct ts_err *err)
{
	const struct ts_use *use = uses->named.memory;
	size_t at = 0, end, users;
	enum ts_code code = TS_OK;

	for (size_t k = 0; !code && k < w->variables; k++, at = end) {
		const struct variable *v = (const struct variable *)w->variable.memory + k;

		if (k % LOOK == 0 && ts_cancelled(w->rd->cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		for (end = at; end < uses->names && use[end].variable == v->variable; end++)
			;
		code = list_users(&users, w, use + at, end - at, err);
		if (!code)
			code = link_variable(w, i, v, users, err);
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
	enum ts_code code = ts_pile_sort(&w->link, n, sizeof(*l), by_link, w->cache, w->rd->cancel,
		err);

	l = w->link.memory;
	for (size_t i = 0; !code && i < n; i++) {
		if (kept > 0 && by_link(&l[kept - 1], &l[i]) == 0)
			join(&l[kept - 1], &l[i]);
		else
			l[kept++] = l[i];
	}
	if (!code)
		code = ts_pile_sort(&w->link, kept, sizeof(*l), most_bytes, w->cache, w->rd->cancel,
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

/* What programs name, and who made it. *uses NULL: it is not recorded, and `why`. */
static enum ts_code
begin(struct linking *w, struct ts_uses **uses, struct ts_progress *progress, struct ts_err *err)
{
	struct ts_err why = {0};
	enum ts_code code = ts_uses_read(uses, w->rd, w->cache, progress, &why);

	w->to->partial = code == TS_E_DAMAGED;
	if (code == TS_E_ABSENT) {
		snprintf(w->to->why, sizeof(w->to->why), "%.*s", (int)sizeof(w->to->why) - 1,
			why.msg);
		return TS_OK;
	}
	if (code && code != TS_E_DAMAGED) {
		if (err)
			*err = why;
		return code;
	}
	code = *uses ? open_contexts(w, progress, err) : TS_OK;
	if (!code && *uses)
		code = list_variables(w, *uses, err);
	return code ? code : read_variables(w, err);
}

enum ts_code
ts_operation_links_read(struct ts_operation_links *out, struct ts_reader *rd,
	const struct ts_operations *o, uint32_t i, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err)
{
	struct linking w = {.o = o, .rd = rd, .cache = cache, .to = out, .layer = o->node[i].layer};
	struct ts_uses *uses = NULL;
	enum ts_code code;

	*out = (struct ts_operation_links){0};
	code = begin(&w, &uses, progress, err);
	if (!code && uses)
		code = link_all(&w, uses, i, err);
	if (!code)
		code = put_together(&w, err);
	if (!code && !out->why[0])
		say_why(out);
	fini(&w);
	ts_uses_close(uses);
	return code;
}

enum ts_code
ts_operation_link_rows_read(struct ts_pile *out, struct ts_reader *rd,
	const struct ts_operations *o, uint32_t i, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err)
{
	struct ts_operation_links to = {0};
	struct linking w = {.o = o, .rd = rd, .cache = cache, .to = &to, .layer = o->node[i].layer};
	struct ts_uses *uses = NULL;
	enum ts_code code = begin(&w, &uses, progress, err);

	if (!code && uses)
		code = link_all(&w, uses, i, err);
	if (!code) {
		*out = w.link;
		w.link = (struct ts_pile){0};
	}
	if (!code && to.why[0])
		code = ts_err_set(err, TS_E_ABSENT, "%s", to.why);
	if (!code && to.partial)
		code = ts_err_set(err, TS_E_DAMAGED, "not all could be read");
	fini(&w);
	ts_uses_close(uses);
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
flow_variable(struct ts_pile *out, struct linking *w, const struct variable *v, size_t users,
	struct ts_err *err)
{
	const struct user *u = w->user.memory, *first = NULL;
	struct ts_operation_flow f = {.from = v->maker,
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

enum ts_code
ts_operation_flows_read(struct ts_pile *out, struct ts_reader *rd, const struct ts_operations *o,
	uint32_t layer, const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_operation_links to = {0};
	struct linking w = {.o = o, .rd = rd, .cache = cache, .to = &to, .layer = (int)layer};
	struct ts_uses *uses = NULL;
	struct ts_operation_flow *f;
	size_t at = 0, end, users, n, kept = 0;
	enum ts_code code = begin(&w, &uses, progress, err);

	for (size_t k = 0; !code && uses && k < w.variables; k++, at = end) {
		const struct variable *v = (const struct variable *)w.variable.memory + k;
		const struct ts_use *use = uses->named.memory;

		if (k % LOOK == 0 && ts_cancelled(rd->cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		for (end = at; end < uses->names && use[end].variable == v->variable; end++)
			;
		if (!code)
			code = list_users(&users, &w, use + at, end - at, err);
		if (!code)
			code = flow_variable(out, &w, v, users, err);
	}
	n = out->used / sizeof(*f);
	if (!code)
		code = ts_pile_sort(out, n, sizeof(*f), by_flow, cache, rd->cancel, err);
	f = out->memory;
	for (size_t i = 0; !code && i < n; i++) {
		if (kept == 0 || by_flow(&f[kept - 1], &f[i]) != 0) {
			f[kept++] = f[i];
			continue;
		}
		f[kept - 1].variables += f[i].variables;
		f[kept - 1].bytes = f[kept - 1].bytes == TS_UNKNOWN || f[i].bytes == TS_UNKNOWN ||
				f[i].bytes > TS_NUMBER_MAX - f[kept - 1].bytes
			? TS_UNKNOWN
			: f[kept - 1].bytes + f[i].bytes;
	}
	out->used = kept * sizeof(*f);
	if (!code && to.why[0])
		code = ts_err_set(err, TS_E_ABSENT, "%s", to.why);
	if (!code && to.partial)
		code = ts_err_set(err, TS_E_DAMAGED, "not all could be read");
	fini(&w);
	ts_uses_close(uses);
	return code;
}

/* --- the operation of a variable -------------------------------------------------------------------- */

/* The first row of a relation whose column 0 is `key`: columns 1 .. as bits; *found false: there is none. */
static enum ts_code
row_of(bool *found, uint64_t *bits, bool *known, struct ts_reader *rd, enum ts_relation relation,
	const int *columns, int n, int64_t key, struct ts_err *err)
{
	bool by_key = ts_relation_def(relation)->key == columns[0];
	struct ts_rows_query q = {.column_count = n, .past_damage = true};
	struct ts_rows *rows;
	enum ts_code code;

	*found = false;
	if (!ts_report_has(rd->report, relation) ||
		!ts_report_has_column(rd->report, relation, columns[0]))
		return TS_OK;
	memcpy(q.columns, columns, (size_t)n * sizeof(*columns));
	if (by_key) {
		q.range = TS_RANGE_KEY;
		q.from = key;
		q.to = key + 1;
	}
	code = ts_reader_rows(&rows, rd, relation, &q, err);
	while (!code && !*found) {
		bool there;

		code = ts_rows_next(rows, &there, err);
		if (code || !there)
			break;
		*found = ts_rows_known(rows, 0) == key;
		for (int i = 1; *found && i < n; i++)
			known[i - 1] = ts_rows_bits(rows, i, &bits[i - 1]) == TS_VALUE_OK;
	}
	ts_rows_close(rows);
	return code == TS_E_DAMAGED ? TS_OK : code;
}

/* As the context of the row says. */
static enum ts_code
by_row(uint32_t *node, uint64_t *before, bool *has_before, struct linking *w,
	enum ts_relation relation, const int *columns, int n, int64_t key, struct ts_err *err)
{
	uint64_t bits[2] = {0, 0};
	bool found, known[2] = {false, false};
	enum ts_code code = row_of(&found, bits, known, w->rd, relation, columns, n, key, err);

	if (!code && found && known[0])
		code = door_of(node, w, bits[0], err);
	*node = up_to(w, *node);
	*before = bits[1];
	*has_before = found && known[1];
	return code;
}

enum ts_code
ts_operation_of_variable(uint32_t *node, struct ts_reader *rd, const struct ts_operations *o,
	int64_t variable, bool lowered, int layer, const struct ts_cache *cache, struct ts_err *err)
{
	static const int said[] = {TS_OPERATION_VARIABLE_LOWERED_VARIABLE,
		TS_OPERATION_VARIABLE_OPERATION};
	static const int low[] = {TS_LOWERED_VARIABLE_ID, TS_LOWERED_VARIABLE_CONTEXT,
		TS_LOWERED_VARIABLE_VARIABLE};
	static const int high[] = {TS_VARIABLE_VARIABLE, TS_VARIABLE_CONTEXT};
	struct linking w = {.o = o, .rd = rd, .cache = cache, .layer = layer};
	uint64_t bits[1], before = (uint64_t)variable;
	bool found = false, known[1] = {false}, has_before = true;
	enum ts_code code = open_contexts(&w, NULL, err);

	*node = TS_NO_OPERATION;
	if (!code && lowered)
		code = row_of(&found, bits, known, rd, TS_OPERATION_VARIABLE, said, TS_COUNT(said),
			variable, err);
	if (!code && found && known[0])
		*node = up_to(&w, ts_operation_of_number(o, (int64_t)bits[0]));
	if (!code && lowered && *node == TS_NO_OPERATION)
		code = by_row(node, &before, &has_before, &w, TS_LOWERED_VARIABLE, low,
			TS_COUNT(low), variable, err);
	if (!code && has_before && *node == TS_NO_OPERATION && before <= (uint64_t)TS_NUMBER_MAX)
		code = by_row(node, &before, &has_before, &w, TS_VARIABLE, high, TS_COUNT(high),
			(int64_t)before, err);
	fini(&w);
	return code;
}
