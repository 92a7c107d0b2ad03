/* SPDX-License-Identifier: MIT */
#include "model/measurement.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "stats/ci.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES_PER_MIB 1048576.0
#define NS_PER_S_F    ((double)NS_PER_S)

/* An interval with fewer I/Os than this tells more about counting than about the device (D11). */
#define IOS_PER_INTERVAL 20
#define MIN_INTERVALS	 40

void measurement_init(struct measurement *m, const struct point_spec *spec)
{
	*m = (struct measurement){
		.spec = *spec,
		.depth_mean = UNKNOWN,
		.little_rel = UNKNOWN,
		.rate_iops = spec->rate_ask_iops ? (double)spec->rate_ask_iops : UNKNOWN,
		.late_p50_ns = UNKNOWN,
		.late_p99_ns = UNKNOWN,
		.late_max_ns = UNKNOWN,
	};
}

void measurement_release(struct measurement *m)
{
	for (enum flag f = 0; f < FLAG_NR; f++)
		free(m->flag_detail[f]);
	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++) {
		free(m->lat[d]);
		hist_batches_free(m->batches[d]);
	}
	free(m->reason);
	free(m->worker);
	free(m->series);
	free(m->cpu);
	measurement_init(m, &(struct point_spec){0});
}

void measurement_flag(struct measurement *m, enum flag flag, const char *fmt, ...)
{
	char *detail = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&detail, fmt, ap) < 0)
		detail = NULL;
	va_end(ap);
	free(m->flag_detail[flag]);
	m->flag_detail[flag] = detail;
	m->flags |= FLAG_BIT(flag);
}

static uint32_t nr_workers(const struct measurement *m)
{
	return m->worker ? m->spec.workers : 0;
}

/* Latencies stay where hist_cap_sum keeps them. */
static void add_sums(struct dir_sums *to, const struct dir_sums *s)
{
	to->ios += s->ios;
	to->bytes += s->bytes;
	to->lat_ns = s->lat_ns < HIST_SUM_MAX - to->lat_ns ? to->lat_ns + s->lat_ns : HIST_SUM_MAX;
	to->slat_ns += s->slat_ns;
}

struct dir_sums worker_sums(const struct worker_result *w, enum dir dir)
{
	struct dir_sums sums = {0};

	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++) {
		if (dir != DIR_TOTAL && dir != d)
			continue;
		add_sums(&sums, &w->dir[d]);
	}
	return sums;
}

double worker_lat_sd_ns(const struct worker_result *w, enum dir dir)
{
	struct dir_sums sums = worker_sums(w, dir);
	double sq = 0, n = (double)sums.ios, var;

	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++)
		if (dir == DIR_TOTAL || dir == d)
			sq += w->lat_sq_ns2[d];
	if (sums.ios < 2 || isnan(sq))
		return UNKNOWN;
	var = (sq - (double)sums.lat_ns * (double)sums.lat_ns / n) / (n - 1);
	return var > 0 ? sqrt(var) : 0;
}

struct dir_sums measurement_sums(const struct measurement *m, enum dir dir)
{
	struct dir_sums sums = {0};

	for (uint32_t i = 0; i < nr_workers(m); i++) {
		struct dir_sums s = worker_sums(&m->worker[i], dir);

		add_sums(&sums, &s);
	}
	return sums;
}

struct hist *measurement_hist(const struct measurement *m, enum dir dir)
{
	struct hist *h = NULL;

	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++) {
		if (!m->lat[d] || (dir != DIR_TOTAL && dir != d))
			continue;
		if (!h) {
			h = xmalloc(sizeof(*h));
			hist_init(h);
		}
		hist_merge(h, m->lat[d]);
	}
	return h;
}

/* The rest of a latency that counts from the intended start is not time at the device alone. */
static void set_rates(const struct dir_sums *s, uint64_t window_ns, bool is_open, struct figures *f)
{
	double window_s = (double)window_ns / NS_PER_S_F, ios = (double)s->ios;

	f->ios = ios;
	if (window_ns) {
		f->iops = ios / window_s;
		f->mib_s = (double)s->bytes / BYTES_PER_MIB / window_s;
	}
	if (s->ios) {
		f->slat_mean_ns = (double)s->slat_ns / ios;
		if (!is_open)
			f->clat_mean_ns = ((double)s->lat_ns - (double)s->slat_ns) / ios;
	}
}

static void set_latencies(const struct hist *h, struct figures *f)
{
	if (!h->count)
		return;
	f->lat_min_ns = (double)h->min;
	f->lat_max_ns = (double)h->max;
	/* Of equal values the quotient may miss the last digit. */
	f->lat_mean_ns = fmin(fmax(hist_mean(h), f->lat_min_ns), f->lat_max_ns);
	f->lat_sd_ns = hist_stddev(h);
	f->lat_p50_ns = hist_quantile(h, 0.5);
	f->lat_p90_ns = hist_quantile(h, 0.9);
	f->lat_p95_ns = hist_quantile(h, 0.95);
	f->lat_p99_ns = hist_quantile(h, 0.99);
	f->lat_p999_ns = hist_quantile(h, 0.999);
}

double interval_lat_max_ns(const struct interval *v, enum dir dir)
{
	uint64_t max = 0;

	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++)
		if ((dir == DIR_TOTAL || dir == d) && v->lat_max_ns[d] > max)
			max = v->lat_max_ns[d];
	return max ? (double)max : UNKNOWN;
}

static void add_interval(const struct interval *iv, enum dir dir, double *ios, double *lat_ns)
{
	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++) {
		if (dir != DIR_TOTAL && dir != d)
			continue;
		*ios += iv->ios[d];
		*lat_ns += (double)iv->lat_ns[d];
	}
}

/* How many intervals of the series make one that is long enough for this rate. */
static size_t intervals_to_merge(const struct measurement *m, double iops)
{
	double want_ns = IOS_PER_INTERVAL / iops * NS_PER_S_F, merge;

	merge = ceil(want_ns / (double)m->interval_ns - 1e-9);
	if (merge <= 1)
		return 1;
	return merge < (double)m->nr_intervals ? (size_t)merge : m->nr_intervals;
}

/*
 * What completes in a lump falls inside of the window or outside as a whole, and a series of equal
 * intervals does not show it (a throttle that lets I/O through once an interval). How large the
 * lumps are within an interval is not known, so it is taken to be one interval's worth, anywhere.
 */
static double edge_se_rel(size_t nr_intervals)
{
	return 1 / ((double)nr_intervals * sqrt(12));
}

/* The series in intervals that are long enough for its rate, and how many of them are warm-up. */
struct merged {
	double *ios, *lat_ns; /* owned */
	size_t nr, skip;
	uint64_t skip_ns; /* from the begin of the window to the first that is kept */
};

/* False where there are too few. */
static bool merge_series(const struct measurement *m, enum dir dir, double iops, struct merged *s)
{
	size_t merge, first, whole;

	*s = (struct merged){0};
	if (!m->interval_ns || !(iops > 0))
		return false;
	/* A window that is no multiple of the interval ends with a part of one. */
	whole = (size_t)(m->window_ns / m->interval_ns);
	whole = whole < m->nr_intervals ? whole : m->nr_intervals;
	if (whole < MIN_INTERVALS)
		return false;
	merge = intervals_to_merge(m, iops);
	s->nr = whole / merge;
	first = whole % merge;
	s->ios = xcalloc(s->nr, sizeof(*s->ios));
	s->lat_ns = xcalloc(s->nr, sizeof(*s->lat_ns));
	for (size_t i = 0; i < s->nr * merge; i++)
		add_interval(&m->series[first + i], dir, &s->ios[i / merge], &s->lat_ns[i / merge]);
	s->skip = mser5(s->ios, s->nr);
	if (s->nr - s->skip < MIN_INTERVALS)
		s->skip = 0;
	s->skip_ns = s->skip ? (first + s->skip * merge) * m->interval_ns : 0;
	return true;
}

static void merged_release(struct merged *s)
{
	free(s->ios);
	free(s->lat_ns);
}

static void set_errors(const struct measurement *m, enum dir dir, struct figures *f)
{
	double t_for_z, se_rel;
	struct merged s;
	size_t kept;

	if (!merge_series(m, dir, f->iops, &s))
		return;
	kept = s.nr - s.skip;
	t_for_z = t975((double)batches_of(kept) - 1) / Z_95;
	se_rel = t_for_z * series_se_rel(s.ios + s.skip, kept);
	f->iops_se_rel = isnan(se_rel) ? UNKNOWN : fmax(se_rel, edge_se_rel(s.nr));
	f->lat_se_rel = t_for_z * ratio_se_rel(s.lat_ns + s.skip, s.ios + s.skip, kept);
	merged_release(&s);
}

uint64_t measurement_warm_up_ns(const struct measurement *m, enum dir dir)
{
	double ios = 0, lat_ns = 0;
	struct merged s;

	for (size_t i = 0; i < m->nr_intervals; i++)
		add_interval(&m->series[i], dir, &ios, &lat_ns);
	if (!m->window_ns || !merge_series(m, dir, ios * NS_PER_S_F / (double)m->window_ns, &s))
		return 0;
	merged_release(&s);
	return s.skip_ns;
}

static void set_percentile_errors(const struct measurement *m, enum dir dir, const struct hist *h,
				  struct figures *f)
{
	const struct hist_batches *b[2];
	size_t nr = 0;

	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++)
		if (m->batches[d] && (dir == DIR_TOTAL || dir == d))
			b[nr++] = m->batches[d];
	quantile_ci(b, nr, h, 0.95, &f->lat_p95_lo_ns, &f->lat_p95_hi_ns);
	quantile_ci(b, nr, h, 0.99, &f->lat_p99_lo_ns, &f->lat_p99_hi_ns);
}

void measurement_figures(const struct measurement *m, enum dir dir, struct figures *f)
{
	struct hist *h = measurement_hist(m, dir);
	struct dir_sums sums = measurement_sums(m, dir);

	figures_clear(f);
	if (h && m->worker) {
		set_rates(&sums, m->window_ns, point_is_open(&m->spec), f);
		set_latencies(h, f);
		if (!(m->flags & FLAG_BIT(FLAG_UNSTEADY))) {
			set_errors(m, dir, f);
			set_percentile_errors(m, dir, h, f);
		}
	}
	free(h);
}

static double util_pct(const struct measurement *m)
{
	if (!m->before.is_known || !m->after.is_known || !m->counters_ns ||
	    m->after.busy_ms < m->before.busy_ms)
		return UNKNOWN;
	return fmin(100, 100 * (double)(m->after.busy_ms - m->before.busy_ms) * NS_PER_MS /
				 (double)m->counters_ns);
}

static double cpu_pct(const struct measurement *m)
{
	uint64_t cpu_ns = 0;

	if (!m->worker || !m->window_ns)
		return UNKNOWN;
	for (uint32_t i = 0; i < nr_workers(m); i++)
		cpu_ns += m->worker[i].cpu_user_ns + m->worker[i].cpu_sys_ns;
	return 100 * (double)cpu_ns / (double)m->window_ns;
}

void measurement_to_point(const struct measurement *m, struct point *p)
{
	p->spec = m->spec;
	p->seq = m->seq;
	p->status = m->status;
	p->flags = m->flags;
	p->imported = false;
	p->reason = m->reason ? xstrdup(m->reason) : NULL;
	p->start_wall_ns = m->start_wall_ns;
	p->end_wall_ns = m->end_wall_ns;
	p->window_s = (double)m->window_ns / NS_PER_S_F;
	p->ramp_s = (double)m->ramp_ns / NS_PER_S_F;
	p->drain_s = (double)m->drain_ns / NS_PER_S_F;
	p->depth_mean = m->worker ? m->depth_mean : UNKNOWN;
	p->depth_max = m->worker ? (double)m->depth_max : UNKNOWN;
	p->rate_iops = m->rate_iops;
	p->arrivals = m->worker && point_is_open(&m->spec) ? (double)m->arrivals : UNKNOWN;
	p->backlog = m->worker && point_is_open(&m->spec) ? (double)m->backlog : UNKNOWN;
	p->late_p50_ns = m->late_p50_ns;
	p->late_p99_ns = m->late_p99_ns;
	p->late_max_ns = m->late_max_ns;
	p->util_pct = util_pct(m);
	p->cpu_pct = cpu_pct(m);
	for (enum dir d = DIR_READ; d < DIR_NR; d++)
		measurement_figures(m, d, &p->dir[d]);
	/* What completed before an error is counted, but it is no figure of the device. */
	for (enum dir d = DIR_READ; m->status == POINT_FAILED && d < DIR_NR; d++) {
		double ios = p->dir[d].ios;

		figures_clear(&p->dir[d]);
		p->dir[d].ios = ios;
	}
	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++)
		p->lat_hist[d] = (struct buf)BUF_INIT;
}
