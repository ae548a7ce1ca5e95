/* SPDX-License-Identifier: MIT */
/*
 * findings - `tilescope check PATH...`: what the rules find in reports, as text, JSON, CSV or Markdown.
 *
 * The JSON is a contract: its keys are stable. Findings come first, the worse first; then what was looked at and is
 * fine; then what is not known of this report.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/app/gather.h"
#include "tilescope/app/index_now.h"
#include "tilescope/app/open.h"
#include "tilescope/app/verbs.h"
#include "tilescope/app/watch.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/report/insights.h"

enum { WRAP = 78, INDENT = 12 };

struct findings {
	const struct ts_args *args;
	struct ts_watch *watch;
	struct ts_rules rules;
	struct ts_pattern *stages; /* --stages, or NULL */
	struct ts_gather gather;
};

/* What was read of one report. */
struct looked {
	struct ts_insight_facts facts;
	struct ts_execution_facts execution;
	struct ts_insights insights;
};

static const char *
severity_word(const struct ts_finding *f)
{
	return !f->known ? "not known" : f->severity ? ts_severity_name(f->severity) : "ok";
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *
json_finding(const struct ts_finding *f)
{
	if (!f->known)
		return json_pack("{s:o, s:o, s:o, s:o}", "id", ts_json_text(f->rule->id, false),
			"measure", ts_json_text(f->rule->measure, false), "title",
			ts_json_text(f->rule->title, false), "reason",
			ts_json_text(f->evidence, false));
	return json_pack("{s:o, s:o, s:s, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "id",
		ts_json_text(f->rule->id, false), "measure", ts_json_text(f->rule->measure, false),
		"severity", severity_word(f), "value", f->value, "title",
		ts_json_text(f->rule->title, false), "evidence", ts_json_text(f->evidence, false),
		"place", ts_json_text(f->place, true), "saving_bytes",
		ts_json_number(ts_finding_bytes(f)), "saving_cycles",
		ts_json_number(ts_finding_cycles(f)), "saving_of",
		f->saving == TS_UNKNOWN ? json_null() : json_string(ts_saving_word(f->saving_of)),
		"advice", ts_json_text(f->rule->advice, false));
}

static json_t *
json_looked(const char *path, const struct ts_files *files, const struct looked *l,
	const struct ts_rules *rules)
{
	json_t *found = json_array(), *unknown = json_array(), *warnings = json_array();
	json_t *off = json_array();

	for (int i = 0; i < l->insights.count; i++) {
		const struct ts_finding *f = &l->insights.finding[i];

		json_array_append_new(f->known ? found : unknown, json_finding(f));
	}
	for (int i = 0; i < rules->count; i++)
		if (rules->rule[i].off)
			json_array_append_new(off, ts_json_text(rules->rule[i].id, false));
	for (int i = 0; i < l->facts.notes.count; i++)
		json_array_append_new(warnings, ts_json_text(l->facts.notes.note[i], false));
	for (int i = 0; i < l->execution.notes.count; i++)
		json_array_append_new(warnings, ts_json_text(l->execution.notes.note[i], false));
	return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:o}", "path", ts_json_text(path, false),
		"host", ts_json_host(files), "verdict", ts_insights_verdict(&l->insights),
		"findings", found, "not_known", unknown, "off", off, "warnings", warnings);
}

/* --- text ------------------------------------------------------------------------------------- */

/* A paragraph behind INDENT columns; its text is ours or was made safe. */
static void
put_wrapped(struct ts_strbuf *out, const char *s)
{
	while (*s) {
		size_t n = strlen(s), most = WRAP - INDENT;

		if (n > most)
			for (n = most; n > 0 && s[n] != ' '; n--)
				;
		if (n == 0)
			n = strcspn(s, " ");
		ts_strbuf_printf(out, "%*s%.*s\n", INDENT, "", (int)n, s);
		s += n;
		s += strspn(s, " ");
	}
}

static void
put_safe(struct ts_strbuf *out, const char *s)
{
	ts_utf8_safe(out, s, strlen(s));
}

static void
put_paragraph(struct ts_strbuf *out, const char *s)
{
	struct ts_strbuf safe;

	ts_strbuf_init(&safe, 1 << 16);
	put_safe(&safe, s);
	put_wrapped(out, safe.s);
	ts_strbuf_fini(&safe);
}

static void
text_finding(struct ts_strbuf *out, const struct ts_finding *f, enum ts_units units)
{
	char amount[TS_FMT_MAX];

	ts_strbuf_printf(out, "%-4s  ", severity_word(f));
	put_safe(out, f->rule->id);
	ts_strbuf_puts(out, "  ");
	put_safe(out, f->rule->title);
	ts_strbuf_putc(out, '\n');
	put_paragraph(out, f->evidence);
	put_paragraph(out, f->rule->advice);
	if (f->saving > 0)
		ts_strbuf_printf(out, "%*ssaves at most %s %s\n", INDENT, "",
			f->saving_of == TS_SAVING_CYCLES ? ts_fmt_count(amount, f->saving)
							 : ts_fmt_bytes(amount, f->saving, units),
			ts_saving_of(f->saving_of));
	if (f->place[0])
		ts_strbuf_printf(out, "%*s--at '%s'\n", INDENT, "", f->place);
}

/* What stands before an id: the word before the first one. */
static void
put_separator(struct ts_strbuf *out, int had, const char *what)
{
	if (had)
		ts_strbuf_puts(out, ", ");
	else
		ts_strbuf_printf(out, "%-*s", INDENT, what);
}

/* IDs behind a word: "fine  M04, M08". */
static void
text_ids(struct ts_strbuf *out, const char *what, const struct looked *l,
	const struct ts_rules *rules)
{
	int n = rules ? rules->count : l->insights.count, had = 0;

	for (int i = 0; i < n; i++) {
		const struct ts_finding *f = &l->insights.finding[i];
		bool take = rules ? rules->rule[i].off : f->known && !f->severity;

		if (!take)
			continue;
		put_separator(out, had++, what);
		put_safe(out, rules ? rules->rule[i].id : f->rule->id);
	}
	ts_strbuf_puts(out, had ? "\n" : "");
}

/* For each reason the rules, and below them what it is. */
static void
text_unknown(struct ts_strbuf *out, const struct ts_insights *in)
{
	for (int i = 0, n; i < in->count; i += n) {
		const struct ts_finding *f = &in->finding[i];

		n = ts_insights_together(in, i);
		for (int k = 0; k < n && !f->known; k++) {
			put_separator(out, k, "not known");
			put_safe(out, f[k].rule->id);
		}
		if (!f->known) {
			ts_strbuf_putc(out, '\n');
			put_paragraph(out, f->evidence);
		}
	}
}

static void
text_notes(struct ts_strbuf *out, const struct ts_notes *notes)
{
	for (int i = 0; i < notes->count; i++) {
		ts_strbuf_printf(out, "%-*s", INDENT, "NOTE");
		put_safe(out, notes->note[i]);
		ts_strbuf_putc(out, '\n');
	}
}

static void
text_looked(struct ts_strbuf *out, const char *path, const struct looked *l,
	const struct findings *all)
{
	const struct ts_insights *in = &l->insights;

	ts_strbuf_puts(out, out->len ? "\n" : "");
	put_safe(out, path);
	ts_strbuf_printf(out, "  CHECK %s: %d bad, %d warn, %d note, %d fine, %d not known\n",
		ts_insights_verdict(in), in->by_severity[TS_SEVERITY_BAD],
		in->by_severity[TS_SEVERITY_WARN], in->by_severity[TS_SEVERITY_NOTE],
		in->by_severity[TS_SEVERITY_NONE], in->unknown);
	for (int i = 0; i < in->count; i++)
		if (in->finding[i].known && in->finding[i].severity)
			text_finding(out, &in->finding[i], all->args->units);
	text_ids(out, "fine", l, NULL);
	text_ids(out, "off", l, &all->rules);
	text_unknown(out, in);
	text_notes(out, &l->facts.notes);
	text_notes(out, &l->execution.notes);
}

/* --- rows: CSV, Markdown -------------------------------------------------------------------------------------- */

enum {
	PATH,
	ID,
	SEVERITY,
	MEASURE,
	VALUE,
	TITLE,
	EVIDENCE,
	PLACE,
	SAVING,
	CYCLES,
	ADVICE,
	COLUMNS
};

static const char *const row_columns[COLUMNS] = {"path", "id", "severity", "measure", "value",
	"title", "evidence", "place", "saving_bytes", "saving_cycles", "advice"};

static struct ts_sql_value
text_value(const char *s)
{
	if (!*s)
		return (struct ts_sql_value){.type = TS_SQL_NULL, .bytes = ""};
	return (struct ts_sql_value){.type = TS_SQL_TEXT, .bytes = s, .n = strlen(s)};
}

static struct ts_sql_value
number_value(int64_t v)
{
	return (struct ts_sql_value){.type = v == TS_UNKNOWN ? TS_SQL_NULL : TS_SQL_INTEGER,
		.integer = v,
		.bytes = ""};
}

static void
rows_looked(struct ts_rows_out *rows, const char *path, const struct looked *l)
{
	for (int i = 0; i < l->insights.count; i++) {
		const struct ts_finding *f = &l->insights.finding[i];
		struct ts_sql_value v[COLUMNS] = {
			[PATH] = text_value(path),
			[ID] = text_value(f->rule->id),
			[SEVERITY] = text_value(severity_word(f)),
			[MEASURE] = text_value(f->rule->measure),
			[VALUE] = {.type = f->known ? TS_SQL_REAL : TS_SQL_NULL,
				.real = f->value,
				.bytes = ""},
			[TITLE] = text_value(f->rule->title),
			[EVIDENCE] = text_value(f->evidence),
			[PLACE] = text_value(f->known ? f->place : ""),
			[SAVING] = number_value(ts_finding_bytes(f)),
			[CYCLES] = number_value(ts_finding_cycles(f)),
			[ADVICE] = text_value(f->rule->advice),
		};

		ts_rows_out_row(rows, v);
	}
}

/* --- the verb --------------------------------------------------------------------------------- */

static enum ts_code
look(struct looked *l, const struct findings *all, struct ts_report *r, struct ts_reader *rd,
	struct ts_err *err)
{
	struct ts_progress *progress = ts_watch_progress(all->watch);
	struct ts_cache cache;
	enum ts_code code = ts_index_now(&cache, r, rd, all->args,
		TS_INSIGHT_SECTIONS | TS_EXECUTION_SECTIONS, all->watch, err);

	if (!code)
		code = ts_insight_facts_read(&l->facts, rd, progress, err);
	if (!code)
		code = ts_execution_facts_read(&l->execution, rd, all->stages, &cache, progress,
			err);
	if (!code)
		code = ts_insights_find(&l->insights, &all->rules, &l->facts, all->args->units,
			err);
	if (!code)
		ts_insights_add_execution(&l->insights, &l->execution);
	ts_cache_fini(&cache);
	return code;
}

static enum ts_exit
exit_of(const struct findings *all, const struct looked *l)
{
	enum ts_severity least = all->args->fail ? (enum ts_severity)all->args->fail
						 : TS_SEVERITY_BAD;
	enum ts_exit status = l->facts.notes.partial || l->execution.notes.partial ? TS_EXIT_PARTIAL
										   : TS_EXIT_OK;

	for (int i = least; i <= TS_SEVERITY_BAD; i++)
		if (l->insights.by_severity[i])
			status = ts_exit_worse(status, TS_EXIT_FINDINGS);
	return status;
}

static enum ts_exit
one_report(struct findings *all, const char *path)
{
	struct ts_report *r;
	struct ts_reader *rd;
	struct looked *l;
	struct ts_err err = {0};
	enum ts_exit status;
	enum ts_code code = ts_open_report(&r, &rd, all->args, path, false, all->watch);

	if (code)
		return ts_exit_of(code);
	l = ts_alloc(1, sizeof(*l));
	code = l ? look(l, all, r, rd, &err) : ts_err_nomem(&err);
	status = code ? ts_exit_of(code) : exit_of(all, l);
	if (code)
		ts_watch_complain(all->watch, path, &err);
	else if (all->args->format == TS_FORMAT_JSON)
		json_array_append_new(all->gather.json,
			json_looked(path, r->files, l, &all->rules));
	else if (all->gather.rows)
		rows_looked(all->gather.rows, path, l);
	else
		text_looked(&all->gather.text, path, l, all);
	if (status == TS_EXIT_PARTIAL && !all->args->quiet)
		ts_watch_warn(all->watch, path,
			"warning: something that is there could not be read (see the notes)");
	if (l) {
		ts_insights_fini(&l->insights);
		ts_insight_facts_fini(&l->facts);
		ts_execution_facts_fini(&l->execution);
	}
	free(l);
	ts_close_report(all->args, r, rd);
	return status;
}

static void
say_problem(void *ctx, const char *file, int line, const char *reason)
{
	const struct ts_args *args = ctx;
	struct ts_strbuf text;

	if (args->quiet)
		return;
	ts_strbuf_init(&text, 1 << 10);
	ts_strbuf_printf(&text, "line %d is passed over: %s", line, reason);
	ts_warn(file, text.s);
	ts_strbuf_fini(&text);
}

static enum ts_exit
all_reports(struct findings *all)
{
	const struct ts_args *args = all->args;
	struct ts_err err = {0};
	enum ts_exit status = TS_EXIT_OK;
	enum ts_code code = ts_gather_begin(&all->gather, args, COLUMNS, row_columns, &err);

	for (int i = 0; !code && i < args->path_count && status != TS_EXIT_INTERRUPTED; i++)
		status = ts_exit_worse(status, one_report(all, args->paths[i]));
	ts_watch_hide(all->watch);
	if (!code)
		code = ts_gather_end(&all->gather, status != TS_EXIT_INTERRUPTED, &err);
	if (code) {
		ts_complain(NULL, &err);
		status = ts_exit_worse(status, TS_EXIT_UNREADABLE);
	}
	return status;
}

enum ts_exit
ts_check_findings(const struct ts_args *args)
{
	struct findings all = {.args = args};
	char *file = ts_config_path("rules/insights.rules");
	struct ts_err err = {0};
	enum ts_exit status;
	enum ts_code code = ts_rules_read(&all.rules, file, say_problem, (void *)args, &err);

	if (!code && args->stages)
		code = ts_pattern_compile(&all.stages, args->stages, 0, NULL, &err);
	if (!code)
		code = ts_watch_start(&all.watch, "check", &err);
	if (code) {
		ts_complain(NULL, &err);
		status = code == TS_E_USAGE ? TS_EXIT_USAGE : TS_EXIT_UNREADABLE;
	} else {
		status = all_reports(&all);
		ts_watch_stop(all.watch);
	}
	ts_pattern_free(all.stages);
	ts_rules_fini(&all.rules);
	free(file);
	return status;
}

/* --- what there is ---------------------------------------------------------------------------- */

static void
help_rule(struct ts_strbuf *out, const struct ts_rule *r)
{
	put_safe(out, r->id);
	ts_strbuf_puts(out, "  ");
	put_safe(out, r->title);
	ts_strbuf_puts(out, r->off ? " (off)\n" : "\n");
	ts_strbuf_printf(out, "%*s", INDENT, "");
	put_safe(out, r->measure);
	for (int i = 0; i < r->limits; i++) {
		ts_strbuf_printf(out, ", %s ", ts_severity_name(r->limit[i].severity));
		ts_limit_text(out, &r->limit[i]);
	}
	ts_strbuf_putc(out, '\n');
}

void
ts_check_help(struct ts_strbuf *out)
{
	struct ts_rules rules;
	char *file = ts_config_path("rules/insights.rules");
	const char *name, *what;
	struct ts_err err = {0};
	enum ts_code code = ts_rules_read(&rules, file, NULL, NULL, &err);

	ts_strbuf_puts(out, "\nrules:\n");
	for (int i = 0; i < rules.count; i++)
		help_rule(out, &rules.rule[i]);
	ts_strbuf_puts(out, "\nmeasures:\n");
	for (int i = 0; (name = ts_measure_name(i, &what)); i++)
		ts_strbuf_printf(out, "  %-22s%s\n", name, what);
	ts_strbuf_puts(out,
		"\nA rule may be switched off, have other limits, or be one of your own, in\n"
		"$XDG_CONFIG_HOME/tilescope/rules/insights.rules (~/.config/tilescope/...):\n"
		"    off ID...\n    limit ID note|warn|bad LIMIT\n"
		"    rule ID MEASURE SEVERITY LIMIT [SEVERITY LIMIT]... \"TITLE\" \"ADVICE\"\n"
		"with LIMIT like >=90%, >2 or <0.5\n");
	if (code)
		ts_complain(file, &err);
	ts_rules_fini(&rules);
	free(file);
}
