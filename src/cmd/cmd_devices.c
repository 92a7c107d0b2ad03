/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "base/log.h"
#include "base/units.h"
#include "target/guard.h"
#include "target/list.h"

#include <inttypes.h>
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
	buf_addstr(b, "{\"device\": ");
	buf_json_str(b, t->resolved);
	buf_addf(b, ", \"size_bytes\": %" PRIu64 ", \"model\": ", t->size_bytes);
	buf_json_str(b, facts_get(&t->facts, "device.model"));
	buf_addf(b, ", \"logical_block_bytes\": %u, \"queue_limit\": %u, \"max_sectors_kb\": %u",
		 t->logical_block_bytes, target_queue_limit(t), t->max_sectors_kb);
	buf_addstr(b, ", \"throttle\": ");
	buf_json_str(b, t->throttle);
	buf_addstr(b, ", \"identity\": ");
	buf_json_str(b, t->identity ? guard_consent_text(t) : NULL);
	buf_addf(b, ", \"writable\": %s, \"refusal\": ", refusal->msg[0] ? "false" : "true");
	buf_json_str(b, refusal->msg[0] ? refusal->msg : NULL);
	buf_addstr(b, "}");
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
	buf_addstr(&b, json ? "[" : "");
	for (size_t i = 0; i < nr; i++) {
		struct err refusal = {0};

		const char *error = facts_get(&list[i].facts, TARGET_LIST_ERROR);

		if (error)
			(void)err_set(&refusal, ERR_TARGET, "%s", error);
		else
			(void)guard_check_idle(&list[i], false, &refusal);
		if (json) {
			buf_addstr(&b, i ? ",\n " : "");
			add_json(&b, &list[i], &refusal);
		} else {
			add_text(&b, &list[i], &refusal);
		}
	}
	buf_addstr(&b, json ? "]\n" : "");
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
