-- The store: an SQLite file with every relation of the report model under its own name.
-- Recognised by the row store_version of "report". There are no indexes: rows lie in the order of
-- their first columns, and a column that numbers the rows of a relation is its row id.

CREATE TABLE "report" ("key" TEXT, "value" TEXT);
CREATE TABLE "target" ("type" TEXT, "architecture" TEXT, "ipus" INTEGER, "replicas" INTEGER,
	"tiles_per_ipu" INTEGER, "bytes_per_tile" INTEGER, "clock_hz" REAL);
CREATE TABLE "engine_option" ("scope" TEXT, "key" TEXT, "value" TEXT);
CREATE TABLE "host" ("key" TEXT, "value" TEXT);
CREATE TABLE "graph_count" ("name" TEXT, "value" INTEGER);
CREATE TABLE "ipu" ("ipu" INTEGER, "replica" INTEGER, "first_tile" INTEGER, "tile_count" INTEGER);

CREATE TABLE "tile_memory" ("tile" INTEGER PRIMARY KEY, "ipu" INTEGER, "physical" INTEGER,
	"total" INTEGER, "total_gaps" INTEGER, "non_interleaved" INTEGER, "interleaved" INTEGER,
	"overflowed" INTEGER, "always_live" INTEGER, "not_always_live_peak" INTEGER);
CREATE TABLE "memory_category" ("category" INTEGER PRIMARY KEY, "name" TEXT);
CREATE TABLE "tile_category" ("tile" INTEGER, "category" INTEGER, "region" TEXT,
	"not_overlapped" INTEGER, "overlapped" INTEGER);
CREATE TABLE "vertex_type" ("vertex_type" INTEGER PRIMARY KEY, "name" TEXT, "state_bytes" INTEGER);
CREATE TABLE "tile_vertex" ("tile" INTEGER, "vertex_type" INTEGER, "code_bytes" INTEGER);
CREATE TABLE "class_interval" ("class" INTEGER, "start" INTEGER, "end" INTEGER);
CREATE TABLE "memory_element" ("element" INTEGER PRIMARY KEY, "offset" INTEGER, "bytes" INTEGER,
	"interleaved" INTEGER);

CREATE TABLE "program" ("program" INTEGER PRIMARY KEY, "type" TEXT, "name" TEXT,
	"compute_set" INTEGER, "repeat_count" INTEGER, "context" INTEGER,
	"control_code_by_tile" BLOB, "code_by_tile" BLOB, "estimated_cycles_by_tile" BLOB,
	"cycles_by_tile" BLOB, "bytes_in_by_tile" BLOB, "bytes_out_by_tile" BLOB);
CREATE TABLE "program_child" ("parent" INTEGER, "position" INTEGER, "child" INTEGER);
CREATE TABLE "program_root" ("kind" TEXT, "position" INTEGER, "program" INTEGER);
CREATE TABLE "compute_set" ("compute_set" INTEGER PRIMARY KEY, "name" TEXT, "context" INTEGER,
	"estimated_cycles_by_tile" BLOB, "cycles_by_tile" BLOB);
CREATE TABLE "compute_set_vertex" ("compute_set" INTEGER, "vertex_type" INTEGER,
	"instances" INTEGER, "count_by_tile" BLOB);

CREATE TABLE "liveness_step" ("live_step" INTEGER PRIMARY KEY, "program" INTEGER,
	"not_always_live" INTEGER);
CREATE TABLE "liveness_step_ipu" ("live_step" INTEGER, "ipu" INTEGER, "not_always_live" INTEGER);
CREATE TABLE "variable" ("variable" INTEGER PRIMARY KEY, "name" TEXT, "bytes" INTEGER,
	"always_live" INTEGER, "element_type" TEXT, "context" INTEGER);
CREATE TABLE "liveness_variable" ("variable" INTEGER, "start" INTEGER, "end" INTEGER);
CREATE TABLE "tile_always_live" ("tile" INTEGER, "name" TEXT, "bytes" INTEGER);

CREATE TABLE "context" ("context" INTEGER PRIMARY KEY, "parent" INTEGER, "layer" TEXT, "name" TEXT,
	"file" TEXT, "function" TEXT, "line" INTEGER, "details" TEXT);
CREATE TABLE "operation" ("operation" INTEGER PRIMARY KEY, "layer" TEXT, "name" TEXT,
	"debug_name" TEXT, "context" INTEGER, "first_step" INTEGER, "last_step" INTEGER);
CREATE TABLE "operation_program" ("operation" INTEGER, "program" INTEGER);
CREATE TABLE "operation_variable" ("operation" INTEGER, "lowered_variable" INTEGER);
CREATE TABLE "program_variable" ("program" INTEGER, "lowered_variable" INTEGER);

CREATE TABLE "lowered_variable" ("id" INTEGER PRIMARY KEY, "tile" INTEGER, "name" TEXT,
	"bytes" INTEGER, "offset" INTEGER, "alignment" INTEGER, "category" INTEGER, "class" INTEGER,
	"variable" INTEGER, "always_live" INTEGER, "element_type" TEXT, "context" INTEGER);

-- The execution part: absent from the store of a program that did not fit.
CREATE TABLE "run" ("run" INTEGER PRIMARY KEY, "name" TEXT, "start_us" INTEGER, "end_us" INTEGER,
	"first_step" INTEGER, "step_count" INTEGER);
CREATE TABLE "block" ("tile" INTEGER, "seq" INTEGER, "program" INTEGER, "name" TEXT, "kind" TEXT,
	"cycles_from" INTEGER, "cycles_to" INTEGER);
CREATE TABLE "step" ("step" INTEGER PRIMARY KEY, "run" INTEGER, "type" TEXT, "program" INTEGER,
	"compute_set" INTEGER, "name" TEXT, "sync_type" TEXT);
CREATE TABLE "step_ipu" ("step" INTEGER, "ipu" INTEGER, "cycles" INTEGER, "start" INTEGER,
	"end" INTEGER, "active_tiles" INTEGER, "active_start_max" INTEGER, "active_end_min" INTEGER,
	"data_in" INTEGER, "data_out" INTEGER, "tile_balance" REAL, "active_tile_balance" REAL);
