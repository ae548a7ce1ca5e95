/* SPDX-License-Identifier: MIT */
/*
 * elf_tile - what one member of archive.a tells about its tile: sections and functions, by libelf.
 *
 * libelf was not made for hostile bytes, so ts_elf_tile_read() runs in a process of its own
 * (format/elf_helper.h), and a fuzzer.
 */
#ifndef TS_FORMAT_ELF_TILE_H
#define TS_FORMAT_ELF_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/base/err.h"

enum {
	TS_ELF_BYTES_MAX = 64 << 20, /* a larger member is not read */
	TS_ELF_SECTIONS = 48,
	TS_ELF_FUNCTIONS = 64,
	TS_ELF_SECTION_NAME = 64, /* bytes with the NUL; names are cut */
	TS_ELF_FUNCTION_NAME = 192,
};

struct ts_elf_section {
	char name[TS_ELF_SECTION_NAME];
	uint32_t type, flags; /* sh_type, sh_flags */
	uint32_t address, bytes;
};

struct ts_elf_function {
	char name[TS_ELF_FUNCTION_NAME]; /* as it stands, mangled */
	uint32_t address, bytes;
};

struct ts_elf_tile {
	int64_t text;		/* bytes of all sections called .text; -1 = there is none */
	uint32_t sections;	/* in all, without the empty first one */
	uint32_t functions;	/* in all: symbols of type FUNC that have a size */
	int64_t function_bytes; /* of all of them */
	int section_count, function_count;
	struct ts_elf_section section[TS_ELF_SECTIONS];	   /* the largest that lie in memory */
	struct ts_elf_function function[TS_ELF_FUNCTIONS]; /* the largest */
};

/*
 * Read an ELF file that begins at `image` (writable: libelf may change it). Without `details` only `text` and
 * `sections` are filled in. Errors: TS_E_FORMAT (not a 32-bit little-endian ELF file of the IPU), TS_E_DAMAGED.
 */
enum ts_code ts_elf_tile_read(struct ts_elf_tile *t, void *image, size_t n, bool details,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
