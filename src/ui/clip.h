/* SPDX-License-Identifier: MIT */
/* clip - the control string that puts text on a terminal's clipboard. Private to ui/. */
#ifndef TS_SRC_UI_CLIP_H
#define TS_SRC_UI_CLIP_H

#include <stddef.h>

#include "tilescope/base/strbuf.h"

/*
 * Append OSC 52 with the text: control characters but tab and newline left out, cut at
 * `max` bytes between characters.
 */
void ts_clip_osc52(struct ts_strbuf *out, const char *text, size_t max);

#endif
