/* SPDX-License-Identifier: MIT */
/*
 * frame - see the header.
 *
 * ncurses (6.4) flushes its buffer at each movement of the cursor: a frame is a hundred small writes. Each
 * wakes up the terminal, which then draws pieces and takes the processor away from whoever makes the
 * rest. There is no hand in this: curses knows nothing but a descriptor. So while it updates the screen
 * a file in memory stands in for the terminal under that descriptor.
 *
 * Such a file counts for the largest size that files may have (RLIMIT_FSIZE): where that is limited
 * frames go out as they did. A handler of a fatal signal finds the terminal under `terminal`.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "frame.h"

enum { PIECE = 1 << 15 };

void
ts_frame_open(struct ts_frame *f, int out)
{
	struct rlimit largest;

	*f = (struct ts_frame){.terminal = -1, .file = -1, .out = out};
	if (getrlimit(RLIMIT_FSIZE, &largest) || largest.rlim_cur != RLIM_INFINITY)
		return;
	f->file = memfd_create("frame", MFD_CLOEXEC);
	if (f->file >= 0)
		f->terminal = fcntl(out, F_DUPFD_CLOEXEC, 3);
}

void
ts_frame_close(struct ts_frame *f)
{
	if (f->file >= 0)
		close(f->file);
	if (f->terminal >= 0)
		close(f->terminal);
	*f = (struct ts_frame){.terminal = -1, .file = -1, .out = -1};
}

void
ts_frame_begin(struct ts_frame *f)
{
	f->gathering = f->terminal >= 0 && lseek(f->file, 0, SEEK_SET) == 0 &&
		dup3(f->file, f->out, O_CLOEXEC) >= 0;
}

/* Wait for it as curses does; false: it is gone. */
static bool
send(int fd, const char *s, size_t n)
{
	while (n > 0) {
		ssize_t put = write(fd, s, n);

		if (put < 0 && errno == EAGAIN)
			poll(&(struct pollfd){fd, POLLOUT, 0}, 1, -1);
		else if (put < 0 && errno != EINTR)
			return false;
		if (put > 0) {
			s += put;
			n -= (size_t)put;
		}
	}
	return true;
}

void
ts_frame_end(struct ts_frame *f)
{
	char piece[PIECE];
	off_t size, at = 0;

	if (!f->gathering)
		return;
	f->gathering = false;
	dup3(f->terminal, f->out, O_CLOEXEC);
	size = lseek(f->file, 0, SEEK_CUR);
	while (at < size) {
		size_t want = size - at < PIECE ? (size_t)(size - at) : PIECE;
		ssize_t n = pread(f->file, piece, want, at);

		if (n <= 0 || !send(f->terminal, piece, (size_t)n))
			return;
		at += n;
	}
}
