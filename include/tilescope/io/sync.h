/* SPDX-License-Identifier: MIT */
/* sync - bytes of a file that are on the disk before somebody relies on them. */
#ifndef TS_IO_SYNC_H
#define TS_IO_SYNC_H

#include "tilescope/base/cancel.h"
#include "tilescope/base/err.h"

/*
 * As fsync(), but in pieces, with a look at the token between them: all of a large file may take many
 * seconds. Errors: TS_E_CANCELLED, TS_E_SYS.
 */
enum ts_code ts_sync(int fd, const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

#endif
