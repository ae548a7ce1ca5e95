/* SPDX-License-Identifier: MIT */
/*
 * archive - archive.a of a report: which member is which tile, and what each tells.
 *
 * Tile i is the i-th member that begins as an ELF file of the IPU: whether the SDK's own archives keep this order
 * is not known to the public, and a member's name is shown as it stands. A tile whose file is broken
 * keeps its number, and its memory is unknown.
 */
#ifndef TS_REPORT_ARCHIVE_H
#define TS_REPORT_ARCHIVE_H

#include "tilescope/base/progress.h"
#include "tilescope/format/archive.h"
#include "tilescope/format/elf_tile.h"
#include "tilescope/report/memory.h"

struct ts_archive_tile {
	struct ts_member member;
	int64_t text; /* bytes of .text; TS_UNKNOWN: its file is broken */
};

struct ts_archive {
	atomic_int uses;
	struct ts_source *source;
	size_t tiles, cap;
	struct ts_archive_tile *tile;
	int64_t members;		/* in all */
	int64_t kinds[TS_MEMBER_KINDS]; /* of them, by kind */
	size_t expected;		/* members that the symbol table names; 0 = it has none */
	int64_t broken;			/* tiles that could not be read */
	/*
	 * On another host. `by_table`: where tiles lie is what the symbol table says, and nothing of them was read (text is
	 * unknown, of `member` only `header` is set). `left_out`: there is no symbol table, and about so many members were not
	 * looked for, each of which costs a round trip; 0 = it was read. `wanted`: somebody at the screen says that it is worth them;
	 * `asked`: then it is being read.
	 */
	bool by_table;
	int64_t left_out;
	bool wanted, asked;
	int64_t names_at, names_size; /* long names (ts_archive_walk) */
	enum ts_part_state state;     /* OK, or DAMAGED */
	struct ts_notes notes;	      /* partial: something that is there could not be read */
};

/*
 * Open and walk the members; then read .text of each tile (`progress` counts tiles; or NULL), in a helper process. Of another
 * host: headers that the symbol table names come in bursts; without a table it is left out, unless `files` is thorough.
 * Afterwards it does not change: any thread may look at it. Errors: those of ts_source_open_file() and
 * ts_archive_walk_init(), TS_E_CANCELLED, TS_E_NOMEM, TS_E_SYS (no helper); all else is in `notes`.
 */
enum ts_code ts_archive_read(struct ts_archive **a, struct ts_files *files, const char *path,
	struct ts_progress *progress, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * The same, of another host as cheaply as it can be: where tiles lie by the symbol table. Without one it is left out, unless
 * `all`, or `files` is thorough.
 */
enum ts_code ts_archive_read_places(struct ts_archive **a, struct ts_files *files, const char *path,
	bool all, struct ts_progress *progress, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;
struct ts_archive *ts_archive_hold(struct ts_archive *a); /* NULL: NULL */
void ts_archive_release(struct ts_archive *a);		  /* NULL allowed; the last one frees it */

/* What the archive tells about one tile (0 .. tiles - 1): the caller's, free(). Errors: as above, TS_E_DAMAGED. */
struct ts_archive_details {
	char name[TS_MEMBER_NAME];
	struct ts_elf_tile elf;
};

enum ts_code ts_archive_details(struct ts_archive_details **d, const struct ts_archive *a,
	int64_t tile, const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/*
 * Tables with the names of relations, of what the archive knows of the model, as a source of a report. They lie in
 * memory. Errors: TS_E_NOMEM, TS_E_SYS.
 */
enum ts_code ts_archive_rows(struct ts_source **s, const struct ts_archive *a,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * Compare with the tiles of a profile. A tile differs when .text is more than 1 % below its memory without gaps, or
 * above that with gaps: whether .text includes gaps is not public.
 */
struct ts_archive_check {
	int64_t compared, different;
	int64_t only_archive, only_profile; /* tiles that the other one does not have */
	int64_t worst;			    /* tile that differs most, in bytes; TS_UNKNOWN */
	int64_t worst_text, worst_profile;
};

void ts_archive_compare(struct ts_archive_check *c, const struct ts_archive *a,
	const struct ts_tiles *tiles);

/* What the comparison says, as sentences. */
void ts_archive_note_check(struct ts_notes *notes, const struct ts_archive *a,
	const struct ts_archive_check *c);

/* The archive's own notes, and what the comparison says (c: or NULL), as sentences. */
void ts_archive_note(struct ts_notes *notes, const struct ts_archive *a,
	const struct ts_archive_check *c);

#endif
