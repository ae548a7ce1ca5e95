/* SPDX-License-Identifier: MIT */
/*
 * contexts - how fast debug.cbor is read, and how fast libcbor alone is on the same bytes.
 *
 *     contexts make FILE BYTES    a debug.cbor of about so many bytes
 *     contexts bare FILE          libcbor's streaming decoder over it, callbacks that do nothing
 *     contexts read FILE          our pass: every context and string, sorted by id
 *
 * Both read the file from front to back in pieces of the same size. Prints one line of JSON: milliseconds, what
 * was found, and (read) the anonymous memory that is held at its end, in KiB.
 */
#include "config.h"

#include <cbor.h>
#include <inttypes.h>
#include <string.h>

#include "inside.h"

#include "tilescope/format/cbor.h"
#include "tilescope/format/cbor_write.h"
#include "tilescope/report/index_contexts.h"

enum { EACH = 380 }; /* bytes of a context and its string, about */

static void
fail(const char *why)
{
	fprintf(stderr, "contexts: %s\n", why);
	exit(1);
}

/* --- make --------------------------------------------------------------------------------------- */

static void
put_text(FILE *f, const char *key, const char *text)
{
	ts_cbor_put_text(f, key);
	ts_cbor_put_text(f, text);
}

static void
put_number(FILE *f, const char *key, uint64_t v)
{
	ts_cbor_put_text(f, key);
	ts_cbor_put_uint(f, v);
}

static void
put_context(FILE *f, uint64_t i, uint64_t all)
{
	static const char *const layers[] = {"poplar", "poplibs", "popart", "poptorch"};

	ts_cbor_put_map(f, 7);
	put_number(f, "id", all - i);
	put_number(f, "parentId", all - i - (i + 1 < all));
	put_text(f, "layer", layers[i % 4]);
	put_number(f, "name", i);
	ts_cbor_put_text(f, "location");
	ts_cbor_put_map(f, 3);
	put_number(f, "fileName", i % 97);
	put_number(f, "functionName", i % 89);
	put_number(f, "lineNumber", i % 3000);
	put_text(f, "api", "poplin::convolution");
	ts_cbor_put_text(f, "args");
	ts_cbor_put_map(f, 3);
	put_text(f, "in", "[1 64 56 56]");
	put_text(f, "weights", "[1 64 3 3 64]");
	ts_cbor_put_text(f, "options");
	ts_cbor_put_map(f, 2);
	put_text(f, "availableMemoryProportion", "0.6");
	put_text(f, "partialsType", "half");
}

static int
make(const char *file, const char *bytes)
{
	uint64_t all = strtoull(bytes, NULL, 10) / EACH + 1;
	char name[160];
	FILE *f = fopen(file, "w");

	if (!f)
		fail("cannot write");
	ts_cbor_put_map(f, 2);
	ts_cbor_put_text(f, "contexts");
	ts_cbor_put_array(f, all);
	for (uint64_t i = 0; i < all; i++)
		put_context(f, i, all);
	ts_cbor_put_text(f, "stringTable");
	ts_cbor_put_array(f, all);
	for (uint64_t i = 0; i < all; i++) {
		snprintf(name, sizeof(name),
			"bert/encoder/layer_%" PRIu64 "/attention/self/query/matMul/Conv_%" PRIu64
			"/Convolve/ExchangePre",
			i % 24, i);
		ts_cbor_put_text(f, name);
	}
	if (fclose(f))
		fail("cannot write");
	printf("{\"contexts\": %" PRIu64 "}\n", all);
	return 0;
}

/* --- bare --------------------------------------------------------------------------------------- */

static int
bare(const char *file)
{
	unsigned char *window = malloc(TS_CBOR_WINDOW);
	size_t at = 0, have = 0;
	int64_t items = 0, bytes = 0, since;
	FILE *f = fopen(file, "r");

	if (!f || !window)
		fail("cannot read");
	setvbuf(f, NULL, _IONBF, 0);
	since = ts_clock_us();
	for (;;) {
		struct cbor_decoder_result d = {.status = CBOR_DECODER_NEDATA};
		size_t got;

		if (at < have)
			d = cbor_stream_decode(window + at, have - at, &cbor_empty_callbacks, NULL);
		if (d.status == CBOR_DECODER_FINISHED) {
			at += d.read;
			items++;
			continue;
		}
		if (d.status == CBOR_DECODER_ERROR)
			fail("not CBOR");
		memmove(window, window + at, have - at);
		have -= at;
		at = 0;
		got = fread(window + have, 1, TS_CBOR_WINDOW - have, f);
		if (got == 0)
			break;
		have += got;
		bytes += (int64_t)got;
	}
	printf("{\"ms\": %.3f, \"items\": %" PRId64 ", \"bytes\": %" PRId64 "}\n", inside_ms(since),
		items, bytes);
	fclose(f);
	free(window);
	return 0;
}

/* --- read --------------------------------------------------------------------------------------- */

static long
anonymous_kib(void)
{
	char line[200];
	long kib = -1;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, "RssAnon:", 8) == 0)
			kib = strtol(line + 8, NULL, 10);
	if (f)
		fclose(f);
	return kib;
}

static int
read_all(char *file)
{
	struct ts_report r = {.part[TS_PART_DEBUG] = {.state = TS_PART_OK, .path = file}};
	struct ts_contexts *c;
	struct ts_err err;
	int64_t since = ts_clock_us();
	double ms;

	check(ts_contexts_open(&c, &r, NULL, NULL, NULL, NULL, &err), &err);
	ms = inside_ms(since);
	printf("{\"ms\": %.3f, \"contexts\": %" PRIu64 ", \"strings\": %" PRIu64
	       ", \"bytes\": %" PRId64 ", \"anonymous_kib\": %ld, \"wrong\": %s}\n",
		ms, c->count, c->strings, c->identity.bytes, anonymous_kib(),
		c->wrong[0] ? "true" : "false");
	ts_contexts_close(c);
	return 0;
}

int
main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (strcmp(verb, "make") == 0 && argc == 4)
		return make(argv[2], argv[3]);
	if (strcmp(verb, "bare") == 0 && argc == 3)
		return bare(argv[2]);
	if (strcmp(verb, "read") == 0 && argc == 3)
		return read_all(argv[2]);
	fputs("usage: contexts make FILE BYTES | bare FILE | read FILE\n", stderr);
	return 2;
}
