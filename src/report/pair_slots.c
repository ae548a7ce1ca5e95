/* SPDX-License-Identifier: MIT */
/* pair_slots - see the header. At most half of the slots are taken. */
#include "config.h"

#include "tilescope/report/pair_slots.h"

enum { SLOTS_FIRST = 1024, GROWS = 4 };

static size_t
slots_of(const struct ts_pile *slot)
{
	return slot->used / sizeof(uint32_t);
}

static size_t
place_of(uint32_t a, uint32_t b)
{
	uint64_t key = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(key ^ key >> 32);
}

static void
put(struct ts_pile *slot, ts_pair_of *pair_of, const void *of, uint32_t element)
{
	uint32_t *at = slot->memory, pair[2];
	size_t last = slots_of(slot) - 1, i;

	pair_of(pair, of, element);
	i = place_of(pair[0], pair[1]) & last;
	while (at[i])
		i = (i + 1) & last;
	at[i] = element + 1;
}

uint32_t
ts_pair_find(const struct ts_pile *slot, ts_pair_of *pair_of, const void *of, uint32_t a,
	uint32_t b)
{
	const uint32_t *at = slot->memory;
	size_t slots = slots_of(slot);
	uint32_t pair[2];

	for (size_t i = place_of(a, b); slots > 0; i++) {
		uint32_t element = at[i & (slots - 1)];

		if (element == 0)
			break;
		pair_of(pair, of, element - 1);
		if (pair[0] == a && pair[1] == b)
			return element - 1;
	}
	return TS_PAIR_NONE;
}

enum ts_code
ts_pair_add(struct ts_pile *slot, ts_pair_of *pair_of, const void *of, uint32_t count,
	const struct ts_cache *cache, struct ts_err *err)
{
	size_t slots = slots_of(slot), wanted = slots ? slots * GROWS : SLOTS_FIRST;
	struct ts_pile bigger = {0};
	enum ts_code code;

	if ((size_t)count * 2 <= slots) {
		put(slot, pair_of, of, count - 1);
		return TS_OK;
	}
	code = ts_pile_room(&bigger, wanted * sizeof(uint32_t), cache, err);
	if (code)
		return code;
	bigger.used = wanted * sizeof(uint32_t);
	for (uint32_t i = 0; i < count; i++)
		put(&bigger, pair_of, of, i);
	ts_pile_fini(slot);
	*slot = bigger;
	return TS_OK;
}
