/* SPDX-License-Identifier: MIT */
/*
 * archive - the members of an `ar` archive, one after the other: where each lies and what it is.
 *
 * All three forms of names are known: System V (`name/`, blanks), GNU (`/123` into the member `//`),
 * BSD (`#1/N`: the name is the first N bytes of the member). Nothing in the file is believed before it
 * was compared with the size of the file.
 */
#ifndef TS_FORMAT_ARCHIVE_H
#define TS_FORMAT_ARCHIVE_H

#include <stdbool.h>

#include "tilescope/io/source.h"

enum {
	TS_ARCHIVE_MEMBERS = 1 << 17, /* more are not looked at */
	TS_MEMBER_NAME = 256,	      /* bytes of a name that are shown, with the NUL */
	TS_EM_IPU = 248,	      /* e_machine of a tile's ELF file */
};

enum ts_member_kind {
	TS_MEMBER_TILE,	   /* begins as a 32-bit little-endian ELF file of the IPU */
	TS_MEMBER_HOST,	   /* a 64-bit one of that machine: what the host runs, beside the tiles */
	TS_MEMBER_OTHER,   /* no ELF file */
	TS_MEMBER_NESTED,  /* an archive */
	TS_MEMBER_64,	   /* a 64-bit ELF file */
	TS_MEMBER_BIG,	   /* a big-endian one */
	TS_MEMBER_MACHINE, /* one of another machine */
	TS_MEMBER_KINDS,
};

struct ts_member {
	enum ts_member_kind kind;
	bool cut;	   /* the file ends within it: `size` is what there is */
	int64_t header;	   /* offset of its header */
	int64_t offset;	   /* of its bytes, behind a BSD name */
	int64_t size;	   /* bytes, without a BSD name */
	int64_t name_at;   /* where its name stands ... */
	uint32_t name_max; /* ... and where it ends at the latest, bytes */
};

struct ts_archive_walk {
	struct ts_source *source;
	const struct ts_cancel *cancel;
	int64_t at;		      /* the next header */
	int64_t members;	      /* given so far */
	int64_t names_at, names_size; /* contents of `//`; size 0: there is none */
	int64_t *hint; /* headers that the symbol table names, ascending, each once */
	size_t hints;
	bool hints_cut;	      /* there are more, or they make no sense */
	int64_t jumps;	      /* broken headers that were left behind by the symbol table */
	struct ts_err damage; /* the first thing that is wrong; code TS_OK: nothing */
};

/*
 * Begin: `source` and `cancel` (or NULL) stay the caller's. Errors: TS_E_FORMAT (not an archive, or a thin
 * one, whose members lie in other files), TS_E_NOMEM, those of the source. End with _fini() in every case.
 */
enum ts_code ts_archive_walk_init(struct ts_archive_walk *w, struct ts_source *source,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;
void ts_archive_walk_fini(struct ts_archive_walk *w);

/*
 * The next member: *there false at the end. Symbol tables and the table of names are not given. A
 * broken header ends the walk, unless the symbol table knows a member behind it; w->damage says so.
 * Errors: TS_E_LIMIT (more than TS_ARCHIVE_MEMBERS), TS_E_CANCELLED, TS_E_SYS.
 */
enum ts_code ts_archive_next(struct ts_archive_walk *w, struct ts_member *m, bool *there,
	struct ts_err *err) TS_WARN_UNUSED;

/* Members that the symbol table names; 0 = there is none. */
static inline size_t
ts_archive_hints(const struct ts_archive_walk *w)
{
	return w->hints;
}

/* The name as it stands in the file, cut at TS_MEMBER_NAME; not safe for a terminal. */
enum ts_code ts_member_name(char name[TS_MEMBER_NAME], const struct ts_member *m,
	struct ts_source *source, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/* "not an ELF file", "64-bit", ... for people: "17 members are left out (64-bit)". */
const char *ts_member_kind_text(enum ts_member_kind kind);

#endif
