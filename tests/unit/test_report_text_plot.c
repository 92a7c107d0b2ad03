/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dist_fixture.h"
#include "golden.h"
#include "report/text_plot.h"

#include <math.h>

static bool is_ascii(const struct buf *b)
{
	for (size_t i = 0; i < b->len; i++)
		if ((unsigned char)b->text[i] >= 0x80)
			return false;
	return true;
}

static void plot_fixture(struct buf *b, struct fixture *f, struct text_style style)
{
	buf_reset(b);
	text_run_plots(b, &f->run, style);
}

static void the_ult_study_is_plotted_in_80_columns(void **state)
{
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_init(&f);
	assert_true(fixture_load_ult(&f));
	fixture_add_cap(&f, LAT_MEAN, 10);
	fixture_analyze(&f);
	plot_fixture(&b, &f, (struct text_style){0});
	assert_golden("plot-ult.txt", &b);
	assert_true(is_ascii(&b));
	plot_fixture(&b, &f, (struct text_style){.utf8 = true});
	assert_golden("plot-ult-utf8.txt", &b);
	assert_true(widest_line(&b) <= 80);
	buf_release(&b);
	fixture_release(&f);
}

static void gaps_rings_and_loads_are_told_apart(void **state)
{
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_load_mini(&f);
	plot_fixture(&b, &f, (struct text_style){0});
	assert_golden("plot-mini.txt", &b);
	fixture_release(&f);
	fixture_load_loads(&f);
	plot_fixture(&b, &f, (struct text_style){0});
	assert_golden("plot-load.txt", &b);
	buf_release(&b);
	fixture_release(&f);
}

static void loads_that_are_spoiled_or_not_sustained_have_their_signs(void **state)
{
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_init(&f);
	fixture_add_load(&f, 20, 200, 1, 2);
	fixture_add_load(&f, 40, 401, 1, 2)->flags = FLAG_BIT(FLAG_STALL);
	fixture_add_load(&f, 80, 800, 1, 2);
	fixture_add_load(&f, 120, 900, 1, 2)->flags = FLAG_BIT(FLAG_RATE_MISSED);
	fixture_analyze(&f);
	plot_fixture(&b, &f, (struct text_style){0});
	/* No line between the valid loads, one to the load that was missed. */
	assert_non_null(strstr(buf_text(&b), "+a "));
	assert_non_null(strstr(buf_text(&b), " o "));
	assert_non_null(strstr(buf_text(&b), " A..."));
	assert_non_null(strstr(buf_text(&b), "...x"));
	assert_non_null(strstr(buf_text(&b), "o: spoiled; x: not sustained"));
	buf_release(&b);
	fixture_release(&f);
}

static void no_plot_is_wider_than_its_room(void **state)
{
	/* Below 30 the words of the legend are wider, which are not broken. */
	static const size_t widths[] = {1, 2, 7, 20, 30, 40, 71, 72, 73, 80, 132, 200, 1000};
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_load_mini(&f);
	for (size_t i = 0; i < NR(widths); i++) {
		plot_fixture(&b, &f, (struct text_style){.width = widths[i], .utf8 = i % 2});
		assert_true(widths[i] < 30 || widest_line(&b) <= widths[i]);
	}
	buf_release(&b);
	fixture_release(&f);
}

static void a_point_alone_and_no_point_at_all_are_plotted_too(void **state)
{
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_init(&f);
	fixture_add(&f, RW_RANDREAD, GIB, 4, 100, 40, UNKNOWN);
	fixture_analyze(&f);
	plot_fixture(&b, &f, (struct text_style){0});
	assert_non_null(strchr(buf_text(&b), 'a'));
	fixture_fail(&f.point[0], POINT_FAILED, "Input/output error");
	plot_fixture(&b, &f, (struct text_style){0});
	assert_string_equal(buf_text(&b), "\nPlots\n  No point has figures.\n");
	buf_release(&b);
	fixture_release(&f);
}

static void curves_beyond_eight_go_into_another_plot(void **state)
{
	struct fixture f;
	struct buf b = BUF_INIT;
	size_t nr = 0;

	(void)state;
	fixture_init(&f);
	for (unsigned i = 1; i <= 9; i++)
		for (uint32_t depth = 1; depth <= 4; depth *= 2)
			fixture_add(&f, RW_RANDREAD, i * GIB, depth, 100 * i, 1, UNKNOWN);
	fixture_analyze(&f);
	plot_fixture(&b, &f, (struct text_style){0});
	for (const char *s = buf_text(&b); (s = strstr(s, "mean latency, ms")); s++)
		nr++;
	assert_int_equal(nr, 2);
	assert_non_null(strstr(buf_text(&b), "\n  h  randread 4k span 8G "));
	assert_non_null(strstr(buf_text(&b), "\n  a  randread 4k span 9G "));
	buf_release(&b);
	fixture_release(&f);
}

static void nothing_but_zeros_has_a_scale(void **state)
{
	static const double ticks[] = {1, 2};
	struct buf b = BUF_INIT;
	struct plot p;

	(void)state;
	plot_init(&p);
	p.x_title = "iodepth";
	p.panel[0].title = "IOPS";
	p.nr_panels = 1;
	p.tick = ticks;
	p.nr_ticks = 2;
	plot_add(&p.panel[0], 0, 1, 0, PLOT_VALID);
	plot_add(&p.panel[0], 0, 2, 0, PLOT_VALID);
	text_plot(&b, &p, (struct text_style){.width = 40});
	assert_non_null(strstr(buf_text(&b), "\n  0 +a"));
	/* A colour takes no room. */
	buf_reset(&b);
	text_plot(&b, &p, (struct text_style){.width = 40, .color = true});
	assert_true(widest_line(&b) <= 40);
	assert_non_null(strstr(buf_text(&b), "\033[36ma\033[0m"));
	plot_release(&p);
	buf_release(&b);
}

static size_t count_of(const struct buf *b, char c)
{
	size_t nr = 0;

	for (size_t i = 0; i < b->len; i++)
		nr += b->text[i] == c;
	return nr;
}

static void a_series_is_plotted_with_its_gap_and_its_largest(void **state)
{
	struct fixture f;
	struct measurement m;
	struct buf b = BUF_INIT;

	(void)state;
	dist_load(&f);
	dist_measure(&m, &f.point[2]);
	text_series_plot(&b, &m, (struct text_style){0});
	assert_golden("plot-series.txt", &b);
	assert_true(is_ascii(&b));
	assert_true(widest_line(&b) <= 80);
	for (size_t width = 20; width <= 200; width += 45) {
		buf_reset(&b);
		text_series_plot(&b, &m, (struct text_style){.utf8 = true, .width = width});
		assert_true(widest_line(&b) <= width);
	}
	/* Of a point before the maximum was kept. */
	for (size_t i = 0; i < m.nr_intervals; i++)
		m.series[i].lat_max_ns[DIR_READ] = 0;
	buf_reset(&b);
	text_series_plot(&b, &m, (struct text_style){0});
	assert_null(strstr(buf_text(&b), "largest latency, ms"));
	assert_non_null(strstr(buf_text(&b), "largest latency of each"));
	m.nr_intervals = 0;
	buf_reset(&b);
	text_series_plot(&b, &m, (struct text_style){0});
	assert_non_null(strstr(buf_text(&b), "This point has no series."));
	buf_release(&b);
	measurement_release(&m);
	fixture_release(&f);
}

static void reads_and_writes_of_a_mix_have_a_curve_each(void **state)
{
	struct fixture f;
	struct measurement m;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_init(&f);
	dist_measure(&m, dist_add_mix(&f, 70, 4));
	for (size_t i = 0; i < m.nr_intervals; i++)
		m.series[i].ios[DIR_WRITE] = 50;
	text_series_plot(&b, &m, (struct text_style){0});
	assert_non_null(strstr(buf_text(&b), "a: reads; b: writes. Each letter"));
	assert_true(count_of(&b, 'b') > 20);
	buf_release(&b);
	measurement_release(&m);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ult_study_is_plotted_in_80_columns),
		cmocka_unit_test(gaps_rings_and_loads_are_told_apart),
		cmocka_unit_test(loads_that_are_spoiled_or_not_sustained_have_their_signs),
		cmocka_unit_test(no_plot_is_wider_than_its_room),
		cmocka_unit_test(a_point_alone_and_no_point_at_all_are_plotted_too),
		cmocka_unit_test(curves_beyond_eight_go_into_another_plot),
		cmocka_unit_test(nothing_but_zeros_has_a_scale),
		cmocka_unit_test(a_series_is_plotted_with_its_gap_and_its_largest),
		cmocka_unit_test(reads_and_writes_of_a_mix_have_a_curve_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
