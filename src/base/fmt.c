/* SPDX-License-Identifier: MIT */
/* fmt - see the header. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tilescope/base/fmt.h"
#include "tilescope/base/mem.h"

const char *
ts_fmt_count(char out[TS_FMT_MAX], int64_t v)
{
	uint64_t left = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	char text[TS_FMT_MAX], *p = text + sizeof(text);

	*--p = '\0';
	for (int n = 0; n == 0 || left > 0; n++, left /= 10) {
		if (n > 0 && n % 3 == 0)
			*--p = ',';
		*--p = (char)('0' + left % 10);
	}
	if (v < 0)
		*--p = '-';
	memcpy(out, p, (size_t)(text + sizeof(text) - p));
	return out;
}

const char *
ts_fmt_number(char out[TS_FMT_MAX], int64_t v)
{
	snprintf(out, TS_FMT_MAX, "%" PRId64, v);
	return out;
}

/* Scale |v| below `base` and say how often it was divided. */
static double
scale(double v, double base, int most, int *times)
{
	for (*times = 0; *times < most && fabs(v) >= base - 0.5; (*times)++)
		v /= base;
	return v;
}

/* Three significant figures where they are wanted. */
static int
decimals(double v, int times)
{
	v = fabs(v);
	if (times == 0 || v >= 99.95)
		return 0;
	return v >= 9.995 ? 1 : 2;
}

const char *
ts_fmt_bytes(char out[TS_FMT_MAX], int64_t bytes, enum ts_units units)
{
	static const char *const names[][7] = {
		{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"},
		{"B", "kB", "MB", "GB", "TB", "PB", "EB"},
	};
	int times;
	double v;

	if (units == TS_UNITS_BYTES) {
		ts_fmt_count(out, bytes);
		strncat(out, " B", TS_FMT_MAX - strlen(out) - 1);
		return out;
	}
	v = scale((double)bytes, units == TS_UNITS_KIB ? 1024 : 1000, 6, &times);
	snprintf(out, TS_FMT_MAX, "%.*f %s", v == floor(v) ? 0 : decimals(v, times), v,
		names[units][times]);
	return out;
}

/* 12345 -> "12.3k" with the given powers. */
static const char *
short_form(char out[TS_FMT_MAX], double v, double base, const char *suffixes)
{
	int times;
	int most = (int)strlen(suffixes);

	v = scale(v, base, most, &times);
	if (times == 0)
		snprintf(out, TS_FMT_MAX, "%.0f", v);
	else if (fabs(v) >= 9.95 || v == floor(v))
		snprintf(out, TS_FMT_MAX, "%.*f%c", fabs(v) >= 99.95 || v == floor(v) ? 0 : 1,
			fabs(v) > 1e9 ? 1e9 : v, suffixes[times - 1]);
	else
		snprintf(out, TS_FMT_MAX, "%.2f%c", v, suffixes[times - 1]);
	return out;
}

const char *
ts_fmt_bytes_short(char out[TS_FMT_MAX], int64_t bytes, enum ts_units units)
{
	double base = units == TS_UNITS_KIB ? 1024 : 1000;

	if (units == TS_UNITS_BYTES)
		ts_fmt_count(out, bytes);
	else if (bytes != 0 && fabs((double)bytes) < base)
		snprintf(out, TS_FMT_MAX, "%" PRId64 "B", bytes); /* no count */
	else
		short_form(out, (double)bytes, base, units == TS_UNITS_KIB ? "KMGTPE" : "kMGTPE");
	return out;
}

const char *
ts_fmt_percent(char out[TS_FMT_MAX], double part, double whole)
{
	double p;

	if (!(whole > 0) || !isfinite(part)) {
		snprintf(out, TS_FMT_MAX, "-");
		return out;
	}
	p = 100.0 * part / whole;
	if (p > 0 && p < 0.05)
		snprintf(out, TS_FMT_MAX, "<0.1%%");
	else if (fabs(p) >= 1e7)
		snprintf(out, TS_FMT_MAX, "%.2g%%", p);
	else
		snprintf(out, TS_FMT_MAX, "%.*f%%", p == 0 || fabs(p) >= 99.95 ? 0 : 1, p);
	return out;
}

const char *
ts_fmt_cycles_short(char out[TS_FMT_MAX], int64_t cycles)
{
	return short_form(out, (double)cycles, 1000, "kMGTP");
}

const char *
ts_fmt_time(char out[TS_FMT_MAX], double us)
{
	static const struct {
		double below, factor;
		const char *unit;
	} table[] = {{1, 1e3, "ns"}, {1e3, 1, "us"}, {1e6, 1e-3, "ms"}, {INFINITY, 1e-6, "s"}};
	size_t i = 0;
	double v;

	if (!isfinite(us)) {
		snprintf(out, TS_FMT_MAX, "-");
		return out;
	}
	while (i + 1 < TS_COUNT(table) && fabs(us) >= table[i].below * 0.9995)
		i++; /* what would be rounded up to 1000 has the next unit */
	v = us * table[i].factor;
	if (fabs(v) > 1e7)
		snprintf(out, TS_FMT_MAX, "%.3g %s", v, table[i].unit);
	else
		snprintf(out, TS_FMT_MAX, "%.*f %s", us == 0 ? 0 : decimals(v, 1), v,
			table[i].unit);
	return out;
}

int64_t
ts_fmt_tick(int64_t span, int ticks, int base)
{
	double want = (double)span / (ticks > 0 ? ticks : 1);
	double step = 1;

	if (base == 2) {
		while (step < want && step < 4e18)
			step *= 2;
		return (int64_t)step;
	}
	while (step * 10 <= want && step < 1e17)
		step *= 10;
	if (step < want)
		step *= step * 2 >= want ? 2 : step * 5 >= want ? 5 : 10;
	return (int64_t)step;
}
