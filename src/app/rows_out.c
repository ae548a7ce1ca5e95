/* SPDX-License-Identifier: MIT */
/* rows_out - see the header. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tilescope/app/rows_out.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/db/row_block.h"

enum {
	FLUSH_BYTES = 1 << 16, /* written at once */
	LINE_MAX_BYTES =
		1 << 27,      /* of one row: 2,000 columns of 16 MiB are more than anybody reads */
	HELD_BYTES = 1 << 18, /* of rows that the widths of text are measured on */
	HELD_ROWS = 1000,
	BLOB_SHOWN = 16, /* bytes of a blob in text */
	CELL_LEAST = 6,	 /* columns of a cell that is cut to the terminal */
	GAP = 2,
};

struct format {
	void (*begin)(struct ts_rows_out *ro);
	void (*row)(struct ts_rows_out *ro, const struct ts_sql_value *values);
	void (*end)(struct ts_rows_out *ro);
};

struct ts_rows_out {
	struct ts_output *out;
	const struct format *format;
	struct ts_strbuf buf;
	int columns;
	char **name;
	bool tty, gone, nomem;
	int64_t rows;
	/* text: cells of the first rows, NUL behind each, until the widths are known */
	struct ts_strbuf held;
	int held_rows;
	int *width;
	bool *numeric; /* nothing but numbers was seen */
	int terminal;  /* its columns; 0 = not cut */
};

static void
flush(struct ts_rows_out *ro)
{
	ro->nomem = ro->nomem || ro->buf.cut;
	ro->gone = !ts_output_add(ro->out, ro->buf.s, ro->buf.len) || ro->gone;
	ts_strbuf_reset(&ro->buf);
}

/* --- values ------------------------------------------------------------------------------------- */

static void
add_blob_start(struct ts_strbuf *b, const struct ts_sql_value *v)
{
	ts_strbuf_printf(b, "%zu bytes", v->n);
	if (v->n > 0) {
		ts_strbuf_puts(b, ": ");
		ts_sql_add_hex(b, v->bytes, v->n < BLOB_SHOWN ? v->n : BLOB_SHOWN);
		ts_strbuf_puts(b, v->n > BLOB_SHOWN ? "..." : "");
	}
}

/* Text for a file, or safe for the terminal that it goes to. */
static void
add_text(const struct ts_rows_out *ro, struct ts_strbuf *b, const struct ts_sql_value *v)
{
	if (ro->tty)
		ts_utf8_safe(b, v->bytes, v->n);
	else
		ts_utf8_mend(b, v->bytes, v->n);
}

/* --- CSV ---------------------------------------------------------------------------------------- */

static void
csv_field(struct ts_rows_out *ro, const char *s, size_t n)
{
	bool quote = n == 0 || memchr(s, ',', n) || memchr(s, '"', n) || memchr(s, '\n', n) ||
		memchr(s, '\r', n);

	if (!quote) {
		ts_strbuf_add(&ro->buf, s, n);
		return;
	}
	ts_strbuf_putc(&ro->buf, '"');
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '"')
			ts_strbuf_putc(&ro->buf, '"');
		ts_strbuf_putc(&ro->buf, s[i]);
	}
	ts_strbuf_putc(&ro->buf, '"');
}

static void
csv_text(struct ts_rows_out *ro, const struct ts_sql_value *v)
{
	ts_strbuf_reset(&ro->held);
	add_text(ro, &ro->held, v);
	ro->nomem = ro->nomem || ro->held.cut;
	csv_field(ro, ro->held.s, ro->held.len);
}

static void
csv_begin(struct ts_rows_out *ro)
{
	for (int i = 0; i < ro->columns; i++) {
		struct ts_sql_value v = {TS_SQL_TEXT, 0, 0, ro->name[i], strlen(ro->name[i])};

		ts_strbuf_puts(&ro->buf, i ? "," : "");
		csv_text(ro, &v);
	}
	ts_strbuf_puts(&ro->buf, "\r\n");
}

static void
csv_row(struct ts_rows_out *ro, const struct ts_sql_value *values)
{
	for (int i = 0; i < ro->columns; i++) {
		const struct ts_sql_value *v = &values[i];

		if (i > 0)
			ts_strbuf_putc(&ro->buf, ',');
		if (v->type == TS_SQL_INTEGER)
			ts_strbuf_printf(&ro->buf, "%" PRId64, v->integer);
		else if (v->type == TS_SQL_REAL)
			ts_sql_add_real(&ro->buf, v->real);
		else if (v->type == TS_SQL_TEXT)
			csv_text(ro, v);
		else if (v->type == TS_SQL_BLOB && v->n > 0)
			ts_sql_add_hex(&ro->buf, v->bytes, v->n);
		else if (v->type == TS_SQL_BLOB)
			ts_strbuf_puts(&ro->buf, "\"\"");
	}
	ts_strbuf_puts(&ro->buf, "\r\n");
}

static void
nothing(struct ts_rows_out *ro)
{
	(void)ro;
}

/* --- JSON --------------------------------------------------------------------------------------- */

static bool
json_escaped(char c)
{
	return c == '"' || c == '\\' || (unsigned char)c < 0x20 || c == 0x7f;
}

static void
json_escape(struct ts_strbuf *b, unsigned char c)
{
	if (c == '"' || c == '\\')
		ts_strbuf_printf(b, "\\%c", c);
	else
		ts_strbuf_printf(b, "\\u%04x", c);
}

static void
json_text(struct ts_rows_out *ro, const struct ts_sql_value *v)
{
	ts_strbuf_reset(&ro->held);
	add_text(ro, &ro->held, v);
	ro->nomem = ro->nomem || ro->held.cut;
	ts_strbuf_putc(&ro->buf, '"');
	for (size_t i = 0, run; i < ro->held.len; i += run) {
		for (run = 0; i + run < ro->held.len && !json_escaped(ro->held.s[i + run]);)
			run++;
		ts_strbuf_add(&ro->buf, ro->held.s + i, run);
		if (i + run == ro->held.len)
			break;
		json_escape(&ro->buf, (unsigned char)ro->held.s[i + run++]);
	}
	ts_strbuf_putc(&ro->buf, '"');
}

static void
json_value(struct ts_rows_out *ro, const struct ts_sql_value *v)
{
	if (v->type == TS_SQL_INTEGER) {
		ts_strbuf_printf(&ro->buf, "%" PRId64, v->integer);
	} else if (v->type == TS_SQL_REAL && isfinite(v->real)) {
		ts_sql_add_real(&ro->buf, v->real);
	} else if (v->type == TS_SQL_TEXT) {
		json_text(ro, v);
	} else if (v->type == TS_SQL_BLOB) {
		ts_strbuf_putc(&ro->buf, '"');
		ts_sql_add_hex(&ro->buf, v->bytes, v->n);
		ts_strbuf_putc(&ro->buf, '"');
	} else {
		ts_strbuf_puts(&ro->buf, "null");
	}
}

static void
json_begin(struct ts_rows_out *ro)
{
	ts_strbuf_putc(&ro->buf, '[');
}

static void
json_object(struct ts_rows_out *ro, const struct ts_sql_value *values)
{
	ts_strbuf_putc(&ro->buf, '{');
	for (int i = 0; i < ro->columns; i++) {
		struct ts_sql_value name = {TS_SQL_TEXT, 0, 0, ro->name[i], strlen(ro->name[i])};

		ts_strbuf_puts(&ro->buf, i ? ", " : "");
		json_text(ro, &name);
		ts_strbuf_puts(&ro->buf, ": ");
		json_value(ro, &values[i]);
	}
	ts_strbuf_putc(&ro->buf, '}');
}

static void
json_row(struct ts_rows_out *ro, const struct ts_sql_value *values)
{
	ts_strbuf_puts(&ro->buf, ro->rows ? ",\n" : "\n");
	json_object(ro, values);
}

/* An object a line. */
static void
jsonl_row(struct ts_rows_out *ro, const struct ts_sql_value *values)
{
	json_object(ro, values);
	ts_strbuf_putc(&ro->buf, '\n');
}

static void
json_end(struct ts_rows_out *ro)
{
	ts_strbuf_puts(&ro->buf, ro->rows ? "\n]\n" : "]\n");
}

/* --- text and Markdown ---------------------------------------------------------------------------- */

static void
cell_text(struct ts_strbuf *b, const struct ts_sql_value *v)
{
	if (v->type == TS_SQL_INTEGER)
		ts_strbuf_printf(b, "%" PRId64, v->integer);
	else if (v->type == TS_SQL_REAL)
		ts_sql_add_real(b, v->real);
	else if (v->type == TS_SQL_TEXT)
		ts_utf8_safe(b, v->bytes, v->n);
	else if (v->type == TS_SQL_BLOB)
		add_blob_start(b, v);
	else
		ts_strbuf_puts(b, "NULL");
}

void
ts_md_text(struct ts_strbuf *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (s[i] && strchr("|\\`*_<[&~$", s[i]))
			ts_strbuf_putc(out, '\\');
		ts_strbuf_putc(out, s[i]);
	}
}

static void
md_cell(struct ts_rows_out *ro, const struct ts_sql_value *v)
{
	ts_strbuf_reset(&ro->held);
	cell_text(&ro->held, v);
	ro->nomem = ro->nomem || ro->held.cut;
	ts_strbuf_putc(&ro->buf, ' ');
	if (v->type == TS_SQL_TEXT)
		ts_md_text(&ro->buf, ro->held.s, ro->held.len);
	else
		ts_strbuf_add(&ro->buf, ro->held.s, ro->held.len);
	ts_strbuf_puts(&ro->buf, " |");
}

static void
md_row(struct ts_rows_out *ro, const struct ts_sql_value *values)
{
	ts_strbuf_putc(&ro->buf, '|');
	for (int i = 0; i < ro->columns; i++)
		md_cell(ro, &values[i]);
	ts_strbuf_putc(&ro->buf, '\n');
}

static void
md_begin(struct ts_rows_out *ro)
{
	ts_strbuf_putc(&ro->buf, '|');
	for (int i = 0; i < ro->columns; i++) {
		struct ts_sql_value v = {TS_SQL_TEXT, 0, 0, ro->name[i], strlen(ro->name[i])};

		md_cell(ro, &v);
	}
	ts_strbuf_puts(&ro->buf, "\n|");
	for (int i = 0; i < ro->columns; i++)
		ts_strbuf_puts(&ro->buf, " --- |");
	ts_strbuf_putc(&ro->buf, '\n');
}

/* Take columns from the widest until the line fits the terminal. */
static void
narrow(struct ts_rows_out *ro)
{
	int total = GAP * (ro->columns - 1), widest;

	for (int i = 0; i < ro->columns; i++)
		total += ro->width[i];
	for (; ro->terminal > 0 && total > ro->terminal; total--) {
		widest = 0;
		for (int i = 1; i < ro->columns; i++)
			widest = ro->width[i] > ro->width[widest] ? i : widest;
		if (ro->width[widest] <= CELL_LEAST)
			return;
		ro->width[widest]--;
	}
}

static void
pad(struct ts_strbuf *b, int n)
{
	for (; n > 0; n--)
		ts_strbuf_putc(b, ' ');
}

static void
text_cell(struct ts_rows_out *ro, int i, const char *s, bool right)
{
	size_t n = strlen(s);
	int columns = ts_utf8_columns(s, n), width = ro->width[i];

	pad(&ro->buf, i ? GAP : 0);
	if (columns > width && ro->terminal > 0) {
		ts_utf8_pad(&ro->buf, s, n, width);
		return;
	}
	pad(&ro->buf, right ? width - columns : 0);
	ts_strbuf_add(&ro->buf, s, n);
	pad(&ro->buf, right || i + 1 == ro->columns ? 0 : width - columns);
}

/* A line stands in the buffer from `start` on: end it, and not behind the terminal's edge. */
static void
end_line(struct ts_rows_out *ro, size_t start)
{
	struct ts_strbuf whole;

	if (ro->terminal > 0 &&
		ts_utf8_columns(ro->buf.s + start, ro->buf.len - start) > ro->terminal) {
		ts_strbuf_init(&whole, LINE_MAX_BYTES);
		ts_strbuf_add(&whole, ro->buf.s + start, ro->buf.len - start);
		ro->buf.len = start;
		ts_utf8_pad(&ro->buf, whole.s, whole.len, ro->terminal);
		ts_strbuf_fini(&whole);
	}
	ts_strbuf_putc(&ro->buf, '\n');
}

static const char *
text_line(struct ts_rows_out *ro, const char *cells)
{
	size_t start = ro->buf.len;

	for (int i = 0; i < ro->columns; i++) {
		text_cell(ro, i, cells, ro->numeric[i]);
		cells += strlen(cells) + 1;
	}
	end_line(ro, start);
	return cells;
}

static void
text_head(struct ts_rows_out *ro)
{
	struct ts_strbuf name;
	size_t start = ro->buf.len;

	ts_strbuf_init(&name, 1 << 16);
	for (int i = 0; i < ro->columns; i++) {
		ts_strbuf_reset(&name);
		ts_utf8_safe(&name, ro->name[i], strlen(ro->name[i]));
		text_cell(ro, i, name.s, ro->numeric[i]);
	}
	ts_strbuf_fini(&name);
	end_line(ro, start);
	start = ro->buf.len;
	for (int i = 0; i < ro->columns; i++) {
		pad(&ro->buf, i ? GAP : 0);
		for (int k = 0; k < ro->width[i]; k++)
			ts_strbuf_putc(&ro->buf, '-');
	}
	end_line(ro, start);
}

/* The widths are settled: write what was held back. */
static void
text_settle(struct ts_rows_out *ro)
{
	const char *cells = ro->held.s;

	narrow(ro);
	text_head(ro);
	for (int r = 0; r < ro->held_rows; r++) {
		cells = text_line(ro, cells);
		if (ro->buf.len >= FLUSH_BYTES)
			flush(ro);
	}
	ro->held_rows = -1;
}

static void
text_begin(struct ts_rows_out *ro)
{
	for (int i = 0; i < ro->columns; i++) {
		ro->width[i] = ts_utf8_columns(ro->name[i], strlen(ro->name[i]));
		ro->numeric[i] = true;
	}
}

static void
text_row(struct ts_rows_out *ro, const struct ts_sql_value *values)
{
	size_t start;

	if (ro->held_rows < 0)
		ts_strbuf_reset(&ro->held);
	for (int i = 0; i < ro->columns; i++) {
		start = ro->held.len;
		cell_text(&ro->held, &values[i]);
		ro->nomem = ro->nomem || ro->held.cut;
		if (ro->held_rows >= 0) {
			int w = ts_utf8_columns(ro->held.s + start, ro->held.len - start);

			ro->width[i] = w > ro->width[i] ? w : ro->width[i];
			if (values[i].type == TS_SQL_TEXT || values[i].type == TS_SQL_BLOB)
				ro->numeric[i] = false;
		}
		ts_strbuf_putc(&ro->held, '\0');
	}
	if (ro->held.cut)
		return;
	if (ro->held_rows < 0)
		text_line(ro, ro->held.s);
	else if (++ro->held_rows == HELD_ROWS || ro->held.len >= HELD_BYTES)
		text_settle(ro);
}

static void
text_end(struct ts_rows_out *ro)
{
	if (ro->held_rows >= 0 && !ro->held.cut)
		text_settle(ro);
}

/* --- all ------------------------------------------------------------------------------------------ */

static const struct format formats[] = {
	[TS_FORMAT_TEXT] = {text_begin, text_row, text_end},
	[TS_FORMAT_JSON] = {json_begin, json_row, json_end},
	[TS_FORMAT_CSV] = {csv_begin, csv_row, nothing},
	[TS_FORMAT_MD] = {md_begin, md_row, nothing},
	[TS_FORMAT_JSONL] = {nothing, jsonl_row, nothing},
};

static bool
name_taken(const struct ts_rows_out *ro, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (strcmp(ro->name[i], name) == 0)
			return true;
	return false;
}

/* The name of column i; in JSON one that nobody has yet. */
static char *
name_of(const struct ts_rows_out *ro, int i, const char *name, bool unique)
{
	struct ts_strbuf b;

	ts_strbuf_init(&b, 1 << 20);
	ts_strbuf_puts(&b, name);
	for (int n = 2; unique && name_taken(ro, i, b.s); n++) {
		ts_strbuf_reset(&b);
		ts_strbuf_printf(&b, "%s_%d", name, n);
	}
	return ts_strbuf_take(&b);
}

static void
out_free(struct ts_rows_out *ro)
{
	for (int i = 0; ro->name && i < ro->columns; i++)
		free(ro->name[i]);
	free(ro->name);
	free(ro->width);
	free(ro->numeric);
	ts_strbuf_fini(&ro->buf);
	ts_strbuf_fini(&ro->held);
	free(ro);
}

static int
terminal_columns(int fd)
{
	struct winsize w;

	return ioctl(fd, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}

struct ts_rows_out *
ts_rows_out_new(struct ts_output *out, enum ts_format format, int columns, const char *const *names)
{
	struct ts_rows_out *ro = ts_alloc(1, sizeof(*ro));
	bool all = true;

	if (!ro)
		return NULL;
	ts_strbuf_init(&ro->buf, LINE_MAX_BYTES);
	ts_strbuf_init(&ro->held, LINE_MAX_BYTES);
	ro->out = out;
	ro->format = &formats[format];
	ro->columns = columns;
	ro->tty = isatty(out->fd);
	ro->terminal = ro->tty ? terminal_columns(out->fd) : 0;
	ro->name = ts_alloc((size_t)columns, sizeof(*ro->name));
	ro->width = ts_alloc((size_t)columns, sizeof(*ro->width));
	ro->numeric = ts_alloc((size_t)columns, sizeof(*ro->numeric));
	for (int i = 0; ro->name && i < columns; i++) {
		ro->name[i] = name_of(ro, i, names[i],
			format == TS_FORMAT_JSON || format == TS_FORMAT_JSONL);
		all = all && ro->name[i];
	}
	if (!ro->name || !ro->width || !ro->numeric || !all) {
		out_free(ro);
		return NULL;
	}
	ro->format->begin(ro);
	return ro;
}

bool
ts_rows_out_row(struct ts_rows_out *ro, const struct ts_sql_value *values)
{
	ro->format->row(ro, values);
	ro->rows++;
	if (ro->buf.len >= FLUSH_BYTES || ro->tty)
		flush(ro);
	return !ro->gone && !ro->nomem;
}

enum ts_code
ts_rows_out_end(struct ts_rows_out *ro, struct ts_err *err)
{
	bool nomem;

	if (!ro)
		return TS_OK;
	if (!ro->nomem)
		ro->format->end(ro);
	flush(ro);
	nomem = ro->nomem;
	out_free(ro);
	return nomem ? ts_err_set(err, TS_E_LIMIT, "a row is too long to be printed") : TS_OK;
}
