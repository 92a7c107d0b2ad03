/* SPDX-License-Identifier: MIT */
#include "plan/keys.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"

#include <stdlib.h>
#include <string.h>

/* Keeps the time of any plan within 64 bits of ns. */
#define MAX_DURATION_NS (24 * 3600 * NS_PER_S)
#define MAX_NAME_BYTES	255U
#define MAX_REPEATS	100U
#define MAX_RETRIES	100U
#define MIN_PRECISION	(UNITS_100_PERCENT / 10000)
#define MAX_PRECISION	(UNITS_100_PERCENT / 2)

static const char *const order_names[ORDER_NR] = {"listed", "interleaved", "random"};
static const char *const mix_order_names[MIX_ORDER_NR] = {"reads-first", "as-listed"};
static const char *const anchors_names[ANCHORS_NR] = {"auto", "always", "never"};
static const char *const on_error_names[ON_ERROR_NR] = {"continue", "stop", "retry"};
static const char *const section_names[SECTION_NR] = {"", "axes", "measure"};

const char *sweep_order_name(enum sweep_order order)
{
	return order_names[order];
}

const char *sweep_mix_order_name(enum sweep_mix_order mix)
{
	return mix_order_names[mix];
}

const char *sweep_on_error_name(enum sweep_on_error on_error)
{
	return on_error_names[on_error];
}

const char *sweep_anchors_name(enum sweep_anchors anchors)
{
	return anchors_names[anchors];
}

static int parse_version(struct sweep *s, const struct key *key, const struct item *item,
			 struct err *e)
{
	(void)s;
	(void)key;
	if (strcmp(item->text, "1") != 0)
		return err_set(e, ERR_USAGE,
			       "sweep files of version '%s' are not known; this program reads "
			       "version 1",
			       item->text);
	return 0;
}

/*
 * Characters that a stored sweep text could not give back, since YAML refuses them or takes
 * them for line breaks: C0 and C1 controls, DEL, the separators U+2028 and U+2029, and U+FEFF.
 */
static bool is_control(const char *s)
{
	const unsigned char *c = (const unsigned char *)s;

	if (c[0] < ' ' || c[0] == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0))
		return true;
	return !strncmp(s, "\xe2\x80\xa8", 3) || !strncmp(s, "\xe2\x80\xa9", 3) ||
	       !strncmp(s, "\xef\xbb\xbf", 3) || !strncmp(s, "\xef\xbf\xbe", 3) ||
	       !strncmp(s, "\xef\xbf\xbf", 3);
}

/* One line of text: line breaks, as block scalars have them, become spaces. */
static int parse_text(struct sweep *s, const struct key *key, const struct item *item,
		      struct err *e)
{
	char **member = (char **)(void *)((char *)s + key->member);
	size_t len = strlen(item->text);

	while (len && strchr(" \n", item->text[len - 1]))
		len--;
	if (!len)
		return err_set(e, ERR_USAGE, "%s is empty", key->name);
	for (size_t i = 0; i < len; i++) {
		if (item->text[i] == '\n')
			item->text[i] = ' ';
		if (is_control(&item->text[i]))
			return err_set(e, ERR_USAGE, "%s holds a control character", key->name);
	}
	free(*member);
	*member = xstrndup(item->text, len);
	return 0;
}

static int parse_name(struct sweep *s, const struct key *key, const struct item *item,
		      struct err *e)
{
	if (strlen(item->text) > MAX_NAME_BYTES)
		return err_set(e, ERR_USAGE, "the name is longer than %u bytes", MAX_NAME_BYTES);
	return parse_text(s, key, item, e);
}

static int parse_engine(struct sweep *s, const struct key *key, const struct item *item,
			struct err *e)
{
	if (strcmp(item->text, "libaio") != 0 && strcmp(item->text, "io_uring") != 0)
		return err_set(e, ERR_USAGE,
			       "there is no engine '%s'; there are libaio and io_uring",
			       item->text);
	return parse_text(s, key, item, e);
}

static int parse_yes_no(struct sweep *s, const struct key *key, const struct item *item,
			struct err *e)
{
	bool is_yes = !strcmp(item->text, "yes"),
	     *member = (bool *)(void *)((char *)s + key->member);

	if (!is_yes && strcmp(item->text, "no") != 0)
		return err_set(e, ERR_USAGE, "'%s': %s is yes or no", item->text, key->name);
	*member = is_yes;
	return 0;
}

static int parse_offset(struct sweep *s, const struct key *key, const struct item *item,
			struct err *e)
{
	uint64_t value;
	bool is_percent;

	(void)key;
	if (extent_parse(item->text, &value, &is_percent, e))
		return -1;
	if (!is_percent && value % 512)
		return err_set(e, ERR_USAGE, "'%s': offset must be a multiple of 512 bytes",
			       item->text);
	if (is_percent && value == UNITS_100_PERCENT)
		return err_set(e, ERR_USAGE, "'%s': offset must be below 100%%", item->text);
	free(s->offset.text);
	s->offset = (struct axis_value){value, is_percent, xstrdup(item->text), item->line,
					item->column};
	return 0;
}

static int parse_duration(struct sweep *s, const struct key *key, const struct item *item,
			  struct err *e)
{
	uint64_t ns;

	if (units_parse_duration(item->text, &ns, e))
		return -1;
	if (ns > MAX_DURATION_NS)
		return err_set(e, ERR_USAGE, "'%s': %s may be at most 24h", item->text, key->name);
	memcpy((char *)s + key->member, &ns, sizeof(ns));
	return 0;
}

static int parse_window(struct sweep *s, const struct key *key, const struct item *item,
			struct err *e)
{
	uint64_t ns;

	if (units_parse_duration(item->text, &ns, e))
		return -1;
	if (ns < NS_PER_MS)
		return err_set(e, ERR_USAGE, "'%s': %s must be 1ms or more", item->text, key->name);
	return parse_duration(s, key, item, e);
}

static int parse_precision(struct sweep *s, const struct key *key, const struct item *item,
			   struct err *e)
{
	uint32_t e4 = 0;

	(void)key;
	if (strcmp(item->text, "none") != 0) {
		if (units_parse_percent(item->text, &e4, e))
			return -1;
		if (e4 < MIN_PRECISION || e4 > MAX_PRECISION)
			return err_set(e, ERR_USAGE,
				       "'%s': precision must be between 0.01%% and 50%%, or none",
				       item->text);
	}
	s->precision_e4 = e4;
	return 0;
}

static int parse_compress(struct sweep *s, const struct key *key, const struct item *item,
			  struct err *e)
{
	uint32_t e4;

	(void)key;
	if (units_parse_percent(item->text, &e4, e))
		return -1;
	/* Nothing but zeros is no data: layers that know zeros do not store it. */
	if (e4 == UNITS_100_PERCENT)
		return err_set(e, ERR_USAGE, "'%s': compress must be below 100%%", item->text);
	if (e4 % (UNITS_100_PERCENT / 100))
		return err_set(e, ERR_USAGE, "'%s': compress takes whole per cents", item->text);
	s->compress_pct = e4 / (UNITS_100_PERCENT / 100);
	return 0;
}

/* The index of text in names. */
static int parse_choice(const char *const *names, size_t nr, const struct key *key,
			const struct item *item, size_t *choice, struct err *e)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < nr; i++) {
		if (!strcmp(names[i], item->text)) {
			*choice = i;
			buf_release(&b);
			return 0;
		}
		buf_addf(&b, "%s%s", i ? ", " : "", names[i]);
	}
	(void)err_set(e, ERR_USAGE, "'%s' is no %s; it is one of %s", item->text, key->name,
		      buf_text(&b));
	buf_release(&b);
	return -1;
}

static int parse_order(struct sweep *s, const struct key *key, const struct item *item,
		       struct err *e)
{
	size_t choice;

	if (parse_choice(order_names, ORDER_NR, key, item, &choice, e))
		return -1;
	s->order = (enum sweep_order)choice;
	return 0;
}

static int parse_mix_order(struct sweep *s, const struct key *key, const struct item *item,
			   struct err *e)
{
	size_t choice;

	if (parse_choice(mix_order_names, MIX_ORDER_NR, key, item, &choice, e))
		return -1;
	s->mix_order = (enum sweep_mix_order)choice;
	return 0;
}

static int parse_anchors(struct sweep *s, const struct key *key, const struct item *item,
			 struct err *e)
{
	size_t choice;

	if (parse_choice(anchors_names, ANCHORS_NR, key, item, &choice, e))
		return -1;
	s->anchors = (enum sweep_anchors)choice;
	return 0;
}

static int parse_on_error(struct sweep *s, const struct key *key, const struct item *item,
			  struct err *e)
{
	size_t choice;

	if (parse_choice(on_error_names, ON_ERROR_NR, key, item, &choice, e))
		return -1;
	s->on_error = (enum sweep_on_error)choice;
	return 0;
}

static int parse_arrivals(struct sweep *s, const struct key *key, const struct item *item,
			  struct err *e)
{
	const char *names[ARRIVALS_NR];
	size_t choice;

	for (enum arrivals a = 0; a < ARRIVALS_NR; a++)
		names[a] = arrivals_name(a);
	if (parse_choice(names, ARRIVALS_NR, key, item, &choice, e))
		return -1;
	s->arrivals = (enum arrivals)choice;
	return 0;
}

static int parse_seed(struct sweep *s, const struct key *key, const struct item *item,
		      struct err *e)
{
	(void)key;
	if (units_parse_count(item->text, &s->seed, e))
		return -1;
	s->has_seed = true;
	return 0;
}

static int parse_repeats(struct sweep *s, const struct key *key, const struct item *item,
			 struct err *e)
{
	uint64_t n;

	(void)key;
	if (units_parse_count(item->text, &n, e))
		return -1;
	if (!n || n > MAX_REPEATS)
		return err_set(e, ERR_USAGE, "'%s': repeats must be between 1 and %u", item->text,
			       MAX_REPEATS);
	s->repeats = (uint32_t)n;
	return 0;
}

static int parse_retries(struct sweep *s, const struct key *key, const struct item *item,
			 struct err *e)
{
	uint64_t n;

	(void)key;
	if (units_parse_count(item->text, &n, e))
		return -1;
	if (!n || n > MAX_RETRIES)
		return err_set(e, ERR_USAGE, "'%s': retries must be between 1 and %u", item->text,
			       MAX_RETRIES);
	s->retries = (uint32_t)n;
	return 0;
}

/* STATISTIC:LIMIT */
static int parse_cap(struct sweep *s, const struct key *key, const struct item *item, struct err *e)
{
	struct cap cap;

	(void)key;
	if (cap_parse(item->text, &cap, e))
		return -1;
	if (s->nr_caps >= RUN_MAX_CAPS)
		return err_set(e, ERR_USAGE, "there are more than %d caps", RUN_MAX_CAPS);
	s->caps[s->nr_caps++] = cap;
	return 0;
}

static int parse_accept(struct sweep *s, const struct key *key, const struct item *item,
			struct err *e)
{
	enum flag flag = flag_find(item->text);
	struct buf b = BUF_INIT;

	(void)key;
	if (flag != FLAG_NR && flag_effect(flag) == EFFECT_SPOILED) {
		s->accepted |= FLAG_BIT(flag);
		return 0;
	}
	for (enum flag f = 0; f < FLAG_NR; f++)
		if (flag_effect(f) == EFFECT_SPOILED)
			buf_addf(&b, "%s%s", b.len ? ", " : "", flag_name(f));
	(void)err_set(e, ERR_USAGE, "'%s' is no verdict that can be accepted; those are %s",
		      item->text, buf_text(&b));
	buf_release(&b);
	return -1;
}

#define MEMBER(m) offsetof(struct sweep, m)

/* Keys of files only: X(name, section, is_list, parse, member) */
#define FILE_KEYS(X) X(version, SECTION_TOP, false, parse_version, 0)

/* Keys that are options too: X(name, option, section, is_list, parse, member, arg, help) */
#define KEYS_BLOCK(X) \
	X(rw, "rw", SECTION_AXES, true, NULL, 0, "MODES", \
	  "[rand]read, [rand]write, [rand]rw (randread)") \
	X(bs, "bs", SECTION_AXES, true, NULL, 0, "SIZES", \
	  "bytes of one I/O (4k): 4k,64k or 4k..1m*2")
#define KEYS_DEPTH(X) \
	X(iodepth, "iodepth", SECTION_AXES, true, NULL, 0, "LIST", \
	  "I/Os in flight over all workers (1): 1,8 or 1..64*2")
#define KEYS_PLACE(X) \
	X(span, "span", SECTION_AXES, true, NULL, 0, "SIZES", \
	  "part of the target in use (100%): 10%,100% or 500G") \
	X(rwmixread, "rwmixread", SECTION_AXES, true, NULL, 0, "LIST", \
	  "per cent of reads with rw and randrw (70)") \
	X(workers, "workers", SECTION_AXES, true, NULL, 0, "LIST", \
	  "threads that share the depth (1)") \
	X(random_pct, "random-pct", SECTION_AXES, true, NULL, 0, "LIST", \
	  "per cent of random I/Os with rand* modes (100)")
#define KEYS_RATE(X) \
	X(rate, "rate", SECTION_AXES, true, NULL, 0, "LIST", \
	  "offered load: IOPS, or % of the maximum found")
#define KEYS_POINT(X) \
	X(offset, "offset", SECTION_TOP, false, parse_offset, 0, "SIZE", \
	  "where every span begins (0): bytes or per cent") \
	X(ramp_time, "ramp-time", SECTION_MEASURE, false, parse_duration, MEMBER(ramp_ns), "TIME", \
	  "load before the window of a point (5s)") \
	X(precision, "precision", SECTION_MEASURE, false, parse_precision, 0, "PCT", \
	  "95 % interval at which a point ends (2%), or none") \
	X(min_time, "min-time", SECTION_MEASURE, false, parse_window, MEMBER(min_ns), "TIME", \
	  "shortest window (20s)") \
	X(max_time, "max-time", SECTION_MEASURE, false, parse_window, MEMBER(max_ns), "TIME", \
	  "longest window (120s); that of --precision none") \
	X(runtime, "runtime", SECTION_MEASURE, false, parse_window, MEMBER(runtime_ns), "TIME", \
	  "fixed window, without a stopping rule") \
	X(arrivals, "arrivals", SECTION_MEASURE, false, parse_arrivals, 0, "KIND", \
	  "how a rate arrives: poisson or constant (poisson)") \
	X(drain_timeout, "drain-timeout", SECTION_MEASURE, false, parse_window, \
	  MEMBER(drain_timeout_ns), "TIME", "wait for the last I/Os of a point (60s)") \
	X(compress, "compress", SECTION_MEASURE, false, parse_compress, 0, "PCT", \
	  "part of writes that compression takes off (0%)")
#define KEYS_ORDER(X) \
	X(order, "order", SECTION_TOP, false, parse_order, 0, "ORDER", \
	  "listed, interleaved or random (interleaved)") \
	X(mix_order, "mix-order", SECTION_TOP, false, parse_mix_order, 0, "ORDER", \
	  "reads-first or as-listed (reads-first)")
#define KEYS_SEED(X) \
	X(seed, "seed", SECTION_TOP, false, parse_seed, 0, "N", \
	  "of order, offsets and mix; drawn when not given") \
	X(repeats, "repeats", SECTION_TOP, false, parse_repeats, 0, "N", \
	  "measure every point this often (1)")
#define KEYS_ANCHORS(X) \
	X(anchors, "anchors", SECTION_TOP, false, parse_anchors, 0, "WHEN", \
	  "first and peak depth again: auto, always, never")
#define KEYS_ERROR(X) \
	X(on_error, "on-error", SECTION_TOP, false, parse_on_error, 0, "WHAT", \
	  "after a failed point: continue, stop, retry") \
	X(retries, "retries", SECTION_TOP, false, parse_retries, 0, "N", \
	  "with retry: measure it again so often at most (2)") \
	X(retry_wait, "retry-wait", SECTION_TOP, false, parse_window, MEMBER(retry_wait_ns), \
	  "TIME", "first wait for a failed target, then doubled (1s)") \
	X(retry_limit, "retry-limit", SECTION_TOP, false, parse_duration, MEMBER(retry_limit_ns), \
	  "TIME", "wait so long for one that does not answer (10m)")
#define KEYS_QUESTION(X) \
	X(cap, "cap", SECTION_TOP, true, parse_cap, 0, "FIGURE:TIME", \
	  "maximum IOPS under a latency: mean:10ms,p99:20ms") \
	X(accept, "accept", SECTION_TOP, true, parse_accept, 0, "FLAGS", \
	  "verdicts that do not spoil a point") \
	X(engine, "engine", SECTION_TOP, false, parse_engine, MEMBER(engine), "NAME", \
	  "libaio or io_uring (libaio)") \
	X(name, "name", SECTION_TOP, false, parse_name, MEMBER(name), "TEXT", \
	  "what the sweep is called in lists and reports") \
	X(question, "question", SECTION_TOP, false, parse_text, MEMBER(question), "TEXT", \
	  "what the sweep is to answer")

/* All of them in the order of the help; and those that are left where a search decides what is
 * measured, and when. */
#define KEYS(X) \
	KEYS_BLOCK(X) \
	KEYS_DEPTH(X) \
	KEYS_PLACE(X) \
	KEYS_RATE(X) \
	KEYS_POINT(X) KEYS_ORDER(X) KEYS_SEED(X) KEYS_ANCHORS(X) KEYS_ERROR(X) KEYS_QUESTION(X)
#define SEARCH_KEYS(X) \
	KEYS_BLOCK(X) KEYS_PLACE(X) KEYS_POINT(X) KEYS_SEED(X) KEYS_ERROR(X) KEYS_QUESTION(X)

/* Keys that are yes or no: as options they need no value. X as for KEYS. */
#define YES_NO_KEYS(X) \
	X(spin, "spin", SECTION_MEASURE, false, parse_yes_no, MEMBER(spin), NULL, \
	  "poll for completions: a core for each worker")

#define FILE_KEY(name, section, is_list, parse, member) {#name, section, is_list, parse, member},
#define KEY(name, option, section, is_list, parse, member, arg, help) \
	{#name, section, is_list, parse, member},
#define OPTION(name, option, section, is_list, parse, member, arg, help) \
	{option, 0, OPT_PAIR, 0, arg, help},
#define YES_NO_OPTION(name, option, section, is_list, parse, member, arg, help) \
	{option, 0, OPT_PAIR_FLAG, 0, arg, help},

static const struct key keys[] = {FILE_KEYS(FILE_KEY) KEYS(KEY) YES_NO_KEYS(KEY)};

const struct opt sweep_opts[] = {
	KEYS(OPTION) YES_NO_KEYS(YES_NO_OPTION){NULL, 0, OPT_END, 0, NULL, NULL}};

const struct opt sweep_search_opts[] = {
	SEARCH_KEYS(OPTION) YES_NO_KEYS(YES_NO_OPTION){NULL, 0, OPT_END, 0, NULL, NULL}};

static bool same_name(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b))
			return false;
	return *a == *b;
}

const struct key *key_find(const char *name)
{
	for (size_t i = 0; i < NR(keys); i++)
		if (same_name(keys[i].name, name))
			return &keys[i];
	return NULL;
}

const char *key_section_name(enum key_section section)
{
	return section_names[section];
}

void buf_add_key_names(struct buf *b, enum key_section section)
{
	const char *comma = "";

	for (size_t i = 0; i < NR(keys); i++) {
		if (keys[i].section == section) {
			buf_addf(b, "%s%s", comma, keys[i].name);
			comma = ", ";
		}
	}
	for (int i = SECTION_TOP + 1; section == SECTION_TOP && i < SECTION_NR; i++)
		buf_addf(b, ", %s", section_names[i]);
}

uint32_t key_bit(const struct key *key)
{
	static const struct {
		const char *name;
		uint32_t bit;
	} bits[] = {{"precision", GIVEN_PRECISION},
		    {"runtime", GIVEN_RUNTIME},
		    {"min_time", GIVEN_MIN_TIME},
		    {"max_time", GIVEN_MAX_TIME}};

	for (size_t i = 0; i < NR(bits); i++)
		if (!strcmp(bits[i].name, key->name))
			return bits[i].bit;
	return 0;
}

size_t key_count_values(const struct sweep *s)
{
	size_t nr = 0;

	for (size_t b = 0; b < s->nr_blocks; b++)
		for (enum axis a = 0; a < AXIS_NR; a++)
			nr += s->block[b].axis[a].nr;
	return nr;
}

static void nest_axis(struct axis_block *block, enum axis axis)
{
	for (size_t i = 0; i < block->nr_nesting; i++)
		if (block->nesting[i] == axis)
			return;
	block->nesting[block->nr_nesting++] = axis;
}

static int set_axis(struct sweep *s, struct axis_block *block, enum axis axis,
		    const struct items *items, size_t *bad, struct err *e)
{
	struct axis_list *l = &block->axis[axis];
	size_t others;

	axis_list_clear(l);
	others = key_count_values(s);
	for (*bad = 0; *bad < items->nr; (*bad)++)
		if (axis_parse(l, axis, &items->v[*bad], SWEEP_MAX_POINTS - others, e))
			return -1;
	nest_axis(block, axis);
	return 0;
}

static void forget(struct sweep *s, const struct key *key)
{
	if (key->parse == parse_cap)
		s->nr_caps = 0;
	if (key->parse == parse_accept)
		s->accepted = 0;
}

int key_set(struct sweep *s, struct axis_block *block, const struct key *key,
	    const struct items *items, size_t *bad, struct err *e)
{
	*bad = 0;
	if (!items->nr)
		return err_set(e, ERR_USAGE, "the list of %s is empty", key->name);
	if (!key->parse)
		return set_axis(s, block, axis_find(key->name), items, bad, e);
	forget(s, key);
	for (; *bad < items->nr; (*bad)++)
		if (key->parse(s, key, &items->v[*bad], e))
			return -1;
	return 0;
}
