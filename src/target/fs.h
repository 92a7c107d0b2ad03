/* SPDX-License-Identifier: MIT */
#ifndef TARGET_FS_H
#define TARGET_FS_H

#include <stdbool.h>
#include <stdint.h>

/* The name of the file system that fd is on, "0x..." in a static buffer when it is unknown;
 * *is_memory when it keeps its files in memory, whatever it answers to O_DIRECT. */
const char *fs_type(int fd, bool *is_memory);

/* Bytes that an unprivileged file may still take on the file system of path; 0 on failure. */
uint64_t fs_free_bytes(const char *path);

#endif
