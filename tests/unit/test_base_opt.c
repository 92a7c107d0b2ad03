/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/mem.h"
#include "base/opt.h"

#include <string.h>

struct dest {
	bool yes, dry;
	const char *db;
	struct str_list targets;
	struct pair_list axes;
};

static const struct opt main_opts[] = {
	{"yes", 'y', OPT_FLAG, offsetof(struct dest, yes), NULL, "do not ask"},
	{"dry-run", 0, OPT_FLAG, offsetof(struct dest, dry), NULL, "only say what would be done"},
	{"db", 'd', OPT_STR, offsetof(struct dest, db), "PATH", "the database"},
	{"target", 't', OPT_STRS, offsetof(struct dest, targets), "PATH", "what to measure"},
	{0},
};

static const struct opt axis_opts[] = {
	{"iodepth", 0, OPT_PAIR, offsetof(struct dest, axes), "LIST", "depths"},
	{"spin", 0, OPT_PAIR_FLAG, offsetof(struct dest, axes), NULL, "poll"},
	{"a-name-as-long-as-a-line-of-help", 0, OPT_PAIR, offsetof(struct dest, axes), "LIST",
	 "much"},
	{0},
};

static const struct opt_group groups[] = {
	{"Options", main_opts}, {"Axes", axis_opts}, {NULL, NULL}};

struct parsed {
	int rc;
	struct dest dest;
	struct str_list args;
	struct err e;
};

#define MAX_ARGS 8

/* The arguments, one for each blank in line. */
static struct parsed parse(const char *line)
{
	static char copy[256];
	static char *argv[MAX_ARGS + 1];
	struct parsed p = {0};
	int argc = 0;

	assert_true(strlen(line) < sizeof(copy));
	memcpy(copy, line, strlen(line) + 1);
	for (char *s = copy; *line && s; argc++) {
		assert_true(argc < MAX_ARGS);
		argv[argc] = s;
		s = strchr(s, ' ');
		if (s)
			*s++ = '\0';
	}
	p.rc = opt_parse(groups, argc, argv, &p.dest, &p.args, &p.e);
	return p;
}

static void release(struct parsed *p)
{
	str_list_release(&p->dest.targets);
	pair_list_release(&p->dest.axes);
	str_list_release(&p->args);
}

static void bad(const char *line, const char *part)
{
	struct parsed p = parse(line);

	if (p.rc != -1 || p.e.code != ERR_USAGE || !strstr(p.e.msg, part))
		fail_msg("'%s' gives %d, '%s'", line, p.rc, p.e.msg);
	release(&p);
}

static void test_all_forms(void **state)
{
	struct parsed p = parse("--db=a -y --target t1 x -tt2 --iodepth=1..8 -");

	(void)state;
	assert_int_equal(p.rc, 0);
	assert_true(p.dest.yes);
	assert_false(p.dest.dry);
	assert_string_equal(p.dest.db, "a");
	assert_int_equal(p.dest.targets.nr, 2);
	assert_string_equal(p.dest.targets.v[0], "t1");
	assert_string_equal(p.dest.targets.v[1], "t2");
	assert_int_equal(p.dest.axes.nr, 1);
	assert_string_equal(p.dest.axes.v[0].name, "iodepth");
	assert_string_equal(p.dest.axes.v[0].value, "1..8");
	assert_int_equal(p.args.nr, 2);
	assert_string_equal(p.args.v[0], "x");
	assert_string_equal(p.args.v[1], "-");
	release(&p);
	p = parse("--spin -y");
	assert_string_equal(p.dest.axes.v[0].name, "spin");
	assert_string_equal(p.dest.axes.v[0].value, "yes");
	assert_true(p.dest.yes);
	release(&p);
	p = parse("--spin=no");
	assert_string_equal(p.dest.axes.v[0].value, "no");
	release(&p);
	p = parse("-d b");
	assert_string_equal(p.dest.db, "b");
	release(&p);
	/* A variable of a script that was not set: no path, and surely not the root. */
	p = parse("--db=");
	assert_int_equal(p.rc, -1);
	assert_string_equal(p.e.msg, "the value of option --db is empty");
	release(&p);
	p = parse("--db=a=b");
	assert_string_equal(p.dest.db, "a=b");
	release(&p);
	p = parse("");
	assert_int_equal(p.rc, 0);
	assert_int_equal(p.args.nr, 0);
	release(&p);
}

static void test_unknown(void **state)
{
	(void)state;
	bad("--nosuch", "--nosuch");
	bad("--nosuch=3", "--nosuch=3");
	bad("-x", "-x");
	bad("--=3", "--=3");
	bad("---db", "---db");
	bad("x --nosuch", "--nosuch");
	bad("--DB a", "--DB");
}

static void test_no_abbreviations(void **state)
{
	(void)state;
	bad("--d", "--d");
	bad("--ye", "--ye");
	bad("--dry", "--dry");
	bad("--targe a", "--targe");
	bad("--targets a", "--targets");
}

static void test_missing_and_superfluous_values(void **state)
{
	(void)state;
	bad("--db", "--db needs a value: PATH");
	bad("-d", "--db needs a value");
	bad("x --target", "--target needs a value");
	bad("--iodepth", "--iodepth needs a value");
	bad("--yes=1", "--yes takes no value");
	bad("-y1", "--yes takes no value");
}

static void test_twice(void **state)
{
	struct parsed p;

	(void)state;
	bad("--db a --db b", "--db is given twice");
	bad("--db a -d a", "--db is given twice");
	bad("--iodepth 1 --iodepth 2", "--iodepth is given twice");
	p = parse("-y --yes -t a -t a");
	assert_int_equal(p.rc, 0);
	assert_int_equal(p.dest.targets.nr, 2);
	release(&p);
}

static void test_double_dash(void **state)
{
	struct parsed p = parse("-y -- --db -x -- y");

	(void)state;
	assert_int_equal(p.rc, 0);
	assert_true(p.dest.yes);
	assert_null(p.dest.db);
	assert_int_equal(p.args.nr, 4);
	assert_string_equal(p.args.v[0], "--db");
	assert_string_equal(p.args.v[2], "--");
	release(&p);
	/* As a value it is a value. */
	p = parse("--db -- y");
	assert_string_equal(p.dest.db, "--");
	assert_int_equal(p.args.nr, 1);
	release(&p);
}

static void test_help_and_names(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	opt_help(groups, &b);
	assert_string_equal(b.text, "\nOptions:\n"
				    "  -y, --yes                 do not ask\n"
				    "      --dry-run             only say what would be done\n"
				    "  -d, --db PATH             the database\n"
				    "  -t, --target PATH         what to measure\n"
				    "\nAxes:\n"
				    "      --iodepth LIST        depths\n"
			    "      --spin                poll\n"
				    "      --a-name-as-long-as-a-line-of-help LIST\n"
				    "                            much\n");
	buf_reset(&b);
	opt_names(groups, &b);
	assert_string_equal(b.text, "--yes\n--dry-run\n--db\n--target\n--iodepth\n--spin\n"
				    "--a-name-as-long-as-a-line-of-help\n");
	buf_release(&b);
}

static void test_lists_grow(void **state)
{
	struct str_list l = {0};
	struct pair_list pairs = {0};

	(void)state;
	for (int i = 0; i < 1000; i++) {
		str_list_add(&l, i % 2 ? "odd" : "even");
		pair_list_add(&pairs, "n", i % 2 ? "odd" : "even");
	}
	assert_int_equal(l.nr, 1000);
	assert_string_equal(l.v[999], "odd");
	assert_string_equal(pairs.v[998].value, "even");
	str_list_release(&l);
	pair_list_release(&pairs);
	assert_int_equal(l.nr, 0);
	assert_null(pairs.v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("options and arguments mix in all forms", test_all_forms),
		titled_test("unknown options are refused as written", test_unknown),
		titled_test("no beginning of a name stands for it", test_no_abbreviations),
		titled_test("missing and superfluous values are errors",
			    test_missing_and_superfluous_values),
		titled_test("what counts once is refused twice", test_twice),
		titled_test("behind -- all are arguments", test_double_dash),
		titled_test("help and names come from the table", test_help_and_names),
		titled_test("lists grow and are released", test_lists_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
