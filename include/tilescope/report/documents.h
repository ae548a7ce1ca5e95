/* SPDX-License-Identifier: MIT */
/*
 * documents - framework.json and app.json: what a framework or an application wrote about itself beside a report.
 *
 * Both are read whole, by a worker, as compact trees (format/json_file.h: at most 36 MiB each, of a hostile file), and
 * do not change then: any thread may look at them and search. All nodes of both stand in one row, as a folded tree
 * of the screen has them; a document without nodes has a place of its own in it.
 */
#ifndef TS_REPORT_DOCUMENTS_H
#define TS_REPORT_DOCUMENTS_H

#include "tilescope/base/strbuf.h"
#include "tilescope/format/json_file.h"
#include "tilescope/report/report.h"

enum { TS_DOCUMENTS = 2 };

struct ts_document {
	const char *name;   /* "framework.json" */
	const char *writer; /* who writes it, for the sentence that says that it is not there */
	enum ts_code code;  /* of reading it; TS_E_ABSENT: it is not there */
	struct ts_err err;  /* what is wrong */
	struct ts_json_tree tree; /* of a damaged file: what stands before the damage */
};

struct ts_documents;

/* Errors: TS_E_NOMEM, TS_E_CANCELLED; what is wrong with one of them stands in it. */
enum ts_code ts_documents_read(struct ts_documents **d, const struct ts_report *r,
	struct ts_progress *progress, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/* Hold once more (returns d; NULL allowed), give back: the last holder frees. Any thread. */
struct ts_documents *ts_documents_hold(struct ts_documents *d);
void ts_documents_close(struct ts_documents *d);

/* Do they say the same, byte for byte? */
bool ts_documents_same(const struct ts_documents *a, const struct ts_documents *b);

/* Is any of them there, sound or not? */
bool ts_documents_any(const struct ts_documents *d);

/* Nodes of all. */
size_t ts_documents_count(const struct ts_documents *d);

/* The document of node *i, which becomes its number there. */
const struct ts_document *ts_documents_at(const struct ts_documents *d, size_t *i);

/* What node i is in, outermost first, " > " between: keys, and numbers as [N]; cut at `out`'s maximum. */
void ts_documents_path(struct ts_strbuf *out, const struct ts_documents *d, size_t i);

/* Nodes that hold a text, ascending. */
struct ts_document_hits {
	uint32_t *node;
	size_t count, room;
};

/*
 * All nodes whose key or value (as the file has them, decoded; the name of a document is the key of its first
 * node) holds `needle`, letters of ASCII in any case. Errors: TS_E_NOMEM, TS_E_CANCELLED. hits->node: free().
 */
enum ts_code ts_documents_search(struct ts_document_hits *hits, const struct ts_documents *d,
	const char *needle, const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

#endif
