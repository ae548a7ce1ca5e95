/* SPDX-License-Identifier: MIT */
/*
 * memory_identity - does the memory of the tiles add up? Asked once for a report, behind everything else, and behind
 * that part of the index which says what is alive on tiles; what is broken stands beside the legend, and with its figures in
 * Summary's notes.
 */
#include "config.h"

#include <stdio.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/memory_identity.h"

struct identity_fetch {
	struct ts_fetch fetch;
	struct ts_notes notes;
};

static enum ts_code
read_identities(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_memory_identities identities;
	enum ts_code code = ts_memory_identities_look(&identities, rd, &f->job.progress, err);

	if (!code)
		(void)ts_memory_identities_note(&((struct identity_fetch *)f)->notes, &identities);
	return code;
}

static void
fini_identities(struct ts_fetch *f)
{
	ts_notes_fini(&((struct identity_fetch *)f)->notes);
}

void
memory_ask_identity(struct memory_view *m)
{
	const struct ts_view_env *env = m->view.env;
	struct identity_fetch *f;

	/* what is alive on tiles comes of the index where it has that soon: else it is a pass */
	if (m->identity_asked || env->looking ||
		env->coming & ts_section_bit(TS_SECTION_TILE_LIVES))
		return;
	m->identity_asked = true;
	f = ts_alloc(1, sizeof(*f));
	if (!f)
		return; /* a note less */
	f->fetch.read = read_identities;
	f->fetch.fini = fini_identities;
	ts_fetch_send(&m->view, &f->fetch, FETCH_IDENTITY, TS_WORKER_BULK, "adding up tiles");
}

enum ts_effect
memory_take_identity(struct memory_view *m, struct ts_fetch *f)
{
	const struct ts_notes *notes = &((struct identity_fetch *)f)->notes;

	if (ts_fetch_in_vain(f, m->view.env->generation) || f->code || notes->count == 0)
		return TS_EFFECT_NONE;
	if (notes->count == 1)
		snprintf(m->identity, sizeof(m->identity), "%s", notes->note[0]);
	else
		snprintf(m->identity, sizeof(m->identity), "%s (and %d more in Summary)",
			notes->note[0], notes->count - 1);
	return TS_EFFECT_REPAINT;
}

const char *
memory_identity_note(const struct memory_view *m)
{
	enum { ROOM = 150 };

	if (!m->identity[0] || m->area.w >= ROOM)
		return m->identity;
	return "memory does not add up: see Summary";
}

void
memory_drop_identity(struct memory_view *m)
{
	m->identity_asked = false;
	m->identity[0] = '\0';
}
