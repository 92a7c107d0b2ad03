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
/* Spans that could not be judged are named up to this many. */
#define MAX_NAMED 3

const char *sentence_size_mode(enum size_mode m)
{
	static const char *const plural[SIZE_MODE_NR] = {"reads", "writes", "the mix"};

	return plural[m];
}

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

void sentence_size_pct(struct buf *b, double share)
{
	buf_addf(b, "%.4g %%", 100 * share);
}

/* ---- the VM ---- */

void sentence_size_need(struct buf *b, const struct vm_need *n)
{
	buf_addf(b, "%.6g IOPS, ", n->iops);
	sentence_size_bytes(b, (uint64_t)llround(n->capacity_bytes));
	buf_addstr(b, ", ");
	sentence_size_pct(b, n->read_share);
	buf_addstr(b, " reads");
}

void sentence_size_vm(struct buf *b, const struct size_report *r)
{
	buf_addstr(b, "A VM asks ");
	sentence_size_need(b, &r->answer->q.vm);
	if (r->vms->nr < 2) {
		buf_addstr(b, r->vms->nr ? ": profile " : "");
		if (r->vms->nr)
			buf_add_clean(b, r->vms->v[0].name, 40);
		buf_addch(b, '.');
		return;
	}
	buf_addf(b, ", the mean of %zu profiles: ", r->vms->nr);
	for (size_t i = 0; i < r->vms->nr; i++) {
		const struct vm_profile *v = &r->vms->v[i];

		buf_addstr(b, i ? "; " : "");
		sentence_size_pct(b, v->share);
		buf_addch(b, ' ');
		buf_add_clean(b, v->name, 40);
		buf_addstr(b, " (");
		sentence_size_need(b, &v->need);
		buf_addch(b, ')');
	}
	buf_addch(b, '.');
}

/* ---- without VMs ---- */

/* A loss as it is told: of which figure, against which span, and how sure it is. */
struct told_loss {
	double share;
	const char *how; /* "", "at least ", "about " */
	enum size_figure figure;
	const struct size_span *base;
};

static const char *how_sure(const struct size_span *s, enum size_figure f)
{
	if (!s->is_loss_unsure[f])
		return "";
	/* Of a base that is the least it can be, it loses more; what other modes lose adds to it. */
	return size_figure_is_least(&s->by[s->worst[f]], f) ? "about " : "at least ";
}

/* The larger of the two losses that decide; what is kept is told by the one that is sure. */
static enum size_figure told_figure(const struct size_span *s)
{
	const double *loss = s->loss;

	if (isnan(loss[SIZE_AT_DEPTH]))
		return SIZE_UNDER_CAP;
	if (s->fate == SIZE_KEPT && s->is_loss_unsure[SIZE_UNDER_CAP] &&
	    !s->is_loss_unsure[SIZE_AT_DEPTH])
		return SIZE_AT_DEPTH;
	return loss[SIZE_UNDER_CAP] > loss[SIZE_AT_DEPTH] ? SIZE_UNDER_CAP : SIZE_AT_DEPTH;
}

static struct told_loss tell_loss(const struct size_answer *a, const struct size_span *s)
{
	enum size_figure f = told_figure(s);
	struct told_loss t = {s->loss[f], how_sure(s, f), f, a->base};

	if (s->sure_loss > fmax(t.share, 0))
		t = (struct told_loss){s->sure_loss, "at least ", SIZE_FIGURE_NR, s->sure_base};
	return t;
}

static bool is_cap_unsure(const struct size_answer *a)
{
	for (size_t i = 0; i < a->nr_spans; i++)
		if (size_is_judged(a->span[i].fate) && a->span[i].is_loss_unsure[SIZE_UNDER_CAP])
			return true;
	return false;
}

void sentence_size_iops(struct buf *b, const struct size_answer *a)
{
	if (a->is_compared[SIZE_MIX])
		buf_addstr(b, "IOPS of the mix");
	else if (a->is_compared[SIZE_READ] && a->is_compared[SIZE_WRITE])
		buf_addstr(b, "IOPS");
	else
		buf_addstr(b, a->is_compared[SIZE_READ] ? "read IOPS" : "write IOPS");
}

void sentence_size_share(struct buf *b, const struct size_span *s, enum size_figure f)
{
	buf_addstr(b, how_sure(s, f));
	if (s->loss[f] > 0)
		buf_addf(b, "%.1f %%", 100 * s->loss[f]);
	else
		buf_addstr(b, "nothing");
}

/* "11 %", "at least 19 %", "none" */
static void add_told(struct buf *b, const struct told_loss *t)
{
	buf_addstr(b, t->how);
	/* It never meets the cap. */
	if (t->share >= 1)
		buf_addstr(b, "all under the cap");
	else if (t->share > 0 || *t->how)
		format_share(b, fmax(t->share, 0));
	else
		buf_addstr(b, "none");
}

void sentence_size_loss(struct buf *b, const struct size_answer *a, const struct size_span *s)
{
	struct told_loss t = tell_loss(a, s);

	buf_add_span(b, &s->spec);
	buf_addstr(b, " loses ");
	add_told(b, &t);
	buf_addstr(b, " of the ");
	sentence_size_iops(b, a);
	buf_addstr(b, " of ");
	buf_add_span(b, &t.base->spec);
	if (t.figure == SIZE_AT_DEPTH && is_cap_unsure(a))
		buf_addf(b, " at iodepth %u", a->depth[s->worst[SIZE_AT_DEPTH]]);
}

static size_t count_unjudged(const struct size_answer *a)
{
	size_t nr = 0;

	for (size_t i = 0; i < a->nr_spans; i++)
		nr += !size_is_judged(a->span[i].fate);
	return nr;
}

/* "500GB and 1000GB", or only how many where they are many. */
static void add_unjudged(struct buf *b, const struct size_answer *a, size_t nr)
{
	size_t k = 0;

	if (nr > MAX_NAMED) {
		buf_addf(b, "%zu of %zu spans", nr, a->nr_spans);
		return;
	}
	for (size_t i = 0; i < a->nr_spans; i++) {
		if (size_is_judged(a->span[i].fate))
			continue;
		buf_addstr(b, !k ? "" : k + 1 == nr ? " and " : ", ");
		buf_add_span(b, &a->span[i].spec);
		k++;
	}
}

static void reserve_cap(struct buf *b, const struct size_answer *a)
{
	bool is_reached = true;

	if (!is_cap_unsure(a))
		return;
	for (size_t i = 0; i < a->nr_spans; i++)
		for (enum size_mode m = 0; m < SIZE_MODE_NR; m++)
			if (a->is_compared[m] && a->span[i].by[m].cap.status == CAP_NOT_REACHED)
				is_reached = false;
	buf_addstr(b, "What is lost under ");
	format_cap(b, a->q.cap);
	buf_addf(b, " is uncertain: %s. ",
		 is_reached ? "the client was the limit there"
			    : "not every span has a depth that exceeds it");
}

void sentence_size_reserves(struct buf *b, const struct size_answer *a)
{
	size_t nr = count_unjudged(a);

	if (nr) {
		add_unjudged(b, a, nr);
		buf_addstr(b, " could not be judged");
		if (a->best && a->base != a->span) {
			buf_addstr(b, ", so losses are against ");
			buf_add_span(b, &a->base->spec);
		}
		buf_addstr(b, ". ");
	}
	if (!a->is_compared[SIZE_MIX] && a->is_compared[SIZE_READ] != a->is_compared[SIZE_WRITE])
		buf_addf(b, "Only %s were measured. ",
			 sentence_size_mode(a->is_compared[SIZE_READ] ? SIZE_READ : SIZE_WRITE));
	reserve_cap(b, a);
}

/* What is kept and what is not; the spans above the first that loses too much do not count. */
static void say_hint(struct buf *b, const struct size_answer *a, const struct size_span *kept,
		     const struct size_span *loses)
{
	if (!kept) {
		buf_addstr(b, "not known; ");
		sentence_size_loss(b, a, loses);
		buf_addstr(b, ", more than ");
	} else if (kept == a->base) {
		sentence_size_loss(b, a, loses);
		buf_addstr(b, ", more than ");
	} else if (loses) {
		struct told_loss t = tell_loss(a, loses);

		sentence_size_loss(b, a, kept);
		buf_addstr(b, ", ");
		buf_add_span(b, &loses->spec);
		buf_addstr(b, " loses ");
		add_told(b, &t);
		buf_addstr(b, "; up to ");
		buf_add_span(b, &kept->spec);
		buf_addstr(b, " it is no more than ");
	} else {
		sentence_size_loss(b, a, kept);
		buf_addf(b, ", and no span %sloses more than ",
			 count_unjudged(a) ? "that could be judged " : "");
	}
	sentence_size_pct(b, a->q.loss_max);
}

void sentence_size_hint(struct buf *b, const struct size_answer *a, int64_t run_id)
{
	const struct size_span *kept = NULL, *loses = NULL;

	for (size_t i = 0; i < a->nr_spans && !loses; i++) {
		const struct size_span *s = &a->span[i];

		if (s->fate == SIZE_KEPT)
			kept = s;
		if (s->fate == SIZE_LOSES || (s->fate == SIZE_CAP_NOT_MET && kept))
			loses = s;
	}
	if (!a->base || (!loses && (!kept || kept == a->base)))
		return;
	buf_addstr(b, "LUN size: ");
	say_hint(b, a, kept, loses);
	buf_addstr(b, ". ");
	sentence_size_reserves(b, a);
	buf_addf(b,
		 "How many VMs a LUN takes: lunsweep size %" PRId64
		 " --vm-iops N --vm-capacity SIZE --vm-read PERCENT.",
		 run_id);
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
	sentence_size_pct(b, a->q.loss_max);
	buf_addstr(b, " of the IOPS.");
	for (size_t i = 0; i < a->nr_spans; i++)
		unjudged += a->span[i].fate != SIZE_KEPT && a->span[i].fate != SIZE_LOSES &&
			    a->span[i].fate != SIZE_HOLDS_NONE;
	if (unjudged)
		buf_addf(b, " %u size%s could not be judged.", unjudged, unjudged == 1 ? "" : "s");
	if (a->base != a->span) {
		buf_addstr(b, " Losses are against ");
		buf_add_span(b, &a->base->spec);
		buf_addstr(b, ", as smaller spans are among these.");
	}
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

/* "reads lose 19.4 %", "writes lose at least 19.0 % against 500GB" */
static void add_lost(struct buf *b, const struct size_answer *a, const struct size_span *s,
		     const char *mode)
{
	struct told_loss t = tell_loss(a, s);

	buf_addf(b, "%s lose%s %s%.1f %%", mode, is_one(s->fate_mode) ? "s" : "", t.how,
		 100 * t.share);
	if (t.base != a->base) {
		buf_addstr(b, " against ");
		buf_add_span(b, &t.base->spec);
	}
}

void sentence_size_verdict(struct buf *b, const struct size_answer *a, const struct size_span *s)
{
	const char *mode = sentence_size_mode(s->fate_mode);

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
		add_lost(b, a, s, mode);
		break;
	case SIZE_HOLDS_NONE:
	case SIZE_FATE_NR:
		buf_addf(b, "takes not one VM");
		break;
	}
}
