/* SPDX-License-Identifier: MIT */
/*
 * test_operations - operations and what they come to, against sets worked out by definition on random small reports: contexts
 * in circles or missing, operations recorded or not, names alone.
 */
#include "config.h"

#include <inttypes.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/pattern.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/operation_details.h"
#include "tilescope/report/operation_groups.h"
#include "tilescope/report/operation_links.h"
#include "tilescope/report/query.h"
#include "tilescope/report/rows.h"

#include "depth.h"
#include "index_dir.h"
#include "made_report.h"

enum {
	CONTEXTS = 14, /* numbers 1 .. */
	OPS = 6,
	PROGRAMS = 20,
	SETS = 8,
	TYPES = 5,
	VARIABLES = 30,
	NAMES = 7,
	NODES = CONTEXTS + OPS + NAMES,
	SEEDS = 80,
	NONE = -1
};

/* Names of programs: parts, and where they belong; 0 .. are the nodes that there can be. */
static const char *const names[NAMES] = {"x", "x/y", "x/y/z", "q", "q/r", "lone", "q/r/r"};
static const int above_name[NAMES] = {NONE, 0, 1, NONE, 3, NONE, 4};
static const int parts_of[NAMES] = {1, 2, 3, 1, 2, 1, 3};

static const char *const layers[] = {"popart", "poplibs", "poplar"};

struct world {
	/* contexts: found, parent (index, NONE: none; CONTEXTS: one that is not there) */
	bool found[CONTEXTS], has_sets, has_said, has_children, has_types, has_variables;
	int parent[CONTEXTS], layer[CONTEXTS], op_of[CONTEXTS];
	int op_layer[OPS], op_context[OPS], ops;
	int context[PROGRAMS], name[PROGRAMS], set[PROGRAMS], set_context[SETS], set_name[SETS];
	bool said[OPS][PROGRAMS], leaf[PROGRAMS], named[NAMES];
	int64_t control[PROGRAMS], exchange[PROGRAMS], cycles[PROGRAMS], steps[PROGRAMS],
		executed[PROGRAMS], live[PROGRAMS], live_first[PROGRAMS], live_last[PROGRAMS],
		first_step[PROGRAMS], op_first[OPS], op_last[OPS];
	int64_t vertices[SETS];
	bool runs[SETS][TYPES];
	int64_t type_code[TYPES];
	int variable_context[VARIABLES];
	int64_t variable_bytes[VARIABLES];
	bool traced, names[PROGRAMS][VARIABLES]; /* a program names a variable */
	bool wanted[NODES]; /* is a node: above what is attached, or recorded */
};

/* --- a report --------------------------------------------------------------------------------------- */

static int
one_of(struct fixture *f, int n, int none)
{
	return rnd(f, (unsigned)none) == 0 ? NONE : (int)rnd(f, (unsigned)n);
}

static const char *
number(char out[24], int v)
{
	snprintf(out, 24, v == NONE ? "NULL" : "%d", v);
	return out;
}

/* A name as SQL. */
static const char *
quoted(int name)
{
	static const char *const sql_of[NAMES] = {"'x'", "'x/y'", "'x/y/z'", "'q'", "'q/r'",
		"'lone'", "'q/r/r'"};

	return name == NONE ? "NULL" : sql_of[name];
}

static void
make_contexts(struct fixture *f, struct world *w)
{
	char a[24];

	sql(f,
		"CREATE TABLE context(context INTEGER PRIMARY KEY, parent INTEGER, layer TEXT, name TEXT, "
		"file TEXT, function TEXT, line INTEGER, details TEXT)");
	for (int i = 0; i < CONTEXTS; i++) {
		w->found[i] = rnd(f, 12) != 0;
		w->layer[i] = (int)rnd(f, 3);
		w->parent[i] = rnd(f, 4) == 0 ? NONE : (int)rnd(f, CONTEXTS + 1);
		w->op_of[i] = NONE;
		if (w->found[i])
			sql(f,
				"INSERT INTO context(context, parent, layer, name) VALUES(%d, %s, '%s', "
				"'c%d')",
				i + 1, number(a, w->parent[i] == NONE ? NONE : w->parent[i] + 1),
				layers[w->layer[i]], i);
	}
}

static void
make_operations(struct fixture *f, struct world *w)
{
	char a[24], b[24], c[24];

	w->ops = rnd(f, 2) ? OPS : 0;
	if (w->ops == 0)
		return;
	w->has_said = rnd(f, 4) != 0;
	sql(f,
		"CREATE TABLE operation(operation INTEGER, layer TEXT, name TEXT, debug_name TEXT, context "
		"INTEGER, first_step INTEGER, last_step INTEGER)");
	for (int i = 0; i < OPS; i++) {
		w->op_layer[i] = (int)rnd(f, 3);
		w->op_context[i] = one_of(f, CONTEXTS, 4);
		w->op_first[i] = one_of(f, 20, 2);
		w->op_last[i] = one_of(f, 40, 2);
		sql(f, "INSERT INTO operation VALUES(%d, '%s', 'o%d', NULL, %s, %s, %s)", i,
			layers[w->op_layer[i]], i,
			number(a, w->op_context[i] == NONE ? NONE : w->op_context[i] + 1),
			number(b, (int)w->op_first[i]), number(c, (int)w->op_last[i]));
	}
	if (!w->has_said)
		return;
	sql(f, "CREATE TABLE operation_program(operation INTEGER, program INTEGER)");
	for (int i = 0; i < 14; i++) {
		int op = (int)rnd(f, OPS), program = (int)rnd(f, PROGRAMS + 2);

		if (program < PROGRAMS)
			w->said[op][program] = true;
		sql(f, "INSERT INTO operation_program VALUES(%d, %d)", op, program);
	}
}

static void
make_sets(struct fixture *f, struct world *w)
{
	char a[24], b[24];

	w->has_types = rnd(f, 4) != 0;
	sql(f,
		"CREATE TABLE compute_set(compute_set INTEGER PRIMARY KEY, name TEXT, context INTEGER);"
		"CREATE TABLE compute_set_vertex(compute_set INTEGER, vertex_type INTEGER, instances "
		"INTEGER)");
	if (w->has_types)
		sql(f, "CREATE TABLE tile_vertex(tile INTEGER, vertex_type INTEGER, code_bytes INTEGER)");
	for (int i = 0; i < SETS; i++) {
		w->set_context[i] = one_of(f, CONTEXTS, 3);
		w->set_name[i] = one_of(f, NAMES, 3);
		w->vertices[i] = TS_UNKNOWN;
		sql(f, "INSERT INTO compute_set VALUES(%d, %s, %s)", i, quoted(w->set_name[i]),
			number(b, w->set_context[i] == NONE ? NONE : w->set_context[i] + 1));
		for (int t = 0; t < TYPES; t++) {
			int n = (int)rnd(f, 9);

			w->runs[i][t] = rnd(f, 3) == 0;
			if (!w->runs[i][t])
				continue;
			w->vertices[i] = (w->vertices[i] < 0 ? 0 : w->vertices[i]) + n;
			sql(f, "INSERT INTO compute_set_vertex VALUES(%d, %d, %s)", i, t,
				number(a, n));
		}
	}
	for (int t = 0; t < TYPES; t++) {
		w->type_code[t] = TS_UNKNOWN;
		for (unsigned k = rnd(f, 4); w->has_types && k > 0; k--) {
			int n = (int)rnd(f, 100);

			w->type_code[t] = (w->type_code[t] < 0 ? 0 : w->type_code[t]) + n;
			sql(f, "INSERT INTO tile_vertex VALUES(%u, %d, %d)", k, t, n);
		}
	}
}

static void
make_programs(struct fixture *f, struct world *w)
{
	char a[24], b[24];

	sql(f,
		"CREATE TABLE program(program INTEGER PRIMARY KEY, type TEXT, name TEXT, compute_set "
		"INTEGER, context INTEGER, control_code_by_tile BLOB, code_by_tile BLOB, "
		"estimated_cycles_by_tile BLOB)");
	for (int i = 0; i < PROGRAMS; i++) {
		w->context[i] = one_of(f, CONTEXTS, 2);
		w->name[i] = one_of(f, NAMES, 5);
		w->set[i] = one_of(f, SETS, 2);
		w->control[i] = rnd(f, 200);
		w->exchange[i] = w->set[i] == NONE ? rnd(f, 200) : TS_UNKNOWN;
		w->cycles[i] = w->set[i] == NONE ? rnd(f, 200) : TS_UNKNOWN;
		w->leaf[i] = true;
		w->live[i] = w->live_first[i] = w->live_last[i] = w->first_step[i] = TS_UNKNOWN;
		sql(f,
			"INSERT INTO program(program, type, name, compute_set, context, control_code_by_tile) "
			"VALUES(%d, 'OnTileExecute', %s, %s, %s, x'%02x000000')",
			i, quoted(w->name[i]), number(a, w->set[i]),
			number(b, w->context[i] == NONE ? NONE : w->context[i] + 1),
			(unsigned)w->control[i]);
		if (w->set[i] == NONE)
			sql(f,
				"UPDATE program SET code_by_tile = x'%02x00000000000000', "
				"estimated_cycles_by_tile = x'01000000%02x000000' WHERE program = %d",
				(unsigned)w->exchange[i], (unsigned)w->cycles[i], i);
	}
	w->has_children = rnd(f, 4) != 0;
	if (!w->has_children)
		return;
	sql(f, "CREATE TABLE program_child(parent INTEGER, position INTEGER, child INTEGER)");
	for (int i = 0; i < 8; i++) {
		int parent = (int)rnd(f, PROGRAMS);

		w->leaf[parent] = false;
		sql(f, "INSERT INTO program_child VALUES(%d, %d, %u)", parent, i, rnd(f, PROGRAMS));
	}
}

static void
make_steps(struct fixture *f, struct world *w)
{
	w->traced = rnd(f, 4) != 0;
	sql(f,
		"CREATE TABLE liveness_step(live_step INTEGER PRIMARY KEY, program INTEGER, "
		"not_always_live INTEGER)");
	for (int i = 0; i < 40; i++) {
		int p = (int)rnd(f, PROGRAMS), bytes = (int)rnd(f, 1000);

		sql(f, "INSERT INTO liveness_step VALUES(%d, %d, %d)", i, p, bytes);
		w->live[p] = bytes > w->live[p] ? bytes : w->live[p];
		w->live_first[p] = w->live_first[p] == TS_UNKNOWN ? i : w->live_first[p];
		w->live_last[p] = i;
	}
	if (!w->traced)
		return;
	sql(f,
		"CREATE TABLE step(step INTEGER PRIMARY KEY, type TEXT, program INTEGER);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER, end "
		"INTEGER)");
	for (int i = 0; i < 40; i++) {
		int p = (int)rnd(f, PROGRAMS), cycles = (int)rnd(f, 1000);

		sql(f, "INSERT INTO step VALUES(%d, 'OnTileExecute', %d)", i, p);
		sql(f, "INSERT INTO step_ipu VALUES(%d, 0, %d, %d, %d)", i, cycles, i * 1000,
			i * 1000 + cycles);
		w->steps[p]++;
		w->executed[p] += cycles;
		w->first_step[p] = w->first_step[p] == TS_UNKNOWN ? i : w->first_step[p];
	}
}

static void
make_variables(struct fixture *f, struct world *w)
{
	char a[24];

	w->has_variables = rnd(f, 4) != 0;
	if (!w->has_variables)
		return;
	sql(f,
		"CREATE TABLE variable(variable INTEGER PRIMARY KEY, name TEXT, bytes INTEGER, "
		"always_live INTEGER, context INTEGER)");
	for (int i = 0; i < VARIABLES; i++) {
		w->variable_context[i] = one_of(f, CONTEXTS, 5);
		w->variable_bytes[i] = rnd(f, 1000);
		sql(f, "INSERT INTO variable VALUES(%d, 'v', %d, 0, %s)", i,
			(int)w->variable_bytes[i],
			number(a,
				w->variable_context[i] == NONE ? NONE
							       : w->variable_context[i] + 1));
	}
}

/* Variable v is lowered to 2 v and 2 v + 1. */
static void
make_names(struct fixture *f, struct world *w)
{
	char a[24];

	sql(f, "CREATE TABLE lowered_variable(id INTEGER, tile INTEGER, bytes INTEGER, variable INTEGER)");
	for (int v = 0; v < 2 * VARIABLES; v++)
		sql(f, "INSERT INTO lowered_variable VALUES(%d, %d, 10, %s)", v, v % 3,
			number(a, v / 2));
	sql(f, "CREATE TABLE program_variable(program INTEGER, lowered_variable INTEGER)");
	for (int i = 0; i < 60; i++) {
		int p = (int)rnd(f, PROGRAMS), low = (int)rnd(f, 2 * VARIABLES);

		w->names[p][low / 2] = true;
		sql(f, "INSERT INTO program_variable VALUES(%d, %d)", p, low);
	}
	/* as in a profile: variables are those of a program's compute set */
	for (int i = 0; i < PROGRAMS * PROGRAMS; i++)
		for (int v = 0, p = i / PROGRAMS, q = i % PROGRAMS; v < VARIABLES; v++) {
			if (w->set[p] == NONE || w->set[p] != w->set[q] || w->names[p][v] ||
				!w->names[q][v])
				continue;
			w->names[p][v] = true;
			sql(f, "INSERT INTO program_variable VALUES(%d, %d)", p, 2 * v);
		}
}

/* --- by definition ---------------------------------------------------------------------------------- */

/* Parents that are not there, and the lowest of each circle's, are none. */
static void
settle(struct world *w)
{
	int parent[CONTEXTS];

	for (int i = 0; i < CONTEXTS; i++)
		if (w->parent[i] == CONTEXTS || (w->parent[i] != NONE && !w->found[w->parent[i]]))
			w->parent[i] = NONE;
	for (int i = 0; i < CONTEXTS; i++) {
		bool circle = false, lowest = true;
		int at = w->parent[i];

		for (int n = 0; n < CONTEXTS && at != NONE && !circle; n++) {
			circle = at == i;
			lowest = lowest && at >= i;
			at = w->parent[at];
		}
		parent[i] = circle && lowest ? NONE : w->parent[i];
	}
	memcpy(w->parent, parent, sizeof(parent));
	for (int i = OPS; i-- > 0;)
		if (i < w->ops && w->op_context[i] != NONE && w->found[w->op_context[i]])
			w->op_of[w->op_context[i]] = i;
}

static bool
is_op(int node)
{
	return node >= CONTEXTS && node < CONTEXTS + OPS;
}

static int
door(const struct world *w, int c)
{
	return w->op_of[c] != NONE ? CONTEXTS + w->op_of[c] : c;
}

static int
up(const struct world *w, int node)
{
	int c, op = node - CONTEXTS;

	if (node >= CONTEXTS + OPS) {
		c = above_name[node - CONTEXTS - OPS];
		return c == NONE ? NONE : CONTEXTS + OPS + c;
	}
	if (!is_op(node))
		return w->parent[node] == NONE ? NONE : door(w, w->parent[node]);
	c = w->op_context[op];
	if (c == NONE || !w->found[c])
		return NONE;
	if (w->op_of[c] != op)
		return door(w, c);
	if (w->layer[c] != w->op_layer[op])
		return c;
	return w->parent[c] == NONE ? NONE : door(w, w->parent[c]);
}

static int
layer_of(const struct world *w, int node)
{
	return node >= CONTEXTS + OPS ? 3
		: is_op(node)	      ? w->op_layer[node - CONTEXTS]
				      : w->layer[node];
}

/* The nodes that a program is attached to; those said by operation_program are operations. */
static int
attached(const struct world *w, int p, int to[OPS + 1], bool said[OPS + 1])
{
	int n = 0, c = w->context[p], name = w->name[p];

	if (c != NONE && !w->found[c])
		c = NONE;
	if (c == NONE && w->set[p] != NONE)
		c = w->set_context[w->set[p]];
	if (c != NONE && w->found[c]) {
		to[n] = door(w, c);
		said[n++] = false;
	}
	for (int i = 0; i < w->ops; i++)
		if (w->said[i][p]) {
			to[n] = CONTEXTS + i;
			said[n++] = true;
		}
	if (name == NONE && w->set[p] != NONE)
		name = w->set_name[w->set[p]];
	if (n == 0 && name != NONE && (parts_of[name] > 1 || w->named[name])) {
		/* a name that repeats its end is that name once */
		to[0] = CONTEXTS + OPS + name;
		said[n++] = false;
	}
	return n;
}

static void
find_names(struct world *w)
{
	bool named[NAMES] = {false};

	for (int p = 0; p < PROGRAMS; p++) {
		int to[OPS + 1];
		bool said[OPS + 1];

		if (attached(w, p, to, said) == 1 && to[0] >= CONTEXTS + OPS)
			for (int k = to[0] - CONTEXTS - OPS; k != NONE; k = above_name[k])
				named[k] = true;
	}
	memcpy(w->named, named, sizeof(named));
}

/* Is it a node's own, in its layer; is it below it. Contexts that only variables name are no nodes. */
static void
belongs(const struct world *w, int node, int from, bool said, bool programs, bool *of, bool *below)
{
	bool seen[4] = {false};

	for (int at = from; at != NONE; at = up(w, at)) {
		bool others = programs && is_op(at) && w->has_said && !(said && at == from);

		if (!w->wanted[at])
			continue;
		*below |= at == node;
		*of |= at == node && !seen[layer_of(w, at)] && !others;
		seen[layer_of(w, at)] = true;
	}
}

static void
add(int64_t *sum, int64_t v)
{
	if (v != TS_UNKNOWN)
		*sum = (*sum < 0 ? 0 : *sum) + v;
}

static void
least(int64_t *to, int64_t v)
{
	if (v != TS_UNKNOWN && (*to == TS_UNKNOWN || v < *to))
		*to = v;
}

static struct ts_operation_figures
sum_of(const struct world *w, const bool in[PROGRAMS], const bool variable[VARIABLES])
{
	struct ts_operation_figures f;
	bool sets[SETS] = {false};

	memset(&f, 0xff, sizeof(f));
	f.programs = 0;
	for (int p = 0; p < PROGRAMS; p++) {
		if (!in[p])
			continue;
		f.programs++;
		if (w->has_children && w->leaf[p])
			add(&f.control_code, w->control[p]);
		add(&f.exchange_code, w->exchange[p]);
		if (w->cycles[p] != TS_UNKNOWN) {
			add(&f.estimated, w->cycles[p] > 1 ? w->cycles[p] : 1);
			add(&f.estimated_tiles, w->cycles[p] + 1);
		}
		add(&f.steps, w->traced ? w->steps[p] : TS_UNKNOWN);
		add(&f.executed, w->traced ? w->executed[p] : TS_UNKNOWN);
		least(&f.first_step, w->first_step[p]);
		f.live = w->live[p] > f.live ? w->live[p] : f.live;
		least(&f.live_first, w->live_first[p]);
		f.live_last = w->live_last[p] > f.live_last ? w->live_last[p] : f.live_last;
		if (w->set[p] != NONE)
			sets[w->set[p]] = true;
	}
	for (int s = 0; s < SETS; s++)
		if (sets[s]) {
			add(&f.compute_sets, 1);
			add(&f.vertices, w->vertices[s]);
		}
	for (int t = 0; t < TYPES && w->has_types; t++) {
		bool any = false, all = true;

		for (int p = 0; p < PROGRAMS; p++)
			if (w->set[p] != NONE && w->runs[w->set[p]][t]) {
				any |= in[p];
				all &= in[p];
			}
		if (any)
			add(&f.vertex_code, w->type_code[t]);
		if (any && all)
			add(&f.vertex_alone, w->type_code[t]);
	}
	add(&f.code, f.control_code);
	add(&f.code, f.exchange_code);
	add(&f.code, f.vertex_alone);
	for (int v = 0; v < VARIABLES && w->has_variables; v++)
		if (variable[v]) {
			add(&f.variables, 1);
			add(&f.bytes, w->variable_bytes[v]);
		}
	return f;
}

/* --- compared --------------------------------------------------------------------------------------- */

static void
same(const struct ts_operation_figures *is, const struct ts_operation_figures *should,
	const char *what, int seed)
{
	const int64_t *a = (const int64_t *)is, *b = (const int64_t *)should;

	for (size_t i = 0; i < offsetof(struct ts_operation_figures, mark) / sizeof(*a); i++)
		ck_assert_msg(a[i] == b[i], "seed %d, %s, figure %zu: %" PRId64 ", not %" PRId64,
			seed, what, i, a[i], b[i]);
}

/* Which of the slow nodes is it? */
static int
node_of(const struct ts_operations *o, uint32_t i, struct ts_strbuf *path)
{
	const struct ts_operation *n = &o->node[i];

	if (n->from == TS_OPERATION_IS_RECORDED)
		return CONTEXTS + (int)n->operation;
	if (n->from == TS_OPERATION_BY_CONTEXT)
		return (int)n->context - 1;
	ts_operation_path(path, o, i);
	for (int k = 0; k < NAMES; k++)
		if (strcmp(path->s, names[k]) == 0)
			return CONTEXTS + OPS + k;
	ck_abort_msg("no such name: %s", path->s);
}

static void
check_node(const struct world *w, const struct ts_operations *o, uint32_t i, int node, int seed)
{
	bool in[PROGRAMS], below[PROGRAMS], of_v[VARIABLES], below_v[VARIABLES];
	struct ts_operation_figures f;
	int to[OPS + 1];
	bool said[OPS + 1];

	for (int p = 0; p < PROGRAMS; p++) {
		int n = attached(w, p, to, said);

		in[p] = below[p] = false;
		for (int k = 0; k < n; k++)
			belongs(w, node, to[k], said[k], true, &in[p], &below[p]);
	}
	for (int v = 0; v < VARIABLES; v++) {
		int c = w->variable_context[v];

		of_v[v] = below_v[v] = false;
		if (w->has_variables && c != NONE && w->found[c])
			belongs(w, node, door(w, c), false, false, &of_v[v], &below_v[v]);
	}
	f = sum_of(w, below, below_v);
	for (int k = 0; k < w->ops; k++) {
		bool mine = false, under = false;

		belongs(w, node, CONTEXTS + k, false, false, &mine, &under);
		if (under) {
			least(&f.live_first, w->op_first[k]);
			f.live_last = w->op_last[k] > f.live_last ? w->op_last[k] : f.live_last;
		}
	}
	same(&o->node[i].below, &f, "below", seed);
	f = sum_of(w, in, of_v);
	if (is_op(node) && w->op_first[node - CONTEXTS] != TS_UNKNOWN)
		f.live_first = w->op_first[node - CONTEXTS];
	if (is_op(node) && w->op_last[node - CONTEXTS] != TS_UNKNOWN)
		f.live_last = w->op_last[node - CONTEXTS];
	same(&o->node[i].of, &f, "of", seed);
}

static void
check_layers(const struct world *w, const struct ts_operations *o, const int *node, int seed)
{
	for (uint32_t l = 0; l < o->layers; l++) {
		bool in[PROGRAMS] = {false}, out[PROGRAMS], of_v[VARIABLES] = {false},
		     out_v[VARIABLES];
		struct ts_operation_figures f;

		for (uint32_t i = 0; i < o->count; i++) {
			if (o->node[i].layer != l)
				continue;
			for (int p = 0; p < PROGRAMS; p++) {
				int to[OPS + 1], n;
				bool said[OPS + 1], below = false;

				n = attached(w, p, to, said);
				for (int k = 0; k < n; k++)
					belongs(w, node[i], to[k], said[k], true, &in[p], &below);
			}
			for (int v = 0; w->has_variables && v < VARIABLES; v++) {
				int c = w->variable_context[v];
				bool below = false;

				if (c != NONE && w->found[c])
					belongs(w, node[i], door(w, c), false, false, &of_v[v],
						&below);
			}
		}
		for (int p = 0; p < PROGRAMS; p++)
			out[p] = !in[p];
		for (int v = 0; v < VARIABLES; v++)
			out_v[v] = !of_v[v];
		f = sum_of(w, in, of_v);
		same(&o->layer[l].all, &f, "layer", seed);
		f = sum_of(w, out, out_v);
		same(&o->layer[l].outside, &f, "outside", seed);
	}
}

static void
find_wanted(struct world *w)
{
	int to[OPS + 1];
	bool said[OPS + 1];

	for (int p = 0; p < PROGRAMS; p++) {
		int n = attached(w, p, to, said);

		for (int k = 0; k < n; k++)
			for (int at = to[k]; at != NONE; at = up(w, at))
				w->wanted[at] = true;
	}
	for (int i = 0; i < w->ops; i++)
		for (int at = CONTEXTS + i; at != NONE; at = up(w, at))
			w->wanted[at] = true;
}

static void
check_all_there(const struct world *w, const struct ts_operations *o, const int *node, int seed)
{
	int should = 0;

	for (uint32_t i = 0; i < o->count; i++) {
		int parent = up(w, node[i]);

		ck_assert_msg(w->wanted[node[i]], "seed %d, node %u: what for?", seed, i);
		ck_assert_msg(parent == NONE ? o->node[i].parent == TS_NO_OPERATION
					     : node[o->node[i].parent] == parent,
			"seed %d, node %u: another parent", seed, i);
	}
	for (int i = 0; i < NODES; i++)
		should += w->wanted[i];
	ck_assert_msg((int)o->count == should, "seed %d: %u nodes, not %d", seed, o->count, should);
}

static void
check_lookups(const struct world *w, const struct ts_operations *o, const int *node, int seed)
{
	for (int p = 0; p < PROGRAMS; p++) {
		int to[OPS + 1], n;
		bool said[OPS + 1], found = false;
		uint32_t at = ts_operation_of_program(o, p, TS_UNKNOWN);

		n = attached(w, p, to, said);
		for (int k = 0; k < n; k++)
			found |= at != TS_NO_OPERATION && node[at] == to[k];
		ck_assert_msg(found == (n > 0), "seed %d: the operation of program %d", seed, p);
	}
	for (int i = 0; i < w->ops; i++)
		ck_assert_int_eq(node[ts_operation_of_number(o, i)], CONTEXTS + i);
}

static void
make_world(struct fixture *f, struct world *w, int seed)
{
	memset(w, 0, sizeof(*w));
	make_relations(f, (unsigned)seed);
	sql(f, "BEGIN");
	make_contexts(f, w);
	make_operations(f, w);
	make_sets(f, w);
	make_programs(f, w);
	make_steps(f, w);
	make_variables(f, w);
	make_names(f, w);
	sql(f, "COMMIT");
	settle(w);
	find_names(w);
	find_wanted(w);
	open_report(f);
}

START_TEST(by_definition)
{
	struct fixture f;
	struct world w;
	struct ts_operations *o;
	struct ts_strbuf path;
	struct ts_err err = {0};
	int node[NODES];

	make_world(&f, &w, _i);
	ts_strbuf_init(&path, 1000);
	ck_assert_msg(ts_operations_read(&o, f.reader, NULL, true, NULL, &err) == TS_OK, "%s",
		err.msg);
	ck_assert_uint_le(o->count, NODES);
	for (uint32_t i = 0; i < o->count; i++)
		node[i] = node_of(o, i, &path);
	for (uint32_t i = 0; i < o->count; i++)
		check_node(&w, o, i, node[i], _i);
	check_all_there(&w, o, node, _i);
	check_layers(&w, o, node, _i);
	check_lookups(&w, o, node, _i);
	ts_operations_close(o);
	ts_strbuf_fini(&path);
	end(&f);
}
END_TEST

/* --- several together ------------------------------------------------------------------------------- */

/* What a set of nodes has in their layer. */
static struct ts_operation_figures
sum_of_nodes(const struct world *w, const struct ts_operations *o, const int *node,
	const bool *in_set)
{
	bool in[PROGRAMS] = {false}, of_v[VARIABLES] = {false}, below = false;
	struct ts_operation_figures f;

	for (uint32_t i = 0; i < o->count; i++) {
		if (!in_set[i])
			continue;
		for (int p = 0; p < PROGRAMS; p++) {
			int to[OPS + 1], n;
			bool said[OPS + 1];

			n = attached(w, p, to, said);
			for (int k = 0; k < n; k++)
				belongs(w, node[i], to[k], said[k], true, &in[p], &below);
		}
		for (int v = 0; w->has_variables && v < VARIABLES; v++) {
			int c = w->variable_context[v];

			if (c != NONE && w->found[c])
				belongs(w, node[i], door(w, c), false, false, &of_v[v], &below);
		}
	}
	f = sum_of(w, in, of_v);
	f.live_first = f.live_last = TS_UNKNOWN;
	for (uint32_t i = 0; i < o->count; i++)
		if (in_set[i]) {
			least(&f.live_first, o->node[i].of.live_first);
			f.live_last = ts_max_i64(f.live_last, o->node[i].of.live_last);
		}
	return f;
}

static void
check_programs(const struct ts_operations *o, uint32_t i, bool below)
{
	const struct ts_operation_figures *f = below ? &o->node[i].below : &o->node[i].of;
	struct ts_pile list = {0};
	int64_t steps = 0;

	ck_assert_int_eq(ts_operation_programs(&list, o, i, below, NULL, NULL, NULL), TS_OK);
	ck_assert_int_eq((int64_t)(list.used / sizeof(int64_t)), f->programs);
	for (size_t k = 0; k < list.used / sizeof(int64_t); k++) {
		int64_t program = ((int64_t *)list.memory)[k];

		ck_assert(k == 0 || ((int64_t *)list.memory)[k - 1] < program);
		steps += ts_program_costs_find(o->costs, program)->steps;
	}
	ck_assert(f->steps == TS_UNKNOWN || f->steps == steps);
	ts_pile_fini(&list);
}

static void
check_details(struct fixture *f, const struct ts_operations *o, uint32_t i, bool below)
{
	const struct ts_operation_figures *is = below ? &o->node[i].below : &o->node[i].of;
	struct ts_program_details d;
	int64_t rows = 0;

	ck_assert_int_eq(ts_operation_details_read(&d, f->reader, o, i, below, NULL, NULL, NULL),
		TS_OK);
	ck_assert_int_eq(d.cycles[TS_CYCLES_ESTIMATED].known ? d.cycles[TS_CYCLES_ESTIMATED].sum
							     : -1,
		is->estimated_tiles);
	ck_assert_int_eq(d.cycles[TS_CYCLES_MEASURED].known, false);
	ck_assert_int_eq(d.code[TS_CODE_EXCHANGE].known ? d.code[TS_CODE_EXCHANGE].sum : -1,
		is->exchange_code);
	ck_assert_int_eq(d.code[TS_CODE_CONTROL].known ? d.code[TS_CODE_CONTROL].sum : -1,
		is->control_code);
	ck_assert_int_eq(d.instances, is->vertices == TS_UNKNOWN ? 0 : is->vertices);
	for (int k = 0; k < d.vertices; k++)
		rows += d.vertex[k].instances;
	ck_assert_int_eq(rows, d.instances);
	ts_program_details_fini(&d);
}

/* Programs that several lists have, against what was counted; room for NODES lists. */
struct owned {
	bool in[NODES][PROGRAMS];
	int owners[PROGRAMS];
};

static void
own(struct owned *x, int list, int program)
{
	x->owners[program] += !x->in[list][program];
	x->in[list][program] = true;
}

static void
check_owned(const struct owned *x, int list, const struct ts_operation_shared *is)
{
	uint32_t programs = 0, others = 0, least_others = UINT32_MAX;

	for (int p = 0; p < PROGRAMS; p++) {
		uint32_t n = (uint32_t)x->owners[p] - 1;

		if (x->owners[p] < 2 || (list >= 0 && !x->in[list][p]))
			continue;
		programs++;
		others = n > others ? n : others;
		least_others = n < least_others ? n : least_others;
	}
	ck_assert_uint_eq(is->programs, programs);
	ck_assert_uint_eq(is->others, others);
	ck_assert_uint_eq(is->least, programs > 0 ? least_others : 0);
}

static void
check_groups_share(const struct world *w, const struct ts_operations *o, const int *node,
	const struct ts_operation_groups *g)
{
	struct owned x;

	memset(&x, 0, sizeof(x));
	for (size_t i = 0; i < g->count; i++)
		for (uint64_t k = 0; k < ts_operation_group_at(g, i)->count; k++) {
			uint32_t at = ((
				uint32_t *)g->node.memory)[ts_operation_group_at(g, i)->first + k];

			for (int p = 0; p < PROGRAMS; p++) {
				int to[OPS + 1], n;
				bool said[OPS + 1], is = false, below = false;

				n = attached(w, p, to, said);
				for (int j = 0; j < n; j++)
					belongs(w, node[at], to[j], said[j], true, &is, &below);
				if (is)
					own(&x, (int)i, p);
			}
		}
	for (size_t i = 0; i < g->count; i++)
		check_owned(&x, (int)i, &ts_operation_group_at(g, i)->shared);
	check_owned(&x, NONE, &g->shared);
	(void)o;
}

static void
check_groups(struct fixture *f, const struct world *w, const struct ts_operations *o,
	const int *node, uint32_t layer)
{
	static const char *const expressions[] = {"c(\\d)", "[co]\\d*[05]", "x", "(y)|z",
		"nothing"};
	struct ts_operation_groups *g;
	struct ts_pattern *by;
	uint64_t nodes = 0;

	ck_assert_int_eq(ts_pattern_compile(&by, expressions[rnd(f, TS_COUNT(expressions))], 0,
				 NULL, NULL),
		TS_OK);
	ck_assert_int_eq(ts_operation_groups_read(&g, o, layer, by, NULL, NULL, NULL), TS_OK);
	for (size_t i = 0; i < g->count; i++) {
		const struct ts_operation_group *r = ts_operation_group_at(g, i);
		struct ts_operation_figures should;
		bool in_set[NODES] = {false};
		size_t n;

		for (uint64_t k = 0; k < r->count; k++)
			in_set[((uint32_t *)g->node.memory)[r->first + k]] = true;
		should = sum_of_nodes(w, o, node, in_set);
		same(&r->of, &should, "group", (int)i);
		nodes += r->count;
		ck_assert(!ts_operation_group_key(&n, g, i) == (r->key == TS_DICTIONARY_NONE));
		ck_assert(r->key != TS_DICTIONARY_NONE || i + 1 == g->count);
	}
	ck_assert_uint_eq(nodes, o->layer[layer].count);
	ck_assert_int_eq(g->not_summed, 0);
	check_groups_share(w, o, node, g);
	ts_operation_groups_close(g);
	ts_pattern_free(by);
}

static size_t
place_in(const struct ts_operations *o, const struct ts_pile *programs, size_t k)
{
	return (size_t)(ts_program_costs_find(o->costs, ((int64_t *)programs->memory)[k]) -
		(const struct ts_program_cost *)o->costs->cost.memory);
}

/* Who has which programs, one by one, against what was counted. */
static void
check_shares(const struct ts_operations *o, uint32_t layer)
{
	uint32_t owners[PROGRAMS] = {0}, several = 0, most = 0;
	struct ts_pile list[NODES] = {{0}};

	for (uint32_t i = 0; i < o->count; i++) {
		if (o->node[i].layer != layer)
			continue;
		ck_assert_int_eq(ts_operation_programs(&list[i], o, i, false, NULL, NULL, NULL),
			TS_OK);
		for (size_t k = 0; k < list[i].used / sizeof(int64_t); k++)
			owners[place_in(o, &list[i], k)]++;
	}
	for (uint32_t i = 0; i < o->count; i++) {
		uint32_t programs = 0, others = 0;

		for (size_t k = 0; k < list[i].used / sizeof(int64_t); k++) {
			uint32_t n = owners[place_in(o, &list[i], k)];

			programs += n > 1;
			others = n - 1 > others ? n - 1 : others;
		}
		if (o->node[i].layer == layer) {
			ck_assert_uint_eq(ts_operation_shares(o, i)->programs, programs);
			ck_assert_uint_eq(ts_operation_shares(o, i)->others, others);
		}
		ts_pile_fini(&list[i]);
	}
	for (int p = 0; p < PROGRAMS; p++) {
		several += owners[p] > 1;
		most = owners[p] > most + 1 ? owners[p] - 1 : most;
	}
	ck_assert_uint_eq(ts_operation_layer_shares(o, layer)->programs, several);
	ck_assert_uint_eq(ts_operation_layer_shares(o, layer)->others, most);
}

static bool
is_at_or_below(const struct world *w, int node, int at)
{
	while (at != NONE && at != node)
		at = up(w, at);
	return at == node;
}

/* Where a program stands in the tree: nodes that it is attached to, but for those above another one of them. */
static int
places_of(const struct world *w, int p, int place[OPS + 1])
{
	int to[OPS + 1], n, places = 0;
	bool said[OPS + 1];

	n = attached(w, p, to, said);
	for (int k = 0; k < n; k++) {
		bool innermost = true;

		for (int j = 0; j < n; j++)
			innermost &= to[j] == to[k] ? j >= k : !is_at_or_below(w, to[k], to[j]);
		if (innermost)
			place[places++] = to[k];
	}
	return places;
}

static void
check_tree_shares(const struct world *w, const struct ts_operations *o, const int *node)
{
	for (uint32_t i = 0; i <= o->count; i++) {
		const struct ts_operation_shared *is = i < o->count
			? ts_operation_shares_below(o, i)
			: ts_operation_tree_shares(o);
		uint32_t programs = 0, others = 0, least_others = UINT32_MAX;

		for (int p = 0; p < PROGRAMS; p++) {
			int place[OPS + 1], n = places_of(w, p, place);
			uint32_t elsewhere = 0;

			for (int k = 0; k < n; k++)
				elsewhere += i == o->count ? k > 0
							   : !is_at_or_below(w, node[i], place[k]);
			if (elsewhere == 0 || (i < o->count && (int)elsewhere == n))
				continue;
			programs++;
			others = elsewhere > others ? elsewhere : others;
			least_others = elsewhere < least_others ? elsewhere : least_others;
		}
		ck_assert_uint_eq(is->programs, programs);
		ck_assert_uint_eq(is->others, others);
		ck_assert_uint_eq(is->least, programs > 0 ? least_others : 0);
	}
}

START_TEST(together)
{
	struct ts_operation_figures sum, should;
	struct ts_operations *o;
	struct ts_strbuf path;
	struct fixture f;
	struct world w;
	int node[NODES];

	make_world(&f, &w, _i);
	ts_strbuf_init(&path, 1000);
	ck_assert_int_eq(ts_operations_read(&o, f.reader, NULL, true, NULL, NULL), TS_OK);
	for (uint32_t i = 0; i < o->count; i++)
		node[i] = node_of(o, i, &path);
	for (uint32_t i = 0; i < o->count; i++) {
		check_programs(o, i, i % 2);
		check_details(&f, o, i, i % 2);
		ck_assert_int_eq(ts_operations_sum(&sum, o, &i, 1, true, NULL, NULL, NULL), TS_OK);
		same(&sum, &o->node[i].below, "below of one", _i);
	}
	check_tree_shares(&w, o, node);
	for (uint32_t l = 0; l < o->layers; l++) {
		bool in_set[NODES] = {false};
		uint32_t list[NODES];
		size_t n = 0;

		check_groups(&f, &w, o, node, l);
		check_shares(o, l);
		for (uint32_t i = 0; i < o->count; i++)
			if (o->node[i].layer == l && rnd(&f, 2)) {
				in_set[i] = true;
				list[n++] = i;
			}
		should = sum_of_nodes(&w, o, node, in_set);
		ck_assert_int_eq(ts_operations_sum(&sum, o, list, n, false, NULL, NULL, NULL),
			TS_OK);
		same(&sum, &should, "several", _i);
	}
	ts_operations_close(o);
	ts_strbuf_fini(&path);
	end(&f);
}
END_TEST

/* --- producers and consumers ------------------------------------------------------------------------ */

/* The node of a layer that made a variable. */
static uint32_t
maker_of(const struct world *w, const struct ts_operations *o, const int *node, int v, int layer)
{
	int c = w->has_variables ? w->variable_context[v] : NONE;

	if (c == NONE || !w->found[c])
		return TS_NO_OPERATION;
	for (int at = door(w, c); at != NONE; at = up(w, at))
		for (uint32_t i = 0; i < o->count; i++)
			if (node[i] == at && (layer < 0 || o->node[i].layer == layer))
				return i;
	return TS_NO_OPERATION;
}

/* The first liveness step of the programs of a node that name a variable; -1: it has none that do. */
static int64_t
step_of(const struct world *w, const struct ts_operations *o, uint32_t node, int v)
{
	int64_t least_step = INT64_MAX;
	bool any = false;

	for (int p = 0; p < PROGRAMS; p++)
		if (w->names[p][v] && ts_operation_of_program(o, p, o->node[node].layer) == node) {
			any = true;
			if (w->live_first[p] != TS_UNKNOWN && w->live_first[p] < least_step)
				least_step = w->live_first[p];
		}
	return any ? least_step : -1;
}

struct tally {
	int64_t variables, bytes;
};

static void
check_links(const struct ts_operation_uses *uses, const struct world *w,
	const struct ts_operations *o, const int *node, uint32_t i)
{
	struct tally t[NODES][TS_LINK_WAYS][TS_LINK_HOWS];
	struct ts_operation_links l;
	int64_t all = 0, there = 0;

	memset(t, 0, sizeof(t));
	ck_assert_int_eq(ts_operation_links_read(&l, uses, i, NULL, NULL, NULL), TS_OK);
	for (int v = 0; v < VARIABLES; v++) {
		uint32_t maker = maker_of(w, o, node, v, o->node[i].layer);
		int64_t mine = step_of(w, o, i, v);
		bool named = false;

		for (int p = 0; p < PROGRAMS; p++)
			named |= w->names[p][v];
		if (!named || (mine < 0 && maker != i))
			continue;
		all++;
		for (uint32_t k = 0; k < o->count; k++) {
			int64_t other = o->node[k].layer == o->node[i].layer ? step_of(w, o, k, v)
									     : -1;
			int way = NONE, how = TS_LINK_BY_CONTEXT;

			if (k == i)
				continue;
			if (maker != TS_NO_OPERATION && maker != i)
				way = k == maker ? TS_LINK_FROM : NONE;
			else if (other >= 0 && maker == i)
				way = TS_LINK_TO;
			else if (other >= 0) {
				how = other == INT64_MAX || mine == INT64_MAX || other == mine
					? TS_LINK_UNSAID
					: TS_LINK_BY_STEP;
				way = how == TS_LINK_UNSAID ? TS_LINK_SHARED
					: other < mine	    ? TS_LINK_FROM
							    : TS_LINK_TO;
			}
			if (way == NONE)
				continue;
			there += t[k][way][how].variables++ == 0;
			t[k][way][how].bytes += w->has_variables ? w->variable_bytes[v] : 0;
		}
	}
	ck_assert_int_eq(l.variables, all);
	ck_assert_int_eq((int64_t)l.count, there);
	ck_assert_int_eq(l.count == 0, l.why[0] != 0);
	for (size_t k = 0; k < l.count; k++) {
		const struct ts_operation_link *link = &l.link[k];
		const struct tally *should = &t[link->node][link->way][link->how];

		ck_assert_int_eq(link->variables, should->variables);
		ck_assert_int_eq(link->bytes, w->has_variables ? should->bytes : TS_UNKNOWN);
	}
	ts_operation_links_fini(&l);
}

/* What flows from one operation to another is a link of the other one; with a maker it is all of it. */
static void
check_flows(const struct ts_operation_uses *uses, uint32_t layer)
{
	struct ts_pile flows = {0};
	const struct ts_operation_flow *flow;
	enum ts_code code = ts_operation_flows_read(&flows, uses, layer, NULL, NULL, NULL);

	ck_assert(code == TS_OK || code == TS_E_ABSENT);
	flow = flows.memory;
	for (size_t i = 0; i < flows.used / sizeof(*flow); i++) {
		struct ts_operation_links l;
		int64_t variables = 0;

		ck_assert_uint_ne(flow[i].from, flow[i].to);
		ck_assert_int_eq(ts_operation_links_read(&l, uses, flow[i].to, NULL, NULL, NULL),
			TS_OK);
		for (size_t k = 0; k < l.count; k++)
			if (l.link[k].node == flow[i].from && l.link[k].way == TS_LINK_FROM &&
				l.link[k].how == flow[i].how)
				variables = l.link[k].variables;
		if (flow[i].how == TS_LINK_BY_CONTEXT)
			ck_assert_int_eq(variables, flow[i].variables);
		ck_assert_int_ge(variables, flow[i].variables);
		ts_operation_links_fini(&l);
	}
	ts_pile_fini(&flows);
}

START_TEST(links)
{
	struct ts_operation_uses *uses;
	struct ts_operations *o;
	struct ts_strbuf path;
	struct fixture f;
	struct world w;
	int node[NODES];

	make_world(&f, &w, _i);
	ts_strbuf_init(&path, 1000);
	ck_assert_int_eq(ts_operations_read(&o, f.reader, NULL, true, NULL, NULL), TS_OK);
	for (uint32_t i = 0; i < o->count; i++)
		node[i] = node_of(o, i, &path);
	ck_assert_int_eq(ts_operation_uses_read(&uses, f.reader, o, NULL, NULL, NULL), TS_OK);
	for (uint32_t i = 0; i < o->count; i++)
		check_links(uses, &w, o, node, i);
	check_flows(uses, rnd(&f, o->layers));
	ts_operation_uses_close(uses);
	for (int v = 0; v < VARIABLES; v++) {
		uint32_t at, layer = rnd(&f, o->layers);

		ck_assert_int_eq(ts_operation_of_variable(&at, f.reader, o, v, false, (int)layer,
					 NULL, NULL),
			TS_OK);
		ck_assert_uint_eq(at, maker_of(&w, o, node, v, (int)layer));
		ck_assert_int_eq(ts_operation_of_variable(&at, f.reader, o, 2 * v + 1, true, -1,
					 NULL, NULL),
			TS_OK);
		ck_assert_uint_eq(at, maker_of(&w, o, node, v, -1));
	}
	ts_operations_close(o);
	ts_strbuf_fini(&path);
	end(&f);
}
END_TEST

/* --- in SQL ----------------------------------------------------------------------------------------- */

static int64_t TS_PRINTF(2, 3) asked(struct ts_query *q, const char *fmt, ...)
{
	struct ts_sql_value v;
	struct ts_err err = {0};
	char *text;
	va_list ap;
	bool row = false;

	va_start(ap, fmt);
	text = sqlite3_vmprintf(fmt, ap);
	va_end(ap);
	ck_assert_msg(ts_query_prepare(q, text, 60, &err) == TS_OK, "%s: %s", err.msg, text);
	ck_assert_msg(ts_query_step(q, &row, &err) == TS_OK && row, "%s: %s", err.msg, text);
	ts_query_value(&v, q, 0);
	sqlite3_free(text);
	return v.type == TS_SQL_INTEGER ? v.integer : TS_UNKNOWN;
}

/* Programs and steps of each operation, by its number; its links one by one. */
static void
check_in_sql(struct ts_query *q, const struct ts_operation_uses *uses,
	const struct ts_operations *o, uint32_t i)
{
	const struct ts_operation *n = &o->node[i];
	struct ts_operation_links l;

	ck_assert_int_eq(asked(q, "SELECT count(*) FROM operation_member WHERE node = %u AND own",
				 i),
		n->of.programs);
	ck_assert_int_eq(asked(q, "SELECT count(*) FROM operation_member WHERE node = %u", i),
		n->below.programs);
	if (n->of.steps != TS_UNKNOWN)
		ck_assert_int_eq(asked(q,
					 "SELECT count(*) FROM step WHERE program IN (SELECT "
					 "program FROM operation_member WHERE node = %u AND own)",
					 i),
			n->of.steps);
	ck_assert_int_eq(asked(q, "SELECT \"end\" FROM operation_node WHERE node = %u", i), n->end);
	ck_assert_int_eq(asked(q, "SELECT own FROM operation_node WHERE node = %u", i),
		ts_operation_has_own(n));
	ck_assert_int_eq(ts_operation_links_read(&l, uses, i, NULL, NULL, NULL), TS_OK);
	for (size_t k = 0; k < l.count; k++)
		ck_assert_int_eq(
			asked(q,
				"SELECT count(DISTINCT variable) FROM operation_link WHERE "
				"node = %u AND other = %u AND way = '%s' AND known_by = '%s'",
				i, l.link[k].node,
				ts_link_way_word((enum ts_link_way)l.link[k].way),
				ts_link_how_word((enum ts_link_how)l.link[k].how)),
			l.link[k].variables);
	ts_operation_links_fini(&l);
}

START_TEST(in_sql)
{
	struct ts_operation_uses *uses;
	struct ts_operations *o;
	struct ts_query *q;
	struct fixture f;
	struct world w;
	struct ts_err err = {0};

	make_world(&f, &w, _i);
	ck_assert_int_eq(ts_operations_read(&o, f.reader, NULL, true, NULL, NULL), TS_OK);
	ck_assert_int_eq(ts_query_open(&q, f.report, &err), TS_OK);
	ck_assert_int_eq(ts_operation_uses_read(&uses, f.reader, o, NULL, NULL, NULL), TS_OK);
	for (uint32_t i = 0; i < o->count; i++)
		check_in_sql(q, uses, o, i);
	ts_operation_uses_close(uses);
	ck_assert_int_eq(asked(q, "SELECT count(*) FROM operation_node"), o->count);
	ck_assert_int_eq(asked(q, "SELECT count(DISTINCT program) FROM operation_member"),
		PROGRAMS);
	for (uint32_t l = 0; l < o->layers; l++)
		ck_assert_int_eq(asked(q,
					 "SELECT count(*) FROM program WHERE program NOT IN (SELECT "
					 "m.program FROM operation_member m JOIN operation_node n "
					 "USING (node) WHERE m.own AND n.layer_number = %u)",
					 l),
			o->layer[l].outside.programs);
	ck_assert_int_eq(asked(q, "SELECT count(*) FROM operation_node WHERE node = %u", o->count),
		0);
	ck_assert_int_eq(asked(q, "SELECT count(*) FROM operation_member WHERE node = -1"), 0);
	ck_assert_int_eq(ts_query_prepare(q, "SELECT * FROM operation_link", 60, &err), TS_E_USAGE);
	ck_assert_ptr_nonnull(strstr(err.msg, "node = N"));
	ck_assert_int_eq(ts_query_prepare(q, "SELECT 1 FROM operation_link WHERE node = 0", 60,
				 &err),
		TS_OK);
	ts_query_close(q);
	ts_operations_close(o);
	end(&f);
}
END_TEST

/* --- kept ------------------------------------------------------------------------------------------- */

static void
same_operations(const struct ts_operations *a, const struct ts_operations *b)
{
	ck_assert_uint_eq(a->count, b->count);
	ck_assert_uint_eq(a->layers, b->layers);
	ck_assert_uint_eq(a->owns, b->owns);
	ck_assert_uint_eq(a->text_bytes, b->text_bytes);
	ck_assert(memcmp(a->node, b->node, a->count * sizeof(*a->node)) == 0);
	ck_assert(memcmp(a->layer, b->layer, a->layers * sizeof(*a->layer)) == 0);
	ck_assert(a->owns == 0 || memcmp(a->own, b->own, a->owns * sizeof(*a->own)) == 0);
	ck_assert(memcmp(a->bytes, b->bytes, a->text_bytes) == 0);
	ck_assert(memcmp(&a->all, &b->all, sizeof(a->all)) == 0);
	ck_assert_int_eq(a->honesty.compute, b->honesty.compute);
	ck_assert_int_eq(a->missing, b->missing);
	ck_assert_int_eq(a->cut, b->cut);
}

START_TEST(kept)
{
	struct ts_operations *o, *again;
	struct index_dir d;
	struct fixture f;
	struct world w;
	struct ts_err err = {0};

	make_world(&f, &w, _i);
	index_dir_begin(&d);
	ck_assert_msg(ts_operations_read(&o, f.reader, &d.c, true, NULL, &err) == TS_OK, "%s",
		err.msg);
	ck_assert_ptr_null(o->index);
	ck_assert_int_eq(ts_operations_read(&again, f.reader, &d.c, false, NULL, &err), TS_OK);
	ck_assert_ptr_nonnull(again->index);
	ck_assert(again->traced);
	same_operations(o, again);
	ts_operations_close(again);
	ts_operations_close(o);
	index_dir_end(&d);
	end(&f);
}
END_TEST

/* --- bad input -------------------------------------------------------------------------------------- */

/* A chain of 10,000 contexts, a program at each; one in a circle of its own; names that are none. */
START_TEST(deep)
{
	enum { DEEP = 10000 };
	struct ts_operations *o;
	struct ts_strbuf path;
	struct fixture f;
	struct ts_err err = {0};
	int64_t programs = 0;

	make_relations(&f, 1);
	ts_strbuf_init(&path, 8192);
	sql(&f,
		"CREATE TABLE context(context INTEGER PRIMARY KEY, parent INTEGER, layer TEXT, name TEXT);"
		"CREATE TABLE program(program INTEGER PRIMARY KEY, type TEXT, name TEXT, context INTEGER);"
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
		"INSERT INTO context SELECT i, nullif(i - 1, 0), 'l' || i, CAST(x'00ff1b5b' AS TEXT) "
		"FROM n;"
		"INSERT INTO program SELECT context, 'Call', NULL, context FROM context;"
		"INSERT INTO context VALUES(20000, 20000, 'poplar', 'itself');"
		"INSERT INTO program VALUES(20000, 'Call', replace(printf('%%.900c', '/'), '/', '/a'), NULL), "
		"(20001, 'Call', 'in a circle', 20000), (20002, 'Call', '///', NULL), "
		"(20003, 'Call', '', 9999999), (20004, 'Call', 'x/', -5)",
		DEEP);
	open_report(&f);
	ck_assert_msg(ts_operations_read(&o, f.reader, NULL, true, NULL, &err) == TS_OK, "%s",
		err.msg);
	ck_assert_uint_le(o->layers, TS_OPERATION_LAYERS + 1);
	ck_assert_int_gt(o->left_out, DEEP - 100);
	ck_assert_int_eq(o->missing, 2);
	for (uint32_t i = 0; i < o->count; i++) {
		ck_assert_uint_le(o->node[i].depth, 2 * TS_OPERATION_LEVELS);
		programs += o->node[i].parent == TS_NO_OPERATION ? o->node[i].below.programs : 0;
		ts_operation_path(&path, o, i);
	}
	ck_assert_int_eq(programs, DEEP + 2);
	ck_assert_int_eq(o->all.programs, DEEP + 5);
	ck_assert_uint_ne(ts_operation_of_program(o, DEEP, -1), TS_NO_OPERATION);
	ck_assert_uint_eq(ts_operation_of_program(o, 20002, -1), TS_NO_OPERATION);
	ts_operations_close(o);
	ts_strbuf_fini(&path);
	end(&f);
}
END_TEST

/* `programs` operations of one program each, which run the same compute set of `types` vertex types of 3 bytes. */
static void
make_crowd(struct fixture *f, int programs, int types)
{
	make_relations(f, 1);
	sql(f,
		"CREATE TABLE program(program INTEGER PRIMARY KEY, type TEXT, name TEXT, compute_set INTEGER);"
		"CREATE TABLE compute_set(compute_set INTEGER PRIMARY KEY, name TEXT);"
		"CREATE TABLE compute_set_vertex(compute_set INTEGER, vertex_type INTEGER, instances "
		"INTEGER);"
		"CREATE TABLE tile_vertex(tile INTEGER, vertex_type INTEGER, code_bytes INTEGER);"
		"INSERT INTO compute_set VALUES(0, 'all');"
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
		"INSERT INTO program SELECT i, 'OnTileExecute', 'g' || i || '/x', 0 FROM n;"
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
		"INSERT INTO compute_set_vertex SELECT 0, i, 1 FROM n;"
		"INSERT INTO tile_vertex SELECT 0, vertex_type, 3 FROM compute_set_vertex",
		programs - 1, types - 1);
}

static struct ts_operation_groups *
group_all(const struct ts_operations *o, const char *expression)
{
	struct ts_operation_groups *g;
	struct ts_pattern *by;
	struct ts_err err = {0};

	ck_assert_int_eq(ts_pattern_compile(&by, expression, 0, NULL, NULL), TS_OK);
	ck_assert_msg(ts_operation_groups_read(&g, o, 0, by, NULL, NULL, &err) == TS_OK, "%s",
		err.msg);
	ts_pattern_free(by);
	return g;
}

/* A small file with 4e8 pairs of a program and a vertex type: nothing looks at each, nothing is left out. */
START_TEST(crowded)
{
	enum { MANY = 20000 };
	struct ts_operation_figures sum;
	struct ts_cancel cancel = {.set = true};
	struct ts_operation_groups *g;
	struct ts_operations *o;
	struct ts_pattern *by;
	uint32_t list[MANY];
	struct fixture f;

	make_crowd(&f, MANY, MANY);
	sql(&f,
		"INSERT INTO compute_set VALUES(1, 'one'); "
		"INSERT INTO compute_set_vertex VALUES(1, 7, 1); UPDATE program SET compute_set = 1 "
		"WHERE program = 5");
	open_report(&f);
	ck_assert_int_eq(ts_operations_read(&o, f.reader, NULL, true, NULL, NULL), TS_OK);
	ck_assert_int_eq(o->left_out, 0);
	ck_assert_int_eq(o->all.vertex_code, 3 * MANY);
	ck_assert_int_eq(o->all.vertex_alone, 3 * MANY);
	ck_assert_uint_eq(o->types, 2); /* 7, and all others */
	g = group_all(o, "g(\\d+)");
	ck_assert_uint_eq(g->count, MANY);
	ck_assert_int_eq(g->not_summed, 0);
	for (size_t i = 0; i < g->count; i++) {
		const struct ts_operation_figures *is = &ts_operation_group_at(g, i)->of;

		ck_assert_int_eq(is->vertex_code, is->vertices == 1 ? 3 : 3 * MANY);
		ck_assert_int_eq(is->vertex_alone, TS_UNKNOWN);
	}
	ts_operation_groups_close(g);
	g = group_all(o, "g");
	ck_assert_uint_eq(g->count, 1);
	ck_assert_int_eq(ts_operation_group_at(g, 0)->of.vertex_alone, 3 * MANY);
	ts_operation_groups_close(g);
	for (uint32_t i = 0; i < MANY; i++)
		list[i] = ts_operation_in_layer(o, 0, i);
	ck_assert_int_eq(ts_operations_sum(&sum, o, list, MANY, false, NULL, NULL, NULL), TS_OK);
	ck_assert_int_eq(sum.vertex_alone, 3 * MANY);
	ck_assert_int_eq(ts_operations_sum(&sum, o, list, MANY - 1, false, NULL, NULL, NULL),
		TS_OK);
	ck_assert_int_eq(sum.vertex_alone, TS_UNKNOWN);
	ck_assert_int_eq(ts_operations_sum(&sum, o, list, MANY, false, NULL, &cancel, NULL),
		TS_E_CANCELLED);
	ck_assert_int_eq(ts_pattern_compile(&by, "g", 0, NULL, NULL), TS_OK);
	ck_assert_int_eq(ts_operation_groups_read(&g, o, 0, by, NULL, &cancel, NULL),
		TS_E_CANCELLED);
	ts_pattern_free(by);
	ts_operations_close(o);
	end(&f);
}
END_TEST

/*
 * Each vertex type is run by compute sets of its own, so that none can be taken together: sums look at so many, and no more; code
 * that was not added up is not known, and never too little.
 */
START_TEST(told_apart)
{
	enum { PROGRAMS_OF = 4200, BITS = 12, TYPES_OF = 1 << BITS };
	struct ts_operation_groups *g;
	struct ts_operations *o;
	struct fixture f;
	int64_t known = 0, unknown = 0;

	make_crowd(&f, PROGRAMS_OF, TYPES_OF);
	for (int bit = 0; bit < BITS; bit++)
		sql(&f,
			"INSERT INTO compute_set VALUES(%d, 'b');"
			"INSERT INTO program VALUES(%d, 'OnTileExecute', NULL, %d);"
			"INSERT INTO compute_set_vertex SELECT %d, vertex_type, 1 FROM "
			"compute_set_vertex WHERE compute_set = 0 AND vertex_type >> %d & 1",
			bit + 1, PROGRAMS_OF + bit, bit + 1, bit + 1, bit);
	open_report(&f);
	ck_assert_int_eq(ts_operations_read(&o, f.reader, NULL, true, NULL, NULL), TS_OK);
	ck_assert_uint_eq(o->types, TYPES_OF);
	ck_assert_int_gt(o->left_out, 0);
	g = group_all(o, "g\\d+");
	ck_assert_uint_eq(g->count, PROGRAMS_OF);
	for (size_t i = 0; i < g->count; i++) {
		const struct ts_operation_figures *is = &ts_operation_group_at(g, i)->of;

		if (is->vertex_code == TS_UNKNOWN)
			ck_assert_int_eq(is->code, TS_UNKNOWN);
		else
			ck_assert_int_eq(is->vertex_code, 3 * TYPES_OF);
		known += is->vertex_code != TS_UNKNOWN;
		unknown += is->vertex_code == TS_UNKNOWN;
	}
	ck_assert_int_gt(known, 0);
	ck_assert_int_gt(unknown, 0);
	ck_assert_int_eq(g->not_summed, unknown);
	ts_operation_groups_close(g);
	ts_operations_close(o);
	end(&f);
}
END_TEST

/* Each relation that operations are made of, absent. */
START_TEST(absent)
{
	static const char *const tables[] = {"context", "program", "compute_set",
		"compute_set_vertex", "program_child", "liveness_step", "tile_vertex", "step",
		"step_ipu", "variable", "operation", "operation_program", "lowered_variable"};
	struct ts_operations *o = NULL;
	struct ts_operation_uses *uses = NULL;
	struct ts_operation_links l;
	struct ts_program_details d;
	struct fixture f;
	struct world w;
	struct ts_err err = {0};
	enum ts_code code;

	make_world(&f, &w, _i);
	close_report(&f);
	sql(&f, "DROP TABLE IF EXISTS %s", tables[_i % (int)TS_COUNT(tables)]);
	if (_i >= (int)TS_COUNT(tables))
		sql(&f, "DROP TABLE IF EXISTS %s", tables[_i * 7 % (int)TS_COUNT(tables)]);
	open_report(&f);
	code = ts_operations_read(&o, f.reader, NULL, _i % 2, NULL, &err);
	ck_assert_msg(code == TS_OK || code == TS_E_ABSENT, "%s", err.msg);
	ck_assert(code == TS_OK || err.msg[0]);
	if (!code)
		ck_assert_int_eq(ts_operation_uses_read(&uses, f.reader, o, NULL, NULL, NULL),
			TS_OK);
	for (uint32_t i = 0; !code && i < o->count; i += 3) {
		ck_assert_int_eq(ts_operation_links_read(&l, uses, i, NULL, NULL, NULL), TS_OK);
		ts_operation_links_fini(&l);
		ck_assert_int_eq(ts_operation_details_read(&d, f.reader, o, i, true, NULL, NULL,
					 NULL),
			TS_OK);
		ts_program_details_fini(&d);
	}
	ts_operation_uses_close(uses);
	ts_operations_close(o);
	end(&f);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("operations");
	TCase *t = tcase_create("figures");

	tcase_add_loop_test(t, by_definition, 0, sample_of(SEEDS));
	tcase_add_loop_test(t, together, 0, sample_of(SEEDS / 2));
	tcase_add_loop_test(t, links, 0, sample_of(SEEDS / 2));
	tcase_add_loop_test(t, in_sql, 0, SEEDS / 4);
	tcase_add_loop_test(t, kept, 0, SEEDS / 8);
	tcase_add_test(t, deep);
	tcase_add_test(t, crowded);
	tcase_add_full_test(t, told_apart);
	tcase_add_loop_test(t, absent, 0, 26);
	tcase_set_timeout(t, 60);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	SRunner *r = srunner_create(suite());
	int failed;

	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
