/* SPDX-License-Identifier: MIT */
/*
 * operations_table - the rows of the Operations view: an operation, a group of them or a program, and what it costs.
 *
 * One table of columns, most of them a member of struct ts_operation_figures: cells on the screen, exact values for files, and
 * the values that a worker sorts and filters by come from it.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "operations_internal.h"

#include "tilescope/base/mem.h"

enum { COUNT_LONG = 1000000 }; /* from there on counts are shown with three digits */

enum kind { IS_TEXT, IS_COUNT, IS_NUMBER, IS_CYCLES, IS_BYTES, IS_SHARE, IS_SHARED };

enum {
	C_NAME,
	C_KIND,
	C_IN,
	C_LAYER,
	C_CYCLES,
	C_SHARE,
	C_SHARED,
	C_STEPS,
	C_MEASURED,
	C_ESTIMATED,
	C_CODE,
	C_BYTES,
	C_LIVE,
	C_VERTICES,
	C_PROGRAMS,
	C_SETS,
	C_MEASURED_TILES,
	C_ESTIMATED_TILES,
	C_CONTROL,
	C_EXCHANGE,
	C_VERTEX,
	C_ALONE,
	C_VARIABLES,
	C_FIRST_STEP,
	C_LIVE_FIRST,
	C_LIVE_LAST,
	C_NUMBER,
	C_CONTEXT,
	COLUMNS
};

#define OF(member) offsetof(struct ts_operation_figures, member)
#define NO_MEMBER SIZE_MAX

/*
 * Of a path the end says most; in the tree it is not to hide how deep a row stands. There the layer goes before what is shared, and
 * of groups their number of operations stands in `kind`.
 */
#define COLUMNS_WITH(least, field, kind, shared)                                    \
	{                                                                           \
		[C_NAME] = {"operation", least, 0, 6, 0, field},                    \
		[C_KIND] = {"kind", 8, 14, 1, kind, TS_FIELD_ELLIPSIS},             \
		[C_IN] = {"in", 10, 40, 2, 9, TS_FIELD_TAIL},                       \
		[C_LAYER] = {"layer", 8, 12, 1, 2, TS_FIELD_ELLIPSIS},              \
		[C_CYCLES] = {"cycles", 8, 9, 0, 0, TS_FIELD_RIGHT},                \
		[C_SHARE] = {"share", 6, 6, 0, 0, TS_FIELD_RIGHT},                  \
		[C_SHARED] = {"shared", 7, 7, 0, shared, TS_FIELD_RIGHT},           \
		[C_STEPS] = {"steps", 7, 9, 0, 3, TS_FIELD_RIGHT},                  \
		[C_MEASURED] = {"each", 8, 9, 0, 4, TS_FIELD_RIGHT},                \
		[C_ESTIMATED] = {"estimated", 9, 9, 0, 6, TS_FIELD_RIGHT},          \
		[C_CODE] = {"code", 8, 9, 0, 1, TS_FIELD_RIGHT},                    \
		[C_BYTES] = {"memory", 8, 9, 0, 1, TS_FIELD_RIGHT},                 \
		[C_LIVE] = {"live", 8, 9, 0, 5, TS_FIELD_RIGHT},                    \
		[C_VERTICES] = {"vertices", 9, 11, 0, 4, TS_FIELD_RIGHT},           \
		[C_PROGRAMS] = {"programs", 8, 9, 0, 3, TS_FIELD_RIGHT},            \
		[C_SETS] = {"sets", 6, 7, 0, 8, TS_FIELD_RIGHT},                    \
		[C_MEASURED_TILES] = {"tile-cycles", 11, 11, 0, 7, TS_FIELD_RIGHT}, \
		[C_ESTIMATED_TILES] = {"est. tiles", 10, 11, 0, 8, TS_FIELD_RIGHT}, \
		[C_CONTROL] = {"control", 8, 9, 0, 8, TS_FIELD_RIGHT},              \
		[C_EXCHANGE] = {"exch code", 9, 9, 0, 8, TS_FIELD_RIGHT},           \
		[C_VERTEX] = {"vertex code", 11, 11, 0, 8, TS_FIELD_RIGHT},         \
		[C_ALONE] = {"its own", 8, 9, 0, 8, TS_FIELD_RIGHT},                \
		[C_VARIABLES] = {"variables", 9, 9, 0, 8, TS_FIELD_RIGHT},          \
		[C_FIRST_STEP] = {"first step", 10, 10, 0, 8, TS_FIELD_RIGHT},      \
		[C_LIVE_FIRST] = {"live from", 9, 9, 0, 8, TS_FIELD_RIGHT},         \
		[C_LIVE_LAST] = {"live to", 8, 9, 0, 8, TS_FIELD_RIGHT},            \
		[C_NUMBER] = {"number", 7, 8, 0, 8, TS_FIELD_RIGHT},                \
		[C_CONTEXT] = {"context", 8, 9, 0, 8, TS_FIELD_RIGHT},              \
	}

static const struct ts_column columns[COLUMNS] = COLUMNS_WITH(26, TS_FIELD_TAIL, 5, 1);
static const struct ts_column tree_columns[COLUMNS] = COLUMNS_WITH(36, TS_FIELD_ELLIPSIS, 5, 3);
static const struct ts_column group_columns[COLUMNS] = COLUMNS_WITH(36, TS_FIELD_ELLIPSIS, 3, 3);

/*
 * The layer of an operation is said in the tree, for a table is of one; what it shares with others, where some do.
 */
#define FACTS(in_table, shares)                                                              \
	{                                                                                    \
		[C_NAME] = {"operation", NULL, TS_SUM_NONE, false},                          \
		[C_KIND] = {"kind", NULL, TS_SUM_NONE, false},                               \
		[C_IN] = {"in", NULL, TS_SUM_NONE, true},                                    \
		[C_LAYER] = {"layer", NULL, TS_SUM_NONE, in_table},                          \
		[C_CYCLES] = {"cycles", "cycles", TS_SUM_NONE, false},                       \
		[C_SHARE] = {"share", "%", TS_SUM_NONE, false},                              \
		[C_SHARED] = {"shared", NULL, TS_SUM_NONE, !(shares)},                       \
		[C_STEPS] = {"steps", NULL, TS_SUM_NONE, false},                             \
		[C_MEASURED] = {"measured", "cycles", TS_SUM_NONE, false},                   \
		[C_ESTIMATED] = {"estimated", "cycles", TS_SUM_NONE, false},                 \
		[C_CODE] = {"code", "bytes", TS_SUM_NONE, false},                            \
		[C_BYTES] = {"memory", "bytes", TS_SUM_NONE, false},                         \
		[C_LIVE] = {"live", "bytes", TS_SUM_NONE, false},                            \
		[C_VERTICES] = {"vertices", NULL, TS_SUM_NONE, false},                       \
		[C_PROGRAMS] = {"programs", NULL, TS_SUM_NONE, false},                       \
		[C_SETS] = {"compute_sets", NULL, TS_SUM_NONE, true},                        \
		[C_MEASURED_TILES] = {"measured_tiles", "tile-cycles", TS_SUM_NONE, true},   \
		[C_ESTIMATED_TILES] = {"estimated_tiles", "tile-cycles", TS_SUM_NONE, true}, \
		[C_CONTROL] = {"control_code", "bytes", TS_SUM_NONE, true},                  \
		[C_EXCHANGE] = {"exchange_code", "bytes", TS_SUM_NONE, true},                \
		[C_VERTEX] = {"vertex_code", "bytes", TS_SUM_NONE, true},                    \
		[C_ALONE] = {"vertex_alone", "bytes", TS_SUM_NONE, true},                    \
		[C_VARIABLES] = {"variables", NULL, TS_SUM_NONE, true},                      \
		[C_FIRST_STEP] = {"first_step", NULL, TS_SUM_NONE, true},                    \
		[C_LIVE_FIRST] = {"live_first", NULL, TS_SUM_NONE, true},                    \
		[C_LIVE_LAST] = {"live_last", NULL, TS_SUM_NONE, true},                      \
		[C_NUMBER] = {"number", NULL, TS_SUM_NONE, true},                            \
		[C_CONTEXT] = {"context", NULL, TS_SUM_NONE, true},                          \
	}

static const struct ts_column_facts tree_facts[COLUMNS] = FACTS(false, false);
static const struct ts_column_facts sharing_tree_facts[COLUMNS] = FACTS(false, true);
static const struct ts_column_facts facts[COLUMNS] = FACTS(true, false);
static const struct ts_column_facts sharing_facts[COLUMNS] = FACTS(true, true);

static const struct {
	enum kind kind;
	size_t member;
} what[COLUMNS] = {
	[C_NAME] = {IS_TEXT, NO_MEMBER},
	[C_KIND] = {IS_TEXT, NO_MEMBER},
	[C_IN] = {IS_TEXT, NO_MEMBER},
	[C_LAYER] = {IS_TEXT, NO_MEMBER},
	[C_CYCLES] = {IS_CYCLES, NO_MEMBER},
	[C_SHARE] = {IS_SHARE, NO_MEMBER},
	[C_SHARED] = {IS_SHARED, NO_MEMBER},
	[C_STEPS] = {IS_COUNT, OF(steps)},
	[C_MEASURED] = {IS_CYCLES, OF(measured)},
	[C_ESTIMATED] = {IS_CYCLES, OF(estimated)},
	[C_CODE] = {IS_BYTES, OF(code)},
	[C_BYTES] = {IS_BYTES, OF(bytes)},
	[C_LIVE] = {IS_BYTES, OF(live)},
	[C_VERTICES] = {IS_COUNT, OF(vertices)},
	[C_PROGRAMS] = {IS_COUNT, OF(programs)},
	[C_SETS] = {IS_COUNT, OF(compute_sets)},
	[C_MEASURED_TILES] = {IS_CYCLES, OF(measured_tiles)},
	[C_ESTIMATED_TILES] = {IS_CYCLES, OF(estimated_tiles)},
	[C_CONTROL] = {IS_BYTES, OF(control_code)},
	[C_EXCHANGE] = {IS_BYTES, OF(exchange_code)},
	[C_VERTEX] = {IS_BYTES, OF(vertex_code)},
	[C_ALONE] = {IS_BYTES, OF(vertex_alone)},
	[C_VARIABLES] = {IS_COUNT, OF(variables)},
	[C_FIRST_STEP] = {IS_COUNT, OF(first_step)},
	[C_LIVE_FIRST] = {IS_COUNT, OF(live_first)},
	[C_LIVE_LAST] = {IS_COUNT, OF(live_last)},
	[C_NUMBER] = {IS_NUMBER, NO_MEMBER},
	[C_CONTEXT] = {IS_NUMBER, NO_MEMBER},
};

/* --- names ------------------------------------------------------------------------------------------ */

static const struct ts_program_cost *
program_of(const struct operations_shape *s, uint32_t i)
{
	return (const struct ts_program_cost *)s->ops->costs->cost.memory + i;
}

static const char *
constant(size_t *n, const char *s)
{
	*n = strlen(s);
	return s;
}

static const char *
node_name(size_t *n, const struct ts_operations *o, uint32_t i)
{
	const char *s = ts_operation_debug_name(n, o, i);

	s = s ? s : ts_operation_name(n, o, i);
	return s ? s : constant(n, "(no name)");
}

static const char *
path_of(size_t *n, const struct operations_shape *s, uint32_t node)
{
	const uint64_t *at = s->path_at.memory;

	*n = (size_t)(at[node + 1] - at[node]);
	return *n > 0 ? (const char *)s->paths.memory + at[node] : node_name(n, s->ops, node);
}

const char *
operations_name(size_t *n, const struct operations_shape *s, uint32_t row)
{
	const char *key;
	uint32_t i;

	switch (operations_row(&s->ids, row, &i)) {
	case ROW_NODE:
		return s->paths.memory ? path_of(n, s, i) : node_name(n, s->ops, i);
	case ROW_GROUP:
		key = ts_operation_group_key(n, s->groups, i);
		return key ? key : constant(n, "(not found)");
	case ROW_OUTSIDE:
		return constant(n,
			s->wish.tree ? "(in no operation)" : "(in no operation of this layer)");
	case ROW_PROGRAM:
	default:
		return ts_program_type(n, s->ops->costs, program_of(s, i));
	}
}

/*
 * A name without what its parent's says already: "c" of "a/b/c" in "a/b", "x/../c" of "x/a/b/c".
 */
static void
add_remainder(struct ts_strbuf *out, const struct operations_shape *s, uint32_t node,
	const char *name, size_t n)
{
	uint32_t parent = ts_operation_at(s->ops, node)->parent;
	const char *above = NULL;
	size_t m = 0, at = 0;

	if (parent != TS_NO_OPERATION)
		above = node_name(&m, s->ops, parent);
	if (!above || m == 0 || m + 1 >= n) {
		ts_strbuf_add(out, name, n);
		return;
	}
	while (at + m < n &&
		(memcmp(name + at, above, m) != 0 || name[at + m] != '/' ||
			(at > 0 && name[at - 1] != '/')))
		at++;
	if (at + m >= n) {
		ts_strbuf_add(out, name, n);
		return;
	}
	ts_strbuf_add(out, name, at);
	ts_strbuf_puts(out, at > 0 ? "\xe2\x80\xa6" /* … */ : "");
	ts_strbuf_add(out, name + at + m + (at == 0), n - at - m - (at == 0));
}

void
operations_title(struct ts_strbuf *out, const struct operations_shape *s, uint32_t row,
	bool in_tree)
{
	size_t n = 0;
	const char *name = operations_name(&n, s, row);
	uint32_t i;

	switch (operations_row(&s->ids, row, &i)) {
	case ROW_NODE:
		if (!in_tree || !name)
			break;
		add_remainder(out, s, i, name, n);
		return;
	case ROW_PROGRAM:
		if (!name)
			ts_strbuf_puts(out, "program");
		else
			ts_strbuf_add(out, name, n);
		ts_strbuf_printf(out, " %" PRId64, program_of(s, i)->program);
		return;
	case ROW_GROUP:
	case ROW_OUTSIDE:
	default:
		break;
	}
	if (name)
		ts_strbuf_add(out, name, n);
}

/* --- values ------------------------------------------------------------------------------------------ */

static const char *
text_of(size_t *n, const struct operations_shape *s, uint32_t row, int column)
{
	const struct ts_operation *o;
	uint32_t i;

	if (column == C_NAME)
		return operations_name(n, s, row);
	if (operations_row(&s->ids, row, &i) != ROW_NODE)
		return NULL;
	o = ts_operation_at(s->ops, i);
	if (column == C_LAYER)
		return ts_operation_layer_name(n, s->ops, o->layer);
	if (column == C_IN)
		return o->parent == TS_NO_OPERATION ? NULL : node_name(n, s->ops, o->parent);
	return o->debug_name == TS_DICTIONARY_NONE ? NULL : ts_operation_name(n, s->ops, i);
}

static int64_t
number_of(const struct operations_shape *s, uint32_t row, int column)
{
	uint32_t i;

	switch (operations_row(&s->ids, row, &i)) {
	case ROW_NODE:
		return column == C_NUMBER ? ts_operation_at(s->ops, i)->operation
					  : operations_context(ts_operation_at(s->ops, i));
	case ROW_PROGRAM:
		return column == C_NUMBER ? program_of(s, i)->program : program_of(s, i)->context;
	case ROW_GROUP:
	case ROW_OUTSIDE:
	default:
		return TS_UNKNOWN;
	}
}

const struct ts_operation_shared *
operations_shared(const struct operations_shape *s, uint32_t row)
{
	uint32_t i;

	if (row == UINT32_MAX)
		return s->wish.filter[0] ? NULL
			: s->wish.tree	 ? ts_operation_tree_shares(s->ops)
			: s->groups	 ? &s->groups->shared
					 : ts_operation_layer_shares(s->ops, s->wish.layer);
	switch (operations_row(&s->ids, row, &i)) {
	case ROW_NODE:
		return s->wish.tree ? ts_operation_shares_below(s->ops, i)
				    : ts_operation_shares(s->ops, i);
	case ROW_GROUP:
		return &ts_operation_group_at(s->groups, i)->shared;
	case ROW_OUTSIDE:
	case ROW_PROGRAM:
	default:
		return NULL;
	}
}

/* Programs that others have, too; of the total (row UINT32_MAX), that several have. */
static int64_t
shared_of(const struct operations_shape *s, uint32_t row)
{
	const struct ts_operation_shared *x = operations_shared(s, row);

	return x ? x->programs : TS_UNKNOWN;
}

static int64_t
figure(const struct operations_shape *s, const struct ts_operation_figures *f, int column)
{
	int64_t v;

	if (what[column].member == NO_MEMBER)
		return operations_cycles(s->ops, f);
	memcpy(&v, (const char *)f + what[column].member, sizeof(v));
	return v;
}

/* Of a row, or of figures without one: the total. */
static void
row_value(const struct operations_shape *s, uint32_t row, const struct ts_operation_figures *total,
	int column, struct ts_table_value *out)
{
	struct ts_operation_figures room;
	const struct ts_operation_figures *f = total ? total : operations_figures(s, row, &room);
	int64_t all = operations_cycles(s->ops, &s->ops->all), own;
	const char *text;
	size_t n = 0;

	switch (what[column].kind) {
	case IS_TEXT:
		text = total ? NULL : text_of(&n, s, row, column);
		if (text)
			*out = (struct ts_table_value){.type = TS_VALUE_TEXT, .s = text, .n = n};
		break;
	case IS_NUMBER:
		ts_table_value_known(out, total ? TS_UNKNOWN : number_of(s, row, column));
		break;
	case IS_SHARED:
		if (!total || total == &s->total) /* not of marked ones */
			ts_table_value_known(out, shared_of(s, total ? UINT32_MAX : row));
		break;
	case IS_SHARE:
		own = operations_cycles(s->ops, f);
		if (own != TS_UNKNOWN && all > 0)
			ts_table_value_real(out, 100.0 * (double)own / (double)all);
		break;
	case IS_COUNT:
	case IS_CYCLES:
	case IS_BYTES:
	default:
		ts_table_value_known(out, figure(s, f, column));
	}
}

static bool
worker_value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct operations_values *v = ctx;

	row_value(v->shape, v->row[i], NULL, column, out);
	return true;
}

void
operations_values_table(struct ts_table *t, struct operations_values *v)
{
	*t = (struct ts_table){.column = columns,
		.columns = COLUMNS,
		.id = "operations.worker",
		.facts = facts,
		.value = worker_value,
		.ctx = v,
		.sorted = -1};
}

/* What the pinned row is of: the marked ones, else all that are shown. */
static const struct ts_operation_figures *
total_of(const struct operations_view *s)
{
	return s->marks > 0 && s->marked_known ? &s->marked : &s->shape->total;
}

static bool
value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	struct operations_view *s = ctx;

	if (!s->shape || i >= (int64_t)s->outline.count)
		return false;
	row_value(s->shape, i < 0 ? 0 : s->outline.row[i].node, i < 0 ? total_of(s) : NULL, column,
		out);
	return true;
}

/* --- cells ------------------------------------------------------------------------------------------- */

/* "  ▸ name", indented by its depth; deep ones say how deep they are. */
static void
name_cell(const struct operations_view *s, const struct ts_outline_row *row,
	struct ts_table_cell *out)
{
	enum { INDENT_MOST = 12 };
	const uint32_t *first = s->shape->first.memory;
	bool leaf = first[row->node] == first[row->node + 1];
	bool folds = s->shape->wish.tree || s->shape->groups;
	struct ts_strbuf name;
	char deep[16] = "";
	uint32_t i;

	ts_strbuf_init(&name, sizeof(out->buf) / 2);
	operations_title(&name, s->shape, row->node, row->depth > 0);
	if (row->depth > INDENT_MOST)
		snprintf(deep, sizeof(deep), "%u ", row->depth);
	snprintf(out->buf, sizeof(out->buf), "%*s%s%s%s",
		(int)ts_min_i64(row->depth, INDENT_MOST) * 2, "", deep,
		!folds		    ? ""
			: leaf	    ? "  "
			: row->open ? "\xe2\x96\xbe " /* ▾ */
				    : "\xe2\x96\xb8 " /* ▸ */,
		name.s);
	ts_strbuf_fini(&name);
	out->s = out->buf;
	switch (operations_row(&s->shape->ids, row->node, &i)) {
	case ROW_PROGRAM:
		out->role = (enum ts_role)(TS_ROLE_COMPUTE + program_of(s->shape, i)->class_of);
		break;
	case ROW_OUTSIDE:
		out->role = TS_ROLE_DIM;
		break;
	case ROW_NODE:
	case ROW_GROUP:
	default:
		break;
	}
}

/* ", sum 134%": what shown operations come to, where programs that they share make it more than there is. */
static void
sum_words(const struct operations_shape *x, char *out, size_t size)
{
	int64_t all = operations_cycles(x->ops, &x->ops->all);
	char n[TS_FMT_MAX];

	out[0] = '\0';
	if (x->sum != TS_UNKNOWN && all > 0 && x->sum > operations_cycles(x->ops, &x->total))
		snprintf(out, size, ", sum %s", ts_fmt_percent(n, (double)x->sum, (double)all));
}

/* "all, 142 operations, sum 134%", "3 marked", "12 of 142 operations". */
static void
total_name(const struct operations_view *s, struct ts_table_cell *out)
{
	const struct operations_shape *x = s->shape;
	int64_t all = x->wish.tree ? x->ids.nodes : (int64_t)x->ops->layer[x->wish.layer].count;
	char n[TS_FMT_MAX], m[TS_FMT_MAX], sum[TS_FMT_MAX + 8];

	sum_words(x, sum, sizeof(sum));
	if (s->marks > 0)
		snprintf(out->buf, sizeof(out->buf), "%d marked", s->marks);
	else if (x->wish.filter[0])
		snprintf(out->buf, sizeof(out->buf), "%s of %s operations%s",
			ts_fmt_count(n, (int64_t)x->matches), ts_fmt_count(m, all), sum);
	else
		snprintf(out->buf, sizeof(out->buf), "all, %s operation%s%s", ts_fmt_count(n, all),
			all == 1 ? "" : "s", sum);
	out->s = out->buf;
}

/* How many operations a group has. */
static bool
group_cell(const struct operations_shape *s, uint32_t row, struct ts_table_cell *out)
{
	char n[TS_FMT_MAX];
	uint32_t i;

	if (operations_row(&s->ids, row, &i) != ROW_GROUP)
		return false;
	snprintf(out->buf, sizeof(out->buf), "%s ops",
		ts_fmt_count(n, (int64_t)ts_operation_group_at(s->groups, i)->count));
	out->s = out->buf;
	out->role = TS_ROLE_DIM;
	return true;
}

static bool
cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	struct operations_view *s = ctx;
	struct ts_table_value v = {.type = TS_VALUE_NONE};
	enum ts_units units = s->base.env->options->units;

	if (!s->shape || i >= (int64_t)s->outline.count)
		return false;
	if (column == C_NAME) {
		if (i < 0)
			total_name(s, out);
		else
			name_cell(s, &s->outline.row[i], out);
		return true;
	}
	if (column == C_KIND && i >= 0 && group_cell(s->shape, s->outline.row[i].node, out))
		return true;
	if (!value(ctx, i, column, &v))
		return false;
	out->s = v.type == TS_VALUE_NONE ? "" : out->buf;
	if (v.type == TS_VALUE_TEXT) {
		out->s = v.s;
		out->n = v.n;
		out->role = TS_ROLE_DIM;
	} else if (v.type == TS_VALUE_REAL) {
		ts_fmt_percent(out->buf, v.real, 100.0);
	} else if (v.type == TS_VALUE_INTEGER && what[column].kind == IS_BYTES) {
		ts_fmt_bytes_short(out->buf, v.integer, units);
	} else if (v.type == TS_VALUE_INTEGER && what[column].kind == IS_CYCLES) {
		ts_fmt_cycles_short(out->buf, v.integer);
	} else if (v.type == TS_VALUE_INTEGER && what[column].kind == IS_NUMBER) {
		snprintf(out->buf, sizeof(out->buf), "%" PRId64, v.integer);
	} else if (v.type == TS_VALUE_INTEGER && v.integer >= COUNT_LONG) {
		ts_fmt_cycles_short(out->buf, v.integer);
	} else if (v.type == TS_VALUE_INTEGER) {
		ts_fmt_count(out->buf, v.integer);
	}
	if (column == C_CYCLES && operations_measure(s->ops) == OPERATIONS_ESTIMATED)
		out->role = TS_ROLE_NOTE;
	return true;
}

static enum ts_role
row_role(void *ctx, int64_t i)
{
	struct operations_view *s = ctx;
	uint32_t row;

	if (i < 0 || i >= (int64_t)s->outline.count)
		return TS_ROLE_TEXT;
	row = s->outline.row[i].node;
	if (operations_is_hit(s, row))
		return TS_ROLE_MATCH;
	return operations_is_marked(s, row) ? TS_ROLE_SELECTION : TS_ROLE_TEXT;
}

/* Some of them share programs. While other rows are made it is the layer that says so, or the tree. */
static bool
tells_shares(const struct operations_view *s)
{
	if (!s->ops)
		return false;
	if (s->wish.tree)
		return ts_operation_tree_shares(s->ops)->programs > 0;
	if (s->wish.group && s->shape && s->shape->groups && s->shape->groups->shared.programs > 0)
		return true;
	return ts_operation_layer_shares(s->ops, s->wish.layer)->programs > 0;
}

struct ts_table
operations_table(struct operations_view *s)
{
	bool tree = s->wish.tree;

	return (struct ts_table){
		.column = tree		? tree_columns
			: s->wish.group ? group_columns
					: columns,
		.columns = COLUMNS,
		.cell = cell,
		.row = row_role,
		.needle = s->sought,
		.ctx = s,
		.header = true,
		.total = true,
		.focus = !s->split.in_tabs,
		.sorted = s->wish.sorted,
		.descending = s->wish.descending,
		.empty = s->wish.filter[0] ? "no operation passes the filter"
					   : "no operations in this layer",
		.id = tree ? "operations.tree" : "operations.table",
		.facts = tree		  ? tells_shares(s) ? sharing_tree_facts : tree_facts
			: tells_shares(s) ? sharing_facts
					  : facts,
		.value = value,
		.looks = s->base.env->looks,
		.units = s->base.env->options->units,
	};
}
