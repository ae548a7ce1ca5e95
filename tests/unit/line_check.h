/* SPDX-License-Identifier: MIT */
/*
 * line_check - what has to hold for any line that is typed as a filter, a set of tiles or a regular expression, for the
 * fuzzer (tests/fuzz/fuzz_lines.c) and for the replay of its corpus (test_filter). The first byte says which it is: f, t or p.
 *
 * A line is taken or refused with one line that says where; what is taken can be asked, keeps its bounds and means
 * the same when it is read again.
 */
#ifndef TS_TESTS_UNIT_LINE_CHECK_H
#define TS_TESTS_UNIT_LINE_CHECK_H

#include <stdio.h>
#include <string.h>

#include "tilescope/base/filter.h"
#include "tilescope/base/mem.h"
#include "tilescope/calc/tile_set.h"
#include "tilescope/report/variable_filter.h"

enum { LINE_CHECK_BYTES = 4096, LINE_CHECK_TILES = 130 };

struct line_check {
	char why[TS_ERR_MSG + 100];
};

static inline bool
line_check_no(struct line_check *c, const char *what, const char *more)
{
	snprintf(c->why, sizeof(c->why), "%.80s: %.500s", what, more);
	return false;
}

/* Names in a message are raw (base/err.h): a line of several lines may come back in it. */
static inline bool
line_check_said(struct line_check *c, const char *line, const struct ts_err *err)
{
	return (err->msg[0] && (!strchr(err->msg, '\n') || strchr(line, '\n'))) ||
		line_check_no(c, "what is said is no line", err->msg);
}

/* --- filters --- */

struct line_check_row {
	struct ts_filter_use use;
	int64_t number; /* below 0: not known */
	const char *text;
};

static inline bool
line_check_number(void *ctx, int field, int64_t *v)
{
	*v = ((const struct line_check_row *)ctx)->number + field;
	return *v >= 0;
}

static inline enum ts_truth
line_check_text(void *ctx, const struct ts_filter_node *n)
{
	const struct line_check_row *r = ctx;

	return r->text ? ts_filter_text(&r->use, n, r->text, strlen(r->text)) : TS_UNSURE;
}

static inline enum ts_truth
line_check_in(void *ctx, const struct ts_filter_node *n, int64_t v)
{
	(void)ctx;
	(void)n;
	return v % 2 ? TS_YES : TS_NO;
}

static inline enum ts_truth
line_check_spans(void *ctx, const struct ts_filter_node *n)
{
	(void)n;
	return ((const struct line_check_row *)ctx)->number < 0 ? TS_UNSURE : TS_YES;
}

static inline bool
line_check_nodes(struct line_check *c, const struct ts_filter *f)
{
	for (int i = 0; i < f->count; i++) {
		const struct ts_filter_node *n = &f->node[i];

		if (n->op <= TS_FILTER_NOT && (n->a >= i || (n->op != TS_FILTER_NOT && n->b >= i)))
			return line_check_no(c, "a node of later ones", f->line);
		if (n->op == TS_FILTER_RANGE && n->a + n->b > f->ranges)
			return line_check_no(c, "ranges that there are not", f->line);
		if (n->op >= TS_FILTER_HAS && (n->a >= f->used || n->text >= TS_FILTER_TEXTS))
			return line_check_no(c, "text that is not there", f->line);
		if (n->op >= TS_FILTER_RANGE && n->field >= TS_VARIABLE_FIELD_COUNT)
			return line_check_no(c, "a field that is not there", f->line);
	}
	return true;
}

static inline bool
line_check_filter(struct line_check *c, const char *line)
{
	static const struct {
		int64_t number;
		const char *text;
	} rows[] = {{-100, NULL}, {0, ""}, {5000, "bert/layer_3/float"}, {7, "\xff(["}};
	static struct ts_filter f, again;
	struct ts_err err = {0};
	size_t at = 0, used;
	bool fine = true;

	if (ts_filter_parse(&f, line, ts_variable_fields, &at, &err))
		return at <= strlen(line) ? line_check_said(c, line, &err)
					  : line_check_no(c, "an error behind the line", line);
	if (!line_check_nodes(c, &f))
		return false;
	if (f.count > 0 &&
		(ts_filter_parse(&again, f.line, ts_variable_fields, NULL, &err) ||
			again.count != f.count ||
			memcmp(again.node, f.node, sizeof(f.node[0]) * (size_t)f.count) != 0))
		return line_check_no(c, "another filter when it is read again", line);
	for (size_t i = 0; fine && i < TS_COUNT(rows); i++) {
		struct line_check_row r = {.number = rows[i].number, .text = rows[i].text};
		const struct ts_filter_row row = {&r, line_check_number, line_check_text,
			line_check_in, line_check_spans};
		enum ts_truth truth;

		if (ts_filter_use_init(&r.use, &f, &err))
			fine = line_check_no(c, "it cannot be asked", err.msg);
		truth = fine ? ts_filter_ask(&f, &row) : TS_NO;
		if (fine && truth != TS_NO && truth != TS_YES && truth != TS_UNSURE)
			fine = line_check_no(c, "an answer that there is not", line);
		ts_filter_use_fini(&r.use);
	}
	used = f.used;
	return fine && (used <= sizeof(f.text) || line_check_no(c, "too much text", line));
}

/* --- sets of tiles --- */

static inline enum ts_code
line_check_using(void *ctx, struct ts_tile_set *out, const char *name, bool pattern,
	struct ts_err *err)
{
	(void)ctx;
	if (pattern && strchr(name, '('))
		return ts_err_set(err, TS_E_USAGE, "no expression");
	for (int64_t t = (int64_t)(strlen(name) % 7); t < out->tiles; t += 7)
		ts_tile_set_add(out, t, t + 1);
	return TS_OK;
}

static inline int64_t
line_check_ipu(void *ctx, int64_t tile)
{
	(void)ctx;
	return tile / 50;
}

static inline bool
line_check_tiles(struct line_check *c, const char *line)
{
	int64_t used[LINE_CHECK_TILES];
	const struct ts_tile_set none = {0};
	struct ts_tile_world w = {.tiles = LINE_CHECK_TILES,
		.used = used,
		.limit = 1000,
		.ipu_of = line_check_ipu,
		.selected = &none,
		.using = line_check_using};
	char text[TS_TILE_SET_TEXT];
	struct ts_tile_set s, again;
	struct ts_err err = {0};
	size_t at = 0;
	bool fine = true;
	enum ts_code check = ts_tile_set_check(line, &at, &err);

	if (check && (at > strlen(line) || !line_check_said(c, line, &err)))
		return line_check_no(c, "wrong, and no place in it", line);
	for (int t = 0; t < LINE_CHECK_TILES; t++)
		used[t] = t % 11 ? t * 7 % 40 * 25 : -1;
	if (ts_tile_set_parse(&s, line, &w, &err))
		return line_check_said(c, line, &err);
	if (check)
		fine = line_check_no(c, "wrong, and taken", line);
	for (int64_t t = ts_tile_set_next(&s, 0); t >= 0; t = ts_tile_set_next(&s, t + 1))
		if (t >= LINE_CHECK_TILES)
			fine = line_check_no(c, "a tile that there is not", line);
	if (fine && ts_tile_set_count(&s) > 0 && ts_tile_set_print(text, sizeof(text), &s)) {
		if (ts_tile_set_parse(&again, text, &w, &err))
			fine = line_check_no(c, "its numbers are refused", text);
		else if (ts_tile_set_count(&again) != ts_tile_set_count(&s))
			fine = line_check_no(c, "its numbers are others", text);
		if (fine || err.code == TS_OK)
			ts_tile_set_fini(&again);
	}
	ts_tile_set_fini(&s);
	return fine;
}

/* --- regular expressions --- */

static inline bool
line_check_pattern(struct line_check *c, const char *line)
{
	static const char *const texts[] = {"", "bert/encoder/layer_12/attention/self/query",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
		"\xc3\x28\xff\n"};
	struct ts_pattern *p;
	struct ts_matcher *m;
	struct ts_err err = {0};
	size_t at = 0, from, to;
	const char *text;
	bool fine = true;

	if (ts_pattern_compile(&p, line, TS_PATTERN_SMART, &at, &err))
		return at <= strlen(line) ? line_check_said(c, line, &err)
					  : line_check_no(c, "an error behind the line", line);
	if (ts_matcher_new(&m, p, &err))
		fine = line_check_no(c, "no matcher", err.msg);
	for (size_t i = 0; fine && i < TS_COUNT(texts); i++) {
		if (ts_pattern_matches(m, texts[i], strlen(texts[i])) != TS_MATCH_YES)
			continue;
		for (int g = 0; g <= ts_pattern_groups(p) && g < 8; g++)
			if (ts_matcher_group(m, g, &text, &from, &to) &&
				(from > to || to > strlen(text)))
				fine = line_check_no(c, "a group outside of the text", line);
	}
	if (fine)
		ts_matcher_free(m);
	ts_pattern_free(p);
	return fine;
}

/* False: c->why. */
static inline bool
line_check(struct line_check *c, const void *bytes, size_t n)
{
	char line[LINE_CHECK_BYTES + 1];

	n = n < LINE_CHECK_BYTES ? n : LINE_CHECK_BYTES;
	memcpy(line, bytes, n);
	line[n] = '\0';
	c->why[0] = '\0';
	if (line[0] == 'f')
		return line_check_filter(c, line + 1);
	return line[0] == 't' ? line_check_tiles(c, line + 1)
			      : line_check_pattern(c, line + (line[0] != '\0'));
}

#endif
