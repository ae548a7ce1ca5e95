/* SPDX-License-Identifier: MIT */
/* log - a ring of lines behind one mutex; see the header. */
#include "config.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/log.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

struct ts_log {
	pthread_mutex_t lock;
	int count; /* lines ever written */
	char line[TS_LOG_LINES][TS_LOG_LINE_MAX];
};

struct ts_log *
ts_log_new(void)
{
	struct ts_log *log = ts_alloc(1, sizeof(*log));

	if (log && pthread_mutex_init(&log->lock, NULL) != 0) {
		free(log);
		return NULL;
	}
	return log;
}

void
ts_log_free(struct ts_log *log)
{
	if (!log)
		return;
	pthread_mutex_destroy(&log->lock);
	free(log);
}

void
ts_log_add(struct ts_log *log, const char *fmt, ...)
{
	char raw[TS_LOG_LINE_MAX];
	struct ts_strbuf safe;
	va_list ap;

	if (!log)
		return;
	va_start(ap, fmt);
	vsnprintf(raw, sizeof(raw), fmt, ap);
	va_end(ap);
	ts_strbuf_init(&safe, TS_LOG_LINE_MAX - 1);
	ts_utf8_safe(&safe, raw, strlen(raw));
	pthread_mutex_lock(&log->lock);
	memcpy(log->line[log->count % TS_LOG_LINES], safe.s, safe.len + 1);
	if (log->count < INT32_MAX)
		log->count++;
	pthread_mutex_unlock(&log->lock);
	ts_strbuf_fini(&safe);
}

int
ts_log_count(struct ts_log *log)
{
	int count;

	pthread_mutex_lock(&log->lock);
	count = log->count;
	pthread_mutex_unlock(&log->lock);
	return count;
}

bool
ts_log_get(struct ts_log *log, int i, char out[TS_LOG_LINE_MAX])
{
	bool there;

	pthread_mutex_lock(&log->lock);
	there = i >= 0 && i < log->count && i >= log->count - TS_LOG_LINES;
	if (there)
		memcpy(out, log->line[i % TS_LOG_LINES], TS_LOG_LINE_MAX);
	pthread_mutex_unlock(&log->lock);
	return there;
}
