/* SPDX-License-Identifier: MIT */
/* A directory for each test that draws; the state of the test is its path. */
#ifndef CHART_DIR_H
#define CHART_DIR_H

#include "base/mem.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline int make_dir(void **state)
{
	char *dir = xstrdup("/tmp/lunsweep-chart-XXXXXX");

	*state = mkdtemp(dir);
	return *state ? 0 : -1;
}

static inline int remove_dir(void **state)
{
	int rc = nftw(*state, remove_one, 8, FTW_DEPTH | FTW_PHYS);

	free(*state);
	return rc;
}

static inline off_t size_of(const char *dir, const char *name)
{
	char *path = xasprintf("%s/%s", dir, name);
	struct stat st;
	off_t size = stat(path, &st) < 0 ? -1 : st.st_size;

	free(path);
	return size;
}

#define TEST_IN_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

#endif
