/* SPDX-License-Identifier: MIT */
/* What commands that measure have in common: their options, all that is checked and asked before the
 * first I/O, and the run in the store that is begun or gone on with. */
#ifndef CMD_JOB_H
#define CMD_JOB_H

#include "base/opt.h"
#include "cmd/measure.h"

/* The first member of the command's own struct. */
struct job_options {
	struct pair_list settings; /* first, for sweep_opts */
	struct str_list targets, write_to;
	const char *db, *resume;
	bool overwrite_signature, allow_ram, yes, new_run, quiet;
};

#define JOB_AT(member) offsetof(struct job_options, member)

/* Rows of the command's table: JOB_OPTS_PLACE, its own, JOB_OPTS_WAY. */
#define JOB_OPTS_PLACE \
	{ \
		"target",	 't',	 OPT_STRS, \
		JOB_AT(targets), "PATH", "block device or file; may be repeated"}, \
	{ \
		"db", 0, OPT_STR, JOB_AT(db), "PATH", "database (LUNSWEEP_DB, else ./lunsweep.db)" \
	}
#define JOB_OPTS_WAY \
	{"new", 0, OPT_FLAG, JOB_AT(new_run), NULL, "begin afresh, whatever is unfinished"}, \
		{"resume",	 0,	OPT_STR, \
		 JOB_AT(resume), "RUN", "go on with this run, whatever version began it"}, \
		{"yes",	      'y',  OPT_FLAG, \
		 JOB_AT(yes), NULL, "do not ask before long runs and before writing"}, \
		{"quiet",	'q',  OPT_FLAG, \
		 JOB_AT(quiet), NULL, "only warnings, errors and the answers"}, \
	{ \
		"allow-ram", 0, OPT_FLAG, JOB_AT(allow_ram), NULL, \
			"also a file in memory, which is no storage" \
	}
extern const struct opt job_write_opts[];

/* What the command does with its targets. */
struct job_work {
	const char *command;	   /* the command line, for the store */
	uint64_t key;		   /* of what is to be measured, without the target (D27) */
	unsigned points_each;	   /* a point of the plan stands for so many at most */
	uint64_t longest_ns;	   /* it takes no longer, whatever the plan says; 0: no limit */
	const struct facts *facts; /* to be stored beside those of every run; NULL for none */
	/* What else must be known to work before the first I/O; NULL for nothing. */
	int (*get_ready)(const struct measure_job *jobs, size_t nr, void *arg, struct err *e);
	/* Add the new run to the store, by store_add_run. */
	int (*add)(struct measure_job *job, struct store *store, void *arg, struct err *e);
	/* Measure and print; returns the exit status. */
	int (*run)(struct measure_job *jobs, size_t nr, struct store *store, void *arg);
	void *arg;
};

/* Check the options that need no target; name is the command's. */
int job_check_options(const struct job_options *o, const char *name, struct err *e);
void job_options_release(struct job_options *o);

/* Look at every target, refuse what cannot be measured or written, lock, warn, ask (D36), open the
 * store, and do the work. Returns the exit status; errors are printed. */
int jobs_run(const struct sweep *sweep, const struct job_options *o, const struct job_work *w);

/* Find the unfinished run that is gone on with, or add a new one: then job->run.id is set. */
int job_store(struct measure_job *job, struct store *store, const struct job_options *o,
	      const struct job_work *w, struct err *e);

/* The exit status of a signal, after a sentence; 0 without one. nr_valid of nr_points are stored. */
int job_conclude_signal(unsigned nr_valid, unsigned nr_points);

/* Say of each target that hangs that its I/Os did not come back. */
void jobs_say_stuck(const struct measure_job *jobs, size_t nr);

#endif
