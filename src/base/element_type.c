/* SPDX-License-Identifier: MIT */
/* element_type - see the header. */
#include "config.h"

#include <string.h>

#include "tilescope/base/element_type.h"
#include "tilescope/base/mem.h"

static const char *const types[][TS_TYPE_NAMES + 1] = {
	{"fp32", "float", "float32", "f32", "single", NULL},
	{"fp16", "half", "float16", "f16", NULL},
	{"fp8", "quarter", "float8", "f8", NULL},
	{"fp64", "double", "float64", "f64", NULL},
	{"int32", "int", "signed int", "i32", NULL},
	{"uint32", "unsigned int", "uint", "u32", "unsigned", NULL},
	{"int16", "short", "signed short", "i16", NULL},
	{"uint16", "unsigned short", "ushort", "u16", NULL},
	{"int8", "signed char", "schar", "i8", NULL},
	{"uint8", "unsigned char", "uchar", "u8", NULL},
	{"int64", "long long", "signed long long", "i64", NULL},
	{"uint64", "unsigned long long", "ulonglong", "u64", NULL},
	{"bool", "boolean", "b8", NULL},
};

static bool
counts(char c)
{
	return c != ' ' && c != '_' && c != '-';
}

static char
small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool
is_same(const char *s, size_t n, const char *name)
{
	size_t i = 0;

	for (;; i++, name++) {
		while (i < n && !counts(s[i]))
			i++;
		while (*name && !counts(*name))
			name++;
		if (i == n || !*name)
			return i == n && !*name;
		if (small(s[i]) != *name)
			return false;
	}
}

const char *const *
ts_type_names(const char *name, size_t n)
{
	for (size_t i = 0; i < TS_COUNT(types); i++)
		for (int k = 0; types[i][k]; k++)
			if (is_same(name, n, types[i][k]))
				return types[i];
	return NULL;
}

const char *
ts_type_name(size_t i)
{
	return i < TS_COUNT(types) ? types[i][0] : NULL;
}

bool
ts_type_is(const char *name, size_t n, const char *as)
{
	const char *const *names = ts_type_names(name, n);

	return names && names == ts_type_names(as, strlen(as));
}
