/* SPDX-License-Identifier: MIT */
/* figure_sheet - see the header. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "figure_sheet.h"

#include "tilescope/view/view.h"

enum { G_FIGURE, G_VALUE, G_UNIT, G_KNOWN, G_FROM, G_FORMULA, G_NOTE, G_QUERY, G_COLUMNS };

static const struct ts_column_facts facts[G_COLUMNS] = {
	[G_FIGURE] = {.name = "figure"},
	[G_VALUE] = {.name = "value"},
	[G_UNIT] = {.name = "unit"},
	[G_KNOWN] = {.name = "known"},
	[G_FROM] = {.name = "from"},
	[G_FORMULA] = {.name = "formula"},
	[G_NOTE] = {.name = "note"},
	[G_QUERY] = {.name = "query"},
};

static void
exact(const struct ts_explained *x, struct ts_table_value *out)
{
	if (x->kind == TS_EXPLAIN_INTEGER)
		ts_table_value_integer(out, x->integer);
	else if (x->kind == TS_EXPLAIN_REAL)
		ts_table_value_real(out, x->real);
	else if (x->kind == TS_EXPLAIN_TEXT)
		ts_table_value_text(out, x->text);
}

static bool
figure_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct ts_explain *all = ctx;
	const struct ts_explained *x = &all->figure[row];
	const char *const texts[G_COLUMNS] = {[G_FIGURE] = x->title,
		[G_UNIT] = x->unit,
		[G_KNOWN] = ts_known_name(x->known),
		[G_FROM] = x->from,
		[G_FORMULA] = x->formula,
		[G_NOTE] = x->note,
		[G_QUERY] = x->query};

	if (column == G_VALUE)
		exact(x, out);
	else if (texts[column] && texts[column][0])
		ts_table_value_text(out, texts[column]);
	return true;
}

bool
ts_figure_sheet(struct ts_sheet *out, struct ts_explain *x, struct ts_view *v)
{
	ts_explain_init(x);
	if (v->ops->explain)
		v->ops->explain(v, x);
	memset(out, 0, sizeof(*out));
	snprintf(out->title, sizeof(out->title), "Figures of %s", v->ops->title);
	out->table = (struct ts_table){.columns = G_COLUMNS,
		.ctx = x,
		.sorted = -1,
		.id = "figures",
		.facts = facts,
		.value = figure_value};
	out->rows = x->count;
	return x->count > 0;
}
