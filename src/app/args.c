/* SPDX-License-Identifier: MIT */
/* args - see the header. */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tilescope/app/address.h"
#include "tilescope/app/args.h"
#include "tilescope/app/verbs.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/base/utf8.h"
#include "tilescope/io/uri.h"
#include "tilescope/report/rules.h"
#include "tilescope/ui/picture.h"

const struct ts_verb ts_verbs[] = {
	{"summary", TS_FOR_SUMMARY, "PATH...", "the verdict and key figures of one or more reports",
		1, 1 << 20, ts_verb_summary},
	{"schema", TS_FOR_SCHEMA, "PATH", "what bound to which relation, what did not and why", 1,
		1, ts_verb_schema},
	{"check", TS_FOR_CHECK, "PATH...", "what the rules find; --files: the state of each file",
		1, 1 << 20, ts_verb_check},
	{"query", TS_FOR_QUERY, "PATH SQL", "SQL over the relations of a report and its tables", 1,
		2, ts_verb_query},
	{"export", TS_FOR_EXPORT, "PATH", "a report's data for other tools", 1, 1, ts_verb_export},
	{"demo", TS_FOR_DEMO, "[DIR]", "write a demo report and, on a terminal, open it", 0, 1,
		ts_verb_demo},
	{"cache", TS_FOR_CACHE, "list|clear", "the indexes that are kept of reports", 1, 1,
		ts_verb_cache},
	{"render", TS_FOR_RENDER, "PATH", "the picture of a view, into a file: svg, txt, ansi", 1,
		1, ts_verb_render},
	{"help", TS_FOR_HELP, "[VERB|TOPIC]",
		"or tiles, filter, whatif, operations, hosts, capture", 0, 1, ts_verb_help},
	{"version", TS_FOR_VERSION, "", "the version", 0, 0, ts_verb_version},
	{"", TS_FOR_APP, "[PATH]", "open a report in the app", 0, 1, ts_verb_app},
};

static const struct ts_verb *const app_verb = &ts_verbs[TS_COUNT(ts_verbs) - 1];

/* A word of a closed set. */
struct choice {
	const char *word;
	int value;
};

static const struct choice formats[] = {{"text", TS_FORMAT_TEXT}, {"json", TS_FORMAT_JSON},
	{"csv", TS_FORMAT_CSV}, {"md", TS_FORMAT_MD}, {NULL, 0}};
static const struct choice schema_formats[] = {{"text", TS_FORMAT_TEXT}, {"json", TS_FORMAT_JSON},
	{NULL, 0}};
static const struct choice whens[] = {{"auto", TS_WHEN_AUTO}, {"never", TS_WHEN_NEVER},
	{"always", TS_WHEN_ALWAYS}, {NULL, 0}};
static const struct choice units[] = {{"kib", TS_UNITS_KIB}, {"kb", TS_UNITS_KB},
	{"bytes", TS_UNITS_BYTES}, {NULL, 0}};
static const struct choice scales[] = {{"small", TS_DEMO_SMALL}, {"bert", TS_DEMO_BERT},
	{"huge", TS_DEMO_HUGE}, {NULL, 0}};
static const struct choice layouts[] = {{"store", TS_DEMO_STORE}, {"sdk", TS_DEMO_SDK},
	{"profile", TS_DEMO_PROFILE}, {NULL, 0}};

static const struct choice severities[] = {{"note", TS_SEVERITY_NOTE}, {"warn", TS_SEVERITY_WARN},
	{"bad", TS_SEVERITY_BAD}, {NULL, 0}};
static const struct choice pictures[] = {{"txt", TS_PICTURE_TXT + 1}, {"text", TS_PICTURE_TXT + 1},
	{"ansi", TS_PICTURE_ANSI + 1}, {"svg", TS_PICTURE_SVG + 1}, {NULL, 0}};

const char *const ts_export_whats[TS_EXPORT_WHATS] = {
	[TS_EXPORT_TRACE] = "trace",
	[TS_EXPORT_TILES] = "tiles",
	[TS_EXPORT_LIVENESS] = "liveness",
	[TS_EXPORT_VARIABLES] = "variables",
	[TS_EXPORT_PROGRAMS] = "programs",
	[TS_EXPORT_OPERATIONS] = "operations",
};
const char *const ts_export_formats[TS_EXPORT_FORMATS] = {
	[TS_EXPORT_CSV] = "csv",
	[TS_EXPORT_JSON] = "json",
	[TS_EXPORT_JSONL] = "jsonl",
	[TS_EXPORT_PERFETTO] = "perfetto",
	[TS_EXPORT_FOLDED] = "folded",
	[TS_EXPORT_DOT] = "dot",
};
static const struct choice exports[] = {{"csv", TS_EXPORT_CSV + 1}, {"json", TS_EXPORT_JSON + 1},
	{"jsonl", TS_EXPORT_JSONL + 1}, {"perfetto", TS_EXPORT_PERFETTO + 1},
	{"folded", TS_EXPORT_FOLDED + 1}, {"dot", TS_EXPORT_DOT + 1}, {NULL, 0}};
static const struct choice whats[] = {{"trace", TS_EXPORT_TRACE}, {"tiles", TS_EXPORT_TILES},
	{"liveness", TS_EXPORT_LIVENESS}, {"variables", TS_EXPORT_VARIABLES},
	{"programs", TS_EXPORT_PROGRAMS}, {"operations", TS_EXPORT_OPERATIONS}, {NULL, 0}};

static const struct choice ways[] = {{"auto", TS_WAY_AUTO + 1}, {"libssh", TS_WAY_LIBSSH + 1},
	{"ssh", TS_WAY_SSH + 1}, {NULL, 0}};

/* Verbs that open a report. */
enum {
	TS_FOR_REPORT = TS_FOR_APP | TS_FOR_SUMMARY | TS_FOR_SCHEMA | TS_FOR_QUERY | TS_FOR_CHECK |
		TS_FOR_RENDER | TS_FOR_EXPORT
};

enum kind { FLAG, TEXT, READABLE, CHOICE, INTEGER, NUMBER, SEED, DURATION, SIZE, ADDRESS };

struct option_def {
	const char *name;
	char letter; /* 0 = none */
	enum kind kind;
	size_t offset; /* of the member of ts_args */
	const struct choice *choices;
	unsigned verbs;
	const char *argument; /* or NULL */
	const char *help;     /* NULL: for tests, not in the help */
	int value;	      /* of a FLAG that sets an int member; 0 = a bool member */
};

#define AT(member) offsetof(struct ts_args, member)

static const struct option_def options[] = {
	{"format", 'f', CHOICE, AT(format), formats, TS_FOR_SUMMARY | TS_FOR_APP,
		"text|json|csv|md", "how to print the summary", 0},
	{"format", 'f', CHOICE, AT(format), schema_formats, TS_FOR_SCHEMA | TS_FOR_CACHE,
		"text|json", "how to print", 0},
	{"format", 'f', CHOICE, AT(format), formats, TS_FOR_QUERY, "text|json|csv|md",
		"how to print the rows", 0},
	{"format", 'f', CHOICE, AT(format), formats, TS_FOR_CHECK, "text|json|csv|md",
		"how to print", 0},
	{"what", 'w', CHOICE, AT(what), whats, TS_FOR_EXPORT,
		"trace|tiles|liveness|variables|programs|operations", "what to write (trace)", 0},
	{"format", 'f', CHOICE, AT(export_format), exports, TS_FOR_EXPORT,
		"csv|json|jsonl|perfetto|folded|dot", "as FILE is called, else csv", 0},
	{"output", 'o', TEXT, AT(output), NULL,
		TS_FOR_EXPORT | TS_FOR_QUERY | TS_FOR_SUMMARY | TS_FOR_SCHEMA | TS_FOR_CACHE |
			TS_FOR_CHECK | TS_FOR_APP,
		"FILE", "write there instead of standard output", 0},
	{"units", 'u', CHOICE, AT(units), units,
		TS_FOR_APP | TS_FOR_SUMMARY | TS_FOR_DEMO | TS_FOR_CHECK | TS_FOR_RENDER,
		"kib|kb|bytes", "units of memory in text", 0},
	{"color", 0, CHOICE, AT(color), whens, TS_FOR_ALL, "auto|never|always", "colours", 0},
	{"no-color", 0, FLAG, AT(color), NULL, TS_FOR_ALL, NULL, "no colours", TS_WHEN_NEVER},
	{"cache", 0, TEXT, AT(cache), NULL,
		TS_FOR_APP | TS_FOR_SUMMARY | TS_FOR_SCHEMA | TS_FOR_DEMO | TS_FOR_CACHE |
			TS_FOR_QUERY | TS_FOR_CHECK | TS_FOR_RENDER | TS_FOR_EXPORT,
		"DIR|none", "where indexes are kept; none: nowhere", 0},
	{"files", 0, FLAG, AT(files), NULL, TS_FOR_CHECK, NULL, "check the files", 0},
	{"archive", 0, FLAG, AT(thorough), NULL,
		TS_FOR_SUMMARY | TS_FOR_CHECK | TS_FOR_SCHEMA | TS_FOR_QUERY | TS_FOR_EXPORT |
			TS_FOR_RENDER,
		NULL, "of a host: all of archive.a, slow or not", 0},
	{"fail", 0, CHOICE, AT(fail), severities, TS_FOR_CHECK, "note|warn|bad",
		"exit status 1 from this severity on (bad)", 0},
	{"stages", 0, TEXT, AT(stages), NULL, TS_FOR_CHECK, "EXPRESSION",
		"names of pipeline stages (else by exchange)", 0},
	{"deep", 0, FLAG, AT(deep), NULL, TS_FOR_CHECK, NULL,
		"read all of them, and check their structure", 0},
	{"relations", 0, FLAG, AT(relations), NULL, TS_FOR_QUERY, NULL,
		"print which relations there are, and from what", 0},
	{"timeout", 0, DURATION, AT(timeout), NULL, TS_FOR_QUERY, "SECONDS",
		"stop after so long; 0: never (default 3600)", 0},
	{"latest", 0, FLAG, AT(latest), NULL,
		TS_FOR_APP | TS_FOR_SUMMARY | TS_FOR_SCHEMA | TS_FOR_QUERY | TS_FOR_RENDER |
			TS_FOR_EXPORT,
		NULL, "the newest report below PATH (or here)", 0},
	{"watch", 0, FLAG, AT(watch), NULL, TS_FOR_APP | TS_FOR_DEMO, NULL,
		"read a changed report again by itself", 0},
	{"at", 0, ADDRESS, AT(at), NULL, TS_FOR_APP | TS_FOR_DEMO | TS_FOR_RENDER, "VIEW[?ARGS]",
		"the place to show, e.g. 'memory?tile=12'", 0},
	{"format", 'f', CHOICE, AT(picture), pictures, TS_FOR_RENDER, "svg|txt|ansi",
		"of the picture (default: as FILE is called)", 0},
	{"output", 'o', TEXT, AT(output), NULL, TS_FOR_RENDER, "FILE",
		"FILE.svg, FILE.txt or FILE.ansi", 0},
	{"size", 0, SIZE, AT(size), NULL, TS_FOR_RENDER, "COLUMNSxROWS",
		"of the picture, in characters (120x40)", 0},
	{"theme", 0, TEXT, AT(theme), NULL, TS_FOR_APP | TS_FOR_DEMO | TS_FOR_RENDER, "NAME",
		"colours: default, light, mono, others", 0},
	{"keymap", 0, TEXT, AT(keymap), NULL, TS_FOR_APP | TS_FOR_DEMO, "NAME",
		"default, vim, emacs, or your own", 0},
	{"ascii", 0, FLAG, AT(ascii), NULL, TS_FOR_APP | TS_FOR_DEMO | TS_FOR_RENDER, NULL,
		"draw with ASCII characters only", 0},
	{"mouse", 0, FLAG, AT(mouse), NULL, TS_FOR_APP | TS_FOR_DEMO, NULL, "take the mouse", 0},
	{"scale", 0, CHOICE, AT(demo.scale), scales, TS_FOR_DEMO, "small|bert|huge",
		"20 MB, 800 MB, 4.7 GB (minutes)", 0},
	{"layout", 0, CHOICE, AT(demo.layout), layouts, TS_FOR_DEMO, "store|sdk|profile", NULL, 0},
	{"ipus", 0, INTEGER, AT(demo.ipus), NULL, TS_FOR_DEMO, "N", "IPUs", 0},
	{"tiles", 0, INTEGER, AT(demo.tiles), NULL, TS_FOR_DEMO, "N", "tiles of one IPU", 0},
	{"steps", 0, NUMBER, AT(demo.steps), NULL, TS_FOR_DEMO, "N", "execution steps", 0},
	{"variables", 0, NUMBER, AT(demo.variables), NULL, TS_FOR_DEMO, "N", "lowered variables",
		0},
	{"seed", 0, SEED, AT(demo.seed), NULL, TS_FOR_DEMO, "S", "another seed, another report", 0},
	{"oom", 0, FLAG, AT(demo.oom), NULL, TS_FOR_DEMO, NULL, "a program that does not fit", 0},
	{"no-execution", 0, FLAG, AT(no_execution), NULL, TS_FOR_DEMO, NULL,
		"a program that has not run", 0},
	{"no-archive", 0, FLAG, AT(no_archive), NULL, TS_FOR_DEMO, NULL,
		"without an archive.a (about 1 KB a tile)", 0},
	{"sdk-keys", 0, FLAG, AT(demo.keys), NULL, TS_FOR_DEMO, NULL, NULL, 0},
	{"sdk-names", 0, TEXT, AT(demo.sdk_names), NULL, TS_FOR_DEMO, "K=NAME,...", NULL, 0},
	{"transport", 0, CHOICE, AT(transport), ways, TS_FOR_REPORT, "auto|libssh|ssh",
		"the way to the host of HOST:PATH", 0},
	{"ssh-config", 0, READABLE, AT(ssh_config), NULL, TS_FOR_REPORT, "FILE",
		"instead of ~/.ssh/config", 0},
	{"quiet", 'q', FLAG, AT(quiet), NULL, TS_FOR_ALL, NULL, "no warnings on standard error", 0},
	{"verbose", 'v', FLAG, AT(verbose), NULL,
		TS_FOR_SUMMARY | TS_FOR_SCHEMA | TS_FOR_QUERY | TS_FOR_CHECK, NULL,
		"say what is opened, and all notes", 0},
	{"stats", 0, FLAG, AT(stats), NULL,
		TS_FOR_SUMMARY | TS_FOR_SCHEMA | TS_FOR_QUERY | TS_FOR_CHECK | TS_FOR_EXPORT |
			TS_FOR_RENDER,
		NULL, "say what reading took: round trips, bytes", 0},
	{"version", 0, FLAG, AT(version), NULL, TS_FOR_APP, NULL, "the version", 0},
	{"help", 'h', FLAG, AT(help), NULL, TS_FOR_ALL, NULL, "how to use it", 0},
};

/* Verbs of one path: with --latest it may be left out. */
enum {
	TS_FOR_LATEST_HERE = TS_FOR_APP | TS_FOR_SUMMARY | TS_FOR_SCHEMA | TS_FOR_RENDER |
		TS_FOR_EXPORT
};

enum { LONG_BASE = 1000, TIMEOUT_DEFAULT = 3600, SECONDS_MAX = 1000000000 };

const struct ts_verb *
ts_verb_find(const char *name)
{
	for (size_t i = 0; i < TS_COUNT(ts_verbs); i++)
		if (*name && strcmp(ts_verbs[i].name, name) == 0)
			return &ts_verbs[i];
	return NULL;
}

static enum ts_code
set_choice(int *to, const struct option_def *o, const char *word, struct ts_err *err)
{
	for (const struct choice *c = o->choices; c->word; c++)
		if (strcmp(c->word, word) == 0) {
			*to = c->value;
			return TS_OK;
		}
	return ts_err_set(err, TS_E_USAGE, "--%s takes %s, not \"%s\"", o->name, o->argument, word);
}

static enum ts_code
parse_number(int64_t *v, const struct option_def *o, const char *word, struct ts_err *err)
{
	char *end;

	errno = 0;
	*v = strtoll(word, &end, 10);
	if (errno || end == word || *end || *v < 0)
		return ts_err_set(err, TS_E_USAGE, "--%s takes a number, not \"%s\"", o->name,
			word);
	return TS_OK;
}

static enum ts_code
parse_seconds(double *v, const struct option_def *o, const char *word, struct ts_err *err)
{
	char *end;

	*v = strtod(word, &end);
	if (end == word || *end || !(*v >= 0 && *v <= SECONDS_MAX))
		return ts_err_set(err, TS_E_USAGE, "--%s takes seconds, not \"%s\"", o->name, word);
	return TS_OK;
}

/* "120x40" */
static enum ts_code
parse_size(struct ts_size *size, const char *word, struct ts_err *err)
{
	char *x, *end;
	long w = strtol(word, &x, 10), h = *x == 'x' ? strtol(x + 1, &end, 10) : -1;

	if (h < 0 || x == word || end == x + 1 || *end || w < TS_SIZE_MIN_COLUMNS ||
		w > TS_CANVAS_MAX_W || h < TS_SIZE_MIN_ROWS || h > TS_CANVAS_MAX_H)
		return ts_err_set(err, TS_E_USAGE,
			"--size takes COLUMNSxROWS of %dx%d to %dx%d, not \"%s\"",
			TS_SIZE_MIN_COLUMNS, TS_SIZE_MIN_ROWS, TS_CANVAS_MAX_W, TS_CANVAS_MAX_H,
			word);
	*size = (struct ts_size){(int)w, (int)h};
	return TS_OK;
}

/* A file that is there, or "none". */
static enum ts_code
check_readable(const char **to, const struct option_def *o, const char *word, struct ts_err *err)
{
	struct stat st;

	*to = word;
	if (strcmp(word, "none") == 0)
		return TS_OK;
	if (stat(word, &st) == 0 && S_ISDIR(st.st_mode))
		errno = EISDIR;
	else if (access(word, R_OK) == 0)
		return TS_OK;
	ts_err_sys(err, errno, "--%s %s: cannot be read", o->name, word);
	if (err)
		err->code = TS_E_USAGE;
	return TS_E_USAGE;
}

/* An address is kept as text, and known to be one. */
static enum ts_code
check_address(const char **to, const char *word, struct ts_err *err)
{
	struct ts_address address;

	*to = word;
	return ts_address_parse(&address, word, err);
}

static enum ts_code
set_number(struct ts_args *args, const struct option_def *o, const char *word, struct ts_err *err)
{
	char *to = (char *)args + o->offset;
	int64_t v;
	enum ts_code code = parse_number(&v, o, word, err);

	if (code)
		return code;
	if (o->kind == INTEGER && (v < 1 || v > INT32_MAX))
		return ts_err_set(err, TS_E_USAGE, "--%s takes a number from 1 on, not \"%s\"",
			o->name, word);
	if (o->kind == INTEGER)
		*(int *)(void *)to = (int)v;
	else if (o->kind == SEED)
		*(uint64_t *)(void *)to = (uint64_t)v;
	else /* 0 means the scale's own figure in there; none is negative */
		*(int64_t *)(void *)to = v == 0 && o->offset == AT(demo.steps) ? -1 : v;
	return TS_OK;
}

static enum ts_code
set_option(struct ts_args *args, const struct option_def *o, const char *word, struct ts_err *err)
{
	void *to = (char *)args + o->offset;

	switch (o->kind) {
	case FLAG:
		if (o->value)
			*(int *)to = o->value;
		else
			*(bool *)to = true;
		return TS_OK;
	case TEXT:
		*(const char **)to = word;
		return TS_OK;
	case READABLE:
		return check_readable(to, o, word, err);
	case CHOICE:
		return set_choice(to, o, word, err);
	case INTEGER:
	case NUMBER:
	case SEED:
		return set_number(args, o, word, err);
	case DURATION:
		return parse_seconds(to, o, word, err);
	case SIZE:
		return parse_size(to, word, err);
	case ADDRESS:
		return check_address(to, word, err);
	}
	return TS_OK;
}

/* Does an option, a word like "--cache" or "-qf", take the next word? */
static bool
takes_next(const char *word)
{
	const struct option_def *last = NULL;
	size_t len = strlen(word);

	if (word[1] == '-' && strchr(word, '='))
		return false;
	for (size_t i = 0; i < TS_COUNT(options) && word[1] == '-'; i++) {
		bool whole = strcmp(options[i].name, word + 2) == 0;

		if (whole || (!last && strncmp(options[i].name, word + 2, len - 2) == 0))
			last = &options[i];
		if (whole)
			break;
	}
	/* the first letter that takes something takes what is left of its word */
	for (size_t at = 1; word[1] != '-' && at < len; at++)
		for (size_t i = 0; i < TS_COUNT(options); i++)
			if (options[i].letter == word[at] && options[i].kind != FLAG)
				return at + 1 == len;
	return last && last->kind != FLAG;
}

/*
 * The verb is the first word that is no option (a path of that name is ./name, or stands behind --); it
 * is put before the options.
 */
static void
find_verb(struct ts_args *args, int argc, char **argv)
{
	int at = 1;
	char *word;

	while (at < argc && argv[at][0] == '-' && argv[at][1] && strcmp(argv[at], "--") != 0)
		at += takes_next(argv[at]) ? 2 : 1;
	args->verb = at < argc ? ts_verb_find(argv[at]) : NULL;
	if (!args->verb) {
		args->verb = app_verb;
		return;
	}
	word = argv[at];
	memmove(&argv[2], &argv[1], (size_t)(at - 1) * sizeof(*argv));
	argv[1] = word;
}

/* A bare word that is neither a verb nor a path is taken for a verb that does not exist. */
static bool
is_unknown_verb(const char *word)
{
	return !strpbrk(word, "/.:~") && access(word, F_OK) < 0 && errno == ENOENT;
}

static enum ts_code
check_paths(const struct ts_args *args, struct ts_err *err)
{
	const struct ts_verb *v = args->verb;

	if (args->help || args->version)
		return TS_OK;
	if (v == app_verb && args->path_count > 0 && is_unknown_verb(args->paths[0]))
		return ts_err_set(err, TS_E_USAGE,
			"\"%s\" is neither a verb nor a path (see tilescope help)", args->paths[0]);
	if (args->path_count < v->paths_min)
		return ts_err_set(err, TS_E_USAGE, "%s: %s is missing (see tilescope help %s)",
			v->name, v->arguments, v->name);
	if (args->path_count > v->paths_max)
		return ts_err_set(err, TS_E_USAGE, "%s%stoo many arguments", v->name,
			*v->name ? ": " : "");
	return TS_OK;
}

/* What getopt_long() says of a word; of a letter (optopt), which may stand among others in a word, that is said instead. */
static enum ts_code
take_option(struct ts_args *args, int c, const char *word, struct ts_err *err)
{
	const struct option_def *o = c >= LONG_BASE ? &options[c - LONG_BASE] : NULL;
	char letter[] = {'-', (char)optopt, '\0'};

	if ((c == ':' || c == '?') && optopt > 0 && optopt < 0x80)
		word = letter;
	if (c == ':')
		return ts_err_set(err, TS_E_USAGE, "option %s needs an argument", word);
	if (c == '?')
		return ts_err_set(err, TS_E_USAGE, "unknown option %s (see tilescope help%s%s)",
			word, *args->verb->name ? " " : "", args->verb->name);
	for (size_t i = 0; !o && i < TS_COUNT(options); i++)
		if (options[i].letter == c && (options[i].verbs & args->verb->mask))
			o = &options[i];
	return o ? set_option(args, o, optarg, err) : TS_OK;
}

enum ts_code
ts_args_parse(struct ts_args *args, int argc, char **argv, struct ts_err *err)
{
	struct option longs[TS_COUNT(options) + 1] = {0};
	char shorts[TS_COUNT(options) * 2 + 3] = ":";
	size_t n = 0;
	int skip, c, index = -1;
	enum ts_code code = TS_OK;

	*args = (struct ts_args){.timeout = TIMEOUT_DEFAULT,
		.size = {120, 40},
		.demo.layout = TS_DEMO_PROFILE};
	find_verb(args, argc, argv);
	skip = args->verb != app_verb;
	for (size_t i = 0; i < TS_COUNT(options); i++) {
		const struct option_def *o = &options[i];
		size_t len = strlen(shorts);

		if (!(o->verbs & args->verb->mask))
			continue;
		longs[n++] = (struct option){o->name,
			o->kind == FLAG ? no_argument : required_argument, NULL,
			LONG_BASE + (int)i};
		if (o->letter)
			snprintf(shorts + len, sizeof(shorts) - len, "%c%s", o->letter,
				o->kind == FLAG ? "" : ":");
	}
	optind = 1;
	while ((c = getopt_long(argc - skip, argv + skip, shorts, longs, &index)) != -1) {
		struct ts_err one = {0};

		if (!take_option(args, c, argv[skip + optind - 1], &one))
			continue;
		if (code) /* all that are wrong are said; the caller says the last one */
			ts_complain(NULL, err);
		code = one.code;
		*err = one;
	}
	if (code)
		return code;
	args->paths = argv + skip + optind;
	args->path_count = argc - skip - optind;
	if (args->latest && args->path_count == 0 && (args->verb->mask & TS_FOR_LATEST_HERE)) {
		args->here[0] = '.';
		args->here_only[0] = args->here;
		args->paths = args->here_only;
		args->path_count = 1;
	}
	return check_paths(args, err);
}

static void
help_options(struct ts_strbuf *out, unsigned mask)
{
	for (size_t i = 0; i < TS_COUNT(options); i++) {
		const struct option_def *o = &options[i];
		char left[64];

		if (!(o->verbs & mask) || !o->help)
			continue;
		snprintf(left, sizeof(left), "%s--%s%s%s",
			o->letter ? (const char[]){'-', o->letter, ',', ' ', 0} : "    ", o->name,
			o->argument ? " " : "", o->argument ? o->argument : "");
		ts_strbuf_printf(out, "  %-32s%s%s\n", left,
			strlen(left) > 31 ? "\n                                  " : "", o->help);
	}
}

void
ts_args_help(struct ts_strbuf *out, const struct ts_verb *verb)
{
	if (verb) {
		ts_strbuf_printf(out, "usage: tilescope %s [OPTIONS] %s\n\n%s\n\noptions:\n",
			verb->name, verb->arguments, verb->help);
		help_options(out, verb->mask);
		return;
	}
	ts_strbuf_puts(out,
		"usage: tilescope [OPTIONS] [PATH]        open a report in the app\n"
		"       tilescope VERB [OPTIONS] ...\n\n"
		"PATH: a report directory, a profile.pop under any name, or archive.a;\n"
		"      HOST:PATH is one on another host, read over SSH.\n\n"
		"verbs:\n");
	for (size_t i = 0; ts_verbs[i].name[0]; i++)
		ts_strbuf_printf(out, "  %-8s %-15s %s\n", ts_verbs[i].name, ts_verbs[i].arguments,
			ts_verbs[i].help);
	ts_strbuf_puts(out, "\noptions of the app:\n");
	help_options(out, app_verb->mask);
	ts_strbuf_puts(out,
		"\nexit status: 0 done, 1 findings of check, 2 usage, 3 the report cannot be\n"
		"read, 4 a part of it could not be read, 5 a host cannot be reached, 130\n"
		"interrupted\n");
}

void
ts_warn(const char *subject, const char *text)
{
	struct ts_strbuf raw, safe;

	ts_strbuf_init(&raw, 1 << 14);
	ts_strbuf_init(&safe, 1 << 15);
	if (subject) {
		ts_uri_without_password(&raw, subject);
		ts_strbuf_puts(&raw, ": ");
	}
	ts_strbuf_puts(&raw, subject ? ts_uri_reason(subject, text) : text);
	ts_utf8_safe(&safe, raw.s, raw.len);
	fprintf(stderr, "tilescope: %s\n", safe.s);
	ts_strbuf_fini(&raw);
	ts_strbuf_fini(&safe);
}

void
ts_complain(const char *subject, const struct ts_err *err)
{
	ts_warn(subject, err->msg);
}

static const struct {
	enum ts_code code;
	enum ts_exit status;
} exits[] = {
	{TS_OK, TS_EXIT_OK},
	{TS_E_USAGE, TS_EXIT_USAGE},
	{TS_E_CONNECT, TS_EXIT_CONNECT},
	{TS_E_CANCELLED, TS_EXIT_INTERRUPTED},
};

enum ts_exit
ts_exit_of(enum ts_code code)
{
	for (size_t i = 0; i < TS_COUNT(exits); i++)
		if (exits[i].code == code)
			return exits[i].status;
	return TS_EXIT_UNREADABLE;
}

enum ts_exit
ts_exit_worse(enum ts_exit a, enum ts_exit b)
{
	static const enum ts_exit order[] = {TS_EXIT_INTERRUPTED, TS_EXIT_CONNECT,
		TS_EXIT_UNREADABLE, TS_EXIT_USAGE, TS_EXIT_PARTIAL, TS_EXIT_FINDINGS};

	for (size_t i = 0; i < TS_COUNT(order); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return TS_EXIT_OK;
}
