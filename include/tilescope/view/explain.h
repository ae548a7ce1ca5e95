/* SPDX-License-Identifier: MIT */
/*
 * explain - what a figure on the screen is, and the query that reproduces it.
 *
 * A view (or a tab of one) fills in a list of figures for `=`: the one under the cursor first, then others
 * of the same pane. Nothing is read for that: the view has its numbers. A test runs the query of every
 * figure of every view on several reports and compares the first value of its first row with the figure:
 * what is given here as a query has to give exactly that number.
 *
 *	struct ts_explained *x = ts_explain_add(out, "memory of tile %lld", tile);
 *
 *	ts_explain_bytes(x, used, units);
 *	ts_explain_from(x, TS_KNOWN_RECORDED, "tile_memory.total_gaps");
 *	ts_explain_formula(x, "total_gaps of tile %lld = %s", ...);
 *	ts_explain_query(x, "SELECT total_gaps FROM tile_memory WHERE tile = %lld", tile);
 */
#ifndef TS_VIEW_EXPLAIN_H
#define TS_VIEW_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/base/err.h"
#include "tilescope/base/fmt.h"
#include "tilescope/base/strbuf.h"

/* How a figure is known (MODEL.md, honesty rules). */
enum ts_known {
	TS_KNOWN_RECORDED,  /* the compiler wrote it down: memory, counts, settings */
	TS_KNOWN_MEASURED,  /* on the machine, this very thing */
	TS_KNOWN_REPEATED,  /* measured once, put in for every execution */
	TS_KNOWN_ESTIMATED, /* by the compiler's model */
	TS_KNOWN_DERIVED,   /* worked out of recorded figures */
	TS_KNOWN_ASSUMED,   /* not recorded: what such a report usually has */
	TS_KNOWN_COUNT
};

enum ts_explain_kind { TS_EXPLAIN_UNKNOWN, TS_EXPLAIN_INTEGER, TS_EXPLAIN_REAL, TS_EXPLAIN_TEXT };

enum {
	TS_EXPLAIN_FIGURES = 48,
	TS_EXPLAIN_TITLE = 400,
	TS_EXPLAIN_SHOWN = 120,
	TS_EXPLAIN_LINE = 400,
	TS_EXPLAIN_QUERY = 3200,
};

struct ts_explained {
	char title[TS_EXPLAIN_TITLE];
	char shown[TS_EXPLAIN_SHOWN]; /* as it stands on the screen */
	enum ts_explain_kind kind;    /* of the exact value; UNKNOWN: not known */
	int64_t integer;
	double real;
	char text[TS_EXPLAIN_SHOWN];
	const char *unit; /* of the exact value: "bytes", "cycles", "%", "steps"; NULL = none */
	enum ts_known known;
	char from
		[TS_EXPLAIN_LINE]; /* relations and columns: "tile_memory.total_gaps, target.bytes_per_tile" */
	char formula[TS_EXPLAIN_LINE]; /* with the numbers put in */
	char note[TS_EXPLAIN_LINE];    /* what one has to know about it; "" = nothing */
	char query[TS_EXPLAIN_QUERY];  /* SQL over our relations; "" = none (the note says why) */
};

struct ts_explain {
	struct ts_explained figure[TS_EXPLAIN_FIGURES];
	int count;
	int at;			   /* the one that the cursor is on */
	struct ts_explained spare; /* what is written where there is no more room */
};

/* "recorded by the compiler", "derived", ... */
const char *ts_known_name(enum ts_known known);

void ts_explain_init(struct ts_explain *e);

/* One more figure, with its title; never NULL. Titles and all texts are of the report or our own: made safe when drawn. */
struct ts_explained *ts_explain_add(struct ts_explain *e, const char *title, ...) TS_PRINTF(2, 3);

/* Its value. Negative bytes and counts mean "not known". `shown` is filled in as views show such numbers; ... */
void ts_explain_bytes(struct ts_explained *x, int64_t bytes, enum ts_units units);
void ts_explain_integer(struct ts_explained *x, int64_t value, const char *unit);
void ts_explain_number(struct ts_explained *x, int64_t value); /* of a tile, an id: no amount */
void ts_explain_real(struct ts_explained *x, double value, const char *unit);
void ts_explain_text(struct ts_explained *x, const char *text);

/* ... unless the view shows it otherwise ("59.1%"). */
void ts_explain_shown(struct ts_explained *x, const char *fmt, ...) TS_PRINTF(2, 3);

void ts_explain_from(struct ts_explained *x, enum ts_known known, const char *from, ...)
	TS_PRINTF(3, 4);
void ts_explain_formula(struct ts_explained *x, const char *fmt, ...) TS_PRINTF(2, 3);
void ts_explain_note(struct ts_explained *x, const char *fmt, ...) TS_PRINTF(2, 3);

/* A query that does not fit is left out, and the note says so. */
void ts_explain_query(struct ts_explained *x, const char *fmt, ...) TS_PRINTF(2, 3);

/* `s` as a text of SQL, with its quotes: 'it''s'. Cut names would find other rows: then "" and false. */
bool ts_explain_quote(char *out, size_t size, const char *s);

/* The exact value as text: "834339 bytes"; "not known". */
const char *ts_explain_exact(const struct ts_explained *x, char out[TS_EXPLAIN_SHOWN]);

/* --- on the screen ------------------------------------------------------------------------------ */

struct ts_canvas;
struct ts_rect;

/*
 * A box over the view in `r`: the list of figures with the cursor, and all about that one. `skip` lines of what is
 * said of it are scrolled away (clamped). `path`: of the report, for the command; `hint`: keys, at the bottom.
 */
void ts_explain_draw(struct ts_canvas *c, struct ts_rect r, const struct ts_explain *e,
	const char *path, const char *hint, int *skip);

/* The words that print the figure: tilescope query PATH 'SELECT ...'; as a shell takes them. */
void ts_explain_command(struct ts_strbuf *out, const struct ts_explained *x, const char *path);

#endif
