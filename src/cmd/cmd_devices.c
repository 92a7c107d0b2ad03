/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "base/log.h"
#include "base/units.h"
#include "report/json_write.h"
#include "target/guard.h"
#include "target/list.h"

#include <stddef.h>
#include <string.h>

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
	json_next(b);
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
	for (size_t i = 0; i < nr; i++) {
		struct err refusal = {0};

		const char *error = facts_get(&list[i].facts, TARGET_LIST_ERROR);

		if (error)
			(void)err_set(&refusal, ERR_TARGET, "%s", error);
		else
			(void)guard_check_idle(&list[i], false, &refusal);
		if (json)
			add_json(&b, &list[i], &refusal);
		else
			add_text(&b, &list[i], &refusal);
	}
	buf_addstr(&b, json ? "]}\n" : "");
	if (!nr)
		log_info("there is no block device here; a file can be a target too");
	rc = cmd_print(&b);
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
