/* SPDX-License-Identifier: MIT */
/* files_listed - see the header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/io/files_listed.h"

struct entry {
	char *name;
	struct ts_file_state state;
};

enum tried { NOT_TRIED, LISTED, NOT_LISTED };

struct directory {
	char *path, *first;	    /* the first name of it that was asked for ... */
	struct ts_file_state state; /* ... and what it is */
	enum tried tried;
	bool whole; /* what is not among the entries is not there */
	bool nomem;
	struct entry *entry; /* by name */
	size_t count, cap;
};

/* What was asked for before anybody did. */
struct seen {
	char *path, *real;
	struct ts_file_state state;
	bool looked; /* `state` is known */
};

struct listed {
	struct ts_files base;
	struct ts_files *inner;
	const struct ts_cancel *cancel;
	struct directory directory[TS_LISTED_DIRECTORIES];
	int count;
	struct seen seen[TS_LISTED_AHEAD];
	int seen_count;
};

static struct listed *
self(struct ts_files *f)
{
	return (struct listed *)(void *)f;
}

static const struct ts_cancel *
token(const struct listed *l, const struct ts_cancel *cancel)
{
	return cancel ? cancel : l->cancel;
}

/* --- directories ------------------------------------------------------------------------------ */

/* The directory of that path (n bytes) as it is written; NULL: it is not known. */
static struct directory *
find_directory(struct listed *l, const char *path, size_t n)
{
	for (int i = 0; i < l->count; i++)
		if (strncmp(l->directory[i].path, path, n) == 0 && !l->directory[i].path[n])
			return &l->directory[i];
	return NULL;
}

/* Remember it; without room, or memory, its names are asked for one after another. */
static struct directory *
add_directory(struct listed *l, const char *path, size_t n)
{
	struct directory *d = &l->directory[l->count];

	if (l->count == TS_LISTED_DIRECTORIES)
		return NULL;
	*d = (struct directory){.path = ts_strndup(path, n)};
	l->count += d->path != NULL;
	return d->path ? d : NULL;
}

static bool
take_entry(void *ctx, const char *name, const struct ts_file_state *state)
{
	struct directory *d = ctx;
	void *array = d->entry;
	char *copy;

	if (d->count == TS_LISTED_ENTRIES) {
		d->whole = false;
		return false;
	}
	copy = ts_strdup(name);
	if (!copy || !ts_room(&array, &d->cap, d->count, sizeof(*d->entry))) {
		free(copy);
		d->nomem = true;
		return false;
	}
	d->entry = array;
	d->entry[d->count++] = (struct entry){copy, *state};
	return true;
}

static int
by_name(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* List it, once. Only what ends everything is an error. */
static enum ts_code
list_directory(struct listed *l, struct directory *d, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct ts_err why = {0};
	enum ts_code code;

	if (d->tried != NOT_TRIED)
		return TS_OK;
	d->whole = true;
	code = ts_files_list(l->inner, d->path, take_entry, d, cancel, &why);
	d->tried = code || d->nomem ? NOT_LISTED : LISTED;
	if (d->nomem)
		return ts_err_nomem(err);
	if (ts_ends_all(code)) {
		if (err)
			*err = why;
		return code;
	}
	if (d->count > 0)
		qsort(d->entry, d->count, sizeof(*d->entry), by_name);
	return TS_OK;
}

/* --- what was asked for before ------------------------------------------------------------------ */

static const struct seen *
find_seen(const struct listed *l, const char *path)
{
	for (int i = 0; i < l->seen_count; i++)
		if (strcmp(l->seen[i].path, path) == 0)
			return &l->seen[i];
	return NULL;
}

/* The directory of a path as it is written, n bytes. */
static const char *
directory_of(size_t *n, const char *path)
{
	const char *slash = strrchr(path, '/');

	*n = !slash || slash == path ? 1 : (size_t)(slash - path);
	return slash ? path : ".";
}

/* Both answers of a path; `real` is given up. */
static void
add_seen(struct listed *l, const struct ts_files_asked *what, char *real)
{
	struct seen *s = &l->seen[l->seen_count];

	*s = (struct seen){.path = ts_strdup(what->path),
		.real = real,
		.state = what->state,
		.looked = !what->code};
	l->seen_count += s->path != NULL;
	if (!s->path)
		free(real);
}

enum ts_code
ts_files_listed_ahead(struct ts_files *f, const char *const *path, size_t n,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_files_asked asked[2 * TS_LISTED_AHEAD];
	struct listed *l = self(f);
	enum ts_code code;
	size_t in;

	if (n > (size_t)(TS_LISTED_AHEAD - l->seen_count))
		n = (size_t)(TS_LISTED_AHEAD - l->seen_count);
	for (size_t i = 0; i < 2 * n; i++)
		asked[i] = (struct ts_files_asked){.path = path[i / 2], .real = i % 2 == 1};
	code = ts_files_look_all(l->inner, asked, 2 * n, cancel, err);
	for (size_t i = 0; i < n; i++) {
		const char *dir = directory_of(&in, path[i]);

		if (code) {
			free(asked[2 * i + 1].text);
			continue;
		}
		add_seen(l, &asked[2 * i], asked[2 * i + 1].text);
		if (i > 0 &&
			!find_directory(l, dir, in)) /* the next name there is the second one */
			(void)add_directory(l, dir, in);
	}
	return code;
}

/* --- the file system -------------------------------------------------------------------------- */

static int
by_key(const void *key, const void *entry)
{
	return strcmp(key, ((const struct entry *)entry)->name);
}

/* Does the list say what that name is? Then it stands in *s. */
static bool
is_said(struct ts_file_state *s, const struct directory *d, const char *name)
{
	const struct entry *e = d->count > 0 ? bsearch(name, d->entry, d->count, sizeof(*e), by_key)
					     : NULL;

	if (!e)
		return d->whole;
	*s = e->state;
	return e->state.kind != TS_FILE_UNKNOWN &&
		(e->state.kind != TS_FILE_REGULAR || e->state.bytes >= 0);
}

static enum ts_code
listed_look(struct ts_files *f, struct ts_file_state *s, const char *path,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct listed *l = self(f);
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t n = slash == path ? 1 : slash ? (size_t)(slash - path) : 1;
	bool plain = *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
	struct directory *d = plain ? find_directory(l, slash ? path : ".", n) : NULL;
	bool again = d && d->first && strcmp(d->first, name) == 0;
	const struct seen *seen = find_seen(l, path);
	enum ts_code code;

	cancel = token(l, cancel);
	if (seen && seen->looked) {
		*s = seen->state;
		return TS_OK;
	}
	code = d && !again ? list_directory(l, d, cancel, err) : TS_OK;
	if (code)
		return code;
	if (again)
		*s = d->state;
	if (again || (d && d->tried == LISTED && is_said(s, d, name)))
		return TS_OK;
	code = ts_files_look(l->inner, s, path, cancel, err);
	if (plain && !d && !code && (d = add_directory(l, slash ? path : ".", n))) {
		d->first = ts_strdup(name);
		d->state = *s;
	}
	return code;
}

/* Who wants the list of a directory gets the one that answers for its names, too. */
static enum ts_code
listed_list(struct ts_files *f, const char *path, ts_files_entry_fn *entry, void *ctx,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct listed *l = self(f);
	size_t n = strlen(path);
	struct directory *d = find_directory(l, path, n);
	enum ts_code code;

	cancel = token(l, cancel);
	if (!d)
		d = add_directory(l, path, n);
	code = d ? list_directory(l, d, cancel, err) : TS_OK;
	if (code)
		return code;
	if (!d || d->tried != LISTED || !d->whole)
		return ts_files_list(l->inner, path, entry, ctx, cancel, err);
	for (size_t i = 0; i < d->count; i++)
		if (!entry(ctx, d->entry[i].name, &d->entry[i].state))
			break;
	return TS_OK;
}

static enum ts_code
listed_open(struct ts_files *f, struct ts_source **s, const char *path,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	const struct seen *seen = find_seen(self(f), path);

	cancel = token(self(f), cancel);
	if (seen && seen->looked && seen->state.kind == TS_FILE_REGULAR)
		return ts_files_open_regular(self(f)->inner, s, path, &seen->state, cancel, err);
	return ts_files_open(self(f)->inner, s, path, cancel, err);
}

static char *
listed_real(struct ts_files *f, const char *path)
{
	const struct seen *seen = find_seen(self(f), path);
	struct ts_files_asked asked = {.path = path, .real = true};

	if (seen && seen->real)
		return ts_strdup(seen->real);
	return ts_files_look_all(self(f)->inner, &asked, 1, self(f)->cancel, NULL) ? NULL
										   : asked.text;
}

static void
listed_release(struct ts_files *f)
{
	struct listed *l = self(f);

	for (int i = 0; i < l->count; i++) {
		for (size_t k = 0; k < l->directory[i].count; k++)
			free(l->directory[i].entry[k].name);
		free(l->directory[i].entry);
		free(l->directory[i].path);
		free(l->directory[i].first);
	}
	for (int i = 0; i < l->seen_count; i++) {
		free(l->seen[i].path);
		free(l->seen[i].real);
	}
	ts_files_release(l->inner);
	free(l);
}

static const struct ts_files_ops listed_ops = {.look = listed_look,
	.list = listed_list,
	.open = listed_open,
	.real = listed_real,
	.release = listed_release};

enum ts_code
ts_files_listed_new(struct ts_files **out, struct ts_files *inner, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct listed *l;

	*out = NULL;
	if (!inner)
		return TS_OK;
	l = ts_alloc(1, sizeof(*l));
	if (!l)
		return ts_err_nomem(err);
	l->inner = ts_files_hold(inner);
	l->cancel = cancel;
	l->base.ops = &listed_ops;
	l->base.host = inner->host;
	l->base.thorough = inner->thorough;
	atomic_init(&l->base.uses, 1);
	*out = &l->base;
	return TS_OK;
}
