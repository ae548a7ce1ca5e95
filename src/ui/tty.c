/* SPDX-License-Identifier: MIT */
/*
 * tty - the terminal, by ncurses; the only file that knows it.
 *
 * What is done here and why not the obvious way:
 *
 * - Keys are read from a pad of our own: wgetch() on a window would refresh it behind our back, and
 *   frames go out only when the terminal has taken the last one.
 * - typeahead() is off: half a frame is worse than a late one, and the loop paces itself.
 * - An escape sequence that terminfo does not know (modified arrows under TERM=vt100, pastes, focus
 *   reports) comes back from curses as Escape and characters. It is decoded here by its general
 *   shape, so that no part of it is ever taken for commands.
 * - A type that is said to wrap at once after the last column (TERM=ansi) is mostly a wrong name for a
 *   terminal that does not, and the cursor would be a row off: the last column is left alone.
 * - Colour pairs are a cache: themes and charts may use more combinations than the 64 pairs that
 *   screen and the Linux console have. The least recently used pair is given new colours; curses
 *   itself repaints the cells that had it. Pairs of the current frame are never taken.
 * - stderr goes to a pipe while the screen is ours: a library's message would be drawn over it.
 *   The pipe is not blocking on both ends: who writes too much loses text, not time.
 * - What ts_tty_emergency() writes is made ready when the terminal is opened, since terminfo cannot
 *   be asked in a signal handler.
 *
 * curses keeps its state in globals (the current screen); ours is all in struct ts_tty.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif
#include <curses.h>
#include <term.h>

#include "clip.h"
#include "escape.h"
#include "frame.h"
#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/ui/shown.h"
#include "tilescope/ui/tty.h"

enum {
	ESC_LOCAL_MS = 10, /* what a terminal sends at once comes at once */
	ESC_SSH_MS = 100,
	PAIRS_MAX = 1024,
	MEMO = 512,
	RESTORE_MAX = 256,
	DOUBLE_CLICK_US = 400000,
	ESC_CHAR = 0x1b,
};

/* A colour pair that curses knows under the index + 1. */
struct pair {
	int fg, bg;
	unsigned frame; /* last used in; 0 = never */
};

/* What a kind of cell came to in a frame: the theme is asked once per kind. */
struct memo {
	uint64_t key;
	unsigned frame;
	attr_t attr;
	int pair;
};

struct ts_tty {
	struct ts_tty_info info;
	SCREEN *screen;
	WINDOW *keys; /* a pad that is never shown */
	FILE *in, *out;
	int in_fd, out_fd;
	struct ts_frame frames;
	struct termios saved;
	bool has_saved, left, redraw, mouse_on, paste_mode, pasting, cursor_known;
	bool narrow; /* the last column stays empty */
	int cursor_shown;
	unsigned frame;
	int pair_count, pair_max;
	bool default_colours;
	struct pair *pair;
	struct memo memo[MEMO];
	cchar_t *line; /* one row of cells */
	struct ts_shown_cell *row;
	struct ts_shown shown;
	struct ts_event pushed;
	bool has_pushed;
	int64_t click_us; /* of the last press, and where */
	int click_x, click_y;
	int stderr_saved, stderr_read; /* -1 = not redirected */
	struct ts_log *log;
	char err_line[TS_LOG_LINE_MAX];
	size_t err_len;
	char restore[RESTORE_MAX];
	size_t restore_len;
};

/* ---- files ---- */

/* A private copy of `fd` when it is a terminal, else /dev/tty. */
static int
terminal_fd(int fd)
{
	if (isatty(fd))
		return fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
}

static FILE *
terminal_file(int fd, const char *mode)
{
	int copy = terminal_fd(fd);
	FILE *f = copy >= 0 ? fdopen(copy, mode) : NULL;

	if (!f && copy >= 0)
		close(copy);
	return f;
}

/* Write all of it, waiting at most 100 ms for a terminal that does not read. */
static bool
write_plain(const struct ts_tty *t, const char *s, size_t n)
{
	int fd = t->out_fd;

	while (n > 0) {
		struct pollfd p = {fd, POLLOUT, 0};
		ssize_t put;

		if (poll(&p, 1, 100) != 1 || !(p.revents & POLLOUT))
			return false;
		put = write(fd, s, n < 1024 ? n : 1024);
		if (put < 0 && errno != EINTR && errno != EAGAIN)
			return false;
		if (put > 0) {
			s += put;
			n -= (size_t)put;
		}
	}
	return true;
}

static bool
write_text(const struct ts_tty *t, const char *s)
{
	return write_plain(t, s, strlen(s));
}

/* ---- stderr ---- */

static void
redirect_stderr(struct ts_tty *t)
{
	int fd[2];

	if (t->stderr_saved >= 0 || pipe2(fd, O_CLOEXEC | O_NONBLOCK) < 0)
		return;
	fflush(stderr);
	t->stderr_saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (t->stderr_saved < 0 || dup2(fd[1], STDERR_FILENO) < 0) {
		if (t->stderr_saved >= 0)
			close(t->stderr_saved);
		t->stderr_saved = -1;
		close(fd[0]);
	} else {
		t->stderr_read = fd[0];
	}
	close(fd[1]);
}

static void
log_stderr_line(struct ts_tty *t)
{
	t->err_line[t->err_len] = '\0';
	if (t->err_len > 0)
		ts_log_add(t->log, "stderr: %s", t->err_line);
	t->err_len = 0;
}

void
ts_tty_drain_stderr(struct ts_tty *t)
{
	char buf[1024];
	ssize_t n;

	while (t->stderr_read >= 0 && (n = read(t->stderr_read, buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			if (buf[i] == '\n' || t->err_len + 1 >= sizeof(t->err_line))
				log_stderr_line(t);
			if (buf[i] != '\n' && buf[i] != '\0')
				t->err_line[t->err_len++] = buf[i];
		}
	}
}

static void
restore_stderr(struct ts_tty *t)
{
	if (t->stderr_saved < 0)
		return;
	fflush(stderr);
	ts_tty_drain_stderr(t);
	log_stderr_line(t);
	dup2(t->stderr_saved, STDERR_FILENO);
	close(t->stderr_saved);
	close(t->stderr_read);
	t->stderr_saved = t->stderr_read = -1;
}

/* ---- opening ---- */

/* A string of terminfo, or "" when this terminal has none. */
static const char *
capability(const char *name)
{
	const char *s = tigetstr(name);

	return s && s != (const char *)-1 ? s : "";
}

static bool
try_terminal(struct ts_tty *t, const char *term)
{
	int status;

	/* newterm() says the same of an unknown terminal, but loses some memory each time */
	if (setupterm(term, t->out_fd, &status) != OK)
		return false;
	del_curterm(cur_term);
	t->screen = newterm(term, t->out, t->in);
	if (!t->screen)
		return false;
	if (!*capability("cup")) {
		endwin();
		delscreen(t->screen);
		t->screen = NULL;
		return false;
	}
	snprintf(t->info.term, sizeof(t->info.term), "%s", term);
	return true;
}

/*
 * $TERM, then what it is a variant of ("foot-extra": "foot"), then the usual ones. A terminal
 * that says it can nothing (dumb) is believed.
 */
static enum ts_code
choose_terminal(struct ts_tty *t, struct ts_err *err)
{
	static const char *const nearest[] = {"xterm-256color", "xterm", "vt100", "ansi"};
	const char *env = getenv("TERM");
	char name[sizeof(t->info.term)], *dash;

	snprintf(name, sizeof(name), "%s", env ? env : "");
	if (*name && try_terminal(t, name))
		return TS_OK;
	if (strcmp(name, "dumb") == 0)
		return ts_err_set(err, TS_E_NOT_FOUND,
			"the terminal cannot place the cursor (TERM is dumb)");
	t->info.replaced = true;
	while ((dash = strrchr(name, '-')) != NULL) {
		*dash = '\0';
		if (try_terminal(t, name))
			return TS_OK;
	}
	for (size_t i = 0; i < TS_COUNT(nearest); i++)
		if (try_terminal(t, nearest[i]))
			return TS_OK;
	return ts_err_set(err, TS_E_NOT_FOUND, "no description of the terminal \"%s\" (TERM)",
		env ? env : "");
}

static int
esc_delay(const struct ts_tty_options *options)
{
	const char *env = getenv("ESCDELAY");
	char *end;
	long ms;

	if (env && *env) {
		ms = strtol(env, &end, 10);
		if (*end == '\0' && ms >= 0 && ms <= 10000)
			return (int)ms;
	}
	if (options->esc_delay >= 0)
		return options->esc_delay;
	return getenv("SSH_CONNECTION") || getenv("SSH_TTY") ? ESC_SSH_MS : ESC_LOCAL_MS;
}

static enum ts_depth
colour_depth(const struct ts_tty_options *options)
{
	const char *no_color = getenv("NO_COLOR");
	enum ts_depth depth = COLORS >= 1 << 24 && tigetflag("RGB") > 0 ? TS_DEPTH_DIRECT
		: COLORS >= 256						? TS_DEPTH_256
		: COLORS >= 16						? TS_DEPTH_16
		: COLORS >= 8						? TS_DEPTH_8
									: TS_DEPTH_MONO;

	if ((no_color && *no_color) || !has_colors())
		return TS_DEPTH_MONO;
	if (options->depth >= 0 && options->depth < (int)depth)
		return (enum ts_depth)options->depth;
	return depth;
}

static enum ts_glyphs
glyphs_of(const struct ts_tty_options *options, const char *term)
{
	if (options->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		return TS_GLYPHS_ASCII;
	return strncmp(term, "linux", 5) == 0 ? TS_GLYPHS_BASIC : TS_GLYPHS_FULL;
}

/* Append a capability to the emergency text, padding ("$<5>") left out. */
static void
add_restore(struct ts_tty *t, const char *s)
{
	for (; *s && t->restore_len < RESTORE_MAX; s++) {
		if (s[0] == '$' && s[1] == '<' && strchr(s, '>')) {
			s = strchr(s, '>');
			continue;
		}
		t->restore[t->restore_len++] = *s;
	}
}

static void
prepare_restore(struct ts_tty *t)
{
	if (t->info.mouse)
		add_restore(t, "\033[?1006l\033[?1000l\033[?2004l");
	add_restore(t, capability("sgr0"));
	add_restore(t, capability("op"));
	add_restore(t, capability("cnorm"));
	add_restore(t, capability("rmkx"));
	add_restore(t, capability("rmcup"));
	add_restore(t, "\r\n");
}

static void
set_modes(struct ts_tty *t)
{
	raw();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	typeahead(-1);
	keypad(t->keys, TRUE);
	nodelay(t->keys, TRUE);
	mouseinterval(0);
	if (has_colors()) {
		start_color();
		t->default_colours = use_default_colors() == OK;
	}
}

static void
paste_mode(struct ts_tty *t, bool on)
{
	if (t->info.mouse && on != t->paste_mode)
		t->paste_mode = write_text(t, on ? "\033[?2004h" : "\033[?2004l") ? on
										  : t->paste_mode;
}

static enum ts_code
open_screen(struct ts_tty *t, const struct ts_tty_options *options, struct ts_err *err)
{
	enum ts_code code;

	use_tioctl(TRUE);
	code = choose_terminal(t, err);
	if (code)
		return code;
	t->keys = newpad(1, 1);
	t->line = ts_alloc(TS_CANVAS_MAX_W + 1, sizeof(*t->line));
	t->row = ts_alloc(TS_CANVAS_MAX_W + 1, sizeof(*t->row));
	if (!t->keys || !t->line || !t->row)
		return ts_err_nomem(err);
	t->narrow = tigetflag("am") > 0 && tigetflag("xenl") <= 0;
	set_escdelay(esc_delay(options));
	t->info.mouse = *capability("kmous") != '\0';
	set_modes(t);
	t->info.depth = colour_depth(options);
	t->info.colours = has_colors() ? COLORS : 0;
	t->info.pairs = has_colors() ? COLOR_PAIRS : 0;
	t->info.glyphs = glyphs_of(options, t->info.term);
	t->pair_max = t->info.pairs - 1 < PAIRS_MAX ? t->info.pairs - 1 : PAIRS_MAX;
	t->pair = ts_alloc((size_t)(t->pair_max > 0 ? t->pair_max : 1), sizeof(*t->pair));
	if (!t->pair)
		return ts_err_nomem(err);
	prepare_restore(t);
	return TS_OK;
}

enum ts_code
ts_tty_open(struct ts_tty **out, const struct ts_tty_options *options, struct ts_err *err)
{
	struct ts_tty *t = ts_alloc(1, sizeof(*t));
	enum ts_code code;

	*out = NULL;
	if (!t)
		return ts_err_nomem(err);
	t->stderr_saved = t->stderr_read = -1;
	t->frames.terminal = t->frames.file = -1;
	t->log = options->log;
	t->in = terminal_file(STDIN_FILENO, "r");
	t->out = t->in ? terminal_file(STDOUT_FILENO, "w") : NULL;
	if (!t->out) {
		code = ts_err_set(err, TS_E_USAGE, "there is no terminal");
		ts_tty_close(t);
		return code;
	}
	t->in_fd = fileno(t->in);
	t->out_fd = fileno(t->out);
	t->has_saved = tcgetattr(t->in_fd, &t->saved) == 0;
	code = open_screen(t, options, err);
	if (code) {
		ts_tty_close(t);
		return code;
	}
	ts_frame_open(&t->frames, t->out_fd);
	redirect_stderr(t);
	paste_mode(t, true);
	if (options->mouse)
		ts_tty_mouse(t, true);
	*out = t;
	return TS_OK;
}

void
ts_tty_close(struct ts_tty *t)
{
	if (!t)
		return;
	if (t->screen && !t->left)
		ts_tty_leave(t);
	restore_stderr(t);
	if (t->keys)
		delwin(t->keys);
	if (t->screen)
		delscreen(t->screen);
	ts_frame_close(&t->frames);
	if (t->in)
		fclose(t->in);
	if (t->out)
		fclose(t->out);
	free(t->line);
	free(t->row);
	ts_shown_fini(&t->shown);
	free(t->pair);
	free(t);
}

const struct ts_tty_info *
ts_tty_info(const struct ts_tty *t)
{
	return &t->info;
}

void
ts_tty_size(const struct ts_tty *t, int *w, int *h)
{
	getmaxyx(stdscr, *h, *w);
	if (t->narrow && *w > 1)
		--*w;
}

int
ts_tty_fd(const struct ts_tty *t)
{
	return t->in_fd;
}

int
ts_tty_out_fd(const struct ts_tty *t)
{
	return t->out_fd;
}

int
ts_tty_stderr_fd(const struct ts_tty *t)
{
	return t->stderr_read;
}

bool
ts_tty_ready(const struct ts_tty *t)
{
	struct pollfd p = {t->out_fd, POLLOUT, 0};

	return poll(&p, 1, 0) == 1 && p.revents & POLLOUT;
}

/* ---- showing ---- */

static int
allocate_pair(struct ts_tty *t, int fg, int bg)
{
	int oldest = 0;

	for (int i = 0; i < t->pair_count; i++) {
		if (t->pair[i].fg == fg && t->pair[i].bg == bg) {
			t->pair[i].frame = t->frame;
			return i + 1;
		}
		if (t->pair[i].frame < t->pair[oldest].frame)
			oldest = i;
	}
	if (t->pair_count < t->pair_max)
		oldest = t->pair_count++;
	else if (t->pair_max <= 0 || t->pair[oldest].frame == t->frame)
		return bg != -1 ? allocate_pair(t, fg, -1) : 0;
	if (init_extended_pair(oldest + 1, fg, bg) != OK)
		return 0;
	t->pair[oldest] = (struct pair){fg, bg, t->frame};
	return oldest + 1;
}

static int
pair_of(struct ts_tty *t, int fg, int bg)
{
	enum { BLACK = 0, WHITE = 7 };

	if ((fg < 0 && bg < 0) || t->info.depth == TS_DEPTH_MONO)
		return 0;
	if (!t->default_colours) {
		fg = fg < 0 ? WHITE : fg;
		bg = bg < 0 ? BLACK : bg;
	}
	return allocate_pair(t, fg, bg);
}

static attr_t
attr_of(uint8_t attr)
{
	static const struct {
		uint8_t ours;
		attr_t theirs;
	} map[] = {
		{TS_ATTR_BOLD, WA_BOLD},
		{TS_ATTR_DIM, WA_DIM},
		{TS_ATTR_UNDERLINE, WA_UNDERLINE},
		{TS_ATTR_REVERSE, WA_REVERSE},
		{TS_ATTR_ITALIC, WA_ITALIC},
		{TS_ATTR_BLINK, WA_BLINK},
	};
	attr_t a = WA_NORMAL;

	for (size_t i = 0; i < TS_COUNT(map); i++)
		if (attr & map[i].ours)
			a |= map[i].theirs;
	return a;
}

/* Attributes and pair of a cell. */
static const struct memo *
look_up(struct ts_tty *t, const struct ts_cell *cell, const struct ts_theme *theme)
{
	uint64_t key = (uint64_t)ts_theme_is_drawing(cell->cp) << 32 | (uint64_t)cell->role << 24 |
		(uint64_t)cell->back << 16 | (uint64_t)cell->over << 8 | cell->attr;
	struct memo *m = &t->memo[key * 0x9e3779b97f4a7c15u >> 55];
	struct ts_look look;

	if (m->frame == t->frame && m->key == key)
		return m;
	look = ts_theme_look(theme, cell, t->info.depth);
	m->key = key;
	m->frame = t->frame;
	m->attr = attr_of(look.attr);
	m->pair = pair_of(t, look.fg, look.bg);
	return m;
}

/*
 * Who takes a screen apart by lines (what tmux's capture-pane -e gives, for a picture) loses the colours of a line that
 * begins as the one above ended: a line on a painted ground ends in italics, which mostly is a blank.
 */
static void
show_row(struct ts_tty *t, const struct ts_canvas *c, const struct ts_theme *theme, int y, int w)
{
	attr_t line_end = theme->ground.painted ? WA_ITALIC : WA_NORMAL;
	int n = 0;

	for (int x = 0; x < w; x++) {
		const struct ts_cell *cell = ts_canvas_at(c, x, y);
		const struct memo *m;

		t->row[x] = (struct ts_shown_cell){.cp = TS_SHOWN_COVERED};
		if (cell->width == 0)
			continue;
		m = look_up(t, cell, theme);
		t->row[x] = (struct ts_shown_cell){cell->width == 2 && x + 1 >= w ? ' ' : cell->cp,
			(uint32_t)(m->attr | (x == w - 1 ? line_end : WA_NORMAL)), m->pair};
	}
	if (ts_shown_is(&t->shown, y, t->row))
		return;
	for (int x = 0; x < w; x++) {
		const struct ts_shown_cell *cell = &t->row[x];
		wchar_t text[2] = {(wchar_t)cell->cp, 0};
		int pair = cell->pair;

		if (cell->cp != TS_SHOWN_COVERED)
			setcchar(&t->line[n++], text, cell->attr, (short)(pair > 255 ? 255 : pair),
				&pair);
	}
	mvwadd_wchnstr(stdscr, y, 0, t->line, n);
}

/* The terminal's cursor: where the canvas says, or hidden; out of the way where it cannot be. */
static void
show_cursor(struct ts_tty *t, const struct ts_canvas *c, int w, int h)
{
	bool shown = c->cursor_x >= 0 && c->cursor_x < w && c->cursor_y >= 0 && c->cursor_y < h;
	bool hidden = !shown;

	if (!t->cursor_known || t->cursor_shown != shown)
		hidden = curs_set(shown ? 1 : 0) != ERR && hidden;
	t->cursor_known = true;
	t->cursor_shown = shown;
	leaveok(stdscr, hidden);
	if (shown)
		wmove(stdscr, c->cursor_y, c->cursor_x);
	else
		wmove(stdscr, h > 0 ? h - 1 : 0, 0);
}

void
ts_tty_show(struct ts_tty *t, const struct ts_canvas *c, const struct ts_theme *theme)
{
	int w, h;

	getmaxyx(stdscr, h, w);
	if (t->redraw || c->w < w || c->h < h)
		ts_shown_forget(&t->shown);
	if (c->w < w || c->h < h)
		werase(stdscr);
	w = w < c->w ? w : c->w;
	h = h < c->h ? h : c->h;
	ts_shown_begin(&t->shown, w, h);
	if (++t->frame == 0) { /* after 4 thousand million frames: start over */
		memset(t->memo, 0, sizeof(t->memo));
		for (int i = 0; i < t->pair_count; i++)
			t->pair[i].frame = 0;
		t->frame = 1;
	}
	for (int y = 0; y < h; y++)
		show_row(t, c, theme, y, w);
	if (!isendwin()) /* else curses sets the terminal's modes, too */
		ts_frame_begin(&t->frames);
	show_cursor(t, c, w, h);
	if (t->redraw)
		clearok(curscr, TRUE);
	t->redraw = false;
	t->left = false;
	wnoutrefresh(stdscr);
	doupdate();
	ts_frame_end(&t->frames);
}

void
ts_tty_redraw(struct ts_tty *t)
{
	t->redraw = true;
}

void
ts_tty_bell(struct ts_tty *t)
{
	(void)t;
	beep();
}

/* ---- keys ---- */

static const struct {
	int code; /* of curses */
	ts_key key;
} curses_keys[] = {
	{KEY_UP, TS_KEY_UP},
	{KEY_DOWN, TS_KEY_DOWN},
	{KEY_LEFT, TS_KEY_LEFT},
	{KEY_RIGHT, TS_KEY_RIGHT},
	{KEY_HOME, TS_KEY_HOME},
	{KEY_END, TS_KEY_END},
	{KEY_LL, TS_KEY_END},
	{KEY_FIND, TS_KEY_HOME},
	{KEY_SELECT, TS_KEY_END},
	{KEY_A1, TS_KEY_HOME},
	{KEY_A3, TS_KEY_PGUP},
	{KEY_C1, TS_KEY_END},
	{KEY_C3, TS_KEY_PGDN},
	{KEY_PPAGE, TS_KEY_PGUP},
	{KEY_NPAGE, TS_KEY_PGDN},
	{KEY_IC, TS_KEY_INSERT},
	{KEY_DC, TS_KEY_DELETE},
	{KEY_BACKSPACE, TS_KEY_BACKSPACE},
	{KEY_ENTER, TS_KEY_ENTER},
	{KEY_BTAB, TS_KEY_TAB | TS_KEY_SHIFT},
	{KEY_SR, TS_KEY_UP | TS_KEY_SHIFT},
	{KEY_SF, TS_KEY_DOWN | TS_KEY_SHIFT},
	{KEY_SLEFT, TS_KEY_LEFT | TS_KEY_SHIFT},
	{KEY_SRIGHT, TS_KEY_RIGHT | TS_KEY_SHIFT},
	{KEY_SHOME, TS_KEY_HOME | TS_KEY_SHIFT},
	{KEY_SEND, TS_KEY_END | TS_KEY_SHIFT},
	{KEY_SPREVIOUS, TS_KEY_PGUP | TS_KEY_SHIFT},
	{KEY_SNEXT, TS_KEY_PGDN | TS_KEY_SHIFT},
	{KEY_SDC, TS_KEY_DELETE | TS_KEY_SHIFT},
	{KEY_SIC, TS_KEY_INSERT | TS_KEY_SHIFT},
};

/* Names of terminfo's extended keys: kUP5 is Ctrl and Up. */
static const struct {
	const char *name;
	ts_key key;
} extended_keys[] = {
	{"kUP", TS_KEY_UP},
	{"kDN", TS_KEY_DOWN},
	{"kLFT", TS_KEY_LEFT},
	{"kRIT", TS_KEY_RIGHT},
	{"kHOM", TS_KEY_HOME},
	{"kEND", TS_KEY_END},
	{"kPRV", TS_KEY_PGUP},
	{"kNXT", TS_KEY_PGDN},
	{"kIC", TS_KEY_INSERT},
	{"kDC", TS_KEY_DELETE},
};

enum { PASTE_BEGIN = 200, PASTE_END = 201 };

static ts_key
extended_key(int code)
{
	const char *name = keyname(code);

	for (size_t i = 0; name && i < TS_COUNT(extended_keys); i++) {
		size_t n = strlen(extended_keys[i].name);

		if (strncmp(name, extended_keys[i].name, n) == 0 && name[n] >= '2' &&
			name[n] <= '8' && name[n + 1] == '\0')
			return extended_keys[i].key | ts_escape_modifiers(name[n] - '0');
	}
	return TS_KEY_NONE;
}

static ts_key
special_key(int code)
{
	if (code >= KEY_F(1) && code <= KEY_F(12))
		return TS_KEY_F1 + (ts_key)(code - KEY_F(1));
	for (size_t i = 0; i < TS_COUNT(curses_keys); i++)
		if (curses_keys[i].code == code)
			return curses_keys[i].key;
	return extended_key(code);
}

static struct ts_event
key_event(const struct ts_tty *t, ts_key key)
{
	struct ts_event e = {.type = TS_EVENT_KEY, .key = key};

	if (t->pasting) {
		e.type = TS_EVENT_PASTE;
		if (!ts_key_is_text(key))
			e.key = ' ';
	}
	return e;
}

/* A report of the mouse that nobody asked for: curses took its begin for a key, the rest is here. */
static void
skip_mouse(struct ts_tty *t)
{
	wint_t ch;

	for (int i = 0; i < 16 && wget_wch(t->keys, &ch) == OK; i++)
		if (ch == 'M' || ch == 'm')
			break;
}

/* What curses has of the mouse; false for events that nobody wants. */
static bool
mouse_event(struct ts_tty *t, struct ts_event *out)
{
	static const struct {
		mmask_t mask;
		enum ts_mouse mouse;
	} presses[] = {
		{BUTTON1_PRESSED, TS_MOUSE_PRESS},
		{BUTTON2_PRESSED, TS_MOUSE_MIDDLE},
		{BUTTON3_PRESSED, TS_MOUSE_RIGHT},
		{BUTTON4_PRESSED, TS_MOUSE_WHEEL_UP},
		{BUTTON5_PRESSED, TS_MOUSE_WHEEL_DOWN},
	};
	size_t i = 0;
	MEVENT m;

	if (!t->mouse_on) {
		skip_mouse(t);
		return false;
	}
	if (getmouse(&m) != OK)
		return false;
	while (i < TS_COUNT(presses) && !(m.bstate & presses[i].mask))
		i++;
	if (i == TS_COUNT(presses))
		return false;
	*out = (struct ts_event){.type = TS_EVENT_MOUSE,
		.mouse = presses[i].mouse,
		.x = m.x,
		.y = m.y};
	out->key = (m.bstate & BUTTON_SHIFT ? TS_KEY_SHIFT : 0) |
		(m.bstate & BUTTON_CTRL ? TS_KEY_CTRL : 0) |
		(m.bstate & BUTTON_ALT ? TS_KEY_ALT : 0);
	if (out->mouse == TS_MOUSE_PRESS) {
		int64_t now = ts_clock_us();

		if (now - t->click_us < DOUBLE_CLICK_US && m.x == t->click_x && m.y == t->click_y) {
			out->mouse = TS_MOUSE_DOUBLE;
			now = 0;
		}
		t->click_us = now;
		t->click_x = m.x;
		t->click_y = m.y;
	}
	return true;
}

/* Curses has cut its rows, or made them longer. */
static struct ts_event
resized(struct ts_tty *t)
{
	ts_shown_forget(&t->shown);
	return (struct ts_event){.type = TS_EVENT_RESIZE};
}

/* The next character of a sequence that has begun; false when there is none yet. */
static bool
next_char(struct ts_tty *t, wint_t *ch)
{
	int rc = wget_wch(t->keys, ch);

	if (rc == KEY_CODE_YES && *ch == KEY_RESIZE) {
		t->pushed = resized(t);
		t->has_pushed = true;
	}
	return rc == OK;
}

/*
 * The rest of ESC [: parameters, then a final character. Sets *key (NONE when it means nothing to
 * us: focus reports, answers to queries) or the paste flag.
 */
static void
read_csi(struct ts_tty *t, wint_t ch, ts_key *key)
{
	enum { PARAMETERS = 4, LENGTH_MAX = 32, MOUSE_BYTES = 3 };
	int par[PARAMETERS] = {0}, n = 0, length = 0;
	bool private = false;

	*key = TS_KEY_NONE;
	if (ch == 'M') { /* the mouse of old: three characters more */
		for (int i = 0; i < MOUSE_BYTES && next_char(t, &ch); i++)
			;
		return;
	}
	while (ch < 0x40 || ch > 0x7e) {
		if (ch >= '0' && ch <= '9' && par[n] < 10000)
			par[n] = par[n] * 10 + (int)(ch - '0');
		else if (ch == ';' && n + 1 < PARAMETERS)
			n++;
		else if (ch == '<' || ch == '?' || ch == '>')
		private = true;
		if (++length > LENGTH_MAX || !next_char(t, &ch))
			return;
	}
	if (private)
		return;
	if (ch == '~' && (par[0] == PASTE_BEGIN || par[0] == PASTE_END)) {
		t->pasting = par[0] == PASTE_BEGIN;
		return;
	}
	*key = ts_escape_key((uint32_t)ch, par[0], par[1]);
}

/* Escape was read. Alone, or Alt and the key behind it, or a sequence that terminfo lacks. */
static ts_key
read_escape(struct ts_tty *t)
{
	wint_t ch, next;
	ts_key key = TS_KEY_NONE;
	int rc = wget_wch(t->keys, &ch);

	if (rc == ERR)
		return TS_KEY_ESC;
	if (rc == KEY_CODE_YES) {
		if (ch == KEY_RESIZE) {
			t->pushed = resized(t);
			t->has_pushed = true;
			return TS_KEY_ESC;
		}
		key = special_key((int)ch);
		return key ? key | TS_KEY_ALT : TS_KEY_NONE;
	}
	if (ch == ESC_CHAR)
		return TS_KEY_ESC | TS_KEY_ALT;
	if ((ch == '[' || ch == 'O') && next_char(t, &next)) {
		if (ch == '[') {
			read_csi(t, next, &key);
			return key;
		}
		return ts_escape_key((uint32_t)next, 0, 0);
	}
	return ts_key_from_char((uint32_t)ch) | TS_KEY_ALT;
}

bool
ts_tty_read(struct ts_tty *t, struct ts_event *out)
{
	for (;;) {
		ts_key key;
		wint_t ch;
		int rc;

		if (t->has_pushed) {
			t->has_pushed = false;
			*out = t->pushed;
			return true;
		}
		rc = wget_wch(t->keys, &ch);
		if (rc == ERR)
			return false;
		if (rc == KEY_CODE_YES && ch == KEY_RESIZE) {
			*out = resized(t);
			return true;
		}
		if (rc == KEY_CODE_YES && ch == KEY_MOUSE) {
			if (mouse_event(t, out))
				return true;
			continue;
		}
		key = rc == KEY_CODE_YES ? special_key((int)ch)
			: ch == ESC_CHAR ? read_escape(t)
					 : ts_key_from_char((uint32_t)ch);
		if (key == TS_KEY_NONE)
			continue;
		if (key == ('c' | TS_KEY_CTRL)) /* a paste whose end got lost */
			t->pasting = false;
		*out = key_event(t, key);
		return true;
	}
}

bool
ts_tty_mouse(struct ts_tty *t, bool on)
{
	mmask_t mask = BUTTON1_PRESSED | BUTTON2_PRESSED | BUTTON3_PRESSED | BUTTON4_PRESSED |
		BUTTON5_PRESSED | BUTTON_SHIFT | BUTTON_CTRL | BUTTON_ALT;

	if (!t->info.mouse)
		return !on;
	mousemask(on ? mask : 0, NULL);
	t->mouse_on = on;
	return true;
}

/* ---- clipboard ---- */

/* GNU screen hands a control string on only when it is wrapped, in pieces. */
static bool
write_wrapped(const struct ts_tty *t, const char *s, size_t n)
{
	enum { PIECE = 200 };

	for (size_t at = 0; at < n; at += PIECE)
		if (!write_text(t, "\033P") ||
			!write_plain(t, s + at, n - at < PIECE ? n - at : PIECE) ||
			!write_text(t, "\033\\"))
			return false;
	return true;
}

bool
ts_tty_copy(struct ts_tty *t, const char *text)
{
	bool screen = strncmp(t->info.term, "screen", 6) == 0 && !getenv("TMUX"), ok;
	struct ts_strbuf coded;

	if (!ts_tty_ready(t))
		return false;
	ts_strbuf_init(&coded, 2 * TS_TTY_COPY_MAX);
	ts_clip_osc52(&coded, text, TS_TTY_COPY_MAX);
	ok = !coded.cut && (screen ? write_wrapped : write_plain)(t, coded.s, coded.len);
	ts_strbuf_fini(&coded);
	return ok;
}

/* ---- leaving and coming back ---- */

void
ts_tty_leave(struct ts_tty *t)
{
	if (t->left)
		return;
	paste_mode(t, false);
	endwin();
	t->left = true;
	restore_stderr(t);
}

void
ts_tty_resume(struct ts_tty *t)
{
	struct winsize size;

	reset_prog_mode();
	keypad(t->keys, TRUE); /* endwin() took the keypad out of application mode */
	redirect_stderr(t);
	paste_mode(t, true);
	t->pasting = false;
	t->redraw = true;
	t->left = false;
	if (ioctl(t->out_fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0 &&
		is_term_resized(size.ws_row, size.ws_col))
		resizeterm(size.ws_row, size.ws_col);
}

void
ts_tty_suspend(struct ts_tty *t)
{
	static const struct timespec now;
	struct sigaction stop, before;
	sigset_t mask, old;

	ts_tty_leave(t);
	memset(&stop, 0, sizeof(stop));
	stop.sa_handler = SIG_DFL;
	sigaction(SIGTSTP, &stop, &before);
	kill(0, SIGTSTP);
	/* the signal is blocked in this thread: it stops us here, when it is let in */
	sigemptyset(&mask);
	sigaddset(&mask, SIGTSTP);
	pthread_sigmask(SIG_UNBLOCK, &mask, &old);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	sigaction(SIGTSTP, &before, NULL);
	/* who watches for SIGCONT need not hear of this one */
	sigemptyset(&mask);
	sigaddset(&mask, SIGCONT);
	while (sigtimedwait(&mask, NULL, &now) > 0)
		;
	ts_tty_resume(t);
}

void
ts_tty_emergency(const struct ts_tty *t)
{
	int fd = t->frames.terminal >= 0 ? t->frames.terminal : t->out_fd;
	char last_words[512];
	size_t at = 0;
	ssize_t n;

	if (!t->left) {
		while (at < t->restore_len) {
			n = write(fd, t->restore + at, t->restore_len - at);
			if (n <= 0)
				break;
			at += (size_t)n;
		}
		if (t->has_saved)
			tcsetattr(t->in_fd, TCSANOW, &t->saved);
	}
	if (t->stderr_saved < 0)
		return;
	/* what a failed assertion had to say is still in the pipe */
	dup2(t->stderr_saved, STDERR_FILENO);
	while ((n = read(t->stderr_read, last_words, sizeof(last_words))) > 0)
		if (write(STDERR_FILENO, last_words, (size_t)n) != n)
			break;
}
