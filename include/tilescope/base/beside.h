/* SPDX-License-Identifier: MIT */
/*
 * beside - work in pieces that somebody waits for, by the calling thread and, where there is another processor, by one more.
 *
 * For some milliseconds of arithmetic over what is mapped: a thread is made for it, which takes less than a tenth of a
 * millisecond, and is gone when it returns.
 */
#ifndef TS_BASE_BESIDE_H
#define TS_BASE_BESIDE_H

enum { TS_BESIDE = 2 /* that work at once, at most */ };

/*
 * Calls work(ctx, 0), and at the same time perhaps work(ctx, 1) in another thread; returns when both have. Each takes
 * pieces until there are none (an atomic counter says which is next), so who comes late, or never, leaves nothing undone.
 */
void ts_beside(void (*work)(void *ctx, int who), void *ctx);

#endif
