/* SPDX-License-Identifier: MIT */
/*
 * colour - parsing and mapping of colours.
 *
 * Distances are weighted by how red the pair is (the "redmean" approximation of what the eye
 * sees), which is enough to pick from a palette and needs no floating point.
 */
#include "config.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/colour.h"

/* The 16 as xterm has them; a user's terminal may differ, which is the user's wish. */
static const uint32_t ansi_rgb[16] = {
	0x000000,
	0xcd0000,
	0x00cd00,
	0xcdcd00,
	0x0000ee,
	0xcd00cd,
	0x00cdcd,
	0xe5e5e5,
	0x7f7f7f,
	0xff0000,
	0x00ff00,
	0xffff00,
	0x5c5cff,
	0xff00ff,
	0x00ffff,
	0xffffff,
};

static const char *const ansi_name[8] = {"black", "red", "green", "yellow", "blue", "magenta",
	"cyan", "white"};

static const uint8_t cube_level[6] = {0, 95, 135, 175, 215, 255};

enum { CUBE = 16, GREYS = 232, DEFAULT_RGB = 0xd0d0d0 };

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* `len` hex digits, 3 or 6, as RGB. */
static bool
parse_rgb(const char *s, size_t len, ts_colour *out)
{
	uint32_t v = 0;

	if (len != 3 && len != 6)
		return false;
	for (size_t i = 0; i < len; i++) {
		int d = hex_digit(s[i]);

		if (d < 0)
			return false;
		v = v << 4 | (uint32_t)d;
		if (len == 3)
			v = v << 4 | (uint32_t)d;
	}
	*out = v;
	return true;
}

/* 0..15, or -1. */
static int
parse_ansi(const char *s)
{
	bool bright = strncmp(s, "bright-", 7) == 0;

	if (s[0] >= '0' && s[0] <= '9' && s[1] == '\0')
		return s[0] - '0';
	if (s[0] == '1' && s[1] >= '0' && s[1] <= '5' && s[2] == '\0')
		return 10 + s[1] - '0';
	if (strcmp(s, "grey") == 0 || strcmp(s, "gray") == 0)
		return 8;
	for (int i = 0; i < 8; i++)
		if (strcmp(s + (bright ? 7 : 0), ansi_name[i]) == 0)
			return i + (bright ? 8 : 0);
	return -1;
}

bool
ts_colour_parse(const char *word, ts_colour *out)
{
	int few;

	if (word[0] == '#') {
		size_t len = strcspn(word + 1, "/");

		if (!parse_rgb(word + 1, len, out))
			return false;
		if (word[1 + len] == '\0')
			return true;
		word += 1 + len + 1;
		few = strcmp(word, "default") == 0 ? TS_COLOUR_FEW_NONE - 1 : parse_ansi(word);
		*out += few < 0 ? 0 : TS_COLOUR_FEW * (1 + few);
		return few >= 0;
	}
	if (strcmp(word, "default") == 0) {
		*out = TS_COLOUR_DEFAULT;
		return true;
	}
	if (strcmp(word, "-") == 0) {
		*out = TS_COLOUR_KEEP;
		return true;
	}
	few = parse_ansi(word);
	*out = TS_COLOUR_ANSI + few;
	return few >= 0;
}

uint32_t
ts_colour_rgb(ts_colour c)
{
	if (c < 0)
		return DEFAULT_RGB;
	c %= TS_COLOUR_FEW;
	if (c >= TS_COLOUR_ANSI)
		return ansi_rgb[(c - TS_COLOUR_ANSI) & 15];
	return (uint32_t)c;
}

static int
distance(uint32_t a, uint32_t b)
{
	int r1 = a >> 16 & 0xff, g1 = a >> 8 & 0xff, b1 = a & 0xff;
	int r2 = b >> 16 & 0xff, g2 = b >> 8 & 0xff, b2 = b & 0xff;
	int mean = (r1 + r2) / 2, dr = r1 - r2, dg = g1 - g2, db = b1 - b2;

	return (((512 + mean) * dr * dr) >> 8) + 4 * dg * dg + (((767 - mean) * db * db) >> 8);
}

static int
nearest_16(uint32_t rgb)
{
	int best = 0;

	for (int i = 1; i < 16; i++)
		if (distance(rgb, ansi_rgb[i]) < distance(rgb, ansi_rgb[best]))
			best = i;
	return best;
}

static int
nearest_level(int v)
{
	int best = 0;

	for (int i = 1; i < 6; i++)
		if ((v - cube_level[i]) * (v - cube_level[i]) <
			(v - cube_level[best]) * (v - cube_level[best]))
			best = i;
	return best;
}

static int
nearest_256(uint32_t rgb)
{
	int r = nearest_level(rgb >> 16 & 0xff), g = nearest_level(rgb >> 8 & 0xff);
	int b = nearest_level(rgb & 0xff);
	int mean = (int)((rgb >> 16 & 0xff) + (rgb >> 8 & 0xff) + (rgb & 0xff)) / 3;
	int grey = mean <= 8 ? 0 : mean >= 238 ? 23 : (mean - 3) / 10;
	uint32_t level = (uint32_t)(8 + 10 * grey);
	uint32_t in_cube = (uint32_t)cube_level[r] << 16 | (uint32_t)cube_level[g] << 8 |
		cube_level[b];
	uint32_t in_greys = level << 16 | level << 8 | level;

	if (distance(rgb, in_greys) < distance(rgb, in_cube))
		return GREYS + grey;
	return CUBE + 36 * r + 6 * g + b;
}

int
ts_colour_map(ts_colour c, enum ts_depth depth)
{
	enum { DARK_GREY = 8, WHITE = 7 };
	int ansi;

	if (c < 0 || depth == TS_DEPTH_MONO)
		return -1;
	ansi = c >= TS_COLOUR_FEW ? (int)(c / TS_COLOUR_FEW) - 1 : -1;
	if (ansi == TS_COLOUR_FEW_NONE - 1 && depth <= TS_DEPTH_16)
		return -1;
	c %= TS_COLOUR_FEW;
	if (c >= TS_COLOUR_ANSI)
		ansi = (int)(c - TS_COLOUR_ANSI) & 15;
	else if (depth == TS_DEPTH_256)
		return nearest_256((uint32_t)c);
	else if (depth == TS_DEPTH_DIRECT)
		return (int)c;
	else if (ansi < 0)
		ansi = nearest_16((uint32_t)c);
	if (depth == TS_DEPTH_8)
		return ansi == DARK_GREY ? WHITE : ansi & 7;
	if (depth == TS_DEPTH_DIRECT && ansi > 7)
		return (int)ansi_rgb[ansi];
	return ansi;
}

uint32_t
ts_colour_shown(int number, enum ts_depth depth)
{
	uint32_t grey, i;

	if (number < 0 || depth == TS_DEPTH_MONO)
		return DEFAULT_RGB;
	if (depth == TS_DEPTH_DIRECT)
		return (uint32_t)number;
	if (number < CUBE)
		return ansi_rgb[number];
	grey = (uint32_t)(8 + 10 * (number - GREYS));
	i = (uint32_t)(number - CUBE);
	return number >= GREYS ? grey << 16 | grey << 8 | grey
			       : (uint32_t)(cube_level[i / 36 % 6] << 16 |
					 cube_level[i / 6 % 6] << 8 | cube_level[i % 6]);
}

static double
luminance(uint32_t rgb)
{
	static const double weight[3] = {0.0722, 0.7152, 0.2126};
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		double v = (rgb >> (8 * i) & 0xff) / 255.0;

		sum += weight[i] * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
	}
	return sum;
}

double
ts_colour_contrast(uint32_t a, uint32_t b)
{
	double la = luminance(a), lb = luminance(b);

	return la > lb ? (la + 0.05) / (lb + 0.05) : (lb + 0.05) / (la + 0.05);
}
