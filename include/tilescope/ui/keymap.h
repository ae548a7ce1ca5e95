/* SPDX-License-Identifier: MIT */
/*
 * keymap - which keys ask for which command.
 *
 * A keymap is a file of lines (base/lex.h):
 *
 *	inherit NAME                                     begin with what that keymap says
 *	bind CONTEXT KEYS COMMAND [ARGUMENT...] [-- NOTE...]
 *	unbind CONTEXT KEYS
 *
 * The note says in the hint line and in the help what the key does here; without one the command's
 * own sentence does. A wrong line is reported as `file:line: reason` and skipped, the rest is used. Two
 * bindings of the same keys in one context and file, or one that is the beginning of another,
 * collide: the second is reported and skipped. What a file inherits it replaces by binding it anew.
 *
 * Looking up goes through a list of contexts, the nearest first (the view, the kind of pane,
 * global): the first with a binding or with a longer sequence that begins so decides.
 */
#ifndef TS_UI_KEYMAP_H
#define TS_UI_KEYMAP_H

#include "tilescope/base/strbuf.h"
#include "tilescope/ui/command.h"
#include "tilescope/ui/key.h"
#include "tilescope/ui/theme.h"

enum { TS_KEYMAP_ARGS = 2, TS_KEYMAP_MAX = 1024 };

struct ts_key_binding {
	enum ts_context context;
	struct ts_keys keys;
	enum ts_cmd cmd;
	int argc;
	char *arg[TS_KEYMAP_ARGS];
	char *note; /* never NULL: the command's sentence where the file says nothing */
	int file;   /* number of the file that it came from (1 = first one read) */
	int line;
};

struct ts_keymap {
	struct ts_key_binding *binding;
	size_t count, cap;
	int files; /* read so far, inherited ones included */
};

void ts_keymap_init(struct ts_keymap *map);
void ts_keymap_fini(struct ts_keymap *map);

/*
 * Read a keymap on top of *map; arguments and result as ts_theme_read(). Without memory what was
 * read so far stays, and that is a complaint too.
 */
int ts_keymap_read(struct ts_keymap *map, const char *file, const char *text, ts_text_fn *find,
	void *ctx, struct ts_strbuf *complaints);

enum ts_match {
	TS_MATCH_NONE,	 /* no binding begins so */
	TS_MATCH_PREFIX, /* wait for the next key */
	TS_MATCH_FOUND,
};

/* Look keys up in n contexts, the nearest first. *out is set when FOUND, else NULL. */
enum ts_match ts_keymap_find(const struct ts_key_binding **out, const struct ts_keymap *map,
	const enum ts_context *contexts, int n, const struct ts_keys *keys);

/*
 * The first binding of a command in these contexts (for the hint line); `arg` (NULL = any) is
 * compared with its first argument. A binding that a nearer context hides is not given. NULL
 * when there is none.
 */
const struct ts_key_binding *ts_keymap_of(const struct ts_keymap *map,
	const enum ts_context *contexts, int n, enum ts_cmd cmd, const char *arg);

/* The bindings that may follow the keys typed so far (a hint): out[0..max). Returns how many. */
int ts_keymap_following(const struct ts_key_binding **out, int max, const struct ts_keymap *map,
	const enum ts_context *contexts, int n, const struct ts_keys *keys);

#endif
