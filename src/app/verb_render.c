/* SPDX-License-Identifier: MIT */
/* verb_render - the picture of a view. */
#include "config.h"

#include <langinfo.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tilescope/app/headless.h"
#include "tilescope/app/open.h"
#include "tilescope/app/output.h"
#include "tilescope/app/verbs.h"
#include "tilescope/base/mem.h"
#include "tilescope/ui/picture.h"

static const struct {
	const char *suffix;
	enum ts_picture format;
} suffixes[] = {
	{".svg", TS_PICTURE_SVG},
	{".txt", TS_PICTURE_TXT},
	{".ansi", TS_PICTURE_ANSI},
};

/* As asked for, else as the file is called; text on standard output. */
static enum ts_code
choose_format(enum ts_picture *format, const struct ts_args *args, struct ts_err *err)
{
	size_t len = args->output ? strlen(args->output) : 0;

	*format = args->picture ? (enum ts_picture)(args->picture - 1) : TS_PICTURE_TXT;
	if (args->picture || !args->output)
		return TS_OK;
	for (size_t i = 0; i < TS_COUNT(suffixes); i++) {
		size_t n = strlen(suffixes[i].suffix);

		if (len > n && strcmp(args->output + len - n, suffixes[i].suffix) == 0) {
			*format = suffixes[i].format;
			return TS_OK;
		}
	}
	return ts_err_set(err, TS_E_USAGE,
		"%s: which kind of picture? (end the name in .svg, .txt or .ansi, or say --format)",
		args->output);
}

bool
ts_render_is_svg(const struct ts_args *args)
{
	enum ts_picture format;

	return args->verb->run == ts_verb_render && !choose_format(&format, args, NULL) &&
		format == TS_PICTURE_SVG;
}

/* What is written keeps to what the locale has; for an SVG that is UTF-8 (main.c). */
static enum ts_glyphs
choose_glyphs(const struct ts_args *args)
{
	bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;

	return args->ascii || !utf8 ? TS_GLYPHS_ASCII : TS_GLYPHS_FULL;
}

static enum ts_code
write_picture(struct ts_app *app, enum ts_picture format, struct ts_err *err)
{
	const struct ts_args *args = app->args;
	struct ts_strbuf out, title;
	enum ts_code code;

	ts_strbuf_init(&out, TS_OUTPUT_MAX);
	ts_strbuf_init(&title, TS_ADDRESS_TEXT * 4);
	ts_strbuf_printf(&title, "%s: %s", app->env.word, args->at ? args->at : "summary");
	ts_picture_write(&out, format, app->canvas, &app->theme, args->color == TS_WHEN_NEVER,
		title.s);
	code = ts_output_write(args->output, &out, err);
	ts_strbuf_fini(&title);
	ts_strbuf_fini(&out);
	return code;
}

/* What somebody who looks at the picture alone would not know. */
static enum ts_exit
tell_trouble(const struct ts_app *app, struct ts_watch *w)
{
	const struct ts_report *r = app->env.report;
	bool bad = app->trouble.code || app->env.partial || r->header.truncated;
	const char *text = app->trouble.code ? app->trouble.msg
		: r->header.truncated	     ? "the profile is truncated: what can be read is shown"
		: bad			     ? "something that is there could not be read"
					     : app->env.message;

	if (*text && !app->args->quiet)
		ts_watch_warn(w, r->path, text);
	return bad ? TS_EXIT_PARTIAL : TS_EXIT_OK;
}

static enum ts_exit
render(const struct ts_args *args, enum ts_picture format, struct ts_watch *w)
{
	struct ts_app *app = NULL;
	struct ts_report *r;
	struct ts_reader *rd;
	struct ts_err err = {0};
	struct ts_address at;
	enum ts_exit status;
	enum ts_code code = ts_address_parse(&at, args->at, &err);

	/* of a database that is no report there is nothing to see but its tables */
	if (!code)
		code = ts_open_report(&r, &rd, args, args->paths[0], at.view == TS_VIEW_TABLES, w);
	if (code)
		return ts_exit_of(code);
	code = ts_headless_new(&app, args, r, choose_glyphs(args),
		format == TS_PICTURE_TXT || args->color == TS_WHEN_NEVER, &err);
	ts_close_report(args, r, rd);
	if (!code)
		code = ts_headless_draw(app, w, &err);
	ts_watch_hide(w);
	if (!code)
		code = write_picture(app, format, &err);
	status = code ? ts_exit_of(code) : tell_trouble(app, w);
	if (code && code != TS_E_CANCELLED)
		ts_complain(args->paths[0], &err);
	if (!ts_headless_free(app))
		_exit((int)status);
	return status;
}

enum ts_exit
ts_verb_render(const struct ts_args *args)
{
	struct ts_watch *w;
	struct ts_err err = {0};
	enum ts_picture format;
	enum ts_exit status;
	enum ts_code code = choose_format(&format, args, &err);

	if (!code)
		code = ts_watch_start(&w, "tilescope", &err);
	if (code) {
		ts_complain(NULL, &err);
		return ts_exit_of(code);
	}
	status = render(args, format, w);
	ts_watch_stop(w);
	return status;
}
