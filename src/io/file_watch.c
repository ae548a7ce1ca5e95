/* SPDX-License-Identifier: MIT */
/*
 * file_watch - see the header.
 *
 * A path is walked from the root as the kernel does it. Each directory on the way is watched for the name
 * that comes next (a name that is not there yet is heard of when it is made), each file for being written.
 * A directory's events are compared with the names that matter in it: others in it, the many of /tmp for
 * instance, are read and forgotten.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/io/file_watch.h"
#include "tilescope/io/network.h"

enum {
	MARKS = 512, /* names in directories, at most */
	LINKS = 40,  /* symbolic links of one path, as the kernel's own limit */
	PATH_LIMIT = 1 << 14,
	EVENTS = 1 << 14, /* bytes read at a time */
	ENTRY = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF |
		IN_MOVE_SELF | IN_ONLYDIR | IN_MASK_ADD,
	CONTENT = IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF |
		IN_MASK_ADD,
};

/* A name in a watched directory; "" = the watched file itself. */
struct mark {
	int wd;
	char *name;
};

struct ts_file_watch {
	int fd;
	bool polls;
	int count;
	struct mark mark[MARKS];
};

/* --- what is watched -------------------------------------------------------------------------- */

static bool
is_marked(const struct ts_file_watch *w, int wd, const char *name)
{
	for (int i = 0; i < w->count; i++)
		if (w->mark[i].wd == wd && strcmp(w->mark[i].name, name) == 0)
			return true;
	return false;
}

/* Watch a directory for a name, or a file (name ""). What cannot be had is looked at now and then. */
static void
mark(struct ts_file_watch *w, const char *path, const char *name, uint32_t mask)
{
	int wd = inotify_add_watch(w->fd, path, mask);
	char *copy;

	if (wd < 0) {
		w->polls |= errno != ENOENT && errno != ENOTDIR;
		return;
	}
	if (is_marked(w, wd, name))
		return;
	copy = w->count < MARKS ? ts_strdup(name) : NULL;
	w->polls |= !copy;
	if (copy)
		w->mark[w->count++] = (struct mark){wd, copy};
}

/* The way to a file: `at` is a directory without links, "" = the root; `rest` is what is still to go. */
struct way {
	struct ts_strbuf at;
	char *rest;
	int links;
};

static void
go_up(struct ts_strbuf *at)
{
	while (at->len > 0 && at->s[at->len - 1] != '/')
		at->len--;
	at->len -= at->len > 0;
	if (at->cap > 0)
		at->s[at->len] = '\0';
}

/* What a link says stands before what is still to go. */
static bool
follow(struct way *y, const char *link, const char *rest)
{
	char target[PATH_MAX + 1];
	ssize_t n = readlink(link, target, PATH_MAX);
	struct ts_strbuf all;

	if (n <= 0 || ++y->links > LINKS)
		return false;
	ts_strbuf_init(&all, PATH_LIMIT);
	ts_strbuf_add(&all, target, (size_t)n);
	ts_strbuf_printf(&all, "/%s", rest);
	if (target[0] == '/')
		ts_strbuf_reset(&y->at);
	else
		go_up(&y->at);
	free(y->rest);
	y->rest = all.cut ? NULL : ts_strbuf_take(&all);
	ts_strbuf_fini(&all);
	return y->rest != NULL;
}

/* One name further; false at the end of the way. */
static bool
step(struct ts_file_watch *w, struct way *y)
{
	char *name = y->rest + strspn(y->rest, "/"), *end = name + strcspn(name, "/");
	bool last = end[strspn(end, "/")] == '\0';
	struct stat st;
	char *rest, *one;
	bool on = false;

	if (!*name)
		return false;
	one = ts_strndup(name, (size_t)(end - name));
	rest = ts_strdup(end);
	if (!one || !rest)
		w->polls = true;
	else if (strcmp(one, ".") == 0)
		on = true;
	else if (strcmp(one, "..") == 0)
		on = (go_up(&y->at), true);
	else {
		mark(w, y->at.len ? y->at.s : "/", one, ENTRY);
		ts_strbuf_printf(&y->at, "/%s", one);
		if (!y->at.cut && lstat(y->at.s, &st) == 0) {
			if (S_ISLNK(st.st_mode)) {
				on = follow(y, y->at.s, rest);
				free(one);
				free(rest);
				return on;
			}
			if (last && S_ISREG(st.st_mode))
				mark(w, y->at.s, "", CONTENT);
			on = S_ISDIR(st.st_mode);
		}
	}
	free(one);
	free(y->rest);
	y->rest = rest;
	return on && rest;
}

static bool
is_remote(const char *path)
{
	int fd = open(*path ? path : "/", O_PATH | O_CLOEXEC);
	bool remote = fd >= 0 && ts_network_file_system(fd);

	if (fd >= 0)
		close(fd);
	return remote;
}

static void
watch_path(struct ts_file_watch *w, const char *path)
{
	struct way y = {0};
	struct ts_strbuf whole;
	char *cwd = *path == '/' ? NULL : getcwd(NULL, 0);

	ts_strbuf_init(&whole, PATH_LIMIT);
	ts_strbuf_printf(&whole, "%s/%s", cwd ? cwd : "", path);
	w->polls |= whole.cut || (*path != '/' && !cwd);
	y.rest = ts_strbuf_take(&whole);
	free(cwd);
	ts_strbuf_init(&y.at, PATH_LIMIT);
	while (y.rest && step(w, &y))
		;
	w->polls |= is_remote(y.at.s);
	ts_strbuf_fini(&y.at);
	free(y.rest);
}

struct ts_file_watch *
ts_file_watch_new(const char *const *paths, int count)
{
	struct ts_file_watch *w = ts_alloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	w->polls = w->fd < 0;
	for (int i = 0; i < count && w->fd >= 0; i++)
		if (paths[i])
			watch_path(w, paths[i]);
	return w;
}

void
ts_file_watch_free(struct ts_file_watch *w)
{
	if (!w)
		return;
	for (int i = 0; i < w->count; i++)
		free(w->mark[i].name);
	if (w->fd >= 0)
		close(w->fd);
	free(w);
}

/* --- what happens ----------------------------------------------------------------------------- */

int
ts_file_watch_fd(const struct ts_file_watch *w)
{
	return w ? w->fd : -1;
}

bool
ts_file_watch_polls(const struct ts_file_watch *w)
{
	return !w || w->polls;
}

/* A directory that is itself moved or removed is heard of through the one that holds it, too. */
static bool
matters(const struct ts_file_watch *w, const struct inotify_event *e)
{
	if (e->mask & (IN_Q_OVERFLOW | IN_UNMOUNT | IN_DELETE_SELF | IN_MOVE_SELF))
		return true;
	return !(e->mask & IN_IGNORED) && is_marked(w, e->wd, e->len > 0 ? e->name : "");
}

bool
ts_file_watch_take(struct ts_file_watch *w)
{
	_Alignas(struct inotify_event) char buffer[EVENTS];
	bool any = false;
	ssize_t n;

	if (!w || w->fd < 0)
		return false;
	while ((n = read(w->fd, buffer, sizeof(buffer))) > 0)
		for (char *at = buffer; at < buffer + n;) {
			const struct inotify_event *e = (const struct inotify_event *)(void *)at;

			any |= matters(w, e);
			at += sizeof(*e) + e->len;
		}
	return any;
}
