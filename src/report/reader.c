/* SPDX-License-Identifier: MIT */
/* reader - one thread's connections to a report, and the index that it may use. See report.h. */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/db/db.h"
#include "tilescope/profile/functions.h"
#include "tilescope/report/index.h"
#include "tilescope/report/memory.h"
#include "tilescope/db/pages.h"
#include "tilescope/report/rows.h"

#include "context_says.h"

enum ts_code
ts_reader_open(struct ts_reader **out, const struct ts_report *r, struct ts_err *err)
{
	struct ts_reader *rd = ts_alloc(1, sizeof(*rd));
	enum ts_code code = TS_OK;

	*out = NULL;
	if (!rd)
		return ts_err_nomem(err);
	rd->report = r;
	for (int i = 0; !code && i < r->sources; i++)
		code = ts_profile_connect(&rd->db[i], r->source[i], err);
	if (!code)
		code = context_says_add(&rd->says, rd, err);
	if (code) {
		ts_reader_close(rd);
		return code;
	}
	*out = rd;
	return TS_OK;
}

void
ts_reader_close(struct ts_reader *rd)
{
	if (!rd)
		return;
	ts_index_release(rd->index);
	for (int i = 0; i < TS_SOURCES; i++)
		ts_db_close(rd->db[i]);
	context_says_free(rd->says);
	if (rd->tiles)
		ts_tiles_fini(rd->tiles);
	free(rd->tiles);
	free(rd);
}

void
ts_reader_set_cancel(struct ts_reader *rd, const struct ts_cancel *cancel)
{
	rd->cancel = cancel;
	for (int i = 0; i < rd->report->sources; i++)
		ts_db_set_cancel(rd->db[i], cancel);
}

void
ts_reader_set_index(struct ts_reader *rd, struct ts_index *index)
{
	if (rd->index == index)
		return;
	ts_index_release(rd->index);
	rd->index = ts_index_hold(index);
}

void
ts_reader_add_stats(struct ts_reader_stats *s, const struct ts_reader *rd)
{
	for (int i = 0; i < rd->report->sources; i++) {
		struct ts_db_stats d;

		ts_db_stats(&d, rd->db[i]);
		s->page_hits += d.page_hits;
		s->page_misses += d.page_misses;
		s->page_capacity += TS_DB_PAGES_BYTES + TS_PAGES_BYTES;
		s->bytes += d.bytes;
		s->reads += d.reads;
		s->statement_hits += d.statements_cached;
		s->statement_misses += d.statements_prepared;
		s->statement_capacity += TS_DB_STATEMENTS;
		ts_source_counts_add(&s->far, &d.far);
	}
}

enum ts_code
ts_reader_rows(struct ts_rows **rows, struct ts_reader *rd, enum ts_relation relation,
	const struct ts_rows_query *q, struct ts_err *err)
{
	struct ts_rows_query own = *q;

	own.binding = &rd->report->binding[relation];
	if (!own.binding->bound || own.binding->empty)
		return ts_err_set(err, TS_E_ABSENT, "%s: %s", ts_relation_def(relation)->name,
			own.binding->reason);
	return ts_rows_open(rows, rd->db[own.binding->source], &own, err);
}
