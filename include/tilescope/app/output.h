/* SPDX-License-Identifier: MIT */
/*
 * output - where a verb's data goes: standard output, or a file that appears when it is complete.
 *
 * A verb builds its whole answer as text (answers are small) and hands it over once; rows without end go
 * piece by piece. A pipe that nobody reads any more is no error.
 */
#ifndef TS_APP_OUTPUT_H
#define TS_APP_OUTPUT_H

#include <stdio.h>

#include "tilescope/base/strbuf.h"

enum { TS_OUTPUT_MAX = 64 << 20 };

/* Write to `path` (through a temporary name beside it), or to standard output when NULL. */
enum ts_code ts_output_write(const char *path, const struct ts_strbuf *text,
	struct ts_err *err) TS_WARN_UNUSED;

struct ts_output {
	const char *path; /* NULL: standard output */
	char *temporary;  /* its name until it is complete, or NULL */
	int fd;
	int why; /* errno of the first failure, EPIPE too */
};

/* Open; on failure there is nothing to close. */
enum ts_code ts_output_open(struct ts_output *o, const char *path,
	struct ts_err *err) TS_WARN_UNUSED;

/* Append. False: no more can be written, which ts_output_close() tells. */
bool ts_output_add(struct ts_output *o, const char *s, size_t n);

/* The end; a file appears when `keep` is set. */
enum ts_code ts_output_close(struct ts_output *o, bool keep, struct ts_err *err) TS_WARN_UNUSED;

/* The caches' directory, $XDG_CACHE_HOME/tilescope or as `--cache` says (the caller's); NULL: none. */
char *ts_cache_dir(const char *option);

/* $XDG_CONFIG_HOME/tilescope[/name] (the caller's); NULL when there is no home either. */
char *ts_config_path(const char *name);

/* $XDG_STATE_HOME/tilescope[/name] (the caller's); NULL when there is no home either. */
char *ts_state_path(const char *name);

/* Make a directory and those above it, mode 0700. */
enum ts_code ts_make_dirs(const char *path, struct ts_err *err) TS_WARN_UNUSED;

#endif
