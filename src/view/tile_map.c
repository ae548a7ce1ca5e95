/* SPDX-License-Identifier: MIT */
/* tile_map - see the header. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/view/tile_map.h"

bool
ts_tile_map_lay(struct ts_tile_map *m, const int64_t *tile, const int64_t *ipu,
	const int64_t *order, int64_t n, int64_t per_ipu)
{
	free(m->level);
	free(m->top);
	ts_floor_fini(&m->floor);
	m->level = NULL;
	m->top = NULL;
	m->seen = (struct ts_floor_view){0};
	if (!ts_floor_init(&m->floor, tile, ipu, order, n, per_ipu))
		return false;
	m->level = ts_alloc((size_t)n, sizeof(*m->level));
	m->top = ts_alloc((size_t)m->floor.blocks, sizeof(*m->top));
	if (m->level && m->top)
		return true;
	ts_tile_map_fini(m);
	return false;
}

void
ts_tile_map_fini(struct ts_tile_map *m)
{
	free(m->level);
	free(m->top);
	ts_floor_fini(&m->floor);
	m->level = NULL;
	m->top = NULL;
}

/* --- colours ---------------------------------------------------------------------------------- */

static int64_t
value_of(const struct ts_tile_map_values *v, int64_t i)
{
	return v->value ? v->value[i] : -1;
}

static int64_t
difference_of(const struct ts_tile_map_values *v, int64_t i)
{
	return v->value && v->value[i] >= 0 && v->other[i] >= 0 ? v->value[i] - v->other[i]
								: INT64_MIN;
}

static bool
is_over(const struct ts_tile_map_values *v, int64_t i)
{
	return v->is_over && value_of(v, i) >= 0 && v->is_over(v->ctx, i);
}

/* Ends of the scale: of the tiles that are not marked as over, where there are any. */
static void
find_scale(struct ts_tile_map *m, const struct ts_tile_map_values *v)
{
	int64_t n = m->floor.tiles, known = 0;

	m->over = 0;
	m->scale = (struct ts_heat_scale){m->how, -1, -1};
	for (int64_t i = 0; i < n; i++) {
		known += value_of(v, i) >= 0;
		m->over += is_over(v, i);
	}
	if (m->over == known)
		m->over = 0; /* all of them: levels say more */
	for (int64_t i = 0; i < n; i++) {
		int64_t x = value_of(v, i);

		if (x < 0 || (v->beyond && m->over > 0 && is_over(v, i)))
			continue;
		m->scale.most = ts_max_i64(m->scale.most, x);
		m->scale.least = m->scale.least < 0 ? x : ts_min_i64(m->scale.least, x);
	}
	if (m->how == TS_HEAT_LIMIT) {
		m->scale.least = 0;
		m->scale.most = v->limit > 0 ? v->limit : m->scale.most;
	}
	m->unknown = n - known;
}

static void
find_differences(struct ts_tile_map *m, const struct ts_tile_map_values *v)
{
	m->different = 0;
	for (int64_t i = 0; i < m->floor.tiles; i++) {
		int64_t d = difference_of(v, i);

		if (d != INT64_MIN)
			m->different = ts_max_i64(m->different, d < 0 ? -d : d);
	}
}

void
ts_tile_map_color(struct ts_tile_map *m, const struct ts_tile_map_values *v)
{
	for (int b = 0; b < m->floor.blocks; b++)
		m->top[b] = -1;
	m->different = -1;
	find_scale(m, v);
	if (v->other)
		find_differences(m, v);
	for (int64_t i = 0; i < m->floor.tiles; i++) {
		int64_t *top = &m->top[m->floor.block_of[i]];

		*top = ts_max_i64(*top, value_of(v, i));
		m->level[i] = v->other ? ts_heat_difference(difference_of(v, i), m->different)
			: m->over > 0 && is_over(v, i) ? (uint8_t)TS_HEAT_OVER
						       : ts_heat_level(&m->scale, value_of(v, i));
	}
}

/* --- drawing ---------------------------------------------------------------------------------- */

int
ts_tile_map_fit(struct ts_tile_map *m, int width, int height, bool whole, int64_t cursor)
{
	const struct ts_floor_view *v = &m->seen;

	if (m->floor.blocks == 0)
		return 0;
	m->size = ts_floor_fit(&m->seen, &m->floor, width, 2 * height, m->zoom, whole, cursor);
	return (int)ts_min_i64(height,
		(int64_t)v->down * (v->label + (v->rows * v->h + 1) / 2 * 2) / 2);
}

static uint8_t
code_at(const struct ts_tile_map *m, const struct ts_tile_map_marks *k, int x, int y)
{
	int64_t i = ts_floor_at(&m->seen, &m->floor, x, y);
	int code;

	if (i < 0)
		return TS_HEAT_NOTHING;
	code = m->level[i];
	if (k->is_marked && k->is_marked(k->ctx, i))
		code |= TS_HEAT_SELECTED;
	if (i == k->cursor)
		code |= TS_HEAT_CURSOR;
	return (uint8_t)code;
}

static void
block_name(const struct ts_tile_map *m, int block, char *out, size_t size)
{
	if (m->floor.block[block].ipu >= 0)
		snprintf(out, size, "ipu %lld", (long long)m->floor.block[block].ipu);
	else
		snprintf(out, size, "ipu not known");
}

static void
draw_labels(const struct ts_tile_map *m, struct ts_canvas *c, struct ts_rect r,
	const struct ts_tile_map_marks *k)
{
	int first = m->seen.first, n = m->seen.across * m->seen.down;
	int64_t at = k->cursor >= 0 && k->cursor < m->floor.tiles ? m->floor.block_of[k->cursor]
								  : -1;

	for (int b = first; b < first + n && m->seen.label > 0; b++) {
		char number[TS_FMT_MAX], text[2 * TS_FMT_MAX + 32];
		int x, y;

		if (!ts_floor_label(&m->seen, &m->floor, b, &x, &y))
			continue;
		block_name(m, b, text, sizeof(text));
		if (m->top[b] >= 0 && k->text && m->different < 0)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "  most %s",
				k->text(k->ctx, m->top[b], number));
		ts_canvas_field(c, r, x, y / 2, m->seen.columns * m->seen.w,
			b == at ? TS_ROLE_ACCENT : TS_ROLE_BOUNDARY, text, strlen(text),
			TS_FIELD_ELLIPSIS);
	}
}

void
ts_tile_map_draw(const struct ts_tile_map *m, struct ts_canvas *c, struct ts_rect r,
	const struct ts_tile_map_marks *k)
{
	uint8_t code[2 * TS_CANVAS_MAX_W];
	int w = r.w < TS_CANVAS_MAX_W ? r.w : TS_CANVAS_MAX_W;
	struct ts_heat_grid g = {w, 2, code};

	if (!m->level || w <= 0)
		return;
	for (int y = 0; y < r.h; y++) {
		for (int x = 0; x < w; x++) {
			code[x] = code_at(m, k, x, 2 * y);
			code[w + x] = code_at(m, k, x, 2 * y + 1);
		}
		ts_heat_draw(c, ts_rect_row(r, y), &g);
	}
	draw_labels(m, c, r, k);
}

int64_t
ts_tile_map_at(const struct ts_tile_map *m, int x, int y)
{
	int64_t upper = ts_floor_at(&m->seen, &m->floor, x, 2 * y);
	int64_t lower = ts_floor_at(&m->seen, &m->floor, x, 2 * y + 1);

	if (upper < 0 || (lower >= 0 && m->level[lower] > m->level[upper]))
		return lower;
	return upper;
}

/* --- legend ----------------------------------------------------------------------------------- */

struct legend {
	struct ts_canvas *c;
	struct ts_rect r;
	int x;
};

/* Words, when all of them have room. */
static bool
put(struct legend *l, enum ts_role role, const char *text, int gap)
{
	int w = ts_utf8_columns(text, strlen(text));

	if (l->x + gap + w > l->r.w)
		return false;
	ts_canvas_text(l->c, l->r, l->x + gap, 0, role, text);
	l->x += gap + w;
	return true;
}

static void
put_sample(struct legend *l, int code, const char *text)
{
	if (l->x + 4 + ts_utf8_columns(text, strlen(text)) > l->r.w)
		return;
	ts_heat_sample(l->c, l->r, l->x + 2, 0, (uint8_t)code);
	l->x += 3;
	put(l, TS_ROLE_LABEL, text, 1);
}

/* Selected tiles have levels of their own, and one colour in a map of differences. */
static int
selected_code(const struct ts_tile_map *m)
{
	return TS_HEAT_SELECTED | (m->different >= 0 ? TS_HEAT_SAME : TS_HEAT_LEVELS - 1);
}

static void
put_levels(struct legend *l, int from, int n)
{
	for (int i = 0; i < n; i++)
		ts_heat_sample(l->c, l->r, l->x + 1 + i, 0, (uint8_t)(from + i));
	l->x += n + 1;
}

static const char *
text_of(const struct ts_tile_map_marks *k, double v, char out[TS_FMT_MAX])
{
	return k->text ? k->text(k->ctx, (int64_t)v, out) : ts_fmt_count(out, (int64_t)v);
}

static void
legend_of_differences(struct legend *l, const struct ts_tile_map *m,
	const struct ts_tile_map_marks *k)
{
	char n[TS_FMT_MAX], text[TS_FMT_MAX + 1];

	snprintf(text, sizeof(text), "-%s", text_of(k, (double)m->different, n));
	put(l, TS_ROLE_LABEL, text, 0);
	put_levels(l, TS_HEAT_LESS, 2 * TS_HEAT_DIFFERENCE_LEVELS + 1);
	text[0] = '+';
	put(l, TS_ROLE_LABEL, text, 1);
}

/* Have all tiles the same, so that there is no scale? */
static bool
is_one_value(const struct ts_tile_map *m)
{
	return m->scale.most >= 0 && m->scale.least == m->scale.most && m->how != TS_HEAT_LIMIT;
}

int
ts_tile_map_legend(const struct ts_tile_map *m, struct ts_canvas *c, struct ts_rect r,
	const struct ts_tile_map_marks *k)
{
	struct legend l = {c, r, 0};
	char n[TS_FMT_MAX];

	if (!m->level || r.w < 3 * TS_HEAT_LEVELS)
		return 0;
	if (m->different >= 0) {
		legend_of_differences(&l, m, k);
	} else if (is_one_value(m)) {
		ts_heat_sample(c, r, l.x++, 0, ts_heat_level(&m->scale, m->scale.most));
		put(&l, TS_ROLE_LABEL, "all", 1);
		put(&l, TS_ROLE_LABEL, text_of(k, (double)m->scale.most, n), 1);
	} else if (m->scale.most >= 0) {
		put(&l, TS_ROLE_LABEL, text_of(k, ts_heat_begin(&m->scale, 0), n), 0);
		put_levels(&l, 0, TS_HEAT_LEVELS);
		put(&l, TS_ROLE_LABEL, text_of(k, ts_heat_begin(&m->scale, TS_HEAT_LEVELS), n), 1);
		put(&l, TS_ROLE_DIM, ts_heat_how_title(m->how), 1);
	}
	if (m->over > 0)
		put_sample(&l, TS_HEAT_OVER, "over the limit");
	if (k->is_marked)
		put_sample(&l, selected_code(m), "selected");
	if (k->is_marked && m->over > 0)
		put_sample(&l, TS_HEAT_SELECTED | TS_HEAT_OVER, "both");
	if (m->unknown > 0)
		put_sample(&l, TS_HEAT_UNKNOWN, "not known");
	if (!ts_heat_halves(c) && m->seen.h < 2)
		put(&l, TS_ROLE_NOTE, "a sign: the fuller of two tiles", 2);
	return l.x;
}

/* --- beside the map --------------------------------------------------------------------------- */

/* Rows from the top down. */
struct side {
	struct ts_canvas *c;
	struct ts_rect r;
	int y;
};

static void
side_text(struct side *s, enum ts_role role, const char *text)
{
	if (s->y < s->r.h)
		ts_canvas_field(s->c, s->r, 0, s->y++, s->r.w, role, text, strlen(text),
			TS_FIELD_ELLIPSIS);
}

/* Two codes, the same or neighbours, and a text. */
static void
side_sample(struct side *s, int left, int right, const char *text)
{
	enum { TEXT_AT = 3 };

	if (s->y >= s->r.h)
		return;
	ts_heat_sample(s->c, s->r, 0, s->y, (uint8_t)left);
	ts_heat_sample(s->c, s->r, 1, s->y, (uint8_t)right);
	ts_canvas_field(s->c, s->r, TEXT_AT, s->y++, s->r.w - TEXT_AT, TS_ROLE_LABEL, text,
		strlen(text), TS_FIELD_ELLIPSIS);
}

/* So many levels to a row that all have one, at least two; each with its ends, the highest first. */
static void
side_levels(struct side *s, const struct ts_tile_map *m, const struct ts_tile_map_marks *k,
	int rows)
{
	static const int together[] = {2, 3, 4, 6, TS_HEAT_LEVELS};
	char a[TS_FMT_MAX], b[TS_FMT_MAX], text[2 * TS_FMT_MAX + 2];
	size_t i = 0;

	if (is_one_value(m)) {
		snprintf(text, sizeof(text), "all %s", text_of(k, (double)m->scale.most, a));
		i = ts_heat_level(&m->scale, m->scale.most);
		side_sample(s, (int)i, (int)i, text);
		return;
	}
	while (i + 1 < TS_COUNT(together) && TS_HEAT_LEVELS / together[i] > rows)
		i++;
	for (int from = TS_HEAT_LEVELS - together[i]; from >= 0; from -= together[i]) {
		snprintf(text, sizeof(text), "%s-%s", text_of(k, ts_heat_begin(&m->scale, from), a),
			text_of(k, ts_heat_begin(&m->scale, from + together[i]), b));
		side_sample(s, from, from + together[i] - 1, text);
	}
}

static void
side_differences(struct side *s, const struct ts_tile_map *m, const struct ts_tile_map_marks *k)
{
	char n[TS_FMT_MAX], text[TS_FMT_MAX + 8];

	for (int i = TS_HEAT_DIFFERENCE_LEVELS; i >= -TS_HEAT_DIFFERENCE_LEVELS; i--) {
		double part = (double)m->different * (double)(i > 0 ? i - 1 : i + 1) /
			TS_HEAT_DIFFERENCE_LEVELS;

		snprintf(text, sizeof(text), "%s%s",
			i == 0		  ? "equal"
				: i == 1  ? "more"
				: i == -1 ? "less"
				: i > 0	  ? "from +"
					  : "from -",
			i > 1 || i < -1 ? text_of(k, part < 0 ? -part : part, n) : "");
		side_sample(s, TS_HEAT_SAME + i, TS_HEAT_SAME + i, text);
	}
}

void
ts_tile_map_side(const struct ts_tile_map *m, struct ts_canvas *c, struct ts_rect r,
	const struct ts_tile_map_marks *k)
{
	struct side s = {c, r, 0};
	char n[TS_FMT_MAX], text[TS_FMT_MAX + 40];
	int note = k->note ? ts_utf8_columns(k->note, strlen(k->note)) : 0;
	int below = 1 + (m->unknown > 0) + (note + r.w - 1) / TS_TILE_MAP_SIDE; /* of the levels */

	if (!m->level || r.w < TS_TILE_MAP_SIDE)
		return;
	if (m->seen.label == 0 && m->floor.blocks > 1) {
		block_name(m, m->seen.first, text, sizeof(text));
		side_text(&s, TS_ROLE_ACCENT, text);
		if (m->top[m->seen.first] >= 0 && m->different < 0) {
			snprintf(text, sizeof(text), "most %s",
				text_of(k, (double)m->top[m->seen.first], n));
			side_text(&s, TS_ROLE_LABEL, text);
		}
	}
	if (m->over > 0)
		side_sample(&s, TS_HEAT_OVER, TS_HEAT_OVER, "over limit");
	if (k->is_marked)
		side_sample(&s, selected_code(m), selected_code(m), "selected");
	if (k->is_marked && m->over > 0)
		side_sample(&s, TS_HEAT_SELECTED | TS_HEAT_OVER, TS_HEAT_SELECTED | TS_HEAT_OVER,
			"both");
	if (m->different >= 0)
		side_differences(&s, m, k);
	else if (m->scale.most >= 0)
		side_levels(&s, m, k, r.h - s.y - below);
	if (m->unknown > 0)
		side_sample(&s, TS_HEAT_UNKNOWN, TS_HEAT_UNKNOWN, "not known");
	if (m->different < 0)
		side_text(&s, TS_ROLE_DIM, ts_heat_how_title(m->how));
	ts_rect_cut_top(&r, s.y);
	if (note > 0)
		ts_canvas_wrap(c, r, 0, TS_ROLE_NOTE, k->note);
}
