/* SPDX-License-Identifier: MIT */
/*
 * index_internal - what the files of the index share: folders, section files, the survey of the cache.
 *
 *   DIR/index/                  our own, mode 0700
 *     <hash of the real path>/  a report
 *       lock                    held by who builds
 *       used                    its time says when the report was opened last
 *       steps.idx               a section: head, path of the report, payload
 *       steps.<random>.tmp      one that is being written
 */
#ifndef TS_REPORT_INDEX_INTERNAL_H
#define TS_REPORT_INDEX_INTERNAL_H

#include "tilescope/report/index.h"

enum { TS_FOLDER_NAME = 33, TS_FILE_NAME = 64, TS_WHY_MAX = 160 };

/* The beginning of a section's file. The path follows, with NULs up to head_bytes; then the payload. */
struct ts_section_head {
	char magic[8];
	uint32_t endian, layout;
	uint32_t section, version;
	uint32_t head_bytes, path_bytes;
	int64_t bytes, mtime; /* identity of the report */
	uint32_t mtime_ns, changes;
	uint64_t header;
	uint64_t payload_bytes, payload_hash;
	uint64_t head_hash; /* of the whole head, with 0 in this place */
};

struct ts_section_map {
	atomic_int uses;
	void *base;
	size_t size;
	const void *payload;
	size_t payload_size;
	atomic_bool sound; /* somebody has looked through it: see ts_index_is_sound() */
};

uint32_t ts_section_version(enum ts_section s);
void ts_section_file(char name[TS_FILE_NAME], enum ts_section s);

/* --- folders (index_cache.c) ------------------------------------------------------------------ */

/* Open DIR/index, or the report's folder in it; -1 and errno. `make`: when it is not there. */
int ts_cache_root(const struct ts_cache *c, bool make);
char *ts_cache_hosts(const struct ts_cache
		*c); /* DIR/hosts, its path; the caller's; NULL: no cache, no memory */
int ts_cache_folder(const struct ts_cache *c, const struct ts_report *r, bool make);

/* `why`: errno. Errors: TS_E_SYS, TS_E_NOMEM. */
enum ts_code ts_cache_cannot(const struct ts_cache *c, int why, const char *what,
	struct ts_err *err);
void ts_folder_name(char name[TS_FOLDER_NAME], const struct ts_report *r);
int ts_folder_open(int root, const char *name);

/* A regular file of our own, never through a link; -1 and errno (ELOOP, EPERM, ...). */
int ts_open_own(int folder, const char *name, int flags);

/* Note that the report is used now. */
void ts_folder_touch(int folder);

/* The lock of an open folder: its descriptor; -1: EWOULDBLOCK when somebody has it. */
int ts_folder_lock(int folder);

/* Is the file that a descriptor has still the one of that name? */
bool ts_still_there(int fd, int folder, const char *name);

/* Remove files of killed writers: who writes one has it locked (flock). */
void ts_folder_sweep(int folder);

/* Remove a folder that nobody builds in; false when it is still there. */
bool ts_folder_remove(int root, const char *name);

/* 16 hexadecimal digits that nobody else has. */
void ts_random_name(char out[17]);

/* --- section files (index_file.c) ------------------------------------------------------------- */

/* Room that the head of a report's sections takes; 0 when its path is not known or too long. */
size_t ts_section_head_size(const struct ts_report *r);

/* Put the head together in `head` (of that size, zeroed). */
void ts_section_head_make(unsigned char *head, const struct ts_report *r, enum ts_section s,
	uint64_t payload_bytes, uint64_t payload_hash);

/*
 * The head of an open section and the path in it (the caller's). *path NULL: it is not sound, `why` says
 * what is wrong. Errors: TS_E_NOMEM.
 */
enum ts_code ts_section_head_read(struct ts_section_head *h, char **path, int fd, enum ts_section s,
	char why[TS_WHY_MAX], struct ts_err *err) TS_WARN_UNUSED;
void ts_section_head_identity(struct ts_identity *id, const struct ts_section_head *h);

/* Hash n bytes at `offset`. *sound false: they could not be read. Errors: TS_E_NOMEM, TS_E_CANCELLED. */
enum ts_code ts_file_hash(uint64_t *hash, bool *sound, int fd, uint64_t offset, uint64_t n,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/*
 * Verify and map a section. *map NULL: it is not there (`why` empty), or is not to be trusted. Errors:
 * TS_E_NOMEM, TS_E_CANCELLED.
 */
enum ts_code ts_section_map_open(struct ts_section_map **map, int folder, enum ts_section s,
	const struct ts_report *r, const struct ts_cancel *cancel, char why[TS_WHY_MAX],
	struct ts_err *err) TS_WARN_UNUSED;
void ts_section_map_release(struct ts_section_map *map); /* NULL allowed */

/* --- the survey (index_evict.c) --------------------------------------------------------------- */

struct ts_folder {
	char name[TS_FOLDER_NAME];
	char *path; /* of the report, or NULL; and its identity: after ts_folder_report() */
	struct ts_identity identity;
	int64_t bytes, used_s, used_ns;
	int64_t section[TS_SECTION_COUNT]; /* bytes; -1 = not there */
	bool gone; /* the report is not there any more, or another one: after ts_folder_report() */
};

struct ts_survey {
	struct ts_folder *folder;
	size_t count, cap;
};

/* The folders and what lies in them: no file is opened. */
enum ts_code ts_survey_new(struct ts_survey *v, int root, struct ts_err *err) TS_WARN_UNUSED;
void ts_survey_fini(struct ts_survey *v);

/* Whose folder it is, and whether that report is still there. Opens both. Errors: TS_E_NOMEM. */
enum ts_code ts_folder_report(struct ts_folder *f, int root, struct ts_err *err) TS_WARN_UNUSED;

/* Used last first. */
void ts_survey_sort(struct ts_survey *v);

/* Remove what exceeds the cap, but never what this report needs, nor its section `fresh`. */
void ts_cache_evict(const struct ts_cache *c, const struct ts_report *r, enum ts_section fresh);

#endif
