/* SPDX-License-Identifier: MIT */
#include "target/target.h"

#include "base/buf.h"
#include "target/sys.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The value behind "name" and a colon in a file of such lines; false without. */
static bool find_value(struct buf *out, const char *path, const char *name)
{
	struct buf all = BUF_INIT;
	const char *s;
	bool found = false;

	buf_reset(out);
	if (sys_read_all(&all, path)) {
		s = strstr(buf_text(&all), name);
		s = s ? strchr(s, ':') : NULL;
		if (s) {
			s += 1 + strspn(s + 1, " \t");
			buf_add(out, s, strcspn(s, "\n"));
			found = true;
		}
	}
	buf_release(&all);
	return found;
}

static void add_line(struct facts *f, const char *fact, const char *path)
{
	struct buf b = BUF_INIT;

	if (sys_read(&b, "%s", path))
		facts_set(f, fact, buf_text(&b));
	buf_release(&b);
}

void target_host_facts(struct facts *f)
{
	struct buf b = BUF_INIT;
	struct utsname un;

	if (uname(&un) == 0) {
		facts_set(f, "host.name", un.nodename);
		facts_setf(f, "host.kernel", "%s %s %s", un.sysname, un.release, un.machine);
	}
	if (find_value(&b, "/proc/cpuinfo", "model name"))
		facts_set(f, "host.cpu_model", buf_text(&b));
	facts_setf(f, "host.cpus", "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	if (find_value(&b, "/proc/meminfo", "MemTotal"))
		facts_set(f, "host.memory", buf_text(&b));
	add_line(f, "host.clocksource",
		 "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	add_line(f, "host.transparent_hugepage", "/sys/kernel/mm/transparent_hugepage/enabled");
	add_line(f, "host.aio_max_nr", "/proc/sys/fs/aio-max-nr");
	add_line(f, "host.boot_id", "/proc/sys/kernel/random/boot_id");
	buf_release(&b);
}

uint64_t target_aio_left(void)
{
	uint64_t max = sys_read_u64("/proc/sys/fs/aio-max-nr");
	uint64_t used = sys_read_u64("/proc/sys/fs/aio-nr");

	if (!max)
		return UINT64_MAX;
	return used < max ? max - used : 0;
}

uint64_t target_memory_available(void)
{
	struct buf b = BUF_INIT;
	uint64_t kib = UINT64_MAX / 1024;

	if (find_value(&b, "/proc/meminfo", "MemAvailable"))
		kib = strtoull(buf_text(&b), NULL, 10);
	buf_release(&b);
	return kib * 1024;
}
