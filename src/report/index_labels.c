/* SPDX-License-Identifier: MIT */
/*
 * index_labels - a head and a byte a variable. Matching hundreds of thousands of names takes a second, and they change
 * with the report only, or with the rules: those are known by a hash.
 */
#include "config.h"

#include <string.h>

#include "tilescope/report/index_labels.h"

struct head {
	uint64_t rules, count, group_at;
};

static bool
take(struct ts_kept_labels *l, struct ts_index *x, const struct ts_groups *g)
{
	size_t size;
	const void *payload = ts_index_section(x, TS_SECTION_LABELS, &size);
	const struct head *h = payload ? ts_section_at(payload, size, 0, 1, sizeof(*h)) : NULL;
	const unsigned char *group;
	int groups = ts_groups_count(g);

	if (!h || h->rules != ts_groups_hash(g))
		return false;
	group = ts_section_at(payload, size, h->group_at, h->count, 1);
	if (!group)
		return false;
	for (size_t i = 0; i < h->count; i++)
		if (group[i] > groups)
			return false;
	*l = (struct ts_kept_labels){(size_t)h->count, group, ts_index_hold(x)};
	return true;
}

bool
ts_labels_kept(struct ts_kept_labels *out, struct ts_reader *rd, const struct ts_cache *cache,
	const struct ts_groups *g)
{
	struct ts_index *with;
	bool taken;

	*out = (struct ts_kept_labels){0};
	if (take(out, rd->index, g))
		return true;
	if (!cache || !cache->dir ||
		ts_index_with(&with, rd->index, TS_SECTION_LABELS, cache, rd->report, NULL))
		return false;
	taken = take(out, with, g);
	ts_index_release(with);
	return taken;
}

void
ts_kept_labels_fini(struct ts_kept_labels *l)
{
	ts_index_release(l->index);
	*l = (struct ts_kept_labels){0};
}

enum ts_code
ts_labels_keep(struct ts_reader *rd, const struct ts_cache *cache, const struct ts_groups *g,
	const unsigned char *group, size_t count, struct ts_err *err)
{
	struct head h = {.rules = ts_groups_hash(g), .count = count};
	const struct ts_section_array array[] = {{&h.group_at, group, count}};
	struct ts_section_writer *w;
	enum ts_code code = ts_section_create(&w, cache, rd->report, TS_SECTION_LABELS, err);

	if (code)
		return code;
	ts_section_set_cancel(w, rd->cancel);
	code = ts_section_put_arrays(w, &h, sizeof(h), array, 1, err);
	if (!code)
		return ts_section_commit(w, err);
	ts_section_abandon(w);
	return code;
}
