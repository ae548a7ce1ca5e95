/* SPDX-License-Identifier: MIT */
/*
 * profile_archive - the archive.a that belongs to the layout `profile`: an ELF file a tile, and the host's.
 *
 * .text is as large as the tile's memory with its gaps, and has no bytes in the file; three words tell the sizes of code,
 * data and stack. Functions are the tile's executable variables, where they lie.
 */
#include "config.h"

#include "profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	EHDR = 52,
	SHDR = 40,
	SYM = 16,
	BASE = 0x4c000,
	RESERVED = 16,
	OFTEN = 64, /* tiles between looks at the token */
	SYMBOLS = 40,
	MEMBER_BYTES = 1 << 20,
};

/* Names of sections, and where each begins in them. */
static const char section_names[] =
	"\0info_code_size\0info_data_size\0info_stack_size\0.text\0.strtab\0.symtab\0.secondaryLower";
enum {
	N_CODE = 1,
	N_DATA = 16,
	N_STACK = 31,
	N_TEXT = 47,
	N_STRTAB = 53,
	N_SYMTAB = 61,
	N_LOWER = 69,
	SECTIONS = 8
};

static void
put(struct ts_strbuf *b, uint64_t v, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		ts_strbuf_putc(b, i < sizeof(v) ? (char)(v >> 8 * i & 0xff) : '\0');
}

struct section {
	uint32_t name, type, flags, address, offset, size, link, info, entry;
};

static void
put_section(struct ts_strbuf *b, const struct section *s)
{
	const uint32_t words[] = {s->name, s->type, s->flags, s->address, s->offset, s->size,
		s->link, s->info, 4, s->entry};

	for (size_t i = 0; i < TS_COUNT(words); i++)
		put(b, words[i], 4);
}

/* Bytes of code, data and stack of a tile. */
static void
sizes(uint32_t out[3], const struct pf_model *m, const struct pf_tile *t)
{
	memset(out, 0, 3 * sizeof(*out));
	for (uint32_t i = 0; i < t->n; i++) {
		const struct pf_part *p = &m->parts[t->rows[i].part];

		if (t->rows[i].allocated)
			out[p->bits & 8 ? 0 : p->category == PF_STACK ? 2 : 1] += t->rows[i].bytes;
	}
}

static void
symbols(struct ts_strbuf *syms, struct ts_strbuf *names, const struct pf_model *m,
	const struct pf_tile *t)
{
	int n = 0;

	put(syms, 0, SYM);
	for (uint32_t i = 0; i < t->n && n < SYMBOLS; i++) {
		const struct pf_part *p = &m->parts[t->rows[i].part];
		const char *name = m->names.s + m->strings[p->name];

		if (!(p->bits & 8) || !t->rows[i].bytes || p->suffix != PF_NONE)
			continue;
		put(syms, names->len, 4);
		put(syms, BASE + t->rows[i].offset, 4);
		put(syms, t->rows[i].bytes, 4);
		put(syms, 0x12, 1); /* global function */
		put(syms, 0, 1);
		put(syms, 4, 2); /* of .text */
		ts_strbuf_add(names, name + (strncmp(name, ".text.", 6) ? 0 : 6),
			strlen(name) + 1 - (strncmp(name, ".text.", 6) ? 0 : 6));
		n++;
	}
}

static void
elf_head(struct ts_strbuf *b, int bits, uint32_t entry, uint32_t headers, unsigned sections)
{
	const char ident[8] = {0x7f, 'E', 'L', 'F', (char)(bits == 64 ? 2 : 1), 1, 1, (char)255};
	size_t word = bits == 64 ? 8 : 4;

	ts_strbuf_add(b, ident, sizeof(ident));
	put(b, 0, 8);
	put(b, 2, 2); /* executable */
	put(b, 248, 2);
	put(b, 1, 4);
	put(b, entry, word);
	put(b, 0, word);
	put(b, headers, word);
	put(b, 0, 4);
	put(b, bits == 64 ? 64 : EHDR, 2);
	put(b, 0, 4);
	put(b, bits == 64 ? 64 : SHDR, 2);
	put(b, sections, 2);
	put(b, sections ? 5 : 0, 2); /* names of sections are in .strtab */
}

/* The file of a tile: head, three words, names, symbols, section headers. */
static void
member(struct ts_strbuf *b, const struct pf_model *m, const struct pf_tile *t, int64_t tile,
	struct ts_strbuf *names, struct ts_strbuf *syms)
{
	uint32_t info[3], at = EHDR, strings, table, headers;

	ts_strbuf_reset(b);
	ts_strbuf_reset(names);
	ts_strbuf_reset(syms);
	sizes(info, m, t);
	ts_strbuf_add(names, section_names, sizeof(section_names));
	symbols(syms, names, m, t);
	strings = at + 3 * 4;
	table = (strings + (uint32_t)names->len + 3) & ~3u;
	headers = table + (uint32_t)syms->len;
	elf_head(b, 32, BASE + RESERVED, headers, SECTIONS);
	for (int i = 0; i < 3; i++)
		put(b, info[i], 4);
	ts_strbuf_add(b, names->s, names->len);
	put(b, 0, table - strings - names->len);
	ts_strbuf_add(b, syms->s, syms->len);
	put_section(b, &(struct section){0});
	put_section(b, &(struct section){N_CODE, 1, 0, 0, at, 4, 0, 0, 0});
	put_section(b, &(struct section){N_DATA, 1, 0, 0, at + 4, 4, 0, 0, 0});
	put_section(b, &(struct section){N_STACK, 1, 0, 0, at + 8, 4, 0, 0, 0});
	put_section(b,
		&(struct section){N_TEXT, 8, 6, BASE + RESERVED, at, m->memory[tile].end - RESERVED,
			0, 0, 0});
	put_section(b,
		&(struct section){N_STRTAB, 3, 0, 0, strings, (uint32_t)names->len, 0, 0, 0});
	put_section(b, &(struct section){N_SYMTAB, 2, 0, 0, table, (uint32_t)syms->len, 5, 1, SYM});
	put_section(b, &(struct section){N_LOWER, 8, 6, BASE, at, RESERVED, 0, 0, 0});
}

static void
put_member(FILE *f, const char *name, const struct ts_strbuf *b)
{
	fprintf(f, "%-16s%-12d%-6d%-6d%-8s%-10zu`\n", name, 0, 0, 0, "644", b->len);
	fwrite(b->s, 1, b->len, f);
	if (b->len & 1)
		putc('\n', f);
}

static enum ts_code
members(FILE *f, const struct pf_model *m, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct pf_tile t = {0};
	struct ts_strbuf b, names, syms;
	enum ts_code code = TS_OK;

	ts_strbuf_init(&b, MEMBER_BYTES);
	ts_strbuf_init(&names, MEMBER_BYTES);
	ts_strbuf_init(&syms, MEMBER_BYTES);
	if (!pf_tile_init(&t, m))
		code = ts_err_nomem(err);
	fputs("!<arch>\n", f);
	for (int64_t tile = 0; tile < m->all_tiles && code == TS_OK && !ferror(f); tile++) {
		char name[40];

		if (tile % OFTEN == 0 && ts_cancelled(cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		pf_tile_place(&t, m, tile);
		member(&b, m, &t, tile, &names, &syms);
		if (b.cut || names.cut || syms.cut)
			code = ts_err_nomem(err);
		snprintf(name, sizeof(name), "t_%lld.elf/", (long long)tile);
		put_member(f, name, &b);
	}
	ts_strbuf_reset(&b);
	elf_head(&b, 64, 0, 0, 0);
	put_member(f, "ipu_host_0.elf/", &b);
	pf_tile_fini(&t);
	ts_strbuf_fini(&b);
	ts_strbuf_fini(&names);
	ts_strbuf_fini(&syms);
	return code;
}

enum ts_code
pf_archive(const char *path, const void *model, const struct ts_cancel *cancel, struct ts_err *err)
{
	FILE *f = fopen(path, "we");
	enum ts_code code;
	bool bad;

	if (!f)
		return ts_err_sys(err, errno, "cannot write");
	code = members(f, model, cancel, err);
	bad = ferror(f);
	bad |= fclose(f) != 0;
	return code == TS_OK && bad ? ts_err_sys(err, errno, "cannot write") : code;
}
