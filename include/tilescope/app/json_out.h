/* SPDX-License-Identifier: MIT */
/* json_out - the few things that verbs need on top of jansson to print JSON. */
#ifndef TS_APP_JSON_OUT_H
#define TS_APP_JSON_OUT_H

#include <jansson.h>
#include <stdint.h>

#include "tilescope/base/strbuf.h"

/* Text of a report: invalid UTF-8 becomes U+FFFD, all else stays; NULL or "" with empty_is_null: null. */
json_t *ts_json_text(const char *s, bool empty_is_null);

/* A count, or null when it is negative (not known). */
json_t *ts_json_number(int64_t v);

/* How the user calls the host on which a report lies; null: on this machine. NULL allowed. */
struct ts_files;
json_t *ts_json_host(const struct ts_files *f);

/* Append as indented JSON with a final newline. False when there is no memory. */
bool ts_json_print(struct ts_strbuf *out, const json_t *json);

#endif
