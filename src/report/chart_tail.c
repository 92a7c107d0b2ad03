/* SPDX-License-Identifier: MIT */
/* Which share of the I/Os takes longer than a latency. */
#include "report/chart_dist.h"

#include "base/num.h"
#include "report/format.h"

#include <inttypes.h>

const struct dist_kind dist_tail = {
	"tail",
	": share of I/Os that took longer",
	"Each curve tells which share of the I/Os took longer than a latency: where it passes "
	"1 % is p99. The further to the right, the slower; a curve that bends off to the right "
	"has a tail of slow I/Os.",
};

/* Points closer than this are not told apart: in decades of latency, and in nines. */
#define STEP_DECADES 0.04
#define STEP_NINES   0.06
#define IOS_BEYOND   10

/* A curve while its points are added. */
struct tail {
	struct series *series;
	double x, share; /* of the last point that was added */
	double end, now; /* highest latency so far in ms, and the share beyond it */
};

static void add(struct tail *t, double x, double share)
{
	(void)series_add(t->series, CELL_VALID, x, share);
	t->x = x;
	t->share = share;
}

/* Nothing is that long up to the next bucket: the line is level there. */
static void bridge(struct tail *t, double low)
{
	if (log10(low / t->end) < STEP_DECADES)
		return;
	if (t->end > t->x)
		add(t, t->end, t->now);
	add(t, low, t->now);
}

static void step(struct tail *t, double high, double share)
{
	t->end = high;
	t->now = share;
	if (log10(high / t->x) >= STEP_DECADES || log10(t->share / share) >= STEP_NINES)
		add(t, high, share);
}

static void draw(struct series *s, const struct hist *h)
{
	double n = (double)h->count, low = fmax(chart_ms((double)h->min), 1e-6);
	struct tail t = {.series = s, .end = low, .now = 1};
	uint64_t beyond = h->count;

	add(&t, low, 1);
	for (unsigned i = 0; i < HIST_NR && beyond > IOS_BEYOND; i++) {
		uint64_t high = hist_bucket_high(i);

		if (!h->bucket[i])
			continue;
		beyond -= h->bucket[i];
		bridge(&t, fmax(chart_ms((double)hist_bucket_low(i)), t.end));
		if (beyond < IOS_BEYOND)
			break;
		step(&t, chart_ms((double)(high < h->max ? high : h->max)), (double)beyond / n);
	}
	if (t.end > t.x)
		add(&t, t.end, t.now);
}

static void explain(struct picture *p, const struct dist *d, const char *depth,
		    const struct hist *h)
{
	static const struct {
		const char *name;
		double q;
		uint64_t min_ios;
	} shown[] = {
		{"p50", 0.5, 20}, {"p90", 0.9, 100}, {"p99", 0.99, 1000}, {"p99.9", 0.999, 10000}};
	struct buf b = BUF_INIT;

	buf_addf(&b, "  %s%s%s:", buf_text(&d->title), d->title.len ? ", " : "", depth);
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		if (h->count < shown[i].min_ios)
			continue;
		buf_addf(&b, " %s ", shown[i].name);
		format_ms(&b, hist_quantile(h, shown[i].q));
		buf_addch(&b, ',');
	}
	buf_addstr(&b, " max ");
	format_ms(&b, (double)h->max);
	buf_addf(&b, " of %" PRIu64 " I/Os", h->count);
	chart_add_line(p, &b);
	buf_release(&b);
}

void dist_draw_tail(struct picture *p, const struct dist_set *s, size_t first, size_t last)
{
	bool is_drawn[PICTURE_MAX_SERIES] = {false};
	struct buf b = BUF_INIT;

	for (size_t i = first; i < last; i++) {
		struct panel *panel = &p->panel[i - first];

		panel->x.title = "latency (ms, log scale)";
		panel->x.scale = SCALE_LOG10;
		panel->y.title = "share of I/Os that took longer (1 % is p99)";
		panel->y.scale = SCALE_TAIL;
		buf_addstr(&panel->title, last - first > 1 ? buf_text(&s->v[i].title) : "");
		dist_add_caps(panel, s->run, true);
		for (size_t k = 0; k < s->nr_depths; k++) {
			struct series *line;

			if (!s->v[i].hist[k])
				continue;
			is_drawn[k] = true;
			line = panel_add_series(panel, LOOK_LINE);
			dist_add_name(&line->name, s, k);
			draw(line, s->v[i].hist[k]);
			if (dist_is_told(s, k))
				explain(p, &s->v[i], buf_text(&line->name), s->v[i].hist[k]);
		}
	}
	buf_addstr(&b, "Curves end where fewer than 10 I/Os are slower.");
	dist_explain_depths(&b, s, is_drawn);
	format_wrapped(&p->caption, buf_text(&b), 0, 80);
	buf_release(&b);
}
