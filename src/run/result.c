/* SPDX-License-Identifier: MIT */
#include "run/session.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void session_fail(struct measurement *m, int errnum, const char *reason)
{
	m->status = POINT_FAILED;
	if (!m->err_errno)
		m->err_errno = errnum;
	if (!m->reason)
		m->reason = xstrdup(reason);
}

static void join(struct session *s)
{
	for (unsigned i = 0; i < s->nr_started; i++) {
		struct thread *t = &s->threads[i];

		t->is_lost = !atomic_load(&t->has_ended);
		/* A lost one may still end, and then its stack goes. */
		(void)(t->is_lost ? pthread_detach(t->id) : pthread_join(t->id, NULL));
		s->r->is_stuck |= t->is_lost || s->workers[i].is_stuck;
	}
}

static void merge_worker(struct measurement *m, unsigned i, struct load_worker *w)
{
	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++) {
		if (!w->lat[d])
			continue;
		w->result.lat_sq_ns2[d] = w->lat[d]->sum_sq;
		if (m->lat[d]) {
			hist_merge(m->lat[d], w->lat[d]);
			continue;
		}
		m->lat[d] = w->lat[d];
		w->lat[d] = NULL;
	}
	w->result.depth_mean = m->window_ns ? (double)w->area_ns / (double)m->window_ns : 0;
	m->depth_mean += w->result.depth_mean;
	/* The workers' maxima may be of different instants, so this is an upper bound. */
	m->depth_max += w->result.depth_max;
	m->worker[i] = w->result;
	m->nr_errors += w->nr_errors;
	if (w->err_errno && (!m->err_errno || w->is_astray)) {
		m->err_errno = w->err_errno;
		m->err_offset = w->err_offset;
	}
}

/* How long what completed in the window was in flight; in a closed loop that is its latency. */
static double in_flight_ns(const struct load_worker *w)
{
	if (w->open)
		return (double)w->open->service_ns;
	return (double)w->result.dir[DIR_READ].lat_ns + (double)w->result.dir[DIR_WRITE].lat_ns;
}

/* D9: latencies completed in the window, less what of them lies before it, plus the age of what
 * is in flight at its end, against the area under the number in flight. */
static double little_difference(const struct session *s)
{
	double sum = 0, area = 0;

	for (unsigned i = 0; i < s->nr_started; i++) {
		const struct load_worker *w = &s->workers[i];

		if (s->threads[i].is_lost)
			continue;
		sum += in_flight_ns(w) - (double)w->age_start_ns + (double)w->age_end_ns;
		area += (double)w->area_ns;
	}
	return area > 0 ? sum / area - 1 : UNKNOWN;
}

/* When the point ended, without the drain. One that was stopped ended where the last worker
 * looked at the clock inside the window, or, before there was a window, when it was stopped. */
static uint64_t real_end(const struct session *s)
{
	uint64_t end = 0;

	if (!s->control.stop)
		return s->control.window_end_ns;
	for (unsigned i = 0; i < s->nr_started; i++)
		if (!s->threads[i].is_lost && s->workers[i].mark_ns > end)
			end = s->workers[i].mark_ns;
	if (end)
		return end;
	for (unsigned i = 0; i < s->nr_started; i++)
		if (!s->threads[i].is_lost && s->workers[i].stop_ns > end)
			end = s->workers[i].stop_ns;
	return end ? end : s->begin_ns;
}

static void merge_open(const struct session *s)
{
	struct measurement *m = s->m;
	struct hist *late;

	if (!point_is_open(&m->spec))
		return;
	late = xmalloc(sizeof(*late));
	hist_init(late);
	for (unsigned i = 0; i < s->nr_started; i++) {
		const struct load_open *o = s->workers[i].open;

		if (s->threads[i].is_lost)
			continue;
		hist_merge(late, &o->late);
		m->arrivals += o->nr_arrivals;
		m->backlog += o->nr_backlog;
	}
	m->late_p50_ns = hist_quantile(late, 0.5);
	m->late_p99_ns = hist_quantile(late, 0.99);
	m->late_max_ns = late->count ? (double)late->max : UNKNOWN;
	free(late);
}

static void merge(struct session *s)
{
	struct measurement *m = s->m;
	uint64_t start = s->control.window_start_ns, end = real_end(s), drained = end;

	m->ramp_ns = (end < start ? end : start) - s->begin_ns;
	m->window_ns = end > start ? end - start : 0;
	m->interval_ns = s->control.interval_ns;
	m->depth_mean = 0;
	m->worker = xcalloc(m->spec.workers, sizeof(*m->worker));
	for (unsigned i = 0; i < s->nr_started; i++) {
		struct load_worker *w = &s->workers[i];

		if (s->threads[i].is_lost)
			continue;
		if (!m->err_errno)
			s->err_res = w->err_res;
		s->is_astray |= w->is_astray;
		drained = w->drain_end_ns > drained ? w->drain_end_ns : drained;
		merge_worker(m, i, w);
	}
	m->drain_ns = drained - end;
	merge_open(s);
	m->little_rel = little_difference(s);
	/* A last part of an interval is kept, so that the series adds up to all completions. */
	m->nr_intervals = (size_t)((m->window_ns + m->interval_ns - 1) / m->interval_ns);
	if (m->nr_intervals > s->control.max_intervals)
		m->nr_intervals = s->control.max_intervals;
	m->series = session_series(s, 0, m->nr_intervals);
}

static void explain_errors(struct measurement *m, int64_t res)
{
	struct buf b = BUF_INIT;

	/* The kernel has no errno for what a device that is gone or smaller now no longer has. */
	if (res >= 0)
		buf_addf(&b,
			 "short I/O, %" PRIi64 " of %" PRIu64
			 " bytes (was the device removed or made smaller?)",
			 res, m->spec.bs_bytes);
	else
		buf_addstr(&b, strerror(m->err_errno));
	if (m->err_offset != LOAD_NO_OFFSET)
		buf_addf(&b, " at offset %" PRIu64, m->err_offset);
	else
		m->err_offset = 0;
	buf_addf(&b, " (%" PRIu64 " error%s)", m->nr_errors, m->nr_errors == 1 ? "" : "s");
	measurement_flag(m, FLAG_IO_ERROR, "%s", buf_text(&b));
	session_fail(m, m->err_errno, buf_text(&b));
	buf_release(&b);
}

static void explain_astray(struct measurement *m)
{
	const struct point_spec *spec = &m->spec;
	struct buf b = BUF_INIT;

	buf_addf(&b,
		 "a mistake in this program: an I/O of %" PRIu64 " bytes at offset %" PRIu64
		 " is no block of the span from %" PRIu64 " to %" PRIu64
		 "; it was not submitted, nor was anything after it; please report this",
		 spec->bs_bytes, m->err_offset, spec->offset_bytes,
		 spec->offset_bytes + spec->span_bytes);
	measurement_flag(m, FLAG_IO_ERROR, "%s", buf_text(&b));
	session_fail(m, m->err_errno, buf_text(&b));
	buf_release(&b);
}

/* The window lasted as long as it may: judge all of it, as the last look was up to a second ago,
 * or never where min_time is max_time. A last part of an interval would look like a fall. */
static void judge_whole_window(struct session *s)
{
	const struct measurement *m = s->m;
	size_t whole = (size_t)(m->window_ns / m->interval_ns);

	if (whole > m->nr_intervals)
		whole = m->nr_intervals;
	s->stop = stop_judge(m->series, whole, s->r->cfg.precision);
}

static void flag_precision(struct session *s)
{
	if (s->r->cfg.runtime_ns || s->stop.answer == STOP_PRECISE)
		return;
	judge_whole_window(s);
	if (s->stop.answer == STOP_PRECISE)
		return;
	if (s->stop.answer == STOP_UNSTEADY)
		measurement_flag(s->m, FLAG_UNSTEADY, "range %.1f %%, drift %.1f %%",
				 100 * s->stop.range, 100 * s->stop.drift);
	else if (s->stop.answer == STOP_IMPRECISE)
		measurement_flag(s->m, FLAG_IMPRECISE, "IOPS +-%.1f %%, latency +-%.1f %%",
				 100 * s->stop.iops_half, 100 * s->stop.lat_half);
	else
		measurement_flag(s->m, FLAG_IMPRECISE, "too few intervals to tell");
}

/* What is out, and since when. Of a lost worker nothing may be read. */
static void explain_hang(struct session *s)
{
	uint64_t nr = 0, oldest = UINT64_MAX, now = clock_now_ns();
	unsigned nr_lost = 0;
	struct buf b = BUF_INIT;

	for (unsigned i = 0; i < s->nr_started; i++) {
		const struct load_worker *w = &s->workers[i];

		nr_lost += s->threads[i].is_lost;
		for (unsigned k = 0; !s->threads[i].is_lost && k < w->depth; k++) {
			if (!w->slots[k].start_ns)
				continue;
			nr++;
			oldest = w->slots[k].start_ns < oldest ? w->slots[k].start_ns : oldest;
		}
	}
	buf_addf(&b, "hung: '%s'", s->r->cfg.info->given);
	if (nr)
		buf_addf(&b, " has had %" PRIu64 " I/O%s outstanding for %.1f s", nr,
			 nr == 1 ? "" : "s", (double)(now - oldest) / (double)NS_PER_S);
	if (nr_lost)
		buf_addf(&b, "%s keeps %u worker%s inside the submit call", nr ? " and" : "",
			 nr_lost, nr_lost == 1 ? "" : "s");
	session_fail(s->m, ETIMEDOUT, buf_text(&b));
	buf_release(&b);
}

static void decide_status(struct session *s)
{
	struct measurement *m = s->m;

	if (s->is_astray) {
		explain_astray(m);
	} else if (m->nr_errors) {
		explain_errors(m, s->err_res);
	} else if (m->status == POINT_FAILED) {
		return;
	} else if (s->interrupted) {
		m->status = POINT_INTERRUPTED;
		m->reason = xstrdup("ended by a signal");
	} else if (s->r->is_stuck) {
		explain_hang(s);
	} else if (!measurement_sums(m, DIR_TOTAL).ios) {
		m->status = POINT_NO_IO;
		m->reason = xstrdup("no I/O completed in the window");
	} else {
		m->status = POINT_OK;
		flag_precision(s);
		verdict_judge(m, s->r->cfg.info, &s->evidence);
	}
}

void session_finish(struct session *s)
{
	join(s);
	merge(s);
	decide_status(s);
	/* A worker that comes back from a submit call that blocked, perhaps hours later, submits nothing more: the target
	 * may be another's by then. Only now, since it says where a point ended. */
	if (s->r->is_stuck)
		atomic_store(&s->control.stop, true);
}
