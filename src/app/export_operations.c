/* SPDX-License-Identifier: MIT */
/*
 * export_operations - every operation of every layer and what it comes to (report/operations.h): a row each, in the order of
 * the tree. Figures stand twice: of the operation in its layer, and of all that stands below it.
 */
#include "config.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "export_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/operation_links.h"

static const struct {
	const char *name, *below;
	size_t at; /* in struct ts_operation_figures */
} figures[] = {
#define FIGURE(name, member)                                                       \
	{                                                                          \
		name, "below_" name, offsetof(struct ts_operation_figures, member) \
	}
	FIGURE("programs", programs),
	FIGURE("compute_sets", compute_sets),
	FIGURE("vertices", vertices),
	FIGURE("steps", steps),
	FIGURE("first_step", first_step),
	FIGURE("executed_cycles", executed),
	FIGURE("cycles", measured),
	FIGURE("tile_cycles", measured_tiles),
	FIGURE("estimated_cycles", estimated),
	FIGURE("estimated_tile_cycles", estimated_tiles),
	FIGURE("code_bytes", code),
	FIGURE("control_code_bytes", control_code),
	FIGURE("exchange_code_bytes", exchange_code),
	FIGURE("vertex_code_bytes", vertex_code),
	FIGURE("vertex_code_alone_bytes", vertex_alone),
	FIGURE("variables", variables),
	FIGURE("variable_bytes", bytes),
	FIGURE("recorded_variables", said_variables),
	FIGURE("recorded_variable_bytes", said_bytes),
	FIGURE("live_bytes", live),
	FIGURE("first_live_step", live_first),
	FIGURE("last_live_step", live_last),
#undef FIGURE
};

enum {
	C_NODE,
	C_PARENT,
	C_DEPTH,
	C_LAYER,
	C_NAME,
	C_PATH,
	C_DEBUG_NAME,
	C_FROM,
	C_OPERATION,
	C_CONTEXT,
	C_MARK,
	C_FIGURES,
	COLUMNS = C_FIGURES + 2 * TS_COUNT(figures)
};

static const char *const first_names[C_FIGURES] = {
	[C_NODE] = "node",
	[C_PARENT] = "parent",
	[C_DEPTH] = "depth",
	[C_LAYER] = "layer",
	[C_NAME] = "name",
	[C_PATH] = "path",
	[C_DEBUG_NAME] = "debug_name",
	[C_FROM] = "from",
	[C_OPERATION] = "operation",
	[C_CONTEXT] = "context",
	[C_MARK] = "executed_is",
};

enum { PATH_MAX_BYTES = 8192 };

static int64_t
figure_of(const struct ts_operation_figures *f, size_t i)
{
	return *(const int64_t *)((const char *)f + figures[i].at);
}

static void
fill_row(struct ts_sql_value v[COLUMNS], const struct ts_operations *o, uint32_t i,
	struct ts_strbuf *path)
{
	const struct ts_operation *n = &o->node[i];
	const char *from = ts_operation_from_word((enum ts_operation_from)n->from), *text;
	const char *mark = ts_mark_word((enum ts_mark)n->of.mark);
	size_t len;

	v[C_NODE] = ts_export_integer(i);
	v[C_PARENT] = ts_export_integer(n->parent == TS_NO_OPERATION ? TS_UNKNOWN : n->parent);
	v[C_DEPTH] = ts_export_integer(n->depth);
	text = ts_operation_layer_name(&len, o, n->layer);
	v[C_LAYER] = ts_export_text(text, len);
	text = ts_operation_name(&len, o, i);
	v[C_NAME] = ts_export_text(n->name < 0 ? NULL : text, len);
	ts_operation_path(path, o, i);
	v[C_PATH] = ts_export_text(path->s, path->len);
	text = ts_operation_debug_name(&len, o, i);
	v[C_DEBUG_NAME] = ts_export_text(text, len);
	v[C_FROM] = ts_export_text(from, strlen(from));
	v[C_OPERATION] = ts_export_integer(n->operation);
	v[C_CONTEXT] = (struct ts_sql_value){n->has_context ? TS_SQL_INTEGER : TS_SQL_NULL,
		n->context, 0, "", 0};
	v[C_MARK] = ts_export_text(n->of.executed > 0 ? mark : NULL, strlen(mark));
	for (size_t k = 0; k < TS_COUNT(figures); k++) {
		v[C_FIGURES + k] = ts_export_integer(figure_of(&n->of, k));
		v[C_FIGURES + TS_COUNT(figures) + k] = ts_export_integer(figure_of(&n->below, k));
	}
}

static void
say_left_out(struct ts_export *x, const struct ts_operations *o)
{
	ts_notes_left_out(&x->notes, "debug contexts", o->missing, "they are named, and not there");
	ts_notes_left_out(&x->notes, "rows of operations", o->bad_rows,
		"no number, a number that another one has, or a program that is not there");
	ts_notes_left_out(&x->notes, "contexts and rows of operations", o->left_out,
		"there are too many, or contexts too deep");
	ts_notes_left_out(&x->notes, "programs", o->costs->bad_rows,
		"no number, or cycles or bytes by tile that are none");
}

enum ts_code
ts_export_operations(struct ts_export *x, struct ts_err *err)
{
	const char *names[COLUMNS];
	struct ts_sql_value v[COLUMNS];
	struct ts_operations *o = NULL;
	struct ts_rows_out *rows = NULL;
	struct ts_strbuf path;
	struct ts_err end = {0};
	enum ts_code code, last;
	bool more = true;

	memcpy(names, first_names, sizeof(first_names));
	for (size_t i = 0; i < TS_COUNT(figures); i++) {
		names[C_FIGURES + i] = figures[i].name;
		names[C_FIGURES + TS_COUNT(figures) + i] = figures[i].below;
	}
	ts_strbuf_init(&path, PATH_MAX_BYTES);
	code = ts_operations_read(&o, x->rd, NULL, true, ts_export_progress(x), err);
	if (!code) {
		rows = ts_rows_out_new(x->out, x->rows, COLUMNS, names);
		code = rows ? TS_OK : ts_err_nomem(err);
	}
	for (uint32_t i = 0; !code && more && i < o->count; i++) {
		fill_row(v, o, i, &path);
		more = ts_rows_out_row(rows, v);
	}
	last = ts_rows_out_end(rows, &end);
	if (!code && last && err)
		*err = end;
	if (o)
		say_left_out(x, o);
	if (!code && o->partial)
		code = ts_err_set(err, TS_E_DAMAGED, "not all could be read: figures are partial");
	ts_operations_close(o);
	ts_strbuf_fini(&path);
	return code ? code : last;
}

/* --- as a graph ------------------------------------------------------------------------------------- */

enum { FLUSH_BYTES = 1 << 18, BUFFER_MAX = 1 << 24 };

/* The layer whose operations pass variables on: recorded ones, else the one with most operations that is not of names. */
static uint32_t
layer_of_flows(const struct ts_operations *o)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < o->layers; i++) {
		const struct ts_operation_layer *l = &o->layer[i], *b = &o->layer[best];

		if (l->from < b->from || (l->from == b->from && l->count > b->count))
			best = i;
	}
	return best;
}

static void
add_node(struct ts_strbuf *out, const struct ts_operations *o, uint32_t i)
{
	const struct ts_operation *n = &o->node[i];
	const char *text;
	size_t len;

	ts_strbuf_printf(out, "  n%" PRIu32 " [label=\"", i);
	text = ts_operation_layer_name(&len, o, n->layer);
	ts_export_dot_label(out, text, len);
	ts_strbuf_putc(out, ' ');
	text = ts_operation_name(&len, o, i);
	ts_export_dot_label(out, text, len);
	if (n->below.executed != TS_UNKNOWN)
		ts_strbuf_printf(out, "\\n%" PRId64 " cycles executed", n->below.executed);
	if (n->below.code != TS_UNKNOWN)
		ts_strbuf_printf(out, "\\n%" PRId64 " bytes of code", n->below.code);
	ts_strbuf_puts(out, "\"];\n");
	if (n->parent != TS_NO_OPERATION)
		ts_strbuf_printf(out,
			"  n%" PRIu32 " -> n%" PRIu32 " [style=dashed, arrowhead=none];\n",
			n->parent, i);
}

static bool
flush(struct ts_export *x, struct ts_strbuf *out, size_t least)
{
	bool more = out->len < least || ts_output_add(x->out, out->s, out->len);

	if (out->len >= least)
		ts_strbuf_reset(out);
	return more;
}

/* Dashed lines are what stands below what; arrows are variables, from who made them to who uses them. */
static void
write_graph(struct ts_export *x, const struct ts_operations *o, const struct ts_pile *flows)
{
	const struct ts_operation_flow *f = flows->memory;
	struct ts_strbuf out;
	bool more = true;

	ts_strbuf_init(&out, BUFFER_MAX);
	ts_strbuf_puts(&out, "digraph operations {\n  node [shape=box, fontname=monospace];\n");
	for (uint32_t i = 0; more && i < o->count; i++) {
		add_node(&out, o, i);
		more = flush(x, &out, FLUSH_BYTES);
	}
	for (size_t i = 0; more && i < flows->used / sizeof(*f); i++) {
		ts_strbuf_printf(&out, "  n%" PRIu32 " -> n%" PRIu32 " [", f[i].from, f[i].to);
		if (f[i].bytes != TS_UNKNOWN)
			ts_strbuf_printf(&out, "label=\"%" PRId64 " bytes\", ", f[i].bytes);
		ts_strbuf_printf(&out, "tooltip=\"%s\"];\n",
			ts_link_how_word((enum ts_link_how)f[i].how));
		more = flush(x, &out, FLUSH_BYTES);
	}
	ts_strbuf_puts(&out, "}\n");
	if (more)
		flush(x, &out, 0);
	ts_strbuf_fini(&out);
}

enum ts_code
ts_export_operations_dot(struct ts_export *x, struct ts_err *err)
{
	struct ts_operations *o = NULL;
	struct ts_pile flows = {0};
	struct ts_err why = {0};
	enum ts_code code = ts_operations_read(&o, x->rd, NULL, true, ts_export_progress(x), err);

	if (!code) {
		code = ts_operation_flows_read(&flows, x->rd, o, layer_of_flows(o), NULL,
			ts_export_progress(x), &why);
		code = ts_notes_soften(&x->notes, code, "who uses what", &why, err);
	}
	if (!code) {
		write_graph(x, o, &flows);
		say_left_out(x, o);
	}
	if (!code && o->partial)
		code = ts_err_set(err, TS_E_DAMAGED, "not all could be read: figures are partial");
	ts_pile_fini(&flows);
	ts_operations_close(o);
	return code;
}
