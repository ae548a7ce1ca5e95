/* SPDX-License-Identifier: MIT */
/*
 * check_parts - archive.a, debug.cbor, vars.json and the small JSON files: each read from front to back, by the same
 * readers that the views use; what was read before damage is counted.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/format/debug_info.h"
#include "tilescope/format/json_file.h"
#include "tilescope/format/vars_json.h"

#include "archive_helper.h"
#include "check_internal.h"

enum { ASKED = 256 };

/* --- archive.a ----------------------------------------------------------------------------------- */

struct tiles {
	struct ts_check_part *part;
	int64_t first, sections, functions, damaged;
	struct ts_err *why; /* of the first that is damaged */
	int64_t tile;
};

static void
take_tile(void *ctx, size_t i, const struct helper_answer *answer)
{
	struct tiles *t = ctx;

	if (!answer->code) {
		t->sections += answer->reply->sections;
		t->functions += answer->reply->functions;
		return;
	}
	if (t->damaged++ > 0)
		return;
	t->tile = t->first + (int64_t)i;
	ts_err_set(t->why, TS_E_DAMAGED, "%s",
		answer->reply ? answer->reply->why : "the process that reads it ended over it");
}

/* Sections and functions of every tile that has a .text. */
static enum ts_code
read_tiles(struct ts_check_part *p, const struct check_run *run, struct ts_err *err)
{
	const struct ts_archive *a = run->archive;
	struct helper h = {.source = a->source, .cancel = run->options->cancel};
	struct ts_elf_request question[ASKED];
	struct ts_err why = {0}, own = {0};
	struct tiles t = {.part = p, .why = &why};
	enum ts_code code = TS_OK;

	for (size_t i = 0; !code && i < a->tiles; i += ASKED) {
		size_t n = a->tiles - i < ASKED ? a->tiles - i : ASKED;

		t.first = (int64_t)i;
		for (size_t k = 0; k < n; k++)
			question[k] = (struct ts_elf_request){.hello = TS_ELF_HELLO,
				.details = 1,
				.offset = a->tile[i + k].member.offset,
				.size = a->tile[i + k].member.size};
		code = helper_ask(&h, question, n, take_tile, &t, &own);
		ts_progress_set(run->options->progress, (int64_t)(i + n), (int64_t)a->tiles);
	}
	helper_end(&h);
	if (!check_item(p, "sections", NULL, t.sections) ||
		!check_item(p, "functions", NULL, t.functions))
		return ts_err_nomem(err);
	if (t.damaged > 0)
		check_damage(p,
			"sections and functions of %lld tiles cannot be read, first tile %lld: %s",
			(long long)t.damaged, (long long)t.tile, why.msg);
	return code == TS_E_LIMIT ? TS_OK
				  : check_failed(p, "sections and functions", code, &own, err);
}

enum ts_code
check_archive(struct ts_check_part *p, struct check_run *run, struct ts_err *err)
{
	struct ts_err why = {0};
	struct ts_archive *a;
	enum ts_code code = ts_archive_read(&a, run->options->files, p->path,
		run->options->progress, run->options->cancel, &why);

	if (code)
		return check_failed(p, NULL, code, &why, err);
	run->archive = a;
	p->kind = "ar archive";
	if (!a->left_out &&
		(!check_item(p, "members", NULL, a->members) ||
			!check_item(p, "tiles", NULL, (int64_t)a->tiles - a->broken)))
		return ts_err_nomem(err);
	for (int i = 0; i < a->notes.count; i++)
		if (a->notes.partial)
			check_damage(p, "%s", a->notes.note[i]);
		else
			ts_notes_add(&p->notes, "%s", a->notes.note[i]);
	return run->options->deep && a->tiles > 0 ? read_tiles(p, run, err) : TS_OK;
}

/* --- debug.cbor ---------------------------------------------------------------------------------- */

struct debug {
	const struct check_run *run;
	struct ts_source *source;
	int64_t contexts, strings, without_id, damaged;
	uint64_t at; /* of the first context whose details are damaged */
	struct ts_err why;
};

static enum ts_code
take_context(void *ctx, const struct ts_debug_context *c, struct ts_err *err)
{
	struct debug *d = ctx;
	struct ts_debug_tree tree;
	struct ts_err why = {0};
	enum ts_code code;

	d->contexts++;
	d->without_id += !c->has_id;
	if (!d->run->options->deep)
		return TS_OK;
	code = ts_debug_tree_read(&tree, d->source, c->offset, d->run->options->cancel, &why);
	ts_debug_tree_fini(&tree);
	if (code == TS_E_DAMAGED) {
		if (d->damaged++ == 0) {
			d->at = c->offset;
			d->why = why;
		}
		return TS_OK;
	}
	if (code && err)
		*err = why;
	return code;
}

static enum ts_code
take_string(void *ctx, uint64_t offset, struct ts_err *err)
{
	struct debug *d = ctx;

	(void)offset;
	(void)err;
	d->strings++;
	return TS_OK;
}

static enum ts_code
count_debug(struct ts_check_part *p, const struct debug *d, struct ts_err *err)
{
	if (!check_item(p, "contexts", NULL, d->contexts) ||
		!check_item(p, "strings", NULL, d->strings))
		return ts_err_nomem(err);
	if (d->without_id > 0)
		ts_notes_add(&p->notes, "%lld contexts have no id: nothing can lead to them",
			(long long)d->without_id);
	if (d->damaged > 0)
		check_damage(p,
			"details of %lld contexts cannot be read, first the one at offset %llu: %s",
			(long long)d->damaged, (unsigned long long)d->at, d->why.msg);
	return TS_OK;
}

enum ts_code
check_debug(struct ts_check_part *p, struct check_run *run, struct ts_err *err)
{
	struct debug d = {.run = run};
	struct ts_debug_visitor v = {.ctx = &d,
		.context = take_context,
		.string = take_string,
		.progress = run->options->progress,
		.cancel = run->options->cancel};
	struct ts_err why = {0};
	enum ts_code code = ts_files_open(run->options->files, &d.source, p->path,
			     run->options->cancel, &why),
		     end;

	if (code)
		return check_failed(p, NULL, code, &why, err);
	p->kind = "CBOR";
	code = ts_debug_info_read(d.source, &v, &why);
	ts_source_close(d.source);
	end = count_debug(p, &d, err);
	return end ? end : check_failed(p, NULL, code, &why, err);
}

/* --- JSON ---------------------------------------------------------------------------------------- */

enum ts_code
check_json(struct ts_check_part *p, struct check_run *run, struct ts_err *err)
{
	struct ts_json_tree tree = {0};
	struct ts_source *s;
	struct ts_err why = {0};
	enum ts_code code = ts_files_open(run->options->files, &s, p->path, run->options->cancel,
		&why);

	if (code)
		return check_failed(p, NULL, code, &why, err);
	p->kind = "JSON";
	code = ts_json_tree_read(&tree, s, run->options->progress, run->options->cancel, &why);
	ts_source_close(s);
	if (tree.count > 0 &&
		(!check_item(p, "keys", NULL, tree.node[0].value) ||
			!check_item(p, "values", NULL, tree.values - 1)))
		code = ts_err_nomem(&why);
	ts_json_tree_fini(&tree);
	return check_failed(p, NULL, code, &why, err);
}

static enum ts_code
take_variable(void *ctx, const struct ts_vars_variable *v, struct ts_err *err)
{
	(void)v;
	(void)err;
	++*(int64_t *)ctx;
	return TS_OK;
}

enum ts_code
check_vars(struct ts_check_part *p, struct check_run *run, struct ts_err *err)
{
	struct ts_vars_target *target = ts_alloc(1, sizeof(*target)); /* too large for a stack */
	int64_t variables = 0;
	struct ts_vars_sink sink = {.ctx = &variables, .variable = take_variable};
	struct ts_source *s = NULL;
	struct ts_err why = {0};
	enum ts_code code = target
		? ts_files_open(run->options->files, &s, p->path, run->options->cancel, &why)
		: ts_err_nomem(&why);

	if (!code) {
		p->kind = "JSON";
		code = ts_vars_json_read(target, s, &sink, run->options->progress,
			run->options->cancel, &why);
	}
	if (!code && target->tiles >= 0)
		run->vars_tiles = target->tiles;
	if (s &&
		(!check_item(p, "variables", NULL, variables) ||
			(!code &&
				!check_item(p, "memory elements", NULL,
					(int64_t)target->elements))))
		code = ts_err_nomem(&why);
	ts_source_close(s);
	free(target);
	return check_failed(p, NULL, code, &why, err);
}
