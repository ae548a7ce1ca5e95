/* SPDX-License-Identifier: MIT */
/*
 * table_looks - which columns of which tables the user wants to see; kept between runs.
 *
 * For each table (ts_table.id) a list of names with a sign: `-share` is hidden, `+type` is shown although it is not at
 * first. Names that a table does not have (now) do no harm: another report may record them.
 */
#ifndef TS_UI_TABLE_LOOKS_H
#define TS_UI_TABLE_LOOKS_H

#include "tilescope/base/err.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/ui/table.h"

struct ts_table_looks;

struct ts_table_looks *ts_table_looks_new(void); /* NULL: no memory */
void ts_table_looks_free(struct ts_table_looks *l);

/* +1: wanted, -1: hidden, 0: nothing was said of that column. */
int ts_table_looks_of(const struct ts_table_looks *l, const char *id, const char *name);

/*
 * Change what is wanted of a table: "a,b,-c": names alone: these and no others; with signs: those shown or hidden, the
 * others as they are; "all": everything; "": as at first. One column stays at least. Errors: TS_E_USAGE.
 */
enum ts_code ts_table_looks_set(struct ts_table_looks *l, const struct ts_table *t,
	const char *names, struct ts_err *err) TS_WARN_UNUSED;

/* What was said of a table: "-share,+type"; "" = nothing. */
void ts_table_looks_get(const struct ts_table_looks *l, const char *id, struct ts_strbuf *out);

/* What ts_table_looks_get() once said (of settings that are kept). False: there is no room. */
bool ts_table_looks_put(struct ts_table_looks *l, const char *id, const char *names);

#endif
