/* SPDX-License-Identifier: MIT */
/*
 * program_find - see the header.
 *
 * What stands below is worked out from above: nodes that answer the last part, all that can be reached from them, of these
 * those that answer the part before, and so on. A node is entered once, so circles and shared bodies cost nothing.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/program_find.h"

enum { CANCEL_NODES = 4096 };

enum {
	F_TEXT,
	F_TYPE,
	F_NAME,
	F_CLASS,
	F_PROGRAM,
	F_SET,
	F_CONTEXT,
	F_REPEAT,
	F_USES,
	F_CHILDREN,
	F_STEPS,
	F_CYCLES,
	F_ONCE,
	F_ESTIMATED,
	F_OWN_CODE,
	F_CODE,
	F_CONTROL,
	F_LIVE,
	F_PROGRAMS,
	FIELDS
};

const struct ts_filter_field ts_program_fields[] = {
	[F_TEXT] = {"text", NULL, TS_FILTER_NAME, "text:matMul"},
	[F_TYPE] = {"type", NULL, TS_FILTER_WORD, "type=DoExchange"},
	[F_NAME] = {"name", NULL, TS_FILTER_NAME, "name~layer\\d+"},
	[F_CLASS] = {"class", NULL, TS_FILTER_WORD, "class=compute"},
	[F_PROGRAM] = {"program", "number", TS_FILTER_NUMBER, "program:12"},
	[F_SET] = {"compute_set", "set", TS_FILTER_NUMBER, "compute_set:7"},
	[F_CONTEXT] = {"context", NULL, TS_FILTER_NUMBER, "context:7"},
	[F_REPEAT] = {"repeat", "repeat_count", TS_FILTER_NUMBER, "repeat>1"},
	[F_USES] = {"uses", "used", TS_FILTER_NUMBER, "uses>1"},
	[F_CHILDREN] = {"children", NULL, TS_FILTER_NUMBER, "children>100"},
	[F_STEPS] = {"steps", NULL, TS_FILTER_NUMBER, "steps>0"},
	[F_CYCLES] = {"cycles", "executed", TS_FILTER_NUMBER, "cycles>1M"},
	[F_ONCE] = {"each", "measured", TS_FILTER_NUMBER, "each>10K"},
	[F_ESTIMATED] = {"estimated", NULL, TS_FILTER_NUMBER, "estimated>10K"},
	[F_OWN_CODE] = {"own_code", NULL, TS_FILTER_BYTES, "own_code>100K"},
	[F_CODE] = {"code", "exchange_code", TS_FILTER_BYTES, "code>100K"},
	[F_CONTROL] = {"control", "control_code", TS_FILTER_BYTES, "control>100K"},
	[F_LIVE] = {"live", NULL, TS_FILTER_BYTES, "live>100M"},
	[F_PROGRAMS] = {"programs", NULL, TS_FILTER_NUMBER, "programs>10"},
	[FIELDS] = {0},
};

/* --- the line --------------------------------------------------------------------------------------- */

/* Where a word stands alone in a line, outside of quotes; NULL: nowhere. */
static const char *
find_word(const char *line, const char *word)
{
	size_t n = strlen(word);
	char quote = '\0';

	for (const char *p = line; *p; p++) {
		bool begins = p == line || p[-1] == ' ' || p[-1] == ')';

		if (quote) {
			quote = *p == quote ? '\0' : quote;
			continue;
		}
		if (*p == '"')
			quote = *p;
		else if (begins && strncasecmp(p, word, n) == 0 &&
			(p[n] == ' ' || p[n] == '\0' || p[n] == '('))
			return p;
	}
	return NULL;
}

/* Part i is text[0 .. n). */
static enum ts_code
parse_part(struct ts_program_query *q, int i, const char *text, size_t n, const char *more,
	struct ts_err *err)
{
	char line[TS_FILTER_TEXT];
	int used;

	while (n > 0 && text[n - 1] == ' ')
		n--;
	if (n == 0 && (i > 0 || !*more))
		return ts_err_set(err, TS_E_USAGE,
			i > 0 ? "what stands above is missing behind `under`"
			      : "what is sought is missing");
	used = !*more	? snprintf(line, sizeof(line), "%.*s", (int)n, text)
		: n > 0 ? snprintf(line, sizeof(line), "(%.*s) and (%s)", (int)n, text, more)
			: snprintf(line, sizeof(line), "%s", more);
	if (used < 0 || (size_t)used >= sizeof(line))
		return ts_err_set(err, TS_E_USAGE, "more than %d characters", TS_FILTER_TEXT - 1);
	return ts_filter_parse(&q->part[i], line, ts_program_fields, NULL, err);
}

enum ts_code
ts_program_query_parse(struct ts_program_query *q, const char *line, struct ts_err *err)
{
	char copy[TS_FILTER_TEXT];
	const char *where, *more = "", *at = copy;
	enum ts_code code = TS_OK;
	size_t len = strlen(line);

	*q = (struct ts_program_query){0};
	if (len >= sizeof(copy))
		return ts_err_set(err, TS_E_USAGE, "more than %d characters", TS_FILTER_TEXT - 1);
	memcpy(copy, line, len + 1);
	where = find_word(copy, "where");
	if (where) {
		copy[where - copy] = '\0';
		more = where + strlen("where");
		more += strspn(more, " ");
		if (!*more)
			return ts_err_set(err, TS_E_USAGE, "a condition is missing behind `where`");
	}
	while (!code) {
		const char *under = find_word(at, "under");
		size_t n = under ? (size_t)(under - at) : strlen(at);

		if (q->parts > TS_PROGRAM_UNDER)
			return ts_err_set(err, TS_E_USAGE, "`under` comes more than %d times",
				TS_PROGRAM_UNDER);
		code = parse_part(q, q->parts, at, n, q->parts == 0 ? more : "", err);
		q->parts++;
		if (!under)
			break;
		at = under + strlen("under");
		at += strspn(at, " ");
	}
	return code;
}

/* --- a node ----------------------------------------------------------------------------------------- */

struct asking {
	const struct ts_program_world *w;
	struct ts_filter_use use;
	uint32_t node;
	const struct ts_program_cost *cost; /* of the node, or NULL */
};

static const struct ts_program_node *
node_of(const struct ts_program_world *w, uint32_t node)
{
	return (const struct ts_program_node *)w->tree->node.memory + node;
}

static bool
number(void *ctx, int field, int64_t *v)
{
	const struct asking *a = ctx;
	const struct ts_program_node *n = node_of(a->w, a->node);
	const struct ts_program_cost *p = a->cost;
	const struct ts_program_sums *s = &a->w->below[a->node];
	bool known = s->programs != TS_UNKNOWN;

	*v = TS_UNKNOWN;
	switch (field) {
	case F_PROGRAM:
		*v = n->program;
		break;
	case F_USES:
		*v = n->uses;
		break;
	case F_CHILDREN:
		*v = n->edges;
		break;
	case F_SET:
		*v = p ? p->compute_set : TS_UNKNOWN;
		break;
	case F_CONTEXT:
		*v = p ? p->context : TS_UNKNOWN;
		break;
	case F_REPEAT:
		*v = p ? p->repeat_count : TS_UNKNOWN;
		break;
	case F_ONCE:
		*v = p ? p->measured.most : TS_UNKNOWN;
		break;
	case F_ESTIMATED:
		*v = p ? p->estimated.most : TS_UNKNOWN;
		break;
	case F_OWN_CODE:
		*v = p ? p->exchange_code : TS_UNKNOWN;
		break;
	case F_STEPS:
		*v = known ? s->steps : TS_UNKNOWN;
		break;
	case F_CYCLES:
		*v = known ? s->executed : TS_UNKNOWN;
		break;
	case F_CODE:
		*v = known ? s->exchange_code : TS_UNKNOWN;
		break;
	case F_CONTROL:
		*v = known ? s->control_code : TS_UNKNOWN;
		break;
	case F_LIVE:
		*v = known ? s->live : TS_UNKNOWN;
		break;
	default:
		*v = known ? s->programs : TS_UNKNOWN;
	}
	return *v != TS_UNKNOWN;
}

static enum ts_truth
text_of(const struct asking *a, const struct ts_filter_node *n, int field)
{
	const char *s = NULL;
	size_t bytes = 0;

	if (field == F_NAME)
		s = ts_names_find(a->w->names, node_of(a->w, a->node)->program, &bytes);
	else if (field == F_TYPE && a->cost)
		s = ts_program_type(&bytes, a->w->costs, a->cost);
	else if (field == F_CLASS && a->cost) {
		s = ts_step_class_key((enum ts_step_class)a->cost->class_of);
		bytes = strlen(s);
	}
	return s ? ts_filter_text(&a->use, n, s, bytes) : TS_UNSURE;
}

static enum ts_truth
text(void *ctx, const struct ts_filter_node *n)
{
	const struct asking *a = ctx;
	enum ts_truth type, name;

	if (n->field != F_TEXT)
		return text_of(a, n, n->field);
	type = text_of(a, n, F_TYPE);
	if (type == TS_YES)
		return TS_YES;
	name = text_of(a, n, F_NAME);
	return name == TS_YES || type == TS_UNSURE ? name : type;
}

/* --- all nodes -------------------------------------------------------------------------------------- */

static bool
has(const unsigned char *set, size_t i)
{
	return set[i / 8] >> i % 8 & 1;
}

static void
put(unsigned char *set, size_t i)
{
	set[i / 8] = (unsigned char)(set[i / 8] | 1U << i % 8);
}

/* Nodes of `from` (NULL: all) that answer a filter, in `to`. */
static enum ts_code
answers(unsigned char *to, const unsigned char *from, const struct ts_filter *f,
	const struct ts_program_world *w, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct asking a = {.w = w};
	const struct ts_filter_row row = {.ctx = &a, .number = number, .text = text};
	enum ts_code code = ts_filter_use_init(&a.use, f, err);

	for (size_t i = 0; !code && i < w->tree->nodes; i++) {
		if (i % CANCEL_NODES == 0 && ts_cancelled(cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		if (from && !has(from, i))
			continue;
		a.node = (uint32_t)i;
		a.cost = ts_program_costs_find(w->costs, node_of(w, a.node)->program);
		if (ts_filter_ask(f, &row) == TS_YES)
			put(to, i);
		if (i % CANCEL_NODES == 0 && !code)
			code = ts_filter_use_check(&a.use, err);
	}
	if (!code)
		code = ts_filter_use_check(&a.use, err);
	ts_filter_use_fini(&a.use);
	return code;
}

enum ts_code
ts_program_find(struct ts_pile *hits, const struct ts_program_query *q,
	const struct ts_program_world *w, const struct ts_cancel *cancel, struct ts_err *err)
{
	size_t bytes = w->tree->nodes / 8 + 1;
	unsigned char *set[2] = {ts_alloc(bytes, 1), ts_alloc(bytes, 1)};
	bool some = false; /* set[1] is where to look */
	enum ts_code code = set[0] && set[1] ? TS_OK : ts_err_nomem(err);

	for (int i = q->parts - 1; !code && i >= 0; i--) {
		memset(set[0], 0, bytes);
		code = answers(set[0], some ? set[1] : NULL, &q->part[i], w, cancel, err);
		if (code || i == 0)
			break;
		memset(set[1], 0, bytes);
		code = ts_program_reach(set[1], set[0], w->tree, cancel, err);
		some = true;
	}
	for (uint32_t i = 0; !code && i < w->tree->nodes; i++)
		if (has(set[0], i))
			code = ts_pile_add(hits, &i, sizeof(i), NULL, err);
	free(set[0]);
	free(set[1]);
	return code;
}

/* --- what leads to them ------------------------------------------------------------------------------ */

/* Callers of each node: those of node i are by[first[i]] up to first[i + 1]. */
struct callers {
	struct ts_pile first, by; /* uint32_t */
};

static enum ts_code
find_callers(struct callers *c, const struct ts_program_tree *t, const struct ts_cache *cache,
	struct ts_err *err)
{
	const struct ts_program_node *node = t->node.memory;
	const uint32_t *child = t->child.memory;
	uint32_t *first, *by, at = 0;
	enum ts_code code = ts_pile_room(&c->first, (t->nodes + 2) * sizeof(*first), cache, err);

	if (!code)
		code = ts_pile_room(&c->by, (t->edges + 1) * sizeof(*by), cache, err);
	if (code)
		return code;
	first = c->first.memory;
	by = c->by.memory;
	memset(first, 0, (t->nodes + 2) * sizeof(*first));
	for (size_t i = 0; i < t->edges; i++)
		first[child[i] + 2]++;
	for (size_t i = 2; i < t->nodes + 2; i++)
		first[i] = at += first[i];
	for (uint32_t i = 0; i < t->nodes; i++)
		for (uint32_t e = 0; e < node[i].edges; e++)
			by[first[child[node[i].first_edge + e] + 1]++] = i;
	return TS_OK;
}

static enum ts_code
climb(unsigned char *keep, const struct callers *c, const uint32_t *hit, size_t hits,
	const struct ts_cache *cache, const struct ts_cancel *cancel, struct ts_err *err)
{
	const uint32_t *first = c->first.memory, *by = c->by.memory;
	struct ts_pile list = {0};
	enum ts_code code = ts_pile_add(&list, hit, hits * sizeof(*hit), cache, err);

	for (size_t i = 0; i < hits; i++)
		put(keep, hit[i]);
	for (size_t i = 0; !code && i * sizeof(uint32_t) < list.used; i++) {
		uint32_t at = ((uint32_t *)list.memory)[i];

		if (i % CANCEL_NODES == 0 && ts_cancelled(cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		for (uint32_t k = first[at]; !code && k < first[at + 1]; k++) {
			if (has(keep, by[k]))
				continue;
			put(keep, by[k]);
			code = ts_pile_add(&list, &by[k], sizeof(by[k]), cache, err);
		}
	}
	ts_pile_fini(&list);
	return code;
}

enum ts_code
ts_program_above(struct ts_pile *keep, const struct ts_program_tree *t, const uint32_t *hit,
	size_t hits, const struct ts_cache *cache, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct callers c = {0};
	size_t bytes = t->nodes / 8 + 1;
	enum ts_code code = ts_pile_room(keep, bytes, cache, err);

	if (!code) {
		memset(keep->memory, 0, bytes);
		keep->used = bytes;
	}
	if (!code && hits > 0)
		code = find_callers(&c, t, cache, err);
	if (!code && hits > 0)
		code = climb(keep->memory, &c, hit, hits, cache, cancel, err);
	ts_pile_fini(&c.first);
	ts_pile_fini(&c.by);
	return code;
}

void
ts_program_sums_of(struct ts_program_sums *sums, const struct ts_program_tree *t,
	const struct ts_program_costs *c, const uint32_t *hit, size_t hits)
{
	const struct ts_program_node *node = t->node.memory;

	ts_program_sums_none(sums);
	for (size_t i = 0; i < hits; i++)
		ts_program_sums_add(sums, ts_program_costs_find(c, node[hit[i]].program),
			node[hit[i]].edges == 0);
	ts_program_sums_end(sums);
}
