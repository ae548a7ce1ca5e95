/* SPDX-License-Identifier: MIT */
/*
 * args - the words of the command line.
 *
 * One table of verbs and one of options; help texts come from them. What is not in the tables does not
 * exist: an unknown verb or option is exit status 2.
 */
#ifndef TS_APP_ARGS_H
#define TS_APP_ARGS_H

#include "tilescope/base/err.h"
#include "tilescope/base/fmt.h"
#include "tilescope/base/option.h"
#include "tilescope/demo/demo.h"

enum ts_exit {
	TS_EXIT_OK = 0,
	TS_EXIT_FINDINGS = 1,
	TS_EXIT_USAGE = 2,
	TS_EXIT_UNREADABLE = 3,
	TS_EXIT_PARTIAL = 4,
	TS_EXIT_CONNECT = 5,
	TS_EXIT_INTERRUPTED = 130,
};

enum ts_format { TS_FORMAT_TEXT, TS_FORMAT_JSON, TS_FORMAT_CSV, TS_FORMAT_MD, TS_FORMAT_JSONL };
enum ts_when { TS_WHEN_AUTO, TS_WHEN_NEVER, TS_WHEN_ALWAYS };

/* Of `tilescope export`; their names stand in ts_export_formats, ts_export_whats. */
enum ts_export_format {
	TS_EXPORT_CSV,
	TS_EXPORT_JSON,
	TS_EXPORT_JSONL,
	TS_EXPORT_PERFETTO,
	TS_EXPORT_FOLDED,
	TS_EXPORT_DOT,
	TS_EXPORT_FORMATS
};
enum ts_export_what {
	TS_EXPORT_TRACE,
	TS_EXPORT_TILES,
	TS_EXPORT_LIVENESS,
	TS_EXPORT_VARIABLES,
	TS_EXPORT_PROGRAMS,
	TS_EXPORT_OPERATIONS,
	TS_EXPORT_WHATS
};
extern const char *const ts_export_formats[TS_EXPORT_FORMATS];
extern const char *const ts_export_whats[TS_EXPORT_WHATS];

struct ts_verb;

/* The smallest screen, and picture: columns, rows. */
enum { TS_SIZE_MIN_COLUMNS = 40, TS_SIZE_MIN_ROWS = 10 };

struct ts_size {
	int columns, rows;
};

struct ts_args {
	const struct ts_verb *verb;
	enum ts_format format;
	enum ts_when color;
	enum ts_units units;
	const char *output;	    /* -o FILE, or NULL */
	const char *cache;	    /* --cache DIR|none, or NULL */
	const char *theme, *keymap; /* or NULL */
	const char *ssh_config;	    /* --ssh-config FILE, or NULL */
	int transport;		    /* --transport: enum ts_way + 1; 0: not given */
	const char *at;		    /* --at VIEW[?ARGS] (address.h), or NULL */
	struct ts_size size;	    /* render: of the picture, in cells */
	int picture;		    /* render: enum ts_picture + 1; 0: as the file is called */
	bool quiet, verbose, help, version, latest, ascii, mouse;
	bool stats;	    /* --stats */
	bool watch;	    /* --watch */
	bool relations;	    /* query --relations */
	bool files, deep;   /* check */
	int what;	    /* export: enum ts_export_what */
	int export_format;  /* export: enum ts_export_format + 1; 0: as the file is called */
	const char *stages; /* check --stages EXPRESSION, or NULL */
	int fail;	    /* check --fail: enum ts_severity; NONE: bad */
	double timeout;	    /* query: seconds; 0 = none */
	struct ts_demo_options demo;
	bool no_archive;   /* demo --no-archive */
	bool no_execution; /* demo --no-execution */
	bool thorough;	   /* --archive: of a host also what costs a round trip a piece */
	int path_count;
	char **paths;
	char here[2], *here_only[1]; /* what `paths` is with --latest alone: "." */
};

/* Which verbs an option belongs to. */
enum {
	TS_FOR_APP = 1 << 0,
	TS_FOR_SUMMARY = 1 << 1,
	TS_FOR_SCHEMA = 1 << 2,
	TS_FOR_DEMO = 1 << 3,
	TS_FOR_HELP = 1 << 4,
	TS_FOR_VERSION = 1 << 5,
	TS_FOR_CACHE = 1 << 6,
	TS_FOR_QUERY = 1 << 7,
	TS_FOR_CHECK = 1 << 8,
	TS_FOR_RENDER = 1 << 9,
	TS_FOR_EXPORT = 1 << 10,
	TS_FOR_ALL = 0x7ff,
};

struct ts_verb {
	const char *name; /* "" = the app */
	unsigned mask;
	const char *arguments;
	const char *help;
	int paths_min, paths_max;
	enum ts_exit (*run)(const struct ts_args *args);
};

/* The table of verbs; the last has no name. */
extern const struct ts_verb ts_verbs[];

const struct ts_verb *ts_verb_find(const char *name);

/* Read the words. `args` points into argv. Errors: TS_E_USAGE. */
enum ts_code ts_args_parse(struct ts_args *args, int argc, char **argv,
	struct ts_err *err) TS_WARN_UNUSED;

/* Print how a verb (NULL: the program) is used, in 80 columns. */
struct ts_strbuf;
void ts_args_help(struct ts_strbuf *out, const struct ts_verb *verb);

/* `tilescope: subject: message` on standard error, one line, safe for the terminal. subject: or NULL. */
void ts_complain(const char *subject, const struct ts_err *err);
void ts_warn(const char *subject, const char *text);

/* Exit status that a failure to open or read a report means. */
enum ts_exit ts_exit_of(enum ts_code code);

/* Of several paths the first of 130, 5, 3, 2, 4, 1 that occurred. */
enum ts_exit ts_exit_worse(enum ts_exit a, enum ts_exit b);

#endif
