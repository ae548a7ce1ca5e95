/* SPDX-License-Identifier: MIT */
/*
 * recent - see the header.
 *
 * A line is numbers, "-" where one is not known, and two texts, all with one blank between them:
 *
 *	opened bytes mtime ns fits worst limit total peak cycles version path
 *
 * Texts have every byte but plain letters, digits and a few marks written as %XX.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/io/file_watch.h"
#include "tilescope/io/source.h"
#include "tilescope/io/uri.h"
#include "tilescope/report/find.h"
#include "tilescope/report/recent.h"

enum {
	NUMBERS = 10,
	LOCK_TRIES = 500, /* another program holds it for as long as a file takes to be synced */
	LOCK_WAIT_NS = 20000000,
	PATH_LIMIT = 1 << 14,
};

static const char first_line[] = "tilescope recent 1\n";

/* --- one line --------------------------------------------------------------------------------- */

static void
put_text(struct ts_strbuf *out, const char *s)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:=@~";

	ts_strbuf_puts(out, *s ? " " : " -");
	for (; *s; s++)
		if (strchr(plain, *s))
			ts_strbuf_putc(out, *s);
		else
			ts_strbuf_printf(out, "%%%02X", (unsigned)(unsigned char)*s);
}

static void
put_line(struct ts_strbuf *out, const struct ts_recent *x)
{
	const struct ts_figures *f = &x->figures;
	const int64_t v[NUMBERS] = {x->opened, x->bytes, x->mtime, x->mtime_ns, f->fits,
		f->worst_tile_bytes, f->limit_bytes, f->total_bytes, f->peak_bytes, f->cycles};

	for (int i = 0; i < NUMBERS; i++)
		if (v[i] < 0)
			ts_strbuf_puts(out, i ? " -" : "-");
		else
			ts_strbuf_printf(out, "%s%lld", i ? " " : "", (long long)v[i]);
	put_text(out, f->poplar_version);
	put_text(out, x->path);
	ts_strbuf_putc(out, '\n');
}

/* The next word; *at goes behind it and its blank. Returns its length. */
static size_t
next_word(const char **word, const char **at)
{
	size_t n = strcspn(*at, " ");

	*word = *at;
	*at += n;
	*at += **at == ' ';
	return n;
}

static bool
take_number(int64_t *v, const char **at)
{
	const char *word;
	size_t n = next_word(&word, at);

	*v = -1;
	if (n == 1 && *word == '-')
		return true;
	*v = 0;
	for (size_t i = 0; i < n; i++)
		if (word[i] < '0' || word[i] > '9' || __builtin_mul_overflow(*v, 10, v) ||
			!ts_add_i64(v, word[i] - '0'))
			return false;
	return n > 0;
}

static int
hex(char c)
{
	static const char digits[] = "0123456789ABCDEF";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* False: not a text of ours, empty where it may not be, or longer than `size`. */
static bool
take_text(char *out, size_t size, const char **at)
{
	const char *word;
	size_t n = next_word(&word, at), len = 0;

	if (n == 1 && *word == '-')
		n = 0;
	for (size_t i = 0; i < n; i++, len++) {
		int high, low;

		if (len + 1 >= size)
			return false;
		out[len] = word[i];
		if (word[i] != '%')
			continue;
		high = i + 2 < n ? hex(word[i + 1]) : -1;
		low = high >= 0 ? hex(word[i + 2]) : -1;
		if (low < 0 || high * 16 + low == 0)
			return false;
		out[len] = (char)(high * 16 + low);
		i += 2;
	}
	out[len] = '\0';
	return true;
}

/* Is it a report of another host? */
static bool
is_far(const char *path)
{
	struct ts_uri u;

	return !ts_uri_parse(&u, path, NULL) && u.remote;
}

/* False: it is no line of ours; `path` is a buffer of TS_RECENT_PATH. */
static bool
take_line(struct ts_recent *x, char *path, const char *line)
{
	struct ts_figures *f = &x->figures;
	int64_t fits,
		*v[NUMBERS] = {&x->opened, &x->bytes, &x->mtime, &x->mtime_ns, &fits,
			&f->worst_tile_bytes, &f->limit_bytes, &f->total_bytes, &f->peak_bytes,
			&f->cycles};

	*x = (struct ts_recent){0};
	for (int i = 0; i < NUMBERS; i++)
		if (!take_number(v[i], &line))
			return false;
	f->fits = fits < 0 ? -1 : fits > 0;
	return x->opened >= 0 && take_text(f->poplar_version, sizeof(f->poplar_version), &line) &&
		take_text(path, TS_RECENT_PATH, &line) && (path[0] == '/' || is_far(path)) &&
		*line == '\0';
}

/* --- the list --------------------------------------------------------------------------------- */

static int
last_first(const void *a, const void *b)
{
	const struct ts_recent *x = a, *y = b;

	if (x->opened != y->opened)
		return x->opened < y->opened ? 1 : -1;
	return strcmp(x->path, y->path);
}

static int
index_of(const struct ts_recents *r, const char *path)
{
	for (int i = 0; i < r->count; i++)
		if (strcmp(r->item[i].path, path) == 0)
			return i;
	return -1;
}

void
ts_recents_fini(struct ts_recents *r)
{
	for (int i = 0; i < r->count; i++)
		free(r->item[i].path);
	r->count = 0;
}

static enum ts_code
take_lines(struct ts_recents *r, char *text, struct ts_err *err)
{
	char path[TS_RECENT_PATH], *rest = text, *line;

	while ((line = strsep(&rest, "\n")) && r->count < TS_RECENT_MAX) {
		struct ts_recent x;

		if (!take_line(&x, path, line) || index_of(r, path) >= 0)
			continue;
		x.path = ts_strdup(path);
		if (!x.path)
			return ts_err_nomem(err);
		r->item[r->count++] = x;
	}
	qsort(r->item, (size_t)r->count, sizeof(r->item[0]), last_first);
	return TS_OK;
}

enum ts_code
ts_recents_read(struct ts_recents *r, const char *file, struct ts_err *err)
{
	struct ts_source *source;
	enum ts_code code;
	size_t got = 0;
	char *text;

	*r = (struct ts_recents){0};
	code = ts_source_open_file(&source, file, err);
	if (code)
		return code == TS_E_NOT_FOUND ? TS_OK : code;
	if (source->size > TS_RECENT_BYTES) {
		ts_source_close(source);
		return ts_err_set(err, TS_E_LIMIT, "%s is larger than 2 MiB", file);
	}
	text = ts_alloc((size_t)source->size + 1, 1);
	code = text ? ts_source_read(source, text, (size_t)source->size, 0, &got, NULL, err)
		    : ts_err_nomem(err);
	ts_source_close(source);
	if (!code) {
		text[got] = '\0'; /* a NUL within ends it: it is none of ours */
		code = take_lines(r, text, err);
	}
	free(text);
	return code;
}

void
ts_recents_look(struct ts_recents *r, const struct ts_cancel *cancel)
{
	for (int i = 0; i < r->count && !ts_cancelled(cancel); i++) {
		struct ts_recent *x = &r->item[i];
		struct ts_file_state now;
		char *file;

		if (x->path[0] != '/') /* no host is asked for this */
			continue;
		if (ts_find_profile(&file, NULL, x->path, cancel, NULL)) {
			x->state = TS_RECENT_GONE;
			continue;
		}
		ts_files_state(NULL, &now, file);
		free(file);
		if (!ts_file_is_there(&now))
			x->state = TS_RECENT_GONE;
		else if (now.bytes == x->bytes && now.mtime == x->mtime &&
			now.mtime_ns == x->mtime_ns)
			x->state = TS_RECENT_SAME;
		else
			x->state = TS_RECENT_CHANGED;
	}
}

/* --- writing ---------------------------------------------------------------------------------- */

static bool
is_known(const struct ts_figures *f)
{
	return f->fits >= 0 || f->worst_tile_bytes >= 0 || f->total_bytes >= 0 ||
		f->peak_bytes >= 0 || f->cycles >= 0 || f->poplar_version[0];
}

/* `one` goes in, its path with it, in the place of an older line or of the one opened first. */
static void
merge(struct ts_recents *r, struct ts_recent *one)
{
	int at = index_of(r, one->path);

	if (at < 0 && r->count == TS_RECENT_MAX)
		at = r->count - 1;
	if (at < 0) {
		r->item[r->count++] = *one;
	} else {
		struct ts_recent *old = &r->item[at];

		if (strcmp(old->path, one->path) == 0 && !is_known(&one->figures) &&
			old->bytes == one->bytes && old->mtime == one->mtime &&
			old->mtime_ns == one->mtime_ns)
			one->figures = old->figures;
		free(old->path);
		*old = *one;
	}
	one->path = NULL;
	qsort(r->item, (size_t)r->count, sizeof(r->item[0]), last_first);
}

/* A descriptor that holds the lock, or -1: then it goes without. */
static int
lock(const char *file)
{
	struct timespec wait = {0, LOCK_WAIT_NS};
	struct ts_strbuf name;
	int fd;

	ts_strbuf_init(&name, PATH_LIMIT);
	ts_strbuf_printf(&name, "%s.lock", file);
	fd = name.cut ? -1
		      : open(name.s, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	ts_strbuf_fini(&name);
	for (int i = 0; fd >= 0 && i < LOCK_TRIES && flock(fd, LOCK_EX | LOCK_NB) < 0; i++)
		nanosleep(&wait, NULL);
	return fd;
}

static int
write_all(int fd, const char *s, size_t n)
{
	while (n > 0) {
		ssize_t w = write(fd, s, n);

		if (w < 0 && errno != EINTR)
			return errno;
		s += w < 0 ? 0 : w;
		n -= w < 0 ? 0 : (size_t)w;
	}
	return fsync(fd) < 0 && errno != EINVAL ? errno : 0;
}

static enum ts_code
replace(const char *file, const struct ts_strbuf *text, struct ts_err *err)
{
	struct ts_strbuf name;
	int fd, why;

	ts_strbuf_init(&name, PATH_LIMIT);
	ts_strbuf_printf(&name, "%s.XXXXXX", file);
	if (name.cut || text->cut) {
		ts_strbuf_fini(&name);
		return ts_err_nomem(err);
	}
	fd = mkostemp(name.s, O_CLOEXEC); /* mode 0600 */
	why = fd < 0 ? errno : write_all(fd, text->s, text->len);
	if (fd >= 0 && close(fd) < 0 && !why)
		why = errno;
	if (!why && rename(name.s, file) < 0)
		why = errno;
	if (why && fd >= 0)
		unlink(name.s);
	ts_strbuf_fini(&name);
	return why ? ts_err_sys(err, why, "%s: cannot write", file) : TS_OK;
}

static enum ts_code
add_to(struct ts_recents *r, const char *file, struct ts_recent *one, struct ts_err *err)
{
	struct ts_strbuf text;
	enum ts_code code = ts_recents_read(r, file, err);

	if (code == TS_E_NOMEM)
		return code;
	merge(r, one);
	ts_strbuf_init(&text, TS_RECENT_BYTES);
	ts_strbuf_puts(&text, first_line);
	for (int i = 0; i < r->count; i++)
		put_line(&text, &r->item[i]);
	code = replace(file, &text, err);
	ts_strbuf_fini(&text);
	return code;
}

enum ts_code
ts_recents_add(const char *file, const struct ts_recent *one, struct ts_err *err)
{
	struct ts_recents *r = ts_alloc(1, sizeof(*r));
	struct ts_recent own = *one;
	enum ts_code code;
	int fd;

	own.path = is_far(one->path) ? ts_strdup(one->path) : realpath(one->path, NULL);
	if (!r || !own.path) {
		code = r ? ts_err_sys(err, errno, "%s", one->path) : ts_err_nomem(err);
	} else if (strlen(own.path) >= TS_RECENT_PATH) {
		code = ts_err_set(err, TS_E_LIMIT, "the path is too long");
	} else {
		fd = lock(file);
		code = add_to(r, file, &own, err);
		if (fd >= 0)
			close(fd);
	}
	free(own.path);
	if (r)
		ts_recents_fini(r);
	free(r);
	return code;
}
