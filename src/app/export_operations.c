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
#include "tilescope/report/operations.h"

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

void
ts_export_operations_notes(struct ts_export *x, const struct ts_operations *o)
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
		ts_export_operations_notes(x, o);
	if (!code && o->partial)
		code = ts_err_set(err, TS_E_DAMAGED, "not all could be read: figures are partial");
	ts_operations_close(o);
	ts_strbuf_fini(&path);
	return code ? code : last;
}
