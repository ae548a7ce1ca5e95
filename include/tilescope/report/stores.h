/* SPDX-License-Identifier: MIT */
/*
 * stores - what is kept below DIR/import: stores that were made of a report's files.
 *
 *   DIR/import/<hash of the real path>-<which bytes>.tilescope    what libpva said of a profile
 *   DIR/import/<hash of the real path>-<which bytes>.vars         vars.json as rows
 *   DIR/import/<hash of the real path>.path                       that path, for people and for the cache
 *
 * They count to what the cache may take. A store's access time, which is set when it is opened, says when
 * it was used last; its time of change is part of what a report is and stays.
 */
#ifndef TS_REPORT_STORES_H
#define TS_REPORT_STORES_H

#include "tilescope/report/report.h"

enum { TS_STORE_NAME = 128, TS_STORE_HASH = 17 };

enum ts_store_kind { TS_STORE_IMPORT, TS_STORE_VARS, TS_STORE_LEFT_OVER };

/* The hash in the names of the stores of a file. */
void ts_store_hash(char hash[TS_STORE_HASH], const char *real);

/* What a store is called: of a profile; of a vars.json that is open. */
void ts_store_name_import(char name[TS_STORE_NAME], const char *real, const struct ts_identity *id);
void ts_store_name_vars(char name[TS_STORE_NAME], const char *real, const struct ts_source *json);

/* Write down beside a store (its whole path) of which file it was made. What fails costs a name in a list. */
void ts_store_remember(const char *store, const char *real);

/* It is used now. */
void ts_store_use(const char *store);

/* --- all of them, for the cache --------------------------------------------------------------- */

struct ts_store {
	char name[TS_STORE_NAME];
	enum ts_store_kind kind;
	char *path; /* of what it was made of, or NULL: after ts_store_look() */
	int64_t bytes, used_s, used_ns;
	bool gone; /* that file is not there any more, or another one: after ts_store_look() */
};

struct ts_stores {
	struct ts_store *store;
	size_t count, cap;
};

/*
 * The stores of a directory (its descriptor), the one used last first; no file is opened. What somebody
 * began to write counts as left over when nobody has gone on with it for a day, else it is not among them.
 */
enum ts_code ts_stores_read(struct ts_stores *v, int dir, struct ts_err *err) TS_WARN_UNUSED;
void ts_stores_fini(struct ts_stores *v);

/* Of which file it was made, and whether that is still there. Errors: TS_E_NOMEM. */
enum ts_code ts_store_look(struct ts_store *s, int dir, struct ts_err *err) TS_WARN_UNUSED;

/* Remove it, and the note of its path with the last one of a file. */
bool ts_store_remove(int dir, const struct ts_store *s);

#endif
