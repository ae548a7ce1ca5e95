/* SPDX-License-Identifier: MIT */
/*
 * ssh_config - see the header.
 *
 * What stands in the files is taken as text first: ~ and % are replaced at the end, when host, user and port are known.
 * The keywords are a table. tests/remote holds this against what `ssh -G` says.
 */
#include "config.h"

#include <errno.h>
#include <glob.h>
#include <pwd.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "host_match.h"
#include "tilescope/base/lex.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/io/ssh_config.h"

enum {
	WORDS = 64,	/* of a line */
	DEPTH = 16,	/* of Include */
	INCLUDED = 256, /* files, in all */
	PATH = 4096,
	PASSWD = 16 << 10,
	SSH_PORT = 22,
	PROMPTS = 3,
};

/* Who we are here. */
struct self {
	char *home, *user;
};

struct reading {
	struct ts_ssh_config *c;
	const char *host; /* as it was given */
	struct self self;
	char *host_name, *port, *ignored; /* values as they stand */
	const char *path;		  /* of the file, and the line in it */
	int line;
	const char *relative_to; /* of Include */
	int depth, files;
	bool active; /* the block of this line is in force */
	bool nomem;
	uint64_t seen[2]; /* by place in the table */
};

/* Is it one of the texts between commas? */
static bool
is_listed(const char *list, const char *text)
{
	size_t n = strlen(text);

	for (const char *at = list; (at = strstr(at, text)); at += n)
		if ((at == list || at[-1] == ' ') && (at[n] == ',' || !at[n]))
			return true;
	return false;
}

/* Where it stands, unless something stands there already. */
static void
name_first(struct reading *r, char to[TS_SSH_REASON], const char *what)
{
	if (!to[0])
		snprintf(to, TS_SSH_REASON, "%.80s (%.140s:%d)", what, r->path, r->line);
}

static void
needs(struct reading *r, const char *what)
{
	char *list = r->c->left_out;
	size_t n = strlen(list);

	name_first(r, r->c->needs_ssh, what);
	if (is_listed(list, what) || ts_ends_with(list, "..."))
		return;
	if (n + strlen(", ") + strlen(what) + sizeof(", ...") > TS_SSH_REASON)
		what = "...";
	snprintf(list + n, TS_SSH_REASON - n, "%s%s", n ? ", " : "", what);
}

static char *
copy(struct reading *r, const char *text)
{
	char *s = ts_strdup(text);

	r->nomem = r->nomem || !s;
	return s;
}

/* --- the keywords ----------------------------------------------------------------------------- */

struct keyword {
	const char *name;
	void (*take)(struct reading *r, const struct keyword *k, int count, char **word);
	size_t at;	    /* in struct ts_ssh_config, or in struct reading */
	const char *unless; /* values, between blanks, that change nothing */
};

static void
take_text(struct reading *r, const struct keyword *k, int count, char **word)
{
	char **to = (char **)(void *)((char *)r + k->at);

	if (count != 1)
		needs(r, k->name);
	else if (!*to)
		*to = copy(r, word[0]);
}

static void
take_own_text(struct reading *r, const struct keyword *k, int count, char **word)
{
	char **to = (char **)(void *)((char *)r->c + k->at);

	if (count != 1)
		needs(r, k->name);
	else if (!*to)
		*to = copy(r, word[0]);
}

static int
truth(const char *word)
{
	if (strcasecmp(word, "yes") == 0 || strcasecmp(word, "true") == 0)
		return 1;
	return strcasecmp(word, "no") == 0 || strcasecmp(word, "false") == 0 ? 0 : -1;
}

static void
take_bool(struct reading *r, const struct keyword *k, int count, char **word)
{
	int value = count == 1 ? truth(word[0]) : -1;

	if (value < 0)
		needs(r, k->name);
	else
		*(bool *)((char *)r->c + k->at) = value;
}

static void
take_count(struct reading *r, const struct keyword *k, int count, char **word)
{
	char *end = NULL;
	long value = count == 1 ? strtol(word[0], &end, 10) : -1;

	if (value < 1 || value > INT16_MAX || *end)
		needs(r, k->name);
	else
		*(int *)(void *)((char *)r->c + k->at) = (int)value;
}

static void
take_seconds(struct reading *r, const struct keyword *k, int count, char **word)
{
	if (count != 1 || strcasecmp(word[0], "none") != 0)
		take_count(r, k, count, word);
}

static void
take_strict(struct reading *r, const struct keyword *k, int count, char **word)
{
	static const struct {
		const char *word;
		enum ts_ssh_strict is;
	} values[] = {
		{"yes", TS_SSH_STRICT_YES},
		{"true", TS_SSH_STRICT_YES},
		{"ask", TS_SSH_STRICT_ASK},
		{"accept-new", TS_SSH_STRICT_NEW},
		{"no", TS_SSH_STRICT_NEW},
		{"false", TS_SSH_STRICT_NEW},
		{"off", TS_SSH_STRICT_NEW},
	};

	for (size_t i = 0; count == 1 && i < TS_COUNT(values); i++)
		if (strcasecmp(word[0], values[i].word) == 0) {
			r->c->strict = values[i].is;
			return;
		}
	needs(r, k->name);
}

static void
add_file(struct reading *r, struct ts_ssh_files *files, const char *path)
{
	if (files->count == TS_SSH_FILES)
		needs(r, "too many files");
	else if ((files->path[files->count] = copy(r, path)))
		files->count++;
}

/* UserKnownHostsFile a b: all of one line, the first line counts. */
static void
take_files(struct reading *r, const struct keyword *k, int count, char **word)
{
	struct ts_ssh_files *files = (struct ts_ssh_files *)(void *)((char *)r->c + k->at);

	files->set = true;
	for (int i = 0; i < count; i++)
		if (strcasecmp(word[i], "none") != 0)
			add_file(r, files, word[i]);
}

/* IdentityFile: one a line, all lines count. */
static void
take_identity(struct reading *r, const struct keyword *k, int count, char **word)
{
	struct ts_ssh_files *files = (struct ts_ssh_files *)(void *)((char *)r->c + k->at);

	if (count != 1) {
		needs(r, k->name);
		return;
	}
	for (int i = 0; i < files->count; i++)
		if (strcmp(files->path[i], word[0]) == 0)
			return;
	files->set = true;
	add_file(r, files, word[0]);
}

static bool
is_word_of(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (; list && *list; list += strcspn(list, " "), list += strspn(list, " "))
		if (strncasecmp(list, word, n) == 0 && (list[n] == ' ' || !list[n]))
			return true;
	return false;
}

static void
take_needs(struct reading *r, const struct keyword *k, int count, char **word)
{
	if (count != 1 || !is_word_of(k->unless, word[0]))
		needs(r, k->name);
}

/* The way to the host, which cannot be left out. */
static void
take_way(struct reading *r, const struct keyword *k, int count, char **word)
{
	if (count == 1 && is_word_of(k->unless, word[0]))
		return;
	name_first(r, r->c->way, k->name);
	needs(r, k->name);
}

static void take_host(struct reading *r, const struct keyword *k, int count, char **word);
static void take_match(struct reading *r, const struct keyword *k, int count, char **word);
static void take_include(struct reading *r, const struct keyword *k, int count, char **word);

#define OF(member) offsetof(struct ts_ssh_config, member)
#define RAW(member) offsetof(struct reading, member)

/* Sorted as ssh_config(5) is. Without a function: it changes nothing for us. */
static const struct keyword keywords[] = {
	{"Host", take_host, 0, NULL},
	{"Match", take_match, 0, NULL},
	{"Include", take_include, 0, NULL},
	{"AddKeysToAgent", NULL, 0, NULL},
	{"AddressFamily", take_needs, 0, "any"},
	{"BatchMode", take_bool, OF(batch), NULL},
	{"BindAddress", take_needs, 0, NULL},
	{"BindInterface", take_needs, 0, NULL},
	{"CanonicalDomains", NULL, 0, NULL},
	{"CanonicalizeFallbackLocal", NULL, 0, NULL},
	{"CanonicalizeHostname", take_needs, 0, "no false"},
	{"CanonicalizeMaxDots", NULL, 0, NULL},
	{"CanonicalizePermittedCNAMEs", NULL, 0, NULL},
	{"CASignatureAlgorithms", NULL, 0, NULL},
	{"CertificateFile", take_needs, 0, "none"},
	{"ChallengeResponseAuthentication", take_bool, OF(interactive), NULL},
	{"CheckHostIP", take_needs, 0, "no false"},
	{"Ciphers", take_needs, 0, NULL},
	{"ClearAllForwardings", NULL, 0, NULL},
	{"Compression", NULL, 0, NULL},
	{"ConnectionAttempts", NULL, 0, NULL},
	{"ConnectTimeout", take_seconds, OF(connect_s), NULL},
	{"ControlMaster", NULL, 0, NULL}, /* without a path it does nothing */
	{"ControlPath", take_needs, 0, "none"},
	{"ControlPersist", NULL, 0, NULL},
	{"DynamicForward", NULL, 0, NULL},
	{"EnableEscapeCommandline", NULL, 0, NULL},
	{"EnableSSHKeysign", NULL, 0, NULL},
	{"EscapeChar", NULL, 0, NULL},
	{"ExitOnForwardFailure", NULL, 0, NULL},
	{"FingerprintHash", NULL, 0, NULL},
	{"ForkAfterAuthentication", NULL, 0, NULL},
	{"ForwardAgent", NULL, 0, NULL},
	{"ForwardX11", NULL, 0, NULL},
	{"ForwardX11Timeout", NULL, 0, NULL},
	{"ForwardX11Trusted", NULL, 0, NULL},
	{"GatewayPorts", NULL, 0, NULL},
	{"GlobalKnownHostsFile", take_files, OF(global_hosts), NULL},
	/* a system's file may switch it on for all hosts: no reason */
	{"GSSAPIAuthentication", NULL, 0, NULL},
	{"GSSAPIClientIdentity", NULL, 0, NULL},
	{"GSSAPIDelegateCredentials", NULL, 0, NULL},
	{"GSSAPIKeyExchange", take_needs, 0, "no false"},
	{"GSSAPIKexAlgorithms", NULL, 0, NULL},
	{"GSSAPIRenewalForcesRekey", NULL, 0, NULL},
	{"GSSAPIServerIdentity", NULL, 0, NULL},
	{"GSSAPITrustDns", NULL, 0, NULL},
	{"HashKnownHosts", take_bool, OF(hash_names), NULL},
	{"HostbasedAcceptedAlgorithms", NULL, 0, NULL},
	{"HostbasedAuthentication", take_needs, 0, "no false"},
	{"HostKeyAlgorithms", take_needs, 0, NULL},
	{"HostKeyAlias", take_needs, 0, NULL},
	{"HostName", take_text, RAW(host_name), NULL},
	{"IdentitiesOnly", take_needs, 0, "no false"},
	{"IdentityAgent", take_own_text, OF(agent), NULL},
	{"IdentityFile", take_identity, OF(identities), NULL},
	{"IgnoreUnknown", take_text, RAW(ignored), NULL},
	{"IPQoS", NULL, 0, NULL},
	{"KbdInteractiveAuthentication", take_bool, OF(interactive), NULL},
	{"KbdInteractiveDevices", take_needs, 0, NULL},
	{"KexAlgorithms", take_needs, 0, NULL},
	{"KnownHostsCommand", take_needs, 0, "none"},
	{"LocalCommand", NULL, 0, NULL},
	{"LocalForward", NULL, 0, NULL},
	{"LogLevel", NULL, 0, NULL},
	{"LogVerbose", NULL, 0, NULL},
	{"MACs", take_needs, 0, NULL},
	{"NoHostAuthenticationForLocalhost", take_needs, 0, "no false"},
	{"NumberOfPasswordPrompts", take_count, OF(prompts), NULL},
	{"PasswordAuthentication", take_bool, OF(passwords), NULL},
	{"PermitLocalCommand", NULL, 0, NULL},
	{"PermitRemoteOpen", NULL, 0, NULL},
	{"PKCS11Provider", take_needs, 0, "none"},
	{"Port", take_text, RAW(port), NULL},
	{"PreferredAuthentications", take_needs, 0, NULL},
	{"ProxyCommand", take_way, 0, "none"},
	{"ProxyJump", take_way, 0, "none"},
	{"ProxyUseFdpass", NULL, 0, NULL},
	{"PubkeyAcceptedAlgorithms", take_needs, 0, NULL},
	{"PubkeyAcceptedKeyTypes", take_needs, 0, NULL},
	{"PubkeyAuthentication", take_bool, OF(public_keys), NULL},
	{"RekeyLimit", NULL, 0, NULL},
	{"RemoteCommand", NULL, 0, NULL},
	{"RemoteForward", NULL, 0, NULL},
	{"RequestTTY", NULL, 0, NULL},
	{"RequiredRSASize", take_needs, 0, NULL},
	{"RevokedHostKeys", take_needs, 0, "none"},
	{"SecurityKeyProvider", NULL, 0, NULL},
	{"SendEnv", NULL, 0, NULL},
	{"ServerAliveCountMax", NULL, 0, NULL},
	{"ServerAliveInterval", NULL, 0, NULL},
	{"SessionType", NULL, 0, NULL},
	{"SetEnv", NULL, 0, NULL},
	{"StdinNull", NULL, 0, NULL},
	{"StreamLocalBindMask", NULL, 0, NULL},
	{"StreamLocalBindUnlink", NULL, 0, NULL},
	{"StrictHostKeyChecking", take_strict, 0, NULL},
	{"SyslogFacility", NULL, 0, NULL},
	{"TCPKeepAlive", NULL, 0, NULL},
	{"Tunnel", NULL, 0, NULL},
	{"TunnelDevice", NULL, 0, NULL},
	{"UpdateHostKeys", NULL, 0, NULL},
	{"User", take_own_text, OF(user), NULL},
	{"UserKnownHostsFile", take_files, OF(known_hosts), NULL},
	{"VerifyHostKeyDNS", take_needs, 0, "no false"},
	{"VisualHostKey", NULL, 0, NULL},
	{"XAuthLocation", NULL, 0, NULL},
};

_Static_assert(TS_COUNT(keywords) <= 128, "struct reading has a bit for each");

/* Keywords whose lines count however often they stand. */
static bool
is_repeated(const struct keyword *k)
{
	return k->take == take_identity || k->take == take_host || k->take == take_match ||
		k->take == take_include;
}

static bool
is_block(const struct keyword *k)
{
	return k->take == take_host || k->take == take_match;
}

/* The first value counts. */
static bool
is_first(struct reading *r, const struct keyword *k)
{
	size_t i = (size_t)(k - keywords);
	uint64_t bit = UINT64_C(1) << i % 64, *seen = &r->seen[i / 64];
	bool first = !(*seen & bit);

	*seen |= bit;
	return first || is_repeated(k);
}

static const struct keyword *
find(const char *name)
{
	for (size_t i = 0; i < TS_COUNT(keywords); i++)
		if (strcasecmp(keywords[i].name, name) == 0)
			return &keywords[i];
	return NULL;
}

static void
take_line(struct reading *r, const char *name, int count, char **word)
{
	const struct keyword *k = find(name);

	if (k && is_block(k)) {
		k->take(r, k, count, word);
	} else if (!r->active) {
		return;
	} else if (!k) {
		if (!r->ignored || ts_host_match_list(name, r->ignored, 1) != TS_HOST_YES)
			needs(r, name);
	} else if (count == 0) {
		needs(r, name);
	} else if (k->take && is_first(r, k)) {
		k->take(r, k, count, word);
	}
}

/* --- which blocks are in force ---------------------------------------------------------------- */

static void
take_host(struct reading *r, const struct keyword *k, int count, char **word)
{
	(void)k;
	r->active = false;
	for (int i = 0; i < count; i++)
		switch (ts_host_match(r->host, word[i], strlen(word[i]), 0)) {
		case TS_HOST_EXCLUDED:
			r->active = false;
			return;
		case TS_HOST_YES:
			r->active = true;
			break;
		case TS_HOST_NO:
			break;
		}
}

/* `text` with what stands for %h; other letters need ssh. */
static char *
with_host(struct reading *r, const char *text)
{
	struct ts_strbuf b;
	char *s;

	ts_strbuf_init(&b, PATH);
	for (; *text; text++) {
		if (*text != '%') {
			ts_strbuf_putc(&b, *text);
			continue;
		}
		text++;
		if (*text == 'h')
			ts_strbuf_puts(&b, r->host);
		else if (*text == '%')
			ts_strbuf_putc(&b, '%');
		else
			needs(r, "HostName");
		if (!*text)
			break;
	}
	s = ts_strbuf_take(&b);
	r->nomem = r->nomem || !s;
	return s;
}

enum about { ABOUT_HOST, ABOUT_ORIGINAL, ABOUT_USER, ABOUT_LOCAL };

static bool
is_about(struct reading *r, enum about about, const char *list)
{
	char *host = NULL;
	bool yes = false;

	switch (about) {
	case ABOUT_HOST:
		host = r->host_name ? with_host(r, r->host_name) : copy(r, r->host);
		yes = host && ts_host_match_list(host, list, 1) == TS_HOST_YES;
		break;
	case ABOUT_ORIGINAL:
		yes = ts_host_match_list(r->host, list, 1) == TS_HOST_YES;
		break;
	case ABOUT_USER:
		yes = ts_host_match_list(r->c->user ? r->c->user : r->self.user, list, 0) ==
			TS_HOST_YES;
		break;
	case ABOUT_LOCAL:
		yes = ts_host_match_list(r->self.user, list, 0) == TS_HOST_YES;
		break;
	}
	free(host);
	return yes;
}

/* Is this condition met? -1: only ssh knows. */
static int
condition(struct reading *r, const char *name, const char *list)
{
	static const struct {
		const char *name;
		enum about about;
	} known[] = {
		{"host", ABOUT_HOST},
		{"originalhost", ABOUT_ORIGINAL},
		{"user", ABOUT_USER},
		{"localuser", ABOUT_LOCAL},
	};
	bool excludes = name[0] == '!';

	for (size_t i = 0; list && i < TS_COUNT(known); i++)
		if (strcasecmp(name + excludes, known[i].name) == 0)
			return is_about(r, known[i].about, list) != excludes;
	return -1;
}

static void
take_match(struct reading *r, const struct keyword *k, int count, char **word)
{
	bool all = count == 1 && strcasecmp(word[0], "all") == 0, met = true;

	r->active = false;
	for (int i = 0; !all && met && i < count; i += 2) {
		int is = condition(r, word[i], i + 1 < count ? word[i + 1] : NULL);

		if (is < 0) {
			char what[80];

			snprintf(what, sizeof(what), "%s %.60s", k->name, word[i]);
			needs(r, what);
		}
		met = is > 0;
	}
	if (count == 0)
		needs(r, k->name);
	r->active = met && count > 0;
}

/* --- files ------------------------------------------------------------------------------------ */

/* The next word of a line, quotes and backslashes as ssh has them; NULL: no more. *bad: a quote is open. */
static char *
next_word(char **line, bool *bad)
{
	char *from = *line + strspn(*line, " \t\r"), *begin = from, *to = from, quote = 0;

	if (!*from || *from == '#')
		return NULL;
	for (; *from && (quote || !strchr(" \t\r", *from)); from++) {
		if (*from == '\\' && from[1] &&
			(strchr("'\"\\", from[1]) || (!quote && from[1] == ' ')))
			*to++ = *++from;
		else if (quote ? *from == quote : *from == '"' || *from == '\'')
			quote = quote ? 0 : *from;
		else
			*to++ = *from;
	}
	*bad = quote != 0;
	*line = from + (*from != '\0');
	*to = '\0';
	return begin;
}

static void
read_line(struct reading *r, char *line)
{
	char *name = line + strspn(line, " \t\r"), *word[WORDS], *w;
	size_t n = strcspn(name, " \t\r=\"");
	bool bad = false;
	int count = 0;

	if (!*name || *name == '#')
		return;
	line = name + n;
	if (*line == '"') {
		needs(r, "a quoted keyword");
		return;
	}
	line += strspn(line, " \t\r");
	line += *line == '=';
	if (name[n]) /* the blank or = behind it */
		name[n] = '\0';
	while ((w = next_word(&line, &bad)) && !bad && count < WORDS)
		word[count++] = w;
	if (bad || w)
		needs(r, bad ? "an open quote" : "a long line");
	else
		take_line(r, name, count, word);
}

static void
read_text(struct reading *r, char *text)
{
	for (r->line = 1; text; r->line++) {
		char *end = strchr(text, '\n');

		if (end)
			*end++ = '\0';
		read_line(r, text);
		text = end;
	}
}

static void
read_file(struct reading *r, const char *path)
{
	const char *path_before = r->path;
	int line_before = r->line;
	char *text = NULL;
	struct ts_err err;
	enum ts_code code;

	r->path = path;
	r->line = 0;
	code = ++r->files > INCLUDED ? TS_E_LIMIT : ts_lex_read(&text, path, &err);
	if (code == TS_OK)
		read_text(r, text);
	else if (code == TS_E_NOMEM)
		r->nomem = true;
	else if (code != TS_E_NOT_FOUND)
		needs(r, "a file that cannot be read");
	free(text);
	r->path = path_before;
	r->line = line_before;
}

static void
include(struct reading *r, const char *pattern)
{
	glob_t found = {0};
	char path[PATH];
	int n;

	if (pattern[0] == '/')
		n = snprintf(path, sizeof(path), "%s", pattern);
	else if (pattern[0] == '~' && pattern[1] == '/')
		n = snprintf(path, sizeof(path), "%s%s", r->self.home, pattern + 1);
	else
		n = snprintf(path, sizeof(path), "%s/%s", r->relative_to, pattern);
	if (pattern[0] == '~' ? pattern[1] != '/' : n >= (int)sizeof(path)) {
		needs(r, "Include");
		return;
	}
	if (glob(path, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++)
			read_file(r, found.gl_pathv[i]);
	globfree(&found);
}

static void
take_include(struct reading *r, const struct keyword *k, int count, char **word)
{
	bool active = r->active;

	if (r->depth == DEPTH) {
		needs(r, k->name);
		return;
	}
	r->depth++;
	for (int i = 0; i < count; i++) {
		include(r, word[i]);
		r->active = active; /* blocks of a file end with it */
	}
	r->depth--;
}

/* --- at the end ------------------------------------------------------------------------------- */

/* What stands for the letter behind a %; NULL: nothing that we know. */
static const char *
letter(struct reading *r, char c, char number[24])
{
	switch (c) {
	case '%':
		return "%";
	case 'd':
		return r->self.home;
	case 'h':
		return r->c->host;
	case 'n':
		return r->host;
	case 'r':
		return r->c->user;
	case 'u':
		return r->self.user;
	case 'p':
	case 'i':
		snprintf(number, 24, "%ld", c == 'p' ? (long)r->c->port : (long)getuid());
		return number;
	default:
		return NULL;
	}
}

/* ${NAME} at *at, which goes behind it; NULL: no such variable. */
static const char *
variable(const char **at)
{
	const char *end = strchr(*at, '}');
	char name[128];

	if (!end || end - *at < 3 || end - *at - 2 >= (int)sizeof(name))
		return NULL;
	snprintf(name, sizeof(name), "%.*s", (int)(end - *at - 2), *at + 2);
	*at = end;
	return getenv(name);
}

/* *path with ~, % and ${} replaced; what it has of them that we do not know needs ssh. */
static void
replace(struct reading *r, const char *what, char **path)
{
	struct ts_strbuf b;
	const char *at = *path, *value;
	char number[24];
	bool good = true;

	ts_strbuf_init(&b, PATH);
	if (at[0] == '~') {
		good = at[1] == '/' || !at[1];
		ts_strbuf_puts(&b, r->self.home);
		at++;
	}
	for (; good && *at; at++) {
		if (*at != '%' && !(at[0] == '$' && at[1] == '{')) {
			ts_strbuf_putc(&b, *at);
			continue;
		}
		value = *at == '%' ? letter(r, *++at, number) : variable(&at);
		good = value != NULL;
		ts_strbuf_puts(&b, good ? value : "");
	}
	if (!good || (b.cut && !b.nomem))
		needs(r, what);
	free(*path);
	*path = ts_strbuf_take(&b);
	r->nomem = r->nomem || !*path;
}

static void
replace_files(struct reading *r, const char *what, struct ts_ssh_files *files,
	const char *const *usual, size_t count)
{
	for (size_t i = 0; !files->set && i < count; i++)
		add_file(r, files, usual[i]);
	for (int i = 0; i < files->count && !r->nomem; i++)
		replace(r, what, &files->path[i]);
}

/* Keys that libssh cannot use, or that come with a certificate, which it would not send. */
static void
look_at_identity(struct reading *r, const char *path)
{
	char name[PATH + 16], begin[4] = "";
	FILE *f;

	snprintf(name, sizeof(name), "%s-cert.pub", path);
	if (access(name, F_OK) == 0)
		needs(r, "a certificate of a key");
	snprintf(name, sizeof(name), "%s.pub", path);
	f = fopen(name, "re");
	if (!f)
		return;
	if (fread(begin, 1, 3, f) == 3 && strcmp(begin, "sk-") == 0)
		needs(r, "a key in hardware");
	fclose(f);
}

static void
finish_identities(struct reading *r)
{
	static const char *const usual[] = {"~/.ssh/id_rsa", "~/.ssh/id_ecdsa",
		"~/.ssh/id_ecdsa_sk", "~/.ssh/id_ed25519", "~/.ssh/id_ed25519_sk"};
	struct ts_ssh_files *files = &r->c->identities;

	r->path = "IdentityFile";
	r->line = 0;
	if (files->count == 1 && strcasecmp(files->path[0], "none") == 0) {
		free(files->path[0]);
		files->count = 0;
	}
	replace_files(r, "IdentityFile", files, usual, TS_COUNT(usual));
	for (int i = 0; i < files->count && !r->nomem && r->c->public_keys; i++)
		look_at_identity(r, files->path[i]);
}

static void
finish_agent(struct reading *r)
{
	char **agent = &r->c->agent;

	if (!*agent || strcasecmp(*agent, "none") == 0)
		return;
	if (strcmp(*agent, "SSH_AUTH_SOCK") == 0) {
		free(*agent);
		*agent = NULL;
	} else if ((*agent)[0] == '$' && (*agent)[1] != '{') {
		const char *value = getenv(*agent + 1);

		free(*agent);
		*agent = copy(r, value ? value : "none");
	} else {
		replace(r, "IdentityAgent", agent);
	}
}

static void
finish_port(struct reading *r, int port)
{
	char *end = NULL;
	long value = r->port ? strtol(r->port, &end, 10) : SSH_PORT;

	if (port == 0 && (value < 1 || value > UINT16_MAX || (end && *end)))
		needs(r, "Port");
	r->c->port = port ? port : (int)value;
}

static void
finish(struct reading *r, int port)
{
	static const char *const known[] = {"~/.ssh/known_hosts", "~/.ssh/known_hosts2"};
	static const char *const global[] = {"/etc/ssh/ssh_known_hosts",
		"/etc/ssh/ssh_known_hosts2"};
	struct ts_ssh_config *c = r->c;

	r->path = "at the end";
	c->host = r->host_name ? with_host(r, r->host_name) : copy(r, r->host);
	for (char *h = c->host; h && *h; h++)
		if (*h >= 'A' && *h <= 'Z')
			*h = (char)(*h - 'A' + 'a');
	if (!c->user)
		c->user = copy(r, r->self.user);
	finish_port(r, port);
	if (r->nomem)
		return;
	finish_agent(r);
	replace_files(r, "UserKnownHostsFile", &c->known_hosts, known, TS_COUNT(known));
	replace_files(r, "GlobalKnownHostsFile", &c->global_hosts, global, TS_COUNT(global));
	if (!r->nomem)
		finish_identities(r);
}

/* --- the whole -------------------------------------------------------------------------------- */

/* The home of the user's entry in the system's list, as ssh has it; $HOME where there is no entry. */
static void
find_self(struct reading *r)
{
	struct passwd entry, *found = NULL;
	char *room = ts_alloc(1, PASSWD);
	const char *home = getenv("HOME");

	if (room && getpwuid_r(getuid(), &entry, room, PASSWD, &found) != 0)
		found = NULL;
	r->self.home = copy(r, found ? found->pw_dir : home ? home : "/");
	r->self.user = copy(r, found ? found->pw_name : "");
	free(room);
}

static void
read_one(struct reading *r, const char *path, const char *relative_to)
{
	r->relative_to = relative_to;
	r->active = true;
	read_file(r, path);
}

static void
read_all(struct reading *r, const char *file)
{
	char dir[PATH], path[PATH + 16];

	if (file && strcmp(file, "none") == 0)
		return;
	snprintf(dir, sizeof(dir), "%s/.ssh", r->self.home);
	snprintf(path, sizeof(path), "%s/config", dir);
	read_one(r, file ? file : path, dir);
	if (!file)
		read_one(r, "/etc/ssh/ssh_config", "/etc/ssh");
}

enum ts_code
ts_ssh_config_read(struct ts_ssh_config *c, const char *host, const char *user, int port,
	const char *file, struct ts_err *err)
{
	struct reading r = {.c = c, .host = host, .path = ""};

	*c = (struct ts_ssh_config){.public_keys = true,
		.interactive = true,
		.passwords = true,
		.prompts = PROMPTS};
	find_self(&r);
	if (user)
		c->user = copy(&r, user);
	if (!r.nomem)
		read_all(&r, file);
	if (!r.nomem)
		finish(&r, port);
	free(r.self.home);
	free(r.self.user);
	free(r.host_name);
	free(r.port);
	free(r.ignored);
	return r.nomem ? ts_err_nomem(err) : TS_OK;
}

static void
free_files(struct ts_ssh_files *files)
{
	for (int i = 0; i < files->count; i++)
		free(files->path[i]);
}

void
ts_ssh_config_fini(struct ts_ssh_config *c)
{
	free(c->host);
	free(c->user);
	free(c->agent);
	free_files(&c->identities);
	free_files(&c->known_hosts);
	free_files(&c->global_hosts);
}
