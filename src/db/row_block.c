/* SPDX-License-Identifier: MIT */
/* row_block - see the header. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/fmt.h"
#include "tilescope/base/mem.h"
#include "tilescope/db/row_block.h"

enum { WINDOW_BYTES = 32 << 10, VALUE_LEAST = 64 }; /* of a row */

enum { BYTES_EACH = 4, HEX_SHORT = 8, HEX_FULL = 512, CUT_AT = 4000, REAL_MAX = 32 };

void
ts_row_block_init(struct ts_row_block *b, int columns)
{
	int share = WINDOW_BYTES / (columns > 0 ? columns : 1);

	*b = (struct ts_row_block){.columns = columns};
	b->most = share < VALUE_LEAST ? VALUE_LEAST : share > TS_ROW_VALUE ? TS_ROW_VALUE : share;
	ts_strbuf_init(&b->text, TS_ROW_TEXT);
}

void
ts_row_block_fini(struct ts_row_block *b)
{
	free(b->cell);
	ts_strbuf_fini(&b->text);
	*b = (struct ts_row_block){0};
}

bool
ts_is_by_tile(const char *column)
{
	static const char tail[] = "_by_tile";
	size_t n = strlen(column);

	return n >= sizeof(tail) - 1 && strcmp(column + n - (sizeof(tail) - 1), tail) == 0;
}

static uint32_t
number_at(const char *bytes, size_t i)
{
	const unsigned char *p = (const unsigned char *)bytes + i * BYTES_EACH;

	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void
look_at_tiles(struct ts_row_cell *c, const struct ts_sql_value *v)
{
	c->by_tile = v->n % BYTES_EACH == 0;
	for (size_t i = 0; c->by_tile && i < v->n / BYTES_EACH; i++) {
		uint32_t number = number_at(v->bytes, i);

		c->sum += number;
		if (number > c->most) {
			c->most = number;
			c->most_at = (uint32_t)i;
		}
	}
}

static bool
make_room(struct ts_row_block *b)
{
	size_t columns = (size_t)(b->columns > 0 ? b->columns : 1);
	int room = b->room ? b->room * 2 : 64;
	struct ts_row_cell *cell;

	if (b->rows < b->room)
		return true;
	cell = ts_resize(b->cell, (size_t)room * columns, sizeof(*cell));
	if (!cell)
		return false;
	b->cell = cell;
	b->room = room;
	return true;
}

bool
ts_row_block_add(struct ts_row_block *b, const struct ts_sql_value *values, const bool *by_tile)
{
	size_t start = b->text.len;

	if (!make_room(b)) {
		b->nomem = true;
		return false;
	}
	for (int i = 0; i < b->columns; i++) {
		const struct ts_sql_value *v = &values[i];
		struct ts_row_cell *c = &b->cell[(size_t)b->rows * (size_t)b->columns + (size_t)i];

		*c = (struct ts_row_cell){.type = v->type,
			.at = (uint32_t)b->text.len,
			.n = (uint32_t)(v->n < (size_t)b->most ? v->n : (size_t)b->most)};
		if (v->type == TS_SQL_REAL)
			c->real = v->real;
		else
			c->integer = v->type == TS_SQL_INTEGER ? v->integer : (int64_t)v->n;
		if (v->type == TS_SQL_BLOB && by_tile && by_tile[i])
			look_at_tiles(c, v);
		if (c->n > 0)
			ts_strbuf_add(&b->text, v->bytes, c->n);
	}
	if (b->text.cut) {
		b->nomem = b->text.nomem;
		b->text.len = start;
		b->text.cut = b->text.nomem = false;
		return false;
	}
	b->rows++;
	return true;
}

void
ts_sql_add_hex(struct ts_strbuf *out, const char *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		ts_strbuf_putc(out, digits[(unsigned char)bytes[i] >> 4]);
		ts_strbuf_putc(out, digits[bytes[i] & 15]);
	}
}

void
ts_sql_add_real(struct ts_strbuf *out, double v)
{
	char s[REAL_MAX];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(s, sizeof(s), "%.*g", digits, v);
		if (strtod(s, NULL) == v)
			break;
	}
	ts_strbuf_puts(out, s);
	if (!strpbrk(s, ".einf"))
		ts_strbuf_puts(out, ".0");
}

static void
add_tiles(struct ts_strbuf *out, const struct ts_row_cell *c)
{
	char n[TS_FMT_MAX], sum[TS_FMT_MAX], most[TS_FMT_MAX];

	ts_strbuf_printf(out, "%s tiles, sum %s, most %s", ts_fmt_count(n, c->size / BYTES_EACH),
		ts_fmt_count(sum, c->sum), ts_fmt_count(most, c->most));
}

void
ts_row_cell_text(struct ts_strbuf *out, const struct ts_row_block *b, const struct ts_row_cell *c)
{
	char n[TS_FMT_MAX];
	const char *bytes = b->text.s + c->at;

	switch (c->type) {
	case TS_SQL_NULL:
		ts_strbuf_puts(out, "NULL");
		break;
	case TS_SQL_INTEGER:
		ts_strbuf_printf(out, "%" PRId64, c->integer);
		break;
	case TS_SQL_REAL:
		ts_sql_add_real(out, c->real);
		break;
	case TS_SQL_TEXT:
		ts_strbuf_add(out, bytes, c->n);
		break;
	case TS_SQL_BLOB:
		if (c->by_tile) {
			add_tiles(out, c);
			break;
		}
		ts_strbuf_printf(out, "%s B ", ts_fmt_count(n, c->size));
		ts_sql_add_hex(out, bytes, c->n < HEX_SHORT ? c->n : HEX_SHORT);
		break;
	}
}

void
ts_row_cell_full(struct ts_strbuf *out, const struct ts_row_block *b, const struct ts_row_cell *c)
{
	char n[TS_FMT_MAX];
	const char *bytes = b->text.s + c->at;
	uint32_t shown = c->n < HEX_FULL ? c->n : HEX_FULL;

	if (c->type != TS_SQL_BLOB) {
		ts_row_cell_text(out, b, c);
		if (c->type == TS_SQL_TEXT && c->size > c->n)
			ts_strbuf_printf(out, "... (%s bytes)", ts_fmt_count(n, c->size));
		return;
	}
	if (!c->by_tile) {
		ts_strbuf_printf(out, "%s byte%s: ", ts_fmt_count(n, c->size),
			c->size == 1 ? "" : "s");
		ts_sql_add_hex(out, bytes, shown);
		ts_strbuf_puts(out, c->size > shown ? "..." : "");
		return;
	}
	add_tiles(out, c);
	ts_strbuf_printf(out, " (tile %" PRIu32 "); by tile from 0:", c->most_at);
	for (size_t i = 0; i < c->n / BYTES_EACH && out->len < CUT_AT; i++)
		ts_strbuf_printf(out, " %" PRIu32, number_at(bytes, i));
	if (out->len >= CUT_AT || c->size > c->n)
		ts_strbuf_puts(out, " ...");
}
