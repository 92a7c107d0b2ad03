/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "base/apart.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/units.h"
#include "report/json_write.h"
#include "target/guard.h"
#include "target/list.h"

#include <stddef.h>
#include <string.h>

/* How long devices may take to answer, and how many are looked at at once. */
#define ANSWER_NS  (3 * NS_PER_S)
#define NR_AT_ONCE 32

struct devices_options {
	const char *format;
};

static const struct opt devices_opts[] = {
	{"format", 0, OPT_STR, offsetof(struct devices_options, format), "FORMAT",
	 "text or json (text)"},
	{NULL, 0, OPT_END, 0, NULL, NULL},
};

static const struct opt_group groups[] = {{"Options", devices_opts}, {NULL, NULL}};

static void add_text(struct buf *b, const struct target_info *t, const struct err *refusal)
{
	const char *model = facts_get(&t->facts, "device.model");
	struct buf size = BUF_INIT;

	buf_add_size_human(&size, t->size_bytes);
	buf_addf(b, "%s  %s", t->resolved, buf_text(&size));
	if (model)
		buf_addf(b, "  %s", model);
	buf_release(&size);
	if (!t->identity) {
		buf_addf(b, "\n    %s\n", refusal->msg);
		return;
	}
	buf_addf(b, "\n    blocks of %u bytes", t->logical_block_bytes);
	if (target_queue_limit(t))
		buf_addf(b, ", queue limit %u", target_queue_limit(t));
	if (t->max_sectors_kb)
		buf_addf(b, ", requests up to %u KiB", t->max_sectors_kb);
	if (t->throttle)
		buf_addf(b, ", %s", t->throttle);
	buf_addf(b, "\n    identity  %s\n    writes    ", guard_consent_text(t));
	if (refusal->msg[0])
		buf_addf(b, "no: %s\n", refusal->msg);
	else
		buf_addf(b, "yes, with --write-to '%s'\n", guard_consent_text(t));
}

static void add_json(struct buf *b, const struct target_info *t, const struct err *refusal)
{
	buf_addch(b, '{');
	json_text(b, "device", t->resolved);
	json_uint(b, "size_bytes", t->size_bytes);
	json_text(b, "model", facts_get(&t->facts, "device.model"));
	json_count(b, "logical_block_bytes", t->logical_block_bytes);
	json_count(b, "queue_limit", target_queue_limit(t));
	json_count(b, "max_sectors_kb", t->max_sectors_kb);
	json_text(b, "throttle", t->throttle);
	json_text(b, "identity", t->identity ? guard_consent_text(t) : NULL);
	json_bool(b, "writable", !refusal->msg[0]);
	json_text(b, "refusal", refusal->msg[0] ? refusal->msg : NULL);
	buf_addch(b, '}');
}

static void begin_json(struct buf *b)
{
	json_begin(b, "devices", 1);
	json_key(b, "devices");
	buf_addch(b, '[');
}

/* A disk and its partitions. */
struct disk {
	struct target_info *v;
	size_t nr;
	bool json;
};

static void add_device(struct buf *b, const struct disk *d, size_t i, const struct err *refusal)
{
	if (d->json)
		buf_addstr(b, i ? ",\n" : "");
	(d->json ? add_json : add_text)(b, &d->v[i], refusal);
}

/* One after the other: to claim a partition for a moment claims its disk. */
static void look(struct buf *b, void *arg)
{
	const struct disk *d = arg;

	for (size_t i = 0; i < d->nr; i++) {
		struct err refusal = {0};
		const char *error;

		target_list_look(&d->v[i]);
		error = facts_get(&d->v[i].facts, TARGET_LIST_ERROR);
		if (error)
			(void)err_set(&refusal, ERR_TARGET, "%s", error);
		else
			(void)guard_check_idle(&d->v[i], false, &refusal);
		add_device(b, d, i, &refusal);
	}
}

/* What was found out of the disk, or that it does not answer. */
static void take(struct buf *b, struct apart *a, uint64_t until_ns, const struct disk *d)
{
	struct err silent = {0};

	if (d->json)
		json_next(b);
	if (apart_wait(a, until_ns)) {
		buf_addstr(b, buf_text(&a->text));
		return;
	}
	(void)err_set(
		&silent, ERR_TARGET,
		"it does not answer: nothing was learned of it in %llu s; look at its paths and "
		"at the kernel log",
		ANSWER_NS / NS_PER_S);
	for (size_t i = 0; i < d->nr; i++)
		add_device(b, d, i, &silent);
}

/* A device that hangs keeps whoever looks at it, so that each disk is looked at by a process of its own. */
static int add_disks(struct buf *b, struct disk *d, size_t nr, struct err *e)
{
	struct apart a[NR_AT_ONCE];
	size_t nr_started = 0;
	uint64_t until_ns;
	int rc = 0;

	for (; !rc && nr_started < nr; nr_started += !rc)
		rc = apart_start(&a[nr_started], look, &d[nr_started], e);
	until_ns = clock_now_ns() + ANSWER_NS;
	for (size_t i = 0; i < nr_started; i++) {
		if (!rc)
			take(b, &a[i], until_ns, &d[i]);
		apart_end(&a[i]);
	}
	return rc;
}

static int add_devices(struct buf *b, struct target_info *list, size_t nr, bool json, struct err *e)
{
	struct disk d[NR_AT_ONCE];
	size_t nr_disks;
	int rc = 0;

	for (size_t i = 0; !rc && i < nr;) {
		for (nr_disks = 0; nr_disks < NR_AT_ONCE && i < nr; i += d[nr_disks++].nr)
			d[nr_disks] =
				(struct disk){&list[i], target_list_disk(&list[i], nr - i), json};
		rc = add_disks(b, d, nr_disks, e);
	}
	return rc;
}

static int print_devices(bool json)
{
	struct target_info *list;
	struct buf b = BUF_INIT;
	struct err e = {0};
	size_t nr;
	int rc;

	if (target_list(&list, &nr, &e))
		return cmd_fail(&e);
	if (json)
		begin_json(&b);
	rc = add_devices(&b, list, nr, json, &e);
	buf_addstr(&b, json ? "]}\n" : "");
	if (!nr)
		log_info("there is no block device here; a file can be a target too");
	rc = rc ? cmd_fail(&e) : cmd_print(&b);
	target_list_free(list, nr);
	buf_release(&b);
	return rc;
}

static int run(int argc, char **argv)
{
	struct devices_options o = {0};
	struct str_list args = {0};
	int rc = 2;

	if (!cmd_parse(&cmd_devices, argc, argv, &o, &args)) {
		bool json = o.format && !strcmp(o.format, "json");

		if (args.nr)
			log_error("devices takes no argument, but '%s' is given", args.v[0]);
		else if (o.format && !json && strcmp(o.format, "text") != 0)
			log_error("--format '%s' is not one of text, json", o.format);
		else
			rc = print_devices(json);
	}
	str_list_release(&args);
	return rc;
}

const struct cmd cmd_devices = {
	.name = "devices",
	.args = "[OPTION...]",
	.summary = "block devices, their limits, and whether they may be written",
	.about = "Lists the block devices of this host with size, model and limits, and says of\n"
		 "each whether a sweep that writes would be allowed, or why not. Changes nothing.\n"
		 "\n"
		 "Examples:\n"
		 "  lunsweep devices\n"
		 "  lunsweep devices --format json\n",
	.groups = groups,
	.run = run,
};
