/* SPDX-License-Identifier: MIT */
#include "store/spool_place.h"

#include "base/hash.h"
#include "base/mem.h"
#include "store/open.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INFIX "spool-"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Of a path that is not there, as far as it is there. */
static char *resolve(const char *path)
{
	char *dir = open_parent_dir(path), *real = realpath(dir, NULL), *whole, *cwd;

	if (real) {
		whole = xasprintf("%s/%s", strcmp(real, "/") ? real : "", base_name(path));
	} else if (path[0] == '/') {
		whole = xstrdup(path);
	} else {
		cwd = getcwd(NULL, 0);
		whole = xasprintf("%s/%s", cwd ? cwd : ".", path);
		free(cwd);
	}
	free(real);
	free(dir);
	return whole;
}

char *spool_database(const char *db_path)
{
	char *whole = realpath(db_path, NULL);

	return whole ? whole : resolve(db_path);
}

/* Beside the database, where only its owner and we can put files. */
static int check_beside(const char *dir, struct err *e)
{
	struct stat st;

	if (stat(dir, &st) < 0)
		return err_sys(e, ERR_DB, errno, "cannot write to '%s'", dir);
	if (st.st_mode & (S_IWOTH | S_IWGRP))
		return err_set(e, ERR_DB, "others may write to '%s' too", dir);
	return 0;
}

/* With the one above it, as XDG_STATE_HOME may not be there yet. -1 and errno. */
static int make_dir(const char *dir)
{
	char *above = xstrndup(dir, (size_t)(strrchr(dir, '/') - dir));
	int rc = *above && mkdir(above, 0700) < 0 && errno != EEXIST ? -1 : 0;

	free(above);
	return !rc && mkdir(dir, 0700) < 0 && errno != EEXIST ? -1 : rc;
}

static int make_own(const char *dir, bool may_make, struct err *e)
{
	struct stat st;

	if (may_make && make_dir(dir) < 0)
		return err_sys(e, ERR_DB, errno, "cannot make the directory '%s'", dir);
	if (lstat(dir, &st) < 0)
		return err_sys(e, ERR_DB, errno, "cannot use the directory '%s'", dir);
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & (S_IWOTH | S_IWGRP))
		return err_set(e, ERR_DB, "'%s' is no directory of this user alone", dir);
	return 0;
}

static char *own_dir(void)
{
	const char *state = getenv("XDG_STATE_HOME");

	/* As the specification says, a relative path is as none. */
	if (state && state[0] == '/')
		return xasprintf("%s/lunsweep", state);
	return xasprintf("/var/tmp/lunsweep-%u", (unsigned)geteuid());
}

char *spool_place(unsigned place, const char *db_path, bool may_make, struct err *e)
{
	char *dir;
	int rc;

	if (place == 0) {
		dir = xstrndup(db_path, (size_t)(base_name(db_path) - db_path - 1));
		rc = check_beside(*dir ? dir : "/", e);
	} else {
		dir = own_dir();
		rc = make_own(dir, may_make, e);
	}
	if (!rc)
		return dir;
	free(dir);
	return NULL;
}

/* What all spools of a database in this place begin with. */
static char *prefix(unsigned place, const char *db_path)
{
	if (place == 0)
		return xasprintf("%s." INFIX, base_name(db_path));
	return xasprintf("%016" PRIx64 "-%s." INFIX, hash_str(HASH_INIT, db_path),
			 base_name(db_path));
}

char *spool_path(unsigned place, const char *dir, const char *db_path, int64_t run_id,
		 const char *mark)
{
	char *begin = prefix(place, db_path);
	char *path = xasprintf("%s/%s%" PRId64 "-%s", dir, begin, run_id, mark);

	free(begin);
	return path;
}

int spool_check_file(const char *path, struct err *e)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return err_sys(e, ERR_DB, errno, "cannot look at '%s'", path);
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1)
		return err_set(e, ERR_DB, "'%s' is a link or no file", path);
	if (st.st_uid != geteuid() || st.st_mode & (S_IWOTH | S_IWGRP))
		return err_set(e, ERR_DB, "'%s' is no file of this user alone", path);
	return 0;
}

/* "12-0123456789abcdef" and nothing behind it. */
static bool parse_name(const char *text, struct spool *p)
{
	char *end;
	long long id = strtoll(text, &end, 10);

	if (end == text || id < 1 || *text == '+' || *end != '-' ||
	    strspn(end + 1, "0123456789abcdef") != 16 || strlen(end + 1) != 16)
		return false;
	p->run_id = id;
	memcpy(p->mark, end + 1, sizeof(p->mark));
	return true;
}

static int by_run(const void *a, const void *b)
{
	const struct spool *p = a, *q = b;

	return (p->run_id > q->run_id) - (p->run_id < q->run_id);
}

static void list_place(unsigned place, const char *dir, const char *db_path, struct spool **v,
		       size_t *nr, size_t *cap)
{
	char *begin = prefix(place, db_path);
	size_t first = *nr;
	DIR *d = opendir(*dir ? dir : "/");
	struct dirent *entry;

	while (d && (entry = readdir(d))) {
		struct spool p = {0};

		if (strncmp(entry->d_name, begin, strlen(begin)) != 0 ||
		    !parse_name(entry->d_name + strlen(begin), &p))
			continue;
		p.path = xasprintf("%s/%s", dir, entry->d_name);
		VEC_GROW(*v, *nr, *cap);
		(*v)[(*nr)++] = p;
	}
	if (d)
		(void)closedir(d);
	if (*nr > first)
		qsort(*v + first, *nr - first, sizeof(**v), by_run);
	free(begin);
}

void spool_list_names(const char *db_path, struct spool **out, size_t *nr)
{
	size_t cap = 0;

	*out = NULL;
	*nr = 0;
	for (unsigned place = 0; place < SPOOL_PLACES; place++) {
		char *dir = spool_place(place, db_path, false, NULL);

		if (dir)
			list_place(place, dir, db_path, out, nr, &cap);
		free(dir);
	}
}
