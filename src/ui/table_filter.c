/* SPDX-License-Identifier: MIT */
/* table_filter - see the header. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "table_filter.h"

#include "tilescope/base/mem.h"

enum { LOOK = 256 /* rows, for what kind a column is of */ };

static bool
value_of(const struct ts_table *t, int64_t row, int column, struct ts_table_value *v)
{
	v->type = TS_VALUE_NONE;
	return t->value && t->value(t->ctx, row, column, v) && v->type != TS_VALUE_NONE;
}

/* --- fields ------------------------------------------------------------------------------------- */

static enum ts_filter_type
type_of(const struct ts_table *t, int column, int64_t rows)
{
	const char *unit = t->facts && t->facts[column].unit ? t->facts[column].unit : "";
	enum ts_table_value_type type = TS_VALUE_NONE;
	struct ts_table_value v;

	for (int64_t i = 0; i < rows && i < LOOK && type == TS_VALUE_NONE; i++)
		if (value_of(t, i, column, &v))
			type = v.type;
	if (type == TS_VALUE_NONE && (t->column[column].field & TS_FIELD_RIGHT))
		type = TS_VALUE_INTEGER; /* figures stand on the right */
	if (type == TS_VALUE_REAL)
		return strcmp(unit, "%") == 0 ? TS_FILTER_PERCENT : TS_FILTER_REAL;
	if (type == TS_VALUE_INTEGER)
		return strcmp(unit, "bytes") == 0 ? TS_FILTER_BYTES : TS_FILTER_NUMBER;
	return TS_FILTER_NAME;
}

static const char *
example_of(enum ts_filter_type type)
{
	return type == TS_FILTER_PERCENT  ? "NAME>50%"
		: type == TS_FILTER_BYTES ? "NAME>64KiB"
		: type == TS_FILTER_NAME  ? "NAME:text, NAME~REGEX"
					  : "NAME>10, NAME:1,4-9";
}

/* As it can be typed: small letters, digits, _. */
static void
plain_name(char out[TABLE_FILTER_NAME], const char *name)
{
	size_t n = 0;

	for (; *name && n + 1 < TABLE_FILTER_NAME; name++) {
		char c = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;

		out[n++] = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_';
	}
	out[n] = '\0';
}

/* Other words for what columns are called, in all tables alike. */
static const struct {
	const char *name, *also;
} synonyms[] = {{"bytes", "size"}, {"variable", "name"}, {"operation", "name"}};

const char *
table_filter_also(const struct ts_table *t, int column)
{
	const char *also = NULL;

	for (size_t i = 0; i < TS_COUNT(synonyms); i++)
		if (strcmp(ts_table_column_name(t, column), synonyms[i].name) == 0)
			also = synonyms[i].also;
	for (int i = 0; also && i < t->columns && i < TS_TABLE_COLUMNS; i++)
		if (strcmp(ts_table_column_name(t, i), also) == 0)
			return NULL;
	return also;
}

static void
add_fields(struct table_filter *f, int64_t rows)
{
	int n = 1;

	f->field[0] = (struct ts_filter_field){"text", NULL, TS_FILTER_NAME, "text:word"};
	f->column[0] = -1;
	for (int i = 0; i < f->t->columns && i < TS_TABLE_COLUMNS; i++) {
		enum ts_filter_type type;

		if (!*ts_table_column_name(f->t, i))
			continue;
		type = type_of(f->t, i, rows);
		plain_name(f->name[n], ts_table_column_name(f->t, i));
		f->field[n] = (struct ts_filter_field){f->name[n], table_filter_also(f->t, i), type,
			example_of(type)};
		f->column[n++] = i;
	}
	f->field[n] = (struct ts_filter_field){0};
}

/* Can one of the words be a whole number? Else no number need be written out, which takes longer than all the rest. */
static bool
can_be_number(const struct ts_filter *f, const struct ts_filter_node *n)
{
	const char *word = f->text + n->a;

	for (int i = 0; i < n->b; i++, word += strlen(word) + 1)
		if (word[strspn(word, "-0123456789")] == '\0')
			return true;
	return false;
}

/* Does a column that any text is looked for in need to be asked? What has a unit has no words. */
static bool
is_worth_asking(const struct table_filter *f, int column, bool numbers)
{
	const struct ts_column_facts *facts = f->t->facts;

	return *ts_table_column_name(f->t, column) != '\0' &&
		(numbers || !facts || !facts[column].unit);
}

static bool
asks_text(const struct ts_filter_node *n)
{
	return n->op == TS_FILTER_HAS || n->op == TS_FILTER_IS || n->op == TS_FILTER_MATCHES;
}

static void
find_asked(struct table_filter *f)
{
	_Static_assert(TS_TABLE_COLUMNS <= 32, "a bit for each column");

	for (int k = 0; k < f->filter.count; k++) {
		const struct ts_filter_node *n = &f->filter.node[k];
		int only = asks_text(n) ? f->column[n->field] : -1;
		bool numbers = asks_text(n) && n->op != TS_FILTER_MATCHES &&
			can_be_number(&f->filter, n);

		if (asks_text(n))
			f->numbers[n->text] = numbers;
		for (int i = 0; asks_text(n) && i < f->t->columns && i < TS_TABLE_COLUMNS; i++)
			if (only < 0 ? is_worth_asking(f, i, numbers) : i == only)
				f->asked[n->text] |= UINT32_C(1) << i;
	}
}

enum ts_code
table_filter_init(struct table_filter *f, const struct ts_table *t, int64_t rows, const char *line,
	struct ts_err *err)
{
	enum ts_code code;

	*f = (struct table_filter){.t = t};
	add_fields(f, rows);
	code = ts_filter_parse(&f->filter, line, f->field, NULL, err);
	if (!code)
		find_asked(f);
	return code ? code : ts_filter_use_init(&f->use, &f->filter, err);
}

void
table_filter_fini(struct table_filter *f)
{
	ts_filter_use_fini(&f->use);
}

/* --- rows --------------------------------------------------------------------------------------- */

static bool
number(void *ctx, int field, int64_t *out)
{
	const struct table_filter *f = ctx;
	enum ts_filter_type type = f->field[field].type;
	bool fine = type == TS_FILTER_PERCENT || type == TS_FILTER_REAL;
	struct ts_table_value v;

	if (!value_of(f->t, f->row, f->column[field], &v) || v.type == TS_VALUE_TEXT)
		return false;
	if (v.type == TS_VALUE_REAL && !(v.real > -1e15 && v.real < 1e15))
		return false;
	if (fine)
		*out = v.type == TS_VALUE_REAL ? (int64_t)(v.real * 1000)
					       : ts_min_i64(v.integer, INT64_MAX / 1000) * 1000;
	else
		*out = v.type == TS_VALUE_REAL ? (int64_t)v.real : v.integer;
	return true;
}

/* A number is one as a whole: tile 12 is not tile 312. */
static enum ts_truth
ask_value(const struct table_filter *f, const struct ts_filter_node *n,
	const struct ts_table_value *v)
{
	struct ts_filter_node whole = *n;
	char text[24];

	if (v->type == TS_VALUE_TEXT)
		return ts_filter_text(&f->use, n, v->s, v->n);
	if (v->type != TS_VALUE_INTEGER || !f->numbers[n->text])
		return TS_NO;
	whole.op = TS_FILTER_IS;
	return ts_filter_text(&f->use, &whole, text,
		(size_t)snprintf(text, sizeof(text), "%lld", (long long)v->integer));
}

static enum ts_truth
text(void *ctx, const struct ts_filter_node *n)
{
	const struct table_filter *f = ctx;
	enum ts_truth truth = f->column[n->field] < 0 ? TS_NO : TS_UNSURE;
	struct ts_table_value v;

	for (uint32_t left = f->asked[n->text]; left && truth != TS_YES; left &= left - 1)
		if (value_of(f->t, f->row, __builtin_ctz(left), &v))
			truth = ask_value(f, n, &v);
	return truth;
}

bool
table_filter_passes(struct table_filter *f, int64_t row)
{
	const struct ts_filter_row asked = {.ctx = f, .number = number, .text = text};

	f->row = row;
	return ts_filter_ask(&f->filter, &asked) == TS_YES;
}
