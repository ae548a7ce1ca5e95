/* SPDX-License-Identifier: MIT */
/*
 * source_file - a local file by pread(); the kernel is its cache.
 *
 * Not mmap: its read-ahead makes a cold small read forty times slower, and a file that is
 * truncated while it is mapped kills the program.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/io/source.h"

struct source_file {
	struct ts_source base;
	int fd;
};

static enum ts_code
file_read_at(struct ts_source *s, void *buf, size_t n, int64_t offset, size_t *got,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	const struct source_file *f = (const struct source_file *)s;

	while (*got < n) {
		ssize_t r;

		if (ts_cancelled(cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		r = pread(f->fd, (char *)buf + *got, n - *got, offset + (int64_t)*got);
		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return ts_err_sys(err, errno, "read at offset %lld", (long long)offset);
		if (r == 0)
			break;
		*got += (size_t)r;
	}
	return TS_OK;
}

static void
file_close(struct ts_source *s)
{
	close(((struct source_file *)s)->fd);
	free(s);
}

static int
file_fd(struct ts_source *s)
{
	return ((struct source_file *)s)->fd;
}

static const struct ts_source_ops file_ops = {.read_at = file_read_at,
	.close = file_close,
	.fd = file_fd};

/* Why a file that is not a regular one cannot be opened. */
static enum ts_code
not_regular(const struct stat *st, struct ts_err *err)
{
	return ts_err_set(err, TS_E_FORMAT, "%s",
		S_ISDIR(st->st_mode) ? "is a directory" : "not a regular file");
}

enum ts_code
ts_source_open_file(struct ts_source **s, const char *path, struct ts_err *err)
{
	struct source_file *f;
	struct stat st;
	int fd;

	*s = NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return ts_err_set(err, TS_E_NOT_FOUND, "no such file");
	if (fd < 0)
		return ts_err_sys(err, errno, "cannot open");
	if (fstat(fd, &st) < 0) {
		int why = errno;

		close(fd);
		return ts_err_sys(err, why, "cannot open");
	}
	if (!S_ISREG(st.st_mode)) {
		close(fd);
		return not_regular(&st, err);
	}
	f = ts_alloc(1, sizeof(*f));
	if (!f) {
		close(fd);
		return ts_err_nomem(err);
	}
	f->base.ops = &file_ops;
	f->base.size = st.st_size;
	f->base.mtime = st.st_mtim.tv_sec;
	f->base.mtime_ns = st.st_mtim.tv_nsec;
	f->base.device = st.st_dev;
	f->base.inode = st.st_ino;
	f->fd = fd;
	*s = &f->base;
	return TS_OK;
}
