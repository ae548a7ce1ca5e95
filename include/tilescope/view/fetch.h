/* SPDX-License-Identifier: MIT */
/*
 * fetch - a view's question to the report, answered by a worker.
 *
 * A view embeds a `struct ts_fetch` at the start of a struct of its own, fills in the question, sends
 * it, and gets it back in `deliver` with the answer inside. `read` runs in a worker, with that worker's
 * own reader, and touches nothing but the fetch.
 */
#ifndef TS_VIEW_FETCH_H
#define TS_VIEW_FETCH_H

#include "tilescope/view/view.h"

struct ts_fetch {
	struct ts_job job; /* first: the queue knows only this */
	struct ts_report *report;
	struct ts_index *index; /* held; or NULL */
	enum ts_code (*read)(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err);
	void (*fini)(struct ts_fetch *f); /* free what the answer holds (not the fetch); or NULL */
	enum ts_code code;		  /* of `read` */
	struct ts_err err;
};

/*
 * Send: `f` came from ts_alloc() and is the queue's now. `kind` tells a view's questions apart; a newer
 * one of the same kind and worker replaces it. `what` is for people ("counting categories").
 */
void ts_fetch_send(struct ts_view *v, struct ts_fetch *f, int kind, enum ts_worker_id worker,
	const char *what);

/* The same of a sender that is no view: report (held), index and generation are set by it. */
void ts_fetch_begin(struct ts_jobs *jobs, struct ts_fetch *f, int owner, int kind,
	enum ts_worker_id worker, const char *what);

/* Free a fetch and its answer. */
void ts_fetch_free(struct ts_fetch *f);

/* Is it answered in vain: dropped, cancelled, or asked of an older report? */
bool ts_fetch_in_vain(const struct ts_fetch *f, uint64_t generation);

/* What the questions of one kind have taken of reports on other hosts. */
enum { TS_QUERIES = 32 };

struct ts_query_counts {
	const char *what; /* a constant; NULL: no more of them */
	int64_t runs;
	struct ts_source_counts far;
};

/* What each worker keeps between fetches (for ts_jobs_new()). */
struct ts_fetch_local {
	struct ts_report *report;
	struct ts_reader *reader;
	atomic_bool taken;	       /* the reader is being replaced, or its counters read */
	struct ts_reader_stats before; /* of readers that are closed */
	struct ts_query_counts query[TS_QUERIES];
};

void ts_fetch_local_fini(void *local);

/*
 * Add up what the readers of all workers have done. A worker that just replaces its reader is not waited
 * for: then nothing is changed, and false.
 */
bool ts_fetch_stats(struct ts_reader_stats *s, const struct ts_jobs *jobs);

/* The same by question, those of all workers together; as they were met first. As ts_fetch_stats(). */
bool ts_fetch_queries(struct ts_query_counts query[TS_QUERIES], const struct ts_jobs *jobs);

/*
 * In a worker: its reader of `report`, with `index` (or NULL) and `cancel` set; opened when it has none.
 * The token has to be taken away again before the job ends (ts_reader_set_cancel()).
 */
enum ts_code ts_fetch_reader(struct ts_reader **rd, struct ts_fetch_local *local,
	struct ts_report *report, struct ts_index *index, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
