/* SPDX-License-Identifier: MIT */
/* Charts: exact cells for small figures, nothing outside its rectangle for any numbers. */
#include "config.h"

#include <check.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/chart.h"

static struct ts_canvas *
canvas(int w, int h, enum ts_glyphs glyphs)
{
	struct ts_canvas *c = ts_canvas_new(w, h, glyphs);

	ck_assert_ptr_nonnull(c);
	return c;
}

static void
shows(struct ts_canvas *c, const char *expected)
{
	struct ts_strbuf out;

	ts_strbuf_init(&out, 1 << 20);
	ts_canvas_dump(c, &out);
	ck_assert_str_eq(out.s, expected);
	ts_strbuf_fini(&out);
	ts_canvas_free(c);
}

START_TEST(values_are_eighths_of_a_cell)
{
	double v[] = {0, 0.01, 1, 4, 8, 9, 16, 17, -3, NAN, INFINITY};
	struct ts_band band = {v, TS_ROLE_FILL, 0};
	struct ts_area a = {(int)TS_COUNT(v), 1, &band, 16, NULL, TS_ROLE_TEXT, 0};
	struct ts_canvas *c = canvas(12, 2, TS_GLYPHS_FULL);

	ts_chart_area(c, ts_canvas_rect(c), &a);
	shows(c,
		"     \u2581\u2588\u2588  \u2588\n \u2581\u2581\u2584\u2588\u2588\u2588\u2588  \u2588\n");
}
END_TEST

START_TEST(bands_meet_inside_of_a_cell)
{
	double low[] = {4, 8, 0}, high[] = {4, 8, 8};
	struct ts_band band[] = {{low, TS_ROLE_BASE, 'a'}, {high, TS_ROLE_FILL, 'n'}};
	struct ts_area a = {3, 2, band, 16, NULL, TS_ROLE_TEXT, 0};
	struct ts_canvas *c = canvas(3, 2, TS_GLYPHS_FULL);

	ts_chart_area(c, ts_canvas_rect(c), &a);
	ck_assert_int_eq(ts_canvas_at(c, 0, 1)->role, TS_ROLE_BASE);
	ck_assert_int_eq(ts_canvas_at(c, 0, 1)->back, TS_ROLE_FILL);
	ck_assert_int_eq(ts_canvas_at(c, 1, 1)->role, TS_ROLE_BASE);
	ck_assert_int_eq(ts_canvas_at(c, 1, 1)->back, TS_ROLE_TEXT);
	ck_assert_int_eq(ts_canvas_at(c, 1, 0)->role, TS_ROLE_FILL);
	ck_assert_int_eq(ts_canvas_at(c, 2, 1)->role, TS_ROLE_FILL);
	shows(c, " \u2588\n\u2584\u2588\u2588\n");
	/* without colours letters say which is which */
	c = canvas(3, 2, TS_GLYPHS_FULL);
	c->mono = true;
	ts_chart_area(c, ts_canvas_rect(c), &a);
	shows(c, " n\naan\n");
}
END_TEST

START_TEST(a_spike_is_never_lost)
{
	double mean[] = {8, 8, 8, 8, 8}, max[] = {8, 8, 32, 12, 8};
	struct ts_band band = {mean, TS_ROLE_FILL, 0};
	struct ts_area a = {5, 1, &band, 32, max, TS_ROLE_TEXT, 0};
	struct ts_canvas *c = canvas(5, 4, TS_GLYPHS_ASCII);

	ts_chart_area(c, ts_canvas_rect(c), &a);
	ck_assert_int_eq(ts_canvas_at(c, 2, 0)->role, TS_ROLE_OUTLINE);
	shows(c, "  \"\n  |\n  |-\n#####\n");
}
END_TEST

/* Cell x of a chart of one row and one column: glyph, role and what is behind. */
static void
shared_cell(double mean, double max, uint32_t glyph, enum ts_role role, enum ts_role back)
{
	struct ts_band band = {&mean, TS_ROLE_FILL, 0};
	struct ts_area a = {1, 1, &band, 8, &max, TS_ROLE_TEXT, 0};
	struct ts_canvas *c = canvas(1, 1, TS_GLYPHS_FULL);

	ts_chart_area(c, ts_canvas_rect(c), &a);
	ck_assert_uint_eq(ts_canvas_at(c, 0, 0)->cp, glyph);
	ck_assert_int_eq(ts_canvas_at(c, 0, 0)->role, role);
	ck_assert_int_eq(ts_canvas_at(c, 0, 0)->back, back);
	ts_canvas_free(c);
}

START_TEST(mean_and_maximum_in_one_cell)
{
	shared_cell(3, 8, 0x2588, TS_ROLE_FILL, TS_ROLE_TEXT);
	shared_cell(8, 8, 0x2588, TS_ROLE_FILL, TS_ROLE_TEXT);
	shared_cell(5, 6, 0x2586, TS_ROLE_FILL, TS_ROLE_TEXT);
	shared_cell(1, 6, 0x2586, TS_ROLE_FILL, TS_ROLE_TEXT);
	shared_cell(7, 2, 0x2587, TS_ROLE_FILL, TS_ROLE_TEXT); /* a maximum below the mean */
}
END_TEST

START_TEST(levels_dividers_and_cursor)
{
	double v[] = {16, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
	struct ts_band band = {v, TS_ROLE_FILL, 0};
	struct ts_area a = {12, 1, &band, 16, NULL, TS_ROLE_TEXT, 0};
	struct ts_canvas *c = canvas(12, 2, TS_GLYPHS_FULL);
	struct ts_rect r = ts_canvas_rect(c);

	ts_chart_area(c, r, &a);
	ts_chart_divider(c, r, 0, TS_ROLE_BOUNDARY); /* hidden by the area */
	ts_chart_divider(c, r, 3, TS_ROLE_BOUNDARY);
	ts_chart_level(c, r, 12, 16, TS_ROLE_LIMIT, "max");
	ts_chart_level(c, r, 17, 16, TS_ROLE_LIMIT, "above");
	ts_chart_level(c, r, NAN, 16, TS_ROLE_LIMIT, "nan");
	ts_chart_cursor(c, r, 4, true);
	ts_chart_cursor(c, r, 12, true);
	ck_assert_int_eq(ts_canvas_at(c, 4, 1)->over, TS_ROLE_COLUMN);
	ck_assert_int_eq(ts_canvas_at(c, 0, 0)->back, TS_ROLE_FILL); /* seen through the line */
	shows(c, "\u2500\u2500\u254c\u250a\u254c\u254c\u254c max\n\u2588\u2588 \u250a\n");
}
END_TEST

static const char *
plain(void *ctx, double v, char out[TS_FMT_MAX])
{
	(void)ctx;
	snprintf(out, TS_FMT_MAX, "%g", v);
	return out;
}

/* Row of two cells, values 0..16, a line at 14: what is at most that ends below its middle, what is more does not. */
START_TEST(ends_stay_on_their_side_of_a_line)
{
	double v[] = {9, 13, 14, 14.1, 15, 16}, highest[] = {13, 14, 14, 15, 16, 16};
	struct ts_band band = {v, TS_ROLE_FILL, 0};
	struct ts_area a = {.columns = (int)TS_COUNT(v),
		.bands = 1,
		.band = &band,
		.top = 16,
		.line = 14};
	struct ts_canvas *c = canvas(6, 2, TS_GLYPHS_FULL);

	ts_chart_area(c, ts_canvas_rect(c), &a);
	shows(c,
		"\u2581\u2583\u2583\u2586\u2587\u2588\n"
		"\u2588\u2588\u2588\u2588\u2588\u2588\n");
	c = canvas(6, 2, TS_GLYPHS_FULL);
	band.v = (double[]){0, 0, 0, 0, 0, 0};
	a.outline = highest;
	ts_chart_area(c, ts_canvas_rect(c), &a);
	for (int x = 0; x < 6; x++) /* scan lines 7 and 9 run below the middle */
		ck_assert_int_eq(ts_canvas_at(c, x, 0)->cp >= 0x23bc, highest[x] <= 14);
	ts_canvas_free(c);
}
END_TEST

START_TEST(axes_have_round_ticks)
{
	struct ts_canvas *c = canvas(30, 9, TS_GLYPHS_ASCII);
	int gutter = ts_chart_y_width(7, 640, 2, plain, NULL);
	struct ts_chart_frame f = ts_chart_frame(ts_canvas_rect(c), gutter, 2);

	ck_assert_int_eq(gutter, 4);
	ts_chart_y_axis(c, &f, 640, 2, plain, NULL);
	ts_chart_x_axis(c, &f, 0, 1472, 10, plain, NULL);
	shows(c,
		"   |\n512+\n   |\n   |\n256+\n   |\n  0+\n    +-------+--------+--------\n    0       500      1000\n");
}
END_TEST

static const char *
whole(void *ctx, double v, char out[TS_FMT_MAX])
{
	(void)ctx;
	snprintf(out, TS_FMT_MAX, "%.0f", v);
	return out;
}

/* Bytes have no parts: between 0 and 1 there is no third label. */
START_TEST(axes_say_nothing_twice)
{
	struct ts_canvas *c = canvas(4, 6, TS_GLYPHS_ASCII);
	struct ts_chart_frame f = ts_chart_frame(ts_canvas_rect(c), 3, 0);

	ts_chart_y_axis(c, &f, 1, 2, whole, NULL);
	shows(c, " 1+\n  |\n  |\n  |\n  |\n 0+\n");
}
END_TEST

/* However high the plot and whatever the values: at least three labels where there are six rows. */
START_TEST(axes_have_several_labels)
{
	for (int h = 6; h < 40; h++)
		for (double top = 1000; top < 4000; top += 7) {
			struct ts_canvas *c = ts_canvas_new(30, h, TS_GLYPHS_FULL);
			struct ts_chart_frame f = ts_chart_frame(ts_canvas_rect(c), 6, 0);
			int labels[2] = {0, 0};

			for (int k = 0; k < 2; k++) {
				ts_canvas_fill(c, ts_canvas_rect(c), TS_ROLE_TEXT, ' ');
				ts_chart_y_axis(c, &f, top, k ? 2 : 10, plain, NULL);
				for (int y = 0; y < h; y++)
					labels[k] += ts_canvas_at(c, 5, y)->cp == 0x2524;
			}
			ck_assert_msg(labels[0] >= 3 && labels[1] >= 3 && labels[0] < 12 &&
					labels[1] < 12,
				"%d rows, up to %g: %d and %d labels", h, top, labels[0],
				labels[1]);
			ts_canvas_free(c);
		}
}
END_TEST

START_TEST(labels_do_not_overlap)
{
	struct ts_canvas *c = canvas(20, 1, TS_GLYPHS_ASCII);
	struct ts_chart_frame f = {{0, 0, 0, 0}, {0, 0, 20, 0}, {0, 0, 20, 1}};
	struct ts_chart_label l[] = {{0, "ipu 0", TS_ROLE_AXIS}, {4, "ipu 1", TS_ROLE_AXIS},
		{10, "ipu 2", TS_ROLE_AXIS}, {16, "ipu 3", TS_ROLE_AXIS}, {-1, "x", TS_ROLE_AXIS}};

	ts_chart_labels(c, &f, 0, l, (int)TS_COUNT(l));
	shows(c, "ipu 0     ipu 2\n");
}
END_TEST

START_TEST(strips_show_the_visible_part)
{
	double v[] = {0, 8, 4, 8, 8, 1, NAN, 8};
	bool hit[8] = {[5] = true, [6] = true, [7] = true};
	struct ts_canvas *c = canvas(8, 1, TS_GLYPHS_FULL);

	ts_chart_strip(c, ts_canvas_rect(c), v, 8, 8, 1, 5, hit);
	for (int x = 5; x < 8; x++) { /* as high as it is, or seen at all */
		ck_assert_int_eq(ts_canvas_at(c, x, 0)->role, TS_ROLE_MARK);
		ck_assert_int_eq(ts_canvas_at(c, x, 0)->over, 0);
	}
	ck_assert_int_eq(ts_canvas_at(c, 2, 0)->role, TS_ROLE_STRIP_VISIBLE);
	shows(c, " [\u2584\u2588]\u2581\u2581\u2588\n");
	c = canvas(8, 1, TS_GLYPHS_FULL);
	c->mono = true;
	ts_chart_strip(c, ts_canvas_rect(c), v, 8, 8, 1, 5, hit);
	shows(c, " [\u2584\u2588]***\n");
}
END_TEST

static void
lane_shows(enum ts_glyphs glyphs, bool mono, const bool *start, const char *expected)
{
	double compute[] = {1, 1, 1, 0, 0, 0.6, 0.3, 0}, sync[] = {0, 0, 0, 1, 1, 0.4, 0, 0};
	struct ts_band band[] = {{compute, TS_ROLE_COMPUTE, 'C'}, {sync, TS_ROLE_SYNC, 's'}};
	struct ts_area a = {8, 2, band, 1, NULL, TS_ROLE_TEXT, 0};
	struct ts_canvas *c = canvas(8, 1, glyphs);

	c->mono = mono;
	ts_chart_lane(c, ts_canvas_rect(c), &a, start);
	shows(c, expected);
}

START_TEST(lanes)
{
	bool start[8] = {[0] = true, [3] = true, [5] = true}, all[8];

	memset(all, 1, sizeof(all));
	lane_shows(TS_GLYPHS_FULL, false, start, "C\u2588\u2588s\u2588C\u2582\n");
	lane_shows(TS_GLYPHS_ASCII, false, start, "|CC|s|C\n");
	lane_shows(TS_GLYPHS_FULL, true, NULL, "CCCssCC\n");
	/* a step in every column: letters, not a fence */
	lane_shows(TS_GLYPHS_FULL, true, all, "CCCssCC|\n");
}
END_TEST

START_TEST(bars)
{
	struct ts_segment s[] = {{50, TS_ROLE_COMPUTE, 'C'}, {12.5, TS_ROLE_EXCHANGE, 'x'}};
	struct ts_canvas *c = canvas(10, 1, TS_GLYPHS_FULL);

	ts_chart_bar(c, ts_canvas_rect(c), s, 2, 100);
	ck_assert_int_eq(ts_canvas_at(c, 5, 0)->role, TS_ROLE_EXCHANGE);
	shows(c, "\u2588\u2588\u2588\u2588\u2588\u2588\u258e\u00b7\u00b7\u00b7\n");
	c = canvas(10, 1, TS_GLYPHS_ASCII);
	ts_chart_bar(c, ts_canvas_rect(c), s, 2, 100);
	shows(c, "CCCCCx-...\n");
	c = canvas(4, 1, TS_GLYPHS_ASCII);
	ts_chart_bar(c, ts_canvas_rect(c), s, 2, 0);
	shows(c, "....\n");
	c = canvas(4, 1, TS_GLYPHS_ASCII);
	ts_chart_bar(c, ts_canvas_rect(c), s, 2, 1); /* over: full */
	shows(c, "CCCC\n");
}
END_TEST

/* How much of the last cell is full is seen on every terminal, and a letter is not put where next to nothing is. */
START_TEST(short_bars_differ)
{
	static const struct {
		double percent; /* of 10 cells */
		const char *full, *basic, *ascii, *letters;
	} bar[] = {
		{1, "\u258f\u00b7", "\u2502\u00b7", "-.", "-."},
		{2.5, "\u258e\u00b7", "\u2591\u00b7", "-.", "-."},
		{4, "\u258d\u00b7", "\u258c\u00b7", "=.", "=."},
		{9, "\u2589\u00b7", "\u2593\u00b7", "#.", "C."},
		{10, "\u2588\u00b7", "\u2588\u00b7", "#.", "C."},
		{11, "\u2588\u258f", "\u2588\u2502", "#-", "C-"},
		{14, "\u2588\u258d", "\u2588\u258c", "#=", "C="},
		{19, "\u2588\u2589", "\u2588\u2593", "##", "CC"},
	};

	for (size_t i = 0; i < TS_COUNT(bar); i++)
		for (int k = 0; k < 5; k++) {
			static const enum ts_glyphs glyphs[] = {TS_GLYPHS_FULL, TS_GLYPHS_BASIC,
				TS_GLYPHS_ASCII, TS_GLYPHS_ASCII, TS_GLYPHS_FULL};
			const char *cells[] = {bar[i].full, bar[i].basic, bar[i].ascii,
				bar[i].letters, bar[i].full};
			struct ts_segment s = {bar[i].percent, TS_ROLE_BAR, k == 3 ? 'C' : 0};
			struct ts_canvas *c = canvas(10, 1, glyphs[k]);
			const char *dot = k == 2 || k == 3 ? "." : "\u00b7";
			char expected[100];

			c->mono = k == 4;
			ts_chart_bar(c, ts_canvas_rect(c), &s, 1, 100);
			snprintf(expected, sizeof(expected), "%s", cells[k]);
			for (int x = 2; x < 10; x++)
				strcat(expected, dot);
			strcat(expected, "\n");
			shows(c, expected);
		}
}
END_TEST

/* Three bands in one cell: the column is as high as all of them, and the cell has the colour of the widest. */
START_TEST(several_bands_in_a_cell)
{
	double low[] = {1, 9}, middle[] = {4, 3}, high[] = {1, 4};
	struct ts_band band[] = {{low, TS_ROLE_SERIES_0, 'a'}, {middle, TS_ROLE_SERIES_1, 'b'},
		{high, TS_ROLE_SERIES_2, 'c'}};
	struct ts_canvas *c = canvas(2, 2, TS_GLYPHS_FULL);

	ts_chart_area(c, ts_canvas_rect(c),
		&(struct ts_area){.columns = 2, .bands = 3, .band = band, .top = 16});
	ck_assert_int_eq(ts_canvas_at(c, 0, 1)->role, TS_ROLE_SERIES_1);
	ck_assert_int_eq(ts_canvas_at(c, 1, 0)->role, TS_ROLE_SERIES_0);
	ck_assert_int_eq(ts_canvas_at(c, 1, 0)->back, TS_ROLE_SERIES_2);
	shows(c, " \u2581\n\u2586\u2588\n");
	/* the same where an outline ends in the cell: it is not that of the topmost, however thin that is */
	c = canvas(2, 2, TS_GLYPHS_FULL);
	ts_chart_area(c, ts_canvas_rect(c),
		&(struct ts_area){.columns = 1,
			.bands = 3,
			.band = band,
			.top = 16,
			.outline = (double[]){7}});
	ck_assert_int_eq(ts_canvas_at(c, 0, 1)->role, TS_ROLE_SERIES_1);
	shows(c, "\n\u2587\n");
}
END_TEST

/* What has no room is counted; a name is there whole or not at all. */
START_TEST(a_legend_counts_what_it_leaves_out)
{
	static const struct {
		int w;
		const char *says;
	} rows_of[] = {{30, "v variable  g gaps  s stack\n"}, {27, "v variable  g gaps  s stack\n"},
		{26, "v variable  g gaps  +1\n"}, {22, "v variable  +2\n"}, {14, "+3\n"},
		{2, "\n"}};
	static const char *const name[] = {"variable", "gaps", "stack"};
	struct ts_band band[] = {{NULL, TS_ROLE_SERIES_0, 'v'}, {NULL, TS_ROLE_GAPS, 'g'},
		{NULL, TS_ROLE_SERIES_1, 's'}};

	for (size_t i = 0; i < TS_COUNT(rows_of); i++) {
		struct ts_canvas *c = canvas(rows_of[i].w, 1, TS_GLYPHS_ASCII);
		int used = ts_chart_legend(c, ts_canvas_rect(c), band, name, 3);

		ck_assert_int_eq(used, (int)strlen(rows_of[i].says) - 1);
		shows(c, rows_of[i].says);
	}
}
END_TEST

/* A role over what is drawn, not over what is blank. */
START_TEST(what_is_drawn_is_tinted)
{
	double v[] = {1, 2, 2};
	struct ts_band band = {v, TS_ROLE_FILL, '#'};
	struct ts_canvas *c = canvas(3, 2, TS_GLYPHS_FULL);

	ts_chart_area(c, ts_canvas_rect(c),
		&(struct ts_area){.columns = 3, .bands = 1, .band = &band, .top = 2});
	ts_chart_tint(c, ts_canvas_rect(c), 0, 2, TS_ROLE_BAD);
	ck_assert_int_eq(ts_canvas_at(c, 0, 0)->over, TS_ROLE_TEXT);
	ck_assert_int_eq(ts_canvas_at(c, 0, 1)->over, TS_ROLE_BAD);
	ck_assert_int_eq(ts_canvas_at(c, 1, 0)->over, TS_ROLE_BAD);
	ck_assert_int_eq(ts_canvas_at(c, 2, 0)->over, TS_ROLE_TEXT);
	ts_canvas_free(c);
}
END_TEST

/* ---- any numbers ---- */

static unsigned
next(unsigned *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static double
any(unsigned *seed)
{
	static const double odd[] = {NAN, INFINITY, -INFINITY, 0, -0.0, -1, 1, 0.5, 1e308, -1e308,
		1e-308, 5e-324, 1e18, 9007199254740993.0, 624, 638976, 0.999999999};

	return next(seed) % 2 ? odd[next(seed) % TS_COUNT(odd)] : (double)(next(seed) % 1000);
}

static int
any_int(unsigned *seed)
{
	static const int odd[] = {INT_MIN, INT_MIN + 1, -1000, -1, 0, 1, 2, 79, 80, 81, 1 << 20,
		INT_MAX - 1, INT_MAX};

	return next(seed) % 3 ? (int)(next(seed) % 100) - 10 : odd[next(seed) % TS_COUNT(odd)];
}

enum { N = 120 };

static void
scribble(struct ts_canvas *c, struct ts_rect r, unsigned *seed)
{
	static double v[3][N];
	static bool flag[N];
	struct ts_band band[3] = {{v[0], TS_ROLE_BASE, 'a'}, {v[1], TS_ROLE_FILL, 0},
		{NULL, TS_ROLE_BAD, 0}};
	struct ts_area a = {N, (int)(next(seed) % 4), band, any(seed), next(seed) % 2 ? v[2] : NULL,
		TS_ROLE_TEXT, next(seed) % 2 ? any(seed) : 0};
	struct ts_segment s[2] = {{any(seed), TS_ROLE_BAD, 0}, {any(seed), TS_ROLE_GOOD, 'g'}};
	struct ts_chart_label label[2] = {{any_int(seed), "label", TS_ROLE_BAD},
		{any_int(seed), NULL, 0}};
	struct ts_chart_frame f = ts_chart_frame(r, any_int(seed), any_int(seed));
	static const char *const name[] = {"one", "two", "three"};

	for (int i = 0; i < N; i++) {
		v[0][i] = any(seed);
		v[1][i] = any(seed);
		v[2][i] = any(seed);
		flag[i] = next(seed) % 3 == 0;
	}
	switch (next(seed) % 11) {
	case 0:
		ts_chart_area(c, r, &a);
		break;
	case 1:
		ts_chart_level(c, r, any(seed), any(seed), TS_ROLE_BAD, "label");
		break;
	case 2:
		ts_chart_divider(c, r, any_int(seed), TS_ROLE_BAD);
		ts_chart_cursor(c, r, any_int(seed), true);
		break;
	case 3:
		ts_chart_strip(c, r, v[0], N, any(seed), any_int(seed), any_int(seed), flag);
		break;
	case 4:
		ts_chart_lane(c, r, &a, next(seed) % 2 ? flag : NULL);
		break;
	case 5:
		ts_chart_bar(c, r, s, 2, any(seed));
		break;
	case 6:
		ts_chart_y_axis(c, &f, any(seed), next(seed) % 2 ? 2 : 10, plain, NULL);
		break;
	case 7:
		ts_chart_x_axis(c, &f, any(seed), any(seed), next(seed) % 2 ? 2 : 10, plain, NULL);
		break;
	case 9:
		ts_chart_tint(c, r, any_int(seed), any_int(seed), TS_ROLE_BAD);
		break;
	case 8:
		ts_chart_labels(c, &f, any_int(seed), label, 2);
		break;
	default:
		ts_chart_legend(c, r, band, name, 3);
	}
}

static const struct ts_cell *
outside(const struct ts_canvas *c, struct ts_rect r)
{
	for (int y = 0; y < c->h; y++)
		for (int x = 0; x < c->w; x++) {
			const struct ts_cell *cell = ts_canvas_at(c, x, y);

			if ((ts_rect_empty(r) || !ts_rect_has(r, x, y)) &&
				(cell->cp != ' ' || cell->role || cell->over || cell->back))
				return cell;
		}
	return NULL;
}

START_TEST(nothing_leaves_its_rectangle)
{
	struct ts_canvas *c = canvas(80, 24, TS_GLYPHS_FULL);
	unsigned seed = 99;

	for (int round = 0; round < 6000; round++) {
		struct ts_rect r = {any_int(&seed), any_int(&seed), any_int(&seed), any_int(&seed)};

		c->glyphs = (enum ts_glyphs)(round % 3);
		c->mono = round % 2;
		scribble(c, r, &seed);
		ck_assert_msg(outside(c, ts_rect_clip(r, ts_canvas_rect(c))) == NULL, "round %d",
			round);
		ts_canvas_erase(c);
	}
	ts_canvas_free(c);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ui_chart");
	TCase *c = tcase_create("all");
	setlocale(LC_CTYPE, "C.UTF-8");
	tcase_add_test(c, values_are_eighths_of_a_cell);
	tcase_add_test(c, bands_meet_inside_of_a_cell);
	tcase_add_test(c, a_spike_is_never_lost);
	tcase_add_test(c, mean_and_maximum_in_one_cell);
	tcase_add_test(c, levels_dividers_and_cursor);
	tcase_add_test(c, ends_stay_on_their_side_of_a_line);
	tcase_add_test(c, axes_have_round_ticks);
	tcase_add_test(c, axes_say_nothing_twice);
	tcase_add_test(c, axes_have_several_labels);
	tcase_add_test(c, labels_do_not_overlap);
	tcase_add_test(c, strips_show_the_visible_part);
	tcase_add_test(c, lanes);
	tcase_add_test(c, bars);
	tcase_add_test(c, short_bars_differ);
	tcase_add_test(c, several_bands_in_a_cell);
	tcase_add_test(c, a_legend_counts_what_it_leaves_out);
	tcase_add_test(c, what_is_drawn_is_tinted);
	tcase_add_test(c, nothing_leaves_its_rectangle);
	tcase_set_timeout(c, 60);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
