/* SPDX-License-Identifier: MIT */
#include "report/sentence_size.h"

#include "base/clock.h"
#include "base/units.h"
#include "report/format.h"

#include <inttypes.h>
#include <math.h>

#define BYTES_PER_M ((uint64_t)1 << 20)
#define BYTES_PER_G ((uint64_t)1 << 30)
/* As published tables have it (D25). */
#define DECIMAL_GB 1000000000U

/* Points not used that are named, before the rest is only counted. */
#define MAX_NAMED 3

static const char *const plural[SIZE_MODE_NR] = {"reads", "writes", "the mix"};

static bool is_one(enum size_mode m)
{
	return m == SIZE_MIX;
}

void sentence_size_bytes(struct buf *b, uint64_t bytes)
{
	if (bytes >= BYTES_PER_G && bytes % BYTES_PER_G == 0)
		buf_addf(b, "%" PRIu64 "G", bytes / BYTES_PER_G);
	else if (bytes && (bytes % BYTES_PER_M == 0 || bytes % DECIMAL_GB == 0))
		buf_add_size_title(b, bytes);
	else
		buf_add_size_human(b, bytes);
}

static bool is_least(const struct size_span *s, enum size_bound bound)
{
	return (bound == SIZE_PERFORMANCE && s->is_mix_least) ||
	       (bound == SIZE_SHARED && s->whole && s->whole->is_mix_least);
}

void sentence_size_vms(struct buf *b, const struct size_span *s, enum size_bound bound)
{
	if (isnan(s->vms[bound]))
		buf_addch(b, '-');
	else
		buf_addf(b, "%s%.0f", is_least(s, bound) ? ">= " : "", s->vms[bound]);
}

/* "1 VM", "20 VMs" */
static void add_vms(struct buf *b, double nr)
{
	buf_addf(b, "%.0f VM%s", nr, nr == 1 ? "" : "s");
}

static void add_pct(struct buf *b, double share)
{
	buf_addf(b, "%.4g %%", 100 * share);
}

/* ---- the VM ---- */

void sentence_size_need(struct buf *b, const struct vm_need *n)
{
	buf_addf(b, "%.6g IOPS, ", n->iops);
	sentence_size_bytes(b, (uint64_t)llround(n->capacity_bytes));
	buf_addstr(b, ", ");
	add_pct(b, n->read_share);
	buf_addstr(b, " reads");
}

void sentence_size_vm(struct buf *b, const struct size_report *r)
{
	buf_addstr(b, "A VM asks ");
	sentence_size_need(b, &r->answer->q.vm);
	if (r->vms->nr < 2) {
		buf_addf(b, "%s%s.", r->vms->nr ? ": profile " : "",
			 r->vms->nr ? r->vms->v[0].name : "");
		return;
	}
	buf_addf(b, ", the mean of %zu profiles: ", r->vms->nr);
	for (size_t i = 0; i < r->vms->nr; i++) {
		const struct vm_profile *v = &r->vms->v[i];

		buf_addstr(b, i ? "; " : "");
		add_pct(b, v->share);
		buf_addch(b, ' ');
		format_short(b, v->name, 40);
		buf_addstr(b, " (");
		sentence_size_need(b, &v->need);
		buf_addch(b, ')');
	}
	buf_addch(b, '.');
}

/* ---- the answer ---- */

static void add_decider(struct buf *b, const struct size_answer *a, enum size_bound bound)
{
	switch (bound) {
	case SIZE_CAPACITY:
		buf_addstr(b, "Capacity decides");
		break;
	case SIZE_QUEUE:
		buf_addf(b, "The queue of %u I/Os decides", a->q.lun_queue);
		break;
	case SIZE_PERFORMANCE:
		buf_addstr(b, "The IOPS under the cap decide");
		break;
	case SIZE_SHARED:
	case SIZE_BOUND_NR:
		buf_addf(b, "The IOPS that %u LUNs share decide", a->q.luns_sharing);
		break;
	}
}

/* ": by its queue it would take 32 VMs, by its IOPS 47." */
static void add_others(struct buf *b, const struct size_span *s)
{
	static const char *const of[SIZE_BOUND_NR] = {"its capacity", "its queue", "its IOPS",
						      "its share of the IOPS"};
	const char *sep = ": by ";
	bool is_first = true;

	for (enum size_bound o = 0; o < SIZE_BOUND_NR; o++) {
		if (o == s->bound || isnan(s->vms[o]))
			continue;
		buf_addf(b, "%s%s ", sep, of[o]);
		buf_addstr(b, is_first ? "it would take " : "");
		buf_addstr(b, is_least(s, o) ? "at least " : "");
		if (is_first)
			add_vms(b, s->vms[o]);
		else
			buf_addf(b, "%.0f", s->vms[o]);
		is_first = false;
		sep = ", by ";
	}
	buf_addch(b, '.');
}

static void say_why(struct buf *b, const struct size_answer *a)
{
	unsigned unjudged = 0;

	if (a->nr_spans == 1) {
		buf_addstr(b, " Only one span was measured, so what a larger LUN loses is not "
			      "known.");
		return;
	}
	buf_addstr(b, a->best->bound == SIZE_CAPACITY
			      ? " It is the largest size that is full before anything else gives "
				"out"
			      : " No size is full before something else gives out, so it is the "
				"smallest, as a larger one takes hardly more");
	buf_addstr(b, ", of those that lose no more than ");
	add_pct(b, a->q.loss_max);
	buf_addstr(b, " of the IOPS.");
	for (size_t i = 0; i < a->nr_spans; i++)
		unjudged += a->span[i].fate != SIZE_KEPT && a->span[i].fate != SIZE_LOSES &&
			    a->span[i].fate != SIZE_HOLDS_NONE;
	if (unjudged)
		buf_addf(b, " %u size%s could not be judged.", unjudged, unjudged == 1 ? "" : "s");
}

static void say_none(struct buf *b, const struct size_answer *a)
{
	unsigned nr[SIZE_FATE_NR] = {0};

	for (size_t i = 0; i < a->nr_spans; i++)
		nr[a->span[i].fate]++;
	buf_addstr(b, "No LUN size can be recommended: ");
	if (nr[SIZE_HOLDS_NONE] && nr[SIZE_HOLDS_NONE] + nr[SIZE_LOSES] == a->nr_spans)
		buf_addstr(b, "no LUN that keeps its IOPS takes even one VM.");
	else if (nr[SIZE_NOT_SHARED] && nr[SIZE_NOT_SHARED] + nr[SIZE_LOSES] == a->nr_spans)
		buf_addf(b, "no span that keeps its IOPS has one of %u times its size beside it.",
			 a->q.luns_sharing);
	else
		buf_addstr(b, "no measured span can be kept. The table says why.");
}

void sentence_size_answer(struct buf *b, const struct size_answer *a)
{
	if (!a->best) {
		say_none(b, a);
		return;
	}
	buf_addstr(b, "LUNs of ");
	sentence_size_bytes(b, a->best->lun_bytes);
	buf_addf(b, ", each for %s", is_least(a->best, a->best->bound) ? "at least " : "");
	add_vms(b, a->best->nr_vms);
	buf_addstr(b, ". ");
	add_decider(b, a, a->best->bound);
	add_others(b, a->best);
	say_why(b, a);
}

/* What a LUN takes whose disks nobody else uses. */
static double alone(const struct size_span *s)
{
	return fmin(s->vms[SIZE_CAPACITY], fmin(s->vms[SIZE_QUEUE], s->vms[SIZE_PERFORMANCE]));
}

/* "4 carry 9 VMs each, 36 in all and not 80" */
static void add_sharing(struct buf *b, const struct size_span *best, const struct size_sharing *sh)
{
	bool at_least = sh->bound == SIZE_SHARED && sh->whole->is_mix_least;

	buf_addf(b, "carry %s", at_least ? "at least " : "");
	add_vms(b, sh->vms_each);
	buf_addf(b, " each, %.0f in all", sh->nr_luns * sh->vms_each);
	if (sh->vms_each < alone(best) && !at_least)
		buf_addf(b, " and not %.0f", sh->nr_luns * alone(best));
}

void sentence_size_sharing(struct buf *b, const struct size_answer *a)
{
	if (!a->best)
		return;
	if (!a->nr_sharing) {
		buf_addstr(b, "What several such LUNs on the same disks carry is not known: no "
			      "span of 2 or more times ");
		buf_add_span(b, &a->best->spec);
		buf_addstr(b, " was measured. They share the IOPS of the disks, as smaller LUNs "
			      "create none.");
		return;
	}
	buf_addstr(b, "On the same disks, ");
	for (size_t i = 0; i < a->nr_sharing; i++) {
		buf_addf(b, "%s%u %s", i ? "; " : "", a->sharing[i].nr_luns, i ? "" : "such LUNs ");
		add_sharing(b, a->best, &a->sharing[i]);
	}
	buf_addstr(b, ". LUNs that are busy together do what their whole span does; smaller LUNs "
		      "create no IOPS.");
}

void sentence_size_verdict(struct buf *b, const struct size_answer *a, const struct size_span *s)
{
	const char *mode = plural[s->fate_mode];

	switch (s->fate) {
	case SIZE_KEPT:
		buf_addstr(b, s == a->best ? "recommended" : "kept");
		break;
	case SIZE_NO_CURVE:
		buf_addf(b, "%s %s not measured", mode, is_one(s->fate_mode) ? "was" : "were");
		break;
	case SIZE_NO_LATENCY:
		buf_addf(b, "no valid point of %s with a %s latency", mode,
			 lat_stat_name(a->q.cap.stat));
		break;
	case SIZE_NO_DEPTH:
		buf_addf(b, "no valid point of %s at iodepth %u", mode, a->depth[s->fate_mode]);
		break;
	case SIZE_CLIENT_LIMITED:
		buf_addf(b, "the client was the limit of %s", mode);
		break;
	case SIZE_CAP_NOT_MET:
		buf_addf(b, "%s never meet%s the cap", mode, is_one(s->fate_mode) ? "s" : "");
		break;
	case SIZE_NOT_SHARED:
		buf_addf(b, "%u times this span was not measured", a->q.luns_sharing);
		break;
	case SIZE_LOSES:
		buf_addf(b, "%s lose%s ", mode, is_one(s->fate_mode) ? "s" : "");
		buf_addf(b, "%.1f %%", 100 * fmax(s->loss[SIZE_AT_DEPTH], s->loss[SIZE_UNDER_CAP]));
		break;
	case SIZE_HOLDS_NONE:
	case SIZE_FATE_NR:
		buf_addf(b, "takes not one VM");
		break;
	}
}

/* ---- notes ---- */

static bool is_used(const struct size_report *r, const struct point *p)
{
	return point_is_valid(p, r->accepted) && p->dir[DIR_TOTAL].iops > 0;
}

/* "iodepth 8 (spoiled: stall), iodepth 16 (skipped: ...) and 2 more" */
static void add_unused(struct buf *b, const struct size_report *r, const struct curve *c)
{
	size_t nr = 0;

	for (size_t i = 0; i < c->nr_rows; i++) {
		if (is_used(r, c->row[i]) || nr++ >= MAX_NAMED)
			continue;
		buf_addf(b, "%siodepth %u (", nr > 1 ? ", " : "", c->row[i]->spec.iodepth);
		format_status(b, c->row[i]);
		buf_addch(b, ')');
	}
	if (nr > MAX_NAMED)
		buf_addf(b, " and %zu more", nr - MAX_NAMED);
}

static void begin_note(struct buf *b, const struct size_span *s, enum size_mode m)
{
	buf_add_span(b, &s->spec);
	buf_addf(b, ", %s: ", plural[m]);
}

static void note_unused(struct buf *b, const struct size_report *r, const struct size_span *s,
			enum size_mode m)
{
	const struct curve *c = s->by[m].curve;
	size_t nr = 0;

	for (size_t i = 0; i < c->nr_rows; i++)
		nr += !is_used(r, c->row[i]);
	if (!nr)
		return;
	begin_note(b, s, m);
	buf_addf(b, "%zu of %zu points %s not used: ", nr, c->nr_rows, nr == 1 ? "is" : "are");
	add_unused(b, r, c);
	buf_addstr(b, ".\n");
}

static void note_flags(struct buf *b, const struct size_span *s, enum size_mode m)
{
	flag_set flags = s->by[m].flags[SIZE_UNDER_CAP] | s->by[m].flags[SIZE_AT_DEPTH];

	if (!flags)
		return;
	begin_note(b, s, m);
	buf_addstr(b, "the points that decide carry ");
	format_flags(b, flags, ", ");
	buf_addstr(b, ".\n");
}

static void note_drift(struct buf *b, const struct size_span *s, enum size_mode m)
{
	const struct curve *c = s->by[m].curve;
	bool differs = false;

	for (size_t i = 0; i < c->nr_anchors; i++)
		differs = differs || c->anchor[i].differs;
	if (!differs)
		return;
	begin_note(b, s, m);
	buf_addstr(b, "measured again, it had changed (state drift), so that these IOPS may not "
		      "last.\n");
}

void sentence_size_notes(struct buf *b, const struct size_report *r, const struct size_span *s)
{
	for (enum size_mode m = 0; m < SIZE_MODE_NR; m++) {
		if (!s->by[m].curve)
			continue;
		note_unused(b, r, s, m);
		note_flags(b, s, m);
		note_drift(b, s, m);
	}
}

/* ---- assumptions ---- */

static void assume_one_lun(struct buf *b, const struct size_answer *a)
{
	buf_addstr(b, "One LUN was busy at a time when the spans were measured. LUNs on the same "
		      "disks that are busy together are taken to do as one span of their sizes "
		      "together");
	if (a->q.luns_sharing > 1)
		buf_addf(b, "; %u of them share the disks here", a->q.luns_sharing);
	buf_addstr(b, ".\n");
}

static void assume_mix(struct buf *b, const struct size_answer *a)
{
	double r = a->q.vm.read_share;
	unsigned measured = 0, estimated = 0;

	for (size_t i = 0; i < a->nr_spans; i++) {
		measured += a->span[i].by[SIZE_MIX].curve != NULL;
		estimated += a->span[i].is_mix_estimate;
	}
	if (measured)
		buf_addf(b, "IOPS of the VM's mix are those measured at %u %% reads%s.\n",
			 a->mix_read_pct, estimated ? " where there are any" : "");
	if (!estimated)
		return;
	buf_addf(b,
		 "%s IOPS of the mix are a harmonic estimate, 1 / (%.4g / reads + %.4g / writes), "
		 "which is poor: where mixes were measured, they did 0.45 to 2.75 times as much. "
		 "Better measure the mix itself: --rw randrw --rwmixread %.0f.\n",
		 measured ? "Elsewhere" : "The", r, 1 - r, round(100 * r));
}

static void assume_load(struct buf *b, const struct size_answer *a)
{
	double cap_s = (double)a->q.cap.limit_ns / (double)NS_PER_S;
	double outstanding = a->q.vm.iops * cap_s;

	buf_addf(b,
		 "Loads of VMs add up. By Little's law a VM has %.4g I/Os outstanding on average "
		 "(%.6g IOPS x %.10g ms), and %.4g times as many in a burst, a factor that is "
		 "assumed; a LUN takes %u.\n",
		 outstanding, a->q.vm.iops, (double)a->q.cap.limit_ns / (double)NS_PER_MS,
		 a->q.burst, a->q.lun_queue);
}

static void assume_reserves(struct buf *b, const struct size_answer *a)
{
	add_pct(b, a->q.headroom);
	buf_addstr(b, " of the IOPS stay in reserve, and ");
	add_pct(b, a->q.free_space);
	buf_addstr(b, " of a LUN's capacity stay free.\n");
}

static void add_depths(struct buf *b, const struct size_answer *a)
{
	for (enum size_mode m = 0; m < SIZE_MODE_NR; m++) {
		if (!a->is_compared[m] || a->depth[m] == a->q.depth)
			continue;
		if (a->depth[m])
			buf_addf(b, " Of %s there is no iodepth %u: their loss is taken at %u.",
				 plural[m], a->q.depth, a->depth[m]);
		else
			buf_addf(b,
				 " Of %s there is no iodepth of %u or less: only the loss under "
				 "the cap is known.",
				 plural[m], a->q.depth);
	}
}

static void assume_loss(struct buf *b, const struct size_answer *a)
{
	buf_addstr(b, "A span is kept if it loses no more than ");
	add_pct(b, a->q.loss_max);
	buf_addf(b, " of the IOPS of the smallest, at iodepth %u and under the cap", a->q.depth);
	if (a->base && a->base != a->span) {
		buf_addstr(b, "; losses are against ");
		buf_add_span(b, &a->base->spec);
		buf_addstr(b, ", the smallest of which all is known");
	}
	buf_addstr(b, ". That limit is a choice, not a standard.");
	add_depths(b, a);
	buf_addch(b, '\n');
}

static void assume_interpolation(struct buf *b)
{
	buf_addstr(b, "IOPS under the cap are interpolated between the depths around it, which is "
		      "an estimate; the best measured depth stands beside them.\n");
}

void sentence_size_assumptions(struct buf *b, const struct size_report *r)
{
	const struct size_answer *a = r->answer;

	assume_one_lun(b, a);
	assume_mix(b, a);
	assume_load(b, a);
	assume_reserves(b, a);
	assume_loss(b, a);
	assume_interpolation(b);
	if (r->vms->nr > 1)
		buf_addstr(b, "VMs are counted as the mean of their profiles, so each LUN holds "
			      "them in these shares.\n");
	if (a->q.cap.stat != LAT_MEAN)
		buf_addf(b,
			 "The queue is reckoned with the cap on the %s, which is more than the "
			 "mean that Little's law takes: the bound by the queue is on the safe "
			 "side.\n",
			 lat_stat_name(a->q.cap.stat));
}
