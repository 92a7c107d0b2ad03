/* SPDX-License-Identifier: MIT */
#include "report/html_columns.h"

#include "base/num.h"
#include "report/format.h"
#include "stats/ci.h"

#include <inttypes.h>

static const struct figures *figures_of(const struct html_row *r)
{
	return &r->p->dir[r->dir];
}

static void add_ms(struct buf *s, double lat_ns)
{
	format_fixed(s, lat_ns / 1e6, 3);
}

/* With a star where fewer than 10 I/Os lie beyond it. */
static void add_lat(struct buf *s, double lat_ns, double ios, enum lat_stat stat)
{
	add_ms(s, lat_ns);
	if (isfinite(lat_ns) && ios < lat_stat_min_ios(stat))
		buf_addch(s, '*');
}

static void add_half(struct buf *s, double share)
{
	if (isfinite(share))
		buf_addf(s, "%.2f %%", 100 * share);
	else
		buf_addch(s, '-');
}

static double only_total(const struct html_row *r, double v)
{
	return r->dir == DIR_TOTAL ? v : UNKNOWN;
}

static bool always(const struct html_row *r)
{
	(void)r;
	return true;
}

bool html_has_directions(const struct html_row *r)
{
	return point_reads(&r->p->spec) && point_writes(&r->p->spec);
}

static bool has_repeats(const struct html_row *r)
{
	return r->p->spec.repeat > 1;
}

static bool has_per_cent(const struct html_row *r)
{
	return r->p->spec.rate_e4 != 0;
}

/* ---- cells ---- */

static void add_depth(struct buf *s, const struct html_row *r)
{
	buf_addf(s, "%" PRIu32, r->p->spec.iodepth);
}

static void add_mean_depth(struct buf *s, const struct curve_point *pt)
{
	buf_addf(s, "%" PRIu32, pt->iodepth);
}

static void add_rate(struct buf *s, const struct html_row *r)
{
	buf_add_rate(s, &r->p->spec);
}

static void add_offered(struct buf *s, const struct html_row *r)
{
	format_iops(s, only_total(r, r->p->rate_iops));
}

static void add_dir(struct buf *s, const struct html_row *r)
{
	buf_addstr(s, dir_name(r->dir));
}

static void add_mean_dir(struct buf *s, const struct curve_point *pt)
{
	(void)pt;
	buf_addstr(s, dir_name(DIR_TOTAL));
}

static void add_repeat(struct buf *s, const struct html_row *r)
{
	buf_addf(s, "%" PRIu32, r->p->spec.repeat);
}

static void add_mean_repeat(struct buf *s, const struct curve_point *pt)
{
	(void)pt;
	buf_addstr(s, "all");
}

static void add_iops(struct buf *s, const struct html_row *r)
{
	format_iops(s, figures_of(r)->iops);
}

static void add_mean_iops(struct buf *s, const struct curve_point *pt)
{
	format_iops(s, pt->iops);
}

static void add_iops_half(struct buf *s, const struct html_row *r)
{
	add_half(s, Z_95 * figures_of(r)->iops_se_rel);
}

static void add_mean_iops_half(struct buf *s, const struct curve_point *pt)
{
	add_half(s, pt->is_error_unknown || !(pt->half_rel > 0) ? UNKNOWN : pt->half_rel);
}

static void add_mib(struct buf *s, const struct html_row *r)
{
	format_fixed(s, figures_of(r)->mib_s, 2);
}

static void add_mean_lat(struct buf *s, const struct html_row *r)
{
	add_ms(s, figures_of(r)->lat_mean_ns);
}

static void add_p50(struct buf *s, const struct html_row *r)
{
	add_ms(s, figures_of(r)->lat_p50_ns);
}

static void add_p95(struct buf *s, const struct html_row *r)
{
	add_lat(s, figures_of(r)->lat_p95_ns, figures_of(r)->ios, LAT_P95);
}

static void add_p99(struct buf *s, const struct html_row *r)
{
	add_lat(s, figures_of(r)->lat_p99_ns, figures_of(r)->ios, LAT_P99);
}

static void add_p999(struct buf *s, const struct html_row *r)
{
	add_lat(s, figures_of(r)->lat_p999_ns, figures_of(r)->ios, LAT_P999);
}

static void add_mean_of_means(struct buf *s, const struct curve_point *pt)
{
	add_ms(s, pt->lat_ns[LAT_MEAN]);
}

static void add_joint_p50(struct buf *s, const struct curve_point *pt)
{
	add_ms(s, pt->lat_ns[LAT_P50]);
}

static void add_joint_p95(struct buf *s, const struct curve_point *pt)
{
	add_lat(s, pt->lat_ns[LAT_P95], pt->ios, LAT_P95);
}

static void add_joint_p99(struct buf *s, const struct curve_point *pt)
{
	add_lat(s, pt->lat_ns[LAT_P99], pt->ios, LAT_P99);
}

static void add_joint_p999(struct buf *s, const struct curve_point *pt)
{
	add_lat(s, pt->lat_ns[LAT_P999], pt->ios, LAT_P999);
}

static void add_max(struct buf *s, const struct html_row *r)
{
	add_ms(s, figures_of(r)->lat_max_ns);
}

static void add_late(struct buf *s, const struct html_row *r)
{
	add_ms(s, only_total(r, r->p->late_p99_ns));
}

static void add_util(struct buf *s, const struct html_row *r)
{
	format_fixed(s, only_total(r, r->p->util_pct), 2);
}

static void add_cpu(struct buf *s, const struct html_row *r)
{
	format_fixed(s, only_total(r, r->p->cpu_pct), 1);
}

static void add_held(struct buf *s, const struct html_row *r)
{
	format_fixed(s, only_total(r, r->p->depth_mean), 1);
}

static void add_seq(struct buf *s, const struct html_row *r)
{
	buf_addf(s, "%" PRIu32, r->p->seq);
}

static void add_status(struct buf *s, const struct html_row *r)
{
	if (r->dir != DIR_TOTAL)
		return;
	if (r->p->spec.is_anchor)
		buf_addstr(s, "again at the end, ");
	format_status(s, r->p, r->run->accepted);
	if (r->p->run_id != r->run->info->id && r->run->is_search)
		buf_addf(s, ", of run %" PRId64, r->p->run_id);
}

static void add_spread(struct buf *s, const struct curve_point *pt)
{
	buf_addf(s, "mean of %" PRIu32 ", IOPS ", pt->nr_repeats);
	format_iops(s, pt->iops_min);
	buf_addstr(s, " to ");
	format_iops(s, pt->iops_max);
}

const struct html_column html_curve_columns[HTML_NR_COLUMNS] = {
	{{"iodepth", false, 0}, add_depth, always, add_mean_depth},
	{{"dir", true, 0}, add_dir, html_has_directions, add_mean_dir},
	{{"rep", false, 0}, add_repeat, has_repeats, add_mean_repeat},
	{{"IOPS", false, 0}, add_iops, always, add_mean_iops},
	{{"+- 95 %", false, 0}, add_iops_half, NULL, add_mean_iops_half},
	{{"MiB/s", false, 0}, add_mib, NULL, NULL},
	{{"mean ms", false, 0}, add_mean_lat, always, add_mean_of_means},
	{{"p50 ms", false, 0}, add_p50, NULL, add_joint_p50},
	{{"p95 ms", false, 0}, add_p95, NULL, add_joint_p95},
	{{"p99 ms", false, 0}, add_p99, NULL, add_joint_p99},
	{{"p99.9 ms", false, 0}, add_p999, NULL, add_joint_p999},
	{{"max ms", false, 0}, add_max, NULL, NULL},
	{{"util %", false, 0}, add_util, NULL, NULL},
	{{"CPU %", false, 0}, add_cpu, NULL, NULL},
	{{"held", false, 0}, add_held, NULL, NULL},
	{{"seq", false, 0}, add_seq, always, NULL},
	{{"status", true, 0}, add_status, always, add_spread},
};

const struct html_column html_load_columns[HTML_NR_COLUMNS] = {
	{{"rate", false, 0}, add_rate, has_per_cent, NULL},
	{{"offered IOPS", false, 0}, add_offered, always, NULL},
	{{"dir", true, 0}, add_dir, html_has_directions, NULL},
	{{"rep", false, 0}, add_repeat, has_repeats, NULL},
	{{"achieved IOPS", false, 0}, add_iops, always, NULL},
	{{"mean ms", false, 0}, add_mean_lat, always, NULL},
	{{"p50 ms", false, 0}, add_p50, NULL, NULL},
	{{"p95 ms", false, 0}, add_p95, NULL, NULL},
	{{"p99 ms", false, 0}, add_p99, NULL, NULL},
	{{"p99.9 ms", false, 0}, add_p999, NULL, NULL},
	{{"max ms", false, 0}, add_max, NULL, NULL},
	{{"late p99 ms", false, 0}, add_late, NULL, NULL},
	{{"util %", false, 0}, add_util, NULL, NULL},
	{{"CPU %", false, 0}, add_cpu, NULL, NULL},
	{{"in flight", false, 0}, add_held, NULL, NULL},
	{{"seq", false, 0}, add_seq, always, NULL},
	{{"status", true, 0}, add_status, always, NULL},
};
