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

/* Write to a temporary name and rename, so that nobody ever sees half of it. */
static enum ts_code
write_file(const char *path, const struct ts_strbuf *text, struct ts_err *err)
{
	struct ts_strbuf name;
	int fd, why;

	ts_strbuf_init(&name, PATH_LIMIT);
	ts_strbuf_printf(&name, "%s.%ld.tmp", path, (long)getpid());
	fd = name.cut ? -1
		      : open(name.s, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (fd < 0) {
		why = name.cut ? ENAMETOOLONG : errno;
		ts_strbuf_fini(&name);
		return ts_err_sys(err, why, "%s: cannot write", path);
	}
	why = write_all(fd, text->s, text->len);
	if (fsync(fd) < 0 && !why && errno != EINVAL)
		why = errno;
	if (close(fd) < 0 && !why)
		why = errno;
	if (!why && rename(name.s, path) < 0)
		why = errno;
	if (why)
		unlink(name.s);
	ts_strbuf_fini(&name);
	return why ? ts_err_sys(err, why, "%s: cannot write", path) : TS_OK;
}

/* A device or a pipe cannot be replaced: written to as it is. */
static bool
is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static enum ts_code
write_special(const char *path, const struct ts_strbuf *text, struct ts_err *err)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	int why = fd < 0 ? errno : write_all(fd, text->s, text->len);

	if (fd >= 0 && close(fd) < 0 && !why)
		why = errno;
	return why ? ts_err_sys(err, why, "%s: cannot write", path) : TS_OK;
}

enum ts_code
ts_output_write(const char *path, const struct ts_strbuf *text, struct ts_err *err)
{
	int why;

	if (text->cut)
		return ts_err_nomem(err);
	if (path && is_special(path))
		return write_special(path, text, err);
	if (path)
		return write_file(path, text, err);
	why = write_all(STDOUT_FILENO, text->s, text->len);
	if (why && why != EPIPE)
		return ts_err_sys(err, why, "standard output");
	return TS_OK;
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
