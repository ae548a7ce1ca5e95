/* SPDX-License-Identifier: MIT */
/* debug_json - the details of a context as JSON: what its map says, beside what has a place of its own. */
#include "config.h"

#include <string.h>

#include "tilescope/base/utf8.h"
#include "tilescope/format/debug_info.h"

static void
put_string(struct ts_strbuf *out, const char *s, size_t n)
{
	struct ts_strbuf mended;

	ts_strbuf_init(&mended, 4 * n + 1);
	ts_utf8_mend(&mended, s, n);
	ts_strbuf_putc(out, '"');
	for (size_t i = 0; i < mended.len; i++) {
		unsigned char c = (unsigned char)mended.s[i];

		if (c < 0x20)
			ts_strbuf_printf(out, "\\u%04x", c);
		else if (c == '"' || c == '\\')
			ts_strbuf_printf(out, "\\%c", c);
		else
			ts_strbuf_putc(out, (char)c);
	}
	ts_strbuf_putc(out, '"');
	out->nomem |= mended.nomem;
	ts_strbuf_fini(&mended);
}

/* What is no map and no array; a number that JSON has no word for (infinite, none) is null. */
static void
put_plain(struct ts_strbuf *out, const struct ts_debug_tree *t, const struct ts_debug_node *n)
{
	const char *s = t->text.s + n->value;
	char first = n->value_n > 0 ? s[*s == '-' && n->value_n > 1] : 0;

	if (n->kind == TS_CBOR_TEXT || n->kind == TS_CBOR_BYTES)
		put_string(out, s, n->value_n);
	else if (n->kind == TS_CBOR_BOOL || (first >= '0' && first <= '9'))
		ts_strbuf_add(out, s, n->value_n);
	else
		ts_strbuf_puts(out, "null");
}

static bool
is_left_out(const struct ts_debug_tree *t, const struct ts_debug_node *n, const char *const *keys)
{
	for (; n->depth == 0 && *keys; keys++)
		if (n->key_n == strlen(*keys) && memcmp(t->text.s + n->key, *keys, n->key_n) == 0)
			return true;
	return false;
}

void
ts_debug_tree_json(struct ts_strbuf *out, const struct ts_debug_tree *t,
	const char *const *left_out)
{
	char close[TS_CBOR_DEPTH + 2];
	int open = 0;
	bool first = true;

	close[open++] = '}';
	ts_strbuf_putc(out, '{');
	for (size_t i = 0; i < t->count; i++) {
		const struct ts_debug_node *n = &t->node[i];
		bool inner = n->kind == TS_CBOR_MAP || n->kind == TS_CBOR_ARRAY;

		if (is_left_out(t, n, left_out)) {
			i += n->inside;
			continue;
		}
		for (; open > n->depth + 1; first = false)
			ts_strbuf_putc(out, close[--open]);
		if (!first)
			ts_strbuf_puts(out, ", ");
		first = inner;
		if (close[open - 1] == '}') {
			put_string(out, t->text.s + n->key, n->key_n);
			ts_strbuf_puts(out, ": ");
		}
		if (!inner) {
			put_plain(out, t, n);
			continue;
		}
		ts_strbuf_putc(out, n->kind == TS_CBOR_MAP ? '{' : '[');
		close[open++] = n->kind == TS_CBOR_MAP ? '}' : ']';
	}
	while (open > 0)
		ts_strbuf_putc(out, close[--open]);
}
