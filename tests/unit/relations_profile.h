/* SPDX-License-Identifier: MIT */
/*
 * relations_profile - a profile of a test's own rows, which it writes into tables named as the relations.
 *
 * Any relations, with any of their columns, as include/tilescope/report/relation.h names them. What is not there is not in the
 * profile either: a table or column for which there is no relation or column is left out, and NULL stays NULL.
 *
 * What a profile cannot say comes out otherwise:
 * - IPUs have the same number of tiles each, runs follow one another, a step has no name: its program does (a step with a
 *   name but no named program gets one), and no data moved.
 * - A class is always live, or not: a variable that says otherwise than others of its class is in a class of its own.
 * - `variable` and `liveness_variable` are classes from 1,000,000 on, one for each variable.
 * - Categories have names; tiles and categories without bytes have no row.
 * With relations that no profile has (contexts, operations, ...) it is no profile, but all of them as they are.
 */
#ifndef TS_TESTS_UNIT_RELATIONS_PROFILE_H
#define TS_TESTS_UNIT_RELATIONS_PROFILE_H

/* Make the profile at `profile` of the tables in the database at `relations`; its writers have committed. */
void relations_profile(const char *relations, const char *profile);

/* A report with the tables exactly as they stand: for rows, keys and views that no table of a profile can have. */
void relations_as_they_are(const char *relations, const char *path);

/*
 * The other way round: a database at `relations` with a table for each relation that the profile has, as `tilescope query` reads
 * it, so that a test can ask SQLite what it should find.
 */
void profile_relations(const char *profile, const char *relations);

#endif
