/* SPDX-License-Identifier: MIT */
/* explain_common - see the header. */
#include "config.h"

#include <stdio.h>

#include "tilescope/view/explain_common.h"

enum ts_known
ts_known_of_mark(enum ts_mark m)
{
	static const enum ts_known known[TS_MARK_COUNT] = {
		[TS_MARK_UNKNOWN] = TS_KNOWN_DERIVED,
		[TS_MARK_MEASURED] = TS_KNOWN_MEASURED,
		[TS_MARK_REPEATED] = TS_KNOWN_REPEATED,
		[TS_MARK_ESTIMATED] = TS_KNOWN_ESTIMATED,
		[TS_MARK_PARTLY] = TS_KNOWN_DERIVED,
		[TS_MARK_ARTEFACT] = TS_KNOWN_MEASURED,
		[TS_MARK_REPLICA] = TS_KNOWN_MEASURED,
	};

	return known[m];
}

void
ts_explain_limit(struct ts_explain *out, const struct ts_target *t, enum ts_units units)
{
	struct ts_explained *x = ts_explain_add(out, "memory of a tile (the limit)");

	ts_explain_bytes(x, t->bytes_per_tile, units);
	if (t->assumed) {
		ts_explain_from(x, TS_KNOWN_ASSUMED, "the number of tiles and IPUs");
		ts_explain_formula(x, "%lld tiles an IPU are a %s: %lld bytes a tile",
			(long long)t->tiles_per_ipu,
			t->architecture[0] ? t->architecture : "known machine",
			(long long)t->bytes_per_tile);
		ts_explain_note(x, "no query: the report has no target");
		return;
	}
	ts_explain_from(x, TS_KNOWN_RECORDED, "target.bytes_per_tile");
	if (t->bytes_per_tile >= 0)
		ts_explain_query(x, "SELECT bytes_per_tile FROM target");
}

const char *
ts_explain_limit_sql(const struct ts_target *t, char out[64])
{
	if (t->assumed)
		snprintf(out, 64, "%lld", (long long)t->bytes_per_tile);
	else
		snprintf(out, 64, "(SELECT bytes_per_tile FROM target)");
	return out;
}

void
ts_explain_share(struct ts_explain *out, const char *title, int64_t part, int64_t whole,
	const char *from, const char *query)
{
	struct ts_explained *x = ts_explain_add(out, "%s", title);
	char text[TS_FMT_MAX];

	ts_explain_from(x, TS_KNOWN_DERIVED, "%s", from);
	if (part < 0 || whole <= 0) {
		x->unit = "%";
		return;
	}
	ts_explain_real(x, 100 * (double)part / (double)whole, "%");
	ts_explain_shown(x, "%s", ts_fmt_percent(text, (double)part, (double)whole));
	ts_explain_formula(x, "%lld / %lld", (long long)part, (long long)whole);
	if (query)
		ts_explain_query(x, "%s", query);
	else
		ts_explain_note(x, "no query: a part of it is assumed");
}

bool
ts_explain_tiles_sql(char *out, size_t size, const struct ts_tile_set *set)
{
	size_t used = 0;
	int64_t from = ts_tile_set_next(set, 0), to;

	out[0] = '\0';
	while (from >= 0) {
		for (to = from; ts_tile_set_has(set, to + 1); to++)
			;
		used += (size_t)snprintf(out + used, size - used,
			from == to ? "%stile = %lld" : "%stile BETWEEN %lld AND %lld",
			used ? " OR " : "(", (long long)from, (long long)to);
		if (used + 2 > size) {
			out[0] = '\0';
			return false;
		}
		from = ts_tile_set_next(set, to + 1);
	}
	if (used > 0)
		snprintf(out + used, size - used, ")");
	return used > 0;
}

void
ts_explain_left_out(struct ts_explain *out, int64_t rows, const char *what)
{
	for (int i = 0; i < out->count && rows > 0; i++)
		ts_explain_note(&out->figure[i],
			"%lld row%s of %s with bad numbers left out, which a query may not do",
			(long long)rows, rows == 1 ? "" : "s", what);
}
