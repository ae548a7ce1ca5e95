/* SPDX-License-Identifier: MIT */
/*
 * tile_work - what runs on some tiles, and with what code: compute sets, vertex types, exchanges.
 *
 * One list for each, of the rows that have anything to do with one of the tiles. `_by_tile` blobs are looked at one
 * at a time and of each only the numbers of the tiles asked for, so memory grows with the rows that are found
 * and with nothing else. At bert scale (6,000 compute sets, 19,000 programs) a list is a pass of some milliseconds;
 * whoever looks at a tile asks for it then (there is no section of it in the index).
 *
 * Figures of several tiles: bytes and vertices are sums, cycles are those of the slowest tile (their sum beside
 * them). A compute set's cycles are measured where it has cycles_by_tile, else estimated where it has
 * estimated_cycles_by_tile; the two are never mixed in one row. A blob that ends before a tile says 0 for it.
 * Code of exchanges is shared between them: their sum exceeds the category (MODEL.md).
 */
#ifndef TS_REPORT_TILE_WORK_H
#define TS_REPORT_TILE_WORK_H

#include "tilescope/base/progress.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/report/report.h"

enum ts_work_kind {
	TS_WORK_COMPUTE_SETS,
	TS_WORK_VERTICES,
	TS_WORK_EXCHANGES,
	TS_WORK_KINDS,
};

enum {
	TS_WORK_ROWS = 1 << 18, /* that are kept; then `cut` */
	TS_WORK_TEXT = 8 << 20, /* bytes of names that are kept */
	TS_WORK_NAME = 8192,	/* of one */
};

enum ts_work_known {
	TS_WORK_UNKNOWN,
	TS_WORK_MEASURED,
	TS_WORK_ESTIMATED,
	TS_WORK_PARTLY, /* of a sum: some are estimates */
};

/* A row; or a family of vertex types. */
struct ts_work_row {
	int64_t id;		  /* compute_set, vertex_type or program */
	uint32_t name;		  /* in `text`, NUL-terminated, raw; "" = none */
	uint32_t said;		  /* vertex types: as people write it (base/vertex_name.h) */
	uint32_t type;		  /* exchanges: the program's type, in `text` */
	uint32_t family;	  /* vertex types: which of `family`; a family: its first row */
	enum ts_work_known known; /* how the cycles are */
	int64_t tiles;		  /* of those asked for, on which there is anything of it */
	int64_t code_tiles;	  /* vertex types: those on which there is code of it */
	int64_t cycles;		  /* of the slowest of them; TS_UNKNOWN */
	int64_t cycles_sum;	  /* TS_UNKNOWN, also where it does not fit */
	int64_t vertices;	  /* instances; TS_UNKNOWN */
	int64_t code;		  /* bytes: vertex code, exchange code; TS_UNKNOWN */
	int64_t state;		  /* bytes: vertices x the type's state_bytes; TS_UNKNOWN */
	int64_t types;		  /* a family: vertex types in it */
	int64_t sets;		  /* vertex types: compute sets that have some */
};

struct ts_tile_work {
	enum ts_work_kind kind;
	/* Compute sets: most cycles (of all the tiles) first; others: most code first; equals by id. */
	struct ts_work_row *row;
	size_t count, cap;
	/*
	 * Vertex types by family (the template without its arguments), that with the most code first: the rows of
	 * a family stand together, in this order. Sums of its types; `tiles` is that of the type on the most of them.
	 */
	struct ts_work_row *family;
	size_t families;
	struct ts_strbuf text;
	struct ts_work_row sum; /* of all rows; cycles: sum of each row's */
	int64_t bad_rows;	/* left out: an id or a blob that is none */
	bool has_cycles, has_vertices, has_code, has_state; /* is it recorded at all */
	bool cut, partial;
};

/* Does the report say anything of it? */
bool ts_tile_work_recorded(const struct ts_report *r, enum ts_work_kind kind);

/*
 * Read the list for n tiles (ascending numbers). TS_E_ABSENT: nothing is recorded. Damage keeps what could be
 * read: `partial`, TS_E_DAMAGED. progress may be NULL. Free with ts_tile_work_fini() in every case.
 */
enum ts_code ts_tile_work_read(struct ts_tile_work *w, struct ts_reader *rd, enum ts_work_kind kind,
	const int64_t *tiles, size_t n, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_tile_work_fini(struct ts_tile_work *w);

/* As people write it; of a vertex type without a name "vertex type N"; "" = none. */
static inline const char *
ts_work_said(const struct ts_tile_work *w, const struct ts_work_row *row)
{
	return w->text.s + (row->said ? row->said : row->name);
}

/* As the report has it. */
static inline const char *
ts_work_name(const struct ts_tile_work *w, const struct ts_work_row *row)
{
	return w->text.s + row->name;
}

#endif
