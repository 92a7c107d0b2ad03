/* SPDX-License-Identifier: MIT */
#include "cmd/progress.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"
#include "report/format.h"

#include <sys/stat.h>

/* Silence that the progress line tells, and that is told where there is none. */
#define SILENT_NS      (2 * NS_PER_S)
#define SILENT_WARN_NS (10 * NS_PER_S)
/* A line that changes more often cannot be read. */
#define SHOW_NS (NS_PER_S / 2)

void progress_init(struct progress *p, const struct measure_job *job, const char *db_path)
{
	struct stat st;

	*p = (struct progress){.job = job,
			       .is_live = log_is_live() && !job->is_quiet,
			       .begin_ns = clock_now_ns(),
			       .point_ns = job->sweep->ramp_ns + job->sweep->max_ns +
					   PLAN_POINT_OVERHEAD_NS,
			       .live = live_open()};
	if (stat(db_path, &st) == 0) {
		p->state.db_device = st.st_dev;
		p->state.db_inode = st.st_ino;
	}
}

void progress_release(struct progress *p)
{
	live_close(p->live);
	p->live = NULL;
}

/* Points that are done tell how long one takes; before there are any, the plan does. */
static uint64_t point_estimate_ns(const struct progress *p)
{
	return p->nr_done ? (p->point_begin_ns - p->begin_ns) / p->nr_done : p->point_ns;
}

/* Of the run, or of this point where nobody knows how many there will be. */
static uint64_t time_left_ns(const struct progress *p, uint64_t now)
{
	uint64_t elapsed_ns = now - p->point_begin_ns;
	uint64_t left_ns, end_ns = p->job->end_ns;

	if (!p->nr_todo)
		return progress_left_ns(p->point_ns, 1, elapsed_ns);
	left_ns = progress_left_ns(point_estimate_ns(p), p->nr_todo - p->nr_done, elapsed_ns);
	if (p->job->budget_text && end_ns < now + left_ns)
		return end_ns > now ? end_ns - now : 0;
	return left_ns;
}

void progress_begin_point(struct progress *p, const struct plan_point *point)
{
	p->point = point;
	p->is_warned = false;
	p->shown_ns = 0;
	p->point_begin_ns = clock_now_ns();
	if (!p->nr_done)
		p->begin_ns = p->point_begin_ns;
	p->state.run_id = p->job->run.id;
	p->state.seq = point->seq;
	p->state.in_window = false;
	p->state.begin_ns = p->state.stamp_ns = p->point_begin_ns;
	p->state.iops = p->state.lat_ns = UNKNOWN;
	p->state.silent_ns = 0;
	p->state.budget_end_ns = p->job->budget_text ? p->job->end_ns : 0;
	live_tell(p->live, &p->state);
}

/* A target that hangs should be told of long before its point fails. */
static void warn_silent(struct progress *p, const struct run_progress *rp)
{
	double fails_s = (double)p->job->sweep->drain_timeout_ns / (double)NS_PER_S;
	const char *target = p->job->info.given;

	if (p->is_warned || (rp->silent_ns < SILENT_WARN_NS && rp->drain_ns < SILENT_WARN_NS))
		return;
	p->is_warned = true;
	if (rp->drain_ns)
		log_warn("'%s' still has I/Os outstanding %.0f s after the window; the point fails "
			 "if they are not back %.0f s after it",
			 target, (double)rp->drain_ns / (double)NS_PER_S, fails_s);
	else
		log_warn("'%s' has completed nothing for %.0f s, with %s%u I/Os outstanding; the "
			 "point goes on, and fails if they are not back %.0f s after its window",
			 target, (double)rp->silent_ns / (double)NS_PER_S,
			 point_is_open(&p->point->spec) ? "up to " : "", p->point->spec.iodepth,
			 fails_s);
}

/* What goes on, instead of figures; nothing when figures do. */
static void add_silence(struct buf *b, const struct run_progress *rp)
{
	if (rp->drain_ns >= SILENT_NS)
		buf_addf(b, "waiting for I/Os in flight for %.0f s",
			 (double)rp->drain_ns / (double)NS_PER_S);
	else if (rp->silent_ns >= SILENT_NS)
		buf_addf(b, "no completion for %.0f s", (double)rp->silent_ns / (double)NS_PER_S);
}

static void show_line(const struct progress *p, const struct run_progress *rp, uint64_t now)
{
	struct progress_view v = {.nr_done = p->nr_done,
				  .nr_todo = p->nr_todo,
				  .share = UNKNOWN,
				  .spec = &p->point->spec,
				  .iops = rp->iops,
				  .lat_ns = rp->lat_ns,
				  .left_ns = time_left_ns(p, now),
				  .left_title = p->nr_todo ? "ETA" : "point ends within",
				  .counts = p->counts};
	struct buf b = BUF_INIT, silence = BUF_INIT;

	add_silence(&silence, rp);
	if (silence.len)
		v.iops = v.lat_ns = UNKNOWN;
	v.doing = silence.len ? buf_text(&silence) : rp->in_window ? NULL : "ramp";
	if (p->nr_todo)
		v.share = progress_share(point_estimate_ns(p), p->nr_done, p->nr_todo - p->nr_done,
					 now - p->point_begin_ns);
	progress_line(&b, &v, log_width());
	log_progress(buf_text(&b));
	buf_release(&silence);
	buf_release(&b);
}

void progress_show(void *arg, const struct run_progress *rp)
{
	struct progress *p = arg;
	uint64_t now = clock_now_ns();

	p->state.in_window = rp->in_window;
	p->state.iops = rp->iops;
	p->state.lat_ns = rp->lat_ns;
	p->state.silent_ns = rp->drain_ns > rp->silent_ns ? rp->drain_ns : rp->silent_ns;
	p->state.stamp_ns = now;
	live_tell(p->live, &p->state);
	warn_silent(p, rp);
	if (!p->is_live || (p->shown_ns && now < p->shown_ns + SHOW_NS))
		return;
	p->shown_ns = now;
	show_line(p, rp, now);
}

void progress_wait(struct progress *p, const char *target, uint64_t waited_ns)
{
	struct buf b = BUF_INIT;
	uint64_t now = clock_now_ns();

	p->state.in_window = false;
	p->state.iops = p->state.lat_ns = UNKNOWN;
	p->state.silent_ns = waited_ns;
	p->state.stamp_ns = now;
	live_tell(p->live, &p->state);
	if (!p->is_live || (p->shown_ns && now < p->shown_ns + SHOW_NS))
		return;
	p->shown_ns = now;
	buf_addf(&b, "waiting for '%s' for %.0f s", target, (double)waited_ns / (double)NS_PER_S);
	if (text_width(buf_text(&b)) > log_width()) {
		buf_reset(&b);
		buf_addstr(&b, "waiting");
	}
	log_progress(buf_text(&b));
	buf_release(&b);
}

void progress_waited(struct progress *p, uint64_t waited_ns)
{
	p->begin_ns += waited_ns;
	p->point_begin_ns += waited_ns;
	p->state.silent_ns = 0;
}

static void count(struct progress_counts *c, const struct measurement *m, flag_set accepted)
{
	flag_set flags = m->flags & ~accepted;

	c->nr_failed += m->status == POINT_FAILED || m->status == POINT_NO_IO;
	if (m->status != POINT_OK || !flags_have(flags, EFFECT_SPOILED))
		return;
	c->nr_spoiled++;
	for (enum flag f = 0; f < FLAG_NR; f++)
		if (flags & FLAG_BIT(f) && flag_effect(f) == EFFECT_SPOILED)
			c->flags |= FLAG_BIT(f);
}

static void say_point(const struct progress *p, const struct measurement *m)
{
	struct buf b = BUF_INIT;
	struct figures f;

	buf_addf(&b, p->nr_todo ? "[%zu/%zu] " : "[%zu] ", p->nr_done + 1, p->nr_todo);
	buf_add_point(&b, &m->spec);
	buf_addstr(&b, ": ");
	if (m->status == POINT_OK) {
		measurement_figures(m, DIR_TOTAL, &f);
		progress_rate(&b, f.iops, f.lat_mean_ns);
		buf_addstr(&b, m->flags ? "  (" : "");
		format_flags(&b, m->flags, ", ");
		buf_addstr(&b, m->flags ? ")" : "");
	} else {
		buf_addf(&b, "%s: %s", point_status_name(m->status), m->reason);
	}
	log_info("%s", buf_text(&b));
	buf_release(&b);
}

void progress_end_point(struct progress *p, const struct measurement *m)
{
	count(&p->counts, m, p->job->run.accepted);
	say_point(p, m);
	p->state.seq = 0;
	p->state.iops = p->state.lat_ns = UNKNOWN;
	p->state.stamp_ns = clock_now_ns();
	live_tell(p->live, &p->state);
}
