/* SPDX-License-Identifier: MIT */
#include "report/point_json.h"

#include "base/clock.h"
#include "base/num.h"
#include "report/json_write.h"
#include "report/quantiles.h"

#include <inttypes.h>
#include <stdlib.h>

#define BYTES_PER_MIB 1048576.0

static void open_array(struct buf *b, const char *name)
{
	json_key(b, name);
	buf_addch(b, '[');
}

static void open_object(struct buf *b, const char *name)
{
	json_key(b, name);
	buf_addch(b, '{');
}

static void add_errors(struct buf *b, const struct measurement *m)
{
	open_object(b, "errors");
	json_uint(b, "nr", m->nr_errors);
	if (m->nr_errors) {
		json_uint(b, "errno", (uint64_t)m->err_errno);
		json_uint(b, "offset_bytes", m->err_offset);
	}
	buf_addch(b, '}');
}

static void add_verdicts(struct buf *b, const struct measurement *m)
{
	static const char *const effects[] = {
		[EFFECT_FAILED] = "failed",
		[EFFECT_SPOILED] = "spoiled",
		[EFFECT_LOWER_BOUND] = "lower-bound",
		[EFFECT_NOTED] = "noted",
	};

	open_array(b, "verdicts");
	for (enum flag f = 0; f < FLAG_NR; f++) {
		if (!(m->flags & FLAG_BIT(f)))
			continue;
		json_next(b);
		buf_addch(b, '{');
		json_text(b, "flag", flag_name(f));
		json_text(b, "effect", effects[flag_effect(f)]);
		json_text(b, "meaning", flag_meaning(f));
		json_text(b, "here", m->flag_detail[f]);
		buf_addch(b, '}');
	}
	buf_addch(b, ']');
}

static void add_percentiles(struct buf *b, const struct hist *h, const struct figures *f)
{
	open_array(b, "percentiles");
	for (size_t i = 0; i < NR_QUANTILES; i++) {
		const struct quantile *q = &quantiles[i];
		double low = UNKNOWN, high = UNKNOWN;

		json_next(b);
		buf_addch(b, '{');
		json_text(b, "name", q->name);
		json_num(b, "share", q->q);
		json_num(b, "ms", quantile_ns(q, h, f) / (double)NS_PER_MS);
		json_key(b, "few");
		if (h)
			buf_addstr(b, quantile_has_few(q, h->count) ? "true" : "false");
		else
			buf_addstr(b, "null");
		if (q->low) {
			(void)quantile_interval(q, f, &low, &high);
			json_num(b, "low_ms", low / (double)NS_PER_MS);
			json_num(b, "high_ms", high / (double)NS_PER_MS);
		}
		buf_addch(b, '}');
	}
	buf_addch(b, ']');
}

static void add_histogram(struct buf *b, const struct hist *h)
{
	const char *sep = "";

	open_array(b, "histogram");
	for (unsigned i = 0; h && i < HIST_NR; i++) {
		if (!h->bucket[i])
			continue;
		buf_addf(b, "%s[%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", sep, hist_bucket_low(i),
			 hist_bucket_high(i), h->bucket[i]);
		sep = ",";
	}
	buf_addch(b, ']');
}

static void add_worker_figures(struct buf *b, const struct measurement *m,
			       const struct worker_result *w, enum dir dir)
{
	struct dir_sums s = worker_sums(w, dir);
	double window_s = (double)m->window_ns / (double)NS_PER_S;
	double mean_ns = s.ios ? (double)s.lat_ns / (double)s.ios : UNKNOWN;

	json_next(b);
	buf_addch(b, '{');
	json_uint(b, "ios", s.ios);
	json_uint(b, "bytes", s.bytes);
	json_num(b, "mib_s", (double)s.bytes / BYTES_PER_MIB / window_s);
	json_num(b, "iops", (double)s.ios / window_s);
	json_num(b, "lat_mean_ms", mean_ns / (double)NS_PER_MS);
	json_num(b, "lat_sd_ms", worker_lat_sd_ns(w, dir) / (double)NS_PER_MS);
	buf_addch(b, '}');
}

static void add_direction(struct buf *b, const struct point_view *v, enum dir dir)
{
	const struct measurement *m = v->m;
	const struct figures *f = &v->p->dir[dir];
	struct hist *h = measurement_hist(m, dir);

	open_object(b, dir_name(dir));
	json_fields(b, field_figures, f);
	json_num(b, "bytes", m->worker ? (double)measurement_sums(m, dir).bytes : UNKNOWN);
	add_percentiles(b, h, f);
	add_histogram(b, h);
	open_array(b, "workers");
	for (uint32_t i = 0; m->worker && i < m->spec.workers; i++)
		add_worker_figures(b, m, &m->worker[i], dir);
	buf_addstr(b, "]}");
	free(h);
}

static double percent_of(uint64_t ns, uint64_t window_ns)
{
	return 100 * (double)ns / (double)window_ns;
}

static void add_worker_cpu(struct buf *b, const struct measurement *m)
{
	open_array(b, "worker_cpu");
	for (uint32_t i = 0; m->worker && i < m->spec.workers; i++) {
		const struct worker_result *w = &m->worker[i];

		json_next(b);
		buf_addch(b, '{');
		json_uint(b, "iodepth", w->iodepth);
		json_num(b, "depth_mean", w->depth_mean);
		json_uint(b, "depth_max", w->depth_max);
		json_num(b, "user_pct", percent_of(w->cpu_user_ns, m->window_ns));
		json_num(b, "system_pct", percent_of(w->cpu_sys_ns, m->window_ns));
		json_num(b, "waiting_pct", percent_of(w->cpu_wait_ns, m->window_ns));
		json_num(b, "submitting_pct", percent_of(w->submit_ns, m->window_ns));
		json_uint(b, "voluntary_switches", w->voluntary_switches);
		buf_addch(b, '}');
	}
	buf_addch(b, ']');
}

static void add_cores(struct buf *b, const struct measurement *m)
{
	open_array(b, "cores");
	for (size_t i = 0; i < m->nr_cpus; i++) {
		const struct cpu_times *c = &m->cpu[i];

		json_next(b);
		buf_addch(b, '{');
		json_uint(b, "core", c->cpu);
		json_uint(b, "user_ms", c->user_ms);
		json_uint(b, "system_ms", c->system_ms);
		json_uint(b, "irq_ms", c->irq_ms);
		json_uint(b, "steal_ms", c->steal_ms);
		json_uint(b, "iowait_ms", c->iowait_ms);
		json_uint(b, "idle_ms", c->idle_ms);
		buf_addch(b, '}');
	}
	buf_addch(b, ']');
}

static void add_layer(struct buf *b, const char *name, const struct dev_counters *x,
		      const struct dev_counters *y)
{
	if (!x->is_known || !y->is_known) {
		json_text(b, name, NULL);
		return;
	}
	open_object(b, name);
	json_uint(b, "read_ios", y->read_ios - x->read_ios);
	json_uint(b, "read_bytes", y->read_bytes - x->read_bytes);
	json_uint(b, "read_ms", y->read_ms - x->read_ms);
	json_uint(b, "write_ios", y->write_ios - x->write_ios);
	json_uint(b, "write_bytes", y->write_bytes - x->write_bytes);
	json_uint(b, "write_ms", y->write_ms - x->write_ms);
	json_uint(b, "busy_ms", y->busy_ms - x->busy_ms);
	json_uint(b, "queue_ms", y->queue_ms - x->queue_ms);
	buf_addch(b, '}');
}

static void add_counters(struct buf *b, const struct measurement *m)
{
	json_num(b, "counters_s",
		 m->counters_ns ? (double)m->counters_ns / (double)NS_PER_S : UNKNOWN);
	open_object(b, "counters");
	add_layer(b, "target", &m->before, &m->after);
	add_layer(b, "bottom", &m->bottom_before, &m->bottom_after);
	buf_addch(b, '}');
}

static void add_series(struct buf *b, const struct measurement *m)
{
	json_num(b, "interval_ms",
		 m->nr_intervals ? (double)m->interval_ns / (double)NS_PER_MS : UNKNOWN);
	open_array(b, "series");
	for (size_t i = 0; i < m->nr_intervals; i++) {
		buf_addf(b, "%s[%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",%" PRIu64, i ? "," : "",
			 m->series[i].ios[DIR_READ], m->series[i].lat_ns[DIR_READ],
			 m->series[i].ios[DIR_WRITE], m->series[i].lat_ns[DIR_WRITE]);
		for (enum dir d = DIR_READ; d <= DIR_WRITE; d++)
			if (m->series[i].lat_max_ns[d])
				buf_addf(b, ",%" PRIu64, m->series[i].lat_max_ns[d]);
			else
				buf_addstr(b, ",null");
		buf_addch(b, ']');
	}
	buf_addch(b, ']');
}

static void add_what(struct buf *b, const struct point_view *v)
{
	const struct point *p = v->p;
	struct buf name = BUF_INIT;

	buf_add_point(&name, &p->spec);
	json_uint(b, "run", (uint64_t)v->run->id);
	json_uint(b, "seq", p->seq);
	json_text(b, "name", buf_text(&name));
	json_axes(b, &p->spec);
	json_uint(b, "iodepth", p->spec.iodepth);
	json_num(b, "rate_pct", p->spec.rate_e4 ? p->spec.rate_e4 / 1e4 : UNKNOWN);
	json_uint(b, "repeat", p->spec.repeat);
	json_bool(b, "is_anchor", p->spec.is_anchor);
	json_text(b, "status", point_status_name(p->status));
	json_text(b, "reason", p->reason);
	json_bool(b, "imported", p->imported);
	json_utc(b, "started_utc", p->start_wall_ns);
	json_utc(b, "ended_utc", p->end_wall_ns);
	buf_release(&name);
}

void point_json(struct buf *b, const struct point_view *v)
{
	json_begin(b, "point", 1);
	add_what(b, v);
	json_fields(b, field_points, v->p);
	json_num(b, "little_pct", 100 * v->m->little_rel);
	add_errors(b, v->m);
	add_verdicts(b, v->m);
	add_direction(b, v, DIR_TOTAL);
	if (point_reads(&v->p->spec))
		add_direction(b, v, DIR_READ);
	if (point_writes(&v->p->spec))
		add_direction(b, v, DIR_WRITE);
	add_worker_cpu(b, v->m);
	add_counters(b, v->m);
	add_cores(b, v->m);
	add_series(b, v->m);
	buf_addstr(b, "}\n");
}
