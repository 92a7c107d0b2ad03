/* SPDX-License-Identifier: MIT */
/*
 * Small whole files: read with a limit, written so that a reader never sees half of one.
 *
 * No file is written through a symbolic link that somebody else could have put in the way (file_check_links), and what
 * is written here has the mode 0644, a directory 0755, less what the umask takes.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Append the contents of path to b. -1 and e when it cannot be read or holds more than max. */
int file_read(const char *path, size_t max, struct buf *b, struct err *e);

/* As file_read for the one-line files of /sys and /proc: false when there is none; trailing
 * white space is cut. b is reset first. */
bool file_read_line(const char *path, struct buf *b);

/*
 * Whether nobody else says where path leads: every symbolic link on the way belongs to us or root and lies in a directory
 * that not everybody may write to, also those that other links lead through. What is not there yet is fine, and so is
 * the last component, which file_write replaces; with a slash behind it, it is looked at too. -1 and e name the link.
 */
int file_check_links(const char *path, struct err *e);

/* Replace path by data: written beside it, flushed, then renamed. A symbolic link at path is
 * replaced, never followed. */
int file_write(const char *path, const void *data, size_t len, struct err *e);

/* All of it into an open descriptor: 0, or -errno; -ENOSPC where it takes no more. */
int file_write_fd(int fd, const void *data, size_t len);

/* The same of a text in a directory; its path is appended to made as a line, once it is there. */
int file_write_text(const char *dir, const char *name, const struct buf *text, struct buf *made,
		    struct err *e);

/* Write a file that is not there yet, into a directory of our own: it is not flushed. */
int file_create(const char *path, const void *data, size_t len, struct err *e);

/* Replace path to by the file from, as file_write does; into another file system up to max bytes are copied, and from
 * stays. */
int file_move(const char *from, const char *to, size_t max, struct err *e);

/* Make the directory and the missing ones above it; fine when it is there. */
int file_mkdirs(const char *path, struct err *e);

#endif
