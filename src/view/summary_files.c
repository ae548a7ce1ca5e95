/* SPDX-License-Identifier: MIT */
/*
 * summary_files - the lower pane of Summary: framework.json and app.json as one folded tree.
 *
 * A worker reads both (once for a report), and a worker searches them: they may have a million values. Each text is
 * made where it is drawn, into a buffer of the pane's, cut at what fits on any line.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"

#include "summary_internal.h"

enum { OPEN_BELOW = 12 }; /* a file with fewer members is open at first */

struct files_fetch {
	struct ts_fetch fetch;	    /* first */
	struct ts_documents *files; /* the answer */
};

struct search_fetch {
	struct ts_fetch fetch;	    /* first */
	struct ts_documents *files; /* held */
	char sought[SUMMARY_SOUGHT];
	struct ts_document_hits hits;
};

/* --- in a worker ------------------------------------------------------------------------------ */

static enum ts_code
read_files(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct files_fetch *a = (struct files_fetch *)f;

	return ts_documents_read(&a->files, rd->report, &f->job.progress, rd->cancel, err);
}

static void
fini_files(struct ts_fetch *f)
{
	ts_documents_close(((struct files_fetch *)f)->files);
}

static enum ts_code
read_hits(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct search_fetch *a = (struct search_fetch *)f;

	return ts_documents_search(&a->hits, a->files, a->sought, rd->cancel, err);
}

static void
fini_hits(struct ts_fetch *f)
{
	struct search_fetch *a = (struct search_fetch *)f;

	ts_documents_close(a->files);
	free(a->hits.node);
}

/* --- what a node says ------------------------------------------------------------------------- */

static void
root_text(struct summary_files *p, const struct ts_document *k, struct ts_tree_node *out)
{
	const struct ts_json_tree *t = &k->tree;
	char kept[TS_FMT_MAX], all[TS_FMT_MAX];

	out->key = k->name;
	out->key_n = strlen(k->name);
	out->key_role = TS_ROLE_ACCENT;
	out->value_role = k->code == TS_OK || k->code == TS_E_ABSENT ? TS_ROLE_DIM : TS_ROLE_ERROR;
	if (k->code == TS_E_ABSENT)
		snprintf(p->value, sizeof(p->value), "is not there (%s)", k->writer);
	else if (k->code)
		snprintf(p->value, sizeof(p->value), "%s: %s%s",
			k->code == TS_E_DAMAGED ? "damaged" : "could not be read", k->err.msg,
			t->count > 1 ? "; what stands before it:" : "");
	else if (t->values > (int64_t)t->count)
		snprintf(p->value, sizeof(p->value), "the first %s of %s values",
			ts_fmt_count(kept, (int64_t)t->count), ts_fmt_count(all, t->values));
	else
		snprintf(p->value, sizeof(p->value), "{ %s }", ts_fmt_count(all, t->node[0].value));
	out->value = p->value;
	out->value_n = strlen(p->value);
}

/* A text of the file in quotes; the others as they are written. */
static void
leaf_text(struct summary_files *p, const struct ts_json_tree *t, size_t i, struct ts_tree_node *out)
{
	bool quoted = t->node[i].kind == TS_JSON_STRING;
	size_t n, room = sizeof(p->value) - 2, at = 0;
	const char *s = ts_json_value(t, i, &n);

	if (quoted)
		p->value[at++] = '"';
	memcpy(p->value + at, s, n < room ? n : room);
	at += n < room ? n : room;
	if (quoted && n <= room)
		p->value[at++] = '"';
	out->value = p->value;
	out->value_n = at;
	out->value_role = quoted ? TS_ROLE_VALUE : TS_ROLE_ACCENT;
}

static void
holder_text(struct summary_files *p, const struct ts_json_node *v, struct ts_tree_node *out)
{
	char items[TS_FMT_MAX];

	ts_fmt_count(items, v->value);
	if (v->kind == TS_JSON_OBJECT)
		snprintf(p->value, sizeof(p->value), v->value ? "{ %s }" : "{}", items);
	else
		snprintf(p->value, sizeof(p->value), v->value ? "[ %s item%s ]" : "[]", items,
			v->value == 1 ? "" : "s");
	out->value = p->value;
	out->value_n = strlen(p->value);
	out->value_role = TS_ROLE_DIM;
}

static void
node_text(void *ctx, size_t i, struct ts_tree_node *out)
{
	struct summary_files *p = ctx;
	const struct ts_document *k = ts_documents_at(p->files, &i);
	const struct ts_json_node *v = k->tree.count ? &k->tree.node[i] : NULL;

	out->depth = v ? v->depth : 0;
	out->inside = v ? v->inside : 0;
	if (out->shape)
		return;
	if (i == 0) {
		root_text(p, k, out);
		return;
	}
	if (v->element) {
		snprintf(p->key, sizeof(p->key), "[%" PRIu32 "]", v->key);
		out->key = p->key;
		out->key_n = strlen(p->key);
	} else {
		out->key = ts_json_key(&k->tree, i, &out->key_n);
	}
	if (v->kind == TS_JSON_OBJECT || v->kind == TS_JSON_ARRAY)
		holder_text(p, v, out);
	else
		leaf_text(p, &k->tree, i, out);
}

/* --- life ------------------------------------------------------------------------------------- */

void
summary_files_init(struct summary_files *p)
{
	ts_tree_init(&p->tree);
}

static void
forget_hits(struct summary_files *p)
{
	free(p->hits.node);
	p->hits = (struct ts_document_hits){0};
	p->hits_of[0] = '\0';
	p->searching = NULL;
}

void
summary_files_fini(struct summary_files *p)
{
	forget_hits(p);
	ts_tree_fini(&p->tree);
	ts_documents_close(p->files);
	p->files = NULL;
	summary_files_init(p);
}

/* What is shown stays until the answer comes: it may be the same. */
void
summary_files_drop(struct summary_files *p)
{
	p->asked = NULL;
	p->state = (struct ts_pane_data){0};
	p->searching = NULL;
}

void
summary_files_request(struct summary_files *p, struct ts_view *v)
{
	struct files_fetch *f;

	if (p->state.state != TS_PANE_EMPTY)
		return;
	f = ts_alloc(1, sizeof(*f));
	if (!f)
		return;
	f->fetch.read = read_files;
	f->fetch.fini = fini_files;
	p->asked = &f->fetch;
	p->state.state = TS_PANE_LOADING;
	ts_fetch_send(v, &f->fetch, ASK_FILES, TS_WORKER_BULK, "reading framework.json, app.json");
}

/* Small files are open at first, large ones folded. */
static void
show_files(struct summary_files *p, struct ts_documents *files)
{
	size_t from = 0;

	forget_hits(p);
	ts_documents_close(p->files);
	p->files = files;
	if (!ts_tree_set(&p->tree, node_text, p, ts_documents_count(files), 0)) {
		p->state.state = TS_PANE_FAILED;
		snprintf(p->state.reason, sizeof(p->state.reason), "out of memory");
		return;
	}
	while (from < p->tree.count) {
		size_t i = from;
		const struct ts_json_tree *t = &ts_documents_at(files, &i)->tree;

		if (t->count > 1 && t->node[0].value < OPEN_BELOW)
			ts_tree_open(&p->tree, from, true);
		from += t->count ? t->count : 1;
	}
}

static enum ts_effect
take_files(struct summary_files *p, struct ts_view *v, struct ts_fetch *f)
{
	struct files_fetch *a = (struct files_fetch *)f;

	if (p->asked != f)
		return TS_EFFECT_NONE;
	p->asked = NULL;
	if (ts_fetch_in_vain(f, v->env->generation)) {
		p->state.state = TS_PANE_FAILED;
		snprintf(p->state.reason, sizeof(p->state.reason), "cancelled (r reads it again)");
		return TS_EFFECT_REPAINT;
	}
	ts_pane_result(&p->state, f->code, &f->err, false);
	if (f->code || (p->files && ts_documents_same(p->files, a->files)))
		return TS_EFFECT_REPAINT;
	show_files(p, a->files);
	a->files = NULL;
	return TS_EFFECT_REPAINT;
}

/* --- searching -------------------------------------------------------------------------------- */

/* The hit behind the cursor (before it for back), round and round. */
static enum ts_effect
go_to_hit(struct summary_files *p, struct ts_view_env *env)
{
	size_t at = ts_tree_cursor(&p->tree), i = 0, n = p->hits.count;
	char number[TS_FMT_MAX], all[TS_FMT_MAX];
	struct ts_strbuf path;

	if (n == 0) {
		ts_view_say_error(env, "not found in framework.json, app.json: %.100s", p->sought);
		return TS_EFFECT_BELL;
	}
	while (i < n && p->hits.node[i] < at)
		i++;
	if (p->back)
		i = (i + n - 1) % n;
	else if (i < n && p->hits.node[i] == at)
		i++;
	i %= n;
	ts_tree_go(&p->tree, p->hits.node[i]);
	ts_strbuf_init(&path, sizeof(env->message) / 2);
	ts_documents_path(&path, p->files, p->hits.node[i]);
	ts_view_say(env, "hit %s of %s  %s", ts_fmt_count(number, (int64_t)i + 1),
		ts_fmt_count(all, (int64_t)n), path.s);
	ts_strbuf_fini(&path);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
take_hits(struct summary_files *p, struct ts_view *v, struct ts_fetch *f)
{
	struct search_fetch *a = (struct search_fetch *)f;

	if (p->searching != f)
		return TS_EFFECT_NONE;
	p->searching = NULL;
	if (ts_fetch_in_vain(f, v->env->generation) || a->files != p->files)
		return TS_EFFECT_NONE;
	if (f->code) {
		ts_view_say_error(v->env, "%s", f->err.msg);
		return TS_EFFECT_BELL;
	}
	forget_hits(p);
	p->hits = a->hits;
	a->hits = (struct ts_document_hits){0};
	snprintf(p->hits_of, sizeof(p->hits_of), "%s", a->sought);
	return go_to_hit(p, v->env);
}

static enum ts_effect
search(struct summary_files *p, struct ts_view *v)
{
	struct search_fetch *f;

	if (!p->sought[0] || !p->files)
		return TS_EFFECT_BELL;
	if (strcmp(p->hits_of, p->sought) == 0)
		return go_to_hit(p, v->env);
	f = ts_alloc(1, sizeof(*f));
	if (!f)
		return TS_EFFECT_BELL;
	f->fetch.read = read_hits;
	f->fetch.fini = fini_hits;
	f->files = ts_documents_hold(p->files);
	snprintf(f->sought, sizeof(f->sought), "%s", p->sought);
	p->searching = &f->fetch;
	ts_fetch_send(v, &f->fetch, ASK_HITS, TS_WORKER_BULK, "searching framework.json, app.json");
	return TS_EFFECT_NONE;
}

/* --- commands --------------------------------------------------------------------------------- */

static enum ts_effect
copy(struct summary_files *p, struct ts_view_env *env)
{
	struct ts_tree_node n = {0};
	size_t at = ts_tree_cursor(&p->tree);

	if (at == SIZE_MAX)
		return TS_EFFECT_BELL;
	node_text(p, at, &n);
	snprintf(env->copy, sizeof(env->copy), "%.*s\t%.*s", (int)ts_min_i64((int64_t)n.key_n, 200),
		n.key, (int)ts_min_i64((int64_t)n.value_n, 800), n.value);
	return TS_EFFECT_NONE;
}

enum ts_effect
summary_files_command(struct summary_files *p, struct ts_view *v, const struct ts_call *call)
{
	const char *text = ts_call_arg(call, 0);

	switch (call->cmd) {
	case TS_CMD_SEARCH:
	case TS_CMD_SEARCH_BACK:
		if (text)
			snprintf(p->sought, sizeof(p->sought), "%s", text);
		p->back = call->cmd == TS_CMD_SEARCH_BACK;
		return search(p, v);
	case TS_CMD_SEARCH_NEXT:
	case TS_CMD_SEARCH_PREVIOUS:
		p->back = call->cmd == TS_CMD_SEARCH_PREVIOUS;
		return search(p, v);
	case TS_CMD_COPY:
		return copy(p, v->env);
	default:
		return ts_tree_command(&p->tree, call->cmd);
	}
}

enum ts_effect
summary_files_deliver(struct summary_files *p, struct ts_view *v, struct ts_fetch *f)
{
	return f->job.kind == ASK_FILES ? take_files(p, v, f) : take_hits(p, v, f);
}

enum ts_effect
summary_files_mouse(struct summary_files *p, int y, int wheel)
{
	int64_t row = ts_list_at(&p->tree.list, y - 1);

	if (wheel)
		return ts_list_scroll(&p->tree.list, 3 * (int64_t)wheel);
	return row < 0 ? TS_EFFECT_REPAINT
		       : ts_list_go(&p->tree.list, row) | (int)TS_EFFECT_REPAINT;
}

/* --- drawing ---------------------------------------------------------------------------------- */

int
summary_files_rows(const struct summary_files *p, bool focus)
{
	if (!focus && (!p->files || !ts_documents_any(p->files)))
		return 1;
	return 1 + (int)ts_clamp_i64(p->tree.list.count, 1, 1 << 16);
}

void
summary_files_resize(struct summary_files *p, struct ts_rect r)
{
	ts_tree_resize(&p->tree, r.h - 1);
}

/* What the rule says, which may be all that is seen of the pane. */
static const char *
state_of(const struct summary_files *p)
{
	const struct ts_document *k[TS_DOCUMENTS];
	size_t at = 0;

	if (!p->files)
		return NULL;
	for (int i = 0; i < TS_DOCUMENTS; i++) {
		size_t node = at;

		k[i] = ts_documents_at(p->files, &node);
		at += k[i]->tree.count ? k[i]->tree.count : 1;
		if (k[i]->code && k[i]->code != TS_E_ABSENT)
			return "damaged";
	}
	if (!ts_documents_any(p->files))
		return "not there";
	return k[0]->code    ? "only app.json is there"
		: k[1]->code ? "only framework.json is there"
			     : "there";
}

void
summary_files_draw(struct ts_canvas *c, struct ts_rect r, const struct summary_files *p, bool focus)
{
	if (ts_rect_empty(r))
		return;
	ts_canvas_rule(c, ts_rect_row(r, 0), focus ? TS_ROLE_BORDER_ACTIVE : TS_ROLE_BORDER,
		"FRAMEWORK.JSON, APP.JSON", state_of(p));
	ts_rect_cut_top(&r, 1);
	if (p->files && p->state.state != TS_PANE_FAILED)
		ts_tree_draw(c, r, &p->tree, focus, "");
	else if (p->state.state == TS_PANE_FAILED)
		ts_canvas_wrap(c, r, 0, TS_ROLE_ERROR, p->state.reason);
	else
		ts_canvas_text(c, r, 2, 0, TS_ROLE_DIM, "being read");
}
