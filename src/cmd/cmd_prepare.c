/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "base/log.h"
#include "base/rng.h"
#include "base/units.h"
#include "cmd/signals.h"
#include "target/make_file.h"

#include <stddef.h>
#include <stdlib.h>

struct prepare_options {
	const char *target, *make_file;
};

#define AT(member) offsetof(struct prepare_options, member)

static const struct opt prepare_opts[] = {
	{"target", 't', OPT_STR, AT(target), "PATH", "the file to make"},
	{"make-file", 0, OPT_STR, AT(make_file), "SIZE", "make it, this large; there must be none"},
	{NULL, 0, OPT_END, 0, NULL, NULL},
};

static const struct opt_group groups[] = {{"Options", prepare_opts}, {NULL, NULL}};

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

static int run(int argc, char **argv)
{
	struct prepare_options o = {0};
	struct str_list args = {0};
	int rc = 2;

	if (!cmd_parse(&cmd_prepare, argc, argv, &o, &args)) {
		if (args.nr)
			log_error("prepare takes no argument, but '%s' is given", args.v[0]);
		else if (!o.target || !*o.target || !o.make_file)
			log_error("prepare needs --target and --make-file");
		else
			rc = make_file(&o);
	}
	str_list_release(&args);
	return rc;
}

const struct cmd cmd_prepare = {
	.name = "prepare",
	.args = "--target PATH --make-file SIZE",
	.summary = "make a scratch file to measure",
	.about = "Makes a file of incompressible data as a target, so that every block of it was\n"
		 "written and no layer below can answer from nothing. It is never made where\n"
		 "something is, below /dev, or on a file system in memory.\n"
		 "\n"
		 "Examples:\n"
		 "  lunsweep prepare --target /srv/scratch.img --make-file 10G\n"
		 "  lunsweep run sweeps/quick.yaml --target /srv/scratch.img\n",
	.groups = groups,
	.run = run,
};
