/* SPDX-License-Identifier: MIT */
/* hosts_internal - what the two files of the hosts share. */
#ifndef TS_APP_HOSTS_INTERNAL_H
#define TS_APP_HOSTS_INTERNAL_H

#include "tilescope/app/hosts.h"

/* host_questions.c: show the question that stands, and what has become of the last one. */
void hosts_look_at_questions(struct ts_app *app);

/* Wipe what was typed. */
void hosts_close_box(struct ts_app_hosts *h);

/* What the host waits for, in words behind its name, where no box says it; NULL: nothing. */
const char *hosts_wants(const struct ts_app_hosts *h, int i);

#endif
