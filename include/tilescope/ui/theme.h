/* SPDX-License-Identifier: MIT */
/*
 * theme - which colours and attributes a role has.
 *
 * A theme is a file of lines (base/lex.h):
 *
 *	inherit NAME                          begin with what that theme says
 *	role NAME FG [BG] [ATTRIBUTE...]      bold dim underline reverse italic blink
 *	ground FG BG [painted]                the terminal's own colours, for which the theme is made
 *
 * Colours as in ts_colour_parse(); a background that is left out is what is there already. A role that no line
 * names is the terminal's own text. Pictures have the ground, and black text stands on a light one only. On a
 * terminal it is what is there, unless it is painted: then each cell has it that has no colour of its own, and the
 * theme can be read whatever the terminal's own colours are. A wrong line is reported as `file:line: reason` and skipped, the rest is used.
 */
#ifndef TS_UI_THEME_H
#define TS_UI_THEME_H

#include "tilescope/base/strbuf.h"
#include "tilescope/ui/canvas.h"
#include "tilescope/ui/colour.h"
#include "tilescope/ui/role.h"

struct ts_style {
	ts_colour fg, bg;
	uint8_t attr; /* enum ts_attr */
};

struct ts_theme {
	struct ts_style role[TS_ROLE_COUNT];
	struct {
		int fg, bg; /* #rrggbb */
		bool painted;
	} ground;
};

/*
 * Where the text of a named file is found (`inherit NAME`): a string that stays valid during the
 * call, or NULL. Keymaps use the same.
 */
typedef const char *ts_text_fn(void *ctx, const char *name);

/* All roles plain; MATCH, CURSOR and the like by attributes, so that any text stays usable. */
void ts_theme_init(struct ts_theme *t);

/*
 * Read a theme on top of *t. `file` names it in messages, `text` is not changed. Complaints are
 * appended to `complaints` (NULL allowed), one line each. Returns their number. `find` may be
 * NULL: then `inherit` is a complaint. Inheriting goes at most 8 deep.
 */
int ts_theme_read(struct ts_theme *t, const char *file, const char *text, ts_text_fn *find,
	void *ctx, struct ts_strbuf *complaints);

/*
 * The name of the theme for a terminal that says its colours in COLORFGBG ("0;15", "0;default;15": text first, ground
 * last): "light" where the ground is white or one of the bright ones, else, or where it says nothing (NULL), "default".
 */
const char *ts_theme_of_terminal(const char *colorfgbg);

/* Has it colours for classes and categories? Without them a canvas should be `mono`. */
bool ts_theme_coloured(const struct ts_theme *t);

/* What a cell comes to on a terminal of that depth: colour numbers (-1 = default), attributes. */
struct ts_look {
	int fg, bg;
	uint8_t attr;
};

/* Lines, blocks and Braille: areas of colour and no text, which may look otherwise in the same role. */
bool ts_theme_is_drawing(uint32_t cp);

/*
 * Never unreadable: a background that the terminal does not have becomes reverse video; where text
 * and background come to the same number, or text to black on the terminal's own, another is taken.
 * In mono `back` is not shown. It follows from the cell's roles and attributes, and from ts_theme_is_drawing() of its glyph.
 */
struct ts_look ts_theme_look(const struct ts_theme *t, const struct ts_cell *cell,
	enum ts_depth depth);

#endif
