/* SPDX-License-Identifier: MIT */
#include "run/verdict.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdlib.h>

/* D9: more than this apart is a bug of ours. */
#define LITTLE_MAX 0.005
/* Below this share of the depth asked for, the depth was not held. */
#define DEPTH_HELD 0.95
/* D18 */
#define CPU_BOUND_SHARE 0.90
#define IOS_PER_SWITCH	100
/* Waiting for a CPU longer than this share of the time disturbs what is measured. */
#define DISTURBED_SHARE 0.05
/* method.md: the error at both ends of the window is of the order of depth / I/Os. */
#define IOS_PER_DEPTH 100
/* A percentile p needs this many samples beyond it; p99 is shown everywhere. */
#define SAMPLES_FOR_P99 1000

/* An offered load was missed when this share of it, and more than a few I/Os, did not complete. */
#define RATE_MISSED	0.03
#define RATE_MISSED_IOS 3
/* Of the mean latency that is ours when I/Os are submitted late (99th percentile). */
#define LATE_SHARE 0.10

static void judge_little(struct measurement *m)
{
	if (isnan(m->little_rel) || fabs(m->little_rel) <= LITTLE_MAX)
		return;
	measurement_flag(m, FLAG_LITTLE, "%.2f %% apart", 100 * m->little_rel);
	m->status = POINT_FAILED;
	free(m->reason);
	m->reason = xasprintf("the sum of latencies is %.2f %% off the depth in flight",
			      100 * m->little_rel);
}

static void judge_depth(struct measurement *m, const struct target_info *info)
{
	uint32_t limit = target_queue_limit(info);
	uint64_t depth = m->spec.iodepth;

	/* With a rate the depth is a bound of what is in flight, and nothing to hold. */
	if (point_is_open(&m->spec))
		depth = m->depth_max;
	else if (m->depth_mean < DEPTH_HELD * m->spec.iodepth)
		measurement_flag(m, FLAG_DEPTH_NOT_HELD, "%.1f of %u in flight on average",
				 m->depth_mean, m->spec.iodepth);
	if (limit && depth > limit)
		measurement_flag(m, FLAG_QUEUE_LIMITED, "iodepth %" PRIu64 ", limit %u", depth,
				 limit);
}

static void judge_limits(struct measurement *m, const struct target_info *info)
{
	uint64_t max_bytes = (uint64_t)info->max_sectors_kb * 1024;

	if (info->throttle)
		measurement_flag(m, FLAG_THROTTLED, "%s", info->throttle);
	if (max_bytes && m->spec.bs_bytes > max_bytes)
		measurement_flag(m, FLAG_SPLIT, "max_sectors_kb %u: %" PRIu64 " requests a block",
				 info->max_sectors_kb,
				 (m->spec.bs_bytes + max_bytes - 1) / max_bytes);
	if (info->is_memory)
		measurement_flag(m, FLAG_HOST_CACHE, "the file is in memory, on %s",
				 facts_get(&info->facts, "fs.type"));
	if (!m->before.is_known)
		measurement_flag(m, FLAG_NO_COUNTERS, "no stat file behind the target");
}

static void judge_cpu(struct measurement *m)
{
	for (uint32_t i = 0; m->worker && i < m->spec.workers; i++) {
		const struct worker_result *w = &m->worker[i];
		uint64_t ios = w->dir[DIR_READ].ios + w->dir[DIR_WRITE].ios;
		double busy = (double)(w->cpu_run_ns + w->cpu_wait_ns) / (double)m->window_ns;
		double waited = (double)w->cpu_wait_ns / (double)m->window_ns;

		/* Who polls is always busy, which says nothing of the target (D18). An open loop
		 * polls for the last moment before a start; that it is short of CPU is seen by late
		 * starts. */
		if (!m->spin && !point_is_open(&m->spec) && busy >= CPU_BOUND_SHARE &&
		    w->voluntary_switches * IOS_PER_SWITCH < ios)
			measurement_flag(
				m, FLAG_CPU_BOUND,
				"worker %u was on or waiting for a CPU %.0f %% of the time", i,
				100 * busy);
		else if (waited > DISTURBED_SHARE)
			measurement_flag(m, FLAG_HOST_DISTURBED,
					 "worker %u waited for a CPU %.0f %% of the time", i,
					 100 * waited);
	}
}

static void judge_samples(struct measurement *m)
{
	uint64_t ios = measurement_sums(m, DIR_TOTAL).ios;

	if (!point_is_open(&m->spec) && ios < (uint64_t)IOS_PER_DEPTH * m->spec.iodepth)
		measurement_flag(m, FLAG_FEW_SAMPLES, "%" PRIu64 " I/Os at iodepth %u", ios,
				 m->spec.iodepth);
	else if (ios < SAMPLES_FOR_P99)
		measurement_flag(m, FLAG_FEW_SAMPLES, "%" PRIu64 " I/Os are few for p99", ios);
}

static void judge_rate(struct measurement *m)
{
	struct dir_sums sums = measurement_sums(m, DIR_TOTAL);
	double missed = fabs((double)m->arrivals - (double)sums.ios);
	double mean_ns = (double)sums.lat_ns / (double)sums.ios;

	if (!point_is_open(&m->spec))
		return;
	if (missed > RATE_MISSED * (double)m->arrivals && missed > RATE_MISSED_IOS)
		measurement_flag(m, FLAG_RATE_MISSED,
				 "%" PRIu64 " I/Os offered, %" PRIu64 " completed, %" PRIu64
				 " left to submit at the end",
				 m->arrivals, sums.ios, m->backlog);
	if (m->late_p99_ns > LATE_SHARE * mean_ns)
		measurement_flag(m, FLAG_LATE_SUBMIT, "p99 %.3f ms late, mean latency %.3f ms",
				 m->late_p99_ns / (double)NS_PER_MS, mean_ns / (double)NS_PER_MS);
}

void verdict_judge(struct measurement *m, const struct target_info *info)
{
	if (m->status != POINT_OK)
		return;
	judge_depth(m, info);
	judge_limits(m, info);
	judge_cpu(m);
	judge_samples(m);
	judge_rate(m);
	judge_little(m);
}
