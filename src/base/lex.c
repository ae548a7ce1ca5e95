/* SPDX-License-Identifier: MIT */
/* lex - see the header. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tilescope/base/lex.h"
#include "tilescope/base/mem.h"

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* A comment: # at the start of a line, or a # that stands alone or before a blank. */
static bool
is_comment(const char *p, int words)
{
	return *p == '#' && (words == 0 || p[1] == '\0' || is_blank(p[1]));
}

/* Cut a quoted word at *p (behind the quote) in place; NULL when it does not end on this line. */
static char *
quoted_word(char **p)
{
	char *start = *p, *out = *p, *in = *p;

	for (; *in && *in != '"'; in++) {
		if (*in == '\\' && in[1]) {
			in++;
			*out++ = *in == 'n' ? '\n' : *in == 't' ? '\t' : *in;
		} else {
			*out++ = *in;
		}
	}
	if (!*in)
		return NULL;
	*p = in + 1;
	*out = '\0';
	return start;
}

static const char *
split_line(struct ts_line *line, char *p)
{
	line->count = 0;
	for (;;) {
		char *word;

		while (is_blank(*p))
			p++;
		if (!*p || is_comment(p, line->count))
			return NULL;
		if (line->count == TS_LEX_WORDS)
			return "too many words";
		if (*p == '"') {
			p++;
			word = quoted_word(&p);
			if (!word)
				return "unterminated quote";
			if (*p && !is_blank(*p))
				return "text right behind a quote";
		} else {
			word = p;
			while (*p && !is_blank(*p))
				p++;
			if (*p)
				*p++ = '\0';
		}
		line->word[line->count++] = word;
	}
}

void
ts_lex(char *text, ts_line_fn *each, ts_line_bad_fn *bad, void *ctx)
{
	struct ts_line line = {0};

	for (char *next; text; text = next) {
		const char *reason;

		next = strchr(text, '\n');
		if (next)
			*next++ = '\0';
		line.number++;
		reason = split_line(&line, text);
		if (reason) {
			if (bad)
				bad(ctx, line.number, reason);
		} else if (line.count > 0 && !each(ctx, &line)) {
			return;
		}
	}
}

static enum ts_code
read_all(char *buf, size_t size, int fd, const char *path, struct ts_err *err)
{
	size_t got = 0;

	while (got < size) {
		ssize_t n = read(fd, buf + got, size - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ts_err_sys(err, errno, "%s", path);
		if (n == 0)
			break;
		got += (size_t)n;
	}
	for (size_t i = 0; i < got; i++)
		if (buf[i] == '\0')
			buf[i] = ' ';
	buf[got] = '\0';
	return TS_OK;
}

enum ts_code
ts_lex_read(char **text, const char *path, struct ts_err *err)
{
	struct stat st;
	enum ts_code code;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*text = NULL;
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return ts_err_set(err, TS_E_NOT_FOUND, "%s: no such file", path);
	if (fd < 0)
		return ts_err_sys(err, errno, "%s", path);
	if (fstat(fd, &st) < 0) {
		code = ts_err_sys(err, errno, "%s", path);
	} else if (!S_ISREG(st.st_mode)) {
		code = ts_err_set(err, TS_E_FORMAT, "%s: not a regular file", path);
	} else if (st.st_size > TS_LEX_FILE_MAX) {
		code = ts_err_set(err, TS_E_LIMIT, "%s: larger than 1 MiB", path);
	} else {
		*text = ts_alloc((size_t)st.st_size + 1, 1);
		code = *text ? read_all(*text, (size_t)st.st_size, fd, path, err)
			     : ts_err_nomem(err);
	}
	close(fd);
	if (code) {
		free(*text);
		*text = NULL;
	}
	return code;
}
