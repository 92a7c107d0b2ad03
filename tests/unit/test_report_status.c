/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "golden.h"
#include "report/status.h"
#include "report_fixture.h"

#include <math.h>

#define BEGIN_NS 1767225600000000000

static void measured(struct point *p, unsigned from_s, unsigned to_s)
{
	p->start_wall_ns = BEGIN_NS + from_s * (int64_t)NS_PER_S;
	p->end_wall_ns = BEGIN_NS + to_s * (int64_t)NS_PER_S;
}

/* A run of six points: three have ended, one is going on for 4 s, one is left, one was skipped. */
static void load(struct fixture *f)
{
	struct point *p;

	fixture_init(f);
	f->info.imported = false;
	f->info.state = RUN_RUNNING;
	f->info.start_wall_ns = BEGIN_NS;
	f->info.target_size_bytes = 12 * GIB;
	facts_set(&f->info.facts, "sweep.ramp_ns", "1000000000");
	facts_set(&f->info.facts, "sweep.window_max_ns", "20000000000");
	facts_set(&f->info.facts, "host.name", "storage-7");
	measured(fixture_add(f, RW_RANDREAD, GIB, 1, 247, 4.03, 9), 0, 10);
	p = fixture_add(f, RW_RANDREAD, GIB, 2, 480, 4.2, 9);
	p->flags = FLAG_BIT(FLAG_STALL);
	measured(p, 10, 22);
	p = fixture_add(f, RW_RANDREAD, GIB, 4, 1, 1, 1);
	fixture_fail(p, POINT_FAILED, "Input/output error at offset 40960");
	measured(p, 22, 30);
	p = fixture_add(f, RW_RANDREAD, GIB, 8, 1, 1, 1);
	fixture_fail(p, POINT_RUNNING, NULL);
	p->start_wall_ns = BEGIN_NS + 30 * (int64_t)NS_PER_S;
	fixture_fail(fixture_add(f, RW_RANDREAD, GIB, 16, 1, 1, 1), POINT_PLANNED, NULL);
	fixture_fail(fixture_add(f, RW_RANDREAD, GIB, 32, 1, 1, 1), POINT_SKIPPED, "too deep");
	fixture_analyze(f);
}

static struct status_view view_of(const struct fixture *f, enum status_state state)
{
	struct status_view v = {.info = &f->info,
				.points = f->point,
				.nr_points = f->nr,
				.state = state,
				.pid = state == STATUS_RUNNING ? 4711 : 0,
				.now_ns = BEGIN_NS + 34 * (int64_t)NS_PER_S};

	status_count(&v);
	return v;
}

static void a_run_that_goes_on_is_told_in_full(void **state)
{
	struct fixture f;
	struct status_view v;
	struct buf b = BUF_INIT;

	(void)state;
	load(&f);
	v = view_of(&f, STATUS_RUNNING);
	assert_int_equal(v.nr_done, 4);
	assert_int_equal(v.nr_left, 2);
	assert_int_equal(v.nr_spoiled, 1);
	assert_int_equal(v.basis, STATUS_BASIS_MEAN);
	/* 10 s each: one for 4 s already, and one more. */
	assert_int_equal(v.left_ns, 16 * NS_PER_S);
	assert_float_equal(v.share, 4.4 / 6, 1e-9);
	v.is_live = v.in_window = true;
	v.hand_iops = 1500;
	v.hand_lat_ns = 5.3e6;
	v.hand_silent_s = 0;
	status_text(&b, &v, (struct text_style){0});
	assert_golden("status.txt", &b);
	buf_reset(&b);
	status_json(&b, &v);
	assert_golden("status.json", &b);
	buf_reset(&b);
	status_point_line(&b, &v, &f.point[1], v.nr_done);
	status_state_line(&b, &v);
	assert_string_equal(
		buf_text(&b),
		"[4/6] randread 4k iodepth 2 span 1G: 480 IOPS, 4.20 ms  (stall)\n"
		"run 1: running, process 4711. Points: 4 of 6 done: 2 ok (1 of them spoiled), 1 "
		"failed, 1 skipped; 2 left.\n");
	status_release(&v);
	buf_release(&b);
	fixture_release(&f);
}

static void before_the_first_point_the_plan_is_what_there_is(void **state)
{
	struct fixture f;
	struct status_view v;
	struct buf b = BUF_INIT;

	(void)state;
	load(&f);
	for (size_t i = 0; i < 3; i++) {
		free(f.point[i].reason);
		fixture_fail(&f.point[i], POINT_PLANNED, NULL);
	}
	v = view_of(&f, STATUS_RUNNING);
	assert_int_equal(v.basis, STATUS_BASIS_PLAN);
	/* Five of 21.1 s, the first for 4 s already. */
	assert_in_range(v.left_ns, 101 * NS_PER_S, 102 * NS_PER_S);
	assert_int_equal(v.nr_last, 0);
	status_text(&b, &v, (struct text_style){.width = 200});
	assert_non_null(strstr(buf_text(&b), "at most (as planned: no point has"));
	assert_non_null(strstr(buf_text(&b), "its figures come when it ends"));
	status_release(&v);
	buf_release(&b);
	fixture_release(&f);
}

/* A point that takes ten times as long as the others did. */
static void the_time_that_is_left_is_never_negative(void **state)
{
	struct fixture f;
	struct status_view v;

	(void)state;
	load(&f);
	f.point[3].start_wall_ns = BEGIN_NS - 70 * (int64_t)NS_PER_S;
	v = view_of(&f, STATUS_RUNNING);
	assert_int_equal(v.left_ns, 10 * NS_PER_S);
	status_release(&v);
	/* The wall clock was set back. */
	f.point[3].start_wall_ns = BEGIN_NS + 3600 * (int64_t)NS_PER_S;
	v = view_of(&f, STATUS_RUNNING);
	assert_float_equal(v.hand_s, 0, 1e-9);
	assert_int_equal(v.left_ns, 20 * NS_PER_S);
	status_release(&v);
	fixture_release(&f);
}

static void every_state_has_its_words_and_none_is_called_running_wrongly(void **state)
{
	static const struct {
		enum status_state state;
		const char *words;
	} all[] = {
		{STATUS_ELSEWHERE, "running, as far as the database says, on storage-7"},
		{STATUS_UNKNOWN, "whether it is cannot be told"},
		{STATUS_GONE, "its process is gone; the same command goes on with it"},
		{STATUS_INTERRUPTED, "interrupted; the same command goes on with it"},
		{STATUS_FINISHED, "lunsweep report 1"},
	};
	struct fixture f;

	(void)state;
	load(&f);
	for (size_t i = 0; i < NR(all); i++) {
		struct status_view v = view_of(&f, all[i].state);
		struct buf b = BUF_INIT;

		status_text(&b, &v, (struct text_style){.width = 200});
		assert_non_null(strstr(buf_text(&b), all[i].words));
		/* Without a process no point is in hand. */
		assert_int_equal(v.hand != NULL, status_goes_on(all[i].state));
		buf_release(&b);
		status_release(&v);
	}
	fixture_release(&f);
}

/* More of them than are shown. */
static void no_point_that_was_measured_is_left_out(void **state)
{
	struct fixture f;
	struct status_view v;

	(void)state;
	load(&f);
	for (unsigned i = 0; i < 7; i++)
		measured(fixture_add(&f, RW_RANDREAD, GIB, 64 + i, 500, 4.2, 9), 40 + i, 41 + i);
	v = view_of(&f, STATUS_RUNNING);
	assert_int_equal(v.nr_last, 10);
	assert_int_equal(v.nr_shown, 5);
	assert_ptr_equal(v.last[0], &f.point[f.nr - 1]);
	status_release(&v);
	fixture_release(&f);
}

static void who_may_not_be_asked_is_named(void **state)
{
	struct fixture f;
	struct status_view v;
	struct buf b = BUF_INIT;

	(void)state;
	load(&f);
	v = view_of(&f, STATUS_UNKNOWN);
	v.pid = 4711;
	status_state_line(&b, &v);
	assert_non_null(strstr(
		buf_text(&b),
		"run 1: marked as running; whether it is cannot be told: process 4711 measures "
		"its target and may not be asked. Points: "));
	status_release(&v);
	buf_release(&b);
	fixture_release(&f);
}

static void a_search_has_no_end_to_estimate(void **state)
{
	struct fixture f;
	struct status_view v;

	(void)state;
	load(&f);
	v = (struct status_view){.info = &f.info,
				 .points = f.point,
				 .nr_points = f.nr,
				 .is_search = true,
				 .state = STATUS_RUNNING,
				 .now_ns = BEGIN_NS};
	status_count(&v);
	assert_true(v.left_ns == PROGRESS_TIME_UNKNOWN);
	assert_true(isnan(v.share));
	assert_int_equal(v.basis, STATUS_BASIS_NONE);
	status_release(&v);
	fixture_release(&f);
}

static void any_width_will_do_and_colours_take_no_room(void **state)
{
	struct fixture f;
	struct status_view v;
	struct buf plain = BUF_INIT, colored = BUF_INIT;

	(void)state;
	load(&f);
	v = view_of(&f, STATUS_RUNNING);
	for (size_t width = 1; width <= 200; width += 13) {
		buf_reset(&plain);
		status_text(&plain, &v, (struct text_style){.width = width});
		assert_null(strchr(buf_text(&plain), '\033'));
		buf_reset(&colored);
		status_text(&colored, &v, (struct text_style){.width = width, .color = true});
		assert_int_equal(text_width(buf_text(&colored)), text_width(buf_text(&plain)));
	}
	assert_non_null(strstr(buf_text(&colored), "\033[32mrunning\033[0m, process 4711"));
	status_release(&v);
	buf_release(&plain);
	buf_release(&colored);
	fixture_release(&f);
}

static void a_preparation_tells_its_pass_and_when_it_ends(void **state)
{
	struct preparation p = {.id = 7,
				.target_resolved = (char[]){"/dev/sdb"},
				.target_identity = (char[]){"serial:1"},
				.target_size_bytes = 12 * GIB,
				.span_bytes = 4 * GIB,
				.passes = 2,
				.passes_done = 1,
				.pass_bytes = GIB,
				.bs_bytes = 4096,
				.max_ns = 3600 * NS_PER_S,
				.last_iops = 4000,
				.busy_ns = 50 * NS_PER_S};
	struct preparation_view v = {.p = &p, .is_sure = true, .pid = 4711};
	struct buf b = BUF_INIT;

	(void)state;
	assert_true(fabs(preparation_share(&p) - 0.625) < 1e-9);
	/* 5 GiB took 50 s, and 3 are left. */
	assert_true(fabs(preparation_left_s(&p) - 30) < 1e-9);
	preparation_status_text(&b, &v, (struct text_style){0});
	preparation_status_json(&b, &v);
	p.passes_done = 2;
	p.pass_bytes = 0;
	p.rounds = 3;
	preparation_status_text(&b, &v, (struct text_style){0});
	p.passes_done = p.rounds = 0;
	p.bs_bytes = p.busy_ns = 0;
	v = (struct preparation_view){.p = &p};
	assert_true(isnan(preparation_left_s(&p)));
	preparation_status_text(&b, &v, (struct text_style){0});
	preparation_status_json(&b, &v);
	preparation_status_json(&b, NULL);
	assert_golden("status-preparation.txt", &b);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_that_goes_on_is_told_in_full),
		cmocka_unit_test(before_the_first_point_the_plan_is_what_there_is),
		cmocka_unit_test(the_time_that_is_left_is_never_negative),
		cmocka_unit_test(every_state_has_its_words_and_none_is_called_running_wrongly),
		cmocka_unit_test(no_point_that_was_measured_is_left_out),
		cmocka_unit_test(who_may_not_be_asked_is_named),
		cmocka_unit_test(a_search_has_no_end_to_estimate),
		cmocka_unit_test(any_width_will_do_and_colours_take_no_room),
		cmocka_unit_test(a_preparation_tells_its_pass_and_when_it_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
