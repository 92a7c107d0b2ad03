/* SPDX-License-Identifier: MIT */
#include "cmd/recovery.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/units.h"
#include "cmd/signals.h"
#include "run/alive.h"

#include <time.h>

#define TICK_NS (100 * NS_PER_MS)
/* A target that answers does so within this; what takes longer is a wait. */
#define PATIENCE_NS	(2 * NS_PER_S)
#define LONGEST_WAIT_NS (60 * NS_PER_S)

/* One wait. */
struct wait {
	struct recovery *r;
	uint64_t begin_ns, end_ns;
	bool is_told; /* the user knows of it */
	struct err why;
};

void recovery_init(struct recovery *r, const struct measure_job *job, struct progress *progress,
		   void (*let_go)(void *arg), void *let_go_arg)
{
	*r = (struct recovery){
		.job = job, .progress = progress, .let_go = let_go, .let_go_arg = let_go_arg};
}

void recovery_release(struct recovery *r)
{
	alive_release(r->asked);
	r->asked = NULL;
}

uint64_t recovery_delay_ns(uint64_t retry_wait_ns, unsigned attempt)
{
	uint64_t longest = retry_wait_ns > LONGEST_WAIT_NS ? retry_wait_ns : LONGEST_WAIT_NS;
	uint64_t delay = retry_wait_ns;

	for (unsigned i = 2; i < attempt && delay < longest; i++)
		delay *= 2;
	return delay < longest ? delay : longest;
}

bool recovery_pause(struct recovery *r, uint64_t pause_ns)
{
	uint64_t begin = clock_now_ns(), now;

	while (!signals_nr && (now = clock_now_ns()) < begin + pause_ns) {
		uint64_t left = begin + pause_ns - now;

		progress_wait(r->progress, r->job->info.given, now - begin);
		clock_sleep_ns(left < TICK_NS ? left : TICK_NS);
	}
	progress_waited(r->progress, clock_now_ns() - begin);
	return !signals_nr;
}

static void add_clock_time(struct buf *b, uint64_t after_ns)
{
	time_t when = time(NULL) + (time_t)(after_ns / NS_PER_S);
	struct tm tm;
	char text[32] = "";

	if (localtime_r(&when, &tm))
		(void)strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	buf_addstr(b, text);
}

/* What is waited for, and until when. */
static void tell(struct wait *w, uint64_t now)
{
	struct buf b = BUF_INIT;

	if (w->is_told || now >= w->end_ns)
		return;
	w->is_told = true;
	buf_addf(&b, "'%s' does not answer (%s); waiting for it until ", w->r->job->info.given,
		 w->why.msg);
	add_clock_time(&b, w->end_ns - now);
	buf_addstr(&b, ", then the run ends and can be gone on with");
	log_warn("%s", buf_text(&b));
	buf_release(&b);
	w->r->let_go(w->r->let_go_arg);
}

/* One question until its answer, the end of the wait, or a signal; true for an answer. */
static bool ask(struct wait *w, enum target_answer *answer)
{
	struct recovery *r = w->r;
	uint64_t patient_ns = clock_now_ns() + PATIENCE_NS, now;

	if (!r->asked)
		r->asked = alive_ask(&r->job->info);
	if (!r->asked) {
		(void)err_set(&w->why, ERR_SYSTEM, "no thread can be started to ask it");
		*answer = TARGET_SILENT;
		return true;
	}
	while (!signals_nr) {
		now = clock_now_ns();
		if (alive_wait(r->asked, now + TICK_NS, answer, &w->why)) {
			alive_release(r->asked);
			r->asked = NULL;
			return true;
		}
		if (now < patient_ns)
			continue;
		(void)err_set(&w->why, ERR_IO, "a read of one block does not come back");
		tell(w, now);
		if (now >= w->end_ns)
			return false;
		progress_wait(r->progress, r->job->info.given, now - w->begin_ns);
	}
	return false;
}

static enum recovery_end give_up(const struct wait *w)
{
	if (signals_nr)
		return RECOVERY_SIGNAL;
	log_error("'%s' did not answer within %.0f s (%s); the rest of the run is not measured",
		  w->r->job->info.given, (double)(clock_now_ns() - w->begin_ns) / (double)NS_PER_S,
		  w->why.msg);
	return RECOVERY_GONE;
}

static enum recovery_end came_back(const struct wait *w)
{
	if (!w->is_told)
		return RECOVERY_ANSWERS;
	log_warn("'%s' answers again after %.0f s; the run goes on", w->r->job->info.given,
		 (double)(clock_now_ns() - w->begin_ns) / (double)NS_PER_S);
	return RECOVERY_LATE;
}

/* Ask, and pause, until one of the ends. */
static enum recovery_end wait_for(struct wait *w)
{
	const struct sweep *s = w->r->job->sweep;

	for (unsigned attempt = 2;; attempt++) {
		enum target_answer answer;
		uint64_t now, delay = recovery_delay_ns(s->retry_wait_ns, attempt);

		if (!ask(w, &answer))
			return give_up(w);
		if (answer == TARGET_ANSWERS)
			return came_back(w);
		if (answer == TARGET_OTHER) {
			log_error("%s; the rest of the run is not measured", w->why.msg);
			return RECOVERY_OTHER;
		}
		now = clock_now_ns();
		tell(w, now);
		if (now >= w->end_ns)
			return give_up(w);
		if (delay > w->end_ns - now)
			delay = w->end_ns - now;
		if (!recovery_pause(w->r, delay))
			return RECOVERY_SIGNAL;
	}
}

enum recovery_end recovery_wait(struct recovery *r, uint64_t end_ns)
{
	struct wait w = {.r = r, .begin_ns = clock_now_ns()};

	w.end_ns = w.begin_ns + r->job->sweep->retry_limit_ns;
	if (end_ns < w.end_ns)
		w.end_ns = end_ns > w.begin_ns ? end_ns : w.begin_ns;
	return wait_for(&w);
}
