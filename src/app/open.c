/* SPDX-License-Identifier: MIT */
/* open - see the header. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/app/app.h"
#include "tilescope/app/open.h"
#include "tilescope/app/output.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/base/utf8.h"
#include "tilescope/io/files_host.h"
#include "tilescope/io/uri.h"
#include "tilescope/report/find.h"
#include "tilescope/report/index.h"

enum {
	FOUND_NAMED = 5,
	CUT_MAX = 64,
	COMPLAINTS_MAX = 1 << 16,
	ATTEMPTS = 5, /* to reach a host again that was lost */
};

/* How much was looked at, when that was not all. Of a host links may have been left out, too. */
static const char *
put_cut(char text[CUT_MAX], const struct ts_files *files)
{
	if (files)
		snprintf(text, CUT_MAX, "what is looked at below it (at most %d directories)",
			TS_FIND_FAR);
	else
		snprintf(text, CUT_MAX, "the first %d entries below it", TS_FIND_ENTRIES);
	return text;
}

void
ts_name_found(struct ts_err *err, struct ts_files *files, const char *word, const char *path,
	const struct ts_cancel *cancel)
{
	struct ts_found_list *list = ts_alloc(1, sizeof(*list));
	struct ts_strbuf names;
	char cut[CUT_MAX];

	if (!list || ts_find_reports(list, files, path, cancel, NULL)) {
		free(list);
		return;
	}
	ts_strbuf_init(&names, 360);
	for (int i = 0; i < list->count && i < FOUND_NAMED; i++) {
		char *open = ts_find_word(word, list->item[i].path);

		ts_strbuf_printf(&names, "%s%s", i ? ", " : "", open ? open : list->item[i].path);
		free(open);
	}
	if (list->count > FOUND_NAMED)
		ts_strbuf_printf(&names, " and %d more", list->count - FOUND_NAMED);
	if (list->count > 0)
		ts_err_set(err, err->code,
			"no report in this directory itself: open one below it: %s", names.s);
	else if (list->cut)
		ts_err_set(err, err->code,
			"no graph profile found here, nor in %s: open the one that you mean",
			put_cut(cut, files));
	ts_strbuf_fini(&names);
	ts_found_list_fini(list);
	free(list);
}

/* How a user calls the host. */
static void
put_host(struct ts_strbuf *out, const struct ts_uri *u)
{
	bool bracket = strchr(u->host, ':') != NULL;

	ts_strbuf_printf(out, "%s%s%s%s%s", u->user, u->user[0] ? "@" : "", bracket ? "[" : "",
		u->host, bracket ? "]" : "");
	if (u->port)
		ts_strbuf_printf(out, ":%d", u->port);
}

enum ts_code
ts_keep_blocks(struct ts_files *files, const char *cache, struct ts_err *err)
{
	struct ts_strbuf keep;
	enum ts_code code;

	ts_strbuf_init(&keep, 1 << 14);
	ts_strbuf_printf(&keep, "%s/hosts", cache);
	code = ts_files_host_keep(files, keep.s, err);
	ts_strbuf_fini(&keep);
	return code;
}

/* As the command line says, else the configuration file. */
static enum ts_way
way_of(const struct ts_args *args)
{
	struct ts_strbuf complaints; /* the app tells them */
	struct ts_options options;

	if (args->transport)
		return (enum ts_way)(args->transport - 1);
	ts_options_init(&options);
	ts_strbuf_init(&complaints, COMPLAINTS_MAX);
	ts_config_read(&options, &complaints);
	ts_strbuf_fini(&complaints);
	return options.transport;
}

/* A verb asks no questions. */
enum ts_code
ts_open_place(struct ts_files **files, struct ts_uri *u, const char *word,
	const struct ts_args *args, struct ts_err *err)
{
	struct ts_host_spec spec = {.attempts = ATTEMPTS};
	char *cache;
	enum ts_code code = ts_uri_parse(u, word, err);
	struct ts_strbuf host;

	*files = NULL;
	if (code || !u->remote)
		return code;
	ts_host_spec_to(&spec, u, way_of(args), args->ssh_config);
	ts_strbuf_init(&host, TS_URI_PATH);
	put_host(&host, u);
	code = ts_files_host_new(files, host.s, &spec, err);
	ts_strbuf_fini(&host);
	if (code)
		return code;
	(*files)->thorough = args->thorough;
	cache = ts_cache_dir(args->cache);
	if (cache && !ts_make_dirs(cache, NULL))
		code = ts_keep_blocks(*files, cache, err);
	free(cache);
	return code;
}

/* --verbose: which file, and what was noticed. */
static void
say_more(const struct ts_report *r, struct ts_watch *w)
{
	struct ts_strbuf text;

	ts_strbuf_init(&text, 1 << 15);
	ts_strbuf_printf(&text, "opened %s", r->file);
	ts_watch_warn(w, r->path, text.s);
	ts_strbuf_fini(&text);
	for (int i = 0; i < r->notes.count; i++)
		ts_watch_warn(w, r->path, r->notes.note[i]);
}

/* --stats: what the host, blocks of files that are there, and our pages have taken up to here. */
static void
say_stats(const char *when, const struct ts_report *r, const struct ts_reader *rd)
{
	struct ts_source_counts n = {0}, one;
	struct ts_reader_stats s = {0};
	struct ts_host_state h;

	for (int i = 0; i < r->sources; i++) {
		ts_source_counts(r->source[i], &one);
		ts_source_counts_add(&n, &one);
	}
	ts_reader_add_stats(&s, rd);
	fprintf(stderr, "stats %s pages hits=%lld misses=%lld reads=%lld bytes=%lld\n", when,
		(long long)s.page_hits, (long long)s.page_misses, (long long)s.reads,
		(long long)s.bytes);
	if (!r->files)
		return;
	ts_host_state(ts_files_host(r->files), &h);
	fprintf(stderr,
		"stats %s blocks trips=%lld requests=%lld bytes=%lld hits=%lld misses=%lld kept=%lld\n",
		when, (long long)n.trips, (long long)n.requests, (long long)n.bytes,
		(long long)n.hits, (long long)n.misses, (long long)n.kept);
	fprintf(stderr,
		"stats %s host trips=%lld requests=%lld sent=%lld received=%lld channels=%d connections=%lld\n",
		when, (long long)h.round_trips, (long long)h.requests, (long long)h.sent,
		(long long)h.received, h.channels, (long long)h.connections);
}

void
ts_say_left_out(const char *path, struct ts_files *files, const struct ts_args *args,
	struct ts_watch *w)
{
	struct ts_host_state h;
	struct ts_strbuf text;

	if (!files || args->quiet)
		return;
	ts_host_state(ts_files_host(files), &h);
	if (!h.left_out[0])
		return;
	ts_strbuf_init(&text, 2 * TS_SSH_REASON);
	ts_strbuf_printf(&text,
		"%s leaves out of the configuration of SSH: %s (transport=ssh has it)", h.transport,
		h.left_out);
	ts_watch_warn(w, path, text.s);
	ts_strbuf_fini(&text);
}

enum ts_code
ts_open_report(struct ts_report **r, struct ts_reader **rd, const struct ts_args *args,
	const char *path, bool any, struct ts_watch *w)
{
	struct ts_report_options options = {.cancel = ts_watch_cancel(w), .any = any};
	char *newest = NULL;
	struct ts_uri place;
	struct ts_err err = {0};
	enum ts_code code = ts_open_place(&options.files, &place, path, args, &err);

	*r = NULL;
	*rd = NULL;
	options.convert = true;
	options.progress = ts_watch_progress(w);
	ts_watch_files(w, options.files);
	if (!code && args->latest)
		code = ts_find_latest(&newest, options.files, place.path, options.cancel, &err);
	if (!code)
		code = ts_report_open(r, newest ? newest : place.path, &options, &err);
	if (code == TS_E_NOT_FOUND && !newest)
		ts_name_found(&err, options.files, path, place.path, options.cancel);
	if (!code)
		code = ts_reader_open(rd, *r, &err);
	if (!code)
		ts_reader_set_cancel(*rd, options.cancel);
	if (!code && args->verbose)
		say_more(*r, w);
	if (!code && args->stats)
		say_stats("opened", *r, *rd);
	ts_say_left_out(path, options.files, args, w);
	if (code) {
		ts_watch_complain(w, path, &err);
		ts_close_report(args, *r, *rd);
		*r = NULL;
		*rd = NULL;
	}
	ts_files_release(options.files);
	free(newest);
	return code;
}

enum ts_code
ts_use_index(struct ts_reader *rd, const struct ts_args *args, uint64_t sections,
	struct ts_watch *w, struct ts_err *err)
{
	struct ts_cache cache;
	struct ts_index *index;
	enum ts_code code = ts_cache_look(&cache, args->cache, err);

	if (code)
		return code;
	code = ts_index_open_some(&index, &cache, rd->report, sections, NULL, ts_watch_cancel(w),
		err);
	if (!code)
		ts_reader_set_index(rd, index);
	ts_index_release(index);
	ts_cache_fini(&cache);
	return code;
}

void
ts_close_report(const struct ts_args *args, struct ts_report *r, struct ts_reader *rd)
{
	if (args->stats && r && rd)
		say_stats("all", r, rd);
	ts_reader_close(rd);
	ts_report_close(r);
}

void
ts_put_place(struct ts_strbuf *out, const struct ts_report *r, const char *path)
{
	if (r->files) {
		ts_utf8_safe(out, r->files->host, strlen(r->files->host));
		ts_strbuf_putc(out, ':');
	}
	ts_utf8_safe(out, path, strlen(path));
}
