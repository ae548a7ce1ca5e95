/* SPDX-License-Identifier: MIT */
/* trace_frames - see the header. */
#include "config.h"

#include <string.h>
#include <strings.h>

#include "trace_frames.h"

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

enum {
	EDGE_GLYPH = 0x258f, /* a thin line at the left edge of a box */
	CUT_GLYPH = 0x2026,
	LEAST_NAME = 3,	 /* columns */
	LEAST_PATH = 18, /* beside a mark */
};

/* --- questions -------------------------------------------------------------------------------------- */

void *
trace_frames_fetch(struct trace_drawing *d, size_t size,
	enum ts_code (*read)(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err),
	void (*fini)(struct ts_fetch *f))
{
	struct trace_frames_fetch *f = ts_alloc(1, size);

	if (!f)
		return NULL;
	f->fetch.read = read;
	f->fetch.fini = fini;
	f->trace = ts_trace_hold(d->trace->trace);
	f->cache = d->trace->view.env->cache;
	f->contexts = ts_frame_contexts_hold(d->trace->contexts);
	f->contexts_known = d->trace->contexts_known;
	return f;
}

enum ts_code
trace_frames_contexts(struct trace_frames_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	if (!f->contexts_known)
		code = ts_frame_contexts_read(&f->contexts, rd, f->cache, NULL, err);
	f->contexts_known = code == TS_OK;
	return code;
}

void
trace_frames_take(struct trace_view *t, struct trace_frames_fetch *f)
{
	if (t->contexts_known || !f->contexts_known)
		return;
	t->contexts_known = true;
	t->contexts = f->contexts;
	f->contexts = NULL;
}

void
trace_frames_fini(struct trace_frames_fetch *f)
{
	ts_trace_release(f->trace);
	ts_frame_contexts_release(f->contexts);
}

void
trace_frames_drop(struct trace_view *t)
{
	ts_frame_contexts_release(t->contexts);
	t->contexts = NULL;
	t->contexts_known = false;
}

/* --- boxes ------------------------------------------------------------------------------------------ */

/* A character of a name as it may stand in one cell. */
static uint32_t
next_cell(const char **s, size_t *n)
{
	uint32_t cp;
	size_t used = ts_utf8_next(*s, *n, &cp);

	*s += used;
	*n -= used;
	return ts_cp_safe(cp) && ts_cp_width(cp) == 1 ? cp : TS_CP_REPLACEMENT;
}

/* The name from column x on, in `room` columns, with a sign where it is cut. The column behind it. */
static int
put_name(struct ts_canvas *c, struct ts_rect row, const struct trace_box *b, int x, int room,
	enum ts_role role, enum ts_role back)
{
	bool cut = ts_utf8_columns(b->name, b->n) > room;
	const char *s = b->name;
	size_t n = b->n;

	for (int i = 0; n > 0 && i < room; i++, x++)
		ts_canvas_glyph2(c, row, x, 0, role, back,
			cut && i == room - 1 ? CUT_GLYPH : next_cell(&s, &n));
	return x;
}

void
trace_draw_box(struct ts_canvas *c, struct ts_rect row, const struct trace_box *b, bool focus)
{
	enum ts_role role = (enum ts_role)(TS_ROLE_COMPUTE + (int)b->class_of);
	bool letters = c->mono || c->glyphs == TS_GLYPHS_ASCII;
	uint32_t fill = letters ? (unsigned char)ts_step_class_letter(b->class_of) : ' ';
	struct ts_rect all = {row.x + b->x, row.y, b->w, 1};
	int x = b->x, end = b->x + b->w;

	for (int i = b->x; i < end; i++)
		if (letters)
			ts_canvas_glyph(c, row, i, 0, role, fill);
		else
			ts_canvas_glyph2(c, row, i, 0, TS_ROLE_INK, role, fill);
	if (b->w > 1 && letters)
		ts_canvas_glyph(c, row, x++, 0, TS_ROLE_BORDER, '|');
	else if (b->w > 1)
		ts_canvas_glyph2(c, row, x++, 0, TS_ROLE_INK, role, EDGE_GLYPH);
	if (end - x >= LEAST_NAME && letters) {
		x = put_name(c, row, b, x, end - x, TS_ROLE_TEXT, TS_ROLE_TEXT);
		if (x < end) /* letters of the class do not go on with the name */
			ts_canvas_glyph(c, row, x, 0, TS_ROLE_TEXT, ' ');
	} else if (end - x >= LEAST_NAME) {
		put_name(c, row, b, x, end - x, TS_ROLE_INK, role);
	}
	if (b->hit)
		ts_canvas_overlay(c, all, TS_ROLE_MATCH);
	if (b->cursor)
		ts_canvas_overlay(c, all, focus ? TS_ROLE_CURSOR : TS_ROLE_CURSOR_OTHER);
}

/* --- words ------------------------------------------------------------------------------------------ */

bool
trace_frame_hit(const struct trace_view *t, const char *name, size_t n)
{
	size_t length = strlen(t->needle);

	for (size_t i = 0; length > 0 && i + length <= n; i++)
		if (strncasecmp(name + i, t->needle, length) == 0)
			return true;
	return false;
}

/* "a/b/c" of a frame below the run. */
static void
put_path(struct ts_strbuf *out, const struct ts_frames *f, uint32_t frame)
{
	size_t n;

	for (int d = frame == TS_FRAME_RUN ? 0 : 1; d <= ts_frame_at(f, frame)->depth; d++) {
		const char *name = ts_frame_name(f, ts_frame_up(f, frame, d), &n);

		if (d > 1)
			ts_strbuf_putc(out, '/');
		ts_strbuf_add(out, name, n);
	}
}

enum ts_mark
trace_frame_mark(const struct trace_view *t, unsigned classes)
{
	enum ts_mark mark = TS_MARK_COUNT;

	for (int k = 0; k < TS_CLASS_COUNT; k++) {
		enum ts_mark m;

		if (!(classes & 1u << k))
			continue;
		m = ts_honesty_step(&t->trace->honest, TS_UNKNOWN, (enum ts_step_class)k);
		mark = mark == TS_MARK_COUNT ? m : ts_mark_join(mark, m);
	}
	return mark;
}

/* A few words, or one where the path would have no room beside them; "" where even that is too much. */
static const char *
mark_words(enum ts_mark mark, int room)
{
	if (mark == TS_MARK_COUNT)
		return "";
	if ((int)strlen(ts_mark_note(mark)) + LEAST_PATH <= room)
		return ts_mark_note(mark);
	return (int)strlen(ts_mark_word(mark)) + LEAST_PATH <= room ? ts_mark_word(mark) : "";
}

void
trace_frame_line(struct ts_canvas *c, struct ts_rect row, const char *figures,
	const struct ts_frames *frames, uint32_t frame, enum ts_mark mark)
{
	int from = (int)strlen(figures) + 2, room = row.w - from;
	const char *words = mark_words(mark, room);
	struct ts_strbuf path;

	ts_canvas_fill(c, row, TS_ROLE_STATUS, ' ');
	ts_canvas_text(c, row, 0, 0, TS_ROLE_STATUS, figures);
	ts_canvas_right(c, row, 0, 0, TS_ROLE_NOTE, words);
	room -= *words ? (int)strlen(words) + 2 : 0;
	ts_strbuf_init(&path, 1 << 16);
	put_path(&path, frames, frame);
	if (room >= LEAST_NAME)
		ts_canvas_field(c, row, from, 0, room, TS_ROLE_LABEL, path.s, path.len,
			TS_FIELD_TAIL);
	ts_strbuf_fini(&path);
}
