/* SPDX-License-Identifier: MIT */
/*
 * tile_live_report - random small reports of what is alive on tiles, and what they mean: worked out row by row.
 *
 * Rows of tiles stand in any order; numbers are missing, negative and huge; classes have no intervals, or ones that
 * are reversed, empty, overlapping, or behind the last step.
 */
#ifndef TS_TESTS_UNIT_TILE_LIVE_REPORT_H
#define TS_TESTS_UNIT_TILE_LIVE_REPORT_H

#include <check.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_build.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_live.h"

#include "index_dir.h"

enum { TILES = 14, STEPS = 40, CLASSES = 12, NONE = -1, FAR = 90, ROWS = 300, NAMES = 9 };

/* A tile number that is far from the others. */
#define FAR_TILE (INT64_C(1) << 40)

struct fixture {
	struct index_dir d;
	char path[INDEX_PATH]; /* of the relations; profile.pop stands beside it */
	sqlite3 *db;
	struct ts_report *report;
	struct ts_reader *plain, *indexed;
	struct ts_index *index;
};

/* A lowered variable that can be used. */
struct row {
	int tile, class; /* NONE: no class that is known */
	bool always;
	int64_t bytes, id;
	int variable; /* number of what it was lowered from, or NONE */
	int name;     /* of `names`, or NONE */
};

static const char *const names[NAMES] = {"fwd/conv1/out", "fwd/conv2/out", "bwd/conv1/weights",
	"loss", "Adam/moment1", "weights", "", "stack", "a.b"};

/* What a report means, worked out row by row. */
struct truth {
	int64_t steps; /* recorded; or NONE */
	bool in[CLASSES][FAR];
	bool known[CLASSES]; /* has an interval that counts */
	int64_t alive[TILES + 1][FAR];
	int64_t always[TILES + 1], unplaced[TILES + 1], base[TILES + 1];
	bool there[TILES + 1];
	bool recorded; /* tile_memory has rows */
	struct row row[ROWS];
	int count;
	int ipu[TILES + 1]; /* or NONE */
	bool lowered_from;  /* `variable` is recorded */
	int64_t rows, bad_rows, unplaced_rows, bad_intervals, reversed, beyond;
};

static uint64_t seed;

static inline uint64_t
any(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

static inline void sql(struct fixture *f, const char *fmt, ...) TS_PRINTF(2, 3);

static inline void
sql(struct fixture *f, const char *fmt, ...)
{
	char text[1500], *message = NULL;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ck_assert_msg(sqlite3_exec(f->db, text, NULL, NULL, &message) == SQLITE_OK, "%s: %s",
		message, text);
}

/* --- a report and what it means --------------------------------------------------------------- */

static inline void
intervals(struct fixture *f, struct truth *t)
{
	int n = (int)any(30);

	sql(f, "CREATE TABLE class_interval(class INTEGER, start INTEGER, end INTEGER)");
	for (int i = 0; i < n; i++) {
		int class = (int)any(CLASSES);
		int64_t start = (int64_t)any(STEPS + 20), end = start + (int64_t)any(12) - 2, last;

		if (any(12) == 0) {
			sql(f, "INSERT INTO class_interval VALUES(%d, %s, 5)", class,
				any(2) ? "NULL" : "-3");
			t->bad_intervals++;
			continue;
		}
		if (end < 0)
			end = 0;
		sql(f, "INSERT INTO class_interval VALUES(%d, %" PRId64 ", %" PRId64 ")", class,
			start, end);
		if (end <= start) {
			t->reversed++;
			continue;
		}
		last = t->steps != NONE && end > t->steps ? t->steps : end;
		t->beyond += last != end;
		for (int64_t s = start; s < last; s++)
			t->in[class][s] = t->known[class] = true;
	}
}

static inline void
count(struct truth *t, int tile, int class, int64_t bytes, bool always)
{
	t->there[tile] = true;
	if (always) {
		t->always[tile] += bytes;
	} else if (class < 0 || !t->known[class]) {
		t->unplaced[tile] += bytes;
		t->unplaced_rows++;
	} else {
		for (int s = 0; s < FAR; s++)
			t->alive[tile][s] += t->in[class][s] ? bytes : 0;
	}
}

static inline void
variable(struct fixture *f, struct truth *t, int64_t id, int tile)
{
	static const char *const bad[] = {"NULL", "-1", "'x'", "4611686018427387905"};
	int class = (int)any(CLASSES + 2);
	int64_t bytes = any(4) == 0 ? 0 : (int64_t)any(5000);
	const char *flag = any(3) ? "0" : any(2) ? "NULL" : "1";
	static const char *const digit[NAMES] = {"0", "1", "2", "3", "4", "5", "6", "7", "8"};
	char text[3][24];
	struct row r = {0};
	int broken = (int)any(24);

	snprintf(text[0], sizeof(text[0]), "%" PRId64, tile == TILES ? FAR_TILE : (int64_t)tile);
	snprintf(text[1], sizeof(text[1]), "%" PRId64, bytes);
	snprintf(text[2], sizeof(text[2]), "%d", class);
	if (broken < 3 || class == CLASSES)
		snprintf(text[broken < 3 ? broken : 2], sizeof(text[0]), "%s", bad[any(4)]);
	r.name = any(9) ? (int)any(NAMES) : NONE;
	r.variable = t->lowered_from && any(9) ? (int)any(NAMES) : NONE;
	sql(f, "INSERT INTO lowered_variable VALUES(%" PRId64 ", %s, %s, %s, %s, %s%s%s, %s)", id,
		text[0], text[1], text[2], flag, r.name == NONE ? "" : "'",
		r.name == NONE ? "NULL" : names[r.name], r.name == NONE ? "" : "'",
		r.variable == NONE ? "NULL" : digit[r.variable]);
	t->rows++;
	if (broken < 2) {
		t->bad_rows++;
		return;
	}
	r.class = broken == 2 || class >= CLASSES ? NONE : class;
	r.tile = tile;
	r.bytes = bytes;
	r.always = *flag == '1';
	r.id = id;
	t->row[t->count++] = r;
	count(t, tile, r.class, bytes, r.always);
}

/* Two IPUs; not of the tile that is far away. */
static inline void
ipus(struct fixture *f, struct truth *t)
{
	sql(f,
		"CREATE TABLE ipu(ipu INTEGER, replica INTEGER, first_tile INTEGER, tile_count INTEGER); "
		"INSERT INTO ipu VALUES(0, 0, 0, %d), (1, 0, %d, %d)",
		TILES / 2, TILES / 2, TILES / 2);
	for (int i = 0; i < TILES; i++)
		t->ipu[i] = i / (TILES / 2);
}

/* What a tile uses, where that is recorded: several have most. */
static inline int64_t
used_of(int tile)
{
	return 4000 + 37 * tile % 11 * 100;
}

/* Most tiles record what is always live; of a tile that has no variable, too. */
static inline void
tile_memory(struct fixture *f, struct truth *t)
{
	bool recorded = any(2);

	t->recorded = recorded;
	memcpy(t->base, t->always, sizeof(t->base));
	sql(f, "CREATE TABLE tile_memory(tile INTEGER PRIMARY KEY, total INTEGER, always_live INTEGER)");
	for (int i = 0; i <= TILES; i++)
		t->ipu[i] = NONE;
	if (any(3))
		ipus(f, t);
	for (int i = 0; recorded && i < TILES; i++) {
		int64_t always = (int64_t)any(3000);

		if (any(5) == 0) {
			sql(f, "INSERT INTO tile_memory VALUES(%d, %" PRId64 ", NULL)", i,
				used_of(i));
			continue;
		}
		sql(f, "INSERT INTO tile_memory VALUES(%d, %" PRId64 ", %" PRId64 ")", i,
			used_of(i), always);
		t->base[i] = always;
		t->there[i] = true;
	}
}

static inline void
make(struct fixture *f, struct truth *t, int number)
{
	bool by_tile = any(2);
	int rows = (int)any(ROWS);

	memset(t, 0, sizeof(*t));
	seed = (uint64_t)number * UINT64_C(0x9e3779b97f4a7c15) + 1;
	t->steps = any(3) ? STEPS : NONE;
	t->lowered_from = any(3) > 0;
	if (t->lowered_from)
		sql(f,
			"CREATE TABLE variable(variable INTEGER PRIMARY KEY, name TEXT, "
			"bytes INTEGER, always_live INTEGER)");
	for (int i = 0; t->lowered_from && i < NAMES; i++)
		sql(f, "INSERT INTO variable VALUES(%d, '%s', 1, 0)", i, names[i]);
	if (t->steps != NONE)
		sql(f,
			"CREATE TABLE liveness_step(live_step INTEGER PRIMARY KEY, "
			"not_always_live INTEGER); INSERT INTO liveness_step VALUES(%d, 0), (3, 0)",
			STEPS - 1);
	intervals(f, t);
	sql(f,
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, bytes INTEGER, "
		"class INTEGER, always_live INTEGER, name TEXT%s)",
		t->lowered_from ? ", variable INTEGER" : ", spare INTEGER");
	for (int i = 0; i < rows; i++)
		variable(f, t, i + i / 50 * (int)any(3),
			by_tile ? i * (TILES + 1) / rows : (int)any(TILES + 1));
	tile_memory(f, t);
}

/* --- opening ---------------------------------------------------------------------------------- */

static inline void
begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	index_dir_begin(&f->d);
	snprintf(f->path, sizeof(f->path), "%s/relations.db", f->d.dir);
	ck_assert_int_eq(sqlite3_open(f->path, &f->db), SQLITE_OK);
	sql(f, "PRAGMA journal_mode=OFF; BEGIN");
}

static inline void
open_report(struct fixture *f)
{
	struct ts_err err = {0};

	sql(f, "COMMIT");
	f->report = index_dir_relations(&f->d);
	ck_assert_int_eq(ts_reader_open(&f->plain, f->report, &err), TS_OK);
	ck_assert_int_eq(ts_reader_open(&f->indexed, f->report, &err), TS_OK);
	f->index = index_dir_build(&f->d, f->report, f->plain,
		ts_section_bit(TS_SECTION_TILE_LIVES) | ts_section_bit(TS_SECTION_VARIABLES) |
			ts_section_bit(TS_SECTION_IPU_LIVES) |
			ts_section_bit(TS_SECTION_IPU_STEPS) | ts_section_bit(TS_SECTION_TILE_ROWS),
		1 + (int)any(4));
	ts_reader_set_index(f->indexed, f->index);
}

static inline void
end(struct fixture *f)
{
	ts_reader_close(f->plain);
	ts_reader_close(f->indexed);
	ts_index_release(f->index);
	ts_report_close(f->report);
	sqlite3_close(f->db);
	index_dir_end(&f->d);
}

/* Number of a tile of `truth`. */
static inline int64_t
number_of(int tile)
{
	return tile == TILES ? FAR_TILE : tile;
}

#endif
