/* SPDX-License-Identifier: MIT */
/*
 * flame_stacks - what is merged, from the section of the stacks (report/index_stacks.h): only the frames and cells that have
 * a step in the range are made of its sums.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "flame_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/index_stacks.h"

struct making {
	struct ts_flame *f;
	const struct ts_stacks *s;
	struct ts_stack_sum *own;   /* as the section gives them: of a frame itself */
	struct ts_stack_sum *below; /* with all frames in it */
	uint32_t *frame;	    /* of each of the section's the flame's */
	uint32_t *cell;		    /* of each frame and IPU */
	uint32_t *ipu;
};

/* Frames stand behind those that they are in. False: a sum is none. */
static bool
add_up(struct making *m)
{
	uint64_t ipus = m->s->head->ipus, cells = m->s->head->frames * ipus;
	int64_t total = 0;
	bool sound = true;

	memcpy(m->below, m->own, (size_t)cells * sizeof(*m->own));
	for (uint64_t i = cells; i-- > ipus;) {
		struct ts_stack_sum *up = &m->below[m->s->frame[i / ipus].parent * ipus + i % ipus];

		up->steps += m->below[i].steps;
		up->cycles += m->below[i].cycles;
		up->extra += m->below[i].extra;
	}
	for (uint64_t i = 0; i < cells; i++)
		sound &= m->below[i].steps <= INT64_MAX && m->below[i].cycles <= INT64_MAX &&
			m->below[i].extra <= INT64_MAX && m->own[i].cycles <= INT64_MAX;
	for (uint64_t i = 0; i < ipus && sound; i++)
		sound = ts_add_i64(&total, (int64_t)m->below[i].cycles);
	return sound;
}

static enum ts_code
put_ipus(struct making *m, struct ts_err *err)
{
	struct ts_flame *f = m->f;
	uint64_t ipus = m->s->head->ipus;

	f->ipu = ts_alloc((size_t)ipus, sizeof(*f->ipu));
	if (!f->ipu)
		return ts_err_nomem(err);
	for (uint64_t i = 0; i < ipus; i++) {
		m->ipu[i] = (uint32_t)f->ipus;
		if (m->below[i].steps > 0)
			f->ipu[f->ipus++] = m->s->ipu[i];
		f->rows += (int64_t)m->below[i].steps;
		f->total += (int64_t)m->below[i].cycles;
	}
	return TS_OK;
}

static enum ts_code
put_frame(struct making *m, uint64_t i, struct ts_err *err)
{
	const struct ts_stacks_frame *k = &m->s->frame[i];

	m->frame[i] = TS_FRAME_RUN;
	return i == TS_FRAME_RUN
		? TS_OK
		: ts_frames_add(&m->frame[i], &m->f->frames, m->frame[k->parent],
			  m->s->text + k->at, k->n, k->steps ? k->class_of : -1, err);
}

static enum ts_code
put_cell(struct making *m, uint64_t i, uint64_t ipu, struct ts_err *err)
{
	uint64_t ipus = m->s->head->ipus, at = i * ipus + ipu;
	const struct ts_stack_sum *below = &m->below[at];
	struct ts_flame_cell k = {.frame = m->frame[i],
		.ipu = m->ipu[ipu],
		.sum = {.cycles = (int64_t)below->cycles,
			.own = (int64_t)m->own[at].cycles,
			.covered = (int64_t)below->extra,
			.steps = (int64_t)below->steps}};

	m->cell[at] = m->f->cells++;
	k.up = m->cell[m->s->frame[i].parent * ipus + ipu];
	return ts_pile_add(&m->f->cell, &k, sizeof(k), m->f->frames.cache, err);
}

static enum ts_code
put_all(struct making *m, struct ts_err *err)
{
	uint64_t ipus = m->s->head->ipus;
	enum ts_code code = put_ipus(m, err);

	for (uint64_t i = 0; i < m->s->head->frames && !code; i++) {
		bool made = false;

		for (uint64_t k = 0; k < ipus && !code; k++) {
			if (m->below[i * ipus + k].steps == 0)
				continue;
			if (!made)
				code = put_frame(m, i, err);
			made = true;
			if (!code)
				code = put_cell(m, i, k, err);
		}
	}
	return code;
}

static enum ts_code
make(bool *done, struct ts_flame *f, const struct ts_stacks *s, struct ts_stack_sum *own,
	struct ts_err *err)
{
	size_t frames = (size_t)s->head->frames, ipus = (size_t)s->head->ipus;
	struct making m = {.f = f, .s = s, .own = own};
	enum ts_code code = TS_OK;

	m.below = ts_alloc(frames * ipus, sizeof(*m.below));
	m.frame = ts_alloc(frames, sizeof(*m.frame));
	m.cell = ts_alloc(frames * ipus, sizeof(*m.cell));
	m.ipu = ts_alloc(ipus, sizeof(*m.ipu));
	if (!m.below || !m.frame || !m.cell || !m.ipu) {
		code = ts_err_nomem(err);
	} else if (add_up(&m)) {
		*done = true;
		code = put_all(&m, err);
	}
	free(m.below);
	free(m.frame);
	free(m.cell);
	free(m.ipu);
	return code;
}

enum ts_code
flame_of_stacks(bool *done, struct ts_flame *f, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_stack_sum *own = NULL;
	struct ts_err why = {0};
	struct ts_stacks s;
	enum ts_code code = TS_OK;

	*done = false;
	if (!ts_stacks_open(&s, rd->index))
		return TS_OK;
	if ((s.head->contexts != 0) == (f->frames.contexts != NULL))
		code = ts_stacks_read(&own, &s, rd, &f->range, &why);
	if (!code && own)
		code = make(done, f, &s, own, &why);
	if (*done) {
		f->left_out.bad_rows = s.head->bad_rows;
		f->left_out.orphans = s.head->orphans;
		f->bad_cycles = s.head->bad_cycles;
	}
	free(own);
	ts_stacks_close(&s);
	if (code == TS_E_DAMAGED && !*done)
		return TS_OK; /* the rows tell how far they can be read */
	if (code && err)
		*err = why;
	return code;
}
