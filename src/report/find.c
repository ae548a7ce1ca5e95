/* SPDX-License-Identifier: MIT */
/* find - see the header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/io/files_listed.h"
#include "tilescope/io/uri.h"
#include "tilescope/report/find.h"

#include "report_internal.h"

enum {
	PATH_LIMIT = 1 << 14,
	DIRS_MAX = 4096,
};

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
is_file(struct ts_files *files, const char *path)
{
	struct ts_file_state state;

	ts_files_state(files, &state, path);
	return state.kind == TS_FILE_REGULAR;
}

/*
 * Where it is looked, and what has ended that: no memory, cancelled, the host lost. From then on nothing is found.
 */
struct place {
	struct ts_files *files;
	const struct ts_cancel *cancel;
	struct ts_err end;
};

/* An error that is none of the file's own ends it all. */
static void
take_end(struct place *at, enum ts_code code, const struct ts_err *why)
{
	if (ts_ends_all(code) && !at->end.code)
		at->end = *why;
}

static char *
keep_text(struct place *at, char *text)
{
	if (!text && !at->end.code)
		ts_err_nomem(&at->end);
	return text;
}

/* dir/name when it is there (a file, or anything else of that name): the caller's. */
static char *
present(struct place *at, const char *dir, const char *name)
{
	struct ts_file_state state = {0};
	struct ts_err why = {0};
	char *path = at->end.code ? NULL : keep_text(at, join(dir, name));

	if (path) /* its kind says enough */
		take_end(at, ts_files_look(at->files, &state, path, at->cancel, &why), &why);
	if (state.kind != TS_FILE_NONE)
		return path;
	free(path);
	return NULL;
}

struct first_entry {
	bool (*want)(const char *name);
	char *best;
	bool nomem;
};

static bool
take_first(void *ctx, const char *name, const struct ts_file_state *state)
{
	struct first_entry *f = ctx;

	(void)state;
	if (!f->want(name) || (f->best && strcmp(name, f->best) >= 0))
		return true;
	free(f->best);
	f->best = ts_strdup(name);
	f->nomem = !f->best;
	return !f->nomem;
}

/* The name of the first entry of `dir` that `want` accepts; the caller's. */
static char *
first_entry(struct place *at, const char *dir, bool (*want)(const char *name))
{
	struct first_entry f = {.want = want};
	struct ts_err why = {0};

	if (!at->end.code) /* what cannot be listed has no such entry */
		take_end(at, ts_files_list(at->files, dir, take_first, &f, at->cancel, &why), &why);
	if (f.nomem)
		keep_text(at, NULL);
	return f.best;
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
is_sqlite(struct ts_files *files, const char *path)
{
	struct ts_source *source;
	char magic[16];
	size_t got;
	bool yes;

	if (ts_files_open(files, &source, path, NULL, NULL))
		return false;
	yes = !ts_source_read(source, magic, sizeof(magic), 0, &got, NULL, NULL) &&
		got == sizeof(magic) && memcmp(magic, "SQLite format 3", sizeof(magic)) == 0;
	ts_source_close(source);
	return yes;
}

/* The best of the profiles under temporary names: the newest that begins as a database, or NULL; one that is not. */
struct temporary {
	struct place *at;
	const char *dir;
	char *path, *stray;
	int64_t mtime, mtime_ns;
};

static bool
take_temporary(void *ctx, const char *name, const struct ts_file_state *listed)
{
	struct temporary *t = ctx;
	struct ts_file_state state;
	char *path = ts_is_temporary_profile(name) ? keep_text(t->at, join(t->dir, name)) : NULL;

	(void)listed;
	if (!path)
		return !t->at->end.code;
	ts_files_state(t->at->files, &state, path);
	if (state.kind == TS_FILE_REGULAR && state.bytes > 0 &&
		(t->at->files || is_sqlite(NULL, path)) &&
		(!t->path || state.mtime > t->mtime ||
			(state.mtime == t->mtime && state.mtime_ns > t->mtime_ns))) {
		free(t->path);
		t->path = path;
		t->mtime = state.mtime;
		t->mtime_ns = state.mtime_ns;
	} else if (!t->stray || strcmp(path, t->stray) < 0) {
		free(t->stray);
		t->stray = path;
	} else {
		free(path);
	}
	return true;
}

/* *stray: one that is no database (yet), the caller's. */
static char *
temporary_profile(char **stray, struct place *at, const char *dir)
{
	struct temporary t = {.at = at, .dir = dir};
	struct ts_err why = {0};

	if (!at->end.code)
		take_end(at, ts_files_list(at->files, dir, take_temporary, &t, at->cancel, &why),
			&why);
	*stray = t.stray;
	return t.path;
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

/* As its database is called. */
static const char *const directory_names[] = {"profile.pop", "report.tilescope"};

/*
 * The database of a directory, else its archive, or NULL. *stray, the caller's, or NULL: a temporary profile that is none
 * yet, or never became one; without `stray` it is taken for one, by its name, as in a listing.
 */
static char *
directory_profile(char **stray, struct place *at, const char *dir)
{
	char *path = NULL, *name, *empty = NULL;

	for (size_t i = 0; i < TS_COUNT(directory_names) && !path; i++)
		path = present(at, dir, directory_names[i]);
	name = path ? NULL : first_entry(at, dir, is_store);
	if (name)
		path = keep_text(at, join(dir, name));
	free(name);
	if (!path && stray) {
		path = temporary_profile(&empty, at, dir);
	} else if (!path) {
		name = first_entry(at, dir, ts_is_temporary_profile);
		path = name ? keep_text(at, join(dir, name)) : NULL;
		free(name);
	}
	if (!path)
		path = present(at, dir, "archive.a");
	if (stray && !path && !at->end.code)
		*stray = empty;
	else
		free(empty);
	if (at->end.code) { /* what was passed over may come before it */
		free(path);
		path = NULL;
	}
	return path;
}

/* Parts that are there and tell of a profile that is not: what is missing, and their names; or "". */
static void
parts_alone(struct ts_strbuf *out, struct place *at, const char *dir)
{
	int n = 0;

	for (size_t i = 0; i < TS_COUNT(other_parts); i++) {
		char *path = is_unreadable(other_parts[i]) ? NULL
							   : present(at, dir, other_parts[i]);

		if (path)
			ts_strbuf_printf(out, "%s%s",
				n++ ? " and "
				    : ": profile.pop and archive.a are missing, there is only ",
				other_parts[i]);
		free(path);
	}
}

static bool
no_more(void *ctx, const char *name, const struct ts_file_state *state)
{
	(void)ctx;
	(void)name;
	(void)state;
	return false;
}

static enum ts_code
nothing_in(struct place *at, const char *dir, struct ts_err *err)
{
	struct ts_strbuf alone;
	char *dropped = first_entry(at, dir, is_dropped);
	char *unreadable = first_entry(at, dir, is_unreadable);
	enum ts_code code = ts_files_list(at->files, dir, no_more, NULL, at->cancel, err);

	ts_strbuf_init(&alone, 400);
	parts_alone(&alone, at, dir);
	if (alone.nomem)
		keep_text(at, NULL);
	if (at->end.code) {
		code = at->end.code;
		if (err)
			*err = at->end;
	} else if (code) {
		; /* it cannot be listed */
	} else if (dropped) {
		code = ts_err_set(err, TS_E_FORMAT,
			"holds only %s: %s (record the report again with a newer SDK)", dropped,
			ts_other_file(dropped)->what);
	} else if (unreadable) {
		code = ts_err_set(err, TS_E_FORMAT, "no profile.pop, only %s: %s", unreadable,
			ts_other_file(unreadable)->what);
	} else {
		code = ts_err_set(err, TS_E_NOT_FOUND,
			"no graph profile found%s (record one with POPLAR_ENGINE_OPTIONS="
			"'{\"autoReport.all\":\"true\"}')",
			alone.s);
	}
	ts_strbuf_fini(&alone);
	free(unreadable);
	free(dropped);
	return code;
}

/* The database of a directory: *file is the caller's. */
static enum ts_code
find_in(char **file, struct place *at, const char *dir, struct ts_err *err)
{
	char *stray = NULL, *below = NULL;
	enum ts_code code;

	*file = directory_profile(&stray, at, dir);
	if (*file)
		return TS_OK;
	/* what is being written, unless there are reports below, which it would hide */
	code = stray ? ts_find_latest(&below, at->files, dir, at->cancel, NULL) : TS_OK;
	if (stray && ts_ends_all(code))
		code = ts_err_set(err, code, "looking for reports below");
	else if (stray && (!below || strcmp(below, dir) == 0))
		*file = stray;
	else
		code = nothing_in(at, dir, err);
	if (*file)
		code = TS_OK;
	else
		free(stray);
	free(below);
	return code;
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
file_profile(char **file, struct place *at, const char *path, struct ts_err *err)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

	if (is_dropped(name))
		return ts_err_set(err, TS_E_FORMAT, "%s (record the report again with a newer SDK)",
			ts_other_file(name)->what);
	if (one_of(name, other_parts, TS_COUNT(other_parts))) {
		char *dir = directory_of(path);
		enum ts_code code = dir ? find_in(file, at, dir, err) : ts_err_nomem(err);

		free(dir);
		return code;
	}
	*file = ts_strdup(path);
	return *file ? TS_OK : ts_err_nomem(err);
}

enum ts_code
ts_find_profile(char **file, struct ts_files *files, const char *path,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct place at = {.files = files, .cancel = cancel};
	struct ts_file_state state;
	enum ts_code code;

	*file = NULL;
	if (!*path)
		return ts_err_set(err, TS_E_NOT_FOUND, "the path is empty");
	if (strlen(path) > PATH_LIMIT / 2)
		return ts_err_set(err, TS_E_NOT_FOUND, "path too long");
	code = ts_files_look(files, &state, path, cancel, err);
	if (code)
		return code;
	if (state.kind == TS_FILE_DANGLING)
		return ts_err_set(err, TS_E_NOT_FOUND, "a symbolic link that leads nowhere");
	if (state.kind == TS_FILE_NONE && !files && ts_uri_may_be_host(path))
		return ts_err_set(err, TS_E_NOT_FOUND,
			"no such file or directory (a host is written with a colon: %.250s:)",
			path);
	if (state.kind == TS_FILE_NONE)
		return ts_err_set(err, TS_E_NOT_FOUND, "no such file or directory");
	if (state.kind != TS_FILE_DIRECTORY)
		return file_profile(file, &at, path, err);
	return find_in(file, &at, path, err);
}

enum ts_code
ts_find_ahead(struct ts_files *listed, const char *path, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	char *name[TS_COUNT(directory_names)] = {NULL};
	const char *all[TS_COUNT(name) + 1] = {path};
	enum ts_code code = TS_OK;

	if (!listed || !*path || strlen(path) > PATH_LIMIT / 2)
		return TS_OK;
	for (size_t i = 0; i < TS_COUNT(name) && !code; i++) {
		all[i + 1] = name[i] = join(path, directory_names[i]);
		code = name[i] ? TS_OK : ts_err_nomem(err);
	}
	if (!code)
		code = ts_files_listed_ahead(listed, all, TS_COUNT(all), cancel, err);
	for (size_t i = 0; i < TS_COUNT(name); i++)
		free(name[i]);
	return code;
}

/* --- looking below a directory ---------------------------------------------------------------- */

struct directory {
	char *path;
	int level;
	uint64_t device, inode; /* 0: not known */
};

struct search {
	struct ts_found_list *list;
	struct place place;
	bool all; /* files under names of their own, too */
	struct ts_progress *progress;
	struct directory *queue; /* breadth first: DIRS_MAX of them */
	int head, tail;
	int entries;
};

/* `path` is given up. */
static void
enqueue(struct search *s, char *path, int level)
{
	struct ts_file_state state = {0};

	if (!keep_text(&s->place, path))
		return;
	if (s->tail < DIRS_MAX)
		ts_files_state(NULL, &state, path);
	if (state.kind != TS_FILE_DIRECTORY) {
		s->list->cut |= s->tail == DIRS_MAX;
		free(path);
		return;
	}
	for (int i = 0; state.inode && i < s->tail; i++)
		if (s->queue[i].device == state.device && s->queue[i].inode == state.inode) {
			free(path);
			return;
		}
	s->queue[s->tail++] = (struct directory){path, level, state.device, state.inode};
}

/* The last name of a path. */
static const char *
name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static unsigned
parts_of(struct place *at, const char *dir, const char *profile)
{
	static const struct {
		const char *name;
		unsigned part;
	} parts[] = {{"archive.a", TS_FOUND_ARCHIVE}, {"debug.cbor", TS_FOUND_DEBUG},
		{"../debug.cbor", TS_FOUND_DEBUG}, {"framework.json", TS_FOUND_FRAMEWORK},
		{"app.json", TS_FOUND_APP}, {"vars.json", TS_FOUND_VARS}};
	unsigned found = 0;

	for (size_t i = 0; i < TS_COUNT(parts); i++) {
		char *path = keep_text(at, join(dir, parts[i].name));

		if (path && is_file(at->files, path))
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
	struct ts_file_state state;

	ts_files_state(s->place.files, &state, profile);
	if (state.kind != TS_FILE_REGULAR || !(f = next_found(s)))
		return;
	f->path = ts_strdup(path);
	f->bytes = state.bytes;
	f->mtime = state.mtime;
	f->mtime_ns = state.mtime_ns;
	f->parts = parts;
	f->half_written = ts_is_temporary_profile(name_of(profile));
	f->stray = f->half_written &&
		(f->bytes == 0 || (!s->place.files && !is_sqlite(NULL, profile)));
	s->list->count += keep_text(&s->place, f->path) != NULL;
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
	path = keep_text(&s->place, join(dir, name));
	if (path && is_sqlite(s->place.files, path))
		add_found(s, path, path, is_store(name) ? TS_FOUND_STORE : TS_FOUND_PROFILE);
	free(path);
}

/* A directory that is being looked into. */
struct entered {
	struct search *search;
	const struct directory *at;
	const char *profile; /* or NULL */
};

static bool
look_at_entry(void *ctx, const char *name, const struct ts_file_state *state)
{
	const struct entered *in = ctx;
	struct search *s = in->search;

	if (name[0] == '.')
		return true;
	if (++s->entries > TS_FIND_ENTRIES) {
		s->list->cut = true;
		return false;
	}
	ts_progress_set(s->progress, s->entries, 0);
	if (s->all && state->kind != TS_FILE_DIRECTORY)
		look_at_file(s, in->at->path, name, in->profile);
	if (state->kind == TS_FILE_DIRECTORY || state->kind == TS_FILE_UNKNOWN)
		enqueue(s, join(in->at->path, name), in->at->level + 1);
	return !s->place.end.code;
}

static void
look_into(struct search *s, const struct directory *at)
{
	struct place *place = &s->place;
	struct entered in = {.search = s, .at = at};
	struct ts_err why = {0};
	char *profile;

	in.profile = profile = directory_profile(NULL, place, at->path);
	if (profile && is_file(place->files, profile))
		add_found(s, at->path, profile, parts_of(place, at->path, name_of(profile)));
	if (at->level < TS_FIND_LEVELS && !place->end.code)
		take_end(place,
			ts_files_list(NULL, at->path, look_at_entry, &in, place->cancel, &why),
			&why);
	free(profile);
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
		s->list->count += keep_text(&s->place, f->path) != NULL;
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
	for (; s->head < s->tail && !s->place.end.code && !ts_cancelled(s->place.cancel);
		s->head++) {
		struct directory at = s->queue[s->head];

		look_into(s, &at);
	}
	if (s->all)
		add_directories(s);
	for (int i = 0; i < s->tail; i++)
		free(s->queue[i].path);
	free(s->queue);
	qsort(s->list->item, (size_t)s->list->count, sizeof(s->list->item[0]), newest_first);
	if (!s->place.end.code && ts_cancelled(s->place.cancel))
		ts_err_set(&s->place.end, TS_E_CANCELLED, "cancelled");
	if (!s->place.end.code)
		return TS_OK;
	ts_found_list_fini(s->list);
	if (err)
		*err = s->place.end;
	return s->place.end.code;
}

enum ts_code
ts_find_reports(struct ts_found_list *list, struct ts_files *files, const char *dir,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct search s = {.list = list, .place = {.cancel = cancel}};
	enum ts_code code;

	if (!files)
		return find_below(&s, dir, err);
	code = ts_find_far(list, files, dir, cancel, err);
	qsort(list->item, (size_t)list->count, sizeof(list->item[0]), newest_first);
	return code;
}

enum ts_code
ts_find_openable(struct ts_found_list *list, const char *dir, struct ts_progress *progress,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct search s = {.list = list,
		.place = {.cancel = cancel},
		.progress = progress,
		.all = true};

	return find_below(&s, dir, err);
}

enum ts_code
ts_find_latest(char **path, struct ts_files *files, const char *dir, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct ts_found_list *list = ts_alloc(1, sizeof(*list));
	enum ts_code code = list ? ts_find_reports(list, files, dir, cancel, err)
				 : ts_err_nomem(err);

	int first = 0;

	*path = NULL;
	/* what a program that died has left hides none */
	while (!code && first < list->count && list->item[first].stray)
		first++;
	first = !code && first < list->count ? first : 0;
	if (!code && list->count == 0)
		code = ts_err_set(err, TS_E_NOT_FOUND, "no report in this directory or below it");
	if (!code) {
		*path = list->item[first].path; /* it is the caller's now */
		list->item[first].path = NULL;
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
