/* SPDX-License-Identifier: MIT */
/* map - parse schema maps; the grammar is explained in src/schemas/poplar3.schema. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/lex.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/map.h"

struct parser {
	struct ts_map *map;
	int relation; /* of the last `relation` line, or -1 */
	const char *file;
	ts_map_problem_fn *problem;
	void *ctx;
	bool nomem;
};

static char *
copy_part(struct parser *p, const char *s, size_t n)
{
	char *text = ts_strndup(s, n);

	p->nomem |= !text;
	return text;
}

static char *
copy(struct parser *p, const char *s)
{
	return copy_part(p, s, strlen(s));
}

static void
bad(void *ctx, int line, const char *reason)
{
	struct parser *p = ctx;

	if (p->problem)
		p->problem(p->ctx, p->file, line, reason);
}

static bool
parse_map(struct parser *p, const struct ts_line *l)
{
	if (p->map->name || l->count < 2)
		return false;
	p->map->name = copy(p, l->word[1]);
	p->map->title = copy(p, l->word[l->count > 2 ? 2 : 1]);
	return true;
}

static bool
parse_recognise(struct parser *p, const struct ts_line *l)
{
	for (int i = 1; i < l->count; i++) {
		if (p->map->recognise_count == TS_MAP_CANDIDATES)
			return false;
		p->map->recognise[p->map->recognise_count] = copy(p, l->word[i]);
		if (p->map->recognise[p->map->recognise_count])
			p->map->recognise_count++;
	}
	return l->count > 1;
}

static bool
parse_identity(struct parser *p, const struct ts_line *l)
{
	if (l->count != 3 || p->map->identity_object)
		return false;
	p->map->identity_object = copy(p, l->word[1]);
	p->map->identity_key = copy(p, l->word[2]);
	return true;
}

static bool
parse_relation(struct parser *p, const struct ts_line *l)
{
	struct ts_map_relation *r;

	p->relation = l->count > 2 ? ts_relation_find(l->word[1]) : -1;
	if (p->relation < 0)
		return false;
	r = &p->map->relation[p->relation];
	r->listed = true;
	for (int i = 2; i < l->count; i++) {
		if (r->object_count == TS_MAP_OBJECTS)
			return false;
		r->object[r->object_count] = copy(p, l->word[i]);
		if (r->object[r->object_count])
			r->object_count++;
	}
	return true;
}

static const struct {
	const char *word; /* what a candidate of the form word(a,b,...) begins with */
	enum ts_op op;
	int arguments;
} calls[] = {
	{"dict", TS_OP_DICT, 4},
	{"by-values", TS_OP_BY_VALUES, 1},
	{"order-in", TS_OP_ORDER_IN, 1},
};

/* Split "a,b,c)" at commas into copies. */
static bool
parse_arguments(struct parser *p, struct ts_candidate *c, const char *s, int wanted)
{
	char **to[] = {&c->a, &c->b, &c->c, &c->d};

	for (int i = 0; i < wanted; i++) {
		size_t n = strcspn(s, ",)");

		if (n == 0 || s[n] != (i == wanted - 1 ? ')' : ','))
			return false;
		*to[i] = copy_part(p, s, n);
		if (!*to[i])
			return false;
		s += n + 1;
	}
	return *s == '\0';
}

static bool
parse_candidate(struct parser *p, struct ts_candidate *c, const char *word)
{
	size_t n = strcspn(word, "(");
	const char *sign;

	for (size_t i = 0; word[n] && i < TS_COUNT(calls); i++)
		if (strlen(calls[i].word) == n && strncmp(word, calls[i].word, n) == 0) {
			c->op = calls[i].op;
			return parse_arguments(p, c, word + n + 1, calls[i].arguments);
		}
	if (strcmp(word, "position") == 0) {
		c->op = TS_OP_POSITION;
		return true;
	}
	if (word[0] == '=') {
		c->op = TS_OP_CONSTANT;
		c->a = copy(p, word + 1);
		return c->a != NULL;
	}
	sign = strpbrk(word, "+-");
	if (sign && sign > word && sign[1]) {
		c->op = *sign == '+' ? TS_OP_SUM : TS_OP_DIFFERENCE;
		c->a = copy_part(p, word, (size_t)(sign - word));
		c->b = copy(p, sign + 1);
		return c->a && c->b;
	}
	c->op = TS_OP_COLUMN;
	c->a = copy(p, word);
	return c->a != NULL;
}

static void
candidate_fini(struct ts_candidate *c)
{
	free(c->a);
	free(c->b);
	free(c->c);
	free(c->d);
	*c = (struct ts_candidate){0};
}

static bool
parse_column(struct parser *p, const struct ts_line *l)
{
	struct ts_map_relation *r;
	int column;

	if (p->relation < 0 || l->count < 3)
		return false;
	r = &p->map->relation[p->relation];
	column = ts_relation_column((enum ts_relation)p->relation, l->word[1]);
	if (column < 0)
		return false;
	if (!r->candidate[column])
		r->candidate[column] = ts_alloc(TS_MAP_CANDIDATES, sizeof(**r->candidate));
	p->nomem |= !r->candidate[column];
	if (p->nomem)
		return false;
	for (int i = 2; i < l->count; i++) {
		int *n = &r->candidate_count[column];
		struct ts_candidate *c = &r->candidate[column][*n];

		if (*n == TS_MAP_CANDIDATES)
			return false;
		if (!parse_candidate(p, c, l->word[i])) {
			candidate_fini(c);
			return false;
		}
		*n += 1;
	}
	return true;
}

static const struct {
	const char *word;
	bool (*parse)(struct parser *p, const struct ts_line *l);
	const char *reason;
} lines[] = {
	{"map", parse_map, "expected: map NAME TITLE, once"},
	{"recognise", parse_recognise, "expected: recognise OBJECT..."},
	{"identity", parse_identity, "expected: identity OBJECT KEY, once"},
	{"relation", parse_relation, "expected: relation RELATION OBJECT... with a known relation"},
	{"column", parse_column,
		"expected: column COLUMN CANDIDATE... with a column of the relation above"},
};

static bool
parse_line(void *ctx, const struct ts_line *l)
{
	struct parser *p = ctx;

	for (size_t i = 0; i < TS_COUNT(lines); i++)
		if (strcmp(l->word[0], lines[i].word) == 0) {
			if (!lines[i].parse(p, l) && !p->nomem)
				bad(p, l->number, lines[i].reason);
			return !p->nomem;
		}
	bad(p, l->number, "unknown word at the start of the line");
	return true;
}

enum ts_code
ts_map_parse(struct ts_map **map, const char *file, char *text, ts_map_problem_fn *problem,
	void *ctx, struct ts_err *err)
{
	struct parser p = {ts_alloc(1, sizeof(*p.map)), -1, file, problem, ctx, false};

	*map = NULL;
	if (!p.map)
		return ts_err_nomem(err);
	p.map->file = copy(&p, file);
	ts_lex(text, parse_line, bad, &p);
	if (!p.nomem && p.map->name) {
		*map = p.map;
		return TS_OK;
	}
	ts_map_free(p.map);
	if (p.nomem)
		return ts_err_nomem(err);
	bad(&p, 1, "no line: map NAME TITLE");
	return TS_OK;
}

static void
relation_fini(struct ts_map_relation *r)
{
	for (int i = 0; i < r->object_count; i++)
		free(r->object[i]);
	for (int c = 0; c < TS_RELATION_COLUMNS; c++) {
		for (int i = 0; i < r->candidate_count[c]; i++)
			candidate_fini(&r->candidate[c][i]);
		free(r->candidate[c]);
	}
}

void
ts_map_free(struct ts_map *m)
{
	if (!m)
		return;
	for (int i = 0; i < m->recognise_count; i++)
		free(m->recognise[i]);
	for (int i = 0; i < TS_RELATION_COUNT; i++)
		relation_fini(&m->relation[i]);
	free(m->identity_object);
	free(m->identity_key);
	free(m->name);
	free(m->title);
	free(m->file);
	free(m);
}
