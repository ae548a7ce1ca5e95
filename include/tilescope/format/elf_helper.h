/* SPDX-License-Identifier: MIT */
/*
 * elf_helper - what a process that reads one tile's ELF file after another and the one that asks it
 * say to each other, and the side of the helper.
 *
 * Both are the same program, so numbers go as they lie in memory. The answer comes from a process that has
 * looked at hostile bytes: whoever takes it checks it (ts_elf_reply_check()).
 */
#ifndef TS_FORMAT_ELF_HELPER_H
#define TS_FORMAT_ELF_HELPER_H

#include "tilescope/format/elf_tile.h"

/* The one argument that makes the program a helper (app/main.c). */
#define TS_ELF_HELPER_WORD "--read-tiles-of-an-archive"

enum {
	TS_ELF_ANSWERS = 1, /* file descriptors of the helper: what it says */
	TS_ELF_ARCHIVE = 3, /* the archive, open for reading */
	TS_ELF_QUESTIONS = 4,
	TS_ELF_HELLO = 0x31534c54,
	TS_ELF_WHY = 96,
};

struct ts_elf_request {
	uint32_t hello, details;
	int64_t offset, size; /* bytes of the archive */
};

/* Followed by `section_count` struct ts_elf_section and `function_count` struct ts_elf_function. */
struct ts_elf_reply {
	uint32_t hello;
	int32_t code; /* of ts_elf_tile_read() */
	int64_t text, function_bytes;
	uint32_t sections, functions;
	uint32_t section_count, function_count;
	char why[TS_ELF_WHY];
};

/* Is this a reply as the helper gives them? */
bool ts_elf_reply_check(const struct ts_elf_reply *r);

/*
 * Be the helper: limit itself, say hello (four bytes), answer until nobody asks any more. The exit status of
 * the process.
 */
int ts_elf_helper(void);

#endif
