/* SPDX-License-Identifier: MIT */
/* known_hosts - see the header. Each question reads the files anew: they are asked once a connection. */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host_match.h"
#include "sha1.h"
#include "tilescope/base/mem.h"
#include "tilescope/io/known_hosts.h"

enum {
	LINE = 16 << 10,
	NAME = 1024, /* [host]:port */
	SSH_PORT = 22,
	HASHED = 64,	  /* base64 of a hash and a NUL */
	LENGTH_BYTES = 4, /* before a text inside of a key */
};

/* --- base64 ----------------------------------------------------------------------------------- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Bytes of n characters of base64; -1: it is none, or has more than `max`. */
static int
decode(unsigned char *out, size_t max, const char *text, size_t n)
{
	uint32_t bits = 0;
	size_t got = 0, i;

	if (n % 4 != 0)
		return -1;
	for (i = 0; i < n && text[i] != '='; i++) {
		const char *digit = memchr(digits, text[i], sizeof(digits) - 1);

		if (!digit)
			return -1;
		bits = bits << 6 | (uint32_t)(digit - digits);
		if (i % 4 == 0)
			continue;
		if (got == max)
			return -1;
		out[got++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
	}
	if (n - i > 2 || (n - i == 2 && text[i + 1] != '='))
		return -1;
	return (int)got;
}

static void
encode(char *out, const unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)bytes[i] << 16 | (i + 1 < n ? bytes[i + 1] << 8 : 0) |
			(i + 2 < n ? bytes[i + 2] : 0);

		*out++ = digits[v >> 18];
		*out++ = digits[v >> 12 & 63];
		*out++ = i + 1 < n ? digits[v >> 6 & 63] : '=';
		*out++ = i + 2 < n ? digits[v & 63] : '=';
	}
	*out = '\0';
}

/* --- keys ------------------------------------------------------------------------------------- */

struct key {
	unsigned char byte[TS_KNOWN_HOSTS_KEY];
	int n;
	char type[TS_KNOWN_HOSTS_TYPE];
};

/* A key says what it is: its first text is its type. */
static bool
read_key(struct key *key, const char *text, size_t n)
{
	size_t len;

	key->n = decode(key->byte, sizeof(key->byte), text, n);
	if (key->n <= LENGTH_BYTES)
		return false;
	len = (size_t)key->byte[0] << 24 | (size_t)key->byte[1] << 16 | (size_t)key->byte[2] << 8 |
		key->byte[3];
	if (len == 0 || len >= sizeof(key->type) || len > (size_t)key->n - LENGTH_BYTES)
		return false;
	memcpy(key->type, key->byte + LENGTH_BYTES, len);
	key->type[len] = '\0';
	return true;
}

static bool
same_key(const struct key *a, const struct key *b)
{
	return a->n == b->n && memcmp(a->byte, b->byte, (size_t)a->n) == 0;
}

bool
ts_known_hosts_type(char type[TS_KNOWN_HOSTS_TYPE], const char *text)
{
	struct key key;

	if (!read_key(&key, text, strlen(text)))
		return false;
	memcpy(type, key.type, sizeof(key.type));
	return true;
}

/* --- names ------------------------------------------------------------------------------------ */

/* The name that a host has in the files: in small letters, with the port where that is not ssh's. */
static void
name_of(char out[NAME], const char *host, int port)
{
	if (port == SSH_PORT)
		snprintf(out, NAME, "%s", host);
	else
		snprintf(out, NAME, "[%s]:%d", host, port);
	for (char *c = out; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
}

/* |1|SALT|HASH, both in base64. */
static bool
matches_hash(const char *name, const char *hidden)
{
	unsigned char salt[TS_SHA1_KEY], want[TS_SHA1_SIZE], is[TS_SHA1_SIZE];
	const char *bar;
	int n;

	if (strncmp(hidden, "|1|", 3) != 0)
		return false;
	hidden += 3;
	bar = strchr(hidden, '|');
	if (!bar)
		return false;
	n = decode(salt, sizeof(salt), hidden, (size_t)(bar - hidden));
	if (n < 0 || decode(want, sizeof(want), bar + 1, strlen(bar + 1)) != TS_SHA1_SIZE)
		return false;
	ts_hmac_sha1(is, salt, (size_t)n, name, strlen(name));
	return memcmp(is, want, sizeof(is)) == 0;
}

static bool
is_named(const char *name, const char *names)
{
	if (names[0] == '|')
		return matches_hash(name, names);
	return ts_host_match_list(name, names, 1) == TS_HOST_YES;
}

/* --- lines ------------------------------------------------------------------------------------ */

enum mark { MARK_NONE, MARK_REVOKED, MARK_AUTHORITY, MARK_OTHER };

struct entry {
	enum mark mark;
	const char *names;
	struct key key;
	int file, line;
};

/* The next word of a line, which is cut out of it; NULL: there is none. */
static char *
word(char **line)
{
	char *w = *line + strspn(*line, " \t\r\n");
	size_t n = strcspn(w, " \t\r\n");

	if (n == 0)
		return NULL;
	*line = w + n + (w[n] != '\0');
	w[n] = '\0';
	return w;
}

static enum mark
mark_of(const char *w)
{
	if (w[0] != '@')
		return MARK_NONE;
	if (strcmp(w, "@revoked") == 0)
		return MARK_REVOKED;
	return strcmp(w, "@cert-authority") == 0 ? MARK_AUTHORITY : MARK_OTHER;
}

static bool
read_entry(struct entry *e, char *line)
{
	char *w = word(&line), *type, *key;

	if (!w || w[0] == '#')
		return false;
	e->mark = mark_of(w);
	if (e->mark != MARK_NONE)
		w = word(&line);
	type = w ? word(&line) : NULL;
	key = type ? word(&line) : NULL;
	if (!key || e->mark == MARK_OTHER)
		return false;
	e->names = w;
	return read_key(&e->key, key, strlen(key));
}

typedef void entry_fn(void *ctx, const struct entry *e);

static void
each_of_file(FILE *f, struct entry *e, char *line, entry_fn *fn, void *ctx)
{
	bool begun = false; /* of a line that is too long some has been read */

	e->line = 0;
	while (fgets(line, LINE, f)) {
		bool whole = strchr(line, '\n') || feof(f);

		if (!begun)
			e->line++;
		if (whole && !begun && read_entry(e, line))
			fn(ctx, e);
		begun = !whole;
	}
}

static void
each(const char *const *files, int count, entry_fn *fn, void *ctx)
{
	struct entry *e = ts_alloc(1, sizeof(*e));
	char *line = ts_alloc(1, LINE);

	for (e ? e->file = 0 : 0; e && line && e->file < count; e->file++) {
		int fd = open(files[e->file], O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;

		if (f) {
			each_of_file(f, e, line, fn, ctx);
			fclose(f);
		} else if (fd >= 0) {
			close(fd);
		}
	}
	free(line);
	free(e);
}

/* --- looking ---------------------------------------------------------------------------------- */

struct look {
	char name[NAME], alone[NAME]; /* `alone`: without the port; "" = the same */
	struct key key;
	struct ts_known_host *out;
};

static enum ts_known
says(const struct look *l, const struct entry *e)
{
	bool same = same_key(&e->key, &l->key);

	if (!is_named(l->name, e->names)) {
		if (!same || !l->alone[0] || !is_named(l->alone, e->names))
			return TS_KNOWN_UNKNOWN;
		return e->mark == MARK_REVOKED ? TS_KNOWN_REVOKED
			: e->mark == MARK_NONE ? TS_KNOWN_OK
					       : TS_KNOWN_UNKNOWN;
	}
	if (e->mark == MARK_AUTHORITY)
		return TS_KNOWN_AUTHORITY;
	if (e->mark == MARK_REVOKED)
		return same ? TS_KNOWN_REVOKED : TS_KNOWN_UNKNOWN;
	if (same)
		return TS_KNOWN_OK;
	return strcmp(e->key.type, l->key.type) == 0 ? TS_KNOWN_CHANGED : TS_KNOWN_OTHER;
}

static void
look_at(void *ctx, const struct entry *e)
{
	struct look *l = ctx;
	enum ts_known is = says(l, e);

	if (is >= l->out->is)
		return;
	*l->out = (struct ts_known_host){.is = is, .file = e->file, .line = e->line};
	memcpy(l->out->type, e->key.type, sizeof(l->out->type));
}

void
ts_known_hosts_look(struct ts_known_host *out, const char *const *files, int count,
	const char *host, int port, const char *key)
{
	struct look *l = ts_alloc(1, sizeof(*l));

	*out = (struct ts_known_host){.is = TS_KNOWN_UNKNOWN, .file = -1};
	if (!l || !read_key(&l->key, key, strlen(key))) {
		free(l);
		return;
	}
	name_of(l->name, host, port);
	if (port != SSH_PORT)
		name_of(l->alone, host, SSH_PORT);
	l->out = out;
	each(files, count, look_at, l);
	free(l);
}

struct types {
	char name[NAME];
	char (*type)[TS_KNOWN_HOSTS_TYPE];
	int count;
};

static void
add_type(void *ctx, const struct entry *e)
{
	struct types *t = ctx;

	if (e->mark != MARK_NONE || t->count == TS_KNOWN_HOSTS_TYPES ||
		!is_named(t->name, e->names))
		return;
	for (int i = 0; i < t->count; i++)
		if (strcmp(t->type[i], e->key.type) == 0)
			return;
	memcpy(t->type[t->count++], e->key.type, TS_KNOWN_HOSTS_TYPE);
}

int
ts_known_hosts_types(char types[TS_KNOWN_HOSTS_TYPES][TS_KNOWN_HOSTS_TYPE],
	const char *const *files, int count, const char *host, int port)
{
	struct types t = {.type = types};

	name_of(t.name, host, port);
	each(files, count, add_type, &t);
	if (t.count == 0 && port != SSH_PORT) {
		name_of(t.name, host, SSH_PORT);
		each(files, count, add_type, &t);
	}
	return t.count;
}

/* --- adding ----------------------------------------------------------------------------------- */

static enum ts_code
hide(char *out, size_t size, const char *name, struct ts_err *err)
{
	unsigned char salt[TS_SHA1_SIZE], hash[TS_SHA1_SIZE];
	char salt_text[HASHED], hash_text[HASHED];

	if (getrandom(salt, sizeof(salt), 0) != (ssize_t)sizeof(salt))
		return ts_err_sys(err, errno, "no random numbers");
	ts_hmac_sha1(hash, salt, sizeof(salt), name, strlen(name));
	encode(salt_text, salt, sizeof(salt));
	encode(hash_text, hash, sizeof(hash));
	snprintf(out, size, "|1|%s|%s", salt_text, hash_text);
	return TS_OK;
}

/* A file of somebody's editor may end without a newline: what is appended begins a line of its own. */
static bool
ends_a_line(int fd)
{
	struct stat st;
	char last;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
		return true;
	return pread(fd, &last, 1, st.st_size - 1) != 1 || last == '\n';
}

static int
open_to_add(const char *file)
{
	const char *slash = strrchr(file, '/');
	int flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY;
	int fd = open(file, flags, 0600);

	if (fd < 0 && errno == ENOENT && slash && slash > file) {
		char *dir = ts_strndup(file, (size_t)(slash - file));

		if (dir && mkdir(dir, 0700) == 0)
			fd = open(file, flags, 0600);
		free(dir);
	}
	return fd;
}

enum ts_code
ts_known_hosts_add(const char *file, const char *host, int port, const char *key, bool hashed,
	struct ts_err *err)
{
	char line[LINE], name[NAME], hidden[NAME], type[TS_KNOWN_HOSTS_TYPE];
	int fd, n, why = 0;

	if (!ts_known_hosts_type(type, key))
		return ts_err_set(err, TS_E_FORMAT, "not a key");
	name_of(name, host, port);
	if (hashed && hide(hidden, sizeof(hidden), name, err) != TS_OK)
		return err ? err->code : TS_E_SYS;
	fd = open_to_add(file);
	if (fd < 0)
		return ts_err_sys(err, errno, "%s", file);
	n = snprintf(line, sizeof(line), "%s%s %s %s\n", ends_a_line(fd) ? "" : "\n",
		hashed ? hidden : name, type, key);
	assert(n > 0 && n < (int)sizeof(line)); /* a key that has a type is short */
	if (write(fd, line, (size_t)n) != n)
		why = errno ? errno : EIO;
	close(fd);
	return why ? ts_err_sys(err, why, "%s", file) : TS_OK;
}
