/* SPDX-License-Identifier: MIT */
/*
 * fuzz_archive - an archive of any bytes: the walk, the names, and libelf over each member that looks
 * like a tile (in this process: whatever libelf does wrong shows here).
 *
 * Built with libFuzzer by tests/fuzz/run.sh. What it finds goes to tests/fuzz/corpus/archive, which
 * tests/unit/test_archive replays through the helper process.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/format/archive.h"
#include "tilescope/format/elf_tile.h"

enum { TILES = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* In memory of its own, so that a byte too far is seen. */
static void
read_tile(const uint8_t *bytes, const struct ts_member *m)
{
	struct ts_elf_tile t;
	void *image = malloc((size_t)m->size ? (size_t)m->size : 1);

	if (!image)
		return;
	memcpy(image, bytes + m->offset, (size_t)m->size);
	if (ts_elf_tile_read(&t, image, (size_t)m->size, true, NULL) == TS_OK &&
		(t.section_count > TS_ELF_SECTIONS || t.function_count > TS_ELF_FUNCTIONS))
		abort();
	free(image);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct ts_archive_walk w;
	struct ts_source *s;
	struct ts_member m;
	bool there = true;
	int tiles = 0;

	if (ts_source_open_mem(&s, bytes, n, NULL))
		return 0;
	if (!ts_archive_walk_init(&w, s, NULL, NULL))
		while (!ts_archive_next(&w, &m, &there, NULL) && there) {
			char name[TS_MEMBER_NAME];

			if (m.offset + m.size > (int64_t)n ||
				ts_member_name(name, &m, s, NULL, NULL))
				abort();
			if (m.kind == TS_MEMBER_TILE && tiles++ < TILES)
				read_tile(bytes, &m);
		}
	ts_archive_walk_fini(&w);
	ts_source_close(s);
	return 0;
}
