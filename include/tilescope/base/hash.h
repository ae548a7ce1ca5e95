/* SPDX-License-Identifier: MIT */
/*
 * hash - uthash that does not end the program when there is no memory.
 *
 * Behind HASH_ADD look at the element's hh.tbl: NULL when it was not added.
 */
#ifndef TS_BASE_HASH_H
#define TS_BASE_HASH_H

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#endif
