/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/mem.h"
#include "base/num.h"
#include "model/answer.h"
#include "model/point.h"
#include "model/run.h"

#include <stdlib.h>
#include <string.h>

static const struct point_spec base = {.rw = RW_RANDREAD,
				       .iodepth = 8,
				       .workers = 1,
				       .rwmixread_pct = 100,
				       .random_pct = 100,
				       .bs_bytes = 4096,
				       .span_bytes = 1ULL << 30,
				       .repeat = 1};

#define NR_AXES 9

/* base with one axis changed, in the order in which axes sort. */
static struct point_spec changed(size_t axis)
{
	struct point_spec s = base;

	switch (axis) {
	case 0:
		s.rw = RW_RANDWRITE;
		break;
	case 1:
		s.bs_bytes = 65536;
		break;
	case 2:
		s.rwmixread_pct = 101;
		break;
	case 3:
		s.random_pct = 101;
		break;
	case 4:
		s.workers = 2;
		break;
	case 5:
		s.span_bytes = 1ULL << 31;
		break;
	case 6:
		s.offset_bytes = 4096;
		break;
	case 7:
		s.iodepth = 16;
		break;
	default:
		s.repeat = 2;
		break;
	}
	return s;
}

static void test_order_of_axes(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_AXES; i++) {
		struct point_spec a = changed(i);

		assert_int_equal(point_spec_compare(&a, &a), 0);
		assert_true(point_spec_compare(&base, &a) < 0);
		assert_true(point_spec_compare(&a, &base) > 0);
		for (size_t j = i + 1; j < NR_AXES; j++) {
			struct point_spec b = changed(j);

			assert_true(point_spec_compare(&a, &b) > 0);
		}
		assert_int_equal(point_same_curve(&base, &a), i >= 7);
	}
}

/* Points with a rate and points without are never of one curve: a depth curve has no rates in it,
 * and a response curve has one limit of I/Os in flight. */
static void test_rates_make_response_curves(void **state)
{
	struct point_spec closed = base, half = base, full = base, iops = base, deep = base;

	(void)state;
	half.rate_e4 = 500000;
	full.rate_e4 = 1000000;
	iops.rate_ask_iops = 500;
	deep.rate_e4 = 500000;
	deep.iodepth = 16;
	closed.iodepth = 64;
	assert_false(point_is_open(&closed));
	assert_true(point_is_open(&half) && point_is_open(&iops));
	assert_false(point_same_curve(&base, &half));
	assert_false(point_same_curve(&half, &deep));
	assert_true(point_same_curve(&half, &full));
	assert_true(point_same_curve(&half, &iops));
	assert_true(point_same_curve(&base, &closed));
	assert_true(point_spec_compare(&closed, &half) < 0);
	assert_true(point_spec_compare(&half, &full) < 0);
	assert_int_not_equal(point_spec_hash(&half), point_spec_hash(&full));
	assert_int_not_equal(point_spec_hash(&half), point_spec_hash(&base));
}

static void test_names_of_rates(void **state)
{
	struct point_spec s = base;
	struct buf b = BUF_INIT;

	(void)state;
	s.rate_e4 = 125000;
	buf_add_point(&b, &s);
	assert_string_equal(buf_text(&b), "randread 4k iodepth 8 rate 12.5% span 1G");
	buf_reset(&b);
	s.rate_e4 = 0;
	s.rate_ask_iops = 500;
	buf_add_point(&b, &s);
	assert_string_equal(buf_text(&b), "randread 4k iodepth 8 rate 500 IOPS span 1G");
	buf_reset(&b);
	buf_add_curve_name(&b, &s);
	assert_string_equal(buf_text(&b), "randread 4k span 1G, offered load with iodepth 8");
	buf_release(&b);
}

static int by_spec(const void *a, const void *b)
{
	return point_spec_compare(a, b);
}

static void test_order_is_numeric(void **state)
{
	static const uint32_t depths[] = {16, 1, 128, 4, 64, 2, 1024};
	static const uint32_t sorted[] = {1, 2, 4, 16, 64, 128, 1024};
	static const uint64_t sizes[] = {65536, 4096, 1 << 20, 512, 5ULL << 40};
	struct point_spec s[NR(depths)], t[NR(sizes)];

	(void)state;
	for (size_t i = 0; i < NR(depths); i++) {
		s[i] = base;
		s[i].iodepth = depths[i];
	}
	qsort(s, NR(s), sizeof(s[0]), by_spec);
	for (size_t i = 0; i < NR(depths); i++)
		assert_int_equal(s[i].iodepth, sorted[i]);
	for (size_t i = 0; i < NR(sizes); i++) {
		t[i] = base;
		t[i].span_bytes = sizes[i];
	}
	qsort(t, NR(t), sizeof(t[0]), by_spec);
	for (size_t i = 0; i + 1 < NR(t); i++)
		assert_true(t[i].span_bytes < t[i + 1].span_bytes);
}

static void test_hash(void **state)
{
	uint64_t hash[NR_AXES + 1];
	struct point_spec same = base;

	(void)state;
	hash[NR_AXES] = point_spec_hash(&base);
	for (size_t i = 0; i < NR_AXES; i++) {
		struct point_spec s = changed(i);

		hash[i] = point_spec_hash(&s);
	}
	for (size_t i = 0; i <= NR_AXES; i++)
		for (size_t j = i + 1; j <= NR_AXES; j++)
			assert_true(hash[i] != hash[j]);
	/* How the span was written does not matter. */
	same.span_e4 = 500000;
	assert_true(point_spec_hash(&same) == hash[NR_AXES]);
	assert_int_equal(point_spec_compare(&same, &base), 0);
}

static void check_names(struct point_spec s, const char *point, const char *curve)
{
	struct buf b = BUF_INIT;

	buf_add_point(&b, &s);
	assert_string_equal(b.text, point);
	buf_reset(&b);
	buf_add_curve_name(&b, &s);
	assert_string_equal(b.text, curve);
	buf_release(&b);
}

static void test_names(void **state)
{
	struct point_spec s = base;

	(void)state;
	check_names(s, "randread 4k iodepth 8 span 1G", "randread 4k span 1G");
	s.rw = RW_RANDRW;
	s.rwmixread_pct = 70;
	s.random_pct = 50;
	s.workers = 4;
	s.repeat = 2;
	s.span_e4 = 125000;
	s.offset_bytes = 1 << 20;
	check_names(s, "randrw 4k 70% read 50% random iodepth 8 workers 4 span 12.5%@1m repeat 2",
		    "randrw 4k 70% read 50% random workers 4 span 12.5%@1m");
	s = base;
	s.rw = RW_READ;
	s.random_pct = 0;
	check_names(s, "read 4k iodepth 8 span 1G", "read 4k span 1G");
}

static void test_validity(void **state)
{
	struct point p = {.spec = base};

	(void)state;
	for (enum point_status st = 0; st < POINT_STATUS_NR; st++) {
		p.status = st;
		assert_int_equal(point_is_valid(&p, 0), st == POINT_OK);
	}
	p.status = POINT_OK;
	for (enum flag f = 0; f < FLAG_NR; f++) {
		enum flag_effect effect = flag_effect(f);

		p.flags = FLAG_BIT(f);
		assert_int_equal(point_is_valid(&p, 0),
				 effect == EFFECT_LOWER_BOUND || effect == EFFECT_NOTED);
		/* A failure cannot be accepted away. */
		assert_int_equal(point_is_valid(&p, FLAG_BIT(f)), effect != EFFECT_FAILED);
	}
	p.flags = FLAG_BIT(FLAG_STALL) | FLAG_BIT(FLAG_UNWRITTEN);
	assert_false(point_is_valid(&p, FLAG_BIT(FLAG_STALL)));
}

static void test_tables_of_names(void **state)
{
	(void)state;
	for (enum point_status s = 0; s < POINT_STATUS_NR; s++)
		assert_int_equal(point_status_find(point_status_name(s)), s);
	assert_int_equal(point_status_find("nosuch"), POINT_STATUS_NR);
	for (enum lat_stat s = 0; s < LAT_STAT_NR; s++)
		assert_int_equal(lat_stat_find(lat_stat_name(s)), s);
	assert_int_equal(lat_stat_find("p98"), LAT_STAT_NR);
	assert_string_equal(lat_stat_name(LAT_P999), "p99.9");
	for (enum flag f = 0; f < FLAG_NR; f++) {
		assert_int_equal(flag_find(flag_name(f)), f);
		assert_true(strlen(flag_meaning(f)) > 20);
	}
	assert_int_equal(flag_find(""), FLAG_NR);
	for (enum axis a = 0; a < AXIS_NR; a++)
		assert_int_equal(axis_find(axis_name(a)), a);
	assert_int_equal(axis_find("depth"), AXIS_NR);
	for (enum rw_mode m = 0; m < RW_NR; m++) {
		assert_int_equal(rw_find(rw_name(m)), m);
		assert_true(rw_reads(m) || rw_writes(m));
		assert_int_equal(rw_is_mixed(m), rw_reads(m) && rw_writes(m));
		assert_int_equal(rw_is_random(m), !strncmp(rw_name(m), "rand", 4));
	}
	assert_int_equal(rw_find("trim"), RW_NR);
	for (enum run_state s = 0; s < RUN_STATE_NR; s++)
		assert_int_equal(run_state_find(run_state_name(s)), s);
	assert_string_equal(knee_class_name(KNEE_INSUFFICIENT), "insufficient");
	assert_string_equal(knee_class_name(KNEE_RETROGRADE), "retrograde");
	assert_string_equal(cap_status_name(CAP_NOT_REACHED), "not-reached");
	assert_string_equal(cap_status_name(CAP_NO_DATA), "no-data");
}

static void test_figures(void **state)
{
	struct figures f;

	(void)state;
	figures_clear(&f);
	for (size_t i = 0; i < sizeof(f) / sizeof(double); i++) {
		double v;

		memcpy(&v, (const char *)&f + i * sizeof(v), sizeof(v));
		assert_unknown(v);
	}
	f.lat_mean_ns = 1;
	f.lat_p50_ns = 2;
	f.lat_p90_ns = 3;
	f.lat_p95_ns = 4;
	f.lat_p99_ns = 5;
	f.lat_p999_ns = 6;
	for (enum lat_stat s = 0; s < LAT_STAT_NR; s++)
		assert_within(figures_lat_ns(&f, s), 1 + (double)s, 0);
	assert_unknown(figures_lat_ns(&f, LAT_STAT_NR));
}

static void test_release(void **state)
{
	struct point p = {.reason = xstrdup("because")};

	(void)state;
	point_release(&p);
	assert_null(p.reason);
	point_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("every axis has its place in the order", test_order_of_axes),
		titled_test("points with a rate make response curves",
			    test_rates_make_response_curves),
		titled_test("names tell the rate", test_names_of_rates),
		titled_test("points sort by number, not by text", test_order_is_numeric),
		titled_test("the hash differs with every axis", test_hash),
		titled_test("names hold every axis that matters", test_names),
		titled_test("only ok points that nothing spoils are valid", test_validity),
		titled_test("names and numbers of tables agree", test_tables_of_names),
		titled_test("cleared figures are all unknown", test_figures),
		titled_test("a point can be released twice", test_release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
