/* SPDX-License-Identifier: MIT */
/* Text files and charts of an answer in a directory (-o DIR). */
#ifndef CMD_OUTPUT_H
#define CMD_OUTPUT_H

#include "base/buf.h"
#include "report/chart.h"

/* Where to, and which pictures. */
struct output_place {
	const char *dir; /* NULL: nowhere */
	image_set images;
};

/* Of -o and --image; both may be NULL. -1 and a usage error for formats that there are not, and for pictures
 * without a directory. */
int output_parse(const char *dir, const char *images, struct output_place *place, struct err *e);

struct output_file {
	const char *name; /* in the directory */
	struct buf text;  /* owned by the caller */
};

/*
 * Make the directory where it is missing, write the files and then the charts, and name each file on
 * stderr. -1 and e when something could not be made; what does not depend on that is there all the
 * same.
 */
int output_write(const struct output_place *place, const struct output_file *files, size_t nr,
		 const struct charts *charts, struct err *e);

/* Name the files that were made, a line each, and say what is to be known, on stderr. */
void output_log(struct buf *made, struct buf *notes);

#endif
