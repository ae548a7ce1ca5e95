/* SPDX-License-Identifier: MIT */
/* What bsp.c and bsp_steps.c share: the steps of a range. */
#ifndef TS_REPORT_BSP_INTERNAL_H
#define TS_REPORT_BSP_INTERNAL_H

#include "trace_internal.h"

#include "tilescope/report/bsp.h"

/* A step of the IPU that has a length. One that stands for a place takes all of that place. */
struct bsp_step {
	int64_t start, end;	      /* drawn: cycles */
	int64_t length;		      /* of the step itself */
	int64_t program, compute_set; /* TS_UNKNOWN */
	enum ts_step_class class_of;
};

struct bsp_steps {
	struct bsp_step *step;
	size_t n, cap;
	bool sampled;
};

/* The steps of [from, to): all, or one at each of some places. The caller frees steps->step in every case. */
enum ts_code bsp_steps_read(struct bsp_steps *s, struct ts_reader *rd, const struct ts_trace *t,
	int64_t ipu, int64_t from, int64_t to, int columns, const struct ts_cache *cache,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
