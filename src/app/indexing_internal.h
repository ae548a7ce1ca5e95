/* SPDX-License-Identifier: MIT */
/* indexing_internal - the jobs of the index: sent and taken by indexing.c, run by indexing_jobs.c. */
#ifndef TS_APP_INDEXING_INTERNAL_H
#define TS_APP_INDEXING_INTERNAL_H

#include "tilescope/app/app.h"

enum ts_indexing_kind {
	TS_INDEXING_LOOK, /* what is there, and what is missing: the build */
	TS_INDEXING_BEGIN,
	TS_INDEXING_FINISH,
	TS_INDEXING_DROP,
	TS_INDEXING_FREE, /* takes the build */
	TS_INDEXING_PART, /* + number: the last */
};

struct ts_indexing_job {
	struct ts_job job;
	struct ts_report *report; /* held */
	struct ts_index *have;	  /* held; or NULL */
	const char *cache_option;
	int64_t cache_cap;
	struct ts_cache *cache; /* lent; made when NULL, then the job's until it is taken */
	bool made;
	struct ts_log *log;
	uint64_t wanted;
	int parts, stage, part;
	struct ts_build *build; /* lent; made by a look, then the job's until it is taken */
	struct ts_index *index; /* the result, or NULL */
	bool busy;		/* another program builds */
	char what[48];
	enum ts_code code;
	struct ts_err err;
};

/* What is built of the index: views may not have all of it yet. */
struct ts_index *ts_indexing_newest(const struct ts_app *app);

/* Send a job. False: no memory, which was said. */
bool ts_indexing_send(struct ts_app *app, enum ts_indexing_kind kind, int part);
enum ts_indexing_kind ts_indexing_kind_of(const struct ts_indexing_job *j);
void ts_indexing_job_free(struct ts_indexing_job *j);

#endif
