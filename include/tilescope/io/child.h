/* SPDX-License-Identifier: MIT */
/*
 * child - another program that does some work for us, and what it says meanwhile.
 *
 * Started with posix_spawn() (a fork of a program with threads is not safe), never through a shell. Its
 * standard input is empty or what it is given, its standard output a pipe that is read here; of what it writes to standard
 * error the first line's beginning is kept, the rest is thrown away. No descriptor of ours is left open in
 * it but those that are given. What it says, and its end, are waited for with a look at the cancel token.
 *
 * Threads: a child belongs to one thread at a time; any number of threads may have one.
 */
#ifndef TS_IO_CHILD_H
#define TS_IO_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tilescope/base/cancel.h"
#include "tilescope/base/err.h"

enum {
	TS_CHILD_COMPLAINT = 400, /* bytes of standard error that are kept */
	TS_CHILD_GIVEN = 4,	  /* descriptors that can be given */
	TS_CHILD_FIRST = 3,	  /* number of the first of them in the child */
	TS_CHILD_PATIENCE_S = 60, /* for one that has closed its output and does not end */
};

struct ts_child_spec {
	const char *file;	 /* looked for in PATH when it has no slash */
	const char *const *argv; /* argv[0] included, NULL at the end */
	int given[TS_CHILD_GIVEN];
	int given_count;	  /* they are TS_CHILD_FIRST, ... there; ours stay open */
	int input;		  /* its standard input, ours stays open; 0: nothing */
	bool apart;		  /* a session of its own, without a terminal */
	char *const *environment; /* NULL: ours */
};

struct ts_child {
	pid_t pid;
	int out, err; /* -1 = at its end */
	char complaint[TS_CHILD_COMPLAINT];
	size_t complaint_len;
};

/* Errors: TS_E_SYS (also when there is no such program: err->sys is ENOENT), TS_E_NOMEM. */
enum ts_code ts_child_start(struct ts_child *c, const struct ts_child_spec *spec,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * What comes next of its output, at most `size` bytes; *got 0 = it has closed it. Errors: TS_E_CANCELLED,
 * TS_E_SYS.
 */
enum ts_code ts_child_read(struct ts_child *c, void *buffer, size_t size, size_t *got,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/*
 * Wait for its end and give everything back. One that was not read to its end is killed, and so is one
 * that lives on when the token is set or its patience is over. The result is as waitpid() gives it.
 * `complaint` is then whole: its first line, or "". Does not fail.
 */
int ts_child_end(struct ts_child *c, const struct ts_cancel *cancel);

#endif
