/* SPDX-License-Identifier: MIT */
/* variable_filter - see the header. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/tile_world.h"
#include "tilescope/report/variable_filter.h"

const struct ts_filter_field ts_variable_fields[TS_VARIABLE_FIELD_COUNT + 1] = {
	[TS_VARIABLE_FIELD_NAME] = {"name", NULL, TS_FILTER_NAME,
		"name:partials, name~layer_[12]/"},
	[TS_VARIABLE_FIELD_BYTES] = {"bytes", "size", TS_FILTER_BYTES, "bytes>64KiB, bytes=1K-4K"},
	[TS_VARIABLE_FIELD_TILE] = {"tile", NULL, TS_FILTER_TILES,
		"tile:12, tile:1,40-45, tile in worst(5)"},
	[TS_VARIABLE_FIELD_IPU] = {"ipu", NULL, TS_FILTER_NUMBER, "ipu:0, ipu:1-3"},
	[TS_VARIABLE_FIELD_CATEGORY] = {"category", NULL, TS_FILTER_WORD,
		"category:stack, category=message"},
	[TS_VARIABLE_FIELD_TYPE] = {"type", NULL, TS_FILTER_ELEMENT, "type=float, type=FP16"},
	[TS_VARIABLE_FIELD_OFFSET] = {"offset", NULL, TS_FILTER_BYTES, "offset>=0x4c000"},
	[TS_VARIABLE_FIELD_ALIGNMENT] = {"alignment", NULL, TS_FILTER_BYTES, "alignment>=16"},
	[TS_VARIABLE_FIELD_ALWAYS] = {"always_live", "always", TS_FILTER_YES,
		"always_live, always_live=no"},
	[TS_VARIABLE_FIELD_FROM] = {"from", NULL, TS_FILTER_NUMBER, "from>=1200"},
	[TS_VARIABLE_FIELD_TO] = {"to", NULL, TS_FILTER_NUMBER, "to<1300"},
	[TS_VARIABLE_FIELD_STEPS] = {"steps", NULL, TS_FILTER_NUMBER, "steps>5000"},
	[TS_VARIABLE_FIELD_ALIVE] = {"alive", NULL, TS_FILTER_SPANS, "alive:1200, alive:10-20"},
	[TS_VARIABLE_FIELD_TILES] = {"tiles", "spread", TS_FILTER_NUMBER, "tiles<64"},
	[TS_VARIABLE_FIELD_PIECES] = {"pieces", NULL, TS_FILTER_NUMBER, "pieces>10K"},
	[TS_VARIABLE_FIELD_FULLEST] = {"fullest", NULL, TS_FILTER_BYTES, "fullest>16KiB"},
	[TS_VARIABLE_FIELD_BALANCE] = {"balance", NULL, TS_FILTER_PERCENT, "balance<50%"},
	[TS_VARIABLE_FIELD_ID] = {"id", NULL, TS_FILTER_NUMBER, "id:7"},
	[TS_VARIABLE_FIELD_VARIABLE] = {"variable", NULL, TS_FILTER_NUMBER, "variable:7"},
	[TS_VARIABLE_FIELD_CLASS] = {"class", NULL, TS_FILTER_NUMBER, "class:7"},
	[TS_VARIABLE_FIELD_CONTEXT] = {"context", NULL, TS_FILTER_NUMBER, "context:7"},
	[TS_VARIABLE_FIELD_COUNT] = {0},
};

/* --- fields ------------------------------------------------------------------------------------- */

enum needs { OWN, LIFE, SPREAD };

static const struct {
	int column; /* of lowered_variable */
	enum needs needs;
	const char *what; /* is not recorded */
	size_t offset;	  /* of an int64_t in struct ts_variable; 0 = none */
} about[TS_VARIABLE_FIELD_COUNT] = {
#define MEMBER(m) offsetof(struct ts_variable, m)
	[TS_VARIABLE_FIELD_NAME] = {TS_LOWERED_VARIABLE_NAME, OWN, "names are", 0},
	[TS_VARIABLE_FIELD_BYTES] = {TS_LOWERED_VARIABLE_BYTES, OWN, "bytes are", MEMBER(bytes)},
	[TS_VARIABLE_FIELD_TILE] = {TS_LOWERED_VARIABLE_TILE, OWN, "tiles are", MEMBER(tile)},
	[TS_VARIABLE_FIELD_IPU] = {TS_LOWERED_VARIABLE_TILE, OWN, "which tiles an IPU has is",
		MEMBER(ipu)},
	[TS_VARIABLE_FIELD_CATEGORY] = {TS_LOWERED_VARIABLE_CATEGORY, OWN, "categories are", 0},
	[TS_VARIABLE_FIELD_TYPE] = {TS_LOWERED_VARIABLE_ELEMENT_TYPE, OWN, "types are", 0},
	[TS_VARIABLE_FIELD_OFFSET] = {TS_LOWERED_VARIABLE_OFFSET, OWN, "offsets are",
		MEMBER(offset)},
	[TS_VARIABLE_FIELD_ALIGNMENT] = {TS_LOWERED_VARIABLE_ALIGNMENT, OWN, "alignments are",
		MEMBER(alignment)},
	[TS_VARIABLE_FIELD_ALWAYS] = {TS_LOWERED_VARIABLE_ALWAYS_LIVE, OWN,
		"which variables are always live is", 0},
	[TS_VARIABLE_FIELD_FROM] = {-1, LIFE, "lifetimes are", MEMBER(from)},
	[TS_VARIABLE_FIELD_TO] = {-1, LIFE, "lifetimes are", MEMBER(to)},
	[TS_VARIABLE_FIELD_STEPS] = {-1, LIFE, "lifetimes are", MEMBER(steps)},
	[TS_VARIABLE_FIELD_ALIVE] = {-1, LIFE, "lifetimes are", 0},
	[TS_VARIABLE_FIELD_TILES] = {-1, SPREAD, "what variables were lowered from is",
		MEMBER(tiles)},
	[TS_VARIABLE_FIELD_PIECES] = {-1, SPREAD, "what variables were lowered from is",
		MEMBER(pieces)},
	[TS_VARIABLE_FIELD_FULLEST] = {-1, SPREAD, "what variables were lowered from is",
		MEMBER(fullest)},
	[TS_VARIABLE_FIELD_BALANCE] = {-1, SPREAD, "what variables were lowered from is",
		MEMBER(balance)},
	[TS_VARIABLE_FIELD_ID] = {TS_LOWERED_VARIABLE_ID, OWN, "ids are", MEMBER(id)},
	[TS_VARIABLE_FIELD_VARIABLE] = {TS_LOWERED_VARIABLE_VARIABLE, OWN,
		"what variables were lowered from is", MEMBER(variable)},
	[TS_VARIABLE_FIELD_CLASS] = {TS_LOWERED_VARIABLE_CLASS, OWN, "classes are",
		MEMBER(class_of)},
	[TS_VARIABLE_FIELD_CONTEXT] = {TS_LOWERED_VARIABLE_CONTEXT, OWN, "debug contexts are",
		MEMBER(context)},
#undef MEMBER
};

int
ts_variable_field_column(enum ts_variable_field field)
{
	return about[field].column;
}

bool
ts_variable_field_needs_life(enum ts_variable_field field)
{
	return about[field].needs == LIFE;
}

bool
ts_variable_field_needs_spread(enum ts_variable_field field)
{
	return about[field].needs == SPREAD;
}

static bool
filter_needs(const struct ts_filter *f, enum needs needs)
{
	for (int i = 0; i < TS_VARIABLE_FIELD_COUNT; i++)
		if (about[i].needs == needs && ts_filter_uses(f, i))
			return true;
	return false;
}

bool
ts_variable_filter_needs_life(const struct ts_filter *f)
{
	return filter_needs(f, LIFE);
}

bool
ts_variable_filter_needs_spread(const struct ts_filter *f)
{
	return filter_needs(f, SPREAD);
}

bool
ts_variable_field_number(const struct ts_variable *x, enum ts_variable_field field, int64_t *v)
{
	if (field == TS_VARIABLE_FIELD_ALWAYS)
		*v = x->always_live;
	else if (about[field].offset == 0)
		return false;
	else
		memcpy(v, (const char *)x + about[field].offset, sizeof(*v));
	return *v >= 0;
}

bool
ts_variable_field_can(const struct ts_variables *v, enum ts_variable_field field)
{
	if (about[field].needs == LIFE)
		return v->has_lives;
	if (about[field].needs == SPREAD)
		return v->has_spread;
	if (field == TS_VARIABLE_FIELD_IPU && !v->has_ipus)
		return false;
	return v->has[about[field].column];
}

/* "character 3: ..." of an expression of tiles becomes that of the line in which it stands. */
static void
place_in_line(const struct ts_filter *f, const struct ts_filter_node *n, struct ts_err *err)
{
	static const char begin[] = "character ";
	const char *at = strstr(f->line, f->text + n->a); /* of equal ones the first is as wrong */
	struct ts_err why = *err;
	char *rest;
	unsigned long character;

	if (!at || strncmp(why.msg, begin, strlen(begin)) != 0)
		return;
	character = strtoul(why.msg + strlen(begin), &rest, 10);
	ts_err_set(err, why.code, "%s%lu%s", begin, character + (unsigned long)(at - f->line),
		rest);
}

static enum ts_code
check_tiles(const struct ts_filter *f, struct ts_err *err)
{
	for (int i = 0; i < f->count; i++) {
		const struct ts_filter_node *n = &f->node[i];
		struct ts_err why = {0};
		size_t at;

		if (n->op != TS_FILTER_IN || !ts_tile_set_check(f->text + n->a, &at, &why))
			continue;
		place_in_line(f, n, &why);
		*err = why;
		return why.code;
	}
	return TS_OK;
}

enum ts_code
ts_variable_filter_check(const struct ts_filter *f, const struct ts_variables *v,
	struct ts_err *err)
{
	for (int i = 0; i < TS_VARIABLE_FIELD_COUNT; i++) {
		if (!ts_filter_uses(f, i) || ts_variable_field_can(v, (enum ts_variable_field)i))
			continue;
		if (!v->lowered && about[i].needs == OWN)
			return ts_err_set(err, TS_E_ABSENT,
				"%s: %s not recorded of variables before lowering",
				ts_variable_fields[i].name, about[i].what);
		return ts_err_set(err, TS_E_ABSENT, "%s not recorded in this report",
			about[i].what);
	}
	return check_tiles(f, err);
}

/* Is there a category that the word is, or is part of? Where rows have names of their own: not known. */
static bool
category_has(const struct ts_names *names, const struct ts_filter_use *u,
	const struct ts_filter_node *n)
{
	for (size_t i = 0; i < names->count; i++)
		if (ts_filter_text(u, n, names->text + names->name[i].at, names->name[i].length) ==
			TS_YES)
			return true;
	return false;
}

bool
ts_variable_filter_doubt(char *out, size_t size, const struct ts_filter *f,
	const struct ts_variables *v)
{
	const struct ts_filter_use u = {.filter = f};

	for (int i = 0; i < f->count && v->categories.count > 0; i++) {
		struct ts_filter_node one = f->node[i];
		const char *word = f->text + one.a;
		int words = one.b;

		if (one.field != TS_VARIABLE_FIELD_CATEGORY ||
			(one.op != TS_FILTER_HAS && one.op != TS_FILTER_IS))
			continue;
		for (one.b = 1; words-- > 0; word += strlen(word) + 1) {
			one.a = (uint16_t)(word - f->text);
			if (!category_has(&v->categories, &u, &one)) {
				snprintf(out, size, "no category that is named %s \"%.60s\"",
					one.op == TS_FILTER_IS ? "is" : "has in it", word);
				return true;
			}
		}
	}
	return false;
}

/* --- asking ------------------------------------------------------------------------------------- */

static enum ts_code
name_tiles(struct ts_variable_asking *a, const struct ts_filter_node *n,
	const struct ts_tile_set *selected, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_tiles_named named = {0};
	struct ts_err why = {0};
	enum ts_code code = ts_tiles_named(&named, a->use.filter->text + n->a, selected, rd,
		a->v->cache, progress, &why);

	if (!code) {
		a->tiles[n->text] = named.set;
		named.set = (struct ts_tile_set){0};
	} else if (err) {
		place_in_line(a->use.filter, n, &why);
		*err = why;
	}
	ts_tiles_named_fini(&named);
	return code;
}

enum ts_code
ts_variable_asking_init(struct ts_variable_asking *a, const struct ts_filter *f,
	const struct ts_variables *v, const struct ts_tile_set *selected, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	enum ts_code code;

	*a = (struct ts_variable_asking){.v = v};
	code = ts_filter_use_init(&a->use, f, err);
	for (int i = 0; i < f->count && !code; i++)
		if (f->node[i].op == TS_FILTER_IN)
			code = name_tiles(a, &f->node[i], selected, rd, progress, err);
	if (!code && ts_variable_filter_needs_life(f))
		code = ts_variable_facts_lives(v->facts, rd, progress, err);
	if (!code && ts_variable_filter_needs_spread(f))
		code = ts_variable_facts_spread(v->facts, rd, progress, err);
	return code;
}

void
ts_variable_asking_fini(struct ts_variable_asking *a)
{
	for (int i = 0; i < TS_FILTER_TEXTS; i++)
		ts_tile_set_fini(&a->tiles[i]);
	ts_filter_use_fini(&a->use);
	*a = (struct ts_variable_asking){0};
}

enum ts_truth
ts_variable_asking_in(const struct ts_variable_asking *a, const struct ts_filter_node *n,
	int64_t tile)
{
	return ts_tile_set_has(&a->tiles[n->text], tile) ? TS_YES : TS_NO;
}

enum ts_truth
ts_variable_asking_alive(const struct ts_variable_asking *a, const struct ts_filter_node *n,
	const struct ts_variable *x)
{
	const struct ts_filter *f = a->use.filter;
	int is = -1;

	for (int i = n->a; i < n->a + n->b && is != 1; i++)
		is = ts_variable_is_alive(a->v->facts, x->class_of, x->variable, x->always_live,
			f->range[i].from, f->range[i].to);
	return is < 0 ? TS_UNSURE : is ? TS_YES : TS_NO;
}

struct asked_row {
	const struct ts_variable_asking *a;
	const struct ts_variable_window *w;
	const struct ts_variable *x;
};

static bool
row_number(void *ctx, int field, int64_t *v)
{
	const struct asked_row *r = ctx;

	return ts_variable_field_number(r->x, (enum ts_variable_field)field, v);
}

static enum ts_truth
row_text(void *ctx, const struct ts_filter_node *n)
{
	const struct asked_row *r = ctx;
	const struct ts_variable *x = r->x;
	uint32_t at = x->name, bytes = x->name_n;
	bool known = x->has_name;

	if (n->field == TS_VARIABLE_FIELD_CATEGORY) {
		at = x->category_name;
		bytes = x->category_name_n;
		known = x->category != TS_UNKNOWN || bytes > 0;
	} else if (n->field == TS_VARIABLE_FIELD_TYPE) {
		at = x->type;
		bytes = x->type_n;
		known = bytes > 0;
	}
	return known ? ts_filter_text(&r->a->use, n, r->w->text.s + at, bytes) : TS_UNSURE;
}

static enum ts_truth
row_in(void *ctx, const struct ts_filter_node *n, int64_t v)
{
	return ts_variable_asking_in(((const struct asked_row *)ctx)->a, n, v);
}

static enum ts_truth
row_spans(void *ctx, const struct ts_filter_node *n)
{
	const struct asked_row *r = ctx;

	return ts_variable_asking_alive(r->a, n, r->x);
}

bool
ts_variable_filter_row(const struct ts_variable_asking *a, const struct ts_variable_window *w,
	const struct ts_variable *x)
{
	struct asked_row r = {a, w, x};
	const struct ts_filter_row row = {&r, row_number, row_text, row_in, row_spans};

	return x->state == TS_VARIABLE_OK && ts_filter_ask(a->use.filter, &row) == TS_YES;
}
