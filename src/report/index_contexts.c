/* SPDX-License-Identifier: MIT */
/*
 * index_contexts - see the header.
 *
 * The payload is a head, the entries by id, the offsets of the strings, the names of the layers. Entries come in
 * the order of the file; where their ids do not rise they are sorted by radix, in passes over those digits in
 * which any two ids differ. Both arrays are piles: mapped files when they are large, so that a file of hundreds
 * of megabytes takes a window and a few tables of anonymous memory.
 *
 * What is wrong with the file ends the pass, not the section: contexts before it are known, and `wrong` says
 * where it is. Children come before their parents, and the string table often last: what is missing is then said
 * where it is missed.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "tilescope/base/mem.h"
#include "tilescope/format/debug_info.h"
#include "tilescope/report/index_contexts.h"

enum { ENDS = 4096, DIGIT = 11, BUCKETS = 1 << DIGIT };

struct head {
	struct ts_debug_identity identity;
	uint64_t count, strings, layers, entry_at, string_at, layer_at;
	uint64_t repeated, without_id, left_out;
	char wrong[TS_CONTEXT_WRONG];
};

_Static_assert(sizeof(struct ts_context_entry) == 32, "no room between the members of an entry");
_Static_assert(sizeof(struct head) == 32 + 9 * 8 + TS_CONTEXT_WRONG, "nor of the head");

/* What the pass gathers. */
struct gathered {
	struct ts_pile entries, strings;
	struct ts_context_layer *layer;
	size_t layers;
	int last_layer;
	uint64_t count, string_count, repeated, without_id, left_out, last, differ;
	bool unsorted;
	struct ts_debug_identity identity;
	char wrong[TS_CONTEXT_WRONG];
	const struct ts_cache *cache;
};

/* --- which file it is ------------------------------------------------------------------------- */

static enum ts_code
identify(struct ts_debug_identity *id, struct ts_source *s, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	unsigned char ends[2 * ENDS] = {0};
	int64_t last = s->size > ENDS ? s->size - ENDS : 0;
	size_t got;
	size_t whole = s->size < ENDS ? (size_t)s->size : ENDS;
	enum ts_code code = ts_source_read(s, ends, ENDS, 0, &got, cancel, err);

	if (!code && got == whole)
		code = ts_source_read(s, ends + ENDS, ENDS, last, &got, cancel, err);
	if (!code && got != whole)
		code = ts_err_set(err, TS_E_STALE, "the file has become shorter");
	*id = (struct ts_debug_identity){.bytes = s->size,
		.mtime = s->mtime,
		.mtime_ns = s->mtime_ns,
		.ends = XXH3_64bits(ends, sizeof(ends))};
	return code;
}

static bool
same(const struct ts_debug_identity *a, const struct ts_debug_identity *b)
{
	return a->bytes == b->bytes && a->mtime == b->mtime && a->mtime_ns == b->mtime_ns &&
		a->ends == b->ends;
}

/* Is the file of that path (NULL: there is none) the one it was? */
static enum ts_code
is_still(bool *yes, struct ts_files *files, const char *path, const struct ts_debug_identity *id,
	struct ts_err *err)
{
	struct ts_debug_identity now;
	struct ts_err why = {0};
	struct ts_source *s;
	enum ts_code code = path ? ts_files_open(files, &s, path, NULL, &why) : TS_E_NOT_FOUND;

	*yes = false;
	if (code == TS_E_NOT_FOUND || code == TS_E_FORMAT)
		return TS_OK;
	if (!code) {
		code = identify(&now, s, NULL, &why);
		*yes = !code && same(&now, id);
		ts_source_close(s);
	}
	if (code && err)
		*err = why;
	return code;
}

static const char *
path_of(const struct ts_report *r)
{
	const struct ts_part_info *part = &r->part[TS_PART_DEBUG];

	return part->state == TS_PART_ABSENT ? NULL : part->path;
}

/* --- the pass --------------------------------------------------------------------------------- */

static uint16_t
layer_number(struct gathered *g, const struct ts_debug_context *c)
{
	size_t n = c->layer_n < sizeof(g->layer->name) ? c->layer_n : sizeof(g->layer->name);
	const struct ts_context_layer *l = &g->layer[g->last_layer];

	if (n == 0)
		return TS_CONTEXT_LAYERS;
	if (g->layers && l->n == n && memcmp(l->name, c->layer, n) == 0)
		return (uint16_t)g->last_layer;
	for (size_t i = 0; i < g->layers; i++)
		if (g->layer[i].n == n && memcmp(g->layer[i].name, c->layer, n) == 0) {
			g->last_layer = (int)i;
			return (uint16_t)i;
		}
	if (g->layers == TS_CONTEXT_LAYERS)
		return TS_CONTEXT_LAYERS;
	memcpy(g->layer[g->layers].name, c->layer, n);
	g->layer[g->layers].n = (uint8_t)n;
	g->last_layer = (int)g->layers;
	return (uint16_t)g->layers++;
}

static enum ts_code
take_context(void *ctx, const struct ts_debug_context *c, struct ts_err *err)
{
	struct gathered *g = ctx;
	struct ts_context_entry e = {.id = c->id, .parent = c->parent, .offset = c->offset};

	if (!c->has_id) {
		g->without_id++;
		return TS_OK;
	}
	if (g->count == TS_CONTEXTS_MAX) {
		g->left_out++;
		return TS_OK;
	}
	e.layer = layer_number(g, c);
	e.flags = c->has_parent ? TS_CONTEXT_HAS_PARENT : 0;
	if (c->name_form == TS_DEBUG_NAME_NUMBER && c->name <= UINT32_MAX) {
		e.flags |= TS_CONTEXT_NAME_NUMBER;
		e.name = (uint32_t)c->name;
	} else if (c->name_form != TS_DEBUG_NAME_NONE) {
		e.flags |= TS_CONTEXT_NAME_TEXT;
	}
	if (g->count && c->id < g->last)
		g->unsorted = true;
	if (g->count)
		g->differ |= c->id ^ g->last;
	g->last = c->id;
	g->count++;
	return ts_pile_add(&g->entries, &e, sizeof(e), g->cache, err);
}

static enum ts_code
take_string(void *ctx, uint64_t offset, struct ts_err *err)
{
	struct gathered *g = ctx;

	if (g->string_count == TS_CONTEXT_STRINGS) {
		g->left_out++;
		return TS_OK;
	}
	g->string_count++;
	return ts_pile_add(&g->strings, &offset, sizeof(offset), g->cache, err);
}

/* One pass of the sort: by the digit at `shift`. */
static void
scatter(struct ts_context_entry *to, const struct ts_context_entry *from, uint64_t n, int shift)
{
	uint32_t at[BUCKETS] = {0}, sum = 0;

	for (uint64_t i = 0; i < n; i++)
		at[from[i].id >> shift & (BUCKETS - 1)]++;
	for (int b = 0; b < BUCKETS; b++) {
		uint32_t here = at[b];

		at[b] = sum;
		sum += here;
	}
	for (uint64_t i = 0; i < n; i++)
		to[at[from[i].id >> shift & (BUCKETS - 1)]++] = from[i];
}

static enum ts_code
sort(struct gathered *g, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_pile other = {0};
	enum ts_code code = ts_pile_room(&other, g->entries.used, g->cache, err);

	for (int shift = 0; !code && shift < 64; shift += DIGIT) {
		struct ts_pile swap = g->entries;

		if (!(g->differ >> shift & (BUCKETS - 1)))
			continue;
		if (ts_cancelled(cancel)) {
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
			break;
		}
		scatter(other.memory, swap.memory, g->count, shift);
		other.used = swap.used;
		g->entries = other;
		other = swap;
	}
	ts_pile_fini(&other);
	return code;
}

static void
count_repeated(struct gathered *g)
{
	const struct ts_context_entry *e = g->entries.memory;

	for (uint64_t i = 1; i < g->count; i++)
		g->repeated += e[i].id == e[i - 1].id;
}

static void
gathered_fini(struct gathered *g)
{
	ts_pile_fini(&g->entries);
	ts_pile_fini(&g->strings);
	free(g->layer);
	g->layer = NULL;
}

/* Read the whole file. What is wrong with it goes to g->wrong. */
static enum ts_code
gather(struct gathered *g, struct ts_source *s, struct ts_files *files, const char *path,
	struct ts_progress *progress, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_debug_visitor v = {.ctx = g,
		.context = take_context,
		.string = take_string,
		.progress = progress,
		.cancel = cancel};
	struct ts_err why = {0};
	enum ts_code code;
	bool still;

	g->layer = ts_alloc(TS_CONTEXT_LAYERS, sizeof(*g->layer));
	if (!g->layer)
		return ts_err_nomem(err);
	code = identify(&g->identity, s, cancel, err);
	if (code)
		return code;
	code = ts_debug_info_read(s, &v, &why);
	if (code && code != TS_E_DAMAGED) {
		if (err)
			*err = why;
		return code;
	}
	if (code)
		snprintf(g->wrong, sizeof(g->wrong), "%.*s", (int)sizeof(g->wrong) - 1, why.msg);
	code = g->unsorted ? sort(g, cancel, err) : TS_OK;
	if (code)
		return code;
	count_repeated(g);
	code = is_still(&still, files, path, &g->identity, err);
	if (!code && !still)
		code = ts_err_set(err, TS_E_STALE, "%s has changed while it was read", path);
	return code;
}

/* --- the section ------------------------------------------------------------------------------ */

static bool
can(const struct ts_report *r)
{
	return path_of(r) != NULL && r->part[TS_PART_DEBUG].state != TS_PART_UNREADABLE;
}

static enum ts_code
read_part(struct ts_pass_part *p, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct gathered *g = p->state;
	const char *path = path_of(p->run->report);
	struct ts_source *s;
	enum ts_code code;

	if (p->number > 0)
		return TS_OK;
	g->cache = p->run->cache;
	code = ts_files_open(p->run->report->files, &s, path, rd->cancel, err);
	if (!code) {
		code = gather(g, s, p->run->report->files, path, progress, rd->cancel, err);
		ts_source_close(s);
	}
	/* the report is what it was: its other sections can be built */
	if (code == TS_E_NOT_FOUND || code == TS_E_FORMAT || code == TS_E_STALE)
		code = ts_err_set(err, TS_E_DAMAGED, "%s has changed", path);
	return code;
}

static enum ts_code
finish(struct ts_pass_run *run, struct ts_pass_part *parts, int count, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	const struct gathered *g = parts[0].state;
	struct ts_section_writer *w = run->writer[0];
	struct head h = {.identity = g->identity,
		.count = g->count,
		.strings = g->string_count,
		.layers = g->layers,
		.repeated = g->repeated,
		.without_id = g->without_id,
		.left_out = g->left_out};
	const struct ts_section_array array[] = {
		{&h.entry_at, g->entries.memory, g->entries.used},
		{&h.string_at, g->strings.memory, g->strings.used},
		{&h.layer_at, g->layer, g->layers * sizeof(*g->layer)},
	};

	(void)count;
	(void)rd;
	(void)progress;
	memcpy(h.wrong, g->wrong, sizeof(h.wrong));
	return ts_section_put_arrays(w, &h, sizeof(h), array, TS_COUNT(array), err);
}

static void
part_fini(struct ts_pass_part *p)
{
	gathered_fini(p->state);
}

const struct ts_pass ts_pass_contexts = {
	.what = "debug contexts",
	.relation = TS_CONTEXT,
	.section = {TS_SECTION_CONTEXTS, TS_SECTION_COUNT},
	.can = can,
	.part_size = sizeof(struct gathered),
	.part = read_part,
	.finish = finish,
	.part_fini = part_fini,
};

static const struct head *
head_at(const void *payload, size_t size)
{
	return payload ? ts_section_at(payload, size, 0, 1, sizeof(struct head)) : NULL;
}

enum ts_code
ts_contexts_section_current(bool *yes, const void *payload, size_t size, const struct ts_report *r,
	struct ts_err *err)
{
	const struct head *h = head_at(payload, size);

	*yes = false;
	return h ? is_still(yes, r->files, path_of(r), &h->identity, err) : TS_OK;
}

enum ts_code
ts_debug_still(bool *yes, const struct ts_report *r, const struct ts_debug_identity *id,
	struct ts_err *err)
{
	return is_still(yes, r->files, path_of(r), id, err);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Take the section; false: there is none that is sound and of this file. */
static bool
from_index(struct ts_contexts *c, struct ts_index *x)
{
	size_t size;
	const void *payload = ts_index_section(x, TS_SECTION_CONTEXTS, &size);
	const struct head *h = head_at(payload, size);

	if (!h || !same(&h->identity, &c->identity) || h->count > TS_CONTEXTS_MAX ||
		h->strings > TS_CONTEXT_STRINGS || h->layers > TS_CONTEXT_LAYERS)
		return false;
	c->entry = ts_section_at(payload, size, h->entry_at, h->count, sizeof(*c->entry));
	c->string = ts_section_at(payload, size, h->string_at, h->strings, sizeof(*c->string));
	c->layer = ts_section_at(payload, size, h->layer_at, h->layers, sizeof(*c->layer));
	if (!c->entry || !c->string || !c->layer)
		return false;
	c->count = h->count;
	c->strings = h->strings;
	c->layers = h->layers;
	c->repeated = h->repeated;
	c->without_id = h->without_id;
	c->left_out = h->left_out;
	snprintf(c->wrong, sizeof(c->wrong), "%.*s", (int)sizeof(c->wrong) - 1, h->wrong);
	c->index = ts_index_hold(x);
	return true;
}

static enum ts_code
from_file(struct ts_contexts *c, const struct ts_cache *cache, struct ts_progress *progress,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct gathered g = {.cache = cache};
	enum ts_code code = gather(&g, c->file, c->files, c->path, progress, cancel, err);

	if (code) {
		gathered_fini(&g);
		return code;
	}
	c->pile[0] = g.entries;
	c->pile[1] = g.strings;
	c->layer_room = g.layer;
	c->entry = g.entries.memory;
	c->count = g.count;
	c->string = g.strings.memory;
	c->strings = g.string_count;
	c->layer = g.layer;
	c->layers = g.layers;
	c->repeated = g.repeated;
	c->without_id = g.without_id;
	c->left_out = g.left_out;
	memcpy(c->wrong, g.wrong, sizeof(c->wrong));
	return TS_OK;
}

enum ts_code
ts_contexts_open(struct ts_contexts **out, const struct ts_report *r, struct ts_index *x,
	const struct ts_cache *cache, struct ts_progress *progress, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct ts_contexts *c;
	enum ts_code code;

	*out = NULL;
	if (!path_of(r))
		return ts_err_set(err, TS_E_ABSENT, "there is no debug.cbor");
	c = ts_alloc(1, sizeof(*c));
	if (!c)
		return ts_err_nomem(err);
	atomic_init(&c->uses, 1);
	c->files = ts_files_hold(r->files);
	c->path = ts_strdup(path_of(r));
	code = c->path ? ts_files_open(r->files, &c->file, c->path, cancel, err)
		       : ts_err_nomem(err);
	if (!code)
		code = identify(&c->identity, c->file, cancel, err);
	if (!code && !from_index(c, x))
		code = from_file(c, cache, progress, cancel, err);
	if (code) {
		ts_err_prefix(err, "debug.cbor: ");
		ts_contexts_close(c);
		return code;
	}
	*out = c;
	return TS_OK;
}

struct ts_contexts *
ts_contexts_hold(struct ts_contexts *c)
{
	if (c)
		atomic_fetch_add(&c->uses, 1);
	return c;
}

void
ts_contexts_close(struct ts_contexts *c)
{
	if (!c || atomic_fetch_sub(&c->uses, 1) > 1)
		return;
	ts_source_close(c->file);
	ts_files_release(c->files);
	ts_index_release(c->index);
	ts_pile_fini(&c->pile[0]);
	ts_pile_fini(&c->pile[1]);
	free(c->layer_room);
	free(c->path);
	free(c);
}

enum ts_code
ts_contexts_current(bool *yes, const struct ts_contexts *c, struct ts_err *err)
{
	return is_still(yes, c->files, c->path, &c->identity, err);
}

const struct ts_context_entry *
ts_contexts_find(const struct ts_contexts *c, uint64_t id)
{
	uint64_t low = 0, high = c->count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (c->entry[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->count && c->entry[low].id == id ? &c->entry[low] : NULL;
}

enum ts_code
ts_contexts_string(struct ts_strbuf *out, bool *found, const struct ts_contexts *c, uint64_t number,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	enum ts_code code;

	*found = false;
	if (number >= c->strings)
		return TS_OK;
	code = ts_debug_info_text(out, c->file, c->string[number], cancel, err);
	*found = !code;
	return code == TS_E_DAMAGED ? TS_OK : code;
}
