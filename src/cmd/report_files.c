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
	{"text", "report.txt", false, add_plain_text},
	{"markdown", MARKDOWN_FILE, true, add_markdown},
	{"csv", "report.csv", false, csv_report},
	{"json", "report.json", false, json_report},
	{"html", REPORT_PAGE_FILE, true, NULL},
	{NULL, NULL, false, NULL},
};

/* Where the files of one report go, and what is told of them. */
struct work {
	const struct report_set *set;
	const struct cmd_report_how *how;
	const char *dir;
	struct charts charts;
	struct buf made, notes;
	struct err failed; /* all that could not be made */
};

/* One file that cannot be written keeps no other away. */
static void put(struct work *w, const char *file, const struct buf *text)
{
	struct err e = {0};

	if (file_write_text(w->dir, file, text, &w->made, &e))
		(void)err_join(&w->failed, &e);
}

static void write_texts(struct work *w)
{
	for (const struct report_format *f = report_formats; f->name; f++) {
		struct buf b = BUF_INIT;

		if (f->shows_pictures)
			continue;
		f->add(&b, &w->set->report);
		put(w, f->file, &b);
		buf_release(&b);
	}
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
static void write_markdown(struct work *w)
{
	struct text_style style = {.is_markdown = true};
	struct buf b = BUF_INIT, pictures = BUF_INIT;

	text_report(&b, &w->set->report, style);
	for (size_t i = 0; i < w->charts.nr; i++)
		add_picture(&pictures, &w->charts.v[i], w->dir);
	if (pictures.len) {
		text_heading(&b, style, "Charts");
		markdown_begin_block(&b);
		buf_addstr(&b, buf_text(&pictures));
	}
	put(w, MARKDOWN_FILE, &b);
	buf_release(&b);
	buf_release(&pictures);
}

/* With the charts that are there; whoever wants no SVG files has them drawn for it alone. */
static void add_page(struct work *w, struct buf *page, const char *trouble)
{
	struct err e = {0}, ignored = {0}; /* the page says it, and so did the other charts */
	int rc = 0;

	if (!w->how->images || (w->how->images & IMAGE_BIT(IMAGE_SVG)))
		rc = report_page_add(page, w->set, &w->charts, w->dir, trouble, &e);
	else
		(void)report_page_draw(page, w->set, &w->charts, &ignored);
	if (rc)
		(void)err_join(&w->failed, &e);
}

/* The charts and the page that shows them, which is made whatever became of them. */
static void write_page(struct work *w, struct buf *page)
{
	struct err e = {0};
	bool is_drawn =
		charts_write(&w->charts, w->dir, w->how->images, &w->made, &w->notes, &e) == 0;

	if (!is_drawn)
		(void)err_join(&w->failed, &e);
	add_page(w, page, is_drawn ? NULL : e.msg);
	put(w, REPORT_PAGE_FILE, page);
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

/* Without a directory the page, if it is wanted, has charts of its own; that files are missing is told already. */
static void write_all(struct work *w, struct buf *page, bool is_wanted)
{
	struct err e = {0}, ignored = {0};

	if (file_mkdirs(w->dir, &e)) {
		(void)err_join(&w->failed, &e);
		if (is_wanted)
			(void)report_page_draw(page, w->set, &w->charts, &ignored);
		return;
	}
	write_texts(w);
	write_page(w, page);
	write_markdown(w);
	note_imported(&w->set->report);
}

int report_files_write(const struct report_set *set, const char *dir,
		       const struct cmd_report_how *how, struct buf *page, struct err *e)
{
	struct work w = {.set = set, .how = how, .dir = dir};
	struct err choice_e = {0};
	struct buf b = BUF_INIT;
	int rc;

	charts_build(&set->report, &how->charts, &w.charts);
	if (how->choice && chart_draw_free(&w.charts, &set->report, how->choice, &choice_e))
		(void)err_join(&w.failed, &choice_e);
	write_all(&w, page ? page : &b, page != NULL);
	output_log(&w.made, &w.notes);
	rc = w.failed.code == ERR_NONE ? 0 : err_join(e, &w.failed);
	charts_release(&w.charts);
	buf_release(&w.made);
	buf_release(&w.notes);
	buf_release(&b);
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
