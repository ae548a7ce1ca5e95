/* SPDX-License-Identifier: MIT */
/*
 * vfs - a read-only SQLite VFS over a source.
 *
 * Two things differ from what the operating system would say. A truncated database is given the
 * size that its header claims, for else SQLite refuses the whole file; a read behind the real end
 * fails with SQLITE_IOERR_CORRUPTFS, so the statement that needs that page ends and every other one
 * goes on. And a header that says "WAL mode" is shown as rollback mode (bytes 18 and 19), for SQLite
 * cannot open an immutable WAL database through a VFS without shared memory; what a -wal file
 * beside it would add is not read in either case, and the report says so.
 */
#include "config.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "tilescope/base/mem.h"
#include "tilescope/db/vfs.h"

enum { HEADER_SIZE = 100, AT_VERSIONS = 18 };

struct ts_vfs {
	sqlite3_vfs vfs;
	sqlite3_vfs *os; /* for temporary files, time and randomness */
	struct ts_source *source;
	struct ts_source_meter *meter;
	struct ts_sqlite_header header;
	const struct ts_cancel *cancel;
	struct ts_err err;
	_Atomic int64_t reads, bytes;
	char name[40];
};

struct vfs_file {
	sqlite3_file base;
	struct ts_vfs *v;
};

static int64_t
said_bytes(const struct ts_sqlite_header *h)
{
	return ts_max_i64(h->bytes, h->pages_said * h->page_size);
}

static int
file_close(sqlite3_file *f)
{
	(void)f;
	return SQLITE_OK;
}

/* SQLite asks for the versions in a header read and again in page 1. */
static void
hide_wal(unsigned char *buf, int n, sqlite3_int64 offset)
{
	for (int i = AT_VERSIONS; i < AT_VERSIONS + 2; i++)
		if (i >= offset && i < offset + n && buf[i - offset] == 2)
			buf[i - offset] = 1;
}

/* Only the connection's thread writes. */
static void
add(_Atomic int64_t *to, int64_t n)
{
	int64_t now = atomic_load_explicit(to, memory_order_relaxed);

	atomic_store_explicit(to, now + n, memory_order_relaxed);
}

static int
file_read(sqlite3_file *f, void *buf, int n, sqlite3_int64 offset)
{
	struct ts_vfs *v = ((struct vfs_file *)f)->v;
	size_t got;
	enum ts_code code;

	code = ts_source_read_counted(v->source, buf, (size_t)n, offset, &got, v->meter, v->cancel,
		&v->err);
	add(&v->reads, 1);
	add(&v->bytes, (int64_t)got);
	if (code == TS_E_CANCELLED)
		return SQLITE_INTERRUPT;
	if (code)
		return SQLITE_IOERR_READ;
	if (got < (size_t)n) {
		memset((char *)buf + got, 0, (size_t)n - got);
		/* zeros within the size that SQLite was told would be taken for data */
		if (offset + n > said_bytes(&v->header))
			return SQLITE_IOERR_SHORT_READ;
		ts_err_set(&v->err, TS_E_DAMAGED, "page %lld lies behind the end of the file",
			(long long)(offset / v->header.page_size + 1));
		return SQLITE_IOERR_CORRUPTFS;
	}
	if (offset < HEADER_SIZE)
		hide_wal(buf, n, offset);
	return SQLITE_OK;
}

static int
file_write(sqlite3_file *f, const void *buf, int n, sqlite3_int64 offset)
{
	(void)f;
	(void)buf;
	(void)n;
	(void)offset;
	return SQLITE_READONLY;
}

static int
file_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	(void)f;
	(void)size;
	return SQLITE_READONLY;
}

static int
file_sync(sqlite3_file *f, int flags)
{
	(void)f;
	(void)flags;
	return SQLITE_OK;
}

static int
file_size(sqlite3_file *f, sqlite3_int64 *size)
{
	*size = said_bytes(&((struct vfs_file *)f)->v->header);
	return SQLITE_OK;
}

static int
file_lock(sqlite3_file *f, int kind)
{
	(void)f;
	(void)kind;
	return SQLITE_OK;
}

static int
file_reserved(sqlite3_file *f, int *out)
{
	(void)f;
	*out = 0;
	return SQLITE_OK;
}

static int
file_control(sqlite3_file *f, int op, void *arg)
{
	(void)f;
	(void)op;
	(void)arg;
	return SQLITE_NOTFOUND;
}

static int
file_sector(sqlite3_file *f)
{
	(void)f;
	return 4096;
}

static int
file_characteristics(sqlite3_file *f)
{
	(void)f;
	return SQLITE_IOCAP_IMMUTABLE;
}

static const sqlite3_io_methods file_methods = {
	.iVersion = 1,
	.xClose = file_close,
	.xRead = file_read,
	.xWrite = file_write,
	.xTruncate = file_truncate,
	.xSync = file_sync,
	.xFileSize = file_size,
	.xLock = file_lock,
	.xUnlock = file_lock,
	.xCheckReservedLock = file_reserved,
	.xFileControl = file_control,
	.xSectorSize = file_sector,
	.xDeviceCharacteristics = file_characteristics,
};

static struct ts_vfs *
self(sqlite3_vfs *vfs)
{
	return vfs->pAppData;
}

static int
vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
	struct ts_vfs *v = self(vfs);
	struct vfs_file *f = (struct vfs_file *)file;

	file->pMethods = NULL;
	if (!(flags & SQLITE_OPEN_MAIN_DB)) {
		if (flags &
			(SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_TRANSIENT_DB |
				SQLITE_OPEN_SUBJOURNAL))
			return v->os->xOpen(v->os, name, file, flags, out_flags);
		return SQLITE_CANTOPEN;
	}
	if (flags & SQLITE_OPEN_READWRITE)
		return SQLITE_READONLY;
	f->v = v;
	f->base.pMethods = &file_methods;
	if (out_flags)
		*out_flags = flags;
	return SQLITE_OK;
}

static int
vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
	(void)vfs;
	(void)name;
	(void)sync;
	return SQLITE_READONLY;
}

static int
vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
	(void)vfs;
	(void)name;
	(void)flags;
	*out = 0;
	return SQLITE_OK;
}

static int
vfs_full_pathname(sqlite3_vfs *vfs, const char *name, int n, char *out)
{
	(void)vfs;
	sqlite3_snprintf(n, out, "%s", name);
	return SQLITE_OK;
}

static int
vfs_randomness(sqlite3_vfs *vfs, int n, char *out)
{
	return self(vfs)->os->xRandomness(self(vfs)->os, n, out);
}

static int
vfs_sleep(sqlite3_vfs *vfs, int us)
{
	return self(vfs)->os->xSleep(self(vfs)->os, us);
}

static int
vfs_current_time(sqlite3_vfs *vfs, double *out)
{
	return self(vfs)->os->xCurrentTime(self(vfs)->os, out);
}

static int
vfs_last_error(sqlite3_vfs *vfs, int n, char *out)
{
	(void)vfs;
	(void)n;
	(void)out;
	return 0;
}

static unsigned
be32(const unsigned char *p)
{
	return (unsigned)p[0] << 24 | (unsigned)p[1] << 16 | (unsigned)p[2] << 8 | p[3];
}

enum ts_code
ts_sqlite_header_read(struct ts_sqlite_header *h, struct ts_source *source, struct ts_err *err)
{
	unsigned char b[HEADER_SIZE];
	size_t got;
	enum ts_code code;

	*h = (struct ts_sqlite_header){.bytes = source->size};
	code = ts_source_read(source, b, sizeof(b), 0, &got, NULL, err);
	if (code)
		return code;
	if (got == 0)
		return ts_err_set(err, TS_E_FORMAT, "the file is empty");
	if (got < 16 || memcmp(b, "SQLite format 3", 16) != 0)
		return ts_err_set(err, TS_E_FORMAT, "not an SQLite database");
	if (got < sizeof(b))
		return ts_err_set(err, TS_E_DAMAGED, "only %zu bytes of an SQLite database", got);
	h->page_size = b[16] << 8 | b[17];
	if (h->page_size == 1)
		h->page_size = 65536;
	if (h->page_size < 512 || (h->page_size & (h->page_size - 1)) != 0)
		return ts_err_set(err, TS_E_DAMAGED, "SQLite page size %d is not valid",
			h->page_size);
	if (memcmp(b + 24, b + 92, 4) == 0)
		h->pages_said = be32(b + 28);
	h->usable = h->page_size - b[20];
	h->encoding = be32(b + 56);
	h->auto_vacuum = be32(b + 52) != 0;
	h->wal = b[18] == 2 || b[19] == 2;
	h->changes = be32(b + 24);
	h->hash = XXH3_64bits(b, sizeof(b));
	h->truncated = h->pages_said * h->page_size > h->bytes;
	return TS_OK;
}

enum ts_code
ts_vfs_new(struct ts_vfs **out, struct ts_source *source, struct ts_source_meter *meter,
	struct ts_err *err)
{
	struct ts_vfs *v = ts_alloc(1, sizeof(*v));
	enum ts_code code;

	*out = NULL;
	if (!v)
		return ts_err_nomem(err);
	code = ts_sqlite_header_read(&v->header, source, err);
	if (code) {
		free(v);
		return code;
	}
	v->os = sqlite3_vfs_find(NULL);
	v->source = source;
	v->meter = meter;
	snprintf(v->name, sizeof(v->name), "tilescope-%p", (void *)v);
	v->vfs = (sqlite3_vfs){
		.iVersion = 1,
		.szOsFile = v->os->szOsFile > (int)sizeof(struct vfs_file)
			? v->os->szOsFile
			: (int)sizeof(struct vfs_file),
		.mxPathname = v->os->mxPathname,
		.zName = v->name,
		.pAppData = v,
		.xOpen = vfs_open,
		.xDelete = vfs_delete,
		.xAccess = vfs_access,
		.xFullPathname = vfs_full_pathname,
		.xRandomness = vfs_randomness,
		.xSleep = vfs_sleep,
		.xCurrentTime = vfs_current_time,
		.xGetLastError = vfs_last_error,
	};
	if (sqlite3_vfs_register(&v->vfs, 0) != SQLITE_OK) {
		free(v);
		return ts_err_nomem(err);
	}
	*out = v;
	return TS_OK;
}

void
ts_vfs_free(struct ts_vfs *v)
{
	if (!v)
		return;
	sqlite3_vfs_unregister(&v->vfs);
	free(v);
}

void
ts_vfs_stats(struct ts_vfs_stats *s, const struct ts_vfs *v)
{
	s->reads = atomic_load_explicit(&v->reads, memory_order_relaxed);
	s->bytes = atomic_load_explicit(&v->bytes, memory_order_relaxed);
}

const struct ts_sqlite_header *
ts_vfs_header(const struct ts_vfs *v)
{
	return &v->header;
}

const char *
ts_vfs_name(const struct ts_vfs *v)
{
	return v->name;
}

void
ts_vfs_set_cancel(struct ts_vfs *v, const struct ts_cancel *cancel)
{
	v->cancel = cancel;
}

const struct ts_err *
ts_vfs_error(const struct ts_vfs *v)
{
	return &v->err;
}

void
ts_vfs_clear_error(struct ts_vfs *v)
{
	v->err.code = TS_OK; /* not all of it: this is done for every row */
	v->err.sys = 0;
	v->err.msg[0] = '\0';
}
