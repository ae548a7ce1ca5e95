/* SPDX-License-Identifier: MIT */
/* honesty - the marks of figures of the execution; see the header. */
#include "config.h"

#include <string.h>

#include "tilescope/report/honesty.h"

static const struct {
	const char *word, *note, *sentence;
	char sign;
} marks[TS_MARK_COUNT] = {
	[TS_MARK_UNKNOWN] = {"measured?", "measured or estimated: not recorded",
		"whether this was measured or estimated is not recorded in the report", '?'},
	[TS_MARK_MEASURED] = {"measured", "measured", "measured on the machine", '='},
	[TS_MARK_REPEATED] = {"repeated", "measured once, repeated",
		"measured once, at the last execution of the compute set, and put in for every one",
		'"'},
	[TS_MARK_ESTIMATED] = {"estimated", "estimated",
		"the compiler's estimate: instrumentation was off, nothing was measured", '~'},
	[TS_MARK_PARTLY] = {"partly estimated", "partly estimated",
		"measured where that was recorded, else estimated", '%'},
	[TS_MARK_ARTEFACT] = {"artefact", "inflated by the profiler's own work",
		"inflated by the profiler: the wait for the host holds its work between runs", '!'},
	[TS_MARK_REPLICA] = {"replica", "of one replica",
		"one replica was recorded: the others are taken to be like it", '*'},
};

const char *
ts_mark_word(enum ts_mark m)
{
	return marks[m].word;
}

const char *
ts_mark_note(enum ts_mark m)
{
	return marks[m].note;
}

char
ts_mark_sign(enum ts_mark m)
{
	return marks[m].sign;
}

const char *
ts_mark_sentence(enum ts_mark m)
{
	return marks[m].sentence;
}

static bool
is_measured(enum ts_mark m)
{
	return m == TS_MARK_MEASURED || m == TS_MARK_REPEATED;
}

enum ts_mark
ts_mark_join(enum ts_mark a, enum ts_mark b)
{
	if (a == b)
		return a;
	if (a == TS_MARK_ARTEFACT || b == TS_MARK_ARTEFACT)
		return TS_MARK_ARTEFACT;
	if (a == TS_MARK_UNKNOWN || b == TS_MARK_UNKNOWN)
		return TS_MARK_UNKNOWN;
	if (a == TS_MARK_REPLICA || b == TS_MARK_REPLICA)
		return TS_MARK_REPLICA;
	return is_measured(a) && is_measured(b) ? TS_MARK_REPEATED : TS_MARK_PARTLY;
}

void
ts_honesty_of(struct ts_honesty *h, const struct ts_about *about, int64_t replicas,
	int64_t artefact)
{
	const char *level = about->compute_instrumentation;

	*h = (struct ts_honesty){.compute = about->measured,
		.exchange = about->measured,
		.replicas = replicas > 0 ? replicas : 1,
		.artefact = artefact};
	if (strcmp(about->exchange_instrumentation, "off") == 0)
		h->exchange = 0;
	h->one_tile = strcmp(level, "ipu") == 0 || strcmp(level, "device") == 0;
}

enum ts_mark
ts_honesty_step(const struct ts_honesty *h, int64_t step, enum ts_step_class k)
{
	bool exchange = k == TS_CLASS_EXCHANGE || k == TS_CLASS_GLOBAL_EXCHANGE;
	int measured = exchange ? h->exchange : h->compute;

	if (step != TS_UNKNOWN && step == h->artefact)
		return TS_MARK_ARTEFACT;
	if (measured == 0)
		return TS_MARK_ESTIMATED;
	if (measured < 0)
		return TS_MARK_UNKNOWN;
	return k == TS_CLASS_COMPUTE ? TS_MARK_REPEATED : TS_MARK_MEASURED;
}
