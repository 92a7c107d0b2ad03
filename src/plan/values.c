/* SPDX-License-Identifier: MIT */
#include "plan/values.h"

#include "base/mem.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR_BYTES 512U
/* The kernel shortens an I/O of 2 GiB and more. */
#define MAX_BS_BYTES  (1ULL << 30)
#define MAX_DEPTH     (1U << 20)
#define MAX_WORKERS   1024U
#define MAX_RATE_IOPS 10000000U
#define MAX_RATE_PCT  120U

/* How the values of an axis are written, and the bounds that hold on every target. */
struct kind {
	int (*parse)(const char *text, uint64_t *value, bool *is_percent, struct err *e);
	uint64_t min, max;
	uint64_t multiple;  /* 1 for any */
	uint64_t unit_step; /* of a range without a step; 0 when it needs one */
	bool has_ranges;
};

void items_add(struct items *items, const char *text, unsigned line, unsigned column)
{
	VEC_GROW(items->v, items->nr, items->cap);
	items->v[items->nr++] = (struct item){xstrdup(text), line, column};
}

void items_split(struct items *items, const char *text, unsigned line, unsigned column)
{
	const char *start = text;

	for (;;) {
		size_t len = strcspn(start, ","), lead = strspn(start, " \t"), end = len;

		lead = lead < len ? lead : len;
		while (end > lead && strchr(" \t", start[end - 1]))
			end--;
		VEC_GROW(items->v, items->nr, items->cap);
		items->v[items->nr++] =
			(struct item){xstrndup(start + lead, end - lead), line,
				      line ? column + (unsigned)(start + lead - text) : 0};
		if (!start[len])
			return;
		start += len + 1;
	}
}

void items_release(struct items *items)
{
	for (size_t i = 0; i < items->nr; i++)
		free(items->v[i].text);
	free(items->v);
	*items = (struct items){0};
}

void axis_list_clear(struct axis_list *l)
{
	for (size_t i = 0; i < l->nr; i++)
		free(l->v[i].text);
	free(l->v);
	*l = (struct axis_list){0};
}

static int parse_rw(const char *text, uint64_t *value, bool *is_percent, struct err *e)
{
	enum rw_mode rw = rw_find(text);

	(void)is_percent;
	if (rw == RW_NR)
		return err_set(e, ERR_USAGE,
			       "'%s' is no rw mode; the modes are read, write, randread, "
			       "randwrite, rw, randrw",
			       text);
	*value = rw;
	return 0;
}

static int parse_size(const char *text, uint64_t *value, bool *is_percent, struct err *e)
{
	(void)is_percent;
	return units_parse_size(text, value, e);
}

static int parse_count(const char *text, uint64_t *value, bool *is_percent, struct err *e)
{
	(void)is_percent;
	return units_parse_count(text, value, e);
}

/* 70 or 70%: fio users write the first. */
static int parse_share(const char *text, uint64_t *value, bool *is_percent, struct err *e)
{
	size_t len = strlen(text);
	char *digits = xstrndup(text, len && text[len - 1] == '%' ? len - 1 : len);
	int rc = units_parse_count(digits, value, NULL);

	(void)is_percent;
	free(digits);
	if (rc)
		return err_set(e, ERR_USAGE, "'%s' is not a whole number of per cent", text);
	return 0;
}

int extent_parse(const char *text, uint64_t *value, bool *is_percent, struct err *e)
{
	size_t len = strlen(text);
	uint32_t e4;

	*is_percent = len && text[len - 1] == '%';
	if (!*is_percent)
		return units_parse_size(text, value, e);
	if (units_parse_percent(text, &e4, e))
		return -1;
	*value = e4;
	return 0;
}

/* IOPS, or per cent of the maximum found, a little above which shows what overload does. */
static int parse_rate(const char *text, uint64_t *value, bool *is_percent, struct err *e)
{
	size_t len = strlen(text);
	uint32_t e4;

	*is_percent = len && text[len - 1] == '%';
	if (!*is_percent)
		return units_parse_count(text, value, e);
	if (units_parse_percent_to(text, MAX_RATE_PCT, &e4, e))
		return -1;
	*value = e4;
	return 0;
}

static const struct kind kinds[AXIS_NR] = {
	[AXIS_RW] = {parse_rw, 0, RW_NR, 1, 0, false},
	[AXIS_BS] = {parse_size, SECTOR_BYTES, MAX_BS_BYTES, SECTOR_BYTES, 0, true},
	[AXIS_IODEPTH] = {parse_count, 1, MAX_DEPTH, 1, 1, true},
	[AXIS_SPAN] = {extent_parse, 1, INT64_MAX, 1, 0, true},
	[AXIS_RWMIXREAD] = {parse_share, 0, 100, 1, 1, true},
	[AXIS_WORKERS] = {parse_count, 1, MAX_WORKERS, 1, 1, true},
	[AXIS_RANDOM_PCT] = {parse_share, 0, 100, 1, 1, true},
	[AXIS_RATE] = {parse_rate, 1, MAX_RATE_IOPS, 1, 0, true},
};

static int check_bounds(enum axis axis, const char *text, uint64_t value, struct err *e)
{
	const struct kind *k = &kinds[axis];
	struct axis_value max = {.value = k->max};
	struct buf b = BUF_INIT;

	if (value < k->min && (!value || k->min == 1))
		return err_set(e, ERR_USAGE, "'%s': %s must be more than 0", text, axis_name(axis));
	if (value > k->max) {
		buf_add_axis_value(&b, axis, &max);
		(void)err_set(e, ERR_USAGE, "'%s': %s may be at most %s", text, axis_name(axis),
			      buf_text(&b));
		buf_release(&b);
		return -1;
	}
	if (value % k->multiple)
		return err_set(e, ERR_USAGE, "'%s': %s must be a multiple of %" PRIu64 " bytes",
			       text, axis_name(axis), k->multiple);
	return 0;
}

static int add_value(struct axis_list *l, enum axis axis, const struct item *item,
		     const struct axis_value *v, size_t max, struct err *e)
{
	if (check_bounds(axis, v->text ? v->text : item->text, v->value, e))
		return -1;
	if (l->nr >= max)
		return err_set(e, ERR_USAGE, "'%s' makes more than %u values", item->text,
			       SWEEP_MAX_POINTS);
	VEC_GROW(l->v, l->nr, l->cap);
	l->v[l->nr] = *v;
	l->v[l->nr].line = item->line;
	l->v[l->nr].column = item->column;
	l->v[l->nr++].text = xstrdup(v->text ? v->text : item->text);
	return 0;
}

/* FIRST..LAST, with *FACTOR or +STEP behind it. */
struct range {
	char *first, *last, *step; /* owned; step is NULL without one */
	char op;		   /* '*', '+' or 0 */
};

static bool split_range(const char *text, struct range *r)
{
	const char *dots = strstr(text, "..");
	const char *last = dots ? dots + 2 : NULL;
	size_t len;

	*r = (struct range){0};
	if (!dots)
		return false;
	len = strcspn(last, "*+");
	r->first = xstrndup(text, (size_t)(dots - text));
	r->last = xstrndup(last, len);
	r->op = last[len];
	r->step = r->op ? xstrdup(last + len + 1) : NULL;
	return true;
}

static int mixed_units(enum axis axis, const char *text, struct err *e)
{
	return err_set(e, ERR_USAGE, "'%s' mixes %s and per cent", text,
		       axis == AXIS_RATE ? "IOPS" : "bytes");
}

static int range_step(enum axis axis, const struct range *r, const char *text, bool is_percent,
		      uint64_t *step, struct err *e)
{
	bool step_percent = is_percent;

	*step = kinds[axis].unit_step;
	if (r->op == '*' && (units_parse_count(r->step, step, e) || *step < 2))
		return err_set(e, ERR_USAGE, "'%s': the factor of a range must be 2 or more", text);
	if (r->op == '+' && kinds[axis].parse(r->step, step, &step_percent, e))
		return err_wrap(e, "the step of '%s'", text);
	if (step_percent != is_percent)
		return mixed_units(axis, text, e);
	if (!r->op && !*step)
		return err_set(e, ERR_USAGE, "'%s' needs a step: add *2 or +%s", text, r->first);
	if (!*step)
		return err_set(e, ERR_USAGE, "'%s': the step of a range must be more than 0", text);
	return 0;
}

static int expand_range(struct axis_list *l, enum axis axis, const struct item *item,
			const struct range *r, size_t max, struct err *e)
{
	uint64_t v, last, step;
	bool is_percent = false, last_percent = false;

	if (!kinds[axis].has_ranges)
		return err_set(e, ERR_USAGE, "'%s': %s takes no range", item->text,
			       axis_name(axis));
	if (kinds[axis].parse(r->first, &v, &is_percent, e) ||
	    kinds[axis].parse(r->last, &last, &last_percent, e))
		return err_wrap(e, "range '%s'", item->text);
	if (is_percent != last_percent)
		return mixed_units(axis, item->text, e);
	if (range_step(axis, r, item->text, is_percent, &step, e))
		return -1;
	if (v > last)
		return err_set(e, ERR_USAGE, "'%s' ends before it begins", item->text);
	if (r->op == '*' && !v)
		return err_set(e, ERR_USAGE, "'%s': a range with a factor cannot begin at 0",
			       item->text);
	for (bool more = true; more && v <= last;) {
		struct axis_value one = {.value = v, .is_percent = is_percent};
		struct buf text = BUF_INIT;
		int rc;

		buf_add_axis_value(&text, axis, &one);
		one.text = text.text;
		rc = add_value(l, axis, item, &one, max, e);
		buf_release(&text);
		if (rc)
			return -1;
		more = r->op == '*' ? !__builtin_mul_overflow(v, step, &v)
				    : !__builtin_add_overflow(v, step, &v);
	}
	return 0;
}

int axis_parse(struct axis_list *l, enum axis axis, const struct item *item, size_t max,
	       struct err *e)
{
	struct axis_value v = {0};
	struct range r;
	int rc;

	if (!*item->text)
		return err_set(e, ERR_USAGE, "a value of %s is empty", axis_name(axis));
	if (split_range(item->text, &r)) {
		rc = expand_range(l, axis, item, &r, max, e);
		free(r.first);
		free(r.last);
		free(r.step);
		return rc;
	}
	if (kinds[axis].parse(item->text, &v.value, &v.is_percent, e))
		return -1;
	return add_value(l, axis, item, &v, max, e);
}

void buf_add_axis_value(struct buf *b, enum axis axis, const struct axis_value *v)
{
	if (axis == AXIS_RW)
		buf_addstr(b, rw_name((enum rw_mode)v->value));
	else if (v->is_percent)
		buf_add_percent(b, (uint32_t)v->value);
	else if (axis == AXIS_BS || axis == AXIS_SPAN)
		buf_add_size(b, v->value);
	else
		buf_addf(b, "%" PRIu64, v->value);
}
