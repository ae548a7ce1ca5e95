/* SPDX-License-Identifier: MIT */
/* network - see the header. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "tilescope/base/mem.h"
#include "tilescope/io/network.h"

static const struct {
	uint32_t type; /* statfs(2) */
	const char *name;
} remote[] = {
	{0x6969, "NFS"},
	{0x517b, "SMB"},
	{0xff534d42, "CIFS"},
	{0xfe534d42, "SMB"},
	{0x5346414f, "AFS"},
	{0x6b414653, "AFS"},
	{0x73757245, "Coda"},
	{0x01021997, "9P"},
};

static const char *const remote_fuse[] = {"fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.gcsfuse",
	"fuse.davfs", "fuse.curlftpfs"};

enum { FUSE = 0x65735546 };

/* The kind of a FUSE file system stands in mountinfo only: "36 35 98:0 / /mnt rw - fuse.sshfs ...". */
static const char *
fuse_kind(dev_t device)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, number[40];
	size_t cap = 0;
	const char *kind = NULL;

	snprintf(number, sizeof(number), " %u:%u ", major(device), minor(device));
	while (f && !kind && getline(&line, &cap, f) > 0) {
		const char *end = strstr(line, number) ? strstr(line, " - ") : NULL;

		for (size_t i = 0; end && i < TS_COUNT(remote_fuse); i++)
			if (strncmp(end + 3, remote_fuse[i], strlen(remote_fuse[i])) == 0)
				kind = remote_fuse[i];
	}
	free(line);
	if (f)
		fclose(f);
	return kind;
}

const char *
ts_network_file_system(int fd)
{
	struct statfs fs;
	struct stat st;

	if (fstatfs(fd, &fs) < 0)
		return NULL;
	for (size_t i = 0; i < TS_COUNT(remote); i++)
		if ((uint32_t)fs.f_type == remote[i].type)
			return remote[i].name;
	return (uint32_t)fs.f_type == FUSE && fstat(fd, &st) == 0 ? fuse_kind(st.st_dev) : NULL;
}
