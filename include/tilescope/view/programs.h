/* SPDX-License-Identifier: MIT */
/*
 * programs - the Programs view: what the engine was loaded with, as a folded tree from the control programs and functions down,
 * with what each program costs, alone and with all that it calls.
 */
#ifndef TS_VIEW_PROGRAMS_H
#define TS_VIEW_PROGRAMS_H

#include "tilescope/view/view.h"

struct ts_program_world;

extern const struct ts_view_ops ts_view_programs;

/*
 * Compare: the tree shows how the programs of the view differ from these earlier ones (report/program_diff.h), which are
 * borrowed until other ones are given, or NULL: nothing is compared any more. It is made in the background. What is asked of
 * a program (tabs, figures, other views) is of the view's own.
 */
void ts_programs_compare(struct ts_view *v, const struct ts_program_world *before);

#endif
