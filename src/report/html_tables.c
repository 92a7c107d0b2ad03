/* SPDX-License-Identifier: MIT */
#include "base/mem.h"
#include "base/num.h"
#include "report/evidence.h"
#include "report/format.h"
#include "report/html_parts.h"
#include "report/html_write.h"
#include "report/sentence.h"
#include "stats/ci.h"

#include <inttypes.h>
#include <string.h>

/* With more rows than this in all, tables are folded until somebody opens them. */
#define MAX_OPEN_ROWS 150
#define MAX_COLS      24

/* One line of a table: a point, or one direction of it. */
struct row {
	const struct report_run *run;
	const struct point *p;
	enum dir dir;
};

struct column {
	struct table_col head;
	void (*add)(struct buf *s, const struct row *r);
	/* Shown where any row says so; NULL: where any cell says something. */
	bool (*is_wanted)(const struct row *r);
	/* The same of all repeats of a depth together; NULL: nothing is said. */
	void (*add_mean)(struct buf *s, const struct curve_point *pt);
};

static const struct figures *figures_of(const struct row *r)
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

static double only_total(const struct row *r, double v)
{
	return r->dir == DIR_TOTAL ? v : UNKNOWN;
}

static bool always(const struct row *r)
{
	(void)r;
	return true;
}

static bool has_directions(const struct row *r)
{
	return point_reads(&r->p->spec) && point_writes(&r->p->spec);
}

static bool has_repeats(const struct row *r)
{
	return r->p->spec.repeat > 1;
}

static bool has_per_cent(const struct row *r)
{
	return r->p->spec.rate_e4 != 0;
}

/* ---- cells ---- */

static void add_depth(struct buf *s, const struct row *r)
{
	buf_addf(s, "%" PRIu32, r->p->spec.iodepth);
}

static void add_mean_depth(struct buf *s, const struct curve_point *pt)
{
	buf_addf(s, "%" PRIu32, pt->iodepth);
}

static void add_rate(struct buf *s, const struct row *r)
{
	buf_add_rate(s, &r->p->spec);
}

static void add_offered(struct buf *s, const struct row *r)
{
	format_iops(s, only_total(r, r->p->rate_iops));
}

static void add_dir(struct buf *s, const struct row *r)
{
	buf_addstr(s, dir_name(r->dir));
}

static void add_mean_dir(struct buf *s, const struct curve_point *pt)
{
	(void)pt;
	buf_addstr(s, dir_name(DIR_TOTAL));
}

static void add_repeat(struct buf *s, const struct row *r)
{
	buf_addf(s, "%" PRIu32, r->p->spec.repeat);
}

static void add_mean_repeat(struct buf *s, const struct curve_point *pt)
{
	(void)pt;
	buf_addstr(s, "all");
}

static void add_iops(struct buf *s, const struct row *r)
{
	format_iops(s, figures_of(r)->iops);
}

static void add_mean_iops(struct buf *s, const struct curve_point *pt)
{
	format_iops(s, pt->iops);
}

static void add_iops_half(struct buf *s, const struct row *r)
{
	add_half(s, Z_95 * figures_of(r)->iops_se_rel);
}

static void add_mean_iops_half(struct buf *s, const struct curve_point *pt)
{
	add_half(s, pt->is_error_unknown || !(pt->half_rel > 0) ? UNKNOWN : pt->half_rel);
}

static void add_mib(struct buf *s, const struct row *r)
{
	format_fixed(s, figures_of(r)->mib_s, 2);
}

static void add_mean_lat(struct buf *s, const struct row *r)
{
	add_ms(s, figures_of(r)->lat_mean_ns);
}

static void add_p50(struct buf *s, const struct row *r)
{
	add_ms(s, figures_of(r)->lat_p50_ns);
}

static void add_p95(struct buf *s, const struct row *r)
{
	add_lat(s, figures_of(r)->lat_p95_ns, figures_of(r)->ios, LAT_P95);
}

static void add_p99(struct buf *s, const struct row *r)
{
	add_lat(s, figures_of(r)->lat_p99_ns, figures_of(r)->ios, LAT_P99);
}

static void add_p999(struct buf *s, const struct row *r)
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

static void add_max(struct buf *s, const struct row *r)
{
	add_ms(s, figures_of(r)->lat_max_ns);
}

static void add_late(struct buf *s, const struct row *r)
{
	add_ms(s, only_total(r, r->p->late_p99_ns));
}

static void add_util(struct buf *s, const struct row *r)
{
	format_fixed(s, only_total(r, r->p->util_pct), 2);
}

static void add_cpu(struct buf *s, const struct row *r)
{
	format_fixed(s, only_total(r, r->p->cpu_pct), 1);
}

static void add_held(struct buf *s, const struct row *r)
{
	format_fixed(s, only_total(r, r->p->depth_mean), 1);
}

static void add_seq(struct buf *s, const struct row *r)
{
	buf_addf(s, "%" PRIu32, r->p->seq);
}

static void add_status(struct buf *s, const struct row *r)
{
	if (r->dir != DIR_TOTAL)
		return;
	if (r->p->spec.is_anchor)
		buf_addstr(s, "again at the end, ");
	format_status(s, r->p);
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

static const struct column curve_columns[] = {
	{{"iodepth", false, 0}, add_depth, always, add_mean_depth},
	{{"dir", true, 0}, add_dir, has_directions, add_mean_dir},
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

static const struct column load_columns[] = {
	{{"rate", false, 0}, add_rate, has_per_cent, NULL},
	{{"offered IOPS", false, 0}, add_offered, always, NULL},
	{{"dir", true, 0}, add_dir, has_directions, NULL},
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

/* ---- a table of points ---- */

struct points_table {
	const struct report_run *run;
	const struct column *all;
	size_t nr_all;
	const struct column *shown[MAX_COLS];
	struct table_col head[MAX_COLS];
	size_t nr;
	struct html_table t;
};

static bool says_something(const struct column *c, const struct row *r)
{
	struct buf s = BUF_INIT;
	bool it_does;

	if (c->is_wanted)
		return c->is_wanted(r);
	c->add(&s, r);
	it_does = strcmp(buf_text(&s), "-") != 0;
	buf_release(&s);
	return it_does;
}

static bool is_shown(const struct points_table *pt, const struct column *c,
		     const struct point **row, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (says_something(c, &(struct row){pt->run, row[i], DIR_TOTAL}))
			return true;
	return false;
}

static void begin_table(struct points_table *pt, struct buf *b, const struct point **row, size_t nr)
{
	for (size_t i = 0; i < pt->nr_all; i++) {
		if (!is_shown(pt, &pt->all[i], row, nr))
			continue;
		pt->head[pt->nr] = pt->all[i].head;
		pt->shown[pt->nr++] = &pt->all[i];
	}
	html_table_begin(&pt->t, b, NULL, pt->head, pt->nr);
}

static const char *row_class(const struct report_run *run, const struct point *p, enum dir dir)
{
	if (dir != DIR_TOTAL)
		return "part";
	if (p->status == POINT_FAILED || p->status == POINT_NO_IO)
		return "failed";
	if (p->status != POINT_OK)
		return "open";
	return point_is_valid(p, run->accepted) ? NULL : "spoiled";
}

static void add_point(struct points_table *pt, const struct point *p)
{
	static const enum dir order[DIR_NR] = {DIR_TOTAL, DIR_READ, DIR_WRITE};
	struct row r = {.run = pt->run, .p = p};
	size_t nr = has_directions(&r) && p->status == POINT_OK ? DIR_NR : 1;
	struct buf s = BUF_INIT;

	for (size_t d = 0; d < nr; d++) {
		r.dir = order[d];
		html_row(&pt->t, row_class(pt->run, p, r.dir));
		for (size_t i = 0; i < pt->nr; i++) {
			pt->shown[i]->add(&s, &r);
			html_cell(&pt->t, &s);
		}
	}
	buf_release(&s);
}

static void add_mean(struct points_table *pt, const struct curve_point *point)
{
	struct buf s = BUF_INIT;

	html_row(&pt->t, "mean");
	for (size_t i = 0; i < pt->nr; i++) {
		if (pt->shown[i]->add_mean)
			pt->shown[i]->add_mean(&s, point);
		else
			buf_addch(&s, '-');
		html_cell(&pt->t, &s);
	}
	buf_release(&s);
}

/* The line of the mean stands behind the last repeat of a depth. */
static void add_mean_behind(struct points_table *pt, const struct curve *c, size_t row)
{
	uint32_t iodepth = c->row[row]->spec.iodepth;
	const struct curve_point *point = curve_point_at(c, iodepth);

	if (row + 1 < c->nr_rows && c->row[row + 1]->spec.iodepth == iodepth)
		return;
	if (point && point->nr_repeats > 1)
		add_mean(pt, point);
}

static void add_curve_table(struct buf *b, const struct report_run *run, const struct curve *c)
{
	struct points_table pt = {.run = run, .all = curve_columns, .nr_all = NR(curve_columns)};

	begin_table(&pt, b, c->row, c->nr_rows);
	for (size_t i = 0; i < c->nr_rows; i++) {
		add_point(&pt, c->row[i]);
		add_mean_behind(&pt, c, i);
	}
	for (size_t i = 0; i < c->nr_anchors; i++)
		add_point(&pt, c->anchor[i].again);
	html_table_end(&pt.t);
}

static void add_load_table(struct buf *b, const struct report_run *run, const struct response *r)
{
	struct points_table pt = {.run = run, .all = load_columns, .nr_all = NR(load_columns)};

	begin_table(&pt, b, r->row, r->nr_rows);
	for (size_t i = 0; i < r->nr_rows; i++)
		add_point(&pt, r->row[i]);
	html_table_end(&pt.t);
}

/* ---- the section ---- */

static void add_evidence(struct buf *b, const struct report_run *run, const struct report_curve *rc)
{
	struct evidence e;

	if (run->is_search)
		return;
	evidence_find(&e, rc, run->nr_caps);
	buf_addstr(b, "<details class=\"aside\"><summary>What these answers rest on</summary>\n"
		      "<dl class=\"facts note\">\n");
	for (size_t i = 0; i < e.nr; i++) {
		html_element(b, "dt", NULL, e.piece[i].name);
		html_element(b, "dd", NULL, buf_text(&e.piece[i].text));
	}
	buf_addstr(b, "</dl></details>\n");
	evidence_release(&e);
}

/* What a page as a whole decides for each of its tables. */
struct how {
	bool is_folded, has_sentences;
};

static void begin_curve(struct buf *b, const struct how *how, const struct point_spec *spec,
			size_t nr_rows)
{
	struct buf s = BUF_INIT;

	buf_add_curve_name(&s, spec);
	if (!how->is_folded) {
		html_take(b, "h3", NULL, &s);
	} else {
		buf_addstr(b, "<details class=\"curve\"><summary><h3>");
		html_text(b, buf_text(&s));
		buf_addf(b, "</h3> <span class=\"note\">%zu row%s</span></summary>\n", nr_rows,
			 nr_rows == 1 ? "" : "s");
	}
	buf_release(&s);
}

static void end_curve(struct buf *b, const struct how *how)
{
	buf_addstr(b, how->is_folded ? "</details>\n" : "");
}

static void add_run(struct buf *b, const struct html_page *page, const struct report_run *run,
		    const struct how *how)
{
	html_run_heading(b, page, run);
	for (size_t i = 0; i < run->nr_curves; i++) {
		const struct report_curve *rc = &run->curves[i];

		begin_curve(b, how, &rc->curve->spec, rc->curve->nr_rows);
		if (how->has_sentences)
			html_curve_sentences(b, run, rc);
		add_curve_table(b, run, rc->curve);
		add_evidence(b, run, rc);
		end_curve(b, how);
	}
	for (size_t i = 0; i < run->nr_responses; i++) {
		const struct report_response *rr = &run->responses[i];

		begin_curve(b, how, &rr->response->spec, rr->response->nr_rows);
		if (how->has_sentences)
			html_response_sentences(b, run, rr);
		add_load_table(b, run, rr->response);
		end_curve(b, how);
	}
}

static void add_legend(struct buf *b, const struct report *r)
{
	bool has_loads = false;

	html_element(
		b, "p", "note text",
		"Latencies run from the submit call to the completion. iodepth is the total over all "
		"workers, held the mean depth that was achieved, seq the number of a point in its run, "
		"+- half of the 95 % interval of the IOPS, util the share of time in which the device "
		"was busy, CPU that of this program (100 is one core). A percentile with a * has fewer "
		"than 10 I/Os beyond it. '-' is not known. k, m, G and T are 1024-based, kB to TB "
		"decimal.");
	for (size_t i = 0; i < r->nr_runs; i++)
		has_loads = has_loads || r->runs[i].nr_responses;
	if (has_loads)
		html_element(
			b, "p", "note text",
			"Under an offered load, I/Os start at their rate whatever has completed, and "
			"latencies count from the intended start. Late is how much later an I/O was "
			"submitted than intended. A load is sustained when all but 3 % of it completes "
			"in the window.");
}

void html_tables(struct buf *b, const struct html_page *page)
{
	const struct report *r = page->report;
	size_t nr_rows = 0, nr_curves = html_count_curves(r);
	struct how how;

	for (size_t i = 0; i < r->nr_runs; i++)
		nr_rows += r->runs[i].nr_points;
	how = (struct how){.is_folded = nr_rows > MAX_OPEN_ROWS && nr_curves > 1,
			   .has_sentences = nr_curves > HTML_MAX_CARDS};
	if (!nr_curves)
		return;
	add_legend(b, r);
	if (how.is_folded)
		buf_addstr(
			b,
			"<p class=\"note\">The tables are folded: click a name to open one. Printing "
			"opens them all.<noscript> Without scripts, an older browser prints only those "
			"that you opened.</noscript></p>\n");
	for (size_t i = 0; i < r->nr_runs; i++)
		add_run(b, page, &r->runs[i], &how);
	html_element(
		b, "p", "note paper",
		"What the answers of each curve rest on is on the screen, and printed by lunsweep "
		"report --explain.");
}
