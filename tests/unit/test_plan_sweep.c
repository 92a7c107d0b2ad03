/* SPDX-License-Identifier: MIT */
/* Sweep files and options: what is taken, and what every mistake is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "plan/sweep.h"
#include "plan/yaml_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A wrong text, as a file or as an option, and the message that it must get. */
struct mistake {
	const char *text;
	const char *message;
};

static int parse(struct sweep *s, const char *text, struct err *e)
{
	sweep_init(s);
	if (sweep_parse(s, "s.yaml", text, strlen(text), e))
		return -1;
	return sweep_finish(s, e);
}

static void parse_ok(struct sweep *s, const char *text)
{
	struct err e = {0};

	if (parse(s, text, &e))
		fail_msg("%s", e.msg);
}

static void expect_mistakes(const struct mistake *m, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct err e = {0};
		struct sweep s;

		if (!parse(&s, m[i].text, &e))
			fail_msg("accepted: %s", m[i].text);
		assert_string_equal(e.msg, m[i].message);
		assert_int_equal(e.code, ERR_SPEC);
		sweep_release(&s);
	}
}

static void the_design_example_is_read_whole(void **state)
{
	struct sweep s;

	(void)state;
	parse_ok(&s, "name: ult-lun-sizing\n"
		     "question: What size?\n"
		     "axes:\n"
		     "  rw: [randwrite, randread]\n"
		     "  bs: [4k]\n"
		     "  iodepth: [1, 2, 4, 8, 16, 32, 64, 128, 256]\n"
		     "  span: [500G, 1000G, 12.5%]\n"
		     "measure:\n"
		     "  ramp_time: 5s\n"
		     "  precision: 2%\n"
		     "  min_time: 20s\n"
		     "  max_time: 120s\n"
		     "order: interleaved\n"
		     "cap: {mean: 10ms, p99.9: [1s, 2s]}\n");
	assert_string_equal(s.name, "ult-lun-sizing");
	assert_string_equal(s.question, "What size?");
	assert_int_equal(s.block[0].axis[AXIS_RW].nr, 2);
	assert_int_equal(s.block[0].axis[AXIS_IODEPTH].v[8].value, 256);
	assert_int_equal(s.block[0].axis[AXIS_IODEPTH].v[8].line, 6);
	assert_int_equal(s.block[0].axis[AXIS_IODEPTH].v[8].column, 42);
	assert_true(s.block[0].axis[AXIS_SPAN].v[1].value == 1000ULL << 30);
	assert_true(s.block[0].axis[AXIS_SPAN].v[2].is_percent);
	assert_int_equal(s.block[0].axis[AXIS_SPAN].v[2].value, 125000);
	assert_int_equal(s.nr_caps, 3);
	assert_int_equal(s.caps[0].stat, LAT_MEAN);
	assert_true(s.caps[0].limit_ns == 10 * NS_PER_MS);
	assert_int_equal(s.caps[2].stat, LAT_P999);
	assert_true(s.caps[2].limit_ns == 2 * NS_PER_S);
	sweep_release(&s);
}

static void defaults_are_those_of_the_documentation(void **state)
{
	struct pair_list none = {0};
	struct err e = {0};
	struct sweep s;

	(void)state;
	assert_int_equal(sweep_build(&s, NULL, &none, &e), 0);
	assert_true(s.ramp_ns == 5 * NS_PER_S);
	assert_true(s.min_ns == 20 * NS_PER_S);
	assert_true(s.max_ns == 120 * NS_PER_S);
	assert_true(s.drain_timeout_ns == 60 * NS_PER_S);
	assert_int_equal(s.precision_e4, 20000);
	assert_true(s.runtime_ns == 0);
	assert_false(s.spin);
	assert_int_equal(s.order, ORDER_INTERLEAVED);
	assert_int_equal(s.mix_order, MIX_READS_FIRST);
	assert_int_equal(s.repeats, 1);
	assert_int_equal(s.on_error, ON_ERROR_CONTINUE);
	assert_int_equal(s.retries, 2);
	assert_true(s.retry_wait_ns == NS_PER_S);
	assert_true(s.retry_limit_ns == 600 * NS_PER_S);
	assert_false(s.has_seed);
	assert_string_equal(s.engine, "libaio");
	assert_string_equal(s.name, "randread 4k iodepth 1");
	assert_int_equal(s.block[0].axis[AXIS_RW].v[0].value, RW_RANDREAD);
	assert_int_equal(s.block[0].axis[AXIS_BS].v[0].value, 4096);
	assert_int_equal(s.block[0].axis[AXIS_IODEPTH].v[0].value, 1);
	assert_int_equal(s.block[0].axis[AXIS_SPAN].v[0].value, UNITS_100_PERCENT);
	assert_int_equal(s.block[0].axis[AXIS_RWMIXREAD].v[0].value, 70);
	assert_int_equal(s.block[0].axis[AXIS_WORKERS].v[0].value, 1);
	assert_int_equal(s.block[0].axis[AXIS_RANDOM_PCT].v[0].value, 100);
	sweep_release(&s);
}

#define TOP_KEYS \
	"version, offset, order, mix_order, seed, repeats, anchors, on_error, retries, " \
	"retry_wait, retry_limit, cap, accept, engine, name, question, axes, measure"

static void mistakes_of_structure_name_their_place(void **state)
{
	static const struct mistake m[] = {
		{"", "s.yaml:1:1: the sweep file is empty"},
		{"# only a comment\n", "s.yaml:1:1: the sweep file is empty"},
		{"- a\n",
		 "s.yaml:1:1: a sweep file must be a mapping of keys to values, not a list"},
		{"name\n",
		 "s.yaml:1:1: a sweep file must be a mapping of keys to values, not a single "
		 "value"},
		{"name: a\nnmae: b\n",
		 "s.yaml:2:1: unknown key 'nmae'; the keys of a sweep are " TOP_KEYS},
		{"name: a\naxes:\n  bs: 4k\n  depth: 3\n",
		 "s.yaml:4:3: unknown key 'depth'; the keys below axes are rw, bs, iodepth, span, "
		 "rwmixread, workers, random_pct, rate"},
		{"measure:\n  time: 3s\n",
		 "s.yaml:2:3: unknown key 'time'; the keys below measure are ramp_time, precision, "
		 "min_time, max_time, runtime, arrivals, drain_timeout, compress, spin"},
		{"axes: {random-pct: 3}\n",
		 "s.yaml:1:8: unknown key 'random-pct'; the keys below axes are rw, bs, iodepth, "
		 "span, rwmixread, workers, random_pct, rate"},
		{"ramp_time: 3s\n", "s.yaml:1:1: key 'ramp_time' belongs below measure"},
		{"axes:\n  offset: 3k\n", "s.yaml:2:3: key 'offset' belongs to the top level"},
		{"name: a\nname: b\n",
		 "s.yaml:2:1: key 'name' is given twice; the first is in line 1"},
		{"axes:\n  bs: 4k\n  rw: read\n  bs: 8k\n",
		 "s.yaml:4:3: key 'bs' is given twice; the first is in line 2"},
		{"axes: {}\naxes: {}\n",
		 "s.yaml:2:1: key 'axes' is given twice; the first is in line 1"},
		{"cap: {mean: 1s, mean: 2s}\n",
		 "s.yaml:1:17: key 'mean' is given twice; the first is in line 1"},
		{"axes:\n", "s.yaml:1:6: axes must be a mapping of keys to values, not nothing"},
		{"axes: 4k\n",
		 "s.yaml:1:7: axes must be a mapping of keys to values, not a single value"},
		{"axes: []\n", "s.yaml:1:7: the list of axes is empty"},
		{"axes: [{bs: 4k}, 3]\n",
		 "s.yaml:1:18: axes must be a mapping of keys to values, not a single value"},
		{"measure: [1]\n",
		 "s.yaml:1:10: measure must be a mapping of keys to values, not a list"},
		{"axes:\n  bs: {a: 4k}\n", "s.yaml:2:7: bs must be a single value, not a mapping"},
		{"axes:\n  bs: [4k, [8k]]\n", "s.yaml:2:12: bs must be a single value, not a list"},
		{"name: [a, b]\n", "s.yaml:1:7: name must be a single value, not a list"},
		{"[a]: b\n", "s.yaml:1:1: a key must be a single value, not a list"},
		{"? {a: b}\n: c\n", "s.yaml:1:3: a key must be a single value, not a mapping"},
		{"axes:\n  bs: []\n", "s.yaml:2:7: the list of bs is empty"},
		{"cap: {}\n", "s.yaml:1:6: the list of cap is empty"},
		{"name: a\n---\nname: b\n",
		 "s.yaml:2:1: a second document begins here; a file holds one"},
		{"<<: {name: a}\n",
		 "s.yaml:1:1: unknown key '<<'; the keys of a sweep are " TOP_KEYS},
		{"axes: &a\n  bs: *a\n", "s.yaml:1:7: bs must be a single value, not a mapping"},
		{"axes: &a [*a]\n",
		 "s.yaml:1:7: axes must be a mapping of keys to values, not a list"},
		{"name: *nobody\n", "s.yaml:1:7: this is no YAML: found undefined alias"},
		{"rate: 5\n", "s.yaml:1:1: key 'rate' belongs below axes"},
		{"on_error: halt\n",
		 "s.yaml:1:11: 'halt' is no on_error; it is one of continue, stop, retry"},
		{"retries: 0\n", "s.yaml:1:10: '0': retries must be between 1 and 100"},
		{"retry_limit: 25h\n", "s.yaml:1:14: '25h': retry_limit may be at most 24h"},
		{"measure:\n  on_error: stop\n",
		 "s.yaml:2:3: key 'on_error' belongs to the top level"},
		{"version: 2\n", "s.yaml:1:10: sweep files of version '2' are not known; this "
				 "program reads version 1"},
	};

	(void)state;
	expect_mistakes(m, NR(m));
}

static void texts_that_are_no_yaml_are_refused_at_their_place(void **state)
{
	static const struct mistake m[] = {
		{"axes:\n\tbs: 4k\n",
		 "s.yaml:2:1: this is no YAML: while scanning for the next token, found character "
		 "that cannot start any token; indent with spaces, not with tabs"},
		{"axes:\n  bs: [4k, 8k\norder: listed\n",
		 "s.yaml:3:6: this is no YAML: while parsing a flow sequence, did not find "
		 "expected ',' or ']'"},
		{"name: 'a\n",
		 "s.yaml:2:1: this is no YAML: while scanning a quoted scalar, found unexpected end "
		 "of stream"},
		{"name: a\nx\001: b\n", "s.yaml:2:2: this is no text file: control characters are "
					"not allowed"},
		{"\177ELF\n",
		 "s.yaml:1:1: this is no text file: control characters are not allowed"},
		{"name: \xff\n", "s.yaml:1:7: this is no text file: invalid leading UTF-8 octet"},
		{"name: \"a\\0b\"\n", "s.yaml:1:7: name holds a NUL character"},
	};

	(void)state;
	expect_mistakes(m, NR(m));
}

static void values_that_can_never_work_name_their_place(void **state)
{
	static const struct mistake m[] = {
		{"axes:\n  iodepth: [1, 0]\n", "s.yaml:2:16: '0': iodepth must be more than 0"},
		{"axes: {iodepth: 12x}\n", "s.yaml:1:17: '12x' is not a whole number"},
		{"axes: {iodepth: 1e3}\n", "s.yaml:1:17: '1e3' is not a whole number"},
		{"axes: {iodepth: 1.5}\n", "s.yaml:1:17: '1.5' is not a whole number"},
		{"axes: {iodepth: -2}\n", "s.yaml:1:17: '-2' is not a whole number"},
		{"axes: {iodepth: ~}\n", "s.yaml:1:17: '~' is not a whole number"},
		{"axes: {iodepth: ''}\n", "s.yaml:1:18: a value of iodepth is empty"},
		{"axes: {iodepth: 99999999999999999999}\n",
		 "s.yaml:1:17: '99999999999999999999' is too large for a whole number"},
		{"axes: {iodepth: 1048577}\n",
		 "s.yaml:1:17: '1048577': iodepth may be at most 1048576"},
		{"axes: {workers: 0}\n", "s.yaml:1:17: '0': workers must be more than 0"},
		{"axes: {workers: 1025}\n", "s.yaml:1:17: '1025': workers may be at most 1024"},
		{"axes: {bs: 1000}\n", "s.yaml:1:12: '1000': bs must be a multiple of 512 bytes"},
		{"axes: {bs: 0}\n", "s.yaml:1:12: '0': bs must be more than 0"},
		{"axes: {bs: 4kB}\n", "s.yaml:1:12: '4kB' is not a size: 'kB' is no unit, use k, "
				      "M, G or T (1024-based)"},
		{"axes: {bs: 2G}\n", "s.yaml:1:12: '2G': bs may be at most 1G"},
		{"axes: {span: 0%}\n", "s.yaml:1:14: '0%': span must be more than 0"},
		{"axes: {span: 101%}\n", "s.yaml:1:14: '101%' is more than 100%"},
		{"axes: {span: 0}\n", "s.yaml:1:14: '0': span must be more than 0"},
		{"axes: {span: 99999999T}\n", "s.yaml:1:14: '99999999T' is too large"},
		{"axes: {rwmixread: 101}\n", "s.yaml:1:19: '101': rwmixread may be at most 100"},
		{"axes: {random_pct: 5.5%}\n",
		 "s.yaml:1:20: '5.5%' is not a whole number of per cent"},
		{"axes: {rw: reed}\n", "s.yaml:1:12: 'reed' is no rw mode; the modes are read, "
				       "write, randread, randwrite, rw, randrw"},
		{"axes: {rw: read..write}\n", "s.yaml:1:12: 'read..write': rw takes no range"},
		{"offset: 32\n", "s.yaml:1:9: '32': offset must be a multiple of 512 bytes"},
		{"offset: 100%\n", "s.yaml:1:9: '100%': offset must be below 100%"},
		{"measure: {runtime: 5}\n", "s.yaml:1:20: '5' is not a duration: it needs a unit, "
					    "one of ns, us, ms, s, m, h"},
		{"measure: {runtime: 0}\n", "s.yaml:1:20: '0': runtime must be 1ms or more"},
		{"measure: {ramp_time: 25h}\n", "s.yaml:1:22: '25h': ramp_time may be at most 24h"},
		{"measure: {precision: 2}\n",
		 "s.yaml:1:22: '2' is not a per cent: it must end with %"},
		{"measure: {precision: 0%}\n",
		 "s.yaml:1:22: '0%': precision must be between 0.01% and 50%, or none"},
		{"order: sorted\n", "s.yaml:1:8: 'sorted' is no order; it is one of listed, "
				    "interleaved, random"},
		{"mix_order: x\n",
		 "s.yaml:1:12: 'x' is no mix_order; it is one of reads-first, as-listed"},
		{"seed: -1\n", "s.yaml:1:7: '-1' is not a whole number"},
		{"repeats: 0\n", "s.yaml:1:10: '0': repeats must be between 1 and 100"},
		{"repeats: 101\n", "s.yaml:1:10: '101': repeats must be between 1 and 100"},
		{"engine: uring\n",
		 "s.yaml:1:9: there is no engine 'uring'; there are libaio and io_uring"},
		{"measure: {compress: 101%}", "s.yaml:1:21: '101%' is more than 100%"},
		{"measure: {compress: 100%}", "s.yaml:1:21: '100%': compress must be below 100%"},
		{"measure: {compress: 0.5%}",
		 "s.yaml:1:21: '0.5%': compress takes whole per cents"},
		{"measure: {spin: 1}", "s.yaml:1:17: '1': spin is yes or no"},
		{"accept: [stall, split]\n",
		 "s.yaml:1:17: 'split' is no verdict that can be accepted; those are unwritten, "
		 "host-cache, foreign-load, stall"},
		{"cap: 10ms\n", "s.yaml:1:6: '10ms' is no cap; write it as mean:10ms"},
		{"cap: {p33: 10ms}\n", "s.yaml:1:7: unknown key 'p33'; a cap is on mean, p50, p90, "
				       "p95, p99 or p99.9"},
		{"cap: {mean: 10}\n", "s.yaml:1:13: '10' is not a duration: it needs a unit, one "
				      "of ns, us, ms, s, m, h"},
		{"cap:\n  mean: 0\n", "s.yaml:2:9: 'mean:0': a cap must be more than 0"},
		{"name: ''\n", "s.yaml:1:8: name is empty"},
		{"name: \"a\\eb\"\n", "s.yaml:1:8: name holds a control character"},
		{"axes: {iodepth: 1..100000}\n", "s.yaml: the axes hold more than 100000 values"},
		{"measure: {min_time: 9s, max_time: 8s}\n",
		 "s.yaml: min_time 9s is longer than max_time 8s"},
		{"measure: {precision: 2%, runtime: 8s}\n",
		 "s.yaml: runtime fixes the window, so precision, min_time and max_time would "
		 "decide nothing; leave out one or the other"},
		{"measure: {max_time: 2s, runtime: 8s}\n",
		 "s.yaml: runtime fixes the window, so precision, min_time and max_time would "
		 "decide nothing; leave out one or the other"},
	};

	(void)state;
	expect_mistakes(m, NR(m));
}

static void lists_with_commas_mean_the_same_in_files_and_name_the_bad_column(void **state)
{
	static const struct mistake m[] = {
		{"axes:\n  iodepth: 1,2,x\n", "s.yaml:2:16: 'x' is not a whole number"},
		{"axes:\n  iodepth: \"1, 2,x\"\n", "s.yaml:2:18: 'x' is not a whole number"},
	};
	struct sweep s;

	(void)state;
	expect_mistakes(m, NR(m));
	parse_ok(&s, "axes: {iodepth: \" 1 , 2,4..16*2\"}");
	assert_int_equal(s.block[0].axis[AXIS_IODEPTH].nr, 5);
	assert_int_equal(s.block[0].axis[AXIS_IODEPTH].v[4].value, 16);
	sweep_release(&s);
}

static void aliases_that_make_sense_are_followed(void **state)
{
	struct sweep s;

	(void)state;
	parse_ok(&s, "axes:\n- iodepth: &d [1, 2]\n- rw: read\n  iodepth: *d\n");
	assert_int_equal(s.nr_blocks, 2);
	assert_int_equal(s.block[1].axis[AXIS_IODEPTH].nr, 2);
	sweep_release(&s);
}

static void a_block_scalar_is_one_line_of_text(void **state)
{
	struct sweep s;

	(void)state;
	parse_ok(&s, "question: |\n  What\n  now?\n");
	assert_string_equal(s.question, "What now?");
	assert_string_equal(s.name, "s");
	sweep_release(&s);
}

static int set_one(const char *key, const char *value, struct sweep *s, struct err *e)
{
	sweep_init(s);
	return sweep_set(s, key, value, e) || sweep_finish(s, e) ? -1 : 0;
}

static void bad_lists_are_refused_with_the_bad_item(void **state)
{
	static const struct {
		const char *key, *value, *message;
	} m[] = {
		{"iodepth", "", "--iodepth: a value of iodepth is empty"},
		{"iodepth", "0", "--iodepth: '0': iodepth must be more than 0"},
		{"iodepth", "4,,", "--iodepth '4,,': a value of iodepth is empty"},
		{"iodepth", "4,", "--iodepth '4,': a value of iodepth is empty"},
		{"iodepth", "1-", "--iodepth: '1-' is not a whole number"},
		{"iodepth", "abc", "--iodepth: 'abc' is not a whole number"},
		{"iodepth", "-2", "--iodepth: '-2' is not a whole number"},
		{"iodepth", "1,2,x", "--iodepth '1,2,x': 'x' is not a whole number"},
		{"iodepth", "1e3", "--iodepth: '1e3' is not a whole number"},
		{"iodepth", "18446744073709551616",
		 "--iodepth: '18446744073709551616' is too large for a whole number"},
		{"iodepth", "1..", "--iodepth: range '1..': '' is not a whole number"},
		{"iodepth", "..4", "--iodepth: range '..4': '' is not a whole number"},
		{"iodepth", "8..1", "--iodepth: '8..1' ends before it begins"},
		{"iodepth", "1..8*1",
		 "--iodepth: '1..8*1': the factor of a range must be 2 or more"},
		{"iodepth", "1..8*0",
		 "--iodepth: '1..8*0': the factor of a range must be 2 or more"},
		{"iodepth", "1..8*", "--iodepth: '1..8*': the factor of a range must be 2 or more"},
		{"iodepth", "1..8+0",
		 "--iodepth: '1..8+0': the step of a range must be more than 0"},
		{"iodepth", "1..8+x", "--iodepth: the step of '1..8+x': 'x' is not a whole number"},
		{"iodepth", "0..8", "--iodepth: '0': iodepth must be more than 0"},
		{"iodepth", "0..8*2",
		 "--iodepth: '0..8*2': a range with a factor cannot begin at 0"},
		{"iodepth", "1..100001", "--iodepth: '1..100001' makes more than 100000 values"},
		{"bs", "4k..64k", "--bs: '4k..64k' needs a step: add *2 or +4k"},
		{"bs", "4k..8k+1000", "--bs: '5096': bs must be a multiple of 512 bytes"},
		{"span", "1G..50%*2", "--span: '1G..50%*2' mixes bytes and per cent"},
		{"span", "10%..50%+1G", "--span: '10%..50%+1G' mixes bytes and per cent"},
		{"ramp-time", "1,2",
		 "--ramp-time: '1,2' is not a duration: it needs a unit, one "
		 "of ns, us, ms, s, m, h"},
		{"cap", "mean:10ms,p98:1s",
		 "--cap 'mean:10ms,p98:1s': 'p98:1s': a cap is on mean, p50, p90, p95, p99 or "
		 "p99.9"},
	};

	(void)state;
	for (size_t i = 0; i < NR(m); i++) {
		struct err e = {0};
		struct sweep s;

		if (!set_one(m[i].key, m[i].value, &s, &e))
			fail_msg("accepted: %s %s", m[i].key, m[i].value);
		assert_string_equal(e.msg, m[i].message);
		assert_int_equal(e.code, ERR_USAGE);
		sweep_release(&s);
	}
}

static void ranges_expand_to_their_values(void **state)
{
	static const struct {
		const char *key, *value;
		enum axis axis;
		size_t nr;
		uint64_t last;
	} m[] = {
		{"iodepth", "1..256*2", AXIS_IODEPTH, 9, 256},
		{"iodepth", "1..100*3", AXIS_IODEPTH, 5, 81},
		{"iodepth", "1..8", AXIS_IODEPTH, 8, 8},
		{"iodepth", "1..9+2", AXIS_IODEPTH, 5, 9},
		{"iodepth", "1..10+2", AXIS_IODEPTH, 5, 9},
		{"iodepth", "5..5", AXIS_IODEPTH, 1, 5},
		{"iodepth", "1..4*2,100", AXIS_IODEPTH, 4, 100},
		{"bs", "4k..1m*2", AXIS_BS, 9, 1 << 20},
		{"bs", "4k..16k+4k", AXIS_BS, 4, 16384},
		{"span", "10%..50%+20%", AXIS_SPAN, 3, 500000},
		{"span", "1G..10G*10", AXIS_SPAN, 2, 10ULL << 30},
		{"workers", "1..16*4", AXIS_WORKERS, 3, 16},
		{"rwmixread", "0..100+25", AXIS_RWMIXREAD, 5, 100},
		{"rwmixread", "0%..100%+50%", AXIS_RWMIXREAD, 3, 100},
		{"random-pct", "70%", AXIS_RANDOM_PCT, 1, 70},
		{"random_pct", "70", AXIS_RANDOM_PCT, 1, 70},
	};

	(void)state;
	for (size_t i = 0; i < NR(m); i++) {
		const struct axis_list *l;
		struct err e = {0};
		struct sweep s;

		if (set_one(m[i].key, m[i].value, &s, &e))
			fail_msg("%s", e.msg);
		l = &s.block[0].axis[m[i].axis];
		assert_int_equal(l->nr, m[i].nr);
		assert_true(l->v[l->nr - 1].value == m[i].last);
		sweep_release(&s);
	}
}

static void file_and_set(struct sweep *s, const char *text, const char *key, const char *value)
{
	struct err e = {0};

	sweep_init(s);
	if (sweep_parse(s, "s.yaml", text, strlen(text), &e) ||
	    (key && sweep_set(s, key, value, &e)) || sweep_finish(s, &e))
		fail_msg("%s", e.msg);
}

static void options_win_over_the_file_in_every_block(void **state)
{
	struct sweep s;

	(void)state;
	file_and_set(&s, "axes: [{rw: read, iodepth: 3}, {rw: write}]", "iodepth", "7,8");
	for (size_t b = 0; b < 2; b++) {
		assert_int_equal(s.block[b].axis[AXIS_IODEPTH].nr, 2);
		assert_int_equal(s.block[b].axis[AXIS_IODEPTH].v[0].value, 7);
		assert_int_equal(s.block[b].axis[AXIS_IODEPTH].v[0].line, 0);
	}
	sweep_release(&s);
	file_and_set(&s, "cap: {mean: 10ms, p99: 3s}", "cap", "p50:1ms");
	assert_int_equal(s.nr_caps, 1);
	assert_int_equal(s.caps[0].stat, LAT_P50);
	sweep_release(&s);
}

static void the_window_follows_from_the_keys_that_are_given(void **state)
{
	static const struct {
		const char *text, *key, *value;
		uint64_t runtime_s, min_s, max_s;
		uint32_t precision_e4;
	} m[] = {
		{"measure: {runtime: 5s}", NULL, NULL, 5, 5, 5, 0},
		{"measure: {precision: none, runtime: 5s}", NULL, NULL, 5, 5, 5, 0},
		{"measure: {precision: none}", NULL, NULL, 120, 120, 120, 0},
		{"measure: {precision: none, max_time: 7s}", NULL, NULL, 7, 7, 7, 0},
		{"measure: {max_time: 10s}", NULL, NULL, 0, 10, 10, 20000},
		{"measure: {min_time: 300s}", NULL, NULL, 0, 300, 300, 20000},
		{"measure: {precision: 2%, min_time: 3s}", "runtime", "4s", 4, 4, 4, 0},
		{"measure: {precision: none, runtime: 3s}", "precision", "5%", 0, 20, 120, 50000},
		{"measure: {precision: none, runtime: 3s}", "runtime", "9s", 9, 9, 9, 0},
	};

	(void)state;
	for (size_t i = 0; i < NR(m); i++) {
		struct sweep s;

		file_and_set(&s, m[i].text, m[i].key, m[i].value);
		assert_true(s.runtime_ns == m[i].runtime_s * NS_PER_S);
		assert_true(s.min_ns == m[i].min_s * NS_PER_S);
		assert_true(s.max_ns == m[i].max_s * NS_PER_S);
		assert_int_equal(s.precision_e4, m[i].precision_e4);
		sweep_release(&s);
	}
}

static uint64_t key_of(const char *text)
{
	struct sweep s;
	uint64_t key;

	parse_ok(&s, text);
	key = sweep_key(&s);
	sweep_release(&s);
	return key;
}

static void the_key_ignores_what_makes_no_other_run(void **state)
{
	uint64_t key = key_of("axes: {rw: read, bs: [4k, 64k], iodepth: [1, 8]}");

	(void)state;
	assert_true(key == key_of("# comment\nname: x\nquestion: y\ncap: {mean: 1s}\n"
				  "axes: {bs: [65536, 4096, 4k], iodepth: [8, 1], rw: [read],\n"
				  "  rwmixread: 5, random_pct: 4}"));
	assert_true(key == key_of("axes: {rw: read, bs: [4k, 64k], iodepth: [1, 8], workers: 1}"));
}

static void the_key_tells_apart_what_makes_another_run(void **state)
{
	static const char *const other[] = {
		"axes: {rw: read, bs: 4k}",
		"axes: {rw: read, bs: 4k, iodepth: 2}",
		"axes: {rw: write, bs: 4k}",
		"axes: {rw: randread, random_pct: 50}",
		"axes: {rw: randrw}",
		"axes: {rw: randrw, rwmixread: 50}",
		"axes: {rw: read, span: 50%}",
		"axes: {rw: read, span: 500000}",
		"axes: [{rw: read}, {rw: write}]",
		"axes: {rw: read}\noffset: 1m",
		"axes: {rw: read}\nseed: 0",
		"axes: {rw: read}\nseed: 1",
		"axes: {rw: read}\nrepeats: 2",
		"axes: {rw: read}\norder: random",
		"axes: {rw: read}\nmix_order: as-listed",
		"axes: {rw: read}\nmeasure: {runtime: 3s}",
		"axes: {rw: read}\nmeasure: {ramp_time: 3s}",
		"axes: {rw: read}\nmeasure: {precision: 3%}",
		"axes: {bs: [4k, 8k], iodepth: [1, 2]}\norder: listed",
		"axes: {iodepth: [1, 2], bs: [4k, 8k]}\norder: listed",
		"axes: {rate: 500}",
		"axes: {rate: 600}",
		"axes: {rate: 50%}",
		"axes: {rate: 500, iodepth: 1}",
		"axes: {rate: 500}\nmeasure: {arrivals: constant}",
	};

	(void)state;
	for (size_t i = 0; i < NR(other); i++)
		for (size_t k = 0; k < i; k++)
			if (key_of(other[i]) == key_of(other[k]))
				fail_msg("'%s' and '%s' have one key", other[i], other[k]);
}

static void a_sweep_from_options_becomes_a_text_that_reads_back(void **state)
{
	static const struct pair p[] = {{"rw", "randrw,read"},
					{"iodepth", "1..8*2"},
					{"span", "12.5%,1G"},
					{"cap", "mean:10ms,p99.9:2s"},
					{"seed", "7"},
					{"accept", "stall,host-cache"},
					{"name", "a \"b\" \\ #c: é"},
					{"order", "listed"},
					{"offset", "3%"},
					{"repeats", "3"},
					{"runtime", "250ms"},
					{"question", "is: it?"}};
	struct pair_list l = {0};
	struct buf text = BUF_INIT, again = BUF_INIT;
	struct sweep s, back;
	struct err e = {0};

	(void)state;
	for (size_t i = 0; i < NR(p); i++)
		pair_list_add(&l, p[i].name, p[i].value);
	if (sweep_build(&s, NULL, &l, &e))
		fail_msg("%s", e.msg);
	sweep_text(&s, &text);
	parse_ok(&back, buf_text(&text));
	assert_true(sweep_key(&s) == sweep_key(&back));
	assert_string_equal(back.name, s.name);
	assert_string_equal(back.question, s.question);
	assert_int_equal(back.accepted, s.accepted);
	assert_int_equal(back.nr_caps, 2);
	assert_true(back.caps[1].limit_ns == 2 * NS_PER_S);
	free(back.text);
	back.text = NULL;
	sweep_text(&back, &again);
	assert_string_equal(buf_text(&text), buf_text(&again));
	sweep_release(&s);
	sweep_release(&back);
	buf_release(&text);
	buf_release(&again);
	pair_list_release(&l);
}

static void a_rate_has_depths_of_its_own(void **state)
{
	static const struct {
		const char *text;
		size_t nr;
		uint64_t last;
	} m[] = {
		{"axes: {rate: [500, 1000]}", 1, 256},
		{"axes: {rate: 500, iodepth: 32}", 1, 32},
		{"axes: {rate: 10%..100%+10%}", 9, 256},
		{"axes: {rate: [500, 50%], iodepth: [1, 64]}", 2, 64},
		{"axes: {bs: 4k}", 1, 1},
	};

	(void)state;
	for (size_t i = 0; i < NR(m); i++) {
		const struct axis_list *l;
		struct sweep s;

		parse_ok(&s, m[i].text);
		l = &s.block[0].axis[AXIS_IODEPTH];
		assert_int_equal(l->nr, m[i].nr);
		assert_int_equal(l->v[l->nr - 1].value, m[i].last);
		assert_int_equal(sweep_has_rate(&s), i < NR(m) - 1);
		sweep_release(&s);
	}
}

static void a_rate_is_iops_or_per_cent_within_limits(void **state)
{
	static const struct mistake m[] = {
		{"axes: {rate: 0}", "s.yaml:1:14: '0': rate must be more than 0"},
		{"axes: {rate: 0%}", "s.yaml:1:14: '0%': rate must be more than 0"},
		{"axes: {rate: 121%}", "s.yaml:1:14: '121%' is more than 120%"},
		{"axes: {rate: 10000001}", "s.yaml:1:14: '10000001': rate may be at most 10000000"},
		{"axes: {rate: 10k}", "s.yaml:1:14: '10k' is not a whole number"},
		{"axes: {rate: -5}", "s.yaml:1:14: '-5' is not a whole number"},
		{"axes: {rate: 10%..500+5%}", "s.yaml:1:14: '10%..500+5%' mixes IOPS and per cent"},
		{"axes: {rate: 10..50}", "s.yaml:1:14: '10..50' needs a step: add *2 or +10"},
		{"measure: {arrivals: bursts}",
		 "s.yaml:1:21: 'bursts' is no arrivals; it is one of poisson, constant"},
	};

	(void)state;
	expect_mistakes(m, NR(m));
}

static void depths_that_a_rate_would_leave_out_are_refused(void **state)
{
	const char *text = "axes: {rate: 500, iodepth: [1, 64]}";
	struct err e = {0};
	struct sweep s;

	(void)state;
	sweep_init(&s);
	assert_int_equal(sweep_parse(&s, "s.yaml", text, strlen(text), &e), 0);
	assert_int_equal(sweep_finish(&s, &e), -1);
	assert_string_equal(
		e.msg, "s.yaml: with a rate in IOPS, iodepth is the limit of I/Os in flight and "
		       "takes one value; closed loops go into a block of axes of their own");
	sweep_release(&s);
}

static void rates_read_back_too(void **state)
{
	struct buf text = BUF_INIT;
	struct sweep s, back;

	(void)state;
	file_and_set(&s, "axes: [{bs: 8k}, {rate: [10%, 700]}]\nmeasure: {arrivals: constant}",
		     "seed", "2");
	sweep_text(&s, &text);
	parse_ok(&back, buf_text(&text));
	assert_int_equal(back.block[0].axis[AXIS_RATE].nr, 0);
	assert_int_equal(back.block[1].axis[AXIS_RATE].nr, 2);
	assert_int_equal(back.arrivals, ARRIVALS_CONSTANT);
	assert_true(sweep_key(&s) == sweep_key(&back));
	sweep_release(&s);
	sweep_release(&back);
	buf_release(&text);
}

static void several_blocks_read_back_too(void **state)
{
	struct buf text = BUF_INIT;
	struct sweep s, back;

	(void)state;
	file_and_set(&s, "axes: [{rw: read, bs: 4k}, {bs: 8k, rw: write}]\norder: listed",
		     "workers", "2");
	sweep_text(&s, &text);
	parse_ok(&back, buf_text(&text));
	assert_int_equal(back.nr_blocks, 2);
	assert_true(sweep_key(&s) == sweep_key(&back));
	sweep_release(&s);
	sweep_release(&back);
	buf_release(&text);
}

static void an_unchanged_file_is_stored_to_the_letter(void **state)
{
	const char *text = "# why\nname:   x # spaced\n";
	struct buf b = BUF_INIT;
	struct sweep s;

	(void)state;
	parse_ok(&s, text);
	sweep_text(&s, &b);
	assert_string_equal(buf_text(&b), text);
	sweep_release(&s);
	buf_release(&b);
}

static void a_file_that_is_too_large_or_missing_is_refused(void **state)
{
	char path[] = "/tmp/lunsweep-test-XXXXXX";
	int fd = mkstemp(path);
	struct err e = {0};
	struct sweep s;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, YAML_FILE_MAX_BYTES + 1), 0);
	sweep_init(&s);
	assert_int_equal(sweep_load(&s, path, &e), -1);
	assert_non_null(strstr(e.msg, ":1:1: a sweep file of more than 1 MiB is refused"));
	assert_int_equal(close(fd), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(sweep_load(&s, path, &e), -1);
	assert_non_null(strstr(e.msg, "No such file"));
	assert_int_equal(e.code, ERR_SPEC);
	sweep_release(&s);
}

static void every_option_sets_a_key(void **state)
{
	(void)state;
	for (const struct opt *o = sweep_opts; o->type != OPT_END; o++) {
		struct err e = {0};
		struct sweep s;

		assert_true(o->type == OPT_PAIR || o->type == OPT_PAIR_FLAG);
		assert_int_equal(o->offset, 0);
		sweep_init(&s);
		(void)sweep_set(&s, o->name, "", &e);
		assert_null(strstr(e.msg, "there is no key"));
		sweep_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_design_example_is_read_whole),
		cmocka_unit_test(defaults_are_those_of_the_documentation),
		cmocka_unit_test(mistakes_of_structure_name_their_place),
		cmocka_unit_test(texts_that_are_no_yaml_are_refused_at_their_place),
		cmocka_unit_test(values_that_can_never_work_name_their_place),
		cmocka_unit_test(lists_with_commas_mean_the_same_in_files_and_name_the_bad_column),
		cmocka_unit_test(aliases_that_make_sense_are_followed),
		cmocka_unit_test(a_block_scalar_is_one_line_of_text),
		cmocka_unit_test(bad_lists_are_refused_with_the_bad_item),
		cmocka_unit_test(ranges_expand_to_their_values),
		cmocka_unit_test(options_win_over_the_file_in_every_block),
		cmocka_unit_test(the_window_follows_from_the_keys_that_are_given),
		cmocka_unit_test(the_key_ignores_what_makes_no_other_run),
		cmocka_unit_test(the_key_tells_apart_what_makes_another_run),
		cmocka_unit_test(a_sweep_from_options_becomes_a_text_that_reads_back),
		cmocka_unit_test(several_blocks_read_back_too),
		cmocka_unit_test(a_rate_has_depths_of_its_own),
		cmocka_unit_test(a_rate_is_iops_or_per_cent_within_limits),
		cmocka_unit_test(depths_that_a_rate_would_leave_out_are_refused),
		cmocka_unit_test(rates_read_back_too),
		cmocka_unit_test(an_unchanged_file_is_stored_to_the_letter),
		cmocka_unit_test(a_file_that_is_too_large_or_missing_is_refused),
		cmocka_unit_test(every_option_sets_a_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
