/* SPDX-License-Identifier: MIT */
/* Block size against iodepth as a heat map: IOPS, MiB/s and mean latency below each other. */
#include "report/chart_group.h"
#include "report/chart_rows.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/units.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdlib.h>

static const char how_to_read[] =
	"Each field is one block size at one iodepth, with its figure in it. Where IOPS fall "
	"from one block size to the next and MiB/s no longer rise, bandwidth is the limit. "
	"Crossed fields failed or were not measured; framed ones are spoiled, or limited by "
	"the host.";

/* Curves that differ in block size only, ascending in it. */
struct heat {
	const struct chart_source *from;
	const struct curve **curve;
	size_t nr;
	uint32_t *depth;
	size_t nr_depths;
};

enum value { VALUE_IOPS, VALUE_MIB_S, VALUE_LATENCY, VALUE_NR };

static const struct {
	const char *panel, *unit;
} values[VALUE_NR] = {
	{"IOPS", "IOPS (log)"},
	{"MiB/s", "MiB/s (log)"},
	{"mean latency", "ms (log)"},
};

static double value_of(const struct chart_means *m, enum value v)
{
	return v == VALUE_IOPS ? m->iops : v == VALUE_MIB_S ? m->mib_s : chart_ms(m->lat_ns);
}

static int compare_patterns(const struct curve *a, const struct curve *b)
{
	struct point_spec s = a->spec, t = b->spec;

	s.bs_bytes = t.bs_bytes = 0;
	s.iodepth = t.iodepth = s.repeat = t.repeat = 0;
	return point_spec_compare(&s, &t);
}

static int by_pattern(const void *a, const void *b)
{
	const struct curve *p = *(const struct curve *const *)a;
	const struct curve *q = *(const struct curve *const *)b;
	int c = compare_patterns(p, q);

	return c ? c
		 : (p->spec.bs_bytes > q->spec.bs_bytes) - (p->spec.bs_bytes < q->spec.bs_bytes);
}

static void add_tip(struct heat_cell *cell, const struct point_spec *s, uint32_t depth,
		    const struct chart_means *m, const char *gap)
{
	struct buf b = BUF_INIT;

	buf_add_size(&b, s->bs_bytes);
	buf_addf(&b, ", iodepth %" PRIu32 "\n", depth);
	if (isnan(m->iops)) {
		buf_addf(&b, "%s\n", *gap == '-' ? "not measured" : gap);
	} else {
		format_iops(&b, m->iops);
		buf_addstr(&b, " IOPS\n");
		format_sig3(&b, m->mib_s);
		buf_addstr(&b, " MiB/s\nmean ");
		format_ms(&b, m->lat_ns);
		buf_addch(&b, '\n');
	}
	cell->tip = buf_detach(&b);
}

static void draw_cell(struct panel *panel, const struct heat *h, size_t row, size_t col,
		      enum value v)
{
	uint32_t depth = h->depth[col];
	struct chart_means m;
	struct chart_rows rows;
	struct heat_cell *cell;
	struct buf text = BUF_INIT;
	const char *gap = "";
	double value;

	chart_rows_find(h->curve[row], depth, h->from->run->accepted, &rows);
	m = chart_rows_means(&rows, DIR_TOTAL);
	value = value_of(&m, v);
	cell = panel_add_heat(panel, rows.kind, (double)col, (double)row, value);
	if (rows.kind == CELL_GAP || isnan(value))
		buf_addstr(&text, gap = chart_rows_gap(h->curve[row], depth));
	else
		format_sig3(&text, value);
	cell->text = buf_detach(&text);
	add_tip(cell, &h->curve[row]->spec, depth, &m, gap);
	chart_rows_release(&rows);
}

static void draw_panel(struct panel *panel, const struct heat *h, enum value v)
{
	struct buf label = BUF_INIT;

	buf_addstr(&panel->title, values[v].panel);
	panel->heat_title = values[v].unit;
	panel->is_heat_log = true;
	panel->x.title = "iodepth (I/Os in flight, total over all workers)";
	panel->y.title = "block size";
	panel->x.scale = panel->y.scale = SCALE_RANK;
	for (size_t i = 0; i < h->nr_depths; i++) {
		buf_addf(&label, "%" PRIu32, h->depth[i]);
		axis_add_tick(&panel->x, (double)i, buf_text(&label));
		buf_reset(&label);
	}
	for (size_t i = 0; i < h->nr; i++) {
		buf_add_size(&label, h->curve[i]->spec.bs_bytes);
		axis_add_tick(&panel->y, (double)i, buf_text(&label));
		buf_reset(&label);
		for (size_t k = 0; k < h->nr_depths; k++)
			draw_cell(panel, h, i, k, v);
	}
	buf_release(&label);
}

/* ---- caption ---- */

/* Where a panel is highest, or the latency lowest. */
static void say_best(struct picture *p, const struct heat *h, enum value v)
{
	double best = UNKNOWN;
	bool is_least = false;
	size_t row = 0, col = 0;
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < p->panel[v].nr_heat; i++) {
		const struct heat_cell *c = &p->panel[v].heat[i];

		if ((c->kind != CELL_VALID && c->kind != CELL_LIMITED) || isnan(c->value))
			continue;
		if (isnan(best) || (v == VALUE_LATENCY ? c->value < best : c->value > best)) {
			best = c->value;
			is_least = v != VALUE_LATENCY && c->kind == CELL_LIMITED;
			row = (size_t)c->y;
			col = (size_t)c->x;
		}
	}
	if (isnan(best))
		return;
	buf_addf(&b, "  %s %s: ", v == VALUE_LATENCY ? "lowest" : "highest", values[v].panel);
	buf_addstr(&b, is_least ? "at least " : "");
	format_sig3(&b, best);
	buf_addstr(&b, v == VALUE_LATENCY ? " ms at " : " at ");
	buf_add_size(&b, h->curve[row]->spec.bs_bytes);
	buf_addf(&b, ", iodepth %" PRIu32, h->depth[col]);
	chart_add_line(p, &b);
	buf_release(&b);
}

static void explain(struct picture *p, const struct heat *h)
{
	struct buf b = BUF_INIT;

	for (enum value v = 0; v < VALUE_NR; v++)
		say_best(p, h, v);
	for (size_t i = 0; i < h->nr; i++)
		chart_rows_explain(p, h->curve[i], 0, h->from->run->accepted);
	buf_release(&b);
}

static void add_place(struct buf *b, const struct point_spec *s, bool is_file_name)
{
	struct point_spec at = *s;

	buf_addstr(b, rw_name(s->rw));
	chart_add_mix(b, s, is_file_name);
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
	buf_addstr(&b, "heat ");
	add_place(&b, &any_span, false);
	return buf_detach(&b);
}

static void draw(struct charts *out, const struct heat *h)
{
	struct buf name = BUF_INIT;
	struct picture *p;

	chart_add_run_prefix(&name, h->from);
	buf_addstr(&name, "heat-");
	add_place(&name, &h->curve[0]->spec, true);
	p = chart_add_picture(out, h->from, buf_detach(&name), 0, 1, VALUE_NR, 1);
	p->scale_key = scale_key(&h->curve[0]->spec);
	add_place(&p->title, &h->curve[0]->spec, false);
	buf_addstr(&p->title, ": IOPS, MiB/s and latency by block size and iodepth");
	chart_begin_caption(p, h->from, how_to_read);
	for (enum value v = 0; v < VALUE_NR; v++)
		draw_panel(&p->panel[v], h, v);
	explain(p, h);
}

static void draw_group(struct charts *out, struct heat *h)
{
	h->depth = chart_all_depths(h->curve, h->nr, &h->nr_depths);
	if (h->nr > 1 && h->nr_depths > 1)
		draw(out, h);
	free(h->depth);
}

void chart_draw_heats(struct charts *out, const struct chart_source *from)
{
	size_t nr = from->run->nr_curves;
	const struct curve **curve = xcalloc(nr + 1, sizeof(*curve));
	struct heat h;

	for (size_t i = 0; i < nr; i++)
		curve[i] = from->run->curves[i].curve;
	qsort(curve, nr, sizeof(*curve), by_pattern);
	for (size_t i = 0; i < nr; i += h.nr) {
		h = (struct heat){.from = from, .curve = curve + i, .nr = 1};
		while (i + h.nr < nr && !compare_patterns(curve[i], curve[i + h.nr]))
			h.nr++;
		draw_group(out, &h);
	}
	free(curve);
}
