/* SPDX-License-Identifier: MIT */
/*
 * write - see the header.
 *
 * Rows that a view holds are copied into compact cells (held rows are few: ts_table.value is asked for each), others
 * come from a source of the view that reads in the worker. Pictures and charts are made here, since they are made of
 * what the view holds; only writing them is the worker's.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tilescope/app/app.h"
#include "tilescope/app/output.h"
#include "tilescope/app/rows_out.h"
#include "tilescope/app/write.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/report/watched.h"
#include "tilescope/ui/chart_page.h"
#include "tilescope/ui/picture.h"
#include "tilescope/ui/table_order.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/sheet.h"

#include "export_internal.h"
#include "figure_sheet.h"
#include "held_rows.h"

enum {
	PATH_LIMIT = 1 << 14,
	PICTURE_MOST = 16 << 20,
	PAGE_COLUMNS = 800,
	LOOK_ROWS = 4096, /* between looks at the token and counts */
};

struct written {
	int column;    /* of the table */
	bool share;    /* the unit is % */
	char name[80]; /* with units */
};

struct writing {
	struct ts_job job;
	char *path;
	bool over;
	bool folded;		  /* rows as folded stacks: the first two columns */
	struct ts_report *report; /* held */
	struct ts_index *index;

	struct ts_strbuf text; /* a picture; or the title of rows */
	struct ts_row_source *source;
	enum ts_format format;
	int columns, count;	      /* of the table; that are written, ... */
	struct written *column;	      /* ... these, room for all */
	struct ts_table_value *value; /* of each column of the table */
	struct ts_sql_value *sql;     /* of those that are written */

	const char
		*what; /* of the report, as `tilescope export` writes it; NULL: what a pane shows */
	struct ts_export export;
	enum ts_export_format export_format;
	struct ts_operation_graph graph; /* export.graph, where it is given */

	int64_t rows;
	bool some_only; /* the table has not all rows that there are */
	enum ts_code code;
	struct ts_err err;
};

void
ts_app_write_free(struct ts_job *job)
{
	struct writing *w = (struct writing *)job;

	if (w->source)
		w->source->free(w->source);
	ts_strbuf_fini(&w->text);
	ts_operation_graph_fini(&w->graph);
	ts_report_close(w->report);
	ts_index_release(w->index);
	free(w->column);
	free(w->value);
	free(w->sql);
	free(w->path);
	free(w);
}

/* --- where it may go -------------------------------------------------------------------------- */

/* Is the file one that the report is made of? */
static bool
is_of_report(const struct writing *w, const struct stat *st)
{
	struct ts_watched files;
	bool found = false;

	if (w->report->files)
		return false; /* what is written is written here */
	ts_watched_list(&files, w->report);
	for (int i = 0; i < files.count && !found; i++) {
		struct stat other;

		found = stat(files.path[i], &other) == 0 && other.st_dev == st->st_dev &&
			other.st_ino == st->st_ino;
	}
	ts_watched_fini(&files);
	return found;
}

/* Does it lie in the report's directory, or below? */
static bool
is_in_report(const struct writing *w)
{
	char *copy = ts_strdup(w->path), *slash = copy ? strrchr(copy, '/') : NULL, *there, *here;
	bool inside;
	size_t n;

	if (slash)
		slash[slash == copy] = '\0';
	there = copy ? realpath(slash ? copy : ".", NULL) : NULL;
	here = w->report->files ? NULL : realpath(w->report->dir, NULL);
	n = here ? strlen(here) : 0;
	inside = there && here && strncmp(there, here, n) == 0 &&
		(there[n] == '\0' || there[n] == '/' || n == 1);
	free(copy);
	free(there);
	free(here);
	return inside;
}

static enum ts_code
check_target(struct writing *w)
{
	struct stat st;
	bool there = stat(w->path, &st) == 0;

	if (there && !S_ISREG(st.st_mode))
		return ts_err_set(&w->err, TS_E_USAGE, "not written, no ordinary file: %s",
			w->path);
	if (there && is_of_report(w, &st))
		return ts_err_set(&w->err, TS_E_USAGE, "not written, a file of the report: %s",
			w->path);
	if (there && !w->over)
		return ts_err_set(&w->err, TS_E_USAGE,
			"not written, there already (write! replaces it): %s", w->path);
	if (!w->over && is_in_report(w))
		return ts_err_set(&w->err, TS_E_USAGE,
			"not written, the report's own directory (write! does that): %s", w->path);
	return TS_OK;
}

/* --- rows ------------------------------------------------------------------------------------- */

/*
 * Shares have six significant digits, as those that y copies: one part in a million, which is more than a share is good
 * for, while the bytes or cycles that it was made of stand beside it exactly. The number that is written is a decimal
 * of six digits, so that who reads it and writes it again has the same text. Other reals are written as they are: in as
 * few digits as give the same number again (ts_sql_add_real()).
 */
static double
short_share(double v)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6g", v);
	return strtod(text, NULL);
}

static void
to_sql(struct ts_sql_value *to, const struct ts_table_value *from, bool share)
{
	*to = (struct ts_sql_value){TS_SQL_NULL, from->integer, from->real, "", 0};
	if (from->type == TS_VALUE_INTEGER) {
		to->type = TS_SQL_INTEGER;
	} else if (from->type == TS_VALUE_REAL) {
		to->type = TS_SQL_REAL;
		to->real = share ? short_share(from->real) : from->real;
	} else if (from->type == TS_VALUE_TEXT) {
		to->type = TS_SQL_TEXT;
		to->bytes = from->s;
		to->n = from->n;
	}
}

static bool
add_row(struct writing *w, struct ts_rows_out *out)
{
	for (int i = 0; i < w->count; i++) {
		to_sql(&w->sql[i], &w->value[w->column[i].column], w->column[i].share);
		if (w->sql[i].type == TS_SQL_NULL && w->format == TS_FORMAT_MD)
			w->sql[i].type = TS_SQL_TEXT; /* an empty cell: it is read by people */
	}
	return ts_rows_out_row(out, w->sql);
}

static void
forget_values(struct writing *w)
{
	for (int i = 0; i < w->columns; i++)
		w->value[i] = (struct ts_table_value){.type = TS_VALUE_NONE};
}

/* A stack and its weight, if it has one of its own. */
static bool
add_stack(const struct writing *w, struct ts_output *o)
{
	const struct ts_table_value *stack = &w->value[0], *weight = &w->value[1];
	char number[TS_FMT_MAX];
	int n = snprintf(number, sizeof(number), " %lld\n", (long long)weight->integer);

	if (stack->type != TS_VALUE_TEXT || weight->type != TS_VALUE_INTEGER ||
		weight->integer == 0)
		return true;
	return ts_output_add(o, stack->s, stack->n) && ts_output_add(o, number, (size_t)n);
}

static enum ts_code
add_rows(struct writing *w, struct ts_rows_out *out, struct ts_output *o, struct ts_reader *rd)
{
	enum ts_code code;
	bool more = true;

	for (;;) {
		forget_values(w);
		code = w->source->next(w->source, rd, w->value, &more, &w->err);
		if (code || !more)
			break;
		if (!(w->folded ? add_stack(w, o) : add_row(w, out)))
			return TS_OK; /* the output knows why */
		w->rows += !w->folded || w->value[1].integer > 0;
		if (w->rows % LOOK_ROWS == 0) {
			ts_progress_set(&w->job.progress, w->rows, w->source->expected);
			if (ts_cancelled(&w->job.cancel))
				return ts_err_set(&w->err, TS_E_CANCELLED, "stopped");
		}
	}
	forget_values(w);
	if (w->format == TS_FORMAT_MD && (!code || code == TS_E_DAMAGED) && w->source->total &&
		w->source->total(w->source, w->value))
		add_row(w, out);
	return code;
}

static enum ts_code
write_rows(struct writing *w, struct ts_output *o, void *local)
{
	const char **names;
	struct ts_rows_out *out;
	struct ts_reader *rd;
	enum ts_code code = ts_fetch_reader(&rd, local, w->report, w->index, &w->job.cancel,
			     &w->err),
		     end;

	if (code)
		return code;
	names = ts_alloc((size_t)w->count + 1, sizeof(*names));
	for (int i = 0; names && i < w->count; i++)
		names[i] = w->column[i].name;
	if (w->format == TS_FORMAT_MD)
		ts_output_add(o, w->text.s, w->text.len);
	out = names && !w->folded ? ts_rows_out_new(o, w->format, w->count, names) : NULL;
	code = out || w->folded ? add_rows(w, out, o, rd) : ts_err_nomem(&w->err);
	end = ts_rows_out_end(out, code ? NULL : &w->err);
	ts_reader_set_cancel(rd, NULL);
	free(names);
	return code ? code : end;
}

/* Of the report; steps of a range. Notes say what is left out: the first of them is told. */
static enum ts_code
write_export(struct writing *w, struct ts_output *o, void *local)
{
	struct ts_export *x = &w->export;
	enum ts_code code = ts_fetch_reader(&x->rd, local, w->report, w->index, &w->job.cancel,
		&w->err);

	if (code)
		return code;
	x->report = w->report;
	x->out = o;
	x->progress = &w->job.progress;
	code = ts_export_run(x, w->what, w->export_format, &w->err);
	ts_reader_set_cancel(x->rd, NULL);
	if (!code && x->notes.partial && x->notes.count > 0)
		code = ts_err_set(&w->err, TS_E_DAMAGED, "%s", x->notes.note[0]);
	ts_notes_fini(&x->notes);
	return code;
}

static void
run(struct ts_job *job, void *local)
{
	struct writing *w = (struct writing *)job;
	struct ts_err err = {0};
	struct ts_output o;
	enum ts_code code;

	w->code = check_target(w);
	if (!w->code)
		w->code = ts_output_open(&o, w->path, &w->err);
	if (w->code)
		return;
	if (w->what)
		w->code = write_export(w, &o, local);
	else if (w->source)
		w->code = write_rows(w, &o, local);
	else
		ts_output_add(&o, w->text.s, w->text.len);
	code = ts_output_close(&o, !w->code || w->code == TS_E_DAMAGED, &err);
	if (code && (!w->code || w->code == TS_E_DAMAGED)) {
		w->code = code;
		w->err = err;
	}
}

void
ts_app_write_take(struct ts_app *app, struct ts_job *job)
{
	struct writing *w = (struct writing *)job;
	char n[TS_FMT_MAX];

	if (job->dropped || w->code == TS_E_CANCELLED)
		ts_view_say_error(&app->env, "not written, stopped: %s", w->path);
	else if (w->code == TS_E_DAMAGED)
		ts_view_say_error(&app->env, "%s has only what can be read: %s", w->path,
			w->err.msg);
	else if (w->code)
		ts_view_say_error(&app->env, "%s", w->err.msg);
	else if (w->source)
		ts_view_say(&app->env, "wrote %s row%s%s to %s", ts_fmt_count(n, w->rows),
			w->rows == 1 ? "" : "s", w->some_only ? ", which are not all," : "",
			w->path);
	else
		ts_view_say(&app->env, "wrote %s", w->path);
	app->dirty = true;
	ts_app_write_free(job);
}

/* --- what is written ---------------------------------------------------------------------------- */

static void
md_title(struct ts_strbuf *out, const char *title)
{
	struct ts_strbuf safe;

	ts_strbuf_init(&safe, 4096);
	ts_utf8_safe(&safe, title, strlen(title));
	ts_strbuf_puts(out, "### ");
	ts_md_text(out, safe.s, safe.len);
	ts_strbuf_puts(out, "\n\n");
	ts_strbuf_fini(&safe);
}

static void
name_column(char out[80], const char *name, const char *unit, enum ts_format format)
{
	if (!*unit || strstr(name, unit))
		snprintf(out, 80, "%.79s", name);
	else if (format == TS_FORMAT_JSON)
		snprintf(out, 80, "%.50s_%.20s", name, strcmp(unit, "%") == 0 ? "percent" : unit);
	else /* [ ] would be a link's in Markdown */
		snprintf(out, 80, format == TS_FORMAT_MD ? "%.50s (%.20s)" : "%.50s [%.20s]", name,
			unit);
	for (char *c = out; format == TS_FORMAT_JSON && *c; c++) /* a name of a field has none */
		*c = *c == ' ' ? '_' : *c;
}

/* The columns that the user wants to see, with units. False: no memory. */
static bool
choose_columns(struct writing *w, const struct ts_sheet *s)
{
	bool (*in_file)(const struct ts_table *, int) = s->in_file ? s->in_file
								   : ts_table_column_wanted;
	const struct ts_table *t = &s->table;
	size_t n = (size_t)t->columns;

	w->columns = t->columns;
	w->column = ts_alloc(n, sizeof(*w->column));
	w->value = ts_alloc(n < TS_TABLE_COLUMNS ? TS_TABLE_COLUMNS : n, sizeof(*w->value));
	w->sql = ts_alloc(n, sizeof(*w->sql));
	if (!w->column || !w->value || !w->sql)
		return false;
	for (int i = 0; i < w->columns; i++) {
		const char *name = ts_table_column_name(t, i);
		const char *unit = t->facts && t->facts[i].unit ? t->facts[i].unit : "";

		if (!*name || !in_file(t, i))
			continue;
		name_column(w->column[w->count].name, name, unit, w->format);
		w->column[w->count].share = strcmp(unit, "%") == 0;
		w->column[w->count++].column = i;
	}
	return true;
}

/* The sheet is that of the pane, or of the figures in a view that has no tables (*figures). */
static bool
find_sheet(struct ts_view *v, struct ts_sheet *s, struct ts_explain **figures)
{
	memset(s, 0, sizeof(*s));
	if (v->ops->sheet)
		return v->ops->sheet(v, s) && (s->source || s->table.value);
	*figures = ts_alloc(1, sizeof(**figures));
	return *figures && ts_figure_sheet(s, *figures, v);
}

static bool
take_sheet(struct ts_app *app, struct writing *w, struct ts_sheet *s)
{
	struct ts_view *v = app->view[app->current];

	if (!s->wait && s->table.order && s->table.order->work)
		s->wait = "its rows are being put in order";
	if (w->folded && !s->stacks)
		s->wait = "only the merged flame graph (:drawing merged) has stacks";
	if (s->wait) {
		ts_view_say_error(&app->env, "not written: %s", s->wait);
		return false;
	}
	if (!choose_columns(w, s)) {
		ts_view_say_error(&app->env, "not written: no memory");
		return false;
	}
	md_title(&w->text, s->title[0] ? s->title : "Table");
	w->source = s->source ? s->source(v) : ts_held_rows(s);
	w->some_only = s->table.missing > 0;
	if (!w->source)
		ts_view_say_error(&app->env, "not written: too many rows, or no memory for them");
	return w->source != NULL;
}

static bool
take_rows(struct ts_app *app, struct writing *w)
{
	struct ts_explain *figures = NULL;
	struct ts_sheet s;
	bool taken = find_sheet(app->view[app->current], &s, &figures);

	if (taken)
		taken = take_sheet(app, w, &s);
	else
		ts_view_say_error(&app->env, "there is no table here that could be written");
	free(figures);
	return taken;
}

/* The screen without the program's own lines, as `render` has it. */
static bool
take_picture(struct ts_app *app, struct writing *w, enum ts_picture format)
{
	struct ts_canvas *c = ts_canvas_new(app->canvas->w, app->canvas->h - 1,
		app->canvas->glyphs);

	if (!c) {
		ts_view_say_error(&app->env, "out of memory");
		return false;
	}
	c->mono = app->canvas->mono;
	ts_app_draw_picture(app, c);
	ts_picture_write(&w->text, format, c, &app->theme, c->mono, app->env.word);
	ts_canvas_free(c);
	return true;
}

/* The chart of the pane with the keys, when it has one now. The screen is no chart: `render` makes pictures of it. */
static bool
take_chart(struct ts_app *app, struct writing *w)
{
	struct ts_view *v = app->view[app->current];
	struct ts_chart_page *p = ts_alloc(1, sizeof(*p));
	bool drawn = false;

	if (!p) {
		ts_view_say_error(&app->env, "out of memory");
		return false;
	}
	ts_chart_page_init(p, PAGE_COLUMNS);
	if (v->ops->chart && v->ops->chart(v, p) && !p->nomem) {
		if (!p->source[0])
			snprintf(p->source, sizeof(p->source), "%.300s, tilescope " PACKAGE_VERSION,
				app->env.word);
		ts_chart_page_svg(&w->text, p);
		drawn = true;
	}
	if (p->nomem)
		ts_view_say_error(&app->env, "out of memory");
	else if (!drawn)
		ts_view_say_error(&app->env,
			"%.20s has no chart: write .csv, .json, .md (its rows), .txt or .ansi",
			p->without[0] ? p->without : v->ops->title);
	ts_chart_page_fini(p);
	free(p);
	return drawn;
}

static const struct {
	const char *end;
	bool rows;
	enum ts_format format;
	enum ts_picture picture;
} kinds[] = {
	{".folded", true, TS_FORMAT_TEXT, TS_PICTURE_TXT},
	{".csv", true, TS_FORMAT_CSV, TS_PICTURE_TXT},
	{".json", true, TS_FORMAT_JSON, TS_PICTURE_TXT},
	{".md", true, TS_FORMAT_MD, TS_PICTURE_TXT},
	{".txt", false, TS_FORMAT_TEXT, TS_PICTURE_TXT},
	{".ansi", false, TS_FORMAT_TEXT, TS_PICTURE_ANSI},
	{".svg", false, TS_FORMAT_TEXT, TS_PICTURE_SVG},
};

/* What `tilescope export` calls what a view shows. */
static const enum ts_export_what whats[TS_VIEW_COUNT] = {
	[TS_VIEW_MEMORY] = TS_EXPORT_TILES,
	[TS_VIEW_LIVENESS] = TS_EXPORT_LIVENESS,
	[TS_VIEW_PROGRAMS] = TS_EXPORT_PROGRAMS,
	[TS_VIEW_OPERATIONS] = TS_EXPORT_OPERATIONS,
	[TS_VIEW_TRACE] = TS_EXPORT_TRACE,
	[TS_VIEW_VARIABLES] = TS_EXPORT_VARIABLES,
};

/* All that the report has of what the view shows; of the Trace what is in sight, or the range that is marked there. */
static bool
fill_in_export(struct ts_app *app, struct writing *w)
{
	struct ts_view *v = app->view[app->current];
	enum ts_export_what what = whats[app->current];
	char suffixes[TS_ERR_MSG];

	w->export.ranged = v->ops->range && v->ops->range(v, &w->export.from, &w->export.to);
	if (app->current != TS_VIEW_TRACE && what == TS_EXPORT_TRACE) {
		ts_view_say_error(&app->env,
			"export: go to Memory, Liveness, Programs, Operations, Trace or Variables");
		return false;
	}
	w->what = ts_export_whats[what];
	if (what == TS_EXPORT_TRACE && !w->export.ranged) {
		ts_view_say_error(&app->env, "export: there are no steps to write");
		return false;
	}
	if (ts_export_as(&w->export, w->what, w->path, &w->export_format))
		return true;
	ts_export_suffixes(suffixes, sizeof(suffixes), w->what);
	ts_view_say_error(&app->env, "export: the name ends in %s", suffixes);
	return false;
}

/* A graph is no table, and no picture: what is shown, where the view has one of it; else all, as `export` does. */
static bool
take_graph(struct ts_app *app, struct writing *w)
{
	struct ts_view *v = app->view[app->current];

	if (v->ops->graph && !v->ops->graph(v, &w->graph)) {
		ts_view_say_error(&app->env, "not written: %s", w->graph.title);
		return false;
	}
	w->export.graph = v->ops->graph ? &w->graph : NULL;
	return fill_in_export(app, w);
}

static bool
is_graph(const char *end)
{
	return strcmp(end, ".dot") == 0 || strcmp(end, ".gv") == 0;
}

static bool
fill_in(struct ts_app *app, struct writing *w)
{
	const char *dot = strrchr(w->path, '.');

	if (dot && is_graph(dot))
		return take_graph(app, w);
	for (size_t i = 0; dot && i < TS_COUNT(kinds); i++) {
		if (strcmp(dot, kinds[i].end) != 0)
			continue;
		w->format = kinds[i].format;
		w->folded = kinds[i].rows && w->format == TS_FORMAT_TEXT;
		if (kinds[i].rows)
			return take_rows(app, w);
		if (kinds[i].picture == TS_PICTURE_SVG)
			return take_chart(app, w);
		return take_picture(app, w, kinds[i].picture);
	}
	ts_view_say_error(&app->env,
		"write: .csv, .json, .md (rows), .svg (chart), .txt or .ansi (screen)");
	return false;
}

/* As typed: quotes around it are taken off, "~/" is the home directory. */
static char *
whole_path(const char *typed)
{
	const char *home = getenv("HOME");
	size_t n = strlen(typed);
	struct ts_strbuf whole;
	char *path;

	if (n >= 2 && (*typed == '"' || *typed == '\'') && typed[n - 1] == *typed) {
		typed++;
		n -= 2;
	}
	ts_strbuf_init(&whole, PATH_LIMIT);
	if (n >= 2 && strncmp(typed, "~/", 2) == 0 && home) {
		ts_strbuf_puts(&whole, home);
		typed++;
		n--;
	}
	ts_strbuf_add(&whole, typed, n);
	path = whole.cut ? NULL : ts_strbuf_take(&whole);
	ts_strbuf_fini(&whole);
	return path;
}

enum ts_effect
ts_app_write(struct ts_app *app, const struct ts_call *call)
{
	struct writing *w;
	bool export;

	if (!app->env.report || !app->view[app->current]) {
		ts_view_say_error(&app->env, "there is nothing to write yet");
		return TS_EFFECT_BELL;
	}
	w = ts_alloc(1, sizeof(*w));
	if (!w) {
		ts_view_say_error(&app->env, "out of memory");
		return TS_EFFECT_BELL;
	}
	ts_strbuf_init(&w->text, PICTURE_MOST);
	ts_operation_graph_init(&w->graph);
	w->path = whole_path(ts_call_arg(call, 0));
	w->over = call->cmd == TS_CMD_WRITE_OVER || call->cmd == TS_CMD_EXPORT_OVER;
	w->report = ts_report_hold(app->env.report);
	w->index = ts_index_hold(app->env.index);
	export = call->cmd == TS_CMD_EXPORT || call->cmd == TS_CMD_EXPORT_OVER;
	if (!w->path || !(export ? fill_in_export : fill_in)(app, w)) {
		ts_app_write_free(&w->job);
		return TS_EFFECT_BELL;
	}
	w->job.run = run;
	w->job.what = "writing a file";
	w->job.worker = TS_WORKER_BULK;
	w->job.owner = TS_OWNER_WRITE;
	w->job.kind = app->writes++; /* none replaces another */
	ts_view_say(&app->env, "writing %s%s", w->path,
		w->source || w->what ? " (C-c stops that)" : "");
	ts_jobs_send(app->jobs, &w->job);
	return TS_EFFECT_REPAINT;
}
