/* SPDX-License-Identifier: MIT */
/*
 * program_path - the tab with the place of a program among those that call it (program_tabs.h). The tree of programs is read
 * once a report, where the view has none, the way to a program whenever the cursor comes to another one.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "tilescope/base/mem.h"

#include "program_tabs.h"

enum { NO_PROGRAM = -2 };

struct path_fetch {
	struct ts_fetch f;
	int64_t program;
	struct ts_program_tree *tree; /* held; NULL: read it */
	bool no_tree;		      /* there is none */
	struct ts_program_path path;
};

struct path_tab {
	struct ts_held_list l; /* first */
	const struct program_tab_of *of;
	struct ts_fetch *sent;
	int64_t asked;		      /* program; NO_PROGRAM: none */
	struct ts_program_tree *tree; /* held */
	bool known, no_tree;
	struct ts_program_path path;
};

static enum ts_code
read_path(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct path_fetch *p = (struct path_fetch *)f;
	enum ts_code code = TS_OK;

	if (!p->tree)
		code = ts_program_tree_read(&p->tree, rd, NULL, &f->job.progress, err);
	p->no_tree = code == TS_E_ABSENT;
	if (code && code != TS_E_ABSENT && code != TS_E_DAMAGED)
		return code;
	return ts_program_path_read(&p->path, rd, p->tree, p->program, err);
}

static void
fini_path(struct ts_fetch *f)
{
	struct path_fetch *p = (struct path_fetch *)f;

	ts_program_tree_close(p->tree);
	ts_program_path_fini(&p->path);
}

bool
program_path_open(struct ts_tab *t, const struct program_tab_of *of)
{
	struct path_tab *p = ts_alloc(1, sizeof(*p));

	if (!p)
		return false;
	p->of = of;
	p->asked = NO_PROGRAM;
	ts_held_list_init(&p->l, -1);
	t->own = p;
	return true;
}

void
program_path_drop(struct ts_tab *t)
{
	struct path_tab *p = t->own;

	ts_program_path_fini(&p->path);
	ts_program_tree_close(p->tree);
	p->tree = NULL;
	p->known = p->no_tree = false;
	p->sent = NULL;
	p->asked = NO_PROGRAM;
	p->l.of++;
}

void
program_path_close(struct ts_tab *t)
{
	program_path_drop(t);
	ts_held_list_fini(&((struct path_tab *)t->own)->l);
	free(t->own);
}

bool
program_path_absent(const struct ts_tab *t)
{
	const struct ts_report *r = t->view->env->report;

	return r && !ts_report_has(r, TS_PROGRAM_CHILD);
}

void
program_path_request(struct ts_tab *t)
{
	struct path_tab *p = t->own;
	int64_t program = p->of->program(t);
	struct path_fetch *f;

	if (program == p->asked || !p->of->ready(t))
		return;
	p->asked = program;
	if (program < 0) {
		p->known = false;
		return;
	}
	f = ts_alloc(1, sizeof(*f));
	if (!f)
		return;
	f->f.read = read_path;
	f->f.fini = fini_path;
	f->program = program;
	if (!p->tree && p->of->tree)
		p->tree = p->of->tree(t);
	f->tree = p->tree ? ts_program_tree_hold(p->tree) : NULL;
	p->sent = &f->f;
	ts_fetch_send(t->view, &f->f, t->kind, p->tree ? TS_WORKER_SCREEN : TS_WORKER_BULK,
		"reading the tree of programs");
}

enum ts_effect
program_path_deliver(struct ts_tab *t, struct ts_fetch *f)
{
	struct path_tab *p = t->own;
	struct path_fetch *answer = (struct path_fetch *)f;

	if (!p->tree && answer->tree && !ts_fetch_in_vain(f, t->view->env->generation))
		p->tree = ts_program_tree_hold(answer->tree);
	if (p->sent != f)
		return TS_EFFECT_NONE;
	p->sent = NULL;
	if (ts_fetch_in_vain(f, t->view->env->generation) || f->code)
		return TS_EFFECT_REPAINT;
	ts_program_path_fini(&p->path);
	p->path = answer->path;
	answer->path = (struct ts_program_path){0};
	p->no_tree = answer->no_tree;
	p->known = true;
	p->l.of++;
	ts_list_set_count(&p->l.list, p->path.levels);
	ts_list_go(&p->l.list, p->path.levels - 1);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

enum { P_WHAT, P_NAME, P_PROGRAM, P_PLACE, P_USES, P_COUNT };

static const struct ts_column path_columns[P_COUNT] = {
	{"program, the root first", 26, 40, 1, 0, TS_FIELD_ELLIPSIS},
	{"name", 12, 0, 3, 0, TS_FIELD_TAIL},
	{"number", 9, 0, 0, 1, TS_FIELD_RIGHT},
	{"child", 13, 0, 0, 2, TS_FIELD_RIGHT},
	{"used", 10, 0, 0, 0, TS_FIELD_RIGHT},
};

static const struct ts_column_facts path_facts[P_COUNT] = {
	{"type", NULL, TS_SUM_NONE, false},
	{"name", NULL, TS_SUM_NONE, false},
	{"program", NULL, TS_SUM_NONE, false},
	{"child", NULL, TS_SUM_NONE, false},
	{"uses", NULL, TS_SUM_NONE, false},
};

/* Type and repeat count of a level, indented by its depth. */
static void
level_text(const struct path_tab *p, int64_t i, char out[64])
{
	const struct ts_path_level *v = &p->path.level[i];
	const char *type = v->type_length > 0 ? p->path.text.s + v->type_at : "program";
	char count[TS_FMT_MAX + 4] = "", n[TS_FMT_MAX];
	int indent = (int)(i < 12 ? i : 12) * 2;

	if (v->repeat_count != TS_UNKNOWN)
		snprintf(count, sizeof(count), " x%s", ts_fmt_count(n, v->repeat_count));
	snprintf(out, 64, "%*s%.20s%s", indent, "", type, count);
}

static bool
path_cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct path_tab *p = ctx;
	const struct ts_path_level *v;
	char n[TS_FMT_MAX], m[TS_FMT_MAX];

	if (i < 0 || i >= p->path.levels)
		return false;
	v = &p->path.level[i];
	out->s = out->buf;
	switch (column) {
	case P_WHAT:
		level_text(p, i, out->buf);
		break;
	case P_NAME:
		out->s = v->name_length > 0 ? p->path.text.s + v->name_at : "";
		break;
	case P_PROGRAM:
		snprintf(out->buf, sizeof(out->buf), "%lld", (long long)v->program);
		break;
	case P_PLACE:
		if (v->of > 0)
			snprintf(out->buf, sizeof(out->buf), "%s of %s",
				ts_fmt_count(n, v->place + 1), ts_fmt_count(m, v->of));
		break;
	default:
		out->role = v->uses > 1 ? TS_ROLE_NOTE : TS_ROLE_TEXT;
		if (v->uses > 0)
			snprintf(out->buf, sizeof(out->buf), "%s%s", ts_fmt_count(n, v->uses),
				v->uses > 1 ? " times" : "");
	}
	return true;
}

static bool
path_value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct path_tab *p = ctx;
	const struct ts_path_level *v;

	if (i < 0 || i >= p->path.levels)
		return false;
	v = &p->path.level[i];
	if (column == P_WHAT || column == P_NAME) {
		uint32_t n = column == P_WHAT ? v->type_length : v->name_length;

		ts_table_value_text(out,
			n == 0 ? NULL
			       : p->path.text.s + (column == P_WHAT ? v->type_at : v->name_at));
	} else
		ts_table_value_known(out,
			column == P_PROGRAM	    ? v->program
				: column == P_PLACE ? (v->of > 0 ? v->place + 1 : TS_UNKNOWN)
						    : v->uses);
	return true;
}

static const struct ts_held_table path_table = {.id = "program.path",
	.column = path_columns,
	.facts = path_facts,
	.columns = P_COUNT,
	.cell = path_cell,
	.value = path_value,
	.empty = "this program has no place"};

static void
path_begin(struct path_tab *p, const struct ts_tab *t)
{
	ts_held_list_begin(&p->l, t, &path_table, t->r, p->known ? p->path.levels : 0);
}

void
program_path_resize(struct ts_tab *t)
{
	path_begin(t->own, t);
}

void
program_path_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct path_tab *p = t->own;
	bool shared = false;

	for (int i = 0; p->known && i < p->path.levels; i++)
		shared |= p->path.level[i].uses > 1;
	if (!p->known)
		p->of->place(t, out);
	else if (!p->path.rooted)
		snprintf(out, TS_TAB_NOTE, "not reached from a root");
	else
		snprintf(out, TS_TAB_NOTE, "%s%s%s",
			p->path.function ? "function" : "control program",
			shared ? ", first of several uses" : "", p->path.cut ? ", cut" : "");
}

void
program_path_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct path_tab *p = t->own;

	(void)focus;
	if (p->of->program(t) < 0)
		ts_canvas_wrap(c, t->r, 0, TS_ROLE_DIM, p->of->nothing);
	else if (program_path_absent(t))
		ts_canvas_wrap(c, t->r, 0, TS_ROLE_DIM,
			"Which programs call which (program_child) is not in this report.");
	else if (!p->known)
		ts_canvas_pending(c, t->r, 2, 0);
	else {
		path_begin(p, t);
		ts_held_list_draw(&p->l, c, t->r);
	}
}

enum ts_effect
program_path_command(struct ts_tab *t, const struct ts_call *call)
{
	struct path_tab *p = t->own;
	int64_t row;

	path_begin(p, t);
	row = p->known ? ts_held_list_row(&p->l) : -1;
	if (call->cmd == TS_CMD_SORT || call->cmd == TS_CMD_SORT_REVERSE)
		return TS_EFFECT_BELL; /* a way has one order */
	if (call->cmd == TS_CMD_OPEN && !ts_call_arg(call, 0) && p->of->open_program && row >= 0)
		return p->of->open_program(t, p->path.level[row].program);
	return ts_held_list_command(&p->l, t, call);
}

enum ts_effect
program_path_mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct path_tab *p = t->own;

	(void)x;
	path_begin(p, t);
	return ts_held_list_mouse(&p->l, t->r, y, wheel);
}

bool
program_path_about(const struct ts_tab *t, struct ts_debug_about *out)
{
	const struct path_tab *p = t->own;
	int64_t row = p->known ? ts_held_list_row(&p->l) : -1;

	if (row < 0)
		return false;
	*out = (struct ts_debug_about){.relation = TS_PROGRAM,
		.key = p->path.level[row].program,
		.what = "program"};
	return true;
}

struct ts_list *
program_path_list(struct ts_tab *t, bool *there)
{
	struct path_tab *p = t->own;

	*there = p->known && p->path.program == p->of->program(t);
	return &p->l.list;
}

static void
explain_level(struct ts_explain *out, const struct ts_path_level *v)
{
	struct ts_explained *x = ts_explain_add(out, "uses of program %lld", (long long)v->program);

	ts_explain_integer(x, v->uses, "uses");
	ts_explain_from(x, TS_KNOWN_RECORDED, "program_child.child, program_root.program");
	ts_explain_query(x,
		"SELECT (SELECT count(*) FROM program_child WHERE child = %lld) + (SELECT count(*) "
		"FROM program_root WHERE program = %lld)",
		(long long)v->program, (long long)v->program);
}

void
program_path_explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct path_tab *p = t->own;
	int64_t row = p->known ? ts_held_list_row(&p->l) : -1;

	if (row >= 0 && row < p->path.levels && p->tree)
		explain_level(out, &p->path.level[row]);
}
