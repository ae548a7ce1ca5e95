/* SPDX-License-Identifier: MIT */
/*
 * verb_demo - `tilescope demo [DIR]`: write the demo report, and on a terminal open it.
 *
 * Without DIR it lies below the cache directory and is written once: asked again for the same report,
 * what is there is opened, when this version wrote it.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tilescope/app/output.h"
#include "tilescope/app/verbs.h"
#include "tilescope/app/watch.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

/* Where to write without DIR: a directory of its own for every choice of options. */
static enum ts_code
default_dir(char **dir, const struct ts_args *args, struct ts_err *err)
{
	static const char *const layouts[] = {
		[TS_DEMO_STORE] = "-store",
		[TS_DEMO_SDK] = "-sdk",
		[TS_DEMO_PROFILE] = "",
	};
	const struct ts_demo_options *d = &args->demo;
	struct ts_strbuf b;
	char *cache = ts_cache_dir(args->cache);

	*dir = NULL;
	if (!cache)
		return ts_err_set(err, TS_E_USAGE,
			"there is no cache directory to write to (name one: tilescope demo DIR)");
	ts_strbuf_init(&b, 1 << 14);
	ts_strbuf_printf(&b, "%s/demo/%s/%s%s", cache, PACKAGE_VERSION,
		ts_demo_figures[d->scale].name, layouts[d->layout]);
	if (d->ipus || d->tiles || d->steps || d->variables || d->seed || d->oom || d->keys ||
		d->sdk_names)
		ts_strbuf_printf(&b, "-%d-%d-%lld-%lld-%llu%s%s%s", d->ipus, d->tiles,
			(long long)d->steps, (long long)d->variables, (unsigned long long)d->seed,
			d->oom ? "-oom" : "", d->keys ? "-keys" : "", d->sdk_names ? "-names" : "");
	if (args->no_execution)
		ts_strbuf_puts(&b, "-no-execution");
	free(cache);
	*dir = ts_strbuf_take(&b);
	return *dir ? ts_make_dirs(*dir, err) : ts_err_nomem(err);
}

/* Is the default report already there? (With other column names it is always written anew.) */
static char *
already_there(const char *dir, const struct ts_demo_options *d)
{
	struct ts_strbuf b;
	struct stat st;
	char *path;

	if (d->sdk_names)
		return NULL;
	ts_strbuf_init(&b, 1 << 14);
	ts_strbuf_printf(&b, "%s/%s", dir, ts_demo_file(d->layout));
	path = ts_strbuf_take(&b);
	if (path && stat(path, &st) == 0 && st.st_size > 0)
		return path;
	free(path);
	return NULL;
}

static enum ts_code
write_demo(char **path, const char *dir, const struct ts_args *args, struct ts_err *err)
{
	struct ts_demo_options options = args->demo;
	struct ts_watch *w;
	enum ts_code code = ts_watch_start(&w, "writing the demo report", err);

	if (code)
		return code;
	options.archive = !args->no_archive;
	options.debug = true;
	if (args->no_execution)
		options.steps = -1;
	code = ts_demo_write(path, dir, &options, ts_watch_progress(w), ts_watch_cancel(w), err);
	ts_watch_stop(w);
	return code;
}

static enum ts_exit
open_demo(const struct ts_args *args, char *path)
{
	struct ts_args app = *args;
	char *paths[] = {path};

	app.paths = paths;
	app.path_count = 1;
	return ts_verb_app(&app);
}

static void
print_path(const char *path)
{
	struct ts_strbuf text;

	ts_strbuf_init(&text, 1 << 16);
	ts_utf8_mend(&text, path, strlen(path));
	ts_strbuf_putc(&text, '\n');
	if (ts_output_write(NULL, &text, NULL))
		fputs("tilescope: standard output cannot be written\n", stderr);
	ts_strbuf_fini(&text);
}

enum ts_exit
ts_verb_demo(const struct ts_args *args)
{
	char *dir = NULL, *path = NULL;
	struct ts_err err = {0};
	enum ts_exit status = TS_EXIT_OK;
	enum ts_code code;

	if (args->path_count) {
		dir = ts_strdup(args->paths[0]);
		code = dir ? TS_OK : ts_err_nomem(&err);
	} else {
		code = default_dir(&dir, args, &err);
	}
	if (!code && args->path_count == 0)
		path = already_there(dir, &args->demo);
	if (!code && !path)
		code = write_demo(&path, dir, args, &err);
	if (code) {
		ts_complain(args->path_count ? args->paths[0] : NULL, &err);
		status = ts_exit_of(code);
	} else if (isatty(STDOUT_FILENO)) {
		status = open_demo(args, path);
	} else {
		print_path(path);
	}
	free(path);
	free(dir);
	return status;
}
