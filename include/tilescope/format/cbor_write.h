/* SPDX-License-Identifier: MIT */
/* cbor_write - write CBOR to a stream; whether all went well is asked at the end, of the stream. */
#ifndef TS_FORMAT_CBOR_WRITE_H
#define TS_FORMAT_CBOR_WRITE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void ts_cbor_put_map(FILE *f, size_t pairs); /* keys and values follow */
void ts_cbor_put_array(FILE *f, size_t items);
void ts_cbor_put_uint(FILE *f, uint64_t v);
void ts_cbor_put_text(FILE *f, const char *s);

#endif
