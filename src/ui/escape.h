/* SPDX-License-Identifier: MIT */
/*
 * escape - what the escape sequences of terminals mean where terminfo does not know. Private to ui/.
 */
#ifndef TS_SRC_UI_ESCAPE_H
#define TS_SRC_UI_ESCAPE_H

#include "tilescope/ui/key.h"

/* Flags of xterm's modifier parameter: 1 + 1 Shift + 2 Alt + 4 Ctrl; 0 and 1 are none. */
ts_key ts_escape_modifiers(int parameter);

/*
 * The key of ESC [ number ; modifier final, or of ESC O final (number and modifier 0);
 * TS_KEY_NONE when it is none that we know.
 */
ts_key ts_escape_key(uint32_t final, int number, int modifier);

#endif
