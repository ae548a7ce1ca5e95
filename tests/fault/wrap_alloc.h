/* SPDX-License-Identifier: MIT */
/*
 * wrap_alloc - malloc() and its kin, handed to the test by the linker (--wrap, see Makefile.am).
 *
 * Calls in our code come here; those inside shared libraries do not. Who includes this says by
 * alloc_fails() which of them fail; it counts them, too.
 */
#ifndef TS_TESTS_FAULT_WRAP_ALLOC_H
#define TS_TESTS_FAULT_WRAP_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

static bool alloc_fails(void);

void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);
void *__real_reallocarray(void *p, size_t n, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
char *__real_strdup(const char *s);
char *__wrap_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);
char *__wrap_strndup(const char *s, size_t n);

void *
__wrap_malloc(size_t n)
{
	return alloc_fails() ? NULL : __real_malloc(n);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return alloc_fails() ? NULL : __real_calloc(n, size);
}

void *
__wrap_realloc(void *p, size_t n)
{
	return alloc_fails() ? NULL : __real_realloc(p, n);
}

void *
__wrap_reallocarray(void *p, size_t n, size_t size)
{
	return alloc_fails() ? NULL : __real_reallocarray(p, n, size);
}

char *
__wrap_strdup(const char *s)
{
	return alloc_fails() ? NULL : __real_strdup(s);
}

char *
__wrap_strndup(const char *s, size_t n)
{
	return alloc_fails() ? NULL : __real_strndup(s, n);
}

#endif
