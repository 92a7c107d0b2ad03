/* SPDX-License-Identifier: MIT */
#include "report/text.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/units.h"
#include "report/evidence.h"
#include "report/format.h"
#include "report/lines.h"
#include "report/markup.h"
#include "report/pivot.h"
#include "report/sentence.h"
#include "report/table.h"
#include "report/text_load.h"

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

/* "3 of 6 points measured; 1 failed, 2 planned" */
static void add_progress(struct buf *b, const struct report_run *run)
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
	for (enum point_status s = 0; s < POINT_STATUS_NR; s++) {
		if (s == POINT_OK || !nr[s])
			continue;
		buf_addf(b, "%s%u %s", sep, nr[s], point_status_name(s));
		sep = ", ";
	}
	if (spoiled)
		buf_addf(b, "%s%u spoiled", sep, spoiled);
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
	format_short(b, info->target_given, 4096);
	if (info->target_label && !ends_with(info->target_given, info->target_label)) {
		buf_addstr(b, ", ");
		format_short(b, info->target_label, 4096);
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
	format_short(&s, buf_text(&name), NAME_CHARS);
	text_heading(b, style, buf_text(&s));
	buf_reset(&s);
	if (info->question && *info->question) {
		buf_addstr(&s, "Question: ");
		format_short(&s, info->question, 4096);
	}
	text_paragraph(b, style, &s);
	add_target(&s, info);
	text_paragraph(b, style, &s);
	add_when(&s, info);
	text_paragraph(b, style, &s);
	add_progress(&s, run);
	text_paragraph(b, style, &s);
	buf_release(&name);
	buf_release(&s);
}

/* Caps that fit beside the name of a curve. */
#define CAPS_PER_TABLE 2

static void add_knee_cells(struct table *t, const struct report_curve *rc)
{
	const struct knee *k = &rc->knee;
	bool has_figures = knee_is_known(k);
	/* Where the knee was not reached, the deepest point is what there is. */
	bool is_rising = k->cls == KNEE_RISING;
	double iops = is_rising ? k->last_iops : k->sat_iops;
	double lat_ns = is_rising ? k->last_lat_ns : k->sat_lat_ns;
	struct buf s = BUF_INIT;

	sentence_knee_short(&s, rc->curve, k);
	table_take(t, &s);
	format_iops(&s, has_figures ? iops : UNKNOWN);
	table_take(t, &s);
	format_fixed(&s, has_figures ? lat_ns / 1e6 : UNKNOWN, 3);
	table_take(t, &s);
	buf_release(&s);
}

static void add_cap_short(struct buf *s, const struct report_curve *rc, unsigned c)
{
	if (rc->search[c])
		sentence_search_short(s, rc->search[c]);
	else
		sentence_cap_short(s, &rc->cap[c]);
}

/* One line per curve: its knee if asked for, and nr caps from the first on. */
static void add_answer_table(struct buf *b, const struct report_run *run, bool has_knee,
			     unsigned first, unsigned nr, struct text_style style)
{
	struct table_col col[4 + CAPS_PER_TABLE] = {
		{"curve", true, 0},
		{"saturates", true, 0},
		{"IOPS", false, 2},
		{"mean ms", false, 1},
	};
	size_t nr_front = has_knee ? 4 : 1;
	struct buf title[CAPS_PER_TABLE] = {BUF_INIT};
	struct buf s = BUF_INIT;
	struct table t;

	for (unsigned i = 0; i < nr; i++) {
		buf_addstr(&title[i], "max at ");
		format_cap(&title[i], run->caps[first + i]);
		col[nr_front + i] = (struct table_col){buf_text(&title[i]), true, 0};
	}
	table_init(&t, col, nr_front + nr);
	t.last_min = 30; /* an answer in one line */
	for (size_t i = 0; i < run->nr_curves; i++) {
		buf_add_curve_name(&s, &run->curves[i].curve->spec);
		table_take(&t, &s);
		if (has_knee)
			add_knee_cells(&t, &run->curves[i]);
		for (unsigned c = first; c < first + nr; c++) {
			add_cap_short(&s, &run->curves[i], c);
			table_take(&t, &s);
		}
	}
	text_table(b, style, 2, &t);
	table_release(&t);
	for (unsigned i = 0; i < nr; i++)
		buf_release(&title[i]);
	buf_release(&s);
}

static void add_answers(struct buf *b, const struct report_run *run, struct text_style style)
{
	/* Few depths, chosen for a cap, are no curve to tell a knee from. */
	unsigned nr, begin = run->is_search ? 0 : 1;

	text_heading(b, style, "Answers");
	if (run->nr_curves && !run->is_search)
		add_answer_table(b, run, true, 0, run->nr_caps ? 1 : 0, style);
	for (unsigned first = begin; run->nr_curves && first < run->nr_caps; first += nr) {
		nr = run->nr_caps - first < CAPS_PER_TABLE ? run->nr_caps - first : CAPS_PER_TABLE;
		if (first)
			text_gap(b, style);
		add_answer_table(b, run, false, first, nr, style);
	}
	text_load_answers(b, run, style);
}

enum point_col {
	COL_DEPTH,
	COL_BS,
	COL_DIR,
	COL_REPEAT,
	COL_IOPS,
	COL_MEAN,
	COL_UTIL,
	COL_P99,
	COL_MIB,
	COL_HELD,
	COL_SEQ,
	COL_STATUS,
	COL_NR
};

static const struct table_col point_cols[COL_NR] = {
	[COL_DEPTH] = {"iodepth", false, 0}, [COL_BS] = {"bs", false, 0},
	[COL_DIR] = {"dir", true, 0},	     [COL_REPEAT] = {"rep", false, 0},
	[COL_IOPS] = {"IOPS", false, 0},     [COL_MEAN] = {"mean ms", false, 0},
	[COL_UTIL] = {"util %", false, 0},   [COL_P99] = {"p99 ms", false, 0},
	[COL_MIB] = {"MiB/s", false, 3},     [COL_HELD] = {"held", false, 2},
	[COL_SEQ] = {"seq", false, 1},	     [COL_STATUS] = {"status", true, 0},
};

/* Which columns the table of a curve has: directions and repeats only where there are any. */
static void choose_cols(const struct curve *c, bool *has)
{
	for (size_t i = 0; i < COL_NR; i++)
		has[i] = true;
	has[COL_DIR] = point_reads(&c->spec) && point_writes(&c->spec);
	has[COL_REPEAT] = false;
	for (size_t i = 0; i < c->nr_rows; i++)
		has[COL_REPEAT] = has[COL_REPEAT] || c->row[i]->spec.repeat > 1;
}

/* Marked where few I/Os are behind it. */
static void add_p99(struct buf *s, double lat_ns, double ios)
{
	format_fixed(s, lat_ns / 1e6, 3);
	if (isfinite(lat_ns) && ios < lat_stat_min_ios(LAT_P99))
		buf_addch(s, '*');
}

static void add_point_cell(struct buf *s, const struct point *p, enum dir dir, enum point_col col)
{
	const struct figures *f = &p->dir[dir];
	bool is_total = dir == DIR_TOTAL;

	switch (col) {
	case COL_DEPTH:
		buf_addf(s, "%u", p->spec.iodepth);
		break;
	case COL_BS:
		buf_add_size(s, p->spec.bs_bytes);
		break;
	case COL_DIR:
		buf_addstr(s, dir_name(dir));
		break;
	case COL_REPEAT:
		buf_addf(s, "%u", p->spec.repeat);
		break;
	case COL_IOPS:
		format_iops(s, f->iops);
		break;
	case COL_MEAN:
		format_fixed(s, f->lat_mean_ns / 1e6, 3);
		break;
	case COL_UTIL:
		format_fixed(s, is_total ? p->util_pct : UNKNOWN, 2);
		break;
	case COL_P99:
		add_p99(s, f->lat_p99_ns, f->ios);
		break;
	case COL_MIB:
		format_fixed(s, f->mib_s, 2);
		break;
	case COL_HELD:
		format_fixed(s, is_total ? p->depth_mean : UNKNOWN, 1);
		break;
	case COL_SEQ:
		buf_addf(s, "%u", p->seq);
		break;
	case COL_STATUS:
	case COL_NR:
		if (is_total && p->spec.is_anchor)
			buf_addstr(s, "again at the end, ");
		if (is_total)
			format_status(s, p);
		break;
	}
}

static void add_point_rows(struct table *t, const struct report_run *run, const struct point *p,
			   const bool *has)
{
	static const enum dir order[DIR_NR] = {DIR_TOTAL, DIR_READ, DIR_WRITE};
	size_t nr_dirs = has[COL_DIR] && p->status == POINT_OK ? DIR_NR : 1;
	struct buf s = BUF_INIT;

	for (size_t d = 0; d < nr_dirs; d++) {
		for (enum point_col col = 0; col < COL_NR; col++) {
			if (!has[col])
				continue;
			add_point_cell(&s, p, order[d], col);
			if (col == COL_STATUS)
				text_other_run(&s, run, p);
			table_take(t, &s);
		}
	}
	buf_release(&s);
}

/* What the repeats of a depth give together: the line of their mean, with the spread. */
static void add_mean_row(struct table *t, const struct curve *c, const struct curve_point *pt,
			 const bool *has)
{
	struct buf s = BUF_INIT;

	for (enum point_col col = 0; col < COL_NR; col++) {
		if (!has[col])
			continue;
		if (col == COL_DEPTH) {
			buf_addf(&s, "%u", pt->iodepth);
		} else if (col == COL_BS) {
			buf_add_size(&s, c->spec.bs_bytes);
		} else if (col == COL_DIR) {
			buf_addstr(&s, dir_name(DIR_TOTAL));
		} else if (col == COL_REPEAT) {
			buf_addstr(&s, "all");
		} else if (col == COL_IOPS) {
			format_iops(&s, pt->iops);
		} else if (col == COL_MEAN) {
			format_fixed(&s, pt->lat_ns[LAT_MEAN] / 1e6, 3);
		} else if (col == COL_P99) {
			add_p99(&s, pt->lat_ns[LAT_P99], pt->ios);
		} else if (col == COL_STATUS) {
			buf_addf(&s, "mean of %u, IOPS ", pt->nr_repeats);
			format_iops(&s, pt->iops_min);
			buf_addstr(&s, " to ");
			format_iops(&s, pt->iops_max);
		} else {
			buf_addch(&s, '-');
		}
		table_take(t, &s);
	}
	buf_release(&s);
}

/* The line of the mean stands behind the last repeat. */
static void add_mean_behind(struct table *t, const struct curve *c, size_t row, const bool *has)
{
	uint32_t depth = c->row[row]->spec.iodepth;

	if (row + 1 < c->nr_rows && c->row[row + 1]->spec.iodepth == depth)
		return;
	for (size_t i = 0; i < c->nr; i++)
		if (c->pt[i].iodepth == depth && c->pt[i].nr_repeats > 1)
			add_mean_row(t, c, &c->pt[i], has);
}

static void add_curve_table(struct buf *b, const struct report_run *run, const struct curve *c,
			    struct text_style style)
{
	struct table_col col[COL_NR];
	bool has[COL_NR];
	size_t nr = 0;
	struct table t;

	choose_cols(c, has);
	for (size_t i = 0; i < COL_NR; i++)
		if (has[i])
			col[nr++] = point_cols[i];
	table_init(&t, col, nr);
	for (size_t i = 0; i < c->nr_rows; i++) {
		add_point_rows(&t, run, c->row[i], has);
		add_mean_behind(&t, c, i, has);
	}
	for (size_t i = 0; i < c->nr_anchors; i++)
		add_point_rows(&t, run, c->anchor[i].again, has);
	text_table(b, style, 2, &t);
	table_release(&t);
}

static void add_evidence(struct buf *b, const struct report_run *run, const struct report_curve *rc,
			 struct text_style style)
{
	struct lines l = {.out = b, .width = style.width, .is_markdown = style.is_markdown};
	struct evidence e;

	evidence_find(&e, rc, run->nr_caps);
	text_gap(b, style);
	for (size_t i = 0; i < e.nr; i++)
		lines_add(&l, e.piece[i].name, buf_text(&e.piece[i].text));
	evidence_release(&e);
}

static void add_curve(struct buf *b, const struct report_run *run, const struct report_curve *rc,
		      bool explain, struct text_style style)
{
	struct buf s = BUF_INIT;

	buf_add_curve_name(&s, &rc->curve->spec);
	text_heading(b, style, buf_text(&s));
	buf_reset(&s);
	if (!run->is_search)
		sentence_knee(&s, rc->curve, &rc->knee);
	text_paragraph(b, style, &s);
	for (unsigned i = 0; i < run->nr_caps; i++) {
		if (rc->search[i])
			sentence_search(&s, rc->search[i]);
		else
			sentence_cap(&s, &rc->cap[i]);
		text_paragraph(b, style, &s);
	}
	sentence_missing(&s, rc->curve);
	text_paragraph(b, style, &s);
	if (explain)
		add_evidence(b, run, rc, style);
	text_gap(b, style);
	add_curve_table(b, run, rc->curve, style);
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
};

static void add_fact(struct lines *l, const char *label, const char *value)
{
	struct buf s = BUF_INIT;

	if (value)
		format_short(&s, value, 400);
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
	if (info->command)
		buf_addf(&line, "Made by: %s", info->command);
	text_paragraph(b, style, &line);
	buf_addf(&line, "All of it: lunsweep show %" PRId64, info->id);
	text_paragraph(b, style, &line);
	buf_release(&line);
}

static void add_curves(struct buf *b, const struct report_run *run, bool explain,
		       struct text_style style)
{
	for (size_t i = 0; i < run->nr_curves; i++)
		add_curve(b, run, &run->curves[i], explain, style);
	for (size_t i = 0; i < run->nr_responses; i++)
		text_load_curve(b, run, &run->responses[i], style);
	add_warnings(b, run, style);
}

static void add_run(struct buf *b, const struct report_run *run, bool explain,
		    struct text_style style)
{
	add_head(b, run, style);
	add_answers(b, run, style);
	pivot_text_spans(b, run, style);
	add_curves(b, run, explain, style);
	add_setup(b, run->info, style);
}

void text_searches(struct buf *b, const struct report *r, struct text_style style)
{
	struct buf s = BUF_INIT;

	if (!style.width)
		style.width = WIDTH_DEFAULT;
	for (size_t i = 0; i < r->nr_runs; i++) {
		const struct report_run *run = &r->runs[i];

		add_head(b, run, style);
		if (run->nr_curves + run->nr_responses > 1)
			add_answers(b, run, style);
		add_curves(b, run, r->explain, style);
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
	format_short(&s, d->name, 100);
	buf_addstr(&s, ": ");
	format_short(&s, d->from ? d->from : "(not known)", 200);
	buf_addstr(&s, " -> ");
	format_short(&s, d->to ? d->to : "(not known)", 200);
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
		add_run(b, &r->runs[i], r->explain, style);
	if (r->nr_runs > 1)
		add_differences(b, r, style);
	add_explanation(b, r, style);
}
