/* SPDX-License-Identifier: MIT */
/* figures - the few figures by which one report is compared with another, or with itself later. */
#ifndef TS_REPORT_FIGURES_H
#define TS_REPORT_FIGURES_H

#include <stdint.h>

enum { TS_FIGURES_VERSION = 64 };

/* TS_UNKNOWN where not known, or where only part could be read: never 0 for want of anything better. */
struct ts_figures {
	int fits;			       /* 1 = it does, 0 = it does not, -1 = not known */
	int64_t worst_tile_bytes, limit_bytes; /* of one tile */
	int64_t total_bytes;
	int64_t peak_bytes;			 /* of what is not always live */
	int64_t cycles;				 /* of the IPU that takes longest, over all runs */
	char poplar_version[TS_FIGURES_VERSION]; /* "" = not known */
};

#define TS_FIGURES_NONE                    \
	(struct ts_figures)                \
	{                                  \
		-1, -1, -1, -1, -1, -1, "" \
	}

#endif
