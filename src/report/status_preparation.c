/* SPDX-License-Identifier: MIT */
#include "report/status_preparation.h"

#include "base/clock.h"
#include "base/num.h"
#include "base/units.h"
#include "report/format.h"
#include "report/json_write.h"
#include "report/lines.h"
#include "report/markup.h"

#include <inttypes.h>
#include <math.h>

#define WIDTH_DEFAULT 80
#define NAME_CHARS    200
#define MIB	      1048576.0

static uint64_t total_bytes(const struct preparation *p)
{
	return p->passes * p->span_bytes;
}

static bool is_filling(const struct preparation *p)
{
	return p->passes_done < p->passes;
}

double preparation_share(const struct preparation *p)
{
	uint64_t all = total_bytes(p);

	return all ? (double)preparation_filled_bytes(p) / (double)all : 1;
}

/* Bytes a second over all attempts, as of the last that was saved. */
static double speed(const struct preparation *p)
{
	uint64_t done = preparation_filled_bytes(p);

	return done && p->busy_ns ? (double)done * (double)NS_PER_S / (double)p->busy_ns : UNKNOWN;
}

double preparation_left_s(const struct preparation *p)
{
	return is_filling(p) ? (double)(total_bytes(p) - preparation_filled_bytes(p)) / speed(p)
			     : 0;
}

static void add_fill(struct buf *s, const struct preparation *p)
{
	double left_s = preparation_left_s(p);

	buf_addf(s, "pass %" PRIu32 " of %" PRIu32 ": ", p->passes_done + 1, p->passes);
	format_share(s, preparation_share(p));
	buf_addstr(s, " of ");
	buf_add_size_human(s, total_bytes(p));
	buf_addstr(s, " is durable");
	if (isnan(left_s))
		return;
	buf_addstr(s, ", ETA ");
	buf_add_hms(s, (uint64_t)(left_s * (double)NS_PER_S));
	buf_addf(s, " (at %.0f MiB/s, the mean so far)", speed(p) / MIB);
}

static void add_rounds(struct buf *s, const struct preparation *p)
{
	if (!p->bs_bytes)
		return;
	if (is_filling(p)) {
		buf_addstr(s, "random writes follow the passes");
	} else {
		buf_addf(s, "%" PRIu32 " of random writes ended", p->rounds);
		if (p->rounds && !isnan(p->last_iops)) {
			buf_addstr(s, ", the last with ");
			format_iops(s, p->last_iops);
			buf_addstr(s, " IOPS");
		}
	}
	buf_addstr(s, "; they take until steady, at most ");
	buf_add_hms(s, p->max_ns);
}

void preparation_status_text(struct buf *b, const struct preparation_view *v,
			     struct text_style style)
{
	const struct preparation *p = v->p;
	struct lines l = {.out = b, .width = style.width ? style.width : WIDTH_DEFAULT};
	struct buf s = BUF_INIT;

	style.width = l.width;
	buf_addf(&s, "Preparation %" PRId64, p->id);
	text_title(b, style, buf_text(&s));
	buf_reset(&s);
	buf_addstr(&s, v->is_sure ? "running" : "marked as running; whether it is cannot be told");
	if (v->is_sure && v->pid)
		buf_addf(&s, ", process %ld", v->pid);
	lines_take(&l, "state", &s);
	buf_add_clean(&s, p->target_resolved ? p->target_resolved : p->target_identity, NAME_CHARS);
	buf_addstr(&s, ", ");
	buf_add_size_human(&s, p->target_size_bytes);
	lines_take(&l, "target", &s);
	if (is_filling(p))
		add_fill(&s, p);
	else
		buf_addstr(&s, "all passes are done");
	lines_take(&l, "fill", &s);
	add_rounds(&s, p);
	lines_take(&l, "rounds", &s);
}

void preparation_status_json(struct buf *b, const struct preparation_view *v)
{
	const struct preparation *p = v ? v->p : NULL;

	if (!p) {
		json_text(b, "preparation", NULL);
		return;
	}
	json_key(b, "preparation");
	buf_addch(b, '{');
	json_uint(b, "preparation", (uint64_t)p->id);
	json_text(b, "target", p->target_resolved);
	json_text(b, "state", v->is_sure ? "running" : "unknown");
	json_num(b, "pid", v->pid ? (double)v->pid : UNKNOWN);
	json_uint(b, "passes", p->passes);
	json_uint(b, "passes_done", p->passes_done);
	json_uint(b, "filled_bytes", preparation_filled_bytes(p));
	json_uint(b, "total_bytes", total_bytes(p));
	json_num(b, "filled_pct", 100 * preparation_share(p));
	json_num(b, "fill_left_s", preparation_left_s(p));
	json_uint(b, "rounds", p->rounds);
	buf_addch(b, '}');
}
