/* SPDX-License-Identifier: MIT */
/* pile - see the header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/pile.h"

enum { PIECE = 4 << 20 }; /* bytes */

void
ts_pile_rest(const struct ts_pile *p)
{
	ts_spill_rest(p->memory, p->room);
}

/* In pieces: neither of them need stay in memory. */
static void
move(void *to, size_t room, const struct ts_pile *p)
{
	for (size_t at = 0; at < p->used; at += PIECE) {
		memcpy((char *)to + at, (const char *)p->memory + at,
			p->used - at < PIECE ? p->used - at : PIECE);
		ts_pile_rest(p);
		ts_spill_rest(to, room);
	}
}

enum ts_code
ts_pile_room(struct ts_pile *p, size_t bytes, const struct ts_cache *cache, struct ts_err *err)
{
	void *memory = NULL;

	if (bytes <= p->room)
		return TS_OK;
	if (bytes <= TS_PILE_SMALL) {
		memory = ts_resize(p->memory, bytes, 1);
		if (!memory)
			return ts_err_nomem(err);
		memset((char *)memory + p->room, 0, bytes - p->room);
	} else {
		enum ts_code code = ts_spill_new(&memory, cache, bytes, err);

		if (code)
			return code;
		move(memory, bytes, p);
		if (p->room > TS_PILE_SMALL)
			ts_spill_free(p->memory, p->room);
		else
			free(p->memory);
	}
	p->memory = memory;
	p->room = bytes;
	return TS_OK;
}

enum ts_code
ts_pile_add(struct ts_pile *p, const void *bytes, size_t n, const struct ts_cache *cache,
	struct ts_err *err)
{
	if (n > p->room - p->used) {
		size_t room = p->room < 4096 ? 4096 : p->room;
		enum ts_code code;

		while (room - p->used < n) {
			if (room > SIZE_MAX / 4)
				return ts_err_nomem(err);
			room *= 2;
		}
		code = ts_pile_room(p, room, cache, err);
		if (code)
			return code;
	}
	if (n > 0)
		memcpy((char *)p->memory + p->used, bytes, n);
	p->used += n;
	return TS_OK;
}

void
ts_pile_fini(struct ts_pile *p)
{
	if (p->room > TS_PILE_SMALL)
		ts_spill_free(p->memory, p->room);
	else
		free(p->memory);
	*p = (struct ts_pile){0};
}
