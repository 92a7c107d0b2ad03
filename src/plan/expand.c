/* SPDX-License-Identifier: MIT */
#include "plan/expand.h"

#include "base/mem.h"
#include "base/units.h"
#include "plan/values.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One value of an axis on this target: per cent spans are bytes here. */
struct choice {
	uint64_t value;
	uint32_t e4; /* of a per cent span or rate, else 0 */
	const struct axis_value *from;
};

struct choices {
	struct choice *v;
	size_t nr;
};

/* What the expansion of one block works on. */
struct expansion {
	const struct sweep *s;
	const struct target_info *t;
	const struct axis_block *block;
	struct choices axis[AXIS_NR];
	struct candidates *out;
};

/* An error about a value: with its place when it stands in a file. Always -1. */
static int bad_value(const struct sweep *s, const struct axis_value *v, struct err *e,
		     const char *fmt, ...) __attribute__((format(printf, 4, 5)));

static int bad_value(const struct sweep *s, const struct axis_value *v, struct err *e,
		     const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!v->line)
		return err_set(e, ERR_USAGE, "%s", text);
	return err_set(e, ERR_SPEC, "%s:%u:%u: %s", s->path, v->line, v->column, text);
}

/* floor(per cent x size) */
static uint64_t of_target(uint64_t size_bytes, uint64_t e4)
{
	__extension__ typedef unsigned __int128 u128;

	return (uint64_t)((u128)size_bytes * e4 / UNITS_100_PERCENT);
}

static uint64_t extent_bytes(const struct axis_value *v, const struct target_info *t)
{
	return v->is_percent ? of_target(t->size_bytes, v->value) : v->value;
}

static int check_known_size(const struct sweep *s, const struct axis_value *v, const char *what,
			    const struct target_info *t, struct err *e)
{
	if (!v->is_percent || t->size_bytes)
		return 0;
	return bad_value(s, v, e,
			 "%s %s is a part of the target, whose size is not known; name the target "
			 "or its size",
			 what, v->text);
}

static int check_offset(const struct sweep *s, const struct target_info *t, struct err *e)
{
	if (check_known_size(s, &s->offset, "offset", t, e))
		return -1;
	if (t->size_bytes && extent_bytes(&s->offset, t) >= t->size_bytes)
		return bad_value(s, &s->offset, e,
				 "offset %s is not below the size of the target, %" PRIu64 " bytes",
				 s->offset.text, t->size_bytes);
	return 0;
}

static int check_span(const struct sweep *s, const struct axis_value *v,
		      const struct target_info *t, struct err *e)
{
	uint64_t offset = extent_bytes(&s->offset, t), span;

	if (check_known_size(s, v, "span", t, e))
		return -1;
	span = extent_bytes(v, t);
	if (!t->size_bytes)
		return 0;
	if (span > t->size_bytes)
		return bad_value(s, v, e, "span %s is larger than the target, %" PRIu64 " bytes",
				 v->text, t->size_bytes);
	if (span > t->size_bytes - offset)
		return bad_value(s, v, e,
				 "span %s from offset %s ends beyond the target: %" PRIu64
				 " + %" PRIu64 " is more than %" PRIu64 " bytes",
				 v->text, s->offset.text, offset, span, t->size_bytes);
	return 0;
}

static int check_block(const struct sweep *s, const struct axis_block *b,
		       const struct target_info *t, struct err *e)
{
	const struct axis_list *spans = &b->axis[AXIS_SPAN], *bs = &b->axis[AXIS_BS];
	uint64_t min_bs = UINT64_MAX;

	for (size_t i = 0; i < bs->nr; i++)
		min_bs = bs->v[i].value < min_bs ? bs->v[i].value : min_bs;
	for (size_t i = 0; i < spans->nr; i++) {
		if (check_span(s, &spans->v[i], t, e))
			return -1;
		if (extent_bytes(&spans->v[i], t) < min_bs)
			return bad_value(s, &spans->v[i], e,
					 "span %s is %" PRIu64
					 " bytes here, less than one block of any bs",
					 spans->v[i].text, extent_bytes(&spans->v[i], t));
	}
	return 0;
}

/* More combinations than this are refused before anything is expanded. */
static int check_count(const struct sweep *s, struct err *e)
{
	uint64_t total = 0;

	for (size_t b = 0; b < s->nr_blocks; b++) {
		uint64_t product = s->repeats;

		for (enum axis a = 0; a < AXIS_NR && product <= SWEEP_MAX_POINTS; a++)
			if (a != AXIS_RATE)
				product *= s->block[b].axis[a].nr;
		product *= 1 + s->block[b].axis[AXIS_RATE].nr;
		total += product;
		if (total > SWEEP_MAX_POINTS)
			return err_set(e, s->path ? ERR_SPEC : ERR_USAGE,
				       "%s%sthe axes make more than %u points",
				       s->path ? s->path : "", s->path ? ": " : "",
				       SWEEP_MAX_POINTS);
	}
	return 0;
}

static int compare_choice(const void *pa, const void *pb)
{
	const struct choice *a = pa, *b = pb;

	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return (a->from > b->from) - (a->from < b->from);
}

static int compare_given(const void *pa, const void *pb)
{
	const struct choice *a = pa, *b = pb;

	return (a->from > b->from) - (a->from < b->from);
}

/* The distinct values of an axis, ascending; modes as they were given. */
static struct choices choose(const struct axis_list *l, enum axis axis, const struct target_info *t)
{
	struct choices c = {xreallocarray(NULL, l->nr, sizeof(*c.v)), 0};

	for (size_t i = 0; i < l->nr; i++) {
		const struct axis_value *v = &l->v[i];

		c.v[i] = (struct choice){v->value, 0, v};
		if (axis == AXIS_SPAN && v->is_percent)
			c.v[i] = (struct choice){extent_bytes(v, t), (uint32_t)v->value, v};
	}
	qsort(c.v, l->nr, sizeof(*c.v), compare_choice);
	for (size_t i = 0; i < l->nr; i++)
		if (!c.nr || c.v[c.nr - 1].value != c.v[i].value)
			c.v[c.nr++] = c.v[i];
	if (axis == AXIS_RW)
		qsort(c.v, c.nr, sizeof(*c.v), compare_given);
	return c;
}

/* IOPS before per cents. */
static int compare_rate(const void *pa, const void *pb)
{
	const struct choice *a = pa, *b = pb;

	if (!a->e4 != !b->e4)
		return a->e4 ? 1 : -1;
	return (a->value > b->value) - (a->value < b->value);
}

/* The rates of a block; 0, the closed loop, where it has none or per cents of what that finds. */
static struct choices choose_rates(const struct axis_block *b)
{
	static const struct axis_value closed = {.value = 0};
	const struct axis_list *l = &b->axis[AXIS_RATE];
	struct choices c = {xreallocarray(NULL, l->nr + 1, sizeof(*c.v)), 0};

	if (!l->nr || block_has_percent_rate(b))
		c.v[c.nr++] = (struct choice){0, 0, &closed};
	for (size_t i = 0; i < l->nr; i++) {
		const struct axis_value *v = &l->v[i];

		c.v[c.nr++] = (struct choice){v->value, v->is_percent ? (uint32_t)v->value : 0, v};
	}
	qsort(c.v, c.nr, sizeof(*c.v), compare_rate);
	return c;
}

/* Axes that mean nothing to the mode get one value, so that such combinations are equal. */
static void normalise(struct point_spec *spec)
{
	if (!rw_is_mixed(spec->rw))
		spec->rwmixread_pct = rw_reads(spec->rw) ? 100 : 0;
	if (!rw_is_random(spec->rw))
		spec->random_pct = 0;
}

/* Why this target cannot do this combination; NULL when it can. */
static char *skip_reason(const struct point_spec *spec, uint64_t span_bytes,
			 const struct target_info *t)
{
	uint32_t block = t->logical_block_bytes ? t->logical_block_bytes : 512;

	if (spec->bs_bytes % block)
		return xasprintf("bs %" PRIu64 " is not a multiple of the logical block size %u",
				 spec->bs_bytes, block);
	if (spec->offset_bytes % block)
		return xasprintf("offset %" PRIu64
				 " is not a multiple of the logical block size %u",
				 spec->offset_bytes, block);
	if (span_bytes < spec->bs_bytes)
		return xasprintf("span of %" PRIu64 " bytes is smaller than one block of %" PRIu64,
				 span_bytes, spec->bs_bytes);
	if (spec->iodepth < spec->workers)
		return xasprintf("iodepth %u is less than %u workers", spec->iodepth,
				 spec->workers);
	return NULL;
}

static struct point_spec make_spec(const struct expansion *x, const size_t *index, uint32_t repeat)
{
	const struct axis_value *offset = &x->s->offset;
	struct choice c[AXIS_NR];
	struct point_spec spec;

	for (enum axis a = 0; a < AXIS_NR; a++)
		c[a] = x->axis[a].v[index[a]];
	spec = (struct point_spec){
		.rw = (enum rw_mode)c[AXIS_RW].value,
		.iodepth = (uint32_t)c[AXIS_IODEPTH].value,
		.workers = (uint32_t)c[AXIS_WORKERS].value,
		.rwmixread_pct = (uint32_t)c[AXIS_RWMIXREAD].value,
		.random_pct = (uint32_t)c[AXIS_RANDOM_PCT].value,
		.span_e4 = c[AXIS_SPAN].e4,
		.rate_e4 = c[AXIS_RATE].e4,
		.rate_ask_iops = c[AXIS_RATE].e4 ? 0 : c[AXIS_RATE].value,
		.bs_bytes = c[AXIS_BS].value,
		.span_bytes = c[AXIS_SPAN].value,
		.offset_bytes = extent_bytes(offset, x->t),
		.repeat = repeat,
	};
	if (offset->is_percent)
		spec.offset_bytes -= spec.offset_bytes % spec.bs_bytes;
	normalise(&spec);
	return spec;
}

static void add_candidate(struct expansion *x, const size_t *index, uint32_t repeat)
{
	struct candidate c = {.spec = make_spec(x, index, repeat), .listed = x->out->nr};

	/* The depths below the largest are closed loops, which per cents are of. */
	if (point_is_open(&c.spec) && index[AXIS_IODEPTH] + 1 < x->axis[AXIS_IODEPTH].nr)
		return;
	c.skip_reason = skip_reason(&c.spec, c.spec.span_bytes, x->t);
	if (c.spec.span_bytes >= c.spec.bs_bytes)
		c.spec.span_bytes -= c.spec.span_bytes % c.spec.bs_bytes;
	VEC_GROW(x->out->v, x->out->nr, x->out->cap);
	x->out->v[x->out->nr++] = c;
}

/* Step to the next combination, the innermost axis first; false after the last one. */
static bool next_combination(const struct expansion *x, size_t *index)
{
	for (size_t n = AXIS_NR; n-- > 0;) {
		enum axis a = x->block->nesting[n];

		if (++index[a] < x->axis[a].nr)
			return true;
		index[a] = 0;
	}
	return false;
}

static void expand_block(struct expansion *x)
{
	size_t index[AXIS_NR] = {0};

	for (enum axis a = 0; a < AXIS_NR; a++)
		x->axis[a] = a == AXIS_RATE ? choose_rates(x->block)
					    : choose(&x->block->axis[a], a, x->t);
	do {
		for (uint32_t r = 1; r <= x->s->repeats; r++)
			add_candidate(x, index, r);
	} while (next_combination(x, index));
	for (enum axis a = 0; a < AXIS_NR; a++)
		free(x->axis[a].v);
}

static int compare_candidate(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;
	int c = point_spec_compare(&a->spec, &b->spec);

	return c ? c : (a->listed > b->listed) - (a->listed < b->listed);
}

/* Of equal points the one that was listed first stays. */
static void drop_duplicates(struct candidates *c)
{
	size_t nr = 0;

	qsort(c->v, c->nr, sizeof(*c->v), compare_candidate);
	for (size_t i = 0; i < c->nr; i++) {
		if (nr && !point_spec_compare(&c->v[nr - 1].spec, &c->v[i].spec))
			free(c->v[i].skip_reason);
		else
			c->v[nr++] = c->v[i];
	}
	c->nr = nr;
}

static int check_any_left(const struct candidates *c, struct err *e)
{
	const struct candidate *first = NULL;

	for (size_t i = 0; i < c->nr; i++) {
		if (!c->v[i].skip_reason)
			return 0;
		if (!first || c->v[i].listed < first->listed)
			first = &c->v[i];
	}
	return err_set(e, ERR_USAGE, "no point of the sweep can be measured on this target: %s",
		       first ? first->skip_reason : "there is none");
}

void candidates_release(struct candidates *c)
{
	for (size_t i = 0; i < c->nr; i++)
		free(c->v[i].skip_reason);
	free(c->v);
	*c = (struct candidates){0};
}

int expand_sweep(const struct sweep *s, const struct target_info *t, struct candidates *out,
		 struct err *e)
{
	*out = (struct candidates){0};
	if (check_count(s, e) || check_offset(s, t, e))
		return -1;
	for (size_t b = 0; b < s->nr_blocks; b++)
		if (check_block(s, &s->block[b], t, e))
			return -1;
	for (size_t b = 0; b < s->nr_blocks; b++) {
		struct expansion x = {.s = s, .t = t, .block = &s->block[b], .out = out};

		expand_block(&x);
	}
	drop_duplicates(out);
	if (!check_any_left(out, e))
		return 0;
	candidates_release(out);
	return -1;
}
