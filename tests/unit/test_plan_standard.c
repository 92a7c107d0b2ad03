/* SPDX-License-Identifier: MIT */
/* Standard files: what is taken, and what every mistake is told. */
#include "unit.h"

#include "base/clock.h"
#include "base/mem.h"
#include "plan/standard.h"

#include <stdlib.h>
#include <string.h>

static int parse(struct standard *s, const char *text, struct err *e)
{
	return standard_parse(s, "s.yaml", text, strlen(text), e);
}

static void parse_ok(struct standard *s, const char *text)
{
	struct err e = {0};

	if (parse(s, text, &e))
		fail_msg("%s", e.msg);
}

static struct limit find(const struct requirement *r, enum required_figure figure, enum dir dir,
			 enum lat_stat stat)
{
	for (size_t i = 0; i < r->nr; i++)
		if (r->limit[i].figure == figure && r->limit[i].dir == dir &&
		    r->limit[i].stat == stat)
			return r->limit[i];
	fail_msg("there is no such limit");
	return (struct limit){.value = -1};
}

static void test_whole(void **state)
{
	struct standard s;
	const struct requirement *r;

	(void)state;
	parse_ok(&s,
		 "version: 1\n"
		 "name: disks\n"
		 "classes:\n"
		 "  Super:\n"
		 "    - iops: 8000\n"
		 "      read_iops: 5600\n"
		 "      write_iops: 2400\n"
		 "      mib_s: 60\n"
		 "      read_mib_s: 40\n"
		 "      write_mib_s: 20\n"
		 "      guaranteed_share: 95%\n"
		 "      guaranteed_iops: 6000\n"
		 "      guaranteed_over: 500ms\n"
		 "      lat: {mean: 10ms, p50: 8ms, p90: 20ms, p95: 30ms, p99: 50ms,\n"
		 "            p99.9: 100ms, max: 1s}\n"
		 "      read_lat: {mean: 9ms}\n"
		 "      write_lat: {max: 2s}\n"
		 "    - {at: {rw: randread, iodepth: 1, rate: none}, lat: {mean: 500us}}\n"
		 "  'Archive, slow': {iops: 100}\n"
		 "at: {bs: 8k, iodepth: 64, span: 50%, workers: 2, random_pct: 100, rate: 10%}\n");
	assert_string_equal(s.name, "disks");
	assert_int_equal(s.nr, 2);
	assert_string_equal(s.cls[0].name, "Super");
	assert_string_equal(s.cls[1].name, "Archive, slow");
	assert_int_equal(s.cls[0].nr, 2);
	r = &s.cls[0].req[0];
	assert_int_equal(r->nr, 16);
	assert_within(find(r, FIGURE_IOPS, DIR_TOTAL, 0).value, 8000, 0);
	assert_within(find(r, FIGURE_IOPS, DIR_READ, 0).value, 5600, 0);
	assert_within(find(r, FIGURE_IOPS, DIR_WRITE, 0).value, 2400, 0);
	assert_within(find(r, FIGURE_MIB_S, DIR_WRITE, 0).value, 20, 0);
	assert_within(find(r, FIGURE_LAT, DIR_TOTAL, LAT_MEAN).value, 10e6, 0);
	assert_within(find(r, FIGURE_LAT, DIR_TOTAL, LAT_P999).value, 100e6, 0);
	assert_within(find(r, FIGURE_LAT_MAX, DIR_TOTAL, 0).value, 1e9, 0);
	assert_within(find(r, FIGURE_LAT, DIR_READ, LAT_MEAN).value, 9e6, 0);
	assert_within(find(r, FIGURE_LAT_MAX, DIR_WRITE, 0).value, 2e9, 0);
	assert_int_equal(find(r, FIGURE_GUARANTEED_IOPS, DIR_TOTAL, 0).share_e4, 950000);
	assert_int_equal(find(r, FIGURE_GUARANTEED_IOPS, DIR_TOTAL, 0).over_ns, NS_PER_S / 2);
	assert_false(r->at[AXIS_RW].is_given);
	assert_int_equal(r->at[AXIS_BS].value, 8192);
	assert_int_equal(r->at[AXIS_IODEPTH].value, 64);
	assert_true(r->at[AXIS_SPAN].is_percent);
	assert_int_equal(r->at[AXIS_SPAN].value, 500000);
	assert_true(r->at[AXIS_RATE].is_percent);
	/* Its own conditions win, key by key. */
	r = &s.cls[0].req[1];
	assert_int_equal(r->at[AXIS_RW].value, RW_RANDREAD);
	assert_int_equal(r->at[AXIS_IODEPTH].value, 1);
	assert_int_equal(r->at[AXIS_BS].value, 8192);
	assert_true(r->at[AXIS_RATE].is_none);
	standard_release(&s);
}

static void test_defaults(void **state)
{
	struct standard s;

	(void)state;
	parse_ok(&s, "classes: {a: {guaranteed_iops: 10}}\n");
	assert_null(s.name);
	assert_int_equal(s.cls[0].req[0].limit[0].share_e4, 990000);
	assert_int_equal(s.cls[0].req[0].limit[0].over_ns, NS_PER_S);
	for (enum axis a = 0; a < AXIS_NR; a++)
		assert_false(s.cls[0].req[0].at[a].is_given);
	standard_release(&s);
}

#define REQUIREMENT_KEYS \
	"the keys of a requirement are at, iops, read_iops, write_iops, guaranteed_iops, " \
	"guaranteed_share, guaranteed_over, mib_s, read_mib_s, write_mib_s, lat, read_lat, " \
	"write_lat"

static void test_mistakes(void **state)
{
	static const struct {
		const char *text, *message;
	} mistakes[] = {
		{"", "s.yaml:1:1: the standard is empty"},
		{"- a\n", "s.yaml:1:1: a standard must be a mapping of keys to values, not a list"},
		{"a: [\n", "s.yaml:2:1: this is no YAML: while parsing a flow node, did not find "
			   "expected node content"},
		{"name: x\n", "s.yaml:1:1: a standard needs at least one class below classes"},
		{"classes: {}\n", "s.yaml:1:10: a standard needs at least one class below classes"},
		{"classes: [a]\n",
		 "s.yaml:1:10: classes must be a mapping of keys to values, not a list"},
		{"classes: {a: {iops: 1}}\nquestion: x\n",
		 "s.yaml:2:1: unknown key 'question'; the keys of a standard are version, name, at, "
		 "classes"},
		{"version: 2\nclasses: {a: {iops: 1}}\n",
		 "s.yaml:1:10: standards of version '2' are not known; this program reads version "
		 "1"},
		{"name: [a]\nclasses: {a: {iops: 1}}\n",
		 "s.yaml:1:7: name must be a single value, not a list"},
		{"name: a\nname: b\n",
		 "s.yaml:2:1: key 'name' is given twice; the first is in line 1"},
		{"classes:\n  a: {iops: 1}\n  b: {iops: 1}\n  a: {iops: 2}\n",
		 "s.yaml:4:3: key 'a' is given twice; the first is in line 2"},
		{"classes:\n  '': {iops: 1}\n", "s.yaml:2:3: the name of a class is empty"},
		{"classes:\n  a: 5\n",
		 "s.yaml:2:6: a requirement must be a mapping of keys to values, not a single "
		 "value"},
		{"classes:\n  a: []\n", "s.yaml:2:6: the list of requirements is empty"},
		{"classes:\n  a: {}\n",
		 "s.yaml:2:6: this requirement has no limit: give iops, guaranteed_iops, mib_s or "
		 "lat"},
		{"classes:\n  a:\n    at: {bs: 8k}\n",
		 "s.yaml:3:5: this requirement has no limit: give iops, guaranteed_iops, mib_s or "
		 "lat"},
		{"classes:\n  a:\n    lat: {}\n",
		 "s.yaml:3:5: this requirement has no limit: give iops, guaranteed_iops, mib_s or "
		 "lat"},
		{"classes:\n  a:\n    iop: 5\n",
		 "s.yaml:3:5: unknown key 'iop'; " REQUIREMENT_KEYS},
		{"classes:\n  a:\n    iops: 5\n    iops: 6\n",
		 "s.yaml:4:5: key 'iops' is given twice; the first is in line 3"},
		{"classes:\n  a:\n    iops: 12x\n",
		 "s.yaml:3:11: iops: '12x' is not a whole number"},
		{"classes:\n  a:\n    iops: -5\n", "s.yaml:3:11: iops: '-5' is not a whole number"},
		{"classes:\n  a:\n    iops: 0\n",
		 "s.yaml:3:11: iops must be from 1 to 1000000000, not 0"},
		{"classes:\n  a:\n    iops: 1000000001\n",
		 "s.yaml:3:11: iops must be from 1 to 1000000000, not 1000000001"},
		{"classes:\n  a:\n    iops: [5]\n",
		 "s.yaml:3:11: iops must be a single value, not a list"},
		{"classes:\n  a:\n    iops:\n", "s.yaml:3:10: iops: '' is not a whole number"},
		{"classes:\n  a:\n    guaranteed_iops: 5\n    guaranteed_share: 99\n",
		 "s.yaml:4:23: guaranteed_share: '99' is not a per cent: it must end with %"},
		{"classes:\n  a:\n    guaranteed_iops: 5\n    guaranteed_share: 101%\n",
		 "s.yaml:4:23: guaranteed_share: '101%' is more than 100%"},
		{"classes:\n  a:\n    guaranteed_iops: 5\n    guaranteed_share: 0%\n",
		 "s.yaml:4:23: guaranteed_share of 0% guarantees nothing"},
		{"classes:\n  a:\n    iops: 5\n    guaranteed_share: 99%\n",
		 "s.yaml:4:23: guaranteed_share says nothing without guaranteed_iops"},
		{"classes:\n  a:\n    iops: 5\n    guaranteed_over: 2s\n",
		 "s.yaml:4:22: guaranteed_over says nothing without guaranteed_iops"},
		{"classes:\n  a:\n    guaranteed_iops: 5\n    guaranteed_over: 0\n",
		 "s.yaml:4:22: guaranteed_over of 0 is no limit"},
		{"classes:\n  a:\n    lat: 10ms\n",
		 "s.yaml:3:10: lat must be a mapping of keys to values, not a single value"},
		{"classes:\n  a:\n    lat: {mean: 10}\n",
		 "s.yaml:3:17: mean: '10' is not a duration: it needs a unit, one of ns, us, ms, s, m, h"},
		{"classes:\n  a:\n    lat: {mean: 0ms}\n", "s.yaml:3:17: mean of 0 is no limit"},
		{"classes:\n  a:\n    lat: {p98: 10ms}\n",
		 "s.yaml:3:11: unknown key 'p98'; the keys below lat are mean, p50, p90, p95, p99, "
		 "p99.9, max"},
		{"classes:\n  a:\n    read_lat: {max: 1s, max: 2s}\n",
		 "s.yaml:3:25: key 'max' is given twice; the first is in line 3"},
		{"at: {depth: 4}\n",
		 "s.yaml:1:6: unknown key 'depth'; the keys below at are rw, bs, iodepth, span, "
		 "rwmixread, workers, random_pct, rate"},
		{"at: [bs]\n", "s.yaml:1:5: at must be a mapping of keys to values, not a list"},
		{"at: {bs: 8k, bs: 4k}\n",
		 "s.yaml:1:14: key 'bs' is given twice; the first is in line 1"},
		{"at: {bs: [4k, 8k]}\n", "s.yaml:1:10: bs must be a single value, not a list"},
		{"at: {iodepth: 1..8*2}\n",
		 "s.yaml:1:15: '1..8*2' is more than one value; a requirement is at one"},
		{"at: {iodepth: none}\n", "s.yaml:1:15: 'none' is not a whole number"},
		{"at: {rw: sideways}\n",
		 "s.yaml:1:10: 'sideways' is no rw mode; the modes are read, write, randread, "
		 "randwrite, rw, randrw"},
		{"classes: {a: {iops: 1}}\n---\nclasses: {}\n",
		 "s.yaml:2:1: a second document begins here; a file holds one"},
		{"classes: {a: {iops: \"1\\0\"}}\n", "s.yaml:1:21: iops holds a NUL character"},
	};
	size_t bad = 0;

	(void)state;
	for (size_t i = 0; i < NR(mistakes); i++) {
		struct err e = {0};
		struct standard s;

		if (!parse(&s, mistakes[i].text, &e))
			fail_msg("accepted: %s", mistakes[i].text);
		if (strcmp(e.msg, mistakes[i].message) != 0 || e.code != ERR_SPEC) {
			print_error("%s\n  not: %s\n", e.msg, mistakes[i].message);
			bad++;
		}
		standard_release(&s);
	}
	assert_int_equal(bad, 0);
}

/* Aliases let a small file name much: what is walked stays bounded. */
static void test_bounded(void **state)
{
	struct buf b = BUF_INIT;
	struct standard s;
	struct err e = {0};

	(void)state;
	buf_addstr(&b, "classes:\n");
	for (int i = 0; i < 100000; i++)
		buf_addf(&b, "  c%d: {iops: 1}\n", i);
	assert_int_equal(parse(&s, buf_text(&b), &e), -1);
	assert_string_equal(e.msg, "s.yaml:258:3: there are more than 256 classes");
	standard_release(&s);
	buf_reset(&b);
	buf_addstr(&b, "classes:\n  a:\n  - &x {iops: 1}\n");
	for (int i = 0; i < 100000; i++)
		buf_addstr(&b, "  - *x\n");
	assert_int_equal(parse(&s, buf_text(&b), &e), -1);
	/* The place is that of the node itself. */
	assert_string_equal(e.msg, "s.yaml:3:5: there are more than 256 requirements in a class");
	standard_release(&s);
	buf_release(&b);
}

/* Every beginning of a file, and every file with one byte changed, is refused with a place or is a
 * standard; memory errors are left to the sanitizers. */
static void test_hostile(void **state)
{
	static const char text[] = "at: {bs: 8k, rate: none}\n"
				   "classes:\n"
				   "  a: [&x {iops: 10, lat: {p99.9: 1s}}, *x]\n"
				   "  b: {guaranteed_iops: 5, guaranteed_share: 9%}\n";
	static const char bytes[] = {0,	  '\n', '\t', '"', '\'', '{', '}', '[',	   ']',	  ',',
				     ':', '*',	'&',  '#', '-',	 '9', '%', '\x80', '\xff'};
	size_t len = sizeof(text) - 1, taken = 0, refused = 0;

	(void)state;
	for (size_t i = 0; i < len; i++) {
		for (size_t k = 0; k <= sizeof(bytes); k++) {
			char *copy = xmalloc(len);
			struct standard s;
			struct err e = {0};

			memcpy(copy, text, len);
			if (k < sizeof(bytes))
				copy[i] = bytes[k];
			if (standard_parse(&s, "s.yaml", copy, k < sizeof(bytes) ? len : i, &e)) {
				assert_int_equal(strncmp(e.msg, "s.yaml:", 7), 0);
				assert_int_equal(e.code, ERR_SPEC);
				refused++;
			} else {
				assert_true(s.nr > 0 && s.cls[0].nr > 0);
				taken++;
			}
			standard_release(&s);
			free(copy);
		}
	}
	assert_true(taken > 50 && refused > 500);
}

static void test_classes_by_name(void **state)
{
	struct standard s;
	struct err e = {0};

	(void)state;
	parse_ok(&s, "classes: {Super: {iops: 2}, Archive: {iops: 1}}\n");
	assert_ptr_equal(standard_class(&s, "Archive", &e), &s.cls[1]);
	assert_null(standard_class(&s, "super", &e));
	assert_string_equal(e.msg,
			    "there is no class 'super' in this standard; it has Super, Archive");
	assert_int_equal(e.code, ERR_USAGE);
	standard_release(&s);
}

static void test_files(void **state)
{
	struct standard s;
	struct err e = {0};

	(void)state;
	assert_int_equal(standard_load(&s, "/nonexistent/s.yaml", &e), -1);
	assert_int_equal(e.code, ERR_SPEC);
	standard_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("every key is taken, and conditions are inherited", test_whole),
		titled_test("a guarantee is 99 % of seconds, a limit is at any point",
			    test_defaults),
		titled_test("every mistake is told with its place", test_mistakes),
		titled_test("what aliases multiply stays bounded", test_bounded),
		titled_test("any bytes are refused with a place or make a standard", test_hostile),
		titled_test("classes are found by their whole name", test_classes_by_name),
		titled_test("a file that is not there is a mistake of the file", test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
