/* SPDX-License-Identifier: MIT */
/*
 * memory_parts_explain - what the parts of the Memory view's plot are, of the tile or the IPU under the cursor: where
 * each comes from, and the query that gives it.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/report/breakdown.h"
#include "tilescope/view/explain.h"

enum { MOST = 8, WORDS = 600 };

struct explained_part;

typedef void part_query(struct ts_explained *x, const struct explained_part *p);

struct explained_part {
	const struct memory_view *m;
	part_query *query;
	const char *name;
	char where[120]; /* SQL: the rows of these tiles */
};

static void
of_layer(struct ts_explained *x, const struct explained_part *p)
{
	char pattern[2 * TS_OPTION_PATTERN + 8], name[2 * MEMORY_PART_NAME];
	const char *layer = strncmp(p->name, "layer ", 6) == 0 ? p->name + 6 : p->name;
	struct ts_strbuf text;

	ts_strbuf_init(&text, WORDS);
	ts_strbuf_printf(&text, "(?i)%s", p->m->layer_pattern);
	ts_explain_from(x, TS_KNOWN_DERIVED, "lowered_variable.bytes, lowered_variable.name");
	ts_explain_formula(x, "the variables in whose names %.200s finds it", p->m->layer_pattern);
	if (strcmp(p->name, TS_FURTHER_LAYERS) == 0 ||
		!ts_explain_quote(pattern, sizeof(pattern), text.s) ||
		!ts_explain_quote(name, sizeof(name), layer))
		ts_explain_note(x, "no query: its words do not fit");
	else if (strcmp(p->name, TS_NO_LAYER) == 0)
		ts_explain_query(x,
			"SELECT sum(bytes) FROM lowered_variable WHERE %s "
			"AND coalesce(regexp_group(%s, name), '') = ''",
			p->where, pattern);
	else
		ts_explain_query(x,
			"SELECT sum(bytes) FROM lowered_variable WHERE %s "
			"AND regexp_group(%s, name) = %s",
			p->where, pattern, name);
	ts_strbuf_fini(&text);
}

/* Families are readable names; types stand as the compiler writes them, with "__" for "::". */
static void
of_family(struct ts_explained *x, const struct explained_part *p)
{
	char quoted[2 * WORDS], mangled[2 * WORDS];
	struct ts_strbuf text;

	ts_strbuf_init(&text, WORDS);
	for (const char *s = p->name; *s; s++)
		ts_strbuf_putc(&text, *s == ':' ? '_' : *s);
	ts_explain_from(x, TS_KNOWN_DERIVED, "tile_vertex.code_bytes, vertex_type.name");
	ts_explain_formula(x, "the code of all vertex types of this template");
	if (ts_explain_quote(quoted, sizeof(quoted), p->name) &&
		ts_explain_quote(mangled, sizeof(mangled), text.s))
		ts_explain_query(x,
			"SELECT sum(code_bytes) FROM tile_vertex JOIN vertex_type USING (vertex_type) "
			"WHERE %s AND (name IN (%s, %s) OR substr(name, 1, %zu) = %s || '___' "
			"OR substr(name, 1, %zu) = %s || '<')",
			p->where, quoted, mangled, text.len + 3, mangled, text.len + 1, quoted);
	else
		ts_explain_note(x, "no query: its name does not fit");
	ts_strbuf_fini(&text);
}

static void
of_region(struct ts_explained *x, const struct explained_part *p)
{
	static const char *const columns[][2] = {{"non-interleaved", "non_interleaved"},
		{"interleaved", "interleaved"}, {"overflowed", "overflowed"}};
	char name[2 * WORDS];

	if (!ts_report_has_column(p->m->view.env->report, TS_TILE_MEMORY,
		    TS_TILE_MEMORY_NON_INTERLEAVED)) {
		ts_explain_from(x, TS_KNOWN_RECORDED,
			"tile_category.not_overlapped, tile_category.overlapped, tile_category.region");
		if (ts_explain_quote(name, sizeof(name), p->name))
			ts_explain_query(x,
				"SELECT sum(not_overlapped + coalesce(overlapped, 0)) FROM tile_category "
				"WHERE %s AND region = %s",
				p->where, name);
		return;
	}
	for (size_t i = 0; i < TS_COUNT(columns); i++)
		if (strcmp(columns[i][0], p->name) == 0) {
			ts_explain_from(x, TS_KNOWN_RECORDED, "tile_memory.%s", columns[i][1]);
			ts_explain_query(x, "SELECT sum(%s) FROM tile_memory WHERE %s",
				columns[i][1], p->where);
		}
}

static void
of_marked(struct ts_explained *x, const struct explained_part *p)
{
	char name[2 * TS_MARKED_NAME + 2];

	ts_explain_from(x, TS_KNOWN_RECORDED, "lowered_variable.bytes");
	ts_explain_formula(x, "the variables of that name");
	if (strlen(p->name) < TS_BREAKDOWN_NAME - 1 &&
		ts_explain_quote(name, sizeof(name), p->name))
		ts_explain_query(x,
			"SELECT sum(bytes) FROM lowered_variable WHERE %s AND name = %s", p->where,
			name);
	else
		ts_explain_note(x, "no query: all names that begin so are meant");
}

/* Of an IPU; of a tile they stand in Details. */
static void
of_category(struct ts_explained *x, const struct explained_part *p)
{
	bool cells = ts_report_has(p->m->view.env->report, TS_TILE_CATEGORY);
	char name[2 * WORDS];

	ts_explain_from(x, TS_KNOWN_DERIVED,
		cells ? "tile_category.not_overlapped, tile_category.overlapped"
		      : "lowered_variable.bytes by category");
	if (ts_explain_quote(name, sizeof(name), p->name))
		ts_explain_query(x,
			"SELECT sum(%s) FROM %s WHERE %s AND category_name(category) = %s",
			cells ? "not_overlapped + coalesce(overlapped, 0)" : "bytes",
			cells ? "tile_category" : "lowered_variable", p->where, name);
	else
		ts_explain_note(x, "no query: its name does not fit");
}

/* The same; of a tile they are figures of its own. */
static void
of_liveness(struct ts_explained *x, const struct explained_part *p)
{
	bool always = strcmp(p->name, TS_ALWAYS_LIVE) == 0;

	if (!p->m->tiles->has_live) {
		ts_explain_from(x, TS_KNOWN_DERIVED, "lowered_variable, its liveness");
		ts_explain_note(x, "no query: it is worked out from the lives of variables");
		return;
	}
	ts_explain_from(x, TS_KNOWN_RECORDED, "tile_memory.%s",
		always ? "always_live" : "not_always_live_peak");
	ts_explain_query(x, "SELECT sum(%s) FROM tile_memory WHERE %s",
		always ? "always_live" : "not_always_live_peak", p->where);
}

static part_query *const queries_of_ipu[BY_COUNT] = {
	[BY_CATEGORY] = of_category,
	[BY_CATEGORY_MEAN] = of_category,
	[BY_LIVENESS] = of_liveness,
	[BY_REGION] = of_region,
	[BY_LAYER] = of_layer,
	[BY_FAMILY] = of_family,
	[BY_MARKED] = of_marked,
};

static part_query *const queries[BY_COUNT] = {
	[BY_REGION] = of_region,
	[BY_LAYER] = of_layer,
	[BY_FAMILY] = of_family,
	[BY_MARKED] = of_marked,
};

static void
explain_part(const struct memory_view *m, const struct memory_drawn *d, int64_t bytes,
	const struct explained_part *p, const char *whose, struct ts_explain *out)
{
	struct ts_explained *x = ts_explain_add(out, "%s on %s", d->name, whose);
	const struct memory_categories *k = memory_parts(m);

	ts_explain_bytes(x, bytes, memory_units(m));
	if (d->part == PART_REST) {
		ts_explain_from(x, TS_KNOWN_DERIVED, "tile_memory.total");
		ts_explain_formula(x, "what is used, without gaps, less all parts");
		ts_explain_note(x, "no query: it follows from the other figures");
	} else if (k->other && d->part == k->bands - 1) {
		ts_explain_from(x, TS_KNOWN_DERIVED, "the parts that have no band of their own");
		ts_explain_note(x, "no query: it is the sum of several parts");
	} else if (!k->whole) {
		ts_explain_note(x, "no query: rows are still being read");
	} else {
		p->query(x, p);
	}
}

void
memory_explain_parts(const struct memory_view *m, struct ts_explain *out)
{
	const struct memory_ipu *ipu = memory_by_ipu(m) ? memory_ipu_of(m, memory_at(m)) : NULL;
	struct explained_part p = {.m = m};
	long long tile = (long long)memory_tile(m)->tile;
	char whose[60];

	p.query = (ipu ? queries_of_ipu : queries)[m->breakdown];
	if (!p.query || !memory_parts(m) || (memory_by_ipu(m) && !ipu))
		return;
	snprintf(whose, sizeof(whose), ipu ? "ipu %lld" : "tile %lld",
		ipu ? (long long)ipu->ipu : tile);
	snprintf(p.where, sizeof(p.where),
		ipu ? "tile IN (SELECT tile FROM tiles('ipu(%lld)'))" : "tile = %lld",
		ipu ? (long long)ipu->ipu : tile);
	for (int b = 0, n = 0; b < m->plot.bands && n < MOST; b++) {
		const struct memory_drawn *d = &m->plot.band[b];
		int64_t bytes = ipu ? ipu->part[b]
				    : memory_drawn_bytes(m, memory_parts(m), d->part, memory_at(m));

		p.name = d->name;
		if (d->part == PART_GAPS || d->hidden || bytes <= 0)
			continue;
		explain_part(m, d, bytes, &p, whose, out);
		n++;
	}
}
