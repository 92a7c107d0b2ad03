/* SPDX-License-Identifier: MIT */
/* Reports to test with: points given as tables, with the answers that the analyses find. */
#ifndef REPORT_FIXTURE_H
#define REPORT_FIXTURE_H

#include "analyze/cap.h"
#include "analyze/curve.h"
#include "analyze/knee.h"
#include "analyze/response.h"
#include "base/mem.h"
#include "base/num.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GIB (1ULL << 30)

struct fixture {
	struct run_info info;
	struct point *point;
	size_t nr, cap;
	struct curve *curve;
	size_t nr_curves;
	struct report_curve *answers;
	struct cap_answer *cap_answers;
	struct response *response;
	size_t nr_responses;
	struct report_response *load_answers;
	struct response_cap *load_cap_answers;
	const struct search_answer **searches; /* none: all NULL */
	struct cap caps[RUN_MAX_CAPS];
	unsigned nr_caps;
	struct report_run run;
	struct report report;
};

static inline struct point *fixture_add(struct fixture *f, enum rw_mode rw, uint64_t span_bytes,
					uint32_t iodepth, double iops, double mean_ms,
					double p99_ms)
{
	struct point *p;

	VEC_GROW(f->point, f->nr, f->cap);
	p = &f->point[f->nr++];
	*p = (struct point){.status = POINT_OK,
			    .seq = (uint32_t)f->nr,
			    .run_id = 1,
			    .rate_iops = UNKNOWN,
			    .arrivals = UNKNOWN,
			    .backlog = UNKNOWN,
			    .late_p50_ns = UNKNOWN,
			    .late_p99_ns = UNKNOWN,
			    .late_max_ns = UNKNOWN};
	p->spec = (struct point_spec){.rw = rw,
				      .iodepth = iodepth,
				      .workers = 1,
				      .rwmixread_pct = rw_reads(rw) ? 100 : 0,
				      .random_pct = rw_is_random(rw) ? 100 : 0,
				      .bs_bytes = 4096,
				      .span_bytes = span_bytes,
				      .repeat = 1};
	p->window_s = p->ramp_s = p->drain_s = UNKNOWN;
	p->depth_mean = p->depth_max = p->util_pct = p->cpu_pct = UNKNOWN;
	for (enum dir d = 0; d < DIR_NR; d++)
		figures_clear(&p->dir[d]);
	p->dir[DIR_TOTAL].iops = iops;
	p->dir[DIR_TOTAL].mib_s = iops * 4096 / 1048576;
	p->dir[DIR_TOTAL].lat_mean_ns = mean_ms * 1e6;
	p->dir[DIR_TOTAL].lat_p99_ns = p99_ms * 1e6;
	return p;
}

static inline void fixture_fail(struct point *p, enum point_status status, const char *reason)
{
	p->status = status;
	p->reason = reason ? xstrdup(reason) : NULL;
	figures_clear(&p->dir[DIR_TOTAL]);
}

static inline void fixture_add_cap(struct fixture *f, enum lat_stat stat, double limit_ms)
{
	f->caps[f->nr_caps++] = (struct cap){stat, (uint64_t)(limit_ms * 1e6 + 0.5)};
}

static inline void fixture_init(struct fixture *f)
{
	*f = (struct fixture){.info = {.id = 1, .state = RUN_FINISHED, .imported = true}};
	f->info.sweep_name = xstrdup("ult-lun-sizing");
	f->info.target_given = xstrdup("ULT array");
}

/* Let the analyses answer; the report is ready then. */
static inline void fixture_analyze(struct fixture *f)
{
	curves_build(f->point, f->nr, 0, &f->curve, &f->nr_curves);
	f->answers = xcalloc(f->nr_curves + 1, sizeof(*f->answers));
	f->cap_answers = xcalloc(f->nr_curves * f->nr_caps + 1, sizeof(*f->cap_answers));
	f->searches = xcalloc(f->nr_caps + 1, sizeof(*f->searches));
	for (size_t i = 0; i < f->nr_curves; i++) {
		f->answers[i] = (struct report_curve){.curve = &f->curve[i],
						      .cap = &f->cap_answers[i * f->nr_caps],
						      .search = f->searches};
		knee_find(&f->curve[i], f->info.target_queue_limit, &f->answers[i].knee);
		for (unsigned c = 0; c < f->nr_caps; c++)
			cap_find(&f->curve[i], f->caps[c], &f->answers[i].cap[c]);
	}
	responses_build(f->point, f->nr, 0, &f->response, &f->nr_responses);
	f->load_answers = xcalloc(f->nr_responses + 1, sizeof(*f->load_answers));
	f->load_cap_answers =
		xcalloc(f->nr_responses * f->nr_caps + 1, sizeof(*f->load_cap_answers));
	for (size_t i = 0; i < f->nr_responses; i++) {
		f->load_answers[i] =
			(struct report_response){.response = &f->response[i],
						 .cap = &f->load_cap_answers[i * f->nr_caps],
						 .search = f->searches};
		for (unsigned c = 0; c < f->nr_caps; c++)
			response_find_cap(&f->response[i], f->caps[c], &f->load_answers[i].cap[c]);
	}
	f->run = (struct report_run){.info = &f->info,
				     .points = f->point,
				     .nr_points = f->nr,
				     .curves = f->answers,
				     .nr_curves = f->nr_curves,
				     .responses = f->load_answers,
				     .nr_responses = f->nr_responses,
				     .caps = f->caps,
				     .nr_caps = f->nr_caps};
	f->report = (struct report){.runs = &f->run, .nr_runs = 1};
}

static inline void fixture_release(struct fixture *f)
{
	for (size_t i = 0; i < f->nr; i++)
		point_release(&f->point[i]);
	free(f->point);
	curves_free(f->curve, f->nr_curves);
	free(f->answers);
	free(f->cap_answers);
	free(f->searches);
	responses_free(f->response, f->nr_responses);
	free(f->load_answers);
	free(f->load_cap_answers);
	run_info_release(&f->info);
	*f = (struct fixture){0};
}

/* The tables of the ULT study; false when the file cannot be read. */
static inline bool fixture_load_ult(struct fixture *f)
{
	char *path = xasprintf("%s/ult-lun-sizing.csv", getenv("TEST_DATA"));
	FILE *in = fopen(path, "r");
	char line[256], mode[32];
	unsigned test, span_gb, lun_gb, qd;
	double iops, lat_ms, util_pct;

	free(path);
	if (!in)
		return false;
	while (fgets(line, sizeof(line), in)) {
		if (sscanf(line, "%u,%u,%u,%31[a-z],%u,4K,%lf,%lf,%lf", &test, &span_gb, &lun_gb,
			   mode, &qd, &iops, &lat_ms, &util_pct) != 8)
			continue;
		fixture_add(f, rw_find(mode), span_gb * GIB, qd, iops, lat_ms, UNKNOWN)->util_pct =
			util_pct;
	}
	(void)fclose(in);
	return f->nr == 72;
}

/* Figures of both directions of a mixed point, of which share are reads. */
static inline void fixture_mix(struct point *p, double share)
{
	p->spec.rwmixread_pct = (uint32_t)(share * 100 + 0.5);
	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++) {
		double part = d == DIR_READ ? share : 1 - share;

		p->dir[d] = p->dir[DIR_TOTAL];
		p->dir[d].iops *= part;
		p->dir[d].mib_s *= part;
	}
}

/* A small run in which everything happened: a failed point, a spoiled one, one at a queue limit,
 * a mix, and an end before its time; and names that no reader should trust. */
static inline void fixture_load_mini(struct fixture *f)
{
	struct point *p;

	fixture_init(f);
	f->info.imported = false;
	f->info.state = RUN_INTERRUPTED;
	f->info.question = xstrdup("Does everything show?");
	free(f->info.target_given);
	f->info.target_given = xstrdup("/srv/r\xc3\xa9sum\xc3\xa9 \xc3\xbc"
				       "ber_lv_1 (copy).img");
	f->info.target_label = xstrdup("x'\"; system(\"touch pwned\") `touch pwned` {_a}");
	f->info.target_size_bytes = 12 * GIB;
	f->info.target_queue_limit = 4;
	f->info.start_wall_ns = 1767225600000000000;
	f->info.end_wall_ns = f->info.start_wall_ns + 61000000000;
	f->info.seed = 7;
	facts_set(&f->info.facts, "host.kernel", "6.1.0");
	facts_set(&f->info.facts, "queue.scheduler", "none");
	fixture_add(f, RW_RANDREAD, GIB, 1, 1000, 1, 2);
	fixture_fail(fixture_add(f, RW_RANDREAD, GIB, 2, 1, 1, 1), POINT_FAILED,
		     "Input/output error at offset 40960");
	fixture_add(f, RW_RANDREAD, GIB, 4, 3000, 1.33, 3);
	p = fixture_add(f, RW_RANDREAD, GIB, 8, 3050, 2.62, 5);
	p->flags = FLAG_BIT(FLAG_QUEUE_LIMITED);
	p->depth_mean = 7.98;
	p->util_pct = 99.5;
	fixture_add(f, RW_RANDREAD, 2 * GIB, 1, 900, 1.11, 2);
	p = fixture_add(f, RW_RANDREAD, 2 * GIB, 2, 700, 2.8, 2900);
	p->flags = FLAG_BIT(FLAG_STALL) | FLAG_BIT(FLAG_UNSTEADY);
	fixture_add(f, RW_RANDREAD, 2 * GIB, 4, 2500, 1.6, 3);
	fixture_fail(fixture_add(f, RW_RANDREAD, 2 * GIB, 8, 1, 1, 1), POINT_PLANNED, NULL);
	fixture_mix(fixture_add(f, RW_RANDRW, GIB, 1, 500, 2, 4), 0.7);
	fixture_mix(fixture_add(f, RW_RANDRW, GIB, 4, 1500, 2.6, 6), 0.7);
	fixture_add_cap(f, LAT_MEAN, 2);
	fixture_add_cap(f, LAT_P99, 4);
	fixture_analyze(f);
}

/* An M/D/1 queue of 1 ms under 20 to 120 % of its maximum, behind two closed loops that found it. */
static inline struct point *fixture_add_load(struct fixture *f, uint32_t pct, double iops,
					     double mean_ms, double p99_ms)
{
	struct point *p = fixture_add(f, RW_RANDREAD, GIB, 64, iops, mean_ms, p99_ms);

	p->spec.rate_e4 = pct * 10000;
	p->rate_iops = pct * 10;
	p->arrivals = pct * 100;
	p->backlog = 0;
	p->late_p50_ns = 5e3;
	p->late_p99_ns = 21e3;
	p->late_max_ns = 300e3;
	p->dir[DIR_TOTAL].lat_p50_ns = mean_ms * 0.8e6;
	p->depth_mean = iops * mean_ms / 1000;
	return p;
}

static inline void fixture_load_loads(struct fixture *f)
{
	struct point *p;

	fixture_init(f);
	f->info.imported = false;
	fixture_add(f, RW_RANDREAD, GIB, 1, 990, 1.01, 1.1);
	fixture_add(f, RW_RANDREAD, GIB, 64, 1000, 64, 65);
	fixture_add_load(f, 20, 200, 1.125, 2);
	fixture_add_load(f, 60, 600, 1.75, 4.5);
	p = fixture_add_load(f, 90, 899, 5.5, 21);
	p->flags = FLAG_BIT(FLAG_LATE_SUBMIT);
	p->late_p99_ns = 600e3;
	p = fixture_add_load(f, 120, 1000, 900, 1800);
	p->flags = FLAG_BIT(FLAG_RATE_MISSED);
	p->backlog = 1936;
	p = fixture_add_load(f, 100, 1, 1, 1);
	p->rate_iops = p->arrivals = p->backlog = p->depth_mean = UNKNOWN;
	p->late_p50_ns = p->late_p99_ns = p->late_max_ns = UNKNOWN;
	fixture_fail(p, POINT_PLANNED, NULL);
	fixture_add_cap(f, LAT_MEAN, 2);
	fixture_add_cap(f, LAT_P99, 30);
	fixture_analyze(f);
}

#endif
