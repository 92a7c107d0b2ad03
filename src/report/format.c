/* SPDX-License-Identifier: MIT */
#include "report/format.h"

#include "base/clock.h"
#include "base/mem.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MS (double)NS_PER_MS

void format_sig3(struct buf *b, double v)
{
	int decimals = 2;

	if (!isfinite(v)) {
		buf_addch(b, '-');
		return;
	}
	/* No target is like that, but some table may say so, and columns have a width. */
	if (fabs(v) >= 1e12) {
		buf_addf(b, "%.2e", v);
		return;
	}
	/* The limits are where rounding gives one digit more. */
	if (fabs(v) >= 99.95)
		decimals = 0;
	else if (fabs(v) >= 9.995)
		decimals = 1;
	else
		for (double limit = 0.9995; fabs(v) < limit && decimals < 6 && v != 0.0;
		     limit /= 10)
			decimals++;
	buf_add_fixed(b, v, decimals);
}

void format_iops(struct buf *b, double iops)
{
	format_sig3(b, iops);
}

void format_ms(struct buf *b, double lat_ns)
{
	format_sig3(b, lat_ns / MS);
	buf_addstr(b, " ms");
}

void format_ratio(struct buf *b, double ratio)
{
	if (!isfinite(ratio)) {
		buf_addch(b, '-');
		return;
	}
	buf_add_fixed(b, ratio, ratio >= 19.95 ? 0 : ratio >= 1.995 ? 1 : 2);
	buf_addch(b, 'x');
}

void format_share(struct buf *b, double share)
{
	double pct = share * 100;

	if (!isfinite(pct)) {
		buf_addch(b, '-');
		return;
	}
	buf_add_fixed(b, pct < 100 ? fmin(round(pct), 99) : round(pct), 0);
	buf_addstr(b, " %");
}

void format_fixed(struct buf *b, double v, int decimals)
{
	if (isfinite(v))
		buf_add_fixed(b, v, decimals);
	else
		buf_addch(b, '-');
}

void format_flags(struct buf *b, flag_set flags, const char *separator)
{
	const char *sep = "";

	for (enum flag f = 0; f < FLAG_NR; f++) {
		if (!(flags & FLAG_BIT(f)))
			continue;
		buf_addf(b, "%s%s", sep, flag_name(f));
		sep = separator;
	}
}

void format_cap(struct buf *b, struct cap cap)
{
	buf_addf(b, "%s <= %.10g ms", lat_stat_name(cap.stat), (double)cap.limit_ns / MS);
}

static void add_reason(struct buf *b, const char *reason)
{
	buf_addstr(b, ": ");
	buf_add_clean(b, reason, 500);
}

/* "unsteady, stall (accepted)": said of the flags alone that would spoil the point. */
static void add_flags(struct buf *b, const struct point *p, flag_set accepted)
{
	const char *sep = "";

	for (enum flag f = 0; f < FLAG_NR; f++) {
		if (!(p->flags & FLAG_BIT(f)))
			continue;
		buf_addf(b, "%s%s", sep, flag_name(f));
		if (flag_effect(f) == EFFECT_SPOILED && accepted & FLAG_BIT(f))
			buf_addstr(b, " (accepted)");
		sep = ", ";
	}
}

void format_status(struct buf *b, const struct point *p, flag_set accepted)
{
	bool has_reason = p->reason && *p->reason;

	if (p->status == POINT_OK && p->flags && !has_reason) {
		buf_addstr(b, point_is_valid(p, accepted) ? "" : "spoiled: ");
		add_flags(b, p, accepted);
		return;
	}
	buf_addstr(b, point_status_name(p->status));
	if (has_reason)
		add_reason(b, p->reason);
	if (p->flags) {
		buf_addstr(b, has_reason ? "; " : ": ");
		add_flags(b, p, accepted);
	}
}

void format_run_name(struct buf *b, const struct run_info *r)
{
	const char *target = r->target_label ? r->target_label : r->target_given;

	buf_addstr(b, r->sweep_name && *r->sweep_name ? r->sweep_name : "run");
	if (target && *target)
		buf_addf(b, " on %s", target);
}

/* The next word of *s with the blanks in front of it, which becomes the rest. */
static void take_word(struct buf *word, const char **s)
{
	size_t blanks = strspn(*s, " ");
	size_t len = blanks + strcspn(*s + blanks, " ");

	buf_reset(word);
	buf_add(word, *s, len);
	*s += len;
}

void format_wrapped(struct buf *b, const char *text, size_t indent, size_t width)
{
	struct buf word = BUF_INIT;
	size_t col = 0;

	while (*text) {
		const char *s;
		size_t used;

		take_word(&word, &text);
		s = buf_text(&word);
		used = text_width(s);
		if (col && col + used > width) {
			buf_addch(b, '\n');
			col = 0;
		}
		if (!col) {
			size_t blanks = strspn(s, " ");

			buf_add_blanks(b, indent);
			col = indent;
			s += blanks;
			used -= blanks;
		}
		buf_addstr(b, s);
		col += used;
	}
	buf_addch(b, '\n');
	buf_release(&word);
}
