/* SPDX-License-Identifier: MIT */
/*
 * Text to numbers with units and back. The rules, for files and options alike:
 *   sizes      4096, 4k, 4K, 4KiB, 1.5M, 500G, 20T: k = 1024 as in fio. Decimal units (kB, MB)
 *              are refused, since half of their writers mean 1024.
 *   durations  250us, 10ms, 5s, 2m, 8h: the unit is required, 0 may stand alone.
 *   per cent   12.5%, four decimals at most.
 * Nothing is cut off silently: whatever is left behind the number and its unit is an error,
 * and so is a value that does not fit.
 */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>

/* 100 % in the unit of units_parse_percent: ten-thousandths of a per cent. */
#define UNITS_100_PERCENT 1000000U

/* Each parse function fills *out and returns 0, or returns -1 with the offending text in e. */
int units_parse_size(const char *text, uint64_t *out_bytes, struct err *e);
int units_parse_duration(const char *text, uint64_t *out_ns, struct err *e);
int units_parse_percent(const char *text, uint32_t *out_e4, struct err *e);
/* As units_parse_percent, up to this many per cent instead of 100. */
int units_parse_percent_to(const char *text, unsigned max_pct, uint32_t *out_e4, struct err *e);
int units_parse_count(const char *text, uint64_t *out, struct err *e);
/* A plain number, 0 or more, that may have decimals: 2, 1.5. */
int units_parse_decimal(const char *text, double *out, struct err *e);

/* Exact, as a size option takes it back: 4k, 1536, 500G. */
void buf_add_size(struct buf *b, uint64_t bytes);
/* For titles: as buf_add_size, but a size that is whole decimal GB and no whole binary G is
 * shown so, 500GB, because published tables are imported as printed (D25), and one from 1 MiB on that
 * takes five digits or more is rounded: 204.8m for 209712k. These forms are not
 * taken back: who asks for a size must say which k is meant. */
void buf_add_size_title(struct buf *b, uint64_t bytes);
/* For people: three significant digits and a binary unit: 976 MiB, 1.46 GiB. */
void buf_add_size_human(struct buf *b, uint64_t bytes);
/* Exact, as a duration option takes it back: 5s, 250us. */
void buf_add_duration(struct buf *b, uint64_t ns);
/* For people: 21:03:10 for a minute and more, else 4.0 s. */
void buf_add_hms(struct buf *b, uint64_t ns);
/* 12.5%, as units_parse_percent takes it back. */
void buf_add_percent(struct buf *b, uint32_t e4);

#endif
