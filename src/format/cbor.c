/* SPDX-License-Identifier: MIT */
/*
 * cbor - see the header.
 *
 * libcbor's decoder is given all of the window that is left; when it wants more, the window moves. How much
 * it says that it wants is not looked at: that wraps for lengths near 2^64. Instead the window is filled,
 * and when it was full already, the item is a string that is longer than it: its head is read here.
 */
#include "config.h"

#include <cbor.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/format/cbor.h"

#define FOREVER \
	((uint64_t)1 << 63) /* items of indefinite length: even, and never counted down to 0 */
#define EXACT ((uint64_t)1 << 53) /* up to here a double is an integer's own */

enum { CHUNKS_MAX = 1 << 14 }; /* bytes kept of a string in chunks */

/* --- what libcbor calls ----------------------------------------------------------------------- */

static struct ts_cbor_item *
item_of(void *ctx, enum ts_cbor_kind kind)
{
	struct ts_cbor_item *it = &((struct ts_cbor *)ctx)->item;

	it->kind = kind;
	return it;
}

#define ON_NUMBER(name, type, kind)             \
	static void name(void *ctx, type v)     \
	{                                       \
		item_of(ctx, kind)->number = v; \
	}

ON_NUMBER(on_uint8, uint8_t, TS_CBOR_UINT)
ON_NUMBER(on_uint16, uint16_t, TS_CBOR_UINT)
ON_NUMBER(on_uint32, uint32_t, TS_CBOR_UINT)
ON_NUMBER(on_uint64, uint64_t, TS_CBOR_UINT)
ON_NUMBER(on_negint8, uint8_t, TS_CBOR_NEGINT)
ON_NUMBER(on_negint16, uint16_t, TS_CBOR_NEGINT)
ON_NUMBER(on_negint32, uint32_t, TS_CBOR_NEGINT)
ON_NUMBER(on_negint64, uint64_t, TS_CBOR_NEGINT)
ON_NUMBER(on_bool, bool, TS_CBOR_BOOL)
ON_NUMBER(on_tag, uint64_t, TS_CBOR_TAG)

static void
on_string(void *ctx, enum ts_cbor_kind kind, cbor_data text, size_t n)
{
	struct ts_cbor_item *it = item_of(ctx, kind);

	it->text = (const char *)text;
	it->n = n;
	it->number = n;
	it->cut = false;
}

static void
on_text(void *ctx, cbor_data text, size_t n)
{
	on_string(ctx, TS_CBOR_TEXT, text, n);
}

static void
on_bytes(void *ctx, cbor_data text, size_t n)
{
	on_string(ctx, TS_CBOR_BYTES, text, n);
}

static void
on_container(void *ctx, enum ts_cbor_kind kind, uint64_t count, bool indefinite)
{
	struct ts_cbor_item *it = item_of(ctx, kind);

	it->number = count;
	it->indefinite = indefinite;
}

static void
on_array(void *ctx, size_t n)
{
	on_container(ctx, TS_CBOR_ARRAY, n, false);
}

static void
on_map(void *ctx, size_t n)
{
	on_container(ctx, TS_CBOR_MAP, n, false);
}

static void
on_open_array(void *ctx)
{
	on_container(ctx, TS_CBOR_ARRAY, 0, true);
}

static void
on_open_map(void *ctx)
{
	on_container(ctx, TS_CBOR_MAP, 0, true);
}

static void
on_chunks(void *ctx)
{
	item_of(ctx, TS_CBOR_CHUNKS);
}

static void
on_chunks_of_bytes(void *ctx)
{
	item_of(ctx, TS_CBOR_CHUNKS_OF_BYTES);
}

static void
on_float(void *ctx, float v)
{
	item_of(ctx, TS_CBOR_REAL)->real = v;
}

static void
on_double(void *ctx, double v)
{
	item_of(ctx, TS_CBOR_REAL)->real = v;
}

static void
on_null(void *ctx)
{
	item_of(ctx, TS_CBOR_NULL);
}

static void
on_break(void *ctx)
{
	item_of(ctx, TS_CBOR_BREAK);
}

static const struct cbor_callbacks callbacks = {
	.uint8 = on_uint8,
	.uint16 = on_uint16,
	.uint32 = on_uint32,
	.uint64 = on_uint64,
	.negint8 = on_negint8,
	.negint16 = on_negint16,
	.negint32 = on_negint32,
	.negint64 = on_negint64,
	.byte_string_start = on_chunks_of_bytes,
	.byte_string = on_bytes,
	.string = on_text,
	.string_start = on_chunks,
	.indef_array_start = on_open_array,
	.array_start = on_array,
	.indef_map_start = on_open_map,
	.map_start = on_map,
	.tag = on_tag,
	.float2 = on_float,
	.float4 = on_float,
	.float8 = on_double,
	.undefined = on_null,
	.null = on_null,
	.boolean = on_bool,
	.indef_break = on_break,
};

/* --- the window ------------------------------------------------------------------------------- */

enum ts_code
ts_cbor_init(struct ts_cbor *r, struct ts_source *source, uint64_t offset, size_t window,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	*r = (struct ts_cbor){.source = source, .cancel = cancel, .size = window, .base = offset};
	r->level[0].left = 1;
	r->window = ts_alloc(window, 1);
	return r->window ? TS_OK : ts_err_nomem(err);
}

void
ts_cbor_fini(struct ts_cbor *r)
{
	free(r->window);
	free(r->chunks);
	*r = (struct ts_cbor){0};
}

static enum ts_code
damaged(struct ts_cbor *r, uint64_t offset, struct ts_err *err, const char *what)
{
	(void)r;
	return ts_err_set(err, TS_E_DAMAGED, "offset %llu: %s", (unsigned long long)offset, what);
}

/* Bytes of the file from `offset` on. */
static uint64_t
bytes_from(const struct ts_cbor *r, uint64_t offset)
{
	return offset < (uint64_t)r->source->size ? (uint64_t)r->source->size - offset : 0;
}

/* Move the window so that it begins with the item, and fill it. *more false: nothing came to it. */
static enum ts_code
fill(struct ts_cbor *r, bool *more, struct ts_err *err)
{
	size_t got;
	enum ts_code code;

	if (r->limit && r->base + r->have >= r->limit)
		return ts_err_set(err, TS_E_LIMIT, "offset %llu: read no further",
			(unsigned long long)ts_cbor_offset(r));
	memmove(r->window, r->window + r->at, r->have - r->at);
	r->base += r->at;
	r->have -= r->at;
	r->at = 0;
	code = ts_source_read(r->source, r->window + r->have, r->size - r->have,
		(int64_t)(r->base + r->have), &got, r->cancel, err);
	if (code)
		return code;
	if (got == 0 && r->base + r->have < (uint64_t)r->source->size)
		return ts_err_set(err, TS_E_STALE, "offset %llu: the file has become shorter",
			(unsigned long long)(r->base + r->have));
	r->have += got;
	*more = got > 0;
	return TS_OK;
}

/* The head of a string at the begin of the window: its bytes and its own size; false: it is no string. */
static bool
string_head(const struct ts_cbor *r, uint64_t *n, size_t *head)
{
	unsigned char first = r->have ? r->window[0] : 0;
	size_t width = (size_t)1 << (first & 3);

	if (r->have < 9 || (first >> 5 != 2 && first >> 5 != 3) || (first & 31) < 24 ||
		(first & 31) > 27)
		return false;
	*n = 0;
	for (size_t i = 1; i <= width; i++)
		*n = *n << 8 | r->window[i];
	*head = 1 + width;
	return true;
}

/*
 * The window is as full as it gets, begins with the item, and the item is not whole: a string that is too
 * long, or the end of the file.
 */
static enum ts_code
decode_long(struct ts_cbor *r, struct ts_err *err)
{
	uint64_t n, after;
	size_t head;
	bool text = r->have && r->window[0] >> 5 == 3;

	if (!string_head(r, &n, &head))
		return damaged(r, r->base, err,
			r->have ? "the file ends within an item" : "the file ends here, too early");
	after = bytes_from(r, r->base + head);
	if (n > after)
		return ts_err_set(err, TS_E_DAMAGED,
			"offset %llu: a string is said to have %llu bytes, and %llu follow",
			(unsigned long long)r->base, (unsigned long long)n,
			(unsigned long long)after);
	if (r->have < r->size) /* the file has become shorter than it was */
		return damaged(r, r->base, err, "the file ends within an item");
	on_string(r, text ? TS_CBOR_TEXT : TS_CBOR_BYTES, r->window + head, r->have - head);
	r->item.cut = true;
	r->item.number = n;
	r->base += head + n;
	r->at = r->have = 0;
	return TS_OK;
}

/* The same where the window has to move. */
__attribute__((noinline)) static enum ts_code
decode_moving(struct ts_cbor *r, struct ts_err *err)
{
	bool more = true;

	for (;;) {
		struct cbor_decoder_result d = {.status = CBOR_DECODER_NEDATA};
		enum ts_code code;

		if (r->at < r->have)
			d = cbor_stream_decode(r->window + r->at, r->have - r->at, &callbacks, r);
		if (d.status == CBOR_DECODER_FINISHED) {
			r->at += d.read;
			return TS_OK;
		}
		if (d.status == CBOR_DECODER_ERROR)
			return ts_err_set(err, TS_E_DAMAGED,
				"offset %llu: 0x%02x does not begin an item",
				(unsigned long long)ts_cbor_offset(r), r->window[r->at]);
		if (!more || (r->at == 0 && r->have == r->size))
			return decode_long(r, err);
		code = fill(r, &more, err);
		if (code)
			return code;
	}
}

/* One item, without its nesting: r->item, which begins at r->item.offset. */
static inline enum ts_code
decode(struct ts_cbor *r, struct ts_err *err)
{
	struct cbor_decoder_result d;

	r->item.offset = ts_cbor_offset(r);
	if (r->at == r->have)
		return decode_moving(r, err);
	d = cbor_stream_decode(r->window + r->at, r->have - r->at, &callbacks, r);
	if (d.status != CBOR_DECODER_FINISHED)
		return decode_moving(r, err);
	r->at += d.read;
	return TS_OK;
}

/* --- strings in chunks ------------------------------------------------------------------------ */

static enum ts_code
put_together(struct ts_cbor *r, enum ts_cbor_kind kind, struct ts_err *err)
{
	uint64_t offset = r->item.offset, all = 0;
	size_t n = 0;
	bool cut = false;

	if (!r->chunks)
		r->chunks = ts_alloc(CHUNKS_MAX, 1);
	if (!r->chunks)
		return ts_err_nomem(err);
	for (;;) {
		enum ts_code code = decode(r, err);
		size_t take;

		if (code)
			return code;
		if (r->item.kind == TS_CBOR_BREAK)
			break;
		if (r->item.kind != kind)
			return damaged(r, r->item.offset, err,
				"a string in pieces has one that is no such string");
		take = r->item.n < CHUNKS_MAX - n ? r->item.n : CHUNKS_MAX - n;
		memcpy(r->chunks + n, r->item.text, take);
		n += take;
		all += r->item.number;
		cut = cut || r->item.cut || take < r->item.n;
	}
	r->item = (struct ts_cbor_item){.kind = kind,
		.cut = cut,
		.offset = offset,
		.number = all,
		.text = r->chunks,
		.n = n};
	return TS_OK;
}

/* --- nesting ---------------------------------------------------------------------------------- */

static enum ts_code
push(struct ts_cbor *r, struct ts_err *err)
{
	const struct ts_cbor_item *it = &r->item;
	bool map = it->kind == TS_CBOR_MAP;
	uint64_t follow = bytes_from(r, ts_cbor_offset(r));
	struct ts_cbor_level *l;

	if (r->depth == TS_CBOR_DEPTH)
		return ts_err_set(err, TS_E_DAMAGED, "offset %llu: nested deeper than %d levels",
			(unsigned long long)it->offset, TS_CBOR_DEPTH);
	if (!it->indefinite && it->number > (map ? follow / 2 : follow))
		return ts_err_set(err, TS_E_DAMAGED,
			"offset %llu: %s is said to have %llu %s, and %llu bytes follow",
			(unsigned long long)it->offset, map ? "a map" : "an array",
			(unsigned long long)it->number, map ? "pairs" : "items",
			(unsigned long long)follow);
	l = &r->level[++r->depth];
	l->map = map;
	l->indefinite = it->indefinite;
	l->left = it->indefinite ? FOREVER : map ? it->number * 2 : it->number;
	return TS_OK;
}

static enum ts_code
pop_at_break(struct ts_cbor *r, bool tagged, struct ts_err *err)
{
	const struct ts_cbor_level *top = &r->level[r->depth];

	if (!top->indefinite || tagged)
		return damaged(r, r->item.offset, err, "a break where nothing is open");
	if (top->map && top->left & 1)
		return damaged(r, r->item.offset, err, "a map ends behind a key");
	r->depth--;
	r->item.kind = TS_CBOR_CLOSE;
	return TS_OK;
}

enum ts_code
ts_cbor_next(struct ts_cbor *r, struct ts_err *err)
{
	struct ts_cbor_level *top = &r->level[r->depth];
	bool tagged = false;
	enum ts_code code;

	if (top->left == 0) {
		r->item.offset = ts_cbor_offset(r);
		r->item.kind = r->depth ? TS_CBOR_CLOSE : TS_CBOR_END;
		r->depth -= r->depth > 0;
		return TS_OK;
	}
	code = decode(r, err);
	if (!code && r->item.kind <= TS_CBOR_LAST_PLAIN) {
		top->left--;
		return TS_OK;
	}
	while (!code && r->item.kind == TS_CBOR_TAG) {
		tagged = true;
		code = decode(r, err);
	}
	if (code)
		return code;
	if (r->item.kind == TS_CBOR_BREAK)
		return pop_at_break(r, tagged, err);
	top->left--;
	switch (r->item.kind) {
	case TS_CBOR_MAP:
	case TS_CBOR_ARRAY:
		return push(r, err);
	case TS_CBOR_CHUNKS:
		return put_together(r, TS_CBOR_TEXT, err);
	case TS_CBOR_CHUNKS_OF_BYTES:
		return put_together(r, TS_CBOR_BYTES, err);
	default:
		return TS_OK;
	}
}

/* Until the nesting is `depth` again. */
static enum ts_code
pass_to(struct ts_cbor *r, int depth, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	while (!code && r->depth > depth)
		code = ts_cbor_next(r, err);
	return code;
}

enum ts_code
ts_cbor_skip(struct ts_cbor *r, struct ts_err *err)
{
	int depth = r->depth;
	enum ts_code code = ts_cbor_next(r, err);

	return code ? code : pass_to(r, depth, err);
}

enum ts_code
ts_cbor_leave(struct ts_cbor *r, struct ts_err *err)
{
	return pass_to(r, r->depth - 1, err);
}

/* --- numbers ---------------------------------------------------------------------------------- */

static bool
digits(uint64_t *v, const char *s, size_t n)
{
	*v = 0;
	for (size_t i = 0; i < n; i++)
		if (s[i] < '0' || s[i] > '9' || __builtin_mul_overflow(*v, 10, v) ||
			__builtin_add_overflow(*v, (uint64_t)(s[i] - '0'), v))
			return false;
	return n > 0;
}

bool
ts_cbor_number(const struct ts_cbor_item *item, uint64_t *v)
{
	switch (item->kind) {
	case TS_CBOR_UINT:
		*v = item->number;
		return true;
	case TS_CBOR_NEGINT:
		*v = ~item->number;
		return item->number <= INT64_MAX;
	case TS_CBOR_REAL:
		if (!(item->real >= 0 && item->real <= (double)EXACT) ||
			item->real != floor(item->real))
			return false;
		*v = (uint64_t)item->real;
		return true;
	case TS_CBOR_TEXT:
		return !item->cut && digits(v, item->text, item->n);
	default:
		return false;
	}
}
