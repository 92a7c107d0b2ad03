/* SPDX-License-Identifier: MIT */
/* A point and a run in full (show), as text and as JSON. */
#include "unit.h"

#include "golden.h"
#include "report/point_json.h"
#include "report/point_text.h"
#include "report/quantiles.h"
#include "report/run_text.h"
#include "store_fixture.h"

struct shown {
	struct run_info run;
	struct measurement m;
	struct point p;
	struct point_view view;
};

static void begin(struct shown *s)
{
	s->run = fixture_run();
	s->run.id = 2;
	fixture_measurement(&s->m, 4, 2);
	s->m.worker[1].cpu_user_ns = s->m.window_ns / 4;
	s->m.worker[1].cpu_wait_ns = s->m.window_ns / 10;
}

static void finish(struct shown *s)
{
	measurement_to_point(&s->m, &s->p);
	s->view = (struct point_view){&s->run, &s->m, &s->p};
}

static void end(struct shown *s)
{
	measurement_release(&s->m);
	point_release(&s->p);
}

static void add_intervals(struct figures *f)
{
	f->lat_p95_lo_ns = f->lat_p95_ns * 0.99;
	f->lat_p95_hi_ns = f->lat_p95_ns * 1.01;
	f->lat_p99_lo_ns = f->lat_p99_ns * 0.97;
	f->lat_p99_hi_ns = f->lat_p99_ns * 1.04;
}

static void a_mixed_point_has_all_its_tables(void **state)
{
	struct buf b = BUF_INIT;
	struct shown s;

	(void)state;
	begin(&s);
	measurement_flag(&s.m, FLAG_HOST_DISTURBED, "worker 1 waited for a CPU 10 %% of the time");
	finish(&s);
	add_intervals(&s.p.dir[DIR_READ]);
	add_intervals(&s.p.dir[DIR_TOTAL]);
	point_text(&b, &s.view, (struct text_style){.width = 80});
	assert_golden("point-mixed.txt", &b);
	assert_true(widest_line(&b) <= 80);
	buf_reset(&b);
	point_json(&b, &s.view);
	assert_golden("point-mixed.json", &b);
	buf_release(&b);
	end(&s);
}

/* As large as figures become: hours of six million IOPS, and latencies of minutes. */
static void large_figures_fit_a_terminal(void **state)
{
	struct buf b = BUF_INIT;
	struct shown s;

	(void)state;
	begin(&s);
	for (unsigned w = 0; w < 2; w++)
		for (enum dir d = DIR_READ; d <= DIR_WRITE; d++)
			s.m.worker[w].dir[d] =
				(struct dir_sums){12345678901, 50567899897856, 9876543210987654, 1};
	s.m.window_ns = 8640ULL * 1000000000;
	finish(&s);
	for (enum dir d = 0; d < DIR_NR; d++) {
		s.p.dir[d].lat_p99_ns = s.p.dir[d].lat_max_ns = 123456.789e6;
		s.p.dir[d].lat_mean_ns = s.p.dir[d].lat_sd_ns = 1234.567e6;
		add_intervals(&s.p.dir[d]);
	}
	hist_add(s.m.lat[DIR_READ], 123456789012);
	point_text(&b, &s.view, (struct text_style){.width = 80});
	assert_true(widest_line(&b) <= 80);
	buf_release(&b);
	end(&s);
}

/* Where nothing but reads was asked for, the total would be the same table again. */
static void a_point_that_only_reads_has_one_table(void **state)
{
	struct buf b = BUF_INIT;
	struct shown s;

	(void)state;
	begin(&s);
	s.m.spec.rw = RW_RANDREAD;
	s.m.spec.rwmixread_pct = 100;
	free(s.m.lat[DIR_WRITE]);
	s.m.lat[DIR_WRITE] = NULL;
	for (unsigned w = 0; w < 2; w++) {
		s.m.worker[w].dir[DIR_WRITE] = (struct dir_sums){0};
		s.m.worker[w].lat_sq_ns2[DIR_WRITE] = 0;
	}
	finish(&s);
	point_text(&b, &s.view, (struct text_style){0});
	assert_golden("point-read.txt", &b);
	buf_release(&b);
	end(&s);
}

static void the_busiest_cores_of_many_are_shown(void **state)
{
	struct buf b = BUF_INIT;
	struct shown s;

	(void)state;
	begin(&s);
	free(s.m.cpu);
	s.m.nr_cpus = 128;
	s.m.cpu = xcalloc(128, sizeof(*s.m.cpu));
	for (uint32_t i = 0; i < 128; i++)
		s.m.cpu[i] = (struct cpu_times){.cpu = i, .user_ms = i, .idle_ms = 1000 - i};
	finish(&s);
	point_text(&b, &s.view, (struct text_style){0});
	assert_non_null(strstr(buf_text(&b),
			       "Cores of the host over 5.0 s, in %; the 16 busiest of 128\n"));
	assert_non_null(
		strstr(buf_text(&b), "\n  127   12.7  12.7     0.0  0.0    0.0     0.0  87.3\n"));
	assert_non_null(strstr(buf_text(&b), "\n  112   11.2"));
	assert_null(strstr(buf_text(&b), "\n  111   11.1"));
	assert_non_null(strstr(buf_text(&b), "\n  all    6.3"));
	buf_release(&b);
	end(&s);
}

static void a_point_that_failed_has_no_tables(void **state)
{
	struct buf b = BUF_INIT;
	struct shown s;

	(void)state;
	begin(&s);
	s.m.status = POINT_FAILED;
	s.m.reason = xstrdup("read of 4096 bytes at 8192: Input/output error");
	s.m.nr_errors = 1;
	s.m.err_errno = 5;
	finish(&s);
	point_text(&b, &s.view, (struct text_style){.width = 80});
	assert_non_null(
		strstr(buf_text(&b), "errors       1, the first at byte 0: Input/output error"));
	assert_null(strstr(buf_text(&b), "Latency in ms"));
	assert_null(strstr(buf_text(&b), "nan"));
	buf_release(&b);
	end(&s);
}

/* O-32. */
static void percentiles_are_in_order_and_marked_by_the_count(void **state)
{
	static const uint64_t enough[NR_QUANTILES] = {
		0,	14,	 20,	   40,	      100,	  200,	       1000, 10000,
		100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 0};
	struct figures f;
	double low, high;

	(void)state;
	figures_clear(&f);
	for (size_t i = 0; i < NR_QUANTILES; i++) {
		const struct quantile *q = &quantiles[i];

		assert_true(!i || q->q > quantiles[i - 1].q);
		assert_false(quantile_has_few(q, enough[i]));
		assert_true(!enough[i] || quantile_has_few(q, enough[i] - 1 - enough[i] / 100000));
		assert_unknown(quantile_ns(q, NULL, &f));
		assert_false(quantile_interval(q, &f, &low, &high));
	}
	f.lat_p95_ns = 5;
	f.lat_p95_lo_ns = 4;
	f.lat_p95_hi_ns = 6;
	assert_within(quantile_ns(&quantiles[5], NULL, &f), 5, 0);
	assert_true(quantile_interval(&quantiles[5], &f, &low, &high));
	assert_within(low, 4, 0);
	assert_within(high, 6, 0);
}

static void a_run_is_shown_within_the_width(void **state)
{
	static char reason[] = "bs 512 is below the logical block of 4096";
	struct point p[3] = {0};
	struct shown s;
	struct buf b = BUF_INIT;

	(void)state;
	begin(&s);
	finish(&s);
	for (size_t i = 0; i < NR(p); i++) {
		p[i] = s.p;
		p[i].seq = (uint32_t)i + 1;
	}
	p[1].flags = FLAG_BIT(FLAG_STALL) | FLAG_BIT(FLAG_UNSTEADY);
	p[2].status = POINT_SKIPPED;
	p[2].reason = reason;
	figures_clear(&p[2].dir[DIR_TOTAL]);
	facts_set(&s.run.facts, "prepare.how",
		  "every block written 1 time in order, then random writes of 8k at depth 32");
	run_text(&b, &s.run, p, NR(p), (struct text_style){.width = 80});
	assert_golden("run-80.txt", &b);
	assert_true(widest_line(&b) <= 80);
	facts_release(&s.run.facts);
	buf_release(&b);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("a mixed point has all its tables", a_mixed_point_has_all_its_tables),
		titled_test("large figures fit a terminal", large_figures_fit_a_terminal),
		titled_test("a point that only reads has one table",
			    a_point_that_only_reads_has_one_table),
		titled_test("of many cores the busiest are shown",
			    the_busiest_cores_of_many_are_shown),
		titled_test("a point that failed has no tables", a_point_that_failed_has_no_tables),
		titled_test("percentiles are in order, and marked by their count",
			    percentiles_are_in_order_and_marked_by_the_count),
		titled_test("a run is shown within the width", a_run_is_shown_within_the_width),
	};

	return cmocka_run_group_tests_name("show", tests, NULL, NULL);
}
