/* SPDX-License-Identifier: MIT */
/* The series of a point, in characters. */
#include "report/text_plot.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "report/format.h"
#include "report/markup.h"
#include "report/series_steps.h"

#include <math.h>

#define WIDTH_DEFAULT 80
#define STEPS_MAX     60
#define LABELS	      8 /* columns that the figures of the y axis and the margins take, about */
#define MAX_TICKS     8
#define TICKS_WANTED  5
#define MS	      1e6

/* Round times from 0, and the end of the window, to a tenth of the step between them. */
static size_t find_ticks(double end_s, double tick[MAX_TICKS])
{
	static const double nice[] = {1, 2, 5, 10};
	double power = pow(10, floor(log10(end_s / TICKS_WANTED))), step = power;
	size_t nr = 0;

	for (size_t i = 0; i < NR(nice) && end_s / step > TICKS_WANTED; i++)
		step = nice[i] * power;
	end_s = fmax(round(end_s / step * 10), 1) * step / 10;
	for (double x = 0; nr < MAX_TICKS - 1 && x < end_s - step / 4; x = step * (double)nr)
		tick[nr++] = x;
	tick[nr++] = end_s;
	return nr;
}

/* As many as there are columns in a panel beside another. */
static size_t nr_steps(struct text_style style)
{
	size_t room = (style.width ? style.width : WIDTH_DEFAULT) / 2;

	room = room > 2 * LABELS ? room - LABELS : LABELS;
	return room < STEPS_MAX ? room : STEPS_MAX;
}

/* Returns whether any latency is known. */
static bool add_dir(const struct series_steps *steps, enum dir dir, size_t curve, struct plot *p,
		    struct plot *largest)
{
	bool has_max = false;

	for (size_t i = 0; i < steps->nr; i++) {
		struct series_step s = series_step_at(steps, i, dir);
		double iops = s.length_s > 0 ? (double)s.ios / s.length_s : UNKNOWN;
		double lat_ms = s.ios ? s.lat_ns / (double)s.ios / MS : UNKNOWN;

		plot_add(&p->panel[0], curve, s.at_s, iops, PLOT_VALID);
		plot_add(&p->panel[1], curve, s.at_s, lat_ms, PLOT_VALID);
		plot_add(&largest->panel[0], curve, s.at_s, s.lat_max_ns / MS, PLOT_VALID);
		has_max |= !isnan(s.lat_max_ns);
	}
	return has_max;
}

static void begin(struct plot *p, const double *tick, size_t nr_ticks, const char *title)
{
	plot_init(p);
	p->x_title = "s since the window began";
	p->tick = tick;
	p->nr_ticks = nr_ticks;
	p->nr_panels = 1;
	p->panel[0].title = title;
}

static void add_legend(struct buf *b, const struct series_steps *steps, bool is_mixed, bool has_max,
		       struct text_style style)
{
	struct buf s = BUF_INIT;

	if (is_mixed)
		buf_addstr(&s, "a: reads; b: writes. ");
	buf_addf(&s, "Each letter is a step of %.4g s.",
		 (double)(steps->merge * steps->m->interval_ns) / (double)NS_PER_S);
	buf_addstr(&s, " Where nothing completed, latency has a gap.");
	if (!has_max)
		buf_addstr(&s, " The largest latency of each step was not kept.");
	format_wrapped(b, buf_text(&s), 2, style.width ? style.width : WIDTH_DEFAULT);
	buf_release(&s);
}

static void plot_series(struct buf *b, const struct measurement *m, struct text_style style)
{
	bool is_mixed = point_reads(&m->spec) && point_writes(&m->spec), has_max;
	struct series_steps steps = series_steps_of(m, nr_steps(style));
	double tick[MAX_TICKS];
	size_t nr_ticks = find_ticks((double)m->window_ns / (double)NS_PER_S, tick);
	struct plot p, largest;

	begin(&p, tick, nr_ticks, "IOPS");
	p.nr_panels = 2;
	p.panel[1].title = "mean latency, ms";
	begin(&largest, tick, nr_ticks, "largest latency, ms");
	has_max = add_dir(&steps, is_mixed ? DIR_READ : DIR_TOTAL, 0, &p, &largest);
	if (is_mixed)
		has_max |= add_dir(&steps, DIR_WRITE, 1, &p, &largest);
	text_plot(b, &p, style);
	if (has_max)
		text_plot(b, &largest, style);
	add_legend(b, &steps, is_mixed, has_max, style);
	plot_release(&p);
	plot_release(&largest);
}

void text_series_plot(struct buf *b, const struct measurement *m, struct text_style style)
{
	text_section(b, style, "Over time");
	if (!m->nr_intervals || !m->interval_ns || !m->window_ns) {
		text_say(b, style, "This point has no series.");
		return;
	}
	if (style.is_markdown) {
		markdown_begin_block(b);
		buf_addstr(b, "```text\n");
		style.utf8 = true;
		style.width = WIDTH_DEFAULT;
	}
	plot_series(b, m, style);
	buf_addstr(b, style.is_markdown ? "```\n" : "");
}
