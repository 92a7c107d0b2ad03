/* SPDX-License-Identifier: MIT */
/* Warnings, the set-up, and how to make it again. */
#include "base/mem.h"
#include "base/units.h"
#include "report/format.h"
#include "report/html_parts.h"
#include "report/html_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMED_POINTS 4
#define MAX_CHARS	 4096

/* ---- warnings ---- */

/* A flag of one run: how many points carry it, and the first of them. */
struct raised {
	size_t nr;
	const struct point *first[MAX_NAMED_POINTS];
};

static void find_raised(const struct report_run *run, enum flag f, struct raised *out)
{
	*out = (struct raised){0};
	for (size_t i = 0; i < run->nr_points; i++) {
		if (!(run->points[i].flags & FLAG_BIT(f)))
			continue;
		if (out->nr < MAX_NAMED_POINTS)
			out->first[out->nr] = &run->points[i];
		out->nr++;
	}
}

static const char *effect_text(const struct report_run *run, enum flag f)
{
	switch (flag_effect(f)) {
	case EFFECT_FAILED:
		return "failed: in no curve";
	case EFFECT_SPOILED:
		return run->accepted & FLAG_BIT(f) ? "accepted: decides like others"
						   : "spoiled: decides no answer";
	case EFFECT_LOWER_BOUND:
		return "lower bound: the target can do at least this";
	case EFFECT_NOTED:
		break;
	}
	return "noted: valid";
}

static void add_warning_row(struct html_table *t, const struct report_run *run, enum flag f,
			    const struct raised *r)
{
	struct buf s = BUF_INIT;

	html_row(t, NULL);
	buf_addstr(&s, flag_name(f));
	html_cell(t, &s);
	buf_addf(&s, "%zu", r->nr);
	html_cell(t, &s);
	buf_addstr(&s, effect_text(run, f));
	html_cell(t, &s);
	buf_addf(&s, "%s.", flag_meaning(f));
	html_cell(t, &s);
	for (size_t i = 0; i < r->nr && i < MAX_NAMED_POINTS; i++) {
		buf_addstr(&s, i ? "; " : "");
		buf_add_point(&s, &r->first[i]->spec);
	}
	if (r->nr > MAX_NAMED_POINTS)
		buf_addf(&s, "; and %zu more", r->nr - MAX_NAMED_POINTS);
	html_cell(t, &s);
	buf_release(&s);
}

static bool has_warnings(const struct report_run *run)
{
	for (size_t i = 0; i < run->nr_points; i++)
		if (run->points[i].flags)
			return true;
	return false;
}

static void add_warning_table(struct buf *b, const struct report_run *run)
{
	static const struct table_col cols[] = {{"verdict", true, 0},
						{"points", false, 0},
						{"effect", true, 0},
						{"what was seen, and what to do", true, 0},
						{"where", true, 0}};
	struct html_table t;
	struct raised r;

	html_table_begin(&t, b, NULL, cols, NR(cols));
	for (enum flag f = 0; f < FLAG_NR; f++) {
		find_raised(run, f, &r);
		if (r.nr)
			add_warning_row(&t, run, f, &r);
	}
	html_table_end(&t);
}

void html_warnings(struct buf *b, const struct html_page *page)
{
	const struct report *r = page->report;
	bool any = false;

	for (size_t i = 0; i < r->nr_runs; i++) {
		if (!has_warnings(&r->runs[i]))
			continue;
		any = true;
		html_run_heading(b, page, &r->runs[i]);
		add_warning_table(b, &r->runs[i]);
	}
	if (!any)
		html_element(b, "p", NULL, "No point carries a warning.");
}

/* ---- set-up ---- */

static void add_fact(struct html_table *t, const char *name, const char *value)
{
	struct buf s = BUF_INIT;

	if (!value || !*value)
		return;
	html_row(t, NULL);
	buf_add_clean(&s, name, 200);
	html_cell(t, &s);
	buf_add_clean(&s, value, MAX_CHARS);
	html_cell(t, &s);
	buf_release(&s);
}

static void take_fact(struct html_table *t, const char *name, struct buf *value)
{
	add_fact(t, name, buf_text(value));
	buf_reset(value);
}

static void add_target(struct html_table *t, const struct run_info *info)
{
	struct buf s = BUF_INIT;

	add_fact(t, "target", info->target_given);
	if (info->target_resolved && info->target_given &&
	    strcmp(info->target_resolved, info->target_given) != 0)
		add_fact(t, "resolved", info->target_resolved);
	add_fact(t, "label", info->target_label);
	add_fact(t, "identity", info->target_identity);
	if (info->target_size_bytes) {
		buf_addf(&s, "%" PRIu64 " bytes (", info->target_size_bytes);
		buf_add_size_human(&s, info->target_size_bytes);
		buf_addch(&s, ')');
	}
	take_fact(t, "size", &s);
	if (info->target_queue_limit)
		buf_addf(&s, "%" PRIu32 " I/Os", info->target_queue_limit);
	take_fact(t, "queue limit", &s);
	buf_release(&s);
}

static void add_facts(struct buf *b, const struct run_info *info)
{
	static const struct table_col cols[] = {{"fact", true, 0}, {"value", true, 0}};
	struct buf s = BUF_INIT;
	struct html_table t;

	html_table_begin(&t, b, NULL, cols, NR(cols));
	add_target(&t, info);
	add_fact(&t, "engine", info->engine);
	if (!info->imported) {
		buf_addf(&s, "%" PRIu64, info->seed);
		take_fact(&t, "seed", &s);
	}
	for (size_t i = 0; i < info->facts.nr; i++)
		add_fact(&t, info->facts.v[i].name, info->facts.v[i].value);
	html_table_end(&t);
	buf_release(&s);
}

static void add_difference_cell(struct html_table *t, const char *value)
{
	struct buf s = BUF_INIT;

	buf_add_clean(&s, value ? value : "(not known)", 400);
	html_cell(t, &s);
	buf_release(&s);
}

static void add_difference_rows(struct html_table *t, const struct report_difference *d, size_t nr)
{
	struct buf s = BUF_INIT;

	for (size_t i = 0; i < nr; i++) {
		html_row(t, NULL);
		buf_addf(&s, "%" PRId64, d[i].run_id);
		html_cell(t, &s);
		add_difference_cell(t, d[i].name);
		add_difference_cell(t, d[i].from);
		add_difference_cell(t, d[i].to);
	}
	buf_release(&s);
}

static void add_differences(struct buf *b, const struct report *r)
{
	struct report_difference *d;
	struct buf first = BUF_INIT, s = BUF_INIT;
	struct html_table t;
	size_t nr;

	buf_addf(&first, "in run %" PRId64, r->runs[0].info->id);
	buf_addf(&s, "What differs from run %" PRId64, r->runs[0].info->id);
	html_take(b, "h3", NULL, &s);
	report_differences(r, &d, &nr);
	if (nr) {
		struct table_col cols[] = {{"run", false, 0},
					   {"fact", true, 0},
					   {buf_text(&first), true, 0},
					   {"in this run", true, 0}};

		html_table_begin(&t, b, NULL, cols, NR(cols));
		add_difference_rows(&t, d, nr);
		html_table_end(&t);
	} else {
		html_element(b, "p", NULL, "Nothing that is stored.");
	}
	free(d);
	buf_release(&first);
	buf_release(&s);
}

void html_setup(struct buf *b, const struct html_page *page)
{
	const struct report *r = page->report;

	if (r->nr_runs > 1)
		add_differences(b, r);
	for (size_t i = 0; i < r->nr_runs; i++) {
		html_run_heading(b, page, &r->runs[i]);
		add_facts(b, r->runs[i].info);
	}
}

/* ---- how to make it again ---- */

#define MAX_OPEN_LINES 40

/* Lines of any text, as they are. */
static void add_verbatim(struct buf *b, const char *text)
{
	/* A line end right behind <pre> is dropped. */
	buf_addstr(b, "<pre>\n");
	html_text(b, text);
	buf_addstr(b, "</pre>\n");
}

static void add_sweep(struct buf *b, const struct run_info *info)
{
	const char *title = info->imported ? "The table" : "The sweep";
	size_t lines = 0;

	if (!info->sweep_text || !*info->sweep_text)
		return;
	for (const char *s = info->sweep_text; *s; s++)
		lines += *s == '\n';
	if (lines <= MAX_OPEN_LINES) {
		buf_addf(b, "<p>%s:</p>\n", title);
		add_verbatim(b, info->sweep_text);
		return;
	}
	buf_addf(b, "<details><summary>%s, %zu lines</summary>\n", title, lines);
	add_verbatim(b, info->sweep_text);
	buf_addstr(b, "</details>\n");
}

static void add_caps(struct buf *s, const struct report_run *run)
{
	for (unsigned i = 0; i < run->nr_caps; i++) {
		buf_addf(s, "%s%s:", i ? "," : " --cap ", lat_stat_name(run->caps[i].stat));
		buf_add_duration(s, run->caps[i].limit_ns);
	}
}

static void add_report_command(struct buf *b, const struct html_page *page)
{
	const struct report *r = page->report;
	const struct report_run *first = &r->runs[0];
	flag_set accepted = first->accepted & ~first->info->accepted;
	struct buf s = BUF_INIT;

	buf_addstr(&s, "lunsweep report");
	for (size_t i = 0; i < r->nr_runs; i++)
		buf_addf(&s, " %" PRId64, r->runs[i].info->id);
	if (page->database) {
		buf_addstr(&s, " --db ");
		buf_shell_str(&s, page->database);
	}
	add_caps(&s, first);
	if (accepted) {
		buf_addstr(&s, " --accept ");
		format_flags(&s, accepted, ",");
	}
	buf_addstr(&s, " -o DIR");
	html_element(b, "p", NULL,
		     "This page, its charts with their scripts, and the tables as CSV and JSON:");
	add_verbatim(b, buf_text(&s));
	buf_release(&s);
}

static void add_stored_command(struct buf *b, const struct html_page *page, int64_t run_id)
{
	struct buf s = BUF_INIT;

	buf_addf(&s, "lunsweep show %" PRId64, run_id);
	if (page->database) {
		buf_addstr(&s, " --db ");
		buf_shell_str(&s, page->database);
	}
	html_element(b, "p", NULL, "All that is stored of it:");
	add_verbatim(b, buf_text(&s));
	buf_release(&s);
}

static void add_run_again(struct buf *b, const struct html_page *page, const struct report_run *run)
{
	const struct run_info *info = run->info;
	struct buf s = BUF_INIT;

	html_run_heading(b, page, run);
	if (info->tool_version && *info->tool_version) {
		buf_addf(&s, "%s by lunsweep %s", info->imported ? "Imported" : "Measured",
			 info->tool_version);
		if (info->git_id && *info->git_id)
			buf_addf(&s, " (%s)", info->git_id);
		buf_addch(&s, '.');
	}
	html_take(b, "p", NULL, &s);
	if (info->command && *info->command) {
		html_element(b, "p", NULL, info->imported ? "Imported by:" : "Measured by:");
		add_verbatim(b, info->command);
	}
	add_sweep(b, info);
	add_stored_command(b, page, info->id);
	buf_release(&s);
}

void html_again(struct buf *b, const struct html_page *page)
{
	const struct report *r = page->report;

	if (!r->nr_runs)
		return;
	for (size_t i = 0; i < r->nr_runs; i++)
		add_run_again(b, page, &r->runs[i]);
	if (r->nr_runs > 1)
		html_element(b, "h3", NULL, "The report");
	add_report_command(b, page);
}
