/* SPDX-License-Identifier: MIT */
/*
 * tile_set - see the header.
 *
 * Expressions are worked out as they are read, by descent: union, then intersection and difference, then what
 * stands between operators. A text has a bounded length and brackets a bounded depth, so that nobody's
 * text can use up the stack.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/buckets.h"
#include "tilescope/calc/tile_set.h"

enum { WORD = 64 };

/* --- sets ------------------------------------------------------------------------------------- */

static int64_t
words(const struct ts_tile_set *s)
{
	return (s->tiles + WORD - 1) / WORD;
}

bool
ts_tile_set_init(struct ts_tile_set *s, int64_t tiles)
{
	s->tiles = tiles < 0 ? 0 : tiles;
	s->bits = ts_alloc((size_t)words(s) + 1, sizeof(*s->bits));
	return s->bits != NULL;
}

void
ts_tile_set_fini(struct ts_tile_set *s)
{
	free(s->bits);
	*s = (struct ts_tile_set){0};
}

void
ts_tile_set_add(struct ts_tile_set *s, int64_t from, int64_t to)
{
	from = ts_max_i64(from, 0);
	to = ts_min_i64(to, s->tiles);
	for (int64_t t = from; t < to;) {
		int64_t end = ts_min_i64(to, (t / WORD + 1) * WORD), n = end - t;
		uint64_t ones = n == WORD ? UINT64_MAX : (UINT64_C(1) << n) - 1;

		s->bits[t / WORD] |= ones << t % WORD;
		t = end;
	}
}

bool
ts_tile_set_copy(struct ts_tile_set *s, const struct ts_tile_set *from, int64_t tiles)
{
	if (!ts_tile_set_init(s, tiles))
		return false;
	for (int64_t i = 0; i < words(s) && i < words(from); i++)
		s->bits[i] = from->bits[i];
	if (s->tiles % WORD && s->tiles < from->tiles)
		s->bits[words(s) - 1] &= (UINT64_C(1) << s->tiles % WORD) - 1;
	return true;
}

void
ts_tile_set_flip(struct ts_tile_set *s, int64_t tile)
{
	if (tile >= 0 && tile < s->tiles)
		s->bits[tile / WORD] ^= UINT64_C(1) << tile % WORD;
}

bool
ts_tile_set_has(const struct ts_tile_set *s, int64_t tile)
{
	return tile >= 0 && tile < s->tiles && s->bits[tile / WORD] >> tile % WORD & 1;
}

int64_t
ts_tile_set_count(const struct ts_tile_set *s)
{
	int64_t n = 0;

	for (int64_t i = 0; i < words(s); i++)
		n += __builtin_popcountll(s->bits[i]);
	return n;
}

int64_t
ts_tile_set_next(const struct ts_tile_set *s, int64_t from)
{
	from = ts_max_i64(from, 0);
	for (int64_t i = from / WORD; i < words(s); i++) {
		uint64_t rest = s->bits[i];

		if (i == from / WORD)
			rest &= UINT64_MAX << from % WORD;
		if (rest)
			return i * WORD + __builtin_ctzll(rest);
	}
	return -1;
}

bool
ts_tile_set_print(char *out, size_t size, const struct ts_tile_set *s)
{
	size_t n = 0;

	out[0] = '\0';
	for (int64_t from = ts_tile_set_next(s, 0), to; from >= 0; from = ts_tile_set_next(s, to)) {
		char range[2 * 21 + 3];
		int more = snprintf(range, sizeof(range), "%s%" PRId64, n ? "," : "", from);

		for (to = from + 1; ts_tile_set_has(s, to); to++)
			;
		if (to > from + 1)
			more += snprintf(range + more, sizeof(range) - (size_t)more, "-%" PRId64,
				to - 1);
		if (n + (size_t)more >= size)
			return false;
		memcpy(out + n, range, (size_t)more + 1);
		n += (size_t)more;
	}
	return true;
}

/* --- words ------------------------------------------------------------------------------------ */

struct parser {
	const char *text, *at;
	const struct ts_tile_world *world;
	struct ts_err *err;
	int depth;
};

static enum ts_code
wrong(const struct parser *p, const char *what)
{
	return ts_err_set(p->err, TS_E_USAGE, "%s at character %d of the tile set", what,
		(int)(p->at - p->text) + 1);
}

static char
peek(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t')
		p->at++;
	return *p->at;
}

static bool
take(struct parser *p, char c)
{
	if (peek(p) != c)
		return false;
	p->at++;
	return true;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits, at the place where it stands. */
static enum ts_code
number(struct parser *p, int64_t *out)
{
	*out = 0;
	peek(p);
	if (!is_digit(*p->at))
		return wrong(p, "a number is missing");
	for (; is_digit(*p->at); p->at++) {
		if (*out > INT64_MAX / 10 - 1)
			return wrong(p, "too large a number");
		*out = 10 * *out + (*p->at - '0');
	}
	return TS_OK;
}

/* N or N-M: [*from, *to). */
static enum ts_code
range(struct parser *p, int64_t *from, int64_t *to)
{
	enum ts_code code = number(p, from);

	*to = *from;
	if (!code && p->at[0] == '-' && is_digit(p->at[1])) {
		p->at++;
		code = number(p, to);
	}
	if (!code && *to < *from)
		return wrong(p, "the range ends before it begins");
	++*to;
	return code;
}

/* "90%", "560KiB", "573440": bytes; a decimal point is allowed. */
static enum ts_code
bytes(struct parser *p, double *out)
{
	static const struct {
		const char *name;
		double of;
	} units[] = {{"KiB", 1024}, {"MiB", 1048576}, {"KB", 1e3}, {"MB", 1e6}, {"K", 1024},
		{"M", 1048576}, {"B", 1}};
	int64_t whole;
	enum ts_code code = number(p, &whole);
	double scale = 0.1;

	if (code)
		return code;
	*out = (double)whole;
	if (*p->at == '.')
		for (p->at++; is_digit(*p->at); p->at++, scale /= 10)
			*out += (*p->at - '0') * scale;
	if (*p->at == '%') {
		p->at++;
		if (p->world->limit < 0)
			return wrong(p, "how large a tile is is not known: no share can be taken");
		*out *= (double)p->world->limit / 100;
		return TS_OK;
	}
	for (size_t i = 0; i < TS_COUNT(units); i++)
		if (strncmp(p->at, units[i].name, strlen(units[i].name)) == 0) {
			p->at += strlen(units[i].name);
			*out *= units[i].of;
			break;
		}
	return TS_OK;
}

/* --- terms ------------------------------------------------------------------------------------ */

static enum ts_code
add_all(struct parser *p, struct ts_tile_set *out)
{
	(void)p;
	ts_tile_set_add(out, 0, out->tiles);
	return TS_OK;
}

static enum ts_code
add_selected(struct parser *p, struct ts_tile_set *out)
{
	const struct ts_tile_set *s = p->world->selected;

	for (int64_t t = s ? ts_tile_set_next(s, 0) : -1; t >= 0; t = ts_tile_set_next(s, t + 1))
		ts_tile_set_add(out, t, t + 1);
	return TS_OK;
}

static enum ts_code
add_tiles(struct parser *p, struct ts_tile_set *out)
{
	int64_t from, to;
	const struct ts_tile_set *there = p->world->there;
	int at = (int)(p->at - p->text) + 1;
	enum ts_code code = range(p, &from, &to);

	if (!code && out->tiles == 0)
		return wrong(p, "it is not known what tiles there are");
	if (!code && to > out->tiles)
		return ts_err_set(p->err, TS_E_USAGE,
			"there is no tile %" PRId64 " at character %d of the tile set: they are "
			"0 to %" PRId64,
			to - 1, at, out->tiles - 1);
	if (!code && there && to == from + 1 && !ts_tile_set_has(there, from))
		return ts_err_set(p->err, TS_E_USAGE,
			"there is no tile %" PRId64 " at character %d of the tile set", from, at);
	if (!code)
		ts_tile_set_add(out, from, to);
	return code;
}

static enum ts_code
add_ipus(struct parser *p, struct ts_tile_set *out)
{
	const struct ts_tile_world *world = p->world;
	int64_t from, to, last = -1;
	bool known = false;
	enum ts_code code = range(p, &from, &to);

	if (code)
		return code;
	for (int64_t t = 0; world->ipu_of && t < out->tiles; t++) {
		int64_t ipu = world->ipu_of(world->ctx, t);

		known = known || ipu >= 0;
		last = ipu > last ? ipu : last;
		if (ipu >= from && ipu < to)
			ts_tile_set_add(out, t, t + 1);
	}
	if (!known)
		return wrong(p, "which IPU a tile is of is not known");
	if (to > last + 1)
		return ts_err_set(p->err, TS_E_USAGE,
			"there is no IPU %" PRId64 " before character %d of the tile set", to - 1,
			(int)(p->at - p->text) + 1);
	return TS_OK;
}

/* Tiles that use more, or less, than so many bytes. */
static enum ts_code
add_by_bytes(struct parser *p, struct ts_tile_set *out, bool more)
{
	const int64_t *used = p->world->used;
	double than;
	enum ts_code code = bytes(p, &than);

	if (!code && !used)
		return wrong(p, "how much the tiles use is not known");
	for (int64_t t = 0; !code && t < out->tiles; t++)
		if (used[t] >= 0 && (more ? (double)used[t] > than : (double)used[t] < than))
			ts_tile_set_add(out, t, t + 1);
	return code;
}

static enum ts_code
add_over(struct parser *p, struct ts_tile_set *out)
{
	return add_by_bytes(p, out, true);
}

static enum ts_code
add_under(struct parser *p, struct ts_tile_set *out)
{
	return add_by_bytes(p, out, false);
}

static enum ts_code
add_worst(struct parser *p, struct ts_tile_set *out)
{
	const int64_t *used = p->world->used;
	uint32_t *order;
	int64_t n;
	enum ts_code code = number(p, &n);

	if (!code && (!used || out->tiles > UINT32_MAX))
		return wrong(p, "how much the tiles use is not known");
	if (code)
		return code;
	order = ts_alloc((size_t)out->tiles + 1, sizeof(*order));
	if (!order || !ts_buckets_order(order, used, (uint32_t)out->tiles)) {
		free(order);
		return ts_err_nomem(p->err);
	}
	for (int64_t i = 0; i < n && i < out->tiles && used[order[i]] >= 0; i++)
		ts_tile_set_add(out, order[i], (int64_t)order[i] + 1);
	free(order);
	return TS_OK;
}

/* "..." or a regular expression between slashes; a backslash keeps the closing mark from closing. */
static enum ts_code
add_using(struct parser *p, struct ts_tile_set *out)
{
	char name[TS_TILE_SET_TEXT], mark = peek(p);
	size_t n = 0;

	if (mark != '"' && mark != '/')
		return wrong(p, "a name in quotes (or /a regular expression/) is missing");
	for (p->at++; *p->at && *p->at != mark; p->at++) {
		if (*p->at == '\\' && p->at[1] && (mark == '"' || p->at[1] == mark))
			p->at++;
		else if (*p->at == '\\' && p->at[1])
			name[n++] = *p->at++; /* it is the expression's */
		name[n++] = *p->at;	      /* the text is shorter than that */
	}
	name[n] = '\0';
	if (!take(p, mark))
		return wrong(p, mark == '"' ? "the quote is not closed" : "the / is not closed");
	if (n == 0)
		return wrong(p, "a name is missing");
	if (!p->world->using)
		return wrong(p, "variables of tiles are not recorded");
	return p->world->using(p->world->ctx, out, name, mark == '/', p->err);
}

static const struct {
	const char *name;
	bool called; /* has an argument in brackets */
	enum ts_code (*add)(struct parser *p, struct ts_tile_set *out);
} terms[] = {
	{"all", false, add_all},
	{"selected", false, add_selected},
	{"ipu", true, add_ipus},
	{"over", true, add_over},
	{"under", true, add_under},
	{"worst", true, add_worst},
	{"using", true, add_using},
};

static enum ts_code
add_named(struct parser *p, struct ts_tile_set *out)
{
	size_t n = strspn(p->at, "abcdefghijklmnopqrstuvwxyz_");
	enum ts_code code;

	for (size_t i = 0; i < TS_COUNT(terms); i++) {
		if (strlen(terms[i].name) != n || memcmp(p->at, terms[i].name, n) != 0)
			continue;
		p->at += n;
		if (terms[i].called && !take(p, '('))
			return wrong(p, "( is missing");
		code = terms[i].add(p, out);
		if (!code && terms[i].called && !take(p, ')'))
			return wrong(p, ") is missing");
		return code;
	}
	return wrong(p,
		n ? "not a word of tile sets (all, selected, ipu, over, under, worst, using)"
		  : "a tile is missing");
}

/* --- operators -------------------------------------------------------------------------------- */

static enum ts_code united(struct parser *p, struct ts_tile_set *out);

/* What stands between operators. */
static enum ts_code
operand(struct parser *p, struct ts_tile_set *out)
{
	enum ts_code code;

	if (peek(p) != '(') {
		code = is_digit(*p->at) ? add_tiles(p, out) : add_named(p, out);
		for (int64_t i = 0; p->world->there && i < words(out); i++)
			out->bits[i] &= p->world->there->bits[i];
		return code;
	}
	p->at++;
	if (p->depth == TS_TILE_SET_DEPTH)
		return wrong(p, "too many brackets");
	p->depth++;
	code = united(p, out);
	p->depth--;
	return !code && !take(p, ')') ? wrong(p, ") is missing") : code;
}

/* A & B - C, from the left; *out is empty before. */
static enum ts_code
narrowed(struct parser *p, struct ts_tile_set *out)
{
	enum ts_code code = operand(p, out);

	while (!code && (peek(p) == '&' || peek(p) == '-')) {
		bool keep = *p->at++ == '&';
		struct ts_tile_set other;

		if (!ts_tile_set_init(&other, out->tiles))
			return ts_err_nomem(p->err);
		code = operand(p, &other);
		for (int64_t i = 0; i < words(out); i++)
			out->bits[i] &= keep ? other.bits[i] : ~other.bits[i];
		ts_tile_set_fini(&other);
	}
	return code;
}

/* A , B; *out may hold tiles already. */
static enum ts_code
united(struct parser *p, struct ts_tile_set *out)
{
	enum ts_code code;

	do {
		struct ts_tile_set other;

		if (!ts_tile_set_init(&other, out->tiles))
			return ts_err_nomem(p->err);
		code = narrowed(p, &other);
		for (int64_t i = 0; i < words(out); i++)
			out->bits[i] |= other.bits[i];
		ts_tile_set_fini(&other);
	} while (!code && take(p, ','));
	return code;
}

enum ts_code
ts_tile_set_parse(struct ts_tile_set *out, const char *text, const struct ts_tile_world *world,
	struct ts_err *err)
{
	struct parser p = {.text = text, .at = text, .world = world, .err = err};
	enum ts_code code;

	*out = (struct ts_tile_set){0};
	if (strlen(text) >= TS_TILE_SET_TEXT)
		return ts_err_set(err, TS_E_USAGE, "too long a tile set");
	if (!ts_tile_set_init(out, world->tiles))
		return ts_err_nomem(err);
	code = united(&p, out);
	if (!code && peek(&p))
		code = wrong(&p, "an operator (, & -) is missing");
	if (code)
		ts_tile_set_fini(out);
	return code;
}
