/* SPDX-License-Identifier: MIT */
/* context_steps - see the header. */
#include "config.h"

#include "tilescope/report/context_steps.h"
#include "tilescope/report/contexts.h"
#include "tilescope/report/rows.h"

void
ts_context_step_init(struct ts_context_step *l, size_t bytes)
{
	*l = (struct ts_context_step){0};
	ts_strbuf_init(&l->name, bytes);
	ts_strbuf_init(&l->layer, bytes);
}

void
ts_context_step_fini(struct ts_context_step *l)
{
	ts_strbuf_fini(&l->name);
	ts_strbuf_fini(&l->layer);
}

static void
take_text(struct ts_strbuf *to, struct ts_rows *rows, int column)
{
	const char *s;
	size_t n;

	if (ts_rows_text(rows, column, &s, &n) == TS_VALUE_OK)
		ts_strbuf_add(to, s, n);
}

static enum ts_code
from_rows(struct ts_context_step *l, struct ts_context_steps *s, struct ts_err *err)
{
	enum { PARENT, NAME, LAYER, COLUMNS };
	struct ts_rows_query q = {.columns = {TS_CONTEXT_PARENT, TS_CONTEXT_NAME, TS_CONTEXT_LAYER},
		.column_count = COLUMNS,
		.range = TS_RANGE_KEY,
		.limit = 1};
	struct ts_rows *rows;
	enum ts_code code;

	if (!ts_report_has(s->rd->report, TS_CONTEXT) || l->id > (uint64_t)TS_NUMBER_MAX)
		return TS_OK;
	q.from = (int64_t)l->id;
	q.to = q.from + 1;
	code = ts_reader_rows(&rows, s->rd, TS_CONTEXT, &q, err);
	if (code)
		return code;
	code = ts_rows_next(rows, &l->found, err);
	if (!code && l->found) {
		l->has_parent = ts_rows_bits(rows, PARENT, &l->parent) == TS_VALUE_OK;
		take_text(&l->name, rows, NAME);
		take_text(&l->layer, rows, LAYER);
	}
	ts_rows_close(rows);
	return code;
}

/* What the context's own map says. */
static enum ts_code
from_map(struct ts_context_step *l, struct ts_context_steps *s, const struct ts_context_entry *e,
	struct ts_err *err)
{
	struct ts_context_path one;
	enum ts_code code = ts_context_read(&one, s->rd, s->debug, e, err);

	if (code)
		return code;
	if (one.count > 0 && one.level[0].name && l->name.len == 0)
		ts_strbuf_puts(&l->name, one.level[0].name);
	if (one.count > 0 && one.level[0].layer && l->layer.len == 0)
		ts_strbuf_puts(&l->layer, one.level[0].layer);
	ts_context_path_fini(&one);
	return TS_OK;
}

static enum ts_code
from_file(struct ts_context_step *l, struct ts_context_steps *s, struct ts_err *err)
{
	const struct ts_context_entry *e = s->debug ? ts_contexts_find(s->debug, l->id) : NULL;
	const struct ts_context_layer *layer;
	enum ts_code code = TS_OK;
	bool found;

	if (!e)
		return TS_OK;
	l->found = true;
	l->has_parent = e->flags & TS_CONTEXT_HAS_PARENT;
	l->parent = e->parent;
	layer = e->layer < s->debug->layers ? &s->debug->layer[e->layer] : NULL;
	if (layer && layer->n <= sizeof(layer->name))
		ts_strbuf_add(&l->layer, layer->name, layer->n);
	if (e->flags & TS_CONTEXT_NAME_NUMBER) {
		code = ts_contexts_string(&l->name, &found, s->debug, e->name, s->rd->cancel, err);
		l->damaged = !code && !found && e->name < s->debug->strings;
	}
	if (!code && (!layer || e->flags & TS_CONTEXT_NAME_TEXT))
		code = from_map(l, s, e, err);
	return code;
}

enum ts_code
ts_context_step_read(struct ts_context_step *l, struct ts_context_steps *s, uint64_t id,
	struct ts_err *err)
{
	struct ts_err why = {0};
	enum ts_code code;

	ts_strbuf_reset(&l->name);
	ts_strbuf_reset(&l->layer);
	l->id = id;
	l->parent = 0;
	l->found = l->has_parent = l->damaged = false;
	code = from_rows(l, s, &why);
	if (!code && !l->found)
		code = from_file(l, s, &why);
	if (!code && (l->name.nomem || l->layer.nomem))
		code = ts_err_nomem(&why);
	l->damaged |= code == TS_E_DAMAGED;
	if (code == TS_E_DAMAGED)
		return TS_OK;
	if (code && err)
		*err = why;
	return code;
}

enum ts_code
ts_context_steps_open(struct ts_context_steps *s, struct ts_reader *rd,
	const struct ts_cache *cache, struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_report *report = rd->report;
	bool current = true;
	enum ts_code code;

	*s = (struct ts_context_steps){.rd = rd};
	if (ts_report_has(report, TS_CONTEXT))
		s->any = report->binding[TS_CONTEXT].reach.key != TS_REACH_NONE;
	if (s->any || !ts_context_in_debug(report))
		return TS_OK;
	code = ts_contexts_open(&s->debug, report, rd->index, cache, progress, rd->cancel, err);
	if (code == TS_E_ABSENT)
		return TS_OK;
	if (!code)
		code = ts_contexts_current(&current, s->debug, err);
	if (!code && !current)
		code = ts_err_set(err, TS_E_STALE, "debug.cbor has changed: reload the report");
	s->any = !code;
	return code;
}

void
ts_context_steps_close(struct ts_context_steps *s)
{
	ts_contexts_close(s->debug);
	s->debug = NULL;
}
