/* SPDX-License-Identifier: MIT */
/*
 * operations_explain - what the figures of the row under the cursor are, for `=`, each with the query that reproduces it: over its
 * programs (operation_member), the compute sets and vertex types that these run, and the variables of its debug contexts.
 */
#include "config.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "operations_internal.h"
#include "program_tabs.h"

#include "tilescope/base/mem.h"
#include "tilescope/base/pattern.h"
#include "tilescope/view/explain_common.h"

enum { WHERE = OPERATIONS_QUERY - 200, WORDS = 2 * OPERATIONS_REGEX + 16, KEY = 160 };

/* --- whose figures they are --------------------------------------------------------------------------- */

/* The operations of a group, as a condition on operation_node; false: its words do not fit. */
static bool
group_where(char *out, size_t size, const struct operations_shape *s, uint32_t i)
{
	char pattern[WORDS], text[OPERATIONS_REGEX + 8], key[2 * KEY + 8] = "", plain[KEY + 1];
	const char *said;
	size_t n;

	if (s->groups->left_out > 0) /* what is beyond them is with those that are not found */
		return false;
	snprintf(text, sizeof(text), "%s%s", ts_pattern_folds(s->wish.rollup) ? "(?i)" : "",
		s->wish.rollup);
	said = ts_operation_group_key(&n, s->groups, i);
	if (!ts_explain_quote(pattern, sizeof(pattern), text) || (said && n > KEY))
		return false;
	snprintf(plain, sizeof(plain), "%.*s", said ? (int)n : 0, said ? said : "");
	if (said && (strlen(plain) != n || !ts_explain_quote(key, sizeof(key), plain)))
		return false;
	return (size_t)snprintf(out, size,
		       "layer_number = %" PRIu32
		       " AND own AND regexp_group(%s, coalesce(debug_name, path)) IS %s",
		       s->wish.layer, pattern, said ? key : "NULL") < size;
}

/* The same of operation_member, and of operation_context. */
static bool
row_where(char *out, size_t size, const struct operations_shape *s, uint32_t row)
{
	char group[WHERE];
	uint32_t i;

	switch (operations_row(&s->ids, row, &i)) {
	case ROW_NODE:
		snprintf(out, size, "node = %" PRIu32 "%s", i, s->wish.tree ? "" : " AND own");
		return true;
	case ROW_GROUP:
		return group_where(group, sizeof(group), s, i) &&
			(size_t)snprintf(out, size,
				"own AND node IN (SELECT node FROM operation_node WHERE %s)",
				group) < size;
	case ROW_OUTSIDE:
		if (s->wish.tree)
			snprintf(out, size, "node IS NULL");
		else
			snprintf(out, size,
				"program NOT IN (SELECT m.program FROM operation_member m JOIN "
				"operation_node n ON n.node = m.node WHERE m.own AND n.layer_number "
				"= %" PRIu32 ")",
				s->wish.layer);
		return true;
	case ROW_PROGRAM:
	default:
		return false;
	}
}

bool
operations_query(char out[OPERATIONS_QUERY], const struct operations_shape *s, uint32_t row)
{
	char where[WHERE];

	out[0] = '\0';
	if (row == UINT32_MAX || !row_where(where, sizeof(where), s, row))
		return false;
	snprintf(out, OPERATIONS_QUERY,
		"WITH of(p, c) AS (SELECT DISTINCT program, compute_set FROM operation_member WHERE "
		"%s) ",
		where);
	return true;
}

/* --- figures ------------------------------------------------------------------------------------------ */

#define BY_TILE(function, column, of)                                                        \
	"SELECT sum(" function "(coalesce(x." column ", (SELECT c." column                   \
	" FROM compute_set c WHERE c.compute_set = o.c)))) FROM " of " o JOIN program x ON " \
	"x.program = o.p"
#define EXCHANGE_CODE \
	"SELECT sum(tile_sum(code_by_tile)) FROM program WHERE program IN (SELECT p FROM of)"
#define CONTROL_CODE                                                                                   \
	"SELECT sum(tile_sum(control_code_by_tile)) FROM program WHERE program IN (SELECT p FROM of) " \
	"AND " TS_EXPLAIN_LEAF
#define VERTEX_CODE                                                                              \
	"SELECT sum(code_bytes) FROM tile_vertex WHERE vertex_type IN (SELECT vertex_type FROM " \
	"compute_set_vertex WHERE compute_set IN (SELECT c FROM of))"
#define VERTEX_ALONE                                                                     \
	VERTEX_CODE                                                                      \
	" AND vertex_type NOT IN (SELECT vertex_type FROM compute_set_vertex WHERE "     \
	"compute_set IN (SELECT compute_set FROM operation_member WHERE program NOT IN " \
	"(SELECT p FROM of)) AND vertex_type IS NOT NULL)"

#define EXECUTED(of)                                                                        \
	"SELECT coalesce(sum(i.cycles), 0) FROM step s JOIN step_ipu i ON i.step = s.step " \
	"WHERE s.program IN (SELECT p FROM " of ")"

/* What decides the share, by enum operations_measure: of its programs, and of all. */
static const struct {
	const char *of, *every;
} cycles_sql[] = {
	{EXECUTED("of"), EXECUTED("every")},
	{BY_TILE("tile_max", "cycles_by_tile", "of"),
		BY_TILE("tile_max", "cycles_by_tile", "every")},
	{BY_TILE("tile_max", "estimated_cycles_by_tile", "of"),
		BY_TILE("tile_max", "estimated_cycles_by_tile", "every")},
};

enum { NO_OTHER = -1 };

static const struct figure {
	const char *what, *unit, *from;
	const char *query; /* over of(p, c): its programs and their compute sets */
	size_t member;	   /* in ts_operation_figures */
	enum ts_known known;
	int other; /* a relation that has to be there, too */
} figures[] = {
	{"cycles executed", "cycles", "step_ipu.cycles, step.program", EXECUTED("of"),
		offsetof(struct ts_operation_figures, executed), TS_KNOWN_REPEATED, NO_OTHER},
	{"steps executed", "steps", "step.program",
		"SELECT count(*) FROM step WHERE program IN (SELECT p FROM of)",
		offsetof(struct ts_operation_figures, steps), TS_KNOWN_RECORDED, NO_OTHER},
	{"measured cycles of one execution, longest tiles", "cycles",
		"program.cycles_by_tile, else compute_set.cycles_by_tile",
		BY_TILE("tile_max", "cycles_by_tile", "of"),
		offsetof(struct ts_operation_figures, measured), TS_KNOWN_REPEATED, TS_COMPUTE_SET},
	{"measured cycles of one execution, all tiles", "cycles",
		"program.cycles_by_tile, else compute_set.cycles_by_tile",
		BY_TILE("tile_sum", "cycles_by_tile", "of"),
		offsetof(struct ts_operation_figures, measured_tiles), TS_KNOWN_REPEATED,
		TS_COMPUTE_SET},
	{"estimated cycles of one execution, longest tiles", "cycles",
		"program.estimated_cycles_by_tile, else compute_set.estimated_cycles_by_tile",
		BY_TILE("tile_max", "estimated_cycles_by_tile", "of"),
		offsetof(struct ts_operation_figures, estimated), TS_KNOWN_ESTIMATED,
		TS_COMPUTE_SET},
	{"estimated cycles of one execution, all tiles", "cycles",
		"program.estimated_cycles_by_tile, else compute_set.estimated_cycles_by_tile",
		BY_TILE("tile_sum", "estimated_cycles_by_tile", "of"),
		offsetof(struct ts_operation_figures, estimated_tiles), TS_KNOWN_ESTIMATED,
		TS_COMPUTE_SET},
	{"exchange code", "bytes", "program.code_by_tile", EXCHANGE_CODE,
		offsetof(struct ts_operation_figures, exchange_code), TS_KNOWN_RECORDED, NO_OTHER},
	{"control code", "bytes", "program.control_code_by_tile", CONTROL_CODE,
		offsetof(struct ts_operation_figures, control_code), TS_KNOWN_RECORDED, NO_OTHER},
	{"vertex code", "bytes", "compute_set_vertex, tile_vertex.code_bytes", VERTEX_CODE,
		offsetof(struct ts_operation_figures, vertex_code), TS_KNOWN_DERIVED, NO_OTHER},
	{"vertex code that nothing else runs", "bytes",
		"compute_set_vertex, tile_vertex.code_bytes", VERTEX_ALONE,
		offsetof(struct ts_operation_figures, vertex_alone), TS_KNOWN_DERIVED, NO_OTHER},
	{"code", "bytes", "program.control_code_by_tile, program.code_by_tile, tile_vertex", NULL,
		offsetof(struct ts_operation_figures, code), TS_KNOWN_DERIVED, NO_OTHER},
	{"memory of its variables", "bytes", "variable.bytes, variable.context", NULL,
		offsetof(struct ts_operation_figures, bytes), TS_KNOWN_DERIVED, NO_OTHER},
	{"live bytes at its fullest liveness step", "bytes", "liveness_step.not_always_live",
		"SELECT max(not_always_live) FROM liveness_step WHERE program IN (SELECT p FROM of)",
		offsetof(struct ts_operation_figures, live), TS_KNOWN_RECORDED, NO_OTHER},
	{"vertices", "vertices", "compute_set_vertex.instances",
		"SELECT sum(instances) FROM compute_set_vertex WHERE compute_set IN (SELECT c FROM of)",
		offsetof(struct ts_operation_figures, vertices), TS_KNOWN_DERIVED, NO_OTHER},
	{"programs", "programs", "operation_program, program.context, program.name",
		"SELECT count(*) FROM of", offsetof(struct ts_operation_figures, programs),
		TS_KNOWN_DERIVED, NO_OTHER},
};

static bool
is(const struct figure *f, size_t member)
{
	return f->member == member;
}

#define IS(f, name) is(f, offsetof(struct ts_operation_figures, name))

/* Of what is known of its code. */
static void
code_query(struct ts_explained *x, const char *with, const struct ts_operation_figures *f)
{
	bool control = f->control_code != TS_UNKNOWN, exchange = f->exchange_code != TS_UNKNOWN,
	     alone = f->vertex_alone != TS_UNKNOWN;

	ts_explain_query(x, "%sSELECT %s%s%s%s%s", with, control ? "(" CONTROL_CODE ")" : "",
		control && (exchange || alone) ? " + " : "", exchange ? "(" EXCHANGE_CODE ")" : "",
		exchange && alone ? " + " : "", alone ? "(" VERTEX_ALONE ")" : "");
	ts_explain_formula(x,
		"control %" PRId64 " + exchange %" PRId64 " + vertices of its own %" PRId64,
		control ? f->control_code : 0, exchange ? f->exchange_code : 0,
		alone ? f->vertex_alone : 0);
}

/*
 * Variables count where their context is, or the nearest above it that has an operation: a walk up from the contexts that
 * variables name. What was cut there no query knows.
 */
static void
bytes_query(struct ts_explained *x, const struct operations_shape *s, uint32_t row)
{
	bool outside = row == operations_outside_row(&s->ids);
	const char *of = s->ops->bytes_lowered ? "lowered_variable" : "variable";
	char where[WHERE];

	if (outside)
		snprintf(where, sizeof(where),
			"own AND node IN (SELECT node FROM operation_node WHERE layer_number = %" PRIu32
			")",
			s->wish.layer);
	if ((!outside && !row_where(where, sizeof(where), s, row)) || s->ops->cut > 0 ||
		s->ops->left_out > 0) {
		ts_explain_note(x, "contexts go in circles, are too deep, or too many: no query");
		return;
	}
	ts_explain_query(x,
		"WITH RECURSIVE of(c) AS (SELECT context FROM operation_context WHERE %s), up(v, c) AS "
		"(SELECT DISTINCT context, context FROM %s WHERE context IS NOT NULL UNION SELECT u.v, "
		"x.parent FROM up u JOIN context x ON x.context = u.c WHERE x.parent IS NOT NULL AND "
		"u.c NOT IN (SELECT context FROM operation_node WHERE context IS NOT NULL)) SELECT "
		"sum(bytes) FROM %s WHERE %scoalesce(context IN (SELECT v FROM up WHERE c IN (SELECT c "
		"FROM of)), 0)",
		where, of, of, outside ? "NOT " : "");
}

static void
figure_query(struct ts_explained *x, const struct operations_view *s, uint32_t row,
	const struct figure *f, const struct ts_operation_figures *all, const char *with)
{
	if (IS(f, bytes)) {
		bytes_query(x, s->shape, row);
	} else if (!with[0]) {
		ts_explain_note(x, "its words are too long for a query");
	} else if (f->other != NO_OTHER &&
		!ts_report_has(s->base.env->report, (enum ts_relation)f->other)) {
		ts_explain_note(x, "no query: %s is not recorded",
			ts_relation_def((enum ts_relation)f->other)->name);
	} else if (IS(f, code)) {
		code_query(x, with, all);
	} else {
		ts_explain_query(x, "%s%s", with, f->query);
	}
}

bool
operations_shares_words(char *out, size_t size, const struct operations_view *s, uint32_t row)
{
	const struct ts_operation_shared *x = operations_shared(s->shape, row);
	char n[TS_FMT_MAX], m[TS_FMT_MAX], others[TS_FMT_MAX];
	struct ts_operation_figures room;

	if (!x || x->programs == 0)
		return false;
	snprintf(out, size, "%s of %s, with %s%s other %s%s; cycles count in each",
		ts_fmt_count(n, x->programs),
		ts_fmt_count(m, operations_figures(s->shape, row, &room)->programs),
		x->least < x->others ? "up to " : "", ts_fmt_count(others, x->others),
		row < s->shape->ids.nodes ? "operation" : "group", x->others == 1 ? "" : "s");
	return true;
}

static void
explain_figures(const struct operations_view *s, struct ts_explain *out, uint32_t row,
	const struct ts_operation_figures *f, const char *with)
{
	char shared[160];
	bool shares = operations_shares_words(shared, sizeof(shared), s, row);
	struct ts_strbuf name;

	ts_strbuf_init(&name, 400);
	operations_title(&name, s->shape, row, false);
	for (size_t i = 0; i < TS_COUNT(figures); i++) {
		struct ts_explained *x;
		int64_t v;

		memcpy(&v, (const char *)f + figures[i].member, sizeof(v));
		if (v == TS_UNKNOWN)
			continue;
		x = ts_explain_add(out, "%s of %s%s", figures[i].what, name.s ? name.s : "",
			s->shape->wish.tree && row < s->shape->ids.nodes ? ", with all below" : "");
		if (strcmp(figures[i].unit, "bytes") == 0)
			ts_explain_bytes(x, v, s->base.env->options->units);
		else
			ts_explain_integer(x, v, figures[i].unit);
		ts_explain_from(x, figures[i].known, "%s", figures[i].from);
		ts_explain_formula(x, "of %" PRId64 " program%s, each once", f->programs,
			f->programs == 1 ? "" : "s");
		figure_query(x, s, row, &figures[i], f, with);
		if (shares && strcmp(figures[i].unit, "cycles") == 0)
			ts_explain_note(x, "shared programs: %s", shared);
	}
	ts_strbuf_fini(&name);
}

static void
explain_share(const struct operations_view *s, struct ts_explain *out,
	const struct ts_operation_figures *f, const char *with)
{
	const struct ts_operations *o = s->shape->ops;
	enum operations_measure measure = operations_measure(o);
	int64_t part = operations_cycles(o, f), all = operations_cycles(o, &o->all);
	struct ts_strbuf query;

	if (part == TS_UNKNOWN || all <= 0)
		return;
	ts_strbuf_init(&query, TS_EXPLAIN_QUERY);
	ts_strbuf_printf(&query,
		"%.*s, every(p, c) AS (SELECT DISTINCT program, compute_set FROM operation_member) "
		"SELECT 100.0 * (%s) / (%s)",
		(int)strlen(with) - 1, with, cycles_sql[measure].of, cycles_sql[measure].every);
	ts_explain_share(out, "share of the cycles of all programs", part, all,
		"step_ipu.cycles, step.program", with[0] && !query.cut ? query.s : NULL);
	ts_strbuf_fini(&query);
}

void
operations_explain(struct ts_view *v, struct ts_explain *out)
{
	struct operations_view *s = operations_of(v);
	struct ts_operation_figures room;
	const struct ts_operation_figures *f;
	uint32_t row = operations_at(s), i;
	char with[OPERATIONS_QUERY];

	if (row == UINT32_MAX)
		return;
	if (operations_row(&s->shape->ids, row, &i) == ROW_PROGRAM) {
		program_explain(out,
			(const struct ts_program_cost *)s->shape->ops->costs->cost.memory + i,
			v->env->options->units);
		return;
	}
	f = operations_figures(s->shape, row, &room);
	operations_query(with, s->shape, row);
	explain_figures(s, out, row, f, with);
	explain_share(s, out, f, with);
}
