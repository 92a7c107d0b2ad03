/* SPDX-License-Identifier: MIT */
#include "report/point_text.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/units.h"
#include "report/format.h"
#include "report/lines.h"
#include "report/markup.h"
#include "report/point_tables.h"

#include <inttypes.h>
#include <string.h>

static double ms(double ns)
{
	return ns / (double)NS_PER_MS;
}

static void add_latency(struct lines *l, const struct figures *f)
{
	struct buf v = BUF_INIT;

	if (!isnan(f->slat_mean_ns))
		buf_addf(&v, "%.3f ms in the submit call (slat)", ms(f->slat_mean_ns));
	/* Of an offered load the rest began before the call. */
	if (!isnan(f->clat_mean_ns))
		buf_addf(&v, ", %.3f ms after it (clat)", ms(f->clat_mean_ns));
	lines_take(l, "latency", &v);
}

/* The 95 % interval of a percentile. */
static void add_interval(struct buf *v, const char *name, double low_ns, double high_ns)
{
	if (isnan(low_ns))
		return;
	buf_addf(v, "%s%s %.3f to %.3f ms", v->len ? ", " : "", name, ms(low_ns), ms(high_ns));
}

static void add_precision(struct lines *l, const struct figures *f)
{
	struct buf v = BUF_INIT;

	if (!isnan(f->iops_se_rel))
		buf_addf(&v, "IOPS +- %.2f %%, mean latency +- %.2f %% (95 %%)",
			 195.9964 * f->iops_se_rel, 195.9964 * f->lat_se_rel);
	add_interval(&v, "p95", f->lat_p95_lo_ns, f->lat_p95_hi_ns);
	add_interval(&v, "p99", f->lat_p99_lo_ns, f->lat_p99_hi_ns);
	lines_take(l, "precision", &v);
}

static void add_when(struct lines *l, const struct point *p)
{
	struct buf v = BUF_INIT;

	if (!p->start_wall_ns)
		return;
	buf_add_utc(&v, p->start_wall_ns);
	if (!isnan(p->window_s))
		buf_addf(&v, ", %.3f s after a ramp of %.3f s, drain %.3f s", p->window_s,
			 p->ramp_s, p->drain_s);
	lines_take(l, "measured", &v);
}

static void add_offered(struct lines *l, const struct measurement *m, const struct point *p)
{
	struct buf v = BUF_INIT;

	if (point_is_open(&p->spec))
		buf_addf(&v,
			 "rate %.1f IOPS, %" PRIu64 " starts due, %" PRIu64
			 " left to submit at the end",
			 p->rate_iops, m->arrivals, m->backlog);
	lines_take(l, "offered", &v);
	if (!isnan(p->late_p50_ns))
		buf_addf(&v,
			 "submitted %.3f ms after the intended start (50 %%), %.3f ms (99 %%), "
			 "%.3f ms at most",
			 ms(p->late_p50_ns), ms(p->late_p99_ns), ms(p->late_max_ns));
	lines_take(l, "late", &v);
}

static void add_in_flight(struct lines *l, const struct measurement *m, const struct point *p)
{
	struct buf v = BUF_INIT;

	buf_addf(&v, "asked %" PRIu32, p->spec.iodepth);
	if (!isnan(p->depth_mean))
		buf_addf(&v, ", mean %.2f, max %.0f", p->depth_mean, p->depth_max);
	lines_take(l, "depth", &v);
	add_offered(l, m, p);
	if (!isnan(m->little_rel))
		buf_addf(&v, "sum of latencies and number in flight differ by %.3f %%",
			 100 * m->little_rel);
	lines_take(l, "little", &v);
}

static void add_how_it_went(struct lines *l, const struct measurement *m, const struct point *p)
{
	struct buf v = BUF_INIT;

	lines_add(l, "status", point_status_name(p->status));
	lines_add(l, "reason", p->reason);
	lines_add(l, "origin", p->imported ? "imported" : "measured");
	add_when(l, p);
	add_in_flight(l, m, p);
	add_latency(l, &p->dir[DIR_TOTAL]);
	add_precision(l, &p->dir[DIR_TOTAL]);
	if (!isnan(p->cpu_pct))
		buf_addf(&v, "%.1f %% of a core", p->cpu_pct);
	lines_take(l, "CPU", &v);
	if (!isnan(p->util_pct))
		buf_addf(&v, "%.1f %% of the time", p->util_pct);
	lines_take(l, "device busy", &v);
	if (m->nr_errors)
		buf_addf(&v, "%" PRIu64 ", the first at byte %" PRIu64 ": %s", m->nr_errors,
			 m->err_offset, strerror(m->err_errno));
	lines_take(l, "errors", &v);
}

/* A line, broken at the width with this much in front of each. */
static void add_wrapped(struct buf *b, struct text_style style, size_t indent, const char *text)
{
	if (style.is_markdown)
		text_item(b, style, text);
	else if (style.width)
		format_wrapped(b, text, indent, style.width);
	else
		buf_addf(b, "%*s%s\n", (int)indent, "", text);
}

static void add_verdict(struct buf *b, const struct measurement *m, enum flag f,
			struct text_style style)
{
	static const char *const effects[] = {
		[EFFECT_FAILED] = "failed",
		[EFFECT_SPOILED] = "spoiled",
		[EFFECT_LOWER_BOUND] = "a lower bound",
		[EFFECT_NOTED] = "noted",
	};
	struct buf s = BUF_INIT;

	buf_addf(&s, "%s (%s): %s", flag_name(f), effects[flag_effect(f)], flag_meaning(f));
	add_wrapped(b, style, 2, buf_text(&s));
	buf_reset(&s);
	if (m->flag_detail[f]) {
		buf_addf(&s, "here: %s", m->flag_detail[f]);
		add_wrapped(b, style, 4, buf_text(&s));
	}
	buf_release(&s);
}

/* A line of the counters: blanks in front of it, or an item. */
static void add_counted(struct buf *b, struct text_style style, struct buf *s)
{
	if (style.is_markdown)
		text_item(b, style, buf_text(s));
	else
		buf_addf(b, "  %s\n", buf_text(s));
	buf_reset(s);
}

static void add_layer(struct buf *b, struct text_style style, const char *title,
		      const struct dev_counters *x, const struct dev_counters *y, uint64_t ns)
{
	struct buf s = BUF_INIT;

	if (!x->is_known || !y->is_known)
		return;
	buf_addf(&s, "%s over %.3f s", title, (double)ns / (double)NS_PER_S);
	text_section(b, style, buf_text(&s));
	buf_reset(&s);
	buf_addf(&s, "reads  %" PRIu64 " I/Os, %" PRIu64 " bytes, %" PRIu64 " ms",
		 y->read_ios - x->read_ios, y->read_bytes - x->read_bytes, y->read_ms - x->read_ms);
	add_counted(b, style, &s);
	buf_addf(&s, "writes %" PRIu64 " I/Os, %" PRIu64 " bytes, %" PRIu64 " ms",
		 y->write_ios - x->write_ios, y->write_bytes - x->write_bytes,
		 y->write_ms - x->write_ms);
	add_counted(b, style, &s);
	buf_addf(&s, "busy   %" PRIu64 " ms; I/Os times waiting %" PRIu64 " ms",
		 y->busy_ms - x->busy_ms, y->queue_ms - x->queue_ms);
	add_counted(b, style, &s);
	buf_release(&s);
}

/* The number of all intervals where no maximum is known. */
static size_t slowest_interval(const struct measurement *m)
{
	size_t worst = m->nr_intervals;
	double max_ns = 0;

	for (size_t i = 0; i < m->nr_intervals; i++) {
		double ns = interval_lat_max_ns(&m->series[i], DIR_TOTAL);

		if (!(ns > max_ns))
			continue;
		max_ns = ns;
		worst = i;
	}
	return worst;
}

static void add_series(struct buf *b, struct text_style style, const struct measurement *m)
{
	uint64_t low = UINT64_MAX, high = 0;
	size_t worst = slowest_interval(m);
	struct buf s = BUF_INIT;
	double per_s;

	if (!m->nr_intervals || !m->interval_ns)
		return;
	for (size_t i = 0; i < m->nr_intervals; i++) {
		uint64_t ios = (uint64_t)m->series[i].ios[0] + m->series[i].ios[1];

		low = ios < low ? ios : low;
		high = ios > high ? ios : high;
	}
	per_s = (double)NS_PER_S / (double)m->interval_ns;
	buf_addf(&s, "Series: %zu intervals of ", m->nr_intervals);
	buf_add_duration(&s, m->interval_ns);
	buf_addf(&s, ", from %.1f to %.1f IOPS", (double)low * per_s, (double)high * per_s);
	if (worst < m->nr_intervals) {
		buf_addstr(&s, "; the largest latency, ");
		format_ms(&s, interval_lat_max_ns(&m->series[worst], DIR_TOTAL));
		buf_addf(&s, ", ended in the interval from %.4g s on",
			 (double)(worst * m->interval_ns) / (double)NS_PER_S);
	}
	text_gap(b, style);
	text_say_at(b, style, 0, buf_text(&s));
	buf_release(&s);
}

void point_text(struct buf *b, const struct point_view *v, struct text_style style)
{
	const struct measurement *m = v->m;
	struct lines l = {.is_foreign = true,
			  .out = b,
			  .width = style.width,
			  .is_markdown = style.is_markdown};
	struct buf s = BUF_INIT;

	buf_addf(&s, "run %" PRId64 ", point %" PRIu32 ": ", v->run->id, v->p->seq);
	buf_add_point(&s, &v->p->spec);
	text_title(b, style, buf_text(&s));
	buf_release(&s);
	add_how_it_went(&l, m, v->p);
	if (m->flags)
		text_section(b, style, "Verdicts");
	for (enum flag f = 0; f < FLAG_NR; f++)
		if (m->flags & FLAG_BIT(f))
			add_verdict(b, m, f, style);
	if (isnan(v->p->dir[DIR_TOTAL].iops))
		return;
	point_workers(b, v, style);
	point_percentiles(b, v, style);
	point_cpus(b, v, style);
	add_layer(b, style, "Device counters", &m->before, &m->after, m->counters_ns);
	add_layer(b, style, "Counters of the device at the bottom", &m->bottom_before,
		  &m->bottom_after, m->counters_ns);
	add_series(b, style, m);
}
