/* SPDX-License-Identifier: MIT */
/* json_file - small JSON files of a report (framework.json, app.json). */
#ifndef TS_FORMAT_JSON_FILE_H
#define TS_FORMAT_JSON_FILE_H

#include "tilescope/io/source.h"

enum { TS_JSON_DEPTH = 2048 };

/*
 * Is it one JSON object? Read as a stream: a tree of it would take many times the file. Errors: TS_E_DAMAGED,
 * with the offset; those of the source, TS_E_CANCELLED, TS_E_NOMEM.
 */
enum ts_code ts_json_check(struct ts_source *source, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
