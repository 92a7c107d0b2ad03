/* SPDX-License-Identifier: MIT */
#include "analyze/size.h"

#include "analyze/cap.h"
#include "analyze/curve.h"
#include "analyze/size_spans.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"

#include <stdlib.h>

/* A quotient that is whole but for the last bit counts as whole. */
#define ROUNDING 1e-9
/* Spans in per cent of a target are whole blocks, so the double of one is not exactly another. */
#define SPAN_TOLERANCE 0.01
/* LUNs on the same disks that are looked at without being asked for. */
#define MAX_SHARING 64

/* ---- which modes count ---- */

/* Modes that the IOPS of the VMs' mix are made from in this span. */
static bool needs(const struct size_question *q, const struct size_span *s, enum size_mode m)
{
	double r = q->vm.read_share;

	if (s->by[SIZE_MIX].curve)
		return m == SIZE_MIX;
	return (m == SIZE_READ && r > 0) || (m == SIZE_WRITE && r < 1);
}

static bool is_anywhere(const struct size_answer *a, enum size_mode m)
{
	for (size_t i = 0; i < a->nr_spans; i++)
		if (a->span[i].by[m].curve)
			return true;
	return false;
}

static void choose_compared(struct size_answer *a)
{
	bool reads = a->q.vm.read_share > 0, writes = a->q.vm.read_share < 1;
	bool has_all =
		(!reads || is_anywhere(a, SIZE_READ)) && (!writes || is_anywhere(a, SIZE_WRITE));

	a->is_compared[SIZE_MIX] = !has_all && is_anywhere(a, SIZE_MIX);
	a->is_compared[SIZE_READ] = reads && !a->is_compared[SIZE_MIX];
	a->is_compared[SIZE_WRITE] = writes && !a->is_compared[SIZE_MIX];
}

/* The largest depth up to the one asked for that this curve was asked to measure, valid or not. */
static uint32_t deepest(const struct curve *c, uint32_t limit)
{
	uint32_t depth = 0;

	for (size_t i = 0; i < c->nr; i++)
		if (c->pt[i].iodepth <= limit && c->pt[i].iodepth > depth)
			depth = c->pt[i].iodepth;
	for (size_t i = 0; i < c->nr_rows; i++)
		if (c->row[i]->spec.iodepth <= limit && c->row[i]->spec.iodepth > depth)
			depth = c->row[i]->spec.iodepth;
	return depth;
}

static void choose_depth(struct size_answer *a, enum size_mode m)
{
	for (size_t i = 0; i < a->nr_spans; i++) {
		const struct curve *c = a->span[i].by[m].curve;
		uint32_t depth = c ? deepest(c, a->q.depth) : 0;

		a->depth[m] = depth > a->depth[m] ? depth : a->depth[m];
	}
}

/* ---- figures of a curve ---- */

static flag_set flags_at(const struct curve *c, uint32_t depth)
{
	const struct curve_point *p = depth ? curve_at_depth(c, depth) : NULL;

	return p ? p->flags : 0;
}

static void find_cap(const struct size_question *q, struct size_curve *sc)
{
	struct cap_answer *a = &sc->cap;

	cap_find(sc->curve, q->cap, a);
	sc->iops[SIZE_UNDER_CAP] = a->status == CAP_INFEASIBLE ? 0 : a->iops_interp;
	sc->iops[SIZE_CAP_MEASURED] = a->status == CAP_INFEASIBLE ? 0 : a->iops;
	sc->flags[SIZE_CAP_MEASURED] = a->flags;
	sc->flags[SIZE_UNDER_CAP] = a->flags | flags_at(sc->curve, a->last_good_depth) |
				    flags_at(sc->curve, a->first_bad_depth);
	/* Where no depth meets the cap, the shallowest is what says so. */
	if (a->status == CAP_INFEASIBLE)
		sc->flags[SIZE_UNDER_CAP] = flags_at(sc->curve, a->lat_min_depth);
}

static void read_curve(const struct size_answer *a, struct size_curve *sc, enum size_mode m)
{
	const struct curve_point *at, *peak;

	for (enum size_figure f = 0; f < SIZE_FIGURE_NR; f++)
		sc->iops[f] = UNKNOWN;
	sc->cap.status = CAP_NO_DATA;
	if (!sc->curve || !sc->curve->nr)
		return;
	find_cap(&a->q, sc);
	at = a->depth[m] ? curve_at_depth(sc->curve, a->depth[m]) : NULL;
	if (at) {
		sc->iops[SIZE_AT_DEPTH] = at->iops;
		sc->flags[SIZE_AT_DEPTH] = at->flags;
	}
	peak = sc->curve->pt;
	for (size_t i = 1; i < sc->curve->nr; i++)
		if (sc->curve->pt[i].iops > peak->iops)
			peak = &sc->curve->pt[i];
	sc->iops[SIZE_PEAK] = peak->iops;
	sc->flags[SIZE_PEAK] = peak->flags;
}

static void mix(const struct size_question *q, struct size_span *s)
{
	double r = q->vm.read_share, time = 0;

	for (enum size_mode m = 0; m < SIZE_MODE_NR; m++)
		if (needs(q, s, m) && size_is_least(&s->by[m]))
			s->is_mix_least = true;
	if (s->by[SIZE_MIX].curve) {
		s->mix_iops = s->by[SIZE_MIX].iops[SIZE_UNDER_CAP];
		return;
	}
	s->is_mix_estimate = r > 0 && r < 1;
	if (r > 0)
		time += r / s->by[SIZE_READ].iops[SIZE_UNDER_CAP];
	if (r < 1)
		time += (1 - r) / s->by[SIZE_WRITE].iops[SIZE_UNDER_CAP];
	/* 0 IOPS of one of them take for ever. */
	s->mix_iops = 1 / time;
}

/* ---- faults, base and losses ---- */

static enum size_fate fault_of(const struct size_answer *a, const struct size_curve *c,
			       enum size_mode m)
{
	bool is_compared = a->is_compared[m];

	if (!c->curve)
		return SIZE_NO_CURVE;
	if (c->cap.status == CAP_NO_DATA)
		return SIZE_NO_LATENCY;
	if (is_compared && a->depth[m] && isnan(c->iops[SIZE_AT_DEPTH]))
		return SIZE_NO_DEPTH;
	if (flags_have(c->flags[SIZE_UNDER_CAP], EFFECT_LOWER_BOUND) ||
	    (is_compared && flags_have(c->flags[SIZE_AT_DEPTH], EFFECT_LOWER_BOUND)))
		return SIZE_CLIENT_LIMITED;
	return c->cap.status == CAP_INFEASIBLE ? SIZE_CAP_NOT_MET : SIZE_KEPT;
}

/* The worst that is wrong with the curves that this span is judged by. */
static void find_fault(const struct size_answer *a, struct size_span *s)
{
	static const enum size_fate order[] = {SIZE_NO_CURVE, SIZE_NO_LATENCY, SIZE_NO_DEPTH,
					       SIZE_CLIENT_LIMITED, SIZE_CAP_NOT_MET};

	s->fate = SIZE_KEPT;
	for (size_t i = 0; i < NR(order); i++) {
		for (enum size_mode m = 0; m < SIZE_MODE_NR; m++) {
			if (!s->by[m].decides || fault_of(a, &s->by[m], m) != order[i])
				continue;
			s->fate = order[i];
			s->fate_mode = m;
			return;
		}
	}
}

/* Losses are against the smallest span with figures. Where the client was its limit they are the
 * least of it, so what loses too much against them does so for sure. */
static bool can_be_base(const struct size_answer *a, const struct size_span *s)
{
	if (s->fate != SIZE_KEPT && s->fate != SIZE_CLIENT_LIMITED)
		return false;
	for (enum size_mode m = 0; m < SIZE_MODE_NR; m++)
		if (a->is_compared[m] && !(s->by[m].iops[SIZE_UNDER_CAP] > 0))
			return false;
	return true;
}

static void find_losses(const struct size_answer *a, struct size_span *s)
{
	for (enum size_figure f = 0; f < SIZE_FIGURE_NR; f++) {
		s->loss[f] = UNKNOWN;
		for (enum size_mode m = 0; a->base && m < SIZE_MODE_NR; m++) {
			double loss = 1 - s->by[m].iops[f] / a->base->by[m].iops[f];

			if (!a->is_compared[m] || loss <= s->loss[f])
				continue;
			s->loss[f] = loss;
			s->worst[f] = m;
			/* The worst is not known as long as one of them is not. */
			if (isnan(loss))
				break;
		}
	}
}

static void mark_unsure(const struct size_answer *a, struct size_span *s)
{
	const struct size_span *base = a->base;

	for (enum size_figure f = 0; f < SIZE_FIGURE_NR; f++)
		for (enum size_mode m = 0; base && base != s && m < SIZE_MODE_NR; m++)
			if (a->is_compared[m] && (size_figure_is_least(&s->by[m], f) ||
						  size_figure_is_least(&base->by[m], f)))
				s->is_loss_unsure[f] = true;
}

/* Against the smallest span of which the figure of this mode is known; those before it of which the
 * least is known count too, as the loss is larger than against that least. */
static void find_sure_loss(const struct size_answer *a, struct size_span *s, enum size_mode m,
			   enum size_figure f)
{
	if (isnan(s->by[m].iops[f]) || size_figure_is_least(&s->by[m], f))
		return;
	for (const struct size_span *small = a->span; small < a->base; small++) {
		double iops = small->by[m].iops[f], loss = 1 - s->by[m].iops[f] / iops;

		if (!(iops > 0))
			continue;
		if (loss > s->sure_loss) {
			s->sure_loss = loss;
			s->sure_mode = m;
			s->sure_base = small;
		}
		if (!size_figure_is_least(&small->by[m], f))
			return;
	}
}

static void find_sure_losses(const struct size_answer *a, struct size_span *s)
{
	for (enum size_mode m = 0; a->base && s >= a->base && m < SIZE_MODE_NR; m++) {
		if (!a->is_compared[m])
			continue;
		find_sure_loss(a, s, m, SIZE_AT_DEPTH);
		find_sure_loss(a, s, m, SIZE_UNDER_CAP);
	}
}

/* ---- VMs ---- */

static double whole(double v)
{
	return floor(v + ROUNDING);
}

static const struct size_span *find_span(const struct size_answer *a, double bytes)
{
	for (size_t i = 0; i < a->nr_spans; i++)
		if (fabs((double)a->span[i].spec.span_bytes / bytes - 1) <= SPAN_TOLERANCE)
			return &a->span[i];
	return NULL;
}

/* VMs of each of k LUNs whose span together is all; UNKNOWN where that has no IOPS to tell. */
static double shared_vms(const struct size_question *q, const struct size_span *all, uint32_t k)
{
	return all ? whole((1 - q->headroom) * all->mix_iops / (k * q->vm.iops)) : UNKNOWN;
}

static void least(const double vms[SIZE_BOUND_NR], bool is_shared, double *nr,
		  enum size_bound *bound)
{
	enum size_bound last = is_shared ? SIZE_SHARED : SIZE_PERFORMANCE;

	*nr = vms[0];
	*bound = 0;
	for (enum size_bound b = 0; b <= last; b++) {
		if (isnan(vms[b])) {
			*nr = UNKNOWN;
			return;
		}
		if (vms[b] < *nr) {
			*nr = vms[b];
			*bound = b;
		}
	}
}

static void find_vms(const struct size_answer *a, struct size_span *s)
{
	const struct size_question *q = &a->q;
	double cap_s = (double)q->cap.limit_ns / (double)NS_PER_S;
	uint32_t k = q->luns_sharing;

	s->vms[SIZE_CAPACITY] =
		whole((1 - q->free_space) * (double)s->lun_bytes / q->vm.capacity_bytes);
	s->vms[SIZE_QUEUE] = whole(q->lun_queue / (q->burst * q->vm.iops * cap_s));
	s->vms[SIZE_PERFORMANCE] = whole((1 - q->headroom) * s->mix_iops / q->vm.iops);
	s->vms[SIZE_SHARED] = UNKNOWN;
	if (k > 1) {
		s->whole = find_span(a, (double)s->spec.span_bytes * k);
		s->vms[SIZE_SHARED] = shared_vms(q, s->whole, k);
	}
	least(s->vms, k > 1, &s->nr_vms, &s->bound);
}

/* ---- the answer ---- */

static bool exceeds(double loss, double limit)
{
	return loss > limit * (1 + ROUNDING);
}

/* Of the two losses that decide the larger one; an unknown one does not count. */
static enum size_figure worse(const struct size_span *s)
{
	return s->loss[SIZE_UNDER_CAP] > s->loss[SIZE_AT_DEPTH] || isnan(s->loss[SIZE_AT_DEPTH])
		       ? SIZE_UNDER_CAP
		       : SIZE_AT_DEPTH;
}

static void judge(const struct size_answer *a, struct size_span *s)
{
	enum size_figure f = worse(s);

	if (s->fate != SIZE_KEPT)
		return;
	if (exceeds(s->loss[f], a->q.loss_max)) {
		s->fate = SIZE_LOSES;
		s->fate_mode = s->worst[f];
	} else if (exceeds(s->sure_loss, a->q.loss_max)) {
		s->fate = SIZE_LOSES;
		s->fate_mode = s->sure_mode;
	} else if (isnan(s->nr_vms)) {
		s->fate = SIZE_NOT_SHARED;
	} else if (s->nr_vms < 1) {
		s->fate = SIZE_HOLDS_NONE;
	}
}

static void recommend(struct size_answer *a)
{
	for (size_t i = 0; i < a->nr_spans; i++) {
		const struct size_span *s = &a->span[i];

		if (s->fate == SIZE_KEPT && (!a->best || s->bound == SIZE_CAPACITY))
			a->best = s;
	}
}

/* What becomes of the recommended LUN where several share its disks, as far as was measured. */
static void share(struct size_answer *a)
{
	size_t cap = 0;

	for (uint32_t k = 2; a->best && k <= MAX_SHARING; k++) {
		struct size_sharing sh = {
			.nr_luns = k,
			.whole = find_span(a, (double)a->best->spec.span_bytes * k),
		};
		double vms[SIZE_BOUND_NR];

		for (enum size_bound b = 0; b < SIZE_SHARED; b++)
			vms[b] = a->best->vms[b];
		vms[SIZE_SHARED] = shared_vms(&a->q, sh.whole, k);
		least(vms, true, &sh.vms_each, &sh.bound);
		if (isnan(sh.vms_each))
			continue;
		VEC_GROW(a->sharing, a->nr_sharing, cap);
		a->sharing[a->nr_sharing++] = sh;
	}
}

int size_find(const struct curve *curves, size_t nr, const struct size_question *q,
	      struct size_answer *a, struct err *e)
{
	*a = (struct size_answer){.q = *q};
	if (size_spans_choose(curves, nr, a, e)) {
		size_release(a);
		return -1;
	}
	choose_compared(a);
	for (enum size_mode m = 0; m < SIZE_MODE_NR; m++)
		choose_depth(a, m);
	for (size_t i = 0; i < a->nr_spans; i++) {
		struct size_span *s = &a->span[i];

		for (enum size_mode m = 0; m < SIZE_MODE_NR; m++)
			read_curve(a, &s->by[m], m);
		for (enum size_mode m = 0; m < SIZE_MODE_NR; m++)
			s->by[m].decides = needs(q, s, m) || a->is_compared[m];
		mix(q, s);
		find_fault(a, s);
		if (!a->base && can_be_base(a, s))
			a->base = s;
	}
	for (size_t i = 0; i < a->nr_spans; i++) {
		find_losses(a, &a->span[i]);
		mark_unsure(a, &a->span[i]);
		find_sure_losses(a, &a->span[i]);
		find_vms(a, &a->span[i]);
		judge(a, &a->span[i]);
	}
	recommend(a);
	share(a);
	return 0;
}

void size_release(struct size_answer *a)
{
	free(a->span);
	free(a->sharing);
	*a = (struct size_answer){0};
}
