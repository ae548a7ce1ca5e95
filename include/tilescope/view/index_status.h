/* SPDX-License-Identifier: MIT */
/* index_status - how the index stands. app/ keeps it, the Jobs view shows it. */
#ifndef TS_VIEW_INDEX_STATUS_H
#define TS_VIEW_INDEX_STATUS_H

#include "tilescope/report/index.h"

enum ts_section_state {
	TS_SECTION_IS_UNPLANNED, /* nothing in this report that it could be made of, or nobody asked */
	TS_SECTION_IS_MISSING, /* its turn has not come */
	TS_SECTION_IS_BUILDING,
	TS_SECTION_IS_READY,
	TS_SECTION_IS_FAILED,
};

enum { TS_STATUS_REASON = 160 };

struct ts_section_status {
	enum ts_section_state state;
	int percent;		       /* of BUILDING; -1 = cannot be told */
	char reason[TS_STATUS_REASON]; /* of FAILED */
};

struct ts_index_status {
	const char *doing; /* "building", "another program builds it", "complete", ... */
	struct ts_section_status section[TS_SECTION_COUNT];
	int64_t resident; /* memory of the program that no file backs, in bytes; -1 = not known */
};

#endif
