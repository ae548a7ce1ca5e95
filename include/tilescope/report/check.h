/* SPDX-License-Identifier: MIT */
/*
 * check - the state of every file of a report: what could be read of it, what is damaged, and where.
 *
 * Every part is looked at by itself, so that what is wrong with one says nothing about another; then, where the
 * whole can be opened as a report, whether the parts belong together (consistency.h).
 */
#ifndef TS_REPORT_CHECK_H
#define TS_REPORT_CHECK_H

#include "tilescope/base/progress.h"
#include "tilescope/report/report.h"

enum ts_check_state {
	TS_CHECK_ABSENT,
	TS_CHECK_OK,
	TS_CHECK_DAMAGED,    /* it is what it should be, and not all of it can be read */
	TS_CHECK_UNREADABLE, /* nothing of it can be read */
	TS_CHECK_UNSUPPORTED,
};

/* Something that was read of a part. */
struct ts_check_item {
	const char *what;     /* "table", "view", "members", "tiles", "contexts", ... */
	char *name;	      /* of a table or view, raw; NULL = `what` says it all */
	const char *relation; /* that is bound to it, or NULL */
	int64_t count;	      /* rows of a table, else of `what`; TS_UNKNOWN = not counted */
	char *damage;	      /* what is wrong with it, and where; or NULL */
};

struct ts_check_part {
	const char *name; /* "profile", "archive", ...; of what is not supported the file's name */
	char *path;	  /* or NULL */
	const char *kind; /* "SQLite database", "ar archive", ...; or NULL = not known */
	enum ts_check_state state;
	int64_t bytes, mtime; /* or TS_UNKNOWN */
	size_t items, cap;
	struct ts_check_item *item;
	struct ts_notes damage; /* what is wrong, and where */
	struct ts_notes notes;	/* what else there is to say */
};

struct ts_check {
	size_t parts, cap;
	struct ts_check_part *part;
	bool is_report;	   /* the whole can be opened */
	bool usable;	   /* or the part that was asked for, standing alone, can be read */
	enum ts_kind kind; /* of a report */
	struct ts_notes
		notes; /* of the whole; partial: something that is there could not be read */
};

struct ts_check_options {
	struct ts_files *files; /* where the path is; NULL: on this machine */
	/*
	 * Without it rows, members, contexts and variables are counted; with it, all that they say is
	 * read, too, and SQLite checks the structure of its files.
	 */
	bool deep;
	struct ts_progress *progress; /* bytes of the file that is read; or NULL */
	const struct ts_cancel *cancel;
};

/*
 * Check what `path` means: a directory, or a file of one with all that lies beside it. Errors: TS_E_NOT_FOUND,
 * TS_E_SYS: there is no such path; TS_E_CANCELLED, TS_E_NOMEM; what is wrong with a part stands there. Free with
 * ts_check_fini() in every case.
 */
enum ts_code ts_check_read(struct ts_check *c, const char *path,
	const struct ts_check_options *options, struct ts_err *err) TS_WARN_UNUSED;
void ts_check_fini(struct ts_check *c);

const char *ts_check_state_name(enum ts_check_state state);

#endif
