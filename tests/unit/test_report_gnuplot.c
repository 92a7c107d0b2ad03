/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "chart_dir.h"
#include "report/gnuplot.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static void a_name_is_no_command_in_a_script(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	gnuplot_quote(&b, "x'\"; system(\"touch pwned\")\\\n`touch pwned` @m {/b}");
	assert_string_equal(buf_text(&b),
			    "'x''\"; system(\"touch pwned\")\\ `touch pwned` @m {/b}'");
	buf_release(&b);
}

static void write_script(const char *dir, const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", dir, name);
	struct err e = {0};

	assert_int_equal(file_write(path, text, strlen(text), &e), 0);
	free(path);
}

/* Run with this program in the place of gnuplot; lines of shell. */
static int draw_with(const char *dir, const char *shell, struct gnuplot_script *s, size_t nr,
		     uint64_t limit_ns, struct err *e)
{
	char *path = xstrdup(getenv("PATH")), *text = xasprintf("#!/bin/sh\n%s\n", shell);
	char *fake = xasprintf("%s/gnuplot", dir);
	int rc;

	write_script(dir, "gnuplot", text);
	assert_int_equal(chmod(fake, 0755), 0);
	assert_int_equal(setenv("PATH", dir, 1), 0);
	rc = gnuplot_draw(dir, s, nr, limit_ns, e);
	assert_int_equal(setenv("PATH", path, 1), 0);
	free(path);
	free(text);
	free(fake);
	return rc;
}

static char name_a[] = "a.gp", name_b[] = "b.gp", name_c[] = "c.gp";
static const struct gnuplot_script three[] = {{name_a, false}, {name_b, false}, {name_c, false}};

static void a_failed_script_says_why_and_others_are_drawn(void **state)
{
	struct gnuplot_script s[3];
	struct err e = {0};

	memcpy(s, three, sizeof(s));
	write_script(*state, "a.gp", "set print 'a.out'\nprint 1\nset print\n");
	write_script(*state, "b.gp", "plot nonsense(\n");
	write_script(*state, "c.gp", "set print 'c.out'\nprint 1\nset print\n");
	assert_int_equal(gnuplot_draw(*state, s, 3, GNUPLOT_TIME_LIMIT_NS, &e), -1);
	assert_int_equal(e.code, ERR_TOOL);
	assert_non_null(strstr(e.msg, "1 of 3 pictures are missing: gnuplot failed on 'b.gp': "));
	assert_true(s[0].is_drawn && !s[1].is_drawn && s[2].is_drawn);
	assert_true(size_of(*state, "a.out") > 0 && size_of(*state, "c.out") > 0);
	assert_int_equal(gnuplot_run(*state, "b.gp", GNUPLOT_TIME_LIMIT_NS, &e), -1);
	assert_non_null(strstr(e.msg, "gnuplot failed on 'b.gp'"));
}

static void all_failures_are_in_one_message(void **state)
{
	struct gnuplot_script s[3];
	struct err e = {0};

	memcpy(s, three, sizeof(s));
	write_script(*state, "a.gp", "plot nonsense(\n");
	write_script(*state, "b.gp", "print 'fine'\n");
	write_script(*state, "c.gp", "exit status 3\n");
	assert_int_equal(gnuplot_draw(*state, s, 3, GNUPLOT_TIME_LIMIT_NS, &e), -1);
	assert_non_null(strstr(e.msg, "2 of 3 pictures are missing: gnuplot failed on 'a.gp'"));
	assert_non_null(strstr(e.msg, "; gnuplot failed on 'c.gp'"));
	assert_true(!s[0].is_drawn && s[1].is_drawn && !s[2].is_drawn);
}

static void a_gnuplot_that_hangs_is_ended(void **state)
{
	struct gnuplot_script s[3];
	uint64_t begin_ns = clock_now_ns();
	struct err e = {0};

	memcpy(s, three, sizeof(s));
	assert_int_equal(draw_with(*state, "exec /bin/sleep 30", s, 1, NS_PER_S / 5, &e), -1);
	assert_string_equal(e.msg, "gnuplot did not finish 'a.gp' within 0.2 s");
	/* Nor is it waited for again for every picture. */
	assert_int_equal(draw_with(*state, "exec /bin/sleep 30", s, 3, NS_PER_S / 5, &e), -1);
	assert_non_null(strstr(e.msg, "did not finish 'a.gp'"));
	assert_null(strstr(e.msg, "'c.gp'"));
	assert_true(clock_now_ns() - begin_ns < 10 * NS_PER_S);
}

static void a_picture_that_hangs_does_not_keep_the_others_away(void **state)
{
	struct gnuplot_script s[3];
	struct err e = {0};

	memcpy(s, three, sizeof(s));
	write_script(*state, "a.gp", "print 1\n");
	write_script(*state, "b.gp", "pause 30\n");
	write_script(*state, "c.gp", "print 1\n");
	assert_int_equal(gnuplot_draw(*state, s, 3, 2 * NS_PER_S, &e), -1);
	assert_string_equal(e.msg, "1 of 3 pictures are missing: gnuplot did not finish 'b.gp' "
				   "within 2 s");
	assert_true(s[0].is_drawn && !s[1].is_drawn && s[2].is_drawn);
}

static void a_broken_gnuplot_is_given_up(void **state)
{
	struct gnuplot_script s[3];
	struct err e = {0};

	memcpy(s, three, sizeof(s));
	assert_int_equal(draw_with(*state, "echo x >>tried; echo no display >&2; exit 3", s, 3,
				   GNUPLOT_TIME_LIMIT_NS, &e),
			 -1);
	assert_string_equal(e.msg, "gnuplot failed on 'a.gp': no display ; gnuplot failed on "
				   "'b.gp': no display ");
	assert_int_equal(size_of(*state, "tried"), 4);
}

/* A process runs no more than some tens of scripts. */
static void a_hundred_scripts_are_run(void **state)
{
	struct gnuplot_script s[100];
	struct err e = {0};

	write_script(*state, "a.gp", "print 1\n");
	for (size_t i = 0; i < 100; i++)
		s[i] = three[0];
	if (gnuplot_draw(*state, s, 100, GNUPLOT_TIME_LIMIT_NS, &e))
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < 100; i++)
		assert_true(s[i].is_drawn);
}

static void a_directory_that_is_gone_is_not_blamed_on_gnuplot(void **state)
{
	char *gone = xasprintf("%s/gone", (const char *)*state);
	struct gnuplot_script s = three[0];
	struct err e = {0};

	assert_int_equal(gnuplot_draw(gone, &s, 1, GNUPLOT_TIME_LIMIT_NS, &e), -1);
	assert_null(strstr(e.msg, "not installed"));
	assert_non_null(strstr(e.msg, "/gone': No such file or directory"));
	free(gone);
}

static void failures_are_seen_where_ended_children_are_ignored(void **state)
{
	struct gnuplot_script s[2];
	struct err e = {0};
	int rc;

	memcpy(s, three, sizeof(s));
	write_script(*state, "a.gp", "print 1\n");
	write_script(*state, "b.gp", "exit status 3\n");
	assert_true(signal(SIGCHLD, SIG_IGN) != SIG_ERR);
	rc = gnuplot_draw(*state, s, 2, GNUPLOT_TIME_LIMIT_NS, &e);
	assert_true(signal(SIGCHLD, SIG_DFL) == SIG_IGN);
	assert_int_equal(rc, -1);
	assert_non_null(strstr(e.msg, "gnuplot failed on 'b.gp'"));
	assert_true(s[0].is_drawn && !s[1].is_drawn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_no_command_in_a_script),
		TEST_IN_DIR(a_failed_script_says_why_and_others_are_drawn),
		TEST_IN_DIR(all_failures_are_in_one_message),
		TEST_IN_DIR(a_gnuplot_that_hangs_is_ended),
		TEST_IN_DIR(a_picture_that_hangs_does_not_keep_the_others_away),
		TEST_IN_DIR(a_broken_gnuplot_is_given_up),
		TEST_IN_DIR(a_hundred_scripts_are_run),
		TEST_IN_DIR(a_directory_that_is_gone_is_not_blamed_on_gnuplot),
		TEST_IN_DIR(failures_are_seen_where_ended_children_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
