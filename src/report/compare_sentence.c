/* SPDX-License-Identifier: MIT */
#include "report/compare.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdlib.h>

void compare_word(struct buf *b, const struct compare_item *item)
{
	int direction = compare_direction(item);

	if (item->verdict == COMPARE_UNJUDGED)
		buf_addstr(b, isnan(item->ratio) ? "not compared" : "no significance");
	else if (item->verdict == COMPARE_INCONCLUSIVE && item->bound_flags)
		buf_addstr(b, item->bound_flags & FLAG_BIT(FLAG_CPU_BOUND) ? "client-limited"
									   : "only a bound");
	else if (item->verdict != COMPARE_DIFFERENT)
		buf_addstr(b, compare_verdict_name(item->verdict));
	else if (item->figure == COMPARE_NSTAR)
		buf_addstr(b, item->ratio > 1 ? "higher" : "lower");
	else
		buf_addstr(b, direction > 0 ? "better" : "worse");
}

/* ---- counting ---- */

/* The items of one figure (and cap), by what became of them. */
struct count {
	size_t nr, nr_up, nr_down, nr_equivalent, nr_inconclusive, nr_no_ratio, nr_untested;
	size_t nr_bound; /* of those that are inconclusive, for these flags */
	flag_set bound_flags;
	double *up, *down, *untested;	 /* |ratio - 1|, or the ratio where it is untested */
	const struct compare_item *only; /* the last one */
};

static void take_inconclusive(struct count *c, const struct compare_item *item)
{
	c->nr_inconclusive++;
	c->nr_bound += item->bound_flags != 0;
	c->bound_flags |= item->bound_flags;
}

static void take(struct count *c, const struct compare_item *item)
{
	c->nr++;
	c->only = item;
	if (item->verdict == COMPARE_DIFFERENT && item->ratio > 1)
		c->up[c->nr_up++] = item->ratio - 1;
	else if (item->verdict == COMPARE_DIFFERENT)
		c->down[c->nr_down++] = 1 - item->ratio;
	else if (item->verdict == COMPARE_EQUIVALENT)
		c->nr_equivalent++;
	else if (item->verdict == COMPARE_INCONCLUSIVE)
		take_inconclusive(c, item);
	else if (isnan(item->ratio))
		c->nr_no_ratio++;
	else
		c->untested[c->nr_untested++] = item->ratio;
}

static bool same_question(const struct compare_item *a, const struct compare_item *b)
{
	return a->figure == b->figure && a->cap.stat == b->cap.stat &&
	       a->cap.limit_ns == b->cap.limit_ns;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct count count_items(const struct comparison *c, const struct compare_item *like)
{
	struct count n = {.up = xcalloc(c->nr + 1, sizeof(double)),
			  .down = xcalloc(c->nr + 1, sizeof(double)),
			  .untested = xcalloc(c->nr + 1, sizeof(double))};

	for (size_t i = 0; i < c->nr; i++)
		if (same_question(&c->item[i], like))
			take(&n, &c->item[i]);
	qsort(n.up, n.nr_up, sizeof(double), compare_doubles);
	qsort(n.down, n.nr_down, sizeof(double), compare_doubles);
	qsort(n.untested, n.nr_untested, sizeof(double), compare_doubles);
	return n;
}

static void count_release(struct count *n)
{
	free(n->up);
	free(n->down);
	free(n->untested);
}

static double median(const double *sorted, size_t nr)
{
	return (sorted[(nr - 1) / 2] + sorted[nr / 2]) / 2;
}

/* ---- sentences ---- */

/* What a figure is called, and the words for a ratio above and below 1. */
struct words {
	const char *subject, *plain, *that, *up, *down, *unit;
};

static struct words words_of(enum compare_figure f)
{
	switch (f) {
	case COMPARE_IOPS:
		return (struct words){"B is",	"IOPS of B are", "those",
				      "faster", "slower",	 "point"};
	case COMPARE_LAT:
		return (struct words){"Mean latency of B is",
				      "Mean latency of B is",
				      "that",
				      "higher",
				      "lower",
				      "point"};
	case COMPARE_NSTAR:
		return (struct words){"The knee N* of B is",
				      "The knee N* of B is",
				      "that",
				      "higher",
				      "lower",
				      "curve"};
	case COMPARE_CAP:
		break;
	}
	return (struct words){" of B is", " of B is", "that", "higher", "lower", "curve"};
}

static void add_subject(struct buf *b, const struct compare_item *item, const char *subject)
{
	if (item->figure == COMPARE_CAP) {
		buf_addstr(b, "The maximum at ");
		format_cap(b, item->cap);
	}
	buf_addstr(b, subject);
}

static void add_share(struct buf *b, const char *word, const double *sorted, size_t nr, size_t of,
		      const char *unit)
{
	buf_addf(b, " %s at %zu of %zu %s%s by ", word, nr, of, unit, of == 1 ? "" : "s");
	format_sig3(b, 100 * median(sorted, nr));
	buf_addf(b, " %%%s", nr > 1 ? " (median)" : "");
}

static const char *separator(size_t *nr_parts)
{
	return (*nr_parts)++ ? "," : "";
}

/* "inconclusive at 2 of 7", and of what if it is the first to be told. */
static void add_count(struct buf *b, const char *word, size_t nr, const struct count *n,
		      const char *unit, size_t *nr_parts)
{
	if (!nr)
		return;
	buf_addf(b, "%s %s at %zu of %zu", separator(nr_parts), word, nr, n->nr);
	if (*nr_parts == 1)
		buf_addf(b, " %s%s", unit, n->nr == 1 ? "" : "s");
}

/* " (2 of them rest on a bound: depth-not-held)" */
static void add_bounds(struct buf *b, const struct count *n)
{
	if (!n->nr_bound)
		return;
	buf_addstr(b, " (");
	if (n->nr_inconclusive > 1)
		buf_addf(b, "%zu of them ", n->nr_bound);
	buf_addf(b, "rest%s on a bound: ", n->nr_bound == 1 ? "s" : "");
	format_flags(b, n->bound_flags, ", ");
	buf_addch(b, ')');
}

/* Of figures without a test there is nothing to say but the ratio. */
static void add_untested(struct buf *b, const struct compare_item *like, const struct count *n,
			 const struct words *w)
{
	add_subject(b, like, w->plain);
	buf_addf(b, " %.3f times %s of A", median(n->untested, n->nr_untested), w->that);
	if (n->nr_untested > 1)
		buf_addf(b, " (median of %zu %ss, from %.3f to %.3f)", n->nr_untested, w->unit,
			 n->untested[0], n->untested[n->nr_untested - 1]);
	buf_addstr(b, ": ratio, no significance.");
}

static void add_judged(struct buf *b, const struct compare_item *like, const struct count *n,
		       const struct words *w)
{
	size_t nr_parts = 0;

	add_subject(b, like, n->nr_up || n->nr_down ? w->subject : w->plain);
	if (n->nr_up) {
		buf_addstr(b, separator(&nr_parts));
		add_share(b, w->up, n->up, n->nr_up, n->nr, w->unit);
	}
	if (n->nr_down) {
		buf_addstr(b, separator(&nr_parts));
		add_share(b, w->down, n->down, n->nr_down, n->nr, w->unit);
	}
	add_count(b, "equivalent", n->nr_equivalent, n, w->unit, &nr_parts);
	add_count(b, "inconclusive", n->nr_inconclusive, n, w->unit, &nr_parts);
	add_bounds(b, n);
	add_count(b, "not judged", n->nr_untested + n->nr_no_ratio, n, w->unit, &nr_parts);
	buf_addch(b, '.');
}

/* What there is one of: with its figures. */
static void add_only(struct buf *b, const struct count *n, const struct words *w)
{
	const struct compare_item *item = n->only;

	add_subject(b, item, w->plain);
	if (item->verdict == COMPARE_DIFFERENT) {
		buf_addf(b, " %s by ", item->ratio > 1 ? w->up : w->down);
		format_sig3(b, 100 * fabs(item->ratio - 1));
		buf_addstr(b, " %");
	} else {
		buf_addf(b, " %s", compare_verdict_name(item->verdict));
		add_bounds(b, n);
	}
	buf_addstr(b, ": ");
	format_iops(b, item->side[0].value);
	buf_addstr(b, " and ");
	format_iops(b, item->side[1].value);
	buf_addch(b, '.');
}

/* N* or a maximum under a cap that no curve allows to compare: why, by the last of them. */
static void add_not_compared(struct buf *b, const struct compare_item *like, const struct count *n)
{
	buf_addstr(b, like->figure == COMPARE_NSTAR ? "The knee N*" : "The maximum at ");
	if (like->figure == COMPARE_CAP)
		format_cap(b, like->cap);
	buf_addf(b, " is not compared: %s.", n->only->reason ? n->only->reason : "it is not known");
}

static void add_sentence(struct buf *b, const struct comparison *c, const struct compare_item *like)
{
	struct count n = count_items(c, like);
	struct words w = words_of(like->figure);

	buf_addstr(b, b->len ? " " : "");
	if (n.nr == n.nr_no_ratio)
		add_not_compared(b, like, &n);
	else if (n.nr == n.nr_no_ratio + n.nr_untested)
		add_untested(b, like, &n, &w);
	else if (n.nr == 1 && like->figure >= COMPARE_NSTAR)
		add_only(b, &n, &w);
	else
		add_judged(b, like, &n, &w);
	count_release(&n);
}

static bool was_told(const struct comparison *c, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (same_question(&c->item[k], &c->item[i]))
			return true;
	return false;
}

void compare_sentences(struct buf *b, const struct compare_report *r)
{
	static const enum compare_figure order[] = {COMPARE_IOPS, COMPARE_LAT, COMPARE_NSTAR,
						    COMPARE_CAP};

	if (!r->c->nr)
		buf_addstr(
			b,
			"A and B have no valid point in common, so there is nothing to compare.");
	for (size_t f = 0; f < NR(order); f++)
		for (size_t i = 0; i < r->c->nr; i++)
			if (r->c->item[i].figure == order[f] && !was_told(r->c, i))
				add_sentence(b, r->c, &r->c->item[i]);
}

/* ---- notes ---- */

static bool any_untested(const struct comparison *c)
{
	for (size_t i = 0; i < c->nr; i++)
		if (!isnan(c->item[i].ratio) && c->item[i].method == COMPARE_UNTESTED)
			return true;
	return false;
}

static bool any_pooled(const struct comparison *c)
{
	for (size_t i = 0; i < c->nr; i++)
		if (c->item[i].method == COMPARE_POOLED)
			return true;
	return false;
}

/* What makes bounds of figures that a verdict would rest on. */
static flag_set all_bounds(const struct comparison *c)
{
	flag_set flags = 0;

	for (size_t i = 0; i < c->nr; i++)
		flags |= c->item[i].bound_flags;
	return flags;
}

static void add_bound_notes(struct buf *b, flag_set flags)
{
	flag_set others = flags & ~FLAG_BIT(FLAG_CPU_BOUND);

	if (flags & FLAG_BIT(FLAG_CPU_BOUND))
		buf_addstr(
			b,
			"Where the client was the limit, a difference or a likeness is that of the "
			"client, so there is no verdict on the target.\n");
	if (!others)
		return;
	buf_addstr(b, "Where a point is ");
	format_flags(b, others, " or ");
	buf_addstr(
		b,
		", its figures are bounds: the target does as many IOPS or more. A likeness with a bound "
		"proves nothing, nor does a difference that it may make up.\n");
}

static void add_unfinished(struct buf *b, const struct run_group *g)
{
	for (size_t i = 0; i < g->nr; i++)
		if (g->info[i]->state != RUN_FINISHED)
			buf_addf(b, "Run %" PRId64 " is not finished (%s).\n", g->info[i]->id,
				 run_state_name(g->info[i]->state));
}

static void add_order(struct buf *b, enum compare_order order)
{
	if (order == ORDER_SEPARATE)
		buf_addstr(b,
			   "All runs of one group came before all of the other: whatever changed "
			   "meanwhile looks like a difference of the groups. Run A and B in turn "
			   "(A, B, A, B, ...).\n");
	else if (order == ORDER_CLUSTERED)
		buf_addstr(b, "The runs of A and B hardly alternated: a drift in time looks like a "
			      "difference of the groups. Run A and B in turn (A, B, A, B, ...).\n");
}

void compare_notes(struct buf *b, const struct compare_report *r)
{
	const struct comparison *c = r->c;

	if (any_untested(c))
		buf_addstr(
			b,
			"One run in a group: runs of one target differ by more than any one of "
			"them shows, so a single one gives a ratio and no significance. Three runs of each "
			"decide, two where a curve has several depths.\n");
	add_order(b, r->order);
	if (any_pooled(c))
		buf_addstr(
			b,
			"The variance is pooled over the depths of a curve and over both groups, "
			"as if it were the same for all.\n");
	if (c->has_repeats)
		buf_addstr(b, "Repeats of a point within a run are one value of that run, not "
			      "several runs.\n");
	if (c->has_copies)
		buf_addstr(
			b,
			"All runs of a group have equal figures at some points: are they copies of "
			"one measurement? Then their agreement proves nothing.\n");
	add_bound_notes(b, all_bounds(c));
	if (c->has_other_spans)
		buf_addstr(b, "Spans are the same share of targets of different size, not the same "
			      "number of bytes.\n");
	if (c->nr_open)
		buf_addf(b, "%zu points with an offered load are not compared.\n", c->nr_open);
	add_unfinished(b, &r->group[0]);
	add_unfinished(b, &r->group[1]);
}
