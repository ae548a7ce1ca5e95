/* SPDX-License-Identifier: MIT */
/* describe - a binding in words, for `tilescope schema`, `query --relations` and the Tables view. */
#include "config.h"

#include "tilescope/report/binding.h"

static const char *
column_name(const struct ts_reach *r, int column)
{
	return column >= 0 ? r->rows->column[column].name : r->rows->rowid ? r->rows->rowid : "?";
}

void
ts_binding_describe(struct ts_strbuf *out, const struct ts_binding *b, int column)
{
	const struct ts_column_binding *cb = &b->column[column];

	switch (cb->op) {
	case TS_OP_COLUMN:
		if (b->object->sql) {
			ts_strbuf_puts(out, "by SQL");
			break;
		}
		ts_strbuf_puts(out, column_name(&b->reach, cb->a));
		break;
	case TS_OP_SUM:
	case TS_OP_DIFFERENCE:
		ts_strbuf_printf(out, "%s%c%s", column_name(&b->reach, cb->a),
			cb->op == TS_OP_SUM ? '+' : '-', column_name(&b->reach, cb->b));
		break;
	case TS_OP_PLACE:
		ts_strbuf_printf(out, "%s+%s", column_name(&b->reach, cb->a),
			column_name(&b->reach, cb->b));
		if (cb->d >= 0)
			ts_strbuf_printf(out, " (%s where %s is 0)", column_name(&b->reach, cb->d),
				column_name(&b->reach, cb->c));
		break;
	case TS_OP_CONSTANT:
		ts_strbuf_printf(out, "=%s", cb->text);
		break;
	case TS_OP_DICT:
		ts_strbuf_printf(out, "dict(%s,%s,%s,%s)", cb->dict.rows->name,
			column_name(&cb->dict, cb->dict.column),
			cb->dict.rows->column[cb->dict_text].name, column_name(&b->reach, cb->a));
		break;
	case TS_OP_NAME:
		ts_strbuf_printf(out, "%s, %s.%s of %s, %s", column_name(&b->reach, cb->b),
			cb->dict.rows->name, cb->dict.rows->column[cb->dict_text].name,
			column_name(&b->reach, cb->a), column_name(&b->reach, cb->c));
		break;
	case TS_OP_MOVED:
		ts_strbuf_printf(out, "%s by IPU of %s.%s of %s",
			cb->bit ? "bytes sent" : "bytes received", cb->dict.rows->name,
			cb->dict.rows->column[cb->dict_text].name, column_name(&b->reach, cb->a));
		break;
	case TS_OP_LOOKUP:
		ts_strbuf_printf(out, "%s.%s of %s", cb->dict.rows->name,
			cb->dict.rows->column[cb->dict_text].name, column_name(&b->reach, cb->a));
		break;
	case TS_OP_BIT:
		ts_strbuf_printf(out, "bit %d of %s", cb->bit, column_name(&b->reach, cb->a));
		break;
	case TS_OP_ORDER_IN:
		ts_strbuf_printf(out, "order-in(%s)", column_name(&b->reach, cb->a));
		break;
	case TS_OP_POSITION:
		ts_strbuf_puts(out, "position");
		break;
	default:
		break;
	}
	if (cb->guessed && cb->op == TS_OP_COLUMN)
		ts_strbuf_puts(out, " (found by its values)");
}
