/* SPDX-License-Identifier: MIT */
#include "store/place.h"

#include "base/mem.h"
#include "base/num.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_ours(const struct stat *st)
{
	return st->st_uid == 0 || st->st_uid == geteuid();
}

/* Whether others could have put a file there. */
static bool is_shared(const struct stat *dir)
{
	return dir->st_mode & (S_IWGRP | S_IWOTH) || !is_ours(dir);
}

/* One that is played back into the database, and names other files that are removed then. */
static int check_journal(const char *path, const struct stat *dir, struct err *e)
{
	struct stat st;

	if (!is_shared(dir) || lstat(path, &st) < 0 || is_ours(&st))
		return 0;
	return err_set(
		e, ERR_DB,
		"'%s' belongs to another user, who could have it change other files: move the "
		"database to a directory of your own",
		path);
}

static int check_one(const char *path, bool is_public, bool must_be_ours, struct err *e)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return 0;
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_DB,
			       "'%s' is no regular file, so the database is left alone: remove it",
			       path);
	if (is_public && must_be_ours && !is_ours(&st))
		return err_set(
			e, ERR_DB,
			"'%s' belongs to another user, in a directory that anybody may write to: "
			"move the database to one of your own",
			path);
	return 0;
}

int place_check(const char *path, bool for_write, struct err *e)
{
	static const char *const beside[] = {"-wal", "-shm", "-journal"};
	char *whole = realpath(path, NULL), *slash = whole ? strrchr(whole, '/') : NULL;
	struct stat dir = {0};
	bool is_public = false;
	int rc = 0;

	if (!slash) {
		free(whole);
		return 0; /* whoever opens it tells why */
	}
	*slash = '\0';
	is_public = stat(*whole ? whole : "/", &dir) == 0 && dir.st_mode & S_IWOTH;
	*slash = '/';
	rc = check_one(whole, is_public, for_write, e);
	for (size_t i = 0; i < NR(beside) && !rc; i++) {
		char *name = xasprintf("%s%s", whole, beside[i]);

		rc = check_one(name, is_public, true, e);
		if (!rc && !strcmp(beside[i], "-journal"))
			rc = check_journal(name, &dir, e);
		free(name);
	}
	free(whole);
	return rc;
}
