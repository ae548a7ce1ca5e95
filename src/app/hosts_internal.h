/* SPDX-License-Identifier: MIT */
/* hosts_internal - what the two files of the hosts share. */
#ifndef TS_APP_HOSTS_INTERNAL_H
#define TS_APP_HOSTS_INTERNAL_H

#include "tilescope/app/hosts.h"

/* host_questions.c: show the question that stands, leave one that does not stand any more. */
void hosts_look_at_questions(struct ts_app *app);

/* Wipe what was typed. */
void hosts_forget_answer(struct ts_app_hosts *h);

#endif
