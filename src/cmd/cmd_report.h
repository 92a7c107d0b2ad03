/* SPDX-License-Identifier: MIT */
/* Reports for other commands: run makes one when it ends (D36). */
#ifndef CMD_CMD_REPORT_H
#define CMD_CMD_REPORT_H

#include "base/err.h"
#include "base/opt.h"
#include "model/answer.h"
#include "report/chart.h"
#include "report/chart_free.h"
#include "report/text.h"
#include "store/store.h"

/* How to report; all zero asks for the defaults. */
struct cmd_report_how {
	const struct cap *caps; /* NULL: those stored with the run, else mean 10 ms */
	unsigned nr_caps;
	flag_set accepted; /* besides those stored with the run */
	bool explain;	   /* show what each answer rests on */
	/* Load what charts of distributions and series are made from: all histograms, and some points in
	 * full. */
	bool with_details;
	bool plot; /* plots in characters */
	struct chart_how charts;
	const struct chart_choice *choice; /* a chart besides them; NULL: none */
	image_set images;		   /* 0 for the usual ones */
	const char *database; /* its path, for "how to make it again"; NULL: not said */
};

/* What suits standard output: the width of the terminal, or of COLUMNS; styles as --color says; UTF-8 if the
 * locale has it. */
struct text_style cmd_report_style(void);

/* Append the text report of these runs to out. */
int cmd_report_text(struct store *s, const int64_t *run_ids, size_t nr,
		    const struct cmd_report_how *how, struct text_style style, struct buf *out,
		    struct err *e);

/*
 * Write report.txt, report.md, report.csv, report.json, report.html and the charts of these runs into the
 * directory, which is made when it is missing, and name each file on stderr. -1 and e with all that
 * could not be made; what does not depend on that is there all the same.
 */
int cmd_report_write(struct store *s, const int64_t *run_ids, size_t nr, const char *dir,
		     const struct cmd_report_how *how, struct err *e);

#endif
