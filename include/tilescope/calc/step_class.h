/* SPDX-License-Identifier: MIT */
/* step_class - the ten classes of execution step, for colour and for proportions. */
#ifndef TS_CALC_STEP_CLASS_H
#define TS_CALC_STEP_CLASS_H

#include <stdbool.h>
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
 * A Sync whose sync type is "External" is external sync: the caller says so.
 */
enum ts_step_class ts_step_class_of(const char *type, size_t n, bool external);

/* Does the class of this type depend on the sync type? And is that the external one (letters of either case)? */
bool ts_step_class_needs_sync_type(const char *type, size_t n);
bool ts_sync_type_is_external(const char *sync, size_t n);

/* "compute", "global_exchange", ... as the command line prints them, and for people. */
const char *ts_step_class_key(enum ts_step_class c);
const char *ts_step_class_label(enum ts_step_class c);

/* One letter for screens without colour: C x g s W a b m e . */
char ts_step_class_letter(enum ts_step_class c);

#endif
