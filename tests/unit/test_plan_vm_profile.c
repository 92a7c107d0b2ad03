/* SPDX-License-Identifier: MIT */
/* VM profiles: what is taken, and what every mistake is told. */
#include "unit.h"

#include "base/buf.h"
#include "base/mem.h"
#include "plan/vm_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEB "  - {name: web, iops: 25, capacity: 40G, read: 80%"
#define DB  "  - {name: db, iops: 150, capacity: 100G, read: 60%"

static void parse_ok(struct vm_population *p, const char *text)
{
	struct err e = {0};

	if (vm_profile_parse(p, "vm.yaml", text, strlen(text), &e))
		fail_msg("%s", e.msg);
}

static void test_counts(void **state)
{
	struct vm_population p;
	struct vm_need mean;

	(void)state;
	parse_ok(&p, "version: 1\nprofiles:\n" WEB ", count: 3}\n" DB ", count: 1}\n");
	assert_int_equal(p.nr, 2);
	assert_string_equal(p.v[1].name, "db");
	assert_within(p.v[0].share, 0.75, 0);
	assert_within(p.v[0].need.capacity_bytes, 40.0 * (1 << 30), 0);
	assert_within(p.v[1].need.read_share, 0.6, 1e-12);
	mean = vm_population_mean(&p);
	assert_within(mean.iops, (3 * 25 + 150) / 4.0, 1e-12);
	assert_within(mean.capacity_bytes, (3 * 40 + 100) / 4.0 * (1 << 30), 1e-3);
	/* Reads by IOPS, not by VMs, of which the mean would be 0.75. */
	assert_within(mean.read_share, (3 * 25 * 0.8 + 150 * 0.6) / (3 * 25 + 150), 1e-12);
	vm_population_release(&p);
}

static void test_shares(void **state)
{
	struct vm_population counts, shares;

	(void)state;
	parse_ok(&counts, "profiles:\n" WEB ", count: 30}\n" DB ", count: 10}\n");
	parse_ok(&shares, "profiles:\n" WEB ", share: 75%}\n" DB ", share: 25%}\n");
	for (size_t i = 0; i < 2; i++)
		assert_within(shares.v[i].share, counts.v[i].share, 1e-12);
	vm_population_release(&counts);
	vm_population_release(&shares);
}

static void test_one(void **state)
{
	struct vm_population p;

	(void)state;
	parse_ok(&p,
		 "profiles:\n  - name: any\n    iops: 0.5\n    capacity: 512M\n    read: 100%\n");
	assert_within(p.v[0].share, 1, 0);
	assert_within(vm_population_mean(&p).iops, 0.5, 0);
	vm_population_release(&p);
	parse_ok(&p, "profiles: [{name: any, iops: 1, capacity: 1G, read: 0%, count: 7}]\n");
	assert_within(p.v[0].share, 1, 0);
	vm_population_release(&p);
}

static const struct {
	const char *text, *message;
} mistakes[] = {
	{"", "vm.yaml:1:1: the VM profile file is empty"},
	{"web", "vm.yaml:1:1: a VM profile file must be a mapping of keys to values, not a single "
		"value"},
	{"version: 1\n", "vm.yaml:1:1: the VM profile file lacks the key 'profiles'"},
	{"version: 2\n", "vm.yaml:1:10: version '2' is not known; this program reads version 1"},
	{"version: [1]\n", "vm.yaml:1:10: version must be a single value, not a list"},
	{"profile: []\n",
	 "vm.yaml:1:1: unknown key 'profile'; the keys of a VM profile file are version, profiles"},
	{"[a]: 1\n", "vm.yaml:1:1: a key must be a single value, not a list"},
	{"profiles:\n" WEB "}\nprofiles: []\n",
	 "vm.yaml:3:1: key 'profiles' is given twice; the first is in line 1"},
	{"profiles: []\n", "vm.yaml:1:11: profiles must be a list of profiles, with one at least"},
	{"profiles: {name: web}\n",
	 "vm.yaml:1:11: profiles must be a list of profiles, with one at least"},
	{"profiles:\n  - web\n",
	 "vm.yaml:2:5: a profile must be a mapping of keys to values, not a single value"},
	{"profiles: &all [*all]\n",
	 "vm.yaml:1:11: a profile must be a mapping of keys to values, not a list"},
	{"profiles:\n" WEB ", iops: 3}\n",
	 "vm.yaml:2:53: key 'iops' is given twice; the first is in line 2"},
	{"profiles:\n  - {name: web, IOPS: 5}\n",
	 "vm.yaml:2:17: unknown key 'IOPS'; the keys of a profile are name, iops, capacity, read, "
	 "count, share"},
	{"profiles:\n  - iops: 25\n    capacity: 40G\n    read: 80%\n",
	 "vm.yaml:2:5: this profile lacks the key 'name'"},
	{"profiles:\n  - {name: web, iops: 25, capacity: 40G}\n",
	 "vm.yaml:2:5: this profile lacks the key 'read'"},
	{"profiles:\n  - {name: '', iops: 25}\n",
	 "vm.yaml:2:12: a profile needs a name that is not empty"},
	{"profiles:\n  - {name: \"a\\0b\"}\n", "vm.yaml:2:12: name holds a NUL character"},
	{"profiles:\n" WEB ", count: 1}\n" WEB ", count: 1}\n",
	 "vm.yaml:3:12: a profile before this one is called 'web' too"},
	{"profiles:\n  - {name: web, iops: 12x}\n", "vm.yaml:2:23: iops: '12x' is not a number"},
	{"profiles:\n  - {name: web, iops: -1}\n", "vm.yaml:2:23: iops: '-1' is not a number"},
	{"profiles:\n  - {name: web, iops: 0}\n",
	 "vm.yaml:2:23: iops: '0': a VM does more than 0 IOPS"},
	{"profiles:\n  - {name: web, iops: [1, 2]}\n",
	 "vm.yaml:2:23: iops must be a single value, not a list"},
	{"profiles:\n  - {name: web, iops: }\n", "vm.yaml:2:23: iops: '' is not a number"},
	{"profiles:\n  - name: web\n    capacity: 40GB\n",
	 "vm.yaml:3:15: capacity: '40GB' is not a size: 'GB' is no unit, use k, M, G or T "
	 "(1024-based)"},
	{"profiles:\n  - name: web\n    capacity: 0\n",
	 "vm.yaml:3:15: capacity: '0': a VM takes more than 0 bytes"},
	{"profiles:\n  - name: web\n    read: 0.7\n",
	 "vm.yaml:3:11: read: '0.7' is not a per cent: it must end with %"},
	{"profiles:\n  - name: web\n    read: 101%\n",
	 "vm.yaml:3:11: read: '101%' is more than 100%"},
	{"profiles:\n" WEB ", count: 0}\n",
	 "vm.yaml:2:60: count: '0': a profile of no VM is left out"},
	{"profiles:\n" WEB ", share: 0%}\n",
	 "vm.yaml:2:60: share: '0%': a profile of no VM is left out"},
	{"profiles:\n" WEB ", share: 90%}\n",
	 "vm.yaml:2:3: the shares of the profiles are 90% together, not 100%"},
	{"profiles:\n" WEB ", count: 1, share: 100%}\n",
	 "vm.yaml:2:5: this profile has both a count and a share; one of them says how many of the "
	 "VMs are so"},
	{"profiles:\n" WEB ", count: 1}\n" DB ", share: 50%}\n",
	 "vm.yaml:3:5: how many VMs are so must be said alike in all profiles: a count in each, or "
	 "a share in each"},
	{"profiles:\n" WEB "}\n" DB "}\n",
	 "vm.yaml:2:3: several profiles need a count each, or a share each"},
	{"profiles:\n\t- name: web\n",
	 "vm.yaml:2:1: this is no YAML: while scanning for the next token, found character that "
	 "cannot start any token; indent with spaces, not with tabs"},
	{"profiles:\n" WEB "}\n---\nprofiles: []\n",
	 "vm.yaml:3:1: a second document begins here; a file holds one"},
};

static void test_mistakes(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(mistakes); i++) {
		struct vm_population p;
		struct err e = {0};

		if (!vm_profile_parse(&p, "vm.yaml", mistakes[i].text, strlen(mistakes[i].text),
				      &e))
			fail_msg("accepted: %s", mistakes[i].text);
		assert_string_equal(e.msg, mistakes[i].message);
		assert_int_equal(e.code, ERR_SPEC);
		vm_population_release(&p);
	}
}

static void test_too_many(void **state)
{
	struct buf b = BUF_INIT;
	struct vm_population p;
	struct err e = {0};

	(void)state;
	buf_addstr(&b, "profiles:\n");
	for (int i = 0; i < 1001; i++)
		buf_addf(&b, "- {name: n%d, iops: 1, capacity: 1G, read: 50%%, count: 1}\n", i);
	assert_int_equal(vm_profile_parse(&p, "vm.yaml", b.text, b.len, &e), -1);
	assert_string_equal(e.msg, "vm.yaml:1002:3: there are more than 1000 profiles");
	vm_population_release(&p);
	buf_release(&b);
}

static void test_file(void **state)
{
	char *path = xasprintf("%s/vm-profile.yaml", getenv("TEST_DATA"));
	struct vm_population p;
	struct err e = {0};

	(void)state;
	assert_int_equal(vm_profile_load(&p, path, &e), 0);
	assert_int_equal(p.nr, 3);
	vm_population_release(&p);
	free(path);
	assert_int_equal(vm_profile_load(&p, "none.yaml", &e), -1);
	assert_int_equal(e.code, ERR_SPEC);
	vm_population_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("counts become shares, and the mean VM reads by IOPS", test_counts),
		titled_test("shares say the same as counts", test_shares),
		titled_test("a single profile needs neither", test_one),
		titled_test("each mistake is told with its line and column", test_mistakes),
		titled_test("a thousand profiles are enough", test_too_many),
		titled_test("a file is read, and one that is not there is an error", test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
