/* SPDX-License-Identifier: MIT */
#include "control.h"

#include "base/mem.h"
#include "base/units.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int control_real(const char *text, double max, double *out, struct err *e)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end || !(v >= 0 && v <= max))
		return err_set(e, ERR_USAGE, "'%s' is not a number from 0 to %g", text, max);
	*out = v;
	return 0;
}

int control_set_model(struct model *m, const char *text, bool running, struct err *e)
{
	const char *equals = strchr(text, '=');
	char *key;
	int rc;

	if (!equals)
		return err_set(e, ERR_USAGE, "'%s' is not of the form key=value", text);
	key = xstrndup(text, (size_t)(equals - text));
	rc = model_set(m, key, equals + 1, running, e);
	free(key);
	return rc;
}

static int ctl_set(struct lun *l, char **args, struct err *e)
{
	return control_set_model(&l->model, args[0], true, e);
}

static int ctl_eio_read(struct lun *l, char **args, struct err *e)
{
	return control_real(args[0], 1, &l->faults.eio_probability[LUN_READ], e);
}

static int ctl_eio_write(struct lun *l, char **args, struct err *e)
{
	return control_real(args[0], 1, &l->faults.eio_probability[LUN_WRITE], e);
}

static int ctl_eio_at(struct lun *l, char **args, struct err *e)
{
	uint64_t offset, length;

	if (units_parse_size(args[0], &offset, e) || units_parse_size(args[1], &length, e))
		return -1;
	l->faults.bad_offset = offset;
	l->faults.bad_length = length;
	return 0;
}

static int ctl_short(struct lun *l, char **args, struct err *e)
{
	return control_real(args[0], 1, &l->faults.short_probability, e);
}

static int ctl_corrupt(struct lun *l, char **args, struct err *e)
{
	return control_real(args[0], 1, &l->faults.corrupt_probability, e);
}

static int ctl_hang(struct lun *l, char **args, struct err *e)
{
	(void)args;
	(void)e;
	l->faults.hang = true;
	return 0;
}

static int ctl_unhang(struct lun *l, char **args, struct err *e)
{
	(void)args;
	(void)e;
	l->faults.hang = false;
	lun_answer_held(l);
	return 0;
}

static int ctl_stall(struct lun *l, char **args, struct err *e)
{
	double stall_ms;

	if (control_real(args[0], 1e9, &stall_ms, e))
		return -1;
	l->faults.stalled_until_ms = lun_now_ms(l) + stall_ms * l->speed;
	return 0;
}

static int ctl_die(struct lun *l, char **args, struct err *e)
{
	(void)l;
	(void)args;
	(void)e;
	_exit(9);
}

static int ctl_reset(struct lun *l, char **args, struct err *e)
{
	(void)args;
	return lun_reset_stats(l, e);
}

static const struct ctl_command {
	const char *name;
	int nr_args;
	int (*run)(struct lun *l, char **args, struct err *e);
} ctl_commands[] = {
	{"set", 1, ctl_set},	   {"eio_read", 1, ctl_eio_read}, {"eio_write", 1, ctl_eio_write},
	{"eio_at", 2, ctl_eio_at}, {"short", 1, ctl_short},	  {"corrupt", 1, ctl_corrupt},
	{"hang", 0, ctl_hang},	   {"unhang", 0, ctl_unhang},	  {"stall", 1, ctl_stall},
	{"die", 0, ctl_die},	   {"reset", 0, ctl_reset},
};

#define MAX_WORDS 4

/* Split line in place; -1 when there are more than fit. */
static int split_words(char *line, char **words)
{
	int nr = 0;

	for (char *word; (word = strsep(&line, " \t"));) {
		if (!*word)
			continue;
		if (nr == MAX_WORDS)
			return -1;
		words[nr++] = word;
	}
	return nr;
}

static int run_command(struct lun *l, char *line, struct err *e)
{
	char *words[MAX_WORDS];
	int nr = split_words(line, words);

	if (nr == 0)
		return 0;
	for (size_t i = 0; nr > 0 && i < NR(ctl_commands); i++) {
		const struct ctl_command *c = &ctl_commands[i];

		if (strcmp(c->name, words[0]) != 0)
			continue;
		if (nr - 1 != c->nr_args)
			return err_set(e, ERR_USAGE, "%s takes %d arguments", c->name, c->nr_args);
		return c->run(l, words + 1, e);
	}
	return err_set(e, ERR_USAGE, "there is no such command: '%s'", nr > 0 ? words[0] : line);
}

int control_run(struct lun *l, const char *text, size_t length, struct err *e)
{
	char *copy = xstrndup(text, length);
	char *rest = copy;
	int rc = 0;

	for (char *line; !rc && (line = strsep(&rest, "\n"));)
		rc = run_command(l, line, e);
	free(copy);
	return rc;
}
