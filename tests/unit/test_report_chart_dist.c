/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chart_dir.h"
#include "dist_fixture.h"
#include "golden.h"
#include "report/chart_point.h"
#include "report/chart_rows.h"

static const struct chart_how usual;

static struct picture *seek(struct charts *c, const char *name)
{
	for (size_t i = 0; i < c->nr; i++)
		if (!strcmp(c->v[i].name, name))
			return &c->v[i];
	return NULL;
}

static struct picture *find(struct charts *c, const char *name)
{
	struct picture *p = seek(c, name);

	if (!p)
		fail_msg("there is no chart %s", name);
	return p;
}

static void check_golden(const char *name, const char *ending, const struct buf *got)
{
	char *file = xasprintf("dist-%s.%s", name, ending);

	assert_golden(file, got);
	free(file);
}

/* What is drawn, and what is said of it. */
static void check_data(struct charts *c, const char *name)
{
	const struct picture *p = find(c, name);
	struct buf dat = BUF_INIT;

	picture_data(p, &dat);
	check_golden(name, "dat", &dat);
	check_golden(name, "txt", &p->caption);
	buf_release(&dat);
}

static void check_goldens(struct charts *c, const char *name)
{
	struct buf gp = BUF_INIT;

	picture_script(find(c, name), "png svg", &gp);
	check_golden(name, "gp", &gp);
	check_data(c, name);
	buf_release(&gp);
}

static const struct series *find_series(const struct panel *p, const char *name)
{
	for (size_t i = 0; i < p->nr_series; i++)
		if (!strcmp(buf_text(&p->series[i].name), name))
			return &p->series[i];
	fail_msg("there is no series %s", name);
	return NULL;
}

static struct hist *unpack(const struct point *p)
{
	struct hist *h = xmalloc(sizeof(*h));

	assert_true(hist_unpack(h, p->lat_hist[DIR_READ].text, p->lat_hist[DIR_READ].len));
	return h;
}

/* Each point of a tail is what the histogram says, and less than one bucket from it. */
static void check_tail(const struct series *s, const struct hist *h)
{
	assert_true(s->nr > 10);
	for (size_t i = 0; i < s->nr; i++) {
		double ns = s->cell[i].y < 1 ? s->cell[i].x * 1e6 : 0;

		assert_true(fabs(s->cell[i].y - hist_share_above(h, ns)) < 1e-9);
		assert_true(i == 0 || s->cell[i].x >= s->cell[i - 1].x);
		assert_true(i == 0 || s->cell[i].y <= s->cell[i - 1].y);
	}
	assert_true(s->cell[s->nr - 1].y * (double)h->count >= 10);
}

static void a_tail_says_which_share_took_longer(void **state)
{
	struct fixture f;
	struct charts c;
	struct hist *h;
	const struct panel *panel;

	(void)state;
	dist_load(&f);
	charts_build(&f.report, &usual, &c);
	panel = &find(&c, "tail-randread-4k")->panel[0];
	/* The failed depth is not there. */
	assert_int_equal(panel->nr_series, 4);
	h = unpack(&f.point[0]);
	check_tail(find_series(panel, "iodepth 1"), h);
	free(h);
	assert_int_equal(panel->nr_rules, 1);
	check_goldens(&c, "tail-randread-4k");
	/* A stall spoils means, not percentiles; load of others spoils both. */
	panel = &find(&c, "tail-randread-64k")->panel[0];
	assert_int_equal(panel->nr_series, 3);
	(void)find_series(panel, "iodepth 8");
	charts_release(&c);
	fixture_release(&f);
}

/* Loads of 20 to 120 %: a stall leaves a load its tail, load of others does not. */
static void load_loads(struct fixture *f)
{
	static const struct {
		uint32_t pct;
		double mean_ms;
		flag_set flags;
	} load[] = {
		{20, 1.1, 0},
		{60, 1.8, FLAG_BIT(FLAG_STALL)},
		{80, 3, FLAG_BIT(FLAG_FOREIGN_LOAD)},
		{90, 5.5, 0},
		{120, 90, FLAG_BIT(FLAG_RATE_MISSED)},
	};

	fixture_init(f);
	f->info.imported = false;
	for (size_t i = 0; i < NR(load); i++) {
		struct point *p = fixture_add_load(f, load[i].pct, 1, 1, 1);

		dist_set(p, DIR_READ, load[i].mean_ms, 100 * load[i].pct);
		p->flags = load[i].flags;
	}
	fixture_add_cap(f, LAT_P99, 8);
	fixture_analyze(f);
}

static void loads_have_tails(void **state)
{
	struct fixture f;
	struct charts c;
	struct hist *h;
	const struct picture *p;

	(void)state;
	load_loads(&f);
	charts_build(&f.report, &usual, &c);
	p = find(&c, "tail-load-randread-4k");
	assert_int_equal(p->panel[0].nr_series, 4);
	assert_int_equal(p->panel[0].nr_rules, 1);
	h = unpack(&f.point[3]);
	check_tail(find_series(&p->panel[0], "load 90%"), h);
	free(h);
	(void)find_series(&p->panel[0], "load 60%");
	check_goldens(&c, "tail-load-randread-4k");
	charts_release(&c);
	fixture_release(&f);
	/* Tables without histograms have no tails. */
	fixture_load_loads(&f);
	charts_build(&f.report, &usual, &c);
	assert_null(seek(&c, "tail-load-randread-4k"));
	charts_release(&c);
	fixture_release(&f);
}

static void loads_of_spans_and_mixes_are_panels(void **state)
{
	struct fixture f;
	struct charts c;
	const struct picture *p;

	(void)state;
	fixture_init(&f);
	f.info.imported = false;
	for (uint32_t i = 0; i < 20; i++) {
		struct point *pt = dist_add_mix(&f, 70, 64);

		pt->spec.rate_ask_iops = 100 + i % 10;
		pt->rate_iops = (double)pt->spec.rate_ask_iops;
		pt->spec.span_bytes = (1 + i / 10) * GIB;
	}
	fixture_analyze(&f);
	charts_build(&f.report, &usual, &c);
	p = find(&c, "tail-load-randrw-4k-70r");
	assert_int_equal(p->rows * p->cols, 4);
	assert_string_equal(buf_text(&p->panel[1].title), "span 1G, writes");
	assert_string_equal(buf_text(&p->panel[2].title), "span 2G, reads");
	assert_int_equal(p->panel[3].nr_series, PICTURE_MAX_SERIES);
	assert_string_equal(buf_text(&p->panel[3].series[7].name), "load 109 IOPS");
	assert_non_null(
		strstr(buf_text(&p->caption), "Of 10 loads 8 are drawn: 100\nIOPS, 101 IOPS, 103"));
	assert_null(strstr(buf_text(&p->caption), "\n\n"));
	charts_release(&c);
	fixture_release(&f);
}

static double height_of(const struct series *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->nr; i++)
		sum += s->cell[i].y;
	return sum;
}

static void the_steps_of_a_distribution_are_all_ios(void **state)
{
	struct fixture f;
	struct charts c;
	const struct series *s;

	(void)state;
	dist_load(&f);
	charts_build(&f.report, &usual, &c);
	s = find_series(&find(&c, "latency-randread-4k")->panel[0], "iodepth 4");
	assert_true(height_of(s) > 99.8 && height_of(s) <= 100.0001);
	assert_true(s->cell[0].y <= 0 && s->cell[s->nr - 1].y <= 0);
	for (size_t i = 2; i + 1 < s->nr; i++)
		assert_true(fabs(s->cell[i].x / s->cell[i - 1].x - 1.1) < 1e-9);
	check_data(&c, "latency-randread-4k");
	charts_release(&c);
	fixture_release(&f);
}

static void percentiles_have_intervals_and_end_where_ios_are_few(void **state)
{
	struct fixture f;
	struct charts c;
	const struct panel *panel;
	const struct series *s;

	(void)state;
	dist_load(&f);
	charts_build(&f.report, &usual, &c);
	panel = &find(&c, "percentiles-randread-4k")->panel[0];
	s = find_series(panel, "p99");
	assert_int_equal(s->nr, 5);
	assert_int_equal(s->cell[1].kind, CELL_GAP);
	assert_int_equal(s->cell[4].kind, CELL_LIMITED);
	assert_true(s->cell[0].y_low < s->cell[0].y && s->cell[0].y < s->cell[0].y_high);
	/* 5000 I/Os are enough for p99 and not for p99.9. */
	s = find_series(panel, "p99.9");
	assert_int_equal(s->cell[0].kind, CELL_GAP);
	assert_int_equal(s->cell[2].kind, CELL_VALID);
	check_data(&c, "percentiles-randread-4k");
	s = find_series(&find(&c, "percentiles-randread-64k")->panel[0], "p90");
	assert_int_equal(s->cell[2].kind, CELL_SPOILED);
	assert_int_equal(s->cell[3].kind, CELL_VALID);
	charts_release(&c);
	fixture_release(&f);
}

static void repeats_have_the_percentiles_of_all_latencies(void **state)
{
	struct fixture f;
	struct charts c;
	struct hist *h, *other;
	const struct series *s;

	(void)state;
	fixture_init(&f);
	f.info.imported = false;
	dist_add(&f, 4096, 1, 1, 5000);
	dist_add(&f, 4096, 1, 3, 5000)->spec.repeat = 2;
	h = unpack(&f.point[0]);
	other = unpack(&f.point[1]);
	hist_merge(h, other);
	fixture_analyze(&f);
	charts_build(&f.report, &usual, &c);
	s = find_series(&find(&c, "percentiles-randread-4k")->panel[0], "p99");
	assert_int_equal(s->nr, 1);
	assert_true(fabs(s->cell[0].y * 1e6 - hist_quantile(h, 0.99)) < 1);
	s = find_series(&find(&c, "tail-randread-4k")->panel[0], "iodepth 1");
	check_tail(s, h);
	charts_release(&c);
	free(h);
	free(other);
	fixture_release(&f);
}

static void block_sizes_and_depths_are_a_heat_map(void **state)
{
	struct fixture f;
	struct charts c;
	const struct panel *panel;

	(void)state;
	dist_load(&f);
	charts_build(&f.report, &usual, &c);
	panel = &find(&c, "heat-randread-span1G")->panel[0];
	/* The depth that one of two block sizes does not have is a place too. */
	assert_int_equal(panel->nr_heat, 10);
	assert_string_equal(panel->heat[0].text, "500");
	assert_int_equal(panel->heat[1].kind, CELL_GAP);
	assert_string_equal(panel->heat[1].text, "failed");
	assert_int_equal(panel->heat[4].kind, CELL_LIMITED);
	assert_int_equal(panel->heat[7].kind, CELL_SPOILED);
	assert_string_equal(panel->heat[9].text, "-");
	check_goldens(&c, "heat-randread-span1G");
	charts_release(&c);
	fixture_release(&f);
}

static void load_mixes(struct fixture *f)
{
	static const uint32_t pct[] = {0, 30, 70, 100};

	fixture_init(f);
	f->info.imported = false;
	for (size_t i = 0; i < NR(pct); i++)
		for (uint32_t depth = 1; depth <= 16; depth *= 2)
			dist_add_mix(f, pct[i], depth);
	fixture_fail(&f->point[7], POINT_FAILED, "Input/output error");
	fixture_add_cap(f, LAT_MEAN, 10);
	fixture_analyze(f);
}

static void reads_and_writes_are_drawn_against_the_mix(void **state)
{
	struct fixture f;
	struct charts c;
	struct picture *p;
	const struct series *s;

	(void)state;
	load_mixes(&f);
	charts_build(&f.report, &usual, &c);
	p = find(&c, "mix-random-4k-span1G");
	assert_int_equal(p->cols, 3);
	s = find_series(picture_panel(p, 0, 0), "reads");
	assert_int_equal(s->nr, 3);
	s = find_series(picture_panel(p, 0, 0), "total");
	assert_int_equal(s->nr, 4);
	assert_true(s->cell[0].x <= 0 && s->cell[3].x >= 100);
	check_data(&c, "mix-random-4k-span1G");
	/* Reads and writes of a mix have their own distributions. */
	p = find(&c, "tail-randrw-4k-70r");
	assert_int_equal(p->cols, 2);
	assert_string_equal(buf_text(&p->panel[1].title), "span 1G, writes");
	charts_release(&c);
	fixture_release(&f);
}

static void spoiled_and_limited_figures_of_a_mix_say_so(void **state)
{
	struct fixture f;
	struct charts c;
	const char *text;

	(void)state;
	fixture_init(&f);
	f.info.imported = false;
	dist_add_mix(&f, 0, 4)->flags = FLAG_BIT(FLAG_STALL);
	dist_add_mix(&f, 30, 4)->flags = FLAG_BIT(FLAG_CPU_BOUND);
	dist_add_mix(&f, 100, 4);
	fixture_analyze(&f);
	charts_build(&f.report, &usual, &c);
	text = buf_text(&find(&c, "mix-random-4k-span1G")->caption);
	assert_non_null(strstr(text, " (spoiled), 30 % reads at least "));
	assert_null(strstr(text, "100 % reads at least "));
	charts_release(&c);
	fixture_release(&f);
}

/* The chosen depths are among those that have anything to draw. */
static void as_many_distributions_are_told_as_are_drawn(void **state)
{
	struct fixture f;
	struct charts c;

	(void)state;
	fixture_init(&f);
	f.info.imported = false;
	for (uint32_t i = 0; i < 7; i++) {
		struct point *p = dist_add(&f, 4096, 1u << i, 1 + i, 5000);

		if (i == 0 || i == 2 || i == 3 || i == 6)
			p->flags = FLAG_BIT(FLAG_FOREIGN_LOAD);
	}
	fixture_analyze(&f);
	charts_build(&f.report, &usual, &c);
	assert_int_equal(find(&c, "latency-randread-4k")->panel[0].nr_series, 3);
	assert_non_null(strstr(buf_text(&find(&c, "latency-randread-4k")->caption),
			       "Of 7 depths 3 are drawn: 2, 16,"));
	charts_release(&c);
	fixture_release(&f);
}

static void pure_reads_and_writes_are_no_mix(void **state)
{
	struct fixture f;
	struct charts c;

	(void)state;
	fixture_init(&f);
	f.info.imported = false;
	dist_add_mix(&f, 0, 1);
	dist_add_mix(&f, 100, 1);
	fixture_analyze(&f);
	charts_build(&f.report, &usual, &c);
	for (size_t i = 0; i < c.nr; i++)
		assert_int_not_equal(strncmp(c.v[i].name, "mix-", 4), 0);
	charts_release(&c);
	fixture_release(&f);
}

/* ---- series ---- */

static void a_series_shows_ramp_warm_up_and_stall(void **state)
{
	struct fixture f;
	struct measurement m;
	struct charts c;
	struct picture *p;
	const struct series *s;

	(void)state;
	dist_load(&f);
	f.point[2].flags |= FLAG_BIT(FLAG_STALL);
	dist_measure(&m, &f.point[2]);
	f.run.detail = &m;
	f.run.nr_details = 1;
	charts_build(&f.report, &usual, &c);
	p = find(&c, "series-point3");
	s = find_series(&p->panel[0], "reads");
	assert_int_equal(s->nr, 121);
	assert_true(s->cell[59].y > 2000 && s->cell[60].y <= 0 && s->cell[75].y > 2000);
	/* Ramp, warm-up, stall. */
	assert_int_equal(p->panel[0].nr_bands, 3);
	assert_true(p->panel[0].band[0].from <= -1 && p->panel[0].band[0].to >= 0);
	assert_true(fabs(p->panel[0].band[2].from - 6) < 1e-9);
	assert_string_equal(p->panel[0].band[2].label, "stall 1.5 s");
	assert_int_equal(find_series(&p->panel[1], "reads")->cell[65].kind, CELL_GAP);
	/* What the stall held up ends behind it; an interval without completions has no largest. */
	s = find_series(&p->panel[1], "largest of each step");
	assert_int_equal(s->nr, 105);
	assert_true(fabs(s->cell[40].x - 4.05) < 1e-9 && fabs(s->cell[40].y - 40) < 1e-9);
	assert_true(fabs(s->cell[60].x - 7.55) < 1e-9 && fabs(s->cell[60].y - 1500) < 1e-9);
	check_goldens(&c, "series-point3");
	charts_release(&c);
	measurement_release(&m);
	fixture_release(&f);
}

static void many_intervals_are_drawn_together(void **state)
{
	struct fixture f;
	struct measurement m;
	struct charts c;
	const struct series *s;
	double ios = 0;

	(void)state;
	dist_load(&f);
	measurement_init(&m, &f.point[0].spec);
	m.seq = 1;
	m.interval_ns = NS_PER_S / 10;
	m.nr_intervals = 36005;
	m.window_ns = m.nr_intervals * m.interval_ns - NS_PER_S / 20;
	m.series = xcalloc(m.nr_intervals, sizeof(*m.series));
	for (size_t i = 0; i < m.nr_intervals; i++)
		m.series[i].ios[DIR_READ] = 50;
	f.run.detail = &m;
	f.run.nr_details = 1;
	f.point[0].flags = FLAG_BIT(FLAG_UNSTEADY);
	charts_build(&f.report, &usual, &c);
	s = find_series(&find(&c, "series-point1")->panel[0], "reads");
	assert_in_range(s->nr, 200, 402);
	for (size_t i = 0; i + 1 < s->nr; i++)
		ios += s->cell[i].y * (s->cell[i + 1].x - s->cell[i].x);
	assert_true(fabs(ios / (36005 * 50.0) - 1) < 1e-6);
	/* Where no maximum was kept, none is drawn and the caption says so. */
	assert_int_equal(find(&c, "series-point1")->panel[1].nr_series, 1);
	assert_non_null(strstr(buf_text(&find(&c, "series-point1")->caption), "was not kept"));
	charts_release(&c);
	measurement_release(&m);
	fixture_release(&f);
}

static void points_that_need_a_look_come_first(void **state)
{
	struct fixture f;
	uint32_t seq[CHART_MAX_SERIES];

	(void)state;
	dist_load(&f);
	f.point[4].flags |= FLAG_BIT(FLAG_IMPRECISE);
	f.point[0].flags |= FLAG_BIT(FLAG_IMPRECISE);
	f.point[2].flags |= FLAG_BIT(FLAG_UNSTEADY);
	assert_int_equal(charts_choose_series(&f.run, seq, 2), 2);
	assert_int_equal(seq[0], 3);
	assert_int_equal(seq[1], 9);
	/* Knees, and the deepest, which is imprecise too, stand before what is only imprecise. */
	assert_in_range(charts_choose_series(&f.run, seq, CHART_MAX_SERIES), 4, 6);
	for (size_t i = 0; i < f.nr; i++)
		f.point[i].imported = true;
	assert_int_equal(charts_choose_series(&f.run, seq, CHART_MAX_SERIES), 0);
	fixture_release(&f);
}

static void a_point_has_its_own_charts(void **state)
{
	struct fixture f;
	struct measurement m;
	struct charts c;
	struct point_view v;

	(void)state;
	dist_load(&f);
	dist_measure(&m, &f.point[2]);
	v = (struct point_view){.run = &f.info, .m = &m, .p = &f.point[2]};
	charts_build_point(&v, &c);
	assert_int_equal(c.nr, 3);
	(void)find(&c, "run1-point3-series");
	check_tail(find_series(&find(&c, "run1-point3-tail")->panel[0], "iodepth 4"),
		   m.lat[DIR_READ]);
	(void)find(&c, "run1-point3-latency");
	charts_release(&c);
	measurement_release(&m);
	measurement_init(&m, &f.point[2].spec);
	charts_build_point(&v, &c);
	assert_int_equal(c.nr, 0);
	charts_release(&c);
	fixture_release(&f);
}

/* ---- little data, and much ---- */

static void depths_are_chosen_evenly_with_the_knee(void **state)
{
	static const uint32_t depth[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048};
	uint32_t chosen[8];

	(void)state;
	assert_int_equal(chart_choose_depths(depth, 12, 0, chosen, 8), 8);
	assert_int_equal(chosen[0], 1);
	assert_int_equal(chosen[7], 2048);
	for (size_t i = 0; i < 12; i++) {
		bool has_knee = false;

		assert_int_equal(chart_choose_depths(depth, 12, depth[i], chosen, 8), 8);
		for (size_t k = 0; k < 8; k++) {
			has_knee |= chosen[k] == depth[i];
			assert_true(k == 0 || chosen[k] > chosen[k - 1]);
		}
		assert_true(has_knee && chosen[0] == 1 && chosen[7] == 2048);
	}
	/* A knee that is none of them changes nothing; few are all there. */
	assert_int_equal(chart_choose_depths(depth, 3, 3, chosen, 8), 3);
	assert_int_equal(chosen[1], 2);
	assert_int_equal(chart_choose_depths(depth, 1, 1, chosen, 8), 1);
	assert_int_equal(chart_choose_depths(depth, 0, 0, chosen, 8), 0);
}

static void many_depths_and_spans_are_split(void **state)
{
	struct fixture f;
	struct charts c;

	(void)state;
	fixture_init(&f);
	f.info.imported = false;
	for (unsigned span = 1; span <= 5; span++)
		for (uint32_t depth = 1; depth <= 2048; depth *= 2)
			dist_add(&f, 4096, depth, 0.1 * depth, 2000)->spec.span_bytes = span * GIB;
	fixture_analyze(&f);
	charts_build(&f.report, &usual, &c);
	assert_int_equal(find(&c, "tail-randread-4k-1")->panel[0].nr_series, PICTURE_MAX_SERIES);
	assert_int_equal(find(&c, "tail-randread-4k-1")->rows, 2);
	assert_int_equal(find(&c, "tail-randread-4k-2")->rows, 1);
	assert_int_equal(find(&c, "latency-randread-4k-2")->panel[0].nr_series, 5);
	assert_non_null(strstr(buf_text(&find(&c, "tail-randread-4k-1")->caption),
			       "Of 12 depths 8 are drawn"));
	charts_release(&c);
	fixture_release(&f);
}

static void spans_and_runs_have_one_scale(void **state)
{
	struct fixture f, g;
	struct report_run runs[2];
	struct report r = {.runs = runs, .nr_runs = 2};
	struct charts c;

	(void)state;
	dist_load(&f);
	fixture_init(&g);
	g.info.imported = false;
	g.info.id = 2;
	for (unsigned i = 0; i < 4; i++)
		dist_add(&g, 4096U << i / 2, 1U << i % 2, 100, 9000)->spec.span_bytes = 2 * GIB;
	fixture_analyze(&g);
	runs[0] = f.run;
	runs[1] = g.run;
	charts_build(&r, &usual, &c);
	assert_true(find(&c, "run1-tail-randread-4k")->panel[0].x.max > 300);
	assert_true(find(&c, "run2-tail-randread-4k")->panel[0].x.min < 1);
	assert_true(find(&c, "run1-percentiles-randread-4k")->panel[0].y.max > 300);
	assert_true(find(&c, "run1-heat-randread-span1G")->panel[2].heat_max > 99);
	assert_true(find(&c, "run2-heat-randread-span2G")->panel[2].heat_min < 1.1);
	charts_release(&c);
	fixture_release(&f);
	fixture_release(&g);
}

static void draw_all(const struct fixture *f, const char *dir, struct buf *notes)
{
	struct buf made = BUF_INIT;
	struct err e = {0};
	struct charts c;

	charts_build(&f->report, &usual, &c);
	if (charts_write(&c, dir, 0, &made, notes, &e))
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < c.nr; i++)
		assert_true(picture_has_points(&c.v[i]) ||
			    strstr(buf_text(notes), buf_text(&c.v[i].title)));
	charts_release(&c);
	buf_release(&made);
}

static void one_point_is_drawn(void **state)
{
	struct fixture f;
	struct buf notes = BUF_INIT;

	fixture_init(&f);
	f.info.imported = false;
	dist_add(&f, 4096, 4, 1, 2000);
	fixture_analyze(&f);
	draw_all(&f, *state, &notes);
	assert_true(size_of(*state, "tail-randread-4k.png") > 1000);
	assert_true(size_of(*state, "latency-randread-4k.svg") > 1000);
	assert_true(size_of(*state, "percentiles-randread-4k.png") > 1000);
	assert_int_equal(size_of(*state, "heat-randread-span1G.txt"), -1);
	assert_string_equal(buf_text(&notes), "");
	buf_release(&notes);
	fixture_release(&f);
}

static void failed_points_leave_gaps_and_all_failed_leave_a_note(void **state)
{
	struct fixture f;
	struct buf notes = BUF_INIT;

	fixture_init(&f);
	f.info.imported = false;
	for (unsigned i = 0; i < 9; i++)
		dist_add(&f, 4096U << i / 3, 1U << i % 3, 1, 2000);
	fixture_fail(&f.point[4], POINT_FAILED, "Input/output error");
	fixture_analyze(&f);
	draw_all(&f, *state, &notes);
	assert_true(size_of(*state, "heat-randread-span1G.png") > 1000);
	assert_true(size_of(*state, "percentiles-randread-8k.png") > 1000);
	assert_string_equal(buf_text(&notes), "");
	fixture_release(&f);

	fixture_init(&f);
	f.info.imported = false;
	for (unsigned i = 0; i < 4; i++)
		fixture_fail(dist_add(&f, 4096U << i / 2, 1U << i % 2, 1, 2000), POINT_FAILED,
			     "Input/output error");
	fixture_analyze(&f);
	draw_all(&f, *state, &notes);
	assert_non_null(strstr(buf_text(&notes), "no valid points for 'randread span 1G"));
	assert_int_equal(size_of(*state, "heat-randread-span1G.png"), -1);
	buf_release(&notes);
	fixture_release(&f);
}

static void one_depth_and_zero_latencies_are_drawn(void **state)
{
	struct fixture f;
	struct buf notes = BUF_INIT;

	fixture_init(&f);
	f.info.imported = false;
	dist_add(&f, 4096, 1, 1e-7, 2000);
	dist_add(&f, 8192, 1, 1, 2000);
	fixture_analyze(&f);
	draw_all(&f, *state, &notes);
	assert_true(size_of(*state, "tail-randread-4k.png") > 1000);
	assert_int_equal(size_of(*state, "heat-randread-span1G.txt"), -1);
	fixture_release(&f);
	load_mixes(&f);
	draw_all(&f, *state, &notes);
	assert_true(size_of(*state, "mix-random-4k-span1G.png") > 1000);
	assert_string_equal(buf_text(&notes), "");
	buf_release(&notes);
	fixture_release(&f);
}

static void tables_of_others_have_no_distributions(void **state)
{
	struct fixture f;
	struct charts c;

	(void)state;
	fixture_init(&f);
	assert_true(fixture_load_ult(&f));
	fixture_analyze(&f);
	charts_build(&f.report, &usual, &c);
	assert_null(seek(&c, "tail-randread-4k"));
	assert_null(seek(&c, "latency-randread-4k"));
	assert_null(seek(&c, "percentiles-randread-4k"));
	charts_release(&c);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tail_says_which_share_took_longer),
		cmocka_unit_test(loads_have_tails),
		cmocka_unit_test(loads_of_spans_and_mixes_are_panels),
		cmocka_unit_test(the_steps_of_a_distribution_are_all_ios),
		cmocka_unit_test(percentiles_have_intervals_and_end_where_ios_are_few),
		cmocka_unit_test(repeats_have_the_percentiles_of_all_latencies),
		cmocka_unit_test(block_sizes_and_depths_are_a_heat_map),
		cmocka_unit_test(reads_and_writes_are_drawn_against_the_mix),
		cmocka_unit_test(spoiled_and_limited_figures_of_a_mix_say_so),
		cmocka_unit_test(as_many_distributions_are_told_as_are_drawn),
		cmocka_unit_test(pure_reads_and_writes_are_no_mix),
		cmocka_unit_test(a_series_shows_ramp_warm_up_and_stall),
		cmocka_unit_test(many_intervals_are_drawn_together),
		cmocka_unit_test(points_that_need_a_look_come_first),
		cmocka_unit_test(a_point_has_its_own_charts),
		cmocka_unit_test(depths_are_chosen_evenly_with_the_knee),
		cmocka_unit_test(many_depths_and_spans_are_split),
		cmocka_unit_test(spans_and_runs_have_one_scale),
		TEST_IN_DIR(one_point_is_drawn),
		TEST_IN_DIR(failed_points_leave_gaps_and_all_failed_leave_a_note),
		TEST_IN_DIR(one_depth_and_zero_latencies_are_drawn),
		cmocka_unit_test(tables_of_others_have_no_distributions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
