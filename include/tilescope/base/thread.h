/* SPDX-License-Identifier: MIT */
/*
 * thread - how a thread of ours begins. Signals of others stay with the thread that draws; those by which a thread
 * itself faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) are not blocked: where they are, the kernel ends the
 * process without asking the handler that gives the terminal back.
 */
#ifndef TS_BASE_THREAD_H
#define TS_BASE_THREAD_H

#include <pthread.h>

/* As pthread_create(): 0 or an errno. attributes may be NULL. */
int ts_thread_start(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
	void *ctx);

#endif
