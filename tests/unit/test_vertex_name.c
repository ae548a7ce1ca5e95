/* SPDX-License-Identifier: MIT */
/* Names of vertex types: those that were seen in public code, and any others. */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/vertex_name.h"

static const struct {
	const char *name, *said, *family;
} names[] = {
	{"__runCodelet_poplin__WorkerClass1xN___unsigned_short_1_16",
		"poplin::WorkerClass1xN<unsigned short, 1, 16>", "poplin::WorkerClass1xN"},
	{"poplin__ConvPartial1x4SLIC___half_half4", "poplin::ConvPartial1x4SLIC<half, half4>",
		"poplin::ConvPartial1x4SLIC"},
	{".text.__runCodelet_poplin__experimental__DotProduct", "poplin::experimental::DotProduct",
		"poplin::experimental::DotProduct"},
	{"popops__BroadcastScalar1DSupervisor___popops__expr__BinaryOpType__SUBTRACT_float",
		"popops::BroadcastScalar1DSupervisor<popops::expr::BinaryOpType::SUBTRACT, float>",
		"popops::BroadcastScalar1DSupervisor"},
	{"popops__BinaryOp1D___popops__expr__BinaryOpType__GREATER_THAN_EQUAL_half_true",
		"popops::BinaryOp1D<popops::expr::BinaryOpType::GREATER_THAN_EQUAL, half, true>",
		"popops::BinaryOp1D"},
	{"poplar_rt__LongCopy2", "poplar_rt::LongCopy2", "poplar_rt::LongCopy2"},
	{"popops__Fill___unsigned_int", "popops::Fill<unsigned int>", "popops::Fill"},
	{"MyVertex", "MyVertex", "MyVertex"},
	{"poplin::ConvPartial<float, 1>", "poplin::ConvPartial<float, 1>", "poplin::ConvPartial"},
	{"", "", ""},
	{"___", "___", "___"},
	{"_", "_", "_"},
	{"__runCodelet_", "__runCodelet_", "__runCodelet_"},
	{"a___", "a___", "a___"},
};

START_TEST(names_are_said)
{
	char out[200];
	size_t n = strlen(names[_i].name);

	ck_assert_uint_eq(ts_vertex_demangle(out, sizeof(out), names[_i].name, n), strlen(out));
	ck_assert_str_eq(out, names[_i].said);
	ts_vertex_family(out, sizeof(out), names[_i].name, n);
	ck_assert_str_eq(out, names[_i].family);
}
END_TEST

/* Of a tile's code: what is no vertex's stays as it is. */
START_TEST(functions_are_said)
{
	static const char *const functions[][2] = {
		{"poplin__ConvPartial1x4SLIC___half_float_4",
			"poplin::ConvPartial1x4SLIC<half, float, 4>"},
		{"__runCodelet_popops__Fill___unsigned_int", "popops::Fill<unsigned int>"},
		{"poplar_rt__LongCopy2", "poplar_rt::LongCopy2"},
		{"__internal_exchange", "__internal_exchange"},
		{"__control_program", "__control_program"},
		{"_ZN6popops4FillIjE7computeEv", "_ZN6popops4FillIjE7computeEv"},
		{"memcpy", "memcpy"},
		{"_", "_"},
		{"", ""},
	};
	char out[100], small[4];

	for (size_t i = 0; i < TS_COUNT(functions); i++) {
		size_t n = strlen(functions[i][0]);

		ck_assert_uint_eq(ts_function_demangle(out, sizeof(out), functions[i][0], n),
			strlen(functions[i][1]));
		ck_assert_str_eq(out, functions[i][1]);
		ck_assert_uint_lt(ts_function_demangle(small, sizeof(small), functions[i][0], n),
			sizeof(small));
	}
}
END_TEST

/* Any bytes, any room: never more than fits, and what is said begins with the family. */
START_TEST(any_bytes_are_safe)
{
	static const char letters[] = "__a_B9<:";
	unsigned seed = 1;

	for (int i = 0; i < 20000; i++) {
		char name[24], out[64], family[64];
		size_t n, size, len;

		seed = seed * 1103515245u + 12345u;
		n = seed >> 16 & 15;
		for (size_t k = 0; k < n; k++) {
			seed = seed * 1103515245u + 12345u;
			name[k] = letters[seed >> 16 & 7];
		}
		size = (seed >> 24 & 31) + 1;
		len = ts_vertex_demangle(out, size, name, n);
		ck_assert_uint_lt(len, size);
		ck_assert_uint_eq(strlen(out), len);
		ts_vertex_demangle(out, sizeof(out), name, n);
		len = ts_vertex_family(family, sizeof(family), name, n);
		ck_assert(strncmp(out, family, len) == 0);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("vertex name");
	TCase *c = tcase_create("vertex name");
	SRunner *r;
	int failed;

	tcase_add_loop_test(c, names_are_said, 0, (int)TS_COUNT(names));
	tcase_add_test(c, functions_are_said);
	tcase_add_test(c, any_bytes_are_safe);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
