/* SPDX-License-Identifier: MIT */
/*
 * memory_addresses_draw - the tab Address map on the canvas.
 *
 * A cell is what most of its bytes are. Variables have the colour of their category, two shades in turn so that one is
 * told from the next; a cell with several variables on top of each other is hatched; gaps are dots, what is free is
 * blank. Without colours the letter of the category stands for a variable, small and capital in turn, and # for several.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "memory_addresses.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/sheet.h"

enum {
	FULL = 0x2588,
	DARK = 0x2593,
	HATCH = 0x2592,
	MIDDLE_DOT = 0xb7,
	MORE = 4, /* columns of the legend for how many entries are left out */
};

static const struct address_tab *
tab_of(const struct ts_tab *t)
{
	return t->own;
}

static enum ts_units
units(const struct ts_tab *t)
{
	return t->view->env->options->units;
}

/* --- cells ------------------------------------------------------------------------------------ */

struct address_cell
memory_address_look(const struct ts_address_map *m, size_t *piece, int64_t from, int64_t to)
{
	struct address_cell c = {.variable = -1};
	int64_t most = 0;

	while (*piece < m->count && m->piece[*piece].to <= from)
		(*piece)++;
	for (size_t i = *piece; i < m->count && m->piece[i].from < to; i++) {
		const struct ts_address_piece *p = &m->piece[i];
		int64_t n = ts_min_i64(p->to, to) - ts_max_i64(p->from, from);

		c.bytes[p->kind] += n;
		if (p->kind <= TS_ADDRESS_OVERLAP && n > most) {
			most = n;
			c.variable = p->variable;
		}
	}
	return c;
}

static enum ts_address_kind
kind_of(const struct address_cell *c)
{
	enum ts_address_kind most = TS_ADDRESS_FREE;

	for (int k = TS_ADDRESS_GAP; k >= 0; k--)
		if (c->bytes[k] > 0 && c->bytes[k] >= c->bytes[most])
			most = (enum ts_address_kind)k;
	return most;
}

int
memory_address_band(const struct memory_view *m, const struct ts_tile_addresses *a,
	int32_t variable)
{
	const char *name = ts_address_category(a, variable);
	const struct memory_categories *k = m->categories;

	for (int i = 0; k && *name && i < k->c.count; i++)
		if (strcmp(k->c.category[i].name, name) == 0)
			return i < k->bands - (k->other ? 1 : 0) ? i : k->bands - 1;
	return -1;
}

/* Small and capital in turn, so that one variable is told from the next. */
static uint32_t
letter_of(const struct memory_view *m, int band, int32_t variable)
{
	char letter = m->categories->letter[band];

	return (unsigned char)(variable % 2 && letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A'
									      : letter);
}

/* What is in sight, for the legend. */
struct sight {
	uint64_t bands; /* a bit each */
	bool kind[TS_ADDRESS_FREE + 1], other, beyond, shaded;
};

static void
draw_cell(struct ts_canvas *c, struct ts_rect line, int x, const struct ts_tab *t,
	const struct address_cell *k, bool beyond, struct sight *seen)
{
	const struct memory_view *m = t->host;
	const struct ts_tile_addresses *a = &tab_of(t)->a;
	bool letters = c->mono || c->glyphs == TS_GLYPHS_ASCII;
	enum ts_address_kind kind = kind_of(k);
	int band = memory_address_band(m, a, k->variable);
	enum ts_role role = beyond ? TS_ROLE_BAD
		: band < 0	   ? TS_ROLE_FILL
				   : TS_ROLE_SERIES_0 + (unsigned)band % TS_ROLE_SERIES;
	uint32_t cp = k->variable % 2 ? DARK : FULL;

	seen->kind[kind] = true;
	if (kind == TS_ADDRESS_FREE)
		return;
	seen->beyond |= beyond;
	if (kind <= TS_ADDRESS_OVERLAP && !beyond) {
		seen->other |= band < 0;
		seen->bands |= band < 0 ? 0 : (uint64_t)1 << band;
	}
	if (kind == TS_ADDRESS_GAP) {
		ts_canvas_glyph(c, line, x, 0, TS_ROLE_NOTE, letters ? '.' : MIDDLE_DOT);
		return;
	}
	if (letters)
		cp = kind == TS_ADDRESS_OVERLAP ? '#'
			: band >= 0		? letter_of(m, band, k->variable)
						: '=';
	else if (kind == TS_ADDRESS_OVERLAP)
		cp = HATCH;
	seen->shaded |= cp == DARK;
	ts_canvas_glyph(c, line, x, 0, role, cp);
}

static void
draw_row(struct ts_canvas *c, struct ts_rect line, const struct ts_tab *t, int64_t i, bool focus,
	struct sight *seen)
{
	const struct address_tab *s = tab_of(t);
	struct address_row row = memory_address_row(s, i);
	const struct ts_address_element *e = &s->a.element[row.element];
	bool beyond = row.element >= s->a.inside, cursor = i == s->list.cursor;
	ptrdiff_t at = ts_address_map_find(&s->a.map, row.from);
	size_t piece = at < 0 ? s->a.map.count : (size_t)at;
	int n;

	ts_canvas_printf(c, line, 0, 0,
		beyond			 ? TS_ROLE_BAD
			: e->interleaved ? TS_ROLE_ACCENT
					 : TS_ROLE_LABEL,
		"0x%05llx", (unsigned long long)row.from);
	ts_rect_cut_left(&line, ADDRESS_LABEL);
	n = memory_address_columns(&row, line.w);
	if (at < 0 && s->a.map.count > 0 && row.from < s->a.map.piece[0].from)
		piece = 0;
	for (int x = 0; x < n; x++) {
		int64_t from, to;
		struct address_cell k;

		memory_address_cell(&row, n, x, &from, &to);
		k = memory_address_look(&s->a.map, &piece, from, ts_max_i64(to, from + 1));
		draw_cell(c, line, x, t, &k, beyond, seen);
		if (cursor && s->at >= from && s->at < ts_max_i64(to, from + 1))
			ts_canvas_glyph(c, line, x, 0,
				focus ? TS_ROLE_CURSOR : TS_ROLE_CURSOR_OTHER, '+');
	}
}

/* --- legend ----------------------------------------------------------------------------------- */

struct legend {
	struct ts_canvas *c;
	struct ts_rect r;
	int x, left_out;
};

/* A cell and what it is; what has no room is left out, and counted. */
static void
entry(struct legend *l, enum ts_role role, uint32_t cp, const char *text)
{
	int w = ts_utf8_columns(text, strlen(text));

	if (l->left_out > 0 || l->x + 2 + w + MORE > l->r.w) {
		l->left_out++;
		return;
	}
	ts_canvas_glyph(l->c, l->r, l->x, 0, role, cp);
	ts_canvas_field(l->c, l->r, l->x + 2, 0, w, TS_ROLE_LABEL, text, strlen(text), 0);
	l->x += w + 4;
}

/* "gaps by alignment 1.2K, by elements 3K": the causes that are known, at the right end. */
static void
draw_causes(struct legend *l, const struct ts_tab *t)
{
	static const char *const causes[] = {"not known", "alignment", "elements", "interleaved"};
	const struct ts_address_map *m = &tab_of(t)->a.map;
	struct ts_strbuf text;
	char n[TS_FMT_MAX];

	ts_strbuf_init(&text, 200);
	for (int i = TS_GAP_INTERLEAVED; i >= 0; i--)
		if (m->by_cause[i] > 0)
			ts_strbuf_printf(&text, "%s%s %s",
				text.len > 0 ? ", " : "gaps: ", causes[i],
				ts_fmt_bytes_short(n, m->by_cause[i], units(t)));
	if (text.len > 0 && l->x + (int)text.len <= l->r.w) {
		ts_canvas_right(l->c, l->r, 0, 0, TS_ROLE_NOTE, text.s);
		ts_rect_cut_right(&l->r, (int)text.len);
	}
	ts_strbuf_fini(&text);
}

static void
draw_legend(struct ts_canvas *c, struct ts_rect line, const struct ts_tab *t,
	const struct sight *seen)
{
	const struct memory_view *m = t->host;
	bool letters = c->mono || c->glyphs == TS_GLYPHS_ASCII;
	struct legend l = {c, line, 0, 0};

	for (int i = 0; m->categories && i < m->categories->bands; i++)
		if (seen->bands >> i & 1)
			entry(&l, TS_ROLE_SERIES_0 + (unsigned)i % TS_ROLE_SERIES,
				letters ? (unsigned char)m->categories->letter[i] : FULL,
				m->categories->name[i]);
	if (seen->other)
		entry(&l, TS_ROLE_FILL, letters ? '=' : FULL, "variable");
	if (seen->kind[TS_ADDRESS_OVERLAP])
		entry(&l, TS_ROLE_TEXT, letters ? '#' : HATCH, "overlap");
	if (seen->kind[TS_ADDRESS_GAP])
		entry(&l, TS_ROLE_NOTE, letters ? '.' : MIDDLE_DOT, "gap");
	if (seen->beyond)
		entry(&l, TS_ROLE_BAD, letters ? '=' : FULL, "beyond the end");
	if (l.left_out > 0)
		l.x = ts_canvas_printf(c, line, l.x, 0, TS_ROLE_NOTE, "+%d", l.left_out) + 2;
	draw_causes(&l, t);
	if (seen->shaded && !letters)
		entry(&l, TS_ROLE_LABEL, DARK, "every second variable");
}

/* --- words ------------------------------------------------------------------------------------ */

static const char *
named(const struct ts_tile_addresses *a, int32_t v)
{
	const char *name = ts_address_name(a, v);

	return *name ? name : "(no name)";
}

/* Why there is a gap, in front of the variable behind it. */
static void
say_gap(const struct ts_tab *t, const struct ts_address_piece *p, struct ts_strbuf *out)
{
	const struct ts_tile_addresses *a = &tab_of(t)->a;
	const struct ts_address_variable *v = &a->variable[p->variable];
	char n[TS_FMT_MAX];

	ts_strbuf_printf(out, "gap of %s: ", ts_fmt_bytes(n, p->to - p->from, units(t)));
	switch (p->cause) {
	case TS_GAP_ALIGNMENT:
		ts_strbuf_printf(out, "alignment %" PRId64 " of ", v->alignment);
		break;
	case TS_GAP_ELEMENT:
		ts_strbuf_puts(out, "a memory element begins; it has no room for ");
		break;
	case TS_GAP_INTERLEAVED:
		ts_strbuf_puts(out, "interleaved memory begins with ");
		break;
	default:
		ts_strbuf_puts(out, "cause not known, in front of ");
		break;
	}
}

/* The other variables of a piece that several have. */
static void
say_others(const struct ts_tab *t, const struct ts_address_piece *p, struct ts_strbuf *out)
{
	enum { MOST = 8 };
	const struct ts_tile_addresses *a = &tab_of(t)->a;
	int said = 0;
	char n[TS_FMT_MAX];

	for (int32_t i = 0; i < (int32_t)a->count && said < MOST; i++) {
		const struct ts_address_variable *v = &a->variable[i];

		if (i == p->variable || v->bytes <= 0 || v->offset > p->from ||
			p->from - v->offset >= v->bytes)
			continue;
		ts_strbuf_printf(out, "; %s, %s at 0x%llx", named(a, i),
			ts_fmt_bytes(n, v->bytes, units(t)), (unsigned long long)v->offset);
		said++;
	}
}

/* What stands behind the name of a piece's variable. */
static void
say_variable(const struct ts_tab *t, const struct ts_address_piece *p, struct ts_strbuf *out)
{
	const struct ts_tile_addresses *a = &tab_of(t)->a;
	const struct ts_address_variable *v = &a->variable[p->variable];
	const char *category = ts_address_category(a, p->variable);
	char n[TS_FMT_MAX];

	ts_strbuf_printf(out, ", %s at 0x%llx", ts_fmt_bytes(n, v->bytes, units(t)),
		(unsigned long long)v->offset);
	if (p->kind == TS_ADDRESS_OVERLAP) {
		say_others(t, p, out);
		return;
	}
	if (*category)
		ts_strbuf_printf(out, ", %s", category);
	if (v->alignment > 1)
		ts_strbuf_printf(out, ", alignment %" PRId64, v->alignment);
}

/* In front of the name, or instead of one. */
static void
say_place(const struct ts_tab *t, const struct ts_address_piece *p, struct ts_strbuf *out)
{
	const struct address_tab *s = tab_of(t);
	char n[TS_FMT_MAX];

	ts_strbuf_printf(out, "0x%05llx  ", (unsigned long long)s->at);
	if (!p)
		ts_strbuf_puts(out, "nothing is known of this address");
	else if (p->kind == TS_ADDRESS_FREE)
		ts_strbuf_printf(out, "free: %s up to the end",
			ts_fmt_bytes(n, p->to - p->from, units(t)));
	else if (p->kind == TS_ADDRESS_GAP)
		say_gap(t, p, out);
	else if (s->a.end != TS_UNKNOWN && s->at >= s->a.end)
		ts_strbuf_puts(out, "beyond the end of the memory: ");
	if (p && p->kind == TS_ADDRESS_OVERLAP)
		ts_strbuf_printf(out, "%d on top of each other: ", (int)p->count);
}

/* A name that has no room loses its begin: what is behind it says more. */
static void
draw_readout(struct ts_canvas *c, struct ts_rect line, const struct ts_tab *t)
{
	enum { NAME_LEAST = 16 };
	const struct address_tab *s = tab_of(t);
	ptrdiff_t at = ts_address_map_find(&s->a.map, s->at);
	const struct ts_address_piece *p = at < 0 ? NULL : &s->a.map.piece[at];
	const char *name = p && p->kind != TS_ADDRESS_FREE ? named(&s->a, p->variable) : "";
	struct ts_strbuf front, behind;
	int w = ts_utf8_columns(name, strlen(name)), room, x;

	ts_strbuf_init(&front, 400);
	ts_strbuf_init(&behind, 4096);
	say_place(t, p, &front);
	if (p && p->kind <= TS_ADDRESS_OVERLAP)
		say_variable(t, p, &behind);
	room = line.w - ts_utf8_columns(front.s, front.len) - ts_utf8_columns(behind.s, behind.len);
	room = room > NAME_LEAST ? room : NAME_LEAST;
	x = ts_canvas_field(c, line, 0, 0, line.w, TS_ROLE_STATUS, front.s, front.len,
		TS_FIELD_ELLIPSIS);
	x += ts_canvas_field(c, line, x, 0, w < room ? w : room, TS_ROLE_STATUS, name, strlen(name),
		TS_FIELD_TAIL);
	ts_canvas_field(c, line, x, 0, line.w - x, TS_ROLE_STATUS, behind.s, behind.len,
		TS_FIELD_ELLIPSIS);
	ts_strbuf_fini(&front);
	ts_strbuf_fini(&behind);
}

void
memory_addresses_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	const struct address_tab *s = tab_of(t);
	struct ts_rect r = t->r, last, legend = {0};
	struct sight seen = {0};
	int64_t from, to;

	if (!s->here) {
		ts_pane_draw(c, r, t->view->env, &s->state);
		return;
	}
	if (s->a.elements == 0) {
		ts_canvas_text(c, r, 2, 1, TS_ROLE_DIM, "No variable of this tile has an address.");
		return;
	}
	last = ts_rect_cut_bottom(&r, r.h > 1 ? 1 : 0);
	if (t->r.h >= ADDRESS_LEGEND)
		legend = ts_rect_cut_bottom(&r, 1);
	ts_list_window(&s->list, &from, &to);
	for (int64_t i = from; i < to && i - from < r.h; i++)
		draw_row(c, ts_rect_row(r, (int)(i - from)), t, i, focus, &seen);
	if (legend.h > 0)
		draw_legend(c, legend, t, &seen);
	draw_readout(c, last, t);
}

void
memory_addresses_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct address_tab *s = tab_of(t);
	const struct memory_view *m = t->host;
	const struct ts_tile *tile = memory_tile(m);
	char gaps[TS_FMT_MAX], overlap[TS_FMT_MAX];

	if (!s->here || !tile) {
		snprintf(out, TS_TAB_NOTE, "tile %lld", tile ? (long long)tile->tile : 0LL);
		return;
	}
	if (s->state.state == TS_PANE_STALE) {
		snprintf(out, TS_TAB_NOTE, "tile %lld (reading tile %lld)", (long long)s->a.tile,
			(long long)s->wanted);
		return;
	}
	snprintf(out, TS_TAB_NOTE, "tile %lld%s%s%s, gaps %s, overlaps %s%s", (long long)s->a.tile,
		s->a.partial ? ", partial" : "", s->a.bad_rows > 0 ? ", bad rows left out" : "",
		s->a.cut ? ", not all" : "", ts_fmt_bytes_short(gaps, s->a.map.gaps, units(t)),
		ts_fmt_bytes_short(overlap, s->a.map.overlapped, units(t)),
		s->a.map.beyond > 0	    ? ", beyond the end"
			: s->a.unplaced > 0 ? ", some without address"
			: s->a.assumed	    ? ", elements not recorded"
					    : "");
}

/* --- the pieces as a table, and what figures are ---------------------------------------------- */

enum { P_FROM, P_TO, P_BYTES, P_KIND, P_CAUSE, P_VARIABLE, P_CATEGORY, P_COLUMNS };

static const struct ts_column_facts piece_facts[P_COLUMNS] = {
	[P_FROM] = {.name = "from", .unit = "address"},
	[P_TO] = {.name = "to", .unit = "address"},
	[P_BYTES] = {.name = "bytes", .unit = "bytes", .sum = TS_SUM_BYTES},
	[P_KIND] = {.name = "kind"},
	[P_CAUSE] = {.name = "cause"},
	[P_VARIABLE] = {.name = "variable"},
	[P_CATEGORY] = {.name = "category"},
};

static bool
piece_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	static const char *const kinds[] = {"variable", "overlap", "gap", "free"};
	static const char *const causes[] = {"not known", "alignment", "element", "interleaved"};
	const struct ts_tile_addresses *a = &tab_of(ctx)->a;
	const struct ts_address_piece *p;

	if (row < 0 || row >= (int64_t)a->map.count)
		return false;
	p = &a->map.piece[row];
	switch (column) {
	case P_FROM:
	case P_TO:
		ts_table_value_integer(out, column == P_FROM ? p->from : p->to);
		break;
	case P_BYTES:
		ts_table_value_integer(out, p->to - p->from);
		break;
	case P_KIND:
		ts_table_value_text(out, kinds[p->kind]);
		break;
	case P_CAUSE:
		ts_table_value_text(out, p->kind == TS_ADDRESS_GAP ? causes[p->cause] : NULL);
		break;
	case P_VARIABLE:
		ts_table_value_text(out, p->variable >= 0 ? ts_address_name(a, p->variable) : NULL);
		break;
	default:
		ts_table_value_text(out,
			p->variable >= 0 ? ts_address_category(a, p->variable) : NULL);
		break;
	}
	return true;
}

bool
memory_addresses_sheet(struct ts_tab *t, struct ts_sheet *out)
{
	const struct address_tab *s = tab_of(t);

	if (!s->here)
		return false;
	snprintf(out->title, sizeof(out->title), "Addresses of tile %lld", (long long)s->a.tile);
	out->table = (struct ts_table){.columns = P_COLUMNS,
		.ctx = t,
		.sorted = -1,
		.id = "memory.addresses",
		.facts = piece_facts,
		.value = piece_value,
		.units = units(t)};
	out->rows = (int64_t)s->a.map.count;
	out->wait = s->state.state == TS_PANE_STALE ? "another tile is being read" : NULL;
	return true;
}

static void
explain_variable(const struct ts_tab *t, struct ts_explain *out, int32_t v)
{
	const struct ts_tile_addresses *a = &tab_of(t)->a;
	const struct ts_address_variable *x = &a->variable[v];
	struct ts_explained *e = ts_explain_add(out, "bytes of %s", named(a, v));

	ts_explain_bytes(e, x->bytes, units(t));
	ts_explain_from(e, TS_KNOWN_RECORDED, "lowered_variable.bytes");
	ts_explain_query(e,
		"SELECT bytes FROM lowered_variable WHERE tile = %lld AND offset = %lld AND bytes = %lld",
		(long long)a->tile, (long long)x->offset, (long long)x->bytes);
	e = ts_explain_add(out, "address of %s", named(a, v));
	ts_explain_integer(e, x->offset, "address");
	ts_explain_from(e, TS_KNOWN_RECORDED, "lowered_variable.offset");
	ts_explain_query(e,
		"SELECT offset FROM lowered_variable WHERE tile = %lld AND offset = %lld AND bytes = %lld",
		(long long)a->tile, (long long)x->offset, (long long)x->bytes);
}

void
memory_addresses_explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct address_tab *s = tab_of(t);
	const struct ts_tile_addresses *a = &s->a;
	ptrdiff_t at = s->here ? ts_address_map_find(&a->map, s->at) : -1;
	const struct ts_address_piece *p = at < 0 ? NULL : &a->map.piece[at];
	struct ts_explained *x;

	if (!p)
		return;
	if (p->kind <= TS_ADDRESS_OVERLAP)
		explain_variable(t, out, p->variable);
	x = ts_explain_add(out, "gaps between the variables of tile %lld", (long long)a->tile);
	ts_explain_bytes(x, a->map.gaps, units(t));
	ts_explain_from(x, TS_KNOWN_DERIVED, "lowered_variable.offset, lowered_variable.bytes");
	ts_explain_formula(x,
		"addresses with no variable, in front of some variable (%lld gap%s); their causes are "
		"worked out, not recorded",
		(long long)a->map.gap_count, a->map.gap_count == 1 ? "" : "s");
	ts_explain_query(x,
		"SELECT coalesce(sum(max(0, offset - before)), 0) FROM (SELECT offset, "
		"coalesce(max(offset + bytes) OVER (ORDER BY offset ROWS BETWEEN UNBOUNDED PRECEDING "
		"AND 1 PRECEDING), %lld) AS before FROM lowered_variable WHERE tile = %lld AND bytes > 0 "
		"AND offset >= 0)",
		(long long)a->begin, (long long)a->tile);
}
