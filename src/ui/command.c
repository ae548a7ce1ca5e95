/* SPDX-License-Identifier: MIT */
/*
 * command - the table of commands, and calls made from words.
 *
 * What a command takes is read from its argument text ("NAME [VALUE...]") whenever it is needed:
 * that text is what the user sees, so it cannot be wrong unnoticed.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/command.h"

enum { BOUND, TYPED };

const struct ts_command ts_commands[TS_CMD_COUNT] = {
#define X(id, name, context, args, bound, help) \
	[TS_CMD_##id] = {name, args, help, TS_CONTEXT_##context, (bound) == TYPED},
	TS_COMMANDS(X)
#undef X
};

const struct ts_context_info ts_contexts[TS_CONTEXT_COUNT] = {
#define X(id, name, help) [TS_CONTEXT_##id] = {name, help},
	TS_CONTEXTS(X)
#undef X
};

int
ts_command_find(const char *name)
{
	for (int i = 0; i < TS_CMD_COUNT; i++)
		if (strcmp(ts_commands[i].name, name) == 0)
			return i;
	return -1;
}

int
ts_context_find(const char *name)
{
	for (int i = 0; i < TS_CONTEXT_COUNT; i++)
		if (strcmp(ts_contexts[i].name, name) == 0)
			return i;
	return -1;
}

const char *
ts_command_words(enum ts_cmd cmd)
{
	static const char filter[] = "text bytes>64KiB and (tile:1,4-9 or name~REGEX)";

	return cmd == TS_CMD_FILTER ? filter : NULL;
}

int
ts_command_complete(const char *prefix, size_t n, const struct ts_command *out[], int max)
{
	int count = 0;

	for (int i = 0; i < TS_CMD_COUNT; i++) {
		if (ts_commands[i].context == TS_CONTEXT_PROMPT ||
			strncmp(ts_commands[i].name, prefix, n) != 0)
			continue;
		if (count < max)
			out[count] = &ts_commands[i];
		count++;
	}
	return count;
}

/* How many arguments a command takes. */
struct arity {
	int least, most;
	bool rest; /* the last one is the rest of the line */
};

static struct arity
arity_of(enum ts_cmd cmd)
{
	struct arity a = {0, 0, false};

	for (const char *p = ts_commands[cmd].args; *p; p += strspn(p, " ")) {
		size_t len = strcspn(p, " ");

		a.most++;
		a.least += *p != '[';
		a.rest = memmem(p, len, "...", 3) != NULL;
		p += len;
	}
	return a;
}

/* The word of a command's argument text that describes argument i, with its brackets; NULL: none. */
static const char *
described(enum ts_cmd cmd, int i, size_t *n)
{
	const char *p = ts_commands[cmd].args;

	for (; *p; p += *n, p += strspn(p, " ")) {
		*n = strcspn(p, " ");
		if (i-- == 0)
			return p;
	}
	return NULL;
}

int
ts_command_complete_arg(enum ts_cmd cmd, int i, const char *prefix, char out[][TS_COMMAND_WORD],
	int max)
{
	size_t left, n, m = strlen(prefix);
	const char *s = described(cmd, i, &left);
	int count = 0;

	for (; s && left > 0; s += n, left -= n) {
		size_t skip = strspn(s, "[|]");

		skip = skip < left ? skip : left;
		s += skip;
		left -= skip;
		n = strcspn(s, "[|] ");
		n = n < left ? n : left;
		if (n == 0 || n >= TS_COMMAND_WORD || *s < 'a' || *s > 'z' || m > n ||
			strncmp(s, prefix, m) != 0)
			continue;
		if (count < max) {
			memcpy(out[count], s, n);
			out[count][n] = '\0';
		}
		count++;
	}
	return count;
}

/* Length of the number at s as screens write it: "12", "12,345". 0: something else. */
static size_t
number_length(const char *s)
{
	size_t n = strspn(s, "0123456789");

	if (n == 0 || n > 3 || s[n] != ',')
		return n;
	while (s[n] == ',' && strspn(s + n + 1, "0123456789") == 3)
		n += 4;
	return n;
}

/* Numbers are handed on without the commas between their thousands. */
static void
plain_numbers(struct ts_call *call)
{
	for (int i = 0; i < call->argc; i++) {
		char *s = call->text + call->at[i], *to = s;
		size_t n;
		const char *word = described(call->cmd, i, &n);

		if (!word || strncmp(word, "NUMBER", 6) != 0 || s[number_length(s)])
			continue;
		for (const char *from = s; *from; from++)
			if (*from != ',')
				*to++ = *from;
		*to = '\0';
	}
}

static enum ts_code
check_count(const struct ts_call *call, struct ts_err *err)
{
	const struct ts_command *c = &ts_commands[call->cmd];
	struct arity a = arity_of(call->cmd);

	if (call->argc >= a.least && call->argc <= a.most)
		return TS_OK;
	if (a.most == 0)
		return ts_err_set(err, TS_E_USAGE, "%s takes no arguments", c->name);
	return ts_err_set(err, TS_E_USAGE, "usage: %s %s", c->name, c->args);
}

/* Where argument `argc` begins: behind the one before. */
static size_t
text_end(const struct ts_call *call)
{
	const char *last = ts_call_arg(call, call->argc - 1);

	return last ? (size_t)(last - call->text) + strlen(last) + 1 : 0;
}

/* Append an argument of n bytes; `join` adds it to the last one, with a blank. */
static bool
add_arg(struct ts_call *call, const char *s, size_t n, bool join)
{
	size_t at = text_end(call);

	if (at + n + 1 > sizeof(call->text) || (!join && call->argc == TS_CALL_ARGS))
		return false;
	if (join)
		call->text[at - 1] = ' ';
	else
		call->at[call->argc++] = (uint16_t)at;
	memcpy(call->text + at, s, n);
	call->text[at + n] = '\0';
	return true;
}

enum ts_code
ts_call_make(struct ts_call *call, enum ts_cmd cmd, char *const words[], int n, struct ts_err *err)
{
	struct arity a = arity_of(cmd);

	memset(call, 0, sizeof(*call));
	call->cmd = cmd;
	for (int i = 0; i < n; i++)
		if (!add_arg(call, words[i], strlen(words[i]), a.rest && i >= a.most))
			return ts_err_set(err, TS_E_USAGE, "%s: too many words",
				ts_commands[cmd].name);
	plain_numbers(call);
	return check_count(call, err);
}

int
ts_search_step(const struct ts_call *call, int direction)
{
	int way = call->absolute ? 1 : direction;

	return call->cmd == TS_CMD_SEARCH_NEXT ? way : -way;
}

/* The next word of *line, quotes taken off, into out; its length, or -1 when it does not fit. */
static int
next_word(const char **line, char *out, size_t size)
{
	const char *p = *line + strspn(*line, " \t");
	bool quoted = *p == '"';
	size_t n = 0;

	for (p += quoted; *p && (quoted ? *p != '"' : *p != ' ' && *p != '\t'); p++) {
		if (quoted && *p == '\\' && p[1])
			p++;
		if (n + 1 >= size)
			return -1;
		out[n++] = *p;
	}
	out[n] = '\0';
	*line = p + (quoted && *p);
	return (int)n;
}

/* What vim's users type to leave; there is never anything to write, or to lose. */
static const struct {
	const char *word;
	enum ts_cmd cmd;
} aliases[] = {
	{"q!", TS_CMD_QUIT},
	{"quit!", TS_CMD_QUIT},
	{"qa", TS_CMD_QUIT},
	{"qa!", TS_CMD_QUIT},
	{"qall", TS_CMD_QUIT},
	{"qall!", TS_CMD_QUIT},
	{"wq", TS_CMD_QUIT},
	{"wq!", TS_CMD_QUIT},
	{"wqa", TS_CMD_QUIT},
	{"x", TS_CMD_QUIT},
};

/* By its whole name, or another that it has where it is typed; -1: none. */
static int
find_whole(const char *word)
{
	for (size_t i = 0; i < TS_COUNT(aliases); i++)
		if (strcmp(aliases[i].word, word) == 0)
			return (int)aliases[i].cmd;
	return ts_command_find(word);
}

/* By name, or by a beginning that only one command has; a number is `goto`. */
static enum ts_code
find_typed(enum ts_cmd *out, const char *word, struct ts_err *err)
{
	const struct ts_command *match[3];
	int n, cmd = find_whole(word);

	if (*word && word[number_length(word)] == '\0')
		cmd = TS_CMD_GOTO;
	if (cmd >= 0 && ts_commands[cmd].context != TS_CONTEXT_PROMPT) {
		*out = (enum ts_cmd)cmd;
		return TS_OK;
	}
	n = ts_command_complete(word, strlen(word), match, 3);
	if (n == 2 && strncmp(match[0]->name, match[1]->name, strlen(match[0]->name)) == 0)
		n = 1; /* the other one has a sign behind it: `write`, `write!` */
	if (n == 0)
		return ts_err_set(err, TS_E_USAGE, "unknown command \"%s\"", word);
	if (n > 1)
		return ts_err_set(err, TS_E_USAGE, "\"%s\" could be %s, %s%s%s%s", word,
			match[0]->name, match[1]->name, n > 2 ? ", " : "",
			n > 2 ? match[2]->name : "", n > 3 ? ", ..." : "");
	*out = (enum ts_cmd)(match[0] - ts_commands);
	return TS_OK;
}

/* The rest of the line as one argument, blanks around it cut off. */
static bool
add_rest(struct ts_call *call, const char *line)
{
	size_t n;

	line += strspn(line, " \t");
	n = strlen(line);
	while (n > 0 && (line[n - 1] == ' ' || line[n - 1] == '\t'))
		n--;
	return n == 0 || add_arg(call, line, n, false);
}

enum ts_code
ts_call_parse(struct ts_call *call, const char *line, struct ts_err *err)
{
	char word[TS_CALL_TEXT];
	const char *start = line;
	struct arity a;
	enum ts_code code;
	int len = next_word(&line, word, sizeof(word));

	memset(call, 0, sizeof(*call));
	if (len <= 0)
		return ts_err_set(err, TS_E_USAGE, len < 0 ? "too long" : "no command");
	code = find_typed(&call->cmd, word, err);
	if (code)
		return code;
	if (call->cmd == TS_CMD_GOTO && word[0] != 'g')
		line = start;
	a = arity_of(call->cmd);
	while (line[strspn(line, " \t")] != '\0') {
		bool ok = a.rest && call->argc == a.most - 1;

		if (ok) {
			ok = add_rest(call, line);
			line = "";
		} else {
			len = next_word(&line, word, sizeof(word));
			ok = len >= 0 && add_arg(call, word, (size_t)len, false);
		}
		if (!ok)
			return ts_err_set(err, TS_E_USAGE, "too long, or too many words");
	}
	plain_numbers(call);
	return check_count(call, err);
}
