/* SPDX-License-Identifier: MIT */
/*
 * embedded - the data files that are part of the program.
 *
 * Every keymap, theme, built-in schema map and the store's DDL is compiled in (src/embed.sh writes the table at
 * build time), so that ./tilescope works where nothing is installed. Names are those below the data
 * directory: "keymaps/default.keys", "themes/mono.theme", "schemas/poplar3.schema", "schemas/store.sql".
 */
#ifndef TS_BASE_EMBEDDED_H
#define TS_BASE_EMBEDDED_H

#include <stddef.h>

struct ts_embedded {
	const char *name;
	const char *text; /* NUL-terminated */
	size_t size;	  /* bytes, without the NUL */
};

/* Sorted as listed in Makefile.am; the last one's name is NULL. */
extern const struct ts_embedded ts_embedded[];

/* The file of that name, or NULL. */
const struct ts_embedded *ts_embedded_find(const char *name);

#endif
