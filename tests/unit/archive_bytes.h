/* SPDX-License-Identifier: MIT */
/*
 * archive_bytes - archives and ELF files made by hand, for tests that break them.
 */
#ifndef TS_UNIT_ARCHIVE_BYTES_H
#define TS_UNIT_ARCHIVE_BYTES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1 << 20, ELF_MAX = 4096, ELF_SECTIONS = 5 };

struct bytes {
	size_t n;
	unsigned char at[BYTES_MAX];
};

static inline void
add_bytes(struct bytes *b, const void *p, size_t n)
{
	if (b->n + n > sizeof(b->at))
		abort();
	memcpy(b->at + b->n, p, n);
	b->n += n;
}

static inline void
add_text(struct bytes *b, const char *s)
{
	add_bytes(b, s, strlen(s));
}

static inline void
add_number(struct bytes *b, uint64_t v, size_t width, int big)
{
	for (size_t i = 0; i < width; i++) {
		unsigned char c = (unsigned char)(v >> 8 * (big ? width - 1 - i : i));

		add_bytes(b, &c, 1);
	}
}

/* A member's header. */
static inline void
add_header(struct bytes *b, const char *name, const char *size)
{
	char head[61];

	snprintf(head, sizeof(head), "%-16.16s%-12s%-6s%-6s%-8s%-10.10s`\n", name, "0", "0", "0",
		"644", size);
	add_bytes(b, head, 60);
}

/* A member, padded to an even length. */
static inline void
add_member(struct bytes *b, const char *name, const void *p, size_t n)
{
	char size[24];

	snprintf(size, sizeof(size), "%zu", n);
	add_header(b, name, size);
	add_bytes(b, p, n);
	if (n & 1)
		add_text(b, "\n");
}

/* What an ELF file of a test is like. */
struct elf {
	int class, data, machine; /* 1, 1, 248 for a tile */
	uint32_t text;		  /* bytes of .text */
	int nobits;		  /* without bytes in the file */
	int functions;
	const char *text_name; /* NULL: .text */
};

static const struct elf a_tile = {1, 1, 248, 64, 0, 3, NULL};

static inline void
put_at(unsigned char *p, uint32_t v, size_t width)
{
	for (size_t i = 0; i < width; i++)
		p[i] = (unsigned char)(v >> 8 * i);
}

static inline void
put_words(unsigned char *p, const uint32_t *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_at(p + 4 * i, word[i], 4);
}

/* Build it; returns its length. Functions are called fn0, fn1, ... and have 8, 16, ... bytes. */
static inline size_t
make_elf(unsigned char out[ELF_MAX], const struct elf *e)
{
	const char *text_name = e->text_name ? e->text_name : ".text";
	char names[64] = "";
	uint32_t text_at = 52, syms, strs, shstr, heads, n = 1;
	uint32_t symtab, strtab, shstrtab;

	memset(out, 0, ELF_MAX);
	snprintf(names + n, sizeof(names) - n, "%s", text_name);
	symtab = n += (uint32_t)strlen(text_name) + 1;
	snprintf(names + n, sizeof(names) - n, ".symtab");
	strtab = n += 8;
	snprintf(names + n, sizeof(names) - n, ".strtab");
	shstrtab = n += 8;
	snprintf(names + n, sizeof(names) - n, ".shstrtab");
	n += 10;
	syms = (text_at + (e->nobits ? 0 : e->text) + 3) & ~3u;
	strs = syms + 16 * ((uint32_t)e->functions + 1);
	shstr = strs + 8 * ((uint32_t)e->functions + 1);
	heads = (shstr + n + 3) & ~3u;
	if (heads + ELF_SECTIONS * 40 > ELF_MAX)
		abort();
	memcpy(out, "\177ELF", 4);
	out[4] = (unsigned char)e->class;
	out[5] = (unsigned char)e->data;
	out[6] = 1;
	out[7] = 255;
	put_at(out + 16, 2, 2);
	put_at(out + 18, (uint32_t)e->machine, 2);
	put_at(out + 20, 1, 4);
	put_at(out + 32, heads, 4);
	put_at(out + 40, 52, 2);
	put_at(out + 46, 40, 2);
	put_at(out + 48, ELF_SECTIONS, 2);
	put_at(out + 50, 4, 2);
	for (int i = 0; i < e->functions; i++) {
		unsigned char *s = out + syms + 16 * (i + 1);

		put_words(s,
			(uint32_t[]){8 * ((uint32_t)i + 1), 0x4c000 + 64 * (uint32_t)i,
				8 * ((uint32_t)i + 1)},
			3);
		s[12] = 0x12;
		s[14] = 1;
		snprintf((char *)out + strs + 8 * (i + 1), 8, "fn%d", i % 1000);
	}
	memcpy(out + shstr, names, n);
	put_words(out + heads + 40,
		(uint32_t[]){1, e->nobits ? 8 : 1, 6, 0x4c000, text_at, e->text, 0, 0, 4, 0}, 10);
	put_words(out + heads + 80, (uint32_t[]){symtab, 2, 0, 0, syms, strs - syms, 3, 1, 4, 16},
		10);
	put_words(out + heads + 120, (uint32_t[]){strtab, 3, 0, 0, strs, shstr - strs, 0, 0, 1, 0},
		10);
	put_words(out + heads + 160, (uint32_t[]){shstrtab, 3, 0, 0, shstr, n, 0, 0, 1, 0}, 10);
	return heads + ELF_SECTIONS * 40;
}

#endif
