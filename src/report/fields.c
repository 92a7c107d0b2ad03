/* SPDX-License-Identifier: MIT */
#include "report/fields.h"

#include "stats/ci.h"

#define FIGURE(name, member, scale) \
	{ \
		name, offsetof(struct figures, member), scale \
	}
#define POINT(name, member) \
	{ \
		name, offsetof(struct point, member), 1 \
	}

#define POINT_MS(name, member) \
	{ \
		name, offsetof(struct point, member), 1e-6 \
	}

const struct field field_figures[] = {
	FIGURE("ios", ios, 1),
	FIGURE("iops", iops, 1),
	FIGURE("mib_s", mib_s, 1),
	FIGURE("lat_mean_ms", lat_mean_ns, 1e-6),
	FIGURE("lat_sd_ms", lat_sd_ns, 1e-6),
	FIGURE("lat_min_ms", lat_min_ns, 1e-6),
	FIGURE("lat_max_ms", lat_max_ns, 1e-6),
	FIGURE("lat_p50_ms", lat_p50_ns, 1e-6),
	FIGURE("lat_p90_ms", lat_p90_ns, 1e-6),
	FIGURE("lat_p95_ms", lat_p95_ns, 1e-6),
	FIGURE("lat_p99_ms", lat_p99_ns, 1e-6),
	FIGURE("lat_p999_ms", lat_p999_ns, 1e-6),
	FIGURE("slat_mean_ms", slat_mean_ns, 1e-6),
	FIGURE("clat_mean_ms", clat_mean_ns, 1e-6),
	FIGURE("iops_ci_pct", iops_se_rel, 100 * Z_95),
	FIGURE("lat_ci_pct", lat_se_rel, 100 * Z_95),
	FIGURE("lat_p95_lo_ms", lat_p95_lo_ns, 1e-6),
	FIGURE("lat_p95_hi_ms", lat_p95_hi_ns, 1e-6),
	FIGURE("lat_p99_lo_ms", lat_p99_lo_ns, 1e-6),
	FIGURE("lat_p99_hi_ms", lat_p99_hi_ns, 1e-6),
	{NULL, 0, 0},
};

const struct field field_points[] = {
	POINT("window_s", window_s),
	POINT("ramp_s", ramp_s),
	POINT("drain_s", drain_s),
	POINT("depth_mean", depth_mean),
	POINT("depth_max", depth_max),
	POINT("util_pct", util_pct),
	POINT("cpu_pct", cpu_pct),
	POINT("rate_iops", rate_iops),
	POINT("arrivals", arrivals),
	POINT("backlog", backlog),
	POINT_MS("late_p50_ms", late_p50_ns),
	POINT_MS("late_p99_ms", late_p99_ns),
	POINT_MS("late_max_ms", late_max_ns),
	{NULL, 0, 0},
};

double field_value(const struct field *f, const void *base)
{
	return *(const double *)(const void *)((const char *)base + f->offset) * f->scale;
}
