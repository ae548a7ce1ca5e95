/* SPDX-License-Identifier: MIT */
/*
 * debug - see the header.
 *
 * Lines of the tree are made once for an answer: a line for each level, in it its location, its id and what else
 * its map says. Their texts are kept in one buffer, raw: the canvas makes them safe.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/tile_variables.h"
#include "tilescope/view/debug.h"

enum {
	NAME_AT = 15, /* column of the screen at which names begin, behind the layer */
	TEXT_MAX = 2 << 20,
	KEYS_DEEP = TS_CBOR_DEPTH + 2,
	LEAST_ROWS = 10, /* of list and tab from which on they stand one above the other ... */
	BESIDE = 130,	 /* ... columns, side by side */
};

struct ts_debug_line {
	int depth, level;
	uint32_t inside, key, key_n, value, value_n;
	enum ts_role key_role, value_role;
};

struct debug_fetch {
	struct ts_fetch fetch; /* first */
	struct ts_debug_about about;
	const struct ts_cache *cache;
	struct ts_contexts *contexts; /* held; made when NULL or of another file */
	struct ts_context_path path;  /* the answer */
	bool found;		      /* the object has a context */
};

/* --- in a worker ------------------------------------------------------------------------------ */

/* Contexts of debug.cbor as it is now; none is no error where the report has a relation of its own. */
static enum ts_code
need_contexts(struct debug_fetch *d, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_err why = {0};
	bool current = false;
	enum ts_code code = TS_OK;

	if (d->contexts)
		code = ts_contexts_current(&current, d->contexts, err);
	if (code || current)
		return code;
	ts_contexts_close(d->contexts);
	code = ts_contexts_open(&d->contexts, rd->report, rd->index, d->cache,
		&d->fetch.job.progress, rd->cancel, &why);
	if (code == TS_E_ABSENT && ts_report_has(rd->report, TS_CONTEXT))
		return TS_OK;
	if (code && err)
		*err = why;
	return code;
}

static enum ts_code
read_path(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct debug_fetch *d = (struct debug_fetch *)f;
	uint64_t id = d->about.context;
	enum ts_code code = TS_OK;

	d->found = d->about.relation == TS_CONTEXT;
	if (d->about.relation == TS_LOWERED_VARIABLE && d->about.key >= 0)
		code = ts_tile_variable_bits(&id, &d->found, rd, d->about.key, d->about.row,
			TS_LOWERED_VARIABLE_CONTEXT, err);
	else if (!d->found)
		code = ts_context_of(&id, &d->found, rd, d->about.relation, d->about.key, err);
	if (code || !d->found)
		return code;
	code = need_contexts(d, rd, err);
	return code ? code : ts_context_path_read(&d->path, rd, d->contexts, id, err);
}

static void
fetch_fini(struct ts_fetch *f)
{
	struct debug_fetch *d = (struct debug_fetch *)f;

	ts_contexts_close(d->contexts);
	ts_context_path_fini(&d->path);
}

/* --- lines ------------------------------------------------------------------------------------ */

static uint32_t
keep(struct ts_debug *d, const char *s, size_t n, uint32_t *kept)
{
	size_t at = d->text.len;

	ts_strbuf_add(&d->text, s, n);
	*kept = (uint32_t)(d->text.len - at);
	return (uint32_t)at;
}

static struct ts_debug_line *
add_line(struct ts_debug *d, int level, int depth, const char *key, size_t key_n, const char *value,
	size_t value_n)
{
	struct ts_debug_line *l = &d->line[d->lines++];

	*l = (struct ts_debug_line){.level = level,
		.depth = depth,
		.key_role = TS_ROLE_LABEL,
		.value_role = TS_ROLE_VALUE};
	l->key = keep(d, key, key_n, &l->key_n);
	l->value = keep(d, value, value_n, &l->value_n);
	return l;
}

/* Said in a line of its own already. */
static bool
is_told(const struct ts_debug_tree *t, const struct ts_debug_node *n)
{
	static const char *const told[] = {"id", "parentId", "name", "layer", "location"};

	for (size_t i = 0; i < TS_COUNT(told); i++)
		if (n->key_n == strlen(told[i]) &&
			memcmp(t->text.s + n->key, told[i], n->key_n) == 0)
			return true;
	return false;
}

static void
add_detail(struct ts_debug *d, int level, const struct ts_debug_tree *t,
	const struct ts_debug_node *n, uint32_t number)
{
	bool holds = n->kind == TS_CBOR_MAP || n->kind == TS_CBOR_ARRAY;
	char key[32], value[32];
	struct ts_debug_line *l;

	snprintf(key, sizeof(key), "[%" PRIu32 "]", number);
	snprintf(value, sizeof(value), n->kind == TS_CBOR_MAP ? "{%" PRIu32 "}" : "[%" PRIu32 "]",
		n->items);
	l = add_line(d, level, n->depth + 1, n->key_n ? t->text.s + n->key : key,
		n->key_n ? n->key_n : strlen(key), holds ? value : t->text.s + n->value,
		holds ? strlen(value) : n->value_n);
	l->inside = n->inside;
	if (holds)
		l->value_role = TS_ROLE_DIM;
}

static void
add_details(struct ts_debug *d, int level, const struct ts_debug_tree *t)
{
	uint32_t number[KEYS_DEEP] = {0};

	for (size_t i = 0; i < t->count; i++) {
		const struct ts_debug_node *n = &t->node[i];

		if (n->depth == 0 && is_told(t, n)) {
			i += n->inside;
			continue;
		}
		if (n->depth + 1 < KEYS_DEEP)
			number[n->depth + 1] = 0;
		add_detail(d, level, t, n, n->depth < KEYS_DEEP ? number[n->depth]++ : 0);
	}
}

static void
add_level(struct ts_debug *d, int level)
{
	const struct ts_context_level *c = &d->path.level[level];
	const char *layer = c->layer ? c->layer : "(no layer)",
		   *name = c->name ? c->name : "(no name)";
	size_t first = d->lines;
	char text[64];

	add_line(d, level, 0, layer, strlen(layer), name, strlen(name))->key_role = TS_ROLE_ACCENT;
	if (c->file || c->function || c->line != TS_UNKNOWN) {
		struct ts_strbuf at;

		ts_strbuf_init(&at, 2 * TS_DEBUG_VALUE);
		ts_strbuf_puts(&at, c->file ? c->file : "(no file)");
		if (c->line != TS_UNKNOWN)
			ts_strbuf_printf(&at, ":%" PRId64, c->line);
		if (c->function)
			ts_strbuf_printf(&at, "  %s", c->function);
		add_line(d, level, 1, "location", 8, at.s, at.len);
		ts_strbuf_fini(&at);
	}
	snprintf(text, sizeof(text), "%" PRIu64, c->id);
	add_line(d, level, 1, "context", 7, text, strlen(text));
	add_details(d, level, &c->details);
	d->line[first].inside = (uint32_t)(d->lines - first - 1);
}

static void
node_text(void *ctx, size_t i, struct ts_tree_node *out)
{
	const struct ts_debug *d = ctx;
	const struct ts_debug_line *l = &d->line[i];

	out->depth = l->depth;
	out->inside = l->inside;
	out->key = d->text.s + l->key;
	out->key_n = l->key_n;
	out->value = d->text.s + l->value;
	out->value_n = l->value_n;
	out->key_role = l->key_role;
	out->value_role = l->value_role;
	out->value_at = l->depth == 0 ? NAME_AT : 0;
}

static void
forget_lines(struct ts_debug *d)
{
	ts_context_path_fini(&d->path);
	free(d->line);
	d->line = NULL;
	d->lines = 0;
	ts_strbuf_reset(&d->text);
	if (!ts_tree_set(&d->tree, node_text, d, 0, 0))
		d->failed = true;
}

/* The levels are open, what is in their details is folded. */
static bool
make_lines(struct ts_debug *d)
{
	size_t most = 0;

	for (int i = 0; i < d->path.count; i++)
		most += 3 + d->path.level[i].details.count;
	d->line = ts_alloc(most, sizeof(*d->line));
	if (!d->line)
		return false;
	for (int i = 0; i < d->path.count; i++)
		add_level(d, i);
	if (!ts_tree_set(&d->tree, node_text, d, d->lines, 1))
		return false;
	return !d->text.nomem;
}

/* --- life ------------------------------------------------------------------------------------- */

void
ts_debug_init(struct ts_debug *d)
{
	*d = (struct ts_debug){.asked = {.relation = TS_RELATION_COUNT}};
	ts_tree_init(&d->tree);
	ts_strbuf_init(&d->text, TEXT_MAX);
}

void
ts_debug_drop(struct ts_debug *d)
{
	bool shown = d->shown;

	ts_contexts_close(d->contexts);
	ts_context_path_fini(&d->path);
	ts_tree_fini(&d->tree);
	free(d->line);
	ts_strbuf_fini(&d->text);
	ts_debug_init(d);
	d->shown = shown;
}

static bool
same(const struct ts_debug_about *a, const struct ts_debug_about *b)
{
	return a->relation == b->relation && a->key == b->key && a->row == b->row &&
		a->context == b->context;
}

/* Is there nothing to ask, and why: absent.state is TS_PANE_ABSENT, or nothing is under the cursor. */
static bool
nothing_to_ask(struct ts_debug *d, const struct ts_report *r, const struct ts_debug_about *about)
{
	bool recorded = about->relation == TS_CONTEXT ||
		(about->relation != TS_RELATION_COUNT && ts_context_recorded(r, about->relation));

	d->absent = (struct ts_pane_data){0};
	if (about->relation == TS_RELATION_COUNT)
		return true;
	if (!recorded) {
		d->absent.absent = TS_ABSENT_CONTEXT_COLUMN;
		snprintf(d->absent.reason, sizeof(d->absent.reason),
			"its tables have no column for it that is known (tilescope schema lists what is "
			"there)");
	} else if (r->part[TS_PART_DEBUG].state == TS_PART_ABSENT &&
		!ts_report_has(r, TS_CONTEXT)) {
		d->absent.absent = TS_ABSENT_CONTEXTS;
		snprintf(d->absent.reason, sizeof(d->absent.reason),
			"there is no debug.cbor beside the profile, nor one directory up");
	} else {
		return false;
	}
	d->absent.state = TS_PANE_ABSENT;
	return true;
}

void
ts_debug_request(struct ts_debug *d, struct ts_view *v, const struct ts_debug_about *about)
{
	struct ts_view_env *env = v->env;
	uint64_t section = ts_section_bit(TS_SECTION_CONTEXTS);
	bool quick = d->contexts || ts_index_sections(env->index) & section ||
		env->report->part[TS_PART_DEBUG].state == TS_PART_ABSENT;
	struct debug_fetch *f;

	d->env = env;
	if (!d->shown)
		return;
	d->waiting = !quick && env->coming & section;
	if (d->waiting || same(&d->asked, about))
		return;
	d->asked = *about;
	if (nothing_to_ask(d, env->report, about)) {
		forget_lines(d);
		d->fetch = NULL;
		snprintf(d->say, sizeof(d->say),
			"Nothing under the cursor has a debug context: variables, programs and steps may.");
		return;
	}
	f = ts_alloc(1, sizeof(*f));
	if (!f)
		return;
	f->fetch.read = read_path;
	f->fetch.fini = fetch_fini;
	f->about = *about;
	f->cache = env->cache;
	f->contexts = ts_contexts_hold(d->contexts);
	d->fetch = &f->fetch;
	ts_fetch_send(v, &f->fetch, TS_DEBUG_KIND, quick ? TS_WORKER_SCREEN : TS_WORKER_BULK,
		"reading debug.cbor");
}

enum ts_effect
ts_debug_deliver(struct ts_debug *d, struct ts_view *v, struct ts_fetch *f)
{
	struct debug_fetch *a = (struct debug_fetch *)f;

	if (d->fetch != f)
		return TS_EFFECT_NONE;
	d->fetch = NULL;
	if (ts_fetch_in_vain(f, v->env->generation)) {
		d->asked.relation = TS_RELATION_COUNT;
		return TS_EFFECT_RECALC;
	}
	forget_lines(d);
	d->say[0] = '\0';
	d->failed = f->code && f->code != TS_E_ABSENT;
	if (a->contexts) {
		ts_contexts_close(d->contexts);
		d->contexts = a->contexts;
		a->contexts = NULL;
	}
	d->path = a->path;
	a->path = (struct ts_context_path){0};
	if (f->code)
		snprintf(d->say, sizeof(d->say), "%.299s", f->err.msg);
	else if (!a->found)
		snprintf(d->say, sizeof(d->say), "this %s has no debug context", a->about.what);
	else
		snprintf(d->say, sizeof(d->say), "%s", d->path.note);
	if (d->path.count > 0 && !make_lines(d)) {
		forget_lines(d);
		snprintf(d->say, sizeof(d->say), "out of memory");
	}
	return TS_EFFECT_REPAINT;
}

/* --- commands --------------------------------------------------------------------------------- */

static enum ts_effect
find(struct ts_debug *d, struct ts_view *v, int direction)
{
	size_t hit = d->search[0] ? ts_tree_find(&d->tree, d->search, direction) : SIZE_MAX;

	if (hit == SIZE_MAX) {
		ts_view_say(v->env,
			d->search[0] ? "nothing here is called %.100s"
				     : "nothing was searched for yet",
			d->search);
		return TS_EFFECT_BELL;
	}
	ts_tree_go(&d->tree, hit);
	return TS_EFFECT_REPAINT;
}

enum ts_effect
ts_debug_command(struct ts_debug *d, struct ts_view *v, const struct ts_call *call)
{
	const char *text = ts_call_arg(call, 0);
	int back = call->cmd == TS_CMD_SEARCH_BACK || call->cmd == TS_CMD_SEARCH_PREVIOUS;

	switch (call->cmd) {
	case TS_CMD_SEARCH:
	case TS_CMD_SEARCH_BACK:
		if (text)
			snprintf(d->search, sizeof(d->search), "%s", text);
		return find(d, v, back ? -1 : 1);
	case TS_CMD_SEARCH_NEXT:
	case TS_CMD_SEARCH_PREVIOUS:
		return find(d, v, back ? -1 : 1);
	case TS_CMD_COPY: {
		size_t at = ts_tree_cursor(&d->tree);

		if (at == SIZE_MAX)
			return TS_EFFECT_BELL;
		snprintf(v->env->copy, sizeof(v->env->copy), "%.*s\t%.*s",
			(int)ts_min_i64(d->line[at].key_n, 200), d->text.s + d->line[at].key,
			(int)ts_min_i64(d->line[at].value_n, 800), d->text.s + d->line[at].value);
		return TS_EFFECT_NONE;
	}
	default:
		return ts_tree_command(&d->tree, call->cmd);
	}
}

enum ts_effect
ts_debug_mouse(struct ts_debug *d, int y, int wheel)
{
	int64_t row = ts_list_at(&d->tree.list, y - 1);

	if (wheel)
		return ts_list_scroll(&d->tree.list, 3 * (int64_t)wheel);
	return row < 0 ? TS_EFFECT_REPAINT
		       : ts_list_go(&d->tree.list, row) | (int)TS_EFFECT_REPAINT;
}

enum ts_effect
ts_debug_edit(const struct ts_debug *d, struct ts_view *v)
{
	size_t at = ts_tree_cursor(&d->tree);
	int level = at == SIZE_MAX ? 0 : d->line[at].level;
	const struct ts_context_level *l = d->path.count ? &d->path.level[level] : NULL;

	for (int i = 0; at == 0 && i < d->path.count && !l->file; i++)
		l = &d->path.level[i];
	if (!l || !l->file) {
		ts_view_say(v->env,
			d->shown ? "no file is said here"
				 : "d shows where this comes from, then e opens it");
		return TS_EFFECT_BELL;
	}
	free(v->env->edit);
	v->env->edit = ts_strdup(l->file);
	v->env->edit_line = l->line;
	return TS_EFFECT_NONE;
}

/* --- drawing ---------------------------------------------------------------------------------- */

struct ts_rect
ts_debug_cut(struct ts_rect *r, const struct ts_debug *d, bool has_keys, bool zoomed)
{
	bool room = r->h >= LEAST_ROWS || r->w >= BESIDE;

	if (!d->shown || (!has_keys && (zoomed || !room)))
		return (struct ts_rect){0};
	if (zoomed || !room)
		return ts_rect_cut_bottom(r, r->h);
	return r->w >= BESIDE ? ts_rect_cut_right(r, r->w / 2)
			      : ts_rect_cut_bottom(r, (r->h + 1) / 2);
}

void
ts_debug_resize(struct ts_debug *d, struct ts_rect r)
{
	ts_tree_resize(&d->tree, r.h - 1 - (d->say[0] != '\0'));
}

void
ts_debug_draw(struct ts_canvas *c, struct ts_rect r, const struct ts_debug *d, bool focus)
{
	struct ts_rect rule = ts_rect_row(r, 0);
	enum ts_role role = d->failed ? TS_ROLE_ERROR : TS_ROLE_NOTE;
	char title[40];

	if (ts_rect_empty(r))
		return;
	ts_rect_cut_top(&r, 1);
	snprintf(title, sizeof(title), d->asked.what ? "Debug: %s" : "Debug", d->asked.what);
	ts_canvas_rule(c, rule, focus ? TS_ROLE_BORDER_ACTIVE : TS_ROLE_BORDER, title,
		d->path.count ? "leaf to root" : NULL);
	r.x += 1;
	r.w -= 2;
	if (d->waiting || (d->fetch && d->path.count == 0)) {
		ts_canvas_text(c, r, 0, 0, TS_ROLE_DIM, "debug.cbor is being read");
		return;
	}
	if (d->absent.state == TS_PANE_ABSENT) {
		ts_pane_draw(c, r, d->env, &d->absent);
		return;
	}
	if (d->path.count == 0) {
		ts_canvas_wrap(c, r, 0, d->failed ? TS_ROLE_ERROR : TS_ROLE_DIM,
			d->asked.what
				? d->say
				: "nothing to look up: no row is under the cursor, or it is not "
				  "found (yet: its rows may need the index)");
		return;
	}
	if (d->say[0]) {
		struct ts_rect last = ts_rect_cut_bottom(&r, 1);

		ts_canvas_field(c, last, 0, 0, last.w, role, d->say, strlen(d->say),
			TS_FIELD_ELLIPSIS);
	}
	ts_tree_draw(c, r, &d->tree, focus, "");
}
