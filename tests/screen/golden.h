/* SPDX-License-Identifier: MIT */
/*
 * golden - compare a canvas with the screen that was looked at and kept. For Check programs.
 *
 * A screen is kept in tests/screen/expected/NAME.txt: the glyphs, a line of dashes, the roles (one
 * letter each, include/tilescope/ui/role.h). With TS_GOLDEN=write the file is written instead: look at
 * the difference before it is committed.
 */
#ifndef TS_TESTS_SCREEN_GOLDEN_H
#define TS_TESTS_SCREEN_GOLDEN_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/strbuf.h"
#include "tilescope/ui/canvas.h"

enum { GOLDEN_MAX = 4 << 20 };

static inline void
golden_text(const struct ts_canvas *c, struct ts_strbuf *out)
{
	ts_strbuf_init(out, GOLDEN_MAX);
	ts_canvas_dump(c, out);
	ts_strbuf_puts(out, "--------\n");
	ts_canvas_dump_roles(c, out);
}

/* Where both texts part: the number of the line, and that line of both in out (Check cuts long texts). */
static inline int
golden_first_difference(const char *a, const char *b, char out[1024])
{
	int line = 1;

	for (; *a && *b; line++) {
		size_t na = strcspn(a, "\n"), nb = strcspn(b, "\n");

		if (na != nb || strncmp(a, b, na) != 0)
			break;
		a += na + (a[na] == '\n');
		b += nb + (b[nb] == '\n');
	}
	snprintf(out, 1024, "kept: %.*s\nnow:  %.*s", (int)strcspn(a, "\n"), a,
		(int)strcspn(b, "\n"), b);
	return line;
}

static inline void
golden_check(const char *name, const struct ts_canvas *c)
{
	const char *src = getenv("srcdir"), *mode = getenv("TS_GOLDEN");
	static char kept[GOLDEN_MAX];
	struct ts_strbuf now;
	char path[1024], lines[1024];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/screen/expected/%s.txt", src ? src : ".", name);
	golden_text(c, &now);
	ck_assert(!now.cut);
	if (mode && strcmp(mode, "write") == 0) {
		f = fopen(path, "w");
		ck_assert_msg(f != NULL, "cannot write %s", path);
		fwrite(now.s, 1, now.len, f);
		fclose(f);
	}
	f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s is missing (TS_GOLDEN=write makes it)", path);
	if (f) {
		n = fread(kept, 1, sizeof(kept) - 1, f);
		fclose(f);
	}
	kept[n] = '\0';
	if (strcmp(kept, now.s) != 0) {
		int line = golden_first_difference(kept, now.s, lines);

		ck_abort_msg("%s differs from line %d on (TS_GOLDEN=write keeps the new one)\n%s",
			name, line, lines);
	}
	ts_strbuf_fini(&now);
}

#endif
