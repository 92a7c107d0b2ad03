/* SPDX-License-Identifier: MIT */
/* The LUN sizing charts: of a report, and of the answer to a question. */
#include "unit.h"

#include "analyze/size.h"
#include "base/clock.h"
#include "chart_golden.h"
#include "report/chart_group.h"
#include "report/chart_lun.h"
#include "report_fixture.h"

static const uint64_t ult_luns[] = {512 * GIB, 1024 * GIB, 2048 * GIB, 4096 * GIB};

static const struct size_question usual = {
	.vm = {.iops = 50, .capacity_bytes = 40.0 * GIB, .read_share = 0.7},
	.cap = {LAT_MEAN, 10 * NS_PER_MS},
	.depth = 16,
	.loss_max = SIZE_LOSS_USUAL,
	.headroom = 0.2,
	.free_space = 0.2,
	.burst = 2,
	.lun_queue = 32,
};

static void load_ult(struct fixture *f)
{
	fixture_init(f);
	assert_true(fixture_load_ult(f));
	fixture_add_cap(f, LAT_MEAN, 10);
	fixture_analyze(f);
}

static void draw_report(const struct fixture *f, uint32_t depth, struct charts *out)
{
	struct chart_how how = {.span_depth = depth};

	chart_draw_luns(out, &(struct chart_source){&f->report, &f->run, &how});
}

static void draw_size(const struct fixture *f, const struct size_question *q, struct charts *out)
{
	struct vm_population vms = {0};
	struct size_answer a;
	struct err e = {0};

	if (size_find(f->curve, f->nr_curves, q, &a, &e))
		fail_msg("%s", e.msg);
	charts_build_size(
		&(struct size_report){.answer = &a, .vms = &vms, .runs = &f->info, .nr_runs = 1},
		out);
	size_release(&a);
}

static void test_report(void **state)
{
	struct charts c = {0};
	struct fixture f;

	(void)state;
	load_ult(&f);
	draw_report(&f, 0, &c);
	assert_int_equal(c.nr, 1);
	assert_data_golden(&c, "lun-size-4k-d16", "ult-");
	assert_true(caption_says(&c.v[0], "Within the loss limit: at iodepth 16 up to 1000G"));
	charts_release(&c);
	/* The depth asked for, or the next below. */
	draw_report(&f, 100, &c);
	chart_get(&c, "lun-size-4k-d64");
	charts_release(&c);
	fixture_release(&f);
}

static void test_answer(void **state)
{
	struct size_question q = usual;
	const struct picture *p;
	struct charts c;
	struct fixture f;

	(void)state;
	load_ult(&f);
	q.lun_size = ult_luns;
	q.nr_lun_sizes = 4;
	draw_size(&f, &q, &c);
	assert_int_equal(c.nr, 2);
	assert_chart_golden(&c, "lun-size", "ult-");
	assert_chart_golden(&c, "vms-per-lun", "ult-");
	p = chart_get(&c, "vms-per-lun");
	/* The least bound of the recommended size. */
	assert_within(p->panel[0].marks[0].v[0].x, 1024.0 * GIB, 0);
	assert_within(p->panel[0].marks[0].v[0].y, 20, 0);
	charts_release(&c);
	fixture_release(&f);
}

/* Four LUNs on the same disks: one more bound, known only where the whole span was measured. */
static void test_sharing(void **state)
{
	struct size_question q = usual;
	const struct picture *p;
	struct charts c;
	struct fixture f;
	size_t nr;

	(void)state;
	load_ult(&f);
	q.luns_sharing = 4;
	draw_size(&f, &q, &c);
	p = chart_get(&c, "vms-per-lun");
	nr = p->panel[0].nr_series;
	assert_string_equal(buf_text(&p->panel[0].series[nr - 1].name), "by IOPS on shared disks");
	assert_int_equal(p->panel[0].series[nr - 1].cell[3].kind, CELL_GAP);
	charts_release(&c);
	fixture_release(&f);
}

/* Spoiled at the depth, failed, a cap never met, a cap never reached, and a client that was the limit. */
static void test_doubtful(void **state)
{
	struct charts c = {0};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	for (uint64_t span = 1; span <= 8; span *= 2)
		for (uint32_t d = 1; d <= 16; d *= 4)
			fixture_add(&f, RW_RANDREAD, span * GIB, d, 1000.0 * d / (double)span,
				    (double)span * (span == 8 ? 20 : 1) * d / 2, UNKNOWN);
	f.point[2].flags = FLAG_BIT(FLAG_STALL);
	fixture_fail(&f.point[5], POINT_FAILED, "Input/output error");
	f.point[8].flags = FLAG_BIT(FLAG_CPU_BOUND);
	fixture_add_cap(&f, LAT_MEAN, 9);
	fixture_add_cap(&f, LAT_P99, 9);
	fixture_add_cap(&f, LAT_MEAN, 1000);
	fixture_analyze(&f);
	draw_report(&f, 0, &c);
	/* Three caps take two pictures. */
	assert_int_equal(c.nr, 2);
	assert_data_golden(&c, "lun-size-4k-d16-1", "doubtful-");
	assert_int_equal(c.v[1].cols, 2);
	charts_release(&c);
	fixture_release(&f);
}

static void mark(struct fixture *f, enum rw_mode rw, uint64_t span_gib, flag_set flags)
{
	for (size_t i = 0; i < f->nr; i++)
		if (f->point[i].spec.rw == rw && f->point[i].spec.span_bytes == span_gib * GIB &&
		    f->point[i].spec.iodepth == 16)
			f->point[i].flags = flags;
}

static void load_marked(struct fixture *f, flag_set writes)
{
	fixture_init(f);
	assert_true(fixture_load_ult(f));
	fixture_add_cap(f, LAT_MEAN, 10);
	mark(f, RW_RANDREAD, 500, FLAG_BIT(FLAG_STALL));
	mark(f, RW_RANDREAD, 1000, FLAG_BIT(FLAG_STALL));
	mark(f, RW_RANDWRITE, 500, writes);
	fixture_analyze(f);
}

static void assert_caption(const struct charts *c, const char *name, const char *words)
{
	if (!caption_says(chart_get(c, name), words))
		fail_msg("\"%s\" is not in: %s", words, buf_text(&chart_get(c, name)->caption));
}

/* What cannot be judged is not beyond the limit, and the chart of an answer is against its base. */
static void test_smallest_spoiled(void **state)
{
	struct size_question q = usual;
	struct charts c = {0};
	struct fixture f;

	(void)state;
	load_marked(&f, FLAG_BIT(FLAG_CPU_BOUND));
	draw_report(&f, 0, &c);
	assert_caption(&c, "lun-size-4k-d16", "Within the loss limit: at iodepth 16 not known; ");
	assert_caption(&c, "lun-size-4k-d16",
		       "randread, at iodepth 16, with per cent of 2000G: 500G 2835 (spoiled), ");
	assert_caption(&c, "lun-size-4k-d16", "1000G 1874 (at most 91.4 %)");
	assert_caption(&c, "lun-size-4k-d16", "mean <= 10 ms up to 500G, of 1000G it is not known");
	charts_release(&c);
	draw_size(&f, &q, &c);
	assert_caption(&c, "lun-size",
		       "Within the loss limit, against 2000G: at iodepth 16 no size, as that loses "
		       "too much against a smaller one; ");
	assert_caption(&c, "lun-size", "No LUN size can be recommended");
	charts_release(&c);
	q.loss_max = 0.2;
	draw_size(&f, &q, &c);
	assert_caption(&c, "lun-size",
		       "Within the loss limit, against 2000G: at iodepth 16 up to 2000G");
	assert_caption(&c, "lun-size", "LUNs of 2000G, each for 3");
	assert_caption(&c, "lun-size",
		       "2 sizes could not be judged. Losses are against 2000G, as smaller spans "
		       "are among these.");
	charts_release(&c);
	fixture_release(&f);
}

static void test_one_span(void **state)
{
	struct charts c = {0};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_add(&f, RW_RANDREAD, GIB, 16, 1000, 16, UNKNOWN);
	fixture_analyze(&f);
	draw_report(&f, 0, &c);
	assert_int_equal(c.nr, 0);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("the ULT study against span, with the loss limit", test_report),
		titled_test("the answer for the ULT study, and its VMs by each bound", test_answer),
		titled_test("LUNs on the same disks have a bound more", test_sharing),
		titled_test("what is doubtful shows and decides nothing", test_doubtful),
		titled_test("sizes that cannot be judged are not known to lose",
			    test_smallest_spoiled),
		titled_test("one span is no chart", test_one_span),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
