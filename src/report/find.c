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
#include "tilescope/report/find.h"

enum { PATH_LIMIT = 1 << 14, DIRS_MAX = 4096 };

#define DROPPED \
	"an older format, which PopVision Graph Analyser dropped in 3.7 and nothing here reads"

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

static void
add_found(struct search *s, const char *dir, const char *profile)
{
	struct ts_found_list *l = s->list;
	const char *name = strrchr(profile, '/') ? strrchr(profile, '/') + 1 : profile;
	struct stat st;

	if (stat(profile, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	if (l->count == TS_FIND_MAX) {
		l->cut = true;
		return;
	}
	l->item[l->count].path = ts_strdup(dir);
	l->item[l->count].bytes = st.st_size;
	l->item[l->count].mtime = st.st_mtime;
	l->item[l->count].half_written = ts_is_temporary_profile(name);
	s->nomem |= !l->item[l->count].path;
	l->count += l->item[l->count].path != NULL;
}

static void
look_into(struct search *s, const struct directory *at)
{
	char *profile = directory_profile(at->path, &s->nomem);
	DIR *d;

	if (profile && is_file(profile))
		add_found(s, at->path, profile);
	free(profile);
	d = at->level < TS_FIND_LEVELS ? opendir(at->path) : NULL;
	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d)) && !ts_cancelled(s->cancel);) {
		if (e->d_name[0] == '.')
			continue;
		if (++s->entries > TS_FIND_ENTRIES) {
			s->list->cut = true;
			break;
		}
		if (e->d_type == DT_DIR || e->d_type == DT_LNK || e->d_type == DT_UNKNOWN)
			enqueue(s, join(at->path, e->d_name), at->level + 1);
	}
	closedir(d);
}

static int
newest_first(const void *a, const void *b)
{
	const struct ts_found *x = a, *y = b;

	if (x->mtime != y->mtime)
		return x->mtime < y->mtime ? 1 : -1;
	return strcmp(x->path, y->path);
}

enum ts_code
ts_find_reports(struct ts_found_list *list, const char *dir, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct search s = {.list = list, .cancel = cancel};

	*list = (struct ts_found_list){0};
	s.queue = ts_alloc(DIRS_MAX, sizeof(*s.queue));
	if (!s.queue)
		return ts_err_nomem(err);
	enqueue(&s, ts_strdup(dir), 0);
	for (; s.head < s.tail && !s.nomem && !ts_cancelled(cancel); s.head++) {
		struct directory at = s.queue[s.head];

		look_into(&s, &at);
	}
	for (int i = 0; i < s.tail; i++)
		free(s.queue[i].path);
	free(s.queue);
	qsort(list->item, (size_t)list->count, sizeof(list->item[0]), newest_first);
	if (s.nomem) {
		ts_found_list_fini(list);
		return ts_err_nomem(err);
	}
	if (ts_cancelled(cancel)) {
		ts_found_list_fini(list);
		return ts_err_set(err, TS_E_CANCELLED, "cancelled");
	}
	return TS_OK;
}

void
ts_found_list_fini(struct ts_found_list *list)
{
	for (int i = 0; i < list->count; i++)
		free(list->item[i].path);
	list->count = 0;
}
