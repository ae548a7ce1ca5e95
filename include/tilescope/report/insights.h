/* SPDX-License-Identifier: MIT */
/*
 * insights - what the rules find in a report: findings, each with its evidence and its place.
 *
 * A measure is a figure that code works out; a rule (report/rules.h) says when it matters. The same findings
 * stand in the Insights view, in Summary and in `tilescope check`.
 */
#ifndef TS_REPORT_INSIGHTS_H
#define TS_REPORT_INSIGHTS_H

#include "tilescope/base/fmt.h"
#include "tilescope/report/execution_facts.h"
#include "tilescope/report/fullest.h"
#include "tilescope/report/index.h"
#include "tilescope/report/liveness.h"
#include "tilescope/report/peak_variables.h"
#include "tilescope/report/rules.h"
#include "tilescope/report/target.h"

enum { TS_EVIDENCE = 320, TS_PLACE = 80 };

/* Sections of the index that have them. */
#define TS_INSIGHT_SECTIONS                                                             \
	(ts_section_bit(TS_SECTION_CATEGORIES) | ts_section_bit(TS_SECTION_VARIABLES) | \
		ts_section_bit(TS_SECTION_LIVENESS))

enum { TS_FACT_TILES = 1, TS_FACT_CATEGORIES = 2, TS_FACT_LIVENESS = 4, TS_FACT_VARIABLES = 8 };

/* What measures are made of. What is not recorded, or cannot be read at all, is not there. */
struct ts_insight_facts {
	struct ts_target target;
	bool has_tiles, has_categories, has_liveness, has_peak;
	unsigned partial; /* TS_FACT_*: not all of it could be read */
	struct ts_tiles tiles;
	struct ts_categories categories;
	struct ts_liveness liveness;
	struct ts_peak_variables peak; /* at the highest liveness step */
	struct ts_fullest fullest;
	struct ts_notes notes; /* the report's, and what could not be read */
};

/*
 * Read them; with the index no large relation is gone through. What is damaged or absent adds a note and ends nothing.
 * Errors: TS_E_CANCELLED, TS_E_NOMEM. progress may be NULL. Free with ts_insight_facts_fini() in every case.
 */
enum ts_code ts_insight_facts_read(struct ts_insight_facts *x, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;
void ts_insight_facts_fini(struct ts_insight_facts *x);

/* Of what a saving is: bytes of the tile of the evidence, or of the device; cycles of the runs on its IPU. */
enum ts_saving { TS_SAVING_TILE, TS_SAVING_DEVICE, TS_SAVING_CYCLES };

struct ts_finding {
	const struct ts_rule *rule;
	enum ts_severity severity; /* NONE: looked at, nothing to say */
	bool known;		   /* false: this report does not record it, `evidence` says what */
	double value;		   /* of the measure; a share as a fraction */
	char evidence[TS_EVIDENCE]; /* one sentence with the figures; names in it are raw */
	char place[TS_PLACE];	    /* address of the view that shows it, as --at takes it; or "" */
	int64_t saving; /* what would be free, at most, if it were mended; or TS_UNKNOWN */
	enum ts_saving saving_of;
};

struct ts_insights {
	int count;
	struct ts_finding *finding; /* bad first, then warn, note, none, not known; by rule */
	int by_severity[TS_SEVERITY_BAD + 1]; /* known ones */
	int unknown;
};

/*
 * Every rule that is not off. `rules` must outlive the findings. What is found in the execution is not known yet:
 * ts_insights_add_execution(). Errors: TS_E_NOMEM. Free with ts_insights_fini() in every case.
 */
enum ts_code ts_insights_find(struct ts_insights *out, const struct ts_rules *rules,
	const struct ts_insight_facts *facts, enum ts_units units,
	struct ts_err *err) TS_WARN_UNUSED;

/* Judge the measures of the execution, again where need be; the findings are in order afterwards. */
void ts_insights_add_execution(struct ts_insights *in, const struct ts_execution_facts *execution);

/* How much of it is bytes, or cycles; TS_UNKNOWN: it is the other, or none. */
static inline int64_t
ts_finding_bytes(const struct ts_finding *f)
{
	return f->saving_of == TS_SAVING_CYCLES ? TS_UNKNOWN : f->saving;
}

static inline int64_t
ts_finding_cycles(const struct ts_finding *f)
{
	return f->saving_of == TS_SAVING_CYCLES ? f->saving : TS_UNKNOWN;
}

/* "tile", "device", "runs". */
const char *ts_saving_word(enum ts_saving of);

/* The same behind an amount: bytes "of that tile", "of the device"; "cycles". */
const char *ts_saving_of(enum ts_saving of);
void ts_insights_fini(struct ts_insights *out);

/*
 * How many findings from finding[at] on, one behind the other, are not known for the same reason: they are said
 * together. 1: that one alone.
 */
int ts_insights_together(const struct ts_insights *in, int at);

/* The worst severity that was found, as a word: "bad", "warn", "note", "ok"; "not known": of no rule. */
const char *ts_insights_verdict(const struct ts_insights *in);

/* A measure by its place, from 0; NULL behind the last. *what says what it is, in a few words. */
const char *ts_measure_name(int i, const char **what);

#endif
