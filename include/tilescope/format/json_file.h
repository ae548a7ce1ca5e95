/* SPDX-License-Identifier: MIT */
/* json_file - small JSON files of a report (framework.json, app.json). */
#ifndef TS_FORMAT_JSON_FILE_H
#define TS_FORMAT_JSON_FILE_H

#include <stddef.h>

#include "tilescope/base/err.h"

/* Are these n bytes one JSON object? Errors: TS_E_DAMAGED, with the line. */
enum ts_code ts_json_check(const char *text, size_t n, struct ts_err *err) TS_WARN_UNUSED;

#endif
