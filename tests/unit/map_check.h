/* SPDX-License-Identifier: MIT */
/*
 * map_check - what has to hold for any bytes that are read as a schema map, for the fuzzer (tests/fuzz/fuzz_map.c)
 * and for the replay of its corpus (test_binding): the map keeps its bounds, all that is wrong is told with its
 * line, and whatever it says, each relation is bound or absent for a reason, and rows of what is bound can be read.
 */
#ifndef TS_TESTS_UNIT_MAP_CHECK_H
#define TS_TESTS_UNIT_MAP_CHECK_H

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/rows.h"

enum { MAP_CHECK_ROWS = 40, MAP_CHECK_BYTES = 1 << 15 };

struct map_check {
	unsigned char *bytes;
	struct ts_source *source;
	struct ts_db *db;
	struct ts_schema *schema;
	int lines, told;
	char why[TS_ERR_MSG + 200];
};

/* Names as in our own maps, and objects of every kind. */
static const char *const map_check_file =
	"CREATE TABLE steps(id INTEGER PRIMARY KEY, type TEXT, program INT, compute_set INT);"
	"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<99)"
	" INSERT INTO steps SELECT i, CASE i%3 WHEN 0 THEN 'Sync' ELSE 'DoExchange' END, i%7, i%5 FROM n;"
	"CREATE TABLE steps_by_ipu(step_id INT, ipu INT, cycles INT, cycles_base INT,"
	" active_cycles_from_min INT, active_cycles_to_max INT, active_tiles INT);"
	"INSERT INTO steps_by_ipu SELECT id/2, id%2, id, id*10, 1, 5, 1472 FROM steps;"
	"CREATE TABLE programs(id INT, name TEXT); CREATE INDEX pi ON programs(id);"
	"INSERT INTO programs SELECT id, 'p' || id FROM steps;"
	"CREATE TABLE vars_info(tile INT, size_bytes INT, category INT, name INT);"
	"INSERT INTO vars_info SELECT id/4, id*8, id%3, id%9 FROM steps;"
	"CREATE TABLE vars_string_table(k INT, s TEXT);"
	"INSERT INTO vars_string_table SELECT id, 'v' || id FROM steps WHERE id<9;"
	"CREATE TABLE var_categories(id INT, name TEXT);"
	"INSERT INTO var_categories VALUES (0,'a'),(1,'b'),(2,NULL);"
	"CREATE TABLE memory_by_tile(total REAL); INSERT INTO memory_by_tile SELECT id FROM steps;"
	"CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO w SELECT id, type FROM steps;"
	"CREATE TABLE odd(\"a \"\"b\" TEXT, \"select\" INT, c BLOB);"
	"INSERT INTO odd SELECT 'x', id, x'00' FROM steps;"
	"CREATE VIEW v AS SELECT id, type FROM steps;"
	"CREATE VIEW g AS SELECT type, count(*) AS n FROM steps GROUP BY type;";

static inline bool
map_check_open(struct map_check *c)
{
	struct ts_err err = {0};
	sqlite3_int64 n = 0;
	sqlite3 *db;

	memset(c, 0, sizeof(*c));
	if (sqlite3_open(":memory:", &db) != SQLITE_OK)
		return false;
	if (sqlite3_exec(db, map_check_file, NULL, NULL, NULL) == SQLITE_OK)
		c->bytes = sqlite3_serialize(db, "main", &n, 0);
	sqlite3_close(db);
	return c->bytes && !ts_source_open_mem(&c->source, c->bytes, (size_t)n, &err) &&
		!ts_db_open(&c->db, c->source, &err) && !ts_schema_read(&c->schema, c->db, &err);
}

static inline void
map_check_close(struct map_check *c)
{
	ts_schema_free(c->schema);
	ts_db_close(c->db);
	ts_source_close(c->source);
	sqlite3_free(c->bytes);
}

static inline bool
map_check_no(struct map_check *c, const char *what, const char *more)
{
	snprintf(c->why, sizeof(c->why), "%.200s: %.300s", what, more);
	return false;
}

static inline void
map_check_problem(void *ctx, const char *file, int line, const char *reason)
{
	struct map_check *c = ctx;

	(void)file;
	c->told++;
	if (line < 1 || line > c->lines || !*reason)
		map_check_no(c, "a problem in a line that is not there", reason);
}

/* As many names as its operation takes. */
static inline bool
map_check_candidate(const struct ts_candidate *k)
{
	int names = !!k->a + !!k->b + !!k->c + !!k->d;

	switch (k->op) {
	case TS_OP_DICT:
		return names == 4;
	case TS_OP_SUM:
	case TS_OP_DIFFERENCE:
		return names == 2 && k->a && k->b;
	case TS_OP_POSITION:
		return names == 0;
	default:
		return k->op != TS_OP_NONE && names == 1 && k->a;
	}
}

static inline bool
map_check_bounds(struct map_check *c, const struct ts_map *m)
{
	if (!m->name || !m->title || m->recognise_count > TS_MAP_CANDIDATES ||
		!m->identity_object != !m->identity_key)
		return map_check_no(c, "a map", "its head");
	for (int r = 0; r < TS_RELATION_COUNT; r++) {
		const struct ts_map_relation *rel = &m->relation[r];

		if (rel->object_count < 0 || rel->object_count > TS_MAP_OBJECTS)
			return map_check_no(c, "a relation", "its objects");
		for (int k = 0; k < TS_RELATION_COLUMNS; k++) {
			if (rel->candidate_count[k] < 0 ||
				rel->candidate_count[k] > TS_MAP_CANDIDATES)
				return map_check_no(c, "a column", "its candidates");
			for (int i = 0; i < rel->candidate_count[k]; i++)
				if (!map_check_candidate(&rel->candidate[k][i]))
					return map_check_no(c, "a candidate", "its names");
		}
	}
	return true;
}

/* The first rows, with all columns that are there. */
static inline bool
map_check_rows(struct map_check *c, const struct ts_binding *b)
{
	struct ts_rows_query q = {.binding = b};
	struct ts_err err = {0};
	struct ts_rows *rows;
	enum ts_code code;
	bool there = true;

	for (int i = 0; i < TS_RELATION_COLUMNS && q.column_count < TS_ROWS_COLUMNS; i++)
		if (ts_binding_has(b, i))
			q.columns[q.column_count++] = i;
	code = ts_rows_open(&rows, c->db, &q, &err);
	for (int n = 0; !code && there && n < MAP_CHECK_ROWS; n++) {
		code = ts_rows_next(rows, &there, &err);
		for (int i = 0; !code && there && i < q.column_count; i++) {
			const char *text;
			int64_t v;
			size_t len;

			if (ts_rows_number(rows, i, &v) == TS_VALUE_OK &&
				(v < 0 || v > TS_NUMBER_MAX))
				return map_check_no(c, "a number", "out of range");
			ts_rows_text(rows, i, &text, &len);
		}
	}
	if (code)
		return map_check_no(c, "rows of a sound file", err.msg);
	ts_rows_close(rows);
	return true;
}

/* False: c->why. */
static inline bool
map_check(struct map_check *c, const void *bytes, size_t n)
{
	static char text[MAP_CHECK_BYTES + 1];
	struct ts_err err = {0};
	struct ts_map *m;
	bool yes, fine;

	n = n < MAP_CHECK_BYTES ? n : MAP_CHECK_BYTES;
	memcpy(text, bytes, n);
	text[n] = '\0';
	c->why[0] = '\0';
	c->told = 0;
	c->lines = 1;
	for (const char *p = text; *p; p++)
		c->lines += *p == '\n';
	if (ts_map_parse(&m, "any.schema", text, map_check_problem, c, &err))
		return map_check_no(c, "parsing", err.msg);
	if (!m)
		return c->told > 0 || map_check_no(c, "no map", "and no reason");
	fine = map_check_bounds(c, m) && !c->why[0];
	if (fine && ts_map_recognises(&yes, m, c->schema, c->db, &err))
		fine = map_check_no(c, "recognising", err.msg);
	for (int r = 0; fine && r < TS_RELATION_COUNT; r++) {
		struct ts_binding b;

		if (ts_binding_make(&b, (enum ts_relation)r, m, c->schema, c->db, &err))
			fine = map_check_no(c, "binding", err.msg);
		else if (!b.bound && !b.reason[0])
			fine = map_check_no(c, "a relation is absent", "without a reason");
		else if (b.bound)
			fine = map_check_rows(c, &b);
	}
	ts_map_free(m);
	return fine;
}

#endif
