/* SPDX-License-Identifier: MIT */
/*
 * address_map - see the header.
 *
 * A sweep over the addresses where variables begin and end. Those that have begun lie on a stack; what has ended is
 * taken off it when it comes to the top, so that the top is always one that is there, the last one begun.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/address_map.h"

/* An address where a variable begins or ends. */
struct event {
	int64_t at;
	int32_t variable;
	bool begins;
};

struct sweep {
	struct ts_address_map *m;
	const struct ts_address_variable *v;
	const struct ts_address_element *element;
	size_t elements;
	int32_t *stack;
	size_t high;
	int32_t alive;
};

static int64_t
end_of(const struct ts_address_variable *v)
{
	return v->bytes > INT64_MAX - v->offset ? INT64_MAX : v->offset + v->bytes;
}

/* By address, ends first; those that begin together by their numbers. */
static int
compare(const void *x, const void *y)
{
	const struct event *a = x, *b = y;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	if (a->begins != b->begins)
		return a->begins ? 1 : -1;
	return (a->variable > b->variable) - (a->variable < b->variable);
}

/* --- causes ----------------------------------------------------------------------------------- */

static int64_t
round_up(int64_t at, int64_t alignment)
{
	int64_t rest = at % alignment;

	return rest == 0			    ? at
		: at > INT64_MAX - alignment + rest ? INT64_MAX
						    : at + alignment - rest;
}

/* The last element that begins at or before the address, or NULL. */
static const struct ts_address_element *
element_at(const struct sweep *s, int64_t at)
{
	size_t low = 0, high = s->elements;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->element[middle].offset <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? &s->element[low - 1] : NULL;
}

/* Why a variable begins at `to` when all before it ends at `from`. */
static enum ts_gap_cause
cause_of(const struct sweep *s, int64_t from, const struct ts_address_variable *v)
{
	int64_t at = v->alignment > 0 ? round_up(from, v->alignment) : from;
	const struct ts_address_element *e = element_at(s, v->offset), *before;

	if (v->alignment > 1 && at == v->offset)
		return TS_GAP_ALIGNMENT;
	if (!e || e->offset != v->offset)
		return TS_GAP_UNKNOWN;
	before = e > s->element ? e - 1 : NULL;
	if (e->interleaved && before && !before->interleaved)
		return TS_GAP_INTERLEAVED;
	/* in the element where it could have begun it would not have ended */
	before = element_at(s, at);
	return before && before != e && v->bytes > before->offset + before->bytes - at
		? TS_GAP_ELEMENT
		: TS_GAP_UNKNOWN;
}

/* --- pieces ----------------------------------------------------------------------------------- */

static void
add(struct sweep *s, const struct ts_address_piece *p)
{
	struct ts_address_map *m = s->m;
	struct ts_address_piece *last = m->count > 0 ? &m->piece[m->count - 1] : NULL;

	if (p->from >= p->to)
		return;
	if (last && last->kind == p->kind && last->variable == p->variable &&
		last->count == p->count && last->to == p->from)
		last->to = p->to;
	else
		m->piece[m->count++] = *p;
}

/* What stands in [from, to), between two events. */
static void
add_between(struct sweep *s, int64_t from, int64_t to, int32_t next)
{
	struct ts_address_piece p = {.from = from, .to = to, .count = s->alive, .variable = -1};

	while (s->high > 0 && end_of(&s->v[s->stack[s->high - 1]]) <= from)
		s->high--;
	if (s->alive > 0) {
		p.kind = s->alive > 1 ? TS_ADDRESS_OVERLAP : TS_ADDRESS_VARIABLE;
		p.variable = s->stack[s->high - 1];
	} else {
		p.kind = TS_ADDRESS_GAP;
		p.variable = next;
		p.cause = cause_of(s, from, &s->v[next]);
	}
	add(s, &p);
}

static size_t
make_events(struct event *event, const struct ts_address_variable *v, size_t n, int64_t begin)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t from = ts_max_i64(v[i].offset, begin), to = end_of(&v[i]);

		if (v[i].offset < 0 || v[i].bytes <= 0 || from >= to)
			continue;
		event[count++] = (struct event){from, (int32_t)i, true};
		event[count++] = (struct event){to, (int32_t)i, false};
	}
	qsort(event, count, sizeof(*event), compare);
	return count;
}

/* A run of bytes, as part of [.., end). */
static void
sum_up(struct ts_address_map *m, int64_t end)
{
	for (size_t i = 0; i < m->count; i++) {
		const struct ts_address_piece *p = &m->piece[i];
		int64_t n = p->to - p->from;

		if (p->kind == TS_ADDRESS_FREE) {
			m->free_bytes += n;
		} else if (p->kind == TS_ADDRESS_GAP) {
			m->gaps += n;
			m->gap_count++;
			m->by_cause[p->cause] += n;
		} else {
			m->used += n;
			m->overlapped += p->kind == TS_ADDRESS_OVERLAP ? n : 0;
			m->beyond += end >= 0 ? ts_max_i64(p->to - ts_max_i64(p->from, end), 0) : 0;
		}
	}
}

bool
ts_address_map_make(struct ts_address_map *m, const struct ts_address_variable *v, size_t n,
	const struct ts_address_element *element, size_t elements, int64_t begin, int64_t end)
{
	struct sweep s = {.m = m, .v = v, .element = element, .elements = elements};
	struct event *event = ts_alloc(2 * n + 1, sizeof(*event));
	int64_t at = begin;
	size_t events;

	*m = (struct ts_address_map){0};
	m->piece = ts_alloc(2 * n + 2, sizeof(*m->piece));
	s.stack = ts_alloc(n + 1, sizeof(*s.stack));
	if (!event || !m->piece || !s.stack) {
		free(event);
		free(s.stack);
		ts_address_map_fini(m);
		return false;
	}
	events = make_events(event, v, n, begin);
	for (size_t i = 0; i < events; i++) {
		if (event[i].at > at) {
			add_between(&s, at, event[i].at, event[i].variable);
			at = event[i].at;
		}
		s.alive += event[i].begins ? 1 : -1;
		if (event[i].begins)
			s.stack[s.high++] = event[i].variable;
	}
	if (end > at)
		add(&s,
			&(struct ts_address_piece){.from = at,
				.to = end,
				.kind = TS_ADDRESS_FREE,
				.variable = -1});
	sum_up(m, end);
	free(event);
	free(s.stack);
	return true;
}

void
ts_address_map_fini(struct ts_address_map *m)
{
	free(m->piece);
	*m = (struct ts_address_map){0};
}

ptrdiff_t
ts_address_map_find(const struct ts_address_map *m, int64_t address)
{
	size_t low = 0, high = m->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->piece[middle].to <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < m->count && m->piece[low].from <= address ? (ptrdiff_t)low : -1;
}
