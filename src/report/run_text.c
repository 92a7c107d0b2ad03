/* SPDX-License-Identifier: MIT */
#include "report/run_text.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "report/format.h"
#include "report/lines.h"
#include "report/markup.h"

#include <inttypes.h>
#include <string.h>

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
	struct lines l = {.is_foreign = true,
			  .out = b,
			  .width = style.width,
			  .is_markdown = style.is_markdown};
	struct lines whole = {.is_foreign = true, .out = b, .is_markdown = style.is_markdown};
	struct buf v = BUF_INIT;

	buf_addf(&v, "run %" PRId64 ": ", r->id);
	buf_add_clean(&v, r->sweep_name ? r->sweep_name : "no name", SIZE_MAX);
	buf_addf(&v, ", %s", run_state_name(r->state));
	text_title(b, style, buf_text(&v));
	buf_reset(&v);
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

/* The sweep's text, moved to the right: by four blanks it is code in Markdown, where nothing in it has a
 * meaning. */
static void add_sweep(struct buf *b, const struct run_info *r, struct text_style style)
{
	const char *indent = style.is_markdown ? "    " : "  ";
	const char *s = r->sweep_text;

	if (!s || !*s)
		return;
	text_section(b, style, "Sweep");
	if (style.is_markdown)
		markdown_begin_block(b);
	while (*s) {
		size_t len = strcspn(s, "\r\n");

		buf_addstr(b, len ? indent : "");
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
	struct buf s = BUF_INIT;
	struct table t;

	for (size_t i = 0; i < nr; i++)
		count[points[i].status]++;
	buf_addf(&s, "Points: %zu", nr);
	for (enum point_status st = 0; st < POINT_STATUS_NR; st++) {
		if (!count[st])
			continue;
		buf_addf(&s, "%s%u %s", sep, count[st], point_status_name(st));
		sep = ", ";
	}
	buf_addstr(&s, nr ? ")" : "");
	text_gap(b, style);
	text_say_at(b, style, 0, buf_text(&s));
	buf_release(&s);
	table_init(&t, point_cols, NR(point_cols));
	t.last_min = 24;
	for (size_t i = 0; i < nr; i++)
		take_point(&t, &points[i]);
	text_table(b, style, 0, &t);
	table_release(&t);
}

void run_text(struct buf *b, const struct run_info *r, const struct point *points, size_t nr,
	      struct text_style style)
{
	add_set_up(b, r, style);
	add_sweep(b, r, style);
	add_points(b, points, nr, style);
}
