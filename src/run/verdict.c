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
/* D15, and the same for fewer: "clearly" is beyond this share of our own bytes, ... */
#define CLEAR_SHARE 0.10
/* ... and for more also beyond so many bytes a second. */
#define FOREIGN_BYTES_PER_S 1048576.0
/* D16: nothing that is measured is more precise than this share. */
#define UNWRITTEN_MIN 0.01
#define PROBE_MIN     16
#define PROBE_ZEROS   0.90
/* D17 */
#define SUBMIT_SHARE 0.5
#define DEVICE_DEPTH 0.8
/* Where no counters tell that the device had nothing in flight between the calls. */
#define INLINE_SHARE 0.8
/* D19 */
#define STALL_MIN_NS  NS_PER_S
#define STALL_MEDIANS 10
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
}

/* ---- what the counters of the devices saw ---- */

struct layer {
	const char *name;
	const struct dev_counters *before, *after;
};

/* Some devices have counters that never move (NVMe multipath before Linux 6.10). */
static bool layer_counts(const struct layer *l)
{
	return l->before->is_known && l->after->is_known &&
	       l->after->read_ios + l->after->write_ios > 0;
}

static double bytes_seen(const struct layer *l, enum dir dir)
{
	const struct dev_counters *x = l->before, *y = l->after;

	return dir == DIR_READ ? (double)y->read_bytes - (double)x->read_bytes
			       : (double)y->write_bytes - (double)x->write_bytes;
}

/* I/Os may have passed the device on one side of a window's edge, and us on the other. */
static double edge_bytes(const struct measurement *m)
{
	return 2.0 * m->spec.iodepth * (double)m->spec.bs_bytes;
}

static void add_seen(struct buf *b, const struct measurement *m, const struct layer *l,
		     enum dir dir)
{
	buf_addf(b, "%s%s %s ", b->len ? ", " : "", l->name, dir == DIR_READ ? "read" : "wrote");
	buf_add_size_human(b, (uint64_t)bytes_seen(l, dir));
	buf_addstr(b, ", we ");
	buf_add_size_human(b, measurement_sums(m, dir).bytes);
}

/* D15: what is more than our own, each direction on its own; nothing where it is not clear. */
static void add_more(struct buf *b, const struct measurement *m, const struct layer *l)
{
	double seconds = (double)m->counters_ns / (double)NS_PER_S;

	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++) {
		double own = (double)measurement_sums(m, d).bytes;
		double more = bytes_seen(l, d) - own - edge_bytes(m);

		if (more > fmax(CLEAR_SHARE * own, FOREIGN_BYTES_PER_S * seconds))
			add_seen(b, m, l, d);
	}
}

/* On a device of its own it spoils; a disk that others use too has its life beside us. */
static void judge_more(struct measurement *m, const struct target_info *info,
		       const struct layer *own, const struct layer *bottom)
{
	struct buf foreign = BUF_INIT, shared = BUF_INIT;

	if (layer_counts(own))
		add_more(info->is_shared_device ? &shared : &foreign, m, own);
	/* A page cache reads ahead and writes later. */
	if (layer_counts(bottom) && !info->is_buffered)
		add_more(&shared, m, bottom);
	if (foreign.len)
		measurement_flag(m, FLAG_FOREIGN_LOAD, "%s", buf_text(&foreign));
	if (shared.len)
		measurement_flag(m, FLAG_SHARED_LOAD, "%s", buf_text(&shared));
	buf_release(&foreign);
	buf_release(&shared);
}

/* Our bytes of the intervals that begun after the counters were first read. */
static double own_since_counters(const struct measurement *m, const struct evidence *ev,
				 enum dir dir)
{
	double ios = 0;

	for (size_t i = (size_t)((ev->counters_late_ns + m->interval_ns - 1) / m->interval_ns);
	     i < m->nr_intervals; i++)
		ios += m->series[i].ios[dir];
	return ios * (double)m->spec.bs_bytes;
}

/* Fewer than our own, but for those that no medium was asked for. */
static void judge_fewer(struct measurement *m, const struct layer *l, const struct evidence *ev,
			double unwritten)
{
	struct buf b = BUF_INIT;

	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++) {
		double want = own_since_counters(m, ev, d);

		/* Of a part that there was no time to look at, nothing is known. */
		if (d == DIR_READ && unwritten > 0)
			want *= ev->extents.seen_bytes < m->spec.span_bytes ? 0 : 1 - unwritten;
		if (bytes_seen(l, d) + edge_bytes(m) < (1 - CLEAR_SHARE) * want)
			add_seen(&b, m, l, d);
	}
	if (b.len)
		measurement_flag(m, FLAG_HOST_CACHE, "%s", buf_text(&b));
	buf_release(&b);
}

static void judge_counters(struct measurement *m, const struct target_info *info,
			   const struct evidence *ev, double unwritten)
{
	const char *disk = facts_get(&info->facts, "bottom.device");
	const struct layer own = {info->is_block ? "the device" : "the disk below", &m->before,
				  &m->after};
	const struct layer bottom = {disk ? disk : "the disk below", &m->bottom_before,
				     &m->bottom_after};
	bool is_below = info->bottom_stat && !info->is_part_of_bottom;

	judge_more(m, info, &own, &bottom);
	if (info->is_memory || info->is_memory_below)
		measurement_flag(m, FLAG_HOST_CACHE, "the file%s is in memory%s%s",
				 info->is_memory ? "" : " of the loop device",
				 info->is_memory ? ", on " : "",
				 info->is_memory ? facts_get(&info->facts, "fs.type") : "");
	else if (is_below && layer_counts(&bottom))
		judge_fewer(m, &bottom, ev, unwritten);
	/* What a block device itself has not seen was never asked for. */
	else if (layer_counts(&own) && !info->is_block)
		judge_fewer(m, &own, ev, unwritten);
	if (info->is_bottomless || !layer_counts(is_below ? &bottom : &own))
		measurement_flag(m, FLAG_NO_COUNTERS, "no device that counts lies %s",
				 info->is_block && m->before.is_known ? "below the loop device"
								      : "behind the target");
}

/* ---- blocks that were never written ---- */

static double unwritten_share(const struct evidence *ev)
{
	const struct target_extents *x = &ev->extents;

	if (!x->is_known || !x->seen_bytes)
		return 0;
	return (double)x->unwritten_bytes / (double)x->seen_bytes;
}

static void judge_unwritten(struct measurement *m, const struct evidence *ev, double share)
{
	struct buf b = BUF_INIT;

	if (share >= UNWRITTEN_MIN) {
		buf_addf(&b, "%.*f %% of ", share < 0.1 ? 1 : 0, 100 * share);
		if (ev->extents.seen_bytes < m->spec.span_bytes)
			buf_addstr(&b, "the first ");
		buf_add_size_human(&b, ev->extents.seen_bytes);
		if (point_reads(&m->spec))
			measurement_flag(m, FLAG_UNWRITTEN, "%s", buf_text(&b));
		if (point_writes(&m->spec))
			measurement_flag(m, FLAG_ALLOCATING, "%s", buf_text(&b));
	}
	buf_release(&b);
	if (m->spec.rwmixread_pct && ev->probe.nr_read >= PROBE_MIN &&
	    ev->probe.nr_zero > PROBE_ZEROS * ev->probe.nr_read)
		measurement_flag(m, FLAG_READS_ZERO, "%u of %u sampled blocks", ev->probe.nr_zero,
				 ev->probe.nr_read);
}

/* ---- time inside the submit call ---- */

/* Waiting for a CPU inside the call says nothing about the target, so unless nothing else can be
 * meant, it is left out of the call (in which all of it is taken to be) and of the time. */
static double submit_share(const struct measurement *m, bool with_waiting)
{
	double submit_ns = 0, wait_ns = 0, wall_ns = (double)m->spec.workers * (double)m->window_ns;

	for (uint32_t i = 0; i < m->spec.workers; i++) {
		submit_ns += (double)m->worker[i].submit_ns;
		wait_ns += (double)m->worker[i].cpu_wait_ns;
	}
	if (with_waiting)
		return submit_ns / wall_ns;
	return wait_ns < wall_ns ? fmax(submit_ns - wait_ns, 0) / (wall_ns - wait_ns) : 0;
}

static bool sleeps_seldom(const struct measurement *m)
{
	uint64_t switches = 0;

	for (uint32_t i = 0; i < m->spec.workers; i++)
		switches += m->worker[i].voluntary_switches;
	return switches * IOS_PER_SWITCH < measurement_sums(m, DIR_TOTAL).ios;
}

/*
 * How many of our I/Os the device itself had, on average. Its counters say so; of a shared one,
 * our part by bytes. Without counters, those that were not inside the submit call.
 */
static double device_depth(const struct measurement *m, const struct target_info *info)
{
	const struct layer own = {NULL, &m->before, &m->after};
	struct dir_sums sums = measurement_sums(m, DIR_TOTAL);
	double depth, seen;

	if (!layer_counts(&own) || !m->counters_ns)
		/* Not of the latency, which with an offered load begins before the submission. */
		return fmax(m->depth_mean - (double)sums.slat_ns / (double)m->window_ns, 0);
	/* The kernel prints 32 bits of it, which go round every few hours at a great depth. */
	depth = (double)(uint32_t)(m->after.queue_ms - m->before.queue_ms) * (double)NS_PER_MS /
		(double)m->counters_ns;
	seen = bytes_seen(&own, DIR_READ) + bytes_seen(&own, DIR_WRITE);
	if (info->is_shared_device && seen > (double)sums.bytes)
		depth *= (double)sums.bytes / seen;
	return depth;
}

/* D17. A device that answers inside the call never has more than one I/O of each worker, and no
 * worker ever sleeps. What a write costs inside the call may as well be its allocation. */
static bool is_inline(const struct measurement *m, const struct target_info *info, double share,
		      double depth)
{
	if (!sleeps_seldom(m))
		return false;
	if (info->is_memory)
		return true;
	if (!m->spec.rwmixread_pct)
		return false;
	return m->before.is_known ? depth <= m->spec.workers : share >= INLINE_SHARE;
}

static void judge_submit(struct measurement *m, const struct target_info *info)
{
	/* With an offered load the depth asked for is a limit, which nobody means to reach. */
	double asked = point_is_open(&m->spec) ? m->depth_mean : m->spec.iodepth;
	double share = submit_share(m, info->is_memory), depth;

	if (share < SUBMIT_SHARE)
		return;
	depth = device_depth(m, info);
	if (is_inline(m, info, share, depth))
		measurement_flag(m, FLAG_INLINE, "%.0f %% of the time inside the submit call",
				 100 * share);
	else if (depth < DEVICE_DEPTH * asked)
		measurement_flag(m, FLAG_SUBMIT_BLOCKED,
				 "%.0f %% of the time inside the submit call; effective depth %.1f "
				 "of %.4g",
				 100 * share, depth, asked);
}

/* ---- no completions ---- */

static uint64_t ios_of(const struct interval *iv)
{
	return (uint64_t)iv->ios[DIR_READ] + iv->ios[DIR_WRITE];
}

static int compare_sizes(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

/*
 * The median gap between completions, in empty intervals. Of those that share an interval, all but
 * the first are nearer to the one before than that.
 */
static size_t median_gap(const struct interval *series, size_t nr)
{
	size_t *gap = xcalloc(nr + 1, sizeof(*gap)), nr_gaps = 0, empty = 0, median = 0;
	uint64_t nr_near = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!ios_of(&series[i])) {
			empty++;
			continue;
		}
		nr_near += ios_of(&series[i]) - 1;
		gap[nr_gaps++] = empty;
		empty = 0;
	}
	qsort(gap, nr_gaps, sizeof(*gap), compare_sizes);
	if (nr_near < nr_gaps)
		median = gap[(nr_gaps - nr_near) / 2];
	free(gap);
	return median;
}

/* The last interval may be a part of one. */
static uint64_t longest_gap_ns(const struct interval *series, size_t nr, uint64_t interval_ns,
			       uint64_t window_ns)
{
	uint64_t longest = 0, empty = 0;

	for (size_t i = 0; i < nr; i++) {
		uint64_t rest = window_ns - i * interval_ns;

		empty = ios_of(&series[i]) ? 0 : empty + (rest < interval_ns ? rest : interval_ns);
		longest = empty > longest ? empty : longest;
	}
	return longest;
}

uint64_t verdict_stall_ns(const struct interval *series, size_t nr, uint64_t interval_ns,
			  uint64_t window_ns, double lat_max_ns)
{
	uint64_t least = longest_gap_ns(series, nr, interval_ns, window_ns);
	uint64_t most = least + 2 * interval_ns;
	size_t median = median_gap(series, nr);
	uint64_t gap = least, limit = median ? STALL_MEDIANS * (median + 1) * interval_ns : 0;

	/* Without an empty interval the longest latency is that of one I/O among others. */
	if (least && lat_max_ns > (double)least && lat_max_ns < (double)most)
		gap = (uint64_t)lat_max_ns;
	return gap >= (limit > STALL_MIN_NS ? limit : STALL_MIN_NS) ? gap : 0;
}

static double longest_latency(const struct measurement *m)
{
	uint64_t max = 0;

	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++)
		if (m->lat[d] && m->lat[d]->count && m->lat[d]->max > max)
			max = m->lat[d]->max;
	return (double)max;
}

/* Whether the series ends in silence while something was offered that never came back in time. */
static bool ends_waiting(const struct measurement *m)
{
	return m->nr_intervals && !ios_of(&m->series[m->nr_intervals - 1]) &&
	       m->arrivals > measurement_sums(m, DIR_TOTAL).ios;
}

/* Where I/Os arrive at a rate nothing need complete while none has arrived: what stalls, keeps
 * something waiting. */
static bool was_waiting(const struct measurement *m)
{
	return !point_is_open(&m->spec) || ends_waiting(m) ||
	       longest_latency(m) >= (double)STALL_MIN_NS;
}

static void judge_stall(struct measurement *m)
{
	uint64_t ns = verdict_stall_ns(m->series, m->nr_intervals, m->interval_ns, m->window_ns,
				       longest_latency(m));

	if (ns && was_waiting(m))
		measurement_flag(m, FLAG_STALL, "stall of %.1f s", (double)ns / (double)NS_PER_S);
}

/* ---- the client ---- */

/* A kernel without schedstat still counts ticks, though not the wait for a CPU. */
static double busy_ns(const struct worker_result *w)
{
	return w->cpu_run_ns ? (double)w->cpu_run_ns + (double)w->cpu_wait_ns
			     : (double)w->cpu_user_ns + (double)w->cpu_sys_ns;
}

static void judge_cpu(struct measurement *m)
{
	for (uint32_t i = 0; m->worker && i < m->spec.workers; i++) {
		const struct worker_result *w = &m->worker[i];
		uint64_t ios = w->dir[DIR_READ].ios + w->dir[DIR_WRITE].ios;
		double busy = busy_ns(w) / (double)m->window_ns;
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

void verdict_judge(struct measurement *m, const struct target_info *info, const struct evidence *ev)
{
	double unwritten;

	if (m->status != POINT_OK)
		return;
	unwritten = unwritten_share(ev);
	judge_depth(m, info);
	judge_limits(m, info);
	judge_unwritten(m, ev, unwritten);
	judge_counters(m, info, ev, unwritten);
	judge_submit(m, info);
	judge_stall(m);
	judge_cpu(m);
	judge_samples(m);
	judge_rate(m);
	judge_little(m);
}
