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
	buf_addf(b, "%.*fx", ratio >= 19.95 ? 0 : ratio >= 1.995 ? 1 : 2, ratio);
}

void format_share(struct buf *b, double share)
{
	double pct = share * 100;

	if (isfinite(pct))
		buf_addf(b, "%.0f %%", pct < 100 ? fmin(round(pct), 99) : round(pct));
	else
		buf_addch(b, '-');
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

/* Length of the first word of s with the blanks in front of it. */
static size_t word_len(const char *s)
{
	size_t blanks = strspn(s, " ");

	return blanks + strcspn(s + blanks, " ");
}

void format_wrapped(struct buf *b, const char *text, size_t indent, size_t width)
{
	size_t col = 0;

	while (*text) {
		size_t len = word_len(text);
		char *word = xstrndup(text, len);
		const char *s = word;

		if (col && col + text_width(word) > width) {
			buf_addch(b, '\n');
			col = 0;
		}
		if (!col) {
			buf_addf(b, "%*s", (int)indent, "");
			col = indent;
			s += strspn(s, " ");
		}
		buf_addstr(b, s);
		col += text_width(s);
		free(word);
		text += len;
	}
	buf_addch(b, '\n');
}
