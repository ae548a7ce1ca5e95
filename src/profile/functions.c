/* SPDX-License-Identifier: MIT */
/* functions - SQL functions over packed numbers; see the header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/profile/blob.h"
#include "tilescope/profile/functions.h"

enum {
	BLOBS = 6,		/* of numbers() */
	NUMBERS_MOST = 1 << 20, /* where the count is not told: more than any machine has tiles */
	EACH = 4,		/* bytes of a number in an array by tile */
};

/* ---- arguments ---- */

static bool
kind_of(enum ts_blob_kind *kind, sqlite3_value *v)
{
	const char *s = (const char *)sqlite3_value_text(v);

	*kind = s && *s == 'r' ? TS_BLOB_RUNS : s && *s == 'd' ? TS_BLOB_DIFFERENCES : TS_BLOB_LIST;
	return s != NULL;
}

/* The blob of `v`, valid as long as `v`; false when it is none. */
static bool
blob_of(struct ts_blob *b, enum ts_blob_kind kind, sqlite3_value *v)
{
	if (sqlite3_value_type(v) != SQLITE_BLOB)
		return false;
	*b = (struct ts_blob){.bytes = sqlite3_value_blob(v), .kind = kind};
	b->size = (size_t)sqlite3_value_bytes(v);
	return true;
}

/* How many numbers there have to be; -1: any. */
static int64_t
count_of(sqlite3_value *v)
{
	return sqlite3_value_type(v) == SQLITE_INTEGER
		? ts_clamp_i64(sqlite3_value_int64(v), 0, NUMBERS_MOST)
		: -1;
}

/* Is it sound, of `n` numbers (-1: any)? *n becomes the count. */
static bool
is_sound(const struct ts_blob *b, int64_t *n)
{
	struct ts_blob_totals t;

	if (ts_blob_add_up(&t, *n < 0 ? NUMBERS_MOST : *n, b, NULL) || (*n >= 0 && t.count != *n))
		return false;
	*n = t.count;
	return true;
}

/* ---- numbers() and items() ---- */

enum { COLUMN_I, COLUMN_V, COLUMN_KIND = COLUMN_V + BLOBS, COLUMN_N, COLUMN_B };
enum { ARGUMENTS = 2 + BLOBS, ASK_FROM = 1 << ARGUMENTS, ASK_TO = ASK_FROM << 1 };

struct numbers {
	sqlite3_vtab base;
	bool zeros; /* items() */
};

struct one {
	unsigned char *bytes; /* owned */
	struct ts_blob_reader reader;
	struct ts_blob_run run; /* count 0: at the end, or no blob */
	bool there;		/* a blob, not NULL */
};

struct cursor {
	sqlite3_vtab_cursor base;
	int blobs;
	struct one one[BLOBS];
	int64_t i, to, n;
	bool zeros;
};

static int
numbers_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
	char **error)
{
	struct numbers *t;
	int rc = sqlite3_declare_vtab(db,
		"CREATE TABLE x(i, v0, v1, v2, v3, v4, v5, kind HIDDEN, n HIDDEN, b0 HIDDEN, "
		"b1 HIDDEN, b2 HIDDEN, b3 HIDDEN, b4 HIDDEN, b5 HIDDEN)");

	(void)argc;
	(void)argv;
	(void)error;
	if (rc != SQLITE_OK)
		return rc;
	t = sqlite3_malloc(sizeof(*t));
	if (!t)
		return SQLITE_NOMEM;
	*t = (struct numbers){.zeros = aux != NULL};
	*out = &t->base;
	return SQLITE_OK;
}

static int
numbers_disconnect(sqlite3_vtab *t)
{
	sqlite3_free(t);
	return SQLITE_OK;
}

/* Arguments are handed on in the order of their columns, then the range of i. */
static int
numbers_plan(sqlite3_vtab *t, sqlite3_index_info *info)
{
	int place[ARGUMENTS + 2], given = 0, args = 0;

	(void)t;
	for (int k = 0; k < ARGUMENTS + 2; k++)
		place[k] = -1;
	for (int k = 0; k < info->nConstraint; k++) {
		const struct sqlite3_index_constraint *c = &info->aConstraint[k];

		if (c->iColumn >= COLUMN_KIND && c->op == SQLITE_INDEX_CONSTRAINT_EQ) {
			if (!c->usable)
				return SQLITE_CONSTRAINT; /* not without its arguments */
			place[c->iColumn - COLUMN_KIND] = k;
		} else if (c->iColumn == COLUMN_I && c->usable) {
			if (c->op == SQLITE_INDEX_CONSTRAINT_GE ||
				c->op == SQLITE_INDEX_CONSTRAINT_EQ)
				place[ARGUMENTS] = k;
			if (c->op == SQLITE_INDEX_CONSTRAINT_LT)
				place[ARGUMENTS + 1] = k;
		}
	}
	for (int k = 0; k < ARGUMENTS + 2; k++)
		if (place[k] >= 0) {
			info->aConstraintUsage[place[k]].argvIndex = ++args;
			info->aConstraintUsage[place[k]].omit = k < ARGUMENTS;
			given |= 1 << k;
		}
	info->idxNum = given;
	info->estimatedCost = given >= ASK_FROM ? 10 : 1000;
	info->estimatedRows = given >= ASK_FROM ? 10 : 1000;
	return SQLITE_OK;
}

static int
numbers_open(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
	struct cursor *c = ts_alloc(1, sizeof(*c));

	if (!c)
		return SQLITE_NOMEM;
	c->zeros = ((struct numbers *)t)->zeros;
	*out = &c->base;
	return SQLITE_OK;
}

static void
forget(struct cursor *c)
{
	for (int k = 0; k < BLOBS; k++)
		free(c->one[k].bytes);
	memset(c->one, 0, sizeof(c->one));
	c->blobs = 0;
}

static int
numbers_close(sqlite3_vtab_cursor *base)
{
	forget((struct cursor *)base);
	free(base);
	return SQLITE_OK;
}

/* Go on in a blob by `n` numbers; it was found sound. */
static void
advance(struct one *o, int64_t n)
{
	while (o->there && n >= o->run.count) {
		bool more;

		n -= o->run.count;
		o->run.count = 0;
		if (ts_blob_next(&o->run, &more, &o->reader, NULL) || !more) {
			o->run.count = 0;
			return;
		}
	}
	o->run.first += n * o->run.step;
	o->run.count -= o->there ? n : 0;
}

/* To the next place that is shown, from c->i on. */
static void
settle(struct cursor *c)
{
	while (!c->zeros && c->i < c->to) {
		int64_t alike = INT64_MAX;

		for (int k = 0; k < c->blobs; k++) {
			const struct one *o = &c->one[k];

			if (!o->there || o->run.count == 0)
				continue;
			if (o->run.first != 0)
				return;
			alike = ts_min_i64(alike, o->run.step ? 1 : o->run.count);
		}
		if (alike == INT64_MAX) { /* nothing is left */
			c->i = c->to;
			return;
		}
		for (int k = 0; k < c->blobs; k++)
			advance(&c->one[k], alike);
		c->i += alike;
	}
}

/* A copy of blob k, when it is sound: the cursor outlives the value. */
static int
take(struct cursor *c, int k, enum ts_blob_kind kind, int64_t wanted, sqlite3_value *v)
{
	struct one *o = &c->one[k];
	struct ts_blob b;
	int64_t n = wanted;

	if (!blob_of(&b, kind, v) || !is_sound(&b, &n))
		return SQLITE_OK;
	o->bytes = ts_alloc(1, b.size + 1);
	if (!o->bytes)
		return SQLITE_NOMEM;
	memcpy(o->bytes, b.bytes ? b.bytes : (const void *)"", b.size);
	b.bytes = o->bytes;
	o->there = true;
	ts_blob_begin(&o->reader, &b, n);
	c->n = ts_max_i64(c->n, n);
	return SQLITE_OK;
}

static int
numbers_filter(sqlite3_vtab_cursor *base, int given, const char *s, int argc, sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)base;
	sqlite3_value *value[ARGUMENTS + 2] = {NULL};
	enum ts_blob_kind kind = TS_BLOB_LIST;
	int64_t wanted = -1, from = 0;
	int rc = SQLITE_OK;

	(void)s;
	for (int k = 0, at = 0; k < ARGUMENTS + 2 && at < argc; k++)
		if (given & 1 << k)
			value[k] = argv[at++];
	forget(c);
	c->i = c->n = c->to = 0;
	if (!value[0] || !value[1] || !kind_of(&kind, value[0]))
		return SQLITE_OK;
	wanted = count_of(value[1]);
	for (int k = 0; k < BLOBS && rc == SQLITE_OK; k++)
		if (value[2 + k]) {
			rc = take(c, k, kind, wanted, value[2 + k]);
			c->blobs = k + 1;
		}
	c->to = c->n;
	if (value[ARGUMENTS])
		from = ts_clamp_i64(sqlite3_value_int64(value[ARGUMENTS]), 0, c->n);
	if (value[ARGUMENTS + 1])
		c->to = ts_clamp_i64(sqlite3_value_int64(value[ARGUMENTS + 1]), 0, c->n);
	for (int k = 0; k < c->blobs; k++)
		advance(&c->one[k], from);
	c->i = from;
	settle(c);
	return rc;
}

static int
numbers_next(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;

	for (int k = 0; k < c->blobs; k++)
		advance(&c->one[k], 1);
	c->i++;
	settle(c);
	return SQLITE_OK;
}

static int
numbers_eof(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;

	return c->i >= c->to;
}

static int
numbers_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
	struct cursor *c = (struct cursor *)base;

	if (column == COLUMN_I)
		sqlite3_result_int64(out, c->i);
	else if (column < COLUMN_KIND && c->one[column - COLUMN_V].run.count > 0)
		sqlite3_result_int64(out, c->one[column - COLUMN_V].run.first);
	return SQLITE_OK;
}

static int
numbers_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
	*rowid = ((struct cursor *)base)->i;
	return SQLITE_OK;
}

static const sqlite3_module numbers_module = {
	.iVersion = 0,
	.xConnect = numbers_connect,
	.xBestIndex = numbers_plan,
	.xDisconnect = numbers_disconnect,
	.xOpen = numbers_open,
	.xClose = numbers_close,
	.xFilter = numbers_filter,
	.xNext = numbers_next,
	.xEof = numbers_eof,
	.xColumn = numbers_column,
	.xRowid = numbers_rowid,
};

/* ---- arrays by tile ---- */

/* A sum, or a row of vectors, under way; `bad`: a blob was damaged or missing. */
struct by_tile {
	int64_t *v; /* owned */
	int64_t n;
	bool bad;
};

static void
put_each(unsigned char *p, uint64_t v)
{
	for (int k = 0; k < EACH; k++)
		p[k] = (unsigned char)(v >> 8 * k);
}

static uint64_t
get_each(const unsigned char *p)
{
	uint64_t v = 0;

	for (int k = 0; k < EACH; k++)
		v |= (uint64_t)p[k] << 8 * k;
	return v;
}

static void
give_array(sqlite3_context *out, const int64_t *v, int64_t n)
{
	unsigned char *bytes;

	for (int64_t i = 0; i < n; i++)
		if (v[i] < 0 || v[i] > UINT32_MAX)
			return; /* NULL */
	bytes = sqlite3_malloc64((sqlite3_uint64)n * EACH + 1);
	if (!bytes) {
		sqlite3_result_error_nomem(out);
		return;
	}
	for (int64_t i = 0; i < n; i++)
		put_each(bytes + i * EACH, (uint64_t)v[i]);
	sqlite3_result_blob64(out, bytes, (sqlite3_uint64)n * EACH, sqlite3_free);
}

/* All numbers of argument `v`, owned by the caller; *n < 0: any count. NULL: none, or no memory (*nomem). */
static int64_t *
decode(sqlite3_value *v, enum ts_blob_kind kind, int64_t *n, bool *nomem)
{
	struct ts_blob b;
	int64_t *to;

	*nomem = false;
	if (!blob_of(&b, kind, v) || !is_sound(&b, n))
		return NULL;
	to = ts_alloc((size_t)*n + 1, sizeof(*to));
	*nomem = to == NULL;
	if (to && ts_blob_decode(to, *n, &b, NULL)) {
		free(to);
		return NULL;
	}
	return to;
}

static void
by_tile(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	enum ts_blob_kind kind;
	int64_t n = count_of(argv[1]), *v;
	bool nomem;

	(void)argc;
	if (!kind_of(&kind, argv[0]))
		return;
	v = decode(argv[2], kind, &n, &nomem);
	if (nomem)
		sqlite3_result_error_nomem(out);
	if (v)
		give_array(out, v, n);
	free(v);
}

/* Append, or add, what the row has. */
static void
by_tile_take(sqlite3_context *out, enum ts_blob_kind kind, int64_t n, sqlite3_value *blob,
	bool join)
{
	struct by_tile *a = sqlite3_aggregate_context(out, sizeof(*a));
	int64_t *v, *all;
	bool nomem;

	if (!a || a->bad)
		return;
	v = decode(blob, kind, &n, &nomem);
	if (!v) {
		a->bad = join || sqlite3_value_type(blob) != SQLITE_NULL;
		if (nomem)
			sqlite3_result_error_nomem(out);
		return;
	}
	if (!join && a->v) {
		a->bad = n != a->n;
		for (int64_t i = 0; !a->bad && i < n; i++)
			a->bad = !ts_add_i64(&a->v[i], v[i]);
	} else if (a->n + n > NUMBERS_MOST) {
		a->bad = true;
	} else {
		all = realloc(a->v, (size_t)(a->n + n + 1) * sizeof(*all));
		if (all) {
			memcpy(all + a->n, v, (size_t)n * sizeof(*v));
			a->v = all;
			a->n += n;
		} else {
			sqlite3_result_error_nomem(out);
		}
		a->bad = !all;
	}
	free(v);
}

static void
by_tile_sum(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	enum ts_blob_kind kind;

	(void)argc;
	if (kind_of(&kind, argv[0]))
		by_tile_take(out, kind, count_of(argv[1]), argv[2], false);
}

static void
by_tile_join(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	(void)argc;
	by_tile_take(out, TS_BLOB_RUNS, count_of(argv[0]), argv[1], true);
}

static void
by_tile_final(sqlite3_context *out)
{
	struct by_tile *a = sqlite3_aggregate_context(out, 0);

	if (!a)
		return;
	if (!a->bad && a->v)
		give_array(out, a->v, a->n);
	free(a->v);
}

static void
by_tile_minus(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	const unsigned char *x = sqlite3_value_blob(argv[0]), *y = sqlite3_value_blob(argv[1]);
	int n = sqlite3_value_bytes(argv[0]) / EACH, m = sqlite3_value_bytes(argv[1]) / EACH;
	int64_t *v;

	(void)argc;
	if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	if (sqlite3_value_type(argv[1]) == SQLITE_NULL) {
		sqlite3_result_value(out, argv[0]);
		return;
	}
	v = n == m ? ts_alloc((size_t)n + 1, sizeof(*v)) : NULL;
	if (n == m && !v)
		sqlite3_result_error_nomem(out);
	for (int i = 0; v && i < n; i++)
		v[i] = (int64_t)get_each(x + (ptrdiff_t)i * EACH) -
			(int64_t)get_each(y + (ptrdiff_t)i * EACH);
	if (v)
		give_array(out, v, n);
	free(v);
}

/* ---- single numbers ---- */

static void
numbers_sum(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	enum ts_blob_kind kind;
	struct ts_blob_totals t;
	struct ts_blob b;
	int64_t n = count_of(argv[1]);

	(void)argc;
	if (kind_of(&kind, argv[0]) && blob_of(&b, kind, argv[2]) && is_sound(&b, &n) &&
		ts_blob_add_up(&t, n, &b, NULL) == TS_OK)
		sqlite3_result_int64(out, t.sum);
}

static void
first_item(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	struct ts_blob_reader r;
	struct ts_blob_run run;
	struct ts_blob b;
	bool more;

	(void)argc;
	if (!blob_of(&b, TS_BLOB_LIST, argv[0]))
		return;
	ts_blob_begin(&r, &b, NUMBERS_MOST);
	while (ts_blob_next(&run, &more, &r, NULL) == TS_OK && more)
		if (run.first != 0) {
			sqlite3_result_int64(out, run.first);
			return;
		}
}

/* The number at *s, which goes behind it; false when there is none, or it is too large. */
static bool
read_decimal(int64_t *v, const char **s)
{
	const char *p = *s;

	for (*v = 0; *p >= '0' && *p <= '9'; p++)
		if (*v > TS_BLOB_MOST / 10)
			return false;
		else
			*v = *v * 10 + (*p - '0');
	if (p == *s)
		return false;
	*s = p;
	return true;
}

static void
region_bytes(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	const char *s = (const char *)sqlite3_value_text(argv[0]);
	int64_t sum = 0, from, to;

	(void)argc;
	while (s && *s) {
		if (*s++ != '[' || !read_decimal(&from, &s) || *s++ != ',' ||
			!read_decimal(&to, &s) || *s++ != ')' || to < from ||
			!ts_add_i64(&sum, to - from))
			return;
		if (*s == ',')
			s++;
	}
	if (s)
		sqlite3_result_int64(out, sum);
}

/* ---- sums ---- */

/* A sum that does not end the statement where it is too large, as sum() does. */
struct adding {
	int64_t sum;
	int64_t values; /* that are no NULL */
	int64_t bad;	/* of these: no integers; or the sum was too large */
};

static void
add_value(sqlite3_context *out, sqlite3_value *v, int sign)
{
	struct adding *a = sqlite3_aggregate_context(out, sizeof(*a));
	int type = sqlite3_value_type(v);
	int64_t n;

	if (!a || type == SQLITE_NULL)
		return;
	a->values += sign;
	if (type != SQLITE_INTEGER) {
		a->bad += sign;
		return;
	}
	n = sqlite3_value_int64(v);
	if (sign > 0 ? __builtin_add_overflow(a->sum, n, &a->sum)
		     : __builtin_sub_overflow(a->sum, n, &a->sum))
		a->bad += (int64_t)1 << 32;
}

static void
add_step(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	(void)argc;
	add_value(out, argv[0], 1);
}

static void
add_inverse(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	(void)argc;
	add_value(out, argv[0], -1);
}

static void
add_result(sqlite3_context *out)
{
	struct adding *a = sqlite3_aggregate_context(out, 0);

	if (a && a->values > 0 && a->bad == 0)
		sqlite3_result_int64(out, a->sum);
}

/* A report's reader puts one in its place that reads debug.cbor. */
static void
context_says(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	(void)out;
	(void)argc;
	(void)argv;
}

/* ---- the connection ---- */

static const struct {
	const char *name;
	int args;
	void (*f)(sqlite3_context *, int, sqlite3_value **);
	void (*step)(sqlite3_context *, int, sqlite3_value **);
	void (*final)(sqlite3_context *);
} functions[] = {
	{"by_tile", 3, by_tile, NULL, NULL},
	{"by_tile_sum", 3, NULL, by_tile_sum, by_tile_final},
	{"by_tile_minus", 2, by_tile_minus, NULL, NULL},
	{"by_tile_join", 2, NULL, by_tile_join, by_tile_final},
	{"numbers_sum", 3, numbers_sum, NULL, NULL},
	{"first_item", 1, first_item, NULL, NULL},
	{"region_bytes", 1, region_bytes, NULL, NULL},
	{"context_says", 2, context_says, NULL, NULL},
};

enum ts_code
ts_profile_connect(struct ts_db **db, struct ts_source *source, struct ts_err *err)
{
	enum ts_code code = ts_db_open(db, source, err);
	int rc = SQLITE_OK;

	if (code)
		return code;
	for (size_t i = 0; i < TS_COUNT(functions) && rc == SQLITE_OK; i++)
		rc = sqlite3_create_function_v2(ts_db_handle(*db), functions[i].name,
			functions[i].args, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, functions[i].f,
			functions[i].step, functions[i].final, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_create_window_function(ts_db_handle(*db), "add_up", 1,
			SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, add_step, add_result, add_result,
			add_inverse, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_create_module_v2(ts_db_handle(*db), "numbers", &numbers_module, NULL,
			NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_create_module_v2(ts_db_handle(*db), "items", &numbers_module, *db,
			NULL);
	if (rc == SQLITE_OK)
		return TS_OK;
	code = ts_db_error(*db, rc, err);
	ts_db_close(*db);
	*db = NULL;
	return code;
}
