/* SPDX-License-Identifier: MIT */
/*
 * Charts on paper: whatever the figures and the names are, the SVG is well-formed, has no number that is none, and
 * stays on its page.
 */
#include "config.h"

#include <check.h>
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/ui/chart_page.h"

/* --- well-formed XML, as far as we write any --------------------------------------------------- */

enum { DEPTH = 16, NAME = 16 };

struct xml {
	char open[DEPTH][NAME];
	int depth;
	int elements;
};

static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;"};

/* Text up to the next '<': no bare '&', no '>' needed to be escaped but we do, no control characters. */
static const char *
text(const char *s)
{
	while (*s && *s != '<') {
		bool known = *s != '&';

		for (size_t i = 0; i < TS_COUNT(entities); i++)
			known = known || strncmp(s, entities[i], strlen(entities[i])) == 0;
		ck_assert_msg(known, "a bare & at %.40s", s);
		ck_assert_msg((unsigned char)*s >= ' ' || *s == '\n', "a control character");
		ck_assert_int_ne(*s, '>');
		s++;
	}
	return s;
}

/* NAME="VALUE" ...; ends at '/' or '>'. */
static const char *
attributes(const char *s)
{
	while (*s == ' ') {
		const char *name = ++s;

		while (isalnum((unsigned char)*s) || *s == '-')
			s++;
		ck_assert_msg(s > name && s[0] == '=' && s[1] == '"', "no attribute: %.40s", name);
		for (s += 2; *s != '"'; s++)
			ck_assert_msg(*s && !strchr("<>&", *s), "in a value: %.40s", s);
		s++;
	}
	return s;
}

static const char *
tag(struct xml *x, const char *s)
{
	bool closing = s[1] == '/';
	const char *name = s + 1 + closing;
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz");

	ck_assert_msg(n > 0 && n < NAME, "no name: %.40s", s);
	s = attributes(name + n);
	if (closing) {
		ck_assert_int_gt(x->depth, 0);
		x->depth--;
		ck_assert_msg(strncmp(x->open[x->depth], name, n) == 0 && !x->open[x->depth][n],
			"</%.*s> closes <%s>", (int)n, name, x->open[x->depth]);
	} else if (*s == '/') {
		s++;
		x->elements++;
	} else {
		ck_assert_int_lt(x->depth, DEPTH);
		snprintf(x->open[x->depth++], NAME, "%.*s", (int)n, name);
		x->elements++;
	}
	ck_assert_msg(*s == '>', "a tag does not end: %.40s", s);
	return s + 1;
}

static int
well_formed(const struct ts_strbuf *svg)
{
	struct xml x = {.depth = 0};
	const char *s = svg->s;

	ck_assert(!svg->cut);
	ck_assert(ts_utf8_valid(svg->s, svg->len));
	ck_assert_int_eq(strlen(svg->s), svg->len);
	while (*s)
		s = *s == '<' ? tag(&x, s) : text(s);
	ck_assert_int_eq(x.depth, 0);
	ck_assert_msg(!strstr(svg->s, "nan\"") && !strstr(svg->s, "inf"), "a number that is none");
	return x.elements;
}

/* --- pages ------------------------------------------------------------------------------------ */

static const char *const names[] = {"plain", "<script>alert(1)</script>", "a&b\"c'd", "\x1b[31mred",
	"\xff\xfe broken \xc3", "]]>", "", "\u202e\ufeff\u0300", "%s%n%99999d"};

static const double values[] = {0, 1, 1e6, 4e18, 1e300, -5, NAN, INFINITY, -INFINITY, 1e-300};

static unsigned
any(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 8;
}

static double
value(unsigned *seed)
{
	return any(seed) % 3 ? (double)(any(seed) % 1000) : values[any(seed) % TS_COUNT(values)];
}

static const char *
name(unsigned *seed)
{
	return names[any(seed) % TS_COUNT(names)];
}

static void
fill(double *v, size_t n, unsigned *seed)
{
	for (size_t i = 0; v && i < n; i++)
		v[i] = value(seed);
}

static void
make(struct ts_chart_page *p, unsigned *seed)
{
	size_t cells;

	ts_chart_page_init(p, (int)(any(seed) % 60));
	p->kind = (enum ts_page_kind)(any(seed) % 3);
	p->lanes = p->kind == TS_PAGE_AREA ? 0 : (int)(any(seed) % 60);
	snprintf(p->title, sizeof(p->title), "%s", name(seed));
	snprintf(p->subtitle, sizeof(p->subtitle), "%s", name(seed));
	snprintf(p->source, sizeof(p->source), "%s", name(seed));
	p->x = (struct ts_page_axis){"", value(seed), value(seed), any(seed) % 2 ? 2 : 10, NULL,
		NULL};
	p->y = (struct ts_page_axis){"", value(seed), value(seed), any(seed) % 2 ? 2 : 10, NULL,
		NULL};
	snprintf(p->x.title, sizeof(p->x.title), "%s", name(seed));
	snprintf(p->y.title, sizeof(p->y.title), "%s", name(seed));
	cells = (size_t)p->columns *
		(size_t)(p->kind == TS_PAGE_LANES && p->lanes > 0 ? p->lanes : 1);
	for (unsigned i = any(seed) % 44; i > 0 && p->kind != TS_PAGE_GRID; i--)
		fill(ts_chart_page_band(p, name(seed), (enum ts_role)(any(seed) % TS_ROLE_COUNT)),
			cells, seed);
	if (any(seed) % 2)
		ts_chart_page_hatch(p);
	if (p->kind == TS_PAGE_LANES && any(seed) % 2) {
		uint8_t *pale = ts_chart_page_pale(p, name(seed));

		for (size_t i = 0; pale && i < cells; i++)
			pale[i] = any(seed) % 2;
	}
	if (p->kind == TS_PAGE_GRID) {
		double *grid = ts_chart_page_grid(p);

		fill(grid, (size_t)p->columns * (size_t)p->lanes, seed);
		p->least = value(seed);
		p->most = value(seed);
		p->logarithmic = any(seed) % 2;
		for (unsigned i = any(seed) % 9; i > 0; i--)
			ts_chart_page_side(p, value(seed), "%s", name(seed));
		ts_chart_page_spot(p, value(seed), value(seed), "%s", name(seed));
	} else if (any(seed) % 2) {
		fill(ts_chart_page_outline(p, name(seed)), (size_t)p->columns, seed);
	}
	for (int i = 0; i < p->lanes && i < TS_PAGE_LANES_MAX; i++)
		snprintf(p->lane[i], sizeof(p->lane[i]), "%.20s", name(seed));
	for (unsigned i = any(seed) % 12; i > 0; i--) {
		ts_chart_page_level(p, value(seed), TS_ROLE_LIMIT, "%s", name(seed));
		ts_chart_page_label(p, value(seed), TS_ROLE_MARK, any(seed) % 2, "%s", name(seed));
	}
}

static void
look_at_any(unsigned seed)
{
	struct ts_chart_page *p = malloc(sizeof(*p));
	struct ts_strbuf svg, again;

	ck_assert_ptr_nonnull(p);
	make(p, &seed);
	ts_strbuf_init(&svg, 16 << 20);
	ts_strbuf_init(&again, 16 << 20);
	ts_chart_page_svg(&svg, p);
	ts_chart_page_svg(&again, p);
	ck_assert_int_gt(well_formed(&svg), 4);
	ck_assert_str_eq(svg.s, again.s);
	ts_strbuf_fini(&svg);
	ts_strbuf_fini(&again);
	ts_chart_page_fini(p);
	free(p);
}

START_TEST(any_page_is_well_formed)
{
	for (unsigned i = 0; i < 40; i++)
		look_at_any((unsigned)_i * 7919u + i * 104729u + 1);
}
END_TEST

START_TEST(a_chart_says_what_it_shows)
{
	struct ts_chart_page p;
	struct ts_strbuf svg;
	double *v;

	ts_chart_page_init(&p, 4);
	snprintf(p.title, sizeof(p.title), "Memory of each tile");
	p.x = (struct ts_page_axis){"tile", 0, 4, 10, NULL, NULL};
	p.y = (struct ts_page_axis){"bytes", 0, 1000, 10, NULL, NULL};
	v = ts_chart_page_band(&p, "used", TS_ROLE_FILL);
	for (int i = 0; i < 4; i++)
		v[i] = 500;
	ts_chart_page_level(&p, 800, TS_ROLE_LIMIT, "limit %d", 800);
	ts_chart_page_label(&p, 2, TS_ROLE_BOUNDARY, true, "ipu 1");
	ts_strbuf_init(&svg, 1 << 20);
	ts_chart_page_svg(&svg, &p);
	well_formed(&svg);
	ck_assert(strstr(svg.s, "<title>Memory of each tile</title>"));
	ck_assert(strstr(svg.s, ">tile</text>"));
	ck_assert(strstr(svg.s, ">bytes</text>"));
	ck_assert(strstr(svg.s, ">used</text>"));
	ck_assert(strstr(svg.s, ">limit 800</text>"));
	ck_assert(strstr(svg.s, ">ipu 1</text>"));
	ck_assert(strstr(svg.s, ">1,000</text>")); /* the top of the axis */
	/* the plot is 320 high: half of it, over its whole width, in one step */
	ck_assert(strstr(svg.s, "M88.00 238.00H936.00L936.00 398.00H88.00Z"));
	ts_strbuf_fini(&svg);
	ts_chart_page_fini(&p);
}
END_TEST

/* Where the words of a label begin. */
static double
label_at(const struct ts_strbuf *svg, const char *name)
{
	char words[64];
	const char *at, *x = NULL;

	snprintf(words, sizeof(words), ">%s</text>", name);
	at = strstr(svg->s, words);
	for (const char *s = svg->s; at && s < at; s++)
		if (strncmp(s, "<text x=\"", 9) == 0)
			x = s + 9;
	return x ? strtod(x, NULL) : -1;
}

/* Words at the right edge stand left of their place, and none stand on others; those before have the room. */
START_TEST(labels_have_room)
{
	struct ts_chart_page p;
	struct ts_strbuf svg;

	ts_chart_page_init(&p, 100);
	p.x = (struct ts_page_axis){"step", 0, 100, 10, NULL, NULL};
	p.y = (struct ts_page_axis){"bytes", 0, 1000, 10, NULL, NULL};
	ts_chart_page_label(&p, 50, TS_ROLE_MARK, true, "A");
	ts_chart_page_label(&p, 50, TS_ROLE_MARK, false, "1: 248 MiB");
	ts_chart_page_label(&p, 99, TS_ROLE_MARK, false, "2: 112 KiB");
	ts_chart_page_label(&p, 20, TS_ROLE_MARK, false, "3");
	ts_chart_page_label(&p, 50.2, TS_ROLE_MARK, false, "4 no room");
	ts_strbuf_init(&svg, 1 << 20);
	ts_chart_page_svg(&svg, &p);
	well_formed(&svg);
	ck_assert_double_gt(label_at(&svg, "A"), 512);
	ck_assert_double_lt(label_at(&svg, "1: 248 MiB"), 512 - 50);
	ck_assert_double_lt(label_at(&svg, "2: 112 KiB"), 960 - 60);
	ck_assert_double_gt(label_at(&svg, "3"), 88);
	ck_assert_double_eq(label_at(&svg, "4 no room"), -1);
	ts_strbuf_fini(&svg);
	ts_chart_page_fini(&p);
}
END_TEST

/* y of the words. */
static double
text_y(const char *svg, const char *name)
{
	char words[64];
	const char *at, *y = NULL;

	snprintf(words, sizeof(words), ">%s</text>", name);
	at = strstr(svg, words);
	for (const char *s = svg; at && s < at; s++)
		if (strncmp(s, "\" y=\"", 5) == 0)
			y = s + 5;
	return y ? strtod(y, NULL) : -1;
}

static int
count_of(const char *s, const char *what)
{
	int n = 0;

	while ((s = strstr(s, what))) {
		s += strlen(what);
		n++;
	}
	return n;
}

/* Bars of two bands, known and not, in so many lanes; those of the second half of the columns are paler. */
static void
bars(struct ts_chart_page *p, struct ts_strbuf *svg, int lanes)
{
	enum { COLUMNS = 4 };
	double *known, *unknown;
	uint8_t *pale;

	ts_chart_page_init(p, COLUMNS);
	p->kind = TS_PAGE_LANES;
	p->lanes = lanes;
	p->x = (struct ts_page_axis){"step", 0, 5000, 10, NULL, NULL};
	known = ts_chart_page_band(p, "known", TS_ROLE_FILL);
	unknown = ts_chart_page_band(p, "not known", TS_ROLE_REST);
	ts_chart_page_hatch(p);
	pale = ts_chart_page_pale(p, "paler: every second one");
	for (int lane = 0; lane < lanes; lane++) {
		snprintf(p->lane[lane], sizeof(p->lane[lane]), "lane %d", lane);
		for (int x = 0; x < COLUMNS; x++) {
			(lane % 2 ? unknown : known)[lane * COLUMNS + x] = 1;
			pale[lane * COLUMNS + x] = x >= COLUMNS / 2;
		}
	}
	ts_strbuf_init(svg, 4 << 20);
	ts_chart_page_svg(svg, p);
	well_formed(svg);
}

/* Where a plot is higher than a screen its legend and an axis stand above it; else below it, once. */
START_TEST(legend_of_a_tall_plot)
{
	static const char *const legend[] = {"known", "not known", "paler: every second one"};
	static const int lanes[] = {4, 200};

	for (int i = 0; i < 2; i++) {
		struct ts_chart_page p;
		struct ts_strbuf svg;
		char last[24];

		bars(&p, &svg, lanes[i]);
		snprintf(last, sizeof(last), "lane %d", lanes[i] - 1);
		for (size_t k = 0; k < TS_COUNT(legend); k++) {
			ck_assert_int_eq(count_of(svg.s, legend[k]), k ? 1 : 2);
			ck_assert_int_eq(text_y(svg.s, legend[k]) < text_y(svg.s, "lane 0"), i);
			ck_assert_int_eq(text_y(svg.s, legend[k]) > text_y(svg.s, last), !i);
		}
		ck_assert_int_eq(count_of(svg.s, ">step</text>"), 1 + i);
		ck_assert_int_eq(count_of(svg.s, ">4,000</text>"), 1 + i);
		ts_strbuf_fini(&svg);
		ts_chart_page_fini(&p);
	}
}
END_TEST

/* What is not known has no colour, whatever its role and its shade; the legend has both shades of what has. */
START_TEST(hatched_and_paler)
{
	struct ts_chart_page p;
	struct ts_strbuf svg;

	bars(&p, &svg, 4);
	ck_assert_int_eq(count_of(svg.s, "#ccd2d8"), 0); /* the role's */
	ck_assert_int_eq(count_of(svg.s, "<pattern id=\"hatch\""), 1);
	ck_assert_int_ge(count_of(svg.s, "<path fill=\"url(#hatch)\""), 2);
	ck_assert_int_eq(count_of(svg.s, "<path fill=\"#4c86c6\""), 2);
	ck_assert_int_eq(count_of(svg.s, "<path fill=\"#a5c2e2\""), 2);
	ck_assert_int_eq(count_of(svg.s, "width=\"12\" height=\"12\" fill=\"#4c86c6\""), 1);
	ck_assert_int_eq(count_of(svg.s, "width=\"6\" height=\"12\" fill=\"#a5c2e2\""), 1);
	ts_strbuf_fini(&svg);
	ts_chart_page_fini(&p);
}
END_TEST

/* A grid with IPUs beside it and a ring; rows have names, though the first one has none. */
START_TEST(grid_of_cells)
{
	enum { COLUMNS = 10, ROWS = 8 };
	struct ts_chart_page p;
	struct ts_strbuf svg;
	double *grid;

	ts_chart_page_init(&p, COLUMNS);
	p.lanes = ROWS;
	p.x = (struct ts_page_axis){"step", 0, COLUMNS, 10, NULL, NULL};
	p.y = (struct ts_page_axis){"tile", 0, 0, 10, NULL, NULL};
	grid = ts_chart_page_grid(&p);
	for (int i = 0; i < COLUMNS * ROWS; i++)
		grid[i] = i;
	p.most = COLUMNS * ROWS - 1;
	snprintf(p.lane[3], sizeof(p.lane[3]), "row 3");
	ts_chart_page_side(&p, 0, "ipu %d", 4);
	ts_chart_page_side(&p, ROWS / 2.0, "ipu %d", 5);
	ts_chart_page_side(&p, ROWS / 2.0 + 0.1, "ipu %d", 6); /* no room */
	ts_chart_page_spot(&p, 2.5, 1.5, "the most of %s", "all");
	ts_strbuf_init(&svg, 1 << 20);
	ts_chart_page_svg(&svg, &p);
	well_formed(&svg);
	ck_assert_int_eq(count_of(svg.s, ">row 3</text>"), 1);
	ck_assert_double_lt(text_y(svg.s, "ipu 4"), text_y(svg.s, "row 3"));
	ck_assert_double_gt(text_y(svg.s, "ipu 5"), text_y(svg.s, "row 3"));
	ck_assert_int_eq(count_of(svg.s, "ipu 6"), 0);
	ck_assert_int_eq(count_of(svg.s, "the most of all"), 1);
	ck_assert_int_eq(count_of(svg.s, "<circle"),
		4);		/* on the grid and in the legend, of two colours */
	p.spot.x = COLUMNS + 1; /* not in sight */
	ts_strbuf_reset(&svg);
	ts_chart_page_svg(&svg, &p);
	ck_assert_int_eq(count_of(svg.s, "<circle"), 0);
	ck_assert_int_eq(count_of(svg.s, "the most of all"), 0);
	ts_strbuf_fini(&svg);
	ts_chart_page_fini(&p);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("chart_page");
	TCase *c = tcase_create("all");

	setlocale(LC_CTYPE, "C.UTF-8");
	tcase_add_loop_test(c, any_page_is_well_formed, 0, 2);
	tcase_add_test(c, a_chart_says_what_it_shows);
	tcase_add_test(c, labels_have_room);
	tcase_add_test(c, legend_of_a_tall_plot);
	tcase_add_test(c, hatched_and_paler);
	tcase_add_test(c, grid_of_cells);
	tcase_set_timeout(c, 60);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
