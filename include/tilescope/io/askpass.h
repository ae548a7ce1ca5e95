/* SPDX-License-Identifier: MIT */
/*
 * askpass - what ssh asks is asked by the program that started it.
 *
 * ssh has questions asked by a program ($SSH_ASKPASS PROMPT, the answer on its standard output). That program is ourselves,
 * started anew with TS_ASKPASS_PLACE in the environment: the name of an abstract socket of the one that has the screen. ssh
 * closes every descriptor that it inherits, so there is no other way between the two. Only the same user may speak there:
 * both ends ask the kernel who the other one is. A message each way: the hint of $SSH_ASKPASS_PROMPT, a NUL and the prompt;
 * the answer, or the end of the connection.
 */
#ifndef TS_IO_ASKPASS_H
#define TS_IO_ASKPASS_H

#include "tilescope/io/transport.h"

#define TS_ASKPASS_PLACE "TILESCOPE_ASKPASS"

/* The program's part: ask `prompt` and print the answer. Returns the exit status. */
int ts_askpass(const char *place, const char *prompt);

enum { TS_ASKPASS_NAME = 16 }; /* bytes of a place's name, with the NUL */

/* The other end: a place to be asked at, and what is asked there. `listen` and `asker` are -1 for none. */
struct ts_askpass_server {
	int listen, asker;
	char name[TS_ASKPASS_NAME];
};

void ts_askpass_server_init(struct ts_askpass_server *s);
enum ts_code ts_askpass_server_open(struct ts_askpass_server *s, struct ts_err *err) TS_WARN_UNUSED;
void ts_askpass_server_fini(struct ts_askpass_server *s);

/*
 * See whether somebody asks. Returns 1 with a new question in *q (its number is left alone), -1 when nobody waits for the
 * answer of the last one any more, 0 when nothing has changed. Never waits.
 */
int ts_askpass_server_look(struct ts_askpass_server *s, struct ts_question *q);

/* Answer the one who asks; NULL: no answer. */
void ts_askpass_server_answer(struct ts_askpass_server *s, const char *text, size_t n);

#endif
