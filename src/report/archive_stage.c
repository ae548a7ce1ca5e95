/* SPDX-License-Identifier: MIT */
/*
 * archive_stage - what the helper needs of members that lie on another host.
 *
 * Where things lie in a member is read from its own header, which may say anything: whatever does not lie within the member, or
 * is larger than it can sensibly be, is not fetched, and the helper finds nothing there. Each round is one burst for all
 * members: their headers, their tables of sections, the names of those; or each whole member.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive_helper.h"
#include "tilescope/base/mem.h"

enum {
	PAGE = 4096,
	HEADER = 52, /* of a 32-bit ELF file */
	SECTION = 40,
	AT_SECTIONS = 32, /* offset of the table, 4 bytes */
	AT_ENTRY = 46,	  /* bytes of an entry, 2 */
	AT_COUNT = 48,	  /* entries, 2 */
	AT_NAMES = 50,	  /* which of them has the names, 2 */
	AT_OFFSET = 16,	  /* in an entry: where the section lies, 4; behind it its bytes, 4 */
	TABLE_MAX = 64 << 10,
	NAMES_MAX = 1 << 20,
	CHUNK = 1 << 20,
};

static uint32_t
number(const unsigned char *p, size_t n)
{
	uint32_t v = 0;

	while (n-- > 0)
		v = v << 8 | p[n];
	return v;
}

/* A part of a member, if it lies within it; else nothing. */
static struct ts_byte_range
within(const struct ts_elf_request *q, int64_t offset, int64_t bytes, int64_t most)
{
	if (q->size > TS_ELF_BYTES_MAX || offset < 0 || bytes <= 0 || bytes > most ||
		offset > q->size || bytes > q->size - offset)
		return (struct ts_byte_range){q->offset, 0};
	return (struct ts_byte_range){q->offset + offset, (size_t)bytes};
}

struct stage {
	struct helper *h;
	const struct ts_elf_request *question;
	struct ts_elf_request *to;
	size_t n;
	struct ts_byte_range part[STAGE_MEMBERS]; /* of each member: what is fetched next */
	unsigned char *bytes;			  /* CHUNK */
};

static enum ts_code
put(int fd, const unsigned char *bytes, size_t n, int64_t at, struct ts_err *err)
{
	while (n > 0) {
		ssize_t w = pwrite(fd, bytes, n, at);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return ts_err_sys(err, w < 0 ? errno : ENOSPC,
				"no room for what a process reads");
		bytes += w;
		n -= (size_t)w;
		at += w;
	}
	return TS_OK;
}

/* Member i's part into the file, where the member lies there. What the archive has not is left empty. */
static enum ts_code
copy_part(struct stage *s, size_t i, struct ts_err *err)
{
	const struct ts_byte_range *part = &s->part[i];
	int64_t shift = s->to[i].offset - s->question[i].offset;
	enum ts_code code = TS_OK;
	size_t got = CHUNK;

	for (size_t done = 0; !code && done < part->n && got == CHUNK; done += got) {
		size_t n = part->n - done < CHUNK ? part->n - done : CHUNK;
		int64_t at = part->offset + (int64_t)done;

		code = ts_source_read(s->h->source, s->bytes, n, at, &got, s->h->cancel, err);
		if (!code)
			code = put(s->h->staged, s->bytes, got, at + shift, err);
	}
	return code;
}

/* One burst: the parts of all. */
static enum ts_code
copy_parts(struct stage *s, struct ts_err *err)
{
	struct ts_byte_range span[STAGE_MEMBERS];
	enum ts_code code = TS_OK;
	size_t spans = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->part[i].n > 0)
			span[spans++] = s->part[i];
	ts_source_want(s->h->source, span, spans, false, NULL);
	for (size_t i = 0; !code && i < s->n; i++)
		code = copy_part(s, i, err);
	return code;
}

/* What was put of a member at that place of its own; zeros where nothing was. */
static void
look(unsigned char *out, size_t n, const struct stage *s, size_t i, int64_t offset)
{
	memset(out, 0, n);
	if (offset >= 0 && offset <= s->question[i].size - (int64_t)n)
		(void)!pread(s->h->staged, out, n, s->to[i].offset + offset);
}

static void
want_sections(struct stage *s, size_t i)
{
	unsigned char head[HEADER];
	int64_t count;

	look(head, sizeof(head), s, i, 0);
	count = number(head + AT_COUNT, 2);
	s->part[i] = number(head + AT_ENTRY, 2) == SECTION
		? within(&s->question[i], number(head + AT_SECTIONS, 4),
			  (count ? count : 1) * SECTION, TABLE_MAX)
		: within(&s->question[i], 0, 0, 0);
}

static void
want_names(struct stage *s, size_t i)
{
	unsigned char head[HEADER], section[SECTION];
	int64_t names;

	look(head, sizeof(head), s, i, 0);
	names = number(head + AT_NAMES, 2);
	look(section, sizeof(section), s, i, number(head + AT_SECTIONS, 4) + names * SECTION);
	s->part[i] = within(&s->question[i], number(section + AT_OFFSET, 4),
		number(section + AT_OFFSET + 4, 4), NAMES_MAX);
}

/* What is needed for the sizes of sections. */
static enum ts_code
copy_tables(struct stage *s, struct ts_err *err)
{
	enum ts_code code;

	for (size_t i = 0; i < s->n; i++)
		s->part[i] = within(&s->question[i], 0, ts_min_i64(s->question[i].size, HEADER),
			HEADER);
	code = copy_parts(s, err);
	for (size_t i = 0; !code && i < s->n; i++)
		want_sections(s, i);
	if (!code)
		code = copy_parts(s, err);
	for (size_t i = 0; !code && i < s->n; i++)
		want_names(s, i);
	return code ? code : copy_parts(s, err);
}

static enum ts_code
copy_whole(struct stage *s, struct ts_err *err)
{
	for (size_t i = 0; i < s->n; i++)
		s->part[i] = within(&s->question[i], 0, s->question[i].size, TS_ELF_BYTES_MAX);
	return copy_parts(s, err);
}

/* Those that are put in at once, each at a page of its own. Too large ones keep their size: the helper refuses them. */
static size_t
place(struct stage *s, size_t n)
{
	int64_t at = 0, bytes = 0;
	size_t i = 0;

	for (; i < n && i < STAGE_MEMBERS; i++) {
		const struct ts_elf_request *q = &s->question[i];
		int64_t size = q->size > 0 && q->size <= TS_ELF_BYTES_MAX ? q->size : 0;

		bytes += q->details ? size : 0;
		if (i > 0 && bytes > STAGE_BYTES)
			break;
		s->to[i] = *q;
		s->to[i].offset = at;
		at += (size + PAGE - 1) / PAGE * PAGE;
	}
	s->n = i;
	return (size_t)at;
}

enum ts_code
helper_stage(struct helper *h, struct ts_elf_request *to, size_t *took,
	const struct ts_elf_request *question, size_t n, struct ts_err *err)
{
	struct stage *s = ts_alloc(1, sizeof(*s));
	enum ts_code code;
	size_t bytes;

	*took = 0;
	if (s)
		s->bytes = ts_alloc(CHUNK, 1);
	if (!s || !s->bytes) {
		free(s);
		return ts_err_nomem(err);
	}
	s->h = h;
	s->question = question;
	s->to = to;
	bytes = place(s, n);
	if (ftruncate(h->staged, 0) < 0 || ftruncate(h->staged, (off_t)bytes) < 0)
		code = ts_err_sys(err, errno, "no room for what a process reads");
	else
		code = question[0].details ? copy_whole(s, err) : copy_tables(s, err);
	*took = s->n;
	free(s->bytes);
	free(s);
	return code;
}
