/* SPDX-License-Identifier: MIT */
#include "curve_data.h"

#include "analyze/cap.h"
#include "analyze/infill.h"
#include "analyze/knee.h"

#include <math.h>

#define NR_DEPTHS 9
#define NR_CURVES 8
#define NR_POINTS (NR_CURVES * NR_DEPTHS)
#define SEED	  7

static const struct cap cap_10ms = {LAT_MEAN, 10000000};
static struct test_curve ult[ULT_TESTS + 1];

static int load(void **state)
{
	(void)state;
	ult_load(ult);
	return 0;
}

/* A study of which the figures are known, and what of it was measured so far. */
struct study {
	struct infill_point point[NR_POINTS];
	size_t nr;
	const struct curve_point *truth[NR_POINTS];
	struct infill *f;
	size_t measured[NR_POINTS], nr_measured;
};

static struct infill_point plan(enum rw_mode rw, uint32_t depth, uint64_t span, uint32_t repeat)
{
	struct infill_point p = {
		.spec = {.rw = rw,
			 .iodepth = depth,
			 .workers = 1,
			 .rwmixread_pct = rw == RW_RANDREAD ? 100 : 0,
			 .random_pct = 100,
			 .bs_bytes = 4096,
			 .span_bytes = span,
			 .repeat = repeat},
		.group = rw == RW_RANDWRITE,
		.iops = UNKNOWN,
	};

	for (enum lat_stat s = 0; s < LAT_STAT_NR; s++)
		p.lat_ns[s] = UNKNOWN;
	return p;
}

static void add_curve(struct study *s, int test)
{
	for (size_t i = 0; i < ult[test].curve.nr; i++) {
		s->truth[s->nr] = &ult[test].pt[i];
		/* Tests with odd numbers are writes. */
		s->point[s->nr++] = plan(test % 2 ? RW_RANDWRITE : RW_RANDREAD,
					 ult[test].pt[i].iodepth, (uint64_t)test << 30, 1);
	}
}

static void begin(struct study *s, int from, int to)
{
	*s = (struct study){0};
	for (int test = from; test <= to; test++)
		add_curve(s, test);
	s->f = infill_new(s->point, s->nr, &cap_10ms, 1, SEED);
}

/* One point of a group; false when there is none left. */
static bool step(struct study *s, unsigned group)
{
	bool is_end;
	size_t next = infill_next(s->f, group, &is_end);

	if (next == INFILL_NONE)
		return false;
	for (size_t i = 0; i < s->nr_measured; i++)
		assert_int_not_equal(s->measured[i], next);
	assert_int_equal(s->point[next].group, group);
	s->measured[s->nr_measured++] = next;
	infill_done(s->f, next, s->truth[next]->iops, s->truth[next]->lat_ns);
	return true;
}

/* The curve of a test from what was measured of it. */
static void measured_curve(const struct study *s, int test, struct test_curve *c)
{
	curve_clear(c);
	for (size_t i = 0; i < s->nr; i++) {
		bool has = false;

		for (size_t k = 0; k < s->nr_measured; k++)
			has |= s->measured[k] == i;
		if (has && s->point[i].spec.span_bytes == (uint64_t)test << 30)
			curve_add(c, s->truth[i]->iodepth, s->truth[i]->iops,
				  s->truth[i]->lat_ns[LAT_MEAN] / 1e6, 0);
	}
}

/* How far the answers of a part are from those of the whole. */
struct difference {
	double nstar, cap; /* relative */
	bool same_depth, same_class;
};

static struct difference compare(const struct study *s, int test)
{
	struct cap_answer full_cap, part_cap;
	struct test_curve part;
	struct knee full, k;

	measured_curve(s, test, &part);
	knee_find(&ult[test].curve, 0, &full);
	knee_find(&part.curve, 0, &k);
	cap_find(&ult[test].curve, cap_10ms, &full_cap);
	cap_find(&part.curve, cap_10ms, &part_cap);
	return (struct difference){fabs(k.nstar / full.nstar - 1),
				   fabs(part_cap.iops_interp / full_cap.iops_interp - 1),
				   k.sat_depth == full.sat_depth, k.cls == full.cls};
}

/* Worst of all curves in the study. */
static void check_answers(const struct study *s, int from, int to)
{
	struct difference worst = {0, 0, true, true};

	for (int test = from; test <= to; test++) {
		struct difference d = compare(s, test);

		worst.nstar = fmax(worst.nstar, d.nstar);
		worst.cap = fmax(worst.cap, d.cap);
		assert_true(d.same_depth && d.same_class);
	}
	print_message("%zu of %zu points: N* within %.2f %%, IOPS at 10 ms within %.2f %%\n",
		      s->nr_measured, s->nr, 100 * worst.nstar, 100 * worst.cap);
	assert_true(worst.nstar <= 0.01 && worst.cap <= 0.03);
}

static void five_of_nine_points_tell_the_knee_and_the_cap(void **state)
{
	struct study s;

	(void)state;
	for (int test = 1; test <= ULT_TESTS; test++) {
		begin(&s, test, test);
		while (s.nr_measured < 5 && step(&s, (unsigned)test % 2))
			;
		check_answers(&s, test, test);
		infill_free(s.f);
	}
}

static void the_flat_curves_of_a_study_leave_their_time_to_the_others(void **state)
{
	struct study s;

	(void)state;
	begin(&s, 1, ULT_TESTS);
	/* Of the reads and of the writes four points a curve. */
	for (unsigned group = 0; group < 2; group++)
		while (s.nr_measured < (group + 1) * NR_POINTS / 2 * 4 / NR_DEPTHS &&
		       step(&s, group))
			;
	check_answers(&s, 1, ULT_TESTS);
	infill_free(s.f);
}

static void every_point_is_chosen_once_and_all_are_in_the_end(void **state)
{
	struct study s, again;
	bool is_end;

	(void)state;
	begin(&s, 1, ULT_TESTS);
	begin(&again, 1, ULT_TESTS);
	for (unsigned group = 0; group < 2; group++) {
		while (step(&s, group))
			;
		while (step(&again, group))
			;
	}
	assert_int_equal(s.nr_measured, NR_POINTS);
	assert_memory_equal(s.measured, again.measured, sizeof(s.measured));
	assert_int_equal(infill_next(s.f, 0, &is_end), INFILL_NONE);
	assert_int_equal(infill_next(s.f, 1, &is_end), INFILL_NONE);
	infill_free(s.f);
	infill_free(again.f);
}

static void all_curves_have_both_ends_before_any_has_more(void **state)
{
	struct infill_left left;
	struct study s;
	bool is_end;

	(void)state;
	begin(&s, 1, ULT_TESTS);
	for (unsigned group = 0; group < 2; group++) {
		for (size_t n = 0; n < NR_CURVES; n++) {
			uint32_t depth;

			infill_count(s.f, group, INFILL_NONE, &left);
			assert_int_equal(left.nr_ends, NR_CURVES - n);
			(void)infill_next(s.f, group, &is_end);
			assert_true(is_end && step(&s, group));
			depth = s.point[s.measured[s.nr_measured - 1]].spec.iodepth;
			assert_true(depth == 1 || depth == 256);
		}
		(void)infill_next(s.f, group, &is_end);
		assert_false(is_end);
		infill_count(s.f, group, INFILL_NONE, &left);
		assert_int_equal(left.nr_points, 4 * (NR_DEPTHS - 2));
		assert_int_equal(left.nr_judged, 0);
		infill_count(s.f, group, infill_next(s.f, group, &is_end), &left);
		assert_int_equal(left.nr_judged, 1);
		assert_int_equal(left.nr_judged_writing, group);
	}
	infill_free(s.f);
}

static void the_seed_deals_what_writes_and_nothing_else(void **state)
{
	size_t order[2][2][NR_POINTS / 2];

	(void)state;
	for (uint64_t seed = 0; seed < 2; seed++) {
		struct study s;

		begin(&s, 1, ULT_TESTS);
		infill_free(s.f);
		s.f = infill_new(s.point, s.nr, &cap_10ms, 1, seed);
		for (unsigned group = 0; group < 2; group++) {
			while (step(&s, group))
				;
			memcpy(order[seed][group], s.measured + group * NR_POINTS / 2,
			       sizeof(order[seed][group]));
		}
		infill_free(s.f);
	}
	assert_memory_equal(order[0][0], order[1][0], sizeof(order[0][0]));
	assert_memory_not_equal(order[0][1], order[1][1], sizeof(order[0][1]));
}

static void what_was_measured_before_counts_as_if_it_were_measured_now(void **state)
{
	struct study whole, part;

	(void)state;
	begin(&whole, 1, ULT_TESTS);
	begin(&part, 1, ULT_TESTS);
	for (size_t n = 0; n < 20; n++)
		assert_true(step(&whole, 0) && step(&part, 0));
	for (size_t n = 0; n < part.nr_measured; n++) {
		struct infill_point *p = &part.point[part.measured[n]];

		p->is_done = true;
		p->iops = part.truth[part.measured[n]]->iops;
		memcpy(p->lat_ns, part.truth[part.measured[n]]->lat_ns, sizeof(p->lat_ns));
	}
	infill_free(part.f);
	part.f = infill_new(part.point, part.nr, &cap_10ms, 1, SEED);
	while (step(&whole, 0) && step(&part, 0))
		;
	assert_int_equal(whole.nr_measured, part.nr_measured);
	assert_memory_equal(whole.measured, part.measured, sizeof(part.measured));
	infill_free(whole.f);
	infill_free(part.f);
}

static void repeats_come_when_every_depth_was_measured_once(void **state)
{
	struct infill_point p[3 * 4];
	struct infill *f;
	uint32_t last = 1;
	size_t next, nr = 0;
	bool is_end;

	(void)state;
	for (uint32_t i = 0; i < NR(p); i++)
		p[i] = plan(RW_RANDREAD, 1U << i / 3, 1 << 30, i % 3 + 1);
	f = infill_new(p, NR(p), NULL, 0, SEED);
	for (; (next = infill_next(f, 0, &is_end)) != INFILL_NONE; nr++) {
		assert_true(p[next].spec.repeat == last || p[next].spec.repeat == last + 1);
		assert_true(p[next].spec.repeat == nr / 4 + 1);
		last = p[next].spec.repeat;
		infill_done(f, next, 100 * p[next].spec.iodepth, NULL);
	}
	assert_int_equal(nr, NR(p));
	infill_free(f);
}

static void failed_points_end_nothing_and_are_not_tried_again(void **state)
{
	struct study s;
	size_t nr = 0, next;
	bool is_end;

	(void)state;
	begin(&s, 2, 2);
	/* Every second one has no figures. */
	while ((next = infill_next(s.f, 0, &is_end)) != INFILL_NONE) {
		assert_true(nr++ < NR_DEPTHS);
		infill_done(s.f, next, nr % 2 ? UNKNOWN : s.truth[next]->iops,
			    s.truth[next]->lat_ns);
	}
	assert_int_equal(nr, NR_DEPTHS);
	infill_free(s.f);
}

static void loads_have_their_ends_and_then_the_middle_of_the_rise(void **state)
{
	/* Per cent of the maximum, where latencies are 1 ms / (1 - load). */
	static const uint32_t pct[] = {10, 30, 50, 70, 80, 90, 95};
	static const uint32_t want[] = {10, 95, 50, 70, 80, 90, 30};
	struct infill_point p[NR(pct)];
	size_t order[NR(pct)], nr = 0;
	struct infill *f;
	bool is_end;

	(void)state;
	for (size_t i = 0; i < NR(pct); i++) {
		p[i] = plan(RW_RANDREAD, 256, 1 << 30, 1);
		p[i].spec.rate_e4 = pct[i] * 10000;
	}
	f = infill_new(p, NR(p), &cap_10ms, 1, SEED);
	while ((order[nr] = infill_next(f, 0, &is_end)) != INFILL_NONE) {
		double lat_ns[LAT_STAT_NR] = {0};

		lat_ns[LAT_MEAN] = 1e6 / (1 - pct[order[nr]] / 100.0);
		infill_done(f, order[nr], 10 * pct[order[nr]], lat_ns);
		if (++nr == NR(pct))
			break;
	}
	assert_int_equal(nr, NR(pct));
	for (size_t i = 0; i < NR(pct); i++)
		assert_int_equal(pct[order[i]], want[i]);
	infill_free(f);
}

static void loads_in_iops_and_in_per_cent_are_two_scales(void **state)
{
	static const uint32_t pct[] = {10, 50, 90};
	struct infill_point p[NR(pct) + 1];
	size_t nr = 0, next, nr_ends = 0;
	struct infill *f;
	bool is_end;

	(void)state;
	for (size_t i = 0; i < NR(p); i++) {
		p[i] = plan(RW_RANDREAD, 256, 1 << 30, 1);
		p[i].spec.rate_e4 = i < NR(pct) ? pct[i] * 10000 : 0;
		p[i].spec.rate_ask_iops = i < NR(pct) ? 0 : 100000;
	}
	f = infill_new(p, NR(p), &cap_10ms, 1, SEED);
	while ((next = infill_next(f, 0, &is_end)) != INFILL_NONE && nr < NR(p)) {
		double lat_ns[LAT_STAT_NR] = {[LAT_MEAN] = 1e6};

		infill_done(f, next, 1000, lat_ns);
		nr_ends += is_end;
		nr++;
	}
	assert_int_equal(nr, NR(p));
	/* 10 % and 90 %, and the one load in IOPS. */
	assert_int_equal(nr_ends, 3);
	infill_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("five of nine points of a published curve give its knee and its cap",
			    five_of_nine_points_tell_the_knee_and_the_cap),
		titled_test("four points a curve do for a whole study, as flat curves need fewer",
			    the_flat_curves_of_a_study_leave_their_time_to_the_others),
		titled_test("every point is chosen once, all are in the end, and always alike",
			    every_point_is_chosen_once_and_all_are_in_the_end),
		titled_test("all curves have both ends before any has more",
			    all_curves_have_both_ends_before_any_has_more),
		titled_test("the seed deals the points that write, and nothing else",
			    the_seed_deals_what_writes_and_nothing_else),
		titled_test("what was measured before counts as if it were measured now",
			    what_was_measured_before_counts_as_if_it_were_measured_now),
		titled_test("repeats come when every depth was measured once",
			    repeats_come_when_every_depth_was_measured_once),
		titled_test("failed points end nothing and are not tried again",
			    failed_points_end_nothing_and_are_not_tried_again),
		titled_test("loads have their ends, and then the middle of the rise",
			    loads_have_their_ends_and_then_the_middle_of_the_rise),
		titled_test("loads in IOPS and in per cent are two scales",
			    loads_in_iops_and_in_per_cent_are_two_scales),
	};

	return cmocka_run_group_tests(tests, load, NULL);
}
