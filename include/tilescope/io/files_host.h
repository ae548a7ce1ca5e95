/* SPDX-License-Identifier: MIT */
/* files_host - the file system of another host, as a report sees it (io/files.h). */
#ifndef TS_IO_FILES_HOST_H
#define TS_IO_FILES_HOST_H

#include "tilescope/io/files.h"
#include "tilescope/io/host.h"

/*
 * Begins to connect; held once, for the caller. `name` is how the user calls the host; copied. When the last holder lets it
 * go, the host is left: sources that were opened there must have been closed. Errors: those of ts_host_new().
 */
enum ts_code ts_files_host_new(struct ts_files **out, const char *name,
	const struct ts_host_spec *spec, struct ts_err *err) TS_WARN_UNUSED;

/*
 * Keep blocks of files that are opened from now on in that directory (block_store.h), which is made when it is not there.
 * Before anything is opened. Errors: TS_E_NOMEM.
 */
enum ts_code ts_files_host_keep(struct ts_files *f, const char *dir,
	struct ts_err *err) TS_WARN_UNUSED;

/* The host behind it, for its state and questions; its own. `f` came from ts_files_host_new(). */
struct ts_host *ts_files_host(struct ts_files *f);

#endif
