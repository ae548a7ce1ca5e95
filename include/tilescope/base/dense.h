/* SPDX-License-Identifier: MIT */
/*
 * dense - memory for a moment, most of which is going to be written, here and there.
 *
 * The first touch of a page takes two microseconds, as long as a hundred additions, and the first look and the first
 * write are one each. The pages of such memory come together instead, which takes a third of that.
 */
#ifndef TS_BASE_DENSE_H
#define TS_BASE_DENSE_H

#include <stddef.h>

/* As ts_alloc() (mem.h), free() gives it back. */
void *ts_dense_alloc(size_t n, size_t size) __attribute__((malloc, warn_unused_result));

#endif
