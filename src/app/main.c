/* SPDX-License-Identifier: MIT */
/* main - locale, words, verb. */
#include "config.h"

#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/app/output.h"
#include "tilescope/app/verbs.h"
#include "tilescope/base/mem.h"
#include "tilescope/format/elf_helper.h"
#include "tilescope/io/askpass.h"

/* The user's locale, else C.UTF-8, else C; figures are printed as in C. */
static void
choose_locale(void)
{
	if (!setlocale(LC_ALL, "") && !setlocale(LC_ALL, "C.UTF-8"))
		setlocale(LC_ALL, "C");
	setlocale(LC_NUMERIC, "C");
}

static enum ts_exit
show_help(const struct ts_args *args)
{
	struct ts_strbuf text;
	struct ts_err err = {0};
	enum ts_code code;

	ts_strbuf_init(&text, TS_OUTPUT_MAX);
	ts_args_help(&text, *args->verb->name ? args->verb : NULL);
	code = ts_output_write(NULL, &text, &err);
	ts_strbuf_fini(&text);
	return code ? TS_EXIT_UNREADABLE : TS_EXIT_OK;
}

int
main(int argc, char **argv)
{
	struct ts_args args;
	struct ts_err err = {0};

	if (argc == 2 && strcmp(argv[1], TS_ELF_HELPER_WORD) == 0)
		return ts_elf_helper();
	if (argc == 2 && getenv(TS_ASKPASS_PLACE))
		return ts_askpass(getenv(TS_ASKPASS_PLACE), argv[1]);
	choose_locale();
	ts_mem_give_back();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error like a full disk */
	if (ts_args_parse(&args, argc, argv, &err)) {
		ts_complain(NULL, &err);
		return TS_EXIT_USAGE;
	}
	if (ts_render_is_svg(&args) && strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		setlocale(LC_CTYPE, "C.UTF-8"); /* SVG is UTF-8 in any locale */
	if (args.help)
		return (int)show_help(&args);
	if (args.version)
		return (int)ts_verb_version(&args);
	return (int)args.verb->run(&args);
}
