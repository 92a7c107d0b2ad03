/* SPDX-License-Identifier: MIT */
#include "report/text.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/term.h"
#include "base/units.h"
#include "report/format.h"
#include "report/lines.h"
#include "report/markup.h"
#include "report/pivot.h"
#include "report/text_answers.h"
#include "report/text_curve.h"
#include "report/text_load.h"
#include "report/text_plot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH_DEFAULT 80
#define NAME_CHARS    60

void text_other_run(struct buf *s, const struct report_run *run, const struct point *p)
{
	if (p->run_id != run->info->id && run->is_search)
		buf_addf(s, ", of run %" PRId64, p->run_id);
}

static void count_points(const struct report_run *run, unsigned nr[POINT_STATUS_NR])
{
	memset(nr, 0, POINT_STATUS_NR * sizeof(*nr));
	for (size_t i = 0; i < run->nr_points; i++)
		nr[run->points[i].status]++;
}

/* "1 failed", in the style of what that is. */
static void add_count(struct buf *b, const char *sep, unsigned nr, const char *what, bool has_color,
		      enum term_style style)
{
	struct buf s = BUF_INIT;

	buf_addf(&s, "%u %s", nr, what);
	buf_addstr(b, sep);
	buf_add_styled(b, has_color, style, buf_text(&s));
	buf_release(&s);
}

/* "4 of 6 points measured, 3 of them valid; 1 spoiled, 2 planned" */
static void add_progress(struct buf *b, const struct report_run *run, bool has_color)
{
	unsigned nr[POINT_STATUS_NR], spoiled = 0;
	const char *sep = "; ";
	size_t left_out = report_left_out(run);

	count_points(run, nr);
	for (size_t i = 0; i < run->nr_points; i++)
		if (run->points[i].status == POINT_OK &&
		    !point_is_valid(&run->points[i], run->accepted))
			spoiled++;
	buf_addf(b, "%u of %zu points %s", nr[POINT_OK], run->nr_points,
		 run->info->imported ? "with figures" : "measured");
	if (nr[POINT_OK] && !spoiled)
		buf_addstr(b, ", all valid");
	else if (nr[POINT_OK])
		buf_addf(b, ", %u of them valid", nr[POINT_OK] - spoiled);
	if (spoiled) {
		add_count(b, sep, spoiled, "spoiled", has_color, TERM_WARN);
		sep = ", ";
	}
	for (enum point_status s = 0; s < POINT_STATUS_NR; s++) {
		bool is_bad = s == POINT_FAILED || s == POINT_NO_IO;

		if (s == POINT_OK || !nr[s])
			continue;
		add_count(b, sep, nr[s], point_status_name(s), has_color && is_bad, TERM_BAD);
		sep = ", ";
	}
	buf_addch(b, '.');
	if (left_out)
		buf_addf(b,
			 " The %s was used up and left %zu points out: answers are of what is "
			 "there; the same command goes on with the rest.",
			 facts_get(&run->info->facts, FACT_BUDGET), left_out);
	else if (run->info->state != RUN_FINISHED)
		buf_addf(b, " The run is not finished (%s): answers are of what is there.",
			 run_state_name(run->info->state));
}

static bool ends_with(const char *s, const char *end)
{
	size_t len = strlen(s), end_len = strlen(end);

	return len >= end_len && !strcmp(s + len - end_len, end);
}

static void add_target(struct buf *b, const struct run_info *info)
{
	if (!info->target_given)
		return;
	buf_addstr(b, "Target: ");
	buf_add_clean(b, info->target_given, 4096);
	if (info->target_label && !ends_with(info->target_given, info->target_label)) {
		buf_addstr(b, ", ");
		buf_add_clean(b, info->target_label, 4096);
	}
	if (info->target_size_bytes) {
		buf_addstr(b, ", ");
		buf_add_size_human(b, info->target_size_bytes);
	}
	buf_addch(b, '.');
	if (info->target_queue_limit)
		buf_addf(b, " Queue limit of this host: %u.", info->target_queue_limit);
}

static void add_when(struct buf *b, const struct run_info *info)
{
	if (!info->start_wall_ns)
		return;
	buf_addstr(b, info->imported ? "Imported " : "Begun ");
	buf_add_utc(b, info->start_wall_ns);
	if (info->imported) {
		buf_addstr(b, "; not measured by lunsweep.");
		return;
	}
	if (info->end_wall_ns > info->start_wall_ns) {
		buf_addstr(b, ", took ");
		buf_add_hms(b, (uint64_t)(info->end_wall_ns - info->start_wall_ns));
	}
	buf_addch(b, '.');
}

static void add_head(struct buf *b, const struct report_run *run, struct text_style style)
{
	const struct run_info *info = run->info;
	struct buf s = BUF_INIT;
	struct buf name = BUF_INIT;

	format_run_name(&name, info);
	buf_addf(&s, "Run %" PRId64 ": ", info->id);
	buf_add_clean(&s, buf_text(&name), NAME_CHARS);
	text_heading(b, style, buf_text(&s));
	buf_reset(&s);
	if (info->question && *info->question) {
		buf_addstr(&s, "Question: ");
		buf_add_clean(&s, info->question, 4096);
	}
	text_paragraph(b, style, &s);
	add_target(&s, info);
	text_paragraph(b, style, &s);
	add_when(&s, info);
	text_paragraph(b, style, &s);
	add_progress(&s, run, style.color);
	text_paragraph(b, style, &s);
	buf_release(&name);
	buf_release(&s);
}

static void add_warnings(struct buf *b, const struct report_run *run, struct text_style style)
{
	unsigned nr[FLAG_NR] = {0};
	struct buf s = BUF_INIT;
	bool any = false;

	for (size_t i = 0; i < run->nr_points; i++)
		for (enum flag f = 0; f < FLAG_NR; f++)
			nr[f] += (run->points[i].flags & FLAG_BIT(f)) != 0;
	for (enum flag f = 0; f < FLAG_NR; f++) {
		if (!nr[f])
			continue;
		if (!any)
			text_heading(b, style, "Warnings");
		any = true;
		buf_addf(&s, "%s (%u point%s%s): %s.", flag_name(f), nr[f], nr[f] == 1 ? "" : "s",
			 run->accepted & FLAG_BIT(f) ? ", accepted" : "", flag_meaning(f));
		text_paragraph(b, style, &s);
	}
	buf_release(&s);
}

/* What a reader asks first; all that is stored is in `lunsweep show`. */
static const struct {
	const char *fact, *label;
} setup_facts[] = {
	{"host.name", "host"},
	{"host.kernel", "kernel"},
	{"host.cpu_model", "CPU"},
	{"host.cpus", "CPUs"},
	{"device.model", "model"},
	{"device.firmware", "firmware"},
	{"fs.type", "file system"},
	{"loop.backing_file", "backing file"},
	{"queue.scheduler", "scheduler"},
	{"queue.nr_requests", "nr_requests"},
	{"queue.max_sectors_kb", "max_sectors_kb"},
	{"queue.write_cache", "write cache"},
	{"cgroup.io_limit", "cgroup limit"},
	{"consent.write_to", "writes"},
	{"guard.on_it", "found on it"},
	{"guard.decision", "write guard"},
};

static void add_fact(struct lines *l, const char *label, const char *value)
{
	struct buf s = BUF_INIT;

	if (value)
		buf_add_clean(&s, value, 400);
	lines_take(l, label, &s);
}

static void add_setup(struct buf *b, const struct run_info *info, struct text_style style)
{
	/* Facts are never broken: whoever looks for one greps for it. */
	struct lines l = {.out = b, .name_width = 15, .is_markdown = style.is_markdown};
	struct buf line = BUF_INIT;

	if (!info->tool_version && !info->facts.nr)
		return;
	text_heading(b, style, "Set-up");
	add_fact(&l, "tool", info->tool_version);
	add_fact(&l, "engine", info->engine);
	add_fact(&l, "identity", info->target_identity);
	for (size_t i = 0; i < NR(setup_facts); i++)
		add_fact(&l, setup_facts[i].label, facts_get(&info->facts, setup_facts[i].fact));
	if (!info->imported)
		buf_addf(&line, "%" PRIu64, info->seed);
	add_fact(&l, "seed", buf_text(&line));
	buf_reset(&line);
	if (info->command) {
		buf_addstr(&line, "Made by: ");
		buf_add_clean(&line, info->command, SIZE_MAX);
	}
	text_paragraph(b, style, &line);
	buf_addf(&line, "All of it: lunsweep show %" PRId64, info->id);
	text_paragraph(b, style, &line);
	buf_release(&line);
}

/* Which columns the tables have no room for, and where they are to be seen. */
static void add_dropped(struct buf *b, const struct report_run *run, const struct buf *dropped,
			struct text_style style)
{
	struct buf s = BUF_INIT;

	if (!dropped->len)
		return;
	buf_addf(&s,
		 "Columns that %zu columns of text have no room for: %s. A wider terminal shows "
		 "them, and so do COLUMNS=132 and 'lunsweep report %" PRId64 " --format csv'.",
		 style.width, buf_text(dropped), run->info->id);
	text_gap(b, style);
	text_paragraph(b, style, &s);
	buf_release(&s);
}

static void add_curves(struct buf *b, const struct report_run *run, bool explain,
		       struct text_style style, struct buf *dropped)
{
	for (size_t i = 0; i < run->nr_curves; i++)
		text_curve(b, run, &run->curves[i], explain, style, dropped);
	for (size_t i = 0; i < run->nr_responses; i++)
		text_load_curve(b, run, &run->responses[i], style, dropped);
	add_dropped(b, run, dropped, style);
	add_warnings(b, run, style);
}

static void add_run(struct buf *b, const struct report *r, const struct report_run *run,
		    struct text_style style)
{
	struct buf dropped = BUF_INIT;

	add_head(b, run, style);
	text_answers(b, run, style, &dropped);
	pivot_text_spans(b, run, style);
	if (r->plot)
		text_run_plots(b, run, style);
	add_curves(b, run, r->explain, style, &dropped);
	add_setup(b, run->info, style);
	buf_release(&dropped);
}

void text_searches(struct buf *b, const struct report *r, struct text_style style)
{
	struct buf s = BUF_INIT;

	if (!style.width)
		style.width = WIDTH_DEFAULT;
	for (size_t i = 0; i < r->nr_runs; i++) {
		const struct report_run *run = &r->runs[i];
		struct buf dropped = BUF_INIT;

		add_head(b, run, style);
		if (run->nr_curves + run->nr_responses > 1)
			text_answers(b, run, style, &dropped);
		add_curves(b, run, r->explain, style, &dropped);
		buf_release(&dropped);
		buf_addf(&s, "With the set-up: lunsweep report %" PRId64, run->info->id);
		text_gap(b, style);
		text_paragraph(b, style, &s);
	}
	buf_release(&s);
}

static void add_difference(struct buf *b, const struct report_difference *d,
			   struct text_style style)
{
	struct buf s = BUF_INIT;

	buf_addf(&s, "run %" PRId64 ", ", d->run_id);
	buf_add_clean(&s, d->name, 100);
	buf_addstr(&s, ": ");
	buf_add_clean(&s, d->from ? d->from : "(not known)", 200);
	buf_addstr(&s, " -> ");
	buf_add_clean(&s, d->to ? d->to : "(not known)", 200);
	text_paragraph(b, style, &s);
	buf_release(&s);
}

static void add_differences(struct buf *b, const struct report *r, struct text_style style)
{
	struct report_difference *d;
	size_t nr;
	struct buf s = BUF_INIT;

	buf_addf(&s, "Set-up that differs from run %" PRId64, r->runs[0].info->id);
	text_heading(b, style, buf_text(&s));
	report_differences(r, &d, &nr);
	for (size_t i = 0; i < nr; i++)
		add_difference(b, &d[i], style);
	if (!nr)
		text_say(b, style, "Nothing that is stored.");
	free(d);
	buf_release(&s);
}

static bool any_response(const struct report *r)
{
	for (size_t i = 0; i < r->nr_runs; i++)
		if (r->runs[i].nr_responses)
			return true;
	return false;
}

static void add_explanation(struct buf *b, const struct report *r, struct text_style style)
{
	text_heading(b, style, "How to read this");
	text_say(
		b, style,
		"N* is the iodepth where the two asymptotes of a curve cross: peak IOPS x the "
		"smallest ratio of iodepth to IOPS. About so many I/Os the target serves at once, as "
		"seen from outside. A curve saturates at the smallest iodepth measured that is "
		"at least N* / 1.05 and gives 70 % of the peak. The knee is not reached while IOPS "
		"rise 10 % or more per doubling over the last octave. A curve is saturated from the "
		"start when its peak is at most 1.41x its first point.");
	text_say(
		b, style,
		"Times are response times from the submit call to the completion. iodepth is "
		"the total over all workers, held the mean depth that was achieved, seq the number "
		"of a point in its run. A p99 with a * is of fewer than 1000 I/Os, so fewer "
		"than 10 lie beyond it. k, m, G and T are 1024-based, kB to TB decimal.");
	if (any_response(r))
		text_say(
			b, style,
			"Under an offered load, I/Os start at their rate whatever has completed, "
			"and times count from the intended start. Late is how much later an I/O "
			"was submitted than intended, beyond a wait for the limit of I/Os in "
			"flight. A load is sustained when all but 3 % of it completes in the window.");
}

void text_report(struct buf *b, const struct report *r, struct text_style style)
{
	if (!style.width)
		style.width = WIDTH_DEFAULT;
	for (size_t i = 0; i < r->nr_runs; i++)
		add_run(b, r, &r->runs[i], style);
	if (r->nr_runs > 1)
		add_differences(b, r, style);
	add_explanation(b, r, style);
}
