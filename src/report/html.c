/* SPDX-License-Identifier: MIT */
#include "report/html.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "report/format.h"
#include "report/html_parts.h"
#include "report/html_write.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#define NAME_CHARS 160

/* Made from page.css and page.js, with what the Content-Security-Policy calls them. */
extern const unsigned char page_css[], page_css_csp[], page_js[], page_js_csp[];

static const char *text_of(const unsigned char *s)
{
	return (const char *)s;
}

static void add_title(struct buf *b, const struct report *r)
{
	struct buf name = BUF_INIT;

	if (r->nr_runs == 1) {
		format_run_name(&name, r->runs[0].info);
		buf_add_clean(b, buf_text(&name), NAME_CHARS);
	} else {
		buf_addf(b, "%zu runs", r->nr_runs);
		for (size_t i = 0; i < r->nr_runs; i++)
			buf_addf(b, "%s%" PRId64, i ? ", " : ": ", r->runs[i].info->id);
	}
	buf_release(&name);
}

/* Nothing is loaded, sent or run but what stands in the page. */
static void add_policy(struct buf *b)
{
	buf_addf(b,
		 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		 "style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'\">\n",
		 text_of(page_css_csp), text_of(page_js_csp));
}

static void add_head(struct buf *b, const struct report *r)
{
	struct buf title = BUF_INIT;

	buf_addstr(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
	add_policy(b);
	buf_addstr(b, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		      "<meta name=\"referrer\" content=\"no-referrer\">\n");
	add_title(&title, r);
	html_take(b, "title", NULL, &title);
	buf_addf(b, "<style>%s</style>\n</head>\n<body>\n", text_of(page_css));
	buf_release(&title);
}

void html_run_heading(struct buf *b, const struct html_page *page, const struct report_run *run)
{
	struct buf s = BUF_INIT, name = BUF_INIT;

	if (page->report->nr_runs > 1) {
		format_run_name(&name, run->info);
		buf_addf(&s, "Run %" PRId64 ": ", run->info->id);
		buf_add_clean(&s, buf_text(&name), NAME_CHARS);
		html_take(b, "h3", NULL, &s);
	}
	buf_release(&name);
	buf_release(&s);
}

size_t html_count_curves(const struct report *r)
{
	size_t nr = 0;

	for (size_t i = 0; i < r->nr_runs; i++)
		nr += r->runs[i].nr_curves + r->runs[i].nr_responses;
	return nr;
}

static void add_fact(struct buf *b, const char *name, struct buf *text)
{
	if (text->len) {
		html_element(b, "dt", NULL, name);
		html_element(b, "dd", NULL, buf_text(text));
	}
	buf_reset(text);
}

static bool ends_with(const char *s, const char *end)
{
	size_t len = strlen(s), end_len = strlen(end);

	return len >= end_len && !strcmp(s + len - end_len, end);
}

static void say_target(struct buf *s, const struct run_info *info)
{
	if (!info->target_given)
		return;
	buf_add_clean(s, info->target_given, 4096);
	if (info->target_label && !ends_with(info->target_given, info->target_label)) {
		buf_addstr(s, ", ");
		buf_add_clean(s, info->target_label, 4096);
	}
	if (info->target_size_bytes) {
		buf_addstr(s, ", ");
		buf_add_size_human(s, info->target_size_bytes);
	}
	if (info->target_queue_limit)
		buf_addf(s, "; queue limit of this host: %" PRIu32, info->target_queue_limit);
}

static void say_when(struct buf *s, const struct run_info *info)
{
	if (!info->start_wall_ns)
		return;
	buf_add_utc(s, info->start_wall_ns);
	if (info->imported)
		buf_addstr(s, ", imported: not measured by lunsweep");
	else if (info->end_wall_ns > info->start_wall_ns) {
		buf_addstr(s, ", took ");
		buf_add_hms(s, (uint64_t)(info->end_wall_ns - info->start_wall_ns));
	}
}

/* One of the values that an axis takes in the points of a run. */
struct range {
	uint64_t min, max;
};

static void widen(struct range *r, uint64_t v)
{
	r->min = !r->max || v < r->min ? v : r->min;
	r->max = v > r->max ? v : r->max;
}

static void add_sizes(struct buf *s, const char *name, struct range r)
{
	if (!r.max)
		return;
	buf_addf(s, "%s%s ", s->len ? ", " : "", name);
	buf_add_size_title(s, r.min);
	if (r.min == r.max)
		return;
	buf_addstr(s, " to ");
	buf_add_size_title(s, r.max);
}

/* "randread, randwrite, bs 4k, iodepth 1 to 256, span 500G to 4000G" */
static void say_axes(struct buf *s, const struct report_run *run)
{
	struct range bs = {0}, depth = {0}, span = {0};
	bool has[RW_NR] = {false};

	for (size_t i = 0; i < run->nr_points; i++) {
		const struct point_spec *p = &run->points[i].spec;

		has[p->rw] = true;
		widen(&bs, p->bs_bytes);
		widen(&depth, p->iodepth);
		if (p->span_bytes)
			widen(&span, p->span_bytes);
	}
	for (enum rw_mode rw = 0; rw < RW_NR; rw++)
		if (has[rw])
			buf_addf(s, "%s%s", s->len ? ", " : "", rw_name(rw));
	add_sizes(s, "bs", bs);
	if (depth.max)
		buf_addf(s,
			 depth.min < depth.max ? ", iodepth %" PRIu64 " to %" PRIu64
					       : ", iodepth %" PRIu64,
			 depth.min, depth.max);
	add_sizes(s, "span", span);
}

static void add_measured(struct buf *b, const struct html_page *page, const struct report_run *run)
{
	const struct run_info *info = run->info;
	struct buf s = BUF_INIT;

	html_run_heading(b, page, run);
	buf_addstr(b, "<dl class=\"facts\">\n");
	if (info->question && page->report->nr_runs > 1)
		buf_add_clean(&s, info->question, 4096);
	add_fact(b, "Question", &s);
	say_target(&s, info);
	add_fact(b, "Target", &s);
	say_axes(&s, run);
	add_fact(b, "Measured", &s);
	say_when(&s, info);
	add_fact(b, info->imported ? "Imported" : "Begun", &s);
	buf_addstr(b, "</dl>\n");
	buf_release(&s);
}

static void add_header(struct buf *b, const struct html_page *page)
{
	const struct report *r = page->report;
	struct buf s = BUF_INIT;

	buf_addstr(b, "<header>\n");
	if (r->nr_runs == 1)
		buf_addf(&s, "Storage measurement, run %" PRId64, r->runs[0].info->id);
	else
		buf_addstr(&s, "Storage measurement");
	html_take(b, "p", "kind", &s);
	add_title(&s, r);
	html_take(b, "h1", NULL, &s);
	if (r->nr_runs == 1 && r->runs[0].info->question) {
		buf_add_clean(&s, r->runs[0].info->question, 4096);
		html_take(b, "p", "question", &s);
	}
	for (size_t i = 0; i < r->nr_runs; i++)
		add_measured(b, page, &r->runs[i]);
	buf_addstr(b, "</header>\n");
	buf_release(&s);
}

static const struct {
	const char *id, *title;
	void (*add)(struct buf *b, const struct html_page *page);
} sections[] = {
	{"answers", "Answers", html_answers},	{"charts", "Charts", html_charts},
	{"tables", "Tables", html_tables},	{"warnings", "Warnings", html_warnings},
	{"setup", "Set-up", html_setup},	{"method", "Method", html_method},
	{"again", "Make it again", html_again},
};

static void add_contents(struct buf *b, const struct buf part[NR(sections)])
{
	buf_addstr(b, "<nav aria-label=\"Sections\">");
	for (size_t i = 0; i < NR(sections); i++)
		if (part[i].len)
			buf_addf(b, "<a href=\"#%s\">%s</a>%s", sections[i].id, sections[i].title,
				 i + 1 < NR(sections) ? " " : "");
	buf_addstr(b, "</nav>\n<main>\n");
}

static void add_footer(struct buf *b, const struct html_page *page)
{
	buf_addstr(b, "</main>\n<footer><p>");
	html_text(b, "Made by lunsweep");
	if (page->version) {
		buf_addch(b, ' ');
		html_text(b, page->version);
	}
	html_text(b, ". This page holds all that it shows, and sends and loads nothing.");
	buf_addf(b, "</p></footer>\n<script>%s</script>\n</body>\n</html>\n", text_of(page_js));
}

void html_report(struct buf *b, const struct html_page *page)
{
	struct buf part[NR(sections)] = {BUF_INIT};

	for (size_t i = 0; i < NR(sections); i++)
		sections[i].add(&part[i], page);
	add_head(b, page->report);
	add_header(b, page);
	add_contents(b, part);
	for (size_t i = 0; i < NR(sections); i++) {
		if (!part[i].len)
			continue;
		buf_addf(b, "<section id=\"%s\">\n<h2>%s</h2>\n", sections[i].id,
			 sections[i].title);
		buf_add(b, part[i].text, part[i].len);
		buf_addstr(b, "</section>\n");
		buf_release(&part[i]);
	}
	add_footer(b, page);
}
