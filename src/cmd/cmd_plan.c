/* SPDX-License-Identifier: MIT */
/* lunsweep plan: what a sweep would do, without touching the target. */
#include "cmd/cmd.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"
#include "base/units.h"
#include "cmd/budget.h"
#include "cmd/fio_jobs.h"
#include "cmd/limits.h"
#include "plan/plan.h"
#include "plan/sweep.h"
#include "report/format.h"
#include "report/json_write.h"
#include "target/guard.h"
#include "target/target.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Without --assume-iops, bytes are stated for each 1000 IOPS. */
#define UNIT_IOPS	 1000
#define EXAMPLE_SEED	 1
#define MAX_ASSUMED_IOPS 1000000000ULL

struct options {
	struct pair_list settings; /* first: sweep_opts stores here */
	const char *target, *target_size;
	const char *logical_block;
	const char *assume_iops, *assume_fill;
	const char *format, *budget, *until;
};

static const struct opt plan_opts[] = {
	{"target", 't', OPT_STR, offsetof(struct options, target), "PATH",
	 "plan for this device or file; it is only looked at"},
	{"target-size", 0, OPT_STR, offsetof(struct options, target_size), "SIZE",
	 "plan for a target of this size, not attached"},
	{"logical-block", 0, OPT_STR, offsetof(struct options, logical_block), "SIZE",
	 "its logical block size (512)"},
	{"assume-iops", 0, OPT_STR, offsetof(struct options, assume_iops), "N",
	 "state bytes for this speed, not for each 1000 IOPS"},
	{"assume-fill", 0, OPT_STR, offsetof(struct options, assume_fill), "SIZE",
	 "state the time of a fill at this many bytes a second"},
	{"budget", 0, OPT_STR, offsetof(struct options, budget), "TIME",
	 "how many points a run of that budget measures"},
	{"until", 0, OPT_STR, offsetof(struct options, until), "TIME",
	 "the same from now until 06:00, or 2026-12-01T06:00"},
	{"format", 0, OPT_STR, offsetof(struct options, format), "FORMAT",
	 "text, json, or jobs for fio (text)"},
	{NULL, 0, OPT_END, 0, NULL, NULL},
};

static const struct opt_group plan_groups[] = {
	{"Options of plan", plan_opts},
	{"The sweep (keys of a sweep file, over which these win)", sweep_opts},
	{NULL, NULL},
};

enum plan_format { PLAN_TEXT, PLAN_JSON, PLAN_FIO, PLAN_FORMAT_NR };

static const char *const format_names[PLAN_FORMAT_NR] = {"text", "json", "fio"};

/* Everything that is printed. */
struct view {
	struct sweep sweep;
	struct target_info target;
	struct plan plan;
	struct plan_totals totals;
	struct plan_warnings warnings;
	struct budget budget;
	struct budget_points within; /* the budget, if there is one */
	bool is_iops_assumed;
	/* Filling what is read: bytes a second (0: not assumed), and what is known to need it. */
	uint64_t fill_rate;
	struct target_extents unwritten; /* of what is read */
	enum plan_format format;
};

static int parse_logical_block(const char *text, uint32_t *out, struct err *e)
{
	uint64_t bytes = 512;

	if (text && units_parse_size(text, &bytes, e))
		return err_wrap(e, "--logical-block");
	if (bytes < 512 || bytes > 65536 || (bytes & (bytes - 1)))
		return err_set(e, ERR_USAGE,
			       "--logical-block: '%s' is no power of two from 512 to 64k", text);
	*out = (uint32_t)bytes;
	return 0;
}

/* A target that exists only as a size. */
/* The label says what is meant: the path, and how large it was found to be. */
static int look_at_target(const char *path, struct target_info *t, struct err *e)
{
	struct buf b = BUF_INIT;

	if (target_inspect(path, t, e))
		return -1;
	buf_addf(&b, "%s, ", t->resolved);
	buf_add_size_human(&b, t->size_bytes);
	free(t->label);
	t->label = buf_detach(&b);
	return 0;
}

static int describe_target(const struct options *o, struct target_info *t, struct err *e)
{
	struct buf b = BUF_INIT;

	if (o->target && (o->target_size || o->logical_block))
		return err_set(e, ERR_USAGE,
			       "--target has its own size and block size; leave out --target-size "
			       "and --logical-block");
	if (o->target)
		return look_at_target(o->target, t, e);
	if (o->target_size && units_parse_size(o->target_size, &t->size_bytes, e))
		return err_wrap(e, "--target-size");
	if (o->target_size && !t->size_bytes)
		return err_set(e, ERR_USAGE, "--target-size: '%s' is no size of a target",
			       o->target_size);
	if (parse_logical_block(o->logical_block, &t->logical_block_bytes, e))
		return -1;
	if (t->size_bytes) {
		buf_addstr(&b, "any target of ");
		buf_add_size(&b, t->size_bytes);
	} else {
		buf_addstr(&b, "any target, size not known");
	}
	t->label = buf_detach(&b);
	return 0;
}

static int parse_iops(const char *text, double *iops, bool *is_assumed, struct err *e)
{
	uint64_t n = UNIT_IOPS;

	*is_assumed = text != NULL;
	if (text && units_parse_count(text, &n, e))
		return err_wrap(e, "--assume-iops");
	if (!n || n > MAX_ASSUMED_IOPS)
		return err_set(e, ERR_USAGE, "--assume-iops: '%s' is no speed of a target", text);
	*iops = (double)n;
	return 0;
}

static int parse_fill(const char *text, uint64_t *bytes, struct err *e)
{
	if (text && units_parse_size(text, bytes, e))
		return err_wrap(e, "--assume-fill");
	if (text && !*bytes)
		return err_set(e, ERR_USAGE, "--assume-fill: '%s' is no speed of a target", text);
	return 0;
}

static int parse_format(const struct options *o, enum plan_format *out, struct err *e)
{
	*out = PLAN_TEXT;
	while (o->format && *out < PLAN_FORMAT_NR && strcmp(format_names[*out], o->format) != 0)
		(*out)++;
	if (*out == PLAN_FORMAT_NR)
		return err_set(e, ERR_USAGE, "--format: '%s' is neither text, json nor fio",
			       o->format);
	if (*out == PLAN_FIO && !o->target)
		return err_set(e, ERR_USAGE,
			       "--format fio takes --target, since a job names what it is for");
	return 0;
}

static int build(const struct options *o, const char *path, struct view *v, struct err *e)
{
	struct plan_limits limits;
	double iops = UNIT_IOPS;

	if (parse_format(o, &v->format, e) ||
	    parse_iops(o->assume_iops, &iops, &v->is_iops_assumed, e) ||
	    parse_fill(o->assume_fill, &v->fill_rate, e) || describe_target(o, &v->target, e) ||
	    budget_parse(o->budget, o->until, &v->budget, e) ||
	    sweep_build(&v->sweep, path, &o->settings, e) ||
	    plan_make(&v->sweep, &v->target, v->sweep.has_seed ? v->sweep.seed : EXAMPLE_SEED,
		      &v->plan, e) ||
	    budget_check(&v->budget, 1, &v->plan, &v->sweep, e))
		return -1;
	plan_estimate(&v->plan, &v->sweep, iops, &v->totals);
	if (v->budget.text)
		budget_points(&v->budget, &v->totals, &v->sweep, &v->within);
	limits = cmd_limits(&v->plan, &v->sweep, &v->target, &v->unwritten);
	plan_warn(&v->plan, &v->sweep, &v->target, &limits, &v->warnings);
	return 0;
}

/* Of the lines above and below the points: where their text begins and where it ends. */
#define LINE_LEFT 11
#define WIDTH	  80

static void add_line(struct buf *b, const char *name)
{
	buf_addf(b, "%-*s ", LINE_LEFT - 1, name);
}

/* A line of several parts, wrapped behind its name. */
static void add_wrapped(struct buf *b, const char *name, struct buf *text)
{
	struct buf lines = BUF_INIT;

	add_line(b, name);
	format_wrapped(&lines, buf_text(text), LINE_LEFT, WIDTH);
	buf_addstr(b, buf_text(&lines) + LINE_LEFT);
	buf_release(&lines);
	buf_release(text);
}

static void add_window(struct buf *b, const struct sweep *s)
{
	add_line(b, "measure");
	buf_addstr(b, "ramp ");
	buf_add_duration(b, s->ramp_ns);
	if (s->runtime_ns) {
		buf_addstr(b, ", then ");
		buf_add_duration(b, s->runtime_ns);
	} else {
		buf_addstr(b, ", then until the 95 % interval is within ");
		buf_add_percent(b, s->precision_e4);
		buf_addstr(b, ", from ");
		buf_add_duration(b, s->min_ns);
		buf_addstr(b, " to ");
		buf_add_duration(b, s->max_ns);
	}
	if (strcmp(s->engine, "libaio") != 0)
		buf_addf(b, ", by %s", s->engine);
	if (s->compress_pct)
		buf_addf(b, ", %u %% of what is written compressible", s->compress_pct);
	buf_addstr(b, s->spin ? ", polling for completions\n" : "\n");
	if (!sweep_has_rate(s))
		return;
	add_line(b, "rates");
	buf_addf(b, "%s arrivals; iodepth is then the limit of I/Os in flight\n",
		 arrivals_name(s->arrivals));
}

static void add_caps(struct buf *b, const struct sweep *s)
{
	if (!s->nr_caps)
		return;
	add_line(b, "cap");
	for (unsigned i = 0; i < s->nr_caps; i++) {
		buf_addf(b, "%s%s <= ", i ? ", " : "", lat_stat_name(s->caps[i].stat));
		buf_add_duration(b, s->caps[i].limit_ns);
	}
	buf_addch(b, '\n');
}

static void add_header(struct buf *b, const struct view *v)
{
	const struct sweep *s = &v->sweep;
	struct buf text = BUF_INIT;

	add_line(b, "sweep");
	buf_addf(b, "%s\n", s->name);
	if (s->question) {
		buf_addstr(&text, s->question);
		add_wrapped(b, "question", &text);
	}
	add_line(b, "target");
	buf_addf(b, "%s, logical block %u\n", v->target.label, v->target.logical_block_bytes);
	add_window(b, s);
	add_caps(b, s);
	if (v->budget.text)
		buf_addstr(&text, "what tells most first, within the budget; else ");
	buf_addf(&text, "%s, %s", sweep_order_name(s->order), sweep_mix_order_name(s->mix_order));
	if (s->has_seed)
		buf_addf(&text, ", seed %" PRIu64, s->seed);
	else if (plan_order_needs_seed(&v->plan, s))
		buf_addf(&text, "; the run draws a seed, the order below has seed %d",
			 EXAMPLE_SEED);
	add_wrapped(b, "order", &text);
}

/* One line of the table: axes as columns, then a remark. */
static void add_point(struct buf *b, const struct plan_point *p, const struct target_info *t)
{
	struct buf span = BUF_INIT, used = BUF_INIT, bs = BUF_INIT, mix = BUF_INIT, note = BUF_INIT;
	const struct point_spec *s = &p->spec;

	buf_add_span(&span, s);
	buf_add_size(&used, s->span_bytes);
	buf_add_size(&bs, s->bs_bytes);
	if (rw_is_mixed(s->rw))
		buf_addf(&mix, "%u%%", s->rwmixread_pct);
	else
		buf_addch(&mix, '-');
	if (point_is_open(s)) {
		buf_addstr(&note, "rate ");
		buf_add_rate(&note, s);
	}
	if (s->random_pct != 100 && rw_is_random(s->rw))
		buf_addf(&note, "%s%u%% random", note.len ? ", " : "", s->random_pct);
	if (s->repeat > 1)
		buf_addf(&note, "%srepeat %u", note.len ? ", " : "", s->repeat);
	if (!p->skip_reason && note.len)
		buf_addstr(&note, ", ");
	if (p->skip_reason)
		buf_addf(&note, "%s%s", note.len ? ", " : "", p->skip_reason);
	else
		buf_add_plan_note(&note, s, t);
	while (note.len && strchr(", ", note.text[note.len - 1]))
		note.text[--note.len] = '\0';
	buf_addf(b, "%5u  %-9s  %6s  %7u  %9s  %11s  %5s  %7u%s%s\n", p->seq, rw_name(s->rw),
		 buf_text(&bs), s->iodepth, buf_text(&span), buf_text(&used), buf_text(&mix),
		 s->workers, note.len ? "  " : "", buf_text(&note));
	buf_release(&span);
	buf_release(&used);
	buf_release(&bs);
	buf_release(&mix);
	buf_release(&note);
}

static void add_points(struct buf *b, const struct view *v, bool skipped)
{
	buf_addf(b, "\n%s\n  seq  %-9s  %6s  %7s  %9s  %11s  %5s  %7s  %s\n",
		 skipped	  ? "Skipped: this target cannot do these points"
		 : v->budget.text ? "Points in the order of a run without a budget"
				  : "Points in the order of the run",
		 "rw", "bs", "iodepth", "span", "bytes used", "reads", "workers",
		 skipped ? "reason" : "note");
	for (size_t i = 0; i < v->plan.nr; i++)
		if ((v->plan.v[i].skip_reason != NULL) == skipped)
			add_point(b, &v->plan.v[i], &v->target);
}

static void add_time(struct buf *b, const struct plan_totals *t)
{
	struct buf text = BUF_INIT;

	if (t->time_min_ns != t->time_max_ns) {
		buf_add_hms(&text, t->time_min_ns);
		buf_addstr(&text, " to ");
	}
	buf_add_hms(&text, t->time_max_ns);
	buf_addstr(&text, ": ramps ");
	buf_add_hms(&text, t->ramp_ns);
	buf_addstr(&text, ", windows ");
	if (t->window_min_ns != t->window_max_ns) {
		buf_add_hms(&text, t->window_min_ns);
		buf_addstr(&text, " to ");
	}
	buf_add_hms(&text, t->window_max_ns);
	buf_addstr(&text, ", start, drain and saving ");
	buf_add_hms(&text, t->overhead_ns);
	add_wrapped(b, "time", &text);
}

static void add_budget(struct buf *b, const struct view *v)
{
	const struct plan_totals *t = &v->totals;

	if (!v->budget.text)
		return;
	add_line(b, "budget");
	buf_add_hms(b, v->budget.total_ns);
	buf_addf(b, ": %zu of %zu points for certain", v->within.nr_certain, t->nr_points);
	if (v->within.nr_best > v->within.nr_certain)
		buf_addf(b, ", %zu if each takes its shortest time", v->within.nr_best);
	buf_addstr(b, ";\n           ");
	if (v->within.nr_certain >= t->nr_ends)
		buf_addf(b, "first both ends of %zu curve%s, then the depths that tell most\n",
			 t->nr_curves, t->nr_curves == 1 ? "" : "s");
	else
		buf_addf(b, "first both ends of each curve; all %zu curves have %zu\n",
			 t->nr_curves, t->nr_ends);
}

static void add_anchors(struct buf *b, const struct plan_totals *t)
{
	struct buf text = BUF_INIT;

	if (!t->nr_anchored && !t->nr_perhaps_anchored)
		return;
	if (t->nr_anchored)
		buf_addf(&text,
			 "first and peak depth again at the end of %zu curve%s, in the time above",
			 t->nr_anchored, t->nr_anchored == 1 ? "" : "s");
	if (t->nr_anchored && t->nr_perhaps_anchored)
		buf_addstr(&text, "; ");
	if (t->nr_perhaps_anchored) {
		buf_addf(&text, "%zu curve%s may have them if IOPS fall behind the peak: up to ",
			 t->nr_perhaps_anchored, t->nr_perhaps_anchored == 1 ? "" : "s");
		buf_add_hms(&text, t->time_perhaps_ns);
		buf_addstr(&text, " more");
	}
	add_wrapped(b, "anchors", &text);
}

static void add_bytes(struct buf *b, const char *name, double min, double max, const struct view *v)
{
	add_line(b, name);
	if (max <= 0) {
		buf_addstr(b, "nothing\n");
		return;
	}
	if (min < max) {
		buf_add_size_human(b, (uint64_t)min);
		buf_addstr(b, " to ");
	}
	buf_add_size_human(b, (uint64_t)max);
	if (v->is_iops_assumed)
		buf_addf(b, " if every point runs at %.0f IOPS (assumed)\n", v->totals.iops);
	else
		buf_addf(b, " for each %d IOPS that the target reaches\n", UNIT_IOPS);
}

/* How long it takes to fill what is read; 0 where no speed is assumed. */
static uint64_t fill_ns(const struct view *v)
{
	uint64_t bytes = v->totals.read_end_byte - v->totals.read_first_byte;

	if (!v->fill_rate)
		return 0;
	return (uint64_t)((double)bytes / (double)v->fill_rate * (double)NS_PER_S);
}

/* The command that fills it, for a target that is there. */
static void add_prepare_command(struct buf *b, const struct view *v)
{
	const struct plan_totals *t = &v->totals;

	if (!v->target.identity)
		return;
	add_line(b, "");
	buf_addstr(b, "lunsweep prepare --target ");
	buf_shell_str(b, v->target.given);
	buf_addstr(b, " --write-to ");
	buf_shell_str(b, guard_consent_text(&v->target));
	buf_addf(b, " --span %" PRIu64, t->read_end_byte - t->read_first_byte);
	if (t->read_first_byte)
		buf_addf(b, " --offset %" PRIu64, t->read_first_byte);
	buf_addch(b, '\n');
}

/* Reads of what was never written reach no medium. Only a file system knows whether it was. */
/* Of all that is read, not only of the part that there was time to look at. */
static bool knows_unwritten(const struct view *v)
{
	return v->unwritten.is_known &&
	       v->unwritten.seen_bytes == v->totals.read_end_byte - v->totals.read_first_byte;
}

static void add_prepare(struct buf *b, const struct view *v)
{
	const struct plan_totals *t = &v->totals;
	struct buf text = BUF_INIT;

	if (!t->read_region_bytes)
		return;
	if (knows_unwritten(v) && !v->unwritten.unwritten_bytes) {
		buf_addstr(&text, "nothing: whatever is read was written");
		add_wrapped(b, "prepare", &text);
		return;
	}
	if (knows_unwritten(v)) {
		buf_add_size_human(&text, v->unwritten.unwritten_bytes);
		buf_addstr(&text, " of what is read was never written; filling all of it takes ");
	} else {
		buf_addstr(&text, "if it was never written, filling what is read takes ");
	}
	buf_add_size_human(&text, t->read_end_byte - t->read_first_byte);
	buf_addstr(&text, " of writes");
	if (v->fill_rate) {
		buf_addstr(&text, ", ");
		buf_add_hms(&text, fill_ns(v));
		buf_addstr(&text, " at ");
		buf_add_size_human(&text, v->fill_rate);
		buf_addstr(&text, "/s (assumed)");
	}
	add_wrapped(b, "prepare", &text);
	add_prepare_command(b, v);
}

static void add_totals(struct buf *b, const struct view *v)
{
	const struct plan_totals *t = &v->totals;

	buf_addch(b, '\n');
	add_line(b, "points");
	buf_addf(b, "%zu to measure, %zu skipped\n", t->nr_points, t->nr_skipped);
	add_time(b, t);
	add_budget(b, v);
	add_anchors(b, t);
	add_bytes(b, "reads", t->read_min_bytes, t->read_max_bytes, v);
	add_bytes(b, "writes", t->write_min_bytes, t->write_max_bytes, v);
	if (t->write_region_bytes) {
		add_line(b, "destroys");
		buf_add_size_human(b, t->write_region_bytes);
		buf_addf(b, " of the target: bytes %" PRIu64 " to %" PRIu64 "\n",
			 t->write_first_byte, t->write_end_byte - 1);
	}
	add_prepare(b, v);
	add_line(b, "buffers");
	buf_addstr(b, "at most ");
	buf_add_size_human(b, t->buffer_max_bytes);
	buf_addch(b, '\n');
}

static void add_text(struct buf *b, const struct view *v)
{
	add_header(b, v);
	add_points(b, v, false);
	if (v->plan.nr_skipped)
		add_points(b, v, true);
	add_totals(b, v);
}

static double seconds(uint64_t ns)
{
	return (double)ns / (double)NS_PER_S;
}

/* An estimate may be no whole number, but bytes are printed as one, however many. */
static void json_bytes(struct buf *b, const char *name, double v)
{
	json_key(b, name);
	buf_addf(b, "%.0f", v);
}

static double percent(uint32_t e4)
{
	return e4 ? e4 * 100.0 / UNITS_100_PERCENT : UNKNOWN;
}

/* A list that follows on lines of its own. */
static void json_open_list(struct buf *b, const char *name)
{
	buf_addf(b, ",\n\"%s\":[", name);
}

static void json_target(struct buf *b, const struct target_info *t)
{
	json_key(b, "target");
	buf_addch(b, '{');
	json_uint(b, "logical_block_bytes", t->logical_block_bytes);
	json_text(b, "label", t->label);
	if (t->size_bytes)
		json_uint(b, "size_bytes", t->size_bytes);
	else
		json_text(b, "size_bytes", NULL);
	buf_addch(b, '}');
}

static void json_measure(struct buf *b, const struct sweep *s)
{
	json_key(b, "measure");
	buf_addch(b, '{');
	json_bool(b, "fixed_window", s->runtime_ns);
	json_num(b, "ramp_s", seconds(s->ramp_ns));
	json_num(b, "window_min_s", seconds(s->min_ns));
	json_num(b, "window_max_s", seconds(s->max_ns));
	json_num(b, "precision_pct", percent(s->precision_e4));
	json_num(b, "drain_timeout_s", seconds(s->drain_timeout_ns));
	json_bool(b, "spin", s->spin);
	json_text(b, "arrivals", sweep_has_rate(s) ? arrivals_name(s->arrivals) : NULL);
	buf_addch(b, '}');
}

static void json_errors(struct buf *b, const struct sweep *s)
{
	json_text(b, "on_error", sweep_on_error_name(s->on_error));
	json_uint(b, "retries", s->retries);
	json_num(b, "retry_wait_s", seconds(s->retry_wait_ns));
	json_num(b, "retry_limit_s", seconds(s->retry_limit_ns));
}

static void json_sweep(struct buf *b, const struct view *v)
{
	const struct sweep *s = &v->sweep;

	json_text(b, "name", s->name);
	json_text(b, "question", s->question);
	json_text(b, "file", s->path);
	json_text(b, "order", sweep_order_name(s->order));
	json_text(b, "mix_order", sweep_mix_order_name(s->mix_order));
	/* As text: a number in JSON is a double, which does not hold 64 bits. */
	json_key(b, "seed");
	buf_addf(b, "\"%" PRIu64 "\"", v->plan.seed);
	json_bool(b, "seed_is_given", s->has_seed);
	json_text(b, "engine", s->engine);
	json_errors(b, s);
	json_target(b, &v->target);
	json_measure(b, s);
	json_key(b, "caps");
	buf_addch(b, '[');
	for (unsigned i = 0; i < s->nr_caps; i++) {
		json_next(b);
		buf_addch(b, '{');
		json_text(b, "stat", lat_stat_name(s->caps[i].stat));
		json_num(b, "limit_ms", (double)s->caps[i].limit_ns / (double)NS_PER_MS);
		buf_addch(b, '}');
	}
	buf_addch(b, ']');
}

static void json_point(struct buf *b, const struct plan_point *p, const struct target_info *t)
{
	const struct point_spec *s = &p->spec;
	struct buf note = BUF_INIT;

	buf_add_plan_note(&note, s, t);
	json_next(b);
	buf_addch(b, '{');
	json_uint(b, "seq", p->seq);
	json_axes(b, s);
	json_uint(b, "iodepth", s->iodepth);
	json_uint(b, "repeat", s->repeat);
	json_num(b, "span_pct", percent(s->span_e4));
	json_num(b, "rate_iops", s->rate_ask_iops ? (double)s->rate_ask_iops : UNKNOWN);
	json_num(b, "rate_pct", percent(s->rate_e4));
	json_text(b, "skip_reason", p->skip_reason);
	json_text(b, "note", note.len ? buf_text(&note) : NULL);
	buf_addch(b, '}');
	buf_release(&note);
}

static void json_times(struct buf *b, const struct plan_totals *t)
{
	json_num(b, "time_perhaps_s", seconds(t->time_perhaps_ns));
	json_num(b, "time_min_s", seconds(t->time_min_ns));
	json_num(b, "time_max_s", seconds(t->time_max_ns));
	json_num(b, "ramp_s", seconds(t->ramp_ns));
	json_num(b, "window_min_s", seconds(t->window_min_ns));
	json_num(b, "window_max_s", seconds(t->window_max_ns));
	json_num(b, "overhead_s", seconds(t->overhead_ns));
}

static void json_regions(struct buf *b, const struct view *v)
{
	const struct plan_totals *t = &v->totals;

	json_bytes(b, "read_min_bytes", t->read_min_bytes);
	json_bytes(b, "read_max_bytes", t->read_max_bytes);
	json_bytes(b, "write_min_bytes", t->write_min_bytes);
	json_bytes(b, "write_max_bytes", t->write_max_bytes);
	json_uint(b, "read_region_bytes", t->read_region_bytes);
	json_uint(b, "read_first_byte", t->read_first_byte);
	json_uint(b, "read_end_byte", t->read_end_byte);
	if (knows_unwritten(v))
		json_uint(b, "read_unwritten_bytes", v->unwritten.unwritten_bytes);
	else
		json_text(b, "read_unwritten_bytes", NULL);
	json_num(b, "prepare_s", v->fill_rate ? seconds(fill_ns(v)) : UNKNOWN);
	json_uint(b, "write_region_bytes", t->write_region_bytes);
	json_uint(b, "write_first_byte", t->write_first_byte);
	json_uint(b, "write_end_byte", t->write_end_byte);
	json_uint(b, "buffer_max_bytes", t->buffer_max_bytes);
}

static void json_totals(struct buf *b, const struct view *v)
{
	const struct plan_totals *t = &v->totals;

	json_key(b, "totals");
	buf_addch(b, '{');
	json_uint(b, "points", t->nr_points);
	json_uint(b, "skipped", t->nr_skipped);
	json_uint(b, "anchored_curves", t->nr_anchored);
	json_uint(b, "perhaps_anchored_curves", t->nr_perhaps_anchored);
	if (v->budget.text) {
		json_num(b, "budget_s", seconds(v->budget.total_ns));
		json_uint(b, "budget_points_min", v->within.nr_certain);
		json_uint(b, "budget_points_max", v->within.nr_best);
	}
	json_times(b, t);
	json_num(b, "iops_of_bytes", t->iops);
	json_bool(b, "iops_is_assumed", v->is_iops_assumed);
	json_regions(b, v);
	buf_addch(b, '}');
}

static void add_json(struct buf *b, const struct view *v)
{
	json_begin(b, "plan", 1);
	json_sweep(b, v);
	json_open_list(b, "points");
	for (size_t i = 0; i < v->plan.nr; i++)
		json_point(b, &v->plan.v[i], &v->target);
	buf_addch(b, ']');
	json_totals(b, v);
	json_open_list(b, "warnings");
	for (size_t i = 0; i < v->warnings.nr; i++) {
		json_next(b);
		buf_json_str(b, v->warnings.v[i]);
	}
	buf_addstr(b, "]}\n");
}

static int add_view(struct buf *b, const struct view *v, struct err *e)
{
	if (v->format == PLAN_FIO)
		return fio_jobs_of_plan(&v->sweep, &v->plan, &v->target, b, e);
	if (v->format == PLAN_JSON)
		add_json(b, v);
	else
		add_text(b, v);
	return 0;
}

static int print_view(const struct view *v)
{
	struct buf b = BUF_INIT;
	struct err e = {0};
	int rc = add_view(&b, v, &e) ? cmd_fail(&e) : cmd_print(&b);

	buf_release(&b);
	for (size_t i = 0; i < v->warnings.nr; i++)
		log_warn("%s", v->warnings.v[i]);
	return rc;
}

static int run_plan(int argc, char **argv)
{
	struct options o = {0};
	struct str_list args = {0};
	struct view v = {0};
	struct err e = {0};
	int rc = 2;

	if (!cmd_parse(&cmd_plan, argc, argv, &o, &args)) {
		if (args.nr > 1)
			(void)err_set(&e, ERR_USAGE, "plan takes one sweep file, not '%s' too",
				      args.v[1]);
		else
			(void)build(&o, args.nr ? args.v[0] : NULL, &v, &e);
		rc = e.code ? cmd_fail(&e) : print_view(&v);
	}
	plan_warnings_release(&v.warnings);
	plan_release(&v.plan);
	budget_release(&v.budget);
	sweep_release(&v.sweep);
	target_info_release(&v.target);
	pair_list_release(&o.settings);
	str_list_release(&args);
	return rc;
}

const struct cmd cmd_plan = {
	.name = "plan",
	.args = "[SWEEP] [OPTION...]",
	.summary = "show what a sweep would do, and how long it takes; touches nothing",
	.about =
		"Prints the points of a sweep in the order of the run, those that the target\n"
		"cannot do with the reason, the time with ramp and drain, and the bytes read and\n"
		"written. Without SWEEP the options alone define it. With --format fio the points\n"
		"are jobs for fio, as export writes them of a run.\n"
		"\n"
		"Examples:\n"
		"  lunsweep plan sweeps/quick.yaml --target /srv/scratch.img\n"
		"  lunsweep plan sweeps/ult-lun-sizing.yaml --target-size 4T --budget 8h\n",
	.groups = plan_groups,
	.run = run_plan,
};
