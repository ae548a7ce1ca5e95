/* SPDX-License-Identifier: MIT */
/* option - see the header. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/option.h"
#include "tilescope/base/pattern.h"

enum { UNITS, TIME, CLOCK, MOUSE, THEME, KEYMAP, CACHE, INDEX, LAYER, TRANSPORT, OPTIONS };

const struct ts_option ts_option_table[OPTIONS + 1] = {
	[UNITS] = {"units", "kib|kb|bytes", "units of memory", false},
	[TIME] = {"time", "cycles|us", "axis of the trace", false},
	[CLOCK] = {"clock", "FREQUENCY", "clock of a tile, as 1.85GHz; 0 = as the report says",
		true},
	[MOUSE] = {"mouse", "on|off", "take the mouse", false},
	[THEME] = {"theme", "NAME", "colours", false},
	[KEYMAP] = {"keymap", "NAME", "keys", false},
	[CACHE] = {"cache", "SIZE", "most that the indexes of all reports take, as 8GiB", false},
	[INDEX] = {"index", "on|off", "build the index of a report behind the screen", false},
	[LAYER] = {"layer-pattern", "PATTERN",
		"what finds the layer in a variable's name; its group is the number", false},
	[TRANSPORT] = {"transport", "auto|libssh|ssh", "the way to HOST:PATH", false},
	[OPTIONS] = {NULL, NULL, NULL, false},
};

static const char *const unit_names[] = {"kib", "kb", "bytes"};
static const char *const time_names[] = {"cycles", "us"};
static const char *const way_names[] = {"auto", "libssh", "ssh"};
static const char *const switch_names[] = {"off", "on"};

void
ts_options_init(struct ts_options *o)
{
	*o = (struct ts_options){.cache = TS_OPTION_CACHE, .index = true};
	snprintf(o->theme, sizeof(o->theme), "default");
	snprintf(o->keymap, sizeof(o->keymap), "default");
	snprintf(o->layer_pattern, sizeof(o->layer_pattern), "%s", TS_LAYER_PATTERN);
}

static int
find_word(const char *const *words, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(words[i], word) == 0)
			return (int)i;
	return -1;
}

static int
find_option(const char *name)
{
	for (int i = 0; i < OPTIONS; i++)
		if (strcmp(ts_option_table[i].name, name) == 0)
			return i;
	return -1;
}

bool
ts_option_kept(const char *name)
{
	int i = find_option(name);

	return i >= 0 && !ts_option_table[i].once;
}

/* "1.85GHz", "1850 MHz", "1.85e9" -> Hz; negative when it is none. */
static double
parse_frequency(const char *s)
{
	static const struct {
		const char *suffix;
		double factor;
	} units[] = {{"", 1}, {"hz", 1}, {"khz", 1e3}, {"mhz", 1e6}, {"ghz", 1e9}};
	char *end;
	double v = strtod(s, &end);

	while (*end == ' ')
		end++;
	for (size_t i = 0; i < TS_COUNT(units); i++)
		if (end != s && strcasecmp(end, units[i].suffix) == 0 && isfinite(v) && v >= 0 &&
			v * units[i].factor <= 1e12)
			return v * units[i].factor;
	return -1;
}

static const struct {
	const char *suffix;
	int64_t factor;
} sizes[] = {
	{"", 1},
	{"b", 1},
	{"k", INT64_C(1) << 10},
	{"kib", INT64_C(1) << 10},
	{"kb", 1000},
	{"m", INT64_C(1) << 20},
	{"mib", INT64_C(1) << 20},
	{"mb", 1000000},
	{"g", INT64_C(1) << 30},
	{"gib", INT64_C(1) << 30},
	{"gb", 1000000000},
	{"t", INT64_C(1) << 40},
	{"tib", INT64_C(1) << 40},
	{"tb", 1000000000000},
};

/* "8GiB", "500 MB", "1.5g" -> bytes; negative when it is none. */
static int64_t
parse_size(const char *s)
{
	char *end;
	double v = strtod(s, &end);

	while (*end == ' ')
		end++;
	for (size_t i = 0; i < TS_COUNT(sizes); i++)
		if (end != s && strcasecmp(end, sizes[i].suffix) == 0 && v >= 0 &&
			v * (double)sizes[i].factor <= 9e18)
			return (int64_t)(v * (double)sizes[i].factor);
	return -1;
}

/* As it can be set again: in the largest unit that it is a whole number of. */
static void
print_size(char out[TS_OPTION_TEXT], int64_t bytes)
{
	static const char *const units[] = {"", "KiB", "MiB", "GiB", "TiB"};
	size_t i = 0;

	while (bytes > 0 && bytes % 1024 == 0 && i + 1 < TS_COUNT(units)) {
		bytes /= 1024;
		i++;
	}
	snprintf(out, TS_OPTION_TEXT, "%lld%s", (long long)bytes, units[i]);
}

static bool
check_pattern(const char *value, struct ts_err *err)
{
	struct ts_pattern *p = NULL;
	enum ts_code code = ts_pattern_compile(&p, value, 0, NULL, err);

	ts_pattern_free(p);
	return code == TS_OK;
}

enum ts_code
ts_option_set(struct ts_options *o, const char *name, const char *value, struct ts_err *err)
{
	int option = find_option(name), word = -1;
	int64_t bytes;
	double hz;

	switch (option) {
	case UNITS:
		word = find_word(unit_names, TS_COUNT(unit_names), value);
		if (word >= 0)
			o->units = (enum ts_units)word;
		break;
	case TIME:
		word = find_word(time_names, TS_COUNT(time_names), value);
		if (word >= 0)
			o->time = (enum ts_time_unit)word;
		break;
	case TRANSPORT:
		word = find_word(way_names, TS_COUNT(way_names), value);
		if (word >= 0)
			o->transport = (enum ts_way)word;
		break;
	case MOUSE:
	case INDEX:
		word = find_word(switch_names, TS_COUNT(switch_names), value);
		if (word >= 0)
			*(option == MOUSE ? &o->mouse : &o->index) = word == 1;
		break;
	case CLOCK:
		hz = parse_frequency(value);
		word = hz < 0 ? -1 : 0;
		if (word >= 0)
			o->clock_hz = hz;
		break;
	case CACHE:
		bytes = parse_size(value);
		word = bytes < 0 ? -1 : 0;
		if (word >= 0)
			o->cache = bytes;
		break;
	case THEME:
	case KEYMAP:
		word = (int)strlen(value) < TS_OPTION_TEXT && !strchr(value, '/') ? 0 : -1;
		if (word >= 0)
			snprintf(option == THEME ? o->theme : o->keymap, TS_OPTION_TEXT, "%s",
				value);
		break;
	case LAYER:
		if (!*value)
			value = TS_LAYER_PATTERN;
		if (strlen(value) < sizeof(o->layer_pattern) && !check_pattern(value, err))
			return err ? err->code : TS_E_USAGE;
		word = strlen(value) < sizeof(o->layer_pattern) ? 0 : -1;
		if (word >= 0)
			snprintf(o->layer_pattern, sizeof(o->layer_pattern), "%s", value);
		break;
	default:
		return ts_err_set(err, TS_E_USAGE, "there is no option \"%s\"", name);
	}
	if (word < 0)
		return ts_err_set(err, TS_E_USAGE, "%s takes %s, not \"%s\"", name,
			ts_option_table[option].values, value);
	return TS_OK;
}

bool
ts_option_get(const struct ts_options *o, const char *name, char out[TS_OPTION_TEXT])
{
	const char *text = NULL;

	switch (find_option(name)) {
	case UNITS:
		text = unit_names[o->units];
		break;
	case TIME:
		text = time_names[o->time];
		break;
	case TRANSPORT:
		text = way_names[o->transport];
		break;
	case MOUSE:
		text = switch_names[o->mouse];
		break;
	case INDEX:
		text = switch_names[o->index];
		break;
	case THEME:
		text = o->theme;
		break;
	case KEYMAP:
		text = o->keymap;
		break;
	case LAYER:
		text = o->layer_pattern;
		break;
	case CACHE:
		print_size(out, o->cache);
		return true;
	case CLOCK:
		snprintf(out, TS_OPTION_TEXT, o->clock_hz > 0 ? "%.6g GHz" : "as the report says",
			o->clock_hz / 1e9);
		return true;
	default:
		return false;
	}
	snprintf(out, TS_OPTION_TEXT, "%.*s", TS_OPTION_TEXT - 1, text);
	return true;
}
