/* SPDX-License-Identifier: MIT */
/* index_dir - a directory with small reports and a cache in it, for Check programs of the index. */
#ifndef TS_TESTS_UNIT_INDEX_DIR_H
#define TS_TESTS_UNIT_INDEX_DIR_H

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tilescope/report/index_build.h"

#include "../../src/report/index_internal.h"
#include "relations_profile.h"
#include "sqlite_bytes.h"

enum { INDEX_PATH = 300 };

struct index_dir {
	char dir[64], cache[100];
	struct ts_cache c;
};

/* In memory if possible: every section that is written is synced. */
static inline const char *
index_dir_base(void)
{
	return access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
}

/* An SQLite file with a table of one row. */
static inline void
index_dir_write(const struct index_dir *d, const char *name, const char *text)
{
	char path[INDEX_PATH], sql[400];
	unsigned char *bytes;
	size_t n;
	FILE *f;

	snprintf(sql, sizeof(sql), "CREATE TABLE t(x); INSERT INTO t VALUES('%s')", text);
	bytes = sqlite_bytes(&n, sql);
	snprintf(path, sizeof(path), "%s/%s", d->dir, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
	fclose(f);
	sqlite3_free(bytes);
}

static inline struct ts_report *
index_dir_open(const struct index_dir *d, const char *name)
{
	const struct ts_report_options options = {.any = true};
	struct ts_report *r;
	struct ts_err err = {0};
	char path[INDEX_PATH];

	snprintf(path, sizeof(path), "%s/%s", d->dir, name);
	ck_assert_msg(ts_report_open(&r, path, &options, &err) == TS_OK, "%s", err.msg);
	return r;
}

/* The profile that is made of the relations in "relations.db". */
static inline struct ts_report *
index_dir_relations(const struct index_dir *d)
{
	char relations[INDEX_PATH], profile[INDEX_PATH];

	snprintf(relations, sizeof(relations), "%s/relations.db", d->dir);
	snprintf(profile, sizeof(profile), "%s/profile.pop", d->dir);
	relations_profile(relations, profile);
	return index_dir_open(d, "profile.pop");
}

static inline struct ts_report *
index_dir_report(const struct index_dir *d, const char *name)
{
	index_dir_write(d, name, name);
	return index_dir_open(d, name);
}

static inline void
index_dir_begin(struct index_dir *d)
{
	struct ts_err err = {0};

	snprintf(d->dir, sizeof(d->dir), "%s/ts-index-XXXXXX", index_dir_base());
	ck_assert_ptr_nonnull(mkdtemp(d->dir));
	snprintf(d->cache, sizeof(d->cache), "%s/cache", d->dir);
	ck_assert_int_eq(ts_cache_init(&d->c, d->cache, INT64_MAX, &err), TS_OK);
	ck_assert_str_eq(d->c.why, "");
	ck_assert_ptr_nonnull(d->c.dir);
}

static inline int
index_dir_unlink(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static inline void
index_dir_remove(const char *path)
{
	nftw(path, index_dir_unlink, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void
index_dir_end(struct index_dir *d)
{
	ts_cache_fini(&d->c);
	index_dir_remove(d->dir);
}

/* The path of a report's folder, or of a file in it. */
static inline const char *
index_dir_path(char out[INDEX_PATH], const struct index_dir *d, const struct ts_report *r,
	const char *file)
{
	char name[TS_FOLDER_NAME];

	ts_folder_name(name, r);
	snprintf(out, INDEX_PATH, "%s/index/%s%s%s", d->cache, name, *file ? "/" : "", file);
	return out;
}

/* Files in a folder whose names hold `part`. */
static inline int
index_dir_count(const struct index_dir *d, const struct ts_report *r, const char *part)
{
	char path[INDEX_PATH];
	DIR *dir = opendir(index_dir_path(path, d, r, ""));
	const struct dirent *e;
	int n = 0;

	while (dir && (e = readdir(dir)))
		n += e->d_name[0] != '.' && strstr(e->d_name, part);
	if (dir)
		closedir(dir);
	return n;
}

/* Write a section of n bytes. */
static inline enum ts_code
index_dir_section(const struct index_dir *d, const struct ts_report *r, enum ts_section s, size_t n,
	struct ts_err *err)
{
	struct ts_section_writer *w;
	enum ts_code code = ts_section_create(&w, &d->c, r, s, err);
	unsigned char *bytes;

	if (code)
		return code;
	bytes = malloc(n + 1);
	ck_assert_ptr_nonnull(bytes);
	for (size_t i = 0; i < n; i++)
		bytes[i] = (unsigned char)(i * 7 + (unsigned)s);
	code = ts_section_append(w, NULL, bytes, n, err);
	free(bytes);
	if (!code)
		return ts_section_commit(w, err);
	ts_section_abandon(w);
	return code;
}

/* The sections that an open finds, as bits; `log` may be NULL. */
static inline uint64_t
index_dir_sections(const struct index_dir *d, const struct ts_report *r, struct ts_log *log)
{
	struct ts_index *x;
	struct ts_err err = {0};
	uint64_t bits = 0;
	size_t size;

	ck_assert_msg(ts_index_open(&x, &d->c, r, log, NULL, &err) == TS_OK, "%s", err.msg);
	for (int s = 0; s < TS_SECTION_COUNT; s++)
		if (ts_index_section(x, (enum ts_section)s, &size))
			bits |= ts_section_bit(s);
	ts_index_release(x);
	return bits;
}

static inline unsigned char *
index_dir_read(const char *path, size_t *n)
{
	FILE *f = fopen(path, "r");
	unsigned char *bytes = malloc(1 << 20);

	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(bytes);
	*n = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	return bytes;
}

static inline void
index_dir_put(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_msg(fd >= 0, "%s: %s", path, strerror(errno));
	ck_assert_int_eq((int)write(fd, bytes, n), (int)n);
	close(fd);
}

/* Build sections of a report (bits) in so many parts, and map what there is. */
static inline struct ts_index *
index_dir_build(const struct index_dir *d, struct ts_report *r, struct ts_reader *rd,
	uint64_t wanted, int parts)
{
	struct ts_err err = {0};
	struct ts_index *x;
	struct ts_build *b;
	bool busy;

	ck_assert_msg(ts_build_new(&b, &busy, r, &d->c, NULL, wanted, parts, &err) == TS_OK, "%s",
		err.msg);
	for (int stage = 0; stage < ts_build_stages(b); stage++) {
		ck_assert_msg(ts_build_begin(b, stage, &err) == TS_OK, "%s", err.msg);
		for (int i = 0; i < ts_build_parts(b, stage); i++)
			ck_assert_msg(ts_build_part(b, stage, i, rd, NULL, &err) == TS_OK, "%s",
				err.msg);
		ck_assert_msg(ts_build_finish(&x, b, stage, rd, NULL, &err) == TS_OK, "%s",
			err.msg);
		ts_index_release(x);
	}
	ts_build_free(b);
	ck_assert_msg(ts_index_open(&x, &d->c, r, NULL, NULL, &err) == TS_OK, "%s", err.msg);
	return x;
}

#endif
