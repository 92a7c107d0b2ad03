/* SPDX-License-Identifier: MIT */
#include "report/run_text.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "report/format.h"
#include "report/lines.h"
#include "report/table.h"

#include <inttypes.h>
#include <string.h>

#define WIDTH_DEFAULT 80

static void add_target(struct lines *l, const struct run_info *r)
{
	struct buf v = BUF_INIT;

	lines_add(l, "target", r->target_label);
	lines_add(l, "identity", r->target_identity);
	lines_add(l, "given as", r->target_given);
	lines_add(l, "resolved", r->target_resolved);
	if (r->target_size_bytes) {
		buf_addf(&v, "%" PRIu64 " bytes (", r->target_size_bytes);
		buf_add_size_human(&v, r->target_size_bytes);
		buf_addch(&v, ')');
	}
	lines_take(l, "size", &v);
	if (r->target_queue_limit)
		buf_addf(&v, "%" PRIu32 " I/Os", r->target_queue_limit);
	lines_take(l, "queue limit", &v);
}

static void add_times(struct lines *l, const struct run_info *r)
{
	struct buf v = BUF_INIT;

	buf_add_utc(&v, r->start_wall_ns);
	if (r->end_wall_ns && !r->imported) {
		buf_addstr(&v, ", ended ");
		buf_add_utc(&v, r->end_wall_ns);
	}
	lines_take(l, r->imported ? "imported" : "started", &v);
}

static void add_questions(struct lines *l, const struct run_info *r)
{
	struct buf v = BUF_INIT;

	lines_add(l, "question", r->question);
	for (unsigned i = 0; i < r->nr_caps; i++) {
		buf_addf(&v, "%s%s ", i ? ", " : "", lat_stat_name(r->caps[i].stat));
		buf_add_duration(&v, r->caps[i].limit_ns);
	}
	lines_take(l, "caps", &v);
	for (enum flag f = 0; f < FLAG_NR; f++)
		if (r->accepted & FLAG_BIT(f))
			buf_addf(&v, "%s%s", v.len ? " " : "", flag_name(f));
	lines_take(l, "accepted", &v);
}

static void add_set_up(struct buf *b, const struct run_info *r, struct text_style style)
{
	struct lines l = {b, style.width, 0}, whole = {b, 0, 0};
	struct buf v = BUF_INIT;

	buf_addf(b, "run %" PRId64 ": %s, %s\n", r->id, r->sweep_name ? r->sweep_name : "no name",
		 run_state_name(r->state));
	add_target(&l, r);
	add_times(&l, r);
	buf_addf(&v, "lunsweep %s (%s)", r->tool_version ? r->tool_version : "?",
		 r->git_id ? r->git_id : "?");
	if (r->engine)
		buf_addf(&v, ", engine %s, seed %" PRIu64, r->engine, r->seed);
	lines_take(&l, "tool", &v);
	lines_add(&whole, "command", r->command);
	add_questions(&l, r);
	for (size_t i = 0; i < r->facts.nr; i++) {
		size_t width = text_width(r->facts.v[i].name);

		l.name_width = width > l.name_width ? width : l.name_width;
	}
	for (size_t i = 0; i < r->facts.nr; i++)
		lines_add(&l, r->facts.v[i].name, r->facts.v[i].value);
}

/* The sweep's text, moved to the right. */
static void add_sweep(struct buf *b, const struct run_info *r)
{
	const char *s = r->sweep_text;

	if (!s || !*s)
		return;
	buf_addstr(b, "\nSweep:\n");
	while (*s) {
		size_t len = strcspn(s, "\r\n");

		buf_addstr(b, len ? "  " : "");
		buf_add(b, s, len);
		buf_addch(b, '\n');
		s += len;
		s += *s == '\r';
		s += *s == '\n';
	}
}

static const struct table_col point_cols[] = {
	{"seq", false, 0},     {"status", true, 0},  {"IOPS", false, 0},   {"MiB/s", false, 2},
	{"mean ms", false, 0}, {"p99 ms", false, 0}, {"util %", false, 1}, {"point", true, 0},
};

static void take_fixed(struct table *t, double value, int decimals)
{
	struct buf s = BUF_INIT;

	format_fixed(&s, value, decimals);
	table_take(t, &s);
	buf_release(&s);
}

/* Its name; flags and the reason, whichever there are. */
static void take_name(struct table *t, const struct point *p)
{
	struct buf s = BUF_INIT;

	buf_add_point(&s, &p->spec);
	if (p->flags) {
		buf_addstr(&s, ": ");
		format_flags(&s, p->flags, " ");
	}
	if (p->reason)
		buf_addf(&s, "%s%s", p->flags ? "; " : ": ", p->reason);
	table_take(t, &s);
	buf_release(&s);
}

static void take_point(struct table *t, const struct point *p)
{
	const struct figures *f = &p->dir[DIR_TOTAL];
	struct buf s = BUF_INIT;

	buf_addf(&s, "%" PRIu32, p->seq);
	table_take(t, &s);
	table_add(t, point_status_name(p->status));
	format_iops(&s, f->iops);
	table_take(t, &s);
	take_fixed(t, f->mib_s, 2);
	take_fixed(t, f->lat_mean_ns / (double)NS_PER_MS, 3);
	take_fixed(t, f->lat_p99_ns / (double)NS_PER_MS, 3);
	take_fixed(t, p->util_pct, 1);
	take_name(t, p);
	buf_release(&s);
}

static void add_points(struct buf *b, const struct point *points, size_t nr,
		       struct text_style style)
{
	unsigned count[POINT_STATUS_NR] = {0};
	const char *sep = " (";
	struct table t;

	for (size_t i = 0; i < nr; i++)
		count[points[i].status]++;
	buf_addf(b, "\nPoints: %zu", nr);
	for (enum point_status s = 0; s < POINT_STATUS_NR; s++) {
		if (!count[s])
			continue;
		buf_addf(b, "%s%u %s", sep, count[s], point_status_name(s));
		sep = ", ";
	}
	buf_addstr(b, nr ? ")\n" : "\n");
	table_init(&t, point_cols, NR(point_cols));
	t.last_min = 24;
	for (size_t i = 0; i < nr; i++)
		take_point(&t, &points[i]);
	table_print(&t, b, 0, style.width ? style.width : WIDTH_DEFAULT);
	table_release(&t);
}

void run_text(struct buf *b, const struct run_info *r, const struct point *points, size_t nr,
	      struct text_style style)
{
	add_set_up(b, r, style);
	add_sweep(b, r);
	add_points(b, points, nr, style);
}
