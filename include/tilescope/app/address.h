/* SPDX-License-Identifier: MIT */
/*
 * address - a place in the app as text: `memory?tile=12&by=category`.
 *
 *	VIEW[?NAME=VALUE[&NAME=VALUE]...]
 *
 * Each view has a table of its arguments (ts_view_ops.args), which checks, says and goes. In a value `%` and
 * two hexadecimal digits stand for a byte. An argument that the view does not have, or that stands there
 * twice, is an error: nobody should look at another place than he meant.
 */
#ifndef TS_APP_ADDRESS_H
#define TS_APP_ADDRESS_H

#include <stdint.h>

#include "tilescope/base/err.h"
#include "tilescope/base/strbuf.h"

struct ts_app;
struct ts_view;
struct ts_view_ops;

enum { TS_ADDRESS_ARGS = 32, TS_ADDRESS_TEXT = 1024 };

struct ts_address {
	int view; /* enum ts_view_id */
	int next; /* arguments before it are where they should be */
	bool pending, failed;
	bool has[TS_ADDRESS_ARGS];    /* argument i of the view's table is given ... */
	uint16_t at[TS_ADDRESS_ARGS]; /* ... and its value begins here in `text` */
	char text[TS_ADDRESS_TEXT];
	char says[120]; /* for the bottom line when all is where it should be; "" = nothing */
};

/* Errors: TS_E_USAGE. NULL as text: the first view. */
enum ts_code ts_address_parse(struct ts_address *a, const char *text,
	struct ts_err *err) TS_WARN_UNUSED;

/* The present place of a view. */
void ts_address_print(struct ts_strbuf *out, struct ts_view *v);

/* The words that open the app there: `tilescope PATH --at 'ADDRESS'`. */
void ts_address_command(struct ts_strbuf *out, const char *path, struct ts_view *v);

/*
 * Go on towards `app->at`, as far as what has come allows. When an argument cannot be what it says,
 * `failed` is set and the bottom line tells why.
 */
void ts_address_turn(struct ts_app *app);

#endif
