/* SPDX-License-Identifier: MIT */
/* key - names of keys, parsed and printed; see the header. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/ui/key.h"

static const struct {
	const char *name;
	ts_key key;
} names[] = {
#define X(id, name) {name, TS_KEY_##id},
	TS_KEYS(X)
#undef X
		{"Space", ' '},
	/* the first name of a key is the one that is printed; what follows is only read */
	{"Escape", TS_KEY_ESC},
	{"Return", TS_KEY_ENTER},
	{"BS", TS_KEY_BACKSPACE},
	{"PageUp", TS_KEY_PGUP},
	{"PageDown", TS_KEY_PGDN},
	{"Insert", TS_KEY_INSERT},
	{"Delete", TS_KEY_DELETE},
	{"BackTab", TS_KEY_TAB | TS_KEY_SHIFT},
	{"Hash", '#'},
	{"Quote", '"'},
	{"Backslash", '\\'},
	{"Minus", '-'},
};

static const struct {
	char letter;
	ts_key flag;
} modifiers[] = {
	{'C', TS_KEY_CTRL},
	{'M', TS_KEY_ALT},
	{'S', TS_KEY_SHIFT},
};

/* Control letters that a terminal sends as another key. */
static const struct {
	char letter;
	ts_key key;
} control_twins[] = {
	{'i', TS_KEY_TAB},
	{'m', TS_KEY_ENTER},
	{'j', TS_KEY_ENTER},
	{'h', TS_KEY_BACKSPACE},
	{'[', TS_KEY_ESC},
	{'@', ' ' | TS_KEY_CTRL},
};

/* The one form of a key, see the header. */
static ts_key
normal(ts_key key)
{
	ts_key code = TS_KEY_CODE(key), flags = key ^ code;

	if (code >= TS_KEY_NAMED)
		return key;
	if (flags & TS_KEY_SHIFT) {
		flags &= ~TS_KEY_SHIFT;
		if (code >= 'a' && code <= 'z')
			code -= 'a' - 'A';
	}
	if (!(flags & TS_KEY_CTRL))
		return code | flags;
	if (code >= 'A' && code <= 'Z')
		code += 'a' - 'A';
	for (size_t i = 0; i < TS_COUNT(control_twins); i++)
		if (code == (ts_key)control_twins[i].letter)
			return control_twins[i].key | (flags & ~TS_KEY_CTRL);
	return code | flags;
}

ts_key
ts_key_from_char(uint32_t cp)
{
	enum { DEL = 0x7f };

	if (cp == DEL)
		return TS_KEY_BACKSPACE;
	if (cp >= ' ')
		return cp;
	/* control characters are letters (1..26) or one of @ [ \ ] ^ _ less 0x40 */
	return normal((cp + 0x40) | TS_KEY_CTRL);
}

/* A key without modifiers. */
static bool
parse_plain(const char *s, ts_key *out)
{
	size_t len = strlen(s);
	uint32_t cp;

	if (len > 0 && ts_utf8_next(s, len, &cp) == len) {
		*out = cp;
		return ts_cp_safe(cp);
	}
	for (size_t i = 0; i < TS_COUNT(names); i++) {
		if (strcasecmp(names[i].name, s) == 0) {
			*out = names[i].key;
			return true;
		}
	}
	return false;
}

bool
ts_key_parse(const char *s, ts_key *out)
{
	ts_key flags = 0, key;
	size_t i;

	do {
		for (i = 0; i < TS_COUNT(modifiers); i++)
			if (s[0] == modifiers[i].letter && s[1] == '-' && s[2] != '\0')
				break;
		if (i < TS_COUNT(modifiers)) {
			flags |= modifiers[i].flag;
			s += 2;
		}
	} while (i < TS_COUNT(modifiers));
	if (!parse_plain(s, &key))
		return false;
	*out = normal(key | flags);
	return true;
}

static bool
add_key(struct ts_keys *keys, ts_key key)
{
	if (keys->n == TS_KEYS_MAX)
		return false;
	keys->key[keys->n++] = key;
	return true;
}

/* A part between blanks: one key, or a key per character. */
static bool
parse_part(struct ts_keys *out, const char *part)
{
	ts_key key;

	if (ts_key_parse(part, &key))
		return add_key(out, key);
	for (size_t n = strlen(part), used; n > 0; part += used, n -= used) {
		used = ts_utf8_next(part, n, &key);
		if (!ts_cp_safe(key) || !add_key(out, key))
			return false;
	}
	return true;
}

bool
ts_keys_parse(const char *s, struct ts_keys *out)
{
	char part[TS_KEY_TEXT * 2];

	out->n = 0;
	for (;;) {
		size_t len;

		s += strspn(s, " ");
		if (*s == '\0')
			return out->n > 0;
		len = strcspn(s, " ");
		if (len >= sizeof(part))
			return false;
		memcpy(part, s, len);
		part[len] = '\0';
		if (!parse_part(out, part))
			return false;
		s += len;
	}
}

const char *
ts_key_print(char out[TS_KEY_TEXT], ts_key key)
{
	ts_key code = TS_KEY_CODE(key);
	char prefix[2 * TS_COUNT(modifiers) + 1], plain[5] = "";
	const char *name = plain;
	size_t n = 0;

	for (size_t i = 0; i < TS_COUNT(modifiers); i++) {
		if (key & modifiers[i].flag) {
			prefix[n++] = modifiers[i].letter;
			prefix[n++] = '-';
		}
	}
	prefix[n] = '\0';
	if (code > ' ' && code < TS_KEY_NAMED)
		ts_utf8_encode(code, plain);
	for (size_t i = 0; i < TS_COUNT(names) && !plain[0] && name == plain; i++)
		if (names[i].key == code)
			name = names[i].name;
	snprintf(out, TS_KEY_TEXT, "%s%s", prefix, *name ? name : "?");
	return out;
}

const char *
ts_keys_print(char out[TS_KEYS_TEXT], const struct ts_keys *keys)
{
	char one[TS_KEY_TEXT];
	bool plain = true;
	ts_key whole;
	size_t at = 0;

	for (int i = 0; i < keys->n; i++)
		plain = plain && keys->key[i] > ' ' && keys->key[i] < TS_KEY_NAMED;
	/* twice at most: `Up` is a key, so the keys U and p are written with a blank between */
	for (int pass = 0; pass < 2; pass++) {
		at = 0;
		out[0] = '\0';
		for (int i = 0; i < keys->n && at < TS_KEYS_TEXT; i++)
			at += (size_t)snprintf(out + at, TS_KEYS_TEXT - at, "%s%s",
				i > 0 && !plain ? " " : "", ts_key_print(one, keys->key[i]));
		if (!plain || keys->n < 2 || !ts_key_parse(out, &whole))
			break;
		plain = false;
	}
	return out;
}

bool
ts_key_is_text(ts_key key)
{
	return key >= ' ' && key < TS_KEY_NAMED && ts_cp_safe(key);
}
