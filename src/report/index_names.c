/* SPDX-License-Identifier: MIT */
/*
 * index_names - see the header. One part reads all rows, for a name is told from the others by all before it: there are some
 * hundred thousand variables, a twentieth of the lowered ones. Left to the rows where it would be large, or numbers of
 * variables lie far apart.
 */
#include "config.h"

#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/variables.h"
#include "tilescope/report/dictionary.h"
#include "tilescope/report/index_build.h"
#include "tilescope/report/index_names.h"
#include "tilescope/report/memory.h"

enum {
	LEFT_TO_THE_ROWS = 1,
	SHARE = 32, /* the section is at most so much of the report */
	SHARE_LEAST = 64 << 10,
	NUMBERS_MOST = 1 << 24,
	PROGRESS_ROWS = 8192,
};

struct head {
	uint64_t flags;
	int64_t numbers, names;
	uint64_t name_at, at_at, text_at, text_size;
	uint64_t always_at, always;
	int64_t always_bad;
};

struct part {
	struct ts_dictionary names;
	struct ts_pile entry;  /* uint32_t by number of a variable: that of its name + 1, or 0 */
	struct ts_pile always; /* struct ts_always_entry */
	int64_t always_bad;
	int always_column;
	bool fits;
};

static int
largest_first(const void *a, const void *b)
{
	const struct ts_always_entry *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x->variable > y->variable) - (x->variable < y->variable);
}

/* --- making it -------------------------------------------------------------------------------- */

static bool
can(const struct ts_report *r)
{
	return ts_report_has(r, TS_VARIABLE) &&
		ts_report_has_column(r, TS_VARIABLE, TS_VARIABLE_VARIABLE) &&
		ts_report_has_column(r, TS_VARIABLE, TS_VARIABLE_NAME);
}

enum { N_NUMBER, N_NAME, N_BYTES, N_ALWAYS };

/* *entry: where that of a variable is kept. */
static enum ts_code
entry_of(uint32_t **entry, struct ts_pile *p, int64_t variable, const struct ts_cache *cache,
	struct ts_err *err)
{
	size_t used = ((size_t)variable + 1) * sizeof(**entry);
	enum ts_code code = TS_OK;

	if (used > p->room)
		code = ts_pile_room(p, 2 * used, cache, err);
	if (code)
		return code;
	p->used = used > p->used ? used : p->used;
	*entry = (uint32_t *)p->memory + variable;
	return TS_OK;
}

/* *name: that of the row + 1, or 0. */
static enum ts_code
name_of(uint32_t *name, struct part *part, struct ts_rows *rows, struct ts_err *err)
{
	enum ts_code code;
	const char *s;
	size_t n;

	*name = 0;
	if (ts_rows_text(rows, N_NAME, &s, &n) != TS_VALUE_OK || n == 0 || s[0] == '\0')
		return TS_OK;
	code = ts_dictionary_text(&part->names, name, s, strnlen(s, n), err);
	*name += !code;
	return code;
}

static bool
is_always(struct ts_rows *rows)
{
	int64_t always;

	return ts_rows_number(rows, N_ALWAYS, &always) == TS_VALUE_OK && always != 0;
}

/* A row that is always live; `e` is to get its bytes. */
static enum ts_code
take_always(struct part *part, struct ts_rows *rows, struct ts_always_entry e,
	const struct ts_cache *cache, struct ts_err *err)
{
	int64_t always;

	if (ts_rows_number(rows, N_BYTES, &e.bytes) == TS_VALUE_OK &&
		ts_rows_number(rows, N_ALWAYS, &always) == TS_VALUE_OK) {
		e.bytes = ts_variable_always_bytes(part->always_column, always, e.bytes);
		return ts_pile_add(&part->always, &e, sizeof(e), cache, err);
	}
	part->always_bad++;
	return TS_OK;
}

static enum ts_code
take_row(struct part *part, struct ts_rows *rows, const struct ts_cache *cache, struct ts_err *err)
{
	struct ts_always_entry e = {0};
	uint32_t *entry;
	enum ts_code code;

	if (ts_rows_number(rows, N_NUMBER, &e.variable) != TS_VALUE_OK) {
		part->always_bad += is_always(rows);
		return TS_OK;
	}
	part->fits = e.variable < NUMBERS_MOST;
	if (!part->fits)
		return TS_OK;
	code = name_of(&e.name, part, rows, err);
	if (!code && is_always(rows))
		code = take_always(part, rows, e, cache, err);
	if (code || e.name == 0)
		return code;
	code = entry_of(&entry, &part->entry, e.variable, cache, err);
	if (!code && *entry == 0)
		*entry = e.name;
	return code;
}

static enum ts_code
read_part(struct ts_pass_part *p, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	int always = ts_variable_always_column(rd->report);
	const struct ts_rows_query q = {.columns = {TS_VARIABLE_VARIABLE, TS_VARIABLE_NAME,
						TS_VARIABLE_BYTES, always},
		.column_count = 4};
	struct part *part = p->state;
	struct ts_rows *rows;
	enum ts_code code;
	int64_t seen = 0;
	bool there;

	part->fits = true;
	part->always_column = always;
	part->names.cache = p->run->cache;
	if (p->number > 0)
		return TS_OK;
	code = ts_reader_rows(&rows, rd, TS_VARIABLE, &q, err);
	if (code)
		return code;
	while (part->fits && !(code = ts_rows_next(rows, &there, err)) && there) {
		if (++seen % PROGRESS_ROWS == 0)
			ts_progress_set(progress, seen, 0);
		code = take_row(part, rows, p->run->cache, err);
		if (code)
			break;
	}
	ts_rows_close(rows);
	return code;
}

static void
part_fini(struct ts_pass_part *p)
{
	struct part *part = p->state;

	ts_dictionary_fini(&part->names);
	ts_pile_fini(&part->entry);
	ts_pile_fini(&part->always);
}

/* The texts in their order, and entries by it. */
struct ordered {
	uint32_t names;
	struct ts_pile first; /* uint32_t by rank: an entry with that text */
	struct ts_pile at, text;
};

static enum ts_code
put_in_order(struct ordered *o, struct part *part, const struct ts_cache *cache,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_dictionary *d = &part->names;
	uint32_t *entry = part->entry.memory;
	struct ts_always_entry *always = part->always.memory;
	size_t n = part->always.used / sizeof(*always);
	enum ts_code code = ts_dictionary_rank(d, &o->names, cancel, err);

	if (!code)
		code = ts_pile_room(&o->first, ((size_t)o->names + 1) * sizeof(uint32_t), cache,
			err);
	for (uint32_t i = 0; !code && i < d->count; i++)
		((uint32_t *)o->first.memory)[ts_dictionary_at(d, i)->rank] = i;
	for (size_t i = 0; !code && i < part->entry.used / sizeof(*entry); i++)
		if (entry[i])
			entry[i] = ts_dictionary_at(d, entry[i] - 1)->rank + 1;
	for (size_t i = 0; !code && i < n; i++)
		if (always[i].name)
			always[i].name = ts_dictionary_at(d, always[i].name - 1)->rank + 1;
	return code ? code
		    : ts_pile_sort(&part->always, n, sizeof(*always), largest_first, cache, cancel,
			      err);
}

static enum ts_code
put_texts(struct ordered *o, const struct ts_dictionary *d, const struct ts_cache *cache,
	struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (uint32_t i = 0; !code && i < o->names; i++) {
		const struct ts_dictionary_entry *e = ts_dictionary_at(d,
			((const uint32_t *)o->first.memory)[i]);
		uint32_t at = (uint32_t)o->text.used;

		code = ts_pile_add(&o->at, &at, sizeof(at), cache, err);
		if (!code)
			code = ts_pile_add(&o->text, (const char *)d->text.memory + e->at, e->n,
				cache, err);
		if (!code)
			code = ts_pile_add(&o->text, "", 1, cache, err);
	}
	return code;
}

static bool
is_small(const struct part *part, const struct ts_report *r)
{
	const struct ts_dictionary *d = &part->names;
	int64_t size = (int64_t)(part->entry.used + part->always.used + d->text.used) +
		(int64_t)d->count * (int64_t)(sizeof(uint32_t) + 1);

	return part->fits && d->text.used + d->count < UINT32_MAX &&
		size <= ts_max_i64(r->identity.bytes / SHARE, SHARE_LEAST);
}

static enum ts_code
finish(struct ts_pass_run *run, struct ts_pass_part *parts, int count, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	struct part *part = parts[0].state;
	bool small = is_small(part, run->report);
	struct ordered o = {0};
	struct head h = {.flags = small ? 0 : LEFT_TO_THE_ROWS};
	enum ts_code code = TS_OK;

	(void)count;
	(void)progress;
	if (small)
		code = put_in_order(&o, part, run->cache, rd->cancel, err);
	if (small && !code)
		code = put_texts(&o, &part->names, run->cache, err);
	if (!code) {
		const struct ts_section_array array[] = {
			{&h.name_at, part->entry.memory, part->entry.used},
			{&h.at_at, o.at.memory, o.at.used},
			{&h.text_at, o.text.memory, o.text.used},
			{&h.always_at, part->always.memory, part->always.used},
		};

		h.numbers = (int64_t)(part->entry.used / sizeof(uint32_t));
		h.names = o.names;
		h.text_size = o.text.used;
		h.always = part->always.used / sizeof(struct ts_always_entry);
		h.always_bad = ts_report_has_column(run->report, TS_VARIABLE,
				       TS_VARIABLE_ALWAYS_LIVE)
			? part->always_bad
			: TS_UNKNOWN;
		code = ts_section_put_arrays(run->writer[0], &h, sizeof(h), array,
			small ? TS_COUNT(array) : 0, err);
	}
	ts_pile_fini(&o.first);
	ts_pile_fini(&o.at);
	ts_pile_fini(&o.text);
	return code;
}

const struct ts_pass ts_pass_names = {
	.what = "names of variables",
	.relation = TS_VARIABLE,
	.section = {TS_SECTION_NAMES, TS_SECTION_COUNT},
	.can = can,
	.part_size = sizeof(struct part),
	.part = read_part,
	.finish = finish,
	.part_fini = part_fini,
};

/* --- reading it ------------------------------------------------------------------------------- */

bool
ts_variable_names_of(struct ts_variable_names *v, const struct ts_index *x)
{
	size_t size;
	const void *payload = ts_index_section(x, TS_SECTION_NAMES, &size);
	const struct head *h = payload ? ts_section_at(payload, size, 0, 1, sizeof(*h)) : NULL;

	*v = (struct ts_variable_names){0};
	if (!h || h->flags & LEFT_TO_THE_ROWS || h->numbers < 0 || h->names < 0 ||
		h->names > UINT32_MAX)
		return false;
	v->name = ts_section_at(payload, size, h->name_at, (uint64_t)h->numbers, sizeof(*v->name));
	v->at = ts_section_at(payload, size, h->at_at, (uint64_t)h->names, sizeof(*v->at));
	v->text = ts_section_at(payload, size, h->text_at, h->text_size, 1);
	v->always = ts_section_at(payload, size, h->always_at, h->always, sizeof(*v->always));
	v->always_count = v->always ? (int64_t)h->always : 0;
	v->always_bad = v->always ? h->always_bad : TS_UNKNOWN;
	v->numbers = h->numbers;
	v->names = h->names;
	v->size = (size_t)h->text_size;
	return v->name && v->at && v->text && (v->size == 0 || v->text[v->size - 1] == '\0');
}

uint32_t
ts_variable_names_find(const struct ts_variable_names *v, int64_t variable)
{
	return variable >= 0 && variable < v->numbers ? v->name[variable] : 0;
}

const char *
ts_variable_names_text(const struct ts_variable_names *v, uint32_t name)
{
	uint32_t at = name > 0 && name <= v->names ? v->at[name - 1] : UINT32_MAX;

	return at < v->size ? v->text + at : "";
}
