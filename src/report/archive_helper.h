/* SPDX-License-Identifier: MIT */
/*
 * archive_helper - ask the process that reads the ELF files of an archive.
 *
 * One helper belongs to one thread. It is started when it is first asked, and again when it has ended over a tile.
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
 * TS_E_LIMIT (it has ended too often), TS_E_CANCELLED: those from there on have no answer.
 */
enum ts_code helper_ask(struct helper *h, const struct ts_elf_request *question, size_t n,
	helper_fn *each, void *ctx, struct ts_err *err) TS_WARN_UNUSED;

/* End it. */
void helper_end(struct helper *h);

#endif
