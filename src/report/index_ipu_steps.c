/* SPDX-License-Identifier: MIT */
/*
 * index_ipu_steps - a head, the arrays of each IPU's timeline, and a line for each that says where they stand.
 *
 * One part reads all rows: a timeline goes by the rows before it. Left to the rows where it would be large, and where an
 * IPU has a number that we do not expect.
 */
#include "config.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/index_build.h"
#include "tilescope/report/index_ipu_steps.h"

#include "index_by_ipu.h"
#include "liveness_internal.h"

enum { POINT = 24 /* bytes of one, about */ };

struct entry {
	int64_t ipu;
	struct liveness_head line;
};

struct part {
	struct ts_liveness line[BY_IPU_MOST];
	bool fits;
};

/* --- writing ---------------------------------------------------------------------------------- */

static bool
can(const struct ts_report *r)
{
	return ts_report_has(r, TS_LIVENESS_STEP_IPU);
}

static enum ts_code
read_part(struct ts_pass_part *p, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct part *part = p->state;
	struct ipu_lines lines = {.line = part->line,
		.count = BY_IPU_MOST,
		.most = by_ipu_bytes(p->run->report) / POINT};
	struct ts_liveness all;
	enum ts_code code;

	if (p->number > 0)
		return TS_OK;
	for (int i = 0; i < BY_IPU_MOST; i++)
		liveness_begin(&part->line[i]);
	code = ts_liveness_read(&all, rd, NULL, err);
	if (!code || code == TS_E_ABSENT)
		code = ipu_lines_read(&lines, &all, rd, progress, err);
	ts_liveness_fini(&all);
	part->fits = !code && !lines.others;
	return code == TS_E_LIMIT ? TS_OK : code;
}

static enum ts_code
write_lines(struct ts_section_writer *w, const struct part *part, struct ts_err *err)
{
	struct by_ipu_head h = {0};
	struct entry entry[BY_IPU_MOST];
	enum ts_code code = ts_section_append(w, NULL, &h, sizeof(h), err);

	for (int i = 0; !code && i < BY_IPU_MOST; i++) {
		const struct ts_liveness *l = &part->line[i];

		if (l->count == 0 && l->bad_rows == 0)
			continue;
		entry[h.ipus].ipu = i;
		code = liveness_put(w, &entry[h.ipus++].line, l, err);
	}
	if (!code)
		code = ts_section_append(w, &h.ipu_at, entry, h.ipus * sizeof(entry[0]), err);
	return code ? code : ts_section_put(w, 0, &h, sizeof(h), err);
}

static enum ts_code
finish(struct ts_pass_run *run, struct ts_pass_part *parts, int count, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	const struct part *part = parts[0].state;
	const struct by_ipu_head left = {.flags = BY_IPU_LEFT_TO_THE_ROWS};
	size_t bytes = 0;

	(void)count;
	(void)rd;
	(void)progress;
	for (int i = 0; part->fits && i < BY_IPU_MOST; i++)
		bytes += liveness_bytes(&part->line[i]);
	if (part->fits && bytes <= by_ipu_bytes(run->report))
		return write_lines(run->writer[0], part, err);
	return ts_section_append(run->writer[0], NULL, &left, sizeof(left), err);
}

static void
part_fini(struct ts_pass_part *p)
{
	struct part *part = p->state;

	for (int i = 0; i < BY_IPU_MOST; i++)
		ts_liveness_fini(&part->line[i]);
}

const struct ts_pass ts_pass_ipu_steps = {
	.what = "liveness steps of IPUs",
	.relation = TS_LIVENESS_STEP_IPU,
	.section = {TS_SECTION_IPU_STEPS, TS_SECTION_COUNT},
	.can = can,
	.part_size = sizeof(struct part),
	.part = read_part,
	.finish = finish,
	.part_fini = part_fini,
	.whole = true,
};

/* --- reading ---------------------------------------------------------------------------------- */

/* NULL: it is not there, or left to the rows. */
static const struct entry *
entries(size_t *count, const void **payload, size_t *size, const struct ts_index *x)
{
	return by_ipu_lines(count, payload, size, x, TS_SECTION_IPU_STEPS, sizeof(struct entry));
}

bool
ts_ipu_lines_quick(const struct ts_index *x)
{
	const void *payload;
	size_t n, size;

	return entries(&n, &payload, &size, x);
}

bool
ts_ipu_line_indexed(struct ts_liveness *l, struct ts_index *x, int64_t ipu)
{
	const void *payload;
	size_t n = 0, size;
	const struct entry *e = entries(&n, &payload, &size, x);

	if (!e)
		return false;
	for (size_t i = 0; i < n; i++)
		if (e[i].ipu == ipu)
			return liveness_map(l, x, payload, size, &e[i].line);
	l->peak.steps = 0;
	return !liveness_finish(l, NULL);
}
