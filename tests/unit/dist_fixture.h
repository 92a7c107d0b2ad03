/* SPDX-License-Identifier: MIT */
/* Points with histograms, and a series, for charts of distributions. */
#ifndef DIST_FIXTURE_H
#define DIST_FIXTURE_H

#include "base/clock.h"
#include "model/measurement.h"
#include "report_fixture.h"
#include "stats/hist.h"

/* Half of a latency is fixed, the other half exponential, without any chance in it. */
static inline void dist_fill(struct hist *h, double mean_ms, unsigned ios)
{
	hist_init(h);
	for (unsigned i = 0; i < ios; i++)
		hist_add(h, (uint64_t)(mean_ms * 5e5 * (1 - log((i + 0.5) / ios))));
}

static inline void dist_figures(struct figures *f, const struct hist *h)
{
	double window_s = 10;

	f->ios = (double)h->count;
	f->iops = f->ios / window_s;
	f->lat_mean_ns = hist_mean(h);
	f->lat_min_ns = (double)h->min;
	f->lat_max_ns = (double)h->max;
	f->lat_p50_ns = hist_quantile(h, 0.5);
	f->lat_p90_ns = hist_quantile(h, 0.9);
	f->lat_p95_ns = hist_quantile(h, 0.95);
	f->lat_p99_ns = hist_quantile(h, 0.99);
	f->lat_p999_ns = hist_quantile(h, 0.999);
	f->lat_p99_lo_ns = f->lat_p99_ns * 0.9;
	f->lat_p99_hi_ns = f->lat_p99_ns * 1.2;
}

/* A direction of the point gets so many latencies; the total must follow. */
static inline void dist_set(struct point *p, enum dir dir, double mean_ms, unsigned ios)
{
	struct hist *h = xmalloc(sizeof(*h));

	dist_fill(h, mean_ms, ios);
	buf_reset(&p->lat_hist[dir]);
	hist_pack(h, &p->lat_hist[dir]);
	dist_figures(&p->dir[dir], h);
	dist_figures(&p->dir[DIR_TOTAL], h);
	p->dir[dir].mib_s = p->dir[DIR_TOTAL].mib_s =
		p->dir[DIR_TOTAL].iops * (double)p->spec.bs_bytes / 1048576;
	free(h);
}

static inline struct point *dist_add(struct fixture *f, uint64_t bs_bytes, uint32_t depth,
				     double mean_ms, unsigned ios)
{
	struct point *p = fixture_add(f, RW_RANDREAD, GIB, depth, 1, 1, 1);

	p->spec.bs_bytes = bs_bytes;
	p->window_s = 10;
	dist_set(p, DIR_READ, mean_ms, ios);
	return p;
}

/* Reads and writes of one mix. */
static inline struct point *dist_add_mix(struct fixture *f, uint32_t read_pct, uint32_t depth)
{
	enum rw_mode rw = read_pct == 100 ? RW_RANDREAD : read_pct ? RW_RANDRW : RW_RANDWRITE;
	struct point *p = fixture_add(f, rw, GIB, depth, 1, 1, 1);
	unsigned ios = 2000 * depth / (1 + depth / 4);

	p->spec.rwmixread_pct = read_pct;
	p->window_s = 10;
	if (read_pct)
		dist_set(p, DIR_READ, 0.5 * depth, ios * read_pct / 100);
	if (read_pct < 100)
		dist_set(p, DIR_WRITE, 0.2 * depth, ios * (100 - read_pct) / 100);
	if (!read_pct || read_pct == 100)
		return p;
	p->dir[DIR_TOTAL].ios = ios;
	p->dir[DIR_TOTAL].iops = ios / 10.0;
	p->dir[DIR_TOTAL].mib_s = ios / 2560.0;
	p->dir[DIR_TOTAL].lat_mean_ns = depth * (0.5 * read_pct + 0.2 * (100 - read_pct)) * 1e4;
	return p;
}

/* Two block sizes, five depths: one point failed, one is spoiled, one limited, one has few I/Os. */
static inline void dist_load(struct fixture *f)
{
	fixture_init(f);
	f->info.imported = false;
	dist_add(f, 4096, 1, 1, 5000);
	fixture_fail(dist_add(f, 4096, 2, 1, 5000), POINT_FAILED,
		     "Input/output error at offset 40960");
	dist_add(f, 4096, 4, 1.2, 18000);
	dist_add(f, 4096, 8, 2, 20000);
	dist_add(f, 4096, 16, 4, 20400)->flags = FLAG_BIT(FLAG_QUEUE_LIMITED);
	dist_add(f, 65536, 1, 2, 600);
	dist_add(f, 65536, 2, 2.2, 3000);
	dist_add(f, 65536, 4, 3, 6500)->flags = FLAG_BIT(FLAG_FOREIGN_LOAD);
	dist_add(f, 65536, 8, 5, 8000)->flags = FLAG_BIT(FLAG_STALL);
	fixture_add_cap(f, LAT_MEAN, 10);
	fixture_add_cap(f, LAT_P99, 8);
	fixture_analyze(f);
}

/* Twelve seconds at 0.1 s: a warm-up of two, a stall of 1.5 s from the sixth on. */
static inline void dist_measure(struct measurement *m, const struct point *p)
{
	measurement_init(m, &p->spec);
	m->seq = p->seq;
	m->status = POINT_OK;
	m->ramp_ns = NS_PER_S;
	m->window_ns = 12 * NS_PER_S;
	m->interval_ns = NS_PER_S / 10;
	m->nr_intervals = 120;
	m->series = xcalloc(m->nr_intervals, sizeof(*m->series));
	for (size_t i = 0; i < m->nr_intervals; i++) {
		uint32_t ios = i < 20 ? 300 + 5 * (uint32_t)i : 200 + (uint32_t)(i * 7 % 11);

		m->series[i].ios[DIR_READ] = i >= 60 && i < 75 ? 0 : ios;
		m->series[i].lat_ns[DIR_READ] =
			m->series[i].ios[DIR_READ] * (1000000ULL + i % 5 * 20000);
		m->series[i].lat_max_ns[DIR_READ] =
			m->series[i].ios[DIR_READ] ? 2000000ULL + i % 7 * 100000 : 0;
	}
	/* One read that the mean hides, and those that the stall held up. */
	m->series[40].lat_max_ns[DIR_READ] = 40 * NS_PER_MS;
	m->series[75].lat_max_ns[DIR_READ] = 1500 * NS_PER_MS;
	m->lat[DIR_READ] = xmalloc(sizeof(*m->lat[DIR_READ]));
	dist_fill(m->lat[DIR_READ], 1.2, 18000);
	measurement_flag(m, FLAG_STALL, "stall of 1.5 s");
}

#endif
