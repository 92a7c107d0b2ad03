/* SPDX-License-Identifier: MIT */
#include "report/progress.h"

#include "base/num.h"
#include "base/units.h"
#include "report/format.h"
#include "report/one_line.h"

#include <math.h>

uint64_t progress_left_ns(uint64_t point_ns, size_t nr_left, uint64_t elapsed_ns)
{
	uint64_t in_hand = point_ns > elapsed_ns ? point_ns - elapsed_ns : 0;

	return nr_left ? point_ns * (nr_left - 1) + in_hand : 0;
}

double progress_share(uint64_t point_ns, size_t nr_done, size_t nr_left, uint64_t elapsed_ns)
{
	double part = point_ns && nr_left ? (double)elapsed_ns / (double)point_ns : 0;
	double nr = (double)(nr_done + nr_left);

	return nr > 0 ? ((double)nr_done + fmin(part, 1)) / nr : UNKNOWN;
}

void progress_rate(struct buf *b, double iops, double lat_ns)
{
	if (isnan(iops))
		return;
	format_iops(b, iops);
	buf_addstr(b, " IOPS");
	if (isnan(lat_ns))
		return;
	buf_addstr(b, ", ");
	format_ms(b, lat_ns);
}

void progress_counts(struct buf *b, const struct progress_counts *c)
{
	if (c->nr_failed)
		buf_addf(b, "%u failed", c->nr_failed);
	if (!c->nr_spoiled)
		return;
	buf_addf(b, "%s%u spoiled", c->nr_failed ? ", " : "", c->nr_spoiled);
	if (!c->flags)
		return;
	buf_addstr(b, " (");
	format_flags(b, c->flags, ", ");
	buf_addch(b, ')');
}

/* What stays longest has the lowest number. */
enum rank { RANK_COUNT, RANK_FIGURES, RANK_LEFT, RANK_SHARE, RANK_POINT, RANK_COUNTS };

void progress_line(struct buf *b, const struct progress_view *v, size_t width)
{
	struct one_line l = {.nr = 0};
	struct buf *part = one_line_part(&l, RANK_COUNT);

	buf_addf(part, v->nr_todo ? "[%zu/%zu]" : "[%zu]", v->nr_done + 1, v->nr_todo);
	part = one_line_part(&l, RANK_SHARE);
	if (!isnan(v->share)) {
		format_share(part, v->share);
	}
	buf_add_point(one_line_part(&l, RANK_POINT), v->spec);
	part = one_line_part(&l, RANK_FIGURES);
	if (v->doing)
		buf_addf(part, "%s%s", v->doing, isnan(v->iops) ? "" : " ");
	progress_rate(part, v->iops, v->lat_ns);
	part = one_line_part(&l, RANK_LEFT);
	if (v->left_ns != PROGRESS_TIME_UNKNOWN) {
		buf_addf(part, "%s ", v->left_title);
		buf_add_hms(part, v->left_ns);
	}
	progress_counts(one_line_part(&l, RANK_COUNTS), &v->counts);
	one_line_take(&l, width, b);
}
