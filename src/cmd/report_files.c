/* SPDX-License-Identifier: MIT */
#include "cmd/report_files.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/output.h"
#include "cmd/report_page.h"
#include "report/chart.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/markup.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define MARKDOWN_FILE "report.md"

static void add_plain_text(struct buf *b, const struct report *r)
{
	text_report(b, r, (struct text_style){0});
}

static void add_markdown(struct buf *b, const struct report *r)
{
	text_report(b, r, (struct text_style){.is_markdown = true});
}

const struct report_format report_formats[] = {
	{"text", "report.txt", add_plain_text}, {"markdown", NULL, add_markdown},
	{"csv", "report.csv", csv_report},	{"json", "report.json", json_report},
	{"html", REPORT_PAGE_FILE, NULL},	{NULL, NULL, NULL},
};

static int write_one(const struct report_format *f, const struct report *r, const char *dir,
		     struct buf *made, struct err *e)
{
	struct buf b = BUF_INIT;
	int rc;

	f->add(&b, r);
	rc = file_write_text(dir, f->file, &b, made, e);
	buf_release(&b);
	return rc;
}

/* The picture of a chart that browsers show, if it was drawn. */
static void add_picture(struct buf *b, const struct picture *p, const char *dir)
{
	static const enum image shown[] = {IMAGE_SVG, IMAGE_PNG};

	for (size_t i = 0; i < NR(shown); i++) {
		char *path = xasprintf("%s/%s.%s", dir, p->name, image_name(shown[i]));
		bool is_there = !access(path, R_OK);

		free(path);
		if (!is_there)
			continue;
		text_picture(b, (struct text_style){.is_markdown = true}, buf_text(&p->title),
			     p->name, image_name(shown[i]));
		return;
	}
}

/* After the pictures, which it shows. */
static int write_markdown(const struct report *r, const struct charts *charts, const char *dir,
			  struct buf *made, struct err *e)
{
	struct text_style style = {.is_markdown = true};
	struct buf b = BUF_INIT, pictures = BUF_INIT;
	int rc;

	text_report(&b, r, style);
	for (size_t i = 0; i < charts->nr; i++)
		add_picture(&pictures, &charts->v[i], dir);
	if (pictures.len) {
		text_heading(&b, style, "Charts");
		markdown_begin_block(&b);
		buf_addstr(&b, buf_text(&pictures));
	}
	rc = file_write_text(dir, MARKDOWN_FILE, &b, made, e);
	buf_release(&b);
	buf_release(&pictures);
	return rc;
}

/* The page with the charts that are there; whoever wants no SVG files has them drawn for it alone. */
static void add_page(struct buf *b, const struct report_set *set, const struct cmd_report_how *how,
		     const struct charts *charts, const char *dir, const char *trouble)
{
	struct err ignored = {0}; /* the page says it, and so did the other charts */

	if (!how->images || (how->images & IMAGE_BIT(IMAGE_SVG)))
		report_page_add(b, set, charts, dir, trouble);
	else
		(void)report_page_draw(b, set, &how->charts, &ignored);
}

/* The charts and the page that shows them, which is made whatever became of them. */
static int write_page(const struct report_set *set, const struct cmd_report_how *how,
		      const struct charts *charts, const char *dir, struct buf *made,
		      struct buf *notes, struct buf *page, struct err *e)
{
	int rc = charts_write(charts, dir, how->images, made, notes, e), page_rc;
	struct err page_e = {0};
	struct buf b = BUF_INIT;

	add_page(&b, set, how, charts, dir, rc ? e->msg : NULL);
	page_rc = file_write_text(dir, REPORT_PAGE_FILE, &b, made, &page_e);
	if (page_rc && !rc)
		(void)err_set(e, page_e.code, "%s", page_e.msg);
	if (page)
		buf_add(page, b.text, b.len);
	buf_release(&b);
	return rc || page_rc ? -1 : 0;
}

/* Why some kinds of charts are not there. */
static void note_imported(const struct report *r)
{
	struct buf b = BUF_INIT;
	size_t nr = 0;

	for (size_t i = 0; i < r->nr_runs; i++)
		if (r->runs[i].info->imported)
			buf_addf(&b, "%s %" PRId64, nr++ ? "," : "", r->runs[i].info->id);
	if (nr)
		log_info(
			"no charts of single latencies and over time for imported run%s%s: tables have "
			"no histograms and series",
			nr > 1 ? "s" : "", buf_text(&b));
	buf_release(&b);
}

int report_files_write(const struct report_set *set, const char *dir,
		       const struct cmd_report_how *how, struct buf *page, struct err *e)
{
	struct buf made = BUF_INIT, notes = BUF_INIT;
	struct charts charts;
	struct err choice_e = {0}, ignored = {0};
	int rc = file_mkdirs(dir, e), choice_rc = 0;

	charts_build(&set->report, &how->charts, &charts);
	if (how->choice)
		choice_rc = chart_draw_free(&charts, &set->report, how->choice, &choice_e);
	for (size_t i = 0; !rc && report_formats[i].name; i++)
		if (report_formats[i].file && report_formats[i].add)
			rc = write_one(&report_formats[i], &set->report, dir, &made, e);
	if (!rc) {
		struct err later = {0};

		rc = write_page(set, how, &charts, dir, &made, &notes, page, e);
		if (write_markdown(&set->report, &charts, dir, &made, &later) && !rc) {
			rc = -1;
			*e = later;
		}
	}
	/* Without files of a directory it has charts of its own; that something is missing is told already. */
	if (page && !page->len)
		(void)report_page_draw(page, set, &how->charts, &ignored);
	note_imported(&set->report);
	if (!rc && choice_rc) {
		*e = choice_e;
		rc = -1;
	}
	output_log(&made, &notes);
	charts_release(&charts);
	buf_release(&made);
	buf_release(&notes);
	return rc;
}

int cmd_report_write(struct store *s, const int64_t *run_ids, size_t nr, const char *dir,
		     const struct cmd_report_how *how, struct err *e)
{
	struct cmd_report_how in_full = *how;
	struct report_set r;
	int rc;

	in_full.with_details = true;
	if (report_set_load(s, run_ids, nr, &in_full, &r, e))
		return -1;
	rc = report_files_write(&r, dir, how, NULL, e);
	report_set_release(&r);
	return rc;
}
