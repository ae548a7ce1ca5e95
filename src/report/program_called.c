/* SPDX-License-Identifier: MIT */
/* program_called - see the header. */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/program_called.h"
#include "tilescope/report/rows.h"

/* Does it call anything? Yes where that cannot be seen at a look. */
static enum ts_code
calls_any(bool *any, struct ts_reader *rd, int64_t program, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_PROGRAM_CHILD_PARENT},
		.column_count = 1,
		.range = TS_RANGE_KEY,
		.from = program,
		.to = program + 1,
		.limit = 1};
	struct ts_rows *rows;
	enum ts_code code;

	*any = true;
	if (rd->report->binding[TS_PROGRAM_CHILD].reach.key == TS_REACH_NONE)
		return TS_OK;
	code = ts_reader_rows(&rows, rd, TS_PROGRAM_CHILD, &q, err);
	if (code)
		return code;
	code = ts_rows_next(rows, any, err);
	ts_rows_close(rows);
	*any |= code == TS_E_DAMAGED;
	return code == TS_E_DAMAGED ? TS_OK : code;
}

/* Numbers of all that is reached from a node, itself among them: nodes are in the order of their numbers. */
static enum ts_code
gather(struct ts_program_called *c, const struct ts_program_tree *t, uint32_t start,
	const struct ts_cache *cache, const struct ts_cancel *cancel, struct ts_err *err)
{
	const struct ts_program_node *node = t->node.memory;
	size_t bytes = t->nodes / 8 + 1;
	unsigned char *from = ts_alloc(bytes, 1), *to = ts_alloc(bytes, 1);
	enum ts_code code = from && to ? TS_OK : ts_err_nomem(err);

	if (!code) {
		from[start / 8] = (unsigned char)(1U << start % 8);
		code = ts_program_reach(to, from, t, cancel, err);
	}
	for (uint32_t i = 0; !code && i < t->nodes; i++)
		if (i == start || to[i / 8] >> i % 8 & 1) {
			code = ts_pile_add(&c->number, &node[i].program, sizeof(node[i].program),
				cache, err);
			c->count++;
		}
	free(from);
	free(to);
	return code;
}

static enum ts_code
read_called(struct ts_program_called *c, struct ts_reader *rd, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err)
{
	struct ts_program_tree *tree = NULL;
	uint32_t node = UINT32_MAX;
	bool any = false;
	enum ts_code code = TS_OK;

	if (ts_report_has(rd->report, TS_PROGRAM_CHILD))
		code = calls_any(&any, rd, c->program, err);
	if (!code && any)
		code = ts_program_tree_read(&tree, rd, cache, progress, err);
	c->partial = code == TS_E_DAMAGED;
	if (c->partial)
		code = TS_OK;
	if (!code && tree)
		node = ts_program_tree_find(tree, c->program);
	if (!code && node != UINT32_MAX) {
		code = gather(c, tree, node, cache, rd->cancel, err);
	} else if (!code) {
		code = ts_pile_add(&c->number, &c->program, sizeof(c->program), cache, err);
		c->count = 1;
	}
	ts_program_tree_close(tree);
	return code;
}

enum ts_code
ts_program_called_read(struct ts_program_called **out, struct ts_reader *rd, int64_t program,
	const struct ts_cache *cache, struct ts_progress *progress, struct ts_err *err)
{
	struct ts_program_called *c = ts_alloc(1, sizeof(*c));
	enum ts_code code;

	*out = NULL;
	if (!c)
		return ts_err_nomem(err);
	atomic_init(&c->uses, 1);
	c->program = program;
	code = read_called(c, rd, cache, progress, err);
	if (code)
		ts_program_called_close(c);
	else
		*out = c;
	return code;
}

struct ts_program_called *
ts_program_called_hold(struct ts_program_called *c)
{
	atomic_fetch_add(&c->uses, 1);
	return c;
}

void
ts_program_called_close(struct ts_program_called *c)
{
	if (!c || atomic_fetch_sub(&c->uses, 1) > 1)
		return;
	ts_pile_fini(&c->number);
	free(c);
}

bool
ts_program_called_has(const struct ts_program_called *c, int64_t program)
{
	const int64_t *number = c->number.memory;
	size_t low = 0, high = c->count;

	if (program == c->program)
		return true;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (number[middle] < program)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->count && number[low] == program;
}
