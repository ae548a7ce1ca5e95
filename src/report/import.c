/* SPDX-License-Identifier: MIT */
/*
 * import - see the header.
 *
 * The script and the store's DDL are part of the program; the child reads them from descriptors, so that
 * nothing has to be installed and nothing lies in a directory where somebody could change it. Only the
 * interpreter comes from outside: libpva can be had in no other way. The child writes the store itself, to a
 * temporary name; it is renamed when the child has said that it is done.
 */
#include "config.h"

#include "tilescope/report/import.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tilescope/base/embedded.h"
#include "tilescope/base/mem.h"
#include "tilescope/io/child.h"
#include "tilescope/io/sync.h"
#include "tilescope/report/names.h"
#include "tilescope/report/stores.h"

enum {
	LINE = 1 << 10,
	PATH_LIMIT = 1 << 14,
	CATEGORIES_MAX = 1 << 20,
	GIVEN_NAME = 32,
	NO_PVA = 3, /* the script's exit status */
	GIVEN_SCRIPT = 0,
	GIVEN_DDL = 1,
	GIVEN_CATEGORIES = 2,
	GIVEN = 3,
	DAY = 86400,
	PROBE_SECONDS = 60,
};

struct import {
	struct ts_import_outcome *outcome;
	struct ts_reader *reader;
	const struct ts_report *report;
	const struct ts_import_options *options;
	struct ts_progress *progress;
	const struct ts_cancel *cancel;
	char *temporary;
	struct ts_strbuf wanted; /* names of relations, a comma between them */
	char made_of[TS_IMPORT_MADE_OF];
	int given[GIVEN];
	char line[LINE]; /* what the child has said of its current line */
	size_t line_len;
	bool cut, done;
};

/* Relations that the documented properties have rows for; those first that people ask for most. */
static const enum ts_relation documented[] = {TS_LIVENESS_STEP, TS_VARIABLE, TS_PROGRAM_CHILD,
	TS_OPERATION, TS_LIVENESS_VARIABLE, TS_TILE_MEMORY, TS_TILE_CATEGORY, TS_LOWERED_VARIABLE,
	TS_CLASS_INTERVAL, TS_STEP, TS_STEP_IPU, TS_RUN, TS_BLOCK, TS_PROGRAM, TS_COMPUTE_SET,
	TS_COMPUTE_SET_VERTEX, TS_VERTEX_TYPE, TS_TILE_VERTEX, TS_TARGET, TS_GRAPH_COUNT, TS_IPU,
	TS_LIVENESS_STEP_IPU, TS_TILE_ALWAYS_LIVE, TS_OPERATION_PROGRAM, TS_OPERATION_VARIABLE};

/* --- what it is given ------------------------------------------------------------------------- */

/* A file that lives in memory, with these bytes. */
static enum ts_code
file_of(int *fd, const char *bytes, size_t left, struct ts_err *err)
{
	*fd = memfd_create("tilescope", MFD_CLOEXEC);
	if (*fd < 0)
		return ts_err_sys(err, errno, "a file in memory cannot be made");
	while (left > 0) {
		ssize_t n = write(*fd, bytes, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ts_err_sys(err, errno, "a file in memory cannot be written");
		bytes += n;
		left -= (size_t)n;
	}
	return TS_OK;
}

static enum ts_code
file_of_embedded(int *fd, const char *name, struct ts_err *err)
{
	const struct ts_embedded *e = ts_embedded_find(name);

	return file_of(fd, e->text, e->size, err);
}

/*
 * "NUMBER NAME" of each category that the report knows: rows that come from libpva must join those that
 * come from the profile. With --complete nothing of the profile is used.
 */
static enum ts_code
file_of_categories(struct import *im, int *fd, struct ts_err *err)
{
	struct ts_names names = {0};
	struct ts_strbuf text;
	enum ts_code code = TS_OK;

	ts_strbuf_init(&text, CATEGORIES_MAX);
	if (!im->options->complete)
		code = ts_names_read(&names, im->reader, TS_MEMORY_CATEGORY,
			TS_MEMORY_CATEGORY_CATEGORY, TS_MEMORY_CATEGORY_NAME, err);
	if (code == TS_E_DAMAGED)
		code = TS_OK;
	for (size_t i = 0; !code && i < names.count; i++) {
		const struct ts_name *n = &names.name[i];

		if (memchr(names.text + n->at, '\n', n->length))
			continue;
		ts_strbuf_printf(&text, "%lld %.*s\n", (long long)n->id, (int)n->length,
			names.text + n->at);
	}
	if (!code && text.cut)
		code = ts_err_set(err, TS_E_LIMIT, "there are too many categories");
	if (!code)
		code = file_of(fd, text.s, text.len, err);
	ts_names_fini(&names);
	ts_strbuf_fini(&text);
	return code;
}

/* The relations that are asked for. */
static enum ts_code
list_wanted(struct import *im, struct ts_err *err)
{
	for (int i = 0; i < TS_RELATION_COUNT; i++) {
		const struct ts_binding *b = &im->report->binding[i];

		if (!im->options->complete && b->bound &&
			im->report->part_of[b->source] < TS_PART_COUNT)
			continue; /* what a store of an earlier import has is asked for again */
		ts_strbuf_printf(&im->wanted, "%s%s", im->wanted.len ? "," : "",
			ts_relation_def((enum ts_relation)i)->name);
	}
	if (im->wanted.cut)
		return ts_err_nomem(err);
	if (im->wanted.len == 0)
		return ts_err_set(err, TS_E_ABSENT,
			"it has every relation already (all of them anew: --complete)");
	return TS_OK;
}

int
ts_import_lacks(const struct ts_report *r, const char *out[], int max)
{
	int n = 0;

	for (size_t i = 0; i < TS_COUNT(documented); i++) {
		if (r->binding[documented[i]].bound)
			continue;
		if (n < max)
			out[n] = ts_relation_def(documented[i])->name;
		n++;
	}
	return n;
}

static enum ts_code
make_temporary(struct import *im, const char *path, struct ts_err *err)
{
	struct ts_strbuf name;
	int fd;

	ts_strbuf_init(&name, PATH_LIMIT);
	ts_strbuf_printf(&name, "%s.%ld.tmp", path, (long)getpid());
	im->temporary = ts_strbuf_take(&name);
	if (!im->temporary)
		return ts_err_nomem(err);
	fd = open(im->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (fd < 0) {
		int why = errno;

		free(im->temporary);
		im->temporary = NULL;
		return ts_err_sys(err, why, "%s: cannot write", path);
	}
	close(fd);
	return TS_OK;
}

/* --- what it says ----------------------------------------------------------------------------- */

static void
said_rows(struct import *im, const char *rest)
{
	im->outcome->rows = strtoll(rest, NULL, 10);
	ts_progress_set(im->progress, im->outcome->rows, 0);
}

static void
said_skipped(struct import *im, const char *rest)
{
	ts_notes_add(&im->outcome->skipped, "%s", rest);
}

static void
said_done(struct import *im, const char *rest)
{
	(void)rest;
	im->done = true;
}

static const struct {
	const char *word;
	void (*take)(struct import *im, const char *rest);
} words[] = {
	{"rows ", said_rows},
	{"skipped ", said_skipped},
	{"done", said_done},
};

static void
take_line(struct import *im)
{
	im->line[im->line_len] = '\0';
	for (size_t i = 0; !im->cut && i < TS_COUNT(words); i++) {
		size_t n = strlen(words[i].word);

		if (strncmp(im->line, words[i].word, n) == 0)
			words[i].take(im, im->line + n);
	}
	im->line_len = 0;
	im->cut = false;
}

static void
take_bytes(struct import *im, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == '\n')
			take_line(im);
		else if (im->line_len < LINE - 1)
			im->line[im->line_len++] = bytes[i];
		else
			im->cut = true;
	}
}

static enum ts_code
listen(struct import *im, struct ts_child *child, struct ts_err *err)
{
	char bytes[LINE];
	size_t got;
	enum ts_code code;

	do {
		code = ts_child_read(child, bytes, sizeof(bytes), &got, im->cancel, err);
		take_bytes(im, bytes, got);
	} while (!code && got > 0);
	return code;
}

/* --- running ---------------------------------------------------------------------------------- */

static enum ts_code
without_libpva(const char *why, struct ts_err *err)
{
	return ts_err_set(err, TS_E_ABSENT,
		"no libpva: %s (enable the Poplar SDK in this shell first, or name its Python: --python PATH)",
		why);
}

/* How the child ended, as an error. */
static enum ts_code
judge(const struct import *im, const struct ts_child *child, int status, struct ts_err *err)
{
	const char *complaint = child->complaint[0] ? child->complaint : "it does not say why";

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && im->done)
		return TS_OK;
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_PVA)
		return without_libpva(complaint, err);
	if (WIFSIGNALED(status))
		return ts_err_set(err, TS_E_FORMAT, "libpva was ended by signal %d",
			WTERMSIG(status));
	return ts_err_set(err, TS_E_FORMAT, "%s", complaint);
}

static void
name_given(char name[GIVEN_NAME], int i)
{
	snprintf(name, GIVEN_NAME, "/dev/fd/%d", TS_CHILD_FIRST + i);
}

static const char *
python_of(const char *python)
{
	return python && *python ? python : "python3";
}

static enum ts_code
run_bridge(struct import *im, struct ts_err *err)
{
	const char *python = python_of(im->options->python);
	const struct ts_part_info *debug = &im->report->part[TS_PART_DEBUG];
	char script[GIVEN_NAME], ddl[GIVEN_NAME], categories[GIVEN_NAME];
	const char *argv[] = {python, "-B", script, im->report->file, im->temporary, ddl,
		categories, im->wanted.s, im->made_of,
		debug->state == TS_PART_OK ? debug->path : NULL, NULL};
	struct ts_child_spec spec = {.file = python, .argv = argv, .given_count = GIVEN};
	struct ts_child child;
	struct ts_err own = {0};
	enum ts_code code;
	int status;

	name_given(script, GIVEN_SCRIPT);
	name_given(ddl, GIVEN_DDL);
	name_given(categories, GIVEN_CATEGORIES);
	memcpy(spec.given, im->given, sizeof(im->given));
	code = ts_child_start(&child, &spec, &own);
	if (code == TS_E_SYS)
		return without_libpva(own.msg, err);
	if (code)
		return ts_err_nomem(err);
	code = listen(im, &child, err);
	status = ts_child_end(&child, im->cancel);
	return code ? code : judge(im, &child, status, err);
}

enum ts_code
ts_import_probe(const char *python, const struct ts_cancel *cancel, struct ts_err *err)
{
	char script[GIVEN_NAME], bytes[LINE];
	const char *argv[] = {python_of(python), "-B", script, "--probe", NULL};
	struct ts_child_spec spec = {.file = argv[0],
		.argv = argv,
		.given_count = 1,
		.seconds = PROBE_SECONDS};
	struct ts_child child;
	struct ts_err own = {0};
	size_t got;
	enum ts_code code = file_of_embedded(&spec.given[0], "bridge/libpva.py", err);
	int status;

	if (code)
		return code;
	name_given(script, GIVEN_SCRIPT);
	code = ts_child_start(&child, &spec, &own);
	close(spec.given[0]);
	if (code)
		return code == TS_E_SYS ? without_libpva(own.msg, err) : ts_err_nomem(err);
	do {
		code = ts_child_read(&child, bytes, sizeof(bytes), &got, cancel, &own);
	} while (!code && got > 0);
	status = ts_child_end(&child, cancel);
	if (code == TS_E_LIMIT || (!code && status != 0))
		return without_libpva(code ? own.msg : child.complaint, err);
	if (code && err)
		*err = own;
	return code;
}

/* Synced and under its name. */
static enum ts_code
keep(struct import *im, const char *path, struct ts_err *err)
{
	int fd = open(im->temporary, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	enum ts_code code;

	if (fd < 0)
		return ts_err_sys(err, errno, "%s: cannot write", path);
	code = ts_sync(fd, im->cancel, err);
	close(fd);
	if (code)
		return code;
	if (rename(im->temporary, path) < 0)
		return ts_err_sys(err, errno, "%s: cannot write", path);
	free(im->temporary);
	im->temporary = NULL;
	return TS_OK;
}

void
ts_import_made_of(char name[TS_IMPORT_MADE_OF], const struct ts_identity *id)
{
	snprintf(name, TS_IMPORT_MADE_OF, "%016llx-%08x-%llx", (unsigned long long)id->header,
		(unsigned)id->changes, (unsigned long long)id->bytes);
}

static enum ts_code
prepare(struct import *im, const char *path, struct ts_err *err)
{
	enum ts_code code = list_wanted(im, err);

	ts_import_made_of(im->made_of, &im->report->identity);
	if (!code)
		code = file_of_embedded(&im->given[GIVEN_SCRIPT], "bridge/libpva.py", err);
	if (!code)
		code = file_of_embedded(&im->given[GIVEN_DDL], "schemas/store.sql", err);
	if (!code)
		code = file_of_categories(im, &im->given[GIVEN_CATEGORIES], err);
	return code ? code : make_temporary(im, path, err);
}

enum ts_code
ts_import(struct ts_import_outcome *outcome, const char *path, struct ts_reader *rd,
	const struct ts_import_options *options, struct ts_progress *progress,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct import im = {.outcome = outcome,
		.reader = rd,
		.report = rd->report,
		.options = options,
		.progress = progress,
		.cancel = cancel,
		.given = {-1, -1, -1}};
	enum ts_code code;

	*outcome = (struct ts_import_outcome){0};
	if (im.report->files)
		return ts_err_set(err, TS_E_USAGE,
			"libpva reads files of this machine only: import it on the host");
	ts_strbuf_init(&im.wanted, PATH_LIMIT);
	code = prepare(&im, path, err);
	if (!code)
		code = run_bridge(&im, err);
	if (!code)
		code = keep(&im, path, err);
	if (im.temporary)
		unlink(im.temporary);
	free(im.temporary);
	for (int i = 0; i < GIVEN; i++)
		if (im.given[i] >= 0)
			close(im.given[i]);
	ts_strbuf_fini(&im.wanted);
	return code;
}

void
ts_import_outcome_fini(struct ts_import_outcome *outcome)
{
	ts_notes_fini(&outcome->skipped);
}

char *
ts_import_store_path(const char *dir, const struct ts_report *r)
{
	char name[TS_STORE_NAME];
	struct ts_strbuf b;

	ts_store_name_import(name, r->real ? r->real : r->file, &r->identity);
	ts_strbuf_init(&b, PATH_LIMIT);
	ts_strbuf_printf(&b, "%s/import/%s", dir, name);
	return ts_strbuf_take(&b);
}

/* Whole ones are; what has no end yet may be being written, unless nobody did for a day. */
static bool
is_left_over(int dir, const char *name, const char *ending)
{
	const char *dot = strrchr(name, '.');
	struct stat st;

	if (dot && strcmp(dot, ending) == 0)
		return true;
	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
		st.st_mtime < time(NULL) - DAY;
}

void
ts_import_tidy(const char *path, const char *real)
{
	const char *name = strrchr(path, '/') + 1;
	size_t prefix = strcspn(name, "-") + 1;
	char *dir = ts_strndup(path, (size_t)(name - path));
	DIR *d = dir ? opendir(dir) : NULL;
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (strncmp(e->d_name, name, prefix) == 0 && strcmp(e->d_name, name) != 0 &&
			is_left_over(dirfd(d), e->d_name, strrchr(name, '.')))
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	ts_store_remember(path, real);
	free(dir);
}
