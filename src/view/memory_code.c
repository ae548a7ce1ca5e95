/* SPDX-License-Identifier: MIT */
/*
 * memory_code - what archive.a tells about the tile under the cursor: its sections and largest functions.
 *
 * A tile is read when somebody looks at it, and only while the pane is on the screen. Rows of the table are
 * the sections that lie in the tile's memory, then the functions, each the largest first.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/base/vertex_name.h"
#include "tilescope/report/archive.h"
#include "tilescope/view/explain.h"

/* --- asking ----------------------------------------------------------------------------------- */

struct code_fetch {
	struct ts_fetch fetch;
	struct ts_archive *archive; /* held */
	int64_t tile;
	struct memory_code *code;
};

static void
free_code(struct memory_code *c)
{
	if (c)
		free(c->d);
	free(c);
}

static enum ts_code
read_code(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct code_fetch *cf = (struct code_fetch *)f;

	struct memory_code *c = ts_alloc(1, sizeof(*c));
	enum ts_code code;

	(void)rd;
	if (!c)
		return ts_err_nomem(err);
	code = ts_archive_details(&c->d, cf->archive, cf->tile, &f->job.cancel, err);
	for (int i = 0; c->d && i < c->d->elf.function_count; i++) {
		const char *name = c->d->elf.function[i].name;

		ts_function_demangle(c->said[i], sizeof(c->said[i]), name, strlen(name));
	}
	if (c->d)
		cf->code = c;
	else
		free_code(c);
	return code;
}

static void
fini_code(struct ts_fetch *f)
{
	struct code_fetch *cf = (struct code_fetch *)f;

	ts_archive_release(cf->archive);
	free_code(cf->code);
}

bool
memory_has_code(const struct memory_view *m)
{
	return m->view.env->archive_state != TS_PART_ABSENT;
}

bool
memory_only_code(const struct memory_view *m)
{
	return m->view.env->report && m->view.env->report->kind == TS_KIND_ARCHIVE;
}

void
memory_ask_code(struct memory_view *m, int64_t tile)
{
	struct ts_view_env *env = m->view.env;
	struct code_fetch *f;

	if (!env->archive || env->archive->left_out || m->code_wanted == tile ||
		!ts_tab_is_shown(&m->tabs.tab[TAB_CODE]))
		return;
	m->code_wanted = tile;
	m->code_sent = NULL;
	if (m->code_of == tile) {
		m->code_state.state = TS_PANE_READY; /* back before the other came */
		return;
	}
	f = ts_alloc(1, sizeof(*f));
	if (!f) {
		m->code_state.state = TS_PANE_FAILED;
		snprintf(m->code_state.reason, sizeof(m->code_state.reason), "out of memory");
		return;
	}
	f->archive = ts_archive_hold(env->archive);
	f->tile = tile;
	f->fetch.read = read_code;
	f->fetch.fini = fini_code;
	m->code_state.state = m->code ? TS_PANE_STALE : TS_PANE_LOADING;
	m->code_sent = &f->fetch;
	ts_fetch_send(&m->view, &f->fetch, FETCH_CODE, TS_WORKER_BULK, "reading code of a tile");
}

enum ts_effect
memory_take_code(struct memory_view *m, struct ts_fetch *f)
{
	struct code_fetch *cf = (struct code_fetch *)f;

	m->code_sent = NULL;
	if (ts_fetch_in_vain(f, m->view.env->generation)) {
		memory_stopped(&m->code_state);
		return TS_EFFECT_REPAINT;
	}
	ts_pane_result(&m->code_state, f->code, &f->err, cf->code != NULL);
	m->code_state.absent = TS_ABSENT_TILE_CODE;
	free_code(m->code);
	m->code = cf->code;
	cf->code = NULL;
	m->code_of = m->code ? cf->tile : -1;
	m->code_order.made = false;
	memory_order_code(m);
	ts_list_go(&m->code_list, 0);
	return TS_EFFECT_REPAINT;
}

void
memory_drop_code(struct memory_view *m)
{
	free_code(m->code);
	m->code = NULL;
	m->code_sent = NULL;
	m->code_state = (struct ts_pane_data){0};
	m->code_of = m->code_wanted = -1;
	ts_list_set_count(&m->code_list, 0);
}

/* --- the table -------------------------------------------------------------------------------- */

enum { F_NAME, F_WHAT, F_BYTES, F_SHARE, F_ADDRESS, F_SYMBOL, F_COLUMNS };

static const struct ts_column code_columns[F_COLUMNS] = {
	[F_NAME] = {"function", 16, 0, 6, 0, TS_FIELD_ELLIPSIS},
	[F_WHAT] = {"", 8, 8, 0, 3, TS_FIELD_LEFT},
	[F_BYTES] = {"bytes", 10, 10, 0, 0, TS_FIELD_RIGHT},
	[F_SHARE] = {"share", 6, 6, 0, 2, TS_FIELD_RIGHT},
	[F_ADDRESS] = {"address", 8, 8, 0, 4, TS_FIELD_RIGHT},
	[F_SYMBOL] = {"symbol", 16, 0, 4, 5, TS_FIELD_TAIL},
};

struct code_row {
	const char *name, *symbol; /* as people write it, as it stands */
	bool section;
	uint32_t bytes, address;
};

int64_t
memory_code_rows(const struct memory_view *m)
{
	return m->code ? (int64_t)m->code->d->elf.section_count + m->code->d->elf.function_count
		       : 0;
}

static bool
row_at(const struct memory_view *m, int64_t i, struct code_row *out)
{
	const struct ts_elf_tile *t;

	if (i < 0 || i >= memory_code_rows(m))
		return false;
	t = &m->code->d->elf;
	if (i < t->section_count) {
		const struct ts_elf_section *s = &t->section[i];

		*out = (struct code_row){s->name, s->name, true, s->bytes, s->address};
	} else {
		const struct ts_elf_function *f = &t->function[i - t->section_count];

		*out = (struct code_row){m->code->said[i - t->section_count], f->name, false,
			f->bytes, f->address};
	}
	return true;
}

static void
total_cell(const struct memory_view *m, int column, struct ts_table_cell *out)
{
	const struct ts_elf_tile *t = &m->code->d->elf;
	char n[TS_FMT_MAX];

	if (column == F_NAME)
		snprintf(out->buf, sizeof(out->buf), "%s function%s%s",
			ts_fmt_count(n, t->functions), t->functions == 1 ? "" : "s",
			(int64_t)t->functions > t->function_count ? ", the largest listed" : "");
	else if (column == F_BYTES)
		ts_fmt_bytes(out->buf, t->function_bytes, memory_units(m));
	else if (column == F_SHARE && t->text > 0)
		ts_fmt_percent(out->buf, (double)t->function_bytes, (double)t->text);
}

static bool
code_cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	const struct memory_view *m = ctx;
	struct code_row r;

	out->s = out->buf;
	out->buf[0] = '\0';
	if (row == TS_TABLE_TOTAL) {
		total_cell(m, column, out);
		return true;
	}
	if (!row_at(m, row, &r))
		return false;
	switch (column) {
	case F_NAME:
		out->s = r.name[0] ? r.name : "(no name)";
		break;
	case F_WHAT:
		out->s = r.section ? "section" : "";
		break;
	case F_SYMBOL:
		out->s = r.section ? "" : r.symbol;
		break;
	case F_BYTES:
		ts_fmt_bytes(out->buf, r.bytes, memory_units(m));
		break;
	case F_SHARE:
		if (m->code->d->elf.text > 0)
			ts_fmt_percent(out->buf, (double)r.bytes, (double)m->code->d->elf.text);
		break;
	default:
		snprintf(out->buf, sizeof(out->buf), "0x%x", (unsigned)r.address);
		break;
	}
	return true;
}

static enum ts_role
code_row_role(void *ctx, int64_t row)
{
	const struct memory_view *m = ctx;
	struct code_row r;

	return m->search[0] && row_at(m, row, &r) && ts_contains_nocase(r.name, m->search)
		? TS_ROLE_MATCH
		: TS_ROLE_TEXT;
}

static const struct ts_column_facts code_facts[F_COLUMNS] = {
	[F_WHAT] = {"what", NULL, TS_SUM_NONE, false},
	[F_BYTES] = {NULL, "bytes", TS_SUM_BYTES, false},
	[F_SHARE] = {NULL, "%", TS_SUM_NONE, false},
	[F_SYMBOL] = {.extra = true},
};

static bool
code_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct memory_view *m = ctx;
	struct code_row r = {.name = "total"};
	bool total = row == TS_TABLE_TOTAL;
	int64_t bytes;

	if (!m->code || (!total && !row_at(m, row, &r)))
		return false;
	bytes = total ? m->code->d->elf.function_bytes : (int64_t)r.bytes;
	if (column == F_NAME)
		ts_table_value_text(out, r.name);
	else if (column == F_SYMBOL && !total && !r.section)
		ts_table_value_text(out, r.symbol);
	else if (column == F_WHAT && !total)
		ts_table_value_text(out, r.section ? "section" : "function");
	else if (column == F_BYTES)
		ts_table_value_known(out, bytes);
	else if (column == F_SHARE && m->code->d->elf.text > 0)
		ts_table_value_real(out, 100 * (double)bytes / (double)m->code->d->elf.text);
	else if (column == F_ADDRESS && !total)
		ts_table_value_integer(out, (int64_t)r.address);
	return true;
}

struct ts_table
memory_code_table(const struct memory_view *m)
{
	return (struct ts_table){.column = code_columns,
		.columns = F_COLUMNS,
		.cell = code_cell,
		.row = code_row_role,
		.needle = m->search,
		.ctx = (void *)(uintptr_t)m,
		.header = true,
		.total = true,
		.focus = memory_tab_focus(m, TAB_CODE),
		.sorted = F_BYTES,
		.descending = true,
		.empty = "No sections and no functions on this tile.",
		.id = "memory.code",
		.facts = code_facts,
		.value = code_value,
		.looks = m->view.env->looks,
		.order = (struct ts_table_order *)(uintptr_t)&m->code_order,
		.units = memory_units(m)};
}

void
memory_order_code(struct memory_view *m)
{
	struct ts_table t = memory_code_table(m);

	ts_table_order_make(&m->code_order, &t, &m->code_list, memory_code_rows(m), 0);
}

void
memory_code_note(const struct memory_view *m, char *out, size_t size)
{
	const struct ts_tile *tile = memory_tile(m);

	out[0] = '\0';
	if (tile && !m->code)
		snprintf(out, size, "tile %lld", (long long)tile->tile);
	else if (tile && m->code_state.state == TS_PANE_STALE)
		snprintf(out, size, "tile %lld (reading tile %lld)", (long long)m->code_of,
			(long long)tile->tile);
	else if (tile)
		snprintf(out, size, "tile %lld: %.80s of archive.a", (long long)m->code_of,
			m->code->d->name);
}

/* Why there is nothing to show yet. */
static const char *
not_yet(const struct memory_view *m)
{
	switch (m->view.env->archive_state) {
	case TS_PART_OK:
		return "archive.a is being read";
	case TS_PART_DAMAGED:
		return "archive.a is damaged (M shows the notes)";
	default:
		return "archive.a cannot be read (M shows the notes)";
	}
}

/* A far archive without a symbol table: what reading it costs, and whether it is worth that. */
static void
draw_left_out(struct ts_canvas *c, struct ts_rect r, const struct memory_view *m)
{
	const struct ts_archive *a = m->view.env->archive;
	char size[TS_FMT_MAX], members[TS_FMT_MAX], line[160];

	if (a->wanted) {
		ts_canvas_text(c, r, 2, 1, TS_ROLE_DIM, "archive.a is being read");
		return;
	}
	snprintf(line, sizeof(line), "archive.a has no symbol table: %s, about %s members.",
		ts_fmt_bytes(size, a->source->size, memory_units(m)),
		ts_fmt_count(members, a->left_out));
	ts_canvas_text(c, r, 2, 1, TS_ROLE_TEXT, line);
	ts_canvas_text(c, r, 2, 2, TS_ROLE_TEXT,
		"Over a network the header of each costs a round trip.");
	ts_canvas_text(c, r, 2, 3, TS_ROLE_NOTE, "Enter reads it, in the background (C-c stops).");
}

enum ts_effect
memory_open_code(struct memory_view *m)
{
	struct ts_archive *a = m->view.env->archive;

	if (!a || !a->left_out || a->wanted)
		return TS_EFFECT_BELL;
	a->wanted = true;
	return TS_EFFECT_REPAINT;
}

void
memory_draw_code(struct ts_canvas *c, const struct memory_view *m)
{
	struct ts_rect r = memory_tab_rect(m, TAB_CODE);
	struct ts_table t = memory_code_table(m);

	if (!m->view.env->archive)
		ts_canvas_text(c, r, 2, 1, TS_ROLE_DIM, not_yet(m));
	else if (m->view.env->archive->left_out)
		draw_left_out(c, r, m);
	else if (m->code && ts_pane_has(&m->code_state))
		ts_table_draw(c, r, &t, &m->code_list);
	else
		ts_pane_draw(c, r, m->view.env, &m->code_state);
}

enum ts_effect
memory_find_code(struct memory_view *m, int step, bool from_here)
{
	struct ts_table t = memory_code_table(m);
	int64_t n = m->code_list.count;

	if (!m->search[0] || n <= 0) {
		ts_view_say_error(m->view.env,
			m->search[0] ? "there are no functions to search"
				     : "nothing was searched for");
		return TS_EFFECT_BELL;
	}
	for (int64_t i = from_here ? 0 : 1; i <= n; i++) {
		int64_t at = ((m->code_list.cursor + step * i) % n + n) % n;
		struct code_row r;

		if (!row_at(m, ts_table_row(&t, at), &r) || !ts_contains_nocase(r.name, m->search))
			continue;
		ts_list_jump(&m->code_list, at);
		return TS_EFFECT_REPAINT;
	}
	ts_view_say_error(m->view.env, "no function of this tile has \"%.60s\" in its name",
		m->search);
	return TS_EFFECT_BELL;
}

/* --- what the figures are ----------------------------------------------------------------------- */

static struct ts_explained *
explain_bytes(struct ts_explain *out, const struct memory_view *m, const char *title, int64_t bytes)
{
	struct ts_explained *x = ts_explain_add(out, "%s", title);

	ts_explain_bytes(x, bytes, memory_units(m));
	ts_explain_from(x, TS_KNOWN_RECORDED, "archive.a, %.100s", m->code->d->name);
	ts_explain_note(x, "no query: files of archive.a are no relation");
	return x;
}

static void
explain_share(struct ts_explain *out, const struct memory_view *m, const struct code_row *r)
{
	int64_t text = m->code->d->elf.text;
	struct ts_explained *x;
	char percent[TS_FMT_MAX];

	if (text <= 0)
		return;
	x = explain_bytes(out, m, "its share of the tile's .text", r->bytes);
	ts_explain_real(x, 100 * (double)r->bytes / (double)text, "%");
	ts_explain_shown(x, "%s", ts_fmt_percent(percent, (double)r->bytes, (double)text));
	ts_explain_formula(x, "%lld / %lld", (long long)r->bytes, (long long)text);
}

/* The row under the cursor, then all of the tile. */
void
memory_explain_code(const struct memory_view *m, struct ts_explain *out)
{
	struct ts_table t = memory_code_table(m);
	const struct ts_elf_tile *elf;
	struct ts_explained *x;
	struct code_row r;
	char title[160];

	if (!m->code)
		return;
	elf = &m->code->d->elf;
	if (m->code_list.count > 0 && row_at(m, ts_table_row(&t, m->code_list.cursor), &r)) {
		snprintf(title, sizeof(title), "bytes of %s%.100s on tile %lld",
			r.section ? "section " : "", r.name, (long long)m->code_of);
		x = explain_bytes(out, m, title, r.bytes);
		ts_explain_formula(x, "the size of the %s %.150s", r.section ? "section" : "symbol",
			r.symbol);
		explain_share(out, m, &r);
		x = explain_bytes(out, m, "its address on the tile", r.address);
		ts_explain_shown(x, "0x%x", (unsigned)r.address);
	}
	snprintf(title, sizeof(title), "bytes of functions of tile %lld", (long long)m->code_of);
	x = explain_bytes(out, m, title, elf->function_bytes);
	ts_explain_formula(x, "the sizes of its %lld functions", (long long)elf->functions);
}
