/* SPDX-License-Identifier: MIT */
/* escape - the keys of xterm and its many descendants; see the header. */
#include "config.h"

#include "escape.h"
#include "tilescope/base/mem.h"

/* Final characters of CSI and SS3 sequences. */
static const struct {
	char final;
	ts_key key;
} final_keys[] = {
	{'A', TS_KEY_UP},
	{'B', TS_KEY_DOWN},
	{'C', TS_KEY_RIGHT},
	{'D', TS_KEY_LEFT},
	{'H', TS_KEY_HOME},
	{'F', TS_KEY_END},
	{'P', TS_KEY_F1},
	{'Q', TS_KEY_F2},
	{'R', TS_KEY_F3},
	{'S', TS_KEY_F4},
	{'M', TS_KEY_ENTER},
	{'Z', TS_KEY_TAB | TS_KEY_SHIFT},
};

/* Numbers of CSI number ~ */
static const struct {
	int number;
	ts_key key;
} tilde_keys[] = {
	{1, TS_KEY_HOME},
	{2, TS_KEY_INSERT},
	{3, TS_KEY_DELETE},
	{4, TS_KEY_END},
	{5, TS_KEY_PGUP},
	{6, TS_KEY_PGDN},
	{7, TS_KEY_HOME},
	{8, TS_KEY_END},
	{11, TS_KEY_F1},
	{12, TS_KEY_F2},
	{13, TS_KEY_F3},
	{14, TS_KEY_F4},
	{15, TS_KEY_F5},
	{17, TS_KEY_F6},
	{18, TS_KEY_F7},
	{19, TS_KEY_F8},
	{20, TS_KEY_F9},
	{21, TS_KEY_F10},
	{23, TS_KEY_F11},
	{24, TS_KEY_F12},
};

ts_key
ts_escape_modifiers(int parameter)
{
	int bits = parameter > 1 ? parameter - 1 : 0;

	return (bits & 1 ? TS_KEY_SHIFT : 0) | (bits & 2 ? TS_KEY_ALT : 0) |
		(bits & 4 ? TS_KEY_CTRL : 0);
}

ts_key
ts_escape_key(uint32_t final, int number, int modifier)
{
	for (size_t i = 0; final == '~' && i < TS_COUNT(tilde_keys); i++)
		if (tilde_keys[i].number == number)
			return tilde_keys[i].key | ts_escape_modifiers(modifier);
	for (size_t i = 0; i < TS_COUNT(final_keys); i++)
		if ((uint32_t)final_keys[i].final == final)
			return final_keys[i].key | ts_escape_modifiers(modifier);
	return TS_KEY_NONE;
}
