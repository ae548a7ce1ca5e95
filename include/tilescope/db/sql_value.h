/* SPDX-License-Identifier: MIT */
/* sql_value - one value of an SQL row, as it stands in the file: untrusted, of any type whatever is declared. */
#ifndef TS_DB_SQL_VALUE_H
#define TS_DB_SQL_VALUE_H

#include <stddef.h>
#include <stdint.h>

enum ts_sql_type { TS_SQL_NULL, TS_SQL_INTEGER, TS_SQL_REAL, TS_SQL_TEXT, TS_SQL_BLOB };

struct ts_sql_value {
	enum ts_sql_type type;
	int64_t integer;
	double real;
	const char *bytes; /* of a text or a blob, never NULL; not NUL-safe */
	size_t n;
};

#endif
