/* SPDX-License-Identifier: MIT */
/* What a LUN size rests on: the points that were not used, and what is assumed. */
#include "report/sentence_size.h"

#include "base/clock.h"
#include "report/format.h"

#include <math.h>

/* Points not used that are named, before the rest is only counted. */
#define MAX_NAMED 3

/* ---- notes ---- */

/* A stall spoils means and not percentiles, as in cap_find. */
static bool is_used(const struct size_report *r, const struct point *p)
{
	bool is_mean = r->answer->q.cap.stat == LAT_MEAN;

	return point_is_valid(p, r->accepted | (is_mean ? 0 : FLAG_BIT(FLAG_STALL))) &&
	       p->dir[DIR_TOTAL].iops > 0;
}

/* "iodepth 8 (spoiled: stall), iodepth 16 (skipped: ...) and 2 more" */
static void add_unused(struct buf *b, const struct size_report *r, const struct curve *c)
{
	size_t nr = 0;

	for (size_t i = 0; i < c->nr_rows; i++) {
		if (is_used(r, c->row[i]) || nr++ >= MAX_NAMED)
			continue;
		buf_addf(b, "%siodepth %u (", nr > 1 ? ", " : "", c->row[i]->spec.iodepth);
		format_status(b, c->row[i], r->accepted);
		buf_addch(b, ')');
	}
	if (nr > MAX_NAMED)
		buf_addf(b, " and %zu more", nr - MAX_NAMED);
}

static bool is_deciding(const struct size_curve *c)
{
	return c->curve && c->decides;
}

static flag_set deciding_flags(const struct size_curve *c)
{
	return c->flags[SIZE_UNDER_CAP] | c->flags[SIZE_AT_DEPTH];
}

static bool has_drift(const struct size_curve *c)
{
	for (size_t i = 0; i < c->curve->nr_anchors; i++)
		if (c->curve->anchor[i].differs)
			return true;
	return false;
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
	buf_add_span(b, &s->spec);
	buf_addf(b, ", %s: %zu of %zu points %s not used: ", sentence_size_mode(m), nr, c->nr_rows,
		 nr == 1 ? "is" : "are");
	add_unused(b, r, c);
	buf_addstr(b, ".\n");
}

/* Percentiles of several runs cannot be joined, and tables have gaps. Where none is known, the
 * verdict says so already. */
static void note_unknown(struct buf *b, const struct size_report *r, const struct size_span *s,
			 enum size_mode m)
{
	const struct curve *c = s->by[m].curve;
	enum lat_stat stat = r->answer->q.cap.stat;
	size_t nr = 0;

	for (size_t i = 0; i < c->nr; i++)
		nr += isnan(c->pt[i].lat_ns[stat]) != 0;
	if (!nr || nr == c->nr)
		return;
	buf_add_span(b, &s->spec);
	buf_addf(b,
		 ", %s: of %zu of %zu depths the %s latency is not known, so they say nothing "
		 "under the cap.\n",
		 sentence_size_mode(m), nr, c->nr, lat_stat_name(stat));
}

static bool is_of_other_run(const struct size_report *r, const struct curve *c, size_t i)
{
	const struct point *p = c->row[i];

	for (size_t k = 0; k < i; k++)
		if (c->row[k]->spec.iodepth == p->spec.iodepth && c->row[k]->run_id != p->run_id &&
		    is_used(r, c->row[k]))
			return true;
	return false;
}

/* They are taken as repeats of one point. */
static void note_runs(struct buf *b, const struct size_report *r, const struct size_span *s,
		      enum size_mode m)
{
	const struct curve *c = s->by[m].curve;
	uint32_t last_depth = 0;
	size_t nr = 0;

	for (size_t i = 0; i < c->nr_rows; i++) {
		uint32_t depth = c->row[i]->spec.iodepth;

		if (depth == last_depth || !is_used(r, c->row[i]) || !is_of_other_run(r, c, i))
			continue;
		last_depth = depth;
		nr++;
	}
	if (!nr)
		return;
	buf_add_span(b, &s->spec);
	buf_addf(b, ", %s: several runs measured %zu of %zu depths; their mean is taken.\n",
		 sentence_size_mode(m), nr, c->nr);
}

/* What a note is about: a flag, or that the target has changed. */
struct remark {
	bool is_drift;
	enum flag flag;
};

static bool carries(const struct size_curve *c, struct remark k)
{
	if (!is_deciding(c))
		return false;
	return k.is_drift ? has_drift(c) : (deciding_flags(c) & FLAG_BIT(k.flag)) != 0;
}

/* "1000GB (reads, writes), 2000GB (reads)"; 0 where no curve carries it. */
static size_t add_carriers(struct buf *b, const struct size_report *r, struct remark k)
{
	size_t nr = 0;

	for (size_t i = 0; i < r->answer->nr_spans; i++) {
		const struct size_span *s = &r->answer->span[i];
		const char *sep = " (";

		for (enum size_mode m = 0; m < SIZE_MODE_NR; m++) {
			if (!carries(&s->by[m], k))
				continue;
			if (*sep == ' ') {
				buf_addstr(b, nr ? ", " : "");
				buf_add_span(b, &s->spec);
			}
			buf_addf(b, "%s%s", sep, sentence_size_mode(m));
			sep = ", ";
			nr++;
		}
		buf_addstr(b, *sep == ',' ? ")" : "");
	}
	return nr;
}

static void note_carriers(struct buf *b, const struct size_report *r, struct remark k)
{
	struct buf list = BUF_INIT;

	if (add_carriers(&list, r, k)) {
		if (k.is_drift)
			buf_addf(b,
				 "state drift: measured again, these had changed, so that their "
				 "IOPS may not last: %s.\n",
				 buf_text(&list));
		else
			buf_addf(b, "%s%s, points that decide: %s.\n", flag_name(k.flag),
				 flag_effect(k.flag) == EFFECT_SPOILED &&
						 (r->accepted & FLAG_BIT(k.flag))
					 ? " (accepted)"
					 : "",
				 buf_text(&list));
	}
	buf_release(&list);
}

void sentence_size_notes(struct buf *b, const struct size_report *r)
{
	for (size_t i = 0; i < r->answer->nr_spans; i++) {
		const struct size_span *s = &r->answer->span[i];

		for (enum size_mode m = 0; m < SIZE_MODE_NR; m++) {
			if (!is_deciding(&s->by[m]))
				continue;
			note_unused(b, r, s, m);
			note_unknown(b, r, s, m);
			note_runs(b, r, s, m);
		}
	}
	for (enum flag f = 0; f < FLAG_NR; f++)
		note_carriers(b, r, (struct remark){.flag = f});
	note_carriers(b, r, (struct remark){.is_drift = true});
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
	sentence_size_pct(b, a->q.headroom);
	buf_addstr(b, " of the IOPS stay in reserve, and ");
	sentence_size_pct(b, a->q.free_space);
	buf_addstr(b, " of a LUN's capacity stay free.\n");
}

static void add_depths(struct buf *b, const struct size_answer *a)
{
	for (enum size_mode m = 0; m < SIZE_MODE_NR; m++) {
		if (!a->is_compared[m] || a->depth[m] == a->q.depth)
			continue;
		if (a->depth[m])
			buf_addf(b, " Of %s there is no iodepth %u: their loss is taken at %u.",
				 sentence_size_mode(m), a->q.depth, a->depth[m]);
		else
			buf_addf(b,
				 " Of %s there is no iodepth of %u or less: only the loss under "
				 "the cap is known.",
				 sentence_size_mode(m), a->q.depth);
	}
}

static void assume_loss(struct buf *b, const struct size_answer *a)
{
	buf_addstr(b, "A span is kept if it loses no more than ");
	sentence_size_pct(b, a->q.loss_max);
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
