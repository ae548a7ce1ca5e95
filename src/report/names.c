/* SPDX-License-Identifier: MIT */
/* names - see the header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/names.h"
#include "tilescope/report/rows.h"

static bool
keep(struct ts_names *names, int64_t id, const char *s, size_t n)
{
	void *p = names->name;

	if (n > TS_NAME_MAX)
		n = TS_NAME_MAX;
	if (names->text_used + n + names->count * sizeof(*names->name) > TS_NAMES_BYTES) {
		names->left_out++;
		return true;
	}
	if (!ts_room(&p, &names->cap, names->count, sizeof(*names->name)))
		return false;
	names->name = p;
	if (names->text_used + n >= names->text_cap) { /* an empty name has a place, too */
		size_t cap = names->text_cap * 2 + n + 4096;
		char *bigger = ts_resize(names->text, cap, 1);

		if (!bigger)
			return false;
		names->text = bigger;
		names->text_cap = cap;
	}
	if (n > 0)
		memcpy(names->text + names->text_used, s, n);
	names->name[names->count++] = (struct ts_name){id, (uint32_t)names->text_used, (uint32_t)n};
	names->text_used += n;
	return true;
}

static int
by_id(const void *a, const void *b)
{
	const struct ts_name *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* They mostly stand in the order of their ids. */
static void
sort(struct ts_names *names)
{
	for (size_t i = 1; i < names->count; i++)
		if (names->name[i - 1].id > names->name[i].id) {
			qsort(names->name, names->count, sizeof(*names->name), by_id);
			return;
		}
}

static void
may_be_shared(struct ts_names *names)
{
	names->uses = ts_alloc(1, sizeof(*names->uses));
	if (names->uses)
		atomic_init(names->uses, 1);
}

enum ts_code
ts_names_read(struct ts_names *names, struct ts_reader *rd, enum ts_relation relation, int id,
	int text, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {id, text}, .column_count = 2, .past_damage = true};
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	*names = (struct ts_names){0};
	may_be_shared(names); /* those of which nothing can be read, too */
	if (!ts_report_has(rd->report, relation))
		return TS_OK;
	code = ts_reader_rows(&rows, rd, relation, &q, err);
	if (code) {
		names->rows = -1;
		return code;
	}
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		const char *s;
		size_t n;
		int64_t key;

		if (ts_rows_number(rows, 0, &key) != TS_VALUE_OK) {
			names->bad_rows++;
			continue;
		}
		names->rows++;
		if (ts_rows_text(rows, 1, &s, &n) == TS_VALUE_OK && !keep(names, key, s, n)) {
			code = ts_err_nomem(err);
			break;
		}
	}
	ts_rows_close(rows);
	if (code)
		names->rows = -1;
	sort(names);
	return code;
}

bool
ts_names_share(struct ts_names *to, const struct ts_names *from)
{
	if (!from->uses)
		return false;
	atomic_fetch_add(from->uses, 1);
	*to = *from;
	return true;
}

void
ts_names_fini(struct ts_names *names)
{
	if (!names->uses || atomic_fetch_sub(names->uses, 1) == 1) {
		free(names->name);
		free(names->text);
		free(names->uses);
	}
	*names = (struct ts_names){0};
}

size_t
ts_names_place(const struct ts_names *names, int64_t id)
{
	size_t low = 0, high = names->count;
	uint64_t even = names->count ? (uint64_t)id - (uint64_t)names->name[0].id : 0;

	/* there it is where no id is missing, and none comes twice */
	if (even < names->count && names->name[even].id == id &&
		(even == 0 || names->name[even - 1].id < id))
		return even;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (names->name[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < names->count && names->name[low].id == id ? low : names->count;
}

const char *
ts_names_find(const struct ts_names *names, int64_t id, size_t *n)
{
	size_t i = ts_names_place(names, id);

	*n = 0;
	if (i == names->count)
		return NULL;
	*n = names->name[i].length;
	return names->text + names->name[i].at;
}
