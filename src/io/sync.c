/* SPDX-License-Identifier: MIT */
/* sync - see the header. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tilescope/io/sync.h"

enum { PIECE = 8 << 20 };

/* What could not be written is told once for each descriptor: fsync() would not hear of it again. */
static bool
is_lost(int why)
{
	return why == EIO || why == ENOSPC || why == EDQUOT;
}

/* A file system that cannot do it in pieces is left to fsync(), which comes last in every case. */
enum ts_code
ts_sync(int fd, const struct ts_cancel *cancel, struct ts_err *err)
{
	const unsigned how = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
		SYNC_FILE_RANGE_WAIT_AFTER;
	struct stat st;
	bool pieces = fstat(fd, &st) == 0;

	for (off_t at = 0; pieces && at < st.st_size; at += PIECE) {
		if (ts_cancelled(cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		pieces = sync_file_range(fd, at, PIECE, how) == 0;
		if (!pieces && is_lost(errno))
			return ts_err_sys(err, errno, "cannot be written");
	}
	if (ts_cancelled(cancel))
		return ts_err_set(err, TS_E_CANCELLED, "cancelled");
	return fsync(fd) < 0 ? ts_err_sys(err, errno, "cannot be written") : TS_OK;
}
