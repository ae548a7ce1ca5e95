/* SPDX-License-Identifier: MIT */
/* gather - see the header. */
#include "config.h"

#include "tilescope/app/gather.h"

enum ts_code
ts_gather_begin(struct ts_gather *g, const struct ts_args *args, int columns,
	const char *const *names, struct ts_err *err)
{
	bool as_rows = args->format == TS_FORMAT_CSV || args->format == TS_FORMAT_MD;
	enum ts_code code;

	*g = (struct ts_gather){.args = args};
	ts_strbuf_init(&g->text, TS_OUTPUT_MAX);
	code = ts_output_open(&g->out, args->output, err);
	if (code)
		return code;
	g->json = json_array();
	if (as_rows)
		g->rows = ts_rows_out_new(&g->out, args->format, columns, names);
	if (g->json && (g->rows || !as_rows))
		return TS_OK;
	code = ts_gather_end(g, false, err);
	return code ? code : ts_err_nomem(err);
}

enum ts_code
ts_gather_end(struct ts_gather *g, bool keep, struct ts_err *err)
{
	const json_t *one = json_array_get(g->json, 0);
	bool alone = g->args->path_count == 1;
	enum ts_code code = ts_rows_out_end(g->rows, err), closed;

	if (keep && g->args->format == TS_FORMAT_JSON && (one || !alone) &&
		!ts_json_print(&g->text, alone ? one : g->json))
		code = ts_err_nomem(err);
	if (keep && g->text.len > 0)
		ts_output_add(&g->out, g->text.s, g->text.len);
	closed = ts_output_close(&g->out, keep && !code, code ? NULL : err);
	json_decref(g->json);
	ts_strbuf_fini(&g->text);
	return code ? code : closed;
}
