/* SPDX-License-Identifier: MIT */
#include "base/mem.h"
#include "base/units.h"
#include "plan/plan.h"
#include "plan/values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* So many values are named in a sentence before it says "and N more". */
#define MAX_NAMED 8

/* Distinct values of the points that a warning is about, ascending. */
struct set {
	uint64_t *v;
	size_t nr, cap;
};

static void set_add(struct set *s, uint64_t value)
{
	size_t at = 0;

	while (at < s->nr && s->v[at] < value)
		at++;
	if (at < s->nr && s->v[at] == value)
		return;
	VEC_GROW(s->v, s->nr, s->cap);
	for (size_t i = s->nr++; i > at; i--)
		s->v[i] = s->v[i - 1];
	s->v[at] = value;
}

static void warn(struct plan_warnings *w, struct buf *sentence)
{
	VEC_GROW(w->v, w->nr, w->cap);
	w->v[w->nr++] = buf_detach(sentence);
}

/* "16, 32 and 64" */
static void add_list(struct buf *b, const struct set *s)
{
	size_t named = s->nr > MAX_NAMED ? MAX_NAMED : s->nr;

	for (size_t i = 0; i < named; i++)
		buf_addf(b, "%s%" PRIu64, !i ? "" : i + 1 == s->nr ? " and " : ", ", s->v[i]);
	if (named < s->nr)
		buf_addf(b, " and %zu more", s->nr - named);
}

static const char *queue_limit_name(const struct target_info *t)
{
	uint32_t limit = target_queue_limit(t);

	if (limit == t->nr_requests)
		return "nr_requests";
	return limit == t->lun_queue_depth ? "queue_depth of the LUN" : "of the devices below";
}

static void warn_queue(const struct plan *p, const struct target_info *t, struct plan_warnings *w)
{
	uint32_t limit = target_queue_limit(t);
	struct buf b = BUF_INIT;
	struct set depths = {0};

	for (size_t i = 0; limit && i < p->nr; i++)
		/* With a rate it is a bound of what is in flight, and not a depth. */
		if (!p->v[i].skip_reason && p->v[i].spec.iodepth > limit &&
		    !point_is_open(&p->v[i].spec))
			set_add(&depths, p->v[i].spec.iodepth);
	if (depths.nr) {
		buf_addstr(&b, "iodepth ");
		add_list(&b, &depths);
		buf_addf(&b,
			 " exceed%s the host queue limit %u (%s): the rest will wait in the host",
			 depths.nr == 1 ? "s" : "", limit, queue_limit_name(t));
		warn(w, &b);
	}
	free(depths.v);
}

/* How many requests one I/O becomes; 1 when it is not split. */
static uint64_t split_ratio(uint64_t bs_bytes, const struct target_info *t)
{
	uint64_t max = (uint64_t)t->max_sectors_kb * 1024;

	return max ? (bs_bytes + max - 1) / max : 1;
}

static void warn_split(const struct plan *p, const struct target_info *t, struct plan_warnings *w)
{
	struct set sizes = {0};
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < p->nr; i++)
		if (!p->v[i].skip_reason && split_ratio(p->v[i].spec.bs_bytes, t) > 1)
			set_add(&sizes, p->v[i].spec.bs_bytes);
	for (size_t i = 0; i < sizes.nr; i++) {
		buf_add_size(&b, sizes.v[i]);
		buf_addf(&b,
			 " requests are split %" PRIu64 ":1 before the device (max_sectors_kb %u)",
			 split_ratio(sizes.v[i], t), t->max_sectors_kb);
		warn(w, &b);
	}
	free(sizes.v);
}

/* Less than a whole per cent of the span is not told by any figure. */
#define UNWRITTEN_MIN 0.01

/* What will answer instead of the medium. */
static void warn_below(const struct target_info *t, const struct plan_limits *limits,
		       struct plan_warnings *w)
{
	struct buf b = BUF_INIT;

	if (limits->unwritten_share >= UNWRITTEN_MIN) {
		buf_addf(&b,
			 "%.*f %% of the blocks to be read were never written, so no medium is "
			 "asked for them; fill them first by 'lunsweep prepare --target ",
			 limits->unwritten_share < 0.1 ? 1 : 0, 100 * limits->unwritten_share);
		buf_shell_str(&b, t->given);
		buf_addstr(&b, " --write-to IDENTITY'");
		warn(w, &b);
	}
	if (t->is_buffered) {
		buf_addstr(&b, "the loop device is attached without direct I/O, so its backing "
			       "store is cached: the page cache of this host will answer; attach "
			       "it by losetup --direct-io=on");
		warn(w, &b);
	}
	if (t->is_memory_below) {
		buf_addstr(&b, "the file of the loop device is in memory, which is no storage");
		warn(w, &b);
	}
}

static void warn_target(const struct plan *p, const struct target_info *t, struct plan_warnings *w)
{
	struct buf b = BUF_INIT;

	if (t->throttle) {
		buf_addstr(&b, t->throttle);
		warn(w, &b);
	}
	if (t->is_read_only && plan_writes(p)) {
		buf_addstr(&b, "the target is read-only, and the plan writes");
		warn(w, &b);
	}
}

static void warn_machine(const struct plan *p, const struct sweep *s,
			 const struct plan_limits *limits, struct plan_warnings *w)
{
	uint32_t max_depth = 0;
	struct plan_totals totals;
	struct buf b = BUF_INIT;

	plan_estimate(p, s, 0, &totals);
	if (limits->memory_available_bytes &&
	    totals.buffer_max_bytes > limits->memory_available_bytes) {
		buf_addstr(&b, "I/O buffers of ");
		buf_add_size_human(&b, totals.buffer_max_bytes);
		buf_addstr(&b, " are needed, but only ");
		buf_add_size_human(&b, limits->memory_available_bytes);
		buf_addstr(&b, " of memory are available");
		warn(w, &b);
	}
	for (size_t i = 0; i < p->nr; i++)
		if (!p->v[i].skip_reason && p->v[i].spec.iodepth > max_depth)
			max_depth = p->v[i].spec.iodepth;
	if (!strcmp(s->engine, "libaio") && limits->aio_free && max_depth > limits->aio_free) {
		buf_addf(&b,
			 "iodepth %u needs as many AIO requests, but the system has %" PRIu64
			 " left; raise fs.aio-max-nr",
			 max_depth, limits->aio_free);
		warn(w, &b);
	}
}

static bool any_point(const struct plan *p, bool (*is)(enum rw_mode))
{
	for (size_t i = 0; i < p->nr; i++)
		if (is(p->v[i].spec.rw))
			return true;
	return false;
}

static bool has_other_value(const struct sweep *s, enum axis axis, uint64_t neutral)
{
	for (size_t b = 0; b < s->nr_blocks; b++)
		for (size_t i = 0; i < s->block[b].axis[axis].nr; i++)
			if (s->block[b].axis[axis].v[i].value != neutral)
				return true;
	return false;
}

/* 70 and 100 are the defaults, so stating them is no misunderstanding. */
static void warn_idle_axes(const struct plan *p, const struct sweep *s, struct plan_warnings *w)
{
	struct buf b = BUF_INIT;

	if (!any_point(p, rw_is_mixed) && has_other_value(s, AXIS_RWMIXREAD, 70)) {
		buf_addstr(&b, "rwmixread has no effect: no rw mode of the sweep is rw or randrw");
		warn(w, &b);
	}
	if (!any_point(p, rw_is_random) && has_other_value(s, AXIS_RANDOM_PCT, 100)) {
		buf_addstr(&b, "random_pct has no effect: no rw mode of the sweep is random");
		warn(w, &b);
	}
}

void plan_warn(const struct plan *p, const struct sweep *s, const struct target_info *t,
	       const struct plan_limits *limits, struct plan_warnings *out)
{
	warn_queue(p, t, out);
	warn_split(p, t, out);
	warn_target(p, t, out);
	warn_below(t, limits, out);
	warn_machine(p, s, limits, out);
	warn_idle_axes(p, s, out);
}

void plan_warnings_release(struct plan_warnings *w)
{
	for (size_t i = 0; i < w->nr; i++)
		free(w->v[i]);
	free(w->v);
	*w = (struct plan_warnings){0};
}

void buf_add_plan_note(struct buf *b, const struct point_spec *spec, const struct target_info *t)
{
	uint32_t limit = target_queue_limit(t);
	uint64_t ratio = split_ratio(spec->bs_bytes, t);
	bool above = limit && spec->iodepth > limit && !point_is_open(spec);

	if (above)
		buf_addf(b, "above the queue limit %u", limit);
	if (ratio > 1)
		buf_addf(b, "%ssplit %" PRIu64 ":1", above ? ", " : "", ratio);
}
