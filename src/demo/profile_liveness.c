/* SPDX-License-Identifier: MIT */
/* profile_liveness - liveness steps, and by how much more or less is alive at each than at the step before. */
#include "config.h"

#include "profile.h"

#include <stdlib.h>
#include <string.h>

static void
steps(struct demo_out *out, const struct pf_model *m)
{
	pf_begin_many(out, "depth_first_steps", (int64_t)m->live_n);
	for (size_t i = 0; i < m->live_n && out->code == TS_OK; i++) {
		demo_int(out, 0, (int64_t)i);
		demo_int(out, 1, m->live[i]);
		if (m->live_parent[i] == UINT32_MAX)
			demo_null(out, 2);
		else
			demo_int(out, 2, m->live_parent[i]);
		demo_row(out);
	}
	demo_end(out);
}

/* Rows of one IPU, or of the device. */
static void
deltas(struct demo_out *out, const struct pf_model *m, int ipu, const int64_t *delta)
{
	for (size_t i = 0; i < m->live_n && out->code == TS_OK; i++) {
		if (!delta[i])
			continue;
		if (ipu < 0)
			demo_null(out, 0);
		else
			demo_int(out, 0, ipu);
		demo_int(out, 1, (int64_t)i);
		demo_int(out, 2, delta[i]);
		demo_row(out);
	}
}

static void
add(int64_t *delta, const struct pf_model *m, int ipu)
{
	for (size_t i = 0; i < m->events_n[ipu]; i++) {
		const struct pf_event *e = &m->events[ipu][i];
		int64_t bytes = m->classes[e->class].bytes;

		delta[e->step] += e->begins ? bytes : -bytes;
	}
}

static void
alive(struct demo_out *out, const struct pf_model *m)
{
	int64_t *delta = ts_alloc(m->live_n + 1, sizeof(*delta));

	if (!delta)
		demo_nomem(out);
	pf_begin(out, "memory_not_always_live_by_step_and_ipu");
	for (int ipu = 0; out->code == TS_OK && ipu < m->ipus; ipu++) {
		memset(delta, 0, (m->live_n + 1) * sizeof(*delta));
		add(delta, m, ipu);
		deltas(out, m, ipu, delta);
	}
	if (out->code == TS_OK) {
		memset(delta, 0, (m->live_n + 1) * sizeof(*delta));
		for (int ipu = 0; ipu < m->ipus; ipu++)
			add(delta, m, ipu);
		deltas(out, m, -1, delta);
	}
	demo_end(out);
	free(delta);
}

/* The two fullest tiles. */
static void
fullest(struct demo_out *out, const struct pf_model *m)
{
	int64_t best[2] = {-1, -1};

	for (int64_t t = 0; t < m->all_tiles; t++) {
		if (best[0] < 0 || m->memory[t].end > m->memory[best[0]].end) {
			best[1] = best[0];
			best[0] = t;
		} else if (best[1] < 0 || m->memory[t].end > m->memory[best[1]].end) {
			best[1] = t;
		}
	}
	pf_begin(out, "memory_liveness_tiles");
	for (int i = 0; i < 2 && best[i] >= 0; i++) {
		demo_int(out, 0, i);
		demo_int(out, 1, best[i]);
		demo_row(out);
	}
	demo_end(out);
}

void
pf_write_liveness(struct demo_out *out, const struct pf_model *m)
{
	steps(out, m);
	alive(out, m);
	fullest(out, m);
}
