/* SPDX-License-Identifier: MIT */
/*
 * frame_contexts - what stands around the steps of each program: the names of its debug context and of its parents.
 *
 * Contexts are looked up one by one, each once: as many as programs and compute sets name, not as there are. A path is made
 * of its parent's, from the root on. Parents that go in a circle, or further than TS_CONTEXT_LEVELS, have "…" above them.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/context_steps.h"
#include "tilescope/report/contexts.h"
#include "tilescope/report/frames.h"
#include "tilescope/report/memory.h"

enum { OBJECTS = 1 << 20, PROGRESS = 256 };

struct reading {
	struct ts_frame_contexts *to;
	struct ts_reader *rd;
	struct ts_context_steps steps;
	struct ts_progress *progress;
	int64_t objects;
};

/* --- paths ------------------------------------------------------------------------------------------ */

static void
join(struct ts_strbuf *out, const struct ts_frame_parts *p)
{
	ts_strbuf_reset(out);
	for (int i = 0; i < p->n; i++) {
		if (i > 0)
			ts_strbuf_putc(out, '/');
		ts_strbuf_add(out, p->part[i].s, p->part[i].n);
	}
	if (p->cut)
		ts_strbuf_puts(out, "/" TS_FRAMES_MORE);
}

/* Make the paths of levels [0, n), the last of which is the outermost, upon the path `base`. */
static enum ts_code
keep_paths(struct reading *r, const struct ts_context_step *level, int n, struct ts_strbuf *base,
	struct ts_err *err)
{
	struct ts_dictionary *d = &r->to->paths;
	struct ts_frame_parts p;
	struct ts_strbuf path;
	enum ts_code code = TS_OK;
	uint32_t entry;

	ts_strbuf_init(&path, TS_DICTIONARY_TEXT);
	while (n-- > 0 && !code) {
		p = (struct ts_frame_parts){0};
		ts_frame_parts_add(&p, base->s, base->len);
		ts_frame_parts_add(&p, level[n].name.s, level[n].name.len);
		join(&path, &p);
		code = path.nomem || base->nomem
			? ts_err_nomem(err)
			: ts_dictionary_number(d, &entry, (int64_t)level[n].id, path.s, path.len,
				  err);
		ts_strbuf_reset(base);
		ts_strbuf_add(base, path.s, path.len);
	}
	ts_strbuf_fini(&path);
	return code;
}

static bool
is_in(const struct ts_context_step *level, int n, uint64_t id)
{
	while (n-- > 0)
		if (level[n].id == id)
			return true;
	return false;
}

/* Go up from `id` to a context whose path is there, or to the root. */
static enum ts_code
climb(struct ts_context_step *level, int *n, struct ts_strbuf *base, struct reading *r, uint64_t id,
	struct ts_err *err)
{
	const struct ts_dictionary *d = &r->to->paths;
	enum ts_code code = TS_OK;

	for (*n = 0;; id = level[*n - 1].parent) {
		int64_t known = ts_dictionary_find(d, (int64_t)id);

		if (known != TS_DICTIONARY_NONE) {
			const struct ts_dictionary_entry *e = ts_dictionary_at(d, (uint32_t)known);

			ts_strbuf_add(base, (const char *)d->text.memory + e->at, e->n);
			break;
		}
		if (*n == TS_CONTEXT_LEVELS || is_in(level, *n, id)) {
			ts_strbuf_puts(base, TS_FRAMES_MORE);
			break;
		}
		code = ts_context_step_read(&level[*n], &r->steps, id, err);
		if (code)
			break;
		r->to->missing += !level[*n].found;
		r->to->damaged |= level[*n].damaged;
		++*n;
		if (!level[*n - 1].has_parent)
			break;
	}
	return code;
}

static enum ts_code
resolve(uint32_t *path, struct reading *r, struct ts_context_step *level, uint64_t id,
	struct ts_err *err)
{
	int64_t known = ts_dictionary_find(&r->to->paths, (int64_t)id);
	struct ts_strbuf base;
	int n = 0;
	enum ts_code code = TS_OK;

	if (known == TS_DICTIONARY_NONE) {
		ts_strbuf_init(&base, TS_DICTIONARY_TEXT);
		code = climb(level, &n, &base, r, id, err);
		if (!code)
			code = base.nomem ? ts_err_nomem(err) : keep_paths(r, level, n, &base, err);
		ts_strbuf_fini(&base);
		known = ts_dictionary_find(&r->to->paths, (int64_t)id);
	}
	*path = known == TS_DICTIONARY_NONE ? 0 : (uint32_t)known;
	return code;
}

/* --- programs and compute sets ---------------------------------------------------------------------- */

static int
by_id(const void *a, const void *b)
{
	const struct ts_frame_context *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->path < y->path ? -1 : x->path > y->path;
}

struct pair {
	int64_t id;
	uint64_t context;
};

/* The objects of a relation that have a context. */
static enum ts_code
read_pairs(struct ts_pile *pairs, struct reading *r, enum ts_relation relation, int id, int context,
	struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {id, context}, .column_count = 2, .past_damage = true};
	struct ts_err why = {0};
	struct ts_rows *rows = NULL;
	struct pair p;
	enum ts_code code;
	bool there;

	code = ts_reader_rows(&rows, r->rd, relation, &q, &why);
	while (!code && !(code = ts_rows_next(rows, &there, &why)) && there) {
		if (ts_rows_number(rows, 0, &p.id) != TS_VALUE_OK ||
			ts_rows_bits(rows, 1, &p.context) != TS_VALUE_OK)
			continue;
		if (pairs->used / sizeof(p) >= OBJECTS)
			break;
		code = ts_pile_add(pairs, &p, sizeof(p), r->to->paths.cache, &why);
	}
	ts_rows_close(rows);
	r->to->damaged |= code == TS_E_DAMAGED;
	if (code == TS_E_DAMAGED)
		return TS_OK;
	if (code && err)
		*err = why;
	return code;
}

static enum ts_code
resolve_pairs(struct ts_frame_context_of *of, struct reading *r, const struct ts_pile *pairs,
	struct ts_context_step *level, struct ts_err *err)
{
	const struct pair *p = pairs->memory;
	size_t n = pairs->used / sizeof(*p);
	enum ts_code code = TS_OK;

	of->of = ts_alloc(n, sizeof(*of->of));
	if (!of->of)
		return ts_err_nomem(err);
	for (; of->count < n && !code; of->count++) {
		struct ts_frame_context *k = &of->of[of->count];

		if (r->objects++ % PROGRESS == 0) {
			ts_progress_set(r->progress, r->objects, 0);
			if (ts_cancelled(r->rd->cancel))
				return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		}
		k->id = p[of->count].id;
		code = resolve(&k->path, r, level, p[of->count].context, err);
	}
	qsort(of->of, of->count, sizeof(*of->of), by_id);
	return code;
}

static enum ts_code
read_objects(struct ts_frame_context_of *of, struct reading *r, enum ts_relation relation, int id,
	int context, struct ts_err *err)
{
	struct ts_context_step *level;
	struct ts_pile pairs = {0};
	enum ts_code code;

	if (!ts_context_recorded(r->rd->report, relation))
		return TS_OK;
	level = ts_alloc(TS_CONTEXT_LEVELS, sizeof(*level));
	if (!level)
		return ts_err_nomem(err);
	for (int i = 0; i < TS_CONTEXT_LEVELS; i++)
		ts_context_step_init(&level[i], TS_DICTIONARY_TEXT);
	code = read_pairs(&pairs, r, relation, id, context, err);
	if (!code)
		code = resolve_pairs(of, r, &pairs, level, err);
	for (int i = 0; i < TS_CONTEXT_LEVELS; i++)
		ts_context_step_fini(&level[i]);
	free(level);
	ts_pile_fini(&pairs);
	return code;
}

/* --- together --------------------------------------------------------------------------------------- */

enum ts_code
ts_frame_contexts_read(struct ts_frame_contexts **out, struct ts_reader *rd,
	const struct ts_cache *cache, struct ts_progress *progress, struct ts_err *err)
{
	struct reading r = {.rd = rd, .progress = progress};
	enum ts_code code;
	bool any;

	*out = NULL;
	if (!ts_context_recorded(rd->report, TS_STEP))
		return TS_OK;
	r.to = ts_alloc(1, sizeof(*r.to));
	if (!r.to)
		return ts_err_nomem(err);
	atomic_init(&r.to->uses, 1);
	r.to->paths.cache = cache;
	r.to->paths.numbers = true;
	code = ts_context_steps_open(&r.steps, rd, cache, progress, err);
	any = r.steps.any;
	r.to->damaged = r.steps.debug && r.steps.debug->wrong[0];
	if (!code && any)
		code = read_objects(&r.to->programs, &r, TS_PROGRAM, TS_PROGRAM_PROGRAM,
			TS_PROGRAM_CONTEXT, err);
	if (!code && any)
		code = read_objects(&r.to->compute_sets, &r, TS_COMPUTE_SET,
			TS_COMPUTE_SET_COMPUTE_SET, TS_COMPUTE_SET_CONTEXT, err);
	ts_context_steps_close(&r.steps);
	if (code || !any)
		ts_frame_contexts_release(r.to);
	else
		*out = r.to;
	return code;
}

struct ts_frame_contexts *
ts_frame_contexts_hold(struct ts_frame_contexts *c)
{
	if (c)
		atomic_fetch_add(&c->uses, 1);
	return c;
}

void
ts_frame_contexts_release(struct ts_frame_contexts *c)
{
	if (!c || atomic_fetch_sub(&c->uses, 1) > 1)
		return;
	ts_dictionary_fini(&c->paths);
	free(c->programs.of);
	free(c->compute_sets.of);
	free(c);
}

/* --- looking up ------------------------------------------------------------------------------------- */

static const char *
find(const struct ts_frame_contexts *c, const struct ts_frame_context_of *of, int64_t id, size_t *n)
{
	const struct ts_dictionary_entry *e;
	size_t low = 0, high = of->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (of->of[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == of->count || of->of[low].id != id)
		return NULL;
	e = ts_dictionary_at(&c->paths, of->of[low].path);
	*n = e->n;
	return e->n > 0 ? (const char *)c->paths.text.memory + e->at : NULL;
}

const char *
ts_frame_context_path(const struct ts_frame_contexts *c, int64_t program, int64_t compute_set,
	size_t *n)
{
	const char *path = NULL;

	*n = 0;
	if (c && program != TS_UNKNOWN)
		path = find(c, &c->programs, program, n);
	if (c && !path && compute_set != TS_UNKNOWN)
		path = find(c, &c->compute_sets, compute_set, n);
	return path;
}
