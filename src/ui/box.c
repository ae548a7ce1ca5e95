/* SPDX-License-Identifier: MIT */
/* box - see the header. */
#include "config.h"

#include "tilescope/ui/box.h"

enum { CORNER_UL = 0x250c, CORNER_UR = 0x2510, CORNER_LL = 0x2514, CORNER_LR = 0x2518 };

struct ts_rect
ts_box_draw(struct ts_canvas *c, struct ts_rect r, int w, int h, const char *title,
	const char *right, const char *hint)
{
	enum ts_role role = TS_ROLE_BORDER_ACTIVE;
	struct ts_rect box = {r.x, r.y, w < r.w ? w : r.w, h + 2 < r.h ? h + 2 : r.h};

	if (ts_rect_empty(r))
		return (struct ts_rect){r.x, r.y, 0, 0};
	box.x += (r.w - box.w) / 2;
	box.y += (r.h - box.h) / 2;
	ts_canvas_fill(c, box, TS_ROLE_TEXT, ' ');
	ts_canvas_rule(c, box, role, title, right);
	ts_canvas_rule(c, ts_rect_row(box, box.h - 1), role, hint, NULL);
	ts_canvas_vline(c, box, 0, 1, box.h - 2, role);
	ts_canvas_vline(c, box, box.w - 1, 1, box.h - 2, role);
	ts_canvas_glyph(c, box, 0, 0, role, CORNER_UL);
	ts_canvas_glyph(c, box, box.w - 1, 0, role, CORNER_UR);
	ts_canvas_glyph(c, box, 0, box.h - 1, role, CORNER_LL);
	ts_canvas_glyph(c, box, box.w - 1, box.h - 1, role, CORNER_LR);
	return (struct ts_rect){box.x + TS_BOX_MARGIN, box.y + 1, box.w - 2 * TS_BOX_MARGIN,
		box.h - 2};
}
