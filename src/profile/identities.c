/* SPDX-License-Identifier: MIT */
/*
 * identities - see the header.
 *
 * An identity is SQL over the tables (@table, as in relations.h) that gives the places where it is broken: a number
 * (of a tile, step, ...), what is recorded there, and what it should be.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/profile/identities.h"
#include "tilescope/profile/tables.h"

#include "relations_internal.h"

#define ALLOCATED "(v.bitset & 1)"

/* Bytes of a category: all six vectors. */
#define CATEGORY_BYTES                                                 \
	"numbers_sum('list', NULL, interleaved_non_overlapped) + "     \
	"numbers_sum('list', NULL, interleaved_overlapped) + "         \
	"numbers_sum('list', NULL, non_interleaved_non_overlapped) + " \
	"numbers_sum('list', NULL, non_interleaved_overlapped) + "     \
	"numbers_sum('list', NULL, overflowed_non_overlapped) + "      \
	"numbers_sum('list', NULL, overflowed_overlapped)"

static const struct {
	const char *needs; /* as of struct ts_profile_relation */
	const char *table, *what;
	const char *place; /* what the number is of; NULL: of the whole */
	const char *sql;
} identities[] = {
	{"target_info.num_tiles target_info.num_ipus target_info.tiles_per_ipu", "target_info",
		"tiles of all IPUs", NULL,
		"SELECT NULL, num_tiles, num_ipus * tiles_per_ipu FROM @target_info "
		"WHERE num_tiles <> num_ipus * tiles_per_ipu"},
	{"target_info.num_tiles memory_by_tile.tile", "memory_by_tile", "rows, one for each tile",
		NULL,
		"SELECT NULL, n, num_tiles FROM (SELECT count(*) AS n FROM @memory_by_tile), @target_info "
		"WHERE n <> num_tiles"},
	{"memory_by_tile.tile memory_by_tile.total memory_by_tile.interleaved "
	 "memory_by_tile.non_interleaved memory_by_tile.overflowed",
		"memory_by_tile", "total, and the sum of the regions", "tile",
		"SELECT tile, total, interleaved + non_interleaved + overflowed FROM @memory_by_tile "
		"WHERE total <> interleaved + non_interleaved + overflowed"},
	{"vars_info.bitset memory_by_tile.total_including_gaps", "memory_by_tile",
		"total_including_gaps, and the highest end of a variable", "tile",
		"SELECT m.tile, m.total_including_gaps, e.highest FROM @memory_by_tile m "
		"JOIN (SELECT v.tile, max(v.offset + v.size_bytes) AS highest FROM @vars_info v WHERE " ALLOCATED
		" GROUP BY v.tile) e ON e.tile = m.tile WHERE m.total_including_gaps <> e.highest"},
	{"vars_info.bitset memory_by_tile.total", "memory_by_tile",
		"total, and the places that variables take, each byte once", "tile",
		"SELECT m.tile, m.total, u.taken FROM @memory_by_tile m JOIN (SELECT tile, "
		"add_up(max(0, last - max(first, coalesce(before, 0)))) AS taken FROM (SELECT v.tile, "
		"v.offset AS first, v.offset + v.size_bytes AS last, max(v.offset + v.size_bytes) OVER "
		"(PARTITION BY v.tile ORDER BY v.offset, v.var_id ROWS BETWEEN UNBOUNDED PRECEDING AND "
		"1 PRECEDING) AS before FROM @vars_info v WHERE " ALLOCATED
		") GROUP BY tile) u ON u.tile = m.tile WHERE m.total <> u.taken"},
	{"vars_info.bitset vars_info.equivalence_class eq_classes.is_always_live "
	 "memory_by_tile.always_live_bytes",
		"memory_by_tile", "always_live_bytes, and bytes in classes that are", "tile",
		"SELECT m.tile, m.always_live_bytes, a.bytes FROM @memory_by_tile m "
		"JOIN (SELECT v.tile, add_up(v.size_bytes * e.is_always_live) AS bytes FROM @vars_info v "
		"JOIN @eq_classes e ON e.id = v.equivalence_class WHERE " ALLOCATED
		" GROUP BY v.tile) a ON a.tile = m.tile WHERE m.always_live_bytes <> a.bytes"},
	{"memory_not_always_live_by_step_and_ipu.delta_bytes var_bytes_by_eq_class.bytes "
	 "eq_class_step.step_id_to eq_classes.is_always_live",
		"memory_not_always_live_by_step_and_ipu",
		"what the device's live bytes change by, and what its variables do", "step",
		"SELECT step, add_up(recorded), add_up(made) FROM (SELECT step_id AS step, delta_bytes AS recorded, "
		"0 AS made FROM @memory_not_always_live_by_step_and_ipu WHERE ipu IS NULL "
		"UNION ALL SELECT s.step_id_from, 0, v.bytes FROM @var_bytes_by_eq_class v "
		"JOIN @eq_class_step s ON s.eq_class_id = v.eq_class_id "
		"JOIN @eq_classes e ON e.id = v.eq_class_id AND NOT e.is_always_live WHERE v.tile IS NULL "
		"UNION ALL SELECT s.step_id_to, 0, -v.bytes FROM @var_bytes_by_eq_class v "
		"JOIN @eq_class_step s ON s.eq_class_id = v.eq_class_id "
		"JOIN @eq_classes e ON e.id = v.eq_class_id AND NOT e.is_always_live WHERE v.tile IS NULL) "
		"WHERE step IN (SELECT id FROM @depth_first_steps) "
		"GROUP BY step HAVING add_up(recorded) <> add_up(made)"},
	{"memory_not_always_live_by_step_and_ipu.delta_bytes memory_not_always_live_by_step_and_ipu.ipu",
		"memory_not_always_live_by_step_and_ipu",
		"what the device's live bytes change by, and what those of its IPUs do", "step",
		"SELECT step_id, add_up(CASE WHEN ipu IS NULL THEN delta_bytes ELSE 0 END) AS device, "
		"add_up(CASE WHEN ipu IS NULL THEN 0 ELSE delta_bytes END) AS ipus "
		"FROM @memory_not_always_live_by_step_and_ipu GROUP BY step_id HAVING device <> ipus "
		"AND EXISTS (SELECT 1 FROM @memory_not_always_live_by_step_and_ipu WHERE ipu IS NOT NULL)"},
	{"var_bytes_by_eq_class.bytes var_bytes_by_eq_class.tile", "var_bytes_by_eq_class",
		"bytes of the device, and of its tiles", "variable",
		"SELECT unlowered_var_id, add_up(CASE WHEN tile IS NULL THEN bytes ELSE 0 END) AS device, "
		"add_up(CASE WHEN tile IS NULL THEN 0 ELSE bytes END) AS tiles FROM @var_bytes_by_eq_class "
		"GROUP BY unlowered_var_id, eq_class_id HAVING device <> tiles"},
	{"memory_by_category.category_id memory_by_category.overflowed_overlapped "
	 "memory_by_category.interleaved_non_overlapped memory_by_category.interleaved_overlapped "
	 "memory_by_category.non_interleaved_non_overlapped memory_by_category.non_interleaved_overlapped "
	 "memory_by_category.overflowed_non_overlapped vars_info.bitset vars_info.category "
	 "var_categories.name",
		"memory_by_category", "bytes, and the sizes of its variables", "category",
		"SELECT c.id, m.bytes, s.bytes FROM (SELECT category_id, " CATEGORY_BYTES
		" AS bytes FROM @memory_by_category) m JOIN @var_categories c ON c.name = m.category_id "
		"LEFT JOIN (SELECT v.category, add_up(v.size_bytes) AS bytes FROM @vars_info v WHERE " ALLOCATED
		" GROUP BY v.category) s ON s.category = c.id WHERE m.bytes <> coalesce(s.bytes, 0)"},
	{"programs.control_code_bytes_by_tile programs.children", "programs",
		"control code, and that of its children, which is part of it", "program",
		"SELECT p.id, numbers_sum('runs', NULL, p.control_code_bytes_by_tile), "
		"(SELECT add_up(numbers_sum('runs', NULL, k.control_code_bytes_by_tile)) "
		"FROM items('list', NULL, p.children) n JOIN @programs k ON k.id = n.v0 "
		"AND k.compilation_step_id IS p.compilation_step_id) FROM @programs p "
		"WHERE p.children IS NOT NULL AND p.control_code_bytes_by_tile IS NOT NULL "
		"AND by_tile('runs', NULL, p.control_code_bytes_by_tile) IS NOT NULL "
		"AND by_tile_minus(by_tile('runs', NULL, p.control_code_bytes_by_tile), "
		"(SELECT by_tile_sum('runs', NULL, k.control_code_bytes_by_tile) "
		"FROM items('list', NULL, p.children) n JOIN @programs k ON k.id = n.v0 "
		"AND k.compilation_step_id IS p.compilation_step_id)) IS NULL"},
	{"vertex_instances.instances_by_tile graph_info.num_vertices", "vertex_instances",
		"vertices, and those of graph_info", NULL,
		"SELECT NULL, n, num_vertices FROM (SELECT coalesce(add_up(numbers_sum('runs', NULL, "
		"instances_by_tile)), 0) AS n FROM @vertex_instances), @graph_info WHERE n <> num_vertices"},
	{"compute_sets.edge_count graph_info.num_edges", "compute_sets",
		"edges, and those of graph_info", NULL,
		"SELECT NULL, n, num_edges FROM (SELECT coalesce(add_up(edge_count), 0) AS n FROM @compute_sets), "
		"@graph_info WHERE n <> num_edges"},
	{"compute_sets.compute_set graph_info.num_compute_sets", "compute_sets",
		"rows, and compute sets of graph_info", NULL,
		"SELECT NULL, n, num_compute_sets FROM (SELECT count(*) AS n FROM @compute_sets), @graph_info "
		"WHERE n <> num_compute_sets"},
	{"vars_info.var_id graph_info.num_vars", "vars_info", "rows, and variables of graph_info",
		NULL,
		"SELECT NULL, n, num_vars FROM (SELECT count(*) AS n FROM @vars_info), @graph_info "
		"WHERE n <> num_vars"},
	{"exchange_regions.regions program_type_do_exchange.bytes_sent_by_tile_rle "
	 "program_type_do_exchange.source_regions_id",
		"program_type_do_exchange", "bytes sent, and those of the regions that are read",
		"exchange",
		"SELECT e.id, numbers_sum('runs', NULL, e.bytes_sent_by_tile_rle) AS sent, g.bytes "
		"FROM @program_type_do_exchange e JOIN (SELECT id, add_up(region_bytes(regions)) AS bytes "
		"FROM @exchange_regions GROUP BY id) g ON g.id = e.source_regions_id WHERE sent <> g.bytes"},
	{"exchange_regions.regions program_type_do_exchange.bytes_received_by_tile_rle "
	 "program_type_do_exchange.destination_regions_id",
		"program_type_do_exchange",
		"bytes received, and those of the regions that are written", "exchange",
		"SELECT e.id, numbers_sum('runs', NULL, e.bytes_received_by_tile_rle) AS got, g.bytes "
		"FROM @program_type_do_exchange e JOIN (SELECT id, add_up(region_bytes(regions)) AS bytes "
		"FROM @exchange_regions GROUP BY id) g ON g.id = e.destination_regions_id WHERE got <> g.bytes"},
	{"runs.num_steps steps.id", "runs", "steps of all runs, and rows of steps", NULL,
		"SELECT NULL, n, m FROM (SELECT coalesce(add_up(num_steps), 0) AS n, count(*) AS runs FROM @runs), "
		"(SELECT count(*) AS m FROM @steps) WHERE runs > 0 AND n <> m"},
	/* what vectors by tile mean, on the first rows: nobody has seen one with rows */
	{"steps_by_ipu.tile_cycles_id steps_by_ipu.cycles cycles_by_tile.cycles_by_tile_rle",
		"cycles_by_tile", "cycles of a step, and the most of its tiles", "step",
		"SELECT s.step_id, s.cycles, (SELECT max(n.v0) FROM items('runs', NULL, c.cycles_by_tile_rle) n) "
		"AS most FROM (SELECT * FROM @steps_by_ipu LIMIT 1000) s "
		"JOIN @cycles_by_tile c ON c.id = s.tile_cycles_id WHERE most <> s.cycles"},
	{"steps_by_ipu.tile_cycles_id steps_by_ipu.active_tiles cycles_by_tile.cycles_by_tile_rle",
		"cycles_by_tile", "active tiles of a step, and tiles with cycles", "step",
		"SELECT s.step_id, s.active_tiles, (SELECT add_up(n.v0 > 0) "
		"FROM items('runs', NULL, c.cycles_by_tile_rle) n) AS active "
		"FROM (SELECT * FROM @steps_by_ipu LIMIT 1000) s "
		"JOIN @cycles_by_tile c ON c.id = s.tile_cycles_id WHERE active <> s.active_tiles"},
};

static bool
ends_all(enum ts_code code)
{
	return code == TS_E_CANCELLED || code == TS_E_NOMEM || code == TS_E_SYS;
}

/* The first place that is broken, and how many there are. */
static enum ts_code
look(struct ts_db *db, size_t i, const struct ts_schema *schema, ts_profile_broken_fn *broken,
	void *ctx, struct ts_err *err)
{
	const struct ts_profile_relation r = {.needs = identities[i].needs,
		.sql = identities[i].sql};
	char lacking[100], sentence[400];
	struct ts_strbuf sql;
	sqlite3_stmt *stmt;
	int64_t places = 0;
	enum ts_code code;
	bool row;

	if (!ts_profile_relation_fits(&r, schema, lacking, sizeof(lacking)))
		return TS_OK;
	ts_strbuf_init(&sql, TS_PROFILE_RELATION_SQL);
	ts_profile_relation_sql(&sql, &r, schema);
	code = ts_db_prepare_sql(db, &stmt, &sql, err);
	if (code)
		return ends_all(code) ? code : TS_OK;
	while (!(code = ts_db_step(db, stmt, &row, err)) && row) {
		if (places++ > 0)
			continue;
		snprintf(sentence, sizeof(sentence), "%s: %s: %lld and %lld", identities[i].table,
			identities[i].what, (long long)sqlite3_column_int64(stmt, 1),
			(long long)sqlite3_column_int64(stmt, 2));
		if (identities[i].place)
			snprintf(sentence + strlen(sentence), sizeof(sentence) - strlen(sentence),
				" at %s %lld", identities[i].place,
				(long long)sqlite3_column_int64(stmt, 0));
	}
	ts_db_release(db, stmt);
	if (places > 1)
		snprintf(sentence + strlen(sentence), sizeof(sentence) - strlen(sentence),
			", and differ at %lld more places", (long long)places - 1);
	if (places > 0)
		broken(ctx, sentence);
	return ends_all(code) ? code : TS_OK;
}

/* ---- blobs ---- */

static const char *const kinds[TS_BLOB_KINDS] =
	{[TS_BLOB_LIST] = "list", [TS_BLOB_RUNS] = "runs", [TS_BLOB_DIFFERENCES] = "differences"};

/* How many numbers a blob of the column has to have, as SQL. */
static const char *
count_of(enum ts_blob_of of)
{
	static const char *const counts[] = {
		[TS_BLOB_OF_ANY] = "NULL",
		[TS_BLOB_OF_TILE] = TILES,
		[TS_BLOB_OF_IPU_TILES] = IPU_TILES,
		[TS_BLOB_OF_IPU] = "(SELECT num_ipus FROM @target_info)",
	};

	return counts[of];
}

/* Blobs of a column that do not decode to as many numbers as they should have. */
static enum ts_code
look_at_blobs(struct ts_db *db, const struct ts_profile_table *t, const struct ts_profile_column *c,
	const struct ts_schema *schema, ts_profile_broken_fn *broken, void *ctx, struct ts_err *err)
{
	struct ts_profile_relation r = {.needs = ""};
	char text[600], sentence[300];
	struct ts_strbuf sql;
	int64_t bad = 0;
	bool found;
	enum ts_code code;

	snprintf(text, sizeof(text),
		"SELECT count(*) FROM @%s WHERE \"%s\" IS NOT NULL AND numbers_sum('%s', %s, \"%s\") IS NULL",
		t->name, c->name, kinds[c->blob], count_of(c->of), c->name);
	r.sql = text;
	ts_strbuf_init(&sql, TS_PROFILE_RELATION_SQL);
	ts_profile_relation_sql(&sql, &r, schema);
	code = sql.nomem ? ts_err_nomem(err) : ts_db_int(db, &bad, &found, sql.s, err);
	ts_strbuf_fini(&sql);
	if (!code && bad > 0) {
		snprintf(sentence, sizeof(sentence),
			"%s: %lld of the vectors in %s cannot be read: their figures are not known",
			t->name, (long long)bad, c->name);
		broken(ctx, sentence);
	}
	return ends_all(code) ? code : TS_OK;
}

enum ts_code
ts_profile_identities(struct ts_db *db, const struct ts_schema *schema,
	ts_profile_broken_fn *broken, void *ctx, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (int i = 0; !code && i < ts_profile_tables_count; i++) {
		const struct ts_profile_table *t = &ts_profile_tables[i];
		const struct ts_object *o = ts_schema_find(schema, t->name);

		for (int c = 0; !code && o && !o->problem && c < t->columns; c++)
			if (t->column[c].type == TS_DECLARED_BLOB &&
				ts_object_column(o, t->column[c].name) >= 0)
				code = look_at_blobs(db, t, &t->column[c], schema, broken, ctx,
					err);
	}
	for (size_t i = 0; !code && i < TS_COUNT(identities); i++)
		code = look(db, i, schema, broken, ctx, err);
	return code;
}
