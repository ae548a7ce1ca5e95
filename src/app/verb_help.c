/* SPDX-License-Identifier: MIT */
/* verb_help - `tilescope help`, `tilescope version`. */
#include "config.h"

#include <string.h>

#include "tilescope/app/output.h"
#include "tilescope/app/verbs.h"
#include "tilescope/view/help.h"

static enum ts_exit
print(const struct ts_strbuf *text)
{
	struct ts_err err = {0};
	enum ts_code code = ts_output_write(NULL, text, &err);

	if (code)
		ts_complain(NULL, &err);
	return code ? TS_EXIT_UNREADABLE : TS_EXIT_OK;
}

enum ts_exit
ts_verb_help(const struct ts_args *args)
{
	const char *topic = args->path_count ? args->paths[0] : NULL;
	const struct ts_verb *verb = topic ? ts_verb_find(topic) : NULL;
	struct ts_strbuf text;
	enum ts_exit status;

	ts_strbuf_init(&text, TS_OUTPUT_MAX);
	if (topic && ts_help_topic_find(topic)) {
		ts_help_topic_text(&text, ts_help_topic_find(topic));
	} else if (topic && !verb) {
		struct ts_err err = {0};

		ts_err_set(&err, TS_E_USAGE, "no help on it (see tilescope help)");
		ts_complain(topic, &err);
		return TS_EXIT_USAGE;
	} else {
		ts_args_help(&text, verb);
		if (verb && verb->run == ts_verb_check)
			ts_check_help(&text);
	}
	status = print(&text);
	ts_strbuf_fini(&text);
	return status;
}

enum ts_exit
ts_verb_version(const struct ts_args *args)
{
	struct ts_strbuf text;
	enum ts_exit status;

	(void)args;
	ts_strbuf_init(&text, TS_OUTPUT_MAX);
	ts_strbuf_puts(&text, "tilescope " PACKAGE_VERSION "\n");
	status = print(&text);
	ts_strbuf_fini(&text);
	return status;
}
