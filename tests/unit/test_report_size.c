/* SPDX-License-Identifier: MIT */
/* What reports say of the LUN size where spans could not be judged, or losses are uncertain. */
#include "unit.h"

#include "analyze/size.h"
#include "base/buf.h"
#include "report/html_parts.h"
#include "report/sentence_size.h"
#include "report_fixture.h"

/* What the headline of the text report and the card of the page say. */
struct told {
	struct buf text, page;
};

/* As a report asks: VMs ask nothing, so that losses alone decide. */
static void tell(struct fixture *f, double read_share, struct told *t)
{
	struct size_question q = size_usual;
	struct size_answer a;
	struct err e = {0};

	fixture_analyze(f);
	q.cap = f->caps[0];
	q.vm.read_share = read_share;
	if (size_find(f->curve, f->nr_curves, &q, &a, &e))
		fail_msg("%s", e.msg);
	*t = (struct told){BUF_INIT, BUF_INIT};
	sentence_size_hint(&t->text, &a, 1);
	f->run.spans = &a;
	html_spans(&t->page, &f->run);
	f->run.spans = NULL;
	assert_null(strstr(buf_text(&t->text), "nan"));
	assert_null(strstr(buf_text(&t->page), "nan"));
	size_release(&a);
}

static void forget(struct fixture *f, struct told *t)
{
	buf_release(&t->text);
	buf_release(&t->page);
	fixture_release(f);
}

static void says(const struct buf *b, const char *words)
{
	if (!strstr(buf_text(b), words))
		fail_msg("\"%s\" is not in: %s", words, buf_text(b));
}

static void says_not(const struct buf *b, const char *words)
{
	if (strstr(buf_text(b), words))
		fail_msg("\"%s\" is in: %s", words, buf_text(b));
}

static void load_ult(struct fixture *f)
{
	fixture_init(f);
	assert_true(fixture_load_ult(f));
	fixture_add_cap(f, LAT_MEAN, 10);
}

static void mark(struct fixture *f, enum rw_mode rw, uint64_t span_gib, uint32_t depth,
		 enum flag flag)
{
	for (size_t i = 0; i < f->nr; i++)
		if (f->point[i].spec.rw == rw && f->point[i].spec.span_bytes == span_gib * GIB &&
		    f->point[i].spec.iodepth == depth)
			f->point[i].flags |= FLAG_BIT(flag);
}

static void test_study(void **state)
{
	struct fixture f;
	struct told t;

	(void)state;
	load_ult(&f);
	tell(&f, 0.5, &t);
	assert_string_equal(buf_text(&t.text),
			    "LUN size: 1000G loses 11 % of the IOPS of 500G, 2000G loses 19 %; up "
			    "to 1000G it is no more than 15 %. How many VMs a LUN takes: lunsweep "
			    "size 1 --vm-iops N --vm-capacity SIZE --vm-read PERCENT.");
	says(&t.page, "LUNs of up to 1000G lose no more than 15 % of the IOPS<");
	says(&t.page, "Against 500G, the smallest, 1000G loses 8.8 % at iodepth 16 and 10.7 % "
		      "under mean &lt;= 10 ms");
	says(&t.page, "no intervals");
	says_not(&t.page, "not be judged");
	forget(&f, &t);
}

/* The smallest spans are spoiled for reads; valid points of the smallest show a larger loss. */
static void test_smallest_spoiled(void **state)
{
	struct fixture f;
	struct told t;

	(void)state;
	load_ult(&f);
	mark(&f, RW_RANDREAD, 500, 16, FLAG_STALL);
	mark(&f, RW_RANDREAD, 1000, 16, FLAG_HOST_CACHE);
	mark(&f, RW_RANDWRITE, 500, 16, FLAG_CPU_BOUND);
	tell(&f, 0.5, &t);
	says(&t.text, "LUN size: not known; 2000G loses at least 19 % of the IOPS of 500G, more "
		      "than 15 %. 500G and 1000G could not be judged. ");
	says(&t.page, "No span can be recommended");
	says(&t.page, "2000G loses at least 19 % of the IOPS of 500G.");
	says(&t.page, "500G and 1000G could not be judged.");
	says(&t.page, "reads lose at least 19.4 % against 500G");
	says_not(&t.page, "the smallest");
	forget(&f, &t);
}

/* Nothing valid of the smallest spans: the third is the base, and is called so. */
static void test_smallest_unknown(void **state)
{
	struct fixture f;
	struct told t;

	(void)state;
	load_ult(&f);
	for (uint32_t d = 1; d <= 256; d *= 2)
		for (uint64_t span = 500; span <= 1000; span *= 2) {
			mark(&f, RW_RANDREAD, span, d, FLAG_STALL);
			mark(&f, RW_RANDWRITE, span, d, FLAG_STALL);
		}
	tell(&f, 0.5, &t);
	says(&t.text, "LUN size: 4000G loses 14 % of the IOPS of 2000G, and no span that could be "
		      "judged loses more than 15 %. 500G and 1000G could not be judged, so losses "
		      "are against 2000G. ");
	says(&t.page, "LUNs of up to 4000G lose no more than 15 % of the IOPS of 2000G,");
	says(&t.page, "Against 2000G, the smallest that could be judged, 4000G loses 13.1 %");
	says(&t.page, "500G and 1000G could not be judged, so losses are against 2000G.");
	forget(&f, &t);
}

/* Reads alone at one depth, and no cap is reached. */
static void test_little_known(void **state)
{
	struct fixture f;
	struct told t;

	(void)state;
	fixture_init(&f);
	fixture_add(&f, RW_RANDREAD, 10 * GIB, 16, 1000, 16, UNKNOWN);
	fixture_add(&f, RW_RANDREAD, 20 * GIB, 16, 900, 17.8, UNKNOWN);
	fixture_add(&f, RW_RANDREAD, 40 * GIB, 16, 1200, 13.3, UNKNOWN);
	fixture_add_cap(&f, LAT_MEAN, 20);
	tell(&f, 1, &t);
	says(&t.text, "LUN size: 40G loses none of the read IOPS of 10G at iodepth 16, and no "
		      "span loses more than 15 %. Only reads were measured. What is lost under "
		      "mean <= 20 ms is uncertain: not every span has a depth that exceeds it. ");
	says(&t.page, "LUNs of up to 40G lose no more than 15 % of the read IOPS at iodepth 16");
	says(&t.page, "Only reads were measured. What is lost under mean &lt;= 20 ms is uncertain");
	says(&t.page, "loses nothing at iodepth 16 and about nothing under");
	says(&t.page, "&gt;= 900");
	says(&t.page, "~10.0 %");
	forget(&f, &t);
}

/* A span that never meets the cap has lost all that is asked for. */
static void test_cap_not_met(void **state)
{
	struct fixture f;
	struct told t;

	(void)state;
	fixture_init(&f);
	for (uint32_t d = 8; d <= 16; d *= 2) {
		fixture_add(&f, RW_RANDREAD, 10 * GIB, d, 1000, d, UNKNOWN);
		fixture_add(&f, RW_RANDREAD, 20 * GIB, d, 950, d / 0.95, UNKNOWN);
		fixture_add(&f, RW_RANDREAD, 40 * GIB, d, 700, d / 0.7, UNKNOWN);
	}
	fixture_add_cap(&f, LAT_MEAN, 10);
	tell(&f, 1, &t);
	says(&t.text, "LUN size: 20G loses 5 % of the read IOPS of 10G, 40G loses all under the "
		      "cap; up to 20G it is no more than 15 %. Only reads were measured. How");
	says(&t.page, "is not kept: reads never meet the cap");
	forget(&f, &t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("the headline of the ULT study", test_study),
		titled_test("a larger loss against a spoiled span's valid points is said",
			    test_smallest_spoiled),
		titled_test("a base that is not the smallest span is named", test_smallest_unknown),
		titled_test("what is uncertain or not measured is said", test_little_known),
		titled_test("a cap that is never met is no loss that could be judged away",
			    test_cap_not_met),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
