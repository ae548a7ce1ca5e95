/* SPDX-License-Identifier: MIT */
/* find - see the header. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/io/source.h"
#include "tilescope/report/find.h"

enum { PATH_LIMIT = 1 << 14, DIRS_MAX = 4096 };

#define DROPPED "a format dropped with Graph Analyser 3.7: not read"

const struct ts_other_file ts_other_files[TS_OTHER_FILES] = {
	{"graph.json", true, DROPPED},
	{"graph.cbor", true, DROPPED},
	{"execution.json", true, DROPPED},
	{"execution.cbor", true, DROPPED},
	{"profile_info.json", true, DROPPED},
	{"vars.capnp", false, "a format that is not public: not read"},
};

static const char *const other_parts[] = {"archive.a", "debug.cbor", "framework.json", "app.json",
	"vars.json", "vars.capnp"};

static bool
one_of(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, list[i]) == 0)
			return true;
	return false;
}

bool
ts_is_temporary_profile(const char *name)
{
	size_t n = strlen(name);

	return n > 12 && strncmp(name, "profile_", 8) == 0 && strcmp(name + n - 4, ".pop") == 0;
}

static char *
join(const char *dir, const char *name)
{
	struct ts_strbuf b;

	ts_strbuf_init(&b, PATH_LIMIT);
	ts_strbuf_puts(&b, dir);
	if (b.len > 0 && b.s[b.len - 1] != '/')
		ts_strbuf_putc(&b, '/');
	ts_strbuf_puts(&b, name);
	return ts_strbuf_take(&b);
}

static bool
is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/*
 * dir/name when it is there (a file, or anything else of that name): the caller's. Here and below *nomem
 * is set when there was no memory to find out, else left alone.
 */
static char *
present(const char *dir, const char *name, bool *nomem)
{
	struct stat st;
	char *path = join(dir, name);

	*nomem |= !path;
	if (path && lstat(path, &st) == 0)
		return path;
	free(path);
	return NULL;
}

/* The name of the first entry of `dir` that `want` accepts; the caller's. */
static char *
first_entry(const char *dir, bool (*want)(const char *name), bool *nomem)
{
	DIR *d = opendir(dir);
	char *best = NULL;

	if (!d)
		return NULL;
	for (struct dirent *e; (e = readdir(d));)
		if (want(e->d_name) && (!best || strcmp(e->d_name, best) < 0)) {
			free(best);
			best = ts_strdup(e->d_name);
			*nomem |= !best;
		}
	closedir(d);
	return best;
}

const struct ts_other_file *
ts_other_file(const char *name)
{
	for (size_t i = 0; i < TS_OTHER_FILES; i++)
		if (strcmp(ts_other_files[i].name, name) == 0)
			return &ts_other_files[i];
	return NULL;
}

static bool
is_dropped(const char *name)
{
	const struct ts_other_file *f = ts_other_file(name);

	return f && f->dropped;
}

static bool
is_unreadable(const char *name)
{
	const struct ts_other_file *f = ts_other_file(name);

	return f && !f->dropped;
}

static bool
is_store(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && strcmp(dot, ".tilescope") == 0;
}

/* The database of a directory, else its archive, or NULL. */
static char *
directory_profile(const char *dir, bool *nomem)
{
	static const char *const names[] = {"profile.pop", "report.tilescope"};
	static bool (*const kinds[])(const char *) = {is_store, ts_is_temporary_profile};
	char *path = NULL;

	for (size_t i = 0; i < TS_COUNT(names) && !path; i++)
		path = present(dir, names[i], nomem);
	for (size_t i = 0; i < TS_COUNT(kinds) && !path; i++) {
		char *name = first_entry(dir, kinds[i], nomem);

		if (name) {
			path = join(dir, name);
			*nomem |= !path;
		}
		free(name);
	}
	if (!path)
		path = present(dir, "archive.a", nomem);
	if (*nomem) { /* what was passed over may come before it */
		free(path);
		path = NULL;
	}
	return path;
}

/* Parts that are there and tell of a profile that is not: what is missing, and their names; or "". */
static void
parts_alone(struct ts_strbuf *out, const char *dir, bool *nomem)
{
	int n = 0;

	for (size_t i = 0; i < TS_COUNT(other_parts); i++) {
		char *path = is_unreadable(other_parts[i]) ? NULL
							   : present(dir, other_parts[i], nomem);

		if (path)
			ts_strbuf_printf(out, "%s%s",
				n++ ? " and "
				    : ": profile.pop and archive.a are missing, there is only ",
				other_parts[i]);
		free(path);
	}
}

static enum ts_code
nothing_in(const char *dir, struct ts_err *err)
{
	struct ts_strbuf alone;
	bool nomem = false;
	char *dropped = first_entry(dir, is_dropped, &nomem);
	char *unreadable = first_entry(dir, is_unreadable, &nomem);
	DIR *d = opendir(dir);
	enum ts_code code;

	ts_strbuf_init(&alone, 400);
	parts_alone(&alone, dir, &nomem);
	if (nomem || alone.nomem)
		code = ts_err_nomem(err);
	else if (!d)
		code = ts_err_sys(err, errno, "cannot read the directory");
	else if (dropped)
		code = ts_err_set(err, TS_E_FORMAT,
			"holds only %s: %s (record the report again with a newer SDK)", dropped,
			ts_other_file(dropped)->what);
	else if (unreadable)
		code = ts_err_set(err, TS_E_FORMAT, "no profile.pop, only %s: %s", unreadable,
			ts_other_file(unreadable)->what);
	else
		code = ts_err_set(err, TS_E_NOT_FOUND,
			"no graph profile found%s (record one with POPLAR_ENGINE_OPTIONS="
			"'{\"autoReport.all\":\"true\"}')",
			alone.s);
	if (d)
		closedir(d);
	ts_strbuf_fini(&alone);
	free(unreadable);
	free(dropped);
	return code;
}

/* The database of a directory: *file is the caller's. */
static enum ts_code
find_in(char **file, const char *dir, struct ts_err *err)
{
	bool nomem = false;

	*file = directory_profile(dir, &nomem);
	if (nomem)
		return ts_err_nomem(err);
	return *file ? TS_OK : nothing_in(dir, err);
}

static char *
directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return ts_strdup(".");
	return ts_strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static enum ts_code
file_profile(char **file, const char *path, struct ts_err *err)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

	if (is_dropped(name))
		return ts_err_set(err, TS_E_FORMAT, "%s (record the report again with a newer SDK)",
			ts_other_file(name)->what);
	if (one_of(name, other_parts, TS_COUNT(other_parts))) {
		char *dir = directory_of(path);
		enum ts_code code = dir ? find_in(file, dir, err) : ts_err_nomem(err);

		free(dir);
		return code;
	}
	*file = ts_strdup(path);
	return *file ? TS_OK : ts_err_nomem(err);
}

enum ts_code
ts_find_profile(char **file, const char *path, struct ts_err *err)
{
	struct stat st;

	*file = NULL;
	if (!*path)
		return ts_err_set(err, TS_E_NOT_FOUND, "the path is empty");
	if (strlen(path) > PATH_LIMIT / 2)
		return ts_err_set(err, TS_E_NOT_FOUND, "path too long");
	if (stat(path, &st) < 0) {
		bool dangling = lstat(path, &st) == 0 && S_ISLNK(st.st_mode);

		if (dangling && errno == ENOENT)
			return ts_err_set(err, TS_E_NOT_FOUND,
				"a symbolic link that leads nowhere");
		if (dangling || (errno != ENOENT && errno != ENOTDIR))
			return ts_err_sys(err, dangling ? ELOOP : errno, "cannot open");
		return ts_err_set(err, TS_E_NOT_FOUND, "no such file or directory");
	}
	if (!S_ISDIR(st.st_mode))
		return file_profile(file, path, err);
	return find_in(file, path, err);
}

/* --- looking below a directory ---------------------------------------------------------------- */

struct directory {
	char *path;
	int level;
	dev_t dev;
	ino_t ino;
};

struct search {
	struct ts_found_list *list;
	bool all; /* files under names of their own, too */
	struct ts_progress *progress;
	struct directory *queue; /* breadth first: DIRS_MAX of them */
	int head, tail;
	int entries;
	bool nomem;
	const struct ts_cancel *cancel;
};

static void
enqueue(struct search *s, char *path, int level)
{
	struct stat st;

	s->nomem |= !path;
	if (!path)
		return;
	if (s->tail == DIRS_MAX || stat(path, &st) < 0 || !S_ISDIR(st.st_mode)) {
		s->list->cut |= s->tail == DIRS_MAX;
		free(path);
		return;
	}
	for (int i = 0; i < s->tail; i++)
		if (s->queue[i].dev == st.st_dev && s->queue[i].ino == st.st_ino) {
			free(path);
			return;
		}
	s->queue[s->tail++] = (struct directory){path, level, st.st_dev, st.st_ino};
}

/* The last name of a path. */
static const char *
name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static unsigned
parts_of(const char *dir, const char *profile, bool *nomem)
{
	static const struct {
		const char *name;
		unsigned part;
	} parts[] = {{"archive.a", TS_FOUND_ARCHIVE}, {"debug.cbor", TS_FOUND_DEBUG},
		{"../debug.cbor", TS_FOUND_DEBUG}, {"framework.json", TS_FOUND_FRAMEWORK},
		{"app.json", TS_FOUND_APP}, {"vars.json", TS_FOUND_VARS}};
	unsigned found = 0;

	for (size_t i = 0; i < TS_COUNT(parts); i++) {
		char *path = join(dir, parts[i].name);

		*nomem |= !path;
		if (path && is_file(path))
			found |= parts[i].part;
		free(path);
	}
	if (is_store(profile))
		found |= TS_FOUND_STORE;
	else if (strcmp(profile, "archive.a") != 0)
		found |= TS_FOUND_PROFILE;
	return found;
}

/* The next place in the list, zeroed; NULL when there is none. It counts once it has a path. */
static struct ts_found *
next_found(struct search *s)
{
	struct ts_found_list *l = s->list;

	if (l->count == TS_FIND_MAX) {
		l->cut = true;
		return NULL;
	}
	l->item[l->count] = (struct ts_found){0};
	return &l->item[l->count];
}

/* A report: the path by which it is opened, its profile, its parts. */
static void
add_found(struct search *s, const char *path, const char *profile, unsigned parts)
{
	struct ts_found *f;
	struct stat st;

	if (stat(profile, &st) < 0 || !S_ISREG(st.st_mode) || !(f = next_found(s)))
		return;
	f->path = ts_strdup(path);
	f->bytes = st.st_size;
	f->mtime = st.st_mtim.tv_sec;
	f->mtime_ns = st.st_mtim.tv_nsec;
	f->parts = parts;
	f->half_written = ts_is_temporary_profile(name_of(profile));
	s->nomem |= !f->path;
	s->list->count += f->path != NULL;
}

static bool
is_sqlite(const char *path)
{
	struct ts_source *source;
	char magic[16];
	size_t got;
	bool yes;

	if (ts_source_open_file(&source, path, NULL))
		return false;
	yes = !ts_source_read(source, magic, sizeof(magic), 0, &got, NULL, NULL) &&
		got == sizeof(magic) && memcmp(magic, "SQLite format 3", sizeof(magic)) == 0;
	ts_source_close(source);
	return yes;
}

/* A profile or a store beside the one that the directory stands for. */
static void
look_at_file(struct search *s, const char *dir, const char *name, const char *profile)
{
	const char *dot = strrchr(name, '.');
	char *path;

	if (!dot || (strcmp(dot, ".pop") != 0 && !is_store(name)) ||
		(profile && strcmp(name, name_of(profile)) == 0))
		return;
	path = join(dir, name);
	s->nomem |= !path;
	if (path && is_sqlite(path))
		add_found(s, path, path, is_store(name) ? TS_FOUND_STORE : TS_FOUND_PROFILE);
	free(path);
}

static void
look_into(struct search *s, const struct directory *at)
{
	char *profile = directory_profile(at->path, &s->nomem);
	DIR *d = at->level < TS_FIND_LEVELS ? opendir(at->path) : NULL;

	if (profile && is_file(profile))
		add_found(s, at->path, profile, parts_of(at->path, name_of(profile), &s->nomem));
	for (struct dirent *e; d && (e = readdir(d)) && !ts_cancelled(s->cancel);) {
		if (e->d_name[0] == '.')
			continue;
		if (++s->entries > TS_FIND_ENTRIES) {
			s->list->cut = true;
			break;
		}
		ts_progress_set(s->progress, s->entries, 0);
		if (s->all && e->d_type != DT_DIR)
			look_at_file(s, at->path, e->d_name, profile);
		if (e->d_type == DT_DIR || e->d_type == DT_LNK || e->d_type == DT_UNKNOWN)
			enqueue(s, join(at->path, e->d_name), at->level + 1);
	}
	free(profile);
	if (d)
		closedir(d);
}

static int
newest_first(const void *a, const void *b)
{
	const struct ts_found *x = a, *y = b;

	if (!x->parts != !y->parts)
		return x->parts ? -1 : 1;
	if (x->mtime != y->mtime)
		return x->mtime < y->mtime ? 1 : -1;
	if (x->mtime_ns != y->mtime_ns)
		return x->mtime_ns < y->mtime_ns ? 1 : -1;
	return strcmp(x->path, y->path);
}

/* Reports in a directory, at any level below it; -1: it holds one itself. */
static int
count_below(const struct ts_found_list *l, int reports, const char *dir)
{
	size_t n = strlen(dir);
	int below = 0;

	for (int i = 0; i < reports; i++) {
		if (strncmp(l->item[i].path, dir, n) != 0)
			continue;
		if (l->item[i].path[n] == '\0')
			return -1;
		below += l->item[i].path[n] == '/';
	}
	return below;
}

static void
add_directories(struct search *s)
{
	int reports = s->list->count;

	for (int i = 0; i < s->tail; i++) {
		int below = s->queue[i].level == 1 ? count_below(s->list, reports, s->queue[i].path)
						   : -1;
		struct ts_found *f = below >= 0 ? next_found(s) : NULL;

		if (!f)
			continue;
		f->path = ts_strdup(s->queue[i].path);
		f->below = below;
		s->nomem |= !f->path;
		s->list->count += f->path != NULL;
	}
}

static enum ts_code
find_below(struct search *s, const char *dir, struct ts_err *err)
{
	*s->list = (struct ts_found_list){0};
	s->queue = ts_alloc(DIRS_MAX, sizeof(*s->queue));
	if (!s->queue)
		return ts_err_nomem(err);
	enqueue(s, ts_strdup(dir), 0);
	for (; s->head < s->tail && !s->nomem && !ts_cancelled(s->cancel); s->head++) {
		struct directory at = s->queue[s->head];

		look_into(s, &at);
	}
	if (s->all)
		add_directories(s);
	for (int i = 0; i < s->tail; i++)
		free(s->queue[i].path);
	free(s->queue);
	qsort(s->list->item, (size_t)s->list->count, sizeof(s->list->item[0]), newest_first);
	if (s->nomem) {
		ts_found_list_fini(s->list);
		return ts_err_nomem(err);
	}
	if (ts_cancelled(s->cancel)) {
		ts_found_list_fini(s->list);
		return ts_err_set(err, TS_E_CANCELLED, "cancelled");
	}
	return TS_OK;
}

enum ts_code
ts_find_reports(struct ts_found_list *list, const char *dir, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct search s = {.list = list, .cancel = cancel};

	return find_below(&s, dir, err);
}

enum ts_code
ts_find_openable(struct ts_found_list *list, const char *dir, struct ts_progress *progress,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct search s = {.list = list, .cancel = cancel, .progress = progress, .all = true};

	return find_below(&s, dir, err);
}

enum ts_code
ts_find_latest(char **path, const char *dir, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_found_list *list = ts_alloc(1, sizeof(*list));
	enum ts_code code = list ? ts_find_reports(list, dir, cancel, err) : ts_err_nomem(err);

	*path = NULL;
	if (!code && list->count == 0)
		code = ts_err_set(err, TS_E_NOT_FOUND, "no report in this directory or below it");
	if (!code) {
		*path = list->item[0].path; /* it is the caller's now */
		list->item[0].path = NULL;
	}
	if (list)
		ts_found_list_fini(list);
	free(list);
	return code;
}

void
ts_found_list_fini(struct ts_found_list *list)
{
	for (int i = 0; i < list->count; i++)
		free(list->item[i].path);
	list->count = 0;
}
