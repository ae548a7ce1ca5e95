/* SPDX-License-Identifier: MIT */
/* cbor_write - see the header; libcbor encodes. */
#include "config.h"

#include <cbor.h>
#include <string.h>

#include "tilescope/format/cbor_write.h"

enum { HEAD = 9 }; /* bytes of an item's head at most */

void
ts_cbor_put_map(FILE *f, size_t pairs)
{
	unsigned char head[HEAD];

	fwrite(head, 1, cbor_encode_map_start(pairs, head, sizeof(head)), f);
}

void
ts_cbor_put_array(FILE *f, size_t items)
{
	unsigned char head[HEAD];

	fwrite(head, 1, cbor_encode_array_start(items, head, sizeof(head)), f);
}

void
ts_cbor_put_uint(FILE *f, uint64_t v)
{
	unsigned char head[HEAD];

	fwrite(head, 1, cbor_encode_uint(v, head, sizeof(head)), f);
}

void
ts_cbor_put_text(FILE *f, const char *s)
{
	unsigned char head[HEAD];
	size_t n = strlen(s);

	fwrite(head, 1, cbor_encode_string_start(n, head, sizeof(head)), f);
	fwrite(s, 1, n, f);
}
