/* SPDX-License-Identifier: MIT */
/* step_class - the ten classes of execution step, for colour and for proportions. */
#ifndef TS_CALC_STEP_CLASS_H
#define TS_CALC_STEP_CLASS_H

#include <stddef.h>

enum ts_step_class {
	TS_CLASS_COMPUTE,
	TS_CLASS_EXCHANGE,
	TS_CLASS_GLOBAL_EXCHANGE,
	TS_CLASS_SYNC,
	TS_CLASS_EXTERNAL_SYNC,
	TS_CLASS_ASYNC_SYNC,
	TS_CLASS_HOST_WAIT,
	TS_CLASS_HOST_COPY,
	TS_CLASS_HOST_END,
	TS_CLASS_CONTROL,
	TS_CLASS_COUNT
};

/*
 * The class of a step by its program's type (n bytes, not NUL-terminated): OnTileExecute is compute,
 * DoExchange and CodeCopy exchange, GlobalExchange global exchange, Sync and Sans sync, SyncAns async sync,
 * StreamCopyBegin host wait, StreamCopyMid host copy, StreamCopyEnd host end; everything else is control.
 * A Sync whose sync type (sync_n bytes; NULL: none) is "External", letters of either case, is external sync.
 */
enum ts_step_class ts_step_class_of(const char *type, size_t n, const char *sync, size_t sync_n);

/* "compute", "global_exchange", ... as the command line prints them, and for people. */
const char *ts_step_class_key(enum ts_step_class c);
const char *ts_step_class_label(enum ts_step_class c);

/* One letter for screens without colour: C x g s W a b m e . */
char ts_step_class_letter(enum ts_step_class c);

#endif
