/* SPDX-License-Identifier: MIT */
/* uri - see the header. */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "tilescope/base/mem.h"
#include "tilescope/io/uri.h"

enum { PORT_MAX = 65535 };

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

/* Of a part of an address: what it may be made of, and how long it may be. */
struct part {
	const char *what, *chars;
	size_t size; /* bytes with the NUL */
};

static const struct part user_part = {"user", LETTERS DIGITS "._-+@", TS_URI_USER};
static const struct part host_part = {"host", LETTERS DIGITS "._-", TS_URI_HOST};
static const struct part ipv6_part = {"IPv6 address", LETTERS DIGITS ".:%_-", TS_URI_HOST};

/* n bytes of `from` are this part. The words themselves are not repeated: they may hold anything. */
static enum ts_code
take_part(char *to, const struct part *p, const char *from, size_t n, struct ts_err *err)
{
	if (n == 0)
		return ts_err_set(err, TS_E_USAGE, "the address has an empty %s", p->what);
	if (n >= p->size)
		return ts_err_set(err, TS_E_USAGE, "the %s of the address is longer than %zu bytes",
			p->what, p->size - 1);
	if (from[0] == '-')
		return ts_err_set(err, TS_E_USAGE, "the %s of an address cannot begin with -",
			p->what);
	memcpy(to, from, n);
	to[n] = '\0';
	if (strlen(to) != n || to[strspn(to, p->chars)] != '\0')
		return ts_err_set(err, TS_E_USAGE,
			"no such file, and as an address its %s has a character that none can have",
			p->what);
	return TS_OK;
}

/* HOST or [ADDRESS] before `end`. */
static enum ts_code
take_host(struct ts_uri *u, const char *from, const char *end, struct ts_err *err)
{
	if (from < end && *from == '[') {
		if (end[-1] != ']' || end - from < 2)
			return ts_err_set(err, TS_E_USAGE, "the address has no ] behind its [");
		if (!memchr(from, ':', (size_t)(end - from)))
			return ts_err_set(err, TS_E_USAGE,
				"what stands in [ ] of an address is no IPv6 address");
		return take_part(u->host, &ipv6_part, from + 1, (size_t)(end - from) - 2, err);
	}
	return take_part(u->host, &host_part, from, (size_t)(end - from), err);
}

/* The last @ before `end`, or NULL. */
static const char *
last_at(const char *from, const char *end)
{
	while (end > from)
		if (*--end == '@')
			return end;
	return NULL;
}

/* [USER@]HOST before `end`. */
static enum ts_code
take_who(struct ts_uri *u, const char *from, const char *end, struct ts_err *err)
{
	const char *at = last_at(from, end);
	enum ts_code code;

	if (at) {
		code = take_part(u->user, &user_part, from, (size_t)(at - from), err);
		if (code)
			return code;
		from = at + 1;
	}
	return take_host(u, from, end, err);
}

/* "~" is where a relative path begins. */
static enum ts_code
take_path(struct ts_uri *u, const char *path, struct ts_err *err)
{
	size_t n = strlen(path);

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)path[i] < ' ' || path[i] == 0x7f)
			return ts_err_set(err, TS_E_USAGE,
				"the path of the address has a control character");
	if (path[0] == '~') {
		if (path[1] != '/' && path[1] != '\0')
			return ts_err_set(err, TS_E_USAGE,
				"of ~ the user's own home directory can be read only: write the whole "
				"path instead of ~NAME");
		path += 1;
		path += strspn(path, "/");
		n = strlen(path);
	}
	if (n >= sizeof(u->path))
		return ts_err_set(err, TS_E_USAGE,
			"the path of the address is longer than %zu bytes", sizeof(u->path) - 1);
	if (n == 0) {
		path = ".";
		n = 1;
	}
	memmove(u->path, path, n + 1);
	return TS_OK;
}

static int
hex(char c)
{
	const char *digits = "0123456789abcdef", *at;

	if (c >= 'A' && c <= 'F')
		c = (char)(c - 'A' + 'a');
	at = c ? strchr(digits, c) : NULL;
	return at ? (int)(at - digits) : -1;
}

static enum ts_code
decode(char *to, size_t size, const char *from, struct ts_err *err)
{
	size_t n = 0;

	while (*from) {
		int high, low, byte = (unsigned char)*from;

		if (*from == '%') {
			high = hex(from[1]);
			low = high < 0 ? -1 : hex(from[2]);
			byte = high * 16 + low;
			if (low < 0 || byte == 0)
				return ts_err_set(err, TS_E_USAGE,
					"the address has a %% without two hexadecimal digits of a byte");
			from += 2;
		}
		if (n + 1 >= size)
			return ts_err_set(err, TS_E_USAGE, "the path of the address is too long");
		to[n++] = (char)byte;
		from++;
	}
	to[n] = '\0';
	return TS_OK;
}

/* ":PORT" at the end of what stands before the path; *end is moved before it. */
static enum ts_code
take_port(struct ts_uri *u, const char *from, const char **end, struct ts_err *err)
{
	const char *colon = *end;
	int port = 0;

	while (colon > from && colon[-1] != ':' && colon[-1] != ']' && colon[-1] != '@')
		colon--;
	if (colon == from || colon[-1] != ':')
		return TS_OK;
	for (const char *p = colon; p < *end; p++) {
		if (*p < '0' || *p > '9')
			return ts_err_set(err, TS_E_USAGE, "the port of the address is no number");
		port = port * 10 + (*p - '0');
		if (port > PORT_MAX)
			break;
	}
	if (port < 1 || port > PORT_MAX)
		return ts_err_set(err, TS_E_USAGE, "a port lies between 1 and %d", PORT_MAX);
	u->port = port;
	*end = colon - 1;
	return TS_OK;
}

/* What stands behind sftp:// */
static enum ts_code
take_url(struct ts_uri *u, const char *rest, struct ts_err *err)
{
	const char *end = rest + strcspn(rest, "/"), *at = last_at(rest, end), *who = end;
	char path[TS_URI_PATH];
	enum ts_code code;
	bool home;

	if (at && memchr(rest, ':', (size_t)(at - rest)))
		return ts_err_set(err, TS_E_USAGE,
			"an address cannot have a password: it is asked for when it is needed");
	code = take_port(u, rest, &who, err);
	if (!code)
		code = take_who(u, rest, who, err);
	if (!code)
		code = decode(path, sizeof(path), end, err);
	if (code)
		return code;
	home = strncmp(path, "/~", 2) == 0 && (path[2] == '/' || path[2] == '\0');
	return take_path(u, home ? path + 1 : path, err);
}

static bool
is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static enum ts_code
take_local(struct ts_uri *u, const char *word, struct ts_err *err)
{
	size_t n = strlen(word);

	if (n >= sizeof(u->path))
		return ts_err_set(err, TS_E_USAGE, "the path is longer than %zu bytes",
			sizeof(u->path) - 1);
	memcpy(u->path, word, n + 1);
	return TS_OK;
}

/* The : that ends a host: of [ADDRESS]: the one behind the bracket. NULL: none before a '/'. */
static const char *
host_end(const char *word)
{
	const char *bracket = word + strcspn(word, "[/:"), *end = word;

	if (*bracket == '[' && (bracket == word || bracket[-1] == '@')) {
		end = strpbrk(bracket, "]/");
		if (!end || *end == '/')
			return NULL;
	}
	end += strcspn(end, ":/");
	return *end == ':' ? end : NULL;
}

enum ts_code
ts_uri_parse(struct ts_uri *u, const char *word, struct ts_err *err)
{
	const char *end = host_end(word);
	enum ts_code code;

	memset(u, 0, sizeof(*u));
	if (strncasecmp(word, "sftp://", 7) == 0) {
		u->remote = true;
		return take_url(u, word + 7, err);
	}
	if (!end || end == word || is_there(word))
		return take_local(u, word, err);
	if (strncmp(end, "://", 3) == 0)
		return ts_err_set(err, TS_E_USAGE,
			"no such file, and of addresses only HOST:PATH and sftp:// are known");
	u->remote = true;
	code = take_who(u, word, end, err);
	return code ? code : take_path(u, end + 1, err);
}

bool
ts_uri_is_far(const char *word)
{
	const char *end = host_end(word);

	return strncasecmp(word, "sftp://", 7) == 0 || (end && end != word);
}

bool
ts_uri_may_be_host(const char *word)
{
	static const char *const files[] = {"pop", "a", "cbor", "json", "tilescope", "capnp"};
	const char *dot = strrchr(word, '.'), *at = strrchr(word, '@');
	struct ts_uri u = {0};

	if (word[0] == '.' || take_who(&u, word, word + strlen(word), NULL))
		return false;
	for (size_t i = 0; dot && i < TS_COUNT(files); i++)
		if (strcmp(dot + 1, files[i]) == 0)
			return false;
	return at || !dot || dot[1];
}

/* Bytes of a path that stand in a URL as they are. */
static bool
is_plain(char c)
{
	return c && strchr(LETTERS DIGITS "/._-~+,=@:", c);
}

static void
put_url(struct ts_strbuf *out, const struct ts_uri *u)
{
	ts_strbuf_printf(out, ":%d", u->port);
	if (u->path[0] != '/')
		ts_strbuf_puts(out, "/~/");
	for (const char *p = strcmp(u->path, ".") == 0 ? "" : u->path; *p; p++)
		if (is_plain(*p))
			ts_strbuf_putc(out, *p);
		else
			ts_strbuf_printf(out, "%%%02X", (unsigned char)*p);
}

void
ts_uri_text(struct ts_strbuf *out, const struct ts_uri *u)
{
	bool bracket = strchr(u->host, ':') != NULL;

	if (!u->remote) {
		ts_strbuf_puts(out, u->path);
		return;
	}
	if (u->port)
		ts_strbuf_puts(out, "sftp://");
	if (u->user[0])
		ts_strbuf_printf(out, "%s@", u->user);
	ts_strbuf_printf(out, "%s%s%s", bracket ? "[" : "", u->host, bracket ? "]" : "");
	if (u->port) {
		put_url(out, u);
		return;
	}
	/* a name that begins with ~ is not the home directory */
	ts_strbuf_printf(out, ":%s%s", u->path[0] == '~' ? "./" : "",
		strcmp(u->path, ".") == 0 ? "" : u->path);
}

bool
ts_uri_same_host(const struct ts_uri *a, const struct ts_uri *b)
{
	return a->remote && b->remote && a->port == b->port && strcmp(a->user, b->user) == 0 &&
		strcmp(a->host, b->host) == 0;
}

const char *
ts_uri_without_host(const struct ts_uri *u, const char *message)
{
	size_t n = strlen(u->host);

	return u->remote && strncmp(message, u->host, n) == 0 && strncmp(message + n, ": ", 2) == 0
		? message + n + 2
		: message;
}

const char *
ts_uri_reason(const char *word, const char *message)
{
	struct ts_uri u;

	return ts_uri_is_far(word) && !ts_uri_parse(&u, word, NULL)
		? ts_uri_without_host(&u, message)
		: message;
}

void
ts_uri_without_password(struct ts_strbuf *out, const char *word)
{
	const char *scheme = strstr(word, "://"), *rest = scheme ? scheme + 3 : word;
	const char *end = rest + strcspn(rest, "/"), *at = last_at(rest, end);
	const char *colon = scheme && at ? memchr(rest, ':', (size_t)(at - rest)) : NULL;

	if (colon)
		ts_strbuf_printf(out, "%.*s***%s", (int)(colon + 1 - word), word, at);
	else
		ts_strbuf_puts(out, word);
}
