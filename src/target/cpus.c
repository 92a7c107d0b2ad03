/* SPDX-License-Identifier: MIT */
#include "target/target.h"

#include "base/buf.h"
#include "base/mem.h"
#include "target/sys.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* "cpu3 user nice system idle iowait irq softirq steal ..." in ticks; what an old kernel does not
 * count is 0. Guest times, behind steal, are part of user and nice. */
static bool parse_line(const char *line, uint64_t ms_per_tick, struct cpu_times *t)
{
	uint64_t user, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, soft = 0, steal = 0;

	/* Numbers are the kernel's own; the total of all cores has none behind "cpu". */
	if (sscanf(line,
		   "cpu%" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64 " %" SCNu64,
		   &t->cpu, &user, &nice, &system, &idle, &iowait, &irq, &soft, &steal) < 5 ||
	    !strncmp(line, "cpu ", 4))
		return false;
	t->user_ms = (user + nice) * ms_per_tick;
	t->system_ms = system * ms_per_tick;
	t->irq_ms = (irq + soft) * ms_per_tick;
	t->steal_ms = steal * ms_per_tick;
	t->iowait_ms = iowait * ms_per_tick;
	t->idle_ms = idle * ms_per_tick;
	return true;
}

void target_cpu_times(struct cpu_times **out, size_t *nr)
{
	long ticks_per_s = sysconf(_SC_CLK_TCK);
	struct buf all = BUF_INIT;
	size_t cap = 0;
	char *save = NULL;

	*out = NULL;
	*nr = 0;
	if (ticks_per_s > 0 && ticks_per_s <= 1000 && sys_read_all(&all, "/proc/stat") && all.len)
		for (char *s = strtok_r(all.text, "\n", &save); s && !strncmp(s, "cpu", 3);
		     s = strtok_r(NULL, "\n", &save)) {
			VEC_GROW(*out, *nr, cap);
			*nr += parse_line(s, 1000 / (uint64_t)ticks_per_s, &(*out)[*nr]);
		}
	buf_release(&all);
}

static uint64_t passed(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

size_t target_cpu_subtract(struct cpu_times *after, size_t nr_after, const struct cpu_times *before,
			   size_t nr_before)
{
	size_t nr = 0;

	for (size_t i = 0, j = 0; i < nr_after; i++) {
		struct cpu_times *a = &after[nr];
		const struct cpu_times *b;

		*a = after[i];
		while (j < nr_before && before[j].cpu < a->cpu)
			j++;
		if (j == nr_before || before[j].cpu != a->cpu)
			continue;
		b = &before[j];
		a->user_ms = passed(b->user_ms, a->user_ms);
		a->system_ms = passed(b->system_ms, a->system_ms);
		a->irq_ms = passed(b->irq_ms, a->irq_ms);
		a->steal_ms = passed(b->steal_ms, a->steal_ms);
		a->iowait_ms = passed(b->iowait_ms, a->iowait_ms);
		a->idle_ms = passed(b->idle_ms, a->idle_ms);
		nr++;
	}
	return nr;
}
