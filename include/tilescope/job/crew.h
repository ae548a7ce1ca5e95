/* SPDX-License-Identifier: MIT */
/*
 * crew - work in equal parts for who has nobody on a screen to give way to: a thread each, at the priority of the caller.
 */
#ifndef TS_JOB_CREW_H
#define TS_JOB_CREW_H

/*
 * Run `n` (1 ..) parts side by side, and wait for all; meanwhile `tick` is called ten times a second, in the calling
 * thread. A part that gets no thread runs in the calling one, before the wait.
 */
void ts_crew_run(int n, void (*run)(void *ctx, int part), void (*tick)(void *ctx), void *ctx);

#endif
