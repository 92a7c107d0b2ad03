/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "cmd/import_csv.h"

#include <stdio.h>
#include <string.h>

static const struct pair_list none;

/* Read and check a table, with percentiles unless they are NULL. */
static int take(const char *text, const char *percentiles, struct import_result *out, struct err *e)
{
	struct import_source src = {text, strlen(text), &none, &none, &none};

	if (import_csv(&src, out, e))
		return -1;
	if (percentiles && import_percentiles(percentiles, strlen(percentiles), out, e))
		return -1;
	return import_check(out, e);
}

/* The table is taken, and this is all that is warned of (one line each). */
static void assert_warnings(const char *text, const char *want)
{
	struct import_result r;
	struct err e = {0};

	if (take(text, NULL, &r, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(buf_text(&r.warnings), want);
	import_result_release(&r);
}

/* The table, or its percentiles, are refused with these words. */
static void assert_refused(const char *text, const char *percentiles, const char *want)
{
	struct import_result r;
	struct err e = {0};

	assert_int_equal(take(text, percentiles, &r, &e), -1);
	assert_non_null(strstr(e.msg, want));
	import_result_release(&r);
}

static enum rw_mode mode_of(const char *header, const char *values, uint32_t *random_pct)
{
	char text[200];
	struct import_result r;
	struct err e = {0};
	enum rw_mode rw;

	(void)snprintf(text, sizeof(text), "%s,bs,qd,iops\n%s,4k,1,100\n", header, values);
	if (take(text, NULL, &r, &e))
		fail_msg("%s", e.msg);
	rw = r.v[0].points[0].spec.rw;
	*random_pct = r.v[0].points[0].spec.random_pct;
	import_result_release(&r);
	return rw;
}

static void modes_are_said_by_name_or_by_shares(void **state)
{
	static const struct {
		const char *header, *values;
		enum rw_mode rw;
		uint32_t random_pct;
	} cases[] = {
		{"rw", "read", RW_READ, 0},
		{"rw", "RandWrite", RW_RANDWRITE, 100},
		{"rw,random_pct", "read,100", RW_RANDREAD, 100},
		{"rw,random_pct", "write,30", RW_RANDWRITE, 30},
		{"rw,random_pct", "read,0", RW_READ, 0},
		{"read_pct,random_pct", "100,0", RW_READ, 0},
		{"read_pct,random_pct", "0,0", RW_WRITE, 0},
		{"read_pct,random_pct", "0,100", RW_RANDWRITE, 100},
		{"read_pct,random_pct", "50,100", RW_RANDRW, 100},
		{"read_pct,random_pct", "50,0", RW_RW, 0},
		{"read_pct", "70", RW_RANDRW, 100},
		{"random_pct", "0", RW_READ, 0},
		{"random_pct", "20", RW_RANDREAD, 20},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t random_pct = 0;

		if (mode_of(cases[i].header, cases[i].values, &random_pct) != cases[i].rw ||
		    random_pct != cases[i].random_pct)
			fail_msg("%s: %s", cases[i].header, cases[i].values);
	}
}

#define HEAD "rw,bs,qd,iops,lat_ms\n"

static void littles_law_knows_of_rounding(void **state)
{
	(void)state;
	/* 1.1 may stand for 1.05, and 960 x 1.05 ms is 1.008; 1.10 stands for 1.095 at least. */
	assert_warnings(HEAD "read,4k,1,960,1.1\n", "");
	assert_warnings(
		HEAD "read,4k,1,980,1.1\n",
		"line 2: 980 IOPS x 1.1 ms are 1.078 I/Os in flight, but the depth is 1: one "
		"of the three is wrong, or belongs to another row\n");
	assert_warnings(
		HEAD "read,4k,1,960,1.10\n",
		"line 2: 960 IOPS x 1.1 ms are 1.056 I/Os in flight, but the depth is 1: one "
		"of the three is wrong, or belongs to another row\n");
	/* 20 us between completion and submission are allowed. */
	assert_warnings(HEAD "read,4k,1,40000,0.020\n", "");
	/* 10 IOPS may be 10.4. */
	assert_warnings(HEAD "read,4k,1,10,97.0\n", "");
	assert_warnings(
		HEAD "read,4k,1,10.00,97.0\n",
		"line 2: 10 IOPS x 97 ms are 0.97 I/Os in flight, but the depth is 1: one of "
		"the three is wrong, or belongs to another row\n");
}

static void units_of_bytes_are_checked(void **state)
{
	(void)state;
	assert_warnings("rw,bs,qd,iops,mib_s\nread,64k,1,1600,100.0\nread,64k,2,3200,200.0\n", "");
	assert_warnings("rw,bs,qd,iops,mb_s\nread,64k,1,1600,104.9\nread,64k,2,3200,209.7\n", "");
	assert_warnings(
		"rw,bs,qd,iops,mb_s\nread,64k,1,1600,100.0\nread,64k,2,3200,200.0\n",
		"column 'mb_s' holds MiB/s (1048576 bytes), as IOPS x bs say: take it by --map "
		"'mb_s=mib_s'\n");
	assert_warnings(
		"rw,bs,qd,iops,mib_s\nread,64k,1,1600,104.9\nread,64k,2,3200,209.7\n",
		"column 'mib_s' holds MB/s (1000000 bytes), as IOPS x bs say: take it by --map "
		"'mib_s=mb_s'\n");
	/* 0.7 is 187 x 4 KiB, rounded. */
	assert_warnings("rw,bs,qd,iops,mib_s\nread,4k,1,187,0.7\nread,64k,2,3200,200.0\n", "");
	assert_warnings("rw,bs,qd,iops,mib_s\nread,64k,1,1600,90.0\nread,64k,2,32000,2000\n",
			"line 2: 1600 IOPS of 65536 bytes are 100 MiB/s, but the table says 90\n");
}

static void a_copied_block_is_told_from_a_coincidence(void **state)
{
	(void)state;
	assert_warnings(
		"target,rw,bs,qd,iops,lat_ms\na,read,4k,1,500,2.0\nb,read,4k,1,500,2.0\n",
		"lines 2 to 2 ('a') and 3 to 3 ('b') hold identical figures: a paste error?\n");
	assert_warnings("target,rw,bs,qd,iops,lat_ms\na,read,4k,1,500,2.0\nb,read,4k,2,1000,2.0\n",
			"");
	assert_warnings("target,rw,bs,qd,iops\na,read,4k,1,500\nb,read,4k,1,500\n", "");
}

static void directions_become_one_point(void **state)
{
	static const char text[] = "dir,qd,iops,lat_ms,max_ms,rw,rwmixread,bs\n"
				   "write,64,868,31.9177,90,randrw,70,8k\n"
				   "read,64,2017,17.97538,80,randrw,70,8k\n";
	struct import_result r;
	struct err e = {0};
	const struct point *p;

	(void)state;
	assert_int_equal(take(text, NULL, &r, &e), 0);
	assert_int_equal(r.nr, 1);
	assert_int_equal(r.v[0].nr, 1);
	p = &r.v[0].points[0];
	assert_within(p->dir[DIR_TOTAL].iops, 2885, 1e-9);
	assert_within(p->dir[DIR_TOTAL].lat_mean_ns, 22.1702e6, 100);
	assert_within(p->dir[DIR_TOTAL].lat_max_ns, 90e6, 1);
	assert_unknown(p->dir[DIR_TOTAL].lat_p99_ns);
	assert_within(p->dir[DIR_READ].iops, 2017, 1e-9);
	assert_within(p->dir[DIR_WRITE].mib_s, 868 / 128.0, 1e-9);
	assert_string_equal(buf_text(&r.warnings), "");
	import_result_release(&r);
	assert_refused("dir,qd,iops,rw,bs\nread,1,5,read,4k\nread,1,6,read,4k\n", NULL,
		       "lines 2 and 3 are the same point (read 4k iodepth 1 span unknown, read)");
}

static void percentiles_have_many_names(void **state)
{
	static const char *const p999[] = {"99.9", "99.9th", "p99.9", "P99.9", "99.9%", "3-nines"};
	struct import_result r;
	struct err e = {0};
	char text[100];

	(void)state;
	for (size_t i = 0; i < sizeof(p999) / sizeof(p999[0]); i++) {
		(void)snprintf(text, sizeof(text),
			       "pct,total_us\n%s,1500\n2-nines,9e2\n4-nines,1\n", p999[i]);
		assert_int_equal(take("rw,bs,qd,iops\nread,4k,1,5\n", text, &r, &e), 0);
		assert_within(r.v[0].points[0].dir[DIR_TOTAL].lat_p999_ns, 1.5e6, 1e-6);
		assert_within(r.v[0].points[0].dir[DIR_READ].lat_p99_ns, 9e5, 1e-6);
		import_result_release(&r);
	}
	assert_refused("rw,bs,qd,iops\nread,4k,1,5\n", "pct,total_ms\n101,1\n", "no percentile");
	assert_refused("rw,bs,qd,iops\nread,4k,1,5\n", "pct,total_ms\n-1,1\n", "no percentile");
	assert_refused("rw,bs,qd,iops\nread,4k,1,5\n", "pct,total_ms\n50x,1\n", "no percentile");
	assert_refused("rw,bs,qd,iops\nread,4k,1,5\n", "pct,total_ms\n50,1\n50,2\n",
		       "line 3: lat_p50 has another value already");
	assert_refused("rw,bs,qd,iops\nread,4k,1,5\n", "pct,total_ms\n50\n",
		       "line 2: 1 fields, but the header has 2");
}

/* Shares instead of per cent, and those of somebody else. */
static void percentiles_that_say_nothing_are_told(void **state)
{
	static const struct {
		const char *table, *percentiles;
		const char *warning;
	} cases[] = {
		{"rw,bs,qd,iops\nrandread,4k,1,100\n", "pct,total_ms\n0.5,9\n0.99,50\n",
		 "none of the percentiles"},
		{"rw,bs,qd,iops\nrandread,4k,1,100\n", "pct,total_ms\n50,9\n0.99,50\n", NULL},
		{"target,rw,bs,qd,iops\nA,randread,4k,1,100\n", "target,pct,total_ms\nB,50,9\n",
		 "none of the percentiles"},
		{"target,rw,bs,qd,iops\nA,randread,4k,1,100\n",
		 "target,pct,total_ms\nA,50,9\nB,50,9\nB,99,9\n",
		 "percentiles of 'B' are left out: no row that is taken in is of that target\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct import_result r;
		struct err e = {0};

		assert_int_equal(take(cases[i].table, cases[i].percentiles, &r, &e), 0);
		if (cases[i].warning)
			assert_non_null(strstr(buf_text(&r.warnings), cases[i].warning));
		else
			assert_null(strstr(buf_text(&r.warnings), "percentiles"));
		import_result_release(&r);
	}
}

/* The mean latency in ms of one point, of the total and of reads; 0 where it is not known. */
static void assert_latencies(const char *text, double total_ms, double read_ms)
{
	struct import_result r;
	struct err e = {0};
	const struct point *p;

	if (take(text, NULL, &r, &e))
		fail_msg("%s", e.msg);
	p = &r.v[0].points[0];
	for (enum dir d = DIR_READ; d <= DIR_TOTAL; d++) {
		double want = d == DIR_READ ? read_ms : d == DIR_TOTAL ? total_ms : 0;

		if (want > 0 && fabs(p->dir[d].lat_mean_ns / 1e6 - want) > 1e-9)
			fail_msg("%s: %s is %g ms", text, dir_name(d), p->dir[d].lat_mean_ns / 1e6);
	}
	import_result_release(&r);
}

static void totals_and_directions_fill_each_other(void **state)
{
	(void)state;
	assert_latencies("rw,bs,qd,read_iops,lat_ms\nrandread,4k,1,100,10\n", 10, 10);
	assert_latencies("rw,bs,qd,iops,read_lat_ms\nrandread,4k,1,100,10\n", 10, 10);
	assert_latencies("rw,bs,qd,read_iops,write_iops,lat_ms\nrandread,4k,1,100,0,10\n", 10, 10);
	assert_latencies("rw,bs,rwmixread,qd,read_iops,write_iops,lat_ms\n"
			 "randrw,4k,70,1,70,30,10\n",
			 10, 0);
	/* The mean of both latencies is not that of the I/Os, so it is not taken. */
	assert_warnings(
		"rw,bs,rwmixread,qd,read_iops,read_lat_ms,write_iops,write_lat_ms,lat_ms\n"
		"randrw,8k,70,64,2017,17.97538,868,31.9177,24.947\n",
		"line 2: the mean latency of reads and writes, weighted by IOPS, is 22.1702 "
		"ms, but the total says 24.947 ms; the weighted one is taken\n");
	/* What writes did is not known, but not less than nothing. */
	assert_warnings(
		"rw,bs,rwmixread,qd,read_iops,iops\nrandrw,8k,70,64,2017,1500\n",
		"line 2: reads alone are 2017 IOPS, but the total says 1500: one of the two is "
		"wrong\n");
	assert_warnings("rw,bs,rwmixread,qd,read_iops,iops\nrandrw,8k,70,64,1400,1500\n", "");
	assert_refused("rw,bs,qd,read_iops,write_iops\nrandread,4k,1,100,5\n", NULL,
		       "a randread has figures of writes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("modes are said by name or by shares",
			    modes_are_said_by_name_or_by_shares),
		titled_test("Little's law knows of rounding", littles_law_knows_of_rounding),
		titled_test("units of bytes are checked", units_of_bytes_are_checked),
		titled_test("a copied block is told from a coincidence",
			    a_copied_block_is_told_from_a_coincidence),
		titled_test("directions become one point", directions_become_one_point),
		titled_test("percentiles that say nothing are told",
			    percentiles_that_say_nothing_are_told),
		titled_test("figures of the total and of directions fill each other",
			    totals_and_directions_fill_each_other),
		titled_test("percentiles have many names", percentiles_have_many_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
