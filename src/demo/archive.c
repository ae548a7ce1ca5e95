/* SPDX-License-Identifier: MIT */
/*
 * archive - the archive.a of a demo report: an ELF file a tile, which agrees with its profile.
 *
 * .text is as large as the tile's memory and has no bytes in the file (SHT_NOBITS): tools that read sizes
 * (`size -A`) give the same figures, and the archive of 5,888 tiles is 8 MB instead of 2 GB. Functions are
 * those of the tile's code categories and of its vertices. Names of members are as GNU ar writes them.
 */
#include "config.h"

#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	EHDR = 52,
	SHDR = 40,
	SYM = 16,
	BASE = 0x4c000, /* where the memory of a tile begins */
	OFTEN = 64,	/* tiles between looks at the token */
	MEMBER_MAX = 1 << 14,
};

/* Code that is one function, by category. */
static const struct {
	int category;
	const char *name;
} code[] = {
	{9, "__control_program"},
	{12, "__internal_exchange"},
	{13, "__global_exchange"},
	{14, "__host_exchange"},
};

struct member {
	unsigned char bytes[MEMBER_MAX];
	size_t n;
	char names[MEMBER_MAX / 2]; /* of functions */
	size_t names_n;
	unsigned char syms[MEMBER_MAX / 4];
	size_t syms_n;
	uint32_t address;
};

static void
put(struct member *m, uint32_t v, size_t bytes)
{
	for (size_t i = 0; i < bytes && m->n < sizeof(m->bytes); i++)
		m->bytes[m->n++] = (unsigned char)(v >> 8 * i);
}

static void
put_bytes(struct member *m, const void *p, size_t n)
{
	if (n <= sizeof(m->bytes) - m->n) {
		memcpy(m->bytes + m->n, p, n);
		m->n += n;
	}
}

static void
add_function(struct member *m, const char *name, uint32_t bytes)
{
	size_t n = strlen(name) + 1;
	const uint32_t words[] = {(uint32_t)m->names_n, m->address, bytes};

	if (!bytes || m->names_n + n > sizeof(m->names) || m->syms_n + SYM > sizeof(m->syms))
		return;
	memcpy(m->names + m->names_n, name, n);
	m->names_n += n;
	for (size_t i = 0; i < sizeof(words); i++)
		m->syms[m->syms_n++] = (unsigned char)(words[i / 4] >> 8 * (i % 4));
	m->syms[m->syms_n++] = 0x12; /* global function */
	m->syms[m->syms_n++] = 0;
	m->syms[m->syms_n++] = 1; /* of section 1 */
	m->syms[m->syms_n++] = 0;
	m->address += bytes;
}

static void
add_functions(struct member *m, const struct demo_model *model, const struct demo_tile *t)
{
	uint32_t vertices[DEMO_VERTEX_COUNT], offset = 0;

	demo_tile_code(model, t, vertices);
	m->names[0] = '\0';
	m->names_n = 1;
	memset(m->syms, 0, SYM);
	m->syms_n = SYM;
	for (int c = 1; c < DEMO_CATEGORIES; c++) { /* as its variables lie there */
		m->address = BASE + offset;
		for (int v = 0; v < DEMO_VERTEX_COUNT && c == DEMO_VERTEX_CODE; v++)
			add_function(m, demo_vertices[v].name, vertices[v]);
		for (size_t i = 0; i < sizeof(code) / sizeof(code[0]); i++)
			if (code[i].category == c)
				add_function(m, code[i].name, t->bytes[c]);
		offset += t->bytes[c];
	}
}

static void
put_section(struct member *m, uint32_t name, uint32_t type, uint32_t flags, size_t offset,
	size_t size)
{
	bool symbols = type == 2;

	put(m, name, 4);
	put(m, type, 4);
	put(m, flags, 4);
	put(m, flags ? BASE : 0, 4);
	put(m, (uint32_t)offset, 4);
	put(m, (uint32_t)size, 4);
	put(m, symbols ? 3 : 0, 4);
	put(m, symbols, 4);
	put(m, 4, 4);
	put(m, symbols ? SYM : 0, 4);
}

/* ELF32, little-endian, machine 248: the head, symbols, names, names of sections, section headers. */
static void
make_member(struct member *m, const struct demo_model *model, const struct demo_tile *t)
{
	static const unsigned char ident[16] = {0x7f, 'E', 'L', 'F', 1, 1, 1, 255};
	static const char names[] = "\0.text\0.symtab\0.strtab\0.shstrtab";
	size_t strings, sections, headers;

	add_functions(m, model, t);
	strings = EHDR + m->syms_n;
	sections = strings + m->names_n;
	headers = (sections + sizeof(names) + 3) & ~(size_t)3;
	m->n = 0;
	put_bytes(m, ident, sizeof(ident));
	put(m, 2, 2); /* executable */
	put(m, 248, 2);
	put(m, 1, 4);
	put(m, BASE, 4);
	put(m, 0, 4);
	put(m, (uint32_t)headers, 4);
	put(m, 0, 4);
	put(m, EHDR, 2);
	put(m, 0, 4);
	put(m, SHDR, 2);
	put(m, 5, 2);
	put(m, 4, 2);
	put_bytes(m, m->syms, m->syms_n);
	put_bytes(m, m->names, m->names_n);
	put_bytes(m, names, sizeof(names));
	while (m->n < headers)
		put(m, 0, 1);
	put_section(m, 0, 0, 0, 0, 0);
	put_section(m, 1, 8, 6, EHDR, t->total);
	put_section(m, 7, 2, 0, EHDR, m->syms_n);
	put_section(m, 15, 3, 0, strings, m->names_n);
	put_section(m, 23, 3, 0, sections, sizeof(names));
	if (m->n & 1)
		put(m, '\n', 1);
}

static enum ts_code
write_members(FILE *f, const struct demo_model *model, struct member *m,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	fputs("!<arch>\n", f);
	for (int64_t tile = 0; tile < model->all_tiles && !ferror(f); tile++) {
		struct demo_tile t;
		char name[40];

		if (tile % OFTEN == 0 && ts_cancelled(cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		demo_tile_fill(model, tile, &t);
		make_member(m, model, &t);
		snprintf(name, sizeof(name), "tile%lld.elf/", (long long)tile);
		fprintf(f, "%-16s%-12d%-6d%-6d%-8s%-10zu`\n", name, 0, 0, 0, "644", m->n);
		fwrite(m->bytes, 1, m->n, f);
	}
	return TS_OK;
}

enum ts_code
demo_archive(const char *path, const struct demo_model *model, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct member *m = ts_alloc(1, sizeof(*m));
	FILE *f = m ? fopen(path, "we") : NULL;
	enum ts_code result;
	bool bad;

	if (!f) {
		result = m ? ts_err_sys(err, errno, "cannot write") : ts_err_nomem(err);
		free(m);
		return result;
	}
	result = write_members(f, model, m, cancel, err);
	bad = ferror(f);
	bad |= fclose(f) != 0;
	if (!result && bad)
		result = ts_err_sys(err, errno, "cannot write");
	free(m);
	return result;
}
