/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/file.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *top;

/* A path below the folder of this program, until the next but three. */
static const char *at(const char *name)
{
	static char *paths[4];
	static unsigned next;
	char **path = &paths[next++ % 4];

	free(*path);
	*path = xasprintf("%s/%s", top, name);
	return *path;
}

static int make_top(void **state)
{
	char name[] = "/tmp/lunsweep-file.XXXXXX";

	(void)state;
	if (!mkdtemp(name))
		return -1;
	top = xstrdup(name);
	return mkdir(at("own"), 0755) || mkdir(at("own/deep"), 0755) || mkdir(at("public"), 0755) ||
	       chmod(at("public"), 01777);
}

static int remove_top(void **state)
{
	char *command = xasprintf("rm -rf '%s'", top);
	int rc = system(command);

	(void)state;
	free(command);
	free(top);
	return rc;
}

static void link_at(const char *target, const char *name)
{
	assert_int_equal(symlink(target, at(name)), 0);
}

static void is_followed(const char *name)
{
	struct err e = {0};

	if (file_check_links(at(name), &e))
		fail_msg("%s: %s", name, e.msg);
}

static void is_refused(const char *name, const char *words)
{
	struct err e = {0};

	assert_int_equal(file_check_links(at(name), &e), -1);
	if (!strstr(e.msg, words))
		fail_msg("'%s' does not say '%s'", e.msg, words);
}

static void links_in_a_directory_of_ones_own_are_followed(void **state)
{
	(void)state;
	link_at("deep", "own/link");
	link_at("link/../link", "own/again");
	is_followed("own/link/file");
	is_followed("own/again/file");
	is_followed("own/deep/nothing/there/yet");
	/* What lies in a public place, but is no link. */
	assert_int_equal(mkdir(at("public/real"), 0755), 0);
	is_followed("public/real/file");
}

static void links_in_a_public_directory_are_refused(void **state)
{
	static const char words[] = "lies in a directory that anybody may write to";

	(void)state;
	link_at("../own", "public/link");
	is_refused("public/link/file", words);
	is_refused("public//link///file", words);
	is_refused("own/../public/link/deep/file", words);
	/* Also behind a link that is followed. */
	link_at("../public/link", "own/over");
	is_refused("own/over/file", words);
}

static void the_last_component_counts_with_a_slash_behind_it(void **state)
{
	(void)state;
	link_at("../own/deep", "public/last");
	is_followed("public/last");
	is_refused("public/last/", "public/last'");
}

static void links_of_another_user_are_refused(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	link_at("deep", "own/theirs");
	assert_int_equal(lchown(at("own/theirs"), 65534, 65534), 0);
	is_refused("own/theirs/file", "belongs to another user");
}

static void links_in_a_circle_end(void **state)
{
	(void)state;
	link_at("there", "own/here");
	link_at("here", "own/there");
	is_refused("own/here/file", "Too many levels of symbolic links");
}

static void a_link_in_the_place_of_a_file_is_replaced(void **state)
{
	struct err e = {0};
	struct stat st;

	(void)state;
	assert_int_equal(file_write(at("own/victim"), "precious", 8, &e), 0);
	link_at("../own/victim", "public/report");
	if (file_write(at("public/report"), "text", 4, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(lstat(at("public/report"), &st), 0);
	assert_true(S_ISREG(st.st_mode) && st.st_size == 4);
	assert_int_equal(stat(at("own/victim"), &st), 0);
	assert_int_equal(st.st_size, 8);
	link_at("../own/victim", "public/second");
	assert_int_equal(file_create(at("public/second"), "text", 4, &e), -1);
	assert_non_null(strstr(e.msg, "File exists"));
}

static unsigned mode_of(const char *name)
{
	struct stat st;

	assert_int_equal(lstat(at(name), &st), 0);
	return st.st_mode & 0777;
}

/* /dev/null is one for the whole host. */
static void what_is_no_ordinary_file_is_not_replaced(void **state)
{
	struct err e = {0};
	struct stat st;

	(void)state;
	assert_int_equal(mkfifo(at("own/node"), 0600), 0);
	link_at("node", "own/name");
	assert_int_equal(file_write(at("own/node"), "x", 1, &e), -1);
	assert_non_null(strstr(e.msg, "is no ordinary file"));
	assert_int_equal(file_write(at("own/name"), "x", 1, &e), -1);
	assert_int_equal(file_write(at("own/new"), "x", 1, &e), 0);
	assert_int_equal(file_move(at("own/new"), at("own/name"), 10, &e), -1);
	assert_int_equal(lstat(at("own/node"), &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	assert_int_equal(lstat(at("own/name"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
}

static void nothing_is_for_others_to_write(void **state)
{
	const mode_t old = umask(0);
	struct err e = {0};

	(void)state;
	assert_int_equal(file_write(at("written"), "x", 1, &e), 0);
	assert_int_equal(file_create(at("created"), "x", 1, &e), 0);
	assert_int_equal(file_mkdirs(at("made/deep"), &e), 0);
	assert_int_equal(chmod(at("written"), 0666), 0);
	assert_int_equal(file_move(at("written"), at("moved"), 10, &e), 0);
	(void)umask(077);
	assert_int_equal(file_write(at("private"), "x", 1, &e), 0);
	(void)umask(old);
	assert_int_equal(mode_of("created"), 0644);
	assert_int_equal(mode_of("moved"), 0644);
	assert_int_equal(mode_of("made"), 0755);
	assert_int_equal(mode_of("made/deep"), 0755);
	assert_int_equal(mode_of("private"), 0600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("links in a directory of one's own are followed",
			    links_in_a_directory_of_ones_own_are_followed),
		titled_test("links in a public directory are refused",
			    links_in_a_public_directory_are_refused),
		titled_test("the last component counts with a slash behind it",
			    the_last_component_counts_with_a_slash_behind_it),
		titled_test("links of another user are refused", links_of_another_user_are_refused),
		titled_test("links in a circle end", links_in_a_circle_end),
		titled_test("a link in the place of a file is replaced",
			    a_link_in_the_place_of_a_file_is_replaced),
		titled_test("what is no ordinary file is not replaced",
			    what_is_no_ordinary_file_is_not_replaced),
		titled_test("nothing is for others to write", nothing_is_for_others_to_write),
	};

	return cmocka_run_group_tests_name("base: files", tests, make_top, remove_top);
}
