/* SPDX-License-Identifier: MIT */
/*
 * vertex_name - what names of vertex types mean.
 *
 * Poplar writes a vertex class as `popops__BroadcastScalar1D___popops__expr__BinaryOpType__SUBTRACT_float`: two
 * underscores for `::`, three in front of the template's arguments, one between these; the symbol of its code has
 * `__runCodelet_` in front. That much is seen in public code (names that PopLibs' vertices call each other by,
 * simulator traces that its tools read, engine options of third parties). Not verified: how a `::` inside a nested
 * template, a negative number or a user's identifier with two underscores is written. One underscore may also be part of an
 * identifier: types of two words (unsigned_short) and enumerators in capitals (GREATER_THAN) are kept together, nothing
 * else is; what cannot be told apart shows one argument too many, never fewer letters.
 *
 * Names that are readable already (with `::`, `<` or a blank) stay as they are. Pure; any bytes are safe.
 */
#ifndef TS_BASE_VERTEX_NAME_H
#define TS_BASE_VERTEX_NAME_H

#include <stddef.h>

/*
 * "popops::BroadcastScalar1D<popops::expr::BinaryOpType::SUBTRACT, float>" of a name of n bytes, cut to `size` with
 * its NUL. Returns the bytes that are in `out`.
 */
size_t ts_vertex_demangle(char *out, size_t size, const char *name, size_t n);

/* The family, which is the template's name without arguments: "popops::BroadcastScalar1D". */
size_t ts_vertex_family(char *out, size_t size, const char *name, size_t n);

/*
 * The name of a function in a tile's code: a vertex's as above; a symbol that begins with an underscore and is no
 * vertex's (`__control_program`, a C++ name as `_ZN...`) stays as it is.
 */
size_t ts_function_demangle(char *out, size_t size, const char *name, size_t n);

#endif
