/* SPDX-License-Identifier: MIT */
/*
 * operations - the Operations view: what each operation of a layer of software costs (code, cycles, memory, steps), all layers
 * as a tree down to the programs, and groups of operations by a regular expression.
 */
#ifndef TS_VIEW_OPERATIONS_H
#define TS_VIEW_OPERATIONS_H

#include "tilescope/view/view.h"

extern const struct ts_view_ops ts_view_operations;

#endif
