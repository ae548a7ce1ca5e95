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
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/buckets.h"
#include "tilescope/calc/tile_set.h"

enum { WORD = 64, WORD_SHOWN = 8 };

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
	const struct ts_tile_world *world; /* NULL: only how the text is written is looked at */
	struct ts_err *err;
	int depth;
	size_t wrong; /* where an error was noticed: bytes of the text */
};

static enum ts_code wrong(struct parser *p, const char *at, const char *fmt, ...) TS_PRINTF(3, 4);

static enum ts_code
wrong(struct parser *p, const char *at, const char *fmt, ...)
{
	char text[TS_ERR_MSG];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	p->wrong = (size_t)(at - p->text);
	return ts_err_set(p->err, TS_E_USAGE, "character %zu: %s", p->wrong + 1, text);
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
		return wrong(p, p->at, "a number is missing");
	for (const char *from = p->at; is_digit(*p->at); p->at++) {
		if (*out > INT64_MAX / 10 - 1)
			return wrong(p, from, "too large a number");
		*out = 10 * *out + (*p->at - '0');
	}
	return TS_OK;
}

/* N or N-M: [*from, *to). */
static enum ts_code
range(struct parser *p, int64_t *from, int64_t *to)
{
	enum ts_code code = number(p, from);
	const char *begin = p->at;

	while (begin > p->text && is_digit(begin[-1]))
		begin--;
	*to = *from;
	if (!code && p->at[0] == '-' && is_digit(p->at[1])) {
		p->at++;
		code = number(p, to);
	}
	if (!code && *to < *from)
		return wrong(p, begin, "the range ends before it begins");
	++*to;
	return code;
}

/*
 * "90%", "560KiB", "573440B": bytes; a decimal point, and units in any case, are allowed. A bare number is asked what
 * it is: who types 500 means KiB, or a share, and hardly ever bytes.
 */
static enum ts_code
bytes(struct parser *p, double *out)
{
	static const struct {
		const char *name;
		double of;
	} units[] = {{"KiB", 1024}, {"MiB", 1048576}, {"KB", 1e3}, {"MB", 1e6}, {"K", 1024},
		{"M", 1048576}, {"B", 1}};
	const char *at;
	int64_t whole;
	enum ts_code code;
	double scale = 0.1;
	int digits;

	peek(p);
	at = p->at;
	code = number(p, &whole);
	if (code)
		return code;
	*out = (double)whole;
	if (*p->at == '.')
		for (p->at++; is_digit(*p->at); p->at++, scale /= 10)
			*out += (*p->at - '0') * scale;
	digits = (int)(p->at - at);
	if (peek(p) == '%') {
		if (p->world && p->world->limit < 0)
			return wrong(p, p->at,
				"no share can be taken: how large a tile is is not known");
		p->at++;
		*out *= p->world ? (double)p->world->limit / 100 : 1;
		return TS_OK;
	}
	for (size_t i = 0; i < TS_COUNT(units); i++)
		if (strncasecmp(p->at, units[i].name, strlen(units[i].name)) == 0) {
			p->at += strlen(units[i].name);
			*out *= units[i].of;
			return TS_OK;
		}
	return *out > 0 ? wrong(p, at, "%.*s what? %.*sK, or %.*sB, or a share as in 90%%", digits,
				  at, digits, at, digits, at)
			: TS_OK;
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
	const struct ts_tile_set *s = p->world ? p->world->selected : NULL;

	if (p->world && !s)
		return wrong(p, p->at - strlen("selected"),
			"tiles are selected in the app only: \"selected\" means nothing here");
	for (int64_t t = s ? ts_tile_set_next(s, 0) : -1; t >= 0; t = ts_tile_set_next(s, t + 1))
		ts_tile_set_add(out, t, t + 1);
	return TS_OK;
}

static enum ts_code
add_tiles(struct parser *p, struct ts_tile_set *out)
{
	int64_t from, to;
	const char *at = p->at;
	enum ts_code code = range(p, &from, &to);

	if (code || !p->world)
		return code;
	if (out->tiles == 0)
		return wrong(p, at, "it is not known what tiles there are");
	if (to > out->tiles)
		return wrong(p, at, "there is no tile %" PRId64 ", they are 0 to %" PRId64, to - 1,
			out->tiles - 1);
	if (p->world->there && to == from + 1 && !ts_tile_set_has(p->world->there, from))
		return wrong(p, at, "there is no tile %" PRId64, from);
	ts_tile_set_add(out, from, to);
	return TS_OK;
}

static enum ts_code
add_ipus(struct parser *p, struct ts_tile_set *out)
{
	const struct ts_tile_world *world = p->world;
	int64_t from, to, last = -1;
	const char *at = p->at;
	bool known = false;
	enum ts_code code = range(p, &from, &to);

	if (code || !world)
		return code;
	for (int64_t t = 0; world->ipu_of && t < out->tiles; t++) {
		int64_t ipu = world->ipu_of(world->ctx, t);

		known = known || ipu >= 0;
		last = ipu > last ? ipu : last;
		if (ipu >= from && ipu < to)
			ts_tile_set_add(out, t, t + 1);
	}
	if (!known)
		return wrong(p, at, "which IPU a tile is of is not known");
	if (to > last + 1)
		return wrong(p, at, "there is no IPU %" PRId64 ", they are 0 to %" PRId64, to - 1,
			last);
	return TS_OK;
}

/* Tiles that use more, or less, than so many bytes. */
static enum ts_code
add_by_bytes(struct parser *p, struct ts_tile_set *out, bool more)
{
	const int64_t *used;
	const char *at = p->at;
	double than;
	enum ts_code code = bytes(p, &than);

	if (code || !p->world)
		return code;
	used = p->world->used;
	if (!used)
		return wrong(p, at, "how much the tiles use is not known");
	for (int64_t t = 0; t < out->tiles; t++)
		if (used[t] >= 0 && (more ? (double)used[t] > than : (double)used[t] < than))
			ts_tile_set_add(out, t, t + 1);
	return TS_OK;
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
	const int64_t *used;
	const char *at = p->at;
	uint32_t *order;
	int64_t n;
	enum ts_code code = number(p, &n);

	if (!code && n == 0)
		return wrong(p, at, "worst(0) would be no tile: worst(1) is the fullest one");
	if (code || !p->world)
		return code;
	used = p->world->used;
	if (!used || out->tiles > UINT32_MAX)
		return wrong(p, at, "how much the tiles use is not known");
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

/* What using() says against an expression stands behind its place. */
static enum ts_code
ask_users(struct parser *p, struct ts_tile_set *out, const char *name, char mark, const char *at)
{
	struct ts_err why = {0};
	enum ts_code code;

	if (!p->world)
		return TS_OK;
	if (!p->world->using)
		return wrong(p, at, "variables of tiles are not recorded");
	code = p->world->using(p->world->ctx, out, name, mark == '/', &why);
	if (code == TS_E_USAGE)
		return wrong(p, at, "%s", why.msg);
	if (code && p->err)
		*p->err = why;
	return code;
}

/* "..." or a regular expression between slashes; a backslash keeps the closing mark from closing. */
static enum ts_code
add_using(struct parser *p, struct ts_tile_set *out)
{
	char name[TS_TILE_SET_TEXT], mark = peek(p);
	const char *at = p->at;
	size_t n = 0;

	if (mark != '"' && mark != '/')
		return wrong(p, at, "a name in quotes, or /a regular expression/, is missing");
	for (p->at++; *p->at && *p->at != mark; p->at++) {
		if (*p->at == '\\' && p->at[1] && (mark == '"' || p->at[1] == mark))
			p->at++;
		else if (*p->at == '\\' && p->at[1])
			name[n++] = *p->at++; /* it is the expression's */
		name[n++] = *p->at;	      /* the text is shorter than that */
	}
	name[n] = '\0';
	if (!take(p, mark))
		return wrong(p, at, "%s",
			mark == '"' ? "the quote is not closed" : "the / is not closed");
	if (n == 0)
		return wrong(p, at, "a name is missing");
	return ask_users(p, out, name, mark, at);
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

static size_t
letters(const char *s)
{
	size_t n = 0;

	while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= 'A' && s[n] <= 'Z') || s[n] == '_')
		n++;
	return n;
}

static enum ts_code
add_named(struct parser *p, struct ts_tile_set *out)
{
	const char *at = p->at;
	size_t n = letters(at);
	enum ts_code code;

	for (size_t i = 0; i < TS_COUNT(terms); i++) {
		if (strlen(terms[i].name) != n || strncasecmp(at, terms[i].name, n) != 0)
			continue;
		p->at += n;
		if (terms[i].called && !take(p, '('))
			return wrong(p, p->at, "( is missing behind %s", terms[i].name);
		code = terms[i].add(p, out);
		if (!code && terms[i].called && !take(p, ')'))
			return wrong(p, p->at, ") is missing");
		return code;
	}
	if (n == 0)
		return wrong(p, at, "a tile is missing, as in 12,40-45 or worst(5)");
	return wrong(p, at, "no word \"%.*s\": all selected ipu over under worst using",
		(int)(n < WORD_SHOWN ? n : WORD_SHOWN), at);
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
		for (int64_t i = 0; p->world && p->world->there && i < words(out); i++)
			out->bits[i] &= p->world->there->bits[i];
		return code;
	}
	p->at++;
	if (p->depth == TS_TILE_SET_DEPTH)
		return wrong(p, p->at - 1, "more than %d brackets in each other",
			TS_TILE_SET_DEPTH);
	p->depth++;
	code = united(p, out);
	p->depth--;
	return !code && !take(p, ')') ? wrong(p, p->at, ") is missing") : code;
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

/* The whole text; `out` is empty before. */
static enum ts_code
whole(struct parser *p, struct ts_tile_set *out)
{
	enum ts_code code;

	if (strlen(p->text) >= TS_TILE_SET_TEXT)
		return ts_err_set(p->err, TS_E_USAGE, "too long: tiles have at most %d characters",
			TS_TILE_SET_TEXT - 1);
	code = united(p, out);
	return !code && peek(p) ? wrong(p, p->at, "an operator (, & -) is missing") : code;
}

enum ts_code
ts_tile_set_parse(struct ts_tile_set *out, const char *text, const struct ts_tile_world *world,
	struct ts_err *err)
{
	struct parser p = {.text = text, .at = text, .world = world, .err = err};
	enum ts_code code;

	if (!ts_tile_set_init(out, world->tiles))
		return ts_err_nomem(err);
	code = whole(&p, out);
	if (code)
		ts_tile_set_fini(out);
	return code;
}

enum ts_code
ts_tile_set_check(const char *text, size_t *at, struct ts_err *err)
{
	struct parser p = {.text = text, .at = text, .err = err};
	struct ts_tile_set none;
	enum ts_code code;

	if (!ts_tile_set_init(&none, 0))
		return ts_err_nomem(err);
	code = whole(&p, &none);
	ts_tile_set_fini(&none);
	*at = p.wrong;
	return code;
}

const char *
ts_tile_set_word(size_t i)
{
	static const char *const words_of[] = {"all", "selected", "ipu(", "over(", "under(",
		"worst(", "using(\""};

	return i < TS_COUNT(words_of) ? words_of[i] : NULL;
}

/* Bytes of the name in quotes, or expression between slashes, that begins here; 0: none does. */
static size_t
quoted(const char *s)
{
	size_t n = 1;

	if (*s != '"' && *s != '/')
		return 0;
	while (s[n] && s[n] != *s)
		n += s[n] == '\\' && s[n + 1] ? 2 : 1;
	return n + (s[n] != '\0');
}

bool
ts_tile_set_asks_selected(const char *text)
{
	static const char word[] = "selected";

	for (size_t n; *text; text += n) {
		n = letters(text);
		if (n == strlen(word) && strncasecmp(text, word, n) == 0)
			return true;
		if (n == 0)
			n = quoted(text);
		n += n == 0;
	}
	return false;
}
