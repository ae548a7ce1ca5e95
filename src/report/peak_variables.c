/* SPDX-License-Identifier: MIT */
/* peak_variables - see the header. */
#include "config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tilescope/base/element_type.h"
#include "tilescope/base/mem.h"
#include "tilescope/calc/spread.h"
#include "tilescope/calc/top.h"
#include "tilescope/report/peak_variables.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/variables.h"

enum { PROGRESS_ROWS = 8192 };

bool
ts_type_is_fp32(const char *s, size_t n)
{
	return ts_type_is(s, n, "fp32");
}

/* --- who is alive ----------------------------------------------------------------------------- */

struct alive {
	int64_t variable;
	int64_t bytes; /* in classes that are alive then; TS_UNKNOWN: all that it has */
};

struct ids {
	struct alive *id; /* ascending, each variable once */
	size_t count, cap;
};

static int
ascending(const void *a, const void *b)
{
	const struct alive *x = a, *y = b;

	return (x->variable > y->variable) - (x->variable < y->variable);
}

/* NULL: it is not alive. */
static const struct alive *
find_id(const struct ids *s, int64_t id)
{
	struct alive key = {id, 0};

	return s->count > 0 ? bsearch(&key, s->id, s->count, sizeof(key), ascending) : NULL;
}

/* A variable that is alive in several classes becomes one. */
static void
sort_ids(struct ids *s)
{
	size_t kept = 0;

	if (s->count > 1)
		qsort(s->id, s->count, sizeof(*s->id), ascending);
	for (size_t i = 0; i < s->count; i++)
		if (kept == 0 || s->id[kept - 1].variable != s->id[i].variable)
			s->id[kept++] = s->id[i];
		else if (s->id[i].bytes != TS_UNKNOWN &&
			!ts_add_i64(&s->id[kept - 1].bytes, s->id[i].bytes))
			s->id[kept - 1].bytes = TS_NUMBER_MAX;
	s->count = kept;
}

static enum ts_code
add_id(struct ids *s, int64_t id, int64_t bytes, bool *partial, struct ts_err *err)
{
	if (s->count == TS_PEAK_ALIVE) {
		*partial = true;
		return TS_OK;
	}
	if (!ts_room((void **)&s->id, &s->cap, s->count, sizeof(*s->id)))
		return ts_err_nomem(err);
	s->id[s->count++] = (struct alive){id, bytes};
	return TS_OK;
}

static enum ts_code
read_alive(struct ids *s, struct ts_peak_variables *p, struct ts_reader *rd, struct ts_err *err)
{
	enum { ID, START, END, BYTES, ALWAYS, COLUMNS };
	bool classes = ts_report_has_column(rd->report, TS_LIVENESS_VARIABLE,
		TS_LIVENESS_VARIABLE_BYTES);
	struct ts_rows_query q = {.columns = {TS_LIVENESS_VARIABLE_VARIABLE,
					  TS_LIVENESS_VARIABLE_START, TS_LIVENESS_VARIABLE_END,
					  TS_LIVENESS_VARIABLE_BYTES,
					  TS_LIVENESS_VARIABLE_ALWAYS_LIVE},
		.column_count = classes ? COLUMNS : BYTES,
		.past_damage = true};
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, rd, TS_LIVENESS_VARIABLE, &q, err);
	bool there;

	if (code)
		return code;
	while (!code && !(code = ts_rows_next(rows, &there, err)) && there) {
		int64_t v[COLUMNS] = {[BYTES] = TS_UNKNOWN};

		if (ts_rows_number(rows, ID, &v[ID]) || ts_rows_number(rows, START, &v[START]) ||
			ts_rows_number(rows, END, &v[END]) ||
			(classes && ts_rows_number(rows, BYTES, &v[BYTES]))) {
			p->bad_rows++;
			continue;
		}
		if (v[START] > p->step || p->step >= v[END] ||
			(classes && ts_rows_known(rows, ALWAYS) > 0))
			continue;
		code = add_id(s, v[ID], v[BYTES], &p->partial, err);
	}
	ts_rows_close(rows);
	sort_ids(s);
	return code;
}

/* --- variables -------------------------------------------------------------------------------- */

enum { V_ID, V_BYTES, V_ALWAYS, V_TYPE, V_NAME, V_COLUMNS };

struct list {
	struct ts_top top;
	struct ts_peak_variable *slot;
};

struct pass {
	struct ts_peak_variables *p;
	struct ts_rows *rows;
	struct ids alive;
	struct list largest, halves;
	const struct ts_categories *categories;
	struct ts_peak_rows *all; /* NULL: the largest only */
	const struct ts_cache *cache;
	const struct ts_cancel *cancel;
	int always_column;
	int64_t nameless; /* of `all`: rows of at most so many bytes keep no name any more; -1: none are */
	int64_t row;
};

static void
count(struct ts_peak_sum *s, int64_t bytes)
{
	s->count++;
	if (!ts_add_i64(&s->bytes, bytes))
		s->bytes = INT64_MAX;
}

static bool
take_name(char **name, struct ts_rows *rows)
{
	const char *s;
	size_t n;

	free(*name);
	*name = NULL;
	if (ts_rows_text(rows, V_NAME, &s, &n) != TS_VALUE_OK)
		return true;
	*name = ts_strndup(s, n < TS_PEAK_NAME ? n : TS_PEAK_NAME);
	return *name;
}

static bool
offer(struct pass *pass, struct list *l, const struct ts_peak_variable *v)
{
	int slot = ts_top_offer(&l->top, v->bytes, pass->row);
	char *name;

	if (slot < 0)
		return true;
	name = l->slot[slot].name;
	l->slot[slot] = *v;
	l->slot[slot].name = name;
	return take_name(&l->slot[slot].name, pass->rows);
}

/* --- all of them ------------------------------------------------------------------------------ */

enum { PILE_ROWS, PILE_HALVES, PILE_TEXT };

static int
by_size(const void *a, const void *b)
{
	const struct ts_peak_row *x = a, *y = b;

	return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

/* Into their order; of too many the largest stay. */
static enum ts_code
sort_rows(struct pass *pass, struct ts_err *err)
{
	struct ts_peak_rows *r = pass->all;
	enum ts_code code = ts_pile_sort(&r->pile[PILE_ROWS], r->count, sizeof(*r->row), by_size,
		pass->cache, pass->cancel, err);

	if (code || r->count <= TS_PEAK_LISTED)
		return code;
	r->count = TS_PEAK_LISTED;
	r->pile[PILE_ROWS].used = r->count * sizeof(*r->row);
	return TS_OK;
}

/* Too many names: those of the largest rows stay, in half of the room. */
static enum ts_code
shed_names(struct pass *pass, struct ts_err *err)
{
	struct ts_peak_rows *r = pass->all;
	struct ts_pile kept = {0}, *text = &r->pile[PILE_TEXT];
	enum ts_code code = sort_rows(pass, err);
	struct ts_peak_row *row = r->pile[PILE_ROWS].memory;
	bool full = false;

	for (size_t i = 0; i < r->count && !code; i++) {
		const char *name = row[i].name > 0 ? (const char *)text->memory + row[i].name - 1
						   : NULL;
		size_t n = name ? strlen(name) + 1 : 0;

		if (n > 0 && !full && kept.used + n > TS_PEAK_TEXT / 2) {
			full = true;
			pass->nameless = row[i].bytes;
		}
		row[i].name = n > 0 && !full ? (uint32_t)kept.used + 1 : 0;
		if (row[i].name > 0)
			code = ts_pile_add(&kept, name, n, pass->cache, err);
	}
	ts_pile_fini(text);
	*text = kept;
	return code;
}

static enum ts_code
keep_name(struct ts_peak_row *row, struct pass *pass, struct ts_err *err)
{
	struct ts_pile *text = &pass->all->pile[PILE_TEXT];
	const char *s;
	size_t n;
	enum ts_code code = TS_OK;

	if (ts_rows_text(pass->rows, V_NAME, &s, &n) != TS_VALUE_OK)
		return TS_OK;
	n = strnlen(s, n < TS_PEAK_NAME ? n : TS_PEAK_NAME);
	if (row->bytes > pass->nameless && text->used + n + 1 > TS_PEAK_TEXT)
		code = shed_names(pass, err);
	if (code || row->bytes <= pass->nameless)
		return code;
	row->name = (uint32_t)text->used + 1;
	code = ts_pile_add(text, s, n, pass->cache, err);
	return code ? code : ts_pile_add(text, "", 1, pass->cache, err);
}

static enum ts_code
keep_row(struct pass *pass, const struct ts_peak_variable *v, struct ts_err *err)
{
	struct ts_peak_rows *r = pass->all;
	struct ts_peak_row row = {.variable = v->variable,
		.bytes = v->bytes,
		.always = v->always,
		.fp32 = v->fp32,
		.type = v->type};
	enum ts_code code = keep_name(&row, pass, err);

	if (!code)
		code = ts_pile_add(&r->pile[PILE_ROWS], &row, sizeof(row), pass->cache, err);
	if (code)
		return code;
	return ++r->count == 2 * TS_PEAK_LISTED ? sort_rows(pass, err) : TS_OK;
}

/* Sums, and which are FP32. */
static enum ts_code
finish_rows(struct pass *pass, struct ts_err *err)
{
	struct ts_peak_rows *r = pass->all;
	struct ts_peak_row *row = r->pile[PILE_ROWS].memory;
	struct ts_peak_sum sum = {0}, half = {0}, saves = {0};
	enum ts_code code = TS_OK;

	r->types = pass->p->types;
	r->named = r->count;
	for (uint32_t i = 0; i < r->count && !code; i++) {
		if (r->named == r->count && !row[i].name && row[i].bytes <= pass->nameless)
			r->named = i;
		count(&sum, row[i].bytes);
		row[i].so_far = sum.bytes;
		if (!row[i].fp32)
			continue;
		count(&half, row[i].bytes);
		count(&saves, row[i].bytes / 2);
		code = ts_pile_add(&r->pile[PILE_HALVES], &i, sizeof(i), pass->cache, err);
	}
	r->row = row;
	r->halves = (size_t)half.count;
	r->half_bytes = half.bytes;
	r->half_saves = saves.bytes;
	r->half = r->pile[PILE_HALVES].memory;
	r->text = r->pile[PILE_TEXT].memory;
	return code;
}

static void
add_type(struct ts_peak_type *t, const char *s, size_t n)
{
	const char *const *usual = ts_type_names(s, n);

	memcpy(t->recorded, s, n);
	t->fp32 = ts_type_is_fp32(s, n);
	if (!usual)
		memcpy(t->name, s, n);
	for (size_t i = 0; usual && (*usual)[i] && i + 1 < TS_PEAK_TYPE; i++)
		t->name[i] = (char)toupper((unsigned char)(*usual)[i]);
}

/* The type of the row, with a number where there is one left for it. */
static void
take_type(struct ts_peak_variable *v, struct pass *pass)
{
	struct ts_peak_types *t = &pass->p->types;
	const char *s;
	size_t n;
	int i = 0;

	if (ts_rows_text(pass->rows, V_TYPE, &s, &n) != TS_VALUE_OK || n == 0)
		return;
	if (n >= TS_PEAK_TYPE || memchr(s, 0, n)) {
		v->fp32 = ts_type_is_fp32(s, n);
		return;
	}
	while (i < t->count && (memcmp(t->type[i].recorded, s, n) != 0 || t->type[i].recorded[n]))
		i++;
	if (i == TS_PEAK_TYPES) {
		v->fp32 = ts_type_is_fp32(s, n);
		return;
	}
	if (i == t->count)
		add_type(&t->type[t->count++], s, n);
	v->fp32 = t->type[i].fp32;
	v->type = (uint8_t)(i + 1);
}

const char *
ts_peak_type_name(const struct ts_peak_types *t, int type)
{
	return type > 0 && type <= t->count ? t->type[type - 1].name : NULL;
}

/* Is the row named after a category? */
static bool
is_code(const struct pass *pass)
{
	const char *s;
	size_t n;

	if (!pass->categories || ts_rows_text(pass->rows, V_NAME, &s, &n) != TS_VALUE_OK)
		return false;
	for (int i = 0; i < pass->categories->count; i++) {
		const char *name = pass->categories->category[i].name;

		if (strlen(name) == n && memcmp(name, s, n) == 0)
			return true;
	}
	return false;
}

/* The row's variable, or the part of it that is always live, or not. */
static enum ts_code
add_part(struct pass *pass, struct ts_peak_variable v, struct ts_err *err)
{
	struct ts_peak_variables *p = pass->p;
	const struct alive *alive = v.always ? NULL : find_id(&pass->alive, v.variable);
	bool kept = true;

	if (alive && alive->bytes != TS_UNKNOWN)
		v.bytes = alive->bytes;
	if (!v.always)
		v.bytes = v.bytes > TS_NUMBER_MAX / p->replicas ? TS_NUMBER_MAX
								: v.bytes * p->replicas;
	if (v.always && is_code(pass)) {
		count(&p->code, v.bytes);
		return TS_OK;
	}
	if (v.bytes > p->most.bytes) {
		p->most.variable = v.variable;
		p->most.bytes = v.bytes;
		p->most.always = v.always;
		kept = take_name(&p->most.name, pass->rows);
	}
	if (!v.always && !alive)
		return kept ? TS_OK : ts_err_nomem(err);
	if (p->has_types)
		take_type(&v, pass);
	count(v.always ? &p->always : &p->alive, v.bytes);
	if (pass->all)
		return kept ? keep_row(pass, &v, err) : ts_err_nomem(err);
	kept = kept && offer(pass, &pass->largest, &v);
	if (v.fp32) {
		count(&p->fp32, v.bytes);
		kept = kept && offer(pass, &pass->halves, &v);
	}
	return kept ? TS_OK : ts_err_nomem(err);
}

static enum ts_code
add_row(struct pass *pass, struct ts_err *err)
{
	struct ts_peak_variables *p = pass->p;
	struct ts_peak_variable v = {0};
	int64_t always = 0, bytes;
	enum ts_code code = TS_OK;

	pass->row++;
	if (ts_rows_number(pass->rows, V_ID, &v.variable) != TS_VALUE_OK ||
		ts_rows_number(pass->rows, V_BYTES, &bytes) != TS_VALUE_OK ||
		ts_rows_number(pass->rows, V_ALWAYS, &always) == TS_VALUE_BAD) {
		p->bad_rows++;
		return TS_OK;
	}
	v.always = always != 0;
	v.bytes = ts_variable_always_bytes(pass->always_column, always, bytes);
	if (v.always)
		code = add_part(pass, v, err);
	if (code || (v.always && v.bytes >= bytes))
		return code;
	v.bytes = bytes - (v.always ? v.bytes : 0);
	v.always = false;
	return add_part(pass, v, err);
}

static enum ts_code
read_variables(struct pass *pass, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_VARIABLE_VARIABLE, TS_VARIABLE_BYTES,
					  pass->always_column, TS_VARIABLE_ELEMENT_TYPE,
					  TS_VARIABLE_NAME},
		.column_count = V_COLUMNS,
		.past_damage = true};
	int64_t all = ts_reach_span(&rd->report->binding[TS_VARIABLE].reach);
	enum ts_code code = ts_reader_rows(&pass->rows, rd, TS_VARIABLE, &q, err);
	bool there;

	if (code)
		return code;
	while (!code && !(code = ts_rows_next(pass->rows, &there, err)) && there) {
		code = add_row(pass, err);
		if (pass->row % PROGRESS_ROWS == 0)
			ts_progress_set(progress, pass->row, all);
	}
	ts_rows_close(pass->rows);
	return code;
}

/* --- lists ------------------------------------------------------------------------------------ */

static bool
list_init(struct list *l)
{
	l->slot = ts_alloc(TS_PEAK_ROWS, sizeof(*l->slot));
	return ts_top_init(&l->top, TS_PEAK_ROWS) && l->slot;
}

/* Into an array by size; the names go with it. */
static bool
list_take(struct ts_peak_list *out, struct list *l)
{
	if (l->slot && l->top.entry)
		out->row = ts_alloc((size_t)l->top.count + 1, sizeof(*out->row));
	ts_top_sort(&l->top);
	for (int i = 0; out->row && i < l->top.count; i++)
		out->row[out->count++] = l->slot[l->top.entry[i].slot];
	for (int i = 0; !out->row && l->slot && i < l->top.count; i++)
		free(l->slot[i].name);
	free(l->slot);
	ts_top_fini(&l->top);
	return out->row;
}

static void
list_free(struct ts_peak_list *l)
{
	for (int i = 0; i < l->count; i++)
		free(l->row[i].name);
	free(l->row);
	*l = (struct ts_peak_list){0};
}

/* What is damaged makes the rest partial. */
static enum ts_code
bear(struct ts_peak_variables *p, enum ts_code code)
{
	p->partial |= code == TS_E_DAMAGED;
	return code == TS_E_DAMAGED ? TS_OK : code;
}

/* What is asked for, and whether the report says it. */
static enum ts_code
begin(struct ts_peak_variables *p, const struct ts_report *r, int64_t step, int64_t replicas,
	struct ts_err *err)
{
	*p = (struct ts_peak_variables){.step = step,
		.replicas = replicas > 1 ? replicas : 1,
		.most.bytes = TS_UNKNOWN};
	p->has_types = ts_report_has_column(r, TS_VARIABLE, TS_VARIABLE_ELEMENT_TYPE);
	p->has_names = ts_report_has_column(r, TS_VARIABLE, TS_VARIABLE_NAME);
	p->has_lives = step != TS_UNKNOWN && ts_report_has(r, TS_LIVENESS_VARIABLE);
	return ts_report_has(r, TS_VARIABLE)
		? TS_OK
		: ts_err_set(err, TS_E_ABSENT, "%s", r->binding[TS_VARIABLE].reason);
}

enum ts_code
ts_peak_variables_read(struct ts_peak_variables *p, struct ts_reader *rd, int64_t step,
	int64_t replicas, const struct ts_categories *categories, struct ts_progress *progress,
	struct ts_err *err)
{
	struct pass pass = {.p = p,
		.categories = categories,
		.always_column = ts_variable_always_column(rd->report)};
	enum ts_code code = begin(p, rd->report, step, replicas, err);
	bool room;

	if (code)
		return code;
	room = list_init(&pass.largest);
	room = list_init(&pass.halves) && room;
	if (room && p->has_lives)
		code = bear(p, read_alive(&pass.alive, p, rd, err));
	if (room && !code)
		code = bear(p, read_variables(&pass, rd, progress, err));
	free(pass.alive.id);
	room = list_take(&p->largest, &pass.largest) && room;
	room = list_take(&p->halves, &pass.halves) && room;
	return code || room ? code : ts_err_nomem(err);
}

enum ts_code
ts_peak_rows_read(struct ts_peak_rows **out, struct ts_reader *rd, int64_t step, int64_t replicas,
	const struct ts_categories *categories, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err)
{
	struct ts_peak_variables p;
	struct pass pass = {.p = &p,
		.categories = categories,
		.all = ts_alloc(1, sizeof(*pass.all)),
		.cache = cache,
		.cancel = rd->cancel,
		.always_column = ts_variable_always_column(rd->report),
		.nameless = -1};
	enum ts_code code = begin(&p, rd->report, step, replicas, err);

	*out = NULL;
	if (!pass.all)
		return ts_err_nomem(err);
	atomic_init(&pass.all->uses, 1);
	if (!code && p.has_lives)
		code = bear(&p, read_alive(&pass.alive, &p, rd, err));
	if (!code)
		code = bear(&p, read_variables(&pass, rd, progress, err));
	if (!code)
		code = sort_rows(&pass, err);
	if (!code)
		code = finish_rows(&pass, err);
	free(pass.alive.id);
	ts_peak_variables_fini(&p);
	if (code)
		ts_peak_rows_close(pass.all);
	else
		*out = pass.all;
	return code;
}

struct ts_peak_rows *
ts_peak_rows_hold(struct ts_peak_rows *r)
{
	atomic_fetch_add(&r->uses, 1);
	return r;
}

void
ts_peak_rows_close(struct ts_peak_rows *r)
{
	if (!r || atomic_fetch_sub(&r->uses, 1) > 1)
		return;
	for (size_t i = 0; i < TS_COUNT(r->pile); i++)
		ts_pile_fini(&r->pile[i]);
	free(r);
}

__extension__ typedef unsigned __int128 u128;

/* The first row up to which it is so much. */
int64_t
ts_peak_rows_share(const struct ts_peak_rows *r, int64_t whole, int percent)
{
	size_t low = 0, high = r->count;

	if (whole <= 0)
		return 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if ((u128)r->row[middle].so_far * 100 < (u128)whole * (unsigned)percent)
			low = middle + 1;
		else
			high = middle;
	}
	return low < r->count ? (int64_t)low + 1 : TS_UNKNOWN;
}

void
ts_peak_variables_fini(struct ts_peak_variables *p)
{
	list_free(&p->largest);
	list_free(&p->halves);
	free(p->most.name);
	p->most.name = NULL;
}

int64_t
ts_peak_sum_bytes(const struct ts_peak_sum *s)
{
	return s->bytes <= TS_NUMBER_MAX ? s->bytes : TS_UNKNOWN;
}

int64_t
ts_peak_bytes(const struct ts_peak_variables *p)
{
	int64_t sum = p->always.bytes;

	return ts_add_i64(&sum, p->alive.bytes) && sum <= TS_NUMBER_MAX ? sum : TS_UNKNOWN;
}

int64_t
ts_peak_share(const struct ts_peak_variables *p, int percent)
{
	int64_t bytes[TS_PEAK_ROWS];
	size_t n = (size_t)p->largest.count, k;

	for (size_t i = 0; i < n; i++)
		bytes[i] = p->largest.row[i].bytes;
	k = ts_share_count(bytes, n, ts_peak_bytes(p), percent);
	return k > n ? TS_UNKNOWN : (int64_t)k;
}
