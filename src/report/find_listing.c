/* SPDX-License-Identifier: MIT */
/*
 * find_listing - what lies in one directory of a host, for somebody who looks around there.
 *
 * ts_find_openable() looks into all that lies below, which is right where that costs nothing. Here the directory is listed, which
 * takes two round trips however much is in it, and its directories are looked into some at a time: for each the names that
 * make a report, all of them in one round trip.
 *
 * For who asks for the reports below a directory the lists themselves are enough: some directories at a time are listed side by
 * side, then what their profiles are, and where links to directories lead, is asked in one round trip. A directory is known
 * again by its real path.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/base/utf8.h"
#include "tilescope/io/uri.h"
#include "tilescope/report/find.h"

#include "report_internal.h"

/* --- the list --------------------------------------------------------------------------------- */

struct candidate {
	char *name;
	struct ts_file_state state;
	bool left_out; /* a link too many to be asked about */
};

struct listing {
	struct candidate *item;
	size_t count, cap;
	size_t passed; /* entries in all */
	bool nomem;
};

static void
listing_fini(struct listing *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->item[i].name);
	free(l->item);
	*l = (struct listing){0};
}

static const struct {
	const char *name;
	unsigned part;
} named_parts[] = {{"archive.a", TS_FOUND_ARCHIVE}, {"debug.cbor", TS_FOUND_DEBUG},
	{"framework.json", TS_FOUND_FRAMEWORK}, {"app.json", TS_FOUND_APP},
	{"vars.json", TS_FOUND_VARS}};

static bool
is_store(const char *name)
{
	return ts_ends_with(name, ".tilescope");
}

static bool
is_database(const char *name)
{
	return is_store(name) || ts_ends_with(name, ".pop");
}

static unsigned
part_of(const char *name)
{
	for (size_t i = 0; i < TS_COUNT(named_parts); i++)
		if (strcmp(name, named_parts[i].name) == 0)
			return named_parts[i].part;
	return 0;
}

/* What SQLite has beside a database while somebody writes it. */
static bool
is_side_file(const char *name, const struct ts_file_state *state)
{
	return state->kind == TS_FILE_REGULAR &&
		(ts_ends_with(name, "-wal") || ts_ends_with(name, "-journal"));
}

/* Files that open, parts of a report, directories, and what may be one. */
static bool
take_entry(void *ctx, const char *name, const struct ts_file_state *state)
{
	struct listing *l = ctx;
	void *array = l->item;
	bool file = state->kind == TS_FILE_REGULAR || state->kind == TS_FILE_UNKNOWN;
	bool directory = state->kind == TS_FILE_DIRECTORY || state->kind == TS_FILE_UNKNOWN;
	char *copy;

	if (++l->passed > TS_FIND_ENTRIES)
		return false;
	if (!(file && (is_database(name) || part_of(name))) && !(directory && name[0] != '.') &&
		!is_side_file(name, state))
		return true;
	copy = ts_strdup(name);
	if (!copy || !ts_room(&array, &l->cap, l->count, sizeof(*l->item))) {
		free(copy);
		l->nomem = true;
		return false;
	}
	l->item = array;
	l->item[l->count++] = (struct candidate){.name = copy, .state = *state};
	return true;
}

/* Which of two files is what the directory stands for: as ts_find_profile() has it. */
static int
rank(const char *name)
{
	if (strcmp(name, "profile.pop") == 0)
		return 5;
	if (strcmp(name, "report.tilescope") == 0)
		return 4;
	return is_store(name)			? 3
		: ts_is_temporary_profile(name) ? 2
						: strcmp(name, "archive.a") == 0;
}

static bool
is_better(const struct candidate *a, const struct candidate *b)
{
	int x = rank(a->name), y = b ? rank(b->name) : 0;

	return x > y || (x == y && x > 0 && strcmp(a->name, b->name) < 0);
}

static int
newest_first(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->state.mtime != y->state.mtime)
		return x->state.mtime < y->state.mtime ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Another row; NULL: no room, or no memory. */
static struct ts_found *
add_row(struct ts_found_list *list, char *path, const struct ts_file_state *state)
{
	struct ts_found *f = &list->item[list->count];

	if (!path || list->count == TS_FIND_MAX) {
		list->cut |= list->count == TS_FIND_MAX;
		list->left_out += list->count == TS_FIND_MAX;
		free(path);
		return NULL;
	}
	list->count++;
	*f = (struct ts_found){.path = path,
		.bytes = ts_max_i64(state->bytes, 0),
		.mtime = state->mtime};
	return f;
}

/* What the directory stands for; NULL: it is no report. any: also a directory of such a name, which is then in the way. */
static const struct candidate *
own_of(const struct listing *l, bool any)
{
	const struct candidate *own = NULL;

	for (size_t i = 0; i < l->count; i++)
		if ((any || l->item[i].state.kind != TS_FILE_DIRECTORY) &&
			is_better(&l->item[i], own))
			own = &l->item[i];
	return own;
}

/* The report that the directory itself is, with a profile of that state. */
static void
add_own(struct ts_found_list *list, const struct listing *l, const char *dir,
	const struct candidate *own, const struct ts_file_state *state)
{
	struct ts_found *f = add_row(list, ts_strdup(dir), state);

	if (!f)
		return;
	for (size_t i = 0; i < l->count; i++) {
		f->parts |= part_of(l->item[i].name);
		f->incomplete |= l->item[i].state.bytes > 0 &&
			is_side_file(l->item[i].name, &l->item[i].state);
	}
	if (is_store(own->name))
		f->parts |= TS_FOUND_STORE;
	else if (strcmp(own->name, "archive.a") != 0)
		f->parts |= TS_FOUND_PROFILE;
	f->half_written = ts_is_temporary_profile(own->name);
}

static void
add_rows(struct ts_found_list *list, const struct listing *l, const char *dir)
{
	const struct candidate *own = own_of(l, false);

	if (own)
		add_own(list, l, dir, own, &own->state);
	for (size_t i = 0; i < l->count; i++) {
		const struct candidate *c = &l->item[i];
		bool database = is_database(c->name) && c->state.kind != TS_FILE_DIRECTORY;
		struct ts_found *f;

		if (c == own || is_side_file(c->name, &c->state) || (!database && part_of(c->name)))
			continue;
		f = add_row(list, ts_report_join(strcmp(dir, "/") == 0 ? "" : dir, c->name),
			&c->state);
		if (!f)
			continue;
		if (database)
			f->parts = is_store(c->name) ? TS_FOUND_STORE : TS_FOUND_PROFILE;
		else
			f->pending = true;
		f->maybe = c->state.kind == TS_FILE_UNKNOWN;
	}
}

enum ts_code
ts_find_listing(struct ts_found_list *list, struct ts_files *files, const char *dir,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct listing l = {0};
	enum ts_code code = ts_files_list(files, dir, take_entry, &l, cancel, err);

	*list = (struct ts_found_list){.cut = l.passed > TS_FIND_ENTRIES};
	if (l.nomem)
		code = ts_err_nomem(err);
	if (l.count > 0)
		qsort(l.item, l.count, sizeof(*l.item), newest_first);
	if (!code)
		add_rows(list, &l, dir);
	listing_fini(&l);
	return code;
}

/* --- what its directories are ----------------------------------------------------------------- */

/* What is asked of each: itself, then names in it. */
static const struct {
	const char *name;
	unsigned part; /* 0: see take() */
} looks[] = {{NULL, 0}, {"profile.pop", TS_FOUND_PROFILE}, {"report.tilescope", TS_FOUND_STORE},
	{"archive.a", TS_FOUND_ARCHIVE}, {"debug.cbor", TS_FOUND_DEBUG},
	{"framework.json", TS_FOUND_FRAMEWORK}, {"app.json", TS_FOUND_APP},
	{"vars.json", TS_FOUND_VARS}, {"profile.pop-wal", 0}, {"profile.pop-journal", 0}};

enum { LOOKS = TS_COUNT(looks), OPENS = 3 /* looks[1 .. OPENS]: the first that is there opens */ };

static void
take(struct ts_found *f, const struct ts_files_asked *asked)
{
	unsigned parts = 0;

	if (!f->pending)
		return;
	f->pending = false;
	f->hidden = asked[0].state.kind != TS_FILE_DIRECTORY;
	for (size_t i = LOOKS; i-- > 1;) {
		const struct ts_file_state *s = &asked[i].state;

		if (s->kind != TS_FILE_REGULAR)
			continue;
		parts |= looks[i].part;
		f->incomplete |= !looks[i].part && s->bytes > 0;
		if (i > OPENS)
			continue;
		f->bytes = s->bytes;
		f->mtime = s->mtime;
	}
	if (parts & (TS_FOUND_PROFILE | TS_FOUND_STORE | TS_FOUND_ARCHIVE))
		f->parts = parts;
	else
		f->incomplete = parts != 0; /* a report whose profile is still to come */
}

enum ts_code
ts_find_look_into(struct ts_found *item, int n, struct ts_files *files,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_files_asked *asked = ts_alloc((size_t)n * LOOKS, sizeof(*asked));
	enum ts_code code = asked ? TS_OK : ts_err_nomem(err);

	for (int i = 0; !code && i < n; i++)
		for (size_t k = 0; !code && k < LOOKS; k++) {
			char *path = looks[k].name ? ts_report_join(item[i].path, looks[k].name)
						   : ts_strdup(item[i].path);

			asked[(size_t)i * LOOKS + k].path = path;
			if (!path)
				code = ts_err_nomem(err);
		}
	if (!code)
		code = ts_files_look_all(files, asked, (size_t)n * LOOKS, cancel, err);
	for (int i = 0; !code && i < n; i++)
		take(&item[i], &asked[(size_t)i * LOOKS]);
	for (size_t i = 0; asked && i < (size_t)n * LOOKS; i++)
		free((void *)(uintptr_t)asked[i].path);
	free(asked);
	return code;
}

/* --- what lies below ----------------------------------------------------------------------------- */

enum {
	SIDE_BY_SIDE = 32,
	LINKS_A_PLACE =
		4, /* that are asked about, for each directory that can still be looked into */
};

struct below {
	char *path, *real; /* real: NULL where it is not known */
	int level;
};

/* Breadth first: `head` of `tail` directories have been looked into. */
struct search {
	struct ts_found_list *list;
	struct ts_files *files;
	const struct ts_cancel *cancel;
	struct below dir[TS_FIND_FAR];
	int head, tail;
	size_t entries;
	bool nomem;
};

/* Questions of one round trip. */
struct questions {
	struct ts_files_asked *asked;
	size_t count, cap;
};

static char *
join(const char *dir, const char *name)
{
	if (strcmp(dir, ".") == 0)
		return ts_strdup(name);
	return ts_report_join(strcmp(dir, "/") == 0 ? "" : dir, name);
}

/* Is it a link that may lead to a directory with reports? */
static bool
is_way(const struct candidate *c)
{
	return c->state.kind == TS_FILE_UNKNOWN && !c->left_out && !is_database(c->name) &&
		!part_of(c->name);
}

static int
newest_of(const void *a, const void *b)
{
	struct candidate *const *x = a, *const *y = b;

	return newest_first(*x, *y);
}

/* The links of a round beyond what can lead anywhere, the oldest ones, are not asked about: a directory may hold thousands. */
static void
leave_out_links(struct search *s, struct listing *l, int n)
{
	const size_t most = LINKS_A_PLACE * (size_t)(TS_FIND_FAR - s->tail);
	struct candidate **link = NULL;
	size_t count = 0, cap = 0;

	for (int i = 0; i < n; i++)
		for (size_t k = 0; k < l[i].count && s->dir[s->head + i].level < TS_FIND_LEVELS;
			k++) {
			void *array = link;

			if (!is_way(&l[i].item[k]))
				continue;
			if (!ts_room(&array, &cap, count, sizeof(struct candidate *))) {
				s->nomem = true;
				break;
			}
			link = array;
			link[count++] = &l[i].item[k];
		}
	if (count > most) {
		qsort(link, count, sizeof(struct candidate *), newest_of);
		s->list->cut = true;
	}
	for (size_t i = most; i < count; i++)
		link[i]->left_out = true;
	free(link);
}

/* `path` is given up. */
static void
add_question(struct search *s, struct questions *q, char *path, bool real)
{
	void *array = q->asked;

	if (!path || !ts_room(&array, &q->cap, q->count, sizeof(*q->asked))) {
		free(path);
		s->nomem = true;
		return;
	}
	q->asked = array;
	q->asked[q->count++] = (struct ts_files_asked){.path = path, .real = real};
}

/* What its lists leave open of a directory: the state of its profile, then what each link is and where it leads. */
static void
add_questions(struct search *s, struct questions *q, const struct below *dir,
	const struct listing *l)
{
	const struct candidate *own = own_of(l, true);

	if (own)
		add_question(s, q, join(dir->path, own->name), false);
	if (dir->level == TS_FIND_LEVELS)
		return;
	for (size_t i = 0; i < l->count; i++) {
		if (!is_way(&l->item[i]))
			continue;
		add_question(s, q, join(dir->path, l->item[i].name), false);
		add_question(s, q, join(dir->path, l->item[i].name), true);
	}
}

/* A directory in `in`; `real` is given up. */
static void
enqueue(struct search *s, const struct below *in, const char *name, char *real)
{
	char *path;

	for (int i = 0; real && i < s->tail; i++)
		if (s->dir[i].real && strcmp(s->dir[i].real, real) == 0) {
			free(real);
			return;
		}
	if (s->tail == TS_FIND_FAR) {
		s->list->cut = true;
		free(real);
		return;
	}
	path = join(in->path, name);
	if (!path) {
		s->nomem = true;
		free(real);
		return;
	}
	s->dir[s->tail++] = (struct below){path, real, in->level + 1};
}

/* The answers, in the order of the questions. What it leads to by itself comes before links: those are other names of it. */
static void
take_answers(struct search *s, const struct ts_files_asked **asked, struct below dir,
	const struct listing *l)
{
	const struct candidate *own = own_of(l, true);

	if (own) {
		const struct ts_files_asked *a = (*asked)++;

		if (a->state.kind == TS_FILE_REGULAR)
			add_own(s->list, l, dir.path, own, &a->state);
	}
	if (dir.level == TS_FIND_LEVELS)
		return;
	for (size_t i = 0; i < l->count; i++)
		if (l->item[i].state.kind == TS_FILE_DIRECTORY)
			enqueue(s, &dir, l->item[i].name,
				dir.real ? join(dir.real, l->item[i].name) : NULL);
	for (size_t i = 0; i < l->count; i++) {
		const struct ts_files_asked *a;

		if (!is_way(&l->item[i]))
			continue;
		a = *asked;
		*asked += 2;
		if (a[0].state.kind == TS_FILE_DIRECTORY)
			enqueue(s, &dir, l->item[i].name, a[1].text ? ts_strdup(a[1].text) : NULL);
	}
}

/* Ask, and go on with the answers. */
static enum ts_code
look_closer(struct search *s, const struct listing *l, int n, struct ts_err *err)
{
	struct questions q = {0};
	const struct ts_files_asked *answers;
	enum ts_code code;

	if (s->head == 0)
		add_question(s, &q, ts_strdup(s->dir[0].path), true);
	for (int i = 0; i < n; i++)
		add_questions(s, &q, &s->dir[s->head + i], &l[i]);
	code = s->nomem ? ts_err_nomem(err)
			: ts_files_look_all(s->files, q.asked, q.count, s->cancel, err);
	answers = q.asked;
	if (!code && s->head == 0 && (answers++)->text)
		s->dir[0].real = ts_strdup(q.asked[0].text);
	for (int i = 0; !code && i < n; i++)
		take_answers(s, &answers, s->dir[s->head + i], &l[i]);
	for (size_t i = 0; i < q.count; i++) {
		free(q.asked[i].text);
		free((void *)(uintptr_t)q.asked[i].path);
	}
	free(q.asked);
	return code;
}

/* The next directories, side by side. */
static enum ts_code
look_into_some(struct search *s, struct ts_err *err)
{
	struct ts_files_listing listing[SIDE_BY_SIDE];
	struct listing l[SIDE_BY_SIDE] = {{0}};
	int n = (int)ts_min_i64(s->tail - s->head, SIDE_BY_SIDE);
	enum ts_code code;

	for (int i = 0; i < n; i++)
		listing[i] = (struct ts_files_listing){.path = s->dir[s->head + i].path,
			.entry = take_entry,
			.ctx = &l[i]};
	code = ts_files_list_all(s->files, listing, (size_t)n, s->cancel, err);
	for (int i = 0; i < n; i++) {
		s->nomem |= l[i].nomem;
		s->entries += l[i].passed;
		s->list->cut |= l[i].passed > TS_FIND_ENTRIES;
		if (l[i].count > 0)
			qsort(l[i].item, l[i].count, sizeof(l[i].item[0]), newest_first);
	}
	leave_out_links(s, l, n);
	if (!code)
		code = look_closer(s, l, n, err);
	s->head += n;
	for (int i = 0; i < n; i++)
		listing_fini(&l[i]);
	return code;
}

enum ts_code
ts_find_far(struct ts_found_list *list, struct ts_files *files, const char *dir,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct search *s = ts_alloc(1, sizeof(*s));
	enum ts_code code = TS_OK;

	*list = (struct ts_found_list){0};
	if (!s)
		return ts_err_nomem(err);
	s->list = list;
	s->files = files;
	s->cancel = cancel;
	s->dir[0] = (struct below){.path = ts_strdup(dir)};
	s->nomem = !s->dir[0].path;
	s->tail = !s->nomem;
	while (!code && s->head < s->tail && s->entries <= TS_FIND_ENTRIES) {
		code = look_into_some(s, err);
		if (!code && s->nomem)
			code = ts_err_nomem(err);
	}
	if (!code && s->nomem)
		code = ts_err_nomem(err);
	list->cut |= s->head < s->tail;
	for (int i = 0; i < s->tail; i++) {
		free(s->dir[i].path);
		free(s->dir[i].real);
	}
	free(s);
	if (code)
		ts_found_list_fini(list);
	return code;
}

/* --- words ------------------------------------------------------------------------------------ */

enum { WORD_MAX = TS_URI_PATH + 512 };

char *
ts_find_word(const char *word, const char *path)
{
	struct ts_strbuf text;
	struct ts_uri u;
	char *out = NULL;

	if (ts_uri_parse(&u, word, NULL) || !u.remote)
		return ts_strdup(path);
	if (strlen(path) >= sizeof(u.path))
		return NULL;
	snprintf(u.path, sizeof(u.path), "%s", path);
	ts_strbuf_init(&text, WORD_MAX);
	ts_uri_text(&text, &u);
	if (!text.cut)
		out = ts_strbuf_take(&text);
	ts_strbuf_fini(&text);
	return out;
}

char *
ts_find_above(const char *word)
{
	struct ts_uri u;
	char *slash;

	if (ts_uri_parse(&u, word, NULL) || u.path[0] != '/' || !u.path[1])
		return NULL;
	slash = strrchr(u.path, '/');
	slash[slash == u.path] = '\0';
	return ts_find_word(word, u.path);
}
