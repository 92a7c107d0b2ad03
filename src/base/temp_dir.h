/* SPDX-License-Identifier: MIT */
/* A directory for files of our own, which nobody else can change, and which goes also when a signal ends us. */
#ifndef BASE_TEMP_DIR_H
#define BASE_TEMP_DIR_H

#include "base/err.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct temp_dir {
	char *path; /* owned; NULL where it could not be made */
	sigset_t old_mask;
};

/*
 * Make it in TMPDIR, else in /tmp, with mode 0700. SIGINT, SIGTERM and SIGHUP of this thread wait until it is removed,
 * unless they are ignored. It goes also when the process exits. One at a time. -1 and ERR_OUTPUT.
 */
int temp_dir_make(struct temp_dir *t, struct err *e);

/*
 * Remove it with the files in it, then let signals through: one that waited does now what it does elsewhere, and may
 * end the process. -1 and ERR_OUTPUT when something is left. Does nothing where it could not be made.
 */
int temp_dir_remove(struct temp_dir *t, struct err *e);

/* Who works in it, 0 for nobody: should this process exit before the directory is removed, as it does when memory runs
 * out, that one is ended first. */
void temp_dir_used_by(pid_t pid);

/* Whether a signal waits for a directory to be removed: who works in one should come to an end. */
bool temp_dir_is_signalled(void);

#endif
