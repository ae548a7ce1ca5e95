/* SPDX-License-Identifier: MIT */
/* err - see the header. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tilescope/base/err.h"

enum ts_code
ts_err_set(struct ts_err *err, enum ts_code code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	err->code = code;
	err->sys = 0;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	return code;
}

enum ts_code
ts_err_sys(struct ts_err *err, int sys, const char *fmt, ...)
{
	va_list ap;
	char reason[128];
	size_t len;

	if (!err)
		return TS_E_SYS;
	err->code = TS_E_SYS;
	err->sys = sys;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	len = strlen(err->msg);
	snprintf(err->msg + len, sizeof(err->msg) - len, ": %s",
		strerror_r(sys, reason, sizeof(reason)));
	return TS_E_SYS;
}

enum ts_code
ts_err_nomem(struct ts_err *err)
{
	return ts_err_set(err, TS_E_NOMEM, "out of memory");
}

void
ts_err_prefix(struct ts_err *err, const char *fmt, ...)
{
	char old[TS_ERR_MSG];
	va_list ap;
	size_t len;

	if (!err)
		return;
	memcpy(old, err->msg, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	len = strlen(err->msg);
	snprintf(err->msg + len, sizeof(err->msg) - len, "%s", old);
}
