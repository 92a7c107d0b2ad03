/* SPDX-License-Identifier: MIT */
/*
 * Comma-separated values as in RFC 4180: quoted fields may hold commas, doubled quotes and line
 * ends; lines end with LF or CRLF; a byte order mark at the start and blank lines are passed
 * over. Writing is buf_csv_str.
 */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>

struct csv {
	const char *next, *end; /* what is still to be read; not owned */
	unsigned line_nr;	/* of the record in hand, from 1: where it begins */
	size_t nr_fields;	/* of the record in hand */
	/* The rest is private. */
	unsigned next_line_nr;
	struct buf text; /* the fields, each with its NUL */
	size_t *start;
	size_t cap;
};

/* text must live as long as c. */
void csv_init(struct csv *c, const char *text, size_t len);
void csv_release(struct csv *c);

/* The next record: 1; 0 at the end; -1 and e (with the line) for text that is no CSV. */
int csv_next(struct csv *c, struct err *e);

/* A field of the record in hand, i < nr_fields; owned by c until the next call. */
const char *csv_field(const struct csv *c, size_t i);

#endif
