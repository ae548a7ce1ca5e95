/* SPDX-License-Identifier: MIT */
/* step_class - see the header. */
#include "config.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/step_class.h"

#define TYPE(word) word, sizeof(word) - 1

static const struct {
	const char *type;
	size_t n;
	enum ts_step_class c;
} types[] = {
	{TYPE("OnTileExecute"), TS_CLASS_COMPUTE},
	{TYPE("DoExchange"), TS_CLASS_EXCHANGE},
	{TYPE("CodeCopy"), TS_CLASS_EXCHANGE},
	{TYPE("GlobalExchange"), TS_CLASS_GLOBAL_EXCHANGE},
	{TYPE("Sync"), TS_CLASS_SYNC},
	{TYPE("Sans"), TS_CLASS_SYNC},
	{TYPE("SyncAns"), TS_CLASS_ASYNC_SYNC},
	{TYPE("StreamCopyBegin"), TS_CLASS_HOST_WAIT},
	{TYPE("StreamCopyMid"), TS_CLASS_HOST_COPY},
	{TYPE("StreamCopyEnd"), TS_CLASS_HOST_END},
};

static const struct {
	const char *key, *label;
	char letter;
} classes[TS_CLASS_COUNT] = {
	[TS_CLASS_COMPUTE] = {"compute", "compute", 'C'},
	[TS_CLASS_EXCHANGE] = {"exchange", "exchange", 'x'},
	[TS_CLASS_GLOBAL_EXCHANGE] = {"global_exchange", "global exchange", 'g'},
	[TS_CLASS_SYNC] = {"sync", "sync", 's'},
	[TS_CLASS_EXTERNAL_SYNC] = {"external_sync", "external sync", 'W'},
	[TS_CLASS_ASYNC_SYNC] = {"sync_ans", "async sync", 'a'},
	[TS_CLASS_HOST_WAIT] = {"host_wait", "host wait", 'b'},
	[TS_CLASS_HOST_COPY] = {"host_copy", "host copy", 'm'},
	[TS_CLASS_HOST_END] = {"host_end", "host end", 'e'},
	[TS_CLASS_CONTROL] = {"control", "control", '.'},
};

static bool
equals(const char *s, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(s, word, n) == 0;
}

enum ts_step_class
ts_step_class_of(const char *type, size_t n, const char *sync, size_t sync_n)
{
	static const char external[] = "External";

	if (sync && equals(type, n, "Sync") && sync_n == sizeof(external) - 1 &&
		strncasecmp(sync, external, sync_n) == 0)
		return TS_CLASS_EXTERNAL_SYNC;
	for (size_t i = 0; i < TS_COUNT(types); i++)
		if (types[i].n == n && memcmp(types[i].type, type, n) == 0)
			return types[i].c;
	return TS_CLASS_CONTROL;
}

const char *
ts_step_class_key(enum ts_step_class c)
{
	return classes[c].key;
}

const char *
ts_step_class_label(enum ts_step_class c)
{
	return classes[c].label;
}

char
ts_step_class_letter(enum ts_step_class c)
{
	return classes[c].letter;
}
