/* SPDX-License-Identifier: MIT */
/*
 * fmt - figures as people read them. Used by screens, files and verbs alike.
 *
 * Every function writes at most TS_FMT_MAX bytes, NUL included, and returns its buffer.
 */
#ifndef TS_BASE_FMT_H
#define TS_BASE_FMT_H

#include <stdint.h>

enum { TS_FMT_MAX = 32 };

enum ts_units { TS_UNITS_KIB, TS_UNITS_KB, TS_UNITS_BYTES };

/* 1234567 -> "1,234,567". */
const char *ts_fmt_count(char out[TS_FMT_MAX], int64_t v);

/* What is called by its number (a tile, an IPU, an id) is no amount: 1921 -> "1921", as it is typed. */
const char *ts_fmt_number(char out[TS_FMT_MAX], int64_t v);

/*
 * Bytes in the chosen units, three significant figures: "624 KiB", "1.75 MiB", "893 MiB"; KB
 * with powers of 1000; BYTES "638,976 B".
 */
const char *ts_fmt_bytes(char out[TS_FMT_MAX], int64_t bytes, enum ts_units units);

/* Short for axes and columns: "624K", "1.75M", "840B", "0" (KIB and KB), or plain digits. */
const char *ts_fmt_bytes_short(char out[TS_FMT_MAX], int64_t bytes, enum ts_units units);

/* part of whole: "59.1%", "100%", "<0.1%", "-" when whole is 0 or less. */
const char *ts_fmt_percent(char out[TS_FMT_MAX], double part, double whole);

/* Cycles, short: "950", "12.3k", "4.56M", "1.20G". */
const char *ts_fmt_cycles_short(char out[TS_FMT_MAX], int64_t cycles);

/* Microseconds as a time with a fitting unit: "850 ns", "21.0 ms", "3.20 s". */
const char *ts_fmt_time(char out[TS_FMT_MAX], double us);

/*
 * A round step for an axis of `span` units in about `ticks` parts: 1, 2 or 5 times a power of ten
 * (base 10) or 1, 2, 4, ... (base 2, for KiB). At least 1.
 */
int64_t ts_fmt_tick(int64_t span, int ticks, int base);

#endif
