/* SPDX-License-Identifier: MIT */
/*
 * night [-v] [NIGHTS]: what the stopping rule does to a night of measuring, in virtual time. The 72
 * points of the ULT study are measured on the model of its array, each once for a fixed minute and
 * once until it is precise, by the real load loop and the real rule; only the clock and the
 * device are simulated. The truth of each point is a far longer run of the same.
 *
 * WRAP: clock_gettime
 */
#include "drive.h"
#include "model.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "run/stop.h"
#include "stats/ci.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What the study varied, in units of 10^9 bytes. */
static const uint64_t spans_gb[] = {500, 1000, 2000, 4000};
static const enum rw_mode modes[] = {RW_RANDREAD, RW_RANDWRITE};
#define NR_DEPTHS 9 /* 1, 2, 4 .. 256 */
#define NR_POINTS (NR(spans_gb) * NR(modes) * NR_DEPTHS)

#define BS_BYTES   4096
#define JUDGE_NS   NS_PER_S	    /* as the runner has it ... */
#define CLOSE_NS   (20 * NS_PER_MS) /* ... and how far ahead it closes the window */
#define MAX_NIGHTS 100
/* t(.975) for the fewest batches there are, as the rule has it. */
#define BATCHES_DF  19
#define NS_PER_S_F  ((double)NS_PER_S)
#define NS_PER_MS_F ((double)NS_PER_MS)

struct plan {
	const char *name;
	uint64_t ramp_ns, min_ns, max_ns;
	double precision; /* 0: for max_ns, whatever comes */
};

enum { FIXED, STOPPING, NR_PLANS };
static const struct plan plans[NR_PLANS] = {
	[FIXED] = {"fixed", 5 * NS_PER_S, 0, 60 * NS_PER_S, 0},
	[STOPPING] = {"until 2 %", 5 * NS_PER_S, 20 * NS_PER_S, 120 * NS_PER_S, 0.02},
};
static const struct plan truth_plan = {"truth", 60 * NS_PER_S, 0, 600 * NS_PER_S, 0};

/* ---- the clock ---- */

static uint64_t virtual_ns;

int __wrap_clock_gettime(clockid_t id, struct timespec *ts);
int __wrap_clock_gettime(clockid_t id, struct timespec *ts)
{
	(void)id;
	ts->tv_sec = (time_t)(virtual_ns / NS_PER_S);
	ts->tv_nsec = (long)(virtual_ns % NS_PER_S);
	return 0;
}

/* ---- an engine on the model, whose clock this is ---- */

struct sim {
	struct engine base;
	struct model model;
	struct model_request *requests; /* one an I/O, by its index */
	struct engine_io **ios;
	uint32_t *done; /* indexes, a ring of depth */
	uint32_t first, nr_done;
	const struct plan *plan;
	struct drive drive;
	uint64_t judged_ns;
	struct stop_state stop;
};

static struct sim *to_sim(struct engine *en)
{
	return (struct sim *)(void *)en;
}

static void sim_done(void *ctx, struct model_request *request)
{
	struct sim *s = ctx;

	s->done[(s->first + s->nr_done++) % s->base.depth] = (uint32_t)(request - s->requests);
}

static void sim_bind(struct engine *en, unsigned index, struct engine_io *io, int fd, void *data,
		     uint32_t len)
{
	struct sim *s = to_sim(en);

	(void)fd;
	(void)data;
	s->requests[index].length_bytes = len;
	s->ios[index] = io;
	io->prepared = &s->requests[index];
}

static int sim_submit(struct engine *en, struct engine_io *const *ios, unsigned nr)
{
	struct sim *s = to_sim(en);

	for (unsigned i = 0; i < nr; i++) {
		struct model_request *request = ios[i]->prepared;

		*request = (struct model_request){.offset_bytes = ios[i]->offset_bytes,
						  .length_bytes = request->length_bytes,
						  .is_write = ios[i]->is_write};
		model_submit(&s->model, (double)virtual_ns / NS_PER_MS_F, request);
	}
	return (int)nr;
}

/* Until something is done, or until then. */
static void sim_advance(struct sim *s, uint64_t until_ns)
{
	double due_ms;

	while (!s->nr_done && model_next(&s->model, &due_ms)) {
		uint64_t due_ns = (uint64_t)ceil(due_ms * NS_PER_MS_F);

		if (due_ns > until_ns)
			break;
		virtual_ns = due_ns > virtual_ns ? due_ns : virtual_ns;
		model_run(&s->model, due_ms);
	}
	if (!s->nr_done && until_ns > virtual_ns)
		virtual_ns = until_ns;
}

/* As the runner judges: once a second from the shortest time on. */
static void judge(struct sim *s)
{
	const struct load_control *c = &s->drive.control;
	const struct interval *series;
	size_t nr;

	if (!(s->plan->precision > 0) || s->stop.answer == STOP_PRECISE ||
	    virtual_ns < c->window_start_ns + s->plan->min_ns ||
	    virtual_ns < s->judged_ns + JUDGE_NS || virtual_ns + CLOSE_NS >= c->window_end_ns)
		return;
	nr = drive_intervals(&s->drive, &series);
	s->stop = stop_judge(series, nr, s->plan->precision);
	if (s->stop.answer != STOP_NOT_YET)
		s->judged_ns = virtual_ns;
	if (s->stop.answer == STOP_PRECISE)
		drive_end_at(&s->drive, virtual_ns + CLOSE_NS);
}

static int sim_reap(struct engine *en, struct engine_done *done, unsigned max, uint64_t wait_ns)
{
	struct sim *s = to_sim(en);
	unsigned n = 0;

	sim_advance(s, virtual_ns + wait_ns);
	judge(s);
	for (; n < max && s->nr_done; n++, s->nr_done--) {
		done[n].io = s->ios[s->done[s->first]];
		done[n].res = s->requests[s->done[s->first]].length_bytes;
		s->first = (s->first + 1) % s->base.depth;
	}
	return (int)n;
}

static const struct engine_ops sim_ops = {
	.name = "simulated", .bind = sim_bind, .submit = sim_submit, .reap = sim_reap};

/* ---- measuring ---- */

struct result {
	double used_s; /* with the ramp */
	double iops, lat_ns;
	double iops_half, lat_half; /* relative, of the 95 % intervals */
	enum stop_answer answer;
};

static struct sim *sim_new(const struct plan *plan, const struct point_spec *spec, uint64_t seed)
{
	struct sim *s = xcalloc(1, sizeof(*s));

	s->base = (struct engine){.ops = &sim_ops, .depth = spec->iodepth};
	s->requests = xcalloc(spec->iodepth, sizeof(*s->requests));
	s->ios = xcalloc(spec->iodepth, sizeof(*s->ios));
	s->done = xcalloc(spec->iodepth, sizeof(*s->done));
	s->plan = plan;
	virtual_ns = NS_PER_S;
	model_init(&s->model, sim_done, s);
	model_seed(&s->model, seed);
	drive_init(&s->drive, spec, &s->base, -1, seed, plan->ramp_ns, plan->max_ns);
	return s;
}

static void sim_free(struct sim *s)
{
	model_release(&s->model);
	drive_release(&s->drive);
	free(s->requests);
	free(s->ios);
	free(s->done);
	free(s);
}

static struct result measure(const struct plan *plan, const struct point_spec *spec, uint64_t seed)
{
	struct sim *s = sim_new(plan, spec, seed);
	struct measurement m;
	struct result r;
	struct figures f;

	if (drive_run(&s->drive))
		abort();
	drive_measurement(&s->drive, &m);
	measurement_figures(&m, DIR_TOTAL, &f);
	r = (struct result){
		.used_s = (double)(plan->ramp_ns + m.window_ns) / NS_PER_S_F,
		.iops = f.iops,
		.lat_ns = f.lat_mean_ns,
		.iops_half = f.iops_se_rel * t975(BATCHES_DF),
		.lat_half = f.lat_se_rel * t975(BATCHES_DF),
		.answer = s->stop.answer,
	};
	measurement_release(&m);
	sim_free(s);
	return r;
}

/* ---- what came of it ---- */

/* Of one plan over all points and nights. */
struct tally {
	double used_s;
	double iops_error[NR_POINTS * MAX_NIGHTS], lat_error[NR_POINTS * MAX_NIGHTS]; /* absolute */
	size_t nr, nr_covered[2], nr_known[2];
	size_t nr_unsteady, nr_imprecise;
};

/* The truth was measured too, so that the interval of the difference is a little wider. */
static void note_cover(struct tally *t, int which, double error, double half, double truth_half)
{
	if (isnan(half))
		return;
	t->nr_known[which]++;
	t->nr_covered[which] += error <= hypot(half, truth_half);
}

static void note(struct tally *t, const struct result *r, const struct result *truth)
{
	double iops = fabs(r->iops / truth->iops - 1), lat = fabs(r->lat_ns / truth->lat_ns - 1);

	t->used_s += r->used_s;
	t->iops_error[t->nr] = iops;
	t->lat_error[t->nr++] = lat;
	note_cover(t, 0, iops, r->iops_half, truth->iops_half);
	note_cover(t, 1, lat, r->lat_half, truth->lat_half);
	t->nr_unsteady += r->answer == STOP_UNSTEADY;
	t->nr_imprecise += r->answer == STOP_IMPRECISE;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_errors(const char *what, double *error, size_t nr, size_t covered, size_t known)
{
	qsort(error, nr, sizeof(*error), compare);
	printf("  %-7s  %6.2f %%  %6.2f %%  %6.2f %%  %7.1f %%\n", what, 100 * error[nr / 2],
	       100 * error[nr * 95 / 100], 100 * error[nr - 1],
	       known ? 100 * (double)covered / (double)known : UNKNOWN);
}

static void print_tally(const struct plan *plan, struct tally *t, size_t nights)
{
	double night_s = t->used_s / (double)nights;

	printf("\n%s: a night of %.0f s (%.1f min), %.1f s a point", plan->name, night_s,
	       night_s / 60, night_s / (double)NR_POINTS);
	if (plan->precision > 0)
		printf("; of %zu points %zu stayed imprecise, %zu unsteady", t->nr, t->nr_imprecise,
		       t->nr_unsteady);
	printf("\n  %-7s  %8s  %8s  %8s  %9s\n", "error of", "median", "95 %", "worst",
	       "in interval");
	print_errors("IOPS", t->iops_error, t->nr, t->nr_covered[0], t->nr_known[0]);
	print_errors("latency", t->lat_error, t->nr, t->nr_covered[1], t->nr_known[1]);
}

static struct point_spec point_at(size_t i)
{
	uint64_t span = spans_gb[i / NR_DEPTHS / NR(modes)] * 1000000000;

	return drive_spec(modes[i / NR_DEPTHS % NR(modes)], 1U << i % NR_DEPTHS, BS_BYTES, span);
}

static void print_result(const struct point_spec *spec, const struct result *truth,
			 const struct result *r)
{
	struct buf name = BUF_INIT;

	buf_add_point(&name, spec);
	printf("%-50s  %8.1f IOPS", buf_text(&name), truth->iops);
	for (int p = 0; p < NR_PLANS; p++)
		printf("  %5.1f s  %+6.2f %% +- %.2f %%", r[p].used_s,
		       100 * (r[p].iops / truth->iops - 1), 100 * r[p].iops_half);
	printf("\n");
	buf_release(&name);
}

int main(int argc, char **argv)
{
	static struct tally tallies[NR_PLANS];
	bool verbose = argc > 1 && !strcmp(argv[1], "-v");
	size_t nights = argc > 1 + verbose ? strtoul(argv[1 + verbose], NULL, 10) : 1;
	double truth_half = 0;

	if (nights < 1 || nights > MAX_NIGHTS || argc > 2 + verbose) {
		(void)fprintf(stderr, "usage: night [-v] [NIGHTS, at most %d]\n", MAX_NIGHTS);
		return 2;
	}
	for (size_t i = 0; i < NR_POINTS; i++) {
		struct point_spec spec = point_at(i);
		struct result truth = measure(&truth_plan, &spec, 1 + i), r[NR_PLANS];

		truth_half = fmax(truth_half, truth.iops_half);
		for (size_t n = 0; n < nights; n++) {
			for (int p = 0; p < NR_PLANS; p++) {
				/* Other random numbers for each. */
				r[p] = measure(&plans[p], &spec,
					       ((n + 1) * NR_PLANS + (size_t)p) * NR_POINTS + i +
						       1);
				note(&tallies[p], &r[p], &truth);
			}
			if (verbose)
				print_result(&spec, &truth, r);
		}
	}
	printf("%zu points of the ULT study on its array's model in virtual time, %zu night%s; the "
	       "truth is known to %.2f %%\n",
	       NR_POINTS, nights, nights == 1 ? "" : "s", 100 * truth_half);
	for (int p = 0; p < NR_PLANS; p++)
		print_tally(&plans[p], &tallies[p], nights);
	printf("\nThe stopping rule takes %.2f of the time of fixed points.\n",
	       tallies[STOPPING].used_s / tallies[FIXED].used_s);
	return 0;
}
