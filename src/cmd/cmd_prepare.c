/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/rng.h"
#include "base/units.h"
#include "cmd/confirm.h"
#include "cmd/prepare.h"
#include "cmd/signals.h"
#include "plan/plan.h"
#include "plan/sweep.h"
#include "run/fill.h"
#include "stats/ci.h"
#include "target/guard.h"
#include "target/lock.h"
#include "target/make_file.h"
#include "target/space.h"
#include "target/target.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#define DEFAULT_BS_BYTES 4096
#define DEFAULT_IODEPTH	 32
#define DEFAULT_ROUND_NS (30 * NS_PER_S)
#define DEFAULT_MAX_NS	 (2 * 3600 * NS_PER_S)
#define MAX_PASSES	 100
#define MAX_IODEPTH	 65536
#define ENGINE		 "libaio"

struct prepare_options {
	const char *target, *make_file, *db;
	struct str_list write_to;
	const char *span, *offset, *passes;
	const char *bs, *iodepth, *round_time, *max_time;
	bool until_steady, overwrite_signature, allow_ram, yes, fresh, quiet, dry_run;
};

#define AT(member) offsetof(struct prepare_options, member)

static const struct opt prepare_opts[] = {
	{"target", 't', OPT_STR, AT(target), "PATH", "block device or file to fill, or to make"},
	{"write-to", 0, OPT_STRS, AT(write_to), "IDENTITY", "consent to destroy its data"},
	{"overwrite-signature", 0, OPT_FLAG, AT(overwrite_signature), NULL,
	 "also where an idle file system or partition table is"},
	{"span", 0, OPT_STR, AT(span), "LIST",
	 "bytes or per cent to fill; of several, the longest"},
	{"offset", 0, OPT_STR, AT(offset), "SIZE", "where the span begins (0)"},
	{"passes", 0, OPT_STR, AT(passes), "N", "write every block N times (1)"},
	{"dry-run", 0, OPT_FLAG, AT(dry_run), NULL, "say what would be written, and end"},
	{"new", 0, OPT_FLAG, AT(fresh), NULL, "begin afresh, whatever is unfinished"},
	{"yes", 'y', OPT_FLAG, AT(yes), NULL, "do not ask before writing to a device"},
	{"quiet", 'q', OPT_FLAG, AT(quiet), NULL, "only warnings and errors"},
	{"allow-ram", 0, OPT_FLAG, AT(allow_ram), NULL,
	 "also a file in memory, which is no storage"},
	{"db", 0, OPT_STR, AT(db), "PATH", "database (LUNSWEEP_DB, else ./lunsweep.db)"},
	{NULL, 0, OPT_END, 0, NULL, NULL},
};

static const struct opt steady_opts[] = {
	{"until-steady", 0, OPT_FLAG, AT(until_steady), NULL,
	 "then write at random until the speed is steady"},
	{"bs", 0, OPT_STR, AT(bs), "SIZE", "block size of these writes (4k)"},
	{"iodepth", 0, OPT_STR, AT(iodepth), "N", "how many of them are in flight (32)"},
	{"round-time", 0, OPT_STR, AT(round_time), "TIME",
	 "length of a round; five are judged (30s)"},
	{"max-time", 0, OPT_STR, AT(max_time), "TIME", "give up after this time of writes (2h)"},
	{NULL, 0, OPT_END, 0, NULL, NULL},
};

static const struct opt make_opts[] = {
	{"make-file", 0, OPT_STR, AT(make_file), "SIZE",
	 "make a file instead, this large; there must be none"},
	{NULL, 0, OPT_END, 0, NULL, NULL},
};

static const struct opt_group groups[] = {
	{"Options", prepare_opts},
	{"Until steady", steady_opts},
	{"Scratch file", make_opts},
	{NULL, NULL},
};

static int make_file(const struct prepare_options *o)
{
	struct err e = {0};
	uint64_t size_bytes;

	if (units_parse_size(o->make_file, &size_bytes, &e)) {
		(void)err_wrap(&e, "--make-file");
		return cmd_fail(&e);
	}
	signals_catch();
	if (target_make_file(o->target, size_bytes, rng_draw_seed(), &signals_nr, &e)) {
		(void)cmd_fail(&e);
		return e.code == ERR_INTR ? 128 + signals_first() : err_exit_status(e.code);
	}
	log_info("made '%s': %s of incompressible data", o->target, o->make_file);
	return 0;
}

/* A count from 1 to max, the default where it is not given. */
static int parse_count(const char *name, const char *text, uint64_t max, uint32_t *out,
		       struct err *e)
{
	uint64_t n;

	if (!text)
		return 0;
	if (units_parse_count(text, &n, e))
		return err_wrap(e, "--%s", name);
	if (!n || n > max)
		return err_set(e, ERR_USAGE, "--%s: '%s' is not within 1 to %" PRIu64, name, text,
			       max);
	*out = (uint32_t)n;
	return 0;
}

static int parse_time(const char *name, const char *text, uint64_t *out_ns, struct err *e)
{
	if (text && units_parse_duration(text, out_ns, e))
		return err_wrap(e, "--%s", name);
	return 0;
}

static int parse_block(const char *text, const struct target_info *t, uint64_t *bytes,
		       struct err *e)
{
	if (text && units_parse_size(text, bytes, e))
		return err_wrap(e, "--bs");
	if (!*bytes || *bytes % t->logical_block_bytes || *bytes > FILL_BLOCK_BYTES)
		return err_set(e, ERR_USAGE,
			       "--bs: '%s' is no multiple of the logical block, %" PRIu32
			       " bytes, up to 1M",
			       text ? text : "4k", t->logical_block_bytes);
	return 0;
}

static int parse_steady(const struct prepare_options *o, const struct target_info *t,
			struct preparation *w, struct err *e)
{
	if (!o->until_steady && (o->bs || o->iodepth || o->round_time || o->max_time))
		return err_set(e, ERR_USAGE,
			       "--bs, --iodepth, --round-time and --max-time are about random "
			       "writes: they go with --until-steady");
	if (!o->until_steady)
		return 0;
	w->bs_bytes = DEFAULT_BS_BYTES;
	w->iodepth = DEFAULT_IODEPTH;
	w->round_ns = DEFAULT_ROUND_NS;
	w->max_ns = DEFAULT_MAX_NS;
	if (parse_block(o->bs, t, &w->bs_bytes, e) ||
	    parse_count("iodepth", o->iodepth, MAX_IODEPTH, &w->iodepth, e) ||
	    parse_time("round-time", o->round_time, &w->round_ns, e) ||
	    parse_time("max-time", o->max_time, &w->max_ns, e))
		return -1;
	if (w->round_ns < NS_PER_S)
		return err_set(e, ERR_USAGE, "--round-time: a round takes 1s or more");
	if (w->max_ns / STEADY_ROUNDS < w->round_ns)
		return err_set(e, ERR_USAGE,
			       "--max-time: steady takes %d rounds at least, which need more time",
			       STEADY_ROUNDS);
	if (w->bs_bytes > w->span_bytes)
		return err_set(e, ERR_USAGE, "--bs: the span is smaller than one block");
	return 0;
}

/* Spans are those of a sweep: the same rules, the same rounding, the same words when they do
 * not fit. They all begin at the offset, so the longest holds the others. */
static int find_span(const struct prepare_options *o, const struct target_info *t,
		     struct preparation *w, struct err *e)
{
	char *bs = xasprintf("%" PRIu32, t->logical_block_bytes);
	struct pair_list settings = {0};
	struct sweep sweep;
	struct plan plan = {0};
	int rc;

	pair_list_add(&settings, "rw", "write");
	pair_list_add(&settings, "bs", bs);
	if (o->span)
		pair_list_add(&settings, "span", o->span);
	if (o->offset)
		pair_list_add(&settings, "offset", o->offset);
	rc = sweep_build(&sweep, NULL, &settings, e);
	rc = rc ? rc : plan_make(&sweep, t, 1, &plan, e);
	for (size_t i = 0; !rc && i < plan.nr; i++) {
		const struct plan_point *pp = &plan.v[i];

		if (pp->skip_reason)
			rc = err_set(e, ERR_USAGE, "%s", pp->skip_reason);
		else if (pp->spec.span_bytes > w->span_bytes)
			w->span_bytes = pp->spec.span_bytes;
		w->offset_bytes = pp->spec.offset_bytes;
	}
	plan_release(&plan);
	sweep_release(&sweep);
	pair_list_release(&settings);
	free(bs);
	return rc;
}

static int set_work(const struct prepare_options *o, const char *command, struct prepare_job *job,
		    struct err *e)
{
	const struct target_info *t = &job->info;
	struct preparation *w = &job->work;

	w->passes = 1;
	if (find_span(o, t, w, e) || parse_count("passes", o->passes, MAX_PASSES, &w->passes, e) ||
	    parse_steady(o, t, w, e))
		return -1;
	w->target_identity = xstrdup(t->identity);
	w->target_label = xstrdup(t->label);
	w->target_resolved = xstrdup(t->resolved);
	w->target_size_bytes = t->size_bytes;
	w->last_iops = w->last_range = w->last_slope = UNKNOWN;
	w->command = xstrdup(command);
	w->tool_version = xstrdup(lunsweep_version);
	w->git_id = xstrdup(lunsweep_git_id);
	w->engine = xstrdup(ENGINE);
	w->consent = xstrdup(guard_consent_text(t));
	w->overwrote_signature = o->overwrite_signature;
	return 0;
}

/* Everything that can refuse it before any I/O. */
static int check_allowed(const struct prepare_options *o, struct prepare_job *job, struct err *e)
{
	const struct preparation *w = &job->work;

	if (confirm_storage(&job->info, o->allow_ram, e) ||
	    confirm_database(&job->info, cmd_db_path(o->db), e) ||
	    guard_check_idle(&job->info, o->overwrite_signature, e) ||
	    guard_check_consent(&job->info, &o->write_to, e) ||
	    space_check(&job->info, w->offset_bytes, w->offset_bytes + w->span_bytes, e))
		return -1;
	job->lock_fd = target_lock(&job->info, e);
	return job->lock_fd < 0 ? -1 : 0;
}

static void add_size_and_bytes(struct buf *b, uint64_t bytes)
{
	buf_addf(b, "%" PRIu64 " bytes (", bytes);
	buf_add_size_human(b, bytes);
	buf_addch(b, ')');
}

static void add_work(struct buf *b, const struct prepare_job *job)
{
	const struct preparation *w = &job->work;

	buf_addf(b, "target     %s, ", job->info.resolved);
	add_size_and_bytes(b, job->info.size_bytes);
	/* As --write-to takes it. */
	buf_addf(b, "\nidentity   %s\nrange      bytes %" PRIu64 " to %" PRIu64 ", ",
		 guard_consent_text(&job->info), w->offset_bytes,
		 w->offset_bytes + w->span_bytes - 1);
	add_size_and_bytes(b, w->span_bytes);
	buf_addf(b, "\nfill       %" PRIu32 " pass%s in order, ", w->passes,
		 w->passes == 1 ? "" : "es");
	add_size_and_bytes(b, w->passes * w->span_bytes);
	buf_addch(b, '\n');
	if (!w->bs_bytes)
		return;
	buf_addstr(b, "then       random writes of ");
	buf_add_size(b, w->bs_bytes);
	buf_addf(b, " at depth %" PRIu32 ", rounds of ", w->iodepth);
	buf_add_duration(b, w->round_ns);
	buf_addstr(b, " until steady, for at most ");
	buf_add_duration(b, w->max_ns);
	buf_addch(b, '\n');
}

static void add_unwritten(struct buf *b, const struct prepare_job *job)
{
	const struct preparation *w = &job->work;
	struct target_extents x;

	target_find_unwritten(&job->info, w->offset_bytes, w->span_bytes, &x);
	if (!x.is_known || x.seen_bytes < w->span_bytes)
		return;
	buf_addstr(b, "unwritten  ");
	add_size_and_bytes(b, x.unwritten_bytes);
	buf_addstr(b, " of the range\n");
}

/* What would be written, on stdout; whether it may be, as the last line and as for the real thing. */
static int dry_run(const struct prepare_options *o, struct prepare_job *job, struct err *e)
{
	struct err refusal = {0};
	struct buf b = BUF_INIT;
	int rc;

	add_work(&b, job);
	add_unwritten(&b, job);
	if (check_allowed(o, job, &refusal))
		buf_addf(&b, "allowed    no: %s\n", refusal.msg);
	else
		buf_addstr(&b, "allowed    yes; nothing was written\n");
	rc = cmd_print(&b);
	buf_release(&b);
	if (rc)
		return err_set(e, ERR_OUTPUT, "cannot print");
	if (refusal.code)
		*e = refusal;
	return refusal.code ? -1 : 0;
}

static int ask(const struct prepare_options *o, const struct prepare_job *job, struct err *e)
{
	const struct preparation *w = &job->work;
	struct buf b = BUF_INIT;
	int rc;

	if (!job->info.is_block)
		return 0;
	buf_addf(&b, "This overwrites bytes %" PRIu64 " to %" PRIu64 " of '%s' (%s).",
		 w->offset_bytes, w->offset_bytes + w->span_bytes - 1, job->info.resolved,
		 job->info.identity);
	rc = confirm_ask(o->yes, buf_text(&b), e);
	buf_release(&b);
	return rc;
}

static int write_target(const struct prepare_options *o, struct prepare_job *job, struct err *e)
{
	struct store *store = NULL;
	int rc;

	if (check_allowed(o, job, e) || ask(o, job, e) ||
	    store_open(&store, cmd_db_path(o->db), STORE_WRITE, e))
		return -1;
	if (store_warning(store))
		log_warn("%s", store_warning(store));
	signals_catch();
	rc = prepare_run(job, store, e);
	store_close(store);
	return rc;
}

/* The exit status and the last line. */
static int conclude(const struct prepare_job *job, int rc, const struct err *e)
{
	const struct preparation *w = &job->work;

	if (rc && e->code == ERR_INTR) {
		log_error("ended by signal %d; %" PRIu64 " of %" PRIu64
			  " bytes are filled, and the same command goes on with the rest",
			  signals_first(), preparation_filled_bytes(w), w->passes * w->span_bytes);
		return 128 + signals_first();
	}
	if (rc) {
		rc = cmd_fail(e);
		if (w->id && preparation_filled_bytes(w))
			log_error("%" PRIu64 " of %" PRIu64
				  " bytes are filled, and the same command goes on with the rest",
				  preparation_filled_bytes(w), w->passes * w->span_bytes);
		return rc;
	}
	if (!w->bs_bytes) {
		log_info("'%s' is prepared", job->info.given);
		return 0;
	}
	if (w->is_steady) {
		log_info("'%s' is prepared, and steady after %" PRIu32 " rounds at %.0f IOPS",
			 job->info.given, w->rounds, w->last_iops);
		return 0;
	}
	log_error("'%s' is filled, but not steady after %" PRIu32
		  " rounds; give it more --max-time, or longer rounds",
		  job->info.given, w->rounds);
	return 3;
}

static int prepare(const struct prepare_options *o, const char *command)
{
	struct prepare_job job = {.is_fresh = o->fresh, .is_quiet = o->quiet, .lock_fd = -1};
	struct err e = {0};
	int rc;

	rc = target_inspect(o->target, &job.info, &e);
	if (!rc)
		rc = set_work(o, command, &job, &e);
	if (!rc && o->dry_run) {
		rc = dry_run(o, &job, &e);
		rc = rc ? cmd_fail(&e) : 0;
	} else {
		rc = rc ? rc : write_target(o, &job, &e);
		rc = conclude(&job, rc, &e);
	}
	prepare_job_release(&job);
	return rc;
}

static int check_options(const struct prepare_options *o, const struct str_list *args,
			 struct err *e)
{
	if (args->nr)
		return err_set(e, ERR_USAGE, "prepare takes no argument, but '%s' is given",
			       args->v[0]);
	if (!o->target || !*o->target)
		return err_set(e, ERR_USAGE,
			       "prepare needs --target: the block device or file to fill");
	if (o->make_file && (o->write_to.nr || o->span || o->offset || o->passes ||
			     o->until_steady || o->dry_run || o->db))
		return err_set(e, ERR_USAGE,
			       "--make-file makes a file where none is; no other option but "
			       "--target goes with it");
	return 0;
}

static int run(int argc, char **argv)
{
	struct prepare_options o = {0};
	struct str_list args = {0};
	char *command = confirm_quote("prepare", argc, argv);
	struct err e = {0};
	int rc = 2;

	if (!cmd_parse(&cmd_prepare, argc, argv, &o, &args)) {
		log_set_quiet(o.quiet);
		if (check_options(&o, &args, &e))
			rc = cmd_fail(&e);
		else
			rc = o.make_file ? make_file(&o) : prepare(&o, command);
	}
	free(command);
	str_list_release(&args);
	str_list_release(&o.write_to);
	return rc;
}

const struct cmd cmd_prepare = {
	.name = "prepare",
	.args = "--target PATH --write-to IDENTITY [OPTION...]",
	.summary = "fill a target before it is measured, or make a scratch file",
	.about =
		"Writes every block of the span with incompressible data, so that no layer below\n"
		"can answer reads from nothing. Blocks that were never written, of a thin LUN, a\n"
		"new cloud volume or a sparse file, are read faster than any medium can. With\n"
		"--until-steady random writes follow until five rounds agree, since fresh flash\n"
		"and empty caches take writes faster than they will later.\n"
		"\n"
		"What is in use is never written, and what is idle only with --write-to. Started\n"
		"again after a signal, an error or a crash, the same command goes on where it\n"
		"stopped. The database remembers it, and runs tell how their target was prepared.\n"
		"\n"
		"Exit status: 0 done; 1 failed; 2 usage; 3 filled, but not steady in time; 128+n\n"
		"ended by signal n, what is filled is kept.\n"
		"\n"
		"Examples:\n"
		"  lunsweep prepare --target /dev/sdx --write-to wwid:naa.600a098000c4 --yes\n"
		"  lunsweep prepare --target /srv/scratch.img --make-file 10G\n",
	.groups = groups,
	.run = run,
};
