/* SPDX-License-Identifier: MIT */
#include "store/columns.h"

#define FIGURE(member) \
	{ \
#member, offsetof(struct figures, member) \
	}

/* ios is a count and not here. */
const struct figure_column figure_columns[NR_FIGURE_COLUMNS] = {
	FIGURE(iops),	       FIGURE(mib_s),	      FIGURE(lat_mean_ns),   FIGURE(lat_sd_ns),
	FIGURE(lat_min_ns),    FIGURE(lat_max_ns),    FIGURE(lat_p50_ns),    FIGURE(lat_p90_ns),
	FIGURE(lat_p95_ns),    FIGURE(lat_p99_ns),    FIGURE(lat_p999_ns),   FIGURE(slat_mean_ns),
	FIGURE(clat_mean_ns),  FIGURE(iops_se_rel),   FIGURE(lat_se_rel),    FIGURE(lat_p95_lo_ns),
	FIGURE(lat_p95_hi_ns), FIGURE(lat_p99_lo_ns), FIGURE(lat_p99_hi_ns),
};

void add_figure_columns(struct buf *sql)
{
	for (size_t i = 0; i < NR_FIGURE_COLUMNS; i++)
		buf_addf(sql, ", %s", figure_columns[i].name);
}
