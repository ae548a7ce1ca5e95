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

struct listed {
	struct ts_files base;
	struct ts_files *inner;
	struct directory directory[TS_LISTED_DIRECTORIES];
	int count;
};

static struct listed *
self(struct ts_files *f)
{
	return (struct listed *)(void *)f;
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
	enum ts_code code = d && !again ? list_directory(l, d, cancel, err) : TS_OK;

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
	return ts_files_open(self(f)->inner, s, path, cancel, err);
}

static char *
listed_real(struct ts_files *f, const char *path)
{
	return ts_files_real(self(f)->inner, path);
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
	ts_files_release(l->inner);
	free(l);
}

static const struct ts_files_ops listed_ops = {.look = listed_look,
	.list = listed_list,
	.open = listed_open,
	.real = listed_real,
	.release = listed_release};

enum ts_code
ts_files_listed_new(struct ts_files **out, struct ts_files *inner, struct ts_err *err)
{
	struct listed *l;

	*out = NULL;
	if (!inner)
		return TS_OK;
	l = ts_alloc(1, sizeof(*l));
	if (!l)
		return ts_err_nomem(err);
	l->inner = ts_files_hold(inner);
	l->base.ops = &listed_ops;
	l->base.host = inner->host;
	l->base.thorough = inner->thorough;
	atomic_init(&l->base.uses, 1);
	*out = &l->base;
	return TS_OK;
}
