/* SPDX-License-Identifier: MIT */
/* A run and a measurement with every member filled, for the tests of the store. */
#ifndef STORE_FIXTURE_H
#define STORE_FIXTURE_H

#include "base/mem.h"
#include "base/num.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIXTURE_INTERVALS 50

static inline struct point_spec fixture_spec(uint32_t iodepth)
{
	return (struct point_spec){.rw = RW_RANDRW,
				   .iodepth = iodepth,
				   .workers = 2,
				   .rwmixread_pct = 70,
				   .random_pct = 100,
				   .span_e4 = 125000,
				   .bs_bytes = 4096,
				   .span_bytes = 1ULL << 30,
				   .offset_bytes = 8192,
				   .repeat = 1};
}

/* Text members are literals: release with free would be wrong, and none is done. */
static inline struct run_info fixture_run(void)
{
	static char key[] = "0123456789abcdef", name[] = "fixture", text[] = "axes: {}\n",
		    command[] = "lunsweep run 'a b'", version[] = "0.1.0", git[] = "abc",
		    engine[] = "aio", given[] = "/dev/disk/by-id/x", resolved[] = "/dev/sdz",
		    identity[] = "wwid:naa.5000", label[] = "résumé über_lv_1 (copy)",
		    question[] = "Where does it saturate?";

	return (struct run_info){.state = RUN_RUNNING,
				 .key = key,
				 .sweep_name = name,
				 .question = question,
				 .sweep_text = text,
				 .command = command,
				 .tool_version = version,
				 .git_id = git,
				 .engine = engine,
				 .seed = UINT64_MAX - 5,
				 .target_given = given,
				 .target_resolved = resolved,
				 .target_identity = identity,
				 .target_label = label,
				 .target_size_bytes = 1ULL << 40,
				 .target_queue_limit = 64,
				 .caps = {{LAT_MEAN, 10000000}, {LAT_P999, 20000000}},
				 .nr_caps = 2};
}

static inline void fixture_sums(struct measurement *m, enum dir d, uint64_t ios, uint64_t lat_ns)
{
	hist_init(m->lat[d]);
	for (uint64_t i = 0; i < ios; i++) {
		uint64_t ns = lat_ns + i * 1000;
		struct dir_sums *s = &m->worker[i % 2].dir[d];

		hist_add(m->lat[d], ns);
		s->ios++;
		s->bytes += m->spec.bs_bytes;
		s->lat_ns += ns;
		s->slat_ns += 700;
		m->worker[i % 2].lat_sq_ns2[d] += (double)ns * (double)ns;
		m->series[i % FIXTURE_INTERVALS].ios[d]++;
		m->series[i % FIXTURE_INTERVALS].lat_ns[d] += ns;
		if (ns > m->series[i % FIXTURE_INTERVALS].lat_max_ns[d])
			m->series[i % FIXTURE_INTERVALS].lat_max_ns[d] = ns;
	}
}

static inline void fixture_measurement(struct measurement *m, uint32_t iodepth, uint32_t seq)
{
	struct point_spec spec = fixture_spec(iodepth);

	measurement_init(m, &spec);
	m->seq = seq;
	m->status = POINT_OK;
	m->seed = UINT64_MAX - 5;
	m->start_wall_ns = 1700000000000000000;
	m->end_wall_ns = 1700000006000000000;
	m->ramp_ns = 1000000000;
	m->window_ns = 5000000000;
	m->drain_ns = 3000000;
	m->interval_ns = 100000000;
	m->nr_intervals = FIXTURE_INTERVALS;
	m->depth_mean = iodepth - 0.5;
	m->depth_max = iodepth;
	m->little_rel = 0.0001;
	m->buffer_bytes = 8192;
	m->worker = xcalloc(2, sizeof(*m->worker));
	m->series = xcalloc(FIXTURE_INTERVALS, sizeof(*m->series));
	m->worker[0] = (struct worker_result){.iodepth = iodepth / 2,
					      .depth_mean = iodepth / 2.0,
					      .depth_max = iodepth,
					      .cpu_user_ns = 11,
					      .cpu_sys_ns = 12,
					      .cpu_run_ns = 13,
					      .cpu_wait_ns = 14,
					      .voluntary_switches = 15,
					      .submit_ns = 16};
	m->worker[1] = (struct worker_result){.iodepth = iodepth - iodepth / 2, .depth_mean = 1};
	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++) {
		m->lat[d] = xmalloc(sizeof(*m->lat[d]));
		fixture_sums(m, d, d == DIR_READ ? 1400 : 600, 100000);
	}
	m->before = (struct dev_counters){true, 1, 2, 3, 4, 5, 6, 7, 8, 9};
	m->after = (struct dev_counters){true, 101, 102, 103, 104, 105, 106, 0, 2508, 109};
	m->bottom_before = (struct dev_counters){true, 11, 12, 13, 14, 15, 16, 17, 18, 19};
	m->bottom_after = (struct dev_counters){true, 111, 112, 113, 114, 115, 116, 0, 518, 119};
	m->counters_ns = 5000000000;
	m->nr_cpus = 2;
	m->cpu = xcalloc(2, sizeof(*m->cpu));
	m->cpu[0] = (struct cpu_times){0, 500, 1000, 250, 50, 200, 3000};
	m->cpu[1] = (struct cpu_times){3, 0, 0, 0, 0, 0, 5000};
	measurement_flag(m, FLAG_QUEUE_LIMITED, "asked %u, limit %u", iodepth, 64U);
}

/* A fresh directory below TMPDIR; *path becomes DIR/db. The caller removes it by
 * fixture_remove. */
static inline char *fixture_dir(void)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = xasprintf("%s/lunsweep-test-XXXXXX", tmp ? tmp : "/tmp");

	if (!mkdtemp(dir)) {
		perror(dir);
		abort();
	}
	return dir;
}

static inline void fixture_remove(char *dir)
{
	static const char *const names[] = {"db",	  "db-wal", "db-shm",
					    "db-journal", "link",   "other"};

	for (size_t i = 0; i < NR(names); i++) {
		char *path = xasprintf("%s/%s", dir, names[i]);

		(void)unlink(path);
		free(path);
	}
	(void)rmdir(dir);
	free(dir);
}

#endif
