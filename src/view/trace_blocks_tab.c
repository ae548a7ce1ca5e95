/* SPDX-License-Identifier: MIT */
/* trace_blocks_tab - statistics of blocks by name, and what the profiler's own work took. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_blocks.h"

#include "tilescope/base/mem.h"
#include "tilescope/base/option.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/sheet.h"

struct blocks_fetch {
	struct ts_fetch f;
	const struct ts_cache *cache;
	struct ts_blocks *blocks;
	struct ts_pile statistics;
};

static enum ts_code
read_blocks(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct blocks_fetch *b = (struct blocks_fetch *)f;
	enum ts_code code = ts_blocks_read(&b->blocks, rd, b->cache, &f->job.progress, err);

	return code ? code
		    : ts_blocks_statistics(&b->statistics, b->blocks, TS_UNKNOWN, 0, INT64_MAX,
			      b->cache, rd->cancel, err);
}

static void
fini_blocks(struct ts_fetch *f)
{
	struct blocks_fetch *b = (struct blocks_fetch *)f;

	ts_blocks_close(b->blocks);
	ts_pile_fini(&b->statistics);
}

static struct ts_tab *
own_tab(const struct trace_view *t)
{
	for (int i = 0; i < t->tabs.count; i++)
		if (t->tabs.tab[i].ops == &trace_tab_blocks)
			return (struct ts_tab *)&t->tabs.tab[i];
	return NULL;
}

struct blocks_tab *
trace_blocks_of(const struct trace_view *t)
{
	return own_tab(t)->own;
}

const char *
trace_block_name(const struct ts_blocks *b, int32_t name, char *buf, size_t size)
{
	size_t n;
	const char *s = ts_block_name(&n, b, name);

	snprintf(buf, size, "%.*s", s ? (int)(n < size ? n : size - 1) : 7, s ? s : "no name");
	return buf;
}

/* --- the table ------------------------------------------------------------------------------------ */

enum {
	B_NAME,
	B_KIND,
	B_COUNT,
	B_SUM,
	B_MEAN,
	B_LEAST,
	B_P50,
	B_P95,
	B_MOST,
	B_JITTER,
	B_SELF,
	B_COLUMNS
};

static const struct ts_column columns[B_COLUMNS] = {
	{"block", 12, 90, 1, 0, TS_FIELD_TAIL},
	{"kind", 11, 0, 0, 1, TS_FIELD_ELLIPSIS},
	{"count", 9, 0, 0, 1, TS_FIELD_RIGHT},
	{"cycles in all", 15, 0, 0, 4, TS_FIELD_RIGHT},
	{"mean", 13, 0, 0, 0, TS_FIELD_RIGHT},
	{"least", 13, 0, 0, 6, TS_FIELD_RIGHT},
	{"p50", 13, 0, 0, 5, TS_FIELD_RIGHT},
	{"p95", 13, 0, 0, 2, TS_FIELD_RIGHT},
	{"most", 13, 0, 0, 3, TS_FIELD_RIGHT},
	{"jitter", 7, 0, 0, 1, TS_FIELD_RIGHT},
	{"by itself", 15, 0, 0, 7, TS_FIELD_RIGHT},
};

static const struct ts_column_facts facts[B_COLUMNS] = {
	{"block", NULL, TS_SUM_COUNT, false},
	{"kind", NULL, TS_SUM_NONE, false},
	{"count", "blocks", TS_SUM_COUNT, false},
	{"cycles", "cycles", TS_SUM_COUNT, false},
	{"mean", "cycles", TS_SUM_NONE, false},
	{"least", "cycles", TS_SUM_NONE, false},
	{"p50", "cycles", TS_SUM_NONE, false},
	{"p95", "cycles", TS_SUM_NONE, false},
	{"most", "cycles", TS_SUM_NONE, false},
	{"jitter", "%", TS_SUM_NONE, false},
	{"self", "cycles", TS_SUM_COUNT, false},
};

static const struct ts_block_statistics *
statistics_at(const struct blocks_tab *b, int64_t i)
{
	return i >= 0 && i < b->names ? (const struct ts_block_statistics *)b->statistics.memory + i
				      : NULL;
}

static double
jitter_of(const struct ts_block_statistics *s)
{
	return s->mean > 0 ? s->deviation / s->mean : 0;
}

static bool
blocks_value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct blocks_tab *b = ctx;
	const struct ts_block_statistics *s = statistics_at(b, i);

	if (!s)
		return false;
	const int64_t figure[B_COLUMNS] = {[B_COUNT] = s->count,
		[B_SUM] = s->sum,
		[B_LEAST] = s->least,
		[B_P50] = s->p50,
		[B_P95] = s->p95,
		[B_MOST] = s->most,
		[B_SELF] = s->self};

	if (column == B_NAME)
		ts_table_value_text(out,
			trace_block_name(b->blocks, s->name, out->buf, sizeof(out->buf)));
	else if (column == B_KIND)
		ts_table_value_text(out, ts_block_kind_name(s->kind));
	else if (column == B_MEAN)
		ts_table_value_real(out, s->mean);
	else if (column == B_JITTER)
		ts_table_value_real(out, 100 * jitter_of(s));
	else
		ts_table_value_integer(out, figure[column]);
	return true;
}

static bool
blocks_cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct blocks_tab *b = ctx;
	const struct ts_block_statistics *s = statistics_at(b, i);
	struct ts_table_value v = {0};

	if (!s || !blocks_value(ctx, i, column, &v))
		return false;
	out->s = out->buf;
	if (s->kind == TS_BLOCK_FLUSH || s->kind == TS_BLOCK_OVERFLOW)
		out->role = TS_ROLE_WARN;
	if (column == B_NAME) {
		size_t n;
		const char *name = ts_block_name(&n, b->blocks, s->name);

		out->s = name ? name : "no name";
		out->n = name ? n : (size_t)-1;
	} else if (column == B_KIND) {
		out->s = ts_block_kind_name(s->kind);
	} else if (column == B_COUNT) {
		ts_fmt_count(out->buf, s->count);
	} else if (column == B_JITTER) {
		ts_fmt_percent(out->buf, jitter_of(s), 1);
	} else {
		trace_fmt_length(b->t, out->buf,
			column == B_MEAN ? (int64_t)(s->mean + 0.5) : v.integer);
	}
	return true;
}

static const struct ts_held_table blocks_table = {.id = "trace.blocks",
	.column = columns,
	.facts = facts,
	.columns = B_COLUMNS,
	.cell = blocks_cell,
	.value = blocks_value,
	.empty = "no blocks"};

/* --- what is asked -------------------------------------------------------------------------------- */

static bool
blocks_open(struct ts_tab *tab)
{
	struct blocks_tab *b = ts_alloc(1, sizeof(*b));

	if (!b)
		return false;
	b->t = tab->host;
	b->pane.absent = TS_ABSENT_BLOCKS;
	ts_held_list_init(&b->l, -1);
	tab->own = b;
	return true;
}

static void
blocks_drop(struct ts_tab *tab)
{
	struct blocks_tab *b = tab->own;

	ts_blocks_close(b->blocks);
	ts_pile_fini(&b->statistics);
	b->blocks = NULL;
	b->statistics = (struct ts_pile){0};
	b->names = b->sum = 0;
	b->sent = NULL;
	b->asked = false;
	b->l.of++;
	b->pane.state = TS_PANE_EMPTY;
}

static void
blocks_close(struct ts_tab *tab)
{
	struct blocks_tab *b = tab->own;

	blocks_drop(tab);
	ts_held_list_fini(&b->l);
	free(b);
}

static bool
blocks_absent(const struct ts_tab *tab)
{
	return !ts_report_has(tab->view->env->report, TS_BLOCK);
}

static void
blocks_request(struct ts_tab *tab)
{
	struct blocks_tab *b = tab->own;
	struct blocks_fetch *f;

	if (b->asked)
		return;
	b->asked = true;
	f = ts_alloc(1, sizeof(*f));
	if (!f) {
		b->pane.state = TS_PANE_FAILED;
		snprintf(b->pane.reason, sizeof(b->pane.reason), "out of memory");
		return;
	}
	f->f.read = read_blocks;
	f->f.fini = fini_blocks;
	f->cache = tab->view->env->cache;
	b->pane.state = TS_PANE_LOADING;
	b->sent = &f->f;
	ts_fetch_send(tab->view, &f->f, tab->kind, TS_WORKER_BULK, "reading blocks");
}

void
trace_ask_blocks(struct trace_view *t)
{
	blocks_request(own_tab(t));
}

static enum ts_effect
blocks_deliver(struct ts_tab *tab, struct ts_fetch *f)
{
	struct blocks_tab *b = tab->own;
	struct blocks_fetch *answer = (struct blocks_fetch *)f;

	if (b->sent != f)
		return TS_EFFECT_NONE;
	b->sent = NULL;
	if (ts_fetch_in_vain(f, tab->view->env->generation)) {
		b->pane.state = TS_PANE_FAILED;
		snprintf(b->pane.reason, sizeof(b->pane.reason),
			"it was stopped; reload to try again");
		return TS_EFFECT_REPAINT;
	}
	ts_pane_result(&b->pane, f->code, &f->err, false);
	if (f->code) {
		trace_arrange(b->t); /* a panel has other room than the picture */
		return TS_EFFECT_REPAINT;
	}
	b->blocks = answer->blocks;
	b->statistics = answer->statistics;
	answer->blocks = NULL;
	answer->statistics = (struct ts_pile){0};
	b->names = (int64_t)(b->statistics.used / sizeof(struct ts_block_statistics));
	b->sum = 0;
	for (int64_t i = 0; i < b->names; i++) {
		const struct ts_block_statistics *s = statistics_at(b, i);

		if (s->kind != TS_BLOCK_FLUSH && s->kind != TS_BLOCK_OVERFLOW &&
			!ts_add_i64(&b->sum, s->self))
			b->sum = INT64_MAX;
	}
	b->l.of++;
	trace_arrange(b->t); /* the drawing knows now how many rows it needs */
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* --- on the screen -------------------------------------------------------------------------------- */

static void
blocks_begin(struct blocks_tab *b, const struct ts_tab *tab)
{
	b->body = tab->r;
	b->total = ts_rect_cut_bottom(&b->body, tab->r.h >= 3);
	ts_held_list_begin(&b->l, tab, &blocks_table, b->body, b->names);
	trace_name_columns(&b->l.table, &b->heads, b->t);
}

static void
blocks_resize(struct ts_tab *tab)
{
	blocks_begin(tab->own, tab);
}

static void
blocks_note(const struct ts_tab *tab, char out[TS_TAB_NOTE])
{
	const struct blocks_tab *b = tab->own;
	char n[TS_FMT_MAX];

	if (b->blocks)
		snprintf(out, TS_TAB_NOTE, "%s block%s on %zu tile%s, real durations",
			ts_fmt_count(n, (int64_t)b->blocks->count),
			b->blocks->count == 1 ? "" : "s", b->blocks->lanes,
			b->blocks->lanes == 1 ? "" : "s");
}

/* Cycles that were lost to the profiler, of all that the lanes go over. */
static void
lost_of(const struct ts_blocks *b, int64_t *lost, int64_t *span)
{
	*lost = *span = 0;
	for (size_t i = 0; i < b->lanes; i++) {
		const struct ts_block_lane *lane = ts_block_lane_at(b, i);

		if (!ts_add_i64(lost, lane->lost) || !ts_add_i64(span, lane->to - lane->from))
			*lost = *span = TS_UNKNOWN;
		if (*span == TS_UNKNOWN)
			return;
	}
}

static void
draw_total(const struct blocks_tab *b, struct ts_canvas *c)
{
	char n[TS_FMT_MAX], m[TS_FMT_MAX];
	int64_t lost, span;
	int x;

	ts_canvas_fill(c, b->total, TS_ROLE_TOTAL, ' ');
	x = ts_canvas_printf(c, b->total, 0, 0, TS_ROLE_TOTAL, "%s in blocks   ",
		trace_fmt_length(b->t, n, b->sum));
	lost_of(b->blocks, &lost, &span);
	if (span > 0)
		x = ts_canvas_printf(c, b->total, x, 0, TS_ROLE_TOTAL,
			"%s lost to flush and overflow, %s   ", trace_fmt_length(b->t, n, lost),
			ts_fmt_percent(m, (double)lost, (double)span));
	if (b->blocks->crossing > 0)
		x = ts_canvas_printf(c, b->total, x, 0, TS_ROLE_TOTAL, "%s cross others   ",
			ts_fmt_count(n, b->blocks->crossing));
	if (b->blocks->bad_rows > 0)
		x = ts_canvas_printf(c, b->total, x, 0, TS_ROLE_TOTAL, "%s rows left out   ",
			ts_fmt_count(n, b->blocks->bad_rows));
	if (b->blocks->partial)
		ts_canvas_text(c, b->total, x, 0, TS_ROLE_TOTAL, "damaged: what could be read");
}

static void
blocks_draw(struct ts_tab *tab, struct ts_canvas *c, bool focus)
{
	struct blocks_tab *b = tab->own;

	(void)focus;
	if (!b->blocks) {
		ts_pane_draw(c, tab->r, tab->view->env, &b->pane);
		return;
	}
	blocks_begin(b, tab);
	ts_held_list_draw(&b->l, c, b->body);
	draw_total(b, c);
}

static enum ts_effect
blocks_command(struct ts_tab *tab, const struct ts_call *call)
{
	struct blocks_tab *b = tab->own;

	blocks_begin(b, tab);
	if (call->cmd != TS_CMD_OPEN || ts_call_arg(call, 0))
		return ts_held_list_command(&b->l, tab, call);
	return trace_draw_named(b->t, trace_drawing_blocks.name)
		? (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC)
		: TS_EFFECT_BELL;
}

static enum ts_effect
blocks_mouse(struct ts_tab *tab, int x, int y, int wheel)
{
	struct blocks_tab *b = tab->own;

	(void)x;
	blocks_begin(b, tab);
	return ts_held_list_mouse(&b->l, b->body, y, wheel);
}

static struct ts_list *
blocks_list(struct ts_tab *tab, bool *there)
{
	struct blocks_tab *b = tab->own;

	*there = b->blocks != NULL;
	return &b->l.list;
}

/* WHERE of the blocks of a name and kind; false: it cannot be said. */
static bool
where_of(const struct blocks_tab *b, const struct ts_block_statistics *s, char *out, size_t size)
{
	char name[TS_EXPLAIN_SHOWN], quoted[2 * TS_EXPLAIN_SHOWN];
	size_t n;

	if (!ts_block_name(&n, b->blocks, s->name) || n >= sizeof(name) ||
		s->kind == TS_BLOCK_OTHER)
		return false;
	if (!ts_explain_quote(quoted, sizeof(quoted),
		    trace_block_name(b->blocks, s->name, name, sizeof(name))))
		return false;
	snprintf(out, size,
		"name = %s AND coalesce(kind, 'common') = '%s' AND cycles_from >= 0 AND "
		"cycles_to >= cycles_from AND tile >= 0",
		quoted, ts_block_kind_name(s->kind));
	return true;
}

static void
blocks_explain(struct ts_tab *tab, struct ts_explain *out)
{
	const struct blocks_tab *b = tab->own;
	const struct ts_block_statistics *s = b->blocks ? statistics_at(b, ts_held_list_row(&b->l))
							: NULL;
	static const char without[] =
		"No query: what these blocks have in common cannot be said in SQL.";
	char name[64], where[3 * TS_EXPLAIN_SHOWN];
	struct ts_explained *x;
	bool query;

	if (!s)
		return;
	trace_block_name(b->blocks, s->name, name, sizeof(name));
	query = where_of(b, s, where, sizeof(where));
	x = ts_explain_add(out, "cycles of the %lld blocks %s", (long long)s->count, name);
	ts_explain_integer(x, s->sum, "cycles");
	ts_explain_from(x, TS_KNOWN_MEASURED, "block.cycles_from, block.cycles_to");
	ts_explain_formula(x, "sum of cycles_to - cycles_from over %lld blocks",
		(long long)s->count);
	if (query)
		ts_explain_query(x, "SELECT sum(cycles_to - cycles_from) FROM block WHERE %s",
			where);
	else
		ts_explain_note(x, "%s", without);
	x = ts_explain_add(out, "mean of %s", name);
	ts_explain_real(x, s->mean, "cycles");
	ts_explain_from(x, TS_KNOWN_MEASURED, "block.cycles_from, block.cycles_to");
	ts_explain_formula(x, "%lld / %lld", (long long)s->sum, (long long)s->count);
	if (query)
		ts_explain_query(x,
			"SELECT sum(cycles_to - cycles_from) * 1.0 / count(*) FROM block WHERE %s",
			where);
	else
		ts_explain_note(x, "%s", without);
	x = ts_explain_add(out, "95th percentile of %s", name);
	ts_explain_integer(x, s->p95, "cycles");
	ts_explain_from(x, TS_KNOWN_MEASURED, "block.cycles_from, block.cycles_to");
	ts_explain_formula(x, "nearest rank: the %lldth shortest of %lld",
		(long long)(s->count - s->count / 20), (long long)s->count);
	if (query)
		ts_explain_query(x,
			"SELECT cycles_to - cycles_from FROM block WHERE %s ORDER BY 1 LIMIT 1 "
			"OFFSET %lld",
			where, (long long)(s->count - s->count / 20 - 1));
	else
		ts_explain_note(x, "%s", without);
	x = ts_explain_add(out, "jitter of %s", name);
	ts_explain_real(x, 100 * jitter_of(s), "%");
	ts_explain_from(x, TS_KNOWN_MEASURED, "block.cycles_from, block.cycles_to");
	ts_explain_formula(x, "standard deviation %.1f / mean %.1f", s->deviation, s->mean);
	ts_explain_note(x, "No query: SQL here has no standard deviation.");
}

static bool
blocks_sheet(struct ts_tab *tab, struct ts_sheet *out)
{
	struct blocks_tab *b = tab->own;

	if (!b->blocks || !b->l.table.column)
		return false;
	snprintf(out->title, sizeof(out->title), "Blocks by name");
	out->table = b->l.table;
	out->list = &b->l.list;
	out->rows = b->l.order.rows;
	return true;
}

static const struct ts_hint hints[] = {
	{TS_CMD_OPEN, "draw them"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_EXPLAIN, "explain"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops trace_tab_blocks = {
	.name = "blocks",
	.title = "Blocks",
	.brief = "Blk",
	.hints = hints,
	.open = blocks_open,
	.close = blocks_close,
	.drop = blocks_drop,
	.absent = blocks_absent,
	.note = blocks_note,
	.resize = blocks_resize,
	.request = blocks_request,
	.deliver = blocks_deliver,
	.draw = blocks_draw,
	.command = blocks_command,
	.mouse = blocks_mouse,
	.list = blocks_list,
	.explain = blocks_explain,
	.sheet = blocks_sheet,
};
