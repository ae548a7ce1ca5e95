/* SPDX-License-Identifier: MIT */
/*
 * utf8 - decoding, and what may go to a terminal.
 *
 * The list of unsafe ranges is short and errs on the safe side: whatever changes direction, has no
 * width, or is invisible is refused, because a name that hides part of itself is an attack or a
 * mistake, and both are better seen.
 */
#include "config.h"

#include <string.h>
#include <wchar.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

struct lead {
	unsigned char first, last;  /* lead bytes */
	unsigned char low, high;    /* the byte behind it lies in this range */
	unsigned char length, bits; /* bytes in all; bits of the lead byte */
};

/* Table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing above 10FFFF. */
static const struct lead leads[] = {
	{0xc2, 0xdf, 0x80, 0xbf, 2, 0x1f},
	{0xe0, 0xe0, 0xa0, 0xbf, 3, 0x0f},
	{0xe1, 0xec, 0x80, 0xbf, 3, 0x0f},
	{0xed, 0xed, 0x80, 0x9f, 3, 0x0f},
	{0xee, 0xef, 0x80, 0xbf, 3, 0x0f},
	{0xf0, 0xf0, 0x90, 0xbf, 4, 0x07},
	{0xf1, 0xf3, 0x80, 0xbf, 4, 0x07},
	{0xf4, 0xf4, 0x80, 0x8f, 4, 0x07},
};

/* Decode; false when it is not valid: *used is then the longest part that could have begun one. */
static bool
decode(const unsigned char *u, size_t n, uint32_t *cp, size_t *used)
{
	const struct lead *l = NULL;

	*used = 1;
	*cp = u[0];
	if (u[0] < 0x80)
		return true;
	for (size_t i = 0; i < TS_COUNT(leads); i++)
		if (u[0] >= leads[i].first && u[0] <= leads[i].last)
			l = &leads[i];
	if (!l)
		return false;
	*cp = u[0] & l->bits;
	for (; *used < l->length; ++*used) {
		unsigned char low = *used == 1 ? l->low : 0x80, high = *used == 1 ? l->high : 0xbf;

		if (*used == n || u[*used] < low || u[*used] > high)
			return false;
		*cp = *cp << 6 | (u[*used] & 0x3f);
	}
	return true;
}

size_t
ts_utf8_next(const char *s, size_t n, uint32_t *cp)
{
	size_t used;

	if (!decode((const unsigned char *)s, n, cp, &used))
		*cp = TS_CP_REPLACEMENT;
	return used;
}

size_t
ts_utf8_encode(uint32_t cp, char out[4])
{
	if (cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
		cp = TS_CP_REPLACEMENT;
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xc0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xe0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		out[2] = (char)(0x80 | (cp & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	out[3] = (char)(0x80 | (cp & 0x3f));
	return 4;
}

bool
ts_utf8_valid(const char *s, size_t n)
{
	uint64_t eight;
	uint32_t cp;

	for (; n >= sizeof(eight);
		s += sizeof(eight), n -= sizeof(eight)) { /* most text is ASCII */
		memcpy(&eight, s, sizeof(eight));
		if (eight & UINT64_C(0x8080808080808080))
			break;
	}
	for (size_t used; n > 0; s += used, n -= used) {
		used = 1;
		if ((unsigned char)*s >= 0x80 && !decode((const unsigned char *)s, n, &cp, &used))
			return false;
	}
	return true;
}

/* Add the printable ASCII that it begins with, at once: most text is nothing else. Returns how many bytes. */
static size_t
add_plain(struct ts_strbuf *out, const char *s, size_t n)
{
	size_t used = 0;

	while (used < n && s[used] >= 0x20 && s[used] < 0x7f)
		used++;
	ts_strbuf_add(out, s, used);
	return used;
}

static bool
goes_on(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

size_t
ts_utf8_cut(const char *s, size_t n, size_t most)
{
	size_t at = most;

	if (n <= most)
		return n;
	while (at > 0 && most - at < 3 && goes_on(s[at]))
		at--;
	return goes_on(s[at]) ? most : at; /* so long no character is */
}

void
ts_utf8_mend(struct ts_strbuf *out, const char *s, size_t n)
{
	uint32_t cp;
	char enc[4];

	for (size_t used; n > 0; s += used, n -= used) {
		used = add_plain(out, s, n);
		if (used > 0)
			continue;
		used = ts_utf8_next(s, n, &cp);
		ts_strbuf_add(out, enc, ts_utf8_encode(cp, enc));
	}
}

static const struct {
	uint32_t first, last;
} unsafe[] = {
	{0x0000, 0x001f},    /* C0 */
	{0x007f, 0x009f},    /* DEL, C1 */
	{0x00ad, 0x00ad},    /* soft hyphen */
	{0x061c, 0x061c},    /* Arabic letter mark */
	{0x115f, 0x1160},    /* Hangul fillers */
	{0x17b4, 0x17b5},    /* Khmer inherent vowels */
	{0x180b, 0x180f},    /* Mongolian selectors */
	{0x200b, 0x200f},    /* zero width, LRM, RLM */
	{0x2028, 0x202e},    /* separators, embeddings, overrides */
	{0x2060, 0x206f},    /* word joiner, isolates */
	{0x3164, 0x3164},    /* Hangul filler */
	{0xd800, 0xf8ff},    /* surrogates, private use */
	{0xfdd0, 0xfdef},    /* non-characters */
	{0xfe00, 0xfe0f},    /* variation selectors */
	{0xfeff, 0xfeff},    /* byte order mark */
	{0xffa0, 0xffa0},    /* half-width Hangul filler */
	{0xfff0, 0xfffb},    /* specials */
	{0xe0000, 0x10ffff}, /* tags, selectors, private use */
};

bool
ts_cp_safe(uint32_t cp)
{
	if (cp >= 0x20 && cp < 0x7f)
		return true;
	for (size_t i = 0; i < TS_COUNT(unsafe); i++)
		if (cp >= unsafe[i].first && cp <= unsafe[i].last)
			return false;
	if ((cp & 0xfffe) == 0xfffe)
		return false;
	if (cp == TS_CP_REPLACEMENT)
		return true;
	return wcwidth((wchar_t)cp) > 0;
}

int
ts_cp_width(uint32_t cp)
{
	if (cp < 0x7f || !ts_cp_safe(cp))
		return 1;
	return wcwidth((wchar_t)cp) == 2 ? 2 : 1;
}

void
ts_utf8_safe(struct ts_strbuf *out, const char *s, size_t n)
{
	uint32_t cp;
	size_t used;
	char enc[4];

	for (; n > 0; s += used, n -= used) {
		used = add_plain(out, s, n);
		if (used > 0)
			continue;
		used = ts_utf8_next(s, n, &cp);
		ts_strbuf_add(out, enc,
			ts_utf8_encode(ts_cp_safe(cp) ? cp : TS_CP_REPLACEMENT, enc));
	}
}

void
ts_utf8_pad(struct ts_strbuf *out, const char *s, size_t n, int width)
{
	bool fits = ts_utf8_columns(s, n) <= width;
	int room = fits ? width : width - 1, columns = 0;
	size_t used = 0;

	while (used < n) {
		uint32_t cp;
		size_t bytes = ts_utf8_next(s + used, n - used, &cp);

		if (columns + ts_cp_width(cp) > room)
			break;
		columns += ts_cp_width(cp);
		used += bytes;
	}
	ts_utf8_safe(out, s, used);
	if (!fits && width > 0) {
		ts_strbuf_putc(out, '~');
		columns++;
	}
	for (; columns < width; columns++)
		ts_strbuf_putc(out, ' ');
}

int
ts_utf8_columns(const char *s, size_t n)
{
	uint32_t cp;
	size_t used;
	int columns = 0;

	for (; n > 0; s += used, n -= used) {
		used = ts_utf8_next(s, n, &cp);
		columns += ts_cp_width(cp);
	}
	return columns;
}

bool
ts_contains_nocase(const char *hay, const char *needle)
{
	return strcasestr(hay, needle) != NULL;
}
