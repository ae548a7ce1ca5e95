/* SPDX-License-Identifier: MIT */
/*
 * option - what the user can set while the program runs (`:set OPTION VALUE`), in one table.
 *
 * Options are plain values that app/ owns; views read them and never change them.
 */
#ifndef TS_BASE_OPTION_H
#define TS_BASE_OPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "tilescope/base/err.h"
#include "tilescope/base/fmt.h"

enum ts_time_unit { TS_TIME_CYCLES, TS_TIME_US };

/* The way to another host: libssh, or OpenSSH's program. */
enum ts_way { TS_WAY_AUTO, TS_WAY_LIBSSH, TS_WAY_SSH };

enum { TS_OPTION_TEXT = 64, TS_OPTION_PATTERN = 256 };

/* What finds layers of a model in the names of variables, until something else is said. */
#define TS_LAYER_PATTERN "(?:^|/)(?:layer|blocks|encoder)[/_.]?(\\d+)"

struct ts_options {
	enum ts_units units;
	enum ts_time_unit time;
	double clock_hz; /* said by the user; 0 = as the report says */
	bool mouse;
	bool index;    /* build the index of a report behind the screen */
	int64_t cache; /* bytes that the indexes of all reports may take */
	enum ts_way transport;
	char theme[TS_OPTION_TEXT];
	char keymap[TS_OPTION_TEXT];
	char layer_pattern[TS_OPTION_PATTERN];
};

#define TS_OPTION_CACHE ((int64_t)8 << 30) /* until something else is said */

/* A line of the table. */
struct ts_option {
	const char *name;
	const char *values; /* for people and for completion: "kib|kb|bytes" */
	const char *help;
	bool once; /* set for this report, not kept for the next start */
};

/* The last has no name. */
extern const struct ts_option ts_option_table[];

void ts_options_init(struct ts_options *o);

/* Set by name. Errors: TS_E_USAGE, with the choices in the message. */
enum ts_code ts_option_set(struct ts_options *o, const char *name, const char *value,
	struct ts_err *err) TS_WARN_UNUSED;

/* Is what is set in the program kept for its next start? */
bool ts_option_kept(const char *name);

/* The value as text; false for an unknown name. */
bool ts_option_get(const struct ts_options *o, const char *name, char out[TS_OPTION_TEXT]);

#endif
