/* SPDX-License-Identifier: MIT */
/* output - see the header. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tilescope/app/output.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/index.h"

enum { PATH_LIMIT = 1 << 14 };

static int
write_all(int fd, const char *s, size_t n)
{
	while (n > 0) {
		ssize_t w = write(fd, s, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return errno;
		s += w;
		n -= (size_t)w;
	}
	return 0;
}

/* A device or a pipe cannot be replaced: written to as it is. */
static bool
is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* A file gets a temporary name until it is complete, so that nobody ever sees half of it. */
static int
open_file(struct ts_output *o)
{
	struct ts_strbuf name;

	if (is_special(o->path)) {
		o->fd = open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		return o->fd < 0 ? errno : 0;
	}
	ts_strbuf_init(&name, PATH_LIMIT);
	ts_strbuf_printf(&name, "%s.%ld.tmp", o->path, (long)getpid());
	o->temporary = name.cut ? NULL : ts_strbuf_take(&name);
	ts_strbuf_fini(&name);
	if (!o->temporary)
		return ENAMETOOLONG;
	o->fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (o->fd < 0) {
		int why = errno;

		free(o->temporary);
		o->temporary = NULL;
		return why;
	}
	return 0;
}

enum ts_code
ts_output_open(struct ts_output *o, const char *path, struct ts_err *err)
{
	*o = (struct ts_output){.path = path, .fd = STDOUT_FILENO};
	o->why = path ? open_file(o) : 0;
	return o->why ? ts_err_sys(err, o->why, "%s: cannot write", path) : TS_OK;
}

bool
ts_output_add(struct ts_output *o, const char *s, size_t n)
{
	if (!o->why)
		o->why = write_all(o->fd, s, n);
	return !o->why;
}

static void
close_file(struct ts_output *o, bool keep)
{
	if (o->fd < 0)
		return;
	if (keep && o->temporary && fsync(o->fd) < 0 && !o->why && errno != EINVAL)
		o->why = errno;
	if (close(o->fd) < 0 && !o->why)
		o->why = errno;
	if (o->temporary && keep && !o->why && rename(o->temporary, o->path) < 0)
		o->why = errno;
	if (o->temporary && (!keep || o->why))
		unlink(o->temporary);
	free(o->temporary);
	o->temporary = NULL;
}

enum ts_code
ts_output_close(struct ts_output *o, bool keep, struct ts_err *err)
{
	if (o->path)
		close_file(o, keep);
	if (o->why && o->path)
		return ts_err_sys(err, o->why, "%s: cannot write", o->path);
	if (o->why && o->why != EPIPE)
		return ts_err_sys(err, o->why, "standard output");
	return TS_OK;
}

enum ts_code
ts_output_write(const char *path, const struct ts_strbuf *text, struct ts_err *err)
{
	struct ts_output o;
	enum ts_code code;

	if (text->cut)
		return ts_err_nomem(err);
	code = ts_output_open(&o, path, err);
	if (code)
		return code;
	ts_output_add(&o, text->s, text->len);
	return ts_output_close(&o, true, err);
}

static char *
below(const char *dir, const char *middle, const char *name)
{
	struct ts_strbuf b;

	ts_strbuf_init(&b, PATH_LIMIT);
	ts_strbuf_printf(&b, "%s%s/tilescope%s%s", dir, middle, *name ? "/" : "", name);
	return ts_strbuf_take(&b);
}

/* An XDG directory: absolute, as its specification demands, else below the home directory. */
static char *
xdg(const char *variable, const char *fallback, const char *name)
{
	const char *dir = getenv(variable), *home = getenv("HOME");

	if (dir && dir[0] == '/')
		return below(dir, "", name);
	return home && home[0] == '/' ? below(home, fallback, name) : NULL;
}

char *
ts_cache_dir(const char *option)
{
	return ts_cache_where(option);
}

char *
ts_config_path(const char *name)
{
	return xdg("XDG_CONFIG_HOME", "/.config", name);
}

char *
ts_state_path(const char *name)
{
	return xdg("XDG_STATE_HOME", "/.local/state", name);
}

enum ts_code
ts_make_dirs(const char *path, struct ts_err *err)
{
	char *copy = ts_strdup(path);
	enum ts_code code = TS_OK;

	if (!copy)
		return ts_err_nomem(err);
	for (char *p = copy + 1; !code; p++) {
		char kept = *p;

		if (kept != '/' && kept != '\0')
			continue;
		*p = '\0';
		if (mkdir(copy, 0700) < 0 && errno != EEXIST)
			code = ts_err_sys(err, errno, "%s: cannot make the directory", copy);
		*p = kept;
		if (!kept)
			break;
	}
	free(copy);
	return code;
}
