/* SPDX-License-Identifier: MIT */
/* explain - see the header. */
#include "config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/fmt.h"
#include "tilescope/view/explain.h"

#define SHOWN_WHOLE 1e5 /* reals from here on are shown without a fraction */
#define SHOWN_MOST 1e18

static const char *const known_names[TS_KNOWN_COUNT] = {
	[TS_KNOWN_RECORDED] = "recorded by the compiler",
	[TS_KNOWN_MEASURED] = "measured",
	[TS_KNOWN_REPEATED] = "measured once, repeated for every execution",
	[TS_KNOWN_ESTIMATED] = "estimated",
	[TS_KNOWN_DERIVED] = "derived from what is recorded",
	[TS_KNOWN_ASSUMED] = "assumed: not recorded",
};

const char *
ts_known_name(enum ts_known known)
{
	return known >= 0 && known < TS_KNOWN_COUNT ? known_names[known] : "";
}

void
ts_explain_init(struct ts_explain *e)
{
	e->count = e->at = 0;
}

struct ts_explained *
ts_explain_add(struct ts_explain *e, const char *title, ...)
{
	static const char cut[] = "\u2026";
	struct ts_explained *x = e->count < TS_EXPLAIN_FIGURES ? &e->figure[e->count++] : &e->spare;
	va_list ap;
	int n;

	*x = (struct ts_explained){.kind = TS_EXPLAIN_UNKNOWN};
	snprintf(x->shown, sizeof(x->shown), "not known");
	va_start(ap, title);
	n = vsnprintf(x->title, sizeof(x->title), title, ap);
	va_end(ap);
	if (n >= (int)sizeof(x->title)) /* it is not to be taken for a whole one */
		memcpy(x->title + sizeof(x->title) - sizeof(cut), cut, sizeof(cut));
	return x;
}

/* --- values ----------------------------------------------------------------------------------- */

void
ts_explain_bytes(struct ts_explained *x, int64_t bytes, enum ts_units units)
{
	char text[TS_FMT_MAX];

	x->unit = "bytes";
	if (bytes < 0)
		return;
	x->kind = TS_EXPLAIN_INTEGER;
	x->integer = bytes;
	ts_explain_shown(x, "%s", ts_fmt_bytes(text, bytes, units));
}

/* One of them. */
static const char *
singular(const char *unit)
{
	static const char *const words[][2] = {{"vertices", "vertex"}, {"steps", "step"},
		{"uses", "use"}, {"cycles", "cycle"}, {"tiles", "tile"}};

	for (size_t i = 0; unit && i < TS_COUNT(words); i++)
		if (strcmp(unit, words[i][0]) == 0)
			return words[i][1];
	return unit;
}

void
ts_explain_integer(struct ts_explained *x, int64_t value, const char *unit)
{
	char text[TS_FMT_MAX];

	x->unit = unit;
	if (value < 0)
		return;
	x->kind = TS_EXPLAIN_INTEGER;
	x->integer = value;
	unit = value == 1 ? singular(unit) : unit;
	ts_explain_shown(x, "%s%s%s", ts_fmt_count(text, value), unit ? " " : "", unit ? unit : "");
}

void
ts_explain_number(struct ts_explained *x, int64_t value)
{
	char text[TS_FMT_MAX];

	ts_explain_integer(x, value, NULL);
	if (value >= 0)
		ts_explain_shown(x, "%s", ts_fmt_number(text, value));
}

void
ts_explain_real(struct ts_explained *x, double value, const char *unit)
{
	char text[TS_FMT_MAX], n[TS_FMT_MAX];

	x->unit = unit;
	if (!isfinite(value))
		return;
	x->kind = TS_EXPLAIN_REAL;
	x->real = value;
	if (fabs(value) >= SHOWN_WHOLE && fabs(value) < SHOWN_MOST)
		snprintf(text, sizeof(text), "%s", ts_fmt_count(n, (int64_t)llround(value)));
	else
		snprintf(text, sizeof(text), "%.6g", value);
	ts_explain_shown(x, "%s%s%s", text, unit ? " " : "", unit ? unit : "");
}

void
ts_explain_text(struct ts_explained *x, const char *text)
{
	x->unit = NULL;
	if (!text)
		return;
	x->kind = TS_EXPLAIN_TEXT;
	snprintf(x->text, sizeof(x->text), "%s", text);
	ts_explain_shown(x, "%s", text);
}

const char *
ts_explain_exact(const struct ts_explained *x, char out[TS_EXPLAIN_SHOWN])
{
	const char *unit = x->unit ? x->unit : "";
	const char *gap = x->unit ? " " : "";

	switch (x->kind) {
	case TS_EXPLAIN_INTEGER:
		snprintf(out, TS_EXPLAIN_SHOWN, "%lld%s%s", (long long)x->integer, gap, unit);
		break;
	case TS_EXPLAIN_REAL:
		snprintf(out, TS_EXPLAIN_SHOWN, "%.17g%s%s", x->real, gap, unit);
		break;
	case TS_EXPLAIN_TEXT:
		snprintf(out, TS_EXPLAIN_SHOWN, "%s", x->text);
		break;
	default:
		snprintf(out, TS_EXPLAIN_SHOWN, "not known");
	}
	return out;
}

/* --- texts ------------------------------------------------------------------------------------ */

void
ts_explain_shown(struct ts_explained *x, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(x->shown, sizeof(x->shown), fmt, ap);
	va_end(ap);
}

void
ts_explain_from(struct ts_explained *x, enum ts_known known, const char *from, ...)
{
	va_list ap;

	x->known = known;
	va_start(ap, from);
	vsnprintf(x->from, sizeof(x->from), from, ap);
	va_end(ap);
}

void
ts_explain_formula(struct ts_explained *x, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(x->formula, sizeof(x->formula), fmt, ap);
	va_end(ap);
}

void
ts_explain_note(struct ts_explained *x, const char *fmt, ...)
{
	size_t used = strlen(x->note);
	va_list ap;

	if (used > 0 && used + 2 < sizeof(x->note)) {
		memcpy(x->note + used, "; ", 3);
		used += 2;
	}
	va_start(ap, fmt);
	vsnprintf(x->note + used, sizeof(x->note) - used, fmt, ap);
	va_end(ap);
}

void
ts_explain_query(struct ts_explained *x, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(x->query, sizeof(x->query), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(x->query))
		return;
	x->query[0] = '\0';
	ts_explain_note(x, "its query is too long to be shown");
}

bool
ts_explain_quote(char *out, size_t size, const char *s)
{
	size_t n = 0;

	if (size < 3)
		return false;
	out[n++] = '\'';
	for (; *s; s++) {
		if (n + 4 > size) {
			out[0] = '\0';
			return false;
		}
		if (*s == '\'')
			out[n++] = '\'';
		out[n++] = *s;
	}
	out[n++] = '\'';
	out[n] = '\0';
	return true;
}
