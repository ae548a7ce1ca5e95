/* SPDX-License-Identifier: MIT */
/*
 * wrap_pread - pread(), handed to the test by the linker (--wrap, see Makefile.am).
 *
 * Reads of our sources come here; SQLite's own (of temporary files) do not. Who includes this says by
 * pread_fails() what becomes of each: false: n bytes are read, of which it may change the number.
 */
#ifndef TS_TESTS_FAULT_WRAP_PREAD_H
#define TS_TESTS_FAULT_WRAP_PREAD_H

#include <stdbool.h>
#include <sys/types.h>

static bool pread_fails(size_t *n, ssize_t *result);

ssize_t __real_pread(int fd, void *buf, size_t n, off_t offset);
ssize_t __wrap_pread(int fd, void *buf, size_t n, off_t offset);
ssize_t __real_pread64(int fd, void *buf, size_t n, off_t offset);
ssize_t __wrap_pread64(int fd, void *buf, size_t n, off_t offset);

ssize_t
__wrap_pread(int fd, void *buf, size_t n, off_t offset)
{
	ssize_t result;

	return pread_fails(&n, &result) ? result : __real_pread(fd, buf, n, offset);
}

ssize_t
__wrap_pread64(int fd, void *buf, size_t n, off_t offset)
{
	ssize_t result;

	return pread_fails(&n, &result) ? result : __real_pread64(fd, buf, n, offset);
}

#endif
