/* SPDX-License-Identifier: MIT */
/* What tests of charts have in common: finding a picture, and its script, data and caption as goldens. */
#ifndef CHART_GOLDEN_H
#define CHART_GOLDEN_H

#include "golden.h"
#include "report/chart.h"

#include <string.h>

static inline const struct picture *chart_get(const struct charts *c, const char *name)
{
	for (size_t i = 0; i < c->nr; i++)
		if (!strcmp(c->v[i].name, name))
			return &c->v[i];
	fail_msg("there is no chart %s", name);
	abort();
}

static inline void assert_part_golden(const char *name, const char *ending, const struct buf *got)
{
	char *file = xasprintf("%s.%s", name, ending);

	assert_golden(file, got);
	free(file);
}

/* The picture NAME against NAME.dat and NAME.txt of the goldens, with a prefix there. */
static inline void assert_data_golden(const struct charts *c, const char *name, const char *prefix)
{
	const struct picture *p = chart_get(c, name);
	char *golden = xasprintf("%s%s", prefix, name);
	struct buf dat = BUF_INIT;

	picture_data(p, &dat);
	assert_part_golden(golden, "dat", &dat);
	assert_part_golden(golden, "txt", &p->caption);
	buf_release(&dat);
	free(golden);
}

/* The same, and NAME.gp. */
static inline void assert_chart_golden(const struct charts *c, const char *name, const char *prefix)
{
	char *golden = xasprintf("%s%s", prefix, name);
	struct buf gp = BUF_INIT;

	picture_script(chart_get(c, name), "png svg", &gp);
	assert_part_golden(golden, "gp", &gp);
	assert_data_golden(c, name, prefix);
	buf_release(&gp);
	free(golden);
}

static inline bool caption_says(const struct picture *p, const char *text)
{
	return strstr(buf_text(&p->caption), text) != NULL;
}

#endif
