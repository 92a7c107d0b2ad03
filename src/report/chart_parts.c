/* SPDX-License-Identifier: MIT */
#include "report/chart_parts.h"

#include "base/mem.h"
#include "report/format.h"

#include <inttypes.h>
#include <string.h>

#define MAX_REASONS 24

struct picture *charts_add(struct charts *out, char *name, unsigned rows, unsigned cols)
{
	struct picture *p;

	VEC_GROW(out->v, out->nr, out->cap);
	p = &out->v[out->nr++];
	picture_init(p, rows, cols);
	p->name = name;
	return p;
}

size_t chart_share_count(size_t nr, size_t max)
{
	return nr ? (nr + max - 1) / max : 1;
}

void caption_explain(struct picture *p, struct buf *s)
{
	buf_add_clean(&p->caption, buf_text(&p->title), SIZE_MAX);
	buf_addch(&p->caption, '\n');
	format_wrapped(&p->caption, buf_text(s), 0, 80);
	buf_reset(s);
}

void caption_add(struct picture *p, struct buf *s)
{
	/* Names come from anywhere: they must not give orders to a terminal, or begin lines. */
	buf_add_clean(&p->caption, buf_text(s), SIZE_MAX);
	buf_addch(&p->caption, '\n');
	buf_reset(s);
}

void caption_add_reason(struct picture *p, struct caption_reasons *r, int64_t run,
			const struct point *row, flag_set accepted)
{
	struct buf s = BUF_INIT;

	if (row->status == POINT_OK && !row->flags)
		return;
	if (r->nr >= MAX_REASONS) {
		r->nr_left_out++;
		return;
	}
	if (!r->nr++)
		buf_addstr(&p->caption, "Points with a reason to be hollow, missing or marked:\n");
	buf_addstr(&s, "  ");
	if (run)
		buf_addf(&s, "run %" PRId64 ", ", run);
	buf_add_point(&s, &row->spec);
	buf_addstr(&s, ": ");
	format_status(&s, row, accepted);
	caption_add(p, &s);
	buf_release(&s);
}

void caption_end_reasons(struct picture *p, const struct caption_reasons *r)
{
	if (r->nr_left_out)
		buf_addf(&p->caption, "  and %zu more: see the report.\n", r->nr_left_out);
}

void caption_add_run(struct picture *p, const struct run_info *info)
{
	struct buf s = BUF_INIT, name = BUF_INIT;

	format_run_name(&name, info);
	buf_addf(&s, "Run %" PRId64 ": ", info->id);
	buf_add_clean(&s, buf_text(&name), SIZE_MAX);
	if (info->target_given && info->target_label &&
	    strcmp(info->target_given, info->target_label) != 0) {
		buf_addstr(&s, ", target ");
		buf_add_clean(&s, info->target_given, SIZE_MAX);
	}
	buf_addch(&s, '.');
	caption_add(p, &s);
	buf_release(&name);
	buf_release(&s);
}
