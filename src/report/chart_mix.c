/* SPDX-License-Identifier: MIT */
/* IOPS and latency of reads and writes against the share of reads, at a few depths side by side. */
#include "report/chart_group.h"
#include "report/chart_rows.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/units.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdlib.h>

static const char how_to_read[] =
	"From pure writes on the left to pure reads on the right. Where the total sags between "
	"them, reads and writes hinder each other; reads that are slower left of 100 % wait "
	"for writes.";

#define MAX_DEPTHS 3 /* side by side */

/* Curves that differ in the share of reads only, ascending in it: pure reads and writes among them. */
struct mix {
	const struct chart_source *from;
	const struct report_curve **rc;
	size_t nr;
	uint32_t depth[MAX_DEPTHS];
	size_t nr_depths, nr_measured;
};

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* randrw with 100 % of reads is what randread is, so modes do not count. */
static int compare_patterns(const struct point_spec *a, const struct point_spec *b)
{
	int c = compare_u64(a->random_pct, b->random_pct);

	c = c ? c : compare_u64(a->bs_bytes, b->bs_bytes);
	c = c ? c : compare_u64(a->span_bytes, b->span_bytes);
	c = c ? c : compare_u64(a->offset_bytes, b->offset_bytes);
	return c ? c : compare_u64(a->workers, b->workers);
}

static int by_share(const void *a, const void *b)
{
	const struct point_spec *s = &(*(const struct report_curve *const *)a)->curve->spec;
	const struct point_spec *t = &(*(const struct report_curve *const *)b)->curve->spec;
	int c = compare_patterns(s, t);

	c = c ? c : compare_u64(s->rwmixread_pct, t->rwmixread_pct);
	return c ? c : compare_u64(s->rw, t->rw);
}

enum row { ROW_IOPS, ROW_LATENCY, NR_ROWS };

static const char *const names[DIR_NR] = {"reads", "writes", "total"};

static void add_means(struct series *iops, struct series *lat, enum cell_kind kind, double x,
		      const struct chart_means *m)
{
	(void)series_add(iops, kind, x, m->iops);
	(void)series_add(lat, kind, x, chart_ms(m->lat_ns));
}

/* Of pure reads the total is the reads; tables of others may know it only. */
static void draw_curve(const struct report_curve *rc, uint32_t depth, flag_set accepted,
		       struct series *iops[DIR_NR], struct series *lat[DIR_NR])
{
	const struct point_spec *s = &rc->curve->spec;
	struct chart_rows rows;
	double x = s->rwmixread_pct;

	chart_rows_find(rc->curve, depth, accepted, &rows);
	for (enum dir d = DIR_READ; d < DIR_NR; d++) {
		bool is_asked = d == DIR_READ ? point_reads(s) : d != DIR_WRITE || point_writes(s);
		bool is_pure = !point_reads(s) || !point_writes(s);
		struct chart_means m = chart_rows_means(&rows, is_pure ? DIR_TOTAL : d);

		if (is_asked)
			add_means(iops[d], lat[d], rows.kind, x, &m);
	}
	chart_rows_release(&rows);
}

static void draw_column(struct picture *p, const struct mix *m, unsigned col)
{
	struct series *line[NR_ROWS][DIR_NR];
	struct buf label = BUF_INIT;

	for (unsigned row = 0; row < NR_ROWS; row++) {
		struct panel *panel = picture_panel(p, row, col);

		panel->x.title = "reads (% of I/Os)";
		panel->x.from = -3;
		panel->x.to = 103;
		panel->y.title = row == ROW_IOPS ? "IOPS" : "mean latency (ms, log scale)";
		panel->y.scale = row == ROW_IOPS ? SCALE_LINEAR : SCALE_LOG10;
		if (row == ROW_IOPS && m->nr_depths > 1)
			buf_addf(&panel->title, "iodepth %" PRIu32, m->depth[col]);
		for (enum dir d = DIR_READ; d < DIR_NR; d++) {
			line[row][d] = panel_add_series(panel, LOOK_CURVE);
			buf_addstr(&line[row][d]->name, names[d]);
		}
		for (size_t i = 0; i < m->nr; i++) {
			buf_addf(&label, "%" PRIu32, m->rc[i]->curve->spec.rwmixread_pct);
			axis_add_tick(&panel->x, m->rc[i]->curve->spec.rwmixread_pct,
				      buf_text(&label));
			buf_reset(&label);
		}
	}
	for (size_t i = 0; i < m->nr; i++)
		draw_curve(m->rc[i], m->depth[col], m->from->run->accepted, line[ROW_IOPS],
			   line[ROW_LATENCY]);
	buf_release(&label);
}

/* ---- caption ---- */

static void say_depth(struct picture *p, const struct mix *m, uint32_t depth)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "  iodepth %" PRIu32 ":", depth);
	for (size_t i = 0; i < m->nr; i++) {
		struct chart_rows rows;
		struct chart_means means;

		chart_rows_find(m->rc[i]->curve, depth, m->from->run->accepted, &rows);
		means = chart_rows_means(&rows, DIR_TOTAL);
		buf_addf(&b, "%s %" PRIu32 " %% reads ", i ? "," : "",
			 m->rc[i]->curve->spec.rwmixread_pct);
		buf_addstr(&b, rows.kind == CELL_LIMITED ? "at least " : "");
		format_iops(&b, means.iops);
		if (!isnan(means.iops)) {
			buf_addstr(&b, " IOPS at ");
			format_ms(&b, means.lat_ns);
		}
		buf_addstr(&b, rows.kind == CELL_SPOILED ? " (spoiled)" : "");
		chart_rows_release(&rows);
	}
	chart_add_line(p, &b);
	buf_release(&b);
}

static void explain(struct picture *p, const struct mix *m)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < m->nr_depths; i++)
		say_depth(p, m, m->depth[i]);
	if (m->nr_measured > m->nr_depths) {
		buf_addf(&b, "Of %zu depths the lowest, one between and the highest are drawn.",
			 m->nr_measured);
		chart_add_line(p, &b);
	}
	for (size_t i = 0; i < m->nr; i++)
		for (size_t k = 0; k < m->nr_depths; k++)
			chart_rows_explain(p, m->rc[i]->curve, m->depth[k], m->from->run->accepted);
	buf_release(&b);
}

static void add_place(struct buf *b, const struct point_spec *s, bool is_file_name)
{
	struct point_spec at = *s;

	buf_addstr(b, s->random_pct ? "random" : "sequential");
	if (s->random_pct && s->random_pct != 100)
		buf_addf(b, is_file_name ? "-%" PRIu32 "rand" : " %" PRIu32 "%%", s->random_pct);
	buf_addch(b, is_file_name ? '-' : ' ');
	buf_add_size(b, s->bs_bytes);
	if (s->span_bytes && is_file_name) {
		buf_addstr(b, "-span");
		buf_add_size(b, s->span_bytes);
		if (s->offset_bytes) {
			buf_addstr(b, "-at");
			buf_add_size(b, s->offset_bytes);
		}
	} else if (s->span_bytes) {
		buf_addstr(b, " span ");
		buf_add_span(b, &at);
	}
	chart_add_workers(b, s, is_file_name);
}

/* Spans, and runs, can be compared. */
static char *scale_key(const struct point_spec *s)
{
	struct point_spec any_span = *s;
	struct buf b = BUF_INIT;

	any_span.span_bytes = 0;
	buf_addstr(&b, "mix ");
	add_place(&b, &any_span, false);
	return buf_detach(&b);
}

static void draw(struct charts *out, const struct mix *m)
{
	const struct point_spec *s = &m->rc[0]->curve->spec;
	struct buf name = BUF_INIT;
	struct picture *p;

	chart_add_run_prefix(&name, m->from);
	buf_addstr(&name, "mix-");
	add_place(&name, s, true);
	p = chart_add_picture(out, m->from, buf_detach(&name), 0, 1, NR_ROWS,
			      (unsigned)m->nr_depths);
	p->scale_key = scale_key(s);
	add_place(&p->title, s, false);
	buf_addstr(&p->title, ": IOPS and latency against the share of reads");
	if (m->nr_depths == 1)
		buf_addf(&p->title, ", iodepth %" PRIu32, m->depth[0]);
	chart_begin_caption(p, m->from, how_to_read);
	for (unsigned col = 0; col < m->nr_depths; col++)
		draw_column(p, m, col);
	explain(p, m);
}

/* Whether a share between 0 and 100 % was measured, and another: pure reads beside pure writes are no mix. */
static bool has_mixes(const struct mix *m)
{
	bool has_mix = false;

	for (size_t i = 0; i < m->nr; i++)
		has_mix |=
			point_reads(&m->rc[i]->curve->spec) && point_writes(&m->rc[i]->curve->spec);
	return has_mix &&
	       m->rc[0]->curve->spec.rwmixread_pct != m->rc[m->nr - 1]->curve->spec.rwmixread_pct;
}

/* The lowest, the highest, and one between: the knee of the first curve that has one there, else the middle. */
static void choose_depths(struct mix *m)
{
	const struct curve **curve = xcalloc(m->nr + 1, sizeof(*curve));
	uint32_t *depth, knee = 0;

	for (size_t i = m->nr; i-- > 0;) {
		curve[i] = m->rc[i]->curve;
		knee = chart_knee(m->rc[i]) ? chart_knee(m->rc[i]) : knee;
	}
	depth = chart_all_depths(curve, m->nr, &m->nr_measured);
	m->nr_depths = chart_choose_depths(depth, m->nr_measured, knee, m->depth, MAX_DEPTHS);
	free(depth);
	free(curve);
}

void chart_draw_mixes(struct charts *out, const struct chart_source *from)
{
	size_t nr = from->run->nr_curves;
	const struct report_curve **rc = xcalloc(nr + 1, sizeof(*rc));
	struct mix m;

	for (size_t i = 0; i < nr; i++)
		rc[i] = &from->run->curves[i];
	qsort(rc, nr, sizeof(*rc), by_share);
	for (size_t i = 0; i < nr; i += m.nr) {
		m = (struct mix){.from = from, .rc = rc + i, .nr = 1};
		while (i + m.nr < nr &&
		       !compare_patterns(&rc[i]->curve->spec, &rc[i + m.nr]->curve->spec))
			m.nr++;
		if (!has_mixes(&m))
			continue;
		choose_depths(&m);
		draw(out, &m);
	}
	free(rc);
}
