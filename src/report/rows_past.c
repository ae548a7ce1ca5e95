/* SPDX-License-Identifier: MIT */
/*
 * rows_past - go on behind damaged rows.
 *
 * Of a table that is read from pages its tree says which row ids a damaged page should have (damage.h). Others with row
 * ids are asked for at row ids further and further behind the last row that was read, until SQLite finds some,
 * and then nearer again: rows between two damaged places may be missed, and count as damaged.
 *
 * It comes to an end: each time reading goes on at a row id above all before.
 */
#include "config.h"

#include "rows_internal.h"

/* Rows come from `rowid` on; which of them are first in their group, and their places, is not known. */
static void
go_on_at(struct ts_rows *rows, int64_t rowid)
{
	if (rows->table)
		rows_back_to_pages(rows, rowid);
	rows->beyond = rowid;
	rows->went_on = true;
	rows->whole = rows->from_start = rows->grouped = false;
}

/* Rows are missing: told at the end. */
static void
miss(struct ts_rows *rows, const struct ts_gap *gap)
{
	struct ts_strbuf text;

	ts_gaps_add(&rows->gaps, gap);
	ts_strbuf_init(&text, TS_ERR_MSG);
	ts_gaps_describe(&text, &rows->gaps, rows->q.binding->reach.rows->name);
	(void)!ts_err_set(&rows->damaged, TS_E_DAMAGED, "%s", text.s ? text.s : "damaged rows");
	ts_strbuf_fini(&text);
}

/* The row id where what is damaged may begin; false: there is none behind the rows that were read. */
static bool
damaged_from(int64_t *from, const struct ts_rows *rows)
{
	*from = rows->way == BY_NOTHING ? INT64_MIN : rows->from;
	if (rows->begun && rows->at == INT64_MAX)
		return false;
	if (rows->begun)
		*from = rows->at + 1;
	if (rows->went_on && *from < rows->beyond)
		*from = rows->beyond;
	return true;
}

/*
 * What comes next is damaged: go on behind it. *on false: at the end, or it is not known where behind is, and
 * the damage is told. A row that pages reach is tried once more, in case that SQLite had come to something else.
 */
static enum ts_code
pass_over(struct ts_rows *rows, bool *on, struct ts_err *err)
{
	bool by_rowid = rows->way == BY_ROWID;
	struct ts_gap gap;
	enum ts_path path;
	enum ts_code code;
	int64_t from;

	*on = false;
	if (!damaged_from(&from, rows))
		return TS_OK;
	code = ts_path_find(&path, &gap, rows->db, rows->q.binding->reach.rows, from, err);
	if (code || path == TS_PATH_UNKNOWN || path == TS_PATH_END)
		return code;
	*on = true;
	if (path == TS_PATH_ROW && !(rows->went_on && gap.from == rows->beyond)) {
		go_on_at(rows, gap.from);
		return TS_OK;
	}
	if (path == TS_PATH_ROW)
		gap.page = 0;
	if (by_rowid && gap.to >= rows->to)
		gap.to = rows->to - 1;
	if (by_rowid && gap.from > gap.to)
		*on = false;
	else
		miss(rows, &gap);
	if (gap.to == INT64_MAX || (by_rowid && gap.to >= rows->to - 1))
		*on = false;
	else
		go_on_at(rows, gap.to + 1);
	return TS_OK;
}

/* --- through SQLite --------------------------------------------------------------------------- */

enum found { FOUND_ROW, FOUND_END, FOUND_DAMAGE };

/* Rows from `rowid` on: the first one, if any, is the cursor's. */
static enum ts_code
try_at(enum found *what, struct ts_rows *rows, int64_t rowid, struct ts_err *err)
{
	enum way way = rows->way == BY_ROWID ? BY_ROWID : FROM_ROWID;
	enum ts_code code;
	bool there = false;

	ts_db_release(rows->db, rows->stmt);
	rows->stmt = NULL;
	code = rows_open_statement(rows, way, rowid, rows->to, 0, err);
	if (!code)
		code = ts_db_step(rows->db, rows->stmt, &there, err);
	*what = code ? FOUND_DAMAGE : there ? FOUND_ROW : FOUND_END;
	return code == TS_E_DAMAGED ? TS_OK : code;
}

/* As pass_over(); *there: the cursor stands at a row. */
static enum ts_code
search_behind(struct ts_rows *rows, bool *there, struct ts_err *err)
{
	int64_t last = rows->way == BY_ROWID ? rows->to - 1 : INT64_MAX, from;
	uint64_t low = 0, high = 0, span; /* from `from` on: damaged; something else, or 0 */
	enum found what = FOUND_DAMAGE;
	enum ts_code code = TS_OK;

	*there = false;
	if (!damaged_from(&from, rows) || from > last)
		return TS_OK;
	span = (uint64_t)last - (uint64_t)from;
	for (uint64_t off = 1; !code && high == 0 && off != 0 && off <= span; off *= 2) {
		code = try_at(&what, rows, (int64_t)((uint64_t)from + off), err);
		if (what == FOUND_DAMAGE)
			low = off;
		else
			high = off;
	}
	while (!code && high > low + 1) {
		uint64_t middle = low + (high - low) / 2;

		code = try_at(&what, rows, (int64_t)((uint64_t)from + middle), err);
		if (what == FOUND_DAMAGE)
			low = middle;
		else
			high = middle;
	}
	if (code)
		return code;
	miss(rows, &(struct ts_gap){0, from, high ? (int64_t)((uint64_t)from + high - 1) : last});
	if (high == 0)
		return TS_OK;
	code = try_at(&what, rows, (int64_t)((uint64_t)from + high), err);
	go_on_at(rows, (int64_t)((uint64_t)from + high));
	*there = what == FOUND_ROW;
	return code;
}

/* --- both --------------------------------------------------------------------------------------- */

static bool
can_go_on(const struct ts_rows *rows)
{
	if (!rows->q.past_damage || rows->way == BY_KEY ||
		rows->q.binding->reach.rows->kind != TS_OBJECT_TABLE)
		return false;
	return rows->rowid_slot >= 0 || (rows->table && rows->position < 0);
}

enum ts_code
rows_past_read(struct ts_rows *rows, bool *there, struct ts_err *err)
{
	enum ts_code code = rows_read(rows, there, err);
	int64_t rowid;

	while (code == TS_E_DAMAGED && can_go_on(rows)) {
		bool on = false;

		if (!rows->damaged.code) /* whatever else is found: something could not be read */
			(void)!ts_err_set(&rows->damaged, TS_E_DAMAGED, "%s",
				err ? err->msg : "damaged");
		*there = false;
		code = rows->table ? pass_over(rows, &on, err) : search_behind(rows, there, err);
		if (!code && on)
			code = rows_read(rows, there, err);
	}
	if (!code && *there && rows->q.past_damage && ts_rows_rowid(rows, &rowid))
		rows_note(rows, rowid);
	return code;
}
