/* SPDX-License-Identifier: MIT */
/*
 * rows_moved - TS_OP_MOVED: the bytes that the program of a step moves to an IPU, or from it.
 *
 * A file has them by program and not by step, as a packed number for each IPU. Programs repeat in loops, so those
 * that were asked for last are kept.
 */
#include "config.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/hash.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/profile/blob.h"
#include "tilescope/report/memory.h"

#include "rows_internal.h"

enum {
	IPUS_MOST = 1 << 10,
	KEPT = 16 << 20, /* bytes; beyond that all are let go */
	SQL_MOST = 1 << 14,
};

/* What a program moves: `in` numbers of bytes received by IPU, then those sent. */
struct moved {
	UT_hash_handle hh;
	int64_t program;
	int in, out; /* IPUs that have a number */
	int64_t bytes[];
};

struct rows_moved {
	sqlite3_stmt *stmt;
	struct moved *programs;
	size_t kept;
};

static void
let_go(struct rows_moved *m)
{
	struct moved *p, *next;

	HASH_ITER(hh, m->programs, p, next) {
		HASH_DEL(m->programs, p);
		free(p);
	}
	m->kept = 0;
}

void
rows_moved_close(struct rows_moved *m, struct ts_db *db)
{
	if (!m)
		return;
	ts_db_release(db, m->stmt);
	let_go(m);
	free(m);
}

static enum ts_code
open_moved(struct rows_moved **out, struct ts_db *db, const struct ts_object *by,
	struct ts_err *err)
{
	struct ts_strbuf sql;
	enum ts_code code;

	*out = ts_alloc(1, sizeof(**out));
	if (!*out)
		return ts_err_nomem(err);
	ts_strbuf_init(&sql, SQL_MOST);
	ts_strbuf_puts(&sql, "SELECT bytes_in, bytes_out FROM ");
	ts_sql_from(&sql, by);
	ts_strbuf_puts(&sql, " WHERE program = ?1");
	code = ts_db_prepare_sql(db, &(*out)->stmt, &sql, err);
	if (code) {
		free(*out);
		*out = NULL;
	}
	return code;
}

/* Column i of the row, numbers of at most IPUS_MOST IPUs: how many. What is damaged has none. */
static int
take_numbers(int64_t *to, sqlite3_stmt *stmt, int i)
{
	struct ts_blob blob = {.bytes = sqlite3_column_blob(stmt, i), .kind = TS_BLOB_RUNS};
	struct ts_blob_totals totals;

	blob.size = (size_t)sqlite3_column_bytes(stmt, i);
	if (sqlite3_column_type(stmt, i) != SQLITE_BLOB ||
		ts_blob_add_up(&totals, IPUS_MOST, &blob, NULL) ||
		ts_blob_decode(to, totals.count, &blob, NULL))
		return 0;
	return (int)totals.count;
}

static enum ts_code
read_moved(struct moved **out, struct rows_moved *m, struct ts_db *db, int64_t program,
	struct ts_err *err)
{
	int64_t numbers[2][IPUS_MOST];
	struct moved *p;
	int n[2] = {0, 0};
	size_t size;
	bool there;
	enum ts_code code;

	sqlite3_bind_int64(m->stmt, 1, program);
	code = ts_db_step(db, m->stmt, &there, err);
	for (int i = 0; !code && there && i < 2; i++)
		n[i] = take_numbers(numbers[i], m->stmt, i);
	sqlite3_reset(m->stmt);
	if (code)
		return code;
	size = sizeof(*p) + (size_t)(n[0] + n[1]) * sizeof(p->bytes[0]);
	if (m->kept + size > KEPT)
		let_go(m);
	p = ts_alloc(1, size);
	if (!p)
		return ts_err_nomem(err);
	p->program = program;
	p->in = n[0];
	p->out = n[1];
	if (n[0])
		memcpy(p->bytes, numbers[0], (size_t)n[0] * sizeof(p->bytes[0]));
	if (n[1])
		memcpy(p->bytes + n[0], numbers[1], (size_t)n[1] * sizeof(p->bytes[0]));
	HASH_ADD(hh, m->programs, program, sizeof(p->program), p);
	if (!p->hh.tbl) {
		free(p);
		return ts_err_nomem(err);
	}
	m->kept += size;
	*out = p;
	return TS_OK;
}

enum ts_code
rows_moved_get(int64_t *v, struct rows_moved **m, struct ts_db *db, const struct ts_object *by,
	const struct rows_moved_of *of, struct ts_err *err)
{
	struct moved *p = NULL;
	enum ts_code code = *m ? TS_OK : open_moved(m, db, by, err);

	*v = TS_UNKNOWN;
	if (code)
		return code;
	HASH_FIND(hh, (*m)->programs, &of->program, sizeof(of->program), p);
	if (!p)
		code = read_moved(&p, *m, db, of->program, err);
	if (!code && of->ipu < (of->out ? p->out : p->in))
		*v = p->bytes[(of->out ? p->in : 0) + of->ipu];
	return code;
}
