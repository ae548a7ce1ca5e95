/* SPDX-License-Identifier: MIT */
/*
 * report - an opened report: its files, what they hold, and where each relation is found.
 *
 * A report does not change once it is open: any thread may look at it. To read rows a thread opens a
 * `struct ts_reader` of its own.
 */
#ifndef TS_REPORT_REPORT_H
#define TS_REPORT_REPORT_H

#include <stdatomic.h>

#include "tilescope/base/progress.h"
#include "tilescope/io/files.h"
#include "tilescope/report/binding.h"
#include "tilescope/db/vfs.h"

enum ts_part {
	TS_PART_PROFILE,
	TS_PART_ARCHIVE,
	TS_PART_DEBUG,
	TS_PART_FRAMEWORK,
	TS_PART_APP,
	TS_PART_VARS,
	TS_PART_COUNT
};

enum ts_part_state { TS_PART_ABSENT, TS_PART_OK, TS_PART_DAMAGED, TS_PART_UNREADABLE };

struct ts_part_info {
	enum ts_part_state state;
	char *path; /* where it was found, or NULL */
	int64_t bytes, mtime;
};

/* Short lists of sentences for the user; the same sentence stands once. */
enum { TS_NOTES = 64, TS_NOTE_MAX = 400 };

struct ts_notes {
	int count;
	char *note[TS_NOTES];
	bool partial; /* something that is there could not be read: exit status 4 */
};

void ts_notes_add(struct ts_notes *n, const char *fmt, ...) TS_PRINTF(2, 3);
void ts_notes_copy(struct ts_notes *to, const struct ts_notes *from);
void ts_notes_fini(struct ts_notes *n);

/*
 * What went wrong with one relation (`what`, for people) becomes a note, and the notes partial: TS_OK. Absent is no error.
 * What ends all (ts_ends_all()) stays, with `why` in *err.
 */
enum ts_code ts_notes_soften(struct ts_notes *n, enum ts_code code, const char *what,
	const struct ts_err *why, struct ts_err *err) TS_WARN_UNUSED;

/* "what: 3 rows left out: why", if there are any. */
void ts_notes_left_out(struct ts_notes *n, const char *what, int64_t rows, const char *why);

enum ts_kind { TS_KIND_SDK, TS_KIND_STORE, TS_KIND_ARCHIVE };

enum { TS_SOURCES = 3 }; /* a report is read from at most so many databases */

struct ts_archive;

/* Which bytes a report is: two files with the same identity are taken for the same. */
struct ts_identity {
	int64_t bytes, mtime, mtime_ns; /* of the opened file, not of the path */
	uint32_t changes;		/* SQLite's change counter */
	uint64_t header;		/* hash of its header */
	uint64_t device, inode;		/* told apart while a report is open, not kept */
};

struct ts_report {
	atomic_int uses;	/* who holds it: ts_report_hold(), ts_report_close() */
	struct ts_files *files; /* where its files lie; NULL: on this machine */
	char *path;		/* as the user gave it */
	char *dir;		/* directory of the profile */
	char *file;		/* the profile (or store, or archive) itself */
	char *real; /* by what it is known (ts_files_name()), or NULL when that cannot be told */
	enum ts_kind kind;
	struct ts_part_info part[TS_PART_COUNT];
	struct ts_sqlite_header header;
	struct ts_identity identity; /* of the profile */
	bool being_written;	     /* a non-empty -wal or -journal lies beside it */
	/*
	 * The databases that it is read from: the first is what was opened, then what archive.a and
	 * vars.json hold. Each relation is bound to the first that has it (ts_binding.source).
	 */
	int sources;
	enum ts_part part_of[TS_SOURCES]; /* what part each of them is, or was made of */
	struct ts_source *source[TS_SOURCES];
	struct ts_schema *schema[TS_SOURCES];
	struct ts_map *map; /* by which what was opened is read; or NULL */
	uint64_t vars_hash; /* changes with vars.json, where rows are read from it; 0 = not */
	bool vars_wait;	    /* vars.json has what is lacking: open with `convert` to have it */
	bool parts_wait; /* nothing beside the profile was looked at: open without `parts_later` */
	struct ts_archive *archive; /* where a relation comes from it; or NULL: not read yet */
	struct ts_object *made
		[TS_RELATION_COUNT]; /* what relations that are made by SQL are bound to, or NULL */
	struct ts_binding binding[TS_RELATION_COUNT];
	struct ts_notes notes; /* what was noticed while opening */
};

struct ts_report_options {
	struct ts_files *files;		/* where `path` is; it is held. NULL: on this machine */
	const struct ts_cancel *cancel; /* or NULL */
	struct ts_progress *progress;	/* of `convert`, or NULL */
	bool convert;			/* read vars.json, if need be: takes a while */
	bool any;			/* open SQLite of something else too: nothing is bound */
	/* of a host: the profile alone, for a first screen in few round trips; see parts_wait */
	bool parts_later;
};

/*
 * Open what `path` means (ts_find_profile). Errors as there, and TS_E_FORMAT: SQLite of something
 * else (the message names the tables), TS_E_DAMAGED: its schema cannot be read.
 */
enum ts_code ts_report_open(struct ts_report **r, const char *path,
	const struct ts_report_options *options, struct ts_err *err) TS_WARN_UNUSED;
/* Give it back; the last holder closes it. NULL allowed. Any thread. */
void ts_report_close(struct ts_report *r);

/* Hold it once more: returns r. Any thread. */
struct ts_report *ts_report_hold(struct ts_report *r);

/* Else nothing is known of what was opened but its tables (`any`). */
static inline bool
ts_report_is_known(const struct ts_report *r)
{
	return r->map || r->kind == TS_KIND_ARCHIVE;
}

/* The file that source i is, or was made of. */
const char *ts_report_source_path(const struct ts_report *r, int i);

bool ts_report_has(const struct ts_report *r, enum ts_relation relation);
bool ts_report_has_column(const struct ts_report *r, enum ts_relation relation, int column);

/* Has the profile changed on disk, been replaced, or ceased to be written, since it was opened? */
bool ts_report_changed(const struct ts_report *r);

/* The identity of an SQLite file. Errors: as ts_sqlite_header_read(). */
enum ts_code ts_identity_read(struct ts_identity *id, struct ts_files *files, const char *path,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_identity_set(struct ts_identity *id, const struct ts_source *source,
	const struct ts_sqlite_header *header);

/* Same bytes, as far as can be told without reading them; whether it is the same file is not asked. */
bool ts_identity_same(const struct ts_identity *a, const struct ts_identity *b);

/* Does a non-empty -wal or -journal lie beside the database? */
bool ts_is_being_written(struct ts_files *files, const char *file);

const char *ts_part_name(enum ts_part part);

/* What source i of the report is, or was made of: "profile", "archive", "vars". */
const char *ts_source_name(const struct ts_report *r, int i);
const char *ts_part_state_name(enum ts_part_state state);
const char *ts_kind_name(enum ts_kind kind);

struct ts_index;
struct ts_tiles;
struct context_says;

/* One thread's connections to a report. */
struct ts_reader {
	const struct ts_report *report;
	struct ts_index *index;		/* held; NULL = none: figures then come from the rows */
	const struct ts_cancel *cancel; /* set with ts_reader_set_cancel(); or NULL */
	struct ts_db *db[TS_SOURCES];
	struct context_says *says; /* what SQL of `db` asks debug.cbor; owned */
	struct ts_tiles
		*tiles; /* what ts_tiles_read() found of a sound report; NULL: not read yet */
};

enum ts_code ts_reader_open(struct ts_reader **rd, const struct ts_report *r,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_reader_close(struct ts_reader *rd);
void ts_reader_set_cancel(struct ts_reader *rd, const struct ts_cancel *cancel);
void ts_reader_set_index(struct ts_reader *rd, struct ts_index *index);

/* What a reader's caches did, and how large they may get. */
struct ts_reader_stats {
	int64_t page_hits, page_misses, page_capacity; /* capacity in bytes */
	int64_t bytes, reads; /* of the file; a read is something to wait for */
	int64_t statement_hits, statement_misses, statement_capacity;
	struct ts_source_counts far; /* of a report on another host */
};

/* Add to *s what the reader has done so far. Any thread, while it is open. */
void ts_reader_add_stats(struct ts_reader_stats *s, const struct ts_reader *rd);

/* A cursor as ts_rows_open(), on whatever source the relation was found in; q->binding is set here. */
struct ts_rows;
struct ts_rows_query;
enum ts_code ts_reader_rows(struct ts_rows **rows, struct ts_reader *rd, enum ts_relation relation,
	const struct ts_rows_query *q, struct ts_err *err) TS_WARN_UNUSED;

#endif
