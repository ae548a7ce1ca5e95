/* SPDX-License-Identifier: MIT */
/* frames - see the header. A stack that was asked for before is found by its texts and numbers as they stand. */
#include "config.h"

#include <string.h>
#include <xxhash.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/report/frames.h"
#include "tilescope/report/pair_slots.h"

enum { STACKS = 1 << 18 };

/* Of a kept answer: the stack ends early. */
#define FULL (UINT32_C(1) << 31)

/* --- names in parts --------------------------------------------------------------------------------- */

static bool
same(const struct ts_frame_part *a, const struct ts_frame_part *b)
{
	return a->n == b->n && memcmp(a->s, b->s, a->n) == 0;
}

/* How many parts of `b` the path `a` ends with. */
static int
overlap(const struct ts_frame_parts *a, const struct ts_frame_parts *b)
{
	int most = a->n < b->n ? a->n : b->n;

	for (int k = most; k > 0; k--) {
		int i = 0;

		while (i < k && same(&a->part[a->n - k + i], &b->part[i]))
			i++;
		if (i == k)
			return k;
	}
	return 0;
}

static void
add_part(struct ts_frame_parts *p, const char *s, size_t n)
{
	if (p->n == (int)TS_COUNT(p->part)) {
		p->cut = true;
		return;
	}
	p->part[p->n++] = (struct ts_frame_part){s, n < TS_FRAME_BYTES ? n : TS_FRAME_BYTES};
}

static void
split(struct ts_frame_parts *p, const char *name, size_t n)
{
	size_t at = 0;

	p->n = 0;
	p->cut = false;
	while (at < n && !p->cut) {
		const char *slash = memchr(name + at, '/', n - at);
		size_t to = slash ? (size_t)(slash - name) : n;

		if (to > at)
			add_part(p, name + at, to - at);
		at = to + 1;
	}
}

void
ts_frame_parts_add(struct ts_frame_parts *p, const char *name, size_t n)
{
	struct ts_frame_parts own;

	split(&own, name, n);
	for (int i = overlap(p, &own); i < own.n && !p->cut; i++)
		add_part(p, own.part[i].s, own.part[i].n);
	p->cut |= own.cut;
}

/* --- the tree --------------------------------------------------------------------------------------- */

/* The run is in nothing, least of all in itself. */
static void
pair_of(uint32_t pair[2], const void *of, uint32_t i)
{
	const struct ts_frame *k = ts_frame_at(of, i);

	pair[0] = i == TS_FRAME_RUN ? UINT32_MAX : k->parent;
	pair[1] = k->name;
}

static enum ts_code
add_frame(struct ts_frames *f, struct ts_frame frame, struct ts_err *err)
{
	enum ts_code code = ts_pile_add(&f->frame, &frame, sizeof(frame), f->cache, err);

	return code ? code : ts_pair_add(&f->slot, pair_of, f, ++f->count, f->cache, err);
}

enum ts_code
ts_frames_add(uint32_t *frame, struct ts_frames *f, uint32_t parent, const char *name, size_t n,
	int class_of, struct ts_err *err)
{
	uint32_t text;
	enum ts_code code = ts_dictionary_text(&f->names, &text, name, n, err);

	*frame = TS_FRAMES_MAX;
	if (code)
		return code;
	*frame = ts_pair_find(&f->slot, pair_of, f, parent, text);
	if (*frame == TS_PAIR_NONE && f->count == TS_FRAMES_MAX) {
		*frame = TS_FRAMES_MAX;
		return TS_OK;
	}
	if (*frame == TS_PAIR_NONE) {
		struct ts_frame k = {.parent = parent,
			.name = text,
			.depth = (uint16_t)(ts_frame_at(f, parent)->depth + 1)};

		*frame = f->count;
		code = add_frame(f, k, err);
	}
	if (!code && class_of >= 0) {
		struct ts_frame *k = (struct ts_frame *)f->frame.memory + *frame;

		f->mixed |= k->steps && k->class_of != class_of;
		k->steps = true;
		k->class_of = (uint8_t)class_of;
	}
	return code;
}

/* Go from *at to its child, which is made; *full: there is no room for more. */
static enum ts_code
go_down(uint32_t *at, bool *full, struct ts_frames *f, const char *s, size_t n, int class_of,
	struct ts_err *err)
{
	uint32_t child;
	enum ts_code code = TS_OK;

	if (*full)
		return TS_OK;
	code = ts_frames_add(&child, f, *at, s, n, class_of, err);
	*full = !code && child == TS_FRAMES_MAX;
	if (!code && !*full)
		*at = child;
	return code;
}

enum ts_code
ts_frames_init(struct ts_frames *f, struct ts_frame_contexts *contexts,
	const struct ts_cache *cache, struct ts_err *err)
{
	static const char run[] = "Engine::run";
	struct ts_frame root = {.parent = TS_FRAME_RUN};
	enum ts_code code;

	*f = (struct ts_frames){.cache = cache, .contexts = ts_frame_contexts_hold(contexts)};
	f->names.cache = f->stacks.cache = cache;
	ts_strbuf_init(&f->key, TS_DICTIONARY_TEXT + 1);
	code = ts_dictionary_text(&f->names, &root.name, run, sizeof(run) - 1, err);
	if (!code)
		code = add_frame(f, root, err);
	return code;
}

void
ts_frames_fini(struct ts_frames *f)
{
	ts_frame_contexts_release(f->contexts);
	ts_dictionary_fini(&f->names);
	ts_dictionary_fini(&f->stacks);
	ts_pile_fini(&f->frame);
	ts_pile_fini(&f->slot);
	ts_pile_fini(&f->leaf);
	if (f->key.cap > 0)
		ts_strbuf_fini(&f->key);
	*f = (struct ts_frames){0};
}

/* --- stacks ----------------------------------------------------------------------------------------- */

#define EXTERNAL \
	"External Sync" /* a frame of its own: other steps of this type have another class */

static enum ts_code
make_stack(uint32_t *leaf, struct ts_frames *f, const struct ts_slice *s, struct ts_err *err)
{
	const char *type = s->type ? s->type : ts_step_class_key(s->class_of), *context;
	size_t type_n = s->type ? s->type_n : strlen(type), n;
	bool external = s->class_of == TS_CLASS_EXTERNAL_SYNC;
	struct ts_frame_parts p = {0};
	bool full = false;
	enum ts_code code = TS_OK;

	*leaf = TS_FRAME_RUN;
	context = ts_frame_context_path(f->contexts, s->program, s->compute_set, &n);
	if (context)
		ts_frame_parts_add(&p, context, n);
	if (s->name)
		ts_frame_parts_add(&p, s->name, s->name_n);
	for (int i = 0; i < p.n && !code; i++)
		code = go_down(leaf, &full, f, p.part[i].s, p.part[i].n, -1, err);
	if (!code && p.cut)
		code = go_down(leaf, &full, f, TS_FRAMES_MORE, sizeof(TS_FRAMES_MORE) - 1, -1, err);
	if (!code)
		code = external ? go_down(leaf, &full, f, EXTERNAL, sizeof(EXTERNAL) - 1,
					  (int)s->class_of, err)
				: go_down(leaf, &full, f, type,
					  type_n < TS_FRAME_BYTES ? type_n : TS_FRAME_BYTES,
					  (int)s->class_of, err);
	*leaf |= full ? FULL : 0;
	return code;
}

/* What the stack depends on, as bytes; false: too many of them. */
static bool
key_of(struct ts_frames *f, const struct ts_slice *s)
{
	struct ts_strbuf *k = &f->key;
	int64_t id[] = {f->contexts ? s->program : 0, f->contexts ? s->compute_set : 0,
		(int64_t)s->class_of * 4 + (s->type ? 2 : 0) + (s->name ? 1 : 0),
		(int64_t)s->type_n};

	ts_strbuf_reset(k);
	ts_strbuf_add(k, (const char *)id, sizeof(id));
	if (s->type)
		ts_strbuf_add(k, s->type, s->type_n);
	if (s->name)
		ts_strbuf_add(k, s->name, s->name_n);
	return k->len <= TS_DICTIONARY_TEXT && !k->cut && !k->nomem;
}

/* The same for a stack that may have been asked for before. */
static enum ts_code
find_stack(uint32_t *leaf, struct ts_frames *f, const struct ts_slice *s, struct ts_err *err)
{
	uint32_t before = f->stacks.count, at;
	enum ts_code code = ts_dictionary_text(&f->stacks, &at, f->key.s, f->key.len, err);

	if (code)
		return code;
	if (f->stacks.count == before) {
		*leaf = ((const uint32_t *)f->leaf.memory)[at];
		return TS_OK;
	}
	code = make_stack(leaf, f, s, err);
	return code ? code : ts_pile_add(&f->leaf, leaf, sizeof(*leaf), f->cache, err);
}

enum ts_code
ts_frames_leaf(uint32_t *leaf, struct ts_frames *f, const struct ts_slice *s, struct ts_err *err)
{
	enum ts_code code = f->stacks.count < STACKS && key_of(f, s) ? find_stack(leaf, f, s, err)
								     : make_stack(leaf, f, s, err);

	f->left_out += !code && *leaf & FULL;
	*leaf &= ~FULL;
	return code;
}

/* --- as text ---------------------------------------------------------------------------------------- */

void
ts_frame_folded_name(struct ts_strbuf *out, const char *name, size_t n)
{
	size_t from = out->len;

	ts_utf8_safe(out, name, n);
	for (; from < out->len; from++)
		if (out->s[from] == ';')
			out->s[from] = ':';
}

void
ts_frame_folded(struct ts_strbuf *out, const struct ts_frames *f, uint32_t i)
{
	uint32_t path[TS_FRAMES_DEPTH];
	int depth = ts_frame_at(f, i)->depth;
	size_t n;

	for (int d = depth; d >= 0; d--) {
		path[d] = i;
		i = ts_frame_at(f, i)->parent;
	}
	for (int d = 0; d <= depth; d++) {
		const char *name = ts_frame_name(f, path[d], &n);

		if (d > 0)
			ts_strbuf_putc(out, ';');
		ts_frame_folded_name(out, name, n);
	}
}
