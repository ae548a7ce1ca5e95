/* SPDX-License-Identifier: MIT */
/*
 * archive - walk the headers of an `ar` archive.
 *
 * libelf could, but it gives nothing for BSD names and reads the file through a mapping. A member costs one
 * read: its header, a name behind it, and the first bytes of its ELF header come together.
 *
 * The symbol table (`/`, `/SYM64/`, `__.SYMDEF`) names the headers of members that define something. It
 * cannot take the place of the walk, for a tile that defines nothing would be missing and all behind it
 * had another number; it says how many members to expect before they are walked, and where to go on
 * behind a header that is broken.
 *
 * Limits: nothing is allocated but the offsets of the symbol table, at most TS_ARCHIVE_MEMBERS.
 */
#include "config.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/format/archive.h"

enum {
	MAGIC = 8,
	HEADER = 60, /* name 16, date 12, uid 6, gid 6, mode 8, size 10, end 2 */
	NAME = 16,
	AT_SIZE = 48,
	SIZE = 10,
	AT_END = 58,
	IDENT = 20,	      /* bytes of an ELF file up to e_machine */
	HEAD = 512,	      /* read at once */
	CHUNK = 4096,	      /* of a symbol table */
	WANTED_MAX = 8 << 20, /* bytes of it that are asked for at once */
};

const char *
ts_member_kind_text(enum ts_member_kind kind)
{
	static const char *const text[TS_MEMBER_KINDS] = {"a tile", "of the host",
		"not an ELF file", "an archive", "a 64-bit ELF file", "a big-endian ELF file",
		"an ELF file of another machine"};

	return text[kind];
}

/* Digits and then blanks only; -1 when it is no such number. */
static int64_t
decimal(const unsigned char *s, size_t n)
{
	int64_t v = 0;
	size_t i = 0;

	for (; i < n && s[i] >= '0' && s[i] <= '9'; i++)
		v = v * 10 + (s[i] - '0'); /* at most 13 digits */
	if (i == 0)
		return -1;
	for (; i < n; i++)
		if (s[i] != ' ')
			return -1;
	return v;
}

static uint64_t
number(const unsigned char *p, size_t n, bool big)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v = v << 8 | p[big ? i : n - 1 - i];
	return v;
}

/* --- symbol tables ---------------------------------------------------------------------------- */

static int
by_value(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void
sort_hints(struct ts_archive_walk *w)
{
	size_t kept = 0;

	if (w->hints)
		qsort(w->hint, w->hints, sizeof(*w->hint), by_value);
	for (size_t i = 0; i < w->hints; i++)
		if (i == 0 || w->hint[i] != w->hint[kept - 1])
			w->hint[kept++] = w->hint[i];
	w->hints = kept;
}

/*
 * How a symbol table's offsets lie: `count` of them from `at` on, `stride` apart, `width` bytes wide. A
 * member that defines a thousand symbols is named a thousand times in a row.
 */
struct offsets {
	int64_t at, count;
	size_t stride, width;
	bool big;
};

static enum ts_code
keep_hint(struct ts_archive_walk *w, size_t *cap, uint64_t offset, struct ts_err *err)
{
	void *p = w->hint;

	if (offset < MAGIC || offset > INT64_MAX) { /* behind the end: a member that is gone */
		w->hints_cut = true;
		return TS_OK;
	}
	if (w->hints && w->hint[w->hints - 1] == (int64_t)offset)
		return TS_OK;
	if (w->hints == TS_ARCHIVE_MEMBERS) /* names sorted by symbol come in any order */
		sort_hints(w);
	if (w->hints == TS_ARCHIVE_MEMBERS) {
		w->hints_cut = true;
		return TS_OK;
	}
	if (!ts_room(&p, cap, w->hints, sizeof(*w->hint)))
		return ts_err_nomem(err);
	w->hint = p;
	w->hint[w->hints++] = (int64_t)offset;
	return TS_OK;
}

static enum ts_code
read_offsets(struct ts_archive_walk *w, const struct offsets *o, struct ts_err *err)
{
	unsigned char buf[CHUNK];
	size_t cap = w->hints, got;
	enum ts_code code = TS_OK;
	int64_t each = CHUNK / (int64_t)o->stride;
	const struct ts_byte_range all = {o->at,
		(size_t)ts_min_i64(o->count * (int64_t)o->stride, WANTED_MAX)};

	ts_source_want(w->source, &all, 1, false, NULL);
	for (int64_t i = 0; !code && i < o->count; i += each) {
		int64_t n = ts_min_i64(each, o->count - i);

		code = ts_source_read(w->source, buf, (size_t)n * o->stride,
			o->at + i * (int64_t)o->stride, &got, w->cancel, err);
		for (size_t k = 0; !code && k < got / o->stride; k++)
			code = keep_hint(w, &cap,
				number(buf + k * o->stride + o->stride - o->width, o->width,
					o->big),
				err);
		if (!code && w->hints_cut && w->hints == TS_ARCHIVE_MEMBERS)
			break;
	}
	sort_hints(w);
	return code;
}

/* A count, then the offsets, big-endian, then names. */
static bool
system_v_offsets(struct offsets *o, const unsigned char *first, int64_t at, int64_t size,
	size_t width)
{
	if (size < (int64_t)width)
		return false;
	uint64_t count = number(first, width, true);

	*o = (struct offsets){at + (int64_t)width, 0, width, width, true};
	if (count > (uint64_t)(size - (int64_t)width) / width)
		return false;
	o->count = (int64_t)count;
	return true;
}

/* The bytes of a table of pairs (symbol, offset), in the byte order of whoever wrote it, then the table. */
static bool
bsd_offsets(struct offsets *o, const unsigned char *first, int64_t at, int64_t size)
{
	enum { WORD = 4, PAIR = 2 * WORD };

	for (int big = 0; big < 2 && size >= WORD; big++) {
		uint64_t bytes = number(first, WORD, big);

		if (bytes > (uint64_t)(size - WORD) || bytes % PAIR != 0)
			continue;
		*o = (struct offsets){at + WORD, (int64_t)bytes / PAIR, PAIR, WORD, big};
		return true;
	}
	return false;
}

/* --- one member ------------------------------------------------------------------------------- */

enum name_kind { NAME_OF_MEMBER, NAME_NAMES, NAME_SYMBOLS, NAME_SYMBOLS_64, NAME_SYMBOLS_BSD };

/* What was read of a member: its header and what follows. */
struct head {
	unsigned char byte[HEAD];
	size_t got;
	int64_t at, left; /* left: bytes of the file behind the header */
};

static bool
starts(const unsigned char *s, size_t n, const char *word)
{
	return n >= strlen(word) && memcmp(s, word, strlen(word)) == 0;
}

/* Names that stand for themselves, with the blanks behind them. */
static enum name_kind
special(const unsigned char *name, size_t n)
{
	if (starts(name, n, "// "))
		return NAME_NAMES;
	if (starts(name, n, "/ "))
		return NAME_SYMBOLS;
	if (starts(name, n, "/SYM64/"))
		return NAME_SYMBOLS_64;
	if (starts(name, n, "__.SYMDEF_64"))
		return NAME_OF_MEMBER; /* Darwin's: not known well enough; it is no ELF file */
	if (starts(name, n, "__.SYMDEF"))
		return NAME_SYMBOLS_BSD;
	return NAME_OF_MEMBER;
}

/* The first thing that is wrong with the archive is told, with its place. */
static void TS_PRINTF(2, 3) damaged(struct ts_archive_walk *w, const char *fmt, ...)
{
	struct ts_strbuf text;
	va_list ap;

	if (w->damage.code)
		return;
	ts_strbuf_init(&text, TS_ERR_MSG);
	va_start(ap, fmt);
	ts_strbuf_vprintf(&text, fmt, ap);
	va_end(ap);
	ts_err_set(&w->damage, TS_E_DAMAGED, "%s", text.s);
	ts_strbuf_fini(&text);
}

/*
 * Behind a header that makes no sense: the next member that the symbol table knows, if it knows one.
 * False: that is the end.
 */
static bool
jump(struct ts_archive_walk *w, int64_t from)
{
	size_t low = 0, high = w->hints;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->hint[middle] > from)
			high = middle;
		else
			low = middle + 1;
	}
	if (low < w->hints && w->hint[low] < w->source->size) {
		w->at = w->hint[low];
		w->jumps++;
		return true;
	}
	w->at = w->source->size;
	return false;
}

/* Where the name stands; moves offset and size behind a BSD name. False: its length makes no sense. */
static bool
find_name(struct ts_member *m, const struct ts_archive_walk *w, const struct head *h)
{
	const unsigned char *name = h->byte;
	int64_t n;

	m->name_at = m->header;
	m->name_max = NAME;
	if (starts(name, NAME, "#1/")) {
		n = decimal(name + 3, NAME - 3);
		if (n < 0 || n > m->size)
			return false;
		m->name_at = m->offset;
		m->name_max = (uint32_t)ts_min_i64(n, UINT32_MAX);
		m->offset += n;
		m->size -= n;
	} else if (name[0] == '/' && (n = decimal(name + 1, NAME - 1)) >= 0 && n < w->names_size) {
		m->name_at = w->names_at + n;
		m->name_max = (uint32_t)ts_min_i64(w->names_size - n, UINT32_MAX);
	}
	return true;
}

static enum ts_member_kind
kind_of(const unsigned char *p, size_t n)
{
	if (n >= MAGIC &&
		(memcmp(p, "!<arch>\n", MAGIC) == 0 || memcmp(p, "!<thin>\n", MAGIC) == 0))
		return TS_MEMBER_NESTED;
	if (n < IDENT || memcmp(p, "\177ELF", 4) != 0)
		return TS_MEMBER_OTHER;
	bool ipu = number(p + 18, 2, false) == TS_EM_IPU;
	if (p[4] != 1)
		return p[5] == 1 && ipu ? TS_MEMBER_HOST : TS_MEMBER_64;
	if (p[5] != 1)
		return TS_MEMBER_BIG;
	return ipu ? TS_MEMBER_TILE : TS_MEMBER_MACHINE;
}

/* What the member's first bytes say: they were read with its header, unless its name is very long. */
static enum ts_code
find_kind(struct ts_member *m, const struct ts_archive_walk *w, const struct head *h,
	struct ts_err *err)
{
	unsigned char far[IDENT];
	const unsigned char *p = far;
	size_t want = (size_t)ts_min_i64(m->size, IDENT), got = want;
	enum ts_code code = TS_OK;

	if (m->offset - h->at + (int64_t)want <= (int64_t)h->got)
		p = h->byte + (m->offset - h->at);
	else
		code = ts_source_read(w->source, far, want, m->offset, &got, w->cancel, err);
	m->kind = kind_of(p, got);
	return code;
}

static enum ts_code
read_symbols(struct ts_archive_walk *w, enum name_kind kind, const struct ts_member *m,
	struct ts_err *err)
{
	unsigned char first[8] = {0};
	struct offsets o;
	size_t got;
	enum ts_code code = TS_OK;
	bool good;

	if (w->hints) /* the second one of two is another order of the same */
		return TS_OK;
	code = ts_source_read(w->source, first, sizeof(first), m->offset, &got, w->cancel, err);
	if (code)
		return code;
	good = kind == NAME_SYMBOLS_BSD
		? bsd_offsets(&o, first, m->offset, m->size)
		: system_v_offsets(&o, first, m->offset, m->size, kind == NAME_SYMBOLS ? 4 : 8);
	if (good)
		return read_offsets(w, &o, err);
	w->hints_cut = true;
	return TS_OK;
}

/* Is it one of the archive's own members? Then it is taken in. */
static enum ts_code
take_special(struct ts_archive_walk *w, const struct ts_member *m, const struct head *h, bool *own,
	struct ts_err *err)
{
	const unsigned char *name = h->byte;
	size_t n = NAME;
	enum name_kind kind;

	if (m->offset > h->at + HEADER && m->offset - h->at <= (int64_t)h->got) {
		name = h->byte + HEADER; /* a BSD name */
		n = (size_t)(m->offset - h->at - HEADER);
	}
	kind = special(name, n);
	*own = kind != NAME_OF_MEMBER;
	if (kind == NAME_NAMES) {
		w->names_at = m->offset;
		w->names_size = m->size;
		return TS_OK;
	}
	return *own ? read_symbols(w, kind, m, err) : TS_OK;
}

enum verdict { GOOD, BROKEN, AGAIN };

/* Take the header apart; w->at moves behind the member. */
static enum verdict
read_header(struct ts_archive_walk *w, struct ts_member *m, const struct head *h)
{
	int64_t said;

	if (h->got < HEADER || memcmp(h->byte + AT_END, "`\n", 2) != 0 ||
		(said = decimal(h->byte + AT_SIZE, SIZE)) < 0) {
		damaged(w, "no member's header at offset %lld", (long long)h->at);
		return jump(w, h->at) ? AGAIN : BROKEN;
	}
	*m = (struct ts_member){.header = h->at,
		.offset = h->at + HEADER,
		.size = ts_min_i64(said, h->left),
		.cut = said > h->left};
	w->at = m->offset + said + (said & 1);
	if (m->cut) {
		damaged(w,
			"the member at offset %lld is to have %lld bytes, the file ends after %lld of them",
			(long long)h->at, (long long)said, (long long)h->left);
		jump(w, h->at);
	}
	if (!find_name(m, w, h)) {
		damaged(w, "the name of the member at offset %lld is longer than the member",
			(long long)h->at);
		return w->at < w->source->size || jump(w, h->at) ? AGAIN : BROKEN;
	}
	return GOOD;
}

enum ts_code
ts_archive_next(struct ts_archive_walk *w, struct ts_member *m, bool *there, struct ts_err *err)
{
	struct head h;
	enum ts_code code = TS_OK;

	*there = false;
	while (!code && w->at < w->source->size) {
		enum verdict verdict;
		bool own = false;

		h.at = w->at;
		h.left = w->source->size - h.at - HEADER;
		code = ts_source_read(w->source, h.byte, sizeof(h.byte), h.at, &h.got, w->cancel,
			err);
		if (code)
			return code;
		verdict = read_header(w, m, &h);
		if (verdict == BROKEN)
			return TS_OK;
		if (verdict == AGAIN)
			continue;
		code = take_special(w, m, &h, &own, err);
		if (own || code)
			continue;
		if (w->members == TS_ARCHIVE_MEMBERS)
			return ts_err_set(err, TS_E_LIMIT, "more than %d members",
				TS_ARCHIVE_MEMBERS);
		w->members++;
		*there = true;
		return find_kind(m, w, &h, err);
	}
	return code;
}

enum ts_code
ts_archive_walk_init(struct ts_archive_walk *w, struct ts_source *source,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	unsigned char magic[MAGIC];
	size_t got;
	enum ts_code code;

	*w = (struct ts_archive_walk){.source = source, .cancel = cancel, .at = MAGIC};
	code = ts_source_read(source, magic, sizeof(magic), 0, &got, cancel, err);
	if (code)
		return code;
	if (got == MAGIC && memcmp(magic, "!<thin>\n", MAGIC) == 0)
		return ts_err_set(err, TS_E_FORMAT,
			"a thin archive: its members lie in other files and are not here");
	if (got < MAGIC || memcmp(magic, "!<arch>\n", MAGIC) != 0)
		return ts_err_set(err, TS_E_FORMAT, "not an ar archive");
	return TS_OK;
}

void
ts_archive_walk_fini(struct ts_archive_walk *w)
{
	free(w->hint);
	w->hint = NULL;
	w->hints = 0;
}

/* --- names ------------------------------------------------------------------------------------ */

/* A name ends at a NUL or a line's end; a short one at its blanks too. One slash at its end is not of it. */
static size_t
name_length(const char *s, size_t n, bool is_short)
{
	size_t len = 0;

	while (len < n && s[len] != '\0' && s[len] != '\n')
		len++;
	while (is_short && len > 0 && s[len - 1] == ' ')
		len--;
	if (len > 1 && s[len - 1] == '/')
		len--;
	return len;
}

enum ts_code
ts_member_name(char name[TS_MEMBER_NAME], const struct ts_member *m, struct ts_source *source,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	size_t want = (size_t)ts_min_i64(m->name_max, TS_MEMBER_NAME - 1), got;
	enum ts_code code = ts_source_read(source, name, want, m->name_at, &got, cancel, err);

	name[code ? 0 : name_length(name, got, m->name_at == m->header)] = '\0';
	return code;
}
