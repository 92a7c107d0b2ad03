/* SPDX-License-Identifier: MIT */
#include "report/quantiles.h"

#include "base/num.h"

#define IOS_BEYOND 10

#define PLAIN(name, q) \
	{ \
		name, q, 0, 0, 0 \
	}
#define STORED(name, q, member) \
	{ \
		name, q, offsetof(struct figures, lat_##member##_ns), 0, 0 \
	}
#define JUDGED(name, q, member) \
	{ \
		name, q, offsetof(struct figures, lat_##member##_ns), \
			offsetof(struct figures, lat_##member##_lo_ns), \
			offsetof(struct figures, lat_##member##_hi_ns) \
	}

const struct quantile quantiles[NR_QUANTILES] = {
	STORED("min", 0, min),	      PLAIN("25 %", 0.25),	     STORED("50 %", 0.5, p50),
	PLAIN("75 %", 0.75),	      STORED("90 %", 0.9, p90),	     JUDGED("95 %", 0.95, p95),
	JUDGED("99 %", 0.99, p99),    STORED("99.9 %", 0.999, p999), PLAIN("99.99 %", 0.9999),
	PLAIN("5 nines", 0.99999),    PLAIN("6 nines", 0.999999),    PLAIN("7 nines", 0.9999999),
	PLAIN("8 nines", 0.99999999), PLAIN("9 nines", 0.999999999), STORED("max", 1, max),
};

static double figure(const struct figures *f, size_t offset)
{
	return *(const double *)(const void *)((const char *)f + offset);
}

double quantile_ns(const struct quantile *q, const struct hist *h, const struct figures *f)
{
	if (h)
		return hist_quantile(h, q->q);
	return q->offset ? figure(f, q->offset) : UNKNOWN;
}

bool quantile_interval(const struct quantile *q, const struct figures *f, double *low_ns,
		       double *high_ns)
{
	if (!q->low || isnan(figure(f, q->low)) || isnan(figure(f, q->high)))
		return false;
	*low_ns = figure(f, q->low);
	*high_ns = figure(f, q->high);
	return true;
}

bool quantile_has_few(const struct quantile *q, uint64_t ios)
{
	if (q->q <= 0 || q->q >= 1)
		return false;
	/* 1 - q is not exact: ten I/Os in a thousand are enough for 99 %. */
	return (double)ios * (1 - q->q) < IOS_BEYOND * (1 - 1e-6);
}
