/* SPDX-License-Identifier: MIT */
/*
 * prompt - the line editor.
 *
 * The text is valid UTF-8 by construction: it comes in by whole characters or through clean(). The
 * cursor moves and erases by whole characters. Completion offers candidates for the word before the
 * cursor: the first key press fills in what all of them share, the next ones walk through them.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/ui/prompt.h"

/* ---- history ---- */

void
ts_history_init(struct ts_history *h)
{
	memset(h, 0, sizeof(*h));
}

void
ts_history_fini(struct ts_history *h)
{
	for (int i = 0; i < h->count; i++)
		free(h->line[i]);
	ts_history_init(h);
}

static void
history_remove(struct ts_history *h, int i)
{
	free(h->line[i]);
	h->count--;
	memmove(&h->line[i], &h->line[i + 1], (size_t)(h->count - i) * sizeof(h->line[0]));
}

void
ts_history_add(struct ts_history *h, const char *line)
{
	char *copy;

	if (!*line)
		return;
	copy = ts_strdup(line);
	if (!copy)
		return;
	for (int i = h->count; i-- > 0;)
		if (strcmp(h->line[i], line) == 0)
			history_remove(h, i);
	if (h->count == TS_PROMPT_HISTORY)
		history_remove(h, 0);
	h->line[h->count++] = copy;
}

/* ---- text ---- */

/* Copy s without what cannot be typed, cut to what fits. Returns the bytes. */
static size_t
clean(char out[TS_PROMPT_MAX], const char *s)
{
	size_t n = 0;
	char enc[4];
	uint32_t cp;

	for (size_t left = strlen(s), used; left > 0; s += used, left -= used) {
		size_t len;

		used = ts_utf8_next(s, left, &cp);
		len = ts_utf8_encode(cp, enc);
		if (!ts_cp_safe(cp))
			continue;
		if (n + len >= TS_PROMPT_MAX)
			break;
		memcpy(out + n, enc, len);
		n += len;
	}
	out[n] = '\0';
	return n;
}

static void
set_text(struct ts_prompt *p, const char *s)
{
	p->len = clean(p->text, s);
	p->cursor = p->len;
}

static void
forget_candidates(struct ts_prompt *p)
{
	p->found.count = 0;
	p->chosen = -1;
}

/* Replace the bytes [from, to) of the line by n others, the cursor behind them. */
static bool
splice(struct ts_prompt *p, size_t from, size_t to, const char *s, size_t n)
{
	if (p->len - (to - from) + n >= TS_PROMPT_MAX)
		return false;
	memmove(p->text + from + n, p->text + to, p->len - to + 1);
	memcpy(p->text + from, s, n);
	p->len = p->len - (to - from) + n;
	p->cursor = from + n;
	return true;
}

static size_t
char_left(const struct ts_prompt *p, size_t at)
{
	if (at > 0)
		at--;
	while (at > 0 && ((unsigned char)p->text[at] & 0xc0) == 0x80)
		at--;
	return at;
}

static size_t
char_right(const struct ts_prompt *p, size_t at)
{
	uint32_t cp;

	return at < p->len ? at + ts_utf8_next(p->text + at, p->len - at, &cp) : at;
}

static size_t
word_left(const struct ts_prompt *p, size_t at)
{
	while (at > 0 && p->text[at - 1] == ' ')
		at--;
	while (at > 0 && p->text[at - 1] != ' ')
		at--;
	return at;
}

static size_t
word_right(const struct ts_prompt *p, size_t at)
{
	while (at < p->len && p->text[at] == ' ')
		at++;
	while (at < p->len && p->text[at] != ' ')
		at++;
	return at;
}

void
ts_prompt_open(struct ts_prompt *p, const char *label, const char *text, struct ts_history *history,
	ts_complete_fn *complete, void *ctx)
{
	size_t n = strnlen(label, sizeof(p->label) - 1);

	memset(p, 0, sizeof(*p));
	memcpy(p->label, label, n);
	p->history = history;
	p->complete = complete;
	p->ctx = ctx;
	set_text(p, text ? text : "");
	forget_candidates(p);
}

void
ts_prompt_hint(struct ts_prompt *p, const char *hint)
{
	p->hint = hint;
}

enum ts_prompt_result
ts_prompt_type(struct ts_prompt *p, ts_key key)
{
	char enc[4];
	size_t n;

	if (!ts_key_is_text(key))
		return TS_PROMPT_IGNORED;
	n = ts_utf8_encode(key, enc);
	forget_candidates(p);
	p->back = 0;
	splice(p, p->cursor, p->cursor, enc, n);
	return TS_PROMPT_EDITED;
}

/* ---- completion ---- */

void
ts_candidates_add(struct ts_candidates *out, const char *s)
{
	size_t n = strlen(s);

	if (out->count == TS_PROMPT_CANDIDATES || n >= TS_PROMPT_CANDIDATE || !ts_utf8_valid(s, n))
		return;
	memcpy(out->text[out->count++], s, n + 1);
}

/* Bytes that all candidates begin with, by whole characters. */
static size_t
shared_prefix(const struct ts_candidates *c)
{
	size_t n = strlen(c->text[0]);

	for (int i = 1; i < c->count; i++) {
		size_t k = 0;

		while (k < n && c->text[i][k] == c->text[0][k])
			k++;
		n = k;
	}
	while (n > 0 && ((unsigned char)c->text[0][n] & 0xc0) == 0x80)
		n--;
	return n;
}

/* Ask for candidates for the line up to the cursor. */
static void
ask(struct ts_prompt *p)
{
	char line[TS_PROMPT_MAX];

	forget_candidates(p);
	if (!p->complete)
		return;
	memcpy(line, p->text, p->cursor);
	line[p->cursor] = '\0';
	p->found.start = p->cursor;
	p->complete(p->ctx, line, &p->found);
	if (p->found.start > p->cursor || p->found.count == 0)
		forget_candidates(p);
}

static void
choose(struct ts_prompt *p, int i)
{
	const char *s = p->found.text[i];

	if (splice(p, p->found.start, p->cursor, s, strlen(s)))
		p->chosen = i;
}

static void
complete(struct ts_prompt *p, int step)
{
	size_t n;

	if (p->found.count > 1) {
		if (p->chosen < 0)
			choose(p, step > 0 ? 0 : p->found.count - 1);
		else
			choose(p, (p->chosen + step + p->found.count) % p->found.count);
		return;
	}
	ask(p);
	if (p->found.count == 0)
		return;
	n = shared_prefix(&p->found);
	if (n >= p->cursor - p->found.start)
		splice(p, p->found.start, p->cursor, p->found.text[0], n);
	if (p->found.count == 1) { /* a field goes on without a blank */
		if (p->cursor == p->len && !strchr(":>", p->text[p->len - 1]))
			splice(p, p->cursor, p->cursor, " ", 1);
		forget_candidates(p);
	}
}

/* ---- commands ---- */

/* Another line of the history; 0 is the one that was being typed. */
static void
look_back(struct ts_prompt *p, int step)
{
	int to = p->back + step;

	if (!p->history || to < 0 || to > p->history->count)
		return;
	if (p->back == 0)
		memcpy(p->kept, p->text, p->len + 1);
	p->back = to;
	set_text(p, to == 0 ? p->kept : p->history->line[p->history->count - to]);
}

static void
erase(struct ts_prompt *p, size_t from, size_t to)
{
	p->back = 0;
	splice(p, from, to, "", 0);
}

enum ts_prompt_result
ts_prompt_command(struct ts_prompt *p, enum ts_cmd cmd)
{
	bool completing = cmd == TS_CMD_COMPLETE || cmd == TS_CMD_COMPLETE_BACK;

	if (ts_commands[cmd].context != TS_CONTEXT_PROMPT)
		return TS_PROMPT_IGNORED;
	if (!completing)
		forget_candidates(p);
	switch (cmd) {
	case TS_CMD_ACCEPT:
		if (p->history)
			ts_history_add(p->history, p->text);
		return TS_PROMPT_ACCEPTED;
	case TS_CMD_SEARCH_ON:
	case TS_CMD_SEARCH_ON_BACK:
		return cmd == TS_CMD_SEARCH_ON ? TS_PROMPT_ON : TS_PROMPT_ON_BACK;
	case TS_CMD_DISMISS:
		return TS_PROMPT_DISMISSED;
	case TS_CMD_COMPLETE:
	case TS_CMD_COMPLETE_BACK:
		complete(p, cmd == TS_CMD_COMPLETE ? 1 : -1);
		break;
	case TS_CMD_OLDER:
		look_back(p, 1);
		break;
	case TS_CMD_NEWER:
		look_back(p, -1);
		break;
	case TS_CMD_CHAR_LEFT:
		p->cursor = char_left(p, p->cursor);
		break;
	case TS_CMD_CHAR_RIGHT:
		p->cursor = char_right(p, p->cursor);
		break;
	case TS_CMD_WORD_LEFT:
		p->cursor = word_left(p, p->cursor);
		break;
	case TS_CMD_WORD_RIGHT:
		p->cursor = word_right(p, p->cursor);
		break;
	case TS_CMD_LINE_BEGIN:
		p->cursor = 0;
		break;
	case TS_CMD_LINE_END:
		p->cursor = p->len;
		break;
	case TS_CMD_ERASE:
		if (p->len == 0)
			return TS_PROMPT_DISMISSED;
		erase(p, char_left(p, p->cursor), p->cursor);
		break;
	case TS_CMD_ERASE_RIGHT:
		erase(p, p->cursor, char_right(p, p->cursor));
		p->cursor = p->cursor < p->len ? p->cursor : p->len;
		break;
	case TS_CMD_ERASE_WORD:
		erase(p, word_left(p, p->cursor), p->cursor);
		break;
	case TS_CMD_ERASE_BEGIN:
		erase(p, 0, p->cursor);
		break;
	case TS_CMD_ERASE_END:
		erase(p, p->cursor, p->len);
		break;
	default:
		return TS_PROMPT_IGNORED;
	}
	return TS_PROMPT_EDITED;
}

/* ---- drawing ---- */

static void
draw_candidates(struct ts_canvas *c, struct ts_rect r, const struct ts_prompt *p)
{
	int x = 0, first = 0;

	/* pages of candidates: the chosen one is among those that are drawn */
	for (int i = 0; i < p->found.count; i++) {
		int w = ts_utf8_columns(p->found.text[i], strlen(p->found.text[i])) + 2;

		if (x + w > r.w && i <= p->chosen) {
			first = i;
			x = 0;
		}
		x += w;
	}
	ts_canvas_fill(c, r, TS_ROLE_HINT_TEXT, ' ');
	x = 0;
	for (int i = first; i < p->found.count && x < r.w; i++)
		x = ts_canvas_text(c, r, x, 0,
			    i == p->chosen ? TS_ROLE_HINT_KEY : TS_ROLE_HINT_TEXT,
			    p->found.text[i]) +
			2;
}

static void
draw_hint(struct ts_canvas *c, struct ts_rect r, const char *hint)
{
	ts_canvas_fill(c, r, TS_ROLE_HINT_TEXT, ' ');
	ts_canvas_field(c, r, 0, 0, r.w, TS_ROLE_HINT_TEXT, hint, strlen(hint), TS_FIELD_ELLIPSIS);
}

/* How many characters there are; what they are is not drawn. */
static void
draw_hidden(struct ts_canvas *c, struct ts_rect line, const struct ts_prompt *p)
{
	int all = 0, before = 0, shift;

	for (size_t at = 0; at < p->len; at = char_right(p, at), all++)
		before += at < p->cursor;
	shift = before >= line.w ? before - line.w + 1 : 0;
	for (int i = shift; i < all && i - shift < line.w; i++)
		ts_canvas_text(c, line, i - shift, 0, TS_ROLE_PROMPT, "*");
	ts_canvas_cursor(c, line, before - shift, 0);
}

void
ts_prompt_draw(struct ts_canvas *c, struct ts_rect r, const struct ts_prompt *p)
{
	struct ts_rect line, list;
	int label, before, shift;

	if (ts_rect_empty(r))
		return;
	line = ts_rect_cut_bottom(&r, 1);
	list = ts_rect_cut_bottom(&r, 1);
	if (p->found.count > 1 && !ts_rect_empty(list))
		draw_candidates(c, list, p);
	else if (p->hint && *p->hint && !ts_rect_empty(list))
		draw_hint(c, list, p->hint);
	ts_canvas_fill(c, line, TS_ROLE_PROMPT, ' ');
	label = ts_canvas_text(c, line, 0, 0, TS_ROLE_LABEL, p->label);
	ts_rect_cut_left(&line, label < line.w ? label : line.w - 1);
	if (p->hidden) {
		draw_hidden(c, line, p);
		return;
	}
	before = ts_utf8_columns(p->text, p->cursor);
	shift = before >= line.w ? before - line.w + 1 : 0;
	ts_canvas_text(c, line, -shift, 0, TS_ROLE_PROMPT, p->text);
	ts_canvas_cursor(c, line, before - shift, 0);
}
