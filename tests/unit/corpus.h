/* SPDX-License-Identifier: MIT */
/* corpus - what a fuzzer is given, and what it has found: each file of tests/fuzz/corpus/NAME. */
#ifndef TS_TESTS_UNIT_CORPUS_H
#define TS_TESTS_UNIT_CORPUS_H

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls each(ctx, file, bytes, n) for all files of at most `most` bytes; fails where there is none. */
static inline void
corpus_each(const char *name, size_t most,
	void (*each)(void *ctx, const char *file, const unsigned char *bytes, size_t n), void *ctx)
{
	const char *top = getenv("srcdir");
	unsigned char *bytes = malloc(most + 1);
	char path[4096];
	struct dirent *entry;
	int files = 0;
	DIR *dir;

	ck_assert_ptr_nonnull(bytes);
	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/%s", top ? top : ".", name);
	dir = opendir(path);
	ck_assert_msg(dir != NULL, "%s", path);
	while ((entry = readdir(dir)) != NULL) {
		FILE *f;
		size_t n;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/%s/%.200s", top ? top : ".",
			name, entry->d_name);
		f = fopen(path, "rb");
		ck_assert_msg(f != NULL, "%s", path);
		n = fread(bytes, 1, most + 1, f);
		fclose(f);
		ck_assert_msg(n <= most, "%s is too large", path);
		each(ctx, entry->d_name, bytes, n);
		files++;
	}
	closedir(dir);
	free(bytes);
	ck_assert_int_gt(files, 0);
}

#endif
