/* SPDX-License-Identifier: MIT */
/* json_out - see the header. */
#include "config.h"

#include <string.h>

#include "tilescope/app/json_out.h"
#include "tilescope/base/utf8.h"
#include "tilescope/io/files.h"

json_t *
ts_json_text(const char *s, bool empty_is_null)
{
	struct ts_strbuf mended;
	json_t *json;

	if (!s || (!*s && empty_is_null))
		return json_null();
	ts_strbuf_init(&mended, 1 << 20);
	ts_utf8_mend(&mended, s, strlen(s));
	json = json_stringn(mended.s, mended.len);
	ts_strbuf_fini(&mended);
	return json ? json : json_null();
}

json_t *
ts_json_number(int64_t v)
{
	return v < 0 ? json_null() : json_integer(v);
}

static int
append(const char *s, size_t n, void *ctx)
{
	ts_strbuf_add(ctx, s, n);
	return 0;
}

json_t *
ts_json_host(const struct ts_files *f)
{
	return f ? ts_json_text(f->host, true) : json_null();
}

bool
ts_json_print(struct ts_strbuf *out, const json_t *json)
{
	bool done = json && json_dump_callback(json, append, out, JSON_INDENT(2)) == 0;

	ts_strbuf_putc(out, '\n');
	return done && !out->cut;
}
