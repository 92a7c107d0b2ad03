/* SPDX-License-Identifier: MIT */
#include "report/acceptance.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "report/format.h"
#include "report/markup.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MS (double)NS_PER_MS

/* ---- figures ---- */

static bool is_latency(const struct limit *l)
{
	return limit_is_at_most(l);
}

/* Without its unit: IOPS and MiB/s as in tables, milliseconds to a hundredth from 1 ms on. Next to
 * the limit more digits, so that no figure looks like the limit that it misses. */
static void add_value(struct buf *b, const struct limit *l, double v)
{
	if (fabs(v / l->value - 1) < 5e-4)
		buf_addf(b, "%.7g", is_latency(l) ? v / MS : v);
	else if (!is_latency(l))
		format_iops(b, v);
	else if (v / MS >= 0.995)
		format_fixed(b, v / MS, v / MS >= 999.5 ? 0 : 2);
	else
		format_sig3(b, v / MS);
}

static void add_measured(struct buf *b, const struct judgement *j)
{
	if (isnan(j->value)) {
		buf_addch(b, '-');
		return;
	}
	if (j->bound != BOUND_NONE)
		buf_addstr(b, j->bound == BOUND_LOWER ? ">= " : "<= ");
	add_value(b, j->limit, j->value);
	if (is_latency(j->limit))
		buf_addstr(b, " ms");
}

static void add_interval(struct buf *b, const struct judgement *j)
{
	if (isnan(j->value)) {
		buf_addch(b, '-');
	} else if (isnan(j->low)) {
		buf_addstr(b, "no interval");
	} else {
		add_value(b, j->limit, j->low);
		buf_addstr(b, " to ");
		add_value(b, j->limit, j->high);
	}
}

static void add_limit(struct buf *b, const struct limit *l)
{
	if (is_latency(l))
		buf_addf(b, "<= %.10g ms", l->value / MS);
	else
		buf_addf(b, ">= %.10g", l->value);
}

static void add_margin(struct buf *b, double margin)
{
	double pct = margin * 100;

	if (isnan(pct))
		buf_addch(b, '-');
	else if (fabs(pct) < 0.05)
		buf_addstr(b, "0.0 %");
	else if (fabs(pct) >= 999.5)
		buf_addstr(b, pct > 0 ? "> +999 %" : "< -999 %");
	else
		buf_addf(b, "%+.*f %%", fabs(pct) >= 99.95 ? 0 : 1, pct);
}

/* ---- sentences ---- */

static void add_flag_meanings(struct buf *b, flag_set flags)
{
	const char *sep = "";

	for (enum flag f = 0; f < FLAG_NR; f++) {
		if (!(flags & FLAG_BIT(f)))
			continue;
		buf_addf(b, "%s%s (%s)", sep, flag_name(f), flag_meaning(f));
		sep = ", ";
	}
}

static void add_invalid(struct buf *b, const struct judgement *j)
{
	const struct point *p = j->point;

	if (p->status == POINT_OK && j->spoiled) {
		buf_addstr(b, "the point is spoiled: ");
		add_flag_meanings(b, j->spoiled);
		return;
	}
	buf_addf(b, "%s is %s",
		 j->nr_rows > 1 ? "no repeat has figures, and the status of the first"
				: "the status of the point",
		 point_status_name(p->status));
	if (p->reason && *p->reason) {
		buf_addstr(b, ": ");
		buf_add_clean(b, p->reason, 200);
	}
}

static void add_more(struct buf *b, const struct judgement *j)
{
	if (j->more_repeats)
		buf_addf(b, "; about %u more repeat%s would decide it", j->more_repeats,
			 j->more_repeats == 1 ? "" : "s");
	else if (j->more_s > 0)
		buf_addf(b, "; about %.0f s more would decide it", ceil(j->more_s));
	else if (j->reason == REASON_INTERVAL)
		buf_addstr(b, "; it is too close for more time to decide it");
}

static void add_one_sided(struct buf *b, const struct judgement *j)
{
	if (j->bound == BOUND_NONE)
		buf_addstr(b, "the figure is no bound on either side: ");
	else if (is_latency(j->limit))
		buf_addf(b, "the latency of the target is this or %s: ",
			 j->bound == BOUND_LOWER ? "more" : "less");
	else
		buf_addstr(b, "the target does this much or more: ");
	add_flag_meanings(b, j->bound_flags);
}

void sentence_undecided(struct buf *b, const struct judgement *j)
{
	const struct limit *l = j->limit;

	switch (j->reason) {
	case REASON_NONE:
		return;
	case REASON_NO_POINT:
		buf_addstr(b, "no point of this run is at ");
		buf_add_conditions(b, j->req);
		if (l->dir != DIR_TOTAL)
			buf_addf(b, " with %ss", dir_name(l->dir));
		return;
	case REASON_INVALID:
		add_invalid(b, j);
		return;
	case REASON_NO_FIGURE:
		buf_addstr(b, "this figure of the point is not known");
		return;
	case REASON_NO_SERIES:
		buf_addstr(b, "no series of intervals is stored with the point");
		return;
	case REASON_FEW_INTERVALS:
		buf_addf(b, "%.0f intervals of ", j->intervals);
		buf_add_duration(b, l->over_ns);
		buf_addstr(b, " are too few for a guarantee");
		break;
	case REASON_FEW_SAMPLES:
		buf_addf(b, "%.0f I/Os are too few for %s, which takes %" PRIu32, j->ios,
			 lat_stat_name(l->stat), lat_stat_min_ios(l->stat));
		break;
	case REASON_ONE_SIDED:
		add_one_sided(b, j);
		return;
	case REASON_OFFERED:
		buf_addf(b, "only %.10g IOPS were offered, and they were sustained",
			 j->point->rate_iops);
		return;
	case REASON_INTERVAL:
		buf_addstr(b, "the limit lies inside the 95 % interval");
		break;
	}
	add_more(b, j);
}

/* "Class gold is not met: of 4 requirements 2 pass, 1 fails, 1 is undecided." */
static void sentence_class(struct buf *b, const struct class_result *r)
{
	static const struct {
		const char *of_class, *one, *many;
	} words[ACCEPTANCE_NR] = {
		[ACCEPTANCE_PASS] = {"is met", "passes", "pass"},
		[ACCEPTANCE_FAIL] = {"is not met", "fails", "fail"},
		[ACCEPTANCE_UNDECIDED] = {"is undecided", "is undecided", "are undecided"},
	};
	const char *sep = " ";

	buf_addstr(b, "Class ");
	buf_add_clean(b, r->cls->name, 60);
	buf_addf(b, " %s: of %zu requirement%s", words[r->verdict].of_class, r->nr,
		 r->nr == 1 ? "" : "s");
	for (enum acceptance_verdict v = 0; v < ACCEPTANCE_NR; v++) {
		if (!r->nr_verdict[v])
			continue;
		buf_addf(b, "%s%zu %s", sep, r->nr_verdict[v],
			 r->nr_verdict[v] == 1 ? words[v].one : words[v].many);
		sep = ", ";
	}
	buf_addch(b, '.');
}

/* ---- text ---- */

static const struct table_col cols[] = {
	{"requirement", true, 0},    {"limit", false, 0},  {"measured", false, 0},
	{"95 % interval", false, 0}, {"margin", false, 1}, {"verdict", true, 0},
};

static void add_row(struct table *t, const struct judgement *j)
{
	struct buf s = BUF_INIT;

	buf_add_limit_name(&s, j->limit);
	table_take(t, &s);
	add_limit(&s, j->limit);
	table_take(t, &s);
	add_measured(&s, j);
	table_take(t, &s);
	add_interval(&s, j);
	table_take(t, &s);
	add_margin(&s, j->margin);
	table_take(t, &s);
	table_add(t, acceptance_verdict_name(j->verdict));
	buf_release(&s);
}

/* "randrw 8k 70% read iodepth 64 span 100%, 3 repeats (throttled)" */
static void add_point_line(struct buf *b, const struct judgement *j, struct text_style style)
{
	struct buf s = BUF_INIT;

	if (j->point) {
		struct point_spec spec = j->point->spec;

		spec.repeat = 1;
		buf_add_point(&s, &spec);
		if (j->nr_rows > 1 && j->nr_repeats < j->nr_rows)
			buf_addf(&s, ", %u of %u repeats", j->nr_repeats, j->nr_rows);
		else if (j->nr_rows > 1)
			buf_addf(&s, ", %u repeats", j->nr_rows);
		if (j->point->flags) {
			buf_addstr(&s, " (");
			format_flags(&s, j->point->flags, ", ");
			buf_addch(&s, ')');
		}
	} else {
		buf_addstr(&s, "Not measured: ");
		buf_add_conditions(&s, j->req);
	}
	text_paragraph(b, style, &s);
	buf_release(&s);
}

static char *undecided_text(const struct judgement *j)
{
	struct buf s = BUF_INIT;

	sentence_undecided(&s, j);
	return buf_detach(&s);
}

/* One sentence for all limits that are undecided for the same reason; those after the first are
 * in *names of the first. */
static void add_reasons(struct buf *b, const struct judgement *v, size_t nr,
			struct text_style style)
{
	char **text = xcalloc(nr, sizeof(*text));
	struct buf s = BUF_INIT;

	for (size_t i = 0; i < nr; i++)
		text[i] = undecided_text(&v[i]);
	for (size_t i = 0; i < nr; i++) {
		if (!*text[i])
			continue;
		buf_add_limit_name(&s, v[i].limit);
		for (size_t k = i + 1; k < nr; k++) {
			if (strcmp(text[i], text[k]) != 0)
				continue;
			buf_addstr(&s, ", ");
			buf_add_limit_name(&s, v[k].limit);
			*text[k] = '\0';
		}
		buf_addf(&s, ": undecided, since %s.", text[i]);
		text_say_at(b, style, 4, buf_text(&s));
		buf_reset(&s);
	}
	for (size_t i = 0; i < nr; i++)
		free(text[i]);
	free(text);
	buf_release(&s);
}

/* What is behind a guarantee, as the figure alone does not tell it. */
static void add_guarantee(struct buf *b, const struct judgement *j, struct text_style style)
{
	struct buf s = BUF_INIT;

	if (j->limit->figure != FIGURE_GUARANTEED_IOPS || isnan(j->value))
		return;
	buf_addstr(&s, "guaranteed_iops: what ");
	buf_add_percent(&s, j->limit->share_e4);
	buf_addf(&s, " of %.0f intervals of ", j->intervals);
	buf_add_duration(&s, j->limit->over_ns);
	buf_addf(&s, " reach; %.4g %% of them reach %.10g.", j->share * 100, j->limit->value);
	text_say_at(b, style, 4, buf_text(&s));
	buf_release(&s);
}

/* The limits of one requirement at one point. */
static void add_group(struct buf *b, const struct judgement *v, size_t nr, struct text_style style)
{
	struct table t;

	text_gap(b, style);
	add_point_line(b, v, style);
	table_init(&t, cols, NR(cols));
	for (size_t i = 0; i < nr; i++)
		add_row(&t, &v[i]);
	text_table(b, style, 4, &t);
	table_release(&t);
	for (size_t i = 0; i < nr; i++)
		add_guarantee(b, &v[i], style);
	add_reasons(b, v, nr, style);
}

static void add_class(struct buf *b, const struct class_result *r, struct text_style style)
{
	struct buf s = BUF_INIT;
	size_t end;

	buf_addstr(&s, "Class ");
	buf_add_clean(&s, r->cls->name, 60);
	text_heading(b, style, buf_text(&s));
	buf_reset(&s);
	for (size_t i = 0; i < r->nr; i = end) {
		for (end = i + 1; end < r->nr; end++)
			if (r->v[end].req != r->v[i].req || r->v[end].point != r->v[i].point)
				break;
		add_group(b, &r->v[i], end - i, style);
	}
	text_gap(b, style);
	sentence_class(&s, r);
	text_paragraph(b, style, &s);
	buf_release(&s);
}

static void add_head(struct buf *b, const struct acceptance_report *r, const struct run_info *info,
		     struct text_style style)
{
	struct buf s = BUF_INIT;

	buf_addf(&s, "Run %" PRId64 ": ", info->id);
	format_run_name(&s, info);
	if (info->state != RUN_FINISHED)
		buf_addf(&s, " (%s: not all of it is there)", run_state_name(info->state));
	if (style.is_markdown)
		text_title(b, style, buf_text(&s));
	else
		format_wrapped(b, buf_text(&s), 0, style.width);
	buf_reset(&s);
	buf_addstr(&s, "Standard: ");
	buf_add_clean(&s, r->standard->name ? r->standard->name : r->path, 200);
	text_paragraph(b, style, &s);
	buf_release(&s);
}

void acceptance_text(struct buf *b, const struct acceptance_report *r, struct text_style style)
{
	style.width = style.width ? style.width : 80;
	for (size_t i = 0; i < r->nr_runs; i++) {
		if (i)
			text_gap(b, style);
		add_head(b, r, r->runs[i].info, style);
		for (size_t c = 0; c < r->runs[i].nr; c++)
			add_class(b, &r->runs[i].cls[c], style);
	}
}
