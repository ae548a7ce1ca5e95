/* SPDX-License-Identifier: MIT */
/*
 * programs - the Programs view: what the engine was loaded with, as a folded tree from the control programs and functions down,
 * with what each program costs, alone and with all that it calls.
 */
#ifndef TS_VIEW_PROGRAMS_H
#define TS_VIEW_PROGRAMS_H

#include "tilescope/view/view.h"

extern const struct ts_view_ops ts_view_programs;

#endif
