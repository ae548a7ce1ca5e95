/* SPDX-License-Identifier: MIT */
/* vertex_name - see the header. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/vertex_name.h"

struct writer {
	char *out;
	size_t size, len;
};

static void
add(struct writer *w, const char *s, size_t n)
{
	for (size_t i = 0; i < n && w->len + 1 < w->size; i++)
		w->out[w->len++] = s[i];
}

static size_t
end(struct writer *w)
{
	if (w->size > 0)
		w->out[w->len] = '\0';
	return w->len;
}

static bool
begins(const char *s, size_t n, const char *with)
{
	size_t m = strlen(with);

	return n >= m && memcmp(s, with, m) == 0;
}

/* Is it readable as it stands? */
static bool
is_plain(const char *s, size_t n)
{
	return memchr(s, '<', n) || memchr(s, ':', n) || memchr(s, ' ', n);
}

/* A symbol's decoration, in front of the class. */
static void
strip(const char **s, size_t *n)
{
	static const char *const front[] = {".text.", "__runCodelet_"};

	for (size_t i = 0; i < TS_COUNT(front); i++)
		if (begins(*s, *n, front[i]) && *n > strlen(front[i])) {
			*s += strlen(front[i]);
			*n -= strlen(front[i]);
		}
}

/* Underscores at s, at most 3. */
static size_t
underscores(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && i < 3 && s[i] == '_')
		i++;
	return i;
}

/* Where the template's arguments begin (behind `___`), or n. */
static size_t
find_arguments(const char *s, size_t n, size_t *family)
{
	for (size_t i = 1; i + 3 < n; i++)
		if (underscores(s + i, n - i) == 3) {
			*family = i;
			return i + 3;
		}
	*family = n;
	return n;
}

/* A name with `::` for two underscores between letters. */
static void
add_name(struct writer *w, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && i + 2 < n && underscores(s + i, n - i) == 2) {
			add(w, "::", 2);
			i++;
		} else {
			add(w, s + i, 1);
		}
	}
}

/* --- arguments -------------------------------------------------------------------------------- */

/* The end of the word at s: a single underscore, or the end. */
static size_t
word_end(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n) {
		size_t u = underscores(s + i, n - i);

		if (u == 1 && i > 0)
			return i;
		i += u > 1 ? u : 1;
	}
	return n;
}

static bool
is_capitals(const char *s, size_t n)
{
	bool letter = false;

	for (size_t i = 0; i < n; i++) {
		letter |= s[i] >= 'A' && s[i] <= 'Z';
		if (!(s[i] >= 'A' && s[i] <= 'Z') && !(s[i] >= '0' && s[i] <= '9'))
			return false;
	}
	return letter;
}

/* The part of a word behind its last `::`; NULL: it has none. */
static const char *
enumerator(const char *s, size_t n)
{
	for (size_t i = n; i > 2; i--)
		if (s[i - 1] == '_' && s[i - 2] == '_')
			return s + i;
	return NULL;
}

/* Does the word at b belong to the one before it? */
static bool
belongs(const char *a, size_t a_n, const char *b, size_t b_n)
{
	static const char *const of_two[] = {"unsigned", "signed", "long"},
				 *const seconds[] = {"char", "short", "int", "long"};
	const char *last = enumerator(a, a_n);

	/* an enumerator: what follows in capitals is still it */
	if (last && is_capitals(last, a_n - (size_t)(last - a)) && is_capitals(b, b_n))
		return true;
	for (size_t i = 0; i < TS_COUNT(of_two); i++) {
		if (a_n != strlen(of_two[i]) || memcmp(a, of_two[i], a_n) != 0)
			continue;
		for (size_t k = 0; k < TS_COUNT(seconds); k++)
			if (b_n == strlen(seconds[k]) && memcmp(b, seconds[k], b_n) == 0)
				return true;
	}
	return false;
}

static void
add_arguments(struct writer *w, const char *s, size_t n)
{
	const char *before = NULL;
	size_t before_n = 0;
	bool capitals = false;

	while (n > 0) {
		size_t len = word_end(s, n);
		bool joined = before && belongs(before, before_n, s, len);

		/* the third word in capitals belongs to the first, as the second did */
		joined |= capitals && is_capitals(s, len);
		if (before && joined)
			add(w, is_capitals(s, len) ? "_" : " ", 1);
		else if (before)
			add(w, ", ", 2);
		capitals = joined && is_capitals(s, len);
		add_name(w, s, len);
		before = s;
		before_n = len;
		s += len + (len < n);
		n -= len + (len < n);
	}
}

size_t
ts_vertex_demangle(char *out, size_t size, const char *name, size_t n)
{
	struct writer w = {out, size, 0};
	size_t family, at;

	strip(&name, &n);
	if (is_plain(name, n)) {
		add(&w, name, n);
		return end(&w);
	}
	at = find_arguments(name, n, &family);
	add_name(&w, name, family);
	if (at < n) {
		add(&w, "<", 1);
		add_arguments(&w, name + at, n - at);
		add(&w, ">", 1);
	}
	return end(&w);
}

size_t
ts_function_demangle(char *out, size_t size, const char *name, size_t n)
{
	struct writer w = {out, size, 0};
	const char *bare = name;
	size_t bare_n = n;

	strip(&bare, &bare_n);
	if (bare_n == 0 || *bare != '_')
		return ts_vertex_demangle(out, size, name, n);
	add(&w, name, n);
	return end(&w);
}

size_t
ts_vertex_family(char *out, size_t size, const char *name, size_t n)
{
	struct writer w = {out, size, 0};
	size_t family;

	strip(&name, &n);
	if (is_plain(name, n)) {
		const char *less = memchr(name, '<', n);

		add(&w, name, less && less > name ? (size_t)(less - name) : n);
		return end(&w);
	}
	find_arguments(name, n, &family);
	add_name(&w, name, family);
	return end(&w);
}
