/* SPDX-License-Identifier: MIT */
/* How the answers are found, in a page that may be all that a reader has. */
#include "base/mem.h"
#include "report/html_parts.h"
#include "report/html_write.h"

struct paragraph {
	const char *title, *text;
};

static const struct paragraph closed[] = {
	{"Points",
	 "A point is one combination of pattern, block size, span and iodepth, with so many I/Os kept in "
	 "flight all the time (a closed loop), by direct I/O. A ramp in front is not counted. Completions "
	 "are counted in short intervals; every latency goes into a histogram of 64 steps per octave, "
	 "so percentiles are within 1 %."},
	{"The knee",
	 "IOPS can rise with iodepth no faster than at the point of the largest IOPS / iodepth, and not "
	 "above the peak. Where these two lines cross is N*, the peak times the smallest iodepth / IOPS: "
	 "about the number of I/Os that the target serves at once, as seen from outside. These are the "
	 "asymptotes of operational analysis (Denning and Buzen, 1978), and need no fit. A curve saturates "
	 "at the smallest iodepth measured that is at least N* / 1.05 and gives 70 % of the peak. The knee "
	 "is not reached while IOPS rise 10 % or more per doubling over the last octave. A curve is saturated "
	 "from the start when its peak is at most 1.41 times its first point. A fall of 5 % or more behind the "
	 "peak is called retrograde, unless the target itself changed meanwhile."},
	{"The cap",
	 "The answer is the most IOPS of a measured iodepth whose latency is within the cap; of those that are as "
	 "good within their errors, the smallest iodepth. Between the last depth within the cap and the "
	 "first beyond it stands an estimate, read off a straight line on logarithmic axes. Caps on "
	 "percentiles are judged on measured percentiles, never on the mean."},
};

static const struct paragraph searched = {
	"The search",
	"The search measures the depths (or loads) that it takes until the cap lies between two neighbours, or "
	"between two that are 6 % apart (loads: 2 %) or give IOPS within 2 %. By Little's law every depth up to the "
	"cap times the IOPS meets a cap on the mean, as long as IOPS do not fall, which makes the first steps "
	"long."};

static const struct paragraph open_loop = {
	"Offered load",
	"I/Os start at their rate, whatever has completed (an open loop), and their latency counts from the intended "
	"start. A load is sustained when all but 3 % of it completes in the window. The answer under a cap is the "
	"highest sustained load whose latency is within it."};

static const struct paragraph common[] = {
	{"Intervals",
	 "Intervals are of 95 %. Those of IOPS and mean latency come from 20 to 39 batch means, corrected by their "
	 "autocorrelation (after SBatch, Lada and Wilson), since neighbouring moments resemble each other. The "
	 "interval of N* follows from the errors of the two points that it is made of. p95 and p99 have intervals "
	 "by Woodruff's method (1952)."},
	{"When a point ends",
	 "A point with a precision to reach ends when the intervals of IOPS and mean latency are that narrow, not "
	 "before min_time, and at max_time in any case, which is told. The start is cut off by MSER-5 (White, "
	 "1997); the rest is steady when five rounds of it range over less than 20 % and drift less than 10 %, "
	 "the rule of the SNIA Performance Test Specification on a shorter scale."},
	{"Checks",
	 "By Little's law (1961) IOPS times mean latency is the number of I/Os in flight. Both sides are measured "
	 "apart, and a point where they differ by more than 0.5 % is failed. Counters of the device "
	 "tell whether I/O reached it, and whether others used it. What was seen stands with each point as "
	 "a verdict; spoiled and failed points decide nothing, with one exception: a stall leaves "
	 "percentiles, so an iodepth that nothing else spoils counts for caps on percentiles."},
};

static void add(struct buf *b, const struct paragraph *p)
{
	buf_addstr(b, "<p><strong>");
	html_text(b, p->title);
	buf_addstr(b, ".</strong> ");
	html_text(b, p->text);
	buf_addstr(b, "</p>\n");
}

static void add_all(struct buf *b, const struct paragraph *p, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		add(b, &p[i]);
}

void html_method(struct buf *b, const struct html_page *page)
{
	const struct report *r = page->report;
	bool has_curves = false, has_loads = false, has_search = false, has_imported = false;

	for (size_t i = 0; i < r->nr_runs; i++) {
		has_curves = has_curves || r->runs[i].nr_curves;
		has_loads = has_loads || r->runs[i].nr_responses;
		has_search = has_search || r->runs[i].is_search;
		has_imported = has_imported || r->runs[i].info->imported;
	}
	buf_addstr(b, "<div class=\"text\">\n");
	if (has_imported)
		html_element(
			b, "p", NULL,
			"Imported figures were measured by others: for them only what is said of the knee "
			"and the cap holds.");
	if (has_curves)
		add_all(b, closed, NR(closed));
	if (has_search)
		add(b, &searched);
	if (has_loads)
		add(b, &open_loop);
	add_all(b, common, NR(common));
	html_element(b, "p", "note",
		     "The manual, lunsweep(1), has all of it under KNEE AND CAP and VERDICTS.");
	buf_addstr(b, "</div>\n");
}
