/* SPDX-License-Identifier: MIT */
/* Members of JSON objects, one by one; brackets are the caller's. A figure that is not known is null. */
#ifndef REPORT_JSON_WRITE_H
#define REPORT_JSON_WRITE_H

#include "base/buf.h"
#include "report/fields.h"

#include <stdbool.h>

/* The opening bracket of a document, with the members "format" (lunsweep-NAME) and "version". */
void json_begin(struct buf *b, const char *format, unsigned version);
/* The key of the next member, with the comma in front that it may need. */
void json_key(struct buf *b, const char *name);
/* What stands in front of the next element of an array, which is a line of its own. */
void json_next(struct buf *b);

/* A text (NULL: null), a number, a whole number, and one of which 0 means that there is none. */
void json_text(struct buf *b, const char *name, const char *value);
void json_num(struct buf *b, const char *name, double v);
void json_uint(struct buf *b, const char *name, uint64_t v);
void json_count(struct buf *b, const char *name, uint32_t v);
void json_bool(struct buf *b, const char *name, bool v);
/* The bound of a figure, which is "=", ">=" (at least) or "<=" (at most); null where there is no figure. */
void json_bound(struct buf *b, const char *name, bool is_known, char bound);
/* The lines of s, each as an element of an array of texts; s is empty afterwards. */
void json_lines(struct buf *b, const char *name, struct buf *s);
/* A wall-clock stamp; 0 is null. */
void json_utc(struct buf *b, const char *name, int64_t wall_ns);
/* All fields of a table, of the struct at base. */
void json_fields(struct buf *b, const struct field *f, const void *base);
/* curve, rw, bs_bytes, ..., workers: what a curve's points have alike. */
void json_axes(struct buf *b, const struct point_spec *s);
/* flags: the names of the set. */
void json_flags(struct buf *b, flag_set flags);

#endif
