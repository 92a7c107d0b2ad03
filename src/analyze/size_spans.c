/* SPDX-License-Identifier: MIT */
#include "analyze/size_spans.h"

#include "base/mem.h"
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A mix whose reads are within so many points of those of the VM is its mix. */
#define MIX_TOLERANCE_PCT 5

/* An axis of which the curves must have one value, chosen by an option where they have several. */
struct choice {
	const char *option;
	uint64_t (*of)(const struct point_spec *s);
	void (*add)(struct buf *b, uint64_t v);
};

static uint64_t bs_of(const struct point_spec *s)
{
	return s->bs_bytes;
}

static uint64_t workers_of(const struct point_spec *s)
{
	return s->workers;
}

static void add_number(struct buf *b, uint64_t v)
{
	buf_addf(b, "%" PRIu64, v);
}

static const struct choice bs_choice = {"bs", bs_of, buf_add_size};
static const struct choice workers_choice = {"workers", workers_of, add_number};

static bool is_random(const struct curve *c)
{
	return rw_is_random(c->spec.rw) && c->spec.random_pct == 100;
}

static int several_values(const struct choice *ch, uint64_t a, uint64_t b, struct err *e)
{
	struct buf one = BUF_INIT, other = BUF_INIT;

	ch->add(&one, a);
	ch->add(&other, b);
	(void)err_set(e, ERR_USAGE,
		      "there are curves of %s %s and of %s %s; say which of them by --%s",
		      ch->option, buf_text(&one), ch->option, buf_text(&other), ch->option);
	buf_release(&one);
	buf_release(&other);
	return -1;
}

static int none_of_value(const struct choice *ch, uint64_t v, struct err *e)
{
	struct buf s = BUF_INIT;

	ch->add(&s, v);
	(void)err_set(e, ERR_DATA, "there is no curve of random I/O with %s %s", ch->option,
		      buf_text(&s));
	buf_release(&s);
	return -1;
}

/* Drop the candidates that have another value than the one asked for, or than the only one. */
static int narrow(const struct choice *ch, uint64_t asked, const struct curve **v, size_t *nr,
		  struct err *e)
{
	size_t kept = 0;

	for (size_t i = 0; i < *nr; i++) {
		uint64_t value = ch->of(&v[i]->spec);

		if (asked && value != asked)
			continue;
		if (kept && value != ch->of(&v[0]->spec))
			return several_values(ch, ch->of(&v[0]->spec), value, e);
		v[kept++] = v[i];
	}
	*nr = kept;
	return kept ? 0 : none_of_value(ch, asked, e);
}

static uint32_t nearest_mix(const struct curve **v, size_t nr, double read_share)
{
	double wanted = 100 * read_share, best = MIX_TOLERANCE_PCT;
	uint32_t pct = 0;

	/* VMs that only read, or only write, have curves of their own. */
	if (read_share <= 0 || read_share >= 1)
		return 0;
	for (size_t i = 0; i < nr; i++) {
		uint32_t p = v[i]->spec.rwmixread_pct;
		double off = fabs(p - wanted);

		if (p == 0 || p == 100 || off > best || (pct && off >= best))
			continue;
		best = off;
		pct = p;
	}
	return pct;
}

/* SIZE_MODE_NR for a mix that is not asked about. */
static enum size_mode mode_of(const struct size_answer *a, const struct point_spec *s)
{
	if (!point_writes(s))
		return SIZE_READ;
	if (!point_reads(s))
		return SIZE_WRITE;
	return s->rwmixread_pct == a->mix_read_pct ? SIZE_MIX : SIZE_MODE_NR;
}

/* The span of s among those found, which ascend; added where there is none. Curves mostly come with their spans
 * ascending, so that little is moved. */
static struct size_span *span_of(struct size_answer *a, const struct point_spec *s)
{
	size_t low = 0, high = a->nr_spans;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (a->span[middle].spec.span_bytes < s->span_bytes)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < a->nr_spans && a->span[low].spec.span_bytes == s->span_bytes)
		return &a->span[low];
	memmove(&a->span[low + 1], &a->span[low], (a->nr_spans - low) * sizeof(*a->span));
	a->nr_spans++;
	a->span[low] = (struct size_span){.spec = *s, .lun_bytes = s->span_bytes};
	return &a->span[low];
}

static int twice(const struct curve *a, const struct curve *b, struct err *e)
{
	struct buf one = BUF_INIT, other = BUF_INIT;

	buf_add_curve_name(&one, &a->spec);
	buf_add_curve_name(&other, &b->spec);
	(void)err_set(e, ERR_USAGE,
		      "two curves of the same kind are of one span: '%s' and '%s'; name runs that "
		      "have one of them",
		      buf_text(&one), buf_text(&other));
	buf_release(&one);
	buf_release(&other);
	return -1;
}

static int add_curve(struct size_answer *a, const struct curve *c, struct err *e)
{
	enum size_mode m = mode_of(a, &c->spec);
	struct size_span *s;

	if (m == SIZE_MODE_NR)
		return 0;
	if (!c->spec.span_bytes)
		return err_set(e, ERR_DATA,
			       "there are points of which the span is not known, and LUN sizes are "
			       "judged by it; import them with a column span or --set span=SIZE");
	s = span_of(a, &c->spec);
	if (s->by[m].curve)
		return twice(s->by[m].curve, c, e);
	s->by[m].curve = c;
	return 0;
}

static int wrong_count(const struct size_answer *a, struct err *e)
{
	struct buf s = BUF_INIT;

	for (size_t i = 0; i < a->nr_spans; i++) {
		buf_addstr(&s, i ? ", " : "");
		buf_add_span(&s, &a->span[i].spec);
	}
	(void)err_set(
		e, ERR_USAGE,
		"--lun-size gives %zu size%s, but %zu span%s measured: %s; give one for each, "
		"in this order",
		a->q.nr_lun_sizes, a->q.nr_lun_sizes == 1 ? "" : "s", a->nr_spans,
		a->nr_spans == 1 ? " was" : "s were", buf_text(&s));
	buf_release(&s);
	return -1;
}

static int set_lun_sizes(struct size_answer *a, struct err *e)
{
	struct buf span = BUF_INIT, lun = BUF_INIT;

	if (!a->q.nr_lun_sizes)
		return 0;
	if (a->q.nr_lun_sizes != a->nr_spans)
		return wrong_count(a, e);
	for (size_t i = 0; i < a->nr_spans; i++) {
		a->span[i].lun_bytes = a->q.lun_size[i];
		if (a->span[i].lun_bytes >= a->span[i].spec.span_bytes)
			continue;
		buf_add_span(&span, &a->span[i].spec);
		buf_add_size(&lun, a->span[i].lun_bytes);
		(void)err_set(e, ERR_USAGE,
			      "--lun-size: a LUN of %s cannot hold the span of %s; give sizes in "
			      "the order of the spans, smallest first",
			      buf_text(&lun), buf_text(&span));
		buf_release(&span);
		buf_release(&lun);
		return -1;
	}
	return 0;
}

static int choose(const struct curve **v, size_t nr, struct size_answer *a, struct err *e)
{
	if (!nr)
		return err_set(e, ERR_DATA,
			       "there is no curve of random I/O, which is what VMs do: LUN sizes "
			       "take randread and randwrite, or randrw, over several spans");
	if (narrow(&bs_choice, a->q.bs_bytes, v, &nr, e) ||
	    narrow(&workers_choice, a->q.workers, v, &nr, e))
		return -1;
	a->mix_read_pct = nearest_mix(v, nr, a->q.vm.read_share);
	a->span = xcalloc(nr, sizeof(*a->span));
	for (size_t i = 0; i < nr; i++)
		if (add_curve(a, v[i], e))
			return -1;
	if (!a->nr_spans)
		return err_set(e, ERR_DATA,
			       "there are only curves of mixes that are not the VM's; measure "
			       "randread and randwrite, or randrw with its mix");
	return set_lun_sizes(a, e);
}

int size_spans_choose(const struct curve *curves, size_t nr, struct size_answer *a, struct err *e)
{
	const struct curve **v = xcalloc(nr + 1, sizeof(*v));
	size_t nr_random = 0;
	int rc;

	for (size_t i = 0; i < nr; i++)
		if (is_random(&curves[i]))
			v[nr_random++] = &curves[i];
	rc = choose(v, nr_random, a, e);
	free(v);
	return rc;
}
