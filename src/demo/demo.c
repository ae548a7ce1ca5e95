/* SPDX-License-Identifier: MIT */
/*
 * demo - the file of a demo report: made under a temporary name, filled, renamed.
 *
 * The file is written once by one connection and is worth nothing before it is complete: no
 * journal, no syncs, one transaction, rows in the order of their row ids, so that SQLite appends
 * pages and never looks for a place. A full page cache is written out as it goes.
 */
#include "config.h"

#include "profile.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHECK_EVERY = 4096, PATH_BYTES = 4096, TEMPORARY_NAMES = 100 };

const struct ts_demo_figures ts_demo_figures[TS_DEMO_SCALE_COUNT] = {
	[TS_DEMO_SMALL] = {"small", 2, 1472, 4000, 60000, "20 MB, at once"},
	[TS_DEMO_BERT] = {"bert", 4, 1472, 1000000, 8000000, "800 MB, half a minute"},
	[TS_DEMO_HUGE] = {"huge", 4, 1472, 20000000, 96000000,
		"at least 4.7 GB, 5 minutes at most"},
};

static const char *const layouts[] = {
	[TS_DEMO_STORE] = "store",
	[TS_DEMO_SDK] = "sdk",
	[TS_DEMO_PROFILE] = "profile",
};

enum ts_code
ts_demo_parse_scale(enum ts_demo_scale *out, const char *word, struct ts_err *err)
{
	for (int i = 0; i < TS_DEMO_SCALE_COUNT; i++) {
		if (!strcmp(word, ts_demo_figures[i].name)) {
			*out = (enum ts_demo_scale)i;
			return TS_OK;
		}
	}
	return ts_err_set(err, TS_E_USAGE, "unknown scale \"%s\" (small, bert or huge)", word);
}

enum ts_code
ts_demo_parse_layout(enum ts_demo_layout *out, const char *word, struct ts_err *err)
{
	for (size_t i = 0; i < TS_COUNT(layouts); i++) {
		if (!strcmp(word, layouts[i])) {
			*out = (enum ts_demo_layout)i;
			return TS_OK;
		}
	}
	return ts_err_set(err, TS_E_USAGE, "unknown layout \"%s\" (store, sdk or profile)", word);
}

const char *
ts_demo_file(enum ts_demo_layout layout)
{
	return layout == TS_DEMO_STORE ? "report.tilescope" : "profile.pop";
}

/* ---- rows ---- */

static void
fail(struct demo_out *out, const char *what)
{
	if (out->code != TS_OK)
		return;
	int sys = sqlite3_system_errno(out->db), code = sqlite3_errcode(out->db) & 0xff;
	if (code == SQLITE_NOMEM)
		out->code = ts_err_nomem(out->err);
	else if (sys && (code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_FULL))
		out->code = ts_err_sys(out->err, sys, "%s", what);
	else
		out->code = ts_err_set(out->err, TS_E_SYS, "%s: %s", what, sqlite3_errmsg(out->db));
}

void
demo_nomem(struct demo_out *out)
{
	if (out->code == TS_OK)
		out->code = ts_err_nomem(out->err);
}

void
demo_exec(struct demo_out *out, const char *sql)
{
	if (out->code == TS_OK && sqlite3_exec(out->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail(out, "cannot write");
}

/* The statement that inserts `rows` rows at once. */
static void
statement(struct demo_out *out, int rows)
{
	struct ts_strbuf sql;
	sqlite3_finalize(out->stmt);
	out->stmt = NULL;
	out->batch = rows;
	out->at = 0;
	if (out->code != TS_OK)
		return;
	ts_strbuf_init(&sql, 4096);
	ts_strbuf_printf(&sql, "INSERT INTO main.\"%s\" VALUES ", out->table);
	for (int i = 0; i < rows; i++) {
		for (int c = 0; c < out->columns; c++)
			ts_strbuf_puts(&sql, c ? ",?" : i ? ",(?" : "(?");
		ts_strbuf_putc(&sql, ')');
	}
	unsigned flags = SQLITE_PREPARE_PERSISTENT;
	if (sql.cut)
		demo_nomem(out);
	if (out->code == TS_OK &&
		sqlite3_prepare_v3(out->db, sql.s, -1, flags, &out->stmt, NULL) != SQLITE_OK)
		fail(out, out->table);
	ts_strbuf_fini(&sql);
}

void
demo_begin(struct demo_out *out, const char *table, int columns)
{
	demo_begin_many(out, table, columns, 0);
}

void
demo_begin_many(struct demo_out *out, const char *table, int columns, int64_t rows)
{
	out->table = table;
	out->columns = columns;
	out->coming = rows / DEMO_BATCH * DEMO_BATCH;
	statement(out, out->coming ? DEMO_BATCH : 1);
}

bool
demo_row(struct demo_out *out)
{
	if (out->code != TS_OK)
		return false;
	out->rows++;
	if (++out->at < out->batch)
		return true;
	out->at = 0;
	if (sqlite3_step(out->stmt) != SQLITE_DONE)
		fail(out, "cannot write");
	sqlite3_reset(out->stmt);
	if (out->batch > 1 && !(out->coming -= DEMO_BATCH))
		statement(out, 1);
	if (out->rows / CHECK_EVERY == out->checked)
		return out->code == TS_OK;
	out->checked = out->rows / CHECK_EVERY;
	ts_progress_set(out->progress, out->rows, ts_max_i64(out->total, out->rows));
	if (out->code == TS_OK && ts_cancelled(out->cancel))
		out->code = ts_err_set(out->err, TS_E_CANCELLED, "cancelled");
	return out->code == TS_OK;
}

void
demo_end(struct demo_out *out)
{
	assert(out->code != TS_OK ||
		(!out->at && !out->coming)); /* the rows were as many as said */
	sqlite3_finalize(out->stmt);
	out->stmt = NULL;
}

void
demo_text(struct demo_out *out, int column, const char *s)
{
	sqlite3_bind_text(out->stmt, demo_index(out, column), s, -1, SQLITE_STATIC);
}

void
demo_bytes(struct demo_out *out, int column, const char *s, size_t n)
{
	sqlite3_bind_text(out->stmt, demo_index(out, column), s, (int)n, SQLITE_STATIC);
}

void
demo_blob(struct demo_out *out, int column, const void *p, size_t n)
{
	if (n)
		sqlite3_bind_blob64(out->stmt, demo_index(out, column), p, n, SQLITE_STATIC);
	else
		sqlite3_bind_zeroblob(out->stmt, demo_index(out, column), 0);
}

/* ---- the file ---- */

/* An empty file of our own beside the one to be written; its name into out[]. */
static enum ts_code
temporary(char out[PATH_BYTES], const char *dir, const char *file, struct ts_err *err)
{
	for (int i = 0; i < TEMPORARY_NAMES; i++) {
		int n = snprintf(out, PATH_BYTES, "%s/.%s.%ld-%d", dir, file, (long)getpid(), i);
		if (n < 0 || n >= PATH_BYTES)
			return ts_err_set(err, TS_E_USAGE, "%.200s...: path too long", dir);
		int fd = open(out, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
		if (fd >= 0) {
			close(fd);
			return TS_OK;
		}
		if (errno != EEXIST)
			return ts_err_sys(err, errno, "%s: cannot create a file", dir);
	}
	return ts_err_set(err, TS_E_SYS, "%s: too many temporary files (remove .%s.*)", dir, file);
}

static const char setup[] = "PRAGMA page_size=4096;"
			    "PRAGMA journal_mode=OFF;"
			    "PRAGMA synchronous=OFF;"
			    "PRAGMA locking_mode=EXCLUSIVE;"
			    "PRAGMA cache_size=-32768;"
			    "PRAGMA temp_store=FILE;"
			    "BEGIN";

/* ---- the models behind the layouts ---- */

/* What writes a report: its model, made of the options, the tables, and what lies beside the profile. */
struct source {
	enum ts_code (*init)(void *model, const struct ts_demo_options *o,
		const struct ts_cancel *cancel, struct ts_err *err);
	void (*fini)(void *model);
	int64_t (*rows)(const void *model); /* about so many */
	void (*write)(struct demo_out *out, void *model);
	enum ts_code (*archive)(const char *path, const void *model, const struct ts_cancel *cancel,
		struct ts_err *err);
	enum ts_code (*debug)(const char *path, const void *model, const struct ts_cancel *cancel,
		struct ts_err *err);
};

static enum ts_code
old_init(void *model, const struct ts_demo_options *o, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct demo_model *m = model;
	enum ts_code code = demo_model_init(m, o, err);

	if (code == TS_OK)
		code = demo_memory_init(m, cancel, err);
	return code == TS_OK ? demo_trace_init(m, err) : code;
}

static void
old_fini(void *model)
{
	demo_model_fini(model);
}

static int64_t
old_rows(const void *model)
{
	const struct demo_model *m = model;

	return m->variables + m->steps * (m->ipus + 1) + m->nvariables + m->all_tiles * 20;
}

static void
old_write(struct demo_out *out, void *model)
{
	struct demo_model *m = model;

	if (m->o.layout == TS_DEMO_SDK)
		demo_sdk(out, m);
	else
		demo_store(out, m);
}

static enum ts_code
old_archive(const char *path, const void *model, const struct ts_cancel *cancel, struct ts_err *err)
{
	return demo_archive(path, model, cancel, err);
}

static enum ts_code
old_debug(const char *path, const void *model, const struct ts_cancel *cancel, struct ts_err *err)
{
	return demo_debug(path, model, cancel, err);
}

static enum ts_code
profile_init(void *model, const struct ts_demo_options *o, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct pf_model *m = model;
	enum ts_code code = pf_model_init(m, o, err);

	if (code == TS_OK)
		code = pf_tiles_init(m, cancel, err);
	return code == TS_OK ? pf_plan(m, err) : code;
}

static void
profile_fini(void *model)
{
	pf_model_fini(model);
}

static int64_t
profile_rows(const void *model)
{
	const struct pf_model *m = model;

	return m->rows * 5 / 2 + m->steps_wanted * 5 / 2;
}

static const struct source old_source = {old_init, old_fini, old_rows, old_write, old_archive,
	old_debug};
static const struct source profile_source = {profile_init, profile_fini, profile_rows, pf_write,
	pf_archive, pf_debug};

/* ---- files ---- */

static enum ts_code
fill(const char *path, struct demo_out *out, const struct source *s, void *model)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
	if (sqlite3_open_v2(path, &out->db, flags, NULL) != SQLITE_OK)
		fail(out, "cannot write");
	demo_exec(out, setup);
	if (out->code == TS_OK)
		s->write(out, model);
	demo_exec(out, "COMMIT");
	if (sqlite3_close(out->db) != SQLITE_OK)
		fail(out, "cannot write");
	ts_progress_set(out->progress, out->rows, out->rows);
	return out->code;
}

/* Its place in the directory: the caller's. */
static char *
final_path(const char *dir, const char *file)
{
	struct ts_strbuf b;

	ts_strbuf_init(&b, PATH_BYTES);
	ts_strbuf_printf(&b, "%s/%s", dir, file);
	if (b.cut) {
		ts_strbuf_fini(&b);
		return NULL;
	}
	return ts_strbuf_take(&b);
}

/* Rename what was written, or remove it. */
static enum ts_code
finish(enum ts_code code, const char *tmp, const char *path, struct ts_err *err)
{
	if (code == TS_OK && rename(tmp, path))
		code = ts_err_sys(err, errno, "%s: cannot rename to it", path);
	if (code != TS_OK)
		unlink(tmp);
	return code;
}

static enum ts_code
write_file(char **path, const char *dir, enum ts_demo_layout layout, struct demo_out *out,
	const struct source *s, void *model)
{
	char tmp[PATH_BYTES];
	const char *file = ts_demo_file(layout);
	enum ts_code code = temporary(tmp, dir, file, out->err);
	if (code != TS_OK)
		return code;
	*path = final_path(dir, file);
	if (!*path)
		code = ts_err_nomem(out->err);
	if (code == TS_OK) {
		code = fill(tmp, out, s, model);
		if (code != TS_OK)
			ts_err_prefix(out->err, "%s: ", *path);
	}
	code = finish(code, tmp, *path, out->err);
	if (code != TS_OK) {
		free(*path);
		*path = NULL;
	}
	return code;
}

enum { ARCHIVE_TILES = 100000, SIDE_FILES = 2 }; /* with more tiles there is no archive */

/* What lies beside the profile: before it, so that who finds that finds all. *made: to be removed when the profile fails. */
static enum ts_code
write_side_file(char **made, bool debug, const char *dir, const struct demo_out *out,
	const struct source *s, const void *model)
{
	const char *name = debug ? "debug.cbor" : "archive.a";
	char tmp[PATH_BYTES];
	enum ts_code code = temporary(tmp, dir, name, out->err);
	if (code != TS_OK)
		return code;
	*made = final_path(dir, name);
	if (!*made)
		code = ts_err_nomem(out->err);
	if (code == TS_OK) {
		code = (debug ? s->debug : s->archive)(tmp, model, out->cancel, out->err);
		if (code != TS_OK)
			ts_err_prefix(out->err, "%s: ", *made);
	}
	code = finish(code, tmp, *made, out->err);
	if (code != TS_OK) {
		free(*made);
		*made = NULL;
	}
	return code;
}

/* Tiles of the report, or 0 when the options are wrong. */
static int64_t
tiles_of(const struct ts_demo_options *o)
{
	const struct ts_demo_figures *f = &ts_demo_figures[o->scale];

	return (int64_t)(o->ipus ? o->ipus : f->ipus) * (o->tiles ? o->tiles : f->tiles);
}

enum ts_code
ts_demo_write(char **path, const char *dir, const struct ts_demo_options *options,
	struct ts_progress *progress, const struct ts_cancel *cancel, struct ts_err *err)
{
	union {
		struct demo_model old;
		struct pf_model profile;
	} model;
	const struct source *s = options->layout == TS_DEMO_PROFILE ? &profile_source : &old_source;
	struct demo_out out = {.progress = progress, .cancel = cancel, .err = err};
	*path = NULL;
	enum ts_code code = s->init(&model, options, cancel, err);
	bool made = false;
	char *side[SIDE_FILES] = {NULL};
	if (code == TS_OK) {
		out.total = s->rows(&model);
		made = !mkdir(dir, 0777);
		if (!made && errno != EEXIST)
			code = ts_err_sys(err, errno, "%s: cannot make the directory", dir);
	}
	if (code == TS_OK && options->archive && tiles_of(options) <= ARCHIVE_TILES)
		code = write_side_file(&side[0], false, dir, &out, s, &model);
	if (code == TS_OK && options->debug)
		code = write_side_file(&side[1], true, dir, &out, s, &model);
	if (code == TS_OK)
		code = write_file(path, dir, options->layout, &out, s, &model);
	for (int i = 0; i < SIDE_FILES; i++) {
		if (code != TS_OK && side[i])
			unlink(side[i]);
		free(side[i]);
	}
	if (code != TS_OK && made)
		rmdir(dir);
	s->fini(&model);
	return code;
}
