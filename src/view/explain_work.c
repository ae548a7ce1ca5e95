/* SPDX-License-Identifier: MIT */
/* explain_work - see the header. */
#include "config.h"

#include "tilescope/view/explain_work.h"

/* The rows of step_ipu that count, with an IPU and two ends to be put in. */
#define ROWS                                                                                   \
	"FROM step_ipu JOIN step USING (step) WHERE ipu = %lld AND start >= %lld AND start < " \
	"%lld AND \"end\" > start AND "

void
ts_explain_traffic(struct ts_explain *out, int64_t ipu, int64_t from, int64_t to,
	const struct ts_step_work *w, enum ts_traffic kind, bool in, enum ts_units units)
{
	bool host = kind == TS_TRAFFIC_STREAM;
	int64_t bytes = in ? w->traffic[kind].in : w->traffic[kind].out;
	struct ts_explained *x = ts_explain_add(out, "bytes %s IPU %lld %s", in ? "into" : "out of",
		(long long)ipu, host ? "by streams of the host" : "by global exchange");

	ts_explain_bytes(x, bytes, units);
	ts_explain_from(x, TS_KNOWN_RECORDED, "step_ipu.data_%s", in ? "in" : "out");
	ts_explain_formula(x, "sum of data_%s of the %s steps that begin in the range",
		in ? "in" : "out", host ? "StreamCopy" : "GlobalExchange");
	if (bytes == TS_UNKNOWN)
		return;
	ts_explain_query(x, "SELECT sum(data_%s) " ROWS "type %s", in ? "in" : "out",
		(long long)ipu, (long long)from, (long long)to,
		host ? "LIKE 'StreamCopy%'" : "= 'GlobalExchange'");
}

void
ts_explain_tile_balance(struct ts_explain *out, int64_t ipu, int64_t from, int64_t to,
	const struct ts_step_work *w)
{
	struct ts_explained *x = ts_explain_add(out, "balance of the tiles of IPU %lld",
		(long long)ipu);
	char n[TS_FMT_MAX];

	if (w->all.cycles <= 0)
		return;
	ts_explain_real(x, 100 * ts_balance_share(&w->all), "%");
	ts_explain_shown(x, "%s", ts_fmt_percent(n, (double)w->all.mean, (double)w->all.cycles));
	ts_explain_from(x, TS_KNOWN_REPEATED, "step_ipu.tile_balance, cycles");
	ts_explain_formula(x,
		"100 x sum of the tiles' mean cycles %lld / cycles %lld, of %lld steps but for sync",
		(long long)w->all.mean, (long long)w->all.cycles, (long long)w->all.steps);
	ts_explain_query(x,
		"SELECT 100.0 * sum(cast(round(tile_balance * cycles) AS INTEGER)) / sum(cycles) " ROWS
		"tile_balance BETWEEN 0 AND 1 AND type NOT IN ('Sync', 'Sans', 'SyncAns')",
		(long long)ipu, (long long)from, (long long)to);
}

void
ts_explain_utilisation(struct ts_explain *out, int64_t ipu, int64_t from, int64_t to,
	const struct ts_step_work *w, int64_t span)
{
	struct ts_explained *x = ts_explain_add(out, "utilisation of the tiles of IPU %lld",
		(long long)ipu);
	char n[TS_FMT_MAX];

	ts_explain_from(x, TS_KNOWN_REPEATED, "step_ipu.tile_balance, cycles");
	if (w->compute.steps <= 0 || span <= 0) {
		ts_explain_note(x, "it has no compute steps");
		return;
	}
	ts_explain_real(x, 100 * (double)w->compute.mean / (double)span, "%");
	ts_explain_shown(x, "%s", ts_fmt_percent(n, (double)w->compute.mean, (double)span));
	ts_explain_formula(x,
		"100 x sum of the tiles' mean cycles %lld of %lld compute steps / cycles %lld",
		(long long)w->compute.mean, (long long)w->compute.steps, (long long)span);
	ts_explain_query(x,
		"SELECT 100.0 * sum(cast(round(tile_balance * cycles) AS INTEGER)) / %lld " ROWS
		"tile_balance BETWEEN 0 AND 1 AND type = 'OnTileExecute'",
		(long long)span, (long long)ipu, (long long)from, (long long)to);
}
