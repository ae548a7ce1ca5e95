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
	unsigned char mask, value; /* a lead byte b has (b & mask) == value */
	unsigned char len;
	uint32_t min; /* smallest code point that needs this length */
};

static const struct lead leads[] = {
	{0x80, 0x00, 1, 0},
	{0xe0, 0xc0, 2, 0x80},
	{0xf0, 0xe0, 3, 0x800},
	{0xf8, 0xf0, 4, 0x10000},
};

size_t
ts_utf8_next(const char *s, size_t n, uint32_t *cp)
{
	const unsigned char *u = (const unsigned char *)s;
	const struct lead *l = NULL;
	uint32_t v;

	*cp = TS_CP_REPLACEMENT;
	for (size_t i = 0; i < TS_COUNT(leads); i++)
		if ((u[0] & leads[i].mask) == leads[i].value)
			l = &leads[i];
	if (!l || l->len > n)
		return 1;
	v = u[0] & (unsigned char)~l->mask;
	for (size_t i = 1; i < l->len; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 1;
		v = v << 6 | (u[i] & 0x3f);
	}
	if (v < l->min || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
		return 1;
	*cp = v;
	return l->len;
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
	uint32_t cp;
	size_t used;

	for (; n > 0; s += used, n -= used) {
		used = ts_utf8_next(s, n, &cp);
		if (cp == TS_CP_REPLACEMENT && used == 1)
			return false;
	}
	return true;
}

static const struct {
	uint32_t first, last;
} unsafe[] = {
	{0x0000, 0x001f},   /* C0 */
	{0x007f, 0x009f},   /* DEL, C1 */
	{0x00ad, 0x00ad},   /* soft hyphen */
	{0x061c, 0x061c},   /* Arabic letter mark */
	{0x115f, 0x1160},   /* Hangul fillers */
	{0x17b4, 0x17b5},   /* Khmer inherent vowels */
	{0x180b, 0x180f},   /* Mongolian selectors */
	{0x200b, 0x200f},   /* zero width, LRM, RLM */
	{0x2028, 0x202e},   /* separators, embeddings, overrides */
	{0x2060, 0x206f},   /* word joiner, isolates */
	{0x3164, 0x3164},   /* Hangul filler */
	{0xd800, 0xf8ff},   /* surrogates, private use */
	{0xfdd0, 0xfdef},   /* non-characters */
	{0xfe00, 0xfe0f},   /* variation selectors */
	{0xfeff, 0xfeff},   /* byte order mark */
	{0xffa0, 0xffa0},   /* half-width Hangul filler */
	{0xfff0, 0xfffb},   /* specials */
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
		used = ts_utf8_next(s, n, &cp);
		ts_strbuf_add(out, enc,
			ts_utf8_encode(ts_cp_safe(cp) ? cp : TS_CP_REPLACEMENT, enc));
	}
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
