/* SPDX-License-Identifier: MIT */
/*
 * crash - a fatal signal must not leave the user with a broken terminal.
 *
 * A signal handler gets no context, so this file holds the one variable of the program that is neither
 * constant nor handed down (tests/lint/globals.sh knows it).
 */
#include "config.h"

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tilescope/app/app.h"
#include "tilescope/base/mem.h"

static _Atomic(const struct ts_tty *) terminal;

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

static void
say(const char *text, size_t n)
{
	ssize_t ignored = write(STDERR_FILENO, text, n);

	(void)ignored;
}

/*
 * SIGBUS need not be a bug: the index and work files are mapped, and a page of one that was cut short, or
 * that a full copy-on-write file system has no room to write out, cannot be had.
 */
static void
on_fatal(int signal_number)
{
	static const char bug[] =
		"\ntilescope: this is a bug: the program ended by a fatal signal (please report "
		"what you did and `tilescope version`)\n";
	static const char bus[] =
		"\ntilescope: ended: a page of a mapped file cannot be had: an index or a work "
		"file was cut short, or the disk they lie on is full (--cache DIR names another "
		"place, --cache none does without)\n";
	const struct ts_tty *tty = atomic_exchange(&terminal, NULL);

	if (tty) {
		ts_tty_emergency(tty);
		if (signal_number == SIGBUS)
			say(bus, sizeof(bus) - 1);
		else
			say(bug, sizeof(bug) - 1);
	}
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

void
ts_crash_watch(const struct ts_tty *tty)
{
	struct sigaction action = {.sa_handler = on_fatal, .sa_flags = SA_NODEFER};

	atomic_store(&terminal, tty);
	if (!tty)
		action.sa_handler = SIG_DFL;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < TS_COUNT(fatal); i++)
		sigaction(fatal[i], &action, NULL);
}
