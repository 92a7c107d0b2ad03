/* SPDX-License-Identifier: MIT */
/*
 * A sweep: which points are asked for, how each is measured, and the questions. It comes from a
 * YAML file, from options of the same names, or from both (options win). Nothing here knows a
 * target: what depends on one is in plan.h.
 *
 * To add a key: one line in the table of keys.c gives the file, the option and the help.
 */
#ifndef PLAN_SWEEP_H
#define PLAN_SWEEP_H

#include "base/buf.h"
#include "base/err.h"
#include "base/opt.h"
#include "model/answer.h"
#include "model/axis.h"
#include "model/run.h"
#include "model/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More are a mistake. */
#define SWEEP_MAX_POINTS 100000U

/* One value of an axis, and where it stands in the sweep file (line 0: it does not). */
struct axis_value {
	uint64_t value;	 /* enum rw_mode, bytes, a count, or per cent (spans, rates: units.h) */
	bool is_percent; /* spans and offsets: of the whole target; rates: of the maximum found */
	char *text;	 /* as written, or the member of a range; owned */
	unsigned line, column;
};

struct axis_list {
	struct axis_value *v;
	size_t nr, cap;
};

/* Axes that form a full product. A sweep has one block or several, which are joined. */
struct axis_block {
	/* Never empty after sweep_finish, but for AXIS_RATE: without it the loop is closed. */
	struct axis_list axis[AXIS_NR];
	/* Outermost first: as they were given, then (by sweep_finish) the rest. */
	enum axis nesting[AXIS_NR];
	size_t nr_nesting;
};

enum sweep_order { ORDER_LISTED, ORDER_INTERLEAVED, ORDER_RANDOM, ORDER_NR };
enum sweep_mix_order { MIX_READS_FIRST, MIX_AS_LISTED, MIX_ORDER_NR };

/* Which curves have anchors (D24): auto, those that write and those whose IOPS fall behind the peak. */
enum sweep_anchors { ANCHORS_AUTO, ANCHORS_ALWAYS, ANCHORS_NEVER, ANCHORS_NR };

/* What comes after a failed point: the next one, the end of the run, or the same point again. */
enum sweep_on_error { ON_ERROR_CONTINUE, ON_ERROR_STOP, ON_ERROR_RETRY, ON_ERROR_NR };

const char *sweep_order_name(enum sweep_order order);
const char *sweep_mix_order_name(enum sweep_mix_order mix);
const char *sweep_anchors_name(enum sweep_anchors anchors);
const char *sweep_on_error_name(enum sweep_on_error on_error);

struct sweep {
	char *name;	/* else that of the file, or the axes in short */
	char *question; /* NULL when none is stated */
	char *path;	/* of the file; NULL for a sweep of options only */
	char *text;	/* of the file, exactly; NULL without one */
	struct axis_block *block;
	size_t nr_blocks;
	struct axis_value offset; /* where every span begins */
	uint64_t ramp_ns;
	/* The window ends when the 95 % interval is this narrow (units.h per cent; 0 is none),
	 * between min_ns and max_ns. */
	uint32_t precision_e4;
	uint64_t min_ns, max_ns;
	/* Not 0: a fixed window of this length and no stopping rule. sweep_finish also sets it
	 * (to max_ns) for "precision: none" without a runtime, and makes precision_e4 0, and min_ns
	 * and max_ns equal to it, whenever it is not 0. */
	uint64_t runtime_ns;
	uint64_t drain_timeout_ns;
	bool spin;		/* poll for completions */
	uint32_t compress_pct;	/* of each 4 KiB written, how much is zeros */
	enum arrivals arrivals; /* of points with a rate */
	enum sweep_order order;
	enum sweep_mix_order mix_order;
	bool has_seed;
	uint64_t seed;
	uint32_t repeats;
	enum sweep_anchors anchors;
	enum sweep_on_error on_error;
	uint32_t
		retries; /* how often a failed point is measured again at most, with ON_ERROR_RETRY */
	/* A target that failed is waited for: first so long, then doubled (cmd/recovery.h), ... */
	uint64_t retry_wait_ns;
	uint64_t retry_limit_ns; /* ... in all so long, where it does not answer */
	struct cap caps[RUN_MAX_CAPS];
	unsigned nr_caps;
	char *engine;
	flag_set accepted;
	uint32_t given_in_file, given_as_option; /* sets of keys, for the cross checks */
};

/* The defaults (D11): randread, 4k, iodepth 1, span 100%, rwmixread 70, workers 1, random_pct 100;
 * no rate; with one, iodepth is 256, or 1..256*2 where a rate is in per cent; poisson arrivals;
 * ramp 5 s, precision 2 %, 20 s to 120 s; drain timeout 60 s; interleaved, reads first; on_error
 * continue, 2 retries, retry_wait 1 s, retry_limit 10 min. */
void sweep_init(struct sweep *s);
void sweep_release(struct sweep *s);

/* Read a file into s. Errors begin with FILE:LINE:COLUMN, both from 1. */
int sweep_load(struct sweep *s, const char *path, struct err *e);
/* The same from memory; path is only used in messages. */
int sweep_parse(struct sweep *s, const char *path, const char *text, size_t len, struct err *e);

/*
 * Set a key from an option ('-' and '_' are the same in key). Lists are separated by commas and
 * may hold ranges, as in files. An axis that the file gave is replaced in every block.
 */
int sweep_set(struct sweep *s, const char *key, const char *value, struct err *e);

/* Whether any point of the sweep, or of the block, has a rate; and one in per cent. */
bool sweep_has_rate(const struct sweep *s);
bool block_has_percent_rate(const struct axis_block *b);

/* The checks between keys that need no target; after it, s is complete. Call it once. */
int sweep_finish(struct sweep *s, struct err *e);

/* All of the above in their order: path may be NULL. s is initialised even on failure. */
int sweep_build(struct sweep *s, const char *path, const struct pair_list *settings, struct err *e);

/*
 * The keys as options. Entries store into a struct pair_list at offset 0 of the command's
 * options, so a command that uses this table has "struct pair_list settings" as the first member of its
 * struct and hands it to sweep_build.
 */
extern const struct opt sweep_opts[];
/* The same without iodepth, rate, order and anchors, which a search decides. */
extern const struct opt sweep_search_opts[];

/* What D27 makes the sweep's part of the resume key: normalised axes, offset, repeats, measure
 * block, order, engine and explicit seed; not name, question, caps, comments or path, nor what comes
 * after errors, which changes no figure. */
uint64_t sweep_key(const struct sweep *s);

/* The definition to store: the file's text, or, when options had a part in it, a YAML text that
 * sweep_parse takes back to an equal sweep. */
void sweep_text(const struct sweep *s, struct buf *b);

#endif
