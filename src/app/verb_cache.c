/* SPDX-License-Identifier: MIT */
/*
 * verb_cache - `tilescope cache list|clear`: what is kept of which report, and away with it.
 *
 * Only the heads of the sections are read, and names of files of other hosts whose blocks are kept. A report that a
 * program is indexing at this moment is listed and not cleared.
 * The demo report, which lies below the same directory, is nobody's index and stays.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tilescope/app/json_out.h"
#include "tilescope/app/output.h"
#include "tilescope/app/verbs.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/io/block_store.h"
#include "tilescope/report/index.h"

enum { TIME_MAX = 32 };

struct listing {
	struct ts_cache_entry *entry;
	size_t count;
	struct ts_block_store_kept *file;
	size_t files;
	int64_t bytes;
};

static enum ts_code
listing_read(struct listing *l, const struct ts_cache *cache, struct ts_err *err)
{
	enum ts_code code = ts_cache_list(&l->entry, &l->count, cache, err);

	l->bytes = 0;
	l->file = NULL;
	l->files = 0;
	if (!code)
		code = ts_cache_files_list(&l->file, &l->files, cache, err);
	for (size_t i = 0; !code && i < l->files; i++)
		l->bytes += l->file[i].bytes;
	for (size_t i = 0; !code && i < l->count; i++)
		l->bytes += l->entry[i].bytes;
	return code;
}

static void
listing_fini(struct listing *l)
{
	ts_cache_list_free(l->entry, l->count);
	ts_block_stores_free(l->file, l->files);
}

/* Things that are kept. */
static size_t
listing_count(const struct listing *l)
{
	return l->count + l->files;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *
json_entry(const struct ts_cache_entry *e)
{
	json_t *sections = json_array();

	for (int s = 0; s < TS_SECTION_COUNT; s++)
		if (e->sections & ts_section_bit(s))
			json_array_append_new(sections,
				json_string(ts_section_name((enum ts_section)s)));
	return json_pack("{s:o, s:I, s:o, s:o, s:b}", "path", ts_json_text(e->path, true), "bytes",
		(json_int_t)e->bytes, "last_used",
		e->used_s > 0 ? json_integer(e->used_s) : json_null(), "sections", sections, "gone",
		e->gone);
}

static json_t *
json_file(const struct ts_block_store_kept *f)
{
	return json_pack("{s:o, s:I, s:o}", "path", ts_json_text(f->of ? f->of : "", true), "bytes",
		(json_int_t)f->bytes, "last_used",
		f->used_s > 0 ? json_integer(f->used_s) : json_null());
}

static json_t *
json_list(const struct ts_cache *cache, const struct listing *l)
{
	json_t *all = json_array(), *files = json_array();

	for (size_t i = 0; i < l->count; i++)
		json_array_append_new(all, json_entry(&l->entry[i]));
	for (size_t i = 0; i < l->files; i++)
		json_array_append_new(files, json_file(&l->file[i]));
	return json_pack("{s:o, s:I, s:o, s:o}", "dir", ts_json_text(cache->dir, false), "bytes",
		(json_int_t)l->bytes, "reports", all, "files", files);
}

/* --- text ------------------------------------------------------------------------------------- */

static void
put_time(struct ts_strbuf *out, int64_t when)
{
	time_t t = (time_t)when;
	char text[TIME_MAX] = "not known";
	struct tm tm;

	if (when > 0 && localtime_r(&t, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &tm);
	ts_strbuf_printf(out, "%-16s", text);
}

/* "5 of 5 + 2": those that are made without being asked for, and the others. */
static void
put_sections(struct ts_strbuf *out, uint64_t sections)
{
	int core = 0, all = 0, more = 0;
	char text[TIME_MAX];

	for (int s = 0; s < TS_SECTION_COUNT; s++) {
		bool has = sections & ts_section_bit(s);

		if (ts_section_is_core((enum ts_section)s))
			core += has, all++;
		else
			more += has;
	}
	snprintf(text, sizeof(text), more ? "%d of %d + %d" : "%d of %d", core, all, more);
	ts_strbuf_printf(out, "%-10s", text);
}

/* The rest of a line: when it was used, of which file it is, and whether that is still there. */
static void
put_whose(struct ts_strbuf *out, int64_t used_s, const char *path, bool gone)
{
	const char *name = path && *path ? path : "(not known)";

	ts_strbuf_puts(out, "  ");
	put_time(out, used_s);
	ts_strbuf_puts(out, "  ");
	ts_utf8_safe(out, name, strlen(name));
	ts_strbuf_puts(out, gone ? "  (gone, or another report by now)\n" : "\n");
}

static void
text_list(struct ts_strbuf *out, const struct ts_cache *cache, const struct listing *l)
{
	char buf[TS_FMT_MAX];

	if (cache->dir)
		ts_utf8_safe(out, cache->dir, strlen(cache->dir));
	if (listing_count(l) == 0) {
		ts_strbuf_printf(out, "%snothing is kept\n", cache->dir ? ": " : "");
		return;
	}
	ts_strbuf_printf(out, ": %s of %zu report%s", ts_fmt_bytes(buf, l->bytes, TS_UNITS_KIB),
		l->count, l->count == 1 ? "" : "s");
	if (l->files > 0)
		ts_strbuf_printf(out, ", blocks of %zu file%s of other hosts", l->files,
			l->files == 1 ? "" : "s");
	ts_strbuf_puts(out, "\n      size  sections    last used         report\n");
	for (size_t i = 0; i < l->count; i++) {
		const struct ts_cache_entry *e = &l->entry[i];

		ts_strbuf_printf(out, "%10s  ", ts_fmt_bytes(buf, e->bytes, TS_UNITS_KIB));
		put_sections(out, e->sections);
		put_whose(out, e->used_s, e->path, e->gone);
	}
	for (size_t i = 0; i < l->files; i++) {
		const struct ts_block_store_kept *f = &l->file[i];

		ts_strbuf_printf(out, "%10s  %-10s", ts_fmt_bytes(buf, f->bytes, TS_UNITS_KIB),
			"blocks");
		put_whose(out, f->used_s, f->of, false);
	}
}

/* --- the verb --------------------------------------------------------------------------------- */

static enum ts_code
list(struct ts_strbuf *out, const struct ts_cache *cache, enum ts_format format, struct ts_err *err)
{
	struct listing l;
	enum ts_code code = listing_read(&l, cache, err);
	json_t *json;

	if (code)
		return code;
	if (format == TS_FORMAT_JSON) {
		json = json_list(cache, &l);
		if (!ts_json_print(out, json))
			code = ts_err_nomem(err);
		json_decref(json);
	} else {
		text_list(out, cache, &l);
	}
	listing_fini(&l);
	return code;
}

static enum ts_code
clear(struct ts_strbuf *out, const struct ts_cache *cache, enum ts_format format,
	struct ts_err *err)
{
	struct listing left;
	char buf[TS_FMT_MAX];
	struct ts_cache_cleared done;
	enum ts_code code = ts_cache_clear(&done, cache, err);
	json_t *json;

	if (!code)
		code = listing_read(&left, cache, err);
	if (code)
		return code;
	if (format == TS_FORMAT_JSON) {
		json = json_pack("{s:o, s:I, s:I, s:I, s:I, s:I}", "dir",
			ts_json_text(cache->dir, false), "removed_reports",
			(json_int_t)done.reports, "removed_files", (json_int_t)done.files,
			"removed_bytes", (json_int_t)done.bytes, "left_reports",
			(json_int_t)left.count, "left_files", (json_int_t)left.files);
		if (!ts_json_print(out, json))
			code = ts_err_nomem(err);
		json_decref(json);
	} else if (done.reports + done.files == 0) {
		ts_strbuf_puts(out, "nothing was removed\n");
	} else {
		ts_strbuf_printf(out, "removed: %s, the indexes of %zu report%s",
			ts_fmt_bytes(buf, done.bytes, TS_UNITS_KIB), done.reports,
			done.reports == 1 ? "" : "s");
		if (done.files > 0)
			ts_strbuf_printf(out, " and blocks of %zu file%s of other hosts",
				done.files, done.files == 1 ? "" : "s");
		ts_strbuf_putc(out, '\n');
	}
	if (format != TS_FORMAT_JSON && listing_count(&left) > 0)
		ts_strbuf_printf(out, "left: %zu, in use or not removable\n", listing_count(&left));
	listing_fini(&left);
	return code;
}

static const struct {
	const char *word;
	enum ts_code (*run)(struct ts_strbuf *out, const struct ts_cache *cache,
		enum ts_format format, struct ts_err *err);
} actions[] = {{"list", list}, {"clear", clear}};

static enum ts_code
act(const struct ts_args *args, const struct ts_cache *cache, struct ts_err *err)
{
	struct ts_strbuf out;
	enum ts_code code = TS_E_USAGE;

	ts_strbuf_init(&out, TS_OUTPUT_MAX);
	for (size_t i = 0; i < TS_COUNT(actions); i++)
		if (strcmp(actions[i].word, args->paths[0]) == 0)
			code = actions[i].run(&out, cache, args->format, err);
	if (!code)
		code = ts_output_write(args->output, &out, err);
	ts_strbuf_fini(&out);
	return code;
}

static bool
is_action(const char *word)
{
	for (size_t i = 0; i < TS_COUNT(actions); i++)
		if (strcmp(actions[i].word, word) == 0)
			return true;
	return false;
}

enum ts_exit
ts_verb_cache(const struct ts_args *args)
{
	struct ts_err err = {0};
	struct ts_cache cache;
	enum ts_code code = TS_OK;

	if (!is_action(args->paths[0]))
		code = ts_err_set(&err, TS_E_USAGE, "cache takes list or clear, not \"%s\"",
			args->paths[0]);
	if (!code)
		code = ts_cache_look(&cache, args->cache, &err);
	if (code) {
		ts_complain(NULL, &err);
		return code == TS_E_USAGE ? TS_EXIT_USAGE : TS_EXIT_UNREADABLE;
	}
	if (cache.why[0])
		code = ts_err_set(&err, TS_E_USAGE, "%s", cache.why);
	else
		code = act(args, &cache, &err);
	ts_cache_fini(&cache);
	if (!code)
		return TS_EXIT_OK;
	ts_complain(NULL, &err);
	return code == TS_E_USAGE ? TS_EXIT_USAGE : TS_EXIT_UNREADABLE;
}
