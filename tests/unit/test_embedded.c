/* SPDX-License-Identifier: MIT */
/* The table of embedded files: complete, terminated, found by name. */
#include "config.h"

#include "tilescope/base/embedded.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

START_TEST(every_entry_is_found_under_its_name)
{
	for (const struct ts_embedded *e = ts_embedded; e->name; e++) {
		ck_assert_ptr_eq(ts_embedded_find(e->name), e);
		ck_assert_uint_eq(strlen(e->text), e->size);
		ck_assert_uint_gt(e->size, 0);
		ck_assert_int_eq(e->text[e->size - 1], '\n');
	}
}
END_TEST

START_TEST(an_unknown_name_is_not_found)
{
	ck_assert_ptr_null(ts_embedded_find("keymaps/nothing.keys"));
	ck_assert_ptr_null(ts_embedded_find(""));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("embedded");
	TCase *c = tcase_create("all");
	tcase_add_test(c, every_entry_is_found_under_its_name);
	tcase_add_test(c, an_unknown_name_is_not_found);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
