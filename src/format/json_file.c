/* SPDX-License-Identifier: MIT */
/* json_file - see the header. */
#include "config.h"

#include <jansson.h>

#include "tilescope/format/json_file.h"

enum ts_code
ts_json_check(const char *text, size_t n, struct ts_err *err)
{
	json_error_t why;
	json_t *json = json_loadb(text, n, JSON_ALLOW_NUL, &why);
	enum ts_code code = TS_OK;

	if (!json)
		code = ts_err_set(err, TS_E_DAMAGED, "line %d: %s", why.line, why.text);
	else if (!json_is_object(json))
		code = ts_err_set(err, TS_E_DAMAGED, "not a JSON object");
	json_decref(json);
	return code;
}
