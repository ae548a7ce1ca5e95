/* SPDX-License-Identifier: MIT */
/* target - see the header. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/target.h"

static const struct {
	const char *architecture;
	int64_t tiles, bytes;
} machines[] = {
	{"Mk2", 1472, 638976},
	{"Mk1", 1216, 262144},
};

int64_t
ts_step_ipus(const struct ts_report *r)
{
	return ts_report_has(r, TS_STEP_IPU) ? r->binding[TS_STEP_IPU].ipus : 0;
}

void
ts_target_assume(struct ts_target *t, int64_t tiles, int64_t step_ipus)
{
	*t = (struct ts_target){.ipus = TS_UNKNOWN,
		.replicas = TS_UNKNOWN,
		.tiles_per_ipu = TS_UNKNOWN,
		.bytes_per_tile = TS_UNKNOWN,
		.assumed = true};
	for (size_t i = 0; i < TS_COUNT(machines) && t->ipus == TS_UNKNOWN; i++) {
		int64_t quotient = tiles / machines[i].tiles;

		if (tiles <= 0 || tiles % machines[i].tiles != 0 ||
			(step_ipus > 0 && quotient % step_ipus != 0))
			continue;
		t->ipus = quotient;
		t->tiles_per_ipu = machines[i].tiles;
		t->bytes_per_tile = machines[i].bytes;
		snprintf(t->architecture, sizeof(t->architecture), "%s", machines[i].architecture);
	}
	if (t->ipus == TS_UNKNOWN && tiles > 0 && step_ipus > 0 && tiles % step_ipus == 0) {
		t->ipus = step_ipus;
		t->tiles_per_ipu = tiles / step_ipus;
	}
	if (t->ipus != TS_UNKNOWN && step_ipus > 0)
		t->replicas = t->ipus / step_ipus;
}

enum { G_TYPE, G_ARCHITECTURE, G_IPUS, G_REPLICAS, G_TILES, G_BYTES, G_CLOCK, G_COLUMNS };

static void
copy_text(char out[TS_TARGET_NAME], struct ts_rows *rows, int i)
{
	const char *s;
	size_t n;

	if (ts_rows_text(rows, i, &s, &n) == TS_VALUE_OK)
		snprintf(out, TS_TARGET_NAME, "%.*s", (int)ts_min_i64((int64_t)n, TS_TARGET_NAME),
			s);
}

static void
recorded(struct ts_target *t, struct ts_rows *rows)
{
	*t = (struct ts_target){.ipus = ts_rows_known(rows, G_IPUS),
		.replicas = ts_rows_known(rows, G_REPLICAS),
		.tiles_per_ipu = ts_rows_known(rows, G_TILES),
		.bytes_per_tile = ts_rows_known(rows, G_BYTES)};
	copy_text(t->type, rows, G_TYPE);
	copy_text(t->architecture, rows, G_ARCHITECTURE);
	if (ts_rows_real(rows, G_CLOCK, &t->clock_hz) != TS_VALUE_OK || t->clock_hz <= 0)
		t->clock_hz = 0;
}

enum ts_code
ts_target_read(struct ts_target *t, struct ts_reader *rd, int64_t tiles, int64_t step_ipus,
	struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_TARGET_TYPE, TS_TARGET_ARCHITECTURE,
					  TS_TARGET_IPUS, TS_TARGET_REPLICAS,
					  TS_TARGET_TILES_PER_IPU, TS_TARGET_BYTES_PER_TILE,
					  TS_TARGET_CLOCK_HZ},
		.column_count = G_COLUMNS,
		.limit = 1};
	struct ts_rows *rows;
	enum ts_code code;
	bool there = false;

	ts_target_assume(t, tiles, step_ipus);
	if (!ts_report_has(rd->report, TS_TARGET))
		return TS_OK;
	code = ts_reader_rows(&rows, rd, TS_TARGET, &q, err);
	if (code)
		return code;
	code = ts_rows_next(rows, &there, err);
	if (!code && there)
		recorded(t, rows);
	ts_rows_close(rows);
	return code;
}

static bool
is_grave(enum ts_code code)
{
	return code == TS_E_CANCELLED || code == TS_E_NOMEM || code == TS_E_SYS;
}

enum ts_code
ts_target_of(struct ts_target *t, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_tiles tiles = {0};
	enum ts_code code = ts_tiles_read(&tiles, rd, err);
	int64_t rows = code || tiles.partial ? 0 : tiles.rows;

	ts_tiles_fini(&tiles);
	ts_target_assume(t, 0, 0);
	if (!is_grave(code))
		code = ts_target_read(t, rd, rows, ts_step_ipus(rd->report), err);
	return is_grave(code) ? code : TS_OK;
}
