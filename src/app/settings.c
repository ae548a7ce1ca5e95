/* SPDX-License-Identifier: MIT */
/* settings - see the header. The file has a few lines: it is written when the screen has been given back. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tilescope/app/app.h"
#include "tilescope/app/output.h"
#include "tilescope/app/settings.h"
#include "tilescope/base/lex.h"

enum { FILE_MAX = 1 << 20 };

static void
read_file(struct ts_settings *s, const char *path)
{
	struct ts_err err = {0};
	char *text;

	if (ts_lex_read(&text, path, &err))
		return; /* there is none, or it is not ours: nothing was set */
	ts_settings_read(s, text);
	free(text);
}

void
ts_app_settings_begin(struct ts_app *app)
{
	const char *cache = app->args->cache;
	char *path;

	if (app->headless || (cache && strcmp(cache, "none") == 0))
		return;
	app->settings = ts_settings_new();
	path = ts_state_path("settings");
	if (app->settings && path)
		read_file(app->settings, path);
	free(path);
	app->env.settings = app->settings;
}

static struct timespec
written(char *path)
{
	struct stat st;
	struct timespec when = {0, 0};

	if (path && stat(path, &st) == 0)
		when = st.st_mtim;
	free(path);
	return when;
}

bool
ts_app_settings_newer(void)
{
	struct timespec ours = written(ts_state_path("settings"));
	struct timespec users = written(ts_config_path("config"));

	return ours.tv_sec != users.tv_sec ? ours.tv_sec > users.tv_sec
					   : ours.tv_nsec > users.tv_nsec;
}

static void
use(void *ctx, const char *name, const char *value)
{
	struct ts_app *app = ctx;
	struct ts_err err = {0};

	if (ts_option_set(&app->options, name, value, &err))
		ts_log_add(app->log, "a setting that was kept: %s", err.msg);
}

void
ts_app_settings_use(struct ts_app *app)
{
	ts_settings_each(app->settings, "set", use, app);
}

static enum ts_code
write_file(struct ts_settings *s, char *path, struct ts_err *err)
{
	char *slash = strrchr(path, '/');
	struct ts_strbuf text;
	enum ts_code code;

	*slash = '\0';
	code = ts_make_dirs(path, err);
	*slash = '/';
	if (code)
		return code;
	read_file(s, path);
	ts_strbuf_init(&text, FILE_MAX);
	ts_strbuf_puts(&text,
		"# What was set in tilescope: KIND NAME VALUE. It writes this file itself.\n");
	ts_settings_print(s, &text);
	code = ts_output_write(path, &text, err);
	ts_strbuf_fini(&text);
	return code;
}

void
ts_app_settings_end(struct ts_app *app)
{
	char *path = ts_state_path("settings");
	struct ts_err err = {0};

	/* nobody reads a complaint any more: the screen is gone, and the answer was given */
	if (app->settings && path && ts_settings_changed(app->settings))
		(void)!write_file(app->settings, path, &err);
	free(path);
	ts_settings_free(app->settings);
}
