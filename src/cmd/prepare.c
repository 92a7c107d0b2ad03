/* SPDX-License-Identifier: MIT */
#include "cmd/prepare.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/rng.h"
#include "base/units.h"
#include "cmd/live.h"
#include "cmd/signals.h"
#include "report/one_line.h"
#include "run/fill.h"
#include "run/runner.h"
#include "stats/ci.h"
#include "target/guard.h"
#include "target/target.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DRAIN_TIMEOUT_NS (60 * NS_PER_S)

/* A log has a line of progress for each of these, and not more often than that. */
#define LINE_PERCENT 10
#define LINE_NS	     (10 * NS_PER_S)

/* A preparation in hand. */
struct prepare {
	struct prepare_job *job;
	struct store *store;
	struct target *target;
	uint64_t counted_ns; /* work.busy_ns counts up to here */
	/* Of the pass in hand, for its progress. */
	uint64_t begin_ns, begin_bytes;
	uint64_t line_ns, line_percent;
};

void prepare_job_release(struct prepare_job *job)
{
	if (job->lock_fd >= 0)
		(void)close(job->lock_fd);
	target_info_release(&job->info);
	preparation_release(&job->work);
}

static int save(struct prepare *p, struct err *e)
{
	uint64_t now = clock_now_ns();

	p->job->work.busy_ns += now - p->counted_ns;
	p->counted_ns = now;
	return store_save_preparation(p->store, &p->job->work, e);
}

static int save_filled(void *arg, uint64_t durable_bytes, struct err *e)
{
	struct prepare *p = arg;
	struct preparation *w = &p->job->work;

	w->pass_bytes = durable_bytes;
	if (durable_bytes == w->span_bytes) {
		w->passes_done++;
		w->pass_bytes = 0;
	}
	return save(p, e);
}

/* What stays longest in a narrow line has the lowest number. */
enum rank { RANK_WHERE, RANK_LEFT, RANK_SPEED, RANK_BYTES };

static void add_progress(const struct prepare *p, uint64_t written_bytes, struct one_line *l)
{
	const struct preparation *w = &p->job->work;
	uint64_t elapsed_ns = clock_now_ns() - p->begin_ns;
	double per_ns = (double)(written_bytes - p->begin_bytes) / (double)elapsed_ns;
	/* A pass may be counted as done already when its last progress is told. */
	uint64_t left = w->passes_done < w->passes ? w->passes - w->passes_done - 1 : 0;
	struct buf *part = one_line_part(l, RANK_WHERE);

	left = left * w->span_bytes + w->span_bytes - written_bytes;
	buf_addf(part, "fill [%" PRIu32 "/%" PRIu32 "] %.1f %%",
		 w->passes_done < w->passes ? w->passes_done + 1 : w->passes, w->passes,
		 100 * (double)written_bytes / (double)w->span_bytes);
	part = one_line_part(l, RANK_BYTES);
	buf_add_size_human(part, written_bytes);
	buf_addstr(part, " of ");
	buf_add_size_human(part, w->span_bytes);
	if (written_bytes == p->begin_bytes || !elapsed_ns)
		return;
	buf_addf(one_line_part(l, RANK_SPEED), "%.0f MiB/s",
		 per_ns * (double)NS_PER_S / (double)(1 << 20));
	part = one_line_part(l, RANK_LEFT);
	buf_addstr(part, "ETA ");
	buf_add_hms(part, (uint64_t)((double)left / per_ns));
}

static void show_fill(void *arg, uint64_t written_bytes)
{
	struct prepare *p = arg;
	const struct preparation *w = &p->job->work;
	uint64_t percent = written_bytes / (w->span_bytes / 100 + 1), now = clock_now_ns();
	bool is_line = percent >= p->line_percent + LINE_PERCENT && now >= p->line_ns + LINE_NS;
	struct one_line l = {.nr = 0};
	struct buf b = BUF_INIT;

	if (!is_line && !log_is_live())
		return;
	add_progress(p, written_bytes, &l);
	one_line_take(&l, log_is_live() ? log_width() : SIZE_MAX, &b);
	if (log_is_live()) {
		log_progress(buf_text(&b));
	} else {
		log_info("%s", buf_text(&b));
		p->line_ns = now;
		p->line_percent = percent;
	}
	buf_release(&b);
}

/* Random writes come when the passes are done, and a round counts only when it has ended: what one
 * that was cut short has written lies over the fill all the same. */
static bool is_overwritten(const struct preparation *w)
{
	return w->bs_bytes && w->passes_done == w->passes;
}

static struct fill_config fill_config(struct prepare *p)
{
	const struct preparation *w = &p->job->work;

	return (struct fill_config){
		.info = &p->job->info,
		.target = p->target,
		.engine = w->engine,
		.offset_bytes = w->offset_bytes,
		.span_bytes = w->span_bytes,
		.seed = w->seed,
		.pass = w->passes_done,
		.is_overwritten = is_overwritten(w),
		.drain_timeout_ns = DRAIN_TIMEOUT_NS,
		.nr_signals = &signals_nr,
		.progress = show_fill,
		.save = save_filled,
		.arg = p,
	};
}

static void say_pass(const struct prepare *p)
{
	const struct preparation *w = &p->job->work;
	uint64_t elapsed_ns = clock_now_ns() - p->begin_ns, bytes = w->span_bytes - p->begin_bytes;
	struct buf b = BUF_INIT;

	buf_addf(&b, "pass %" PRIu32 " of %" PRIu32 ": ", w->passes_done, w->passes);
	buf_add_size_human(&b, bytes);
	buf_addstr(&b, " written in ");
	buf_add_hms(&b, elapsed_ns);
	buf_addf(&b, ", %.0f MiB/s",
		 (double)bytes * (double)NS_PER_S / (double)elapsed_ns / (double)(1 << 20));
	log_info("%s", buf_text(&b));
	buf_release(&b);
}

/* Something may have been mounted or built on the target since the command began, or another one has
 * taken its name. */
static int check_use(const struct prepare *p, struct err *e)
{
	return guard_check_point(p->target, true, e) ? err_wrap(e, "not written any more") : 0;
}

static int fill(struct prepare *p, struct err *e)
{
	struct preparation *w = &p->job->work;

	while (w->passes_done < w->passes) {
		struct fill_config c = fill_config(p);

		if (check_use(p, e))
			return -1;
		p->begin_ns = p->line_ns = clock_now_ns();
		p->begin_bytes = w->pass_bytes;
		p->line_percent = w->pass_bytes / (w->span_bytes / 100 + 1);
		if (fill_pass(&c, w->pass_bytes, &p->job->is_stuck, e))
			return -1;
		say_pass(p);
	}
	return 0;
}

static void show_round(void *arg, const struct run_progress *rp)
{
	const struct preparation *w = &((const struct prepare *)arg)->job->work;
	struct one_line l = {.nr = 0};
	struct buf b = BUF_INIT, *part;

	buf_addf(one_line_part(&l, RANK_WHERE), "round %" PRIu32, w->rounds + 1);
	part = one_line_part(&l, RANK_SPEED);
	if (rp->iops > 0)
		buf_addf(part, "%.0f IOPS", rp->iops);
	part = one_line_part(&l, RANK_LEFT);
	buf_addstr(part, "at most ");
	buf_add_hms(part, w->max_ns);
	buf_addstr(part, " in all");
	one_line_take(&l, log_width(), &b);
	log_progress(buf_text(&b));
	buf_release(&b);
}

static struct runner *new_runner(struct prepare *p)
{
	const struct preparation *w = &p->job->work;
	struct runner_config c = {
		.info = &p->job->info,
		.target = p->target,
		.engine = w->engine,
		/* Another one than the fill's, and in each attempt. */
		.seed = rng_mix(w->seed + w->attempts),
		.runtime_ns = w->round_ns,
		.min_ns = w->round_ns,
		.max_ns = w->round_ns,
		.drain_timeout_ns = DRAIN_TIMEOUT_NS,
		.max_depth_per_worker = w->iodepth,
		.max_workers = 1,
		.nr_signals = &signals_nr,
		.progress = log_is_live() && !p->job->is_quiet ? show_round : NULL,
		.progress_arg = p,
	};

	return runner_new(&c);
}

/* What every round does; the number makes its sequence of blocks another one. */
static struct point_spec round_spec(const struct preparation *w, uint32_t round)
{
	return (struct point_spec){
		.rw = RW_RANDWRITE,
		.iodepth = w->iodepth,
		.workers = 1,
		.random_pct = 100,
		.bs_bytes = w->bs_bytes,
		.span_bytes = w->span_bytes - w->span_bytes % w->bs_bytes,
		.offset_bytes = w->offset_bytes,
		.repeat = round,
	};
}

/* The rounds in a row that count, the newest last. */
struct rounds {
	double iops[STEADY_ROUNDS];
	unsigned nr;
};

/* The first flag that spoils the round; FLAG_NR when it counts. */
static enum flag spoiled_by(const struct measurement *m)
{
	for (enum flag f = 0; f < FLAG_NR; f++)
		if (m->flags & FLAG_BIT(f) && flag_effect(f) == EFFECT_SPOILED)
			return f;
	return FLAG_NR;
}

static void say_round(const struct preparation *w, double lat_ns, enum flag spoiled, bool is_judged)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "round %" PRIu32 ": %.*f IOPS, %.2f ms", w->rounds, w->last_iops < 100 ? 1 : 0,
		 w->last_iops, lat_ns / (double)NS_PER_MS);
	if (spoiled != FLAG_NR)
		buf_addf(&b, "; %s: it does not count, and the %d rounds begin anew",
			 flag_name(spoiled), STEADY_ROUNDS);
	if (is_judged)
		buf_addf(&b, "; the last %d: range %.1f %%, slope %.1f %%", STEADY_ROUNDS,
			 100 * w->last_range, 100 * w->last_slope);
	log_info("%s", buf_text(&b));
	buf_release(&b);
}

/* True when there are enough rounds to judge. What others did to one round says nothing of the
 * target, and five that agree must follow each other. */
static bool judge_rounds(struct preparation *w, struct rounds *last, double iops, bool is_spoiled)
{
	if (is_spoiled) {
		last->nr = 0;
		w->last_range = w->last_slope = UNKNOWN;
		return false;
	}
	memmove(last->iops, last->iops + 1, (STEADY_ROUNDS - 1) * sizeof(*last->iops));
	last->iops[STEADY_ROUNDS - 1] = iops;
	if (++last->nr < STEADY_ROUNDS)
		return false;
	w->is_steady = rounds_steady(last->iops, &w->last_range, &w->last_slope);
	return true;
}

/* Keep the round, and judge the last five. */
static int take_round(struct prepare *p, const struct measurement *m, uint32_t nr,
		      struct rounds *last, struct err *e)
{
	struct preparation *w = &p->job->work;
	struct preparation_round round = {.round = nr,
					  .start_wall_ns = m->start_wall_ns,
					  .window_ns = m->window_ns,
					  .ios = measurement_sums(m, DIR_TOTAL).ios};
	enum flag spoiled = spoiled_by(m);
	bool is_judged;
	struct figures f;

	measurement_figures(m, DIR_TOTAL, &f);
	round.iops = w->last_iops = f.iops;
	round.lat_mean_ns = f.lat_mean_ns;
	w->rounds = nr;
	is_judged = judge_rounds(w, last, f.iops, spoiled != FLAG_NR);
	say_round(w, f.lat_mean_ns, spoiled, is_judged);
	if (store_add_round(p->store, w, &round, e))
		return -1;
	return save(p, e);
}

static int measure_round(struct prepare *p, struct runner *r, uint32_t nr, struct rounds *last,
			 struct err *e)
{
	struct point_spec spec = round_spec(&p->job->work, nr);
	struct measurement m;
	int rc;

	if (check_use(p, e))
		return -1;
	measurement_init(&m, &spec);
	runner_measure(r, &spec, nr, &m);
	p->job->is_stuck = runner_is_stuck(r);
	if (m.status == POINT_OK)
		rc = take_round(p, &m, nr, last, e);
	else if (m.status == POINT_INTERRUPTED)
		rc = err_set(e, ERR_INTR, "ended by a signal");
	else
		rc = err_set(e, ERR_IO, "cannot go on with random writes to '%s': %s",
			     p->job->info.given, m.reason);
	measurement_release(&m);
	return rc;
}

/* Rounds of an earlier attempt do not count: a target that was left alone meanwhile has had
 * time to tidy up. */
static int write_until_steady(struct prepare *p, struct err *e)
{
	struct preparation *w = &p->job->work;
	uint64_t begin_ns = clock_now_ns();
	struct rounds last = {.nr = 0};
	struct runner *r = new_runner(p);
	int rc = 0;

	w->is_steady = false;
	for (uint32_t nr = 1; !rc && !w->is_steady; nr++) {
		/* Fewer could not be judged, and each takes a little longer than it lasts. */
		if (nr > STEADY_ROUNDS && clock_now_ns() - begin_ns + w->round_ns > w->max_ns)
			break;
		rc = measure_round(p, r, nr, &last, e);
	}
	runner_free(r);
	return rc;
}

static int add(struct prepare *p, struct err *e)
{
	struct preparation *w = &p->job->work;

	w->seed = rng_draw_seed();
	w->start_wall_ns = clock_wall_ns();
	w->attempts = 1;
	if (store_add_preparation(p->store, w, e))
		return -1;
	log_info("preparation %" PRId64 " of '%s'", w->id, p->job->info.resolved);
	return 0;
}

/* The stored one takes the place of what was asked for, which is the same work. */
static int take_up(struct prepare *p, struct preparation *old, struct err *e)
{
	struct preparation *w = &p->job->work;

	preparation_release(w);
	*w = *old;
	*old = (struct preparation){0};
	w->state = PREPARATION_RUNNING;
	free(w->reason);
	w->reason = NULL;
	w->end_wall_ns = 0;
	w->attempts++;
	log_info("going on with preparation %" PRId64 ": %" PRIu64 " of %" PRIu64
		 " bytes are filled",
		 w->id, preparation_filled_bytes(w), w->passes * w->span_bytes);
	return save(p, e);
}

/* What was claimed as written must still be there: the target may have been discarded, made anew,
 * or used for something else. */
static int is_still_there(struct prepare *p, const struct preparation *old, bool *is_there,
			  struct err *e)
{
	struct fill_config c = fill_config(p);

	*is_there = true;
	if (!preparation_filled_bytes(old))
		return 0;
	c.seed = old->seed;
	c.pass = old->passes_done;
	c.is_overwritten = is_overwritten(old);
	c.progress = NULL;
	return fill_check(&c, old->pass_bytes, is_there, &p->job->is_stuck, e);
}

static int abandon(struct prepare *p, struct preparation *old, struct err *e)
{
	log_warn("what preparation %" PRId64 " had written to '%s' is gone, so it is filled from "
		 "the beginning",
		 old->id, p->job->info.given);
	old->state = PREPARATION_ABANDONED;
	free(old->reason);
	old->reason = xstrdup("what it had written was found to be gone");
	return store_save_preparation(p->store, old, e);
}

static bool can_go_on(const struct prepare *p, const struct preparation *old)
{
	return old->id && !p->job->is_fresh &&
	       (old->state == PREPARATION_RUNNING || old->state == PREPARATION_INTERRUPTED ||
		old->state == PREPARATION_FAILED);
}

static int begin(struct prepare *p, struct err *e)
{
	struct preparation old;
	bool is_there = false;
	int rc = store_find_preparation(p->store, &p->job->work, &old, e);

	if (rc)
		return rc;
	if (can_go_on(p, &old)) {
		rc = is_still_there(p, &old, &is_there, e);
		if (!rc)
			rc = is_there ? take_up(p, &old, e) : abandon(p, &old, e);
	}
	if (!rc && !is_there)
		rc = add(p, e);
	preparation_release(&old);
	return rc;
}

static int work(struct prepare *p, struct err *e)
{
	if (fill(p, e))
		return -1;
	return p->job->work.bs_bytes ? write_until_steady(p, e) : 0;
}

/* How it ended, for whoever comes later; the first error is the one to tell. */
static int end(struct prepare *p, int rc, struct err *e)
{
	struct preparation *w = &p->job->work;

	w->state = !rc			 ? PREPARATION_FINISHED
		   : e->code == ERR_INTR ? PREPARATION_INTERRUPTED
					 : PREPARATION_FAILED;
	w->end_wall_ns = clock_wall_ns();
	if (rc)
		w->reason = xstrdup(e->msg);
	else if (w->bs_bytes && !w->is_steady)
		w->reason = xstrdup("not steady within the time given");
	return save(p, rc ? NULL : e) ? -1 : rc;
}

int prepare_run(struct prepare_job *job, struct store *store, struct err *e)
{
	struct prepare p = {.job = job, .store = store, .counted_ns = clock_now_ns()};
	struct live *live = live_open();
	struct facts found = FACTS_INIT;
	int rc = target_open(&job->info, true, &p.target, e);

	/* It is no run, for those who look at one that was ended on this target. */
	live_tell(live, &(struct live_state){.run_id = 0});
	if (rc) {
		live_close(live);
		return rc;
	}
	/* The question and the store may have kept us waiting; from now on the target is claimed. */
	rc = guard_check_target(p.target, job->work.overwrote_signature, &found, e);
	facts_release(&found);
	rc = rc ? rc : begin(&p, e);
	if (!rc)
		rc = end(&p, work(&p, e), e);
	/* Closing can wait for a target that hangs. */
	if (!job->is_stuck)
		target_close(p.target);
	live_close(live);
	return rc;
}
