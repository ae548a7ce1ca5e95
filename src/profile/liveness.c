/* SPDX-License-Identifier: MIT */
/* liveness - what is alive when: of the device and of IPUs as a running sum, of variables by class. */
#include "config.h"

#include "tilescope/base/mem.h"

#include "relations_internal.h"

/* What is added at a step: of the whole device where the file says so, else of all its IPUs. */
#define DEVICE_DELTA                                                                                  \
	"(SELECT step_id, add_up(delta_bytes) AS delta FROM @memory_not_always_live_by_step_and_ipu " \
	"WHERE (ipu IS NULL) = EXISTS (SELECT 1 FROM @memory_not_always_live_by_step_and_ipu "        \
	"WHERE ipu IS NULL) GROUP BY step_id)"

static const struct ts_profile_relation relations[] = {
	/* a parent comes before its children: one that does not ends the way up, so circles are none */
	{.name = "liveness_step",
		.needs = "depth_first_steps.id depth_first_steps.program_id",
		.sql = "SELECT s.id AS live_step, s.program_id AS program, s.parent_step_id AS parent, "
		       "(WITH RECURSIVE up(id, d) AS (SELECT s.parent_step_id, 0 UNION ALL "
		       "SELECT q.parent_step_id, d + 1 FROM up JOIN @depth_first_steps q ON q.id = up.id "
		       "WHERE d < 1000 AND coalesce(q.parent_step_id < q.id, 1)) SELECT max(d) FROM up) AS depth, "
		       "add_up(CASE WHEN m.step_id IS NULL THEN 0 ELSE coalesce(m.delta, '?') END) OVER (ORDER BY s.id) AS not_always_live "
		       "FROM @depth_first_steps s LEFT JOIN " DEVICE_DELTA " m ON m.step_id = s.id",
		.optional =
			"parent=depth_first_steps.parent_step_id depth=depth_first_steps.parent_step_id "
			"not_always_live=memory_not_always_live_by_step_and_ipu.delta_bytes"},
	{.name = "liveness_step_ipu",
		.needs = "depth_first_steps.id memory_not_always_live_by_step_and_ipu.ipu "
			 "memory_not_always_live_by_step_and_ipu.delta_bytes",
		.sql = "SELECT s.id AS live_step, i.ipu, add_up(CASE WHEN m.step_id IS NULL THEN 0 ELSE coalesce(m.delta, '?') END) "
		       "OVER (PARTITION BY i.ipu ORDER BY s.id) AS not_always_live "
		       "FROM @depth_first_steps s JOIN (SELECT DISTINCT ipu "
		       "FROM @memory_not_always_live_by_step_and_ipu WHERE ipu IS NOT NULL) i "
		       "LEFT JOIN (SELECT ipu, step_id, add_up(delta_bytes) AS delta "
		       "FROM @memory_not_always_live_by_step_and_ipu WHERE ipu IS NOT NULL "
		       "GROUP BY ipu, step_id) m ON m.ipu = i.ipu AND m.step_id = s.id "
		       "ORDER BY live_step, i.ipu"},
	{.name = "variable",
		.needs = "unlowered_vars.id unlowered_vars.name",
		/* one that no class has is nowhere: 0 bytes, where any has some */
		.sql = "SELECT u.id AS variable, u.name, coalesce(b.bytes, CASE WHEN b.id IS NULL THEN n.none END) AS bytes, "
		       "coalesce(b.always_live_bytes = b.bytes AND b.bytes > 0, 0) AS always_live, "
		       "coalesce(b.always_live_bytes, CASE WHEN b.id IS NULL THEN n.none END) AS always_live_bytes, "
		       "u.name GLOB '<*' OR u.name GLOB 'programId[0-9]*' OR u.name GLOB 'broadcastProgramId#*' "
		       "OR u.name IN (SELECT name FROM @var_categories) AS pseudo, "
		       "context_says(d.context, 'type') AS element_type, "
		       "context_says(d.context, 'shape') AS shape, d.context "
		       "FROM @unlowered_vars u LEFT JOIN (SELECT variable_id, min(first_item(ids)) AS context "
		       "FROM @debug_ids GROUP BY variable_id) d ON d.variable_id = u.id, (SELECT CASE WHEN EXISTS (SELECT 1 FROM @var_bytes_by_eq_class WHERE tile IS NULL) "
		       "THEN 0 END AS none) n LEFT JOIN (SELECT v.unlowered_var_id AS id, add_up(v.bytes) AS bytes, "
		       "add_up(CASE WHEN c.is_always_live THEN v.bytes ELSE 0 END) AS always_live_bytes "
		       "FROM @var_bytes_by_eq_class v LEFT JOIN @eq_classes c ON c.id = v.eq_class_id "
		       "WHERE v.tile IS NULL GROUP BY v.unlowered_var_id) b ON b.id = u.id",
		.optional =
			"bytes=var_bytes_by_eq_class.bytes "
			"always_live=eq_classes.is_always_live always_live_bytes=eq_classes.is_always_live context=debug_ids.ids "
			"element_type=debug_ids.ids shape=debug_ids.ids"},
	{.name = "liveness_variable",
		.needs = "var_bytes_by_eq_class.unlowered_var_id var_bytes_by_eq_class.eq_class_id "
			 "var_bytes_by_eq_class.bytes eq_class_step.eq_class_id",
		.sql = "SELECT v.unlowered_var_id AS variable, v.eq_class_id AS class, v.bytes, "
		       "c.is_always_live AS always_live, s.step_id_from AS start, s.step_id_to AS \"end\" "
		       "FROM @var_bytes_by_eq_class v JOIN @eq_class_step s ON s.eq_class_id = v.eq_class_id "
		       "LEFT JOIN @eq_classes c ON c.id = v.eq_class_id WHERE v.tile IS NULL "
		       "ORDER BY v.unlowered_var_id, v.eq_class_id, s.step_id_from",
		.optional = "always_live=eq_classes.is_always_live"},
	{.name = "tile_variable",
		.needs = "var_bytes_by_eq_class.unlowered_var_id var_bytes_by_eq_class.eq_class_id "
			 "var_bytes_by_eq_class.bytes var_bytes_by_eq_class.tile",
		.sql = "SELECT tile, unlowered_var_id AS variable, eq_class_id AS class, bytes "
		       "FROM @var_bytes_by_eq_class WHERE tile IS NOT NULL"},
};

const struct profile_group profile_liveness = {relations, TS_COUNT(relations)};
