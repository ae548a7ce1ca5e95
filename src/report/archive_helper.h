/* SPDX-License-Identifier: MIT */
/*
 * archive_helper - ask the process that reads the ELF files of an archive.
 *
 * One helper belongs to one thread. It is started when it is first asked, and again when it has ended over a tile.
 *
 * Of an archive on another host it sees a file without a name, in memory, into which is put what it needs of some members
 * at a time (archive_stage.c): for their sizes the tables of sections, else the whole of each.
 */
#ifndef TS_REPORT_ARCHIVE_HELPER_H
#define TS_REPORT_ARCHIVE_HELPER_H

#include "tilescope/format/elf_helper.h"
#include "tilescope/io/child.h"
#include "tilescope/io/source.h"

enum { HELPER_ENDS_MAX = 64 }; /* then it is not started again */

struct helper {
	struct ts_source *source; /* the archive */
	const struct ts_cancel *cancel;
	struct ts_child child;
	bool started;  /* child and questions are valid */
	int questions; /* where they are sent to */
	int ends;      /* how often it has ended over a tile */
	bool staging; /* the archive is no file of this machine: `staged` is what the helper sees */
	int staged;
};

/* What became of a question. */
struct helper_answer {
	enum ts_code code; /* of the tile; TS_E_DAMAGED also when the helper ended over it */
	const struct ts_elf_reply *reply;     /* NULL when it ended */
	const struct ts_elf_section *section; /* reply->section_count of them */
	const struct ts_elf_function *function;
};

typedef void helper_fn(void *ctx, size_t i, const struct helper_answer *answer);

/*
 * Ask n questions and hand the answers to `each`, in order. Errors: TS_E_SYS (no helper can be started),
 * TS_E_LIMIT (it has ended too often), TS_E_CANCELLED, of a host also those of reading: those from there on have no
 * answer.
 */
enum ts_code helper_ask(struct helper *h, const struct ts_elf_request *question, size_t n,
	helper_fn *each, void *ctx, struct ts_err *err) TS_WARN_UNUSED;

enum { STAGE_MEMBERS = 256, STAGE_BYTES = 32 << 20 };

/*
 * Put into the file h->staged what the first of n questions need, at most STAGE_MEMBERS of them and, unless the first alone
 * has more, STAGE_BYTES: *took of them, copied to `to` with their places there. What of a member makes no sense is left out:
 * the helper says what is wrong with it. Errors: TS_E_SYS, TS_E_NOMEM, those of ts_source_read().
 */
enum ts_code helper_stage(struct helper *h, struct ts_elf_request *to, size_t *took,
	const struct ts_elf_request *question, size_t n, struct ts_err *err) TS_WARN_UNUSED;

/* End it. */
void helper_end(struct helper *h);

#endif
