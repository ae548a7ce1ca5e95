/* SPDX-License-Identifier: MIT */
/* help - keys and commands, as the keymap in use has them. */
#ifndef TS_VIEW_HELP_H
#define TS_VIEW_HELP_H

#include "tilescope/ui/key.h"
#include "tilescope/view/view.h"

extern const struct ts_view_ops ts_view_help;

/* Texts of Help about one thing: `help NAME` shows Help from that text on. The list ends with a NULL. */
struct ts_help_topic {
	const char *name; /* the embedded text help/NAME.txt, ... */
	const char *head; /* ... and how it begins */
};
extern const struct ts_help_topic ts_help_topics[];

/* The topic of that name, or NULL. */
const struct ts_help_topic *ts_help_topic_find(const char *name);

void ts_help_topic_text(struct ts_strbuf *out, const struct ts_help_topic *t);

/* The key list as text, that of a context before the others: docs/keys is generated from it (TS_CONTEXT_GLOBAL). */
void ts_help_keys(struct ts_strbuf *out, const struct ts_keymap *map, enum ts_context first);

/*
 * The keys of a command where `context` has the keys of the screen, as they are typed: "G"; "" where none lead to it, or
 * no keymap is there.
 */
const char *ts_help_key(char out[TS_KEYS_TEXT], const struct ts_view_env *env,
	enum ts_context context, enum ts_cmd cmd);

#endif
