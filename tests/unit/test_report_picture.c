/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/num.h"
#include "chart_dir.h"
#include "report/gnuplot.h"
#include "report/picture.h"

#include <stdio.h>
#include <string.h>

#define TOLERANCE 1.5 /* user units */

static void set_axes(struct panel *p, enum scale x, const char *x_title, enum scale y,
		     const char *y_title)
{
	p->x.scale = x;
	p->x.title = x_title;
	p->y.scale = y;
	p->y.title = y_title;
}

static struct series *add(struct panel *p, enum look look, const double (*xy)[2], size_t nr)
{
	struct series *s = panel_add_series(p, look);

	buf_addf(&s->name, "series %zu", p->nr_series);
	for (size_t i = 0; i < nr; i++)
		series_add(s, CELL_VALID, xy[i][0], xy[i][1]);
	return s;
}

static void write_picture(const struct picture *p, const char *formats, const char *dir)
{
	struct buf gp = BUF_INIT, dat = BUF_INIT;
	char *gp_path = xasprintf("%s/%s.gp", dir, p->name);
	char *dat_path = xasprintf("%s/%s.dat", dir, p->name);
	struct err e = {0};

	picture_script(p, formats, &gp);
	picture_data(p, &dat);
	assert_int_equal(file_write(gp_path, buf_text(&gp), gp.len, &e), 0);
	assert_int_equal(file_write(dat_path, buf_text(&dat), dat.len, &e), 0);
	free(gp_path);
	free(dat_path);
	buf_release(&gp);
	buf_release(&dat);
}

/* Draw it, and return the SVG. */
static char *draw(const struct picture *p, const char *dir)
{
	char *script = xasprintf("%s.gp", p->name), *svg = xasprintf("%s/%s.svg", dir, p->name);
	struct buf b = BUF_INIT;
	struct err e = {0};

	write_picture(p, "svg", dir);
	if (gnuplot_run(dir, script, GNUPLOT_TIME_LIMIT_NS, &e) || file_read(svg, 1 << 24, &b, &e))
		fail_msg("%s", e.msg);
	free(script);
	free(svg);
	return buf_detach(&b);
}

/* The next point of the SVG; moves *svg behind it. */
static struct picture_place next_point(char **svg)
{
	struct picture_place at = {UNKNOWN, UNKNOWN};

	while (*svg && (*svg = strstr(*svg, "<use "))) {
		(*svg)++;
		if (sscanf(*svg, "use xlink:href='#gpPt%*u' transform='translate(%lf,%lf)", &at.x,
			   &at.y) == 2)
			break;
	}
	return at;
}

static void check_point(char **svg, struct picture_place expected)
{
	struct picture_place at = next_point(svg);

	if (!(fabs(at.x - expected.x) < TOLERANCE && fabs(at.y - expected.y) < TOLERANCE))
		fail_msg("drawn at %g,%g instead of %g,%g", at.x, at.y, expected.x, expected.y);
}

static void check_points(const struct picture *p, char *svg)
{
	for (size_t i = 0; i < (size_t)p->rows * p->cols; i++) {
		const struct panel *panel = &p->panel[i];

		for (size_t s = 0; s < panel->nr_series; s++)
			for (size_t c = 0; c < panel->series[s].nr; c++)
				check_point(&svg, picture_place_cell(p, panel, &panel->series[s],
								     &panel->series[s].cell[c]));
	}
}

static const double plane[][2] = {{0, 0}, {7, 130}, {41, 977}, {99.5, 412}};
static const double powers[][2] = {{1, 0.4}, {2, 0.41}, {64, 3.3}, {2048, 88}};
static const double ranks[][2] = {{0, 10}, {1, 250}, {2, 90}};
static const double tail[][2] = {{0.5, 1}, {0.1, 3}, {0.01, 9}, {1e-4, 30}};
static const double below[][2] = {{1, 1}, {10, 0.25}, {250, 0.0013}};

static void fill(struct picture *p)
{
	set_axes(picture_panel(p, 0, 0), SCALE_LINEAR, "time (s)", SCALE_LINEAR, "IOPS");
	set_axes(picture_panel(p, 0, 1), SCALE_LOG2, "depth", SCALE_LOG10, "latency (ms)");
	set_axes(picture_panel(p, 1, 0), SCALE_RANK, "mode", SCALE_LINEAR, "MiB/s");
	set_axes(picture_panel(p, 1, 1), SCALE_TAIL, "percentile", SCALE_LOG10, "latency (ms)");
	set_axes(picture_panel(p, 2, 0), SCALE_LOG10, "latency (ms)", SCALE_TAIL, "share above");
	set_axes(picture_panel(p, 2, 1), SCALE_LOG2, "depth", SCALE_LOG10, "latency (us)");
	for (unsigned i = 0; i < 3; i++)
		axis_add_tick(&picture_panel(p, 1, 0)->x, i, i ? "randread of some length" : "a");
	add(picture_panel(p, 0, 0), LOOK_CURVE, plane, NR(plane));
	add(picture_panel(p, 0, 1), LOOK_CURVE, powers, NR(powers));
	add(picture_panel(p, 0, 1), LOOK_POINTS, powers, 2);
	add(picture_panel(p, 1, 0), LOOK_POINTS, ranks, NR(ranks));
	add(picture_panel(p, 1, 1), LOOK_CURVE, tail, NR(tail));
	add(picture_panel(p, 2, 0), LOOK_CURVE, below, NR(below));
	add(picture_panel(p, 2, 1), LOOK_CURVE, powers, 1);
}

static void places_are_where_gnuplot_draws(void **state)
{
	struct picture p;
	char *svg;

	picture_init(&p, 3, 2);
	p.name = xstrdup("places");
	buf_addstr(&p.title, "Places");
	fill(&p);
	buf_addstr(&picture_panel(&p, 1, 1)->title, "a title");
	svg = draw(&p, *state);
	check_points(&p, svg);
	free(svg);
	picture_release(&p);
}

static void fill_heat(struct panel *p)
{
	set_axes(p, SCALE_RANK, "iodepth", SCALE_RANK, "block size");
	p->heat_title = "IOPS";
	p->is_heat_log = true;
	for (unsigned x = 0; x < 4; x++)
		for (unsigned y = 0; y < 3; y++) {
			enum cell_kind kind = (x + y) % 3 ? CELL_VALID : CELL_GAP;

			panel_add_heat(p, kind, x, y, 1 + x * 100 + y)->text = xstrdup("1.2k");
		}
	for (unsigned i = 0; i < 4; i++) {
		axis_add_tick(&p->x, i, "1");
		if (i < 3)
			axis_add_tick(&p->y, i, "64k");
	}
}

static void gaps_of_heat_maps_have_a_cross_in_their_middle(void **state)
{
	struct picture p;
	const struct panel *panel;
	char *svg, *at;

	picture_init(&p, 1, 1);
	p.name = xstrdup("heat");
	panel = p.panel;
	fill_heat(p.panel);
	svg = at = draw(&p, *state);
	for (size_t i = 0; i < panel->nr_heat; i++) {
		struct picture_box box = picture_place_heat(&p, panel, &panel->heat[i]);

		if (panel->heat[i].kind == CELL_GAP)
			check_point(&at, (struct picture_place){box.x + box.width / 2,
								box.y + box.height / 2});
	}
	assert_non_null(strstr(svg, "1.2k"));
	free(svg);
	picture_release(&p);
}

static void panels_of_a_row_have_one_scale(void **state)
{
	struct picture p;
	struct picture_place left, right;

	(void)state;
	picture_init(&p, 1, 2);
	for (unsigned c = 0; c < 2; c++)
		set_axes(picture_panel(&p, 0, c), SCALE_LINEAR, "x", SCALE_LINEAR, "IOPS");
	add(picture_panel(&p, 0, 0), LOOK_CURVE, plane, 2);
	add(picture_panel(&p, 0, 1), LOOK_CURVE, plane, NR(plane));
	left = picture_place(&p, picture_panel(&p, 0, 0), 1, 100);
	right = picture_place(&p, picture_panel(&p, 0, 1), 1, 100);
	assert_true(left.y >= right.y && left.y <= right.y && left.x < right.x);
	assert_true(isnan(picture_place(&p, p.panel, 1, 1e6).x));
	picture_release(&p);
}

static void values_that_a_log_scale_does_not_have_are_gaps(void **state)
{
	static const double zeros[][2] = {{1, 0}, {2, 5}, {4, -1}};
	struct picture p;
	char *svg;

	picture_init(&p, 1, 1);
	p.name = xstrdup("zeros");
	set_axes(p.panel, SCALE_LOG2, "depth", SCALE_LOG10, "latency (ms)");
	add(p.panel, LOOK_CURVE, zeros, NR(zeros));
	assert_true(isnan(
		picture_place_cell(&p, p.panel, p.panel->series, &p.panel->series->cell[0]).x));
	svg = draw(&p, *state);
	assert_non_null(strstr(svg, "gpPt"));
	free(svg);
	picture_release(&p);
}

/* Each alone on its scale. */
static void extreme_values_are_drawn(void **state)
{
	static const double value[] = {0, 1e-300, 1e300, 5e-12, 1, 123456789, HUGE_VAL};
	static const enum scale scales[] = {SCALE_LINEAR, SCALE_LOG2, SCALE_LOG10, SCALE_TAIL};
	struct gnuplot_script script[NR(value) * NR(scales)];
	struct err e = {0};

	for (size_t i = 0; i < NR(script); i++) {
		double v = value[i / NR(scales)];
		enum scale scale = scales[i % NR(scales)];
		struct picture p;

		picture_init(&p, 1, 1);
		p.name = xasprintf("extreme%zu", i);
		script[i] = (struct gnuplot_script){.name = xasprintf("extreme%zu.gp", i)};
		set_axes(p.panel, scale, "x", scale, "y");
		add(p.panel, LOOK_CURVE, &(const double[2]){v, v}, 1);
		write_picture(&p, "svg", *state);
		picture_release(&p);
	}
	if (gnuplot_draw(*state, script, NR(script), GNUPLOT_TIME_LIMIT_NS, &e))
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < NR(script); i++)
		free(script[i].name);
}

static void a_tip_names_what_the_axes_say(void **state)
{
	struct picture p;
	struct series *s;
	struct buf b = BUF_INIT;

	(void)state;
	picture_init(&p, 1, 1);
	set_axes(p.panel, SCALE_LOG2, "span", SCALE_LINEAR, "IOPS");
	axis_add_tick(&p.panel->x, 1024, "1k");
	s = add(p.panel, LOOK_CURVE, &(const double[2]){1024, 4368}, 1);
	s->cell->y_low = 4300;
	s->cell->y_high = 4400;
	picture_add_tip(&b, p.panel, s, s->cell);
	assert_string_equal(buf_text(&b), "series 1\nspan: 1k\nIOPS: 4368 (95 %: 4300 to 4400)\n");
	buf_release(&b);
	picture_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_IN_DIR(places_are_where_gnuplot_draws),
		TEST_IN_DIR(gaps_of_heat_maps_have_a_cross_in_their_middle),
		cmocka_unit_test(panels_of_a_row_have_one_scale),
		TEST_IN_DIR(values_that_a_log_scale_does_not_have_are_gaps),
		TEST_IN_DIR(extreme_values_are_drawn),
		cmocka_unit_test(a_tip_names_what_the_axes_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
