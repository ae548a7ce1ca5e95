/* SPDX-License-Identifier: MIT */
/* verbs - what the program can be asked to do, one function each (table in args.c). */
#ifndef TS_APP_VERBS_H
#define TS_APP_VERBS_H

#include "tilescope/app/args.h"

enum ts_exit ts_verb_summary(const struct ts_args *args);
enum ts_exit ts_verb_schema(const struct ts_args *args);
enum ts_exit ts_verb_check(const struct ts_args *args);
enum ts_exit ts_check_findings(const struct ts_args *args); /* check without --files */
void ts_check_help(struct ts_strbuf *out);		    /* its rules and measures */
enum ts_exit ts_verb_query(const struct ts_args *args);
enum ts_exit ts_verb_export(const struct ts_args *args);
enum ts_exit ts_verb_demo(const struct ts_args *args);
enum ts_exit ts_verb_cache(const struct ts_args *args);
enum ts_exit ts_verb_help(const struct ts_args *args);
enum ts_exit ts_verb_render(const struct ts_args *args);
bool ts_render_is_svg(const struct ts_args *args); /* is it that, and writes SVG? */
enum ts_exit ts_verb_version(const struct ts_args *args);
enum ts_exit ts_verb_app(const struct ts_args *args);

#endif
