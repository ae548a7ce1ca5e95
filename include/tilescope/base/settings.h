/* SPDX-License-Identifier: MIT */
/*
 * settings - what was set in the program and is there again at its next start.
 *
 * A setting is a line of three words: what it is of ("set", "columns"), its name, its value. Lines of kinds
 * that nobody asks for are kept as they are: another version of the program wrote them.
 */
#ifndef TS_BASE_SETTINGS_H
#define TS_BASE_SETTINGS_H

#include <stdbool.h>

#include "tilescope/base/strbuf.h"

enum { TS_SETTINGS_MAX = 256, TS_SETTING_NAME = 64, TS_SETTING_VALUE = 1024 };

struct ts_settings;

/* NULL: no memory. */
struct ts_settings *ts_settings_new(void);
void ts_settings_free(struct ts_settings *s);

/* The value (lent until the next change), or NULL. `s` may be NULL: nothing is set. */
const char *ts_settings_get(const struct ts_settings *s, const char *kind, const char *name);

/*
 * Set; NULL as value: it is as it was before anybody set it. False: too long, too many, or no memory.
 */
bool ts_settings_put(struct ts_settings *s, const char *kind, const char *name, const char *value);

/* Was anything put since it was made? */
bool ts_settings_changed(const struct ts_settings *s);

/*
 * Read lines (changed in place) beneath what was put: a setting that was put stays as it is. Lines that are none
 * are passed over.
 */
void ts_settings_read(struct ts_settings *s, char *text);

/* All of them as lines. */
void ts_settings_print(const struct ts_settings *s, struct ts_strbuf *out);

/* Each setting of a kind. */
typedef void ts_setting_fn(void *ctx, const char *name, const char *value);
void ts_settings_each(const struct ts_settings *s, const char *kind, ts_setting_fn *each,
	void *ctx);

#endif
