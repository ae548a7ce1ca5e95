/* SPDX-License-Identifier: MIT */
/*
 * debug_info - see the header.
 *
 * Keys that are not known are passed over with all that is in them; so are values of an unexpected kind. A
 * context without an id is given too, for whoever wants to count it.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/format/debug_info.h"
#include "tilescope/format/json_file.h"

enum { SMALL_WINDOW = 16 << 10, PROGRESS_EVERY = 1 << 20, JSON_TEXT = 2 * TS_DEBUG_TREE_TEXT };

struct pass {
	struct ts_cbor r;
	const struct ts_debug_visitor *v;
	uint64_t told; /* offset at which progress was told last */
};

static bool
is_key(const struct ts_cbor_item *it, const char *key, size_t n)
{
	return it->kind == TS_CBOR_TEXT && it->n == n && memcmp(it->text, key, n) == 0;
}

#define IS_KEY(it, key) is_key(it, key, sizeof(key) - 1)

/* --- contexts --------------------------------------------------------------------------------- */

enum field { FIELD_OTHER, FIELD_ID, FIELD_PARENT, FIELD_NAME, FIELD_LAYER };

static enum field
field_of(const struct ts_cbor_item *it)
{
	if (it->kind != TS_CBOR_TEXT)
		return FIELD_OTHER;
	switch (it->n) {
	case 2:
		return IS_KEY(it, "id") ? FIELD_ID : FIELD_OTHER;
	case 4:
		return IS_KEY(it, "name") ? FIELD_NAME : FIELD_OTHER;
	case 5:
		return IS_KEY(it, "layer") ? FIELD_LAYER : FIELD_OTHER;
	case 8:
		return IS_KEY(it, "parentId") ? FIELD_PARENT : FIELD_OTHER;
	default:
		return FIELD_OTHER;
	}
}

static void
set_layer(struct ts_debug_context *c, const struct ts_cbor_item *it)
{
	if (it->kind != TS_CBOR_TEXT)
		return;
	c->layer_n = it->n < sizeof(c->layer) ? it->n : sizeof(c->layer);
	memcpy(c->layer, it->text, c->layer_n);
}

static void
set_name(struct ts_debug_context *c, const struct ts_cbor_item *it)
{
	if (ts_cbor_number(it, &c->name)) {
		c->name_form = TS_DEBUG_NAME_NUMBER;
	} else if (it->kind == TS_CBOR_TEXT) {
		c->name_form = TS_DEBUG_NAME_TEXT;
		c->name = it->offset;
	}
}

/* The value of a field is the reader's item. */
static void
set_field(struct ts_debug_context *c, enum field field, const struct ts_cbor_item *it)
{
	switch (field) {
	case FIELD_ID:
		c->has_id = ts_cbor_number(it, &c->id);
		break;
	case FIELD_PARENT:
		c->has_parent = ts_cbor_number(it, &c->parent);
		break;
	case FIELD_NAME:
		set_name(c, it);
		break;
	case FIELD_LAYER:
		set_layer(c, it);
		break;
	case FIELD_OTHER:
		break;
	}
}

/* Behind the begin of a context's map. */
static enum ts_code
read_context(struct pass *p, struct ts_err *err)
{
	struct ts_cbor *r = &p->r;
	int depth = r->depth;
	struct ts_debug_context c;
	enum ts_code code;

	c.id = c.parent = c.name = 0;
	c.offset = r->item.offset;
	c.has_id = c.has_parent = false;
	c.name_form = TS_DEBUG_NAME_NONE;
	c.layer_n = 0;
	while (!(code = ts_cbor_next(r, err)) && r->depth >= depth) {
		enum field field = field_of(&r->item);

		if (r->depth > depth) /* a key that is a map or an array */
			code = ts_cbor_leave(r, err);
		if (!code)
			code = ts_cbor_next(r, err);
		if (code)
			return code;
		if (r->depth > depth)
			code = ts_cbor_leave(r, err);
		else if (field != FIELD_OTHER)
			set_field(&c, field, &r->item);
		if (code)
			return code;
	}
	return code || !p->v->context ? code : p->v->context(p->v->ctx, &c, err);
}

static void
tell(struct pass *p)
{
	uint64_t at = ts_cbor_offset(&p->r);

	if (at - p->told < PROGRESS_EVERY)
		return;
	p->told = at;
	ts_progress_set(p->v->progress, (int64_t)at, p->r.source->size);
}

static enum ts_code
read_element(struct pass *p, bool contexts, struct ts_err *err)
{
	struct ts_cbor *r = &p->r;
	uint64_t offset = r->item.offset;
	enum ts_code code = TS_OK;

	if (contexts && r->item.kind == TS_CBOR_MAP)
		return read_context(p, err);
	if (r->item.kind == TS_CBOR_MAP || r->item.kind == TS_CBOR_ARRAY)
		code = ts_cbor_leave(r, err);
	if (code)
		return code;
	if (contexts && p->v->context)
		return p->v->context(p->v->ctx, &(struct ts_debug_context){.offset = offset}, err);
	/* also what is no text: the numbers of the others stay right */
	return !contexts && p->v->string ? p->v->string(p->v->ctx, offset, err) : TS_OK;
}

/* Behind the begin of an array: its elements. */
static enum ts_code
read_elements(struct pass *p, bool contexts, struct ts_err *err)
{
	struct ts_cbor *r = &p->r;
	int depth = r->depth;
	enum ts_code code;

	while (!(code = ts_cbor_next(r, err)) && r->depth >= depth) {
		code = read_element(p, contexts, err);
		if (code)
			return code;
		tell(p);
	}
	return code;
}

/* Behind a key of the document. */
static enum ts_code
read_value(struct pass *p, bool contexts, bool strings, struct ts_err *err)
{
	struct ts_cbor *r = &p->r;
	enum ts_code code = ts_cbor_next(r, err);

	if (code)
		return code;
	if (r->item.kind == TS_CBOR_ARRAY && (contexts || strings))
		return read_elements(p, contexts, err);
	if (contexts || strings)
		return ts_err_set(err, TS_E_DAMAGED, "offset %llu: \"%s\" is not an array",
			(unsigned long long)r->item.offset, contexts ? "contexts" : "stringTable");
	if (r->item.kind == TS_CBOR_MAP || r->item.kind == TS_CBOR_ARRAY)
		return ts_cbor_leave(r, err);
	return TS_OK;
}

static enum ts_code
read_document(struct pass *p, struct ts_err *err)
{
	struct ts_cbor *r = &p->r;
	enum ts_code code = ts_cbor_next(r, err);

	if (!code && r->item.kind != TS_CBOR_MAP)
		return ts_err_set(err, TS_E_DAMAGED, "offset 0: not a CBOR map");
	while (!code && !(code = ts_cbor_next(r, err)) && r->depth >= 1) {
		bool contexts = IS_KEY(&r->item, "contexts");
		bool strings = IS_KEY(&r->item, "stringTable");

		if (r->depth > 1)
			code = ts_cbor_leave(r, err);
		if (!code)
			code = read_value(p, contexts, strings, err);
	}
	if (!code && ts_cbor_offset(r) < (uint64_t)r->source->size)
		code = ts_err_set(err, TS_E_DAMAGED, "offset %llu: bytes behind the end of the map",
			(unsigned long long)ts_cbor_offset(r));
	return code;
}

enum ts_code
ts_debug_info_read(struct ts_source *s, const struct ts_debug_visitor *v, struct ts_err *err)
{
	struct pass p = {.v = v};
	enum ts_code code;

	if (s->size == 0)
		return ts_err_set(err, TS_E_DAMAGED, "the file is empty");
	code = ts_cbor_init(&p.r, s, 0, TS_CBOR_WINDOW, v->cancel, err);
	p.r.limit = v->limit;
	if (!code)
		code = read_document(&p, err);
	if (code == TS_E_LIMIT && v->limit)
		code = TS_OK;
	else if (!code)
		ts_progress_set(v->progress, s->size, s->size);
	ts_cbor_fini(&p.r);
	return code;
}

enum ts_code
ts_debug_info_text(struct ts_strbuf *out, struct ts_source *s, uint64_t offset,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_cbor r;
	enum ts_code code = ts_cbor_init(&r, s, offset, SMALL_WINDOW, cancel, err);

	if (!code)
		code = ts_cbor_next(&r, err);
	if (!code && r.item.kind != TS_CBOR_TEXT)
		code = ts_err_set(err, TS_E_DAMAGED, "offset %llu: not a text",
			(unsigned long long)offset);
	if (!code)
		ts_strbuf_add(out, r.item.text,
			r.item.n < TS_DEBUG_VALUE ? r.item.n : TS_DEBUG_VALUE);
	ts_cbor_fini(&r);
	return code;
}

/* --- the details of one context --------------------------------------------------------------- */

struct maker {
	struct ts_debug_tree *t;
	struct ts_cbor r;
	size_t open[TS_CBOR_DEPTH + 1]; /* nodes of the maps and arrays that are open */
	uint32_t key, key_n;		/* of the next value; key_n 0 = none */
};

static uint32_t
keep(struct ts_debug_tree *t, const char *s, size_t n, uint32_t *kept)
{
	size_t at = t->text.len;

	if (n > TS_DEBUG_VALUE) {
		n = TS_DEBUG_VALUE;
		t->cut = true;
	}
	ts_strbuf_add(&t->text, s, n);
	*kept = (uint32_t)(t->text.len - at);
	return (uint32_t)at;
}

/* What stands there, as text. */
static void
set_value(struct ts_debug_tree *t, struct ts_debug_node *n, const struct ts_cbor_item *it)
{
	char text[64] = "";
	uint64_t below = it->number;

	switch (it->kind) {
	case TS_CBOR_TEXT:
		t->cut = t->cut || it->cut;
		n->value = keep(t, it->text, it->n, &n->value_n);
		return;
	case TS_CBOR_BYTES:
		snprintf(text, sizeof(text), "(%llu bytes)", (unsigned long long)it->number);
		break;
	case TS_CBOR_UINT:
		snprintf(text, sizeof(text), "%llu", (unsigned long long)it->number);
		break;
	case TS_CBOR_NEGINT:
		if (below < UINT64_MAX)
			snprintf(text, sizeof(text), "-%llu", (unsigned long long)below + 1);
		else
			snprintf(text, sizeof(text), "-18446744073709551616");
		break;
	case TS_CBOR_REAL:
		snprintf(text, sizeof(text), "%.15g", it->real);
		break;
	case TS_CBOR_BOOL:
		snprintf(text, sizeof(text), "%s", it->number ? "true" : "false");
		break;
	case TS_CBOR_NULL:
		snprintf(text, sizeof(text), "null");
		break;
	default:
		break;
	}
	n->value = keep(t, text, strlen(text), &n->value_n);
}

/* A node for the reader's item; false: no memory. */
static bool
add_node(struct maker *m, int depth, bool key_taken)
{
	struct ts_debug_tree *t = m->t;
	void *array = t->node;
	bool room = ts_room(&array, &t->cap, t->count, sizeof(*t->node));
	struct ts_debug_node *n;

	t->node = array;
	if (!room)
		return false;
	n = &t->node[t->count++];
	*n = (struct ts_debug_node){.depth = depth, .kind = m->r.item.kind};
	if (key_taken) {
		n->key = m->key;
		n->key_n = m->key_n;
	}
	n->is_number = ts_cbor_number(&m->r.item, &n->number);
	set_value(t, n, &m->r.item);
	return true;
}

static bool
is_full(const struct ts_debug_tree *t)
{
	return t->count >= TS_DEBUG_NODES || t->text.cut;
}

/* A key: kept for the value that follows. One that is no text is written as it would be as a value. */
static enum ts_code
take_key(struct maker *m, struct ts_err *err)
{
	struct ts_debug_node n = {0};
	enum ts_code code = TS_OK;

	if (m->r.item.kind == TS_CBOR_MAP || m->r.item.kind == TS_CBOR_ARRAY) {
		m->key = keep(m->t, "(...)", 5, &m->key_n);
		code = ts_cbor_leave(&m->r, err);
	} else {
		set_value(m->t, &n, &m->r.item);
		m->key = n.value;
		m->key_n = n.value_n;
	}
	if (!code && m->key_n == 0)
		m->key = keep(m->t, "\"\"", 2, &m->key_n);
	return code;
}

/* The items within the map that was opened, until it is closed or there is no room. */
static enum ts_code
make(struct maker *m, struct ts_err *err)
{
	struct ts_cbor *r = &m->r;
	struct ts_debug_tree *t = m->t;

	while (!is_full(t)) {
		int depth = r->depth; /* of the parent, with the document's map as 1 */
		bool map = r->level[depth].map, key = map && !(r->level[depth].left & 1);
		enum ts_code code = ts_cbor_next(r, err);

		if (code)
			return code;
		if (r->item.kind == TS_CBOR_CLOSE) {
			if (r->depth == 0)
				return TS_OK;
			t->node[m->open[r->depth]].inside = (uint32_t)(t->count - 1 -
				m->open[r->depth]);
			continue;
		}
		if (key) {
			code = take_key(m, err);
			if (code)
				return code;
			continue;
		}
		if (depth > 1)
			t->node[m->open[depth - 1]].items++;
		if (!add_node(m, depth - 1, map))
			return ts_err_nomem(err);
		if (r->depth > depth)
			m->open[depth] = t->count - 1;
	}
	t->cut = true;
	for (int d = 1; d < r->depth; d++) /* what is still open */
		t->node[m->open[d]].inside = (uint32_t)(t->count - 1 - m->open[d]);
	return TS_OK;
}

enum ts_code
ts_debug_tree_read(struct ts_debug_tree *t, struct ts_source *s, uint64_t offset,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct maker m = {.t = t};
	enum ts_code code;

	*t = (struct ts_debug_tree){0};
	ts_strbuf_init(&t->text, TS_DEBUG_TREE_TEXT);
	code = ts_cbor_init(&m.r, s, offset, SMALL_WINDOW, cancel, err);
	if (!code)
		code = ts_cbor_next(&m.r, err);
	if (!code && m.r.item.kind != TS_CBOR_MAP)
		code = ts_err_set(err, TS_E_DAMAGED, "offset %llu: not a map",
			(unsigned long long)offset);
	if (!code)
		code = make(&m, err);
	if (!code && t->text.nomem)
		code = ts_err_nomem(err);
	ts_cbor_fini(&m.r);
	if (code)
		ts_debug_tree_fini(t);
	return code;
}

/* Nodes of a JSON tree behind its root, each one level up. */
static enum ts_code
take_json(struct ts_debug_tree *t, const struct ts_json_tree *j, struct ts_err *err)
{
	static const enum ts_cbor_kind kinds[] = {[TS_JSON_OBJECT] = TS_CBOR_MAP,
		[TS_JSON_ARRAY] = TS_CBOR_ARRAY,
		[TS_JSON_STRING] = TS_CBOR_TEXT,
		[TS_JSON_NUMBER] = TS_CBOR_TEXT,
		[TS_JSON_WORD] = TS_CBOR_TEXT};

	if (j->values > TS_DEBUG_NODES || j->text_n > TS_DEBUG_TREE_TEXT)
		return ts_err_set(err, TS_E_LIMIT, "more than is kept of a context");
	t->node = ts_alloc(j->count, sizeof(*t->node));
	if (!t->node)
		return ts_err_nomem(err);
	t->cap = j->count;
	ts_strbuf_init(&t->text, TS_DEBUG_TREE_TEXT);
	for (size_t i = 1; i < j->count; i++) {
		const struct ts_json_node *from = &j->node[i];
		struct ts_debug_node *to = &t->node[t->count++];
		size_t key_n, value_n;
		const char *key = ts_json_key(j, i, &key_n), *value = ts_json_value(j, i, &value_n);

		if (from->depth > TS_CBOR_DEPTH)
			return ts_err_set(err, TS_E_LIMIT, "nested too deeply");
		*to = (struct ts_debug_node){.depth = from->depth - 1,
			.inside = from->inside,
			.items = from->value,
			.kind = kinds[from->kind],
			.key = (uint32_t)t->text.len,
			.key_n = (uint32_t)key_n};
		ts_strbuf_add(&t->text, key, key_n);
		to->value = (uint32_t)t->text.len;
		to->value_n = (uint32_t)value_n;
		ts_strbuf_add(&t->text, value, value_n);
	}
	return t->text.nomem ? ts_err_nomem(err) : TS_OK;
}

enum ts_code
ts_debug_tree_of_json(struct ts_debug_tree *t, const char *text, size_t n, struct ts_err *err)
{
	struct ts_json_tree j = {0};
	struct ts_source *source;
	enum ts_code code;

	*t = (struct ts_debug_tree){0};
	if (n > JSON_TEXT)
		return ts_err_set(err, TS_E_LIMIT, "more than is kept of a context");
	code = ts_source_open_mem(&source, text, n, err);
	if (code)
		return code;
	code = ts_json_tree_read(&j, source, NULL, NULL, err);
	if (!code)
		code = take_json(t, &j, err);
	if (code)
		ts_debug_tree_fini(t);
	ts_json_tree_fini(&j);
	ts_source_close(source);
	return code;
}

void
ts_debug_tree_fini(struct ts_debug_tree *t)
{
	free(t->node);
	ts_strbuf_fini(&t->text);
	*t = (struct ts_debug_tree){0};
}

const struct ts_debug_node *
ts_debug_tree_find(const struct ts_debug_tree *t, const struct ts_debug_node *in, const char *key)
{
	size_t i = in ? (size_t)(in - t->node) + 1 : 0;
	size_t end = in ? i + in->inside : t->count, n = strlen(key);
	int depth = in ? in->depth + 1 : 0;

	for (; i < end; i += 1 + t->node[i].inside)
		if (t->node[i].depth == depth && t->node[i].key_n == n &&
			memcmp(t->text.s + t->node[i].key, key, n) == 0)
			return &t->node[i];
	return NULL;
}
