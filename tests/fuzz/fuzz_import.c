/* SPDX-License-Identifier: MIT */
/* Any bytes as a published table, and what stands behind the first NUL as one of percentiles: refused
 * with the line, or made points that a curve may be drawn through. */
#include "fuzz.h"

#include "cmd/import_csv.h"
#include "model/point.h"

static void check_figures(const struct figures *f)
{
	require(!(f->iops < 0) && !(f->lat_mean_ns < 0) && !(f->ios < 0));
}

static void check_tables(const struct import_result *r)
{
	for (size_t t = 0; t < r->nr; t++) {
		require(r->v[t].nr > 0);
		for (size_t i = 0; i < r->v[t].nr; i++) {
			const struct point *p = &r->v[t].points[i];

			require(p->seq == i + 1);
			require(p->spec.iodepth > 0 && p->spec.workers > 0);
			check_figures(&p->dir[DIR_TOTAL]);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pair_list none = {0};
	struct pair given[] = {{"rw", "randread"}, {"bs", "4k"}};
	const struct pair_list set = {given, 2, 2};
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	size_t len = nul ? (size_t)(nul - data) : size;
	char *text = fuzz_text_of(data, len);
	struct import_source src = {text, len, &none, size % 2 ? &set : &none, &none};
	struct import_result r = {0};
	struct err e = {0};

	if (import_csv(&src, &r, &e)) {
		require(e.msg[0] != '\0');
	} else {
		int rc = 0;

		check_tables(&r);
		if (nul)
			rc = import_percentiles((const char *)nul + 1, size - len - 1, &r, &e);
		if (rc || import_check(&r, &e))
			require(e.msg[0] != '\0');
	}
	import_result_release(&r);
	free(text);
	return 0;
}
