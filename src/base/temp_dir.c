/* SPDX-License-Identifier: MIT */
#include "base/temp_dir.h"

#include "base/file.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};

/* What is to be undone when the process exits. */
static struct {
	const char *path;
	pid_t user;
} at_exit;

static int remove_files(const char *path);

static void undo_at_exit(void)
{
	if (at_exit.user > 0) {
		(void)kill(at_exit.user, SIGKILL);
		while (waitpid(at_exit.user, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (at_exit.path) {
		(void)remove_files(at_exit.path);
		(void)rmdir(at_exit.path);
	}
}

/* False where it cannot be. */
static bool register_once(void)
{
	static bool is_registered;

	if (!is_registered)
		is_registered = atexit(undo_at_exit) == 0;
	return is_registered;
}

void temp_dir_used_by(pid_t pid)
{
	at_exit.user = pid;
}

static void hold_signals(sigset_t *old_mask)
{
	sigset_t set;

	(void)sigemptyset(&set);
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++) {
		struct sigaction now;

		/* A blocked signal waits even if it is ignored, and would be taken for one that ends us. */
		if (!sigaction(ending[i], NULL, &now) && now.sa_handler != SIG_IGN)
			(void)sigaddset(&set, ending[i]);
	}
	(void)pthread_sigmask(SIG_BLOCK, &set, old_mask);
}

int temp_dir_make(struct temp_dir *t, struct err *e)
{
	const char *where = getenv("TMPDIR");
	char *path = xasprintf("%s/lunsweep-XXXXXX", where && *where ? where : "/tmp");
	int rc;

	*t = (struct temp_dir){.path = NULL};
	if (file_check_links(path, e)) {
		free(path);
		return -1;
	}
	hold_signals(&t->old_mask);
	errno = ENOMEM;
	if (register_once() && mkdtemp(path)) {
		at_exit.path = t->path = path;
		return 0;
	}
	rc = err_sys(e, ERR_OUTPUT, errno, "cannot make a directory like '%s' for temporary files",
		     path);
	(void)pthread_sigmask(SIG_SETMASK, &t->old_mask, NULL);
	free(path);
	return rc;
}

/* 0 or an errno. */
static int remove_files(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int rc = 0;

	if (!dir)
		return errno;
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    unlinkat(dirfd(dir), entry->d_name, 0) < 0)
			rc = errno;
	(void)closedir(dir);
	return rc;
}

int temp_dir_remove(struct temp_dir *t, struct err *e)
{
	int errnum, rc = 0;

	if (!t->path)
		return 0;
	at_exit.path = NULL;
	errnum = remove_files(t->path);
	if (rmdir(t->path) < 0 && !errnum)
		errnum = errno;
	if (errnum)
		rc = err_sys(e, ERR_OUTPUT, errnum, "cannot remove the temporary directory '%s'",
			     t->path);
	free(t->path);
	t->path = NULL;
	(void)pthread_sigmask(SIG_SETMASK, &t->old_mask, NULL);
	return rc;
}

bool temp_dir_is_signalled(void)
{
	sigset_t waiting;

	if (sigpending(&waiting) < 0)
		return false;
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		if (sigismember(&waiting, ending[i]) == 1)
			return true;
	return false;
}
