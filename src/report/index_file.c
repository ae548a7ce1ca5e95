/* SPDX-License-Identifier: MIT */
/*
 * index_file - a section's file as it is read: nothing in it is believed before it is checked.
 *
 * The head has a checksum of its own, so that a list of the cache can be made from the heads alone; it
 * holds the checksum of the payload, which is looked at by reading through a small buffer: pages of a
 * mapping would stay resident and be counted as ours.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "tilescope/base/mem.h"

#include "index_internal.h"

enum { LAYOUT = 2, ENDIAN = 0x01020304, PATH_BYTES = 1 << 14, PIECE = 1 << 18 };

static const char magic[8] = {'T', 'S', 'i', 'n', 'd', 'e', 'x', '\n'};

_Static_assert(sizeof(struct ts_section_head) == 88, "no room between the members of a head");

static size_t
head_size(size_t path_bytes)
{
	return (sizeof(struct ts_section_head) + path_bytes + 63) / 64 * 64;
}

size_t
ts_section_head_size(const struct ts_report *r)
{
	size_t n = r->real ? strlen(r->real) : 0;

	return n > 0 && n < PATH_BYTES ? head_size(n) : 0;
}

void
ts_section_head_make(unsigned char *head, const struct ts_report *r, enum ts_section s,
	uint64_t payload_bytes, uint64_t payload_hash)
{
	size_t path_bytes = strlen(r->real), size = head_size(path_bytes);
	struct ts_section_head h = {.endian = ENDIAN,
		.layout = LAYOUT,
		.section = s,
		.version = ts_section_version(s),
		.head_bytes = (uint32_t)size,
		.path_bytes = (uint32_t)path_bytes,
		.bytes = r->identity.bytes,
		.mtime = r->identity.mtime,
		.mtime_ns = (uint32_t)r->identity.mtime_ns,
		.changes = r->identity.changes,
		.header = r->identity.header,
		.payload_bytes = payload_bytes,
		.payload_hash = payload_hash};

	memcpy(h.magic, magic, sizeof(magic));
	memcpy(head + sizeof(h), r->real, path_bytes);
	memcpy(head, &h, sizeof(h));
	h.head_hash = XXH3_64bits(head, size);
	memcpy(head, &h, sizeof(h));
}

/* All of n bytes, or not. */
static bool
read_whole(int fd, void *to, size_t n, uint64_t offset)
{
	for (size_t got = 0; got < n;) {
		ssize_t r = pread(fd, (char *)to + got, n - got, (off_t)(offset + got));

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return false;
		got += (size_t)r;
	}
	return true;
}

/* What is wrong with the fixed part, or NULL. */
static const char *
fault_of(const struct ts_section_head *h, int fd, enum ts_section s)
{
	struct stat st;

	if (memcmp(h->magic, magic, sizeof(magic)) != 0)
		return "not a section of an index";
	if (h->endian != ENDIAN)
		return "written on a machine of the other byte order";
	if (h->layout != LAYOUT || h->version != ts_section_version(s))
		return "of another version of tilescope";
	if (h->section != (uint32_t)s)
		return "another section's file";
	if (h->path_bytes == 0 || h->path_bytes >= PATH_BYTES ||
		h->head_bytes != head_size(h->path_bytes))
		return "its head is damaged";
	if (fstat(fd, &st) < 0 || (uint64_t)st.st_size < h->head_bytes ||
		(uint64_t)st.st_size - h->head_bytes != h->payload_bytes)
		return "it is not whole";
	return NULL;
}

enum ts_code
ts_section_head_read(struct ts_section_head *h, char **path, int fd, enum ts_section s,
	char why[TS_WHY_MAX], struct ts_err *err)
{
	const char *fault;
	unsigned char *all;
	uint64_t hash;

	*path = NULL;
	fault = read_whole(fd, h, sizeof(*h), 0) ? fault_of(h, fd, s) : "it is not whole";
	if (fault) {
		snprintf(why, TS_WHY_MAX, "%s", fault);
		return TS_OK;
	}
	all = ts_alloc(h->head_bytes, 1);
	if (!all)
		return ts_err_nomem(err);
	hash = h->head_hash;
	if (read_whole(fd, all, h->head_bytes, 0)) {
		memset(all + offsetof(struct ts_section_head, head_hash), 0, sizeof(hash));
		if (XXH3_64bits(all, h->head_bytes) == hash) {
			*path = ts_strndup((const char *)all + sizeof(*h), h->path_bytes);
			if (!*path) {
				free(all);
				return ts_err_nomem(err);
			}
		}
	}
	free(all);
	if (!*path)
		snprintf(why, TS_WHY_MAX, "its head is damaged");
	return TS_OK;
}

void
ts_section_head_identity(struct ts_identity *id, const struct ts_section_head *h)
{
	*id = (struct ts_identity){.bytes = h->bytes,
		.mtime = h->mtime,
		.mtime_ns = h->mtime_ns,
		.changes = h->changes,
		.header = h->header};
}

enum ts_code
ts_file_hash(uint64_t *hash, bool *sound, int fd, uint64_t offset, uint64_t n,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	XXH3_state_t *state = XXH3_createState();
	char *piece = ts_alloc(PIECE, 1);
	enum ts_code code = TS_OK;

	*sound = false;
	if (!state || !piece)
		code = ts_err_nomem(err);
	*sound = !code && XXH3_64bits_reset(state) == XXH_OK;
	while (!code && *sound && n > 0) {
		size_t now = n < PIECE ? (size_t)n : PIECE;

		if (ts_cancelled(cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		*sound = !code && read_whole(fd, piece, now, offset) &&
			XXH3_64bits_update(state, piece, now) == XXH_OK;
		offset += now;
		n -= now;
	}
	*hash = *sound ? XXH3_64bits_digest(state) : 0;
	XXH3_freeState(state);
	free(piece);
	return code;
}

static enum ts_code
map_file(struct ts_section_map **out, int fd, const struct ts_section_head *h, char why[TS_WHY_MAX],
	struct ts_err *err)
{
	struct ts_section_map *m = ts_alloc(1, sizeof(*m));

	if (!m)
		return ts_err_nomem(err);
	atomic_init(&m->uses, 1);
	m->size = h->head_bytes + (size_t)h->payload_bytes;
	m->base = mmap(NULL, m->size, PROT_READ, MAP_SHARED, fd, 0);
	if (m->base == MAP_FAILED) {
		free(m);
		snprintf(why, TS_WHY_MAX, "it cannot be mapped");
		return TS_OK;
	}
	m->payload = (const char *)m->base + h->head_bytes;
	m->payload_size = (size_t)h->payload_bytes;
	*out = m;
	return TS_OK;
}

static enum ts_code
check_and_map(struct ts_section_map **map, int fd, enum ts_section s, const struct ts_report *r,
	const struct ts_cancel *cancel, char why[TS_WHY_MAX], struct ts_err *err)
{
	struct ts_section_head h;
	struct ts_identity id;
	char *path;
	uint64_t hash;
	bool sound;
	enum ts_code code = ts_section_head_read(&h, &path, fd, s, why, err);

	if (code || !path)
		return code;
	ts_section_head_identity(&id, &h);
	if (!r->real || strcmp(path, r->real) != 0)
		snprintf(why, TS_WHY_MAX, "of another report");
	else if (!ts_identity_same(&id, &r->identity))
		snprintf(why, TS_WHY_MAX, "the report has changed");
	free(path);
	if (*why)
		return TS_OK;
	code = ts_file_hash(&hash, &sound, fd, h.head_bytes, h.payload_bytes, cancel, err);
	if (code)
		return code;
	if (!sound || hash != h.payload_hash) {
		snprintf(why, TS_WHY_MAX, "its checksum is wrong");
		return TS_OK;
	}
	return map_file(map, fd, &h, why, err);
}

enum ts_code
ts_section_map_open(struct ts_section_map **map, int folder, enum ts_section s,
	const struct ts_report *r, const struct ts_cancel *cancel, char why[TS_WHY_MAX],
	struct ts_err *err)
{
	char name[TS_FILE_NAME];
	enum ts_code code;
	int fd;

	*map = NULL;
	*why = '\0';
	ts_section_file(name, s);
	fd = ts_open_own(folder, name, 0);
	if (fd < 0) {
		if (errno == ELOOP || errno == EPERM)
			snprintf(why, TS_WHY_MAX, "not a plain file of our own");
		return TS_OK;
	}
	code = check_and_map(map, fd, s, r, cancel, why, err);
	close(fd);
	return code;
}

void
ts_section_map_release(struct ts_section_map *m)
{
	if (!m || atomic_fetch_sub(&m->uses, 1) > 1)
		return;
	munmap(m->base, m->size);
	free(m);
}
