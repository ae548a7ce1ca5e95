/* SPDX-License-Identifier: MIT */
/* index - see the header. */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index.h"

struct ts_index *
ts_index_hold(struct ts_index *x)
{
	if (x)
		atomic_fetch_add(&x->uses, 1);
	return x;
}

void
ts_index_release(struct ts_index *x)
{
	if (!x || atomic_fetch_sub(&x->uses, 1) > 1)
		return;
	free(x);
}
