/* SPDX-License-Identifier: MIT */
/* Curves for tests: from arrays, and the published ULT tables. */
#ifndef TESTS_CURVE_DATA_H
#define TESTS_CURVE_DATA_H

#include "unit.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "model/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CSV_MAX_FIELDS 16
#define CURVE_MAX      24

/* A curve of its own, without rows. */
struct test_curve {
	struct curve curve;
	struct curve_point pt[CURVE_MAX];
};

static inline void curve_clear(struct test_curve *c)
{
	memset(c, 0, sizeof(*c));
	c->curve.pt = c->pt;
}

/* Latency figures other than the mean stay unknown. */
static inline struct curve_point *curve_add(struct test_curve *c, uint32_t depth, double iops,
					    double lat_ms, double se_rel)
{
	struct curve_point *p = &c->pt[c->curve.nr++];

	assert_true(c->curve.nr <= CURVE_MAX);
	p->iodepth = depth;
	p->iops = iops;
	p->se_rel = se_rel;
	for (enum lat_stat s = 0; s < LAT_STAT_NR; s++)
		p->lat_ns[s] = UNKNOWN;
	p->lat_ns[LAT_MEAN] = lat_ms * 1e6;
	return p;
}

/* Rows of a CSV file without quotes: one call of row for each, the header left out. */
static inline void csv_each(const char *name, void (*row)(char **field, void *arg), void *arg)
{
	const char *dir = getenv("TEST_DATA");
	struct buf text = BUF_INIT;
	char *path, *line, *next;

	assert_non_null(dir);
	path = xasprintf("%s/%s", dir, name);
	assert_int_equal(file_read(path, 1 << 20, &text, NULL), 0);
	for (line = strchr(text.text, '\n') + 1; *line; line = next) {
		char *field[CSV_MAX_FIELDS];
		size_t nr = 0;

		line[strcspn(line, "\r\n")] = '\0';
		next = line + strlen(line) + 1;
		next += *next == '\n';
		for (char *f = line; f && nr < CSV_MAX_FIELDS; nr++) {
			field[nr] = f;
			f = strchr(f, ',');
			if (f)
				*f++ = '\0';
		}
		for (; nr < CSV_MAX_FIELDS; nr++)
			field[nr] = NULL;
		row(field, arg);
	}
	free(path);
	buf_release(&text);
}

#define ULT_TESTS 8

static inline void ult_row(char **field, void *arg)
{
	struct test_curve *ult = arg;
	int test = atoi(field[0]);

	assert_in_range(test, 1, ULT_TESTS);
	curve_add(&ult[test], (uint32_t)atoi(field[4]), atof(field[6]), atof(field[7]), 0);
}

/* The tables of the ULT study by their numbers, 1 to 8. */
static inline void ult_load(struct test_curve ult[ULT_TESTS + 1])
{
	for (int i = 0; i <= ULT_TESTS; i++)
		curve_clear(&ult[i]);
	csv_each("ult-lun-sizing.csv", ult_row, ult);
	for (int i = 1; i <= ULT_TESTS; i++)
		assert_int_equal(ult[i].curve.nr, 9);
}

#endif
