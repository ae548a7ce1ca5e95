/* SPDX-License-Identifier: MIT */
/* tile_addresses - see the header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_addresses.h"
#include "tilescope/report/tile_variables.h"

enum { V_TILE, V_BYTES, V_OFFSET, V_ALIGNMENT, V_CATEGORY, V_NAME, V_COLUMNS };

static const int variable_columns[V_COLUMNS] = {TS_LOWERED_VARIABLE_TILE, TS_LOWERED_VARIABLE_BYTES,
	TS_LOWERED_VARIABLE_OFFSET, TS_LOWERED_VARIABLE_ALIGNMENT, TS_LOWERED_VARIABLE_CATEGORY,
	TS_LOWERED_VARIABLE_NAME};

enum { PROGRESS_ROWS = 8192 };

bool
ts_tile_addresses_recorded(const struct ts_report *r)
{
	return ts_report_has(r, TS_LOWERED_VARIABLE) &&
		ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_OFFSET);
}

const char *
ts_address_category(const struct ts_tile_addresses *a, int32_t variable)
{
	int category = variable >= 0 ? a->name[variable].category : -1;

	return category >= 0 ? a->categories->name[category] : "";
}

/* --- variables -------------------------------------------------------------------------------- */

static uint32_t
keep_name(struct ts_tile_addresses *a, struct ts_rows *rows)
{
	size_t n, at = a->text.len;
	const char *s;

	if (ts_rows_text(rows, V_NAME, &s, &n) != TS_VALUE_OK || n == 0)
		return 0;
	n = n < TS_ADDRESS_NAME ? n : TS_ADDRESS_NAME;
	if (at + n + 1 > TS_ADDRESSES_TEXT)
		return 0;
	for (size_t i = 0; i < n; i++)
		ts_strbuf_putc(&a->text, s[i] ? s[i] : '?');
	ts_strbuf_add(&a->text, "", 1);
	return a->text.cut ? 0 : (uint32_t)at;
}

static enum ts_code
keep(struct ts_tile_addresses *a, struct ts_rows *rows, struct ts_address_variable *v, int64_t row,
	struct ts_err *err)
{
	void *p = a->variable, *q = a->name;
	bool ok;

	if (a->count == TS_ADDRESSES) {
		a->cut = true;
		return TS_OK;
	}
	ok = ts_room(&p, &a->cap, a->count, sizeof(*a->variable));
	a->variable = p;
	ok = ok && ts_room(&q, &a->name_cap, a->count, sizeof(*a->name));
	a->name = q;
	if (!ok)
		return ts_err_nomem(err);
	if (ts_rows_number(rows, V_ALIGNMENT, &v->alignment) != TS_VALUE_OK)
		v->alignment = 0;
	a->variable[a->count] = *v;
	a->name[a->count] = (struct ts_address_name){.name = keep_name(a, rows),
		.category = (int16_t)ts_category_of(a->categories, rows, V_CATEGORY),
		.row = row};
	a->count++;
	return a->categories->nomem || a->text.nomem ? ts_err_nomem(err) : TS_OK;
}

static enum ts_code
add_row(struct ts_tile_addresses *a, struct ts_rows *rows, int64_t *row, struct ts_err *err)
{
	struct ts_address_variable v = {0};
	enum ts_value is;

	if (ts_rows_number(rows, V_BYTES, &v.bytes) != TS_VALUE_OK) {
		a->bad_rows++;
		return TS_OK;
	}
	(*row)++;
	is = ts_rows_number(rows, V_OFFSET, &v.offset);
	if (is == TS_VALUE_OK) {
		a->empty += v.bytes == 0;
		return keep(a, rows, &v, *row - 1, err);
	}
	a->bad_rows += is == TS_VALUE_BAD;
	a->unplaced++;
	if (a->unplaced_bytes != TS_UNKNOWN && !ts_add_i64(&a->unplaced_bytes, v.bytes))
		a->unplaced_bytes = TS_UNKNOWN;
	return TS_OK;
}

static enum ts_code
read_variables(struct ts_tile_addresses *a, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = V_COLUMNS, .past_damage = true};
	int64_t total, seen = 0, row = 0, tile;
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	if (!ts_tile_variables_plan(&q, &total, rd, a->tile))
		return TS_OK;
	memcpy(q.columns, variable_columns, sizeof(variable_columns));
	code = ts_category_names_read(a->categories, rd, err);
	if (code && code != TS_E_DAMAGED)
		return code;
	code = ts_reader_rows(&rows, rd, TS_LOWERED_VARIABLE, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		if (++seen % PROGRESS_ROWS == 0)
			ts_progress_set(progress, seen, total);
		if (ts_rows_number(rows, V_TILE, &tile) == TS_VALUE_OK && tile == a->tile &&
			(code = add_row(a, rows, &row, err)))
			break;
	}
	ts_rows_close(rows);
	return code;
}

/* --- elements --------------------------------------------------------------------------------- */

static int
by_offset(const void *x, const void *y)
{
	const struct ts_address_element *a = x, *b = y;

	return (a->offset > b->offset) - (a->offset < b->offset);
}

static bool
are_sound(struct ts_tile_addresses *a)
{
	qsort(a->element, a->elements, sizeof(*a->element), by_offset);
	for (size_t i = 0; i < a->elements; i++) {
		const struct ts_address_element *e = &a->element[i];

		if (e->bytes == 0 || e->bytes > TS_NUMBER_MAX - e->offset ||
			(i > 0 && e[-1].offset + e[-1].bytes > e->offset))
			return false;
	}
	return a->elements > 0;
}

/* All elements of the relation; false: they are of no use. Damage: what could be read may have holes. */
static enum ts_code
read_elements(struct ts_tile_addresses *a, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_MEMORY_ELEMENT_OFFSET, TS_MEMORY_ELEMENT_BYTES,
					  TS_MEMORY_ELEMENT_INTERLEAVED},
		.column_count = 3,
		.limit = TS_ADDRESS_ELEMENTS + 1};
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	code = ts_reader_rows(&rows, rd, TS_MEMORY_ELEMENT, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		struct ts_address_element e = {0};
		int64_t interleaved = 0;

		if (ts_rows_number(rows, 0, &e.offset) != TS_VALUE_OK ||
			ts_rows_number(rows, 1, &e.bytes) != TS_VALUE_OK ||
			a->elements == TS_ADDRESS_ELEMENTS) {
			a->unsound = true;
			continue;
		}
		e.interleaved = ts_rows_number(rows, 2, &interleaved) == TS_VALUE_OK && interleaved;
		a->element[a->elements++] = e;
	}
	ts_rows_close(rows);
	a->unsound |= code == TS_E_DAMAGED || (a->elements > 0 && !are_sound(a));
	return code == TS_E_DAMAGED ? TS_OK : code;
}

static int64_t
end_of_variables(const struct ts_tile_addresses *a)
{
	int64_t end = 0, v_end;

	for (size_t i = 0; i < a->count; i++) {
		v_end = a->variable[i].offset;
		if (a->variable[i].bytes > 0 && ts_add_i64(&v_end, a->variable[i].bytes))
			end = ts_max_i64(end, v_end);
	}
	return end;
}

/* Rows that stand for the elements: of 16 KiB, or as much more as it takes. */
static void
assume_elements(struct ts_tile_addresses *a, int64_t end)
{
	int64_t bytes = TS_ADDRESS_ROW, at = 0;

	a->assumed = true;
	a->elements = 0;
	while (end / bytes >= TS_ADDRESS_ELEMENTS)
		bytes *= 2;
	for (; at < end; at += bytes)
		a->element[a->elements++] = (struct ts_address_element){at,
			ts_min_i64(bytes, end - at), false};
}

static void
settle_elements(struct ts_tile_addresses *a, int64_t limit)
{
	const int64_t most = (int64_t)1 << 50;
	int64_t last = end_of_variables(a), at;

	if (a->unsound || a->elements == 0) {
		assume_elements(a, ts_min_i64(limit > 0 ? limit : last, most));
		a->end = limit > 0 ? limit : TS_UNKNOWN;
	} else {
		a->begin = a->element[0].offset;
		a->end = a->element[a->elements - 1].offset + a->element[a->elements - 1].bytes;
	}
	a->inside = a->elements;
	if (a->end == TS_UNKNOWN || a->end > most || last <= a->end)
		return;
	last = ts_min_i64(last, a->end + TS_ADDRESS_BEYOND);
	for (at = a->end; at < last && a->elements < TS_ADDRESS_ELEMENTS; at += TS_ADDRESS_ROW)
		a->element[a->elements++] = (struct ts_address_element){at, TS_ADDRESS_ROW, false};
}

enum ts_code
ts_tile_addresses_read(struct ts_tile_addresses *a, struct ts_reader *rd, int64_t tile,
	int64_t limit, struct ts_progress *progress, struct ts_err *err)
{
	enum ts_code code, damage;

	*a = (struct ts_tile_addresses){.tile = tile, .end = TS_UNKNOWN};
	ts_strbuf_init(&a->text, TS_ADDRESSES_TEXT);
	ts_strbuf_add(&a->text, "", 1); /* place 0: no name */
	if (!ts_tile_addresses_recorded(rd->report))
		return ts_err_set(err, TS_E_ABSENT, "%s",
			ts_report_has(rd->report, TS_LOWERED_VARIABLE)
				? "its variables have no offset in memory"
				: rd->report->binding[TS_LOWERED_VARIABLE].reason);
	a->categories = ts_alloc(1, sizeof(*a->categories));
	a->element = ts_alloc(TS_ADDRESS_ELEMENTS, sizeof(*a->element));
	if (!a->categories || !a->element)
		return ts_err_nomem(err);
	damage = read_variables(a, rd, progress, err);
	ts_names_fini(&a->categories->read);
	if (damage && damage != TS_E_DAMAGED)
		return damage;
	code = ts_report_has(rd->report, TS_MEMORY_ELEMENT) ? read_elements(a, rd, err) : TS_OK;
	if (code)
		return code;
	settle_elements(a, limit);
	a->partial = damage == TS_E_DAMAGED;
	if (!ts_address_map_make(&a->map, a->variable, a->count, a->element,
		    a->assumed ? 0 : a->inside, a->begin, a->end))
		return ts_err_nomem(err);
	return damage;
}

void
ts_tile_addresses_fini(struct ts_tile_addresses *a)
{
	free(a->variable);
	free(a->name);
	free(a->element);
	ts_strbuf_fini(&a->text);
	if (a->categories)
		ts_category_names_fini(a->categories);
	free(a->categories);
	ts_address_map_fini(&a->map);
	*a = (struct ts_tile_addresses){0};
}
