/* SPDX-License-Identifier: MIT */
/*
 * check_sqlite - a database: its header, its schema, the rows of every table; deep, every value of
 * them and SQLite's own check of the structure.
 *
 * Rows are counted from the pages where the table is plain (table.h), else by SQLite, and by SQLite from
 * the first page on that is not sound. Views hold nothing and are only named. What SQLite says of the
 * structure names trees by their first page: here they get the name of the table or index. The source is
 * wrapped, so that progress is that of the bytes, whoever reads them.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/db/damage.h"
#include "tilescope/report/rows.h"
#include "tilescope/db/table.h"

#include "check_internal.h"

enum { SQL_MAX = 1 << 16, FINDINGS = 40, FINDING = 300, BLOCK = 256, GOES_ON = 4096 };

/* --- a source that tells how far it was read ---------------------------------------------------- */

struct counted {
	struct ts_source base;
	struct ts_source *under;
	struct ts_progress *progress;
	int64_t done;
};

static enum ts_code
counted_read(struct ts_source *s, void *buf, size_t n, int64_t offset, size_t *got,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct counted *c = (struct counted *)s;
	enum ts_code code = ts_source_read(c->under, buf, n, offset, got, cancel, err);

	c->done += (int64_t)*got;
	ts_progress_set(c->progress, ts_min_i64(c->done, s->size), s->size);
	return code;
}

static void
counted_close(struct ts_source *s)
{
	ts_source_close(((struct counted *)s)->under);
}

static const struct ts_source_ops counted_ops = {.read_at = counted_read, .close = counted_close};

static void
counted_init(struct counted *c, struct ts_source *under, struct ts_progress *progress)
{
	*c = (struct counted){.base = *under, .under = under, .progress = progress};
	c->base.ops = &counted_ops;
}

/* --- rows --------------------------------------------------------------------------------------- */

struct scan {
	struct ts_db *db;
	const struct ts_object *o;
	int64_t rows, last; /* row id of the last row, where they have one */
	int64_t before;	    /* rows when damage was met the last time */
	struct ts_gaps gaps;
};

static enum ts_code
begin(sqlite3_stmt **stmt, const struct scan *s, const char *what, const char *where,
	struct ts_err *err)
{
	struct ts_strbuf sql;

	ts_strbuf_init(&sql, SQL_MAX);
	ts_strbuf_printf(&sql, "SELECT %s FROM main.", what);
	ts_sql_quote(&sql, s->o->name);
	ts_strbuf_printf(&sql, " NOT INDEXED%s", where);
	return ts_db_prepare_sql(s->db, stmt, &sql, err);
}

/* What is left of the rows, through SQLite; `values`: with all that they hold. */
static enum ts_code
step_rows(struct scan *s, sqlite3_stmt *stmt, bool values, struct ts_err *err)
{
	struct ts_sql_value v;
	enum ts_code code;
	bool row;

	while (!(code = ts_db_step(s->db, stmt, &row, err)) && row) {
		s->rows++;
		if (s->o->rowid)
			s->last = sqlite3_column_int64(stmt, 0);
		for (int i = 1; values && i < sqlite3_column_count(stmt); i++)
			ts_sql_value_of(&v, stmt, i);
	}
	return code;
}

/* The rows with all that they hold, from row id `from` on. */
static enum ts_code
read_from(struct scan *s, int64_t from, struct ts_err *err)
{
	char what[64], where[64] = "";
	sqlite3_stmt *stmt;
	enum ts_code code;

	snprintf(what, sizeof(what), "%s, *", s->o->rowid ? s->o->rowid : "NULL");
	if (from > INT64_MIN)
		snprintf(where, sizeof(where), " WHERE %s >= ?1", s->o->rowid);
	code = begin(&stmt, s, what, where, err);
	if (code)
		return code;
	if (from > INT64_MIN)
		sqlite3_bind_int64(stmt, 1, from);
	code = step_rows(s, stmt, true, err);
	ts_db_release(s->db, stmt);
	return code;
}

/* Behind damage it goes on at the next row that can be reached. */
static enum ts_code
read_values(struct scan *s, struct ts_err *err)
{
	int64_t from = INT64_MIN;
	enum ts_code code = read_from(s, from, err), end;

	for (int i = 0; code == TS_E_DAMAGED && i < GOES_ON; i++) {
		enum ts_path path;
		struct ts_gap gap;

		if (s->rows > s->before)
			from = s->last < INT64_MAX ? s->last + 1 : s->last;
		s->before = s->rows;
		end = ts_path_find(&path, &gap, s->db, s->o, from, err);
		if (end)
			return end;
		if (path != TS_PATH_GAP && path != TS_PATH_ROW)
			break;
		if (path == TS_PATH_ROW) /* the page is sound: it is the row itself */
			gap.page = 0;
		ts_gaps_add(&s->gaps, &gap);
		if (gap.to == INT64_MAX)
			break;
		from = gap.to + 1;
		code = read_from(s, from, err);
	}
	return code == TS_OK && s->gaps.count ? TS_E_DAMAGED : code;
}

/* From `rowid` on, without that row itself where it was counted. */
static enum ts_code
count_rest(struct scan *s, bool from, int64_t rowid, bool skip, struct ts_err *err)
{
	char where[64] = "";
	sqlite3_stmt *stmt;
	enum ts_code code;

	if (from)
		snprintf(where, sizeof(where), " WHERE %s %s ?1", s->o->rowid, skip ? ">" : ">=");
	code = begin(&stmt, s, s->o->rowid ? s->o->rowid : "NULL", where, err);
	if (code)
		return code;
	if (from)
		sqlite3_bind_int64(stmt, 1, rowid);
	code = step_rows(s, stmt, false, err);
	ts_db_release(s->db, stmt);
	return code;
}

/* The rows of the sound pages, up to the first one that is not: *more. */
static enum ts_code
count_pages(struct scan *s, struct ts_table *t, bool *more, struct ts_err *err)
{
	int64_t *const nothing[1] = {NULL};
	enum ts_table_at at = TS_TABLE_ROW;
	enum ts_code code = TS_OK;

	while (!code && at == TS_TABLE_ROW) {
		struct ts_table_rows rows;

		code = ts_table_peek(&rows, t, nothing, BLOCK, err);
		if (!code && rows.n > 0) {
			s->rows += rows.n;
			s->last = rows.rowid[rows.n - 1];
			ts_table_take(t, rows.n);
			continue;
		}
		if (!code)
			code = ts_table_next(&at, t, err);
		if (!code && at == TS_TABLE_ROW) {
			s->rows++;
			s->last = t->rowid;
		}
	}
	*more = !code && at == TS_TABLE_UNKNOWN;
	return code;
}

static enum ts_code
count_rows(struct scan *s, struct ts_err *err)
{
	const int rowid_only = -1;
	struct ts_table *t;
	int64_t rowid = 0;
	bool more = true, from = false, skip = false;
	enum ts_code code = ts_table_open(&t, s->db, s->o, &rowid_only, 1, err);

	if (code)
		return code;
	if (t) {
		code = count_pages(s, t, &more, err);
		from = more && ts_table_resume(t, &rowid, &skip);
		ts_table_close(t);
	}
	return code || !more ? code : count_rest(s, from, rowid, skip, err);
}

/* Where the tree of a table is damaged, and how many rows it has in its sound pages. */
static enum ts_code
find_gaps(struct scan *s, struct ts_err *err)
{
	struct ts_table_state state;
	enum ts_code code = ts_table_walk(&state, s->db, s->o, NULL, err);

	if (code || !state.known)
		return code;
	s->rows = state.rows;
	s->gaps = state.gaps;
	return TS_OK;
}

static const char *
relation_of(const struct ts_report *r, const struct ts_check_part *p, const struct ts_object *o)
{
	for (int k = 0; r && k < TS_RELATION_COUNT; k++) {
		const struct ts_binding *b = &r->binding[k];
		const char *path = b->bound ? ts_report_source_path(r, b->source) : NULL;

		if (path && strcmp(path, p->path) == 0 &&
			(b->made ? ts_binding_uses(b, o)
				 : strcmp(b->object->name, o->name) == 0 ||
						strcmp(b->reach.rows->name, o->name) == 0))
			return ts_relation_def((enum ts_relation)k)->name;
	}
	return NULL;
}

/* What is wrong with the rows of a table: where, and how many can be read. */
static enum ts_code
note_rows(struct ts_check_part *p, struct ts_check_item *item, const struct scan *s,
	const struct ts_err *why, struct ts_err *err)
{
	struct ts_strbuf text;

	ts_strbuf_init(&text, TS_NOTE_MAX);
	if (s->gaps.count > 0)
		ts_gaps_describe(&text, &s->gaps, s->o->name);
	else
		ts_strbuf_printf(&text, "table %.*s: %s", CHECK_NAME, s->o->name, why->msg);
	if (s->gaps.count == 0 && s->rows > 0 && s->o->rowid)
		ts_strbuf_printf(&text, ", behind row id %lld", (long long)s->last);
	ts_strbuf_printf(&text, " (%lld rows can be read)", (long long)s->rows);
	item->damage = ts_strbuf_take(&text);
	check_damage(p, "%s", item->damage ? item->damage : why->msg);
	return item->damage ? TS_OK : ts_err_nomem(err);
}

static enum ts_code
check_table(struct ts_check_part *p, const struct check_run *run, struct ts_db *db,
	const struct ts_object *o, struct ts_err *err)
{
	struct ts_check_item *item = check_item(p, "table", o->name, 0);
	struct scan s = {.db = db, .o = o};
	struct ts_err why = {0};
	enum ts_code code;

	if (!item)
		return ts_err_nomem(err);
	item->relation = relation_of(run->report, p, o);
	code = run->options->deep ? read_values(&s, &why) : count_rows(&s, &why);
	if (code == TS_E_DAMAGED && s.gaps.count == 0) {
		struct ts_err other = {0};

		if (find_gaps(&s, &other) == TS_E_CANCELLED)
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
	}
	item->count = s.rows;
	if (ts_ends_all(code)) {
		if (err)
			*err = why;
		return code;
	}
	return code ? note_rows(p, item, &s, &why, err) : TS_OK;
}

static enum ts_code
check_objects(struct ts_check_part *p, const struct check_run *run, struct ts_db *db,
	const struct ts_schema *schema, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (int i = 0; !code && i < schema->count; i++) {
		const struct ts_object *o = &schema->object[i];
		struct ts_check_item *item;

		if (o->kind == TS_OBJECT_TABLE && !o->problem) {
			code = check_table(p, run, db, o, err);
			continue;
		}
		item = check_item(p, o->kind == TS_OBJECT_TABLE ? "table" : "view", o->name,
			TS_UNKNOWN);
		if (!item)
			return ts_err_nomem(err);
		item->relation = relation_of(run->report, p, o);
		if (o->problem && o->kind == TS_OBJECT_TABLE)
			check_damage(p, "table %.*s: %s", CHECK_NAME, o->name, o->problem);
		else if (o->problem)
			ts_notes_add(&p->notes, "view %.*s: %s", CHECK_NAME, o->name, o->problem);
	}
	if (schema->cut)
		ts_notes_add(&p->notes,
			"there are more than %d tables and views: the others were "
			"not looked at",
			TS_SCHEMA_OBJECTS);
	return code;
}

/* --- SQLite's own check -------------------------------------------------------------------------- */

/* The table or index whose tree begins at that page, into `name`; "" when there is none. */
static enum ts_code
tree_name(char name[CHECK_NAME + 16], struct ts_db *db, long root, struct ts_err *err)
{
	sqlite3_stmt *stmt;
	bool row;
	enum ts_code code = ts_db_prepare(db, &stmt,
		"SELECT type, name FROM main.sqlite_schema WHERE rootpage = ?1", err);

	name[0] = '\0';
	if (code)
		return code;
	sqlite3_bind_int64(stmt, 1, root);
	code = ts_db_step(db, stmt, &row, err);
	if (!code && row) {
		const char *type = (const char *)sqlite3_column_text(stmt, 0);
		const char *object = (const char *)sqlite3_column_text(stmt, 1);

		snprintf(name, CHECK_NAME + 16, "%.9s %.*s", type ? type : "tree", CHECK_NAME,
			object ? object : "");
	}
	ts_db_release(db, stmt);
	return code;
}

/*
 * "Tree 5 page 7 cell 3: ..." becomes "table steps: page 7 cell 3: ...". A page that is not sound is named alone;
 * the first page of a tree has a name all the same.
 */
static void
add_finding(struct ts_check_part *p, struct ts_db *db, const char *line, size_t n)
{
	char name[CHECK_NAME + 16] = "", text[FINDING], *end = NULL;
	bool tree, page;

	snprintf(text, sizeof(text), "%.*s", (int)ts_min_i64((int64_t)n, FINDING - 1), line);
	tree = strncmp(text, "Tree ", 5) == 0;
	page = strncmp(text, "Page ", 5) == 0;
	if ((tree || page) && tree_name(name, db, strtol(text + 5, &end, 10), NULL))
		name[0] = '\0';
	if (!name[0])
		check_damage(p, "%s", text);
	else if (tree && *end == ' ')
		check_damage(p, "%s: %s", name, end + 1);
	else
		check_damage(p, "%s: p%s", name, text + 1);
}

/* A row of the answer may have several lines. */
static void
add_findings(struct ts_check_part *p, struct ts_db *db, const char *text, size_t n)
{
	static const char head[] = "*** in database";

	while (n > 0) {
		const char *end = memchr(text, '\n', n);
		size_t len = end ? (size_t)(end - text) : n;
		bool fine = len == 2 && memcmp(text, "ok", 2) == 0;

		if (len > 0 && !fine &&
			(len < sizeof(head) - 1 || memcmp(text, head, sizeof(head) - 1) != 0))
			add_finding(p, db, text, len);
		len += end != NULL;
		text += len;
		n -= len;
	}
}

static enum ts_code
check_structure(struct ts_check_part *p, struct ts_db *db, struct ts_err *err)
{
	char sql[64];
	struct ts_err why = {0};
	sqlite3_stmt *stmt;
	enum ts_code code;
	bool row;

	snprintf(sql, sizeof(sql), "PRAGMA main.integrity_check(%d)", FINDINGS);
	ts_db_bound(db, 0); /* it may take as long as it takes: it can be cancelled */
	code = ts_db_prepare(db, &stmt, sql, &why);
	if (!code) {
		while (!(code = ts_db_step(db, stmt, &row, &why)) && row) {
			struct ts_sql_value v;

			ts_sql_value_of(&v, stmt, 0);
			add_findings(p, db, v.bytes, v.n);
		}
		ts_db_release(db, stmt);
	}
	return check_failed(p, "SQLite's integrity check", code, &why, err);
}

/* --- the file ------------------------------------------------------------------------------------ */

static void
note_header(struct ts_check_part *p, struct check_run *run, const struct ts_sqlite_header *h)
{
	if (h->truncated)
		check_damage(p, "truncated: its header says %lld pages, the file has %lld",
			(long long)h->pages_said, (long long)(h->bytes / h->page_size));
	if (!ts_is_being_written(run->options->files, p->path))
		return;
	run->check->notes.partial = true;
	ts_notes_add(&p->notes,
		"it is being written (a non-empty -wal or -journal lies beside it): "
		"only what the file itself holds was read");
}

static enum ts_code
check_opened(struct ts_check_part *p, struct check_run *run, struct ts_source *source,
	struct ts_err *err)
{
	struct ts_sqlite_header h;
	struct ts_schema *schema = NULL;
	struct ts_err why = {0};
	struct ts_db *db = NULL;
	enum ts_code code = ts_sqlite_header_read(&h, source, &why);

	if (!code) {
		p->kind = "SQLite database";
		note_header(p, run, &h);
		code = ts_db_open(&db, source, &why);
	}
	if (!code) {
		ts_db_set_cancel(db, run->options->cancel);
		code = ts_schema_read(&schema, db, &why);
	}
	code = code ? check_failed(p, NULL, code, &why, err)
		    : check_objects(p, run, db, schema, err);
	if (!code && schema && run->options->deep)
		code = check_structure(p, db, err);
	ts_schema_free(schema);
	ts_db_close(db);
	return code;
}

enum ts_code
check_sqlite(struct ts_check_part *p, struct check_run *run, struct ts_err *err)
{
	struct ts_source *file;
	struct counted counted;
	struct ts_err why = {0};
	enum ts_code code = ts_files_open(run->options->files, &file, p->path, run->options->cancel,
		&why);

	if (code)
		return check_failed(p, NULL, code, &why, err);
	counted_init(&counted, file, run->options->progress);
	code = check_opened(p, run, &counted.base, err);
	ts_source_close(&counted.base);
	return code;
}
