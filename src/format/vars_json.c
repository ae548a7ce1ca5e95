/* SPDX-License-Identifier: MIT */
/*
 * vars_json - see the header.
 *
 * yajl calls back for each token; where in the file we are is a short stack of places.
 */
#include "config.h"

#include "tilescope/format/vars_json.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"

#include "json_stream.h"

enum { DIGITS = 32 };

/* Where in the file a value stands. */
enum place {
	PLACE_OUTSIDE, /* not begun */
	PLACE_TOP,
	PLACE_MEMORY,	/* targetMemoryInfo */
	PLACE_ELEMENTS, /* its memoryElementOffsets */
	PLACE_VARS,
	PLACE_VAR,
	PLACE_INFO,
	PLACE_OTHER, /* what nobody here wants */
};

struct reader {
	struct ts_vars_target *target;
	const struct ts_vars_sink *sink;
	struct ts_err *err;
	struct json_stream stream;
	enum place place[TS_VARS_DEPTH];
	int depth;	       /* place[depth] is the innermost */
	const struct key *key; /* of the value that comes; NULL: none that is known */
	struct ts_vars_variable variable;
};

/* --- keys ------------------------------------------------------------------------------------- */

static void
take_name(struct reader *r, const char *text, size_t n)
{
	r->variable.name_len = n < TS_VARS_NAME ? n : TS_VARS_NAME;
	memcpy(r->variable.name, text, r->variable.name_len);
}

static void
take_category(struct reader *r, const char *text, size_t n)
{
	r->variable.category_len = n < TS_VARS_CATEGORY ? n : TS_VARS_CATEGORY;
	memcpy(r->variable.category, text, r->variable.category_len);
}

#define VARIABLE(member) offsetof(struct ts_vars_variable, member)
#define TARGET(member) offsetof(struct ts_vars_target, member)
#define NOWHERE SIZE_MAX

/* What is known of a place: where a number goes, who takes a text, and where an object or array leads to. */
static const struct key {
	enum place in;
	const char *name;
	size_t number; /* offset in the variable or the target; NOWHERE: no number */
	void (*text)(struct reader *r, const char *text, size_t n);
	enum place leads;
} keys[] = {
	{PLACE_TOP, "numTiles", TARGET(tiles), NULL, PLACE_OTHER},
	{PLACE_TOP, "targetMemoryInfo", NOWHERE, NULL, PLACE_MEMORY},
	{PLACE_TOP, "vars", NOWHERE, NULL, PLACE_VARS},
	{PLACE_MEMORY, "tileMemory", TARGET(tile_bytes), NULL, PLACE_OTHER},
	{PLACE_MEMORY, "interleavedMemoryStart", TARGET(interleaved_start), NULL, PLACE_OTHER},
	{PLACE_MEMORY, "memoryElementOffsets", NOWHERE, NULL, PLACE_ELEMENTS},
	{PLACE_VAR, "var", VARIABLE(number), NULL, PLACE_OTHER},
	{PLACE_VAR, "info", NOWHERE, NULL, PLACE_INFO},
	{PLACE_INFO, "allocated", VARIABLE(allocated), NULL, PLACE_OTHER},
	{PLACE_INFO, "tile", VARIABLE(tile), NULL, PLACE_OTHER},
	{PLACE_INFO, "name", NOWHERE, take_name, PLACE_OTHER},
	{PLACE_INFO, "sizeBytes", VARIABLE(bytes), NULL, PLACE_OTHER},
	{PLACE_INFO, "alignment", VARIABLE(alignment), NULL, PLACE_OTHER},
	{PLACE_INFO, "offset", VARIABLE(offset), NULL, PLACE_OTHER},
	{PLACE_INFO, "category", NOWHERE, take_category, PLACE_OTHER},
	{PLACE_INFO, "alwaysLive", VARIABLE(always_live), NULL, PLACE_OTHER},
	{PLACE_INFO, "equivalenceClass", VARIABLE(equivalence_class), NULL, PLACE_OTHER},
};

static int
on_key(void *ctx, const unsigned char *name, size_t n)
{
	struct reader *r = ctx;

	r->stream.called = true;
	r->key = NULL;
	for (size_t i = 0; i < TS_COUNT(keys); i++)
		if (keys[i].in == r->place[r->depth] && strlen(keys[i].name) == n &&
			memcmp(keys[i].name, name, n) == 0)
			r->key = &keys[i];
	return 1;
}

/* --- values ----------------------------------------------------------------------------------- */

static void
take_number(struct reader *r, int64_t value)
{
	enum place in = r->place[r->depth];
	char *to = in == PLACE_VAR || in == PLACE_INFO ? (char *)&r->variable : (char *)r->target;

	if (r->key && r->key->number != NOWHERE)
		memcpy(to + r->key->number, &value, sizeof(value));
	r->key = NULL;
}

/* An element's offset is a value of an array: no key stands before it. */
static void
take_element(struct reader *r, int64_t value)
{
	if (r->target->elements < TS_VARS_ELEMENTS)
		r->target->element_offset[r->target->elements++] = value;
}

/* A whole number, also when it is written as 1e3 or 4.0. */
static int64_t
whole(const char *text, size_t n)
{
	char copy[DIGITS + 1];
	long long value;
	double real;
	char *end;

	if (n > DIGITS)
		return TS_VARS_UNKNOWN;
	memcpy(copy, text, n);
	copy[n] = '\0';
	value = strtoll(copy, &end, 10);
	if (*end == '\0')
		return value;
	real = strtod(copy, &end);
	if (*end == '\0' && real > -9e15 && real < 9e15 && real == (double)(int64_t)real)
		return (int64_t)real;
	return TS_VARS_UNKNOWN;
}

static int
on_number(void *ctx, const char *text, size_t n)
{
	struct reader *r = ctx;

	r->stream.called = true;
	if (r->place[r->depth] == PLACE_ELEMENTS)
		take_element(r, whole(text, n));
	else
		take_number(r, whole(text, n));
	return 1;
}

static int
on_boolean(void *ctx, int value)
{
	struct reader *r = ctx;

	r->stream.called = true;
	take_number(r, value);
	return 1;
}

static int
on_null(void *ctx)
{
	struct reader *r = ctx;

	r->stream.called = true;
	r->key = NULL;
	return 1;
}

static int
on_string(void *ctx, const unsigned char *text, size_t n)
{
	struct reader *r = ctx;

	r->stream.called = true;
	if (r->key && r->key->text)
		r->key->text(r, (const char *)text, n);
	r->key = NULL;
	return 1;
}

/* --- objects and arrays ----------------------------------------------------------------------- */

static void
begin_variable(struct ts_vars_variable *v)
{
	v->number = v->tile = v->bytes = v->offset = v->alignment = v->equivalence_class =
		v->always_live = v->allocated = TS_VARS_UNKNOWN;
	v->name_len = v->category_len = 0;
}

/* The place that a value here leads to; `array`: it is one. */
static enum place
leads(const struct reader *r, bool array)
{
	enum place in = r->place[r->depth];
	enum place to = r->key ? r->key->leads : PLACE_OTHER;

	if (in == PLACE_OUTSIDE)
		return array ? PLACE_OTHER : PLACE_TOP;
	if (in == PLACE_VARS)
		return array ? PLACE_OTHER : PLACE_VAR;
	return (to == PLACE_VARS || to == PLACE_ELEMENTS) == array ? to : PLACE_OTHER;
}

static int
enter(struct reader *r, bool array)
{
	enum place to = leads(r, array);

	r->stream.called = true;
	if (r->depth + 1 >= TS_VARS_DEPTH) {
		r->stream.code = ts_err_set(r->err, TS_E_DAMAGED, "nested deeper than %d",
			TS_VARS_DEPTH - 1);
		return 0;
	}
	if (to == PLACE_VAR)
		begin_variable(&r->variable);
	r->place[++r->depth] = to;
	r->key = NULL;
	return 1;
}

static int
leave(struct reader *r)
{
	enum place from = r->place[r->depth--];

	r->stream.called = true;
	r->key = NULL;
	if (from == PLACE_VAR)
		r->stream.code = r->sink->variable(r->sink->ctx, &r->variable, r->err);
	return r->stream.code == TS_OK;
}

static int
on_start_map(void *ctx)
{
	return enter(ctx, false);
}

static int
on_start_array(void *ctx)
{
	return enter(ctx, true);
}

static int
on_end(void *ctx)
{
	return leave(ctx);
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_start_map,
	.yajl_map_key = on_key,
	.yajl_end_map = on_end,
	.yajl_start_array = on_start_array,
	.yajl_end_array = on_end,
};

enum ts_code
ts_vars_json_read(struct ts_vars_target *target, struct ts_source *source,
	const struct ts_vars_sink *sink, struct ts_progress *progress,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct reader *r = ts_alloc(1, sizeof(*r));
	enum ts_code code;

	target->tiles = target->tile_bytes = target->interleaved_start = TS_VARS_UNKNOWN;
	target->elements = 0;
	if (!r)
		return ts_err_nomem(err);
	*r = (struct reader){.target = target,
		.sink = sink,
		.err = err,
		.stream = {.callbacks = &callbacks, .ctx = r}};
	code = json_stream_read(&r->stream, source, progress, cancel, err);
	free(r);
	return code;
}
