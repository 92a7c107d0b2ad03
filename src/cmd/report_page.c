/* SPDX-License-Identifier: MIT */
#include "cmd/report_page.h"

#include "base/mem.h"
#include "cmd/cmd.h"
#include "report/html.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void report_page_add(struct buf *b, const struct report_set *set, const struct charts *charts,
		     const char *dir, const char *trouble)
{
	html_report(b, &(struct html_page){.report = &set->report,
					   .charts = charts,
					   .dir = dir,
					   .trouble = trouble,
					   .database = set->database,
					   .version = lunsweep_version});
}

/* A directory that holds files only, as report_page_draw makes it. */
static void remove_dir(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			(void)unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		(void)closedir(dir);
	(void)rmdir(path);
}

/* The name of a new directory for temporary files, which the caller frees; NULL and e without. */
static char *make_dir(struct err *e)
{
	const char *where = getenv("TMPDIR");
	char *path = xasprintf("%s/lunsweep-report-XXXXXX", where && *where ? where : "/tmp");

	if (mkdtemp(path))
		return path;
	(void)err_sys(e, ERR_OUTPUT, errno, "cannot make a directory for charts like '%s'", path);
	free(path);
	return NULL;
}

int report_page_draw(struct buf *b, const struct report_set *set, const struct chart_how *how,
		     struct err *e)
{
	struct buf made = BUF_INIT, notes = BUF_INIT;
	struct err why = {0};
	char *dir = make_dir(&why);
	struct charts charts;
	int rc;

	charts_build(&set->report, how, &charts);
	rc = dir ? charts_write(&charts, dir, IMAGE_BIT(IMAGE_SVG), &made, &notes, &why) : -1;
	report_page_add(b, set, &charts, dir, rc ? why.msg : NULL);
	if (dir)
		remove_dir(dir);
	if (rc)
		(void)err_set(e, why.code, "%s", why.msg);
	charts_release(&charts);
	buf_release(&made);
	buf_release(&notes);
	free(dir);
	return rc;
}
