/* SPDX-License-Identifier: MIT */
#include "cmd/fio_jobs.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/units.h"
#include "plan/sweep.h"
#include "report/fio_job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What the sweep says about every job; stop_rule holds the text. */
static struct fio_job job_of_sweep(const struct sweep *s, struct buf *stop_rule)
{
	if (!s->runtime_ns) {
		buf_addstr(stop_rule, "until the 95 % interval is within ");
		buf_add_percent(stop_rule, s->precision_e4);
		buf_addstr(stop_rule, ", from ");
		buf_add_duration(stop_rule, s->min_ns);
		buf_addstr(stop_rule, " to ");
		buf_add_duration(stop_rule, s->max_ns);
	}
	return (struct fio_job){.name = s->name,
				.question = s->question,
				.stop_rule = stop_rule->len ? buf_text(stop_rule) : NULL,
				.engine = s->engine,
				.compress_pct = s->compress_pct,
				.arrivals = s->arrivals,
				.spin = s->spin};
}

static double asked_rate(const struct point_spec *s)
{
	return s->rate_ask_iops ? (double)s->rate_ask_iops : UNKNOWN;
}

static uint64_t ns_of(double seconds, uint64_t unknown_ns)
{
	return seconds > 0 ? (uint64_t)(seconds * (double)NS_PER_S) : unknown_ns;
}

static struct fio_point job_of_point(const struct point *p, const struct sweep *s)
{
	bool is_measured = p->status == POINT_OK || p->status == POINT_NO_IO;

	return (struct fio_point){
		.spec = &p->spec,
		.seq = p->seq,
		.rate_iops = isnan(p->rate_iops) ? asked_rate(&p->spec) : p->rate_iops,
		.ramp_ns = s->ramp_ns,
		.runtime_ns = is_measured ? ns_of(p->window_s, s->max_ns) : s->max_ns,
		.left_out = p->status != POINT_SKIPPED ? NULL
			    : p->reason		       ? p->reason
						       : "it was skipped"};
}

/* As they were measured: a budget takes them in another order than the plan, and anchors come when their
 * curve is done. Those that never began are behind them. */
static int in_run_order(const void *a, const void *b)
{
	const struct point *pa = *(const struct point *const *)a,
			   *pb = *(const struct point *const *)b;

	if (!pa->start_wall_ns != !pb->start_wall_ns)
		return pa->start_wall_ns ? -1 : 1;
	if (pa->start_wall_ns != pb->start_wall_ns)
		return pa->start_wall_ns < pb->start_wall_ns ? -1 : 1;
	return (pa->seq > pb->seq) - (pa->seq < pb->seq);
}

static int load_sweep(const struct run_info *run, struct sweep *s, struct err *e)
{
	const char *text = run->sweep_text ? run->sweep_text : "";

	sweep_init(s);
	if (sweep_parse(s, "sweep", text, strlen(text), e) || sweep_finish(s, e))
		return err_wrap(e, "the sweep of run %" PRId64 " is not understood", run->id);
	return 0;
}

static int add_run(const struct run_info *run, const struct sweep *s, const struct point *points,
		   size_t nr, struct buf *b, struct err *e)
{
	struct buf stop_rule = BUF_INIT;
	struct fio_job job = job_of_sweep(s, &stop_rule);
	const struct point **order = xcalloc(nr + 1, sizeof(const struct point *));
	struct fio_point *v = xcalloc(nr ? nr : 1, sizeof(*v));
	char *origin = xasprintf("run %" PRId64, run->id);
	int rc;

	for (size_t i = 0; i < nr; i++)
		order[i] = &points[i];
	qsort(order, nr, sizeof(const struct point *), in_run_order);
	for (size_t i = 0; i < nr; i++)
		v[i] = job_of_point(order[i], s);
	job.origin = origin;
	job.name = run->sweep_name;
	job.question = run->question;
	job.path = run->target_resolved ? run->target_resolved : run->target_given;
	job.identity = run->target_identity;
	job.engine = run->engine;
	job.seed = run->seed;
	rc = buf_add_fio_jobs(b, &job, v, nr, e);
	free(origin);
	free(order);
	free(v);
	buf_release(&stop_rule);
	return rc;
}

int fio_jobs_of_run(const struct run_info *run, const struct point *points, size_t nr,
		    struct buf *b, struct err *e)
{
	struct sweep s;
	int rc;

	if (run->imported)
		return err_set(e, ERR_DATA,
			       "run %" PRId64 " was imported, so there is no target that fio could "
			       "be run on; 'lunsweep plan --format fio' makes jobs of a sweep",
			       run->id);
	rc = load_sweep(run, &s, e);
	if (!rc)
		rc = add_run(run, &s, points, nr, b, e);
	sweep_release(&s);
	return rc;
}

int fio_jobs_of_plan(const struct sweep *s, const struct plan *plan, const struct target_info *t,
		     struct buf *b, struct err *e)
{
	struct buf stop_rule = BUF_INIT;
	struct fio_job job = job_of_sweep(s, &stop_rule);
	struct fio_point *v = xcalloc(plan->nr ? plan->nr : 1, sizeof(*v));
	int rc;

	for (size_t i = 0; i < plan->nr; i++) {
		const struct plan_point *p = &plan->v[i];

		v[i] = (struct fio_point){&p->spec,   p->seq,	 asked_rate(&p->spec),
					  s->ramp_ns, s->max_ns, p->skip_reason};
	}
	job.origin = "a plan";
	job.path = t->resolved;
	job.identity = t->identity;
	job.seed = plan->seed;
	rc = buf_add_fio_jobs(b, &job, v, plan->nr, e);
	free(v);
	buf_release(&stop_rule);
	return rc;
}
