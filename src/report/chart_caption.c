/* SPDX-License-Identifier: MIT */
/* Names, titles and captions of charts. */
#include "report/chart_group.h"

#include "base/units.h"
#include "report/format.h"
#include "report/sentence.h"

#include <inttypes.h>

void chart_add_mix(struct buf *b, const struct point_spec *s, bool is_file_name)
{
	if (rw_is_mixed(s->rw))
		buf_addf(b, is_file_name ? "-%ur" : " %u%% read", s->rwmixread_pct);
	if (rw_is_random(s->rw) && s->random_pct != 100)
		buf_addf(b, is_file_name ? "-%urand" : " %u%% random", s->random_pct);
}

void chart_add_workers(struct buf *b, const struct point_spec *s, bool is_file_name)
{
	if (s->workers != 1)
		buf_addf(b, is_file_name ? "-w%u" : " workers %u", s->workers);
}

void chart_add_rw(struct buf *b, const struct point_spec *s)
{
	buf_addstr(b, rw_name(s->rw));
	chart_add_mix(b, s, false);
}

/* "run3-" where several runs share a directory */
void chart_add_run_prefix(struct buf *b, const struct chart_source *from)
{
	if (from->report->nr_runs > 1)
		buf_addf(b, "run%" PRId64 "-", from->run->info->id);
}

void chart_add_part(struct buf *b, size_t part, size_t nr_parts)
{
	if (nr_parts > 1)
		buf_addf(b, " (%zu of %zu)", part + 1, nr_parts);
}

char *chart_file_name(const struct chart_source *from, const char *prefix,
		      const struct point_spec *s)
{
	struct buf b = BUF_INIT;

	chart_add_run_prefix(&b, from);
	buf_addf(&b, "%s-%s-", prefix, rw_name(s->rw));
	buf_add_size(&b, s->bs_bytes);
	chart_add_mix(&b, s, true);
	chart_add_workers(&b, s, true);
	return buf_detach(&b);
}

void chart_add_pattern(struct buf *b, const struct point_spec *s)
{
	chart_add_rw(b, s);
	buf_addch(b, ' ');
	buf_add_size(b, s->bs_bytes);
	chart_add_workers(b, s, false);
}

void chart_add_line(struct picture *p, struct buf *s)
{
	buf_add_clean(&p->caption, buf_text(s), SIZE_MAX);
	buf_addch(&p->caption, '\n');
	buf_reset(s);
}

void chart_explain_row(struct picture *p, const struct point *row, flag_set accepted)
{
	struct buf s = BUF_INIT;

	if (row->status == POINT_OK && !row->flags)
		return;
	buf_addstr(&s, "  ");
	buf_add_point(&s, &row->spec);
	buf_addstr(&s, ": ");
	format_status(&s, row, accepted);
	chart_add_line(p, &s);
	buf_release(&s);
}

void chart_explain_rows(struct picture *p, const struct curve *c, uint32_t depth, flag_set accepted)
{
	for (size_t i = 0; i < c->nr_rows; i++)
		if (!depth || c->row[i]->spec.iodepth == depth)
			chart_explain_row(p, c->row[i], accepted);
}

void chart_explain_curve(struct picture *p, const struct report_run *run,
			 const struct report_curve *rc)
{
	struct buf s = BUF_INIT;

	buf_add_curve_name(&s, &rc->curve->spec);
	chart_add_line(p, &s);
	buf_addstr(&s, "  ");
	sentence_knee(&s, rc->curve, &rc->knee);
	chart_add_line(p, &s);
	for (unsigned i = 0; i < run->nr_caps; i++) {
		buf_addstr(&s, "  ");
		sentence_cap(&s, &rc->cap[i]);
		chart_add_line(p, &s);
	}
	chart_explain_rows(p, rc->curve, 0, run->accepted);
	buf_release(&s);
}

void chart_explain_caps(struct picture *p, const struct report_run *run)
{
	struct buf caps = BUF_INIT, s = BUF_INIT;
	unsigned nr = 0;

	for (unsigned i = 0; i < run->nr_caps; i++) {
		if (run->caps[i].stat == LAT_MEAN)
			continue;
		buf_addstr(&caps, nr++ ? ", " : "");
		format_cap(&caps, run->caps[i]);
	}
	if (nr) {
		buf_addf(&s,
			 "The cap%s on a percentile (%s) %s no line here, where latency is the "
			 "mean: the sentences below say where %s met.",
			 nr > 1 ? "s" : "", buf_text(&caps), nr > 1 ? "have" : "has",
			 nr > 1 ? "they are" : "it is");
		format_wrapped(&p->caption, buf_text(&s), 0, 80);
	}
	buf_release(&caps);
	buf_release(&s);
}

static void add_run_line(struct buf *b, const struct chart_source *from)
{
	buf_addf(b, "run %" PRId64 ": ", from->run->info->id);
	format_run_name(b, from->run->info);
}

void chart_begin_caption(struct picture *p, const struct chart_source *from,
			 const char *how_to_read)
{
	struct buf s = BUF_INIT;

	buf_addstr(&s, buf_text(&p->title));
	chart_add_line(p, &s);
	add_run_line(&s, from);
	chart_add_line(p, &s);
	if (from->run->info->target_given) {
		buf_addstr(&s, "target: ");
		buf_add_clean(&s, from->run->info->target_given, SIZE_MAX);
		chart_add_line(p, &s);
	}
	p->reading_at = p->caption.len;
	format_wrapped(&p->caption, how_to_read, 0, 80);
	p->reading_end = p->caption.len;
	buf_release(&s);
}

void chart_explain_bars(struct picture *p)
{
	struct buf all = BUF_INIT, reading = BUF_INIT;

	if (!picture_has_intervals(p))
		return;
	buf_add(&reading, p->caption.text + p->reading_at, p->reading_end - p->reading_at);
	for (size_t i = 0; i < reading.len; i++)
		if (reading.text[i] == '\n')
			reading.text[i] = ' ';
	buf_addstr(&reading, "Bars are 95 % intervals.");
	buf_add(&all, p->caption.text, p->reading_at);
	format_wrapped(&all, buf_text(&reading), 0, 80);
	buf_addstr(&all, p->caption.text + p->reading_end);
	p->reading_end += all.len - p->caption.len;
	buf_release(&reading);
	buf_release(&p->caption);
	p->caption = all;
}
