/* SPDX-License-Identifier: MIT */
/*
 * archive.a: the walk over any bytes, and what the helper process makes of its members. This program is
 * its own helper; the linker hands it elf_memory(), so that a member can end the helper.
 */
#include "config.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <libelf.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive_bytes.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/format/elf_helper.h"
#include "tilescope/report/archive.h"
#include "tilescope/report/target.h"

enum { MEMBERS = 64 };

static struct bytes b;
static struct ts_err err;
static char dir[64], path[128];
static struct ts_member member[MEMBERS];
static char name[MEMBERS][TS_MEMBER_NAME];
static struct ts_archive_walk walked;

/* --- a libelf that can be made to fail -------------------------------------------------------- */

enum { MARK_AT = 4000 };

Elf *__real_elf_memory(char *image, size_t n);
Elf *__wrap_elf_memory(char *image, size_t n);

Elf *
__wrap_elf_memory(char *image, size_t n)
{
	volatile char *far = image;

	if (n > MARK_AT + 8 && memcmp(image + MARK_AT, "crash", 5) == 0)
		abort();
	if (n > MARK_AT + 8 && memcmp(image + MARK_AT, "touch", 5) == 0)
		return far[4095] ? NULL : __real_elf_memory(image, n);
	while (n > MARK_AT + 8 && memcmp(image + MARK_AT, "spin", 4) == 0)
		far[0] = 0x7f;
	return __real_elf_memory(image, n);
}

/* --- memory that runs out --------------------------------------------------------------------- */

static int allocations = -1; /* until one fails; negative: none does */

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_reallocarray(void *p, size_t n, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size);

static bool
fails(void)
{
	return allocations >= 0 && allocations-- == 0;
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *
__wrap_reallocarray(void *p, size_t n, size_t size)
{
	return fails() ? NULL : __real_reallocarray(p, n, size);
}

/* --- the walk --------------------------------------------------------------------------------- */

static void
begin(void)
{
	b.n = 0;
	err = (struct ts_err){0};
	snprintf(dir, sizeof(dir), "/tmp/ts-archive-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/archive.a", dir);
	add_text(&b, "!<arch>\n");
}

static void
end(void)
{
	unlink(path);
	ck_assert_int_eq(rmdir(dir), 0);
}

/* Walk what is in b; the members are in member[] and name[]; how many there are. */
static int
walk(void)
{
	struct ts_source *s;
	bool there = true;
	int n = 0;

	ck_assert_int_eq(ts_source_open_mem(&s, b.at, b.n, &err), TS_OK);
	ck_assert_msg(ts_archive_walk_init(&walked, s, NULL, &err) == TS_OK, "%s", err.msg);
	while (there) {
		struct ts_member m;
		char text[TS_MEMBER_NAME];

		ck_assert_msg(ts_archive_next(&walked, &m, &there, &err) == TS_OK, "%s", err.msg);
		if (!there)
			break;
		ck_assert_int_ge(m.offset, m.header + 60);
		ck_assert_int_ge(m.size, 0);
		ck_assert_int_le(m.offset + m.size, (int64_t)b.n);
		ck_assert_int_eq(ts_member_name(text, &m, s, NULL, &err), TS_OK);
		ck_assert(strlen(text) < TS_MEMBER_NAME);
		if (n < MEMBERS) {
			member[n] = m;
			memcpy(name[n], text, sizeof(text));
		}
		n++;
	}
	ts_archive_walk_fini(&walked);
	ts_source_close(s);
	return n;
}

static void
expect_member(int i, const char *want, int64_t size)
{
	ck_assert_str_eq(name[i], want);
	ck_assert_int_eq(member[i].size, size);
}

START_TEST(names_of_all_forms)
{
	add_member(&b, "//", "a_long_name_of_a_member.elf/\nsecond one.elf/\n", 45);
	add_member(&b, "plain", "12", 2);
	add_member(&b, "gnu.elf/", "123", 3);
	add_member(&b, "/0", "1234", 4);
	add_member(&b, "/29", "12345", 5);
	add_member(&b, "#1/20", "name of twenty bytesabc", 23);
	add_member(&b, "#1/8", "padded\0\0xy", 10);
	add_member(&b, "with blank.o/", "", 0);
	add_member(&b, "/999", "x", 1);
	ck_assert_int_eq(walk(), 8);
	expect_member(0, "plain", 2);
	expect_member(1, "gnu.elf", 3);
	expect_member(2, "a_long_name_of_a_member.elf", 4);
	expect_member(3, "second one.elf", 5);
	expect_member(4, "name of twenty bytes", 3);
	expect_member(5, "padded", 2);
	expect_member(6, "with blank.o", 0);
	expect_member(7, "/999", 1); /* there is no such name: as it stands */
	ck_assert_int_eq(walked.damage.code, TS_OK);
}
END_TEST

START_TEST(kinds_of_members)
{
	unsigned char elf[ELF_MAX];
	static const struct elf of[] = {{1, 1, 248, 64, 0, 3, NULL}, {2, 1, 248, 64, 0, 3, NULL},
		{2, 1, 62, 64, 0, 3, NULL}, {1, 2, 248, 64, 0, 3, NULL},
		{1, 1, 62, 64, 0, 3, NULL}};
	static const enum ts_member_kind kind[] = {TS_MEMBER_TILE, TS_MEMBER_HOST, TS_MEMBER_64,
		TS_MEMBER_BIG, TS_MEMBER_MACHINE, TS_MEMBER_NESTED, TS_MEMBER_OTHER,
		TS_MEMBER_OTHER, TS_MEMBER_TILE};
	char far[700];

	for (int i = 0; i < 5; i++)
		add_member(&b, "x.elf/", elf, make_elf(elf, &of[i]));
	add_member(&b, "nested.a/", "!<arch>\n", 8);
	add_member(&b, "empty/", "", 0);
	add_member(&b, "short/", "\177ELF\1\1\1", 7);
	memset(far, 'n', sizeof(far)); /* a name so long that the member is not in the first read */
	make_elf(elf, &a_tile);
	memcpy(far + 600, elf, 100);
	add_member(&b, "#1/600", far, 700);
	ck_assert_int_eq(walk(), 9);
	for (int i = 0; i < 9; i++)
		ck_assert_int_eq(member[i].kind, kind[i]);
	ck_assert_uint_eq(strlen(name[8]), TS_MEMBER_NAME - 1);
}
END_TEST

/* Four members behind a symbol table of any form; the third header is broken. */
START_TEST(symbol_tables)
{
	static const char *const names[] = {"/", "/SYM64/", "__.SYMDEF", "__.SYMDEF SORTED",
		"#1/20", "__.SYMDEF"};
	size_t width = _i == 1 ? 8 : 4;
	int big = _i < 2 || _i == 5, bsd = _i > 1;
	size_t payload = bsd ? 4 + 4 * 8 + 4 + 4 : width * 5 + 4, at;
	char size[24];

	at = b.n + 60 + payload + (_i == 4 ? 20 : 0);
	snprintf(size, sizeof(size), "%zu", payload + (_i == 4 ? 20 : 0));
	add_header(&b, names[_i], size);
	if (_i == 4)
		add_bytes(&b, "__.SYMDEF SORTED\0\0\0\0", 20);
	add_number(&b, bsd ? 32 : 4, width, big);
	for (int i = 0; i < 4; i++) {
		if (bsd)
			add_number(&b, 0, 4, big);
		add_number(&b, at + (size_t)i * 62, width, big);
	}
	if (bsd)
		add_number(&b, 4, 4, big);
	add_bytes(&b, "s\0t\0", 4);
	ck_assert_uint_eq(b.n, at);
	for (int i = 0; i < 4; i++)
		add_member(&b, (const char *[]){"a", "b", "c", "d"}[i], "xy", 2);
	ck_assert_int_eq(walk(), 4);
	ck_assert_uint_eq(walked.members, 4);
	ck_assert_int_eq(walked.damage.code, TS_OK);
	b.at[at + 2 * 62 + 58] = '!';
	ck_assert_int_eq(walk(), 3);
	ck_assert_int_eq(walked.jumps, 1);
	ck_assert_int_eq(walked.damage.code, TS_E_DAMAGED);
	ck_assert_ptr_nonnull(strstr(walked.damage.msg, "offset"));
	expect_member(2, "d", 2);
}
END_TEST

START_TEST(a_broken_header_ends_it)
{
	add_member(&b, "a/", "xy", 2);
	add_member(&b, "b/", "xy", 2);
	b.at[8 + 62 + 48] = 'x';
	ck_assert_int_eq(walk(), 1);
	ck_assert_int_eq(walked.damage.code, TS_E_DAMAGED);
}
END_TEST

/* Numbers that say more than there is. */
START_TEST(bombs)
{
	static const struct {
		const char *name, *size, *bytes;
		size_t n;
		int members;
	} bomb[] = {
		{"x/", "9999999999", "abcd", 4, 1}, /* the member is larger than the file */
		{"#1/9999999999", "40", "abcd", 4, 0},
		{"#1/5", "4", "abcd", 4, 0},
		{"#1/-1", "4", "abcd", 4, 0},
		{"/", "8", "\377\377\377\377aaaa", 8, 0},
		{"/", "9999999999", "\0\377\377\377aaaa", 8, 0},
		{"/SYM64/", "16", "\020\0\0\0\0\0\0\0aaaaaaaa", 16, 0},
		{"__.SYMDEF", "8", "\370\377\377\377aaaa", 8, 0},
		{"//", "9999999999", "abcd", 4, 0},
		{"x/", "", "abcd", 4, 0},
		{"x/", "1 2", "abcd", 4, 0},
		{"x/", "-4", "abcd", 4, 0},
	};

	add_header(&b, bomb[_i].name, bomb[_i].size);
	add_bytes(&b, bomb[_i].bytes, bomb[_i].n);
	ck_assert_int_eq(walk(), bomb[_i].members);
}
END_TEST

/* An archive with everything in it, up to each of its bytes. */
START_TEST(cut_anywhere)
{
	size_t whole;
	int members;

	add_member(&b, "/", "\0\0\0\1\0\0\0\144x\0", 10);
	add_member(&b, "//", "a_long_name_of_a_member.elf/\n", 29);
	add_member(&b, "/0", "1234567890123456789012345", 25);
	add_member(&b, "#1/12", "name of bsd.xyz", 15);
	add_member(&b, "gnu.elf/", "123", 3);
	whole = b.n;
	members = walk();
	ck_assert_int_eq(members, 3);
	for (size_t n = 8; n < whole; n++) {
		b.n = n;
		ck_assert_int_le(walk(), members);
	}
	b.n = 7;
	struct ts_source *s;
	ck_assert_int_eq(ts_source_open_mem(&s, b.at, b.n, &err), TS_OK);
	ck_assert_int_eq(ts_archive_walk_init(&walked, s, NULL, &err), TS_E_FORMAT);
	ts_source_close(s);
}
END_TEST

static uint64_t
next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

START_TEST(any_bytes)
{
	uint64_t x = 0x9e3779b97f4a7c15u + (uint64_t)_i;
	static struct bytes good;

	add_member(&b, "/", "\0\0\0\2\0\0\0\120\0\0\0\200x\0y\0", 16);
	add_member(&b, "//", "a_long_name_of_a_member.elf/\n", 29);
	add_member(&b, "/0", "1234567890123456789012345", 25);
	add_member(&b, "__.SYMDEF", "\10\0\0\0\0\0\0\0\120\0\0\0\0\0\0\0", 16);
	add_member(&b, "#1/12", "name of bsd.xyz", 15);
	good = b;
	for (int i = 0; i < 2000; i++) {
		b = good;
		for (uint64_t k = next(&x) % 6; k-- > 0;) {
			size_t at = 8 + next(&x) % (b.n - 8);

			b.at[at] = next(&x) % 2 ? (unsigned char)next(&x)
						: (unsigned char)"0123456789 /#`\n"[next(&x) % 15];
		}
		b.n = 8 + next(&x) % (b.n - 7);
		walk();
	}
}
END_TEST

/* A source of n empty members, without its bytes. */
static enum ts_code
many_read(struct ts_source *s, void *buf, size_t n, int64_t offset, size_t *got,
	const struct ts_cancel *cancel, struct ts_err *e)
{
	static const char head[] = "x/              0           0     0     644     0         `\n";

	(void)cancel;
	(void)e;
	n = (size_t)ts_min_i64((int64_t)n, s->size - offset);
	for (size_t i = 0; i < n; i++) {
		int64_t at = offset + (int64_t)i;

		((char *)buf)[i] = at < 8 ? "!<arch>\n"[at] : head[(at - 8) % 60];
	}
	*got = n;
	return TS_OK;
}

START_TEST(as_many_as_there_may_be)
{
	static const struct ts_source_ops ops = {.read_at = many_read};
	struct ts_source s = {.ops = &ops, .size = 8 + (TS_ARCHIVE_MEMBERS + 5) * INT64_C(60)};
	enum ts_code code;
	bool there = true;

	ck_assert_int_eq(ts_archive_walk_init(&walked, &s, NULL, &err), TS_OK);
	do {
		code = ts_archive_next(&walked, &member[0], &there, &err);
	} while (code == TS_OK && there);
	ck_assert_int_eq(code, TS_E_LIMIT);
	ck_assert_int_eq(walked.members, TS_ARCHIVE_MEMBERS);
	ts_archive_walk_fini(&walked);
}
END_TEST

/* A source of b whose reads fail from the nth on. */
struct failing {
	struct ts_source base;
	int left;
};

static enum ts_code
failing_read(struct ts_source *s, void *buf, size_t n, int64_t offset, size_t *got,
	const struct ts_cancel *cancel, struct ts_err *e)
{
	struct failing *f = (struct failing *)s;

	(void)cancel;
	if (f->left-- <= 0)
		return ts_err_sys(e, EIO, "read");
	n = (size_t)ts_clamp_i64(s->size - offset, 0, (int64_t)n);
	memcpy(buf, b.at + offset, n);
	*got = n;
	return TS_OK;
}

START_TEST(reads_that_fail)
{
	static const struct ts_source_ops ops = {.read_at = failing_read};
	char far[700] = "";
	int n = 0;
	enum ts_code code;

	add_member(&b, "/", "\0\0\0\1\0\0\0\144x\0", 10);
	add_member(&b, "//", "a_long_name_of_a_member.elf/\n", 29);
	add_member(&b, "/0", "1234567890123456789012345", 25);
	add_member(&b, "#1/600", far, 700);
	do {
		struct failing f = {{.ops = &ops, .size = (int64_t)b.n}, n++};
		bool there = true;
		char text[TS_MEMBER_NAME];

		code = ts_archive_walk_init(&walked, &f.base, NULL, &err);
		while (!code && there) {
			code = ts_archive_next(&walked, &member[0], &there, &err);
			if (!code && there)
				code = ts_member_name(text, &member[0], &f.base, NULL, &err);
		}
		ts_archive_walk_fini(&walked);
		ck_assert(code == TS_OK || code == TS_E_SYS);
	} while (code);
	ck_assert_int_eq(n, 11);
}
END_TEST

/* --- tiles ------------------------------------------------------------------------------------ */

static void
save(void)
{
	FILE *f = fopen(path, "wb");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(b.at, 1, b.n, f), b.n);
	ck_assert_int_eq(fclose(f), 0);
}

static struct ts_archive *
read_it(void)
{
	struct ts_archive *a;

	save();
	ck_assert_msg(ts_archive_read(&a, NULL, path, NULL, NULL, &err) == TS_OK, "%s", err.msg);
	return a;
}

static void
add_tile(const struct elf *e, const char *mark)
{
	unsigned char elf[ELF_MAX];
	size_t n = make_elf(elf, e);

	if (mark) {
		memset(elf + n, 0, sizeof(elf) - n);
		memcpy(elf + MARK_AT, mark, strlen(mark));
		n = sizeof(elf);
	}
	add_member(&b, "t.elf/", elf, n);
}

static bool
noted(const struct ts_notes *n, const char *words)
{
	for (int i = 0; i < n->count; i++)
		if (strstr(n->note[i], words))
			return true;
	return false;
}

/* What a symbol table says of the members that are gone. */
START_TEST(what_is_missing_is_counted)
{
	unsigned char elf[ELF_MAX];
	size_t n = make_elf(elf, &a_tile), at = 8 + 60 + 4 * 4 + 6;
	struct ts_archive *a;

	add_header(&b, "/", "22");
	add_number(&b, 3, 4, 1);
	for (size_t i = 0; i < 3; i++)
		add_number(&b, at + i * (60 + n), 4, 1);
	add_bytes(&b, "a\0b\0c\0", 6);
	for (int i = 0; i < 3; i++)
		add_member(&b, "t.elf/", elf, n);
	b.n = at + 60 + n + 30;
	a = read_it();
	ck_assert_uint_eq(a->tiles, 1);
	ck_assert(noted(&a->notes, "its symbol table names 3 members"));
	ck_assert_int_eq(a->state, TS_PART_DAMAGED);
	ts_archive_release(a);
}
END_TEST

START_TEST(tiles_are_read)
{
	struct ts_archive_details *d;
	struct ts_archive *a;
	struct elf big = {1, 1, 248, 500000, 1, 5, NULL};

	add_tile(&a_tile, NULL);
	add_member(&b, "readme/", "what", 4);
	add_tile(&big, NULL);
	a = read_it();
	ck_assert_uint_eq(a->tiles, 2);
	ck_assert_int_eq(a->members, 3);
	ck_assert_int_eq(a->tile[0].text, 64);
	ck_assert_int_eq(a->tile[1].text, 500000);
	ck_assert_int_eq(a->state, TS_PART_OK);
	ck_assert(!a->notes.partial);
	ck_assert(noted(&a->notes, "1 member left out: not an ELF file"));
	ck_assert_msg(ts_archive_details(&d, a, 1, NULL, &err) == TS_OK, "%s", err.msg);
	ck_assert_str_eq(d->name, "t.elf");
	ck_assert_int_eq(d->elf.section_count, 1);
	ck_assert_str_eq(d->elf.section[0].name, ".text");
	ck_assert_uint_eq(d->elf.sections, 4);
	ck_assert_int_eq(d->elf.function_count, 5);
	ck_assert_str_eq(d->elf.function[0].name, "fn4");
	ck_assert_uint_eq(d->elf.function[0].bytes, 40);
	ck_assert_uint_eq(d->elf.function[4].bytes, 8);
	ck_assert_int_eq(d->elf.function_bytes, 8 + 16 + 24 + 32 + 40);
	free(d);
	ck_assert_int_eq(ts_archive_details(&d, a, 2, NULL, &err), TS_E_ABSENT);
	ts_archive_release(a);
}
END_TEST

/* Broken tiles keep their numbers, and cost nothing but themselves. */
START_TEST(broken_tiles)
{
	static const struct elf no_text = {1, 1, 248, 64, 0, 3, ".data"};
	unsigned char elf[ELF_MAX];
	size_t n = make_elf(elf, &a_tile);
	struct ts_archive *a;
	static const size_t cuts[] = {20, 51, 52, 60, 120, 200};

	for (size_t i = 0; i < TS_COUNT(cuts); i++) {
		add_member(&b, "cut.elf/", elf, cuts[i]);
		add_tile(&a_tile, NULL);
	}
	add_member(&b, "cut.elf/", elf, n - 1);
	add_tile(&no_text, NULL);
	put_at(elf + 32, 0xfffffff0, 4); /* section headers far away */
	add_member(&b, "far.elf/", elf, n);
	make_elf(elf, &a_tile);
	put_at(elf + n - 4 * 40 + 20, 0x7fffffff, 4); /* .text is 2 GB */
	add_member(&b, "large.elf/", elf, n);
	add_tile(&a_tile, NULL);
	a = read_it();
	ck_assert_uint_eq(a->tiles, 2 * TS_COUNT(cuts) + 5);
	for (size_t i = 0; i < a->tiles; i++) {
		bool good = (i < 2 * TS_COUNT(cuts) && i % 2 == 1) || i + 1 == a->tiles;

		ck_assert_msg(a->tile[i].text == (good ? 64 : TS_UNKNOWN), "tile %zu: %lld", i,
			(long long)a->tile[i].text);
	}
	ck_assert_int_eq(a->broken, TS_COUNT(cuts) + 4);
	ck_assert_int_eq(a->state, TS_PART_DAMAGED);
	ck_assert(a->notes.partial);
	ck_assert(noted(&a->notes, "10 of 17 tiles could not be read, first tile 0 (cut.elf)"));
	ts_archive_release(a);
}
END_TEST

START_TEST(any_elf)
{
	uint64_t x = 0x9e3779b97f4a7c15u + (uint64_t)_i;
	struct ts_archive *a;

	for (int i = 0; i < 200; i++) {
		unsigned char elf[ELF_MAX];
		size_t n = make_elf(elf, &a_tile);

		for (uint64_t k = 1 + next(&x) % 8; k-- > 0;)
			elf[20 + next(&x) % (n - 20)] = next(&x) % 3 ? (unsigned char)next(&x)
								     : 0xff;
		add_member(&b, "bad.elf/", elf, n);
		add_tile(&a_tile, NULL);
	}
	a = read_it();
	ck_assert_uint_eq(a->tiles, 400);
	for (size_t i = 1; i < 400; i += 2)
		ck_assert_int_eq(a->tile[i].text, 64);
	for (int64_t i = 0; i < 60; i += 2) {
		struct ts_archive_details *d;

		if (!ts_archive_details(&d, a, i, NULL, &err))
			free(d);
	}
	ts_archive_release(a);
}
END_TEST

/* What ends the helper costs one tile. */
START_TEST(the_helper_may_end)
{
	static const char *const marks[] = {"crash", "spin"};
	struct ts_archive_details *d;
	struct ts_archive *a;

	for (int i = 0; i < 5; i++)
		add_tile(&a_tile, i == 2 || (i == 4 && _i == 0) ? marks[_i] : NULL);
	a = read_it();
	for (size_t i = 0; i < 5; i++)
		ck_assert_int_eq(a->tile[i].text, i == 2 || (i == 4 && _i == 0) ? TS_UNKNOWN : 64);
	ck_assert_int_eq(a->state, TS_PART_DAMAGED);
	ck_assert(noted(&a->notes, "ended over it"));
	if (_i == 0) /* the other one takes its time */
		ck_assert_int_eq(ts_archive_details(&d, a, 2, NULL, &err), TS_E_DAMAGED);
	ck_assert_int_eq(ts_archive_details(&d, a, 3, NULL, &err), TS_OK);
	free(d);
	ts_archive_release(a);
}
END_TEST

START_TEST(it_is_not_started_for_ever)
{
	struct ts_archive *a;

	for (int i = 0; i < 90; i++)
		add_tile(&a_tile, "crash");
	a = read_it();
	ck_assert_int_eq(a->broken, 90);
	ck_assert(noted(&a->notes, "90 of 90 tiles"));
	ck_assert(noted(&a->notes, "times"));
	ts_archive_release(a);
}
END_TEST

/* Somebody shortens the archive while it is open: looking behind its end ends the helper only. */
START_TEST(it_is_shortened_meanwhile)
{
	struct ts_archive_details *d;
	struct ts_archive *a;

	for (int i = 0; i < 3; i++)
		add_tile(&a_tile, "touch");
	a = read_it();
	ck_assert_int_eq(a->tile[2].text, 64);
	ck_assert_int_eq(truncate(path, 4096), 0);
	ck_assert_int_eq(ts_archive_details(&d, a, 2, NULL, &err), TS_E_DAMAGED);
	ts_archive_release(a);
}
END_TEST

START_TEST(it_can_be_cancelled)
{
	struct ts_cancel cancel;
	struct ts_archive *a;

	add_tile(&a_tile, NULL);
	save();
	ts_cancel_clear(&cancel);
	ts_cancel_set(&cancel);
	ck_assert_int_eq(ts_archive_read(&a, NULL, path, NULL, &cancel, &err), TS_E_CANCELLED);
	ck_assert_ptr_null(a);
}
END_TEST

/* The nth allocation fails, for all n: of the reading, of a tile's details, of the store. */
START_TEST(memory_may_run_out)
{
	struct ts_archive_details *d = NULL;
	struct ts_archive *a = NULL;
	struct ts_source *s = NULL;
	bool reached = true;

	add_member(&b, "/", "\0\0\0\1\0\0\0\144x\0", 10);
	for (int i = 0; i < 40; i++)
		add_tile(&a_tile, NULL);
	save();
	for (int n = 0; reached; n++) {
		enum ts_code code;

		ck_assert_int_lt(n, 200);
		allocations = n;
		code = ts_archive_read(&a, NULL, path, NULL, NULL, &err);
		if (!code)
			code = ts_archive_details(&d, a, 1, NULL, &err);
		if (!code)
			code = ts_archive_rows(&s, a, &err);
		reached = allocations < 0;
		allocations = -1;
		ck_assert_int_eq(code, reached ? TS_E_NOMEM : TS_OK);
		ts_source_close(s);
		ts_archive_release(a);
		free(d);
		s = NULL;
		a = NULL;
		d = NULL;
	}
}
END_TEST

START_TEST(thin_and_other_files)
{
	struct ts_archive *a;

	memcpy(b.at, "!<thin>\n", 8);
	save();
	ck_assert_int_eq(ts_archive_read(&a, NULL, path, NULL, NULL, &err), TS_E_FORMAT);
	ck_assert_ptr_nonnull(strstr(err.msg, "thin"));
	memcpy(b.at, "!<what>\n", 8);
	save();
	ck_assert_int_eq(ts_archive_read(&a, NULL, path, NULL, NULL, &err), TS_E_FORMAT);
	unlink(path);
	ck_assert_int_eq(ts_archive_read(&a, NULL, path, NULL, NULL, &err), TS_E_NOT_FOUND);
}
END_TEST

/* --- as a report, and beside one -------------------------------------------------------------- */

START_TEST(alone_it_is_a_report)
{
	const struct ts_report_options options = {0};
	struct ts_reader *rd;
	struct ts_report *r;
	struct ts_tiles t;
	char profile[128];

	add_tile(&a_tile, NULL);
	add_tile(&(struct elf){1, 1, 248, 64, 0, 3, ".data"}, NULL);
	add_tile(&(struct elf){1, 1, 248, 700000, 1, 3, NULL}, NULL);
	save();
	ck_assert_msg(ts_report_open(&r, dir, &options, &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(r->kind, TS_KIND_ARCHIVE);
	ck_assert_int_eq(r->sources, 1);
	ck_assert_str_eq(ts_report_source_path(r, 0), path);
	ck_assert_int_eq(r->part[TS_PART_PROFILE].state, TS_PART_ABSENT);
	ck_assert_int_eq(r->part[TS_PART_ARCHIVE].state, TS_PART_DAMAGED);
	ck_assert(r->notes.partial);
	ck_assert(!ts_report_changed(r));
	ck_assert_int_eq(ts_reader_open(&rd, r, &err), TS_OK);
	ck_assert_int_eq(ts_tiles_read(&t, rd, &err), TS_OK);
	ck_assert_uint_eq(t.count, 2);
	ck_assert_int_eq(t.rows, 3);
	ck_assert_int_eq(t.bad_rows, 1);
	ck_assert_int_eq(t.gaps, -1);
	ck_assert_int_eq(t.tile[1].tile, 2);
	ck_assert_int_eq(t.tile[1].total, 700000);
	ts_tiles_fini(&t);
	snprintf(profile, sizeof(profile), "%s/profile.pop", dir);
	fclose(fopen(profile, "wb"));
	ck_assert(ts_report_changed(r)); /* it was asked for the directory's report */
	unlink(profile);
	ck_assert(!ts_report_changed(r));
	add_tile(&a_tile, NULL);
	save();
	ck_assert(ts_report_changed(r));
	ts_reader_close(rd);
	ts_report_close(r);
	b.n = 8;
	add_member(&b, "x.o/", "what", 4);
	save();
	ck_assert_int_eq(ts_report_open(&r, dir, &options, &err), TS_E_FORMAT);
}
END_TEST

START_TEST(beside_a_profile)
{
	/* text, total, with gaps: the first four agree */
	static const int64_t of[][3] = {{1000, 1000, TS_UNKNOWN}, {990, 1000, TS_UNKNOWN},
		{1010, 1000, TS_UNKNOWN}, {1090, 1000, 1080}, {989, 1000, 1100}, {1112, 1000, 1100},
		{5, 0, TS_UNKNOWN}};
	struct ts_archive_tile at[TS_COUNT(of) + 1] = {{.text = 0}};
	struct ts_tile tile[TS_COUNT(of) + 1] = {{.tile = 0}};
	struct ts_archive a = {.tiles = TS_COUNT(at), .tile = at};
	struct ts_tiles tiles = {.count = TS_COUNT(tile), .tile = tile};
	struct ts_archive_check c;
	struct ts_notes notes = {0};

	for (size_t i = 0; i < TS_COUNT(of); i++) {
		at[i].text = of[i][0];
		tile[i] = (struct ts_tile){(int64_t)i, -1, of[i][1], of[i][2], -1, -1, -1, -1};
	}
	at[TS_COUNT(of)].text = TS_UNKNOWN;
	tile[TS_COUNT(of)] = (struct ts_tile){900, -1, 5, -1, -1, -1, -1, -1};
	ts_archive_compare(&c, &a, &tiles);
	ck_assert_int_eq(c.compared, 7);
	ck_assert_int_eq(c.different, 3);
	ck_assert_int_eq(c.only_profile, 1);
	ck_assert_int_eq(c.only_archive, 1);
	ck_assert_int_eq(c.worst, 5);
	ck_assert_int_eq(c.worst_text, 1112);
	ck_assert_int_eq(c.worst_profile, 1100);
	ts_archive_note(&notes, &a, &c);
	ck_assert(noted(&notes, "on 3 of 7 tiles, most on tile 5"));
	ck_assert(!notes.partial);
	ts_notes_fini(&notes);
}
END_TEST

/* What the fuzzer is given, and what it has found. */
/* --- on another host -------------------------------------------------------------------------- */

enum { LARGE = 20 << 20 };

/* `b` as a file of another host: bytes without a descriptor, and what of it was named or read. */
struct far_source {
	struct ts_source base;
	int reads;
	int64_t wanted, bytes;
};

static struct far_source *last; /* that was opened */
static int64_t far_size;	/* with zeros behind `b`; 0: as long as that */

static enum ts_code
read_far(struct ts_source *s, void *buf, size_t n, int64_t offset, size_t *got,
	const struct ts_cancel *cancel, struct ts_err *e)
{
	struct far_source *f = (struct far_source *)(void *)s;

	(void)cancel;
	(void)e;
	f->reads++;
	if (offset >= s->size)
		return TS_OK;
	*got = n < (size_t)(s->size - offset) ? n : (size_t)(s->size - offset);
	memset(buf, 0, *got);
	if (offset < (int64_t)b.n)
		memcpy(buf, b.at + offset,
			*got < b.n - (size_t)offset ? *got : b.n - (size_t)offset);
	f->bytes += (int64_t)*got;
	return TS_OK;
}

static void
want_far(struct ts_source *s, const struct ts_byte_range *span, size_t count, bool urgent,
	struct ts_source_meter *meter)
{
	(void)urgent;
	(void)meter;
	for (size_t i = 0; i < count; i++)
		((struct far_source *)(void *)s)->wanted += (int64_t)span[i].n;
}

static void
close_far(struct ts_source *s)
{
	free(s);
	last = NULL;
}

static enum ts_code
open_far(struct ts_files *f, struct ts_source **s, const char *at, const struct ts_cancel *cancel,
	struct ts_err *e)
{
	static const struct ts_source_ops ops = {.read_at = read_far,
		.close = close_far,
		.want = want_far};
	struct far_source *far = ts_alloc(1, sizeof(*far));

	(void)f;
	(void)at;
	(void)cancel;
	(void)e;
	ck_assert_ptr_nonnull(far);
	far->base.ops = &ops;
	far->base.size = far_size ? far_size : (int64_t)b.n;
	if (!last)
		last = far;
	*s = &far->base;
	return TS_OK;
}

static const struct ts_files_ops far_ops = {.open = open_far};

static void
add_table(size_t members, size_t size, size_t without)
{
	unsigned char elf[ELF_MAX];
	size_t n = make_elf(elf, &a_tile), names = 2 * (members - (without < members));
	char text[24];

	ck_assert_uint_eq(n, size);
	snprintf(text, sizeof(text), "%zu", 4 + names / 2 * 4 + names);
	add_header(&b, "/", text);
	add_number(&b, names / 2, 4, 1);
	for (size_t i = 0; i < members; i++)
		if (i != without)
			add_number(&b, 8 + 60 + 4 + names / 2 * 4 + names + i * (60 + n), 4, 1);
	for (size_t i = 0; i < names / 2; i++)
		add_bytes(&b, "s\0", 2);
	for (size_t i = 0; i < members; i++)
		add_member(&b, i % 2 ? "odd.elf/" : "even.elf/", elf, n);
}

static struct ts_archive *
read_far_archive(bool places, bool all)
{
	static struct ts_files far = {.ops = &far_ops, .host = "far"};
	struct ts_archive *a;
	enum ts_code code;

	last = NULL;
	far.thorough = all;
	code = places ? ts_archive_read_places(&a, &far, path, false, NULL, NULL, &err)
		      : ts_archive_read(&a, &far, path, NULL, NULL, &err);
	ck_assert_msg(code == TS_OK, "%s", err.msg);
	return a;
}

static void
same_details(const struct ts_archive *near, const struct ts_archive *far, int64_t tile)
{
	struct ts_archive_details *x, *y;

	ck_assert_int_eq(ts_archive_details(&x, near, tile, NULL, &err), TS_OK);
	ck_assert_msg(ts_archive_details(&y, far, tile, NULL, &err) == TS_OK, "%s", err.msg);
	ck_assert_str_eq(x->name, y->name);
	ck_assert_int_eq(x->elf.text, y->elf.text);
	ck_assert_uint_eq(x->elf.sections, y->elf.sections);
	ck_assert_int_eq(x->elf.function_count, y->elf.function_count);
	ck_assert_mem_eq(x->elf.function, y->elf.function,
		(size_t)x->elf.function_count * sizeof(x->elf.function[0]));
	free(x);
	free(y);
}

/* Where tiles are is what the table says: nothing of them is read until one is looked at, and that in one piece. */
START_TEST(places_of_a_far_archive)
{
	unsigned char elf[ELF_MAX];
	size_t n = make_elf(elf, &a_tile);
	struct ts_archive *near, *far;
	struct far_source *s;
	int64_t wanted;

	add_table(700, n, 700);
	near = read_it();
	far_size = LARGE;
	far = read_far_archive(true, false);
	s = last;
	ck_assert(far->by_table);
	ck_assert_uint_eq(far->tiles, 700);
	ck_assert_int_lt(s->bytes, 700 * 4 + 2 * 700 + 4096);
	ck_assert_int_eq(far->state, TS_PART_OK);
	ck_assert(noted(&far->notes, "names 700 members"));
	for (int64_t tile = 0; tile < 600; tile += 233) {
		wanted = s->wanted;
		same_details(near, far, tile);
		/* the member, when it is found and when it is given to the helper */
		ck_assert_int_eq(s->wanted - wanted, (int64_t)(60 + n + n));
	}
	ts_archive_release(far);
	ts_archive_release(near);
}
END_TEST

/* All of it: the same sizes as here, of a small part of its bytes. */
START_TEST(sizes_of_a_far_archive)
{
	struct ts_archive *near, *far;
	struct elf big = {1, 1, 248, 3000, 0, 5, NULL};
	static const struct elf no_text = {1, 1, 248, 64, 0, 3, ".data"};
	unsigned char elf[ELF_MAX];
	size_t n = make_elf(elf, &big);

	for (int i = 0; i < 60; i++)
		add_tile(i % 7 == 3 ? &no_text : &big, NULL);
	add_member(&b, "readme/", "what", 4);
	add_member(&b, "cut.elf/", elf, 60);
	put_at(elf + 32, 0xfffffff0, 4);
	add_member(&b, "away.elf/", elf, n);
	put_at(elf + 32, 52, 4);
	put_at(elf + 48, 0xffff, 2);
	add_member(&b, "many.elf/", elf, n);
	put_at(elf + 50, 0xffff, 2);
	add_member(&b, "names.elf/", elf, n);
	near = read_it();
	far = read_far_archive(_i == 0, true);
	ck_assert(!far->by_table);
	ck_assert_int_eq(far->left_out, 0);
	ck_assert_uint_eq(far->tiles, near->tiles);
	for (size_t i = 0; i < near->tiles; i++)
		ck_assert_msg(near->tile[i].text == far->tile[i].text, "tile %zu", i);
	ck_assert_int_eq(far->broken, near->broken);
	ck_assert_int_eq(far->notes.count, near->notes.count);
	for (int i = 0; i < near->notes.count; i++)
		ck_assert_str_eq(far->notes.note[i], near->notes.note[i]);
	same_details(near, far, 20);
	ts_archive_release(far);
	ts_archive_release(near);
}
END_TEST

/* Without a table nobody walks the headers of a far archive who was not asked to. */
START_TEST(a_far_archive_without_a_table)
{
	unsigned char elf[ELF_MAX];
	struct ts_archive *a;

	for (int i = 0; i < 100; i++)
		add_tile(&a_tile, NULL);
	far_size = LARGE;
	a = read_far_archive(_i == 0, false);
	ck_assert_int_eq(a->left_out, (LARGE - 8) / (60 + (int64_t)make_elf(elf, &a_tile)));
	ck_assert_uint_eq(a->tiles, 0);
	ck_assert_int_le(last->reads, 3);
	ck_assert(noted(&a->notes, "no symbol table: about"));
	ck_assert(!a->notes.partial);
	ts_archive_release(a);
}
END_TEST

/* A tile that the table does not name: the others behind it have other numbers. */
START_TEST(a_table_that_lacks_one)
{
	unsigned char elf[ELF_MAX];
	size_t n = make_elf(elf, &a_tile);
	struct ts_archive_details *d;
	struct ts_archive *a;

	add_table(9, n, (size_t)_i);
	far_size = LARGE;
	a = read_far_archive(true, false);
	if (_i == 0) { /* it does not begin with the first */
		ck_assert_int_gt(a->left_out, 9);
		ts_archive_release(a);
		return;
	}
	ck_assert(a->by_table);
	ck_assert_uint_eq(a->tiles, 8);
	for (int64_t t = 0; t < 8; t++) {
		enum ts_code code = ts_archive_details(&d, a, t, NULL, &err);

		ck_assert_int_eq(code, t == _i - 1 && _i < 8 ? TS_E_DAMAGED : TS_OK);
		if (!code)
			free(d);
		else
			ck_assert_ptr_nonnull(strstr(err.msg, "does not name"));
	}
	ts_archive_release(a);
}
END_TEST

START_TEST(corpus)
{
	const char *top = getenv("srcdir");
	struct ts_strbuf where;
	struct dirent *entry;
	DIR *d;
	int files = 0;

	ts_strbuf_init(&where, 1 << 12);
	ts_strbuf_printf(&where, "%s/tests/fuzz/corpus/archive", top ? top : ".");
	d = opendir(where.s);
	ck_assert_msg(d != NULL, "%s", where.s);
	while ((entry = readdir(d)) != NULL) {
		struct ts_archive_details *details;
		struct ts_archive *a;
		FILE *f;

		if (entry->d_name[0] == '.')
			continue;
		ts_strbuf_reset(&where);
		ts_strbuf_printf(&where, "%s/tests/fuzz/corpus/archive/%s", top ? top : ".",
			entry->d_name);
		f = fopen(where.s, "rb");
		ck_assert_msg(f != NULL, "%s", where.s);
		b.n = fread(b.at, 1, sizeof(b.at), f);
		fclose(f);
		files++;
		save();
		if (ts_archive_read(&a, NULL, path, NULL, NULL, &err)) {
			ck_assert_int_eq(err.code, TS_E_FORMAT);
			continue;
		}
		for (size_t i = 0; i < a->tiles && i < 4; i++)
			if (!ts_archive_details(&details, a, (int64_t)i, NULL, &err))
				free(details);
		ts_archive_release(a);
	}
	closedir(d);
	ts_strbuf_fini(&where);
	ck_assert_int_gt(files, 0);
}
END_TEST

static void
add_tests(Suite *s)
{
	TCase *c = tcase_create("archive");

	tcase_set_timeout(c, 120);
	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, names_of_all_forms);
	tcase_add_test(c, kinds_of_members);
	tcase_add_loop_test(c, symbol_tables, 0, 6);
	tcase_add_test(c, a_broken_header_ends_it);
	tcase_add_loop_test(c, bombs, 0, 12);
	tcase_add_test(c, cut_anywhere);
	tcase_add_loop_test(c, any_bytes, 0, 4);
	tcase_add_test(c, as_many_as_there_may_be);
	tcase_add_test(c, reads_that_fail);
	tcase_add_test(c, what_is_missing_is_counted);
	tcase_add_test(c, tiles_are_read);
	tcase_add_test(c, broken_tiles);
	tcase_add_loop_test(c, any_elf, 0, 4);
	tcase_add_loop_test(c, the_helper_may_end, 0, 2);
	tcase_add_test(c, it_is_not_started_for_ever);
	tcase_add_test(c, it_is_shortened_meanwhile);
	tcase_add_test(c, it_can_be_cancelled);
	tcase_add_test(c, memory_may_run_out);
	tcase_add_test(c, thin_and_other_files);
	tcase_add_test(c, alone_it_is_a_report);
	tcase_add_test(c, beside_a_profile);
	tcase_add_test(c, places_of_a_far_archive);
	tcase_add_loop_test(c, sizes_of_a_far_archive, 0, 2);
	tcase_add_loop_test(c, a_far_archive_without_a_table, 0, 2);
	tcase_add_loop_test(c, a_table_that_lacks_one, 0, 9);
	tcase_add_test(c, corpus);
	suite_add_tcase(s, c);
}

int
main(int argc, char **argv)
{
	Suite *s;
	SRunner *r;
	int failed;

	if (argc == 2 && strcmp(argv[1], TS_ELF_HELPER_WORD) == 0)
		return ts_elf_helper();
	s = suite_create("archive");
	add_tests(s);
	r = srunner_create(s);
	srunner_set_fork_status(r,
		CK_FORK); /* with sanitizers too: they end processes, or leave things behind */
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
