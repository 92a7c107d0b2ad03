/* SPDX-License-Identifier: MIT */
/* The formats of a report, and the directory that has it in all of them, with its charts. */
#ifndef CMD_REPORT_FILES_H
#define CMD_REPORT_FILES_H

#include "cmd/report_set.h"

/*
 * As cmd_report_write, of what is loaded. The page is appended to page unless that is NULL, also where it could not be
 * written into the directory.
 */
int report_files_write(const struct report_set *set, const char *dir,
		       const struct cmd_report_how *how, struct buf *page, struct err *e);

#define REPORT_PAGE_FILE "report.html"

/* What can be printed, and as which file it is written into a directory; ended by a NULL name. Without
 * add it takes pictures (report_page.h). */
struct report_format {
	const char *name, *file;
	bool shows_pictures; /* its file does, and is written after them */
	void (*add)(struct buf *b, const struct report *r); /* NULL: takes charts */
};
extern const struct report_format report_formats[];

#endif
