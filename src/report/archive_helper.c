/* SPDX-License-Identifier: MIT */
/*
 * archive_helper - start the helper, ask it, notice when it ends.
 *
 * Questions go ahead of the answers by a window, so that neither side waits for the other at every
 * tile; a window of questions fits any socket's buffer, so sending never blocks for long. Answers come in
 * order: when the helper ends, the first unanswered question is the one it ended over, and the next helper
 * is asked those behind it.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "archive_helper.h"
#include "tilescope/base/mem.h"

enum { WINDOW = 64 };

/* --- the process ------------------------------------------------------------------------------ */

static void
end_process(struct helper *h)
{
	if (!h->started)
		return;
	close(h->questions);
	ts_child_end(&h->child, NULL);
	h->started = false;
}

void
helper_end(struct helper *h)
{
	end_process(h);
	if (h->staging)
		close(h->staged);
	h->staging = false;
}

/* n bytes of an answer: TS_E_DAMAGED when the helper has ended. */
static enum ts_code
get(struct helper *h, void *out, size_t n, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (size_t done = 0, got; !code && done < n; done += got) {
		code = ts_child_read(&h->child, (char *)out + done, n - done, &got, h->cancel, err);
		if (!code && got == 0)
			code = ts_err_set(err, TS_E_DAMAGED, "the process that reads it ended");
	}
	return code;
}

/* Ourselves, with the archive and the far end of a socket: writing to a pipe that nobody reads would end us. */
static enum ts_code
spawn(struct helper *h, int archive, struct ts_err *err)
{
	static const char *const argv[] = {"tilescope", TS_ELF_HELPER_WORD, NULL};
	struct ts_child_spec spec = {.file = "/proc/self/exe", .argv = argv, .given_count = 2};
	int pair[2];
	enum ts_code code;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return ts_err_sys(err, errno, "cannot ask a process that reads it");
	spec.given[TS_ELF_ARCHIVE - TS_CHILD_FIRST] = archive;
	spec.given[TS_ELF_QUESTIONS - TS_CHILD_FIRST] = pair[1];
	code = ts_child_start(&h->child, &spec, err);
	close(pair[1]);
	if (code) {
		close(pair[0]);
		return code;
	}
	h->questions = pair[0];
	h->started = true;
	return TS_OK;
}

static enum ts_code
start(struct helper *h, struct ts_err *err)
{
	uint32_t hello = 0;
	enum ts_code code = spawn(h, h->staging ? h->staged : ts_source_fd(h->source), err);

	if (code)
		return code;
	code = get(h, &hello, sizeof(hello), err);
	if (!code && hello == TS_ELF_HELLO)
		return TS_OK;
	end_process(h);
	return code == TS_E_CANCELLED
		? code
		: ts_err_set(err, TS_E_SYS, "the process that reads it does not begin");
}

/* --- questions -------------------------------------------------------------------------------- */

/* All of it, or the helper has ended: that shows when the answer is waited for. */
static void
put(const struct helper *h, const struct ts_elf_request *q, size_t n)
{
	const char *bytes = (const char *)q;
	size_t left = n * sizeof(*q);

	while (left > 0) {
		ssize_t r = send(h->questions, bytes, left, MSG_NOSIGNAL);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return;
		bytes += r;
		left -= (size_t)r;
	}
}

struct answer {
	struct ts_elf_reply reply;
	struct ts_elf_section section[TS_ELF_SECTIONS];
	struct ts_elf_function function[TS_ELF_FUNCTIONS];
};

static enum ts_code
receive(struct helper *h, struct answer *a, struct ts_err *err)
{
	enum ts_code code = get(h, &a->reply, sizeof(a->reply), err);

	if (!code && !ts_elf_reply_check(&a->reply))
		code = ts_err_set(err, TS_E_DAMAGED, "the process that reads it says nonsense");
	if (!code)
		code = get(h, a->section, a->reply.section_count * sizeof(a->section[0]), err);
	if (!code)
		code = get(h, a->function, a->reply.function_count * sizeof(a->function[0]), err);
	for (uint32_t i = 0; !code && i < a->reply.section_count; i++)
		a->section[i].name[TS_ELF_SECTION_NAME - 1] = '\0';
	for (uint32_t i = 0; !code && i < a->reply.function_count; i++)
		a->function[i].name[TS_ELF_FUNCTION_NAME - 1] = '\0';
	return code;
}

static enum ts_code
ask(struct helper *h, const struct ts_elf_request *question, size_t n, helper_fn *each, void *ctx,
	struct ts_err *err)
{
	struct answer a;
	size_t sent = 0;
	enum ts_code code;

	for (size_t i = 0; i < n; i++) {
		struct helper_answer answer = {.reply = &a.reply,
			.section = a.section,
			.function = a.function};

		if (!h->started) {
			if (h->ends > HELPER_ENDS_MAX)
				return ts_err_set(err, TS_E_LIMIT,
					"the process that reads it ended %d times", h->ends);
			code = start(h, err);
			if (code)
				return code;
			sent = i;
		}
		if (sent < i + WINDOW / 2 && sent < n) {
			size_t to = i + WINDOW < n ? i + WINDOW : n;

			put(h, question + sent, to - sent);
			sent = to;
		}
		code = receive(h, &a, err);
		if (code == TS_E_CANCELLED)
			return code;
		answer.code = code ? TS_E_DAMAGED : (enum ts_code)a.reply.code;
		if (code) {
			end_process(h);
			h->ends++;
			answer.reply = NULL;
		}
		each(ctx, i, &answer);
	}
	return TS_OK;
}

/* Answers to some of the questions, as to all of them. */
struct piece {
	helper_fn *each;
	void *ctx;
	size_t first;
};

static void
pass_on(void *ctx, size_t i, const struct helper_answer *answer)
{
	const struct piece *p = ctx;

	p->each(p->ctx, p->first + i, answer);
}

enum ts_code
helper_ask(struct helper *h, const struct ts_elf_request *question, size_t n, helper_fn *each,
	void *ctx, struct ts_err *err)
{
	struct ts_elf_request staged[STAGE_MEMBERS];
	struct piece p = {each, ctx, 0};
	enum ts_code code = TS_OK;
	size_t took;

	if (ts_source_fd(h->source) >= 0)
		return ask(h, question, n, each, ctx, err);
	if (!h->staging) {
		h->staged = memfd_create("tilescope-archive", MFD_CLOEXEC);
		if (h->staged < 0)
			return ts_err_sys(err, errno, "no room for what a process reads");
		h->staging = true;
	}
	for (; !code && p.first < n; p.first += took) {
		code = helper_stage(h, staged, &took, question + p.first, n - p.first, err);
		if (!code)
			code = ask(h, staged, took, pass_on, &p, err);
	}
	return code;
}
