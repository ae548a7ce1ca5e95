/* SPDX-License-Identifier: MIT */
/*
 * theme - reading themes, and what a cell comes to on a terminal.
 *
 * A colour says little on a terminal that has eight of them or none. The rules that keep a screen
 * readable whatever the theme says are all in ts_theme_look(): a background that cannot be shown
 * turns into reverse video, and text never has the colour of what is behind it.
 */
#include "config.h"

#include <string.h>

#include "reader.h"
#include "tilescope/base/lex.h"
#include "tilescope/base/mem.h"
#include "tilescope/ui/theme.h"

static const struct {
	const char *name;
	enum ts_attr attr;
} attributes[] = {
	{"bold", TS_ATTR_BOLD},
	{"dim", TS_ATTR_DIM},
	{"underline", TS_ATTR_UNDERLINE},
	{"reverse", TS_ATTR_REVERSE},
	{"italic", TS_ATTR_ITALIC},
	{"blink", TS_ATTR_BLINK},
};

/* What no theme may leave invisible. */
static const struct {
	enum ts_role role;
	enum ts_attr attr;
} built_in[] = {
	{TS_ROLE_CURSOR, TS_ATTR_REVERSE},
	{TS_ROLE_CURSOR_OTHER, TS_ATTR_UNDERLINE},
	{TS_ROLE_COLUMN, TS_ATTR_REVERSE},
	{TS_ROLE_COLUMN_OTHER, TS_ATTR_REVERSE},
	{TS_ROLE_SELECTION, TS_ATTR_BOLD},
	{TS_ROLE_MATCH, TS_ATTR_UNDERLINE},
	{TS_ROLE_TAB_ACTIVE, TS_ATTR_REVERSE},
	{TS_ROLE_STRIP_VISIBLE, TS_ATTR_BOLD},
};

/* Dark, until a theme says otherwise. */
enum { GROUND_FG = 0xd4d8dc, GROUND_BG = 0x14181d };

struct theme_reader {
	struct ts_reader base;
	struct ts_theme *theme;
};

void
ts_theme_init(struct ts_theme *t)
{
	for (int i = 0; i < TS_ROLE_COUNT; i++)
		t->role[i] = (struct ts_style){TS_COLOUR_KEEP, TS_COLOUR_KEEP, 0};
	for (size_t i = 0; i < TS_COUNT(built_in); i++)
		t->role[built_in[i].role].attr = (uint8_t)built_in[i].attr;
	t->ground.fg = GROUND_FG;
	t->ground.bg = GROUND_BG;
	t->ground.painted = false;
}

static int
attribute(const char *word)
{
	for (size_t i = 0; i < TS_COUNT(attributes); i++)
		if (strcmp(attributes[i].name, word) == 0)
			return (int)attributes[i].attr;
	return 0;
}

/* role NAME FG [BG] [ATTRIBUTE...] */
static void
read_role(struct theme_reader *r, const struct ts_line *line)
{
	struct ts_style style = {TS_COLOUR_KEEP, TS_COLOUR_KEEP, 0};
	ts_colour *colour[2] = {&style.fg, &style.bg};
	int role, at = 2;

	if (line->count < 3) {
		ts_reader_complain(&r->base, "role takes a name and a colour");
		return;
	}
	role = ts_role_find(line->word[1]);
	if (role < 0) {
		ts_reader_complain(&r->base, "unknown role \"%s\"", line->word[1]);
		return;
	}
	for (int i = 0; i < 2 && at < line->count; i++)
		if (ts_colour_parse(line->word[at], colour[i]))
			at++;
		else
			*colour[i] = TS_COLOUR_KEEP;
	for (; at < line->count; at++) {
		int attr = attribute(line->word[at]);

		if (attr == 0) {
			ts_reader_complain(&r->base, "neither a colour nor an attribute: \"%s\"",
				line->word[at]);
			return;
		}
		style.attr |= (uint8_t)attr;
	}
	r->theme->role[role] = style;
}

/* ground FG BG [painted] */
static void
read_ground(struct theme_reader *r, const struct ts_line *line)
{
	ts_colour fg, bg;

	bool painted = line->count == 4 && strcmp(line->word[3], "painted") == 0;

	if (line->count != 3 + painted || !ts_colour_parse(line->word[1], &fg) ||
		!ts_colour_parse(line->word[2], &bg) || fg < 0 || bg < 0) {
		ts_reader_complain(&r->base, "ground takes two colours, and painted or nothing");
		return;
	}
	r->theme->ground.painted = painted;
	r->theme->ground.fg = (int)ts_colour_rgb(fg);
	r->theme->ground.bg = (int)ts_colour_rgb(bg);
}

static bool
theme_line(void *ctx, const struct ts_line *line)
{
	struct theme_reader *r = ctx;

	if (strcmp(line->word[0], "role") == 0)
		read_role(r, line);
	else if (strcmp(line->word[0], "ground") == 0)
		read_ground(r, line);
	else if (strcmp(line->word[0], "inherit") == 0)
		ts_reader_inherit(&r->base, line);
	else
		ts_reader_complain(&r->base, "unknown word \"%s\"", line->word[0]);
	return true;
}

int
ts_theme_read(struct ts_theme *t, const char *file, const char *text, ts_text_fn *find, void *ctx,
	struct ts_strbuf *complaints)
{
	struct theme_reader r = {
		.base = {.find = find, .find_ctx = ctx, .complaints = complaints},
		.theme = t,
	};

	r.base.each = theme_line;
	r.base.into = &r;
	ts_reader_read(&r.base, file, text);
	return r.base.count;
}

static bool
is_light(ts_colour c)
{
	return ts_colour_contrast(ts_colour_rgb(c), 0x000000) >
		ts_colour_contrast(ts_colour_rgb(c), 0xffffff);
}

bool
ts_theme_is_drawing(uint32_t cp)
{
	return (cp >= 0x2500 && cp <= 0x259f) || (cp >= 0x2800 && cp <= 0x28ff);
}

/* Contrast of two colours as a terminal of that depth shows them. */
static double
contrast(ts_colour a, ts_colour b, enum ts_depth depth)
{
	return ts_colour_contrast(ts_colour_shown(ts_colour_map(a, depth), depth),
		ts_colour_shown(ts_colour_map(b, depth), depth));
}

/*
 * Text that keeps its colour has to be read on the new ground: else it is black or white. A drawing says what it
 * says by its colours: where they would be lost, the old ground stays behind it. `area`: the ground is one of them.
 */
static void
lay_over(const struct ts_theme *t, struct ts_style *style, const struct ts_style *over,
	bool drawing, bool area, enum ts_depth depth)
{
	const double read = 3; /* of contrast: WCAG 2, large text and parts of a picture */
	const double seen = 2; /* of a block, which is larger than any text */
	ts_colour fg = style->fg >= 0 ? style->fg : t->ground.fg;
	bool kept = over->fg == TS_COLOUR_KEEP && ts_colour_map(over->bg, depth) >= 0;

	if (over->fg != TS_COLOUR_KEEP)
		style->fg = over->fg;
	style->attr |= drawing ? over->attr & (uint8_t)~TS_ATTR_UNDERLINE : over->attr;
	if (style->attr & TS_ATTR_REVERSE) /* dim on bright cannot be read */
		style->attr &= (uint8_t)~TS_ATTR_DIM;
	if (drawing && kept && (area || contrast(fg, over->bg, depth) < seen))
		return;
	if (over->bg != TS_COLOUR_KEEP)
		style->bg = over->bg;
	if (!drawing && kept && contrast(fg, over->bg, depth) < read)
		style->fg = is_light(over->bg) ? 0x000000 : 0xffffff;
}

/*
 * Has this terminal nothing for a background that the theme asks for? Reverse video says the same,
 * or an underline where the theme wants no colour from a short palette (the quieter of two).
 */
static bool
hidden_background(ts_colour bg, int shown, enum ts_depth depth)
{
	if (bg < 0 || depth > TS_DEPTH_16)
		return false;
	return shown < 0 || (shown == 0 && ts_colour_rgb(bg) != 0);
}

bool
ts_theme_coloured(const struct ts_theme *t)
{
	for (int i = TS_ROLE_COMPUTE; i < TS_ROLE_COUNT; i++)
		if (t->role[i].fg >= 0)
			return true;
	return false;
}

static struct ts_look
own_look(const struct ts_theme *t, const struct ts_cell *cell, enum ts_depth depth)
{
	enum { BLACK = 0, WHITE = 7 };
	struct ts_style style = t->role[cell->role];
	struct ts_look look;
	bool area = cell->back != TS_ROLE_TEXT && depth != TS_DEPTH_MONO;

	if (area && t->role[cell->back].fg >= 0)
		style.bg = t->role[cell->back].fg;
	if (ts_theme_is_drawing(cell->cp)) /* an underline would be a part of it */
		style.attr &= (uint8_t)~TS_ATTR_UNDERLINE;
	if (cell->over != TS_ROLE_TEXT)
		lay_over(t, &style, &t->role[cell->over], ts_theme_is_drawing(cell->cp), area,
			depth);
	look = (struct ts_look){ts_colour_map(style.fg, depth), ts_colour_map(style.bg, depth),
		style.attr | cell->attr};
	if (area)
		return look;
	if (hidden_background(style.bg, look.bg, depth)) {
		look.attr |= style.bg / TS_COLOUR_FEW == TS_COLOUR_FEW_NONE ? TS_ATTR_UNDERLINE
									    : TS_ATTR_REVERSE;
		look.bg = -1;
	}
	if (look.fg >= 0 && look.fg == look.bg)
		look.fg = ts_colour_map(TS_COLOUR_ANSI + (is_light(style.bg) ? BLACK : WHITE),
			depth);
	if (look.fg == BLACK && look.bg < 0 && !is_light(t->ground.bg))
		look.fg = WHITE;
	return look;
}

/* Text of the ground's colour would be lost: it takes that of the ground's text. */
struct ts_look
ts_theme_look(const struct ts_theme *t, const struct ts_cell *cell, enum ts_depth depth)
{
	struct ts_look look = own_look(t, cell, depth);

	if (!t->ground.painted || depth == TS_DEPTH_MONO)
		return look;
	if (look.bg < 0)
		look.bg = ts_colour_map(t->ground.bg, depth);
	if (look.fg < 0 || (look.fg == look.bg && cell->back == TS_ROLE_TEXT))
		look.fg = ts_colour_map(t->ground.fg, depth);
	return look;
}

const char *
ts_theme_of_terminal(const char *colorfgbg)
{
	const char *ground = colorfgbg ? strrchr(colorfgbg, ';') : NULL;
	ts_colour c;

	if (!ground || ground[1] < '0' || ground[1] > '9' || !ts_colour_parse(ground + 1, &c))
		return "default";
	c -= TS_COLOUR_ANSI;
	return c == 7 || c > 8 ? "light" : "default";
}
