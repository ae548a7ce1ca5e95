/* SPDX-License-Identifier: MIT */
/* dense - see the header. */
#include "config.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tilescope/base/dense.h"
#include "tilescope/base/mem.h"

/* What is smaller has been touched before, as a rule: see mem.c. */
enum { LARGE = 1 << 20 };

#ifdef MADV_POPULATE_WRITE
/* The whole pages of it. Where the system does not do that they come one by one. */
static void
populate(void *p, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), before = -(uintptr_t)p & (page - 1);

	(void)madvise((char *)p + before, (bytes - before) & ~(page - 1), MADV_POPULATE_WRITE);
}
#endif

void *
ts_dense_alloc(size_t n, size_t size)
{
	void *p = ts_alloc(n, size);

#ifdef MADV_POPULATE_WRITE
	if (p && n * size >= LARGE)
		populate(p, n * size);
#endif
	return p;
}
