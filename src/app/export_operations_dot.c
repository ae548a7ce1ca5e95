/* SPDX-License-Identifier: MIT */
/*
 * export_operations_dot - operations as a graph in the language of Graphviz: what is shown (struct ts_operation_graph), else all.
 *
 * Dashed lines are what stands below what: the nearest that is in the graph. Arrows are variables, from who made them to who uses
 * them. Groups of a roll-up are boxes around their operations. The first lines say what the file holds.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "export_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/report/operation_graph.h"

enum { FLUSH_BYTES = 1 << 18, BUFFER_MAX = 1 << 24, LINE_BYTES = 4096 };

struct drawing {
	struct ts_export *x;
	const struct ts_operation_graph *g;
	struct ts_strbuf out;
	struct ts_pile in; /* a byte by node: it is in the graph */
	bool more;
};

static void
flush(struct drawing *d, size_t least)
{
	if (d->out.len < least || !d->more)
		return;
	d->more = ts_output_add(d->x->out, d->out.s, d->out.len);
	ts_strbuf_reset(&d->out);
}

static bool
is_in(const struct drawing *d, uint32_t node)
{
	return ((const unsigned char *)d->in.memory)[node] != 0;
}

/* --- what it holds ------------------------------------------------------------------------------------- */

/* A line of comment: whatever the text has, it ends with the line. */
static void
add_comment(struct ts_strbuf *out, const char *what, const char *text)
{
	struct ts_strbuf safe;

	ts_strbuf_init(&safe, LINE_BYTES);
	ts_utf8_safe(&safe, text, strlen(text));
	ts_strbuf_puts(out, "// ");
	ts_strbuf_puts(out, what);
	ts_strbuf_add(out, safe.s, safe.len);
	ts_strbuf_putc(out, '\n');
	ts_strbuf_fini(&safe);
}

static void
add_head(struct drawing *d)
{
	const struct ts_operation_graph *g = d->g;
	const char *layer;
	char name[80];
	size_t n;

	layer = ts_operation_layer_name(&n, g->ops, g->layer);
	snprintf(name, sizeof(name), "%.*s", (int)ts_min_i64((int64_t)n, 60), layer);
	add_comment(&d->out, "tilescope " PACKAGE_VERSION ", operations of ", d->x->report->path);
	add_comment(&d->out, "", g->title);
	add_comment(&d->out, "figures of each: ",
		g->below ? "with all that stands below it" : "of the operation itself");
	if (g->of == TS_NO_OPERATION)
		add_comment(&d->out,
			"arrows: variables of one operation that another one uses, in layer ",
			name);
	else
		add_comment(&d->out,
			"arrows: variables that link it with others of its layer; without a head: nobody says "
			"who made them",
			"");
	ts_strbuf_puts(&d->out,
		"// dashed: stands below\ndigraph operations {\n  node [shape=box, "
		"fontname=monospace];\n  labelloc=t;\n  label=\"");
	ts_export_dot_label(&d->out, g->title, strlen(g->title));
	ts_strbuf_puts(&d->out, "\";\n");
}

/* --- operations ----------------------------------------------------------------------------------------- */

static void
add_node(struct drawing *d, uint32_t i)
{
	const struct ts_operations *o = d->g->ops;
	const struct ts_operation *n = &o->node[i];
	const struct ts_operation_figures *f = d->g->below ? &n->below : &n->of;
	struct ts_strbuf *out = &d->out;
	const char *text;
	size_t len;

	ts_strbuf_printf(out, "  n%" PRIu32 " [label=\"", i);
	text = ts_operation_layer_name(&len, o, n->layer);
	ts_export_dot_label(out, text, len);
	ts_strbuf_putc(out, ' ');
	text = ts_operation_name(&len, o, i);
	ts_export_dot_label(out, text, len);
	text = ts_operation_debug_name(&len, o, i);
	if (text) {
		ts_strbuf_puts(out, "\\n");
		ts_export_dot_label(out, text, len);
	}
	if (f->executed != TS_UNKNOWN)
		ts_strbuf_printf(out, "\\n%" PRId64 " cycles executed", f->executed);
	if (f->code != TS_UNKNOWN)
		ts_strbuf_printf(out, "\\n%" PRId64 " bytes of code", f->code);
	ts_strbuf_printf(out, "\"%s];\n", i == d->g->of ? ", penwidth=3" : "");
	flush(d, FLUSH_BYTES);
}

/* A line from the nearest above it that is in the graph. Not within a group: that would draw both into it. */
static void
add_place(struct drawing *d, uint32_t i)
{
	const struct ts_operations *o = d->g->ops;
	uint32_t at = o->node[i].parent;

	while (at != TS_NO_OPERATION && !is_in(d, at))
		at = o->node[at].parent;
	if (at != TS_NO_OPERATION)
		ts_strbuf_printf(&d->out,
			"  n%" PRIu32 " -> n%" PRIu32 " [style=dashed, arrowhead=none];\n", at, i);
	flush(d, FLUSH_BYTES);
}

/* Groups with something in the graph; their operations are not those of the order of nodes, but each stands once. */
static void
add_groups(struct drawing *d)
{
	const struct ts_operation_groups *g = d->g->groups;
	const uint32_t *list = g->node.memory;

	for (size_t i = 0; d->more && i < g->count; i++) {
		const struct ts_operation_group *r = ts_operation_group_at(g, i);
		bool began = false;
		size_t n;
		const char *key = ts_operation_group_key(&n, g, i);

		for (uint64_t k = 0; d->more && k < r->count; k++) {
			if (!is_in(d, list[r->first + k]))
				continue;
			if (!began) {
				ts_strbuf_printf(&d->out, "  subgraph cluster_%zu {\n  label=\"",
					i);
				ts_export_dot_label(&d->out, key ? key : "(not found)",
					key ? n : strlen("(not found)"));
				ts_strbuf_puts(&d->out, "\";\n");
			}
			began = true;
			add_node(d, list[r->first + k]);
		}
		if (began)
			ts_strbuf_puts(&d->out, "  }\n");
	}
}

static void
add_nodes(struct drawing *d)
{
	const uint32_t *node = d->g->node.memory;
	size_t n = d->g->node.used / sizeof(*node);

	if (d->g->groups)
		add_groups(d);
	for (size_t i = 0; d->more && !d->g->groups && i < n; i++)
		add_node(d, node[i]);
	for (size_t i = 0; d->more && i < n; i++)
		add_place(d, node[i]);
}

/* --- variables ------------------------------------------------------------------------------------------- */

static void
add_arrow(struct drawing *d, uint32_t from, uint32_t to, int64_t variables, int64_t bytes,
	enum ts_link_how how, bool head)
{
	ts_strbuf_printf(&d->out, "  n%" PRIu32 " -> n%" PRIu32 " [label=\"%" PRId64 " variable%s",
		from, to, variables, variables == 1 ? "" : "s");
	if (bytes != TS_UNKNOWN)
		ts_strbuf_printf(&d->out, "\\n%" PRId64 " bytes", bytes);
	ts_strbuf_printf(&d->out, "\", tooltip=\"%s\"%s];\n", ts_link_how_word(how),
		head ? "" : ", dir=none");
	flush(d, FLUSH_BYTES);
}

static void
add_links(struct drawing *d)
{
	const struct ts_operation_link *l = d->g->link.memory;

	for (size_t i = 0; d->more && i < d->g->link.used / sizeof(*l); i++) {
		bool from = l[i].way == TS_LINK_FROM;

		add_arrow(d, from ? l[i].node : d->g->of, from ? d->g->of : l[i].node,
			l[i].variables, l[i].bytes, (enum ts_link_how)l[i].how,
			l[i].way != TS_LINK_SHARED);
	}
}

static enum ts_code
add_flows(struct drawing *d, struct ts_err *err)
{
	struct ts_export *x = d->x;
	const struct ts_operation_flow *f;
	struct ts_pile flows = {0};
	struct ts_operation_uses *uses;
	struct ts_err why = {0};
	enum ts_code code = ts_operation_uses_read(&uses, x->rd, d->g->ops, NULL,
		ts_export_progress(x), &why);

	if (!code)
		code = ts_operation_flows_read(&flows, uses, d->g->layer, NULL, x->rd->cancel,
			&why);
	code = ts_notes_soften(&x->notes, code, "who uses what", &why, err);
	f = flows.memory;
	for (size_t i = 0; !code && d->more && i < flows.used / sizeof(*f); i++)
		if (is_in(d, f[i].from) && is_in(d, f[i].to))
			add_arrow(d, f[i].from, f[i].to, f[i].variables, f[i].bytes,
				(enum ts_link_how)f[i].how, true);
	ts_pile_fini(&flows);
	ts_operation_uses_close(uses);
	return code;
}

static enum ts_code
mark_nodes(struct drawing *d, struct ts_err *err)
{
	const uint32_t *node = d->g->node.memory;
	size_t count = d->g->ops->count;
	enum ts_code code = ts_pile_room(&d->in, count + 1, NULL, err);

	if (code)
		return code;
	memset(d->in.memory, 0, count);
	for (size_t i = 0; i < d->g->node.used / sizeof(*node); i++)
		((unsigned char *)d->in.memory)[node[i]] = 1;
	return TS_OK;
}

static enum ts_code
write_graph(struct ts_export *x, const struct ts_operation_graph *g, struct ts_err *err)
{
	struct drawing d = {.x = x, .g = g, .more = true};
	enum ts_code code = mark_nodes(&d, err);

	ts_strbuf_init(&d.out, BUFFER_MAX);
	if (!code) {
		add_head(&d);
		add_nodes(&d);
		if (g->of != TS_NO_OPERATION)
			add_links(&d);
		else
			code = add_flows(&d, err);
		ts_strbuf_puts(&d.out, "}\n");
	}
	if (!code && d.out.nomem)
		code = ts_err_nomem(err);
	if (!code)
		flush(&d, 0);
	ts_strbuf_fini(&d.out);
	ts_pile_fini(&d.in);
	return code;
}

enum ts_code
ts_export_operations_dot(struct ts_export *x, struct ts_err *err)
{
	struct ts_operations *o = NULL;
	struct ts_operation_graph all;
	const struct ts_operation_graph *g = x->graph ? x->graph : &all;
	enum ts_code code = TS_OK;

	ts_operation_graph_init(&all);
	if (!x->graph) {
		code = ts_operations_read(&o, x->rd, NULL, true, ts_export_progress(x), err);
		if (!code)
			code = ts_operation_graph_all(&all, o, NULL, err);
	}
	if (!code)
		code = write_graph(x, g, err);
	if (!code)
		ts_export_operations_notes(x, g->ops);
	if (!code && g->ops->partial)
		code = ts_err_set(err, TS_E_DAMAGED, "not all could be read: figures are partial");
	ts_operation_graph_fini(&all);
	ts_operations_close(o);
	return code;
}
