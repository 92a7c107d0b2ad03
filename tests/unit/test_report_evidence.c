/* SPDX-License-Identifier: MIT */
/*
 * What is said about curves of known truth, word by word: the sentence of the report, the few words of
 * its first table, and the evidence. The truth of each is told in its title.
 */
#include "unit.h"

#include "golden.h"
#include "knee_shapes.h"
#include "report/evidence.h"
#include "report/format.h"
#include "report/lines.h"
#include "report/sentence.h"
#include "report/text.h"
#include "report_fixture.h"

#define NR_POWERS 9

static void add_row(struct fixture *f, uint32_t depth, double iops)
{
	fixture_add(f, RW_RANDREAD, GIB, depth, iops, depth / iops * 1e3, UNKNOWN);
}

static void set_errors(struct fixture *f, double se_rel)
{
	for (size_t i = 0; i < f->nr; i++)
		f->point[i].dir[DIR_TOTAL].iops_se_rel = se_rel;
}

static void say_curve(struct buf *out, const struct fixture *f, size_t i)
{
	struct lines l = {.out = out, .width = 80};
	struct evidence e;
	struct buf s = BUF_INIT;

	sentence_knee_short(&s, &f->curve[i], &f->answers[i].knee);
	buf_addf(out, "[%s]\n", buf_text(&s));
	buf_reset(&s);
	sentence_knee(&s, &f->curve[i], &f->answers[i].knee);
	format_wrapped(out, buf_text(&s), 2, 80);
	for (unsigned c = 0; c < f->nr_caps; c++) {
		buf_reset(&s);
		sentence_cap(&s, &f->answers[i].cap[c]);
		format_wrapped(out, buf_text(&s), 2, 80);
	}
	evidence_find(&e, &f->answers[i], f->nr_caps);
	for (size_t p = 0; p < e.nr; p++)
		lines_add(&l, e.piece[p].name, buf_text(&e.piece[p].text));
	evidence_release(&e);
	buf_release(&s);
}

/* Analyze, say all under the title, and release. */
static void say(struct buf *out, const char *title, struct fixture *f)
{
	fixture_analyze(f);
	assert_int_equal(f->nr_curves, 1);
	buf_addf(out, "%s%s\n", out->len ? "\n" : "", title);
	say_curve(out, f, 0);
	fixture_release(f);
}

static void check(const char *golden, struct buf *out)
{
	assert_null(strstr(buf_text(out), "nan"));
	assert_null(strstr(buf_text(out), "inf "));
	assert_golden(golden, out);
	buf_release(out);
}

struct textbook_row {
	uint32_t depth;
	double iops, mean_ms, p99_ms;
};

static void load(struct fixture *f, const struct textbook_row *rows, size_t nr)
{
	fixture_init(f);
	for (size_t i = 0; i < nr; i++)
		fixture_add(f, RW_RANDREAD, GIB, rows[i].depth, rows[i].iops, rows[i].mean_ms,
			    rows[i].p99_ms);
}

static void textbook_curves(void **state)
{
	static const struct textbook_row a[] = {{1, 10000, 0.1, 0.1},  {2, 20000, 0.1, 0.1},
						{4, 40000, 0.1, 0.1},  {8, 80000, 0.1, 0.1},
						{16, 80000, 0.2, 0.2}, {32, 80000, 0.4, 0.4}};
	static const struct textbook_row b[] = {{1, 500, 2, UNKNOWN},
						{2, 500, 4, UNKNOWN},
						{4, 500, 8, UNKNOWN},
						{8, 500, 16, UNKNOWN},
						{16, 500, 32, UNKNOWN}};
	static const struct textbook_row c[] = {{1, 1000, 1, 1},   {2, 2000, 1, 1},
						{4, 4000, 1, 1},   {8, 8000, 1, 1},
						{16, 16000, 1, 1}, {32, 32000, 1, 1}};
	static const struct textbook_row d[] = {{4, 30000, 0.13, 0.3}};
	static const struct textbook_row e[] = {
		{1, 120, 8.3, 20},  {2, 150, 13.3, 32},	 {4, 185, 21.6, 55}, {8, 215, 37, 100},
		{16, 240, 67, 190}, {32, 255, 125, 380}, {64, 262, 244, 800}};
	/* O-31: 500 IOPS released each 100 ms, as measured. */
	static const struct textbook_row limit[] = {
		{1, 502, 1.99, UNKNOWN}, {2, 503, 3.97, UNKNOWN},  {4, 505, 7.92, UNKNOWN},
		{8, 504, 15.9, UNKNOWN}, {16, 506, 31.6, UNKNOWN}, {32, 505, 63.3, UNKNOWN}};
	struct buf out = BUF_INIT;
	struct fixture f;

	(void)state;
	load(&f, a, NR(a));
	fixture_add_cap(&f, LAT_P99, 0.15);
	fixture_add_cap(&f, LAT_P99, 0.09);
	say(&out, "Eight servers of 0.1 ms", &f);
	load(&f, b, NR(b));
	fixture_add_cap(&f, LAT_P99, 10);
	say(&out, "500 IOPS at every depth", &f);
	load(&f, c, NR(c));
	say(&out, "1000 IOPS for each I/O in flight", &f);
	load(&f, d, NR(d));
	fixture_add_cap(&f, LAT_P99, 0.3);
	say(&out, "One depth", &f);
	load(&f, e, NR(e));
	fixture_add_cap(&f, LAT_P99, 60);
	say(&out, "A disk that reorders", &f);
	load(&f, limit, NR(limit));
	fixture_add_cap(&f, LAT_MEAN, 10);
	fixture_add_cap(&f, LAT_MEAN, 1);
	say(&out, "A limit of 500 IOPS", &f);
	check("knee-textbook.txt", &out);
}

static double dipping(double n)
{
	return n == 4 ? 1000 : 1000 * fmin(n, 16);
}

static void synthetic_curves(void **state)
{
	static const struct {
		const char *title;
		double (*iops)(double depth);
	} vectors[] = {
		{"A straight line", linear},
		{"16 servers", sixteen},
		{"20 servers, between two depths", twenty},
		{"15 servers of a closed network", balanced},
		{"2000 at every depth", constant},
		{"Contention and coherence", coherence},
		{"The fourth root", creeping},
		{"16 servers, and a dip at 4", dipping},
	};
	struct buf out = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < NR(vectors); i++) {
		struct fixture f;

		fixture_init(&f);
		for (size_t j = 0; j < NR_POWERS; j++)
			add_row(&f, 1U << j, vectors[i].iops(1U << j));
		say(&out, vectors[i].title, &f);
	}
	check("knee-synthetic.txt", &out);
}

/* Test 4 of the study, 1000 GB of random reads: what is said of its first depths only. */
static void truncated_curves(void **state)
{
	struct buf out = BUF_INIT;
	struct fixture ult;

	(void)state;
	fixture_init(&ult);
	assert_true(fixture_load_ult(&ult));
	for (size_t nr = 1; nr <= NR_POWERS; nr++) {
		char *title = xasprintf("Test 4 to iodepth %u", 1U << (nr - 1));
		struct fixture f;

		fixture_init(&f);
		for (size_t i = 0; i < ult.nr; i++) {
			const struct point *p = &ult.point[i];

			if (p->spec.rw == RW_RANDREAD && p->spec.span_bytes == 1000 * GIB &&
			    p->spec.iodepth < 1U << nr)
				fixture_add(&f, RW_RANDREAD, p->spec.span_bytes, p->spec.iodepth,
					    p->dir[DIR_TOTAL].iops,
					    p->dir[DIR_TOTAL].lat_mean_ns / 1e6, UNKNOWN);
		}
		assert_int_equal(f.nr, nr);
		say(&out, title, &f);
		free(title);
	}
	fixture_release(&ult);
	check("knee-truncated.txt", &out);
}

static void add_anchor(struct fixture *f, uint32_t depth, double iops)
{
	struct point *p =
		fixture_add(f, RW_RANDREAD, GIB, depth, iops, depth / iops * 1e3, UNKNOWN);

	p->spec.is_anchor = true;
}

/* Of repeats without intervals of their own the spread is known, which the class goes by. */
static void repeats_have_errors_by_their_spread(void **state)
{
	static const double iops[] = {1000, 1010, 990, 3000, 6000, 3000, 3000, 3100, 3050};
	struct evidence e;
	struct fixture f;
	const char *errors = NULL;

	(void)state;
	fixture_init(&f);
	for (size_t i = 0; i < NR(iops); i++) {
		add_row(&f, 1U << (2 * (i / 3)), iops[i]);
		f.point[i].spec.repeat = (uint32_t)(i % 3 + 1);
	}
	fixture_analyze(&f);
	assert_true(f.answers[0].knee.is_drop_noise);
	evidence_find(&e, &f.answers[0], 0);
	for (size_t i = 0; i < e.nr; i++)
		if (!strcmp(e.piece[i].name, "errors"))
			errors = buf_text(&e.piece[i].text);
	assert_string_equal(errors,
			    "not known in full of both deciding points, so N* has no interval; "
			    "differences count that are beyond those known: IOPS +- 2.48 % at "
			    "iodepth 1, +- 107.57 % at iodepth 4, +- 4.07 % at iodepth 16 (95 %)");
	evidence_release(&e);
	fixture_release(&f);
}

/* Errors, anchors, limits of the host, and curves that begin deep. */
static void curves_with_a_story(void **state)
{
	static const double falls[] = {1000, 1900, 3400, 4000, 2000};
	static const double knee[] = {1000, 2000, 4000, 4000, 4000};
	static const double noisy[] = {1000, 2000, 4000, 4500, 5100};
	static const double drops[] = {1000, 2000, 4000, 4000, 3700};
	struct buf out = BUF_INIT;
	struct fixture f;

	(void)state;
#define LOAD(values) \
	do { \
		fixture_init(&f); \
		for (size_t j = 0; j < NR(values); j++) \
			add_row(&f, 1U << j, (values)[j]); \
	} while (0)
	LOAD(knee);
	set_errors(&f, 0.01);
	add_anchor(&f, 1, 995);
	add_anchor(&f, 4, 4020);
	set_errors(&f, 0.01);
	say(&out, "4 servers with errors of 1 %, the same again at the end", &f);
	LOAD(noisy);
	set_errors(&f, 0.06);
	say(&out, "A rise within errors of 6 %", &f);
	LOAD(drops);
	set_errors(&f, 0.03);
	say(&out, "A drop within errors of 3 %", &f);
	LOAD(falls);
	set_errors(&f, 0.01);
	add_anchor(&f, 1, 1002);
	add_anchor(&f, 8, 4010);
	say(&out, "A fall that is one", &f);
	LOAD(falls);
	set_errors(&f, 0.01);
	add_anchor(&f, 1, 400);
	add_anchor(&f, 8, 1900);
	say(&out, "A fall because the target has changed", &f);
	LOAD(knee);
	f.info.target_queue_limit = 4;
	say(&out, "A queue limit of 4", &f);
	LOAD(knee);
	for (size_t i = 0; i < f.nr; i++)
		f.point[i].flags = i >= 2 ? FLAG_BIT(FLAG_CPU_BOUND) : 0;
	say(&out, "Out of CPU from iodepth 4 on", &f);
	LOAD(knee);
	f.point[0].flags = FLAG_BIT(FLAG_CPU_BOUND);
	say(&out, "Out of CPU at iodepth 1", &f);
#undef LOAD
	fixture_init(&f);
	for (uint32_t n = 4; n <= 64; n *= 2)
		add_row(&f, n, 500);
	set_errors(&f, 0.01);
	say(&out, "500 IOPS from iodepth 4 on, with errors", &f);
	fixture_init(&f);
	for (uint32_t n = 2; n <= 64; n *= 2)
		add_row(&f, n, 1000 * fmin(n, 16));
	say(&out, "16 servers, from iodepth 2 on", &f);
	fixture_init(&f);
	add_row(&f, 1, 100);
	add_row(&f, 2, 200);
	say(&out, "Two depths", &f);
	check("knee-stories.txt", &out);
}

static void the_report_explains_only_when_asked(void **state)
{
	struct fixture f;
	struct buf plain = BUF_INIT, explained = BUF_INIT;

	(void)state;
	fixture_load_mini(&f);
	text_report(&plain, &f.report, (struct text_style){0});
	assert_null(strstr(buf_text(&plain), "\n  ceiling "));
	f.report.explain = true;
	text_report(&explained, &f.report, (struct text_style){0});
	assert_golden("report-explain.txt", &explained);
	for (const char *s = buf_text(&explained); *s;) {
		size_t len = strcspn(s, "\n");
		char *line = xstrndup(s, len);

		assert_true(text_width(line) <= 80);
		free(line);
		s += len + (s[len] == '\n');
	}
	buf_release(&plain);
	buf_release(&explained);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("textbook curves get textbook sentences and evidence", textbook_curves),
		titled_test("synthetic curves of known truth", synthetic_curves),
		titled_test("a curve that is cut off before, at and behind its knee",
			    truncated_curves),
		titled_test("errors, drift, limits of the host, and what was not measured",
			    curves_with_a_story),
		titled_test("repeats have errors by their spread",
			    repeats_have_errors_by_their_spread),
		titled_test("the report explains only when it is asked",
			    the_report_explains_only_when_asked),
	};

	return cmocka_run_group_tests_name("evidence", tests, NULL, NULL);
}
