/* SPDX-License-Identifier: MIT */
/* arg - what the arguments of views' addresses have in common (ts_view_ops.args). */
#ifndef TS_VIEW_ARG_H
#define TS_VIEW_ARG_H

#include "tilescope/ui/list.h"
#include "tilescope/ui/span.h"
#include "tilescope/ui/table.h"
#include "tilescope/view/view.h"

/* Run a command, with `value` as its argument when it is not NULL. A bell: it cannot be. */
enum ts_arg_state ts_arg_command(struct ts_view *v, enum ts_cmd cmd, const char *value);

/* Run a command that turns something on or off when it is not yet as `wanted`. */
enum ts_arg_state ts_arg_switch(struct ts_view *v, enum ts_cmd cmd, bool is, bool wanted);

/*
 * From pane to pane, as Tab goes, until the wanted one has the keys; one that is not on the way cannot be
 * gone to. `value` is what it is called.
 */
enum ts_arg_state ts_arg_walk(struct ts_view *v, bool (*is_there)(struct ts_view *v, int wanted),
	int wanted, const char *value);

bool ts_arg_is_yes(const char *value);

/* Append "yes" when it is so; else false: nothing has to be said. */
bool ts_arg_say_yes(struct ts_strbuf *out, bool is);

/* A word of "a|b|c" by its number, and the other way round (-1: not there). */
bool ts_arg_say_word(struct ts_strbuf *out, const char *words, int number);
int ts_arg_word(const char *words, const char *value);

/* A number that the address has checked, and FROM-TO. */
int64_t ts_arg_number(const char *value);
void ts_arg_range(const char *value, int64_t *from, int64_t *to);

/* Rows are counted from 1. `there`: all of them are. The first one has not to be said. */
bool ts_arg_say_row(struct ts_strbuf *out, const struct ts_list *l);
enum ts_arg_state ts_arg_go_row(struct ts_view *v, struct ts_list *l, bool there,
	const char *value);

/* `tiles`: the set that is selected, for any view. */
bool ts_arg_get_tiles(struct ts_view *v, struct ts_strbuf *out);
enum ts_arg_state ts_arg_set_tiles(struct ts_view *v, const char *value);

/*
 * Of the table of the pane that has the keys (arg_table.c): `columns=tile,bytes`; `sort=NAME`, with a minus in front the other
 * way round; `filter=WORDS`, of tables that are held. Behind `pane` and `tab`, in front of `row`.
 */
bool ts_arg_get_columns(struct ts_view *v, struct ts_strbuf *out);
enum ts_arg_state ts_arg_set_columns(struct ts_view *v, const char *value);
/*
 * The same of a table that a view puts in order itself, by t->sorted and t->descending: "-cycles", "name", "-row". Setting: false:
 * it has no such column.
 */
bool ts_arg_say_order(struct ts_strbuf *out, const struct ts_table *t);
bool ts_arg_order(int *sorted, bool *descending, const struct ts_table *t, const char *value);

bool ts_arg_get_sort(struct ts_view *v, struct ts_strbuf *out);
enum ts_arg_state ts_arg_set_sort(struct ts_view *v, const char *value);
bool ts_arg_get_filter(struct ts_view *v, struct ts_strbuf *out);
enum ts_arg_state ts_arg_set_filter(struct ts_view *v, const char *value);

#endif
