/* SPDX-License-Identifier: MIT */
#include "plan/sweep.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/units.h"
#include "plan/keys.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const axis_defaults[AXIS_NR] = {
	[AXIS_RW] = "randread",	   [AXIS_BS] = "4k",	    [AXIS_IODEPTH] = "1",
	[AXIS_SPAN] = "100%",	   [AXIS_RWMIXREAD] = "70", [AXIS_WORKERS] = "1",
	[AXIS_RANDOM_PCT] = "100",
};

/* With a rate the depth is a limit that should not be met; per cents need a curve to be of. */
#define DEPTH_OF_RATE	       "256"
#define DEPTHS_OF_PERCENT_RATE "1..256*2"

void sweep_init(struct sweep *s)
{
	*s = (struct sweep){
		.ramp_ns = 5 * NS_PER_S,
		.precision_e4 = 2 * (UNITS_100_PERCENT / 100),
		.min_ns = 20 * NS_PER_S,
		.max_ns = 120 * NS_PER_S,
		.drain_timeout_ns = 60 * NS_PER_S,
		.order = ORDER_INTERLEAVED,
		.mix_order = MIX_READS_FIRST,
		.repeats = 1,
		.retries = 2,
		.retry_wait_ns = NS_PER_S,
		.retry_limit_ns = 600 * NS_PER_S,
	};
}

void sweep_release(struct sweep *s)
{
	for (size_t b = 0; b < s->nr_blocks; b++)
		for (enum axis a = 0; a < AXIS_NR; a++)
			axis_list_clear(&s->block[b].axis[a]);
	free(s->block);
	free(s->name);
	free(s->question);
	free(s->path);
	free(s->text);
	free(s->engine);
	free(s->offset.text);
	*s = (struct sweep){0};
}

static struct axis_block *need_block(struct sweep *s)
{
	if (!s->nr_blocks) {
		s->block = xcalloc(1, sizeof(*s->block));
		s->nr_blocks = 1;
	}
	return s->block;
}

/* Options win over the file: what it said to the contrary is forgotten. */
static void override(struct sweep *s, uint32_t bit)
{
	s->given_as_option |= bit;
	if (bit == GIVEN_RUNTIME)
		s->given_in_file &= ~(uint32_t)GIVEN_RULE;
	if (bit == GIVEN_PRECISION && s->precision_e4) {
		s->given_in_file &= ~(uint32_t)GIVEN_RUNTIME;
		if (!(s->given_as_option & GIVEN_RUNTIME))
			s->runtime_ns = 0;
	}
}

int sweep_set(struct sweep *s, const char *key_name, const char *value, struct err *e)
{
	const struct key *key = key_find(key_name);
	struct items items = {0};
	size_t bad, nr;
	int rc = 0;

	if (!key)
		return err_set(e, ERR_USAGE, "there is no key '%s'", key_name);
	if (key->is_list)
		items_split(&items, value, 0, 0);
	else
		items_add(&items, value, 0, 0);
	(void)need_block(s);
	nr = key->section == SECTION_AXES ? s->nr_blocks : 1;
	for (size_t b = 0; !rc && b < nr; b++)
		rc = key_set(s, &s->block[b], key, &items, &bad, e);
	if (rc && items.nr > 1)
		(void)err_wrap(e, "--%s '%s'", key_name, value);
	else if (rc)
		(void)err_wrap(e, "--%s", key_name);
	else
		override(s, key_bit(key));
	/* Any option makes the file's text an incomplete account of the sweep. */
	free(s->text);
	s->text = NULL;
	items_release(&items);
	return rc;
}

static int usage_in(const struct sweep *s, struct err *e)
{
	if (e && s->path)
		e->code = ERR_SPEC;
	return s->path ? err_wrap(e, "%s", s->path) : -1;
}

bool sweep_has_rate(const struct sweep *s)
{
	for (size_t b = 0; b < s->nr_blocks; b++)
		if (s->block[b].axis[AXIS_RATE].nr)
			return true;
	return false;
}

bool block_has_percent_rate(const struct axis_block *b)
{
	for (size_t i = 0; i < b->axis[AXIS_RATE].nr; i++)
		if (b->axis[AXIS_RATE].v[i].is_percent)
			return true;
	return false;
}

/* NULL for the rate: a block without one has closed loops. */
static const char *axis_default(const struct axis_block *b, enum axis axis)
{
	if (axis != AXIS_IODEPTH || !b->axis[AXIS_RATE].nr)
		return axis_defaults[axis];
	return block_has_percent_rate(b) ? DEPTHS_OF_PERCENT_RATE : DEPTH_OF_RATE;
}

static int finish_axis(struct axis_block *b, enum axis axis, struct err *e)
{
	const char *value = axis_default(b, axis);
	struct items items = {0};
	int rc = 0;

	if (value)
		items_add(&items, value, 0, 0);
	if (value)
		rc = axis_parse(&b->axis[axis], axis, &items.v[0], SWEEP_MAX_POINTS, e);
	items_release(&items);
	b->nesting[b->nr_nesting++] = axis;
	return rc;
}

/* Depths are closed loops only where a per cent needs them; nothing that is listed may be left out
 * in silence. */
static int check_depths(const struct sweep *s, const struct axis_block *b, struct err *e)
{
	if (!b->axis[AXIS_RATE].nr || block_has_percent_rate(b) || b->axis[AXIS_IODEPTH].nr == 1)
		return 0;
	(void)err_set(e, ERR_USAGE,
		      "with a rate in IOPS, iodepth is the limit of I/Os in flight and takes one "
		      "value; closed loops go into a block of axes of their own");
	return usage_in(s, e);
}

static int finish_axes(struct sweep *s, struct err *e)
{
	(void)need_block(s);
	for (size_t b = 0; b < s->nr_blocks; b++) {
		for (enum axis a = 0; a < AXIS_NR; a++)
			if (!s->block[b].axis[a].nr && finish_axis(&s->block[b], a, e))
				return -1;
		if (check_depths(s, &s->block[b], e))
			return -1;
	}
	if (key_count_values(s) > SWEEP_MAX_POINTS) {
		(void)err_set(e, ERR_USAGE, "the axes hold more than %u values", SWEEP_MAX_POINTS);
		return usage_in(s, e);
	}
	return 0;
}

static int min_above_max(const struct sweep *s, struct err *e)
{
	struct buf b = BUF_INIT;

	buf_addstr(&b, "min_time ");
	buf_add_duration(&b, s->min_ns);
	buf_addstr(&b, " is longer than max_time ");
	buf_add_duration(&b, s->max_ns);
	(void)err_set(e, ERR_USAGE, "%s", buf_text(&b));
	buf_release(&b);
	return usage_in(s, e);
}

/* Whether something asks for a stopping rule that a fixed window would make idle. */
static bool rule_is_idle(const struct sweep *s, uint32_t given)
{
	if (!s->runtime_ns || !(given & GIVEN_RUNTIME))
		return false;
	return (given & (GIVEN_MIN_TIME | GIVEN_MAX_TIME)) ||
	       ((given & GIVEN_PRECISION) && s->precision_e4);
}

static int finish_window(struct sweep *s, struct err *e)
{
	uint32_t given = s->given_in_file | s->given_as_option;

	if (rule_is_idle(s, given)) {
		(void)err_set(e, ERR_USAGE,
			      "runtime fixes the window, so precision, min_time and max_time would "
			      "decide nothing; leave out one or the other");
		return usage_in(s, e);
	}
	/* The default of the one that is not given does not contradict the other. */
	if (s->min_ns > s->max_ns && !(given & GIVEN_MIN_TIME))
		s->min_ns = s->max_ns;
	if (s->min_ns > s->max_ns && !(given & GIVEN_MAX_TIME))
		s->max_ns = s->min_ns;
	if (s->min_ns > s->max_ns)
		return min_above_max(s, e);
	if (!s->precision_e4 && !s->runtime_ns)
		s->runtime_ns = s->max_ns;
	if (s->runtime_ns) {
		s->precision_e4 = 0;
		s->min_ns = s->max_ns = s->runtime_ns;
	}
	return 0;
}

/* quick for sweeps/quick.yaml */
static char *name_of_file(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	const char *dot = strrchr(base, '.');

	return xstrndup(base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

/* "1,8", and "1..256" of more than two, but for modes, which have no order. */
static void add_axis_short(struct buf *b, enum axis axis, const struct axis_list *l)
{
	bool is_range = l->nr > 2 && axis != AXIS_RW;

	for (size_t i = 0; i < l->nr; i += is_range ? l->nr - 1 : 1) {
		buf_addstr(b, !i ? "" : is_range ? ".." : ",");
		buf_add_axis_value(b, axis, &l->v[i]);
	}
}

/* "randread 4k iodepth 1..256": what is asked for by options has no other name. */
static char *name_of_axes(const struct sweep *s)
{
	const struct axis_list *axis = s->block[0].axis;
	struct buf b = BUF_INIT;
	char *name;

	add_axis_short(&b, AXIS_RW, &axis[AXIS_RW]);
	buf_addch(&b, ' ');
	add_axis_short(&b, AXIS_BS, &axis[AXIS_BS]);
	buf_addstr(&b, " iodepth ");
	add_axis_short(&b, AXIS_IODEPTH, &axis[AXIS_IODEPTH]);
	if (axis[AXIS_RATE].nr) {
		buf_addstr(&b, " rate ");
		add_axis_short(&b, AXIS_RATE, &axis[AXIS_RATE]);
	}
	name = xstrdup(buf_text(&b));
	buf_release(&b);
	return name;
}

int sweep_finish(struct sweep *s, struct err *e)
{
	if (finish_axes(s, e) || finish_window(s, e))
		return -1;
	if (!s->engine)
		s->engine = xstrdup("libaio");
	if (!s->name)
		s->name = s->path ? name_of_file(s->path) : name_of_axes(s);
	if (!s->offset.text)
		s->offset.text = xstrdup("0");
	return 0;
}

int sweep_build(struct sweep *s, const char *path, const struct pair_list *settings, struct err *e)
{
	sweep_init(s);
	if (path && sweep_load(s, path, e))
		return -1;
	for (size_t i = 0; i < settings->nr; i++)
		if (sweep_set(s, settings->v[i].name, settings->v[i].value, e))
			return -1;
	return sweep_finish(s, e);
}

static int compare_value(const void *pa, const void *pb)
{
	const struct axis_value *a = pa, *b = pb;

	if (a->is_percent != b->is_percent)
		return a->is_percent ? 1 : -1;
	return (a->value > b->value) - (a->value < b->value);
}

/* The set of values: neither their order nor repetitions make another sweep. */
static uint64_t hash_list(uint64_t hash, const struct axis_list *l)
{
	struct axis_value *sorted = xreallocarray(NULL, l->nr, sizeof(*sorted));

	memcpy(sorted, l->v, l->nr * sizeof(*sorted));
	qsort(sorted, l->nr, sizeof(*sorted), compare_value);
	for (size_t i = 0; i < l->nr; i++) {
		if (i && !compare_value(&sorted[i - 1], &sorted[i]))
			continue;
		hash = hash_u64(hash, sorted[i].is_percent);
		hash = hash_u64(hash, sorted[i].value);
	}
	free(sorted);
	return hash_str(hash, "");
}

static bool any_mode(const struct axis_block *b, bool (*is)(enum rw_mode))
{
	for (size_t i = 0; i < b->axis[AXIS_RW].nr; i++)
		if (is((enum rw_mode)b->axis[AXIS_RW].v[i].value))
			return true;
	return false;
}

static uint64_t hash_block(uint64_t hash, const struct axis_block *b, bool nesting)
{
	for (enum axis a = 0; a < AXIS_NR; a++) {
		if (a == AXIS_RATE && !b->axis[a].nr)
			continue;
		if (a == AXIS_RWMIXREAD && !any_mode(b, rw_is_mixed))
			continue;
		if (a == AXIS_RANDOM_PCT && !any_mode(b, rw_is_random))
			continue;
		hash = hash_str(hash, axis_name(a));
		hash = hash_list(hash, &b->axis[a]);
	}
	for (size_t i = 0; nesting && i < AXIS_NR; i++)
		if (b->axis[b->nesting[i]].nr > 1)
			hash = hash_str(hash, axis_name(b->nesting[i]));
	return hash;
}

uint64_t sweep_key(const struct sweep *s)
{
	const uint64_t numbers[] = {
		s->offset.is_percent, s->offset.value, s->ramp_ns,
		s->precision_e4,      s->min_ns,       s->max_ns,
		s->runtime_ns,	      s->order,	       s->mix_order,
		s->drain_timeout_ns,  s->has_seed,     s->has_seed ? s->seed : 0,
		s->repeats,	      s->spin,	       s->anchors,
		s->compress_pct};
	uint64_t hash = HASH_INIT;

	for (size_t b = 0; b < s->nr_blocks; b++)
		hash = hash_block(hash, &s->block[b], s->order == ORDER_LISTED);
	for (size_t i = 0; i < NR(numbers); i++)
		hash = hash_u64(hash, numbers[i]);
	if (sweep_has_rate(s))
		hash = hash_str(hash, arrivals_name(s->arrivals));
	return hash_str(hash, s->engine);
}

static void add_axis_text(struct buf *b, const char *indent, const struct axis_block *block,
			  enum axis axis)
{
	const struct axis_list *l = &block->axis[axis];

	if (!l->nr)
		return;
	buf_addf(b, "%s%s: [", indent, axis_name(axis));
	for (size_t i = 0; i < l->nr; i++) {
		buf_addstr(b, i ? ", " : "");
		buf_add_axis_value(b, axis, &l->v[i]);
	}
	buf_addstr(b, "]\n");
}

static void add_axes_text(struct buf *b, const struct sweep *s)
{
	bool is_list = s->nr_blocks > 1;

	buf_addstr(b, "axes:\n");
	for (size_t i = 0; i < s->nr_blocks; i++)
		for (size_t n = 0; n < AXIS_NR; n++)
			add_axis_text(b,
				      !is_list ? "  "
				      : n      ? "    "
					       : "  - ",
				      &s->block[i], s->block[i].nesting[n]);
}

static void add_duration_text(struct buf *b, const char *key, uint64_t ns)
{
	buf_addf(b, "  %s: ", key);
	buf_add_duration(b, ns);
	buf_addch(b, '\n');
}

static void add_measure_text(struct buf *b, const struct sweep *s)
{
	buf_addstr(b, "measure:\n");
	add_duration_text(b, "ramp_time", s->ramp_ns);
	if (s->runtime_ns) {
		buf_addstr(b, "  precision: none\n");
		add_duration_text(b, "runtime", s->runtime_ns);
	} else {
		buf_addstr(b, "  precision: ");
		buf_add_percent(b, s->precision_e4);
		buf_addch(b, '\n');
		add_duration_text(b, "min_time", s->min_ns);
		add_duration_text(b, "max_time", s->max_ns);
	}
	if (sweep_has_rate(s))
		buf_addf(b, "  arrivals: %s\n", arrivals_name(s->arrivals));
	add_duration_text(b, "drain_timeout", s->drain_timeout_ns);
	if (s->compress_pct)
		buf_addf(b, "  compress: %u%%\n", s->compress_pct);
	if (s->spin)
		buf_addstr(b, "  spin: yes\n");
}

static void add_caps_text(struct buf *b, const struct sweep *s)
{
	buf_addstr(b, s->nr_caps ? "cap: [" : "");
	for (unsigned i = 0; i < s->nr_caps; i++) {
		buf_addf(b, "%s\"%s:", i ? ", " : "", lat_stat_name(s->caps[i].stat));
		buf_add_duration(b, s->caps[i].limit_ns);
		buf_addch(b, '"');
	}
	buf_addstr(b, s->nr_caps ? "]\n" : "");
}

static void add_accept_text(struct buf *b, const struct sweep *s)
{
	const char *comma = "accept: [";

	for (enum flag f = 0; f < FLAG_NR; f++) {
		if (s->accepted & FLAG_BIT(f)) {
			buf_addf(b, "%s%s", comma, flag_name(f));
			comma = ", ";
		}
	}
	buf_addstr(b, s->accepted ? "]\n" : "");
}

void sweep_text(const struct sweep *s, struct buf *b)
{
	if (s->text) {
		buf_addstr(b, s->text);
		return;
	}
	/* A JSON string is a double-quoted scalar of YAML. */
	buf_addstr(b, "version: 1\nname: ");
	buf_json_str(b, s->name);
	if (s->question) {
		buf_addstr(b, "\nquestion: ");
		buf_json_str(b, s->question);
	}
	buf_addch(b, '\n');
	add_axes_text(b, s);
	buf_addstr(b, "offset: ");
	buf_add_axis_value(b, AXIS_SPAN, &s->offset);
	buf_addch(b, '\n');
	add_measure_text(b, s);
	buf_addf(b, "order: %s\nmix_order: %s\n", sweep_order_name(s->order),
		 sweep_mix_order_name(s->mix_order));
	if (s->has_seed)
		buf_addf(b, "seed: %" PRIu64 "\n", s->seed);
	buf_addf(b, "repeats: %u\nanchors: %s\nengine: %s\n", s->repeats,
		 sweep_anchors_name(s->anchors), s->engine);
	buf_addf(b, "on_error: %s\nretries: %u\nretry_wait: ", sweep_on_error_name(s->on_error),
		 s->retries);
	buf_add_duration(b, s->retry_wait_ns);
	buf_addstr(b, "\nretry_limit: ");
	buf_add_duration(b, s->retry_limit_ns);
	buf_addch(b, '\n');
	add_caps_text(b, s);
	add_accept_text(b, s);
}
