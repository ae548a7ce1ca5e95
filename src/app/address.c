/* SPDX-License-Identifier: MIT */
/* address - see the header. Arguments are set in the order of the view's table, whatever the order they are given in. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/app/app.h"
#include "tilescope/base/mem.h"
#include "tilescope/view/arg.h"

/* --- reading ---------------------------------------------------------------------------------- */

static bool
is_number(const char *s, const char *end)
{
	enum { DIGITS = 18 }; /* fits any 64 bits */

	if (s == end || end - s > DIGITS)
		return false;
	while (s < end && *s >= '0' && *s <= '9')
		s++;
	return s == end;
}

static bool
is_range(const char *s)
{
	const char *dash = strchr(s, '-');

	return dash && is_number(s, dash) && is_number(dash + 1, dash + strlen(dash)) &&
		strtoll(s, NULL, 10) < strtoll(dash + 1, NULL, 10);
}

static bool
is_fitting(const struct ts_view_arg *arg, const char *value)
{
	if (strcmp(arg->words, TS_ARG_NUMBER) == 0)
		return is_number(value, value + strlen(value));
	if (strcmp(arg->words, TS_ARG_RANGE) == 0)
		return is_range(value);
	return *value &&
		(strcmp(arg->words, TS_ARG_TEXT) == 0 || ts_arg_word(arg->words, value) >= 0);
}

static int
hex(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c | 0x20) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* The bytes of [s, end) as they are meant: a `%` without two digits is one, as in over(90%); false: a byte of 0. */
static bool
decode(char *out, const char *s, const char *end)
{
	while (s < end) {
		int c = (unsigned char)*s++;

		int high = c == '%' && s < end ? hex(s[0]) : -1,
		    low = high >= 0 && s + 1 < end ? hex(s[1]) : -1;

		if (low >= 0) {
			c = high * 16 + low;
			s += 2;
		}
		if (c == 0)
			return false;
		*out++ = (char)c;
	}
	*out = '\0';
	return true;
}

static int
find_arg(const struct ts_view_ops *ops, const char *name, size_t n)
{
	for (int i = 0; ops->args && ops->args[i].name; i++)
		if (strlen(ops->args[i].name) == n && memcmp(ops->args[i].name, name, n) == 0)
			return i;
	return -1;
}

/* "tile, by, gaps": what a view knows. */
static void
name_args(struct ts_strbuf *out, const struct ts_view_ops *ops)
{
	for (int i = 0; ops->args && ops->args[i].name; i++)
		ts_strbuf_printf(out, "%s%s", i ? ", " : "", ops->args[i].name);
}

static enum ts_code
unknown_arg(const struct ts_view_ops *ops, const char *name, size_t n, struct ts_err *err)
{
	struct ts_strbuf known;

	ts_strbuf_init(&known, 200);
	name_args(&known, ops);
	ts_err_set(err, TS_E_USAGE, "--at: %s has no argument \"%.*s\" (%s%s)", ops->name,
		(int)ts_min_i64((int64_t)n, 60), name, known.len ? "it has " : "it has none",
		known.s);
	ts_strbuf_fini(&known);
	return TS_E_USAGE;
}

/* NAME=VALUE at [s, end); `room` is where its value is put. */
static enum ts_code
parse_arg(struct ts_address *a, const char *s, const char *end, size_t *room, struct ts_err *err)
{
	const struct ts_view_ops *ops = ts_views[a->view];
	const char *equals = memchr(s, '=', (size_t)(end - s));
	size_t n = (size_t)((equals ? equals : end) - s);
	int i = find_arg(ops, s, n);
	char *value = a->text + *room;

	if (i < 0 || i >= TS_ADDRESS_ARGS)
		return unknown_arg(ops, s, n, err);
	if (a->has[i])
		return ts_err_set(err, TS_E_USAGE, "--at: %s is there twice", ops->args[i].name);
	if (!equals || !decode(value, equals + 1, end) || !is_fitting(&ops->args[i], value))
		return ts_err_set(err, TS_E_USAGE, "--at: %s takes %s, not \"%.*s\"",
			ops->args[i].name, ops->args[i].words,
			(int)ts_min_i64(equals ? end - equals - 1 : 0, 100),
			equals ? equals + 1 : "");
	a->has[i] = true;
	a->at[i] = (uint16_t)*room;
	*room += strlen(value) + 1;
	return TS_OK;
}

static enum ts_code
parse_view(struct ts_address *a, const char *name, size_t n, struct ts_err *err)
{
	struct ts_strbuf known;

	ts_strbuf_init(&known, 200);
	for (int i = 0; i < TS_VIEW_COUNT; i++) {
		if (ts_views[i]->number == 0)
			continue;
		if (strlen(ts_views[i]->name) == n && memcmp(ts_views[i]->name, name, n) == 0) {
			a->view = i;
			ts_strbuf_fini(&known);
			return TS_OK;
		}
		ts_strbuf_printf(&known, "%s%s", known.len ? ", " : "", ts_views[i]->name);
	}
	ts_err_set(err, TS_E_USAGE,
		"--at takes VIEW[?NAME=VALUE&...] with a view of %s, not \"%.*s\"", known.s,
		(int)ts_min_i64((int64_t)n, 60), name);
	ts_strbuf_fini(&known);
	return TS_E_USAGE;
}

enum ts_code
ts_address_parse(struct ts_address *a, const char *text, struct ts_err *err)
{
	size_t n, room = 0;
	enum ts_code code;

	*a = (struct ts_address){.view = TS_VIEW_SUMMARY};
	if (!text)
		return TS_OK;
	if (strlen(text) >= TS_ADDRESS_TEXT)
		return ts_err_set(err, TS_E_USAGE, "--at is too long");
	n = strcspn(text, "?");
	code = parse_view(a, text, n, err);
	text += n;
	while (!code && *text) {
		n = strcspn(++text, "&");
		code = parse_arg(a, text, text + n, &room, err);
		text += n;
		a->pending = true;
	}
	return code;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* A value as it stands in an address between single quotes. */
static void
encode(struct ts_strbuf *out, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c <= ' ' || c == 0x7f || strchr("%&'\"\\`$!#", c))
			ts_strbuf_printf(out, "%%%02x", c);
		else
			ts_strbuf_putc(out, (char)c);
	}
}

void
ts_address_print(struct ts_strbuf *out, struct ts_view *v)
{
	char between = '?';

	ts_strbuf_puts(out, v->ops->name);
	for (int i = 0; v->ops->args && v->ops->args[i].name; i++) {
		struct ts_strbuf value;

		ts_strbuf_init(&value, TS_ADDRESS_TEXT);
		if (v->ops->args[i].get(v, &value) && value.len > 0) {
			ts_strbuf_printf(out, "%c%s=", between, v->ops->args[i].name);
			encode(out, value.s);
			between = '&';
		}
		ts_strbuf_fini(&value);
	}
}

void
ts_address_command(struct ts_strbuf *out, const char *path, struct ts_view *v)
{
	ts_strbuf_puts(out, "tilescope ");
	ts_strbuf_shell(out, path);
	ts_strbuf_puts(out, " --at '");
	ts_address_print(out, v);
	ts_strbuf_putc(out, '\'');
}

/* --- going there ------------------------------------------------------------------------------ */

void
ts_address_turn(struct ts_app *app)
{
	struct ts_address *a = &app->at;
	struct ts_view *v = app->view[app->current];
	int begin = a->next;

	if (!a->pending || !app->env.report || !v || (int)app->current != a->view)
		return;
	while (a->pending && !a->failed) {
		const struct ts_view_arg *arg = &v->ops->args[a->next];
		enum ts_arg_state state = TS_ARG_DONE;

		app->env.message_is_error = false;
		if (!arg->name)
			a->pending = false;
		else if (a->has[a->next])
			state = arg->set ? arg->set(v, a->text + a->at[a->next])
					 : ts_arg_command(v, arg->cmd, a->text + a->at[a->next]);
		if (state == TS_ARG_LATER)
			break;
		if (state == TS_ARG_DONE && arg->name)
			app->env.message[0] = '\0'; /* nobody asked for what a command says */
		a->failed = state == TS_ARG_NO;
		a->next++;
	}
	a->pending &= !a->failed;
	if (!a->pending && !a->failed && a->says[0] && !app->env.message[0])
		ts_view_say(&app->env, "%s", a->says);
	ts_app_tiles_turn(app);
	ts_app_what_if_turn(app);
	if (a->next > begin)
		ts_app_layout(app);
}
