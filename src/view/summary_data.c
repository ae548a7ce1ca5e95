/* SPDX-License-Identifier: MIT */
/*
 * summary_data - what the Summary view asks the workers.
 *
 * Four questions: the figures of one row per tile (at once: the verdict), the small relations, and the two
 * passes over large relations.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/archive.h"
#include "tilescope/report/consistency.h"
#include "tilescope/report/memory_identity.h"
#include "tilescope/report/rows.h"

#include "summary_internal.h"

static enum ts_code
read_verdict(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct summary_verdict *v = (struct summary_verdict *)f;
	struct ts_err second = {0};
	enum ts_code code = ts_tiles_read(&v->tiles, rd, err), more;

	more = ts_about_read(&v->about, rd, &second);
	if (!more)
		more = ts_target_read(&v->target, rd, code ? 0 : v->tiles.rows,
			ts_step_ipus(rd->report), &second);
	if (!code && more && err)
		*err = second;
	return code ? code : more;
}

static void
fini_verdict(struct ts_fetch *f)
{
	ts_tiles_fini(&((struct summary_verdict *)f)->tiles);
}

static void
copy_text(char *out, size_t size, struct ts_rows *rows, int i)
{
	const char *text;
	size_t n;

	out[0] = '\0';
	if (ts_rows_text(rows, i, &text, &n) == TS_VALUE_OK)
		snprintf(out, size, "%.*s", (int)ts_min_i64((int64_t)n, (int64_t)size - 1), text);
}

/* Two text columns of a relation, at most SUMMARY_PAIRS rows. */
static enum ts_code
read_pairs(struct summary_pair **out, int *count, struct ts_reader *rd, enum ts_relation relation,
	int key, int value, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {key, value},
		.column_count = 2,
		.limit = SUMMARY_PAIRS};
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	if (!ts_report_has(rd->report, relation))
		return TS_OK;
	*out = ts_alloc(SUMMARY_PAIRS, sizeof(**out));
	if (!*out)
		return ts_err_nomem(err);
	code = ts_reader_rows(&rows, rd, relation, &q, err);
	if (code)
		return code;
	while (*count < SUMMARY_PAIRS && !(code = ts_rows_next(rows, &there, err)) && there) {
		struct summary_pair *p = &(*out)[(*count)++];

		copy_text(p->key, sizeof(p->key), rows, 0);
		copy_text(p->value, sizeof(p->value), rows, 1);
	}
	ts_rows_close(rows);
	return code;
}

/* Several questions in one fetch: damage to one relation must not hide the others. */
struct softly {
	enum ts_code code; /* the first that went wrong */
	struct ts_err *err, why;
	bool ended; /* cancelled, or no memory */
};

static void
softly(struct softly *s, enum ts_code code)
{
	if (code && !s->code) {
		s->code = code;
		if (s->err)
			*s->err = s->why;
	}
	s->ended |= code == TS_E_CANCELLED || code == TS_E_NOMEM;
}

static enum ts_code
read_small(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct summary_small *s = (struct summary_small *)f;
	struct ts_tiles tiles = {.always_live = TS_UNKNOWN};
	struct softly all = {.err = err};
	int64_t bad_rows;

	s->always_live = s->runs = TS_UNKNOWN;
	s->peak = (struct ts_peak){TS_UNKNOWN, TS_UNKNOWN, TS_UNKNOWN, 0};
	softly(&all, ts_graph_read(&s->graph, rd, NULL, &all.why));
	if (!all.ended)
		softly(&all, ts_peak_read(&s->peak, rd, &all.why));
	if (!all.ended && ts_report_has(rd->report, TS_TILE_MEMORY))
		softly(&all, ts_tiles_read(&tiles, rd, &all.why));
	if (tiles.partial)
		tiles.always_live = TS_UNKNOWN;
	if (!all.ended)
		softly(&all, ts_always_live_read(&s->always_live, &bad_rows, &tiles, rd, &all.why));
	ts_tiles_fini(&tiles);
	if (!all.ended)
		softly(&all, ts_count_runs(&s->runs, &bad_rows, rd, &all.why));
	if (!all.ended)
		softly(&all,
			read_pairs(&s->option, &s->options, rd, TS_ENGINE_OPTION,
				TS_ENGINE_OPTION_KEY, TS_ENGINE_OPTION_VALUE, &all.why));
	if (!all.ended)
		softly(&all,
			read_pairs(&s->host, &s->hosts, rd, TS_HOST, TS_HOST_KEY, TS_HOST_VALUE,
				&all.why));
	return all.code;
}

static void
fini_small(struct ts_fetch *f)
{
	struct summary_small *s = (struct summary_small *)f;

	free(s->option);
	free(s->host);
}

static enum ts_code
read_categories(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_categories *sums = &((struct summary_categories *)f)->sums;
	enum ts_code code = ts_categories_read(sums, rd, &f->job.progress, err);

	ts_categories_forget_tiles(sums); /* no tile but the worst is shown */
	return code;
}

static void
fini_categories(struct ts_fetch *f)
{
	ts_categories_fini(&((struct summary_categories *)f)->sums);
}

static enum ts_code
read_execution(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct summary_execution *x = (struct summary_execution *)f;
	struct ts_step_classes classes = {0};
	struct softly all = {.err = err};

	softly(&all, ts_step_classes_read(&classes, rd, &f->job.progress, &all.why));
	x->steps = classes.steps;
	if (!all.ended)
		softly(&all, ts_execution_read(&x->sums, rd, &classes, &f->job.progress, &all.why));
	ts_step_classes_fini(&classes);
	return all.code;
}

static void
fini_execution(struct ts_fetch *f)
{
	ts_execution_fini(&((struct summary_execution *)f)->sums);
}

/* archive.a beside the profile: the program reads it when the first screen stands. */
static enum ts_code
compare_archive(struct summary_parts *p, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_archive_check check;
	struct ts_tiles tiles;
	enum ts_code code;

	if (!p->archive || rd->report->archive)
		return TS_OK;
	code = ts_tiles_read(&tiles, rd, err);
	if (!code && p->archive->tiles > 0)
		ts_archive_compare(&check, p->archive, &tiles);
	ts_archive_note(&p->notes, p->archive, !code && p->archive->tiles > 0 ? &check : NULL);
	ts_tiles_fini(&tiles);
	return code == TS_E_CANCELLED || code == TS_E_NOMEM ? code : TS_OK;
}

static enum ts_code
read_parts(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct summary_parts *p = (struct summary_parts *)f;
	struct ts_memory_identities identities;
	enum ts_code code = compare_archive(p, rd, err);

	if (!code)
		code = ts_memory_identities_look(&identities, rd, &f->job.progress, err);
	if (!code)
		(void)ts_memory_identities_note(&p->notes, &identities);
	return code ? code : ts_consistency_ids(&p->notes, rd, false, &f->job.progress, err);
}

static void
fini_parts(struct ts_fetch *f)
{
	ts_archive_release(((struct summary_parts *)f)->archive);
	ts_notes_fini(&((struct summary_parts *)f)->notes);
}

static const struct {
	size_t size;
	enum ts_code (*read)(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err);
	void (*fini)(struct ts_fetch *f);
	enum ts_worker_id worker;
	const char *what;
	enum ts_absent absent;
} questions[ASK_COUNT] = {
	[ASK_VERDICT] = {sizeof(struct summary_verdict), read_verdict, fini_verdict,
		TS_WORKER_SCREEN, "reading the tiles", TS_ABSENT_TILES},
	[ASK_SMALL] = {sizeof(struct summary_small), read_small, fini_small, TS_WORKER_SCREEN,
		"reading the graph", TS_ABSENT_NOTHING},
	[ASK_CATEGORIES] = {sizeof(struct summary_categories), read_categories, fini_categories,
		TS_WORKER_BULK, "summing categories", TS_ABSENT_CATEGORIES},
	[ASK_EXECUTION] = {sizeof(struct summary_execution), read_execution, fini_execution,
		TS_WORKER_BULK, "summing cycles", TS_ABSENT_STEPS},
	[ASK_TIMES] = {sizeof(struct summary_cycles), summary_read_cycles, summary_fini_cycles,
		TS_WORKER_BULK, "intersecting steps", TS_ABSENT_STEPS},
	[ASK_WORK] = {sizeof(struct summary_cycles), summary_read_cycles, summary_fini_cycles,
		TS_WORKER_BULK, "adding up bytes of steps", TS_ABSENT_STEPS},
	[ASK_PARTS] = {sizeof(struct summary_parts), read_parts, fini_parts, TS_WORKER_BULK,
		"comparing the parts", TS_ABSENT_NOTHING},
};

/* Is the index going to answer it soon? */
static bool
waits(const struct summary_view *s, int kind)
{
	const struct ts_view_env *env = s->base.env;

	if (kind == ASK_SMALL) /* the peak is in the index, or counted from all liveness steps */
		return env->looking;
	if (kind == ASK_PARTS)
		return env->looking ||
			(env->coming &
				(ts_section_bit(TS_SECTION_CONTEXTS) |
					ts_section_bit(TS_SECTION_TILE_LIVES)));
	if (kind == ASK_CATEGORIES)
		return !ts_report_has(env->report, TS_TILE_CATEGORY) &&
			ts_view_waits(env, TS_SECTION_CATEGORIES, TS_LOWERED_VARIABLE);
	if (kind == ASK_WORK)
		return ts_view_waits(env, TS_SECTION_WORK, TS_STEP_IPU);
	return (kind == ASK_EXECUTION || kind == ASK_TIMES) &&
		ts_view_waits(env, TS_SECTION_LANES, TS_STEP_IPU);
}

static bool
is_indexed(const struct ts_view_env *env, enum ts_section section)
{
	size_t size;

	return ts_index_section(env->index, section, &size) != NULL;
}

/*
 * A pass over a large relation of another host's report is asked for (`:index`), not begun: it would read most of the file.
 */
static bool
is_too_far(const struct summary_view *s, int kind)
{
	static const struct {
		enum ts_relation relation;
		enum ts_section section; /* has the answer; COUNT: none */
	} passes[ASK_COUNT] = {
		[ASK_VERDICT] = {TS_RELATION_COUNT, TS_SECTION_COUNT},
		[ASK_SMALL] = {TS_RELATION_COUNT, TS_SECTION_COUNT},
		[ASK_CATEGORIES] = {TS_LOWERED_VARIABLE, TS_SECTION_CATEGORIES},
		[ASK_EXECUTION] = {TS_STEP_IPU, TS_SECTION_LANES},
		[ASK_TIMES] = {TS_STEP_IPU, TS_SECTION_LANES},
		[ASK_WORK] = {TS_STEP_IPU, TS_SECTION_WORK},
		[ASK_PARTS] = {TS_TILE_CATEGORY, TS_SECTION_COUNT},
	};
	const struct ts_view_env *env = s->base.env;
	enum ts_relation relation = passes[kind].relation;

	if (!env->report->files || relation == TS_RELATION_COUNT)
		return false;
	if (kind == ASK_PARTS && env->report->part[TS_PART_DEBUG].state == TS_PART_OK &&
		!is_indexed(env, TS_SECTION_CONTEXTS))
		return true; /* all of debug.cbor; asked again when that is in the index */
	if (kind == ASK_CATEGORIES && ts_report_has(env->report, TS_TILE_CATEGORY))
		relation = TS_TILE_CATEGORY;
	return ts_report_has(env->report, relation) &&
		ts_reach_span(&env->report->binding[relation].reach) > TS_VIEW_MANY_VARIABLES &&
		(passes[kind].section == TS_SECTION_COUNT ||
			!is_indexed(env, passes[kind].section));
}

/* The answers live in their fetches: one is swapped for the other's emptied copy. */
static void **
slot(struct summary_view *s, int kind)
{
	void **slots[ASK_COUNT] = {(void **)&s->verdict, (void **)&s->small,
		(void **)&s->categories, (void **)&s->execution, (void **)&s->times,
		(void **)&s->work, (void **)&s->parts};

	return slots[kind];
}

/* Without an answer: it was not let go on, and is worth asking again when the answer costs nothing. */
static bool
was_cancelled(struct summary_view *s, int kind)
{
	return s->state[kind].state == TS_PANE_FAILED && !*slot(s, kind);
}

/* It was left, for it would have taken a pass over a large relation. */
static bool
was_dear(const struct summary_view *s, int kind)
{
	const struct summary_cycles *x = kind == ASK_TIMES ? s->times
		: kind == ASK_WORK			   ? s->work
							   : NULL;

	return x && x->p.has == 0;
}

/* What is being read is there now: ask again, which ends the reading. */
void
summary_indexed(struct ts_view *v)
{
	static const enum ts_section sections[ASK_COUNT] = {[ASK_VERDICT] = TS_SECTION_COUNT,
		[ASK_SMALL] = TS_SECTION_LIVENESS,
		[ASK_CATEGORIES] = TS_SECTION_CATEGORIES,
		[ASK_EXECUTION] = TS_SECTION_LANES,
		[ASK_TIMES] = TS_SECTION_LANES,
		[ASK_WORK] = TS_SECTION_WORK,
		[ASK_PARTS] = TS_SECTION_CONTEXTS};
	struct summary_view *s = (struct summary_view *)v;

	for (int i = 0; i < ASK_COUNT; i++)
		if (sections[i] != TS_SECTION_COUNT && is_indexed(v->env, sections[i]) &&
			(s->state[i].state == TS_PANE_LOADING || was_cancelled(s, i) ||
				was_dear(s, i)))
			s->state[i].state = TS_PANE_EMPTY;
}

/* An archive that has come since is to be compared, too. */
static void
look_at_archive(struct summary_view *s)
{
	if (s->state[ASK_PARTS].state != TS_PANE_EMPTY && s->compared != s->base.env->archive)
		s->state[ASK_PARTS].state = TS_PANE_EMPTY;
}

void
summary_request(struct ts_view *v)
{
	struct summary_view *s = (struct summary_view *)v;

	look_at_archive(s);
	for (int i = 0; i < ASK_COUNT; i++) {
		struct ts_fetch *f;

		if (i == ASK_WORK && summary_has_work(v->env->report))
			v->env->wanted |= ts_section_bit(TS_SECTION_WORK);
		if (s->state[i].state != TS_PANE_EMPTY || waits(s, i))
			continue;
		if (is_too_far(s, i)) {
			s->state[i].state = TS_PANE_FAILED;
			s->later[i] = true;
			snprintf(s->state[i].reason, sizeof(s->state[i].reason),
				"most of the file would have to come from the host (:index reads it)");
			continue;
		}
		f = ts_alloc(1, questions[i].size);
		if (!f)
			return;
		f->read = questions[i].read;
		f->fini = questions[i].fini;
		if (i == ASK_PARTS) {
			s->compared = v->env->archive;
			((struct summary_parts *)f)->archive = ts_archive_hold(v->env->archive);
		}
		s->asked[i] = f;
		s->state[i].state = TS_PANE_LOADING;
		s->state[i].absent = questions[i].absent;
		if (i == ASK_CATEGORIES && v->env->report->kind == TS_KIND_SDK)
			s->state[i].absent = TS_ABSENT_LOWERED_CATEGORIES;
		ts_fetch_send(v, f, i, questions[i].worker, questions[i].what);
	}
	summary_files_request(&s->files, v);
	summary_findings_request(s);
	summary_operations_request(s);
}

/* Keep what a fetch found: the view gets a copy, and the fetch is left with nothing to free. */
static void
keep(struct summary_view *s, struct ts_fetch *f)
{
	void **to = slot(s, f->job.kind);
	void *copy = ts_alloc(1, questions[f->job.kind].size);

	if (!copy)
		return;
	memcpy(copy, f, questions[f->job.kind].size);
	((struct ts_fetch *)copy)->report = NULL; /* the fetch gives them back */
	((struct ts_fetch *)copy)->index = NULL;
	f->fini = NULL;
	if (*to)
		ts_fetch_free(*to);
	*to = copy;
}

static void
drop_answer(struct summary_view *s, int kind)
{
	void **at = slot(s, kind);

	if (*at)
		ts_fetch_free(*at);
	*at = NULL;
	s->asked[kind] = NULL;
	s->state[kind] = (struct ts_pane_data){0};
	s->later[kind] = false;
}

/* The rule of a line; NULL: it is no finding's. */
static const struct ts_rule *
rule_of_line(const struct summary_view *s, int64_t line)
{
	const struct summary_line *l = line < s->lines ? &s->line[line] : NULL;

	return l && l->goal == GO_FINDING ? summary_findings_rule(s, (int)l->object) : NULL;
}

/* The cursor stays on what it was on: on a finding, or on a line below them. */
static void
take_findings(struct summary_view *s, struct ts_fetch *f)
{
	const struct ts_rule *rule = rule_of_line(s, s->list.cursor);
	char id[TS_RULE_ID] = "";
	bool below = false;
	int lines = s->lines;

	if (rule)
		memcpy(id, rule->id, sizeof(id));
	for (int64_t i = 0; i < s->list.cursor && !rule; i++)
		below |= rule_of_line(s, i) != NULL;
	summary_findings_deliver(s, f);
	summary_make_lines(s);
	if (below && s->list.cursor + s->lines - lines >= 0)
		ts_list_jump(&s->list, s->list.cursor + s->lines - lines);
	for (int64_t i = 0; i < s->lines && id[0]; i++) {
		rule = rule_of_line(s, i);
		if (rule && strcmp(rule->id, id) == 0)
			ts_list_jump(&s->list, i);
	}
}

/* Lines come behind those of cycles: the cursor stays on what stands below them. */
static void
take_operations(struct summary_view *s, struct ts_fetch *f)
{
	int lines = s->lines;
	bool below = false;

	for (int64_t i = 0; i < s->list.cursor; i++)
		below |= s->line[i].goal == GO_IPU;
	if (!summary_operations_deliver(s, f))
		return;
	below = below && s->line[s->list.cursor].goal != GO_IPU;
	summary_make_lines(s);
	if (below)
		ts_list_jump(&s->list, s->list.cursor + s->lines - lines);
}

enum ts_effect
summary_deliver(struct ts_view *v, struct ts_fetch *f)
{
	struct summary_view *s = (struct summary_view *)v;
	int kind = f->job.kind;

	if (kind == ASK_FINDINGS || kind == ASK_FOUND_RUNNING) {
		take_findings(s, f);
		return TS_EFFECT_REPAINT;
	}
	if (kind == ASK_OPERATIONS) {
		take_operations(s, f);
		return TS_EFFECT_REPAINT;
	}
	if (kind >= ASK_COUNT) {
		enum ts_effect effect = summary_files_deliver(&s->files, v, f);

		summary_arrange(s);
		return effect;
	}
	if (s->asked[kind] != f)
		return TS_EFFECT_NONE;
	s->asked[kind] = NULL;
	if (ts_fetch_in_vain(f, v->env->generation)) {
		s->state[kind].state = TS_PANE_FAILED;
		snprintf(s->state[kind].reason, sizeof(s->state[kind].reason),
			"cancelled (r reads it again)");
	} else {
		ts_pane_result(&s->state[kind], f->code, &f->err, true);
		if (f->code != TS_E_ABSENT)
			keep(s, f);
	}
	summary_figures(s);
	summary_make_lines(s);
	return TS_EFFECT_REPAINT;
}

void
summary_drop(struct summary_view *s)
{
	for (int i = 0; i < ASK_COUNT; i++)
		drop_answer(s, i);
	summary_files_drop(&s->files);
	summary_findings_drop(&s->findings);
	s->operations = (struct summary_operations){.count = 0};
}
