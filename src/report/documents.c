/* SPDX-License-Identifier: MIT */
/* documents - see the header. */
#include "config.h"

#include "tilescope/report/documents.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tilescope/base/mem.h"

enum { LOOK_EVERY = 1 << 14 }; /* nodes between two looks at the token */

struct ts_documents {
	atomic_int uses;
	struct ts_document document[TS_DOCUMENTS];
};

static const struct {
	enum ts_part part;
	const char *name, *writer;
} known[TS_DOCUMENTS] = {
	{TS_PART_FRAMEWORK, "framework.json",
		"a framework may write it; TensorFlow says its version and cluster there"},
	{TS_PART_APP, "app.json", "an application may write it, any JSON object"},
};

/* --- reading ---------------------------------------------------------------------------------- */

static enum ts_code
read_file(struct ts_document *d, struct ts_files *files, const char *path,
	struct ts_progress *progress, const struct ts_cancel *cancel)
{
	struct ts_source *s;
	enum ts_code code;

	if (!path)
		return TS_E_ABSENT;
	code = ts_files_open(files, &s, path, cancel, &d->err);
	if (code)
		return code;
	code = ts_json_tree_read(&d->tree, s, progress, cancel, &d->err);
	ts_source_close(s);
	return code;
}

enum ts_code
ts_documents_read(struct ts_documents **out, const struct ts_report *r,
	struct ts_progress *progress, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_documents *d = ts_alloc(1, sizeof(*d));
	enum ts_code code = TS_OK;

	*out = NULL;
	if (!d)
		return ts_err_nomem(err);
	atomic_init(&d->uses, 1);
	for (int i = 0; i < TS_DOCUMENTS; i++) {
		struct ts_document *k = &d->document[i];

		k->name = known[i].name;
		k->writer = known[i].writer;
		k->code = read_file(k, r->files, r->part[known[i].part].path, progress, cancel);
		if (k->code == TS_E_CANCELLED || k->code == TS_E_NOMEM) {
			code = k->code;
			if (err)
				*err = k->err;
			break;
		}
	}
	if (code)
		ts_documents_close(d);
	else
		*out = d;
	return code;
}

struct ts_documents *
ts_documents_hold(struct ts_documents *d)
{
	if (d)
		atomic_fetch_add(&d->uses, 1);
	return d;
}

void
ts_documents_close(struct ts_documents *d)
{
	if (!d || atomic_fetch_sub(&d->uses, 1) > 1)
		return;
	for (int i = 0; i < TS_DOCUMENTS; i++)
		ts_json_tree_fini(&d->document[i].tree);
	free(d);
}

/* --- as one row of nodes ---------------------------------------------------------------------- */

static size_t
nodes_of(const struct ts_document *k)
{
	return k->tree.count ? k->tree.count : 1;
}

size_t
ts_documents_count(const struct ts_documents *d)
{
	size_t n = 0;

	for (int i = 0; i < TS_DOCUMENTS; i++)
		n += nodes_of(&d->document[i]);
	return n;
}

const struct ts_document *
ts_documents_at(const struct ts_documents *d, size_t *i)
{
	const struct ts_document *k = d->document;

	while (k < &d->document[TS_DOCUMENTS - 1] && *i >= nodes_of(k))
		*i -= nodes_of(k++);
	return k;
}

bool
ts_documents_any(const struct ts_documents *d)
{
	for (int i = 0; i < TS_DOCUMENTS; i++)
		if (d->document[i].code != TS_E_ABSENT)
			return true;
	return false;
}

static bool
same_tree(const struct ts_json_tree *a, const struct ts_json_tree *b)
{
	if (a->count != b->count || a->text_n != b->text_n || a->values != b->values)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		const struct ts_json_node *x = &a->node[i], *y = &b->node[i];

		if (x->text != y->text || x->key != y->key || x->value != y->value ||
			x->inside != y->inside || x->depth != y->depth || x->kind != y->kind ||
			x->element != y->element)
			return false;
	}
	return a->text_n == 0 || memcmp(a->text, b->text, a->text_n) == 0;
}

bool
ts_documents_same(const struct ts_documents *a, const struct ts_documents *b)
{
	for (int i = 0; i < TS_DOCUMENTS; i++)
		if (a->document[i].code != b->document[i].code ||
			strcmp(a->document[i].err.msg, b->document[i].err.msg) != 0 ||
			!same_tree(&a->document[i].tree, &b->document[i].tree))
			return false;
	return true;
}

void
ts_documents_path(struct ts_strbuf *out, const struct ts_documents *d, size_t i)
{
	const struct ts_document *k = ts_documents_at(d, &i);
	const struct ts_json_tree *t = &k->tree;

	for (size_t at = 0; at < i;) {
		size_t next = at + 1 + t->node[at].inside, n;
		const char *key = at ? ts_json_key(t, at, &n) : k->name;

		if (next <= i) {
			at = next;
			continue;
		}
		if (at == 0)
			n = strlen(k->name);
		ts_strbuf_puts(out, at ? " > " : "");
		if (t->node[at].element)
			ts_strbuf_printf(out, "[%u]", t->node[at].key);
		else
			ts_strbuf_add(out, key, n);
		at++;
	}
}

/* --- searching -------------------------------------------------------------------------------- */

static bool
holds(const char *s, size_t n, const char *needle, size_t m)
{
	for (size_t i = 0; i + m <= n; i++)
		if (strncasecmp(s + i, needle, m) == 0)
			return true;
	return false;
}

static bool
is_hit(const struct ts_document *k, size_t i, const char *needle, size_t m)
{
	const char *key = k->name, *value = "";
	size_t key_n = strlen(key), value_n = 0;

	if (i > 0)
		key = ts_json_key(&k->tree, i, &key_n);
	if (k->tree.count > 0)
		value = ts_json_value(&k->tree, i, &value_n);
	return holds(key, key_n, needle, m) || holds(value, value_n, needle, m);
}

enum ts_code
ts_documents_search(struct ts_document_hits *hits, const struct ts_documents *d, const char *needle,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	size_t n = ts_documents_count(d), m = strlen(needle);

	*hits = (struct ts_document_hits){0};
	for (size_t i = 0; m > 0 && i < n; i++) {
		size_t at = i;
		const struct ts_document *k = ts_documents_at(d, &at);
		enum ts_code code = TS_OK;

		if (i % LOOK_EVERY == 0 && ts_cancelled(cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		else if (!is_hit(k, at, needle, m))
			continue;
		else if (!ts_room((void **)&hits->node, &hits->room, hits->count,
				 sizeof(*hits->node)))
			code = ts_err_nomem(err);
		if (code) {
			free(hits->node);
			*hits = (struct ts_document_hits){0};
			return code;
		}
		hits->node[hits->count++] = (uint32_t)i;
	}
	return TS_OK;
}
