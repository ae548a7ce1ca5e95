/* SPDX-License-Identifier: MIT */
/* thread - see the header. */
#include "config.h"

#include <pthread.h>
#include <signal.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/thread.h"

/* A thread inherits the mask of the one that makes it. */
int
ts_thread_start(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
	void *ctx)
{
	static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	sigset_t others, old;
	int rc;

	sigfillset(&others);
	for (size_t i = 0; i < TS_COUNT(own); i++)
		sigdelset(&others, own[i]);
	pthread_sigmask(SIG_SETMASK, &others, &old);
	rc = pthread_create(thread, attributes, run, ctx);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc;
}
