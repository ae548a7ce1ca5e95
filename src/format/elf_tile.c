/* SPDX-License-Identifier: MIT */
/*
 * elf_tile - sections and functions of one tile's ELF file.
 *
 * The memory of a tile is the size of its section .text (that is what `size -A archive.a` adds up). A
 * section that says it has bytes has to have them within the member; symbols are believed as they
 * stand, for they are names and numbers to show. Names are cut, counts are bounded by the member's own
 * size; only the largest are kept, by insertion, so nothing is allocated here.
 */
#include "config.h"

#include <gelf.h>
#include <libelf.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/format/archive.h"
#include "tilescope/format/elf_tile.h"

static enum ts_code
broken(struct ts_err *err, const char *what)
{
	const char *why = elf_errmsg(-1);

	return ts_err_set(err, TS_E_DAMAGED, "%s%s%s", what, why ? ": " : "", why ? why : "");
}

static void
copy_name(char *out, size_t size, const char *s)
{
	size_t n = s ? strnlen(s, size - 1) : 0;

	if (n)
		memcpy(out, s, n);
	out[n] = '\0';
}

/* Keep the largest sections that are in the tile's memory. */
static void
keep_section(struct ts_elf_tile *t, const struct ts_elf_section *s)
{
	int i = t->section_count;

	if (!(s->flags & SHF_ALLOC) || s->bytes == 0)
		return;
	if (i == TS_ELF_SECTIONS && s->bytes <= t->section[i - 1].bytes)
		return;
	if (i < TS_ELF_SECTIONS)
		t->section_count++;
	else
		i--;
	for (; i > 0 && t->section[i - 1].bytes < s->bytes; i--)
		t->section[i] = t->section[i - 1];
	t->section[i] = *s;
}

static void
keep_function(struct ts_elf_tile *t, const GElf_Sym *sym, const char *name)
{
	int i = t->function_count;
	uint32_t bytes = (uint32_t)sym->st_size;

	t->functions++;
	t->function_bytes += bytes;
	if (i == TS_ELF_FUNCTIONS && bytes <= t->function[i - 1].bytes)
		return;
	if (i < TS_ELF_FUNCTIONS)
		t->function_count++;
	else
		i--;
	for (; i > 0 && t->function[i - 1].bytes < bytes; i--)
		t->function[i] = t->function[i - 1];
	t->function[i].address = (uint32_t)sym->st_value;
	t->function[i].bytes = bytes;
	copy_name(t->function[i].name, sizeof(t->function[i].name), name);
}

static void
read_symbols(struct ts_elf_tile *t, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data ? data->d_size / sizeof(Elf32_Sym) : 0;

	for (size_t i = 0; i < n; i++) {
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym))
			return;
		if (GELF_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_size > 0 &&
			sym.st_shndx != SHN_UNDEF)
			keep_function(t, &sym, elf_strptr(elf, sh->sh_link, sym.st_name));
	}
}

static enum ts_code
read_section(struct ts_elf_tile *t, Elf *elf, Elf_Scn *scn, size_t names, size_t n, bool details,
	struct ts_err *err)
{
	struct ts_elf_section s = {.type = 0};
	GElf_Shdr sh;

	if (!gelf_getshdr(scn, &sh))
		return broken(err, "a section header cannot be read");
	t->sections++;
	copy_name(s.name, sizeof(s.name), elf_strptr(elf, names, sh.sh_name));
	s.type = sh.sh_type;
	s.flags = (uint32_t)sh.sh_flags;
	s.address = (uint32_t)sh.sh_addr;
	s.bytes = (uint32_t)sh.sh_size;
	if (sh.sh_type != SHT_NOBITS && sh.sh_type != SHT_NULL &&
		(sh.sh_offset > n || sh.sh_size > n - sh.sh_offset))
		return ts_err_set(err, TS_E_DAMAGED, "section %s ends behind the end of the member",
			s.name);
	if (strcmp(s.name, ".text") == 0)
		t->text = ts_max_i64(t->text, 0) + s.bytes;
	if (!details)
		return TS_OK;
	keep_section(t, &s);
	if (sh.sh_type == SHT_SYMTAB)
		read_symbols(t, elf, scn, &sh);
	return TS_OK;
}

static enum ts_code
read_all(struct ts_elf_tile *t, Elf *elf, size_t n, bool details, struct ts_err *err)
{
	GElf_Ehdr head;
	size_t names;
	enum ts_code code = TS_OK;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &head) ||
		gelf_getclass(elf) != ELFCLASS32 || head.e_ident[EI_DATA] != ELFDATA2LSB ||
		head.e_machine != TS_EM_IPU)
		return ts_err_set(err, TS_E_FORMAT, "not an ELF file of the IPU");
	if (elf_getshdrstrndx(elf, &names) != 0)
		return broken(err, "the names of the sections cannot be found");
	for (Elf_Scn *scn = NULL; !code && (scn = elf_nextscn(elf, scn));)
		code = read_section(t, elf, scn, names, n, details, err);
	/* libelf ends the list where headers lie behind the end */
	if (!code && head.e_shnum > 1 && t->sections + 1 < head.e_shnum)
		code = ts_err_set(err, TS_E_DAMAGED,
			"%u section headers are said to be there, %u are", head.e_shnum,
			t->sections ? t->sections + 1 : 0);
	return code;
}

enum ts_code
ts_elf_tile_read(struct ts_elf_tile *t, void *image, size_t n, bool details, struct ts_err *err)
{
	enum ts_code code;
	Elf *elf;

	*t = (struct ts_elf_tile){.text = -1};
	if (n < sizeof(Elf32_Ehdr))
		return ts_err_set(err, TS_E_DAMAGED, "shorter than an ELF header");
	if (elf_version(EV_CURRENT) == EV_NONE)
		return ts_err_set(err, TS_E_FORMAT, "libelf does not know this version of ELF");
	elf = elf_memory(image, n);
	if (!elf)
		return broken(err, "not readable as ELF");
	code = read_all(t, elf, n, details, err);
	elf_end(elf);
	return code;
}
