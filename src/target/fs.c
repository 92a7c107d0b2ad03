/* SPDX-License-Identifier: MIT */
#include "target/fs.h"

#include "base/mem.h"

#include <stdio.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

/* Magic numbers of statfs(2). tmpfs accepts O_DIRECT since Linux 6.6, so errno tells nothing. */
static const struct {
	unsigned long magic;
	const char *name;
	bool is_memory;
} types[] = {
	{0x01021994, "tmpfs", true},	  {0x858458f6, "ramfs", true},
	{0x958458f6, "hugetlbfs", true},  {0xef53, "ext4", false},
	{0x58465342, "xfs", false},	  {0x9123683e, "btrfs", false},
	{0x6969, "nfs", false},		  {0x65735546, "fuse", false},
	{0x794c7630, "overlayfs", false}, {0x2fc12fc1, "zfs", false},
	{0xff534d42, "cifs", false},	  {0xfe534d42, "smb2", false},
	{0xf2f52010, "f2fs", false},	  {0xca451a4e, "bcachefs", false},
	{0x4d44, "msdos", false},	  {0x2011bab0, "exfat", false},
	{0x5346544e, "ntfs", false},	  {0x01161970, "gfs2", false},
	{0x7461636f, "ocfs2", false},	  {0x00c36400, "ceph", false},
	{0x01021997, "9p", false},
};

const char *fs_type(int fd, bool *is_memory)
{
	static _Thread_local char unknown[24];
	struct statfs st;

	*is_memory = false;
	if (fstatfs(fd, &st) < 0)
		return "unknown";
	for (size_t i = 0; i < NR(types); i++) {
		if (types[i].magic == (unsigned long)st.f_type) {
			*is_memory = types[i].is_memory;
			return types[i].name;
		}
	}
	(void)snprintf(unknown, sizeof(unknown), "0x%lx", (unsigned long)st.f_type);
	return unknown;
}

uint64_t fs_free_bytes(const char *path)
{
	struct statvfs st;

	if (statvfs(path, &st) < 0)
		return 0;
	return (uint64_t)st.f_bavail * st.f_frsize;
}
