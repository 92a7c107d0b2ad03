/* SPDX-License-Identifier: MIT */
#include "report/csv.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/fields.h"
#include "report/format.h"
#include "stats/ci.h"

#include <inttypes.h>
#include <math.h>

/* The columns in front of the figures; what follows is field_figures, field_points, then these
 * of the answers. */
static const char axis_cols[] =
	"record,run,curve,rw,bs_bytes,span_bytes,offset_bytes,rwmixread_pct,random_pct,workers,"
	"iodepth,repeat,seq,dir,status,flags,reason";
static const char *const answer_cols[] = {
	"knee_class",	    "knee_bound",      "knee_nstar",
	"knee_nstar_low",   "knee_nstar_high", "knee_peak_iops",
	"knee_peak_depth",  "knee_eff_pct",    "knee_n80_depth",
	"knee_gain_pct",    "knee_drop_pct",   "knee_second_plateau_depth",
	"knee_queue_limit", "cap_stat",	       "cap_limit_ms",
	"cap_status",	    "cap_lat_ms",      "cap_interp_depth",
	"cap_interp_iops",  "cap_lat_min_ms",  "cap_verdict",
	"cap_lat_lo_ms",    "cap_lat_hi_ms",   "cap_bound",
	"repeats",	    "iops_min",	       "iops_max",
	"is_anchor",	    "valid",	       "knee_iops_bound",
	"knee_peak_bound",  "knee_held",
};
#define NR_KNEE_COLS   13
#define NR_CAP_COLS    11
#define NR_REPEAT_COLS 5
#define NR_HELD_COLS   3

static void add_header(struct buf *b)
{
	buf_addstr(b, axis_cols);
	for (const struct field *f = field_figures; f->name; f++)
		buf_addf(b, ",%s", f->name);
	for (const struct field *f = field_points; f->name; f++)
		buf_addf(b, ",%s", f->name);
	for (size_t i = 0; i < NR(answer_cols); i++)
		buf_addf(b, ",%s", answer_cols[i]);
	buf_addch(b, '\n');
}

static void add_text(struct buf *b, const char *text)
{
	buf_addch(b, ',');
	buf_csv_str(b, text);
}

static void add_num(struct buf *b, double v)
{
	buf_addch(b, ',');
	if (isfinite(v))
		buf_add_g10(b, v);
}

/* A depth or limit, of which 0 means that there is none. */
static void add_count(struct buf *b, uint32_t v)
{
	buf_addch(b, ',');
	if (v)
		buf_addf(b, "%u", v);
}

static void add_empty(struct buf *b, size_t nr)
{
	while (nr--)
		buf_addch(b, ',');
}

/* record to workers: what all records have */
static void add_axes(struct buf *b, const char *record, int64_t run_id, const struct point_spec *s)
{
	struct buf name = BUF_INIT;

	buf_add_curve_name(&name, s);
	buf_addf(b, "%s,%" PRId64, record, run_id);
	add_text(b, buf_text(&name));
	buf_addf(b, ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u,%u,%u", rw_name(s->rw), s->bs_bytes,
		 s->span_bytes, s->offset_bytes, s->rwmixread_pct, s->random_pct, s->workers);
	buf_release(&name);
}

static void add_fields(struct buf *b, const struct field *f, const void *base)
{
	for (; f->name; f++)
		add_num(b, field_value(f, base));
}

static void add_point(struct buf *b, const struct report_run *run, const struct point *p,
		      enum dir dir)
{
	struct buf flags = BUF_INIT;

	format_flags(&flags, p->flags, " ");
	add_axes(b, "point", p->run_id, &p->spec);
	buf_addf(b, ",%u,%u,%u,%s,%s", p->spec.iodepth, p->spec.repeat, p->seq, dir_name(dir),
		 point_status_name(p->status));
	add_text(b, buf_text(&flags));
	add_text(b, p->reason);
	add_fields(b, field_figures, &p->dir[dir]);
	add_fields(b, field_points, p);
	add_empty(b, NR_KNEE_COLS + NR_CAP_COLS + NR_REPEAT_COLS - 2);
	buf_addf(b, ",%d,%d", p->spec.is_anchor, point_is_valid(p, run->accepted));
	add_empty(b, NR_HELD_COLS);
	buf_addch(b, '\n');
	buf_release(&flags);
}

static void add_point_lines(struct buf *b, const struct report_run *run, const struct point *p)
{
	add_point(b, run, p, DIR_TOTAL);
	if (point_reads(&p->spec))
		add_point(b, run, p, DIR_READ);
	if (point_writes(&p->spec))
		add_point(b, run, p, DIR_WRITE);
}

/* The columns of an answer between its axes and the knee_ columns. */
static void add_load_figures(struct buf *b, uint32_t depth, double rate_iops,
			     const struct figures *f)
{
	struct point none = {.window_s = UNKNOWN,
			     .ramp_s = UNKNOWN,
			     .drain_s = UNKNOWN,
			     .depth_mean = UNKNOWN,
			     .depth_max = UNKNOWN,
			     .util_pct = UNKNOWN,
			     .cpu_pct = UNKNOWN,
			     .rate_iops = rate_iops,
			     .arrivals = UNKNOWN,
			     .backlog = UNKNOWN,
			     .late_p50_ns = UNKNOWN,
			     .late_p99_ns = UNKNOWN,
			     .late_max_ns = UNKNOWN};

	add_count(b, depth);
	add_empty(b, 6);
	add_fields(b, field_figures, f);
	add_fields(b, field_points, &none);
}

static struct figures answer_figures(double iops, double lat_mean_ns)
{
	struct figures f;

	figures_clear(&f);
	f.iops = iops;
	f.lat_mean_ns = lat_mean_ns;
	return f;
}

static void add_answer_figures(struct buf *b, uint32_t depth, const struct figures *f)
{
	add_load_figures(b, depth, UNKNOWN, f);
}

static const char *bound_of(bool is_least)
{
	return is_least ? ">=" : "=";
}

static const char *knee_label(const struct knee *k)
{
	return k->is_client_limited ? "client-limited" : knee_class_name(k->cls);
}

static void add_knee(struct buf *b, int64_t run_id, const struct report_curve *rc)
{
	const struct knee *k = &rc->knee;
	struct figures f = answer_figures(UNKNOWN, UNKNOWN);
	struct buf held = BUF_INIT;

	add_axes(b, "knee", run_id, &rc->curve->spec);
	if (!knee_is_known(k)) {
		add_answer_figures(b, 0, &f);
		add_text(b, knee_label(k));
		add_empty(b, NR_KNEE_COLS - 1 + NR_CAP_COLS + NR_REPEAT_COLS + NR_HELD_COLS);
		buf_addch(b, '\n');
		return;
	}
	f = answer_figures(k->sat_iops, k->sat_lat_ns);
	add_answer_figures(b, k->sat_depth, &f);
	add_text(b, knee_label(k));
	add_text(b, knee_bound_text(k));
	add_num(b, k->nstar);
	/* Where there is no interval, it is not one of width 0. */
	add_num(b, knee_has_interval(k) ? k->nstar_low : UNKNOWN);
	add_num(b, knee_has_interval(k) ? k->nstar_high : UNKNOWN);
	add_num(b, k->peak_iops);
	add_count(b, k->peak_depth);
	add_num(b, k->eff * 100);
	add_num(b, k->n80);
	add_num(b, k->last_gain * 100);
	add_num(b, k->drop * 100);
	add_count(b, k->second_plateau_depth);
	add_count(b, k->queue_limit);
	add_empty(b, NR_CAP_COLS + NR_REPEAT_COLS);
	add_text(b, bound_of(k->is_sat_least));
	add_text(b, bound_of(k->is_peak_least));
	format_flags(&held, k->held_flags, " ");
	add_text(b, buf_text(&held));
	buf_addch(b, '\n');
	buf_release(&held);
}

static void add_cap(struct buf *b, int64_t run_id, const struct report_curve *rc,
		    const struct cap_answer *a)
{
	bool is_met = cap_is_met(a);
	double lat_ns = is_met ? a->lat_ns : UNKNOWN;
	struct figures f;

	f = answer_figures(is_met ? a->iops : UNKNOWN, a->cap.stat == LAT_MEAN ? lat_ns : UNKNOWN);
	add_axes(b, "cap", run_id, &rc->curve->spec);
	add_answer_figures(b, is_met ? a->depth : 0, &f);
	add_empty(b, NR_KNEE_COLS);
	add_text(b, lat_stat_name(a->cap.stat));
	add_num(b, (double)a->cap.limit_ns / 1e6);
	add_text(b, cap_status_name(a->status));
	add_num(b, lat_ns / 1e6);
	add_num(b, is_met ? a->depth_interp : UNKNOWN);
	add_num(b, is_met ? a->iops_interp : UNKNOWN);
	add_num(b, a->status == CAP_NO_DATA ? UNKNOWN : a->lat_min_ns / 1e6);
	add_text(b, cap_verdict_name(a->verdict));
	add_num(b, a->lat_lo_ns / 1e6);
	add_num(b, a->lat_hi_ns / 1e6);
	add_text(b, !is_met ? NULL : bound_of(cap_is_least(a)));
	add_empty(b, NR_REPEAT_COLS + NR_HELD_COLS);
	buf_addch(b, '\n');
}

/* The highest load under a cap; cap_interp_ and knee_ columns mean nothing here. */
static void add_load_cap(struct buf *b, int64_t run_id, const struct response *r,
			 const struct response_cap *a)
{
	const struct response_point *best = a->best;
	struct figures f = answer_figures(best ? best->iops : UNKNOWN,
					  best ? best->lat_ns[LAT_MEAN] : UNKNOWN);

	add_axes(b, "load-cap", run_id, &r->spec);
	add_load_figures(b, r->spec.iodepth, best ? best->rate_iops : UNKNOWN, &f);
	add_empty(b, NR_KNEE_COLS);
	add_text(b, lat_stat_name(a->cap.stat));
	add_num(b, (double)a->cap.limit_ns / 1e6);
	add_text(b, cap_status_name(a->status));
	add_num(b, best ? best->lat_ns[a->cap.stat] / 1e6 : UNKNOWN);
	add_empty(b, 2);
	add_num(b, a->lowest ? a->lowest->lat_ns[a->cap.stat] / 1e6 : UNKNOWN);
	add_empty(b, 3);
	add_text(b, !best ? NULL : a->status == CAP_NOT_REACHED ? ">=" : "=");
	add_empty(b, NR_REPEAT_COLS + NR_HELD_COLS);
	buf_addch(b, '\n');
}

/* Whether what a search found is the least that the target does; NULL where it found nothing. */
static const char *search_bound(const struct search_answer *a)
{
	if (!a->best.at)
		return NULL;
	return search_is_least(a) ? ">=" : "=";
}

/* What a search found; cap_interp_ and knee_ columns mean nothing here. */
static void add_search(struct buf *b, int64_t run_id, const struct point_spec *spec,
		       const struct search_answer *a)
{
	const struct search_point *best = &a->best;
	bool is_load = a->settings.is_load;
	struct figures f = answer_figures(best->at ? best->iops : UNKNOWN,
					  a->cap.stat == LAT_MEAN ? best->lat_ns : UNKNOWN);

	if (best->at)
		f.iops_se_rel = best->iops_se;
	add_axes(b, "search", run_id, spec);
	add_load_figures(b, is_load ? spec->iodepth : (uint32_t)best->at,
			 is_load && best->at ? (double)best->at : UNKNOWN, &f);
	add_empty(b, NR_KNEE_COLS);
	add_text(b, lat_stat_name(a->cap.stat));
	add_num(b, (double)a->cap.limit_ns / 1e6);
	add_text(b, search_status_name(search_status(a)));
	add_num(b, best->lat_ns / 1e6);
	add_empty(b, 2);
	add_num(b, a->lowest.lat_ns / 1e6);
	add_empty(b, 3);
	add_text(b, search_bound(a));
	add_empty(b, NR_REPEAT_COLS + NR_HELD_COLS);
	buf_addch(b, '\n');
}

/* What the repeats of a depth give together. */
static void add_repeats(struct buf *b, int64_t run_id, const struct curve *c,
			const struct curve_point *pt)
{
	struct figures f = answer_figures(pt->iops, pt->lat_ns[LAT_MEAN]);

	f.ios = pt->ios;
	/* Of few repeats the half width is more than 1.96 errors. */
	f.iops_se_rel = pt->half_rel > 0 ? pt->half_rel / Z_95 : UNKNOWN;
	f.lat_p50_ns = pt->lat_ns[LAT_P50];
	f.lat_p90_ns = pt->lat_ns[LAT_P90];
	f.lat_p95_ns = pt->lat_ns[LAT_P95];
	f.lat_p99_ns = pt->lat_ns[LAT_P99];
	f.lat_p999_ns = pt->lat_ns[LAT_P999];
	add_axes(b, "repeats", run_id, &c->spec);
	add_answer_figures(b, pt->iodepth, &f);
	add_empty(b, NR_KNEE_COLS + NR_CAP_COLS);
	add_count(b, pt->nr_repeats);
	add_num(b, pt->iops_min);
	add_num(b, pt->iops_max);
	add_empty(b, 2 + NR_HELD_COLS);
	buf_addch(b, '\n');
}

static void add_curve(struct buf *b, const struct report_run *run, const struct report_curve *rc)
{
	const struct curve *c = rc->curve;

	add_knee(b, run->info->id, rc);
	for (unsigned i = 0; i < run->nr_caps; i++)
		add_cap(b, run->info->id, rc, &rc->cap[i]);
	for (unsigned i = 0; i < run->nr_caps; i++)
		if (rc->search[i])
			add_search(b, run->info->id, &c->spec, rc->search[i]);
	for (size_t i = 0; i < c->nr; i++)
		if (c->pt[i].nr_repeats > 1)
			add_repeats(b, run->info->id, c, &c->pt[i]);
}

static void add_run(struct buf *b, const struct report_run *run)
{
	for (size_t i = 0; i < run->nr_curves; i++)
		add_curve(b, run, &run->curves[i]);
	for (size_t i = 0; i < run->nr_responses; i++)
		for (unsigned c = 0; c < run->nr_caps; c++) {
			const struct report_response *rr = &run->responses[i];

			add_load_cap(b, run->info->id, rr->response, &rr->cap[c]);
			if (rr->search[c])
				add_search(b, run->info->id, &rr->response->spec, rr->search[c]);
		}
	for (size_t i = 0; i < run->nr_points; i++)
		add_point_lines(b, run, &run->points[i]);
}

void csv_report(struct buf *b, const struct report *r)
{
	add_header(b);
	for (size_t i = 0; i < r->nr_runs; i++)
		add_run(b, &r->runs[i]);
}
