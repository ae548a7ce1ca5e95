/* SPDX-License-Identifier: MIT */
/* chart_page - building a page; see the header. chart_svg.c makes the SVG. */
#include "config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/chart_page.h"

void
ts_chart_page_init(struct ts_chart_page *p, int columns)
{
	*p = (struct ts_chart_page){.kind = TS_PAGE_AREA};
	p->columns = columns < 1 ? 1 : columns < TS_PAGE_COLUMNS ? columns : TS_PAGE_COLUMNS;
	p->x.base = p->y.base = 10;
}

void
ts_chart_page_fini(struct ts_chart_page *p)
{
	for (int i = 0; i < p->bands; i++)
		free(p->band[i].v);
	free(p->outline);
	free(p->grid);
	free(p->pale);
	free(p->note);
	p->bands = p->notes = 0;
	p->outline = p->grid = NULL;
	p->pale = NULL;
	p->note = NULL;
}

static int
lanes_of(const struct ts_chart_page *p)
{
	return p->lanes < 1 ? 1 : p->lanes < TS_PAGE_LANES_MAX ? p->lanes : TS_PAGE_LANES_MAX;
}

static double *
zeroes(struct ts_chart_page *p, int rows)
{
	double *v = ts_alloc((size_t)p->columns * (size_t)rows, sizeof(*v));

	p->nomem = p->nomem || !v;
	return v;
}

double *
ts_chart_page_band(struct ts_chart_page *p, const char *name, enum ts_role role)
{
	struct ts_page_band *b = &p->band[p->bands];

	if (p->bands == TS_CHART_BANDS)
		return NULL;
	b->v = zeroes(p, p->kind == TS_PAGE_LANES ? lanes_of(p) : 1);
	if (!b->v)
		return NULL;
	b->role = role;
	b->hatched = false;
	snprintf(b->name, sizeof(b->name), "%s", name);
	p->bands++;
	return b->v;
}

void
ts_chart_page_forget_empty(struct ts_chart_page *p)
{
	int n = p->columns * (p->kind == TS_PAGE_LANES ? lanes_of(p) : 1);

	for (int b = 0; b < p->bands; b++) {
		int i = 0;

		while (i < n && !(p->band[b].v[i] > 0))
			i++;
		if (i == n)
			p->band[b].name[0] = '\0';
	}
}

double *
ts_chart_page_outline(struct ts_chart_page *p, const char *name)
{
	if (!p->outline)
		p->outline = zeroes(p, 1);
	snprintf(p->outline_name, sizeof(p->outline_name), "%s", name);
	return p->outline;
}

void
ts_chart_page_hatch(struct ts_chart_page *p)
{
	if (p->bands > 0)
		p->band[p->bands - 1].hatched = true;
}

uint8_t *
ts_chart_page_pale(struct ts_chart_page *p, const char *name)
{
	snprintf(p->pale_name, sizeof(p->pale_name), "%s", name);
	if (!p->pale)
		p->pale = ts_alloc((size_t)p->columns * (size_t)lanes_of(p), sizeof(*p->pale));
	p->nomem = p->nomem || !p->pale;
	return p->pale;
}

void
ts_chart_page_note(struct ts_chart_page *p, int lane, double from, double to, const char *name)
{
	struct ts_page_note *n;
	size_t len = strlen(name);

	if (!p->note)
		p->note = ts_alloc(TS_PAGE_NOTES, sizeof(*p->note));
	p->nomem = p->nomem || !p->note;
	if (!p->note || p->notes == TS_PAGE_NOTES)
		return;
	n = &p->note[p->notes++];
	n->lane = lane;
	n->from = from;
	n->to = to;
	if (len >= sizeof(n->name))
		for (name += len - (sizeof(n->name) - 1); ((unsigned char)*name & 0xc0) == 0x80;)
			name++; /* no half letter */
	snprintf(n->name, sizeof(n->name), "%s", name);
}

double *
ts_chart_page_grid(struct ts_chart_page *p)
{
	p->kind = TS_PAGE_GRID;
	p->lanes = lanes_of(p);
	if (!p->grid)
		p->grid = zeroes(p, p->lanes);
	for (int i = 0; p->grid && i < p->columns * p->lanes; i++)
		p->grid[i] = NAN;
	return p->grid;
}

void
ts_chart_page_level(struct ts_chart_page *p, double value, enum ts_role role, const char *fmt, ...)
{
	struct ts_page_level *l = &p->level[p->levels];
	va_list ap;

	if (p->levels == TS_PAGE_LEVELS)
		return;
	p->levels++;
	l->value = value;
	l->role = role;
	va_start(ap, fmt);
	vsnprintf(l->name, sizeof(l->name), fmt, ap);
	va_end(ap);
}

void
ts_chart_page_label(struct ts_chart_page *p, double x, enum ts_role role, bool line,
	const char *fmt, ...)
{
	struct ts_page_label *l = &p->label[p->labels];
	va_list ap;

	if (p->labels == TS_PAGE_LABELS)
		return;
	p->labels++;
	l->x = x;
	l->role = role;
	l->line = line;
	va_start(ap, fmt);
	vsnprintf(l->name, sizeof(l->name), fmt, ap);
	va_end(ap);
}

void
ts_chart_page_side(struct ts_chart_page *p, double row, const char *fmt, ...)
{
	struct ts_page_side *s = &p->side[p->sides];
	va_list ap;

	if (p->sides == TS_PAGE_SIDES)
		return;
	p->sides++;
	s->row = row;
	va_start(ap, fmt);
	vsnprintf(s->name, sizeof(s->name), fmt, ap);
	va_end(ap);
}

void
ts_chart_page_spot(struct ts_chart_page *p, double x, double row, const char *fmt, ...)
{
	va_list ap;

	p->spot.x = x;
	p->spot.row = row;
	va_start(ap, fmt);
	vsnprintf(p->spot.name, sizeof(p->spot.name), fmt, ap);
	va_end(ap);
}
