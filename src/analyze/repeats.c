/* SPDX-License-Identifier: MIT */
#include "analyze/repeats.h"

#include "base/mem.h"
#include "base/num.h"
#include "stats/hist.h"

#include <stdlib.h>

static const double quantile[LAT_STAT_NR] = {
	[LAT_P50] = .5, [LAT_P90] = .9, [LAT_P95] = .95, [LAT_P99] = .99, [LAT_P999] = .999,
};

/* Add what one repeat has; false where it has nothing that can be read. */
static bool add_hists(struct hist *all, const struct point *p, struct hist *scratch)
{
	bool has_any = false;

	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++) {
		const struct buf *packed = &p->lat_hist[d];

		if (!packed->len)
			continue;
		if (!hist_unpack(scratch, packed->text, packed->len))
			return false;
		hist_merge(all, scratch);
		has_any = true;
	}
	return has_any;
}

void repeats_percentiles(const struct point *const *repeat, size_t nr, double lat_ns[LAT_STAT_NR])
{
	struct hist *all = xmalloc(sizeof(*all)), *scratch = xmalloc(sizeof(*scratch));
	bool is_whole = true;

	hist_init(all);
	for (size_t i = 0; i < nr && is_whole; i++)
		is_whole = add_hists(all, repeat[i], scratch);
	for (enum lat_stat s = LAT_P50; s < LAT_STAT_NR; s++)
		lat_ns[s] = is_whole ? hist_quantile(all, quantile[s]) : UNKNOWN;
	free(scratch);
	free(all);
}
