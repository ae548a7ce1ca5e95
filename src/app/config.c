/* SPDX-License-Identifier: MIT */
/*
 * config - the user's configuration file, themes and keymaps.
 *
 * A theme or keymap NAME is looked for in the configuration directory, then in the program itself (which
 * holds those it came with), then where it was installed (what an administrator added). A wrong line is reported and skipped, never fatal.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/app/app.h"
#include "tilescope/app/output.h"
#include "tilescope/base/embedded.h"
#include "tilescope/base/lex.h"
#include "tilescope/base/mem.h"

enum { FILES_KEPT = 12, COMPLAINTS_MAX = 1 << 16 };

/* Finds files of one kind, and keeps what it read until it is finished with. */
struct finder {
	const char *kind; /* "themes", "keymaps" */
	const char *suffix;
	char *kept[FILES_KEPT];
	char name[FILES_KEPT][TS_OPTION_TEXT]; /* of each of those */
	int count;
	char file[256]; /* that was found last */
};

static void
finder_fini(struct finder *f)
{
	for (int i = 0; i < f->count; i++)
		free(f->kept[i]);
}

static const char *
read_kept(struct finder *f, const char *name, const char *path)
{
	char *text;

	if (f->count == FILES_KEPT || ts_lex_read(&text, path, NULL))
		return NULL;
	snprintf(f->name[f->count], TS_OPTION_TEXT, "%s", name);
	f->kept[f->count++] = text;
	snprintf(f->file, sizeof(f->file), "%.250s", path);
	return text;
}

/* Has the user's file of that name been read? Then it wants to inherit the program's own. */
static bool
was_read(const struct finder *f, const char *name)
{
	for (int i = 0; i < f->count; i++)
		if (strcmp(f->name[i], name) == 0)
			return true;
	return false;
}

static const char *
find_file(void *ctx, const char *name)
{
	struct finder *f = ctx;
	const struct ts_embedded *embedded;
	const char *text = NULL;
	struct ts_strbuf relative;
	char *path;

	ts_strbuf_init(&relative, 1000);
	ts_strbuf_printf(&relative, "%s/%s%s", f->kind, name, f->suffix);
	embedded = ts_embedded_find(relative.s);
	path = ts_config_path(relative.s);
	if (path && !strchr(name, '/') && !(embedded && was_read(f, name)))
		text = read_kept(f, name, path);
	free(path);
	if (!text && embedded) {
		snprintf(f->file, sizeof(f->file), "%.250s", relative.s);
		text = embedded->text;
	}
	if (!text && !strchr(name, '/')) {
		ts_strbuf_reset(&relative);
		ts_strbuf_printf(&relative, TS_PKGDATADIR "/%s/%s%s", f->kind, name, f->suffix);
		text = read_kept(f, name, relative.s);
	}
	ts_strbuf_fini(&relative);
	return text;
}

static void
say_behind(struct ts_view_env *env, const char *line)
{
	char said[sizeof(env->message)];

	snprintf(said, sizeof(said), "%s", env->message_is_error ? env->message : "");
	ts_view_say_error(env, "%s%s%s", said, *said ? "; " : "", line);
}

/* Tell the user: the first complaint in the bottom line, behind what stands there of others, all of them in the log. */
static void
tell(struct ts_app *app, struct ts_strbuf *complaints)
{
	int count = 0;

	for (char *line = complaints->s, *end; *line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		else
			end = line + strlen(line);
		ts_log_add(app->log, "%s", line);
		if (count++ == 0)
			say_behind(&app->env, line);
	}
}

/* What is found in a file of that kind. */
struct kind {
	const char *directory, *suffix, *word;
	void (*read)(struct ts_app *app, const char *file, const char *text, struct finder *f,
		struct ts_strbuf *complaints);
};

static void
read_theme(struct ts_app *app, const char *file, const char *text, struct finder *f,
	struct ts_strbuf *complaints)
{
	ts_theme_init(&app->theme);
	ts_theme_read(&app->theme, file, text, find_file, f, complaints);
}

static void
read_keymap(struct ts_app *app, const char *file, const char *text, struct finder *f,
	struct ts_strbuf *complaints)
{
	ts_keymap_fini(&app->keymap);
	ts_keymap_init(&app->keymap);
	ts_keymap_read(&app->keymap, file, text, find_file, f, complaints);
}

static const struct kind themes = {"themes", ".theme", "theme", read_theme};
static const struct kind keymaps = {"keymaps", ".keys", "keymap", read_keymap};

static bool
use(struct ts_app *app, const struct kind *kind, const char *name)
{
	struct finder f = {.kind = kind->directory, .suffix = kind->suffix};
	struct ts_strbuf complaints;
	const char *text = find_file(&f, name);
	char file[sizeof(f.file)];

	ts_strbuf_init(&complaints, COMPLAINTS_MAX);
	if (text) {
		memcpy(file, f.file,
			sizeof(file)); /* what it inherits is found with the same finder */
		kind->read(app, file, text, &f, &complaints);
		app->dirty = true;
	} else {
		ts_strbuf_printf(&complaints, "there is no %s \"%s\"\n", kind->word, name);
	}
	tell(app, &complaints);
	ts_strbuf_fini(&complaints);
	finder_fini(&f);
	return text != NULL;
}

bool
ts_app_use_theme(struct ts_app *app, const char *name)
{
	return use(app, &themes, name);
}

bool
ts_app_use_keymap(struct ts_app *app, const char *name)
{
	return use(app, &keymaps, name);
}

struct config {
	struct ts_options *options;
	const char *path;
	struct ts_strbuf *complaints;
};

static void
bad_line(void *ctx, int number, const char *reason)
{
	struct config *c = ctx;

	ts_strbuf_printf(c->complaints, "%s:%d: %s\n", c->path, number, reason);
}

static bool
config_line(void *ctx, const struct ts_line *line)
{
	struct config *c = ctx;
	struct ts_err err = {0};

	if (line->count != 3 || strcmp(line->word[0], "set") != 0)
		bad_line(c, line->number, "expected: set OPTION VALUE");
	else if (ts_option_set(c->options, line->word[1], line->word[2], &err))
		bad_line(c, line->number, err.msg);
	return true;
}

void
ts_config_read(struct ts_options *o, struct ts_strbuf *complaints)
{
	char *path = ts_config_path("config"), *text;
	struct config c = {.options = o, .path = path, .complaints = complaints};
	struct ts_err err = {0};

	if (!path)
		return;
	switch (ts_lex_read(&text, path, &err)) {
	case TS_OK:
		ts_lex(text, config_line, bad_line, &c);
		free(text);
		break;
	case TS_E_NOT_FOUND:
		break;
	default:
		ts_strbuf_printf(complaints, "%s\n", err.msg);
	}
	free(path);
}

static void
read_config(struct ts_app *app)
{
	struct ts_strbuf complaints;

	ts_strbuf_init(&complaints, COMPLAINTS_MAX);
	ts_config_read(&app->options, &complaints);
	tell(app, &complaints);
	ts_strbuf_fini(&complaints);
}

/* Configuration file and kept settings, the older first, then the command line. */
void
ts_app_configure(struct ts_app *app)
{
	const struct ts_args *args = app->args;

	ts_options_init(&app->options);
	snprintf(app->options.theme, TS_OPTION_TEXT, "%s",
		ts_theme_of_terminal(getenv("COLORFGBG")));
	if (ts_app_settings_newer()) {
		read_config(app);
		ts_app_settings_use(app);
	} else {
		ts_app_settings_use(app);
		read_config(app);
	}
	if (args->units != TS_UNITS_KIB)
		app->options.units = args->units;
	if (args->theme)
		snprintf(app->options.theme, TS_OPTION_TEXT, "%s", args->theme);
	if (args->keymap)
		snprintf(app->options.keymap, TS_OPTION_TEXT, "%s", args->keymap);
	if (args->transport)
		app->options.transport = (enum ts_way)(args->transport - 1);
	app->options.mouse |= args->mouse;
	ts_app_popup_begin(app);
	ts_theme_init(&app->theme);
	ts_keymap_init(&app->keymap);
	if (!ts_app_use_keymap(app, app->options.keymap))
		ts_app_use_keymap(app, "default");
	if (!ts_app_use_theme(app, app->options.theme))
		ts_app_use_theme(app, "default");
}
