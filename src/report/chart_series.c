/* SPDX-License-Identifier: MIT */
#include "report/chart_series.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "report/chart_point.h"
#include "report/chart_rows.h"
#include "report/format.h"
#include "report/series_steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const char series_how_to_read[] =
	"Time runs to the right; the window, which counts, begins at 0. Level is steady, a "
	"slope is drift; what is grey is not counted, or stood still.";

#define MAX_DRAWN  400 /* more would be less than two pixels wide */
#define MAX_STALLS 3
/* Gaps shorter than this are no stalls (D19); the series knows them to an interval at each end. */
#define STALL_MIN_NS NS_PER_S
/* Of the longest to the shortest mean latency, from where the axis is logarithmic. */
#define LOG_RATIO 15

enum row { ROW_IOPS, ROW_LATENCY, NR_ROWS };

/* Intervals as they are drawn. */
struct view {
	struct series_steps steps;
	double lat_min_ms, lat_max_ms; /* of all that is drawn; UNKNOWN without */
	bool has_max;		       /* the largest latency of intervals was kept */
};

static double seconds(uint64_t ns)
{
	return (double)ns / (double)NS_PER_S;
}

static struct view look(const struct measurement *m)
{
	struct view v = {series_steps_of(m, MAX_DRAWN), UNKNOWN, UNKNOWN, false};

	for (size_t i = 0; i < v.steps.nr; i++) {
		struct series_step s = series_step_at(&v.steps, i, DIR_TOTAL);
		double ms = s.ios ? chart_ms(s.lat_ns / (double)s.ios) : UNKNOWN;

		v.lat_min_ms = fmin(v.lat_min_ms, ms);
		v.lat_max_ms = fmax(v.lat_max_ms, fmax(ms, chart_ms(s.lat_max_ns)));
		v.has_max |= !isnan(s.lat_max_ns);
	}
	return v;
}

/* A step of a series, which ends where the next begins: before a gap its end must be said. */
static void add_step(struct series *s, double x, double y)
{
	double last = s->nr ? s->cell[s->nr - 1].y : UNKNOWN;

	if (isnan(y) && !isnan(last))
		(void)series_add(s, CELL_VALID, x, last);
	(void)series_add(s, CELL_VALID, x, y);
}

static void end_steps(struct series *s, double x)
{
	if (s->nr)
		(void)series_add(s, CELL_VALID, x, s->cell[s->nr - 1].y);
}

static void draw_dir(struct picture *p, const struct view *v, enum dir dir, const char *name)
{
	struct series *iops = panel_add_series(&p->panel[ROW_IOPS], LOOK_STEPS);
	struct series *lat = panel_add_series(&p->panel[ROW_LATENCY], LOOK_STEPS);

	buf_addstr(&iops->name, name);
	buf_addstr(&lat->name, name);
	for (size_t i = 0; i < v->steps.nr; i++) {
		struct series_step s = series_step_at(&v->steps, i, dir);
		double x = seconds(i * v->steps.merge * v->steps.m->interval_ns);

		add_step(iops, x, s.length_s > 0 ? (double)s.ios / s.length_s : UNKNOWN);
		add_step(lat, x, s.ios ? chart_ms(s.lat_ns / (double)s.ios) : UNKNOWN);
	}
	end_steps(iops, seconds(v->steps.m->window_ns));
	end_steps(lat, seconds(v->steps.m->window_ns));
}

/* A point in the middle of each step, since it is a single I/O and no rate of the step. */
static void draw_max(struct picture *p, const struct view *v)
{
	struct series *max = panel_add_series(&p->panel[ROW_LATENCY], LOOK_POINTS);

	buf_addstr(&max->name, "largest of each step");
	for (size_t i = 0; i < v->steps.nr; i++) {
		struct series_step step = series_step_at(&v->steps, i, DIR_TOTAL);

		if (!isnan(step.lat_max_ns))
			(void)series_add(max, CELL_VALID, step.at_s, chart_ms(step.lat_max_ns));
	}
}

/* ---- stalls ---- */

struct gap {
	size_t first, nr; /* of stored intervals */
};

static bool is_empty(const struct interval *i)
{
	return !i->ios[DIR_READ] && !i->ios[DIR_WRITE];
}

static int longest_first(const void *a, const void *b)
{
	const struct gap *p = a, *q = b;

	if (p->nr != q->nr)
		return p->nr < q->nr ? 1 : -1;
	return (p->first > q->first) - (p->first < q->first);
}

/* The longest gaps that may be stalls, longest first. */
static size_t find_gaps(const struct measurement *m, struct gap **out)
{
	struct gap *gap = NULL;
	size_t nr = 0, cap = 0, run = 0;

	for (size_t i = 0; i <= m->nr_intervals; i++) {
		if (i < m->nr_intervals && is_empty(&m->series[i])) {
			run++;
			continue;
		}
		if ((run + 2) * m->interval_ns >= STALL_MIN_NS && run) {
			VEC_GROW(gap, nr, cap);
			gap[nr++] = (struct gap){i - run, run};
		}
		run = 0;
	}
	if (nr)
		qsort(gap, nr, sizeof(*gap), longest_first);
	*out = gap;
	return nr;
}

static void mark_stalls(struct picture *p, const struct measurement *m)
{
	struct buf label = BUF_INIT;
	struct gap *gap = NULL;
	size_t nr = m->flags & FLAG_BIT(FLAG_STALL) ? find_gaps(m, &gap) : 0;

	for (size_t i = 0; i < nr && i < MAX_STALLS; i++) {
		double from = seconds(gap[i].first * m->interval_ns);
		double to =
			from + seconds(series_length_ns(m, gap[i].first, gap[i].first + gap[i].nr));

		buf_addf(&label, "stall %.1f s", to - from);
		panel_add_band(&p->panel[ROW_IOPS], from, to, buf_text(&label));
		panel_add_band(&p->panel[ROW_LATENCY], from, to, "");
		buf_reset(&label);
	}
	buf_release(&label);
	free(gap);
}

/* ---- the picture ---- */

static void mark_times(struct picture *p, const struct measurement *m)
{
	double warm_s = seconds(measurement_warm_up_ns(m, DIR_TOTAL));

	for (size_t i = 0; i < NR_ROWS; i++) {
		struct panel *panel = &p->panel[i];
		bool is_named = i == ROW_IOPS;

		if (m->ramp_ns)
			panel_add_band(panel, -seconds(m->ramp_ns), 0, is_named ? "ramp" : "");
		if (warm_s > 0)
			panel_add_band(panel, 0, warm_s, is_named ? "warm-up" : "");
	}
	mark_stalls(p, m);
}

static void add_mean_rules(struct picture *p, const struct point *point)
{
	const struct figures *f = &point->dir[DIR_TOTAL];

	if (!isnan(f->iops))
		panel_add_rule(&p->panel[ROW_IOPS], false, f->iops, "mean");
	if (!isnan(f->lat_mean_ns))
		panel_add_rule(&p->panel[ROW_LATENCY], false, chart_ms(f->lat_mean_ns), "mean");
}

static void explain(struct picture *p, const struct view *v, const struct point *point,
		    flag_set accepted)
{
	const struct measurement *m = v->steps.m;
	uint64_t warm_ns = measurement_warm_up_ns(m, DIR_TOTAL);
	struct buf b = BUF_INIT;

	buf_addstr(&b, "  mean ");
	format_iops(&b, point->dir[DIR_TOTAL].iops);
	buf_addstr(&b, " IOPS at ");
	format_ms(&b, point->dir[DIR_TOTAL].lat_mean_ns);
	buf_addf(&b, " over %.4g s; status: ", seconds(m->window_ns));
	format_status(&b, point, accepted);
	chart_add_line(p, &b);
	if (m->ramp_ns) {
		buf_addf(&b, "  ramp of %.4g s before the window: nothing is kept of it",
			 seconds(m->ramp_ns));
		chart_add_line(p, &b);
	}
	if (warm_ns) {
		buf_addf(
			&b,
			"  warm-up of %.4g s (MSER-5): counted in the means, but not in their intervals",
			seconds(warm_ns));
		chart_add_line(p, &b);
	}
	for (enum flag f = 0; f < FLAG_NR; f++) {
		if (!(m->flags & FLAG_BIT(f)) || !m->flag_detail[f])
			continue;
		buf_addf(&b, "  %s: %s", flag_name(f), m->flag_detail[f]);
		chart_add_line(p, &b);
	}
	buf_addf(&b, "Each step is %.10g s", seconds(v->steps.merge * m->interval_ns));
	if (v->steps.merge > 1)
		buf_addf(&b, ", %zu stored intervals together", v->steps.merge);
	buf_addstr(&b, ". Where nothing completed latency has a gap.");
	chart_add_line(p, &b);
	buf_addstr(
		&b,
		v->has_max
			? "The points are the largest latency of each step, where it ended: an I/O "
			  "that was held up stands out there when the mean hides it."
			: "The largest latency of each step was not kept with this point.");
	format_wrapped(&p->caption, buf_text(&b), 0, 80);
	buf_release(&b);
}

void series_draw(struct picture *p, const struct measurement *m, const struct point *point,
		 flag_set accepted)
{
	struct view v = look(m);
	static const char *const titles[2][2] = {
		{"mean latency (ms)", "mean latency (ms, log scale)"},
		{"mean and largest latency (ms)", "mean and largest latency (ms, log scale)"}};
	bool is_log = v.lat_max_ms > v.lat_min_ms * LOG_RATIO && v.lat_min_ms > 0;
	bool is_mixed = point_reads(&m->spec) && point_writes(&m->spec);
	struct panel *lat = &p->panel[ROW_LATENCY];

	p->panel[ROW_IOPS].y.title = "IOPS";
	lat->y.title = titles[v.has_max][is_log];
	lat->y.scale = is_log ? SCALE_LOG10 : SCALE_LINEAR;
	for (size_t i = 0; i < NR_ROWS; i++) {
		p->panel[i].x.title = "time since the window began (s)";
		p->panel[i].x.from = -seconds(m->ramp_ns);
		p->panel[i].x.to = seconds(m->window_ns);
	}
	if (is_mixed) {
		draw_dir(p, &v, DIR_READ, "reads");
		draw_dir(p, &v, DIR_WRITE, "writes");
	}
	draw_dir(p, &v, DIR_TOTAL, is_mixed ? "total" : point_reads(&m->spec) ? "reads" : "writes");
	if (v.has_max)
		draw_max(p, &v);
	mark_times(p, m);
	add_mean_rules(p, point);
	explain(p, &v, point, accepted);
}

/* ---- which points ---- */

enum rank { RANK_BROKEN, RANK_KNEE, RANK_DEEPEST, RANK_IMPRECISE };

struct choices {
	const struct report_run *run;
	struct series_choice *v;
	size_t nr, cap;
};

static bool has_series(const struct choices *c, const struct point *p)
{
	return p->run_id == c->run->info->id && !p->imported && p->window_s > 0 &&
	       (p->status == POINT_OK || p->status == POINT_FAILED);
}

static void add_choice(struct choices *c, const struct point *p, enum rank rank, const char *why)
{
	struct series_choice *s;

	if (!has_series(c, p))
		return;
	for (size_t i = 0; i < c->nr; i++)
		if (c->v[i].p->seq == p->seq)
			return;
	VEC_GROW(c->v, c->nr, c->cap);
	s = &c->v[c->nr++];
	*s = (struct series_choice){.p = p, .rank = rank};
	(void)snprintf(s->why, sizeof(s->why), "%s", why);
}

static void add_flagged(struct choices *c, flag_set flags, enum rank rank)
{
	struct buf why = BUF_INIT;

	for (size_t i = 0; i < c->run->nr_points; i++) {
		const struct point *p = &c->run->points[i];

		if (!(p->flags & flags))
			continue;
		format_flags(&why, p->flags & flags, ", ");
		add_choice(c, p, rank, buf_text(&why));
		buf_reset(&why);
	}
	buf_release(&why);
}

static const struct point *row_at(const struct curve *c, uint32_t depth)
{
	for (size_t i = 0; i < c->nr_rows; i++)
		if (c->row[i]->spec.iodepth == depth && c->row[i]->status == POINT_OK)
			return c->row[i];
	return NULL;
}

static void add_curve(struct choices *c, const struct report_curve *rc)
{
	const struct curve *curve = rc->curve;
	uint32_t knee = chart_knee(rc);
	const struct point *p = knee ? row_at(curve, knee) : NULL;

	for (size_t i = 0; i < curve->nr_anchors; i++)
		if (curve->anchor[i].differs)
			add_choice(c, curve->anchor[i].again, RANK_BROKEN,
				   "differs when measured again");
	if (p)
		add_choice(c, p, RANK_KNEE, "knee of its curve");
	p = NULL;
	for (size_t i = curve->nr_rows; i-- > 0 && !p;)
		p = row_at(curve, curve->row[i]->spec.iodepth);
	if (p)
		add_choice(c, p, RANK_DEEPEST, "deepest of its curve");
}

static int by_rank(const void *a, const void *b)
{
	const struct series_choice *p = a, *q = b;

	if (p->rank != q->rank)
		return p->rank < q->rank ? -1 : 1;
	return (p->p->seq > q->p->seq) - (p->p->seq < q->p->seq);
}

size_t series_choose(const struct report_run *run, struct series_choice **out)
{
	struct choices c = {.run = run};

	add_flagged(&c, FLAG_BIT(FLAG_IO_ERROR) | FLAG_BIT(FLAG_STALL) | FLAG_BIT(FLAG_UNSTEADY),
		    RANK_BROKEN);
	for (size_t i = 0; i < run->nr_curves; i++)
		add_curve(&c, &run->curves[i]);
	add_flagged(&c, FLAG_BIT(FLAG_IMPRECISE), RANK_IMPRECISE);
	if (c.nr)
		qsort(c.v, c.nr, sizeof(*c.v), by_rank);
	*out = c.v;
	return c.nr;
}

/* ---- of a report ---- */

size_t charts_choose_series(const struct report_run *run, uint32_t *seq, size_t max)
{
	struct series_choice *c;
	size_t nr = series_choose(run, &c);

	nr = nr < max ? nr : max;
	for (size_t i = 0; i < nr; i++)
		seq[i] = c[i].p->seq;
	free(c);
	return nr;
}

void series_add_point(struct buf *b, const struct point *p)
{
	buf_addf(b, "point %" PRIu32 ": ", p->seq);
	buf_add_point(b, &p->spec);
}

static const struct measurement *find_detail(const struct report_run *run, uint32_t seq)
{
	for (size_t i = 0; i < run->nr_details; i++)
		if (run->detail[i].seq == seq)
			return &run->detail[i];
	return NULL;
}

static struct picture *draw_choice(struct charts *out, const struct chart_source *from,
				   const struct series_choice *c, const struct measurement *m)
{
	struct buf name = BUF_INIT;
	struct picture *p;

	chart_add_run_prefix(&name, from);
	buf_addf(&name, "series-point%" PRIu32, c->p->seq);
	p = chart_add_picture(out, from, buf_detach(&name), 0, 1, NR_ROWS, 1);
	series_add_point(&p->title, c->p);
	buf_addstr(&p->title, ", over time");
	buf_addf(&p->subtitle, "; shown for: %s", c->why);
	chart_begin_caption(p, from, series_how_to_read);
	series_draw(p, m, c->p, from->run->accepted);
	return p;
}

/* Which other points might be looked at, in the last caption. */
static void name_rest(struct picture *p, const struct report_run *run,
		      const struct series_choice *c, size_t nr)
{
	const char *sep = "";
	struct buf b = BUF_INIT;

	buf_addf(&b, "Not drawn here; 'lunsweep show %" PRId64 " POINT -o DIR' draws any point: ",
		 run->info->id);
	for (size_t i = 0; i < nr; i++) {
		if (find_detail(run, c[i].p->seq))
			continue;
		buf_addf(&b, "%s%" PRIu32 " (%s)", sep, c[i].p->seq, c[i].why);
		sep = ", ";
	}
	if (*sep)
		format_wrapped(&p->caption, buf_text(&b), 0, 80);
	buf_release(&b);
}

void chart_draw_series(struct charts *out, const struct chart_source *from)
{
	struct series_choice *c;
	size_t nr = from->run->nr_details ? series_choose(from->run, &c) : 0;
	struct picture *last = NULL;

	if (!nr)
		return;
	for (size_t i = 0; i < nr; i++) {
		const struct measurement *m = find_detail(from->run, c[i].p->seq);

		if (m && m->nr_intervals)
			last = draw_choice(out, from, &c[i], m);
	}
	if (last)
		name_rest(last, from->run, c, nr);
	free(c);
}
