/* SPDX-License-Identifier: MIT */
/*
 * inside_build - build the index of a report, for `make bench`.
 *
 *     inside_build REPORT CACHE SECTIONS THREADS
 *
 * SECTIONS: "core", what the program builds without being asked, or names with commas between them. What is
 * there already is not built again. Prints one line of JSON: for each stage the milliseconds of its parts
 * (all threads at once) and of its end (merge, write, sync), its rows and the sections that it made.
 */
#include "config.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "inside.h"

#include "tilescope/report/index_build.h"

struct part {
	struct ts_build *build;
	struct ts_reader *reader;
	int stage, number;
	enum ts_code code;
	struct ts_err err;
	pthread_t thread;
};

static uint64_t
sections_of(char *words)
{
	uint64_t bits = 0;
	char *word;

	while ((word = strtok_r(words, ",", &words)))
		for (int s = 0; s < TS_SECTION_COUNT; s++)
			if (strcmp(word, ts_section_name((enum ts_section)s)) == 0 ||
				(strcmp(word, "core") == 0 &&
					ts_section_is_core((enum ts_section)s)))
				bits |= ts_section_bit(s);
	return bits;
}

static void *
run_part(void *arg)
{
	struct part *p = arg;

	p->code = ts_build_part(p->build, p->stage, p->number, p->reader, NULL, &p->err);
	return NULL;
}

static void
run_parts(struct inside *in, struct ts_build *b, int stage)
{
	struct part part[TS_PASS_PARTS] = {0};
	int parts = ts_build_parts(b, stage);
	struct ts_err err;

	check(ts_build_begin(b, stage, &err), &err);
	for (int i = 0; i < parts; i++) {
		part[i] = (struct part){.build = b, .stage = stage, .number = i};
		check(ts_reader_open(&part[i].reader, in->report, &err), &err);
		ts_reader_set_index(part[i].reader, ts_build_index(b));
		if (i && pthread_create(&part[i].thread, NULL, run_part, &part[i]))
			exit(1);
	}
	run_part(&part[0]);
	for (int i = 0; i < parts; i++) {
		if (i)
			pthread_join(part[i].thread, NULL);
		check(part[i].code, &part[i].err);
		ts_reader_close(part[i].reader);
	}
}

/* One stage, and its line. */
static void
run_stage(struct inside *in, struct ts_build *b, int stage)
{
	unsigned before = ts_index_sections(in->index), made;
	const char *between = "";
	int64_t since = ts_clock_us();
	double parts_ms;
	struct ts_index *x;
	struct ts_err err;

	run_parts(in, b, stage);
	parts_ms = inside_ms(since);
	check(ts_build_finish(&x, b, stage, in->reader, NULL, &err), &err);
	made = ts_index_sections(x) & ~before;
	printf("%s{\"what\": \"%s\", \"rows\": %" PRId64
	       ", \"parts\": %d, \"parts_ms\": %.3f, \"ms\": %.3f, \"sections\": [",
		stage ? ", " : "", ts_build_what(b, stage), ts_build_rows(b, stage),
		ts_build_parts(b, stage), parts_ms, inside_ms(since));
	for (int s = 0; s < TS_SECTION_COUNT; s++) {
		if (!(made & ts_section_bit(s)))
			continue;
		printf("%s\"%s\"", between, ts_section_name((enum ts_section)s));
		between = ", ";
	}
	printf("]}");
	ts_index_release(in->index);
	in->index = x;
	ts_reader_set_index(in->reader, x);
}

int
main(int argc, char **argv)
{
	struct inside in = {.seed = 1};
	struct ts_build *b;
	struct ts_err err;
	int64_t since;
	uint64_t wanted;
	bool busy;

	if (argc != 5) {
		fputs("usage: inside_build REPORT CACHE SECTIONS THREADS\n", stderr);
		return 2;
	}
	wanted = sections_of(argv[3]);
	inside_open(&in, argv[1], argv[2]);
	since = ts_clock_us();
	check(ts_build_new(&b, &busy, in.report, &in.cache, in.index, wanted,
		      (int)strtol(argv[4], NULL, 10), &err),
		&err);
	if (busy) {
		fputs("inside_build: another program builds\n", stderr);
		return 1;
	}
	printf("{\"stages\": [");
	for (int i = 0; i < ts_build_stages(b); i++)
		run_stage(&in, b, i);
	printf("], \"bytes\": %" PRId64 ", \"ms\": %.3f}\n", ts_index_bytes(in.index),
		inside_ms(since));
	ts_build_free(b);
	inside_close(&in);
	return 0;
}
