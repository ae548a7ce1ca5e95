/* SPDX-License-Identifier: MIT */
/* help - keys and commands, as the keymap in use has them. */
#ifndef TS_VIEW_HELP_H
#define TS_VIEW_HELP_H

#include "tilescope/view/view.h"

extern const struct ts_view_ops ts_view_help;

/* The key list as text: docs/keys is generated from it. */
void ts_help_keys(struct ts_strbuf *out, const struct ts_keymap *map);

#endif
