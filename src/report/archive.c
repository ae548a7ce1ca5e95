/* SPDX-License-Identifier: MIT */
/*
 * archive - read archive.a: the walk here, what libelf sees of each tile in a helper process.
 *
 * A tile costs one small read here and a mapping there; only what its section headers need is ever
 * read of it. Sections and functions of a tile are not kept: they are read when somebody looks at it.
 *
 * On another host a chain of headers costs a round trip a member. A symbol table names all of them at once, but for members
 * that define nothing: where it is believed instead of the walk (by_table), the size of a member that is read has to lead to
 * the next one that the table names.
 */
#include "config.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive_helper.h"
#include "tilescope/base/fmt.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/report/archive.h"

enum {
	BATCH = 1024,
	PERCENT = 100,
	AHEAD = 1024, /* headers that are asked for at once */
	HEAD = 512,   /* bytes of each: with it the walk reads what is behind it */
	MEMBER_HEAD = 60,
	FAR_WHOLE = 8 << 20, /* bytes: so much of a far archive is read on without a thought */
};

/* --- reading ---------------------------------------------------------------------------------- */

static void TS_PRINTF(2, 3) note_damage(struct ts_archive *a, const char *fmt, ...)
{
	char why[TS_NOTE_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	a->state = TS_PART_DAMAGED;
	a->notes.partial = true;
	ts_notes_add(&a->notes, "archive.a: %s", why);
}

static enum ts_code
keep_member(struct ts_archive *a, const struct ts_member *m, struct ts_err *err)
{
	void *p = a->tile;

	a->members++;
	a->kinds[m->kind]++;
	if (m->kind != TS_MEMBER_TILE)
		return TS_OK;
	if (!ts_room(&p, &a->cap, a->tiles, sizeof(*a->tile)))
		return ts_err_nomem(err);
	a->tile = p;
	a->tile[a->tiles++] = (struct ts_archive_tile){*m, TS_UNKNOWN};
	return TS_OK;
}

/* Headers that the symbol table names, some at a time, before the walk comes to them. */
static void
want_headers(const struct ts_archive_walk *w, size_t *ahead)
{
	struct ts_byte_range span[AHEAD];
	size_t n = 0;

	if (*ahead > 0 && (*ahead == w->hints || w->at < w->hint[*ahead - 1]))
		return;
	for (; n < AHEAD && *ahead < w->hints; ++*ahead)
		span[n++] = (struct ts_byte_range){w->hint[*ahead], HEAD};
	ts_source_want(w->source, span, n, false, NULL);
}

/* About how many members there are, each as large as the first. */
static int64_t
guess_members(const struct ts_archive *a, const struct ts_member *first)
{
	int64_t rest = a->source->size - first->header;

	return ts_max_i64(1, rest / (first->size + MEMBER_HEAD));
}

/* Each member that the symbol table names for a tile. */
static enum ts_code
keep_places(struct ts_archive *a, const struct ts_archive_walk *w, struct ts_err *err)
{
	void *p = a->tile;

	for (size_t i = 0; i < w->hints; i++) {
		if (!ts_room(&p, &a->cap, a->tiles, sizeof(*a->tile)))
			return ts_err_nomem(err);
		a->tile = p;
		a->tile[a->tiles++] = (struct ts_archive_tile){.member = {.header = w->hint[i]},
			.text = TS_UNKNOWN};
	}
	a->members = (int64_t)w->hints;
	a->by_table = true;
	ts_notes_add(&a->notes,
		"archive.a: its symbol table names %zu members; on another host they are read one by "
		"one, when a tile is looked at (--archive reads all of them)",
		w->hints);
	return TS_OK;
}

static void
leave_out(struct ts_archive *a, const struct ts_member *first)
{
	char size[TS_FMT_MAX];

	a->left_out = guess_members(a, first);
	ts_notes_add(&a->notes,
		"archive.a has no symbol table: about %lld headers of its %s would cost a round trip "
		"each, and were left out (--archive reads them)",
		(long long)a->left_out, ts_fmt_bytes(size, a->source->size, TS_UNITS_KIB));
}

/*
 * What the first member of a far archive tells: *done when the walk is not needed, or not worth it. A symbol table that does not
 * begin with the first member is not believed.
 */
static enum ts_code
look_first(struct ts_archive *a, const struct ts_archive_walk *w, const struct ts_member *first,
	bool places, bool all, bool *done, struct ts_err *err)
{
	bool table = w->hints > 0 && !w->hints_cut && w->hint[0] == first->header;

	*done = a->source->size > FAR_WHOLE;
	if (!*done) /* small members come with what is read ahead */
		return TS_OK;
	if (table && places)
		return keep_places(a, w, err);
	*done = !table && !all;
	if (*done)
		leave_out(a, first);
	return TS_OK;
}

struct reading {
	bool far, places, all;
};

static enum ts_code
walk(struct ts_archive *a, const struct reading *how, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct ts_archive_walk w;
	struct ts_err why = {0};
	enum ts_code code = ts_archive_walk_init(&w, a->source, cancel, err), end = TS_OK;
	bool there = true, done = false;
	size_t ahead = 0;

	while (!code && there && !done) {
		struct ts_member m;

		if (how->far && w.hints > 0)
			want_headers(&w, &ahead);
		code = ts_archive_next(&w, &m, &there, &why);
		if (!code && there && how->far && w.members == 1)
			end = look_first(a, &w, &m, how->places, how->all, &done, err);
		if (!code && there && !done && !end)
			end = keep_member(a, &m, err);
		if (end)
			code = end;
	}
	a->names_at = w.names_at;
	a->names_size = w.names_size;
	a->expected = ts_archive_hints(&w);
	if (code == TS_E_LIMIT || code == TS_E_SYS) {
		note_damage(a, "%s", why.msg);
		code = TS_OK;
	} else if (code && !end && why.code && err) {
		*err = why;
	}
	if (!code && w.damage.code)
		note_damage(a, "%s", w.damage.msg);
	if (!code && w.damage.code && (int64_t)a->expected > a->members)
		note_damage(a, "its symbol table names %zu members, %lld are there", a->expected,
			(long long)a->members);
	ts_archive_walk_fini(&w);
	return code;
}

struct sizes {
	struct ts_archive *a;
	struct ts_progress *progress;
	size_t first;
	struct ts_err *why; /* of the first tile that is broken */
	int64_t tile;
};

static void
keep_size(void *ctx, size_t i, const struct helper_answer *answer)
{
	struct sizes *s = ctx;
	struct ts_archive *a = s->a;
	size_t tile = s->first + i;

	if (!answer->code && answer->reply->text >= 0)
		a->tile[tile].text = answer->reply->text;
	else if (a->broken++ == 0) {
		s->tile = (int64_t)tile;
		ts_err_set(s->why, TS_E_DAMAGED, "%s",
			!answer->reply	       ? "the process that reads it ended over it"
				: answer->code ? answer->reply->why
					       : "it has no section .text");
	}
	ts_progress_set(s->progress, (int64_t)tile + 1, (int64_t)a->tiles);
}

static void
note_broken(struct ts_archive *a, const struct sizes *s)
{
	char name[TS_MEMBER_NAME];
	int64_t broken = a->broken;

	if (broken == 0)
		return;
	if (ts_member_name(name, &a->tile[s->tile].member, a->source, NULL, NULL))
		name[0] = '\0';
	note_damage(a, "%lld of %zu tiles could not be read, first tile %lld (%s): %s",
		(long long)broken, a->tiles, (long long)s->tile, name, s->why->msg);
}

static enum ts_code
read_sizes(struct ts_archive *a, struct ts_progress *progress, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct helper h = {.source = a->source, .cancel = cancel};
	struct ts_elf_request question[BATCH];
	struct ts_err why = {0};
	struct sizes s = {a, progress, 0, &why, 0};
	enum ts_code code = TS_OK;

	for (; !code && s.first < a->tiles; s.first += BATCH) {
		size_t n = a->tiles - s.first < BATCH ? a->tiles - s.first : BATCH;

		for (size_t i = 0; i < n; i++)
			question[i] = (struct ts_elf_request){.hello = TS_ELF_HELLO,
				.offset = a->tile[s.first + i].member.offset,
				.size = a->tile[s.first + i].member.size};
		code = helper_ask(&h, question, n, keep_size, &s, err);
	}
	helper_end(&h);
	if (code == TS_E_LIMIT) { /* what was read before that stands */
		a->broken = 0;
		for (size_t i = a->tiles; i-- > 0;)
			if (a->tile[i].text == TS_UNKNOWN) {
				a->broken++;
				s.tile = (int64_t)i;
			}
		if (err)
			why = *err;
		code = TS_OK;
	}
	if (!code)
		note_broken(a, &s);
	return code;
}

static void
note_kinds(struct ts_archive *a)
{
	for (int k = TS_MEMBER_HOST + 1; k < TS_MEMBER_KINDS; k++)
		if (a->kinds[k] > 0)
			ts_notes_add(&a->notes, "archive.a: %lld member%s left out: %s",
				(long long)a->kinds[k], a->kinds[k] == 1 ? "" : "s",
				ts_member_kind_text((enum ts_member_kind)k));
	if (a->tiles == 0)
		ts_notes_add(&a->notes, "archive.a: no tile in it (an ELF file of the IPU)");
}

/* It may have been written while it was read: then nothing of it is certain. */
static enum ts_code
look_again(struct ts_archive *a, struct ts_files *files, const char *path, struct ts_err *err)
{
	struct ts_source *now;
	enum ts_code code = ts_files_open(files, &now, path, NULL, NULL);

	if (code == TS_E_NOMEM)
		return ts_err_nomem(err);
	if (code) /* removed meanwhile: what was opened is still there */
		return TS_OK;
	if (now->size != a->source->size || now->mtime != a->source->mtime ||
		now->mtime_ns != a->source->mtime_ns || now->inode != a->source->inode)
		note_damage(a, "it was changed while it was read");
	ts_source_close(now);
	return TS_OK;
}

static enum ts_code
read_archive(struct ts_archive **out, struct ts_files *files, const char *path,
	const struct reading *how, struct ts_progress *progress, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct ts_archive *a = ts_alloc(1, sizeof(*a));
	enum ts_code code;

	*out = NULL;
	if (!a)
		return ts_err_nomem(err);
	atomic_init(&a->uses, 1);
	a->state = TS_PART_OK;
	code = ts_files_open(files, &a->source, path, cancel, err);
	if (!code)
		code = walk(a, how, cancel, err);
	if (!code && !a->by_table)
		code = read_sizes(a, progress, cancel, err);
	if (!code && !a->by_table && !a->left_out)
		code = look_again(a, files, path, err);
	if (code) {
		ts_archive_release(a);
		return code;
	}
	if (!a->left_out)
		note_kinds(a);
	*out = a;
	return TS_OK;
}

enum ts_code
ts_archive_read(struct ts_archive **out, struct ts_files *files, const char *path,
	struct ts_progress *progress, const struct ts_cancel *cancel, struct ts_err *err)
{
	const struct reading how = {.far = files != NULL, .all = files && files->thorough};

	return read_archive(out, files, path, &how, progress, cancel, err);
}

enum ts_code
ts_archive_read_places(struct ts_archive **out, struct ts_files *files, const char *path, bool all,
	struct ts_progress *progress, const struct ts_cancel *cancel, struct ts_err *err)
{
	bool thorough = files && files->thorough;
	const struct reading how = {files != NULL, !thorough, all || thorough};

	return read_archive(out, files, path, &how, progress, cancel, err);
}

struct ts_archive *
ts_archive_hold(struct ts_archive *a)
{
	if (a)
		atomic_fetch_add(&a->uses, 1);
	return a;
}

void
ts_archive_release(struct ts_archive *a)
{
	if (!a || atomic_fetch_sub(&a->uses, 1) > 1)
		return;
	ts_source_close(a->source);
	ts_notes_fini(&a->notes);
	free(a->tile);
	free(a);
}

/* --- one tile --------------------------------------------------------------------------------- */

struct one {
	struct ts_archive_details *d;
	enum ts_code code;
	struct ts_err *err;
};

static void
keep_details(void *ctx, size_t i, const struct helper_answer *answer)
{
	struct one *o = ctx;
	struct ts_elf_tile *t = &o->d->elf;
	const struct ts_elf_reply *r = answer->reply;

	(void)i;
	o->code = answer->code;
	if (o->code) {
		ts_err_set(o->err, o->code, "%s",
			r ? r->why : "the process that reads it ended over it");
		return;
	}
	*t = (struct ts_elf_tile){.text = r->text,
		.sections = r->sections,
		.functions = r->functions,
		.function_bytes = r->function_bytes,
		.section_count = (int)r->section_count,
		.function_count = (int)r->function_count};
	memcpy(t->section, answer->section, r->section_count * sizeof(t->section[0]));
	memcpy(t->function, answer->function, r->function_count * sizeof(t->function[0]));
}

/*
 * The member of a tile that is known by the symbol table: all of it in one read. Behind it has to lie the next one that the
 * table names, else tiles are missing there, and those behind it have other numbers.
 */
static enum ts_code
find_member(struct ts_member *m, const struct ts_archive *a, int64_t tile,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	bool last = tile + 1 == (int64_t)a->tiles, there;
	int64_t from = a->tile[tile].member.header;
	int64_t to = last ? a->source->size : a->tile[tile + 1].member.header;
	struct ts_byte_range span = {from, (size_t)ts_clamp_i64(to - from, 0, TS_ELF_BYTES_MAX)};
	struct ts_archive_walk w = {.source = a->source,
		.cancel = cancel,
		.at = from,
		.names_at = a->names_at,
		.names_size = a->names_size};
	enum ts_code code;

	ts_source_want(a->source, &span, 1, true, NULL);
	code = ts_archive_next(&w, m, &there, err);
	if (!code && (!there || m->header != from || m->kind != TS_MEMBER_TILE))
		code = ts_err_set(err, TS_E_DAMAGED,
			"what the symbol table names at offset %lld is no tile", (long long)from);
	if (!code && !last && w.at != to)
		code = ts_err_set(err, TS_E_DAMAGED,
			"behind the member at offset %lld lies one that the symbol table does not name: "
			"which tile is which is not known",
			(long long)from);
	ts_archive_walk_fini(&w);
	return code;
}

enum ts_code
ts_archive_details(struct ts_archive_details **out, const struct ts_archive *a, int64_t tile,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct helper h = {.source = a->source, .cancel = cancel};
	struct ts_elf_request q = {.hello = TS_ELF_HELLO, .details = 1};
	struct one o = {.err = err};
	struct ts_member m;
	enum ts_code code;

	*out = NULL;
	if (tile < 0 || tile >= (int64_t)a->tiles)
		return ts_err_set(err, TS_E_ABSENT, "archive.a has no tile %lld", (long long)tile);
	o.d = ts_alloc(1, sizeof(*o.d));
	if (!o.d)
		return ts_err_nomem(err);
	m = a->tile[tile].member;
	code = a->by_table ? find_member(&m, a, tile, cancel, err) : TS_OK;
	q.offset = m.offset;
	q.size = m.size;
	if (!code)
		code = ts_member_name(o.d->name, &m, a->source, cancel, err);
	if (!code)
		code = helper_ask(&h, &q, 1, keep_details, &o, err);
	helper_end(&h);
	if (!code)
		code = o.code;
	if (code) {
		free(o.d);
		return code;
	}
	*out = o.d;
	return TS_OK;
}

/* --- as a source of a report ------------------------------------------------------------------ */

/* Bytes that the source itself frees. */
struct rows_source {
	struct ts_source base;
	struct ts_source *memory;
	unsigned char *bytes;
};

static enum ts_code
rows_read(struct ts_source *s, void *buf, size_t n, int64_t offset, size_t *got,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	return ts_source_read(((struct rows_source *)s)->memory, buf, n, offset, got, cancel, err);
}

static void
rows_close(struct ts_source *s)
{
	struct rows_source *rows = (struct rows_source *)s;

	ts_source_close(rows->memory);
	sqlite3_free(rows->bytes);
	free(rows);
}

static const struct ts_source_ops rows_ops = {.read_at = rows_read, .close = rows_close};

static int
insert_tiles(sqlite3 *db, const struct ts_archive *a)
{
	sqlite3_stmt *stmt;
	int rc = sqlite3_prepare_v2(db, "INSERT INTO tile_memory VALUES (?, ?)", -1, &stmt, NULL);

	for (size_t i = 0; rc == SQLITE_OK && i < a->tiles; i++) {
		sqlite3_bind_int64(stmt, 1, (sqlite3_int64)i);
		if (a->tile[i].text == TS_UNKNOWN)
			sqlite3_bind_null(stmt, 2);
		else
			sqlite3_bind_int64(stmt, 2, a->tile[i].text);
		rc = sqlite3_step(stmt) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
		sqlite3_reset(stmt);
	}
	sqlite3_finalize(stmt);
	return rc;
}

/* The database's bytes, sqlite3_free()d by the caller; NULL when there was no memory. */
static unsigned char *
make_rows(const struct ts_archive *a, sqlite3_int64 *size)
{
	unsigned char *bytes = NULL;
	sqlite3 *db;
	int rc = sqlite3_open_v2(":memory:", &db,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
			SQLITE_OPEN_PRIVATECACHE,
		NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db,
			"BEGIN;"
			"CREATE TABLE tile_memory (tile INTEGER PRIMARY KEY, total INTEGER)",
			NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = insert_tiles(db, a);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		bytes = sqlite3_serialize(db, "main", size, 0);
	sqlite3_close(db);
	return bytes;
}

enum ts_code
ts_archive_rows(struct ts_source **out, const struct ts_archive *a, struct ts_err *err)
{
	struct rows_source *s = ts_alloc(1, sizeof(*s));
	sqlite3_int64 size = 0;
	enum ts_code code;

	*out = NULL;
	if (!s)
		return ts_err_nomem(err);
	s->bytes = make_rows(a, &size);
	code = s->bytes ? ts_source_open_mem(&s->memory, s->bytes, (size_t)size, err)
			: ts_err_nomem(err);
	if (code) {
		sqlite3_free(s->bytes);
		free(s);
		return code;
	}
	s->base = *a->source;
	s->base.ops = &rows_ops;
	s->base.size = size;
	*out = &s->base;
	return TS_OK;
}

/* --- beside a profile ------------------------------------------------------------------------- */

/* By how many bytes .text is outside of what the profile says, give or take a hundredth; 0: it agrees. */
static int64_t
off_by(int64_t text, const struct ts_tile *t)
{
	int64_t low = ts_min_i64(t->total, ts_tile_used(t));
	int64_t high = ts_max_i64(t->total, ts_tile_used(t));

	if (text < low - low / PERCENT)
		return low - text;
	return text > high && text - high > high / PERCENT ? text - high : 0;
}

void
ts_archive_compare(struct ts_archive_check *c, const struct ts_archive *a,
	const struct ts_tiles *tiles)
{
	int64_t worst = 0;

	*c = (struct ts_archive_check){.worst = TS_UNKNOWN};
	if (a->by_table) /* only tiles that define something are in it, and no sizes */
		return;
	for (size_t i = 0; i < tiles->count; i++) {
		const struct ts_tile *t = &tiles->tile[i];
		int64_t text, off;

		if (t->tile >= (int64_t)a->tiles) {
			c->only_profile++;
			continue;
		}
		text = a->tile[t->tile].text;
		if (text == TS_UNKNOWN)
			continue;
		c->compared++;
		off = off_by(text, t);
		c->different += off > 0;
		if (off <= worst)
			continue;
		worst = off;
		c->worst = t->tile;
		c->worst_text = text;
		c->worst_profile = text < t->total ? t->total : ts_tile_used(t);
	}
	c->only_archive = (int64_t)a->tiles - ((int64_t)tiles->count - c->only_profile);
}

void
ts_archive_note_check(struct ts_notes *notes, const struct ts_archive *a,
	const struct ts_archive_check *c)
{
	if (c->different > 0)
		ts_notes_add(notes,
			"archive.a and the profile differ by more than 1 %% on %lld of %lld tiles, most "
			"on tile %lld: .text has %lld bytes, the profile says %lld (of another run?)",
			(long long)c->different, (long long)c->compared, (long long)c->worst,
			(long long)c->worst_text, (long long)c->worst_profile);
	if (c->only_archive > 0 || c->only_profile > 0)
		ts_notes_add(notes,
			"archive.a has %zu tiles, %lld of them not in the profile; %lld of the "
			"profile are not in it",
			a->tiles, (long long)c->only_archive, (long long)c->only_profile);
}

void
ts_archive_note(struct ts_notes *notes, const struct ts_archive *a,
	const struct ts_archive_check *c)
{
	ts_notes_copy(notes, &a->notes);
	if (c)
		ts_archive_note_check(notes, a, c);
}
